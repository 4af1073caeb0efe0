// SPDX-License-Identifier: Apache-2.0
// The backends that this machine can run: listing, choosing and making them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/backend/backend.h"

namespace calfvo {

enum class Precision { kF32, kBF16, kFP8, kInt8 };

// "ref f32", "cpu bf16".
struct BackendKind {
  std::string_view name;
  Precision precision;
  friend bool operator==(const BackendKind&, const BackendKind&) = default;
};

// What this build has and this machine can run, the preferred one first.
std::vector<BackendKind> AvailableBackends();

// Why this machine cannot run a backend that this build has: "the GPU is not used: no driver". Empty if it
// can run all.
std::string BackendWarning();

// The first of `kinds` with this name and precision. `name` is "ref", "cpu", "cuda" or "auto", which is any
// but ref; `precision` is "f32", "bf16", "fp8", "int8" or "auto", which is any.
std::optional<BackendKind> FirstMatch(std::span<const BackendKind> kinds, std::string_view name,
                                      std::string_view precision);

// FirstMatch of the available backends. Throws Error listing them if none matches.
BackendKind ChooseBackend(std::string_view name, std::string_view precision);

std::string_view PrecisionName(Precision precision);

// The peak throughput of a kind of CPU backend in operations per second: products without memory access, on
// all threads together, each for `seconds`. 0 for other backends. `threads` as in ThreadPool.
double MeasurePeak(const BackendKind& kind, int threads, double seconds);

// `threads` as in ThreadPool.
std::unique_ptr<Backend> MakeBackend(const BackendKind& kind, int threads);

}  // namespace calfvo
