"""Tables as data, beside the text: what a client can draw, sort and compute with."""

import json

import pytest

MIME = "application/vnd.atoll.table+json"


def table(kernel, code):
    data = kernel.run("import pandas as pd, numpy as np\n" + code).of("result")[0]["data"]
    assert "text/plain" in data
    return data.get(MIME)


@pytest.mark.parametrize("code, columns, rows", [
    ("pd.DataFrame({'a': [1, 2], 'b': ['x', None]})", ["a", "b"], [[1, "x"], [2, None]]),
    ("pd.DataFrame({'a': [1.5, np.nan]}, index=['p', 'q'])", ["index", "a"], [["p", 1.5], ["q", None]]),
    ("pd.Series([True, False], name='s')", ["s"], [[True], [False]]),
    ("pd.DataFrame({'d': pd.to_datetime(['2024-01-02', None])})", ["d"], [["2024-01-02"], [None]]),
    ("pd.DataFrame({'g': ['x', 'x'], 'v': [1, 2]}).groupby('g').sum()", ["g", "v"], [["x", 3]]),
    ("pd.DataFrame()", [], []),
    ("pd.DataFrame({('a', 'mean'): [1]})", ["a / mean"], [[1]]),
    ("pd.DataFrame({'i': pd.array([1, None], dtype='Int64')})", ["i"], [[1], [None]]),
])
def test_values_come_as_json_has_them(shared, code, columns, rows):
    shown = table(shared, code)
    assert (shown["columns"], shown["rows"]) == (columns, rows)
    assert shown["total_rows"] == (len(rows)) and shown["truncated"] is False


def test_a_large_table_is_a_view(shared):
    shown = table(shared, "pd.DataFrame(np.zeros((5000, 300)))")
    assert len(shown["rows"]) == 100 and len(shown["columns"]) == 50
    assert shown["total_rows"] == 5000 and shown["truncated"] is True
    assert len(json.dumps(shown)) < 100_000


def test_long_cells_are_cut_and_odd_objects_are_text(shared):
    shown = table(shared, "pd.DataFrame({'a': ['x' * 10_000], 'b': [[1, 2]], 'c': [float('inf')]})")
    assert [len(shown["rows"][0][0]), shown["rows"][0][1:]] == [200, ["[1, 2]", None]]


def test_other_results_have_none(shared):
    assert table(shared, "{'a': 1}") is None
