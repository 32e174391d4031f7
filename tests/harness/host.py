"""What the host sees: processes, mounts, cgroups, descriptors and memory, from /proc and /sys.

Nothing here asks the sandbox: a test does the hostile thing inside and looks from out here. Other
programs (and other tests) run on the same machine, so everything is counted for one driver, one
sandbox or one marker, never for the machine.
"""
import contextlib
import glob
import os
import time
import uuid
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Seen:
    """A process at a moment. `started` tells it from a later one with the same number."""
    pid: int
    parent: int
    started: int
    state: str
    name: str

    @property
    def alive(self) -> bool:
        now = look_at(self.pid)
        return now is not None and now.started == self.started and now.state not in "ZX"


def look_at(pid: int):
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The name in parentheses may hold anything, so count from the last one.
    name, fields = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return Seen(pid, int(fields[1]), int(fields[19]), fields[0], name)


def all_processes() -> list:
    seen = (look_at(int(entry)) for entry in os.listdir("/proc") if entry.isdigit())
    return [process for process in seen if process]


def processes_in(pid: int) -> list:
    """`pid` and all its descendants. For PID 1 of a sandbox that is its whole PID namespace: who
    loses its parent there becomes a child of PID 1."""
    everyone = all_processes()
    found = {process.pid: process for process in everyone if process.pid == pid}
    grew = True
    while grew:
        more = [p for p in everyone if p.parent in found and p.pid not in found]
        found.update((p.pid, p) for p in more)
        grew = bool(more)
    return list(found.values())


def marker() -> str:
    """A word for an argument list, by which the host finds a process wherever it hides."""
    return "atoll-test-" + uuid.uuid4().hex


def with_argument(word: str) -> list:
    """Processes of the whole machine whose command line holds `word`."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            if word.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                process = look_at(int(entry))
                if process and process.state not in "ZX":
                    found.append(process)
    return found


def eventually(condition, within: float = 10):
    """The condition's value as soon as it holds, or what it was in the end."""
    until = time.monotonic() + within
    while True:
        value = condition()
        if value or time.monotonic() > until:
            return value
        time.sleep(0.02)


def mounts_of(pid) -> int:
    return len(Path(f"/proc/{pid}/mountinfo").read_text().splitlines())


def descriptors_of(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def sockets_of(pid: int) -> int:
    found = 0
    for entry in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            found += os.readlink(f"/proc/{pid}/fd/{entry}").startswith("socket:")
    return found


def room(bytes_: int) -> int:
    """What a server may grow by. Sanitizers keep what was freed, and a history of what is in memory."""
    return bytes_ * (2 if "TSAN_OPTIONS" in os.environ else 1)


def memory_of(pid: int, field: str = "VmRSS") -> int:
    """In bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return 0


def memory_of_machine(field: str) -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def cgroups_of(sandbox_id: str) -> list:
    """The folders of that sandbox in every hierarchy, of either cgroup version."""
    patterns = ("/sys/fs/cgroup/atoll/", "/sys/fs/cgroup/*/atoll/")
    return [path for pattern in patterns for path in glob.glob(pattern + sandbox_id)]


def processor_seconds(pid, thread=None) -> float:
    """What a process, or one thread of it, has taken so far."""
    place = f"/proc/{pid}/stat" if thread is None else f"/proc/{pid}/task/{thread}/stat"
    with open(place) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
