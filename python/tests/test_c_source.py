"""Oracle: `credence predict`. The C file that `credence convert` writes gives the same bits, with two compilers."""

import csv
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ.get("CREDENCE_COMMAND", "")
DATA = Path(os.environ.get("CREDENCE_SOURCE", "")) / "data" / "breast_cancer.csv"

pytestmark = [
    pytest.mark.command,
    pytest.mark.skipif(not Path(COMMAND).is_file(), reason="CREDENCE_COMMAND names no command"),
    pytest.mark.skipif(not DATA.is_file(), reason="CREDENCE_SOURCE names no sources with the data set"),
]

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
#: Each with what asks it for C99, and for no joined products and sums of its own.
COMPILERS = {
    "gcc": ["-std=c99", "-O2", *WARNINGS],
    "clang": ["-std=c99", "-O2", *WARNINGS],
    "tcc": ["-std=c99"],
}

#: What trains each model, and on which file.
MODELS = {
    "rbf, cv": ("breast.csv", "select --C 1,4,16 --gamma 0.001,0.01 --rule best --scale standard"),
    "rbf, proved": ("breast.csv", "select --method kfold-nested --p-values nested --C 1,4 --gamma 0.002,0.004,0.008"),
    "rbf, rows set aside": ("breast.csv", "select --p-values split --C 1,4 --gamma 0.01 --rule best --scale standard"),
    "linear": ("breast.csv", "select --kernel linear --C 0.1,1 --rule best --scale standard"),
    "polynomial": (
        "breast.csv",
        "select --kernel polynomial --degree 3 --coef0 1 --C 0.1,1 --gamma 0.01 --rule best --scale standard",
    ),
    "sigmoid": (
        "breast.csv",
        "select --kernel sigmoid --coef0 -0.5 --C 1 --gamma 0.01,0.02 --rule best --scale standard",
    ),
    "laplacian": ("breast.csv", "select --kernel laplacian --C 1,4 --gamma 0.01 --rule best --scale standard"),
    "three classes": ("three.csv", "select --C 1,4 --gamma 0.1,0.2 --rule best --scale standard"),
    "missing cells": ("gaps.csv", "select --missing impute --C 1,4 --gamma 0.01 --rule best --scale standard"),
    "categories": (
        "levels.csv",
        "select --missing impute --label class --C 1,4 --gamma 0.1 --rule best --scale standard",
    ),
    "no margins kept": ("three.csv", "train --C 3 --gamma 0.3 --scale minmax"),
    "folds of a training": ("three.csv", "train --kernel linear --folds 5 --C 0.5"),
    "quantiles": ("gaps.csv", "select --scale quantile --missing impute --C 1,4 --gamma 0.01 --rule best"),
    "quantiles, proved": (
        "levels.csv",
        "select --scale quantile --missing impute --label class --method kfold-nested --p-values nested --C 1,2",
    ),
    "average": ("breast.csv", "select --rule average --C 0.25,1,4,16,64 --gamma median*2^-5:median*4:x4"),
    "average, laplacian": (
        "gaps.csv",
        "select --rule average --kernel laplacian --scale quantile --missing impute --C 1,4,16 --gamma 0.01,0.02,0.05",
    ),
    "average, kernels and scalings": (
        "gaps.csv",
        "select --missing impute --rule average --kernel rbf,laplacian --scale standard,quantile --C 1,4,16 "
        "--gamma median*0.125,median*0.5,median*2",
    ),
    "average, three classes": ("three.csv", "select --rule average --C 1,4,16 --gamma 0.1,0.2,0.4"),
    "average, rows set aside": ("three.csv", "select --rule average --p-values split --C 1,4,16 --gamma 0.1,0.3"),
}

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "model.h"
int main(void) {
  char cell[200];
  double row[CREDENCE_COLUMNS];
  struct credence_prediction p;
  int j = 0, c;
  while (scanf("%199s", cell) == 1) {
    if (cell[0] == '=') row[j] = credence_level(j, cell + 1);
    else if (cell[0] == '-' && cell[1] == 0) row[j] = NAN;
    else row[j] = strtod(cell, NULL);
    if (++j < CREDENCE_COLUMNS) continue;
    j = 0;
    c = credence_predict(row, &p);
    if (c != CREDENCE_OK) { printf("wrong %d\\n", c); continue; }
    printf("%s", credence_class_name(p.label));
    for (c = 0; c < CREDENCE_MACHINES && CREDENCE_HAS_DECISIONS; ++c) printf(" %a", p.decision[c]);
    for (c = CREDENCE_CLASSES == 2; c < CREDENCE_CLASSES && !CREDENCE_HAS_DECISIONS; ++c) printf(" %a", p.score[c]);
    if (CREDENCE_HAS_P_VALUES) {
      printf(" %a %a ", p.confidence, p.credibility);
      for (c = 0; c < CREDENCE_CLASSES; ++c)
        if (credence_in_prediction_set(&p, c, 0.05)) printf("|%s", credence_class_name(c));
      for (c = 0; c < CREDENCE_CLASSES; ++c) printf(" %a", p.p_value[c]);
    }
    printf("\\n");
  }
  return 0;
}
"""


def run(folder, *arguments):
    done = subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(path, head, body):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *body])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four tables, each cut into rows to train with and rows to predict."""
    folder = tmp_path_factory.mktemp("c")
    draws = random.Random(38)
    with DATA.open(newline="") as file:
        head, *body = csv.reader(file)
    draws.shuffle(body)
    gaps = [[cell if j == 30 or draws.random() > 0.05 else "" for j, cell in enumerate(row)] for row in body]
    centres = {"left": (-1, 0), "right": (1, 0), 'up "?': (0, 1)}
    three = []
    for _ in range(300):
        name = draws.choice(list(centres))
        three.append([f"{centre + draws.gauss(0, 0.6):.17g}" for centre in centres[name]] + [name])
    levels = []
    for _ in range(300):
        colour, size = draws.choice(["red", "green", "blué", "a\\b"]), draws.gauss(0, 1)
        label = "yes" if (colour in ("red", "green")) == (size > 0) or draws.random() < 0.1 else "no"
        levels.append([colour if draws.random() > 0.05 else "", f"{size:.17g}", draws.choice("xy"), label])
    tables = {
        "breast.csv": (head, body),
        "gaps.csv": (head, gaps),
        "three.csv": (["a", "b", "class"], three),
        "levels.csv": (["colour", "size", "letter", "class"], levels),
    }
    for name, (columns, rows) in tables.items():
        write(folder / name, columns, rows[: len(rows) * 2 // 3])
        write(folder / f"new_{name}", columns, rows[len(rows) * 2 // 3 :])
    (folder / "main.c").write_text(MAIN)
    return folder


def trained(folder, model):
    """Return the folder of a model with its C file and what `predict` says."""
    table, arguments = MODELS[model]
    place = folder / model.replace(" ", "_").replace(",", "")
    if not place.is_dir():
        place.mkdir()
        method, *options = arguments.split()
        run(folder, method, table, *options, "--quiet", "-o", place / "model.credence")
        run(folder, "predict", place / "model.credence", f"new_{table}", "--quiet", "-o", place / "predictions.csv")
        run(folder, "convert", place / "model.credence", place / "model.h")
    return place


def said_by_command(place, table):
    """Return what `predict` wrote, in the form of the C program's lines: decision values of an average are its scores."""
    lines = []
    with (place / "predictions.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            fields = [row["label"], *(float(row[name]).hex() for name in row if name.startswith("decision"))]
            if "confidence" in row:
                fields += [float(row["confidence"]).hex(), float(row["credibility"]).hex()]
                fields.append("".join(f"|{name}" for name in row["set_0.95"].split("|") if name))
                fields += [float(row[name]).hex() for name in row if name.startswith("p_")]
            lines.append(" ".join(fields))
    return lines


def said_by_c(place, compiler, cells):
    """Return what the compiled file says of rows of cells: levels after =, - for a missing cell."""
    program = place / compiler
    options = COMPILERS[compiler]
    done = subprocess.run(
        [compiler, *options, f"-I{place}", "-o", program, place.parent / "main.c", "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = "\n".join(" ".join(row) for row in cells)
    lines = subprocess.run([program], input=told, capture_output=True, text=True, check=True).stdout.splitlines()
    return [" ".join(hexadecimal(word) for word in line.split(" ")) for line in lines]


def hexadecimal(word):
    """Return a hexadecimal number as Python writes it; other words stay."""
    return float.fromhex(word).hex() if word.startswith(("0x", "-0x")) else word


def cells_of(folder, model):
    table, _ = MODELS[model]
    with (folder / f"new_{table}").open(newline="") as file:
        head, *body = csv.reader(file)
    texts = {j for j, name in enumerate(head) if name in ("colour", "letter")}
    return [
        ["-" if cell == "" else f"={cell}" if j in texts else cell for j, cell in enumerate(row[:-1])] for row in body
    ]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("model", MODELS)
def test_every_bit_is_that_of_predict(folder, model, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    if "fma" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("the processor has no fused multiplication and addition")
    place = trained(folder, model)
    expected = said_by_command(place, MODELS[model][0])
    assert len(expected) > 90
    assert said_by_c(place, compiler, cells_of(folder, model)) == expected


def test_wrong_rows_are_named(folder):
    """1: a missing cell that the model does not fill; 2: a level that it does not know; 3: no finite number."""
    place = trained(folder, "three classes")
    assert said_by_c(place, "gcc", [["-", "0"], ["inf", "0"]]) == ["wrong 1", "wrong 3"]
    place = trained(folder, "categories")
    assert said_by_c(place, "gcc", [["=violet", "0", "=x"]]) == ["wrong 2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("select three.csv --model rvm --gamma 1", "one SVM or an average of SVMs"),
        ("select three.csv --region-size 50 --C 1 --gamma 1", "one SVM or an average of SVMs"),
        ("conformal fit three.csv", "one SVM or an average of SVMs"),
        ("train sparse.svm --C 1", "dense rows"),
        ("train kernel.csv --kernel precomputed", "precomputed"),
    ],
)
def test_what_no_c_file_holds_is_refused_in_one_sentence(folder, arguments, sentence):
    (folder / "sparse.svm").write_text("".join(f"{1 if i % 2 else -1} {i % 3 + 1}:{i}\n" for i in range(1, 30)))
    rows = [[(i % 2 * 2 - 1) * (j % 2 * 2 - 1) for j in range(20)] + [i % 2] for i in range(20)]
    write(folder / "kernel.csv", [f"k{j}" for j in range(20)] + ["class"], rows)
    method, *options = arguments.split()
    more = [options.pop(0)] if method == "conformal" else []
    run(folder, method, *more, *options, "--quiet", "-o", "refused.credence")
    done = subprocess.run(
        [COMMAND, "convert", "refused.credence", "refused.h"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (folder / "refused.h").exists()
