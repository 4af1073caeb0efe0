// SPDX-License-Identifier: Apache-2.0
// Images and videos to poses.
#include "calfvo/odometry.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include "bindings.h"

namespace calfvo::python {
namespace {

using ImageArray = nb::ndarray<nb::ro, nb::device::cpu>;

// A new array [n, n], which owns its values.
template <int kSize, typename Fill>
Matrix NewMatrix(const Fill& fill) {
  auto* values = new double[kSize * kSize];
  const nb::capsule owner(values, [](void* data) noexcept { delete[] static_cast<double*>(data); });
  fill(Eigen::Map<Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor>>(values));
  return Matrix(values, {kSize, kSize}, owner);
}

// What an array's type and shape say of its pixels, unless the caller does.
PixelFormat FormatOf(const ImageArray& array, const std::optional<std::string>& format) {
  if (format) return PixelFormatFromName(*format);
  if (array.ndim() == 2)
    return array.dtype() == nb::dtype<uint16_t>() ? PixelFormat::kGray16 : PixelFormat::kGray8;
  return array.ndim() == 3 && array.shape(2) == 4 ? PixelFormat::kRgba8 : PixelFormat::kRgb8;
}

// The array's memory, borrowed. Rows may have gaps between them, pixels not.
ImageView ViewOf(const ImageArray& array, const std::optional<std::string>& format) {
  const PixelFormat pixels = FormatOf(array, format);
  size_t channels = 1;
  switch (pixels) {
    case PixelFormat::kRgb8:
    case PixelFormat::kBgr8:
      channels = 3;
      break;
    case PixelFormat::kRgba8:
    case PixelFormat::kBgra8:
      channels = 4;
      break;
    case PixelFormat::kYuyv:
      channels = 2;
      break;
    case PixelFormat::kGray8:
    case PixelFormat::kGray16:
    case PixelFormat::kNv12:
      break;
  }
  const bool is_wide = pixels == PixelFormat::kGray16;
  const std::string name(PixelFormatName(pixels));
  if (array.dtype() != (is_wide ? nb::dtype<uint16_t>() : nb::dtype<uint8_t>())) {
    throw Error("image: " + name + " needs an array of " + (is_wide ? "uint16" : "uint8"));
  }
  const bool has_channels = array.ndim() == 3 && array.shape(2) == channels;
  if (!has_channels && !(array.ndim() == 2 && channels == 1)) {
    throw Error("image: " + name + " needs an array of shape [height, width" +
                (channels == 1 ? "]" : ", " + std::to_string(channels) + "]"));
  }
  if (array.shape(0) > 32768 || array.shape(1) > 32768)
    throw Error("image: sides of 1 to 16384 pixels expected");
  const auto step = static_cast<int64_t>(channels);
  if ((array.shape(1) > 1 && array.stride(1) != step) ||
      (has_channels && channels > 1 && array.stride(2) != 1)) {
    throw Error("image: pixels are not next to each other in memory; pass numpy.ascontiguousarray(image)");
  }
  const int rows = static_cast<int>(array.shape(0));
  if (pixels == PixelFormat::kNv12 && rows % 3 != 0) {
    throw Error("image: nv12 needs an array of shape [height * 3 / 2, width]");
  }
  return {.width = static_cast<int>(array.shape(1)),
          .height = pixels == PixelFormat::kNv12 ? rows / 3 * 2 : rows,
          .format = pixels,
          .pixels = static_cast<const uint8_t*>(array.data()),
          .stride = array.shape(0) > 1 ? array.stride(0) * (is_wide ? 2 : 1) : 0};
}

// Serialises calls, since Python's lock is released during them.
class LockedOdometry {
 public:
  LockedOdometry(const Model& model, const OdometryOptions& options) : odometry_(model, options) {}

  template <typename Call>
  auto With(const Call& call) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return call(odometry_);
  }

 private:
  std::mutex mutex_;
  Odometry odometry_;
};

ModelOptions ToModelOptions(const std::string& model, const std::string& backend,
                            const std::string& precision, int threads) {
  return {model, BackendTypeFromName(backend), PrecisionTypeFromName(precision), threads};
}

FrameOptions ToFrameOptions(double fps, int stride, double start, const std::optional<double>& end) {
  return {.frames_per_second = fps, .stride = stride, .start_s = start, .end_s = end};
}

Trajectory Estimate(const Model& model, const std::string& input, bool flip, int overlap, double fps,
                    int stride, double start, const std::optional<double>& end, const nb::object& on_pose) {
  EstimateOptions options{.frames = ToFrameOptions(fps, stride, start, end),
                          .odometry = {.overlap = overlap, .flip = flip}};
  if (!on_pose.is_none()) {
    options.on_pose = [&](const PoseEstimate& pose) {
      const nb::gil_scoped_acquire acquire;
      on_pose(pose);
    };
  }
  Trajectory trajectory;
  RunInterruptibly([&](const std::atomic<bool>& stop) {
    options.frames.stop = &stop;
    trajectory = EstimateTrajectory(model, input, options);
  });
  return trajectory;
}

void BindPoses(nb::module_& module) {
  nb::class_<PoseEstimate>(module, "PoseEstimate", "Pose, uncertainty and health of one image.")
      .def_ro("timestamp_ns", &PoseEstimate::timestamp_ns)
      .def_prop_ro(
          "world_from_camera", [](const PoseEstimate& self) { return ToNumpy(self.world_from_camera); },
          nb::rv_policy::move, nb::sig("def world_from_camera(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[4, 4], metres; the world is the first camera.")
      .def_prop_ro(
          "covariance", [](const PoseEstimate& self) { return ToNumpy(self.covariance); },
          nb::rv_policy::move, nb::sig("def covariance(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[6, 6] of (δp, δθ), accumulated since the first image.")
      .def_prop_ro(
          "previous_from_current",
          [](const PoseEstimate& self) { return ToNumpy(self.previous_from_current); }, nb::rv_policy::move,
          nb::sig("def previous_from_current(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[4, 4], the relative pose to the image before: for filters and pose graphs.")
      .def_prop_ro(
          "relative_covariance", [](const PoseEstimate& self) { return ToNumpy(self.relative_covariance); },
          nb::rv_policy::move,
          nb::sig("def relative_covariance(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[6, 6] of its errors: along the previous camera's axes, about this camera's.")
      .def_ro("windows", &PoseEstimate::windows, "Windows that estimated the relative pose.")
      .def_ro("frames_dropped_before", &PoseEstimate::frames_dropped_before)
      .def_ro("damage", &PoseEstimate::damage, "Why the image is not what the camera saw; empty if it is.")
      .def_ro("is_static", &PoseEstimate::is_static, "The motion cannot be distinguished from none.")
      .def_ro("is_provisional", &PoseEstimate::is_provisional);
}

void BindFrames(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Frame>(module, "Frame", "One image of a video.")
      .def_ro("index", &Frame::index, "In the source, from 0.")
      .def_ro("timestamp_ns", &Frame::timestamp_ns)
      .def_ro("pixel_aspect", &Frame::pixel_aspect)
      .def_ro("damage", &Frame::damage, "Why the image is not what the camera saw; empty if it is.")
      .def_prop_ro(
          "image",
          [](const nb::object& self) {
            const auto& frame = nb::cast<const Frame&>(self);
            return nb::ndarray<nb::numpy, const uint8_t, nb::ndim<3>>(
                frame.rgb.data(), {static_cast<size_t>(frame.height), static_cast<size_t>(frame.width), 3},
                self);
          },
          nb::sig("def image(self) -> numpy.typing.NDArray[numpy.uint8]"),
          "[height, width, 3] RGB, a read-only view.");
  nb::class_<FrameReader>(module, "FrameReader", "Iterates over the frames of an input; see calfvo.frames.")
      .def(
          "__init__",
          [](FrameReader* self, const std::string& input, double fps, int stride, double start,
             const std::optional<double>& end) {
            const nb::gil_scoped_release release;
            new (self) FrameReader(input, ToFrameOptions(fps, stride, start, end));
          },
          "input"_a, "fps"_a = 0.0, "stride"_a = 1, "start"_a = 0.0, "end"_a = nb::none())
      .def(
          "__iter__", [](const nb::object& self) { return self; },
          nb::sig("def __iter__(self) -> FrameReader"))
      .def("__next__",
           [](FrameReader& self) {
             Frame frame;
             bool has_frame = false;
             {
               const nb::gil_scoped_release release;
               has_frame = self.Next(frame);
             }
             if (PyErr_CheckSignals() != 0) throw nb::python_error();
             if (!has_frame) throw nb::stop_iteration();
             return frame;
           })
      .def_prop_ro("description", &FrameReader::description)
      .def_prop_ro("frame_count", &FrameReader::frame_count, "None if unknown; may be an estimate.");
}

}  // namespace

Matrix ToNumpy(const Rigid3& pose) {
  return NewMatrix<4>([&](auto matrix) {
    matrix.setIdentity();
    matrix.template topLeftCorner<3, 3>() = pose.rotation.toRotationMatrix();
    matrix.template topRightCorner<3, 1>() = pose.translation;
  });
}

Matrix ToNumpy(const Matrix6& covariance) {
  return NewMatrix<6>([&](auto matrix) { matrix = covariance; });
}

void BindOdometry(nb::module_& module) {
  using namespace nb::literals;
  BindPoses(module);
  BindFrames(module);
  nb::class_<Model>(module, "Model",
                    "Weights on a backend, loaded once and shared by several Odometry objects.")
      .def(
          "__init__",
          [](Model* self, const std::string& name, const std::string& backend, const std::string& precision,
             int threads) {
            const nb::gil_scoped_release release;
            new (self) Model(ToModelOptions(name, backend, precision, threads));
          },
          "name"_a = "calfvo-s", "backend"_a = "auto", "precision"_a = "auto", "threads"_a = 0,
          "`name` is a model file or an installed model; backend auto, cpu, cuda or ref; precision auto, "
          "f32,\n"
          "bf16, int8 or fp8; threads 0 for one per core. Threads do not affect poses.")
      .def_prop_ro("name", &Model::name)
      .def_prop_ro("backend", &Model::backend, "\"cpu bf16 (AVX-512), 2 threads\".")
      .def_prop_ro("window_frames", &Model::window_frames)
      .def_prop_ro("has_confidence", &Model::has_confidence);
  nb::class_<LockedOdometry>(
      module, "Odometry",
      "One video, image by image. Poses are those of estimate_trajectory to the bit.\n\n"
      "    odometry = calfvo.Odometry()\n"
      "    for frame in calfvo.frames(\"holiday.mp4\"):\n"
      "        for pose in odometry.add_frame(frame.image, frame.timestamp_ns):\n"
      "            print(pose.timestamp_ns, pose.world_from_camera)\n"
      "    last = odometry.flush()")
      .def(
          "__init__",
          [](LockedOdometry* self, const std::optional<Model>& model, int overlap, bool flip) {
            const nb::gil_scoped_release release;
            new (self) LockedOdometry(model ? *model : Model(), {.overlap = overlap, .flip = flip});
          },
          "model"_a = nb::none(), "overlap"_a = 5, "flip"_a = false,
          "With `model`, or calfvo-s loaded for this object alone.")
      .def(
          "add_frame",
          [](LockedOdometry& self, const ImageArray& image, int64_t timestamp_ns,
             const std::optional<std::string>& format) {
            const ImageView view = ViewOf(image, format);
            return self.With([&](Odometry& odometry) { return odometry.AddFrame(view, timestamp_ns); });
          },
          "image"_a, "timestamp_ns"_a, "format"_a = nb::none(),
          nb::sig("def add_frame(self, image: numpy.typing.NDArray[typing.Any], timestamp_ns: int, "
                  "format: str | None = None) -> list[PoseEstimate]"),
          "Adds an image and returns the poses that became final. No copy is made.\n\n"
          "uint8 [h, w, 3] is RGB, [h, w, 4] RGBA, [h, w] grey; uint16 [h, w] grey. `format` names others:\n"
          "bgr8 (OpenCV), bgra8, yuyv [h, w, 2], nv12 [h * 3 / 2, w].")
      .def(
          "estimate_newest",
          [](LockedOdometry& self) {
            return self.With([](Odometry& odometry) { return odometry.EstimateNewest(); });
          },
          "The provisional pose of the image added last: what flush would give it now. Costs one more "
          "window.")
      .def(
          "flush",
          [](LockedOdometry& self) { return self.With([](Odometry& odometry) { return odometry.Flush(); }); },
          "Ends the video and returns its last poses.")
      .def(
          "reset", [](LockedOdometry& self) { self.With([](Odometry& odometry) { odometry.Reset(); }); },
          "Ends the video without computing its last poses.")
      .def_prop_ro(
          "latency_frames",
          [](LockedOdometry& self) { return self.With([](Odometry& o) { return o.latency_frames(); }); })
      .def_prop_ro("model",
                   [](LockedOdometry& self) { return self.With([](Odometry& o) { return o.model(); }); });
  module.def(
      "estimate", &Estimate, "model"_a, "input"_a, "flip"_a, "overlap"_a, "fps"_a, "stride"_a, "start"_a,
      "end"_a.none(), "on_pose"_a.none(),
      nb::sig("def estimate(model: Model, input: str, flip: bool, overlap: int, fps: float, stride: int, "
              "start: float, end: float | None, "
              "on_pose: typing.Callable[[PoseEstimate], None] | None) -> Trajectory"),
      "See calfvo.estimate_trajectory.");
}

}  // namespace calfvo::python
