"""Rows of a Dask Array or DataFrame, which stay on the workers: selections in regions, and predictions.

Each shard is a function of its arguments alone, and the scheduler can read rows again. So what a
worker takes with it when it dies is made again, with the same bits.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from credence import _core
from credence._data import _rows_of_frame, give_labels, missing_cell
from credence._executors import _same, limits_of_shard, refuse_lost_shards, threads_of_shard
from credence._frames import reason_to_leave_out
from credence._run import running, warn_caller

#: Groups of regions for each thread of the workers: rows are sent to groups, so that few large messages go about.
_GROUPS_OF_A_THREAD = 2


def is_collection(X: Any) -> bool:
    """Return whether X is a Dask Array, DataFrame or Series."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def _is_frame(X: Any) -> bool:
    return not hasattr(X, "chunks")


def client_of(executor: Any) -> Any:
    """Return the client of Dask that is given, or else the current one.

    Raises
    ------
    ValueError
        If there is none.
    """
    if hasattr(executor, "scatter") and hasattr(executor, "submit"):
        return executor
    if executor is None:
        from distributed import get_client

        try:
            return get_client()
        except ValueError:
            pass
    raise ValueError("rows of Dask stay on the workers of a Client: give executor=client, or make a Client before")


@dataclass
class _Block:
    """Some rows, on a worker: numbers, and codes of levels."""

    values: np.ndarray
    levels: list[list[str] | None]
    names: list[str] | None
    drops: bool  #: whether rows with missing values are left out


def _read(rows: Any, missing: str, frame: bool) -> _Block:
    """Return the rows of a partition or a chunk; workers call this function."""
    if not frame:
        numbers: Any = [np.float64, np.float32]
        finite: Any = "allow-nan"
        values: Any = check_array(rows, dtype=numbers, ensure_all_finite=finite, ensure_min_samples=0)
        return _Block(values, [None] * values.shape[1], None, missing == "drop")
    from credence.svm import SVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client looks at the texts of all rows
        dataset = _rows_of_frame(SVC(missing="impute"), rows, reset=True, missing="impute", least=0, keep_all=True)
    return _Block(_core.dense_values(dataset), _core.levels(dataset), dataset.schema.names, missing == "drop")


def _column(block: _Block, j: int) -> np.ndarray:
    return block.values[:, j]


def _without(block: _Block, columns: list[int]) -> _Block:
    """Return a block without some of its columns."""
    kept = np.delete(np.arange(len(block.levels)), columns).tolist()
    names = None if block.names is None else [block.names[j] for j in kept]
    return _Block(block.values[:, kept], [block.levels[j] for j in kept], names, block.drops)


@dataclass
class _Facts:
    """What is said of a block."""

    rows: int
    levels: list[list[str] | None]
    names: list[str] | None
    complete: np.ndarray | None
    missing: tuple[int, int] | None


def _facts(block: _Block) -> _Facts:
    absent = np.isnan(block.values)
    first = None
    if absent.any():
        row, column = np.argwhere(absent)[0]
        first = int(row), int(column)
    complete = np.asarray(~absent.any(axis=1)) if block.drops and first is not None else None
    return _Facts(len(block.values), block.levels, block.names, complete, first)


def _settle(block: _Block, levels: list[list[str] | None], keep: np.ndarray | None) -> np.ndarray:
    """Return the rows that stay, with the codes that levels have in all rows."""
    values = block.values if keep is None else block.values[keep]
    if all(own is None for own in levels):
        return values
    values = values.copy() if keep is None else values
    for j, (own, all_levels) in enumerate(zip(block.levels, levels, strict=True)):
        if own is not None and own != all_levels:
            place = {level: float(code) for code, level in enumerate(all_levels or [])}
            codes = np.array([place[level] for level in own] + [np.nan])
            absent = np.isnan(values[:, j])
            values[:, j] = codes[np.where(absent, len(own), values[:, j]).astype(np.int64)]
    return values


def _take(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return values[rows]


def _dataset(values: np.ndarray) -> _core.Dataset:
    return _core.Dataset.dense(np.ascontiguousarray(values, dtype=np.float64))


def _keys(values: np.ndarray, apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest keys of the rows that are not set aside, and of all rows."""
    keys = _core.row_keys(_dataset(values))
    return _core.smallest_keys(np.delete(keys, apart)), _core.smallest_keys(keys)


def _route(values: np.ndarray, routes: bytes) -> np.ndarray:
    """Return the region of each row."""
    return _core.RegionRoutes(routes).regions_of(_dataset(values), _core.RunOptions(threads=threads_of_shard(None)))


def _split(values: np.ndarray, regions: np.ndarray, group_of: np.ndarray, apart: np.ndarray) -> list[Any]:
    """Return for each group of regions its rows, and the region of each."""
    groups = group_of[regions].astype(np.int64)
    groups[apart] = -1
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(int(group_of.max()) + 2))
    return [(values[order[a:b]], regions[order[a:b]]) for a, b in pairwise(ends)]


def _run_group(search: Any, routes: bytes, work: list[tuple[int, bytes]], parts: list[Any]) -> list[tuple[int, bytes]]:
    """Return what is found in each region of a group; parts are in the order of the rows."""
    values = np.concatenate([part[0] for part in parts])
    regions = np.concatenate([part[1] for part in parts])
    order = np.argsort(regions, kind="stable")
    options, of_regions = search._selection_options(), _core.RegionRoutes(routes)
    limits = limits_of_shard(search)
    found = []
    for region, task in work:
        first, last = np.searchsorted(regions, [region, region + 1], sorter=order)
        found.append((region, of_regions.run(task, _dataset(values[order[first:last]]), options, limits)))
    return found


class RowsOnWorkers:
    """The rows of a collection, held by the workers of a client while the object lives."""

    def __init__(self, client: Any, X: Any, missing: str):
        self.client = client
        self.frame = _is_frame(X)
        if not self.frame:
            if X.ndim != 2:
                raise ValueError(f"Expected 2D array, got {X.ndim}D array instead.")
            X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        raw = client.compute([part for part in np.ravel(np.asarray(X.to_delayed(), dtype=object))])
        self.read = [client.submit(_read, part, missing, self.frame, pure=False) for part in raw]
        self.facts: list[_Facts] = self.all_of(_facts, [(block,) for block in self.read])
        self.names = self.facts[0].names
        self.levels = self._levels()
        self.all_names = self.names
        self.columns = len(self.levels)
        self.left_out: list[int] = []
        if self.frame:
            self._look_at_columns(list(X.columns), [str(kind) == "category" for kind in X.dtypes])
        self.blocks: list[Any] = []
        self.ends = np.zeros(1, dtype=np.int64)

    def _look_at_columns(self, names: list[Any], declared: list[bool]) -> None:
        """Leave out columns that say nothing about new rows, and warn of what is noted about the others."""
        rows = sum(facts.rows for facts in self.facts)
        reasons = [
            reason_to_leave_out(name, j, self._cells(name, j), self.levels[j], declared[j])
            for j, name in enumerate(names)
        ]
        self.left_out = [j for j, reason in enumerate(reasons) if reason]
        warn_caller([f"column {names[j]!r} {reasons[j]}" for j in self.left_out])
        if self.left_out:
            self.read = [self.client.submit(_without, block, self.left_out, pure=False) for block in self.read]
            self.facts = self.all_of(_facts, [(block,) for block in self.read])
            self.names, self.levels = self.facts[0].names, self._levels()
        kept = [j for j in range(self.columns) if j not in self.left_out]
        table = _core.Dataset.elsewhere(rows, len(kept), self.names, self.levels)
        warn_caller(_core.column_notes(table, [repr(names[j]) for j in kept], [declared[j] for j in kept]))

    def all_of(self, work: Any, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return ``work(*call)`` for each of the calls, which workers run."""
        return self.gathered([self.client.submit(work, *call, pure=False) for call in calls])

    def gathered(self, futures: Any) -> Any:
        """Return the result of a future, or those of a list.

        Raises
        ------
        LostShardsError
            If workers die under a shard more often than the scheduler allows.
        """
        try:
            return self.client.gather(futures)
        except Exception as problem:
            refuse_lost_shards(problem)
            raise

    def _cells(self, name: Any, j: int) -> np.ndarray:
        """Return the column if it may hold row numbers; otherwise a placeholder with as many cells."""
        if self.levels[j] is None and isinstance(name, str) and _core.names_index(name, j):
            return np.concatenate(self.all_of(_column, [(block, j) for block in self.read]))
        return np.empty(sum(facts.rows for facts in self.facts))

    def _levels(self) -> list[list[str] | None]:
        levels: list[list[str] | None] = []
        kinds = [facts.levels for facts in self.facts if facts.rows > 0]
        for j in range(len(self.facts[0].levels)):
            own = [block[j] for block in kinds]
            if all(block is None for block in own):
                levels.append(None)
            elif any(block is None for block in own):
                raise ValueError(
                    f"column {self.column(j)} holds numbers in some partitions and texts in others; make it one kind "
                    "before, such as with astype"
                )
            else:
                levels.append(_core.sorted_spellings(sorted({level for block in own for level in block or []})))
        return levels

    def column(self, j: int) -> Any:
        """Return how messages name a column."""
        return j if self.names is None else repr(self.names[j])

    def labelled(self, estimator: Any, y: Any, parameters: dict[str, Any]) -> _core.Dataset:
        """Return labels, weights and groups of the rows; sets what ``fit`` sets in an estimator.

        Raises
        ------
        ValueError
            As the estimator's ``fit``.
        """
        starts = np.cumsum([0] + [facts.rows for facts in self.facts])
        for start, facts in zip(starts, self.facts, strict=False):
            if estimator.missing == "error" and facts.missing is not None:
                row, j = facts.missing
                raise ValueError(missing_cell(estimator, int(start) + row, self.column(j), reset=True))
        estimator.n_features_in_ = self.columns
        if self.all_names is not None:
            estimator.feature_names_in_ = np.asarray(self.all_names, dtype=object)
        estimator._left_out = np.array(self.left_out, dtype=np.int64)
        estimator._text_columns = [own is not None for own in self.levels]
        rows = _core.Dataset.elsewhere(int(starts[-1]), len(self.levels), self.names, self.levels)
        complete = np.concatenate(
            [np.ones(facts.rows, dtype=bool) if facts.complete is None else facts.complete for facts in self.facts]
        )
        given = {name: self._here(value) for name, value in parameters.items()}
        dataset, keep = give_labels(estimator, rows, self._here(y), complete, missing=estimator.missing, **given)
        kept = [keep[a:b] for a, b in pairwise(starts)]
        self.ends = np.cumsum([0] + [int(own.sum()) for own in kept])
        levels = self.client.submit(_same, self.levels, pure=False)
        self.blocks = [
            self.client.submit(_settle, block, levels, None if own.all() else own, pure=False)
            for block, own in zip(self.read, kept, strict=True)
        ]
        self.read = []
        return dataset

    def _here(self, values: Any) -> Any:
        return self.client.compute(values).result() if is_collection(values) else values

    def local(self, rows: np.ndarray) -> list[np.ndarray]:
        """Return for each block which of its rows are among those with these numbers, which ascend."""
        places = np.searchsorted(rows, self.ends)
        return [rows[a:b] - end for a, b, end in zip(places[:-1], places[1:], self.ends[:-1], strict=True)]

    def some(self, rows: np.ndarray) -> _core.Dataset:
        """Return the rows with these numbers, which ascend; they come to this process."""
        parts = self.all_of(_take, list(zip(self.blocks, self.local(rows), strict=True)))
        values = np.ascontiguousarray(np.concatenate(parts), dtype=np.float64)
        return _core.Dataset.dense(values, self.names, self.levels)

    def keys(self, apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest keys of the rows that are not set aside, and of all rows."""
        found = self.all_of(_keys, list(zip(self.blocks, self.local(apart), strict=True)))
        of_training, of_all = (np.concatenate(keys) for keys in zip(*found, strict=True))
        return of_training, of_all

    def run_partition(self, shards: Any, search: Any, apart: np.ndarray, run: _core.RunOptions) -> None:
        """Send the rows to the workers that choose and train in their regions, and take what these found."""
        client = self.client
        routes = client.submit(_same, shards.routes(), pure=False)
        routed = [client.submit(_route, block, routes, pure=False) for block in self.blocks]
        shards.route(np.concatenate(self.gathered(routed)))
        rows = [shards.rows_in(region) for region in range(len(shards))]
        group_of = self._groups(rows)
        # Rows that are set aside take no part in any training where they are what new rows are compared with.
        left_out = self.local(apart if sum(rows) < self.ends[-1] else apart[:0])
        pieces = [
            client.submit(_split, block, regions, group_of, out, pure=False)
            for block, regions, out in zip(self.blocks, routed, left_out, strict=True)
        ]
        found = []
        for group in range(int(group_of.max()) + 1):
            work = [(int(region), shards.task_of(int(region))) for region in np.flatnonzero(group_of == group)]
            parts = [client.submit(operator.getitem, piece, group, pure=False) for piece in pieces]
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")  # labels and folds of many rows
                found.append(client.submit(_run_group, search, routes, work, parts, pure=False))
        while found:  # one after the other: their bytes are many, and are let go at once
            for region, content in self.gathered(found.pop(0)):
                shards.add(region, content)
        shards.take(run)

    def _groups(self, rows: list[int]) -> np.ndarray:
        """Return the group of each region: groups of about as many rows, the largest regions first."""
        threads = sum(self.client.nthreads().values())
        count = min(len(rows), max(1, _GROUPS_OF_A_THREAD * threads))
        sizes = np.zeros(count, dtype=np.int64)
        group_of = np.zeros(len(rows), dtype=np.uint32)
        for region in np.argsort(-np.asarray(rows), kind="stable"):
            group = int(np.argmin(sizes))
            group_of[region] = group
            sizes[group] += rows[int(region)]
        return group_of


def fit_on_workers(search: Any, settled: Any, X: Any, y: Any, executor: Any, parameters: dict[str, Any]) -> Any:
    """Return a fitted copy of a search, whose rows stay on the workers.

    Parameters
    ----------
    search : SearchCV or SVCSearchCV
        The copy that is fitted.
    settled : SearchCV or SVCSearchCV
        The same as it goes to the workers.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        The rows.
    y, executor, parameters
        As for :func:`credence.distributed.fit`.

    Raises
    ------
    ValueError
        As ``fit``, and without a client.
    """
    options = settled._selection_options()
    run = running(search)
    rows = RowsOnWorkers(client_of(executor), X, search.missing)
    labels = rows.labelled(search, y, parameters)
    apart = _core.rows_apart(labels, options)
    some = rows.some(_core.rows_needed(labels, options))
    looked_at = rows.some(_core.rows_looked_at(labels.rows))
    selecting = _core.leaving_time_to_train(run, options)
    shards = _core.RegionShards.elsewhere(labels, some, *rows.keys(apart), options, selecting)
    while not shards.done():
        rows.run_partition(shards, settled, apart, selecting)
    search._take(_core.finished(shards.merged(selecting), labels, run, looked_at))
    return search


def _say(rows: Any, machine: Any, method: str, columns: Any, kind: Any) -> Any:
    """Return what a model says of a block; workers call this function."""
    if len(rows) > 0:
        said = getattr(machine, method)(rows)
    else:
        said = np.empty(0 if columns is None else (0, len(columns)), dtype=kind)
    if isinstance(rows, np.ndarray):
        return said
    import pandas

    if columns is None:
        return pandas.Series(said, index=rows.index)
    return pandas.DataFrame(said, index=rows.index, columns=columns)


def predict_lazily(machine: Any, X: Any, method: str) -> Any:
    """Return what a fitted classifier says of the rows of a collection, as :func:`credence.distributed.predict`."""
    from dask.delayed import delayed

    machine._check_fitted()
    getattr(machine, method)  # or the reason why there is none
    classes = machine.classes_
    flat = method in ("predict", "familiarity") or (method == "decision_function" and len(classes) == 2)
    columns = None if flat else classes
    dtype = classes.dtype if method == "predict" else np.dtype(np.float64)
    model = delayed(machine, traverse=False)
    if _is_frame(X):
        import pandas

        empty = pandas.Series([], dtype=dtype) if flat else pandas.DataFrame(columns=classes, dtype=dtype)
        return X.map_partitions(_say, model, method, columns, dtype, meta=empty)
    X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    shape: dict[str, Any] = {"drop_axis": 1} if flat else {"chunks": (X.chunks[0], (len(classes),))}
    meta = np.empty(0 if flat else (0, 0), dtype=dtype)
    from dask.array import map_blocks

    return map_blocks(
        _say, X, machine=model, method=method, columns=columns, kind=dtype, dtype=dtype, meta=meta, **shape
    )
