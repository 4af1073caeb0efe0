# SPDX-License-Identifier: Apache-2.0
"""Self-checks of the reference: /usr/bin/python3 tests/golden/test_network.py

Each function states a property that follows from the specification, not from the code under test.
"""
import copy
import math
import sys

import numpy as np

sys.dont_write_bytecode = True
import make_network_goldens as goldens
import network
import safetensors_io

RNG = np.random.RandomState(1)
VISIBLE = 2e-4  # a mistake must change a golden value by at least this much


def close(a, b, limit=1e-12):
    return np.max(np.abs(np.asarray(a) - b)) < limit


def load_case(name):
    """(config, w, images, expected tokens and outputs) of a case, made afresh."""
    config, weights, expected = goldens.make_case(list(goldens.CASES).index(name), name)
    w = {key: value.astype(np.float64) for key, value in weights.items()}
    return config, w, expected["images"].astype(np.float64), expected


def aspect_of(expected):
    return expected.get("width_over_height", np.ones(1))


def outputs(config, w, images, width_over_height=(1.0,)):
    tokens = network.encode(w, config, images)
    return {"tokens": tokens, **network.run_window(w, config, tokens[:config["window"]], *width_over_height)}


def largest_change(a, b):
    return max(np.max(np.abs(a[key] - b[key])) for key in a if key != "images")


# ---- Primitives ------------------------------------------------------------------------------------------------------

def test_erf_against_its_series():
    x = np.linspace(-3, 3, 41)
    series = sum((-1) ** n * x ** (2 * n + 1) / (math.factorial(n) * (2 * n + 1)) for n in range(80))
    assert close(network.erf(x), 2 / math.sqrt(math.pi) * series, 1e-12)


def test_convolution_against_loops():
    w = {"c.weight": RNG.randn(2, 3, 3, 3), "c.bias": RNG.randn(2)}
    x = RNG.randn(3, 6, 6)
    result = network.convolution(w, "c", x, stride=2, padding=1)
    assert result.shape == (2, 3, 3)
    for o, y, z in np.ndindex(2, 3, 3):
        total = w["c.bias"][o]
        for c, i, j in np.ndindex(3, 3, 3):
            row, column = 2 * y + i - 1, 2 * z + j - 1
            if 0 <= row < 6 and 0 <= column < 6:
                total += w["c.weight"][o, c, i, j] * x[c, row, column]
        assert abs(total - result[o, y, z]) < 1e-12


def test_attention_against_loops():
    dim, heads, count = 8, 2, 5
    shapes = network.attention_shapes("a", dim)
    w = {name: RNG.randn(*shape) for name, shape in shapes.items()}
    x = RNG.randn(count, dim)
    qkv = np.array([w["a.qkv.weight"] @ row + w["a.qkv.bias"] for row in x])
    mixed = np.zeros((count, dim))
    for h, i in np.ndindex(heads, count):
        part = slice(h * 4, h * 4 + 4)
        q, k, v = qkv[i, :dim][part], qkv[:, dim:2 * dim][:, part], qkv[:, 2 * dim:][:, part]
        e = [math.exp(q @ k[j] / 2.0) for j in range(count)]
        mixed[i, part] = sum(e[j] * v[j] for j in range(count)) / sum(e)
    expected = mixed @ w["a.proj.weight"].T + w["a.proj.bias"]
    assert close(network.attention(w, "a", x, heads), expected)


# ---- RoPE ------------------------------------------------------------------------------------------------------------

def test_croco_scores_depend_on_relative_position_only():
    q, k, positions = RNG.randn(9, 16), RNG.randn(9, 16), network.grid_positions(3)
    scores = [network.croco_rope(p, 100.0)(q) @ network.croco_rope(p, 100.0)(k).T
              for p in (positions, positions + [5, 11], positions[:, ::-1])]
    assert close(scores[0], scores[1])
    assert not close(scores[0], scores[2], VISIBLE)


def test_dinov3_scores_depend_on_relative_position_only():
    q, k, c = RNG.randn(9, 16), RNG.randn(9, 16), RNG.uniform(-1, 1, (9, 2))
    periods = np.array([1.0, 3.2, 10.0, 31.0])
    scores = [network.rotate_half(q, a) @ network.rotate_half(k, a).T
              for a in (network.dinov3_angles(c, periods), network.dinov3_angles(c + [0.3, -0.7], periods))]
    assert close(scores[0], scores[1])


def test_croco_rope_layout():
    """One-hot inputs at position (y, x) = (2, 3): which elements pair, which axis turns them, and which way."""
    rotate = network.croco_rope(np.array([[2.0, 3.0]]), 100.0)
    turned = [rotate(row[None])[0] for row in np.eye(8)]
    for source, partner, angle in ((0, 2, 2.0), (1, 3, 0.2), (4, 6, 3.0), (5, 7, 0.3)):
        expected = np.zeros(8)
        expected[source], expected[partner] = math.cos(angle), math.sin(angle)
        assert close(turned[source], expected)


def test_dinov3_rope_layout():
    """2 x 2 grid, one prefix token; patch (0, 1) has c = (-0.5, 0.5)."""
    rotate = network.dinov3_rope(2, np.array([4.0, 10.0]), prefix=1)
    for source, angle in enumerate((-math.pi / 4, -math.pi / 10, math.pi / 4, math.pi / 10)):
        x = np.zeros((5, 8))
        x[:, source] = 1
        expected = np.zeros(8)
        expected[source], expected[source + 4] = math.cos(angle), math.sin(angle)
        turned = rotate(x)
        assert close(turned[2], expected)
        assert close(turned[0], x[0])


# ---- DINOv2 position embedding ---------------------------------------------------------------------------------------

def test_interpolation_keeps_constants_and_flips():
    for rule in network.INTERPOLATIONS.values():
        for grid, n in ((37, 16), (7, 4), (3, 5), (5, 3)):
            assert close(rule(grid, n).sum(axis=1), 1.0)
    matrix = network.antialias_matrix(7, 4)
    assert close(matrix, matrix[::-1, ::-1])
    assert close(network.antialias_matrix(6, 6), np.eye(6))


def test_offset_taps():
    """Grid 41 and n 4 give source coordinates 10(i + 0.5) - 0.5, half-way between taps, away from the border."""
    row = network.offset_matrix(41, 4)[1]
    expected = np.zeros(41)
    expected[13:17] = [-0.09375, 0.59375, 0.59375, -0.09375]
    assert close(row, expected)


def test_antialias_against_pillow_bounds():
    """The loop with explicit bounds of checkpoints.md section 1."""
    for grid, n in ((37, 16), (7, 4), (3, 5)):
        expected, scale = np.zeros((n, grid)), grid / n
        f = max(scale, 1.0)
        for i in range(n):
            centre = (i + 0.5) * scale
            low, high = max(0, int(centre - 2 * f + 0.5)), min(grid, int(centre + 2 * f + 0.5))
            for x in range(low, high):
                t = abs((x - centre + 0.5) / f)
                expected[i, x] = ((1.5 * t - 2.5) * t * t + 1 if t < 1 else
                                  ((-0.5 * t + 2.5) * t - 4) * t + 2 if t < 2 else 0.0)
            expected[i] /= expected[i].sum()
        assert close(network.antialias_matrix(grid, n), expected)


# ---- Decoder ---------------------------------------------------------------------------------------------------------

def test_camera_slots_are_averaged():
    """Identical frames act as one: the camera token cannot distinguish K copies from a single frame."""
    config, w, _, expected = load_case("croco")
    w["decoder.time_embed"] = np.zeros_like(w["decoder.time_embed"])
    one = expected["tokens"][:1]
    copies, _ = network.decode(w, config, np.repeat(one, 4, axis=0))
    w["decoder.time_embed"] = w["decoder.time_embed"][:1]
    single, _ = network.decode(w, config, one)
    assert close(copies, single)


def test_time_space_layer_against_loops():
    """Equations (1)-(3) token by token."""
    config, w, _, expected = load_case("croco")
    decoder, name = config["decoder"], "decoder.blocks.0"
    x, q = expected["tokens"].copy(), w["decoder.camera"]
    frames, count, _ = x.shape
    norm = lambda part, y: network.layer_norm(w, f"{name}.{part}.norm", y, decoder["norm_eps"])
    got_q, got_x = network.time_space_layer(w, decoder, name, q, x)
    for n in range(count):
        mixed = network.attention(w, name + ".time", norm("time", expected["tokens"][:, n]), decoder["heads"])
        x[:, n] += network.linear(w, name + ".time.out", mixed)
    slots = []
    for i in range(frames):
        z = np.vstack([q, x[i]])
        z += network.attention(w, name + ".space", norm("space", z), decoder["heads"])
        slots.append(z[0])
        assert close(got_x[i], z[1:] + network.feed_forward(w, name + ".ffn", norm("ffn", z[1:])))
    mean = sum(slots) / frames
    assert close(got_q, mean + network.feed_forward(w, name + ".ffn", norm("ffn", mean)))


def test_frame_order_matters_only_through_the_time_embedding():
    for name in ("croco", "croco_full"):
        config, w, _, expected = load_case(name)
        tokens, order = expected["tokens"], np.roll(np.arange(config["window"]), 1)
        reordered = network.run_window(w, config, tokens[order])
        assert np.max(np.abs(reordered["camera"] - expected["camera"])) > VISIBLE
        w["decoder.time_embed"] = np.zeros_like(w["decoder.time_embed"])
        plain, reordered = (network.run_window(w, config, t) for t in (tokens, tokens[order]))
        assert close(plain["camera"], reordered["camera"])
        assert close(plain["frames"][order], reordered["frames"])


def test_aspect_moves_every_token():
    """Four times as wide as high is two steps of decoder.aspect, as high as that two back, and square none."""
    config, w, _, expected = load_case("pair_aspect")
    tokens = expected["tokens"]
    plain = {**config, "input": {**config["input"], "aspect": False}}
    for shape, steps in ((4.0, 2), (1.0, 0), (0.25, -2)):
        moved = {**w, "decoder.pos_embed": w["decoder.pos_embed"] + steps * w["decoder.aspect"]}
        told_camera, _ = network.decode(w, config, tokens, shape)
        assert close(told_camera, network.decode(moved, plain, tokens)[0])
    assert not close(expected["camera"], network.decode(w, plain, tokens)[0], VISIBLE)


# ---- Head ------------------------------------------------------------------------------------------------------------

def is_rotation(r):
    return close(r @ r.T, np.eye(3)) and abs(np.linalg.det(r) - 1) < 1e-12


def test_rotations_are_rotations():
    for kind, function in network.ROTATIONS.items():
        for _ in range(20):
            assert is_rotation(function(RNG.randn(network.ROTATION_VALUES[kind]))), kind


def test_procrustes_is_optimal():
    for sign in (1, -1) * 10:
        m = RNG.randn(3, 3)
        m *= sign * np.sign(np.linalg.det(m))
        best = np.sum((network.procrustes(m.ravel()) - m) ** 2)
        for spread in (1.0, 1e-1, 1e-3):
            for _ in range(50):
                other = network.procrustes(m.ravel()) @ network.quaternion(np.r_[1, spread * RNG.randn(3)])
                assert np.sum((other - m) ** 2) >= best - 1e-12
    r = network.euler(np.array([0.3, -0.5, 1.1]))
    assert close(network.procrustes(2.5 * r.ravel()), r)  # row-major in, same matrix out


def test_known_rotations():
    quarter_about_z = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert close(network.quaternion(np.array([1.0, 0, 0, 1])), quarter_about_z)
    assert close(network.euler(np.array([0, 0, math.pi / 2])), quarter_about_z)
    assert close(network.gram_schmidt(np.array([0, 3.0, 0, -2, 5, 0])), quarter_about_z)
    half = math.pi / 2  # first about x, then about y: e_z -> -e_y -> -e_y
    assert close(network.euler(np.array([half, half, 0])) @ [0, 0, 1], [0, -1, 0])


def test_goldens_stay_away_from_singular_rotations():
    """So that a float32 implementation can be compared with a small tolerance."""
    signs = set()
    for name in goldens.CASES:
        config, _, _, expected = load_case(name)
        r = network.ROTATION_VALUES[config["head"]["rotation"]]
        for row, rotation in zip(expected["head"].reshape(config["window"] - 1, -1), expected["rotations"]):
            assert is_rotation(rotation)
            if config["head"]["rotation"] == "procrustes":
                m = row[:r].reshape(3, 3)
                s = np.linalg.svd(m, compute_uv=False)
                assert s[1] + np.sign(np.linalg.det(m)) * s[2] > 0.25, (name, s)
                signs.add(np.sign(np.linalg.det(m)))
            elif config["head"]["rotation"] == "gram_schmidt":
                assert np.linalg.norm(row[:3]) > 0.25
                assert np.linalg.norm(np.cross(row[:3], row[3:6])) > 0.25 * np.linalg.norm(row[:3])
            elif config["head"]["rotation"] == "quaternion":
                assert np.linalg.norm(row[:4]) > 0.25
    assert signs == {1.0, -1.0}


# ---- The goldens reveal mistakes -------------------------------------------------------------------------------------

def test_every_tensor_matters():
    for name in goldens.CASES:
        config, w, images, expected = load_case(name)
        for key in w:
            moved = {**w, key: w[key] + 0.05 * RNG.standard_normal(w[key].shape)}
            assert largest_change(outputs(config, moved, images, aspect_of(expected)), expected) > VISIBLE, (name, key)


def changed_by_config(name, *path_and_value):
    config, w, images, expected = load_case(name)
    changed = copy.deepcopy(config)
    *path, last, value = path_and_value
    node = changed
    for key in path:
        node = node[key]
    node[last] = value
    return largest_change(outputs(changed, w, images, aspect_of(expected)), expected)


def changed_by_patch(name, attribute, replacement):
    config, w, images, expected = load_case(name)
    original = getattr(network, attribute)
    setattr(network, attribute, replacement(original))
    try:
        return largest_change(outputs(config, w, images, aspect_of(expected)), expected)
    finally:
        setattr(network, attribute, original)


def test_wrong_settings_show():
    for name, (_, _, _, encoder, decoder, *_) in goldens.CASES.items():
        for part, settings in (("encoder", encoder), ("decoder", decoder)):
            if settings["norm_eps"] >= 1e-3:
                assert changed_by_config(name, part, "norm_eps", 1e-6) > VISIBLE, (name, part)
    for name in ("croco", "croco_full", "pair", "pair_full"):
        assert changed_by_config(name, "encoder", "rope_base", 50) > VISIBLE, name
    assert changed_by_config("dinov2_offset", "encoder", "interpolation", "antialias") > VISIBLE
    assert changed_by_config("dinov2_antialias", "encoder", "interpolation", "offset") > VISIBLE
    assert changed_by_config("dinov2_antialias_grow", "encoder", "interpolation", "offset") > VISIBLE


def tanh_gelu(_):
    return lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def test_wrong_conventions_show():
    """Each mistake changes the values of the case named with it."""
    mistakes = [
        ("croco", "gelu", tanh_gelu),
        ("pair", "gelu", tanh_gelu),
        ("croco", "rotate_half", lambda f: lambda x, a: f(x, -a)),
        ("dinov3", "rotate_half", lambda f: lambda x, a: f(x, -a)),
        ("croco", "grid_positions", lambda f: lambda n: f(n)[:, ::-1]),
        ("dinov3", "grid_positions", lambda f: lambda n: f(n)[:, ::-1]),
        ("dinov3", "dinov3_rope", lambda f: lambda n, p, k: lambda x: x),
        ("croco", "flatten_grid", lambda f: lambda x: f(np.swapaxes(x, 1, 2))),
        ("pair", "flatten_grid", lambda f: lambda x: f(np.swapaxes(x, 1, 2))),
        ("croco", "split_heads", lambda f: lambda x, h: np.moveaxis(x.reshape(*x.shape[:-1], -1, h), -1, -3)),
    ]
    for name, attribute, replacement in mistakes:
        assert changed_by_patch(name, attribute, replacement) > VISIBLE, (name, attribute)


def test_pair_order_shows():
    config, w, images, expected = load_case("pair")
    assert close(network.encode_pair(w, config["encoder"], images[1], images[0]), expected["tokens"][1])
    swapped = network.encode_pair(w, config["encoder"], images[0], images[1])
    assert not close(swapped, expected["tokens"][1], VISIBLE)


def test_softmax_is_not_saturated():
    largest = []

    def spy(softmax):
        def wrapped(x):
            p = softmax(x)
            largest.append(np.median(p.max(axis=-1)))
            return p
        return wrapped
    for name in goldens.CASES:
        changed_by_patch(name, "softmax", spy)
    assert max(largest) < 0.9, max(largest)


# ---- Files -----------------------------------------------------------------------------------------------------------

def test_safetensors_round_trip():
    tensors = {"b": RNG.randn(2, 3), "a": RNG.randn(5).astype(np.float32), "scalar": np.array(1.5),
               "empty": np.zeros((0, 2))}
    data = safetensors_io.to_bytes(tensors, {"config": '{"é": 1}'})
    assert (8 + int.from_bytes(data[:8], "little")) % 64 == 0
    read, metadata = safetensors_io.from_bytes(data)
    assert metadata == {"config": '{"é": 1}'} and set(read) == set(tensors)
    assert all(np.array_equal(read[k], tensors[k]) and read[k].dtype == tensors[k].dtype for k in tensors)
    assert safetensors_io.to_bytes(read, metadata) == data


def test_files_are_small_and_current():
    files = goldens.make_files()
    assert all(len(content) <= 150_000 for content in files.values())
    assert sum(map(len, files.values())) <= 1_300_000
    assert goldens.check(files)


def main():
    tests = [(name, value) for name, value in globals().items() if name.startswith("test_")]
    for name, test in tests:
        test()
        print("ok", name)
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
