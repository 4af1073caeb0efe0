#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# pip: numpy rerun-sdk==0.41.0
"""rerun checks and loads an exported MCAP file without a screen: every topic arrives, and it decodes the ROS 2 types.

usage: scripts/interop CALFVO rerun
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "known_motions"))
import known_motions as known  # noqa: E402

TOPICS = {"/tf": 7, "/calfvo/odometry": 7, "/calfvo/pose": 7, "/camera/camera_info": 7, "/tf_static": 1,
          "/calfvo/path": 1, "/calfvo/points": 1}
# What rerun makes of the types that it knows.
DECODED = {"/tf": "Transform3D:", "/camera/camera_info": "Pinhole:", "/calfvo/points": "Points3D:"}


def rerun(*arguments):
    program = pathlib.Path(sys.executable).with_name("rerun")
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def main():
    calfvo = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = known.make_run(pathlib.Path(scratch) / "run")
        known.export(calfvo, folder, "mcap")
        rerun("mcap", "check", folder / "trajectory.mcap")
        rerun("mcap", "convert", folder / "trajectory.mcap", "-o", folder / "trajectory.rrd")
        listing = rerun("rrd", "print", folder / "trajectory.rrd")
    chunks = re.findall(r"^Chunk\(.*?\) with (\d+) rows.*? - (/\S+) - data columns: \[(.*)\]", listing, re.MULTILINE)
    for topic, count in TOPICS.items():
        rows = sum(int(rows) for rows, path, columns in chunks if path == topic and "McapChannel" not in columns)
        assert rows >= count, (topic, rows, listing[-3000:])
    for topic, component in DECODED.items():
        assert any(path == topic and component in columns for _, path, columns in chunks), (topic, listing[-3000:])
    print(f"  {' '.join(rerun('--version').split()[:2])}: {len(TOPICS)} topics, {', '.join(DECODED.values())} decoded")


main()
