"""The code interpreter with the official SDK."""
import pytest
from harness.e2b_sdk import options_of
from e2b import InvalidArgumentException, NotFoundException, SandboxException, TimeoutException  # noqa: F401
from e2b_code_interpreter import Sandbox
from harness.host import eventually

pytestmark = pytest.mark.each_user


@pytest.fixture(scope="module")
def box(server):
    sandbox = Sandbox.create(timeout=600, envs={"GLOBAL": "g"}, **options_of(server))
    yield sandbox
    sandbox.kill()


def test_results_state_and_count(box):
    first = box.run_code("x = 1\nx + 1")
    assert first.text == "2" and first.results[0].is_main_result and first.error is None
    second = box.run_code("x")
    assert second.text == "1" and second.execution_count == first.execution_count + 1
    assert box.run_code("y = 3").results == []
    assert box.run_code("import os; os.getcwd()").text == "/home/user"
    box.run_code("open('made', 'w').write('c')")
    assert box.files.read("made") == "c"


def test_output_comes_in_whole_writes(box):
    out = []
    said = box.run_code("import time\nprint('a', 1)\ntime.sleep(0.5)\nprint('b')", on_stdout=lambda m: out.append(m.line))
    assert said.logs.stdout == out == ["a 1\n", "b\n"]
    assert box.run_code("import sys; print('e', file=sys.stderr)").logs.stderr == ["e\n"]
    assert len("".join(box.run_code("print('x' * 3_000_000)").logs.stdout)) == 3_000_001


def test_an_error_is_data(box):
    failed = box.run_code("1/0")
    assert failed.error.name == "ZeroDivisionError" and "division" in failed.error.value
    assert "ZeroDivisionError" in failed.error.traceback and failed.results == []
    assert box.run_code("import os; os._exit(3)").error is not None
    assert eventually(lambda: box.run_code("1 + 1").text == "2")


def test_contexts(box):
    assert {c.language for c in box.list_code_contexts()} >= {"python", "javascript"}
    made = box.create_code_context(cwd="/tmp")
    assert (made.language, made.cwd) == ("python", "/tmp")
    box.run_code("z = 1", context=made)
    assert box.run_code("z", context=made).text == "1"
    assert box.run_code("z").error.name == "NameError"
    assert box.run_code("import os; os.getcwd()", context=made).text == "/tmp"
    assert made.id in [c.id for c in box.list_code_contexts()]
    box.restart_code_context(made)
    assert box.run_code("z", context=made).error.name == "NameError"
    box.remove_code_context(made)
    assert made.id not in [c.id for c in box.list_code_contexts()]
    with pytest.raises(NotFoundException):
        box.run_code("1", context=made)
    with pytest.raises(NotFoundException):
        box.remove_code_context(made)


@pytest.mark.parametrize("language, code, out", [
    ("javascript", "console.log('hi', process.env.ONE, process.env.GLOBAL)", "hi 1 g\n"),
    ("js", "console.log('hi', process.env.ONE, process.env.GLOBAL)", "hi 1 g\n"),
    ("typescript", "const a: string = 'hi'; console.log(a, process.env.ONE, process.env.GLOBAL)", "hi 1 g\n"),
    ("bash", "echo hi $ONE $GLOBAL", "hi 1 g\n"),
    ("Python", "import os; print('hi', os.environ['ONE'], os.environ['GLOBAL'])", "hi 1 g\n")])
def test_languages_and_variables_of_one_run(box, language, code, out):
    said = box.run_code(code, language=language, envs={"ONE": "1"})
    assert said.error is None and "".join(said.logs.stdout) == out
    assert "1 g" not in "".join(box.run_code(code.replace("os.environ['ONE']", "os.environ.get('ONE')"),
                                             language=language).logs.stdout)


def test_bash_runs_in_its_folder_and_says_how_it_failed(box):
    assert box.run_code("pwd; whoami", language="bash").logs.stdout == ["/home/user\nuser\n"]
    made = box.create_code_context(language="bash", cwd="/tmp")
    assert made.language == "bash"
    assert box.run_code("pwd", context=made).logs.stdout == ["/tmp\n"]
    assert box.run_code("exit 3", context=made).error.value == "exit status 3"
    box.remove_code_context(made)


def test_javascript_keeps_its_state(box):
    box.run_code("const kept = {a: [1]}", language="javascript")
    said = box.run_code("kept", language="javascript")
    assert said.results[0].json == {"a": [1]}


def test_formats(box):
    said = box.run_code("class H:\n  def _repr_html_(self): return '<b>x</b>'\n  def _repr_markdown_(self): return '**x**'\n"
                        "  def __repr__(self): return 'H!'\nH()").results[0]
    assert (said.html, said.markdown, said.text) == ("<b>x</b>", "**x**", "H!")
    assert box.run_code("{'a': [1, 2]}").results[0].json == {"a": [1, 2]}
    assert box.run_code("{'a': {1, 2}}").results[0].json is None
    shown = box.run_code("display('d')\n'm'")
    assert [(r.text, r.is_main_result) for r in shown.results] == [("d", False), ("m", True)]
    frame = box.run_code("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': ['x', None]})").results[0]
    assert frame.data == {"a": [1, 2], "b": ["x", None]} and "<table" in frame.html
    figure = box.run_code("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    assert figure.error is None and any(r.png and r.png.startswith("iVBOR") for r in figure.results)


def test_a_figure_comes_with_its_numbers(box):
    shown = box.run_code("import matplotlib.pyplot as plt\nplt.bar(['a', 'b'], [1, 2], label='g')\nplt.ylabel('Length (m)')\nplt.show()")
    result, = shown.results
    assert result.png and result.text and not result.extra
    assert (result.chart.type, result.chart.y_unit) == ("bar", "m")
    assert [(bar.label, bar.group, bar.value) for bar in result.chart.elements] == [("a", "g", 1), ("b", "g", 2)]
    assert box.run_code("'no figure'").results[0].chart is None


def test_an_image_is_shown(box):
    shown = box.run_code("from PIL import Image\nImage.new('RGB', (2, 2)).show()")
    assert shown.error is None and [result.png[:5] for result in shown.results] == ["iVBOR"]


def test_a_timeout_interrupts_and_keeps_state(box):
    box.run_code("kept = 'k'")
    with pytest.raises(TimeoutException):
        box.run_code("import time; time.sleep(60)", timeout=1)
    assert box.run_code("kept").text == "k"


def test_what_is_not_there_is_said(box):
    with pytest.raises(SandboxException, match="cobol"):
        box.run_code("1", language="cobol")
    with pytest.raises(SandboxException, match="cobol"):
        box.create_code_context(language="cobol")


def test_a_table_that_is_none_costs_what_it_has(box):
    """Any code can say that it has a table. With as many names as rows, and nothing in these, the server filled in the
    cells: the square of what was sent, until it had no memory left."""
    said = box.run_code("""
from IPython.display import display
bad = {"columns": ["c%d" % n for n in range(200_000)], "rows": [[]] * 200_000}
good = {"columns": ["a", "b"], "rows": [[1, "x"], [2, "y"]]}
for table in (bad, good):
    display({"text/plain": "t", "application/vnd.atoll.table+json": table}, raw=True)
""")
    assert said.error is None and len(said.results) == 2
    assert said.results[0].data is None and len(said.results[0].extra["application/vnd.atoll.table+json"]["rows"]) == 200_000
    assert box.run_code("1 + 1").text == "2"


def test_a_context_of_another_api_is_no_default(server, box):
    """Whatever it is called, it goes with its kernel, and is not remembered for good."""
    place = f"/v1/sessions/s-{box.sandbox_id[1:]}/contexts"
    assert server.http.post(place, json={"name": "default-mine"}).status_code == 201
    box.list_code_contexts()
    assert server.http.delete(place + "/default-mine").status_code == 204
    with pytest.raises(NotFoundException):
        box.restart_code_context("default-mine")
