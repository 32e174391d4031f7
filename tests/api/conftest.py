"""A real server on a port and a folder of its own, for all tests of a file."""

import pytest
from harness.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    assert running.stop() == 0


@pytest.fixture
def own_server(tmp_path):
    """For tests that kill it."""
    running = Server(tmp_path)
    yield running
    if running.process.poll() is None:
        running.stop()
