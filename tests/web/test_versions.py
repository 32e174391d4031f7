"""Versions of a question: changed or asked again, it is asked at its place; a small switch goes between them."""

import re

import pytest
from playwright.sync_api import expect

QUESTION = "Your question"


def ask(page, text):
    box = page.get_by_label(QUESTION)
    box.fill(text)
    box.press("Enter")


def answers(page, count):
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(count)


def turn(page, number):
    return page.locator(f'[data-turn="{number}"]')


def change(page, number, text):
    turn(page, number).get_by_role("button", name="Edit and ask again").click()
    box = page.get_by_label("The question, changed")
    box.fill(text)
    box.press("Enter")


def switch(page, at, of):
    return page.get_by_role("group", name=f"Version {at} of {of} of this question")


def said(page, *words):
    """These answers, and no other."""
    for word in words:
        expect(page.get_by_text(f"You said {word}", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("^You said "))).to_have_count(len(words))


@pytest.fixture
def chat(server, page):
    """Three questions, of which the second was changed."""
    page.goto(server.url + "/ui")
    for number, text in enumerate(("one", "two", "three"), 1):
        ask(page, text)
        answers(page, number)
    change(page, 2, "second")
    said(page, "one", "second")
    answers(page, 2)
    return page


def test_a_changed_question_stands_at_its_place(server, chat):
    page = chat
    expect(switch(page, 2, 2)).to_be_visible()
    # What was said before is in the other version, as it was.
    switch(page, 2, 2).get_by_role("button", name="Previous version").click()
    said(page, "one", "two", "three")
    expect(switch(page, 1, 2)).to_be_visible()
    expect(switch(page, 1, 2).get_by_role("button", name="Previous version")).to_be_disabled()
    # The server knows it: a page that comes back finds the same.
    page.reload()
    expect(switch(page, 1, 2)).to_be_visible()
    switch(page, 1, 2).get_by_role("button", name="Next version").click()
    said(page, "one", "second")
    # A version has versions.
    change(page, 2, "second, once more")
    said(page, "one", "second, once more")
    expect(switch(page, 3, 3)).to_be_visible()
    # And each goes its own way.
    ask(page, "and then")
    said(page, "one", "second, once more", "and then")
    answers(page, 3)
    change(page, 3, "and otherwise")
    said(page, "one", "second, once more", "and otherwise")
    expect(switch(page, 3, 3)).to_be_visible()
    expect(switch(page, 2, 2)).to_be_visible()


def test_the_first_question_and_an_answer_again(server, page):
    page.goto(server.url + "/ui")
    ask(page, "only one")
    answers(page, 1)
    change(page, 1, "another one")
    said(page, "another one")
    expect(switch(page, 2, 2)).to_be_visible()
    answers(page, 1)
    page.get_by_role("button", name="Ask again", exact=True).click()
    expect(switch(page, 3, 3)).to_be_visible()
    said(page, "another one")


def test_versions_are_one_entry_of_the_list(server, chat):
    page = chat
    chats = page.get_by_role("navigation", name="Chats")
    open_one = chats.locator("a[aria-current]")
    expect(open_one).to_have_count(1)
    expect(open_one).to_have_text("one")
    # A name is that of the chat, whichever version is shown.
    page.get_by_role("button", name="one", exact=True).click()
    page.get_by_label("Title").fill("Renamed")
    page.get_by_label("Title").press("Enter")
    expect(page.get_by_role("heading", name="Renamed")).to_be_visible()
    switch(page, 2, 2).get_by_role("button", name="Previous version").click()
    said(page, "one", "two", "three")
    expect(page.get_by_role("heading", name="Renamed")).to_be_visible()
    expect(chats.get_by_role("link", name="Renamed")).to_have_count(1)
    expect(chats.locator("a[aria-current]")).to_have_text("Renamed")
    # Deleted with all its versions.
    chats.get_by_role("link", name="Renamed").hover()
    page.get_by_role("button", name="Actions for Renamed").click()
    with page.expect_response(lambda answer: answer.url.endswith("?versions=true")) as deleted:
        page.get_by_role("menuitem", name="Delete").click()
        expect(chats.get_by_role("link", name="Renamed")).to_have_count(0)
    assert deleted.value.status == 204
    assert "Renamed" not in [one["title"] for one in server.http.get("/v1/threads").json()["threads"]]


def test_the_page_says_what_a_version_is(server, page):
    page.goto(server.url + "/ui")
    ask(page, "run: x = 1")
    answers(page, 1)
    ask(page, "run: x = 2; print('x is', x)")
    answers(page, 2)
    turn(page, 1).get_by_role("button", name="Edit and ask again").click()
    expect(page.get_by_text("Files and variables stay as they are now.")).to_be_visible()
    box = page.get_by_label("The question, changed")
    box.fill("run: print('x is still', x)")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("It says x is still 2")).to_be_visible()
    # An empty one is not asked.
    turn(page, 1).get_by_role("button", name="Edit and ask again").click()
    page.get_by_label("The question, changed").fill("  ")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()


def test_a_version_that_cannot_be_made_keeps_what_was_typed(server, page):
    page.may_complain = True
    page.goto(server.url + "/ui")
    ask(page, "hello")
    answers(page, 1)
    page.route("**/fork", lambda route: route.fulfill(
        status=409, json={"detail": "a terminal is open"}))
    change(page, 1, "hello there")
    expect(page.get_by_text("a terminal is open")).to_be_visible()
    expect(page.get_by_label("The question, changed")).to_have_value("hello there")
    page.unroute("**/fork")
    page.get_by_label("The question, changed").press("Enter")
    said(page, "hello there")
