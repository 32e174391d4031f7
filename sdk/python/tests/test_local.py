"""A server of this process's own: found, started, shared, stopped."""

import io
import logging
import os
import subprocess
import sys

import pytest

from atoll import Client, ConnectionFailed, LocalServer, LocalServerError, Sandbox
from atoll._local import _carried, find_program

# Port 8000 may be in use on this machine; the programs below look for a server at a port of ours.
ALONE = """
import socket
from atoll import _local
taken = socket.socket(); taken.bind(("127.0.0.1", 0))
_local.DEFAULT_URL = "http://127.0.0.1:%d" % taken.getsockname()[1]
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          timeout=280, env={**os.environ, **environment})


def test_starts_one_and_stops_it_at_exit(tmp_path):
    ran = run(ALONE + "from atoll import Sandbox\n"
              "with Sandbox(local=True) as a, Sandbox(local=True) as b:\n"
              "    assert a.client.url == b.client.url\n"
              "    print(a.run('6 * 7').text, _local._shared.process.pid)\n", TMPDIR=str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    answer, pid = ran.stdout.split()
    assert answer == "42"
    assert not os.path.exists(f"/proc/{pid}")
    assert list(tmp_path.iterdir()) == []


def test_uses_one_that_runs(server, monkeypatch):
    monkeypatch.setattr("atoll._local.DEFAULT_URL", server.url)
    with Sandbox(local=True) as sb:
        assert sb.client.url == server.url
    assert server.running
    with pytest.raises(ValueError):
        Client("http://127.0.0.1:8000", local=True)


def test_where_the_program_is(monkeypatch, tmp_path):
    monkeypatch.setenv("ATOLL_BIN", str(tmp_path / "none"))
    with pytest.raises(LocalServerError, match="ATOLL_BIN"):
        find_program()
    monkeypatch.delenv("ATOLL_BIN")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LocalServerError, match="not in PATH"):
        find_program()
    (tmp_path / "atoll").write_text("#!/bin/sh\necho it is broken >&2; exit 3\n")
    (tmp_path / "atoll").chmod(0o755)
    assert find_program() == tmp_path / "atoll"
    with pytest.raises(LocalServerError, match="status 3: it is broken"):
        LocalServer()


@pytest.mark.parametrize("package", ["lib/python3.13/site-packages/atoll", "atoll"])
def test_the_program_that_came_with_the_package(tmp_path, package):
    """In an environment, and in the folder of `pip install --target`."""
    assert _carried(tmp_path / package) is None
    program = tmp_path / "libexec/atoll/atoll"
    program.parent.mkdir(parents=True)
    program.touch(0o755)
    assert _carried(tmp_path / package) == program


def test_the_steps_of_a_first_start_are_told(monkeypatch, tmp_path, caplog):
    program = tmp_path / "atoll"
    program.write_text("#!/bin/sh\n"
                       "echo 2026-01-01T00:00:00.000 info template default: installing >&2\n"
                       "echo 2026-01-01T00:00:01.000 info starting the template default >&2\n"
                       "echo there is no index >&2; exit 1\n")
    program.chmod(0o755)
    with caplog.at_level(logging.INFO, "atoll"), pytest.raises(LocalServerError, match="no index"):
        LocalServer(program)
    assert [one.getMessage() for one in caplog.records if one.name == "atoll"] == ["installing"]

    # To a person, without a word in the log.
    caplog.clear()
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(LocalServerError, match="no index"):
        LocalServer(program)
    assert terminal.getvalue() == "atoll: installing\n"
    assert not caplog.records


def test_a_server_that_dies_is_noticed(tmp_path):
    with LocalServer(data_dir=tmp_path) as server:
        client = Client(server.url)
        client.info()
        server.process.kill()
        server.process.wait()
        with pytest.raises(ConnectionFailed):
            client.run("1")
        assert not server.running
    assert (tmp_path / "atoll.db").exists()  # a folder that was named is left alone
