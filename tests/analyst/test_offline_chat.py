"""Without a key: a table goes in, questions are asked, and the numbers are those that pandas computes."""

import csv
import io
import os
import random
import subprocess
import sys

import pytest

pytestmark = pytest.mark.each_user


@pytest.fixture(scope="module")
def sales():
    dice = random.Random(7)
    rows = [(f"2024-{1 + i % 12:02}-{1 + i % 28:02}", dice.choice(["North", "South", "East"]),
             round(dice.uniform(1, 500), 2)) for i in range(400)]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["date", "region", "amount"])
    writer.writerows(rows)
    return rows, text.getvalue().encode()


def test_it_says_plainly_that_there_is_no_model(offline):
    info = offline.http.get("/v1/info").json()
    assert info["model"].startswith("offline") and "OPENAI_API_KEY" in info["model_note"]
    assert "no language model" in (offline.folder / "log").read_text()


def test_a_total_is_the_total(offline, sales):
    rows, content = sales
    thread = offline.thread(offline.upload(("sales.csv", content))["file_id"])
    answer = offline.ask(thread, "What is the total amount?")
    assert f"{sum(row[2] for row in rows):,.2f}" in answer["answer"], answer
    assert answer["code_runs"] and answer["model"].startswith("offline")
    by_region = offline.ask(thread, "and by region?")
    for region in ("North", "South", "East"):
        total = sum(row[2] for row in rows if row[1] == region)
        assert region in by_region["answer"] and f"{total:,.2f}" in by_region["answer"], by_region


def test_a_chart_arrives_as_an_image(offline, sales):
    thread = offline.thread(offline.upload(("sales.csv", sales[1]))["file_id"])
    seen = list(offline.stream(thread, "Plot the total amount by region"))
    assert seen[-1][0] == "done"
    images = [data for name, data, *_ in seen if name == "image"]
    assert images and offline.http.get(images[0]["href"]).content.startswith(b"\x89PNG")


def test_the_bundled_table_answers(offline):
    answer = offline.ask(offline.thread(), "How many rows are there?")
    assert any(character.isdigit() for character in answer["answer"])


def test_what_it_does_not_understand_it_says(offline):
    answer = offline.ask(offline.thread(), "Write me a poem about the sea")
    assert answer["answer"] and "stopped" not in answer


@pytest.mark.skipif(os.path.isdir("/data"), reason="this host has a /data of its own")
def test_the_notebook_runs_again_elsewhere(offline, sales, tmp_path):
    _, content = sales
    thread = offline.thread(offline.upload(("sales.csv", content))["file_id"])
    answer = offline.ask(thread, "What is the total amount by region?")["answer"]
    notebook = offline.http.get(f"/v1/threads/{thread}/export", params={"format": "ipynb"}).json()
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    (tmp_path / "sales.csv").write_bytes(content)
    (tmp_path / "notebook.py").write_text("\n".join(cells))
    ran = subprocess.run([sys.executable, "notebook.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert "atoll_result" in ran.stdout and "North" in answer and "North" in ran.stdout
