"""What shards of credence.distributed cost beside one process, and what 10 and 100 workers would give.

    python benchmarks/distributed_shards.py [--rows 600] [--region-rows 20000] [--workers 1 2 4] [--json FILE]

For the outer folds of a nested estimate and for regions of the feature space: the seconds of one process with one thread
and of the same work with some workers of each kind (by the clock, and of processors in all processes together). Of a
shard: the processor seconds, the bytes that go to it and come back, and the processor seconds before and after all
shards. Regions take the rows from here, and once more as a Dask Array on the workers. The last table is the plan of
regions: the makespan by the formula of docs/distributed.md, with these figures.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import pickle
import time
from concurrent.futures import ProcessPoolExecutor

import credence
import numpy as np
from credence import _core, distributed

PARTITION_ROWS = 1_600_000
NETWORK = 100e6  # bytes a second between client and workers: a gigabit


def clouds(rows: int, columns: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Return two classes with a boundary that is curved, and some noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * rng.normal(size=rows) > 0).astype(int)


def seconds_of(work) -> tuple[float, object]:
    """Return the processor seconds of some work in this process, and its result."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def children_seconds() -> float:
    """Return the processor seconds of the processes that this one started and that still run."""
    ticks = 0
    for child in multiprocessing.active_children():
        with open(f"/proc/{child.pid}/stat", encoding="ascii") as file:
            ticks += sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def timed_shards(run, numbers) -> tuple[list[float], list[bytes]]:
    """Return the processor seconds and the results of shards that run in this process, on one thread."""
    seconds, results = [], []
    for number in numbers:
        start = time.process_time()
        results.append(run(number))
        seconds.append(time.process_time() - start)
    return seconds, results


def folds_case(rows: int) -> dict:
    X, y = clouds(rows)

    def make():
        return credence.SVCSearchCV(cv=5, estimate="nested", n_jobs=1)

    def parts():
        dataset, options = make()._problem(X, y)
        shards = _core.OuterShards(dataset, options)
        run = _core.RunOptions()
        seconds, results = timed_shards(lambda shard: shards.run(shard, run), range(len(shards)))
        merge, _ = seconds_of(lambda: shards.merged(results, run))
        sent = len(pickle.dumps((make(), X, y, {})))
        return {"before": 0.0, "shards": seconds, "in": sent, "out": len(results[0]), "after": merge}

    return {"name": f"outer folds, {rows} rows", "rows": rows, "X": X, "y": y, "make": make, "parts": parts, "by_rows": False}


def regions_case(rows: int) -> dict:
    X, y = clouds(rows)

    def make():
        return credence.SVCSearchCV(region_size=2000, partitions=1, n_jobs=1)

    def parts():
        dataset, options = make()._problem(X, y)
        run = _core.RunOptions()
        before, shards = seconds_of(lambda: _core.RegionShards(dataset, options, run))
        payloads = [shards.rows_of(shard) for shard in range(len(shards))]
        seconds, results = timed_shards(lambda shard: _core.run_region(payloads[shard], options, run), range(len(shards)))
        for shard, result in enumerate(results):
            shards.add(shard, result)
        shards.take(run)
        merge, _ = seconds_of(lambda: shards.merged(run))
        sent = sum(map(len, payloads)) / len(payloads)
        back = sum(map(len, results)) / len(results)
        return {"before": before, "shards": seconds, "in": sent, "out": back, "after": merge}

    return {"name": f"regions, {rows} rows", "rows": rows, "X": X, "y": y, "make": make, "parts": parts, "by_rows": True}


def with_executors(case: dict, numbers: list[int]) -> dict[str, tuple[float, float]]:
    """Return the seconds of the whole work with warm workers: by the clock, and of processors in all processes."""
    X, y, make = case["X"], case["y"], case["make"]
    seconds = {}

    def measure(name: str, work, of_workers) -> None:
        clock, own, others = time.perf_counter(), time.process_time(), of_workers()
        work()
        spent = time.process_time() - own + of_workers() - others
        seconds[name] = (time.perf_counter() - clock, spent)

    measure("one process", lambda: make().fit(X, y), lambda: 0.0)
    for workers in numbers:
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(time.sleep, [0.1] * workers))
            executor = pool
            measure(
                f"processes, {workers}",
                lambda executor=executor: distributed.fit(make(), X, y, executor=executor),
                children_seconds,
            )
    for workers in numbers:
        cluster = dask_cluster(workers)
        if cluster is None:
            continue
        with cluster, cluster.get_client() as client:
            client.run(__import__, "credence.distributed")  # a worker's first shard would pay for it
            measure(
                f"Dask, {workers}",
                lambda client=client: distributed.fit(make(), X, y, executor=client),
                lambda client=client: sum(client.run(time.process_time).values()),
            )
            if case["by_rows"]:
                rows, labels = on_workers(X, y, client, blocks=2 * workers)
                measure(
                    f"Dask rows, {workers}",
                    lambda client=client, rows=rows, labels=labels: distributed.fit(make(), rows, labels, executor=client),
                    lambda client=client: sum(client.run(time.process_time).values()),
                )
    return seconds


def on_workers(X: np.ndarray, y: np.ndarray, client, blocks: int):
    """Return rows and labels as Dask Arrays, whose blocks are on the workers."""
    import dask.array as da
    from dask.distributed import wait

    size = -(-len(X) // blocks)
    rows, labels = client.persist([da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size)])
    wait([rows, labels])
    return rows, labels


def dask_cluster(workers: int):
    try:
        from distributed import LocalCluster
    except ImportError:
        return None
    return LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


def makespan(shards: int, seconds: float, traffic: float, before: float, after: float, workers: int) -> float:
    return before + max(math.ceil(shards / workers) * seconds, traffic / NETWORK) + after


def partition_seconds(rows: int) -> float:
    """Return the processor seconds in which rows are split into regions."""
    X, y = clouds(rows)
    dataset, options = credence.SVCSearchCV(region_size=2000, partitions=1)._problem(X, y)
    return seconds_of(lambda: _core.RegionShards(dataset, options, _core.RunOptions()))[0]


def plan(parts: dict, rows: int) -> list[str]:
    """Return lines for regions of 10^6 and 10^7 rows from figures at `rows` rows.

    Splitting grows a little faster than the rows, and in the end like their square, as here from 1,600,000 rows on.
    """
    lines = []
    mean = sum(parts["shards"]) / len(parts["shards"])
    for wanted in (10**6, 10**7):
        growth = wanted / rows
        shards = round(len(parts["shards"]) * growth)
        traffic = shards * (parts["in"] + parts["out"])
        before = parts["partition"] * (wanted / PARTITION_ROWS) ** 2
        for workers in (10, 100):
            whole = makespan(shards, mean, traffic, before, parts["after"] * growth, workers)
            lines.append(f"{wanted:>11,} {workers:>8} {shards:>8,} {mean:>9.2f} {traffic / 1e9:>8.1f} {whole:>10,.0f}")
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--region-rows", type=int, default=20000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--json")
    asked = parser.parse_args()
    found = {}
    cases = {"outer folds": folds_case(asked.rows), "regions": regions_case(asked.region_rows)}
    for kind, case in cases.items():
        parts = case["parts"]()
        seconds = with_executors(case, asked.workers)
        found[kind] = {"rows": case["rows"], "parts": parts, "seconds": seconds}
        shards = parts["shards"]
        print(f"\n{case['name']}: {len(shards)} shards of {min(shards):.2f} to {max(shards):.2f} processor seconds")
        print(f"  {parts['in'] / 1e3:.0f} kB to a shard, {parts['out'] / 1e3:.0f} kB back")
        print(f"  {parts['before']:.3f} s before, {parts['after']:.3f} s after the shards")
        for name, (clock, spent) in seconds.items():
            share = spent / seconds["one process"][1]
            print(f"  {name:<14} {clock:8.2f} s  {spent:8.2f} processor s  {share:5.2f} of one process", flush=True)
    found["regions"]["parts"]["partition"] = partition_seconds(PARTITION_ROWS)
    print("\n       rows  workers   shards s a shard       GB          s")
    print("\n".join(plan(found["regions"]["parts"], found["regions"]["rows"])))
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
