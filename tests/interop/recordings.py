#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# pip: numpy mcap==1.6.0 mcap-ros2-support==0.6.0 rosbags==0.11.9
"""Recordings that rosbags and mcap wrote give the same poses to the bit as the folder of images, or the H.264 video, they were made
of.

usage: scripts/interop CALFVO recordings
       build/interop/recordings/bin/python tests/interop/recordings.py CALFVO FOLDER [OPTION…]    after that

FOLDER holds the images instead of a rendered clip, OPTIONs are for calfvo run: PNG or JPEG files named by their times. Of JPEG files, whose
decoders differ, only compressed messages are made.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from mcap_ros2.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Bag1
from rosbags.rosbag2 import Writer as Bag2
from rosbags.rosbag2.enums import StoragePlugin
from rosbags.typesys import Stores, get_typestore

MODEL = "random:calfvo-s:1"
HEADER = """
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
RAW = "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data" + HEADER
VIDEO = "builtin_interfaces/Time timestamp\nstring frame_id\nuint8[] data\nstring format" + HEADER
COMPRESSED = "std_msgs/Header header\nstring format\nuint8[] data" + HEADER


def read_png(path):
    """8-bit RGB without interlacing, as calfvo and the TUM dataset write it."""
    data, at, body, width, height = path.read_bytes(), 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", content)
            assert (depth, colour, interlace) == (8, 2, 0), path
        body += content if kind == b"IDAT" else b""
        at += size + 12
    raw = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + 3 * width)
    image = np.zeros((height, width, 3), np.uint8)
    before = np.zeros((width, 3), int)
    for row in range(height):
        line = raw[row, 1:].reshape(width, 3).astype(int)
        if raw[row, 0] == 2:
            line = line + before
        elif raw[row, 0] == 1:
            line = np.cumsum(line, axis=0)
        elif raw[row, 0] != 0:
            left, corner = np.zeros(3, int), np.zeros(3, int)
            for i in range(width):
                above = before[i]
                if raw[row, 0] == 3:
                    guess = (left + above) // 2
                else:
                    p = left + above - corner
                    a, b, c = abs(p - left), abs(p - above), abs(p - corner)
                    guess = np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))
                corner, left = above, (line[i] + guess) & 255
                line[i] = left
        before = line & 255
        image[row] = before
    return image


def stamps(files):
    for path in files:
        seconds, _, fraction = path.stem.partition(".")
        yield int(seconds) * 10**9 + int((fraction + "0" * 9)[:9])


def check_video(calfvo, scratch, run):
    """H.264 packets as Foxglove defines them: one image per message, in Annex B."""
    stream = subprocess.run(["ffmpeg", "-v", "error", "-i", scratch / "clip/video.mp4", "-c:v", "libx264", "-bf", "0", "-bsf:v",
                             "h264_metadata=aud=insert", "-f", "h264", "-"], check=True, stdout=subprocess.PIPE).stdout
    (scratch / "stream.h264").write_bytes(stream)
    expected = run(scratch / "stream.h264", "--fps", "30")
    delimiter = b"\0\0\0\1\x09"
    packets = [delimiter + packet for packet in stream.split(delimiter)[1:]]
    with open(scratch / "video.mcap", "wb") as file:
        writer = McapWriter(file)
        schema = writer.register_msgdef("foxglove_msgs/msg/CompressedVideo", VIDEO)
        for i, packet in enumerate(packets):
            stamp = i * 10**9 // 30
            writer.write_message("/camera/video", schema, {
                "timestamp": {"sec": stamp // 10**9, "nanosec": stamp % 10**9}, "frame_id": "camera", "data": packet,
                "format": "h264"}, log_time=stamp, publish_time=stamp)
        writer.finish()
    assert run(scratch / "video.mcap", "--fps", "30") == expected
    return f"mcap, {len(packets)} H.264 packets"


def main():
    calfvo = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)

        def run(name, *options):
            subprocess.run([calfvo, "run", str(name), "-o", str(scratch / "out"), "--overwrite", "--quiet", "--model",
                            MODEL, *sys.argv[3:], *options], check=True)
            return (scratch / "out/poses.csv").read_bytes()

        if len(sys.argv) > 2:
            folder = pathlib.Path(sys.argv[2])
        else:
            subprocess.run([calfvo, "synth", "room", "-o", str(scratch / "clip"), "--frames", "12", "--seed", "5",
                            "--size", "160x120"], check=True, stdout=subprocess.DEVNULL)
            folder = scratch / "images"
            folder.mkdir()
            for i, path in enumerate(sorted((scratch / "clip/rgb").glob("*.png"))):
                (folder / f"{1700000000 + i // 30}.{i % 30 * 33333333:09}.png").write_bytes(path.read_bytes())
        files = sorted(path for path in folder.iterdir() if path.suffix in (".png", ".jpg"))
        is_png = files[0].suffix == ".png"
        expected = run(folder)
        images = [(stamp, path.read_bytes(), read_png(path) if is_png else None) for stamp, path in zip(stamps(files), files)]

        # rosbags: ROS 1, without and with compression, raw and compressed images; ROS 2 in SQLite and MCAP.
        ros1, ros2 = get_typestore(Stores.ROS1_NOETIC), get_typestore(Stores.ROS2_HUMBLE)

        def header(store, stamp):
            time = store.types["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9)
            kind = store.types["std_msgs/msg/Header"]
            return kind(0, time, "camera") if store is ros1 else kind(time, "camera")

        def raw(store, stamp, pixels, encoding="rgb8"):
            if encoding == "bgr8":
                pixels = pixels[:, :, ::-1]
            return store.types["sensor_msgs/msg/Image"](
                header(store, stamp), pixels.shape[0], pixels.shape[1], encoding, 0, pixels.shape[1] * 3,
                np.ascontiguousarray(pixels).reshape(-1))

        def compressed(store, stamp, data):
            return store.types["sensor_msgs/msg/CompressedImage"](
                header(store, stamp), files[0].suffix[1:], np.frombuffer(data, np.uint8))

        checked = []

        def check(what, path, *options):
            assert run(path, *options) == expected, what
            checked.append(what)

        for compression in (None, "BZ2", "LZ4"):
            path = scratch / f"{compression}.bag"
            bag = Bag1(path)
            if compression:
                bag.set_compression(getattr(Bag1.CompressionFormat, compression))
            with bag:
                first = bag.add_connection("/camera/image", "sensor_msgs/msg/Image", typestore=ros1)
                second = bag.add_connection("/camera/image/compressed", "sensor_msgs/msg/CompressedImage", typestore=ros1)
                for stamp, data, pixels in images:
                    if is_png:
                        bag.write(first, stamp + 5, ros1.serialize_ros1(raw(ros1, stamp, pixels, "bgr8"), first.msgtype))
                    bag.write(second, stamp + 5, ros1.serialize_ros1(compressed(ros1, stamp, data), second.msgtype))
            if is_png:
                check(f"ROS 1 bag, {compression}, raw", path, "--topic", "/camera/image")
            check(f"ROS 1 bag, {compression}, compressed images", path, "--topic", "/camera/image/compressed")
        listing = subprocess.run([calfvo, "info", str(path)], check=True, capture_output=True, text=True).stdout
        assert "/camera/image/compressed" in listing and "sensor_msgs/CompressedImage" in listing, listing
        if is_png:
            refused = subprocess.run([calfvo, "run", str(path), "-o", str(scratch / "x")], capture_output=True, text=True)
            assert refused.returncode == 1 and "choose one with --topic: /camera/image (" in refused.stderr, refused.stderr

        for plugin, ending in ((StoragePlugin.SQLITE3, "db3"), (StoragePlugin.MCAP, "mcap")):
            with Bag2(scratch / ending, version=9, storage_plugin=plugin) as bag:
                kind = "sensor_msgs/msg/Image" if is_png else "sensor_msgs/msg/CompressedImage"
                topic = bag.add_connection("/camera/image", kind, typestore=ros2)
                for stamp, data, pixels in images:
                    message = raw(ros2, stamp, pixels) if is_png else compressed(ros2, stamp, data)
                    bag.write(topic, stamp + 5, ros2.serialize_cdr(message, kind))
            check(f"rosbags {ending}", next((scratch / ending).glob(f"*.{ending}")))

        path = scratch / "mcap.mcap"
        with open(path, "wb") as file:
            writer = McapWriter(file)
            schema = writer.register_msgdef("sensor_msgs/msg/Image", RAW) if is_png else writer.register_msgdef(
                "sensor_msgs/msg/CompressedImage", COMPRESSED)
            for stamp, data, pixels in images:
                message = {"header": {"stamp": {"sec": stamp // 10**9, "nanosec": stamp % 10**9}, "frame_id": "camera"}}
                if is_png:
                    message |= {"height": pixels.shape[0], "width": pixels.shape[1], "encoding": "rgb8",
                                "is_bigendian": 0, "step": pixels.shape[1] * 3, "data": pixels.tobytes()}
                else:
                    message |= {"format": "jpg", "data": data}
                writer.write_message("/camera/image", schema, message, log_time=stamp + 5, publish_time=stamp)
            writer.finish()
        check("mcap", path)
        if len(sys.argv) == 2:
            checked.append(check_video(calfvo, scratch, run))
    print(f"  {len(images)} images, the same poses to the bit from: {'; '.join(checked)}")


main()
