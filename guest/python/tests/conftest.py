"""A kernel under test is a real process, driven over its link; its stdout and stderr are pipes.

Goal of the whole folder: what a client sees of a kernel, and that nothing a cell does ends it.
The interpreter under test is the one that runs pytest: pip install ipython pandas matplotlib … there.
"""

import array
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = struct.Struct("<IB")


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


class Answer:
    def __init__(self, done, events, data, out, err):
        self.done, self.events, self.data, self.out, self.err = done, events, data, out, err

    @property
    def status(self):
        return self.done.get("status")

    def kinds(self):
        return [event["event"] for event in self.events]

    def of(self, kind):
        return [event for event in self.events if event["event"] == kind]

    @property
    def text(self):
        (result,) = self.of("result")
        return result["data"]["text/plain"]

    @property
    def error(self):
        (error,) = self.of("error")
        return error


class Client:
    """The guest's side of a link. Reads stdout and stderr in threads, as the guest drains pipes."""

    def __init__(self, sock, out, err, pid):
        self.socket, self.pid = sock, pid
        self.output = {1: bytearray(), 2: bytearray()}
        self.order = []
        for number, fd in ((1, out), (2, err)):
            threading.Thread(target=self._collect, args=(number, fd), daemon=True).start()

    def _collect(self, number, fd):
        while True:
            try:
                part = os.read(fd, 65536)
            except OSError:
                return
            if not part:
                return
            self.output[number] += part
            self.order.append((time.monotonic(), number, bytes(part)))

    def send(self, kind, payload=b""):
        if kind == "q":
            self.before = {number: len(text) for number, text in self.output.items()}
        if not isinstance(payload, bytes):
            payload = json.dumps(payload).encode()
        self.socket.sendall(HEADER.pack(len(payload), ord(kind)) + payload)

    def _exactly(self, count, timeout):
        data = bytearray()
        end = time.monotonic() + timeout
        while len(data) < count:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError("the kernel does not answer")
            part = self.socket.recv(min(count - len(data), 1 << 20))
            if not part:
                raise EOFError("the kernel has gone")
            data += part
        return bytes(data)

    def receive(self, timeout=30):
        length, kind = HEADER.unpack(self._exactly(5, timeout))
        return chr(kind), self._exactly(length, timeout)

    def answer(self, on_event=None, timeout=30):
        events, data = [], bytearray()
        while True:
            kind, payload = self.receive(timeout)
            if kind == "e":
                event = json.loads(payload, parse_constant=refuse)
                events.append(event)
                if on_event:
                    on_event(event)
            elif kind == "b":
                data += payload
            elif kind == "d":
                time.sleep(0.02)  # what was written before `done` is in the pipe already
                out, err = (
                    bytes(self.output[n][self.before[n] :]).decode("utf-8", "replace")
                    for n in (1, 2)
                )
                return Answer(json.loads(payload), events, bytes(data), out, err)

    def ask(self, op, on_event=None, timeout=30, **fields):
        self.send("q", {"op": op, **fields})
        return self.answer(on_event, timeout)

    def run(self, code, **fields):
        return self.ask("run", code=code, **fields)

    def interrupt(self, after=0.0):
        timer = threading.Timer(after, os.kill, (self.pid, signal.SIGINT))
        timer.start()
        return timer

    def import_container(self, container, chunk=100_000):
        self.send("q", {"op": "import"})
        for start in range(0, len(container), chunk):
            self.send("b", container[start : start + chunk])
        self.send("f")
        return self.answer()


def environment(home):
    kept = {key: os.environ[key] for key in ("PATH",) if key in os.environ}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8"}


def start_kernel(folder, **start):
    ours, theirs = socket.socketpair()
    out, err = os.pipe(), os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "atoll_guest.kernel", str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=out[1],
        stderr=err[1],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        },
    )
    theirs.close()
    os.close(out[1])
    os.close(err[1])
    client = Client(ours, out[0], err[0], process.pid)
    client.process = process
    started = client.ask("start", env=environment(folder), cwd=str(folder), **start)
    assert started.status == "ok", (started.done, bytes(client.output[2]).decode())
    return client


def stop_kernel(client):
    client.socket.close()
    try:
        client.process.wait(5)
    except subprocess.TimeoutExpired:
        client.process.kill()
        client.process.wait()


@pytest.fixture
def kernel(tmp_path):
    client = start_kernel(tmp_path)
    client.folder = tmp_path
    yield client
    stop_kernel(client)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """For tests that leave nothing behind that another could trip over."""
    folder = tmp_path_factory.mktemp("session")
    client = start_kernel(folder)
    client.folder = folder
    yield client
    stop_kernel(client)


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory):
    """A guest library without walls: see guest_stand_in.c."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler for the stand-in of the guest library")
    library = tmp_path_factory.mktemp("library") / "libguest_stand_in.so"
    source = ROOT / "tests" / "guest_stand_in.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


class Zygote:
    def __init__(self, library, folder, preload=(), isolated=True, **more):
        self.folder = folder
        self.control, theirs = socket.socketpair()
        config = {"library": str(library), "control_fd": theirs.fileno(), "preload": list(preload)}
        path = folder / "zygote.json"
        path.write_text(json.dumps({**config, **more}))
        self.process = subprocess.Popen(
            [
                sys.executable,
                *(["-I"] if isolated else []),
                str(ROOT / "atoll_guest/zygote.py"),
                path,
            ],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**environment(folder), "PYTHONPATH": str(folder)},  # -I does not look at it
        )
        theirs.close()

    def fork(self):
        ours, theirs = socket.socketpair()
        out, err = os.pipe(), os.pipe()
        fds = array.array("i", [theirs.fileno(), out[1], err[1]])
        self.control.sendmsg([b"k"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        theirs.close()
        os.close(out[1])
        os.close(err[1])
        client = Client(ours, out[0], err[0], 0)
        started = client.ask(
            "start", env=environment(self.folder), cwd=str(self.folder), timeout=120
        )
        client.pid = started.done["pid"]
        return client

    def failure(self):
        length, kind = HEADER.unpack(self.control.recv(5, socket.MSG_WAITALL))
        assert chr(kind) == "e"
        return json.loads(self.control.recv(length, socket.MSG_WAITALL)), self.process.wait(10)

    def close(self):
        self.control.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


@pytest.fixture
def make_zygote(stand_in, tmp_path):
    made = []

    def make(preload=(), **more):
        made.append(Zygote(more.pop("library", stand_in), tmp_path, preload, **more))
        return made[-1]

    yield make
    for zygote in made:
        zygote.close()
