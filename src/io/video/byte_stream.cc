// SPDX-License-Identifier: Apache-2.0
#include "io/video/byte_stream.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/temporary_error.h"

namespace calfvo {
namespace {

constexpr size_t kBufferSize = 256 << 10;
constexpr int kPollMs = 50;

}  // namespace

ByteStream::ByteStream(int descriptor, std::string name, const std::atomic<bool>* stop)
    : descriptor_(descriptor), name_(std::move(name)), stop_(stop), buffer_(kBufferSize) {}

ByteStream::~ByteStream() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

bool ByteStream::Fill() {
  while (!stopped()) {
    pollfd waiting{descriptor_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kPollMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(descriptor_, buffer_.data(), buffer_.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) ThrowSystemError(name_ + ": cannot read", errno);
    begin_ = 0;
    end_ = static_cast<size_t>(count);
    return count > 0;
  }
  return false;
}

size_t ByteStream::Read(void* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    if (AtEnd()) break;
    const size_t count = std::min(size - done, end_ - begin_);
    std::memcpy(static_cast<char*>(to) + done, buffer_.data() + begin_, count);
    begin_ += count;
    done += count;
  }
  return done;
}

std::string ByteStream::ReadLine(size_t max) {
  std::string line;
  while (line.size() < max && !AtEnd()) {
    const char c = buffer_[begin_++];
    if (c == '\n') return line;
    line += c;
  }
  return line;
}

std::optional<size_t> ByteStream::FileSize() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return static_cast<size_t>(status.st_size);
}

}  // namespace calfvo
