"""llm-sandbox from PyPI, on the same Docker and the same image.

Best configuration: its environment set-up (a virtual environment and a new pip for each sandbox)
is off, since the image has everything. Its pool of running containers is measured as a subject of
its own, each container used once, as fresh state asks.
"""

import time

from .. import prepare, process
from . import base

# The image's `sleep` ignores SIGTERM as PID 1: without this each stop would wait ten seconds.
RUNTIME = {"network_mode": "none", "stop_signal": "SIGKILL"}


class LlmSandbox(base.Peer):
    name = "llm-sandbox"
    title = "llm-sandbox"
    can = "ae"

    def __init__(self, daemon, packages: list[str]):
        self.daemon = daemon
        self.packages = packages

    def open(self) -> None:
        try:
            import docker
            from llm_sandbox import SandboxSession
        except ImportError as problem:
            raise prepare.Unavailable(f"llm-sandbox: {problem}") from None
        self.daemon.start()
        self.image = self.daemon.image(self.packages)
        self.session_type = SandboxSession
        self.client = docker.DockerClient(base_url=self.daemon.address, timeout=process.TIMEOUT_S)
        try:
            self.first_result()
        except Exception as problem:
            self.client.close()
            raise prepare.Unavailable(f"llm-sandbox does not work here: {problem}") from None

    def close(self) -> None:
        self.client.close()

    def _session(self):
        return self.session_type(client=self.client, image=self.image, lang="python",
                                 skip_environment_setup=True, runtime_configs=dict(RUNTIME))

    def _run(self, code: str, expected: str) -> float:
        start = time.perf_counter()
        with self._session() as session:
            result = session.run(code)
            taken = (time.perf_counter() - start) * 1000
        if expected not in result.stdout:
            raise process.Failed(f"llm-sandbox gave {result.stdout!r} {result.stderr[-300:]!r}")
        return taken

    def first_result(self) -> float:
        return self._run(base.FIRST_RESULT, base.FIRST_RESULT_SEEN.decode())

    def ephemeral(self) -> None:
        self._run("print(1+1)", "2")


class LlmSandboxPool(LlmSandbox):
    """A container that runs already, taken from the pool: always a hit, for the pool is filled
    off the clock before each sample."""

    name = "llm-sandbox-pool"
    title = "llm-sandbox, pool hit"
    can = "a"
    burst = False

    def first_result(self) -> float:
        from llm_sandbox.pool import PoolConfig, create_pool_manager
        pool = create_pool_manager(
            client=self.client, lang="python", image=self.image, runtime_configs=dict(RUNTIME),
            config=PoolConfig(max_pool_size=1, min_pool_size=1, max_container_uses=1),
            skip_environment_setup=True)
        try:
            self.pool = pool
            return super().first_result()
        finally:
            pool.close()

    def _session(self):
        from llm_sandbox.pool import PooledSandboxSession
        return PooledSandboxSession(pool_manager=self.pool)
