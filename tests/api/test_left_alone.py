"""F3: clients that leave while the program that works for them was stopped. Where Linux cannot keep signals within a program
(before 6.12), other code of the sandbox can do that."""

import io
import os
import signal
import socket
import struct
import tarfile

import pytest
from harness.host import eventually, processes_in


def archive() -> bytes:
    """Longer than what fits between the server and the archiver."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        entry = tarfile.TarInfo("big")
        entry.size = 32 << 20
        tar.addfile(entry, io.BytesIO(bytes(entry.size)))
    return made.getvalue()


def archiver_of(server) -> int | None:
    return next((one.pid for one in processes_in(server.process.pid) if one.name.startswith("atoll-archive")), None)


def pass_on(move):
    """As much as goes without waiting long."""
    try:
        while move():
            pass
    except TimeoutError:
        pass


@pytest.mark.parametrize("way", ["pack", "unpack"])
def test_an_archiver_that_was_stopped_keeps_no_session_awake(server, way):
    session = server.session()
    path = f"/v1/sessions/{session}"
    assert server.http.put(f"{path}/files/session/big", content=bytes(32 << 20)).status_code == 201
    host, port = server.url.removeprefix("http://").rsplit(":", 1)
    body = archive() if way == "unpack" else b""
    line = f"POST {path}/unpack?into=/session/x" if way == "unpack" else f"GET {path}/files/session?archive=tar"
    client = socket.create_connection((host, int(port)))
    client.sendall(f"{line} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:1 << 16])
    assert eventually(lambda: archiver_of(server) is not None, 30)
    archiver = archiver_of(server)
    os.kill(archiver, signal.SIGSTOP)
    # Now the server waits for it: for what it packs, or until it reads what it unpacks.
    client.settimeout(1)
    rest = memoryview(body)[1 << 16:]
    pass_on(lambda: client.sendall(rest)) if way == "unpack" else pass_on(lambda: client.recv(1 << 20))
    assert server.http.post(f"{path}/evict").status_code == 409, "somebody uses it"
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    assert eventually(lambda: server.http.post(f"{path}/evict").status_code == 200, 30)
    server.http.delete(path)
