"""A server for the commands that are its clients."""
import pytest

from harness.cli import atoll
from harness.server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"), "--jobs", "2")
    yield running
    assert running.stop() == 0


@pytest.fixture
def client(server, monkeypatch):
    """Calls the command line with the server's address; text in and out."""
    monkeypatch.setenv("ATOLL_URL", server.url)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # leads nowhere, and is not for this machine

    def call(*words, **more):
        done = atoll(*words, **more)
        done.out, done.err = done.stdout.decode(), done.stderr.decode()
        return done
    return call


@pytest.fixture
def session(client):
    done = client("new")
    assert done.returncode == 0, done.err
    return done.out.strip()
