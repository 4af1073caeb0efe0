// SPDX-License-Identifier: Apache-2.0
// The loaders, one per file beside this one; find_sequences.cc holds the table that chooses among them. To
// add a dataset: write its file, declare it here, add its row there and its section in docs/datasets.md.
//
// An Is… function returns whether a path (a folder, or for .sens a file) looks like one sequence, from names
// alone. An Open… function reads it; `name` becomes the sequence's. Paths are absolute and normal, so that
// their parents can be asked for.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "io/datasets/sequence.h"

namespace calfvo {

using OpenedSequence = std::unique_ptr<Sequence>;

// A .sens file, or a folder with one of the folder's own name.
bool IsScanNet(const std::filesystem::path& path);
OpenedSequence OpenScanNet(const std::filesystem::path& path, const std::string& name);

// What ScanNet's exporters make of it: color/ and pose/ (Python), or frame-000000.color.jpg (C++).
bool IsScanNetFolder(const std::filesystem::path& path);
OpenedSequence OpenScanNetFolder(const std::filesystem::path& path, const std::string& name);
bool IsScanNetFrames(const std::filesystem::path& path);
OpenedSequence OpenScanNetFrames(const std::filesystem::path& path, const std::string& name);

// frame-000000.color.png
bool IsSevenScenes(const std::filesystem::path& path);
OpenedSequence OpenSevenScenes(const std::filesystem::path& path, const std::string& name);

// sequences/SS with image_2/ or image_0/
bool IsKitti(const std::filesystem::path& path);
OpenedSequence OpenKitti(const std::filesystem::path& path, const std::string& name);

bool IsVirtualKitti1(const std::filesystem::path& path);
OpenedSequence OpenVirtualKitti1(const std::filesystem::path& path, const std::string& name);
bool IsVirtualKitti2(const std::filesystem::path& path);
OpenedSequence OpenVirtualKitti2(const std::filesystem::path& path, const std::string& name);

bool IsTartanAir1(const std::filesystem::path& path);
OpenedSequence OpenTartanAir1(const std::filesystem::path& path, const std::string& name);
bool IsTartanAir2(const std::filesystem::path& path);
OpenedSequence OpenTartanAir2(const std::filesystem::path& path, const std::string& name);

// A folder with rgb.txt; IsTum: whether it is one of the TUM RGB-D sets themselves.
bool IsTum(const std::filesystem::path& path);
bool IsTumLayout(const std::filesystem::path& path);
OpenedSequence OpenTum(const std::filesystem::path& path, const std::string& name);

bool IsEuroc(const std::filesystem::path& path);
OpenedSequence OpenEuroc(const std::filesystem::path& path, const std::string& name);

}  // namespace calfvo
