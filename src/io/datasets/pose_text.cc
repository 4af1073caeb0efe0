// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/pose_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "calfvo/error.h"
#include "core/base/temporary_error.h"
#include "core/geometry/procrustes.h"
#include "core/trajectory/pose_checks.h"
#include "io/datasets/paths.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

bool IsFinite(double value) {
  return std::isfinite(value);
}

}  // namespace

std::ifstream OpenText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) ThrowSystemError(path.string() + ": cannot open", errno);
  if (IsFolder(path)) throw Error(path.string() + ": cannot open: it is a folder");
  return stream;
}

std::optional<Rigid3> RigidFromMatrix(std::span<const double, 16> matrix) {
  if (!std::all_of(matrix.begin(), matrix.end(), IsFinite)) return {};
  const Eigen::Matrix4d full = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(matrix.data());
  const Eigen::Matrix3d block = full.topLeftCorner<3, 3>();
  const Eigen::Matrix3d rotation = NearestRotation(block);
  constexpr double kTolerance = 0.01;
  const bool is_rigid = (block - rotation).norm() <= kTolerance &&
                        (full.row(3) - Eigen::RowVector4d(0.0, 0.0, 0.0, 1.0)).norm() <= kTolerance;
  if (!is_rigid) return {};
  return Rigid3{Quaternion(rotation), full.topRightCorner<3, 1>()};
}

std::optional<Rigid3> TakePose(const LineReader& reader, FieldReader& fields) {
  double values[7];
  for (double& value : values) value = fields.AnyNumber();
  if (!std::all_of(std::begin(values), std::end(values), IsFinite)) return {};
  return Rigid3{CheckedQuaternion(reader, values[3], values[4], values[5], values[6]),
                {values[0], values[1], values[2]}};
}

std::vector<double> ReadNumbers(const fs::path& path, size_t count) {
  TextFile file(path);
  std::vector<double> numbers;
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ' ', "numbers");
    for (int left = CountFields(line, ' '); left > 0; --left) {
      if (numbers.size() == count) file.reader().Fail(fmt::format("more than {} numbers", count));
      numbers.push_back(fields.AnyNumber());
    }
  }
  if (numbers.size() < count) {
    throw Error(fmt::format("{}: has {} numbers; expected {}", path.string(), numbers.size(), count));
  }
  return numbers;
}

std::optional<Rigid3> ReadMatrixPose(const fs::path& path) {
  if (!IsFile(path)) return {};
  return RigidFromMatrix(std::span<const double, 16>(ReadNumbers(path, 16)));
}

}  // namespace calfvo
