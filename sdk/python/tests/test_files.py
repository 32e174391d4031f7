"""Files: bytes, text, folders, archives, watches; names of any kind."""

import contextlib
import io
import tarfile

import pytest

from atoll import AtollError, DiskFull, NotFound, TooLarge
from atoll._archives import unpack


def test_write_and_read(sandbox):
    made = sandbox.files.write("deep/er/ä b%.txt", "größe\n")
    assert made.path == "/session/deep/er/ä b%.txt" and made.size == 8
    assert sandbox.files.read("deep/er/ä b%.txt") == "größe\n".encode()
    assert sandbox.files.read_text("/session/./deep//er/ä b%.txt") == "größe\n"
    assert sandbox.files.stat("deep").is_folder and not sandbox.files.exists("nothing")
    assert sandbox.files.write("run", b"#!", mode="0755").mode == "0755"
    with pytest.raises(NotFound):
        sandbox.files.read("nothing")
    with pytest.raises(AtollError, match="folder"):
        sandbox.files.read("deep")
    with pytest.raises(AtollError, match="not a folder"):
        sandbox.files.list("run")


@pytest.mark.parametrize("path", ["../../../info", "/..", "a/../b"])
def test_a_path_leads_to_no_other_address(client, sandbox, path):
    """A model may have written it, and the key opens more than files."""
    with pytest.raises(ValueError, match="dots"):
        sandbox.files.read(path)
    with pytest.raises(ValueError, match="dots"):
        sandbox.ports.request(8000, path)
    with pytest.raises(ValueError, match="dots"):
        sandbox.ports.request(8000, path.replace("..", "%2E%2e"))
    with pytest.raises(ValueError, match="dots"):
        client.output("r-1", path)
    with pytest.raises(ValueError, match="dots"):
        client.sessions.delete("..")


def test_names_that_are_no_text(sandbox):
    sandbox.shell("mkdir odd && touch $'odd/\\xff?#'")
    (found,) = sandbox.files.list("odd")
    assert found.path == "/session/odd/\udcff?#"
    assert sandbox.files.read(found.path) == b""
    sandbox.files.move(found.path, "odd/plain")
    assert [one.name for one in sandbox.files.list("odd")] == ["plain"]


def test_list_make_move_remove(sandbox, monkeypatch):
    monkeypatch.setattr("atoll.files._PAGE", 3)
    for i in range(8):
        sandbox.files.write(f"many/{i}", "")
    assert [one.name for one in sandbox.files.list("many")] == list("01234567")
    assert len(sandbox.files.list("many", limit=4)) == 4
    assert sandbox.files.make_folder("made/below").is_folder
    assert sandbox.files.move("many/0", "made/below/0").path == "/session/made/below/0"
    sandbox.files.remove("made/below/0")
    with pytest.raises(AtollError):
        sandbox.files.remove("many")
    sandbox.files.remove("many", recursive=True)
    assert not sandbox.files.exists("many")


def test_upload_and_download(sandbox, tmp_path):
    (tmp_path / "here/sub").mkdir(parents=True)
    (tmp_path / "here/sub/f").write_bytes(bytes(range(256)) * 5000)
    (tmp_path / "one.txt").write_text("one")
    assert sandbox.files.upload(tmp_path / "one.txt").path == "/session/one.txt"
    assert sandbox.files.upload(tmp_path / "here", "/session/there").is_folder
    assert sandbox.shell("wc -c < there/sub/f").stdout.strip() == str(256 * 5000)
    back = sandbox.files.download("there", tmp_path / "back")
    assert (back / "sub/f").read_bytes() == (tmp_path / "here/sub/f").read_bytes()
    (tmp_path / "folder").mkdir()
    assert sandbox.files.download("one.txt", tmp_path / "folder").read_text() == "one"
    with pytest.raises(NotFound):
        sandbox.files.download("nothing", tmp_path / "nothing")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["back", "folder", "here", "one.txt"]


def test_a_hostile_folder_stays_in_its_place(sandbox, tmp_path):
    """A sandbox packs what is downloaded; a link that leads out must not be followed or made."""
    sandbox.shell("mkdir -p bad && echo y > bad/file && ln -s /etc bad/out")
    with pytest.raises(AtollError, match="leads out of the folder, to '/etc'"):
        sandbox.files.download("bad", tmp_path / "bad")
    assert list((tmp_path / "bad").iterdir()) == []
    sandbox.shell("rm bad/out; ln -s file bad/link; mkdir bad/d; ln -s ../file bad/d/up")
    sandbox.files.download("bad", tmp_path / "bad")
    assert (tmp_path / "bad/d/up").read_text() == (tmp_path / "bad/link").read_text() == "y\n"


def entry(name, kind=tarfile.REGTYPE, link="", data=b""):
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size, member.mode = kind, link, len(data), 0o4755
    return member, io.BytesIO(data)


@pytest.mark.parametrize("attack", [
    [entry("../out", data=b"x")],
    [entry("a/../../out", data=b"x")],
    [entry("/tmp/out", data=b"x")],
    [entry("l", tarfile.SYMTYPE, "..")],
    [entry("d/l", tarfile.SYMTYPE, "../../out")],
    [entry("d/l", tarfile.SYMTYPE, ".."), entry("m", tarfile.SYMTYPE, "d/l/../out")],
    [entry("dev", tarfile.CHRTYPE)],
    [entry("fifo", tarfile.FIFOTYPE)],
    [entry("hard", tarfile.LNKTYPE, "../out")],
])
def test_archives_that_lead_out_are_refused(tmp_path, attack):
    target = tmp_path / "target"
    target.mkdir()
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for member, data in attack:
            archive.addfile(member, data)
    with pytest.raises(AtollError):
        unpack(tmp_path / "a.tar", target)
    assert list(target.iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.tar", "target"]


def test_no_file_is_written_through_a_link(tmp_path):
    target, outside = tmp_path / "target", tmp_path / "outside"
    target.mkdir()
    outside.mkdir()
    (target / "d").symlink_to(outside)  # of an earlier time
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for member, data in (entry("l", tarfile.SYMTYPE, "d"), entry("l/f", data=b"x"),
                             entry("d/g", data=b"y")):
            archive.addfile(member, data)
    with contextlib.suppress(AtollError, OSError):
        unpack(tmp_path / "a.tar", target)
    assert list(outside.iterdir()) == []
    assert (target / "d/g").read_bytes() == b"y"
    assert (target / "d/g").stat().st_mode & 0o7000 == 0  # no setuid


def test_archives(sandbox, tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("top/a.txt")
        member.size = 2
        archive.addfile(member, io.BytesIO(b"hi"))
    (tmp_path / "a.tgz").write_bytes(packed.getvalue())
    assert sandbox.files.unpack(tmp_path / "a.tgz", "unpacked", strip=1).entries >= 1
    assert sandbox.files.read("unpacked/a.txt") == b"hi"
    sandbox.files.upload(tmp_path / "a.tgz", "a.tgz")
    sandbox.files.extract("a.tgz", "extracted")
    assert sandbox.files.read("extracted/top/a.txt") == b"hi"


def test_watch(sandbox):
    sandbox.files.make_folder("watched")
    # The process writes again and again, so whenever the watch begins, there is a change.
    writer = sandbox.processes.start("while :; do echo x > watched/new; sleep 0.05; done")
    with sandbox.files.watch("watched") as changes:
        assert next(changes).path == "/session/watched/new"
    writer.kill()


def test_a_full_disk_is_an_exception_of_its_own(client):
    with client.sandbox(limits={"disk_bytes_max": 4 << 20}) as small:
        with pytest.raises((DiskFull, TooLarge)):
            small.files.write("big", bytes(8 << 20))
        assert small.files.write("small", b"x").size == 1
