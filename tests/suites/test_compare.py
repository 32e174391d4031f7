"""What ./scripts/test suites calls a difference. The suites themselves run only in that part."""

from compare import differences, outcomes_of, verdicts


CASE = '<testcase file="a/test_b.py" classname="a.test_b{within}" name="{name}">{inner}</testcase>'
FAILED = '<failure message="first line&#10;second line">long</failure>'
SKIPPED = '<skipped message="no network"/>'


def report(folder, side, **cases):
    path = folder / f"{side}.xml"
    inner = "".join(CASE.format(within="", name=name, inner=x) for name, x in cases.items())
    path.write_text(f"<testsuites><testsuite>{inner}</testsuite></testsuites>")
    return outcomes_of(path)


def test_only_what_passes_outside_and_not_inside_counts(tmp_path):
    outside = report(
        tmp_path, "outside", same="", fails="", skips="", gone="", bad=FAILED, poor=FAILED
    )
    inside = report(
        tmp_path, "inside", same="", fails=FAILED, skips=SKIPPED, bad=FAILED, poor="", new=""
    )
    found = differences(outside, inside, {})
    assert [one.name.split("::")[1] for one in found] == ["fails", "gone", "new", "poor", "skips"]
    assert [one.name.split("::")[1] for one in found if one.counts] == ["fails", "gone", "skips"]
    assert found[0].inside.said == "first line"
    assert {name.split("::")[1]: verdict for name, verdict in verdicts(outside, found).items()} == {
        "same": "passed", "fails": "failed", "skips": "failed", "gone": "failed",
        "bad": "skipped", "poor": "skipped",
    }  # fmt: skip


def test_a_known_difference_is_named_with_all_parameters_or_one(tmp_path):
    names = ("one[1]", "one[2]", "two[1]", "two[2]")
    outside = report(tmp_path, "outside", **dict.fromkeys(names, ""))
    known = {"a/test_b.py::one": "why", "a/test_b.py::two[1]": "why"}
    found = differences(outside, {}, known)
    assert [one.name for one in found if one.counts] == ["a/test_b.py::two[2]"]


def test_a_report_that_was_cut_off_has_no_outcomes(tmp_path):
    """Then every test of the suite differs, instead of none."""
    cut = tmp_path / "inside.xml"
    cut.write_text("<testsuites><testsuite><testcase")
    assert outcomes_of(cut) == {} == outcomes_of(tmp_path / "never-written.xml")


def test_a_failed_test_stays_failed_if_its_teardown_is_reported_too(tmp_path):
    path = tmp_path / "inside.xml"
    cases = [CASE.format(within=".TestC", name="t", inner=x) for x in (FAILED, "")]
    path.write_text(f"<testsuites>{''.join(cases)}</testsuites>")
    (name, outcome), = outcomes_of(path).items()
    assert name == "a/test_b.py::TestC::t" and outcome.verdict == "failed"
