// SPDX-License-Identifier: Apache-2.0
// Names of scene kinds, and building scenes on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "synth/scene/scene.h"

namespace calfvo {

// room, corridor, warehouse, hall, street, terrain, aerial-city, aerial-fields.
std::string_view SceneKindName(SceneKind kind);
// Throws Error listing the names otherwise.
SceneKind SceneKindFromName(std::string_view name);

// A scene of 80 KB on the heap.
std::unique_ptr<synth::Scene> MakeScene(SceneKind kind, uint64_t seed);

}  // namespace calfvo
