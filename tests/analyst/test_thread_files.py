"""The files of a thread are in its session before anybody uses it: what fails on the way is done again, and who comes meanwhile
waits."""

import concurrent.futures
import errno

import pytest
from harness.analyst import Analyst
from harness.faults import NAME, WRITE, Faults

pytestmark = pytest.mark.each_user

CSV = b"region,amount\nNorth,10\nSouth,32\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory, models):
    folder = tmp_path_factory.mktemp("server")
    faults = Faults(folder)
    running = Analyst(folder, environment={**models.environment(), **faults.environment})
    running.faults = faults
    yield running
    assert running.stop() == 0


def without_session(server):
    """A thread whose session was removed, and shall be made again."""
    thread = server.thread(server.upload(("t.csv", CSV))["file_id"])
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
    return thread, session


def file_of(server, thread):
    return server.http.get(f"/v1/threads/{thread}/files/data/t.csv")


def test_files_that_found_no_room_come_later(server):
    thread, session = without_session(server)
    # Its folder is made, and then its file cannot be put in place.
    with server.faults(NAME | WRITE, errno.ENOSPC, path=f"{session}/data") as faults:
        for _ in range(2):
            answer = file_of(server, thread)
            assert answer.status_code in (500, 507) and str(server.folder) not in answer.text, answer.text
        assert faults.failed > 0
    assert file_of(server, thread).content == CSV
    assert "South" in server.ask(thread, "run: print(open('/data/t.csv').read())")["answer"]


def test_who_comes_while_it_is_made_waits(server):
    thread, _ = without_session(server)
    with concurrent.futures.ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(lambda _: file_of(server, thread), range(8)))
    assert [answer.content for answer in answers] == [CSV] * 8, [answer.text for answer in answers]


def test_what_the_analyst_removed_stays_removed(server):
    """Bringing files in again is for those that never came."""
    thread = server.thread(server.upload(("t.csv", CSV))["file_id"])
    server.ask(thread, "run: import os; os.remove('/data/t.csv')")
    assert server.stop() == 0
    server.start()
    assert file_of(server, thread).status_code == 404
    assert "False" in server.ask(thread, "run: print(os.path.exists('/data/t.csv'))")["answer"]
