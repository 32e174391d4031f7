"""A first start, without the template `default`: it is built once, in sight of whoever waits, and nothing of it is left
if it does not work out.

No package index is asked: `uv` is a program of ours that takes the packages of the template that these tests run in. It
says what it was called for, and installs when it is told to.
"""
import os
import re
import shutil
import signal
import subprocess
import uuid
from pathlib import Path

import pytest

from harness import host
from harness.cli import ATOLL, atoll
from harness.server import Server
from harness.terminal import Terminal

UV = """#!/bin/sh
echo "$1" >>"$PLAN/calls"
for last; do :; done
case $1 in
venv)
    cp -al "$TEMPLATE/env" "$last" || cp -a "$TEMPLATE/env" "$last"
    cd "$last" && rm -f lib/*/site-packages/atoll.pth lib/*/site-packages/pip/__main__.py bin/pip bin/pip3 ;;
pip)
    echo "Resolved 57 packages in 1ms" >&2
    while [ ! -e "$PLAN/go" ] && [ ! -e "$PLAN/fail" ]; do sleep 0.05; done
    if [ -e "$PLAN/fail" ]; then cat "$PLAN/fail" >&2; exit 1; fi
    echo "Installed 57 packages in 1ms" >&2 ;;
esac
"""


class First:
    """A data folder without a template, beside the one with it so that files can be links."""

    def __init__(self):
        data = Path(os.environ.get("ATOLL_DATA_DIR") or default_data())
        self.folder = data / f"first-start-{uuid.uuid4().hex[:8]}"
        self.plan, self.templates = self.folder / "plan", self.folder / "data/templates"
        self.plan.mkdir(parents=True)
        uv = self.folder / "uv"
        uv.write_text(UV)
        uv.chmod(0o755)
        self.environment = {
            **os.environ, "ATOLL_DATA_DIR": str(self.folder / "data"), "ATOLL_UV": str(uv),
            "PLAN": str(self.plan), "TEMPLATE": str((data / "templates/default").resolve())}

    def calls(self) -> list[str]:
        path = self.plan / "calls"
        return path.read_text().split() if path.exists() else []

    def go(self):
        (self.plan / "go").touch()

    def left(self) -> list[str]:
        return sorted(path.name for path in self.templates.iterdir())

    def start(self, *words) -> subprocess.Popen:
        return subprocess.Popen([ATOLL, *words], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def default_data() -> str:
    if os.geteuid() == 0:
        return "/var/lib/atoll"
    return os.environ.get("XDG_DATA_HOME", os.environ["HOME"] + "/.local/share") + "/atoll"


@pytest.fixture
def first():
    made = First()
    yield made
    shutil.rmtree(made.folder)


def test_a_server_makes_the_template_and_says_so(first, tmp_path):
    first.go()
    server = Server(tmp_path, environment=first.environment)
    try:
        session = server.session()
        assert server.run(session, "import pandas as pd; print(pd.Series([1, 2]).sum())")["stdout"] == "3\n"
    finally:
        assert server.stop() == 0
    log = (tmp_path / "log").read_text()
    steps = re.findall(r"^\S+ info template default: (.*)$", log, re.M)
    assert "is missing and is built now" in steps[0]
    for step in ("installing 16 packages", "Resolved 57 packages", "compiling bytecode", "can be preloaded"):
        assert any(step in one for one in steps), log
    assert log.index("template default:") < log.index("starting the template default") < log.index("listening on")
    assert first.left() == [".built-default-1", "default"]
    # The second start finds it.
    before = first.calls()
    assert atoll("run", "-c", "print(6 * 7)", env=first.environment).stdout == b"42\n"
    assert first.calls() == before


def test_several_at_once_make_one(first):
    one = first.start("run", "-c", "print('one')")
    assert host.eventually(lambda: "pip" in first.calls(), 60)
    other = first.start("run", "-c", "print('other')")
    assert "waiting for another process" in other.stderr.readline()
    first.go()
    said = one.communicate(timeout=200)
    assert said[0] == "one\n" and one.returncode == 0, said
    said = other.communicate(timeout=200)
    assert said[0] == "other\n" and other.returncode == 0, said
    assert first.calls() == ["venv", "pip"]


def test_who_waits_takes_over_from_one_that_died(first):
    one = first.start("run", "-c", "print('one')")
    assert host.eventually(lambda: "pip" in first.calls(), 60)
    other = first.start("run", "-c", "print('other')")
    assert "waiting for another process" in other.stderr.readline()
    one.kill()
    one.communicate(timeout=60)
    first.go()
    said = other.communicate(timeout=200)
    assert said[0] == "other\n" and other.returncode == 0, said
    assert first.left() == [".built-default-1", "default"]


@pytest.mark.parametrize("words", [("serve", "--listen", "127.0.0.1:0"), ("run", "-c", "1")])
def test_ctrl_c_leaves_nothing(first, words):
    process = first.start(*words)
    assert host.eventually(lambda: "pip" in first.calls(), 60)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT, said
    assert "stopping; removing partial files" in said[1] and said[0] == ""
    assert first.left() == []
    assert not host.with_argument(str(first.folder / "uv"))


@pytest.mark.parametrize("words, status", [(("serve", "--listen", "127.0.0.1:0"), 1), (("run", "-c", "1"), 125)])
def test_without_a_package_index(first, words, status):
    """A sentence that says what was wanted, what is wrong, and what to do."""
    (first.plan / "fail").write_text("error: Failed to fetch: `https://index.example/simple/pandas/`\n"
                                     "  Caused by: dns error\n")
    done = atoll(*words, env=first.environment)
    said = done.stderr.decode()
    assert done.returncode == status, said
    assert done.stdout == b""
    last = said.splitlines()[-1] if words[0] == "run" else next(
        line for line in said.splitlines() if line.startswith("atoll serve: "))
    for part in ("build the missing template default", "the package index could not be reached",
                 "index.example", "HTTPS_PROXY", "UV_INDEX_URL", "atoll template build default"):
        assert part in last, said
    assert first.calls().count("pip") == 3 and first.left() == []
    # What fails once is tried again at the next start.
    (first.plan / "fail").unlink()
    first.go()
    assert atoll("run", "-c", "print(6 * 7)", env=first.environment).stdout == b"42\n"


def test_on_a_terminal_the_seconds_of_a_step_are_shown(first, monkeypatch):
    for name, value in first.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("harness.terminal.WITHIN_S", 200)  # what follows imports pandas
    terminal = Terminal("run", "-c", "print('it' + ' runs')")
    try:
        terminal.expect(r"is built now, once")
        terminal.expect(r"Resolved 57 packages in 1ms [1-9][0-9]* s")
        first.go()
        terminal.expect(r"it runs")
    finally:
        terminal.close()
    assert "template default:" not in terminal.seen  # that is the log's


def test_only_the_default_is_made(first):
    done = atoll("run", "--template", "other", "-c", "1", env=first.environment)
    assert done.returncode == 125 and b"template other does not exist" in done.stderr
    assert first.calls() == []
