"""Makes the pictures of result pages in docs/images/ anew, with Chromium.

The commands of a page of the docs are run in a folder of their own, and then the command that writes the page of the
picture. A picture is a part of that page as wide as a small window, so that a telephone can show it.
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

#: Of each picture: the page of the docs, what else is run, the result's page, and which parts of it are shown, in lines
#: of pixels of a screen with one pixel a point.
PICTURES = {
    "page": ("index.md", "", "page.html", [(0, 340), (1028, 1433)]),
    "case-credit": (
        "cases/other-default-rate.md",
        "credence evaluate credit.credence elsewhere.csv --limit default=0.1,paid=0.2 --by region --report page.html",
        "page.html",
        [(0, 645), (1110, 2310)],
    ),
    "case-genes": ("cases/forty-rows.md", "", "genes.html", [(0, 1400)]),
    "case-hospital": (
        "cases/next-hospital.md",
        "credence evaluate there.credence there_later.csv --limit ill=0.05,well=0.1 --report page.html",
        "page.html",
        [(0, 590), (1060, 1475)],
    ),
    "case-screening": ("cases/screening.md", "", "limits.html", [(0, 1132)]),
    "case-visits": (
        "cases/visits.md",
        "credence evaluate patients.credence new_patients.csv --eps 0.05,0.1 --report page.html",
        "page.html",
        [(0, 1155)],
    ),
}


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
    parser = argparse.ArgumentParser(description="Makes the pictures of result pages anew.")
    parser.add_argument("names", nargs="*", default=list(PICTURES))
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--folder", type=Path, default=SOURCE / "docs" / "images")
    arguments = parser.parse_args()
    for name in arguments.names:
        text, further, result, parts = PICTURES[name]
        with tempfile.TemporaryDirectory() as folder:
            environment = examples.place_for(Path(folder), SOURCE, arguments.command)
            examples.updated(SOURCE / "docs" / text, Path(folder), environment)
            if further and (done := examples.run(further, Path(folder), environment)).returncode:
                raise SystemExit(f"{further}: {done.stderr}")
            shot(Path(folder) / result, arguments.folder.resolve() / f"{name}.png", parts)
