// SPDX-License-Identifier: Apache-2.0
#include "core/base/own_file.h"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

namespace calfvo {

std::filesystem::path OwnFile() {
  Dl_info info{};
  void* loaded = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&OwnFile), &info, &loaded, RTLD_DL_LINKMAP) == 0) return {};
  // The program itself has no name there. What `info` calls it, its argument 0, is not a path when it was
  // found through PATH.
  const std::filesystem::path name = static_cast<const link_map*>(loaded)->l_name;
  std::error_code ignored;
  return std::filesystem::canonical(name.empty() ? "/proc/self/exe" : name, ignored);
}

}  // namespace calfvo
