// SPDX-License-Identifier: Apache-2.0
#include "refine/window.h"

#include <gtest/gtest.h>

#include "refine/synthetic_tracks.h"

namespace calfvo {
namespace {

WindowOptions OptionsFor(const SyntheticTracks& scene) {
  WindowOptions options;
  options.image_height = scene.height;
  options.prior.mean = {0.5 * std::log(scene.width * scene.height), 0.5 * scene.width, 0.5 * scene.height,
                        0.0, 0.0};
  options.prior.sigma = {0.1, 8.0, 8.0, 0.3, 0.3};
  options.correlation = {0.8, 0.9};
  return options;
}

RefinedWindow Refine(const SyntheticTracks& scene) {
  const std::vector<Rigid3> first = {scene.poses.front()};
  return RefineWindow(scene.frames, first, OptionsFor(scene));
}

double WorstRotation(const SyntheticTracks& scene, const RefinedWindow& window) {
  double worst = 0.0;
  for (size_t i = 0; i < scene.poses.size(); ++i) {
    worst = std::max(worst, AngleBetween(scene.poses[i].rotation, window.poses[i].rotation));
  }
  return worst;
}

TEST(RefineWindow, ExactTracksGiveFocalCenterReadoutAndPoses) {
  const CameraParams camera = {std::log(480.0), 324.0, 238.0, 0.5, 0.0};
  const SyntheticTracks scene = MakeSyntheticTracks(camera, {});
  const RefinedWindow window = Refine(scene);
  EXPECT_NEAR(std::exp(window.adjustment.camera[kLogFocal]), 480.0, 0.5);
  EXPECT_NEAR(window.adjustment.camera[kCenterX], 324.0, 0.5);
  EXPECT_NEAR(window.adjustment.camera[kCenterY], 238.0, 0.5);
  EXPECT_NEAR(window.adjustment.camera[kReadout], 0.5, 0.01);
  EXPECT_LT(WorstRotation(scene, window), 1e-3);
  for (size_t i = 0; i < scene.poses.size(); ++i) {
    EXPECT_LT((scene.poses[i].translation - window.poses[i].translation).norm(), 0.01) << i;
  }
  EXPECT_LT(window.camera.sigma_log_focal, 0.01);
}

TEST(RefineWindow, DistortionIsFoundWhereItIs) {
  const CameraParams camera = {std::log(520.0), 320.0, 240.0, 0.0, -0.25};
  const RefinedWindow window = Refine(MakeSyntheticTracks(camera, {}));
  EXPECT_NEAR(window.adjustment.camera[kK1], -0.25, 0.01);
  EXPECT_NEAR(std::exp(window.adjustment.camera[kLogFocal]), 520.0, 3.0);
}

TEST(RefineWindow, DriftOfTheNetworkIsRemoved) {
  const CameraParams camera = {std::log(500.0), 320.0, 240.0, 0.0, 0.0};
  const SyntheticTracks scene =
      MakeSyntheticTracks(camera, {.network_turn_error = 0.004, .pixel_noise = 0.2});
  Rigid3 network;
  for (size_t i = 1; i < scene.frames.size(); ++i) network = network * scene.frames[i].edge.first_from_second;
  EXPECT_GT(AngleBetween(network.rotation, scene.poses.back().rotation), 0.2);
  EXPECT_LT(WorstRotation(scene, Refine(scene)), 0.02);
}

TEST(RefineWindow, TheScaleIsThatOfTheNetworksWholePath) {
  const CameraParams camera = {std::log(500.0), 320.0, 240.0, 0.0, 0.0};
  SyntheticTracks scene = MakeSyntheticTracks(camera, {.pixel_noise = 0.2});
  // The network overestimates the first tenth of the path, with less uncertainty than the rest.
  for (size_t i = 1; i < scene.frames.size(); ++i) {
    NetworkEdge& edge = scene.frames[i].edge;
    edge.first_from_second.translation *= i < 7 ? 1.5 : 1.0;
    edge.sigma_translation_m *= i < 7 ? 0.3 : 1.0;
  }
  const RefinedWindow window = Refine(scene);
  double length = 0.0;
  double true_length = 0.0;
  for (size_t i = 1; i < scene.poses.size(); ++i) {
    length += (window.poses[i].translation - window.poses[i - 1].translation).norm();
    true_length += (scene.poses[i].translation - scene.poses[i - 1].translation).norm();
  }
  EXPECT_NEAR(length / true_length, 1.05, 0.03);
}

TEST(RefineWindow, WrongTracksAreLeftOut) {
  const CameraParams camera = {std::log(500.0), 320.0, 240.0, 0.0, 0.0};
  const SyntheticTracks scene = MakeSyntheticTracks(camera, {.outlier_share = 0.2, .pixel_noise = 0.2});
  const RefinedWindow window = Refine(scene);
  EXPECT_NEAR(std::exp(window.adjustment.camera[kLogFocal]), 500.0, 15.0);
  EXPECT_LT(WorstRotation(scene, window), 0.01);
}

TEST(RefineWindow, PureTranslationLeavesTheFocalLengthOpen) {
  const CameraParams camera = {std::log(400.0), 320.0, 240.0, 0.0, 0.0};
  const RefinedWindow window = Refine(MakeSyntheticTracks(camera, {.turn_rad = 0.0, .pixel_noise = 0.3}));
  EXPECT_GT(window.camera.sigma_log_focal, 0.02);
}

TEST(RefineWindow, SameTracksSameBits) {
  const CameraParams camera = {std::log(480.0), 320.0, 240.0, 0.3, 0.0};
  const SyntheticTracks scene = MakeSyntheticTracks(camera, {.frames = 30, .pixel_noise = 0.3});
  const RefinedWindow first = Refine(scene);
  const RefinedWindow second = Refine(scene);
  EXPECT_EQ(first.adjustment.camera, second.adjustment.camera);
  for (size_t i = 0; i < first.poses.size(); ++i) {
    EXPECT_EQ(first.poses[i].translation, second.poses[i].translation);
    EXPECT_EQ(first.poses[i].rotation.coeffs(), second.poses[i].rotation.coeffs());
  }
}

TEST(RefineWindow, WithoutTracksTheNetworkStays) {
  const CameraParams camera = {std::log(480.0), 320.0, 240.0, 0.0, 0.0};
  SyntheticTracks scene = MakeSyntheticTracks(camera, {.frames = 20});
  for (TrackedFrame& frame : scene.frames) frame.observations.clear();
  const RefinedWindow window = Refine(scene);
  for (const EdgeWeight& weight : window.weights) {
    EXPECT_EQ(weight.rotation, 0.0);
    EXPECT_EQ(weight.translation, 0.0);
  }
}

}  // namespace
}  // namespace calfvo
