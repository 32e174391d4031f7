"""Sessions whose files lie on disk: a sandbox shows them, writes to them, and leaves them behind."""

import os
import uuid

import pytest
from harness.driver import Driver

NOBODYS = 1_899_999_999  # nobody's on the host: what untrusted code owns there
FOLDERS = ("session/artifacts", "data/outputs", "work/artifacts", "home/.cache/matplotlib", "tmp", "vartmp")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept")
    path.chmod(0o700)
    return path


@pytest.fixture(scope="module")
def keeper(root):
    running = Driver(pool=2, kept_root=str(root))
    yield running
    running.close()


@pytest.fixture
def folder(root):
    """As the server makes it for a new session."""
    made = root / f"s-{uuid.uuid4().hex}"
    made.mkdir(mode=0o700)
    for name in FOLDERS:
        (made / name).mkdir(parents=True)
    if os.geteuid() == 0:
        for here, _, _ in os.walk(made):
            os.chown(here, NOBODYS, NOBODYS)
    return made


PLACES = {"/session": "session", "/data": "data", "/work": "work", "/home/user": "home", "/tmp": "tmp",
          "/var/tmp": "vartmp"}


def test_what_is_written_lies_on_disk_and_comes_back(keeper, folder):
    sandbox = keeper.create(kept_folder=str(folder))
    for inside in PLACES:
        assert sandbox.python(f"open('{inside}/by-kernel', 'w').write('k'); print('ok')").out == "ok\n"
        assert sandbox.shell(f"echo s > {inside}/by-shell").end["exit_code"] == 0
        sandbox.start({"op": "file.write", "path": f"{inside}/by-host"}, data="h").result(timeout=20)
    assert sandbox.python("import os; print(os.getcwd(), os.listdir())").out.startswith("/session ")
    assert sandbox.shell("pwd; id -u; stat -c %U /session/by-kernel").out.split()[-1] == "user"
    sandbox.destroy()
    for here in PLACES.values():
        texts = {name: (folder / here / name).read_text() for name in ("by-kernel", "by-shell", "by-host")}
        assert texts == {"by-kernel": "k", "by-shell": "s\n", "by-host": "h"}
        owner = NOBODYS if os.geteuid() == 0 else os.geteuid()
        assert (folder / here / "by-kernel").stat().st_uid == owner
    again = keeper.create(kept_folder=str(folder))
    assert again.python("print(open('/session/by-shell').read(), end='')").out == "s\n"
    assert again.shell("rm /session/by-kernel && mv /work/by-host /data/").end["exit_code"] == 0
    again.destroy()
    assert not (folder / "session/by-kernel").exists() and (folder / "data/by-host").exists()


def test_a_move_between_kept_folders_is_one_rename(keeper, folder):
    sandbox = keeper.create(kept_folder=str(folder))
    sandbox.python("open('/work/a', 'w').write('x')")
    answer = sandbox.ask({"op": "file.move", "path": "/work/a", "to": "/session/b"})
    assert answer.end["ok"] and (folder / "session/b").read_text() == "x"
    sandbox.destroy()


@pytest.mark.parametrize("warm", [True, False])
def test_the_walls_stand_as_before(keeper, folder, warm):
    """A kernel from the pool was confined before its folders came: it may write to them, and still
    to nothing else."""
    sandbox = keeper.create(kept_folder=str(folder), **({} if warm else {"limits": {"open_files_max": 333}}))
    answer = sandbox.python("""
import os
for path in ("/usr/x", "/etc/x", "/opt/atoll/x", "/x", "/mnt/x", "/opt/atoll/sessions/x"):
    try:
        open(path, "w")
        print("wrote", path)
    except OSError as refused:
        print(type(refused).__name__)
open("/tmp/x", "w"); open("/dev/shm/x", "w"); open("/session/x", "w")
print(os.path.exists("/mnt/session"), os.listdir("/opt/atoll/sessions") if os.path.exists("/opt/atoll/sessions") else [])
""")
    assert "wrote" not in answer.out and answer.out.endswith("False []\n"), answer.out
    sandbox.destroy()


def test_a_session_from_before_temporary_folders_were_kept(keeper, folder):
    for name in ("tmp", "vartmp"):
        (folder / name).rmdir()
    sandbox = keeper.create(kept_folder=str(folder))
    assert sandbox.shell("echo 1 > /tmp/x && echo 2 > /var/tmp/x && cat /tmp/x /var/tmp/x").out == "1\n2\n"
    sandbox.destroy()


def test_two_sessions_do_not_see_each_other(keeper, folder, root):
    secret = root / "s-other"
    secret.mkdir(exist_ok=True)
    (secret / "file").write_text("the neighbour's\n")
    sandbox = keeper.create(kept_folder=str(folder))
    found = sandbox.shell("grep -rs neighbour /session /data /work /home /mnt /opt/atoll/sessions /run; "
                          "cat /session/../s-other/file /proc/1/root/opt/atoll/sessions/s-other/file; true")
    assert "neighbour" not in found.out
    links = sandbox.shell(f"ln -s {secret}/file /session/link; cat /session/link; "
                          "ln -s ../../s-other/file /session/up; cat /session/up; true")
    assert "neighbour" not in links.out
    sandbox.destroy()


def test_a_set_user_id_file_cannot_be_made(keeper, folder):
    sandbox = keeper.create(kept_folder=str(folder))
    assert sandbox.shell("cp /bin/sh /session/sh && chmod 4755 /session/sh").end["exit_code"] != 0
    sandbox.destroy()
    made = (folder / "session/sh").stat()
    assert made.st_uid == (NOBODYS if os.geteuid() == 0 else os.geteuid())
    assert not made.st_mode & 0o6000


def test_a_folder_that_is_not_there(keeper, root):
    with pytest.raises(Exception, match="not there|folder"):
        keeper.create(kept_folder=str(root / "s-none"))
    assert keeper.create().python("print('fine')").out == "fine\n"
