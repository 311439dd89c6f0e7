"""From keyword arguments to the options of the library."""

from __future__ import annotations

from typing import Any

from credence import _core
from credence._data import spelling

#: Options whose Python name is the one that users of scikit-learn know.
PYTHON_NAMES = {"seed": "random_state", "score": "scoring", "folds": "cv", "tolerance": "tol"}
CORE_NAMES = {python: core for core, python in PYTHON_NAMES.items()}


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
