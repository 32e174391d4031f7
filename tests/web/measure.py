"""Measures in the browser what docs/promises.md says of the web interface, and prints it.

    .tools/test/bin/python tests/web/measure.py [TOKENS] [ROWS]

The server is that of ATOLL_TEST_BUILD, with a scripted model. By hand, not a test: a busy machine
would fail it.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from harness.analyst import Analyst, answering
from harness.browser import CHROMIUM, FLAGS
from harness.model_server import ModelServer
from playwright import sync_api as playwright

WATCH = """
window.longest = 0;
new PerformanceObserver((list) => {
    for (const one of list.getEntries()) longest = Math.max(longest, one.duration);
}).observe({type: 'longtask'});
"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


def first_paint(page, server):
    values = []
    for _ in range(5):
        page.goto(server.url + "/ui")
        page.wait_for_function(f"() => ({PAINT}) > 0")
        values.append(page.evaluate(PAINT))
    print(f"first contentful paint: {sorted(values)[2]:.0f} ms, the median of 5")


def stream(page, server, models, tokens):
    models.answer = {"text": "word " * (tokens - 1) + "finis", "rate": 0}
    page.goto(server.url + "/ui")
    page.evaluate(WATCH)
    begin = time.monotonic()
    page.get_by_label("Your question").fill("many words")
    page.get_by_label("Your question").press("Enter")
    page.get_by_text("finis").wait_for(timeout=300_000)
    longest, took = page.evaluate("longest"), time.monotonic() - begin
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    print(f"{tokens} tokens in {took:.1f} s: longest task {longest:.0f} ms, heap after it {used / 1e6:.0f} MB")


def table(page, server, rows):
    session = server.session()
    made = server.run(session, f"import pandas; pandas.DataFrame({{'n': range({rows}), 'city': 'Bern', 'amount': 2.5}})"
                               ".to_csv('/data/large.csv', index=False)")
    assert "error" not in made, made
    page.goto(f"{server.url}/ui/s/{session}?panel=files")
    item = page.get_by_role("treeitem", name="large.csv")
    item.wait_for()
    begin = time.monotonic()
    item.click()
    page.get_by_role("cell", name="Bern").first.wait_for()
    first = time.monotonic() - begin
    page.get_by_text(f"{rows:,} rows").wait_for()
    print(f"{rows} rows: the first after {first * 1000:.0f} ms, all counted after {(time.monotonic() - begin) * 1000:.0f} ms")
    times = []
    for part in (0.2, 0.9, 0.5, 0.7, 0.1):
        begin = time.monotonic()
        page.get_by_role("region", name="Table").evaluate(
            "(box, part) => box.scrollTop = box.scrollHeight * part", part)
        page.wait_for_function(
            "part => { const cells = document.querySelectorAll('[role=cell]');"
            " return cells.length && [...cells].every((one) => one.textContent !== '…')"
            f" && Math.abs(Number(cells[0].textContent) - part * {rows}) < 1000 }}", arg=part, polling=5)
        times.append((time.monotonic() - begin) * 1000)
    print("a page somewhere else:", ", ".join(f"{one:.0f}" for one in times), "ms")


def main(tokens="20000", rows="1000000"):
    with tempfile.TemporaryDirectory() as data, ModelServer(answering) as models:
        server = Analyst(Path(data), environment=models.environment())
        try:
            with playwright.sync_playwright() as p:
                browser = p.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
                page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
                page.set_default_timeout(120_000)
                first_paint(page, server)
                stream(page, server, models, int(tokens))
                table(page, server, int(rows))
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
