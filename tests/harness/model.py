"""The chat model of models/openai on a leash: starts build/release/atoll-model and asks it things."""
import itertools
import json
import subprocess
import threading
from queue import Empty, Queue

from .driver import BUILD

PROGRAM = BUILD / "atoll-model"


class Failed(Exception):
    """What a person would be told; `code` is the kind of it."""

    def __init__(self, error: dict):
        super().__init__(error["message"])
        self.code = error["code"]


class Heard:
    """A question under way: what it says, line by line."""

    def __init__(self, program, number: int):
        self.program, self.number, self.lines = program, number, Queue()
        self.text, self.reasoning = [], []

    def next(self, wait: float = 30) -> dict:
        try:
            line = self.lines.get(timeout=wait)
        except Empty:
            raise AssertionError("the program says nothing") from None
        for name, into in (("text", self.text), ("reasoning", self.reasoning)):
            if name in line:
                into.append(line[name])
        return line

    def end(self, wait: float = 60) -> dict:
        while True:
            line = self.next(wait)
            if "error" in line:
                raise Failed(line["error"])
            if "text" not in line and "reasoning" not in line:
                return line

    def cancel(self):
        self.program.start("cancel", of=self.number).end()


class ModelProgram:
    def __init__(self, environment=None):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment)
        self._ids, self._heard, self._lock = itertools.count(1), {}, threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            line.decode("utf-8")  # whatever a provider sends, what comes out is text
            said = json.loads(line)
            self._heard[said["id"]].lines.put(said)

    def start(self, what: str, **fields) -> Heard:
        with self._lock:
            heard = Heard(self, next(self._ids))
            self._heard[heard.number] = heard
            line = json.dumps({"id": heard.number, "do": what, **fields})
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        return heard

    def chat(self, url: str, text="Hello?", messages=None, tools=(), answer_tokens_max=0,
             **fields) -> Heard:
        request = {"messages": messages or [{"role": "user", "text": text}], "tools": list(tools),
                   "answer_tokens_max": answer_tokens_max}
        return self.start("chat", base_url=url, request=request,
                          **{"key": "test-key", **fields})

    def usage(self) -> dict:
        return self.start("usage").end()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()
