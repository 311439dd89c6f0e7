"""The command `credence` of the package: it starts the program that the package carries, and imports nothing else."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path


def program() -> Path:
    """Return the program beside the module of the package, which is looked for, but not imported."""
    package = find_spec("credence")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder) / "_command"
        if path.is_file():
            return path
    raise SystemExit("credence: this package was built without the command")


def main() -> None:
    """Become the program, with the same arguments."""
    path = str(program())
    os.execv(path, [path, *sys.argv[1:]])
