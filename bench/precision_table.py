#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the precision of the network costs in accuracy, as a Markdown table, and whether `--precision auto` may take it.

usage: bench/precision_table.py CALFVO SEQUENCE…            folders in TUM layout with groundtruth.txt
       bench/precision_table.py CALFVO --clips 48           rendered clips, eight kinds in turn

A precision may be taken if it changes t_rel and r_rel by at most 1 % on average over all sequences, and by at most 3 % on
any. Precisions that this CPU has no kernels for are left out.
"""
import argparse
import json
import pathlib
import tempfile

from refine_table import KINDS, run

MOST_MEAN = 1.0  # percent
MOST_ANY = 3.0


def available(calfvo, precisions):
    listed = run(calfvo, "info")
    return [precision for precision in precisions if f"cpu {precision} " in listed]


def errors(calfvo, sequence, precision, scratch):
    """t_rel and r_rel."""
    out = scratch / "run"
    run(calfvo, "run", sequence, "-o", out, "--backend", "cpu", "--precision", precision, "--no-page", "--overwrite", "--quiet")
    evaluation = json.loads(run(calfvo, "eval", "--ref", sequence / "groundtruth.txt", "--est", out / "trajectory.tum",
                                "--align", "origin", "--max-diff", "0.02", "--json"))
    return evaluation["t_rel"], evaluation["r_rel"]


def sequences(arguments, scratch):
    """Names and folders; rendered clips replace each other."""
    for sequence in arguments.sequences:
        yield sequence.name, sequence
    for i in range(arguments.clips):
        kind, seed = KINDS[i % len(KINDS)], arguments.seed + i
        clip = scratch / "clip"
        run(arguments.calfvo, "synth", kind, "-o", clip, "--preset", "phone", "--size", "256x192", "--frames", arguments.frames,
            "--seed", seed, "--no-video", "--quiet", "--overwrite")
        yield f"{kind}, seed {seed}", clip


def row(name, cells):
    print("|", " | ".join([name, *cells]), "|", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calfvo", help="the program")
    parser.add_argument("sequences", nargs="*", type=pathlib.Path)
    parser.add_argument("--clips", type=int, default=0, help="number of rendered clips")
    parser.add_argument("--frames", type=int, default=40, help="frames of a clip")
    parser.add_argument("--seed", type=int, default=500, help="of the first clip")
    arguments = parser.parse_args()
    others = available(arguments.calfvo, ["bf16", "int8"])
    row("sequence", ["f32, t_rel / r_rel"] + [f"{precision}, change in %" for precision in others])
    row("---", ["---"] * (1 + len(others)))
    changes = {precision: [] for precision in others}
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for name, sequence in sequences(arguments, scratch):
            exact = errors(arguments.calfvo, sequence, "f32", scratch)
            cells = ["{:.5f} / {:.4f}".format(*exact)]
            for precision in others:
                ours = errors(arguments.calfvo, sequence, precision, scratch)
                change = [100.0 * (a / b - 1.0) for a, b in zip(ours, exact)]
                changes[precision].append(change)
                cells.append("{:+.2f} / {:+.2f}".format(*change))
            row(name, cells)
    for precision in others:
        columns = list(zip(*changes[precision]))
        means = [sum(column) / len(column) for column in columns]
        worst = [max(column, key=abs) for column in columns]
        accepted = max(map(abs, means)) <= MOST_MEAN and max(map(abs, worst)) <= MOST_ANY
        print(f"\n{precision}: mean {means[0]:+.2f} / {means[1]:+.2f} %, largest {worst[0]:+.2f} / {worst[1]:+.2f} %:",
              "within the rule" if accepted else "beyond the rule")


if __name__ == "__main__":
    main()
