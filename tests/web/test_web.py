"""What people do with the web interface, from the upload to the download.

The pages come from the server under test, with the policy that it sends; a page that breaks it
says so in the console, and the fixture `page` fails then.
"""

import json
import re
from pathlib import Path

import httpx
from harness.analyst import Analyst
from harness.host import eventually
from harness.model_server import call
from playwright.sync_api import expect


ROOT = Path(__file__).resolve().parents[2]
CSV = "city,amount\n" + "".join(f"{city},{n}\n" for n in range(1, 41) for city in ("Bern", "Basel"))
QUESTION = "Your question"


def ask(page, text):
    box = page.get_by_label(QUESTION)
    box.fill(text)
    box.press("Enter")


def answered(page, turns=1):
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(turns)


def new_chat(page, server, question):
    page.goto(server.url + "/ui")
    ask(page, question)


def thread_of(page):
    return re.search(r"/ui/t/(th-\w+)", page.url)[1]


def session_of(page, server):
    return server.http.get(f"/v1/threads/{thread_of(page)}").json()["session_id"]


def test_the_page_is_served_with_its_policy(offline):
    for path in ("/", "/ui", "/ui/t/th-none"):
        answer = offline.http.get(path)
        policy = answer.headers["content-security-policy"]
        assert answer.status_code == 200 and '<div id="root">' in answer.text
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-cache"
    script = re.search(r'src="(/ui/assets/[^"]+\.js)"', answer.text)[1]
    asset = offline.http.get(script)
    assert asset.headers["content-type"].startswith("text/javascript")
    assert "immutable" in asset.headers["cache-control"]
    same = offline.http.get(script, headers={"If-None-Match": asset.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    # An old page must not get HTML for a script that is gone.
    assert offline.http.get("/ui/assets/index-gone.js").status_code == 404


def test_the_first_load_is_small(offline, page):
    sizes = {}
    page.on("response", lambda r: sizes.update({r.url: r}))
    page.goto(offline.url + "/ui")
    expect(page.get_by_label(QUESTION)).to_be_visible()
    files = [r for r in sizes.values() if "/ui" in r.url]
    total = 0
    for response in files:
        total += response.request.sizes()["responseBodySize"]
    assert 50_000 < total < 250_000, total


def test_the_types_are_those_of_this_server(offline):
    """After a change of the API: npm run types -- http://127.0.0.1:8000"""
    kept = json.loads((ROOT / "web/openapi.json").read_text(encoding="utf-8"))
    assert kept == offline.http.get("/openapi.json").json()


def test_from_upload_to_download(offline, page):
    page.goto(offline.url + "/ui")
    expect(page.get_by_text("The offline analyst answers.")).to_be_visible()
    page.get_by_test_id("file-picker").set_input_files(
        {"name": "cities.csv", "mimeType": "text/csv", "buffer": CSV.encode()})
    expect(page.get_by_text("cities.csv")).to_be_visible()
    ask(page, "total amount by city as a bar chart")
    answered(page)
    cells = page.get_by_role("region", name="Ran Python")
    expect(cells.last).to_contain_text("groups(")
    expect(page.get_by_role("cell", name="820").first).to_be_visible()
    chart = page.get_by_role("figure").get_by_role("img")
    expect(chart).to_be_visible()
    assert chart.evaluate("image => image.decode().then(() => image.naturalWidth > 100)")

    page.get_by_role("button", name="Open workspace").click()
    page.get_by_role("tab", name="Gallery").click()
    with page.expect_download() as download:
        page.get_by_role("tabpanel").get_by_role("button", name=re.compile("^Download ")).click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")

    page.get_by_role("tab", name="Files").click()
    page.get_by_role("treeitem", name="cities.csv").click()
    table = page.get_by_role("table", name=None).filter(has_text="Basel").last
    expect(table).to_contain_text("Bern")
    expect(page.get_by_text("80 rows × 2 columns")).to_be_visible()
    # The address is that of this view: a reload shows it again, and the answer once.
    page.reload()
    expect(page.get_by_text("80 rows × 2 columns")).to_be_visible()
    answered(page)


def test_both_languages(offline, page):
    page.goto(offline.url + "/ui")
    page.get_by_label(QUESTION).fill("half a question")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("heading", name="想了解什么？")).to_be_visible()
    assert page.get_by_label("你的问题").input_value() == "half a question"
    page.reload()
    expect(page.get_by_role("link", name="新对话").last).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.get_by_role("button", name="深色主题").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="EN", exact=True).click()
    expect(page.get_by_role("heading", name="What do you want to know?")).to_be_visible()


def test_the_keyboard(offline, page):
    page.goto(offline.url + "/ui/sessions")
    page.get_by_role("heading", name="Sessions", exact=True).click()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard")
    expect(keys).to_contain_text("Search chats")
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.keyboard.press("Control+k")
    search = page.get_by_label("Search chats")
    expect(search).to_be_focused()
    page.keyboard.type("is that so?")  # what is typed is text
    expect(search).to_have_value("is that so?")
    expect(keys).to_have_count(0)


def test_a_reload_in_mid_stream_loses_nothing(server, models, page):
    words = [f"word{n}" for n in range(120)]
    models.answer = {"text": " ".join(words), "rate": 25}
    new_chat(page, server, "many words")
    expect(page.get_by_text("word10 ")).to_be_visible()
    page.reload()
    answered(page)
    said = page.locator(".prose").inner_text().split()
    assert said == words


def test_stop(server, models, page):
    models.answer = {"text": "on and " * 2000, "rate": 10}
    new_chat(page, server, "do not end")
    expect(page.get_by_text("on and on").first).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    # The next question is answered.
    models.answer = "Here again."
    ask(page, "and now?")
    expect(page.get_by_text("Here again.")).to_be_visible()


def test_edit_and_ask_again(server, page):
    new_chat(page, server, "first words")
    expect(page.get_by_text("You said first words")).to_be_visible()
    answered(page)
    page.get_by_role("button", name="Edit and ask again").click()
    box = page.get_by_label("The question, changed")
    expect(box).to_be_focused()
    assert box.input_value() == "first words"
    box.press("Escape")
    page.get_by_role("button", name="Edit and ask again").click()
    box.fill("other words")
    box.press("Enter")
    # In its place, not after it.
    expect(page.get_by_text("You said other words")).to_be_visible()
    expect(page.get_by_text("You said first words")).to_have_count(0)
    answered(page)
    page.get_by_role("button", name="Ask again", exact=True).click()
    expect(page.get_by_role("group", name="Version 3 of 3 of this question")).to_be_visible()
    expect(page.get_by_text("You said other words")).to_be_visible()


def test_what_a_model_and_its_code_write_is_inert(server, models, page):
    evil = '<img src=x onerror="window.reached=1"><script>window.reached=1</script>'
    text = (f"{evil}\n\n![a](https://example.com/x.png) [b](javascript:window.reached=1)\n\n"
            f"```html\n{evil}\n```\n\n<svg onload=window.reached=1></svg> all shown")

    def answer(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code=f"print({evil!r})")]}
        return text
    models.answer = answer
    new_chat(page, server, evil)
    expect(page.get_by_text("all shown")).to_be_visible()
    answered(page)
    assert page.locator(".prose img, .prose svg[onload], .prose script").count() == 0
    expect(page.get_by_role("region", name="Ran Python")).to_contain_text("window.reached")
    expect(page.get_by_role("link", name="a", exact=True)).to_have_attribute("rel", re.compile("noreferrer"))


def test_a_run_that_fails_says_so(server, page):
    new_chat(page, server, "run: 1 / 0")
    cell = page.get_by_role("region", name="Python failed")
    expect(cell.get_by_text("ZeroDivisionError").first).to_be_visible()


def test_rename_and_delete_with_undo(server, page):
    new_chat(page, server, "a chat to rename")
    answered(page)
    page.get_by_role("button", name="a chat to rename", exact=True).click()
    box = page.get_by_label("Title")
    box.fill("Better name 名")
    box.press("Enter")
    row = page.get_by_role("link", name="Better name 名")
    expect(row).to_be_visible()
    row.hover()
    page.get_by_role("button", name="Actions for Better name 名").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(row).to_be_visible()
    page.get_by_label("Search chats").fill("better")
    expect(row).to_be_visible()

    thread = server.http.get("/v1/threads").json()["threads"][0]["thread_id"]
    row.hover()
    page.get_by_role("button", name="Actions for Better name 名").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(row).to_have_count(0)
    assert eventually(lambda: server.http.get(f"/v1/threads/{thread}").status_code == 404, within=60)
    expect(page.get_by_text("Deleted “Better name 名”")).to_have_count(0)
    expect(row).to_have_count(0)


def test_terminal(server, page):
    new_chat(page, server, "hello")
    answered(page)
    page.get_by_role("button", name="Open workspace").click()
    page.get_by_role("tab", name="Terminal").click()
    rows = page.locator(".xterm-rows")
    expect(rows).to_contain_text("sandbox:/session$")
    page.get_by_test_id("terminal").click()
    page.keyboard.type("echo $((6 * 7))-from-inside\n")
    expect(rows).to_contain_text("42-from-inside")
    # Another tab does not end the shell.
    page.get_by_role("tab", name="Variables").click()
    page.get_by_role("tab", name="Terminal").click()
    expect(rows).to_contain_text("42-from-inside")
    page.keyboard.type("exit 3\n")
    expect(page.get_by_text("The shell ended with 3")).to_be_visible()


def test_variables(server, page):
    new_chat(page, server, "run: answer_number = 42")
    answered(page)
    page.get_by_role("button", name="Open workspace").click()
    page.get_by_role("tab", name="Variables").click()
    expect(page.get_by_role("tabpanel").get_by_text("answer_number")).to_be_visible()


def test_files_are_made_edited_and_removed(server, page):
    new_chat(page, server, "hello")
    answered(page)
    session = session_of(page, server)
    page.get_by_role("button", name="Open workspace").click()
    page.get_by_role("button", name="New file").click()
    page.get_by_label("Name, in /data").fill("notes ü.txt")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_test_id("editor").get_by_role("textbox").fill("one\ntwo")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("region", name="notes ü.txt").get_by_text("two")).to_be_visible()
    address = f"/v1/sessions/{session}/files/data/notes%20%C3%BC.txt"
    # The text is on the screen before it is saved.
    assert eventually(lambda: server.http.get(address).text == "one\ntwo", 60)

    row = page.get_by_role("treeitem", name="notes ü.txt")
    row.hover()
    page.get_by_role("button", name="Actions for notes ü.txt").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(row).to_be_visible()
    assert server.http.get(address).status_code == 200


def test_a_job_is_watched_live(server, page):
    page.goto(server.url + "/ui/jobs")
    page.get_by_label("Code").fill("import sys\nprint('begun', flush=True)\nimport time\nwhile True: time.sleep(1)")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("begun", exact=True)).to_be_visible()
    page.get_by_role("button", name="Cancel job").click()
    expect(page.get_by_text("cancelled", exact=True).first).to_be_visible()


def test_sessions_without_a_chat(server, page):
    page.goto(server.url + "/ui/sessions")
    page.get_by_role("button", name="New session").click()
    page.get_by_role("textbox", name="Name").fill("bench work")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", name="bench work")).to_be_visible()
    page.get_by_role("tab", name="Activity").click()
    page.get_by_label("Command").fill("echo started; sleep 1000")
    page.get_by_role("button", name="Start").click()
    line = page.get_by_role("button", name=re.compile("echo started"))
    line.click()
    expect(page.get_by_text("started", exact=True)).to_be_visible()
    page.get_by_role("button", name="Stop process").click()
    expect(page.get_by_text("ended", exact=True)).to_be_visible()
    page.get_by_role("button", name="Actions for bench work").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page).to_have_url(re.compile("/ui/sessions$"))
    expect(page.get_by_role("link", name="bench work")).to_have_count(0)


def test_the_network_goes_and_comes_back(server, page, context):
    page.may_complain = True
    new_chat(page, server, "hello")
    answered(page)
    box = page.get_by_label(QUESTION)
    box.fill("asked while away")
    context.set_offline(True)
    expect(page.get_by_text("You are offline")).to_be_visible()
    box.press("Enter")
    expect(page.get_by_text("Reconnecting")).to_be_visible()
    context.set_offline(False)
    expect(page.get_by_text("You said asked while away")).to_be_visible()
    expect(page.get_by_text("You are offline")).to_have_count(0)


def test_a_chat_that_is_gone(server, page):
    page.may_complain = True
    page.goto(server.url + "/ui/t/th-" + "a" * 32)
    expect(page.get_by_text("This chat is not there any more")).to_be_visible()
    page.goto(server.url + "/ui/s/s-" + "a" * 26)
    expect(page.get_by_text("This session is not there any more")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="New chat").click()
    expect(page.get_by_label(QUESTION)).to_be_visible()


def test_a_key_is_asked_for_and_kept_nowhere(tmp_path, models, page):
    page.may_complain = True
    admin = "an-administrators-key-for-the-web-0123456789"
    running = Analyst(tmp_path, environment=models.environment() | {"ATOLL_ADMIN_KEY": admin}, pandas=True)
    try:
        made = running.http.post("/v1/keys", json={"name": "web", "scopes": ["admin"]}, headers={"X-API-Key": admin})
        key = made.json()["key"]
        running.http = httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
        page.goto(running.url + "/ui")
        box = page.get_by_label("API key", exact=True)
        box.fill("not-a-key")
        box.press("Enter")
        expect(page.get_by_text("The server does not know this key.")).to_be_visible()
        box.fill(key)
        box.press("Enter")
        expect(page.get_by_role("dialog")).to_have_count(0)
        ask(page, "run: import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig('/data/outputs/a.png')")
        answered(page)
        chart = page.get_by_role("figure").get_by_role("img")
        expect(chart).to_be_visible()
        assert chart.evaluate("image => image.decode().then(() => image.naturalWidth > 100)")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download a.png").click()
        assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
        page.get_by_role("button", name="Open workspace").click()
        page.get_by_role("tab", name="Terminal").click()
        expect(page.locator(".xterm-rows")).to_contain_text("sandbox:/session$")
        page.get_by_role("link", name="Keys").click()
        page.get_by_role("button", name="New key").click()
        page.get_by_role("textbox", name="Name").fill("for a program")
        page.get_by_role("button", name="Make key").click()
        made = page.get_by_test_id("new-key").inner_text()
        assert httpx.get(running.url + "/v1/info", headers={"X-API-Key": made}).status_code == 200
        page.get_by_role("button", name="I have kept it").click()
        assert made not in page.content()
        page.get_by_role("button", name="Revoke for a program").click()
        page.get_by_role("button", name="Revoke key", exact=True).click()
        expect(page.get_by_role("cell", name="revoked")).to_be_visible()
        assert httpx.get(running.url + "/v1/info", headers={"X-API-Key": made}).status_code == 401
        kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
        assert key not in kept and key.split("_")[-1] not in kept
    finally:
        running.stop()
