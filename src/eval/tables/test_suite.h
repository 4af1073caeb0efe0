// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: small recordings on disk, and the texts of tables. Included by
// *_test.cc files only.
#pragma once

#include "eval/tables/result_table.h"
#include "io/datasets/test_sequences.h"

namespace calfvo {

// A TUM-layout folder of `frames` images and a path that `seed` bends; ten frames a second.
inline void WriteRecording(const std::filesystem::path& folder, int frames, int seed) {
  std::string list, poses;
  Rigid3 pose;
  for (int i = 0; i < frames; ++i) {
    const std::string stamp = fmt::format("{}.{}", 100 + i / 10, i % 10);
    list += fmt::format("{} rgb/{}.png\n", stamp, i);
    WriteFile(folder / "rgb" / fmt::format("{}.png", i), TruePng((i * seed) % 7));
    const Quaternion& q = pose.rotation;
    poses += fmt::format("{} {} {}\n", stamp, Numbers17(pose.translation), Numbers17(q.coeffs()));
    pose = pose * Rigid3{ExpSO3({0.0, 0.02 * seed, 0.01 * i}), {0.1 * seed, 0.01 * i, 0.3}};
  }
  WriteFile(folder / "rgb.txt", list);
  WriteFile(folder / "groundtruth.txt", poses);
}

inline std::vector<std::string> Texts(const std::vector<TableCell>& row) {
  std::vector<std::string> texts;
  for (const TableCell& cell : row) texts.push_back(cell.text);
  return texts;
}

}  // namespace calfvo
