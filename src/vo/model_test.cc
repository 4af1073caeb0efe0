// SPDX-License-Identifier: Apache-2.0
#include "calfvo/model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(Model, NamesTheOptionThatIsWrong) {
  for (const int threads : {-1, 1025, 40000}) {
    EXPECT_EQ(ErrorFrom([&] { Model({.threads = threads}); }),
              fmt::format("threads is {}; expected 1 to 1024, or 0 for one per core", threads));
  }
  EXPECT_THAT(ErrorFrom([] { ModelOptions{.name = ""}.Validate(); }), HasSubstr("name is empty"));
  EXPECT_THAT(ErrorFrom([] { ModelOptions{.backend = static_cast<BackendType>(9)}.Validate(); }),
              HasSubstr("backend is 9"));
  EXPECT_THAT(ErrorFrom([] { ModelOptions{.precision = static_cast<PrecisionType>(9)}.Validate(); }),
              HasSubstr("precision is 9"));
  EXPECT_THAT(ErrorFrom([] { Model({.name = "no-such-model"}); }), HasSubstr("no model 'no-such-model'"));
  EXPECT_THAT(
      ErrorFrom([] { Model({.backend = BackendType::kReference, .precision = PrecisionType::kFp8}); }),
      HasSubstr("no backend 'ref' with precision 'fp8'"));
}

TEST(Model, EnumsHaveNames) {
  for (const char* name : {"auto", "cpu", "cuda", "ref"}) {
    EXPECT_EQ(BackendTypeName(BackendTypeFromName(name)), name);
  }
  for (const char* name : {"auto", "f32", "bf16", "fp8", "int8"}) {
    EXPECT_EQ(PrecisionTypeName(PrecisionTypeFromName(name)), name);
  }
  EXPECT_EQ(ErrorFrom([] { BackendTypeFromName("gpu"); }),
            "unknown backend 'gpu'; expected one of auto, cpu, cuda, ref");
  EXPECT_EQ(ErrorFrom([] { PrecisionTypeFromName("f64"); }),
            "unknown precision 'f64'; expected one of auto, f32, bf16, fp8, int8");
}

TEST(Model, DescribesItself) {
  const Model model({.backend = BackendType::kCpu, .precision = PrecisionType::kF32, .threads = 2});
  EXPECT_EQ(model.name(), "calfvo-s");
  EXPECT_EQ(model.window_frames(), 8);
  EXPECT_TRUE(model.has_confidence());
  EXPECT_THAT(model.backend(), testing::MatchesRegex("cpu f32 \\(.*\\), 2 threads"));
  EXPECT_EQ(Model({.name = "random:calfvo-s:3", .backend = BackendType::kReference}).backend(), "ref f32");
}

}  // namespace
}  // namespace calfvo
