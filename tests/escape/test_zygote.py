"""Rows Z1–Z8 of the threat model: what could go wrong because sandboxes are forks of one process.

A zygote has imported everything before any session exists; what it holds, every sandbox holds. So
nothing of the server's may be in it, nothing that one fork does may reach another, and what a fork
copies but must not share (random numbers, clocks) is put right.
"""
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness import probe
from harness.cli import run_json
from harness.driver import Driver, Refused


def rollup(pid: int) -> dict:
    """Kilobytes by kind, of one process, from the host's /proc."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(value.split()[0]) for name, value in (line.split(":") for line in lines)}


def processes_of(sandbox) -> list[int]:
    pid = sandbox.pid
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def wait_for(condition, seconds: float = 30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


# -------------------------------------------------------------------------------- Z1 random numbers

RANDOM = """
import random, uuid, secrets, tempfile, ssl, numpy
answer = {
    "random": random.random(),
    "system": random.SystemRandom().random(),
    "numpy": numpy.random.rand(),
    "generator": numpy.random.default_rng().random(),
    "uuid4": str(uuid.uuid4()),
    "uuid1": str(uuid.uuid1()),
    "secrets": secrets.token_hex(),
    "urandom": os.urandom(16).hex(),
    "openssl": ssl.RAND_bytes(16).hex(),
    "temporary": tempfile.mktemp(),
}"""


def test_z1_random_numbers_differ(driver):
    """Forks of one process hold the same generator states: session tokens of one would be known to
    all. Every source is seeded anew, in pooled sandboxes, in fresh forks, in further contexts and
    after a restart."""
    sandboxes = [driver.create() for _ in range(4)]
    drawn = [probe.in_kernel(sandbox, RANDOM) for sandbox in sandboxes]
    first = sandboxes[0]
    drawn.append(probe.in_kernel(first, RANDOM, context="second"))
    first.ask({"op": "kernel.restart", "context": "default"})
    drawn.append(probe.in_kernel(first, RANDOM))
    for source in drawn[0]:
        values = [numbers[source] for numbers in drawn]
        assert len(set(values)) == len(values), (source, values)
    for sandbox in sandboxes:
        sandbox.destroy()


# ------------------------------------------------------------------ Z2, Z3 what the zygote hands on


def test_z2_inherited_descriptors_and_mappings(sandbox):
    """A descriptor or a shared mapping of the zygote would join all sandboxes. The kernel has its
    streams and its link; no memory is shared for writing, and files are mapped from the read-only
    trees alone."""
    found = probe.in_kernel(sandbox, """
answer = {"fds": {}, "shared": [], "files": set()}
for fd in os.listdir("/proc/self/fd"):
    link = attempt(os.readlink, "/proc/self/fd/" + fd)
    if link != "ENOENT" and not link.startswith("/proc/"):
        answer["fds"][fd] = link
for line in open("/proc/self/maps"):
    words = line.split(None, 5)
    if "w" in words[1] and "s" in words[1]:
        answer["shared"].append(line)
    if len(words) > 5 and words[5].startswith("/"):
        answer["files"].add(words[5].rstrip())
answer["files"] = sorted(answer["files"])
answer["peers"] = sorted(line.split()[-1] for line in open("/proc/net/unix").readlines()[1:]
                         if "/" in line or "@" in line)
""")
    streams = {found["fds"].get(fd) for fd in "0123"}
    assert set(found["fds"].values()) <= streams, found["fds"]
    assert all(link == "/dev/null" or link.startswith(("pipe:", "socket:")) for link in streams)
    assert found["shared"] == [] and found["peers"] == []
    outside_of_trees = [path for path in found["files"]
                        if not path.startswith(("/usr/", "/opt/atoll/", "/lib"))]
    assert outside_of_trees == []


# What a process can have written, and has: (begin, end). Runs inside as well as outside.
WRITTEN = """
def written(pid):
    with open(f"/proc/{pid}/smaps") as smaps:
        for line in smaps:
            words = line.split()
            if "-" in words[0]:
                span, rights = words[:2]
            elif words[0] == "Rss:" and words[1] != "0" and rights.startswith("rw"):
                begin, end = span.split("-")
                yield int(begin, 16), int(end, 16)
"""
SCAN = WRITTEN + """
def found_in_memory(first, second, pid="self"):
    # The whole needle is never in one piece here, so that the search cannot find itself.
    hits = 0
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for begin, end in written(pid):
            while begin < end:
                try:
                    memory.seek(begin)
                    piece = memory.read(min(end - begin, 1 << 20))
                except OSError:
                    break
                at = piece.find(first)
                while at >= 0:
                    hits += piece[at + len(first):at + len(first) + len(second)] == second
                    at = piece.find(first, at + 1)
                # Overlapping, for a needle on the border of two pieces.
                begin += len(piece) if begin + len(piece) >= end else len(piece) - 64
    return hits
"""


def halves() -> tuple[str, str]:
    return "first" + secrets.token_hex(6), secrets.token_hex(6) + "last"


def test_z3_secrets_of_the_server_in_memory():
    """A key in the server's environment, and another session's secret that went through the server,
    searched for in all memory of a kernel: neither is there, nor in any environment. A word that
    the kernel does hold is found, so the search works."""
    server, neighbour, own = halves(), halves(), halves()
    driver = Driver(pool=1, environment={**os.environ, "ATOLL_CANARY": "".join(server)})
    try:
        other = driver.create(env={"NEIGHBOUR_SECRET": "".join(neighbour)})
        other.python(f"secret = {''.join(neighbour)!r}")
        sandbox = driver.create()
        found = probe.in_kernel(sandbox, SCAN + f"""
held = {own[0]!r} + {own[1]!r}[::-1][::-1]  # joined at run time
counts = [found_in_memory(one.encode(), two.encode())
          for one, two in ({server!r}, {neighbour!r}, {own!r})]
answer = {{"counts": counts, "environment": dict(os.environ),
           "files": [open("/proc/self/" + name, "rb").read().decode("latin-1")
                     for name in ("environ", "cmdline")]}}
""")
        assert found["counts"][:2] == [0, 0]
        assert found["counts"][2] > 0, "the search does not work"
        said = json.dumps([found["environment"], found["files"]])
        assert server[0] not in said and "ATOLL_CANARY" not in said
        assert "".join(neighbour) not in said and "NEIGHBOUR_SECRET" not in said
        # It is where it belongs: in the neighbour, who was given it.
        assert "".join(neighbour) in other.shell("echo $NEIGHBOUR_SECRET").out
        if os.geteuid() == 0:  # PID 1 and the zygote are closed to all but root
            for pid in (sandbox.pid, driver.info()["zygote_pid"]):
                assert count_outside(pid, server) == count_outside(pid, neighbour) == 0
            assert count_outside(driver.process.pid, server) > 0
    finally:
        driver.close()


def count_outside(pid: int, needle) -> int:
    names = {}
    exec(SCAN, names)
    return names["found_in_memory"](needle[0].encode(), needle[1].encode(), pid)


def test_z3_an_environment_is_in_no_memory_but_its_owners():
    """Without a pool the nest makes each sandbox when it is asked for, as a clone of itself: what
    it had read of an earlier request would be in the memory of the next sandbox's PID 1."""
    if os.geteuid() != 0:
        pytest.skip("PID 1 and the nest are closed to all but root")
    neighbour = halves()
    driver = Driver(pool=0)
    try:
        other = driver.create(env={"NEIGHBOUR_SECRET": "".join(neighbour)})
        assert "".join(neighbour) in other.shell("echo $NEIGHBOUR_SECRET").out
        assert "".join(neighbour) in other.python("import os; print(os.environ['NEIGHBOUR_SECRET'])").out
        sandbox = driver.create()
        info = driver.info()
        for pid in (sandbox.pid, info["zygote_pid"], info["nest_pid"]):
            assert count_outside(pid, neighbour) == 0
        assert count_outside(other.pid, neighbour) > 0, "the search does not work"
    finally:
        driver.close()



def test_z4_address_layout(driver):
    """Forks share the zygote's addresses: a leak in one tells about all (docs/threat-model.md says
    so, and this test that it is still true). What is started by exec has a layout of its own: a
    program inside, and every `atoll run`, which is the way for high-risk work."""
    look = """
answer = ctypes.cast(ctypes.CDLL(None).labs, ctypes.c_void_p).value"""
    first, second = driver.create(), driver.create()
    assert probe.in_kernel(first, look) == probe.in_kernel(second, look)
    executed = [probe.in_program(first, look), probe.in_program(second, look),
                probe.in_one_off(look), probe.in_one_off(look), probe.in_kernel(first, look)]
    assert len(set(executed)) == len(executed)
    first.destroy()
    second.destroy()


# ---------------------------------------------------------------------------------- Z5 shared pages


def test_z5_what_one_changes_another_does_not_see(driver):
    """A poisons all that it shares with later sandboxes: objects of the interpreter in place,
    modules, builtins, code of libc, a mapped library, cached bytecode, packages. Pages are copied
    on write and the trees are read-only, so B, forked afterwards, is clean."""
    first = driver.create()
    # The zygote's own list, to be sure that what is checked was really shared before the change.
    found = probe.in_kernel(first, """
import builtins, math, mmap, pandas, json as j
ctypes.c_double.from_address(id(math.pi) + 16).value = 3.0
pandas.DataFrame.sum = lambda self: "poisoned"
builtins.poisoned = j.poisoned = True
sys.path.insert(0, "/tmp/poison")
import _ctypes
library = os.path.realpath(_ctypes.__file__)
fd = os.open(library, os.O_RDONLY)
cached = pandas.__cached__ or pandas.__file__
def shared_for_writing():
    mmap.mmap(fd, 4096, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE)
mapping = mmap.mmap(fd, 4096, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
here = [int(line.split("-")[0], 16) for line in open("/proc/self/maps") if library in line
        and line.split()[1] == "r--s"][0]
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.cast(libc.labs, ctypes.c_void_p).value
page = code & ~4095
as_it_was = ctypes.string_at(code, 4).hex()
libc.mprotect(ctypes.c_void_p(page), 8192, 7)
ctypes.memmove(code, b"\\0\\0\\0\\0", 4)
answer = {
    "code": [as_it_was, ctypes.string_at(code, 4).hex()],
    "pi": math.pi,
    "open": {path: attempt(lambda: os.open(path, os.O_RDWR)) for path in (
        library, pandas.__file__, cached, os.__file__)},
    "new": [attempt(lambda: os.open(os.path.join(os.path.dirname(pandas.__file__), name),
                                    os.O_CREAT | os.O_WRONLY)) for name in ("x.py", "x.pth")],
    "remove": attempt(os.unlink, cached),
    "mapped": attempt(shared_for_writing),
    "protect": libc.mprotect(ctypes.c_void_p(here), 4096, 3),
}""")
    assert found["pi"] == 3.0 and found["code"][1] == "00000000" != found["code"][0]
    assert set(found["open"].values()) <= {"EROFS", "EACCES"}, found["open"]
    assert set(found["new"]) <= {"EROFS", "EACCES"} and found["remove"] in {"EROFS", "EACCES"}
    assert found["mapped"] in {"EACCES", "EPERM"} and found["protect"] == -1
    check = """
import builtins, math, pandas, json as j
answer = [math.pi, int(pandas.DataFrame({"a": [1, 2]}).sum()["a"]),
          hasattr(builtins, "poisoned") or hasattr(j, "poisoned"), "/tmp/poison" in sys.path,
          ctypes.string_at(ctypes.cast(ctypes.CDLL(None).labs, ctypes.c_void_p).value, 4).hex()]"""
    clean = [3.141592653589793, 3, False, False, found["code"][0]]
    for later in (driver.create(), driver.create()):
        assert probe.in_kernel(later, check) == clean
        later.destroy()
    # In A itself: another context is another fork, and clean too; its own state stays as it was.
    assert probe.in_kernel(first, check, context="other") == clean
    assert first.python("import math; print(math.pi)").out == "3.0\n"
    first.destroy()


# ---------------------------------------------------------------------------------------- Z6 clocks


@pytest.mark.root_only
def test_z6_clocks_after_a_pause(sandbox):
    """A paused sandbox wakes up later than it thinks: its wall clock is right at once. Root only:
    freezing needs a cgroup."""
    sandbox.python("import time")
    sandbox.freeze()
    time.sleep(2)
    sandbox.freeze(False)
    before = time.time()
    inside = float(sandbox.python("print(time.time())").out)
    assert before - 1 < inside < time.time() + 1


@pytest.mark.root_only
def test_z6_no_timeout_for_paused_time(sandbox):
    """Runs of one second that may take three are frozen for four in the middle: they go on and end
    as if nothing had been. Root only: freezing needs a cgroup."""
    sandbox.python("1")
    code = "import time\nfor _ in range(10): time.sleep(0.1)\nprint('done')"
    script = "for i in 0 1 2 3 4 5 6 7 8 9; do sleep 0.1; done; echo done"
    running = [
        sandbox.start({"op": "kernel.run", "code": code, "timeout_ms": 3000}),
        sandbox.start({"op": "process.start", "argv": ["sh", "-c", script], "timeout_ms": 3000}),
    ]
    time.sleep(0.3)
    sandbox.freeze()
    time.sleep(4)
    assert not any(run.done() for run in running)
    sandbox.freeze(False)
    for run in running:
        answer = run.result(timeout=30)
        assert answer.out == "done\n" and not answer.end.get("timed_out"), answer


@pytest.mark.root_only
def test_z6_a_timeout_still_comes_after_a_pause(sandbox):
    """Only the pause is forgiven: a run that never ends is stopped soon after its own time is up.
    Root only: freezing needs a cgroup."""
    sandbox.python("1")
    running = sandbox.start({"op": "kernel.run", "code": "while True: pass", "timeout_ms": 1500})
    time.sleep(0.3)
    sandbox.freeze()
    time.sleep(2)
    sandbox.freeze(False)
    thawed = time.monotonic()
    answer = running.result(timeout=30)
    assert answer.end["timed_out"] and time.monotonic() - thawed < 15


def test_z6_a_program_cannot_buy_time(sandbox):
    """The signal that tells PID 1 of a pause, sent from inside, is not believed."""
    began = time.monotonic()
    done = sandbox.python("""
import os, time
while True:
    for signal in (10, 12, 18):
        try:
            os.kill(1, signal)
        except PermissionError:
            pass
    time.sleep(0.01)
""", timeout_ms=1000)
    assert done.end["timed_out"] and time.monotonic() - began < 15


# --------------------------------------------------------------------------------- Z7 a dead zygote


@pytest.fixture
def own_driver():
    """A zygote that a test may kill."""
    running = Driver(pool=1)
    yield running
    running.close()


def test_z7_the_operator_is_told(tmp_path):
    """A zygote that died is a line in the log, and not a secret of the runtime."""
    log, stderr = open(tmp_path / "log", "wb"), os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        driver = Driver(pool=0)
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
    os.kill(driver.info()["zygote_pid"], signal.SIGKILL)
    until = time.monotonic() + 60
    while b"template default" not in (tmp_path / "log").read_bytes():
        assert time.monotonic() < until
        try:
            driver.create().destroy()
        except Refused:
            time.sleep(0.1)
    driver.close()


def test_z7_a_killed_zygote_is_replaced(own_driver):
    """Killed from outside, with a sandbox at work: that one goes on, the next create finds or makes
    a new zygote, and nothing of the old one is left."""
    live = own_driver.create()
    live.python("x = 41")
    old = own_driver.info()["zygote_pid"]
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: not own_driver.info()["alive"])
    assert live.python("print(x + 1)").out == "42\n"
    made = [own_driver.create() for _ in range(3)]  # the first may still come from the pool
    for sandbox in made:
        assert sandbox.python("import pandas; print(len(pandas.__name__))").out == "6\n"
    info = own_driver.info()
    assert info["alive"] and info["zygote_pid"] not in (old, -1)
    assert live.python("print(x)").out == "41\n"
    # Without its zygote a sandbox starts new contexts as programs.
    assert live.python("print('new')", context="later").out == "new\n"
    live.destroy()
    wait_for(lambda: not os.path.exists(f"/proc/{live.pid}"))


def test_z7_killed_while_creates_are_under_way(own_driver):
    """Twenty creates at once and the zygote dies among them: each is answered in time, with a
    sandbox that works or with a clear refusal, and afterwards all is as before."""
    with ThreadPoolExecutor(20) as pool:
        answers = [pool.submit(own_driver.create) for _ in range(20)]
        os.kill(own_driver.info()["zygote_pid"], signal.SIGKILL)
        made, refused = [], []
        for answer in answers:
            try:
                made.append(answer.result(timeout=60))
            except Refused as refusal:
                refused.append(str(refusal))
    assert all("zygote" in text for text in refused), refused
    for sandbox in made:
        assert sandbox.python("print(1 + 1)").out == "2\n"
        sandbox.destroy()
    assert own_driver.create().python("print('again')").out == "again\n"


def test_z7_a_zygote_killed_again_and_again(own_driver):
    """No state is kept of the dead: two in a row, and each time the next create works."""
    for _ in range(2):
        own_driver.create().destroy()
        os.kill(own_driver.info()["zygote_pid"], signal.SIGKILL)
        wait_for(lambda: not own_driver.info()["alive"])
        while own_driver.info()["pooled"] > 0:
            own_driver.create().destroy()
        assert own_driver.create().python("print('works')").out == "works\n"


# Modules that spoil a zygote when it preloads them, and what the caller must be told.
SPOILERS = {
    "raises": ("raise RuntimeError('half a module')", "raises: RuntimeError: half a module"),
    "missing": ("import nothing_of_this_name", "nothing_of_this_name"),
    "syntax": ("def broken(:", "SyntaxError"),
    "leaves": ("import os; os._exit(7)", "ended"),
    "exits": ("raise SystemExit(3)", ""),
    "crashes": ("import ctypes; ctypes.string_at(0)", "ended"),
    "threads": ("import threading, time\n"
                "threading.Thread(target=time.sleep, args=(60,), daemon=True, name='pool').start()",
                "threads"),
}


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory):
    """A driver whose data folder has, beside `default`, a template for each of SPOILERS: a small
    environment with that one module, over the packages of the default one."""
    data = Path(os.environ.get("ATOLL_DATA_DIR") or default_data())
    default = (data / "templates" / "default").resolve()
    folder = tmp_path_factory.mktemp("data")
    (folder / "templates").mkdir()
    (folder / "templates" / ".built-default-1").symlink_to(default)
    (folder / "templates" / "default").symlink_to(".built-default-1")
    built = json.loads((default / "built.json").read_text())
    version = "python" + ".".join(built["python_version"].split(".")[:2])
    for name, (code, _) in SPOILERS.items():
        template = folder / "templates" / f".built-{name}-1"
        template.mkdir()
        (folder / "templates" / name).symlink_to(template.name)
        for part in ("cache", "etc"):
            shutil.copytree(default / part, template / part)
        subprocess.run([built["python"], "-m", "venv", "--without-pip", template / "env"],
                       check=True)
        packages = template / "env" / "lib" / version / "site-packages"
        (packages / "base.pth").write_text(f"/srv/base/lib/{version}/site-packages\n")
        (packages / f"spoiler_{name}.py").write_text(code)
        (template / "template.json").write_text(json.dumps({
            "python": {"packages": [], "preload": [f"spoiler_{name}"]},
            "trees": [{"source": str(default / "env"), "target": "/srv/base"}]}))
        shutil.copy(default / "built.json", template / "built.json")
    running = Driver(pool=1, environment={**os.environ, "ATOLL_DATA_DIR": str(folder)})
    yield running
    running.close()


def default_data() -> str:
    if os.geteuid() == 0:
        return "/var/lib/atoll"
    return os.environ.get("XDG_DATA_HOME", os.environ["HOME"] + "/.local/share") + "/atoll"


@pytest.mark.parametrize("name", list(SPOILERS))
def test_z7_a_corrupted_import(spoiled, name):
    """A package that fails, crashes or starts threads when the zygote preloads it: create says
    which and why, in seconds; no process stays; sandboxes of other templates are made as before."""
    began = time.monotonic()
    with pytest.raises(Refused) as refusal:
        spoiled.create(template=name)
    assert name in str(refusal.value) and SPOILERS[name][1] in str(refusal.value)
    assert time.monotonic() - began < 60
    wait_for(lambda: not leftovers(name))
    assert spoiled.create().python("print('fine')").out == "fine\n"


def leftovers(name: str) -> list[int]:
    """Processes that have something of that template mapped."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                mounts = Path(f"/proc/{entry}/mountinfo").read_text()
                if f"/templates/.built-{name}-1/env " in mounts:
                    found.append(int(entry))
            except OSError:
                continue
    return found


# ----------------------------------------------------------------------------- Z8 what it all costs


def test_z8_memory_of_many_forks(driver):
    """Fifty kernels with pandas loaded: added up by what `ps` shows they fill the machine, while
    pages they share exist once. What Atoll reports is what each has for itself, and agrees with the
    host's kernel."""
    count = 50
    sandboxes = [driver.create() for _ in range(count)]
    for sandbox in sandboxes:
        assert sandbox.python("import pandas; print(pandas.DataFrame({'a': [1]}).sum()['a'])").out
    rss = pss = private = 0
    for sandbox in sandboxes:
        for pid in processes_of(sandbox):
            try:
                use = rollup(pid)
            except PermissionError:
                continue  # PID 1 of an ordinary user's sandbox: its kernel is the larger part
            rss += use["Rss"]
            pss += use["Pss"]
            private += use["Private_Dirty"] + use["Private_Clean"]
    assert rss > 5 * pss, (rss, pss)
    assert private / count < 20 * 1024, private
    stats = sandboxes[-1].ask({"op": "stats"}).end
    reported = stats["private_bytes"] / 1024
    measured = sum(rollup(pid)["Private_Dirty"] + rollup(pid)["Private_Clean"]
                   for pid in processes_of(sandboxes[-1]) if readable(pid))
    resident = rss / count
    assert reported < resident / 3, "what is shared was counted for each"
    assert measured * 0.5 < reported < measured * 2 + 8192, (reported, measured)
    if os.geteuid() == 0:  # with a cgroup, the kernel itself counts
        charged = [sandbox.usage()["memory_bytes"] / 1024 for sandbox in sandboxes]
        assert sum(charged) < rss / 3, (sum(charged), rss)
    print(f"\n{count} sandboxes: RSS {rss // 1024} MiB, PSS {pss // 1024} MiB, "
          f"private {private // 1024} MiB", file=sys.stderr)
    for sandbox in sandboxes:
        sandbox.destroy()


def readable(pid: int) -> bool:
    try:
        return bool(rollup(pid))
    except PermissionError:
        return False


def test_z8_peak_memory_is_one_sandboxs_own():
    """`atoll run` reports what its program used, not what the machine holds. The program keeps it
    for a moment: without a cgroup the guest looks ten times a second."""
    code = "import time; x = b'x' * (int({}) << 20); time.sleep(0.5)"
    small = run_json("-c", code.format(0))["memory_peak_bytes"]
    large = run_json("-c", code.format(200))["memory_peak_bytes"]
    assert small < 150 << 20 and large - small > 150 << 20, (small, large)
