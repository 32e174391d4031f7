"""What goes wrong under an open page: it says what happened, keeps what was typed, and goes on."""

import json
import re

import pytest
from harness.analyst import Analyst
from harness.host import eventually
from playwright.sync_api import expect

QUESTION = "Your question"
# An emoji, a family of four, Arabic, Hebrew with a mark that turns the direction, quotes.
NAMES = ["📊 sales.csv", "👨‍👩‍👧‍👦.csv", "تقرير المبيعات.csv", "דוח\u200f 1.csv", "a 'b' \"c\" & <d>.csv"]


def ask(page, text):
    box = page.get_by_label(QUESTION)
    box.fill(text)
    box.press("Enter")


def new_chat(page, server, question):
    page.goto(server.url + "/ui")
    ask(page, question)
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_be_visible()


@pytest.fixture
def session(server):
    return server.session()


def test_a_huge_message_becomes_a_file(server, models, page):
    new_chat(page, server, "hello")
    box = page.get_by_label(QUESTION)
    box.fill("Read this:")
    box.evaluate("""box => {
        const data = new DataTransfer();
        data.setData('text/plain', 'line of text\\n'.repeat(30000));
        box.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
    }""")
    expect(page.get_by_text("That was too much for a message: it is attached as a file.")).to_be_visible()
    expect(page.get_by_text("pasted.txt")).to_be_visible()
    assert box.input_value() == "Read this:"
    expect(page.locator("progress")).to_have_count(0)
    box.press("Enter")
    expect(page.get_by_text("You said Read this:")).to_be_visible()
    expect(page.get_by_text("/data/pasted.txt").first).to_be_visible()


def test_a_long_message_is_sent_and_one_that_no_model_reads_says_so(server, models, page):
    models.answer = "Read."
    page.goto(server.url + "/ui")
    ask(page, "🙂" * 20_000)
    expect(page.get_by_text("Read.")).to_be_visible()
    ask(page, "🙂" * 99_000)
    expect(page.get_by_role("alert")).to_contain_text("the budget of the model's context")
    # It can be taken up again, and the chat goes on.
    page.get_by_role("button", name="Edit and ask again").last.click()
    box = page.get_by_label("The question, changed")
    assert len(box.input_value()) == 99_000
    box.fill("shorter")
    box.press("Enter")
    expect(page.get_by_text("Read.")).to_have_count(2)


@pytest.mark.parametrize("name", NAMES, ids=["emoji", "joined emoji", "arabic", "hebrew with a mark", "quotes"])
def test_names_of_all_kinds(server, session, page, name):
    page.goto(f"{server.url}/ui/s/{session}?panel=files")
    expect(page.get_by_role("treeitem").first).to_be_visible()  # whoever picks a file sees the tree
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": b"city,n\nBern,1\n"})
    row = page.get_by_role("treeitem").filter(has_text=re.compile(re.escape(name)))
    row.click()
    expect(page.get_by_text("1 row × 2 columns")).to_be_visible()
    page.reload()
    expect(page.get_by_text("1 row × 2 columns")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("region", name=name).get_by_role("button", name=re.compile("^Download")).first.click()
    assert download.value.path().read_bytes() == b"city,n\nBern,1\n"


def test_a_file_that_goes_while_it_is_looked_at(server, session, page):
    server.run(session, "open('/data/t.csv', 'w').write('n\\n' + '\\n'.join(map(str, range(5000))))")
    page.goto(f"{server.url}/ui/s/{session}?panel=files&file=/data/t.csv")
    expect(page.get_by_text("5,000 rows × 1 column")).to_be_visible()
    server.http.delete(f"/v1/sessions/{session}/files/data/t.csv")
    page.get_by_role("region", name="Table").evaluate("box => box.scrollTop = box.scrollHeight")
    expect(page.get_by_text("the file is not there any more")).to_be_visible()
    # It comes back, and the page goes on.
    server.run(session, "open('/data/t.csv', 'w').write('n\\n' + '\\n'.join(map(str, range(5000))))")
    page.reload()
    page.get_by_role("region", name="Table").evaluate("box => box.scrollTop = box.scrollHeight")
    expect(page.get_by_role("row").last).to_contain_text("4999")


def test_a_page_of_a_table_that_does_not_come(server, session, page, context):
    page.may_complain = True
    server.run(session, "open('/data/t.csv', 'w').write('n\\n' + '\\n'.join(map(str, range(9000))))")
    page.goto(f"{server.url}/ui/s/{session}?panel=files&file=/data/t.csv")
    expect(page.get_by_text("9,000 rows × 1 column")).to_be_visible()
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    page.get_by_role("region", name="Table").evaluate("box => box.scrollTop = box.scrollHeight / 2")
    alert = page.get_by_role("tabpanel").get_by_role("alert")
    expect(alert).to_be_visible()
    context.set_offline(False)
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0)
    expect(page.get_by_role("cell", name="4500")).to_be_visible()


def test_an_upload_that_breaks_is_tried_again(server, page, context):
    page.may_complain = True
    page.goto(server.url + "/ui")
    box = page.get_by_label(QUESTION)
    box.fill("about this file")
    context.set_offline(True)
    page.get_by_test_id("file-picker").set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"n\n1\n"})
    expect(page.get_by_text("failed", exact=False).first).to_be_visible()
    assert box.input_value() == "about this file"
    context.set_offline(False)
    page.get_by_role("listitem").filter(has_text="a.csv").get_by_role("button", name="Try again").click()
    expect(page.get_by_text("4 B")).to_be_visible()
    box.press("Enter")
    expect(page.get_by_text("You said about this file")).to_be_visible()


def test_a_chat_that_cannot_begin_keeps_the_question(server, page, context):
    page.may_complain = True
    page.goto(server.url + "/ui")
    box = page.get_by_label(QUESTION)
    context.set_offline(True)
    ask(page, "asked too early")
    expect(page.get_by_role("alert").first).to_be_visible()
    assert box.input_value() == "asked too early"
    context.set_offline(False)
    box.press("Enter")
    expect(page.get_by_text("You said asked too early")).to_be_visible()


def test_the_editor_keeps_what_it_could_not_save(server, session, page, context):
    page.may_complain = True
    server.run(session, "open('/data/notes.txt', 'w').write('old')")
    page.goto(f"{server.url}/ui/s/{session}?panel=files&file=/data/notes.txt")
    page.get_by_role("button", name="Edit", exact=True).click()
    text = page.get_by_test_id("editor").get_by_role("textbox")
    text.fill("new words")
    context.set_offline(True)
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(text).to_contain_text("new words")
    context.set_offline(False)
    text.click()
    page.keyboard.press("Control+s")
    address = f"/v1/sessions/{session}/files/data/notes.txt"
    assert eventually(lambda: server.http.get(address).text == "new words", 60)


def test_the_console_says_that_nobody_answered(server, session, page, context):
    page.may_complain = True
    page.goto(f"{server.url}/ui/s/{session}?panel=console")
    box = page.get_by_label("Python code")
    expect(box).to_be_visible()
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    box.fill("6 * 7")
    box.press("Enter")
    entries = page.get_by_role("region", name="Console entry")
    expect(entries.first.get_by_role("alert")).to_be_visible()
    context.set_offline(False)
    box.press("ArrowUp")
    expect(box).to_have_value("6 * 7")
    box.press("Enter")
    expect(entries.last).to_contain_text("42")


def test_a_server_that_starts_again_under_an_open_page(tmp_path, models, page):
    page.may_complain = True
    running = Analyst(tmp_path, environment=models.environment())
    try:
        new_chat(page, running, "before")
        box = page.get_by_label(QUESTION)
        box.fill("half a quest")
        running.listen = running.url.removeprefix("http://")
        running.stop()
        running.start()
        expect(box).to_have_value("half a quest")
        ask(page, "after")
        expect(page.get_by_text("You said after")).to_be_visible()
        expect(page.get_by_text("You said before")).to_be_visible()
        page.get_by_role("button", name="Open workspace").click()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        asked = running.http.get("/v1/threads").json()["threads"]
        assert len(asked) == 1, json.dumps(asked)
    finally:
        running.stop()


def test_a_server_that_goes_in_mid_answer(tmp_path, models, page):
    page.may_complain = True
    models.answer = {"text": "on and " * 4000, "rate": 20}
    running = Analyst(tmp_path, environment=models.environment())
    try:
        page.goto(running.url + "/ui")
        ask(page, "do not end")
        expect(page.get_by_text("on and on").first).to_be_visible()
        running.listen = running.url.removeprefix("http://")
        running.kill()
        expect(page.get_by_text("Reconnecting")).to_be_visible()
        running.start()
        # What it said is gone with it; the page says that the answer has no end, and takes the next question.
        expect(page.get_by_text("Reconnecting")).to_have_count(0)
        models.answer = "Here again."
        box = page.get_by_label(QUESTION)
        expect(page.get_by_role("button", name="Send")).to_be_visible()
        box.fill("and now?")
        box.press("Enter")
        expect(page.get_by_text("Here again.")).to_be_visible()
    finally:
        running.stop()
