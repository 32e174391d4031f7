"""The routes, bodies and events of the chat, to the letter, against a scripted model."""

import io
import threading
import time
import zipfile

import pytest
from harness.host import eventually
from harness.model_server import call

CSV = b"region,amount\nNorth,10\nSouth,32\n"


def test_upload_answers_with_the_first_id_and_all_files(server):
    answer = server.upload(("a.csv", CSV), ("b.tsv", b"x\ty\n1\t2\n"))
    assert set(answer) == {"file_id", "files"}
    assert answer["file_id"] == answer["files"][0]["file_id"]
    assert [(f["name"], f["size"]) for f in answer["files"]] == [("a.csv", len(CSV)), ("b.tsv", 8)]
    assert all(set(f) == {"file_id", "name", "size"} for f in answer["files"])


@pytest.mark.parametrize("name, content, says", [
    ("empty.csv", b"", "empty"),
    ("table.csv", b"PK\x03\x04 and so on", "not what its name says"),
    ("table.xlsx", b"a,b\n1,2\n", "not what its name says"),
    ("table.parquet", b"a,b\n1,2\n", "not what its name says"),
    ("table.json", b"\x89PNG\r\n\x1a\n", "PNG image"),
    ("table.csv", b"a,b\n\x00\x00\x00", "binary"),
])
def test_a_file_that_is_not_what_its_name_says(server, name, content, says):
    answer = server.http.post("/upload", files=[("files", ("good.csv", CSV)), ("files", (name, content))])
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["path"] == "files[1]" and says in answer.json()["detail"]


def test_bad_uploads_change_nothing(server):
    assert server.http.post("/upload", json={}).status_code == 415
    assert server.http.post("/upload", files=[("other", ("a.csv", CSV))]).status_code == 400
    assert server.http.post("/upload", data={"files": "text"}, files=[("x", ("a", b"b"))]).status_code == 400


@pytest.mark.parametrize("name, stored", [
    ("../../etc/passwd.csv", "passwd.csv"), ("C:\\Users\\me\\t.csv", "t.csv"), (".hidden.csv", "hidden.csv"),
    ("sp ace ü.csv", "sp ace ü.csv"), ("x" * 300 + ".csv", "x" * 116 + ".csv"),
])
def test_names_are_made_safe(server, name, stored):
    assert server.upload((name, CSV))["files"][0]["name"] == stored


def test_a_thread_without_files_has_the_bundled_table(server):
    answer = server.http.post("/thread/new")
    assert answer.status_code == 201
    body = answer.json()
    assert body["files"][0]["path"] == "/data/transactions.csv" and body["state"] == "cold"
    result = server.ask(body["thread_id"], "run: import pandas as pd; len(pd.read_csv('/data/transactions.csv'))")
    assert int(result["answer"].split()[-1]) > 4000


def test_files_lie_in_data_and_may_be_changed_there(server):
    first = server.upload(("a.csv", CSV), ("a.csv", b"other\n1\n"))
    ids = [f["file_id"] for f in first["files"]]
    one, two = server.thread(*ids), server.thread(ids[0])
    result = server.ask(one, "run: import os; print(sorted(f for f in os.listdir('/data') if f != 'outputs'))")
    assert result["answer"] == "It says ['a-2.csv', 'a.csv']"
    server.ask(one, "run: open('/data/a.csv', 'w').write('gone')")
    assert server.ask(two, "run: print(open('/data/a.csv').read())")["answer"] == "It says " + CSV.decode().strip()


@pytest.mark.parametrize("body, path", [
    ({"file_ids": ["f-nothere"]}, "file_ids[0]"), ({"file_ids": "x"}, "file_ids"), ({"files": []}, "files"),
    ({"file_ids": [""]}, "file_ids[0]"), ([], ""),
])
def test_bad_new_threads(server, body, path):
    answer = server.http.post("/thread/new", json=body)
    assert answer.status_code == 400 and answer.json()["errors"][0]["path"] == path, answer.text


def test_one_json_answer_has_exactly_what_clients_rely_on(server):
    thread = server.thread()
    answer = server.ask(thread, "run: print(6 * 7)")
    assert answer["thread_id"] == thread and answer["answer"] == "It says 42"
    assert set(answer) >= {"thread_id", "answer", "code_runs", "images", "timings_ms", "container_state"}
    assert [set(run) for run in answer["code_runs"]] == [{"code", "output", "exec_ms"}]
    assert answer["code_runs"][0]["code"] == "print(6 * 7)" and answer["code_runs"][0]["output"] == "42"
    assert answer["code_runs"][0]["exec_ms"] > 0 and answer["container_state"] == "hot"
    timings = answer["timings_ms"]
    assert set(timings) == {"queue", "sandbox", "model_first_token", "model", "code", "total"}
    assert timings["total"] >= timings["model"] + timings["code"] - 1 and timings["sandbox"] > 0


def test_the_same_as_events(server):
    thread = server.thread()
    seen = list(server.stream(thread, "run: print(6 * 7)"))
    names = [name for name, *_ in seen]
    assert names[0] == "status" and names[-1] == "done" and names.count("code_run") == 1
    for name, data, *_ in seen:
        wanted = {"status": {"text"}, "token": {"text"}, "code_run": {"code", "output", "exec_ms"}}.get(name)
        assert wanted is None or set(data) == wanted, (name, data)
    done = seen[-1][1]
    assert set(done) >= {"timings_ms", "container_state"} and done["container_state"] == "hot"
    text = "".join(data["text"] for name, data, *_ in seen if name == "token")
    assert text == done["answer"] == "It says 42"
    assert server.http.get(f"/thread/{thread}/history").json()["messages"][-1]["content"] == text


def test_variables_live_on_and_history_tells_all(server):
    thread = server.thread()
    server.ask(thread, "run: x = 41")
    assert server.ask(thread, "run: x + 1")["answer"] == "It says 42"
    messages = server.history(thread)
    assert [m["role"] for m in messages] == ["user", "assistant"] * 2
    assert messages[0]["content"] == "run: x = 41" and messages[3]["code_runs"][0]["code"] == "x + 1"
    everything = server.history(thread, all="true")
    assert [m["role"] for m in everything] == ["user", "assistant", "tool", "assistant"] * 2
    assert [m["sequence"] for m in everything] == list(range(1, 9))


def test_status_and_list(server):
    thread = server.thread()
    status = server.http.get(f"/thread/{thread}/status").json()
    assert (status["thread_id"], status["state"]) == (thread, "cold")
    server.ask(thread, "hello there, how are you today?")
    listed = server.http.get("/threads").json()["threads"]
    assert listed[0]["thread_id"] == thread and listed[0]["title"] == "hello there, how are you today?"
    session = listed[0]["session_id"]
    # The answer needed no sandbox, so it may still be on its way.
    assert eventually(lambda: server.http.post(f"/v1/sessions/{session}/evict").status_code == 200)
    assert server.http.get(f"/thread/{thread}/status").json()["state"] == "cold"
    assert server.ask(thread, "again")["container_state"] == "hot"


def test_a_cold_thread_comes_back_with_its_variables(server):
    thread = server.thread()
    server.ask(thread, "run: kept = {'a': 1}")
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    assert server.http.post(f"/v1/sessions/{session}/evict").status_code == 200
    assert server.ask(thread, "run: kept['a'] + 1")["answer"] == "It says 2"


def test_a_thread_outlives_its_session(server):
    thread = server.thread(server.upload(("t.csv", CSV))["file_id"])
    session = server.http.get(f"/v1/threads/{thread}").json()["session_id"]
    server.ask(thread, "run: x = 1")
    assert server.http.delete(f"/v1/sessions/{session}").status_code == 204
    assert server.http.get(f"/thread/{thread}/status").json()["state"] == "cold"
    assert "South" in server.ask(thread, "run: print(open('/data/t.csv').read())")["answer"]


@pytest.mark.parametrize("body, path", [
    ({}, "message"), ({"message": ""}, "message"), ({"message": " \n\t"}, "message"), ({"message": 3}, "message"),
    ({"message": "x", "more": 1}, "more"), ({"message": "x" * 200_001}, "message"),
])
def test_bad_messages_change_nothing(server, body, path):
    thread = server.thread()
    for way in ("message", "message/stream"):
        answer = server.http.post(f"/thread/{thread}/{way}", json=body)
        assert answer.status_code == 400 and answer.json()["errors"][0]["path"] == path, answer.text
    assert server.history(thread) == []
    assert server.ask(thread, "hello")["answer"] == "You said hello"


def test_what_is_not_there_is_404(server):
    for method, path in [("GET", "/thread/th-no/status"), ("GET", "/thread/th-no/history"),
                         ("POST", "/thread/th-no/message"), ("POST", "/thread/th-no/message/stream"),
                         ("GET", "/thread/th-no/message/stream"), ("POST", "/thread/th-no/cancel"),
                         ("DELETE", "/v1/threads/th-no"), ("GET", "/v1/uploads/f-no")]:
        answer = server.http.request(method, path, json={"message": "x"} if method == "POST" else None)
        assert answer.status_code == 404, (method, path, answer.text)


def test_rename_export_and_remove(server):
    upload = server.upload(("t.csv", CSV))["file_id"]
    thread = server.thread(upload)
    server.ask(thread, "run: import pandas as pd; df = pd.read_csv('/data/t.csv'); df")
    server.ask(thread, "run: print('```'); df.amount.sum()")
    answer = server.http.patch(f"/v1/threads/{thread}", json={"title": "Sales"})
    assert answer.status_code == 200 and answer.json()["title"] == "Sales"
    assert server.http.patch(f"/v1/threads/{thread}", json={"title": "a\nb"}).status_code == 400
    text = server.http.get(f"/v1/threads/{thread}/export").text
    assert text.startswith("# Sales\n") and "```python\nimport pandas" in text and "````text" in text
    notebook = server.http.get(f"/v1/threads/{thread}/export", params={"format": "ipynb"}).json()
    assert notebook["nbformat"] == 4 and len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    # It runs again: in a fresh session that has the file.
    session = server.session()
    server.http.put(f"/v1/sessions/{session}/files/data/t.csv", content=CSV)
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    ran = [server.run(session, cell) for cell in code]
    assert all(one["exit_code"] == 0 for one in ran) and "42" in str(ran[-1]["results"])
    assert server.http.delete(f"/v1/uploads/{upload}").status_code == 409
    assert server.http.delete(f"/v1/threads/{thread}").status_code == 204
    assert server.http.get(f"/thread/{thread}/history").status_code == 404
    assert server.http.delete(f"/v1/uploads/{upload}").status_code == 204


def test_what_would_be_sent(server):
    thread = server.thread(server.upload(("t.csv", CSV))["file_id"])
    server.ask(thread, "remember the word heron")
    shown = server.http.get(f"/v1/threads/{thread}/context").json()
    assert shown["tokens"] <= shown["tokens_max"]
    assert f"- /data/t.csv ({len(CSV)} bytes)" in shown["messages"][0]["content"]
    assert "region, amount" in shown["messages"][0]["content"]
    assert any("heron" in m["content"] for m in shown["messages"])
    assert [p["kind"] for p in shown["parts"]] == ["system", "tools", "turn"]


def test_ui_is_the_web_interface(server):
    answer = server.http.get("/ui", follow_redirects=False)
    assert answer.status_code == 200 and '<div id="root">' in answer.text


def test_info_names_the_model(server, models):
    info = server.http.get("/v1/info").json()
    assert info["model"].startswith("openai/")
    assert models.environment()["OPENAI_API_KEY"] not in str(info)


def test_a_message_sent_twice_is_answered_once(server, models):
    thread = server.thread()
    first = server.ask(thread, "run: import random; print(random.random())", message_id="m-1")
    again = server.ask(thread, "run: import random; print(random.random())", message_id="m-1")
    assert first["answer"] == again["answer"] and len(server.history(thread)) == 2


def test_two_messages_at_once_are_answered_one_after_the_other(server):
    thread = server.thread()
    answers = {}

    def ask(text):
        answers[text] = server.ask(thread, f"run: import time; time.sleep(.5); print('{text}')")

    asking = [threading.Thread(target=ask, args=(text,)) for text in ("one", "two", "three")]
    for one in asking:
        one.start()
        time.sleep(.1)
    for one in asking:
        one.join()
    assert [answers[t]["answer"] for t in ("one", "two", "three")] == ["It says one", "It says two", "It says three"]
    assert answers["three"]["timings_ms"]["queue"] > 500
    assert [m["role"] for m in server.history(thread)] == ["user", "assistant"] * 3


def test_too_many_waiting_are_refused(server, models):
    models.answer = {"text": "slow words come here", "first_delay": 2}
    thread = server.thread()
    statuses = []

    def ask():
        statuses.append(server.http.post(f"/thread/{thread}/message", json={"message": "x"}).status_code)

    asking = [threading.Thread(target=ask) for _ in range(12)]
    for one in asking:
        one.start()
    time.sleep(1.0)
    models.answer = "quick"
    for one in asking:
        one.join()
    assert statuses.count(409) == 3 and statuses.count(200) == 9, statuses


def test_images_and_tables_arrive_as_events(server):
    thread = server.thread(server.upload(("t.csv", CSV))["file_id"])
    seen = list(server.stream(thread, "run: import pandas as pd, matplotlib.pyplot as plt\n"
                                      "df = pd.read_csv('/data/t.csv'); df.plot.bar(x='region')\n"
                                      "plt.savefig('/data/outputs/chart.png'); df"))
    image = next(data for name, data, *_ in seen if name == "image")
    assert image["path"] == "/data/outputs/chart.png" and image["content_type"] == "image/png"
    assert image["href"] == f"/v1/threads/{thread}/files/data/outputs/chart.png"
    assert server.http.get(f"/v1/threads/{thread}/files/data/no.png").status_code == 404
    assert server.http.get(f"/v1/threads/{thread}/files/data").status_code == 409
    picture = server.http.get(image["href"])
    assert picture.status_code == 200 and picture.content.startswith(b"\x89PNG")
    table = next(data for name, data, *_ in seen if name == "table")
    assert table == {"columns": ["region", "amount"], "rows": [["North", 10], ["South", 32]], "total_rows": 2,
                     "truncated": False}
    output = next(data for name, data, *_ in seen if name == "code_run")["output"]
    assert "[image saved: /data/outputs/chart.png]" in output and "South" in output
    assert [name for name, *_ in seen].count("image") == 1
    shown = server.ask(thread, "run: import matplotlib.pyplot as plt; plt.plot([1, 2, 3]);")
    assert shown["images"][0]["path"].startswith("/data/outputs/figure-")
    assert server.http.get(shown["images"][0]["href"]).content.startswith(b"\x89PNG")


def test_excel_and_parquet_are_taken(server):
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    answer = server.upload(("a.xlsx", sheet.getvalue()), ("b.parquet", b"PAR1....PAR1"), ("c.json", b"[1]"))
    assert len(answer["files"]) == 3


def workbook(*sheets):
    """As little of one as tells its sheets."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        named = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, 1))
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", f"<workbook><sheets>{named}</sheets></workbook>")
    return packed.getvalue()


def test_a_model_is_told_of_sheets_and_of_more_columns(server):
    wide = ",".join(f"x{n}" for n in range(100)).encode() + b"\n"
    latin = "Stadt,Größe\nKöln,1\n".encode("latin-1")
    files = server.upload(("book.xlsx", workbook("Jan", "R&amp;D", "费用")), ("wide.csv", wide), ("latin.csv", latin),
                          ("wide16.csv", "城市,n\n北京,1\n".encode("utf-16-le")))["files"]
    thread = server.thread(*(f["file_id"] for f in files))
    prompt = server.http.get(f"/v1/threads/{thread}/context").json()["messages"][0]["content"]
    assert "  sheets: Jan, R&D, 费用\n" in prompt
    assert "x78, x79, and 20 more\n" in prompt and "x80" not in prompt
    assert "Stadt" not in prompt  # no name rather than half of one


def test_history_in_pages(server):
    thread = server.thread()
    for n in range(3):
        server.ask(thread, f"run: print({n})")
    for everything, count in ((False, 6), (True, 12)):
        whole = server.history(thread, all=everything)
        assert len(whole) == count
        for limit in (1, 2, 5, count, 1000):
            read, query = [], {"all": everything, "limit": limit}
            while True:
                page = server.http.get(f"/thread/{thread}/history", params=query).json()
                assert 0 < len(page["messages"]) <= limit
                read += page["messages"]
                if "next_cursor" not in page:
                    break
                query["cursor"] = page["next_cursor"]
            assert read == whole
    page = server.http.get(f"/thread/{thread}/history", params={"limit": 2}).json()
    other = server.thread()
    for bad in ({"limit": 0}, {"limit": 1001}, {"cursor": "zz"}):
        assert server.http.get(f"/thread/{thread}/history", params=bad).status_code == 400, bad
    assert server.http.get(f"/thread/{other}/history", params={"cursor": page["next_cursor"]}).status_code == 400
    assert server.http.get(f"/thread/{other}/history", params={"limit": 5}).json()["messages"] == []


def test_tools_that_are_called_side_by_side_run_in_order(server, models):
    def two(asked):
        if not asked.tool_results:
            return {"tool_calls": [call("run_python", code="y = 5; print('first')"),
                                   call("run_python", code="print(y * 2)")]}
        return " ".join(asked.tool_results)
    models.answer = two
    assert server.ask(server.thread(), "go")["answer"] == "first 10"
