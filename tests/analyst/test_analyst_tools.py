"""The tools over REST: one registry, each call on a session of the caller's own."""

import pytest

TOOLS = {"run_python", "execute_shell", "execute_python_script", "list_files", "read_file", "write_file", "delete_file",
         "make_directory", "code_sandbox"}


def use(server, name, status=200, **arguments):
    answer = server.http.post(f"/v1/tools/{name}", json=arguments)
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def session(offline):
    return offline.session()


def test_all_tools_are_listed_with_their_schemas(offline):
    listed = {tool["name"]: tool for tool in offline.http.get("/v1/tools").json()["tools"]}
    assert set(listed) == TOOLS
    for tool in listed.values():
        assert tool["description"] and tool["parameters"]["type"] == "object"
        assert "session_id" in tool["parameters"]["properties"] and "$ref" not in str(tool["parameters"])
        needed = tool["parameters"].get("required", [])
        assert ("session_id" in needed) == (tool["name"] != "code_sandbox"), tool["name"]


def test_files_and_code_share_a_workspace(offline, session):
    use(offline, "make_directory", session_id=session, path="results")
    use(offline, "write_file", session_id=session, path="results/a.txt", content="grüße")
    assert use(offline, "read_file", session_id=session, path="/session/results/a.txt")["content"] == "grüße"
    listed = use(offline, "list_files", session_id=session, path="results")
    assert [(f["name"], f["type"], f["size"]) for f in listed["files"]] == [("a.txt", "file", 7)]
    assert use(offline, "execute_shell", session_id=session, command="cat results/a.txt; exit 3")["exit_code"] == 3
    use(offline, "run_python", session_id=session, code="x = 20")
    assert use(offline, "run_python", session_id=session, code="x * 2 + 2")["output"] == "42"
    script = use(offline, "execute_python_script", session_id=session, script="import sys; print('out'); sys.exit(4)")
    assert (script["stdout"], script["exit_code"], script["failed"]) == ("out\n", 4, True)
    use(offline, "write_file", session_id=session, path="s.py", content="print('by path')")
    assert use(offline, "execute_python_script", session_id=session, path="s.py")["output"] == "by path"
    use(offline, "delete_file", session_id=session, path="results", recursive=True)
    use(offline, "read_file", 404, session_id=session, path="results/a.txt")


def test_code_sandbox_without_a_session_is_fresh_each_time(offline):
    one = use(offline, "code_sandbox", code="import sys, os\nkept = 1\nopen('/work/artifacts/a.txt', 'w').write('hi')\n"
                                            "print('out'); print('err', file=sys.stderr)")
    assert (one["stdout"], one["stderr"], one["exit_code"]) == ("out\n", "err\n", 0)
    host = one["artifact_map"]["/work/artifacts/a.txt"]
    assert f"outputs/{one['run_id']}/" in host
    assert offline.http.get(f"/v1/outputs/{one['run_id']}/a.txt").text == "hi"
    two = use(offline, "code_sandbox", code="import os; print('kept' in dir(), os.listdir('/work/artifacts'))")
    assert two["stdout"] == "False []\n"


def test_code_sandbox_in_a_session_keeps_variables_and_files(offline, session):
    use(offline, "code_sandbox", session_id=session, code="kept = 41")
    answer = use(offline, "code_sandbox", session_id=session,
                 code="open('/session/artifacts/b.txt', 'w').write('x'); kept + 1")
    assert answer["output"] == "42"
    assert f"sessions/{session}/artifacts/b.txt" in answer["artifact_map"]["/session/artifacts/b.txt"]


def test_limits_of_a_call(offline, session):
    slow = use(offline, "code_sandbox", code="while True: pass", timeout="1s")
    assert slow["reason"] == "timeout" and slow["failed"] and "stopped after" in slow["output"]
    assert use(offline, "execute_shell", session_id=session, command="sleep 60", timeout=1)["reason"] == "timeout"


@pytest.mark.parametrize("name, arguments, path", [
    ("run_python", {}, "code"), ("run_python", {"code": 1}, "code"), ("run_python", {"code": "1"}, "session_id"),
    ("run_python", {"code": "1", "session_id": 5}, "session_id"), ("read_file", {"path": "../x"}, "path"),
    ("execute_python_script", {"script": "1", "path": "x"}, "script"), ("read_file", {"path": "x", "length": 0}, "length"),
    ("code_sandbox", {"code": "1", "memory_bytes_max": 1}, "memory_bytes_max"), ("list_files", {"pth": "x"}, "pth"),
])
def test_bad_arguments_name_their_field(offline, session, name, arguments, path):
    if path not in ("session_id", "code"):
        arguments = {"session_id": session, **arguments}
    answer = use(offline, name, 400, **arguments)
    assert path in [issue["path"] for issue in answer["errors"]], answer


def test_what_is_not_there(offline, session):
    use(offline, "nothing", 404, session_id=session)
    use(offline, "run_python", 404, session_id="s-no", code="1")
    use(offline, "list_files", 404, session_id=session, path="/nowhere")
    assert offline.http.post("/v1/tools/run_python", content=b"{").status_code == 400
