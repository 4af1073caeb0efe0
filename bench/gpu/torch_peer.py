# SPDX-License-Identifier: Apache-2.0
"""The network in PyTorch, as a peer of `calfvo bench`: the same model file, the same schedules, the same GPU.

    torch_peer.py MODEL --check bf16.safetensors [--show fp8.safetensors] [--json FILE]

--check and --show take what `calfvo bench --dump` wrote. The peer computes the same window in F64 and in bf16, and prints
relative errors: the norm of the difference over the norm. Where a --check file or its own bf16 is further than --bound
from F64, it ends with exit code 1. Then it measures, eager and compiled, with and without CUDA graphs; what compiled
functions compute is held against F64 too. A step is what `calfvo bench` counts, images from host memory to values in
host memory. Times are of CUDA events, medians. Needs PyTorch 2.1 or later; with --device cpu it only compares.
"""
import argparse
import json
import pathlib
import statistics
import sys
import time

import torch

sys.dont_write_bytecode = True
from peer_network import load_network, read_safetensors


# ---- Correctness -----------------------------------------------------------------------------------------------------

def window_values(encode, decode, images, batch=None, windows=1):
    """Raw values of the window `images` [K, 3, S, S] that begins a video, in calls of `batch` frames and `windows` windows,
    which is what compiled functions were compiled for."""
    count = len(images)
    batch = batch or count
    previous = torch.cat([images[:1], images[:-1]])
    order = torch.arange(-(-count // batch) * batch, device=images.device) % count
    tokens = torch.cat([encode(images[part], previous[part]) for part in order.split(batch)])[:count]
    return decode(tokens.expand(windows, *tokens.shape).contiguous())[-1]


def relative_error(values, reference):
    values, reference = values.double().flatten(), reference.double().flatten()
    return ((values - reference).norm() / reference.norm()).item()


class Correctness:
    """The values in F64 of each file's window, and the errors of others relative to them."""

    def __init__(self, paths, reference, device, bound):
        self.bound = bound
        self.good = True
        self.errors = {}
        self.windows = []  # (who, images, ours, values in F64)
        for path in paths:
            tensors, metadata = read_safetensors(path)
            images = tensors["images"].to(device)
            exact = window_values(reference.encode, reference.decode, images)
            self.windows.append((metadata["backend"], images, tensors["values"].to(device), exact))

    def report(self, who, error, must_hold):
        wrong = must_hold and not error <= self.bound
        self.good = self.good and not wrong
        self.errors[who] = error
        print(f"  {who:<44} {error:.2e}{'  WRONG' if wrong else ''}", flush=True)

    def check_files(self, checked):
        print("relative error against PyTorch F64")
        for index, (who, _, ours, exact) in enumerate(self.windows):
            self.report(who, relative_error(ours, exact), must_hold=index < checked)

    def check_peer(self, name, encode, decode, batch=None, windows=1):
        """The images of all files are the same, so that the first stands for all."""
        who, images, ours, exact = self.windows[0]
        values = window_values(encode, decode, images, batch, windows)
        self.report(f"PyTorch {name}", relative_error(values, exact), must_hold=True)
        self.report(f"PyTorch {name}, against {who}", relative_error(values, ours), must_hold=False)


# ---- Speed -----------------------------------------------------------------------------------------------------------

class Step:
    """New frames of an endless video and the windows that they complete; the tokens of the frames before are kept."""

    def __init__(self, network, config, encode, decode, windows, overlap):
        window, size = config["window"], config["input"]["size"]
        advance = window - overlap
        self.encode, self.decode, self.overlap = encode, decode, overlap
        self.new_frames = advance * windows
        self.images = (2.0 * torch.rand(self.new_frames, 3, size, size) - 1.0).pin_memory()
        self.frames = torch.zeros(1 + self.new_frames, 3, size, size, device="cuda")  # the one before comes first
        embedding = network.decoder.pos_embed
        self.kept = torch.zeros(overlap, *embedding.shape, dtype=embedding.dtype, device="cuda")
        first = advance * torch.arange(windows, device="cuda")
        self.index = first[:, None] + torch.arange(window, device="cuda")
        self.values = torch.zeros(windows, network.head.out_features, device="cuda")
        self.result = torch.zeros(self.values.shape).pin_memory()
        self.run = self.compute

    def compute(self):
        tokens = torch.cat([self.kept, self.encode(self.frames[1:], self.frames[:-1])])
        self.values.copy_(self.decode(tokens[self.index]))
        self.kept.copy_(tokens[-self.overlap:])

    def capture(self):
        """Records the work as a CUDA graph, which replays without Python and launches, and replays it once beside it."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.compute()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.compute()
        kept = self.kept.clone()
        self.compute()
        expected = self.values.clone()
        self.kept.copy_(kept)
        self.values.zero_()
        graph.replay()
        error = relative_error(self.values, expected)
        if not error <= 1e-3:
            raise SystemExit(f"error: the CUDA graph computes something else: relative error {error:.1e}")
        self.run = graph.replay
        return self

    def __call__(self):
        self.frames[0].copy_(self.frames[-1])
        self.frames[1:].copy_(self.images, non_blocking=True)
        self.run()
        self.result.copy_(self.values, non_blocking=True)


def event_times(function, seconds, warm_up=5):
    """Milliseconds of single calls, each waited for."""
    for _ in range(warm_up):
        function()
    torch.cuda.synchronize()
    times = []
    while len(times) < 5 or sum(times) < 1e3 * seconds:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        function()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return times


def ceiling_tflops(size=8192):
    """The rate of one bf16 matrix product of random numbers."""
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    out = torch.empty_like(a)
    return 2e-9 * size ** 3 / statistics.median(event_times(lambda: torch.mm(a, b, out=out), 0.5))


def measure(name, schedule, step, seconds):
    times = sorted(event_times(step, seconds))
    median = statistics.median(times)
    row = {"name": name, "schedule": schedule, "frames": step.new_frames, "steps": len(times), "median_ms": median,
           "p95_ms": times[-(-95 * len(times) // 100) - 1], "frames_per_s": 1e3 * step.new_frames / median}
    print(f"  {schedule:<8} {name:<32} {median:9.3f} ms  {row['frames_per_s']:9.1f} frames/s", flush=True)
    return row


def measure_all(network, config, correctness, arguments):
    overlap, seconds = arguments.overlap, arguments.seconds
    schedules = {name: 1 if name == "live" else arguments.windows for name in arguments.schedules}
    rows = []
    for schedule, windows in schedules.items():
        eager = Step(network, config, network.encode, network.decode, windows, overlap)
        rows.append(measure("PyTorch eager", schedule, eager, seconds))
        rows.append(measure("PyTorch eager, CUDA graph", schedule, eager.capture(), seconds))
    if arguments.compile_mode == "none":
        return rows
    start = time.monotonic()
    encode, decode = (torch.compile(function, mode=arguments.compile_mode, dynamic=False)
                      for function in (network.encode, network.decode))
    for schedule, windows in schedules.items():
        step = Step(network, config, encode, decode, windows, overlap)
        correctness.check_peer(f"bf16 compiled, {schedule}", encode, decode, step.new_frames, windows)
        rows.append(measure("PyTorch compiled", schedule, step, seconds))
        rows.append(measure("PyTorch compiled, CUDA graph", schedule, step.capture(), seconds))
    print(f"  compiled and measured in {time.monotonic() - start:.0f} s")
    return rows


# ---- Program ---------------------------------------------------------------------------------------------------------

def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="model file of calfvo")
    parser.add_argument("--check", action="append", default=[], metavar="FILE", help="dump that must be right")
    parser.add_argument("--show", action="append", default=[], metavar="FILE", help="dump to print the error of, unchecked")
    parser.add_argument("--bound", type=float, default=2e-2, help="largest relative error of bf16 (%(default)s)")
    parser.add_argument("--overlap", type=int, default=5, help="frames that windows share (%(default)s)")
    parser.add_argument("--windows", type=int, default=16, help="windows of an offline step (%(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="per schedule and variant (%(default)s)")
    parser.add_argument("--schedules", nargs="+", default=["live", "offline"], choices=["live", "offline"],
                        help="those to measure; compiling one takes minutes (both)")
    parser.add_argument("--compile-mode", default="max-autotune-no-cudagraphs",
                        help="of torch.compile, or none (%(default)s)")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--json", metavar="FILE", help="write the figures here too")
    arguments = parser.parse_args()
    if not arguments.check:
        parser.error("at least one --check FILE is needed, written by `calfvo bench --dump FILE`")
    return arguments


def main():
    arguments = parse()
    torch.set_grad_enabled(False)
    torch.manual_seed(1)
    weights, metadata = read_safetensors(arguments.model)
    config = json.loads(metadata["config"])

    reference = load_network(weights, config, torch.float64, arguments.device)
    correctness = Correctness(arguments.check + arguments.show, reference, arguments.device, arguments.bound)
    del reference
    correctness.check_files(checked=len(arguments.check))
    network = load_network(weights, config, torch.bfloat16, arguments.device)
    correctness.check_peer("bf16 eager", network.encode, network.decode)
    if not correctness.good:
        return 1
    if arguments.device == "cpu":
        return 0

    gpu = torch.cuda.get_device_name()
    ceiling = ceiling_tflops()
    print(f"PyTorch {torch.__version__} on {gpu}; bf16 matrix product 8192^3: {ceiling:.0f} TFLOP/s", flush=True)
    rows = measure_all(network, config, correctness, arguments)
    if arguments.json:
        report = {"torch": torch.__version__, "gpu": gpu, "ceiling_tflops": ceiling, "errors": correctness.errors,
                  "rows": rows}
        pathlib.Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")
    return 0 if correctness.good else 1


if __name__ == "__main__":
    sys.exit(main())
