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
