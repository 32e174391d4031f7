"""The program that tells the sheets of a workbook, run here as in a sandbox: whatever the file is, it ends well."""
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


PROGRAM = (Path(__file__).resolve().parents[2] / "src" / "agent" / "data" / "sheet_names.py").read_text()
WITHIN_S = 60


def archive(part, name="xl/workbook.xml"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(name, part)
    return packed.getvalue()


@pytest.fixture
def sheets_of(tmp_path):
    def told(*contents):
        paths = []
        for n, content in enumerate(contents):
            paths.append(tmp_path / f"it's {n}.xlsx")
            paths[-1].write_bytes(content)
        done = subprocess.run([sys.executable, "-I", "-c", PROGRAM, *paths], capture_output=True, timeout=WITHIN_S)
        assert (done.returncode, done.stderr) == (0, b"")
        return [json.loads(line) for line in done.stdout.splitlines()]
    return told


def test_names(sheets_of):
    assert sheets_of(archive('<x:sheet state="hidden" name="A &amp; B"/><sheet\nname="费用"/>'),
                     archive("<sheet id='1' name='it&#39;s'/>"),
                     archive('<sheetView name="x"/><sheet id="1"/>')) == [["A & B", "费用"], ["it's"], []]


@pytest.mark.parametrize("content", [
    b"", b"PK\x03\x04", b"name,value\n1,2\n", archive("<sheet name='a'/>", "xl/other.xml"), archive("<sheet "),
    archive(b"\xff\xfe"), archive("<sheet " * 150_000)],
    ids=["empty", "beginning", "text", "another archive", "no end", "no text", "many without an end"])
def test_what_is_no_workbook_has_none(sheets_of, content):
    assert sheets_of(content) == [[]]


def test_a_broken_archive(sheets_of):
    good = archive("<sheet name='Jan'/>")
    damaged = [good[:at] for at in range(0, len(good), 7)]
    damaged += [good[:at] + b"\xff" + good[at + 1:] for at in range(0, len(good), 3)]
    for names in sheets_of(*damaged):
        assert isinstance(names, list) and len(names) <= 1


def test_little_of_a_bomb_is_unpacked(sheets_of):
    bomb = archive(b" " * (1 << 25) + b"<sheet name='late'/>")
    assert len(bomb) < 1 << 20 and sheets_of(bomb) == [[]]
    assert sheets_of(archive("<sheet name='s'/>" * 1000)) == [["s"] * 50]
