# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of one node in a temporary folder: munged, slurmctld and slurmd as child processes on 127.0.0.1,
without systemd, cgroups or accounting."""
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def free_ports(count):
    """Ports that no process listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(condition, what, seconds=120):
    """The first true value of condition()."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise TimeoutError(f"no {what} within {seconds} s")


def processes():
    """pid → parent's pid, of every process that has not ended."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:  # it has just ended
                continue
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    return parents


def descendants():
    """Processes below this one."""
    parents = processes()

    def is_below(pid):
        while pid in parents:
            pid = parents[pid]
            if pid == os.getpid():
                return True
        return False

    return [pid for pid in parents if is_below(pid)]


def expect_loopback_only():
    """Fails if a process below this one accepts connections from a network."""
    inodes = set()
    for pid in descendants():
        try:
            inodes |= {os.readlink(fd)[8:-1] for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir()}
        except OSError:
            continue
    addresses = set()
    for table, size in (("tcp", 8), ("tcp6", 32)):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                addresses.add(fields[1][:size])
    loopback = {"0100007F", "00000000000000000000000001000000"}
    assert addresses <= loopback, f"listening on {addresses - loopback}"


class Cluster:
    def __init__(self, folder, cpus):
        self.folder = folder
        self.daemons = []
        # Orphans become children of this process, which can then end them.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        user = pwd.getpwuid(os.getuid()).pw_name
        node = socket.gethostname().split(".")[0]
        controller_port, node_port = free_ports(2)
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))
        (folder / "slurm.conf").write_text(f"""\
ClusterName=test
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=1
SlurmdParameters=config_overrides
NodeName={node} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
""")
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        try:
            self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                       f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munged.seed",
                       f"--log-file={folder}/munged.log")
            wait_until((folder / "munge.socket").exists, "munged")
            self.start("slurmctld", "-D", "-c")
            self.start("slurmd", "-D")
            wait_until(lambda: self.output("sinfo", "--noheader", "--format=%t", check=False).strip() == "idle", "idle node")
        except BaseException:
            self.stop()
            raise

    def start(self, name, *arguments):
        program = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        with open(self.folder / f"{name}.txt", "wb") as log:
            self.daemons.append(subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=log, start_new_session=True))

    @staticmethod
    def output(*command, check=True):
        return subprocess.run(command, check=check, text=True, stdout=subprocess.PIPE,
                              stderr=None if check else subprocess.DEVNULL).stdout

    def log(self, name):
        """The last lines of a daemon's messages."""
        return "\n".join((self.folder / f"{name}.txt").read_text(errors="replace").splitlines()[-20:])

    def stop(self):
        """Ends every job, daemon and orphan of theirs."""
        if len(self.daemons) == 3:
            subprocess.run(["scancel", "--full", "--signal=KILL", f"--user={os.getuid()}"], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(5)
            except subprocess.TimeoutExpired:
                daemon.kill()
        end = time.monotonic() + 10
        while (rest := descendants()) and time.monotonic() < end:
            for pid in rest:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                break
        if rest := descendants():
            print(f"left running: {rest}", file=sys.stderr)
