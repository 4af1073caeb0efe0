// SPDX-License-Identifier: Apache-2.0
// Untrusted text (file names, names in files, option values), made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace calfvo {

// `text` with control characters (C0 with newline and tab, DEL, C1) and bytes that are not UTF-8 as \xNN. The
// result is one line of UTF-8 that cannot control a terminal. Text without such bytes is unchanged.
std::string Printable(std::string_view text);

// The same for text of several lines: newlines stay.
std::string PrintableLines(std::string_view text);

// Printable text between single quotes. Longer text is cut after 80 bytes, so that it cannot flood a message.
std::string Quoted(std::string_view text);

}  // namespace calfvo
