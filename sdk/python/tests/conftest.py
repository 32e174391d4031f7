"""A real server for all tests, on a free port and in a folder of its own.

It is build/release/atoll, or that of ATOLL_TEST_BUILD; it needs the template `default`.
"""

import os
import sys
from pathlib import Path

import pytest

from atoll import Client, LocalServer

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("ATOLL_TEST_BUILD") or ROOT / "build" / "release")
sys.path.insert(0, str(ROOT / "tests"))  # for harness.model_server


@pytest.fixture(scope="session", autouse=True)
def no_settings_of_the_caller():
    """Tests say which server they mean."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ATOLL_URL", "ATOLL_API_KEY", "SANDBOX_API_URL"):
            patch.delenv(name, raising=False)
        patch.setenv("ATOLL_BIN", str(BUILD / "atoll"))
        yield


@pytest.fixture(scope="session")
def server(tmp_path_factory, no_settings_of_the_caller):
    with LocalServer(BUILD / "atoll", data_dir=tmp_path_factory.mktemp("server")) as running:
        yield running
    assert running.process.returncode == 0


@pytest.fixture(scope="session")
def client(server):
    with Client(server.url) as made:
        yield made


@pytest.fixture(scope="module")
def sandbox(client):
    """One for all tests of a file."""
    with client.sandbox() as made:
        yield made


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param
