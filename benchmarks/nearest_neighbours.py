"""Plain exact nearest neighbours: training rows among themselves, then test rows; prints seconds as JSON.

    python nearest_neighbours.py TRAINING TEST COLUMNS THREADS

TRAINING and TEST are files of row-major doubles.
"""

import json
import sys
import time

import faiss
import numpy as np
import sklearn
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits


def scikit_learn(training, test, threads):
    search = NearestNeighbors(n_neighbors=1, algorithm="brute", n_jobs=threads).fit(training)
    search.kneighbors()
    search.kneighbors(test)


def faiss_flat(training, test, threads):
    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatL2(training.shape[1])
    index.add(training)
    index.search(training, 2)
    index.search(test, 1)


def timed(search, training, test, threads) -> dict:
    search(training[:200], test[:200], threads)
    wall, cpu = time.perf_counter(), time.process_time()
    search(training, test, threads)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def main() -> None:
    columns, threads = int(sys.argv[3]), int(sys.argv[4])
    training, test = (np.fromfile(path).reshape(-1, columns) for path in sys.argv[1:3])
    narrow = training.astype(np.float32), test.astype(np.float32)
    with threadpool_limits(threads):
        runs = [
            {"name": "scikit-learn, double", "seconds": timed(scikit_learn, training, test, threads)},
            {"name": "scikit-learn, float", "seconds": timed(scikit_learn, *narrow, threads)},
            {"name": "FAISS IndexFlatL2, float", "seconds": timed(faiss_flat, *narrow, threads)},
        ]
    versions = {"scikit-learn": sklearn.__version__, "faiss": faiss.__version__, "python": sys.version.split()[0]}
    json.dump({"runs": runs, "versions": versions}, sys.stdout)


if __name__ == "__main__":
    main()
