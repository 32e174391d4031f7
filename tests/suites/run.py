"""Runs the suites of other projects outside and inside a sandbox, and compares every test.

    run.py outside KEPT     each suite on this host, as whoever calls this (never root: no test of
                            somebody else's should run as root), reports in KEPT/outside
    run.py inside KEPT      each suite in a sandbox of template `suites`, reports in build/reports;
                            may run at the same time
    run.py compare KEPT     the table on stdout, and build/reports/suites.txt for scripts/summary.py

KEPT also has the tests that come from source distributions, in KEPT/tests. SUITES="toolz numpy"
chooses some.

Both sides use the same Python environment (the template's), selection and variables. What passes
outside and not inside is tried once more inside, file by file, since hypothesis and a few others
measure time. Still different and not a known difference: exit status 1.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compare import Outcome, differences, outcomes_of, verdicts
from harness.cli import ATOLL
from suites import SUITES, Suite

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "build/reports"
DATA = ROOT / "build/suites"  # the data folder that has the template
ENVIRONMENT = DATA / "templates/suites/env"
SECONDS_MAX = 30 * 60  # for one suite: finds hangs, not slowness
SHOWN_MAX = 30  # differences of one suite
TRIED_AGAIN_MAX = 10  # files: if more differ, it is not bad luck

# Names of tests may come from sets, so both sides need the same order.
VARIABLES = {"PYTHONHASHSEED": "0", "MPLBACKEND": "agg"}


def pytest_words(root: str, suite: Suite, paths: list[str]) -> list[str]:
    return [
        "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider",
        # No settings of a folder above, and names that begin at the same place on both sides.
        "-c", "/dev/null", f"--rootdir={root}",
        "-o", "junit_family=xunit1",  # says the file
        "-o", "junit_logging=no",
        *suite.options,
        *(f"{root}/{path}" for path in paths),
    ]  # fmt: skip


def run_outside(suite: Suite, kept: Path, report: Path, log) -> None:
    site_packages = next((ENVIRONMENT / "lib").glob("python3*")) / "site-packages"
    root = kept / "tests" / suite.name if suite.from_source else site_packages
    scratch = kept / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    variables = {
        "PATH": f"{ENVIRONMENT}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        **VARIABLES,
    }
    command = [
        str(ENVIRONMENT / "bin/python"),
        *pytest_words(str(root), suite, list(suite.paths)),
        f"--junitxml={report}",
    ]
    subprocess.run(
        command, cwd=scratch, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        timeout=SECONDS_MAX, check=False,
    )  # fmt: skip


def run_inside(suite: Suite, kept: Path, report: Path, log, paths: list[str]) -> None:
    """The report comes out as the sandbox's stdout: nothing of the host is writable inside."""
    root = "/opt/atoll/env/lib/" + next((ENVIRONMENT / "lib").glob("python3*")).name
    root += "/site-packages"
    mount = []
    if suite.from_source:
        root = f"/data/{suite.name}"
        mount = ["--mount", f"{kept}/tests/{suite.name}:{root}"]
    words = pytest_words(root, suite, paths)
    script = 'python "$@" --junitxml=/tmp/report.xml >&2; code=$?; cat /tmp/report.xml; exit $code'
    command = [
        str(ATOLL), "run", "--template", "suites", "--timeout", f"{SECONDS_MAX}s",
        "--output", "256m", *suite.limits, *mount,
        *(f"--env={name}={value}" for name, value in VARIABLES.items()),
        "--", "sh", "-c", script, "sh", *words,
    ]  # fmt: skip
    with report.open("wb") as out:
        subprocess.run(
            command, env={**os.environ, "ATOLL_DATA_DIR": str(DATA)}, stdin=subprocess.DEVNULL,
            stdout=out, stderr=log, timeout=SECONDS_MAX + 60, check=False,
        )  # fmt: skip


def one_side(side: str, suite: Suite, kept: Path, paths=None, again="") -> dict[str, Outcome]:
    folder = kept / side if side == "outside" else REPORTS / "suites/inside"
    folder.mkdir(parents=True, exist_ok=True)
    report, log_file = (folder / f"{suite.name}{again}.{end}" for end in ("xml", "log"))
    report.unlink(missing_ok=True)
    began = time.monotonic()
    with log_file.open("w") as log:
        try:
            if side == "outside":
                run_outside(suite, kept, report, log)
            else:
                run_inside(suite, kept, report, log, paths or list(suite.paths))
        except subprocess.TimeoutExpired:
            log.write(f"not done after {SECONDS_MAX} s\n")
    outcomes = outcomes_of(report)
    passed = sum(one.verdict == "passed" for one in outcomes.values())
    print(
        f"{suite.name} {side}: {len(outcomes)} tests, {passed} passed"
        f" in {time.monotonic() - began:.0f} s",
        flush=True,
    )
    if not outcomes:
        lines = log_file.read_text(errors="replace").splitlines()
        print(f"  no report; the end of {log_file}:", *lines[-8:], sep="\n    ", flush=True)
    return outcomes


def try_again(suite: Suite, kept: Path, found: list, inside: dict[str, Outcome]) -> int:
    """Replaces outcomes of tests that pass the second time; how many there are."""
    wrong = [one for one in found if one.counts]
    files = sorted({one.outside.file for one in wrong})
    if not wrong or not inside or len(files) > TRIED_AGAIN_MAX:
        return 0
    second = one_side("inside", suite, kept, files, again="-again")
    late = [one.name for one in wrong if second.get(one.name, one.inside).verdict == "passed"]
    inside.update((name, second[name]) for name in late)
    return len(late)


def compare_all(kept: Path) -> int:
    rows, lines, status = [], [], 0
    with (REPORTS / "suites.txt").open("w") as summary:
        for suite in chosen():
            outside = outcomes_of(kept / "outside" / f"{suite.name}.xml")
            inside = outcomes_of(REPORTS / "suites/inside" / f"{suite.name}.xml")
            found = differences(outside, inside, suite.known)
            late = try_again(suite, kept, found, inside)
            if late:
                found = differences(outside, inside, suite.known)
                lines.append(f"{suite.name}: {late} passed inside only when tried again")
            for name, verdict in verdicts(outside, found).items():
                summary.write(f"{verdict} {suite.name} {name}\n")

            passed = [
                sum(one.verdict == "passed" for one in side.values()) for side in (outside, inside)
            ]
            wrong = [one for one in found if one.counts]
            if passed[0] < suite.passed_min:
                summary.write(f"failed {suite.name} as a whole\n")
                lines.append(
                    f"{suite.name}: {passed[0]} passed outside, expected {suite.passed_min} or"
                    f" more; see {kept}/outside/{suite.name}.log"
                )
                status = 1
            status = 1 if wrong else status
            rows.append(
                (suite.name, len(outside), passed[0], passed[1], len(found), len(wrong))
            )
            if not inside:
                log = REPORTS / "suites/inside" / f"{suite.name}.log"
                lines.append(f"{suite.name}: no report from inside; see {log}")
                continue
            for one in [*wrong, *(one for one in found if not one.counts)][:SHOWN_MAX]:
                why = one.known or one.inside.said or one.outside.said
                mark = "known" if one.known else "DIFFERS" if one.counts else "differs"
                lines.append(
                    f"{mark} {suite.name} {one.name}: {one.outside.verdict} outside,"
                    f" {one.inside.verdict} inside: {why}"
                )
            if len(found) > SHOWN_MAX:
                lines.append(f"{suite.name}: {len(found) - SHOWN_MAX} more")

    print(f"\n{'suite':16}{'tests':>7}{'outside':>9}{'inside':>8}{'differ':>8}{'wrong':>7}")
    for row in rows:
        print("{:16}{:>7}{:>9}{:>8}{:>8}{:>7}".format(*row))
    print(*lines, sep="\n", flush=True)
    return status


def chosen() -> list[Suite]:
    names = os.environ.get("SUITES", "").split()
    return [suite for suite in SUITES if not names or suite.name in names]


def main(verb: str, kept: Path) -> int:
    if verb == "compare":
        return compare_all(kept)
    if verb == "outside" and os.geteuid() == 0:
        sys.exit("error: the tests outside a sandbox do not run as root")
    for suite in chosen():
        one_side(verb, suite, kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]).resolve()))
