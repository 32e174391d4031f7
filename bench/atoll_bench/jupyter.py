"""The little of Jupyter's protocol that a bench needs: run code over a kernel's WebSocket."""

import json
import socket
import uuid

from . import http

PREFIX = uuid.uuid4().hex  # no message of another process, or of an earlier one, is ours
MARK = "<number>"

CREATE = http.request("POST", "/api/kernels", {})


def delete(kernel: str) -> bytes:
    return http.request("DELETE", f"/api/kernels/{kernel}")


def channels(kernel: str) -> bytes:
    """With a new name each time: to one it knows the gateway first sends what that one missed."""
    return http.upgrade(f"/api/kernels/{kernel}/channels?session_id={uuid.uuid4().hex}")


class Code:
    """Code to be run many times: all but the number of the message is made once."""

    def __init__(self, code: str):
        text = json.dumps({
            "header": {"msg_id": MARK, "msg_type": "execute_request", "username": "bench",
                       "session": PREFIX, "version": "5.3", "date": "2026-01-01T00:00:00Z"},
            "parent_header": {}, "metadata": {}, "channel": "shell", "buffers": [],
            "content": {"code": code, "silent": False, "store_history": False,
                        "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}})
        before, after = text.split(MARK)
        self.before, self.after = before.encode(), after.encode()
        self.count = 0

    def next(self) -> tuple[bytes, bytes]:
        """The frame, and the name that its answers carry."""
        self.count += 1
        name = f"{PREFIX}-{self.count:010}".encode()
        return http.frame(self.before + name + self.after), name


class Answers:
    """Looks through what a WebSocket brought for the message of a kind about a request. What else
    comes is left aside, but for pings, which are answered."""

    def __init__(self, line: socket.socket):
        self.line = line
        self.wanted = (b"", b"")

    def want(self, kind: bytes, name: bytes) -> None:
        self.wanted = (b'"' + kind + b'"', name)
        self.acknowledge()

    def acknowledge(self) -> None:
        """Tornado leaves Nagle's algorithm on: the second of its small messages is sent when the
        first is acknowledged, which a receiver likes to do 40 ms later. Ours does it at once. The
        kernel forgets this again and again."""
        self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def whole(self, seen: bytearray) -> int:
        """Where the wanted message ends; 0 while it is not there. Drops what was before it."""
        self.acknowledge()
        begin = 0
        while (found := http.first_frame(seen, begin)) is not None:
            opcode, at, end = found
            if opcode == 9:
                self.line.send(http.frame(bytes(seen[at:end]), 10))
            elif opcode == 8:
                raise http.Broken("the server closed the WebSocket")
            elif self.wanted[1] in (payload := seen[at:end]):
                if self.wanted[0] in payload:
                    del seen[:at]
                    return end - at
                if b'"error"' in payload and b'"execute_reply"' in payload:
                    raise http.Broken("the code failed: " + payload[:300].decode(errors="replace"))
            begin = end
        del seen[:begin]
        return 0
