// SPDX-License-Identifier: Apache-2.0
// The names of a configuration's choices, in model files and in training configurations.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "nn/architecture/model_config.h"

namespace calfvo {

template <typename Enum>
struct ConfigName {
  Enum value;
  const char* name;
};
inline constexpr ConfigName<EncoderKind> kEncoderNames[] = {{EncoderKind::kCroco, "croco"},
                                                            {EncoderKind::kDinov2, "dinov2"},
                                                            {EncoderKind::kDinov3, "dinov3"},
                                                            {EncoderKind::kPair, "pair"}};
inline constexpr ConfigName<DecoderKind> kDecoderNames[] = {{DecoderKind::kTimeSpace, "time_space"},
                                                            {DecoderKind::kFull, "full"}};
inline constexpr ConfigName<RotationHead> kRotationNames[] = {{RotationHead::kProcrustes, "procrustes"},
                                                              {RotationHead::kGramSchmidt, "gram_schmidt"},
                                                              {RotationHead::kQuaternion, "quaternion"},
                                                              {RotationHead::kEuler, "euler"}};
inline constexpr ConfigName<ResizeRule> kResizeNames[] = {{ResizeRule::kCrop, "crop"},
                                                          {ResizeRule::kSquash, "squash"}};
inline constexpr ConfigName<ResizeFilter> kFilterNames[] = {
    {ResizeFilter::kLanczosOrBicubic, "lanczos_or_bicubic"},
    {ResizeFilter::kBicubic, "bicubic"},
    {ResizeFilter::kBilinear, "bilinear"},
    {ResizeFilter::kLanczos, "lanczos"}};
inline constexpr ConfigName<PositionInterpolation> kInterpolationNames[] = {
    {PositionInterpolation::kOffset, "offset"}, {PositionInterpolation::kAntialias, "antialias"}};

template <typename Enum, size_t count>
const char* NameOf(const ConfigName<Enum> (&names)[count], Enum value) {
  for (const auto& entry : names) {
    if (entry.value == value) return entry.name;
  }
  throw Error("a configuration holds an unknown enumerator");
}

// Throws Error listing the names; `what` stands for the field.
template <typename Enum, size_t count>
Enum ValueOf(const ConfigName<Enum> (&names)[count], std::string_view name, std::string_view what) {
  std::string known;
  for (const auto& entry : names) {
    if (name == entry.name) return entry.value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  }
  throw Error(fmt::format("{} is {}; expected one of {}", what, Quoted(name), known));
}

}  // namespace calfvo
