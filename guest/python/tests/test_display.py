"""Goal: results reach the client as MIME bundles, in order, once, and never too large in silence."""

import base64

import pytest


def test_display_in_order_with_ids_and_updates(kernel):
    answer = kernel.run(
        "h = display('one', display_id='d1')\nh.update('two')\nfrom IPython.display import clear_output\nclear_output(wait=True)\n3"
    )
    assert answer.kinds() == ["display", "display", "clear_output", "result"]
    first, second = answer.of("display")
    assert first["display_id"] == second["display_id"] == "d1"
    assert "update" not in first and second["update"] is True
    assert answer.of("clear_output")[0]["wait"] is True


@pytest.mark.parametrize(
    "code, mime, part",
    [
        ("HTML('<b>x</b>')", "text/html", "<b>x</b>"),
        ("Markdown('# x')", "text/markdown", "# x"),
        ("Latex('$x$')", "text/latex", "$x$"),
        ("SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')", "image/svg+xml", "<svg"),
        ("JSON({'a': [1, float('nan')]})", "application/json", None),
        ("Javascript('1')", "application/javascript", "1"),
    ],
)
def test_mime_types(shared, code, mime, part):
    data = shared.run(f"from IPython.display import *\n{code}").of("result")[0]["data"]
    assert mime in data
    assert part is None or part in data[mime]


def test_objects_that_describe_themselves(shared):
    code = """
class P:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'application/vnd.plotly.v1+json': {'data': [], 'n': float('inf')}, 'text/plain': 'p'}, {'m': {'width': 3}}
    def _repr_pdf_(self):
        return b'%PDF-1'
P()"""
    (result,) = shared.run(code).of("result")
    assert result["data"]["application/vnd.plotly.v1+json"] == {"data": [], "n": None}
    assert base64.b64decode(result["data"]["application/pdf"]) == b"%PDF-1"
    assert result["metadata"] == {"m": {"width": 3}}


def test_pandas_and_pictures(shared):
    pytest.importorskip("pandas")
    data = shared.run("import pandas as pd\npd.DataFrame({'a': [1]})").of("result")[0]["data"]
    assert "<table" in data["text/html"] and data["text/plain"].split() == ["a", "0", "1"]
    pytest.importorskip("PIL")
    data = shared.run("from PIL import Image\nImage.new('RGB', (2, 2))").of("result")[0]["data"]
    assert base64.b64decode(data["image/png"])[:4] == b"\x89PNG"


PLOTLY = "application/vnd.plotly.v1+json"


@pytest.mark.parametrize("show", ["fig", "display(fig)", "fig.show()"])
def test_plotly_figures_come_as_data_and_as_a_page(shared, show):
    pytest.importorskip("plotly")
    pytest.importorskip("nbformat")
    answer = shared.run(f"import plotly.graph_objects as go\nfig = go.Figure(go.Bar(y=[2, 3]))\n{show}")
    (shown,) = [event for event in answer.events if event["event"] in ("result", "display")]
    assert shown["data"][PLOTLY]["data"][0]["type"] == "bar"
    assert "<script" in shown["data"]["text/html"] and len(shown["data"]["text/html"]) < 100_000


def test_altair_charts_come_as_data_and_as_a_page(shared):
    pytest.importorskip("altair")
    code = "import altair as alt\nc = alt.Chart(alt.Data(values=[{'a': 1}])).mark_bar().encode(x='a:Q')\n"
    (shown,) = shared.run(code + "c").of("result")
    (mime,) = [one for one in shown["data"] if one.startswith("application/vnd.vegalite.v")]
    assert shown["data"][mime]["mark"] == {"type": "bar"}
    assert "<script" in shown["data"]["text/html"]
    # A renderer that the user chose stays.
    (shown,) = shared.run("with alt.renderers.enable('json'):\n    display(c)").of("display")
    assert "text/html" not in shown["data"]


class TestFigures:
    @pytest.fixture(autouse=True)
    def needs(self):
        pytest.importorskip("matplotlib")

    def test_open_figures_appear_after_the_cell_and_are_closed(self, shared):
        answer = shared.run(
            "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.figure(); plt.plot([3]);"
        )
        pictures = [d["data"]["image/png"] for d in answer.of("display")]
        assert len(pictures) == 2 and all(base64.b64decode(p)[:4] == b"\x89PNG" for p in pictures)
        assert shared.run("plt.get_fignums()").text == "[]"
        assert shared.run("1").kinds() == ["result"]

    def test_show_emits_in_its_place(self, shared):
        code = "import matplotlib.pyplot as plt\nplt.plot([1]); plt.show()\ndisplay('after')\nplt.plot([2]);"
        kinds = ["image/png" in d["data"] for d in shared.run(code).of("display")]
        assert kinds == [True, False, True]

    def test_a_figure_comes_as_data_where_the_run_asks_for_it(self, shared):
        code = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
        mime = "application/vnd.atoll.chart+json"
        (asked,) = shared.run(code, charts=True).of("display")
        assert asked["data"][mime]["elements"][0]["points"] == [[0, 1], [1, 2]]
        assert "image/png" in asked["data"]
        (not_asked,) = shared.run(code).of("display")
        assert mime not in not_asked["data"]

    def test_a_figure_that_is_the_result_appears_once(self, shared):
        answer = shared.run(
            "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1])\nfig"
        )
        assert answer.kinds() == ["result"] and "image/png" in answer.of("result")[0]["data"]
        again = shared.run("ax.set_title('x')\nfig")
        assert again.kinds() == ["result"]

    def test_savefig_inline_magic_formats_and_dpi(self, shared):
        assert (
            shared.run(
                "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1]); plt.savefig('f.png')"
            )
            .kinds()
            .count("display")
            == 1
        )
        assert (shared.folder / "f.png").read_bytes()[:4] == b"\x89PNG"
        size = "import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = {}\nplt.plot([1]);"
        small, large = (
            shared.run(size.format(dpi)).of("display")[0]["data"]["image/png"] for dpi in (50, 200)
        )
        assert len(large) > len(small)
        svg = shared.run("%config InlineBackend.figure_formats = ['svg']\nplt.plot([1]);")
        assert "<svg" in svg.of("display")[0]["data"]["image/svg+xml"]
        shared.run("%config InlineBackend.figure_formats = ['png']\nplt.rcdefaults()")

    def test_a_figure_of_a_failing_cell_still_appears(self, shared):
        answer = shared.run("import matplotlib.pyplot as plt\nplt.plot([1])\n1/0")
        assert answer.kinds() == ["display", "error"] and answer.status == "error"


def test_a_bundle_above_the_limit_is_cut_and_says_so(tmp_path):
    from conftest import start_kernel, stop_kernel

    kernel = start_kernel(tmp_path, result_bytes_max=10_000)
    (result,) = kernel.run("'x' * 50_000").of("result")
    text = result["data"]["text/plain"]
    assert (
        text.startswith("[cut: text/plain (50,002 bytes)") and "xxx" in text and len(text) < 10_000
    )
    code = "from IPython.display import HTML\nHTML('y' * 50_000)"
    (result,) = kernel.run(code).of("result")
    assert "text/html" not in result["data"]
    assert "text/html (50,000 bytes)" in result["data"]["text/plain"]
    assert "IPython.core.display.HTML" in result["data"]["text/plain"]
    assert kernel.run("'z' * 5_000").text == repr("z" * 5000)
    stop_kernel(kernel)


def test_text_that_is_no_utf8_and_reprs_that_fail(shared):
    assert shared.run("'a\\ud800b'").text == "'a\\ud800b'"  # repr escapes it
    answer = shared.run("display({'text/plain': 'a\\ud800'}, raw=True)")
    assert answer.of("display")[0]["data"]["text/plain"] == "a?"
    answer = shared.run("class R:\n    def __repr__(self): raise ValueError('no repr')\nR()")
    assert answer.status == "ok" and "no repr" in answer.err
    assert len(shared.run("list(range(10**6))").text) < 20_000
    assert shared.run("10**5000").status == "ok"


def test_output_of_c_code_and_result_types_with_formatters(shared):
    shared.run(
        "get_ipython().display_formatter.formatters['text/html'].for_type(int, lambda n: f'<i>{n}</i>')"
    )
    assert shared.run("5").of("result")[0]["data"]["text/html"] == "<i>5</i>"
    shared.run("get_ipython().display_formatter.formatters['text/html'].pop(int)")
    assert "text/html" not in shared.run("5").of("result")[0]["data"]
    assert shared.run("%precision 2\n3.14159").text == "3.14"
