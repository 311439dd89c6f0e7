"""Methods of selection on the same outer folds."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from credence import _core
from credence._base import random_seed
from credence._data import labelled_rows
from credence._options import core_name, instead_of, plain
from credence._report import Comparison
from credence._run import ProgressLine, foretell, running, warn_caller
from credence._text import documented
from credence.search import _method_name


class _Place(BaseEstimator):
    """What reading rows needs of an estimator."""

    missing: Any = "error"  # an argument of `compare`

    def __init__(self, n_jobs: int | None = None, verbose: int = 0, time_limit: float | None = None):
        self.n_jobs, self.verbose, self.time_limit = n_jobs, verbose, time_limit


#: The methods that are compared if none are named.
METHODS = tuple(_core.usual_contestants())


@documented
def compare(
    X: Any,
    y: Any,
    methods: Sequence[str] | Mapping[str, Mapping[str, Any]] = METHODS,
    *,
    # From the description in C++, by scripts/python_arguments.py:
    outer_folds: int = 10,
    repeats: int = 1,
    stratified: bool = True,
    sample_weight: Any = None,
    groups: Any = None,
    missing: str = "error",
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    time_limit: float | None = None,
    **options: Any,
) -> Comparison:
    """Run several methods of selection on the same outer folds, each judged on rows that it has not seen.

    Parameters
    ----------
    {rows}
    {classes}
    methods : sequence of str, or mapping from a name to options
        Methods of :class:`SearchCV`. A mapping gives each row of the table a name and its own options:
        ``{"cv": {}, "rvm": {"method": "evidence", "model": "rvm"}}``.
    outer_folds : int at least 2, default=10
        How many folds judge all methods; not used where the data fix the folds.
    repeats : int at least 1, default=1
        How often the outer folds are drawn; each draw takes the next seed.
    stratified : bool, default=True
        Give each outer fold its share of each class.
    sample_weight, groups : array-like of shape (n_samples,), default=None
        As for ``fit`` of :class:`SearchCV`.
    missing : {'error', 'drop', 'impute'}
        What becomes of missing values.
    random_state : int, RandomState instance or None
        Of the outer folds and of the methods.
    n_jobs : int or None
        As that of :class:`SearchCV`.
    verbose : int
        As that of :class:`SearchCV`.
    time_limit : float or None
        As that of :class:`SearchCV`.
    **options
        Options of the methods, such as ``C`` and ``gamma``; some method must use each of them.

    Returns
    -------
    Comparison
        The dict that ``credence compare`` writes as JSON: ``methods`` with errors, times and honest estimates, and
        ``tests``, the corrected resampled t-tests (Nadeau and Bengio, 2003) of each pair. Its ``to_frame()`` has a row
        for each method, its ``report()`` is the page of the comparison, its ``charts()`` are the charts of the page.

    Raises
    ------
    ValueError
        For data or options that cannot be used, and options that no method uses.

    {breast_cancer}
    >>> found = credence.compare(X, y, ["cv", "holdout"], outer_folds=3, C=[1, 10], gamma=[0.01])
    >>> [method["name"] for method in found["methods"]]
    ['cv', 'holdout']
    """
    given = dict(locals())
    place = _Place(n_jobs, verbose, time_limit)
    seed = random_seed(random_state)
    outer = _core.ComparisonOptions()
    outer.set("seed", seed, "random_state")
    for name in {field["name"] for field in outer.fields()} & set(given):
        outer.set(name, given[name])
    wanted = dict(methods) if isinstance(methods, Mapping) else {name: {} for name in methods}
    if options.get("region_size") is not None and "regions" not in wanted:
        wanted = {_core.in_regions("cv") if name == "cv" else name: own for name, own in wanted.items()}
    used: set[str] = set()
    contestants = [(name, _contestant(name, dict(own), options, seed, missing, used)) for name, own in wanted.items()]
    unused = sorted(set(options) - used)
    if unused:
        lead = instead_of(unused[0], inspect.signature(compare).parameters)
        raise ValueError(f"none of these methods looks at {', '.join(unused)}{lead}")
    dataset, _ = labelled_rows(place, X, y, sample_weight=sample_weight, groups=groups, missing=missing)
    with ProgressLine("compare") as progress:
        run = running(place, progress)
        document, text = _core.compare(dataset, contestants, outer, run, partial(foretell, place))
    found = Comparison(json.loads(document), text)
    warn_caller(found["warnings"])
    return found


def _contestant(name, own, shared, seed, missing, used) -> _core.SelectionOptions:
    name = _method_name(own.pop("method", name))
    method = _core.SelectionOptions(_core.in_regions(name) if "region_size" in own else name, own.pop("model", None))
    known = {field["name"] for field in method.fields()}
    method.set("seed", seed)
    for option, value in shared.items():
        core = core_name(option)
        if core in known:
            method.set(core, plain(value))
            used.add(option)
    for option, value in own.items():
        method.set(core_name(option), plain(value), option)
    method.set_missing(missing)
    return method
