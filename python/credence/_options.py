"""From keyword arguments to the options of the library."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from credence import _core
from credence._data import spelling

#: Options whose Python name is the one that users of scikit-learn know.
PYTHON_NAMES = _core.python_names()
CORE_NAMES = {python: core for core, python in PYTHON_NAMES.items()}


#: What to say of an argument that estimators of scikit-learn, or the command, have, where ours have the other one.
_REMEDIES = {
    "probability": ("cv", "probabilities are made of scores of rows left out, which cv=5 keeps"),
    "max_iter": ("max_steps", "it is called max_steps"),
    "param_grid": ("C", "the grid is made of its other arguments, as in C=[1, 10]"),
    **{core: (python, f"it is called {python}") for core, python in PYTHON_NAMES.items()},
}
F = TypeVar("F", bound=Callable[..., None])


def known(init: F) -> F:
    """Let the TypeError of an ``__init__`` name the class that the user wrote, and what to write instead."""
    parameters = dict(list(inspect.signature(init).parameters.items())[1:])
    by_place = sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters.values())

    @functools.wraps(init)
    def checked(self: Any, *values: Any, **arguments: Any) -> None:
        kind = type(self).__name__
        for name in arguments:
            if name not in parameters:
                raise TypeError(f"{kind} has no {name!r}{_instead_of(name, parameters)}")
        if len(values) > by_place:
            first = list(parameters)[by_place]
            raise TypeError(f"{kind} takes its arguments by name, as in {kind}({first}={values[by_place]!r})")
        init(self, *values, **arguments)

    wrapped: Any = checked
    return wrapped


def _instead_of(name: str, parameters: dict[str, Any]) -> str:
    other, remedy = _REMEDIES.get(name, ("", ""))
    if other in parameters:
        return f"; {remedy}"
    close = difflib.get_close_matches(name, parameters, 1)
    return f"; did you mean {close[0]}?" if close else ""


def core_name(name: str) -> str:
    """Return what the library calls an option."""
    return CORE_NAMES[name] if name in CORE_NAMES else name


def give(target: Any, arguments: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Set those arguments that differ from their defaults on options of the library.

    Raises
    ------
    ValueError
        For a value that the option does not allow, an option that the method does not look at, or two options that
        exclude each other.
    """
    given = {
        name: value
        for name, value in arguments.items()
        if not (value is None or (type(value) is type(defaults[name]) and _is(value, defaults[name])))
    }
    for first, second in _core.exclusive_fields():
        if first in given and second in given:
            raise ValueError(f"{first} and {second} exclude each other; give one of them")
    for name, value in given.items():
        target.set(core_name(name), plain(value), name)


def _is(value: Any, default: Any) -> bool:
    return bool(value == default)


def plain(value: Any) -> Any:
    """Return a class weight's keys as text, costs of pairs as text, and the rest as it is."""
    if isinstance(value, dict):
        if value and all(isinstance(key, tuple) and len(key) == 2 for key in value):
            pairs = (f"{spelling(truth)}:{spelling(label)}={float(cost)!r}" for (truth, label), cost in value.items())
            return ",".join(pairs)
        return {spelling(key): weight for key, weight in value.items()}
    return value
