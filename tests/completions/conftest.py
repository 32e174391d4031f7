"""A real server with a scripted model behind it, and the official client of the OpenAI API."""

import openai
import pytest
from harness.analyst import Analyst, answering
from harness.completions import Chat
from harness.model_server import ModelServer


@pytest.fixture(scope="module")
def models():
    with ModelServer(answering) as running:
        yield running


@pytest.fixture(autouse=True)
def as_scripted(request):
    yield
    if "models" in request.fixturenames:
        request.getfixturevalue("models").answer = answering


@pytest.fixture(scope="module")
def server(tmp_path_factory, models):
    running = Analyst(tmp_path_factory.mktemp("server"), environment=models.environment(), pandas=True)
    yield running
    assert running.stop() == 0


@pytest.fixture
def own_server(tmp_path, models):
    """For tests that stop it."""
    running = Analyst(tmp_path, environment=models.environment())
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture
def client(server):
    """Tries nothing again: a test wants to see each answer."""
    with openai.OpenAI(base_url=server.url + "/v1", api_key="any", max_retries=0, timeout=120) as made:
        yield made


@pytest.fixture
def chat(client):
    return Chat(client)
