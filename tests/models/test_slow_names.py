"""A name server that never answers: the loop goes on, and giving up does not wait for it.

In a network namespace of its own, where 127.0.0.1:53 is a socket of the test's and there is nobody
else to ask."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

INSIDE = """
import json, socket, subprocess, sys, time
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
silent.bind(("127.0.0.1", 53))
sys.path.insert(0, sys.argv[1])
from harness.model import Failed, ModelProgram
program = ModelProgram()
chats = [program.chat("http://slow.example/v1", connect_ms=60_000, attempts=1) for _ in range(5)]
silent.settimeout(20)
silent.recv(512)  # it is being asked for
began = time.monotonic()
program.usage()
took = {"others": time.monotonic() - began}
began = time.monotonic()
for chat in chats:
    chat.cancel()
for chat in chats:
    try:
        chat.end()
    except Failed as failed:
        assert "cancel" in str(failed).lower(), failed
took["cancelling"] = time.monotonic() - began
began = time.monotonic()
try:
    program.chat("http://slow.example/v1", connect_ms=300, attempts=1).end()
except Failed as failed:
    took["said"] = str(failed)
took["giving_up"] = time.monotonic() - began
print(json.dumps(took))
program.close()
"""


@pytest.mark.root_only  # to bind port 53 and to change where names are looked up
def test_a_name_server_that_never_answers(tmp_path):
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:5 attempts:2\n")
    (tmp_path / "hosts").write_text("127.0.0.1 localhost\n")
    (tmp_path / "nsswitch.conf").write_text("hosts: files dns\n")
    mounts = "".join(f"mount --bind {tmp_path}/{name} /etc/{name} && "
                     for name in ("resolv.conf", "hosts", "nsswitch.conf")
                     if Path("/etc", name).exists())
    ran = subprocess.run(
        ["unshare", "--mount", "--net", "sh", "-c", mounts + 'exec "$0" -c "$1" "$2"',
         sys.executable, INSIDE, Path(__file__).parents[1]],
        capture_output=True, text=True, timeout=120)
    if "unshare" in ran.stderr:
        pytest.skip("no namespaces here")
    assert ran.returncode == 0, ran.stderr
    took = json.loads(ran.stdout)
    # A resolver that is waited for takes ten seconds.
    assert took["others"] < 4 and took["cancelling"] < 4 and took["giving_up"] < 5, took
    assert "cannot be reached" in took["said"]
