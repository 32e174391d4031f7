"""Hostile files over HTTP: links, path tricks, things that are no files, trees that fight back,
uploads that break off. Rows S1, S4, S8, S9, S10, A6 of the list of attacks."""

import json
import os
import socket
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest


@pytest.fixture
def session(server):
    made = server.session()
    yield made
    assert server.http.delete(f"/v1/sessions/{made}").status_code in (204, 404)


def files(session, path):
    return f"/v1/sessions/{session}/files/{path}"


def shell(server, session, code):
    answer = server.run(session, code, language="shell")
    assert answer["exit_code"] == 0, answer
    return answer["stdout"]


def no_leftovers(server, session, folder="/session"):
    assert shell(server, session, f"find {folder} -name '.atoll-*' | wc -l") == "0\n"


# S1

def test_s1_links_lead_nowhere_but_inside(server, session, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    tmp_path.chmod(0o755)
    shell(server, session, f"cd /session; ln -s /etc/passwd p; ln -s {secret} s; ln -s {tmp_path} d; "
                           "ln -s /proc/1/root r; ln -s loop loop; ln -s ../../../../../../etc/passwd up")
    inside = shell(server, session, "cat /etc/passwd")
    for name in ("p", "up"):
        answer = server.http.get(files(session, f"session/{name}"))
        assert answer.status_code == 200 and answer.text == inside
    assert inside != Path("/etc/passwd").read_text(), "the sandbox must have a file of its own"
    for name in ("s", "d/secret", "loop", f"r/{str(secret)[1:]}"):
        answer = server.http.get(files(session, f"session/{name}"))
        assert answer.status_code in (400, 403, 404), (name, answer.text)
        assert "of the host" not in answer.text
    assert server.http.put(files(session, "session/d/new"), content=b"x").status_code in (400, 403, 404)
    assert sorted(os.listdir(tmp_path)) == ["secret"]
    # a write through a link replaces the link
    assert server.http.put(files(session, "session/s"), content=b"mine").status_code in (200, 201)
    assert secret.read_text() == "of the host"


# S4

@pytest.mark.parametrize("path", [
    "a/../../../etc/cron.d/x", "session/..%2f..%2fetc%2fx", "session/%2e%2e/x", "session/%2E%2E%2Fx", "../x",
    "session/./x", "/etc/x", "session//x", "session/a%00b", "session/%", "session/%zz", "%2fetc%2fx"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_s4_path_tricks(server, session, method, path):
    # raw, because libraries tidy such paths up
    head = f"{method} {files(session, path)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"
    answer = raw(server, head.encode())
    assert answer.split(b" ", 2)[1] == b"400", answer
    assert b"application/problem+json" in answer
    for folder in ("/session", "/etc", "/"):
        assert "x" not in [one["name"] for one in
                           server.http.get(files(session, folder[1:]), params={"limit": 1000}).json()["entries"]]


def raw(server, request, shut=False, wait=20):
    url = urlsplit(server.url)
    with socket.create_connection((url.hostname, url.port), timeout=wait) as client:
        client.sendall(request)
        if shut:
            return b""
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        return answer


def test_s4_a_backslash_is_a_character(server, session):
    assert server.http.put(files(session, "session/" + quote("..\\..\\x")), content=b"1").status_code == 201
    assert shell(server, session, "ls -A /session") == "..\\..\\x\nartifacts\n"
    for body in ({"from": "/session/../x", "to": "/y"}, {"from": "/session", "to": "/a//b"},
                 {"from": "session/..%2f", "to": "/b"}):
        assert server.http.post(f"/v1/sessions/{session}/move", json=body).status_code == 400


# S8

def test_s8_what_is_no_file_is_refused_at_once(server, session):
    shell(server, session, "cd /session; mkfifo fifo; ln -s /dev/zero zero; "
                           "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('/session/sock')\"")
    for path in ("session/fifo", "session/zero", "session/sock", "dev/zero", "dev/random", "proc/self/status",
                 "proc/kmsg", "proc/1/mem", "proc/self/environ"):
        began = time.monotonic()
        answer = server.http.get(files(session, path))
        assert answer.status_code in (400, 403, 404), (path, answer.status_code)
        assert time.monotonic() - began < 20
    for path in ("session/fifo", "session/sock", "dev/null", "dev/zero"):
        assert server.http.put(files(session, path), content=b"x").status_code in (400, 403, 409), path
    archive = server.http.get(files(session, "session"), params={"archive": "tar"})
    assert archive.status_code == 200
    assert server.http.get("/healthz").status_code == 200


# S9

def test_s9_depth_and_odd_names(server, session):
    made = server.run(session, """
import os
os.chdir('/session'); os.mkdir('deep'); os.chdir('deep')
for i in range(3_000):  # no path is that long; and Landlock climbs all of them for each one made
    os.mkdir('d'); os.chdir('d')
os.chdir('/session'); os.mkdir('odd')
for name in [b'new\\nline', b'\\xff\\xfe', b'x' * 255, '\\u202ertl'.encode(), b'quote"', b'\\x01\\x7f', b'\\\\', '\\ud83d\\ude00'.encode('utf-16', 'surrogatepass')[2:4].replace(b'/', b'_').replace(b'\\0', b'_')]:
    open(b'odd/' + name, 'w').close()
""")
    assert made["exit_code"] == 0, made
    answer = server.http.get(files(session, "session/odd"))
    listed = json.loads(answer.content.decode("utf-8"))["entries"]
    assert len(listed) == 8
    for one in listed:
        assert server.http.get(one["href"]).status_code == 200
    assert server.http.get(files(session, "session/deep")).json()["entries"][0]["name"] == "d"
    assert server.http.get(files(session, "session/" + "deep/" + "d/" * 200)).status_code == 200
    removed = server.http.delete(files(session, "session/deep"), params={"recursive": "true"}, timeout=200)
    assert removed.status_code == 204, removed.text
    assert server.http.get(files(session, "session/deep")).status_code == 404
    no_leftovers(server, session)


def test_s9_many_files(server, session):
    count = 20_000
    server.run(session, f"import os\nos.mkdir('/session/many')\nfor i in range({count}): open(f'/session/many/{{i:05}}', 'w').close()")
    seen, after, pages = [], "", 0
    while after is not None:
        page = server.http.get(files(session, "session/many"), params={"limit": 5000, "after": after}).json()
        seen += [one["name"] for one in page["entries"]]
        after, pages = page.get("next_after"), pages + 1
    assert seen == [f"{i:05}" for i in range(count)] and pages <= 5
    assert server.http.delete(files(session, "session/many"), params={"recursive": "true"}).status_code == 204
    assert server.http.get(files(session, "session/many")).status_code == 404


# S10

def test_s10_trees_that_fight_back(server, session):
    shell(server, session, "cd /session; mkdir -p box/a/b/c; touch box/a/b/c/f; ln -s /session/kept box/link; "
                           "echo kept > kept; chmod 000 box/a/b/c box/a/b box/a/b/c/f 2>/dev/null; chmod 000 box/a box || true")
    # an ordinary user's PID 1 is the owner of it all, with the rights of its own namespace
    assert server.http.get(files(session, "session/box")).status_code in ((403,) if os.geteuid() == 0 else (200, 403))
    assert server.http.delete(files(session, "session/box")).status_code in (403, 409)
    assert server.http.delete(files(session, "session/box"), params={"recursive": "true"}).status_code == 204
    assert server.http.get(files(session, "session/kept")).text == "kept\n"
    shell(server, session, "cd /session; mkdir -p shut/x; chmod 000 shut/x shut; chmod 000 .")
    assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
    assert server.http.get(f"/v1/sessions/{session}").status_code == 404
    assert not (server.folder / "data/sessions" / session).exists()


def test_s10_a_tree_that_grows_while_it_goes(server, session):
    shell(server, session, "mkdir -p /session/grow; cd /session/grow; "
                           "(for i in $(seq 300); do mkdir -p a/$i/b; touch a/$i/b/c; done) >/dev/null 2>&1 &")
    until = time.monotonic() + 30
    while time.monotonic() < until:
        status = server.http.delete(files(session, "session/grow"), params={"recursive": "true"}).status_code
        assert status in (204, 404, 409)
        if server.http.get(files(session, "session/grow")).status_code == 404:
            return
        time.sleep(0.1)
    raise AssertionError("it is still there")


# A6

def test_a6_larger_than_allowed(server):
    session = server.session(limits={"file_bytes_max": 1 << 20})
    server.http.put(files(session, "session/old"), content=b"old")
    big = b"x" * ((1 << 20) + 1)
    assert server.http.put(files(session, "session/old"), content=big).status_code == 413
    try:
        status = server.http.put(files(session, "session/new"), content=(big[:65536] for _ in range(40))).status_code
    except Exception:  # it may be cut while it still sends
        status = 413
    assert status == 413
    form = server.http.post(files(session, "session"), files=[("files", ("first", b"1")), ("files", ("second", big))])
    assert form.status_code == 413 and form.json()["stored"] == ["session/first"]
    assert server.http.get(files(session, "session/old")).content == b"old"
    assert shell(server, session, "ls -A /session") == "artifacts\nfirst\nold\n"
    no_leftovers(server, session)
    assert server.http.put(files(session, "session/fits"), content=big[:-1]).status_code == 201
    server.http.delete(f"/v1/sessions/{session}")


@pytest.mark.parametrize("framing", ["Content-Length: 5000000", "Transfer-Encoding: chunked"])
def test_a6_broken_off(server, session, framing):
    server.http.put(files(session, "session/old"), content=b"old")
    for path in ("session/old", "session/new"):
        chunk = b"80000\r\n" + b"x" * 0x80000 if "chunked" in framing else b"x" * 500_000
        raw(server, f"PUT {files(session, path)} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n\r\n".encode() + chunk, shut=True)
    until = time.monotonic() + 10
    while shell(server, session, "find /session -name '.atoll-*' | wc -l") != "0\n" and time.monotonic() < until:
        time.sleep(0.1)
    no_leftovers(server, session)
    assert server.http.get(files(session, "session/old")).content == b"old"
    assert server.http.get(files(session, "session/new")).status_code == 404


def test_a6_disk_full(server):
    """Of a folder in memory, which no ledger knows: the guest meets the end of it."""
    session = server.session(limits={"disk_bytes_max": 8 << 20})
    assert shell(server, session, "head -c 4M /dev/zero > /dev/shm/filler") == ""
    assert server.http.put(files(session, "dev/shm/kept"), content=b"old").status_code == 201
    answer = server.http.put(files(session, "dev/shm/kept"), content=b"x" * (6 << 20))
    assert answer.status_code == 507 and answer.json()["code"] == "exhausted"
    assert "No space left" in answer.json()["detail"]
    assert server.http.get(files(session, "dev/shm/kept")).content == b"old"
    no_leftovers(server, session, "/dev/shm")
    assert server.http.put(files(session, "dev/shm/kept"), content=b"x" * (2 << 20)).status_code == 200
    form = server.http.post(files(session, "dev/shm"), files=[("files", ("a", b"1")), ("files", ("b", b"x" * (5 << 20)))])
    assert form.status_code == 507 and form.json()["stored"] == ["dev/shm/a"]
    server.http.delete(f"/v1/sessions/{session}")



# Slow readers

def rss(server):
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) << 10


@pytest.mark.parametrize("query", ["", "?archive=tar"])
def test_a_client_that_does_not_read_costs_no_memory(server, session, query):
    server.run(session, "import os\nos.makedirs('/session/f', exist_ok=True)\nwith open('/session/f/big', 'wb') as f:\n"
                        "    for i in range(200): f.write(os.urandom(1 << 20))")
    before = rss(server)
    url = urlsplit(server.url)
    path = "session/f" if query else "session/f/big"
    clients = []
    for _ in range(4):
        client = socket.create_connection((url.hostname, url.port), timeout=20)
        client.sendall(f"GET {files(session, path)}{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert client.recv(15).startswith(b"HTTP/1.1 200")
        clients.append(client)
    until = time.monotonic() + 3
    while time.monotonic() < until:
        assert rss(server) - before < 48 << 20
        assert server.http.get("/healthz").status_code == 200
        time.sleep(0.2)
    # and one that reads gets all of it meanwhile
    if not query:
        assert len(server.http.get(files(session, path)).content) == 200 << 20
    [client.close() for client in clients]
