"""Sentences of README.md and docs/ that promise something, each listed with the condition of its promise.

`promises.txt` beside this file begins with terms, a line `TERM ~ MEANING` each: names such as "honest estimate",
which promise nothing beyond their meaning. A block for each condition follows: a line `= CONDITION`, then one sentence
a line. A sentence of the docs with one of WORDS outside a term must stand in a block, and every sentence of a block
must stand in the docs. So whoever writes a promise states its condition, and a reader of the change sees both.

Use: python scripts/docs/promises.py    prints the sentences that are not listed, and those that are gone
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("promises.txt")
WORDS = re.compile(r"\b(proved|proof|proves|exact|exactly|honest|guarantee[sd]?)\b", flags=re.IGNORECASE)


def prose_of(text: str) -> list[str]:
    """Return paragraphs, list items, headings and rows of tables of a page: no code, no generated part, no markup."""
    text = re.sub(r"^ *```.*?^ *```[ \t]*$", "\n\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!-- generated: .*?<!-- end -->", "\n\n", text, flags=re.DOTALL)
    text = re.sub(r"^(?:    (?! *[-*] )).*$", "", text, flags=re.MULTILINE)  # formulas
    text = re.sub(r"!?\[((?:[^\]\[]|\[[^\]]*\])*)\]\([^)\s]*\)", r"\1", text)
    text = re.sub(r"`[^`\n]*`", lambda code: WORDS.sub("", code.group(0)), text)
    parts = re.split(r"\n\s*\n|\n(?= *(?:[-*>|#]|\d+\.) )|\n(?=\|)", text)
    return [re.sub(r"\s+", " ", part).strip() for part in parts if part.strip()]


def terms() -> list[str]:
    """Return the names that promise nothing beyond their meaning."""
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    return [line.split(" ~ ")[0] for line in lines if " ~ " in line and not line.startswith("= ")]


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a page that have one of WORDS outside a term, in their order."""
    names = re.compile("|".join(rf"\b{re.escape(term)}s?\b" for term in terms()) or "$^", flags=re.IGNORECASE)
    found = []
    for part in prose_of(text):
        rows = part.startswith("|")
        pieces = [part] if rows else re.split(r"(?<=[.!?])[*)_]*\s+(?=[*_`(]*[A-Z0-9`])", part)
        found += [piece for piece in pieces if WORDS.search(names.sub("", piece.replace("*", "")))]
    return found


def pages() -> list[Path]:
    """Return the pages whose sentences are checked."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def listed() -> dict[str, str]:
    """Return the condition of each sentence that is listed."""
    conditions: dict[str, str] = {}
    condition = ""
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            condition = line.removeprefix("= ").strip()
        elif line.strip() and " ~ " not in line:
            conditions[line] = condition
    return conditions


def problems() -> list[str]:
    """Return a line for each sentence that is not listed with a condition, and for each that is gone."""
    conditions = listed()
    here = [(page, line) for page in pages() for line in sentences_of(page.read_text(encoding="utf-8"))]
    found = [f"{page.relative_to(ROOT).as_posix()}: {line}" for page, line in here if not conditions.get(line)]
    present = {line for _, line in here}
    return found + [f"not in the docs any more: {line}" for line in conditions if line not in present]


if __name__ == "__main__":
    lines = problems()
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
