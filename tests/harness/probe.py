"""Raw system calls from inside a sandbox, and the same ones outside for comparison.

A probe is Python text that leaves its findings in `answer`; they come back as JSON. It can use

    call(name, *arguments)    the system call itself, past libc's own checks: "EPERM", or its result
    attempt(function)         what a Python function did: "EACCES", or its result
    in_child(function)        the same in a fork, for what changes or ends the process: its answer,
                              or "SIGSYS" when it was killed

Untrusted code starts by four ways, each of which raises the walls by code of its own: forked as a
kernel, started as a program by PID 1 (as the ordinary user, or as root), and `atoll run`. PLACES runs
a probe in each of them.
"""
import json
import os
import platform
import subprocess
import sys

from .cli import run_json

# Numbers that differ; from 424 on all architectures count alike.
_X86_64 = {
    "acct": 163, "add_key": 248, "adjtimex": 159, "bpf": 321, "chroot": 161, "clock_adjtime": 305,
    "clock_settime": 227, "clone": 56, "delete_module": 176, "fanotify_init": 300,
    "finit_module": 313, "getpid": 39, "init_module": 175, "ioperm": 173, "iopl": 172,
    "kcmp": 312, "kexec_file_load": 320, "kexec_load": 246, "keyctl": 250, "lookup_dcookie": 212,
    "mknodat": 259, "modify_ldt": 154, "mount": 165, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "perf_event_open": 298, "pivot_root": 155, "process_vm_readv": 310,
    "process_vm_writev": 311, "ptrace": 101, "quotactl": 179, "reboot": 169, "request_key": 249,
    "setdomainname": 171, "sethostname": 170, "setns": 308, "settimeofday": 164, "swapoff": 168,
    "swapon": 167, "syslog": 103, "umount2": 166, "unshare": 272, "userfaultfd": 323,
}
_AARCH64 = {
    "acct": 89, "add_key": 217, "adjtimex": 171, "bpf": 280, "chroot": 51, "clock_adjtime": 266,
    "clock_settime": 112, "clone": 220, "delete_module": 106, "fanotify_init": 262,
    "finit_module": 273, "getpid": 172, "init_module": 105, "kcmp": 272, "kexec_file_load": 294,
    "kexec_load": 104, "keyctl": 219, "lookup_dcookie": 18, "mknodat": 33, "mount": 40,
    "name_to_handle_at": 264, "open_by_handle_at": 265, "perf_event_open": 241, "pivot_root": 41,
    "process_vm_readv": 270, "process_vm_writev": 271, "ptrace": 117, "quotactl": 60,
    "reboot": 142, "request_key": 218, "setdomainname": 162, "sethostname": 161, "setns": 268,
    "settimeofday": 170, "swapoff": 225, "swapon": 224, "syslog": 116, "umount2": 39,
    "unshare": 97, "userfaultfd": 282,
}
_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "pidfd_open": 434, "clone3": 435, "close_range": 436, "pidfd_getfd": 438, "mount_setattr": 442,
    "quotactl_fd": 443, "statmount": 457, "listmount": 458, "nothing_has_this_number": 9999,
}
NUMBERS = {**(_X86_64 if platform.machine() == "x86_64" else _AARCH64), **_COMMON}

_PRELUDE = '''
import ctypes, errno, json, os, signal, sys
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
def call(name, *arguments):
    number = name if isinstance(name, int) else _NUMBERS[name]
    ctypes.set_errno(0)
    result = _libc.syscall(ctypes.c_long(number), *[
        ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    return errno.errorcode[ctypes.get_errno()] if result == -1 else result
def attempt(function, *arguments):
    try:
        return function(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
def in_child(function):
    here, there = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(there, json.dumps(attempt(function)).encode())
        finally:
            os._exit(0)
    os.close(there)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(here, "rb") as file:
        said = file.read()
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else json.loads(said)
answer = None
'''
_MARK = "probe answer: "


def text(body: str) -> str:
    """The whole program of a probe."""
    return f"_NUMBERS = {NUMBERS!r}\n{_PRELUDE}\n{body}\nprint({_MARK!r} + json.dumps(answer))\n"


def _answer(out: str, err):
    for line in out.splitlines():
        if line.startswith(_MARK):
            return json.loads(line[len(_MARK):])
    raise AssertionError(f"the probe did not finish: {out}\n{err}")


def in_kernel(sandbox, body: str, **more):
    done = sandbox.python(text(body), **more)
    return _answer(done.out, done.err or done)


def in_program(sandbox, body: str, **fields):
    done = sandbox.run("python", "-c", text(body), **fields)
    return _answer(done.out, done.err or done)


def in_root_program(sandbox, body: str):
    """In a program that is shown itself as root."""
    return in_program(sandbox, body, user="root")


def in_one_off(body: str, *options: str):
    """In a sandbox of `atoll run`."""
    done = run_json(*options, "-c", text(body))
    return _answer(done["stdout"], done)


def outside(body: str, drop_to=None):
    """On the host, without any wall; as an ordinary user when root asks for one."""
    done = subprocess.run(
        [sys.executable, "-c", text(body)], capture_output=True, text=True, timeout=60,
        user=drop_to if os.geteuid() == 0 else None)
    return _answer(done.stdout, done.stderr)


PLACES = {
    "kernel": in_kernel,
    "program": in_program,
    "root": in_root_program,
    "one-off": lambda sandbox, body: in_one_off(body),
}
