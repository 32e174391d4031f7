"""A scripted model server: speaks the OpenAI-compatible API and says what a test wrote down.

In a test, with a function that decides by what was asked (runs on a thread of its own, must not
wait):

    from harness.model_server import ModelServer, call

    def answer(asked):                       # Asked: messages, tools, user, tool_results, body, ...
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code="print(1+1)")]}
        return "It is " + asked.tool_results[-1]

    with ModelServer(answer) as models:
        environment = models.environment()   # OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL
        ...
        assert b"transactions.csv" in models.requests[0].raw    # the bytes that were sent
        models.answer = "something else"     # may be changed at any time

What may stand for `answer`: a function of Asked, one reply, or a list of replies (played one after
the other, the last one again and again). A reply is a text, or a dict:

    text, reasoning        what is said; cut into tokens, or say `tokens`: [...] yourself
    tool_calls             [call(name, **arguments)] or {"id", "name", "arguments": dict or text}
    finish, usage          finish_reason and usage; both have sensible values
    style                  how tool calls are streamed: "openai" (default; pieces, by index),
                           "whole" (one chunk a call: Ollama), "bare" (whole, no index, no id)
    rate                   tokens a second; 0 (default): as fast as they are read
    delay, first_delay     seconds before the head, and between the head and the first token
    recorded               the name of a stream in RECORDED below, played as it is
    chunks                 bytes or text sent as they are (the body of the stream); numbers wait
    status, headers, body  another status than 200; body is a text, or a dict that becomes JSON
    plain                  true: one JSON answer although a stream was asked for
    cut                    after so many writes the connection is cut (reset)
    framing                "chunked" (default), "length", or "close": the body ends with the connection
    hang                   true: the head never comes

As a process of its own, for load (200 streams of 50 tokens a second take a small part of a core):

    with ModelProcess({"text": "word " * 500, "rate": 50}) as models:   # any reply, list or rules
        ...
        models.requests()      # [{"path", "headers", "raw", "body", "at"}], models.stats()

    python tests/harness/model_server.py --script script.json [--port N] [--keep-requests N]
    python tests/harness/model_server.py --script script.py     # defines answer(asked), or ANSWER

It prints `listening on http://127.0.0.1:PORT/v1` once it does. A script in JSON is a reply, a list
of replies, or rules, of which the first that holds counts:

    {"rules": [{"user": "top (5|five)", "tools_done": 0, "reply": {"tool_calls": [...]}},
               {"tools_done": 1, "reply": "done"}],
     "else": "I do not know.", "default": {"rate": 50}}

    user, system, tool     regular expressions, searched in the last user's message, in all system
                           messages, in the last tool result
    tools_done             how many tool results came after the last user's message
    has_tools              whether tools were offered

Anybody may look and change: GET /_/requests, DELETE /_/requests, GET /_/stats, PUT /_/script.
Also there: POST …/embeddings (vectors made of the words, the same for the same text) and GET
…/models, which lists `models`. Any key is taken, unless `keys` are named: then others get 401.
"""
import argparse
import asyncio
import functools
import hashlib
import http.client
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

TOKEN = re.compile(r"\s*\S+\s*$|\s*\S+")
HEAD_BYTES_MAX, BODY_BYTES_MAX = 64 << 10, 256 << 20


def call(name: str, id: str | None = None, **arguments) -> dict:
    return {"id": id, "name": name, "arguments": arguments}


class Asked:
    """One request, with short names for what scripts look at."""

    def __init__(self, number: int, path: str, headers: dict, raw: bytes):
        self.number, self.path, self.headers, self.raw = number, path, headers, raw
        self.at = time.time()
        try:
            self.body = json.loads(raw) if raw else {}
        except ValueError:
            self.body = {}

    @property
    def messages(self) -> list:
        return self.body.get("messages", [])

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]

    def texts(self, role: str) -> list[str]:
        return [text_of(m) for m in self.messages if m.get("role") == role]

    @property
    def system(self) -> str:
        return "\n".join(self.texts("system"))

    @property
    def user(self) -> str:
        """What the user said last. Images of tools travel as the user's too, and do not count."""
        said = [text_of(m) for m in self.messages
                if m.get("role") == "user" and not is_images_of_tools(m)]
        return (said or [""])[-1]

    @property
    def tool_results(self) -> list[str]:
        """Of the turn that is under way."""
        found = []
        for message in reversed(self.messages):
            if message.get("role") == "user" and not is_images_of_tools(message):
                break
            if message.get("role") == "tool":
                found.append(text_of(message))
        return found[::-1]

    def shown(self) -> dict:
        return {"number": self.number, "path": self.path, "headers": self.headers, "at": self.at,
                "raw": self.raw.decode(errors="replace"), "body": self.body}


def text_of(message: dict) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def is_images_of_tools(message: dict) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(p.get("type") == "image_url" for p in content) and \
        text_of(message).startswith("Images")


class Rules:
    """A script in JSON."""

    def __init__(self, script):
        if isinstance(script, dict) and "rules" in script:
            self.rules, self.otherwise = script["rules"], script.get("else", "No rule holds.")
            self.default = script.get("default", {})
        else:
            self.rules, self.otherwise, self.default = [], script, {}
        self.played = 0

    def __call__(self, asked: Asked):
        reply = next((r["reply"] for r in self.rules if self.holds(r, asked)), self.otherwise)
        if isinstance(reply, list):
            reply = reply[min(self.played, len(reply) - 1)]
            self.played += 1
        return {**self.default, **(reply if isinstance(reply, dict) else {"text": reply})}

    @staticmethod
    def holds(rule: dict, asked: Asked) -> bool:
        results = asked.tool_results
        return ((("user" not in rule) or bool(re.search(rule["user"], asked.user)))
                and (("system" not in rule) or bool(re.search(rule["system"], asked.system)))
                and (("tool" not in rule)
                     or bool(results and re.search(rule["tool"], results[-1])))
                and rule.get("tools_done", len(results)) == len(results)
                and rule.get("has_tools", bool(asked.tools)) == bool(asked.tools))


# ---------------------------------------------------------------------------------- what is sent

def event(value) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


@functools.lru_cache(maxsize=64)
def tokens_of(text: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(text)) or ((text,) if text else ())


def plain_arguments(arguments) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def filled(reply: dict, asked: Asked) -> dict:
    """The reply with everything that it leaves out."""
    calls = [{"id": c.get("id") or f"call_{asked.number}_{i}", "name": c["name"],
              "arguments": plain_arguments(c.get("arguments", {}))}
             for i, c in enumerate(reply.get("tool_calls", []))]
    tokens = reply.get("tokens")
    if tokens is None:
        tokens = tokens_of(reply.get("text", ""))
    usage = reply.get("usage")
    if usage is None:
        prompt = max(1, len(asked.raw) // 4)
        said = len(tokens) + sum(len(c["arguments"]) // 4 + 4 for c in calls)
        usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
    return {"tokens": tokens, "calls": calls, "usage": usage,
            "finish": reply.get("finish", "tool_calls" if calls else "stop"),
            "reasoning": tokens_of(reply.get("reasoning", ""))}


def stream_of(reply: dict, asked: Asked) -> Iterator[bytes]:
    """The events of a stream, one a token. Each is made when it is due: making all of them first
    would hold up the other streams."""
    told = filled(reply, asked)
    head = {"id": f"chatcmpl-{asked.number}", "object": "chat.completion.chunk",
            "created": int(asked.at), "model": asked.body.get("model", "scripted")}

    # Built from three pieces, for a load test makes ten thousand of these a second.
    opening = ("data: " + json.dumps(head)[:-1] + ', "choices": [{"index": 0, "delta": ').encode()

    def chunk(delta: bytes, finish: bytes = b"null") -> bytes:
        return opening + delta + b', "finish_reason": ' + finish + b"}]}\n\n"

    def dumped(value) -> bytes:
        return json.dumps(value, ensure_ascii=False).encode()

    yield chunk(b'{"role": "assistant", "content": ""}')
    for token in told["reasoning"]:
        yield chunk(b'{"reasoning_content": ' + dumped(token) + b"}")
    for token in told["tokens"]:
        yield chunk(b'{"content": ' + dumped(token) + b"}")
    style = reply.get("style", "openai")
    for index, made in enumerate(told["calls"]):
        function = {"name": made["name"], "arguments": made["arguments"]}
        if style == "bare":
            yield chunk(dumped({"tool_calls": [{"function": function}]}))
            continue
        entry = {"index": index, "id": made["id"], "type": "function", "function": function}
        if style == "whole":
            yield chunk(dumped({"tool_calls": [entry]}))
            continue
        first = {**entry, "function": {"name": made["name"], "arguments": ""}}
        yield chunk(dumped({"tool_calls": [first]}))
        text = made["arguments"]
        for at in range(0, len(text), 12):
            piece = {"index": index, "function": {"arguments": text[at:at + 12]}}
            yield chunk(dumped({"tool_calls": [piece]}))
    yield chunk(b"{}", dumped(told["finish"]))
    if asked.body.get("stream_options", {}).get("include_usage"):
        yield event({**head, "choices": [], "usage": told["usage"]})
    yield b"data: [DONE]\n\n"


def plain_answer(reply: dict, asked: Asked) -> bytes:
    told = filled(reply, asked)
    message = {"role": "assistant", "content": "".join(told["tokens"]) or None}
    if told["reasoning"]:
        message["reasoning_content"] = "".join(told["reasoning"])
    if told["calls"]:
        message["tool_calls"] = [
            {"id": c["id"], "type": "function",
             "function": {"name": c["name"], "arguments": c["arguments"]}} for c in told["calls"]]
    return json.dumps({
        "id": f"chatcmpl-{asked.number}", "object": "chat.completion", "created": int(asked.at),
        "model": asked.body.get("model", "scripted"), "usage": told["usage"],
        "choices": [{"index": 0, "message": message, "finish_reason": told["finish"]}],
    }, ensure_ascii=False).encode()


def embedding_of(text: str, dimensions: int = 64) -> list[float]:
    """Texts that share words are near one another: enough to test recall with."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        vector[digest[0] % dimensions] += 1.0 if digest[1] & 1 else -1.0
    length = sum(v * v for v in vector) ** 0.5 or 1.0
    return [v / length for v in vector]


# ------------------------------------------------------------------------------------ the server

class Connection(asyncio.Protocol):
    """One request after the other; the next one waits in the buffer until the answer is out."""

    def __init__(self, server: "Loop"):
        self.server, self.loop = server, server.loop
        self.buffer, self.busy, self.closed = bytearray(), False, False
        self.todo, self.next_at, self.timer, self.paused = None, 0.0, None, False

    def connection_made(self, transport):
        self.transport = transport
        self.server.open.add(self)
        self.server.stats["connections"] += 1

    def connection_lost(self, _):
        self.closed = True
        self.server.open.discard(self)
        if self.timer:
            self.timer.cancel()
        if self.busy:
            self.server.stats["gone"] += 1
            self.done()

    def pause_writing(self):
        self.paused = True

    def resume_writing(self):
        self.paused = False
        if self.todo is not None and self.timer is None:
            self.step()

    def data_received(self, data: bytes):
        self.buffer += data
        self.take()

    def eof_received(self):
        return False

    def take(self):
        if self.busy or self.closed:
            return
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self.buffer) > HEAD_BYTES_MAX:
                self.transport.abort()
            return
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        length = int(headers.get("content-length", 0))
        if length > BODY_BYTES_MAX:
            self.transport.abort()
            return
        if len(self.buffer) < end + 4 + length:
            return
        body = bytes(self.buffer[end + 4:end + 4 + length])
        del self.buffer[:end + 4 + length]
        method, path, _ = (lines[0].split(" ") + ["", ""])[:3]
        self.busy = True
        self.server.stats["active"] += 1
        self.server.stats["peak"] = max(self.server.stats["peak"], self.server.stats["active"])
        self.server.handle(self, method, path, headers, body)

    def done(self):
        self.todo = None
        if self.busy:
            self.busy = False
            self.server.stats["active"] -= 1

    # -- sending

    def send(self, status: int, body: bytes, kind: str = "application/json", headers=None):
        more = "".join(f"{n}: {v}\r\n" for n, v in (headers or {}).items())
        self.transport.write(
            f"HTTP/1.1 {status} {http.client.responses.get(status, 'Odd')}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body)
        self.done()
        self.take()

    def after(self, seconds: float, what):
        if seconds > 0:
            self.timer = self.loop.call_later(seconds, self._wake, what)
        else:
            what()

    def _wake(self, what):
        self.timer = None
        if self.closed:
            return
        try:
            what()
        except Exception as wrong:  # as in handle, but later
            self.server.failures.append(repr(wrong))
            self.transport.abort()

    def play(self, reply: dict, asked: Asked):
        if reply.get("hang"):
            return
        self.after(reply.get("delay", 0), lambda: self._begin(reply, asked))

    def _begin(self, reply: dict, asked: Asked):
        status = reply.get("status", 200)
        headers = dict(reply.get("headers", {}))
        if status != 200 or "body" in reply:
            body = reply.get("body", {"error": {"message": f"scripted {status}", "type": "test"}})
            kind = "text/plain" if isinstance(body, (str, bytes)) else "application/json"
            if not isinstance(body, bytes):
                body = (body if isinstance(body, str) else json.dumps(body)).encode()
            kind = headers.pop("Content-Type", kind)
            self.send(status, body, kind, headers)
            return
        raw = "chunks" in reply or "recorded" in reply
        if not raw and (reply.get("plain") or not asked.body.get("stream")):
            self.send(200, plain_answer(reply, asked), headers=headers)
            return
        if raw:
            chunks = reply["chunks"] if "chunks" in reply else [RECORDED[reply["recorded"]]]
            pieces = [c.encode() if isinstance(c, str) else c for c in chunks]
        else:
            pieces = stream_of(reply, asked)
        framing = reply.get("framing", "chunked")
        if framing == "length":
            pieces = list(pieces)
        kind = headers.pop("Content-Type", "text/event-stream; charset=utf-8")
        if framing == "chunked":
            headers["Transfer-Encoding"] = "chunked"
        elif framing == "length":
            headers["Content-Length"] = sum(len(p) for p in pieces if isinstance(p, bytes))
        else:
            headers["Connection"] = "close"
        more = "".join(f"{n}: {v}\r\n" for n, v in headers.items())
        self.transport.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{more}\r\n".encode())
        self.chunked, self.closes = framing == "chunked", framing == "close"
        self.cut, self.writes = reply.get("cut"), 0
        self.interval = 1.0 / reply["rate"] if reply.get("rate") else 0.0
        self.todo = iter(pieces)
        self.following = next(self.todo, None)
        wait = reply.get("first_delay", 0)
        self.next_at = self.loop.time() + wait
        self.after(wait, self.step)

    def step(self):
        """Writes what is due. With a rate: one piece each, at points in time that do not drift."""
        self.timer = None
        while self.todo is not None and not self.transport.is_closing():
            if self.paused:
                return  # resume_writing goes on
            if self.cut is not None and self.writes >= self.cut:
                self.transport.abort()
                return
            piece, self.following = self.following, next(self.todo, None)
            if piece is None:
                self._end()
                return
            if not isinstance(piece, bytes):
                self.next_at = self.loop.time() + piece
                self.timer = self.loop.call_at(self.next_at, self.step)
                return
            self.writes += 1
            self.server.stats["pieces"] += 1
            if self.chunked:
                piece = b"%x\r\n%b\r\n" % (len(piece), piece)
            self.transport.write(piece)
            if self.interval and self.following is not None:
                self.next_at += self.interval
                late = self.loop.time() - self.next_at
                self.server.stats["late_ms"] = max(self.server.stats["late_ms"], late * 1000)
                self.timer = self.loop.call_at(self.next_at, self.step)
                return

    def _end(self):
        if self.chunked:
            self.transport.write(b"0\r\n\r\n")
        self.server.stats["whole"] += 1
        self.done()
        if self.closes:
            self.transport.close()
        else:
            self.take()


class Loop:
    """What both ways of running it share. Everything happens on the event loop's thread."""

    def __init__(self, answer, keep: int, keys=()):
        self.answer, self.keep, self.keys = answer, keep, set(keys)
        self.requests, self.failures, self.played = [], [], 0
        self.models = ("scripted",)
        self.stats = {"asked": 0, "active": 0, "peak": 0, "pieces": 0, "whole": 0, "gone": 0,
                      "connections": 0, "late_ms": 0.0}
        self.open = set()

    async def listen(self, port: int, tls=None) -> int:
        self.loop = asyncio.get_running_loop()
        self.server = await self.loop.create_server(
            lambda: Connection(self), "127.0.0.1", port, backlog=1024, ssl=tls)
        return self.server.sockets[0].getsockname()[1]

    def reply_to(self, asked: Asked) -> dict:
        answer = self.answer
        if callable(answer):
            reply = answer(asked)
        elif isinstance(answer, list):
            reply = answer[min(self.played, len(answer) - 1)]
            self.played += 1
        else:
            reply = answer
        return reply if isinstance(reply, dict) else {"text": str(reply)}

    def handle(self, at: Connection, method: str, path: str, headers: dict, body: bytes):
        try:
            if path.startswith("/_/"):
                self.control(at, method, path, body)
                return
            self.stats["asked"] += 1
            asked = Asked(self.stats["asked"], path, headers, body)
            if len(self.requests) < self.keep:
                self.requests.append(asked)
            key = headers.get("authorization", "").removeprefix("Bearer ")
            if self.keys and key not in self.keys:
                at.send(401, json.dumps({"error": {
                    "message": f"Incorrect API key provided: {key}.", "code": "invalid_api_key",
                    "type": "invalid_request_error"}}).encode())
            elif path.endswith("/chat/completions") and method == "POST":
                at.play(self.reply_to(asked), asked)
            elif path.endswith("/embeddings") and method == "POST":
                reply = self.reply_to(asked) if callable(self.answer) else {}
                if "status" in reply or "body" in reply:
                    at.play(reply, asked)
                    return
                texts = asked.body.get("input", [])
                texts = [texts] if isinstance(texts, str) else texts
                rows = [{"object": "embedding", "index": i, "embedding": embedding_of(t)}
                        for i, t in enumerate(texts)]
                at.send(200, json.dumps({"object": "list", "data": rows, "model": "scripted",
                                         "usage": {"prompt_tokens": 1}}).encode())
            elif path.endswith("/models") and method == "GET":
                rows = [{"id": name, "object": "model"} for name in self.models]
                at.send(200, json.dumps({"object": "list", "data": rows}).encode())
            else:
                at.send(404, b'{"error": {"message": "no such path"}}')
        except Exception as wrong:  # a mistake in the test's script: seen by the test, not lost
            self.failures.append(repr(wrong))
            at.send(500, json.dumps({"error": {"message": f"the script failed: {wrong!r}"}}).encode())

    def control(self, at: Connection, method: str, path: str, body: bytes):
        # These requests are nobody's: they count as none.
        if path == "/_/requests" and method == "GET":
            at.send(200, json.dumps([asked.shown() for asked in self.requests]).encode())
        elif path == "/_/requests" and method == "DELETE":
            self.requests.clear()
            at.send(200, b"{}")
        elif path == "/_/stats":
            active = self.stats["active"] - 1
            at.send(200, json.dumps({**self.stats, "active": active,
                                     "failures": self.failures[:20]}).encode())
        elif path == "/_/script" and method == "PUT":
            self.answer, self.played = Rules(json.loads(body)), 0
            at.send(200, b"{}")
        else:
            at.send(404, b"{}")


class ModelServer:
    """On a thread of this process: `answer` may be a function of the test."""

    def __init__(self, answer="Hello from the scripted model.", keys=(), tls=None, port=0, models=("scripted",)):
        self._loop = Loop(answer, keep=100_000, keys=keys)
        self._loop.models = models
        ready = threading.Event()

        def run():
            async def serve():
                self._stop = asyncio.Event()
                self.port = await self._loop.listen(port, tls)
                ready.set()
                await self._stop.wait()
                self._loop.server.close()
                for connection in list(self._loop.open):
                    connection.transport.abort()
                await asyncio.sleep(0)

            asyncio.run(serve())

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        if not ready.wait(20):
            raise RuntimeError("the model server does not start")
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}/v1"

    answer = property(lambda self: self._loop.answer,
                      lambda self, value: self._set(value))

    def _set(self, value):
        self._loop.answer, self._loop.played = value, 0

    @property
    def requests(self) -> list[Asked]:
        return self._loop.requests

    @property
    def stats(self) -> dict:
        return self._loop.stats

    @property
    def failures(self) -> list[str]:
        """What went wrong in the test's own function."""
        return self._loop.failures

    def environment(self, model: str = "scripted", key: str = "test-key") -> dict:
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": key, "OPENAI_MODEL": model}

    def cut_all(self):
        """Every connection that is open is reset, as when a provider restarts."""
        self._loop.loop.call_soon_threadsafe(
            lambda: [c.transport.abort() for c in list(self._loop.open)])

    def close(self):
        self._loop.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class ModelProcess:
    """A process of its own. `script`: a path of a .json or .py file, or what such a JSON holds."""

    def __init__(self, script, keep_requests: int = 10_000, python: str = sys.executable):
        self._folder = None
        if not isinstance(script, (str, Path)) or not str(script).endswith((".json", ".py")):
            self._folder = tempfile.TemporaryDirectory()
            path = Path(self._folder.name) / "script.json"
            path.write_text(json.dumps(script), encoding="utf-8")
            script = path
        self.process = subprocess.Popen(
            [python, __file__, "--script", str(script), "--keep-requests", str(keep_requests)],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"listening on (http://127\.0\.0\.1:(\d+)/v1)", line)
        if not found:
            self.close()
            raise RuntimeError(f"the model server does not start: {line}")
        self.url, self.port = found[1], int(found[2])

    environment = ModelServer.environment

    def _ask(self, method: str, path: str, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def requests(self) -> list[dict]:
        return self._ask("GET", "/_/requests")

    def forget(self):
        self._ask("DELETE", "/_/requests")

    def stats(self) -> dict:
        return self._ask("GET", "/_/stats")

    def script(self, script):
        self._ask("PUT", "/_/script", json.dumps(script))

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.process.stdout.close()
        if self._folder:
            self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# ------------------------------------------------------------------------------- recorded streams
# Written after what these servers send, shortened.

def _openai(*deltas, finish="stop", usage=True) -> str:
    out = ""
    base = '{"id":"chatcmpl-A1","object":"chat.completion.chunk","created":1750000000,"model":"m"'
    for delta in deltas:
        out += f'data: {base},"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}\n\n'
    out += f'data: {base},"choices":[{{"index":0,"delta":{{}},"finish_reason":"{finish}"}}]}}\n\n'
    if usage:
        out += (f'data: {base},"choices":[],"usage":{{"prompt_tokens":11,"completion_tokens":7,'
                f'"total_tokens":18}}}}\n\n')
    return out + "data: [DONE]\n\n"


RECORDED = {
    "openai_text": _openai('{"role":"assistant","content":"","refusal":null}',
                           '{"content":"Hel"}', '{"content":"lo, 世界 "}', '{"content":"🌍"}'),
    "openai_parallel_tools": _openai(
        '{"role":"assistant","content":null}',
        '{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"run_python",'
        '"arguments":""}}]}',
        '{"tool_calls":[{"index":0,"function":{"arguments":"{\\"code\\":"}}]}',
        '{"tool_calls":[{"index":0,"function":{"arguments":" \\"1+1\\"}"}}]}',
        '{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"list_files",'
        '"arguments":""}}]}',
        '{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}', finish="tool_calls"),
    "openai_interleaved_tools": _openai(
        '{"tool_calls":[{"index":0,"id":"call_a","function":{"name":"run_","arguments":""}},'
        '{"index":1,"id":"call_b","function":{"name":"list_files","arguments":""}}]}',
        '{"tool_calls":[{"index":0,"function":{"name":"python"}}]}',
        '{"tool_calls":[{"index":1,"function":{"arguments":"{"}}]}',
        '{"tool_calls":[{"index":0,"function":{"arguments":"{\\"code\\":\\"1+1\\"}"}}]}',
        '{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}', finish="tool_calls"),
    "ollama_tools": (
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"q","system_fingerprint":'
        '"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":['
        '{"id":"call_x1","index":0,"type":"function","function":{"name":"run_python","arguments":'
        '"{\\"code\\":\\"1+1\\"}"}}]},"finish_reason":null}]}\n\n'
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"q","system_fingerprint":'
        '"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":['
        '{"id":"call_x2","index":0,"type":"function","function":{"name":"list_files","arguments":"{}"'
        '}}]},"finish_reason":null}]}\n\n'
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"q","choices":[{"index":0,'
        '"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'),
    "vllm_reasoning": _openai('{"role":"assistant","content":""}',
                              '{"reasoning_content":"Let me "}', '{"reasoning_content":"think."}',
                              '{"content":"\\n\\n42","reasoning_content":null}'),
    "openrouter_comments": (
        ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\r\n\r\n'
        + _openai('{"role":"assistant","content":"","reasoning":"Hm."}', '{"content":"Yes."}')),
    "crlf_no_space": _openai('{"content":"A"}', '{"content":"B"}').replace("data: ", "data:")
                     .replace("\n", "\r\n"),
    "no_done_no_finish": _openai('{"content":"all "}', '{"content":"there"}', usage=False)
                         .split('data: {"id":"chatcmpl-A1","object":"chat.completion.chunk",'
                                '"created":1750000000,"model":"m","choices":[{"index":0,"delta":{},')[0],
    "legacy_function_call": _openai(
        '{"role":"assistant","content":null,"function_call":{"name":"run_python","arguments":""}}',
        '{"function_call":{"arguments":"{\\"code\\":"}}', '{"function_call":{"arguments":"\\"2\\"}"}}',
        finish="function_call"),
    "content_parts": _openai('{"content":[{"type":"text","text":"in "},{"type":"text","text":"parts"}]}'),
    "error_in_the_middle": (
        _openai('{"content":"Half of "}').split("data: [DONE]")[0].rsplit("data: ", 2)[0]
        + 'data: {"error":{"message":"The server had an error while processing your request",'
          '"type":"server_error","code":500}}\n\n'),
    "error_at_once": 'data: {"error":{"message":"Overloaded","type":"overloaded_error","code":529}}\n\n',
    "not_json": 'data: {"choices":[{"delta":{"content":"ok "}}]}\n\ndata: {oops\n\n'
                'data: {"choices":[{"delta":{"content":"still"},"finish_reason":"stop"}]}\n\n',
    "odd_values": 'data: null\n\ndata: 7\n\ndata: []\n\ndata: {"choices":null}\n\n'
                  'data: {"choices":[null]}\n\ndata: {"choices":[{"delta":null}]}\n\n'
                  'data: {"choices":[{"delta":{"content":5,"tool_calls":{"a":1}}}]}\n\n'
                  'data: {"choices":[{"delta":{"tool_calls":[null,3,{"function":null}]}}]}\n\n'
                  'data: {"choices":[{"index":1,"delta":{"content":"other choice"}}]}\n\n'
                  'data: {"choices":[{"delta":{"content":"fine"},"finish_reason":"eos"}],'
                  '"usage":{"prompt_tokens":-4,"completion_tokens":"x"}}\n\ndata: [DONE]\n\n',
    "html": "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
    "empty": "",
    "only_done": "data: [DONE]\n\n",
}


def script_from(path: str):
    if path.endswith(".json"):
        return Rules(json.loads(Path(path).read_text(encoding="utf-8")))
    specification = importlib.util.spec_from_file_location("model_script", path)
    module = importlib.util.module_from_spec(specification)
    sys.modules["model_server"] = sys.modules[__name__]  # so that a script may import it
    specification.loader.exec_module(module)
    return module.answer if hasattr(module, "answer") else module.ANSWER


def main():
    options = argparse.ArgumentParser(description="A scripted model server for tests.")
    options.add_argument("--script", required=True, help="a .json or .py file")
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--keep-requests", type=int, default=10_000)
    given = options.parse_args()

    async def serve():
        loop = Loop(script_from(given.script), given.keep_requests)
        port = await loop.listen(given.port)
        print(f"listening on http://127.0.0.1:{port}/v1", flush=True)
        await asyncio.Event().wait()

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
