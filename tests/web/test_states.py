"""Every state that a page can be in, as people see it: what happened, what it means, what helps.

The server of this file is strict: its limits are small enough to run into, and the model behind it
can be taken away. Its tests share it, and put back what they change.
"""

import json
import re

import httpx
import pytest
from harness.analyst import Analyst, answering
from harness.host import eventually
from harness.model_server import ModelServer
from harness.relay import Relay
from playwright.sync_api import expect

QUESTION = "Your question"
MEMORY = 300 << 20
UPLOAD = 1 << 20
# Grows until it is stopped; a page at a time, so that all of it is really used.
GREEDY = "kept = []\nwhile True: kept.append(bytearray(b'1') * (8 << 20))"


@pytest.fixture(scope="module")
def strict(tmp_path_factory, models):
    running = Analyst(
        tmp_path_factory.mktemp("strict"), pandas=True,
        environment=models.environment() | {
            "ATOLL_UPLOAD_FILE": str(UPLOAD), "CPYTHON_AS_MB": str(MEMORY >> 20), "OPENAI_TIMEOUT": "20s"})
    yield running
    assert running.stop() == 0


def ask(page, text):
    box = page.get_by_label(QUESTION)
    box.fill(text)
    box.press("Enter")


def answered(page, turns=1):
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(turns)


def thread_of(page):
    return re.search(r"/ui/t/(th-\w+)", page.url)[1]


def test_waiting_shows_the_shape_of_what_comes(strict, page):
    thread = strict.thread()
    strict.ask(thread, "hello")
    held = []
    page.route("**/history?*", lambda route: held.append(route))
    page.goto(f"{strict.url}/ui/t/{thread}")
    expect(page.get_by_role("log").locator(".skeleton").first).to_be_visible()
    page.unroute("**/history?*")  # lets go of what was held
    expect(page.get_by_text("You said hello")).to_be_visible()
    expect(page.locator(".skeleton")).to_have_count(0)


def test_a_file_that_is_too_large(strict, page):
    """413: says so beside the file, keeps the question, and takes a smaller one."""
    page.may_complain = True
    page.goto(strict.url + "/ui")
    box = page.get_by_label(QUESTION)
    box.fill("about this file")
    picker = page.get_by_test_id("file-picker")
    picker.set_input_files({"name": "large.csv", "mimeType": "text/csv", "buffer": bytes(UPLOAD + 1)})
    alert = page.get_by_role("alert").filter(has_text="large.csv")
    expect(alert).to_contain_text("This is larger than the server takes")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.get_by_role("button", name="Remove large.csv").click()
    expect(alert).to_have_count(0)
    assert box.input_value() == "about this file"
    picker.set_input_files({"name": "small.csv", "mimeType": "text/csv", "buffer": b"n\n1\n"})
    expect(page.get_by_text("4 B")).to_be_visible()
    box.press("Enter")
    expect(page.get_by_text("You said about this file")).to_be_visible()


def test_too_many_requests(tmp_path, models, page):
    """429: says how long to wait, counts down, keeps the question; then it is answered."""
    page.may_complain = True
    # As many as a page needs to load, and some for the test itself. One minute: no test waits for it.
    running = Analyst(tmp_path, environment=models.environment() | {"RATE_LIMIT_MAX": "60"})
    page.clock.install()
    try:
        page.goto(running.url + "/ui")
        box = page.get_by_label(QUESTION)
        box.fill("asked too often")
        assert any(running.http.get("/v1/info").status_code == 429 for _ in range(100))
        box.press("Enter")
        alert = page.get_by_role("alert").filter(has_text="Too many requests.")
        expect(alert).to_contain_text(re.compile(r"Try again in \d+ s\."))
        expect(alert.get_by_role("button", name="Try again")).to_be_disabled()
        assert box.input_value() == "asked too often"
        said = alert.inner_text()
        expect(alert).not_to_have_text(said)  # it counts down
        # A server that starts anew has counted nothing; the clock is the page's.
        running.listen = running.url.removeprefix("http://")
        running.stop()
        running.start()
        page.clock.fast_forward(61_000)
        alert.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("You said asked too often")).to_be_visible()
    finally:
        running.stop()


def test_a_model_that_cannot_be_reached(tmp_path, page):
    page.may_complain = True
    provider = ModelServer(answering)
    running = Analyst(tmp_path, environment=provider.environment())
    running.http.timeout = httpx.Timeout(120)
    try:
        with provider:
            page.goto(running.url + "/ui")
            ask(page, "hello")
            answered(page)
        ask(page, "is anybody there?")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("The answer failed")
        expect(alert).to_contain_text(re.compile("model", re.I))
        # The question stays, also for a page that was not there, and is asked again with one click.
        page.reload()
        expect(page.get_by_text("is anybody there?")).to_be_visible()
        with ModelServer(answering, port=provider.port):
            page.get_by_role("button", name="Ask again", exact=True).last.click()
            expect(page.get_by_text("You said is anybody there?")).to_be_visible()
    finally:
        running.stop()


def test_memory_that_runs_out_in_a_chat(strict, page):
    page.goto(strict.url + "/ui")
    ask(page, "run: kept_before = 1")
    answered(page)
    ask(page, "run: " + GREEDY)
    cell = page.get_by_role("region", name="Python failed")
    expect(cell).to_contain_text("the memory limit of 315 MB was reached. Variables are gone; files are kept.")
    # What the server writes for the model is not what people read.
    expect(cell).not_to_contain_text("[ran out of")
    answered(page, turns=2)
    ask(page, "run: print('kept_before' in globals())")
    expect(page.get_by_text("It says False")).to_be_visible()


def test_a_kernel_that_dies(strict, page):
    """In a chat, and in the console with a way to start it again."""
    page.goto(strict.url + "/ui")
    ask(page, "run: import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    cell = page.get_by_role("region", name="Python failed")
    expect(cell).to_contain_text("Ended by a signal. Variables are gone; files are kept.")
    answered(page)
    page.get_by_role("button", name="Open workspace").click()
    page.get_by_role("tab", name="Console").click()
    box = page.get_by_label("Python code")
    box.fill("import os; os.kill(os.getpid(), 9)")
    box.press("Enter")
    notice = page.get_by_role("alert").filter(has_text="The Python kernel died.")
    expect(notice).to_contain_text("Variables are gone; files are kept.")
    notice.get_by_role("button", name="Restart kernel").click()
    box.fill("6 * 7")
    box.press("Enter")
    expect(page.get_by_role("region", name="Console entry").last).to_contain_text("42")


def test_a_program_that_sleep_stopped(strict, page):
    session = strict.session(name="sleeper")
    made = strict.http.post(f"/v1/sessions/{session}/processes", json={"command": "sleep 1000"})
    assert made.is_success, made.text
    assert strict.http.post(f"/v1/sessions/{session}/evict").is_success
    page.goto(f"{strict.url}/ui/s/{session}?panel=activity")
    expect(page.get_by_text("stopped because the session slept")).to_be_visible()


def test_a_session_that_goes_under_an_open_page(strict, page):
    page.may_complain = True
    session = strict.session(name="short-lived")
    page.goto(f"{strict.url}/ui/s/{session}?panel=files")
    expect(page.get_by_role("treeitem", name="/data")).to_be_visible()
    assert strict.http.delete(f"/v1/sessions/{session}").is_success
    expect(page.get_by_text("This session is not there any more")).to_be_visible()
    # A chat whose session went has a new one with the next question.
    page.goto(strict.url + "/ui")
    ask(page, "run: lost = 1")
    answered(page)
    own = strict.http.get(f"/v1/threads/{thread_of(page)}").json()["session_id"]
    assert strict.http.delete(f"/v1/sessions/{own}").is_success
    ask(page, "run: print('lost' in globals())")
    expect(page.get_by_text("It says False")).to_be_visible()


def test_a_stream_that_breaks_is_taken_up_where_it_was(strict, models, page):
    """The connection is reset twice in mid-answer, and once nobody answers for a while."""
    page.may_complain = True
    words = [f"word{n}" for n in range(200)]
    models.answer = {"text": " ".join(words), "rate": 25}
    with Relay(int(strict.url.rsplit(":", 1)[1])) as wire:
        page.goto(wire.url + "/ui")
        ask(page, "many words")
        expect(page.get_by_text("word5 ")).to_be_visible()
        assert wire.cut() > 0
        expect(page.get_by_text("word30 ")).to_be_visible()
        wire.refuse()
        expect(page.get_by_text("Reconnecting")).to_be_visible()
        wire.mend()
        answered(page)
        assert page.locator(".prose").inner_text().split() == words
        # One question, not one for each connection.
        turns = strict.history(thread_of(page))
        assert [one["role"] for one in turns] == ["user", "assistant"], json.dumps(turns)


def test_nobody_answers(strict, page):
    """No server: the page says so, keeps what was typed, and goes on."""
    page.may_complain = True
    with Relay(int(strict.url.rsplit(":", 1)[1])) as wire:
        page.goto(wire.url + "/ui/jobs")
        page.get_by_label("Code").fill("print('kept')")
        wire.refuse()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("alert").filter(has_text="The server does not answer").first).to_be_visible()
        expect(page.get_by_label("Code")).to_have_value("print('kept')")
        wire.mend()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_text("kept", exact=True).last).to_be_visible()


# A page, a request that it cannot do without, and what shows once that is answered.
NEEDS = [
    ("/ui/t/{thread}", "**/v1/threads/th-*", "You said hello"),
    ("/ui/t/{thread}", "**/history?*", "You said hello"),
    ("/ui/s/{session}", "**/v1/sessions/s-*", "looked-at"),
    ("/ui/s/{session}?panel=files", "**/files/data?limit=*", "outputs"),
    ("/ui/s/{session}?panel=files&file=/data/a.txt", "**/files/data/a.txt*", "text of a"),
    ("/ui/s/{session}?panel=files&file=/data/a.csv", "**/s-*/run", "1 row"),
    ("/ui/s/{session}?panel=gallery", "**/s-*/artifacts*", "No artifacts yet"),
    ("/ui/s/{session}?panel=variables", "**/contexts/default/variables*", "answer_number"),
    ("/ui/s/{session}?panel=ports", "**/s-*/ports", "No server listens"),
    ("/ui/s/{session}?panel=activity", "**/s-*/processes", "No processes"),
    ("/ui/sessions", "**/v1/sessions?*", "looked-at"),
    ("/ui/jobs", "**/v1/jobs?*", "No jobs yet|Took"),
    ("/ui/server", "**/v1/info", "Walls in force"),
    ("/ui/keys", "**/v1/keys*", "No keys"),
    ("/ui/settings", "**/v1/model-settings", "OPENAI_BASE_URL"),
]


def test_every_page_says_what_it_could_not_load(strict, page):
    """Each request that a page cannot do without fails once: the page says so, and one click brings what was missing.
    With an answer of 500, since what is lost on the way is asked for again after pauses, which are not worth waiting for."""
    page.may_complain = True
    strict.remove_sessions()  # a first try of this test may have left one of that name
    thread = strict.thread()
    strict.ask(thread, "hello")
    session = strict.session(name="looked-at")
    strict.run(session, "answer_number = 42\nopen('/data/a.txt', 'w').write('text of a')\n"
                        "open('/data/a.csv', 'w').write('n\\n1\\n')")
    main = page.get_by_role("main")
    for address, pattern, shown in NEEDS:
        page.route(pattern, lambda route: route.fulfill(status=500, json={"detail": "out of order"}))
        page.goto(strict.url + address.format(thread=thread, session=session))
        notice = main.get_by_role("alert").first
        expect(notice, address).to_contain_text(re.compile("The server failed|out of order"))
        page.unroute(pattern)
        again = main.get_by_role("button", name="Try again")
        # Some pages ask again by themselves, and need no click.
        expect(again.last.or_(main.get_by_text(re.compile(shown))).first, address).to_be_visible()
        for button in again.all():
            button.dispatch_event("click")
        expect(main.get_by_text(re.compile(shown)).first, address).to_be_visible()


def test_every_deed_that_fails_is_told(strict, page):
    """Nobody answers what is clicked: each time there are words about it, and nothing that was typed is lost."""
    page.may_complain = True
    thread = strict.thread()
    strict.ask(thread, "hello")
    session = strict.session(name="worked-on")
    strict.run(session, "open('/data/a.txt', 'w').write('a')")
    told = page.get_by_text("The server does not answer")

    def act(*clicks):
        for role, name in clicks:
            page.get_by_role(role, name=name, exact=True).first.click()

    def refused(methods, *clicks):
        """What the page sends is lost; what it reads is not."""
        page.route("**/*", lambda route: route.abort() if route.request.method in methods else route.fallback())
        act(*clicks)
        expect(told.first).to_be_visible()
        page.unroute("**/*")
        close = page.get_by_role("status").get_by_role("button", name="Close")
        while close.count() > 0:
            close.first.click()

    writes = ("POST", "PUT", "PATCH", "DELETE")
    page.goto(f"{strict.url}/ui/t/{thread}")
    answered(page)
    refused(writes, ("button", "Export"), ("menuitem", "Branch this chat"))
    page.get_by_role("button", name="hello", exact=True).click()
    page.get_by_label("Title").fill("another title")
    refused(writes, ("button", "Rename"))
    page.goto(f"{strict.url}/ui/s/{session}?panel=files")
    for name in ("Pause", "Store on disk", "Fork"):
        refused(writes, ("button", "Actions for worked-on"), ("menuitem", name))
    act(("button", "Actions for worked-on"), ("menuitem", "Delete"))
    refused(writes, ("button", "Delete"))
    act(("button", "New folder"))
    page.get_by_label("Name, in /data").fill("folder")
    refused(writes, ("button", "Create"))
    page.get_by_role("treeitem", name="a.txt").hover()
    act(("button", "Actions for a.txt"), ("menuitem", "Rename or move"))
    page.get_by_label("New name").fill("b.txt")
    refused(writes, ("button", "Rename"))
    expect(page.get_by_role("treeitem", name="a.txt")).to_be_visible()
    page.get_by_role("tab", name="Activity").click()
    page.get_by_label("Command").fill("sleep 9")
    refused(writes, ("button", "Start"))
    expect(page.get_by_label("Command")).to_have_value("sleep 9")
    page.get_by_role("tab", name="Ports").click()
    refused(writes, ("button", "Run these lines"))
    page.goto(f"{strict.url}/ui/sessions")
    act(("button", "New session"))
    refused(writes, ("button", "Create"))


def test_two_tabs(strict, models, page, context):
    """What one tab asks streams in the other, too; each keeps its own draft, and neither overwrites the other's file."""
    words = [f"word{n}" for n in range(120)]
    page.goto(strict.url + "/ui")
    ask(page, "hello")
    answered(page)
    other = context.new_page()
    other.goto(page.url)
    answered(other)
    other.get_by_label(QUESTION).fill("a draft of my own")
    models.answer = {"text": " ".join(words), "rate": 40}
    ask(page, "many words")
    for one in (other, page):
        expect(one.get_by_role("log").get_by_text("many words", exact=True)).to_be_visible()
        expect(one.get_by_text("word5 ")).to_be_visible()
    # Stop is the thread's, not the tab's.
    other.get_by_role("button", name="Stop").click()
    for one in (page, other):
        expect(one.get_by_text("You stopped this answer.")).to_be_visible()
        answered(one, turns=2)
    assert other.get_by_label(QUESTION).input_value() == "a draft of my own"
    assert page.get_by_label(QUESTION).input_value() == ""
    models.answer = answering
    # A chat that one tab begins is in the other's list.
    page.goto(strict.url + "/ui")
    ask(page, "begun in a tab")
    expect(other.get_by_role("link", name="begun in a tab")).to_be_visible()

    session = strict.session()
    strict.run(session, "open('/data/both.txt', 'w').write('first')")
    for one in (page, other):
        one.may_complain = True
        one.goto(f"{strict.url}/ui/s/{session}?panel=files&file=/data/both.txt")
        one.get_by_role("button", name="Edit", exact=True).click()
        text = one.get_by_test_id("editor").get_by_role("textbox")
        expect(text).to_contain_text("first")
        text.fill("of the other" if one is other else "of this")
    page.keyboard.press("Control+s")
    address = f"/v1/sessions/{session}/files/data/both.txt"
    assert eventually(lambda: strict.http.get(address).text == "of this", 60)
    other.keyboard.press("Control+s")
    expect(other.get_by_text("The file was changed by somebody else meanwhile.")).to_be_visible()
    assert strict.http.get(address).text == "of this"
    other.get_by_role("button", name="Save anyway").click()
    assert eventually(lambda: strict.http.get(address).text == "of the other", 60)
