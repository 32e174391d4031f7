import pytest

from harness.model import ModelProgram
from harness.model_server import ModelServer


@pytest.fixture(scope="module")
def program():
    running = ModelProgram()
    yield running
    assert running.process.poll() is None, "the program has ended"
    running.close()


@pytest.fixture
def models():
    with ModelServer() as server:
        yield server
        assert not server.failures, server.failures
