"""Atoll's analyst: `atoll serve` beside a scripted model in a process of its own."""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from .. import http, paths, prepare, process, serving
from . import base

POOL = 8
RATE = 50  # tokens a second of each stream
AT_ONCE, AT_A_RATE = "at once", "at a rate"


class Analyst(base.Peer):
    name = "atoll"
    title = "Atoll"
    can = "o"

    def __init__(self, binary: Path):
        self.binary = binary

    def open(self) -> None:
        if not self.binary.exists():
            raise prepare.Unavailable(f"{self.binary.name} is not in {self.binary.parent}: "
                                      "run ./scripts/build")
        self.folder = tempfile.TemporaryDirectory(prefix="atoll-bench-model-")
        self.model = self._model()
        self.server = serving.AtollServer(self.binary, POOL)
        try:
            self.model_url = self._model_url()
            self.server.start({"OPENAI_BASE_URL": self.model_url, "OPENAI_API_KEY": "bench"})
            self.line = self.server.connection()
        except (process.Failed, http.Broken, OSError) as problem:
            self.server.remove()
            self._end_model()
            raise prepare.Unavailable(str(problem)) from None

    def _model(self) -> subprocess.Popen:
        """The tests' model server: one answer at once, all others token by token."""
        script = Path(self.folder.name) / "script.json"
        script.write_text(json.dumps({"rules": [{"user": f"^{AT_ONCE}", "reply": "Yes."}],
                                      "else": {"text": "word " * 10 * RATE, "rate": RATE}}))
        program = paths.REPOSITORY / "tests" / "harness" / "model_server.py"
        return subprocess.Popen([sys.executable, program, "--script", script, "--keep-requests",
                                 "0"], stdout=subprocess.PIPE, text=True)

    def _model_url(self) -> str:
        said = self.model.stdout.readline()
        found = re.search(r"http://\S+", said)
        if not found:
            raise process.Failed(f"the scripted model does not start: {said!r}")
        return found[0]

    def _end_model(self) -> None:
        self.model.terminate()
        self.model.wait()
        self.model.stdout.close()
        self.folder.cleanup()

    def close(self) -> None:
        self.line.close()
        self.server.remove()
        self._end_model()

    def model_late_ms(self) -> float:
        """The most that the scripted model ever was behind its own rate."""
        with urllib.request.urlopen(self.model_url.removesuffix("/v1") + "/_/stats") as answer:
            return json.load(answer)["late_ms"]

    def thread(self) -> str:
        return self.line.ask("POST", "/thread/new")["thread_id"]

    def ask(self, thread: str) -> None:
        self.line.ask("POST", f"/thread/{thread}/message", {"message": AT_ONCE})

    @staticmethod
    def question(thread: str, message: str) -> bytes:
        return http.request("POST", f"/thread/{thread}/message/stream", {"message": message},
                            accept="text/event-stream")
