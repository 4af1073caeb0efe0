# SPDX-License-Identifier: Apache-2.0
# pip: onnx==1.23.2 onnxruntime==1.31.1 numpy
"""Compares the network that bench/peers exports, run by ONNX Runtime, with the float64 goldens of tests/golden.

usage: scripts/interop CALFVO exported_network
"""
import pathlib
import sys

import numpy as np
import onnxruntime

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
sys.path[:0] = [str(GOLDEN), str(ROOT / "bench/peers")]
import export_onnx
import safetensors_io


def largest_error(ours, expected):
    return np.abs(ours - expected).max() / max(1.0, np.abs(expected).max())


def check(name, overlap):
    """Encodes the first window `advance` frames at a time and compares its tokens and raw values."""
    expected, _ = safetensors_io.load(GOLDEN / f"{name}.expected.safetensors")
    aspect = float(expected["width_over_height"][0]) if "width_over_height" in expected else 1.0
    model = export_onnx.export(GOLDEN / f"{name}.model.safetensors", overlap, aspect)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    advance, window = session.get_inputs()[0].shape[0], overlap + session.get_inputs()[0].shape[0]
    images = expected["images"][:window]
    previous = np.concatenate([images[:1], images[:-1]])
    tokens = np.zeros((0, *session.get_inputs()[2].shape[1:]), np.float32)
    for first in [*range(0, overlap, advance), overlap]:
        chosen = slice(first, first + advance)
        kept = np.resize(tokens[:first], session.get_inputs()[2].shape) if first < overlap else tokens[:overlap]
        values, new = session.run(["values", "tokens"],
                                  {"current": images[chosen], "previous": previous[chosen], "kept": kept.astype(np.float32)})
        tokens = np.concatenate([tokens[:first], new])
    errors = (largest_error(tokens, expected["tokens"][:window]), largest_error(values.ravel(), expected["head"].ravel()))
    print(f"{name}, overlap {overlap}: error of tokens {errors[0]:.1e}, of raw values {errors[1]:.1e}")
    return max(errors) < 1e-5


def refuses_other_networks():
    try:
        export_onnx.export(GOLDEN / "croco.model.safetensors", 1)
    except SystemExit as error:
        return "only 'pair' and 'time_space' are exported" in str(error)
    return False


def main():
    results = [check("pair", 1), check("pair_aspect", 1), check("pair_aspect", 2), refuses_other_networks()]
    sys.exit(0 if all(results) else "error: the exported network computes something else")


if __name__ == "__main__":
    main()
