"""Variables that a session could not keep are named by its next answer, however long that takes to come."""

import os
import signal
import time

import pytest
from harness.host import all_processes, eventually, look_at, marker, processes_in, with_argument
from harness.server import Server

pytestmark = pytest.mark.once

LOCK = "import threading; lock = threading.Lock(); kept = 1; open('/session/f', 'w').write('f')"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    assert running.stop() == 0


def evict(server, session):
    answer = server.http.post(f"/v1/sessions/{session}/evict")
    assert answer.status_code == 200 and answer.json()["state"] == "cold", answer.text


def read_a_file(server, session):
    """Wakes it, and runs nothing."""
    answer = server.http.get(f"/v1/sessions/{session}/files/session/f")
    assert answer.status_code == 200 and answer.text == "f", answer.text
    assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "hot"


def names(answer):
    return [one["name"] for one in answer["lost"]]


def test_woken_without_a_run(server):
    session = server.session()
    server.run(session, LOCK)
    evict(server, session)
    for _ in range(2):
        read_a_file(server, session)
        evict(server, session)
    answer = server.run(session, "print(kept)")
    assert answer["stdout"] == "1\n" and names(answer) == ["lock"] and answer["lost"][0]["reason"]
    assert server.run(session, "1")["lost"] == []  # said once
    evict(server, session)
    assert server.run(session, "1")["lost"] == []  # and not again after the next sleep


def test_what_is_lost_meanwhile_is_added(server):
    session = server.session()
    server.run(session, LOCK)
    evict(server, session)
    read_a_file(server, session)
    # A process of its own is no run of a kernel; a second context is one, and names what was lost before it.
    first = server.run(session, "import threading; other = threading.Lock()", context="second")
    assert names(first) == ["lock"]
    evict(server, session)
    read_a_file(server, session)
    evict(server, session)
    answer = server.run(session, "1")
    assert [(one["context"], one["name"]) for one in answer["lost"]] == [("second", "other")]


def test_forks_name_it_too(server):
    session = server.session()
    server.run(session, LOCK)
    evict(server, session)
    read_a_file(server, session)
    [fork] = server.http.post(f"/v1/sessions/{session}/fork").json()["sessions"]
    assert names(server.run(fork["id"], "1")) == ["lock"]
    assert names(server.run(session, "1")) == ["lock"]


def test_what_a_fork_lacks_is_not_missing_in_the_original(server):
    session = server.session()
    server.run(session, LOCK)
    started = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["sleep", "1000"]})
    assert started.status_code == 201, started.text
    [fork] = server.http.post(f"/v1/sessions/{session}/fork").json()["sessions"]
    original = server.run(session, "lock.locked()")
    assert original["exit_code"] == 0 and original["lost"] == []
    lost = {one["type"]: one for one in server.run(fork["id"], "1")["lost"]}
    assert len(lost) == 2 and "sleep 1000" in lost["process"]["name"] and "not copied" in lost["process"]["reason"]
    evict(server, session)
    assert set(names(server.run(session, "1"))) == {one["name"] for one in lost.values()}  # now it is


def test_across_kill_9(own_server):
    asleep, awake, again = (own_server.session() for _ in range(3))
    for session in asleep, awake, again:
        own_server.run(session, LOCK)
        evict(own_server, session)
    read_a_file(own_server, awake)
    read_a_file(own_server, again)
    evict(own_server, again)
    own_server.kill()
    own_server.start()
    assert names(own_server.run(asleep, "print(kept)")) == ["lock"]
    assert names(own_server.run(again, "print(kept)")) == ["lock"]
    answer = own_server.run(awake, "print(kept)")
    assert "lock" in names(answer) and any("server ended" in one["reason"] for one in answer["lost"])


def test_across_two_kills_without_a_run(own_server):
    """What the first start would have said is still said by the third."""
    session = own_server.session()
    own_server.run(session, LOCK)
    for _ in range(2):
        own_server.kill()
        own_server.start()
        read_a_file(own_server, session)
    own_server.stop()
    own_server.start()
    answer = own_server.run(session, "print('kept' in dir())")
    assert answer["stdout"] == "False\n"
    told = [one["reason"] for one in answer["lost"]]
    assert any("server ended" in reason for reason in told) and len(told) == len(set(told)), told


def test_a_client_that_left_was_not_told(server):
    session = server.session()
    server.run(session, LOCK)
    evict(server, session)
    read_a_file(server, session)
    with pytest.raises(Exception, match="timed out"):
        server.http.post(f"/v1/sessions/{session}/run", json={"code": "import time; time.sleep(3)"}, timeout=1)
    until = time.monotonic() + 30
    while server.http.get(f"/v1/sessions/{session}/contexts").json()["contexts"][0]["state"] != "idle":
        assert time.monotonic() < until
        time.sleep(0.1)
    assert names(server.run(session, "1")) == ["lock"]


def inits(server, mark) -> list:
    """PID 1 of the sandbox in which the marked program runs."""
    found = []
    for process in processes_in(server.process.pid):
        try:
            with open(f"/proc/{process.pid}/cmdline", "rb") as command:
                if mark.encode() in command.read().split(b"\0"):
                    found.append(process.parent)
        except OSError:
            pass
    return found


def test_a_sandbox_that_fell_does_not_come_back_as_an_older_one(server):
    """Its variables are gone: the ones of an earlier sleep would be a past that never met this present."""
    session = server.session()
    server.run(session, "x = 'old'")
    evict(server, session)
    server.run(session, "x = 'new'")
    started = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["sleep", "31.4159"]})
    assert started.status_code == 201
    [init] = inits(server, "31.4159")
    os.kill(init, signal.SIGKILL)
    until = time.monotonic() + 30
    while server.http.get(f"/v1/sessions/{session}/processes").json()["processes"][0]["state"] == "running":
        assert time.monotonic() < until
        time.sleep(0.05)
    evict(server, session)
    answer = server.run(session, "print('x' in dir())")
    assert answer["stdout"] == "False\n"
    assert [one["reason"] for one in answer["lost"]] == ["the sandbox ended; all variables are lost"]


def test_more_variables_than_may_be_kept(server):
    """What a context holds is cut off at the size of the session's memory, by the host: pickles can say much more
    than there is in memory. The other contexts are kept."""
    session = server.session(limits={"memory_bytes_max": 256 << 20})
    server.run(session, """
class Swollen:
    def __reduce__(self):
        return (bytes, (bytes(24 << 20),))
many = {f'v{i}': Swollen() for i in range(20)}
globals().update(many); del many
""")
    server.run(session, "small = 'kept'", context="other")
    evict(server, session)
    kept = server.folder / "data/sessions"
    on_disk = sum(path.stat().st_size for path in kept.rglob("context-*") if session in str(path))
    assert on_disk < 256 << 20
    answer = server.run(session, "print(small)", context="other")
    assert answer["stdout"] == "kept\n"
    assert [(one["context"], one["name"]) for one in answer["lost"]] == [("default", "")]
    assert "larger" in answer["lost"][0]["reason"]
    assert server.run(session, "print('v0' in dir())")["stdout"] == "False\n"


def test_a_guest_that_keeps_no_time_loses_its_process(server):
    """PID 1 of the sandbox stands still and with it the guest's clock; the host has one of its own."""
    session = server.session()
    began = time.monotonic()
    answer = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["sleep", "27.1828"], "timeout": "1s"})
    process = answer.json()["id"]
    [init] = inits(server, "27.1828")
    os.kill(init, signal.SIGSTOP)
    while True:
        view = server.http.get(f"/v1/sessions/{session}/processes/{process}").json()
        if view["state"] == "ended":
            break
        assert time.monotonic() - began < 60, view
        time.sleep(0.1)
    assert view["reason"] == "timeout", view
    assert inits(server, "27.1828") == []
    assert server.run(session, "print('again')")["stdout"] == "again\n"


@pytest.mark.root_only
def test_the_time_of_a_frozen_process_stands_still_on_both_clocks(server):
    session = server.session()
    answer = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["sleep", "16.1803"], "timeout": "1500ms"})
    process = answer.json()["id"]
    assert server.http.post(f"/v1/sessions/{session}/pause").json()["state"] == "warm"
    time.sleep(13)
    view = server.http.get(f"/v1/sessions/{session}/processes/{process}").json()
    assert view["state"] != "ended", view
    server.run(session, "1")
    answer = server.http.get(f"/v1/sessions/{session}/processes/{process}/wait", params={"timeout": "30s"})
    assert answer.json()["reason"] == "timeout" and "sandbox" not in answer.json().get("note", ""), answer.text


def wait_until_reaped(pid) -> str:
    """Code for another context."""
    return f"import os, time\nwhile os.path.exists('/proc/{pid}'): time.sleep(.01)"


def test_a_kernel_that_died_unheard_before_it_was_saved(server):
    """Nobody ran anything after its death, so no answer said so: what is saved is the empty one in its place."""
    session = server.session()
    code = "import os, threading; x = 41; threading.Timer(.3, lambda: os._exit(9)).start(); print(os.getpid())"
    pid = int(server.run(session, code)["stdout"])
    assert server.run(session, wait_until_reaped(pid), context="other")["exit_code"] == 0
    evict(server, session)
    answer = server.run(session, "print('x' in globals())")
    assert answer["stdout"] == "False\n" and answer["state_lost"], answer
    assert any("kernel ended" in one["reason"] for one in answer["lost"]), answer


def test_a_restored_kernel_that_died_before_its_first_run(server):
    session = server.session()
    server.run(session, "x = 41; open('/session/f', 'w').write('f')")
    evict(server, session)
    read_a_file(server, session)
    # A program with a name of its own leads to its kernel, and that to PID 1, whose other child is the kernel in question.
    word = marker()
    started = f"import subprocess; subprocess.Popen(['python', '-c', 'import time; time.sleep(600)', '{word}'])"
    server.run(session, started, context="other")
    (program,) = eventually(lambda: with_argument(word))
    beside = look_at(program.parent)
    (kernel,) = [one for one in all_processes() if one.parent == beside.parent and one.pid != beside.pid]
    os.kill(kernel.pid, signal.SIGKILL)
    # Reaped, not only dead: until PID 1 has seen it, a run would still be given to it.
    assert eventually(lambda: getattr(look_at(kernel.pid), "started", None) != kernel.started)
    answer = server.run(session, "print('x' in globals())")
    assert answer["stdout"] == "False\n" and answer["state_lost"], answer
