// SPDX-License-Identifier: Apache-2.0
// A number of an option struct by name, for reading it and for writing what was used.
#pragma once

namespace calfvo {

template <typename Options>
struct FloatField {
  const char* name;
  float Options::*member;
};

}  // namespace calfvo
