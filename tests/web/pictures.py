"""Pictures of every screen: light and dark, three widths, both languages.

    .tools/test/bin/python tests/web/pictures.py FOLDER [WORD…]

It starts the server of ATOLL_TEST_BUILD with a scripted model, fixed data and a fixed clock. Words
choose: names of screens, and of 1440 1024 390, light dark, en zh. All of it takes some minutes.
"""

import itertools
import os
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from harness.analyst import Analyst, answering
from harness.browser import CHROMIUM, FLAGS
from harness.model_server import ModelServer, call
from playwright import sync_api as playwright

WIDTHS = {1440: 900, 1024: 768, 390: 844}
NOW = "2026-03-02T09:30:00Z"
QUESTION = "Total amount by region, as a bar chart"
CHART = """import pandas as pd
import matplotlib.pyplot as plt
df = pd.read_csv("/data/transactions.csv")
df["amount"] = pd.to_numeric(df["amount"], errors="coerce")
df["region"] = df["region"].str.strip().str.title()
total = df.groupby("region")["amount"].sum().sort_values(ascending=False)
total.plot.bar(title="Total amount by region", color="#0f766e", rot=0, figsize=(8, 3.6))
plt.savefig("/data/outputs/total_by_region.png", bbox_inches="tight")
total.round(2).reset_index()"""


# A notebook with figures of both libraries.
NOTEBOOK = """import altair as alt, json, pandas as pd, plotly.express as px
df = pd.read_csv("/data/transactions.csv")
df["amount"] = pd.to_numeric(df["amount"], errors="coerce")
df["region"] = df["region"].str.strip().str.title()
df["month"] = pd.to_datetime(df["date"], errors="coerce").dt.strftime("%Y-%m-01")
months = df.groupby(["month", "region"], as_index=False)["amount"].sum()
line = px.line(months, x="month", y="amount", color="region", title="Amount by month and region")
bars = alt.Chart(months, title="Total by region").mark_bar().encode(x="region", y="sum(amount)")
cell = lambda source, kind, data: {"cell_type": "code", "execution_count": 1, "source": source,
                                   "outputs": [{"output_type": "display_data", "data": {kind: data}}]}
json.dump({"cells": [
    {"cell_type": "markdown", "source": "# Card payments"},
    cell("px.line(months, …)", "application/vnd.plotly.v1+json", json.loads(line.to_json())),
    cell("alt.Chart(months).mark_bar()", "application/vnd.vegalite.v6.json", bars.to_dict())]},
    open("/data/outputs/payments.ipynb", "w"))"""


# It runs until its session is deleted.
ENDLESS = """import time
for step in range(1, 10_000):
    if step < 6:
        print("fitting tree", step, "of 400", flush=True)
    time.sleep(0.1)"""


def scripted(asked):
    if asked.user != QUESTION:
        return "A number cannot be divided by zero, so Python stopped there." if asked.tool_results else answering(asked)
    if not asked.tool_results:
        return {"tool_calls": [call("run_python", code=CHART)]}
    return "**North** leads, and the other regions follow in the order of the chart. Amounts that are no numbers were left out."


def screens(server, plain) -> dict[str, str]:
    """Names and addresses, after the data that they show was made. `plain` has no model."""
    first = server.thread()  # what the README shows
    server.ask(first, QUESTION)
    thread = server.thread()
    server.ask(thread, QUESTION)
    server.ask(thread, "run: 1 / 0")
    title = lambda of, text: server.http.patch(f"/v1/threads/{of}", json={"title": text})  # noqa: E731
    title(thread, "Card payments, month by month")
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    made = server.run(session, NOTEBOOK)
    assert "error" not in made, made
    empty = server.session(name="Scratch")
    server.http.post("/v1/jobs", json={"kind": "python", "code": "print(sum(range(100)))"})
    server.http.post("/v1/jobs", json={"kind": "shell", "code": "exit 3"})
    working = server.thread()
    for name, _, _, _ in server.stream(working, "run: " + ENDLESS):
        if name == "code_output":
            break  # it goes on without a reader
    title(working, "A forest for the refunds")
    chat, own = f"{server.url}/ui/t/{thread}", f"{server.url}/ui/s/{empty}?panel="
    page = lambda path: server.url + path  # noqa: E731
    return {
        "start": page("/ui"), "start-offline": plain.url + "/ui", "drawer": page("/ui"),
        "first": page(f"/ui/t/{first}"), "chat": chat, "chat-error": chat + "?panel=activity",
        "working": page(f"/ui/t/{working}"),
        "table": chat + "?panel=files&file=/data/transactions.csv",
        "notebook": page(f"/ui/s/{session}?panel=files&file=/data/outputs/payments.ipynb"),
        "gallery": chat + "?panel=gallery", "terminal": chat + "?panel=terminal",
        "console-empty": own + "console", "variables": chat + "?panel=variables",
        "frame": page(f"/ui/s/{session}?panel=variables&variable=df"),
        "ports-empty": own + "ports", "activity": own + "activity",
        "sessions": page("/ui/sessions"), "jobs": page("/ui/jobs"), "server": page("/ui/server"),
        "keys-empty": page("/ui/keys"), "settings": page("/ui/settings"),
        "gone": page("/ui/t/th-" + "a" * 32), "not-found": page("/ui/nowhere"),
        "no-server": page("/ui/jobs"), "key": page("/ui"), "too-large": page("/ui")}


def before(page, name: str):
    """What goes wrong in a picture of a state."""
    if name == "no-server":
        page.route("**/v1/**", lambda route: route.abort())
    if name == "key":
        page.route("**/v1/**", lambda route: route.fulfill(status=401, json={"detail": "a key is needed"}))
    if name == "too-large":
        detail = "large.csv has more than the 1 GiB that an upload may have"
        page.route("**/upload", lambda route: route.fulfill(status=413, json={"detail": detail}))


def after(page, name: str):
    """What is done on it."""
    menu = page.locator("header button").first
    if name == "drawer" and menu.is_visible():
        menu.click()
    if name == "no-server":
        page.get_by_role("alert").first.wait_for()
    if name == "too-large":
        page.get_by_test_id("file-picker").set_input_files(
            {"name": "large.csv", "mimeType": "text/csv", "buffer": b"n\n1\n"})
        page.get_by_role("alert").wait_for()


def take(browser, found: dict[str, str], folder: Path, wanted: list[str]):
    names = [name for name in found if name in wanted] or list(found)
    chosen = [[one for one in kinds if str(one) in wanted] or kinds
              for kinds in (list(WIDTHS), ["light", "dark"], ["en", "zh"])]
    for width, theme, language in itertools.product(*chosen):
        context = browser.new_context(
            viewport={"width": width, "height": WIDTHS[width]}, reduced_motion="reduce",
            locale="zh-CN" if language == "zh" else "en-US", color_scheme=theme)
        context.add_init_script(
            f"localStorage.setItem('atoll.theme', '{theme}');"
            f"localStorage.setItem('atoll.language', '{language}')")
        page = context.new_page()
        page.clock.set_fixed_time(NOW)
        for name in names:
            # The README shows a whole answer: question, code, chart and table.
            page.set_viewport_size({"width": width, "height": 1490 if name == "first" else WIDTHS[width]})
            before(page, name)
            page.goto(found[name])
            if name in ("no-server", "working"):  # asks again and again, or streams
                page.locator("main").wait_for()
                page.get_by_role("region").or_(page.get_by_role("alert")).first.wait_for()
            else:
                # The answers of the server, and what they make appear.
                page.wait_for_load_state("networkidle")
                page.wait_for_function("() => !document.querySelector('.skeleton, .prose.whitespace-pre-wrap')")
            after(page, name)
            page.screenshot(path=folder / f"{name}-{width}-{theme}-{language}.png")
            page.unroute_all()
        context.close()


def main(folder: str, *wanted: str):
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, ModelServer(scripted) as models:
        servers = []
        try:
            for name, environment in (("model", models.environment()),
                                      ("plain", {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""})):
                (Path(data) / name).mkdir()
                servers.append(Analyst(Path(data) / name, environment=dict(os.environ) | environment,
                                       pandas=True))
            with playwright.sync_playwright() as p:
                browser = p.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
                take(browser, screens(*servers), target, list(wanted))
                browser.close()
        finally:
            for server in servers:
                server.remove_sessions()
                server.stop()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
