#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What Pillow makes of synthetic images, for src/core/image/resize_test.cc and preprocessor_test.cc:

    /usr/bin/python3 tests/golden/make_resize_golden.py            # writes resize.golden.txt here
    /usr/bin/python3 tests/golden/make_resize_golden.py --check    # exits 1 if the file here differs, 77 without Pillow

Lines of the file, all sizes in pixels, images as RGB bytes row by row:

    resize FILTER IN_WIDTH IN_HEIGHT OUT_WIDTH OUT_HEIGHT CRC32
    pixels FILTER IN_WIDTH IN_HEIGHT OUT_WIDTH OUT_HEIGHT BYTES_IN_HEX
    crop   FILTER IN_WIDTH IN_HEIGHT SIZE SIZE CRC32          the network's input by DUSt3R's rule
    squash FILTER IN_WIDTH IN_HEIGHT SIZE SIZE CRC32          both sides to the size
"""
import pathlib
import sys
import zlib

try:
    import numpy as np
    from PIL import Image
except ImportError as error:
    print(error)
    sys.exit(77)

PATH = pathlib.Path(__file__).parent / "resize.golden.txt"
FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC,
           "lanczos": Image.Resampling.LANCZOS}

# Input and output sizes: single pixels, lines, odd sizes, growing, shrinking, one side each way, and videos'.
RESIZES = [(1, 1, 1, 1), (1, 1, 7, 5), (1, 37, 5, 11), (53, 1, 9, 4), (2, 2, 31, 17), (3, 5, 5, 3), (5, 3, 64, 64),
           (17, 13, 17, 13), (17, 13, 17, 29), (17, 13, 40, 13), (31, 33, 16, 90), (97, 61, 33, 20), (100, 80, 101, 79),
           (223, 225, 224, 224), (640, 480, 224, 224), (640, 480, 299, 224), (1241, 376, 224, 224),
           (1241, 376, 739, 224), (1280, 720, 224, 224), (1280, 720, 1, 1), (2000, 1500, 224, 224)]
LARGE = [("bilinear", 4000, 3000, 224, 224), ("lanczos", 4000, 3000, 299, 224), ("bicubic", 9001, 7, 3, 8)]
PIXELS = [(1, 1, 2, 2), (2, 3, 5, 4), (9, 7, 4, 3), (6, 5, 6, 2)]
INPUTS = [(1, 1), (1, 300), (401, 2), (100, 75), (75, 100), (223, 223), (224, 224), (225, 300), (640, 480), (481, 640),
          (1241, 376), (1280, 720)]


def test_image(width, height):
    """Fields of 24 × 24 pixels, in turn noise and stripes of black and white."""
    x = np.arange(width, dtype=np.uint32)[None, :, None]
    y = np.arange(height, dtype=np.uint32)[:, None, None]
    c = np.arange(3, dtype=np.uint32)[None, None, :]
    h = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663)) ^ (c * np.uint32(83492791))  # modulo 2^32
    h = (h ^ (h >> np.uint32(15))) * np.uint32(2246822519)
    noise = (h >> np.uint32(13)) & np.uint32(255)
    stripes = (x // 3 + y // 5 + c) % 2 * 255
    pixels = np.where((x // 24 + y // 24) % 2 == 0, noise, stripes)
    return Image.fromarray(pixels.astype(np.uint8), "RGB")


def crop_input(image, size, name):
    """As DUSt3R's load_images at 224."""
    w, h = image.size
    long_side = round(size * max(w / h, h / w))
    if name == "lanczos_or_bicubic":
        name = "lanczos" if max(w, h) > long_side else "bicubic"
    image = image.resize([round(side * long_side / max(w, h)) for side in (w, h)], FILTERS[name])
    cx, cy = image.size[0] // 2, image.size[1] // 2
    half = min(cx, cy)
    return image.crop((cx - half, cy - half, cx + half, cy + half))


def squash_input(image, size, name):
    if name == "lanczos_or_bicubic":
        name = "lanczos" if max(image.size) > size else "bicubic"
    return image.resize((size, size), FILTERS[name])


def crc(image):
    return f"{zlib.crc32(image.tobytes()):08x}"


def make_lines():
    for size in RESIZES:
        image = test_image(*size[:2])
        for name, resampling in FILTERS.items():
            yield ("resize", name, *size, crc(image.resize(size[2:], resampling)))
    for name, *size in LARGE:
        yield ("resize", name, *size, crc(test_image(*size[:2]).resize(size[2:], FILTERS[name])))
    for size in PIXELS:
        for name, resampling in FILTERS.items():
            yield ("pixels", name, *size, test_image(*size[:2]).resize(size[2:], resampling).tobytes().hex())
    for size in INPUTS:
        image = test_image(*size)
        for name in ("lanczos_or_bicubic", "bilinear"):
            made = crop_input(image, 224, name)
            assert made.size == (224, 224)
            yield ("crop", name, *size, 224, 224, crc(made))
            yield ("squash", name, *size, 224, 224, crc(squash_input(image, 224, name)))


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = "".join(" ".join(map(str, line)) + "\n" for line in make_lines())
    if not sys.argv[1:]:
        PATH.write_text(text)
    elif PATH.read_text() != text:
        sys.exit(f"{PATH.name}: Pillow makes something else")


if __name__ == "__main__":
    main()
