#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory of `calfvo run` on ROS 1 bags of two lengths, which rosbags writes.

usage: bench/recording_memory.py CALFVO [FRAMES] [OPTION…]       10000 frames of 320x208 px, raw: 2 GB; OPTIONs for calfvo run

Prints the size of a tenth of the bag and of the whole, the frames that were estimated, and the peak of the resident memory. Needs
rosbags and NumPy, as in build/interop/recordings/bin/python after `scripts/interop CALFVO recordings`.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_typestore

WIDTH, HEIGHT = 320, 208


def write_bag(path, frames):
    """A texture that moves to the side."""
    store = get_typestore(Stores.ROS1_NOETIC)
    time, header, image = (store.types[name] for name in (
        "builtin_interfaces/msg/Time", "std_msgs/msg/Header", "sensor_msgs/msg/Image"))
    texture = np.random.default_rng(1).integers(0, 256, (HEIGHT // 8, WIDTH // 8, 3), np.uint8).repeat(8, 0).repeat(8, 1)
    with Writer(path) as bag:
        topic = bag.add_connection("/camera/image", image.__msgtype__, typestore=store)
        for i in range(frames):
            stamp = i * 10**9 // 30
            pixels = np.roll(texture, i % WIDTH, axis=1)
            message = image(header(i, time(stamp // 10**9, stamp % 10**9), "camera"), HEIGHT, WIDTH, "rgb8", 0, 3 * WIDTH,
                            pixels.reshape(-1))
            bag.write(topic, stamp + 1, store.serialize_ros1(message, topic.msgtype))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    calfvo, options = sys.argv[1], sys.argv[3:]
    frames = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    with tempfile.TemporaryDirectory() as scratch:
        for count in (frames // 10, frames):
            bag = pathlib.Path(scratch) / f"{count}.bag"
            write_bag(bag, count)
            report = json.loads(subprocess.run(
                [calfvo, "run", bag, "-o", f"{scratch}/{count}", "--no-page", "--json", *options], check=True,
                stdout=subprocess.PIPE).stdout)
            print(f"{count} images, {bag.stat().st_size / 1e9:.2f} GB: {report['frames']} frames estimated, "
                  f"peak {report['peak_rss_mb']:.0f} MB", flush=True)
            bag.unlink()


main()
