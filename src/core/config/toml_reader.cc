// SPDX-License-Identifier: Apache-2.0
#include "core/config/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calfvo/error.h"

namespace calfvo {
namespace {

// A dotted key makes a table for every dot, one in the other, and the parser's tables are destroyed by
// recursion: a line of dots would exhaust the stack. Keys do not span lines.
void CheckDots(std::string_view text, const std::string& file) {
  constexpr int kMost = 500;
  int line = 1;
  int dots = 0;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
    } else if (c == '.' && ++dots > kMost) {
      throw Error(fmt::format("{}:{}: a line with more than {} dots; is this TOML?", file, line, kMost));
    }
  }
}

std::string_view TypeName(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    default:
      return "a date or time";
  }
}

// The least number of letters to insert, remove or replace that turns one into the other (Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row[b.size()];
}

// " did you mean 'x'?" if one of the names is close, or nothing.
std::string Suggestion(std::string_view key, const std::set<std::string, std::less<>>& names) {
  constexpr size_t kMaxLength = 100;
  std::string_view nearest;
  size_t least = std::max<size_t>(1, std::min(key.size(), kMaxLength) / 3) + 1;
  for (const std::string& name : names) {
    const size_t distance = EditDistance(key.substr(0, kMaxLength), name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest.empty() ? "" : fmt::format(" did you mean '{}'?", nearest);
}

}  // namespace

const toml::node* TomlTable::Find(std::string_view key) {
  asked_.emplace(key);
  return table_.get(key);
}

std::optional<double> TomlTable::Number(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (!node->is_number()) FailType(key, "a number");
  return node->value<double>();
}

std::optional<int64_t> TomlTable::Integer(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (!node->is_integer()) FailType(key, "a whole number");
  return node->value<int64_t>();
}

std::optional<bool> TomlTable::Boolean(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (!node->is_boolean()) FailType(key, "true or false");
  return node->value<bool>();
}

std::optional<std::string> TomlTable::Text(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (!node->is_string()) FailType(key, "a string");
  return node->value<std::string>();
}

std::optional<std::string> TomlTable::NumberOrText(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (node->is_integer()) return fmt::format("{}", *node->value<int64_t>());
  if (node->is_floating_point()) return fmt::format("{}", *node->value<double>());
  if (!node->is_string()) FailType(key, "a number or a string");
  return node->value<std::string>();
}

std::optional<TomlTable> TomlTable::Table(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (!node->is_table()) FailType(key, "a table");
  return TomlTable(*node->as_table(), file_,
                   name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key));
}

std::vector<TomlTable> TomlTable::Tables(std::string_view key) {
  std::vector<TomlTable> tables;
  const toml::node* node = Find(key);
  if (node == nullptr) return tables;
  if (!node->is_array_of_tables()) FailType(key, fmt::format("tables, [[{}]]", key));
  for (const toml::node& item : *node->as_array()) {
    tables.emplace_back(*item.as_table(), file_,
                        fmt::format("{}{}{}[{}]", name_, name_.empty() ? "" : ".", key, tables.size()));
  }
  return tables;
}

std::vector<double> TomlTable::Numbers(std::string_view key, size_t count) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  const toml::array* array = node->as_array();
  if (array == nullptr) FailType(key, fmt::format("a list of {} numbers", count));
  std::vector<double> numbers;
  for (const toml::node& item : *array) {
    if (item.is_number()) numbers.push_back(*item.value<double>());
  }
  if (numbers.size() != array->size() || numbers.size() != count) {
    Fail(key, fmt::format("expected a list of {} numbers", count));
  }
  return numbers;
}

std::vector<std::string> TomlTable::Texts(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  const toml::array* array = node->as_array();
  if (array == nullptr) FailType(key, "a list of strings");
  std::vector<std::string> texts;
  for (const toml::node& item : *array) {
    if (!item.is_string()) Fail(key, "expected a list of strings");
    texts.push_back(*item.value<std::string>());
  }
  return texts;
}

void TomlTable::RefuseUnknown() const {
  for (const auto& [key, node] : table_) {
    if (asked_.contains(key.str())) continue;
    std::string known;
    for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
    Fail(key.str(), fmt::format("unknown key;{} known are {}", Suggestion(key.str(), asked_), known));
  }
}

void TomlTable::FailType(std::string_view key, std::string_view expected) const {
  Fail(key, fmt::format("is {}; expected {}", TypeName(*table_.get(key)), expected));
}

void TomlTable::Fail(std::string_view key, std::string_view message) const {
  const toml::node* node = table_.get(key);
  const toml::source_region& source = (node != nullptr ? *node : table_).source();
  const std::string name = fmt::format("{}{}{}", name_, name_.empty() || key.empty() ? "" : ".", key);
  throw Error(fmt::format("{}:{}: {}{}{}", source.path ? *source.path : file_, source.begin.line, name,
                          name.empty() ? "" : ": ", message));
}

toml::table ParseToml(std::string_view text, const std::string& file) {
  CheckDots(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

}  // namespace calfvo
