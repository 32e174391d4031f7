"""What PID 1 and the zygote hold and do for a sandbox, turned against them: links through /proc to
their descriptors, floods on a kernel's socket, forged answers, signals at the wrong moment.
"""
import errno
import json
import os
import signal
import threading
import time
import uuid
from pathlib import Path

import pytest

from harness.driver import Driver, Refused

SECRET = "the other session's secret"
MIB = 1 << 20


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A driver whose sessions lie on disk, and the folder that holds them all."""
    folder = tmp_path_factory.mktemp("kept")
    folder.chmod(0o700)
    running = Driver(pool=1, kept_root=str(folder))
    yield running, folder
    running.close()


def new_session(folder: Path) -> Path:
    made = folder / f"s-{uuid.uuid4().hex}"
    for name in ("session/artifacts", "data/outputs", "work/artifacts", "home/.cache/matplotlib"):
        (made / name).mkdir(parents=True)
    if os.geteuid() == 0:
        for here, _, _ in os.walk(made):
            os.chown(here, 1_899_999_999, 1_899_999_999)
    return made


def attempts(path: str) -> list:
    """Every operation that takes a path, with `path` to a folder of another's in it."""
    return [{"op": "file.read", "path": f"{path}/session/secret.txt"},
            {"op": "file.stat", "path": f"{path}/session/secret.txt"},
            {"op": "file.list", "path": f"{path}/session"},
            {"op": "file.list", "path": f"{path}/session/../..", "depth": 3},
            {"op": "file.write", "path": f"{path}/session/planted"},
            {"op": "file.write", "path": f"{path}/session/new/planted", "parents": True},
            {"op": "file.mkdir", "path": f"{path}/session/planted"},
            {"op": "file.mkdir", "path": f"{path}/session/a/b", "parents": True},
            {"op": "file.move", "path": f"{path}/session/secret.txt", "to": "/session/mine"},
            {"op": "file.move", "path": "/session/own.txt", "to": f"{path}/session/planted"},
            {"op": "file.remove", "path": f"{path}/session/secret.txt"},
            {"op": "file.remove", "path": f"{path}/session", "recursive": True},
            {"op": "file.watch", "path": f"{path}/session"},
            {"op": "process.start", "argv": ["ls"], "cwd": f"{path}/session"}]


def tree(folder: Path) -> dict:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("pooled", [True, False])
def test_no_link_leads_to_what_pid_1_holds(kept, pooled):
    """An ordinary user's nest shows all sessions' folders to a sandbox that is not anybody's yet.
    A link through /proc to PID 1's own descriptors, which PID 1 follows for a file operation or as
    a working directory, leads to none of them."""
    driver, folder = kept
    victim, own = new_session(folder), new_session(folder)
    (victim / "session/secret.txt").write_text(SECRET)
    before = tree(victim)
    sandbox = driver.create(kept_folder=str(own),
                            **({} if pooled else {"limits": {"open_files_max": 333}}))
    sandbox.shell("echo own >/session/own.txt")
    sandbox.shell("for n in $(seq 3 14); do ln -s /proc/self/fd/$n /session/l$n; done")
    waiting = []
    for number in range(3, 15):
        for link in (f"/session/l{number}", f"/proc/1/fd/{number}"):
            for request in attempts(f"{link}/{victim.name}"):
                waiting.append((request, sandbox.start(request, data="x")))
    for request, future in waiting:
        answer = future.result(timeout=60)
        assert not answer["ok"], request
        assert SECRET not in json.dumps(answer)
    assert tree(victim) == before
    assert sandbox.read("/session/own.txt") == b"own\n"
    sandbox.destroy()


def test_links_of_proc_are_no_way_round(sandbox):
    """The same rule where there is nothing to steal: a link of /proc is not followed, others are."""
    sandbox.shell("mkdir /work/d; echo x >/work/d/f; ln -s /work/d /session/plain; "
                  "ln -s /proc/self/root/work/d /session/root; ln -s /proc/self/cwd /session/cwd")
    assert sandbox.read("/session/plain/f") == b"x\n"
    assert sandbox.run("pwd", cwd="/session/plain").out == "/work/d\n"
    for path in ("/session/root/f", "/session/cwd/etc/passwd", "/proc/self/root/work/d/f"):
        with pytest.raises(Refused):
            sandbox.read(path)
    with pytest.raises(Refused):
        sandbox.run("pwd", cwd="/session/root")


def test_what_pid_1_holds_once_a_sandbox_is_somebodys(kept):
    """Not the folder of all sessions, under any number."""
    driver, folder = kept
    for session in (new_session(folder), None):
        made = driver.create(**({"kept_folder": str(session)} if session else {}))
        made.python("pass")
        held = []
        for number in os.listdir(f"/proc/{made.pid}/fd") if os.geteuid() == 0 else ():
            held.append(os.readlink(f"/proc/{made.pid}/fd/{number}"))
        assert not [path for path in held if path.rstrip("/").endswith((folder.name, "sessions"))]
        made.destroy()


def test_a_deep_and_shut_tree_is_removed(sandbox):
    """Deeper than any path is long, with folders that nobody may enter, and links on the way."""
    sandbox.python("""
import os
os.makedirs("/work/kept"); open("/work/kept/file", "w").close()
os.mkdir("/work/tree"); os.chdir("/work/tree")
for level in range(3000):
    os.symlink("/work/kept", "link"); open("f", "w").close()
    os.mkdir("d"); os.chmod("d", 0o700); os.chdir("d")
os.chdir("/work/tree/d"); os.mkdir("shut"); open("shut/in", "w").close(); os.chmod("shut", 0)
os.chmod("/work/tree/d/d", 0o500); os.chdir("/")
""")
    sandbox.ask({"op": "file.remove", "path": "/work/tree", "recursive": True})
    assert sandbox.shell("ls /work").out == "artifacts\nkept\n"
    assert sandbox.shell("ls /work/kept").out == "file\n"


# A kernel's socket

FLOODS = {
    "unknown messages": "struct.pack('<IB', 0, ord('z')) * 100000",
    "answers": "(struct.pack('<IB', 2, ord('d')) + b'{}') * 50000",
    "empty events": "(struct.pack('<IB', 2, ord('e')) + b'{}') * 50000",
    "a length beyond all": "struct.pack('<IB', 0xffffffff, ord('e')) + b'x' * 65536",
    "bytes": "(struct.pack('<IB', 1, ord('b')) + b'x') * 50000",
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_kernel_that_floods_its_socket_has_no_more_time(sandbox, flood):
    """Whatever it writes to PID 1 and however fast: its time ends, PID 1 answers, and a new kernel
    works. PID 1 does not grow with it. (An event that was cut by the interrupt is no JSON; then the
    host gives the sandbox up, also in time.)"""
    began = time.monotonic()
    code = f"""
import os, struct
block = {FLOODS[flood]}
while True:
    os.write(3, block)
"""
    try:
        assert sandbox.python(code, timeout_ms=1000, grace_ms=200, wait=60).end["ok"]
    except Refused as refused:
        assert "not JSON" in str(refused) and flood == "empty events"
        return
    finally:
        assert time.monotonic() - began < 30
    sandbox.start({"op": "kernel.restart"}).result(timeout=20)
    assert sandbox.python("print('again')", wait=30).out == "again\n"
    for line in Path(f"/proc/{sandbox.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            assert int(line.split()[1]) < 200 * 1024, line


def test_a_child_that_floods_stdout_does_not_hold_up_an_answer(sandbox):
    """What was printed before an answer comes with it; what others print meanwhile need not."""
    sandbox.python("""
import os
for _ in range(3):
    if os.fork() == 0:
        while True:
            os.write(1, b"x" * 65536)
""")
    for number in range(3):
        answer = sandbox.python(f"import os; os.write(1, b'mark {number}\\n')", wait=30)
        assert f"mark {number}\n" in answer.out
    sandbox.start({"op": "kernel.restart"}).result(timeout=20)


def test_an_answer_speaks_for_the_kernel_only(sandbox):
    """Fields beside the kernel's own are PID 1's word."""
    for forged in ('null,"ok":false,"code":"not_found","message":"there is no session"',
                   '{}, "timed_out": true', '{"a": 1}}', "", "[" * 10000, '"text"', "\\xff\\xfe"):
        answer = sandbox.ask({"op": "kernel.run", "code": f"""
import os, struct
said = {forged!r}.encode('latin-1')
os.write(3, struct.pack('<IB', len(said), ord('d')) + said)
"""})
        assert answer.end["ok"] is True
        assert set(answer.end) <= {"ok", "kernel", "state_lost_before"}, answer.end
        sandbox.start({"op": "kernel.restart"}).result(timeout=20)


def test_a_file_that_is_too_large_is_an_error(driver):
    """RLIMIT_FSIZE sends SIGXFSZ, which ends whoever does not ignore it."""
    made = driver.create(limits={"file_bytes_max": MIB})
    code = """
kept = 1
try:
    with open('/work/large', 'wb') as file:
        for _ in range(4):
            file.write(b'x' * (1 << 20))
except OSError as error:
    print(error.errno)
"""
    assert made.python(code).out == f"{errno.EFBIG}\n"
    assert made.python("print(kept)").out == "1\n"
    made.destroy()


# Upon PID 1 itself

def test_nothing_is_set_upon_another_process(sandbox):
    """Where a sandbox is one user, PID 1 is that user: its limits and its share of the processor
    are still its own. Reading is free, and so is all that a process does to itself."""
    answer = sandbox.python("""
import ctypes, errno, os, resource, subprocess
libc = ctypes.CDLL(None, use_errno=True)
child = subprocess.Popen(["sleep", "20"])
def attempt(name, do):
    try:
        print(name, "did" if do() in (None, 0) else "failed")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
def call(name, *arguments):
    if libc.syscall(name, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
for who, pid in (("one", 1), ("child", child.pid)):
    attempt(who + " files", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (1, 1)) and None)
    attempt(who + " high", lambda: call(302, ctypes.c_ulong(1 << 32 | pid), 7,
                                        (ctypes.c_ulong * 2)(1, 1), None))
    attempt(who + " nice", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    attempt(who + " idle", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
attempt("all nice", lambda: os.setpriority(os.PRIO_USER, 0, 19))
attempt("own files", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)))
attempt("own nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, 5))
attempt("own idle", lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)))
attempt("read", lambda: resource.prlimit(child.pid, resource.RLIMIT_NOFILE) and None)
child.kill()
""")
    found = dict(line.rsplit(" ", 1) for line in answer.out.splitlines())
    for name in ("files", "high", "nice", "idle"):
        assert found[f"one {name}"] in ("EPERM", "EACCES", "ESRCH"), found
        assert found[f"child {name}"] == "EPERM", found
    assert found["all nice"] == "EPERM", found
    assert {found[name] for name in ("own files", "own nice", "own idle", "read")} == {"did"}, found
    assert os.getpriority(os.PRIO_PROCESS, sandbox.pid) == os.getpriority(os.PRIO_PROCESS, 0)


EATER = """
import ctypes, os, time
{0}
children = []
for _ in range(6):
    child = os.fork()
    if child == 0:
        block = bytearray(b"x") * (100 << 20)
        time.sleep(30)
        os._exit(7)
    children.append(child)
print(os.wait()[1])
for child in children:
    try: os.kill(child, 9)
    except OSError: pass
"""


@pytest.mark.parametrize("evade", [
    "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)",
    "ctypes.CDLL(None).syscall(157, ctypes.c_ulong(1 << 32 | 4), 0, 0, 0, 0)",
    "import resource\ntry: resource.prlimit(1, resource.RLIMIT_NOFILE, (1, 1))\n"
    "except OSError: pass",
    "ctypes.CDLL(None).prctl(15, b'RssAnon: 0', 0, 0, 0)",
])
def test_memory_is_counted_whatever_a_process_does(driver, evade):
    """Six processes, each below the limit and far above it together: one at least is ended."""
    made = driver.create(limits={"memory_bytes_max": 256 * MIB})
    answer = made.python(EATER.format(evade), timeout_ms=20000, wait=60)
    died = answer.end.get("died") or answer.out.strip() == "9"
    stats = made.ask({"op": "stats"}).end
    assert died or stats["memory_kills"] > 0, (answer, stats)
    made.destroy()


@pytest.mark.skipif(os.geteuid() == 0, reason="with a cgroup, the kernel itself counts")
def test_a_program_that_cannot_be_read_is_counted(driver):
    """A file that may be executed and not read makes a process that nobody may look into."""
    made = driver.create(limits={"memory_bytes_max": 256 * MIB})
    made.shell("cp $(readlink -f $(command -v tail)) /work/tail; chmod 111 /work/tail")
    made.shell("for i in 1 2 3 4; do head -c 200000000 /dev/zero | /work/tail -c 150000000 | "
               "sleep 8 & done; wait", wait=60)
    assert made.ask({"op": "stats"}).end["memory_kills"] > 0
    made.destroy()


# Signals at the wrong moment

class Stopper:
    """Stops every child of a process as soon as it is there, as a program of the same user can that
    no scope of Landlock holds."""

    def __init__(self, parent: int):
        self.path = f"/proc/{parent}/task/{parent}/children"
        self.stopped = 0
        self.running = True
        self.thread = threading.Thread(target=self.run)

    def run(self):
        seen = set()
        while self.running:
            try:
                children = open(self.path).read().split()
            except OSError:
                return
            for child in children:
                if child not in seen:
                    seen.add(child)
                    try:
                        os.kill(int(child), signal.SIGSTOP)
                        self.stopped += 1
                    except OSError:
                        pass

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.running = False
        self.thread.join()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def zygote_beside(sandbox) -> int:
    """The nest's init is the parent of all PID 1s, and of the zygote."""
    nest = parent_of(sandbox.pid)
    for child in Path(f"/proc/{nest}/task/{nest}/children").read_text().split():
        if b"zygote" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    raise AssertionError("there is no zygote")


def test_a_stopped_helper_does_not_stop_the_zygote():
    """The zygote's helper is for a moment a process of the sandbox. Stopped there, it takes nobody
    along: the next kernel of another sandbox comes from the same zygote."""
    driver = Driver(pool=0)
    sandbox, neighbour = driver.create(), driver.create()
    neighbour.python("kept = 1")
    zygote = zygote_beside(sandbox)
    with Stopper(zygote) as stopper:
        waiting = [sandbox.start({"op": "kernel.run", "code": "1", "context": f"c{number}"})
                   for number in range(20)]
        until = time.monotonic() + 20
        while stopper.stopped < 5 and time.monotonic() < until:
            time.sleep(0.05)
    assert stopper.stopped > 0
    began = time.monotonic()
    assert neighbour.python("print('came')", context="new", wait=30).out == "came\n"
    assert time.monotonic() - began < 15
    assert zygote_beside(sandbox) == zygote
    del waiting
    driver.close()


def test_a_stopped_child_does_not_stop_pid_1(sandbox):
    """The same for a program that PID 1 starts: it is told of, and PID 1 goes on."""
    with Stopper(sandbox.pid) as stopper:
        for _ in range(15):
            sandbox.start({"op": "process.start", "argv": ["true"], "timeout_ms": 500})
        assert sandbox.ask({"op": "ping"}, wait=60).end["ok"]
    assert stopper.stopped > 0
    assert sandbox.run("echo", "fine", wait=30).out == "fine\n"
