// SPDX-License-Identifier: Apache-2.0
// Textures from files.
#pragma once

#include <filesystem>

#include "synth/render/texture_pool.h"

namespace calfvo {

// Every image of a folder, in order of names; no textures where the path is empty. Throws Error naming the
// folder that has none, or the file that cannot be read.
TexturePool ReadTextures(const std::filesystem::path& folder);

}  // namespace calfvo
