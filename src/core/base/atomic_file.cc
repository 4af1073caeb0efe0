// SPDX-License-Identifier: Apache-2.0
#include "core/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/base/temporary_error.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartPrefix = ".calfvo-";
constexpr std::string_view kPartSuffix = ".part";
constexpr size_t kPartDigits = 16;

[[noreturn]] void ThrowErrno(const fs::path& path, std::string_view action) {
  ThrowSystemError(fmt::format("{}: cannot {}", path.string(), action), errno);
}

bool IsPipeOrDevice(const fs::path& path) {
  std::error_code ignored;
  const auto type = fs::status(path, ignored).type();
  return type == fs::file_type::character || type == fs::file_type::fifo || type == fs::file_type::socket;
}

// Opening a pipe waits for its reader, which may never come. A reader that was started together with this
// process has some seconds.
int OpenPipeOrDevice(const fs::path& path) {
  for (int tries = 50;; --tries) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0) {
      ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
      return descriptor;
    }
    if (errno != ENXIO) ThrowErrno(path, "open for writing");
    if (tries == 0) throw Error(fmt::format("{}: is a pipe that no process reads", path.string()));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

bool IsPartName(std::string_view name) {
  if (!name.starts_with(kPartPrefix) || !name.ends_with(kPartSuffix)) return false;
  name.remove_prefix(kPartPrefix.size());
  name.remove_suffix(kPartSuffix.size());
  return name.size() == kPartDigits &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

PartFile::PartFile(fs::path target) : target_(std::move(target)) {
  struct stat ignored {};
  if (::lstat(target_.c_str(), &ignored) != 0 && errno != ENOENT) ThrowErrno(target_, "open for writing");
  thread_local std::mt19937_64 random(std::random_device{}());
  do {
    path_ = target_.parent_path() / fmt::format("{}{:016x}{}", kPartPrefix, random(), kPartSuffix);
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) ThrowErrno(target_, "open for writing");
  static_cast<void>(::flock(descriptor_, LOCK_EX | LOCK_NB));  // some file systems have no locks
}

PartFile::~PartFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  ::close(descriptor_);
}

void PartFile::Commit() {
  if (::fsync(descriptor_) != 0) ThrowErrno(target_, "write");
  if (std::rename(path_.c_str(), target_.c_str()) != 0) ThrowErrno(target_, "rename the finished file");
  path_.clear();
}

bool PartFile::CommitNew() {
  if (::fsync(descriptor_) != 0) ThrowErrno(target_, "write");
  // Not every file system has links, nor this flag.
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) {
    path_.clear();
    return true;
  }
  if (errno == EINVAL && ::link(path_.c_str(), target_.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  ThrowErrno(target_, "rename the finished file");
}

void RemoveStaleParts(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (IsPartName(entry.path().filename().string()) &&
        entry.symlink_status(ignored).type() == fs::file_type::regular)
      parts.push_back(entry.path());
  }
  for (const fs::path& part : parts) {
    const int descriptor = ::open(part.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);  // as NFS's locks need
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(part.c_str());
    ::close(descriptor);
  }
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;  // opening it reports it
  if (fs::is_directory(path_, ignored)) {
    throw Error(fmt::format("{}: is a folder; a file name was expected", path_.string()));
  }
  int descriptor = -1;
  if (IsPipeOrDevice(path_)) {
    descriptor = OpenPipeOrDevice(path_);
  } else {
    part_ = std::make_unique<PartFile>(path_);
    descriptor = ::fcntl(part_->descriptor(), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) ThrowErrno(path_, "open for writing");
  }
  file_.reset(::fdopen(descriptor, "wb"));
}

void AtomicFile::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) ThrowErrno(path_, "write");
}

void AtomicFile::Commit() {
  if (std::fflush(file_.get()) != 0) ThrowErrno(path_, "write");
  if (part_ != nullptr) part_->Commit();
  file_.reset();
}

void WriteFileAtomically(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Write(bytes);
  file.Commit();
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  if (fs::is_symlink(folder)) {
    throw Error(fmt::format("{}: a symbolic link to a folder that does not exist", folder.string()));
  }
  ThrowSystemError(fmt::format("{}: cannot make the folder", folder.string()), error.value());
}

}  // namespace calfvo
