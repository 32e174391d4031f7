"""Reads tables inside the sandbox, for the grid of the web interface: a page of rows at a time.

The page sends this text once to a kernel, where it becomes a module that no variable of the user's
names, and then calls `answer` with a request in JSON. What is printed is the answer, in JSON too.
Columns of delimited files stay text, so that a cell shows what the file says; they are numbers only
for sorting and comparing.
"""

import csv
import json
import math
import os

import pyarrow as pa
import pyarrow.compute as pc

# A table that is larger than this is cut: the user's variables live in the same memory.
BYTES_MAX = 192 << 20
COLUMNS_MAX = 200
TEXT_MAX = 400
KEPT_MAX = 3
COMPARISONS = {
    ">=": pc.greater_equal, "<=": pc.less_equal, "!=": pc.not_equal,
    ">": pc.greater, "<": pc.less, "=": pc.equal}


class Refused(Exception):
    """What the page says to its user."""


class Table:
    """Columns with names, whole or still being read."""

    def __init__(self, names, columns, count):
        self.names, self.count = names, count
        self.columns = columns  # Arrow arrays, or functions that make them
        self.whole, self.cut, self.skipped, self.sheets = True, False, 0, []
        self.numbers, self.views = {}, {}

    def column(self, at):
        if callable(self.columns[at]):
            self.columns[at] = self.columns[at]()
        return self.columns[at]

    def texts(self, at):
        found = self.column(at)
        if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
            return found
        try:
            return pc.cast(found, pa.string())
        except pa.ArrowException:
            return pa.array([None if one is None else str(one) for one in found.to_pylist()])

    def keys(self, at):
        """What the column is sorted and compared by: numbers where all of it are."""
        if at not in self.numbers:
            found = self.column(at)
            if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
                try:
                    filled = pc.if_else(pc.equal(found, ""), pa.scalar(None, found.type), found)
                    found = pc.cast(filled, pa.float64())
                except pa.ArrowException:
                    pass
            elif pa.types.is_nested(found.type) or pa.types.is_dictionary(found.type):
                found = self.texts(at)
            self.numbers[at] = found
        return self.numbers[at]

    def kind(self, at):
        """For the look of a column: its first rows tell."""
        found = self.column(at).slice(0, 200)
        if pa.types.is_boolean(found.type) or pa.types.is_temporal(found.type):
            return "other"
        if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
            try:
                filled = pc.if_else(pc.equal(found, ""), pa.scalar(None, found.type), found)
                return "number" if pc.cast(filled, pa.float64()).null_count < len(found) else "text"
            except pa.ArrowException:
                return "text"
        return "number" if is_number(found.type) else "text"

    def view(self, sort, filters):
        """Which rows, in which order; None for all as they are."""
        name = json.dumps([sort, filters])
        if name not in self.views:
            while len(self.views) > KEPT_MAX:
                del self.views[next(iter(self.views))]
            mask = None
            for at, text in filters:
                found = pc.fill_null(self.matches(at, text), False)
                mask = found if mask is None else pc.and_(mask, found)
            rows = None if mask is None else pc.indices_nonzero(mask)
            if sort:
                at, descending = sort
                keys = self.keys(at) if rows is None else self.keys(at).take(rows)
                order = pc.array_sort_indices(
                    keys, order="descending" if descending else "ascending")
                rows = order if rows is None else rows.take(order)
            self.views[name] = rows
        return self.views[name]

    def matches(self, at, text):
        text = text.strip()
        for sign, compare in COMPARISONS.items():
            if text.startswith(sign):
                wanted, keys = text[len(sign):].strip(), self.keys(at)
                if is_number(keys.type):
                    try:
                        return compare(keys, float(wanted))
                    except ValueError:
                        raise Refused(f"{wanted!r} is not a number") from None
                return compare(self.texts(at), wanted)
        return pc.match_substring(self.texts(at), text, ignore_case=True)

    def page(self, sort, filters, offset, limit):
        rows = self.view(sort, filters)
        total = self.count if rows is None else len(rows)
        size = max(0, min(limit, total - offset))
        shown = min(len(self.names), COLUMNS_MAX)
        columns = []
        for at in range(shown):
            found = self.column(at)
            if rows is None:
                part = found.slice(offset, size)
            else:
                part = found.take(rows.slice(offset, size))
            columns.append([cell(one) for one in part.to_pylist()])
        return {
            "columns": [{"name": self.names[at], "kind": self.kind(at)} for at in range(shown)],
            "all_columns": len(self.names), "rows": list(map(list, zip(*columns))), "total": total,
            "whole": self.whole, "cut": self.cut, "skipped": self.skipped, "sheets": self.sheets}


def is_number(kind):
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def cell(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, (dict, list)):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX] + "…"


def of_arrow(table, cut=False):
    made = Table([str(name) for name in table.column_names],
                 [joined(column) for column in table.columns], table.num_rows)
    made.cut = cut
    return made


def joined(column):
    """One piece: rows of a column in many pieces are slow to take."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


# Delimited text


class Delimited(Table):
    """A file that shows its first rows before it is read to its end."""

    def __init__(self, path):
        from pyarrow import csv as arrow_csv

        encoding, separator, header = look_at(path)
        width = len(header)
        super().__init__(header, [], 0)
        self.batches, self.whole = [], False
        options = {
            "read_options": arrow_csv.ReadOptions(
                autogenerate_column_names=True, encoding=encoding, block_size=1 << 20),
            "parse_options": arrow_csv.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=self.skip),
            "convert_options": arrow_csv.ConvertOptions(
                column_types={f"f{at}": pa.string() for at in range(width)},
                strings_can_be_null=False)}
        self.reader = arrow_csv.open_csv(path, **options)
        self.more(None if os.path.getsize(path) < 2 << 20 else 1)

    def skip(self, _row):
        self.skipped += 1
        return "skip"

    def more(self, batches=None):
        size = sum(batch.nbytes for batch in self.batches)
        while batches is None or batches > 0:
            try:
                batch = self.reader.read_next_batch()
            except StopIteration:
                self.whole = True
                break
            if batch.num_rows:
                # The first row is the header.
                self.batches.append(batch if self.batches else batch.slice(1))
                size += batch.nbytes
                batches = batches and batches - 1
            if size > BYTES_MAX:
                self.whole = self.cut = True
                break
        self.gather()

    def gather(self):
        self.numbers, self.views = {}, {}
        self.count = sum(batch.num_rows for batch in self.batches)
        columns = list(range(len(self.names)))
        pieces = [[batch.column(at) for batch in self.batches] for at in columns]
        if self.whole:
            self.batches = []
        for at in columns:
            self.names[at] = self.names[at] or f"column {at + 1}"
            columns[at] = pa.concat_arrays(pieces[at]) if pieces[at] else pa.array([], pa.string())
            pieces[at] = None
        self.columns = columns


def look_at(path):
    """The encoding, what stands between cells, and the first row."""
    with open(path, "rb") as file:
        head = file.read(1 << 16)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif b"\0" in head:
        raise Refused("this file is not text")
    else:
        encoding = next(name for name in ("utf-8-sig", "gb18030", "latin-1") if decodes(head, name))
    text = head.decode(encoding, "replace")
    if not text.strip():
        raise Refused("this file is empty")
    lines = text.splitlines()[:20]
    if len(lines) > 1 and len(head) == 1 << 16:
        lines.pop()
    if path.lower().endswith((".tsv", ".tab")):
        separator = "\t"
    else:
        # The one that every line has, and most of all.
        separator = max(",;\t|", key=lambda one: (
            min(line.count(one) for line in lines), lines[0].count(one)))
    header = next(csv.reader(text.splitlines(keepends=True), delimiter=separator))
    # Arrow knows UTF-8 itself, and skips its mark.
    known = "utf8" if encoding == "utf-8-sig" else encoding
    return known, separator, [name.strip("\ufeff") for name in header]


def decodes(head, encoding):
    try:
        head[:len(head) - 4].decode(encoding) if len(head) == 1 << 16 else head.decode(encoding)
        return True
    except UnicodeDecodeError as error:
        # The last letter may be cut.
        return len(head) == 1 << 16 and error.start > len(head) - 12


# Other files


def read_lines_of_json(path):
    import io

    from pyarrow import json as arrow_json

    with open(path, "rb") as file:
        text = file.read(BYTES_MAX // 2)
        cut = bool(file.read(1))
    if cut:
        text = text[:text.rfind(b"\n") + 1]
    try:
        return of_arrow(arrow_json.read_json(pa.BufferReader(text)), cut)
    except pa.ArrowException:
        rows = [json.loads(line) for line in io.BytesIO(text) if line.strip()]
        rows = [row if isinstance(row, dict) else {"value": row} for row in rows]
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = [pa.array([cell(row.get(name)) for row in rows]) for name in names]
        return of_arrow(pa.table(columns, names=names), cut)


def read_parquet(path):
    from pyarrow import parquet

    batches, size, cut = [], 0, False
    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        for batch in file.iter_batches(batch_size=65536):
            batches.append(batch)
            size += batch.nbytes
            if size > BYTES_MAX:
                cut = True
                break
    return of_arrow(pa.Table.from_batches(batches, schema), cut)


def read_sheet(path, sheet):
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        chosen = book[sheet] if sheet in book.sheetnames else book.worksheets[0]
        rows, cells, cut = [], 0, False
        for row in chosen.iter_rows(values_only=True):
            rows.append(row)
            cells += len(row)
            if cells > 4_000_000:
                cut = True
                break
        names = [cell(one) for one in rows[0]] if rows else []
        columns = [of_cells([row[at] if at < len(row) else None for row in rows[1:]])
                   for at in range(len(names))]
        named = [name or f"column {at + 1}" for at, name in enumerate(names)]
        made = Table(named, columns, max(0, len(rows) - 1))
        made.cut, made.sheets = cut, list(book.sheetnames)
        return made
    finally:
        book.close()


def of_cells(values):
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError):
        return pa.array([cell(one) for one in values])


READERS = {
    ".parquet": lambda path, sheet: read_parquet(path),
    ".pq": lambda path, sheet: read_parquet(path),
    ".jsonl": lambda path, sheet: read_lines_of_json(path),
    ".ndjson": lambda path, sheet: read_lines_of_json(path),
    ".xlsx": read_sheet, ".xlsm": read_sheet}


def open_file(path, sheet):
    read = READERS.get(os.path.splitext(path)[1].lower())
    try:
        return read(path, sheet) if read else Delimited(path)
    except FileNotFoundError:
        raise Refused("the file is not there any more") from None
    except MemoryError:
        raise Refused("it does not fit in the sandbox's memory") from None
    except Refused:
        raise
    except Exception as error:  # whatever a library says of a file that is not what its name says
        raise Refused(str(error).split("\n")[0][:300] or type(error).__name__) from None


# Variables


def of_value(value):
    import pandas

    if isinstance(value, (pa.Table, pa.RecordBatch)):
        return of_arrow(value)
    if isinstance(value, pandas.Series):
        value = value.to_frame()
    if hasattr(value, "to_arrow"):
        return of_arrow(value.to_arrow())
    if not isinstance(value, pandas.DataFrame):
        value = pandas.DataFrame(value)
    if not isinstance(value.index, pandas.RangeIndex):
        index = value.index.to_frame(index=False)
        index.columns = [str(name) if name is not None else "index" for name in value.index.names]
        index.index = value.index
        value = pandas.concat([index, value], axis=1)
    columns = [lambda at=at: of_series(value.iloc[:, at]) for at in range(value.shape[1])]
    return Table([str(name) for name in value.columns], columns, len(value))


def of_series(series):
    try:
        return joined(pa.array(series, from_pandas=True))
    except (pa.ArrowException, TypeError, ValueError):
        return pa.array([cell(one) for one in series])


kept = {}


def table_of(asked, names):
    if "variable" in asked:
        if asked["variable"] not in names:
            raise Refused("this variable is not there any more")
        value = names[asked["variable"]]
        name = ("variable", asked["variable"], id(value), asked["version"])
        make = lambda: of_value(value)  # noqa: E731
    else:
        path = asked["file"]
        try:
            stat = os.stat(path)
        except OSError:
            raise Refused("the file is not there any more") from None
        name = ("file", path, asked.get("sheet") or "", stat.st_mtime_ns, stat.st_size)
        make = lambda: open_file(path, asked.get("sheet"))  # noqa: E731
    if name not in kept:
        for old in [one for one in kept if one[:2] == name[:2]]:
            del kept[old]
        while len(kept) >= KEPT_MAX:
            del kept[next(iter(kept))]
        kept[name] = make()
    return kept[name]


def answer(request, names):
    asked = json.loads(request)
    try:
        table = table_of(asked, names)
        if not table.whole and asked["whole"]:
            table.more()
        found = table.page(asked["sort"], asked["filters"], asked["offset"], asked["limit"])
    except Refused as refused:
        found = {"refused": str(refused)}
    except pa.ArrowException as error:
        found = {"refused": str(error).split("\n")[0][:300]}
    print(json.dumps(found, ensure_ascii=False))
