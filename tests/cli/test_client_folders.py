"""`atoll cp` of folders. Whatever a session or a server sends, nothing appears outside of the one folder, and nothing
is written through a link."""
import contextlib
import gzip
import http.server
import io
import json
import os
import socket
import stat
import tarfile
import threading

import pytest

from harness import host
from harness.cli import atoll
from harness.terminal import WITHIN_S, Terminal

pytestmark = pytest.mark.once


def tree_of(top) -> dict:
    """Name to content, target of a link, or None for a folder; and whether it may be executed."""
    found = {}
    for folder, folders, files in os.walk(os.fsencode(top)):
        for name in folders + files:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            what = (os.readlink(path) if stat.S_ISLNK(mode) else None if stat.S_ISDIR(mode)
                    else open(path, "rb").read())
            found[os.path.relpath(path, os.fsencode(top))] = what, bool(stat.S_ISREG(mode) and mode & 0o100)
    return found


@pytest.fixture
def folder(tmp_path):
    top = tmp_path / "data set"
    (top / "deep/er").mkdir(parents=True)
    (top / "empty").mkdir()
    (top / "deep/er/big").write_bytes(os.urandom(3 << 20))
    (top / "tool.sh").write_text("#!/bin/sh\necho from the tool\n")
    (top / "tool.sh").chmod(0o755)
    for name in ("ü ✓", "new\nline", "-x", "a%2fb:c"):
        (top / name).write_text(name)
    (top / "deep/up").symlink_to("../tool.sh")
    (top / "nowhere").symlink_to("missing")
    return top


def test_there_and_back(client, session, folder, tmp_path):
    done = client("cp", str(folder), f"{session}:/session/copy")
    assert (done.returncode, done.out, done.err) == (0, "", "")
    assert client("exec", session, "--", "/session/copy/deep/up").out == "from the tool\n"
    back = tmp_path / "back"
    done = client("cp", f"{session}:/session/copy", str(back))
    assert (done.returncode, done.out, done.err) == (0, "", "")
    assert tree_of(back) == tree_of(folder)


def test_several_at_once(client, session, folder, tmp_path):
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")
    done = client("cp", "--json", "one", "two", "data set", f"{session}:", cwd=tmp_path)
    assert done.returncode == 0, done.err
    assert [one["to"]["path"] for one in json.loads(done.out)["copied"]] == [
        "/session/one", "/session/two", "/session/data set"]
    back = tmp_path / "back"
    back.mkdir()
    done = client("cp", f"{session}:one", f"{session}:two", f"{session}:data set", str(back))
    assert (done.returncode, done.out, done.err) == (0, "", "")
    assert (back / "one").read_text() + (back / "two").read_text() == "12"
    assert tree_of(back / "data set") == tree_of(folder)


@pytest.mark.parametrize("words, says", [
    (["one", "two", "{}:new"], "/session/new is not a folder"),
    (["one", "two", "{}:artifacts/one"], "is not a folder"),
    (["{}:one", "{}:two", "nowhere"], "nowhere is not a folder"),
    (["one", "{}:two", "{}:"], "the target must be in a session"),
    (["one", "deep/one", "{}:"], 'named "one"'),
    (["-", "one", "{}:"], "one copy at a time"),
    (["{}:one", "{}:two", "-"], "one copy at a time"),
    (["one"], "where to"),
    ([], "where to")])
def test_several_that_cannot_be(client, session, tmp_path, words, says):
    (tmp_path / "deep").mkdir()
    for name in ("one", "two", "deep/one"):
        (tmp_path / name).write_text(name)
    done = client("cp", *(word.format(session) for word in words), cwd=tmp_path)
    assert done.returncode == 2 and says in done.err, done.err
    assert client("exec", session, "ls", "/session").out == "artifacts\n"


def test_one_that_is_missing_stops_all(client, session, tmp_path):
    (tmp_path / "one").write_text("1")
    done = client("cp", "one", "missing", f"{session}:", cwd=tmp_path)
    assert done.returncode == 125 and "missing: No such file or directory" in done.err
    assert client("exec", session, "ls", "/session").out == "artifacts\n"  # not even the first


def test_into_a_folder_that_is_there(client, session, folder, tmp_path):
    for _ in range(2):  # the second time onto the first
        assert client("cp", f"{folder}/", f"{session}:/session").returncode == 0
    assert client("exec", session, "--", "ls", "/session").out == "artifacts\ndata set\n"
    into = tmp_path / "into"
    (into / "data set/deep").mkdir(parents=True)
    (into / "data set/mine").write_text("mine")
    (into / "data set/tool.sh").write_text("old")
    assert client("cp", f"{session}:/session/data set/", str(into)).returncode == 0
    assert os.listdir(into) == ["data set"]
    assert tree_of(into / "data set") == tree_of(folder) | {b"mine": (b"mine", False)}


def test_a_file_into_a_folder_that_is_there(client, session, folder):
    for target in ("/session", "/session/", "/session/tool.sh"):
        assert client("cp", str(folder / "tool.sh"), f"{session}:{target}").returncode == 0
    assert client("exec", session, "--", "ls", "/session").out == "artifacts\ntool.sh\n"


def test_as_a_tar(client, session, folder):
    assert client("cp", str(folder), f"{session}:/session/copy").returncode == 0
    done = atoll("cp", f"{session}:/session/copy", "-")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        assert "deep/er/big" in [name.removeprefix("./") for name in archive.getnames()]


def test_from_where_one_stands(client, session, folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert client("cp", ".", f"{session}:/session/").returncode == 0
    assert client("exec", session, "--", "ls", "/session").out == "artifacts\ndata set\n"


def test_links_of_a_person_are_not_followed(client, session, tmp_path):
    (tmp_path / "secret").write_text("secret")
    top = tmp_path / "top"
    top.mkdir()
    (top / "file").write_text("file")
    (top / "link").symlink_to(tmp_path / "secret")
    (top / "folder").symlink_to(tmp_path)
    os.mkfifo(top / "fifo")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as listening:
        here = os.getcwd()
        os.chdir(top)  # a socket's path is short
        listening.bind("socket")
        os.chdir(here)
        done = client("cp", str(top), f"{session}:/session/top", timeout=60)
    assert "fifo" in done.err and "socket" in done.err
    assert client("exec", session, "-l", "shell", "-c", "cd /session/top; cat file; ls; cat link folder/secret").out \
        == "filefile\nfolder\nlink\n"


def test_what_is_not_there(client, session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = client("cp", f"{session}:/session/none", "out")
    assert done.returncode == 125 and "none" in done.err
    done = client("cp", f"{session}:/session", "/proc/none/x")
    assert done.returncode == 125 and "/proc/none/x" in done.err
    (tmp_path / "file").write_text("old")
    done = client("cp", f"{session}:/session", "file")
    assert done.returncode == 125 and "no folder" in done.err and (tmp_path / "file").read_text() == "old"
    for word, says in (("/", "no name"), ("/session/..", "..")):
        done = client("cp", f"{session}:{word}", ".")
        assert done.returncode == 2 and says in done.err, done.err
    (tmp_path / "full").mkdir()
    done = client("cp", "full", "s-none:/session/")
    assert done.returncode == 125 and "no session s-none" in done.err
    assert sorted(os.listdir(tmp_path)) == ["file", "full"]


def test_links_of_a_session_stay_inside(client, session, tmp_path):
    """A session may point wherever it likes in its own tree; here such links are left out, and named."""
    client("exec", session, "-l", "shell", "-c", """
        mkdir -p /session/t/a/b && cd /session/t && echo fine > a/file
        ln -s /etc/passwd absolute; ln -s ../../outside up; ln -s a/../../../outside between
        ln -s ../../.. a/b/far; ln -s ../file a/b/near; ln -s . self; ln -s ../.. a/b/top
        ln -s a/b/top/../.. round
    """)
    out = tmp_path / "out"
    done = client("cp", f"{session}:/session/t", str(out))
    assert done.returncode == 125 and "not complete" in done.err
    assert {line.split(": ")[2] for line in done.err.splitlines() if "not copied" in line} \
        == {"absolute", "up", "between", "a/b/far", "round"}
    assert set(tree_of(out)) == {b"a", b"a/b", b"a/file", b"a/b/near", b"a/b/top", b"self"}


# ---- A server that sends what it likes ----

class Hostile(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    archive = b""
    cut = False

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("X-Atoll-Type", "directory")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        assert self.path.endswith("?archive=tar")
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.archive) + self.cut))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(self.archive)
        self.close_connection = True


def entry(name, body=b"", **more):
    info = tarfile.TarInfo(name)
    info.size = len(body)
    for key, value in more.items():
        setattr(info, key, value)
    return info, body


def link(name, target):
    return entry(name, type=tarfile.SYMTYPE, linkname=target)


def tar(*entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, body in entries:
            archive.addfile(info, io.BytesIO(body))
    return out.getvalue()


@pytest.fixture
def taken(tmp_path, monkeypatch):
    """Copies what a hostile server sends to a folder; gives the command's end and what is in the folder."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("ATOLL_URL", f"http://127.0.0.1:{server.server_port}")
    outer = tmp_path / "outer"
    (outer / "outside").mkdir(parents=True)
    (outer / "secret").write_text("untouched")

    def copy(archive, *options, before=None, cut=False):
        Hostile.archive, Hostile.cut = archive, cut
        into = outer / "into"
        if before:
            into.mkdir()
            before(into)
        done = atoll("cp", "s:/session/x", str(into) if not before else f"{into}/../into", *options)
        if before:
            into = into / "x"
        assert sorted(os.listdir(outer)) == ["into", "outside", "secret"]
        assert os.listdir(outer / "outside") == []
        assert (outer / "secret").read_text() == "untouched" and (outer / "secret").stat().st_nlink == 1
        assert (outer / "secret").stat().st_mode & 0o7777 == 0o644
        return done, tree_of(into)

    yield copy
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("case", [
    [entry("../secret", b"evil")], [entry("a/../../secret", b"evil")], [entry("..", type=tarfile.DIRTYPE, mode=0o777)],
    [link("out", "../outside"), entry("out/x", b"evil")],
    [link("out", "/"), entry("out/tmp/x", b"evil")],
    [link("a", "."), entry("a/../../secret", b"evil")],
    [entry("hard", type=tarfile.LNKTYPE, linkname="../secret")],
    [entry("null", type=tarfile.CHRTYPE, devmajor=1, devminor=3)], [entry("fifo", type=tarfile.FIFOTYPE)]])
def test_hostile_entries(taken, case):
    done, found = taken(tar(*case, entry("good", b"1")))
    assert done.returncode == 125 and b"not copied" in done.stderr
    assert found[b"good"] == (b"1", False)
    assert not {b"secret", b"null", b"fifo", b"hard"} & set(found)
    assert found.get(b"out", (None,))[0] is None  # a folder, never the link


def test_absolute_names_land_inside(taken, tmp_path):
    done, found = taken(tar(entry(f"{tmp_path}/outer/secret", b"evil")))
    assert done.returncode == 0 and len(found) > 1


def test_nothing_is_written_through_links_that_were_there(taken):
    def before(into):
        (into / "x").mkdir()
        (into / "x/file").symlink_to("../../secret")
        (into / "x/folder").symlink_to("../../outside")

    done, found = taken(tar(entry("file", b"new"), entry("folder/file", b"evil")), before=before)
    assert done.returncode == 125 and b"folder/file" in done.stderr
    assert found == {b"file": (b"new", False), b"folder": (b"../../outside", False)}


def test_the_target_itself_is_no_link(taken):
    """One copy makes the link, the next would go where it leads."""
    done, found = taken(tar(entry("file", b"evil")), before=lambda into: (into / "x").symlink_to("../outside"))
    assert done.returncode == 125 and b"is there and is no folder" in done.stderr


def test_modes_are_a_persons(taken):
    done, found = taken(tar(entry("setuid", b"x", mode=0o6777), entry("none", b"x", mode=0),
                            entry("locked", type=tarfile.DIRTYPE, mode=0), entry("locked/x", b"x")))
    assert done.returncode == 0 and set(found) == {b"setuid", b"none", b"locked", b"locked/x"}


def test_no_special_bits(taken, tmp_path):
    os.umask(0o022)
    taken(tar(entry("setuid", b"x", mode=0o6777)))
    assert (tmp_path / "outer/into/setuid").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize("kind", ["gzip", "zip", "nonsense"])
def test_nothing_but_a_plain_tar_is_read(taken, kind):
    done, found = taken({"gzip": gzip.compress(tar(entry("x", b"1"))), "zip": b"PK\x05\x06" + bytes(18),
                         "nonsense": b"nonsense" * 200}[kind])
    assert done.returncode == 125 and b"unpack" in done.stderr and found == {}


def test_a_copy_that_breaks_off_says_so(taken):
    done, found = taken(tar(entry("a", b"1"), entry("b", b"2" * 5000))[:-1024 - 4096], cut=True)
    assert done.returncode == 125 and b"broke" in done.stderr
    assert b"b" not in found


def test_more_than_was_asked_for(taken):
    done, found = taken(tar(entry("small", b"1"), entry("large", bytes(3 << 20))), "--max-size", "1m")
    assert done.returncode == 125 and b"--max-size" in done.stderr
    assert set(found) == {b"small"}


# ---- Ctrl-C in the middle ----

class Slow(Hostile):
    """Sends half of what it has, and the rest when it may."""
    may_end = threading.Event()

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.archive)))
        self.end_headers()
        self.wfile.write(self.archive[:len(self.archive) // 2])
        self.may_end.wait(120)
        self.close_connection = True


def test_ctrl_c_leaves_what_is_whole(tmp_path, monkeypatch):
    """The terminal sends it to all that run there: the unpacker must not end before it is told to."""
    Slow.archive = tar(entry("whole", b"whole"), entry("half", os.urandom(8 << 20)))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("ATOLL_URL", f"http://127.0.0.1:{server.server_port}")
    out = tmp_path / "out"
    running = Terminal("cp", "s-1:/session/f", str(out))
    try:
        assert host.eventually(lambda: list(out.glob(".atoll-unpack-*")), WITHIN_S)
        os.write(running.fd, b"\x03")
        assert running.status() == 130 and "atoll: interrupted" in running.seen and "pipe" not in running.seen
        assert [one.name for one in out.iterdir()] == ["whole"]
    finally:
        running.close()
        Slow.may_end.set()
        server.shutdown()
        server.server_close()


def test_a_client_that_leaves_an_upload_leaves_no_half_file(server, client, session):
    archive = tar(entry("whole", b"whole"), entry("half", os.urandom(8 << 20)))
    address = server.url.removeprefix("http://").rsplit(":", 1)

    def names():
        return client("exec", session, "--no-stdin", "ls", "-A", "/session/into").out.split()
    with socket.create_connection((address[0], int(address[1])), timeout=60) as sending:
        sending.sendall(f"POST /v1/sessions/{session}/unpack?into=/session/into HTTP/1.1\r\nHost: localhost\r\n"
                        "Content-Type: application/octet-stream\r\n"
                        f"Content-Length: {len(archive)}\r\n\r\n".encode() + archive[:len(archive) // 2])
        assert host.eventually(lambda: any(one.startswith(".atoll-unpack-") for one in names()), WITHIN_S)
    assert host.eventually(lambda: names() == ["whole"], WITHIN_S), names()
