// SPDX-License-Identifier: Apache-2.0
// The text of a configuration file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace calfvo {

// At most 1 MB; throws Error naming the file. `what` ("preset") stands for it in messages.
std::string ReadConfigText(const std::filesystem::path& path, std::string_view what);

}  // namespace calfvo
