// SPDX-License-Identifier: Apache-2.0
// Files that others read while they grow.
#pragma once

#include <filesystem>
#include <string_view>

namespace calfvo {

// Creates `path`, which must not exist (not even as a link), and appends to it. What Write was given is with
// the operating system when it returns: the end of this process, however sudden, loses nothing but a Write
// that was under way. Failures throw Error naming `path`.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void Write(std::string_view bytes);

 private:
  const std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace calfvo
