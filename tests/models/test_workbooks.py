"""Workbooks of several sheets: each that has a table can be asked about by its name."""
import pytest


MAKE = """
import pandas as pd
months = {"Jan": [1, 2, 3], "Feb": [10, 20, 30]}
with pd.ExcelWriter("/data/book.xlsx") as book:
    pd.DataFrame({"Report of the year": ["made by Ann", "for Bob"]}).to_excel(book, sheet_name="Cover", index=False)
    for month, amounts in months.items():
        table = pd.DataFrame({"region": ["North", "South", "South"], "amount": amounts})
        table.to_excel(book, sheet_name=month, index=False)
    costs = pd.DataFrame({"vendor": ["Ann", "Bob"] * 10, "cost": range(20)})
    costs.to_excel(book, sheet_name="Sheet2", index=False)
    pd.DataFrame().to_excel(book, sheet_name="Nothing", index=False)
"""


@pytest.fixture
def book(talk):
    ran = talk.run(MAKE)
    assert ran["exit_code"] == 0, ran
    talk.files = ["/data/book.xlsx"]
    talk.begin()
    return talk


def test_the_first_sheet_with_a_table_is_meant(book):
    """Not the cover page, nor the largest; and the others are told."""
    answer = book.ask("How many rows?")
    assert "`book.xlsx / Jan` has **3** rows" in answer and "others: `Feb`, `Sheet2`" in answer
    assert "**6**" in book.ask("total amount")


@pytest.mark.parametrize("question, wanted", [
    ("total amount on the sheet Feb", "**60**"),
    ("total amount by region on the Feb sheet", "50"),
    ("what is the total amount in Feb?", "**60**"),
    ("工作表Feb的amount总和", "**60**"),
    ("how many rows are in Sheet2?", "**20** rows"),
    ("average cost in Sheet2", "**9.50**"),
    ("total cost by vendor", "100"),  # only one sheet has such columns
])
def test_a_sheet_is_named(book, question, wanted):
    assert wanted in book.ask(question)


def test_a_value_is_no_sheet(talk):
    """Where a sheet is called like a value, the value is meant, unless it is said to be a sheet."""
    ran = talk.run("""
import pandas as pd
with pd.ExcelWriter("/data/regions.xlsx") as book:
    pd.DataFrame({"region": ["North", "South", "South"], "amount": [1, 2, 3]}).to_excel(book, sheet_name="All", index=False)
    pd.DataFrame({"region": ["North", "North"], "amount": [70, 7]}).to_excel(book, sheet_name="North", index=False)
""")
    assert ran["exit_code"] == 0, ran
    talk.files = ["/data/regions.xlsx"]
    talk.begin()
    assert "**5**" in talk.ask("total amount in South")
    assert "**77**" in talk.ask("total amount on the sheet North")
