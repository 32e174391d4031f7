"""What is on this machine, by name: to be compared with what was there before."""

import ctypes
import os
import signal
import time
from pathlib import Path


def processes() -> dict[int, tuple[int, str]]:
    """Every process: its parent, and a name. A pid alone may be used again: the start time makes
    the name unique."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        fields = stat[stat.rindex(")") + 2:].split()
        name = stat[stat.index("(") + 1:stat.rindex(")")]
        found[int(entry.name)] = (int(fields[1]),
                                  f"{entry.name} {name} ({fields[0]}) since {fields[19]}")
    return found


def descendants(everything: dict[int, tuple[int, str]], ancestors: list[int]) -> set[int]:
    found: set[int] = set()
    queue = list(ancestors)
    while queue:
        current = queue.pop()
        children = [pid for pid, (parent, _) in everything.items()
                    if parent == current and pid not in found]
        found.update(children)
        queue += children
    return found


def namespaces(pids: set[int]) -> set[str]:
    """Other than our own. One without a process is held by a mount, counted below."""
    ours = {os.readlink(entry) for entry in Path("/proc/self/ns").iterdir()}
    found = set()
    for pid in pids:
        for entry in Path(f"/proc/{pid}/ns").glob("*"):
            try:
                found.add(os.readlink(entry))
            except OSError:
                continue
    return found - ours


def mounts() -> set[str]:
    """In this mount namespace; those of others die with their namespace, counted above."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {f"{line.split()[4]} ({line.split(' - ')[1].split()[0]}, id {line.split()[0]})"
            for line in lines}


def loop_devices() -> set[str]:
    return {f"{path.parts[3]} {_text(path)}"
            for path in Path("/sys/block").glob("loop*/loop/backing_file")}


def cgroups() -> set[str]:
    found = set()
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, kind = line.split()[4], line.split(" - ")[1].split()[0]
        if kind in ("cgroup", "cgroup2"):
            found.update(directory for directory, _, _ in os.walk(place))
    return found


def files(directories: list[str]) -> set[str]:
    found = set()
    for top in directories:
        for directory, inner, names in os.walk(top):
            found.update(os.path.join(directory, name) for name in inner + names)
    return found


def descriptors(pid: int | None) -> set[str]:
    """By number: the same file opened twice is two."""
    found = set()
    for entry in Path(f"/proc/{pid}/fd").glob("*") if pid else ():
        try:
            found.add(f"{entry.name} {os.readlink(entry)}")
        except OSError:
            continue
    return found


def free_at_cores() -> float:
    """MiB that are free, but not in MemAvailable: each core keeps pages that were given back to it,
    some hundred MiB after many processes have ended, for a minute or so."""
    pages = sum(int(line.split()[1]) for line in _text(Path("/proc/zoneinfo")).splitlines()
                if line.split()[0] == "count:")
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def memory(pid: int | None, drop_caches: bool) -> dict[str, float]:
    if drop_caches:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
    fields = {line.split(":")[0]: int(line.split()[1]) / 1024
              for line in Path("/proc/meminfo").read_text().splitlines()}
    found = {"used": fields["MemTotal"] - fields["MemAvailable"] - free_at_cores(),
             "kernel (unreclaimable)": fields["SUnreclaim"], "shared memory": fields["Shmem"]}
    if pid:
        for line in _text(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
            if line.startswith("Pss:"):
                found[f"process {pid}"] = int(line.split()[1]) / 1024
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def adopt_orphans() -> None:
    """Whatever the command leaves running becomes our child, however it detached itself. So its
    processes are told from those that others start meanwhile."""
    PR_SET_CHILD_SUBREAPER = 36
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def reap() -> None:
    """Orphans that have ended are not left behind: they only wait for us, who adopted them."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def reap_others(pid: int) -> None:
    """The same while a child of ours lives on, whom somebody else waits for."""
    for other, (parent, name) in processes().items():
        if parent == os.getpid() and other != pid and "(Z)" in name:
            try:
                os.waitpid(other, os.WNOHANG)
            except ChildProcessError:
                continue


def used_by_others(cgroup: str, ours: set[int]) -> bool:
    """Whether somebody else's process is in it: then it is not left behind by us."""
    try:
        members = {int(pid) for pid in (Path(cgroup) / "cgroup.procs").read_text().split()}
    except OSError:
        return False
    return bool(members - ours)


def end_descendants() -> None:
    """Ends what is left of what we started, so that a fault that was found does not stay on the
    machine. Frozen processes do not even die: they are thawed first."""
    everything = processes()
    for pid in descendants(everything, [os.getpid()]):
        for line in _text(Path(f"/proc/{pid}/cgroup")).splitlines():
            _, controllers, path = line.split(":", 2)
            if "freezer" in controllers.split(","):
                _write(Path(f"/sys/fs/cgroup/freezer{path}/freezer.state"), "THAWED")
            elif not controllers:
                _write(Path(f"/sys/fs/cgroup{path}/cgroup.freeze"), "0")
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    deadline = time.monotonic() + 5
    while descendants(processes(), [os.getpid()]) and time.monotonic() < deadline:
        reap()
        time.sleep(0.05)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError:
        pass  # not there on this machine, or already gone
