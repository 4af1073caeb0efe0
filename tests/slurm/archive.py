# SPDX-License-Identifier: Apache-2.0
"""An archive of 40 clips, one of them broken, by a Slurm array and by GNU parallel: whatever is killed, every video is
done once, with the bytes of a plain run."""
import collections
import os
import pathlib
import random
import re
import signal
import subprocess

import cluster
import recipes

CLIPS = 40
BROKEN = "clip07"
SLOW = ("clip01", "clip02")  # long enough to be killed while they run
WIDTH, HEIGHT = 64, 48
FRAMES, SLOW_FRAMES = 12, 4000
PATIENCE = 600  # seconds, for a machine with other work


def write_clip(path, frames, seed):
    """A y4m file of noise that moves by a pixel per frame."""
    rng = random.Random(seed)
    luma = rng.randbytes(WIDTH * HEIGHT)
    chroma = bytes([128]) * (WIDTH * HEIGHT // 2)
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F30:1 C420\n".encode())
        for i in range(frames):
            shift = i * seed % len(luma)
            file.write(b"FRAME\n" + luma[shift:] + luma[:shift] + chroma)


def make_archive(folder):
    folder.mkdir()
    names = [f"clip{i + 1:02}" for i in range(CLIPS)]
    for i, name in enumerate(names):
        write_clip(folder / f"{name}.y4m", SLOW_FRAMES if name in SLOW else FRAMES, i + 1)
    (folder / f"{BROKEN}.y4m").write_text("this is not a video\n")
    (folder / "list.txt").write_text("".join(f"{name}.y4m\n" for name in names))
    return names


def results(folder):
    """The files that must not depend on when, where and by whom a video was run."""
    names = ("trajectory.tum", "trajectory.kitti", "poses.csv", "path.svg", "uncertainty.svg")
    return {video.name: {name: (video / name).read_bytes() for name in names}
            for video in folder.iterdir() if (video / "run.json").exists()}


def expect_equal(folder, plain):
    found = results(folder)
    assert sorted(found) == sorted(plain), f"{folder}: {sorted(set(plain) ^ set(found))} differ"
    for name, files in found.items():
        assert files == plain[name], f"{folder}/{name}: differs from a plain run"
    assert not list(folder.glob("*/unfinished.json")) and not list(folder.glob("*/.calfvo-*"))


def finished(text):
    """How often a video was run to its end, from the lines that calfvo prints."""
    return collections.Counter(re.findall(r"^\[\d+/\d+\] (\w+): \d+ frames", text, re.MULTILINE))


def writer_of(folder):
    """The process that runs a video now, by the lock on its folder."""
    try:
        inode = (folder / "unfinished.json").stat().st_ino
        for line in pathlib.Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if fields[1] == "FLOCK" and fields[5].endswith(f":{inode}"):
                return int(fields[4])
    except (OSError, IndexError):
        pass
    return None


def variable(pid, name):
    for entry in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        if entry.startswith(name.encode() + b"="):
            return entry.split(b"=", 1)[1].decode()
    raise KeyError(name)


def jobs():
    """job id → fields, of every job that Slurm remembers."""
    text = cluster.Cluster.output("scontrol", "show", "job", "--oneliner")
    lines = [dict(field.split("=", 1) for field in line.split() if "=" in field) for line in text.splitlines()]
    return {job["JobId"]: job for job in lines if "JobId" in job}


def wait_for_queue():
    cluster.wait_until(lambda: not cluster.Cluster.output("squeue", "--noheader").strip(), "end of all jobs", PATIENCE)


def submit(folder, script, *options):
    """Runs a Slurm script in a folder of its own; returns what its tasks printed."""
    folder.mkdir()
    (folder / "job.sh").write_text(script)
    subprocess.run(["sbatch", "--parsable", f"--chdir={folder}", *options[:options.index("--")], str(folder / "job.sh"),
                    *options[options.index("--") + 1:]], check=True, stdout=subprocess.DEVNULL)


def printed(folder):
    return "".join(log.read_text(errors="replace") for log in sorted(folder.glob("slurm-*.out")))


def check_slurm(scratch, options, names, plain):
    archive, out, logs = scratch / "archive", scratch / "slurm", scratch / "slurm-logs"
    script = recipes.with_values(recipes.recipe("Slurm"), LIST=archive / "list.txt", OUT=out)
    array = ["--array=1-4", "--cpus-per-task=1", "--", *options]
    submit(logs, script, *array)
    # One process is killed as the kernel kills what takes too much memory, one task is requeued as by an operator.
    killed, requeued = (cluster.wait_until(lambda n=name: writer_of(out / n), f"process that runs {name}") for name in SLOW)
    killed_job, requeued_job = variable(killed, "SLURM_JOB_ID"), variable(requeued, "SLURM_JOB_ID")
    assert killed_job != requeued_job
    cluster.expect_loopback_only()
    os.kill(killed, signal.SIGKILL)
    subprocess.run(["scontrol", "requeue", requeued_job], check=True)
    wait_for_queue()

    text = printed(logs)
    good = set(names) - {BROKEN}
    assert finished(text) == dict.fromkeys(good, 1), f"not every video was run once: {finished(text)}\n{text}"
    expect_equal(out, plain)
    tasks = {job: fields for job, fields in jobs().items() if "ArrayTaskId" in fields}
    restarts = {job: int(fields["Restarts"]) for job, fields in tasks.items()}
    assert restarts[killed_job] == 1 and restarts[requeued_job] == 1, restarts
    # The broken clip fails; trying again would not help.
    codes = {job: fields["ExitCode"] for job, fields in tasks.items()}
    assert len(codes) == 4 and set(codes.values()) == {"1:0"}, codes
    assert f"{BROKEN}.y4m: is a text file" in text
    shares = [sum(finished(log.read_text()).values()) for log in sorted(logs.glob("slurm-*.out"))]
    print(f"slurm: 4 tasks ran {' + '.join(map(str, shares))} of {len(good)} videos, one killed and one requeued; "
          "each video once, same bytes as a plain run")

    # Nothing is left to do but what has changed.
    changed = names[20]
    write_clip(archive / f"{changed}.y4m", FRAMES + 3, 99)
    submit(scratch / "slurm-again", script, *array)
    wait_for_queue()
    text = printed(scratch / "slurm-again")
    assert finished(text) == {changed: 1}, text
    write_clip(archive / f"{changed}.y4m", FRAMES, names.index(changed) + 1)
    print(f"slurm: repeated after {changed} has changed: ran {changed} alone")


def check_parallel(scratch, options, names, plain):
    archive, out, folder = scratch / "archive", scratch / "parallel", scratch / "parallel-logs"
    folder.mkdir()
    command = recipes.with_values(recipes.recipe("GNU parallel"), LIST=archive / "list.txt", OUT=out)
    command = re.sub(r"calfvo run", " ".join(["calfvo run", *options]), command)
    environment = {**os.environ, "PARALLEL_HOME": str(folder)}

    def start():
        return subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def job_log():
        """(line of the list, exit code, signal) of every job."""
        lines = (folder / "jobs.log").read_text().splitlines()[1:]
        return [(int(re.search(r"--shard (\d+)/", line)[1]), int(line.split("\t")[6]), int(line.split("\t")[7])) for line in lines]

    first = start()
    os.kill(cluster.wait_until(lambda: writer_of(out / SLOW[0]), f"process that runs {SLOW[0]}"), signal.SIGKILL)
    text = first.communicate(timeout=PATIENCE)[0]
    before = job_log()
    broken = names.index(BROKEN) + 1
    assert len(before) == CLIPS, before
    failed = {(number, code, sig) for number, code, sig in before if code or sig}
    assert {number for number, _, _ in failed} == {1, broken}, failed
    again = start()
    text += again.communicate(timeout=PATIENCE)[0]
    after = job_log()[len(before):]
    assert sorted(number for number, _, _ in after) == [1, broken], after
    assert {number: code for number, code, _ in after} == {1: 0, broken: 1}, after
    assert finished(text) == dict.fromkeys(set(names) - {BROKEN}, 1), finished(text)
    expect_equal(out, plain)
    print(f"GNU parallel: {CLIPS} jobs, one killed; --resume-failed ran that one and the broken clip again; each video once, "
          "same bytes as a plain run")


def check(scratch, model):
    options = ["--model", str(model), "--overlap", "1"]
    names = make_archive(scratch / "archive")
    plain = subprocess.run(["calfvo", "run", "--manifest", scratch / "archive/list.txt", "-o", scratch / "plain", "--quiet",
                            *options], check=False, text=True, stderr=subprocess.PIPE)
    assert plain.returncode == 1 and f"1 of {CLIPS} inputs failed" in plain.stderr, plain.stderr
    expected = results(scratch / "plain")
    assert len(expected) == CLIPS - 1
    check_slurm(scratch, options, names, expected)
    check_parallel(scratch, options, names, expected)
