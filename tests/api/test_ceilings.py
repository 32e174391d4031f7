"""Ceilings: what a client may name itself, and that more is refused before anything is made."""

import concurrent.futures
import os
import subprocess

import httpx
import pytest
from harness.cli import ATOLL
from harness.host import memory_of
from harness.server import Server

pytestmark = pytest.mark.once

SET = {"ATOLL_MEMORY_MAX": "1g", "ATOLL_PROCESSES_MAX": "64", "ATOLL_CPUS_MAX": "1", "ATOLL_OPEN_FILES_MAX": "256",
       "ATOLL_DISK_MAX": "64m", "ATOLL_DISK_FILES_MAX": "1000", "ATOLL_TIMEOUT_MAX": "20s",
       "ATOLL_OUTPUT_MAX": "1m"}
AT = {"memory_bytes_max": 1 << 30, "processes_max": 64, "cpus_max": 1, "open_files_max": 256,
      "disk_bytes_max": 64 << 20, "disk_files_max": 1000, "output_bytes_max": 1 << 20}
PLACES = [("/v1/sessions", {}), ("/v1/run", {"code": "print(1)"}), ("/v1/jobs", {"kind": "python", "code": "print(1)"})]


@pytest.fixture(scope="module")
def low(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("low"), environment=SET)
    yield running
    assert running.stop() == 0


def refused(answer, *paths):
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert [one["path"] for one in answer.json()["errors"]] == list(paths)
    return answer.json()["detail"]


def made(server):
    return (len(server.http.get("/v1/sessions").json()["sessions"]), len(server.http.get("/v1/jobs").json()["jobs"]))


@pytest.mark.parametrize("path, body", PLACES, ids=["session", "run", "job"])
@pytest.mark.parametrize("field, over, says", [
    ("memory_bytes_max", (1 << 30) + 1, "1 GiB"), ("processes_max", 65, "64"), ("processes_max", 4_000_000, "64"),
    ("cpus_max", 1.5, "1"), ("cpus_max", 0, "not all"), ("open_files_max", 257, "256"),
    ("disk_bytes_max", 1 << 46, "64 MiB"), ("disk_files_max", 1 << 32, "1000")])
def test_more_is_refused_and_makes_nothing(low, path, body, field, over, says):
    before = made(low)
    detail = refused(low.http.post(path, json={**body, "limits": {**AT, field: over}}), f"limits.{field}")
    assert field in detail and "at most" in detail and says in detail
    assert made(low) == before


@pytest.mark.parametrize("path, body", PLACES, ids=["session", "run", "job"])
def test_as_much_as_there_is_passes(low, path, body):
    answer = low.http.post(path, json={**body, "limits": AT})
    assert answer.status_code in (200, 201), answer.text


@pytest.mark.parametrize("path, body", PLACES, ids=["session", "run", "job"])
def test_open_files_of_all_processes_together(server, path, body):
    """Each is within its own ceiling; together they are more than a sandbox's share of the machine's table."""
    before = made(server)
    limits = {"open_files_max": 65536, "processes_max": 512}
    detail = refused(server.http.post(path, json={**body, "limits": limits}), "limits.open_files_max")
    assert "times processes_max must be at most" in detail and "65536 times 512" in detail
    assert made(server) == before
    # Who names processes alone gets as many open files as fit.
    for fits in ({"open_files_max": 4096, "processes_max": 32}, {"processes_max": 4096}):
        answer = server.http.post(path, json={**body, "limits": fits})
        assert answer.status_code in (200, 201), answer.text


def test_all_that_is_wrong_is_said_at_once(low):
    refused(low.http.post("/v1/sessions", json={"limits": {"processes_max": 65, "open_files_max": 257}}),
            "limits.processes_max", "limits.open_files_max")


def test_the_time_of_runs(low):
    session = low.session()
    run = f"/v1/sessions/{session}/run"
    for path, body in (("/v1/run", {"code": "1"}), (run, {"code": "1"}), ("/v1/jobs", {"kind": "python", "code": "1"})):
        assert "20 s" in refused(low.http.post(path, json={**body, "timeout": "20.5s"}), "timeout")
        assert low.http.post(path, json={**body, "timeout": "20s"}).status_code in (200, 201)
    assert low.run(session, "1", timeout=0)["reason"] == "exited"


def test_tools_have_the_same(low):
    for arguments in ({"memory_bytes_max": 2 << 30}, {"cpus_max": 2}):
        refused(low.http.post("/v1/tools/code_sandbox", json={"code": "1", **arguments}), *arguments)
    assert low.http.post("/v1/tools/code_sandbox", json={"code": "1", "memory_bytes_max": 1 << 30}).status_code == 200


def test_what_names_nothing_is_not_above(low):
    for answer in (low.run(low.session(), "ulimit -n", language="shell"),
                   low.http.post("/v1/run", json={"code": "ulimit -n", "language": "shell"}).json()):
        assert answer["stdout"] == "256\n"
    # 128 processes are the usual limit.
    code = "import os\nn = 0\ntry:\n  while n < 100:\n    if os.fork() == 0: os.kill(os.getpid(), 19)\n    n += 1\nexcept OSError: pass\nprint(n)"
    assert int(low.run(low.session(), code)["stdout"]) < 64


def test_a_default_server_has_some_too(server):
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    refused(server.http.post("/v1/sessions", json={"limits": {"memory_bytes_max": machine + (1 << 30)}}), "limits.memory_bytes_max")
    refused(server.http.post("/v1/sessions", json={"limits": {"processes_max": 4097}}), "limits.processes_max")
    refused(server.http.post("/v1/run", json={"code": "1", "limits": {"open_files_max": 65_537}}), "limits.open_files_max")
    server.session(limits={"processes_max": 4096, "cpus_max": 0, "output_bytes_max": 1 << 30})


def test_answers_that_are_collected_share_a_budget(own_server):
    """Each is within its own limit; together they would be the server's memory."""
    printing = {"code": "for _ in range(60): print('x' * (1 << 20))", "limits": {"output_bytes_max": 64 << 20}}
    before = memory_of(own_server.process.pid)
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: httpx.post(f"{own_server.url}/v1/run", json=printing, timeout=120), range(12)))
    peak = memory_of(own_server.process.pid, "VmHWM")
    assert {answer.status_code for answer in answers} <= {200, 429}, [answer.text[:200] for answer in answers]
    for answer in answers:
        if answer.status_code == 200:
            assert len(answer.json()["stdout"]) == 60 * ((1 << 20) + 1)
        else:
            assert "answers that are being collected" in answer.json()["detail"]
    assert peak - before < 1200 << 20, (before, peak)
    # It all came back.
    assert httpx.post(f"{own_server.url}/v1/run", json=printing, timeout=120).status_code == 200


def test_answers_of_processes_are_in_the_same_budget(own_server):
    """Each prints less than is kept of it, and waits; an owner's share is full before the last of them has printed."""
    sessions = [own_server.session() for _ in range(2)]
    printing = {"command": "head -c 8000000 /dev/zero | tr '\\0' x; while [ ! -e /session/go ]; do sleep 0.1; done", "wait": True}

    def start(number):
        answer = httpx.post(f"{own_server.url}/v1/sessions/{sessions[number % 2]}/processes", json=printing, timeout=240)
        if answer.status_code == 429:  # so there are all that fit
            for one in sessions:
                own_server.http.put(f"/v1/sessions/{one}/files/session/go", content=b"")
        return answer

    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(start, range(40)))
    good = [answer for answer in answers if answer.status_code == 200]
    assert {answer.status_code for answer in answers} == {200, 429}, [answer.text[:200] for answer in answers]
    assert all(answer.json()["stdout"] == "x" * 8000000 for answer in good)
    assert all("answers that are being collected" in answer.json()["detail"] for answer in answers if answer not in good)


@pytest.mark.parametrize("environment, says", [
    ({"CPYTHON_AS_MB": "2048", "ATOLL_MEMORY_MAX": "1g"}, "limits.memory (environment: CPYTHON_AS_MB) is more than limits.memory_max"),
    ({"SANDBOX_AS_MB": "2048", "ATOLL_MEMORY_MAX": "1g"}, "run.memory"),
    ({"CPYTHON_TIMEOUT_S": "30", "ATOLL_TIMEOUT_MAX": "20"}, "limits.timeout"),
    ({"CPYTHON_NOFILE": "300", "ATOLL_OPEN_FILES_MAX": "256"}, "limits.open_files")])
def test_settings_that_contradict_each_other(environment, says):
    done = subprocess.run([ATOLL, "config"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "ATOLL_DATA_DIR": "/nonexistent", **environment})
    assert done.returncode == 2 and says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_a_default_that_was_set_raises_its_ceiling(tmp_path):
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    server = Server(tmp_path, environment={"CPYTHON_AS_MB": str((machine >> 20) + 1024), "CPYTHON_NOFILE": "70000"})
    try:
        own = {"open_files_max": 70_000, "memory_bytes_max": machine + (1 << 30) - (1 << 20)}
        assert server.run(server.session(limits=own), "print(1)")["stdout"] == "1\n"
        refused(server.http.post("/v1/sessions", json={"limits": {"open_files_max": 70_001}}), "limits.open_files_max")
    finally:
        assert server.stop() == 0
