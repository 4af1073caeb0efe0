// SPDX-License-Identifier: Apache-2.0
// Text from hostile inputs, in messages.
#pragma once

#include <string>
#include <string_view>

namespace calfvo {

// The first 32 bytes, with a question mark for what is not printable ASCII.
inline std::string ShownText(std::string_view text) {
  constexpr size_t kMost = 32;
  std::string shown(text.substr(0, kMost));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kMost ? shown + "…" : shown;
}

}  // namespace calfvo
