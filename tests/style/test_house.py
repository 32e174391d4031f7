"""The house style, as far as a machine sees it. A complaint reads `file:line: what, use what`."""

import re
from pathlib import Path

from repository import cpp_files, files, name_of, text_of

CODE = {".cpp", ".hpp", ".py", ".sh", ".ts", ".cmake"}
# Read line by line by nobody: a licence, and what a package manager wrote.
NOT_OURS = {"LICENSE", "package-lock.json"}

# Written by a program from openapi.json, whose lines are as long as the descriptions in it.
GENERATED = {"web/src/types/api.ts", "sdk/typescript/src/api.ts"}

# Spelled in pieces, so that this file does not find itself.
LEFTOVER = re.compile(r"\b(FIX" r"ME|TO" r"DO|X" r"XX)\b")
REGISTRY = re.compile(
    r"(registry\.npm" r"js\.org|py" r"pi\.org|python" r"hosted\.org|deb\.deb" r"ian\.org"
    r"|archive\.ubun" r"tu\.com|npm" r"mirror)"
)
# /home/user is a sandbox's own.
MACHINE_PATH = re.compile(
    r"(?<![\w.$}~-])/(home/(?!user\b)\w+|root/\.\w+|Users/\w+|work/(main|shared))\b"
)
NAMESPACE = re.compile(r"^\s*(using )?namespace atoll\b")


def texts() -> list[tuple[Path, str]]:
    found = [(p, text_of(p)) for p in files() if p.name not in NOT_OURS]
    return [(p, text) for p, text in found if text is not None]


def is_code(path: Path, text: str) -> bool:
    return path.suffix in CODE or path.name == "CMakeLists.txt" or text.startswith("#!")


def lines_with(complaint: str, wrong, only=lambda path, text: True) -> list[str]:
    return [
        f"{name_of(path)}:{number}: {complaint}"
        for path, text in texts() if only(path, text)
        for number, line in enumerate(text.splitlines(), 1) if wrong(line)
    ]


def expect_none(found: list[str]) -> None:
    assert not found, "\n" + "\n".join(found)


def test_code_fits_in_100_columns():
    # Tests in Python hold lines of other programs in strings, which read better unbroken.
    def is_not_a_test(path, text):
        return (is_code(path, text) and name_of(path) not in GENERATED
                and not (path.suffix == ".py" and "tests" in path.parts))

    expect_none(
        lines_with("over 100 columns, break the line", lambda l: len(l) > 100, is_not_a_test))


def test_no_leftovers():
    expect_none(lines_with("a leftover, do it or open an issue", LEFTOVER.search))


def test_no_registry_is_named():
    expect_none(lines_with("names a package registry, leave it to settings", REGISTRY.search))


def test_no_path_of_somebodys_machine():
    expect_none(lines_with("a path of one machine, find it at run time", MACHINE_PATH.search))


def test_the_namespace_is_atl():
    expect_none(
        lines_with("libc has a function of this name, use namespace atl", NAMESPACE.match,
                   lambda path, text: path.suffix in {".cpp", ".hpp"})
    )


def test_no_tabs_or_trailing_spaces_in_code():
    expect_none(lines_with("trailing space, remove it", lambda l: l != l.rstrip(), is_code))
    expect_none(lines_with("a tab, use 4 spaces", lambda l: "\t" in l, is_code))


def test_a_header_opens_with_what_it_is():
    """House rule 2: `#pragma once`, then a comment that says the header's purpose."""
    found = []
    for path in cpp_files():
        if path.suffix != ".hpp":
            continue
        lines = path.read_text(encoding="utf-8").splitlines() + ["", ""]
        if "#pragma once" not in lines[:2] and lines[0] != "#pragma once":
            found.append(f"{name_of(path)}:1: no #pragma once, open with it")
        opening = [l for l in lines[:3] if l != "#pragma once"]
        if not any(l.startswith("//") for l in opening):
            found.append(f"{name_of(path)}:2: no opening comment, say what the header is for")
    expect_none(found)


def test_files_end_with_one_newline():
    found = [
        f"{name_of(path)}: ends without a newline or with blank lines, end with one newline"
        for path, text in texts()
        if text and (not text.endswith("\n") or text.endswith("\n\n"))
    ]
    expect_none(found)


def test_test_files_have_names_of_their_own():
    """pytest imports those below tests/ by their names alone, and leaves out the second of a name."""
    places: dict[str, list[str]] = {}
    for path in files():
        name = name_of(path)
        if name.startswith("tests/") and path.name.startswith("test_") and path.suffix == ".py":
            places.setdefault(path.name, []).append(name)
    expect_none([f"{second}:1: pytest knows this name from {first}, use another"
                 for first, *others in places.values() for second in others])
