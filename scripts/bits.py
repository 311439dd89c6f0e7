"""Runs small selections of every kind, and compares results and predictions bit by bit with those that are kept.

    python3 scripts/bits.py COMMAND                  ends with 1 where a result differs from the kept one
    python3 scripts/bits.py COMMAND --update         keeps the results of this compiler and these libraries
    python3 scripts/bits.py COMMAND --beside OTHER   runs both commands, and shows the first differences
    python3 scripts/bits.py COMMAND --python PYTHON  also a selection that is shared by the processes of a pool

A result is the JSON of the selection without times, and what the saved model predicts of rows held out, with p-values.
Bits depend on the compiler, on the libraries and on the vector instructions of the processor, so scripts/bits.json has
the checksums for each set of these. Without the set at hand the exit code is 77.
"""

import argparse
import difflib
import hashlib
import json
import platform
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "scripts" / "bits.json"
SKIPPED = 77

ONE_KERNEL = "--scale standard --gamma 2^-15:2^3:x4"
ONE_SVM = f"{ONE_KERNEL} --rule best"

#: Of each case the options of `select`, behind the name of its data.
CASES = {
    "cv": f"cancer {ONE_SVM} --C 2^-5:2^15:x4",
    "cv, one_se, f1, balanced": f"cancer {ONE_KERNEL} --rule one_se --score f1 --class-weight balanced --C 0.25:64:x4",
    "cv, average, three classes, weights": f"three {ONE_KERNEL} --weights w --rule average --C 0.25:64:x4",
    "cv, linear, groups, soft loss": "three --groups g --weights w --kernel linear --loss soft --estimate nested "
    f"{ONE_SVM} --C 2^-5:2^15:x4",
    "cv, 26 classes": "letters --C 1,8 --gamma 0.0625,0.25 --tolerance 1e-2 --scale standard --rule best",
    "cv, nu, log loss, split": "cancer --nu 0.1:0.5:+0.1 --gamma scale --score log_loss --p-values split "
    "--scale standard --rule best",
    "cv, sparse rows": "sparse.svm --C 0.25:64:x4 --gamma 2^-6:2^0:x4",
    "race": "half --race --estimate none --C 0.25,4,64 --gamma 2^-6,2^-3,1 --scale standard --rule best",
    "nonconformity": "cancer --method nonconformity --C 0.25:64:x4",
    "nonconformity of neighbours": "three --drop w --method nonconformity --model knn --tie vote",
    "max-margin": "three --weights w --method max-margin --margin geometric --C 0.25:64:x4",
    "holdout-vote": "three --weights w --method holdout-vote --C 0.25:64:x4",
    "holdout": "cancer --method holdout --C 0.25:64:x4 --estimate none",
    "loo, cost": "three --weights w --method loo --score cost --cost a:b=3 --C 0.25:64:x4",
    "bootstrap, average": "three --weights w --method bootstrap --resamples 20 --rule average --C 1,4,16",
    "nested, proved": "three --weights w --method kfold-nested --p-values nested --folds 5 --C 1,4,16",
    "nested, drawn": "cancer --method kfold-nested --final random --folds 5 --C 1,4,16",
    "holdout, kept": "three --weights w --method holdout --refit training --C 1,4,16",
    "rademacher": "cancer --method rademacher --kernel linear --rho 0.01,0.1,1",
    "maximal-discrepancy, hint": "cancer --method maximal-discrepancy --kernel linear --hint 0.3 --rho 0.01,0.1,1",
    "kernel-validity": "cancer --method kernel-validity --sigma 0.5,1,2,4 --starts 1",
    "evidence": "cancer --method evidence --sigma 0.5,1,2,4 --starts 1",
    "cv of relevance vector machines": "three --drop w --model rvm --sigma 1,2 --starts 1 --folds 5",
    "regression": "price --task regression --sigma 1,2,4",
    "regions": f"three --weights w --method regions --region-size 100 --partitions 3 {ONE_SVM} --C 0.25:64:x4",
    "regions, linear": "half --method regions --region-size 800 --partitions 1 --kernel linear --estimate none "
    "--scale standard --rule best --C 2^-5:2^15:x4",
    "regions, held out": "half --method regions --region-size 900 --estimate holdout --C 1,16 --gamma 0.25,1 "
    "--scale standard --rule best",
    "stopped by a limit": f"three --time-limit 1e-9 {ONE_SVM} --C 2^-5:2^15:x4",
    "kernels and scalings": "cancer",
    "kernels and scalings, 26 classes": "letters --C 1,32 --tolerance 1e-2 --estimate none",
    "kernels and scalings, lists, weights, groups": "three --groups g --weights w --kernel rbf,linear,laplacian "
    "--scale minmax,quantile --gamma median*0.5,scale,0.5 --C 1,16 --score f1_macro",
    "kernels and scalings, one_se, all rows scaled, split": "three --drop w --rule one_se --scale-scope all "
    "--p-values split --score balanced_accuracy",
}

#: A selection whose outer folds are run by processes of a pool; argv has the files.
POOL = """
import json, sys
from concurrent.futures import ProcessPoolExecutor
import numpy, credence
from credence import distributed
if __name__ == "__main__":
    X, y = numpy.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=range(5)), []
    y = [line.strip().split(",")[-1] for line in open(sys.argv[1])][1:]
    search = credence.SVCSearchCV(C=[0.25, 1, 4, 16, 64], gamma=[0.0625, 0.25, 1], cv=4, estimate="nested")
    with ProcessPoolExecutor(2) as pool:
        distributed.fit(search, X, y, executor=pool)
    search.save(sys.argv[3])
    open(sys.argv[2], "w").write(json.dumps(search.result_))
"""


def write_data(folder):
    """Write training rows, and rows held out under the name with -new."""

    def table(name, head, rows):
        for part, own in {name: rows[0::3] + rows[1::3], f"{name}-new": rows[2::3]}.items():
            (folder / f"{part}.csv").write_text("\n".join([head, *own]) + "\n")

    head, *rows = (ROOT / "data" / "breast_cancer.csv").read_text().splitlines()
    table("cancer", head, rows)
    draw = random.Random(1)

    def clouds(n, classes, spread):
        centres = [[draw.gauss(0, 1.5) for _ in range(5)] for _ in range(classes)]
        for i in range(n):
            yield i, [f"{m + spread * draw.gauss(0, 1):.6f}" for m in centres[i % classes]], chr(97 + i % classes)

    head = ",".join(f"x{j}" for j in range(5))
    table(
        "three",
        f"{head},w,g,class",
        [",".join([*x, f"{0.5 + draw.random():.3f}", f"{i % 40}", c]) for i, x, c in clouds(450, 3, 1.2)],
    )
    table("half", f"{head},class", [",".join([*x, c]) for _, x, c in clouds(6600, 2, 2.5)])
    table("letters", f"{head},class", [",".join([*x, c]) for _, x, c in clouds(468, 26, 0.6)])
    table(
        "price",
        f"{head},price",
        [
            ",".join([*x, f"{float(x[0]) ** 2 + float(x[1]) + 0.3 * draw.gauss(0, 1):.5f}"])
            for _, x, _ in clouds(240, 1, 1)
        ],
    )
    rows = [
        f"{'+1' if c == 'a' else '-1'} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if draw.random() < 0.6)
        for _, x, c in clouds(360, 2, 2)
    ]
    (folder / "sparse.svm").write_text("\n".join(rows[:240]) + "\n")
    (folder / "sparse-new.svm").write_text("\n".join(rows[240:]) + "\n")


def without_times(value):
    """Leave out what differs from run to run."""
    if isinstance(value, dict):
        left_out = re.compile("seconds|threads|version|command|^took$")
        return {key: without_times(one) for key, one in value.items() if not left_out.search(key)}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def predictions(command, model, rows, folder):
    """Return the table of predictions of a model."""
    said = subprocess.run(
        [command, "predict", model, rows, "--threads", "2"], cwd=folder, capture_output=True, text=True, check=False
    )
    return said.stdout + said.stderr


def result_of(command, line, folder):
    """Select, and predict; return the result as lines."""
    name, *options = line.split()
    train, new = (name, name.replace(".", "-new.")) if "." in name else (f"{name}.csv", f"{name}-new.csv")
    for file in ("model", "result.json"):
        (folder / file).unlink(missing_ok=True)
    arguments = ["select", train, *options, "-o", "model", "--json", "result.json", "--quiet", "--threads", "2"]
    done = subprocess.run([command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    lines = [f"exit code {done.returncode}", *done.stderr.splitlines()]
    if (folder / "result.json").exists():
        document = without_times(json.loads((folder / "result.json").read_text()))
        lines += json.dumps(document, indent=1).splitlines()
    if (folder / "model").exists():
        lines += predictions(command, "model", new, folder).splitlines()
    return lines


def result_of_pool(command, python, folder):
    """Select by processes of a pool, and predict; return the result as lines."""
    (folder / "pool.py").write_text(POOL)
    subprocess.run([python, "pool.py", "half.csv", "pool.json", "model"], cwd=folder, check=True)
    document = without_times(json.loads((folder / "pool.json").read_text()))
    return (
        json.dumps(document, indent=1).splitlines() + predictions(command, "model", "half-new.csv", folder).splitlines()
    )


def results_of(command, python):
    """Return the result of each case."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder)
        results = {case: result_of(command, line, folder) for case, line in CASES.items()}
        if python:
            results["by a pool"] = result_of_pool(command, Path(python).absolute(), folder)
    return results


def versions(command):
    """Return what bits depend on, as one line."""
    said = subprocess.run([command, "--version", "--verbose"], capture_output=True, text=True, check=True).stdout
    lines = dict(re.findall(r"^(\S+(?: \S+)*?) {2,}(.+)$", said, flags=re.MULTILINE))
    names = [lines["compiler"], " ".join(platform.libc_ver()), lines["BLAS"].split(",")[0], lines["BLAS core"]]
    return "; ".join([*names, lines["SIMD target"]])


def sum_of(lines):
    """Return a short checksum."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def main():
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", type=Path)
    parser.add_argument("--update", action="store_true", help="keep these results")
    parser.add_argument("--beside", type=Path, help="compare with this command")
    parser.add_argument("--python", help="an interpreter that has the package of this command")
    options = parser.parse_args()
    command = options.command.resolve()
    if options.beside:
        results, others = results_of(command, None), results_of(options.beside.resolve(), None)
        different = [case for case in results if results[case] != others[case]]
        for case in different:
            print(f"--- {case}: select {CASES[case]}")
            print("\n".join([*difflib.unified_diff(others[case], results[case], lineterm="", n=0)][:20]))
        print(f"{len(results)} selections, {len(different)} of them differ")
        return 1 if different else 0
    key = versions(command)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if key not in kept and not options.update:
        print(f"bits: skipped, as {KEPT.name} has no results of these versions: {key}")
        return SKIPPED
    sums = {case: sum_of(lines) for case, lines in results_of(command, options.python).items()}
    if options.update:
        kept[key] = {**kept.get(key, {}), **sums}
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
        print(f"written: {KEPT.relative_to(ROOT)}")
        return 0
    different = [case for case, value in sums.items() if kept[key].get(case) != value]
    for case in different:
        print(f"{case}: differs")
    print(f"{len(sums)} selections, {len(different)} of them differ from the kept ones")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
