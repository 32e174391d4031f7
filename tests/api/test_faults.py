"""F1: whatever call of the server fails, at whatever moment of create, run, save, restore, fork, upload and delete: the
request fails with a sentence or succeeds, nothing that was acknowledged is lost in silence, and the server recovers by itself.

Which calls an operation makes is counted first; then it is done again with the n-th of them failing, once or from there on.
ATOLL_FAULT_SAMPLES says how many n are tried of each (3); all of them: 0."""

import errno
import os
import time

import pytest
from harness.faults import DESCRIPTOR, EVER, FORK, MAP, NAME, SYNC, WATCH, WRITE, Faults
from harness.server import Server

SAMPLES = int(os.environ.get("ATOLL_FAULT_SAMPLES", "3"))
# Reads of the database are not among them: one that fails counts as damage, which stays until somebody has looked
# (test_damaged_store.py). Reads of saved state: test_state_kept.py.
FAULTS = {"EMFILE": (DESCRIPTOR, errno.EMFILE), "ENOSPC": (WRITE | SYNC | NAME, errno.ENOSPC), "EIO": (WRITE | SYNC | NAME, errno.EIO),
          "ENOMEM": (MAP | FORK | WATCH, errno.ENOMEM)}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    faults = Faults(folder)
    running = Server(folder, environment=faults.environment)
    running.faults = faults
    yield running
    assert running.stop() == 0


def told(server, answer):
    """A sentence, and nothing about the host's folders."""
    assert answer.status_code in (409, 429, 500, 503, 507), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.json()["detail"].split()) > 2 and str(server.folder) not in answer.text, answer.text
    return False


def patiently(request):
    """The fault is gone: within a moment the same is answered."""
    until = time.monotonic() + 60
    while (answer := request()).status_code >= 500:
        assert time.monotonic() < until, answer.text
        time.sleep(0.1)
    return answer


def run(server, session, code):
    answer = patiently(lambda: server.http.post(f"/v1/sessions/{session}/run", json={"code": code}))
    assert answer.status_code == 200, answer.text
    return answer.json()


def new_session(server):
    """x is 42 and f holds "f"; the x on disk is older."""
    session = server.session()
    server.run(session, "x = 41; open('/session/f', 'w').write('f')")
    assert server.http.post(f"/v1/sessions/{session}/evict").status_code == 200
    server.run(session, "x += 1")
    return session


def is_whole(server, session, may_lose=False):
    answer = run(server, session, "print(globals().get('x'), open('/session/f').read())")
    if may_lose and answer["lost"]:
        assert answer["stdout"].endswith(" f\n"), answer
    else:
        assert answer["stdout"] == "42 f\n" and answer["lost"] == [], answer


class Create:
    """The session that it makes can be used, or there is none."""

    def __init__(self, server):
        self.server = server
        self.before = self.names()

    def names(self):
        return {one["id"] for one in self.server.http.get("/v1/sessions?limit=500").json()["sessions"]}

    def do(self):
        return self.server.http.post("/v1/sessions", json={})

    def check(self, answer, done):
        if done:
            run(self.server, answer.json()["id"], "1")
            self.server.http.delete(f"/v1/sessions/{answer.json()['id']}")


class InSession:
    def __init__(self, server):
        self.server, self.session = server, new_session(server)
        self.path = f"/v1/sessions/{self.session}"

    def check(self, answer, done):
        is_whole(self.server, self.session)
        patiently(lambda: self.server.http.delete(self.path))


class Run(InSession):
    def do(self):
        return self.server.http.post(f"{self.path}/run", json={"code": "open('/session/artifacts/a.txt', 'w').write('a'); print(x)"})


class Save(InSession):
    def do(self):
        return self.server.http.post(f"{self.path}/evict")


class Restore(InSession):
    def __init__(self, server):
        super().__init__(server)
        assert server.http.post(f"{self.path}/evict").status_code == 200

    def do(self):
        return self.server.http.post(f"{self.path}/run", json={"code": "print(x)"})

    def check(self, answer, done):
        if done:
            assert answer.json()["stdout"] == "42\n" and answer.json()["lost"] == [], answer.text
        super().check(answer, done)


class Fork(InSession):
    def do(self):
        return self.server.http.post(f"{self.path}/fork")

    def check(self, answer, done):
        if done:
            fork = answer.json()["sessions"][0]["id"]
            is_whole(self.server, fork)
            patiently(lambda: self.server.http.delete(f"/v1/sessions/{fork}"))
        super().check(answer, done)


class Upload(InSession):
    BODY = b"new" * 50_000

    def do(self):
        return self.server.http.put(f"{self.path}/files/session/g", content=self.BODY)

    def check(self, answer, done):
        there = patiently(lambda: self.server.http.get(f"{self.path}/files/session/g"))
        assert there.content == self.BODY if done else there.status_code == 404 or there.content == self.BODY
        super().check(answer, done)


class Delete(InSession):
    def do(self):
        return self.server.http.delete(self.path)

    def check(self, answer, done):
        if not done:
            # It is there still. Its sandbox was ended for it, and then what it had in memory is named.
            if patiently(lambda: self.server.http.get(self.path)).status_code == 404:
                done = True
            else:
                is_whole(self.server, self.session, may_lose=True)
                done = patiently(lambda: self.server.http.delete(self.path)).status_code == 204
        assert done and self.server.http.get(self.path).status_code == 404


def samples(calls):
    """Which n, and how many fail from there on."""
    if calls == 0:
        return []
    step = 1 if SAMPLES == 0 else max(1, -(-calls // SAMPLES))
    return [(n, EVER if i % 2 else 1) for i, n in enumerate(range(1, calls + 1, step))]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", [Create, Run, Save, Restore, Fork, Upload, Delete], ids=lambda one: one.__name__.lower())
def test_f1(server, operation, fault):
    kinds, cause = FAULTS[fault]
    measured = operation(server)
    with server.faults(kinds, 0) as faults:
        answer = measured.do()
        calls = faults.seen
    assert answer.status_code < 300, answer.text
    measured.check(answer, True)
    for first, count in samples(calls):
        one = operation(server)
        with server.faults(kinds, cause, first=first, count=count):
            answer = one.do()
        where = f"{fault} at call {first} of {calls}" + (" and after" if count == EVER else "")
        print(where, answer.status_code)
        assert server.process.poll() is None, where
        one.check(answer, answer.status_code < 300 or told(server, answer))
    assert server.http.get("/readyz").status_code == 204
