"""Other users of the machine on a server that asks for no key: they read nothing and make no key (row T5)."""
import json
import os
import re
import socket
import subprocess
import sys

import pytest
from harness.cli import atoll
from harness.server import Server

OTHER = 54321

# Sends one request over a socket of the family and the address that it is given; prints status and body.
ASK = """
import socket, sys
family, address, port, method, path, body = sys.argv[1:7]
s = socket.socket(getattr(socket, family))
s.connect((address, int(port)))
s.sendall(f"{method} {path} HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n"
          f"Content-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
answer = b""
while piece := s.recv(65536):
    answer += piece
head, _, body = answer.partition(b"\\r\\n\\r\\n")
print(head.split()[1].decode())
print(body.decode())
"""


def ask(server, method, path, body="", uid=None, family="AF_INET", address="127.0.0.1") -> tuple[int, str]:
    port = server.url.rsplit(":", 1)[1]
    words = [sys.executable, "-I", "-c", ASK, family, address, port, method, path, body]
    if uid is not None:
        words = ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", *words]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    status, _, rest = done.stdout.partition("\n")
    return int(status), rest


def key_of(server) -> dict:
    """A key that was made without one, over HTTP."""
    return server.http.post("/v1/keys", json={"owner": "local", "scopes": ["admin"]})


@pytest.mark.root_only  # to be somebody else
@pytest.mark.parametrize("family, address", [("AF_INET", "127.0.0.1"), ("AF_INET6", "::ffff:127.0.0.1")])
def test_t5_another_user_reads_nothing_and_makes_no_key(server, family, address):
    session = server.session(name=f"a secret name {family}")
    own = {"family": family, "address": address}
    assert ask(server, "GET", "/v1/sessions", **own)[0] == 200  # as ourselves
    for method, path, body in [("GET", "/v1/sessions", ""), ("GET", f"/v1/sessions/{session}", ""),
                               ("POST", "/v1/keys", '{"owner": "x", "scopes": ["admin"]}'), ("GET", "/v1/keys", ""),
                               ("POST", "/v1/run", '{"code": "1"}'), ("DELETE", f"/v1/sessions/{session}", ""),
                               ("GET", "/v1/audit", ""), ("GET", "/metrics", "")]:
        status, said = ask(server, method, path, body, uid=OTHER, **own)
        assert status == 401, (method, path, status, said)
        assert "serves the user it runs as" in json.loads(said)["detail"] and "secret" not in said
    assert ask(server, "GET", "/healthz", uid=OTHER, **own)[0] == 200  # is open to all
    assert server.http.get(f"/v1/sessions/{session}").status_code == 200


@pytest.mark.root_only
def test_t5_a_key_lets_another_user_in(tmp_path):
    server = Server(tmp_path)
    try:
        assert ask(server, "GET", "/v1/sessions", uid=OTHER)[0] == 401
        made = atoll("key", "--data-dir", str(tmp_path / "data"), "create")
        key = made.stdout.decode().strip()
        assert re.fullmatch(r"atl_\w+", key), made.stderr
        port = server.url.rsplit(":", 1)[1]
        for uid in (OTHER, 0):
            done = subprocess.run(["setpriv", "--reuid", str(uid), "--clear-groups", sys.executable, "-I", "-c",
                                   ASK.replace("Connection: close", f"Connection: close\\r\\nX-API-Key: {key}"),
                                   "AF_INET", "127.0.0.1", port, "GET", "/v1/sessions", ""],
                                  capture_output=True, text=True, timeout=60)
            assert done.stdout.startswith("200"), done.stdout + done.stderr
    finally:
        server.stop()


@pytest.mark.root_only
def test_t5_everybody_may_be_let_in(tmp_path):
    server = Server(tmp_path, "--local-users", "any")
    try:
        assert ask(server, "GET", "/v1/sessions", uid=OTHER)[0] == 200
        assert key_of(server).status_code == 403
    finally:
        server.stop()


@pytest.mark.root_only
def test_t5_who_has_gone_is_not_taken_for_root(server):
    """A closed socket is root's, says the kernel: a request from behind one is nobody's."""
    before = {one["id"] for one in server.http.get("/v1/sessions?limit=500").json()["sessions"]}
    blind = """
import socket, sys
for _ in range(50):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    body = '{"name": "blind"}'
    s.sendall(f"POST /v1/sessions HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n"
              f"Content-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
    s.close()
"""
    subprocess.run(["setpriv", "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups", sys.executable, "-I",
                    "-c", blind, server.url.rsplit(":", 1)[1]], check=True, timeout=60)
    # The last of them has been seen when a connection that came after it is answered.
    after = {one["id"] for one in server.http.get("/v1/sessions?limit=500").json()["sessions"]}
    assert after == before


def test_t5_a_key_takes_a_key(server):
    refused = key_of(server)
    assert refused.status_code == 403 and "atoll key create" in refused.json()["detail"]
    assert server.http.get("/v1/sessions").status_code == 200  # nothing has changed: there is no key


def test_t5_the_control_socket_is_its_owners(server):
    path = server.folder / "data" / "control.sock"
    info = os.stat(path)
    assert info.st_uid == os.geteuid() and info.st_mode & 0o777 == 0o600
    with socket.socket(socket.AF_UNIX) as there:
        there.connect(str(path))
        there.sendall(b"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert there.recv(100).startswith(b"HTTP/1.1 200")
