// SPDX-License-Identifier: Apache-2.0
#include "calfvo/model.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/thread_pool.h"
#include "vo/model_choice.h"
#include "vo/shared_network.h"

namespace calfvo {
namespace {

template <typename Value, size_t kCount>
using Names = std::array<std::pair<Value, std::string_view>, kCount>;

constexpr Names<BackendType, 4> kBackends = {{{BackendType::kAuto, "auto"},
                                              {BackendType::kCpu, "cpu"},
                                              {BackendType::kCuda, "cuda"},
                                              {BackendType::kReference, "ref"}}};
constexpr Names<PrecisionType, 5> kPrecisions = {{{PrecisionType::kAuto, "auto"},
                                                  {PrecisionType::kF32, "f32"},
                                                  {PrecisionType::kBf16, "bf16"},
                                                  {PrecisionType::kFp8, "fp8"},
                                                  {PrecisionType::kInt8, "int8"}}};

template <typename Value, size_t kCount>
Value FromName(std::string_view what, const Names<Value, kCount>& names, std::string_view name) {
  std::string expected;
  for (const auto& [value, candidate] : names) {
    if (candidate == name) return value;
    expected += fmt::format("{}{}", expected.empty() ? "" : ", ", candidate);
  }
  throw Error(fmt::format("unknown {} '{}'; expected one of {}", what, name, expected));
}

template <typename Value, size_t kCount>
std::string_view ToName(std::string_view what, const Names<Value, kCount>& names, Value value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  throw Error(fmt::format("{} is {}, which is not a value of its enum", what, static_cast<int>(value)));
}

}  // namespace

BackendType BackendTypeFromName(std::string_view name) {
  return FromName("backend", kBackends, name);
}

PrecisionType PrecisionTypeFromName(std::string_view name) {
  return FromName("precision", kPrecisions, name);
}

std::string_view BackendTypeName(BackendType backend) {
  return ToName("backend", kBackends, backend);
}

std::string_view PrecisionTypeName(PrecisionType precision) {
  return ToName("precision", kPrecisions, precision);
}

void ModelOptions::Validate() const {
  if (name.empty()) throw Error("name is empty; expected a model file or the name of an installed model");
  BackendTypeName(backend);
  PrecisionTypeName(precision);
  ThreadPool::CheckCount(threads);
}

Model::Model(const ModelOptions& options) {
  options.Validate();
  const BackendKind kind =
      ChooseBackend(BackendTypeName(options.backend), PrecisionTypeName(options.precision));
  network_ = std::make_shared<SharedNetwork>(OpenModel(options.name).file, kind, options.threads);
}

std::string Model::name() const {
  return network_->network.config().name;
}

std::string Model::backend() const {
  return network_->backend->Description();
}

int Model::window_frames() const {
  return network_->network.config().window;
}

bool Model::has_confidence() const {
  return network_->network.config().head.confidence;
}

}  // namespace calfvo
