// SPDX-License-Identifier: Apache-2.0
// Poses and other numbers in the datasets' text files.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "calfvo/geometry.h"
#include "core/base/line_reader.h"

namespace calfvo {

// Throws Error naming the file when it cannot be opened.
std::ifstream OpenText(const std::filesystem::path& path);

// A text file, open for reading line by line.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path)
      : stream_(OpenText(path)), reader_(stream_, path.string()) {}
  LineReader& reader() { return reader_; }

 private:
  std::ifstream stream_;
  LineReader reader_;
};

// The motion of a row-major 4×4 matrix, its rotation made orthonormal. Nothing where an element is not
// finite, where the block is over 0.01 (Frobenius) away from a rotation, and where the last row is not
// 0 0 0 1: datasets mark lost tracking with −inf, NaN or zeros.
std::optional<Rigid3> RigidFromMatrix(std::span<const double, 16> matrix);

// The next seven fields, `tx ty tz qx qy qz qw`, as they are. Nothing where one is not finite. A quaternion
// that is not of unit norm within 1 % is an error.
std::optional<Rigid3> TakePose(const LineReader& reader, FieldReader& fields);

// All numbers of a file, blank-separated, over any lines. Throws Error unless there are `count` of them.
std::vector<double> ReadNumbers(const std::filesystem::path& path, size_t count);

// The pose in a file of a 4×4 matrix; nothing as above, and without such a file.
std::optional<Rigid3> ReadMatrixPose(const std::filesystem::path& path);

}  // namespace calfvo
