// SPDX-License-Identifier: Apache-2.0
#include "io/recording/recording_file.h"

#include <fmt/format.h>

#include "calfvo/error.h"
#include "io/recording/recording.h"

namespace calfvo {

RecordingFile::RecordingFile(const std::filesystem::path& path)
    : name_(path.string()), stream_(path, std::ios::binary) {
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (!stream_ || error) Fail("cannot be read");
}

void RecordingFile::Fail(std::string_view problem) const {
  throw Error(fmt::format("{}: {}", name_, problem));
}

void RecordingFile::Read(uint64_t offset, uint64_t count, std::string* to) {
  if (offset > size_ || count > size_ - offset) {
    Fail("is cut short: the recording was broken off, or the file was not copied to the end");
  }
  if (count > Recording::kMaxChunkBytes) {
    Fail(fmt::format("has a record of {} bytes; at most {} MiB are read", count,
                     Recording::kMaxChunkBytes >> 20));
  }
  to->resize(count);
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(to->data(), static_cast<std::streamsize>(count));
  if (static_cast<uint64_t>(stream_.gcount()) != count) Fail("cannot be read");
}

}  // namespace calfvo
