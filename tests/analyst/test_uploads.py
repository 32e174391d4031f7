"""Uploads on their own: listed with their uses, and removed when nobody needs them."""

import os
import time

import pytest
from harness.analyst import Analyst

CSV = b"a,b\n1,2\n"


def listed(server, **query):
    answer = server.http.get("/v1/uploads", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_uploads_are_listed_in_pages_with_their_uses(own_server):
    server = own_server
    assert listed(server) == {"uploads": []}
    ids = [server.upload((f"{n}.csv", CSV))["file_id"] for n in range(5)]
    server.thread(ids[0])
    server.thread(ids[0], ids[3])
    everything = listed(server)["uploads"]
    assert {u["file_id"]: u["threads"] for u in everything} == dict(zip(ids, [2, 0, 0, 1, 0]))
    assert [u["created_at"] for u in everything] == sorted((u["created_at"] for u in everything), reverse=True)
    seen, cursor = [], ""
    while cursor is not None:
        page = listed(server, limit=2, cursor=cursor)
        seen += page["uploads"]
        cursor = page.get("next_cursor")
    assert seen == everything
    for wrong in ({"limit": 0}, {"limit": 1001}, {"cursor": "x"}, {"limit": "many"}):
        assert server.http.get("/v1/uploads", params=wrong).status_code in (400, 422), wrong


@pytest.fixture
def short_lived(tmp_path, models):
    running = Analyst(tmp_path, environment={**models.environment(), "ATOLL_UPLOAD_UNUSED": "2s"})
    yield running
    running.stop()


def test_what_no_thread_uses_goes(short_lived):
    server = short_lived
    used = server.upload(("used.csv", CSV))["file_id"]
    unused = server.upload(("unused.csv", CSV))["file_id"]
    thread = server.thread(used)
    folder = server.folder / "data" / "uploads"
    assert {used, unused} <= set(os.listdir(folder))
    # As a server leaves it that dies before it has written the record.
    (folder / "f-forgotten").write_bytes(CSV)
    until = time.monotonic() + 30
    while unused in os.listdir(folder) and time.monotonic() < until:
        time.sleep(.2)
    assert unused not in os.listdir(folder) and used in os.listdir(folder)
    assert [u["file_id"] for u in listed(server)["uploads"]] == [used]
    assert server.http.get(f"/v1/uploads/{unused}").status_code == 404
    assert (folder / "f-forgotten").exists()  # too young: it may be one that is being stored
    assert server.http.delete(f"/v1/threads/{thread}").status_code == 204
    while used in os.listdir(folder) and time.monotonic() < until:
        time.sleep(.2)
    assert listed(server) == {"uploads": []}
