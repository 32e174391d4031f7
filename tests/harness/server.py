"""The real server, on a port and a folder of its own."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import httpx

from .driver import BUILD
from .host import eventually, sockets_of
from .templates import lean


class Server:
    def __init__(self, folder: Path, *options: str, environment=None, listen="127.0.0.1:0", prefix=(), pandas=False):
        """`pandas`: with the default template. It takes ten times as long to start as one with Python alone."""
        self.folder, self.options, self.listen = folder, options, listen
        self.prefix = prefix  # a program that starts it, and its words
        template = {} if pandas else {"ATOLL_DATA_DIR": str(lean())}
        self.environment = {**os.environ, **template, **(environment or {})}
        self.process = None
        self.start()

    def start(self):
        self.log = open(self.folder / "log", "ab+")
        begin = self.log.seek(0, os.SEEK_END)
        self.process = subprocess.Popen(
            [*self.prefix, BUILD / "atoll", "serve", "--listen", self.listen, "--data-dir", self.folder / "data",
             "--pool", "3", *self.options],
            stdout=self.log, stderr=self.log, env=self.environment)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            self.log.seek(begin)
            text = self.log.read().decode()
            found = re.search(r"listening on (\S+?);", text)
            if found:
                self.url = f"http://{found[1]}".replace("0.0.0.0", "127.0.0.1")
                self.http = httpx.Client(base_url=self.url, timeout=60)
                return
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended: {text}")
            time.sleep(0.02)
        raise RuntimeError(f"the server does not listen: {text}")

    def kill(self):
        """As if the power button of the process had been pressed."""
        self.http.close()
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.http.close()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=60)
        self.log.close()
        return status

    def session(self, **fields) -> str:
        answer = self.http.post("/v1/sessions", json=fields)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def run(self, session: str, code: str, **fields) -> dict:
        answer = self.http.post(f"/v1/sessions/{session}/run", json={"code": code, **fields})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def sockets(self, within: float = 60) -> int:
        """How many the server has, once its pool is full: a sandbox that is made or waits there has one, too. Not all
        descriptors: those of ID maps are kept, one for each slot that was ever used."""
        assert eventually(lambda: re.search(r"^atoll_pool_ready 3$", self.http.get("/metrics").text, re.M), within)
        return sockets_of(self.process.pid)

    def remove_sessions(self):
        while found := self.http.get("/v1/sessions?limit=500").json()["sessions"]:
            for one in found:
                assert self.http.delete(f"/v1/sessions/{one['id']}").status_code in (204, 404)
