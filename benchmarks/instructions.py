"""Counts the instructions of eleven small cases by valgrind, and compares the counts with those that are kept.

    python3 benchmarks/instructions.py COMMAND              ends with 1 where a count is more than 5 % off
    python3 benchmarks/instructions.py COMMAND --update     keeps the counts of this compiler and these libraries

Counts do not depend on the load of the machine, nor on its processor: valgrind shows every program the same one, with
AVX2. They do depend on the compiler, on the libraries and on valgrind, so benchmarks/instructions.json has counts for
each set of versions. Without valgrind, or with versions that it lacks, the exit code is 77, and one line says why.
"""

import argparse
import json
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "instructions.json"
LIMIT = 0.05
SKIPPED = 77

#: One SVM.
ONE = "--scale standard --rule best"

#: Of each case the arguments of the command, on files that `data` and earlier cases write.
CASES = {
    "read a file": "convert clouds.csv rows.svm",
    "cv, nine settings": f"select half.csv --C 1,4,16 --gamma 0.001,0.01,0.1 {ONE} --threads 1 -o cv.credence",
    "cv, 26 classes": f"select letters.csv --C 0.125,1,8 --gamma 0.0625 {ONE} --threads 1 -o letters.credence",
    "average of best settings": "select quarter.csv --scale standard --C 1,4,16 --gamma 0.001,0.01 --threads 1 -o a.credence",
    "one_se": "select quarter.csv --rule one_se --scale standard --C 1,4,16 --gamma 0.001,0.01 --threads 1 -o one_se.credence",
    "loo": "select quarter.csv --method loo --C 1,16 --gamma 0.01 --threads 1 -o loo.credence",
    "rademacher": "select eighth.csv --method rademacher --kernel linear --rho 0.01,0.1,1 --threads 1 -o r.credence",
    "relevance vector machine": "train eighth.csv --model rvm --sigma 2 --threads 1 -o rvm.credence",
    "predictions of an SVM": "predict cv.credence all.csv --threads 1 -o svm.csv",
    "conformal fit": "conformal fit clouds.csv --threads 1 -o neighbours.credence",
    "p-values of neighbours": "predict neighbours.credence few_clouds.csv --threads 1 -o neighbours.csv",
}


def data(folder):
    """Write parts of the shipped data, and overlapping clouds: two of 2,000 rows, and 26 of 312."""
    head, *rows = (ROOT / "data" / "breast_cancer.csv").read_text().splitlines()
    for name, every in {"all": 1, "half": 2, "quarter": 4, "eighth": 8}.items():
        (folder / f"{name}.csv").write_text("\n".join([head, *rows[::every]]) + "\n")
    draw = random.Random(1).random
    head = ",".join(f"x{j}" for j in range(10)) + ",class"
    rows = []
    for i in range(2000):
        numbers = (draw() + draw() + draw() + 0.3 * (i % 2) for _ in range(10))
        rows.append(",".join(f"{number:.6f}" for number in numbers) + f",{'ab'[i % 2]}")
    (folder / "clouds.csv").write_text("\n".join([head, *rows]) + "\n")
    centres = [[2 * draw() for _ in range(10)] for _ in range(26)]
    letters = [[*(f"{m + draw() + draw() - 1:.6f}" for m in centres[i % 26]), chr(97 + i % 26)] for i in range(312)]
    (folder / "letters.csv").write_text("\n".join([head, *map(",".join, letters)]) + "\n")
    (folder / "few_clouds.csv").write_text("\n".join([head, *rows[:200]]) + "\n")


def counted(command, arguments, folder):
    """Run the command under valgrind; return what it prints and the number of instructions."""
    log = folder / "valgrind.log"
    tool = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={log}"]
    done = subprocess.run(
        ["valgrind", *tool, command, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"instructions: credence {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout, int(re.search(r"I +refs: +([0-9,]+)", log.read_text())[1].replace(",", ""))


def versions(command, folder):
    """Return what the counts depend on, as one line."""
    said, _ = counted(command, ["--version", "--verbose"], folder)
    lines = dict(re.findall(r"^(\S+(?: \S+)*?) {2,}(.+)$", said, flags=re.MULTILINE))
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    openblas = " ".join(lines["BLAS"].split()[:2])
    core = lines["BLAS core"].split(",")[0]
    library = " ".join(platform.libc_ver())
    return "; ".join([lines["compiler"], library, openblas, core, lines["SIMD target"], valgrind])


def report(counts, kept):
    """Print a line for each case; return the names of those that are slower and faster than the limit allows."""
    slower, faster = [], []
    for name, count in counts.items():
        change = count / kept[name] - 1 if name in kept else None
        print(f"{name:28} {count:>14,}  {'new' if change is None else f'{100 * change:+.2f} %'}")
        if change is None:  # these versions have no count of a new case yet
            continue
        if change > LIMIT:
            slower.append(name)
        elif change < -LIMIT:
            faster.append(name)
    return slower, faster


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", type=Path)
    parser.add_argument("--update", action="store_true", help="keep the new counts")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("instructions: skipped, as valgrind is not installed (scripts/setup.sh test installs it)")
        return SKIPPED
    command = options.command.resolve()
    document = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        key = versions(command, folder)
        if key not in document and not options.update:
            print(f"instructions: skipped, as {KEPT.name} has no counts for these versions: {key}")
            return SKIPPED
        data(folder)
        counts = {case: counted(command, [*line.split(), "--quiet"], folder)[1] for case, line in CASES.items()}
    print(key)
    slower, faster = report(counts, document.get(key, {}))
    if options.update:
        document[key] = counts
        KEPT.write_text(json.dumps(document, indent=1) + "\n")
        print(f"written: {KEPT.relative_to(ROOT)}")
        return 0
    if slower:
        print(f"instructions: more than {LIMIT:.0%} above the kept counts: {', '.join(slower)}. Find the cause.")
    if faster:
        print(f"instructions: more than {LIMIT:.0%} below the kept counts: {', '.join(faster)}.")
    if slower or faster:
        print("If the new counts are meant: python3 benchmarks/instructions.py build/credence --update")
    return 1 if slower or faster else 0


if __name__ == "__main__":
    sys.exit(main())
