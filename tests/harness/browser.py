"""Debian's Chromium, as Playwright starts it."""

from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")
# Without its own sandbox it starts as root and in containers too; the rest keeps it from asking
# other hosts for anything.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
