"""From keyword arguments to the options of the library."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar

from credence import _core
from credence._data import spelling

#: Options whose Python name is the one that users of scikit-learn know.
PYTHON_NAMES = _core.python_names()
CORE_NAMES = {python: core for core, python in PYTHON_NAMES.items()}


F = TypeVar("F", bound=Callable[..., Any])


_SETS = {name: f"{name}(X, confidence_level=0.95) takes it" for name in ("predict_set", "predict_interval")}
_OF_ESTIMATOR = {"estimator": "give it to the estimator"}
_AFTER_FIT = "leave it out: predict_proba is there after fit"
#: What to write for an argument that scikit-learn, a package like ours or the command has. The sentence is that of the
#: first of these names that the function, the constructor or the class has; none stands for "it is called" that name.
_REMEDIES: dict[str, dict[str, str]] = {
    "level coverage confidence confidence_level": {"confidence_level": "", "confidence": "", **_SETS},
    "alpha eps significance significance_level": {
        **{name: f"write {name}=0.95 in place of {{}}=0.05" for name in ("confidence_level", "confidence")},
        **_SETS,
    },
    "threads n_threads num_threads": {"n_jobs": "", **_OF_ESTIMATOR},
    "folds n_folds n_splits cv": {
        "cv": "",
        "outer_folds": "",
        "calibration_size": "calibration_size=0.25 is the share of the rows that is held out, once",
    },
    "score scoring metric": {
        "scoring": "",
        **_OF_ESTIMATOR,
        "predict_set": "SVCSearchCV and HonestSearchCV choose by one, as in SVCSearchCV(scoring='roc_auc')",
    },
    "seed random_state": {"random_state": "", "seed": ""},
    "tolerance": {"tol": ""},
    "max_iter": {"max_steps": ""},
    "weights": {"sample_weight": ""},
    "sep": {"delimiter": ""},
    "param_grid": {"C": "the grid is made of its other arguments, as in C=[1, 10]"},
    "probability": {
        **_OF_ESTIMATOR,
        "model": _AFTER_FIT,
        "noise": "predict_interval(X, confidence_level=0.95) says how sure a number is",
        "algorithm": _AFTER_FIT,
        "cv": "write cv=5 in its place, and predict_proba is there after fit",
    },
    "p_values": {
        "estimator": "leave it out: predict_p is there after fit",
        "noise": "predict_interval(X, confidence_level=0.95) says how sure a number is",
        "cv": "write cv=5 in its place, and predict_p is there after fit",
    },
    "refit": {"C": "leave it out: the model is always trained on all rows"},
    "groups": {"cv": "write cv=list(GroupKFold(5).split(X, y, groups)) in its place"},
    "shrinking cache_size": {"C": "leave it out: it changes no result here"},
    "decision_function_shape": {"C": "leave it out: decision_function is as with 'ovr'"},
}


def known(function: F) -> F:
    """Let the TypeError of an unknown argument name the class that the user wrote, and what to write instead."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return function
    makes, of_class = function.__name__ == "__init__", "." in function.__qualname__
    by_place = [name for name, one in parameters.items() if one.kind is not one.KEYWORD_ONLY]

    @functools.wraps(function)
    def checked(*values: Any, **arguments: Any) -> Any:
        for name in arguments:
            if name not in parameters:
                owner = type(values[0]) if of_class else None
                kind = getattr(owner, "__name__", "")
                called = kind if makes else f"{kind}.{function.__name__}".lstrip(".")
                raise TypeError(f"{called} has no {name!r}{instead_of(name, parameters, owner)}")
        if makes and len(values) > len(by_place):
            first = list(parameters)[len(by_place)]
            raise TypeError(
                f"{type(values[0]).__name__} takes its arguments by name, as in "
                f"{type(values[0]).__name__}({first}={values[len(by_place)]!r})"
            )
        return function(*values, **arguments)

    wrapped: Any = checked
    return wrapped


def instead_of(name: str, parameters: Mapping[str, Any], owner: Any = None) -> str:
    """Return what to write instead of an argument that a function, or a method of a class, does not have."""
    made_by, fit = (inspect.signature(getattr(owner, one, lambda: None)).parameters for one in ("__init__", "fit"))
    remedies = next((each for names, each in _REMEDIES.items() if name in names.split()), {})
    remedies = {other: said.format(name) or f"it is called {other}" for other, said in remedies.items()}
    if name in fit:
        return f"; it is an argument of fit: fit(X, y, {name}=...)"
    for other, remedy in remedies.items():
        if other in parameters:
            return f"; {remedy}"
    if name in made_by:
        return f"; it is an argument of {owner.__name__}"
    for other, remedy in remedies.items():
        if other in made_by:
            return f"; {remedy}, in {owner.__name__}(...)"
        if hasattr(owner, other):
            return f"; {remedy}"
    close = difflib.get_close_matches(name, parameters, 1)
    return f"; did you mean {close[0]}?" if close else ""


class Named:
    """A class whose public methods answer an unknown argument by what to write instead."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Let the methods of the class check the names of their arguments."""
        super().__init_subclass__(**arguments)
        for name, method in vars(cls).items():
            if isinstance(method, FunctionType) and not name.startswith("_"):
                setattr(cls, name, known(method))


def path_text(path: Any) -> str:
    """Return a path as text.

    Raises
    ------
    TypeError
        For what is no path, such as None or bytes.
    """
    if isinstance(path, bytes) or not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be a str or a path such as pathlib's, not {path!r}")
    return os.fspath(path)


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
    if isinstance(given.get("refit"), bool):
        raise ValueError(f"refit={given['refit']}: leave it out: what was chosen is always trained on all rows")
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
