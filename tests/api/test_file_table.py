"""T1: sandboxes that together fill the machine's file table: the greediest is ended, the others do not notice."""

import pytest
from harness.host import eventually
from harness.server import Server

pytestmark = pytest.mark.once

TOTAL = 12_000
# Eight processes with a thousand files each, which stay.
GREED = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(1000)]
        time.sleep(1000)
time.sleep(1000)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), environment={"ATOLL_OPEN_FILES_TOTAL": str(TOTAL)})
    yield running
    assert running.stop() == 0


@pytest.mark.root_only  # by cgroups
def test_t1_several_sandboxes_and_the_file_table(server):
    quiet, first, second = (server.session() for _ in range(3))
    server.run(quiet, "x = 41; files = [open('/dev/null') for _ in range(200)]")

    def begin(session):
        body = {"argv": ["python3", "-c", GREED]}
        assert server.http.post(f"/v1/sessions/{session}/processes", json=body).status_code == 201

    def warned():
        return "limits.open_files_total" in (server.folder / "log").read_text()

    # Each by itself is within its own limits, and the first within those of all.
    begin(first)
    begin(second)
    assert eventually(warned, 60)
    # One of the two greedy ones is gone, which is known at once and said; nobody else is.
    lost = [" ".join(one["reason"] for one in server.run(session, "print(1)")["lost"]) for session in (first, second)]
    assert sorted("limits.open_files_total" in reasons for reasons in lost) == [False, True], lost
    answer = server.run(quiet, "print(x + 1, len(files))")
    assert answer["stdout"] == "42 200\n" and answer["lost"] == []
    assert server.http.post("/v1/run", json={"code": "print(1)"}).json()["stdout"] == "1\n"
