"""One run of the bench, inside the peers' environment: open the peers, do the works, report."""

import json
import os
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from . import chart, goals, paths, peers, prepare, progress, report, stats
from .dockerd import Dockerd
from .peers.analyst import Analyst
from .peers.atoll import Atoll
from .peers.atoll_server import AtollServer
from .progress import note, say
from . import analyst_works, server_works, works


def run(options) -> int:
    started = time.monotonic()
    template = prepare.chosen_python(options.python)
    peers_python = paths.ENVIRONMENT / "bin" / "python"
    python = template or peers_python
    if template is None:
        note("Atoll's default template is not built: plain python and bubblewrap use the peers' "
             "environment, which has the same packages")
    packages = prepare.frozen(template)
    for interpreter in {python, peers_python}:
        prepare.compiled(interpreter)

    daemon = Dockerd()
    opened = []
    try:
        everyone = peers.chosen(options.peers, python, peers_python, daemon, packages)
        atoll = Atoll(options.build, wanted=not options.no_atoll)
        if not options.no_atoll:
            everyone[:0] = [AtollServer(atoll.binary), Analyst(atoll.binary)]
        for peer in everyone:
            if not any(letter in peer.can for letter in options.only):
                continue
            try:
                say(f"getting ready: {peer.title}")
                peer.open()
                opened.append(peer)
            except prepare.Unavailable as problem:
                note(f"{peer.title} is skipped: {problem}")
        load_before = report.load()
        if load_before[2] > 0.25 * (os.cpu_count() or 1):  # 15 minutes: longer than we have run
            note(f"the machine was busy before the bench (load {load_before[2]} over 15 minutes): "
                 "times are slower and wider spread than on a quiet one")
        plan = "QUICK" if options.quick else "FULL"
        rows = works.Works(getattr(works, plan), atoll, opened).run(options.only)
        rows += server_works.ServerWorks(getattr(server_works, plan), opened).run(options.only)
        rows += analyst_works.AnalystWorks(getattr(analyst_works, plan), opened).run(options.only)
    finally:
        for peer in reversed(opened):
            peer.close()
        daemon.stop()

    result = {
        "schema": 1,
        "measured_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "minutes": (time.monotonic() - started) / 60,
        "quick": options.quick,
        "host": report.host(python),
        "packages": packages,
        "load_before": load_before,
        "load_after": report.load(),
        "measurements": rows,
        "ratios": stats.ratios(rows),
        "goals": goals.judged(rows, stats.ratios(rows)),
        "notes": progress.notes(),
    }
    out = Path(options.out) if options.out else paths.BENCH / "out"
    out.mkdir(parents=True, exist_ok=True)
    report.write_json(result, out / "latest.json")
    drawn = chart.draw(result, out / "latest.png")
    if options.json:
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        print(report.table(result))
    say(f"written: {out / 'latest.json'}" + (f", {out / 'latest.png'}" if drawn else ""))
    return 0
