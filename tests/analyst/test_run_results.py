"""What code shows besides text and images: charts of plotly and altair, tables, formulas. Clients get it as data, the
model reads that it was shown; it is kept with the turn."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

PLOTLY = "application/vnd.plotly.v1+json"
TABLE = "application/vnd.atoll.table+json"
BAR = "import plotly.express as px; px.bar(x=['Bern', 'Basel'], y=[3, 4], title='Two cities')"
ALTAIR = """import altair as alt, pandas as pd
alt.Chart(pd.DataFrame({'city': ['Bern'], 'n': [7]}), title='One city').mark_bar().encode(x='city', y='n')"""


def results_of(events):
    return [data for name, data, *_ in events if name == "result"]


def type_of(result):
    (kind,) = result["data"]
    return kind


@pytest.fixture(scope="module")
def charted(server):
    """A thread, and the events of a turn that showed a chart."""
    thread = server.thread()
    return thread, list(server.stream(thread, "run: " + BAR))


def test_a_chart_comes_as_data_after_its_run(server, charted):
    thread, events = charted
    (result,) = results_of(events)
    assert set(result) == {"run", "data"} and result["run"] == 1 and type_of(result) == PLOTLY
    figure = result["data"][PLOTLY]
    assert figure["data"][0]["type"] == "bar" and figure["layout"]["title"]["text"] == "Two cities"
    names = [name for name, *_ in events]
    assert names.index("result") == names.index("code_run") + 1
    # Contract B: a run is these three, and no more.
    run = next(data for name, data, *_ in events if name == "code_run")
    assert set(run) == {"code", "output", "exec_ms"} and run["output"] == "[shown: a chart, Two cities]"


def test_the_model_reads_that_it_was_shown_and_not_what(server, charted, models):
    thread, _ = charted
    server.ask(thread, "and now?")
    asked = models.requests[-1]
    assert asked.user == "and now?"
    assert "[shown: a chart, Two cities]" in asked.raw.decode()
    assert b"plotly.v1" not in asked.raw and b"xaxis" not in asked.raw and b"bdata" not in asked.raw


def test_it_is_in_the_history_and_in_the_answer(server, charted):
    thread, events = charted
    (result,) = results_of(events)
    messages = server.history(thread)
    assert messages[1]["role"] == "assistant" and messages[1]["results"] == [result]
    (tool,) = [m for m in server.history(thread, all="true") if m["role"] == "tool"]
    assert tool["results"] == [result] and "results" not in messages[0]
    answer = server.ask(server.thread(), "run: " + ALTAIR)
    (chart,) = answer["results"]
    assert "vegalite" in type_of(chart) and chart["data"][type_of(chart)]["title"] == "One city"
    assert answer["code_runs"][0]["output"] == "[shown: a chart, One city]"
    assert server.ask(server.thread(), "run: print(1)")["results"] == []


def test_it_outlives_the_server_and_is_told_again(own_server):
    thread = own_server.thread()
    # This server's template has no plotly.
    events = list(own_server.stream(thread, f"run: display({{{PLOTLY!r}: {{'data': [], 'layout': {{}}}}}}, raw=True)"))
    own_server.kill()
    own_server.start()
    assert results_of(own_server.resume(thread, turn=1)) == results_of(events) != []
    assert own_server.history(thread)[1]["results"] == results_of(events)


def test_who_resumes_after_the_run_hears_of_it(server):
    thread = server.thread()
    events = list(server.stream(thread, "run: " + BAR))
    run = next(number for name, _, number, _ in events if name == "code_run")
    assert results_of(server.resume(thread, after=run)) == results_of(events)


def test_it_goes_with_a_branch(server, charted):
    thread, events = charted
    made = server.http.post(f"/v1/threads/{thread}/fork", json={"turn": 1}).json()["thread_id"]
    assert server.history(made)[1]["results"] == results_of(events)


def test_a_notebook_has_charts_as_outputs_and_a_text_names_them(server, charted):
    thread, events = charted
    (result,) = results_of(events)
    book = server.http.get(f"/v1/threads/{thread}/export", params={"format": "ipynb"}).json()
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    (shown,) = [out for out in code[1]["outputs"] if out["output_type"] == "display_data"]
    assert shown["data"][PLOTLY]["data"] == result["data"][PLOTLY]["data"] and shown["data"]["text/plain"] == "a chart"
    text = server.http.get(f"/v1/threads/{thread}/export", params={"format": "markdown"}).text
    assert "[shown: a chart, Two cities]" in text and "bdata" not in text


def test_a_notebook_has_nothing_of_a_chart_that_loads_something(own_server):
    thread = own_server.thread()
    charts = [{"application/vnd.vegalite.v5+json": {
                   "usermeta": {"embedOptions": {"patch": "https://example.com/x.json"}},
                   "data": {"values": []}, "mark": {"type": "bar", "href": "https://example.com"}}},
              {PLOTLY: {"data": [], "config": {"topojsonURL": "https://example.com"}, "layout": {
                  "updatemenus": [{"buttons": [{"args": [{"images": [{"source": "https://example.com"}]}]}]}]}}}]
    answer = own_server.ask(thread, f"run: for one in {charts!r}: display(one, raw=True)")
    assert len(answer["results"]) == 2
    book = own_server.http.get(f"/v1/threads/{thread}/export", params={"format": "ipynb"}).json()
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    shown = [out["data"] for out in code[1]["outputs"] if out["output_type"] == "display_data"]
    assert shown == [{"application/vnd.vegalite.v5+json": {"data": {"values": []}, "mark": {"type": "bar"}},
                      "text/plain": "a chart"},
                     {PLOTLY: {"data": [], "layout": {}}, "text/plain": "a chart"}]


def test_several_of_one_run_keep_their_order(server):
    answer = server.ask(server.thread(), """run: import pandas as pd, plotly.express as px
from IPython.display import Markdown, Math
display(pd.DataFrame({'first': [1]}))
px.line(x=[1], y=[2], title='L').show()
display(Markdown('**bold**'), Math('x^2'))
pd.DataFrame({'last': [2]})""")
    assert [type_of(result) for result in answer["results"]] == [TABLE, PLOTLY, "text/markdown", "text/latex"]
    assert answer["results"][0]["data"][TABLE]["columns"][-1] == "first"
    (table,) = answer["tables"]
    assert table["columns"][-1] == "last"
    output = answer["code_runs"][0]["output"]
    assert "first" in output and "last" in output and "object at 0x" not in output and "IPython" not in output


def test_html_is_kept_only_where_it_is_a_table(server):
    answer = server.ask(server.thread(), """run: import pandas as pd
from IPython.display import HTML
display(pd.DataFrame({'a': [1]}).style.set_caption('Styled'), HTML('<b>bold</b>'))""")
    (result,) = answer["results"]
    assert "<caption>Styled" in result["data"]["text/html"]


@pytest.mark.parametrize("code, kept, why", [
    ("import plotly.graph_objects as go; go.Figure(go.Scatter(x=['x' * 1000] * 2000, y=[1] * 2000))", 0,
     r"\[not shown: a chart; it has 2\.\d MB, and one result may have 1\.0 MB: show fewer points"),
    ("for i in range(40): px.bar(x=[i], y=[i], title=f'T{i}').show()", 16,
     r"\[not shown: a chart, T16; one answer keeps 16 results and 2\.1 MB"),
], ids=["large", "many"])
def test_too_much_is_named_in_a_sentence(server, code, kept, why):
    answer = server.ask(server.thread(), "run: import plotly.express as px\n" + code)
    assert len(answer["results"]) == kept
    output = answer["code_runs"][0]["output"]
    assert re.search(why, output), output
    assert len(output) < 3000


def test_the_bound_is_the_whole_turns(server, models):
    calls = {"tool_calls": [
        {"id": f"c{i}", "name": "run_python",
         "arguments": json.dumps({"code": f"import plotly.express as px\nfor i in range(10): px.bar(x=[{i}]).show()"})}
        for i in range(2)]}
    models.answer = [calls, "Drawn."]
    answer = server.ask(server.thread(), "draw")
    assert [result["run"] for result in answer["results"]] == [1] * 10 + [2] * 6
    assert "[not shown: " not in answer["code_runs"][0]["output"]
    assert "[not shown: a chart" in answer["code_runs"][1]["output"]


def grown(tmp_path, server, turns):
    """A thread of so many turns, each with two charts of a megabyte that are 500,000 zeros: values made of them would
    take 24 MiB. One is drawn, the others are copies of it in the store."""
    thread = server.thread()
    code = f"""for n in range(2):
    display({{{PLOTLY!r}: {{"data": [{{"type": "bar", "x": [0] * 500_000}}], "layout": {{}}}}}}, raw=True)"""
    assert len(server.ask(thread, "run: " + code)["results"]) == 2
    assert server.stop() == 0
    with sqlite3.connect(tmp_path / "data/atoll.db") as db:
        (number,) = db.execute("SELECT number FROM threads WHERE id = ?", (thread,)).fetchone()
        (count,) = db.execute("SELECT count(*) FROM thread_messages WHERE thread = ?", (number,)).fetchone()
        for turn in range(2, turns + 1):
            db.execute("INSERT INTO thread_messages SELECT thread, sequence + ?, ?, role, content, details, '', at"
                       " FROM thread_messages WHERE thread = ? AND turn = 1", ((turn - 1) * count, turn, number))
        db.execute("UPDATE threads SET messages = ?, turns = ? WHERE number = ?", (turns * count, turns, number))
    db.close()
    server.start()
    return thread, count


def peak_mib(server):
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.process.pid}/status").read_text())[1]) >> 10


def test_results_are_never_more_than_their_text(tmp_path, own_server):
    """20 turns of 2 MiB, whole: the server holds copies of the text, which are some hundred MiB, and no values made of it,
    which are half a thousand at least."""
    thread, _ = grown(tmp_path, own_server, 20)
    before = peak_mib(own_server)
    messages = own_server.history(thread)
    assert [len(message["results"]) for message in messages if message["role"] == "assistant"] == [2] * 20
    assert messages[-1]["results"][1]["data"][PLOTLY]["data"][0]["x"] == [0] * 500_000
    assert peak_mib(own_server) - before < 300


@pytest.mark.parametrize("everything", ["false", "true"])
def test_a_chat_with_many_charts_comes_in_pages(tmp_path, own_server, everything):
    """40 turns of 2 MiB are too much for one answer, and no page is larger than it must be."""
    thread, count = grown(tmp_path, own_server, 40)
    refused = own_server.http.get(f"/thread/{thread}/history", params={"all": everything})
    assert refused.status_code == 429 and "limit and cursor" in refused.json()["detail"]
    seen, query = [], {"all": everything, "limit": 1000}
    while True:
        page = own_server.http.get(f"/thread/{thread}/history", params=query)
        assert page.status_code == 200, page.text[:300]
        assert len(page.content) < 12 << 20
        page = page.json()
        assert page["messages"]
        seen += [(one["turn"], one["role"], len(one.get("results", []))) for one in page["messages"]]
        if "next_cursor" not in page:
            break
        query["cursor"] = page["next_cursor"]
    assert [turn for turn, role, _ in seen if role == "user"] == list(range(1, 41))
    assert sum(results for *_, results in seen) == 80
    assert len(seen) == 40 * (count if everything == "true" else 2)


def test_tools_that_nobody_draws_for_answer_as_ever(server):
    session = server.session()
    answer = server.http.post("/v1/tools/run_python", json={"session_id": session, "code": BAR}).json()
    assert "results" not in answer and "not shown" not in answer["output"] and "plotly.v1" not in json.dumps(answer)
