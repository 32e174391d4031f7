"""The include rule: a room includes only what the table in src/README.md allows it.

The check reads that table, so the map and the code cannot drift apart.
"""

import fnmatch
import re

from repository import ROOT, cpp_files, name_of, table_after

README = (ROOT / "src" / "README.md").read_text(encoding="utf-8")
MAP = table_after("# The map", "\n" + README)
ALLOWED = table_after("## Who may include whom", README)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
# Rooms that have a namespace of their own name; naming one is using it, whoever included it.
NAMESPACES = ("agent", "core", "guest_client", "net", "sessions", "sys", "wire")
NAMED = re.compile(rf"(?<![\w:])({'|'.join(NAMESPACES)})::")


def room_of(name: str) -> str | None:
    """The room of a path as an #include spells it: rooted at src/, or guest/… at the repository."""
    parts = name.split("/")
    if parts[0] == "guest":
        return "guest"
    for depth in (2, 1):  # the longer name first: sys/seccomp is a room inside sys
        room = "/".join(parts[:depth])
        if len(parts) > depth and (room in MAP or any(fnmatch.fnmatch(room, a) for a in ALLOWED)):
            return room
    return None


def allowed_for(room: str) -> list[str]:
    for pattern, rooms in ALLOWED.items():
        if fnmatch.fnmatch(room, pattern):
            return [*rooms, "base"]
    return ["base"]


def may_include(room: str, other: str) -> bool:
    # A sibling below runtimes/* is another room: the pattern lets nobody but main see it.
    return room == other or any(fnmatch.fnmatch(other, pattern) for pattern in allowed_for(room))


def complaints_about(name: str, text: str) -> list[str]:
    room = room_of(name.removeprefix("src/"))
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            for named in sorted(set(NAMED.findall(line.partition("//")[0]))):
                # A friend's name is no use of its room.
                if room and not may_include(room, named) and "friend class" not in line:
                    found.append(f"{name}:{number}: room {room} may not use room {named}")
            continue
        other = room_of(match[1])
        if other is None:
            found.append(f'{name}:{number}: "{match[1]}" is in no room; write the path from src/')
        elif room and not may_include(room, other):
            found.append(f"{name}:{number}: room {room} may not include room {other}")
    return found


def test_rooms_include_only_what_the_table_allows():
    found = []
    for path in cpp_files():
        name = name_of(path)
        if name.startswith(("src/", "guest/")):
            found += complaints_about(name, path.read_text(encoding="utf-8"))
    assert not found, "\n" + "\n".join(found)


def test_every_room_of_the_tree_is_on_the_map():
    found = {
        f"src/{room_of(name_of(p).removeprefix('src/')) or name_of(p.parent)[4:]}"
        for p in cpp_files() if name_of(p).startswith("src/")
    }
    missing = sorted(r for r in found if r.removeprefix("src/") not in MAP)
    assert not missing, f"src/README.md has no line for {missing}: add one to the map"
    unruled = [r for r in MAP if not any(fnmatch.fnmatch(r, pattern) for pattern in ALLOWED)]
    assert not unruled, f"src/README.md does not say what {unruled} may include"


def test_the_check_sees_what_it_should():
    """A check that sees nothing looks like a clean tree; so it is shown a bad line of each kind."""
    rows = [
        ("src/core/spec.hpp", '#include "wire/frame.hpp"', "room core may not include room wire"),
        ("src/sys/mounts.cpp", '#include "sys/seccomp/policy.hpp"', "room sys may not include"),
        ("src/base/fd.hpp", '#include "core/spec.hpp"', "room base may not include room core"),
        ("src/wire/frame.cpp", '#include "guest/lib/loop.hpp"', "may not include room guest"),
        ("guest/lib/loop.cpp", '#include "core/spec.hpp"', "room guest may not include room core"),
        ("src/runtimes/native/zygote.cpp", '#include "runtimes/docker/client.hpp"',
         "room runtimes/native may not include room runtimes/docker"),
        ("src/sys/mounts.cpp", '#include "mounts.hpp"', "is in no room"),
        ("src/api/run_routes.cpp", "if (kind == wire::Kind::Stdout) {", "may not use room wire"),
    ]
    for name, line, complaint in rows:
        assert complaint in "".join(complaints_about(name, f"// first\n{line}\n")), (name, line)
    for name, line in [
        ("src/main/main.cpp", '#include "runtimes/native/zygote.hpp"'),
        ("src/sys/seccomp/policy.cpp", '#include "sys/files.hpp"'),
        ("guest/lib/loop.cpp", '#include "sys/files.hpp"'),
        ("src/core/spec.cpp", '#include "base/result.hpp"'),
        ("src/api/run_routes.cpp", "x = 1;  // wire::Kind is for others"),
    ]:
        assert complaints_about(name, line) == [], (name, line)


def test_grants_for_tests_are_for_tests():
    """What stands in for whoever may open a wall is included by tests alone."""
    found = [name for path in cpp_files() if "spec_grants_for_tests.hpp\"" in
             path.read_text(encoding="utf-8")
             and not (name := name_of(path)).endswith("_test.cpp") and not name.startswith("tests/")]
    assert found == []
