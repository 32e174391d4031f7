"""The functions that the offline analyst's code calls: what they report, against small tables that can be
reckoned in the head. The code is the file that runs in the sandbox, run here."""
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


DATA = Path(__file__).resolve().parents[2] / "src" / "models" / "offline" / "data"
CODE = compile((DATA / "tables.py").read_text() + (DATA / "figures.py").read_text(), "figures.py", "exec")
TOTAL = ("total", "amount", "sum")
ROWS = ("rows", "amount", "size")


@pytest.fixture
def called(capsys):
    """Calls a function by its name; what it reported."""
    names = {}
    exec(CODE, names)

    def calling(name, *arguments, **options):
        names[name](*arguments, **options)
        return json.loads(capsys.readouterr().out)
    calling.names = names
    return calling


@pytest.fixture
def sales():
    return pd.DataFrame({
        "city": ["Rome", "Rome", "Oslo", "Oslo", "Bern", None], "amount": [1.0, 2.0, 10.0, 5.0, None, 4.0],
        "kind": ["a", "b", "a", "a", "b", "b"],
        "day": pd.to_datetime(["2024-01-01", "2024-02-03", "2024-02-04", "2024-03-01", "2024-03-02", None])})


def test_groups_without_a_value_are_left_out_and_told(called, sales):
    told = called("groups", sales, ["city"], [TOTAL], order="highest")
    assert told["rows"] == [["Oslo", 15], ["Rome", 3]]
    assert told["figures"] == {"rows": 6, "left_out": 1, "overall": 22, "groups": 2, "empty": 1}


def test_groups_that_are_counted_are_all_there(called, sales):
    assert called("groups", sales, ["city"], [ROWS])["rows"] == [["Bern", 1], ["Oslo", 2], ["Rome", 2]]


def test_no_rows_add_up_to_zero_and_no_values_to_nothing(called, sales):
    told = called("across", sales, "city", "kind", TOTAL)
    assert told["columns"] == ["city", "a", "b"]
    assert told["rows"] == [["Bern", 0, None], ["Oslo", 15, 0], ["Rome", 1, 2]]


@pytest.mark.parametrize("grain, first", [
    ("month", "2024-01"), ("quarter", "2024Q1"), ("year", "2024"), ("day", "2024-01-01"), ("week", "2024-01-01"),
    ("weekday", "Monday"), ("part of the week", "weekday"), ("month of the year", 1), ("hour of the day", 0)])
def test_keys_of_dates(called, sales, grain, first):
    keys = called.names["with_keys"](sales, {"key": ("day", grain)})["key"]
    assert keys.iloc[0] == first and pd.isna(keys.iloc[5])


def test_weekdays_stand_in_their_order(called, sales):
    rows = called.names["with_keys"](sales, {"weekday": ("day", "weekday")})
    told = called("groups", rows, ["weekday"], [ROWS])
    assert [row[0] for row in told["rows"]] == ["Monday", "Friday", "Saturday", "Sunday"]


def test_shares(called, sales):
    told = called("shares", sales, ["kind"], ROWS, order="highest")
    assert told["rows"] == [["a", 3, 50], ["b", 3, 50]]
    part = sales[sales["kind"] == "a"]
    names = ["part", "whole", "share (%)"]
    assert called("divided", (part, ROWS), (sales, ROWS), [], names, times=100)["rows"] == [[3, 6, 50]]
    told = called("divided", (part, ROWS), (sales, ROWS), ["city"], names, times=100, order="highest")
    assert told["rows"] == [["Oslo", 2, 2, 100], ["Rome", 1, 2, 50], ["Bern", 0, 1, 0]]


def test_growth_is_of_each_group(called, sales):
    rows = called.names["with_keys"](sales, {"month": ("day", "month")})
    told = called("growth", rows, ["month"], [TOTAL], "month")
    assert told["rows"][:2] == [["2024-01", 1, None, None], ["2024-02", 12, 11, 1100]]


def test_periods_side_by_side(called, sales):
    rows = called.names["in_periods"](sales, "day", {"March": ("2024-03-01", "2024-04-01"),
                                                     "February": ("2024-02-01", "2024-03-01")})
    told = called("groups", rows, ["period"], [TOTAL], sort=False)
    assert told["rows"] == [["March", 5], ["February", 12]]


def test_rates_leave_unknown_rows_out(called, sales):
    rows = called.names["with_rate"](sales, "city = Rome", "city", "Rome")
    assert called("overall", rows, [("rate", "city = Rome", "mean")])["rows"] == [[40]]


def test_rows(called, sales):
    told = called("show", sales, ["city", "amount"], by="amount", order="highest", count=2)
    assert told["rows"] == [["Oslo", 10], ["Oslo", 5]] and told["figures"]["rows"] == 6
    told = called("extreme", sales, ("lowest", "amount", "min"), ["city"])
    assert told["rows"] == [["Rome"]] and told["figures"]["value"] == 1


def test_about_the_table(called, sales):
    assert called("shape_of", sales)["rows"] == [[6, 4]]
    assert called("missing_in", sales)["figures"] == {"total": 3, "rows": 6, "affected": 2}
    assert called("values_of", sales, "kind")["rows"] == [["a", 3], ["b", 3]]
    assert called("duplicates_in", sales, ["kind"])["rows"] == [["kind", 4]]
    assert called("period_of", sales, ["day"])["rows"] == [["day", "2024-01-01", "2024-03-02"]]


def test_outliers_and_correlation(called):
    table = pd.DataFrame({"x": [1, 2, 3, 4, 100], "y": [2, 4, 6, 8, 200]})
    told = called("outliers_in", table, "x", ["x", "y"])
    assert told["rows"] == [[100, 200]] and told["figures"]["above"] == 1
    assert np.isclose(called("correlation_of", table, "x", "y")["figures"]["r"], 1)
