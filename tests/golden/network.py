# SPDX-License-Identifier: Apache-2.0
"""NumPy float64 reference of the network, written from docs/network.md and the paper's equations (1)-(4).

An oracle for tests: no batching, no caching, clarity first. `w` is always the dict of weights (name -> float64 array),
`config` the dict of the model's config JSON. Images are normalised network inputs [3, S, S].
"""
import math

import numpy as np

PAIR_PATCH = 16
ROTATION_VALUES = {"procrustes": 9, "gram_schmidt": 6, "quaternion": 4, "euler": 3}


# ---- Primitives ------------------------------------------------------------------------------------------------------

erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(x):
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def layer_norm(w, name, x, eps):
    """Over the last axis, biased variance."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred ** 2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + eps) * w[name + ".weight"] + w[name + ".bias"]


def channel_norm(w, name, x, eps):
    """Layer norm over the channels of x [C, H, W]."""
    return np.moveaxis(layer_norm(w, name, np.moveaxis(x, 0, -1), eps), -1, 0)


def convolution(w, name, x, stride, padding):
    """x [C, H, W] -> [O, H', W']; cross-correlation with zero padding."""
    kernel = w[name + ".weight"]
    padded = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape[2:], axis=(1, 2))
    patches = patches[:, ::stride, ::stride]  # [C, H', W', kh, kw]
    return np.tensordot(kernel, patches, axes=([1, 2, 3], [0, 3, 4])) + w[name + ".bias"][:, None, None]


def split_heads(x, heads):
    """[..., T, d] -> [..., heads, T, d / heads]."""
    return np.swapaxes(x.reshape(*x.shape[:-1], heads, -1), -2, -3)


def attention(w, name, x, heads, rotate=lambda u: u):
    """Multi-head self-attention over axis -2 of x [..., T, d]; `rotate` is the RoPE applied to queries and keys."""
    q, k, v = (split_heads(u, heads) for u in np.split(linear(w, name + ".qkv", x), 3, axis=-1))
    scores = rotate(q) @ np.swapaxes(rotate(k), -1, -2) / math.sqrt(q.shape[-1])
    mixed = np.swapaxes(softmax(scores) @ v, -2, -3)
    return linear(w, name + ".proj", mixed.reshape(x.shape))


def feed_forward(w, name, x):
    return linear(w, name + ".fc2", gelu(linear(w, name + ".fc1", x)))


# ---- Rotary position embeddings --------------------------------------------------------------------------------------

def rotate_half(x, angles):
    """Pairs element j of x [..., T, D] with j + D/2 and turns the pair by angles [T, D/2]."""
    u, v = np.split(x, 2, axis=-1)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([u * cos - v * sin, v * cos + u * sin], axis=-1)


def grid_positions(n):
    """Integer (y, x) of the n x n tokens, row-major."""
    return np.array([(y, x) for y in range(n) for x in range(n)], dtype=np.float64)


def croco_rope(positions, base):
    """positions [T, 2] as (y, x); the head vector is [y half | x half], each rotated within itself."""
    def rotate(x):
        size = x.shape[-1] // 2
        frequencies = base ** (-2.0 * np.arange(size // 2) / size)
        y_half, x_half = np.split(x, 2, axis=-1)
        return np.concatenate([rotate_half(y_half, positions[:, :1] * frequencies),
                               rotate_half(x_half, positions[:, 1:] * frequencies)], axis=-1)
    return rotate


def dinov3_angles(coordinates, periods):
    """coordinates [T, 2] as (y, x) in [-1, 1] -> [T, 2 * len(periods)], the y angles first."""
    return (2.0 * math.pi * coordinates[:, :, None] / periods).reshape(len(coordinates), -1)


def dinov3_rope(n, periods, prefix):
    """RoPE of an n x n grid that leaves the first `prefix` tokens (CLS, registers) alone."""
    angles = dinov3_angles(2.0 * (grid_positions(n) + 0.5) / n - 1.0, periods)

    def rotate(x):
        return np.concatenate([x[..., :prefix, :], rotate_half(x[..., prefix:, :], angles)], axis=-2)
    return rotate


# ---- DINOv2 position embedding ---------------------------------------------------------------------------------------

def cubic(x, a):
    """Keys' cubic convolution kernel, support [-2, 2]."""
    x = np.abs(x)
    near = (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1
    far = a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def offset_matrix(grid, n):
    """[n, grid] interpolation weights of rule `offset`: four taps, taps outside take the border's value."""
    matrix = np.zeros((n, grid))
    for i in range(n):
        source = (i + 0.5) * grid / (n + 0.1) - 0.5
        for tap in range(math.floor(source) - 1, math.floor(source) + 3):
            matrix[i, min(max(tap, 0), grid - 1)] += cubic(source - tap, -0.75)
    return matrix


def antialias_matrix(grid, n):
    """[n, grid] interpolation weights of rule `antialias`: pixel centres at j + 0.5, taps outside left out."""
    widening = max(grid / n, 1.0)
    centre = (np.arange(n) + 0.5)[:, None] * grid / n
    weights = cubic((np.arange(grid) + 0.5 - centre) / widening, -0.5)
    return weights / weights.sum(axis=1, keepdims=True)


INTERPOLATIONS = {"offset": offset_matrix, "antialias": antialias_matrix}


def resized_pos_embed(w, encoder, n):
    """[1 + n * n, dim]: CLS first."""
    embed, grid = w["encoder.pos_embed"], encoder["grid"]
    if n == grid:
        return embed
    matrix = INTERPOLATIONS[encoder["interpolation"]](grid, n)
    image = embed[1:].reshape(grid, grid, -1)
    image = np.einsum("yi,xj,ijd->yxd", matrix, matrix, image)
    return np.concatenate([embed[:1], image.reshape(n * n, -1)])


# ---- Encoders: one frame -> [N, dim] ---------------------------------------------------------------------------------

def vit_blocks(w, encoder, x, rotate=lambda u: u):
    """Pre-norm blocks and the final norm; layer scale where the kind has it."""
    eps, scaled = encoder["norm_eps"], encoder["kind"] in ("dinov2", "dinov3")
    for i in range(encoder["depth"]):
        name = f"encoder.blocks.{i}"
        branch = attention(w, name + ".attn", layer_norm(w, name + ".norm1", x, eps), encoder["heads"], rotate)
        x = x + (w[name + ".ls1"] * branch if scaled else branch)
        branch = feed_forward(w, name + ".mlp", layer_norm(w, name + ".norm2", x, eps))
        x = x + (w[name + ".ls2"] * branch if scaled else branch)
    return layer_norm(w, "encoder.norm", x, eps)


def flatten_grid(x):
    """[d, h, w] -> row-major tokens [h * w, d]."""
    return x.reshape(len(x), -1).T


def embed_patches(w, encoder, image):
    return flatten_grid(convolution(w, "encoder.patch_embed", image, stride=encoder["patch"], padding=0))


def prefix_tokens(w, encoder):
    """[CLS, registers]."""
    tokens = [w["encoder.cls_token"][None]]
    if encoder["registers"] > 0:
        tokens.append(w["encoder.registers"])
    return np.concatenate(tokens)


def encode_croco(w, encoder, image, _previous):
    n = image.shape[-1] // encoder["patch"]
    rotate = croco_rope(grid_positions(n), encoder["rope_base"])
    return vit_blocks(w, encoder, embed_patches(w, encoder, image), rotate)


def encode_dinov2(w, encoder, image, _previous):
    pos = resized_pos_embed(w, encoder, image.shape[-1] // encoder["patch"])
    prefix = prefix_tokens(w, encoder)
    prefix[0] += pos[0]
    patches = embed_patches(w, encoder, image) + pos[1:]
    return vit_blocks(w, encoder, np.concatenate([prefix, patches]))[len(prefix):]


def encode_dinov3(w, encoder, image, _previous):
    prefix = prefix_tokens(w, encoder)
    rotate = dinov3_rope(image.shape[-1] // encoder["patch"], w["encoder.rope_periods"], len(prefix))
    tokens = np.concatenate([prefix, embed_patches(w, encoder, image)])
    return vit_blocks(w, encoder, tokens, rotate)[len(prefix):]


def stem_stage(w, name, x, blocks, eps):
    x = gelu(channel_norm(w, name + ".norm", convolution(w, name + ".conv", x, stride=2, padding=1), eps))
    for b in range(blocks):
        block = f"{name}.blocks.{b}"
        y = gelu(channel_norm(w, block + ".norm", convolution(w, block + ".conv1", x, stride=1, padding=1), eps))
        x = x + convolution(w, block + ".conv2", y, stride=1, padding=1)
    return x


def encode_pair(w, encoder, image, previous):
    x = np.concatenate([previous, image])
    for s, blocks in enumerate(encoder["blocks"]):
        x = stem_stage(w, f"encoder.stem.{s}", x, blocks, encoder["norm_eps"])
    rotate = croco_rope(grid_positions(x.shape[-1]), encoder["rope_base"])
    return vit_blocks(w, encoder, flatten_grid(x), rotate)


ENCODERS = {"croco": encode_croco, "dinov2": encode_dinov2, "dinov3": encode_dinov3, "pair": encode_pair}


def encode(w, config, images):
    """Images [F, 3, S, S] of a video -> tokens [F, N, dim]; the first frame is its own previous frame."""
    encoder = config["encoder"]
    return np.stack([ENCODERS[encoder["kind"]](w, encoder, images[i], images[max(i - 1, 0)])
                     for i in range(len(images))])


# ---- Decoders: tokens of a window [K, N, dim] -> camera token [d], image tokens [K, N, d] ---------------------------

def time_space_layer(w, decoder, name, q, x):
    """Equations (1)-(3)."""
    heads, eps = decoder["heads"], decoder["norm_eps"]
    by_position = np.swapaxes(layer_norm(w, name + ".time.norm", x, eps), 0, 1)  # [N, K, d]
    mixed = np.swapaxes(attention(w, name + ".time", by_position, heads), 0, 1)
    x = x + linear(w, name + ".time.out", mixed)

    slots = np.broadcast_to(q, (len(x), 1, len(q)))
    z = np.concatenate([slots, x], axis=1)  # [K, 1 + N, d]
    z = z + attention(w, name + ".space", layer_norm(w, name + ".space.norm", z, eps), heads)

    q, x = z[:, 0].mean(axis=0), z[:, 1:]
    q, x = (y + feed_forward(w, name + ".ffn", layer_norm(w, name + ".ffn.norm", y, eps)) for y in (q, x))
    return q, x


def full_layer(w, decoder, name, q, x):
    """Joint attention over the camera token and all K * N image tokens."""
    eps = decoder["norm_eps"]
    z = np.concatenate([q[None], x.reshape(-1, x.shape[-1])])
    z = z + attention(w, name + ".space", layer_norm(w, name + ".space.norm", z, eps), decoder["heads"])
    z = z + feed_forward(w, name + ".ffn", layer_norm(w, name + ".ffn.norm", z, eps))
    return z[0], z[1:].reshape(x.shape)


DECODER_LAYERS = {"time_space": time_space_layer, "full": full_layer}


def decode(w, config, tokens, width_over_height=1.0):
    decoder = config["decoder"]
    if config["encoder"]["dim"] != decoder["dim"]:
        tokens = linear(w, "decoder.input", tokens)
    x = tokens + w["decoder.pos_embed"][None] + w["decoder.time_embed"][:, None]
    if config["input"].get("aspect", False):
        x = x + w["decoder.aspect"] * math.log2(width_over_height)
    q = w["decoder.camera"]
    for i in range(decoder["depth"]):
        q, x = DECODER_LAYERS[decoder["kind"]](w, decoder, f"decoder.blocks.{i}", q, x)
    return q, x


# ---- Head ------------------------------------------------------------------------------------------------------------

def procrustes(values):
    """Equation (4): the rotation nearest to the row-major matrix."""
    u, _, vt = np.linalg.svd(np.reshape(values, (3, 3)))
    u[:, 2] *= np.sign(np.linalg.det(u) * np.linalg.det(vt))
    return u @ vt


def gram_schmidt(values):
    a1, a2 = values[:3], values[3:]
    b1 = a1 / np.linalg.norm(a1)
    b2 = a2 - (b1 @ a2) * b1
    b2 = b2 / np.linalg.norm(b2)
    return np.stack([b1, b2, np.cross(b1, b2)], axis=1)


def quaternion(values):
    w, x, y, z = values / np.linalg.norm(values)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def euler(values):
    (ca, cb, cg), (sa, sb, sg) = np.cos(values), np.sin(values)
    rx = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    ry = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    rz = np.array([[cg, -sg, 0], [sg, cg, 0], [0, 0, 1]])
    return rz @ ry @ rx


ROTATIONS = {"procrustes": procrustes, "gram_schmidt": gram_schmidt, "quaternion": quaternion, "euler": euler}


def values_per_pair(head):
    return ROTATION_VALUES[head["rotation"]] + 3 + (2 if head["confidence"] else 0)


def poses_from_head(config, values):
    """Raw head output [(K-1) * m] -> rotations [K-1, 3, 3], translations [K-1, 3], log variances [K-1, 2]."""
    head = config["head"]
    rows, r = values.reshape(config["window"] - 1, -1), ROTATION_VALUES[head["rotation"]]
    rotations = np.stack([ROTATIONS[head["rotation"]](row[:r]) for row in rows])
    translations = rows[:, r:r + 3] * head["translation_std"] + head["translation_mean"]
    log_variances = np.zeros((len(rows), 2))
    if head["confidence"]:
        log_variances = rows[:, r + 3:] + head["log_variance_shift"]
    return rotations, translations, log_variances


def run_window(w, config, tokens, width_over_height=1.0):
    """Encoder tokens of one window [K, N, dim] -> dict of everything after the encoder. The shape is that of the
    images before they were resized."""
    camera, x = decode(w, config, tokens, width_over_height)
    frames = x.mean(axis=1)
    values = linear(w, "head", np.concatenate([camera, frames.ravel()]))
    rotations, translations, log_variances = poses_from_head(config, values)
    return {"camera": camera, "frames": frames, "head": values, "rotations": rotations,
            "translations": translations, "log_variances": log_variances}


# ---- Tensor table ----------------------------------------------------------------------------------------------------

def tensor_shapes(config):
    """Every tensor a model of this config must have: name -> shape."""
    return {**encoder_shapes(config["encoder"]), **decoder_shapes(config), **head_shapes(config)}


def affine(name, *shape):
    return {name + ".weight": shape, name + ".bias": (shape[0],)}


def attention_shapes(name, dim):
    return {**affine(name + ".qkv", 3 * dim, dim), **affine(name + ".proj", dim, dim)}


def feed_forward_shapes(name, dim, hidden):
    return {**affine(name + ".fc1", hidden, dim), **affine(name + ".fc2", dim, hidden)}


def stem_shapes(encoder):
    shapes, c_in = {}, 6
    for s, (c, blocks) in enumerate(zip(encoder["channels"], encoder["blocks"])):
        name = f"encoder.stem.{s}"
        shapes |= affine(name + ".conv", c, c_in, 3, 3) | affine(name + ".norm", c)
        for b in range(blocks):
            block = f"{name}.blocks.{b}"
            shapes |= affine(block + ".conv1", c, c, 3, 3) | affine(block + ".norm", c)
            shapes |= affine(block + ".conv2", c, c, 3, 3)
        c_in = c
    return shapes


def encoder_shapes(encoder):
    kind, dim = encoder["kind"], encoder["dim"]
    if kind == "pair":
        shapes = stem_shapes(encoder)
    else:
        shapes = affine("encoder.patch_embed", dim, 3, encoder["patch"], encoder["patch"])
    for i in range(encoder["depth"]):
        name = f"encoder.blocks.{i}"
        shapes |= affine(name + ".norm1", dim) | affine(name + ".norm2", dim)
        shapes |= attention_shapes(name + ".attn", dim) | feed_forward_shapes(name + ".mlp", dim, encoder["hidden"])
        if kind in ("dinov2", "dinov3"):
            shapes |= {name + ".ls1": (dim,), name + ".ls2": (dim,)}
    shapes |= affine("encoder.norm", dim)
    if kind in ("dinov2", "dinov3"):
        shapes["encoder.cls_token"] = (dim,)
        if encoder["registers"] > 0:
            shapes["encoder.registers"] = (encoder["registers"], dim)
    if kind == "dinov2":
        shapes["encoder.pos_embed"] = (1 + encoder["grid"] ** 2, dim)
    if kind == "dinov3":
        shapes["encoder.rope_periods"] = (dim // encoder["heads"] // 4,)
    return shapes


def token_count(config):
    return (config["input"]["size"] // config["encoder"].get("patch", PAIR_PATCH)) ** 2


def decoder_shapes(config):
    decoder, dim = config["decoder"], config["decoder"]["dim"]
    shapes = {"decoder.pos_embed": (token_count(config), dim), "decoder.time_embed": (config["window"], dim),
              "decoder.camera": (dim,)}
    if config["input"].get("aspect", False):
        shapes["decoder.aspect"] = (dim,)
    if config["encoder"]["dim"] != dim:
        shapes |= affine("decoder.input", dim, config["encoder"]["dim"])
    for i in range(decoder["depth"]):
        name = f"decoder.blocks.{i}"
        if decoder["kind"] == "time_space":
            shapes |= affine(name + ".time.norm", dim) | attention_shapes(name + ".time", dim)
            shapes |= affine(name + ".time.out", dim, dim)
        shapes |= affine(name + ".space.norm", dim) | attention_shapes(name + ".space", dim)
        shapes |= affine(name + ".ffn.norm", dim) | feed_forward_shapes(name + ".ffn", dim, decoder["hidden"])
    return shapes


def head_shapes(config):
    window = config["window"]
    return affine("head", (window - 1) * values_per_pair(config["head"]), (1 + window) * config["decoder"]["dim"])
