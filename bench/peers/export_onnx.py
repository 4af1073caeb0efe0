# SPDX-License-Identifier: Apache-2.0
"""Writes the network of a model file as ONNX:  export_onnx.py MODEL.safetensors OUT.onnx

One graph does what three new frames of a video cost (K - overlap in general): it encodes them and decodes the window that
they complete.

    inputs   current  [n, 3, S, S]  the new frames
             previous [n, 3, S, S]  the frame before each
             kept     [K - n, N, d]  tokens of the frames before them
    outputs  values   [K - 1, m]  raw outputs of the head
             tokens   [n, N, d]  of the new frames

Written from docs/network.md, for encoder `pair` and decoder `time_space`, in F32 and with fixed shapes. As calfvo does at
load, `time.proj` and `time.out` become one matrix.
"""
import argparse
import json
import pathlib
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20  # the first with Gelu
ROTATION_VALUES = {"procrustes": 9, "gram_schmidt": 6, "quaternion": 4, "euler": 3}
PATCH = 16


def read_safetensors(path):
    """(tensors as F32, metadata) of a safetensors file."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "BF16":  # the upper half of a float
            values = (np.frombuffer(data[begin:end], "<u2").astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(data[begin:end], {"F32": "<f4", "F16": "<f2"}[entry["dtype"]]).astype(np.float32)
        tensors[name] = values.reshape(entry["shape"])
    return tensors, metadata


class Graph:
    """Nodes and constants; each method returns the name of its result."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.constants = {}

    def add(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{kind.lower()}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"{kind}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, name, array, dtype=np.float32):
        self.constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(array, dtype=dtype), name))
        return name

    def shape(self, *sizes):
        return self.constant("shape_" + "_".join(map(str, sizes)), sizes, np.int64)

    def reshape(self, x, *sizes):
        return self.add("Reshape", x, self.shape(*sizes))

    def split(self, x, parts, axis):
        return self.add("Split", x, outputs=parts, axis=axis, num_outputs=parts)

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def matrix(self, name, x, matrix, bias):
        product = self.add("MatMul", x, self.constant(name + ".matrix", matrix.T))
        return self.add("Add", product, self.constant(name + ".bias", bias))

    def linear(self, name, x):
        return self.matrix(name, x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, name, x, eps):
        return self.add("LayerNormalization", x, self.weight(name + ".weight"), self.weight(name + ".bias"), axis=-1,
                        epsilon=eps)

    def feed_forward(self, name, x):
        return self.linear(name + ".fc2", self.add("Gelu", self.linear(name + ".fc1", x)))

    def attention(self, name, x, shape, heads, project, rotate=lambda u: u):
        """Over axis 1 of x [batch, length, dim]."""
        batch, length, dim = shape
        size = dim // heads
        qkv = self.reshape(self.linear(name + ".qkv", x), batch, length, 3, heads, size)
        parts = self.split(self.add("Transpose", qkv, perm=[2, 0, 3, 1, 4]), 3, axis=0)
        q, k, v = (self.reshape(part, batch, heads, length, size) for part in parts)
        q = self.add("Mul", rotate(q), self.constant(f"scale_{size}", np.float32(size ** -0.5)))
        scores = self.add("MatMul", q, self.add("Transpose", rotate(k), perm=[0, 1, 3, 2]))
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), v)
        return project(self.reshape(self.add("Transpose", mixed, perm=[0, 2, 1, 3]), batch, length, dim))

    def mean(self, x, axis):
        return self.add("ReduceMean", x, self.constant(f"axis_{axis}", [axis], np.int64), keepdims=0)


def grid_rope(graph, side, size, base):
    """Turns queries or keys of side x side tokens; the head vector is [y half | x half]."""
    half = size // 2
    frequencies = float(base) ** (-2.0 * np.arange(half // 2) / half)
    y = np.repeat(np.arange(side), side)[:, None] * frequencies
    x = np.tile(np.arange(side), side)[:, None] * frequencies
    angles = np.concatenate([y, y, x, x], axis=1)
    cosines = graph.constant("rope_cosines", np.cos(angles))
    sines = graph.constant("rope_sines", np.sin(angles))

    def rotate(u):
        a, b, c, d = graph.split(u, 4, axis=-1)
        turned = graph.add("Concat", graph.add("Neg", b), a, graph.add("Neg", d), c, axis=-1)
        return graph.add("Add", graph.add("Mul", u, cosines), graph.add("Mul", turned, sines))
    return rotate


def stem(graph, encoder, x):
    def convolution(name, x, stride):
        return graph.add("Conv", x, graph.weight(name + ".weight"), graph.weight(name + ".bias"), kernel_shape=[3, 3],
                         pads=[1, 1, 1, 1], strides=[stride, stride])

    def norm_gelu(name, x):
        last = graph.add("Transpose", x, perm=[0, 2, 3, 1])
        normed = graph.add("Gelu", graph.norm(name + ".norm", last, encoder["norm_eps"]))
        return graph.add("Transpose", normed, perm=[0, 3, 1, 2])

    for s, blocks in enumerate(encoder["blocks"]):
        stage = f"encoder.stem.{s}"
        x = norm_gelu(stage, convolution(stage + ".conv", x, 2))
        for b in range(blocks):
            block = f"{stage}.blocks.{b}"
            y = norm_gelu(block, convolution(block + ".conv1", x, 1))
            x = graph.add("Add", x, convolution(block + ".conv2", y, 1))
    return x


def encode(graph, config, frames):
    """Tokens [frames, N, d] of the inputs `current` and `previous`."""
    encoder = config["encoder"]
    side = config["input"]["size"] // PATCH
    shape = (frames, side * side, encoder["dim"])
    x = stem(graph, encoder, graph.add("Concat", "previous", "current", axis=1))
    x = graph.add("Transpose", graph.reshape(x, frames, shape[2], shape[1]), perm=[0, 2, 1])
    rotate = grid_rope(graph, side, encoder["dim"] // encoder["heads"], encoder["rope_base"])
    for i in range(encoder["depth"]):
        name = f"encoder.blocks.{i}"
        x = graph.add("Add", x, graph.attention(name + ".attn", graph.norm(name + ".norm1", x, encoder["norm_eps"]), shape,
                                                encoder["heads"], lambda y: graph.linear(name + ".attn.proj", y), rotate))
        x = graph.add("Add", x, graph.feed_forward(name + ".mlp", graph.norm(name + ".norm2", x, encoder["norm_eps"])))
    return graph.norm("encoder.norm", x, encoder["norm_eps"])


def time_projection(graph, name):
    """`time.proj` and `time.out` as one matrix."""
    weights = graph.weights
    outer = weights[name + ".out.weight"].astype(np.float64)
    matrix = outer @ weights[name + ".proj.weight"]
    bias = outer @ weights[name + ".proj.bias"] + weights[name + ".out.bias"]
    return lambda x: graph.matrix(name + ".proj_out", x, matrix, bias)


def decode(graph, config, tokens, width_over_height):
    """Raw values [K - 1, m] of tokens [K, N, dim]."""
    decoder, window, weights = config["decoder"], config["window"], graph.weights
    count, dim, heads, eps = len(weights["decoder.pos_embed"]), decoder["dim"], decoder["heads"], decoder["norm_eps"]
    if config["encoder"]["dim"] != dim:
        tokens = graph.linear("decoder.input", tokens)
    places = weights["decoder.pos_embed"][None] + weights["decoder.time_embed"][:, None]
    if config["input"].get("aspect", False):
        places = places + weights["decoder.aspect"] * np.log2(width_over_height)
    x = graph.add("Add", tokens, graph.constant("decoder.places", places))
    q = graph.constant("decoder.camera", weights["decoder.camera"][None, None])
    for i in range(decoder["depth"]):
        name = f"decoder.blocks.{i}"
        by_place = graph.add("Transpose", graph.norm(name + ".time.norm", x, eps), perm=[1, 0, 2])
        mixed = graph.attention(name + ".time", by_place, (count, window, dim), heads,
                                time_projection(graph, name + ".time"))
        x = graph.add("Add", x, graph.add("Transpose", mixed, perm=[1, 0, 2]))

        slots = graph.add("Expand", q, graph.shape(window, 1, dim))
        z = graph.add("Concat", slots, x, axis=1)
        z = graph.add("Add", z, graph.attention(name + ".space", graph.norm(name + ".space.norm", z, eps),
                                                (window, 1 + count, dim), heads,
                                                lambda y, name=name: graph.linear(name + ".space.proj", y)))
        slots, x = graph.add("Split", z, graph.shape(1, count), outputs=2, axis=1)
        q = graph.reshape(graph.mean(slots, 0), 1, 1, dim)
        # One product for both, as calfvo does it.
        rows = graph.add("Concat", q, graph.reshape(x, 1, window * count, dim), axis=1)
        rows = graph.add("Add", rows, graph.feed_forward(name + ".ffn", graph.norm(name + ".ffn.norm", rows, eps)))
        q, x = graph.add("Split", rows, graph.shape(1, window * count), outputs=2, axis=1)
        x = graph.reshape(x, window, count, dim)
    features = graph.add("Concat", graph.reshape(q, 1, dim), graph.reshape(graph.mean(x, 1), 1, window * dim), axis=1)
    return graph.reshape(graph.linear("head", features), window - 1, -1)


def export(path, overlap=5, width_over_height=1.0):
    """The ONNX model of a model file, for images of one shape."""
    weights, metadata = read_safetensors(path)
    config = json.loads(metadata["config"])
    if config["encoder"]["kind"] != "pair" or config["decoder"]["kind"] != "time_space":
        raise SystemExit(f"error: {path}: the network is {config['encoder']['kind']} and {config['decoder']['kind']}; "
                         "only 'pair' and 'time_space' are exported")
    if not 1 <= overlap < config["window"]:
        raise SystemExit(f"error: the overlap is {overlap}; expected 1 to {config['window'] - 1}")
    frames, size = config["window"] - overlap, config["input"]["size"]
    graph = Graph(weights)
    tokens = encode(graph, config, frames)
    values = decode(graph, config, graph.add("Concat", "kept", tokens, axis=0), width_over_height)
    head = config["head"]
    per_pair = ROTATION_VALUES[head["rotation"]] + 3 + (2 if head["confidence"] else 0)
    shapes = {"current": [frames, 3, size, size], "previous": [frames, 3, size, size],
              "kept": [overlap, (size // PATCH) ** 2, config["encoder"]["dim"]],
              "values": [config["window"] - 1, per_pair], "tokens": [frames, (size // PATCH) ** 2, config["encoder"]["dim"]]}
    for name, result in (("values", values), ("tokens", tokens)):
        graph.nodes.append(helper.make_node("Identity", [result], [name], name=name))
    info = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()}
    onnx_graph = helper.make_graph(graph.nodes, "calfvo", [info["current"], info["previous"], info["kept"]],
                                   [info["values"], info["tokens"]], list(graph.constants.values()))
    model = helper.make_model(onnx_graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10,
                              producer_name="calfvo bench/peers")
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="model file of calfvo")
    parser.add_argument("out", help="ONNX file to write")
    parser.add_argument("--overlap", type=int, default=5, help="frames that windows share (%(default)s)")
    arguments = parser.parse_args()
    onnx.save(export(arguments.model, arguments.overlap), arguments.out)


if __name__ == "__main__":
    main()
