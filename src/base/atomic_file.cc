// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "calfvo/error.h"

namespace calfvo {
namespace {

[[noreturn]] void ThrowErrno(const std::filesystem::path& path, std::string_view action) {
  throw Error(
      fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(errno)));
}

bool IsPipeOrDevice(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  return type == std::filesystem::file_type::character || type == std::filesystem::file_type::fifo ||
         type == std::filesystem::file_type::socket;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;  // opening it will tell
  if (std::filesystem::is_directory(path_, ignored)) {
    throw Error(fmt::format("{}: is a folder; a file name was expected", path_.string()));
  }
  int descriptor = -1;
  if (IsPipeOrDevice(path_)) {
    descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    static std::atomic<int> counter = 0;
    part_path_ = path_.parent_path() /
                 fmt::format(".{}.{}-{}.part", path_.filename().string(), ::getpid(), counter.fetch_add(1));
    descriptor = ::open(part_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor < 0) {
    part_path_.clear();
    ThrowErrno(path_, "open for writing");
  }
  file_.reset(::fdopen(descriptor, "wb"));
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr && !part_path_.empty()) ::unlink(part_path_.c_str());
}

void AtomicFile::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) ThrowErrno(path_, "write");
}

void AtomicFile::Commit() {
  if (std::fflush(file_.get()) != 0) ThrowErrno(path_, "write");
  if (!part_path_.empty()) {
    if (::fsync(::fileno(file_.get())) != 0) ThrowErrno(path_, "write");
    if (std::rename(part_path_.c_str(), path_.c_str()) != 0) ThrowErrno(path_, "rename the finished file");
  }
  file_.reset();
}

void WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Write(bytes);
  file.Commit();
}

void MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
}

}  // namespace calfvo
