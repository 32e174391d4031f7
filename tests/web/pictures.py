"""Pictures of every screen: light and dark, three widths, both languages.

    .tools/test/bin/python tests/web/pictures.py FOLDER [SCREEN…]

It starts the server of ATOLL_TEST_BUILD with a scripted model, fixed data and a fixed clock.
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


def scripted(asked):
    if asked.user != QUESTION:
        return "A number cannot be divided by zero, so Python stopped there." if asked.tool_results else answering(asked)
    if not asked.tool_results:
        return {"tool_calls": [call("run_python", code=CHART)]}
    return "**North** leads, and the other regions follow in the order of the chart. Amounts that are no numbers were left out."


def screens(server) -> dict[str, str]:
    """Names and addresses, after the data that they show was made."""
    first = server.thread()  # what the README shows
    server.ask(first, QUESTION)
    thread = server.thread()
    server.ask(thread, QUESTION)
    server.ask(thread, "run: 1 / 0")
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    made = server.run(session, NOTEBOOK)
    assert "error" not in made, made
    empty = server.session(name="Scratch")
    server.http.post("/v1/jobs", json={"kind": "python", "code": "print(sum(range(100)))"})
    server.http.post("/v1/jobs", json={"kind": "shell", "code": "exit 3"})
    chat, own = f"/ui/t/{thread}", f"/ui/s/{empty}?panel="
    return {
        "start": "/ui", "first": f"/ui/t/{first}", "chat": chat, "chat-error": chat + "?panel=activity",
        "table": chat + "?panel=files&file=/data/transactions.csv",
        "notebook": f"/ui/s/{session}?panel=files&file=/data/outputs/payments.ipynb",
        "gallery": chat + "?panel=gallery", "terminal": chat + "?panel=terminal",
        "console-empty": own + "console", "variables": chat + "?panel=variables",
        "frame": f"/ui/s/{session}?panel=variables&variable=df",
        "ports-empty": own + "ports", "activity": own + "activity",
        "sessions": "/ui/sessions", "jobs": "/ui/jobs", "server": "/ui/server",
        "keys-empty": "/ui/keys", "settings": "/ui/settings",
        "gone": "/ui/t/th-" + "a" * 32, "not-found": "/ui/nowhere"}


def take(browser, server, folder: Path, wanted: list[str]):
    found = screens(server)
    for width, theme, language in itertools.product(WIDTHS, ("light", "dark"), ("en", "zh")):
        context = browser.new_context(
            viewport={"width": width, "height": WIDTHS[width]}, reduced_motion="reduce",
            locale="zh-CN" if language == "zh" else "en-US", color_scheme=theme)
        context.add_init_script(
            f"localStorage.setItem('atoll.theme', '{theme}');"
            f"localStorage.setItem('atoll.language', '{language}')")
        page = context.new_page()
        page.clock.set_fixed_time(NOW)
        for name, path in found.items():
            if wanted and name not in wanted:
                continue
            # The README shows a whole answer: question, code, chart and table.
            page.set_viewport_size({"width": width, "height": 1340 if name == "first" else WIDTHS[width]})
            page.goto(server.url + path)
            # The answers of the server, and what they make appear.
            page.wait_for_load_state("networkidle")
            page.wait_for_function("() => !document.querySelector('.skeleton, .prose.whitespace-pre-wrap')")
            page.screenshot(path=folder / f"{name}-{width}-{theme}-{language}.png")
        context.close()


def main(folder: str, *wanted: str):
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, ModelServer(scripted) as models:
        server = Analyst(Path(data), environment=dict(os.environ) | models.environment(), pandas=True)
        try:
            with playwright.sync_playwright() as p:
                browser = p.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
                take(browser, server, target, list(wanted))
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
