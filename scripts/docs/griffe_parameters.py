"""Fills the docstrings of the site, as the package does when imported: the pieces of python/credence/_text.py.

`{parameters}` becomes the section of the class `...Arguments` in python/credence/_arguments.py.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import griffe

TEXT = runpy.run_path(str(Path(__file__).parents[2] / "python" / "credence" / "_text.py"))


class Parameters(griffe.Extension):
    """Replaces the lines of docstrings that name a piece."""

    def on_package(self, *, pkg, **_) -> None:
        arguments = pkg["_arguments"]
        for module in [pkg, *self._modules(pkg)]:
            for thing in {**module.classes, **module.functions}.values():
                if not thing.is_alias:
                    self._fill(thing, arguments)
        for estimator in arguments.classes.values():
            estimator["__init__"].docstring = None  # the class has the section

    def _fill(self, thing, arguments) -> None:
        if thing.docstring:
            pieces = dict(TEXT["PIECES"])
            if "{parameters}" in thing.docstring.value:
                name = next(name for name in self._names(thing) if name in arguments.members)
                pieces["parameters"] = TEXT["parameters_of"](arguments[name]["__init__"].docstring.value)
            thing.docstring.value = TEXT["filled"](thing.docstring.value, pieces)
        for member in {**getattr(thing, "functions", {}), **getattr(thing, "attributes", {})}.values():
            if not member.is_alias and member.docstring:
                member.docstring.value = TEXT["filled"](member.docstring.value, TEXT["PIECES"])

    def _names(self, thing):
        yield f"{thing.name}Arguments"
        yield "SearchCVArguments"  # SVCSearchCV takes those of its base

    def _modules(self, package):
        for module in package.modules.values():
            if not module.is_alias:
                yield module
                yield from self._modules(module)
