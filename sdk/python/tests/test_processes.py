"""Programs, ports and jobs."""

import pytest

from atoll import (
    AtollError,
    CommandError,
    Conflict,
    Job,
    NotFound,
    OutputText,
    ProcessInfo,
)


def test_commands(sandbox):
    found = sandbox.shell("echo out; echo err >&2; exit 3")
    assert (found.stdout, found.stderr, found.exit_code) == ("out\n", "err\n", 3)
    with pytest.raises(CommandError, match="status 3: err"):
        found.raise_for_error()
    assert sandbox.shell(["echo", "a b", "$HOME"]).stdout == "a b $HOME\n"
    given = sandbox.processes.run("cat; pwd; echo $X", input="typed\n", cwd="/tmp",
                                  environment={"X": "y"})
    assert given.stdout == "typed\n/tmp\ny\n" and given.ok
    assert sandbox.shell("sleep 60", timeout=0.3).reason == "timeout"


def test_a_process_is_fed_and_followed(sandbox):
    process = sandbox.processes.start("while read l; do echo got $l; done", stdin_open=True)
    assert process.info().state == "running"
    assert process.write("one\n") == 4
    with process.follow() as output:
        first = next(output)
        assert isinstance(first, OutputText) and first.text == "got one\n"
        process.write("two\n", end=True)
        rest = list(output)
    assert isinstance(rest[-1], ProcessInfo) and rest[-1].exit_code == 0
    assert process.wait().state == "ended"
    assert process.output().stdout == "got one\ngot two\n"
    assert process.output(after=8).stdout == "got two\n"
    with pytest.raises(Conflict):
        process.write("late")


def test_signals_and_lists(sandbox):
    process = sandbox.processes.start(["sleep", "600"])
    assert process.id in {one.id for one in sandbox.processes.list()}
    process.signal("term")
    assert process.wait().signal == 15
    other = sandbox.processes.start("sleep 600")
    sandbox.processes.get(other.id).kill()
    with pytest.raises(NotFound):
        other.info()


def test_ports(sandbox):
    sandbox.files.write("www/index.html", "<h1>hello</h1>")
    server = sandbox.processes.start("python -m http.server 8000 -d www")
    port = sandbox.ports.wait_for(8000)
    assert port.href.startswith("http://") and port in sandbox.ports.list()
    assert sandbox.ports.request(8000, "/index.html?x=1").text == "<h1>hello</h1>"
    assert sandbox.ports.request(8000, "/nothing").status == 404
    assert sandbox.ports.request(8000, "/", method="POST", body=b"x").status == 501
    server.kill()
    with pytest.raises(AtollError, match="nothing listens"):
        sandbox.ports.wait_for(8001, timeout=0.2)


def test_jobs(client, sandbox):
    job = client.jobs.create("print('in a job')", metadata={"of": "test"}, timeout=60)
    seen = list(client.jobs.follow(job.id))
    assert isinstance(seen[-1], Job) and seen[-1].state == "succeeded"
    assert client.jobs.wait(job.id).ended
    said = [one.text for one in client.jobs.logs(job.id) if one.stream == "stdout"]
    assert "".join(said) == "in a job\n"
    assert [one.id for one in client.jobs.list(metadata={"of": "test"})] == [job.id]
    client.jobs.delete(job.id)
    with pytest.raises(NotFound):
        client.jobs.get(job.id)
    inside = client.jobs.create("echo $((6 * 7)) > /session/job", "shell", session=sandbox.id)
    assert client.jobs.wait(inside.id).state == "succeeded"
    assert sandbox.files.read("job") == b"42\n"
    long = client.jobs.create("import time; time.sleep(600)")
    client.jobs.cancel(long.id)
    assert client.jobs.wait(long.id).state == "cancelled"
