"""Rows R1–R6 and R9: a sandbox that eats memory, disk, inodes, descriptors or patience.

With root, memory and processes are held by a cgroup; an ordinary user on a host that delegates none
is held by rlimits, by the guest's own watch over the processes' memory, and by the quota of the
tmpfs that holds all files. Either way the walls must stand and the caller must be told.
"""
import concurrent.futures
import contextlib
import errno
import os
import subprocess
import time

import pytest

from harness import host
from harness.cli import ATOLL, run_json
from harness.driver import Refused

MIB = 1 << 20
MEMORY = 256 * MIB
DISK = 64 * MIB
PROMPT_S = 30


@pytest.fixture
def make(driver):
    """Sandboxes with limits of the test's own choice."""
    made = []

    def create(**limits):
        made.append(driver.create(limits=limits))
        return made[-1]
    yield create
    for sandbox in made:
        with contextlib.suppress(Refused):  # the test has done it already
            sandbox.destroy()


def assert_unharmed(sandbox):
    assert sandbox.python("print(kept + 1)", wait=PROMPT_S).out == "42\n"


def memory_kills(sandbox) -> int:
    """Counted by the cgroup, or by the guest where there is none."""
    return sandbox.usage()["memory_kills"] + sandbox.ask({"op": "stats"}).end["memory_kills"]


# R1

EAT = """
blocks = []
while len(blocks) < 4096:
    blocks.append(b"x" * (1 << 20))
    if len(blocks) % 16 == 0:
        print(len(blocks), flush=True)
"""


def eaten_mib(output: str) -> int:
    return int(output.split()[-1]) if output.split() else 0


def test_r1_a_kernel_that_eats_memory(make, neighbour):
    """Allocates far more than it may: the kernel dies alone, or its allocation fails; PID 1 and the
    neighbour live on, and the next run finds a fresh kernel."""
    sandbox = make(memory_bytes_max=MEMORY)
    answer = sandbox.python(EAT, wait=PROMPT_S)
    assert 100 < eaten_mib(answer.out) <= MEMORY // MIB
    if answer.end.get("died"):
        assert answer.end["signal"] == 9 and answer.end["state_lost"]
        assert memory_kills(sandbox) > 0
    else:  # no cgroup: the rlimit may say no before the watch has looked
        assert answer.events_named("error")[0]["name"] == "MemoryError"
    sandbox.python("blocks = None")
    assert sandbox.python("print('fresh')").out == "fresh\n"
    assert_unharmed(neighbour)


def test_r1_many_processes_that_eat_together(make, neighbour):
    """Each stays below the limit, all together do not: the sum counts."""
    sandbox = make(memory_bytes_max=MEMORY)
    part = MEMORY // 4
    answer = sandbox.shell(f"""
for i in 1 2 3 4 5 6 7 8; do
    python -S -c "
import time
block = b'x' * {part}
print('holds', flush=True)
time.sleep(3)
print('kept', flush=True)" &
done
wait""", wait=PROMPT_S)
    assert answer.out.count("holds") >= 2  # one part alone is nothing to forbid
    assert answer.out.count("kept") <= 4
    assert memory_kills(sandbox) > 0
    assert_unharmed(neighbour)


def test_r1_a_kernel_that_starts_is_not_taken_for_an_eater(make):
    """What a kernel shares with its zygote is more than this sandbox may have. Nobody can look into
    a kernel until its walls stand, and whoever guesses then must not kill it."""
    for _ in range(10):
        sandbox = make(memory_bytes_max=MEMORY)
        sandbox.shell("sleep 0.2")  # while something runs, the watch looks most often
        assert memory_kills(sandbox) == 0
        sandbox.destroy()


def test_r1_eating_after_the_answer(make, neighbour):
    """A daemon that waits until its command has been answered is held by the same limit."""
    sandbox = make(memory_bytes_max=MEMORY)
    marker = host.marker()
    sandbox.shell(f"""
for i in 1 2 3 4; do
    setsid -f python -S -c "
import time
time.sleep(1)
block = b'x' * {MEMORY // 2}
time.sleep(600)" {marker} </dev/null >/dev/null 2>&1
done""")

    def eaters() -> list:
        # The kernel is not among them: most of its memory is the zygote's.
        return [p for p in host.with_argument(marker) if p.name.startswith("python")]

    def held() -> int:
        total = 0
        for process in eaters():
            with contextlib.suppress(OSError):  # it has ended since
                total += host.memory_of(process.pid, "RssAnon")
        return total
    # Four of them want twice what there is, so two at the least must go.
    assert host.eventually(lambda: memory_kills(sandbox) >= 2, within=PROMPT_S)
    assert host.eventually(lambda: len(eaters()) <= 2, within=PROMPT_S)
    assert host.eventually(lambda: held() <= MEMORY + 64 * MIB, within=PROMPT_S)
    assert sandbox.python("print('usable')", wait=PROMPT_S).out == "usable\n"
    assert_unharmed(neighbour)


def test_r1_atoll_run_says_that_it_was_the_memory():
    """The reason of a run that was ended for its memory is `memory`; where the allocation itself
    fails, the program says so."""
    result = run_json("--memory", "128m", "-c", EAT)
    assert result["exit_code"] != 0
    assert result["reason"] == "memory" or "MemoryError" in result["stderr"]
    assert eaten_mib(result["stdout"]) <= 128
    if os.geteuid() == 0:
        assert result["reason"] == "memory" and result["signal"] == 9


# R2: where memory can hide. Each kind takes COUNT MiB and says how far it came.

HIDE = {
    "/dev/shm": "f = open('/dev/shm/x', 'wb')\ndef take(): f.write(MIB); f.flush()",
    "/tmp": "f = open('/tmp/x', 'wb')\ndef take(): f.write(MIB); f.flush()",
    "memfd": "f = os.memfd_create('x')\ndef take(): os.write(f, MIB)",
    "shared mapping": """
maps = []
def take():
    maps.append(mmap.mmap(-1, 1 << 20))
    maps[-1].write(MIB)
""",
    # A page that two processes have mapped is private to neither.
    "shared mapping of two": """
whole = mmap.mmap(-1, COUNT << 20)
wake, go = os.pipe()
if os.fork() == 0:
    while True:
        at = int.from_bytes(os.read(wake, 4), 'little')
        whole[at << 20:(at + 1) << 20]
def take():
    whole[taken << 20:(taken + 1) << 20] = MIB
    os.write(go, taken.to_bytes(4, 'little'))
    time.sleep(0.002)
""",
    "shared mapping, let go but kept": """
maps = []
def take():
    maps.append(mmap.mmap(-1, 1 << 20))
    maps[-1].write(MIB)
    maps[-1].madvise(mmap.MADV_DONTNEED)
""",
    "System V segments": """
libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
libc.shmat.restype = ctypes.c_void_p
libc.shmdt.argtypes = [ctypes.c_void_p]
def take():
    segment = libc.shmget(0, 1 << 20, 0o1600)
    if segment < 0: raise OSError(ctypes.get_errno(), 'shmget')
    at = libc.shmat(segment, None, 0)
    ctypes.memset(at, 1, 1 << 20)
    libc.shmdt(at)
""",
    "pipes": """
pipes = []
def take():
    while True:
        if not pipes or pipes[-1][1] >= (1 << 20):
            r, w = os.pipe()
            try:
                fcntl.fcntl(w, 1031, 1 << 20)  # F_SETPIPE_SZ
            except PermissionError:
                pass
            os.set_blocking(w, False)
            pipes.append([w, 0, r])
        try:
            n = os.write(pipes[-1][0], MIB[:(1 << 20) - pipes[-1][1]])
        except BlockingIOError:
            pipes[-1][1] = 1 << 20
            if len(pipes) > 400: raise OSError(24, 'enough pipes')
            continue
        pipes[-1][1] += n
        return
""",
    "sockets": """
pairs = []
def take():
    a, b = socket.socketpair()
    a.setblocking(False)
    a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    pairs.append((a, b))
    left = 1 << 20
    while left > 0:
        try: left -= a.send(MIB[:left])
        except BlockingIOError: break
""",
}
COUNT = 2 * MEMORY // MIB


def hide(kind: str, count: int) -> str:
    return f"""
import ctypes, fcntl, mmap, os, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
MIB = b"x" * (1 << 20)
COUNT, taken = {count}, 0
{HIDE[kind]}
try:
    while taken < COUNT:
        take()
        taken += 1
        if taken % 16 == 0:
            print(taken, flush=True)
except OSError as refused:
    print("E:", refused.errno, taken, flush=True)
else:
    print("all", taken, flush=True)
time.sleep(0.5)
"""


def test_r2_memory_hidden_after_the_answer(make, neighbour):
    """A memory file that nobody has mapped counts as well, also where nothing runs that was asked for."""
    sandbox = make(memory_bytes_max=MEMORY)
    code = ("import os, time; open('/tmp/pid', 'w').write(str(os.getpid())); time.sleep(1)\n"
            + hide("memfd", COUNT) + "\ntime.sleep(60)")
    sandbox.write("/tmp/left.py", code.encode())
    sandbox.shell("setsid -f python -S /tmp/left.py </dev/null >/dev/null 2>&1")
    assert host.eventually(lambda: memory_kills(sandbox) > 0, within=PROMPT_S)
    assert host.eventually(lambda: sandbox.shell("kill -0 $(cat /tmp/pid) || echo gone").out == "gone\n")  # and reaped
    assert_unharmed(neighbour)


WITHOUT_FIRST_THREAD = """
import ctypes, os, threading, time
def hold():
    kept = bytearray({bytes})
    kept[::4096] = b"x" * len(kept[::4096])
    time.sleep(60)
threading.Thread(target=hold).start()
ctypes.CDLL(None).syscall(ctypes.c_long({exit}), 0)  # of this thread alone
"""


def test_r2_memory_of_processes_without_their_first_thread(make, neighbour):
    """/proc shows such a process as a zombie that has no memory and no files: its other threads have
    them, and together they cannot have more than the sandbox may."""
    sandbox = make(memory_bytes_max=MEMORY)
    exit_call = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    code = WITHOUT_FIRST_THREAD.format(bytes=MEMORY // 2, exit=exit_call)
    sandbox.write("/tmp/hold.py", code.encode())
    sandbox.shell("for i in 1 2 3 4; do setsid -f python -S /tmp/hold.py </dev/null >/dev/null 2>&1; "
                  "done")
    assert host.eventually(lambda: memory_kills(sandbox) > 0, within=PROMPT_S)
    assert_unharmed(neighbour)


@pytest.mark.root_only
@pytest.mark.parametrize("kind", sorted(set(HIDE) - {"sockets", "pipes", "shared mapping of two"}))
def test_r2_hidden_memory_is_charged(make, kind):
    """Root only, since it reads the cgroup: 64 MiB in each place show in the sandbox's account."""
    sandbox = make(memory_bytes_max=MEMORY)
    run = sandbox.start({"op": "process.start",
                         "argv": ["python", "-S", "-c", hide(kind, 64) + "\ntime.sleep(60)"]})
    assert host.eventually(lambda: sandbox.usage()["memory_bytes"] > 60 * MIB, within=10)
    assert not run.done()
    sandbox.destroy()
    assert host.eventually(lambda: not host.cgroups_of(sandbox.id))


# What stays when the process that took it has been killed: then there is no room left for PID 1
# either, and the sandbox as a whole ends.
STAYS = {"/dev/shm", "/tmp", "System V segments"}


# Where no cgroup counts, nothing that an ordinary user can read tells of these pages: the threat model
# names them.
COUNTED_BY_CGROUPS_ONLY = {"System V segments", "shared mapping, let go but kept"}


@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=[pytest.mark.root_only] if kind in COUNTED_BY_CGROUPS_ONLY else [])
    for kind in sorted(HIDE)])
def test_r2_hidden_memory_has_an_end(make, neighbour, kind):
    """Twice the memory limit cannot be taken anywhere: the process is killed, or told that there is
    no more. PID 1 lives to say so, unless the memory outlives the process."""
    # A quota on files below the limit on memory, as in the defaults. With a higher one the files'
    # pages meet the limit on memory where a cgroup counts them; else the quota alone holds them.
    for disk in (MEMORY // 2, 4 * MEMORY) if os.geteuid() == 0 else (MEMORY // 2,):
        sandbox = make(memory_bytes_max=MEMORY, disk_bytes_max=disk, file_bytes_max=4 * MEMORY)
        # Files that stay leave little room: a kernel that has to start in it may not find enough.
        sandbox.python("print('here')")
        try:
            answer = sandbox.run("python", "-S", "-c", hide(kind, COUNT), wait=PROMPT_S)
        except Refused as ended:
            assert "has ended" in str(ended) and sandbox.usage()["memory_kills"] > 0
            assert kind in STAYS and (disk > MEMORY or kind == "System V segments")
        else:
            assert "all" not in answer.out, f"took {COUNT} MiB of {kind}, may {MEMORY // MIB}"
            assert "E:" in answer.out or answer.end["signal"] == 9
            if kind in STAYS and disk > MEMORY:
                # The files fill the memory still. PID 1 can take them away, and all is well again.
                sandbox.ask({"op": "file.remove", "path": f"{kind}/x"}, wait=PROMPT_S)
            if kind != "System V segments":
                # Some kinds are given back a moment after their process has ended.
                assert host.eventually(lambda: sandbox.python("print('usable')", wait=PROMPT_S).out == "usable\n", 30)
        assert_unharmed(neighbour)
        sandbox.destroy()
        if not kind.startswith("/"):
            break  # files alone meet the quota


# R3

FILL = """
import os
try:
    with open("{0}/beans", "wb", buffering=0) as file:
        while file.tell() < 200 << 20:
            if file.write(b"beans " * 10000) < 60000:
                pass
    print("all")
except OSError as refused:
    print(refused.errno, os.stat("{0}/beans").st_blocks * 512)
"""


@pytest.mark.parametrize("folder", ["/session", "/work", "/data", "/tmp", "/var/tmp", "/dev/shm",
                                    "/home/user", "/run"])
def test_r3_disk_fill_stops_at_the_quota(make, neighbour, folder):
    """One quota covers every folder that can be written; beyond it is ENOSPC, for this sandbox."""
    sandbox = make(disk_bytes_max=DISK)
    number, size = map(int, sandbox.run("python", "-S", "-c", FILL.format(folder)).out.split())
    assert number == errno.ENOSPC
    assert DISK - 2 * MIB < size <= DISK
    for other in ("/session", "/tmp", "/dev/shm"):
        assert sandbox.shell(f"head -c 1000000 /dev/zero >{other}/more").end["exit_code"] != 0
    assert neighbour.shell("head -c 1000000 /dev/zero >/tmp/more").end["exit_code"] == 0
    assert_unharmed(neighbour)


def test_r3_fallocate_sparse_and_punch(make):
    """Space that is reserved counts; a hole does not, until it is filled; a punched hole gives its
    space back."""
    sandbox = make(disk_bytes_max=DISK)
    answer = sandbox.run("python", "-S", "-c", f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def fallocate(fd, mode, offset, length):
    done = libc.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(length))
    return "ok" if done == 0 else ctypes.get_errno()
fd = os.open("/work/x", os.O_RDWR | os.O_CREAT)
print(fallocate(fd, 0, 0, {4 * DISK}))
print(fallocate(fd, 0, 0, {DISK // 2}), os.fstat(fd).st_blocks * 512)
sparse = os.open("/work/sparse", os.O_RDWR | os.O_CREAT)
os.ftruncate(sparse, {8 * DISK})
print(os.fstat(sparse).st_blocks)
try:
    for at in range(0, {8 * DISK}, 1 << 20):
        os.pwrite(sparse, b"x" * (1 << 20), at)
    print("all")
except OSError as refused:
    print(refused.errno)
os.unlink("/work/sparse")
os.close(sparse)
print(fallocate(fd, 3, 0, {DISK // 2}), os.fstat(fd).st_blocks)  # punch a hole, keep the size
print(fallocate(fd, 0, 0, {DISK // 2}))
""")
    nospace = str(errno.ENOSPC)
    assert answer.out.splitlines() == [nospace, f"ok {DISK // 2}", "0", nospace, "ok 0", "ok"]


def test_r3_others_can_start_while_one_is_full(driver, make):
    """A full sandbox takes nothing from the next one; its own files can still be removed."""
    sandbox = make(disk_bytes_max=DISK)
    sandbox.run("python", "-S", "-c", FILL.format("/session"))
    other = driver.create()
    assert other.python("open('/session/x', 'w').write('1'); print(1)").out == "1\n"
    other.destroy()
    assert sandbox.python("print(1)").out == "1\n"
    sandbox.ask({"op": "file.remove", "path": "/session/beans"})
    assert sandbox.shell("echo 1 >/session/x").end["exit_code"] == 0


def test_r3_a_single_file_has_its_own_limit(make):
    """RLIMIT_FSIZE: one file beyond it ends in EFBIG or SIGXFSZ, with space to spare."""
    sandbox = make(file_bytes_max=8 * MIB, disk_bytes_max=DISK)
    assert sandbox.shell("head -c 16M /dev/zero >/tmp/x").end["exit_code"] != 0
    assert len(sandbox.read("/tmp/x")) == 8 * MIB


def test_r3_atoll_run_says_that_it_was_the_disk():
    """The command line names the disk as the reason."""
    result = run_json("--disk", "16m", "--", "bash", "-c", "head -c 64M /dev/zero >/tmp/x")
    assert result["reason"] == "disk" and result["exit_code"] != 0
    assert "No space left" in result["stderr"]
    result = run_json("--file-size", "4m", "--", "bash", "-c", "exec head -c 8M /dev/zero >/tmp/x")
    assert result["reason"] == "disk"


# R4

def test_r4_empty_files_stop_at_the_quota(make, neighbour):
    """A million empty files: the tmpfs has a limit on inodes as well, and none of the host's."""
    before = os.statvfs("/").f_ffree
    sandbox = make(disk_files_max=3000)
    answer = sandbox.run("python", "-S", "-c", """
import os
made = 0
try:
    while made < 1000000:
        os.close(os.open(f"/tmp/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as refused:
    print(refused.errno, made)
""")
    number, made = map(int, answer.out.split())
    assert number == errno.ENOSPC and 2500 < made <= 3000
    for attempt in ("mkdir /session/d", "ln -s x /work/l", "mkfifo /dev/shm/f"):
        assert sandbox.shell(attempt).end["exit_code"] != 0
    assert before - os.statvfs("/").f_ffree < 1000
    assert neighbour.shell("for i in $(seq 100); do : >/tmp/$i; done").end["exit_code"] == 0
    listed = sandbox.ask({"op": "file.list", "path": "/tmp"})
    assert listed.end["count"] == made
    assert sandbox.python("print(1)").out == "1\n"


# R5

def test_r5_descriptors_end_at_the_limit(make):
    """EMFILE at the limit, which a program cannot raise."""
    sandbox = make(open_files_max=256)
    answer = sandbox.run("python", "-S", "-c", """
import os, resource
for limit in ((1024, 1024), (256, 1024)):
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        print("raised")
    except (ValueError, PermissionError):
        print("refused")
fds = []
try:
    while True:
        fds.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(error.errno, fds[-1])
""")
    assert answer.out.split() == ["refused", "refused", str(errno.EMFILE), "255"]


EXHAUST = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
taken = 0
def failed(what):
    print(what, errno.errorcode[ctypes.get_errno()], taken, flush=True)
"""

INOTIFY = EXHAUST + """
while taken < 5000:
    if libc.inotify_init1(0) < 0:
        failed("inotify")
        break
    taken += 1
"""


def test_r5_inotify_of_one_is_not_missing_to_another(make, neighbour):
    """Instances of inotify are counted for each user of the host; a sandbox that takes all it gets
    leaves some for its neighbour and for the host's own user."""
    sandbox = make(open_files_max=1024)
    answer = sandbox.python(INOTIFY + "print(taken)")
    assert "EMFILE" in answer.out
    assert neighbour.python(INOTIFY.replace("5000", "8") + "print(taken)").out == "8\n"
    libc = __import__("ctypes").CDLL(None)
    mine = [libc.inotify_init1(0) for _ in range(8)]
    for fd in mine:
        if fd >= 0:
            os.close(fd)
    assert min(mine) >= 0
    # The guest's own watch still works at the neighbour's; in the greedy sandbox too where PID 1 is
    # another user than the program.
    for watched in (sandbox, neighbour) if os.geteuid() == 0 else (neighbour,):
        seen = watched.ask({"op": "file.watch", "path": "/session"},
                           controls=[{"do": "cancel", "after_ms": 50}])
        assert seen["ok"]


def test_r5_timers_are_limited(make):
    """Each POSIX timer holds a queued signal, of which there is a limit."""
    answer = make().run("python", "-S", "-c", EXHAUST + """
timer = ctypes.c_void_p()
while taken < 100000:
    if libc.timer_create(1, None, ctypes.byref(timer)) != 0:
        failed("timer")
        break
    taken += 1
""")
    what, name, taken = answer.out.split()
    assert name == "EAGAIN" and int(taken) <= 4096


def test_r5_epoll_is_bound_by_descriptors(make):
    """Watches of epoll need descriptors, so the limit on these holds them too."""
    answer = make(open_files_max=200).run("python", "-S", "-c", """
import os, select
polls = []
try:
    while True:
        polls.append(select.epoll())
except OSError as error:
    print(error.errno, len(polls))
""")
    number, count = map(int, answer.out.split())
    assert number == errno.EMFILE and count < 200


def test_r5_message_queues_are_limited(make):
    """POSIX message queues: RLIMIT_MSGQUEUE holds the bytes."""
    answer = make().run("python", "-S", "-c", EXHAUST + """
class Attr(ctypes.Structure):
    _fields_ = [(n, ctypes.c_long) for n in ("flags", "most", "size", "now", "a", "b", "c", "d")]
while taken < 10000:
    attr = Attr(0, 10, 8192, 0)
    # mq_open(name, O_CREAT | O_RDWR, 0600, attr)
    fd = libc.syscall(240, b"q%d" % taken, 0o102, 0o600, ctypes.byref(attr))
    if fd < 0:
        failed("queue")
        break
    taken += 1
""")
    what, name, taken = answer.out.split()
    # EACCES: Landlock, where the kernel has it, allows no queue at all.
    assert name in ("EMFILE", "ENOSPC", "EACCES") and int(taken) < 64


def test_r5_system_v_objects_stay_inside(make, neighbour):
    """Segments, semaphores and queues live in the sandbox's own IPC namespace: the host's tables do
    not grow, and the neighbour has all of its own."""
    tables = ("shm", "sem", "msg")

    def count():
        return [len(open(f"/proc/sysvipc/{name}").readlines()) for name in tables]
    before = count()
    code = EXHAUST + """
for what, make in (("shm", lambda: libc.shmget(0, 4096, 0o1600)),
                   ("sem", lambda: libc.semget(0, 1, 0o1600)),
                   ("msg", lambda: libc.msgget(0, 0o1600))):
    for taken in range(LIMIT):
        if make() < 0:
            failed(what)
            break
    else:
        print(what, "made", LIMIT)
"""
    sandbox = make()
    greedy = sandbox.run("python", "-S", "-c", code.replace("LIMIT", "100000")).out.splitlines()
    assert [line.split()[1] for line in greedy] == ["ENOSPC"] * 3, greedy
    modest = neighbour.run("python", "-S", "-c", code.replace("LIMIT", "100")).out.splitlines()
    assert [line.split()[1] for line in modest] == ["made"] * 3, modest
    assert count() == before


# R6

FLOODS = {
    "short lines": ["yes"],
    "one endless line": ["bash", "-c", "tr '\\0' x </dev/zero"],
    "binary": ["cat", "/dev/urandom"],
    "stderr": ["bash", "-c", "yes >&2"],
    "python": ["python", "-c", "while True: print('spam' * 100)"],
}


@pytest.mark.parametrize("flood", FLOODS)
def test_r6_output_is_cut_at_its_limit(flood):
    """An endless writer is stopped at the limit on output; the result says that it was cut, and why
    the program ended."""
    result = run_json("--output", "1m", "--timeout", "60s", "--", *FLOODS[flood], timeout=90)
    assert result["reason"] == "output" and result["output_truncated"] is True
    written = result["stdout"] + result["stderr"]
    assert 0 < len(written) <= MIB  # characters: what is no UTF-8 became one each
    if flood != "binary":
        assert len(written) == MIB


def test_r6_a_flood_leaves_the_host_flat(driver, make, neighbour):
    """Half a second's worth of output at full speed passes through the server: its memory and that
    of PID 1 stay flat, and the neighbour is served meanwhile."""
    sandbox = make()
    sandbox.shell("head -c 8M /dev/zero", timeout_ms=10000)
    before = host.memory_of(driver.process.pid), host.memory_of(sandbox.pid)
    flood = sandbox.start({"op": "process.start", "argv": ["cat", "/dev/zero"],
                           "timeout_ms": 2000}, discard=True)
    most = before
    while not flood.done():
        assert_unharmed(neighbour)
        most = tuple(map(max, most, (host.memory_of(driver.process.pid),
                                     host.memory_of(sandbox.pid))))
    answer = flood.result()
    assert answer["end"]["timed_out"] and answer["bytes"] > 100 * MIB
    assert most[0] - before[0] < 32 * MIB and most[1] - before[1] < 32 * MIB


def test_r6_a_kernel_that_floods(driver, make, neighbour):
    """The same from a cell, which is interrupted at its time limit and keeps its state."""
    sandbox = make()
    sandbox.python("x = 1")
    before = host.memory_of(driver.process.pid)
    answer = sandbox.python("while True: print('spam' * 4000)", timeout_ms=1500, grace_ms=8000,
                            discard=True, wait=PROMPT_S)
    assert answer.end["timed_out"] and answer["bytes"] > MIB
    assert host.memory_of(driver.process.pid) - before < 32 * MIB
    assert sandbox.python("print(x)").out == "1\n"
    assert_unharmed(neighbour)


def test_r6_a_slow_reader_slows_the_writer():
    """Who reads slowly gets everything, slowly: the writer inside waits, and neither `atoll` nor
    PID 1 holds more than a few frames for it."""
    run = subprocess.Popen([ATOLL, "run", "--output", "4g", "--", "cat", "/dev/zero"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    try:
        assert len(run.stdout.read(4 * MIB)) == 4 * MIB
        time.sleep(0.5)
        inside = [p.pid for p in host.processes_in(run.pid)]
        before = [host.memory_of(pid) for pid in inside]
        for _ in range(8):
            run.stdout.read(64 * 1024)
            time.sleep(0.1)
        after = [host.memory_of(pid) for pid in inside]
        assert sum(after) - sum(before) < 16 * MIB
        # Nobody spins meanwhile: the writer sleeps in write().
        writer = [p for p in host.processes_in(run.pid) if p.name == "cat"]
        assert writer and writer[0].state == "S"
    finally:
        run.stdout.close()
        # With nobody left to read, the run ends by itself.
        try:
            run.wait(timeout=PROMPT_S)
        finally:
            run.kill()
    assert host.eventually(lambda: not any(host.look_at(pid) for pid in inside), within=5)


# R9

def test_r9_a_hundred_come_and_go(driver):
    """A hundred sandboxes, ten at a time: each sees its own files and state alone, and afterwards
    the host has no process, mount, cgroup, descriptor or memory more than before."""
    def one(number: int) -> str:
        sandbox = driver.create()
        token = f"token-{number}"
        answer = sandbox.python(f"""
import os
seen = [name for folder in ("/tmp", "/dev/shm", "/session", "/work", "/run", "/var/tmp")
        for name in os.listdir(folder) if name.startswith("token-")]
seen += [name for name in globals() if name.startswith("token_")]
token_{number} = "{token}"
for folder in ("/tmp", "/dev/shm", "/session"):
    open(folder + "/{token}", "w").write("{token}")
print("{token}", seen)
""")
        shell = sandbox.shell(f"setsid -f sleep 300 >/dev/null 2>&1; cat /tmp/{token}; ls /tmp")
        sandbox.destroy()
        assert answer.out == f"{token} []\n"
        assert shell.out.count("token-") == 2 and shell.out.count(token) == 2
        return sandbox.id

    def state() -> dict:
        pid, nest = driver.process.pid, driver.info()["nest_pid"]
        return {"processes": len(host.processes_in(pid)), "descriptors": host.descriptors_of(pid),
                "mounts": host.mounts_of(pid), "nest mounts": host.mounts_of(nest),
                "nest descriptors": host.descriptors_of(nest)}

    with concurrent.futures.ThreadPoolExecutor(10) as threads:
        list(threads.map(one, range(1000, 1020)))  # caches and pools reach their size
        time.sleep(1)
        before, memory = state(), host.memory_of(driver.process.pid)
        ids = list(threads.map(one, range(100)))
    assert len(set(ids)) == 100
    assert host.eventually(lambda: state() == before, within=15), (before, state())
    assert [path for made in ids for path in host.cgroups_of(made)] == []
    assert host.memory_of(driver.process.pid) - memory < 8 * MIB


def test_r9_atoll_run_in_parallel():
    """The command line, eight at once: no output goes to another, nothing stays behind."""
    def one(number: int) -> str:
        return run_json("--", "bash", "-c", f"echo {number} >/tmp/x; sleep 0.1; cat /tmp/*; "
                                            "setsid -f sleep 98765 >/dev/null 2>&1")["stdout"]
    mounts = host.mounts_of("self")
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        assert list(threads.map(one, range(24))) == [f"{n}\n" for n in range(24)]
    assert host.mounts_of("self") == mounts
    assert host.eventually(lambda: not host.with_argument("98765"), within=5)
