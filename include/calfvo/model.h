// SPDX-License-Identifier: Apache-2.0
// A network's weights on a compute backend, loaded once and shared.
//
//   const calfvo::Model model({.backend = calfvo::BackendType::kCpu, .threads = 2});
//   calfvo::Odometry left(model), right(model);  // hold the weights once
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "calfvo/error.h"

namespace calfvo {

class SharedNetwork;  // internal

// What computes the network.
enum class BackendType {
  kAuto,       // cuda where it works, else cpu
  kCpu,        //
  kCuda,       //
  kReference,  // plain loops, for comparison
};

// Numeric precision of the network.
enum class PrecisionType {
  kAuto,  // the fastest that the backend has
  kF32,
  kBf16,
  kFp8,   // on a GPU
  kInt8,  // on the CPU
};

// The values called `name` ("auto", "cpu", "cuda", "ref"; "auto", "f32", "bf16", "fp8", "int8"); throw Error
// listing the names otherwise.
BackendType BackendTypeFromName(std::string_view name);
PrecisionType PrecisionTypeFromName(std::string_view name);
// The inverses.
std::string_view BackendTypeName(BackendType backend);
std::string_view PrecisionTypeName(PrecisionType precision);

// Which weights, and what computes with them.
struct ModelOptions {
  // Path of a model file, or the name of an installed model.
  std::string name = "calfvo-s";
  BackendType backend = BackendType::kAuto;
  PrecisionType precision = PrecisionType::kAuto;
  int threads = 0;  // at most 1024; 0: one per available core. Does not affect poses.

  // Throws Error naming the invalid option. Whether the model exists and the machine has the backend is found
  // out when the model is loaded.
  void Validate() const;
};

// A handle: copies share the weights, the backend and its threads, which live as long as any copy or any
// Odometry made from one.
//
// Threads: all functions may be called from several threads. Objects that share a model take turns on it, so
// that N cameras need the memory of one network and the threads of one pool; for cameras that compute side by
// side on threads of their own, load a model for each.
class Model {
 public:
  // Reads the weights into the backend's memory; the file is closed again. Throws Error or std::bad_alloc.
  explicit Model(const ModelOptions& options = {});

  // The name in the model's file, such as "calfvo-s".
  std::string name() const;
  // Backend, precision and threads, for a log: "cpu bf16 (AVX-512), 2 threads".
  std::string backend() const;
  // Frames of a window: K, 8 for calfvo-s.
  int window_frames() const;
  // Whether the model estimates uncertainty. If not, covariances are zero.
  bool has_confidence() const;

 private:
  friend class SharedNetwork;
  std::shared_ptr<SharedNetwork> network_;
};

}  // namespace calfvo
