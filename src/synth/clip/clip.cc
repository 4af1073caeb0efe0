// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "calfvo/error.h"
#include "synth/clip/texture_folder.h"
#include "synth/motion/real_paths.h"

namespace calfvo {
namespace {

using portable::Random;

// Independent streams of one seed; their numbers are part of what a seed means.
enum class Part : uint64_t { kKinds, kScene, kPath, kSensor, kEffects, kNoise, kMovers };

Random Stream(uint64_t seed, Part part) {
  return Random(seed).Fork(static_cast<uint64_t>(part));
}

// A scene may have no free place, or none for a recorded path: then the next one is tried.
constexpr int kScenes = 6;

template <size_t N>
int DrawIndex(const std::array<float, N>& weights, Random& random) {
  float sum = 0.0F;
  for (const float weight : weights) sum += weight;
  float left = random.Uniform() * sum;
  int last = 0;
  for (size_t i = 0; i < N; ++i) {
    if (weights[i] <= 0.0F) continue;
    last = static_cast<int>(i);
    left -= weights[i];
    if (left < 0.0F) break;
  }
  return last;
}

CameraModel DrawCamera(const ClipOptions& options, SceneKind scene, Random random) {
  Sensor sensor = DrawSensor(options.sensor, scene, random);
  if (options.square_pixels) {
    // The focal length of upright sensors was stated against their longer side; here that of the image.
    const float drawn = sensor.focal_over_width * std::min(sensor.aspect, 1.0F);
    sensor.aspect = static_cast<float>(options.width) * sensor.crop_height /
                    (static_cast<float>(options.height) * sensor.crop_width);
    sensor.focal_over_width = drawn / std::min(sensor.aspect, 1.0F);
  }
  return CameraFromSensor(sensor, options.width, options.height);
}

// Folds a value that drifts without end into [−limit, limit], turning back at the ends.
float Fold(float value, float limit) {
  if (limit <= 0.0F) return 0.0F;
  const float period = 4.0F * limit;
  const float phase = value + limit - period * std::floor((value + limit) / period);
  return phase < 2.0F * limit ? phase - limit : 3.0F * limit - phase;
}

Rigid3 ToRigid(const portable::Pose& pose) {
  Eigen::Matrix3d rotation;
  const portable::Mat3& m = pose.rotation;
  rotation << m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z;
  const Eigen::Vector3f position(pose.translation.x, pose.translation.y, pose.translation.z);
  return {Quaternion(rotation).normalized(), position.cast<double>()};
}

const ClipOptions& Validated(const ClipOptions& options) {
  options.Validate();
  return options;
}

}  // namespace

Clip::Clip(const ClipOptions& options, ThreadPool& threads)
    : options_(Validated(options)),
      textures_(ReadTextures(options.textures)),
      renderer_(threads, textures_.view()) {
  Random kinds = Stream(options_.seed, Part::kKinds);
  const int drawn_scene = DrawIndex(options_.scene_weights, kinds);
  const SceneKind scene = options_.scene.value_or(static_cast<SceneKind>(drawn_scene));
  const int drawn_motion = DrawIndex(options_.motion_weights[static_cast<size_t>(scene)], kinds);
  motion_ = options_.motion.value_or(static_cast<motion::MotionKind>(drawn_motion));

  motion::RealPaths recorded;
  if (!options_.trajectories.empty()) recorded = motion::RealPaths::Load(options_.trajectories);
  for (int attempt = 0; attempt < kScenes && path_.empty(); ++attempt) {
    Random scene_stream = Stream(options_.seed, Part::kScene).Fork(static_cast<uint64_t>(attempt));
    const uint64_t upper = scene_stream.Bits();
    scene_ = MakeScene(scene, upper << 32 | scene_stream.Bits());
    DrawPath(recorded.View(), Stream(options_.seed, Part::kPath).Fork(static_cast<uint64_t>(attempt)));
  }
  if (path_.empty()) {
    throw Error(
        options_.trajectories.empty()
            ? fmt::format("scene '{}' with seed {} has no free place for a camera", SceneKindName(scene),
                          options_.seed)
            : fmt::format("{}: no piece of {} frames fits into a scene '{}'; try fewer frames, another "
                          "scene or slower paths",
                          options_.trajectories.string(), options_.frames, SceneKindName(scene)));
  }

  camera_ = DrawCamera(options_, scene, Stream(options_.seed, Part::kSensor));
  effects_ = synth::DrawEffects(options_.effects, options_.frames, Stream(options_.seed, Part::kEffects));
  synth::LimitToInterval(static_cast<float>(1.0 / options_.rate.Hertz()), effects_);
  renderer_.Meter(*scene_, camera_, PosedFrameAt(0), effects_);
  offset_stops_ = std::log2(effects_.gain);
  noise_seed_ = Stream(options_.seed, Part::kNoise).Bits();
  if (options_.movers > 0.0) {
    const double duration_s = options_.frames / options_.rate.Hertz();
    movers_.emplace(options_.movers, options_.width, options_.height, duration_s,
                    Stream(options_.seed, Part::kMovers).Bits());
  }
}

void Clip::DrawPath(const motion::RealPathsView& recorded, Random random) {
  const PathOptions path{motion_, options_.rate, options_.frames};
  path_ = (recorded.count > 0 ? PlaceRecordedPath(*scene_, path, recorded, options_.segments, random)
                              : GeneratePath(*scene_, path, random))
              .value_or(CameraPath());
}

float Clip::GainOf(int index) const {
  // Drift was made for short windows: in a long clip it goes to and fro within the range of the offset.
  const float limit = std::max(options_.effects.max_exposure_offset, std::abs(offset_stops_));
  float stops = offset_stops_;
  if (effects_.drift != 0.0F) {
    stops = Fold(offset_stops_ + effects_.drift * static_cast<float>(index), limit);
  }
  if (index >= effects_.step_frame) stops += effects_.step;
  return std::exp2(stops);
}

// With velocities from the neighbours, over times that are exact also late in a long clip.
PosedFrame Clip::PosedFrameAt(int index) const {
  const int count = static_cast<int>(path_.size());
  const int first = std::max(index - 1, 0);
  const int last = std::min(index + 1, count - 1);
  std::array<PosedFrame, 3> around;
  for (int i = first; i <= last; ++i) {
    around[i - first].world_from_camera = path_[i];
    around[i - first].time_s = static_cast<float>((i - first) / options_.rate.Hertz());
  }
  PosedFrame* frame = &around[index - first];
  synth::SetVelocities(around.data(), last - first + 1, index - first);
  frame->time_s = static_cast<float>(index / options_.rate.Hertz());
  return *frame;
}

std::optional<ClipFrame> Clip::Next() {
  const int count = static_cast<int>(path_.size());
  if (next_ >= count) return {};
  const int index = next_++;
  const int first = std::max(index - 1, 0);
  const int last = std::min(index + 1, count - 1);
  std::array<PosedFrame, 3> frames;
  for (int i = first; i <= last; ++i) frames[i - first] = PosedFrameAt(i);

  synth::WindowEffects effects = effects_;
  effects.gain = GainOf(index);
  effects.drift = 0.0F;
  effects.step = 0.0F;
  ClipFrame frame;
  frame.index = index;
  frame.timestamp_ns = options_.rate.TimestampNs(index);
  frame.world_from_camera = ToRigid(path_[index]);
  frame.image = renderer_.Render(*scene_, camera_, frames.data(), last - first + 1, index - first, effects,
                                 portable::Mix(noise_seed_ + static_cast<uint64_t>(index) * 4U),
                                 {.samples = options_.samples,
                                  .depth = options_.depth || options_.flow || movers_.has_value(),
                                  .motion = options_.flow});
  if (movers_) AddMovers(frame);
  return frame;
}

// Depth and motion of painted movers are not known; the scene's own have both.
void Clip::AddMovers(ClipFrame& frame) const {
  frame.mask = movers_->Paint(frame.index / options_.rate.Hertz(), frame.image.rgb);
  for (size_t i = 0; i < frame.mask.size(); ++i) {
    if (frame.mask[i] != 0) {
      const int32_t seen = frame.image.primitive[i];
      if (seen >= 0 && scene_->primitives[seen].mover() >= 0) frame.mask[i] = 0;
      continue;
    }
    frame.image.depth[i] = std::numeric_limits<float>::infinity();
    for (std::vector<float>* motion : {&frame.image.motion_to_next, &frame.image.motion_to_previous}) {
      if (motion->empty()) continue;
      (*motion)[2 * i] = (*motion)[2 * i + 1] = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

}  // namespace calfvo
