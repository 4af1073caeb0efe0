// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/pth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/base/testing.h"
#include "nn/weights/test_files.h"

namespace calfvo {
namespace {

using pickled::Dict;
using pickled::Global;
using pickled::Int;
using pickled::Ints;
using pickled::TensorText;
using pickled::Text;
using pickled::Whole;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// The files of tests/make_pth.py, made once.
class SyntheticPth : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const std::string command =
        "/usr/bin/python3 " CALFVO_SOURCE_FOLDER "/tests/make_pth.py " + folder_->path().string() + " 2>&1";
    have_files_ = std::system("/usr/bin/python3 -c '' 2>/dev/null") == 0;
    if (have_files_) {
      ASSERT_EQ(std::system(command.c_str()), 0);
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    if (!have_files_) GTEST_SKIP() << "needs /usr/bin/python3";
  }

  static std::filesystem::path Path(const std::string& name) { return folder_->path() / (name + ".pth"); }

  // Compares names, types, shapes and every value with what the script wrote.
  static void ExpectAsWritten(const std::string& name) {
    const auto source = OpenWeights(Path(name));
    std::ifstream list(folder_->path() / (name + ".txt"));
    std::string line;
    size_t count = 0;
    for (; std::getline(list, line); ++count) {
      std::istringstream fields(line);
      std::string index, tensor_name, dtype, sizes_text, size;
      std::getline(fields, index, '\t');
      std::getline(fields, tensor_name, '\t');
      std::getline(fields, dtype, '\t');
      std::getline(fields, sizes_text, '\t');
      std::istringstream sizes_fields(sizes_text);
      std::vector<int64_t> sizes;
      while (std::getline(sizes_fields, size, ',')) sizes.push_back(std::stoll(size));
      ASSERT_LT(count, source->names().size());
      EXPECT_EQ(source->names()[count], tensor_name);
      const TensorView& view = source->Get(tensor_name);
      EXPECT_EQ(DTypeName(view.dtype()), dtype);
      EXPECT_EQ(view.shape(), Shape(std::span<const int64_t>(sizes))) << tensor_name;
      const Tensor values = ToF32(view);
      for (size_t i = 0; i < values.Data<float>().size(); ++i) {
        const auto expected = static_cast<float>((31 * std::stoull(index) + 7 * i) % 251) - 125;
        ASSERT_EQ(values.Data<float>()[i], expected / 64) << tensor_name << " element " << i;
      }
    }
    EXPECT_EQ(count, source->names().size());
    EXPECT_GT(count, 0U);
  }

  static inline std::unique_ptr<TempFolder> folder_;
  static inline bool have_files_ = false;
};

TEST_F(SyntheticPth, EveryFileReadsAsWritten) {
  for (const char* name : {"dust3r", "croco", "dinov2", "dinov2_reg4", "dinov3", "many", "strided"}) {
    SCOPED_TRACE(name);
    ExpectAsWritten(name);
  }
}

TEST_F(SyntheticPth, OfficialNamesAreThere) {
  const auto dust3r = OpenWeights(Path("dust3r"));
  EXPECT_EQ(dust3r->Get("enc_blocks.1.attn.qkv.weight").shape(), Shape({24, 8}));
  EXPECT_EQ(dust3r->Get("patch_embed.proj.weight").shape(), Shape({8, 3, 16, 16}));
  const auto shared = {&dust3r->Get("downstream_head1.dpt.scratch.layer1_rn.weight"),
                       &dust3r->Get("downstream_head1.dpt.scratch.layer_rn.0.weight")};
  EXPECT_EQ((*shared.begin())->bytes().data(), (*(shared.end() - 1))->bytes().data());
  EXPECT_EQ(OpenWeights(Path("dinov2_reg4"))->Get("register_tokens").shape(), Shape({1, 4, 8}));
  EXPECT_EQ(OpenWeights(Path("dinov3"))->Get("blocks.0.attn.qkv.bias_mask").dtype(), DType::kBF16);
}

TEST_F(SyntheticPth, DescriptionsBecomeMetadata) {
  const auto dust3r = OpenWeights(Path("dust3r"));
  EXPECT_THAT(dust3r->metadata(), Contains(Pair("args.epochs", "90")));
  EXPECT_THAT(dust3r->metadata(), Contains(Pair("args.lr", "0.0001")));
  EXPECT_THAT(dust3r->metadata().at("args.model"), testing::StartsWith("AsymmetricCroCo3DStereo("));
  EXPECT_THAT(OpenWeights(Path("croco"))->metadata(), Contains(Pair("croco_kwargs.pos_embed", "RoPE100")));
  EXPECT_THAT(OpenWeights(Path("many"))->metadata(), Contains(Pair("epoch", "7")));
  EXPECT_TRUE(OpenWeights(Path("dinov2"))->metadata().empty());
}

TEST_F(SyntheticPth, OnlyStridedTensorsAreCopied) {
  EXPECT_EQ(PthFile(MappedFile(Path("dust3r"))).copied_count(), 0U);
  EXPECT_EQ(PthFile(MappedFile(Path("strided"))).copied_count(), 3U);
}

TEST(Pth, ChecksumsAreASetting) {
  const std::string good = TestPth(Whole(Dict({Text("w"), TensorText()})));
  std::string damaged = good;
  damaged[good.find(std::string(16, '\1'))] = '\2';
  EXPECT_EQ(PthFile(AsBytes(good), "file").names().size(), 1U);
  EXPECT_THAT(ErrorFrom([&] { PthFile(AsBytes(damaged), "file"); }),
              HasSubstr("entry 'archive/data/0' has checksum"));
  EXPECT_EQ(PthFile(AsBytes(damaged), "file", {.check_crc32 = false}).names().size(), 1U);
}

TEST(Pth, WideDirectoryFieldsAreRead) {
  const std::string file =
      TestZip({{.name = "a/data.pkl", .payload = Whole(Dict({Text("w"), TensorText()})), .wide = true},
               {.name = "a/data/0", .payload = std::string(16, '\0'), .wide = true}});
  EXPECT_THAT(PthFile(AsBytes(file), "file").Get("w").Data<float>(), ElementsAre(0, 0, 0, 0));
}

TEST(Pth, OtherValuesAreToleratedAndExplained) {
  TensorText quantised;
  quantised.storage_class = Global("torch", "QInt8Storage");
  TensorText sparse;
  sparse.function = Global("torch._utils", "_rebuild_sparse_tensor");
  const std::string file = TestPth(Whole(Dict({Text("w"), TensorText(), Text("version"), Int(3), Text("q"),
                                               quantised, Text("s"), sparse, Int(7), Int(8)})));
  const PthFile read(AsBytes(file), "m.pth");
  EXPECT_THAT(read.names(), ElementsAre("w"));
  EXPECT_EQ(ErrorFrom([&] { read.Get("version"); }), "m.pth: tensor 'version' is the number 3");
  EXPECT_EQ(ErrorFrom([&] { read.Get("q"); }),
            "m.pth: tensor 'q' has the storage class the name 'torch.QInt8Storage', which is not supported");
  EXPECT_EQ(ErrorFrom([&] { read.Get("s"); }),
            "m.pth: tensor 's' is an object of 'torch._utils._rebuild_sparse_tensor'");
  EXPECT_EQ(ErrorFrom([&] { read.Get("x"); }), "m.pth: no tensor 'x'");
}

TEST(Pth, UntypedStoragesCarryTheirDType) {
  const std::string storage = pickled::Tuple({Text("storage"), Global("torch.storage", "UntypedStorage"),
                                              Text("0"), Text("cpu"), Int(16)}) +
                              "Q";
  const std::string tensor = pickled::Call(Global("torch._utils", "_rebuild_tensor_v3"),
                                           pickled::Tuple({storage, Int(2), Ints({3, 2}), Ints({2, 1}),
                                                           "\x89", "N", Global("torch", "uint16"), "N"}));
  const std::string file = TestPth(Whole(Dict({Text("w"), tensor})));
  EXPECT_THAT(PthFile(AsBytes(file), "file").Get("w").Data<uint16_t>(),
              ElementsAre(257, 257, 257, 257, 257, 257));
}

TEST(Pth, Python2StringsAreTexts) {
  const std::string file = TestPth(Whole("}U\x01w" + std::string(TensorText()) + "sT" +
                                         LittleEndian<uint32_t>(1) + "v" + std::string(TensorText()) + "s"));
  EXPECT_THAT(PthFile(AsBytes(file), "file").names(), ElementsAre("w", "v"));
}

TEST(Pth, RepeatedElementsAreCopiedWithinLimits) {
  TensorText repeated;
  repeated.shape = Ints({3, 2});
  repeated.strides = Ints({0, 3});
  const std::string file = TestPth(Whole(Dict({Text("w"), repeated})));
  const PthFile read(AsBytes(file), "file");
  EXPECT_EQ(read.Get("w").Data<float>().size(), 6U);
  EXPECT_EQ(read.copied_count(), 1U);
}

}  // namespace
}  // namespace calfvo
