// SPDX-License-Identifier: Apache-2.0
#include "clip/toml_reader.h"

#include <fmt/format.h>

#include "calfvo/error.h"

namespace calfvo {
namespace {

std::string_view TypeName(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a text";
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
  if (!node->is_string()) FailType(key, "a text");
  return node->value<std::string>();
}

std::optional<std::string> TomlTable::NumberOrText(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (node->is_integer()) return fmt::format("{}", *node->value<int64_t>());
  if (node->is_floating_point()) return fmt::format("{}", *node->value<double>());
  if (!node->is_string()) FailType(key, "a number or a text");
  return node->value<std::string>();
}

std::optional<TomlTable> TomlTable::Table(std::string_view key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return {};
  if (!node->is_table()) FailType(key, "a table");
  return TomlTable(*node->as_table(), file_,
                   name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key));
}

void TomlTable::RefuseUnknown() const {
  for (const auto& [key, node] : table_) {
    if (asked_.contains(key.str())) continue;
    std::string known;
    for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
    Fail(key.str(), fmt::format("unknown key; known are {}", known));
  }
}

void TomlTable::FailType(std::string_view key, std::string_view expected) const {
  Fail(key, fmt::format("is {}; expected {}", TypeName(*table_.get(key)), expected));
}

void TomlTable::Fail(std::string_view key, std::string_view message) const {
  const toml::node* node = table_.get(key);
  const auto line = (node != nullptr ? *node : table_).source().begin.line;
  const std::string name = fmt::format("{}{}{}", name_, name_.empty() || key.empty() ? "" : ".", key);
  throw Error(fmt::format("{}:{}: {}: {}", file_, line, name, message));
}

toml::table ParseToml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

}  // namespace calfvo
