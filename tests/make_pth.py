#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small files laid out as torch.save writes them, without PyTorch.

    make_pth.py FOLDER

Each NAME.pth has the official key names of one encoder with tiny sizes, and beside it NAME.txt with a line
"index<TAB>name<TAB>dtype<TAB>2,3" for each tensor of the state dict. Element i (row-major) of the tensor with
index t has the value ((31 t + 7 i) mod 251 - 125) / 64, which every float type holds exactly.
"""
import argparse
import collections
import io
import os
import pickle
import struct
import sys
import types
import zlib

STORAGE_CLASSES = {"F64": "DoubleStorage", "F32": "FloatStorage", "F16": "HalfStorage", "BF16": "BFloat16Storage"}
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}


def make_fake_torch():
    """Just enough of the module that pickle can write its names."""
    torch = types.ModuleType("torch")
    utils = types.ModuleType("torch._utils")
    for name in STORAGE_CLASSES.values():
        setattr(torch, name, type(name, (), {"__module__": "torch"}))
    for name in ("_rebuild_tensor_v2", "_rebuild_parameter"):
        function = types.FunctionType((lambda *args: None).__code__, {}, name)
        function.__module__, function.__qualname__ = "torch._utils", name
        setattr(utils, name, function)
    torch._utils = utils
    sys.modules.update({"torch": torch, "torch._utils": utils})
    return torch


TORCH = make_fake_torch()


def value(t, i):
    return ((31 * t + 7 * i) % 251 - 125) / 64


def encode(dtype, values):
    if dtype == "BF16":  # the values are exact, so cutting off is rounding
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    return struct.pack("<%d%s" % (len(values), {"F64": "d", "F32": "f", "F16": "e"}[dtype]), *values)


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def row_major_strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return tuple(strides)


class Storage:
    def __init__(self, dtype, data):
        self.dtype, self.data = dtype, data


class Tensor:
    """order: the dimensions from the slowest to the fastest in memory, for strided tensors."""

    def __init__(self, t, shape, dtype="F32", order=None, share=None, offset=0, parameter=False):
        self.t, self.shape, self.dtype, self.offset, self.parameter = t, tuple(shape), dtype, offset, parameter
        order = order or range(len(shape))
        memory_strides = row_major_strides([shape[d] for d in order])
        self.stride = tuple(memory_strides[list(order).index(d)] for d in range(len(shape)))
        if share is not None:
            self.storage = share.storage
            return
        values = [0.0] * (offset + product(shape))
        logical = row_major_strides(shape)
        for i in range(product(shape)):
            index = [i // logical[d] % shape[d] for d in range(len(shape))]
            values[offset + sum(a * b for a, b in zip(index, self.stride))] = value(t, i)
        self.storage = Storage(dtype, encode(dtype, values))

    def __reduce__(self):
        arguments = (self.storage, self.offset, self.shape, self.stride, False, collections.OrderedDict())
        if self.parameter:
            plain = Tensor(self.t, self.shape, self.dtype, share=self)
            return TORCH._utils._rebuild_parameter, (plain, True, collections.OrderedDict())
        return TORCH._utils._rebuild_tensor_v2, arguments


class Pickler(pickle.Pickler):
    def __init__(self, stream):
        super().__init__(stream, protocol=2)
        self.storages, self.keys = [], {}

    def persistent_id(self, thing):
        if not isinstance(thing, Storage):
            return None
        if id(thing) not in self.keys:
            self.keys[id(thing)] = str(len(self.storages))
            self.storages.append(thing)
        numel = len(thing.data) // SIZES[thing.dtype]
        return "storage", getattr(TORCH, STORAGE_CLASSES[thing.dtype]), self.keys[id(thing)], "cuda:0", numel


def zip_bytes(records, with_crc=True):
    """Stored records with empty local sizes, payloads at multiples of 64, descriptors, and 64-bit end records."""
    out, directory = bytearray(), bytearray()
    for name, payload in records:
        encoded, begin = name.encode(), len(out)
        crc = zlib.crc32(payload) if with_crc else 0
        padding = -(begin + 30 + len(encoded) + 4) % 64
        out += struct.pack("<4s5H3I2H", b"PK\3\4", 0, 0x0808, 0, 0, 0, 0, 0, 0, len(encoded), 4 + padding)
        out += encoded + struct.pack("<2sH", b"FB", padding) + b"Z" * padding + payload
        out += struct.pack("<4s3I", b"PK\7\x08", crc, len(payload), len(payload))
        directory += struct.pack("<4s6H3I5H2I", b"PK\1\2", 0, 0, 0x0808, 0, 0, 0, crc, len(payload), len(payload),
                                 len(encoded), 0, 0, 0, 0, 0, begin) + encoded
    begin, end = len(out), len(out) + len(directory)
    count, size = len(records), len(directory)
    out += directory
    out += struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 0, 0, 0, 0, count, count, size, begin)
    out += struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    out += struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, size, begin, 0)
    return bytes(out)


def pth_bytes(top, folder="archive", modern=True, with_crc=True):
    stream = io.BytesIO()
    pickler = Pickler(stream)
    pickler.dump(top)
    records = [("data.pkl", stream.getvalue())]
    if modern:
        records += [(".format_version", b"1"), (".storage_alignment", b"64"), ("byteorder", b"little")]
    storages = [("data/%d" % i, storage.data) for i, storage in enumerate(pickler.storages)]
    records += storages if modern else sorted(storages)
    records += [("version", b"3\n")]
    if modern:
        records += [(".data/serialization_id", b"0123456789012345678901234567890123456789")]
    return zip_bytes([(folder + "/" + name, data) for name, data in records], with_crc)


def linear(name, out_size, in_size):
    return [(name + ".weight", (out_size, in_size)), (name + ".bias", (out_size,))]


def norm(name, size):
    return [(name + ".weight", (size,)), (name + ".bias", (size,))]


def block(prefix, dim, layer_scale=False, bias_mask=False):
    keys = norm(prefix + "norm1", dim) + linear(prefix + "attn.qkv", 3 * dim, dim)
    keys += [(prefix + "attn.qkv.bias_mask", (3 * dim,))] if bias_mask else []
    keys += linear(prefix + "attn.proj", dim, dim)
    keys += [(prefix + "ls1.gamma", (dim,))] if layer_scale else []
    keys += norm(prefix + "norm2", dim) + linear(prefix + "mlp.fc1", 4 * dim, dim)
    keys += linear(prefix + "mlp.fc2", dim, 4 * dim)
    keys += [(prefix + "ls2.gamma", (dim,))] if layer_scale else []
    return keys


def patch(dim, size):
    return [("patch_embed.proj.weight", (dim, 3, size, size)), ("patch_embed.proj.bias", (dim,))]


def croco_keys(dim, depth, decoders):
    keys = patch(dim, 16) + [("mask_token", (1, 1, dim // 2))]
    for i in range(depth):
        keys += block("enc_blocks.%d." % i, dim)
    keys += norm("enc_norm", dim) + linear("decoder_embed", dim // 2, dim)
    for name in decoders:
        keys += block(name + ".0.", dim // 2)
    return keys + norm("dec_norm", dim // 2)


def dinov2_keys(dim, depth, registers=0):
    keys = [("cls_token", (1, 1, dim)), ("pos_embed", (1, 1 + 37 * 37, dim))]
    keys += [("register_tokens", (1, registers, dim))] if registers else []
    keys += [("mask_token", (1, dim))] + patch(dim, 14)
    for i in range(depth):
        keys += block("blocks.%d." % i, dim, layer_scale=True)
    return keys + norm("norm", dim)


def dinov3_keys(dim, depth):
    keys = [("cls_token", (1, 1, dim)), ("storage_tokens", (1, 4, dim)), ("mask_token", (1, dim))]
    keys += patch(dim, 16) + [("rope_embed.periods", (dim // 4,))]
    for i in range(depth):
        keys += block("blocks.%d." % i, dim, layer_scale=True, bias_mask=True)
    return keys + norm("norm", dim)


def state_dict(keys, dtype="F32"):
    result = collections.OrderedDict((name, Tensor(t, shape, dtype)) for t, (name, shape) in enumerate(keys))
    result._metadata = collections.OrderedDict([("", {"version": 1}), ("patch_embed", {"version": 1})])
    return result


def files():
    """Yields name, top-level object, state dict, and keyword arguments for pth_bytes."""
    dust3r = state_dict(croco_keys(8, 2, ("dec_blocks", "dec_blocks2")))
    first = Tensor(500, (4, 4, 3, 3))
    for name in ("layer1_rn", "layer_rn.0"):  # two names of one storage, as in the DPT head
        dust3r["downstream_head1.dpt.scratch.%s.weight" % name] = Tensor(500, (4, 4, 3, 3), share=first)
    model = "AsymmetricCroCo3DStereo(pos_embed='RoPE100', img_size=(512, 512), enc_embed_dim=8, enc_depth=2)"
    yield "dust3r", {"model": dust3r, "args": argparse.Namespace(model=model, epochs=90, lr=1e-4, amp=0)}, dust3r, {}

    croco = state_dict(croco_keys(8, 2, ("dec_blocks",)))
    kwargs = {"enc_depth": 2, "pos_embed": "RoPE100", "enc_embed_dim": 8, "img_size": 224}
    yield "croco", {"croco_kwargs": kwargs, "model": croco}, croco, {"modern": False, "folder": "CroCo_V2"}

    dinov2 = state_dict(dinov2_keys(8, 2))
    yield "dinov2", dinov2, dinov2, {"modern": False}
    registers = state_dict(dinov2_keys(8, 2, registers=4), "F16")
    yield "dinov2_reg4", registers, registers, {"with_crc": False}
    dinov3 = state_dict(dinov3_keys(16, 2), "BF16")
    yield "dinov3", dinov3, dinov3, {}

    many = state_dict([("t%d" % i, (2,)) for i in range(2500)], "F64")  # batches of 1000 items
    yield "many", {"state_dict": many, "epoch": 7, "optimizer": {"lr": [0.1], "seen": {1, 2}}}, many, {}

    strided = collections.OrderedDict()
    strided["transposed"] = Tensor(0, (3, 5), order=(1, 0))
    strided["channels_last"] = Tensor(1, (2, 3, 4, 5), order=(0, 2, 3, 1))
    strided["offset"] = Tensor(2, (2, 3), offset=5)
    strided["parameter"] = Tensor(3, (4,), parameter=True)
    strided["scalar"] = Tensor(4, ())
    strided["empty"] = Tensor(5, (0, 3))
    strided["half"] = Tensor(6, (2, 3, 2), "F16", order=(2, 0, 1))
    yield "strided", strided, strided, {}


def main():
    folder = sys.argv[1]
    for name, top, tensors, options in files():
        with open(os.path.join(folder, name + ".pth"), "wb") as stream:
            stream.write(pth_bytes(top, **options))
        with open(os.path.join(folder, name + ".txt"), "w") as stream:
            for key, tensor in tensors.items():
                sizes = ",".join(map(str, tensor.shape))
                stream.write("%d\t%s\t%s\t%s\n" % (tensor.t, key, tensor.dtype, sizes))


if __name__ == "__main__":
    main()
