"""Debian's LIBSVM beside the newest of the Python registry (libsvm-official), by the same calls of their C interface.

    python benchmarks/libsvm_versions.py [--debian FILE.so] [--runs N] [-o FILE.json] DATA.csv[.gz] ...

The interpreter needs numpy and libsvm-official. Each data set is standardised once, dealt to ten folds, and gone
through by the default grid of 110 settings: 1,100 trainings and 10 predictions of a tenth for each setting. Seconds are those
of the processor; runs of the two libraries alternate, and the median counts. The errors of all settings are compared.
"""

import argparse
import csv
import ctypes
import gzip
import json
import os
import platform
import statistics
import sys
import time
from ctypes import POINTER, c_double, c_int
from importlib.metadata import version
from pathlib import Path

import libsvm
import numpy as np

COSTS = [2.0**e for e in range(-5, 16, 2)]
GAMMAS = [2.0**e for e in range(-15, 4, 2)]
FOLDS = 10


class Node(ctypes.Structure):
    _fields_ = [("index", c_int), ("value", c_double)]


class Problem(ctypes.Structure):
    _fields_ = [("l", c_int), ("y", POINTER(c_double)), ("x", POINTER(POINTER(Node)))]


class Parameter(ctypes.Structure):
    _fields_ = [
        ("svm_type", c_int),
        ("kernel_type", c_int),
        ("degree", c_int),
        ("gamma", c_double),
        ("coef0", c_double),
        ("cache_size", c_double),
        ("eps", c_double),
        ("C", c_double),
        ("nr_weight", c_int),
        ("weight_label", POINTER(c_int)),
        ("weight", POINTER(c_double)),
        ("nu", c_double),
        ("p", c_double),
        ("shrinking", c_int),
        ("probability", c_int),
    ]


#: What LIBSVM calls with its messages: a function of C that does nothing with them.
SILENCE = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p)


def loaded(path):
    """Return a library with the prototypes that this script calls; both work on one thread, as in the other tables.

    The newest is built with OpenMP, whose threads wait for each other at work; on a busy machine most of the time.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    library = ctypes.CDLL(str(path))
    library.svm_train.restype = ctypes.c_void_p
    library.svm_train.argtypes = [POINTER(Problem), POINTER(Parameter)]
    library.svm_predict.restype = c_double
    library.svm_predict.argtypes = [ctypes.c_void_p, POINTER(Node)]
    library.svm_free_and_destroy_model.argtypes = [POINTER(ctypes.c_void_p)]
    library.svm_set_print_string_function(SILENCE)
    return library


def version_of(library):
    number = c_int.in_dll(library, "libsvm_version").value
    return f"{number // 100}.{number % 100}"


def read(path):
    """Return standardised numbers and labels of the rows without gaps; the last column is the label."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        _, *rows = csv.reader(file)
    rows = [row for row in rows if all(row)]
    numbers = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    spread = numbers.std(axis=0)
    numbers = (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1)
    names = sorted({row[-1] for row in rows})
    return numbers, np.array([names.index(row[-1]) for row in rows], dtype=float)


def nodes_of(numbers):
    """Return each row in LIBSVM's form, zeros left out."""
    rows = []
    for row in numbers:
        kept = np.flatnonzero(row)
        nodes = (Node * (len(kept) + 1))(*[(int(j) + 1, row[j]) for j in kept], (-1, 0.0))
        rows.append(nodes)
    return rows


def grid(library, rows, labels, folds):
    """Go through all settings and folds; return processor seconds and the number of errors of each setting."""
    errors = []
    start = time.process_time()
    problems = []
    for k in range(FOLDS):
        kept = np.flatnonzero(folds != k)
        kept = kept[np.argsort(labels[kept], kind="stable")]
        x = (POINTER(Node) * len(kept))(*[ctypes.cast(rows[i], POINTER(Node)) for i in kept])
        y = (c_double * len(kept))(*labels[kept])
        problems.append((Problem(len(kept), y, x), y, x, np.flatnonzero(folds == k)))
    for cost in COSTS:
        for gamma in GAMMAS:
            wrong = 0
            for problem, _, _, held_out in problems:
                parameter = Parameter(0, 2, 3, gamma, 0, 200, 1e-3, cost, 0, None, None, 0.5, 0.1, 1, 0)
                model = ctypes.c_void_p(library.svm_train(problem, parameter))
                wrong += sum(library.svm_predict(model, rows[i]) != labels[i] for i in held_out)
                library.svm_free_and_destroy_model(ctypes.byref(model))
            errors.append(int(wrong))
    return time.process_time() - start, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--debian", default="libsvm.so.3", help="Debian's library (package libsvm3)")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    newest = next(Path(libsvm.__file__).parent.glob("clib*.so"))
    libraries = [loaded(options.debian), loaded(newest)]
    sets = []
    for path in options.data:
        numbers, labels = read(path)
        folds = np.random.default_rng(1).permutation(len(labels)) % FOLDS
        rows = nodes_of(numbers)
        seconds, errors = ([], []), [None, None]
        for _ in range(options.runs):
            for side, library in enumerate(libraries):
                taken, errors[side] = grid(library, rows, labels, folds)
                seconds[side].append(taken)
        entry = {
            "name": path.name.split(".")[0],
            "rows": len(labels),
            "seconds": [statistics.median(side) for side in seconds],
            "runs": options.runs,
            "largest_difference_rows": max(abs(a - b) for a, b in zip(*errors, strict=True)),
        }
        print(entry, file=sys.stderr, flush=True)
        sets.append(entry)
    document = {
        "versions": [version_of(library) for library in libraries],
        "package": f"libsvm-official {version('libsvm-official')}",
        "cells": len(COSTS) * len(GAMMAS),
        "folds": FOLDS,
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "sets": sets,
    }
    text = json.dumps(document, indent=1) + "\n"
    if options.output:
        options.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
