"""The web interface in a real Chromium, against the real server that carries it."""

import re

import httpx
import pytest
from harness.analyst import Analyst, answering
from harness.model_server import ModelServer
from playwright import sync_api as playwright

# A busy machine is late at times.
playwright.expect.set_options(timeout=60_000)


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
    """With a scripted model."""
    running = Analyst(tmp_path_factory.mktemp("server"), environment=models.environment(), pandas=True)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    """With the offline analyst."""
    folder = tmp_path_factory.mktemp("offline")
    running = Analyst(folder, environment={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}, pandas=True)
    running.http.timeout = httpx.Timeout(120)
    yield running
    assert running.stop() == 0


@pytest.fixture
def context(chromium):
    made = chromium.new_context(
        viewport={"width": 1280, "height": 900}, locale="en-US", reduced_motion="reduce",
        accept_downloads=True)
    # A busy machine is late at times.
    made.set_default_timeout(60_000)
    yield made
    made.close()


@pytest.fixture
def page(context):
    """A page whose browser must not complain: of its policy, of scripts, of anything."""
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.may_complain = False  # a test that makes requests fail says so
    yield page
    assert page.evaluate("window.reached") is None, "what a model wrote was run"
    # A port of a session has a host name below this machine's own.
    ours = re.compile(r"http://(127\.0\.0\.1|\d+-[st]-\w+\.localhost):|blob:|data:")
    elsewhere = [url for url in asked if not ours.match(url)]
    assert elsewhere == [], "other hosts were asked"
    assert page.may_complain or said == [], "the browser complained"
