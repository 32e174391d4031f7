"""What a matplotlib figure shows, as data: for clients that draw it themselves.

Only for a run that asks for it (`charts`). It is read from what the figure draws, so it works for
whatever library drew it: lines, points, bars, pies, and boxes with whiskers. A figure with several
axes becomes a `superchart` of theirs; what is none of these is `unknown`, with its title.

Never in the way: a figure that cannot be read, or has too many points, is shown without.
"""

import math

MIME = "application/vnd.atoll.chart+json"
_POINTS_MAX = 20_000  # of one figure; their JSON is then about 1 MiB
_PLACES = 4  # of angles, which matplotlib computes in single precision


def install(display_formatter, hook):
    """`hook.charts` says whether the run that is going on wants them."""

    def bundle(figure):
        return (_bundle_of(figure) if hook.charts else {}), {}

    # By name: matplotlib is imported when somebody uses it.
    display_formatter.mimebundle_formatter.for_type_by_name("matplotlib.figure", "Figure", bundle)


def _bundle_of(figure):
    try:
        chart = of_figure(figure)
    except Exception:  # a user's artists may be anything
        return {}
    return {MIME: chart} if chart else {}


class _TooMuch(Exception):
    pass


def of_figure(figure):
    budget = _Budget(_POINTS_MAX)
    # A colour bar is a legend.
    axes = [one for one in figure.axes if one.get_visible() and not hasattr(one, "_colorbar")]
    charts = [_of_axes(one, budget) for one in axes]
    if not charts:
        return None
    if len(charts) == 1:
        return charts[0]
    title = figure.get_suptitle() or None
    return {"type": "superchart", "title": title, "elements": charts}


class _Budget:
    def __init__(self, points):
        self._left = points

    def take(self, points):
        self._left -= points
        if self._left < 0:
            raise _TooMuch


def _of_axes(axes, budget):
    title = axes.get_title() or None
    # A box plot is made of lines, and a bar chart may have one over it.
    for kind, elements_of in (
        ("box_and_whisker", _boxes),
        ("pie", _slices),
        ("bar", _bars),
        ("line", _lines),
        ("scatter", _points),
    ):
        elements = elements_of(axes, budget)
        if not elements:
            continue
        chart = {"type": kind, "title": title}
        if kind != "pie":
            chart |= _labels(axes)
        if kind in ("line", "scatter"):
            chart |= {**_scale("x", axes.xaxis), **_scale("y", axes.yaxis)}
        return {**chart, "elements": elements}
    return {"type": "unknown", "title": title, "elements": []}


# ---- axes --------------------------------------------------------------------------------------


def _labels(axes):
    labels = {}
    for name, text in (("x", axes.get_xlabel()), ("y", axes.get_ylabel())):
        labels[f"{name}_label"] = text or None
        labels[f"{name}_unit"] = _unit_in(text)
    return labels


def _unit_in(label):
    """`Time (s)` is in `s`."""
    text = label.strip()
    for opening, closing in ("()", "[]"):
        if text.endswith(closing) and opening in text:
            return text[text.rindex(opening) + 1 : -1].strip() or None
    return None


def _scale(name, axis):
    ticks = [_value(tick, axis) for tick in axis.get_ticklocs()]
    return {
        f"{name}_ticks": ticks,
        f"{name}_tick_labels": [label.get_text() for label in axis.get_ticklabels()],
        f"{name}_scale": _scale_of(axis),
    }


def _scale_of(axis):
    if _categories(axis):
        return "categorical"
    return "datetime" if _has_dates(axis) else axis.get_scale()


def _has_dates(axis):
    from matplotlib import dates

    formats = (dates.DateFormatter, dates.AutoDateFormatter, dates.ConciseDateFormatter)
    return isinstance(axis.get_major_formatter(), formats)


def _categories(axis):
    """Names by position, where a chart was drawn with names."""
    mapping = getattr(axis.units, "_mapping", None)
    return {at: str(name) for name, at in mapping.items()} if mapping else {}


def _value(number, axis):
    number = float(number)
    if not math.isfinite(number):
        return None  # JSON has no other word for it
    names = _categories(axis)
    if names:
        return names.get(number, number)
    if _has_dates(axis):
        from matplotlib import dates

        return dates.num2date(number).isoformat()
    return number


def _values(numbers, axis):
    numbers = [float(number) for number in numbers]
    if _categories(axis) or _has_dates(axis):
        return [_value(number, axis) for number in numbers]
    return [number if math.isfinite(number) else None for number in numbers]


def _name_at(position, axis):
    """What stands at this place of the axis."""
    names = _categories(axis)
    if position in names:
        return names[position]
    for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels()):
        if math.isclose(at, position, abs_tol=1e-9) and label.get_text():
            return label.get_text()
    value = _value(position, axis)
    return value if isinstance(value, str) else f"{position:g}"


def _label_of(artist):
    """Names with an underscore are matplotlib's own, for what has none."""
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else label


# ---- what is drawn -----------------------------------------------------------------------------


def _drawn(artists, axes):
    """Without what is no data: grid lines, and lines across the whole of the axes."""
    return [one for one in artists if one.get_visible() and one.get_transform() == axes.transData]


def _series(label, xs, ys, axes, budget):
    budget.take(len(xs))
    points = zip(_values(xs, axes.xaxis), _values(ys, axes.yaxis))
    return {"label": label, "points": [list(point) for point in points]}


def _lines(axes, budget):
    series = []
    for line in _drawn(axes.lines, axes):
        xs, ys = line.get_xdata(orig=False), line.get_ydata(orig=False)
        series.append(_series(_label_of(line), xs, ys, axes, budget))
    return series


def _points(axes, budget):
    from matplotlib.collections import PathCollection

    found = [
        one for one in axes.collections if isinstance(one, PathCollection) and one.get_visible()
    ]
    series = []
    for one in found:
        offsets = one.get_offsets()
        series.append(_series(_label_of(one), offsets[:, 0], offsets[:, 1], axes, budget))
    return series


def _bars(axes, budget):
    from matplotlib.container import BarContainer

    bars = []
    for group in axes.containers:
        if not isinstance(group, BarContainer):
            continue
        lying = group.orientation == "horizontal"
        budget.take(len(group))
        for bar in group:
            if lying:
                begin, thick, value = bar.get_y(), bar.get_height(), bar.get_width()
            else:
                begin, thick, value = bar.get_x(), bar.get_width(), bar.get_height()
            middle = round(begin + thick / 2, 9)
            label = _name_at(middle, axes.yaxis if lying else axes.xaxis)
            bars.append({"label": label, "group": _label_of(group), "value": _number(value)})
    return bars


def _slices(axes, budget):
    from matplotlib.patches import Wedge

    found = [patch for patch in axes.patches if isinstance(patch, Wedge)]
    budget.take(len(found))
    return [
        {
            "label": _label_of(one),
            "angle": round(float(one.theta2 - one.theta1), _PLACES),
            "radius": _number(one.r),
        }
        for one in found
    ]


def _number(value):
    value = float(value)
    return value if math.isfinite(value) else None


# ---- boxes -------------------------------------------------------------------------------------


def _boxes(axes, budget):
    """Nothing says that lines are a box plot but how they lie: a box, two whiskers that leave it in
    its middle, a line across it. Flipped, if the boxes lie."""
    for lying in (False, True):
        flip = (lambda xs, ys: (ys, xs)) if lying else (lambda xs, ys: (xs, ys))
        strokes = []
        for line in _drawn(axes.lines, axes):
            xs, ys = flip(line.get_xdata(orig=False), line.get_ydata(orig=False))
            budget.take(0 if lying else len(xs))
            strokes.append(([float(x) for x in xs], [float(y) for y in ys], line))
        outlines = [(xs, ys) for xs, ys, _ in strokes if len(xs) >= 5]
        for patch in _drawn(axes.patches, axes):
            vertices = patch.get_path().vertices
            outlines.append(flip(vertices[:, 0].tolist(), vertices[:, 1].tolist()))
        axis = axes.yaxis if lying else axes.xaxis
        boxes = [box for xs, ys in outlines if (box := _box(xs, ys, strokes, axis))]
        if boxes:
            return boxes
    return []


def _box(xs, ys, strokes, axis):
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    middle = (left + right) / 2
    ends, median, outliers = [], None, []
    for stroke_xs, stroke_ys, line in strokes:
        upright = all(math.isclose(x, middle, abs_tol=1e-9) for x in stroke_xs)
        if len(stroke_xs) == 2 and upright and line.get_linestyle() != "None":
            ends.append(stroke_ys)
        elif upright and line.get_linestyle() == "None":
            outliers += stroke_ys
        elif len(stroke_ys) == 2 and stroke_ys[0] == stroke_ys[1] and low <= stroke_ys[0] <= high:
            if left <= min(stroke_xs) < middle < max(stroke_xs) <= right:
                median = stroke_ys[0]
    lowest = next((min(ys) for ys in ends if max(ys) == low), None)
    highest = next((max(ys) for ys in ends if min(ys) == high), None)
    if median is None or lowest is None or highest is None:
        return None
    return {
        "label": _name_at(middle, axis),
        "min": lowest,
        "first_quartile": low,
        "median": median,
        "third_quartile": high,
        "max": highest,
        "outliers": outliers,
    }
