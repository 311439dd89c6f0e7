"""Shards on whatever runs them: joblib, an executor of ``concurrent.futures``, a Dask client.

The data of the shards are their arguments, and the client keeps a copy of them: whatever dies with a worker is sent
again.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any

import joblib

from credence import _core
from credence._run import thread_count

#: What ends a shard whose worker is gone, beside the classes of the standard library; both are of Dask.
_NAMES_OF_LOSSES = {"KilledWorker", "CommClosedError"}


def threads_of_shard(n_jobs: int | None) -> int:
    """Return the number of threads of a shard: ``n_jobs``, or else ``OMP_NUM_THREADS``, or else one.

    The workers of loky and of Dask's nannies have ``OMP_NUM_THREADS``. Where nothing is said, workers share the cores
    of their machine, and each takes one.
    """
    if n_jobs is None and not os.environ.get("OMP_NUM_THREADS"):
        return 1
    return thread_count(n_jobs)


def limits_of_shard(estimator: Any) -> _core.RunOptions:
    """Return how a shard of an estimator runs here."""
    return _core.RunOptions(
        threads=threads_of_shard(getattr(estimator, "n_jobs", None)), time_limit=getattr(estimator, "time_limit", None)
    )


def is_loss(problem: BaseException) -> bool:
    """Return whether a shard ended because its worker, or what was sent there, is gone."""
    if isinstance(problem, (BrokenExecutor, CancelledError, asyncio.CancelledError)):
        return True
    return any(kind.__name__ in _NAMES_OF_LOSSES for kind in type(problem).__mro__)


class LostShardsError(RuntimeError):
    """Workers died under a shard more often than it may be sent again."""


def run_calls(
    work: Callable[[Any, Any], Any], data: Sequence[Any], calls: Sequence[tuple[int, Any]], executor: Any, retries: int
) -> list[Any]:
    """Return ``work(data[which], what)`` for each (which, what) of the calls, in their order.

    Parameters
    ----------
    work : callable
        A function of a module.
    data : sequence
        What the calls share; it can be pickled.
    calls : sequence of (int, object)
        Which data, and what of the work.
    executor : None, int, concurrent.futures.Executor, distributed.Client or callable
        As for :func:`credence.distributed.fit`.
    retries : int
        How often each call may be sent again after its worker died.

    Raises
    ------
    LostShardsError
        If workers die more often.
    TypeError
        If ``executor`` is none of these.
    """
    if executor is None or (isinstance(executor, int) and not isinstance(executor, bool)):
        return _by_joblib(work, data, calls, executor, retries)
    if isinstance(executor, Executor):
        return _Futures(work, _Pool(executor, None), data, calls, retries).results()
    if _is_dask_client(executor):
        return _Futures(work, _DaskClient(executor), data, calls, retries).results()
    if not callable(executor):
        raise TypeError(
            "executor must be None, a number of workers, an Executor of concurrent.futures, a Client of Dask or a "
            f"function that makes an Executor, not {type(executor).__name__}"
        )
    make: Any = executor
    with _Pool(make(), make) as pool:
        return _Futures(work, pool, data, calls, retries).results()


def _lost(retries: int, problem: BaseException) -> LostShardsError:
    kind = type(problem).__name__
    return LostShardsError(
        f"a shard was sent {retries + 1} times, and each time its worker was gone before it was done ({kind}); the "
        "memory of the workers may be too small for the shard"
    )


def _numbered(work: Callable[[Any, Any], Any], number: int, data: Any, what: Any) -> tuple[int, Any]:
    return number, work(data, what)


def _by_joblib(work, data, calls, n_jobs, retries) -> list[Any]:
    results: dict[int, Any] = {}
    losses = 0
    while len(results) < len(calls):
        parallel: Any = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        missing = [number for number in range(len(calls)) if number not in results]
        jobs = (joblib.delayed(_numbered)(work, k, data[calls[k][0]], calls[k][1]) for k in missing)
        try:
            results.update(parallel(jobs))
        except Exception as problem:
            if not is_loss(problem):
                raise
            losses += 1
            if losses > retries:
                raise _lost(retries, problem) from problem
    return [results[number] for number in range(len(calls))]


class _Pool:
    """An executor, and how to make another one when it breaks."""

    def __init__(self, executor: Executor, make: Callable[[], Executor] | None):
        self.executor, self.make = executor, make

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: Any) -> None:
        self.executor.shutdown(wait=True, cancel_futures=True)

    def submit(self, work: Callable[[Any, Any], Any], data: Any, which: int, what: Any) -> Future:
        try:
            return self.executor.submit(work, data, what)
        except BrokenExecutor as problem:
            if self.make is None:
                raise LostShardsError(
                    "a worker died, and the executor takes no more; give a function that makes an executor, such "
                    "as lambda: ProcessPoolExecutor(4), and the lost shards are sent to a new one"
                ) from problem
            self.executor.shutdown(wait=False, cancel_futures=True)
            self.executor = self.make()
            return self.executor.submit(work, data, what)

    def forget(self, which: int) -> None:
        """Do nothing: data go with every shard."""


def _is_dask_client(executor: Any) -> bool:
    return hasattr(executor, "get_executor") and hasattr(executor, "submit")


def _same(data: Any) -> Any:
    return data


class _DaskClient:
    """A Dask client. Data are the result of a task, which workers hand on, and which the scheduler can repeat."""

    def __init__(self, client: Any):
        self.client = client
        self.executor = client.get_executor(pure=False)
        self.kept: dict[int, Any] = {}

    def submit(self, work: Callable[[Any, Any], Any], data: Any, which: int, what: Any) -> Future:
        if which not in self.kept:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")  # once, on purpose
                self.kept[which] = self.client.submit(_same, data, pure=False)
        return self.executor.submit(work, self.kept[which], what)

    def forget(self, which: int) -> None:
        """Send the data again with the next shard."""
        self.kept.pop(which, None)


class _Futures:
    """Calls on their way."""

    def __init__(self, work, pool: Any, data: Sequence[Any], calls: Sequence[tuple[int, Any]], retries: int):
        self.work, self.pool, self.data, self.calls, self.retries = work, pool, data, calls, retries
        self.losses: Counter[int] = Counter()
        self.waiting: dict[Future, int] = {}

    def results(self) -> list[Any]:
        found: dict[int, Any] = {}
        try:
            for number in range(len(self.calls)):
                self._send(number)
            while self.waiting:
                done, _ = wait(self.waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(future, self.waiting.pop(future), found)
        finally:
            for future in self.waiting:
                future.cancel()
        return [found[number] for number in range(len(self.calls))]

    def _send(self, number: int) -> None:
        which, what = self.calls[number]
        self.waiting[self.pool.submit(self.work, self.data[which], which, what)] = number

    def _take(self, future: Future, number: int, found: dict[int, Any]) -> None:
        try:
            found[number] = future.result()
        except (Exception, asyncio.CancelledError) as problem:
            if not is_loss(problem):
                raise
            self.losses[number] += 1
            if self.losses[number] > self.retries:
                raise _lost(self.retries, problem) from problem
            self.pool.forget(self.calls[number][0])
            self._send(number)
