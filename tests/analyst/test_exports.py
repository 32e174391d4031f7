"""A thread as a file: charts are in it, and a notebook runs again where there is no sandbox."""

import base64
import importlib.util
import os
import re
import socket
import subprocess
import sys

import pytest
from harness.host import eventually

CSV = b"region,amount\nNorth,10\nSouth,32\nNorth,5\n"
CHART = "run: import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.savefig('/data/outputs/a [b].png')"
# stands for one of many megapixels
LARGE = ("run: import os; os.makedirs('/data/outputs', exist_ok=True); "
         "open('/data/outputs/large.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(3 << 20))")
NO_IMAGE = "run: open('/data/outputs/script.png', 'w').write('<script>alert(1)</script>')"


def exported(server, thread, form):
    answer = server.http.get(f"/v1/threads/{thread}/export", params={"format": form})
    assert answer.status_code == 200, answer.text
    return answer.json() if form == "ipynb" else answer.text


@pytest.fixture(scope="module")
def charted(server):
    thread = server.thread(server.upload(("t.csv", CSV))["file_id"])
    for question in (CHART, LARGE, NO_IMAGE):
        assert server.ask(thread, question)["images"], question
    return thread


def test_charts_are_in_the_text(server, charted):
    text = exported(server, charted, "markdown")
    (chart,) = re.findall(r"!\[a b\.png\]\(data:image/png;base64,([A-Za-z0-9+/=]+)\)", text)
    assert base64.b64decode(chart).startswith(b"\x89PNG")
    assert "Image: `/data/outputs/large.png`" in text and "Image: `/data/outputs/script.png`" in text
    assert len(text) < 1 << 20


def test_charts_are_outputs_of_their_cells(server, charted):
    cells = [c for c in exported(server, charted, "ipynb")["cells"] if c["cell_type"] == "code"]
    shown = [[o for o in cell["outputs"] if o["output_type"] == "display_data"] for cell in cells]
    assert [len(outputs) for outputs in shown] == [0, 1, 0, 0]
    assert base64.b64decode(shown[1][0]["data"]["image/png"]).startswith(b"\x89PNG") and not shown[1][0]["metadata"]


def test_a_chart_that_is_gone_is_named(server):
    thread = server.thread()
    server.ask(thread, CHART)
    server.ask(thread, "run: import os; os.remove('/data/outputs/a [b].png')")
    assert "Image: `/data/outputs/a [b].png`" in exported(server, thread, "markdown")


def test_a_chart_that_was_written_over_is_shown_once(server):
    """Where it is what that run left. A chart of a megabyte that a hundred runs write to was a hundred of them, in the
    server's memory and in the file."""
    thread = server.thread()
    for _ in range(3):
        server.ask(thread, CHART)
    text = exported(server, thread, "markdown")
    assert text.count("](data:image/png;base64,") == 1
    assert text.count("Image: `/data/outputs/a [b].png`") == 2
    assert text.rindex("Image: `") < text.index("](data:image/png")
    cells = [c for c in exported(server, thread, "ipynb")["cells"] if c["cell_type"] == "code"]
    shown = [sum(o["output_type"] == "display_data" for o in cell["outputs"]) for cell in cells]
    assert shown == [0, 0, 0, 1]


# Readers of Parquet open their files natively; so does this one, where there is no pyarrow.
STAND_IN = """
import os, pandas
def read_parquet(path, **options):
    os.close(os.open(path, os.O_RDONLY))
    return pandas.DataFrame({"region": ["North", "South", "North"], "amount": [10, 32, 5]})
pandas.read_parquet = read_parquet
"""


@pytest.mark.skipif(os.path.isdir("/data"), reason="this host has a /data of its own")
def test_a_notebook_about_parquet_runs_again_elsewhere(offline, tmp_path):
    session = offline.session()
    offline.http.put(f"/v1/sessions/{session}/files/data/t.csv", content=CSV)
    made = offline.run(session, "import pandas as pd; pd.read_csv('/data/t.csv').to_parquet('/data/t.parquet')")
    assert made["exit_code"] == 0, made
    content = offline.http.get(f"/v1/sessions/{session}/files/data/t.parquet").content
    thread = offline.thread(offline.upload(("t.parquet", content))["file_id"])
    assert "32" in offline.ask(thread, "total amount by region")["answer"]
    cells = exported(offline, thread, "ipynb")["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (tmp_path / "t.parquet").write_bytes(content)
    stand_in = "" if importlib.util.find_spec("pyarrow") else STAND_IN
    (tmp_path / "notebook.py").write_text("\n".join([stand_in, *code]))
    ran = subprocess.run([sys.executable, "notebook.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert "atoll_result" in ran.stdout and "32" in ran.stdout


@pytest.mark.parametrize("form", ["markdown", "ipynb"])
def test_f3_a_client_that_leaves_an_export(server, charted, form):
    """Before its answer and amid it: the thread's sandbox may sleep, and the next one gets all of it."""
    assert exported(server, charted, form)
    before = server.sockets()
    address = server.url.removeprefix("http://").split(":")
    for bytes_ in (0, 1, 3000):
        for _ in range(3):
            with socket.create_connection((address[0], int(address[1])), timeout=60) as client:
                client.sendall(f"GET /v1/threads/{charted}/export?format={form} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                while bytes_ > 0 and (piece := client.recv(bytes_)):
                    bytes_ -= len(piece)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    session = server.http.get(f"/v1/threads/{charted}").json()["session_id"]
    assert eventually(lambda: server.http.post(f"/v1/sessions/{session}/evict").status_code == 200, 60)
    assert exported(server, charted, form)
    assert eventually(lambda: server.sockets() <= before, 60)
