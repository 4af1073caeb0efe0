// SPDX-License-Identifier: Apache-2.0
// A camera that moves like a real one: the generator of procedural video's paths, for host and GPU.
//
// Two smooth random vectors are the desired travel and turn; their lengths get the measured
// distribution of speeds (magnitude.h), their directions are bent by what a real carrier does: staying
// upright (or leaning into acceleration), keeping its height, going where it looks, keeping out of walls.
// Because only directions are bent, speeds keep their distribution wherever there is room.
//
//   motion::CameraMotion camera({.kind = MotionKind::kDrone, .frame_rate_hz = 20.0F, .position = start},
//                               portable::Random(seed));
//   for (int i = 1; i < frames; ++i) prev_from_next[i] = camera.Step(is_free);
//
// Poses inside a frame interval, for rolling shutter and blur: PartOf(camera.Step(…), s), or PoseBetween two
// world poses (rotation.h).
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/random.h"
#include "core/portable/vec3.h"
#include "synth/motion/free_space.h"
#include "synth/motion/gait.h"
#include "synth/motion/gaussian_process.h"
#include "synth/motion/magnitude.h"
#include "synth/motion/motion_profile.h"
#include "synth/motion/rotation.h"
#include "synth/motion/vehicle_drive.h"

namespace calfvo::motion {

// Where a clip starts.
struct MotionStart {
  MotionKind kind = MotionKind::kHandheld;
  float frame_rate_hz = 30.0F;  // 6 to 60 make sense
  // Away from gravity, in the world: a unit vector.
  Vec3 up{0.0F, 0.0F, 1.0F};
  // Of the camera, in the world, metres. Must be free. Its height is the one the camera keeps to; see
  // TypicalHeight.
  Vec3 position;
  // Roughly where the camera looks; not along `up`. Need not be horizontal nor of unit length.
  Vec3 heading{1.0F, 0.0F, 0.0F};
  // Looks this much further down than such cameras usually do, as those of surveying drones; up to 1 or so.
  float look_down_rad = 0.0F;
};

// A height above ground, metres, at which cameras of this kind are found.
CALFVO_HD float TypicalHeight(MotionKind kind, portable::Random& random) {
  const MotionProfile profile = ProfileOf(kind);
  return random.Uniform(profile.min_height_m, profile.max_height_m);
}

class CameraMotion {
 public:
  CALFVO_HD CameraMotion(const MotionStart& start, portable::Random random);

  CALFVO_HD const Pose& world_from_camera() const { return world_from_camera_; }

  // Moves on by one frame and returns camera_prev_from_camera_next. The position stays free if it was. Cost:
  // some twenty normal variates and five to two hundred calls of `is_free`, few where there is room.
  template <typename IsFree>
  CALFVO_HD Pose Step(const IsFree& is_free) {
    travel_.Advance(random_);
    turn_.Advance(random_);
    const LevelAxes axes = Axes();
    Wish wish;
    if (profile_.is_vehicle) {
      wish = Drive(is_free, axes);
      // Brakes as hard as needed for obstacles ahead. Objects that run into the car do not stop it.
      float part = 1.0F;
      while (part > 0.0F &&
             !WayIsFree(is_free, world_from_camera_.translation, wish.displacement_in_world * part)) {
        part = part > 0.3F ? part - 0.25F : 0.0F;
      }
      if (part < 1.0F && is_free(world_from_camera_.translation)) {
        drive_.SlowTo(part);
        wish = {wish.displacement_in_world * part, wish.turn_rad * part};
      }
    } else {
      wish = Roam(is_free, axes);
      if (Dot(wish.displacement_in_world, wish.displacement_in_world) > 0.0F) {
        wish.displacement_in_world =
            FreeDisplacement(is_free, world_from_camera_.translation, wish.displacement_in_world, start_.up);
      }
    }
    return Move(wish);
  }

 private:
  struct Wish {
    Vec3 displacement_in_world;  // metres
    Vec3 turn_rad;               // rotation vector in the camera
  };

  // Cuts a unit normal to two standard deviations.
  CALFVO_HD static float Moderate(float normal) { return fminf(fmaxf(normal, -2.0F), 2.0F); }
  CALFVO_HD float StepSeconds() const { return 1.0F / start_.frame_rate_hz; }
  CALFVO_HD LevelAxes Axes() const { return {Cross(-start_.up, heading_), -start_.up, heading_}; }
  CALFVO_HD float Speed(float rank) const {
    return profile_.table_hz *
           profile_.translation.Quantile(MixedRank(rank, travel_clip_, profile_.translation_clip_share));
  }
  CALFVO_HD float TurnRate(float rank) const {
    return 0.01745329F * profile_.table_hz *
           profile_.rotation.Quantile(MixedRank(rank, turn_clip_, profile_.rotation_clip_share));
  }

  CALFVO_HD VehicleDrive::Wish DriverWish() const;
  CALFVO_HD Vec3 UprightingDirection() const;
  CALFVO_HD Vec3 TravelDirection(const LevelAxes& axes) const;
  CALFVO_HD Vec3 TurnDirection(const LevelAxes& axes) const;
  CALFVO_HD Pose Move(const Wish& wish);

  template <typename IsFree>
  CALFVO_HD Wish Drive(const IsFree& is_free, const LevelAxes& axes) {
    const VehicleDrive::Motion motion =
        drive_.Advance(is_free, DriverWish(), world_from_camera_.translation, axes, StepSeconds(), random_);
    // The springs bring the car back to level within a second.
    const Vec3 shake = Vec3{motion.pitch_rad, 0.0F, motion.roll_rad} + UprightingDirection() * StepSeconds();
    const Vec3 down_in_camera = Transposed(world_from_camera_.rotation) * axes.down;
    return {motion.displacement_in_world, down_in_camera * motion.yaw_rad + shake};
  }

  template <typename IsFree>
  CALFVO_HD Wish Roam(const IsFree& is_free, const LevelAxes& axes) {
    const float step_s = StepSeconds();
    const float speed = Speed(LengthRank(Norm(travel_.Value())));
    Vec3 direction = TravelDirection(axes);
    if (speed > 0.0F) {
      const Vec3 position = world_from_camera_.translation;
      const Outlook outlook = LookAhead(is_free, position, direction * (speed * kHorizonS), start_.up);
      const float quick = fminf(1.0F, step_s / kReactionS);
      avoid_ += (outlook.way_out * (kAvoidance * (1.0F - outlook.free_part)) - avoid_) * quick;
      slow_ += (0.2F + 0.8F * outlook.free_part - slow_) * quick;
    }
    const Gait::Motion steps = gait_.Advance(speed * slow_, step_s);
    const Vec3 bob = axes.right * steps.velocity_mps.x + axes.down * steps.velocity_mps.y +
                     axes.ahead * steps.velocity_mps.z;
    const float turn_rate = TurnRate(LengthRank(Norm(turn_.Value())));
    const float swing =
        profile_.turn_inertia_s > 0.0F ? 1.0F - expf(-step_s / profile_.turn_inertia_s) : 1.0F;
    turn_direction_ += (TurnDirection(axes) - turn_direction_) * swing;
    return {(direction * (speed * slow_) + bob) * step_s,
            (turn_direction_ * turn_rate + steps.turn_rate_radps) * step_s};
  }

  static constexpr float kHorizonS = 0.8F;   // looks this far ahead for walls
  static constexpr float kReactionS = 0.2F;  // and takes this long to heed them
  static constexpr float kAvoidance = 4.0F;  // wish to get away, where the wish to go on is one
  static constexpr float kGravity = 9.81F;

  MotionStart start_;
  MotionProfile profile_;
  portable::Random random_;
  Pose world_from_camera_;
  Vec3 heading_;       // horizontal unit vector
  Vec3 velocity_;      // world, m/s
  Vec3 acceleration_;  // world, m/s², smoothed
  Vec3 avoid_;         // world: away from walls
  float slow_ = 1.0F;  // in front of walls
  float look_down_rad_ = 0.0F;
  float travel_clip_ = 0.0F;  // liveliness of this clip, unit normals
  float turn_clip_ = 0.0F;
  Vec3 turn_direction_;  // in the camera, at most of length one
  VectorSignal travel_;
  VectorSignal turn_;
  Gait gait_;
  VehicleDrive drive_;
};

CALFVO_HD CameraMotion::CameraMotion(const MotionStart& start, portable::Random random)
    : start_(start), profile_(ProfileOf(start.kind)), random_(random) {
  const float kRadians = 0.01745329F;
  heading_ = Normalized(start.heading - start.up * Dot(start.up, start.heading));
  travel_clip_ = random_.Normal();
  turn_clip_ = random_.Normal();
  profile_.translation_timing.smooth_s *= random_.LogNormal(1.0F, 0.2F);
  profile_.rotation_timing.smooth_s *= random_.LogNormal(1.0F, 0.2F);
  travel_.Start(profile_.translation_timing, StepSeconds(), random_);
  turn_.Start(profile_.rotation_timing, StepSeconds(), random_);
  gait_.Start(profile_.min_bob_m, profile_.max_bob_m, random_);
  look_down_rad_ = start.look_down_rad + kRadians * (profile_.look_down_deg + profile_.look_down_spread_deg *
                                                                                  Moderate(random_.Normal()));

  const LevelAxes axes = Axes();
  const float tilt_rad = 0.25F * kRadians * profile_.tilt_range_deg;
  const float pitch_rad = -look_down_rad_ + tilt_rad * Moderate(random_.Normal());
  const float roll_rad = tilt_rad * Moderate(random_.Normal());
  world_from_camera_.rotation = Mat3{axes.right, axes.down, axes.ahead} *
                                ExpRotation({pitch_rad, 0.0F, 0.0F}) * ExpRotation({0.0F, 0.0F, roll_rad});
  world_from_camera_.translation = start.position;
  turn_direction_ = TurnDirection(axes);
  if (profile_.is_vehicle) drive_.Start(DriverWish(), StepSeconds(), random_);
}

CALFVO_HD VehicleDrive::Wish CameraMotion::DriverWish() const {
  const float turn = turn_.Value().y;
  const float yaw_rate = TurnRate(MagnitudeRank(turn));
  return {Speed(NormalCdf(travel_.Value().z)), turn < 0.0F ? -yaw_rate : yaw_rate};
}

// In the camera: the axis about which turning brings it upright, as long as the wish to do so, which is one
// at the edge of the tilt range.
CALFVO_HD Vec3 CameraMotion::UprightingDirection() const {
  // Upright is along gravity as felt when accelerating.
  const Vec3 felt = Normalized(start_.up * -kGravity - acceleration_ * profile_.lean);
  const Vec3 down_in_camera = Transposed(world_from_camera_.rotation) * felt;
  const Vec3 wanted{0.0F, cosf(look_down_rad_), sinf(look_down_rad_)};
  const Vec3 axis = Cross(wanted, down_in_camera);
  const float sine = Norm(axis);
  if (sine < 1e-6F) return {};
  const float angle_rad = atan2f(sine, Dot(wanted, down_in_camera));
  const float excess = angle_rad / (0.01745329F * profile_.tilt_range_deg);
  if (profile_.is_vehicle) return axis * (angle_rad / sine);
  return axis * (fminf(excess * excess, 6.0F) / sine);
}

// Unit vector in the world.
CALFVO_HD Vec3 CameraMotion::TravelDirection(const LevelAxes& axes) const {
  const Vec3 signal = travel_.Value();
  const Vec3 preferred = signal * profile_.travel_axes / fmaxf(Norm(signal), 1e-6F);
  const Vec3 offset = world_from_camera_.translation - start_.position;
  const float rise = Dot(start_.up, offset) / profile_.height_range_m;
  Vec3 direction = axes.right * preferred.x + axes.ahead * (preferred.z + profile_.ahead) + avoid_;
  direction += axes.down * (preferred.y + fminf(fmaxf(rise * fabsf(rise), -6.0F), 6.0F));
  if (profile_.home_range_m > 0.0F) {
    const float distance = Norm(offset) / profile_.home_range_m;
    if (distance > 0.0F) direction += offset * (-fminf(distance, 6.0F) / profile_.home_range_m);
  }
  const float length = Norm(direction);
  return length > 1e-6F ? direction / length : axes.ahead;
}

// Unit vector in the camera.
CALFVO_HD Vec3 CameraMotion::TurnDirection(const LevelAxes& axes) const {
  const Vec3 signal = turn_.Value();
  Vec3 direction = signal * profile_.turn_axes / fmaxf(Norm(signal), 1e-6F) + UprightingDirection();
  if (profile_.ahead > 0.0F) {
    // A carrier that travels where it looks also looks away from walls.
    const float aside = Dot(avoid_, axes.right) * profile_.ahead;
    direction += Transposed(world_from_camera_.rotation) * axes.down * aside;
  }
  const float length = Norm(direction);
  return length > 1e-6F ? direction / length : Vec3{0.0F, 1.0F, 0.0F};
}

CALFVO_HD Pose CameraMotion::Move(const Wish& wish) {
  const Vec3 velocity = wish.displacement_in_world * start_.frame_rate_hz;
  const float quick = fminf(1.0F, StepSeconds() / 0.15F);
  acceleration_ += ((velocity - velocity_) * start_.frame_rate_hz - acceleration_) * quick;
  const float strength = Norm(acceleration_);
  if (strength > kGravity) acceleration_ = acceleration_ * (kGravity / strength);
  velocity_ = velocity;

  const Pose prev_from_next{ExpRotation(wish.turn_rad),
                            Transposed(world_from_camera_.rotation) * wish.displacement_in_world};
  world_from_camera_.rotation = Orthonormalized(world_from_camera_.rotation * prev_from_next.rotation);
  world_from_camera_.translation += wish.displacement_in_world;
  const Vec3 look = world_from_camera_.rotation.z;
  const Vec3 level = look - start_.up * Dot(start_.up, look);
  // Looking straight up or down, the heading stays what it was.
  if (Norm(level) > 0.3F) heading_ = Normalized(level);
  return prev_from_next;
}

}  // namespace calfvo::motion
