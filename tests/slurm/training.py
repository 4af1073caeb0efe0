# SPDX-License-Identifier: Apache-2.0
"""Training with two processes under Slurm and under torchrun's variables: after a process is killed, the resumed run has
the curve and the weights of an uninterrupted one."""
import json
import os
import pathlib
import signal
import subprocess

import archive
import cluster
import recipes

CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs/train/tiny.toml"
STEPS = 60
KILL_AFTER = 20  # steps
# Windows of three frames of 32 × 32 pixels, so that a step takes milliseconds.
SETTINGS = ("model.window=3", "model.input.size=32", "loop.batch=4", "loop.device=cpu", "loop.log_every=1", "held_out.sets=[]",
            f"schedule.steps={STEPS}", "schedule.warmup_steps=2", "data.procedural.threads=1", "loop.checkpoint_every=5")


def arguments():
    return [word for setting in SETTINGS for word in ("--set", setting)]


def curve(folder):
    """The log, without what depends on time."""
    records = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    for record in records:
        del record["elapsed_s"], record["windows_per_s"]
    return records


def steps_saved(folder):
    steps = [int(path.stem.split("-")[1]) for path in folder.glob("checkpoint-*.safetensors")]
    return max(steps, default=0)


def rank_process(name, rank):
    """The trainer that has the variable `name` = `rank`."""
    for pid in cluster.descendants():
        try:
            is_trainer = pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "calfvo-train"
            if is_trainer and archive.variable(pid, name) == str(rank):
                return pid
        except (OSError, KeyError):
            continue
    return None


def kill_when_saved(folder, name, rank):
    saved = cluster.wait_until(lambda: steps_saved(folder) >= KILL_AFTER and steps_saved(folder), "checkpoint", archive.PATIENCE)
    os.kill(cluster.wait_until(lambda: rank_process(name, rank), f"process of rank {rank}"), signal.SIGKILL)
    return saved


def check_slurm(scratch, program):
    """A whole run, then one of which rank 1 is killed and that Slurm requeues."""
    script = recipes.recipe("Training with Slurm")
    port = cluster.free_ports(1)[0]
    for name in ("whole", "killed"):
        folder = scratch / name
        job = recipes.with_values(script, CONFIG=CONFIG, RUN=folder)
        archive.submit(scratch / f"{name}-logs", job, "--nodes=1", "--ntasks-per-node=2", "--gpus-per-node=0", "--cpus-per-task=1",
                       f"--export=ALL,MASTER_PORT={port}", "--", *arguments())
        if name == "killed":
            saved = kill_when_saved(folder, "SLURM_PROCID", 1)
        archive.wait_for_queue()
        job = max(archive.jobs().items(), key=lambda item: int(item[0]))[1]
        text = archive.printed(scratch / f"{name}-logs")
        assert job["ExitCode"] == "0:0" and int(job["Restarts"]) == (name == "killed"), f"{job}\n{text}"
    expect_equal_runs(scratch / "whole", scratch / "killed")
    print(f"slurm: two processes trained {STEPS} steps; rank 1 killed after step {saved}, requeued, resumed: same curve, same weights")


def launch(program, folder, messages):
    """As torchrun starts two processes: its variables, and when one fails the other is ended."""
    port = cluster.free_ports(1)[0]
    ranks = []
    for rank in range(2):
        environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                       "MASTER_PORT": str(port)}
        ranks.append(subprocess.Popen([program, "--config", CONFIG, "--resume", folder, *arguments()], env=environment,
                                      stdout=messages, stderr=messages))
    return ranks


def check_torchrun(scratch, program):
    """Rank 0, which writes, is killed; the other must not wait for it for ever."""
    folder = scratch / "torchrun"
    with open(scratch / "torchrun.txt", "w") as messages:
        ranks = launch(program, folder, messages)
        saved = kill_when_saved(folder, "RANK", 0)
        codes = [rank.wait(archive.PATIENCE) for rank in ranks]
        assert codes[0] == -signal.SIGKILL and codes[1] != 0, codes
        ranks = launch(program, folder, messages)
        codes = [rank.wait(archive.PATIENCE) for rank in ranks]
    assert codes == [0, 0], (scratch / "torchrun.txt").read_text()
    expect_equal_runs(scratch / "whole", folder)
    print(f"torchrun's variables: rank 0 killed after step {saved}, resumed: same curve, same weights")


def expect_equal_runs(whole, resumed):
    expected = curve(whole)
    assert [record["step"] for record in expected] == list(range(1, STEPS + 1))
    assert curve(resumed) == expected, f"{resumed}: the curve differs"
    name = "model-last.safetensors"
    assert (resumed / name).read_bytes() == (whole / name).read_bytes(), f"{resumed}: the weights differ"


def check(scratch, program):
    scratch.mkdir()
    check_slurm(scratch, program)
    check_torchrun(scratch, program)
    return scratch / "whole/model-last.safetensors"
