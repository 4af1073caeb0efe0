// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/backends.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "nn/backend/cuda/cuda_backend.h"

namespace calfvo {
namespace {

using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Ne;
using testing::Optional;
using testing::StartsWith;

constexpr BackendKind kRef{"ref", Precision::kF32};
constexpr BackendKind kCpuF32{"cpu", Precision::kF32};
constexpr BackendKind kCpuBF16{"cpu", Precision::kBF16};

std::string NameOf(const BackendKind& kind) {
  return fmt::format("{} {}", kind.name, PrecisionName(kind.precision));
}

TEST(Backends, AutoIsTheFirstThatIsNotRef) {
  const std::vector<BackendKind> kinds = {kRef, kCpuBF16, kCpuF32};
  EXPECT_THAT(FirstMatch(kinds, "auto", "auto"), Optional(kCpuBF16));
  EXPECT_THAT(FirstMatch(kinds, "auto", "f32"), Optional(kCpuF32));
  EXPECT_THAT(FirstMatch(kinds, "ref", "auto"), Optional(kRef));
  EXPECT_EQ(FirstMatch(std::vector{kRef}, "auto", "auto"), std::nullopt);
}

TEST(Backends, NameAndPrecisionMustBothMatch) {
  const std::vector<BackendKind> kinds = {kCpuBF16, kCpuF32, kRef};
  EXPECT_THAT(FirstMatch(kinds, "cpu", "f32"), Optional(kCpuF32));
  EXPECT_EQ(FirstMatch(kinds, "ref", "bf16"), std::nullopt);
  EXPECT_EQ(FirstMatch(kinds, "cuda", "auto"), std::nullopt);
}

TEST(Backends, EveryMachineHasRefAndCpuInF32) {
  EXPECT_THAT(AvailableBackends(), Contains(kRef));
  EXPECT_THAT(AvailableBackends(), Contains(kCpuF32));
  EXPECT_EQ(ChooseBackend("ref", "auto"), kRef);
  EXPECT_EQ(ChooseBackend("cpu", "f32"), kCpuF32);
}

TEST(Backends, AvailableOnesAreChosenByNameAndMade) {
  for (const BackendKind& kind : AvailableBackends()) {
    EXPECT_EQ(ChooseBackend(kind.name, PrecisionName(kind.precision)), kind);
    EXPECT_THAT(MakeBackend(kind, 1)->Description(), StartsWith(NameOf(kind)));
  }
}

TEST(Backends, AnUnknownOneIsAnErrorThatListsAllAvailable) {
  const std::string message = ErrorFrom([] { ChooseBackend("abacus", "auto"); });
  EXPECT_THAT(message, HasSubstr("no backend 'abacus'; this machine has "));
  for (const BackendKind& kind : AvailableBackends()) EXPECT_THAT(message, HasSubstr(NameOf(kind)));
  EXPECT_THAT(ErrorFrom([] { ChooseBackend("cpu", "fp8"); }),
              HasSubstr("no backend 'cpu' with precision 'fp8'"));
}

TEST(Backends, AGpuThatCannotBeUsedIsExplainedAndNeverChosen) {
  const std::string problem = CudaProblem();
  if (problem.empty()) GTEST_SKIP() << "this machine has a usable GPU";
  EXPECT_THAT(ErrorFrom([] { ChooseBackend("cuda", "auto"); }), HasSubstr("cuda: " + problem));
  EXPECT_THAT(ErrorFrom([] { MakeCudaBackend(false); }), HasSubstr(problem));
  EXPECT_THAT(AvailableBackends(), Each(Field(&BackendKind::name, Ne("cuda"))));
  EXPECT_EQ(ChooseBackend("auto", "auto").name, "cpu");
}

TEST(Backends, WarnOfAnUnusableGpuOnlyIfBuiltForIt) {
  const std::string problem = CudaProblem();
  EXPECT_EQ(BackendWarning(),
            CudaWasBuilt() && !problem.empty() ? "the GPU is not used: " + problem : std::string());
}

}  // namespace
}  // namespace calfvo
