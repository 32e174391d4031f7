"""Runs the test suites of E2B's own SDKs against a real server, cut off from every network.

    python tests/e2b/sdk_suites.py FOLDER [--mode address|domain] [--only SUITE]… [--match TEXT]

It downloads nothing. FOLDER has checkouts of the public repositories, ready to run their tests:

    E2B/                 with `npm install` done in packages/js-sdk
    code-interpreter/    with `npm install` done in js
    python/              a virtual environment with e2b, e2b-code-interpreter and what their tests
                         import: pytest, pytest-asyncio, pytest-dotenv, pytest-timeout,
                         pytest-xdist, matplotlib

The suites are not changed; environment variables alone lead them here. In the mode `address` these
are E2B_API_URL and E2B_SANDBOX_URL, plain HTTP on one port; in the mode `domain` it is E2B_DOMAIN,
with TLS and a name server for the domain.

All of it, the server included, runs in a network namespace that has loopback and nothing else, so
that no mistake in a variable can send anything to E2B. That takes root.

`sdk_suites.tsv` names the tests that do not pass, each with its reason. Exit status 1: a test
failed that is not in it, or a suite did not run. What passed although it is in it is printed, too.
Reports are left in build/e2b-suites.
"""

import argparse
import fnmatch
import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.own_network import NameServer, certificates, enter_alone, use_name_server
from harness.server import Server

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "build/e2b-suites"
KNOWN = Path(__file__).with_name("sdk_suites.tsv")
KEY = "e2b_" + "0" * 40  # a server without keys takes any
ADDRESS = "127.0.0.1:8000"
DOMAIN = "sandboxes.test"
SECONDS_MAX = 40 * 60  # for one suite: finds hangs, not slowness
AT_A_TIME = 3


@dataclass(frozen=True)
class Suite:
    name: str
    folder: str
    paths: tuple[str, ...]  # of the tests that talk to a server; the others answer themselves
    vitest: bool = False


SUITES = (
    Suite(
        "e2b, Python",
        "E2B/packages/python-sdk",
        (
            "tests/sync/api_sync",
            "tests/sync/sandbox_sync",
            "tests/async/api_async",
            "tests/async/sandbox_async",
            "tests/shared/git",
        ),
    ),
    Suite("e2b-code-interpreter, Python", "code-interpreter/python", ("tests",)),
    Suite(
        "e2b, JavaScript",
        "E2B/packages/js-sdk",
        ("tests/api", "tests/sandbox"),
        vitest=True,
    ),
    Suite("@e2b/code-interpreter, JavaScript", "code-interpreter/js", ("tests",), vitest=True),
)


@dataclass(frozen=True)
class Known:
    """A line of sdk_suites.tsv: `*` stands for any text, in the suite's name, too."""

    suite: str
    mode: str
    test: str
    kind: str  # "no server", "does not apply", "fails"
    reason: str

    def is_for(self, suite: str, mode: str, test: str) -> bool:
        pattern = self.test.replace("[", "[[]")
        return (
            fnmatch.fnmatchcase(suite, self.suite)
            and self.mode in ("*", mode)
            and fnmatch.fnmatchcase(test, pattern)
        )


def known_tests() -> list[Known]:
    lines = KNOWN.read_text().splitlines()
    return [Known(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def outcomes_of(report: Path) -> dict[str, tuple[str, str]]:
    """Verdict and first line of the error by `file::test`. None of a suite that did not get so far."""
    found: dict[str, tuple[str, str]] = {}
    try:
        cases = ElementTree.parse(report).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return found
    for case in cases:
        place = case.get("file") or case.get("classname") or ""
        name = f"{place}::{case.get('name')}"
        verdict, said = "passed", ""
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                verdict = "skipped" if child.tag == "skipped" else "failed"
                said = (child.get("message") or child.text or "").strip().split("\n", 1)[0]
        # A test that fails, and then in its teardown as well, is there twice.
        if name not in found or found[name][0] == "passed":
            found[name] = verdict, said
    return found


def command_of(suite: Suite, folder: Path, report: Path, match: str) -> list[str]:
    if suite.vitest:
        words = ["node", "node_modules/vitest/vitest.mjs", "run", *suite.paths]
        words += ["--reporter=default", "--reporter=junit", f"--outputFile.junit={report}"]
        words += [f"--maxWorkers={AT_A_TIME}", "--no-cache"]
        if (folder / suite.folder / "tests/template").exists():
            words.append("--project=unit")
        return words + (["-t", match] if match else [])
    # The program and not `python -m pytest`, which would import the checkout's package instead of
    # the one that is installed.
    words = [str(folder / "python/bin/pytest"), "-q", "--tb=short", "-p", "no:cacheprovider"]
    words += [f"--numprocesses={AT_A_TIME}", "-o", "junit_family=xunit1", f"--junitxml={report}"]
    words += suite.paths
    return words + (["-k", match] if match else [])


def variables_for(mode: str, folder: Path) -> dict[str, str]:
    variables = {name: text for name, text in os.environ.items() if not name.startswith("E2B_")}
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        variables.pop(name, None)
        variables.pop(name.upper(), None)
    # CI= makes vitest's output plain.
    variables |= {"E2B_API_KEY": KEY, "PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
    if mode == "address":
        return variables | {"E2B_API_URL": f"http://{ADDRESS}", "E2B_SANDBOX_URL": f"http://{ADDRESS}"}
    authority = str(folder / "authority.pem")
    return variables | {
        "E2B_DOMAIN": DOMAIN,
        "SSL_CERT_FILE": authority,
        "NODE_EXTRA_CA_CERTS": authority,
        "NODE_USE_SYSTEM_CA": "0",
    }


def start_server(mode: str, folder: Path) -> Server:
    # Some of the tests wait for minutes beside others that are busy.
    options = ["--pool", "12"]
    if mode == "address":
        return Server(folder, *options, listen=ADDRESS)
    certificates(folder, DOMAIN)
    options += ["--tls-cert", str(folder / "server.pem"), "--tls-key", str(folder / "server.key")]
    return Server(
        folder, *options, listen="127.0.0.1:443", environment={"ATOLL_E2B_DOMAIN": DOMAIN}
    )


def run(suite: Suite, folder: Path, mode: str, variables: dict[str, str], match: str):
    report = REPORTS / f"{suite.name.replace('/', ' ')}, {mode}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    with report.with_suffix(".log").open("w") as log:
        subprocess.run(
            command_of(suite, folder, report, match), cwd=folder / suite.folder, env=variables,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=SECONDS_MAX, check=False,
        )  # fmt: skip
    return outcomes_of(report)


def tell(suite: Suite, mode: str, outcomes: dict[str, tuple[str, str]], known: list[Known]) -> int:
    """Prints the suite's line and what is not as it is known to be; returns how much that is."""
    if not outcomes:
        print(f"{suite.name}, {mode}: it did not run, see its log in {REPORTS}", flush=True)
        return 1
    counts: Counter = Counter()
    news = []
    for test, (verdict, said) in sorted(outcomes.items()):
        line = next((one for one in known if one.is_for(suite.name, mode, test)), None)
        if verdict == "skipped" and (line is None or line.kind == "fails"):
            kind = "does not apply"  # the suite says so itself
        elif line is None:
            kind = verdict
        else:
            kind = line.kind
        counts[kind] += 1
        if kind == "failed":
            news.append(f"    failed  {test}: {said[:200]}")
        elif kind == "fails" and verdict == "passed":
            news.append(f"    passed although it is known to fail: {test}")
    live = len(outcomes) - counts["no server"]
    applying = live - counts["does not apply"]
    share = 100 * counts["passed"] / applying if applying else 0
    print(
        f"{suite.name}, {mode}: {live} tests of a server, {counts['does not apply']} do not apply,"
        f" {counts['passed']} of {applying} passed ({share:.1f} %),"
        f" {counts['fails']} are known to fail, {counts['failed']} failed besides"
    )
    print("\n".join(news), flush=True)
    return counts["failed"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mode", choices=("address", "domain"), default="address")
    parser.add_argument("--only", action="append", choices=[suite.name for suite in SUITES])
    parser.add_argument("--match", default="", help="only tests whose name has this")
    options = parser.parse_args()
    folder = options.folder.resolve()
    enter_alone()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="atoll-e2b-suites-") as kept:
        if options.mode == "domain":
            use_name_server(Path(kept))
            NameServer(DOMAIN).start()
        server = start_server(options.mode, Path(kept))
        try:
            variables = variables_for(options.mode, Path(kept))
            for suite in SUITES:
                if options.only and suite.name not in options.only:
                    continue
                outcomes = run(suite, folder, options.mode, variables, options.match)
                failed += tell(suite, options.mode, outcomes, known_tests())
        finally:
            server.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
