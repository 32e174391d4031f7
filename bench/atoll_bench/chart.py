"""The picture: time to first result large, round trip, restart and memory small beside it."""

import math
from pathlib import Path

from .report import number

OURS, THEIRS, INK, FAINT = "#0f766e", "#cbd5e1", "#1e293b", "#64748b"
PANELS = (("round_trip", "1+1 in a running kernel"), ("restart", "Kernel restart"),
          ("memory", "Memory of each further idle sandbox"))


def draw(result: dict, path: Path) -> bool:
    """False when there is nothing to show."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def rows(metric):
        chosen = [row for row in result["measurements"] if row["metric"] == metric]
        return sorted(chosen, key=lambda row: -row["stats"]["p50"])

    small = [(rows(metric), title) for metric, title in PANELS if rows(metric)]
    main = rows("first_result")
    if not main and not small:
        return False
    plt.rcParams.update({"font.family": "DejaVu Sans", "text.color": INK,
                         "axes.labelcolor": FAINT, "xtick.color": FAINT, "ytick.color": INK})
    figure = plt.figure(figsize=(12, 5.4 if small else 4.4), dpi=160, facecolor="white",
                        layout="constrained")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.10, wspace=0.04, hspace=0.08)
    if main and small:
        grid = figure.add_gridspec(len(small), 2, width_ratios=(1.5, 1))
        _bars(figure.add_subplot(grid[:, 0]), main, "Time to first pandas result", large=True)
        places = [figure.add_subplot(grid[index, 1]) for index in range(len(small))]
    else:
        grid = figure.add_gridspec(max(1, len(small)), 1)
        places = [figure.add_subplot(grid[index, 0]) for index in range(len(small))]
        if main:
            _bars(figure.add_subplot(grid[0, 0]), main, "Time to first pandas result", large=True)
    for place, (chosen, title) in zip(places, small):
        _bars(place, chosen, title)
    machine = result["host"]
    figure.supxlabel(f"p50, shorter is better; logarithmic.  {machine['cores']} cores, "
                     f"{machine['system']}, load {result['load_before'][0]} at the start",
                     fontsize=8, color=FAINT, x=0.01, ha="left")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
    return True


def _bars(axes, rows: list[dict], title: str, large: bool = False) -> None:
    values = [row["stats"]["p50"] for row in rows]
    colours = [OURS if row["subject"].startswith("atoll") else THEIRS for row in rows]
    bars = axes.barh([row["title"] for row in rows], values, color=colours, height=0.6, zorder=2)
    labels = [f"{number(row['stats']['p50'])} {row['unit']}" for row in rows]
    axes.bar_label(bars, labels, padding=5, fontsize=9 if large else 8, color=INK)
    axes.set_xscale("log")
    # From the decade below the smallest, so that its bar has a length and all begin at a line.
    left = 10 ** math.floor(math.log10(min(values) / 1.5))
    # Room on the right for the longest bar's label, which a logarithmic axis measures in factors.
    axes.set_xlim(left, max(values) * (max(values) / left) ** (0.22 if large else 0.32))
    decades = [10 ** power for power in range(round(math.log10(left)), 8)
               if 10 ** power <= max(values)]
    axes.set_xticks(decades, [f"{decade:,g}" for decade in decades])
    axes.minorticks_off()
    axes.grid(axis="x", color="#e2e8f0", linewidth=0.8, zorder=0)
    axes.set_ylim(-0.6, max(len(rows), 2) - 0.4)
    axes.set_title(f"{title}, {rows[0]['unit']}", loc="left", fontsize=12 if large else 9.5,
                   fontweight="bold", pad=8)
    axes.tick_params(axis="y", length=0, labelsize=9.5 if large else 8)
    axes.tick_params(axis="x", length=0, labelsize=8 if large else 7)
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)
