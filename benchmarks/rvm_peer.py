"""Relevance vector machines of Python packages on one problem; prints JSON.

    python rvm_peer.py TRAINING TEST COLUMNS SIGMA TASK SECONDS NAME...

TRAINING and TEST are files of row-major doubles, the last of each row the target (classes: 0 and 1). TASK is
classification or regression. A package that takes longer than SECONDS is given up. Printed are, for each package, the
seconds of each fit, its machine (y = bias + sum of weights times kernels), and its y or class of the test rows.
"""

import json
import signal
import sys
import time
import warnings
from importlib.metadata import version

import numpy as np
from sklearn.linear_model import ARDRegression
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits


def sklearn_rvm(x, t, gamma, regression):
    """EM in Python. It divides the kernel by a scale of its own."""
    from sklearn_rvm import EMRVC, EMRVR

    start = time.process_time(), time.perf_counter()
    model = (EMRVR if regression else EMRVC)(kernel="rbf", gamma=gamma)
    model.fit(x, t)  # EMRVR's returns nothing
    seconds = since(start)
    first = 1 if model.bias_used else 0
    machine = {
        "centres": model.relevance_,
        "weights": model.mu_[first:] / model._scale,
        "alpha": model.alpha_[first:] * model._scale**2,
    }
    if model.bias_used:
        machine |= {"bias": model.mu_[0], "bias_alpha": model.alpha_[0]}
    if regression:
        machine["noise_variance"] = 1 / model.beta_
    return seconds, machine, model.predict


def fastrvm(x, t, gamma, regression):
    """The sequential algorithm in C++. Its alpha_ is in other units than its weights, and has none of the bias."""
    from fastrvm import RVC, RVR

    start = time.process_time(), time.perf_counter()
    model = (RVR if regression else RVC)(kernel="rbf", gamma=gamma, fit_intercept=True).fit(x, t)
    seconds = since(start)
    machine = {
        "centres": model.relevance_,
        "weights": model.dual_coef_.ravel(),
        "alpha": [],
        "bias": float(np.ravel(model.intercept_)[0]),
    }
    return seconds, machine, model.predict


def ard_regression(x, t, gamma, regression):
    """scikit-learn's automatic relevance determination on the kernel values and a column of ones."""

    def features(rows):
        return np.hstack([np.ones((len(rows), 1)), rbf_kernel(rows, x, gamma=gamma)])

    start = time.process_time(), time.perf_counter()
    model = ARDRegression(fit_intercept=False).fit(features(x), t)
    seconds = since(start)
    kept = np.flatnonzero(model.coef_[1:])
    machine = {
        "centres": kept,
        "weights": model.coef_[1:][kept],
        "alpha": model.lambda_[1:][kept],
        "noise_variance": 1 / model.alpha_,
    }
    if model.coef_[0] != 0:
        machine |= {"bias": model.coef_[0], "bias_alpha": model.lambda_[0]}
    return seconds, machine, lambda rows: model.predict(features(rows))


PACKAGES = {
    "sklearn-rvm": (sklearn_rvm, "sklearn-rvm"),
    "fastrvm": (fastrvm, "fastrvm"),
    "ARDRegression": (ard_regression, "scikit-learn"),
}


def since(start) -> dict:
    return {"cpu": time.process_time() - start[0], "wall": time.perf_counter() - start[1]}


def in_order(machine: dict) -> dict:
    """Ascending centres, and numbers that JSON knows."""
    order = np.argsort(machine["centres"])
    for key in ("centres", "weights", "alpha"):
        if len(machine[key]) > 0:
            machine[key] = np.asarray(machine[key])[order].tolist()
    return {key: value if isinstance(value, list) else float(value) for key, value in machine.items()}


def measure(name, training, test, gamma, regression) -> dict:
    """Fits until they took a second together, or were three."""
    fit, package = PACKAGES[name]
    runs = []
    while len(runs) < 3 and sum(run["cpu"] for run in runs) < 1:
        seconds, machine, predict = fit(training[:, :-1], training[:, -1], gamma, regression)
        runs.append(seconds)
    return {
        "name": name,
        "version": version(package),
        "seconds": runs,
        "machine": in_order(machine),
        "predictions": np.asarray(predict(test[:, :-1]), dtype=float).tolist(),
    }


def too_late(*_) -> None:
    raise TimeoutError


def main() -> None:
    columns, sigma, task, limit = int(sys.argv[3]), float(sys.argv[4]), sys.argv[5], int(sys.argv[6])
    training, test = (np.fromfile(path).reshape(-1, columns) for path in sys.argv[1:3])
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_late)
    found = []
    for name in sys.argv[7:]:
        signal.alarm(limit)
        try:
            # Imports and other first things are not measured.
            PACKAGES[name][0](training[:20, :-1], training[:20, -1], 1 / (2 * sigma**2), task == "regression")
            with threadpool_limits(1):
                found.append(measure(name, training, test, 1 / (2 * sigma**2), task == "regression"))
        except TimeoutError:
            found.append({"name": name, "failure": f"not within {limit} s"})
        except Exception as error:
            found.append({"name": name, "failure": f"{type(error).__name__}: {error}"})
        signal.alarm(0)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
