// SPDX-License-Identifier: Apache-2.0
// For tests that run over every kind of scene.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "synth/scene/scene_kind.h"

namespace calfvo {

// GoogleTest takes no '-' in names.
inline std::string KindName(const testing::TestParamInfo<int>& info) {
  std::string name(SceneKindName(static_cast<SceneKind>(info.param)));
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

}  // namespace calfvo
