"""Rows P1–P5 and P7–P12: processes that multiply, hide, hang, die badly or reach for others.

Each test does it inside a sandbox and looks at the host: what is left running, whether the
neighbour still answers, and whether the caller is told the truth in time. Times are generous,
since machines are noisy; a hang is what they find.
"""
import ctypes
import errno
import os
import pty
import select
import signal
import subprocess
import time

import pytest

from harness import host
from harness.cli import ATOLL, run_json
from harness.driver import Refused

PROMPT_S = 15  # an answer later than this counts as a hang
PROCESSES = 48

# Raw system calls for code inside, without the checks of any wrapper.
SYSCALL = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[
        a if not isinstance(a, int) else ctypes.c_long(a) for a in arguments])
    return result if result != -1 else "E:" + errno.errorcode[ctypes.get_errno()]
"""


@pytest.fixture
def crowded(driver):
    """A sandbox that may have few processes."""
    made = driver.create(limits={"processes_max": PROCESSES})
    yield made
    made.destroy()


def assert_unharmed(sandbox):
    began = time.monotonic()
    assert sandbox.python("print(kept + 1)", wait=PROMPT_S).out == "42\n"
    assert time.monotonic() - began < PROMPT_S


def living(sandbox) -> list:
    return [process for process in host.processes_in(sandbox.pid) if process.state not in "ZX"]


def until_alone(sandbox, besides: int = 1) -> bool:
    """Only PID 1, and the kernel if there is one, are left."""
    return host.eventually(lambda: len(host.processes_in(sandbox.pid)) <= 1 + besides)


# P1

def test_p1_forks_stop_at_the_limit(crowded, neighbour):
    """Forks until the kernel says no: the limit on processes counts the whole sandbox."""
    answer = crowded.python("""
import os, time
children = []
try:
    while len(children) < 1000:
        child = os.fork()
        if child == 0:
            time.sleep(300)
            os._exit(0)
        children.append(child)
except OSError as refused:
    print(refused.errno, len(children))
""")
    number, children = map(int, answer.out.split())
    assert number == errno.EAGAIN
    # A limit far below what was asked for would fail a program that behaves.
    assert PROCESSES // 2 < children < PROCESSES
    assert len(living(crowded)) <= PROCESSES
    assert_unharmed(neighbour)


def test_p1_fork_bomb(crowded, neighbour):
    """The bomb that shells are known for. At the time limit the whole tree is killed, although it
    goes on forking meanwhile, and the sandbox is usable again."""
    word = host.marker()
    bomb = crowded.start({"op": "process.start", "timeout_ms": 1500,
                          "argv": ["bash", "-c", ":(){ :|:& };:; sleep 300", word]})
    most = 0
    while not bomb.done():
        most = max(most, len(host.processes_in(crowded.pid)))
        assert_unharmed(neighbour)
    answer = bomb.result()
    assert answer["ok"] and answer["end"]["timed_out"]
    assert 10 < most <= PROCESSES + 1  # it did go off, and stayed within
    assert host.eventually(lambda: not host.with_argument(word)), "the bomb still burns"
    assert crowded.python("print('usable')").out == "usable\n"


def test_p1_thread_bomb(crowded, neighbour):
    """Threads count as processes do."""
    answer = crowded.python("""
import threading
stop, threads = threading.Event(), []
try:
    while len(threads) < 1000:
        threads.append(threading.Thread(target=stop.wait))
        threads[-1].start()
except RuntimeError as refused:
    print(len(threads), refused)
stop.set()
""")
    count, text = answer.out.split(maxsplit=1)
    assert "can't start new thread" in text
    assert PROCESSES // 2 < int(count) <= PROCESSES
    assert_unharmed(neighbour)


# P2

DAEMON = "setsid -f env -i bash -c 'exec -a {0} sleep 300' </dev/null >/dev/null 2>&1; " \
         "(setsid bash -c 'exec -a {0} sleep 300' </dev/null >/dev/null 2>&1 &)"


def test_p2_daemons_end_with_the_sandbox(driver, neighbour):
    """Processes that forked twice, left their session and wiped their environment outlive the
    command (a server that an agent starts must), but not the sandbox: PID 1 takes them along."""
    sandbox = driver.create()
    word = host.marker()
    assert sandbox.shell(DAEMON.format(word)).end["exit_code"] == 0
    assert host.eventually(lambda: len(host.with_argument(word)) == 2), "no daemon was seen"
    inside = host.processes_in(sandbox.pid)
    assert {p.pid for p in host.with_argument(word)} <= {p.pid for p in inside}
    sandbox.destroy()
    assert host.eventually(lambda: not any(p.alive for p in inside))
    assert host.with_argument(word) == []
    assert host.eventually(lambda: not host.cgroups_of(sandbox.id))
    assert_unharmed(neighbour)


def test_p2_daemons_end_with_atoll_run():
    """The same in a one-off run: when the command answers, nothing of it is left."""
    word = host.marker()
    result = run_json("--", "bash", "-c", DAEMON.format(word) + "; echo done")
    assert result["stdout"] == "done\n" and result["exit_code"] == 0
    assert host.eventually(lambda: not host.with_argument(word), within=5)


def test_p2_a_kernel_takes_its_children_along(sandbox):
    """What a kernel started ends with it, also what made itself a daemon: the next kernel must not
    meet the old one's children."""
    word = host.marker()
    sandbox.python(f"""
import subprocess
for detached in (False, True):
    subprocess.Popen(["bash", "-c", "exec -a {word} sleep 300"], start_new_session=detached)
""")
    assert host.eventually(lambda: len(host.with_argument(word)) == 2)
    sandbox.ask({"op": "kernel.restart"})
    assert host.eventually(lambda: not host.with_argument(word))


# P3

WRITES_ON = "(while :; do echo x >>/work/ticks; sleep 0.02; done) & exec -a {0} sleep 300 & wait"


def test_p3_timeout_ends_background_children(sandbox):
    """A command that hides behind `wait` returns at its time limit; its children are gone, and
    write nothing any more."""
    word = host.marker()
    began = time.monotonic()
    answer = sandbox.shell(WRITES_ON.format(word), timeout_ms=500, wait=PROMPT_S)
    assert answer.end["timed_out"] and answer.end["signal"] == signal.SIGKILL
    assert time.monotonic() - began < PROMPT_S
    assert host.eventually(lambda: not host.with_argument(word))
    assert until_alone(sandbox)
    size = len(sandbox.read("/work/ticks"))
    assert size > 0  # they did write while they could
    time.sleep(0.3)
    assert len(sandbox.read("/work/ticks")) == size


def test_p3_atoll_run_returns_at_its_timeout():
    """`atoll run --timeout 50ms` says that it was the time, with the status that stands for it."""
    word = host.marker()
    began = time.monotonic()
    done = subprocess.run([ATOLL, "run", "--timeout", "50ms", "--", "bash", "-c",
                           f"exec -a {word} sleep 300 & wait"],
                          capture_output=True, timeout=PROMPT_S, stdin=subprocess.DEVNULL)
    assert time.monotonic() - began < PROMPT_S
    assert done.returncode == 124 and b"--timeout" in done.stderr
    assert host.eventually(lambda: not host.with_argument(word), within=5)
    result = run_json("--timeout", "50ms", "--", "sh", "-c", "sleep 300 & wait", timeout=PROMPT_S)
    assert result["reason"] == "timeout"


# P4

@pytest.mark.parametrize("streams", ["", "2>/dev/null", ">/dev/null"])
def test_p4_a_grandchild_that_keeps_the_pipe_open(sandbox, streams):
    """The answer waits for the program, not for whoever still holds its stdout or stderr."""
    word = host.marker()
    began = time.monotonic()
    answer = sandbox.shell(f"(exec -a {word} sleep 300) {streams} & echo done", wait=PROMPT_S)
    assert time.monotonic() - began < PROMPT_S
    assert answer.out == "done\n" and answer.end["exit_code"] == 0
    assert not answer.end["timed_out"]
    assert host.eventually(lambda: host.with_argument(word)), "the probe failed: nobody holds it"


@pytest.mark.parametrize("program", ["exit 0", "sleep 0.05", "head -c 1 >/dev/null", "exec <&-"])
def test_p4_a_program_that_leaves_its_input_unread(sandbox, program):
    """Input that nobody reads any more is dropped; the answer comes, and the sandbox goes on."""
    for _ in range(8):
        request = {"op": "process.start", "argv": ["bash", "-c", program], "stdin": True}
        answer = sandbox.ask(request, wait=PROMPT_S, data="x" * 1_500_000)
        assert answer.end["exit_code"] == 0
    assert sandbox.python("print('alive')").out == "alive\n"


def test_p4_in_a_kernel(sandbox):
    """A cell ends when its code does, whatever its children hold."""
    word = host.marker()
    answer = sandbox.python(f"""
import subprocess
subprocess.Popen(["bash", "-c", "exec -a {word} sleep 300"])
print("done")
""", wait=PROMPT_S)
    assert answer.out == "done\n" and answer.kernel["status"] == "ok"
    assert host.eventually(lambda: host.with_argument(word))


def test_p4_atoll_run_does_not_wait_for_it():
    """The command line neither waits for the grandchild nor leaves it behind."""
    word = host.marker()
    result = run_json("--", "bash", "-c", f"(exec -a {word} sleep 300) & echo done",
                      timeout=PROMPT_S)
    assert result["stdout"] == "done\n" and result["reason"] == "exited"
    assert host.eventually(lambda: not host.with_argument(word), within=5)


# P5

STUBBORN = {
    "ignores every signal it can": "trap '' TERM INT HUP QUIT; while :; do sleep 300; done",
    "stops itself": "kill -STOP $$; sleep 300",
    "stops its whole group": "sleep 300 & kill -STOP 0; wait",
    # A parent that waits in vfork is in uninterruptible sleep: state D, as on a dead NFS server.
    "sleeps uninterruptibly": """exec python -c '
import ctypes, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
libc = ctypes.CDLL(None)
if libc.vfork() == 0:
    while True: libc.pause()
'""",
}


@pytest.mark.parametrize("case", STUBBORN)
def test_p5_what_does_not_listen_is_killed(sandbox, case):
    """Asked with SIGTERM, then killed with SIGKILL, tree and all; the answer says that the time
    was up and that a signal did it."""
    began = time.monotonic()
    run = sandbox.start({"op": "process.start", "argv": ["bash", "-c", STUBBORN[case]],
                         "timeout_ms": 1000, "grace_ms": 300})
    wanted = {"sleeps uninterruptibly": "D", "stops itself": "T", "stops its whole group": "T"}
    if case in wanted:
        assert host.eventually(
            lambda: any(p.state == wanted[case] for p in host.processes_in(sandbox.pid)),
            within=0.9), "the probe itself failed: nothing hangs"
    answer = run.result(timeout=PROMPT_S)
    assert time.monotonic() - began < PROMPT_S
    assert answer["end"]["timed_out"] and answer["end"]["signal"] == signal.SIGKILL
    assert until_alone(sandbox)


def test_p5_a_kernel_that_stops_itself(sandbox):
    """A stopped kernel hears no interrupt; it is killed, and the answer says what that costs."""
    answer = sandbox.python("import os, signal; x = 1; os.kill(os.getpid(), signal.SIGSTOP)",
                            timeout_ms=500, grace_ms=500, wait=PROMPT_S)
    assert answer.end["timed_out"] and answer.end["died"] and answer.end["state_lost"]
    assert sandbox.python("print('x' in globals())").out == "False\n"


def test_p5_destroy_ends_what_is_stopped(driver):
    """A sandbox full of stopped processes is destroyed like any other."""
    sandbox = driver.create()
    word = host.marker()
    sandbox.shell(f"for i in 1 2 3; do (kill -STOP $BASHPID; exec -a {word} sleep 300) & done; "
                  "sleep 0.2")
    inside = host.processes_in(sandbox.pid)
    assert sum(p.state == "T" for p in inside) == 3
    sandbox.destroy()
    assert host.eventually(lambda: not any(p.alive for p in inside))


# P7

@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP,
                                    signal.SIGSEGV, signal.SIGCHLD, signal.SIGHUP])
def test_p7_no_signal_reaches_pid_1(sandbox, number):
    """PID 1 has every signal blocked and is another user's where Atoll is root; SIGKILL and
    SIGSTOP do not reach a namespace's init from inside."""
    sandbox.python(f"""
import os
try:
    os.kill(1, {int(number)})
except PermissionError:
    pass
""")
    assert sandbox.python("print('alive')").out == "alive\n"
    assert host.look_at(sandbox.pid).state in "SR"


def test_p7_kill_everybody(sandbox, neighbour):
    """kill(-1, SIGKILL) ends what this sandbox's user runs there and nothing else on the host."""
    before = host.look_at(neighbour.pid)
    sandbox.python("x = 1")
    # Landlock, where the kernel has its newer form, hides all but the own run (ESRCH).
    answer = sandbox.python("""
import os
try:
    os.kill(-1, 9)
except OSError:
    pass
os.kill(os.getpid(), 9)
""", wait=PROMPT_S)
    assert answer.end["died"] and answer.end["signal"] == signal.SIGKILL
    assert answer.end["state_lost"]
    assert sandbox.shell("kill -9 -1; echo still").out == "still\n"
    assert sandbox.python("print('again')").out == "again\n"
    assert before.alive
    assert_unharmed(neighbour)


def test_p7_the_end_of_pid_1_ends_its_sandbox_alone(driver, neighbour):
    """When PID 1 does die (here by the host's hand), who waits for an answer is told, every process
    of that sandbox is gone, and the neighbour has noticed nothing."""
    sandbox = driver.create()
    word = host.marker()
    waiting = sandbox.start({"op": "process.start",
                             "argv": ["bash", "-c", f"exec -a {word} sleep 300"]})
    assert host.eventually(lambda: host.with_argument(word))
    inside = host.processes_in(sandbox.pid)
    os.kill(sandbox.pid, signal.SIGKILL)
    answer = waiting.result(timeout=PROMPT_S)
    assert not answer["ok"] and answer["error"]
    assert host.eventually(lambda: not any(p.alive for p in inside))
    with pytest.raises(Refused):
        sandbox.python("1", wait=PROMPT_S)
    assert_unharmed(neighbour)
    sandbox.destroy()
    assert host.eventually(lambda: not host.cgroups_of(sandbox.id))


# P8

def test_p8_zombies_are_bounded(crowded, neighbour):
    """Children that nobody waits for hold their place in the limit on processes; when their parent
    ends, PID 1 reaps them all."""
    answer = crowded.python("""
import os
count = 0
try:
    while count < 10000:
        if os.fork() == 0:
            os._exit(0)
        count += 1
except OSError as refused:
    print(refused.errno, count)
""")
    number, count = map(int, answer.out.split())
    assert number == errno.EAGAIN and count < PROCESSES
    dead = [p for p in host.processes_in(crowded.pid) if p.state == "Z"]
    assert PROCESSES // 2 < len(dead) < PROCESSES
    assert_unharmed(neighbour)
    crowded.ask({"op": "kernel.restart"})
    assert host.eventually(
        lambda: not [p for p in host.processes_in(crowded.pid) if p.state == "Z"])


def test_p8_orphans_are_reaped(crowded):
    """Grandchildren whose parent has gone become PID 1's, which waits for them: many times the
    limit can come and go."""
    answer = crowded.run("python", "-S", "-c", f"""
import os, time
made = refused = 0
while made < {10 * PROCESSES} and refused < 2000:
    try:
        child = os.fork()
    except OSError:
        refused += 1
        time.sleep(0.01)
        continue
    if child == 0:
        try:
            os.fork()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    made += 1
print(made)
""")
    assert answer.out == f"{10 * PROCESSES}\n"
    assert until_alone(crowded)


# P9

DEATHS = {
    "os._exit": ("import os; os._exit(3)", {"exit_code": 3}),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", {"signal": signal.SIGSEGV}),
    "abort": ("import ctypes; ctypes.CDLL(None).abort()", {"signal": signal.SIGABRT}),
    "stack overflow": ("""
import sys
sys.setrecursionlimit(2**31 - 1)
class Deep:
    def __getattr__(self, name):
        return getattr(self, name)
Deep().x
""", {"signal": signal.SIGSEGV}),
    "a system call of another architecture": ("""
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
""", {"signal": signal.SIGSYS}),
}


@pytest.mark.parametrize("death", DEATHS)
def test_p9_a_dead_kernel_is_reported_and_replaced(sandbox, neighbour, death):
    """The answer says that the kernel died, how, and that its state is lost; the next run finds a
    fresh kernel, and other contexts of the sandbox are as they were."""
    code, how = DEATHS[death]
    sandbox.python("x = 1")
    sandbox.python("other = 2", context="second")
    answer = sandbox.python("print('last words')\n" + code, wait=PROMPT_S)
    assert answer.out == "last words\n"
    assert answer.end["died"] is True and answer.end["state_lost"] is True
    for key, value in how.items():
        assert answer.end[key] == value
    after = sandbox.python("print('x' in globals())", wait=PROMPT_S)
    assert after.out == "False\n" and after.kernel["status"] == "ok"
    assert sandbox.python("print(other)", context="second").out == "2\n"
    assert_unharmed(neighbour)


def test_p9_deep_recursion_is_an_error_like_any_other(sandbox):
    """With the limit that Python itself sets, endless recursion costs no state."""
    sandbox.python("x = 1")
    answer = sandbox.python("def f(): f()\nf()")
    assert answer.events_named("error")[0]["name"] == "RecursionError"
    assert sandbox.python("print(x)").out == "1\n"


# P10

def test_p10_a_timeout_that_python_hears_keeps_the_state(sandbox):
    """The interrupt comes first: a search that would take ages ends, and nothing is lost."""
    sandbox.python("x = 1")
    answer = sandbox.python("import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
                            timeout_ms=500, grace_ms=8000, wait=PROMPT_S)
    assert answer.end["timed_out"] and not answer.end.get("state_lost")
    assert sandbox.python("print(x)").out == "1\n"


DEAF = {
    "a loop in C that keeps the GIL": "sum(range(10**13))",
    "the signal blocked, asleep with the GIL": """
import ctypes, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
ctypes.PyDLL(None).sleep(300)
""",
    "the signal ignored": """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: pass
""",
}


@pytest.mark.parametrize("case", DEAF)
def test_p10_a_timeout_that_nobody_hears_costs_the_state(sandbox, neighbour, case):
    """What does not listen is killed after the grace time; this answer and the next both say that
    the state is lost, so that no caller builds on variables that are gone."""
    sandbox.python("x = 1")
    began = time.monotonic()
    answer = sandbox.python(DEAF[case], timeout_ms=500, grace_ms=500, wait=PROMPT_S)
    assert time.monotonic() - began < PROMPT_S
    assert answer.end["timed_out"] and answer.end["died"] and answer.end["state_lost"]
    assert answer.end["signal"] == signal.SIGKILL
    after = sandbox.python("print('x' in globals())", wait=PROMPT_S)
    assert after.out == "False\n"
    assert after.end["state_lost_before"] is True
    assert "state_lost_before" not in sandbox.python("1").end
    assert_unharmed(neighbour)


# P11

PEEK = SYSCALL + """
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
buffer = ctypes.create_string_buffer(8)
class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
def peek(pid, address):
    local = Iovec(ctypes.addressof(buffer), 8)
    remote = Iovec(address, 8)
    found = {
        "attach": call(101, PTRACE_ATTACH, pid, 0, 0),
        "seize": call(101, PTRACE_SEIZE, pid, 0, 0),
        "readv": call(310, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0),
        "writev": call(311, pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0),
    }
    for name in ("mem", "environ", "maps", "auxv"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                if name == "mem":
                    file.seek(address)
                found[name] = len(file.read(8))
        except OSError as refused:
            found[name] = "E:" + errno.errorcode[refused.errno]
    pidfd = call(434, pid, 0)
    found["pidfd_getfd"] = call(438, pidfd, 0, 0) if isinstance(pidfd, int) else pidfd
    return found
"""


def test_p11_the_probe_works_where_nothing_stops_it():
    """Control: the same code reads memory on the host, from its own process."""
    here = {}
    exec(PEEK, here)
    word = ctypes.create_string_buffer(b"in sight")
    found = here["peek"](os.getpid(), ctypes.addressof(word))
    assert found["readv"] == 8 and found["mem"] == 8 and found["maps"] == 8
    assert here["buffer"].raw == b"in sight"


def test_p11_pid_1_cannot_be_read_or_traced(sandbox):
    """PID 1 is not dumpable, and ptrace and its relatives are refused by the filter."""
    # In PID 1, a fork of the same zygote, this address is mapped just as it is here.
    answer = sandbox.python(PEEK + """
found = peek(1, ctypes.addressof(buffer))
for name in ("exe", "root", "cwd", "fd/0", "fd/3", "ns/mnt", "ns/user"):
    try:
        found[name] = os.readlink("/proc/1/" + name)
    except OSError as refused:
        found[name] = "E:" + errno.errorcode[refused.errno]
print(found)
""")
    found = eval(answer.out)
    refused = {"E:EPERM", "E:EACCES"}
    assert {key: value for key, value in found.items() if value not in refused} == {}


def test_p11_neighbours_zygote_and_server_do_not_exist_inside(driver, sandbox, neighbour):
    """No process of the host or of another sandbox has a number here; what has one is our own."""
    info = driver.info()
    outside = [neighbour.pid, info["zygote_pid"], info["nest_pid"], info["driver_pid"], os.getpid()]
    answer = sandbox.python(PEEK + f"""
seen = sorted(int(p) for p in os.listdir("/proc") if p.isdigit())
found = {{}}
for pid in {outside}:
    if pid not in seen:  # by chance one of ours may have the same number
        found[pid] = [call(62, pid, 0), *peek(pid, 4096).values()]
print((seen, found))
""")
    seen, found = eval(answer.out)
    assert len(seen) == len(host.processes_in(sandbox.pid))
    assert found
    for answers in found.values():
        assert set(answers) <= {"E:ESRCH", "E:ENOENT", "E:EPERM"}, answers
        assert answers[0] == "E:ESRCH"  # kill(pid, 0)
    assert_unharmed(neighbour)


# P12

TYPE_INTO_TERMINAL = SYSCALL + """
import sys
letter = ctypes.c_char(b"x")
TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD = 0x5412, 0x541c, 0x541d, 0x5423
for request in (TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD, TIOCSTI | 1 << 32, TIOCSTI | 7 << 40):
    sys.stdout.write(str(call(16, 0, request, ctypes.byref(letter))) + " ")
"""


def test_p12_nothing_types_into_a_terminal(sandbox):
    """TIOCSTI and its kind are refused by the filter, also with the upper half of the request
    filled, which the kernel ignores and a careless filter compares."""
    answer = sandbox.run("python", "-c", TYPE_INTO_TERMINAL + "print(os.isatty(0))",
                         pty={"rows": 24, "cols": 80})
    assert answer.out.split() == ["E:EPERM"] * 6 + ["True"]


def test_p12_the_terminal_inside_is_the_sandboxs_own(sandbox):
    """The terminal of a run lies in a devpts of the sandbox's own: none of the host's shows."""
    answer = sandbox.run("bash", "-c", "tty; ls -1 /dev/pts; cd /dev; ls console tty0 vcs 2>&1",
                         pty={"rows": 24, "cols": 80})
    lines = answer.out.split("\r\n")
    assert lines[0] == "/dev/pts/0" and sorted(lines[1:3]) == ["0", "ptmx"]
    assert answer.out.count("No such file") == 3


def test_p12_atoll_run_gives_its_terminal_away_to_nobody():
    """`atoll run` from a person's terminal: the program inside has no controlling terminal, so it
    can neither open it nor put keystrokes into it for the shell to read afterwards."""
    pid, master = pty.fork()
    if pid == 0:
        code = TYPE_INTO_TERMINAL + """
try:
    print(os.open("/dev/tty", os.O_RDWR))
except OSError as refused:
    print("E:" + errno.errorcode[refused.errno])
print(os.isatty(0), os.isatty(1), os.isatty(2))
"""
        os.execv(ATOLL, [str(ATOLL), "run", "-c", code])
    output = b""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 4096)
        except OSError:  # the last process that held it has gone
            break
        if not piece:
            break
        output += piece
    assert os.waitpid(pid, 0)[1] == 0, output
    os.close(master)
    words = output.decode().split()
    # The first six name why: not a terminal at all, or refused.
    assert set(words[:6]) == {"E:EPERM"}, words
    assert words[6:] == ["E:ENXIO", "False", "False", "False"]
