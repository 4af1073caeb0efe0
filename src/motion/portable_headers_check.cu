// SPDX-License-Identifier: Apache-2.0
// Compiled, never run: the generator and the sampling of recorded paths must build for the GPU.
#include "motion/camera_motion.h"
#include "motion/real_segment.h"

namespace calfvo::motion {
namespace {

struct Room {
  __host__ __device__ bool operator()(Vec3 p) const { return fabsf(p.x) < 3.0F && fabsf(p.y) < 3.0F; }
};

}  // namespace

__global__ void GenerateMotion(MotionKind kind, int clips, int frames, Pose* prev_from_next) {
  const int clip = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (clip >= clips) return;
  MotionStart start;
  start.kind = kind;
  CameraMotion camera(start, portable::Random(static_cast<uint64_t>(clip)));
  for (int i = 0; i < frames; ++i) prev_from_next[clip * frames + i] = camera.Step(Room{});
}

__global__ void SampleRecordings(RealPathsView view, RealSegmentOptions options, int clips, int frames,
                                 Pose* first_from_camera) {
  const int clip = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (clip >= clips) return;
  portable::Random random(static_cast<uint64_t>(clip));
  SampleRealSegment(view, options, random, frames, first_from_camera + clip * frames);
}

}  // namespace calfvo::motion
