"""What regions of rows that stay on the workers of Dask cost: seconds and bytes of each step, and the client's memory.

    python benchmarks/rows_of_dask.py [--rows 200000] [--region-size 1000] [--partitions 2] [--small] [--json FILE]

The steps run in this process, one after the other, by a client that runs what is submitted at once. So the seconds are
those of the processor on one thread, and the bytes those of the results. Then a cluster of two workers fits rows that
the workers make, at a quarter of the rows and at all of them: the client's peak memory grows by some bytes a row. The last table is the plan
for 10 and 100 workers by the formula of docs/distributed.md. --small judges one setting by two folds, for the bytes alone.
"""

from __future__ import annotations

import argparse
import json
import operator
import pickle
import subprocess
import sys
import time
from collections import defaultdict

import credence
import numpy as np
from credence import _dask, distributed

COLUMNS = 20
NETWORK = 100e6  # bytes a second to or from a machine: a gigabit


def rows_of(rows: int, blocks: int):
    """Return rows and labels that workers make: a curved boundary, and some noise."""
    import dask.array as da

    X = da.random.default_rng(0).normal(size=(rows, COLUMNS), chunks=(-(-rows // blocks), COLUMNS))
    return X, (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.5 * X[:, 3] > 0).astype(int)


class HereClient:
    """Runs what is submitted at once, in this process."""

    def __init__(self, workers: int):
        self.workers = workers
        self.seconds: dict[str, float] = defaultdict(float)
        self.bytes: dict[str, int] = defaultdict(int)
        self.calls: dict[str, int] = defaultdict(int)

    def submit(self, work, *arguments, pure: bool = True):
        """Return the result, and note what it took."""
        start = time.process_time()
        result = work(*arguments)
        name = work.__name__
        self.seconds[name] += time.process_time() - start
        self.calls[name] += 1
        self.bytes[name] += len(pickle.dumps(result, protocol=5))
        return result

    def scatter(self, *_):
        """Exist, as a client's."""
        raise NotImplementedError

    def compute(self, what):
        """Return what a collection, or each of a list, holds."""
        import dask

        return list(dask.compute(*what, scheduler="sync")) if isinstance(what, list) else _Done(what)

    def gather(self, futures):
        """Return results, which are there."""
        return futures

    def nthreads(self):
        """Return the threads of each worker."""
        return dict.fromkeys(range(self.workers), 1)


class _Done:
    def __init__(self, what):
        self.what = what

    def result(self):
        """Return what a collection holds."""
        return self.what.compute(scheduler="sync")


def search(given: argparse.Namespace):
    """Return what is fitted."""
    few = {"C": [1], "gamma": [0.05], "cv": 2} if given.small else {}
    return credence.SVCSearchCV(region_size=given.region_size, partitions=given.partitions, n_jobs=1, **few)


def steps(given: argparse.Namespace) -> HereClient:
    """Fit in this process, step by step."""
    client = HereClient(2)
    X, y = rows_of(given.rows, given.blocks)
    start = time.process_time()
    distributed.fit(search(given), X, y, executor=client)
    client.seconds["all"] = time.process_time() - start
    return client


def client_memory(given: argparse.Namespace, rows: int) -> tuple[int, float]:
    """Return by how many bytes the memory of a process that is a client grew, and the seconds."""
    words = [sys.executable, __file__, "--client", str(rows), "--region-size", str(given.region_size)]
    found = subprocess.run(
        [*words, "--partitions", str(given.partitions), "--blocks", str(given.blocks)], capture_output=True, text=True
    )
    if found.returncode != 0:
        raise RuntimeError(found.stderr)
    grown, seconds = json.loads(found.stdout.splitlines()[-1])
    return grown, seconds


def peak_memory() -> int:
    """Return the bytes that this process held at most; those of the process that started it do not count."""
    with open("/proc/self/status", encoding="ascii") as file:
        return 1024 * next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def message_seconds(count: int = 2000) -> float:
    """Return the processor seconds of client and scheduler for one part of a block on its way to a group."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        block = client.submit(list, range(count), pure=False)
        start = time.process_time()  # the scheduler is a thread of this process
        parts = [client.submit(operator.getitem, block, k, pure=False) for k in range(count)]
        client.submit(sum, parts, pure=False).result()
        return (time.process_time() - start) / count


def as_client(given: argparse.Namespace) -> None:
    """Fit by two workers, one setting by two folds, and print by how much the memory of this process grew."""
    from distributed import Client, LocalCluster

    given.small = True
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        X, y = rows_of(4000, 4)
        distributed.fit(search(given), X, y, executor=client)
        before = peak_memory()
        X, y = rows_of(given.client, given.blocks)
        start = time.perf_counter()
        distributed.fit(search(given), X, y, executor=client)
        print(json.dumps([peak_memory() - before, time.perf_counter() - start]))


def makespan(client: HereClient, given: argparse.Namespace, message: float, rows: int, workers: int) -> float:
    """Return the seconds of `rows` rows on so many workers of one thread, by the formula."""
    growth = rows / given.rows
    per = {name: seconds * growth for name, seconds in client.seconds.items()}
    on_workers = sum(seconds for name, seconds in per.items() if name != "all")
    # Routes look at all regions, which are as many as the rows: their seconds grow like the square.
    on_workers += per["_route"] * (growth - 1)
    here = per["all"] - sum(seconds for name, seconds in per.items() if name != "all")
    moved = client.bytes["_split"] * growth
    to_client = (client.bytes["_run_group"] + client.bytes["_route"]) * growth
    blocks, groups = workers * 2, workers * _dask._GROUPS_OF_A_THREAD
    messages = given.partitions * blocks * groups
    return here + on_workers / workers + moved / (workers * NETWORK) + to_client / NETWORK + message * messages


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--region-size", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=2)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--client", type=int)
    parser.add_argument("--json")
    given = parser.parse_args()
    if given.client:
        as_client(given)
        return
    client = steps(given)
    print(f"{given.rows:,} x {COLUMNS} rows, {8 * COLUMNS} bytes each; {given.partitions} partitions")
    for name in client.calls:
        print(
            f"  {name:<12} {client.calls[name]:>5} times  {1e6 * client.seconds[name] / given.rows:8.1f} us a row"
            f"  {client.bytes[name] / given.rows:8.1f} bytes a row"
        )
    others = client.seconds["all"] - sum(client.seconds[name] for name in client.calls)
    print(f"  {'this process':<12}              {1e6 * others / given.rows:8.1f} us a row", flush=True)
    memory = {rows: client_memory(given, rows) for rows in (given.rows // 4, given.rows)}
    (few, (few_bytes, _)), (many, (many_bytes, _)) = memory.items()
    print(f"  client's memory: {few_bytes / 1e6:.0f} MB at {few:,} rows, {many_bytes / 1e6:.0f} MB at {many:,}")
    print(f"  that is {(many_bytes - few_bytes) / (many - few):.0f} bytes a row")
    message = message_seconds()
    print(f"  a part of a block takes {1e3 * message:.2f} ms of client and scheduler")
    print("\n       rows  workers         s")
    for rows in (10**7, 10**8):
        for workers in (10, 100):
            print(f"{rows:>11,} {workers:>8} {makespan(client, given, message, rows, workers):>9,.0f}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"seconds": client.seconds, "bytes": client.bytes, "memory": memory}, file, indent=1)


if __name__ == "__main__":
    main()
