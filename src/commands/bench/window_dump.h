// SPDX-License-Identifier: Apache-2.0
// One window's images and the network's raw outputs, for comparison with another implementation.
#pragma once

#include <filesystem>

#include "nn/backend/backend.h"
#include "nn/model/network.h"

namespace calfvo {

// Writes a safetensors file: `images` [K, 3, S, S], noise, as the network takes them, of which the first is
// the first of a video; and `values` [K − 1, m], the head's raw outputs for that window. Both are F32.
// Metadata `backend` describes what computed. Throws Error.
void DumpWindow(Network& network, const Backend& backend, const std::filesystem::path& path);

}  // namespace calfvo
