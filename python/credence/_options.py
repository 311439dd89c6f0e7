"""Keyword arguments that are made of the descriptions of the C++ options.

The library describes each option once: name, sentence, words, limits and default. :func:`described` turns a list of
these descriptions into the signature and the ``Parameters`` section of an estimator.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from credence import _core
from credence._data import spelling

T = TypeVar("T")

#: Options whose Python name is the one that users of scikit-learn know.
PYTHON_NAMES = {"seed": "random_state", "score": "scoring", "folds": "cv", "tolerance": "tol"}
CORE_NAMES = {python: core for core, python in PYTHON_NAMES.items()}


def core_name(name: str) -> str:
    """Return what the library calls an option."""
    return CORE_NAMES[name] if name in CORE_NAMES else name


@dataclass(frozen=True)
class Option:
    """One keyword argument."""

    name: str
    sentence: str
    type: str
    default: Any = None
    annotation: str = "Any"

    def signature(self) -> inspect.Parameter:
        """Return the argument as it stands in a signature."""
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=self.default)

    def documentation(self) -> str:
        """Return the argument's entry in a docstring."""
        head = f"{self.name} : {self.type}, default={self.default!r}"
        return head + "\n" + textwrap.indent("\n".join(textwrap.wrap(sentence_of(self), 108)), "    ")


def sentence_of(option: Option) -> str:
    """Return what an argument is, as a sentence."""
    text = option.sentence
    return text[0].upper() + text[1:] + ("" if text.endswith((".", ")")) else ".")


def _type_of(field: dict[str, Any]) -> str:
    numbers = {"flag": "bool", "integer": "int", "number": "float", "text": "str", "texts": "list of str"}
    if field["kind"] == "word":
        kind = "{" + ", ".join(repr(word) for word in field["words"]) + "}"
    elif field["kind"] == "numbers":
        kind = "float, str or list of these"
    else:
        kind = numbers[field["kind"]]
    kind += f" {field['allowed']}" if field["allowed"] else ""
    kind += f" or True ({field['implied']})" if field["implied"] is not None else ""
    return kind + (" or None" if field["optional"] else "")


def _annotation_of(field: dict[str, Any], *, single: bool) -> str:
    """Return the type of a field for type checkers."""
    if field["name"] in ("class_weight", "seed"):
        return "Any"
    if field["kind"] == "word":
        kind = "Literal[" + ", ".join(repr(word) for word in field["words"]) + "]"
    elif field["kind"] == "numbers":
        kind = "float | str" if single else "float | str | Sequence[float | str]"
    else:
        kinds = {"flag": "bool", "integer": "int", "number": "float", "text": "str", "texts": "Sequence[str]"}
        kind = kinds[field["kind"]]
    return kind if field["implied"] is None else f"{kind} | bool"


def _default_of(field: dict[str, Any]) -> Any:
    default = field["default"]
    if isinstance(default, list):
        return None if len(default) != 1 else default[0]
    return None if default == "" else default


def option_of(field: dict[str, Any], *, single: bool = False, unset: bool = False) -> Option:
    """Return the keyword argument of a described field.

    Parameters
    ----------
    field : dict
        The description.
    single : bool
        Whether a list stands for its only value, as for the parameters of one model.
    unset : bool
        Whether the default is None, "as the method has it", which the sentence then states.
    """
    default = _default_of(field)
    sentence, kind = field["sentence"], _type_of(field)
    if single and field["kind"] == "numbers":
        kind = "float or str" + (" or None" if default is None else "")
    if unset:
        plain = field["default"] if not isinstance(field["default"], list) else default
        if plain not in (None, "", []):
            sentence += f"; None stands for {plain!r}"
        kind += "" if kind.endswith("or None") else " or None"
        default = None
    name: str = field["name"]
    name = PYTHON_NAMES[name] if name in PYTHON_NAMES else name
    annotation = _annotation_of(field, single=single)
    annotation += " | None" if annotation != "Any" and (default is None or field["optional"]) else ""
    return Option(name, sentence, kind, default, annotation)


def merged(*lists: list[Option]) -> list[Option]:
    """Return the options of all lists, each name once, in the order of their first places."""
    found: dict[str, Option] = {}
    for options in lists:
        for option in options:
            found.setdefault(option.name, option)
    return list(found.values())


#: What every estimator takes beside its own options.
RUN_OPTIONS = [
    Option(
        "missing",
        "what becomes of missing cells: an error, their rows are dropped in `fit`, or they are imputed (median, most "
        "frequent level)",
        "{'error', 'drop', 'impute'}",
        "error",
        "Literal['error', 'drop', 'impute']",
    ),
    Option(
        "unseen",
        "what a text of a column becomes in `predict` that no row of `fit` had: an error, a missing cell (with "
        "`missing='impute'`), or none of the texts",
        "{'error', 'missing', 'other'}",
        "error",
        "Literal['error', 'missing', 'other']",
    ),
    Option(
        "n_jobs",
        "threads; None takes OMP_NUM_THREADS if the variable is set, else the cores that the process may use, which "
        "is what -1 takes. Results do not depend on it",
        "int or None",
        None,
        "int | None",
    ),
    Option("verbose", "1 shows the progress of long calls", "int", 0, "int"),
]

#: Of single models.
LEFT_OUT = Option(
    "cv",
    "cross-validation after the fit (a number of folds, a splitter, or an iterable of pairs (train, test)): the model "
    "keeps the scores of the rows left out. P-values, intervals and probabilities need these scores. With None they "
    "are not available",
    "int at least 2, splitter, iterable or None",
    None,
)


def described(options: list[Option]) -> Callable[[type[T]], type[T]]:
    """Return a class decorator that gives ``__init__`` these keyword arguments and documents them.

    The docstring of the class has a line ``{parameters}`` where the ``Parameters`` section belongs.
    """

    def decorate(cls: Any) -> Any:
        names = [option.name for option in options]
        defaults = {option.name: option.default for option in options}

        def __init__(self: Any, **arguments: Any) -> None:  # noqa: N807
            for name in arguments:
                if name not in defaults:
                    raise TypeError(f"{type(self).__name__} takes no argument {name!r}; it takes {', '.join(names)}")
            for name in names:
                setattr(self, name, arguments.get(name, defaults[name]))

        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        __init__.__dict__["__signature__"] = inspect.Signature([own, *(option.signature() for option in options)])
        __init__.__qualname__ = f"{cls.__qualname__}.__init__"
        __init__.__module__ = cls.__module__
        cls.__init__ = __init__
        cls._options = tuple(options)
        section = "Parameters\n----------\n" + "\n".join(option.documentation() for option in options)
        if cls.__doc__:
            cls.__doc__ = inspect.cleandoc(cls.__doc__).replace("{parameters}", section)
        return cls

    return decorate


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
        target.set(core_name(name), _plain(value), name)


def _is(value: Any, default: Any) -> bool:
    return bool(value == default)


def _plain(value: Any) -> Any:
    """Return a class weight's keys as text; the rest as it is."""
    if isinstance(value, dict):
        return {spelling(key): weight for key, weight in value.items()}
    return value


def fields(target: Any) -> list[dict[str, Any]]:
    """Return the descriptions of the fields of some options of the library."""
    return list(target.fields())


def methods_of(model: str) -> list[str]:
    """Return the selection methods that choose among models of that kind."""
    return [name for name in _core.methods() if _core.chooses_from(name, model)]


def renamed(option: Option, **changes: Any) -> Option:
    """Return the option with other facts."""
    return replace(option, **changes)
