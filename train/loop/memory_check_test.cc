// SPDX-License-Identifier: Apache-2.0
#include "loop/memory_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"

namespace calfvo::train {
namespace {

using testing::HasSubstr;

TEST(MemoryCheck, CountsWhatIsKeptPerParameter) {
  TrainOptions options;
  options.model = NamedConfig("calfvo-l");
  constexpr int64_t kEncoder = 303'098'880;
  const int64_t all = ParameterCount(ModelTensors(options.model));
  EXPECT_EQ(LeastMemory(options, /*on_host=*/true), 20 * all);
  EXPECT_EQ(LeastMemory(options, /*on_host=*/false), 4 * all);
  options.loop.freeze_encoder = true;
  EXPECT_EQ(LeastMemory(options, /*on_host=*/true), 20 * all - 16 * kEncoder);
}

TEST(MemoryCheck, RefusesWhatDoesNotFit) {
  TrainOptions options;
  options.model = NamedConfig("calfvo-l");
  CheckMemory(options, true, LeastMemory(options, true));
  EXPECT_THAT(ErrorFrom([&] { CheckMemory(options, true, 8'000'000'000); }),
              HasSubstr("GB or more to train, but this machine has 8.0 GB of memory; make dim"));
  EXPECT_GT(MachineMemory(), int64_t{100} << 20);
}

}  // namespace
}  // namespace calfvo::train
