# SPDX-License-Identifier: Apache-2.0
"""Calibration-free visual odometry: any monocular video to a metric camera trajectory.

    import calfvo

    path = calfvo.estimate_trajectory("holiday.mp4")
    print(f"{len(path)} poses, {path.length_m:.2f} m")
    path.write("holiday.tum")

Start with estimate_trajectory, Odometry, Trajectory, evaluate, frames and synth. Errors are calfvo.Error.
"""

from ._api import SynthClip, estimate_trajectory, frames, synth
from ._core import (
    Error,
    Evaluation,
    Frame,
    FrameReader,
    Model,
    Odometry,
    PoseEstimate,
    Statistics,
    Trajectory,
    evaluate,
)
from ._core import version as __version__

__all__ = [
    "Error",
    "Evaluation",
    "Frame",
    "FrameReader",
    "Model",
    "Odometry",
    "PoseEstimate",
    "Statistics",
    "SynthClip",
    "Trajectory",
    "__version__",
    "estimate_trajectory",
    "evaluate",
    "frames",
    "synth",
]
