"""A real server, and the official client in each of the ways in which it can be connected."""

import asyncio

import pytest
from harness.mcp_client import program
from harness.server import Server
from mcp import Client

WAYS = {"sessions": "legacy", "stateless": "2026-07-28", "found out": "auto", "stdio": "legacy"}


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("mcp"), pandas=True)
    yield running
    assert running.stop() == 0


@pytest.fixture
def own_server(tmp_path):
    """For tests that stop it; what lasts until the end of the grace fails."""
    running = Server(tmp_path, "--stop-grace", "300s")
    yield running
    if running.process.poll() is None:
        running.kill()


@pytest.fixture(params=WAYS)
def client(server, request):
    """Runs a coroutine function with a connected client."""
    def run(work, **more):
        async def with_client():
            target = program(server.url) if request.param == "stdio" else server.url + "/mcp"
            async with Client(target, mode=WAYS[request.param], **more) as connected:
                return await work(connected)
        return asyncio.run(with_client())
    run.way = request.param
    return run
