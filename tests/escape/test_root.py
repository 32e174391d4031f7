"""Programs of root: the ordinary user under another name, in a user namespace of their own
(docs/decisions/0018-root-is-a-name.md).

That they stand behind the same walls as everything else is what the K rows of test_kernel_walls.py
say, which run in a program of root, too. Here is what is special about them: the namespace, what
Linux counts in it, PID 1 seen from it, and the two users as each other sees them.
"""
import os
import signal
import stat
import subprocess

import pytest

from harness import host, probe
from harness.driver import Refused

PROCESSES = 48


def as_root(sandbox, body: str):
    return probe.in_root_program(sandbox, body)


def test_root_has_a_name_and_no_capability(sandbox):
    """Nothing is there at the start, nothing comes back with an exec as user 0, and nothing can be
    taken: not from the bounding set, not from what is inheritable, not by unlocking the bits."""
    text = """
import ctypes, subprocess
def caps():
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return {name: lines[name].split() for name in
            ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")}
def prctl(*words):
    return 0 if _libc.prctl(*words) >= 0 else errno.errorcode[ctypes.get_errno()]
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
everything = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)
answer = {
    "name": subprocess.run(["whoami"], capture_output=True, text=True).stdout,
    "before": caps(),
    "capset": call(CAPSET, header, everything),
    "securebits": prctl(28, 0, 0, 0, 0),
    "ambient": prctl(47, 2, 21, 0, 0),
    "after exec": subprocess.run(["grep", "-E", "^Cap(Prm|Eff|Bnd|Amb|Inh)", "/proc/self/status"],
                                 capture_output=True, text=True).stdout.split()[1::2],
    "maps": [open("/proc/self/" + name).read().split() for name in ("uid_map", "gid_map", "setgroups")],
}""".replace("CAPSET", "126" if os.uname().machine == "x86_64" else "91")
    found = as_root(sandbox, text)
    assert found["name"] == "root\n"
    before = found["before"]
    assert before["Uid"] == before["Gid"] == ["0"] * 4 and before["Groups"] == []
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(before[kind][0], 16) == 0, kind
    assert before["NoNewPrivs"] == ["1"] and before["Seccomp"] == ["2"]
    assert found["capset"] == found["securebits"] == found["ambient"] == "EPERM"
    assert {int(one, 16) for one in found["after exec"]} == {0}
    assert found["maps"] == [["0", "1000", "1"], ["0", "1000", "1"], ["deny"]]


def test_root_is_the_user_to_everybody_else(sandbox):
    """Files of either are the other's own, neither can make one of anybody else's, and the host
    sees the same owner."""
    found = as_root(sandbox, """
open("/session/of-root", "w").write("x")
os.mkdir("/root/folder")
ids = (1, 1000, 65534, 4294967294)
answer = {
    "chown": [attempt(os.chown, "/session/of-root", one, -1) for one in ids]
             + [attempt(os.chown, "/session/of-root", -1, one) for one in ids],
    "own": attempt(os.chown, "/session/of-root", 0, 0),
    "become": [in_child(lambda: os.setuid(one)) for one in ids] + [in_child(lambda: os.setgid(one)) for one in ids]
              + [in_child(lambda: os.setgroups([0])), in_child(lambda: os.setresuid(1000, 1000, 1000))],
    "shown": os.stat("/session/of-root").st_uid,
    "system": os.stat("/usr").st_uid,
    "guarded": [attempt(open, path, "w") for path in ("/etc/passwd", "/usr/bin/x", "/x", "/proc/sys/kernel/core_pattern")],
}""")
    assert set(found["chown"]) == {"EINVAL"} and found["own"] is None
    assert set(found["become"]) <= {"EINVAL", "EPERM"}, found["become"]
    assert found["shown"] == 0 and found["system"] == 65534
    assert set(found["guarded"]) <= {"EROFS", "EACCES", "EPERM"}, found["guarded"]
    said = sandbox.shell("stat -c %u:%g /session/of-root /root /root/folder; rm /session/of-root; echo y > /root/folder/y;"
                         "echo mine > /session/of-user; chmod 600 /session/of-user")
    assert said.out.split() == ["1000:1000"] * 3, said.err
    assert sandbox.shell("cat /session/of-user /root/folder/y; stat -c %u /session/of-user", user="root").out == "mine\ny\n0\n"
    owner = os.stat(f"/proc/{sandbox.pid}/root/session/of-user").st_uid
    assert owner == (sandbox.first_id + 1000 if os.geteuid() == 0 else os.geteuid())


def test_root_has_no_power_over_pid_1(sandbox):
    """What root could do anywhere else to a process whose id is 0 outside, too."""
    body = """
import resource
def prlimit():
    resource.prlimit(1, resource.RLIMIT_NOFILE, (1, 1))
for number in range(1, 65):
    if number not in (32, 33): attempt(os.kill, 1, number)
answer = {
    "limit": attempt(prlimit),
    "nice": attempt(os.setpriority, os.PRIO_PROCESS, 1, 19),
    "idle": attempt(os.sched_setscheduler, 1, os.SCHED_IDLE, os.sched_param(0)),
    "trace": call("ptrace", 16, 1, 0, 0), "seize": call("ptrace", 0x4206, 1, 0, 0),
    "memory": attempt(open, "/proc/1/mem", "rb"),
    "environment": attempt(lambda: open("/proc/1/environ", "rb").read()),
    "namespace": attempt(os.open, "/proc/1/ns/user", os.O_RDONLY),
    "score": attempt(lambda: open("/proc/1/oom_score_adj", "w").write("1000")),
    "descriptor": call("pidfd_getfd", call("pidfd_open", 1, 0), 3, 0),
    "map": [attempt(lambda: open("/proc/1/" + name, "w").write("0 0 1")) for name in ("uid_map", "gid_map")],
}"""
    found = as_root(sandbox, body)
    assert set(found.pop("map")) <= {"EACCES", "EPERM"}
    assert found.pop("descriptor") in ("EPERM", "EBADF")
    assert set(found.values()) <= {"EACCES", "EPERM"}, found
    assert os.getpriority(os.PRIO_PROCESS, sandbox.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    assert sandbox.python("print(6 * 7)").out == "42\n"


@pytest.mark.root_only
def test_root_does_not_place_pid_1(sandbox):
    """Processors are chosen for a process by who owns it. Root only: in an ordinary user's sandbox
    PID 1 has the same owner as everything else, whatever the name."""
    before = os.sched_getaffinity(sandbox.pid)
    found = as_root(sandbox, "answer = [attempt(os.sched_setaffinity, 1, [0]), attempt(os.kill, 1, 9)]")
    assert found == ["EPERM", "EPERM"] and os.sched_getaffinity(sandbox.pid) == before


def test_root_makes_no_namespaces(sandbox):
    """One namespace deep is where it ends, for root as for anybody; and the one that root is in
    leads nowhere: not to its parent, not to a second map."""
    found = as_root(sandbox, """
import fcntl
NS_GET_USERNS, NS_GET_PARENT = 0xb701, 0xb702
own = os.open("/proc/self/ns/user", os.O_RDONLY)
answer = {
    "unshare": [call("unshare", flag) for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000)],
    "clone": call("clone", 0x10000000 | 17, 0, 0, 0, 0),
    "clone3": call("clone3", 0, 0),
    "back": call("setns", own, 0x10000000),
    "parent": [attempt(fcntl.ioctl, own, one) for one in (NS_GET_USERNS, NS_GET_PARENT)],
    "chroot": call("chroot", b"/tmp"),
    "map": [attempt(lambda: open("/proc/self/" + name, "w").write("1 1001 1"))
            for name in ("uid_map", "gid_map")],
    "setgroups": attempt(lambda: open("/proc/self/setgroups", "w").write("allow")),
    "limits": attempt(lambda: open("/proc/sys/user/max_inotify_instances", "w").write("9999")),
}""")
    assert set(found["unshare"]) == {"EPERM"} and found["clone"] == "EPERM" and found["clone3"] == "ENOSYS"
    assert found["back"] == found["chroot"] == "EPERM"
    assert set(found["parent"]) <= {"EPERM"}, found["parent"]
    assert set(found["map"]) | {found["setgroups"], found["limits"]} <= {"EPERM", "EACCES", "EROFS"}, found


@pytest.mark.root_only
def test_no_bits_that_lend_in_a_shared_folder(driver, tmp_path):
    """A file that root makes in a folder of the host's is its owner's there, and can lend that
    identity to nobody. Root only: nobody else can mount into a sandbox of the pool."""
    given = tmp_path / "given"
    given.mkdir()
    made = driver.create(mounts=[{"source": str(given), "target": "/data/given", "writable": True}])
    found = as_root(made, """
path = "/data/given/made"
open(path, "w").write("x")
answer = {
    "chmod": [attempt(os.chmod, path, bits) for bits in (0o4755, 0o2755, 0o6755)],
    "open": [attempt(os.open, path + "2", os.O_CREAT | os.O_WRONLY, bits) for bits in (0o4755, 0o2755)],
    "mknod": [attempt(os.mknod, path + "3", kind | 0o644, os.makedev(1, 3)) for kind in (0o020000, 0o060000)],
    "chown": attempt(os.chown, path, 1, 1),
}""")
    made.destroy()
    assert set(found["chmod"]) == set(found["open"]) == set(found["mknod"]) == {"EPERM"}, found
    assert found["chown"] == "EINVAL"
    files = list(given.iterdir())
    assert [one.name for one in files] == ["made"]
    assert files[0].stat().st_mode & (stat.S_ISUID | stat.S_ISGID) == 0
    assert files[0].stat().st_uid == given.stat().st_uid


# What Linux counts for each user namespace

FORKS = """
import os, time
children = 0
try:
    while children < 1000:
        if os.fork() == 0:
            time.sleep(300)
            os._exit(0)
        children += 1
except OSError as refused:
    print(refused.errno, children, flush=True)
time.sleep(300)
"""


def test_processes_of_both_users_are_one_allowance(driver):
    """RLIMIT_NPROC is counted in each user namespace, and a fresh one could be a fresh allowance:
    the user fills the sandbox, and root finds no room in it; the other way round, too."""
    for first, second in (("user", "root"), ("root", "user")):
        made = driver.create(limits={"processes_max": PROCESSES})
        # The namespace is made while there is room.
        assert made.shell("id -u", user="root").out == "0\n"
        filling = made.start({"op": "process.start", "argv": ["python", "-c", FORKS], "user": first})
        most = host.eventually(lambda: len(host.processes_in(made.pid)) >= PROCESSES // 2, within=30)
        assert most
        refused = host.eventually(lambda: tries_to_fork(made, second), within=30)
        assert refused, f"{second} found room beside {first}"
        assert len(host.processes_in(made.pid)) <= PROCESSES + 1
        made.destroy()
        filling.exception(timeout=30)


def tries_to_fork(made, user: str) -> bool:
    """Whether it was refused."""
    try:
        return made.run("bash", "-c", "sleep 0.1 & wait", user=user).end["exit_code"] != 0
    except Refused as error:
        return "make a process" in str(error)


def test_many_namespaces_worth_of_inotify_are_one(driver):
    """The sandbox's own bound on inotify instances counts what both have."""
    body = """
found = 0
while _libc.inotify_init1(0) >= 0: found += 1
open("/session/held-HERE", "w").write(str(found))
answer = found
import time
while not os.path.exists("/session/enough"): time.sleep(0.05)
"""
    made = driver.create()
    held = {}
    waiting = []
    for user in ("user", "root"):
        waiting.append(made.start({"op": "process.start", "user": user,
                                   "argv": ["python", "-c", probe.text(body.replace("HERE", user))]}))
        assert host.eventually(lambda: made.shell(f"test -s /session/held-{user}").end["exit_code"] == 0, within=60)
        held[user] = int(made.read(f"/session/held-{user}"))
    made.shell("touch /session/enough")
    for one in waiting:
        one.result(timeout=60)
    made.destroy()
    assert 0 < held["user"] <= 16 and held["user"] + held["root"] <= 16, held


def test_all_programs_of_root_share_one_namespace(sandbox):
    """So that a loop that starts them does not use up what the machine has of namespaces."""
    names = {sandbox.shell("readlink /proc/self/ns/user", user="root").out for _ in range(5)}
    assert len(names) == 1 and names != {sandbox.shell("readlink /proc/self/ns/user").out}


# Between the two, and the owner

def test_signals_go_between_the_two_as_within_one(sandbox):
    """Programs of one sandbox may signal each other where Landlock has no scope of signals (Linux
    before 6.12), and may not where it has; a name makes no difference."""
    sleepers = {user: sandbox.start({"op": "process.start", "user": user,
                                     "argv": ["bash", "-c", "echo $$ > /session/pid-$0; exec sleep 300", user]})
                for user in ("user", "root")}
    outcomes = {}
    for mine in sleepers:
        assert host.eventually(lambda: sandbox.shell(f"test -s /session/pid-{mine}").end["exit_code"] == 0)
        for yours in sleepers:
            outcomes[yours, mine] = sandbox.shell(f"kill -WINCH $(cat /session/pid-{mine})", user=yours).end["exit_code"]
    assert len(set(outcomes.values())) == 1, outcomes


def test_pid_1_ends_programs_of_root(sandbox):
    for controls in ([{"after_ms": 500, "do": "signal", "signal": 15}], [{"after_ms": 500, "do": "cancel"}]):
        ended = sandbox.ask({"op": "process.start", "argv": ["bash", "-c", "setsid sleep 300 & sleep 301"], "user": "root"},
                            controls=controls)
        assert ended.end["signal"] in (signal.SIGTERM, signal.SIGKILL)
    # The second one took along what had left the group.
    assert host.eventually(lambda: sandbox.shell("pgrep -cx sleep").out.strip() == "1")


def test_a_terminal_and_a_timeout(sandbox):
    answer = sandbox.run("bash", "-c", "tty; stty size; id -u; echo x > $(tty)", user="root", pty={"rows": 30, "cols": 90})
    assert answer.out.split() == ["/dev/pts/0", "30", "90", "0", "x"]
    answer = sandbox.run("sleep", "300", user="root", timeout_ms=300)
    assert answer.end["timed_out"]


@pytest.mark.root_only
def test_root_stands_still_with_its_sandbox(driver):
    """A frozen sandbox does nothing under either name. Root only: an ordinary user here has no
    cgroup to freeze."""
    made = driver.create()
    program = made.start({"op": "process.start", "user": "root",
                          "argv": ["bash", "-c", "while :; do echo . >> /session/ticks; sleep 0.02; done"]})
    ticks = f"/proc/{made.pid}/root/session/ticks"
    assert host.eventually(lambda: os.path.exists(ticks) and os.path.getsize(ticks) > 4)
    made.freeze()
    size = os.path.getsize(ticks)
    assert not host.eventually(lambda: os.path.getsize(ticks) > size, within=0.5)
    made.freeze(False)
    assert host.eventually(lambda: os.path.getsize(ticks) > size)
    made.destroy()
    program.exception(timeout=30)


def test_who_disturbs_the_making_gets_no_more(driver):
    """The process that makes the namespace is the user's own, and programs of the user may end it
    or write its maps first. Then root is refused, or comes with no more than ever."""
    made = driver.create()
    disturbing = made.start({"op": "process.start", "argv": ["python", "-c", """
import os, signal, time
until = time.monotonic() + 20
own = {os.getpid(), 1}
while time.monotonic() < until and not os.path.exists("/session/enough"):
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in own: continue
        try:
            if b"wait" not in open(f"/proc/{name}/cmdline", "rb").read(): continue
            open("/session/seen", "a").write(name + "\\n")
            for what, text in (("uid_map", "0 1000 1"), ("setgroups", "deny"), ("gid_map", "7 1000 1")):
                try: open(f"/proc/{name}/{what}", "w").write(text)
                except OSError as error: open("/session/seen", "a").write(f"{what} {error}\\n")
            os.kill(int(name), signal.SIGSTOP)
            os.kill(int(name), signal.SIGKILL)
        except OSError: pass
"""]})
    outcomes = set()
    for _ in range(10):
        try:
            answer = made.shell("id -u; cat /proc/self/uid_map /proc/self/gid_map; grep CapBnd /proc/self/status", user="root")
            assert answer.out.split() == ["0", "0", "1000", "1", "0", "1000", "1", "CapBnd:", "0" * 16]
            outcomes.add("root")
            break  # made once, it is there to stay
        except Refused as error:
            assert "cannot run as root here" in str(error), error
            outcomes.add("refused")
    made.shell("touch /session/enough")
    disturbing.result(timeout=60)
    assert made.python("print(1)").out == "1\n" and outcomes
    made.destroy()


@pytest.mark.root_only
def test_where_no_namespace_can_be_made_it_says_so(driver):
    """A machine may have none left, or refuse them: then root is refused with a sentence, and the
    ordinary user goes on. Root only: nobody else can take them away from a sandbox."""
    made = driver.create()
    subprocess.run(["nsenter", "--user", f"--target={made.pid}", "sh", "-c",
                    "echo 0 > /proc/sys/user/max_user_namespaces"], check=True)
    with pytest.raises(Refused, match="cannot run as root here: make a user namespace for root: .*ordinary user"):
        made.shell("id -u", user="root")
    assert made.shell("id -u").out == "1000\n"
    made.destroy()


def test_an_unknown_user_is_no_user(sandbox):
    for name in ("nobody", "0", "Root", "root "):
        with pytest.raises(Refused, match="must be user or root"):
            sandbox.run("true", user=name)
