"""Clients that take more than their share of connections, descriptors, watches and job slots (rows T3, T4)."""
import errno
import os
import resource
import selectors
import socket
import time

import httpx
import pytest
from harness import host
from harness.faults import WATCH, Faults
from harness.server import Server

pytestmark = pytest.mark.once

ADMIN = "an-administrators-key-for-these-tests-0123456789"
FILES = 1024


# As is usual, and no more: the hard limit as well.
SMALL = ("prlimit", f"--nofile={FILES}:{FILES}")


def eventually(check, within=60):
    until = time.monotonic() + within
    while True:
        try:
            return check()
        except (AssertionError, httpx.HTTPError):
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


class Crowd:
    """Connections that mean no good, from several addresses of this machine; each is taken up again when it is closed."""

    def __init__(self, server, count):
        self.port = int(server.url.rsplit(":", 1)[1])
        self.made, self.open = 0, []
        for i in range(count):
            self.one(i)

    def one(self, i):
        s = socket.socket()
        s.bind((f"127.0.0.{2 + i % 4}", 0))
        s.settimeout(10)
        try:
            s.connect(("127.0.0.1", self.port))
            kind = i % 5
            if kind == 1:
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            elif kind == 2:
                s.sendall(b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
            elif kind == 3:
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                s.shutdown(socket.SHUT_WR)
            elif kind == 4:
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
        except OSError:
            pass  # it was turned away
        s.setblocking(False)
        self.open.append(s)
        self.made += 1

    def close(self):
        for s in self.open:
            s.close()


@pytest.fixture
def small(tmp_path):
    running = Server(tmp_path, prefix=SMALL)
    yield running
    if running.process.poll() is None:
        assert running.stop() == 0


def test_t3_crowds_of_connections_cost_nobody_anything(small):
    session = small.session(name="kept")
    assert small.run(session, "x = 42; open('/session/big', 'wb').write(b'y' * 5_000_000); print(x)")["stdout"] == "42\n"
    memory = host.memory_of(small.process.pid)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    crowd = None
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        count = min(2000, hard - 200)
        crowd = Crowd(small, count)
        assert crowd.made == count

        def answered():
            with httpx.Client(base_url=small.url, timeout=60) as other:
                assert other.get("/healthz").status_code == 200
                answer = other.post(f"/v1/sessions/{session}/run", json={"code": "print(x)"})
                assert answer.status_code == 200 and answer.json()["stdout"] == "42\n"
                got = other.get(f"/v1/sessions/{session}/files/session/big")
                assert got.status_code == 200 and got.content == b"y" * 5_000_000
                made = other.post("/v1/sessions", json={})
                assert made.status_code == 201
                assert other.delete(f"/v1/sessions/{made.json()['id']}").status_code == 204
        for _ in range(3):
            eventually(answered)
        used = len(os.listdir(f"/proc/{small.process.pid}/fd"))
        assert used < FILES - 100, "the server's own descriptors are used up"
    finally:
        if crowd:
            crowd.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert small.run(session, "print(x)")["stdout"] == "42\n"
    assert host.memory_of(small.process.pid) < memory + host.room(200 << 20)


def test_t3_the_soft_limit_is_raised_and_sandboxes_keep_theirs(tmp_path):
    server = Server(tmp_path, prefix=("prlimit", "--nofile=1024:4096"))
    try:
        limits = open(f"/proc/{server.process.pid}/limits").read()
        assert next(line for line in limits.splitlines() if line.startswith("Max open files")).split()[3:5] == ["4096", "4096"]
        session = server.session()
        inside = server.run(session, "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))")["stdout"]
        assert inside == "(1024, 1024)\n"
        asked = {"code": "ulimit -n; ulimit -Hn", "language": "shell"}
        assert server.http.post("/v1/run", json=asked).json()["stdout"] == "1024\n1024\n"
    finally:
        server.stop()


def test_more_connections_than_files_are_refused_at_the_start(tmp_path):
    with pytest.raises(RuntimeError) as refused:
        Server(tmp_path, environment={"ATOLL_CONNECTIONS": "5000"}, prefix=SMALL)
    assert "ATOLL_CONNECTIONS): 5000 is too many" in str(refused.value)
    assert "1024 files" in str(refused.value)


@pytest.fixture
def faulty(tmp_path):
    faults = Faults(tmp_path)
    running = Server(tmp_path, environment=faults.environment)
    yield running, faults
    if running.process.poll() is None:
        assert running.stop() == 0


def test_without_epoll_watches_the_server_pauses_and_goes_on(faulty):
    server, faults = faulty
    session = server.session(name="kept")
    assert server.run(session, "x = 42; print(x)")["stdout"] == "42\n"
    port = int(server.url.rsplit(":", 1)[1])
    waiting = []
    with faults(WATCH, errno.ENOSPC):
        for _ in range(20):
            one = socket.create_connection(("127.0.0.1", port), timeout=60)
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            waiting.append(one)
        # Over a connection that is there already: what needs no watch works, what needs one fails alone.
        assert server.run(session, "print(x)")["stdout"] == "42\n"
        statuses = {server.http.post("/v1/sessions", json={}).status_code for _ in range(5)}
        assert statuses <= {201, 503}, statuses
        assert server.process.poll() is None
        quiet = selectors.DefaultSelector()
        for one in waiting:
            quiet.register(one, selectors.EVENT_READ)
        assert quiet.select(0.5) == []
    for one in waiting:
        assert one.recv(20).startswith(b"HTTP/1.1 200")
        one.close()
    assert server.run(session, "print(x)")["stdout"] == "42\n"
    assert server.http.post("/v1/sessions", json={}).status_code == 201


def test_t4_one_owners_long_jobs_leave_a_place(tmp_path):
    server = Server(tmp_path, "--jobs", "2", environment={"ATOLL_ADMIN_KEY": ADMIN})
    try:
        def client(owner):
            made = server.http.post("/v1/keys", json={"owner": owner, "scopes": ["jobs"]}, headers={"X-API-Key": ADMIN})
            return httpx.Client(base_url=server.url, timeout=60, headers={"X-API-Key": made.json()["key"]})
        with client("ann") as ann, client("bob") as bob:
            def state(who, job): return who.get(f"/v1/jobs/{job}").json()["state"]
            long = [ann.post("/v1/jobs", json={"kind": "shell", "code": "sleep 1000"}).json()["id"] for _ in range(3)]

            def one_runs(): assert [state(ann, job) for job in long] == ["running", "queued", "queued"]
            eventually(one_runs)
            quick = bob.post("/v1/jobs", json={"kind": "shell", "code": "true"}).json()["id"]

            def done(): assert state(bob, quick) == "succeeded"
            eventually(done)
            one_runs()
            for job in long:
                assert ann.post(f"/v1/jobs/{job}/cancel").status_code == 200
    finally:
        server.stop()


@pytest.mark.parametrize("options", [(), ("--jobs-per-owner", "0")])
def test_t4_who_is_alone_has_all_places(tmp_path, options):
    environment = {"ATOLL_ADMIN_KEY": ADMIN} if options else {}
    server = Server(tmp_path, "--jobs", "2", *options, environment=environment)
    headers = {"X-API-Key": ADMIN} if options else {}
    try:
        jobs = [server.http.post("/v1/jobs", json={"kind": "shell", "code": "sleep 1000"}, headers=headers).json()["id"]
                for _ in range(2)]

        def both_run():
            states = [server.http.get(f"/v1/jobs/{job}", headers=headers).json()["state"] for job in jobs]
            assert states == ["running", "running"]
        eventually(both_run)
        for job in jobs:
            server.http.post(f"/v1/jobs/{job}/cancel", headers=headers)
    finally:
        server.stop()
