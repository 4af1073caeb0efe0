#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accuracy and cost of `calfvo run --refine` beside the network alone, as a Markdown table.

usage: bench/refine_table.py CALFVO SEQUENCE…              folders in TUM layout with groundtruth.txt
       bench/refine_table.py CALFVO --hard N --seed S      N rendered clips of the preset hard, eight kinds in turn
       bench/refine_table.py CALFVO --focal N --seed S     N rendered clips of the presets phone and driving
With --no-loops, without loop closure.
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

KINDS = "room corridor warehouse hall street terrain aerial-city aerial-fields".split()
FRAMES = 60


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip())
    return done.stdout


def errors(calfvo, truth, estimate):
    """t_rel, r_rel, ATE from the first pose, ATE after Sim(3)."""
    def evaluate(align):
        return json.loads(run(calfvo, "eval", "--ref", truth, "--est", estimate, "--align", align, "--max-diff", "0.02", "--json"))
    origin = evaluate("origin")
    return origin["t_rel"], origin["r_rel"], origin["ape_trans"]["rmse"], evaluate("sim3")["ape_trans"]["rmse"]


def measure(calfvo, sequence, scratch, *options):
    out = scratch / "run"
    report = json.loads(run(calfvo, "run", sequence, "-o", out, "--refine", "--no-page", "--overwrite", "--json", *options))
    truth = pathlib.Path(sequence) / "groundtruth.txt"
    network = errors(calfvo, truth, out / "network.tum")
    return network, errors(calfvo, truth, out / "trajectory.tum"), report


def rendered(calfvo, scratch, kind, preset, seed, *options):
    clip = scratch / "clip"
    run(calfvo, "synth", kind, "-o", clip, "--preset", preset, "--seed", seed, "--frames", FRAMES, "--no-video", "--quiet", "--overwrite",
        *options)
    return clip


def clips(arguments, scratch):
    """Names and folders; rendered ones replace each other."""
    for sequence in arguments.sequences:
        yield pathlib.Path(sequence).name, pathlib.Path(sequence)
    for i in range(arguments.hard):
        kind, seed = KINDS[i % len(KINDS)], arguments.seed + arguments.step * i
        yield f"{kind}, seed {seed}", rendered(arguments.calfvo, scratch, kind, "hard", seed)
    for i in range(arguments.focal):
        seed = arguments.seed + arguments.step * i
        kind, preset, *motion = [("room", "phone", "--motion", "handheld"), ("hall", "phone", "--motion", "handheld"),
                                 ("street", "driving")][i % 3]
        yield f"{preset}, {kind}, seed {seed}", rendered(arguments.calfvo, scratch, kind, preset, seed, *motion)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calfvo")
    parser.add_argument("sequences", nargs="*")
    parser.add_argument("--hard", type=int, default=0)
    parser.add_argument("--focal", type=int, default=0)
    parser.add_argument("--seed", type=int, default=5000)
    parser.add_argument("--step", type=int, default=31, help="from one clip's seed to the next")
    parser.add_argument("--no-loops", action="store_true")
    arguments = parser.parse_args()
    options = ["--no-loops"] if arguments.no_loops else []
    print("| sequence | t_rel, m/frame | r_rel, °/frame | ATE, m | ATE Sim(3), m | share | f, px | error of f | loops | ms/frame |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    ratios, focal_errors = [], []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for name, sequence in clips(arguments, scratch):
            network, refined, report = measure(arguments.calfvo, sequence, scratch, *options)
            found = report["refine"]
            camera = sequence / "camera.json"
            error = ""
            if camera.exists():
                ratio = found["focal_px"] / json.loads(camera.read_text())["fx"]
                focal_errors.append(ratio - 1.0)
                error = f"{100.0 * focal_errors[-1]:+.1f} %"
            ratios.append([after / before for before, after in zip(network, refined)])
            cells = [f"{before:.4g} → {after:.4g}" for before, after in zip(network, refined)]
            cost = 1e3 * found["seconds"] / report["frames"]
            print(f"| {name} | {' | '.join(cells)} | {found['accepted_share']:.2f} | {found['focal_px']:.0f} ± "
                  f"{found['focal_sigma_px']:.0f} | {error} | {found['loops']} | {cost:.0f} |", flush=True)
    for i, metric in enumerate(["t_rel", "r_rel", "ATE", "ATE Sim(3)"]):
        column = [row[i] for row in ratios]
        mean = math.exp(sum(map(math.log, column)) / len(column))
        print(f"\n{metric}: refined over network, geometric mean {mean:.3f}, worst {max(column):.2f}", end="")
    if focal_errors:
        print(f"\nerror of f: rms {100.0 * math.sqrt(sum(e * e for e in focal_errors) / len(focal_errors)):.1f} %", end="")
    print()


if __name__ == "__main__":
    main()
