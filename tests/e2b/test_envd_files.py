"""Files of a sandbox with the official SDK: by call, by HTTP, and watched."""
import asyncio
import gzip
import io
import socket
import threading

import httpx
import pytest
from harness.e2b_sdk import ANY_KEY, options_of
from e2b import (AsyncSandbox, AuthenticationException, FileNotFoundException, FilesystemEventType, FileType, InvalidArgumentException,
                 NotFoundException, Sandbox)
from harness.connect import RawSandbox
from harness.host import eventually


@pytest.fixture(scope="module")
def box(server):
    sandbox = Sandbox.create("base", timeout=600, **options_of(server))
    yield sandbox
    sandbox.kill()


@pytest.fixture(scope="module")
def raw(server):
    sandbox = RawSandbox(server, ANY_KEY)
    yield sandbox
    sandbox.close()


def test_an_entry_says_what_it_is(box):
    box.commands.run("mkdir -p info && cd info && echo hello > a && chmod 640 a && ln -s a link && ln -s gone dangling")
    entry = box.files.get_info("info/a")
    assert (entry.name, entry.type, entry.path) == ("a", FileType.FILE, "/home/user/info/a")
    assert (entry.size, entry.mode, entry.permissions, entry.owner, entry.group) == (6, 0o640, "-rw-r-----", "user", "user")
    assert abs(entry.modified_time.timestamp() - float(box.commands.run("stat -c %.6Y info/a").stdout)) < 0.01
    link = box.files.get_info("info/link")
    assert link.type is FileType.FILE and link.symlink_target == "/home/user/info/a"
    assert box.files.get_info("info/dangling").symlink_target == "gone"
    folder = box.files.get_info("info")
    assert folder.type is FileType.DIR and folder.permissions.startswith("drwx")
    with pytest.raises(FileNotFoundException):
        box.files.get_info("info/none")


def test_folders(box):
    assert box.files.make_dir("tree/a/b") is True and box.files.make_dir("tree/a/b") is False
    box.files.write("tree/a/b/deep.txt", "x")
    box.files.write("tree/top.txt", "y")
    assert [e.path for e in box.files.list("tree")] == ["/home/user/tree/a", "/home/user/tree/top.txt"]
    assert [e.path for e in box.files.list("tree", depth=3)] == [
        "/home/user/tree/a", "/home/user/tree/a/b", "/home/user/tree/a/b/deep.txt", "/home/user/tree/top.txt"]
    for path in ("tree/top.txt", "tree/top.txt/below"):
        with pytest.raises((InvalidArgumentException, NotFoundException)):
            box.files.list(path)
    with pytest.raises(InvalidArgumentException):
        box.files.make_dir("tree/top.txt")
    with pytest.raises(NotFoundException):
        box.files.list("tree/none")
    assert box.files.rename("tree/top.txt", "other/place/moved.txt").path == "/home/user/other/place/moved.txt"
    assert box.files.read("other/place/moved.txt") == "y" and not box.files.exists("tree/top.txt")
    with pytest.raises(NotFoundException):
        box.files.rename("tree/none", "tree/x")
    box.files.remove("tree")
    box.files.remove("tree")
    assert not box.files.exists("tree")


@pytest.mark.parametrize("path", ["/tmp/there", "~/there", "there", "/home/user/../user/there", "/session/there"])
def test_paths_lead_where_the_user_may_go(box, path):
    written = box.files.write(path, path)
    assert written.path == {"/tmp/there": "/tmp/there", "/session/there": "/session/there"}.get(path, "/home/user/there")
    assert box.files.read(path) == path and box.commands.run(f"cat {written.path}").stdout == path
    box.files.remove(path)


def test_what_the_user_may_not_do_is_refused(box):
    for path in ("/etc/passwd", "/usr/x", "/proc/1/mem"):
        with pytest.raises(Exception) as refused:
            box.files.write(path, "x")
        assert not isinstance(refused.value, AssertionError)
    with pytest.raises(Exception):
        box.files.read("/proc/1/environ")
    assert box.commands.run("true").exit_code == 0


def test_contents_come_back_as_they_went(box):
    noise = bytes(range(256)) * 5000
    box.files.write("noise", noise)
    assert bytes(box.files.read("noise", format="bytes")) == noise
    assert b"".join(box.files.read("noise", format="stream")) == noise
    box.files.write("noise", io.BytesIO(noise[::-1]))
    assert bytes(box.files.read("noise", format="bytes")) == noise[::-1]
    box.files.write("empty", "")
    assert box.files.read("empty") == ""
    many = box.files.write_files([{"path": f"many/{n}", "data": f"n{n}"} for n in range(5)])
    assert [one.path for one in many] == [f"/home/user/many/{n}" for n in range(5)]
    assert box.files.read("many/3") == "n3"
    with pytest.raises(FileNotFoundException):
        box.files.read("none")
    for call in (lambda: box.files.read("many"), lambda: box.files.write("many", "x")):
        with pytest.raises(InvalidArgumentException):
            call()


def upload(raw, content, path="up", **headers):
    return raw.http.post("/files", params={"path": path}, content=content,
                         headers=raw.headers(**{"Content-Type": "application/octet-stream", **headers}))


def read(raw, path="up"):
    return raw.http.get("/files", params={"path": path}, headers=raw.headers())


def test_gzip_is_unpacked_and_counted(raw):
    text = b"some text " * 100_000
    packed = gzip.compress(text)
    assert upload(raw, packed, **{"Content-Encoding": "gzip"}).json()[0]["path"] == "/home/user/up"
    assert read(raw).content == text
    for broken in (packed[:-1], packed[:20], b"no gzip", b"", packed + b"rest"):
        answer = upload(raw, broken, **{"Content-Encoding": "gzip"})
        assert answer.status_code == 400 and "gzip" in answer.json()["message"], broken[:10]
    assert read(raw).content == text, "what was there is there still"
    assert upload(raw, text, **{"Content-Encoding": "br"}).status_code == 415


def test_uploads_that_are_wrong_are_refused(raw):
    assert upload(raw, b"x", path="").status_code == 400
    assert upload(raw, b"x", path="a\0b").status_code == 400
    assert upload(raw, b"x", **{"Content-Type": "text/plain"}).status_code == 415
    assert raw.http.post("/files", files={"file": ("", b"x")}, headers=raw.headers()).status_code == 400
    assert raw.http.post("/files", files={"other": ("a", b"x")}, headers=raw.headers()).status_code == 400
    assert raw.http.post("/files", files=[("file", ("a", b"x")), ("file", ("b", b"y"))], params={"path": "one"},
                         headers=raw.headers()).status_code == 400
    answer = raw.http.get("/files", params={"path": "a", "username": "nobody"}, headers=raw.headers())
    assert answer.status_code == 401 and "username" in answer.json()["message"]


def test_files_of_root_are_the_sandboxs(box):
    """Another home, and nothing else: what root writes the user reads, and neither writes where nobody may."""
    assert box.files.write("r/one.txt", "of root", user="root").path == "/root/r/one.txt"
    assert box.files.read("~/r/one.txt", user="root") == box.files.read("/root/r/one.txt") == "of root"
    assert box.files.get_info("r", user="root").path == "/root/r"
    assert [one.path for one in box.files.list("r", user="root")] == ["/root/r/one.txt"]
    assert box.files.rename("r/one.txt", "r/two.txt", user="root").path == "/root/r/two.txt"
    assert box.files.make_dir("/home/user/by-root", user="root") and box.files.exists("by-root")
    box.files.remove("r", user="root")
    assert not box.files.exists("/root/r")
    with pytest.raises(Exception, match="[Rr]ead-only|[Pp]ermission|denied"):
        box.files.write("/etc/x", "x", user="root")
    with pytest.raises(AuthenticationException, match="username"):
        box.files.list("/", user="nobody")


def test_a_client_that_leaves_in_an_upload_leaves_nothing(raw):
    def half():
        yield b"x" * 100_000
        raise ConnectionError
    with pytest.raises(ConnectionError):
        upload(raw, half(), path="/tmp/half/file")
    listed = raw.call("filesystem.Filesystem/ListDir", {"path": "/tmp/half"})
    assert eventually(lambda: raw.call("filesystem.Filesystem/ListDir", {"path": "/tmp/half"}).json() == {"entries": []}), \
        listed.text


def test_metadata_is_the_files_own(raw):
    upload(raw, b"x", **{"X-Metadata-Author": "Ann", "X-Metadata-Version": "7"})
    stat = raw.call("filesystem.Filesystem/Stat", {"path": "up"}).json()["entry"]
    assert stat["metadata"] == {"author": "Ann", "version": "7"}
    raw.call("filesystem.Filesystem/Move", {"source": "up", "destination": "moved"})
    (entry,) = [e for e in raw.call("filesystem.Filesystem/ListDir", {"path": "~"}).json()["entries"]
                if e["name"] == "moved"]
    assert entry["metadata"] == {"author": "Ann", "version": "7"}
    upload(raw, b"y", path="moved")
    assert "metadata" not in raw.call("filesystem.Filesystem/Stat", {"path": "moved"}).json()["entry"]


def test_watching_by_polls(box):
    box.files.make_dir("watched")
    watch = box.files.watch_dir("watched", include_entry=True)
    box.files.write("watched/new.txt", "x")
    seen = []

    def all_there(count):
        seen.extend(watch.get_new_events())
        return len(seen) >= count
    assert eventually(lambda: all_there(3))
    assert [(e.type, e.name) for e in seen] == [(FilesystemEventType.CREATE, "new.txt"),
                                                (FilesystemEventType.CHMOD, "new.txt"),
                                                (FilesystemEventType.WRITE, "new.txt")]
    assert seen[0].entry.path == "/home/user/watched/new.txt" and seen[0].entry.size == 1
    seen.clear()
    box.files.write("watched/new.txt", "again")
    assert eventually(lambda: all_there(2)) and FilesystemEventType.CREATE not in [e.type for e in seen]
    seen.clear()
    box.commands.run("cd watched && mv new.txt old.txt && rm old.txt")
    assert eventually(lambda: all_there(3))
    assert [(e.type, e.name) for e in seen] == [(FilesystemEventType.RENAME, "new.txt"),
                                                (FilesystemEventType.CREATE, "old.txt"),
                                                (FilesystemEventType.REMOVE, "old.txt")]
    watch.stop()
    with pytest.raises(Exception):
        watch.get_new_events()
    for path, error in (("watched/none", NotFoundException), ("/etc/passwd", InvalidArgumentException)):
        with pytest.raises(error):
            box.files.watch_dir(path)


def test_watching_by_stream(server):
    async def go():
        box = await AsyncSandbox.create("base", timeout=120, **options_of(server))
        try:
            await box.files.make_dir("w/below")
            seen, came = [], asyncio.Event()

            def hear(event):
                seen.append((event.type, event.name))
                if (FilesystemEventType.WRITE, "below/b") in seen:
                    came.set()
            handle = await box.files.watch_dir("w", on_event=hear, recursive=True)
            await box.files.write("w/a", "1")
            await box.files.write("w/below/b", "1")
            await asyncio.wait_for(came.wait(), 30)
            await handle.stop()
            return seen
        finally:
            await box.kill()
    seen = asyncio.run(go())
    assert (FilesystemEventType.CREATE, "a") in seen and (FilesystemEventType.CREATE, "below/b") in seen


def test_watchers_have_a_limit(raw):
    ids = []
    for _ in range(40):
        answer = raw.call("filesystem.Filesystem/CreateWatcher", {"path": "/tmp"})
        if answer.status_code != 200:
            break
        ids.append(answer.json()["watcherId"])
    assert answer.status_code == 429 and answer.json()["code"] == "resource_exhausted"
    for one in ids:
        assert raw.call("filesystem.Filesystem/RemoveWatcher", {"watcherId": one}).status_code == 200
    answer = raw.call("filesystem.Filesystem/GetWatcherEvents", {"watcherId": ids[0]})
    assert answer.status_code == 404 and answer.json()["code"] == "not_found"


def test_a_flood_of_events_is_said_to_be_one(raw):
    raw.run("mkdir -p /tmp/flood")
    watch = raw.call("filesystem.Filesystem/CreateWatcher", {"path": "/tmp/flood"}).json()["watcherId"]
    raw.run("cd /tmp/flood && python3 -c 'import os\nfor _ in range(4000): open(\"x\", \"w\").close(); os.remove(\"x\")'")
    answer = raw.call("filesystem.Filesystem/GetWatcherEvents", {"watcherId": watch})
    assert answer.json()["code"] == "data_loss"
    told = []

    def the_rest():  # more may be lost while a slow guest still tells of them
        again = raw.call("filesystem.Filesystem/GetWatcherEvents", {"watcherId": watch})
        assert again.status_code == 200 or again.json()["code"] == "data_loss", again.text
        told.append(len(again.json().get("events", [])))
        return again.status_code == 200
    assert eventually(the_rest, 60) and 1000 < told[-1] <= 4096


def test_an_answer_has_the_events_that_waited(raw):
    """Not those that a program makes while each is looked at: the answer never ended, and grew."""
    raw.run("mkdir -p /tmp/busy")
    made = raw.call("filesystem.Filesystem/CreateWatcher", {"path": "/tmp/busy", "includeEntry": True})
    watch = made.json()["watcherId"]
    busy = ("import itertools, os, time\nos.chdir('/tmp/busy')\nfor n in itertools.count():\n"
            "    open('x', 'w').close()\n    if n % 4 == 0: time.sleep(0.0002)")
    with raw.open_stream("process.Process/Start", {"process": {"cmd": "python3", "args": ["-c", busy]}}) as stream:
        assert stream.status_code == 200
        told = 0

        def some():
            nonlocal told
            answer = raw.http.post("/filesystem.Filesystem/GetWatcherEvents", json={"watcherId": watch},
                                   headers=raw.headers(), timeout=300)
            events = answer.json().get("events", [])
            assert len(events) <= 4096
            told += len(events)
            return told > 5000
        assert eventually(some, 300)


def test_answers_that_nobody_reads_are_bounded(raw):
    """A list of a folder may have tens of megabytes, and stays in the server's memory until its client has read it. A
    thousand connections that ask and do not read were a thousand of them."""
    raw.run("mkdir many && cd many && python3 -c 'import os\nfor n in range(12000):\n"
            "    path = \"x\" * 200 + str(n)\n    open(path, \"w\").close()\n"
            "    os.setxattr(path, \"user.e2b.k\", b\"v\" * 1800)'")
    host, port = raw.http.base_url.host, raw.http.base_url.port
    body = b'{"path": "many"}'
    head = "".join(f"{name}: {value}\r\n" for name, value in raw.headers().items())
    request = (f"POST /filesystem.Filesystem/ListDir HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
               f"Content-Length: {len(body)}\r\n{head}\r\n").encode() + body
    links = [socket.create_connection((host, port), timeout=300) for _ in range(14)]
    try:
        for link in links:
            link.sendall(request)
        begun = [link.recv(12) for link in links]  # and no more of it
        assert set(begun) == {b"HTTP/1.1 200", b"HTTP/1.1 429"}, begun
        assert begun.count(b"HTTP/1.1 200") >= 4
    finally:
        for link in links:
            link.close()

    def again():
        answer = raw.http.post("/filesystem.Filesystem/ListDir", content=body, timeout=300,
                               headers=raw.headers(**{"Content-Type": "application/json"}))
        return answer.status_code == 200 and len(answer.json()["entries"]) == 12000
    assert eventually(again, 120)


def test_a_form_has_a_number_of_files(raw):
    files = [("file", ("same", b"x"))] * 1100
    answer = raw.http.post("/files", files=files, headers=raw.headers(), timeout=300)
    assert answer.status_code == 507 and "more than 1000 parts" in answer.json()["message"], answer.text[:200]
    assert read(raw, "same").content == b"x"


def test_another_sandboxs_token_opens_nothing(server, raw):
    other = RawSandbox(server, ANY_KEY)
    headers = {**raw.headers(), "X-Access-Token": other.token}
    for method, url in (("POST", "/process.Process/List"), ("GET", "/files?path=a"), ("GET", "/envs"), ("GET", "/metrics")):
        assert httpx.request(method, server.url + url, headers=headers).status_code == 401
    other.close()


def test_uploads_side_by_side(box):
    def put(n):
        box.files.write(f"side/{n}", str(n) * 10_000)
    threads = [threading.Thread(target=put, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(box.files.read(f"side/{n}") == str(n) * 10_000 for n in range(10))
