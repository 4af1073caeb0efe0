# SPDX-License-Identifier: Apache-2.0
"""A clip and a model for the tests."""

import pathlib

import calfvo
import pytest


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> calfvo.SynthClip:
    return calfvo.synth("room", tmp_path_factory.mktemp("synth") / "clip", frames=14, size=(64, 48), seed=3)


@pytest.fixture(scope="session")
def model() -> calfvo.Model:
    return calfvo.Model()


@pytest.fixture(scope="session")
def path(clip: calfvo.SynthClip, model: calfvo.Model) -> calfvo.Trajectory:
    return calfvo.estimate_trajectory(clip.folder, model)


@pytest.fixture(scope="session")
def run_folder(clip: calfvo.SynthClip, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """What the program makes of the clip, started as `python -m calfvo run`."""
    import subprocess
    import sys

    folder = tmp_path_factory.mktemp("run") / "out"
    subprocess.run([sys.executable, "-m", "calfvo", "run", clip.folder, "-o", folder, "--quiet", "--export", "npz"], check=True)
    return folder
