"""Goal: what a figure shows comes out as the numbers it was drawn from, whatever drew it, and a
figure that cannot be read is shown all the same."""

import datetime
import json

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
from atoll_guest import charts  # noqa: E402


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    yield
    plt.close("all")


def chart():
    found = charts.of_figure(plt.gcf())
    json.dumps(found, allow_nan=False)  # it is JSON
    return found


def test_lines_with_units_and_ticks():
    plt.plot([0, 1, 2], [1.0, float("nan"), 3.0], label="a")
    plt.axhline(2)  # across the whole of it: no data
    plt.xlabel("Time (s)")
    plt.ylabel("Height")
    plt.title("T")
    found = chart()
    assert (found["type"], found["title"]) == ("line", "T")
    assert (found["x_label"], found["x_unit"]) == ("Time (s)", "s")
    assert (found["y_label"], found["y_unit"]) == ("Height", None)
    assert found["elements"] == [{"label": "a", "points": [[0.0, 1.0], [1.0, None], [2.0, 3.0]]}]
    assert found["x_scale"] == "linear" and len(found["x_ticks"]) == len(found["x_tick_labels"])


def test_dates_categories_and_logarithms():
    plt.plot([datetime.date(2023, 9, day) for day in (1, 2)], [1, 2])
    found = chart()
    assert found["x_scale"] == "datetime" and found["x_label"] is None
    assert found["elements"][0]["points"][0] == ["2023-09-01T00:00:00+00:00", 1.0]
    plt.figure()
    plt.plot([1, 2], ["x", "y"])
    plt.xscale("log")
    found = chart()
    assert (found["x_scale"], found["y_scale"]) == ("log", "categorical")
    assert found["elements"][0]["points"] == [[1.0, "x"], [2.0, "y"]]


def test_points():
    plt.scatter([1, 2], [3, 4], label="s")
    assert chart()["elements"] == [{"label": "s", "points": [[1.0, 3.0], [2.0, 4.0]]}]


@pytest.mark.parametrize("draw", [plt.bar, plt.barh])
def test_bars_stand_or_lie(draw):
    draw(["p", "q"], [3, 4], label="g")
    found = chart()
    assert found["type"] == "bar"
    assert [(one["label"], one["group"], one["value"]) for one in found["elements"]] == [
        ("p", "g", 3.0),
        ("q", "g", 4.0),
    ]


def test_a_pie():
    plt.pie([90, 10], labels=["No", "Yes"])
    assert chart()["elements"] == [
        {"label": "No", "angle": 324.0, "radius": 1.0},
        {"label": "Yes", "angle": 36.0, "radius": 1.0},
    ]


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_boxes(filled, orientation):
    plt.boxplot(
        [[85, 90, 78, 92, 88], [95, 89, 76, 91, 84, 87]],
        tick_labels=["A", "B"],
        patch_artist=filled,
        orientation=orientation,
    )
    found = chart()
    assert found["type"] == "box_and_whisker"
    keys = ("label", "min", "first_quartile", "median", "third_quartile", "max", "outliers")
    assert [tuple(box[key] for key in keys) for box in found["elements"]] == [
        ("A", 78, 85, 88, 90, 92, []),
        ("B", 84, 84.75, 88, 90.5, 95, [76]),
    ]


def test_several_axes_and_what_is_none_of_these():
    figure, (left, right) = plt.subplots(1, 2)
    figure.suptitle("Two")
    left.plot([1, 2])
    right.add_artist(plt.Circle((0, 0), 1))
    right.set_title("C")
    found = chart()
    assert (found["type"], found["title"]) == ("superchart", "Two")
    assert found["elements"][0]["type"] == "line"
    assert found["elements"][1] == {"type": "unknown", "title": "C", "elements": []}
    plt.figure()
    assert chart() is None  # no axes at all


def test_a_colour_bar_is_no_chart():
    plt.colorbar(plt.scatter([1, 2], [3, 4], c=[5, 6]))
    assert chart()["type"] == "scatter"


def test_too_much_or_broken_comes_without():
    plt.plot(range(charts._POINTS_MAX + 1))
    assert charts._bundle_of(plt.gcf()) == {}
    assert charts._bundle_of("no figure") == {}
    plt.figure()
    plt.plot([1])
    assert list(charts._bundle_of(plt.gcf())) == [charts.MIME]
