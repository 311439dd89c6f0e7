"""Holds the table of rooms in docs/architecture.md against the include lines of the code.

A room is a folder of sources, together with the headers of its name in include/credence/. The table names what each
room includes, no more and no less. No circle of rooms includes itself, and the umbrella header has every public header.
The code has a budget that only falls: lines that say something, files of at most 40 lines, public headers. Blank lines,
includes, heads and feet of namespaces, and braces alone say nothing.
A method of selection answers for itself: few lines outside its own files ask for its class.
Tests mirror the rooms: those of src/ROOM/SUB-ROOM are in tests/ROOM/SUB-ROOM, and no other folder has tests.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs" / "architecture.md"
UMBRELLA = "credence/credence.hpp"
BUDGETED = ("src", "include", "cli", "report", "distributed", "python/credence", "python/src")
SAYS_NOTHING = re.compile(
    r"^\s*($|#include|#pragma once|(inline )?namespace\b.*\{$|\}\s*// namespace|[{}\[\]()]+[;,]?$)"
)
MADE_BY_THE_BUILD = ("_arguments.py", "_core.pyi")
BUDGET = {"lines that say something": 61_218, "files of at most 40 lines": 60, "public headers": 95}
MOST_CLASS_QUESTIONS = 12


def room_of(path: str) -> str:
    """Return the room of a file, by its path from the root."""
    parts = path.split("/")
    if parts[0] == "include":
        return "/".join(parts[2:-1]) or "front door"
    if parts[0] == "src":
        return "/".join(parts[1:-1]) or "front door"
    return "/".join(parts[:-1])


def sources() -> list[str]:
    """Return the files that have a room."""
    folders = ["include", "src", "distributed", "report", "cli", "reproduce", "selfcheck", "python/src"]
    files = (path for folder in folders for path in (SOURCE / folder).rglob("*.?pp"))
    return sorted(path.relative_to(SOURCE).as_posix() for path in files)


def included(path: str) -> list[str]:
    """Return the files of the project that a file includes."""
    lines = re.findall(r'^#include "([^"]+)"', (SOURCE / path).read_text(encoding="utf-8"), flags=re.MULTILINE)
    places = ("include/{}", "src/{}", "{}", str(Path(path).parent) + "/{}")
    return [next(p.format(name) for p in places if (SOURCE / p.format(name)).exists()) for name in lines]


def rooms_of_code() -> dict[str, set[str]]:
    """Return for each room the rooms that it includes."""
    found: dict[str, set[str]] = {}
    for path in sources():
        own = found.setdefault(room_of(path), set())
        own.update(room_of(other) for other in included(path))
    return {room: others - {room} for room, others in found.items()}


def rooms_of_page() -> dict[str, set[str]]:
    """Return the same from the table of the page."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            found[cells[0].strip("`")] = set(re.findall(r"`([^`]+)`", cells[2]))
    return found


def reached(start: str, code: dict[str, set[str]]) -> set[str]:
    """Return the rooms that a room includes, those that these include, and so on."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = code.get(waiting.pop(), set()) - found
        found |= new
        waiting.extend(new)
    return found


def circles(code: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one room."""
    of = {room: reached(room, code) for room in code}
    found = {tuple(sorted(o for o in of[room] if room in of.get(o, set()))) for room in code if room in of[room]}
    return [list(circle) for circle in sorted(found)]


def spent() -> dict[str, int]:
    """Return what the code takes of the budget."""
    endings = {".cpp", ".hpp", ".py", ".pyi", ".js", ".css", ".html"}
    found = [path for folder in BUDGETED for path in (SOURCE / folder).rglob("*") if path.suffix in endings]
    written = (path for path in found if path.name not in MADE_BY_THE_BUILD and "node_modules" not in path.parts)
    texts = [path.read_text(encoding="utf-8").split("\n") for path in written]
    lines = sum(not SAYS_NOTHING.match(line) for text in texts for line in text)
    public = sum(1 for path in sources() if path.startswith("include/"))
    return dict(zip(BUDGET, (lines, sum(len(text) <= 40 for text in texts), public), strict=True))


def class_questions() -> list[str]:
    """Return the lines that ask for the class of a method, outside the files of the methods."""
    options = (SOURCE / "include/credence/selection/options.hpp").read_text(encoding="utf-8")
    listed = re.findall(r"using Method = std::variant<([^>]+)>", options)[0]
    methods = "|".join(re.findall(r"\w+", listed))
    ask = "is|as|has|holds|get_if|holds_alternative|get|same_as|is_same_v|method"
    question = re.compile(rf"(?:{ask})<[^>]*\b(?:{methods})\b")
    asked = []
    for path in (path for path in sources() if "/selection/methods" not in path):
        lines = (SOURCE / path).read_text(encoding="utf-8").splitlines()
        asked += [f"{path}:{number}" for number, line in enumerate(lines, 1) if question.search(line)]
    return asked


#: What one operating system has and another has not.
OF_ONE_SYSTEM = re.compile(
    r"""#include <(?:malloc|sched|dlfcn|sys/mman|sys/resource|sys/utsname)\.h>|"/(?:proc|sys)/"""
)


def of_one_system() -> list[str]:
    """Return the sources that call an operating system by themselves, outside the room for it."""
    places = (path for path in sources() if not path.startswith("src/system/"))
    return [path for path in places if OF_ONE_SYSTEM.search((SOURCE / path).read_text(encoding="utf-8"))]


def strange_test_folders(rooms: set[str]) -> list[str]:
    """Return the folders below tests/<room>/ that have tests and are the mirror of no sub-room."""
    folders = {path.parent.relative_to(SOURCE / "tests").as_posix() for path in (SOURCE / "tests").rglob("*.cpp")}
    return sorted(folder for folder in folders if "/" in folder and folder not in rooms)


def problems() -> list[str]:
    """Return a sentence for each disagreement."""
    code, page = rooms_of_code(), rooms_of_page()
    said = [f"docs/architecture.md lacks the room {room}" for room in sorted(code.keys() - page.keys())]
    said += [f"docs/architecture.md names {room}, which is no room" for room in sorted(page.keys() - code.keys())]
    for room in sorted(code.keys() & page.keys()):
        said += [f"{room} includes {other}, which the page does not allow" for other in sorted(code[room] - page[room])]
        said += [f"{room} does not include {other}, as the page says" for other in sorted(page[room] - code[room])]
    said += [f"these include each other in a circle: {', '.join(circle)}" for circle in circles(code)]
    for what, count in spent().items():
        if count > BUDGET[what]:
            said.append(f"{count} {what}, and the budget has {BUDGET[what]}")
    said += [f"tests/{folder} is the mirror of no sub-room" for folder in strange_test_folders(code.keys())]
    umbrella = (SOURCE / "include" / UMBRELLA).read_text(encoding="utf-8")
    public = sorted(name.removeprefix("include/") for name in sources() if name.startswith("include/"))
    said += [f"{UMBRELLA} lacks {name}" for name in public if name != UMBRELLA and f'"{name}"' not in umbrella]
    said += [f"{path} asks one operating system by itself, which is for src/system" for path in of_one_system()]
    asked = class_questions()
    if len(asked) > MOST_CLASS_QUESTIONS:
        said.append(
            f"{len(asked)} lines ask for the class of a method, and at most {MOST_CLASS_QUESTIONS} may: {asked}"
        )
    return said


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "the rooms include what docs/architecture.md says")
    sys.exit(1 if found else 0)
