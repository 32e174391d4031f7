"""What the server's works are meant to reach, and whether they did. It judges nothing else: no
number makes the bench fail."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    metric: str
    bound: float
    against: str = ""     # a peer: then a ratio, at least; otherwise at most
    unit: str = ""
    of: str = "p50"       # of the samples


GOALS = [
    *(Goal(f"fresh_rate_{n}", 20, against="gateway") for n in (1, 16, 64)),
    *(Goal(f"running_rate_{n}", 5, against="gateway") for n in (1, 16, 64)),
    Goal("create_http", 5, unit="ms"),
    Goal("print_to_event", 3, unit="ms"),
    Goal("upload", 0.6, against="nginx"),
    Goal("download", 0.6, against="nginx"),
    Goal("transfer_memory", 64, unit="MiB"),
    Goal("idle_stream", 20, unit="KiB"),
    Goal("thaw", 5, unit="ms"),
    Goal("restore", 300, unit="ms"),
    Goal("fork_10", 1000, unit="ms"),
    Goal("first_event", 20, unit="ms"),
    Goal("token_cpu", 50, unit="µs"),
    Goal("longest_gap", 100, unit="ms", of="max"),
]


def judged(rows: list[dict], ratios: list[dict]) -> list[dict]:
    """Each goal whose figures are there."""
    ours = {row["metric"]: row["stats"] for row in rows if row["subject"] == "atoll"}
    against = {(entry["metric"], entry["peer"]): entry["ratio"]
               for entry in ratios if entry["atoll"] == "atoll"}
    found = []
    for goal in GOALS:
        value = (against.get((goal.metric, goal.against)) if goal.against
                 else ours.get(goal.metric, {}).get(goal.of))
        if value is None:
            continue
        met = value >= goal.bound if goal.against else value < goal.bound
        found.append({"metric": goal.metric, "met": met, "value": value, "bound": goal.bound,
                      "unit": f"x {goal.against}" if goal.against else goal.unit})
    return found
