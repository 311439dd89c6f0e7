"""Reads a CSV with a peer, the last column as text; prints seconds and the peak of memory as JSON.

Usage: reading_peers.py pandas|pandas_pyarrow|polars|pyarrow FILE
"""

import importlib
import json
import resource
import sys
import time


def main() -> None:
    """Read the file and print what it took."""
    name, path = sys.argv[1:]
    module = importlib.import_module("pandas" if name.startswith("pandas") else name)
    if name == "pyarrow":
        module = importlib.import_module("pyarrow.csv")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    if name == "pandas":
        rows = len(module.read_csv(path))
    elif name == "pandas_pyarrow":
        rows = len(module.read_csv(path, engine="pyarrow"))
    elif name == "polars":
        rows = module.read_csv(path).height
    else:
        rows = module.read_csv(path).num_rows
    seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    json.dump({"seconds": seconds, "rows": rows, "megabytes": peak}, sys.stdout)


if __name__ == "__main__":
    main()
