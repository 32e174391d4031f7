"""Goal: no archive puts anything outside the directory, makes a device or a setuid file, or costs
more than it may. Method: each trick as a real archive; then look around from outside."""
import gzip
import os
import stat
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib

import pytest

from conftest import as_user
from make import (END, directory, entry, hardlink, pax_header, raw_tar_header, symlink, tar,
                  zip_mode, zipped)

ESCAPES = ["../secret", "../../outside/x", "a/../../secret", "a/b/../../../secret", "..",
           "./../secret", "a/.."]


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_name_that_climbs_is_refused(unpack, ground, kind, name):
    bad = tar(entry(name, b"evil"), entry("good", b"1")) if kind == "tar" else zipped(
        (name, b"evil"), ("good", b"1"))
    answer = unpack(bad)
    assert answer.status == 3 and len(answer.skipped) == 1
    assert answer.skipped[0]["name"] == name and ".." in answer.skipped[0]["why"]
    assert os.listdir(ground.into) == ["good"]
    ground.untouched()


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_an_absolute_name_lands_beneath(unpack, ground, kind):
    name = f"{ground.outside}/x"
    assert unpack(tar(entry(name, b"1")) if kind == "tar" else zipped((name, b"1"))).status == 0
    assert (ground.into / name.lstrip("/")).read_bytes() == b"1"
    ground.untouched()


def test_backslashes_are_no_way_up(unpack, ground):
    unpack(zipped(("..\\..\\outside\\x", b"1"), ("..\\secret", b"1")))
    ground.untouched()


THROUGH = {
    "file": [entry("link/x", b"evil")],
    "directory": [directory("link/x")],
    "deep": [entry("link/a/b/c", b"evil")],
    "over it as a directory": [directory("link"), entry("link/x", b"evil")],
    "symlink": [symlink("link/x", "y")],
    "hardlink": [entry("mine", b"1"), hardlink("link/x", "mine")],
}


@pytest.mark.parametrize("case", THROUGH)
@pytest.mark.parametrize("target", ["absolute", "../../outside"])
def test_nothing_goes_through_a_symlink(unpack, ground, case, target):
    target = str(ground.outside) if target == "absolute" else target
    answer = unpack(tar(symlink("link", target), *THROUGH[case]))
    assert answer.status == 3
    assert "symbolic link" in answer.skipped[0]["why"]
    assert os.readlink(ground.into / "link") == target
    ground.untouched()


def test_a_file_replaces_a_symlink_and_does_not_write_through_it(unpack, ground):
    answer = unpack(tar(symlink("x", "../secret"), entry("x", b"new")))
    assert answer.status == 0
    assert not (ground.into / "x").is_symlink() and (ground.into / "x").read_bytes() == b"new"
    ground.untouched()


@pytest.mark.parametrize("name, target, stays", [
    ("l", "x", True), ("l", ".", True), ("l", "a/b", True), ("a/l", "..", True), ("a/b/l", "../../x", True),
    ("l", "..", False), ("l", "/", False), ("l", "/etc/passwd", False), ("a/l", "../..", False),
    ("a/b/l", "../../../x", False), ("l", "x/..", False), ("l", "a/../..", False), ("a/b/l", "../x/../..", False)])
def test_onto_a_host_come_only_links_that_stay_inside(unpack, ground, name, target, stays):
    answer = unpack(tar(symlink(name, target), entry("good", b"1")), "--onto-host")
    assert answer.status == (0 if stays else 3)
    assert os.path.lexists(ground.into / name) == stays and (ground.into / "good").exists()
    if not stays:
        assert "leads out" in answer.skipped[0]["why"]
    ground.untouched()


def test_onto_a_host_links_of_links_lead_nowhere_else(unpack, ground):
    """Each stays inside by its letters; through the one before, the second would not."""
    answer = unpack(tar(directory("x"), directory("x/y"), symlink("x/y/top", "../.."),
                        symlink("out", "x/y/top/../../outside")), "--onto-host")
    assert answer.status == 3 and [one["name"] for one in answer.skipped] == ["out"]


def test_onto_a_host_only_a_plain_tar_and_modes_of_a_person(unpack, ground):
    plain = tar(entry("x", b"1", mode=0o6777), directory("d", mode=0))
    assert unpack(gzip.compress(plain), "--onto-host").status == 1
    assert unpack(zipped(("x", b"1")), "--onto-host").status == 1
    assert os.listdir(ground.into) == []
    assert unpack(plain, "--onto-host", umask=0o027).status == 0
    assert (ground.into / "x").stat().st_mode & 0o7777 == 0o750
    assert (ground.into / "d").stat().st_mode & 0o7777 == 0o700


def test_a_symlink_in_a_zip_is_one_and_is_not_followed(unpack, ground):
    answer = unpack(zipped((zip_mode("link", stat.S_IFLNK | 0o777), str(ground.outside)),
                           ("link/x", b"evil")))
    assert answer.status == 3 and os.readlink(ground.into / "link") == str(ground.outside)
    ground.untouched()


def test_a_link_that_was_there_before_is_not_followed(unpack, ground):
    (ground.into / "old").symlink_to(ground.outside)
    assert unpack(tar(entry("old/x", b"evil"))).status == 3
    ground.untouched()


@pytest.mark.parametrize("target", ["../secret", "SECRET", "standing", "link", "missing", "folder",
                                    "x", "dirlink/secret"])
def test_hard_links_lead_only_to_what_was_unpacked(unpack, ground, target):
    (ground.into / "standing").write_text("not from the archive")
    (ground.into / "standing").chmod(0o666)
    target = str(ground.top / "outer/secret") if target == "SECRET" else target
    answer = unpack(tar(symlink("link", "../secret"), symlink("dirlink", ".."), directory("folder"),
                        hardlink("x", target), entry("x", b"over it")))
    assert answer.status == 3 and len(answer.skipped) == 1
    assert (ground.into / "standing").read_text() == "not from the archive"
    assert (ground.into / "standing").stat().st_nlink == 1
    ground.untouched()


def test_hard_links_within_the_archive_work(unpack, ground):
    answer = unpack(tar(entry("d/a", b"1"), hardlink("b", "d/a"), hardlink("b", "d/a"),
                        hardlink("d/a", "d/a"), hardlink("c", "/b")))
    assert answer.status == 0 and answer.entries == 5
    assert (ground.into / "c").stat().st_nlink == 3
    assert sorted(os.listdir(ground.into)) == ["b", "c", "d"]
    ground.untouched()


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_no_devices_and_no_fifos(unpack, ground, kind):
    answer = unpack(tar(entry("x", type=kind, devmajor=1, devminor=3, mode=0o666)))
    assert answer.status == 3 and answer.entries == 0 and os.listdir(ground.into) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root could make one at all")
def test_no_devices_even_as_root(program, ground):
    bad = tar(entry("x", type=tarfile.CHRTYPE, devmajor=1, devminor=3))
    done = subprocess.run([program, "unpack", "--into", ground.into], input=bad,
                          capture_output=True)
    assert done.returncode == 3 and os.listdir(ground.into) == []


def test_no_setuid_setgid_or_sticky(unpack, ground):
    assert unpack(tar(entry("f", b"1", mode=0o7755), directory("d", 0o7777))).status == 0
    assert unpack(zipped((zip_mode("z", stat.S_IFREG | 0o6755), b"1"))).status == 0
    for name, mode in {"f": 0o755, "d": 0o777, "z": 0o755}.items():
        assert stat.S_IMODE((ground.into / name).stat().st_mode) == mode
    assert (ground.into / "f").stat().st_uid != 0 or os.getuid() == 0


@pytest.mark.parametrize("name", [b"new\nline", b"\xff\xfe bad", b"\x1b[2Jclear", b"quote\"\\",
                                  "r\u202etl ü".encode(), b"n" * 255, b"-rf", b" ", b"a\\b"])
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_odd_names_are_kept(unpack, ground, name, form):
    assert unpack(tar(entry(os.fsdecode(name), b"1"), form=form)).status == 0
    assert os.listdir(os.fsencode(ground.into)) == [name]


def test_odd_names_do_not_break_the_report(unpack):
    bad = [b"../\xff\n\x1b[2J", b"../" + b"n" * 5000, "../ü".encode()]
    answer = unpack(tar(*(entry(os.fsdecode(name)) for name in bad)))
    assert [skipped["name"][:16] for skipped in answer.skipped] == [
        "../\\xff\\x0a\\x1b[", "../nnnnnnnnnnnnn", "../ü"]
    assert len(answer.skipped[1]["name"]) < 600


@pytest.mark.parametrize("value", [b"a\0../../secret", b"../secret\0a", b"\0../secret", b""])
def test_names_with_nul(unpack, ground, value):
    file = raw_tar_header(b"plain", 1) + b"1".ljust(512, b"\0")
    unpack(pax_header((b"path", value)) + file + END)
    ground.untouched()
    same_length = "N" * len(value)
    if value:
        unpack(zipped((same_length, b"1")).replace(same_length.encode(), value))
    ground.untouched()


@pytest.mark.parametrize("part, times",
                         [("n", 256), ("d/", 2100), ("p/", 600_000), ("n", 2 << 20)])
def test_names_that_are_too_long(unpack, ground, part, times):
    name = part * times + "x"
    answer = unpack(tar(entry(name, b"1"), entry("good", b"1"), form=tarfile.GNU_FORMAT))
    assert answer.status in (1, 3)  # beyond a megabyte the parser itself gives up
    ground.untouched()


def test_depth_counts_as_entries(unpack, ground):
    deep = (entry(f"{i}/" + "d/" * 500 + "x") for i in range(10))
    answer = unpack(tar(*deep), "--entries-max", 1000)
    assert answer.status == 4
    assert sum(len(dirs) + len(files) for _, dirs, files in os.walk(ground.into)) <= 1001


def test_duplicates_the_last_wins_or_the_first_stays(unpack, ground):
    twice = tar(entry("x", b"1"), entry("x", b"2"), entry("./x", b"3"))
    assert unpack(twice).status == 0 and (ground.into / "x").read_bytes() == b"3"
    (ground.into / "x").unlink()
    answer = unpack(twice, "--keep")
    assert answer.status == 0 and len(answer.skipped) == 2
    assert (ground.into / "x").read_bytes() == b"1"


def test_a_file_in_the_place_of_a_directory_and_back(unpack, ground):
    answer = unpack(tar(directory("d"), entry("d/x", b"1"), entry("d", b"file"), entry("f", b"1"),
                        entry("f/x", b"1"), directory("f")))
    assert answer.status == 3 and len(answer.skipped) == 3
    assert (ground.into / "d/x").read_bytes() == (ground.into / "f").read_bytes() == b"1"
    ground.untouched()


# What it costs.

def zeros_in_tar_gz(size, name=b"bomb"):
    """A member of `size` zeros, a thousandth of that as gzip."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = squeeze.compress(raw_tar_header(name, size))
    for _ in range(size >> 20):
        out += squeeze.compress(bytes(1 << 20))
    return out + squeeze.compress(END) + squeeze.flush()


@pytest.mark.parametrize("name", [b"bomb", b"../bomb"])
def test_a_gzip_bomb_stops_at_the_quota(unpack, ground, name):
    answer = unpack(zeros_in_tar_gz(256 << 20, name), "--bytes-max", 10 << 20)
    assert answer.status == 4 and "10485760 bytes" in answer.error
    assert os.listdir(ground.into) == []


def test_what_was_there_before_the_quota_is_named(unpack, ground):
    answer = unpack(tar(entry("a", b"1" * 600), entry("b", b"2" * 600)), "--bytes-max", 1000)
    assert (answer.status, answer.unpacked, answer.bytes) == (4, ["a"], 600)
    assert os.listdir(ground.into) == ["a"]


@pytest.mark.parametrize("name", ["bomb", "../bomb"])
def test_a_zip_whose_sizes_lie(unpack, ground, name):
    body = bytes(50 << 20)
    bomb = zipped((name, body)).replace(struct.pack("<I", len(body)), struct.pack("<I", 10))
    answer = unpack(bomb, "--bytes-max", 1 << 20)
    assert answer.status in (3, 4) and os.listdir(ground.into) == []


def test_a_zip_of_one_body_under_many_names(unpack, ground):
    """As in the bombs that need no nesting: all entries of the table point at one body."""
    whole = zipped(("0000", bytes(1 << 20)))
    table_at = whole.index(b"PK\1\2")
    end_at = whole.index(b"PK\5\6")
    row, count = whole[table_at:end_at], 2000
    table = b"".join(row.replace(b"0000", b"%04d" % i) for i in range(count))
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, count, count, len(table), table_at, 0)
    answer = unpack(whole[:table_at] + table + end, "--bytes-max", 20 << 20)
    # libarchive takes entries at one place for one entry; other readers would give all 2000.
    assert answer.bytes <= 20 << 20 and len(os.listdir(ground.into)) <= 20
    ground.untouched()


def test_ten_million_entries(program, ground):
    """As an endless stream, so that it is the quota that ends it."""
    unpacker = subprocess.Popen([program, "unpack", "--into", ground.into, "--entries-max", "5000"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, **as_user())
    sent = 0
    try:
        for i in range(10_000_000):
            unpacker.stdin.write(raw_tar_header(b"%d" % i))
            sent += 1
    except BrokenPipeError:
        pass
    assert unpacker.wait(30) == 4 and sent < 20_000
    assert len(os.listdir(ground.into)) == 5000


def test_refused_entries_count_too(unpack):
    assert unpack(raw_tar_header(b"../x") * 5000 + END, "--entries-max", 1000).status == 4


def test_headers_that_never_end(unpack):
    # Some 500 kB of header for each empty file.
    one = pax_header((b"comment", b"c" * 500_000)) + raw_tar_header(b"x")
    answer = unpack(gzip.compress(one * 100 + END, 1), "--bytes-max", 1000, "--entries-max", 200)
    assert answer.status == 4 and "headers" in answer.error


def test_headers_upon_headers(unpack, ground):
    unpack(raw_tar_header(b"x", 0, b"x") * 20000 + raw_tar_header(b"x") + END)
    ground.untouched()


@pytest.mark.parametrize("size", [1 << 40, 1 << 62, (1 << 63) - 1])
def test_a_header_that_promises_too_much(unpack, ground, size):
    answer = unpack(raw_tar_header(b"big", size) + b"x" * 2048)
    assert answer.status in (1, 4) and os.listdir(ground.into) == []


def test_a_header_that_promises_more_than_comes(unpack, ground):
    answer = unpack(raw_tar_header(b"x", 100_000) + b"x" * 2048)
    assert answer.status == 1 and "runcated" in answer.error and os.listdir(ground.into) == []


def sparse_pax(real_size, *extents, body=b""):
    spots = b"%d\n" % len(extents) + b"".join(b"%d\n%d\n" % extent for extent in extents)
    body = spots.ljust(-(-len(spots) // 512) * 512, b"\0") + body
    return (pax_header((b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"),
                       (b"GNU.sparse.name", b"sparse"), (b"GNU.sparse.realsize", b"%d" % real_size))
            + raw_tar_header(b"x", len(body)) + body + b"\0" * (-len(body) % 512) + END)


@pytest.mark.parametrize("case", [
    (1 << 60, [(0, 4)]), (1 << 60, [((1 << 60) - 4, 4)]), (100, [(1 << 60, 4)]),
    (100, [(50, 4), (10, 4)]), (100, [(0, 4), (0, 4)]), (100, [(0, 1 << 62)]), (100, [(-5, 4)]),
    ((1 << 63) - 1, [((1 << 63) - 4, 4)])])
def test_sparse_tricks(unpack, ground, case):
    size, extents = case
    answer = unpack(sparse_pax(size, *extents, body=b"data" * len(extents)), "--bytes-max", 1 << 30)
    assert answer.status in (1, 3, 4) or (ground.into / "sparse").stat().st_size <= 1 << 30
    assert sum(path.stat().st_blocks for path in ground.into.iterdir()) < 1000
    ground.untouched()


def test_an_honest_sparse_file(unpack, ground):
    assert unpack(sparse_pax(1 << 20, (4096, 4), ((1 << 20) - 4, 4), body=b"datamore")).status == 0
    body = (ground.into / "sparse").read_bytes()
    assert len(body) == 1 << 20 and body[4096:4100] == b"data" and body[-4:] == b"more"
    assert body.count(0) == (1 << 20) - 8


def test_a_dictionary_as_large_as_memory(unpack, ground, sanitized):
    """An xz of 200 bytes that asks for 512 MB to be read with."""
    good = bytearray(tar(entry("x", b"1"), mode="w:xz"))
    header = 12  # the first block's, after the stream's
    size = (good[header] + 1) * 4
    assert good[header + 2] == 0x21  # LZMA2; a byte of properties follows its length
    good[header + 4] = 34
    end = header + size - 4
    good[end:end + 4] = struct.pack("<I", zlib.crc32(good[header:end]))
    if not sanitized:
        assert unpack(bytes(good)).status == 1
        assert os.listdir(ground.into) == []


# Damage.

def test_a_wrong_checksum(unpack, ground):
    good = zipped(("x", b"content!"), ("y", b"1"), method=zipfile.ZIP_STORED)
    answer = unpack(good.replace(b"content!", b"CONTENT!"))
    assert answer.status == 3 and os.listdir(ground.into) == ["y"]


def test_every_cut_and_a_thousand_flips(unpack, ground):
    import random
    dice = random.Random(7)
    for whole in (tar(entry("a/b", b"1" * 700), symlink("l", "../secret"), hardlink("h", "a/b")),
                  zipped(("a/b", b"1" * 700), ("c", b"2")),
                  tar(entry("a", b"1" * 700), mode="w:xz")):
        for _ in range(60):
            broken = bytearray(whole)
            for _ in range(dice.randrange(1, 6)):
                broken[dice.randrange(len(broken))] = dice.randrange(256)
            unpack(bytes(broken), "--bytes-max", 1 << 20)
            unpack(whole[:dice.randrange(len(whole))], "--bytes-max", 1 << 20)
    assert (ground.top / "outer/secret").read_text() == "untouched"
    assert os.listdir(ground.outside) == []


@pytest.mark.parametrize("noise", [b"", b"PK\3\4", b"PK\5\6", b"7z\xbc\xaf\x27\x1c" + b"\xff" * 100,
                                   b"hello", b"#mtree\n./x type=file content=/etc/passwd\n"])
def test_what_is_no_archive(unpack, ground, noise):
    answer = unpack(noise)
    assert (answer.status, answer.entries) == (1, 0) and answer.error
    assert os.listdir(ground.into) == []


# Somebody else at work in the same directory.

SWAP = """
import ctypes, os, sys
into, outside = sys.argv[1:]
os.chdir(into)
os.symlink(outside, "link")
swap = ctypes.CDLL(None).renameat2
print(flush=True)
while True:
    swap(-100, b"d", -100, b"link", 2)  # AT_FDCWD, RENAME_EXCHANGE
"""


@pytest.mark.parametrize("without_openat2", [False, True])
def test_a_directory_swapped_for_a_link_in_a_loop(program, unpack, ground, without_openat2):
    (ground.into / "d").mkdir()
    (ground.into / "d").chmod(0o777)
    swapper = subprocess.Popen([sys.executable, "-c", SWAP, ground.into, ground.outside],
                               stdout=subprocess.PIPE, **as_user())
    swapper.stdout.readline()
    # The two parents in turn, so that the swapped one is opened anew each time.
    many = tar(*(e for i in range(3000) for e in (entry(f"d/{i}", b"1"), directory(f"d/s{i}"),
                                                  entry(f"e/{i}", b"1"))))
    command = [program, "unpack", "--into", ground.into]
    if without_openat2:
        command = [sys.executable, "-c", NO_OPENAT2, *command]
    try:
        end = time.monotonic() + 4
        refused = 0
        while time.monotonic() < end:
            done = subprocess.run(command, input=many, capture_output=True, **as_user())
            assert done.returncode in (0, 3), done
            refused += done.stdout.count(b"symbolic link") + done.stdout.count(b"Not a directory")
            assert os.listdir(ground.outside) == []
    finally:
        swapper.kill()
        swapper.wait()
    assert refused > 0, "the race was never met"


NO_OPENAT2 = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, 437), (6, 0, 0, 0x00050000 | 38), (6, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
program = Program(len(rules), ctypes.addressof(code))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_without_openat2_links_are_refused_as_well(program, ground):
    bad = tar(symlink("link", str(ground.outside)), entry("link/x", b"evil"), entry("a/b/c", b"1"))
    command = [program, "unpack", "--into", ground.into]
    done = subprocess.run([sys.executable, "-c", NO_OPENAT2, *command], input=bad,
                          capture_output=True, **as_user())
    assert done.returncode == 3, done
    assert (ground.into / "a/b/c").read_bytes() == b"1"
    ground.untouched()
