// SPDX-License-Identifier: Apache-2.0
#include "core/base/owned_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/temporary_error.h"
#include "core/base/testing.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OwnedFilesTest : public testing::Test {
 protected:
  fs::path At(const std::string& name) const { return out_ / name; }
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories(out_);
    std::ofstream(At(name)) << text;
  }
  void WriteAsCalfvo(const std::string& name, const std::string& text) const {
    const OwnedFiles files(out_, {name});
    WriteFileAtomically(At(name), text);
    files.Finish();
  }
  std::string Refusal(const std::vector<std::string>& names) const {
    return ErrorFrom([&] { CheckOwnedFiles(out_, names); });
  }
  nlohmann::json List() const { return nlohmann::json::parse(ReadWholeFile(At("calfvo-files.json"))); }

  const TempFolder folder_;
  const fs::path out_ = folder_.path() / "out";
};

TEST_F(OwnedFilesTest, OwnFilesAreReplaced) {
  EXPECT_EQ(Refusal({"a.png", "b.png"}), "no error");
  EXPECT_FALSE(fs::exists(out_));
  WriteAsCalfvo("a.png", "one");
  WriteAsCalfvo("b.png", "two");
  WriteAsCalfvo("a.png", "abc");
  EXPECT_EQ(Refusal({"a.png", "b.png", "c.png"}), "no error");
  EXPECT_EQ(List()["files"].size(), 2U);
  EXPECT_EQ(List()["files"]["a.png"]["bytes"], 3);
  EXPECT_EQ(List()["files"]["a.png"]["sha256"],  // of FIPS 180-4
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(OwnedFilesTest, FilesOfOthersAreNot) {
  Write("b.png", "mine");
  const std::string message =
      At("b.png").string() +
      ": already exists, and calfvo-files.json does not list it as written by calfvo; move it away or choose "
      "another folder";
  EXPECT_EQ(Refusal({"a.png", "b.png"}), message);
  EXPECT_EQ(ErrorFrom([&] { OwnedFiles(out_, {"a.png", "b.png"}); }), message);
  EXPECT_FALSE(fs::exists(At("calfvo-files.json")));
  EXPECT_EQ(Refusal({"a.png"}), "no error");
}

TEST_F(OwnedFilesTest, EditedFilesAreNot) {
  WriteAsCalfvo("a.png", "one");
  const auto changed = HasSubstr("a.png: has changed since calfvo wrote it; move it away");
  Write("a.png", "own");  // as long
  EXPECT_THAT(Refusal({"a.png"}), changed);
  fs::remove(At("a.png"));
  EXPECT_EQ(Refusal({"a.png"}), "no error");
  Write("target", "one");
  fs::create_symlink("target", At("a.png"));
  EXPECT_THAT(Refusal({"a.png"}), changed);
  fs::remove(At("a.png"));
  fs::create_directory(At("a.png"));
  EXPECT_THAT(Refusal({"a.png"}), changed);
}

TEST_F(OwnedFilesTest, DanglingLinksAreFiles) {
  fs::create_directories(out_);
  fs::create_symlink("nowhere", At("a.png"));
  EXPECT_THAT(Refusal({"a.png"}), HasSubstr("a.png: already exists"));
}

// A kill between listing and recording.
TEST_F(OwnedFilesTest, WhatWasBegunMayBeReplaced) {
  {
    const OwnedFiles files(out_, {"a.png", "b.png"});
    WriteFileAtomically(At("a.png"), "one");
  }
  EXPECT_TRUE(List()["files"]["a.png"].is_null());
  EXPECT_EQ(Refusal({"a.png", "b.png"}), "no error");
  WriteAsCalfvo("a.png", "two");
  EXPECT_EQ(List()["files"]["a.png"]["bytes"], 3);
  EXPECT_TRUE(List()["files"]["b.png"].is_null());
  const OwnedFiles files(out_, {"b.png"});
  files.Finish();  // it was not written
  EXPECT_FALSE(List()["files"].contains("b.png"));
}

TEST_F(OwnedFilesTest, OneProcessAtATime) {
  const OwnedFiles files(out_, {"a.png"});
  EXPECT_THROW(OwnedFiles(out_, {"b.png"}), TemporaryError);
}

TEST_F(OwnedFilesTest, DamagedListsAreErrors) {
  const std::string deep = R"({"a": )" + std::string(20, '[') + std::string(20, ']') + R"(, "files": {}})";
  const std::pair<std::string, std::string> damages[] = {
      {"", "is not a valid list"},
      {"no JSON", "is not a valid list"},
      {"[1]", "is not a valid list"},
      {R"({"files": [1]})", "is not a valid list"},
      {R"({"files": {"a.png": 1}})", "is not a valid list"},
      {R"({"files": {"a.png": {"bytes": -1, "sha256": ""}}})", "is not a valid list"},
      {R"({"files": {"a.png": {"bytes": 1, "sha256": 2}}})", "is not a valid list"},
      {deep, "is nested over 16 deep"},
      {'"' + std::string(16 << 20, 'x') + '"', "has over 16 MiB"}};
  for (const auto& [text, what] : damages) {
    Write("calfvo-files.json", text);
    EXPECT_EQ(Refusal({"a.png"}), At("calfvo-files.json").string() + ": " + what +
                                      "; expected the list of the files that calfvo wrote; move it away or "
                                      "choose another folder");
    EXPECT_EQ(ReadWholeFile(At("calfvo-files.json")), text);
  }
  fs::remove(At("calfvo-files.json"));
  Write("list", R"({"files": {}})");
  fs::create_symlink("list", At("calfvo-files.json"));
  EXPECT_THAT(Refusal({"a.png"}), HasSubstr("is not a valid list"));
}

}  // namespace
}  // namespace calfvo
