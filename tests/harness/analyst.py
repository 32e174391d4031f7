"""The real server with the words of a chat client, and what a scripted model says by default."""

import json
import time

from .model_server import call
from .server import Server


class Analyst(Server):
    """The server, with the words of a chat client."""

    def upload(self, *files):
        parts = [("files", (name, content)) for name, content in files]
        answer = self.http.post("/upload", files=parts)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def thread(self, *file_ids) -> str:
        answer = self.http.post("/thread/new", json={"file_ids": list(file_ids)} if file_ids else None)
        assert answer.status_code == 201, answer.text
        return answer.json()["thread_id"]

    def ask(self, thread, message, **more) -> dict:
        answer = self.http.post(f"/thread/{thread}/message", json={"message": message, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def stream(self, thread, message, **more):
        """(name, data, id, when) of each event."""
        with self.http.stream("POST", f"/thread/{thread}/message/stream",
                              json={"message": message, **more}) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield from events_of(answer)

    def resume(self, thread, after=None, **query):
        headers = {"Last-Event-ID": after} if after else {}
        with self.http.stream("GET", f"/thread/{thread}/message/stream", params=query, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            yield from events_of(answer)

    def history(self, thread, **query) -> list:
        answer = self.http.get(f"/thread/{thread}/history", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["messages"]


def events_of(answer):
    name, number = None, None
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("id: "):
            number = line[4:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:]), number, time.monotonic()


def answering(asked):
    """One run of code, then an answer that quotes its result; `print …` in the question is the code."""
    if asked.user.startswith("run: ") and not asked.tool_results:
        return {"tool_calls": [call("run_python", code=asked.user[5:])]}
    if asked.tool_results:
        return "It says " + asked.tool_results[-1]
    return "You said " + asked.user
