"""What one owner, one large answer or one lost folder costs the others: a sentence at most."""

import json
import shutil
import sqlite3
import time

import httpx
from harness.analyst import Analyst
from harness.model_server import call


def test_an_answer_that_was_dropped_from_memory_comes_from_the_store(tmp_path, models):
    """Answers that have ended share a budget of memory; who comes back to a dropped one has all of it all the same."""
    server = Analyst(tmp_path, environment={**models.environment(), "ATOLL_THREADS_KEPT": "100k"})
    models.answer = {"tokens": ["word " * 20_000] * 8 + ["the end"]}
    thread = server.thread()
    *_, (name, done, *_) = server.stream(thread, "go")
    assert name == "done" and len(done["answer"]) == 800_007
    # Who waits for an answer in one piece gets it, though it is larger than all that is kept.
    assert server.ask(server.thread(), "go")["answer"] == done["answer"]
    # Its events are gone: the whole answer stands for what came after the first.
    resumed = [(name, data) for name, data, *_ in server.resume(thread, after="1-1")]
    assert [name for name, _ in resumed] == ["answer", "done"]
    assert resumed[0][1]["text"] == resumed[1][1]["answer"] == done["answer"]
    assert server.stop() == 0


def test_threads_uploads_and_messages_of_one_owner_have_a_limit(tmp_path, models):
    settings = {"ATOLL_THREADS_OWNER": "2", "ATOLL_THREADS_MESSAGES": "3", "ATOLL_UPLOAD_FILES": "2"}
    server = Analyst(tmp_path, environment={**models.environment(), **settings})
    first, _ = server.thread(), server.thread()
    refused = server.http.post("/thread/new")
    assert refused.status_code == 429 and "2 threads" in refused.json()["detail"]
    server.ask(first, "one")
    server.ask(first, "two")
    refused = server.http.post(f"/thread/{first}/message", json={"message": "three"})
    assert refused.status_code == 429 and "begin a new thread" in refused.json()["detail"]
    assert len(server.history(first)) == 4
    for n in range(2):
        server.upload((f"{n}.csv", b"a,b\n1,2\n"))
    refused = server.http.post("/upload", files=[("files", ("3.csv", b"a,b\n1,2\n"))])
    assert refused.status_code == 507 and "2 uploads" in refused.text
    assert len(server.http.get("/v1/uploads").json()["uploads"]) == 2
    assert server.http.delete(f"/v1/threads/{first}").status_code == 204
    server.thread()
    assert server.stop() == 0


def test_a_lost_data_folder_is_told_without_its_path(tmp_path, models):
    """Neither the person nor the model hears where the server keeps its files; its log does."""
    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code="1")]}
        return "told: " + asked.tool_results[-1]
    server = Analyst(tmp_path, environment=models.environment())
    thread = server.thread()
    models.answer = answer
    shutil.move(tmp_path / "data" / "sessions", tmp_path / "elsewhere")
    said = server.http.post(f"/thread/{thread}/message", json={"message": "go"}).text
    heard = "".join(text for asked in models.requests for text in asked.tool_results)
    streamed = server.http.post(f"/thread/{thread}/message/stream", json={"message": "go"}).text
    for text in (said, heard, streamed, json.dumps(server.history(thread))):
        assert str(tmp_path) not in text and "/sessions" not in text
    assert "in the server" in said + heard or "the server" in said + heard
    shutil.move(tmp_path / "elsewhere", tmp_path / "data" / "sessions")
    server.stop()


def test_t4_questions_of_one_owner_at_the_same_time(tmp_path, models):
    admin = "an-administrators-key-for-these-tests-0123456789"
    server = Analyst(tmp_path, environment={**models.environment(), "ATOLL_ADMIN_KEY": admin, "ATOLL_QUOTA_TURNS": "2"})
    clients = []
    for name in ("ann", "bob"):
        made = httpx.post(f"{server.url}/v1/keys", json={"owner": name, "scopes": ["threads"]}, headers={"X-API-Key": admin})
        clients.append(httpx.Client(base_url=server.url, timeout=60, headers={"X-API-Key": made.json()["key"]}))
    ann, bob = clients

    def ask(client, thread, message):
        return client.post(f"/thread/{thread}/message", json={"message": message})

    def begun(client, thread):
        """A question whose answer does not come, left by the one who asked it."""
        with client.stream("POST", f"/thread/{thread}/message/stream", json={"message": "wait"}) as answer:
            assert answer.status_code == 200, answer.read()
            next(answer.iter_lines())

    models.answer = lambda asked: {"hang": True} if asked.user == "wait" else "done"
    first, second, third = (ann.post("/thread/new").json()["thread_id"] for _ in range(3))
    begun(ann, first)
    begun(ann, second)
    for thread in (third, first):  # a new one, and one that would wait for the answer before it
        refused = ask(ann, thread, "go")
        assert refused.status_code == 429 and "quotas.turns" in refused.json()["detail"], refused.text
    assert ask(bob, bob.post("/thread/new").json()["thread_id"], "go").json()["answer"] == "done"
    assert ann.post(f"/thread/{first}/cancel").status_code < 300
    until = time.monotonic() + 60
    while (answer := ask(ann, third, "go")).status_code == 429:  # until the cancelled one has ended
        assert time.monotonic() < until
        time.sleep(0.05)
    assert answer.json()["answer"] == "done"
    assert ann.post(f"/thread/{second}/cancel").status_code < 300
    assert server.stop() == 0


def test_a_history_too_long_for_one_answer_is_read_in_pages(tmp_path, models):
    """What is put together in memory has a budget; pages of a thread beyond it, and other threads, are answered."""
    server = Analyst(tmp_path, environment=models.environment())
    long, short = server.thread(), server.thread()
    for thread in (long, short):
        server.ask(thread, "hello")
    assert server.stop() == 0
    # As if it had gone on for long: 96 MiB in messages of 8.
    with sqlite3.connect(tmp_path / "data/atoll.db") as db:
        (number,) = db.execute("SELECT number FROM threads WHERE id = ?", (long,)).fetchone()
        for n in range(3, 15):
            db.execute("INSERT INTO thread_messages SELECT thread, ?, ?, role, ?, details, '', at FROM thread_messages"
                       " WHERE thread = ? AND sequence = 1", (n, n, f"{n:02}" + "x" * (8 << 20), number))
        db.execute("UPDATE threads SET messages = 14, turns = 14 WHERE number = ?", (number,))
    db.close()
    server.start()
    for path in (f"/thread/{long}/history", f"/v1/threads/{long}/export?format=markdown", f"/v1/threads/{long}/export?format=ipynb"):
        refused = server.http.get(path)
        assert refused.status_code == 429 and "limit and cursor" in refused.json()["detail"], refused.text[:300]
    assert len(server.history(short)) == 2
    seen, cursor = [], None
    while cursor != "":
        page = server.http.get(f"/thread/{long}/history", params={"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
        seen += [one["content"][:2] for one in page["messages"]]
        cursor = page.get("next_cursor") or ""
    assert seen[2:] == [f"{n:02}" for n in range(3, 15)]
    assert server.stop() == 0
