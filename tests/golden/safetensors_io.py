# SPDX-License-Identifier: Apache-2.0
"""Minimal safetensors reader and writer with deterministic bytes (stdlib and NumPy only).

Layout: u64 little-endian header length, JSON header padded with spaces so that the data start at a multiple of
64 bytes, then the tensors without holes, the most strictly aligned type first, then by name.
"""
import json
import struct

import numpy as np

DTYPES = {"F64": np.dtype("<f8"), "F32": np.dtype("<f4")}
ALIGNMENT = 64


def dtype_name(array):
    for name, dtype in DTYPES.items():
        if array.dtype == dtype:
            return name
    raise ValueError(f"unsupported dtype {array.dtype}")


def to_bytes(tensors, metadata=None):
    """The file content for a dict of arrays (float32 or float64) and string-to-string metadata."""
    header, chunks, offset = {}, [], 0
    if metadata:
        header["__metadata__"] = dict(metadata)
    for name in sorted(tensors, key=lambda n: (-tensors[n].dtype.itemsize, n)):
        kind = dtype_name(tensors[name])
        data = np.ascontiguousarray(tensors[name], dtype=DTYPES[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": list(tensors[name].shape),
                        "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return struct.pack("<Q", len(text)) + text + b"".join(chunks)


def from_bytes(data):
    """Inverse of to_bytes: (tensors, metadata). Refuses holes, overlaps and trailing bytes."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    body, tensors, expected = data[8 + length:], {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        if begin != expected or end > len(body):
            raise ValueError(f"{name}: data_offsets [{begin}, {end}] do not follow {expected}")
        tensors[name] = np.frombuffer(body[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        expected = end
    if expected != len(body):
        raise ValueError(f"{len(body) - expected} bytes after the last tensor")
    return tensors, metadata


def save(path, tensors, metadata=None):
    with open(path, "wb") as file:
        file.write(to_bytes(tensors, metadata))


def load(path):
    with open(path, "rb") as file:
        return from_bytes(file.read())
