"""Cells of code in a chat: there when the code starts, with live output, a clock and Stop, and an account of their end."""

import re

from harness.model_server import call
from playwright.sync_api import expect


QUESTION = "Your question"
# Nothing but the test lets it end.
WAITS = """import os, sys, time
print('first line', flush=True)
print('a warning', file=sys.stderr, flush=True)
while not os.path.exists('/data/go'): time.sleep(0.01)
print('last line')"""


def ask(page, server, question):
    page.goto(server.url + "/ui")
    box = page.get_by_label(QUESTION)
    box.fill(question)
    box.press("Enter")


def let_go(page, server):
    thread = re.search(r"/ui/t/(th-\w+)", page.url)[1]
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    assert server.http.put(f"/v1/sessions/{session}/files/data/go", content=b"").is_success


def running(page):
    return page.get_by_role("region", name="Running Python")


def test_output_is_seen_before_the_run_ends(server, page):
    ask(page, server, "run: " + WAITS)
    cell = running(page)
    # The code can only end once the test has seen all of this.
    expect(cell).to_contain_text("os.path.exists")
    expect(cell.get_by_label("Output")).to_contain_text("first line")
    expect(cell.get_by_label("Output")).to_contain_text("a warning")
    expect(cell.get_by_role("timer")).to_have_text(re.compile(r"\d"))
    expect(cell.get_by_role("button", name="Stop")).to_be_visible()
    # One place that says that something goes on, not two.
    expect(page.get_by_role("status").filter(has_text="Running")).to_have_count(0)
    # A page that comes back finds it as it was.
    page.reload()
    expect(cell.get_by_label("Output")).to_contain_text("first line")
    let_go(page, server)
    ended = page.get_by_role("region", name="Ran Python")
    expect(ended).to_contain_text("last line")
    expect(ended.get_by_label("Succeeded")).to_be_visible()
    expect(running(page)).to_have_count(0)
    # From history it is the same.
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(1)
    page.reload()
    expect(page.get_by_role("region", name="Ran Python")).to_contain_text("last line")


def test_stop_ends_it_and_the_cell_says_so(server, page):
    ask(page, server, "run: " + WAITS)
    expect(running(page).get_by_label("Output")).to_contain_text("first line")
    running(page).get_by_role("button", name="Stop").click()
    cell = page.get_by_role("region", name="Python failed")
    expect(cell).to_contain_text("Stopped by request")
    expect(cell).to_contain_text("first line")
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(1)


def test_an_error_is_told_by_its_last_line(server, page, models):
    code = "print('before')\ntotal = 0\nfor n in (2, 1, 0):\n    total += 1 / n\nprint(total)"
    models.answer = [{"tool_calls": [call("run_python", code=code)]}, "It cannot be divided."]
    ask(page, server, "divide")
    cell = page.get_by_role("region", name="Python failed")
    expect(cell).to_contain_text("ZeroDivisionError: division by zero")
    expect(cell.get_by_text("line 4", exact=True)).to_be_visible()
    expect(cell.get_by_text("before", exact=True)).to_be_visible()
    # The rest is folded away.
    expect(cell.get_by_text("Cell In[")).to_be_hidden()
    cell.get_by_text("Traceback", exact=True).click()
    expect(cell.get_by_text("Cell In[")).to_be_visible()
    cell.get_by_role("button", name="Hide code").click()
    expect(cell.get_by_text("total += 1 / n")).to_have_count(1)  # the line that failed


def test_why_a_run_ended(server, page, models):
    models.answer = [{"tool_calls": [call("run_python", code="while True: pass", timeout="1s")]},
                     {"tool_calls": [call("execute_shell", command="echo oh; exit 3")]}, "Sorry."]
    ask(page, server, "fail twice")
    expect(page.get_by_role("region", name="Python failed")).to_contain_text(
        re.compile(r"Stopped after [\d.]+ s: time limit"))
    expect(page.get_by_role("region", name="Command failed")).to_contain_text("Ended with exit code 3")


def test_a_flood_of_prints(server, page):
    ask(page, server, "run: for i in range(20_000): print('line', i)")
    cell = page.get_by_role("region", name="Ran Python")
    expect(cell).to_be_visible()
    expect(cell.get_by_role("button", name=re.compile(r"^Show all [\d,]+ lines"))).to_be_visible()


def test_calls_and_thoughts_of_local_models_are_not_shown_as_text(server, page, models):
    """A model without fields for them writes <think> and <tool_call> into its text."""
    code = "print('ran', 6 * 7)"
    models.answer = [f'<think>I should compute it.</think>\n\nLet me see.\n<tool_call>\n'
                     f'{{"name": "run_python", "arguments": {{"code": "{code}"}}}}\n</tool_call>',
                     "<think>Done.</think>It is 42."]
    ask(page, server, "what is it?")
    expect(page.get_by_role("region", name="Ran Python")).to_contain_text("ran 42")
    expect(page.get_by_text("It is 42.", exact=True)).to_be_visible()
    expect(page.get_by_text("Let me see.", exact=True)).to_be_visible()
    log = page.get_by_role("log")
    expect(log).not_to_contain_text("tool_call")
    expect(log).not_to_contain_text("<think>")
    # What it thought is there for who wants it.
    expect(page.get_by_text("I should compute it.")).to_be_hidden()
    page.get_by_text("Reasoning").first.click()
    expect(page.get_by_text("I should compute it.")).to_be_visible()
    thread = re.search(r"/ui/t/(th-\w+)", page.url)[1]
    assert server.history(thread)[-1]["content"].split() == "Let me see. It is 42.".split()
