#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the sens fuzz target.

    fuzz/make_sens_seeds.py        (into fuzz/corpus/sens)
"""
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
LOST = [float("-inf")] * 16


def sens(compression, width, height, frames, version=4):
    """`frames` are (matrix, time, colour, depth)."""
    name = b"StructureSensor"
    camera = [1170, 0, 648, 0, 0, 1170, 484, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    blob = struct.pack("<IQ", version, len(name)) + name
    blob += struct.pack("<64f", *(camera + IDENTITY + camera + IDENTITY))
    blob += struct.pack("<iiIIIIfQ", compression, 1, width, height, 640, 480, 1000.0, len(frames))
    for matrix, time, colour, depth in frames:
        blob += struct.pack("<16fQQQQ", *matrix, time, time, len(colour), len(depth)) + colour + depth
    return blob + struct.pack("<Q15dQ", 1, *range(15), 7)


def write(name, content):
    folder = os.path.join(HERE, "corpus", "sens")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as stream:
        stream.write(content)


def main():
    raw = bytes(range(12))
    write("raw", sens(0, 2, 2, [(IDENTITY, 1, raw, b""), (LOST, 2, raw, b"depth"), (IDENTITY, 3, raw, b"zz")]))
    write("jpeg", sens(2, 1296, 968, [(IDENTITY, 33333, b"\xff\xd8\xff\xe0 and more", b"\x78\x9c")]))
    write("png", sens(1, 4, 4, [(LOST, 0, b"\x89PNG\r\n\x1a\n", b"")]))
    write("cut", sens(0, 2, 2, [(IDENTITY, 1, raw, b"depth")])[:-160])
    write("version3", sens(0, 2, 2, [(IDENTITY, 1, raw, b"")], version=3))


if __name__ == "__main__":
    main()
