"""The native runtime on a leash: starts build/release/atoll-driver and asks it things.

One Driver is one host process with a zygote, a pool and any number of named sandboxes. Everything
it does is the product's own code; this file only speaks JSON lines with it.
"""
import itertools
import json
import os
import subprocess
import threading
from concurrent.futures import Future
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Another build of the same: with sanitizers, by ./scripts/test sanitize.
BUILD = Path(os.environ.get("ATOLL_TEST_BUILD") or ROOT / "build" / "release")


class Refused(Exception):
    """The runtime or the guest said no; the text is what a caller would be told."""


class Answer(dict):
    """An answer of the driver with short names for what tests look at."""

    @property
    def out(self) -> str:
        return self.get("stdout", "")

    @property
    def err(self) -> str:
        return self.get("stderr", "")

    @property
    def end(self) -> dict:
        return self["end"]

    @property
    def kernel(self) -> dict:
        return self["end"].get("kernel") or {}

    def events_named(self, name: str) -> list:
        return [event for event in self.get("events", []) if event.get("event") == name]


class Sandbox:
    def __init__(self, driver, name: str, made: dict):
        self.driver, self.name = driver, name
        self.id = made["sandbox"]
        self.pid = made["pid"]  # of its PID 1, as the host counts
        self.first_id = made["first_id"]
        self.create_ms = made["ms"]

    def ask(self, request: dict, wait: float = 60, **more) -> Answer:
        return self.driver.ask("request", wait=wait, name=self.name, request=request, **more)

    def start(self, request: dict, **more) -> Future:
        """As ask, without waiting."""
        return self.driver.send("request", name=self.name, request=request, **more)

    def python(self, code: str, wait: float = 60, context: str = "default", **more) -> Answer:
        request = {"op": "kernel.run", "code": code, "context": context}
        for key in ("timeout_ms", "grace_ms", "allow_input"):
            if key in more:
                request[key] = more.pop(key)
        return self.ask(request, wait=wait, **more)

    def run(self, *argv: str, wait: float = 60, **fields) -> Answer:
        return self.ask({"op": "process.start", "argv": list(argv), **fields}, wait=wait)

    def shell(self, script: str, wait: float = 60, **fields) -> Answer:
        return self.run("bash", "-c", script, wait=wait, **fields)

    def write(self, path: str, content: bytes, **fields) -> Answer:
        return self.ask({"op": "file.write", "path": path, **fields},
                        data=content.decode("latin-1"))

    def read(self, path: str, **fields) -> bytes:
        return self.ask({"op": "file.read", "path": path, **fields})["data"].encode("latin-1")

    def usage(self) -> dict:
        return self.driver.ask("usage", name=self.name)

    def freeze(self, frozen: bool = True):
        self.driver.ask("freeze", name=self.name, frozen=frozen)

    def destroy(self):
        self.driver.ask("destroy", name=self.name)


class Driver:
    def __init__(self, pool: int = 1, environment=None, kept_root: str = "", **options):
        self.process = subprocess.Popen(
            [BUILD / "atoll-driver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment)
        self._ids = itertools.count(1)
        self._names = (f"s{n}" for n in itertools.count(1))
        self._waiting = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()
        self.import_ms = self.ask("start", pool=pool, kept_root=kept_root, wait=180,
                                  **options)["import_ms"]

    def _read(self):
        for line in self.process.stdout:
            answer = Answer(json.loads(line))
            with self._lock:
                future = self._waiting.pop(answer["id"])
            future.set_result(answer)
        with self._lock:
            for future in self._waiting.values():
                future.set_exception(RuntimeError("the driver has ended"))

    def send(self, what: str, **fields) -> Future:
        number = next(self._ids)
        future = Future()
        with self._lock:
            self._waiting[number] = future
            self.process.stdin.write(json.dumps({"id": number, "do": what, **fields}) + "\n")
            self.process.stdin.flush()
        return future

    def ask(self, what: str, wait: float = 60, **fields) -> Answer:
        answer = self.send(what, **fields).result(timeout=wait)
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer

    def create(self, **fields) -> Sandbox:
        """Fields: limits {memory_bytes_max, processes_max, disk_bytes_max, disk_files_max,
        open_files_max, file_bytes_max, cpus_max}, env, mounts [{source, target, writable}], kept_folder."""
        name = next(self._names)
        return Sandbox(self, name, self.ask("create", name=name, **fields))

    def info(self) -> dict:
        return self.ask("info")

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(timeout=60)
