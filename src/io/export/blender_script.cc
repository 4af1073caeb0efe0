// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/number_text.h"
#include "core/trajectory/camera_file.h"
#include "io/export/axes.h"
#include "io/export/export_formats.h"

namespace calfvo {
namespace {

constexpr std::string_view kScriptStart =
    R"(# Adds the camera of a calfvo run to the open scene of Blender, and its map points:
#   blender --python add_camera.py
# World: x right, y ahead, z up, as seen from the first camera; metres.
import os

import bpy
import numpy

)";

constexpr std::string_view kScriptEnd = R"(]


def add_camera(scene):
    data = bpy.data.cameras.new("calfvo")
    data.sensor_fit = "HORIZONTAL"
    data.sensor_width = 36.0
    data.lens = FOCAL_PX / WIDTH * data.sensor_width
    data.shift_x = (WIDTH / 2 - CENTRE_X) / WIDTH
    data.shift_y = (CENTRE_Y - HEIGHT / 2) / WIDTH
    camera = bpy.data.objects.new("calfvo", data)
    scene.collection.objects.link(camera)
    camera.rotation_mode = "QUATERNION"
    for time, location, quaternion in POSES:
        camera.location = location
        camera.rotation_quaternion = quaternion
        frame = scene.frame_start + time * FRAMES_PER_SECOND
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_quaternion", frame=frame)
    return camera


def add_points(scene, path):
    with open(path, "rb") as file:
        header, _, body = file.read().partition(b"end_header\n")
    if b"property int views" not in header:
        return
    record = [("xyz", "<f4", 3), ("rgb", "u1", 3), ("frame_and_views", "<i4", 2)]
    xyz = numpy.frombuffer(body, record)["xyz"].astype(float)
    mesh = bpy.data.meshes.new("calfvo points")
    mesh.from_pydata(numpy.stack([xyz[:, 0], xyz[:, 2], -xyz[:, 1]], 1).tolist(), [], [])
    scene.collection.objects.link(bpy.data.objects.new("calfvo points", mesh))


scene = bpy.context.scene
scene.render.resolution_x = WIDTH
scene.render.resolution_y = HEIGHT
scene.render.fps = max(1, round(FRAMES_PER_SECOND))
scene.render.fps_base = scene.render.fps / FRAMES_PER_SECOND
scene.camera = add_camera(scene)
scene.frame_end = scene.frame_start + max(1, round(POSES[-1][0] * FRAMES_PER_SECOND))
points = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "points.ply")
if HAS_POINTS and os.path.exists(points):
    add_points(scene, points)
)";

std::string Tuple(const std::vector<double>& values) {
  std::string text = "(";
  for (const double value : values) AppendNumber(value, &(text += text.size() == 1 ? "" : ", "));
  return text + ")";
}

// One over the median interval between poses: irregular times become fractions of frames.
double MedianRate(const std::vector<int64_t>& timestamps_ns) {
  if (timestamps_ns.size() < 2) return 30.0;
  std::vector<int64_t> intervals;
  for (size_t i = 1; i < timestamps_ns.size(); ++i)
    intervals.push_back(timestamps_ns[i] - timestamps_ns[i - 1]);
  const auto middle = intervals.begin() + static_cast<ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  return std::clamp(1e9 / static_cast<double>(*middle), 0.01, 30'000.0);
}

}  // namespace

void WriteBlenderScript(const ExportedRun& run, const std::filesystem::path& path) {
  const Camera& camera = run.camera;
  const Trajectory& trajectory = run.trajectory;
  AtomicFile file(path);
  std::string text(kScriptStart);
  text += fmt::format("WIDTH, HEIGHT = {}, {}\n# Camera: {}.\n", camera.width, camera.height,
                      CameraOriginName(camera.origin));
  AppendNumber(camera.focal_px, &(text += "FOCAL_PX = "));
  AppendNumber(camera.principal_point.x(), &(text += "\nCENTRE_X, CENTRE_Y = "));
  AppendNumber(camera.principal_point.y(), &(text += ", "));
  AppendNumber(MedianRate(trajectory.timestamps_ns), &(text += "\nFRAMES_PER_SECOND = "));
  text += fmt::format("\nHAS_POINTS = {}", run.points.empty() ? "False" : "True");  // else others' points.ply
  text += "\n# Seconds after the first image, location, quaternion (w, x, y, z).\nPOSES = [\n";
  Quaternion before = Quaternion::Identity();
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const Rigid3 pose = InAxes(ZUpAxes(), trajectory.world_from_camera[i]);
    const Quaternion q = before = NearerSign(before, pose.rotation);
    AppendSeconds(trajectory.timestamps_ns[i] - trajectory.timestamps_ns[0], &(text += "    ("));
    text += ", " + Tuple({pose.translation.x(), pose.translation.y(), pose.translation.z()}) + ", " +
            Tuple({q.w(), q.x(), q.y(), q.z()}) + "),\n";
    file.Write(text);
    text.clear();
  }
  file.Write(text);
  file.Write(kScriptEnd);
  file.Commit();
}

}  // namespace calfvo
