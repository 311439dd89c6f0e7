"""Sentences of the project that promise something, each listed with the condition of its promise.

Looked at are README.md, CHANGELOG.md and docs/; the docstrings and texts of python/credence; the texts of the command
(cli/), of reports and pages (report/) and of the library's headers, which hold the sentences of all options; and the
comments of the headers, which are published as reference. Generated parts of docs are covered by these sources.

`promises.txt` beside this file begins with terms, a line `TERM ~ MEANING` each: names such as "honest estimate",
which promise nothing beyond their meaning. A block for each condition follows: a line `= CONDITION`, then one sentence
a line. A sentence with one of WORDS outside a term must stand in a block, and each sentence of a block must stand in
one of the sources. So whoever writes a promise states its condition, and a reader of the change sees both.

Use: python scripts/docs/promises.py    prints the sentences that are not listed, and those that are gone
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("promises.txt")
#: Words of promises.
WORDS = re.compile(r"\b(proved|proof|proves|exact|exactly|honest|guarantee[sd]?|certified)\b", flags=re.IGNORECASE)
#: Claims that need no such word.
CLAIMS = re.compile(
    r"\b(valid|validity|promise[sd]?|probability at most|errors are (then )?(below|at most|no more)"
    r"|miss(es)? (in )?at most|at most \d+ % of)\b",
    flags=re.IGNORECASE,
)
#: A text of a program with fewer words is a key or a name.
LEAST_WORDS = 4


def has_promise(text: str) -> bool:
    """Return whether the text has a word of a promise."""
    return bool(WORDS.search(text) or CLAIMS.search(text))


def without_words(text: str) -> str:
    """Return the text without the words of promises."""
    return CLAIMS.sub("", WORDS.sub("", text))


def prose_of(text: str) -> list[str]:
    """Return paragraphs, list items, headings and rows of tables of a page: no code, no generated part, no markup."""
    text = re.sub(r"^ *```.*?^ *```[ \t]*$", "\n\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!-- generated: .*?<!-- end -->", "\n\n", text, flags=re.DOTALL)
    text = re.sub(r"^(?:    (?! *[-*] )).*$", "", text, flags=re.MULTILINE)  # formulas
    text = re.sub(r"!?\[((?:[^\]\[]|\[[^\]]*\])*)\]\([^)\s]*\)", r"\1", text)
    text = re.sub(r"`[^`\n]*`", lambda code: without_words(code.group(0)), text)
    parts = re.split(r"\n\s*\n|\n(?= *(?:[-*>|#]|\d+\.) )|\n(?=\|)", text)
    return [re.sub(r"\s+", " ", part).strip() for part in parts if part.strip()]


def text_of(node: ast.AST) -> str:
    """Return a text of Python; {} stands for what a format fills in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def prose_of_python(source: str) -> list[str]:
    """Return paragraphs of docstrings and other texts; no examples, no titles of papers."""
    nodes = list(ast.walk(ast.parse(source)))
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    texts = [text_of(node) for node in nodes if id(node) not in inside]
    parts = []
    for text in texts:
        text = re.sub(r"\n *(References|Examples)\n *-+\n.*", "", text, flags=re.DOTALL)
        text = re.sub(r"`[^`\n]*`", lambda code: without_words(code.group(0)), text)
        parts += re.split(r"\n\s*\n|\n(?= *\w+ : )|(?<= : )|\n(?= *-+\n)", text)
    return long_ones(parts)


def long_ones(parts: list[str]) -> list[str]:
    """Return the parts that are sentences, on one line each."""
    lines = [re.sub(r"\s+", " ", part).strip() for part in parts]
    return [line for line in lines if len(line.split()) >= LEAST_WORDS]


def comments_of(source: str) -> list[str]:
    """Return the paragraphs of a header's published comments, without the example at its head."""
    lines = []
    for line in source.splitlines():
        comment = re.search(r"///(<?)(.*)$", line)
        lines.append("" if not comment else f"\n{comment.group(2)}\n" if comment.group(1) else comment.group(2))
    text = "\n".join(lines)
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`|\w+::\w+(?:::\w+)*", lambda code: without_words(code.group(0)), text)
    return long_ones(re.split(r"\n\s*\n|(?=@(?:param|return|throws)\b)|\n(?= *- )", text))


def literals_of(source: str) -> list[str]:
    """Return the texts in C++: literals side by side are one text."""
    raw = re.findall(r'R"(\w*)\((.*?)\)\1"', source, flags=re.DOTALL)
    source = re.sub(r'R"(\w*)\(.*?\)\1"', '""', source, flags=re.DOTALL)
    source = re.sub(r"'\\?\"'|^ *#include.*$|(?<!:)//.*$", "", source, flags=re.MULTILINE)
    one = r'"(?:[^"\\\n]|\\.)*"'
    found = [text for _, text in raw]
    for match in re.finditer(rf"{one}(?:\s*{one})*", source):
        pieces = re.findall(one, match.group(0))
        found.append("".join(piece[1:-1] for piece in pieces).replace('\\"', '"').replace("\\n", "\n"))
    parts = [part for text in found for part in re.split(r"\n\s*\n|\n(?= {2})", text)]
    return long_ones(parts)


@cache
def names() -> re.Pattern[str]:
    """Return the pattern of the names that promise nothing beyond their meaning."""
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    terms = [line.split(" ~ ")[0] for line in lines if " ~ " in line and not line.startswith("= ")]
    return re.compile("|".join(rf"\b{re.escape(term)}s?\b" for term in terms) or "$^", flags=re.IGNORECASE)


def promises_in(parts: list[str]) -> list[str]:
    """Return the sentences of paragraphs that have a word of a promise outside a term, in their order."""
    found = []
    for part in parts:
        rows = part.startswith("|")
        pieces = [part] if rows else re.split(r"(?<=[.!?])[*)_]*\s+(?=[*_`(]*[A-Z0-9`])", part)
        found += [piece for piece in pieces if has_promise(names().sub("", piece.replace("*", "")))]
    return found


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a page that have a word of a promise outside a term, in their order."""
    return promises_in(prose_of(text))


def here() -> list[tuple[Path, str]]:
    """Return all sentences that promise something, each with its file."""
    kinds = {
        prose_of: [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))],
        # _arguments.py is made of the descriptions of options, whose literals are looked at below.
        prose_of_python: sorted(
            {*(ROOT / "python" / "credence").rglob("*.py")} - {ROOT / "python" / "credence" / "_arguments.py"}
        ),
        comments_of: sorted((ROOT / "include").rglob("*.hpp")),
        literals_of: [
            *sorted((ROOT / "include").rglob("*.hpp")),
            *sorted((ROOT / "cli").rglob("*.?pp")),
            *sorted((ROOT / "report").rglob("*.?pp")),
        ],
    }
    return [
        (path, line)
        for parts_of, paths in kinds.items()
        for path in paths
        for line in promises_in(parts_of(path.read_text(encoding="utf-8")))
    ]


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
    found = [f"{path.relative_to(ROOT).as_posix()}: {line}" for path, line in here() if not conditions.get(line)]
    present = {line for _, line in here()}
    return found + [f"nowhere any more: {line}" for line in conditions if line not in present]


if __name__ == "__main__":
    lines = problems()
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
