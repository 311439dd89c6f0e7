"""One selection on several processes or computers, with the result of one computer to the last bit.

The work is cut into shards that know nothing of each other: the regions of the feature space, and the outer folds of a
nested estimate. An ``executor`` runs the shards, in any order:

* ``None``: this process does the work, as ``search.fit`` does;
* an executor of ``concurrent.futures``, such as ``ProcessPoolExecutor(4)``, or the ``Client.get_executor()`` of Dask;
* a ``Client`` of Dask, to which the data go once, and which runs again what is lost with a worker.

Rows of a Dask Array or DataFrame stay on its workers: :func:`fit` chooses in regions of them, and :func:`predict` is
lazy.

See docs/distributed.md for what shards cost, and for plans of large work.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from sklearn.base import is_regressor
from sklearn.model_selection import check_cv

from credence import _core
from credence._base import random_seed
from credence._dask import fit_on_workers, is_collection, predict_lazily
from credence._data import known_labels
from credence._executors import LostShardsError, limits_of_shard, run_calls
from credence._run import ProgressLine, running
from credence._text import documented
from credence.search import _Search

__all__ = ["LostShardsError", "fit", "predict"]


def __dir__() -> list[str]:
    return __all__


Search = TypeVar("Search", bound=_Search)


def _run_fold(problem: tuple[Any, Any, Any, dict[str, Any]], number: int) -> bytes:
    """Return the result of an outer fold; workers call this function."""
    search, X, y, parameters = problem
    return _core.OuterShards(*search._problem(X, y, **parameters)).run(number, limits_of_shard(search))


def _run_region(search: _Search, rows: bytes) -> bytes:
    """Return the result of a region of the feature space; workers call this function."""
    return _core.run_region(rows, search._selection_options(), limits_of_shard(search))


def _in_regions(options: _core.SelectionOptions) -> bool:
    return any(option["name"] == "region_size" for option in options.fields())


@documented
def fit(search: Search, X: Any, y: Any, *, executor: Any = None, **parameters: Any) -> Search:
    """Fit a search, whose shards an executor runs; the result is that of ``search.fit(X, y)`` to the last bit.

    With ``method="regions"`` or ``region_size`` every region of the feature space is a shard, to which its own rows
    alone go. With ``estimate="nested"`` the outer folds of the estimate are shards, and this process makes the
    selection itself. Other searches have no shards.

    Rows of a Dask Array or DataFrame stay on the workers, with ``method="regions"`` or ``region_size``: each row goes
    once for each partition to the worker that runs its region. To this process come labels, weights, groups, at most
    about 112,000 rows, SVMs, and the out-of-fold scores of all rows. ``executor`` is then a Client, or None for the
    current one.

    A shard takes ``n_jobs`` threads of the search; None stands for ``OMP_NUM_THREADS``, or 1 where the variable is not
    set.

    Parameters
    ----------
    search : SearchCV or SVCSearchCV
        The search, which is fitted in place.
    {training_rows}
    y : array-like of shape (n_samples,)
        Class of each row, or target. Of Dask too, where the rows are.
    executor : None, concurrent.futures.Executor or distributed.Client
        What runs the shards. None: this process does the work.
    **parameters
        What ``search.fit`` takes beside: ``sample_weight``, ``groups``.

    Returns
    -------
    search
        The fitted search.

    Raises
    ------
    ValueError
        As ``search.fit``; where the search has no shards.
    TypeError
        For another executor, or something else than a search.
    TimeoutError
        If a shard, or all of them together, take longer than ``time_limit``.
    LostShardsError
        If a worker died, and the executor does not run its shard again.

    {breast_cancer}
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> search = credence.SVCSearchCV(C=[1, 10], gamma=[0.01, 0.1], cv=5, estimate="nested")
    >>> credence.distributed.fit(search, X, y, executor=ThreadPoolExecutor(2)).best_params_
    {'C': 10.0, 'gamma': 0.01}
    """
    if not isinstance(search, _Search):
        raise TypeError(f"a {type(search).__name__} has no shards; its own fit(X, y) does the work in one process")
    if is_collection(X):
        return _fit_on_workers(search, X, y, executor, parameters)
    if executor is None:
        whole: Any = search
        return whole.fit(X, y, **parameters)
    settled = _settled(search, X, y, parameters.get("groups"))
    fitted = _copied(settled)
    with ProgressLine(type(search).__name__) as progress:
        run = running(search, progress)
        dataset, options = fitted._problem(X, y, **parameters)
        selecting = _core.leaving_time_to_train(run, options)
        if _in_regions(options):
            regions = _core.RegionShards(dataset, options, selecting)
            while not regions.done():
                rows = (regions.rows_of(region) for region in range(len(regions)))
                for region, result in enumerate(run_calls(_run_region, settled, rows, executor)):
                    regions.add(region, result)
                regions.take(selecting)
            chosen = regions.merged(selecting)
        else:
            folds = _core.OuterShards(dataset, options)
            results = run_calls(_run_fold, (settled, X, y, parameters), range(len(folds)), executor)
            chosen = folds.merged(results, selecting)
        found = _core.finished(chosen, dataset, run)
    fitted._take(found)
    _take(fitted, search)
    return search


def _fit_on_workers(search: Any, X: Any, y: Any, executor: Any, parameters: dict[str, Any]) -> Any:
    if not (search.cv is None or isinstance(search.cv, (int, np.integer))):
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
def predict(model: Any, X: Any, method: str = "predict") -> Any:
    """Return what a fitted classifier says of the rows of a Dask Array or DataFrame, chunk by chunk and lazily.

    Nothing is computed before the result is. The bits are those that the method gives for all rows at once.

    Parameters
    ----------
    model : classifier
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
        raise ValueError(f"X must be a Dask Array or DataFrame; of other rows take model.{method}(X)")
    return predict_lazily(model, X, method)


def _take(fitted: Any, search: Any) -> None:
    """Give a search the fitted attributes of another one."""
    own = set(search.get_params(deep=False))
    search.__dict__.update({name: value for name, value in vars(fitted).items() if name not in own})


def _copied(search: Search, **changes: Any) -> Search:
    return type(search)(**{**search.get_params(deep=False), **changes})


def _settled(search: Any, X: Any, y: Any, groups: Any) -> Any:
    """Return the search with what may be drawn or used up but once, so that all workers have the same."""
    changes: dict[str, Any] = {}
    if "random_state" in search.get_params(deep=False):
        state = search.get_params(deep=False)["random_state"]
        changes["random_state"] = state if state is None and _seed_is_fixed(search) else random_seed(state)
    if search.cv is not None and not isinstance(search.cv, (int, np.integer)):
        known_labels(y)  # a splitter's own sentence would not name the row
        splitter: Any = check_cv(search.cv, y, classifier=not is_regressor(search))
        changes["cv"] = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y, groups)]
    return _copied(search, **changes)


def _seed_is_fixed(search: _Search) -> bool:
    """Return whether None stands for the library's own seed."""
    return search._defaults().get("random_state") is None
