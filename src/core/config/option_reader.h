// SPDX-License-Identifier: Apache-2.0
// TOML keys into the members of option structs. A key that is missing leaves the member as it was.
#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "calfvo/error.h"
#include "core/config/float_field.h"
#include "core/config/toml_reader.h"

namespace calfvo {

template <typename Options>
void ReadFields(TomlTable& table, std::span<const FloatField<Options>> fields, Options& options) {
  for (const auto& field : fields) {
    if (const auto value = table.Number(field.name)) options.*field.member = static_cast<float>(*value);
  }
}

inline void ReadOption(TomlTable& table, std::string_view key, double& value) {
  value = table.Number(key).value_or(value);
}
inline void ReadOption(TomlTable& table, std::string_view key, float& value) {
  if (const auto read = table.Number(key)) value = static_cast<float>(*read);
}
inline void ReadOption(TomlTable& table, std::string_view key, bool& value) {
  value = table.Boolean(key).value_or(value);
}
inline void ReadOption(TomlTable& table, std::string_view key, std::string& value) {
  value = table.Text(key).value_or(value);
}
inline void ReadOption(TomlTable& table, std::string_view key, std::filesystem::path& value) {
  if (const auto text = table.Text(key)) value = *text;
}
inline void ReadOption(TomlTable& table, std::string_view key, int64_t& value) {
  value = table.Integer(key).value_or(value);
}
inline void ReadOption(TomlTable& table, std::string_view key, int& value) {
  constexpr int64_t kLimit = std::numeric_limits<int>::max();
  const auto read = table.Integer(key);
  if (!read) return;
  if (*read < -kLimit || *read > kLimit) {
    table.Fail(key, fmt::format("is {}; expected {} to {}", *read, -kLimit, kLimit));
  }
  value = static_cast<int>(*read);
}
template <typename Number, size_t count>
void ReadOption(TomlTable& table, std::string_view key, std::array<Number, count>& values) {
  const auto numbers = table.Numbers(key, count);
  for (size_t i = 0; i < numbers.size(); ++i) {
    values[i] = static_cast<Number>(numbers[i]);
    if (static_cast<double>(values[i]) != numbers[i]) table.Fail(key, "expected whole numbers");
  }
}

// Options state their ranges in Validate, whose message starts with the field: here it gets the line.
template <typename Options>
void ValidateOptions(const Options& options, const TomlTable& table) {
  try {
    options.Validate();
  } catch (const Error& error) {
    const std::string message = error.what();
    table.Fail(message.substr(0, message.find(' ')), message.substr(message.find(' ') + 1));
  }
}

}  // namespace calfvo
