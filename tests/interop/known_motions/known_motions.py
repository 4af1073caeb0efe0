# SPDX-License-Identifier: Apache-2.0
"""The folder of a run whose camera makes known motions, and what each tool must make of it."""
import json
import pathlib
import struct
import subprocess

import numpy as np

WIDTH, HEIGHT, FOCAL, K1 = 640, 480, 500.0, -0.1
HALF = 2**-0.5
# At rest; a metre to the right, up, ahead; 90 degrees of yaw to the right, pitch up, roll clockwise.
# tx ty tz qx qy qz qw in calfvo's axes: x right, y down, z ahead.
POSES = [
    (0, 0, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0, 1), (0, -1, 0, 0, 0, 0, 1), (0, 0, 1, 0, 0, 0, 1),
    (0, 0, 0, 0, HALF, 0, HALF), (0, 0, 0, HALF, 0, 0, HALF), (0, 0, 0, 0, 0, HALF, HALF),
]
SECOND = 1_000_000_000
POINTS = [(1.0, 2.0, 3.0), (-4.0, 0.5, 8.0)]
# Where right, up and ahead point, in the axes of a world or of a camera.
OPENCV = ((1, 0, 0), (0, -1, 0), (0, 0, 1))
OPENGL = ((1, 0, 0), (0, 1, 0), (0, 0, -1))
Z_UP = ((1, 0, 0), (0, 0, 1), (0, 1, 0))
ROS = ((0, -1, 0), (0, 0, 1), (1, 0, 0))


def make_run(folder):
    """As `calfvo run --refine` leaves it."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    axes = ["px", "py", "pz", "rx", "ry", "rz"]
    columns = [f"cov_{a}_{b}" for i, a in enumerate(axes) for b in axes[i:]]
    covariance = ["0.01" if c[4:6] == c[7:9] and c[4] == "p" else "0.0025" if c[4:6] == c[7:9] else "0" for c in columns]
    rows = ["timestamp_ns,tx,ty,tz,qx,qy,qz,qw," + ",".join(columns) + ",frame,windows,sigma_translation_m,sigma_rotation_rad,flags"]
    for i, pose in enumerate(POSES):
        rows.append(",".join([str((i + 1) * SECOND), *map(repr, pose), *covariance, str(i), "1", "0.5", "0.25", ""]))
    (folder / "poses.csv").write_text("\n".join(rows) + "\n")
    camera = {"width": WIDTH, "height": HEIGHT, "model": "SIMPLE_RADIAL", "focal_px": FOCAL, "focal_sigma_px": 1,
              "principal_point": [322.0, 238.0], "principal_point_sigma": [1, 1], "k1": K1, "k1_sigma": 0.01,
              "readout_frames": 0, "readout_sigma_frames": 0, "origin": "estimated"}
    (folder / "camera.json").write_text(json.dumps(camera))
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(POINTS)}\n"
    header += "".join(f"property float {name}\n" for name in "xyz")
    header += "".join(f"property uchar {name}\n" for name in ("red", "green", "blue"))
    header += "property int first_frame\nproperty int views\nend_header\n"
    records = b"".join(struct.pack("<3f3B2i", *point, 10, 20, 30, 0, 5) for point in POINTS)
    (folder / "points.ply").write_bytes(header.encode() + records)
    (folder / "run.json").write_text(json.dumps(
        {"input": "/no/such/video.mp4", "interrupted": False, "width": WIDTH, "height": HEIGHT, "refine": {}, "files": {}, "outputs": {}}))
    return folder


def export(calfvo, folder, formats, *options):
    subprocess.run([calfvo, "export", str(folder), formats, *options], check=True, stdout=subprocess.DEVNULL)


def check_motions(what, matrices, world, camera, tolerance=1e-6):
    """`matrices` are world from camera, 3x4 or 4x4."""
    right, up, ahead = (np.array(v, float) for v in world)
    zero = np.zeros(3)
    expected = [
        (zero, right, up, ahead), (right, right, up, ahead), (up, right, up, ahead), (ahead, right, up, ahead),
        (zero, -ahead, up, right), (zero, right, -ahead, up), (zero, -up, right, ahead)]
    assert len(matrices) == len(expected), (what, len(matrices))
    for matrix, (place, *directions) in zip(matrices, expected):
        matrix = np.asarray(matrix, float)
        assert np.allclose(matrix[:3, 3], place, atol=tolerance), (what, matrix)
        for axis, direction in zip(camera, directions):
            assert np.allclose(matrix[:3, :3] @ np.array(axis, float), direction, atol=tolerance), (what, matrix)
    print(f"  {what}: right, up, ahead, yaw, pitch and roll as expected")


def matrix_of(position, xyzw):
    x, y, z, w = xyzw
    rotation = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    return np.column_stack([rotation, position])
