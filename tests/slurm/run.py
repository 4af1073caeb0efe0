# SPDX-License-Identifier: Apache-2.0
"""usage: run.py CALFVO CALFVO_TRAIN

Runs the recipes of docs/scale.md on a Slurm cluster of one node that it starts on 127.0.0.1, kills processes of theirs,
and compares results with undisturbed runs."""
import os
import pathlib
import signal
import sys
import tempfile
import time

import archive
import cluster
import training


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    calfvo, train = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    os.environ["PATH"] = f"{calfvo.parent}:{train.parent}:{os.environ['PATH']}"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # after the daemons have been ended
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="calfvo-scale-") as name:
        scratch = pathlib.Path(name)
        slurm = cluster.Cluster(scratch, cpus=4)
        try:
            cluster.expect_loopback_only()
            model = training.check(scratch / "training", train)
            archive.check(scratch, model)
        except BaseException:
            for daemon in ("slurmctld", "slurmd"):
                print(f"{daemon}:\n{slurm.log(daemon)}", file=sys.stderr)
            raise
        finally:
            slurm.stop()
    assert not cluster.descendants(), "processes are left"
    print(f"all in {time.monotonic() - start:.0f} s; no process is left")


main()
