#!/usr/bin/env python3
"""Runs the fuzz targets and prints a table of what they did: `make fuzz` calls this script.

Each target runs for the stated time as a process of its own, JOBS of them at a time, on the corpus of the build folder
and on the seeds that fuzz/corpus.py made. A finding is a file in BUILD/fuzz/findings/TARGET; with findings the exit
code is 1. Findings of earlier runs are tried first, and those that are mended are removed.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent
# More at once, for an input of some kilobytes, is out of proportion.
MOST_MEGABYTES_AT_ONCE = 256
MOST_MEGABYTES = 1024
SECONDS_FOR_ONE_INPUT = 20
LONGEST_INPUT = {"list": 256, "result": 16384, "model": 16384}
# Freed memory that waits to be used again makes the readers' buffers slow.
SANITIZER = {"ASAN_OPTIONS": "quarantine_size_mb=2:detect_leaks=1"}


@dataclass
class Result:
    target: str
    executions: int
    seconds: int
    edges: int
    features: int
    corpus: int
    findings: int
    finished: bool


def last_number(pattern: str, text: str) -> int:
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run(target: str, build: Path, seconds: int) -> Result:
    folder = build / "fuzz"
    corpus = folder / "corpus" / target
    findings = folder / "findings" / target
    log = folder / "logs" / f"{target}.log"
    for path in (corpus, findings, log.parent):
        path.mkdir(parents=True, exist_ok=True)
    program = [
        str(build / f"fuzz_{target}"),
        f"-malloc_limit_mb={MOST_MEGABYTES_AT_ONCE}",
        f"-rss_limit_mb={MOST_MEGABYTES}",
        f"-timeout={SECONDS_FOR_ONE_INPUT}",
        f"-report_slow_units={SECONDS_FOR_ONE_INPUT}",
    ]
    environment = {**os.environ, **SANITIZER}
    for old in sorted(findings.iterdir()):
        if subprocess.run([*program, str(old)], capture_output=True, check=False, env=environment).returncode == 0:
            old.unlink()
    command = [
        *program,
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST_INPUT.get(target, 4096)}",
        f"-artifact_prefix={findings}/",
        "-print_final_stats=1",
        "-use_value_profile=1",
        str(corpus),
    ]
    seeds = folder / "seeds" / target
    if seeds.is_dir():
        command.append(str(seeds))
    dictionary = SOURCE / "dictionaries" / f"{target}.dict"
    if dictionary.exists():
        command.append(f"-dict={dictionary}")
    with log.open("w") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False, env=environment)
    text = log.read_text(errors="replace")
    return Result(
        target=target,
        executions=last_number(r"stat::number_of_executed_units:\s*(\d+)", text) or last_number(r"\n#(\d+)\s", text),
        seconds=last_number(r"in (\d+) second", text) or seconds,
        edges=last_number(r" cov: (\d+)", text),
        features=last_number(r" ft: (\d+)", text),
        corpus=sum(1 for _ in corpus.iterdir()),
        findings=sum(1 for _ in findings.iterdir()),
        finished=done.returncode == 0,
    )


def print_table(results: list[Result]) -> None:
    names = ("target", "executions", "a second", "edges", "features", "corpus", "findings")
    widths = (14, 11, 9, 7, 9, 7, 9)
    print(" ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True)))
    for result in results:
        rate = round(result.executions / max(result.seconds, 1))
        numbers = (result.executions, rate, result.edges, result.features, result.corpus, result.findings)
        print(" ".join([f"{result.target:>14}"] + [f"{n:>{w},}" for n, w in zip(numbers, widths[1:], strict=True)]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="the build folder")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default 60)")
    parser.add_argument("--jobs", type=int, default=1, help="targets that run at a time")
    parser.add_argument("targets", nargs="*", help="all, unless they are named")
    options = parser.parse_args()
    build = options.build.resolve()
    known = sorted(path.stem for path in SOURCE.glob("*.cpp"))
    unknown = [target for target in options.targets if target not in known]
    if unknown:
        print(f"fuzz: there is no target {unknown[0]}; the targets are {' '.join(known)}", file=sys.stderr)
        return 2
    targets = options.targets or known
    print(f"fuzz: {' '.join(targets)}: {options.seconds} seconds each, {options.jobs} at a time", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda target: run(target, build, options.seconds), targets))
    print_table(results)
    bad = [result for result in results if result.findings or not result.finished]
    for result in bad:
        log = f"{options.build}/fuzz/logs/{result.target}.log"
        print(f"fuzz: {result.target} has findings in {options.build}/fuzz/findings/{result.target}, and a log, {log}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
