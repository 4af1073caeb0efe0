#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the safetensors and pth fuzz targets.

    fuzz/make_weight_seeds.py        (into fuzz/corpus/safetensors and fuzz/corpus/pth)
"""
import argparse
import collections
import io
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests"))
sys.dont_write_bytecode = True
import make_pth  # noqa: E402


def write(corpus, name, content):
    with open(os.path.join(HERE, "corpus", corpus, name), "wb") as stream:
        stream.write(content)


def safetensors(header, data_size):
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + bytes(range(data_size))


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def pickle_bytes(top):
    stream = io.BytesIO()
    make_pth.Pickler(stream).dump(top)
    return stream.getvalue()


write("safetensors", "empty", safetensors({}, 0))
write("safetensors", "typical", safetensors(
    {"__metadata__": {"format": "pt"}, "a.weight": entry("F32", [2, 3], 0, 24), "a.bias": entry("BF16", [2], 24, 28)}, 28))
write("safetensors", "odd", safetensors(
    {"scalar": entry("I64", [], 1, 9), "bool": entry("BOOL", [1], 0, 1), "none": entry("F8_E4M3", [0, 4], 9, 9)}, 9))

tensor = make_pth.Tensor(0, (2, 2))
state = collections.OrderedDict([("a.weight", tensor), ("a.tied", make_pth.Tensor(0, (2, 2), share=tensor))])
state._metadata = collections.OrderedDict([("", {"version": 1})])
wrapped = {"model": state, "args": argparse.Namespace(model="Net(dim=8)", lr=1e-4, steps=70000)}
bare = {"t": make_pth.Tensor(1, (2, 2), order=(1, 0)), "p": make_pth.Tensor(2, (2,), parameter=True)}
write("pth", "wrapped", make_pth.pth_bytes(wrapped, folder="a", modern=False))
write("pth", "bare", make_pth.pth_bytes(bare, folder="a"))
write("pth", "pickle-wrapped", pickle_bytes(wrapped))
write("pth", "pickle-strided", pickle_bytes({"t": make_pth.Tensor(1, (2, 2), order=(1, 0))}))
write("pth", "pickle-call", pickle_bytes({"t": tensor, "size": 1 << 70, "set": {1}, "flag": True, "none": None}))
