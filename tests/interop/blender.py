#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# pip: numpy
"""Runs the exported script in Blender without a screen, imports the exported GLB, and reads the camera's matrix
at each frame. Needs the program blender (scripts/setup interop).

usage: scripts/interop CALFVO blender
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "known_motions"))
import known_motions as known  # noqa: E402

# Runs inside Blender. The script keeps fractions of frames; the glTF importer counts frames by the scene's rate.
PROBE = """
import json, sys, bpy, numpy
numpy.bool = bool  # which Debian 12's importer of glTF still uses and its NumPy has not
out, script, glb = sys.argv[sys.argv.index("--") + 1:]
def matrices(frames):
    camera = next(o for o in bpy.context.scene.objects if o.type == "CAMERA")
    result = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        result.append([list(row) for row in camera.matrix_world])
    data = camera.data
    return dict(matrices=result, lens=data.lens, width=data.sensor_width, shift=[data.shift_x, data.shift_y],
                angle_x=data.angle_x, points=[list(v.co) for o in bpy.context.scene.objects
                                              if o.type == "MESH" and "points" in o.name for v in o.data.vertices])
bpy.ops.wm.read_factory_settings(use_empty=True)
exec(compile(open(script).read(), script, "exec"), {"__name__": "__main__", "__file__": script})
start = bpy.context.scene.frame_start
first = matrices([start + i for i in range(7)])
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 24, 1
bpy.ops.import_scene.gltf(filepath=glb)
second = matrices([24 * i for i in range(7)])
json.dump([first, second], open(out, "w"))
"""


def main():
    calfvo = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder = known.make_run(scratch / "run")
        known.export(calfvo, folder, "blender")
        (scratch / "probe.py").write_text(PROBE)
        result = subprocess.run(
            ["blender", "--background", "--factory-startup", "--python-exit-code", "1", "--python",
             str(scratch / "probe.py"), "--", str(scratch / "out.json"), str(folder / "blender/add_camera.py"),
             str(folder / "blender/camera.glb")], capture_output=True, text=True)
        assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
        version = next((line for line in result.stdout.splitlines() if line.startswith("Blender ")), "Blender")
        script, glb = json.loads((scratch / "out.json").read_text())
    known.check_motions(f"{version}, add_camera.py", script["matrices"], known.Z_UP, known.OPENGL, 1e-5)
    known.check_motions(f"{version}, camera.glb", glb["matrices"], known.Z_UP, known.OPENGL, 1e-5)
    assert abs(script["lens"] / script["width"] - known.FOCAL / known.WIDTH) < 1e-6, script
    assert abs(script["shift"][0] + 2 / known.WIDTH) < 1e-6 and abs(script["shift"][1] + 2 / known.WIDTH) < 1e-6, script
    for points in (script["points"], glb["points"]):
        expected = sorted((x, z, -y) for x, y, z in known.POINTS)
        assert all(abs(a - b) < 1e-5 for p, q in zip(sorted(points), expected) for a, b in zip(p, q)), points
        assert len(points) == len(expected), points


main()
