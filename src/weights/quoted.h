// SPDX-License-Identifier: Apache-2.0
// Text from files, made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace calfvo {

// `text` between single quotes, with bytes that are not printable ASCII as \xNN, cut after 80 characters. A
// hostile file can therefore neither flood a message nor send control codes to a terminal.
std::string Quoted(std::string_view text);

}  // namespace calfvo
