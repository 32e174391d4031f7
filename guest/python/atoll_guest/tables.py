"""Tables as data: a DataFrame or a Series that is shown brings its first rows as JSON.

Beside text/plain and text/html, under a type of ours, so that whoever renders notebooks goes on as
before. Bounded in rows, columns and the length of a cell: what is shown is a view, not the data.
"""

import math

MIME = "application/vnd.atoll.table+json"
ROWS_MAX = 100
COLUMNS_MAX = 50
CELL_CHARACTERS_MAX = 200


def install(display_formatter):
    from IPython.core.formatters import BaseFormatter
    from traitlets import ObjectName, Unicode

    class TableFormatter(BaseFormatter):
        format_type = Unicode(MIME)
        print_method = ObjectName("_repr_atoll_table_")
        _return_type = dict

    formatter = TableFormatter(parent=display_formatter)
    # By name: pandas is imported when somebody uses it. From 3 on its types say `pandas`.
    for module in ("pandas", "pandas.core.frame"):
        formatter.for_type_by_name(module, "DataFrame", of_frame)
    for module in ("pandas", "pandas.core.series"):
        formatter.for_type_by_name(module, "Series", of_series)
    display_formatter.formatters[MIME] = formatter


def of_series(series):
    name = "value" if series.name is None else _text(series.name)
    return _table(series.head(ROWS_MAX).to_frame(name), len(series), False)


def of_frame(frame):
    wide = frame.shape[1] > COLUMNS_MAX
    return _table(frame.iloc[:ROWS_MAX, :COLUMNS_MAX], len(frame), wide)


def _table(part, total, wide):
    names, columns = [], []
    if not _is_plain_range(part.index):
        for level in range(part.index.nlevels):
            name = part.index.names[level]
            names.append("index" if name is None else _text(name))
            columns.append(part.index.get_level_values(level))
    for place in range(part.shape[1]):
        name = part.columns[place]
        names.append(" / ".join(map(_text, name)) if isinstance(name, tuple) else _text(name))
        columns.append(part.iloc[:, place])
    lists = [[_cell(value) for value in column] for column in columns]
    rows = [list(row) for row in zip(*lists)] if lists else []
    return {"columns": names, "rows": rows, "total_rows": total,
            "truncated": wide or total > len(part)}


def _is_plain_range(index):
    return type(index).__name__ == "RangeIndex" and index.name is None


def _text(value):
    return str(value)[:CELL_CHARACTERS_MAX]


def _cell(value):
    if value is None or isinstance(value, (bool, str)):
        return value[:CELL_CHARACTERS_MAX] if isinstance(value, str) else value
    if hasattr(value, "isoformat"):
        text = _date(value)
        return None if text == "NaT" else text
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 63 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    text = _text(value)
    return None if text in ("NaT", "<NA>") else text


def _date(value):
    text = str(value.isoformat())
    return text[:10] if text.endswith("T00:00:00") else text[:CELL_CHARACTERS_MAX]
