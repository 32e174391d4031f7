"""The offline model's answers against the truth: its code runs in real sandboxes, pandas computes here
what must come out."""
import importlib

import pytest
from checking import lacks

pytestmark = pytest.mark.once

CASES = [case for name in ["questions", *(f"held_back_{n}" for n in range(1, 31))]
         for case in importlib.import_module(name).CASES]


@pytest.mark.parametrize("dataset, conversation, truth", CASES, ids=[" / ".join(c[1])[:60] for c in CASES])
def test_answer(answers, dataset, conversation, truth):
    found = answers[dataset, tuple(conversation)]
    if isinstance(found, AssertionError):
        raise found
    answer, runs, tables = found
    missing = lacks(answer, truth(*tables.values()), runs)
    assert not missing, f"{missing} not in:\n{answer}\nby\n{runs[-1][0] if runs else ''}"
    for code, ran in runs:
        assert ran["exit_code"] == 0, code
