"""Shards on an executor of ``concurrent.futures`` or a Dask client, and what a shard may take."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, BrokenExecutor, CancelledError, Executor, wait
from typing import Any

from credence import _core
from credence._run import thread_count

#: What ends a shard whose worker is gone, beside the classes of the standard library; both are of Dask.
_NAMES_OF_LOSSES = {"KilledWorker", "CommClosedError"}


def threads_of_shard(n_jobs: int | None) -> int:
    """Return the number of threads of a shard: ``n_jobs``, or else ``OMP_NUM_THREADS``, or else one.

    The workers of Dask's nannies have ``OMP_NUM_THREADS``. Where nothing is said, workers share the cores of their
    computer, and each takes one.
    """
    if n_jobs is None and not os.environ.get("OMP_NUM_THREADS"):
        return 1
    return thread_count(n_jobs)


def limits_of_shard(estimator: Any) -> _core.RunOptions:
    """Return how a shard of an estimator runs here."""
    return _core.RunOptions(
        threads=threads_of_shard(getattr(estimator, "n_jobs", None)), time_limit=getattr(estimator, "time_limit", None)
    )


class LostShardsError(RuntimeError):
    """A worker died under a shard, and nobody runs the shard again."""


def refuse_lost_shards(problem: BaseException) -> None:
    """Raise LostShardsError if a shard ended because its worker, or what was sent there, is gone."""
    gone = isinstance(problem, (BrokenExecutor, CancelledError, asyncio.CancelledError))
    if gone or any(kind.__name__ in _NAMES_OF_LOSSES for kind in type(problem).__mro__):
        raise LostShardsError(
            f"a worker died under a shard, and the shard is not run again ({type(problem).__name__}); the "
            "memory of the workers may be too small for the shard. A Client of Dask runs a shard again, as often as "
            "its distributed.scheduler.allowed-failures says"
        ) from problem


def _same(data: Any) -> Any:
    return data


def run_calls(work: Callable[[Any, Any], Any], shared: Any, calls: Iterable[Any], executor: Any) -> list[Any]:
    """Return ``work(shared, what)`` for each ``what`` of the calls, in their order.

    Parameters
    ----------
    work : callable
        A function of a module.
    shared : object
        What all calls need; it can be pickled. A Dask client gets it as the result of a task, which workers hand on,
        and which the scheduler can repeat.
    calls : iterable
        What each call gets.
    executor : concurrent.futures.Executor or distributed.Client
        What runs the calls.

    Raises
    ------
    LostShardsError
        If a worker died, and the executor does not run its calls again.
    TypeError
        If ``executor`` is neither.
    """
    if hasattr(executor, "get_executor"):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # once, on purpose
            shared = executor.submit(_same, shared, pure=False)
        executor = executor.get_executor(pure=False)
    if not isinstance(executor, Executor):
        raise TypeError(
            "executor must be None, an Executor of concurrent.futures, such as ProcessPoolExecutor(2), or a Client of "
            f"Dask, not {type(executor).__name__}"
        )
    futures = []
    try:
        for what in calls:
            futures.append(executor.submit(work, shared, what))
        for future in wait(futures, return_when=FIRST_EXCEPTION).done:
            future.result()
        return [future.result() for future in futures]
    except (Exception, asyncio.CancelledError) as problem:
        refuse_lost_shards(problem)
        raise
    finally:
        for future in futures:
            future.cancel()
