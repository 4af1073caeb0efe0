#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loop closure of `calfvo run --refine` on synthetic clips, as a Markdown table.

usage: bench/loop_table.py CALFVO [--seed S] [--frames N]

Three clips go once around a circle of 1 m, looking outwards, and 30° further: only their end sees what their start saw. Three go
somewhere and the same way back. Two are clips of different places, one after the other, in which every loop between the two would
be false.
"""
import argparse
import csv
import json
import math
import pathlib
import tempfile

from refine_table import errors, run


def lines(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


def render(calfvo, clip, kind, seed, frames, *motion):
    run(calfvo, "synth", kind, "-o", clip, "--preset", "phone", "--size", "480x360", "--seed", seed, "--frames", frames, "--no-video",
        "--quiet", *(motion or ("--motion", "handheld")))
    return [(line.split()[1], truth.split()[1:]) for line, truth in zip(lines(clip / "rgb.txt"), lines(clip / "groundtruth.txt"))], clip


def write_circle(folder, poses=200):
    """The path of a camera that goes around, as TUM file: x right, y down, z forward."""
    folder.mkdir()
    lines = []
    for i in range(poses):
        turn = math.radians(390 * i / (poses - 1))
        lines.append(f"{i / 30:.6f} {math.sin(turn):.6f} {0.08 * math.sin(2.3 * turn):.6f} {math.cos(turn):.6f} "
                     f"0 {math.sin(turn / 2):.6f} 0 {math.cos(turn / 2):.6f}")
    (folder / "circle.txt").write_text("\n".join(lines) + "\n")
    return folder


def write(folder, parts):
    """A sequence in TUM layout at 30 frames/s. `parts`: frames and the clip that they are of."""
    (folder / "rgb").mkdir(parents=True)
    images, truth = [], []
    for frames, clip in parts:
        for name, pose in frames:
            time = f"{len(images) / 30:.6f}"
            (folder / "rgb" / f"{time}.png").symlink_to(clip / name)
            images.append(f"{time} rgb/{time}.png")
            truth.append(" ".join([time, *pose]))
    (folder / "rgb.txt").write_text("\n".join(images) + "\n")
    (folder / "groundtruth.txt").write_text("\n".join(truth) + "\n")
    return folder


def refined(calfvo, sequence, out, *options):
    report = json.loads(run(calfvo, "run", sequence, "-o", out, "--refine", "--no-page", "--json", *options))
    loops = []
    if (out / "loops.csv").exists():
        rows = csv.reader((out / "loops.csv").read_text().splitlines())
        next(rows)
        loops = [(int(row[0]), int(row[1])) for row in rows]
    assert report["refine"]["loops"] == len(loops)
    return errors(calfvo, sequence / "groundtruth.txt", out / "trajectory.tum")[3], loops


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calfvo")
    parser.add_argument("--seed", type=int, default=8000)
    parser.add_argument("--frames", type=int, default=150)
    arguments = parser.parse_args()
    calfvo = pathlib.Path(arguments.calfvo).resolve()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        header = "| ATE Sim(3) without loops, m | with loops, m | ratio | loops |\n|---|---|---|---|---|"

        def compare(name, sequence):
            without, _ = refined(calfvo, sequence, scratch / f"out-{sequence.name}-without", "--no-loops")
            closed, loops = refined(calfvo, sequence, scratch / f"out-{sequence.name}")
            print(f"| {name} | {without:.4f} | {closed:.4f} | {without / closed:.1f} | {len(loops)} |", flush=True)

        print("| clip, once around", header, flush=True)
        circle = write_circle(scratch / "paths")
        for i, kind in enumerate(["hall", "warehouse", "room"]):
            _, clip = render(calfvo, scratch / f"around-{kind}", kind, arguments.seed + i, 3 * arguments.frames, "--trajectories",
                             circle)
            compare(kind, clip)
        print("\n| clip, there and back", header, flush=True)
        clips = {kind: render(calfvo, scratch / kind, kind, arguments.seed + i, arguments.frames)
                 for i, kind in enumerate(["room", "hall", "warehouse"])}
        for kind, (frames, clip) in clips.items():
            compare(kind, write(scratch / f"return-{kind}", [(frames, clip), (frames[-2::-1], clip)]))
        print("\n| two places, one after the other | loops between the two |\n|---|---|", flush=True)
        for first, second in [("room", "hall"), ("hall", "warehouse")]:
            sequence = write(scratch / f"{first}-{second}", [clips[first], clips[second]])
            _, loops = refined(calfvo, sequence, scratch / f"out-{first}-{second}")
            false = sum((a < arguments.frames) != (b < arguments.frames) for a, b in loops)
            print(f"| {first}, {second} | {false} of {len(loops)} |", flush=True)


if __name__ == "__main__":
    main()
