"""What the soak found: sessions that are deleted, put to sleep or left by a killed server at a bad
moment."""

import os
import threading
import time
from pathlib import Path

import httpx
import pytest
from harness.host import eventually

pytestmark = pytest.mark.once


@pytest.mark.parametrize("method, what", [("DELETE", ""), ("POST", "/restart")])
def test_ending_a_session_in_use_hurts_nobody_else(server, method, what):
    """The runs in it end with an answer; the server, and whoever else uses it, goes on."""
    session, bystander = server.session(), server.session()
    statuses = []

    def run():
        with httpx.Client(base_url=server.url, timeout=60) as client:
            statuses.append(client.post(f"/v1/sessions/{session}/run",
                                        json={"code": "sleep 30", "language": "shell"}).status_code)

    threads = [threading.Thread(target=run) for _ in range(20)]
    [one.start() for one in threads]
    time.sleep(1)
    assert server.http.request(method, f"/v1/sessions/{session}{what}").status_code in (200, 204)
    [one.join(30) for one in threads]
    assert len(statuses) == 20
    assert server.run(bystander, "print(1)")["stdout"] == "1\n"


@pytest.mark.parametrize("wake", ["resume", "shell", "context"])
def test_variables_survive_a_waking_that_did_not_use_them(server, wake):
    session = server.session()
    server.run(session, "n = 5")
    server.http.post(f"/v1/sessions/{session}/evict")
    if wake == "resume":
        assert server.http.post(f"/v1/sessions/{session}/resume").status_code == 200
    elif wake == "shell":
        server.run(session, "true", language="shell")
    else:
        server.run(session, "m = 6", context="other")
    assert server.http.post(f"/v1/sessions/{session}/evict").json()["state"] == "cold"
    answer = server.run(session, "n")
    assert answer["results"][0]["data"]["text/plain"] == "5" and answer["lost"] == []
    if wake == "context":
        assert server.run(session, "m", context="other")["results"][0]["data"]["text/plain"] == "6"


FREEZER = Path("/sys/fs/cgroup/freezer/atoll")


def text_of(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def stems_from(pid: str, ancestor: int) -> bool:
    while pid not in ("", "0", "1"):
        if int(pid) == ancestor:
            return True
        pid = text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()[1:2]
        pid = pid[0] if pid else ""
    return False


def members(sandboxes: set[Path]) -> list[str]:
    return [pid for one in sandboxes for pid in text_of(one / "cgroup.procs").split()]


def frozen_by(server) -> set[Path]:
    return {one for one in FREEZER.glob("sb-*")
            if text_of(one / "freezer.state").strip() == "FROZEN"
            and any(stems_from(pid, server.process.pid) for pid in members({one}))}


def test_a_killed_server_leaves_no_frozen_process(own_server):
    """With cgroup v1 a frozen process does not even die of SIGKILL."""
    if os.geteuid() != 0 or not FREEZER.exists():
        pytest.skip("needs the freezer of cgroup v1")
    session = own_server.session()
    own_server.run(session, "x = 1")
    assert own_server.http.post(f"/v1/sessions/{session}/pause").json()["state"] == "warm"
    ours = eventually(lambda: frozen_by(own_server), within=60)
    assert members(ours)
    own_server.kill()
    own_server.start()
    until = time.monotonic() + 30
    while members(ours) and time.monotonic() < until:
        time.sleep(0.2)
    assert not members(ours)
    assert own_server.run(session, "print(1)")["stdout"] == "1\n"
