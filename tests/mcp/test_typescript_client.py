"""The same with the official TypeScript client, over HTTP and over stdio."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from harness.cli import ATOLL

HERE = Path(__file__).parent


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_all_of_it(server, way):
    assert (HERE / "node_modules").is_dir(), "./scripts/setup test installs the client"
    target = server.url + "/mcp" if way == "http" else ATOLL
    ran = subprocess.run(["node", HERE / "client.mjs", way, target, "typescript-" + way], capture_output=True,
                         timeout=240, env={**os.environ, "ATOLL_URL": server.url})
    assert ran.returncode == 0, ran.stderr.decode()
    seen = json.loads(ran.stdout)
    listed = [tool["name"] for tool in server.http.get("/v1/tools").json()["tools"]]
    assert seen == {
        "server": "atoll", "tools": listed, "read_file": "grüße", "list_files": "a.txt (7 bytes)",
        "execute_shell": "grüße", "run_python": "42", "execute_python_script": "42", "code_sandbox": "41",
        "failed": True, "progress_answer": "halfway\ndone", "progress": True, "cancelled": True,
        "after_cancel": "41", "image": ["text", "image", "resource_link"], "resource": "grüße", "templates": 1,
        "resources": True, "unknown": -32602,
    }
