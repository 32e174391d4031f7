"""Goal: programs that look how much memory and how many processors there are find the sandbox's
limits, whichever way they look. Nothing of it is a wall; tests/escape attacks those.
"""
import json
import os

import pytest

from harness import host
from harness.cli import run_json
from harness.driver import Driver

MIB = 1 << 20
CPUS = len(os.sched_getaffinity(0))
LOOK = """
import json, os, psutil, subprocess
def first_line(path):
    return open(path).readline().strip()
def said(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout.split()
print(json.dumps({
    "psutil": psutil.virtual_memory().total, "available": psutil.virtual_memory().available,
    "free": int(said("free", "-b")[7]) if os.path.exists("/usr/bin/free") else None,
    "v2": first_line("/sys/fs/cgroup/memory.max"),
    "v1": first_line("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    "cpu.max": first_line("/sys/fs/cgroup/cpu.max"),
    "quota": first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
    "processors": [os.cpu_count(), len(os.sched_getaffinity(0)), int(said("nproc")[0]),
                   psutil.cpu_count()],
}))
"""


@pytest.fixture(scope="module", params=["pool hit", "pool empty"])
def create(request):
    running = Driver(pool=1 if request.param == "pool hit" else 0)

    def one(**fields):
        if request.param == "pool hit":
            assert host.eventually(lambda: running.info()["pooled"] > 0, within=60)
        return running.create(**fields)

    yield one
    running.close()


def check(found, memory, cpus):
    assert found["psutil"] == found["available"] == memory
    assert found["free"] in (None, memory)
    assert found["v1"] == found["v2"] == str(memory)
    count = CPUS if cpus is None else min(CPUS, -(-cpus // 100_000))
    assert found["processors"] == [count] * 4
    assert found["cpu.max"] == f"{'max' if cpus is None else cpus} 100000"
    assert found["quota"] == str(-1 if cpus is None else cpus)


@pytest.mark.parametrize("limits, memory, cpus", [
    ({}, 2048 * MIB, None),
    ({"memory_bytes_max": 300 * MIB, "cpus_max": 0.5}, 300 * MIB, 50_000),
    ({"memory_bytes_max": 300 * MIB, "cpus_max": 1}, 300 * MIB, 100_000),
    ({"cpus_max": 4096}, 2048 * MIB, 409_600_000),
])
def test_kernels_and_programs(create, limits, memory, cpus):
    sandbox = create(limits=limits)
    for answer in (sandbox.python(LOOK), sandbox.run("python", "-c", LOOK)):
        assert answer.out, answer.err
        check(json.loads(answer.out), memory, cpus)
    sandbox.destroy()


def test_atoll_run():
    found = run_json("-m", "200m", "--cpus", "0.5", "-c", LOOK)
    check(json.loads(found["stdout"]), 200 * MIB, 50_000)
    found = run_json("-c", LOOK)
    check(json.loads(found["stdout"]), 2048 * MIB, None)


def test_nobody_can_change_what_is_shown(create):
    """An ordinary user's sandbox is one user; then the mounts are what keeps the files."""
    sandbox = create()
    try_it = """
import errno, os
for path in ("/proc/meminfo", "/sys/fs/cgroup/memory.max", "/sys/devices/system/cpu/online"):
    for attempt in (lambda: os.chmod(path, 0o666), lambda: open(path, "w"), lambda: os.unlink(path)):
        try:
            attempt()
            print("done to", path)
        except OSError as error:
            assert error.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.EBUSY), error
"""
    answer = sandbox.run("python", "-c", try_it)
    assert (answer.out, answer.err) == ("", "")
    sandbox.destroy()
