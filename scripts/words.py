"""Holds public names and texts to the glossary: one word, one meaning.

docs/glossary.md says the words. A retired word is one that meant something else before, or that the field does not use;
it may come back into no public header, no header of distributed/ and no source of the Python package. A retired name is
one of a flag, a JSON key, a CSV column or a field of a chart, and may come back into no source and no page. Each is
named with its file and line.
"""

import re
import sys
from functools import partial
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

#: Words of training and choice. The first stand in names and texts, the others in texts.
TRAINING = {
    r"\b(selection::|One|Trained|InSample)?Cells?\b|\b(best|chosen)[ _]cells?\b|\bcells? of (the|a) grid\b": "setting",
    r"\w*[Ss]iblings?\w*": "fold model",
    r"\b\w*[Dd]uels?\b": "one-against-one SVM, pair of classes",
    r"\b(a|an|each|one|every|binary|single|several|the|of) machines?\b": "SVM, model, member (or computer)",
    r"\b[Hh]and(s|ed)? over\b": "return",
    r"\bparted\b": "split, separated",
    r"\bkept apart\b": "held out",
}

#: Names of conformal prediction that may not be written, and those that stand for them.
CONFORMAL = {
    r"--eps\b|\"eps\"|`eps`": "confidence_level",
    r"--trust\b|\btrust=\"|field\(\"trust\"|\bTrust::|`measured`": "p_values: cross, nested, split",
    r"\bregion_(\{|EPS\b|0\.\d|misses\b|interval\b)|\b(in_region|count_regions)\b": "prediction set",
    r"[Ss]trangeness": "nonconformity score",
}
#: Where these names of flags, JSON keys, CSV columns and fields of charts stand.
CONFORMAL_PLACES = (
    *(f"{room}/**/*.[ch]pp" for room in ("cli", "distributed", "include", "report", "reproduce", "selfcheck", "src")),
    *("README.md", "docs/**/*.md", "report/charts/*.json", "python/credence/**/*.py", "python/src/*.[ch]pp"),
)

#: Parts of names of the command, JSON and CSV, and where such names are written.
NAME_PARTS = {
    "cell": "setting",
    "sibling": "fold_model",
    "machine": "svm, rvm, member",
    "duel": "pair",
    "way": "division",
    "place": "prior",
    "told": "reported",
    "eps": "confidence_level",
    "trust": "p_values",
    "strangeness": "nonconformity",
}
NAME_PLACES = (
    *("report/**/*.[ch]pp", "cli/*.cpp", "include/**/*.hpp"),
    *("src/io/kinds/*.cpp", "src/selection/*.cpp"),
)
NAME = re.compile(
    r'"([a-z][a-z0-9_]*)"_key|(?:field|spelling|add_numbers)\((?:columns, )?"([a-z][a-z0-9_]*)"|"--([a-z-]+)"'
)
#: What model files keep: docs/model-file.md.
KEPT_NAMES = {"machines", "machine"}


def retired(text: str, words: dict[str, str]) -> list[tuple[int, str, str]]:
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
            word = NAME_PARTS.get(part.removesuffix("s"))
            if word and name not in KEPT_NAMES:
                found.append((text.count("\n", 0, hit.start()) + 1, name, word))
    return found


def problems() -> list[str]:
    """Return a sentence for each retired word."""
    said = []
    rules = [(PLACES, RETIRED), (PLACES, TRAINING), (CONFORMAL_PLACES, CONFORMAL)]
    searches = [(places, partial(retired, words=words)) for places, words in rules] + [(NAME_PLACES, retired_names)]
    for places, search in searches:
        for path in sorted({path for place in places for path in SOURCE.glob(place)}):
            for line, hit, word in search(path.read_text(encoding="utf-8")):
                said.append(f"{path.relative_to(SOURCE)}:{line}: {hit!r} is retired; docs/glossary.md says {word}")
    return said


if __name__ == "__main__":
    tried = (("a cell of the feature space", RETIRED), ("the best cell", TRAINING), ("predict --eps 0.05", CONFORMAL))
    if not all(retired(text, words) for text, words in tried) or not retired_names('"best_cell"_key = 1'):
        sys.exit("words.py finds no retired word where one is")
    found = problems()
    print("\n".join(found) or "public names and texts keep to docs/glossary.md")
    sys.exit(1 if found else 0)
