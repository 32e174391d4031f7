"""pip in a sandbox: the real one, which installs into the session and knows that there is no
network.

The template's pip/__main__.py calls main(), and `pip` is `python -m pip` (template_build.cpp).

pip takes sys.prefix for the place to install to and for the limit of what it may uninstall. So that
is the session's folder (packages.py): packages of the template satisfy requirements, and are left
alone when a session installs another version.
"""

import logging
import os
import sys

from . import packages

_HINT = (
    "There is no network in a sandbox, so pip cannot download packages. Upload a wheel and install "
    "that (pip install /session/NAME.whl), or use a template with the package (docs/templates.md)."
)
_INDEX_OPTIONS = ("-i", "--index-url", "--extra-index-url", "--pypi-url")
# How pip says that it wanted to download something.
_WANTED_NETWORK = ("No matching distribution", "onnection", "resolve", "git clone")


class _Listener(logging.Handler):
    """Hears whether a failure was for want of a network."""

    wanted_network = False

    def emit(self, record):
        if any(words in record.getMessage() for words in _WANTED_NETWORK):
            self.wanted_network = True


def main(arguments) -> int:
    for name, value in (
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
        ("PIP_RETRIES", "0"),  # of a URL; nobody is going to become reachable
    ):
        os.environ.setdefault(name, value)
    # An index may listen on this sandbox's own loopback, if somebody says so.
    named = any(one.split("=")[0] in _INDEX_OPTIONS for one in arguments)
    if not named and not {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"} & set(os.environ):
        os.environ.setdefault("PIP_NO_INDEX", "1")
    # What --user means elsewhere is what happens here; pip refuses it in a virtual environment.
    arguments = [one for one in arguments if one != "--user"]
    sys.prefix = sys.exec_prefix = packages.base()
    sys.modules.pop("sysconfig", None)  # it keeps the prefix that it was imported with
    from pip._internal.cli.main import main as pip
    from pip._internal.utils import virtualenv

    virtualenv._no_global_under_venv = lambda: True  # it would look for a file below the prefix
    listener = _Listener(logging.WARNING)
    logging.getLogger("pip").addHandler(listener)
    status = pip(arguments)
    if status and listener.wanted_network:
        sys.stdout.flush()
        print(_HINT, file=sys.stderr)
    return status
