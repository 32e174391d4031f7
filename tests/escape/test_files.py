"""Rows S2, S3, S5–S7, S11 and S12: links, races, archives and planted files against whoever
handles a session's files from outside.

File operations are carried out by the guest, in the sandbox's own mount namespace and as its user,
so a link leads nowhere else. The tests that can see a difference from outside give the sandbox a
folder of the host, writable, with a secret beside it.
"""
import errno
import io
import json
import os
import stat
import tarfile
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from harness import host
from harness.cli import run_json
from harness.driver import Refused

MIB = 1 << 20
SECRET = "the host's own secret\n"
ARCHIVE = "/opt/atoll/guest/atoll-archive"


@pytest.fixture
def shared(tmp_path):
    """A folder of the host to give away, and a secret next to it that is not given."""
    given, secret = tmp_path / "given", tmp_path / "secret"
    given.mkdir()
    secret.mkdir()
    (secret / "file").write_text(SECRET)
    (secret / "file").chmod(0o640)
    (given / "mine").write_text("mine\n")
    yield given, secret
    assert (secret / "file").read_text() == SECRET
    assert stat.S_IMODE((secret / "file").stat().st_mode) == 0o640
    assert sorted(os.listdir(secret)) == ["file"]


# S2

def test_s2_a_write_replaces_a_planted_link(sandbox):
    """A link waits where the server writes the next script: the write takes the link's place, and
    what it pointed to is as before."""
    sandbox.shell("echo untouched >/session/target; ln -s /session/target /work/run.py; "
                  "ln -s /etc/passwd /work/run.sh; ln -s /nowhere /work/run.ts")
    for name in ("run.py", "run.sh", "run.ts"):
        sandbox.write(f"/work/{name}", b"print('script')\n")
        entry = sandbox.ask({"op": "file.stat", "path": f"/work/{name}"}).end["entry"]
        assert entry["type"] == "file"
        assert sandbox.read(f"/work/{name}") == b"print('script')\n"
    assert sandbox.read("/session/target") == b"untouched\n"
    assert b"script" not in sandbox.read("/etc/passwd")
    assert sandbox.run("python", "/work/run.py").out == "script\n"


def test_s2_a_planted_folder_link_leads_nowhere_else(sandbox):
    """A folder on the way that is a link: what lies behind it is the sandbox's own tree, where the
    user may write what the user may write anyway; the read-only rest refuses."""
    sandbox.shell("ln -s /etc /work/etc; ln -s /proc/1/root/etc /work/root; "
                  "ln -s ../../../../etc /work/up; ln -s /session /work/own")
    before = set(os.listdir("/etc"))
    for folder in ("etc", "root", "up"):
        with pytest.raises(Refused):
            sandbox.write(f"/work/{folder}/planted", b"x")
    with pytest.raises(Refused):
        sandbox.write("/work/root/cron/planted", b"x", parents=True)
    sandbox.write("/work/own/x", b"x")
    assert sandbox.read("/session/x") == b"x"
    assert set(os.listdir("/etc")) == before


def test_s2_what_is_no_file_is_not_written_to(sandbox):
    """A FIFO or a device in the place of a file is refused at once and blocks nobody."""
    sandbox.shell("mkfifo /work/fifo; ln -s /dev/full /work/device; mkdir /work/folder")
    for name in ("fifo", "device", "folder"):
        with pytest.raises(Refused):
            sandbox.write(f"/work/{name}", b"x")
    assert sandbox.python("print(1)").out == "1\n"


def test_s2_links_in_a_folder_of_the_host(shared):
    """`atoll run` puts a copy of its script into /work. Where that is a folder of the host, it goes
    elsewhere: neither a file of that name nor a link that an earlier run has left is touched."""
    given, secret = shared
    script = given.parent / "main.py"
    script.write_text("print(open('/work/mine').read(), end='')\n")
    for plant in (lambda: (given / "main.py").symlink_to(secret / "file"),
                  lambda: (given / "main.py").write_text("the host's own script\n")):
        plant()
        before = os.lstat(given / "main.py")
        result = run_json("--mount-rw", f"{given}:/work", str(script))
        assert result.get("stdout") == "mine\n", result
        assert os.lstat(given / "main.py")[:3] == before[:3]
        assert sorted(os.listdir(given)) == ["main.py", "mine"]
        (given / "main.py").unlink()


def test_s2_a_link_out_of_a_folder_of_the_host(shared):
    """Links in a folder that is shared point at names inside, where the host's secret has none."""
    given, secret = shared
    (given / "absolute").symlink_to(secret)
    (given / "relative").symlink_to("../secret")
    result = run_json("--mount-rw", f"{given}:/data/given", "--", "bash", "-c",
                      "cd /data/given; cat mine absolute/file relative/file; echo x >absolute/new; "
                      "echo x >relative/new; cat /data/secret/file; ls -d .. ../..")
    assert result["stdout"].startswith("mine\n") and SECRET not in result["stdout"]
    assert result["stderr"].count("No such file") == 5


# S3

def test_s3_remove_takes_links_and_leaves_targets(sandbox):
    """A tree full of links, hard and soft, with folders that nobody may enter: removing it removes
    names, and no target changes content, mode or owner."""
    sandbox.shell("""
mkdir -p /work/tree/deep/er /session/target
echo kept >/session/target/file; chmod 600 /session/target/file; chmod 700 /session/target
ln -s /session/target /work/tree/link; ln -s /session/target/file /work/tree/deep/file
ln /session/target/file /work/tree/deep/er/hard 2>/dev/null || ln /session/target/file /session/h
ln -s /etc /work/tree/etc; ln -s / /work/tree/deep/root; ln -s . /work/tree/loop
mkdir /work/tree/shut; touch /work/tree/shut/in; chmod 000 /work/tree/shut
""")
    before = sandbox.shell("stat -c '%a %u %h %s' /session/target /session/target/file "
                           "/etc/passwd").out
    sandbox.ask({"op": "file.remove", "path": "/work/tree", "recursive": True})
    after = sandbox.shell("stat -c '%a %u %h %s' /session/target /session/target/file /etc/passwd")
    assert after.out.replace(" 1 ", " n ").replace(" 2 ", " n ") == \
        before.replace(" 1 ", " n ").replace(" 2 ", " n ")
    assert sandbox.read("/session/target/file") == b"kept\n"
    assert sandbox.shell("ls /work/tree").end["exit_code"] != 0


def test_s3_remove_of_a_link_is_of_the_link(sandbox):
    """`recursive` on a link to a folder does not descend."""
    sandbox.shell("mkdir /session/full; touch /session/full/{a,b}; ln -s /session/full /work/link")
    sandbox.ask({"op": "file.remove", "path": "/work/link", "recursive": True})
    assert sandbox.shell("ls /session/full; ls /work/link").out == "a\nb\n"


def test_s3_nothing_of_the_host_goes_when_a_sandbox_does(shared):
    """The end of a sandbox throws its tmpfs away. A folder of the host that was mounted stays as
    it is, and so does what links in it point to."""
    given, secret = shared
    (given / "link").symlink_to(secret)
    result = run_json("--mount-rw", f"{given}:/data/given", "--", "bash", "-c",
                      "cd /data/given; mkdir d; touch d/x; ln -s /etc/passwd d/passwd; "
                      "ln mine d/hard; chmod 000 d/x; rm -rf /data/given/link")
    assert result["exit_code"] == 0, result
    assert sorted(os.listdir(given)) == ["d", "mine"]
    assert (given / "mine").read_text() == "mine\n" and (given / "mine").stat().st_nlink == 2
    # What was made inside belongs to who gave the folder.
    assert (given / "d" / "x").lstat().st_uid == given.stat().st_uid


def test_s3_no_hard_link_out_of_a_read_only_tree(sandbox):
    """A second name for a system file would outlive its protection; it cannot be made."""
    answer = sandbox.python("""
import errno, os
for source in ("/etc/passwd", "/usr/bin/env", "/opt/atoll/env/bin/python", "/proc/self/exe"):
    try:
        os.link(source, "/work/hard", follow_symlinks=False)
        print("made", source)
    except OSError as refused:
        print(errno.errorcode[refused.errno])
""")
    assert set(answer.out.split()) <= {"EXDEV", "EPERM", "EACCES", "EROFS"}


# S5

SWAP = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
os.makedirs("{0}/d", exist_ok=True)
for name in ("passwd", "file"):
    open("{0}/d/" + name, "w").write("inside")
os.symlink("{1}", "{0}/l")
print("ready", flush=True)
until = time.time() + 60
while time.time() < until:
    for _ in range(1000):
        libc.renameat2(-100, b"{0}/d", -100, b"{0}/l", 2)  # RENAME_EXCHANGE
"""


def race(sandbox, folder: str, target: str, secrets: list, seconds: float = 1.2):
    """Uses `folder`/d in every way while it turns into a link and back. Returns what was read."""
    swapping = sandbox.start({"op": "process.start", "timeout_ms": 60000,
                              "argv": ["python", "-S", "-c", SWAP.format(folder, target)]})
    assert host.eventually(lambda: sandbox.shell(f"test -e {folder}/l").end["exit_code"] == 0)
    contents, kinds = set(), set()
    until = time.monotonic() + seconds
    count = 0
    while time.monotonic() < until or len(kinds) < 2 and time.monotonic() < until + 10:
        count += 1
        for request in ({"op": "file.read", "path": f"{folder}/d/passwd"},
                        {"op": "file.read", "path": f"{folder}/d/file"},
                        {"op": "file.list", "path": f"{folder}/d", "depth": 3},
                        {"op": "file.stat", "path": f"{folder}/d"},
                        {"op": "file.remove", "path": f"{folder}/d/gone", "recursive": True}):
            answer = sandbox.start(request).result(timeout=30)
            text = json.dumps(answer)
            assert not any(secret in text for secret in secrets), answer
            contents.add(answer.get("data"))
            if request["op"] == "file.stat" and answer["ok"]:
                kinds.add(answer["end"]["entry"]["type"])
        sandbox.start({"op": "file.write", "path": f"{folder}/d/written-{count % 8}"},
                      data="x").result(timeout=30)
    assert kinds == {"directory", "symlink"}, "the probe itself failed: nothing was swapped"
    assert not swapping.done()
    return contents


@pytest.mark.parametrize("target", ["/etc", "/proc/1/root/etc", "../../../../../../etc",
                                    "/proc/self/cwd/../etc"])
def test_s5_a_folder_that_turns_into_a_link(sandbox, target):
    """The folder is exchanged for a link thousands of times a second while the host reads, lists,
    writes and removes through it: it sees the folder or the sandbox's own /etc, not the host's."""
    of_host = Path("/etc/passwd").read_text()
    of_sandbox = sandbox.read("/etc/passwd").decode()
    assert of_host != of_sandbox
    unlike = [line for line in of_host.splitlines() if line not in of_sandbox]
    before = set(os.listdir("/etc"))
    contents = race(sandbox, "/work", target, [json.dumps(line)[1:-1] for line in unlike])
    assert {"inside"} <= contents <= {"inside", of_sandbox, None, ""}
    assert set(os.listdir("/etc")) == before


@pytest.mark.root_only
def test_s5_the_same_in_a_folder_of_the_host(driver, shared):
    """Root only, since pooled sandboxes take mounts only then: the race takes place in a folder of
    the host, and the link names a secret of the host by its real path."""
    given, secret = shared
    sandbox = driver.create(mounts=[{"source": str(given), "target": "/data/given",
                                     "writable": True}])
    race(sandbox, "/data/given", str(secret), [SECRET.strip()])
    through = sandbox.shell("cat /data/given/l/file /data/given/d/file; ls /data")
    assert SECRET.strip() not in through.out
    assert "given" in through.out, "the probe itself failed"
    sandbox.destroy()


# S6

def tar_of(*members) -> bytes:
    """(name, content or None, attributes) each."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content, attributes in members:
            info = tarfile.TarInfo(name)
            info.mode = 0o644
            info.size = len(content or b"")
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content) if content else None)
    return made.getvalue()


def zip_of(*members) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return made.getvalue()


def unpack(sandbox, archive: bytes, *options: str, into: str = "/work/in"):
    sandbox.shell(f"mkdir -p {into}")
    answer = sandbox.ask({"op": "process.start", "stdin": True,
                          "argv": [ARCHIVE, "unpack", "--into", into, *options]},
                         data=archive.decode("latin-1"))
    return answer, json.loads(answer.out.splitlines()[-1])


SYMLINK, HARDLINK = {"type": tarfile.SYMTYPE}, {"type": tarfile.LNKTYPE}
CLIMBERS = {
    "names that climb": tar_of(("../evil", b"1", {}), ("a/../../evil", b"1", {})),
    "zip names that climb": zip_of(("../evil", b"1"), ("a/../../../evil", b"1")),
    "through a link": tar_of(("link", None, {**SYMLINK, "linkname": "/session"}),
                             ("link/evil", b"1", {})),
    "through a link that climbs": tar_of(("link", None, {**SYMLINK, "linkname": "../.."}),
                                         ("link/session/evil", b"1", {})),
    "a hard link out": tar_of(("hard", None, {**HARDLINK, "linkname": "/session/own"}),
                              ("hard", b"evil", {})),
    "a hard link that climbs": tar_of(("hard", None, {**HARDLINK, "linkname": "../../session/own"}),
                                      ("hard", b"evil", {})),
}


@pytest.mark.parametrize("case", CLIMBERS)
def test_s6_nothing_leaves_the_folder(sandbox, case):
    """Names with `..`, links that are written through, hard links to what is elsewhere: the entry
    is refused by name, and nothing appears or changes outside the folder."""
    sandbox.shell("echo own >/session/own")
    before = sandbox.shell("find /session /data /tmp /home -ls | sort; ls -la /work").out
    answer, report = unpack(sandbox, CLIMBERS[case])
    assert answer.end["exit_code"] == 3 and report["skipped"] and not report["ok"]
    after = sandbox.shell("find /session /data /tmp /home -ls | sort; ls -la /work").out
    assert after.count("evil") == 0
    assert [line for line in before.splitlines() if "/session/own" in line] == \
        [line for line in after.splitlines() if "/session/own" in line]
    assert sandbox.read("/session/own") == b"own\n"


def test_s6_absolute_names_land_inside(sandbox):
    """An absolute name loses its slash, in a tar and in a zip."""
    for archive in (tar_of(("/session/evil", b"1", {})), zip_of(("/session/evil", b"1"))):
        unpack(sandbox, archive)
        assert sandbox.shell("ls /session/evil").end["exit_code"] != 0
    assert sandbox.shell("cat /work/in/session/evil").out == "1"


def test_s6_no_devices_and_no_privileged_files(sandbox):
    """Device nodes are refused and set-id bits are dropped, whoever the archive calls the owner."""
    answer, report = unpack(sandbox, tar_of(
        ("disk", None, {"type": tarfile.BLKTYPE, "devmajor": 8, "devminor": 0}),
        ("memory", None, {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 1}),
        ("suid", b"#!/bin/sh\n", {"mode": 0o6755, "uid": 0, "gid": 0, "uname": "root"}),
        ("good", b"1", {})))
    assert {entry["name"] for entry in report["skipped"]} >= {"disk", "memory"}
    listed = sandbox.shell("cd /work/in; stat -c '%n %a %U %F' *").out.splitlines()
    assert listed == ["good 644 user regular file", "suid 755 user regular file"]


# S7

def test_s7_a_bomb_stops_at_the_byte_quota(sandbox):
    """A gigabyte in a megabyte of zip, or of gzipped tar: unpacking stops at the bytes it may
    write, with the status that says so; the disk is not even full."""
    body = zlib.compressobj(9, zlib.DEFLATED, 31)
    header = tarfile.TarInfo("zeros")
    header.size = 1 << 30
    bomb = body.compress(header.tobuf())
    for _ in range(256):
        bomb += body.compress(bytes(4 * MIB))
    bomb += body.flush()
    assert len(bomb) < 2 * MIB
    answer, report = unpack(sandbox, bomb, "--bytes-max", str(16 * MIB))
    assert answer.end["exit_code"] == 4 and not report["ok"] and report["error"]
    assert int(sandbox.shell("du -sb /work/in").out.split()[0]) <= 17 * MIB

    zipped = zip_of(*((f"{n}", bytes(8 * MIB)) for n in range(16)))
    answer, report = unpack(sandbox, zipped, "--bytes-max", str(16 * MIB), into="/work/zip")
    assert answer.end["exit_code"] == 4
    assert int(sandbox.shell("du -sb /work/zip").out.split()[0]) <= 17 * MIB


def test_s7_many_entries_stop_at_the_entry_quota(sandbox):
    """An archive of nothing but names stops at the number it may make."""
    many = tar_of(*((f"{n}", None, {}) for n in range(3000)))
    answer, report = unpack(sandbox, many, "--entries-max", "1000")
    assert answer.end["exit_code"] == 4 and report["entries"] <= 1000
    assert int(sandbox.shell("ls /work/in | wc -l").out) <= 1000


def test_s7_without_a_quota_the_disk_is_one(driver):
    """Told nothing, it ends where the sandbox's disk does, and the sandbox goes on."""
    sandbox = driver.create(limits={"disk_bytes_max": 32 * MIB})
    zipped = zip_of(*((f"{n}", bytes(8 * MIB)) for n in range(16)))
    answer, report = unpack(sandbox, zipped)
    assert answer.end["exit_code"] not in (0, 3) and not report["ok"]
    assert sandbox.python("print(1)").out == "1\n"
    sandbox.destroy()


def test_s7_a_zip_in_a_zip_is_just_a_file(sandbox):
    """42.zip works by being unpacked again and again; nobody here does."""
    inner = zip_of(("zeros", bytes(64 * MIB)))
    answer, report = unpack(sandbox, zip_of(*((f"{n}.zip", inner) for n in range(8))))
    assert answer.end["exit_code"] == 0 and report["entries"] == 8
    assert report["bytes"] == 8 * len(inner)


# S11

PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", "/session", "/session/artifacts",
          "/work", "/data", "/data/outputs", "/home/user", "/home/user/.cache")
# All but the system's own trees, which are read-only and large.
WRITABLE = "/tmp /var /dev /run /session /work /data /home /mnt /root /etc /sys"


def test_s11_files_do_not_pass_to_the_next_sandbox(driver):
    """Every place that can be written is empty of it in the next sandbox, in the one that waited in
    the pool meanwhile, and in a later one."""
    word = host.marker()
    first = driver.create()
    written = first.python(f"""
import os
for place in {PLACES}:
    os.makedirs(place, exist_ok=True)
    open(place + "/{word}", "w").write("{word}")
    print(place)
""").out.split()
    assert tuple(written) == PLACES
    for alive in (True, False, False):
        other = driver.create()
        found = other.shell(f"find {WRITABLE} -name '{word}*' 2>/dev/null")
        assert found.out == ""
        other.destroy()
        if alive:
            first.destroy()


def test_s11_the_space_comes_back(driver):
    """What a sandbox has written is the host's memory; it is free again once that is gone."""
    sandbox = driver.create()
    before = host.memory_of_machine("Shmem")
    sandbox.shell("for d in /tmp /dev/shm /session /run; do head -c 96M /dev/zero >$d/x; done")
    assert host.memory_of_machine("Shmem") - before > 300 * MIB  # the probe works
    sandbox.destroy()
    assert host.eventually(lambda: host.memory_of_machine("Shmem") - before < 128 * MIB)


def test_s11_atoll_run_leaves_no_file():
    """The same between two runs of the command line."""
    word = host.marker()
    write = "for d in /tmp /var/tmp /dev/shm /run /session /work ~; do echo 1 >$d/{0}; done"
    assert run_json("--", "bash", "-c", write.format(word))["exit_code"] == 0
    found = run_json("--", "bash", "-c", f"find {WRITABLE} -name {word} 2>/dev/null")
    assert found["stdout"] == ""
    assert not any(os.path.exists(f"{folder}/{word}") for folder in
                   ("/tmp", "/var/tmp", "/dev/shm", "/run"))


# S12

PLANT = """
import os, pathlib, sys, site
payload = 'import os; os.environ["PLANTED"] = "1"; print("PLANTED")'
home = pathlib.Path.home()
version = f"python{sys.version_info.major}.{sys.version_info.minor}"
tries = {
    home / ".bashrc": "echo PLANTED", home / ".profile": "echo PLANTED",
    home / ".bash_profile": "echo PLANTED", home / ".zshrc": "echo PLANTED",
    home / ".pythonrc": payload,
    home / ".ipython/profile_default/startup/00.py": payload,
    home / ".ipython/profile_default/ipython_config.py": payload,
    home / ".config/matplotlib/matplotlibrc": "backend: planted",
    home / f".local/lib/{version}/site-packages/planted.pth": payload,
    home / f".local/lib/{version}/site-packages/usercustomize.py": payload,
    home / f".local/lib/{version}/site-packages/sitecustomize.py": payload,
}
for folder in ("/session", "/work", "/tmp", "/data"):
    for name in ("sitecustomize.py", "usercustomize.py", "pandas.py", "IPython.py", "random.py"):
        tries[pathlib.Path(folder) / name] = payload
for path, content in tries.items():
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
os.environ["PYTHONSTARTUP"] = str(home / ".pythonrc")
os.environ["PYTHONPATH"] = "/session"
os.environ["BASH_ENV"] = str(home / ".bashrc")
refused = []
for folder in {*site.getsitepackages(), *(p for p in sys.path if p and not p.endswith(".zip")
                                          and not p.startswith(("/session", "/work", "/home"))),
               "/opt/atoll/guest/python", "/opt/atoll/template", "/etc", "/usr/lib/python3",
               "/opt/atoll/env/bin"}:
    if not os.path.isdir(folder):
        continue
    for name in ("planted.pth", "planted.py"):
        try:
            open(os.path.join(folder, name), "w")
            print("written:", folder)
        except OSError as error:
            refused.append(error.errno)
print(sorted(set(refused)), len(refused) > 6)
"""


def assert_clean(sandbox):
    for answer in (sandbox.run("bash", "-lic", "true"), sandbox.run("bash", "-c", "true"),
                   sandbox.run("python", "-c", "import random"),
                   sandbox.python("import os; print('PLANT' + 'ED' in os.environ.values())")):
        assert "PLANTED" not in answer.out + answer.err
        assert "planted" not in answer.err
    assert sandbox.python("import os; print('PLANTED' in os.environ)").out == "False\n"


def test_s12_what_is_planted_stays_where_it_was_planted(driver, sandbox):
    """Start-up files of Python, IPython and shells, and modules named like those that a kernel
    imports: they touch neither a neighbour, nor its new kernels, nor later sandboxes, nor the
    zygote. The trees that all share are read-only."""
    before = driver.create()
    before.python("kept = 1")
    answer = sandbox.python(PLANT)
    assert answer.out in (f"[{errno.EROFS}] True\n", f"[{errno.EACCES}] True\n",
                          f"[{errno.EACCES}, {errno.EROFS}] True\n"), answer.out + answer.err
    # The probe works: in the sandbox where it was planted, a program meets it.
    assert "PLANTED" in sandbox.run("bash", "-c", ". ~/.bashrc").out
    assert "PLANTED" in sandbox.run("python", "-c", "0", env={"PYTHONPATH": "/session"}).out
    # The neighbour, its fresh kernels, and what is forked from the zygote afterwards.
    assert_clean(before)
    before.ask({"op": "kernel.restart"})
    assert_clean(before)
    assert "PLANTED" not in before.python("1", context="another").out
    for _ in range(3):
        later = driver.create()
        assert_clean(later)
        later.destroy()
    before.destroy()
    assert driver.info()["alive"]


def test_s12_a_new_kernel_of_the_same_sandbox_starts_clean(sandbox):
    """A kernel is a fork of an interpreter that is up already: it reads no start-up file, so that a
    restart gives back what it promises even there."""
    sandbox.python(PLANT)
    sandbox.ask({"op": "kernel.restart"})
    answer = sandbox.python("import os; print(os.environ.get('PLANTED'), "
                            "os.environ.get('PYTHONSTARTUP'))")
    assert answer.out == "None None\n"


def test_s12_nothing_planted_for_the_host(shared):
    """Files planted in a folder of the host are data there: the next run over the same folder has
    a clean home, and the host runs nothing of it."""
    given, _ = shared
    witness = given / "witness"
    payload = "open('/data/given/witness', 'a').write('x')"
    run_json("--mount-rw", f"{given}:/data/given", "-c",
             f"import pathlib\nfor n in ('sitecustomize.py', 'usercustomize.py', 'x.pth'):\n"
             f"    pathlib.Path('/data/given', n).write_text({payload!r})\n")
    assert (given / "sitecustomize.py").exists()
    result = run_json("--mount-rw", f"{given}:/data/given", "-c", "print(1)")
    assert result["stdout"] == "1\n" and not witness.exists()
