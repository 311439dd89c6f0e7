"""Write what type checkers read: credence/_core.pyi from the module, credence/_signatures.pyi from its descriptions.

    python scripts/python_stubs.py           rewrites both, from the package that is installed
    python scripts/python_stubs.py --check   says what differs

The build-time package nanobind has to be installed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import credence
from credence import reading
from credence._options import sentence_of

FOLDER = Path(__file__).parent.parent / "python" / "credence"
CLASSES = [
    credence.SVC,
    credence.SVCSearchCV,
    credence.RVC,
    credence.RVR,
    credence.KernelValiditySearch,
    credence.KernelValiditySearchRegressor,
    credence.FullConformalKNeighborsClassifier,
    credence.FullConformalSVC,
]
HEAD = '''"""Signatures that are made of the descriptions of the C++ options; written by scripts/python_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

'''


def signatures() -> str:
    """Return a class for each estimator: a typed ``__init__``, and the parameters as attributes with sentences."""
    text = HEAD
    described = [(kind.__name__, kind._options) for kind in CLASSES]
    for name, options in [*described, ("Read", reading.OPTIONS)]:
        text += f"class {name}Arguments:\n"
        for option in options:
            text += f"    {option.name}: {option.annotation}\n"
            text += f'    """{sentence_of(option)}"""\n'
        text += "    def __init__(\n        self,\n        *,\n"
        for option in options:
            text += f"        {option.name}: {option.annotation} = {option.default!r},\n"
        text += "    ) -> None: ...\n\n"
    return text.rstrip() + "\n"


def core() -> str:
    """Return the stub of the module."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "_core.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "credence._core", "-o", str(path)]
        subprocess.run(command, check=True)
        text = path.read_text().replace("-> object:", "-> Any:").replace(": object", ": Any")
        text = text.replace("from typing import Annotated", "from typing import Annotated, Any")
        return text.replace("\n\n\n", "\n\n__version__: str\n\n", 1)


def main() -> int:
    """Write or check both files."""
    wanted = {FOLDER / "_core.pyi": core(), FOLDER / "_signatures.pyi": signatures()}
    different = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in different:
            print(f"{path.name} is not what the module says: run python scripts/python_stubs.py")
        return 1 if different else 0
    for path in different:
        path.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
