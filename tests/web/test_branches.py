"""Branches of a conversation: an earlier answer goes on in a chat of its own, with a copy of the files and variables."""

import re

from playwright.sync_api import expect


QUESTION = "Your question"


def ask(page, text):
    box = page.get_by_label(QUESTION)
    box.fill(text)
    box.press("Enter")


def answers(page, count):
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(count)


def test_branch_from_an_earlier_answer(server, page):
    page.goto(server.url + "/ui")
    ask(page, "run: x = 1; import pathlib; pathlib.Path('/data/one').write_text('1'); print('first', x)")
    answers(page, 1)
    ask(page, "run: import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig('/data/outputs/a.png'); print('second')")
    answers(page, 2)
    ask(page, "run: print('third')")
    answers(page, 3)
    old = page.url
    page.locator('[data-turn="2"]').get_by_role("button", name="Branch from here").click()
    expect(page).not_to_have_url(old)
    expect(page).to_have_url(re.compile("/ui/t/th-"))
    answers(page, 2)
    expect(page.get_by_text("It says first 1")).to_be_visible()
    expect(page.get_by_text("It says third")).to_have_count(0)
    expect(page.get_by_role("heading", name=re.compile(r"\(branch\)$"))).to_be_visible()
    # Its chart is its own.
    thread = page.url.rsplit("/", 1)[1]
    chart = page.get_by_role("figure").get_by_role("img")
    expect(chart).to_be_visible()
    assert thread in chart.get_attribute("src")
    assert chart.evaluate("image => image.decode().then(() => image.naturalWidth > 100)")
    # Variables and files came with it, and what is done there is done there alone.
    ask(page, "run: x += 41; import pathlib; pathlib.Path('/data/one').unlink(); print('now', x)")
    expect(page.get_by_text("It says now 42")).to_be_visible()
    page.goto(old)
    answers(page, 3)
    ask(page, "run: import os; print('still', x, os.path.exists('/data/one'))")
    expect(page.get_by_text("It says still 1 True")).to_be_visible()


def test_a_branch_of_the_whole_chat_from_the_menu(server, page):
    page.goto(server.url + "/ui")
    ask(page, "hello")
    answers(page, 1)
    old = page.url
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Branch this chat").click()
    expect(page).not_to_have_url(old)
    expect(page.get_by_text("You said hello")).to_be_visible()


def test_forks_of_threads(server):
    fork = lambda of, **body: server.http.post(f"/v1/threads/{of}/fork", json=body)  # noqa: E731
    thread = server.thread()
    # Nothing was asked yet: a thread of its own all the same.
    assert fork(thread).json()["turns"] == 0
    assert fork(thread, turn=1).status_code == 400
    server.ask(thread, "run: y = 7; print(y)")
    server.ask(thread, "two")
    made = fork(thread, turn=1, title="Other")
    assert made.status_code == 201 and made.headers["Location"].endswith(made.json()["thread_id"])
    copy = made.json()
    assert (copy["title"], copy["turns"], copy["state"]) == ("Other", 1, "cold")
    assert copy["session_id"] != server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    assert server.history(copy["thread_id"])[0]["content"] == "run: y = 7; print(y)"
    assert len(server.history(copy["thread_id"])) == 2
    assert server.ask(copy["thread_id"], "run: print(y + 1)")["code_runs"][0]["output"].strip() == "8"
    assert len(server.history(thread)) == 4
    session = server.http.get(f"/v1/sessions/{copy['session_id']}").json()
    assert session["metadata"]["thread"] == copy["thread_id"]
    assert fork(thread, turn=3).status_code == 400
    assert fork("th-" + "a" * 32).status_code == 404
    # One whose session was removed begins with fresh files.
    assert server.http.delete(f"/v1/sessions/{copy['session_id']}").is_success
    again = fork(copy["thread_id"]).json()
    assert server.ask(again["thread_id"], "run: print('y' in globals())")["code_runs"][0]["output"].strip() == "False"
