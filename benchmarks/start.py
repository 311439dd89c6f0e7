"""Measures the start of the command: predictions of 100 rows by the model that `credence select` makes by default.

    python3 benchmarks/start.py COMMAND DATA.csv [--runs 20]

Prints a table: times on the clock and of the processor, medians of the runs. *Cold* runs come after the system was
asked to forget the file of the command, its libraries, the model and the rows (posix_fadvise); what other processes
have mapped stays in memory.
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROWS = 100


def forget(files):
    """Ask the system to drop the cached pages of these files."""
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        os.fdatasync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def measured(line, runs, before=lambda: None):
    """Return the medians of the seconds on the clock and of the processor."""
    clock, processor = [], []
    for _ in range(runs):
        before()
        start = time.perf_counter()
        child = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        clock.append(time.perf_counter() - start)
        processor.append(used.ru_utime + used.ru_stime)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"start: {' '.join(map(str, line))} ended with {child.returncode}")
    return statistics.median(clock), statistics.median(processor)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    command = options.command.resolve()
    with tempfile.TemporaryDirectory() as name:
        model, rows = Path(name) / "model.credence", Path(name) / "rows.csv"
        rows.write_text("".join(options.data.read_text().splitlines(keepends=True)[: ROWS + 1]))
        subprocess.run([command, "select", options.data, "--seed", "1", "--quiet", "-o", model], check=True)
        line = [command, "predict", model, rows, "--quiet"]
        libraries = re.findall(r"=> (/\S+)", subprocess.run(["ldd", command], capture_output=True, text=True).stdout)
        print("| | ms on the clock | ms of the processor |\n| --- | ---: | ---: |")
        cases = {
            "`credence --version`": ([command, "--version"], lambda: None),
            f"`credence predict`, {ROWS} rows": (line, lambda: None),
            "the same, cold": (line, lambda: forget([command, *libraries, model, rows])),
        }
        for case, (words, before) in cases.items():
            clock, processor = measured(words, options.runs, before)
            print(f"| {case} | {1000 * clock:.0f} | {1000 * processor:.0f} |")


if __name__ == "__main__":
    main()
