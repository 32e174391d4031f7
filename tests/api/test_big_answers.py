"""Large answers are made beside the loop and in pieces: they are right to the byte, cost little memory, and hold up nobody."""

import codecs
import ctypes
import gzip
import json
import socket
import threading
import time

import httpx
import pytest
from harness.host import memory_of, room
from harness.server import Server

pytestmark = pytest.mark.once

MIB = 1 << 20
# What is hard to escape and to cut: control characters, quotes, characters of each length, and bytes that are none.
HARD = bytes(range(256)) + "aé€😀\u2028\"\\".encode() + b"\xf0\x9f\x98" + b"\x80" * 7 + b"\xed\xa0\x80" + b"\xc3"
FULL_LOG = "head -c 16777200 /dev/zero | tr '\\0' '\\001'"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    assert running.process.poll() is None, "the server has ended"
    assert running.stop() == 0


class Buffer(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("used", ctypes.c_size_t)]


def zstd_unpacked(packed: bytes) -> bytes:
    """By the library that the server uses itself: Python has none in it."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createDStream.restype = ctypes.c_void_p
    library.ZSTD_decompressStream.restype = ctypes.c_size_t
    stream = ctypes.c_void_p(library.ZSTD_createDStream())
    room = ctypes.create_string_buffer(MIB)
    source = Buffer(ctypes.cast(packed, ctypes.c_void_p), len(packed), 0)
    whole, left = [], 1
    while left or source.used < source.size:
        target = Buffer(ctypes.addressof(room), MIB, 0)
        left = library.ZSTD_decompressStream(stream, ctypes.byref(target), ctypes.byref(source))
        assert not library.ZSTD_isError(ctypes.c_size_t(left))
        whole.append(room.raw[:target.used])
        assert target.used or source.used < source.size or not left, "the frame has no end"
    library.ZSTD_freeDStream(stream)
    return b"".join(whole)


def plain(response) -> bytes:
    """The body as it was before it was packed. Asked of the raw bytes: httpx knows no zstd."""
    packed = b"".join(response.iter_raw())
    return {None: bytes, "gzip": gzip.decompress, "zstd": zstd_unpacked}[response.headers.get("content-encoding")](packed)


def ask(server, method, path, coding=None, **more):
    headers = {"Accept-Encoding": coding or "identity"}
    with httpx.stream(method, server.url + path, headers=headers, timeout=120, **more) as response:
        assert response.headers.get("content-encoding") == coding
        return response.status_code, response.headers, json.loads(plain(response))


def one_by_one(problem):
    return "\ufffd", problem.start + 1


def as_text(printed: bytes) -> str:
    """As the server says it reads bytes: each that belongs to no character is U+FFFD."""
    codecs.register_error("one_by_one", one_by_one)
    return printed.decode(errors="one_by_one")


def job_of(server, code, kind="shell") -> str:
    return server.http.post("/schedule", json={"kind": kind, "code": code}).json()["job_id"]


def ended(server, job) -> dict:
    until = time.monotonic() + 60
    while (found := server.http.get(f"/v1/jobs/{job}").json())["state"] in ("queued", "running"):
        assert time.monotonic() < until, found
        time.sleep(0.05)
    return found


@pytest.fixture(scope="module")
def full_log(server):
    """A job that printed nearly sixteen mebibytes of control characters."""
    job = job_of(server, FULL_LOG)
    assert ended(server, job)["log_bytes"] == 16777200
    return job


PRINT_HARD = """
import os, sys
def put(to, text):
    while text: text = text[os.write(to, text):]
hard = bytes.fromhex({hard!r})
put(1, hard * {out})
put(2, hard * {err})
"""


def print_hard(out, err):
    return PRINT_HARD.format(hard=HARD.hex(), out=out, err=err)


@pytest.mark.parametrize("coding", [None, "gzip", "zstd"])
def test_a_run_is_answered_to_the_byte(server, coding):
    code = print_hard(4000, 900)
    status, headers, answer = ask(server, "POST", "/v1/run", coding, json={"code": code})
    assert status == 200 and headers["content-type"] == "application/json"
    assert headers["vary"].lower() == "accept-encoding"
    # The kernel reads its output in pieces; where two meet nothing is lost.
    assert answer["stdout"] == as_text(HARD * 4000) and answer["stderr"] == as_text(HARD * 900)
    assert answer["exit_code"] == 0 and answer["reason"] == "exited" and not answer["output_truncated"]


@pytest.mark.parametrize("coding", [None, "gzip", "zstd"])
def test_a_status_is_answered_to_the_byte(server, coding):
    job = job_of(server, print_hard(3000, 700), kind="python")
    ended(server, job)
    status, headers, answer = ask(server, "GET", f"/status/{job}", coding)
    assert status == 200 and headers["content-type"] == "application/json"
    assert list(answer) == ["state", "stdout", "stderr"] and answer["state"] == "succeeded"
    assert answer["stdout"] == as_text(HARD * 3000) and answer["stderr"] == as_text(HARD * 700)


def test_short_and_long_status_say_the_same(server):
    """Both sides of the border: the order of the streams in the log does not matter, and why a job ended is said."""
    for lines, long in ((10, False), (20000, True)):
        code = f"for i in $(seq {lines}); do echo o$i; echo e$i >&2; done"
        job = job_of(server, code)
        ended(server, job)
        answer = server.http.get(f"/status/{job}")
        assert ("content-length" in answer.headers) != long
        assert answer.json() == {"state": "succeeded", "stdout": "".join(f"o{i + 1}\n" for i in range(lines)),
                                 "stderr": "".join(f"e{i + 1}\n" for i in range(lines))}
    for size in (10, 300000):
        job = job_of(server, f"head -c {size} /dev/zero | tr '\\0' x; exit 3")
        ended(server, job)
        answer = server.http.get(f"/status/{job}").json()
        assert answer == {"state": "failed", "stdout": "x" * size, "stderr": "it ended with exit status 3"}


def test_the_status_of_a_job_that_still_prints(server):
    job = job_of(server, "for i in $(seq 40); do head -c 20000 /dev/zero | tr '\\0' a; echo; sleep 0.05; done; sleep 600")
    seen, until = 0, time.monotonic() + 60
    while seen < 40 * 20001:
        answer = server.http.get(f"/status/{job}").json()
        assert answer["state"] in ("queued", "running") and set(answer["stdout"]) <= {"a", "\n"} and answer["stderr"] == ""
        assert len(answer["stdout"]) >= seen and time.monotonic() < until
        seen = len(answer["stdout"])
    server.http.post(f"/v1/jobs/{job}/cancel")
    ended(server, job)


def test_head_and_the_next_request_on_the_same_connection(server, full_log):
    for path in (f"/status/{full_log}", f"/v1/jobs/{full_log}/logs"):
        answer = server.http.head(path)
        assert answer.status_code == 200 and answer.content == b"" and answer.headers["content-type"] == "application/json"
        assert server.http.get("/healthz").json()["status"] == "ok"
    page = server.http.get(f"/v1/jobs/{full_log}/logs").json()
    assert {chunk["text"].strip("\x01") for chunk in page["chunks"]} == {""} and not page["complete"]


def test_small_answers_have_a_length(server):
    for path in ("/healthz", "/v1/sessions", "/v1/jobs?limit=1"):
        assert "content-length" in server.http.get(path).headers
    assert "content-length" in server.http.post("/v1/run", json={"code": "print(1)"}).headers


def test_results_are_told_to_the_byte(server):
    """A large text, and a tree of many values; in the answer, and as events."""
    code = """
from IPython.display import HTML, display
display(HTML('\\x01"é😀' * 500000))
display({'application/json': [[i, str(i), None, {'x': [i / 2]}] for i in range(40000)]}, raw=True)
"""
    text, tree = '\x01"é😀' * 500000, [[i, str(i), None, {"x": [i / 2]}] for i in range(40000)]
    session = server.session()
    answer = server.run(session, code)
    assert answer["results"][0]["data"]["text/html"] == text and answer["results"][1]["data"]["application/json"] == tree
    seen, name = [], None
    with httpx.stream("POST", f"{server.url}/v1/sessions/{session}/run", json={"code": code}, timeout=120,
                      headers={"Accept": "text/event-stream"}) as response:
        for line in response.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: ") and name in ("result", "ended"):
                seen.append((name, json.loads(line[6:])))
    assert [name for name, _ in seen] == ["result", "result", "ended"]
    assert seen[0][1]["data"]["text/html"] == text and seen[1][1]["data"]["application/json"] == tree
    server.http.delete(f"/v1/sessions/{session}")


def test_results_count_against_the_output_limit(server):
    session = server.session(limits={"output_bytes_max": MIB})
    answer = server.run(session, "from IPython.display import HTML, display\nfor i in range(4): display(HTML('x' * 400000))")
    assert [len(one["data"]["text/html"]) for one in answer["results"]] == [400000] * 2
    assert answer["output_truncated"] and answer["reason"] == "output"
    server.http.delete(f"/v1/sessions/{session}")


def test_lists_may_be_large_too(server):
    jobs = [server.http.post("/v1/jobs", json={"kind": "shell", "code": ":", "metadata": {
        f"k{n}": "\x02" * 1000 for n in range(32)}}).json()["id"] for _ in range(12)]
    status, headers, page = ask(server, "GET", "/v1/jobs?metadata=k0%3D" + "%02" * 1000, "gzip")
    assert status == 200 and "content-length" not in headers
    assert sorted(job["id"] for job in page["jobs"]) == sorted(jobs)
    assert all(job["metadata"] == {f"k{n}": "\x02" * 1000 for n in range(32)} for job in page["jobs"])
    for job in jobs:
        ended(server, job)


def test_large_requests_are_read_as_small_ones_are(server):
    code = "x = '" + "é" * 45000 + "'\nprint(len(x))"
    assert server.http.post("/v1/run", json={"code": code}).json()["stdout"] == "45000\n"
    session = server.session()
    many = {f"V{n}": chr(96 + n) * 30000 for n in range(1, 7)}
    assert server.run(session, "echo ${#V3} ${V6:0:3}", language="shell", environment=many)["stdout"] == "30000 fff\n"
    server.http.delete(f"/v1/sessions/{session}")
    answer = server.http.post("/v1/run", json={"code": "1", "environment": many, "langage": "shell"})
    assert answer.status_code == 400 and answer.headers["content-type"] == "application/problem+json"
    assert [one["path"] for one in answer.json()["errors"]] == ["langage"]
    keys = ",".join(f'"{n:x}":1' for n in range(200000))
    for text in ('{"environment":{' + keys + "}}", '{"code":[' + "[]," * 500000 + "[]]}", '{"code":"' + "\\u0001" * 300000,
                 '{"code":"' + "x" * (9 << 20) + '"}', '{"' + keys[1:] + ',"0":1}'):
        answer = server.http.post("/v1/run", content=text, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 413) and answer.headers["content-type"] == "application/problem+json"
    assert "stands twice" in answer.json()["detail"]


class Asks:
    """A client that asks and reads when it is told to, or leaves."""

    def __init__(self, server, path, coding="identity"):
        host, port = server.url.removeprefix("http://").split(":")
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        self.socket.settimeout(60)
        self.socket.connect((host, int(port)))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {coding}\r\n\r\n".encode())

    def close(self):
        self.socket.close()


def test_others_are_served_while_large_answers_are_made(server):
    """Eight at once, and the memory of none of them: the logs alone would be 32 MiB, escaped 192."""
    size = 4 * MIB
    job = job_of(server, f"head -c {size} /dev/zero | tr '\\0' '\\001'")
    ended(server, job)
    before = memory_of(server.process.pid)
    most, wrong = 0, []

    def read_all(coding):
        with httpx.stream("GET", f"{server.url}/status/{job}", timeout=120,
                          headers={"Accept-Encoding": coding}) as response:
            bytes_in = sum(len(piece) for piece in response.iter_raw(MIB))
        if coding == "identity" and bytes_in != 6 * size + len('{"state":"succeeded","stdout":"","stderr":""}'):
            wrong.append(bytes_in)

    readers = [threading.Thread(target=read_all, args=(("identity", "gzip")[n % 2],)) for n in range(8)]
    for reader in readers:
        reader.start()
    waits = []
    while any(reader.is_alive() for reader in readers):
        asked = time.monotonic()
        assert server.http.get("/healthz").status_code == 200
        waits.append(time.monotonic() - asked)
        most = max(most, memory_of(server.process.pid))
        time.sleep(0.01)
    assert not wrong and len(waits) > 10
    print(f"{len(waits)} requests meanwhile, the slowest {max(waits) * 1000:.0f} ms; {(most - before) / MIB:.0f} MiB more")
    assert most - before < room(48 * MIB)


def test_slow_readers_cost_a_piece_each(server, full_log):
    before = memory_of(server.process.pid)
    readers = [Asks(server, f"/status/{full_log}", coding) for coding in ("identity", "gzip", "zstd") for _ in range(7)]
    time.sleep(3)
    grown = memory_of(server.process.pid) - before
    print(f"{len(readers)} readers that do not read: {grown / MIB:.0f} MiB more")
    assert grown < len(readers) * 8 * MIB
    for reader in readers:
        reader.close()
    assert server.http.get("/healthz").status_code == 200


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_clients_that_hang_up_at_once(server, full_log, coding):
    for wait in (0, 0.05, 0.5):
        leaving = [Asks(server, f"/status/{full_log}", coding) for _ in range(20)]
        time.sleep(wait)
        for one in leaving:
            one.close()
        assert server.http.get("/healthz").status_code == 200
    # Those of a run leave while its answer is made, too.
    text = json.dumps({"code": FULL_LOG, "language": "shell"}).encode()
    for wait in (0.5, 1.0, 1.5, 2.0):
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: %s\r\nContent-Type: application/json\r\n"
                           b"Content-Length: %d\r\n\r\n" % (coding.encode(), len(text)) + text)
            time.sleep(wait)
    assert server.http.post("/v1/run", json={"code": "print(1)"}).json()["stdout"] == "1\n"


def test_the_server_ends_while_answers_are_made(own_server):
    job = job_of(own_server, FULL_LOG)
    ended(own_server, job)
    url, cut = own_server.url, []

    def read_on(coding):
        try:
            while True:
                httpx.get(f"{url}/status/{job}", timeout=60, headers={"Accept-Encoding": coding})
        except httpx.HTTPError as error:
            cut.append(error)

    readers = [threading.Thread(target=read_on, args=(coding,)) for coding in ("identity", "gzip") * 3]
    for reader in readers:
        reader.start()
    slow = [Asks(own_server, f"/status/{job}", coding) for coding in ("identity", "gzip", "zstd")]
    time.sleep(1)
    assert own_server.stop() == 0
    for reader in readers:
        reader.join(60)
    assert len(cut) == len(readers)
    for one in slow:
        one.close()
