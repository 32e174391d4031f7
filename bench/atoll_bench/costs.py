"""bench/costs: two builds in turns, in one run. Every figure of docs/promises.md, "Creating and
running, before and after", that needs a quiet machine comes from here.

    native    atoll-bench-native, `rounds` times each: pool hit, pool empty, burst, ephemeral runs
    server    `atoll serve`: create and first pandas result while more and more sessions live; the
              server's share of a core while all are idle; as many live ones as asked for

A build is a folder with atoll, atoll-bench-native and guest/, as build/release is. Nothing here
fails because of a slow result; the table says what the goal was and whether it was met.
"""

import argparse
import json
import os
import time
from pathlib import Path

from . import http, paths, process, serving, stats
from .progress import note, say

POOL = 32
NATIVE_TIMEOUT_S = 600
WINDOW = 50  # creates of which a median is taken
SETTLE_S = 15
IDLE_S = 30
ASKED_AT_THE_END = 100
AWAKE = {"idle_to_warm": "6h", "idle_to_cold": "12h"}
FIRST_RESULT = (paths.WORK / "first_result.py").read_text()

# Name, options of atoll-bench-native, what is read, unit, goal.
NATIVE = (
    ("pool hit to first pandas result, p50", ("first_result", 100), "p50", "ms", "below", 1.0),
    ("pool empty, p50", ("first_result", 100, "--pool", "0"), "p50", "ms", "below", 10.0),
    ("burst of 100, p99", ("burst_100", 100), "p99", "ms", "below", 100.0),
    ("ephemeral runs a second", ("ephemeral_rate", 500), "per_second", "/s", "above", 200.0),
)


def main(arguments: list[str]) -> int:
    chosen = parse(arguments)
    subjects = {"after": chosen.after}
    if chosen.before:
        subjects = {"before": chosen.before, **subjects}
    for name, folder in subjects.items():
        missing = [one for one in ("atoll", "atoll-bench-native", "guest")
                   if not (folder / one).exists()]
        if missing:
            print(f"bench/costs: {name}: {', '.join(missing)} not in {folder}")
            return 1
    began = time.monotonic()
    figures = {name: {} for name in subjects}
    result = {"load_before": os.getloadavg(), "figures": figures}
    if "native" in chosen.only:
        measure_native(subjects, figures, chosen.rounds)
    if "server" in chosen.only:
        for name, folder in subjects.items():
            measure_server(name, folder, figures[name], chosen.live, chosen.many)
    result.update(load_after=os.getloadavg(), seconds=time.monotonic() - began)
    out = paths.BENCH / "out" / "costs.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(result, indent=1))
    print(table(figures, chosen.live))
    print(f"\nload {result['load_before'][0]:.1f} before, {result['load_after'][0]:.1f} after; "
          f"{result['seconds'] / 60:.0f} minutes; all samples: {out}")
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/costs", description=__doc__.split("\n")[0])
    parser.add_argument("--before", type=Path, help="a build to compare with")
    parser.add_argument("--after", type=Path, default=paths.REPOSITORY / "build" / "release")
    parser.add_argument("--rounds", type=int, default=3, help="of the native measurements")
    parser.add_argument("--live", type=int, default=1000, help="sessions, for the curve")
    parser.add_argument("--many", type=int, default=2000, help="sessions at the end; 0: none")
    parser.add_argument("--only", default="native,server", type=lambda text: text.split(","))
    return parser.parse_args(arguments)


def kept_environment() -> dict:
    """The templates may lie elsewhere."""
    folder = os.environ.get("ATOLL_DATA_DIR")
    return {"ATOLL_DATA_DIR": folder} if folder else {}


def measure_native(subjects: dict, figures: dict, rounds: int) -> None:
    for number in range(rounds):
        for label, options, key, *_ in NATIVE:
            for name, folder in subjects.items():
                say(f"round {number + 1}: {label}, {name}")
                value = native(folder, options, key)
                if value is not None:
                    figures[name].setdefault(label, []).append(value)


def native(folder: Path, options: tuple, key: str) -> float | None:
    what, count, *more = options
    command = [folder / "atoll-bench-native", "--what", what, "--count", str(count), *more]
    try:
        text = process.output_of(command, timeout_s=NATIVE_TIMEOUT_S,
                                 environment=kept_environment())
    except (process.Failed, OSError) as problem:
        note(f"{what}: {problem}")
        return None
    line = json.loads(text.splitlines()[-1])
    if key == "per_second":
        return line["extra"]["per_second"]
    return stats.summary(line["samples_ms"])[key]


class Crowd:
    """A server, and sessions that all stay awake."""

    def __init__(self, folder: Path):
        self.server = serving.AtollServer(folder / "atoll", POOL)
        self.server.start({**kept_environment(), "ATOLL_QUOTA_SESSIONS": "0",
                           "ATOLL_QUOTA_LIVE": "0"})
        self.line = self.server.connection()
        self.sessions: list[str] = []

    def add(self) -> float:
        start = time.perf_counter()
        one = self.line.ask("POST", "/v1/sessions", AWAKE)["id"]
        answer = self.line.ask("POST", f"/v1/sessions/{one}/run", {"code": FIRST_RESULT})
        taken = (time.perf_counter() - start) * 1000
        if "dtype: int64" not in answer["stdout"]:
            raise process.Failed(f"session {len(self.sessions)}: {answer}")
        self.sessions.append(one)
        return taken

    def idle_share(self) -> float:
        """Of one core, by the server's own process."""
        time.sleep(SETTLE_S)
        before = cpu_seconds(self.server.process.pid)
        time.sleep(IDLE_S)
        return (cpu_seconds(self.server.process.pid) - before) / IDLE_S

    def answering(self) -> int:
        step = max(1, len(self.sessions) // ASKED_AT_THE_END)
        asked = self.sessions[::step]
        right = 0
        for one in asked:
            answer = self.line.ask("POST", f"/v1/sessions/{one}/run", {"code": "print(6*7)"})
            right += answer["stdout"] == "42\n"
        return right * len(self.sessions) // len(asked)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_available() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def measure_server(name: str, folder: Path, figures: dict, live: int, many: int) -> None:
    say(f"server, {name}: {live} live sessions, one after the other")
    crowd = Crowd(folder)
    try:
        crowd.server.wait_for_pool(crowd.line)
        free = memory_available()
        samples = [crowd.add() for _ in range(live + WINDOW)]
        for at in range(0, live + 1, max(1, live // 5)):
            figures[at_label(at)] = [stats.summary(samples[at:at + WINDOW])["p50"]]
        figures["samples"] = samples
        figures["memory of each, MiB"] = [(free - memory_available()) / len(samples) / 2**20]
        say(f"server, {name}: idle for {SETTLE_S + IDLE_S} s")
        figures[idle_label(live)] = [crowd.idle_share() * 100]
        if many > len(crowd.sessions):
            say(f"server, {name}: up to {many} live")
            more = [crowd.add() for _ in range(many - len(crowd.sessions))]
            figures[f"create and pandas over HTTP, the last {WINDOW} of {many}, p50"] = [
                stats.summary(more[-WINDOW:])["p50"]]
        figures["live at the end that answer"] = [crowd.answering()]
    except (process.Failed, http.Broken, OSError, KeyError) as problem:
        note(f"server, {name}, with {len(crowd.sessions)} live: {problem}")
        figures["stopped at live sessions"] = [len(crowd.sessions)]
    finally:
        crowd.line.close()
        crowd.server.remove()


def at_label(live: int) -> str:
    return f"create and pandas over HTTP, {live} live, p50"


def idle_label(live: int) -> str:
    return f"server, {live} idle sessions, share of a core"


def table(figures: dict, live: int) -> str:
    goals = {label: (unit, word, goal) for label, _, _, unit, word, goal in NATIVE}
    goals[idle_label(live)] = ("%", "below", 1.0)
    rows = [f"| what | goal | {' | '.join(figures)} |", "|---|---|" + "---|" * len(figures)]
    labels = dict.fromkeys(label for one in figures.values() for label in one)
    for label in labels:
        if label == "samples":
            continue
        unit, word, goal = goals.get(label, ("ms" if "p50" in label else "", "", None))
        cells = [" ".join(f"{value:.2f}" for value in one.get(label, []))
                 for one in figures.values()]
        rows.append(f"| {label}{f' ({unit})' if unit else ''} | "
                    f"{f'{word} {goal:g}' if goal is not None else '–'} | {' | '.join(cells)} |")
    return "\n".join(rows)
