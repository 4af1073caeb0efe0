// SPDX-License-Identifier: Apache-2.0
// Bytes of a file or pipe, one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/video/stop_signal.h"

namespace calfvo {

// Owns `descriptor`, except standard input. Not thread-safe.
class ByteStream {
 public:
  // `name` stands for the stream in messages. Once `stop`, if given, is set, the stream is at its end; so it
  // is after Cancel, which other threads may call.
  ByteStream(int descriptor, std::string name, const std::atomic<bool>* stop);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  const std::string& name() const { return name_; }

  // Waits for the next byte; true at the end of the stream.
  bool AtEnd() { return begin_ == end_ && !Fill(); }
  void Cancel() { stop_.Cancel(); }
  bool stopped() const { return stop_.IsSet(); }

  // Waits for `size` bytes; fewer only at the end. Throws Error when reading fails.
  size_t Read(void* to, size_t size);

  // Up to the next newline, which is taken and left out, the end, or `max` bytes, whichever comes first.
  std::string ReadLine(size_t max);

  // How many bytes the file has, from start to end; nothing for a pipe.
  std::optional<size_t> FileSize() const;

 private:
  bool Fill();

  const int descriptor_;
  const std::string name_;
  StopSignal stop_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // unread part of buffer_
  size_t end_ = 0;
};

}  // namespace calfvo
