"""Packages that a session installs for itself: below its home, where Python's user site is.

    ~/.local/lib/python3.11/site-packages     or below PYTHONUSERBASE

The template's environment is read-only and shared, so pip writes there (pip_command.py). The folder
comes before the template's packages in sys.path: what a session installed is what it gets.

Used in two ways, so it imports little and nothing of ours:
    a kernel      calls use(); never the zygote, where it would be everybody's
    a program     the template's atoll.pth calls use_in_program() when Python starts (not with -I)
"""

import os
import sys


def base() -> str:
    return os.environ.get("PYTHONUSERBASE") or os.path.expanduser("~/.local")


def folder() -> str:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return os.path.join(base(), "lib", version, "site-packages")


def _place() -> int:
    """Before the template's packages, behind Python's own library."""
    for index, path in enumerate(sys.path):
        if path.endswith("site-packages"):
            return index
    return len(sys.path)


def use(previous=None) -> str:
    """For a kernel. `.pth` files there are not executed: a restarted kernel is a clean one."""
    from importlib.machinery import FileFinder
    from importlib._bootstrap_external import _get_supported_file_loaders

    path = folder()
    if previous == path:
        return path
    if previous in sys.path:
        sys.path.remove(previous)
    sys.path.insert(_place(), path)
    # It need not exist yet. Python would remember that it does not; a finder looks each time, so
    # that a package can be imported in the very cell that installed it.
    sys.path_importer_cache[path] = FileFinder(path, *_get_supported_file_loaders())
    return path


def use_in_program():
    """As Python does with a user site, but ahead of the template's packages."""
    import site

    path = folder()
    if not os.path.isdir(path):
        return
    before = len(sys.path)
    site.addsitedir(path)
    added = sys.path[before:]
    del sys.path[before:]
    place = _place()
    sys.path[place:place] = added
