// SPDX-License-Identifier: Apache-2.0
#include "loop/adamw_kernel.h"

#include "network/cuda_launch.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 256;

// From a to b by `weight`, exact at both ends.
__device__ float Between(float a, float b, float weight) {
  return weight < 0.5F ? a + weight * (b - a) : b - (b - a) * (1.0F - weight);
}

// Numbers that are the same for all elements.
struct Factors {
  bool good;
  bool along;  // the gradient is the step's direction
  float clip, decay, learning_rate, step, second_correction, average_weight;
};

__device__ Factors FactorsOf(const AdamWArguments& a, int64_t at) {
  const float norm = *a.norm;
  Factors f;
  f.good = isfinite(norm);
  f.clip = a.clip_norm > 0.0F ? fminf(a.clip_norm / (norm + 1e-6F), 1.0F) : 1.0F;
  f.along = at < a.step_along;
  f.learning_rate = *a.learning_rate;
  f.decay = at < a.decay_size ? 1.0F - f.learning_rate * a.weight_decay : 1.0F;
  f.step = *a.step_size;
  f.second_correction = *a.second_correction;
  f.average_weight = *a.average_weight;
  return f;
}

__device__ void UpdateOne(const AdamWArguments& a, const Factors& f, float gradient, float& weight,
                          float& first, float& second, float& average) {
  if (f.good && f.along) {
    weight = weight * f.decay - f.learning_rate * gradient;
  } else if (f.good) {
    const float g = gradient * f.clip;
    first = Between(first, g, a.first_weight);
    second = Between(second, g * g, a.second_weight);
    weight = weight * f.decay - f.step * first / (sqrtf(second) * f.second_correction + a.eps);
  }
  average = Between(average, weight, f.average_weight);
}

__global__ void Update(AdamWArguments a) {
  const int64_t vector = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t at = 4 * vector;
  if (at >= a.size) return;
  const Factors factors = FactorsOf(a, at);
  if (vector == 0 && !factors.good) *a.skipped += 1.0F;
  const float4 g = reinterpret_cast<const float4*>(a.gradients)[vector];
  float4 w = reinterpret_cast<const float4*>(a.weights)[vector];
  float4 m = reinterpret_cast<const float4*>(a.first_moment)[vector];
  float4 v = reinterpret_cast<const float4*>(a.second_moment)[vector];
  float4 e = reinterpret_cast<const float4*>(a.average)[vector];
  UpdateOne(a, factors, g.x, w.x, m.x, v.x, e.x);
  UpdateOne(a, factors, g.y, w.y, m.y, v.y, e.y);
  UpdateOne(a, factors, g.z, w.z, m.z, v.z, e.z);
  UpdateOne(a, factors, g.w, w.w, m.w, v.w, e.w);
  reinterpret_cast<float4*>(a.weights)[vector] = w;
  reinterpret_cast<float4*>(a.first_moment)[vector] = m;
  reinterpret_cast<float4*>(a.second_moment)[vector] = v;
  reinterpret_cast<float4*>(a.average)[vector] = e;
}

}  // namespace

void AdamWUpdate(const AdamWArguments& arguments, CUstream_st* stream) {
  const int64_t vectors = arguments.size / 4;
  if (vectors == 0) return;
  Update<<<static_cast<unsigned>((vectors + kThreads - 1) / kThreads), kThreads, 0, stream>>>(arguments);
  CheckLaunch("the optimiser's step");
}

}  // namespace calfvo::train
