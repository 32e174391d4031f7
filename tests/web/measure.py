"""Measures in the browser what docs/promises.md says of the web interface, and prints it.

    .tools/test/bin/python tests/web/measure.py [PART…]

Parts: paint stream table messages upload memory; all of them if none is named. The server is that of
ATOLL_TEST_BUILD, with a scripted model. Pages that are not built in: ATOLL_LISTEN is the server's
address, ATOLL_WEB that of `npm run preview` before it. By hand, not a test: a busy machine would
fail it, so each line ends with the load. Some ten minutes on a quiet one.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

sys.path.append(str(Path(__file__).resolve().parents[1]))
from harness.analyst import Analyst, answering
from harness.browser import CHROMIUM, FLAGS
from harness.model_server import ModelServer, call
from playwright import sync_api as playwright
from websockets.sync.client import connect

TOKENS, ROWS, MESSAGES, UPLOAD_MB = 20_000, 1_000_000, 5_000, 200
HOUR_TOKENS, HOUR_ANSWERS = 180_000, 60

WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
    for (const one of list.getEntries()) tasks.push(one.duration);
}).observe({type: 'longtask'});
"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"

# Scrolls by a step in each frame, and notes how long frames took and whether text was in sight.
SCROLL = """async ({step, frames}) => {
    const box = document.querySelector('[role=log]');
    const times = [];
    let blank = 0, last = performance.now();
    for (let n = 0; n < frames && (step > 0 || box.scrollTop > 0); n++) {
        box.scrollTop += step;
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
        const middle = document.elementFromPoint(box.clientWidth / 2 + box.getBoundingClientRect().x, 450);
        if (!middle?.closest('article')?.innerText.trim()) blank++;
    }
    return {times: times.slice(2), blank};
}"""


def say(text):
    print(f"{text} (load {os.getloadavg()[0]:.1f})", flush=True)


def texts(tokens: int) -> dict[str, str]:
    """Answers of so many words, in the shapes that cost most."""
    mixed = []
    count = 0
    while count < tokens:
        n = len(mixed)
        part = [
            f"## Step {n}\n\nThe **total** of `region {n}` is {n * 37:,}, which is *more* than before; see [the notes](#n).",
            "Some words " * 40,
            f"- first of {n}\n- second of {n}\n  - deeper\n- third",
            f"```python\nimport pandas as pd\ndf = pd.read_csv('/data/{n}.csv')\nprint(df.groupby('a').sum())\n```",
            f"| region | amount |\n|---|---:|\n| north | {n} |\n| south | {n + 1} |",
            f"So $x_{n}^2 = {n * n}$ holds."][n % 6]
        mixed.append(part)
        count += len(part.split())
    row = "| north | 12 | words of text | 3.5 |\n"
    return {
        "one paragraph": "word " * tokens,
        "one paragraph with marks": "some **bold** and `code` words. " * (tokens // 5),
        "a usual answer": "\n\n".join(mixed) + "\n\n",
        "one fence": "```python\n" + "value = other + 1  # words\n" * (tokens // 6) + "```\n\n",
        "one list": "- an item of **some** words\n" * (tokens // 6) + "\n",
        "one table": "| region | n | text | x |\n|---|---:|---|---:|\n" + row * (tokens // 11) + "\n",
        "one thought": "<think>" + "hmm, well. " * (tokens // 2) + "</think>\n\n"}


def longest_on_cpu(trace: bytes) -> float:
    """Milliseconds of CPU time of the page's longest task, without those in which the driver looked into the page. A busy
    machine makes a task last, but not take, longer."""
    events = json.loads(trace)["traceEvents"]
    main = {(one["pid"], one["tid"]) for one in events
            if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
    ours = [one for one in events if one.get("ph") == "X" and (one["pid"], one["tid"]) in main]
    driver = [one["ts"] for one in ours if one["name"] == "V8.InvokeApiInterruptCallbacks"]
    times = [one.get("tdur", 0) / 1000 for one in ours if one["name"].endswith("RunTask")
             and not any(one["ts"] <= at <= one["ts"] + one["dur"] for at in driver)]
    return max(times, default=0)


class BarePage:
    """A page of a Chromium of its own which is only asked for values now and then. Playwright has the browser keep what a page
    loads, up to 200 MB, in the page's own process."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [CHROMIUM, *FLAGS, "--headless=new", "--lang=en-US", "--window-size=1280,900", "--remote-debugging-port=0",
             f"--user-data-dir={self.folder.name}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = Path(self.folder.name, "DevToolsActivePort")
        while not told.exists() or len(told.read_text().split()) < 2:
            assert self.process.poll() is None, "Chromium has ended"
            time.sleep(0.05)
        port, path = told.read_text().split()
        self.browser = connect(f"ws://127.0.0.1:{port}{path}", max_size=None)
        pages = httpx.get(f"http://127.0.0.1:{port}/json").json()
        self.page = connect(next(one["webSocketDebuggerUrl"] for one in pages if one["type"] == "page"), max_size=None)

    def send(self, method, to=None, **params):
        socket = to or self.page
        socket.send(json.dumps({"id": 1, "method": method, "params": params}))
        while "id" not in (answer := json.loads(socket.recv())):
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, expression):
        while not self.evaluate(expression):
            time.sleep(0.05)

    def open(self, url):
        self.send("Page.navigate", url=url)
        self.until(f"location.href.startsWith({json.dumps(url)}) && document.readyState === 'complete'")

    def ask(self, text):
        self.until("!!document.querySelector('textarea[aria-label=\"Your question\"]')")
        self.evaluate("document.querySelector('textarea[aria-label=\"Your question\"]').focus()")
        self.send("Input.insertText", text=text)
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        self.send("Input.dispatchKeyEvent", type="keyDown", text="\r", **key)
        self.send("Input.dispatchKeyEvent", type="keyUp", **key)

    def heap(self) -> float:
        self.send("HeapProfiler.collectGarbage")
        return self.send("Runtime.getHeapUsage")["usedSize"] / 1e6

    def private_memory(self) -> float:
        """MB that only the process of this page has. The heap is a part of it; pictures, layout and styles are others."""
        sizes = []
        for one in self.send("SystemInfo.getProcessInfo", self.browser)["processInfo"]:
            if one["type"] == "renderer":
                rollup = Path(f"/proc/{one['id']}/smaps_rollup").read_text()
                sizes.append(sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Private_")))
        return max(sizes) * 1024 / 1e6

    def close(self):
        self.send("Browser.close", self.browser)
        self.process.wait(timeout=60)
        self.folder.cleanup()


class Pages:
    def __init__(self, browser, server, models):
        self.browser, self.server, self.models = browser, server, models
        self.url = os.environ.get("ATOLL_WEB", server.url)
        self.page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
        self.page.set_default_timeout(300_000)
        self.tools = self.page.context.new_cdp_session(self.page)

    def ask(self, text):
        box = self.page.get_by_label("Your question")
        box.fill(text)
        box.press("Enter")

    def heap(self) -> float:
        self.tools.send("HeapProfiler.collectGarbage")
        return self.tools.send("Runtime.getHeapUsage")["usedSize"] / 1e6

    def paint(self):
        values = []
        for _ in range(5):
            self.page.goto(self.url + "/ui/")
            self.page.wait_for_function(f"() => ({PAINT}) > 0")
            values.append(self.page.evaluate(PAINT))
        say(f"first contentful paint: {sorted(values)[2]:.0f} ms, the median of 5")

    def stream(self):
        for name, text in texts(TOKENS).items():
            for rate in (0, 5000):
                self.long_answer(name, text + "finis", rate)

    def long_answer(self, name, text, rate):
        page = self.page
        page.goto(self.url + "/ui/")
        # What is loaded when it is needed, is: else the end of the answer comes before the means to show it.
        self.models.answer = "Some **words**, $x^2$.\n\n```python\nx = 1\n```\n"
        self.ask("few words")
        page.locator(".katex").first.wait_for()
        page.locator(".tok-number").first.wait_for()
        page.get_by_role("button", name="Ask again", exact=True).wait_for()
        page.wait_for_load_state("networkidle")
        self.models.answer = {"text": text, "rate": rate}
        page.evaluate(WATCH)
        self.browser.start_tracing(page=page, categories=["toplevel", "v8", "devtools.timeline"])
        begin = time.monotonic()
        self.ask("many words")
        turn = page.locator("article[data-turn='2']")
        turn.get_by_role("button", name="Ask again", exact=True).wait_for()
        took = time.monotonic() - begin
        if "<think>" not in text:
            page.wait_for_function("() => [...document.querySelectorAll('article[data-turn=\"2\"] .prose')].at(-1)"
                                   "?.textContent.trimEnd().endsWith('finis')", polling=200)
        page.wait_for_load_state("networkidle")
        cpu = longest_on_cpu(self.browser.stop_tracing())
        tasks = page.evaluate("tasks")
        pace = f"{rate} a second" if rate else "as fast as it is read"
        say(f"{TOKENS} tokens, {name}, {pace}: in {took:.1f} s, longest task {max(tasks, default=0):.0f} ms, "
            f"{cpu:.0f} ms on the CPU, heap {self.heap():.0f} MB")

    def table(self):
        session = self.server.session()
        made = self.server.run(session, f"import pandas; pandas.DataFrame({{'n': range({ROWS}), 'city': 'Bern', 'amount': 2.5}})"
                                        ".to_csv('/data/large.csv', index=False)")
        assert "error" not in made, made
        page = self.page
        page.goto(f"{self.url}/ui/s/{session}?panel=files")
        item = page.get_by_role("treeitem", name="large.csv")
        item.wait_for()
        begin = time.monotonic()
        item.click()
        page.get_by_role("cell", name="Bern").first.wait_for()
        first = time.monotonic() - begin
        page.get_by_text(f"{ROWS:,} rows").wait_for()
        say(f"{ROWS} rows: the first after {first * 1000:.0f} ms, all counted after {(time.monotonic() - begin) * 1000:.0f} ms")
        # In the page's own time, from the scroll to the frame that has the cells.
        times = [page.evaluate("""async ({part, rows}) => {
            const box = document.querySelector('[role=region][aria-label=Table]');
            const from = performance.now();
            box.scrollTop = box.scrollHeight * part;
            for (;;) {
                await new Promise(requestAnimationFrame);
                const cells = [...box.querySelectorAll('[role=cell]')];
                if (cells.length && cells.every((one) => one.textContent !== '…')
                    && Math.abs(Number(cells[0].textContent) - part * rows) < 1000) return performance.now() - from;
            }
        }""", {"part": part, "rows": ROWS}) for part in (0.2, 0.9, 0.5, 0.7, 0.1, 0.33, 0.81, 0.62, 0.05, 0.44)]
        say("a page somewhere else: " + ", ".join(f"{one:.0f}" for one in times) +
            f" ms; median {statistics.median(times):.0f}")

    def messages(self):
        thread = self.server.thread()
        self.models.answer = lambda asked: (
            "The **total** of `region` is 1,234.\n\n| region | amount |\n|---|---:|\n| north | 12 |\n| south | 9 |\n\n"
            "- one thing\n- another\n\n" + "More words follow. " * (len(asked.user) % 13))
        begin = time.monotonic()
        for n in range(MESSAGES // 2):
            self.server.ask(thread, f"question {n} " + "and more " * (n % 9))
        say(f"{MESSAGES} messages made in {time.monotonic() - begin:.0f} s")
        page = self.page
        page.goto("about:blank")
        begin = time.monotonic()
        page.goto(f"{self.url}/ui/t/{thread}")
        page.get_by_text(f"question {MESSAGES // 2 - 1} ").first.wait_for()
        say(f"{MESSAGES} messages: the last ones after {(time.monotonic() - begin) * 1000:.0f} ms")
        page.wait_for_load_state("networkidle")
        page.evaluate(WATCH)
        for name, step in (("slow", -60), ("fast", -900), ("flying", -20000)):
            self.browser.start_tracing(page=page, categories=["toplevel", "v8"])
            seen = page.evaluate(SCROLL, {"step": step, "frames": 200})
            cpu = longest_on_cpu(self.browser.stop_tracing())
            times = sorted(seen["times"]) or [0]
            say(f"scrolling {name} ({-step} px a frame): frames of {statistics.median(times):.0f} ms in the median, "
                f"{times[int(len(times) * 0.95)]:.0f} ms at 95 %, {times[-1]:.0f} ms at most; {seen['blank']} of {len(times)} blank; longest task {cpu:.0f} ms on the CPU")
        tasks = page.evaluate("tasks")
        say(f"tasks above 50 ms: {len(tasks)}, the longest {max(tasks, default=0):.0f} ms; heap {self.heap():.0f} MB")

    def upload(self):
        page = self.page
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            file.truncate(UPLOAD_MB << 20)
            session = self.server.session()
            page.goto(f"{self.url}/ui/")
            page.get_by_label("Your question").wait_for()
            self.tools.send("Network.emulateNetworkConditions", {
                "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 40 << 20})
            # Each step of the bar, and what has left the browser by then.
            page.evaluate("""() => {
                window.steps = [];
                const send = XMLHttpRequest.prototype.send;
                XMLHttpRequest.prototype.send = function (body) {
                    this.upload.addEventListener('progress', (event) => { window.sent = event.loaded / event.total; });
                    return send.call(this, body);
                };
                new MutationObserver(() => {
                    const value = document.querySelector('progress')?.value * 100;
                    if (value > 0 && value !== steps.at(-1)?.[0]) steps.push([value, window.sent * 100, performance.now()]);
                }).observe(document.body, {subtree: true, childList: true, attributes: true});
            }""")
            begin = time.monotonic()
            page.get_by_test_id("file-picker").set_input_files(file.name)
            page.wait_for_function("() => steps.length > 0 && !document.querySelector('progress')")
            took = time.monotonic() - begin
            steps = page.evaluate("steps")
            off = max(abs(shown - sent) for shown, sent, _ in steps)
            gaps = [b[2] - a[2] for a, b in zip(steps, steps[1:])]
            say(f"{UPLOAD_MB} MB at 40 MB/s: in {took:.1f} s, {len(steps)} steps of the bar, at most {off:.1f} points from what "
                f"was sent, {max(gaps, default=0):.0f} ms between two at most")
            self.tools.send("Network.emulateNetworkConditions", {
                "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
            self.server.http.delete(f"/v1/sessions/{session}")

    def memory(self):
        """What an hour brings at 50 tokens a second, without the waiting: 60 answers of 3,000 tokens in one chat, every sixth
        of them with code that prints 5,000 lines while it runs."""
        page = BarePage()
        text = texts(HOUR_TOKENS // HOUR_ANSWERS)["a usual answer"] + "finis"
        code = "for n in range(5000): print('line', n, 'of what code prints while it runs')"

        def answer(asked):
            if asked.user.endswith("with code") and not asked.tool_results:
                return {"tool_calls": [call("run_python", code=code)]}
            return {"text": text, "rate": 0}
        self.models.answer = answer
        blank = page.private_memory()
        page.open(self.url + "/ui/")
        page.evaluate(WATCH)
        begin, heaps, own = time.monotonic(), [], []
        for n in range(HOUR_ANSWERS):
            page.ask(f"many words {n}" + (", with code" if n % 6 == 0 else ""))
            page.until(f"[...document.querySelectorAll(\"article[data-turn='{n + 1}'] button\")]"
                       ".some((one) => one.ariaLabel === 'Ask again' || one.innerText.trim() === 'Ask again')")
            if n % 10 == 9:
                heaps.append(page.heap())
                own.append(page.private_memory())
        longest = page.evaluate("Math.max(0, ...tasks)")
        page.close()
        say(f"an hour of streaming: {HOUR_TOKENS} tokens in {HOUR_ANSWERS} answers of one chat, in {time.monotonic() - begin:.0f} s: "
            "heap after each ten " + ", ".join(f"{one:.0f}" for one in heaps) + " MB; the page's process has "
            + ", ".join(f"{one:.0f}" for one in own) + f" MB of its own (an empty page {blank:.0f}); longest task {longest:.0f} ms")


def main(*parts):
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as data, ModelServer(answering) as models:
        listen = os.environ.get("ATOLL_LISTEN", "127.0.0.1:0")
        server = Analyst(Path(data), environment=models.environment(), listen=listen, pandas=True)
        try:
            with playwright.sync_playwright() as p:
                browser = p.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
                for part in parts or ("paint", "stream", "table", "messages", "upload", "memory"):
                    pages = Pages(browser, server, models)
                    getattr(pages, part)()
                    pages.page.close()  # its process is not to be taken for that of the next
                browser.close()
        finally:
            server.stop()
    say(f"all of it in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
