// SPDX-License-Identifier: Apache-2.0
#include "core/config/toml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/base/testing.h"
#include "core/config/option_reader.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Named {
  int value;
  const char* name;
};
constexpr Named kNames[] = {{1, "one"}, {2, "two"}};

TEST(TomlTable, ReadsListsTablesAndChoices) {
  const toml::table parsed =
      ParseToml("list = [1, 2.5]\nname = \"two\"\n[[item]]\na = 1\n[[item]]\n", "x.toml");
  TomlTable table(parsed, "x.toml", "");
  EXPECT_THAT(table.Numbers("list", 2), ElementsAre(1.0, 2.5));
  EXPECT_EQ(table.Choice("name", kNames), 2);
  EXPECT_EQ(table.Choice("none", kNames), std::nullopt);
  auto items = table.Tables("item");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].Integer("a"), 1);
  EXPECT_EQ(items[1].Integer("a"), std::nullopt);
  table.RefuseUnknown();
}

TEST(TomlTable, NamesWhatIsWrongAndWhere) {
  const toml::table parsed =
      ParseToml("list = [1, \"b\"]\nname = \"tow\"\n[[item]]\nspeeed = 1\n[[item]]\nx = 1\n", "x.toml");
  TomlTable table(parsed, "x.toml", "");
  EXPECT_EQ(ErrorFrom([&] { table.Numbers("list", 2); }), "x.toml:1: list: expected a list of 2 numbers");
  EXPECT_EQ(ErrorFrom([&] { table.Numbers("name", 2); }),
            "x.toml:2: name: is a string; expected a list of 2 numbers");
  EXPECT_EQ(ErrorFrom([&] { table.Choice("name", kNames); }),
            "x.toml:2: name: is 'tow'; expected one of one, two");
  EXPECT_THAT(ErrorFrom([&] { table.Tables("list"); }),
              HasSubstr("x.toml:1: list: is an array; expected tables"));
  auto items = table.Tables("item");
  items[0].Number("speed");
  EXPECT_EQ(ErrorFrom([&] { items[0].RefuseUnknown(); }),
            "x.toml:4: item[0].speeed: unknown key; did you mean 'speed'? known are speed");
  items[1].Number("speed");
  EXPECT_EQ(ErrorFrom([&] { items[1].RefuseUnknown(); }),
            "x.toml:6: item[1].x: unknown key; known are speed");
  EXPECT_EQ(ErrorFrom([&] { table.Fail("", "has no item"); }), "x.toml:1: has no item");
}

// Tables in tables are destroyed by recursion.
TEST(ParseToml, RefusesKeysOfVeryManyParts) {
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";
  EXPECT_EQ(ErrorFrom([&] { ParseToml("b = 1\n" + key + " = 1\n", "x.toml"); }),
            "x.toml:2: a line with more than 500 dots; is this TOML?");
  EXPECT_THAT(ErrorFrom([&] { ParseToml("[" + key + "]\n", "x.toml"); }), HasSubstr("x.toml:1: a line"));
}

TEST(ReadOption, WholeNumbersStayWhole) {
  const toml::table parsed = ParseToml("a = [1, 2]\nb = [1, 2.5]\nc = 99999999999\n", "x.toml");
  TomlTable table(parsed, "x.toml", "");
  std::array<int, 2> values = {};
  ReadOption(table, "a", values);
  EXPECT_THAT(values, ElementsAre(1, 2));
  EXPECT_EQ(ErrorFrom([&] { ReadOption(table, "b", values); }), "x.toml:2: b: expected whole numbers");
  int value = 0;
  EXPECT_EQ(ErrorFrom([&] { ReadOption(table, "c", value); }),
            "x.toml:3: c: is 99999999999; expected -2147483647 to 2147483647");
}

}  // namespace
}  // namespace calfvo
