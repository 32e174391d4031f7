"""A real server, and the official E2B SDK pointed at it."""
import os

import pytest
from harness.e2b_sdk import options_of
from harness.server import Server

# The SDK reads its settings from here, too; a test says what it means.
for name in [name for name in os.environ if name.startswith("E2B_")]:
    del os.environ[name]
for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
    os.environ.pop(name, None)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), pandas=True)
    yield running
    assert running.stop() == 0


@pytest.fixture
def sdk(server) -> dict:
    return options_of(server)


@pytest.fixture
def create(sdk):
    """Makes sandboxes that end with the test."""
    from e2b import Sandbox
    made = []

    def make(template="base", **options):
        sandbox = Sandbox.create(template, **{"timeout": 120, **sdk, **options})
        made.append(sandbox)
        return sandbox
    yield make
    for sandbox in made:
        sandbox.kill()


@pytest.fixture
def own_server(tmp_path):
    """For tests that end it, or give it keys."""
    running = Server(tmp_path)
    yield running
    if running.process.poll() is None:
        running.stop()
