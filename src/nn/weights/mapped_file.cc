// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>

#include "calfvo/error.h"

namespace calfvo {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  const int value_;
};

[[noreturn]] void ThrowErrno(const std::string& name, std::string_view action) {
  throw Error(fmt::format("{}: cannot {}: {}", name, action, std::generic_category().message(errno)));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : name_(path.string()) {
  // O_NONBLOCK: opening a pipe without a writer would wait for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) ThrowErrno(name_, "open");
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) ThrowErrno(name_, "examine");
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: is a folder; a file was expected", name_));
  if (!S_ISREG(status.st_mode)) {
    throw Error(fmt::format("{}: is a pipe or a device; a regular file was expected", name_));
  }
  if (status.st_size == 0) return;
  if (static_cast<uintmax_t>(status.st_size) > std::numeric_limits<size_t>::max() / 2) {
    throw Error(fmt::format("{}: {} bytes do not fit into memory addresses", name_, status.st_size));
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) ThrowErrno(name_, fmt::format("map {} bytes", size));
  data_ = static_cast<const std::byte*>(data);
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : name_(std::move(other.name_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

}  // namespace calfvo
