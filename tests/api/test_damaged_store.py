"""A database that is damaged: the server says so, starts read-only, and loses nothing."""

import hashlib
import os
import sqlite3
import subprocess

import pytest
from harness.server import Server

pytestmark = pytest.mark.once

ADMIN = "an-administrators-own-key-for-tests-0123456789"


class Lived:
    """The data folder of a server that made things and was ended; it can be spoiled, and started again."""

    def __init__(self, folder, made):
        self.folder, self.data, self.db = folder, folder / "data", folder / "data/atoll.db"
        self.sessions, self.session, self.job, self.server = made["sessions"], made["sessions"][0], made["job"], None

    def prints(self):
        """What is in the database and beside it, byte for byte; and which sessions have folders."""
        beside = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in self.data.glob("atoll.db*")
                  if not p.name.endswith((".lock", "-shm")) and (p.stat().st_size > 0 or p.name == "atoll.db")}
        return beside, sorted(p.name for p in (self.data / "sessions").iterdir() if p.name.startswith("s-"))

    def start(self, **environment):
        self.server = Server(self.folder, environment=environment)
        return self.server.http

    def log(self):
        return (self.folder / "log").read_text()

    def lost_nothing(self, before):
        assert self.prints() == before
        assert {one for one in before[1] if not one.endswith(".state")} == set(self.sessions)


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """Of a server that was killed, whose latest is in the log alone, and of one that ended in good order."""
    folder = tmp_path_factory.mktemp("made")
    server = Server(folder)
    made = {"sessions": [server.session(name=f"n{i}") for i in range(3)]}
    server.run(made["sessions"][0], "x = 1; open('/session/f', 'w').write('mine')")
    made["job"] = server.http.post("/schedule", json={"kind": "python", "code": "print(1)"}).json()["job_id"]
    for one in made["sessions"]:
        server.http.post(f"/v1/sessions/{one}/evict")
    server.kill()
    assert (folder / "data/atoll.db-wal").stat().st_size > 0
    subprocess.run(["cp", "-a", folder / "data", folder / "killed"], check=True)
    with sqlite3.connect(folder / "data/atoll.db") as tidy:
        tidy.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    tidy.close()
    return folder, made


@pytest.fixture
def lived(tmp_path, originals, request):
    folder, made = originals
    subprocess.run(["cp", "-a", folder / getattr(request, "param", "data"), tmp_path / "data"], check=True)
    one = Lived(tmp_path, made)
    yield one
    if one.server is not None and one.server.process.poll() is None:
        one.server.kill()


killed = pytest.mark.parametrize("lived", ["killed"], indirect=True)


def root_page_of(db, table):
    with sqlite3.connect(db) as look:
        size = look.execute("PRAGMA page_size").fetchone()[0]
        return size, look.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]


def overwrite(db, offset, bytes):
    with open(db, "r+b") as file:
        file.seek(offset)
        file.write(bytes)


def says_why(http, lived):
    health = http.get("/healthz")
    assert health.status_code == 200 and health.json()["status"] == "degraded" and health.json()["store"] == "read_only"
    assert "damaged" in health.json()["sentence"] and ".recover" in health.json()["sentence"]
    ready = http.get("/readyz")
    assert ready.status_code == 503 and "damaged" in ready.json()["detail"]
    assert "read-only" in lived.log() and "damaged" in lived.log() and "atoll.db" in lived.log()


def refuses_to_change(http, session, **headers):
    for method, path, body in (("POST", "/v1/sessions", {}), ("POST", "/v1/run", {"code": "1"}), ("PATCH", f"/v1/sessions/{session}", {"name": "x"}),
                               ("DELETE", f"/v1/sessions/{session}", None), ("POST", f"/v1/sessions/{session}/run", {"code": "1"}),
                               ("POST", f"/v1/sessions/{session}/fork", {}), ("POST", f"/v1/sessions/{session}/evict", None),
                               ("PUT", f"/v1/sessions/{session}/files/session/new", {"a": 1}), ("DELETE", f"/v1/sessions/{session}/files/session/f", None),
                               ("POST", "/schedule", {"kind": "python", "code": "1"}), ("POST", "/v1/keys", {"owner": "x", "scopes": ["admin"]})):
        answer = http.request(method, path, json=body, headers=headers)
        assert answer.status_code == 503, (method, path, answer.text)
        assert answer.headers["content-type"].startswith("application/problem+json")
        assert "read-only" in answer.json()["detail"] and "damaged" in answer.json()["detail"]


def test_a_damaged_page(lived):
    """One table cannot be read; what the others hold can, and files too."""
    size, page = root_page_of(lived.db, "audit")
    overwrite(lived.db, (page - 1) * size, os.urandom(size))
    before = lived.prints()
    http = lived.start()
    says_why(http, lived)
    assert {one["id"] for one in http.get("/v1/sessions").json()["sessions"]} == set(lived.sessions)
    assert http.get(f"/v1/sessions/{lived.session}").json()["state"] == "cold"
    assert http.get(f"/v1/sessions/{lived.session}/files/session/f").text == "mine"
    assert http.get(f"/status/{lived.job}").status_code == 200
    assert http.get("/v1/info").status_code == 200 and http.get("/metrics").status_code == 200
    refuses_to_change(http, lived.session)
    assert http.get(f"/v1/sessions/{lived.session}/files/session/f").text == "mine"
    assert lived.server.stop() == 0
    lived.lost_nothing(before)


def test_the_sessions_themselves(lived):
    """Without them no folder is known to be somebody's, and none is removed for it."""
    size, page = root_page_of(lived.db, "sessions")
    overwrite(lived.db, (page - 1) * size, os.urandom(size))
    before = lived.prints()
    http = lived.start()
    says_why(http, lived)
    assert http.get("/v1/sessions").status_code == 503
    refuses_to_change(http, lived.session)
    lived.server.kill()
    lived.lost_nothing(before)


@pytest.mark.parametrize("spoil", [
    lambda db: os.truncate(db, 50), lambda db: os.truncate(db, db.stat().st_size // 2 + 100), lambda db: overwrite(db, 0, os.urandom(4096)),
], ids=["cut to 50 bytes", "cut in half", "garbage in front"])
def test_beyond_reading(lived, spoil):
    spoil(lived.db)
    before = lived.prints()
    http = lived.start(ATOLL_ADMIN_KEY=ADMIN)
    says_why(http, lived)
    http.headers["X-API-Key"] = ADMIN
    for path in ("/v1/sessions", f"/v1/sessions/{lived.session}", f"/status/{lived.job}", "/v1/jobs"):
        answer = http.get(path)
        # where a part of it is still sound, what that says is told; nothing is ever told to be missing that is not
        assert answer.status_code in (200, 503), (path, answer.text)
        if answer.status_code == 503:
            assert "damaged" in answer.json()["detail"]
    refuses_to_change(http, lived.session)
    assert lived.server.stop() == 0
    lived.lost_nothing(before)


def test_unreadable_keys_open_no_door(lived):
    """Whether there were keys is not known then: it is not open, as it would be if there never was one."""
    lived.db.write_bytes(os.urandom(65536))
    http = lived.start()
    assert http.get("/healthz").status_code == 200 and http.get("/readyz").status_code == 503
    for path in ("/v1/info", "/v1/sessions", f"/v1/sessions/{lived.session}/files/session/f"):
        assert http.get(path).status_code == 401, path
        assert http.get(path, headers={"X-API-Key": "anything"}).status_code == 401
    assert http.post("/v1/run", json={"code": "1"}).status_code == 401


@pytest.mark.parametrize("lose", [lambda db: db.unlink(), lambda db: db.write_bytes(b"")], ids=["missing", "empty"])
def test_a_database_that_is_lost(lived, lose):
    """Beside what was made with it a missing one is no new one: whether there were keys is not known, so nobody comes in."""
    lose(lived.db)
    before = lived.prints()
    http = lived.start()
    says_why(http, lived)
    for path in ("/v1/info", "/v1/sessions", f"/v1/sessions/{lived.session}/files/session/f"):
        assert http.get(path).status_code == 401, path
    assert http.post("/v1/sessions", json={}).status_code == 401
    assert lived.server.stop() == 0
    lived.lost_nothing(before)
    http = lived.start(ATOLL_ADMIN_KEY=ADMIN)
    http.headers["X-API-Key"] = ADMIN
    refuses_to_change(http, lived.session)
    assert lived.server.stop() == 0
    lived.lost_nothing(before)


@killed
def test_the_log_alone_is_left(lived):
    """SQLite itself would begin a new database over it."""
    lived.db.unlink()
    before = lived.prints()
    http = lived.start()
    says_why(http, lived)
    lived.server.kill()
    lived.lost_nothing(before)
    assert not lived.db.exists()


@killed
def test_a_log_that_is_garbage(lived):
    """SQLite takes it for empty and writes over it; sessions that stand there alone would be unknown, and their folders
    removed as leftovers."""
    wal = lived.data / "atoll.db-wal"
    wal.write_bytes(os.urandom(wal.stat().st_size))
    before = lived.prints()
    http = lived.start(ATOLL_ADMIN_KEY=ADMIN)
    http.headers["X-API-Key"] = ADMIN
    says_why(http, lived)
    assert "atoll.db-wal" in http.get("/healthz").json()["sentence"]
    refuses_to_change(http, lived.session)
    assert lived.server.stop() == 0
    lived.lost_nothing(before)


def test_put_right_it_goes_on(lived):
    """An empty log beside it is no damage."""
    whole = lived.db.read_bytes()
    overwrite(lived.db, 0, os.urandom(4096))
    assert lived.start().get("/readyz").status_code == 503
    assert lived.server.stop() == 0
    lived.db.write_bytes(whole)
    (lived.data / "atoll.db-wal").write_bytes(b"")
    http = lived.start()
    assert http.get("/readyz").status_code == 204 and http.get("/healthz").json()["status"] == "ok"
    assert lived.server.run(lived.session, "print(x, open('/session/f').read())")["stdout"] == "1 mine\n"
