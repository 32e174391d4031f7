"""The scripts are the first thing that a new machine runs, so they are checked like code."""

import shutil
import subprocess

import pytest
from repository import ROOT, files, name_of, text_of


def shell_files():
    return [
        p for p in files()
        if (text_of(p) or "").split("\n", 1)[0].startswith(("#!/usr/bin/env bash", "#!/bin/sh",
                                                           "# shellcheck shell="))
    ]


def test_shellcheck_has_nothing_to_say():
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    ran = subprocess.run(
        ["shellcheck", "-x", "-P", "SCRIPTDIR", *map(name_of, shell_files())],
        cwd=ROOT, capture_output=True, text=True,
    )
    assert ran.returncode == 0, "\n" + ran.stdout + ran.stderr


def test_bash_scripts_stop_at_the_first_error():
    for path in shell_files():
        text = path.read_text(encoding="utf-8")
        if text.startswith("#!/usr/bin/env bash"):
            assert "set -euo pipefail" in text, f"{name_of(path)}: no set -euo pipefail"


def test_scripts_say_what_is_wrong():
    """Unknown words end with a sentence and no side effect."""
    for command in (["scripts/setup", "nonsense"], ["scripts/test", "nonsense"]):
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
        assert ran.returncode == 1
        assert "nonsense" in ran.stderr and ran.stderr.startswith("error: "), ran.stderr
