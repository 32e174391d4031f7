"""Connect's JSON by hand, for what an SDK would never send: one sandbox of a server, its envd and its interpreter."""
import base64
import json
import struct

import httpx

END = 2


def frame(message, flags=0) -> bytes:
    payload = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack(">BI", flags, len(payload)) + payload


def frames_in(pieces):
    """(flags, message) for each frame, as they come."""
    held = b""
    for piece in pieces:
        held += piece
        while len(held) >= 5:
            flags, length = struct.unpack(">BI", held[:5])
            if len(held) < 5 + length:
                break
            yield flags, json.loads(held[5:5 + length])
            held = held[5 + length:]
    assert not held, "the stream ends within a frame"


class RawSandbox:
    def __init__(self, server, key):
        self.http = httpx.Client(base_url=server.url, timeout=60)
        made = self.http.post("/v2/sandboxes", headers={"X-API-Key": key}, json={"templateID": "base"})
        assert made.status_code == 201, made.text
        self.id, self.token = made.json()["sandboxID"], made.json()["envdAccessToken"]
        self.key = key

    def headers(self, port=49983, **more):
        return {"E2b-Sandbox-Id": self.id, "E2b-Sandbox-Port": str(port), "X-Access-Token": self.token, **more}

    def kill(self):
        self.http.delete(f"/sandboxes/{self.id}", headers={"X-API-Key": self.key})

    def close(self):
        self.kill()
        self.http.close()

    def call(self, method, message, **headers):
        body = message if isinstance(message, (bytes, str)) else json.dumps(message)
        return self.http.post("/" + method, content=body,
                              headers=self.headers(**{"Content-Type": "application/json", **headers}))

    def stream(self, method, body, **headers):
        """All frames of the answer."""
        answer = self.http.post("/" + method, content=body,
                                headers=self.headers(**{"Content-Type": "application/connect+json", **headers}))
        assert answer.status_code == 200, answer.text
        return list(frames_in([answer.content]))

    def open_stream(self, method, message, **headers):
        """A context: the answer, whose frames come as they are sent."""
        return self.http.stream("POST", "/" + method, content=frame(message), headers=self.headers(
            **{"Content-Type": "application/connect+json", **headers}))

    def run(self, command, **fields):
        """What a command says and how it ends."""
        headers = fields.pop("headers", {})
        process = {"cmd": "/bin/bash", "args": ["-c", command], **fields.pop("process", {})}
        out, err, end = b"", b"", None
        for flags, message in self.stream("process.Process/Start", frame(
                {"process": process, "stdin": False, **fields}), **headers):
            if flags == END:
                return out.decode(errors="replace"), err.decode(errors="replace"), end, message
            event = message["event"]
            out += base64.b64decode(event.get("data", {}).get("stdout", ""))
            err += base64.b64decode(event.get("data", {}).get("stderr", ""))
            end = event.get("end", end)
        raise AssertionError("the stream has no end frame")

    def execute(self, code, **fields):
        """The lines of a run."""
        answer = self.http.post("/execute", json={"code": code, **fields}, headers=self.headers(49999))
        assert answer.status_code == 200, answer.text
        assert answer.text.endswith("\n")
        return [json.loads(line) for line in answer.text.splitlines()]
