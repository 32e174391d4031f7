"""The result: one dictionary, shown as a table or as JSON."""

import json
import os
import platform
from pathlib import Path

from .options import WORKS

METRICS = {
    "first_result": "time to first pandas result",
    "burst": "the same, many at once",
    "round_trip": "1+1 in a running kernel",
    "restart": "kernel restart",
    "memory": "memory of each further idle sandbox, pandas loaded",
    "ephemeral_rate": "print(1+1) in fresh state, all cores busy",
    "inside_cpu_loop": "CPU loop inside",
    "inside_cpu_ratio": "the same as a ratio of each pair",
    "inside_write_200_mb": "write a file of 200 MB inside",
    "inside_read_200_mb": "read a file of 200 MB inside",
    "inside_small_files_10000": "10,000 small files inside",
    "one_off": "print(1) from the command line",
    **{f"{rate}_{n}": f"{what} over HTTP, {n} connection{'s' * (n > 1)}"
       for rate, what in (("fresh_rate", "1+1 in fresh state"),
                          ("running_rate", "1+1 in a running kernel"))
       for n in (1, 16, 64)},
    "create_http": "create over HTTP to the first pandas result",
    "print_to_event": "from the code's print to its event at the client",
    "upload": "upload of a big file",
    "download": "download of a big file",
    "transfer_memory": "memory that the server grew by meanwhile",
    "idle_stream": "memory of each idle event stream",
    "thaw": "what a run takes longer when the session was frozen",
    "restore": "from cold to the first result, a DataFrame of 50 MB",
    "fork_10": "fork into 10, a DataFrame of 50 MB",
    "first_event": "from a question to its first event",
    "token_cpu": "processor time of the server for each streamed token",
    "longest_gap": "longest time between two tokens of a stream, many at once",
}


def host(python: Path) -> dict:
    memory = Path("/proc/meminfo").read_text().split()
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(int(memory[memory.index("MemTotal:") + 1]) / 2**20, 1),
        "kernel": platform.release(),
        "system": _system(),
        "python": str(python),
    }


def load() -> list[float]:
    return [round(value, 2) for value in os.getloadavg()]


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return platform.system()


def number(value: float) -> str:
    """Three figures that matter, and thousands set apart."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def table(result: dict) -> str:
    against = {(entry["metric"], entry["peer"]): entry["ratio"]
               for entry in result["ratios"] if entry["atoll"] == "atoll"}
    head = ("", "n", "p50", "p25", "p75", "p90", "p99", "min", "max", "against Atoll")
    lines: list[tuple[str, ...] | str] = []
    last = None
    for row in _ordered(result["measurements"]):
        if row["metric"] != last:
            last = row["metric"]
            unit = {"/s": "per second, more is better",
                    "MiB/s": "MiB/s, more is better"}.get(row["unit"], row["unit"])
            lines += ["", f"({row['work']}) {METRICS.get(last, last)}, {unit}"]
        figures = row["stats"]
        ratio = against.get((row["metric"], row["subject"]))
        single = figures["n"] == 1  # spread of one sample says nothing
        lines.append((f"  {row['title']}", str(figures["n"]), number(figures["p50"]),
                      *("" if single else number(figures[key])
                        for key in ("p25", "p75", "p90", "p99", "min", "max")),
                      f"{number(ratio)} x" if ratio else ""))
    cells = [head] + [line for line in lines if isinstance(line, tuple)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]

    def aligned(line: tuple[str, ...]) -> str:
        rest = "  ".join(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))
        return f"{line[0]:<{widths[0]}}  {rest}".rstrip()

    machine = result["host"]
    text = [f"{machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}, "
            f"Linux {machine['kernel']}",
            f"load average {result['load_before'][0]} before, {result['load_after'][0]} after; "
            f"{result['minutes']:.1f} minutes; {'quick' if result['quick'] else 'full'}",
            "", aligned(head)]
    text += [line if isinstance(line, str) else aligned(line) for line in lines]
    if result["goals"]:
        text += ["", "Goals"] + [
            f"  {'met' if goal['met'] else 'MISSED':<8}{METRICS[goal['metric']]}: "
            f"{number(goal['value'])} {goal['unit']}, "
            f"{'at least' if ' ' in goal['unit'] else 'below'} {goal['bound']:g}"
            for goal in result["goals"]]
    if result["notes"]:
        text += ["", "Notes"] + [f"  - {line}" for line in result["notes"]]
    return "\n".join(text)


def _ordered(rows: list[dict]) -> list[dict]:
    """By work, by metric, Atoll first; otherwise as measured."""
    metrics = list(METRICS)
    return sorted(rows, key=lambda row: (
        list(WORKS).index(row["work"]),
        metrics.index(row["metric"]) if row["metric"] in metrics else len(metrics),
        row["metric"], not row["subject"].startswith("atoll")))


def write_json(result: dict, path: Path) -> None:
    """Whole or not at all: another program may be reading the last one."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result, indent=1) + "\n")
    partial.replace(path)
