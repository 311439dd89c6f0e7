"""The command `credence` of the package: it starts the program that the package carries, and imports nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


def program() -> Path:
    """Return the program beside the module of the package, which is looked for, but not imported."""
    package = find_spec("credence")
    name = "_command.exe" if os.name == "nt" else "_command"
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder) / name
        if path.is_file():
            return path
    raise SystemExit("credence: this package was built without the command")


def main() -> None:
    """Become the program, with the same arguments."""
    path = str(program())
    if os.name == "nt":  # where a program that another one becomes runs on behind the shell's back
        raise SystemExit(subprocess.run([path, *sys.argv[1:]], check=False).returncode)
    os.execv(path, [path, *sys.argv[1:]])
