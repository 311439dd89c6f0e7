"""Holds public names and texts to the glossary: one word, one meaning.

docs/glossary.md says the words. A retired word is one that meant something else before; it may come back into no public
header, no header of distributed/ and no source of the Python package. Each is named with its file and line.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PLACES = ("include/**/*.hpp", "distributed/*.hpp", "python/credence/*.py", "python/credence/*.pyi")

#: What may not be written, and the word of the glossary that stands for it.
RETIRED = {
    r"\bcells? of the (feature )?space": "region",
    r"\b(Cell(Options|Tasks|Calls)|_?run_cells|in_cells|by_cell|cells_seconds|cell_rows|rows_of_cell)\b": "region",
    r"\bparts? of the (feature )?space": "region",
    r"\b(Part(Report|Result|Machine|Rows)|(un\w+|train|select|run|merge)_parts?|(has|in)_parts)\b": "region",
    r"\b(of_part|(rows_)?by_part|part_of|part_rows|parts_of)\b|\b(Scores|Prediction|Calibration)::part\b": "region",
    r"\bvector<(int|std::uint32_t)> part\b": "region",
    r"\b[Mm]issing cells?\b|\bcells? (is|are) missing\b": "value",
    r"\b\w*Tasks\w*\b|\b_?\w+_tasks?\b(?!\()|\b[Tt]asks\b": "shard",
    r"\b(Selection|TrainingRecord)::folds\b|\b(record|selection|chosen)\.folds\b|\bresult\w*\[\"folds\"\]": "resamples",
}


def retired(text: str) -> list[tuple[int, str, str]]:
    """Return the line, the text and the right word of each retired word."""
    found = []
    for pattern, word in RETIRED.items():
        for hit in re.finditer(pattern, text):
            found.append((text.count("\n", 0, hit.start()) + 1, hit[0], word))
    return sorted(found)


def problems() -> list[str]:
    """Return a sentence for each retired word."""
    said = []
    for path in sorted(path for place in PLACES for path in SOURCE.glob(place)):
        for line, hit, word in retired(path.read_text(encoding="utf-8")):
            said.append(f"{path.relative_to(SOURCE)}:{line}: {hit!r} is retired; docs/glossary.md says {word}")
    return said


if __name__ == "__main__":
    if not retired("a cell of the feature space"):
        sys.exit("words.py finds no retired word where one is")
    found = problems()
    print("\n".join(found) or "public names and texts keep to docs/glossary.md")
    sys.exit(1 if found else 0)
