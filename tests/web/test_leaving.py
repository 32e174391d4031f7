"""Leaving a chat ends its session; a reload, another tab and a moment elsewhere do not.

That something did not happen is seen beside a chat which was left later, and to which it did happen.
"""

import re
import uuid

import pytest
from harness.analyst import Analyst
from harness.host import eventually
from harness.relay import Relay
from playwright.sync_api import expect

QUESTION = "Your question"
# Long enough for a reload on a busy machine.
GRACE = "12s"


@pytest.fixture(scope="module")
def left(tmp_path_factory, models):
    running = Analyst(
        tmp_path_factory.mktemp("left"), environment=models.environment() | {"ATOLL_LEAVE_GRACE": GRACE})
    yield running
    assert running.stop() == 0


def ask(page, text, label=QUESTION):
    box = page.get_by_label(label)
    box.fill(text)
    box.press("Enter")


def answered(page, turns=1):
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(turns)


def begin(page, server, text="run: kept = 6 * 7"):
    page.goto(server.url + "/ui")
    ask(page, text)
    answered(page)
    return thread_of(page)


def thread_of(page):
    return re.search(r"/ui/t/(t[ht]-\w+)", page.url)[1]


def state(server, thread):
    return server.http.get(f"/thread/{thread}/status").json()["state"]


def is_there(server, thread):
    return server.http.get(f"/v1/threads/{thread}").status_code == 200


def is_stored(server, thread):
    return eventually(lambda: state(server, thread) == "cold", 90)


def others_would_have_ended(server):
    thread = server.thread()
    server.ask(thread, "run: 1")
    path = f"/v1/threads/{thread}/presence/{uuid.uuid4()}"
    assert server.http.put(path).status_code == server.http.delete(path).status_code == 204
    assert is_stored(server, thread)


def test_a_chat_that_was_left_is_found_again(left, page):
    thread = begin(page, left)
    session = left.http.get(f"/v1/threads/{thread}").json()["session_id"]
    assert page.evaluate("sessionStorage.getItem('session_id')") == session
    # A moment at another page, and back.
    page.get_by_role("link", name="Sessions").click()
    expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    page.go_back()
    answered(page)
    others_would_have_ended(left)
    assert state(left, thread) != "cold"
    # The session's own page is the chat's, too.
    page.goto(f"{left.url}/ui/s/{session}?panel=console")
    expect(page.get_by_role("heading", name="Chat session")).to_be_visible()
    others_would_have_ended(left)
    assert state(left, thread) != "cold"
    page.get_by_role("link", name="Jobs").click()
    assert is_stored(left, thread)
    page.goto(f"{left.url}/ui/t/{thread}")
    answered(page)
    ask(page, "run: print(kept)")
    expect(page.get_by_text("It says 42")).to_be_visible()


def test_closing_the_page_is_leaving_and_a_reload_is_not(left, context):
    other = context.new_page()
    thread = begin(other, left)
    for _ in range(2):
        other.reload()
        answered(other)
    others_would_have_ended(left)
    assert state(left, thread) != "cold"
    other.close()
    assert is_stored(left, thread)


def test_a_chat_that_is_open_in_two_tabs(left, context, page):
    thread = begin(page, left)
    # Opened by this one, it begins with a copy of its sessionStorage, as a duplicated tab does.
    with context.expect_page() as opened:
        page.evaluate("void window.open(location.href)")
    other = opened.value
    answered(other)
    other.close()
    others_would_have_ended(left)
    assert state(left, thread) != "cold"
    other = context.new_page()
    other.goto(f"{left.url}/ui/t/{thread}")
    answered(other)
    page.get_by_role("link", name="New chat").first.click()
    others_would_have_ended(left)
    assert state(left, thread) != "cold", "the other tab shows it"
    other.goto(left.url + "/ui/sessions")
    assert is_stored(left, thread)


def test_what_is_at_work_goes_on(left, models, page):
    """The answer that was being given when the page was left is there to its end."""
    words = " ".join(f"word{n}" for n in range(150))
    page.goto(left.url + "/ui")
    models.answer = {"text": words, "rate": 8}
    ask(page, "many words")
    expect(page.get_by_text("word5 ")).to_be_visible()
    thread = thread_of(page)
    page.goto("about:blank")
    assert is_stored(left, thread)
    assert left.history(thread)[-1]["content"] == words


def test_a_temporary_chat(left, page):
    page.may_complain = True  # what is gone answers with 404
    page.goto(left.url + "/ui")
    switch = page.get_by_role("switch", name="Temporary")
    expect(switch).not_to_be_checked()
    switch.click()
    expect(switch).to_be_checked()
    expect(page.get_by_role("note")).to_contain_text("it is deleted with its files and variables")
    ask(page, "run: kept = 1")
    answered(page)
    thread = thread_of(page)
    assert left.http.get(f"/v1/threads/{thread}").json()["temporary"]
    expect(page.get_by_role("main").get_by_text("Temporary", exact=True)).to_be_visible()
    page.reload()
    answered(page)
    others_would_have_ended(left)
    assert is_there(left, thread), "a reload is no leaving"
    # It is in no list, where the other one is.
    page.reload()
    listed = page.get_by_role("navigation", name="Chats")
    expect(listed.get_by_role("link").first).to_be_visible()
    expect(listed.get_by_role("link", name="run: kept = 1", exact=True)).to_have_count(0)
    address = page.url
    page.get_by_role("link", name="New chat").first.click()
    expect(page.get_by_role("switch", name="Temporary")).not_to_be_checked()
    assert eventually(lambda: not is_there(left, thread), 90)
    page.goto(address)
    expect(page.get_by_text("It was temporary, and was deleted")).to_be_visible()


def test_a_temporary_chat_in_chinese(left, page):
    page.goto(left.url + "/ui")
    page.get_by_role("button", name="中文").click()
    page.get_by_role("switch", name="临时对话").click()
    expect(page.get_by_role("note")).to_contain_text("连同文件和变量一起被删除")
    ask(page, "run: kept = 1", label="你的问题")
    expect(page.get_by_role("main").get_by_text("临时对话", exact=True)).to_be_visible()
    expect(page.get_by_text("It says")).to_be_visible()
    thread = thread_of(page)
    page.goto("about:blank")
    assert eventually(lambda: not is_there(left, thread), 90)


def test_the_network_is_away_when_a_chat_is_left(left, page):
    page.may_complain = True
    with Relay(int(left.url.rsplit(":", 1)[1])) as wire:
        page.goto(wire.url + "/ui")
        ask(page, "run: kept = 6 * 7")
        answered(page)
        thread = thread_of(page)
        wire.refuse()
        page.get_by_role("link", name="New chat").first.click()
        expect(page.get_by_role("switch", name="Temporary")).to_be_visible()
        others_would_have_ended(left)
        assert state(left, thread) != "cold"
        wire.mend()
        assert is_stored(left, thread)


def test_the_server_was_away_while_a_chat_was_open(tmp_path, models, page):
    """After a restart the page says again that it is there, so that leaving it is known as such."""
    page.may_complain = True
    running = Analyst(tmp_path, environment=models.environment() | {"ATOLL_LEAVE_GRACE": "1s"})
    try:
        thread = begin(page, running)
        running.listen = running.url.removeprefix("http://")
        running.kill()
        with page.expect_response(lambda one: "/presence/" in one.url and one.status == 204):
            running.start()
            # Somebody looks at the page again, which is when it says so before its minute is over.
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        ask(page, "run: kept = 6 * 7")
        answered(page, turns=2)
        page.goto("about:blank")
        assert is_stored(running, thread)
    finally:
        running.stop()
