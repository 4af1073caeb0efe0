# pip: onnx==1.23.2 onnxruntime==1.31.1 openvino==2026.4.1 nncf==3.4.0 numpy
# SPDX-License-Identifier: Apache-2.0
"""calfvo beside ONNX Runtime and OpenVINO on the CPU, in alternation:  measure.py CALFVO MODEL --work DIR [options]

A step is what three new frames of a video cost: three frames encoded, one window decoded. Every program takes noise images
and the same number of threads; programs take turns of --seconds, and ratios are between turns of the same round.
The peers run the network that export_onnx.py writes:

    ONNX Runtime  f32; int8 dynamic (quantize_dynamic: products with weights, scales of activations at run time);
                  int8 static (quantize_static: convolutions, too, scales from noise images, per channel)
    OpenVINO      f32; bf16 where the CPU has it; int8 (nncf.quantize for transformers, scales from noise images)

Deviation is |x - ref| / |ref| of the raw outputs of one window of noise images, `ref` those of `calfvo bench --backend ref`.
Exits with 1 if an f32 program deviates by more than --bound.
"""
import argparse
import contextlib
import gc
import hashlib
import json
import logging
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
os.environ.setdefault("NNCF_TELEMETRY", "0")

import numpy as np
import onnx
import onnxruntime
import openvino

import export_onnx

OVERLAP = 5
CALIBRATION_STEPS = 8


def noise(shape, seed):
    """The distribution of `calfvo bench`'s images."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape).astype(np.float32)


class OnnxRuntime:
    def __init__(self, path, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def run(self, inputs):
        return self.session.run(["values", "tokens"], inputs)


class OpenVino:
    def __init__(self, path, threads, precision):
        core = openvino.Core()
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                    "INFERENCE_PRECISION_HINT": precision}
        self.request = core.compile_model(str(path), "CPU", settings).create_infer_request()

    def run(self, inputs):
        self.request.infer(inputs, share_inputs=True)
        return [self.request.get_tensor(name).data for name in ("values", "tokens")]


class Step:
    """Steps of one endless video on a peer."""

    def __init__(self, network, shapes):
        self.network = network
        self.inputs = {name: noise(shape, 3) for name, shape in shapes.items()}

    def turn(self, seconds):
        """Median milliseconds of a step, after two to warm up."""
        times = []
        for count in range(10 ** 6):
            start = time.perf_counter()
            self.network.run(self.inputs)
            if count >= 2:
                times.append(time.perf_counter() - start)
            if times and sum(times) >= seconds:
                return 1e3 * statistics.median(times)

    def values(self, images):
        """Raw outputs of the window of `images`, which starts a video."""
        previous = np.concatenate([images[:1], images[:-1]])
        advance, kept = self.inputs["current"].shape[0], np.zeros_like(self.inputs["kept"])
        tokens = np.zeros((0, *kept.shape[1:]), np.float32)
        firsts = [*range(0, len(kept), advance), len(kept)]
        for first in firsts:
            chosen = slice(first, first + advance)
            if first == len(kept):
                kept = np.ascontiguousarray(tokens[:first])
            values, new = self.network.run({"current": np.ascontiguousarray(images[chosen]),
                                            "previous": np.ascontiguousarray(previous[chosen]), "kept": kept})
            tokens = np.concatenate([tokens[:first], new])
        return np.array(values)


class Calfvo:
    def __init__(self, program, model, threads, backend, precision, work):
        self.dump = work / f"{backend}-{precision}.safetensors"
        self.command = [program, "bench", "--model", model, "--backend", backend, "--precision", precision, "--threads",
                        str(threads), "--overlap", str(OVERLAP), "--windows", "1", "--json"]

    def report(self, seconds, *options):
        done = subprocess.run([*map(str, self.command), "--seconds", str(seconds), *map(str, options)], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else "calfvo bench failed")
        return json.loads(done.stdout)

    def turn(self, seconds):
        return self.report(seconds)["schedules"]["live"]["median_ms"]

    def window(self):
        """(images, raw outputs) of one window."""
        self.report(0.0, "--dump", self.dump, "--overwrite")
        tensors, _ = export_onnx.read_safetensors(self.dump)
        return tensors["images"], tensors["values"]


# ---- int8 by the peers' own quantisers -------------------------------------------------------------------------------

def calibration_steps(shapes, f32):
    """Inputs of some steps, with the tokens of earlier frames."""
    kept = noise(shapes["kept"], 100)
    for i in range(CALIBRATION_STEPS + 2):  # the first two fill the tokens
        inputs = {"current": noise(shapes["current"], 200 + i), "previous": noise(shapes["previous"], 300 + i), "kept": kept}
        kept = np.concatenate([kept, f32.run(inputs)[1]])[-len(kept):].copy()
        if i >= 2:
            yield inputs


def quantise_dynamic(source, target):
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quantize_dynamic(source, target, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8,
                     reduce_range=not has_vnni())


def quantise_static(source, target, steps):
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.steps = iter(steps)

        def get_next(self):
            return next(self.steps, None)

    quantize_static(source, target, Reader(), quant_format=QuantFormat.QDQ, op_types_to_quantize=["MatMul", "Conv"],
                    per_channel=True, reduce_range=not has_vnni(), activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8, extra_options={"MatMulConstBOnly": True})


def quantise_openvino(source, target, steps):
    import nncf
    nncf.set_log_level(logging.ERROR)
    model = nncf.quantize(openvino.Core().read_model(source), nncf.Dataset(steps), subset_size=len(steps),
                          model_type=nncf.ModelType.TRANSFORMER)
    openvino.save_model(model, target, compress_to_fp16=False)


def cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith(("flags", "Features")):
                return set(line.split(":", 1)[1].split())
    return set()


def has_vnni():
    """Without it, sums of two products of bytes overflow 16 bits unless weights have 7."""
    return bool(cpu_flags() & {"avx512_vnni", "avx_vnni", "asimddp"})


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else os.uname().machine


@contextlib.contextmanager
def quiet():
    """The quantisers' progress goes nowhere."""
    logging.disable(logging.WARNING)
    with open(os.devnull, "w", encoding="utf-8") as null, contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
        yield
    logging.disable(logging.NOTSET)


def say(text):
    print(text, file=sys.stderr, flush=True)


def make_peers(arguments, shapes, work):
    """Pairs of a name and a Step. Files of earlier runs are used again."""
    exported = work / "model.onnx"
    if not exported.exists():
        onnx.save(export_onnx.export(arguments.model, OVERLAP), exported)
    f32 = OnnxRuntime(exported, arguments.threads)
    steps = []

    def quantised(name, make, calibrated=True):
        path = work / name
        if not path.exists():
            say(f"quantising: {name}")
            if calibrated and not steps:
                steps.extend(calibration_steps(shapes, f32))
            unfinished = path.with_name("unfinished-" + name)
            with quiet():
                make(exported, unfinished, steps) if calibrated else make(exported, unfinished)
            for suffix in (".bin", path.suffix):  # OpenVINO's weights lie beside, named alike
                if unfinished.with_suffix(suffix).exists():
                    unfinished.with_suffix(suffix).rename(path.with_suffix(suffix))
        return path

    peers = [("ONNX Runtime f32", f32),
             ("ONNX Runtime int8 dynamic",
              OnnxRuntime(quantised("ort-dynamic.onnx", quantise_dynamic, calibrated=False), arguments.threads)),
             ("ONNX Runtime int8 static", OnnxRuntime(quantised("ort-static.onnx", quantise_static), arguments.threads)),
             ("OpenVINO f32", OpenVino(exported, arguments.threads, "f32"))]
    if "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        peers.append(("OpenVINO bf16", OpenVino(exported, arguments.threads, "bf16")))
    peers.append(("OpenVINO int8", OpenVino(quantised("openvino.xml", quantise_openvino), arguments.threads, "f32")))
    return [(name, Step(network, shapes)) for name, network in peers]


def deviation(values, expected):
    return float(np.linalg.norm(values.ravel() - expected.ravel()) / np.linalg.norm(expected))


def measure(contestants, rounds, seconds):
    """Milliseconds of each contestant in each round."""
    times = {name: [] for name, _ in contestants}
    for i in range(rounds):
        # Each round begins with another, so that a load that comes and goes hits all.
        for name, contestant in contestants[i % len(contestants):] + contestants[:i % len(contestants)]:
            times[name].append(contestant.turn(seconds))
        say(f"round {i + 1} of {rounds}")
    return times


def table(times, deviations):
    baseline = times["ONNX Runtime f32"]
    lines = [["program", "ms/step", "fastest", "slowest", "× ORT f32", "range", "deviation"]]
    for name, values in times.items():
        ratios = [base / value for base, value in zip(baseline, values)]
        lines.append([name, f"{statistics.median(values):.1f}", f"{min(values):.1f}", f"{max(values):.1f}",
                      f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f}–{max(ratios):.2f}", f"{deviations[name]:.1e}"])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))) for line in lines)


def fastest_line(times, deviations):
    """The fastest of ours beside the fastest peer."""
    ours, peer = (min((name for name in times if name.startswith("calfvo") == is_ours),
                      key=lambda name: statistics.median(times[name])) for is_ours in (True, False))
    ratio = statistics.median(b / a for a, b in zip(times[ours], times[peer]))
    return (f"{ours} is {ratio:.2f} times as fast as the fastest peer, {peer}, at a deviation of {deviations[ours]:.1e} "
            f"beside {deviations[peer]:.1e}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calfvo", type=pathlib.Path, help="the program")
    parser.add_argument("model", type=pathlib.Path, help="model file with encoder pair and decoder time_space")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for exported and quantised networks")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="(%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each turn (%(default)s)")
    parser.add_argument("--bound", type=float, default=1e-4, help="largest deviation in f32 (%(default)s)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures here, too")
    arguments = parser.parse_args()
    for name in ("threads", "rounds"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} is {getattr(arguments, name)}; expected 1 or more")
    return arguments


def main():
    arguments = parse()
    # What depends on the model and the versions of the peers has a folder of its own.
    versions = f"onnx {onnx.__version__}, ONNX Runtime {onnxruntime.__version__}, OpenVINO {openvino.__version__.split('-')[0]}"
    exporter = pathlib.Path(export_onnx.__file__).read_bytes() + pathlib.Path(__file__).read_bytes()
    key = hashlib.sha256(arguments.model.read_bytes() + exporter + versions.encode()).hexdigest()[:12]
    work = arguments.work / key
    work.mkdir(parents=True, exist_ok=True)

    config = json.loads(export_onnx.read_safetensors(arguments.model)[1]["config"])
    size, frames = config["input"]["size"], config["window"] - OVERLAP
    shapes = {"current": (frames, 3, size, size), "previous": (frames, 3, size, size),
              "kept": (OVERLAP, (size // export_onnx.PATCH) ** 2, config["encoder"]["dim"])}

    expected_file = work / "ref.npz"
    if not expected_file.exists():
        say("computing the reference outputs with calfvo's plain loops")
        images, expected = Calfvo(arguments.calfvo, arguments.model, arguments.threads, "ref", "f32", work).window()
        np.savez(work / "unfinished.npz", images=images, expected=expected)
        (work / "unfinished.npz").rename(expected_file)
    stored = np.load(expected_file)
    images, expected = stored["images"], stored["expected"]

    contestants, deviations = [], {}
    for precision in ("f32", "bf16", "int8"):
        ours = Calfvo(arguments.calfvo, arguments.model, arguments.threads, "cpu", precision, work)
        try:
            its_images, values = ours.window()
        except RuntimeError as error:
            say(f"without calfvo {precision}: {error}")
            continue
        if not np.array_equal(its_images, images):
            sys.exit(f"error: calfvo bench --precision {precision} used other images than the reference")
        contestants.append((f"calfvo {precision}", ours))
        deviations[f"calfvo {precision}"] = deviation(values, expected)
    for name, step in make_peers(arguments, shapes, work):
        contestants.append((name, step))
        deviations[name] = deviation(step.values(images), expected)
    gc.collect()
    wrong = [name for name in deviations if name.endswith(" f32") and not deviations[name] <= arguments.bound]
    if wrong:
        sys.exit("error: " + ", ".join(f"{name} deviates by {deviations[name]:.1e}" for name in wrong)
                 + f"; expected {arguments.bound:.0e} or less")

    times = measure(contestants, arguments.rounds, arguments.seconds)
    print(f"{arguments.model.stem} on {cpu_name()}, {arguments.threads} threads, {arguments.rounds} rounds of "
          f"{arguments.seconds} s; {versions}")
    print(f"a step: {frames} frames encoded, one window decoded\n")
    print(table(times, deviations))
    print("\n" + fastest_line(times, deviations))
    if arguments.json:
        arguments.json.write_text(json.dumps({"versions": versions, "cpu": cpu_name(), "threads": arguments.threads,
                                              "ms": times, "deviations": deviations}, indent=2) + "\n")


if __name__ == "__main__":
    main()
