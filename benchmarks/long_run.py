"""Memory of a long run against time: starts a comparison that logs (--log), or prints the figures of a log.

    python benchmarks/long_run.py run --command build/credence --data pima.csv.gz --repeats 100 --log run.log
    python benchmarks/long_run.py figures run.log

The slope is that of least squares through all lines after the first ten minutes, by when each method has had the
largest of its problems in memory. Where methods with much and with little memory take turns, the smallest and the
largest value of each ten minutes say more: a leak raises both. How far the forecast was off is told too: of each line,
the time that was said to be left beside the time that was left.
"""

import argparse
import re
import subprocess
from datetime import datetime
from pathlib import Path

LINE = re.compile(
    r"(?P<time>\S+Z) stage=(?P<stage>\w+) done=(?P<done>[\d.]+)% left=(?P<left>\?|\d+)s? memory=(?P<memory>[\d.]+)MiB"
)
WARM_UP = 10.0


def lines_of(path: Path) -> list[dict]:
    """Return the lines of the last run in a log: minutes since its start, stage, share, minutes left, memory."""
    lines: list[dict] = []
    for text in path.read_text().splitlines():
        found = LINE.fullmatch(text)
        if found is None:
            raise SystemExit(f"{path}: '{text}' is no line of a log")
        if found["stage"] == "start":
            lines = []
        lines.append(
            {
                "time": datetime.fromisoformat(found["time"].replace("Z", "+00:00")),
                "stage": found["stage"],
                "done": float(found["done"]),
                "left": None if found["left"] == "?" else float(found["left"]) / 60,
                "memory": float(found["memory"]),
            }
        )
    for line in lines:
        line["minute"] = (line["time"] - lines[0]["time"]).total_seconds() / 60
    return lines


def slope_of(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Return slope and constant of the line of least squares."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    squares = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / squares
    return slope, mean_y - slope * mean_x


def error_of(points: list[tuple[float, float]]) -> float:
    """Return the standard error of the slope, as if the values around the line were independent."""
    slope, constant = slope_of(points)
    mean = sum(x for x, _ in points) / len(points)
    rest = sum((y - constant - slope * x) ** 2 for x, y in points) / (len(points) - 2)
    return (rest / sum((x - mean) ** 2 for x, _ in points)) ** 0.5


def windows_of(lines: list[dict]) -> list[dict]:
    """Return the smallest and the largest memory of each ten minutes."""
    windows = []
    for first in range(0, int(lines[-1]["minute"]), 10):
        memory = [line["memory"] for line in lines[1:] if first <= line["minute"] < first + 10]
        if memory:
            windows.append({"from": first, "to": first + 10, "least": min(memory), "most": max(memory)})
    return windows


def run(options: argparse.Namespace) -> None:
    """Start the comparison and wait for its end."""
    words = [options.command, "compare", options.data, "--methods", options.methods]
    words += ["--outer-folds", str(options.folds), "--repeats", str(options.repeats), "--threads", str(options.threads)]
    words += ["--log", options.log, "--quiet", "--json", options.log + ".json"]
    if options.time_limit:
        words += ["--time-limit", str(options.time_limit)]
    print(" ".join(words))
    raise SystemExit(subprocess.run(words, check=False).returncode)


def figures(options: argparse.Namespace) -> None:
    """Print the figures of a log."""
    lines = lines_of(Path(options.log))
    later = [(line["minute"], line["memory"]) for line in lines if line["minute"] >= WARM_UP]
    if len(later) < 3:
        raise SystemExit(f"{options.log}: a run of more than {WARM_UP:.0f} minutes is needed")
    slope, _ = slope_of(later)
    memory = [value for _, value in later]
    print(f"{lines[-1]['minute']:.1f} minutes, {len(lines)} lines, {lines[-1]['done']:.1f} % done")
    print(f"memory after {WARM_UP:.0f} minutes: {min(memory):.1f} to {max(memory):.1f} MiB")
    print(f"slope of least squares: {60 * slope:+.1f} MiB an hour, standard error {60 * error_of(later):.1f}")
    end = lines[-1]["minute"]
    half = [(x, y) for x, y in later if x >= (WARM_UP + end) / 2]
    print(f"of the second half: {60 * slope_of(half)[0]:+.1f}, standard error {60 * error_of(half):.1f}")
    for window in windows_of(lines):
        print(f"minutes {window['from']} to {window['to']}: {window['least']:.1f} to {window['most']:.1f} MiB")
    if lines[-1]["stage"] == "end":
        for share in (10, 25, 50, 75, 90):
            near = min((line for line in lines if line["left"]), key=lambda line: abs(line["done"] - share))
            print(f"at {near['done']:.0f} %: {near['left']:.1f} minutes said, {end - near['minute']:.1f} taken")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    starting = parts.add_parser("run")
    starting.add_argument("--command", default="build/credence")
    starting.add_argument("--data", required=True)
    starting.add_argument("--methods", default="cv,nonconformity,holdout,bootstrap")
    starting.add_argument("--folds", type=int, default=10)
    starting.add_argument("--repeats", type=int, default=100)
    starting.add_argument("--threads", type=int, default=1)
    starting.add_argument("--time-limit", type=float)
    starting.add_argument("--log", default="run.log")
    starting.set_defaults(part=run)
    reading = parts.add_parser("figures")
    reading.add_argument("log")
    reading.set_defaults(part=figures)
    options = parser.parse_args()
    options.part(options)


if __name__ == "__main__":
    main()
