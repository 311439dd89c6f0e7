"""The page of the Python package: every public name, from its docstring; read from the sources, nothing is imported."""

from __future__ import annotations

import ast
from pathlib import Path

HEAD = """# Reference of the Python package

The page is made of the docstrings. Keyword arguments of the estimators come from the descriptions of the options in
C++; [Options of a selection](options.md) says what each of them allows. [Credence in Python](python.md) is the tour.

"""


def public_names(package: Path) -> list[str]:
    """Return what `from credence import *` brings."""
    tree = ast.parse((package / "credence" / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [name for name in ast.literal_eval(node.value) if not name.startswith("__")]
    raise ValueError("credence/__init__.py has no __all__")


def page(package: Path) -> str:
    """Return the page."""
    return HEAD + "\n".join(f"::: credence.{name}\n" for name in public_names(package))
