// SPDX-License-Identifier: Apache-2.0
// Every set of kernels that this CPU runs, and that for AMX with emulated tiles, against `ref`, operation by
// operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/tested_kernels.h"
#include "backend/op_cases.h"
#include "backend/ref/ref_backend.h"

namespace calfvo {
namespace {

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, KernelsAgreeWithRefForAnyNumberOfThreads) {
  const auto ref = MakeRefBackend(2);
  for (const OpCase& op : OpCases(GetParam())) {
    const auto oracle = op.prepare(*ref);
    oracle->Run();
    const std::vector<float> expected = oracle->Output();
    for (const CpuKernels* kernels : TestedKernels()) {
      std::vector<float> first;
      for (const int threads : {1, 2, 5}) {
        const auto backend = MakeCpuBackend(*kernels, threads);
        const auto prepared = op.prepare(*backend);
        prepared->Run();
        const std::vector<float> ours = prepared->Output();
        EXPECT_LE(RelativeError(ours, expected), kernels->bf16 ? op.bound_bf16 : op.bound_f32)
            << op.name << " on " << backend->Description();
        if (first.empty()) first = ours;
        EXPECT_EQ(std::memcmp(ours.data(), first.data(), ours.size() * sizeof(float)), 0)
            << op.name << " differs with " << threads << " threads on " << backend->Description();
      }
    }
  }
}

// However a backend keeps matrices with one reader.
TEST(Readers, ChangeNoBits) {
  const std::vector<OpCase> cases = OpCases("odd");
  int compared = 0;
  for (const OpCase& op : cases) {
    const size_t comma = op.name.find(',');
    if (comma == std::string::npos) continue;
    const auto plain = std::find_if(cases.begin(), cases.end(), [&](const OpCase& other) {
      return other.name == op.name.substr(0, comma);
    });
    ASSERT_NE(plain, cases.end()) << op.name;
    for (const CpuKernels* kernels : TestedKernels()) {
      const auto backend = MakeCpuBackend(*kernels, 2);
      const auto ours = op.prepare(*backend);
      const auto expected = plain->prepare(*backend);
      ours->Run();
      expected->Run();
      EXPECT_EQ(ours->Output(), expected->Output()) << op.name << " on " << backend->Description();
      ++compared;
    }
  }
  EXPECT_GE(compared, 40);
}

std::vector<std::string> TestedScales() {
  std::vector<std::string> scales = {"odd", "calfvo-s"};
#ifndef CALFVO_SANITIZED  // sanitizers take minutes for it
  scales.emplace_back("calfvo-l");
#endif
  return scales;
}

INSTANTIATE_TEST_SUITE_P(Ops, Conformance, testing::ValuesIn(TestedScales()), [](const auto& test) {
  return test.param == "odd" ? "odd" : test.param == "calfvo-s" ? "small" : "large";
});

}  // namespace
}  // namespace calfvo
