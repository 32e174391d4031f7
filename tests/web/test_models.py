"""Choosing a model in the browser: on the settings page, and for one chat."""

import httpx
import pytest
from harness.analyst import Analyst
from harness.model_server import ModelServer
from playwright.sync_api import expect


KEY = "sk-typed-into-the-page-0123456789"
QUESTION = "Your question"


@pytest.fixture(scope="module")
def provider():
    with ModelServer(lambda asked: f"{asked.body['model']} says hello", keys=(KEY,), models=("small", "large")) as one:
        yield one


@pytest.fixture
def bare(tmp_path):
    running = Analyst(tmp_path, environment={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "OPENAI_MODEL": ""})
    running.http.timeout = httpx.Timeout(120)
    yield running
    assert running.stop() == 0


def ask(page, text):
    box = page.get_by_label(QUESTION)
    box.fill(text)
    box.press("Enter")


def test_from_the_banner_to_an_answer_of_the_model(bare, provider, page):
    page.goto(bare.url + "/ui")
    expect(page.get_by_text("The offline analyst answers.")).to_be_visible()
    page.get_by_role("link", name="Choose a model").click()
    page.get_by_label("Address of an OpenAI-compatible API").fill(provider.url)
    page.get_by_label("API key").fill(KEY)
    page.get_by_role("button", name="Save").click()
    choice = page.get_by_role("combobox", name="Model", exact=True)
    # The default is not among them, which is said; then one of them is chosen.
    expect(page.get_by_text("The provider does not list")).to_be_visible()
    choice.select_option("small")
    expect(page.get_by_text("small answers from now on")).to_be_visible()
    expect(choice).to_have_value("small")
    # The key is kept by the server; the page has forgotten it.
    expect(page.get_by_label("API key")).to_have_value("")
    assert page.get_by_label("API key").get_attribute("placeholder") == "kept by the server"
    assert KEY not in page.content()

    page.goto(bare.url + "/ui")
    expect(page.get_by_label("Model of this chat")).to_have_value("small")
    expect(page.get_by_text("The offline analyst answers.")).to_have_count(0)
    page.get_by_label("Model of this chat").select_option("large")
    ask(page, "hello")
    expect(page.get_by_text("large says hello")).to_be_visible()
    # The chat keeps its choice, also for a page or a client that was not there.
    thread = page.url.rsplit("/", 1)[1]
    assert bare.http.get(f"/v1/threads/{thread}").json()["model"] == "large"
    page.reload()
    expect(page.get_by_label("Model of this chat")).to_have_value("large")
    ask(page, "and again")
    expect(page.get_by_text("large says hello")).to_have_count(2)
    # And another one from now on.
    page.get_by_label("Model of this chat").select_option("small")
    ask(page, "once more")
    expect(page.get_by_text("small says hello")).to_have_count(1)
    assert bare.http.get(f"/v1/threads/{thread}").json()["model"] == "small"
    # A new chat begins with the server's.
    page.goto(bare.url + "/ui")
    expect(page.get_by_label("Model of this chat")).to_have_value("small")

    page.goto(bare.url + "/ui/settings")
    page.get_by_role("button", name="Forget it, use the offline analyst").click()
    expect(page.get_by_text("The offline analyst answers from now on")).to_be_visible()
    expect(page.get_by_role("combobox", name="Model", exact=True)).to_have_count(0)


def test_a_program_on_this_machine_is_one_click_away(bare, page):
    try:
        local = ModelServer(lambda asked: f"{asked.body['model']} is local", port=1234, models=("tiny",))
    except RuntimeError:
        pytest.skip("port 1234 is taken on this machine")
    with local:
        page.goto(bare.url + "/ui/settings")
        page.get_by_role("button", name="Use LM Studio").click()
        expect(page.get_by_role("combobox", name="Model", exact=True)).to_have_value("tiny")
        page.goto(bare.url + "/ui")
        ask(page, "hello")
        expect(page.get_by_text("tiny is local")).to_be_visible()


def test_what_the_server_was_started_with_is_shown_as_such(server, page):
    page.goto(server.url + "/ui/settings")
    expect(page.get_by_text("environment: OPENAI_BASE_URL")).to_be_visible()
    expect(page.get_by_role("combobox", name="Model", exact=True)).to_be_disabled()
    expect(page.get_by_label("API key")).to_have_count(0)


def test_a_provider_that_refuses_the_key_says_so(bare, provider, page):
    page.may_complain = True  # of the answer 403
    page.goto(bare.url + "/ui/settings")
    page.get_by_label("Address of an OpenAI-compatible API").fill(provider.url)
    page.get_by_label("API key").fill("wrong")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("refuses the key; check the key on the settings page")
