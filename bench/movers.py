#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What moving objects cost: renders clips in which they cover 0, 10, 25 and 50 % of the image, and runs the suite on them,
with refinement, with masks and without.

usage: bench/movers.py CALFVO DIR [--clips N] [--frames N] [--size WxH] [--seed S] [-- SUITE_OPTION…]

DIR/data holds the clips, DIR/out the suite's results. Clips of one seed differ in their movers alone. The same command
resumes.
"""
import argparse
import pathlib
import subprocess
import sys

KINDS = "room hall street warehouse terrain corridor".split()
SHARES = (0, 10, 25, 50)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calfvo", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--clips", type=int, default=6, help="per share; kinds of scenes in turn")
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7001)
    parser.add_argument("--size", default="480x360")
    known, suite = parser.parse_known_args()
    for clip in range(known.clips):
        for share in SHARES:
            kind, seed = KINDS[clip % len(KINDS)], known.seed + 31 * clip
            folder = known.folder / "data" / f"{share:02}" / f"{kind}-{seed}-movers-{share:02}"
            if (folder / "rgb.txt").exists():
                continue
            subprocess.run([known.calfvo, "synth", kind, "-o", folder, "--seed", str(seed), "--frames", str(known.frames), "--size",
                            known.size, "--movers", str(share / 100), "--no-video", "--quiet", "--overwrite"], check=True)
    options = [option for option in suite if option != "--"]
    return subprocess.run([known.calfvo, "suite", "--data", known.folder / "data", "-o", known.folder / "out", "--refine",
                           "--masks", "--table", "movers", "--quiet", *options]).returncode


if __name__ == "__main__":
    sys.exit(main())
