"""Clients that open a run as events and do not read them (row R6): the program waits, the server's memory does not grow."""

import json
import os
import socket
import threading
import time

import httpx
import pytest
from harness.host import memory_of, room
from harness.server import Server

pytestmark = pytest.mark.once


def flood(megabytes):
    """Pieces of 64 KiB, each of which says its number all through."""
    return f"""
import sys
for i in range({megabytes} * 16):
    sys.stdout.write(f'{{i:08d}}' * 8192)
print()
"""


FLOOD = flood(48)
SHELL_MEGABYTES = 48
SHELL_FLOOD = f"for i in $(seq {SHELL_MEGABYTES // 4}); do head -c 4194304 /dev/zero | tr '\\0' a; done; echo; echo done"
ROOM = {"output_bytes_max": 1 << 30}
# What a server may grow by for one reader. The address sanitizer keeps so much that was freed.
GROWS = (8 << 20) + (8 << 20 if "quarantine_size_mb=8" in os.environ.get("ASAN_OPTIONS", "") else 0)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    assert running.stop() == 0


class Reader:
    """A client of a run's events that reads when it is told to, and until then takes next to nothing."""

    def __init__(self, server, path, **body):
        host, port = server.url.removeprefix("http://").split(":")
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        self.socket.settimeout(60)
        self.socket.connect((host, int(port)))
        text = json.dumps(body).encode()
        self.socket.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nConnection: close\r\n"
                            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(text)) + text)

    def lines(self):
        """The body's lines, with the chunks' heads taken out."""
        stream = self.socket.makefile("rb", buffering=1 << 20)
        assert b" 200 " in stream.readline()
        while stream.readline().strip():
            pass
        rest = b""
        while size := int(stream.readline(), 16):
            rest += stream.read(size)
            stream.readline()
            *whole, rest = rest.split(b"\n")
            yield from whole

    def events(self):
        name = None
        for line in self.lines():
            if line.startswith(b"event: "):
                name = line[7:].decode()
            elif line.startswith(b"data: "):
                yield name, json.loads(line[6:])

    def close(self):
        self.socket.close()


def settled(server, seconds=3.0) -> int:
    """The most memory that the server has over that time."""
    most, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        most = max(most, memory_of(server.process.pid))
        time.sleep(0.05)
    return most


def check_flood(events, megabytes):
    """All of it, in order, without keeping it."""
    at, tail, ended = 0, "", None
    for name, data in events:
        if name == "stdout":
            tail += data["text"]
            while len(tail) >= 65536:
                assert tail[:65536] == f"{at:08d}" * 8192
                tail, at = tail[65536:], at + 1
        elif name == "ended":
            ended = data
    assert (at, tail) == (megabytes * 16, "\n")
    assert ended["reason"] == "exited" and not ended["output_truncated"]


def test_r6_a_slow_reader_slows_the_run_and_costs_no_memory(server):
    session = server.session(limits=ROOM)
    server.run(session, "print('warm')")
    before = memory_of(server.process.pid)
    reader = Reader(server, f"/v1/sessions/{session}/run", code=flood(200), timeout="10m")
    grown = settled(server) - before
    print(f"one reader: {grown / 2**20:.1f} MiB more")
    assert grown < GROWS
    check_flood(reader.events(), 200)
    reader.close()


def test_r6_a_slow_reader_of_a_program(server):
    session = server.session(limits=ROOM)
    before = memory_of(server.process.pid)
    reader = Reader(server, f"/v1/sessions/{session}/run", code=SHELL_FLOOD, language="shell", timeout="10m")
    grown = settled(server) - before
    print(f"one reader of a program: {grown / 2**20:.1f} MiB more")
    assert grown < GROWS
    letters, last, ended = 0, "", None
    for name, data in reader.events():
        if name == "stdout":
            letters += data["text"].count("a")
            last = data["text"][-6:]
        elif name == "ended":
            ended = data
    assert letters == SHELL_MEGABYTES << 20 and last.endswith("done\n")
    assert ended["reason"] == "exited" and ended["exit_code"] == 0
    reader.close()


def test_r6_ten_slow_readers_at_once(server):
    sessions = [server.session(limits=ROOM) for _ in range(10)]
    for session in sessions:
        server.run(session, "print('warm')")
    before = memory_of(server.process.pid)
    readers = [Reader(server, f"/v1/sessions/{session}/run", code=FLOOD, timeout="10m") for session in sessions]
    grown = settled(server, 5.0) - before
    print(f"ten readers: {grown / 2**20:.1f} MiB more")
    assert grown < 10 * (2 << 20)
    assert server.http.post("/v1/run", json={"code": "print(1)"}).json()["stdout"] == "1\n"
    for reader in readers:
        reader.close()  # the runs end with their clients
    for session in sessions:
        assert server.run(session, "print('free')", timeout="30s")["stdout"].endswith("free\n")
        server.http.delete(f"/v1/sessions/{session}")


def test_r6_large_results_count_as_well(server):
    """A result in many frames is paid for as a whole: fifty of four megabytes do not pile up."""
    session = server.session(limits=ROOM)
    server.run(session, "from IPython.display import display, HTML; print('warm')")
    before = memory_of(server.process.pid)
    code = "for i in range(50): display(HTML(f'{i:03d}' + 'x' * (4 << 20)))"
    reader = Reader(server, f"/v1/sessions/{session}/run", code=code, timeout="10m")
    grown = settled(server) - before
    print(f"results: {grown / 2**20:.1f} MiB more")
    assert grown < room(48 << 20)  # a few at a time, in their shapes on the way
    seen = [data["data"]["text/html"][:3] for name, data in reader.events() if name == "result"]
    assert seen == [f"{i:03d}" for i in range(50)]
    reader.close()


@pytest.mark.parametrize("language, code", [("python", FLOOD), ("shell", "yes")])
def test_time_ends_a_run_whose_reader_is_stuck(server, language, code):
    session = server.session(limits=ROOM)
    server.run(session, "kept = 'kept'")
    reader = Reader(server, f"/v1/sessions/{session}/run", code=code, language=language, timeout="2s")
    # Another run comes after it in the same kernel: its answer says that the first has ended.
    began = time.monotonic()
    if language == "python":
        answer = server.run(session, "print(kept)", timeout="30s")
        assert answer["stdout"].endswith("kept\n") and not answer["state_lost"]
        assert time.monotonic() - began < 25
    (*_, (name, ended)) = reader.events()
    assert name == "ended" and ended["reason"] == "timeout"
    assert server.run(session, "print(kept)")["stdout"].endswith("kept\n")
    reader.close()


def test_an_interrupt_reaches_a_run_whose_reader_is_stuck(server):
    session = server.session(limits=ROOM)
    server.run(session, "kept = 'kept'")
    reader = Reader(server, f"/v1/sessions/{session}/run", code=FLOOD, timeout="10m")
    time.sleep(1.5)
    answer = server.http.post(f"/v1/sessions/{session}/contexts/default/interrupt")
    assert answer.status_code == 200, answer.text
    answer = server.run(session, "print(kept)", timeout="30s")
    assert answer["stdout"].endswith("kept\n") and not answer["state_lost"]
    seen = list(reader.events())
    assert [data["name"] for name, data in seen if name == "error"] == ["KeyboardInterrupt"]
    assert seen[-1][0] == "ended" and seen[-1][1]["reason"] == "killed"
    reader.close()


def test_a_client_that_leaves_in_mid_flood(server):
    session = server.session(limits=ROOM)
    server.run(session, "kept = 'kept'")
    reader = Reader(server, f"/v1/sessions/{session}/run", code=FLOOD, timeout="10m")
    time.sleep(1)
    reader.close()
    answer = server.run(session, "print(kept)", timeout="30s")
    assert answer["stdout"].endswith("kept\n") and not answer["state_lost"]


def test_a_run_that_shall_go_on_goes_on_without_its_reader(server):
    session = server.session(limits=ROOM)
    reader = Reader(server, f"/v1/sessions/{session}/run", code=FLOOD + "open('done', 'w').write('yes')", timeout="10m",
                    keep_running=True)
    time.sleep(1)
    reader.close()
    assert server.run(session, "print(open('done').read())", timeout="60s")["stdout"].endswith("yes\n")


def test_last_words_of_a_kernel_that_ends_reach_a_slow_reader(server):
    session = server.session(limits=ROOM)
    code = "import os\nfor i in range(40): os.write(1, b'%06d' % i * 20000)\nos.write(1, b'last'); os._exit(3)"
    reader = Reader(server, f"/v1/sessions/{session}/run", code=code, timeout="10m")
    time.sleep(2)
    seen = list(reader.events())
    text = "".join(data["text"] for name, data in seen if name == "stdout")
    assert text == "".join(f"{i:06d}" * 20000 for i in range(40)) + "last"
    assert seen[-1][1]["exit_code"] == 3 and seen[-1][1]["state_lost"]
    reader.close()


def test_waiting_for_a_kernel_does_not_use_up_a_runs_time(server):
    """A short run behind a long one: its clock begins with it, and nobody's sandbox is cut off."""
    session = server.session()
    server.run(session, "x = 1")
    answers = {}

    def long_one():
        answers["long"] = httpx.post(f"{server.url}/v1/sessions/{session}/run", timeout=90,
                                     json={"code": "import time; time.sleep(15); print(x)", "timeout": "60s"})
    thread = threading.Thread(target=long_one)
    thread.start()
    time.sleep(0.5)
    short = httpx.post(f"{server.url}/v1/sessions/{session}/run", timeout=90,
                       json={"code": "print(x + 1)", "timeout": "1s"})
    thread.join()
    assert answers["long"].status_code == 200 and answers["long"].json()["stdout"] == "1\n"
    assert short.status_code == 200 and short.json()["stdout"] == "2\n", short.text


def test_a_run_that_waits_for_its_kernel_is_given_up_with_its_client(server):
    session = server.session()
    first = Reader(server, f"/v1/sessions/{session}/run", code="import time; time.sleep(3); print('first')")
    time.sleep(0.3)
    second = Reader(server, f"/v1/sessions/{session}/run", code="open('second', 'w')")
    time.sleep(0.3)
    second.close()
    assert any(data.get("text") == "first\n" for _, data in first.events())
    assert server.run(session, "import os; print(os.path.exists('second'))")["stdout"] == "False\n"
    first.close()
