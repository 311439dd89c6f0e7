"""A run of another program, and what the process cost."""

import os
import subprocess
import time
from pathlib import Path

# Options of `credence select` for one rbf SVM on standardised columns: the best of the settings of LIBSVM's grid.py.
BEST_RBF = ["--kernel", "rbf", "--scale", "standard", "--rule", "best"]
LIBSVM_GRID = ["--C", "2^-5:2^15:x4", "--gamma", "2^-15:2^3:x4"]


def measured_run(words: list[str], limit: float | None = None, output: Path | None = None) -> dict | None:
    """Run a command to its end.

    Returns wall seconds, processor seconds of user code (`user`) and with the system's (`cpu`), and peak memory in MB;
    None if the limit in seconds ended the run. Both streams of the command go to the file `output`, else to nowhere.
    Raises SystemExit if the command fails.
    """
    with open(output or os.devnull, "w") as stream:
        start = time.perf_counter()
        process = subprocess.Popen(words, stdout=stream, stderr=subprocess.STDOUT)
        while True:
            number, status, usage = os.wait4(process.pid, 0 if limit is None else os.WNOHANG)
            if number:
                break
            if time.perf_counter() - start > limit:
                process.kill()
                os.wait4(process.pid, 0)
                return None
            time.sleep(0.02)
        wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        said = Path(output).read_text() if output else ""
        raise SystemExit(f"{' '.join(map(str, words))} ended with status {process.returncode}\n{said}")
    cpu = usage.ru_utime + usage.ru_stime
    return {"wall": wall, "user": usage.ru_utime, "cpu": cpu, "megabytes": usage.ru_maxrss / 1024}
