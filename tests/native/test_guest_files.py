"""file.* and dial: what an owner does with a sandbox's files and servers from outside."""
import os
import time

import pytest

from harness import host
from harness.driver import Refused


def entries(sandbox, path: str, **fields) -> dict:
    answer = sandbox.ask({"op": "file.list", "path": path, **fields})
    found = [one for event in answer.events_named("entries") for one in event["entries"]]
    assert answer.end["count"] == len(found)
    return {one["name"]: one for one in found}


def stat(sandbox, path: str) -> dict:
    return sandbox.ask({"op": "file.stat", "path": path}).end["entry"]


# Read and write

def test_twenty_megabytes_there_and_back(sandbox):
    content = os.urandom(20_000_000)
    assert sandbox.write("/session/blob", content).end["size"] == len(content)
    assert sandbox.read("/session/blob") == content


def test_what_is_written_belongs_to_the_user(sandbox):
    sandbox.write("/session/script", b"#!/bin/sh\necho ran as $(id -un)\n", mode=0o750)
    assert sandbox.run("/session/script").out == "ran as user\n"
    assert sandbox.shell("stat -c '%U %a' /session/script; echo more >> /session/script").out == \
        "user 750\n"
    assert sandbox.read("/session/script").endswith(b"more\n")


def test_an_empty_file_and_missing_folders(sandbox):
    with pytest.raises(Refused, match="/session/a/b/empty.*No such file"):
        sandbox.write("/session/a/b/empty", b"")
    assert sandbox.write("/session/a/b/empty", b"", parents=True).end["size"] == 0
    assert sandbox.read("/session/a/b/empty") == b""
    assert sandbox.shell("stat -c %U /session/a /session/a/b").out == "user\nuser\n"


def test_parts_of_a_file(sandbox):
    sandbox.write("/work/digits", b"0123456789")
    assert sandbox.read("/work/digits", offset=3) == b"3456789"
    assert sandbox.read("/work/digits", offset=3, length=4) == b"3456"
    assert sandbox.read("/work/digits", length=0) == b""
    assert sandbox.read("/work/digits", offset=100) == b""
    assert sandbox.ask({"op": "file.read", "path": "/work/digits", "length": 2}).end["size"] == 10


def test_a_write_that_is_cancelled_leaves_nothing(sandbox):
    sandbox.write("/work/kept", b"old")
    for path in ("/work/kept", "/work/new"):
        end = sandbox.ask({"op": "file.write", "path": path},
                          controls=[{"do": "cancel", "after_ms": 100}]).end
        assert end["cancelled"]
    assert sandbox.read("/work/kept") == b"old"
    assert set(entries(sandbox, "/work")) == {"artifacts", "kept"}


def test_a_reader_sees_the_old_or_the_new_never_half(sandbox):
    sandbox.write("/work/kept", b"old")
    writing = sandbox.start({"op": "file.write", "path": "/work/kept"},
                            controls=[{"do": "cancel", "after_ms": 1000}])
    assert host.eventually(lambda: len(entries(sandbox, "/work")) == 3)  # under a name of its own
    assert sandbox.read("/work/kept") == b"old"
    writing.result(20)
    sandbox.write("/work/kept", b"new")
    assert sandbox.read("/work/kept") == b"new"


def test_a_write_that_finds_the_disk_full_leaves_the_old_file(driver):
    small = driver.create(limits={"disk_bytes_max": 4 << 20})
    try:
        small.write("/session/kept", b"old")
        with pytest.raises(Refused, match="/session/kept.*No space left"):
            small.write("/session/kept", b"x" * (6 << 20))
        assert small.read("/session/kept") == b"old"
        assert set(entries(small, "/session")) == {"artifacts", "kept"}
        small.write("/session/kept", b"x" * (3 << 20))  # and the room was given back
    finally:
        small.destroy()


# List and stat

def test_a_list_says_type_size_mode_and_time(sandbox):
    sandbox.shell("mkdir box; printf abc > file; chmod 640 file; touch -d @1000000000 file; "
                  "ln -s /nowhere link; mkfifo pipe", cwd="/work")
    found = entries(sandbox, "/work")
    assert {name: one["type"] for name, one in found.items()} == {
        "artifacts": "directory", "box": "directory", "file": "file", "link": "symlink",
        "pipe": "fifo"}
    assert (found["file"]["size"], found["file"]["mode"]) == (3, 0o640)
    assert found["file"]["mtime_ns"] == 1_000_000_000 * 10**9
    assert stat(sandbox, "/work/link")["target"] == "/nowhere"
    looked_at = stat(sandbox, "/work/file")
    assert looked_at.pop("stored_bytes") >= 3  # a list does not say it
    assert looked_at == {**found["file"], "name": "/work/file"}


def test_depth_and_limit(sandbox):
    sandbox.shell("mkdir -p a/b/c && touch a/1 a/b/2 a/b/c/3", cwd="/work")
    assert set(entries(sandbox, "/work/a")) == {"1", "b"}
    assert set(entries(sandbox, "/work/a", depth=2)) == {"1", "b", "b/2", "b/c"}
    assert set(entries(sandbox, "/work/a", depth=9)) == {"1", "b", "b/2", "b/c", "b/c/3"}
    answer = sandbox.ask({"op": "file.list", "path": "/work/a", "depth": 9, "limit": 2})
    assert answer.end["count"] == 2 and answer.end["complete"] is False


def test_many_entries_come_in_many_events(sandbox):
    sandbox.shell("seq -f 'n%.0f' 3000 | xargs touch", cwd="/work")
    answer = sandbox.ask({"op": "file.list", "path": "/work"})
    assert answer.end == {"ok": True, "count": 3001, "complete": True}
    assert len(answer.events_named("entries")) > 1
    names = {one["name"] for event in answer["events"] for one in event["entries"]}
    assert names == {f"n{i}" for i in range(1, 3001)} | {"artifacts"}


def test_odd_names(sandbox):
    sandbox.shell(r"""mkdir odd && cd odd && touch $'a\nb' $'quote"\\' é $'\xff\xferaw' -- '-n' ' '""",
                  cwd="/work")
    found = entries(sandbox, "/work/odd")
    assert {"a\nb", 'quote"\\', "é", "-n", " "} <= set(found)
    (raw,) = [one for one in found.values() if "name_hex" in one]
    assert bytes.fromhex(raw["name_hex"]) == b"\xff\xferaw" and raw["name"] == "??raw"
    assert "name_hex" not in found["é"]
    sandbox.write("/work/odd/a\nb", b"line")
    assert sandbox.read("/work/odd/a\nb") == b"line"


# Change

def test_make_move_and_remove(sandbox):
    with pytest.raises(Refused, match="/work/x/y.*No such file"):
        sandbox.ask({"op": "file.mkdir", "path": "/work/x/y"})
    sandbox.ask({"op": "file.mkdir", "path": "/work/x/y", "parents": True})
    sandbox.ask({"op": "file.mkdir", "path": "/work/x/y", "parents": True})  # there already: fine
    with pytest.raises(Refused, match="/work/x/y.*File exists"):
        sandbox.ask({"op": "file.mkdir", "path": "/work/x/y"})
    sandbox.write("/work/x/file", b"moved")
    sandbox.ask({"op": "file.move", "path": "/work/x/file", "to": "/work/x/y/other"})
    assert sandbox.read("/work/x/y/other") == b"moved"
    with pytest.raises(Refused, match="/work/x.*Directory not empty"):
        sandbox.ask({"op": "file.remove", "path": "/work/x"})
    sandbox.ask({"op": "file.remove", "path": "/work/x", "recursive": True})
    assert set(entries(sandbox, "/work")) == {"artifacts"}


def test_between_the_folders_of_a_sandbox_a_move_is_a_move(sandbox):
    sandbox.write("/tmp/result", b"made")
    sandbox.ask({"op": "file.move", "path": "/tmp/result", "to": "/session/artifacts/result"})
    assert sandbox.read("/session/artifacts/result") == b"made"
    with pytest.raises(Refused, match="No such file"):
        stat(sandbox, "/tmp/result")


def test_a_link_is_removed_not_what_it_points_to(sandbox):
    sandbox.shell("mkdir real && touch real/kept && mkdir box && ln -s /work/real box/link && "
                  "chmod 0 box", cwd="/work")
    sandbox.ask({"op": "file.remove", "path": "/work/box", "recursive": True})
    assert set(entries(sandbox, "/work/real")) == {"kept"}


@pytest.mark.parametrize("request_, why", [
    ({"op": "file.read", "path": "/work/absent"}, "/work/absent: No such file"),
    ({"op": "file.read", "path": "/work"}, "/work: it is a directory"),
    ({"op": "file.read", "path": "relative"}, "absolute"),
    ({"op": "file.read", "path": ""}, "absolute"),
    ({"op": "file.read"}, "absolute"),
    ({"op": "file.read", "path": "/dev/zero"}, "no regular file"),
    ({"op": "file.write", "path": "/work"}, "/work: it is a directory"),
    ({"op": "file.write", "path": "relative"}, "absolute"),
    ({"op": "file.write", "path": "/usr/bin/new"}, "Read-only file system"),
    ({"op": "file.list", "path": "/work/absent"}, "/work/absent: No such file"),
    ({"op": "file.list", "path": "/etc/passwd"}, "Not a directory"),
    ({"op": "file.stat", "path": "/work/absent"}, "/work/absent: No such file"),
    ({"op": "file.move", "path": "/work/absent", "to": "/work/x"}, "/work/absent.*No such file"),
    ({"op": "file.move", "path": "/work/artifacts", "to": "x"}, "absolute"),
    ({"op": "file.remove", "path": "/work/absent"}, "/work/absent: No such file"),
    ({"op": "file.watch", "path": "/work/absent"}, "/work/absent: No such file"),
    ({"op": "file.nothing", "path": "/work"}, "no operation file.nothing"),
    ({"op": "dial", "port": 9}, "port 9: Connection refused"),
    ({"op": "dial", "port": 70000}, "1 to 65535"),
    ({"op": "dial"}, "1 to 65535"),
])
def test_errors_name_what_was_asked_and_why_not(sandbox, request_, why):
    with pytest.raises(Refused, match=why):
        sandbox.ask(request_)
    sandbox.ask({"op": "ping"})


# Watch

def test_changes_are_seen(sandbox):
    watching = sandbox.start({"op": "file.watch", "path": "/work"},
                             controls=[{"do": "cancel", "after_ms": 1500}])
    sandbox.shell("echo 1 > made; mv made moved; rm moved; mkdir later", cwd="/work")
    time.sleep(0.3)  # the folder of just now is watched once its creation was read
    sandbox.write("/work/later/inside", b"x")
    answer = watching.result(20)
    assert answer.end["cancelled"]
    assert answer["events"][0] == {"event": "watching", "path": "/work"}
    seen = [(one["what"], one["path"]) for one in answer.events_named("change")]
    for change in [("created", "/work/made"), ("written", "/work/made"),
                   ("moved_from", "/work/made"), ("moved_to", "/work/moved"),
                   ("removed", "/work/moved"), ("created", "/work/later"),
                   ("moved_to", "/work/later/inside")]:
        assert change in seen, (change, seen)
    assert seen.index(("created", "/work/made")) < seen.index(("removed", "/work/moved"))


def test_a_flat_watch_does_not_look_below(sandbox):
    sandbox.ask({"op": "file.mkdir", "path": "/work/below"})
    watching = sandbox.start({"op": "file.watch", "path": "/work", "recursive": False},
                             controls=[{"do": "cancel", "after_ms": 700}])
    sandbox.shell("touch below/unseen seen", cwd="/work")
    paths = {one["path"] for one in watching.result(20).events_named("change")}
    assert "/work/seen" in paths and "/work/below/unseen" not in paths


# Dial

def test_a_web_server_inside_is_reached(sandbox):
    sandbox.write("/work/page.html", b"<p>from inside</p>" * 50_000)
    sandbox.start({"op": "process.start", "cwd": "/work",
                   "argv": ["python", "-m", "http.server", "8000", "--bind", "127.0.0.1"]})

    def get(path):
        try:
            return sandbox.ask({"op": "dial", "port": 8000},
                               data=f"GET {path} HTTP/1.0\r\n\r\n")
        except Refused as refused:
            assert "refused" in str(refused)
            return None

    answer = host.eventually(lambda: get("/page.html"), within=20)
    assert answer["events"][0] == {"event": "connected"}
    head, body = answer["data"].split("\r\n\r\n", 1)
    assert head.startswith("HTTP/1.0 200 OK") and body == "<p>from inside</p>" * 50_000
    assert "404" in get("/absent")["data"].splitlines()[0]


def test_dialled_connections_carry_both_ways(sandbox):
    sandbox.python("""
import socket, threading
server = socket.create_server(('127.0.0.1', 7000))
def echo():
    connection, _ = server.accept()
    while piece := connection.recv(65536): connection.sendall(piece)
    connection.close()
threading.Thread(target=echo, daemon=True).start()
""")
    content = os.urandom(3_000_000).decode("latin-1")
    answer = sandbox.ask({"op": "dial", "port": 7000}, data=content)
    assert answer["data"] == content and answer.end["closed"]


# Stats

def test_stats_count_what_is_used(sandbox):
    before = sandbox.ask({"op": "stats"}).end
    sandbox.write("/work/blob", b"x" * 5_000_000)
    after = sandbox.ask({"op": "stats"}).end
    assert 4_900_000 < after["disk_bytes_used"] - before["disk_bytes_used"] < 6_000_000
    assert after["inodes_used"] == before["inodes_used"] + 1 and not after["inodes_full"]
    assert after["disk_bytes_max"] == 1 << 30 and after["processes"] >= 1


def test_shutdown_ends_the_sandbox(driver):
    made = driver.create()
    made.ask({"op": "shutdown"})
    assert host.eventually(lambda: not host.look_at(made.pid))
    with pytest.raises(Refused):
        made.ask({"op": "ping"}, wait=20)
    made.destroy()
