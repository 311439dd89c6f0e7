"""Runs a build for another processor beside this one's, and keeps what is equal to the last bit and what to rounding.

    scripts/compare_platforms.py --here build/credence --there build-arm64/credence [-o docs/results/platforms.json]

Each run of RUNS is a list of commands on data/breast_cancer.csv, or on its first 150 rows (`few.csv`) where an emulator
would need a quarter of an hour for all. What they write is compared: files byte by byte, and numbers in JSON and
in tables by their largest relative difference. Decisions are the best setting, and the labels and regions of
predictions. `scripts/docs/write_pages.py` makes the table of docs/machine.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = str(ROOT / "data" / "breast_cancer.csv")

MODEL = ["-o", "model.credence"]
SELECT = ["select", DATA, *MODEL, "--json", "result.json"]
PREDICT = ["predict", "model.credence", DATA, "-o", "predictions.csv"]
FEW = ["few.csv", *MODEL, "--model", "rvm"]
FIT = ["conformal", "fit", DATA, *MODEL, "--json", "result.json"]
#: What is done, in the words of the page, and the commands.
RUNS = [
    ("`conformal fit`: p-values of nearest neighbours", [FIT, PREDICT]),
    ("`conformal fit --k 3 --label-conditional`", [[*FIT, "--k", "3", "--label-conditional"], PREDICT]),
    ("`conformal online`", [["conformal", "online", DATA, "-o", "predictions.csv", "--json", "result.json"]]),
    (
        "`select --model knn --method nonconformity`",
        [[*SELECT, "--model", "knn", "--method", "nonconformity"], PREDICT],
    ),
    ("`select`: cross-validation", [SELECT, PREDICT]),
    ("`select --rule one_se`", [[*SELECT, "--rule", "one_se"], PREDICT]),
    ("`select --kernel linear`", [[*SELECT, "--kernel", "linear"], PREDICT]),
    ("`select --method loo`", [[*SELECT, "--method", "loo"], PREDICT]),
    ("`select --method bootstrap`", [[*SELECT, "--method", "bootstrap"], PREDICT]),
    ("`select --method nonconformity`", [[*SELECT, "--method", "nonconformity"], PREDICT]),
    ("`select --method regions`", [[*SELECT, "--method", "regions"], PREDICT]),
    (
        "`conformal fit --measure margin --mode inductive`",
        [[*FIT, "--measure", "margin", "--mode", "inductive"], PREDICT],
    ),
    ("`select --model rvm` on 150 rows", [["select", *FEW, "--json", "result.json"], PREDICT]),
    ("`train --model rvm --sigma 4` on 150 rows", [["train", *FEW, "--sigma", "4"], PREDICT]),
    ("`train`, `evaluate`", [["train", DATA, *MODEL], ["evaluate", "model.credence", DATA, "--json", "result.json"]]),
    ("`bound`", [["bound", "--errors", "3", "--n", "100", "--json", "result.json"]]),
]
#: What says when, where and how long, and not what was found.
UNCOMPARED = {"seconds", "command", "source", "compiler", "simd_target", "solver", "steps", "factorisations"}
LABELS = {"label"}


def run(command: str, steps: list[list[str]], folder: Path) -> None:
    """Run the steps in a new folder; a folder that is there has been run."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    with open(DATA, encoding="utf-8") as data:
        (folder / "few.csv").write_text("".join(islice(data, 151)), encoding="utf-8")
    for step in steps:
        subprocess.run(
            [str(Path(command).resolve()), *step, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )


def values_of(document: object, path: str = "") -> dict[str, object]:
    """Return every value of a JSON document under its place."""
    if isinstance(document, dict):
        parts = [(f"{path}.{key}", value) for key, value in document.items() if key not in UNCOMPARED]
    elif isinstance(document, list):
        parts = [(f"{path}[{at}]", value) for at, value in enumerate(document)]
    else:
        return {path: document}
    return {place: value for part, each in parts for place, value in values_of(each, part).items()}


def table_of(path: Path) -> dict[str, object]:
    """Return every cell of a table under its row and column; numbers as numbers."""
    found: dict[str, object] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for at, row in enumerate(csv.DictReader(file)):
            for name, cell in row.items():
                try:
                    found[f"[{at}].{name}"] = float(cell)
                except ValueError:
                    found[f"[{at}].{name}"] = cell
    return found


def difference(here: dict[str, object], there: dict[str, object]) -> dict[str, object]:
    """Return how many numbers differ, the largest relative difference, and what differs beside numbers."""
    numbers = differing = 0
    largest = 0.0
    where = ""
    others = sorted(set(here) ^ set(there))
    for place in here.keys() & there.keys():
        a, b = here[place], there[place]
        if any(isinstance(each, (str, bool, type(None))) for each in (a, b)):
            if a != b:
                others.append(place)
            continue
        numbers += 1
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        differing += 1
        relative = abs(a - b) / max(abs(a), abs(b))
        if relative > largest:
            largest, where = relative, place
    return {
        "numbers": numbers,
        "differing": differing,
        "largest": largest,
        "where": where,
        "others": sorted(others)[:5],
    }


def decisions_of(folder: Path) -> list[object]:
    """Return the best setting, and the labels and regions of predictions."""
    found: list[object] = []
    result = folder / "result.json"
    if result.exists():
        best = json.loads(result.read_text(encoding="utf-8")).get("best")
        if best:
            found.append({key: best.get(key) for key in ("C", "nu", "rho", "gamma", "k")})
    predictions = folder / "predictions.csv"
    if predictions.exists():
        table = table_of(predictions)
        found += [value for place, value in table.items() if place.split(".", 1)[1] in LABELS or ".region" in place]
    return found


def compare(here: Path, there: Path) -> dict[str, object]:
    """Return how the decisions and numbers of two folders differ."""
    found: dict[str, object] = {"decisions": len(decisions_of(here)), "differing_decisions": 0}
    if decisions_of(here) != decisions_of(there):
        pairs = zip(decisions_of(here), decisions_of(there), strict=True)
        found["differing_decisions"] = sum(a != b for a, b in pairs)
    for name in ("model.credence", "result.json", "predictions.csv"):
        if not (here / name).exists():
            continue
        if name == "model.credence":
            found["model_equal"] = (here / name).read_bytes() == (there / name).read_bytes()
        elif name == "result.json":
            pair = [values_of(json.loads((place / name).read_text(encoding="utf-8"))) for place in (here, there)]
            found["result"] = difference(*pair)
        else:
            found["predictions"] = difference(table_of(here / name), table_of(there / name))
    return found


def facts_of(command: str) -> dict[str, object]:
    """Return what `credence doctor` says of a command and its machine."""
    done = subprocess.run([command, "doctor", "--json", "-"], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    blas = found["blas"] or {}
    own = {key: found[key] for key in ("version", "compiler", "simd_target")}
    return {**own, "blas": blas.get("config"), "blas_core": blas.get("core_type")}


def main() -> int:
    """Run all steps with both commands, and write the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--here", default=str(ROOT / "build" / "credence"))
    parser.add_argument("--there", default=str(ROOT / "build-arm64" / "credence"))
    parser.add_argument("-o", "--output", default=str(ROOT / "docs" / "results" / "platforms.json"))
    parser.add_argument("--keep", help="a folder for what the commands write; what is there is not made again")
    arguments = parser.parse_args()
    result: dict[str, object] = {"here": facts_of(arguments.here), "there": facts_of(arguments.there), "runs": []}
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(arguments.keep or temporary)
        for number, (words, steps) in enumerate(RUNS):
            here, there = base / f"{number}-here", base / f"{number}-there"
            run(arguments.here, steps, here)
            run(arguments.there, steps, there)
            found = compare(here, there)
            result["runs"].append({"run": words, **found})
            print(words, json.dumps(found), flush=True)
    Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
