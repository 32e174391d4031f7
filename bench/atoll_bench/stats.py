"""Numbers about samples. p99 of fewer than 100 samples is hardly more than their maximum: n is
always shown beside it."""

import math


def percentile(ordered: list[float], share: float) -> float:
    """Between the two nearest samples, in proportion."""
    position = (len(ordered) - 1) * share
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def summary(samples: list[float]) -> dict:
    ordered = sorted(samples)
    return {
        "n": len(ordered),
        "min": ordered[0],
        "p25": percentile(ordered, 0.25),
        "p50": percentile(ordered, 0.50),
        "p75": percentile(ordered, 0.75),
        "p90": percentile(ordered, 0.90),
        "p99": percentile(ordered, 0.99),
        "max": ordered[-1],
    }


def ratios(rows: list[dict]) -> list[dict]:
    """Each peer against each of Atoll's rows for the same metric: above 1, Atoll is better."""
    found = []
    for ours in (row for row in rows if row["subject"].startswith("atoll")):
        for theirs in rows:
            if theirs["metric"] != ours["metric"] or theirs["subject"].startswith("atoll"):
                continue
            # A burst of 10 and one of 100 are not the same work.
            if theirs["extra"].get("at_once", 100) != ours["extra"].get("at_once", 100):
                continue
            a, b = ours["stats"]["p50"], theirs["stats"]["p50"]
            if ours["better"] == "higher":
                a, b = b, a
            if a > 0:
                found.append({"metric": ours["metric"], "atoll": ours["subject"],
                              "peer": theirs["subject"], "ratio": b / a})
    return found
