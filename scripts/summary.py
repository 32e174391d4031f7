"""Adds up what the parts of scripts/test left in build/reports and prints the one summary.

Reads parts (a line `name status seconds` each), JUnit files from pytest, GoogleTest's XML files in
unit/, and `verdict name` lines in *.txt. A part that failed without naming a failed test (a build
that broke, a program that crashed) counts as one failure: nothing red may add up to green.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

REPORTS = {
    "style": ["style.xml"],
    "web": ["web.xml"],
    "unit": ["unit/*.xml"],
    "sim": ["sim.txt"],
    "fuzz": ["fuzz.txt"],
    "guest": ["kernel.xml", "archive.xml", "typescript.xml"],
    "sdk": ["sdk.xml", "sdk.txt"],
    "escape": ["root.xml", "root.txt", "rootless.xml"],
    "sanitize": ["asan.xml", "tsan.xml"],
    "suites": ["suites.txt"],
    "wheel": ["wheel.xml"],
}


def verdicts_of(report: Path) -> Counter:
    if report.suffix == ".txt":
        return Counter(line.split()[0] for line in report.read_text().splitlines())
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except ElementTree.ParseError:  # cut off: the program died while writing it
        return Counter(failed=1)
    # A test that was tried again stands there twice, the first time without a verdict.
    verdicts: dict[tuple, str] = {}
    again = 0
    for case in cases:
        name, tags = (case.get("classname"), case.get("name")), {child.tag for child in case}
        if tags & {"failure", "error"} or verdicts.get(name) == "failed":
            verdicts[name] = "failed"
        elif "skipped" in tags or case.get("status") == "notrun":
            verdicts[name] = "skipped"
        else:
            verdicts[name] = "passed"
            again += any(one.get("name") == "second_try" for one in case.iter("property"))
    return Counter(verdicts.values()) + Counter(again=again)


def main(reports: Path) -> int:
    total: Counter = Counter()
    for line in (reports / "parts").read_text().splitlines():
        part, status, seconds = line.split()
        found: Counter = Counter()
        for pattern in REPORTS[part]:
            for report in sorted(reports.glob(pattern)):
                found += verdicts_of(report)
        note = ""
        if status != "0" and not found["failed"]:
            found["failed"] = 1
            note = "  (the part itself broke; see above)"
        print(
            f"{part:8} {found['passed']:5} passed {found['failed']:4} failed"
            f" {found['skipped']:4} skipped {seconds:>5} s{note}"
        )
        total += found
    if total["again"]:
        print(f"{total['again']} of the passed ones failed at first; RERUN above names them")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
