import os
import shutil
import subprocess
from pathlib import Path

import credence
import numpy as np
import pytest


@pytest.fixture(scope="session")
def command():
    """Return a function that runs the command; tests that need it are skipped visibly where it is missing."""
    path = os.environ.get("CREDENCE_COMMAND", "")
    if not path or shutil.which(path) is None:
        pytest.skip("CREDENCE_COMMAND names no command")

    def run(*arguments, code=0):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def source():
    """Return the folder of the sources."""
    path = os.environ.get("CREDENCE_SOURCE", "")
    if not path or not Path(path).is_dir():
        pytest.skip("CREDENCE_SOURCE names no folder")
    return Path(path)


@pytest.fixture(scope="session")
def breast_cancer():
    X, y = credence.datasets.load_breast_cancer(return_X_y=True)
    X.flags.writeable = y.flags.writeable = False
    return X, y


@pytest.fixture(scope="session")
def imbalanced(breast_cancer):
    """Return 200 benign and 40 malignant rows: each class divides by 4."""
    X, y = breast_cancer
    rng = np.random.default_rng(0)
    rows = [rng.choice(np.flatnonzero(y == name), n, replace=False) for name, n in (("malignant", 40), ("benign", 200))]
    rows = np.sort(np.concatenate(rows))
    return X[rows], y[rows]
