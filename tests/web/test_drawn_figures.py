"""What code shows in a chat: charts of plotly and altair, tables, formulas, drawn in the page, and again after a reload."""

import pytest
from playwright.sync_api import expect

QUESTION = "Your question"
CODE = """import plotly.express as px, altair as alt, pandas as pd
from IPython.display import Math, Markdown
sales = pd.DataFrame({'city': ['Bern', 'Basel', 'Bern'], 'amount': [3, 4, 5]})
display(sales)
px.bar(sales, x='city', y='amount', title='By plotly').show()
display(alt.Chart(sales, title='By altair').mark_bar().encode(x='city', y='sum(amount)'))
display(Math(r'\\frac{1}{2}'), Markdown('**very bold**'))
sales.groupby('city').sum()"""


def ask(page, server, question):
    page.goto(server.url + "/ui")
    box = page.get_by_label(QUESTION)
    box.fill(question)
    box.press("Enter")


def shows_all(page):
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(1)
    for title in ("By plotly", "By altair"):
        drawn = page.get_by_role("img", name=title)
        expect(drawn).to_be_visible()
        assert drawn.locator("rect[rx]").count() >= 2
    tables = page.get_by_role("table")
    expect(tables).to_have_count(2)
    expect(tables.first).to_contain_text("amount")
    expect(page.locator(".katex-mathml mfrac")).to_have_count(1)
    expect(page.locator("strong", has_text="very bold")).to_be_visible()
    # The words for the model are not for people.
    expect(page.get_by_text("[shown:")).to_have_count(0)
    expect(page.get_by_text("IPython.core")).to_have_count(0)


def test_what_code_shows_is_drawn_and_stays(server, page, models):
    models.answer = [{"tool_calls": [{"id": "c", "name": "run_python", "arguments": {"code": CODE}}]}, "Drawn."]
    ask(page, server, "draw")
    shows_all(page)
    page.reload()
    shows_all(page)


def test_what_is_too_large_is_said(server, page):
    ask(page, server, "run: import plotly.express as px; px.line(x=['x' * 1000] * 2000, y=[1] * 2000)")
    expect(page.get_by_role("region", name="Ran Python")).to_contain_text("not shown: a chart; it has")


@pytest.mark.parametrize("shown", [
    "HTML('<table><tr><td><script>top.reached = 1</script><img src=x onerror=\"top.reached = 1\">in a table</td></tr>')",
    "SVG('<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"top.reached = 1\"><script>top.reached = 1</script></svg>')",
    "Markdown('<img src=x onerror=\"top.reached = 1\"> in a text [a](javascript:top.reached=1)')",
    "Latex('$\\\\href{javascript:top.reached=1}{in a text}$')",
], ids=["html", "svg", "markdown", "latex"])
def test_what_it_shows_is_inert(server, page, shown):
    """The fixture `page` looks whether anything was run, and whether the browser had to refuse something."""
    ask(page, server, f"run: from IPython.display import *; {shown}")
    expect(page.get_by_role("button", name="Ask again", exact=True)).to_have_count(1)
    if "HTML" in shown:
        frame = page.locator('iframe[title="Result"]')
        expect(frame).to_have_attribute("sandbox", "")
        expect(page.frame_locator('iframe[title="Result"]').get_by_text("in a table")).to_be_visible()
    elif "SVG" in shown:
        expect(page.get_by_role("img", name="Result")).to_be_attached()
    else:
        expect(page.get_by_text("in a text").first).to_be_visible()
    assert page.locator("[onerror], [onload], [href^='javascript:']").count() == 0


def test_a_chart_is_read_and_zoomed(server, page):
    ask(page, server, "run: import plotly.express as px; "
                      "px.line(x=list(range(101)), y=[n * n for n in range(101)], title='Squares')")
    chart = page.get_by_role("img", name="Squares")
    expect(chart).to_be_visible()
    figure = page.get_by_role("figure").filter(has=chart)
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    across = lambda part: box["x"] + 64 + part * (box["width"] - 80)  # noqa: E731
    middle = box["y"] + 150
    page.mouse.move(across(0.5), middle)
    expect(figure).to_contain_text("50: 2,500")
    expect(chart).to_contain_text("10K")
    page.mouse.move(across(0.2), middle)
    page.mouse.down()
    page.mouse.move(across(0.4), middle, steps=4)
    page.mouse.up()
    reset = figure.get_by_role("button", name="Reset zoom")
    expect(reset).to_be_visible()
    # The other axis goes by what is left.
    expect(chart).not_to_contain_text("10K")
    page.mouse.move(across(0.5), middle)
    expect(figure).to_contain_text("30: 900")
    reset.click()
    expect(reset).to_have_count(0)
    expect(chart).to_contain_text("10K")


@pytest.mark.parametrize("code", [
    "px.histogram(x=[1, 2, 2, 3, 3, 3, 9], title='T')",
    "px.histogram(x=['a', 'b', 'a'], color=['u', 'v', 'v'], title='T')",
    "px.scatter(x=[1, 10, 1000], y=[1, 100, 1e6], log_x=True, log_y=True, title='T')",
    "px.bar(x=['a', 'b', 'a'], y=[1, 2, 3], color=['u', 'u', 'v'], barmode='group', title='T')",
    "alt.Chart(pd.DataFrame({'n': [1, 5, 9, 20]}), title='T').mark_bar().encode(x=alt.X('n', bin=True), y='count()')",
    "alt.Chart(pd.DataFrame({'n': [1, 5], 'm': [1, 900]}), title='T').mark_line().encode("
    "x='n:Q', y=alt.Y('m').scale(type='log'))",
], ids=["histogram", "colours", "logarithms", "groups", "bins", "altair's logarithm"])
def test_common_charts_are_drawn(server, page, code):
    ask(page, server, f"run: import altair as alt, pandas as pd, plotly.express as px; {code}")
    chart = page.get_by_role("img", name="T", exact=True)
    expect(chart).to_be_visible()
    expect(chart.locator("g > rect, g > circle, g > polyline").first).to_be_attached()
    expect(page.get_by_text("not drawn here")).to_have_count(0)
