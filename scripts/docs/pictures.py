"""Makes docs/images/page.png anew with Chromium: the page of a result that docs/index.md makes, in part.

README.md shows it where no build has drawn it, so it is a file. It is as wide as a small window, so that a telephone
can show it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import examples
from PIL import Image

SOURCE = Path(__file__).resolve().parents[2]
WIDTH, SCALE = 600, 1.3
CHROMIUM = os.environ.get("CREDENCE_CHROMIUM", "chromium")

#: The parts of the page that are shown, in lines of pixels of a screen with one pixel a point.
PARTS = [(0, 340), (1085, 1490)]


def shot(page: Path, picture: Path, parts: list[tuple[int, int]]) -> None:
    """Write parts of a page, one below the other."""
    whole = picture.with_suffix(".whole.png")
    size = f"--window-size={WIDTH},{max(last for _, last in parts)}"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000"]
    scale = f"--force-device-scale-factor={SCALE}"
    subprocess.run(
        [CHROMIUM, *flags, scale, size, f"--screenshot={whole}", page.as_uri()], check=True, capture_output=True
    )
    with Image.open(whole) as shown:
        pieces = [shown.crop((0, int(first * SCALE), shown.width, int(last * SCALE))) for first, last in parts]
    joined = Image.new("RGB", (pieces[0].width, sum(piece.height for piece in pieces)))
    height = 0
    for piece in pieces:
        joined.paste(piece, (0, height))
        height += piece.height
    joined.quantize(128).save(picture, optimize=True)
    whole.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/credence")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = examples.place_for(Path(folder), SOURCE, arguments.command)
        examples.updated(SOURCE / "docs" / "index.md", Path(folder), environment)
        shot(Path(folder) / "page.html", SOURCE / "docs" / "images" / "page.png", PARTS)
