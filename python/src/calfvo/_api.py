# SPDX-License-Identifier: Apache-2.0
"""The functions of the package that are more than a call of the library."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import subprocess
import sys
from typing import Callable

from . import _core
from ._program import program_path


def frames(
    input: str | os.PathLike[str], *, fps: float = 0.0, stride: int = 1, start: float = 0.0, end: float | None = None
) -> _core.FrameReader:
    """Iterates over the frames of a video file, a folder or glob of images, a camera or "-".

        for frame in calfvo.frames("holiday.mp4", stride=10):
            print(frame.timestamp_ns, frame.image.shape)

    fps replaces the input's timestamps; start and end are seconds after the first frame.
    """
    return _core.FrameReader(os.fspath(input), fps, stride, start, end)


def estimate_trajectory(
    input: str | os.PathLike[str],
    model: _core.Model | str = "calfvo-s",
    *,
    flip: bool = False,
    overlap: int = 5,
    fps: float = 0.0,
    stride: int = 1,
    start: float = 0.0,
    end: float | None = None,
    progress: bool = False,
    on_pose: Callable[[_core.PoseEstimate], None] | None = None,
) -> _core.Trajectory:
    """Estimates the trajectory of any input that `frames` takes: one pose per frame.

        path = calfvo.estimate_trajectory("holiday.mp4", flip=True, progress=True)

    flip averages each image with its mirror image: half the speed, lower error. overlap is the number of frames that
    consecutive windows share. progress counts poses on standard error. on_pose receives each PoseEstimate. Other
    Python threads run meanwhile, and Ctrl-C raises KeyboardInterrupt.
    """
    loaded = _core.Model(model) if isinstance(model, str) else model
    count = 0

    def report(pose: _core.PoseEstimate) -> None:
        nonlocal count
        count += 1
        if progress and count % 10 == 0:
            print(f"\r{count} poses", end="", file=sys.stderr, flush=True)
        if on_pose is not None:
            on_pose(pose)

    callback = report if progress or on_pose is not None else None
    path = _core.estimate(loaded, os.fspath(input), flip, overlap, fps, stride, start, end, callback)
    if progress:
        print(f"\r{count} poses", file=sys.stderr)
    return path


@dataclasses.dataclass(frozen=True)
class SynthClip:
    """What calfvo.synth has written."""

    folder: pathlib.Path

    @property
    def video(self) -> pathlib.Path:
        """The video; absent if calfvo was built without FFmpeg."""
        return self.folder / "video.mp4"

    @property
    def truth(self) -> _core.Trajectory:
        """The exact poses."""
        return _core.Trajectory.read(self.folder / "groundtruth.txt")


def synth(
    kind: str,
    output: str | os.PathLike[str],
    *,
    frames: int = 150,
    seed: int = 1,
    size: tuple[int, int] | None = None,
    preset: str | None = None,
    overwrite: bool = False,
) -> SynthClip:
    """Renders a synthetic clip with exact poses into the folder `output`, as `calfvo synth` does.

        clip = calfvo.synth("street", "clip", preset="driving", frames=60)
        print(calfvo.evaluate(clip.truth, calfvo.estimate_trajectory(clip.video), align="sim3"))

    `python -m calfvo synth --help` lists kinds and presets.
    """
    command = [program_path(), "synth", kind, "-o", os.fspath(output), "--frames", str(frames), "--seed", str(seed)]
    command.append("--quiet")
    if size is not None:
        command += ["--size", f"{size[0]}x{size[1]}"]
    if preset is not None:
        command += ["--preset", preset]
    if overwrite:
        command.append("--overwrite")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise _core.Error(done.stderr.strip().partition("\n")[0].removeprefix("error: "))
    return SynthClip(pathlib.Path(output))
