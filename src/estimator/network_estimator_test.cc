// SPDX-License-Identifier: Apache-2.0
#include "estimator/network_estimator.h"

#include <gtest/gtest.h>

#include <vector>

#include "estimator/tiny_model.h"
#include "frames/frame.h"
#include "frames/preprocessor.h"
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

// The estimates of the one window that `add` fills.
template <typename Add>
std::vector<PairEstimate> EstimateWindow(NetworkEstimator& estimator, const Add& add) {
  estimator.Start(estimator.window());
  add();
  std::vector<PairEstimate> estimates(static_cast<size_t>(estimator.window() - 1));
  estimator.BeginEstimate({{0}});
  estimator.FinishEstimate(estimates);
  return estimates;
}

void ExpectSame(const std::vector<PairEstimate>& ours, const std::vector<PairEstimate>& expected) {
  ASSERT_EQ(ours.size(), expected.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].first_from_second.translation, expected[i].first_from_second.translation) << i;
    EXPECT_EQ(ours[i].u_rotation, expected[i].u_rotation) << i;
  }
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

TEST(NetworkEstimator, EachVideoHasItsShape) {
  ModelConfig config = TinyConfig();
  config.input.aspect = true;
  const ModelFile model = RandomModel(config, 3);
  for (const BackendKind& kind : AvailableBackends()) {
    NetworkEstimator estimator(model, kind, 1);
    const auto pictures = RandomPictures(8, estimator.input_size());
    const auto add = [&] {
      for (const auto& picture : pictures) estimator.AddFrames({{picture.data()}});
    };
    const auto estimate = [&](double width_over_height) {
      return EstimateWindow(estimator, [&] {
        add();
        estimator.SetPictureAspect(width_over_height);
      });
    };
    const auto square = EstimateWindow(estimator, add);
    const auto wide = estimate(16.0 / 9);
    EXPECT_NE(wide[0].first_from_second.translation, square[0].first_from_second.translation);
    ExpectSame(EstimateWindow(estimator, add), square);
    ExpectSame(estimate(1.0), square);
    ExpectSame(estimate(16.0 / 9), wide);
  }
}

// With pictures that change their size. Where the host prepares them, only their memory is tested.
TEST(NetworkEstimator, PreparesPicturesAsThePreprocessorDoes) {
  const ModelFile model = RandomModel(TinyConfig(), 3);
  portable::Random random(5);
  std::vector<Frame> frames;
  for (const auto& [width, height] :
       {std::pair(64, 48), {64, 48}, {33, 90}, {1, 1}, {64, 48}, {32, 32}, {301, 7}, {90, 33}}) {
    Frame& frame = frames.emplace_back(Frame{.width = width, .height = height});
    frame.rgb.resize(static_cast<size_t>(3 * width * height));
    for (uint8_t& value : frame.rgb) value = static_cast<uint8_t>(random.Bits());
  }
  for (const BackendKind& kind : AvailableBackends()) {
    NetworkEstimator estimator(model, kind, 1);
    const size_t values = estimator.input_size();
    Preprocessor preprocessor(model.config.input);
    std::vector<float> on_host(frames.size() * values);
    float* const prepared = estimator.PictureMemory(frames.size());
    std::vector<const float*> host_views, prepared_views;
    for (size_t i = 0; i < frames.size(); ++i) {
      preprocessor.Run(frames[i].view(), std::span(on_host).subspan(i * values, values));
      host_views.push_back(&on_host[i * values]);
      estimator.PreparePicture(frames[i].view(), prepared + i * values);
      prepared_views.push_back(prepared + i * values);
    }
    ExpectSame(EstimateWindow(estimator, [&] { estimator.AddFrames(prepared_views); }),
               EstimateWindow(estimator, [&] { estimator.AddFrames(host_views); }));
  }
}

TEST(NetworkEstimator, ARepeatedFrameIsTheLastOneAgain) {
  const ModelFile model = RandomModel(TinyConfig(), 3);
  for (const BackendKind& kind : AvailableBackends()) {
    NetworkEstimator estimator(model, kind, 1);
    const auto pictures = RandomPictures(3, estimator.input_size());
    const std::vector<const float*> views = {pictures[0].data(), pictures[1].data(), pictures[2].data()};
    const auto expected = EstimateWindow(estimator, [&] {
      estimator.AddFrames(views);
      for (int i = 3; i < estimator.window(); ++i) estimator.AddFrames({{views.back()}});
    });
    ExpectSame(EstimateWindow(estimator,
                              [&] {
                                estimator.AddFrames(views);
                                for (int i = 3; i < estimator.window(); ++i) estimator.RepeatFrame();
                              }),
               expected);
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
