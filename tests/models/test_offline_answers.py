"""The offline model's answers against the truth: its code runs in real sandboxes, pandas computes here
what must come out. open_questions.txt holds those that it has not learned yet: who teaches it one takes
the line out. Every tenth question is asked; ATOLL_KEPT_QUESTIONS=all asks all of them."""
import importlib
import os
import pathlib

import pytest
from checking import lacks


OPEN = set((pathlib.Path(__file__).parent / "open_questions.txt").read_text().splitlines())
STEP = 1 if os.environ.get("ATOLL_KEPT_QUESTIONS") == "all" else 10


def kept():
    for name in ["questions", "siblings", *(f"held_back_{n}" for n in range(1, 42))]:
        yield from importlib.import_module(name).CASES


def cases():
    for number, (dataset, conversation, truth) in enumerate(kept()):
        if number % STEP == 0:
            said = " / ".join(conversation)
            marks = [pytest.mark.xfail(strict=True, reason="not learned yet")] if f"{dataset}: {said}" in OPEN else []
            yield pytest.param(dataset, conversation, truth, marks=marks, id=said[:60])


@pytest.mark.parametrize("dataset, conversation, truth", cases())
def test_answer(answers, dataset, conversation, truth):
    found = answers[dataset, tuple(conversation)]
    if isinstance(found, AssertionError):
        raise found
    answer, runs, tables = found
    missing = lacks(answer, truth(*tables.values()), runs)
    assert not missing, f"{missing} not in:\n{answer}\nby\n{runs[-1][0] if runs else ''}"
    for code, ran in runs:
        assert ran["exit_code"] == 0, code
