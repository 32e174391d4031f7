"""Rows T1, T2 and T6: one sandbox cannot hurt another, nor the server.

What the kernel counts for a user of the host is shared by all sandboxes where Atoll is an ordinary
user. Each attack here is bounded far below what the machine gives, so that it can run beside others.
"""
import contextlib
import os
import resource
import signal
import threading

import pytest

from harness import host
from harness.driver import Driver, Refused

MIB = 1 << 20
PROMPT_S = 30
ORDINARY = os.geteuid() != 0


def assert_unharmed(sandbox):
    assert sandbox.python("print(kept + 1)", wait=PROMPT_S).out == "42\n"


def share_kills(sandbox) -> int:
    return sandbox.ask({"op": "stats"}).end["share_kills"]


# T2: an environment that does not fit a message

ENVIRONMENT_MAX = 192 * 1024


def test_t2_an_environment_too_large_is_its_callers_error(driver, neighbour):
    """Seven variables of 32 KiB: refused in words, and the zygote lives."""
    zygote = driver.info()["zygote_pid"]
    for _ in range(3):  # from the pool, and forked when that is empty
        with pytest.raises(Refused, match=f"at most {ENVIRONMENT_MAX}"):
            driver.create(env={f"V{n}": "x" * 32768 for n in range(7)})
    other = driver.create()
    assert other.python("print(1)", wait=PROMPT_S).out == "1\n"
    other.destroy()
    assert driver.info()["zygote_pid"] == zygote and driver.info()["alive"]
    assert_unharmed(neighbour)


@pytest.mark.parametrize("filler", ["x", "\x01", "\\", "ü"])
def test_t2_the_largest_environment_works(driver, neighbour, filler):
    """At the limit, in characters that JSON writes in one byte, in two and in six: it arrives whole
    in a kernel and in a program, in a sandbox from the pool and in one that is forked."""
    written = {"\x01": 6, "\\": 2, "ü": 2}.get(filler, 1)
    each = 16 * 1024 // written
    count = ENVIRONMENT_MAX // (16 * 1024 + 32)
    environment = {f"VALUE{n:02}": filler * each for n in range(count)}
    made = [driver.create(env=environment) for _ in range(2)]
    look = ("import os; values = [v for k, v in os.environ.items() if k.startswith('VALUE')]; "
            f"print(len(values), set(values) == {{{filler!r} * {each}}})")
    for sandbox in made:
        assert sandbox.python(look, wait=PROMPT_S).out == f"{count} True\n"
        assert sandbox.run("python", "-S", "-c", look, wait=PROMPT_S).out == f"{count} True\n"
        sandbox.destroy()
    assert_unharmed(neighbour)


@pytest.mark.root_only
def test_t2_as_many_mounts_as_a_session_may_name(driver, neighbour, tmp_path):
    """64 data sets: their descriptors go along with one message."""
    mounts = []
    for n in range(64):
        (tmp_path / str(n)).mkdir()
        (tmp_path / str(n) / "here").write_text(str(n))
        mounts.append({"source": str(tmp_path / str(n)), "target": f"/data/{n}"})
    sandbox = driver.create(mounts=mounts)
    answer = sandbox.shell("cat /data/*/here | wc -c; cat /data/63/here", wait=PROMPT_S)
    assert answer.out.split() == ["118", "63"]
    sandbox.destroy()
    assert_unharmed(neighbour)


# T1: descriptors in flight

SEND_AND_NEVER_RECEIVE = """
import array, os, socket, time
fd = os.open('/dev/null', os.O_RDONLY)
message = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [fd] * 250))]
pairs = [socket.socketpair() for _ in range(8)]
for a, b in pairs:
    try:
        a.sendmsg([b'x'], message)
    except OSError as refused:
        print(refused.errno, flush=True)
        break
print('sent', flush=True)
time.sleep(60)
"""


@pytest.fixture
def usual_driver():
    """Started as from a login shell: a soft limit of 1,024 open files, and more for the asking."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))
    try:
        running = Driver(pool=1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    yield running
    running.close()


def test_t1_descriptors_in_flight_stop_nobody(usual_driver):
    """More of them on their way than an ordinary process may have (1,265 did it): creates, kernels
    and programs of others go on, and one that has far too many is ended."""
    neighbour = usual_driver.create()
    neighbour.python("kept = 41")
    zygote = usual_driver.info()["zygote_pid"]
    greedy = usual_driver.create()
    over = threading.Event()
    started = threading.Semaphore(0)

    def attack():
        while not over.is_set():
            run = greedy.start({"op": "process.start", "timeout_ms": 2000,
                                "argv": ["python", "-S", "-c", SEND_AND_NEVER_RECEIVE]})
            started.release()
            with contextlib.suppress(Exception):
                run.result(timeout=PROMPT_S)
    attackers = [threading.Thread(target=attack) for _ in range(2)]
    for one in attackers:
        one.start()
    try:
        for _ in range(4):
            assert started.acquire(timeout=PROMPT_S)
            other = usual_driver.create()
            assert other.python("print(1)", wait=PROMPT_S).out == "1\n"
            other.destroy()
            assert_unharmed(neighbour)
    finally:
        over.set()
        if ORDINARY:
            assert host.eventually(lambda: share_kills(greedy) > 0, within=PROMPT_S)
        greedy.destroy()
        for one in attackers:
            one.join(timeout=PROMPT_S)
    assert usual_driver.info()["zygote_pid"] == zygote


def test_t1_a_few_descriptors_in_flight_are_fine(sandbox):
    """What programs really do: a handful on their way, received later."""
    answer = sandbox.python("""
import array, os, socket, time
a, b = socket.socketpair()
fd = os.open('/dev/null', os.O_RDONLY)
for _ in range(20):
    socket.send_fds(a, [b'x'], [fd])
time.sleep(0.5)
print(sum(len(socket.recv_fds(b, 1, 4)[1]) for _ in range(20)))
""", wait=PROMPT_S)
    assert answer.out == "20\n"


# T1: watches of epoll

# Each file is watched under many numbers, by several: no limit on open files bounds it.
WATCH = """
import os, select, sys
most = int(sys.argv[1])
files = [os.eventfd(0) for _ in range(20)]
taken = 0
polls = []
try:
    while taken < most:
        poll = select.epoll()
        polls.append(poll)
        for file in files:
            for number in range(300, 300 + (most - taken > 0) * 200):
                os.dup2(file, number)
                poll.register(number, select.EPOLLIN)
                os.close(number)
                taken += 1
except OSError as refused:
    print('E:', refused.errno, taken, flush=True)
print('took', taken, flush=True)
import time; time.sleep(SLEEP)
"""


def test_t1_watches_of_epoll_are_bounded(driver, neighbour):
    """A sandbox that takes more than its share of the host user's watches is stopped; where each
    sandbox is a user of its own, nobody else is concerned."""
    sandbox = driver.create()
    answer = sandbox.run("python", "-S", "-c", WATCH.replace("SLEEP", "20" if ORDINARY else "0"),
                         "150000", wait=60)
    if ORDINARY:
        assert answer.end.get("signal") == signal.SIGKILL, answer.out
        assert share_kills(sandbox) > 0
    else:
        assert "took 1" in answer.out
    # A server's worth of them is nothing that is forbidden.
    modest = neighbour.run("python", "-S", "-c", WATCH.replace("SLEEP", "0.5"), "4000", wait=60)
    assert modest.out == "took 4000\n", modest
    assert sandbox.python("print('usable')", wait=PROMPT_S).out == "usable\n"
    sandbox.destroy()
    assert_unharmed(neighbour)


# T1: socket buffers. The memory limit is 256 MiB; the attack stops by itself at twice that.

FILL_SOCKETS = """
import os, socket, time
MIB = b'x' * (1 << 20)
taken, held = 0, []
for process in range(4):
    if os.fork() == 0:
        sent = 0
        for _ in range(128):
            a, b = make()
            a.setblocking(False)
            a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            left = 1 << 20
            while left > 0:
                try: left -= a.send(MIB[:left])
                except BlockingIOError: break
            sent += (1 << 20) - left
            held.append((a, b))
            AFTER
        time.sleep(3)
        print('kept', sent, flush=True)
        os._exit(0)
for _ in range(4):
    os.wait()
"""
MAKE = {
    "unix": "import socket\nmake = socket.socketpair\n",
    "tcp": """
import socket
listener = socket.socket()
listener.bind(('127.0.0.1', 0))
listener.listen(1024)
def make():
    a = socket.create_connection(listener.getsockname())
    return a, a
""",
}
AFTER = {"held": "pass", "sender gone": "a.close()"}


@pytest.mark.parametrize("make,after", [("unix", "held"), ("unix", "sender gone"), ("tcp", "held")])
def test_t1_what_sockets_hold_is_memory(driver, neighbour, make, after):
    """Half a gigabyte in sockets of four processes, with 256 MiB allowed: some of them die, or there
    is no room for so much (TCP, which version 1 of cgroups bounds by itself)."""
    sandbox = driver.create(limits={"memory_bytes_max": 256 * MIB})
    code = MAKE[make] + FILL_SOCKETS.replace("AFTER", AFTER[after])
    answer = sandbox.run("python", "-S", "-c", code, wait=90)
    kept = [int(line.split()[1]) for line in answer.out.splitlines()]
    kills = (sandbox.usage()["memory_kills"] +
             sandbox.ask({"op": "stats"}, wait=PROMPT_S).end["memory_kills"])
    assert sum(kept) <= 256 * MIB, answer
    assert len(kept) == 4 or kills > 0, answer
    # Linux gives back what closed sockets held a moment later; a kernel that starts before that may be killed for it.
    assert host.eventually(lambda: sandbox.python("print('usable')", wait=PROMPT_S).out == "usable\n", 30)
    sandbox.destroy()
    assert_unharmed(neighbour)


# PID 1 shows nothing of itself

@pytest.mark.parametrize("path", [
    "/proc/1/map_files", "/proc/self/map_files", "/proc/thread-self/fd", "/proc/1/fd",
    "/proc/1/task/1/fdinfo", "/proc/1/../self/map_files"])
def test_file_operations_show_nothing_of_pid_one(sandbox, path):
    """File operations run in PID 1, to which /proc shows its own secrets: layout and descriptors."""
    for op in ("file.list", "file.stat"):
        with pytest.raises(Refused, match="Permission denied"):
            sandbox.ask({"op": op, "path": path})
    sandbox.shell(f"ln -s {path} /tmp/link")
    with pytest.raises(Refused):
        sandbox.ask({"op": "file.list", "path": "/tmp/link"})
    assert sandbox.ask({"op": "file.list", "path": "/proc"}).end["count"] > 10


# T6: a PID 1 that answers nothing

def test_t6_a_stopped_pid_one_holds_nobody_up(driver, neighbour):
    """PID 1 stands still, from outside: using, freezing and ending the sandbox all come back, and
    nothing of it stays."""
    sandbox = driver.create()
    sandbox.python("1")
    inside = [one.pid for one in host.processes_in(sandbox.pid)]
    os.kill(sandbox.pid, signal.SIGSTOP)
    waiting = sandbox.start({"op": "ping"})
    sandbox.usage()
    with contextlib.suppress(Refused):  # no cgroup: it cannot be frozen
        sandbox.freeze()
    assert not waiting.done()
    assert_unharmed(neighbour)
    sandbox.destroy()
    assert not waiting.result(timeout=PROMPT_S)["ok"]
    assert host.eventually(lambda: not any(host.look_at(pid) for pid in inside), within=PROMPT_S)
    assert host.eventually(lambda: not host.cgroups_of(sandbox.id), within=PROMPT_S)


@pytest.mark.root_only
def test_t6_a_claim_that_is_not_answered_ends(tmp_path):
    """A member of the pool that stands still: whoever gets it is refused in time, and the next
    create has another."""
    own = Driver(pool=1)
    try:
        nest, zygote = own.info()["nest_pid"], own.info()["zygote_pid"]

        def member():
            found = [one.pid for one in host.all_processes() if one.parent == nest
                     and one.pid != zygote]
            return found[0] if len(found) == 1 else None
        # Warm: one that stands still before is replaced.
        assert host.eventually(lambda: own.info()["warmed"] == 1 and member(), within=PROMPT_S)
        os.kill(member(), signal.SIGSTOP)
        mounts = [{"source": str(tmp_path), "target": "/data/x"}]
        with pytest.raises(Refused, match="in time"):
            own.create(mounts=mounts)
        other = own.create(mounts=mounts)
        assert other.python("print(1)", wait=PROMPT_S).out == "1\n"
        other.destroy()
    finally:
        own.close()
