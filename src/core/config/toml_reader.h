// SPDX-License-Identifier: Apache-2.0
// A TOML table read strictly: what is asked for must have the right type, what is not asked for is refused.
// Messages name the file, the line, the table and the key.
#pragma once

#include <toml++/toml.h>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace calfvo {

// Borrows the parsed table. Each reading function looks a key up and gives nothing when it is missing.
class TomlTable {
 public:
  // `name` is the table's name, empty for the top of the file.
  TomlTable(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  std::optional<double> Number(std::string_view key);
  std::optional<int64_t> Integer(std::string_view key);
  std::optional<bool> Boolean(std::string_view key);
  std::optional<std::string> Text(std::string_view key);
  std::optional<TomlTable> Table(std::string_view key);
  // A number or a string, as text.
  std::optional<std::string> NumberOrText(std::string_view key);
  // `count` numbers, or none where the key is missing.
  std::vector<double> Numbers(std::string_view key, size_t count);
  // Any number of texts; none where the key is missing.
  std::vector<std::string> Texts(std::string_view key);
  // The tables of an array of tables, [[key]]; none where the key is missing.
  std::vector<TomlTable> Tables(std::string_view key);
  // One of the names, as the value that stands beside it: a range of {value, name}.
  template <typename Names>
  auto Choice(std::string_view key, const Names& names) {
    std::optional<std::decay_t<decltype(std::begin(names)->value)>> chosen;
    const auto text = Text(key);
    if (!text) return chosen;
    std::string known;
    for (const auto& [value, name] : names) {
      if (*text == name) chosen = value;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    if (!chosen) Fail(key, "is '" + *text + "'; expected one of " + known);
    return chosen;
  }

  // Throws unless every key of the table has been asked for. The message suggests the key that was meant.
  void RefuseUnknown() const;

  // Throws Error about a key; about the table itself when the key is empty or missing. The file is the one
  // that the node was read from.
  [[noreturn]] void Fail(std::string_view key, std::string_view message) const;

 private:
  const toml::node* Find(std::string_view key);
  [[noreturn]] void FailType(std::string_view key, std::string_view expected) const;

  const toml::table& table_;
  std::string file_;
  std::string name_;
  std::set<std::string, std::less<>> asked_;
};

// Parses the text of a file; throws Error with file and line.
toml::table ParseToml(std::string_view text, const std::string& file);

}  // namespace calfvo
