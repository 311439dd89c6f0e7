"""One selection or comparison on several processes or machines, with the result of one machine to the last bit.

The work is cut into shards that know nothing of each other: the gammas of a grid, the outer folds of a nested estimate
or of a comparison, data sets, regions of the feature space, blocks of rows for nearest neighbours. Any ``executor``
runs the shards, in any order:

* ``None``: joblib with the backend and the workers of ``joblib.parallel_config``;
* a number: joblib with so many workers;
* an executor of ``concurrent.futures``, such as ``ProcessPoolExecutor(4)``, or the ``Client.get_executor()`` of Dask;
* a function that makes an executor: if a worker dies and the pool breaks, a new pool gets what was lost;
* a ``Client`` of Dask, to which the data go once.

Rows of a Dask Array or DataFrame stay on its workers: :func:`fit` chooses in regions of them, and :func:`predict` is
lazy.

See docs/distributed.md for what shards cost, and for plans of large work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from sklearn.model_selection import check_cv

from credence import _core
from credence._base import random_seed
from credence._dask import fit_on_workers, is_collection, predict_lazily
from credence._data import known_labels
from credence._executors import LostShardsError, limits_of_shard, run_calls
from credence._report import Comparison
from credence._run import ProgressLine, running
from credence._text import documented
from credence.comparison import Problem
from credence.conformal import FullConformalKNeighborsClassifier
from credence.search import _Search

__all__ = ["LostShardsError", "compare", "compare_sets", "fit", "predict"]


def __dir__() -> list[str]:
    return __all__


#: Shards on fewer rows go about together: sending one takes up to a millisecond, and its data.
_LEAST_ROWS = 1000

#: Rows of a shard of nearest neighbours, where they are not the usual ones.
_BLOCKS: dict[str, int] = {}

Estimator = TypeVar("Estimator", bound=_Search | FullConformalKNeighborsClassifier)


@dataclass
class _Work:
    """Shards over data that go to a worker whole; a worker makes the shards once."""

    make: Callable[..., tuple[Any, Any]]
    arguments: tuple[Any, ...]

    @cached_property
    def made(self) -> tuple[Any, Any]:
        """The shards, and whose they are."""
        return self.make(*self.arguments)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "made"}


def _selection_shards(search: _Search, X: Any, y: Any, parameters: dict[str, Any]) -> tuple[Any, Any]:
    return _core.SelectionShards(*search._problem(X, y, **parameters)), search


def _neighbour_shards(machine: Any, X: Any, y: Any, groups: Any) -> tuple[Any, Any]:
    return _core.NeighbourShards(*machine._problem(X, y, groups), **_BLOCKS), machine


def _comparison_shards(X: Any, y: Any, methods: Any, arguments: dict[str, Any]) -> tuple[Any, Any]:
    problem = Problem(X, y, methods, **arguments)
    return problem.shards(), problem.place


@dataclass
class _Failure:
    """The sentence of a shard that cannot be done."""

    sentence: str


def _run(work: Any, numbers: Sequence[int]) -> list[bytes]:
    """Return the results of some shards; workers call this function."""
    shards, estimator = work.made
    return shards.run(list(numbers), limits_of_shard(estimator))


def _run_or_say(work: Any, numbers: Sequence[int]) -> list[bytes] | _Failure:
    try:
        return _run(work, numbers)
    except (ValueError, MemoryError, TimeoutError) as problem:
        return _Failure(str(problem))


def _results(work: Any, shards: Any, executor: Any, retries: int) -> list[bytes]:
    groups = shards.groups(_LEAST_ROWS)
    parts = run_calls(_run, [work], [(0, group) for group in groups], executor, retries)
    return [result for part in parts for result in part]


def _run_regions(search: _Search, rows: list[bytes]) -> list[bytes]:
    """Return the results of some regions of the feature space; workers call this function."""
    return _core.run_regions(rows, search._selection_options(), limits_of_shard(search))


class _RegionCalls(Sequence):
    """The groups of regions, whose rows are made ready when their turn comes."""

    def __init__(self, shards: _core.RegionShards):
        self.shards, self.groups = shards, shards.groups(_LEAST_ROWS)

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, number: Any) -> Any:
        return 0, [self.shards.rows_of(shard) for shard in self.groups[number]]


def _in_regions(options: _core.SelectionOptions) -> bool:
    return any(option["name"] == "region_rows" for option in options.fields())


@documented
def fit(search: Estimator, X: Any, y: Any, *, executor: Any = None, retries: int = 3, **parameters: Any) -> Estimator:
    """Fit an estimator, whose shards an executor runs; the result is that of ``search.fit(X, y)`` to the last bit.

    With ``method="cv"`` the gammas of the grid are the shards, for each kernel and scaling. An average has no shards:
    give ``rule="best"``, or take SVCSearchCV. With ``estimate="nested"`` the outer folds of the estimate are shards
    too. With ``cells`` every region of the feature space is a shard, to which its own rows alone go. Of other methods
    the outer folds are shards, and this process makes the selection itself. Of FullConformalKNeighborsClassifier,
    blocks of training rows are shards.

    Rows of a Dask Array or DataFrame stay on the workers, with ``method="regions"`` or ``cells``: each row goes once
    for each partition to the worker that runs its region. To this process come labels, weights, groups, at most about
    112,000 rows, machines, and the out-of-fold scores of all rows. ``executor`` is then a Client, or None for the
    current one, and the scheduler runs again what is lost with a worker.

    Shards that would take less than 0.1 s go about in groups. A shard takes ``n_jobs`` threads of the estimator; None
    stands for ``OMP_NUM_THREADS``, or 1 where the variable is not set.

    Parameters
    ----------
    search : SearchCV, SVCSearchCV, RVRSearchCV or FullConformalKNeighborsClassifier
        The estimator, which is fitted in place.
    {training_rows}
    y : array-like of shape (n_samples,)
        Class of each row, or target. Of Dask too, where the rows are.
    {executor}
    **parameters
        What ``search.fit`` takes beside: ``sample_weight``, ``groups``.

    Returns
    -------
    estimator
        The fitted estimator.

    Raises
    ------
    ValueError
        As ``search.fit``; where the method has no shards of its own.
    TimeoutError
        If a shard, or all of them together, take longer than ``time_limit``.
    {lost_shards}

    Examples
    --------
    >>> import credence
    >>> X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    >>> search = credence.SVCSearchCV(C=[1, 10], gamma=[0.01, 0.1], cv=5)
    >>> credence.distributed.fit(search, X, y, executor=2).best_params_
    {'C': 10.0, 'gamma': 0.01}
    """
    if is_collection(X):
        return _fit_on_workers(search, X, y, executor, parameters)
    if isinstance(search, FullConformalKNeighborsClassifier):
        return _fit_neighbours(search, X, y, executor, retries, **parameters)
    settled = _settled(search, X, y, parameters.get("groups"))

    fitted = _copied(settled)
    with ProgressLine(type(search).__name__) as progress:
        run = running(search, progress)
        dataset, options = fitted._problem(X, y, **parameters)
        selecting = _core.leaving_time_to_train(run, options)
        if _in_regions(options):
            regions = _core.RegionShards(dataset, options, selecting)
            while not regions.done():
                parts = run_calls(_run_regions, [settled], _RegionCalls(regions), executor, retries)
                regions.take([result for part in parts for result in part], selecting)
            chosen = regions.merged(selecting)
        else:
            work = _Work(_selection_shards, (settled, X, y, parameters))
            shards = _core.SelectionShards(dataset, options)
            chosen = shards.merged(_results(work, shards, executor, retries), selecting)
        found = _core.finished(chosen, dataset, run)
    fitted._take(found)
    _take(fitted, search)
    return search


def _fit_on_workers(search: Any, X: Any, y: Any, executor: Any, parameters: dict[str, Any]) -> Any:
    whole = isinstance(search, FullConformalKNeighborsClassifier)
    if whole or not (search.cv is None or isinstance(search.cv, (int, np.integer))):
        raise ValueError(
            "rows of Dask stay on the workers where a search takes regions and makes its own folds: give "
            "method='regions' and a number as cv, or compute the rows before"
        )
    settled = _settled(search, X, y, None)
    if not _in_regions(settled._selection_options()):
        raise ValueError(
            f"method={search.method!r} needs all rows in one process; method='regions' leaves rows of Dask on the "
            "workers"
        )
    _take(fit_on_workers(_copied(settled), settled, X, y, executor, parameters), search)
    return search


@documented
def predict(machine: Any, X: Any, method: str = "predict") -> Any:
    """Return what a fitted classifier says of the rows of a Dask Array or DataFrame, chunk by chunk and lazily.

    Nothing is computed before the result is. The bits are those that the method gives for all rows at once.

    Parameters
    ----------
    machine : classifier
        Fitted, of this package.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        The rows. The columns of an array are put into one chunk.
    method : {{"predict", "predict_proba", "predict_p", "decision_function", "familiarity"}}
        What is asked.

    Returns
    -------
    dask.array.Array, dask.dataframe.Series or dask.dataframe.DataFrame
        One value a row; with several, a column for each class. Of a frame with the index of the rows.

    Raises
    ------
    NotFittedError
        Before ``fit``.
    ValueError
        For another method, and rows that are no collection of Dask.
    """
    if method not in ("predict", "predict_proba", "predict_p", "decision_function", "familiarity"):
        raise ValueError(f"method must say what every row gets, such as 'predict' or 'predict_proba', not {method!r}")
    if not is_collection(X):
        raise ValueError(f"X must be a Dask Array or DataFrame; of other rows take machine.{method}(X)")
    return predict_lazily(machine, X, method)


def _fit_neighbours(machine: Any, X: Any, y: Any, executor: Any, retries: int, groups: Any = None) -> Any:
    work = _Work(_neighbour_shards, (_copied(machine), X, y, groups))

    def fit(dataset: _core.Dataset, options: _core.ConformalOptions, run: _core.RunOptions) -> _core.Predictor:
        shards = _core.NeighbourShards(dataset, options, **_BLOCKS)
        return shards.merged(_results(work, shards, executor, retries), run)

    machine._fit(X, y, groups, fit=fit)
    return machine


def _take(fitted: Any, search: Any) -> None:
    """Give a search the fitted attributes of another one."""
    own = set(search.get_params(deep=False))
    search.__dict__.update({name: value for name, value in vars(fitted).items() if name not in own})


def _copied(search: Estimator, **changes: Any) -> Estimator:
    return type(search)(**{**search.get_params(deep=False), **changes})


def _settled(search: Any, X: Any, y: Any, groups: Any) -> Any:
    """Return the search with what may be drawn or used up but once, so that all workers have the same."""
    changes: dict[str, Any] = {}
    if "random_state" in search.get_params(deep=False):
        state = search.get_params(deep=False)["random_state"]
        changes["random_state"] = state if state is None and _seed_is_fixed(search) else random_seed(state)
    if search.cv is not None and not isinstance(search.cv, (int, np.integer)):
        known_labels(y)  # a splitter's own sentence would not name the row
        splitter: Any = check_cv(search.cv, y, classifier=not search._regression)
        changes["cv"] = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y, groups)]
    return _copied(search, **changes)


def _seed_is_fixed(search: _Search) -> bool:
    """Return whether None stands for the library's own seed."""
    return search._defaults().get("random_state") is None


@documented
def compare(X: Any, y: Any, methods: Any = None, *, executor: Any = None, retries: int = 3, **arguments: Any) -> Any:
    """Compare methods of selection as :func:`credence.compare` does, while an executor runs the outer folds.

    Each method on each outer fold is a shard.

    Parameters
    ----------
    {rows}
    {classes}
    methods : sequence of str, mapping from a name to options, or None
        As for :func:`credence.compare`; None stands for its default.
    {executor}
    **arguments
        What :func:`credence.compare` takes beside. ``n_jobs`` is the number of threads of a shard.

    Returns
    -------
    Comparison
        As :func:`credence.compare`: the same, except times and numbers of threads.

    Raises
    ------
    ValueError
        As :func:`credence.compare`.
    {lost_shards}
    """
    work = _comparison(X, y, methods, arguments)
    shards, place = work.made
    with ProgressLine("compare"):
        return Comparison(json.loads(shards.merged(_results(work, shards, executor, retries), running(place))))


def _comparison(X: Any, y: Any, methods: Any, arguments: dict[str, Any]) -> _Work:
    settled = {**arguments, "random_state": random_seed(arguments.get("random_state", 0))}
    return _Work(_comparison_shards, (X, y, methods, settled))


@documented
def compare_sets(
    sets: Mapping[str, tuple[Any, Any]],
    methods: Any = None,
    *,
    executor: Any = None,
    retries: int = 3,
    **arguments: Any,
) -> dict[str, dict[str, Any]]:
    """Compare methods of selection on several data sets at once.

    Each method on each outer fold of each data set is a shard. A data set that cannot be used does not end the others.

    Parameters
    ----------
    sets : mapping from a name to (X, y)
        The data sets.
    methods : sequence of str, mapping from a name to options, or None
        As for :func:`credence.compare`.
    {executor}
    **arguments
        What :func:`credence.compare` takes beside.

    Returns
    -------
    dict from a name to a dict
        What :func:`compare` returns for each data set; for one that cannot be used ``{"status": "failed", "error":
        sentence}``.

    Raises
    ------
    {lost_shards}
    """
    works: list[_Work] = []
    begun: dict[str, Any] = {}
    calls: list[tuple[int, list[int]]] = []
    for name, (X, y) in sets.items():
        work = _comparison(X, y, methods, arguments)
        try:
            shards, place = work.made
        except ValueError as refused:
            begun[name] = _Failure(str(refused))
            continue
        groups = shards.groups(_LEAST_ROWS)
        begun[name] = (place, shards, range(len(calls), len(calls) + len(groups)))
        calls.extend((len(works), group) for group in groups)
        works.append(work)
    parts = run_calls(_run_or_say, works, calls, executor, retries)
    return {name: _document(begin, parts) for name, begin in begun.items()}


def _document(begun: Any, parts: list[Any]) -> dict[str, Any]:
    if not isinstance(begun, _Failure):
        place, shards, places = begun
        own = [parts[place] for place in places]
        failures = [part for part in own if isinstance(part, _Failure)]
        if not failures:
            results = [result for part in own for result in part]
            return Comparison(json.loads(shards.merged(results, running(place))))
        begun = failures[0]
    return {"status": "failed", "error": begun.sentence}
