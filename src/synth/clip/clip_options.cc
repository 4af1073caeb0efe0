// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/clip_options.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "calfvo/error.h"
#include "synth/clip/mover_layer.h"

namespace calfvo {
namespace {

using motion::MotionKind;

void CheckRange(std::string_view field, double value, double low, double high) {
  if (value >= low && value <= high) return;
  throw Error(fmt::format("{} is {}; expected {} to {}", field, value, low, high));
}

template <size_t N>
void CheckWeights(const std::string& field, const std::array<float, N>& weights) {
  float sum = 0.0F;
  for (const float weight : weights) {
    CheckRange(field, weight, 0.0, 1e6);
    sum += weight;
  }
  if (sum <= 0.0F) throw Error(field + " are all zero; expected one above zero");
}

MotionWeights Weights(std::initializer_list<std::pair<MotionKind, float>> pairs) {
  MotionWeights weights{};
  for (const auto& [kind, weight] : pairs) weights[static_cast<size_t>(kind)] = weight;
  return weights;
}

}  // namespace

MotionWeights UsualMotions(SceneKind scene) {
  switch (scene) {
    case SceneKind::kRoom:
      return Weights({{MotionKind::kHandheld, 5},
                      {MotionKind::kHeadMounted, 2},
                      {MotionKind::kWalking, 2},
                      {MotionKind::kDrone, 1},
                      {MotionKind::kPureRotation, 0.5},
                      {MotionKind::kStatic, 0.2}});
    case SceneKind::kCorridor:
    case SceneKind::kHall:
      return Weights({{MotionKind::kHandheld, 2},
                      {MotionKind::kHeadMounted, 2},
                      {MotionKind::kWalking, 4},
                      {MotionKind::kDrone, 2},
                      {MotionKind::kPureRotation, 0.4}});
    case SceneKind::kWarehouse:
      return Weights({{MotionKind::kHandheld, 3},
                      {MotionKind::kHeadMounted, 1},
                      {MotionKind::kWalking, 3},
                      {MotionKind::kDrone, 3},
                      {MotionKind::kFastDrone, 1}});
    case SceneKind::kStreet:
      return Weights({{MotionKind::kVehicle, 6},
                      {MotionKind::kWalking, 2},
                      {MotionKind::kHandheld, 1},
                      {MotionKind::kHeadMounted, 0.5},
                      {MotionKind::kDrone, 0.5}});
    case SceneKind::kTerrain:
      return Weights({{MotionKind::kWalking, 3},
                      {MotionKind::kHandheld, 1},
                      {MotionKind::kDrone, 2},
                      {MotionKind::kFastDrone, 2},
                      {MotionKind::kFreeFlying, 1}});
    case SceneKind::kAerialCity:
    case SceneKind::kAerialFields:
      return Weights({{MotionKind::kDrone, 1}, {MotionKind::kFastDrone, 3}, {MotionKind::kFreeFlying, 2}});
  }
  return {};
}

SensorOptions PlainSensor() {
  SensorOptions sensor;
  sensor.min_focal_over_width = 0.6F;
  sensor.max_focal_over_width = 1.0F;
  sensor.max_center_offset = 0.0F;
  sensor.distortion_probability = 0.0F;
  sensor.crop_probability = 0.0F;
  return sensor;
}

SceneWeights ClipOptions::DefaultSceneWeights() {
  SceneWeights weights;
  weights.fill(1.0F);
  return weights;
}

std::array<MotionWeights, kSceneKindCount> ClipOptions::DefaultMotionWeights() {
  std::array<MotionWeights, kSceneKindCount> weights;
  for (int i = 0; i < kSceneKindCount; ++i) weights[i] = UsualMotions(static_cast<SceneKind>(i));
  return weights;
}

void ClipOptions::Validate() const {
  CheckRange("frames", frames, 1, 10'000'000);
  CheckRange("fps", rate.Hertz(), 1, 1000);
  CheckRange("width", width, 8, 8192);
  CheckRange("height", height, 8, 8192);
  CheckRange("samples", samples, 1, 8);
  CheckRange("movers", movers, 0.0, MoverLayer::kMaxShare);
  sensor.Validate();
  effects.Validate();
  CheckWeights("scenes", scene_weights);
  for (int i = 0; i < kSceneKindCount; ++i) {
    CheckWeights(fmt::format("motions.{}", SceneKindName(static_cast<SceneKind>(i))), motion_weights[i]);
  }
  CheckRange("min_rate", segments.min_rate, 0.05, 20.0);
  CheckRange("max_rate", segments.max_rate, segments.min_rate, 20.0);
  CheckRange("flip_probability", segments.flip_probability, 0.0, 1.0);
  CheckRange("reverse_probability", segments.reverse_probability, 0.0, 1.0);
}

}  // namespace calfvo
