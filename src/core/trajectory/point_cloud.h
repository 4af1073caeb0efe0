// SPDX-License-Identifier: Apache-2.0
// points.ply: the map points of a run as a binary little-endian PLY file that any viewer of point clouds
// opens. One element, vertex, with x y z (float, metres), red green blue (uchar), first_frame and views
// (int).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "calfvo/camera.h"

namespace calfvo {

// Coordinates are rounded to single precision. Throws Error for coordinates that are not finite as such,
// for negative counts, and if writing fails.
void WritePoints(const std::vector<MapPoint>& points, const std::filesystem::path& path);

// Reads what WritePoints writes; other properties, types or encodings are an error, and so are missing or
// additional bytes, coordinates that are not finite and negative counts. Memory is bounded by the file's
// size.
std::vector<MapPoint> ReadPoints(const std::filesystem::path& path);

// The same from memory; `name` stands for the file in messages.
std::vector<MapPoint> ParsePoints(std::string_view bytes, std::string_view name);

}  // namespace calfvo
