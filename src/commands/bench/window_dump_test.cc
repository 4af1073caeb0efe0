// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/window_dump.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/testing.h"
#include "vo/network_estimator.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

// The values are those of the images beside them, as odometry would get them.
TEST(WindowDump, HoldsImagesAndTheNetworksOutput) {
  const TempFolder folder;
  const ModelFile model = RandomModel(TinyConfig(), 3);
  NetworkEstimator estimator(model, {"ref", Precision::kF32}, 1);
  DumpWindow(estimator.network(), estimator.backend(), folder.path() / "window.safetensors");

  const auto file = OpenWeights(folder.path() / "window.safetensors");
  EXPECT_EQ(file->metadata().at("backend"), estimator.backend().Description());
  const TensorView& images = file->Get("images");
  const TensorView& values = file->Get("values");
  ASSERT_EQ(images.shape(), Shape({8, 3, 32, 32}));
  ASSERT_EQ(values.shape(), Shape({7, 14}));
  const auto pixels = images.Data<float>();
  const auto [least, most] = std::minmax_element(pixels.begin(), pixels.end());
  EXPECT_GE(*least, -1.0F);
  EXPECT_LT(*most, 1.0F);
  EXPECT_GT(*most - *least, 1.9F);

  estimator.Start(8);
  for (size_t i = 0; i < 8; ++i) estimator.AddFrames({{&pixels[i * estimator.input_size()]}});
  std::vector<PairEstimate> estimates(7);
  estimator.BeginEstimate({{0}});
  estimator.FinishEstimate(estimates);
  const std::vector<PairEstimate> dumped = estimator.network().Interpret(values.Data<float>());
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(estimates[i].first_from_second.translation, dumped[i].first_from_second.translation);
    EXPECT_EQ(estimates[i].u_translation, dumped[i].u_translation);
  }
}

}  // namespace
}  // namespace calfvo
