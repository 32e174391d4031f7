"""A chat that was left by its last page is stored on disk; a temporary one is deleted; nothing else notices.

That something did not happen is seen beside a chat which was left later, and to which it did happen.
"""

import time
import uuid

import pytest
from harness.analyst import Analyst
from harness.host import eventually

GRACE = "1s"
KEEP = "run: kept = [1, 2]; open('/data/kept.txt', 'w').write('kept')"


@pytest.fixture(scope="module")
def server(tmp_path_factory, models):
    running = Analyst(tmp_path_factory.mktemp("server"), environment=models.environment() | {"ATOLL_LEAVE_GRACE": GRACE})
    yield running
    assert running.stop() == 0


def enter(server, thread, expected=204):
    tab = uuid.uuid4().hex
    assert server.http.put(f"/v1/threads/{thread}/presence/{tab}").status_code == expected
    return tab


def leave(server, thread, tab):
    assert server.http.delete(f"/v1/threads/{thread}/presence/{tab}").status_code == 204


def visit(server, thread):
    """Comes, and leaves again."""
    leave(server, thread, enter(server, thread))


def state(server, thread):
    return server.http.get(f"/thread/{thread}/status").json()["state"]


def is_there(server, thread):
    return server.http.get(f"/v1/threads/{thread}").status_code == 200


def session_of(server, thread):
    return server.http.get(f"/v1/threads/{thread}").json()["session_id"]


def temporary(server, *files):
    answer = server.http.post("/thread/new", json={"temporary": True, "file_ids": list(files)})
    assert answer.status_code == 201 and answer.json()["temporary"], answer.text
    return answer.json()["thread_id"]


def others_would_have_ended(server):
    """One that was left now has ended."""
    thread = server.thread()
    server.ask(thread, "run: 1")
    visit(server, thread)
    assert eventually(lambda: state(server, thread) == "cold", 60)


def test_a_chat_that_was_left_is_stored_with_files_and_variables(server):
    thread = server.thread()
    server.ask(thread, KEEP)
    first, second = enter(server, thread), enter(server, thread)
    leave(server, thread, first)
    others_would_have_ended(server)
    assert state(server, thread) != "cold", "the other tab shows it"
    leave(server, thread, second)
    assert eventually(lambda: state(server, thread) == "cold", 60)
    answer = server.ask(thread, "run: print(kept, open('/data/kept.txt').read())")
    assert "[1, 2] kept" in answer["answer"]
    # It was woken by a question, and nobody has left it since.
    others_would_have_ended(server)
    assert state(server, thread) != "cold"


def test_a_reload_is_no_leaving(server):
    thread = server.thread()
    server.ask(thread, "run: 1")
    first = enter(server, thread)
    leave(server, thread, first)
    second = enter(server, thread)
    leave(server, thread, first)  # once more, and late
    others_would_have_ended(server)
    assert state(server, thread) != "cold"
    leave(server, thread, second)
    assert eventually(lambda: state(server, thread) == "cold", 60)


def test_clients_that_say_nothing_of_it_notice_nothing(server):
    thread, left = server.thread(), server.thread()
    server.ask(thread, "run: 1")
    server.ask(left, "run: 1")
    # Nor does a word about leaving alone end anything.
    leave(server, left, uuid.uuid4().hex)
    others_would_have_ended(server)
    assert state(server, thread) != "cold" and state(server, left) != "cold"
    assert server.http.get(f"/v1/threads/{thread}").json()["temporary"] is False


def test_an_answer_at_work_is_left_alone_until_it_has_ended(server, models):
    words = " ".join(f"word{n}" for n in range(80))
    models.answer = lambda asked: {"text": words, "rate": 20} if asked.user == "many" else "short"
    thread, short_lived = server.thread(), temporary(server)
    for one in (thread, short_lived):
        server.ask(one, "hello")
    tabs = [enter(server, one) for one in (thread, short_lived)]
    streams = [server.stream(one, "many") for one in (thread, short_lived)]
    for stream in streams:
        assert any(name == "token" for name, *_ in stream)
    for one, tab in zip((thread, short_lived), tabs):
        leave(server, one, tab)
    ends = []
    for stream in streams:
        ends.append([name for name, *_ in stream][-1])
    assert ends == ["done", "done"]
    assert server.history(thread)[-1]["content"] == words
    assert eventually(lambda: state(server, thread) == "cold", 60)
    assert eventually(lambda: not is_there(server, short_lived), 60)


@pytest.mark.parametrize("keep_awake", [False, True])
def test_a_program_at_work_is_left_alone_until_it_has_ended(server, keep_awake):
    threads = [server.thread(), temporary(server)]
    programs = []
    for one in threads:
        server.ask(one, "run: 1")
        path = f"/v1/sessions/{session_of(server, one)}/processes"
        made = server.http.post(path, json={"command": "sleep 1000", "keep_awake": keep_awake})
        assert made.is_success, made.text
        programs.append(f"{path}/{made.json()['id']}")
        visit(server, one)
    others_would_have_ended(server)
    for one, program in zip(threads, programs):
        assert state(server, one) == "hot"
        assert server.http.get(program).json()["state"] == "running"
        assert server.http.delete(program).is_success
    assert eventually(lambda: state(server, threads[0]) == "cold", 60)
    assert eventually(lambda: not is_there(server, threads[1]), 60)


def test_a_variable_that_could_not_be_stored_is_named(server):
    thread = server.thread()
    server.ask(thread, "run: import threading; lock = threading.Lock(); kept = 1")
    visit(server, thread)
    assert eventually(lambda: state(server, thread) == "cold", 60)
    answer = server.run(session_of(server, thread), "print(kept)")
    assert answer["stdout"] == "1\n" and [one["name"] for one in answer["lost"]] == ["lock"]


def test_a_temporary_chat_is_deleted_with_all_that_is_its_own(server):
    own, shared = (server.upload((name, b"n\n1\n"))["file_id"] for name in ("own.csv", "shared.csv"))
    other = server.thread(shared)
    thread = temporary(server, own, shared)
    server.ask(thread, KEEP)
    session = session_of(server, thread)
    tab = enter(server, thread)
    leave(server, thread, tab)
    tab = enter(server, thread)
    others_would_have_ended(server)
    assert is_there(server, thread), "a reload is no leaving"
    leave(server, thread, tab)
    assert eventually(lambda: not is_there(server, thread), 60)
    assert server.http.get(f"/thread/{thread}/history").status_code == 404
    assert eventually(lambda: server.http.get(f"/v1/sessions/{session}").status_code == 404, 60)
    def uploads():
        return {one["file_id"] for one in server.http.get("/v1/uploads?limit=1000").json()["uploads"]}

    assert eventually(lambda: own not in uploads(), 60)
    assert shared in uploads() and is_there(server, other)
    enter(server, thread, expected=404)
    leave(server, thread, tab)  # nobody is in it, as it says


def test_a_copy_of_a_temporary_chat_is_temporary(server):
    thread = temporary(server)
    server.ask(thread, "run: 1")
    answer = server.http.post(f"/v1/threads/{thread}/fork")
    assert answer.status_code == 201 and answer.json()["temporary"]
    visit(server, answer.json()["thread_id"])
    assert eventually(lambda: not is_there(server, answer.json()["thread_id"]), 60)
    assert is_there(server, thread)


def test_versions_of_a_temporary_chat_go_when_nobody_is_in_any_of_them(server):
    """Whoever asks a question anew leaves the version before, and may go back."""
    first = temporary(server)
    server.ask(first, "run: 1")
    tab = enter(server, first)
    second = server.http.post(f"/v1/threads/{first}/fork", json={"turn": 0, "version": True}).json()["thread_id"]
    leave(server, first, tab)
    tab = enter(server, second)
    others_would_have_ended(server)
    assert is_there(server, first) and is_there(server, second)
    leave(server, second, tab)
    assert eventually(lambda: not is_there(server, first) and not is_there(server, second), 60)


def test_tabs_are_bounded_and_named(server):
    thread = server.thread()
    for bad in ("short", "x" * 65, "-" * 20, "two words and more"):
        assert server.http.put(f"/v1/threads/{thread}/presence/{bad}").status_code == 400
    tabs = [enter(server, thread) for _ in range(64)]
    enter(server, thread, expected=429)
    assert server.http.put(f"/v1/threads/{thread}/presence/{tabs[0]}").status_code == 204  # it is there already
    enter(server, server.thread())


def test_a_server_that_is_killed_knows_which_chats_are_temporary(own_server):
    """It removes those that nobody is in, after their time, and no others."""
    server = own_server
    kept, visited, abandoned = server.thread(), temporary(server), temporary(server)
    for one in (kept, visited, abandoned):
        server.ask(one, KEEP)
        enter(server, one)
    session = session_of(server, abandoned)
    server.kill()
    server.environment |= {"ATOLL_TEMPORARY_UNUSED": "2s"}
    server.start()
    tab = enter(server, visited)  # its page is open still, and says so
    until = time.monotonic() + 60
    while is_there(server, abandoned) and time.monotonic() < until:
        time.sleep(.1)
    assert not is_there(server, abandoned)
    assert server.http.get(f"/v1/sessions/{session}").status_code == 404
    assert is_there(server, visited) and is_there(server, kept)
    assert "kept" in server.ask(kept, "run: print(open('/data/kept.txt').read())")["answer"]
    leave(server, visited, tab)
    server.environment |= {"ATOLL_LEAVE_GRACE": "1s"}
    assert server.stop() == 0
    server.start()
    assert eventually(lambda: not is_there(server, visited), 60)
    assert is_there(server, kept)


def test_a_server_stops_while_chats_are_being_stored(tmp_path, models):
    running = Analyst(tmp_path, environment=models.environment() | {"ATOLL_LEAVE_GRACE": "1ms"})
    threads = [running.thread() for _ in range(4)]
    for one in threads:
        running.ask(one, KEEP)
        visit(running, one)
    assert running.stop() == 0
    running.start()
    try:
        for one in threads:
            assert "[1, 2]" in running.ask(one, "run: print(kept)")["answer"]
    finally:
        assert running.stop() == 0
