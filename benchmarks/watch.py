"""How soon a change is seen: `Watch` beside the martingales of MAPIE and online-cp on the same streams.

A stream has 2,000 rows like those of the training, then 3,000 changed ones: a column (of five) moves by a part of
its standard deviation, one class becomes four times as frequent as the other, a column stays at its mean. Every alarm
is at 100. MAPIE's test looks at labels; online-cp's martingales get the p-values of the distances that `Watch` looks
at, by NumPy. Needs mapie and online-cp.

    python benchmarks/watch.py --draws 20 --json docs/results/watch.json
"""

import argparse
import bisect
import json
import statistics
import time
import warnings
from pathlib import Path

import credence
import numpy as np
from mapie.classification import SplitConformalClassifier
from mapie.exchangeability_testing import OnlineMartingaleTest
from online_cp.martingale import CompositeJumper, SimpleJumper
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

QUIET, CHANGED, COLUMNS, ALARM = 2000, 3000, 5, 100
CHANGES = ("0.25 sd", "0.5 sd", "1 sd", "class share", "stuck column", "none")


def rows(n: int, draw: np.random.Generator, share: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of two clouds, and their classes."""
    y = (draw.random(n) < share).astype(int)
    X = draw.normal(size=(n, COLUMNS))
    X[:, 0] += np.where(y == 1, 1.0, -1.0)
    return X, y


def stream(change: str, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return quiet rows, then changed ones."""
    X, y = rows(QUIET, draw)
    X2, y2 = rows(CHANGED, draw, 0.8 if change == "class share" else 0.5)
    if change.endswith("sd"):
        X2[:, 1] += float(change.split()[0])
    if change == "stuck column":
        X2[:, 1] = 0
    return np.vstack([X, X2]), np.concatenate([y, y2])


def watched(model, X, y) -> int | None:
    """Return the row of the alarm of a watch; with labels that of the labels' stream."""
    watch = credence.Watch(model, alarm=1 / ALARM if y is None else 2 / ALARM, labels=y is not None)
    watch.update(X, y)
    return watch.result_["streams"][0 if y is None else 1]["alarm_row"]


def by_mapie(model, kept, X, y) -> int | None:
    """Return the row of the alarm of MAPIE's jumper, which knows some rows before."""
    machine = SplitConformalClassifier(model, prefit=True)
    test = OnlineMartingaleTest(machine, test_level=1 / ALARM, warn=False, burn_in=1, random_state=0)
    test.update(*kept)
    before = len(test.martingale_value_history)
    for first in range(0, len(X), 100):
        test.update(X[first : first + 100], y[first : first + 100])
        if test.is_exchangeable is False:
            values = np.asarray(test.martingale_value_history)
            return max(1, int(np.argmax(values > ALARM)) - before + 1)
    return None


def p_values(known: np.ndarray, X: np.ndarray, draw: np.random.Generator) -> list[float]:
    """Return smoothed p-values of distances to half of the known rows, among the other half and all rows before."""
    half = len(known) // 2
    machine = NearestNeighbors(n_neighbors=5).fit(known[:half])
    scores = sorted(machine.kneighbors(known[half:])[0].mean(axis=1))
    found = []
    for score in machine.kneighbors(X)[0].mean(axis=1):
        greater = len(scores) - bisect.bisect_right(scores, score)
        equal = len(scores) - greater - bisect.bisect_left(scores, score)
        found.append((greater + draw.random() * (equal + 1)) / (len(scores) + 1))
        bisect.insort(scores, score)
    return found


def by_online_cp(martingale, p: list[float]) -> int | None:
    """Return the row of the alarm of a martingale of online-cp."""
    for row, one in enumerate(p, start=1):
        martingale.update(one)
        if martingale.logM >= np.log(ALARM):
            return row
    return None


def main() -> None:
    """Run, and write after each draw what there is by then."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    alarms: dict[tuple[str, str], list] = {}
    seconds: dict[str, list[float]] = {}
    for seed in range(arguments.draws):
        draw = np.random.default_rng(seed)
        known = rows(1000, draw)
        kept = rows(500, draw)
        ours = credence.SVC(C=1, gamma=0.1, cv=5).fit(*known)
        theirs = LogisticRegression().fit(*known)
        for change in CHANGES:
            X, y = stream(change, draw)
            p: list[float] = []
            contestants = {
                "watch, rows alone": lambda X=X, m=ours: watched(m, X, None),
                "watch, labels": lambda X=X, y=y, m=ours: watched(m, X, y),
                "MAPIE, jumper, labels": lambda X=X, y=y, kept=kept, m=theirs: by_mapie(m, kept, X, y),
                "distances for online-cp": lambda X=X, p=p, d=draw, k=known[0]: p.extend(p_values(k, X, d)),
                "online-cp, simple jumper": lambda p=p: by_online_cp(SimpleJumper(store_p_values=False), p),
                "online-cp, composite jumper": lambda p=p: by_online_cp(CompositeJumper(store_p_values=False), p),
            }
            for name, run in contestants.items():
                start = time.perf_counter()
                row = run()
                took = time.perf_counter() - start
                looked = len(X) if name.startswith(("watch", "distances")) or row is None else row
                seconds.setdefault(name, []).append(1000 * took / looked)
                if name != "distances for online-cp":
                    alarms.setdefault((name, change), []).append(row)
        lines = []
        for (name, change), found in alarms.items():
            seen = [row - QUIET for row in found if row is not None and row > QUIET]
            delays = sorted(seen + [CHANGED + 1] * sum(row is None for row in found))
            early = sum(row is not None and row <= QUIET for row in found)
            lines.append(
                {
                    "by": name, "change": change, "draws": len(found), "early": early, "seen": len(seen),
                    "median_delay": statistics.median(delays) if delays else None,
                }
            )  # fmt: skip
        costs = {name: round(statistics.median(found), 5) for name, found in seconds.items()}
        arguments.json.write_text(
            json.dumps(
                {
                    "kind": "watch beside others", "quiet": QUIET, "changed": CHANGED, "version": credence.__version__,
                    "seconds_for_1000_rows": costs, "lines": lines,
                },
                indent=1,
            )
            + "\n"
        )  # fmt: skip
        print(seed + 1, "draws", flush=True)


if __name__ == "__main__":
    main()
