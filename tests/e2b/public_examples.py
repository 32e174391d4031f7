"""Runs public agents that were written for E2B, unchanged, against a real server and scripted models.

    python tests/e2b/public_examples.py FOLDER [--only NAME]…

It downloads nothing. FOLDER has a checkout of the public repository e2b-dev/e2b-cookbook:

    cookbook/            with `npm install` done in examples/openai-js and in
                         examples/claude-code-interpreter-js
    langgraph/           a virtual environment with what examples/langgraph-python depends on

Only variables say where the server and the model are. As in sdk_suites.py all of it runs in a
network namespace that has loopback alone, which takes root.
"""

import argparse
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.model_server import ModelServer, call
from harness.own_network import enter_alone
from harness.server import Server

KEY = "e2b_" + "0" * 40
SECONDS_MAX = 300  # for one of them: finds hangs, not slowness

TEMPERATURES = """
import pandas as pd
import matplotlib.pyplot as plt
table = pd.read_csv("/home/user/city_temperature.csv", low_memory=False)
table = table[table["AvgTemperature"] > -90]
hottest = table.groupby("City")["AvgTemperature"].mean().nlargest(5).index
table[table["City"].isin(hottest)].pivot_table(
    index="Year", columns="City", values="AvgTemperature").plot()
plt.show()
"""
PI = """
import matplotlib.pyplot as plt
import numpy as np
points = np.random.rand(1000, 2)
inside = (points ** 2).sum(axis=1) <= 1
plt.scatter(*points[inside].T, c="orange")
plt.scatter(*points[~inside].T, c="grey")
plt.show()
print(4 * inside.mean())
"""
SINE = """
import matplotlib.pyplot as plt
import numpy as np
x = np.linspace(0, 6.28, 200)
plt.plot(x, np.sin(x))
plt.show()
"""


@dataclass(frozen=True)
class Example:
    name: str
    command: tuple[str, ...]
    said: tuple[str, ...]  # what its output must have
    picture: str  # what it must have written, in its folder


EXAMPLES = (
    Example(
        "openai-js",
        ("node", "node_modules/tsx/dist/cli.mjs", "app.ts"),
        ("Uploaded at /home/user/city_temperature.csv", "Tool Used: execute_python"),
        "temperature_analysis.png",
    ),
    Example(
        "claude-code-interpreter-js",
        ("node", "node_modules/tsx/dist/cli.mjs", "app.ts"),
        ("Tool Used: execute_python", "[Code Interpreter stdout]"),
        "image.png",
    ),
    Example(
        "langgraph-python",
        ("{folder}/langgraph/bin/python", "-m", "langgraph_e2b_python.main"),
        ("***Code Interpreting...", "Saved chart to chart.png", "There is your sine."),
        "chart.png",
    ),
)


def openai_answer(asked):
    if asked.tool_results:
        return "There is your sine."
    if "code_interpreter" in asked.tools:
        return {"tool_calls": [call("code_interpreter", code=SINE)]}
    return {"tool_calls": [call("execute_python", code=TEMPERATURES)]}


class AnthropicModel(http.server.BaseHTTPRequestHandler):
    """POST /v1/messages: wants the first tool that it is offered to run PI."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wanted = {
            "type": "tool_use",
            "id": "toolu_1",
            "name": asked["tools"][0]["name"],
            "input": {"code": PI},
        }
        answer = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": asked["model"],
            "content": [{"type": "text", "text": "I will simulate it."}, wanted],
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run(example: Example, folder: Path, variables: dict[str, str]) -> list[str]:
    """What is wrong with how it went."""
    place = folder / "cookbook/examples" / example.name
    picture = place / example.picture
    picture.unlink(missing_ok=True)
    words = [word.format(folder=folder) for word in example.command]
    ran = subprocess.run(
        words, cwd=place, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=SECONDS_MAX, check=False,
    )  # fmt: skip
    wrong = [f"it did not say {text!r}" for text in example.said if text not in ran.stdout]
    if ran.returncode != 0:
        wrong.append(f"exit status {ran.returncode}")
    if not picture.exists() or not picture.read_bytes().startswith(b"\x89PNG"):
        wrong.append(f"no picture in {example.picture}")
    if wrong:
        print(ran.stdout[-4000:])
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", choices=[one.name for one in EXAMPLES])
    options = parser.parse_args()
    folder = options.folder.resolve()
    enter_alone()
    failed = 0
    anthropic = http.server.ThreadingHTTPServer(("127.0.0.1", 0), AnthropicModel)
    threading.Thread(target=anthropic.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="atoll-e2b-examples-") as kept:
        server = Server(Path(kept))
        try:
            with ModelServer(openai_answer) as openai:
                variables = {
                    **{name: text for name, text in os.environ.items() if "proxy" not in name.lower()},
                    "E2B_API_KEY": KEY,
                    "E2B_API_URL": server.url,
                    "E2B_SANDBOX_URL": server.url,
                    **openai.environment(),
                    "ANTHROPIC_API_KEY": "any",
                    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{anthropic.server_port}",
                }
                for example in EXAMPLES:
                    if options.only and example.name not in options.only:
                        continue
                    wrong = run(example, folder, variables)
                    print(f"{example.name}: {'; '.join(wrong) or 'passed'}", flush=True)
                    failed += bool(wrong)
        finally:
            server.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
