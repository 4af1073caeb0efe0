// SPDX-License-Identifier: Apache-2.0
#include "estimator/network_estimator.h"

#include <gtest/gtest.h>

#include <vector>

#include "estimator/tiny_model.h"
#include "odometry/tracker.h"
#include "portable/random.h"

namespace calfvo {
namespace {

std::vector<std::vector<float>> RandomPictures(size_t count, size_t size) {
  std::vector<std::vector<float>> pictures(count, std::vector<float>(size));
  portable::Random random(11);
  for (auto& picture : pictures) {
    for (float& value : picture) value = random.Uniform(-1.0F, 1.0F);
  }
  return pictures;
}

std::vector<TrackedPose> Track(NetworkEstimator& estimator, const std::vector<std::vector<float>>& pictures,
                               size_t batch) {
  Tracker tracker(estimator, {.max_batch = static_cast<int>(batch)});
  std::vector<TrackedPose> poses;
  for (size_t first = 0; first < pictures.size(); first += batch) {
    std::vector<const float*> views;
    for (size_t i = first; i < std::min(first + batch, pictures.size()); ++i)
      views.push_back(pictures[i].data());
    tracker.Add(views, poses);
  }
  tracker.Finish(poses);
  return poses;
}

// Windows computed one by one, straight from the network.
TEST(NetworkEstimator, SaysWhatTheNetworkSays) {
  const ModelFile model = RandomModel(TinyConfig(), 3);
  NetworkEstimator estimator(model, {"ref", Precision::kF32}, 1);
  const auto pictures = RandomPictures(11, estimator.input_size());
  estimator.Start(11);
  for (const auto& picture : pictures) estimator.AddFrames({{picture.data()}});
  std::vector<PairEstimate> estimates(14);
  estimator.BeginEstimate({{0, 3}});
  estimator.FinishEstimate(estimates);

  const auto backend = MakeBackend({"ref", Precision::kF32}, 1);
  Network network(model.config, *model.weights, *backend);
  for (const size_t first : {size_t{0}, size_t{3}}) {
    std::vector<FrameTokens> tokens;
    std::vector<const FrameTokens*> views;
    for (int i = 0; i < 8; ++i) tokens.push_back(network.MakeTokens());
    for (size_t i = 0; i < 8; ++i) {
      const size_t frame = first + i;
      const FrameImages images = {pictures[frame == 0 ? 0 : frame - 1].data(), pictures[frame].data()};
      FrameTokens* out = &tokens[i];
      network.Encode({{images}}, {{out}});
      views.push_back(out);
    }
    std::vector<float> values(static_cast<size_t>(network.values_per_window()));
    network.Decode(views, values);
    const std::vector<PairEstimate> expected = network.Interpret(values);
    for (size_t i = 0; i < 7; ++i) {
      const PairEstimate& estimate = estimates[(first == 0 ? 0 : 7) + i];
      EXPECT_EQ(estimate.first_from_second.translation, expected[i].first_from_second.translation);
      EXPECT_EQ(estimate.u_rotation, expected[i].u_rotation);
    }
  }
}

TEST(NetworkEstimator, SamePosesForAnyBatchAndThreadsAndASecondVideo) {
  const ModelFile model = RandomModel(TinyConfig(), 3);
  for (const BackendKind& kind : AvailableBackends()) {
    NetworkEstimator one(model, kind, 1);
    const auto pictures = RandomPictures(40, one.input_size());
    const std::vector<TrackedPose> expected = Track(one, pictures, 1);
    NetworkEstimator two(model, kind, 2);
    for (const size_t batch : {size_t{12}, size_t{40}, size_t{3}}) {
      const std::vector<TrackedPose> poses = Track(two, pictures, batch);
      ASSERT_EQ(poses.size(), expected.size());
      for (size_t i = 0; i < poses.size(); ++i) {
        ASSERT_EQ(poses[i].world_from_camera.translation, expected[i].world_from_camera.translation)
            << kind.name << " " << batch << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace calfvo
