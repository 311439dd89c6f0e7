"""Holds public names and texts to the glossary: one word, one meaning.

docs/glossary.md says the words. A retired word is one that meant something else before; it may come back into no public
header, no header of distributed/ and no source of the Python package. A retired name is one of a flag, a JSON key, a
CSV column or a field of a chart, and may come back into no source and no page. Each is named with its file and line.
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

#: Where names of flags, JSON keys, CSV columns and fields of charts stand.
NAME_PLACES = (
    *(f"{room}/**/*.[ch]pp" for room in ("cli", "distributed", "include", "report", "reproduce", "selfcheck", "src")),
    *("README.md", "docs/**/*.md", "report/charts/*.json", "python/credence/**/*.py", "python/src/*.[ch]pp"),
)

#: Names of conformal prediction that may not be written, and those that stand for them.
RETIRED_NAMES = {
    r"--eps\b|\"eps\"|`eps`": "confidence_level",
    r"--trust\b|\btrust=\"|field\(\"trust\"|\bTrust::|`measured`": "p_values: cross, nested, split",
    r"\bregion_(\{|EPS\b|0\.\d|misses\b|interval\b)|\b(in_region|count_regions)\b": "prediction set",
    r"[Ss]trangeness": "nonconformity score",
}


def retired(text: str, words: dict[str, str] = RETIRED) -> list[tuple[int, str, str]]:
    """Return the line, the text and the right word of each retired word."""
    found = []
    for pattern, word in words.items():
        for hit in re.finditer(pattern, text):
            found.append((text.count("\n", 0, hit.start()) + 1, hit[0], word))
    return sorted(found)


def retired_names(text: str) -> list[tuple[int, str, str]]:
    """Return the line, the name and the right word of each name that has a retired word."""
    found = []
    for hit in NAME.finditer(text):
        name = next(group for group in hit.groups() if group)
        for part in re.split("[_-]", name):
            word = RETIRED_NAMES.get(part.removesuffix("s"))
            if word and name not in KEPT_NAMES:
                found.append((text.count("\n", 0, hit.start()) + 1, name, word))
    return found


def problems() -> list[str]:
    """Return a sentence for each retired word."""
    said = []
    for places, words in ((PLACES, RETIRED), (NAME_PLACES, RETIRED_NAMES)):
        for path in sorted({path for place in places for path in SOURCE.glob(place)}):
            for line, hit, word in retired(path.read_text(encoding="utf-8"), words):
                said.append(f"{path.relative_to(SOURCE)}:{line}: {hit!r} is retired; docs/glossary.md says {word}")
    return said


if __name__ == "__main__":
    if not retired("a cell of the feature space") or not retired_names('"best_cell"_key = 1'):
        sys.exit("words.py finds no retired word where one is")
    if not retired("predict --eps 0.05", RETIRED_NAMES):
        sys.exit("words.py finds no retired name where one is")
    found = problems()
    print("\n".join(found) or "public names and texts keep to docs/glossary.md")
    sys.exit(1 if found else 0)
