"""A real server with a scripted model behind it, and one without any model."""

import httpx
import pytest
from harness.analyst import Analyst, answering
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
    """For tests that kill it."""
    running = Analyst(tmp_path, environment=models.environment())
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    running = Analyst(tmp_path_factory.mktemp("offline"), environment={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""},
                      pandas=True)
    running.http.timeout = httpx.Timeout(120)
    yield running
    assert running.stop() == 0
