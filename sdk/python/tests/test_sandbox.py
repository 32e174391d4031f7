"""Runs, sessions and contexts, over the real server."""

import pytest

from atoll import (
    ApiError,
    Artifact,
    CodeError,
    Conflict,
    Ended,
    Failed,
    InvalidRequest,
    NotFound,
    Result,
    Sandbox,
    Started,
    Stderr,
    Stdout,
)


def test_the_first_line_of_the_page(server):
    with Sandbox(url=server.url) as sb:
        sb.run("import pandas as pd")
        assert sb.run("pd.Series([1, 2]).sum()").text == "np.int64(3)"
        name = sb.id
    with pytest.raises(NotFound) as refused:
        Sandbox.connect(name, url=server.url)
    assert refused.value.code == "not_found" and refused.value.status == 404
    assert refused.value.request_id


def test_a_result_has_everything(sandbox):
    code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\nx = 6\nx * 7"
    found = sandbox.run(code)
    assert (found.stdout, found.stderr, found.text) == ("out\n", "err\n", "42")
    assert found.ok and found.raise_for_error() is found
    assert found.session_id == sandbox.id and found.timings_ms.total > 0
    table = sandbox.run("import pandas as pd; pd.DataFrame({'a': [1, 2]})").results[0]
    assert "<table" in table.html and "application/vnd.atoll.table+json" in table.data
    assert table.event == "result"


def test_code_that_fails_is_a_result(sandbox):
    found = sandbox.run("1/0")
    assert not found.ok and found.error.name == "ZeroDivisionError"
    assert "ZeroDivisionError" in found.stderr
    with pytest.raises(CodeError, match="division by zero") as raised:
        found.raise_for_error()
    assert raised.value.result is found
    late = sandbox.run("while True: pass", timeout=0.5)
    assert late.reason == "timeout" and not late.ok and late.message


def test_figures_and_artifacts(sandbox):
    found = sandbox.run(
        "import matplotlib.pyplot as plt\n"
        "plt.plot([1, 2]); plt.savefig('/session/artifacts/a.png'); plt.show()"
    )
    assert found.figures[0].startswith(b"\x89PNG")
    assert found.images[0].path == "/session/artifacts/a.png"
    assert sandbox.client.fetch(found.images[0].href).startswith(b"\x89PNG")
    assert [one.path for one in sandbox.artifacts()] == ["/session/artifacts/a.png"]
    assert list(found.artifact_map) == ["/session/artifacts/a.png"]
    with pytest.raises(ValueError):
        sandbox.client.fetch("http://elsewhere.example/x")


def test_other_languages_and_contexts(sandbox):
    assert sandbox.run("const n: number = 6; n * 7", language="typescript").text == "42"
    assert sandbox.run("echo $A", language="shell", environment={"A": "b"}).stdout == "b\n"
    sandbox.run("mine = 1", context="second")
    assert sandbox.run("mine", context="default").error.name == "NameError"
    assert {"default", "second"} <= {one.name for one in sandbox.contexts.list()}
    assert any(one.name == "mine" for one in sandbox.contexts.variables("second"))
    assert sandbox.contexts.restart("second").name == "second"
    assert sandbox.contexts.interrupt("second") is False
    sandbox.contexts.create("third", cwd="/tmp")
    assert sandbox.contexts.get("third").cwd == "/tmp"
    sandbox.contexts.delete("third")
    with pytest.raises(NotFound):
        sandbox.contexts.get("third")


def test_a_stream_says_it_as_it_happens(sandbox):
    code = "print('one')\nopen('/session/artifacts/s.txt', 'w').write('x')\nimport sys\n"
    code += "print('two', file=sys.stderr)\n6 * 7"
    with sandbox.stream(code) as events:
        seen = list(events)
    assert isinstance(seen[0], Started) and seen[0].session_id == sandbox.id
    # Output comes in the pieces in which it was read.
    assert "".join(one.text for one in seen if isinstance(one, Stdout)) == "one\n"
    assert "".join(one.text for one in seen if isinstance(one, Stderr)) == "two\n"
    assert [one.display.text for one in seen if isinstance(one, Result)] == ["42"]
    assert any(isinstance(one, Artifact) and one.path.endswith("s.txt") for one in seen)
    ended = seen[-1]
    assert isinstance(ended, Ended)
    assert (ended.result.stdout, ended.result.stderr, ended.result.text) == ("one\n", "two\n", "42")
    failed = list(sandbox.stream("1/0"))
    assert any(isinstance(one, Failed) for one in failed)
    assert failed[-1].result.error.name == "ZeroDivisionError"
    assert "ZeroDivisionError" in failed[-1].result.stderr


def test_leaving_a_stream_stops_the_code(sandbox):
    with sandbox.stream("import time\nprint('begun')\nwhile True: time.sleep(0.01)") as events:
        for event in events:
            if isinstance(event, Stdout):
                break
    assert sandbox.run("'free again'").text == "'free again'"


def test_callbacks(sandbox):
    out, err, results, errors = [], [], [], []
    found = sandbox.run(
        "import sys; print(1); print(2, file=sys.stderr); display(3); 1/0",
        on_stdout=out.append,
        on_stderr=err.append,
        on_result=results.append,
        on_error=errors.append,
    )
    assert "".join(out) == "1\n" and "".join(err).startswith("2\n")
    assert [one.text for one in results] == ["3"] and errors[0].name == "ZeroDivisionError"
    assert found.stdout == "1\n" and found.error == errors[0]


def test_states(client):
    with client.sandbox(name="states", metadata={"of": "test"}) as sb:
        sb.run("x = 41")
        assert sb.pause().state in ("warm", "hot")  # hot: this host cannot freeze
        assert sb.resume().state == "hot"
        assert sb.evict().state == "cold"
        assert sb.run("x + 1").text == "42"
        assert [one.id for one in client.sessions.list(metadata={"of": "test"})] == [sb.id]
        assert sb.update(name="renamed", metadata={"of": "other"}).name == "renamed"
        assert client.sessions.get("renamed").metadata == {"of": "other"}
        copies = sb.fork(count=2)
        assert [one.run("x").text for one in copies] == ["41", "41"]
        for one in copies:
            one.delete()
        assert sb.restart().state == "hot"
        assert sb.run("x").error.name == "NameError"
        assert sb.token(["files"]).session == sb.id
        assert sb.info().limits.memory_bytes_max > 0
    assert client.sessions.list(metadata={"of": "other"}) == []


def test_names(client, server):
    with client.sandbox(name="taken"):
        with pytest.raises(Conflict):
            client.sandbox(name="taken")
        with Sandbox.connect("taken", url=server.url) as other:
            other.run("y = 5")
        assert client.connect("taken").run("y").text == "5"  # connect() does not delete
    kept = Sandbox.open("kept", client=client)
    assert Sandbox.open("kept", client=client).id == kept.id
    kept.close()
    assert client.sessions.get("kept").id == kept.id
    client.sessions.delete("kept")
    with pytest.raises(NotFound):
        client.sessions.get("kept")


def test_all_pages_of_a_list(client, monkeypatch):
    monkeypatch.setattr("atoll.sessions._PAGE", 2)
    made = [client.sessions.create({"metadata": {"of": "pages"}}) for _ in range(5)]
    listed = client.sessions.list(metadata={"of": "pages"})
    assert {one.id for one in listed} == {one.id for one in made}
    assert len(client.sessions.list(metadata={"of": "pages"}, limit=3)) == 3
    for one in made:
        client.sessions.delete(one.id)


def test_what_is_wrong_is_said(client, sandbox):
    with pytest.raises(InvalidRequest) as refused:
        client.sandbox(limits={"memory_bytes_max": 1})
    assert refused.value.issues and "memory_bytes_max" in refused.value.issues[0].path
    with pytest.raises(InvalidRequest):
        sandbox.run("1", timeout="soon")
    with pytest.raises(ApiError):
        client.sandbox(template="none-such")


def test_ephemeral_runs(client):
    found = client.run("open('/work/artifacts/a.txt', 'w').write('left')", timeout=30)
    assert found.run_id and found.session_id is None
    assert client.output(found.run_id, "/work/artifacts/a.txt") == b"left"
    assert list(client.stream("print(1)"))[-1].result.stdout == "1\n"
    client.run("z = 3", session="by-name")
    assert client.run("z", session="by-name").text == "3"
    client.sessions.delete("by-name")


def test_the_server_says_what_it_is(client):
    assert "native" in client.info().runtimes
    assert "default" in {one.name for one in client.templates()}
    names = {one.name for one in client.tools()}
    assert {"execute_shell", "code_sandbox"} <= names
    said = client.call_tool("code_sandbox", {"code": "print(6 * 7)"})
    assert said.stdout == "42\n" and not said.failed
