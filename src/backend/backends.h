// SPDX-License-Identifier: Apache-2.0
// Which backends there are on this machine, and making one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace calfvo {

enum class Precision { kF32, kBF16, kFP8 };

// "ref f32", "cpu bf16".
struct BackendKind {
  std::string_view name;
  Precision precision;
};

// What this build has and this machine can run, the preferred one first.
std::vector<BackendKind> AvailableBackends();

// What this build has but this machine cannot run, and why: "the GPU is not used: no driver". Empty if there
// is no such thing.
std::string BackendWarning();

// `name` and `precision` as users give them: "auto", or "ref", "cpu", "cuda"; "auto", "f32", "bf16" or "fp8".
// Throws Error listing what is available where there is no such backend.
BackendKind ChooseBackend(std::string_view name, std::string_view precision);

std::string_view PrecisionName(Precision precision);

// `threads` as in ThreadPool.
std::unique_ptr<Backend> MakeBackend(const BackendKind& kind, int threads);

}  // namespace calfvo
