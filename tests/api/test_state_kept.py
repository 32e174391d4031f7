"""Saved state goes only when a newer one is complete, or when its client wanted it gone. What fails is told, and what is lost
is named."""

import contextlib
import errno
import hashlib
import json
import os
import signal
import threading
import time

import pytest
from harness.faults import DESCRIPTOR, NAME, READ, WRITE, Faults
from harness.host import all_processes, eventually, look_at
from harness.server import Server


def faulty(folder):
    faults = Faults(folder)
    server = Server(folder, environment=faults.environment)
    server.faults = faults
    return server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = faulty(tmp_path_factory.mktemp("server"))
    yield running
    assert running.stop() == 0


@pytest.fixture
def own(tmp_path):
    running = faulty(tmp_path)
    yield running
    if running.process.poll() is None:
        running.kill()


def evict(server, session):
    answer = server.http.post(f"/v1/sessions/{session}/evict")
    assert answer.status_code == 200 and answer.json()["state"] == "cold", answer.text


def state_of(server, session) -> dict:
    folder = server.folder / f"data/sessions/{session}.state"
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("context-*")}


def run_raw(server, session, code, **fields):
    return server.http.post(f"/v1/sessions/{session}/run", json={"code": code, **fields})


def refused(server, answer, *words):
    """A sentence for people, and nothing about the host's folders."""
    assert answer.status_code in (500, 503, 507), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()["detail"]
    assert all(word in said for word in words) and str(server.folder) not in answer.text, said


@pytest.mark.parametrize("kinds, cause", [(DESCRIPTOR, errno.EMFILE), (DESCRIPTOR, errno.EIO), (READ, errno.EIO)],
                         ids=["no descriptors", "an unreadable folder", "an unreadable file"])
def test_a_state_that_cannot_be_read_is_kept(server, kinds, cause):
    session = server.session()
    server.run(session, "x = 41")
    server.run(session, "y = 'other'", context="second")
    evict(server, session)
    before = state_of(server, session)
    assert set(before) == {"context-default", "context-second"}
    with server.faults(kinds, cause, path=f"{session}.state") as faults:
        refused(server, run_raw(server, session, "print('x' in dir())"), "variables", "kept")
        assert faults.failed > 0
        assert server.http.get(f"/v1/sessions/{session}").json()["state"] == "cold"
    evict(server, session)  # what would have saved the empty one over it
    assert state_of(server, session) == before
    answer = server.run(session, "print(x)")
    assert answer["stdout"] == "41\n" and answer["lost"] == [] and not answer["state_lost"]
    assert server.run(session, "print(y)", context="second")["stdout"] == "other\n"


def test_without_any_descriptor_for_minutes_nothing_is_lost(server):
    """What idle connections of a stranger do to a server: each wake fails, and each session comes back whole after."""
    sessions = [server.session() for _ in range(3)]
    for n, session in enumerate(sessions):
        server.run(session, f"x = {n}")
        evict(server, session)
    with server.faults(DESCRIPTOR, errno.EMFILE):
        for session in sessions:
            refused(server, run_raw(server, session, "print('x' in dir())"))
            server.http.post(f"/v1/sessions/{session}/evict")
    for n, session in enumerate(sessions):
        answer = server.run(session, "print(x)")
        assert answer["stdout"] == f"{n}\n" and answer["lost"] == []


def test_a_wake_that_cannot_be_written_down_fails(server):
    """Were it awake while the store says that it sleeps, a kill would lose variables without a word."""
    session = server.session()
    server.run(session, "x = 41")
    evict(server, session)
    with server.faults(WRITE, errno.ENOSPC, path="atoll.db") as faults:
        refused(server, run_raw(server, session, "x = 42"))
        assert faults.failed > 0
    answer = server.run(session, "print(x)")
    assert answer["stdout"] == "41\n" and answer["lost"] == []


def test_a_save_that_fails_leaves_the_older_one(server):
    session = server.session()
    server.run(session, "x = 1")
    evict(server, session)
    server.run(session, "x = 2")
    before = state_of(server, session)
    for kinds, cause in ((WRITE, errno.ENOSPC), (NAME, errno.EIO), (DESCRIPTOR, errno.EMFILE)):
        with server.faults(kinds, cause, path=f"{session}.state"):
            refused(server, server.http.post(f"/v1/sessions/{session}/evict"))
        assert state_of(server, session) == before
    assert server.run(session, "print(x)")["stdout"] == "2\n"
    evict(server, session)
    assert server.run(session, "print(x)")["stdout"] == "2\n"


# A sandbox or a server that ends in the middle

BLOCK = """
import os
def block():
    os.system('test -e /session/slow && exec sleep {0}')
    return 'slow'
class Slow:
    def __reduce__(self):
        if {1}: block()
        return (block, ())
slow = Slow()
"""


def sleeper(word):
    for process in all_processes():
        with contextlib.suppress(OSError), open(f"/proc/{process.pid}/cmdline", "rb") as command:
            if command.read().split(b"\0")[:-1] == [b"sleep", word.encode()]:
                return process
    return None


def holder_of(word):
    """The process whose command is this one, once it is there."""
    found = eventually(lambda: sleeper(word), 30)
    assert found, f"nobody sleeps for {word}"
    return found


def init_above(process):
    """PID 1 of the sandbox: the kernel that waits for the process is its child."""
    return look_at(process.parent).parent


def slowly(server, session, on):
    path = server.folder / f"data/sessions/{session}/session/slow"
    path.touch() if on else path.unlink()


def in_background(request):
    answers = []

    def ask():
        with contextlib.suppress(Exception):  # a server that is killed answers nothing
            answers.append(request())
    thread = threading.Thread(target=ask)
    thread.start()
    return thread, answers


def two_contexts(server, seconds, while_saving):
    """`a` is restored, and saved, before `b`, and stands still while it is."""
    session = server.session()
    server.run(session, BLOCK.format(seconds, while_saving) + "x = 'a'", context="a")
    server.run(session, "x = 'b'", context="b")
    evict(server, session)
    return session


def both_are_back(server, session):
    for context in "ab":
        answer = server.run(session, "print(x)", context=context)
        assert answer["stdout"] == f"{context}\n" and answer["lost"] == [], answer
    assert server.run(session, "print(slow)", context="a")["stdout"] == "slow\n"


def test_a_sandbox_that_ends_while_it_is_restored(server):
    session = two_contexts(server, "28.0001", False)
    before = state_of(server, session)
    slowly(server, session, True)
    thread, answers = in_background(lambda: run_raw(server, session, "1", context="b"))
    os.kill(init_above(holder_of("28.0001")), signal.SIGKILL)
    thread.join()
    refused(server, answers[0], "restored", "kept")
    assert state_of(server, session) == before
    slowly(server, session, False)
    both_are_back(server, session)


def test_one_whose_sandbox_always_ends_comes_back_without(server):
    """Else it could never be used again. It is told, and what was saved stays until there is something newer."""
    session = two_contexts(server, "28.0002", False)
    before = state_of(server, session)
    slowly(server, session, True)
    for _ in range(2):
        thread, answers = in_background(lambda: run_raw(server, session, "1", context="b"))
        os.kill(init_above(holder_of("28.0002")), signal.SIGKILL)
        thread.join()
        refused(server, answers[0], "restored")
        # One that is about to die must not be taken for the next.
        assert eventually(lambda: sleeper("28.0002") is None, 30)
    answer = server.run(session, "print('x' in dir())", context="b")
    assert answer["stdout"] == "False\n" and answer["state_lost"]
    assert ["sandbox ended each time" in one["reason"] for one in answer["lost"]] == [True]
    assert state_of(server, session) == before
    evict(server, session)
    after = state_of(server, session)
    assert after["context-a"] == before["context-a"] and after["context-b"] != before["context-b"]


@pytest.mark.parametrize("signals", [[signal.SIGKILL], [signal.SIGTERM, signal.SIGTERM]], ids=["killed", "stopped twice"])
def test_a_server_that_ends_while_it_restores(own, signals):
    session = two_contexts(own, "28.0003", False)
    before = state_of(own, session)
    slowly(own, session, True)
    thread, _ = in_background(lambda: run_raw(own, session, "1", context="b"))
    holder_of("28.0003")
    for number in signals:
        own.process.send_signal(number)
        if number == signal.SIGTERM:  # the second one must find that the first was heard
            eventually(lambda: b"stopping" in (own.folder / "log").read_bytes(), 30)
    own.process.wait(timeout=60)
    thread.join()
    assert state_of(own, session) == before
    slowly(own, session, False)
    own.start()
    both_are_back(own, session)


def test_a_sandbox_that_ends_while_it_is_saved(server):
    """What was saved before is there, and the note says that it is older."""
    session = two_contexts(server, "28.0004", True)
    for context in "ab":
        server.run(session, "x += ' newer'", context=context)
    server.run(session, BLOCK.format("28.0004", True), context="a")
    before = state_of(server, session)
    slowly(server, session, True)
    thread, answers = in_background(lambda: server.http.post(f"/v1/sessions/{session}/evict"))
    os.kill(init_above(holder_of("28.0004")), signal.SIGKILL)
    thread.join()
    assert answers[0].status_code == 200, answers[0].text
    assert state_of(server, session) == before
    slowly(server, session, False)
    answer = server.run(session, "print(x)", context="b")
    assert answer["stdout"] == "b\n" and answer["state_lost"]
    assert any("last cold" in one["reason"] for one in answer["lost"])


def test_a_context_that_was_restarted_or_deleted_stays_so(server):
    """Its saved variables are gone because its client wanted that, also when it runs nothing after."""
    session = server.session()
    for context in ("default", "second", "third"):
        server.run(session, "x = 1", context=context)
    evict(server, session)
    contexts = f"/v1/sessions/{session}/contexts"
    assert server.http.post(f"{contexts}/default/restart").status_code == 200
    assert server.http.delete(f"{contexts}/second").status_code == 204
    evict(server, session)
    assert set(state_of(server, session)) == {"context-third"}
    for context, there in (("default", False), ("second", False), ("third", True)):
        answer = server.run(session, "print('x' in dir())", context=context)
        assert answer["stdout"] == f"{there}\n" and answer["lost"] == []


# What is named

def test_programs_that_ended_with_the_sandbox_are_named(server):
    session = server.session()
    started = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["sleep", "1234.5"]}).json()
    answer = server.run(session, "import subprocess; p = subprocess.Popen(['sleep', '5432.1']); pid = p.pid; del p; print(pid)",
                        keep_running=True)
    pids = {"sleep 1234.5": started["pid"], "sleep 5432.1": int(answer["stdout"])}
    evict(server, session)
    answer = server.run(session, "print(pid)")
    lost = {one["name"]: one for one in answer["lost"]}
    assert set(lost) == set(pids), answer["lost"]
    for name, pid in pids.items():
        assert lost[name]["type"] == "process" and f"pid {pid})" in lost[name]["reason"]
    assert not answer["state_lost"] and int(answer["stdout"]) == pids["sleep 5432.1"]
    evict(server, session)
    assert server.run(session, "1")["lost"] == []


def test_variables_without_a_proper_name_are_named(server):
    session = server.session()
    server.run(session, r"globals()['\udcff'] = 1; globals()[5] = 2; globals()[b'x'] = 3; kept = 4")
    evict(server, session)
    answer = server.run(session, "print(kept)")
    assert answer["stdout"] == "4\n"
    assert sorted(one["name"] for one in answer["lost"]) == ["5", "\\udcff", "b'x'"]
    assert all("name" in one["reason"] for one in answer["lost"]) and not answer["state_lost"]


def test_all_lost_is_said_so(server):
    """A context whose saved file is damaged, or missing: the run in it hears that its state is lost, others do not."""
    for spoil in (lambda path: path.write_bytes(b"\xff\xff\xff\x7f" + os.urandom(64)), lambda path: path.unlink()):
        session = server.session()
        server.run(session, "x = 1")
        server.run(session, "y = 1", context="second")
        evict(server, session)
        spoil(server.folder / f"data/sessions/{session}.state/context-default")
        answer = server.run(session, "print('x' in dir())")
        assert answer["stdout"] == "False\n" and answer["state_lost"], answer
        assert [(one["context"], one["name"]) for one in answer["lost"]] == [("default", "")], answer
        second = server.run(session, "print(y)", context="second")
        assert second["stdout"] == "1\n", second


# Removal, and a folder that is gone

def test_a_delete_without_descriptors_is_finished_later(server):
    session = server.session()
    server.run(session, "import os; os.makedirs('/session/a/b/c'); open('/session/a/b/c/f', 'w').write('x')")
    evict(server, session)
    sessions = server.folder / "data/sessions"
    with server.faults(DESCRIPTOR, errno.EMFILE, path=session) as faults:
        answer = server.http.delete(f"/v1/sessions/{session}")
        assert answer.status_code == 204, answer.text
        assert server.http.get(f"/v1/sessions/{session}").status_code == 404
        assert faults.failed > 0
    assert eventually(lambda: not any(session in name for where in ("", ".trash", ".broken")
                                      for name in os.listdir(sessions / where)), 60)


def test_a_delete_that_could_not_begin_is_done_later(server):
    session = server.session()
    server.run(session, "open('/session/f', 'w').write('x')")
    evict(server, session)
    sessions = server.folder / "data/sessions"
    with server.faults(NAME, errno.EIO, path=session) as faults:
        answer = server.http.delete(f"/v1/sessions/{session}")
        assert answer.status_code == 204, answer.text
        assert faults.failed > 0 and (sessions / session).exists()
    assert server.http.get(f"/v1/sessions/{session}").status_code == 404
    assert eventually(lambda: not any(session in name for where in ("", ".trash", ".broken")
                                      for name in os.listdir(sessions / where)), 60)


def test_a_data_folder_that_is_gone_underneath(own):
    session = own.session()
    own.run(session, "open('/session/f', 'w').write('x')")
    evict(own, session)
    data, away = own.folder / "data", own.folder / "away"
    data.rename(away)
    ready = own.http.get("/readyz")
    assert ready.status_code == 503 and "folder" in ready.json()["detail"]
    health = own.http.get("/healthz").json()
    assert health["status"] == "degraded" and "folder" in health["sentence"] and str(own.folder) not in json.dumps(health)
    for answer in (own.http.delete(f"/v1/sessions/{session}"), run_raw(own, session, "1"), own.http.post("/v1/sessions", json={}),
                   own.http.get(f"/v1/sessions/{session}/files/session/f")):
        refused(own, answer)
    away.rename(data)
    assert own.http.get("/readyz").status_code == 204 and own.http.get("/healthz").json()["status"] == "ok"
    until = time.monotonic() + 60
    while (answer := run_raw(own, session, "print(open('/session/f').read())")).status_code != 200:
        assert time.monotonic() < until, answer.text
        time.sleep(0.2)
    assert answer.json()["stdout"] == "x\n"
