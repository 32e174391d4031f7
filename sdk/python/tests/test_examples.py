"""examples/ as people run them: the real server, and a scripted model behind the OpenAI API."""

import asyncio
import importlib.util

import pytest
from conftest import ROOT
from harness.model_server import ModelServer, call


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def models(server, monkeypatch):
    with ModelServer("nothing to say") as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("LANGSMITH_TRACING", "false")
        monkeypatch.setenv("ATOLL_URL", server.url)
        yield running


def test_a_plain_script(server, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("ATOLL_URL", server.url)
    chart = example("sandbox_script").main(tmp_path)
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert "north    15" in capsys.readouterr().out


def test_a_langchain_agent(models, client):
    before = len(client.sessions.list())

    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("write_file", path="/session/n", content="1000")]}
        if len(asked.tool_results) == 1:
            return {"tool_calls": [call("execute_shell", command="echo $(($(cat /session/n) / 8))")]}
        return "It is " + asked.tool_results[-1].strip()

    models.answer = answer
    assert "125" in example("langchain_agent").main("What is an eighth of it?")
    assert "browser_tool" in {t["function"]["name"] for t in models.requests[0].body["tools"]}
    assert len(client.sessions.list()) == before


def in_the_sandbox(asked):
    if asked.messages[-1]["role"] != "tool":
        return {"tool_calls": [call("code_sandbox", code=asked.user)]}
    return asked.tool_results[-1]


def test_a_langgraph_graph(models, client):
    module = example("langgraph_sandbox")
    models.answer = in_the_sandbox
    graph = module.graph_with_sandbox(pinned=False)
    module.ask(graph, "a", "x = 41")
    assert "NameError" in module.ask(graph, "a", "print(x + 1)")
    graph = module.graph_with_sandbox(pinned=True)
    module.ask(graph, "graph-1", "x = 41")
    module.ask(graph, "graph-2", "x = 1")
    assert "42" in module.ask(graph, "graph-1", "print(x + 1)")
    for name in ("graph-1", "graph-2"):
        client.sessions.delete(name)


def test_the_openai_agents_sdk(models, client):
    before = len(client.sessions.list())

    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code="x = 6 * 7; open('/session/x', 'w').write(str(x))")]}
        if len(asked.tool_results) == 1:
            return {"tool_calls": [call("run_shell", command="cat /session/x")]}
        return "It is " + asked.tool_results[-1]

    models.answer = answer
    assert asyncio.run(example("openai_agents").main("What is it?")) == "It is 42"
    assert len(client.sessions.list()) == before
