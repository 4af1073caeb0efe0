#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What to ignore in images: accuracy with static overlays and with moving objects, as a Markdown table.

usage: bench/mask_table.py CALFVO [--clips N] [--seed S]

Half of the clips are drives with a car's bonnet in the image, half are handheld with two people who walk through it; both are drawn over
rendered clips, so that masks are exact. Every row is an error over that of the same clips without overlay, as a geometric mean:
the network with nothing done, with three ways to fill the masked region (the mean colour, a wide blur of what surrounds it, a smooth
surface through its border), with --mask, which fills it so, and refinement without and with --mask. Needs NumPy and Pillow.
"""
import argparse
import json
import math
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
from PIL import Image, ImageFilter

FRAMES = 60
STEP = 4  # pixels: fills are smooth, so a coarse grid does


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr.strip())
    return done.stdout


def texture(random, height, width):
    """Blotches of several sizes, as paint, reflections or clothes have them."""
    image = np.zeros((height, width, 3))
    for cells in (3, 9, 27):
        coarse = Image.fromarray(random.integers(0, 256, (cells, cells, 3), dtype=np.uint8))
        image += np.asarray(coarse.resize((width, height), Image.BICUBIC), float) / 3.0
    return image * random.uniform(0.4, 1.0, 3)


def ellipse(height, width, x, y, half_width, half_height):
    rows, columns = np.mgrid[0:height, 0:width]
    return ((columns - x) / half_width) ** 2 + ((rows - y) / half_height) ** 2 < 1.0


class Bonnet:
    """The same pixels in every image."""

    def __init__(self, random, height, width):
        share = random.uniform(0.15, 0.3)
        self.mask = ellipse(height, width, width * random.uniform(0.4, 0.6), height * (1.0 + 0.5 * share),
                            width * random.uniform(0.45, 0.6), height * 1.5 * share)
        self.paint = texture(random, height, width)

    def draw(self, image, _):
        image[self.mask] = self.paint[self.mask]
        return self.mask


class People:
    """Two bodies with heads that cross the image at their own speeds."""

    def __init__(self, random, height, width):
        self.size = (height, width)
        self.people = []
        for side in (-1, 1):
            body = 0.5 * height * random.uniform(0.55, 0.9)
            self.people.append({"x": width * (0.5 - 0.6 * side), "speed": side * width * random.uniform(0.012, 0.02),
                                "y": height - 0.7 * body, "body": body, "paint": texture(random, height, width)})

    def draw(self, image, frame):
        height, width = self.size
        everything = np.zeros(self.size, bool)
        for person in self.people:
            x, body = person["x"] + person["speed"] * frame, person["body"]
            shape = ellipse(height, width, x, person["y"], 0.28 * body, body)
            shape |= ellipse(height, width, x, person["y"] - 1.1 * body, 0.18 * body, 0.25 * body)
            moved = np.roll(person["paint"], int(round(x)), axis=1)
            image[shape] = moved[shape]
            everything |= shape
        return everything


def fill_mean(image, mask):
    image[mask] = image[~mask].mean(axis=0)


def enlarged(small, image):
    """Between its pixels, to the size of `image`."""
    height, width = image.shape[:2]
    planes = [Image.fromarray(plane.astype(np.float32)).resize((width, height), Image.BILINEAR) for plane in np.moveaxis(small, 2, 0)]
    return np.stack([np.asarray(plane) for plane in planes], axis=2)


def box_mean(values, radius):
    for axis in (0, 1):
        border = [(radius + 1, radius) if each == axis else (0, 0) for each in range(values.ndim)]
        sums = np.moveaxis(np.cumsum(np.pad(values, border), axis=axis), axis, 0)
        values = np.moveaxis(sums[2 * radius + 1:] - sums[:-2 * radius - 1], 0, axis) / (2 * radius + 1)
    return values


def fill_blur(image, mask):
    """What is seen within 16 % of the image's width around, near things more."""
    small, seen = image[::STEP, ::STEP], (~mask[::STEP, ::STEP, None]).astype(float)
    radius = round(0.08 * small.shape[1])
    colors, weight = (box_mean(box_mean(values, radius), radius) for values in (small * seen, seen))
    mean = image[~mask].mean(axis=0)
    image[mask] = enlarged(np.where(weight > 1e-6, colors / np.maximum(weight, 1e-6), mean), image)[mask]


def fill_smooth(image, mask):
    """Laplace's equation with the border's values, from coarse to fine."""
    fill_mean(image, mask)
    for step in (8 * STEP, 2 * STEP, STEP):
        small, hidden = image[::step, ::step].copy(), mask[::step, ::step]
        for _ in range(100):
            padded = np.pad(small, ((1, 1), (1, 1), (0, 0)), mode="edge")
            mean = (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]) / 4.0
            small[hidden] = mean[hidden]
        image[mask] = enlarged(small, image)[mask]


FILLS = {"mean colour": fill_mean, "blur": fill_blur, "smooth surface": fill_smooth}


def write(images, folder):
    folder.mkdir(parents=True)
    for i, image in enumerate(images):
        Image.fromarray(image if image.dtype == np.uint8 else np.clip(np.round(image), 0, 255).astype(np.uint8)).save(
            folder / f"{i:06}.png", compress_level=1)


def errors(calfvo, clip, images, scratch, *options):
    """Of the network and of the refined path, as (t_rel, r_rel)."""
    out = scratch / "out"
    rate = json.loads((clip / "synth.json").read_text())["fps"]
    run(calfvo, "run", images, "-o", out, "--overwrite", "--no-page", "--quiet", "--fps", rate, *options)

    def score(name):
        result = json.loads(run(calfvo, "eval", "--ref", clip / "groundtruth.txt", "--est", out / name, "--max-diff", "0.005", "--json"))
        return result["t_rel"], result["r_rel"]

    return (score("network.tum"), score("trajectory.tum")) if "--refine" in options else (score("trajectory.tum"), None)


def measure(calfvo, clip, overlay, scratch):
    clean = [np.asarray(Image.open(path).convert("RGB"), float) for path in sorted((clip / "rgb").glob("*.png"))]
    covered, masks = [], []
    for i, image in enumerate(clean):
        covered.append(image.copy())
        masks.append(overlay.draw(covered[-1], i))
    write(clean, scratch / "clean")
    write(covered, scratch / "covered")
    write([np.where(mask, 0, 255).astype(np.uint8) for mask in masks], scratch / "masks")
    rows, refined = {}, {}
    rows["no overlay"], refined["`--refine`, no overlay"] = errors(calfvo, clip, scratch / "clean", scratch, "--refine")
    rows["nothing done"], refined["`--refine`"] = errors(calfvo, clip, scratch / "covered", scratch, "--refine")
    for name, fill in FILLS.items():
        filled = [image.copy() for image in covered]
        for image, mask in zip(filled, masks):
            fill(image, mask)
        write(filled, scratch / name)
        rows[f"filled: {name}"], _ = errors(calfvo, clip, scratch / name, scratch)
    masked = ("--refine", "--mask", scratch / "masks")
    rows["`--mask`"], refined["`--refine --mask`"] = errors(calfvo, clip, scratch / "covered", scratch, *masked)
    return rows | refined, float(np.mean(masks))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calfvo")
    parser.add_argument("--clips", type=int, default=8)
    parser.add_argument("--seed", type=int, default=900)
    arguments = parser.parse_args()
    ratios = {"bonnet": {}, "people": {}}
    shares = {"bonnet": [], "people": []}
    for i in range(arguments.clips):
        seed = arguments.seed + 31 * i
        name, kind, *options = [("bonnet", "street", "--preset", "driving"),
                                ("people", "room", "--preset", "phone", "--motion", "handheld")][i % 2]
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder)
            run(arguments.calfvo, "synth", kind, "-o", scratch / "clip", "--seed", seed, "--frames", FRAMES, "--no-video", "--quiet",
                *options)
            with Image.open(scratch / "clip/rgb/000000.png") as first:
                width, height = first.size
            overlay = {"bonnet": Bonnet, "people": People}[name](np.random.default_rng(seed), height, width)
            rows, share = measure(arguments.calfvo, scratch / "clip", overlay, scratch)
            shutil.rmtree(scratch / "clip")
        shares[name].append(share)
        for row, values in rows.items():
            ratios[name].setdefault(row, []).append([value / base for value, base in zip(values, rows["no overlay"])])
        print(f"<!-- {name}, seed {seed}: " + "; ".join(f"{row} {t:.4g} / {r:.4g}" for row, (t, r) in rows.items()) + " -->", flush=True)
    text = {name: f"{name}, {100 * np.mean(values):.0f} % of the pixels" for name, values in shares.items() if values}
    print(f"| t_rel / r_rel over those without overlay | {' | '.join(text.values())} |")
    print("|---|" + "---|" * len(text))
    for row in ratios[next(iter(text))]:
        cells = []
        for name in text:
            logs = np.log(np.array(ratios[name][row]))
            cells.append(" / ".join(f"{math.exp(value):.2f}" for value in logs.mean(axis=0)))
        print(f"| {row} | {' | '.join(cells)} |")


main()
