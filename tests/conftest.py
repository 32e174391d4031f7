"""Shared by all tests that drive the built binary (./scripts/build leaves it in build/release)."""

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness.driver import Driver  # noqa: E402

# What these test stands above the walls, where a sandbox is a sandbox whoever runs the server: as root is
# enough, but for the files marked `each_user`.
ABOVE_THE_WALLS = {"analyst", "completions", "e2b", "mcp", "models", "suites", "ui", "web"}


def pytest_configure(config):
    # A shell ignores SIGINT for what it starts in the background, and so would all that tests start.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers", "root_only: what it tests exists only when Atoll runs as root"
    )
    config.addinivalue_line(
        "markers", "once: what it tests knows nothing of users; not run again as an ordinary one"
    )
    config.addinivalue_line(
        "markers", "each_user: run again as an ordinary user, though its folder is `once`"
    )


def pytest_runtest_setup(item):
    if getattr(item, "execution_count", 1) > 1:
        item.user_properties.append(("second_try", "yes"))  # for scripts/summary.py


@pytest.hookimpl(tryfirst=True)  # before -m looks at the marks
def pytest_collection_modifyitems(items):
    here = Path(__file__).resolve().parent
    for item in items:
        folder = item.path.relative_to(here).parts[0] if item.path.is_relative_to(here) else ""
        if folder in ABOVE_THE_WALLS and not item.get_closest_marker("each_user"):
            item.add_marker(pytest.mark.once)
    if os.geteuid() == 0:
        return
    for item in items:
        if item.get_closest_marker("root_only"):
            item.add_marker(pytest.mark.skip(reason="needs root"))


@pytest.fixture(scope="module")
def driver():
    """A host with a zygote and a pool of one, for all tests of a file."""
    running = Driver(pool=1)
    yield running
    running.close()


@pytest.fixture
def sandbox(driver):
    """A fresh sandbox for one test."""
    made = driver.create()
    yield made
    try:
        made.destroy()
    except Exception:
        pass  # the test may have ended it itself


@pytest.fixture(scope="session")
def chromium():
    """One for all files that a worker runs: Playwright refuses a second one in the same process."""
    from harness.browser import CHROMIUM, FLAGS
    from playwright import sync_api as playwright
    assert CHROMIUM.exists(), "./scripts/setup test installs Chromium"
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def root() -> bool:
    return os.geteuid() == 0
