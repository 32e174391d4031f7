"""Tables as people have them, read by the offline analyst's own code: each is read rightly, or a note
says what was done to it, or it is refused with a reason. Nothing wrong goes without a word.

The code is the file that runs in the sandbox, run here."""
import builtins
import io
import json
import re
from pathlib import Path

import datasets
import pandas as pd
import pytest


TOOLS = Path(__file__).resolve().parents[2] / "src" / "models" / "offline" / "data" / "tables.py"
CODE = compile(TOOLS.read_text(), "tools.py", "exec")


@pytest.fixture
def tools():
    names = {}
    exec(CODE, names)
    return names


@pytest.fixture
def read(tools, tmp_path):
    """The table of a file with this content, and its notes as one text."""
    def reading(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        table = tools["load"](str(path))
        return table, " ".join(tools["notes"][str(path), None])
    return reading


def described(tools, capsys, *paths):
    tools["describe_files"]([str(path) for path in paths])
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith('{"atoll_schema"')]

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")
    return json.loads(line, parse_constant=refuse)["tables"]


# content; a column and its values; a part of the notes, or "" where there is nothing to say
CASES = {
    "longer row": ("city,amount\nA,1\nB,2,extra\nC,3\n", "amount", [1, 2, 3], "1 row has more columns"),
    "longer first row": ("city,amount\nA,1,x\nB,2\nC,3\n", "city", ["A", "B", "C"], "1 row has more columns"),
    "separators at the ends": ("city,amount\nA,1,\nB,2,\n", "city", ["A", "B"], ""),
    "names of rows": ("amount,b\nx,5,1\ny,6,2\n", "amount", [5, 6], ""),
    "total with money": ("day|city|item|amount\n2024-01-01|A|q|$100.00\n2024-01-02|B|r|$193,730.27\n"
                         "2024-01-03|B|r|$100,000.00\nTotal|||$293,830.27\n",
                         "amount", [100, 193730.27, 100000], '("Total") was left out'),
    "Chinese total": ("部门,金额\n销售,100\n研发,200\n合计,300\n", "金额", [100, 200], '("合计") was left out'),
    "German total": ("Stadt;Umsatz\nKöln;1.200,50\nBonn;900,25\nSumme;2.100,75\n", "Umsatz", [1200.5, 900.25],
                     "left out"),
    "total below dates": ("date,v\n2024-01-01,100\n2024-01-02,200\nTotal,300\n", "date",
                          list(pd.to_datetime(["2024-01-01", "2024-01-02"])), "left out"),
    "subtotals": ("region,city,v\nN,A,1\nN,B,2\nSubtotal,,3\nS,C,4\nS,D,5\nSubtotal,,9\nGrand Total,,12\n",
                  "v", [1, 2, 4, 5], "3 rows that add up"),
    "a company called Total": ("company,revenue\nShell,5\nBP,6\nTotal,7\n", "revenue", [5, 6, 7], "it was counted"),
    "minus behind": ("account,debit\nA,100-\nB,50\nC,25-\n", "debit", [-100, 50, -25], ""),
    "typed minus": ("item,n\nA,\u221212\nB,5\nC,-1\n", "n", [-12, 5, -1], ""),
    "in brackets": ("item,n\nA,($12.50)\nB,$(1.00)\nC,$2.00\n", "n", [-12.5, -1, 2], ""),
    "underscores": ("item,v\na,1.5e3\nb,2E-1\nc,1_000\n", "v", [1500, 0.2, 1000], ""),
    "dots in thousands": ("Land;n\nA;1.234\nB;12.345\nC;234.567\n", "n", [1234, 12345, 234567], "1.234 was read as 1,234"),
    "dots in millions": ("Land,n\nA,1.234\nB,12.345\nC,1.234.567\n", "n", [1234, 12345, 1234567], ""),
    "dots before decimals": ("a;v\nx;1.234\ny;0.500\nz;2.125\n", "v", [1.234, 0.5, 2.125], ""),
    "two ways to write decimals": ("a|v\nx|1,234.50\ny|1.234,50\nz|2,125.00\n", "v", [1234.5, 1234.5, 2125], ""),
    "one column with commas": ("Betrag\n1,5\n2,5\n", "Betrag", [1.5, 2.5], ""),
    "currencies": ("item,price\na,$10\nb,€20\nc,£30\n", "price", [10, 20, 30], "several currencies (EUR, GBP, USD)"),
    "one currency": ("item,price\na,¥10\nb,20元\nc,30\n", "price", [10, 20, 30], ""),
    "some percent": ("city,rate\na,10%\nb,20%\nc,0.3\n", "rate", [10, 20, 0.3], "have a % sign and others do not"),
    "month or day": ("date,v\n03/04/2024,1\n05/06/2024,2\n", "date", list(pd.to_datetime(["2024-03-04", "2024-05-06"])),
                     "03/04/2024 were read as month/day"),
    "day first": ("date,v\n03/04/2024,1\n25/06/2024,2\n", "date", list(pd.to_datetime(["2024-04-03", "2024-06-25"])), ""),
    "other zones": ("time,v\n2024-03-31T23:30:00-05:00,1\n2024-04-01T10:00:00Z,2\n", "time",
                    list(pd.to_datetime(["2024-04-01 04:30", "2024-04-01 10:00"])), "turned into UTC"),
    "the same name twice": ("amount,amount,city\n1,10,A\n2,20,B\n", "amount 2", [10, 20], ""),
    "no header": ("1,2,3\n4,5,6\n7,8,9\n", "column 2", [2, 5, 8], "no names of columns"),
    "years as header": ("2020,2021,2022\n4,5,6\n7,8,9\n", "2021", [5, 8], ""),
    "data as header": ("A,1\nB,2\nC,3\n", "1", [2, 3], '"A, 1" was taken for the names'),
    "saved index": (",amount\n0,5\n1,6\n", "amount", [5, 6], ""),
    "nameless column": (",amount\nA,5\nB,6\n", "column 1", ["A", "B"], ""),
    "codes": ("zip,city\n01234,A\n12345,B\n02345,C\n", "zip", ["01234", "12345", "02345"], ""),
    "padded months": ("month,v\n01,5\n02,6\n", "month", [1, 2], ""),
    "long ids": ("id,v\n1234567890123456789,1\n1234567890123456790,2\n", "id",
                 ["1234567890123456789", "1234567890123456790"], ""),
    "large numbers": ("id,v\n1,9007199254740993\n2,1\n", "v", [9007199254740993, 1], "shown rounded"),
    "title": ("Report of 2024\nDepartment: Sales\n\ncity,amount\nX,1\nY,2\n", "amount", [1, 2], ""),
    "title in a wide table": ("Sales,,,\n,,,\nCity,Month,Amount,Note\nA,1,2,x\nB,1,3,y\n", "Amount", [2, 3], ""),
    "facts above": ("Team:,Sales,,,\ncity,b,c,d,e\nA,1,2,3,4\nB,1,2,3,4\n", "city", ["A", "B"], ""),
    "few names": ("city,,\nA,1,2\nB,3,4\n", "city", ["A", "B"], ""),
    "addresses": ("ip,n\n192.168.100.101,1\n192.168.100.102,2\n", "ip", ["192.168.100.101", "192.168.100.102"], ""),
    "sep=": ("sep=;\ncity;amount\nA;1\nB;2\n", "amount", [1, 2], ""),
    "comments": ("# from X\n# on 2024\ncity,amount\nA,1\nB,2\n", "amount", [1, 2], ""),
    "a column called #": ("#,name,v\n1,a,2\n2,b,3\n", "#", [1, 2], ""),
    "durations": ("call,duration\n1,00:01:30\n2,1:45:30\n", "duration", [1.5, 105.5], '"duration" was read as minutes'),
    "days, too": ("call,duration\n1,2:00:00\n2,\"1 day, 6:00:00\"\n", "duration", [120, 1800], "read as minutes"),
    "hours or minutes": ("call,duration\n1,1:30\n2,2:00\n", "duration", ["1:30", "2:00"], "left as text"),
    "times of day": ("shop,opens\n1,08:30:00\n2,09:00:00\n", "opens", ["08:30:00", "09:00:00"], ""),
    "infinite": ("id,v\n1,inf\n2,5\n3,-inf\n", "v", [None, 5, None], "Infinite values"),
    "words among numbers": ("v,w\n" + "".join(f"{n},x\n" for n in range(9)) + "abc,x\n", "v", [*range(9), None],
                            'Some values of "v" are no numbers (such as "abc")'),
    "16 bits, no mark": ("Stadt;n\nMünchen;1\nKöln;2\n".encode("utf-16-le"), "Stadt", ["München", "Köln"], ""),
    "16 bits, big end first": ("城市,n\n北京,1\n上海,2\n".encode("utf-16-be"), "城市", ["北京", "上海"], ""),
    "16 bits, hardly a zero": ("氏名,住所\n山田一,東京都千代田区丸の内一丁目\n佐藤二,大阪府大阪市北区梅田三丁目\n".encode("utf-16-le"),
                               "氏名", ["山田一", "佐藤二"], ""),
}
# without a word in the file on how it is written: name for people, encoding, content
GUESSED = {
    "Shift-JIS": ("cp932", "店舗,売上\n東京,100\n大阪,200\nソフト表示,300\n"),
    "EUC-JP": ("euc_jp", "商品,売上\nりんご,100\nみかん,200\n"),
    "Big5": ("cp950", "城市,銷售額\n台北,100\n高雄,200\n功許蓋,300\n"),
    "EUC-KR": ("cp949", "지역,매출\n서울,100\n부산,200\n"),
    "GB18030": ("gb18030", "城市,销售额\n北京,100\n上海,200\n"),
    "cp1251": ("cp1251", "Город;Сумма\nМосква;100\nКазань;200\n"),
    "KOI8-R": ("koi8_r", "Город;Сумма\nМосква;100\nКазань;200\n"),
    "cp1252": ("cp1252", "Stadt;Preis\nKöln;5 €\nBesançon;6 €\nCádiz;7 €\n"),
    "cp1250": ("cp1250", "miasto;kwota\nŁódź;1\nWrocław;2\nGdańsk;3\n"),
}


@pytest.mark.parametrize("content, column, values, noted", CASES.values(), ids=CASES)
def test_is_read_rightly(read, content, column, values, noted):
    table, notes = read(content)
    found = [None if pd.isna(v) else v for v in table[column]]
    assert found == pytest.approx(values) if isinstance(values[-1], (int, float)) else found == values, table
    assert noted in notes and (noted or not notes), notes


@pytest.mark.parametrize("encoding, text", GUESSED.values(), ids=GUESSED)
def test_encoding_is_guessed(tools, capsys, tmp_path, request, encoding, text):
    """Right, without a doubt, and said in the schema."""
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode(encoding))
    (table,) = described(tools, capsys, path)
    first, *rows = [re.split("[,;]", line)[0] for line in text.splitlines()]
    assert [c[0] for c in table["columns"]][0] == first and sorted(table["columns"][0][-1]) == sorted(rows)
    assert request.node.callspec.id in table["encoding"] and "doubt" not in table["encoding"] and not table["note"]


def test_doubtful_encoding(read):
    assert "is a guess: " in read("a,b\nAb\xbd,1\n".encode("latin-1"))[1]


def test_encoding_far_down(read):
    """The beginning is ASCII alone, as in a list of customers that comes to other countries late."""
    table, notes = read(b"city,amount\n" + b"Aachen,1\n" * 90_000 + "Köln,2\nMünchen,3\nNîmes,4\n".encode("cp1252"))
    assert list(table["city"][-3:]) == ["Köln", "München", "Nîmes"] and not notes


def test_one_damaged_letter(read):
    """Some broken bytes do not make a file of UTF-8 another one."""
    table, notes = read(("城市,数量\n" + "北京,1\n上海,2\n" * 30).encode() + b"\xe5\x8c,3\n")
    assert list(table)[0] == "城市" and table["城市"][0] == "北京" and "damaged" in notes


def test_guess_reads_little(tools, tmp_path, monkeypatch):
    """A large file is not read through to find its encoding."""
    path, line = tmp_path / "large.csv", "東京,売上,100\n".encode("cp932")
    path.write_bytes(line * (50_000_000 // len(line)))
    seen = []

    class Watched(io.FileIO):
        def read(self, size=-1):
            seen.append(size)
            return super().read(size)
    monkeypatch.setattr(builtins, "open", lambda path, mode: Watched(path, mode))
    assert tools["encoding_of"](str(path), line * 10_000) == "cp932"
    assert 0 < sum(seen) < 1_000_000


def test_ascii_is_scanned_not_kept(tools, tmp_path):
    """Letters may come late, so ASCII is read on, a block at a time."""
    path, head = tmp_path / "large.csv", b"city,amount\n" * 20_000
    path.write_bytes(head * 200)
    assert len(tools["sample_of"](str(path), head)) < 2_000_000
    assert tools["encoding_of"](str(path), head) == "utf-8-sig"


def test_longer_rows_far_down(read):
    """The beginning of the file does not tell how wide its rows get."""
    table, notes = read("city,amount\n" + "Aachen,1\n" * 40_000 + "B,2,3,4\n" + "C,5\n" + "D,6,7\n")
    assert len(table) == 40_003 and table["amount"].sum() == 40_013
    assert list(table) == ["city", "amount"] and "2 rows have more columns" in notes


def test_read_in_pieces(tools, tmp_path):
    """What is too large to be read at once is read by the same rules."""
    path = tmp_path / "large.csv"
    path.write_text("Title\nzip;amount\n" + "01234;1.230\n" * 999 + "02345;12.345;x\n")
    tools["TEXT_MAX_BYTES"] = 100
    table = tools["load"](str(path))
    assert table["amount"].sum() == 999 * 1230 + 12345 and set(table["zip"]) == {"01234", "02345"}
    assert "1 row has more columns" in " ".join(tools["notes"][str(path), None])


@pytest.mark.parametrize("content, name, reason", [
    (b"\xd0\xcf\x11\xe0" + bytes(600), "old.xls", "save it as .xlsx or CSV"),
    (b"<html><table><tr><td>1</td></tr></table>", "page.xls", "web page"),
    (b"a,b\n\0\0\0,1\n", "binary.csv", "binary data"),
    (b" \n \n", "blank.csv", "empty"),
    (b'a,b\n1,"x\n2,3\n', "quote.csv", "never closed"),
])
def test_is_refused(tools, capsys, tmp_path, content, name, reason):
    (tmp_path / name).write_bytes(content)
    (table,) = described(tools, capsys, tmp_path / name)
    assert reason in table["error"] and "columns" not in table


def test_sheets(tools, monkeypatch, tmp_path):
    """A title above the header, and codes as text; the tests' own Python has no reader of workbooks."""
    rows = [["Report", None, None], [None, None, None], ["zip", "city", "v"], ["01234", "A", 1], ["02345", "B", 2],
            ["Total", None, 3]]

    class Book:
        sheet_names = ["one"]
        book = None

        def __init__(self, path):
            pass

        def parse(self, sheet_name, header, dtype, nrows=None, skiprows=0, na_values=()):
            return pd.DataFrame(rows[skiprows:][:nrows], dtype=dtype)
    monkeypatch.setattr(pd, "ExcelFile", Book)
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04")
    table = tools["load"](str(path))
    assert table.to_dict("list") == {"zip": ["01234", "02345"], "city": ["A", "B"], "v": [1, 2]}
    assert "left out" in " ".join(tools["notes"][str(path), None])


def test_several_sheets(tools, capsys, monkeypatch, tmp_path):
    """Each that has a table is one; a page of text, an empty sheet and a chart are none."""
    sheets = {"Cover": [["Report"], ["of Ann"]], "Jan": [["city", "v"], ["A", 1], ["B", 2]], "Empty": [],
              "Feb": [["city", "v"], ["C", 3]], "Chart": None}

    class Book:
        sheet_names = list(sheets)
        book = type("Inner", (), {"chartsheets": [type("Sheet", (), {"title": "Chart"})]})

        def __init__(self, path):
            pass

        def parse(self, sheet_name, header, dtype, nrows=None, skiprows=0, na_values=()):
            return pd.DataFrame(sheets[sheet_name][skiprows:][:nrows], dtype=dtype)
    monkeypatch.setattr(pd, "ExcelFile", Book)
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04")
    tables = described(tools, capsys, path)
    assert [(t["sheet"], t["rows"]) for t in tables] == [("Jan", 2), ("Feb", 1)]
    assert "of the same form: book.xlsx / Feb" in tables[0]["note"]
    assert list(tools["load"](str(path))["city"]) == ["A", "B"]


def test_description(tools, capsys, tmp_path):
    """Notes reach the schema, which is JSON whatever is in the table; tables of one form name each other."""
    (tmp_path / "a.csv").write_text("id,v\n1,inf\n2,1e308\n3,1e308\n")
    (tmp_path / "b.csv").write_text("id,v\n1,5\n")
    (tmp_path / "c.csv").write_text("x,y\n1,5\n")
    a, b, c = described(tools, capsys, *(tmp_path / f"{n}.csv" for n in "abc"))
    assert "Infinite values" in a["note"] and "b.csv" in a["note"] and "a.csv" in b["note"] and not c["note"]
    tools["report"](total=float("inf"))
    assert json.loads(capsys.readouterr().out)["figures"] == {"total": None}


def test_no_notes_on_good_tables(tools, tmp_path):
    """The tables of the other tests hold nothing that needs a word."""
    for name in ["transactions", "chinese_sales", "weblogs", "hospital", "football", "stocks"]:
        folder = tmp_path / name
        folder.mkdir()
        datasets.MAKERS[name](folder)
        for path in folder.iterdir():
            tools["load"](str(path))
            assert tools["notes"][str(path), None] == []
