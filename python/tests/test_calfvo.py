# SPDX-License-Identifier: Apache-2.0
"""The package beside the program, evo and NumPy."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import calfvo
import numpy as np
import pytest


def test_bytes_are_the_programs(path: calfvo.Trajectory, run_folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path.write(tmp_path / "mine.tum")
    assert (tmp_path / "mine.tum").read_bytes() == (run_folder / "trajectory.tum").read_bytes()
    stored = np.load(run_folder / "trajectory.npz")
    assert any(np.array_equal(stored[name], path.timestamps_ns) for name in stored.files)


def test_odometry_gives_the_same_poses(clip: calfvo.SynthClip, model: calfvo.Model, path: calfvo.Trajectory) -> None:
    odometry = calfvo.Odometry(model)
    poses = []
    for frame in calfvo.frames(clip.folder):
        poses += odometry.add_frame(frame.image, frame.timestamp_ns)
        newest = odometry.estimate_newest()
        assert newest is not None and newest.is_provisional and newest.timestamp_ns == frame.timestamp_ns
    last = odometry.estimate_newest()
    poses += odometry.flush()
    assert last is not None and np.array_equal(last.world_from_camera, poses[-1].world_from_camera)
    assert [pose.timestamp_ns for pose in poses] == path.timestamps_ns.tolist()
    assert np.array_equal([pose.world_from_camera for pose in poses], path.matrices)
    assert path.covariances is not None
    assert np.array_equal([pose.covariance for pose in poses], path.covariances)
    for before, pose in zip(poses, poses[1:]):
        composed = before.world_from_camera @ pose.previous_from_current
        np.testing.assert_allclose(composed, pose.world_from_camera, atol=1e-12)
        assert pose.windows > 0 and pose.relative_covariance[0, 0] > 0 and pose.damage == ""


def test_formats_agree(clip: calfvo.SynthClip, model: calfvo.Model) -> None:
    def end(convert: object, format: str | None) -> list[float]:
        odometry = calfvo.Odometry(model)
        for frame in calfvo.frames(clip.folder, stride=4):
            assert callable(convert)
            odometry.add_frame(convert(frame.image), frame.timestamp_ns, format)
        result: list[float] = odometry.flush()[-1].world_from_camera.ravel().tolist()
        return result

    expected = end(lambda rgb: rgb, None)
    assert end(lambda rgb: np.ascontiguousarray(rgb[:, :, ::-1]), "bgr8") == expected
    assert end(lambda rgb: np.dstack([rgb, rgb[:, :, :1]]), None) == expected
    assert end(lambda rgb: np.pad(rgb, ((0, 0), (0, 9), (0, 0)))[:, : rgb.shape[1]], "rgb8") == expected
    grey = end(lambda rgb: np.ascontiguousarray(rgb[:, :, 1]), None)
    assert end(lambda rgb: np.repeat(rgb[:, :, 1:2], 3, axis=2), None) == grey
    assert end(lambda rgb: rgb[:, :, 1].astype(np.uint16) * 257, None) == grey


def test_views_share_memory(path: calfvo.Trajectory) -> None:
    assert path.positions.shape == (14, 3) and path.quaternions_xyzw.shape == (14, 4)
    assert path.covariances is not None and path.covariances.shape == (14, 6, 6)
    for view in (path.timestamps_ns, path.positions, path.quaternions_xyzw, path.covariances):
        assert not view.flags.owndata and not view.flags.writeable
    again = path.positions
    assert np.shares_memory(path.positions, again)
    x, y, z, w = path.quaternions_xyzw[5]
    expected = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)]
    np.testing.assert_allclose(path.matrices[5, :3, 0], expected, atol=1e-12)
    np.testing.assert_array_equal(path.matrices[:, :3, 3], path.positions)
    steps = np.linalg.norm(np.diff(path.positions, axis=0), axis=1)
    assert path.length_m == pytest.approx(steps.sum())
    positions = calfvo.Trajectory(path.timestamps_ns, path.positions.copy(), path.quaternions_xyzw.copy()).positions
    np.testing.assert_array_equal(positions, path.positions)  # a view keeps its trajectory alive


def test_trajectories_from_arrays_and_files(path: calfvo.Trajectory, tmp_path: pathlib.Path) -> None:
    copy = calfvo.Trajectory(path.timestamps_ns, path.positions.copy(), path.quaternions_xyzw.copy(), path.covariances)
    for suffix in ("tum", "csv", "npz"):
        path.write(tmp_path / f"a.{suffix}")
        copy.write(tmp_path / f"b.{suffix}")
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    read = calfvo.Trajectory.read(tmp_path / "a.csv")
    assert np.array_equal(read.positions, path.positions) and read.has_time
    with pytest.raises(calfvo.Error, match="positions must have shape"):
        calfvo.Trajectory(path.timestamps_ns, path.positions[:3].copy(), path.quaternions_xyzw.copy())


def test_evaluation_equals_evo(clip: calfvo.SynthClip, path: calfvo.Trajectory) -> None:
    metrics = pytest.importorskip("evo.core.metrics")
    reference, estimate = clip.truth.to_evo(), path.to_evo()
    estimate.align(reference, correct_scale=True)
    ape = metrics.APE(metrics.PoseRelation.translation_part)
    ape.process_data((reference, estimate))
    result = calfvo.evaluate(clip.truth, path, align="sim3")
    assert result.pairs == 14 and result.align == "sim3"
    assert result.ape_trans.rmse == pytest.approx(ape.get_statistic(metrics.StatisticsType.rmse), rel=1e-6)
    assert calfvo.evaluate(clip.truth, clip.truth).t_rel == 0


def test_errors_are_calfvo_errors(tmp_path: pathlib.Path, model: calfvo.Model) -> None:
    assert issubclass(calfvo.Error, RuntimeError)
    with pytest.raises(calfvo.Error, match="no-such.mp4"):
        calfvo.estimate_trajectory("no-such.mp4", model)
    with pytest.raises(calfvo.Error, match="unknown backend 'gpu'"):
        calfvo.Model(backend="gpu")
    with pytest.raises(calfvo.Error, match="overlap is 9"):
        calfvo.Odometry(model, overlap=9)
    with pytest.raises(calfvo.Error, match="no-such-kind"):
        calfvo.synth("no-such-kind", tmp_path / "clip")
    odometry = calfvo.Odometry(model)
    with pytest.raises(calfvo.Error, match=r"rgb8 needs an array of shape \[height, width, 3\]"):
        odometry.add_frame(np.zeros((4, 4, 2), np.uint8), 0)
    with pytest.raises(calfvo.Error, match="needs an array of uint8"):
        odometry.add_frame(np.zeros((4, 4, 3), np.float32), 0)
    with pytest.raises(calfvo.Error, match="ascontiguousarray"):
        odometry.add_frame(np.zeros((4, 4, 3), np.uint8)[:, ::-1], 0)
    with pytest.raises(calfvo.Error, match="unknown pixel format"):
        odometry.add_frame(np.zeros((4, 4, 3), np.uint8), 0, "rgb")
    assert len(odometry.add_frame(np.zeros((4, 4, 3), np.uint8), 0)) == 1
    odometry.reset()
    assert odometry.flush() == []


def test_exceptions_of_callbacks_come_out(clip: calfvo.SynthClip, model: calfvo.Model) -> None:
    def fail(pose: calfvo.PoseEstimate) -> None:
        raise ValueError(pose.timestamp_ns)

    with pytest.raises(ValueError):
        calfvo.estimate_trajectory(clip.folder, model, on_pose=fail)


def test_other_threads_run_meanwhile(clip: calfvo.SynthClip, model: calfvo.Model) -> None:
    count = 0
    done = threading.Event()

    def spin() -> None:
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    thread = threading.Thread(target=spin)
    thread.start()
    calfvo.estimate_trajectory(clip.folder, model, flip=True)
    done.set()
    thread.join()
    assert count > 3


def test_ctrl_c_ends_a_wait_for_frames(tmp_path: pathlib.Path) -> None:
    pipe = tmp_path / "pipe.y4m"
    os.mkfifo(pipe)
    # A child of a job in the background would ignore Ctrl-C.
    code = ("import calfvo, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            f"calfvo.estimate_trajectory({str(pipe)!r})")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(pipe, "wb") as stream:
        stream.write(b"YUV4MPEG2 W32 H32 Cmono\n" + b"FRAME\n" + bytes(1024))
        stream.flush()
        time.sleep(1.0)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=20)
    assert child.returncode != 0 and "KeyboardInterrupt" in err


def test_progress_and_help(clip: calfvo.SynthClip, model: calfvo.Model, capfd: pytest.CaptureFixture[str]) -> None:
    calfvo.estimate_trajectory(clip.folder, model, progress=True)
    assert "14 poses" in capfd.readouterr().err
    for name in calfvo.__all__:
        assert name == "__version__" or getattr(calfvo, name).__doc__, name
    out = subprocess.run([sys.executable, "-m", "calfvo", "--version"], capture_output=True, text=True, check=True)
    assert calfvo.__version__ in out.stdout
