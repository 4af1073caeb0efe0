// SPDX-License-Identifier: Apache-2.0
// Times are int64 nanoseconds, and so are spans between them: of two sane times the span fits, of any two
// not.
#pragma once

#include <cstdint>

namespace calfvo {

// Whether later − earlier fits int64: up to some 292 years. What holds for the first and the last of times
// that increase holds for any two of them.
inline bool TimeSpanFits(int64_t earlier_ns, int64_t later_ns) {
  int64_t span_ns = 0;
  return !__builtin_sub_overflow(later_ns, earlier_ns, &span_ns);
}

}  // namespace calfvo
