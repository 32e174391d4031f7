"""Jupyter Kernel Gateway: kernels over HTTP and WebSocket, as notebooks without a notebook.

It has no request that runs code in fresh state, so a client makes a kernel, waits for its
WebSocket, runs the code and deletes the kernel. It gets the same packages as everybody, its own
kernel spec (Python's frozen modules left on, which the stock one turns off for its debugger) and no
limit on the rate of messages.
"""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import http, jupyter, prepare, process, serving
from . import base


class Gateway(serving.Service):
    def __init__(self, python: Path):
        super().__init__("gateway")
        self.python = python

    def command(self) -> list:
        return [self.python, "-m", "kernel_gateway", "--KernelGatewayApp.ip=127.0.0.1",
                f"--KernelGatewayApp.port={self.port}", "--KernelGatewayApp.port_retries=0",
                "--KernelGatewayApp.default_kernel_name=bench", "--log-level=ERROR",
                "--ZMQChannelsWebsocketConnection.limit_rate=False",
                # 64 kernels that start at once on few cores take longer than its usual minute.
                f"--MappingKernelManager.kernel_info_timeout={process.TIMEOUT_S}"]

    def begin(self) -> None:
        spec = self.folder / "data" / "kernels" / "bench"
        spec.mkdir(parents=True)
        (spec / "kernel.json").write_text(json.dumps({
            "argv": [str(self.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "bench", "language": "python"}))
        self.port = serving.free_port()
        self.start({"JUPYTER_DATA_DIR": str(self.folder / "data"),
                    "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
                    "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
                    "JUPYTER_PREFER_ENV_PATH": "0"})


class Channel:
    """A WebSocket to one kernel; waits for each answer."""

    def __init__(self, port: int, kernel: str):
        self.line = http.Connection(port)
        answer = self.line.exchange(jupyter.channels(kernel))
        if answer[9:12] != b"101":
            raise http.Broken(f"no WebSocket: {bytes(answer[:200])!r}")
        self.answers = jupyter.Answers(self.line.socket)

    def run(self, code: jupyter.Code, kind: bytes) -> bytearray:
        """The first message of the kind that the code brought about."""
        payload, name = code.next()
        self.answers.want(kind, name)
        self.line.socket.sendall(payload)
        while not (end := self.answers.whole(self.line.seen)):
            self.line.more()
        answer = self.line.seen[:end]
        del self.line.seen[:end]
        return answer

    def close(self) -> None:
        self.line.close()


class KernelGateway(base.Peer):
    name = "gateway"
    title = "Jupyter Kernel Gateway"
    can = "hijk"

    def __init__(self, python: Path):
        self.python = python

    def open(self) -> None:
        self.server = Gateway(self.python)
        try:
            self.server.begin()
            self.line = self.server.connection()
        except (process.Failed, http.Broken, OSError) as problem:
            self.server.remove()
            raise prepare.Unavailable(str(problem)) from None
        self.kernels: list[str] = []

    def close(self) -> None:
        self.line.close()
        self.server.remove()

    def ready(self) -> None:
        """It keeps nothing ready that a new kernel could use."""

    def _create(self, line: http.Connection) -> str:
        return line.ask("POST", "/api/kernels", {})["id"]

    def fresh_job(self) -> dict:
        return {"script": "fresh_kernel", "port": self.server.port, "code": "1+1",
                "expected": '"2"'}

    def running_job(self, connections: int) -> dict:
        def one(_):
            with self.server.connection() as line:
                kernel = self._create(line)
                Channel(self.server.port, kernel).close()  # opens once the kernel answers
                return kernel
        with ThreadPoolExecutor(4) as pool:
            self.kernels += pool.map(one, range(connections - len(self.kernels)))
        return {"script": "running_kernel", "port": self.server.port, "code": "1+1",
                "expected": '"2"', "kernels": self.kernels[:connections], "warm_up": 3}

    def end_running(self) -> None:
        while self.kernels:
            self.line.ask("DELETE", f"/api/kernels/{self.kernels.pop()}")

    def create_to_result(self) -> float:
        start = time.perf_counter()
        kernel = self._create(self.line)
        channel = Channel(self.server.port, kernel)
        answer = channel.run(jupyter.Code(base.FIRST_RESULT), b"stream")
        taken = (time.perf_counter() - start) * 1000
        channel.close()
        self.line.ask("DELETE", f"/api/kernels/{kernel}")
        if base.FIRST_RESULT_SEEN not in answer:
            raise process.Failed(f"no result: {bytes(answer[-400:])!r}")
        return taken

    def print_to_event(self, count: int) -> list[float]:
        kernel = self._create(self.line)
        channel = Channel(self.server.port, kernel)
        code, samples = jupyter.Code(base.PRINTS), []
        for number in range(count + 1):
            answer = channel.run(code, b"stream")
            arrived = time.time_ns()
            printed = int(re.search(rb'"text": ?"(\d{16,})', answer)[1])
            if number:  # the first warms up both sides
                samples.append((arrived - printed) / 1e6)
        channel.close()
        self.line.ask("DELETE", f"/api/kernels/{kernel}")
        return samples
