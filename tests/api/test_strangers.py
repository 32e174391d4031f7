"""Folders where sessions lie that are not this server's: nobody's files are removed."""

import os
import shutil

import pytest
from harness.server import Server

pytestmark = pytest.mark.once


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "place"
    folder.mkdir(mode=0o700)
    return folder


def serving(folder, place):
    folder.mkdir()
    return Server(folder, environment={"SESSION_BASE_DIR": str(place)})


def test_what_was_there_before_stays(tmp_path, place):
    (place / "Documents").mkdir()
    (place / "Documents/thesis").write_text("years of work")
    for name in ("first", "second"):
        server = serving(tmp_path / name, place)
        session = server.session()
        server.run(session, "open('/session/kept', 'w').write('mine')")
        assert server.stop() == 0
        assert (place / "Documents/thesis").read_text() == "years of work"
        log = (tmp_path / name / "log").read_text()
        assert "which this server knows no session" in log
        server.start()
        assert server.run(session, "print(open('/session/kept').read())")["stdout"] == "mine\n"
        assert server.stop() == 0


def test_another_servers_sessions_stay(tmp_path, place):
    first = serving(tmp_path / "first", place)
    session = first.session()
    first.run(session, "open('/session/kept', 'w').write('mine')")
    second = serving(tmp_path / "second", place)
    assert first.run(session, "print(open('/session/kept').read())")["stdout"] == "mine\n"
    for server in (second, first):
        assert server.stop() == 0


def test_a_database_that_is_gone_takes_no_files_along(tmp_path, place):
    server = serving(tmp_path / "server", place)
    session = server.session()
    server.run(session, "open('/session/kept', 'w').write('mine')")
    assert server.stop() == 0
    for path in (tmp_path / "server/data").glob("atoll.db*"):
        os.unlink(path)
    server.start()
    assert server.http.get("/readyz").status_code == 503
    assert server.http.get(f"/v1/sessions/{session}").status_code == 401
    assert server.stop() == 0
    assert [path.read_text() for path in place.rglob("kept")] == ["mine"]


def test_a_leftover_of_its_own_is_removed(tmp_path, place):
    server = serving(tmp_path / "server", place)
    session = server.session()
    server.run(session, "1")
    server.kill()
    shutil.copytree(place / session, place / "s-leftover")
    server.start()
    assert not (place / "s-leftover").exists() and (place / session).exists()
    assert server.stop() == 0
