#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# pip: numpy plyfile==1.1.2 pycolmap==4.2.1 mcap==1.6.0 mcap-ros2-support==0.6.0
"""Reads exports with pycolmap, NumPy, plyfile, and the MCAP and ROS 2 packages: known motions arrive as such.

usage: scripts/interop CALFVO exports
"""
import json
import pathlib
import sys
import tempfile

import numpy as np
import pycolmap
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory
from plyfile import PlyData

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "known_motions"))
import known_motions as known  # noqa: E402


def check_colmap(folder):
    for kind in ("text", "binary"):
        model = pycolmap.Reconstruction()
        getattr(model, f"read_{kind}")(str(folder / "colmap/sparse/0"))
        camera = model.cameras[1]
        assert camera.model.name == "SIMPLE_RADIAL", camera
        assert np.allclose(camera.params, [known.FOCAL, 322, 238, known.K1]), camera
        assert (camera.width, camera.height) == (known.WIDTH, known.HEIGHT)
        images = [model.images[i + 1] for i in range(len(known.POSES))]
        assert [image.name for image in images] == [f"frame_{i:06}.png" for i in range(len(images))]
        poses = [image.cam_from_world().inverse().matrix() for image in images]
        known.check_motions(f"pycolmap {pycolmap.__version__}, {kind}", poses, known.OPENCV, known.OPENCV)
        points = sorted(model.points3D.items())
        assert np.allclose([point.xyz for _, point in points], known.POINTS)
        assert all(list(point.color) == [10, 20, 30] for _, point in points)
        # The camera's distortion is COLMAP's: a point lands where calfvo's header states.
        pixel = camera.img_from_cam(np.array([0.3, -0.2, 1.0]))
        factor = known.FOCAL * (1 + known.K1 * 0.13)
        assert np.allclose(pixel, [322 + 0.3 * factor, 238 - 0.2 * factor]), pixel


def check_numpy(folder):
    data = np.load(folder / "trajectory.npz")
    poses = [known.matrix_of(p, q) for p, q in zip(data["positions"], data["quaternions_xyzw"])]
    known.check_motions("NumPy", poses, known.OPENCV, known.OPENCV)
    frames = json.loads((folder / "nerfstudio/transforms.json").read_text())["frames"]
    known.check_motions("transforms.json", [f["transform_matrix"] for f in frames], known.Z_UP, known.OPENGL)


def check_ply(folder):
    """Points, then the path's positions, joined by edges; in calfvo's axes."""
    ply = PlyData.read(str(folder / "scene.ply"))
    vertices, edges = ply["vertex"], ply["edge"]
    xyz = np.column_stack([vertices[name] for name in "xyz"])
    count = len(known.POINTS)
    assert np.allclose(xyz[:count], known.POINTS), xyz
    assert np.allclose(xyz[count:], [pose[:3] for pose in known.POSES]), xyz
    right, up, ahead = xyz[count + 1] - xyz[count], xyz[count + 2] - xyz[count], xyz[count + 3] - xyz[count]
    assert np.allclose([right, up, ahead], known.OPENCV), xyz
    assert [tuple(edge) for edge in zip(edges["vertex1"], edges["vertex2"])] == [
        (i, i + 1) for i in range(count, count + len(known.POSES) - 1)], edges
    print("  plyfile: points and path, to the right, up and ahead as expected")


def check_mcap(path, compression):
    with open(path, "rb") as file:  # every record, with checksums
        records = list(StreamReader(file, emit_chunks=True, validate_crcs=True).records)
    chunks = [record for record in records if type(record).__name__ == "Chunk"]
    assert chunks and all(chunk.compression == compression for chunk in chunks), compression
    messages = {}
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        summary = reader.get_summary()
        assert summary.statistics.message_count == 5 + 4 * len(known.POSES), summary.statistics
        for _, channel, message, decoded in reader.iter_decoded_messages():
            messages.setdefault(channel.topic, []).append((message.log_time, decoded))

    def matrix(pose):
        p, q = getattr(pose, "position", None) or pose.translation, getattr(pose, "orientation", None) or pose.rotation
        return known.matrix_of([p.x, p.y, p.z], [q.x, q.y, q.z, q.w])

    odometry = [decoded for _, decoded in messages["/calfvo/odometry"]]
    name = f"mcap {compression or 'uncompressed'}"
    known.check_motions(f"{name}, Odometry", [matrix(m.pose.pose) for m in odometry], known.ROS, known.ROS)
    stamped = [matrix(decoded.pose.pose) for _, decoded in messages["/calfvo/pose"]]
    known.check_motions(f"{name}, PoseWithCovarianceStamped", stamped, known.ROS, known.ROS)
    path_poses = [matrix(p.pose) for p in messages["/calfvo/path"][0][1].poses]
    known.check_motions(f"{name}, Path", path_poses, known.ROS, known.ROS)
    foxglove = [matrix(p) for p in messages["/calfvo/poses"][0][1].poses]
    known.check_motions(f"{name}, foxglove PosesInFrame", foxglove, known.ROS, known.ROS)
    transforms = [decoded.transforms[0] for _, decoded in messages["/tf"]]
    bodies = [np.vstack([matrix(t.transform), [0, 0, 0, 1]]) for t in transforms]
    known.check_motions(f"{name}, TFMessage", bodies, known.ROS, known.ROS)
    static = messages["/tf_static"][0][1].transforms[0]
    assert (transforms[0].header.frame_id, transforms[0].child_frame_id) == ("odom", "camera_link")
    assert (static.header.frame_id, static.child_frame_id) == ("camera_link", "camera_optical")
    optical = [body @ np.vstack([matrix(static.transform), [0, 0, 0, 1]]) for body in bodies]
    known.check_motions(f"{name}, optical frame", optical, known.ROS, known.OPENCV)
    # From the fourth pose, a metre ahead, back to the origin and 90 degrees to the right, in one second.
    twist = odometry[4].twist
    assert np.allclose([twist.twist.linear.x, twist.twist.linear.y], [0, -1], atol=1e-9), twist.twist
    assert np.isclose(twist.twist.angular.z, -np.pi / 2), twist.twist
    assert np.allclose(np.diag(np.reshape(twist.covariance, (6, 6))), [0.25] * 3 + [0.0625] * 3)
    assert np.allclose(np.diag(np.reshape(odometry[5].pose.covariance, (6, 6))), [0.01] * 3 + [0.0025] * 3)
    assert [t for t, _ in messages["/tf"]] == [(i + 1) * known.SECOND for i in range(len(known.POSES))]
    info = messages["/camera/camera_info"][0][1]
    assert (info.width, info.height, info.distortion_model) == (known.WIDTH, known.HEIGHT, "plumb_bob")
    assert np.allclose(info.k, [known.FOCAL, 0, 321.5, 0, known.FOCAL, 237.5, 0, 0, 1]), info.k
    assert np.allclose(info.d, [known.K1, 0, 0, 0, 0])
    assert np.allclose(messages["/camera/calibration"][0][1].k, info.k)
    cloud = messages["/calfvo/points"][0][1]
    xyz = np.frombuffer(bytes(cloud.data), [("xyz", "<f4", 3), ("bgr", "u1", 4)])
    assert np.allclose(xyz["xyz"], [(z, -x, -y) for x, y, z in known.POINTS])
    assert (cloud.width, cloud.point_step) == (len(known.POINTS), 16)


def main():
    calfvo = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = known.make_run(pathlib.Path(scratch) / "run")
        known.export(calfvo, folder, "colmap,nerfstudio,npz,ply")
        check_colmap(folder)
        check_ply(folder)
        check_numpy(folder)
        for compression in ("zstd", "lz4", "none"):
            known.export(calfvo, folder, "mcap", "--compression", compression)
            check_mcap(folder / "trajectory.mcap", "" if compression == "none" else compression)


main()
