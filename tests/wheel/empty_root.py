"""A machine with Python and nothing else: a root file system of this host's own Debian packages, and a way into it.

`make` needs no network: it copies the files of the essential packages, apt, python3 and python3-venv, and of what those
depend on. That is what debootstrap's smallest variant installs, and Python.

As a program it goes in: `empty_root.py ROOT UID COMMAND…`, in namespaces of its own for mounts, processes and the
network, which has loopback alone. By pivot_root, because who is in a chroot may not make user namespaces.
"""
import ctypes
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

WANTED = ("apt", "python3", "python3-venv", "ca-certificates")
LEFT_OUT = re.compile(r"/usr/share/(doc|man|info|locale|lintian)/")
PASSWD = "root:x:0:0:root:/root:/bin/bash\nperson:x:54321:54321::/srv/person:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n"
GROUP = "root:x:0:\nperson:x:54321:\nnogroup:x:65534:\n"


def installed() -> dict[str, tuple[str, str, bool]]:
    """By name and by what they provide: each installed package's name, what it depends on, if it is essential."""
    said = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status}\t${Package}\t${Essential}\t${Provides}\t"
         "${Pre-Depends}, ${Depends}\n"], capture_output=True, text=True, check=True).stdout
    found: dict[str, tuple[str, str, bool]] = {}
    for line in said.splitlines():
        status, name, essential, provides, depends = line.split("\t")
        if status != "installed":
            continue
        about = (name, depends, essential == "yes")
        found[name] = about
        for virtual in provides.split(","):
            found.setdefault(virtual.split("(")[0].strip(), about)
    return found


def closure(wanted) -> list[str]:
    packages = installed()
    todo = [*wanted, *(name for name, about in packages.items() if about[2])]
    done: set[str] = set()
    while todo:
        name, depends, _ = packages[todo.pop()]
        if name in done:
            continue
        done.add(name)
        for group in filter(None, (one.strip() for one in depends.split(","))):
            choices = [re.split(r"[ :(]", choice.strip())[0] for choice in group.split("|")]
            there = [choice for choice in choices if choice in packages]
            assert there, f"{name} depends on {group}, which is not installed"
            todo.append(there[0])
    return sorted(done)


def make(root: Path) -> None:
    root.mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), root / name)
            (root / os.readlink(f"/{name}")).mkdir(parents=True, exist_ok=True)
    for name in ("dev", "proc", "sys", "run", "tmp", "root", "home", "usr/local/bin", "srv/person", "var/lib", "var/tmp", "etc", "mnt"):
        (root / name).mkdir(parents=True, exist_ok=True)
    paths = set()
    for package in closure(WANTED):
        said = subprocess.run(["dpkg-query", "-L", package], capture_output=True, text=True, check=True).stdout
        # dpkg knows some paths below /lib that are below /usr/lib now.
        paths |= {os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
                  for path in said.splitlines() if path.startswith("/") and not LEFT_OUT.match(path)}
    # What packages' scripts made: alternatives, such as awk.
    paths |= {str(path) for path in Path("/etc/alternatives").iterdir()}
    files = [path.lstrip("/") for path in sorted(paths) if os.path.lexists(path) and path != "/"]
    packing = subprocess.Popen(["tar", "-C", "/", "--no-recursion", "--null", "-T", "-", "-cf", "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpacking = subprocess.Popen(["tar", "-C", root, "-xpf", "-"], stdin=packing.stdout)
    packing.stdin.write("\0".join(files).encode())
    packing.stdin.close()
    assert packing.wait() == 0 and unpacking.wait() == 0
    (root / "tmp").chmod(0o1777)
    (root / "etc/passwd").write_text(PASSWD)
    (root / "etc/group").write_text(GROUP)
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
    os.chown(root / "srv/person", 54321, 54321)
    subprocess.run(["ldconfig", "-r", root], check=True)


def inside(root: Path, *command, uid: int = 0, environment=None, **more) -> subprocess.CompletedProcess:
    """Runs a command there to its end. Nothing of it is left: its PID 1 ends with it."""
    words = ["unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child", "--propagation", "private",
             sys.executable, "-I", __file__, str(root), str(uid), *map(str, command)]
    home = "/root" if uid == 0 else "/srv/person"
    clean = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": home, "LANG": "C.UTF-8"}
    return subprocess.run(words, env={**clean, **(environment or {})}, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, **more)


def enter(root: str, uid: int, command: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    MS_BIND, MS_REC, MNT_DETACH = 4096, 16384, 2

    def checked(result: int, what: str) -> None:
        if result != 0:
            raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")

    def mount(source: str, target: str, kind: str | None, flags: int) -> None:
        checked(libc.mount(source.encode(), target.encode(), kind.encode() if kind else None,
                           ctypes.c_ulong(flags), None), f"mount {target}")

    subprocess.run(["/usr/sbin/ip", "link", "set", "lo", "up"], check=True)
    mount(root, root, None, MS_BIND)
    os.chdir(root)
    mount("proc", "proc", "proc", 0)
    mount("/dev", "dev", None, MS_BIND | MS_REC)
    mount("/sys", "sys", None, MS_BIND | MS_REC)
    number = {"x86_64": 155, "aarch64": 41}[platform.machine()]
    checked(libc.syscall(ctypes.c_long(number), b".", b"."), "pivot_root")
    checked(libc.umount2(b".", MNT_DETACH), "leave the old root")
    os.chdir("/")
    if uid != 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    os.execvp(command[0], command)


if __name__ == "__main__":
    enter(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
