"""Goal: what was packed comes out again, and whatever cannot is named. Method: trees with all
that is odd in them, through pack and unpack; archives of other programs through unpack."""
import ctypes
import io
import os
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tarfile
import threading
import time
import zipfile

import pytest

from conftest import as_user
from make import directory, entry, tar, zipped

ODD = [b"new\nline", b"\xff\xfe", "ü\u202e".encode(), b"-x", b" ", b"n" * 255, b"\\", b"*?[",
       b".hidden"]


@pytest.fixture
def tree(ground):
    top = ground.top / "tree"
    top.mkdir()
    for name in ODD:
        with open(os.path.join(os.fsencode(top), name), "wb") as file:
            file.write(name * 10)
        os.mkdir(os.path.join(os.fsencode(top), b"in " + name[:200]))
        open(os.path.join(os.fsencode(top), b"in " + name[:200], name), "w").close()
    for mode in (0o600, 0o644, 0o755, 0o444, 0o777):
        (top / f"mode {mode:o}").write_text("x")
        (top / f"mode {mode:o}").chmod(mode)
    (top / "empty").mkdir()
    (top / "locked").mkdir()
    (top / "locked/x").write_text("x")
    (top / "locked").chmod(0o555)
    (top / "deep").joinpath(*["d"] * 300).mkdir(parents=True)
    for name, target in {"to file": "mode 600", "dangling": "nowhere", "up": "../../..",
                         "absolute": "/etc/passwd", "loop": "loop"}.items():
        (top / name).symlink_to(target)
    os.link(top / "mode 644", top / "second name")
    os.utime(top / "mode 600", ns=(0, 1234567890_123456789))
    os.utime(top / "empty", ns=(0, 987654321_000000001))
    if os.getuid() == 0:
        subprocess.run(["chown", "-hR", "65534:65534", top], check=True)
    return top


def listing(top, exact):
    """Everything that must survive; what zip cannot hold only when exact."""
    found = {}
    top = os.fsencode(top)
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            content = (os.readlink(path) if stat.S_ISLNK(info.st_mode) else
                       open(path, "rb").read() if stat.S_ISREG(info.st_mode) else None)
            mode = 0 if stat.S_ISLNK(info.st_mode) else info.st_mode
            key = os.path.relpath(path, top)
            found[key] = (content, mode, info.st_mtime_ns if exact else info.st_mtime_ns // 10 ** 9,
                          info.st_nlink if exact and content is not None else 0)
    return found


@pytest.mark.parametrize("form", ["tar", "tar.gz", "tar.zst", "zip"])
def test_round_trip(pack, unpack, ground, tree, form):
    if form == "zip":  # see the next test
        remove_what_a_zip_cannot_hold(tree)
    packed = pack("--format", form, tree)
    assert (packed.status, packed.notes) == (0, "")
    assert pack("--format", form, tree).archive == packed.archive, "the same tree, the same bytes"
    answer = unpack(packed.archive)
    assert answer.status == 0, answer
    assert listing(ground.into, form != "zip") == listing(tree, form != "zip")
    again = unpack(packed.archive)  # over itself, read-only directories and all
    assert again.status == 0, again
    assert listing(ground.into, form != "zip") == listing(tree, form != "zip")


def remove_what_a_zip_cannot_hold(tree):
    for name in (b"\xff\xfe", b"\\"):
        os.unlink(os.fsencode(tree) + b"/" + name)
        shutil.rmtree(os.fsencode(tree) + b"/in " + name)


def test_a_zip_names_what_it_cannot_hold(pack, tree):
    packed = pack("--format", "zip", tree)
    assert packed.status == 3
    assert packed.notes.count("cannot hold") == 4 and "\\xff\\xfe: " in packed.notes
    with zipfile.ZipFile(io.BytesIO(packed.archive)) as archive:
        assert archive.testzip() is None and "ü\u202e" in archive.namelist()


def test_other_programs_read_it(pack, tree):
    with tarfile.open(fileobj=io.BytesIO(pack(tree).archive)) as archive:
        members = archive.getmembers()
    assert {(m.uid, m.gid, m.uname, m.gname) for m in members} == {(0, 0, "", "")}
    assert next(m for m in members if m.name == "second name").islnk()

@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tars_of_all_kinds(unpack, ground, mode):
    assert unpack(tar(directory("d"), entry("d/x", b"1"), mode=mode)).bytes == 1
    assert (ground.into / "d/x").read_bytes() == b"1"


def seven_zip(path, body):
    """A 7z by libarchive itself: Python has no writer of its own."""
    library = ctypes.CDLL("libarchive.so.13")
    for name in ("archive_write_new", "archive_entry_new"):
        getattr(library, name).restype = ctypes.c_void_p
    writer, item = library.archive_write_new(), library.archive_entry_new()
    writer, item = ctypes.c_void_p(writer), ctypes.c_void_p(item)
    out, used = ctypes.create_string_buffer(1 << 20), ctypes.c_size_t()
    assert library.archive_write_set_format_7zip(writer) == 0
    assert library.archive_write_open_memory(writer, out, len(out), ctypes.byref(used)) == 0
    library.archive_entry_set_pathname(item, path)
    library.archive_entry_set_filetype(item, stat.S_IFREG)
    library.archive_entry_set_perm(item, 0o640)
    library.archive_entry_set_size(item, ctypes.c_int64(len(body)))
    assert library.archive_write_header(writer, item) == 0
    library.archive_write_data(writer, body, ctypes.c_size_t(len(body)))
    assert library.archive_write_close(writer) == 0
    return out.raw[:used.value]


def test_7z(unpack, ground):
    assert unpack(seven_zip(b"d/x", b"seven" * 1000)).status == 0
    assert (ground.into / "d/x").read_bytes() == b"seven" * 1000
    assert unpack(seven_zip(b"../x", b"1")).status == 3
    assert unpack(seven_zip(b"bomb", bytes(50 << 20)), "--bytes-max", 1 << 20).status == 4
    ground.untouched()


def test_strip(unpack, ground):
    whole = tar(directory("top"), directory("top/d"), entry("top/d/x", b"1"), entry("lone"))
    answer = unpack(whole, "--strip", 1)
    assert answer.status == 0 and [s["name"] for s in answer.skipped] == ["lone"]
    assert os.listdir(ground.into) == ["d"] and (ground.into / "d/x").exists()


def test_keep_leaves_everything_as_it_was(unpack, ground):
    (ground.into / "x").write_text("mine")
    (ground.into / "d").mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(ground.into / "d", 65534, 65534)
    answer = unpack(tar(entry("x", b"theirs"), directory("d", 0o777), entry("d/y", b"1")), "--keep")
    assert answer.status == 0 and [s["name"] for s in answer.skipped] == ["x"]
    assert (ground.into / "x").read_text() == "mine" and (ground.into / "d/y").exists()
    assert stat.S_IMODE((ground.into / "d").stat().st_mode) == 0o700


def test_exclude(pack, ground):
    top = ground.top / "tree"
    for name in ("a.pyc", "keep", "node_modules/x", "sub/a.pyc", "sub/keep", "sub/out/x"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("x")
    packed = pack("--exclude", "*.pyc", "--exclude", "node_modules", "--exclude", "sub/out", top)
    with tarfile.open(fileobj=io.BytesIO(packed.archive)) as archive:
        assert archive.getnames() == ["keep", "sub", "sub/keep"]


def test_sources_have_their_names(pack, ground):
    one, two = ground.top / "one", ground.top / "two"
    one.mkdir()
    (one / "x").write_text("x")
    two.write_text("y")
    with tarfile.open(fileobj=io.BytesIO(pack(one, two).archive)) as archive:
        assert archive.getnames() == ["one", "one/x", "two"]
    with tarfile.open(fileobj=io.BytesIO(pack(two).archive)) as archive:
        assert archive.getnames() == ["two"]
    assert pack(one, f"{one}/").status == 2


def test_special_files_are_left_out_and_nothing_hangs(pack, ground):
    top = ground.top / "tree"
    top.mkdir()
    os.mkfifo(top / "fifo")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(top / "socket"))
    (top / "x").write_text("x")
    packed = pack(top)
    assert packed.status == 0 and packed.notes.count("not packed") == 2
    with tarfile.open(fileobj=io.BytesIO(packed.archive)) as archive:
        assert archive.getnames() == ["x"]


def test_unreadable_things_are_named(pack, ground):
    top = ground.top / "tree"
    (top / "closed").mkdir(parents=True)
    (top / "secret\n").write_text("x")
    (top / "x").write_text("x")
    for path in (top / "closed", top / "secret\n"):
        if os.getuid() == 0:
            os.chown(path, 0, 0)
        path.chmod(0)
    packed = pack(top)
    assert packed.status == 3
    assert "closed: " in packed.notes and "secret\\x0a: " in packed.notes
    with tarfile.open(fileobj=io.BytesIO(packed.archive)) as archive:
        assert archive.getnames() == ["closed", "x"]
    assert pack(ground.top / "missing").status == 3
    (top / "closed").chmod(0o755)


def test_symlinks_are_never_followed_while_packing(pack, ground):
    top = ground.top / "tree"
    top.mkdir()
    (ground.outside / "private").write_text("private")
    (top / "link").symlink_to(ground.outside)
    assert b"private" not in pack(top).archive
    alone = pack(top / "link").archive
    with tarfile.open(fileobj=io.BytesIO(alone)) as archive:
        assert archive.getmembers()[0].issym()


def test_a_file_that_changes_while_it_is_packed(pack, ground):
    path = ground.top / "tree" / "x"
    path.parent.mkdir()
    path.write_bytes(b"x" * (4 << 20))
    path.chmod(0o666)
    stop = threading.Event()

    def churn():
        while not stop.is_set():
            os.truncate(path, 1000)
            os.truncate(path, 8 << 20)
    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(20):
            packed = pack(path.parent)
            assert packed.status in (0, 3)
            with tarfile.open(fileobj=io.BytesIO(packed.archive)) as archive:
                assert archive.getnames() == ["x"]
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("arguments", [[], ["list"], ["pack"], ["pack", "--format", "rar", "."],
                                       ["unpack", "x"], ["unpack", "--bytes-max", "1k"],
                                       ["unpack", "--strip", "-1"], ["unpack", "--nonsense"]])
def test_usage(program, arguments):
    assert subprocess.run([program, *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True).returncode == 2


def test_a_missing_directory(unpack, ground):
    answer = unpack(tar(entry("x")), into=ground.top / "missing")
    assert answer.status == 1 and "missing" in answer.error


def test_a_signal_leaves_no_temporary_file(program, ground):
    child = subprocess.Popen([program, "unpack", "--into", ground.into], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, **as_user())
    child.stdin.write(tar(entry("a", b"1"), entry("b", b"2" * 100_000))[:60_000])
    child.stdin.flush()
    while not (ground.into / "a").exists():
        time.sleep(0.01)
    child.terminate()
    out, _ = child.communicate(timeout=10)
    assert child.returncode == 1 and b'"unpacked":["a"]' in out
    assert os.listdir(ground.into) == ["a"]


def test_a_full_disk_is_a_quota(unpack, ground):
    answer = unpack(tar(entry("a", b"1"), entry("b", b"2" * 100_000)),
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)))
    assert answer.status == 4 and os.listdir(ground.into) == ["a"]


# Memory stays flat however large the file.

MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done)
"""


@pytest.mark.parametrize("form", ["tar", "tar.gz", "tar.zst", "zip"])
@pytest.mark.parametrize("sparse", [True, False])
def test_200_megabytes_in_flat_memory(program, ground, form, sparse, sanitized):
    size = 200 << 20
    source = ground.top / "tree"
    source.mkdir()
    with open(source / "big", "wb") as file:
        if sparse:
            file.seek(100 << 20)
            file.write(b"in the middle")
            file.truncate(size)
        else:
            piece = os.urandom(1 << 20)
            for _ in range(200):
                file.write(piece)
    archive = ground.top / "archive"
    with open(archive, "wb") as out:
        command = [program, "pack", "--format", form, source]
        packed = subprocess.run([sys.executable, "-c", MEASURE, *command],
                                stdout=out, stderr=subprocess.PIPE, **as_user())
    assert packed.returncode == 0
    with open(archive, "rb") as into:
        command = [program, "unpack", "--into", ground.into]
        done = subprocess.run([sys.executable, "-c", MEASURE, *command], stdin=into,
                              capture_output=True, **as_user())
    assert done.returncode == 0
    assert (ground.into / "big").stat().st_size == size
    assert subprocess.run(["cmp", source / "big", ground.into / "big"]).returncode == 0
    if sparse and form != "zip":
        assert archive.stat().st_size < 100_000
        assert (ground.into / "big").stat().st_blocks < 100
    if not sanitized:
        # The spawning Python counts as a child of its own before exec: some 10 MB.
        assert max(int(packed.stderr), int(done.stderr)) < 40_000  # KiB
