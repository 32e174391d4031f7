"""Sandboxes as the runtime hands them out: from the pool or by a fork, alike for who gets one; and
what is left when they go.
"""
import os
import shutil
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from harness import host
from harness.cli import ATOLL
from harness.driver import Driver, Refused


@pytest.fixture(scope="module")
def poolless():
    """A host that forks each sandbox when it is asked for."""
    running = Driver(pool=0)
    yield running
    running.close()


@pytest.fixture(params=["pool hit", "pool empty"])
def create(request, driver, poolless):
    """create(**fields), answered by a sandbox of the pool, or by a fork."""
    made = []

    def one(**fields):
        if request.param == "pool hit":
            assert host.eventually(lambda: driver.info()["pooled"] > 0, within=30)
            made.append(driver.create(**fields))
        else:
            assert poolless.info()["pooled"] == 0
            made.append(poolless.create(**fields))
        return made[-1]

    yield one
    for sandbox in made:
        sandbox.destroy()


def text_of(answer) -> str:
    (event,) = answer.events_named("result")
    return event["data"]["text/plain"]


# What is asked for is what one gets

def test_first_result(create):
    sandbox = create()
    assert text_of(sandbox.python("import pandas as pd\nint(pd.Series([1, 2]).sum())")) == "3"
    assert sandbox.shell("hostname; id -un; pwd").out == "atoll\nuser\n/session\n"


def test_environment_reaches_kernels_and_programs(create):
    """A member of the pool has its kernel before it has an owner with an environment."""
    sandbox = create(env={"ASKED_FOR": "yes é", "LANG": "C"})
    look = "import os\n(os.environ['ASKED_FOR'], os.environ['LANG'], os.environ['HOME'])"
    assert text_of(sandbox.python(look)) == "('yes é', 'C', '/home/user')"
    assert text_of(sandbox.python(look, context="another")) == "('yes é', 'C', '/home/user')"
    assert sandbox.python("!echo $ASKED_FOR").out.encode("latin-1").decode() == "yes é\n"
    shown = sandbox.shell('echo "$ASKED_FOR $LANG $HOME"').out.encode("latin-1").decode()
    assert shown == "yes é C /home/user\n"
    sandbox.ask({"op": "kernel.restart"})
    assert text_of(sandbox.python(look)) == "('yes é', 'C', '/home/user')"
    assert sandbox.shell('echo "[$ATOLL_CONTROL]"').out == "[]\n"


def test_environment_of_one_is_not_that_of_the_next(create):
    create(env={"MINE": "1"})
    assert text_of(create().python("import os\nos.environ.get('MINE', 'none')")) == "'none'"


def test_limits_reach_kernels_and_programs(create):
    sandbox = create(limits={"open_files_max": 77, "file_bytes_max": 1 << 20,
                             "disk_bytes_max": 8 << 20})
    look = ("import os, resource\n"
            "disk = os.statvfs('/session')\n"
            "(resource.getrlimit(resource.RLIMIT_NOFILE)[0], "
            "resource.getrlimit(resource.RLIMIT_FSIZE)[0], disk.f_blocks * disk.f_frsize)")
    assert text_of(sandbox.python(look)) == f"(77, {1 << 20}, {8 << 20})"
    assert sandbox.shell("ulimit -n; ulimit -f").out == "77\n1024\n"
    full = sandbox.python("for i in range(10):\n"
                          "    with open(f'/work/{i}', 'wb') as f: f.write(b'x' * 1000_000)")
    (error,) = full.events_named("error")
    assert "No space left" in error["value"]


def test_a_limit_on_memory_takes_effect(create):
    sandbox = create(limits={"memory_bytes_max": 256 << 20})
    assert text_of(sandbox.python("len(bytearray(50 << 20))")) == str(50 << 20)
    answer = sandbox.python("kept = bytearray(b'x') * (600 << 20)\n"
                            "import time; time.sleep(20)")  # time for who looks now and then
    died = answer.end.get("died") and answer.end["state_lost"]
    refused = [event["name"] for event in answer.events_named("error")] == ["MemoryError"]
    assert died or refused
    assert text_of(sandbox.python("1 + 1")) == "2"


def test_without_that_limit_the_same_program_is_fine(create):
    assert text_of(create().python("len(bytearray(b'x') * (600 << 20))")) == str(600 << 20)


def test_a_limit_on_processes_takes_effect(create):
    sandbox = create(limits={"processes_max": 12})
    answer = sandbox.python("""
import os, time
children = []
try:
    while len(children) < 100:
        if (child := os.fork()) == 0:
            time.sleep(300)
        children.append(child)
except BlockingIOError:
    print(len(children))
for child in children: os.kill(child, 9); os.waitpid(child, 0)
""")
    assert 5 <= int(answer.out) < 12
    assert sandbox.run("true").end["exit_code"] == 0


@pytest.mark.parametrize("fields, why", [
    ({"limits": {"memory_bytes_max": 1}}, "at least 32 MiB"),
    ({"limits": {"processes_max": 1}}, "at least 4"),
    ({"template": "no-such-template"}, "template no-such-template does not exist.*template build"),
    ({"template": "../etc"}, "template name"),
    ({"mounts": [{"source": "/tmp", "target": "/usr"}]}, "choose a place"),
])
def test_what_cannot_be_had_is_refused(driver, fields, why):
    with pytest.raises(Refused, match=why):
        driver.create(**fields)


# The pool

def test_the_pool_is_filled_again(driver):
    for _ in range(3):
        assert host.eventually(lambda: driver.info()["pooled"] == 1, within=30)
        made = driver.create()
        assert text_of(made.python("1 + 1")) == "2"
        made.destroy()


def test_a_member_is_warmed_when_nobody_asks_for_one(driver):
    assert host.eventually(lambda: driver.info()["warmed"] == 1, within=60)
    driver.create().destroy()
    assert host.eventually(lambda: driver.info()["warmed"] == 1, within=60)


def test_one_after_the_other_without_a_pause():
    """Members that are not warm yet, and one that is just being made, are as good as any."""
    running = Driver(pool=3)
    try:
        for i in range(9):
            made = running.create(env={"NUMBER": str(i)})
            assert text_of(made.python("import os\nos.environ['NUMBER']")) == f"'{i}'"
            assert made.shell("pwd").out == "/session\n"
    finally:
        running.close()


def test_more_at_once_than_the_pool_holds(driver):
    futures = [driver.send("create", name=f"burst{i}") for i in range(6)]
    assert all(future.result(60)["ok"] for future in futures)
    runs = [driver.send("request", name=f"burst{i}",
                        request={"op": "kernel.run", "code": f"{i} * 100"}) for i in range(6)]
    assert [text_of(run.result(60)) for run in runs] == [str(i * 100) for i in range(6)]
    for i in range(6):
        driver.ask("destroy", name=f"burst{i}")


def test_a_member_that_was_killed_is_not_handed_out(driver):
    assert host.eventually(lambda: driver.info()["pooled"] == 1, within=30)
    info = driver.info()

    def members_alone():  # what tests before this one destroyed is gone
        found = [one for one in host.all_processes()
                 if one.parent == info["nest_pid"] and one.pid != info["zygote_pid"]]
        return found if len(found) == 1 else None

    members = host.eventually(members_alone)
    assert members
    os.kill(members[0].pid, signal.SIGKILL)
    assert host.eventually(lambda: not members[0].alive)
    made = driver.create()
    assert made.pid != members[0].pid
    assert text_of(made.python("1 + 1")) == "2"
    made.destroy()


def test_members_are_nobodys_before_they_are_claimed(driver):
    """Nothing of one owner's is in the sandbox of the next."""
    first = driver.create(env={"SECRET": "s"})
    first.shell("echo mine > /session/mine; echo mine > /tmp/mine; echo mine > /dev/shm/mine")
    first.python("mine = 1")
    first.destroy()
    for _ in range(2):
        made = driver.create()
        found = made.shell("find /session /work /data /tmp /var/tmp /dev/shm /home/user /run "
                           "! -type d ! -path '*/.cache/matplotlib/*'; echo [$SECRET]").out
        assert found == "[]\n"
        answer = made.python("'mine' in globals()")
        assert text_of(answer) == "False" and answer.kernel["execution_count"] == 1
        made.destroy()


# Apart, and gone

def test_three_sandboxes_do_not_see_each_other(driver):
    made = [driver.create() for _ in range(3)]
    try:
        for number, sandbox in enumerate(made):
            sandbox.python(f"who = {number}")
            sandbox.write("/session/who", str(number).encode())
            sandbox.python("import socket; server = socket.create_server(('127.0.0.1', 4000))"
                           if number == 0 else "pass")
            sandbox.start({"op": "process.start", "argv": ["sleep", f"300.{number}"]})
        for number, sandbox in enumerate(made):
            assert text_of(sandbox.python("who")) == str(number)
            assert sandbox.read("/session/who") == str(number).encode()
            seen = sandbox.shell("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").out
            assert f"300.{number}" in seen
            assert all(f"300.{other}" not in seen for other in range(3) if other != number)
        assert made[0].ask({"op": "dial", "port": 4000},
                           controls=[{"do": "cancel", "after_ms": 100}]).end["cancelled"]
        with pytest.raises(Refused, match="refused"):
            made[1].ask({"op": "dial", "port": 4000})
    finally:
        for sandbox in made:
            sandbox.destroy()


def test_destroy_leaves_no_process_and_no_cgroup(create, root):
    sandbox = create()
    word = host.marker()
    sandbox.start({"op": "kernel.run", "code": "while True: pass"})
    sandbox.start({"op": "process.start", "argv": ["sh", "-c", "setsid sleep 300 & sleep 300",
                                                   word]})
    assert host.eventually(lambda: len(host.processes_in(sandbox.pid)) >= 4)
    before = host.processes_in(sandbox.pid)
    assert not root or host.cgroups_of(sandbox.id)
    sandbox.destroy()
    assert host.eventually(lambda: not any(one.alive for one in before))
    assert host.eventually(lambda: not host.cgroups_of(sandbox.id))
    assert not host.with_argument(word)
    sandbox.destroy = lambda: None  # done


def test_a_running_request_is_answered_when_its_sandbox_goes(driver):
    made = driver.create()
    running = made.start({"op": "process.start", "argv": ["sleep", "300"]})
    made.run("true")
    made.destroy()
    answer = running.result(20)
    assert not answer["ok"] and answer["error"]


def test_a_host_that_stops_takes_everything_with_it():
    running = Driver(pool=1)
    made = running.create()
    made.start({"op": "process.start", "argv": ["sleep", "300"]})
    made.run("true")
    info = running.info()
    everyone = host.processes_in(info["nest_pid"])
    assert len(everyone) >= 4
    running.close()
    assert host.eventually(lambda: not any(one.alive for one in everyone))
    assert not host.cgroups_of(made.id)


@pytest.mark.root_only
def test_use_is_counted(create):
    sandbox = create()
    sandbox.python("kept = bytearray(b'x') * (100 << 20)\n"
                   "import time\nuntil = time.process_time() + 1\n"
                   "while time.process_time() < until: pass")
    usage = sandbox.usage()
    assert usage["memory_bytes"] > 100 << 20
    assert usage["memory_peak_bytes"] >= usage["memory_bytes"]
    assert usage["processes"] >= 2 and usage["memory_kills"] == 0
    assert usage["cpu_us"] > 900_000


@pytest.mark.root_only
def test_freeze_and_thaw(create):
    sandbox = create()
    sandbox.freeze()
    frozen = sandbox.start({"op": "kernel.run", "code": "6 * 7"})
    with pytest.raises(TimeoutError):
        frozen.result(1.5)
    sandbox.freeze(False)
    assert text_of(frozen.result(20)) == "42"


# Mounts

@pytest.fixture
def shared(tmp_path) -> Path:
    """A folder of some user of the host, with a file of theirs."""
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    (folder / "file").write_bytes(b"of the host")
    for path in (folder, folder / "file"):
        os.chown(path, 23456, 23456)
    return folder


@pytest.mark.root_only
def test_a_mount_is_read_only_unless_asked(create, shared):
    sandbox = create(mounts=[{"source": str(shared), "target": "/data/sets"}])
    assert sandbox.read("/data/sets/file") == b"of the host"
    assert text_of(sandbox.python("open('/data/sets/file').read()")) == "'of the host'"
    answer = sandbox.shell("stat -c '%U %u' /data/sets /data/sets/file; "
                           "echo x > /data/sets/new; rm /data/sets/file")
    assert answer.out == "user 1000\nuser 1000\n"
    assert answer.err.count("Read-only file system") == 2
    with pytest.raises(Refused, match="Read-only file system"):
        sandbox.write("/data/sets/new", b"x")
    assert [path.name for path in shared.iterdir()] == ["file"]


@pytest.mark.root_only
def test_what_is_written_to_a_mount_belongs_to_the_folders_owner(create, shared):
    sandbox = create(mounts=[{"source": str(shared), "target": "/work/out", "writable": True}])
    sandbox.shell("echo program > /work/out/program; echo more >> /work/out/file; mkdir -p "
                  "/work/out/deep/er")
    sandbox.python("open('/work/out/kernel', 'w').write('kernel')")
    sandbox.write("/work/out/outside", b"outside")
    assert (shared / "file").read_bytes() == b"of the hostmore\n"
    for name in ("program", "kernel", "outside", "deep/er", "file"):
        info = (shared / name).stat()
        assert (info.st_uid, info.st_gid) == (23456, 23456), name
    assert sandbox.shell("stat -c %U /work/out/*").out == "user\n" * 5


@pytest.mark.root_only
def test_a_mount_of_one_file_and_of_nothing(create, shared):
    sandbox = create(mounts=[{"source": str(shared / "file"), "target": "/data/one"}])
    assert sandbox.read("/data/one") == b"of the host"
    with pytest.raises(Refused, match="no/such/place"):
        create(mounts=[{"source": "/no/such/place", "target": "/data/x"}])


def test_an_ordinary_user_is_told_how_to_mount(driver, root, tmp_path):
    if root:
        pytest.skip("root may")
    with pytest.raises(Refused, match="atoll run --mount"):
        driver.create(mounts=[{"source": str(tmp_path), "target": "/data/x"}])


def test_sandboxes_that_end_while_their_kernels_are_born(driver):
    """A sandbox may end at any moment of its kernel's birth, which takes place half in the zygote:
    afterwards the zygote serves the next one as before."""
    for round_ in range(120):
        sandbox = driver.create()
        sandbox.start({"op": "kernel.run", "code": "1", "context": "another"})
        time.sleep(round_ % 12 * 0.0007)
        sandbox.destroy()
    assert driver.create().python("print('served')", wait=20).out == "served\n"


@pytest.fixture
def second_template():
    """The default template again, under another name."""
    data = os.environ.get("ATOLL_DATA_DIR")
    if not data:
        data = "/var/lib/atoll" if os.geteuid() == 0 else Path.home() / ".local/share/atoll"
    folder = Path(data) / "templates"
    name = "test-" + uuid.uuid4().hex[:8]
    built = folder / f".built-{name}-1"
    default = (folder / "default").resolve()
    subprocess.run(["cp", "-al", default, built], check=True)
    (built / "built.json").unlink()  # which is locked while the template is in use: not the same
    shutil.copy(default / "built.json", built)
    (folder / name).symlink_to(built.name)
    yield name
    subprocess.run([ATOLL, "template", "rm", name], capture_output=True)


def test_a_template_that_nobody_uses_is_let_go(second_template):
    """Its nest takes hundreds of megabytes, and keeps the template from being removed."""
    driver = Driver(pool=0, nest_idle_ms=300)
    try:
        sandbox = driver.create(template=second_template)
        assert text_of(sandbox.python("1 + 1")) == "2"
        refused = subprocess.run([ATOLL, "template", "rm", second_template], capture_output=True)
        assert refused.returncode == 1 and b"in use by running sandboxes" in refused.stderr
        nest = host.look_at(sandbox.pid).parent
        sandbox.destroy()
        assert host.eventually(lambda: host.look_at(nest) is None, within=30)
        again = driver.create(template=second_template)  # raised once more
        assert text_of(again.python("2 + 2")) == "4"
        again.destroy()
        assert host.eventually(lambda: subprocess.run(
            [ATOLL, "template", "rm", second_template], capture_output=True).returncode == 0, within=30)
    finally:
        driver.close()
