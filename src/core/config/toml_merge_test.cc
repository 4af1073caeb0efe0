// SPDX-License-Identifier: Apache-2.0
#include "core/config/toml_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"
#include "core/config/toml_reader.h"

namespace calfvo {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(TomlMerge, NearerFilesWinKeyByKey) {
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "base.toml", "a = 1\n[t]\nb = 2\nc = 3\n[u]\nd = 4\n");
  WriteFileAtomically(folder.path() / "middle.toml", "extends = \"base.toml\"\n[t]\nc = 30\n");
  WriteFileAtomically(folder.path() / "top.toml", "extends = \"middle.toml\"\na = 10\n[t]\ne = \"x\"\n");
  const toml::table merged = ReadTomlChain(folder.path() / "top.toml");
  EXPECT_EQ(merged, toml::parse("a = 10\n[t]\nb = 2\nc = 30\ne = 'x'\n[u]\nd = 4\n"));
}

TEST(TomlMerge, NodesRememberTheirFile) {
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "base.toml", "[t]\n\nb = 2\n");
  WriteFileAtomically(folder.path() / "top.toml", "extends = \"base.toml\"\n[t]\nc = 3\n");
  const toml::table merged = ReadTomlChain(folder.path() / "top.toml");
  TomlTable table(*merged["t"].as_table(), "", "t");
  EXPECT_THAT(ErrorFrom([&] { table.Text("b"); }), HasSubstr("base.toml:3: t.b: is a whole number"));
  EXPECT_THAT(ErrorFrom([&] { table.Text("c"); }), HasSubstr("top.toml:3: t.c: is a whole number"));
}

TEST(TomlMerge, RefusesCirclesAndMissingFiles) {
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "a.toml", "extends = \"b.toml\"\n");
  WriteFileAtomically(folder.path() / "b.toml", "extends = \"a.toml\"\n");
  WriteFileAtomically(folder.path() / "c.toml", "extends = \"none.toml\"\n");
  EXPECT_THAT(ErrorFrom([&] { ReadTomlChain(folder.path() / "a.toml"); }), HasSubstr("files, or a circle"));
  EXPECT_THAT(ErrorFrom([&] { ReadTomlChain(folder.path() / "c.toml"); }),
              EndsWith("none.toml: cannot open the configuration"));
}

TEST(ParseAssignment, RefusesKeysOfVeryManyParts) {
  EXPECT_THAT(ErrorFrom([] { ParseAssignment(std::string(100'000, '.') + "=1"); }),
              HasSubstr("more than 500 dots"));
}

TEST(ParseAssignment, TakesTomlOrABareWord) {
  EXPECT_EQ(ParseAssignment("loop.batch=8"), toml::parse("[loop]\nbatch = 8"));
  EXPECT_EQ(ParseAssignment("a.b.c=[1, 2]"), toml::parse("a.b.c = [1, 2]"));
  EXPECT_EQ(ParseAssignment("model.name=calfvo-s"), toml::parse("model.name = 'calfvo-s'"));
  EXPECT_EQ(ParseAssignment("init=runs/a=b/model.safetensors"),
            toml::parse("init = 'runs/a=b/model.safetensors'"));
  EXPECT_EQ(ErrorFrom([] { ParseAssignment("batch"); }), "'batch' is not of the form table.key=value");
  EXPECT_EQ(ErrorFrom([] { ParseAssignment("=1"); }), "'=1' is not of the form table.key=value");
  EXPECT_THAT(ErrorFrom([] { ParseAssignment("a b=1"); }), HasSubstr("a b=1:1: "));
}

}  // namespace
}  // namespace calfvo
