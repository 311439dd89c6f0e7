"""Write the keyword arguments of the Python package as code, from the descriptions of the options in C++.

    python scripts/python_arguments.py           rewrites what differs, by the package that is installed
    python scripts/python_arguments.py --check   says what differs
    python scripts/python_arguments.py --build MODULE FOLDER

The first two are about the described lines of `credence.read` and `credence.compare`, in signature and docstring. The
third is a step of the build: it writes the classes of credence/_arguments.py and the stub credence/_core.pyi into a
folder, by the module in the folder MODULE; of other packages it needs nanobind alone.
"""

from __future__ import annotations

import sys
import textwrap
import types
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "python" / "credence"

if sys.argv[1:2] == ["--build"]:  # the package is not whole yet: the module, and the one source that is needed
    credence = types.ModuleType("credence")
    credence.__path__ = [sys.argv[2], str(FOLDER)]
    sys.modules |= {"credence": credence, "credence._data": types.SimpleNamespace(spelling=str)}

from credence import _core  # noqa: E402
from credence._options import PYTHON_NAMES  # noqa: E402


@dataclass(frozen=True)
class Option:
    """One argument."""

    name: str
    sentence: str
    type: str
    default: Any = None
    annotation: str = "Any"
    positional: bool = False

    def signature(self) -> str:
        """Return the argument as it stands in a signature."""
        return f"{self.name}: {self.annotation} = {code_of(self.default)},"

    def documentation(self, width: int) -> list[str]:
        """Return the argument's entry in a docstring, as lines of at most `width` characters."""
        text = self.sentence[0].upper() + self.sentence[1:] + ("" if self.sentence.endswith((".", ")")) else ".")
        head = f"{self.name} : {self.type}, default={self.default!r}"
        return [head, *textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")]


def code_of(value: Any) -> str:
    """Return a value as code, with the quotes that the sources have."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def words_of(words: list[str]) -> str:
    """Return the set of words of a docstring."""
    return "{" + ", ".join(repr(word) for word in words) + "}"


def type_of(field: dict[str, Any], *, single: bool) -> str:
    """Return what a field holds, for people."""
    kinds = {"flag": "bool", "integer": "int", "number": "float", "text": "str", "texts": "list of str"}
    if field["kind"] in ("word", "words"):
        kind = words_of(field["words"])
        kind += " or list of these" if field["kind"] == "words" and not single else ""
    elif field["kind"] == "numbers":
        kind = "float or str" if single else "float, str or list of these"
    else:
        kind = kinds[field["kind"]]
    kind += f" {field['allowed']}" if field["allowed"] and not single else ""
    return kind + (f" or True ({field['implied']})" if field["implied"] is not None else "")


def annotation_of(field: dict[str, Any], *, single: bool) -> str:
    """Return the type of a field for type checkers."""
    if field["name"] in ("class_weight", "cost", "seed"):
        return "Any"
    if field["kind"] in ("word", "words"):
        kind = "Literal[" + ", ".join(code_of(word) for word in field["words"]) + "]"
        if field["kind"] == "words" and not single:
            kind = f"{kind} | str | Sequence[{kind}]"
    elif field["kind"] == "numbers":
        kind = "float | str" if single else "float | str | Sequence[float | str]"
    else:
        kinds = {"flag": "bool", "integer": "int", "number": "float", "text": "str", "texts": "Sequence[str]"}
        kind = kinds[field["kind"]]
    return kind if field["implied"] is None else f"{kind} | bool"


def default_of(field: dict[str, Any]) -> Any:
    """Return a field's default as an argument has it: a list of one value stands for the value."""
    default = field["default"]
    if isinstance(default, list):
        return default[0] if len(default) == 1 else None
    return None if default == "" else default


def option_of(field: dict[str, Any], *, single: bool = False, unset: bool = False, **changes: Any) -> Option:
    """Return the argument of a described field.

    Parameters
    ----------
    field : dict
        The description.
    single : bool
        Whether a list stands for its only value, as for the parameters of one model.
    unset : bool
        Whether the default is None, "as the method has it", which the sentence then states.
    changes
        What is not as described.
    """
    default = default_of(field)
    sentence = field["sentence"]
    if unset and field["default"] not in (None, "", []) and (default is not None):
        sentence += f"; None stands for {default!r}"
    default = None if unset else default
    none = default is None or field["optional"]
    kind = type_of(field, single=single and field["kind"] == "numbers")
    annotation = annotation_of(field, single=single)
    option = Option(
        PYTHON_NAMES.get(field["name"], field["name"]),
        sentence,
        kind + (" or None" if none else ""),
        default,
        annotation + (" | None" if none and annotation != "Any" else ""),
    )
    return replace(option, **changes)


def options_of(fields: list[dict[str, Any]], skipped: tuple[str, ...] = (), **how: Any) -> list[Option]:
    """Return the arguments of described fields."""
    return [option_of(field, **how) for field in fields if field["name"] not in skipped]


def word_option(name: str, sentence: str, words: list[str], default: str, annotation: str = "str") -> Option:
    """Return an argument that takes one of some words."""
    return Option(name, sentence, words_of(words), default, annotation)


#: What every estimator of the library takes beside its own options.
RUN_OPTIONS = [
    word_option(
        "missing",
        "what becomes of missing values: an error, their rows are dropped in `fit`, or they are imputed (median, most "
        "frequent level)",
        ["error", "drop", "impute"],
        "error",
        'Literal["error", "drop", "impute"]',
    ),
    word_option(
        "unseen",
        "what a text of a column becomes in `predict` that no row of `fit` had: an error, a missing value (with "
        "`missing='impute'`), or none of the texts",
        ["error", "missing", "other"],
        "error",
        'Literal["error", "missing", "other"]',
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
LEFT_OUT = Option(
    "cv",
    "cross-validation after the fit (a number of folds, a splitter, or an iterable of pairs (train, test)): the model "
    "keeps the scores of the rows left out. P-values, intervals and probabilities need these scores. With None they "
    "are not available",
    "int at least 2, splitter, iterable or None",
)
FOLDS = Option(
    "cv",
    "folds of the rows: their number (drawn by the seed, stratified by class), a splitter of scikit-learn, or an "
    "iterable of pairs (train, test). None takes the method's own number",
    "int, splitter, iterable or None",
)
TIME_LIMIT = Option(
    "time_limit",
    "seconds after which the fit ends, with a warning: the best setting of those judged by then is trained on all rows "
    "where that fits into the time; TimeoutError where no setting was judged",
    "float or None",
    None,
    "float | None",
)
#: Of predictors around an estimator of anyone.
CLASSIFIER = Option(
    "estimator",
    "anything with ``predict_proba`` or ``decision_function``; None stands for :class:`credence.SVC`",
    "classifier",
    positional=True,
)
REGRESSOR = Option("estimator", "any regressor; None stands for :class:`credence.RVR`", "regressor", positional=True)
DIFFICULTY = Option(
    "difficulty",
    "a regressor that is trained on the absolute residuals of the training rows, left out fold by fold: intervals are "
    "then wide where it expects large residuals. None gives all intervals one width",
    "regressor",
)
CALIBRATION = [
    Option(
        "calibration_size",
        "share of the rows that ``fit`` keeps from training and conformalizes on; None leaves that to `conformalize`",
        "float or None",
        0.25,
        "float | None",
    ),
    Option(
        "prefit",
        "whether the estimator is fitted already; `conformalize` is then all that is called. A FrozenEstimator of "
        "scikit-learn says the same",
        "bool",
        False,
        "bool",
    ),
]
RESPONSE = word_option(
    "response_method",
    'what says how well a class fits; the nonconformity score is minus it, as "lac" of MAPIE and "hinge" of crepes',
    ["auto", "predict_proba", "decision_function"],
    "auto",
)
PARTS = Option("cv", "folds: parts that do not overlap", "int, splitter or iterable", 5)
CATEGORIES = Option(
    "categories",
    "a column (name or position) or a function of X whose values are categories: a row is compared with those of its "
    "category (Mondrian). A set then misses with probability at most 1 - confidence level in each category, on average "
    "over the rows compared with, if the rows of the category are exchangeable",
    "str, int or callable",
    None,
    "str | int | Callable[[Any], Any] | None",
)
WEIGHTS = Option(
    "weights",
    "a column (name or position) or a function of X whose values are known weights above 0: how much likelier a row is "
    "among new rows than among those compared with, times any constant. P-values then hold for new rows, if these "
    "differ from the others by their weights alone",
    "str, int or callable",
    None,
    "str | int | Callable[[Any], Any] | None",
)
FULL_WEIGHTS = replace(WEIGHTS, sentence=f"{WEIGHTS.sentence}. A column of weights is no feature")
NO_WEIGHTS = Option("weights", "not on-line: known weights change there; the error of ``fit`` says more", "None")
MEASURE = word_option(
    "measure",
    "the nonconformity score of a row: the ratio of its distances to the nearest rows of its own class and of the "
    "others, or the distance to those of its own class",
    _core.neighbour_measures(),
    "nn-ratio",
)
#: Options of a selection that come after those of all methods.
COMMON = ("scale", "scale_scope", "estimate", "estimate_samples", "copies", "delta", "seed")


def setting(model: str, regression: bool = False) -> list[Option]:
    """Return the arguments of one machine."""
    skipped = () if regression else ("noise", "noise_variance")
    fields = _core.TrainingOptions(model, regression).fields()
    return [*options_of(fields, skipped, single=True), LEFT_OUT, *RUN_OPTIONS]


def search(models: list[str], methods: list[str], default: str, regression: bool = False) -> list[Option]:
    """Return the arguments of a search by all these methods with all these kinds of models, each once."""
    of_methods: dict[str, Option] = {}
    common: dict[str, Option] = {}
    for model, name in product(models, methods):
        if not _core.chooses_from(name, model):
            continue
        for field in _core.SelectionOptions(name, model, regression).fields():
            option = option_of(field, unset=field["name"] != "seed")
            (common if field["name"] in COMMON else of_methods).setdefault(option.name, option)
    words = [name.replace("-", "_") for name in methods]
    about = "; ".join(f"{word}: {_core.sentence_of_method(name)}" for word, name in zip(words, methods, strict=True))
    kinds = {"svm": "support vector machines", "knn": "nearest neighbours", "rvm": "relevance vector machines"}
    of_models = "the kind of models to choose from: " + ", ".join(f"{word} ({kinds[word]})" for word in models)
    first = [
        word_option("method", f"how to choose ({about})", words, default),
        *([word_option("model", of_models, models, models[0])] if len(models) > 1 else []),
    ]
    rest = [option for option in {**of_methods, **common}.values() if option.name != "cv"]
    return [*first, *rest, FOLDS, TIME_LIMIT, *RUN_OPTIONS]


def p_values(kind: str, *names: str) -> list[Option]:
    """Return how p-values are made, as arguments."""
    return [option for option in options_of(_core.described(kind)) if option.name in names]


def neighbours(skipped: tuple[str, ...]) -> list[Option]:
    """Return the arguments of nearest neighbours."""
    fields = _core.ConformalOptions("nn-ratio", "transductive", "").fields()
    options = options_of(fields, ("class_weight", *skipped), single=True)
    return [replace(option, name="n_neighbors") if option.name == "k" else option for option in options]


def classes() -> dict[str, list[Option]]:
    """Return the arguments of each estimator."""
    rvm_methods = ["kernel-validity", "evidence", "cv"]
    svm_methods = [name for name in _core.methods() if _core.chooses_from(name, "svm")]
    svm = _core.ConformalOptions("margin", "transductive", "svm").fields()
    conditional = p_values("p_values", "label_conditional")
    smoothing = p_values("p_values", "smoothed", "random_state")
    return {
        "SVC": setting("svm"),
        "RVC": setting("rvm"),
        "RVR": setting("rvm", regression=True),
        "SearchCV": search(["svm", "knn", "rvm"], svm_methods, "cv"),
        "RVRSearchCV": search(["rvm"], rvm_methods, "kernel_validity", regression=True),
        "FullConformalKNeighborsClassifier": [MEASURE, *neighbours(("weight_column",)), FULL_WEIGHTS, *RUN_OPTIONS],
        "FullConformalSVC": [
            *options_of(svm, ("class_weight", "weight_column"), single=True),
            FULL_WEIGHTS,
            *RUN_OPTIONS,
        ],
        "SplitConformalClassifier": [CLASSIFIER, *CALIBRATION, RESPONSE, *conditional, CATEGORIES, WEIGHTS, *smoothing],
        "CrossConformalClassifier": [CLASSIFIER, PARTS, RESPONSE, *conditional, WEIGHTS, *smoothing],
        "SplitConformalRegressor": [
            REGRESSOR,
            DIFFICULTY,
            *CALIBRATION,
            CATEGORIES,
            WEIGHTS,
            *options_of(_core.described("intervals")),
            *smoothing,
        ],
        "OnlineConformalClassifier": [
            *neighbours(("apart", "weight_column", "scale", "label_conditional", "smoothed", "seed")),
            MEASURE,
            *p_values("online", "label_conditional", "smoothed", "random_state"),
            NO_WEIGHTS,
        ],
    }


HEAD = '''"""Arguments of the estimators, from the descriptions in C++; written by scripts/python_arguments.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from credence._options import known
'''


def class_of(name: str, options: list[Option]) -> str:
    """Return the class that takes and keeps the arguments of an estimator."""
    lines = ["", "", f"class {name}Arguments:", f'    """Of {name}."""', "", "    @known", "    def __init__("]
    lines += ["        self,"]
    lines += [f"        {option.signature()}" for option in options if option.positional]
    lines += ["        *,", *(f"        {option.signature()}" for option in options if not option.positional)]
    lines += ["    ) -> None:", '        """Keep the arguments.', "", "        Parameters", "        ----------"]
    lines += [f"        {line}" for option in options for line in option.documentation(104)]
    lines += ['        """', *(f"        self.{option.name} = {option.name}" for option in options)]
    return "\n".join(lines) + "\n"


def between(text: str, start: str, end: str, lines: list[str]) -> str:
    """Return the text with other lines between the first `start` and the `end` that follows."""
    before, _, rest = text.partition(start)
    after = rest[rest.index(end) :]
    return before + start + "".join(f"    {line}\n" for line in lines) + after


#: The line before described arguments of a function.
MARK = "    # From the description in C++, by scripts/python_arguments.py:\n"


def function_of(path: Path, options: list[Option], *, signature_end: str, documented_after: str, end: str) -> str:
    """Return a source whose one marked function has the described arguments."""
    text = between(path.read_text(), MARK, signature_end, [option.signature() for option in options])
    return between(text, documented_after, end, [line for option in options for line in option.documentation(112)])


def core() -> str:
    """Return the stub of the module."""
    from nanobind.stubgen import StubGen

    stub = StubGen(_core)
    stub.put(_core)
    text = stub.get().replace("-> object:", "-> Any:").replace(": object", ": Any")
    text = text.replace("from typing import Annotated", "from typing import Annotated, Any")
    return text.replace("\n\n\n", "\n\n__version__: str\n\n", 1)


def wanted() -> dict[Path, str]:
    """Return the text that each source with described lines should have."""
    reading, comparison = FOLDER / "reading.py", FOLDER / "comparison.py"
    of_compare = [option for option in options_of(_core.described("comparison")) if option.name != "random_state"]
    return {
        reading: function_of(
            reading,
            options_of(_core.described("reading")),
            signature_end=") -> Bunch",
            documented_after="        Of a spreadsheet, its name or its number from 0 on; by default the first.\n",
            end="\n    Returns",
        ),
        comparison: function_of(
            comparison,
            of_compare,
            signature_end="    sample_weight: ",
            documented_after='own options:\n        ``{"cv": {}, "rvm": {"method": "evidence", "model": "rvm"}}``.\n',
            end="    sample_weight, groups",
        ),
    }


def main() -> int:
    """Write or check the files."""
    if "--build" in sys.argv:
        folder = Path(sys.argv[3])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_core.pyi").write_text(core())
        written = "".join(class_of(name, options) for name, options in classes().items())
        (folder / "_arguments.py").write_text(HEAD + written)
        return 0
    different = [(path, text) for path, text in wanted().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path, _ in different:
            print(f"{path.name} is not what the options say: run python scripts/python_arguments.py")
        return 1 if different else 0
    for path, text in different:
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
