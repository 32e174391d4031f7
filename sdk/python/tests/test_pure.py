"""What needs no server: events, displays, and the models against the OpenAPI document."""

import dataclasses
import json
import types
import typing
from pathlib import Path

import pytest

from atoll import events, models, results
from atoll._sse import EventReader
from atoll.results import Display, RunResult, run_result

DOCUMENT = json.loads((Path(__file__).resolve().parents[3] / "web/openapi.json").read_text())

# Ours, and the server's name for it.
SCHEMAS = {
    models.Session: "SessionView",
    models.Limits: "LimitsView",
    models.Usage: "UsageView",
    models.FileInfo: "FileView",
    models.FileList: "FileList",
    models.FileChange: "ChangeView",
    models.Extracted: "Extracted",
    models.Skipped: "SkippedView",
    models.ContextInfo: "ContextView",
    models.Variable: "VariableView",
    models.ProcessInfo: "ProcessView",
    models.OutputSnapshot: "OutputAnswer",
    models.OutputText: "OutputText",
    models.OutputGap: "OutputGap",
    models.Port: "ListeningPort",
    models.Job: "JobView",
    models.JobLogChunk: "LogChunkView",
    models.Info: "Info",
    models.Template: "TemplateView",
    models.Token: "TokenView",
    models.LeftOut: "LeftOutView",
    models.Lost: "LostView",
    models.ToolInfo: "ToolView",
    models.ListedFile: "ListedFile",
    models.ToolImage: "ImageLink",
    models.TableData: "TableData",
    models.ToolResult: "ToolResult",
    results.RunResult: "RunAnswer",
    results.RunTimings: "RunTimings",
    results.ChangedFile: "ChangedFileView",
    results.ImageFile: "ImageView",
    results.CommandResult: "ProcessResult",
}


@pytest.mark.parametrize("kind", SCHEMAS, ids=lambda kind: kind.__name__)
def test_models_are_what_the_server_says(kind):
    schema = DOCUMENT["components"]["schemas"][SCHEMAS[kind]]
    ours = {f.name: f for f in dataclasses.fields(kind) if not f.metadata.get("ours")}
    assert set(ours) == set(schema["properties"])
    hints = typing.get_type_hints(kind)
    for name, field in ours.items():
        may_miss = isinstance(hints[name], types.UnionType)
        assert may_miss == (name not in schema["required"]), name
        assert (field.default is None) == may_miss, name


def test_every_model_is_compared():
    public = {getattr(models, name) for name in models.__all__}
    assert public <= set(SCHEMAS)


def test_limits_are_those_of_the_server():
    from atoll import LimitOptions, SessionOptions

    schemas = DOCUMENT["components"]["schemas"]
    assert set(LimitOptions.__annotations__) == set(schemas["LimitsBody"]["properties"])
    assert set(SessionOptions.__annotations__) == set(schemas["CreateSession"]["properties"])


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_in_pieces(size):
    text = "event: a\r\ndata: ü1\r\ndata: 2\r\nid: 5\r\n\r\n: beat\n\ndata: x\n\nevent: cut\ndata"
    data, reader, seen = text.encode(), EventReader(), []
    for at in range(0, len(data), size):
        seen += reader.feed(data[at:at + size])
    assert [(one.name, one.data, one.id) for one in seen] == [("a", "ü1\n2", "5"),
                                                              ("message", "x", "5")]


def answer(**fields) -> RunResult:
    empty = {"stdout": "", "stderr": "", "results": [], "exit_code": 0, "signal": 0,
             "reason": "exited", "output_truncated": False, "state_lost": False,
             "execution_count": 1, "timings_ms": {"sandbox": 0, "run": 0, "total": 0},
             "memory_peak_bytes": 0, "files": [], "files_complete": True, "images": [],
             "artifact_map": {}, "artifacts_left_out": [], "lost": []}
    return run_result({**empty, **fields})


def test_notebooks_show_text_tables_and_figures():
    shown = answer(
        stdout="1 < 2\n",
        results=[
            {"event": "display", "data": {"image/png": "aGk=", "text/plain": "<Figure>"},
             "metadata": {}},
            {"event": "result", "data": {"text/html": "<table>", "text/plain": "a  b"},
             "metadata": {}},
        ],
        error={"name": "E", "value": "v", "traceback": [], "traceback_text": "E: v"},
        message="It was stopped.",
    )
    bundle = shown._repr_mimebundle_()
    assert bundle["text/plain"] == "1 < 2\n<Figure>\na  b\nE: v\nIt was stopped.\n"
    page = bundle["text/html"]
    for part in ("1 &lt; 2", "data:image/png;base64,aGk=", "&lt;table&gt;", "E: v", "stopped"):
        assert part in page
    assert shown.figures == [b"hi"] and shown.text == "a  b" and not shown.ok


def test_html_of_a_sandbox_cannot_reach_the_page():
    """A notebook's page has the rights of its user; code in a sandbox must not get them."""
    attack = '"></iframe><script>parent.document.title = 1</script>'
    for bundle in ({"text/html": attack}, {"text/plain": attack}, {"image/png": attack},
                   {"image/svg+xml": attack}):
        page = Display("result", bundle)._repr_html_()
        assert "<script>" not in page and "</iframe><" not in page
    frame = Display("result", {"text/html": attack})._repr_html_()
    assert 'sandbox="allow-scripts"' in frame and "allow-same-origin" not in frame


def test_every_event_of_a_run_is_known():
    assert len(typing.get_args(events.RunEvent)) == len(events.__all__) - 1
