"""What `atoll serve` says when it is told to stop, and what a second Ctrl-C does."""
import re
import signal
import threading

import httpx
import pytest
from harness import host
from harness.server import Server

WITHIN_S = 60


@pytest.fixture
def server(tmp_path):
    running = Server(tmp_path)
    yield running
    if running.process.poll() is None:
        running.kill()


def said(server):
    """The sentences of its log, without their times."""
    text = (server.folder / "log").read_text()
    return re.findall(r"^\S+ (?:info|warning|error) (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_what_it_does(server, number):
    for _ in range(2):
        server.run(server.session(), "x = 1")
    server.process.send_signal(number)
    assert server.process.wait(WITHIN_S) == 0
    lines = said(server)
    begin = next(i for i, line in enumerate(lines) if line.startswith("stopping: "))
    assert "2 sessions will be saved" in lines[begin] and "Ctrl-C again" in lines[begin]
    assert lines[begin + 1:] == ["saving 2 sessions", "saved 2 sessions", "stopped"]
    server.start()
    kept = server.http.get("/v1/sessions").json()["sessions"]
    assert [server.run(one["id"], "print(x)")["stdout"] for one in kept] == ["1\n", "1\n"]
    server.stop()


def test_without_sessions_there_is_nothing_to_save(server):
    assert server.stop() == 0
    lines = said(server)
    assert lines[-1] == "stopped" and lines[-2].startswith("stopping: ") and "sav" not in lines[-2]


def test_the_second_one_stops_it_at_once(server):
    """A run that does not end keeps the first from coming to its end."""
    session = server.session()

    def long_run():
        try:
            server.http.post(f"/v1/sessions/{session}/run", timeout=120, json={
                "code": "open('/session/began', 'w').close()\nimport time\ntime.sleep(600)"})
        except httpx.HTTPError:
            pass
    request = threading.Thread(target=long_run)
    request.start()
    with httpx.Client(base_url=server.url, timeout=60) as beside:
        there = f"/v1/sessions/{session}/files/session/began"
        assert host.eventually(lambda: beside.head(there).status_code == 200, WITHIN_S)
    server.process.send_signal(signal.SIGINT)
    assert host.eventually(lambda: any(line.startswith("stopping: ") for line in said(server)), WITHIN_S)
    assert server.process.poll() is None
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(WITHIN_S) == 130
    request.join(WITHIN_S)
    assert said(server)[-1].startswith("stopped at once: ") and "files are kept" in said(server)[-1]
    server.start()  # and the next start is none the worse
    assert server.http.get(f"/v1/sessions/{session}").status_code == 200
    server.stop()
