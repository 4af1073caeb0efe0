# SPDX-License-Identifier: Apache-2.0
r"""Where the time of a training step goes:  step_kernels.py NCU.csv

NCU.csv is what Nsight Compute prints for some steps of calfvo-train, of which the first whole one is taken:
  ncu --clock-control none --metrics gpu__time_duration.sum --csv --launch-skip 8000 --launch-count 4200 \
      calfvo-train --config configs/train/calfvo-s-continued.toml --set loop.cuda_graph=false --set schedule.steps=12 > NCU.csv
Kernels are timed one after the other there; in training rendering runs beside the network.
"""
import collections
import csv
import re
import sys

RENDERER = "ImageKernel"  # runs once per step
MICROSECONDS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3}
# The first pattern that matches a kernel's name counts. Template arguments (lanes, vectors, GELU) distinguish norms.
GROUPS = [
    ("tracing and shading", RENDERER),
    ("rest of rendering", r"synth::|MotionKernel|RelativePoses|LogAspects"),
    ("attention in frames", r"attention::|sdpa|cudnn::(compute_dot_do_o|convert_dq)|Joined<|Rotate<"),
    ("convolutions", r"implicit_gemm|ImplicitGemm"),
    ("products with GELU", r"GeluProduct"),
    ("products", r"^nvjet|cutlass_80_tensorop|splitKreduce"),
    ("first stage of the stem", r"::(Forward|Backward)$"),
    ("GELU", r"GeluOf|ThroughGelu"),
    ("norms and GELU after convolutions", r"(Forward|Backward)<\w+, \d+, \d+, 1>"),
    ("layer norms", r"(Forward|Backward)<\w+, \d+, \d+, 0>"),
    ("temporal attention", r"(Forward|Backward)<\w+, \d+, \d+>"),
]
REST = "rest of the network, loss, optimiser"


def read(path):
    """[(kernel's name without arguments, µs)], in the order of their launches."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if line.startswith('"')))
    if not rows:
        sys.exit(f"{path}: has no table; was it written by ncu --csv?")
    name, value, unit = (rows[0].index(key) for key in ("Kernel Name", "Metric Value", "Metric Unit"))
    return [(re.sub(r"\(.*", "", row[name].replace("(anonymous namespace)", "<unnamed>")),
             float(row[value].replace(",", "")) * MICROSECONDS[row[unit]]) for row in rows[1:]]


def one_step(kernels, path):
    starts = [i for i, (name, _) in enumerate(kernels) if RENDERER in name]
    if len(starts) < 2:
        sys.exit(f"{path}: holds no whole step; give ncu a larger --launch-count")
    return kernels[starts[0]:starts[1]]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    kernels = one_step(read(sys.argv[1]), sys.argv[1])
    sums = collections.Counter()
    for name, microseconds in kernels:
        group = next((group for group, pattern in GROUPS if re.search(pattern, name)), REST)
        sums[group] += microseconds
    print(f"{len(kernels)} kernels, {sum(sums.values()) / 1e3:.1f} ms")
    for group, microseconds in sums.most_common():
        print(f"{microseconds / 1e3:8.1f} ms  {group}")


if __name__ == "__main__":
    main()
