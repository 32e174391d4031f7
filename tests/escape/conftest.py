"""Fixtures of the hostile cases."""
import pytest


@pytest.fixture
def neighbour(driver):
    """Another sandbox on the same host, with state that it must keep."""
    made = driver.create()
    made.python("kept = 41")
    yield made
    made.destroy()
