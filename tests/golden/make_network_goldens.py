# SPDX-License-Identifier: Apache-2.0
"""Makes the tiny models and their expected outputs for the network tests.

    /usr/bin/python3 tests/golden/make_network_goldens.py            # writes NAME.{model,expected}.safetensors here
    /usr/bin/python3 tests/golden/make_network_goldens.py --check    # exits 1 if the files here differ

The same machine gives the same bytes. Another CPU or NumPy may round float64 sums differently, so --check accepts
expected values that agree within 1e-12; everything else must be identical.
"""
import json
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
import network
import safetensors_io

FOLDER = pathlib.Path(__file__).resolve().parent
SEED = 20260
TOLERANCE = 1e-12


# ---- Cases -----------------------------------------------------------------------------------------------------------
# Sizes differ on purpose wherever two of them could be confused, and most epsilons are far larger than a trained
# model's, so that the wrong one shows. Numbers in "head" are exact in binary.

def vit(kind, patch, dim, heads, hidden, norm_eps, **extra):
    return {"kind": kind, "patch": patch, "dim": dim, "depth": 2, "heads": heads, "hidden": hidden,
            "norm_eps": norm_eps, **extra}


def pair(channels, blocks, heads, hidden, norm_eps, rope_base):
    return {"kind": "pair", "channels": channels, "blocks": blocks, "dim": channels[3], "depth": 2, "heads": heads,
            "hidden": hidden, "norm_eps": norm_eps, "rope_base": rope_base}


def decoder(kind, dim, heads, hidden, norm_eps):
    return {"kind": kind, "dim": dim, "depth": 2, "heads": heads, "hidden": hidden, "norm_eps": norm_eps}


# name: (window K, frames F, image size S, encoder, decoder, rotation, confidence, width / height if given)
CASES = {
    "croco": (4, 4, 32, vit("croco", 8, 16, 2, 20, 1e-6, rope_base=100),
              decoder("time_space", 16, 2, 18, 1e-6), "procrustes", True),
    "croco_full": (3, 3, 32, vit("croco", 8, 24, 3, 20, 1e-3, rope_base=30),
                   decoder("full", 16, 2, 18, 1e-2), "gram_schmidt", False),
    "dinov2_offset": (2, 2, 42, vit("dinov2", 14, 16, 2, 20, 1e-6, registers=0, grid=5, interpolation="offset"),
                      decoder("full", 16, 1, 18, 1e-2), "quaternion", True),
    "dinov2_antialias": (3, 3, 32, vit("dinov2", 8, 16, 2, 20, 1e-3, registers=4, grid=7, interpolation="antialias"),
                         decoder("full", 16, 2, 18, 1e-2), "euler", False),
    "dinov2_antialias_grow": (3, 3, 32, vit("dinov2", 8, 16, 2, 20, 1e-3, registers=0, grid=3,
                                            interpolation="antialias"),
                              decoder("time_space", 16, 2, 18, 1e-2), "procrustes", False),
    "dinov2_native": (2, 3, 32, vit("dinov2", 8, 16, 2, 20, 1e-3, registers=2, grid=4, interpolation="offset"),
                      decoder("time_space", 16, 2, 18, 1e-2), "gram_schmidt", True),
    "dinov3": (2, 2, 40, vit("dinov3", 8, 16, 2, 20, 1e-5, registers=4),
               decoder("time_space", 16, 1, 18, 1e-6), "procrustes", True),
    "dinov3_no_registers": (2, 2, 32, vit("dinov3", 8, 16, 1, 20, 1e-3, registers=0),
                            decoder("full", 24, 3, 18, 1e-2), "quaternion", False),
    "pair": (2, 2, 48, pair([4, 5, 6, 16], [0, 1, 1, 1], 2, 20, 1e-3, 100),
             decoder("time_space", 16, 2, 18, 1e-2), "euler", True),
    "pair_full": (5, 5, 32, pair([4, 8, 6, 16], [1, 0, 2, 0], 2, 20, 1e-2, 20),
                  decoder("full", 16, 2, 18, 1e-3), "procrustes", True),
    "pair_aspect": (3, 3, 32, pair([4, 4, 5, 8], [0, 0, 0, 0], 2, 12, 1e-3, 50),
                    decoder("time_space", 12, 2, 14, 1e-2), "procrustes", True, 16 / 9),
}


def make_input(size, aspect_aspect):
    rule = {"resize": "squash", "filter": "bilinear"} if aspect_aspect else \
           {"resize": "crop", "filter": "lanczos_or_bicubic"}
    numbers = {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}
    return {"size": size, **rule, **numbers, **({"aspect": True} if aspect_aspect else {})}


def make_config(name, window, size, encoder, decoder_config, rotation, confidence, aspect_aspect=None):
    return {"format": 1, "name": f"golden-{name}", "licence": "Apache-2.0", "training": "none (random weights)",
            "window": window,
            "input": make_input(size, aspect_aspect),
            "encoder": encoder, "decoder": decoder_config,
            "head": {"rotation": rotation, "confidence": confidence, "translation_mean": [0.125, -0.25, 0.5],
                     "translation_std": [0.5, 0.75, 2.5], "log_variance_shift": [0.375, -1.25]}}


# ---- Random weights and images ---------------------------------------------------------------------------------------

# Rotation part of the head bias, in turn for the pairs of a window: an ordinary value, then an awkward one.
ROTATION_BIASES = {
    "procrustes": [[1, 0, 0, 0, 1, 0, 0, 0, 1],
                   [1.6, 0, 0, 0, 1.3, 0, 0, 0, -0.4]],     # determinant < 0
    "gram_schmidt": [[1, 0, 0, 0, 1, 0], [0, 0.5, 0, 0, 1, 2]],  # neither unit nor orthogonal
    "quaternion": [[1, 0, 0, 0], [-0.4, 0.8, -0.8, 0.6]],   # w < 0
    "euler": [[0, 0, 0], [0.5, -1.0, 2.0]],
}


def head_bias(rng, config):
    head, pairs = config["head"], config["window"] - 1
    bias = 0.1 * rng.standard_normal((pairs, network.values_per_pair(head)))
    choices = ROTATION_BIASES[head["rotation"]]
    start = 1 if pairs == 1 else 0
    for i in range(pairs):
        bias[i, :len(choices[0])] += choices[(start + i) % 2]
    return bias.ravel()


def random_tensor(rng, name, shape, config):
    if name == "head.bias":
        return head_bias(rng, config)
    if name == "encoder.rope_periods":  # off the formula, as the released, rounded periods are
        return 100.0 ** (np.arange(shape[0]) / shape[0]) * (1 + 0.05 * rng.uniform(size=shape))
    noise = rng.standard_normal(shape)
    if name.endswith((".ls1", ".ls2")):
        return 0.6 + 0.3 * noise
    if len(shape) == 1 and name.endswith(".weight"):  # gain of a norm
        return 1 + 0.2 * noise
    if name.endswith(".weight"):
        gain = 0.25 if name == "head.weight" else 1.0
        return gain * noise / np.sqrt(np.prod(shape[1:]))
    return (0.2 if name.endswith(".bias") else 0.5) * noise


def rounded(array):
    return array.astype(np.float32)


def random_weights(rng, config):
    shapes = network.tensor_shapes(config)
    return {name: rounded(random_tensor(rng, name, shapes[name], config)) for name in sorted(shapes)}


def random_images(rng, count, size):
    """Frames that share a scene and differ by noise."""
    scene = rng.uniform(-1, 1, (3, size, size))
    return rounded(0.6 * scene + 0.6 * rng.uniform(-1, 1, (count, 3, size, size)))


# ---- Files -----------------------------------------------------------------------------------------------------------

def make_case(index, name):
    """(config, weights F32, expected) of one case."""
    window, frames, size, *parts = CASES[name]
    config = make_config(name, window, size, *parts)
    rng = np.random.RandomState(SEED + index)  # the frozen generator: same stream in every NumPy
    weights, images = random_weights(rng, config), random_images(rng, frames, size)
    w = {key: value.astype(np.float64) for key, value in weights.items()}
    tokens = network.encode(w, config, images.astype(np.float64))
    aspect = parts[4:]
    expected = {"images": images, "tokens": tokens, **network.run_window(w, config, tokens[:window], *aspect)}
    if aspect:
        expected["width_over_height"] = np.array(aspect)
    return config, weights, expected


def make_files():
    """File name -> bytes."""
    files = {}
    for index, name in enumerate(CASES):
        config, weights, expected = make_case(index, name)
        files[f"{name}.model.safetensors"] = safetensors_io.to_bytes(weights, {"config": json.dumps(config)})
        files[f"{name}.expected.safetensors"] = safetensors_io.to_bytes(expected)
    return files


def difference(made, stored):
    """None if the contents agree, else what differs."""
    if made == stored:
        return None
    (a, a_meta), (b, b_meta) = safetensors_io.from_bytes(made), safetensors_io.from_bytes(stored)
    a_layout, b_layout = ({k: (v.dtype, v.shape) for k, v in tensors.items()} for tensors in (a, b))
    if a_meta != b_meta or a_layout != b_layout:
        return "header"
    for key in a:
        limit = TOLERANCE if a[key].dtype == np.float64 else 0.0
        if not np.all(np.abs(a[key] - b[key]) <= limit * np.maximum(1.0, np.abs(b[key]))):
            return f"{key} by {np.max(np.abs(a[key] - b[key])):g}"
    return None


def check(files):
    """True if the folder holds exactly these files."""
    good = True
    for name, made in files.items():
        path = FOLDER / name
        what = difference(made, path.read_bytes()) if path.exists() else "missing"
        if what:
            print(f"{name}: differs: {what}")
            good = False
    ours = (*FOLDER.glob("*.model.safetensors"), *FOLDER.glob("*.expected.safetensors"))
    for path in sorted(ours):
        if path.name not in files:
            print(f"{path.name}: not made by this script")
            good = False
    return good


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    files = make_files()
    if sys.argv[1:]:
        sys.exit(0 if check(files) else 1)
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
        print(f"{len(content):7d}  {name}")
    print(f"{sum(map(len, files.values())):7d}  in all")


if __name__ == "__main__":
    main()
