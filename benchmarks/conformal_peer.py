"""Full conformal prediction by nonconformist's TcpClassifier with the nearest-neighbour ratio; prints JSON.

    python conformal_peer.py TRAINING TEST COLUMNS CLASSES

TRAINING and TEST are files of row-major doubles; row i of TRAINING is of class i mod CLASSES. Printed are the seconds
and, for each row and class, the number of examples that are at least as strange, the row itself included.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from nonconformist.cp import TcpClassifier
from nonconformist.nc import BaseScorer
from scipy.spatial.distance import cdist


class NeighbourRatio(BaseScorer):
    """Distance to the nearest example of the same class over that to the nearest of all others."""

    def fit(self, x, y):
        self.x, self.y = x, y

    def score(self, x, y):
        """Of all examples that `fit` got, or of the last one under a class."""
        distances = cdist(x, self.x)
        if len(x) == len(self.x):
            np.fill_diagonal(distances, np.inf)
        else:
            distances[:, -1] = np.inf
        same = self.y[None, :] == np.asarray(y)[:, None]
        own = np.where(same, distances, np.inf).min(axis=1)
        other = np.where(same, np.inf, distances).min(axis=1)
        return own / other


def main() -> None:
    columns, classes = int(sys.argv[3]), int(sys.argv[4])
    training, test = (np.fromfile(path).reshape(-1, columns) for path in sys.argv[1:3])
    labels = np.arange(len(training)) % classes
    predictor = TcpClassifier(NeighbourRatio(), smoothing=False)
    predictor.fit(training, labels)
    wall, cpu = time.perf_counter(), time.process_time()
    p_values = predictor.predict(test)
    seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    # It takes a number between 0 and 1 from the count, plus one.
    counts = np.floor(p_values * (len(training) + 1) + 1e-9).astype(int)
    json.dump(
        {
            "seconds": seconds,
            "counts": counts.ravel().tolist(),
            "versions": {"nonconformist": version("nonconformist")},
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
