// SPDX-License-Identifier: Apache-2.0
#include "vo/network_estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "core/geometry/so3.h"
#include "core/image/frame.h"
#include "core/portable/random.h"
#include "nn/architecture/preprocessor.h"
#include "vo/tiny_model.h"
#include "vo/tracker.h"

namespace calfvo {
namespace {

std::vector<std::vector<float>> RandomImages(size_t count, size_t size) {
  std::vector<std::vector<float>> images(count, std::vector<float>(size));
  portable::Random random(11);
  for (auto& image : images) {
    for (float& value : image) value = random.Uniform(-1.0F, 1.0F);
  }
  return images;
}

std::vector<TrackedPose> Track(NetworkEstimator& estimator, const std::vector<std::vector<float>>& images,
                               size_t batch) {
  Tracker tracker(estimator, {.max_batch = static_cast<int>(batch)});
  std::vector<TrackedPose> poses;
  for (size_t first = 0; first < images.size(); first += batch) {
    std::vector<const float*> views;
    for (size_t i = first; i < std::min(first + batch, images.size()); ++i) views.push_back(images[i].data());
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
TEST(NetworkEstimator, EqualsTheNetwork) {
  const ModelFile model = RandomModel(TinyConfig(), 3);
  NetworkEstimator estimator(model, {"ref", Precision::kF32}, 1);
  const auto images = RandomImages(11, estimator.input_size());
  estimator.Start(11);
  for (const auto& image : images) estimator.AddFrames({{image.data()}});
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
      const EncoderInput input = {images[frame == 0 ? 0 : frame - 1].data(), images[frame].data()};
      FrameTokens* out = &tokens[i];
      network.Encode({{input}}, {{out}});
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
    const auto images = RandomImages(8, estimator.input_size());
    const auto add = [&] {
      for (const auto& image : images) estimator.AddFrames({{image.data()}});
    };
    const auto estimate = [&](double width_over_height) {
      return EstimateWindow(estimator, [&] {
        add();
        estimator.SetImageAspect(width_over_height);
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

// With images that change their size. Where the host prepares them, only their memory is tested.
TEST(NetworkEstimator, PreparesImagesAsThePreprocessorDoes) {
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
    float* const prepared = estimator.ImageMemory(frames.size());
    std::vector<const float*> host_views, prepared_views;
    for (size_t i = 0; i < frames.size(); ++i) {
      preprocessor.Run(frames[i].view(), std::span(on_host).subspan(i * values, values));
      host_views.push_back(&on_host[i * values]);
      estimator.PrepareImage(frames[i].view(), prepared + i * values);
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
    const auto images = RandomImages(3, estimator.input_size());
    const std::vector<const float*> views = {images[0].data(), images[1].data(), images[2].data()};
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

// The images of a window, as a flip shows them if asked for.
std::vector<Frame> RandomFrames(int count, int width, int height, bool flipped) {
  portable::Random random(6);
  std::vector<Frame> frames;
  for (int i = 0; i < count; ++i) {
    Frame& frame = frames.emplace_back(Frame{.width = width, .height = height});
    frame.rgb.resize(static_cast<size_t>(3 * width * height));
    for (int pixel = 0; pixel < width * height; ++pixel) {
      const int column = flipped ? width - 1 - pixel % width : pixel % width;
      for (int c = 0; c < 3; ++c) {
        frame.rgb[static_cast<size_t>(3 * (pixel / width * width + column) + c)] =
            static_cast<uint8_t>(random.Bits());
      }
    }
  }
  return frames;
}

std::vector<PairEstimate> EstimateFrames(NetworkEstimator& estimator, const std::vector<Frame>& frames) {
  return EstimateWindow(estimator, [&] {
    float* const memory = estimator.ImageMemory(frames.size());
    std::vector<const float*> images;
    for (size_t i = 0; i < frames.size(); ++i) {
      float* const image = memory + i * estimator.input_size();
      estimator.PrepareImage(frames[i].view(), image);
      images.push_back(image);
    }
    // In two calls: the second one's previous image is a kept one.
    estimator.AddFrames(std::span(images).first(3));
    estimator.AddFrames(std::span(images).subspan(3));
  });
}

Eigen::Vector3d TurnOf(const PairEstimate& estimate) {
  return LogSO3(estimate.first_from_second.rotation);
}

// Of what a flip shows, motion along x and turns about y and z are the other way round.
TEST(NetworkEstimator, FlipAveragesBothEstimates) {
  const ModelFile model = RandomModel(TinyConfig(), 3);
  for (const BackendKind& kind : AvailableBackends()) {
    SCOPED_TRACE(kind.name);
    NetworkEstimator plain(model, kind, 1);
    NetworkEstimator flip(model, kind, 1, /*flip=*/true);
    const auto frames = RandomFrames(plain.window(), 45, 30, /*flipped=*/false);
    const auto flipped_frames = RandomFrames(plain.window(), 45, 30, /*flipped=*/true);
    const auto first = EstimateFrames(plain, frames);
    const auto second = EstimateFrames(plain, flipped_frames);
    const auto ours = EstimateFrames(flip, frames);
    const auto ours_flipped = EstimateFrames(flip, flipped_frames);
    const Eigen::Vector3d along(-1.0, 1.0, 1.0);
    const Eigen::Vector3d about(1.0, -1.0, -1.0);
    ASSERT_EQ(ours.size(), first.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      const Eigen::Vector3d a = first[i].first_from_second.translation;
      const Eigen::Vector3d b = along.cwiseProduct(second[i].first_from_second.translation);
      const double share = 1.0 / (1.0 + std::exp(first[i].u_translation - second[i].u_translation));
      const Eigen::Vector3d translation = ours[i].first_from_second.translation;
      EXPECT_LE((translation - (share * a + (1.0 - share) * b)).norm(), 1e-9) << i;
      EXPECT_NEAR(ours[i].u_rotation, (first[i].u_rotation + second[i].u_rotation) / 2.0, 1e-9);
      EXPECT_NEAR(ours[i].u_translation, (first[i].u_translation + second[i].u_translation) / 2.0, 1e-9);
      EXPECT_GT((a - b).norm(), 1e-6) << i;

      EXPECT_LE((ours_flipped[i].first_from_second.translation - along.cwiseProduct(translation)).norm(),
                1e-9);
      EXPECT_LE((TurnOf(ours_flipped[i]) - about.cwiseProduct(TurnOf(ours[i]))).norm(), 1e-9) << i;
    }
  }
}

TEST(NetworkEstimator, SamePosesForAnyBatchAndThreadsAndASecondVideo) {
  const ModelFile model = RandomModel(TinyConfig(), 3);
  for (const BackendKind& kind : AvailableBackends()) {
    NetworkEstimator one(model, kind, 1);
    const auto images = RandomImages(40, one.input_size());
    const std::vector<TrackedPose> expected = Track(one, images, 1);
    NetworkEstimator two(model, kind, 2);
    for (const size_t batch : {size_t{12}, size_t{40}, size_t{3}}) {
      const std::vector<TrackedPose> poses = Track(two, images, batch);
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
