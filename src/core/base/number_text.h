// SPDX-License-Identifier: Apache-2.0
// Numbers and times as text, without loss and without locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace calfvo {

// The whole of `text` as a double ("nan" and "inf" included). False if it is anything else.
bool ParseNumber(std::string_view text, double* value);

// A decimal number of seconds as nanoseconds. Plain decimals ("1305031098.6659") are exact, digits past the
// ninth are rounded; numbers with an exponent go through double. False if malformed or beyond int64.
bool ParseSeconds(std::string_view text, int64_t* nanoseconds);

// A decimal number of nanoseconds; a fraction, as some tools write it ("1403636580863555584.00"), is dropped.
bool ParseNanoseconds(std::string_view text, int64_t* nanoseconds);

// The shortest text that reads back as the same double.
void AppendNumber(double value, std::string* text);
void AppendInteger(int64_t value, std::string* text);

// Nanoseconds as seconds with nine decimals.
void AppendSeconds(int64_t nanoseconds, std::string* text);

}  // namespace calfvo
