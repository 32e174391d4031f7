"""A fresh ipykernel through jupyter_client: what notebooks and most code interpreters start.

Ready is found out in the quickest sound way: requests for kernel_info until a reply and a message
on the output channel have come. jupyter_client's own wait_for_ready waits 0.2 s longer, and
ZeroMQ's habit of trying to connect every 0.1 s is set to 5 ms. Python's frozen modules are left
on; the stock kernel spec turns them off for its debugger. TCP as by default: the ipc transport was
tried and is no quicker.
"""

import queue
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from .. import prepare, process
from . import base

DEADLINE_S = process.TIMEOUT_S


class IPyKernel(base.Peer):
    name = "ipykernel"
    title = "ipykernel (jupyter_client)"
    can = "abcde"

    def __init__(self, python: Path):
        self.python = python

    def open(self) -> None:
        try:
            import jupyter_client
            import zmq
        except ImportError as problem:
            raise prepare.Unavailable(f"jupyter_client: {problem}") from None
        self.jupyter_client = jupyter_client
        self.context = zmq.Context()
        self.context.setsockopt(zmq.RECONNECT_IVL, 5)
        self.context.setsockopt(zmq.LINGER, 0)

    def close(self) -> None:
        self.context.term()

    def first_result(self) -> float:
        start = time.perf_counter()
        manager, client = self._start()
        try:
            self._run(client, base.FIRST_RESULT, base.FIRST_RESULT_SEEN.decode())
            return (time.perf_counter() - start) * 1000
        finally:
            self._end(manager, client)

    def ephemeral(self) -> None:
        manager, client = self._start()
        try:
            self._run(client, "print(1+1)", "2")
        finally:
            self._end(manager, client)

    def round_trips(self, count: int) -> list[float]:
        manager, client = self._start()
        try:
            samples = []
            for number in range(count + 5):  # the first few warm up both sides
                start = time.perf_counter()
                self._run(client, "1+1", "2")
                if number >= 5:
                    samples.append((time.perf_counter() - start) * 1000)
            return samples
        finally:
            self._end(manager, client)

    def restarts(self, count: int) -> list[float]:
        """Until the new kernel has answered 1+1. Nothing is imported: in the peer's favour."""
        manager, client = self._start()
        try:
            samples = []
            for _ in range(count):
                start = time.perf_counter()
                manager.restart_kernel(now=True)
                self._wait_ready(client)
                self._run(client, "1+1", "2")
                samples.append((time.perf_counter() - start) * 1000)
            return samples
        finally:
            self._end(manager, client)

    @contextmanager
    def idle(self):
        manager, client = self._start()
        try:
            self._run(client, base.FIRST_RESULT, base.FIRST_RESULT_SEEN.decode())
            yield lambda: process.family(manager.provisioner.pid)
        finally:
            self._end(manager, client)

    def _start(self):
        manager = self.jupyter_client.KernelManager(context=self.context)
        manager.kernel_spec.argv[:] = [str(self.python), "-m", "ipykernel_launcher", "-f",
                                       "{connection_file}"]
        manager.start_kernel(env=prepare.clean_environment(), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        client = manager.client()
        try:
            client.start_channels(stdin=False, hb=False, control=False)
            self._wait_ready(client)
        except BaseException:
            self._end(manager, client)
            raise
        return manager, client

    def _wait_ready(self, client) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            asked = client.kernel_info()
            while True:
                try:
                    reply = client.get_shell_msg(timeout=deadline - time.monotonic())
                except queue.Empty:
                    raise process.Failed("the kernel did not become ready") from None
                if reply["parent_header"].get("msg_id") == asked:
                    break
            if self._heard(client, asked):
                return
        raise process.Failed("the kernel did not become ready")

    @staticmethod
    def _heard(client, asked: str) -> bool:
        """Whether the output channel is connected: a message about `asked` has come by it."""
        try:
            while True:
                message = client.get_iopub_msg(timeout=0.02)
                if message["parent_header"].get("msg_id") == asked:
                    return True
        except queue.Empty:
            return False

    @staticmethod
    def _run(client, code: str, expected: str) -> None:
        asked = client.execute(code)
        while True:
            try:
                message = client.get_iopub_msg(timeout=DEADLINE_S)
            except queue.Empty:
                raise process.Failed("the kernel gave no result") from None
            if message["parent_header"].get("msg_id") != asked:
                continue
            content = message["content"]
            if message["msg_type"] == "error":
                raise process.Failed(f"the kernel: {content['ename']}: {content['evalue']}")
            text = content.get("text") or content.get("data", {}).get("text/plain", "")
            if expected in text and message["msg_type"] in ("stream", "execute_result"):
                return

    @staticmethod
    def _end(manager, client) -> None:
        client.stop_channels()
        if manager.has_kernel:
            manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
