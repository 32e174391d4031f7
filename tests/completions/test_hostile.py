"""One client of /v1/chat/completions must not keep others from asking."""

import http.client
import json
import threading
import time

from harness.completions import Chat


def piecemeal(server, body: dict) -> http.client.HTTPConnection:
    """Sent without saying how long it is."""
    text = json.dumps(body).encode()
    link = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=120)
    link.request("POST", "/v1/chat/completions", iter([text[:50], text[50:]]),
                 {"Content-Type": "application/json"}, encode_chunked=True)
    return link


def test_questions_of_unknown_length_count_as_what_they_are(server):
    """Each had counted as the largest request there may be, for as long as its answer took: an owner could have four
    under way, and two owners kept all others out."""
    def body(n, code):
        return {"model": "atoll", "stream": True, "messages": [{"role": "user", "content": f"run: {code} # {n}"}]}

    open_ones = []
    try:
        for n in range(10):
            link = piecemeal(server, body(n, "import time\nwhile True: time.sleep(0.1)"))
            open_ones.append(link)
        answers = [link.getresponse() for link in open_ones]
        assert [answer.status for answer in answers] == [200] * 10
        last = piecemeal(server, body("last", "print(6 * 7)"))
        open_ones.append(last)
        answer = last.getresponse()
        assert answer.status == 200
        # the answer may come in pieces
        chunks = [json.loads(line[6:]) for line in answer.read().decode().splitlines() if line.startswith("data: {")]
        said = "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks)
        assert "It says 42" in said
    finally:
        for link in open_ones:
            link.close()


def test_a_history_of_thoughts_alone(server, client):
    """What a model thought aloud is taken out of a history. Twenty megabytes of it, in the smallest pieces, had
    occupied the server's only loop for many minutes."""
    chat = Chat(client)
    chat.messages = [{"role": "user", "content": "hello"},
                     {"role": "assistant", "content": "<think>x</think>" * 1_000_000},
                     {"role": "user", "content": "again"},
                     {"role": "assistant", "content": "It is me." + "<details type=\"reasoning\"</details>" * 50_000}]
    slowest, done = 0.0, threading.Event()

    def watch():
        nonlocal slowest
        while not done.wait(0.05):
            began = time.monotonic()
            server.http.get("/healthz", timeout=120)
            slowest = max(slowest, time.monotonic() - began)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        assert chat.say("what did you say?") == "You said what did you say?"
    finally:
        done.set()
        watcher.join()
    assert slowest < 60, "others waited for it"  # minutes, as it was, and not a busy machine's seconds
