"""Rows K1–K19 of the threat model: what the Linux kernel would do for an attacker who asks it.

Each test asks from inside, by the four ways in which untrusted code starts (`inside`), and checks
from outside that nothing came of it. Errors are asserted by name: EPERM is the system call filter
or a missing capability, ENOSYS a call that does not exist inside, EROFS a read-only mount.
"""
import json
import os
import platform
import re
import subprocess
import time
from pathlib import Path

import pytest

from harness import probe
from harness.cli import atoll, run_json
from harness.driver import ROOT, Refused

NOBODY = 65534
X86_64 = platform.machine() == "x86_64"


@pytest.fixture(params=list(probe.PLACES))
def inside(request, sandbox):
    """Runs a probe behind the walls of a kernel, of a program, of one of root, and of `atoll run`."""
    return lambda body: probe.PLACES[request.param](sandbox, body)


def children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def mounts_of(pid: int) -> list[dict]:
    """What a process sees mounted, by /proc of the host."""
    found = []
    for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
        left, right = line.split(" - ")
        words = left.split()
        kind, source, _ = right.split(" ", 2)
        found.append({"at": words[4], "options": set(words[5].split(",")), "kind": kind,
                      "source": source})
    return found


def status_of(pid: int) -> dict:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines)}


# ----------------------------------------------------------------------------- the walls themselves


def test_k_every_process_stands_behind_all_walls(sandbox):
    """What the other tests rely on, as the host's kernel sees it: no capability, none to be gained,
    no new privileges, a filter, and namespaces of its own, for a kernel and for a program."""
    sandbox.python("1")
    program = sandbox.start({"op": "process.start", "argv": ["sleep", "30"]})
    deadline = time.monotonic() + 20
    while len(children(sandbox.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)  # between vfork and exec it is not behind them yet
    processes = children(sandbox.pid)
    assert len(processes) == 2
    for pid in processes:
        status = status_of(pid)
        for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            assert int(status[kind], 16) == 0, (pid, kind)
        assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
        assert "0" not in status["Uid"].split(), "root of the host"
        for kind in ("user", "mnt", "pid", "net", "ipc", "uts"):
            assert os.stat(f"/proc/{pid}/ns/{kind}").st_ino != os.stat(
                f"/proc/self/ns/{kind}").st_ino
    sandbox.destroy()
    with pytest.raises(Refused):
        answer = program.result(timeout=20)
        if not answer["ok"]:
            raise Refused(answer["error"])


def test_k_probe_finds_open_doors_outside():
    """The control of all tests below: outside, the same probe is let through."""
    found = probe.outside("""
answer = {
    "getpid": call("getpid") == os.getpid(),
    "user namespace": in_child(lambda: call("unshare", 0x10000000)),
    "traced": in_child(lambda: call("ptrace", 0, 0, 0, 0)),
    "compared": call("kcmp", os.getpid(), os.getpid(), 0, 0, 0),
    "unknown": call("nothing_has_this_number"),
}""", drop_to=NOBODY)
    assert found == {"getpid": True, "user namespace": 0, "traced": 0, "compared": 0,
                     "unknown": "ENOSYS"}


# ------------------------------------------------------------------------------------------ K1–K9


def test_k1_cgroup_release_agent(inside, sandbox):
    """CVE-2022-0492: mount a version 1 hierarchy in new namespaces and have release_agent run as
    root outside. There are no new namespaces, no mount, and no cgroup file to write anywhere."""
    found = inside("""
os.makedirs("/tmp/cg", exist_ok=True)
def write(path):
    os.chmod(path, 0o666)
    os.close(os.open(path, os.O_WRONLY))
answer = {
    "namespaces": call("unshare", 0x10000000 | 0x00020000 | 0x02000000),
    "v1": call("mount", b"cgroup", b"/tmp/cg", b"cgroup", 0, b"memory"),
    "v2": call("mount", b"cgroup2", b"/tmp/cg", b"cgroup2", 0, None),
    "new style": call("fsopen", b"cgroup", 0),
    "files": [place for place, _, files in os.walk("/sys")
              if {"release_agent", "cgroup.procs", "tasks", "notify_on_release"} & set(files)],
    # What tells programs their limits: ordinary files of the sandbox, which nobody can write.
    "written": sorted({attempt(write, os.path.join(place, name))
                       for place, _, files in os.walk("/sys") for name in files}),
    "made": attempt(os.mkdir, "/sys/fs/cgroup/x"),
}""")
    assert {found[how] for how in ("namespaces", "v1", "v2", "new style")} == {"EPERM"}
    assert found["files"] == []
    refusals = {"EROFS", "EACCES", "EPERM"}
    assert found["made"] in refusals and set(found["written"]) <= refusals
    kinds = {mount["kind"] for pid in [sandbox.pid, *children(sandbox.pid)]
             for mount in mounts_of(pid)}
    assert not kinds & {"cgroup", "cgroup2", "sysfs", "debugfs", "tracefs", "securityfs", "bpf"}


@pytest.mark.root_only
def test_k1_cgroup_paths_of_the_host_are_hidden(sandbox):
    """The sandbox sees itself at the root of every hierarchy. Root only: an ordinary user's
    sandboxes are in the cgroup that the user was in."""
    found = probe.in_program(sandbox, """
answer = sorted({line.rstrip().split(":", 2)[2] for line in open("/proc/self/cgroup")})""")
    assert found == ["/"]


def test_k2_kernel_settings_that_run_programs(inside, sandbox):
    """core_pattern, modprobe and their like make the host's kernel run a program as root. They are
    on a read-only mount; what steers the machine is covered by /dev/null."""
    names = ["kernel/core_pattern", "kernel/modprobe", "kernel/hotplug", "kernel/poweroff_cmd",
             "vm/overcommit_memory", "fs/binfmt_misc/register", "kernel/panic",
             "net/ipv4/ip_forward"]
    names = [name for name in names if os.path.exists(f"/proc/sys/{name}")]
    before = {name: Path(f"/proc/sys/{name}").read_bytes() for name in names
              if os.access(f"/proc/sys/{name}", os.R_OK)}
    found = inside(f"""
def write(path, what=b"|/tmp/x"):
    fd = os.open(path, os.O_WRONLY)
    try:
        return os.write(fd, what)
    finally:
        os.close(fd)
answer = {{
    "settings": {{name: attempt(write, "/proc/sys/" + name) for name in {names!r}}},
    "helper": attempt(write, "/sys/kernel/uevent_helper"),
    "again": attempt(os.chmod, "/proc/sys/kernel/core_pattern", 0o666),
}}
if os.path.exists("/proc/sysrq-trigger"):
    answer["sysrq"] = os.major(os.stat("/proc/sysrq-trigger").st_rdev)  # 1: a memory device, null
""")
    assert names and set(found["settings"].values()) <= {"EROFS", "EACCES", "ENOENT"}
    assert found["settings"]["kernel/core_pattern"] in {"EROFS", "EACCES"}
    assert found["helper"] == "ENOENT" and found["again"] in {"EROFS", "EPERM"}
    assert found.get("sysrq", 1) == 1
    # PID 1 is root inside, and asked by the host: its way in is closed by the mount alone.
    with pytest.raises(Refused):
        sandbox.write("/proc/sys/kernel/core_pattern", b"|/tmp/x")
    system = [mount for mount in mounts_of(sandbox.pid) if mount["at"] == "/proc/sys"]
    assert system and all("ro" in mount["options"] for mount in system)
    assert before == {name: Path(f"/proc/sys/{name}").read_bytes() for name in before}


def test_k3_what_tells_about_the_host(inside):
    """Memory, keys, timers, boot line, log and firmware of the host: empty, refused or absent."""
    found = inside("""
def look(path):
    with open(path, "rb") as file:
        return len(file.read(64))
paths = ["/proc/" + name for name in (
    "kcore", "keys", "key-users", "timer_list", "kallsyms", "cmdline", "config.gz", "modules",
    "interrupts", "kmsg", "slabinfo", "vmallocinfo", "pagetypeinfo", "zoneinfo", "sched_debug",
    "mtrr", "kpageflags")]
answer = {
    "files": {path: attempt(look, path) for path in paths},
    "folders": {path: attempt(os.listdir, "/proc/" + path)
                for path in ("acpi", "bus", "driver", "fs", "irq", "scsi", "tty", "sysvipc")},
    "log": [call("syslog", 3, None, 0), call("syslog", 10, None, 0), attempt(look, "/dev/kmsg")],
    "sys": {path: os.path.exists("/sys/" + path) for path in (
        "firmware", "class", "class/dmi", "kernel", "block", "fs/bpf", "fs/fuse", "fs/ext4",
        "module", "bus")},
    "dev": {path: os.path.exists("/dev/" + path) for path in ("mem", "kmem", "port", "vda", "sda")},
    "etc": {path: os.path.exists("/etc/" + path) for path in (
        "shadow", "machine-id", "ssh", "hostname")},
}""")
    assert set(found["files"].values()) <= {0, "ENOENT", "EACCES", "EPERM"}, found["files"]
    assert all(entries in ([], "ENOENT") for entries in found["folders"].values())
    assert found["log"] == ["EPERM", "EPERM", "ENOENT"]
    assert not any({**found["sys"], **found["dev"], **found["etc"]}.values())


def test_k4_nested_user_namespace(inside):
    """The first step of most kernel exploits: become root in a namespace of one's own and reach
    overlayfs or nftables. unshare and clone with namespace flags are refused; clone3, whose flags a
    filter cannot read, does not exist; an ordinary fork still works."""
    found = inside("""
import shutil, subprocess
flags = {"user": 0x10000000, "mnt": 0x00020000, "pid": 0x20000000, "net": 0x40000000,
         "ipc": 0x08000000, "uts": 0x04000000, "cgroup": 0x02000000, "time": 0x80}
block = ctypes.create_string_buffer(88)
ctypes.c_uint64.from_buffer(block).value = flags["user"]
answer = {
    "unshare": {name: call("unshare", flag) for name, flag in flags.items()},
    "clone": {name: call("clone", flag | 17, 0, 0, 0, 0) for name, flag in flags.items()
              if name != "time"},  # its bit is a signal's number in clone
    "clone3": call("clone3", block, 88),
    "fork": in_child(lambda: "alive"),
    "program": subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode,
    "overlay": call("mount", b"overlay", b"/tmp", b"overlay", 0, b"lowerdir=/usr"),
}""")
    assert set(found["unshare"].values()) == {"EPERM"}
    assert set(found["clone"].values()) == {"EPERM"}
    assert found["clone3"] == "ENOSYS" and found["fork"] == "alive"
    assert found["program"] != 0 and found["overlay"] == "EPERM"


def test_a_thread_has_the_descriptors_of_its_process(inside):
    """What a thread has open in a table of its own, as a memory file of gigabytes, nobody would see
    who looks at the process. Threads as programs make them work."""
    found = inside("""
import threading
as_usual = 0x00000100 | 0x00000200 | 0x00000400 | 0x00000800 | 0x00010000  # vm, fs, files, sighand, thread
said = []
threads = [threading.Thread(target=lambda: said.append(1)) for _ in range(4)]
for one in threads: one.start()
for one in threads: one.join()
answer = {
    "clone": call("clone", as_usual & ~0x00000400, 0, 0, 0, 0),
    "close_range": call("close_range", 1000, 1000, 2),
    "close_range as usual": call("close_range", 1000, 1000, 0),
    "threads": len(said),
}""")
    assert found["clone"] == found["close_range"] == "EPERM"
    assert found["close_range as usual"] != "EPERM" and found["threads"] == 4


def test_k5_namespaces_and_roots_of_others(inside):
    """/proc/1/ns and /proc/1/root lead to more privileged places: PID 1 is closed to everybody
    inside, by path, by pidfd and by setns, and no process of the host is to be seen."""
    found = inside("""
def peek(path):
    # In an ordinary user's sandbox PID 1 has the same owner: some files open, and none is read.
    fd = os.open(path, os.O_RDONLY)
    try:
        return len(os.read(fd, 8))
    finally:
        os.close(fd)
pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
pidfd = call("pidfd_open", 1, 0)
answer = {
    "pids": pids,
    "ns": {name: attempt(lambda: os.open("/proc/1/ns/" + name, os.O_RDONLY))
           for name in ("mnt", "user", "pid", "net")},
    "links": {name: attempt(os.readlink, "/proc/1/" + name) for name in ("root", "cwd", "exe")},
    "walk": attempt(os.listdir, "/proc/1/root/"),
    "inner": {name: attempt(peek, "/proc/1/" + name) for name in (
        "mem", "environ", "maps", "auxv", "fd/0", "fdinfo/0", "syscall", "stack", "pagemap")},
    "behind": [attempt(os.readlink, f"/proc/1/fd/{fd}") for fd in range(12)]
              + [attempt(os.listdir, "/proc/1/map_files")],
    "setns": call("setns", pidfd, 0x00020000),
    "stolen": [call("pidfd_getfd", pidfd, fd, 0) for fd in (0, 3, 4)],
    "self": call("setns", os.open("/proc/self/ns/mnt", os.O_RDONLY), 0),
    "roots": sorted({os.path.realpath(f"/proc/{pid}/root") for pid in pids
                     if not isinstance(attempt(os.readlink, f"/proc/{pid}/root"), str)
                     or attempt(os.readlink, f"/proc/{pid}/root").startswith("/")}),
}""")
    assert 1 in found["pids"] and len(found["pids"]) < 10 and max(found["pids"]) < 1000
    assert set(found["ns"].values()) <= {"EACCES", "EPERM"}
    assert set(found["links"].values()) <= {"EACCES", "EPERM"}
    assert found["walk"] in {"EACCES", "EPERM"}
    assert set(found["inner"].values()) <= {"EACCES", "EPERM"}, found["inner"]
    assert set(map(str, found["behind"])) <= {"EACCES", "EPERM", "ENOENT"}, found["behind"]
    assert set(found["stolen"]) <= {"EPERM", "EBADF"}, found["stolen"]
    assert found["setns"] == found["self"] == "EPERM"
    assert found["roots"] in (["/"], [])


def test_k6_mounting(inside, sandbox):
    """No mount, no unmount (which would uncover what masks hide), no remount, by the old calls and
    the new ones; and what is read-only answers so."""
    found = inside("""
MS_REMOUNT, MS_BIND, MNT_DETACH = 32, 4096, 2
answer = {
    "tmpfs": call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None),
    "bind": call("mount", b"/proc", b"/tmp", None, MS_BIND, None),
    "proc": call("mount", b"proc", b"/tmp", b"proc", 0, None),
    "remount": call("mount", None, b"/usr", None, MS_REMOUNT | MS_BIND, None),
    "unmask": call("umount2", b"/proc/kcore", MNT_DETACH),
    "uncover": call("umount2", b"/tmp", MNT_DETACH),
    "pivot": call("pivot_root", b"/tmp", b"/tmp"),
    "open_tree": call("open_tree", -100, b"/", 1),
    "move_mount": call("move_mount", -100, b"/tmp", -100, b"/usr", 0),
    "fsopen": call("fsopen", b"tmpfs", 0),
    "fspick": call("fspick", -100, b"/", 0),
    "fsconfig": call("fsconfig", -1, 0, None, None, 0),
    "fsmount": call("fsmount", -1, 0, 0),
    "setattr": call("mount_setattr", -100, b"/usr", 0, ctypes.create_string_buffer(32), 32),
}
unknown = [call("listmount", None, None, 0, 0), call("statmount", None, None, 0, 0)]
writes = {path: attempt(lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT)))
          for path in ("/x", "/usr/x", "/etc/passwd", "/opt/atoll/x", "/sys/x", "/dev/x", "/mnt/x")}
answer = {"calls": answer, "unknown": unknown, "writes": writes,
          "changes": [attempt(os.rename, "/usr", "/tmp/usr"), attempt(os.rmdir, "/mnt"),
                      attempt(os.chmod, "/usr/bin/env", 0o777)]}
""")
    assert set(found["calls"].values()) == {"EPERM"}, found["calls"]
    assert found["unknown"] == ["ENOSYS", "ENOSYS"]
    assert set(found["writes"].values()) <= {"EROFS", "EACCES"}, found["writes"]
    assert set(found["changes"]) <= {"EROFS", "EXDEV", "EACCES", "EPERM", "EBUSY"}
    # As the host sees it: nothing is writable but the session's own tmpfs, /proc and terminals.
    writable = {mount["kind"] for mount in mounts_of(sandbox.pid) if "rw" in mount["options"]}
    assert writable <= {"tmpfs", "proc", "devpts", "devtmpfs"}


def test_k7_chroot_and_file_handles(inside):
    """The two classic ways out of a folder: chroot below an open directory, and opening the host's
    root by its file handle (inode 2)."""
    found = inside("""
inode_2 = b"\\x02\\0\\0\\0\\0\\0\\0\\0"
handle = ctypes.create_string_buffer(b"\\x08\\0\\0\\0\\x01\\0\\0\\0" + inode_2, 24)
root = os.open("/", os.O_RDONLY)
os.makedirs("/tmp/jail", exist_ok=True)
def climb():
    os.fchdir(root)
    for _ in range(100):
        os.chdir("..")
    return os.stat(".").st_ino == os.stat("/").st_ino and sorted(os.listdir(".")) == sorted(
        os.listdir("/"))
answer = {
    "chroot": call("chroot", b"/tmp/jail"),
    "handle": call("open_by_handle_at", root, handle, 0),
    "name": call("name_to_handle_at", -100, b"/usr", handle, ctypes.byref(ctypes.c_int()), 0),
    "climb": in_child(climb),
    "above": os.path.exists("/../../../etc/shadow"),
}""")
    assert found == {"chroot": "EPERM", "handle": "EPERM", "name": "EPERM", "climb": True,
                     "above": False}


def test_k8_device_files(inside, sandbox):
    """A device file for the host's disk would be the whole disk. mknod of devices is refused (of a
    FIFO it works), and where a user can write, the mounts know no devices."""
    found = inside("""
import stat
os.chdir("/tmp")
made = {}
for kind, mode in (("block", stat.S_IFBLK), ("char", stat.S_IFCHR), ("fifo", stat.S_IFIFO)):
    made[kind] = call("mknodat", -100, b"node-" + kind.encode(), mode | 0o666, os.makedev(254, 0))
answer = {"made": made,
          "dev": sorted(name for name in os.listdir("/dev")
                        if stat.S_ISCHR(os.lstat("/dev/" + name).st_mode)),
          "blocks": [name for name in os.listdir("/dev")
                     if stat.S_ISBLK(os.stat("/dev/" + name).st_mode)]}
""")
    assert found["made"] == {"block": "EPERM", "char": "EPERM", "fifo": 0}
    assert set(found["dev"]) <= {"full", "null", "random", "tty", "urandom", "zero"}
    assert found["blocks"] == []
    for mount in mounts_of(sandbox.pid):
        if mount["kind"] not in {"devtmpfs", "devpts"}:
            assert "nodev" in mount["options"] or mount["at"].startswith(("/dev/", "/proc/")), mount
        assert "nosuid" in mount["options"], mount


def auxv(out: str) -> dict:
    """What the dynamic loader says of itself when LD_SHOW_AUXV is set."""
    return {name: value.strip() for name, value in
            (line.split(":", 1) for line in out.splitlines() if line.startswith("AT_"))}


def set_user_id_program() -> str:
    for path in ("/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount", "/usr/bin/chsh"):
        if os.path.exists(path) and os.stat(path).st_mode & 0o4000:
            return path
    pytest.skip("this host has no set-user-id program")


def test_k9_set_user_id_programs(sandbox):
    """The host's own su and passwd are visible inside, and a flaw in one makes root. nosuid mounts
    and no_new_privs take that from them: the loader reports a plain, unprivileged start."""
    program = set_user_id_program()
    environment = {"LD_SHOW_AUXV": "1"}
    # Outside, an ordinary user's start of it is privileged, where the loader hears no LD_ variable.
    control = subprocess.run([program, "--help"], capture_output=True, text=True, env=environment,
                             user=NOBODY if os.geteuid() == 0 else None)
    assert "AT_SECURE" not in auxv(control.stdout)
    started = auxv(sandbox.run(program, "--help", env=environment).out)
    assert started["AT_SECURE"] == "0"
    assert started["AT_EUID"] == started["AT_UID"] == "1000"
    # One of their own making cannot be had.
    own = sandbox.shell("cp /usr/bin/id /session/id; chmod 6755 /session/id || /session/id -u; "
                        "sudo -n id 2>&1; su -c id </dev/null 2>&1")
    assert own.out.startswith("1000\n") and "uid=0" not in own.out


LENDING = """
import ctypes, errno, os, platform, stat, time
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
NUMBERS = {"open": 2, "openat": 257, "creat": 85, "chmod": 90, "fchmod": 91, "fchmodat": 268,
           "mknod": 133, "mknodat": 259, "fchmodat2": 452, "openat2": 437} if x86 else {
           "openat": 56, "fchmod": 52, "fchmodat": 53, "mknodat": 33, "fchmodat2": 452,
           "openat2": 437}
O_TMPFILE = os.O_TMPFILE
CREATE = os.O_CREAT | os.O_WRONLY
count = time.time_ns()
def attempt(label, name, *arguments):
    if name not in NUMBERS:
        return
    ctypes.set_errno(0)
    done = libc.syscall(NUMBERS[name], *arguments)
    print(label, "did" if done >= 0 else errno.errorcode[ctypes.get_errno()])
def fresh():
    global count
    count += 1
    return b"%s/new%d" % (folder, count)
for folder in (b"/session", b"/data/given"):
    if not os.path.isdir(folder):
        continue
    file = folder + b"/file"
    os.close(os.open(file, CREATE, 0o755))
    fd = os.open(file, os.O_RDWR)
    for bits in (0o4755, 0o2755, 0o6755, 0o104755, 0xffff0000 | 0o4755):
        attempt("open", "open", fresh(), CREATE, bits)
        attempt("open", "open", folder, O_TMPFILE | os.O_RDWR, bits)
        attempt("open", "openat", -100, fresh(), CREATE, bits)
        attempt("open", "openat", -100, folder, O_TMPFILE | os.O_RDWR, bits)
        attempt("open", "creat", fresh(), bits)
        attempt("chmod", "chmod", file, bits)
        attempt("chmod", "fchmod", fd, bits)
        attempt("chmod", "fchmodat", -100, file, bits)
        attempt("chmod", "fchmodat2", -100, file, bits, 0)
        attempt("mknod", "mknod", fresh(), stat.S_IFREG | bits & 0o7777, 0)
        attempt("mknod", "mknodat", -100, fresh(), stat.S_IFREG | bits & 0o7777, 0)
        attempt("mknod", "mknod", fresh(), bits & 0o7777, 0)
        attempt("openat2", "openat2", -100, fresh(), (ctypes.c_uint64 * 3)(CREATE, bits & 0o7777, 0),
                24)
    # What looks alike and is harmless.
    attempt("fine", "openat", -100, file, os.O_RDONLY, 0o6755)
    attempt("fine", "openat", -100, fresh(), CREATE, 0o1777)
    attempt("fine", "fchmod", fd, 0o1755)
    attempt("fine", "mknodat", -100, fresh(), stat.S_IFIFO | 0o777, 0)
    for name in os.listdir(folder):
        if os.lstat(os.path.join(folder, name)).st_mode & 0o6000:
            print("lends", name)
"""


def test_k9_no_file_lends_an_identity(tmp_path, sandbox):
    """A file in a folder of the host's belongs there to whoever gave it, root perhaps: a program
    with the set-user-id bit in it would be root's for every user of the host. No call sets it."""
    given = tmp_path / "given"
    given.mkdir(mode=0o755)
    outside = run_json("--mount-rw", f"{given}:/data/given", "-c", LENDING)
    for out in (outside["stdout"], sandbox.run("python", "-S", "-c", LENDING).out,
                sandbox.python(LENDING).out):
        found = [line.split() for line in out.splitlines()]
        assert {result for name, result in found if name in ("open", "mknod")} == {"EPERM"}, out
        assert {result for name, result in found if name == "chmod"} <= {"EPERM", "ENOSYS"}, out
        assert {result for name, result in found if name == "openat2"} == {"ENOSYS"}, out
        assert {result for name, result in found if name == "fine"} == {"did"}, out
        assert "lends" not in out and "chmod EPERM" in out
    assert given.joinpath("file").exists()
    for path in given.iterdir():
        assert not path.lstat().st_mode & 0o6000, path


def test_k9_what_sets_modes_in_good_faith_works(sandbox):
    """tar, git, install, pip's own unpacking: none of them needs those bits."""
    done = sandbox.shell("""
set -e; cd /work; umask 022
mkdir -p tree/sub; echo x >tree/sub/f; chmod 755 tree/sub/f; chmod 1777 tree
tar cpf t.tar tree; mkdir out; tar xpf t.tar -C out; stat -c %a out/tree out/tree/sub/f
install -m 750 tree/sub/f installed; cp -a tree copy; stat -c %a installed copy/sub/f
if command -v git >/dev/null; then
    git init -q repo && cd repo && echo y >g && git add g &&
        git -c user.name=n -c user.email=e commit -qm m && git status --short && cd ..
fi
python - <<'END'
import shutil, tempfile, zipfile, tarfile, os
with zipfile.ZipFile("z.zip", "w") as z: z.write("tree/sub/f")
with zipfile.ZipFile("z.zip") as z: z.extractall("unzipped")
shutil.copytree("tree", "copied"); tarfile.open("t.tar").extractall("untarred")
tempfile.NamedTemporaryFile().close(); os.makedirs("m/n", 0o755)
END
echo done
""")
    assert done.out == "1777\n755\n750\n755\ndone\n", done


@pytest.mark.root_only
def test_k9_privileged_files_in_a_mount(driver, tmp_path):
    """The host's user mounts a folder that holds a program owned by root with the set-user-id bit,
    and one with all file capabilities: neither has an effect. Root only: making them needs it."""
    for name in ("id", "capable"):
        (tmp_path / name).write_bytes(Path("/usr/bin/id").read_bytes())
    os.chmod(tmp_path / "id", 0o6755)
    os.chmod(tmp_path / "capable", 0o755)
    full = b"\x01\x00\x00\x02" + b"\xff" * 8 + b"\x00" * 8  # version 2, effective, permitted
    os.setxattr(tmp_path / "capable", "security.capability", full)
    sandbox = driver.create(mounts=[{"source": str(tmp_path), "target": "/data/tools"}])
    done = sandbox.shell("LD_SHOW_AUXV=1 /data/tools/id; LD_SHOW_AUXV=1 /data/tools/capable")
    assert done.out.count("uid=1000") == 2 and done.out.count("AT_SECURE:") == 2, done
    assert "AT_SECURE:            1" not in done.out and "uid=0" not in done.out
    sandbox.destroy()


# ---------------------------------------------------------------------------------------- K10–K15


def test_k10_leaked_descriptors(inside):
    """CVE-2024-21626: one descriptor of a host folder left open is the way out. Only standard
    streams (and a kernel's link) are open; none of them is a folder or a file of the host."""
    found = inside("""
answer = {fd: attempt(os.readlink, "/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd")}
answer = {fd: link for fd, link in answer.items()
          if not link.startswith("/proc/") and link != "ENOENT"}
answer["cwd"] = os.getcwd()
""")
    assert found.pop("cwd") in {"/session", "/work"}
    assert set(found) >= {"0", "1", "2"}
    streams = {found.get(fd) for fd in "0123"}
    for link in found.values():
        assert link in streams, found  # a kernel keeps copies of its own
        assert link == "/dev/null" or link.startswith(("pipe:[", "socket:[")), found


def test_k10_descriptors_of_pid_1(sandbox):
    """The same for PID 1, as the host sees it: nothing but its stream, pipes and its own kinds."""
    sandbox.python("1")
    folder = f"/proc/{sandbox.pid}/fd"
    try:
        names = os.listdir(folder)
    except PermissionError:
        pytest.skip("PID 1 is closed to this user too")
    for name in names:
        link = os.readlink(f"{folder}/{name}")
        if link == "/":  # the root of its own scratch space, which has no other name any more
            entries = set(os.listdir(f"{folder}/{name}/"))
            assert "session" in entries and "usr" not in entries
            continue
        if link.endswith("/oom_score_adj"):
            continue  # its own
        assert link == "/dev/null" or link.startswith(("pipe:[", "socket:[", "anon_inode:")), link


def test_k10_overwriting_the_runtime(inside):
    """CVE-2019-5736: write to the runtime's own program through /proc/self/exe. The file lies on a
    read-only mount, PID 1's is not to be opened, and the host's files stay what they were."""
    guest = ROOT / "build" / "release" / "guest"
    files = [guest / "atoll-guest", guest / "libatoll_guest.so"]
    before = [(file.stat().st_mtime_ns, file.read_bytes()) for file in files]
    found = inside("""
answer = {path: [attempt(lambda: os.open(path, flags)) for flags in (
              os.O_WRONLY, os.O_RDWR | os.O_TRUNC)]
          for path in ("/proc/self/exe", "/proc/1/exe", "/opt/atoll/guest/atoll-guest",
                       "/opt/atoll/guest/libatoll_guest.so")}
held = os.open("/proc/self/exe", os.O_PATH)
answer["held"] = [attempt(lambda: os.open(f"/proc/self/fd/{held}", os.O_WRONLY))]
""")
    for path, errors in found.items():
        assert set(errors) <= {"EROFS", "ETXTBSY", "EACCES", "EPERM"}, (path, errors)
    assert before == [(file.stat().st_mtime_ns, file.read_bytes()) for file in files]


def test_k11_keyrings(inside):
    """Keys belong to users and sessions, not to sandboxes: what A stores B could read. No call of
    that family works."""
    found = inside("""
answer = {"add": call("add_key", b"user", b"canary", b"secret", 6, -3),
          "request": call("request_key", b"user", b"canary", None, 0),
          "read": call("keyctl", 11, -3, None, 0), "join": call("keyctl", 1, b"canary"),
          "unknown": call("keyctl", 9999)}
""")
    assert set(found.values()) == {"EPERM"}


def test_k12_socket_families(inside):
    """Families with a history of kernel holes, and protocols that would load a module, answer as on
    a kernel that does not have them. TCP, UDP and unix sockets work, on a loopback of their own."""
    found = inside("""
import socket
families = {"netlink": 16, "packet": 17, "vsock": 40, "alg": 38, "bluetooth": 31, "can": 29,
            "xdp": 44, "tipc": 30, "key": 15, "rds": 21, "smc": 43, "nothing": 99}
def make(family, kind=1, protocol=0):
    return attempt(lambda: socket.socket(family, kind, protocol).close())
answer = {
    "families": {name: [make(family, kind) for kind in (1, 2, 3)]
                 for name, family in families.items()},
    "raw": [make(family, 3, protocol) for family in (2, 10) for protocol in (0, 1, 255)],
    "packet": make(2, 10),
    "sctp": [make(2, kind, 132) for kind in (1, 5)], "dccp": make(2, 6, 33),
    "mptcp": make(2, 1, 262), "udplite": make(2, 2, 136), "icmp": make(2, 2, 1),
    "plain": [make(1), make(2), make(10), make(2, 2), make(1, 5)],
    "interfaces": [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line],
    "routes": [line.split() for line in open("/proc/net/route").readlines()[1:]],
}""")
    for name, errors in found["families"].items():
        assert set(errors) == {"EAFNOSUPPORT"}, (name, errors)
    assert set(found["raw"]) == {"EPERM"} and found["packet"] in {"EPERM", "EAFNOSUPPORT"}
    refused = {"EPERM", "EPROTONOSUPPORT", "ENOSYS"}
    assert set(found["sctp"]) <= refused and found["dccp"] in refused
    assert {found["mptcp"], found["udplite"]} <= refused
    assert found["icmp"] in refused | {"EACCES"}
    assert found["plain"] == [None] * 5
    assert found["interfaces"] == ["lo"] and found["routes"] == []


def test_k13_io_uring(inside):
    """io_uring makes calls that the filter never sees: it is refused as a whole, as is the other
    road to a socket, taking one from another process."""
    found = inside("""
answer = {"setup": call("io_uring_setup", 8, ctypes.create_string_buffer(120)),
          "enter": call("io_uring_enter", 0, 1, 0, 0, None, 0),
          "register": call("io_uring_register", 0, 0, None, 0)}
""")
    assert set(found.values()) == {"EPERM"}


@pytest.mark.skipif(not X86_64, reason="other architectures have one table of system calls here")
def test_k14_calls_of_other_architectures(inside):
    """A call by 32-bit or x32 numbers would be judged by the wrong table (mount is 21 there, which
    is access here): the process that makes one is killed."""
    body = """
import mmap
def by_int80(number):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\\x53\\xb8" + number.to_bytes(4, "little") + b"\\xcd\\x80\\x5b\\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)() > 0
answer = {"int80": in_child(lambda: by_int80(20)),
          "x32": in_child(lambda: call(0x40000000 | 39)),
          "x32 ioctl": in_child(lambda: call(0x40000000 | 514)),
          "native": in_child(lambda: call("getpid") == os.getpid())}
"""
    found = inside(body)
    assert found["native"] is True
    assert found["int80"] == "SIGSYS" and found["x32"] == found["x32 ioctl"] == "SIGSYS", found
    # Where the host's kernel has the 32-bit table, the probe outside makes the call.
    assert probe.outside(body)["int80"] in (True, "SIGSEGV")


def test_k15_the_kernels_insides(inside):
    """Calls that load code into the kernel, watch it, or steer the machine. Arguments are harmless
    should one be let through, and chosen so that an unfiltered kernel would answer otherwise."""
    found = inside("""
null, zeros = None, ctypes.create_string_buffer(256)
me = os.getpid()
attempts = {
    "bpf": (0xffff, null, 0), "perf_event_open": (null, 0, -1, -1, 0), "userfaultfd": (0xffff,),
    "kexec_load": (0, 0, null, 0), "kexec_file_load": (-1, -1, 0, null, 0),
    "init_module": (null, 0, b""), "finit_module": (-1, b"", 0), "delete_module": (b"none", 0),
    "swapon": (b"/nowhere", 0), "swapoff": (b"/nowhere",), "reboot": (0, 0, 0, null),
    "settimeofday": (null, null), "clock_settime": (0, null), "clock_adjtime": (0, null),
    "adjtimex": (null,), "acct": (b"/nowhere",), "quotactl": (0, null, 0, null),
    "quotactl_fd": (-1, 0, 0, null), "fanotify_init": (0, 0), "lookup_dcookie": (0, null, 0),
    "ptrace": (0, 0, 0, 0), "kcmp": (me, me, 0, 0, 0), "sethostname": (b"x", 1),
    "setdomainname": (b"x", 1),
    "process_vm_readv": (me, null, 0, null, 0, 0), "process_vm_writev": (me, null, 0, null, 0, 0),
    "iopl": (0,), "ioperm": (0, 1, 0), "modify_ldt": (0, zeros, 16),
}
answer = {name: call(name, *arguments) for name, arguments in attempts.items() if name in _NUMBERS}
answer["unknown"] = call("nothing_has_this_number")
""")
    assert found.pop("unknown") == "ENOSYS"
    assert set(found.values()) == {"EPERM"}, {n: e for n, e in found.items() if e != "EPERM"}


# ---------------------------------------------------------------------------------------- K16–K19


def test_k16_locks_on_shared_files(driver):
    """Two sandboxes that want to talk find a file both can read, and flock it: one bit at a time,
    which nothing short of a kernel each can stop (docs/threat-model.md names it). It goes no
    further: write locks need a writable descriptor, and nobody is kept from opening the file."""
    first, second = driver.create(), driver.create()
    path = probe.in_kernel(first, "import pandas; answer = pandas.__file__")
    attack = f"""
import fcntl
shared = os.open({path!r}, os.O_RDONLY)
answer = {{
    "flock": attempt(fcntl.flock, shared, fcntl.LOCK_EX | fcntl.LOCK_NB),
    "write lock": attempt(fcntl.lockf, shared, fcntl.LOCK_EX | fcntl.LOCK_NB),
}}"""
    found = probe.in_kernel(first, attack)
    assert found["flock"] is None
    assert found["write lock"] in {"EBADF", "EACCES"}
    # The channel: the second one meets the first one's lock. Documented, so asserted as it is.
    assert probe.in_kernel(second, attack)["flock"] == "EAGAIN"
    # Nobody is kept from reading or running the file, and the lock goes with its holder.
    assert second.run("python", "-c", "import pandas").end["exit_code"] == 0
    first.destroy()
    deadline = time.monotonic() + 20
    while (left := probe.in_kernel(second, attack)["flock"]) == "EAGAIN":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert left is None
    second.destroy()


def test_k16_leases_on_shared_files(driver):
    """A lease makes everybody else wait in open() until the holder lets go or 45 s are over. An
    ordinary user's sandboxes own the files of their templates, so that A could stop B's imports:
    leases do not exist inside."""
    first, second = driver.create(), driver.create()
    found = probe.in_kernel(first, """
import fcntl, pandas, signal
signal.signal(signal.SIGIO, signal.SIG_IGN)
folder = os.path.join(os.path.dirname(pandas.__file__), "tests", "io")
names = [name for name in sorted(os.listdir(folder)) if name.endswith(".py")]
paths = [os.path.join(folder, name) for name in names[:9]]
kept = [os.open(path, os.O_RDONLY) for path in paths]
own = os.open("/session/own", os.O_RDONLY | os.O_CREAT)
answer = {"paths": paths,
          "leases": [attempt(fcntl.fcntl, fd, fcntl.F_SETLEASE, kind)
                     for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK) for fd in [*kept, own]]}
""")
    assert found["paths"] and set(found["leases"]) == {"EPERM"}, found["leases"]
    began = time.monotonic()
    assert probe.in_program(second, f"""
answer = [len(open(path).read()) >= 0 for path in {found["paths"]!r}]""")
    assert time.monotonic() - began < 20
    # Outside, the owner of a file may have one.
    assert probe.outside("""
import fcntl, tempfile
fd, path = tempfile.mkstemp()
os.close(fd)
answer = attempt(fcntl.fcntl, os.open(path, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)
os.unlink(path)
""") == 0
    first.destroy()
    second.destroy()


def test_k16_watching_shared_files(driver):
    """inotify tells who watches a shared file that somebody opened it, whoever that is: A learns
    when B imports a module. Documented beside flock, and asserted as it is; names and contents of
    what B writes are on B's own file system, where A cannot look."""
    first, second = driver.create(), driver.create()
    found = probe.in_kernel(first, """
import json as j
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(os.O_NONBLOCK)
answer = {"shared": libc.inotify_add_watch(watch, j.__file__.encode(), 0x20) >= 0,
          "others": [libc.inotify_add_watch(watch, path, 0xfff) >= 0
                     for path in (b"/session", b"/tmp", b"/dev/shm")]}
""")
    assert found["shared"] and found["others"] == [True] * 3
    second.shell("echo secret > /session/x; echo secret > /tmp/x; echo secret > /dev/shm/x")
    assert probe.in_kernel(first, "answer = attempt(lambda: len(os.read(watch, 4096)))") == "EAGAIN"
    second.run("python", "-c", "import json; open(json.__file__).read()")
    assert probe.in_kernel(first, "answer = attempt(lambda: len(os.read(watch, 4096)) > 0)") is True
    first.destroy()
    second.destroy()


def test_k17_meeting_places(driver):
    """Names that live in the kernel instead of a file system (abstract sockets, System V memory,
    message queues), loopback ports and shared folders: B finds nothing of what A left there."""
    first, second = driver.create(), driver.create()
    common = """
import socket
libc = ctypes.CDLL("libc.so.6", use_errno=True)
libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
libc.mq_open.restype = ctypes.c_int
def shared_memory(flags):
    return libc.shmget(0x41544f4c, 4096, flags | 0o666)
def queue(flags):
    return libc.mq_open(b"/canary", ctypes.c_int(flags), ctypes.c_int(0o666), None)
def server(family, address):
    keep = socket.socket(family)
    keep.bind(address)
    keep.listen()
    globals().setdefault("kept", []).append(keep)
def client(family, address):
    with socket.socket(family) as one:
        one.settimeout(3)
        one.connect(address)
        return "connected"
places = ["/dev/shm/canary", "/tmp/canary", "/var/tmp/canary", "/run/canary", "/session/canary",
          "/work/canary", "/data/canary", "/home/user/canary"]
"""
    left = probe.in_kernel(first, common + """
server(socket.AF_UNIX, "\\0canary")
server(socket.AF_INET, ("127.0.0.1", 45001))
for place in places:
    open(place, "w").write("secret")
answer = {"memory": shared_memory(0o1000) >= 0, "queue": queue(os.O_CREAT | os.O_RDWR) >= 0}
""")
    assert left["memory"]  # a queue only where there is no Landlock: it lies in no writable folder
    look = common + """
answer = {
    "abstract": attempt(client, socket.AF_UNIX, "\\0canary"),
    "loopback": attempt(client, socket.AF_INET, ("127.0.0.1", 45001)),
    "memory": shared_memory(0) >= 0,
    "queue": queue(os.O_RDONLY) >= 0,
    "files": [place for place in places if os.path.exists(place)],
    "listed": "canary" in open("/proc/net/unix").read(),
}"""
    # In the first one itself all of it is there: the probe works.
    assert probe.in_kernel(first, look) == {
        "abstract": "connected", "loopback": "connected", "memory": True,
        "queue": left["queue"], "listed": True,
        "files": ["/dev/shm/canary", "/tmp/canary", "/var/tmp/canary", "/run/canary",
                  "/session/canary", "/work/canary", "/data/canary", "/home/user/canary"]}
    nothing = {"abstract": "ECONNREFUSED", "loopback": "ECONNREFUSED", "memory": False,
               "queue": False, "files": [], "listed": False}
    assert probe.in_kernel(second, look) == nothing
    assert probe.in_one_off(look) == nothing
    assert probe.outside(look, drop_to=NOBODY)["abstract"] == "ECONNREFUSED"
    first.destroy()
    second.destroy()


@pytest.mark.parametrize("target, complaint", [
    ("/proc", "choose a place"), ("/proc/sys", "choose a place"), ("/usr/x", "choose a place"),
    ("/", "choose a place"), ("/etc", "choose a place"), ("/dev/shm", "choose a place"),
    ("/opt/atoll/guest", "choose a place"), ("/session-x", "choose a place"),
    ("/tmp", "choose a place"), ("../x", "absolute"), ("data/x", "absolute"), ("", "absolute"),
    ("/data/../proc", "must not contain .."), ("/data/x/..", "must not contain .."),
    ("/work/../../usr", "must not contain .."),
])
def test_k18_mounts_over_the_walls(driver, tmp_path, target, complaint):
    """A mount over /proc or /usr would undo a wall: such a place is refused before anything is
    made, with the place and what to choose instead, and the same by the command line."""
    with pytest.raises(Refused) as refusal:
        driver.create(mounts=[{"source": str(tmp_path), "target": target}])
    assert complaint in str(refusal.value) and str(tmp_path) in str(refusal.value)
    if target:
        done = atoll("run", "--mount", f"{tmp_path}:{target}", "-c", "print('ran')")
        assert done.returncode != 0 and b"ran" not in done.stdout
        assert complaint.encode() in done.stderr


def test_k18_mounts_take_a_grant(driver, sandbox):
    """docker.sock is root on the host. It is not inside unless the host's own user mounts it: the
    grants that mounts take are made in few places, and a sandbox, once claimed, takes no mount any
    more, not even from the host."""
    makes_one = re.compile(r"(?<!explicit )Granted(Mount|Folder)\(")
    granting = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.?pp")
                if makes_one.search(path.read_text()) and "test" not in path.name}
    # The command line of the host's own user; data sets of the settings; a session's own folder.
    assert granting == {"cli/limit_options.cpp", "sessions/grants.cpp", "sessions/grants.hpp"}
    with pytest.raises(Refused, match="somebody's already"):
        sandbox.ask({"op": "claim", "mounts": ["/data/late"]})
    found = probe.in_program(sandbox, """
answer = [path for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/containerd",
          "/run/systemd", "/run/dbus", "/run/user") if os.path.exists(path)]""")
    assert found == []


def test_k18_mount_source_that_is_not_there(driver):
    """An error of the caller is an answer, not half a sandbox."""
    before = driver.info()["pooled"]
    with pytest.raises(Refused, match="not there|need root"):
        driver.create(mounts=[{"source": "/nowhere/at/all", "target": "/data/x"}])
    assert driver.create().python("1+1").kernel["status"] == "ok"
    assert driver.info()["pooled"] <= max(before, 1)


def test_k19_writing_through_the_page_cache(tmp_path):
    """Dirty Pipe and Dirty COW write to files that are open for reading only, through the page
    cache that all sandboxes share. On a patched kernel the host's file keeps its bytes; on another
    one this test says so. The shared kernel is the limit of the native runtime."""
    shared = tmp_path / "shared"
    content = b"as it was. " * 1000
    shared.write_bytes(content)
    os.chmod(tmp_path, 0o755)
    os.chmod(shared, 0o644)
    found = probe.in_one_off("""
import mmap, threading, time
path = "/data/shared"
fd = os.open(path, os.O_RDONLY)
# Dirty Pipe: fill and drain a pipe so that its slots keep the "may be merged" flag, splice a page
# of the file in, write behind it.
here, there = os.pipe()
size = 65536
for _ in range(size // 4096):
    os.write(there, b"x" * 4096)
for _ in range(size // 4096):
    os.read(here, 4096)
spliced = os.splice(fd, there, 1, offset_src=3)
os.write(there, b"DIRTY PIPE")
# Dirty COW: write to a private mapping through /proc/self/mem while its copy is thrown away.
mapping = mmap.mmap(fd, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
address = None
for line in open("/proc/self/maps"):
    if line.rstrip().endswith(path):
        address = int(line.split("-")[0], 16)
# Landlock keeps /proc closed for writing; where the kernel has none, the write is tried.
try: memory = os.open("/proc/self/mem", os.O_RDWR)
except PermissionError: memory = None
end = time.monotonic() + 1.0
def discard():
    while time.monotonic() < end:
        mapping.madvise(mmap.MADV_DONTNEED)
thread = threading.Thread(target=discard)
thread.start()
writes = set()
while time.monotonic() < end and memory is not None:
    writes.add(attempt(lambda: os.pwrite(memory, b"DIRTY COW", address)))
thread.join()
answer = {"spliced": spliced, "writes": sorted(map(str, writes)), "mapped": address is not None,
          "file": open(path, "rb").read()[:64].decode(errors="replace"),
          "open": [attempt(lambda: os.open(path, os.O_RDWR)), attempt(os.truncate, path, 0),
                   attempt(os.unlink, path)],
          "bpf": call("bpf", 5, ctypes.create_string_buffer(128), 128)}
""", "--mount", f"{shared}:/data/shared")
    assert found["spliced"] == 1 and found["mapped"], "the attack itself did not work"
    assert found["file"].encode() == content[:64]
    assert shared.read_bytes() == content
    assert set(found["open"]) <= {"EROFS", "EACCES", "EBUSY", "EPERM"}, found["open"]
    assert found["bpf"] == "EPERM"  # what attacks on the eBPF verifier need first
    assert json.dumps(found["writes"])
