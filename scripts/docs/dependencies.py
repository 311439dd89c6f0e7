"""Tables of what Credence is built from: dependencies.json, pyproject.toml and the lock file of the page."""

from __future__ import annotations

import json
import re
import tomllib
from collections import defaultdict
from pathlib import Path

from papers import table

ROOT = Path(__file__).resolve().parents[2]

WHEEL = {"headers": "compiled in", "system": "the system's", None: "no"}


def listed() -> dict:
    return json.loads((ROOT / "scripts" / "dependencies.json").read_text(encoding="utf-8"))


def libraries() -> str:
    rows = []
    for each in listed()["libraries"]:
        packages = [f"`{each[key]}`" for key in ("build", "run") if key in each]
        in_wheel = each.get("in_wheel")
        rows.append(
            [
                each["name"],
                each["version"],
                each["licence"],
                each["use"],
                ", ".join(packages),
                WHEEL.get(in_wheel, "a copy"),
            ]
        )
    return table(["library", "version", "licence", "for", "Debian's packages", "in the wheel"], rows, 6)


def requirements() -> dict[str, tuple[str, str]]:
    """Return of each package of pyproject.toml its versions, and the extra that asks for it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {}
    for extra, lines in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for line in lines:
            name, versions = re.fullmatch(r"([\w-]+)(.*)", line).groups()
            found[name] = (versions, extra)
    return found


def python() -> str:
    licences = {each["name"]: each["licence"] for each in listed()["python"]}
    rows = [
        [f"`{name}`", versions.lstrip(">="), licences[name], f"`credence[{extra}]`" if extra else "always"]
        for name, (versions, extra) in requirements().items()
    ]
    return table(["package", "from version", "licence", "installed with"], rows, 4)


def drawing() -> str:
    """Return the packages of npm by licence."""
    lock = json.loads((ROOT / "report/page/package-lock.json").read_text(encoding="utf-8"))
    by_licence = defaultdict(list)
    for path, package in lock["packages"].items():
        if path:
            by_licence[package["license"]].append(f"{path.rpartition('node_modules/')[2]} {package['version']}")
    rows = [[licence, ", ".join(sorted(set(names)))] for licence, names in sorted(by_licence.items())]
    return table(["licence", "packages"], rows, 2)


def tools() -> str:
    return table(["tools", "for"], [[each["name"], each["use"]] for each in listed()["tools"]], 2)


PARTS = {"libraries": libraries, "python": python, "drawing": drawing, "tools": tools}
