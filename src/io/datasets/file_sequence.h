// SPDX-License-Identifier: Apache-2.0
// Sequences whose images are files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/datasets/sequence.h"

namespace calfvo {

struct NumberedFile {
  int64_t number = 0;
  std::filesystem::path path;
};

// The files of `folder` that are named prefix, digits, suffix; by number, with or without leading zeros.
// Throws Error when there are none, or two of one number.
std::vector<NumberedFile> NumberedFiles(const std::filesystem::path& folder, std::string_view prefix,
                                        std::string_view suffix);

struct ImageFile {
  int64_t timestamp_ns = 0;
  std::optional<Rigid3> world_from_camera;
  std::filesystem::path path;
};

// `images` are in order of time. Those that do not exist are left out: sets have gaps. Throws Error naming
// the one that exists but is not a readable file (a folder, a link to itself), naming `folder` when none is
// left, and where time does not increase or spans over 292 years.
std::unique_ptr<Sequence> MakeFileSequence(const std::string& name, const std::filesystem::path& folder,
                                           std::vector<ImageFile> images,
                                           std::optional<CameraIntrinsics> intrinsics);

}  // namespace calfvo
