// SPDX-License-Identifier: Apache-2.0
#include "backend/backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cuda/cuda_backend.h"
#include "base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(Backends, AutoIsTheFirstThatIsNotRef) {
  const BackendKind chosen = ChooseBackend("auto", "auto");
  EXPECT_EQ(chosen.name, AvailableBackends().front().name);
  EXPECT_EQ(chosen.precision, AvailableBackends().front().precision);
  EXPECT_EQ(ChooseBackend("ref", "auto").name, "ref");
  EXPECT_EQ(ChooseBackend("auto", "f32").precision, Precision::kF32);
}

TEST(Backends, WhatIsMissingIsSaidWithWhatThereIs) {
  const std::string message = ErrorFrom([] { ChooseBackend("abacus", "auto"); });
  EXPECT_THAT(message, HasSubstr("no backend 'abacus' with precision 'auto'"));
  EXPECT_THAT(message, HasSubstr("ref f32"));
  EXPECT_THAT(ErrorFrom([] { ChooseBackend("cpu", "fp8"); }), HasSubstr("cpu f32"));
}

TEST(Backends, AGpuThatCannotBeUsedIsExplainedAndNeverChosen) {
  const std::string problem = CudaProblem();
  if (problem.empty()) GTEST_SKIP() << "it can be used here";
  EXPECT_THAT(ErrorFrom([] { ChooseBackend("cuda", "auto"); }), HasSubstr("cuda: " + problem));
  EXPECT_THAT(ErrorFrom([] { MakeCudaBackend(false); }), HasSubstr(problem));
  for (const BackendKind& kind : AvailableBackends()) EXPECT_NE(kind.name, "cuda");
  // Somebody who built without it need not hear of it at every run.
  EXPECT_EQ(BackendWarning().empty(), !CudaWasBuilt());
}

}  // namespace
}  // namespace calfvo
