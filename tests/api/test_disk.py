"""What a session may keep on disk: uploads are refused before they go over it, programs are stopped when they do (rows
R3, R4, A6), and a full disk of the host is told and survived."""

import io
import os
import socket
import subprocess
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from harness.server import Server

LIMIT = 5_242_880
MB = 1_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("disk"), environment={"SESSION_MAX_BYTES": str(LIMIT)}, pandas=True)
    yield running
    assert running.stop() == 0


@pytest.fixture
def session(server):
    made = server.session()
    yield made
    server.http.delete(f"/v1/sessions/{made}")


def files(session, path):
    return f"/v1/sessions/{session}/files/{path}"


def names(server, session, folder="session"):
    listed = server.http.get(files(session, folder), params={"limit": 10_000})
    return {one["name"] for one in listed.json()["entries"]}


def on_disk(server, session) -> int:
    """As `du` counts it, from outside; files may come and go meanwhile."""
    blocks = {}
    for folder, _, inside in os.walk(server.folder / "data/sessions" / session):
        for path in [folder, *(os.path.join(folder, name) for name in inside)]:
            try:
                info = os.lstat(path)
                blocks[info.st_ino] = info.st_blocks
            except FileNotFoundError:
                pass
    return sum(blocks.values()) * 512


def refused(answer):
    assert answer.status_code == 413, answer.text
    told = answer.json()
    assert answer.headers["content-type"].startswith("application/problem+json") and told["code"] == "too_large"
    assert "sessions.max_bytes" in told["detail"] and "5 MiB" in told["detail"], told
    return told


# ---- Uploads -----------------------------------------------------------------------------------------------------


def test_an_upload_that_does_not_fit_is_refused_before_it_comes(server, session):
    """Its length is enough: not a byte of the body is sent here."""
    url = urlsplit(server.url)
    with socket.create_connection((url.hostname, url.port), timeout=30) as one:
        one.sendall(f"PUT {files(session, 'session/big')} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {6 * MB}\r\n\r\n".encode())
        assert one.recv(4096).startswith(b"HTTP/1.1 413 ")
    assert names(server, session) == {"artifacts"}


def test_without_a_length_it_is_counted_while_it_comes(server, session):
    def pieces():
        for _ in range(60):
            yield b"x" * 100_000

    assert server.http.put(files(session, "session/kept"), content=b"old").status_code == 201
    for path in ("session/new", "session/kept", "data/new", "work/new", "home/user/new"):
        try:
            refused(server.http.put(files(session, path), content=pieces()))
        except OSError:
            pass  # cut while it still sent
        except Exception as cut:  # noqa: BLE001
            assert "ssert" not in type(cut).__name__, cut
    assert server.http.get(files(session, "session/kept")).content == b"old"
    assert names(server, session) == {"artifacts", "kept"} and names(server, session, "data") == {"outputs"}
    assert on_disk(server, session) < 200_000  # nothing partial either


def test_several_share_what_is_left(server, session):
    body = b"x" * (2 * MB)

    def put(i):
        return server.http.put(files(session, f"session/f{i}"), content=body).status_code

    with ThreadPoolExecutor(6) as at_once:
        statuses = sorted(at_once.map(put, range(6)))
    assert statuses == [201, 201, 413, 413, 413, 413]
    assert on_disk(server, session) <= LIMIT


def test_what_is_replaced_makes_room(server, session):
    body = b"x" * (4 * MB)
    assert server.http.put(files(session, "session/f"), content=body).status_code == 201
    refused(server.http.put(files(session, "session/g"), content=body))
    for _ in range(3):
        assert server.http.put(files(session, "session/f"), content=body).status_code == 200
    assert server.run(session, "print(1)")["stdout"] == "1\n"  # at no time was it over
    assert server.http.delete(files(session, "session/f")).status_code == 204
    assert server.http.put(files(session, "session/g"), content=body).status_code == 201


def test_a_hole_or_a_second_name_gives_nothing_back(server, session):
    """Replacing a file that takes no room frees none."""
    server.run(session, "import os\nos.truncate(os.open('/session/hole', os.O_CREAT | os.O_WRONLY), 4_000_000)\n"
                        "open('/session/full', 'wb').write(b'x' * 4_000_000)\nos.link('/session/full', '/session/twin')")
    refused(server.http.put(files(session, "session/hole"), content=b"x" * (4 * MB)))
    refused(server.http.put(files(session, "session/twin"), content=b"x" * (4 * MB)))
    assert on_disk(server, session) < LIMIT


def test_forms_and_archives(server, session):
    assert server.http.put(files(session, "session/old"), content=b"x" * MB).status_code == 201
    form = server.http.post(files(session, "session"), files=[("files", ("a", b"x" * (3 * MB))), ("files", ("b", b"x" * (2 * MB))),
                                                              ("files", ("c", b"x"))])
    assert refused(form)["stored"] == ["session/a"]
    assert names(server, session) == {"artifacts", "old", "a"}
    whole = server.http.post(files(session, "session"), files=[("files", ("b", b"x" * (7 * MB)))])
    refused(whole)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for i in range(8):
            entry = tarfile.TarInfo(f"zeros{i}")
            entry.size = MB
            archive.addfile(entry, io.BytesIO(bytes(MB)))
    assert server.http.put(files(session, "session/t.tgz"), content=packed.getvalue()).status_code == 201
    answer = server.http.post(f"/v1/sessions/{session}/extract", json={"archive": "/session/t.tgz", "into": "/session/out"})
    assert answer.status_code == 413, answer.text
    assert on_disk(server, session) <= LIMIT


def test_full_to_the_brim_it_still_runs(server, session):
    left = LIMIT - on_disk(server, session) - 8192
    refused(server.http.put(files(session, "session/f"), content=b"x" * (left + 1)))
    assert server.http.put(files(session, "session/f"), content=b"x" * left).status_code == 201
    assert server.run(session, "print(len(open('/session/f').read()))")["stdout"] == f"{left}\n"
    server.http.put(f"/v1/sessions/{session}/folders/session/sub")
    refused(server.http.put(f"/v1/sessions/{session}/folders/session/other"))
    refused(server.http.put(files(session, "session/one"), content=b"1"))


# ---- Programs ----------------------------------------------------------------------------------------------------


def test_one_file_cannot_be_larger(server, session):
    ended = server.run(session, "open('/session/f', 'wb').write(b'x' * 20_000_000)")
    assert ended["error"]["name"] == "OSError" and "File too large" in ended["error"]["value"]
    assert os.lstat(server.folder / "data/sessions" / session / "session/f").st_size <= LIMIT
    server.http.delete(files(session, "session/f"))
    ended = server.run(session, "head -c 20000000 /dev/zero > /session/f", language="shell")
    assert ended["exit_code"] != 0
    for language, code in (("typescript", "console.log(1)"), ("python", "import pandas; print(1)")):
        server.http.delete(files(session, "session/f"))
        assert server.run(session, code, language=language)["stdout"] == "1\n"


MANY = "import itertools\nfor i in itertools.count(): open(f'/session/f{i}', 'wb').write(b'x' * 400_000)"


def over(server, session):
    answer = server.http.post(f"/v1/sessions/{session}/run", json={"code": "1"})
    assert answer.status_code == 429 and "sessions.max_bytes" in answer.json()["detail"], answer.text


def test_a_run_that_writes_more_is_stopped(server, session):
    server.run(session, "kept = 41")
    ended = server.run(session, MANY, timeout="60s")
    assert ended["reason"] == "disk" and ended["exit_code"] != 0, ended
    over(server, session)
    for method, path, body in (("POST", "processes", {"argv": ["true"]}), ("POST", "run", {"code": "1", "language": "shell"})):
        assert server.http.request(method, f"/v1/sessions/{session}/{path}", json=body).status_code == 429
    refused(server.http.put(files(session, "session/more"), content=b"x"))
    assert server.http.get(files(session, "session/f0")).status_code == 200  # read and tidy up
    for name in names(server, session) - {"artifacts"}:
        gone = server.http.delete(files(session, f"session/{name}"))
        assert gone.status_code == 204, gone.text
    after = server.run(session, "print(kept + 1)")
    if not (ended["state_lost"] or after["lost"]):
        assert after["stdout"] == "42\n"


def ended_for_disk(server) -> str:
    text = server.http.get("/metrics").text
    return next(line for line in text.splitlines() if "ended_for_disk" in line and line[0] != "#")


def test_what_is_far_too_much_can_be_tidied_up(server, session):
    """More than a sandbox is allowed to run away by: it is not ended for what it finds."""
    assert server.http.post(f"/v1/sessions/{session}/evict").status_code == 200
    large = server.folder / "data" / "sessions" / session / "session" / "large"
    with open(large, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1200 << 20)
    owner = large.parent.stat()
    os.chown(large, owner.st_uid, owner.st_gid)
    ended = ended_for_disk(server)
    assert "large" in names(server, session)
    for _ in range(10):  # for several looks
        listed = server.http.get(files(session, "session"))
        assert listed.status_code == 200, listed.text
        time.sleep(0.1)
    gone = server.http.delete(files(session, "session/large"))
    assert gone.status_code == 204, gone.text
    assert ended_for_disk(server) == ended
    assert server.run(session, "print(1)")["stdout"] == "1\n"


@pytest.mark.parametrize("language, code", [
    ("shell", "i=0; while true; do head -c 400000 /dev/zero > /session/g$i; i=$((i+1)); done"),
    ("python", "try:\n    exec(MANY)\nexcept BaseException: pass\nwhile True:\n    try: exec(MANY)\n    except BaseException: pass"),
])
def test_so_is_one_that_does_not_want_to(server, session, language, code):
    code = code if language == "shell" else f"MANY = {MANY!r}\n{code}"
    began = time.monotonic()
    ended = server.run(session, code, language=language, timeout="120s")
    assert ended["reason"] == "disk", ended
    assert time.monotonic() - began < 60
    until, size = time.monotonic() + 30, -1
    while (now := on_disk(server, session)) != size:  # what was killed may take a moment to die
        assert time.monotonic() < until, "something still writes"
        size = now
        time.sleep(1)
    over(server, session)


def test_so_is_what_runs_in_the_background(server, session):
    """A process that a client comes back to says why; a daemon that nobody knows goes with its sandbox."""
    loop = "i=0; while true; do head -c 200000 /dev/zero > /session/d$i; i=$((i+1)); sleep 0.01; done"
    process = server.http.post(f"/v1/sessions/{session}/processes", json={"argv": ["bash", "-c", loop]}).json()["id"]
    until = time.monotonic() + 60
    while (seen := server.http.get(f"/v1/sessions/{session}/processes/{process}").json())["state"] == "running":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert seen["reason"] == "disk", seen
    for name in names(server, session) - {"artifacts"}:
        server.http.delete(files(session, f"session/{name}"))
    server.run(session, f"import subprocess\nx = 1\nsubprocess.Popen(['setsid', 'bash', '-c', '''{loop}'''])")
    until, size = time.monotonic() + 60, -1
    while (now := on_disk(server, session)) != size or now < LIMIT:
        assert time.monotonic() < until
        size = now
        time.sleep(1)
    for name in names(server, session) - {"artifacts"}:  # wakes it anew
        server.http.delete(files(session, f"session/{name}"))
    after = server.run(session, "x")
    assert after["error"]["name"] == "NameError"
    assert any("sessions.max_bytes" in one["reason"] for one in after["lost"]), after["lost"]


def test_r4_files_without_a_byte_count_too(server):
    session = server.session(limits={"disk_files_max": 2000})
    ended = server.run(session, "import itertools\nfor i in itertools.count(): open(f'/session/f{i}', 'w').close()", timeout="60s")
    assert ended["reason"] == "disk", ended
    answer = server.http.post(f"/v1/sessions/{session}/run", json={"code": "1"})
    assert answer.status_code == 429
    assert server.http.delete(f"/v1/sessions/{session}").status_code == 204


def test_others_are_not_held_up(server, session):
    other = server.session()
    with ThreadPoolExecutor(1) as beside:
        running = beside.submit(server.run, session, MANY, timeout="60s")
        while not running.done():
            assert server.run(other, "print(1)")["stdout"] == "1\n"
    assert running.result()["reason"] == "disk"


# ---- A quota of an owner -----------------------------------------------------------------------------------------


def test_uploads_count_for_their_owner(tmp_path):
    server = Server(tmp_path, environment={"ATOLL_QUOTA_DISK": "6m", "SESSION_MAX_BYTES": "4m"})
    try:
        first, second = server.session(), server.session()
        assert server.http.put(files(first, "session/f"), content=b"x" * (3 * MB)).status_code == 201
        answer = server.http.put(files(second, "session/f"), content=b"x" * (3 * MB + 500_000))
        assert answer.status_code == 413 and "quotas.disk" in answer.json()["detail"], answer.text
        with ThreadPoolExecutor(4) as at_once:
            put = [at_once.submit(server.http.put, files(second, f"session/g{i}"), content=b"x" * (2 * MB)) for i in range(4)]
        assert sorted(one.result().status_code for one in put) == [201, 413, 413, 413]
        fork = server.http.post(f"/v1/sessions/{first}/fork", json={"count": 1})
        assert fork.status_code == 429 and "quotas.disk" in fork.json()["detail"]
        server.kill()  # what is known of cold sessions outlives the server
        server.start()
        answer = server.http.put(files(second, "session/h"), content=b"x" * (1 * MB + 500_000))
        assert answer.status_code == 413 and "quotas.disk" in answer.json()["detail"], answer.text
        assert server.http.delete(f"/v1/sessions/{first}").status_code == 204
        assert server.http.put(files(second, "session/h"), content=b"x" * (1 * MB + 500_000)).status_code == 201
    finally:
        server.stop()


# ---- The host's disk ---------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", data], check=True)
    server = None
    try:
        server = Server(tmp_path)
        yield server
        server.stop()
    finally:
        if server is not None and server.process.poll() is None:
            server.kill()
        subprocess.run(["umount", "-l", data], check=True)


@pytest.mark.root_only
def test_a6_the_hosts_disk_is_full(small_disk):
    server = small_disk
    session = server.session()
    assert server.http.put(files(session, "session/old"), content=b"old").status_code == 201
    for path in ("session/new", "session/old"):
        answer = server.http.put(files(session, path), content=b"x" * (40 * MB))
        assert answer.status_code == 507 and answer.json()["code"] == "exhausted", answer.text
    form = server.http.post(files(session, "session"), files=[("files", ("a", b"1")), ("files", ("b", b"x" * (40 * MB)))])
    assert form.status_code == 507 and form.json()["stored"] == ["session/a"]
    assert server.http.get(files(session, "session/old")).content == b"old"
    assert names(server, session) == {"artifacts", "old", "a"}
    filler = server.folder / "data/filler"
    with open(filler, "wb", buffering=0) as rest:  # and now for everybody, the database too
        try:
            while rest.write(b"x" * 4096):
                pass
        except OSError:
            pass
    for method, path, body in (("POST", "/v1/sessions", {}), ("PUT", files(session, "session/x"), None),
                               ("POST", "/schedule", {"kind": "python", "code": "1"})):
        answer = server.http.request(method, path, json=body) if body is not None else server.http.put(path, content=b"x" * MB)
        assert answer.status_code in (201, 202, 200, 503, 507), answer.text
        if answer.status_code >= 400:
            assert answer.headers["content-type"].startswith("application/problem+json") and answer.json()["detail"]
    assert server.http.get("/healthz").status_code == 200
    assert server.http.get(files(session, "session/old")).content == b"old"
    filler.unlink()
    assert server.http.put(files(session, "session/x"), content=b"x" * MB).status_code in (200, 201)
    assert server.run(session, "print(1)")["stdout"] == "1\n"
    server.session()


@pytest.mark.root_only
def test_a_server_whose_disk_is_full_starts_and_makes_room(small_disk):
    server = small_disk
    session = server.session()
    server.run(session, "open('/session/all', 'wb').write(b'x' * (6 << 20))")
    server.kill()
    with open(server.folder / "data/filler", "wb", buffering=0) as rest:
        try:
            while rest.write(b"x" * 4096):
                pass
        except OSError:
            pass
    server.start()
    assert "is full" in (server.folder / "log").read_text()
    answer = server.http.delete(f"/v1/sessions/{session}")
    assert answer.status_code == 204, answer.text
    assert server.run(server.session(), "print(1)")["stdout"] == "1\n"
    server.stop()
    server.start()
    assert (server.folder / "data/.reserve").stat().st_blocks * 512 >= 4 << 20  # for the next time


@pytest.mark.root_only
def test_a_session_that_filled_the_disk_can_be_removed(small_disk):
    server = small_disk
    session = server.session()
    server.run(session, """
with open('/session/all', 'wb', buffering=0) as file:
    try:
        while file.write(b'x' * 512): pass
    except OSError as full: print(full)
""")
    answer = server.http.delete(f"/v1/sessions/{session}")
    assert answer.status_code == 204, answer.text
    assert server.http.get(f"/v1/sessions/{session}").status_code == 404
    assert server.http.get("/v1/sessions").json()["sessions"] == []
    assert server.run(server.session(), "print(1)")["stdout"] == "1\n"


def test_deep_folders_are_counted_once(server):
    """Side by side and deeper than the walk keeps open: a node_modules has this shape."""
    session = server.session()
    server.run(session, """
import os
for side in range(3):
    folder = f'/session/w/p{side}/' + '/'.join(f'd{level}' for level in range(12))
    os.makedirs(folder)
    open(folder + '/file', 'wb').write(b'x' * 100_000)
""")
    assert server.run(session, "print('runs')")["stdout"] == "runs\n"
    forked = server.http.post(f"/v1/sessions/{session}/fork", json={"count": 1})
    assert forked.status_code == 201, forked.text
    copy = forked.json()["sessions"][0]["id"]
    assert server.run(copy, "import glob; print(len(glob.glob('/session/w/p*/**/file', recursive=True)))")["stdout"] == "3\n"


# One limit for all files of a session

def test_the_sessions_own_limit_holds_for_all_its_folders(server):
    session = server.session(limits={"disk_bytes_max": 3 << 20})
    assert server.http.put(files(session, "session/a"), content=b"x" * (1 << 20)).status_code == 201
    assert server.http.put(files(session, "tmp/b"), content=b"x" * (1 << 20)).status_code == 201
    answer = server.http.put(files(session, "var/tmp/c"), content=b"x" * (1 << 20))
    assert answer.status_code == 413 and "the session's disk_bytes_max, which is 3 MiB" in answer.json()["detail"]
    # What a program writes to /tmp is found, and it is stopped.
    answer = server.run(session, "import time\nfor n in range(600):\n    open(f'/tmp/{n}', 'wb').write(bytes(1 << 20))\n"
                                 "    time.sleep(.1)", timeout="60s")
    assert answer["reason"] == "disk", answer
    server.http.delete(f"/v1/sessions/{session}")


def test_temporary_files_stay_with_the_session(server, session):
    server.run(session, "open('/tmp/kept', 'w').write('1'); open('/var/tmp/kept', 'w').write('2')")
    assert server.http.post(f"/v1/sessions/{session}/evict").json()["state"] == "cold"
    look = "print(open('/tmp/kept').read(), open('/var/tmp/kept').read())"
    assert server.run(session, look)["stdout"] == "1 2\n"
