#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# pip: evo==1.38.1
"""Compares `calfvo eval --json` and tests/golden/evo/evo_golden.json with evo, to 1e-6.

usage: scripts/interop CALFVO evo
"""
import json
import pathlib
import subprocess
import sys

from evo.core import metrics, sync
from evo.main_ape import ape
from evo.main_rpe import rpe
from evo.tools import file_interface

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden/evo"
PAIRS = {"handheld": "tum", "drive": "kitti"}
ALIGNMENTS = {
    "none": {},
    "origin": {"align_origin": True},
    "se3": {"align": True},
    "sim3": {"align": True, "correct_scale": True},
}
RPE = {"delta": 1, "delta_unit": metrics.Unit.frames}
# calfvo's key, the golden's key, and evo's computation.
METRICS = [
    ("ape_trans", "ape_trans", ape, metrics.PoseRelation.translation_part, {}),
    ("ape_rot_deg", "ape_rot_deg", ape, metrics.PoseRelation.rotation_angle_deg, {}),
    ("rpe_trans", "rpe_trans_1f", rpe, metrics.PoseRelation.translation_part, RPE),
    ("rpe_rot_deg", "rpe_rot_deg_1f", rpe, metrics.PoseRelation.rotation_angle_deg, RPE),
]


def read_pair(name, file_format):
    paths = [GOLDEN / f"{name}_{role}.{file_format}" for role in ("reference", "estimate")]
    if file_format == "kitti":
        return paths, [file_interface.read_kitti_poses_file(path) for path in paths]
    trajectories = [file_interface.read_tum_trajectory_file(path) for path in paths]
    return paths, sync.associate_trajectories(*trajectories, max_diff=0.01)


def different(ours, evo):
    # Angles of nearly equal rotations lose half of the digits, hence the absolute limit.
    return abs(ours - evo) > 1e-6 * abs(evo) + 1e-9


def main():
    calfvo = sys.argv[1]
    golden = json.loads((GOLDEN / "evo_golden.json").read_text())
    problems, compared = [], 0
    for name, file_format in PAIRS.items():
        for alignment, arguments in ALIGNMENTS.items():
            paths, _ = read_pair(name, file_format)
            command = [calfvo, "eval", "--ref", paths[0], "--est", paths[1], "--align", alignment, "--json"]
            ours = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            for key, golden_key, compute, relation, more in METRICS:
                reference, estimate = read_pair(name, file_format)[1]  # evo aligns in place
                evo = compute(reference, estimate, relation, **arguments, **more).stats
                checks = [("calfvo", statistic, ours[key][statistic]) for statistic in evo if statistic in ours[key]]
                if alignment in golden[name]:
                    checks += [("golden", *item) for item in golden[name][alignment][golden_key].items()]
                for source, statistic, value in checks:
                    compared += 1
                    if different(value, evo[statistic]):
                        problems.append(f"{name} {alignment} {key} {statistic}: "
                                        f"{source} {value!r}, evo {evo[statistic]!r}")
    print("\n".join(problems) or f"{compared} numbers equal evo's")
    sys.exit(1 if problems else 0)


main()
