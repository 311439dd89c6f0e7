"""Cost, memory and error of `credence select --region-size` on generated rows.

Regions choose as by default: partitions of several kernels and scalings are averaged, unless `--options` say otherwise.

The rows lie near a surface of four dimensions in a space of 20: x = A z + noise, z uniform on [-2, 2]^4, and the class
is the sign of sin(2 z1) + sin(2 z2) + z3 z4, of which a share of five per cent is turned. Everything is drawn by a seed.

    python benchmarks/regions.py --command build/credence --rows 20000 50000 200000 1000000 --region-size 2000
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
from measured import measured_run

TEST_ROWS = 200_000  # the standard error of 9 % is then 0.06 points
BLOCK = 50_000


def write_rows(path: Path, rows: int, seed: int) -> None:
    """Write a CSV of so many rows; the surface is the same for every seed."""
    surface = np.random.default_rng(16).normal(size=(4, 20))
    random = np.random.default_rng(seed)
    with path.open("w") as file:
        file.write(",".join(f"x{j + 1}" for j in range(20)) + ",label\n")
        for first in range(0, rows, BLOCK):
            n = min(BLOCK, rows - first)
            z = random.uniform(-2, 2, size=(n, 4))
            x = z @ surface + 0.3 * random.normal(size=(n, 20))
            label = np.sin(2 * z[:, 0]) + np.sin(2 * z[:, 1]) + z[:, 2] * z[:, 3] > 0
            label ^= random.uniform(size=n) < 0.05
            np.savetxt(file, np.column_stack([x, label]), fmt=["%.4f"] * 20 + ["%d"], delimiter=",")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 50_000, 200_000])
    parser.add_argument("--region-size", type=int, default=2000)
    parser.add_argument("--options", nargs="*", default=[], help="further options of select, without their dashes")
    given = parser.parse_args()
    more = [f"--{option}" if k % 2 == 0 else option for k, option in enumerate(given.options)]
    print("| rows | select, s | CPU s | CPU ms a row | peak MB | predict 200,000 rows, s | test error |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_rows(place / "test.csv", TEST_ROWS, 2)
        for rows in given.rows:
            write_rows(place / "train.csv", rows, 1)
            model, found = str(place / "m.credence"), place / "found.json"
            words = [given.command, "select", str(place / "train.csv"), "--region-size", str(given.region_size)]
            chosen = measured_run([*words, "-o", model, "--quiet", *more])
            words = [given.command, "evaluate", model, str(place / "test.csv"), "--json", str(found), "--quiet"]
            judged = measured_run(words)
            error = json.loads(found.read_text())["error"]
            print(
                f"| {rows:,} | {chosen['wall']:.1f} | {chosen['cpu']:.1f} | {1000 * chosen['cpu'] / rows:.2f} "
                f"| {chosen['megabytes']:.0f} | {judged['wall']:.2f} | {100 * error:.2f} % |",
                flush=True,
            )


if __name__ == "__main__":
    main()
