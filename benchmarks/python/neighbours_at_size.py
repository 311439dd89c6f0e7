"""Full nearest-neighbour conformal prediction at size, beside FAISS's exact nearest neighbours.

    python neighbours_at_size.py CREDENCE [--rows 50000,100000,200000] [--threads 2] [--limit 600] [--columns 20]

CREDENCE is the command. For every number of rows and for two kinds of rows it prints, as Markdown, what `credence
conformal fit` forecast, what the fit then took, and what FAISS's IndexFlatL2 takes for the same rows: with k = 1, where
the nearest row is the row itself, and with k = 2, where the second is the neighbour. FAISS looks at no labels; a
conformal predictor needs the nearest row of the own class and the nearest of all others.

The rows are generated, with a fixed seed:
  full      independent normal numbers: no two blocks of rows lie far apart
  factors   numbers that follow from six hidden ones, and a little noise, as measured data often do

Seconds of the processor are those of user code; wall seconds also show how busy the machine is. A run that takes longer
than the limit is ended and shown as such, and FAISS is then not run on more rows with that k. The requirements are
numpy and faiss-cpu.
"""

import argparse
import json
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from measured import measured_run  # noqa: E402

KINDS = ("full", "factors")


def generated(kind, rows, columns):
    """Make rows of that kind, and say which are of the second class."""
    random = np.random.default_rng(20)
    second = random.random(rows) < 0.5
    if kind == "full":
        values = random.normal(size=(rows, columns))
        values[:, :4] += second[:, None]
    else:
        hidden = random.normal(size=(rows, 6))
        hidden[:, 0] += second
        values = hidden @ random.normal(size=(6, columns)) + 0.1 * random.normal(size=(rows, columns))
    return values, second


def write_csv(path, values, second):
    """Write the rows with six digits."""
    with open(path, "w") as file:
        file.write(",".join(f"x{j}" for j in range(values.shape[1])) + ",label\n")
        for row, label in zip(values.tolist(), second, strict=True):
            file.write(",".join(f"{value:.6f}" for value in row) + (",b\n" if label else ",a\n"))


def credence(command, values, second, threads, limit, folder):
    """Fit with the command; return its forecast, its seconds, and what the process took."""
    write_csv(folder / "rows.csv", values, second)
    arguments = ["conformal", "fit", str(folder / "rows.csv"), "--scale", "none", "-o", str(folder / "model.credence")]
    arguments += ["--threads", str(threads), "--json", str(folder / "fit.json")]
    measured = measured_run([command, *arguments], limit, folder / "output")
    forecast = re.search(r"forecast: about (.*?) and (.*?) on .* for (\S+) distances", (folder / "output").read_text())
    said = forecast.groups() if forecast else ("none", "none", "none")
    seconds = json.loads((folder / "fit.json").read_text())["seconds"] if measured else None
    return said, seconds, measured


def faiss_process(path, neighbours, threads):
    """Search in a process of its own, and print what that took."""
    import faiss

    faiss.omp_set_num_threads(threads)
    rows = np.load(path)
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    wall, user = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    index.search(rows, neighbours)
    user = resource.getrusage(resource.RUSAGE_SELF).ru_utime - user
    json.dump({"wall": time.perf_counter() - wall, "user": user, "version": faiss.__version__}, sys.stdout)


def faiss_search(values, neighbours, threads, limit, folder):
    """Return what FAISS took, or None after the limit."""
    np.save(folder / "rows.npy", values.astype(np.float32))
    command = [sys.executable, __file__, "--faiss", str(folder / "rows.npy"), str(neighbours), str(threads)]
    measured = measured_run(command, limit, folder / "output")
    return json.loads((folder / "output").read_text()) if measured else None


def shown(seconds, limit):
    """Return the seconds as text."""
    return f"over {limit:g}" if seconds is None else f"{seconds:.1f}"


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--faiss"]:
        faiss_process(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("credence")
    parser.add_argument("--rows", default="50000,100000,200000")
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=600, help="seconds of one run")
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    print(
        "| rows | kind | forecast s, GB, distances | fit: wall s | whole run: user s | peak MB "
        "| FAISS k = 1: wall s | user s | FAISS k = 2: wall s | user s |"
    )
    print("| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    given_up = set()
    for rows in map(int, options.rows.split(",")):
        for kind in options.kinds.split(","):
            values, second = generated(kind, rows, options.columns)
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                said, seconds, measured = credence(
                    options.credence, values, second, options.threads, options.limit, folder
                )
                cells = [", ".join(said), shown(seconds, options.limit)]
                cells += [
                    shown(measured and measured["user"], options.limit),
                    shown(measured and measured["megabytes"], options.limit),
                ]
                for neighbours in (1, 2):
                    # FAISS takes the same time for any kind, and longer for more rows.
                    if kind == KINDS[0] and neighbours not in given_up:
                        peer = faiss_search(values, neighbours, options.threads, options.limit, folder)
                        if peer is None:
                            given_up.add(neighbours)
                        cells += [shown(peer and peer[name], options.limit) for name in ("wall", "user")]
                    else:
                        cells += ["", ""]
            print(f"| {rows:,} | {kind} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
