"""Memory above the data: a read-only memory map of C-ordered doubles is used without a copy.

    python copies.py [--rows 1000] [--columns 20000]

Each case runs in a process of its own, which samples its anonymous memory (RssAnon) every 2 ms; the pages of the map
are the file's and are not counted. A copy shows as the size of the data; few rows and many columns keep kernel matrices
small beside it.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from side_by_side import arguments, head, table

MEGABYTE = 2**20


def anonymous():
    """Return the anonymous memory of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def peak_while(call):
    """Return by how much the anonymous memory grew at most, and the seconds of the call."""
    peak, done = [anonymous()], threading.Event()

    def sample():
        while not done.wait(0.002):
            peak[0] = max(peak[0], anonymous())

    before, watcher, start = anonymous(), threading.Thread(target=sample), time.perf_counter()
    watcher.start()
    call()
    done.set()
    watcher.join()
    return peak[0] - before, time.perf_counter() - start


def trained(kind, few, labels):
    """Return a machine of few rows, to predict with."""
    if kind == "Credence":
        import credence

        return credence.SVC(scale="none", gamma=1e-3).fit(few, labels)
    from sklearn.svm import SVC

    return SVC(gamma=1e-3).fit(few, labels)


def unfitted(kind, scale):
    import credence
    from sklearn.svm import SVC

    if kind == "scikit-learn":
        return SVC(kernel="linear", cache_size=20)
    return credence.SVC(kernel="linear", scale=scale)


CASES = {
    "SVC.predict, doubles of the map": ("predict", "float64", "none"),
    "SVC.predict, floats": ("predict", "float32", "none"),
    "SVC.fit, doubles of the map": ("fit", "float64", "none"),
    "SVC.fit with scale='standard', doubles of the map": ("fit", "float64", "standard"),
}


def run_case(folder, case, kind):
    """Print peak and seconds of one case as JSON."""
    task, dtype, scale = CASES[case]
    X, y = np.load(Path(folder) / f"{dtype}.npy", mmap_mode="r"), np.load(Path(folder) / "y.npy")
    if task == "predict":
        machine = trained(kind, np.array(X[:50], dtype=np.float64), y[:50])
        machine.predict(X[:10])
        peak, seconds = peak_while(lambda: machine.predict(X))
    else:
        unfitted(kind, scale).fit(np.array(X[:50]), y[:50])
        machine = unfitted(kind, scale)
        peak, seconds = peak_while(lambda: machine.fit(X, y))
    print(json.dumps([peak, seconds]))


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--case":
        return run_case(*sys.argv[2:])
    parser = arguments(__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=20000)
    options = parser.parse_args()
    head(f"Memory of {options.rows} x {options.columns} numbers", "scikit-learn")
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        y = random.integers(2, size=options.rows)
        X = 1e-4 * random.normal(size=(options.rows, options.columns))
        # A wide gap along one column: the machine keeps few support vectors, which are part of the model.
        X[:, 0] = (2 * y - 1) * (1 + 10 * random.random(options.rows))
        np.save(Path(folder) / "y.npy", y)
        np.save(Path(folder) / "float64.npy", X)
        np.save(Path(folder) / "float32.npy", X.astype(np.float32))
        size = X.nbytes / MEGABYTE
        del X
        lines = []
        for case in CASES:
            for kind in ("Credence", "scikit-learn"):
                if kind == "scikit-learn" and CASES[case][2] == "standard":
                    continue
                command = [sys.executable, __file__, "--case", folder, case, kind]
                peak, seconds = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                share = peak / MEGABYTE / size
                lines.append([case, kind, size, peak / MEGABYTE, share, seconds])
    table(["case", "by", "data as doubles, MB", "peak above, MB", "share of the data", "seconds"], lines)
    return None


if __name__ == "__main__":
    main()
