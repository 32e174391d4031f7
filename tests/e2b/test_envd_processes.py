"""Programs and terminals of a sandbox with the official SDK."""
import threading

import pytest
from harness.e2b_sdk import options_of
from e2b import (AuthenticationException, CommandExitException, InvalidArgumentException, NotFoundException, PtySize,
                 Sandbox, TimeoutException)
from harness.host import eventually

pytestmark = pytest.mark.each_user


@pytest.fixture(scope="module")
def box(server):
    sandbox = Sandbox.create("base", timeout=600, envs={"GLOBAL": "g"}, **options_of(server))
    yield sandbox
    sandbox.kill()


def test_a_command_is_the_users(box):
    said = box.commands.run("whoami; id -un; echo $HOME $USER $LOGNAME; pwd; echo $GLOBAL $MINE", envs={"MINE": "m"})
    assert said.stdout.split("\n") == ["user", "user", "/home/user user user", "/home/user", "g m", ""]
    assert box.commands.run("echo $GLOBAL", envs={"GLOBAL": "mine"}).stdout == "mine\n"
    assert box.commands.run("pwd", cwd="/tmp").stdout == "/tmp\n"
    for cwd in ("/no/such", "/etc/passwd"):
        with pytest.raises(InvalidArgumentException, match="cwd"):
            box.commands.run("true", cwd=cwd)
    for user in ("nobody", "Root", "0"):
        with pytest.raises(AuthenticationException, match="username"):
            box.commands.run("true", user=user)
    assert box.commands.run("whoami", user="user").stdout == "user\n"


def test_a_command_of_root(box):
    """It has the name, a home that is kept, and the user's files; what it needs no more for is sudo."""
    said = box.commands.run("whoami; id -u; echo $HOME $USER $LOGNAME; pwd; echo $GLOBAL $MINE", user="root", envs={"MINE": "m"})
    assert said.stdout.split("\n") == ["root", "0", "/root root root", "/root", "g m", ""]
    assert box.commands.run("pwd", user="root", cwd="/tmp").stdout == "/tmp\n"
    assert box.commands.run("sudo -n id -un && sudo -u root -- pwd", user="root").stdout == "root\n/root\n"
    with pytest.raises(CommandExitException) as refused:
        box.commands.run("sudo true")
    assert refused.value.exit_code == 1 and 'user="root"' in refused.value.stderr
    box.commands.run("echo mine > /home/user/of-root; mkdir -p ~/folder", user="root")
    assert box.commands.run("echo more >> of-root; stat -c %U of-root /root/folder; cat of-root").stdout == "user\nuser\nmine\nmore\n"


def test_programs_of_root_are_the_owners(box):
    handle = box.commands.run("setsid sleep 5454 & sleep 5455", background=True, user="root")
    assert any(one.pid == handle.pid for one in box.commands.list())
    assert eventually(lambda: box.commands.run("pgrep -c -x sleep || true").stdout.strip() == "2")
    assert box.commands.kill(handle.pid) is True
    assert eventually(lambda: box.commands.run("pgrep -c -x sleep || true").stdout.strip() == "0")
    handle = box.commands.run("read line; echo got $line $(id -u)", background=True, stdin=True, user="root")
    handle.disconnect()
    again = box.commands.connect(handle.pid)
    box.commands.send_stdin(handle.pid, "it\n")
    assert again.wait().stdout == "got it 0\n"


def test_a_terminal_of_root(box):
    out = []
    handle = box.pty.create(PtySize(rows=24, cols=80), user="root")
    box.pty.send_stdin(handle.pid, b"echo who=$(whoami) home=$HOME tty=$(tty); exit 3\n")
    with pytest.raises(CommandExitException) as failed:
        handle.wait(on_pty=out.append)
    text = b"".join(out).decode()
    assert failed.value.exit_code == 3 and "who=root home=/root tty=/dev/pts/" in text, text


def test_output_code_and_callbacks(box):
    out, err = [], []
    with pytest.raises(CommandExitException) as failed:
        box.commands.run("echo one; echo two >&2; exit 4", on_stdout=out.append, on_stderr=err.append)
    assert (failed.value.stdout, failed.value.stderr, failed.value.exit_code) == ("one\n", "two\n", 4)
    assert "".join(out) == "one\n" and "".join(err) == "two\n"


def test_large_output_is_whole(box):
    said = box.commands.run("head -c 5000000 /dev/zero | tr '\\0' a; printf '\\xff' >&2")
    assert len(said.stdout) == 5_000_000 and said.stderr == "\ufffd"


def test_many_at_once(box):
    said = {}
    threads = [threading.Thread(target=lambda n=n: said.update({n: box.commands.run(f"sleep 0.2; echo {n}").stdout}))
               for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {n: f"{n}\n" for n in range(20)}


def test_background_list_kill_connect(box):
    handle = box.commands.run("sleep 51", background=True, envs={"A": "b"}, cwd="/tmp")
    found = next(one for one in box.commands.list() if one.pid == handle.pid)
    assert (found.cmd, found.args[-1], found.envs, found.cwd) == ("/bin/bash", "sleep 51", {"A": "b"}, "/tmp")
    assert handle.kill() is True
    with pytest.raises(CommandExitException) as failed:
        handle.wait()
    assert failed.value.exit_code == -1 and failed.value.error == "signal: killed"
    assert box.commands.kill(handle.pid) is False
    with pytest.raises(NotFoundException):
        box.commands.connect(4_000_000)


def test_killing_takes_the_whole_tree(box):
    handle = box.commands.run("setsid sleep 5252 & sleep 5253", background=True)
    assert eventually(lambda: box.commands.run("pgrep -c -x sleep || true").stdout.strip() == "2")
    handle.kill()
    assert eventually(lambda: box.commands.run("pgrep -c -x sleep || true").stdout.strip() == "0")


def test_a_client_that_leaves_ends_nothing(box):
    handle = box.commands.run("read line; echo late $line", background=True, stdin=True)
    handle.disconnect()
    again = box.commands.connect(handle.pid)
    box.commands.send_stdin(handle.pid, "input\n")
    assert again.wait().stdout == "late input\n"


def test_several_follow_one(box):
    handle = box.commands.run("read; seq 1000", background=True, stdin=True)
    others = [box.commands.connect(handle.pid) for _ in range(3)]
    box.commands.send_stdin(handle.pid, "\n")
    whole = "".join(f"{n}\n" for n in range(1, 1001))
    assert [one.wait().stdout for one in [handle, *others]] == [whole] * 4


def test_input_is_sent_and_closed(box):
    handle = box.commands.run("cat", background=True, stdin=True)
    box.commands.send_stdin(handle.pid, "a" * 300_000)
    handle.send_stdin("\n")
    handle.close_stdin()
    assert len(handle.wait().stdout) == 300_001
    assert box.commands.run("cat; echo done", timeout=20).stdout == "done\n"
    deaf = box.commands.run("sleep 53", background=True)
    with pytest.raises(Exception, match="open input"):
        box.commands.send_stdin(deaf.pid, "x")
    deaf.kill()


def test_a_timeout_ends_the_command(box):
    with pytest.raises(TimeoutException):
        box.commands.run("sleep 54", timeout=1)
    assert eventually(lambda: not [one for one in box.commands.list() if one.args[-1] == "sleep 54"])


def test_a_terminal(box):
    out = []
    handle = box.pty.create(PtySize(rows=24, cols=91), envs={"ABC": "xyz"}, cwd="/tmp")
    box.pty.send_stdin(handle.pid, b"echo v=$ABC $TERM; pwd\n")
    box.pty.resize(handle.pid, PtySize(rows=30, cols=123))
    box.pty.send_stdin(handle.pid, b"until [ \"$(stty size)\" = '30 123' ]; do sleep 0.1; done; stty size; exit 3\n")
    with pytest.raises(CommandExitException) as failed:
        handle.wait(on_pty=out.append)
    text = b"".join(bytes(piece) for piece in out).decode()
    assert failed.value.exit_code == 3
    assert all(word in text for word in ("v=xyz xterm-256color", "/tmp", "30 123"))
    out.clear()
    sized = box.pty.create(PtySize(rows=24, cols=91))
    box.pty.send_stdin(sized.pid, b"stty size; exit 0\n")
    sized.wait(on_pty=out.append)
    assert "24 91" in b"".join(bytes(piece) for piece in out).decode()
    again = box.pty.create(PtySize(rows=24, cols=80))
    assert box.pty.kill(again.pid) is True
    with pytest.raises(CommandExitException):
        again.wait()
    assert box.pty.kill(again.pid) is False


def test_a_process_is_its_sandboxs_own(box, create):
    other = create()
    handle = box.commands.run("sleep 55", background=True)
    assert other.commands.list() == [] and other.commands.kill(handle.pid) is False
    handle.kill()
