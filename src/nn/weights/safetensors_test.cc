// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/testing.h"
#include "nn/weights/safetensors_writer.h"
#include "nn/weights/test_files.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor Counting(const Shape& shape, float first) {
  Tensor tensor(DType::kF32, shape);
  const auto data = tensor.MutableData<float>();
  std::iota(data.begin(), data.end(), first);
  return tensor;
}

TEST(Safetensors, RoundTripKeepsEverything) {
  const TempFolder folder;
  const std::string path = (folder.path() / "m.safetensors").string();
  const Tensor a = Counting({2, 3}, 0.5);
  const Tensor half = ConvertTo(DType::kBF16, Counting({5}, -2).view());
  const Tensor scalar = Counting({}, std::nanf(""));
  const Tensor empty = Counting({0, 4}, 0);
  const Tensor flag(DType::kBool, {3});
  const Tensor large(DType::kI64, {1});
  const std::vector<NamedTensor> tensors = {{"flag", flag.view()},        {"b.half", half.view()},
                                            {"a \"quoted\"\n", a.view()}, {"scalar", scalar.view()},
                                            {"empty", empty.view()},      {"large", large.view()}};
  const std::map<std::string, std::string> metadata = {{"config", "{\"k\":8}"}, {"näme", "Ω"}};
  WriteSafetensors(path, tensors, metadata);

  const auto read = OpenWeights(path);
  EXPECT_EQ(read->file_name(), path);
  EXPECT_EQ(read->metadata(), metadata);
  EXPECT_THAT(read->names(), ElementsAre("large", "a \"quoted\"\n", "empty", "scalar", "b.half", "flag"));
  for (const NamedTensor& tensor : tensors) {
    const TensorView& view = read->Get(tensor.name);
    EXPECT_EQ(view.dtype(), tensor.view.dtype());
    EXPECT_EQ(view.shape(), tensor.view.shape());
    EXPECT_TRUE(std::ranges::equal(view.bytes(), tensor.view.bytes())) << tensor.name;
  }
  EXPECT_EQ(SafetensorsFile(MappedFile(path)).copied_count(), 0U);
  EXPECT_EQ(read->Find("missing"), nullptr);
  EXPECT_EQ(ErrorFrom([&] { read->Get("missing"); }), path + ": no tensor 'missing'");
}

TEST(Safetensors, BytesAreDeterministicAndTheDataIsAligned) {
  const TempFolder folder;
  const Tensor a = Counting({3}, 0);
  const Tensor b = Counting({5}, 10);
  WriteSafetensors(folder.path() / "1", std::vector<NamedTensor>{{"a", a.view()}, {"b", b.view()}}, {});
  WriteSafetensors(folder.path() / "2", std::vector<NamedTensor>{{"b", b.view()}, {"a", a.view()}}, {});
  const std::string bytes = ReadWholeFile(folder.path() / "1");
  EXPECT_EQ(bytes, ReadWholeFile(folder.path() / "2"));
  EXPECT_EQ(bytes.size() % 64, 32U);  // eight floats after a multiple of 64
  EXPECT_THAT(bytes.substr(8),
              testing::StartsWith(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"b":{)"));
}

TEST(Safetensors, AnEmptyFileOfTensorsIsSound) {
  const TempFolder folder;
  WriteSafetensors(folder.path() / "m", {}, {});
  EXPECT_TRUE(OpenWeights(folder.path() / "m")->names().empty());
}

TEST(Safetensors, UnalignedTensorsAreCopied) {
  std::string file = TestSafetensors(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                     R"("y":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}})",
                                     9);
  const float values[2] = {1.5, -2};
  std::memcpy(file.data() + file.size() - 8, values, 8);
  const std::string shifted = " " + file;
  for (const std::string_view text : {std::string_view(file), std::string_view(shifted).substr(1)}) {
    const SafetensorsFile read(AsBytes(text), "file");
    EXPECT_THAT(read.Get("y").Data<float>(), ElementsAre(1.5, -2));
    EXPECT_LE(read.copied_count(), 1U);
  }
}

TEST(Safetensors, ReaderTakesAnyOrderAndPaddedHeaders) {
  const std::string file =
      TestSafetensors(R"({"second":{"data_offsets":[4,8],"shape":[1],"dtype":"F32"},)"
                      R"("none":{"dtype":"F8_E4M3","shape":[0],"data_offsets":[4,4]},)"
                      R"("first":{"dtype":"I32","shape":[],"data_offsets":[0,4]}}      )",
                      8);
  const SafetensorsFile read(AsBytes(file), "file");
  EXPECT_THAT(read.names(), ElementsAre("second", "none", "first"));
}

TEST(SafetensorsWriter, MisuseIsAnErrorAndLeavesNoFile) {
  const TempFolder folder;
  const auto path = folder.path() / "m";
  const Tensor a = Counting({3}, 0);
  const auto write = [&](std::vector<SafetensorsWriter::Entry> entries, int appended) {
    return ErrorFrom([&] {
      SafetensorsWriter writer(path, std::move(entries), {{"ok", "ok"}});
      for (int i = 0; i < appended; ++i) writer.Append(a.view());
      writer.Commit();
    });
  };
  EXPECT_THAT(write({{"a", DType::kF32, {3}}}, 0), HasSubstr("tensor 'a' was announced but not written"));
  EXPECT_THAT(write({{"a", DType::kF32, {3}}}, 2), HasSubstr("all 1 tensors are written already"));
  EXPECT_THAT(write({{"a", DType::kF32, {4}}}, 1), HasSubstr("tensor 'a' is F32 [3]; F32 [4] was announced"));
  EXPECT_THAT(write({{"a", DType::kF32, {3}}, {"a", DType::kF32, {3}}}, 2),
              HasSubstr("two tensors named 'a'"));
  EXPECT_THAT(write({{"__metadata__", DType::kF32, {3}}}, 1), HasSubstr("a reserved name"));
  EXPECT_THAT(write({{"\xff", DType::kF32, {3}}}, 1), HasSubstr("cannot write '\\xff', which is not UTF-8"));
  EXPECT_EQ(folder.FileCount(), 0);
  EXPECT_EQ(write({{"a", DType::kF32, {3}}}, 1), "no error");
}

TEST(OpenWeights, NamesCommonMistakes) {
  const TempFolder folder;
  const auto path = folder.path() / "m";
  const auto open = [&](std::string_view content) {
    WriteFileAtomically(path, content);
    return ErrorFrom([&] { OpenWeights(path); });
  };
  EXPECT_THAT(open(""), HasSubstr("the file is empty"));
  EXPECT_THAT(open("hello, world"), HasSubstr("expected a safetensors or a PyTorch file"));
  EXPECT_THAT(open("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("git lfs pull"));
  EXPECT_THAT(open("<!DOCTYPE html><html>"), HasSubstr("this is a web page"));
  EXPECT_THAT(open("\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."), HasSubstr("re-save it with torch.save"));
  EXPECT_THAT(open("PK\x03\x04"), HasSubstr("zip: no end record"));
  EXPECT_THAT(ErrorFrom([&] { OpenWeights(folder.path()); }), HasSubstr("is a folder"));
  EXPECT_THAT(ErrorFrom([&] { OpenWeights(folder.path() / "none"); }), HasSubstr("No such file"));
  EXPECT_THAT(ErrorFrom([&] { OpenWeights("/dev/null"); }), HasSubstr("a regular file was expected"));
}

TEST(OpenWeights, ASparseFileOfAnySizeIsOnlyMapped) {
  const TempFolder folder;
  const auto path = folder.path() / "m";
  WriteFileAtomically(path, TestSafetensors("{}", 0));
  std::filesystem::resize_file(path, uint64_t{1} << 40);
  EXPECT_THAT(ErrorFrom([&] { OpenWeights(path); }), HasSubstr("but 1099511627766 follow the header"));
}

}  // namespace
}  // namespace calfvo
