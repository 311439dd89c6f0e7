"""Makes the pictures of result pages in docs/images/ anew, with Chromium:  scripts/docs/pictures.py [NAME ...]

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

SOURCE = Path(__file__).resolve().parents[2]
WIDTH, SCALE = 520, 1.5
CHROMIUM = os.environ.get("CREDENCE_CHROMIUM", "chromium")

#: Of each picture: the page of the docs, what else is run, the result's page, and from where to where it is shown.
PICTURES = {
    "page": ("index.md", "", "page.html", 0, 1330),
    "case-credit": (
        "cases/other-default-rate.md",
        "credence evaluate credit.credence elsewhere.csv --limit default=0.1,paid=0.2 --by region --report page.html",
        "page.html",
        0,
        900,
    ),
    "case-genes": ("cases/forty-rows.md", "", "genes.html", 0, 900),
    "case-hospital": (
        "cases/next-hospital.md",
        "credence evaluate there.credence there_later.csv --limit ill=0.05,well=0.1 --report page.html",
        "page.html",
        0,
        900,
    ),
    "case-screening": ("cases/screening.md", "", "limits.html", 0, 900),
    "case-visits": (
        "cases/visits.md",
        "credence evaluate patients.credence new_patients.csv --eps 0.05,0.1 --report page.html",
        "page.html",
        0,
        900,
    ),
}


def shot(page: Path, picture: Path, first: int, last: int) -> None:
    """Write the lines of pixels from first to last of a page, as of a screen of one pixel a point."""
    whole = picture.with_suffix(".whole.png")
    subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=20000"]
        + [f"--force-device-scale-factor={SCALE}", f"--window-size={WIDTH},{last}", f"--screenshot={whole}"]
        + [page.as_uri()],
        check=True,
        capture_output=True,
    )
    crop = f"{int(WIDTH * SCALE)}x{int((last - first) * SCALE)}+0+{int(first * SCALE)}"
    subprocess.run(["convert", whole, "-crop", crop, "+repage", "-colors", "64", f"PNG8:{picture}"], check=True)
    whole.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Makes the pictures of result pages anew.")
    parser.add_argument("names", nargs="*", default=list(PICTURES))
    parser.add_argument("--command", default="build/credence")
    parser.add_argument("--folder", type=Path, default=SOURCE / "docs" / "images")
    arguments = parser.parse_args()
    for name in arguments.names:
        text, further, result, first, last = PICTURES[name]
        with tempfile.TemporaryDirectory() as folder:
            environment = examples.place_for(Path(folder), SOURCE, arguments.command)
            examples.updated(SOURCE / "docs" / text, Path(folder), environment)
            if further and (done := examples.run(further, Path(folder), environment)).returncode:
                raise SystemExit(f"{further}: {done.stderr}")
            shot(Path(folder) / result, arguments.folder.resolve() / f"{name}.png", first, last)
