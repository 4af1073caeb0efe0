// SPDX-License-Identifier: Apache-2.0
// Trajectories with NumPy views, and their evaluation.
#include "calfvo/trajectory.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <optional>
#include <string>

#include "bindings.h"
#include "calfvo/error.h"
#include "calfvo/evaluation.h"

namespace calfvo::python {
namespace {

using Times = nb::ndarray<nb::numpy, const int64_t, nb::ndim<1>>;
using Rows = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;
using Matrices = nb::ndarray<nb::numpy, const double, nb::ndim<3>>;
using TimesIn = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RowsIn = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MatricesIn = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// A pose is seven doubles: x, y, z, w of the quaternion, then the position.
constexpr int64_t kPoseDoubles = 7;
static_assert(sizeof(Rigid3) == kPoseDoubles * sizeof(double));

const double* PoseData(const Trajectory& trajectory) {
  return reinterpret_cast<const double*>(trajectory.world_from_camera.data());
}

// A view of part of each pose, which keeps `self` alive.
Rows PoseColumns(const nb::object& self, size_t first, size_t count) {
  const auto& trajectory = nb::cast<const Trajectory&>(self);
  return Rows(PoseData(trajectory) + first, {trajectory.size(), count}, self, {kPoseDoubles, 1});
}

Trajectory FromArrays(const TimesIn& timestamps_ns, const RowsIn& positions, const RowsIn& quaternions,
                      const std::optional<MatricesIn>& covariances) {
  const size_t count = timestamps_ns.shape(0);
  if (positions.shape(0) != count || positions.shape(1) != 3) {
    throw Error("positions must have shape [" + std::to_string(count) + ", 3], one row per timestamp");
  }
  if (quaternions.shape(0) != count || quaternions.shape(1) != 4) {
    throw Error("quaternions_xyzw must have shape [" + std::to_string(count) + ", 4], one row per timestamp");
  }
  if (covariances &&
      (covariances->shape(0) != count || covariances->shape(1) != 6 || covariances->shape(2) != 6)) {
    throw Error("covariances must have shape [" + std::to_string(count) +
                ", 6, 6], one matrix per timestamp");
  }
  Trajectory trajectory;
  for (size_t i = 0; i < count; ++i) {
    trajectory.timestamps_ns.push_back(timestamps_ns(i));
    trajectory.world_from_camera.push_back(
        {Quaternion(quaternions(i, 3), quaternions(i, 0), quaternions(i, 1), quaternions(i, 2)),
         {positions(i, 0), positions(i, 1), positions(i, 2)}});
    if (covariances) {
      Matrix6& covariance = trajectory.covariances.emplace_back();
      std::memcpy(covariance.data(), covariances->data() + 36 * i, 36 * sizeof(double));
      covariance.transposeInPlace();
    }
  }
  return trajectory;
}

Matrices AllMatrices(const Trajectory& trajectory) {
  auto* values = new double[trajectory.size() * 16]();
  const nb::capsule owner(values, [](void* data) noexcept { delete[] static_cast<double*>(data); });
  for (size_t i = 0; i < trajectory.size(); ++i) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> matrix(values + 16 * i);
    matrix.setIdentity();
    matrix.topLeftCorner<3, 3>() = trajectory.world_from_camera[i].rotation.toRotationMatrix();
    matrix.topRightCorner<3, 1>() = trajectory.world_from_camera[i].translation;
  }
  return Matrices(values, {trajectory.size(), 4, 4}, owner);
}

double Length(const Trajectory& trajectory) {
  double length = 0.0;
  for (size_t i = 1; i < trajectory.size(); ++i) {
    length += (trajectory.world_from_camera[i].translation - trajectory.world_from_camera[i - 1].translation)
                  .norm();
  }
  return length;
}

// File names end as the program's outputs do.
TrajectoryFormat FormatOf(const std::filesystem::path& path, const std::optional<std::string>& format) {
  if (format) return TrajectoryFormatFromName(*format);
  const std::string suffix = path.extension().string();
  if (suffix == ".npz" || suffix == ".csv" || suffix == ".kitti" || suffix == ".euroc") {
    return TrajectoryFormatFromName(suffix.substr(1));
  }
  return TrajectoryFormat::kTum;
}

nb::object ToEvo(const Trajectory& trajectory) {
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object evo = nb::module_::import_("evo.core.trajectory");
  nb::list times, positions, quaternions;
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const Rigid3& pose = trajectory.world_from_camera[i];
    times.append(1e-9 * static_cast<double>(trajectory.timestamps_ns[i]));
    positions.append(nb::make_tuple(pose.translation.x(), pose.translation.y(), pose.translation.z()));
    quaternions.append(
        nb::make_tuple(pose.rotation.w(), pose.rotation.x(), pose.rotation.y(), pose.rotation.z()));
  }
  using namespace nb::literals;
  return evo.attr("PoseTrajectory3D")("positions_xyz"_a = numpy.attr("array")(positions),
                                      "orientations_quat_wxyz"_a = numpy.attr("array")(quaternions),
                                      "timestamps"_a = numpy.attr("array")(times));
}

}  // namespace

void BindTrajectory(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Trajectory>(
      module, "Trajectory",
      "Poses in time order: world_from_camera, metres; cameras look along +z, x right, y down.\n\n"
      "timestamps_ns, positions, quaternions_xyzw and covariances are read-only views of the\n"
      "trajectory's memory: no copy is made, and they stay valid as long as you hold them.")
      .def(
          "__init__",
          [](Trajectory* self, const TimesIn& timestamps_ns, const RowsIn& positions,
             const RowsIn& quaternions, const std::optional<MatricesIn>& covariances) {
            new (self) Trajectory(FromArrays(timestamps_ns, positions, quaternions, covariances));
          },
          "timestamps_ns"_a, "positions"_a, "quaternions_xyzw"_a, "covariances"_a = nb::none(),
          "From arrays: [N] int64, [N, 3], [N, 4] and, if known, [N, 6, 6] float64.")
      .def_static(
          "read",
          [](const std::filesystem::path& path, const std::optional<std::string>& format) {
            const nb::gil_scoped_release release;
            return ReadTrajectory(path,
                                  format ? std::optional(TrajectoryFormatFromName(*format)) : std::nullopt);
          },
          "path"_a, "format"_a = nb::none(),
          "Reads a file in TUM, KITTI, EuRoC or calfvo's CSV format, recognised by its first data line\n"
          "unless `format` names it.")
      .def(
          "write",
          [](const Trajectory& self, const std::filesystem::path& path,
             const std::optional<std::string>& format) {
            const nb::gil_scoped_release release;
            WriteTrajectory(self, path, FormatOf(path, format));
          },
          "path"_a, "format"_a = nb::none(),
          "Writes the file whole or not at all. `format` is tum, kitti, euroc, csv or npz; by default what "
          "the\n"
          "name ends with, else tum.")
      .def("__len__", &Trajectory::size)
      .def("__repr__",
           [](const Trajectory& self) {
             return "calfvo.Trajectory(" + std::to_string(self.size()) + " poses, " +
                    std::to_string(Length(self)) + " m)";
           })
      .def_prop_ro(
          "timestamps_ns",
          [](const nb::object& self) {
            const auto& t = nb::cast<const Trajectory&>(self);
            return Times(t.timestamps_ns.data(), {t.size()}, self);
          },
          nb::sig("def timestamps_ns(self) -> numpy.typing.NDArray[numpy.int64]"), "[N] nanoseconds.")
      .def_prop_ro(
          "positions", [](const nb::object& self) { return PoseColumns(self, 4, 3); },
          nb::sig("def positions(self) -> numpy.typing.NDArray[numpy.float64]"), "[N, 3] metres.")
      .def_prop_ro(
          "quaternions_xyzw", [](const nb::object& self) { return PoseColumns(self, 0, 4); },
          nb::sig("def quaternions_xyzw(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[N, 4] rotations, as SciPy orders them.")
      .def_prop_ro("matrices", &AllMatrices, nb::rv_policy::move,
                   nb::sig("def matrices(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "[N, 4, 4] world_from_camera; computed anew at each access.")
      .def_prop_ro(
          "covariances",
          [](const nb::object& self) -> std::optional<Matrices> {
            const auto& t = nb::cast<const Trajectory&>(self);
            if (t.covariances.empty()) return std::nullopt;
            return Matrices(reinterpret_cast<const double*>(t.covariances.data()), {t.size(), 6, 6}, self);
          },
          nb::sig("def covariances(self) -> numpy.typing.NDArray[numpy.float64] | None"),
          "[N, 6, 6] of (δp, δθ): metres along world axes, radians about camera axes; None if unknown.")
      .def_prop_ro("length_m", &Length, "Length of the path in metres.")
      .def_ro("has_time", &Trajectory::has_time, "False if timestamps count frames (KITTI).")
      .def("to_evo", &ToEvo, nb::sig("def to_evo(self) -> typing.Any"),
           "An evo.core.trajectory.PoseTrajectory3D; needs the package evo.");

  nb::class_<Statistics>(module, "Statistics", "Summary of a series of errors.")
      .def_ro("rmse", &Statistics::rmse)
      .def_ro("mean", &Statistics::mean)
      .def_ro("median", &Statistics::median)
      .def_ro("std", &Statistics::std)
      .def_ro("min", &Statistics::min)
      .def_ro("max", &Statistics::max);
  nb::class_<Evaluation>(module, "Evaluation", "Errors of an estimate: metres and degrees (docs/metrics.md).")
      .def_prop_ro(
          "pairs", [](const Evaluation& self) { return self.pairs.size(); }, "Matched poses.")
      .def_prop_ro("align", [](const Evaluation& self) { return std::string(AlignmentName(self.alignment)); })
      .def_ro("fitted_scale", &Evaluation::fitted_scale, "The scale of a Sim(3) fit: 1 means metric.")
      .def_ro("t_rel", &Evaluation::t_rel_m, "Mean translation error per frame, metres.")
      .def_ro("r_rel", &Evaluation::r_rel_deg, "Mean rotation error per frame, degrees.")
      .def_ro("ape_trans", &Evaluation::ape_trans)
      .def_ro("ape_rot_deg", &Evaluation::ape_rot)
      .def_ro("rpe_trans", &Evaluation::rpe_trans)
      .def_ro("rpe_rot_deg", &Evaluation::rpe_rot)
      .def("__repr__", [](const Evaluation& self) {
        return "calfvo.Evaluation(" + std::to_string(self.pairs.size()) + " pairs, t_rel " +
               std::to_string(self.t_rel_m) + " m, r_rel " + std::to_string(self.r_rel_deg) + " deg)";
      });
  module.def(
      "evaluate",
      [](const Trajectory& reference, const Trajectory& estimate, const std::string& align, double max_diff) {
        const nb::gil_scoped_release release;
        return Evaluate(reference, estimate,
                        {.alignment = AlignmentFromName(align), .max_time_difference_s = max_diff});
      },
      "reference"_a, "estimate"_a, "align"_a = "none", "max_diff"_a = 0.01,
      "Compares `estimate` with `reference` after alignment none, origin, se3 or sim3.\n\n"
      "Poses further apart in time than max_diff seconds are not matched.");
}

}  // namespace calfvo::python
