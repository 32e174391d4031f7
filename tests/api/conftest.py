"""A real server on a port and a folder of its own."""

import pytest
from harness.server import Server


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory):
    """One for all files: its zygote imports for seconds."""
    running = Server(tmp_path_factory.mktemp("server"), pandas=True)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def server(shared_server):
    """As if it were the file's own: the sessions of a file end with it."""
    yield shared_server
    assert shared_server.process.poll() is None, "the server has ended"
    shared_server.remove_sessions()


@pytest.fixture
def own_server(tmp_path):
    """For tests that kill it."""
    running = Server(tmp_path)
    yield running
    if running.process.poll() is None:
        running.stop()
