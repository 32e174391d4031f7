"""Tools, files and images through the official Python client: over HTTP with and without sessions, and over stdio."""

import asyncio
import base64
import json
import threading

import httpx
import pytest
from mcp import MCPError

PNG = b"\x89PNG\r\n\x1a\n"
CHART = ("import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); plt.savefig('/data/outputs/%s.png'); "
         "print('drawn')")


def text_of(result) -> str:
    return "\n".join(one.text for one in result.content if one.type == "text")


def kinds(result) -> list:
    return [one.type for one in result.content]


async def until_there(server, session: str, path: str):
    """A file that code writes says how far it has come."""
    while server.http.get(f"/v1/sessions/{session}/files/{path}").status_code != 200:
        await asyncio.sleep(0.02)


def test_the_server_says_what_it_is(client):
    async def look(connected):
        return connected.server_info, connected.instructions, connected.protocol_version
    info, instructions, revision = client(look)
    if client.way != "stateless":  # a client that is told the revision does not ask who is there
        assert info.name == "atoll" and "session_id" in instructions
    assert revision == ("2026-07-28" if client.way in ("stateless", "found out") else "2025-11-25")


def test_the_tools_are_those_of_the_registry(client, server):
    async def look(connected):
        return (await connected.list_tools()).tools
    listed = {tool.name: tool for tool in client(look)}
    known = {tool["name"]: tool for tool in server.http.get("/v1/tools").json()["tools"]}
    assert set(listed) == set(known)
    for name, tool in listed.items():
        assert tool.description == known[name]["description"]
        assert tool.input_schema["properties"] == known[name]["parameters"]["properties"]
        assert "session_id" not in tool.input_schema.get("required", []), name


def test_every_tool_goes_there_and_back(client, server):
    name = "tools-" + client.way.replace(" ", "-")

    async def work(connected):
        used = set()

        async def use(tool, **arguments):
            used.add(tool)
            result = await connected.call_tool(tool, {"session_id": name, **arguments})
            assert not result.is_error, result
            return text_of(result)

        await use("make_directory", path="results")
        await use("write_file", path="results/a.txt", content="grüße")
        assert await use("read_file", path="/session/results/a.txt") == "grüße"
        assert "a.txt (7 bytes)" in await use("list_files", path="results")
        assert await use("execute_shell", command="cat results/a.txt") == "grüße"
        await use("run_python", code="x = 20")
        assert await use("run_python", code="x * 2 + 2") == "42"
        assert await use("execute_python_script", script="print(6 * 7)") == "42"
        assert await use("code_sandbox", code="print(x + 1)") == "21"
        await use("delete_file", path="results", recursive=True)
        assert "results" not in await use("list_files", path="/session")
        listed = {tool.name for tool in (await connected.list_tools()).tools}
        assert used == listed, "a tool has no round trip here"
    client(work)


def test_a_call_that_names_no_session_works_in_the_clients_own(client):
    async def work(connected):
        await connected.call_tool("run_python", {"code": "mine = 41"})
        own = await connected.call_tool("run_python", {"code": "mine + 1"})
        named = await connected.call_tool("run_python", {"session_id": "mcp", "code": "mine + 1"})
        fresh = await connected.call_tool("code_sandbox", {"code": "print('mine' in dir())"})
        return text_of(own), text_of(named), text_of(fresh)
    assert client(work) == ("42", "42", "False")


def test_what_goes_wrong_is_told_to_the_model(client):
    async def work(connected):
        failed = await connected.call_tool("run_python", {"code": "print('so far'); 1 / 0"})
        assert failed.is_error and "so far" in text_of(failed) and "ZeroDivisionError" in text_of(failed)
        wrong = await connected.call_tool("run_python", {"cod": "1"})
        assert wrong.is_error and "code" in text_of(wrong)
        missing = await connected.call_tool("read_file", {"path": "/session/nowhere"})
        assert missing.is_error and "nowhere" in text_of(missing)
        with pytest.raises(MCPError) as unknown:
            await connected.call_tool("run_pyton", {"code": "1"})
        assert unknown.value.code == -32602 and "did you mean run_python?" in str(unknown.value)
    client(work)


def test_a_chart_comes_back_as_an_image_and_as_a_resource(client):
    chart = client.way.replace(" ", "-")

    async def work(connected):
        result = await connected.call_tool("run_python", {"code": CHART % chart})
        assert not result.is_error and kinds(result) == ["text", "image", "resource_link"]
        image, link = result.content[1:]
        assert image.mime_type == "image/png" and base64.b64decode(image.data).startswith(PNG)
        assert str(link.uri).endswith(f"/files/data/outputs/{chart}.png")
        read = (await connected.read_resource(str(link.uri))).contents[0]
        assert read.mime_type == "image/png" and base64.b64decode(read.blob) == base64.b64decode(image.data)
        shown = await connected.call_tool("run_python", {"code": "plt.figure(); plt.plot([1]); plt.show()"})
        assert "image" in kinds(shown)
    client(work)


def test_artifacts_of_a_fresh_sandbox_are_linked(client, server):
    async def work(connected):
        made = await connected.call_tool("code_sandbox", {"code": "open('/work/artifacts/a b.txt', 'w').write('hi')"})
        return [str(one.uri) for one in made.content if one.type == "resource_link"]
    (link,) = client(work)
    assert link.startswith(server.url + "/v1/outputs/") and server.http.get(link).text == "hi"


def test_resources_are_the_files_of_sessions(client, server):
    async def work(connected):
        await connected.call_tool("write_file", {"path": "/session/notes/ü b.txt", "content": "text"})
        listed = {str(one.uri): one for one in (await connected.list_resources()).resources}
        uri = "atoll://sessions/mcp/files/session/notes/%C3%BC%20b.txt"
        assert listed[uri].size == 4 and listed[uri].mime_type.startswith("text/plain")
        read = (await connected.read_resource(uri)).contents[0]
        assert (str(read.uri), read.text) == (uri, "text")
        templates = (await connected.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "atoll://sessions/{session}/files/{+path}"
        await connected.call_tool("write_file", {"session_id": "other", "path": "b.txt", "content": "b"})
        other = await connected.read_resource("atoll://sessions/other/files/session/b.txt")
        assert other.contents[0].text == "b"
        for wrong, code in [("atoll://sessions/mcp/files/session/none", -32002), ("file:///etc/passwd", -32602),
                            ("atoll://sessions/mcp/files/session", -32000),
                            ("atoll://sessions/nobody/files/session/b.txt", -32002)]:
            with pytest.raises(MCPError) as refused:
                await connected.read_resource(wrong)
            assert refused.value.code == code, wrong
        await connected.call_tool("execute_shell", {"command": "truncate -s 5M /session/large"})
        with pytest.raises(MCPError, match="5242880 bytes"):
            await connected.read_resource("atoll://sessions/mcp/files/session/large")
    client(work)


def test_a_long_list_of_resources_has_pages(client, server):
    async def work(connected):
        await connected.call_tool("execute_shell", {"command": "mkdir -p many; cd many; for i in $(seq 600); do "
                                                               "> $i; done; rm -f /session/large"})
        found, cursor = [], None
        while True:
            page = await connected.list_resources(cursor=cursor)
            found += [str(one.uri) for one in page.resources]
            cursor = page.next_cursor
            if not cursor:
                break
        many = [uri for uri in found if "/session/many/" in uri]
        assert len(many) == len(set(found) & set(many)) == 600
        await connected.call_tool("delete_file", {"path": "many", "recursive": True})
    client(work)


def test_progress_while_code_runs(client, server):
    """The code goes on when the test has heard what it printed."""
    name = "progress-" + client.way.replace(" ", "-")
    heard = []

    async def work(connected):
        reached = asyncio.Event()

        async def hear(progress, total, message):
            heard.append((progress, message))
            if "halfway" in (message or ""):
                reached.set()

        code = ("import os, time\nprint('halfway', flush=True)\n"
                "while not os.path.exists('/session/go'): time.sleep(0.02)\nprint('done')")
        call = asyncio.create_task(
            connected.call_tool("run_python", {"session_id": name, "code": code}, progress_callback=hear))
        await reached.wait()
        assert server.http.put(f"/v1/sessions/{name}/files/session/go", content=b"").status_code in (200, 201)
        return text_of(await call)
    assert client(work) == "halfway\ndone"
    told = [progress for progress, _ in heard]
    assert told == sorted(set(told)), told


def test_a_cancelled_call_ends_its_run(client, server):
    name = "cancelled-" + client.way.replace(" ", "-")

    async def work(connected):
        await connected.call_tool("run_python", {"session_id": name, "code": "kept = 7"})
        code = "open('/session/started', 'w').close()\nimport time\ntime.sleep(3600)"
        call = asyncio.create_task(connected.call_tool("run_python", {"session_id": name, "code": code}))
        await until_there(server, name, "session/started")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        # The kernel is free again, and it is the same one.
        return text_of(await connected.call_tool("run_python", {"session_id": name, "code": "kept"}))
    assert client(work) == "7"


STATELESS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run_python"}
STOPPING = "The server is stopping and has ended this call; try again in a moment."


@pytest.mark.parametrize("accepts", ["application/json", "application/json, text/event-stream"])
def test_a_stop_ends_calls_at_once(own_server, accepts):
    """Not after the grace, which is longer than this test may take. The client hears why, and what was printed before."""
    code = ("print('so far', flush=True)\nopen('/session/started', 'w').close()\nimport time\n"
            "time.sleep(3600)")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "run_python", "arguments": {"session_id": "long", "code": code},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientCapabilities": {}}}}
    answers = []

    def ask():
        answers.append(httpx.post(own_server.url + "/mcp", json=call, timeout=120,
                                  headers={**STATELESS, "Accept": accepts}))
    asking = threading.Thread(target=ask)
    asking.start()
    asyncio.run(until_there(own_server, "long", "session/started"))
    assert own_server.stop() == 0
    asking.join()
    text = answers[0].text.rsplit("data: ", 1)[-1] if "event-stream" in accepts else answers[0].text
    result = json.loads(text)["result"]
    printed, why = (one["text"] for one in result["content"])
    assert result["isError"] and "so far" in printed and why == STOPPING


def test_ping(client):
    if client.way in ("stateless", "found out"):
        pytest.skip("this revision has no ping")

    async def work(connected):
        return await connected.send_ping()
    client(work)


def test_many_calls_at_a_time(client):
    async def work(connected):
        calls = [connected.call_tool("code_sandbox", {"code": f"print({number})"}) for number in range(8)]
        return [text_of(result) for result in await asyncio.gather(*calls)]
    assert client(work) == [str(number) for number in range(8)]


def test_large_arguments_and_answers_arrive_whole(client):
    text = json.dumps({"ü": list(range(60_000))}, ensure_ascii=False)

    async def work(connected):
        await connected.call_tool("write_file", {"path": "big.json", "content": text})
        read = await connected.read_resource("atoll://sessions/mcp/files/session/big.json")
        return read.contents[0].text
    assert client(work) == text
