"""The README's chart is what its script draws from the results in the repository, and says what docs/promises.md says."""

import json
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_chart_is_drawn_from_the_results():
    # Without a cache beside the script.
    script = SourceFileLoader("readme_chart", str(ROOT / "bench/readme_chart"))
    names = {"__name__": "readme_chart", "__file__": script.path}
    exec(script.source_to_code(script.get_data(script.path), script.path), names)
    result = json.loads(names["RESULTS"].read_text(encoding="utf-8"))
    assert names["PICTURE"].read_text(encoding="utf-8") == names["draw"](result), "run bench/readme_chart"
    promises = (ROOT / "docs/promises.md").read_text(encoding="utf-8")
    for row in result["rows"]:
        assert f"{names['shown'](row['p50'])} ms" in promises, row
