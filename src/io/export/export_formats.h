// SPDX-License-Identifier: Apache-2.0
// One function per format and file beside this one. Each writes whole files or none (core/base/atomic_file.h)
// and throws Error.
#pragma once

#include <filesystem>

#include "io/export/exports.h"

namespace calfvo {

// transforms.json of nerfstudio and instant-ngp, for images in images/, and points.ply beside it if there are
// points.
void WriteNerfstudio(const ExportedRun& run, const std::filesystem::path& folder);

// Points and path as one PLY file; the path is in edges.
void WriteScenePly(const ExportedRun& run, const std::filesystem::path& path);

// A script for Blender that adds the animated camera, and the points in ../points.ply.
void WriteBlenderScript(const ExportedRun& run, const std::filesystem::path& path);

// Binary glTF: the animated camera, its path and the points.
void WriteGlb(const ExportedRun& run, const std::filesystem::path& path);

// ROS 2 messages and some of Foxglove's, with compressed images if `options.images`.
void WriteMcap(const ExportedRun& run, const ExportOptions& options, const std::filesystem::path& path);

}  // namespace calfvo
