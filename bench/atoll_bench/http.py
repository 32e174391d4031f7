"""HTTP and WebSocket as bytes, and a connection that waits. No library, so that the client is the
same for all subjects and costs next to nothing beside them."""

import base64
import json
import os
import select
import socket
import struct
import time

TIMEOUT_S = 180


class Broken(Exception):
    """The server did not do what was asked of it; the text says how."""


# --- HTTP ---------------------------------------------------------------------------------------

def request(method: str, path: str, body: bytes | dict | None = None, *, length: int | None = None,
            accept: str = "*/*") -> bytes:
    """One request. With `length`, its head alone: the body is sent by the caller."""
    if isinstance(body, dict):
        body = json.dumps(body).encode()
    size = len(body) if body is not None else length
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Accept: {accept}"]
    if size is not None:
        kind = "application/json" if length is None else "application/octet-stream"
        lines += [f"Content-Type: {kind}", f"Content-Length: {size}"]
    elif method in ("POST", "PUT"):
        lines.append("Content-Length: 0")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + (body or b"")


def head_of(seen: bytearray) -> tuple[int, int, int | None] | None:
    """Status, where the body begins, its length (None: in chunks); nothing while not whole."""
    end = seen.find(b"\r\n\r\n")
    if end < 0:
        return None
    status = int(seen[9:12])
    if status in (101, 204, 304):
        return status, end + 4, 0
    head = bytes(seen[:end + 2]).lower()
    at = head.find(b"\r\ncontent-length:")
    if at < 0:
        return status, end + 4, None
    return status, end + 4, int(head[at + 17:head.index(b"\r\n", at + 17)])


def whole(seen: bytearray) -> int:
    """Where the first answer in `seen` ends; 0 while it is not all there."""
    head = head_of(seen)
    if head is None:
        return 0
    _, begin, length = head
    if length is not None:
        return begin + length if len(seen) >= begin + length else 0
    while True:
        line = seen.find(b"\r\n", begin)
        if line < 0:
            return 0
        size = int(seen[begin:line].split(b";")[0], 16)
        begin = line + 2 + size + 2
        if len(seen) < begin:
            return 0
        if size == 0:
            return begin


def body_of(answer: bytes | bytearray) -> bytes:
    _, begin, length = head_of(bytearray(answer))
    if length is not None:
        return bytes(answer[begin:begin + length])
    body = b""
    while True:
        line = answer.index(b"\r\n", begin)
        size = int(answer[begin:line].split(b";")[0], 16)
        if size == 0:
            return body
        body += answer[line + 2:line + 2 + size]
        begin = line + 2 + size + 2


def connected(port: int, timeout_s: float = TIMEOUT_S) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


class Connection:
    """Kept alive; one request at a time; waits for each answer."""

    def __init__(self, port: int, timeout_s: float = TIMEOUT_S):
        self.port, self.timeout_s = port, timeout_s
        self.socket = connected(port, timeout_s)
        self.seen = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        self.socket.close()

    def exchange(self, raw: bytes) -> bytearray:
        self.socket.sendall(raw)
        return self.answer()

    def renew(self) -> None:
        """Before a pause ends: a server closes connections that nobody used for a while."""
        if select.select([self.socket], [], [], 0)[0]:
            self.socket.close()
            self.socket, self.seen = connected(self.port, self.timeout_s), bytearray()

    def answer(self) -> bytearray:
        while not (end := whole(self.seen)):
            self.more()
        answer, self.seen = self.seen[:end], self.seen[end:]
        return answer

    def more(self) -> None:
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise Broken("the server closed the connection")
        self.seen += piece

    def has_ended(self) -> bool:
        """Whether the answer that is being read is over, as far as it has come."""
        while select.select([self.socket], [], [], 0)[0]:
            piece = self.socket.recv(1 << 18)
            if not piece:
                return True
            self.seen += piece
        return whole(self.seen) > 0

    def ask(self, method: str, path: str, body: bytes | dict | None = None):
        """The answer's JSON (None when it is empty). Anything but success is an error here."""
        self.renew()
        answer = self.exchange(request(method, path, body))
        status, text = int(answer[9:12]), body_of(answer)
        if not 200 <= status < 300:
            raise Broken(f"{method} {path}: {status} {text[:300].decode(errors='replace')}")
        return json.loads(text) if text else None

    def send_file(self, path: str, block: memoryview, count: int) -> float:
        """Seconds for a PUT of `count` blocks, until it is answered."""
        start = time.perf_counter()
        self.socket.sendall(request("PUT", path, length=len(block) * count))
        for _ in range(count):
            self.socket.sendall(block)
        answer = self.answer()
        taken = time.perf_counter() - start
        if not 200 <= int(answer[9:12]) < 300:
            raise Broken(f"PUT {path}: {bytes(answer[:400]).decode(errors='replace')}")
        return taken

    def take_file(self, path: str, size: int, expected: bytes | None = None) -> float:
        """Seconds for a GET of `size` bytes. With `expected` (repeated over and over) each byte
        is compared, which takes time: not for the clock."""
        buffer = memoryview(bytearray(1 << 20))
        start = time.perf_counter()
        self.socket.sendall(request("GET", path))
        while (head := head_of(self.seen)) is None:
            self.more()
        status, begin, length = head
        if status != 200 or length != size:
            raise Broken(f"GET {path}: status {status}, {length} bytes and not {size}")
        first = bytes(self.seen[begin:])
        self.seen = bytearray()
        at = len(first)
        if expected and first != (expected * 2)[:at]:
            raise Broken(f"GET {path}: other bytes than were sent")
        while at < size:
            got = self.socket.recv_into(buffer)
            if not got:
                raise Broken(f"GET {path}: ended after {at} of {size} bytes")
            if expected:
                offset = at % len(expected)
                if buffer[:got] != (expected + expected)[offset:offset + got]:
                    raise Broken(f"GET {path}: other bytes than were sent, near {at}")
            at += got
        return time.perf_counter() - start


# --- WebSocket ----------------------------------------------------------------------------------

def upgrade(path: str) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    return (f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade"
            f"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode()


def frame(payload: bytes, opcode: int = 1) -> bytes:
    """Masked with zeros, which leaves the payload as it is: a client has to mask, not to hide."""
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
    return head + b"\0\0\0\0" + payload


def first_frame(seen: bytearray, begin: int) -> tuple[int, int, int] | None:
    """Opcode, begin and end of the payload of the frame at `begin`; nothing while not whole."""
    if len(seen) < begin + 2:
        return None
    opcode, size, at = seen[begin] & 15, seen[begin + 1] & 127, begin + 2
    if size == 126:
        if len(seen) < at + 2:
            return None
        size, at = int.from_bytes(seen[at:at + 2], "big"), at + 2
    elif size == 127:
        if len(seen) < at + 8:
            return None
        size, at = int.from_bytes(seen[at:at + 8], "big"), at + 8
    return (opcode, at, at + size) if len(seen) >= at + size else None
