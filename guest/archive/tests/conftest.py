"""Drives the built atoll-archive from outside. ATOLL_ARCHIVE names it; else the build folders are
searched."""
import json
import os
import pathlib
import subprocess
from types import SimpleNamespace

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
OVERFLOW_USER = 65534  # as root, nothing is unreadable; the program never runs as root in earnest


def find_program():
    named = os.environ.get("ATOLL_ARCHIVE")
    builds = [named] if named else [
        ROOT / "build" / preset / "guest/atoll-archive" for preset in ("release", "dev", "asan")]
    for path in builds:
        if path and pathlib.Path(path).exists():
            return str(path)
    pytest.skip("atoll-archive is not built")


def as_user(**more):
    if os.getuid() == 0:
        more |= {"user": OVERFLOW_USER, "group": OVERFLOW_USER, "extra_groups": []}
    return more


@pytest.fixture(scope="session")
def program():
    return find_program()


@pytest.fixture(scope="session")
def sanitized(program):
    """Such a build has its own idea of memory."""
    return b"__asan_init" in pathlib.Path(program).read_bytes()


@pytest.fixture
def ground(tmp_path):
    """A directory to unpack into, with neighbours that must stay as they are."""
    into = tmp_path / "outer" / "into"
    into.mkdir(parents=True)
    (tmp_path / "outer" / "secret").write_text("untouched")
    outside = tmp_path / "outside"
    outside.mkdir()
    for path in (tmp_path, tmp_path / "outer", into, outside):
        path.chmod(0o777)
    (tmp_path / "outer" / "secret").chmod(0o666)
    for path in tmp_path.parents:  # pytest's own folders are closed to other users
        if path.stat().st_uid == os.getuid() and str(path).startswith("/tmp/pytest"):
            path.chmod(0o755)

    def untouched():
        assert sorted(os.listdir(tmp_path)) == ["outer", "outside"]
        assert sorted(os.listdir(tmp_path / "outer")) == ["into", "secret"]
        assert os.listdir(outside) == []
        secret = tmp_path / "outer" / "secret"
        assert secret.read_text() == "untouched" and secret.stat().st_nlink == 1
        left = [name for _, dirs, files in os.walk(into) for name in dirs + files]
        assert not [name for name in left if name.startswith(".atoll-unpack-")]

    return SimpleNamespace(into=into, outside=outside, top=tmp_path, untouched=untouched)


@pytest.fixture
def unpack(program, ground):
    def run(archive, *options, into=ground.into, **more):
        done = subprocess.run([program, "unpack", "--into", into, *map(str, options)],
                              input=archive, capture_output=True, timeout=120, **as_user(**more))
        assert done.stderr == b"", done.stderr
        assert done.stdout.count(b"\n") == 1
        answer = json.loads(done.stdout)
        assert answer["ok"] == (done.returncode == 0)
        return SimpleNamespace(status=done.returncode, **answer)
    return run


@pytest.fixture
def pack(program):
    def run(*arguments, **more):
        done = subprocess.run([program, "pack", *arguments], capture_output=True, timeout=120,
                              **as_user(**more))
        return SimpleNamespace(status=done.returncode, archive=done.stdout,
                               notes=done.stderr.decode())
    return run
