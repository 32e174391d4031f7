"""Two JUnit reports of the same tests, compared by name."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ABSENT = "absent"


@dataclass(frozen=True)
class Outcome:
    verdict: str  # passed, failed, skipped, absent
    file: str = ""
    said: str = ""  # the first line of the error, or the reason of the skip


@dataclass(frozen=True)
class Difference:
    name: str
    outside: Outcome
    inside: Outcome
    known: str = ""  # why, if it is a known one

    @property
    def counts(self) -> bool:
        """A test that fails outside, or is skipped there, says nothing about the sandbox."""
        return self.outside.verdict == "passed" and not self.known


def outcomes_of(report: Path) -> dict[str, Outcome]:
    """By "file::class::name". A report that is missing or cut off has none: the run was ended."""
    try:
        cases = ElementTree.parse(report).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return {}
    found: dict[str, Outcome] = {}
    for case in cases:
        file = case.get("file") or ""
        module = file.removesuffix(".py").replace("/", ".")
        within = (case.get("classname") or "").removeprefix(module).strip(".")
        name = "::".join(part for part in (file, within, case.get("name")) if part)
        outcome = Outcome("passed", file)
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                verdict = "skipped" if child.tag == "skipped" else "failed"
                said = (child.get("message") or child.text or "").strip().split("\n", 1)[0]
                outcome = Outcome(verdict, file, said)
        # A test that fails, and then in its teardown as well, is there twice.
        if name not in found or found[name].verdict != "failed":
            found[name] = outcome
    return found


def reason_for(name: str, known: dict[str, str]) -> str:
    return known.get(name) or known.get(name.split("[", 1)[0], "")


def differences(
    outside: dict[str, Outcome], inside: dict[str, Outcome], known: dict[str, str]
) -> list[Difference]:
    absent = Outcome(ABSENT)
    found = []
    for name in sorted({*outside, *inside}):
        one, other = outside.get(name, absent), inside.get(name, absent)
        if one.verdict != other.verdict:
            found.append(Difference(name, one, other, reason_for(name, known)))
    return found


def verdicts(outside: dict[str, Outcome], found: list[Difference]) -> dict[str, str]:
    """For the summary, of each test that ran outside: `passed` if it did so on both sides,
    `failed` for a difference that counts, otherwise `skipped`."""
    differing = {one.name: one for one in found}
    result = {}
    for name, outcome in outside.items():
        if name in differing:
            result[name] = "failed" if differing[name].counts else "skipped"
        else:
            result[name] = "passed" if outcome.verdict == "passed" else "skipped"
    return result
