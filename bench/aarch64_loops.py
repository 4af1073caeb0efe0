#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Estimates the speed of the aarch64 kernels without such a CPU:  bench/aarch64_loops.py [BUILD_FOLDER, build/aarch64]

Disassembles the innermost loop of each kernel's matrix product and prints its instructions, and llvm-mca's estimate of the
cycles of one multiplication instruction on models of CPUs (perfect caches; 1 / units is the least). Estimates, not measurements.
"""
import pathlib
import re
import subprocess
import sys

OBJECTS = "src/nn/backend/CMakeFiles/calfvo_backend.dir/cpu"
# Source, instruction that multiplies, and products that it adds.
KERNELS = [("kernels_generic", "fmla", 4), ("kernels_neon", "fmla", 4), ("kernels_neon_bf16", "bfmmla", 16), ("kernels_neon_dot", "sdot", 16)]
CPUS = ["cortex-a55", "cortex-a57", "tsv110"]
# Those that have an instruction.
MODELLED = {"fmla": CPUS, "sdot": ["cortex-a55", "tsv110"], "bfmmla": []}


def loops(path):
    """Instructions (name, operands) of the innermost loops."""
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True,
                          check=True).stdout
    instructions = []
    for line in text.splitlines():
        if re.match(r"[0-9a-f]+ <", line):
            instructions = []  # of the next function
        parsed = re.match(r"\s+([0-9a-f]+):\t(\S+)\s*([^/]*)", line)
        if not parsed:
            continue
        address = int(parsed[1], 16)
        instructions.append((address, parsed[2], parsed[3].strip()))
        target = re.match(r"(?:\w+, )?([0-9a-f]+) <", parsed[3]) if parsed[2].startswith(("b.", "cb")) else None
        if target and int(target[1], 16) <= address:
            body = [i for i in instructions if i[0] >= int(target[1], 16)]
            if not any(name.startswith(("b.", "cb")) for _, name, _ in body[:-1]):
                yield [(name, operands) for _, name, operands in body]


def cycles(body, cpu):
    """Of one iteration, or None where llvm-mca has no model of an instruction."""
    code = "".join(f"{name} {operands}\n" for name, operands in body[:-1])  # the branch is predicted
    done = subprocess.run(["llvm-mca", "-mtriple=aarch64", f"-mcpu={cpu}", "-iterations=200"], input=code, capture_output=True,
                          text=True, check=False)
    found = re.search(r"Total Cycles: +(\d+)", done.stdout)
    return int(found[1]) / 200 if found and done.returncode == 0 else None


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]) or len(sys.argv) > 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/aarch64") / OBJECTS
    print(f"{'kernels':<18} {'loop':>5} {'multiply':>9} {'per 1000 products':>18}  " + "  ".join(f"{cpu:>10}" for cpu in CPUS))
    for name, instruction, products in KERNELS:
        def multiplications(body, instruction=instruction):
            return sum(operation == instruction for operation, _ in body)
        # The loop of whole tiles; the longest, as the compiler emits it once for each use.
        body = max(loops(folder / f"{name}.cc.o"), key=lambda body: (multiplications(body), len(body)))
        count = multiplications(body)
        estimates = [cycles(body, cpu) if cpu in MODELLED[instruction] else None for cpu in CPUS]
        print(f"{name:<18} {len(body):>5} {count:>9} {1000 * len(body) / (count * products):>18.0f}  "
              + "  ".join(f"{'-' if c is None else f'{c / count:.2f}':>10}" for c in estimates))


if __name__ == "__main__":
    main()
