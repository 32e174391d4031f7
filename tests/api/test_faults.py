"""F1: whatever call of the server fails, at whatever moment of create, run, save, restore, fork, upload, pack, unpack, job and delete: the
request fails with a sentence or succeeds, nothing that was acknowledged is lost in silence, and the server recovers by itself.

Which calls an operation makes is counted first; then it is done again with the n-th of them failing, once or from there on.
ATOLL_FAULT_SAMPLES says how many n are tried of each (3); all of them: 0."""

import errno
import io
import os
import tarfile
import time

import httpx
import pytest
from harness.faults import DESCRIPTOR, EVER, FORK, MAP, NAME, READ, SYNC, WATCH, WRITE, Faults
from harness.server import Server

SAMPLES = int(os.environ.get("ATOLL_FAULT_SAMPLES", "3"))
# Reads of the database: at the end of this file. Reads of saved state: test_state_kept.py.
FAULTS = {"EMFILE": (DESCRIPTOR, errno.EMFILE), "ENOSPC": (WRITE | SYNC | NAME, errno.ENOSPC), "EIO": (WRITE | SYNC | NAME, errno.EIO),
          "ENOMEM": (MAP | FORK | WATCH, errno.ENOMEM), "ENFILE": (DESCRIPTOR, errno.ENFILE), "EDQUOT": (WRITE | SYNC | NAME, errno.EDQUOT)}
# Treated as EMFILE and ENOSPC are: one moment of each operation will do.
ALIKE = ("ENFILE", "EDQUOT")


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


class Pack(InSession):
    """What arrives is whole, or seen to be cut off."""

    def do(self):
        try:
            return self.server.http.get(f"{self.path}/files/session", params={"archive": "tar"})
        except httpx.RemoteProtocolError:
            return None

    def check(self, answer, done):
        if done:
            with tarfile.open(fileobj=io.BytesIO(answer.content)) as packed:
                found = [one for one in packed if one.name.rsplit("/", 1)[-1] == "f"]
                assert [packed.extractfile(one).read() for one in found] == [b"f"]
        super().check(answer, done)


class Unpack(InSession):
    FILES = {f"u{i}": b"%d" % i * 40_000 for i in range(5)}

    def do(self):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name, content in self.FILES.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        return self.server.http.post(f"{self.path}/unpack", params={"into": "/session/in"}, content=packed.getvalue())

    def check(self, answer, done):
        if not done:  # the same again does it
            assert patiently(self.do).status_code == 200
        for name, content in self.FILES.items():
            assert patiently(lambda name=name: self.server.http.get(f"{self.path}/files/session/in/{name}")).content == content
        super().check(answer, done)


class Job:
    """One that was accepted ends, with its log or with a sentence why not."""

    def __init__(self, server):
        self.server = server

    def ended(self, job):
        answer = self.server.http.get(f"/v1/jobs/{job}")
        return answer.json() if answer.status_code == 200 and answer.json()["state"] not in ("queued", "running") else None

    def do(self):
        answer = self.server.http.post("/v1/jobs", json={"kind": "python", "code": "print(6 * 7)"})
        until = time.monotonic() + 60
        # With a fault that stays it is tried again and again: then what failed once is enough.
        while answer.status_code == 201 and not self.ended(answer.json()["id"]) and self.server.faults.failed == 0:
            assert time.monotonic() < until
            time.sleep(0.02)
        return answer

    def check(self, answer, done):
        if not done:
            return
        job, until = answer.json()["id"], time.monotonic() + 120
        while not (record := self.ended(job)):
            assert time.monotonic() < until
            time.sleep(0.1)
        if record["state"] == "succeeded":
            log = patiently(lambda: self.server.http.get(f"/v1/jobs/{job}/logs"))
            assert "42" in log.text or "were not kept" in record["error"], (record, log.text)
        else:
            assert record["state"] == "failed" and len(record["error"].split()) > 2, record
            assert str(self.server.folder) not in record["error"]
        assert patiently(lambda: self.server.http.delete(f"/v1/jobs/{job}")).status_code == 204


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


def samples(calls, fault):
    """Which n, and how many fail from there on."""
    if calls == 0:
        return []
    if fault in ALIKE and SAMPLES > 0:
        return [(1 + calls // 2, EVER)]
    step = 1 if SAMPLES == 0 else max(1, -(-calls // SAMPLES))
    return [(n, EVER if i % 2 else 1) for i, n in enumerate(range(1, calls + 1, step))]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", [Create, Run, Save, Restore, Fork, Upload, Pack, Unpack, Job, Delete], ids=lambda one: one.__name__.lower())
def test_f1(server, operation, fault):
    kinds, cause = FAULTS[fault]
    measured = operation(server)
    with server.faults(kinds, 0) as faults:
        answer = measured.do()
        calls = faults.seen
    assert answer.status_code < 300, answer.text
    measured.check(answer, True)
    for first, count in samples(calls, fault):
        one = operation(server)
        with server.faults(kinds, cause, first=first, count=count):
            answer = one.do()
        where = f"{fault} at call {first} of {calls}" + (" and after" if count == EVER else "")
        print(where, answer.status_code if answer is not None else "cut off")
        assert server.process.poll() is None, where
        one.check(answer, answer is not None and (answer.status_code < 300 or told(server, answer)))
    assert server.http.get("/readyz").status_code == 204


@pytest.mark.parametrize("cause", [errno.ENOSPC, errno.EDQUOT], ids=["ENOSPC", "EDQUOT"])
def test_a_used_up_quota_of_the_host_is_a_full_disk(server, cause):
    session = new_session(server)
    for path, request in ((".state", lambda: server.http.post(f"/v1/sessions/{session}/evict")),
                          ("atoll.db", lambda: server.http.post("/v1/sessions", json={}))):
        with server.faults(WRITE, cause, path=path) as faults:
            answer = request()
            assert faults.failed > 0
        assert answer.status_code == 507, answer.text
    is_whole(server, session)
    patiently(lambda: server.http.delete(f"/v1/sessions/{session}"))


@pytest.mark.parametrize("count", [1, EVER], ids=["once", "for-a-while"])
def test_a_database_that_cannot_be_read_for_a_moment(server, count):
    """SQLite takes a page that the disk did not give back for corruption. It is none: what was asked fails, nothing is written
    while it lasts, and the server recovers by itself."""
    # More than SQLite keeps in memory, so that it has to read.
    jobs = [server.http.post("/v1/jobs", json={"kind": "python", "code": f"{n} #" + "x" * 190_000}).json()["id"] for n in range(20)]
    for job in jobs:
        while server.http.get(f"/v1/jobs/{job}").json()["state"] != "succeeded":
            time.sleep(0.05)
    with server.faults(READ, errno.EIO, count=count, path="atoll.db") as faults:
        answers = [server.http.get(f"/v1/jobs/{job}") for job in jobs]
        assert faults.failed > 0
        failed = [answer for answer in answers if answer.status_code != 200]
        assert failed
        for answer in failed:
            told(server, answer)
            assert answer.status_code == 503 and "damaged" not in answer.text, answer.text
        if count == EVER:
            assert server.http.get("/readyz").status_code == 503
            assert told(server, server.http.post("/v1/sessions", json={})) is False
    assert [patiently(lambda job=job: server.http.get(f"/v1/jobs/{job}")).status_code for job in jobs] == [200] * len(jobs)
    assert patiently(lambda: server.http.get("/readyz")).status_code == 204
    session = patiently(lambda: server.http.post("/v1/sessions", json={})).json()["id"]
    assert run(server, session, "print(1)")["stdout"] == "1\n"
    for job in jobs:
        assert patiently(lambda job=job: server.http.delete(f"/v1/jobs/{job}")).status_code == 204
    assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
