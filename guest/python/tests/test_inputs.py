"""Goal: a question reaches the client and its answer the code; without a client it fails at once."""

import pytest

READS = {
    "input": "input('Name? ')",
    "getpass": "import getpass; getpass.getpass('Name? ')",
    "stdin": "import sys; sys.stdin.readline()",
    "lines": "import sys; next(iter(sys.stdin))",
}


@pytest.mark.parametrize("way", READS)
def test_not_allowed_is_a_clear_error(shared, way):
    answer = shared.run(READS[way])
    assert answer.error["name"] == "InputUnavailable"
    assert "is not available in this run" in answer.error["value"]
    assert "start the code as a program with standard input" in answer.error["value"]
    assert "Cell In[" in answer.error["traceback_text"] and "inputs.py" not in answer.error["traceback_text"]


def test_it_is_an_eof_error_for_code_that_copes_with_one(shared):
    assert shared.run("try:\n    input()\nexcept EOFError:\n    r = 'coped'\nr").text == "'coped'"


@pytest.mark.parametrize("way", READS)
def test_answers_reach_the_code(shared, way):
    asked = []

    def reply(event):
        if event["event"] == "input_request":
            asked.append(event)
            shared.send("i", {"value": "Ada"})

    answer = shared.run(READS[way], allow_input=True, on_event=reply)
    assert answer.text == ("'Ada'" if way in ("input", "getpass") else "'Ada\\n'")
    (request,) = asked
    assert request["password"] is (way == "getpass")
    assert request["prompt"] == ("Name? " if way in ("input", "getpass") else "")


def test_a_refused_question_is_an_error(shared):
    def refuse(event):
        if event["event"] == "input_request":
            shared.send("i", {"error": "the client went away"})

    answer = shared.run("input()", allow_input=True, on_event=refuse)
    assert answer.error["value"] == "the client went away"


def test_an_interrupt_ends_the_waiting_and_a_late_answer_is_dropped(shared):
    shared.interrupt(0.3)
    assert shared.run("input()", allow_input=True).status == "interrupted"
    shared.send("i", {"value": "late"})

    def reply(event):
        if event["event"] == "input_request":
            shared.send("i", {"value": "in time"})

    assert shared.run("input()", allow_input=True, on_event=reply).text == "'in time'"
