"""The tools as LangChain sees them: the real server, no model."""

import asyncio

import pytest
from langchain_core.tools import BaseTool

from atoll import Client, ConnectionFailed, NotFound, ToolFailed, ToolResult, Unauthenticated
from atoll.langchain import TOOL_NAMES, AtollToolkit, code_sandbox


@pytest.fixture
def tools(server, client):
    with AtollToolkit("langchain-test", url=server.url) as toolkit:
        yield {one.name: one for one in toolkit.get_tools()}
    try:
        client.sessions.delete("langchain-test")
    except NotFound:
        pass  # a test that called no tool


def test_nine_tools_by_their_names(tools):
    assert tuple(tools) == TOOL_NAMES and len(tools) == 9
    for one in tools.values():
        assert isinstance(one, BaseTool) and one.description
        assert "session_id" not in one.args  # the model neither sees nor chooses it
    assert tools["execute_shell"].args["command"]["description"]


def test_each_of_them_works(tools):
    assert "hi" in tools["execute_shell"].invoke({"command": "echo hi"})
    assert "42" in tools["execute_python_script"].invoke({"script": "print(6 * 7)"})
    tools["make_directory"].invoke({"path": "/session/d"})
    tools["write_file"].invoke({"path": "/session/d/f.txt", "content": "stored"})
    assert "stored" in tools["read_file"].invoke({"path": "/session/d/f.txt"})
    assert "f.txt" in tools["list_files"].invoke({"path": "/session/d"})
    tools["delete_file"].invoke({"path": "/session/d/f.txt"})
    assert "f.txt" not in tools["list_files"].invoke({"path": "/session/d"})


def test_asynchronously(tools):
    async def both():
        return await asyncio.gather(
            tools["execute_shell"].ainvoke({"command": "echo a"}),
            tools["execute_shell"].ainvoke({"command": "echo b"}),
        )

    for _ in range(2):  # a second event loop works as well
        first, second = asyncio.run(both())
        assert "a" in first and "b" in second


def test_what_a_model_can_do_better_is_told_to_it(tools):
    said = tools["read_file"].invoke({"path": "/session/nothing"})
    assert "nothing" in said
    call = {"name": "execute_shell", "args": {"command": "exit 3"}, "id": "1", "type": "tool_call"}
    message = tools["execute_shell"].invoke(call)
    assert isinstance(message.artifact, ToolResult) and message.artifact.failed
    assert message.artifact.exit_code == 3
    assert "command" in tools["execute_shell"].invoke({"command": ""})  # what is wrong with it


def test_browsers_say_that_they_are_not_there(tools, client):
    offered = {one.name for one in client.tools()}
    for name, arguments in (("browser_tool", {"task": "look"}), ("screenshot_browser", {})):
        if name not in offered:
            assert "offers no browser" in tools[name].invoke(arguments)
            assert "offers no browser" in asyncio.run(tools[name].ainvoke(arguments))


def test_code_sandbox_ephemeral(server):
    tool = code_sandbox(url=server.url)
    assert tool.name == "code_sandbox"
    call = {"name": "code_sandbox", "id": "1", "type": "tool_call",
            "args": {"code": "x = 1; open('/work/artifacts/a', 'w').write('b'); print(x)"}}
    message = tool.invoke(call)
    assert message.artifact.stdout == "1\n" and message.artifact.run_id
    assert list(message.artifact.artifact_map) == ["/work/artifacts/a"]
    assert "NameError" in tool.invoke({"code": "x"})


def test_code_sandbox_pinned(server, client):
    tool = code_sandbox(url=server.url, pinned=True)
    first, second = ({"configurable": {"thread_id": f"thread-{n}"}} for n in (1, 2))
    tool.invoke({"code": "x = 41"}, first)
    tool.invoke({"code": "x = 1"}, second)
    assert "42" in tool.invoke({"code": "x + 1"}, first)
    call = {"name": "code_sandbox", "id": "1", "type": "tool_call",
            "args": {"code": "open('/session/artifacts/a', 'w').write('b')"}}
    assert list(tool.invoke(call, first).artifact.artifact_map) == ["/session/artifacts/a"]
    with pytest.raises(ToolFailed, match="thread_id"):
        tool.invoke({"code": "x"})
    for name in ("thread-1", "thread-2"):
        assert client.connect(name).run("x").ok
        client.sessions.delete(name)


def test_a_session_of_its_own_is_deleted(server, client):
    before = len(client.sessions.list())
    with AtollToolkit(url=server.url) as toolkit:
        (shell,) = toolkit.get_tools(["execute_shell"])
        shell.invoke({"command": "touch /session/mine"})
        assert "mine" in shell.invoke({"command": "ls /session"})
        assert len(client.sessions.list()) == before + 1
    assert len(client.sessions.list()) == before


def test_what_no_model_can_help_is_raised(server, tmp_path):
    from atoll import LocalServer

    with pytest.raises(ToolFailed, match="it has: "):
        AtollToolkit(url=server.url).get_tools(["fly"])
    with LocalServer(data_dir=tmp_path, options=("--require-keys", "always")) as other:
        with pytest.raises(Unauthenticated):
            AtollToolkit(url=other.url).get_tools()
        client = Client(other.url)
    with pytest.raises(ConnectionFailed):
        client.tools()
