"""The tools beside a conversation: console, tables, previews, ports, activity."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = Path(__file__).resolve().parents[2] / "web/node_modules/axe-core/axe.min.js"
ROWS = 1_000_000
MAKE_TABLES = f"""
import json
import matplotlib.figure
import pandas as pd

pd.DataFrame({{"number": range({ROWS}), "code": "007"}}).to_csv("/data/large.csv", index=False)
small = pd.DataFrame({{"city": ["Bern", "Basel", None], "amount": [2.5, 10.0, 7.0]}})
small.to_parquet("/data/small.parquet")
small.to_excel("/data/small.xlsx", index=False)
small.to_json("/data/small.jsonl", orient="records", lines=True)
open("/data/binary.csv", "wb").write(bytes(range(256)) * 8)
matplotlib.figure.Figure().savefig("/data/report.pdf")
open("/data/page.html", "w").write(
    "<h1 style='color: red' onclick='x()'>A report</h1><script>top.reached = 1</script>"
    "<img src='https://example.com/x.png'>")
json.dump({{"cells": [
    {{"cell_type": "markdown", "source": ["# A notebook\\n", "with $$x^2$$"]}},
    {{"cell_type": "code", "execution_count": 7, "source": "5 + 5",
      "outputs": [{{"output_type": "execute_result", "data": {{"text/plain": "ten"}}}}]}}]}},
    open("/data/book.ipynb", "w"))
"""


@pytest.fixture(scope="module")
def session(server):
    server.remove_sessions()  # a first try may have left one of that name
    made = server.session(name="tools")
    answer = server.run(made, MAKE_TABLES)
    assert "error" not in answer, answer
    return made


@pytest.fixture
def opened(server, session, page):
    def go(panel, **search):
        more = "".join(f"&{name}={value}" for name, value in search.items())
        page.goto(f"{server.url}/ui/s/{session}?panel={panel}{more}")
        return page
    return go


def cells(page, row):
    return page.get_by_role("row").nth(row).get_by_role("cell")


def test_a_million_rows_are_paged_sorted_and_filtered(opened):
    page = opened("files", file="/data/large.csv")
    expect(page.get_by_text("1,000,000 rows × 2 columns")).to_be_visible()
    # As the file says it, not as a number.
    expect(cells(page, 1)).to_have_text(["0", "007"])
    page.get_by_role("region", name="Table").evaluate("box => box.scrollTop = box.scrollHeight")
    expect(page.get_by_role("row").last).to_contain_text(str(ROWS - 1))
    page.get_by_role("columnheader", name="number").get_by_role("button").click()
    page.get_by_role("columnheader", name="number").get_by_role("button").click()
    expect(cells(page, 1)).to_have_text([str(ROWS - 1), "007"])
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_label("Filter number").fill("< 5")
    expect(page.get_by_text("5 rows × 2 columns")).to_be_visible()
    page.get_by_label("Filter number").fill("> x")
    expect(page.get_by_text("'x' is not a number")).to_be_visible()


def test_tables_of_other_kinds_and_what_is_none(opened):
    for name in ("small.parquet", "small.xlsx", "small.jsonl"):
        page = opened("files", file=f"/data/{name}")
        expect(page.get_by_text("3 rows × 2 columns")).to_be_visible()
        expect(page.get_by_role("cell", name="Basel")).to_be_visible()
    page = opened("files", file="/data/binary.csv")
    expect(page.get_by_text("This cannot be shown as a table")).to_be_visible()
    page.get_by_role("button", name="Show it as text").click()
    expect(page.get_by_text("This file is not text")).to_be_visible()


def test_pdf_and_notebook(opened):
    page = opened("files", file="/data/report.pdf")
    drawn = page.get_by_role("img", name="Page 1")
    expect(drawn).to_be_visible()
    page.wait_for_function("() => document.querySelector('canvas').width > 300")
    page = opened("files", file="/data/book.ipynb")
    expect(page.get_by_role("heading", name="A notebook")).to_be_visible()
    expect(page.get_by_text("ten", exact=True)).to_be_visible()


def test_html_is_inert_in_its_frame_and_alive_in_a_page_of_its_own(opened, context):
    page = opened("files", file="/data/page.html")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="A report")).to_be_visible()
    assert page.locator("iframe").get_attribute("sandbox") == ""
    with context.expect_page() as alive:
        page.get_by_role("button", name="Open it alive").click()
    expect(alive.value.get_by_role("heading", name="A report")).to_be_visible()
    # An origin of its own, which is not the API's.
    assert re.match(r"http://\d+-[st]-\w+\.localhost:", alive.value.evaluate("window.origin"))


def test_the_console_shares_its_kernel(opened, server, session):
    page = opened("console")
    box = page.get_by_label("Python code")
    entries = page.get_by_role("region", name="Console entry")
    for number, (code, shown) in enumerate([
            ("print('hello'); shared = 41", "hello"), ("shared + 1", "42"), ("1 / 0", "ZeroDivisionError"),
            ("small.head(2)", "Basel")]):
        box.fill(code)
        box.press("Enter")
        expect(entries.nth(number)).to_contain_text(shown)
        expect(page.get_by_role("button", name="Interrupt")).to_be_disabled()
    assert server.run(session, "shared")["results"][0]["data"]["text/plain"] == "41"
    box.press("ArrowUp")
    expect(box).to_have_value("small.head(2)")
    box.fill("shar")
    box.press("Tab")
    expect(box).to_have_value("shared")
    box.fill("while True: pass")
    box.press("Enter")  # the block could go on
    box.press("Control+Enter")
    page.get_by_role("button", name="Interrupt").click()
    expect(entries.last).to_contain_text("KeyboardInterrupt")


def test_figures_of_plotly_and_altair_are_drawn(opened):
    page = opened("console")
    box = page.get_by_label("Python code")
    entries = page.get_by_role("region", name="Console entry")
    for number, (code, title, marks) in enumerate([
            ("import plotly.express as px; px.bar(x=['a', 'b'], y=[1, 2], title='Two bars')", "Two bars", "rect[rx]"),
            ("px.line(x=['2026-01-01', '2026-01-02'], y=[1, 2], title='A line')", "A line", "polyline"),
            ("px.pie(names=['a', 'b'], values=[1, 2], title='A pie')", "A pie", "path"),
            ("import altair as alt; alt.Chart(small, title='Bars').mark_bar().encode(x='city', y='sum(amount)')",
             "Bars", "rect[rx]")]):
        box.fill(code)
        box.press("Enter")
        drawn = entries.nth(number).get_by_role("img", name=title)
        expect(drawn).to_be_visible()
        expect(drawn.locator(marks).first).to_be_attached()
    box.fill("px.scatter_3d(x=[1], y=[1], z=[1])")
    box.press("Enter")
    expect(entries.last).to_contain_text("A chart of this kind is not drawn here")


def test_a_frame_of_the_kernel_opens_in_the_grid(opened):
    page = opened("variables")
    page.get_by_role("button", name="small", exact=True).click()
    expect(page.get_by_text("3 rows × 2 columns")).to_be_visible()
    expect(page).to_have_url(re.compile("variable=small"))
    page.get_by_role("button", name="All variables").click()
    expect(page.get_by_role("button", name="small", exact=True)).to_be_visible()


def test_a_server_in_the_sandbox_is_found(server, page, context):
    made = server.session(name="ports")
    page.goto(f"{server.url}/ui/s/{made}?panel=ports")
    page.get_by_role("button", name="Run these lines").click()
    row = page.get_by_role("listitem").filter(has_text=":8000")
    expect(row).to_be_visible()
    # In the page itself, in a frame that is another origin.
    frame = page.frame_locator('iframe[title="Port 8000"]')
    expect(frame.get_by_text("Directory listing")).to_be_visible()
    with context.expect_page() as opened_page:
        row.get_by_role("button", name="Open port 8000 in a new tab").click()
    expect(opened_page.value.get_by_text("Directory listing")).to_be_visible()
    # What it costs shows beside it.
    page.get_by_role("tab", name="Activity").click()
    expect(page.get_by_role("img", name=re.compile(r"^Memory: [\d.]+ [kM]B$"))).to_be_visible()
    limit = server.http.get(f"/v1/sessions/{made}").json()["limits"]["memory_bytes_max"]
    assert limit > 0
    expect(page.get_by_text(re.compile(r"peak .* limit [\d.]+ [MG]B"))).to_be_visible()
    expect(page.get_by_role("meter", name="Memory")).to_have_attribute("max", str(limit))
    expect(page.get_by_text("http.server").first).to_be_visible()


def test_out_of_memory_says_what_is_lost(server, page):
    made = server.session(name="small memory", limits={"memory_bytes_max": 200 << 20})
    page.goto(f"{server.url}/ui/s/{made}?panel=console")
    box = page.get_by_label("Python code")
    box.fill("x = bytearray(b'1') * (400 << 20)")
    box.press("Enter")
    expect(page.get_by_text("the memory limit of 210 MB was reached")).to_be_visible()
    expect(page.get_by_text("Variables are gone; files are kept.")).to_be_visible()
    box.fill("'here ' + 'again'")
    box.press("Enter")
    expect(page.get_by_text("'here again'")).to_be_visible()


def test_fork_opens_the_copy(server, page):
    thread = server.thread()
    server.ask(thread, "run: answer_number = 42")
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    page.goto(f"{server.url}/ui/s/{session}?panel=files")
    expect(page.get_by_role("tabpanel").get_by_text("transactions.csv").first).to_be_visible()
    page.get_by_role("button", name=f"Actions for {session}").click()
    page.get_by_role("menuitem", name="Fork", exact=True).click()
    expect(page).to_have_url(re.compile(r"/ui/s/s-\w+"))
    page.get_by_role("tab", name="Variables").click()
    expect(page.get_by_role("tabpanel").get_by_text("answer_number")).to_be_visible()


def test_sessions_fit_a_phone(server, page):
    server.session(name="narrow")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/ui/sessions")
    row = page.get_by_role("row").filter(has_text="narrow")
    # All of it, without scrolling to the side.
    expect(row.get_by_role("link", name="narrow")).to_be_in_viewport(ratio=1)
    expect(row.get_by_role("button", name="Actions for narrow")).to_be_in_viewport(ratio=1)


def faults_of(page):
    """What axe calls serious or critical, with the first place of each."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [(one["id"], one["nodes"][0]["target"], one["nodes"][0]["failureSummary"])
            for one in found if one["impact"] in ("serious", "critical")]


def test_no_page_has_a_serious_fault(server, session, page):
    thread = server.thread()
    server.ask(thread, "run: print('x'); 1 / 0")
    own = f"/ui/s/{session}?panel="
    shown = {
        "/ui": "What do you want to know?", f"/ui/t/{thread}": "Ask again",
        own + "files&file=/data/small.parquet": "3 rows", own + "gallery": "No artifacts yet",
        own + "console": "A Python prompt", own + "variables": "small", own + "ports": "listen",
        own + "activity": "Memory", "/ui/sessions": "tools", "/ui/jobs": "Submit",
        "/ui/server": "Walls in force", "/ui/keys": "No keys", "/ui/settings": "Keyboard"}
    found = []
    for theme in ("light", "dark"):
        page.goto(server.url + "/ui")
        page.evaluate("theme => localStorage.setItem('atoll.theme', theme)", theme)
        # In the dark only colours differ.
        for path in shown if theme == "light" else [f"/ui/t/{thread}", "/ui/server", "/ui/settings"]:
            page.goto(server.url + path)
            text = shown[path]
            label = page.get_by_text(text).or_(page.get_by_role("button", name=text)).first
            label.wait_for(state="attached")
            found += [(theme, path, *fault) for fault in faults_of(page)]
    assert not found, "\n".join(map(str, found))


def test_the_grid_does_not_disturb_the_kernel(server, session):
    """The program that reads tables leaves no variable behind."""
    names = server.http.get(f"/v1/sessions/{session}/contexts/default/variables").json()["variables"]
    assert not [one["name"] for one in names if "atoll" in json.dumps(one)]
