"""Checks that the pages of a built site load nothing from elsewhere: no script, style, font or picture.

Use: python scripts/docs/check_site.py build/site
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

#: An address of another machine in a place from which a browser loads.
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*href=["']?(?:https?:)?//"""
)
LOADED_BY_STYLE = re.compile(r"""(?:url\(|@import )["']?(?:https?:)?//""")

#: The title of a block that tests do not run.
MARKED = '<span class="filename">Not run by the tests'


def outside(folder: Path) -> list[str]:
    """Return the files that load something from elsewhere."""
    found = [path for path in folder.rglob("*.html") if LOADED.search(path.read_text(encoding="utf-8"))]
    found += [path for path in folder.rglob("*.css") if LOADED_BY_STYLE.search(path.read_text(encoding="utf-8"))]
    return [path.relative_to(folder).as_posix() for path in found]


if __name__ == "__main__":
    files = outside(Path(sys.argv[1]))
    if "{parameters}" in (Path(sys.argv[1]) / "python-reference.html").read_text(encoding="utf-8"):
        sys.exit("python-reference.html: an estimator lacks its parameters")
    pages = [path for path in Path(sys.argv[1]).rglob("*.html") if MARKED in path.read_text(encoding="utf-8")]
    if pages:
        sys.exit(f"these pages show a mark that is for the tests alone: {', '.join(map(str, pages))}")
    if files:
        sys.exit(f"these files of the site load something from elsewhere: {', '.join(files)}")
