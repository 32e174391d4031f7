"""Much of everything: long answers, many messages, large uploads. What it costs is measured by measure.py."""

import re

from playwright.sync_api import expect

QUESTION = "Your question"


def ask(page, text):
    box = page.get_by_label(QUESTION)
    box.fill(text)
    box.press("Enter")


def test_a_growing_answer_leaves_what_it_has_shown_alone(server, models, page):
    """Else each piece renders the whole answer again, which took seconds at 20,000 tokens."""
    words = "some **bold** words and `code` of it. "
    models.answer = {"text": f"# Head\n\n{words * 400}\n\n- end", "rate": 2000}
    page.goto(server.url + "/ui")
    ask(page, "many words")
    parts = page.locator(".prose .run-on p")
    expect(parts.nth(1)).to_be_visible()
    page.evaluate("""() => { for (const one of document.querySelectorAll('.prose h1, .prose .run-on p:first-of-type'))
        one.isOld = true }""")
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_be_visible()
    kept = page.evaluate("""() => [...document.querySelectorAll('.prose h1, .prose .run-on p:first-of-type')]
        .map((one) => one.isOld === true)""")
    assert kept == [True, True]
    # One paragraph to the reader, with nothing lost.
    assert page.locator(".run-on").inner_text().split() == (words * 400).replace("**", "").replace("`", "").split()
    assert len({box["x"] for box in (parts.nth(n).bounding_box() for n in range(parts.count()))}) == 1
    assert parts.nth(1).evaluate("one => getComputedStyle(one).display") == "inline"


def test_many_turns_are_not_all_in_the_page(server, models, page):
    models.answer = "An answer.\n\n" + "More words. " * 40
    thread = server.thread()
    for number in range(120):
        server.ask(thread, f"question {number} of many")
    page.goto(f"{server.url}/ui/t/{thread}")
    log = page.get_by_role("log")
    last = log.get_by_text("question 119 of many")
    expect(last).to_be_visible()
    expect(log.get_by_role("article").first).to_be_attached()
    assert log.get_by_role("article").count() < 60
    first = log.get_by_text("question 0 of many")
    expect(first).to_have_count(0)
    log.evaluate("box => box.scrollTop = 0")
    expect(first).to_be_in_viewport()
    expect(last).to_be_attached()  # the end is always there
    page.get_by_role("button", name="To the end").click()
    expect(last).to_be_in_viewport()
    # What is read stays where it is while what is above it gets its true height.
    log.evaluate("box => box.scrollTop = box.scrollHeight / 2")
    expect(log.get_by_role("article").first).to_be_attached()
    ask(page, "one more")
    expect(log.get_by_text("one more", exact=True)).to_be_in_viewport()


def test_an_upload_shows_what_was_sent(server, page):
    page.goto(server.url + "/ui")
    page.get_by_label(QUESTION).wait_for()
    tools = page.context.new_cdp_session(page)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 8 << 20})
    page.evaluate("""() => {
        window.steps = [];
        new MutationObserver(() => {
            const value = document.querySelector('progress')?.value ?? 0;
            if (value > 0 && value !== steps.at(-1)) steps.push(value);
        }).observe(document.body, {subtree: true, childList: true, attributes: true});
    }""")
    page.get_by_test_id("file-picker").set_input_files(
        {"name": "large.bin", "mimeType": "application/octet-stream", "buffer": bytes(16 << 20)})
    expect(page.get_by_text(re.compile(r"16\.8 MB|16 MB"))).to_be_visible()
    expect(page.locator("progress")).to_have_count(0)
    steps = page.evaluate("steps")
    assert steps == sorted(steps)
    assert len([one for one in steps if 0 < one < 1]) >= 5, steps
