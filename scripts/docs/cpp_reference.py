"""Pages of the C++ headers: one page a room; the text and the declarations of each header in their order."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

ROOMS = {
    "core": "errors, options that describe themselves, random streams, progress, threads",
    "data": "data sets, readers, preprocessing, splits",
    "kernel": "kernel functions and matrices",
    "model": "what every predictor and prediction has; probabilities",
    "qp": "the quadratic programme and its solver",
    "svm": "support vector machines",
    "neighbours": "exact nearest distances",
    "rvm": "relevance vector machines, their evidence and validity index",
    "selection": "methods of choosing, honest estimates, comparisons",
    "conformal": "nonconformity scores, p-values, prediction sets, intervals",
    "bounds": "limits of an error, as functions of numbers",
    "io": "model files",
    "blas": "OpenBLAS: its core type and its threads",
    "distributed": "long work as shards for other machines",
}

#: Headers of the room that is a library of its own.
DISTRIBUTED = ("outer_shards.hpp", "region_shards.hpp")


def link_to(path: str) -> str:
    """Return the address of include/credence/ROOM[/...] below the site's root."""
    parts = Path(path).relative_to("include/credence").parts
    if not parts or parts[0] not in ROOMS:
        return "cpp-reference/index.md"
    anchor = f"#{anchor_of('/'.join(parts))}" if path.endswith(".hpp") else ""
    return f"cpp-reference/{parts[0]}.md{anchor}"


def prefix_of(header: str) -> str:
    """Return what an include line has before the name of a header."""
    return "" if header.startswith("distributed/") else "credence/"


def anchor_of(header: str) -> str:
    """Return the anchor of a header's section."""
    return re.sub(r"[^a-z0-9]+", "-", header.removesuffix(".hpp").lower()).strip("-")


def sections(text: str):
    """Yield ("text", lines), ("example", lines) and ("code", lines) of a header in their order.

    Comments of three strokes at the margin are text; everything else is code, without includes, guards and the braces
    of namespaces. A comment of a member stays with its member in the code.
    """
    lines = [line for line in text.splitlines() if not re.match(r"#\s*(pragma|include)\b", line)]
    kind, kept = None, []
    in_example = False
    for line in lines:
        if re.match(r"(inline )?namespace\b.*\{\s*$|\}\s*// namespace", line):
            continue
        comment = re.match(r"/// ?(.*)$", line)
        if comment is None:
            now, value = "code", line
        else:
            value = comment.group(1)
            if value.startswith("```"):
                if not in_example and kept:
                    yield kind, kept
                    kind, kept = None, []
                elif in_example:
                    yield "example", kept
                    kind, kept = None, []
                in_example = not in_example
                continue
            now = "example" if in_example else "text"
        if now != kind and kept:
            yield kind, kept
            kept = []
        kind = now
        kept.append(value)
    if kept:
        yield kind, kept


def prose(lines: list[str]) -> str:
    """Return a comment as Markdown: signs that Markdown would take are kept as they are, commands become words."""
    out = []
    formula: list[str] = []
    for line in [*lines, ""]:
        # Indented lines are formulas.
        if line.startswith("    "):
            formula.append(line)
            continue
        if formula:
            out += ["", "```text", *textwrap.dedent("\n".join(formula)).splitlines(), "```", ""]
            formula = []
        parts = line.split("`")
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"([\\*_|\[\]#])", r"\\\1", parts[i]).replace("<", "&lt;").replace(">", "&gt;")
        line = "`".join(parts)
        line = re.sub(r"@(?:param|tparam)(?:\\\[[a-z,]+\\\])?\s+(\S+)", lambda m: f"<br>**{m.group(1)}**:", line)
        line = re.sub(r"@returns?\b", "<br>**Returns**", line)
        line = re.sub(r"@throws\b", "<br>**Throws**", line)
        line = re.sub(r"@(\w+)", r"<br>**\1**", line)
        line = re.sub(r"(?:^|(?<=\. )|(?<= ))(Source|Cost):", r"<br>**\1:**", line)
        # A leading number would start a list.
        out.append(re.sub(r"^(\d+)\.", r"\1\\.", line.strip()))
    return "\n".join(out).removeprefix("<br>")


def section_of(header: str, text: str) -> str:
    """Return the section of one header."""
    parts = [f"## {header} {{ #{anchor_of(header)} }}", f'`#include "{prefix_of(header)}{header}"`']
    for kind, lines in sections(text):
        body = "\n".join(lines).strip("\n")
        if not body.strip():
            continue
        if kind == "text":
            parts.append(prose(lines))
        else:
            title = ' title="Example; a test compiles and runs it"' if kind == "example" else ""
            parts.append(f"```cpp{title}\n{body}\n```")
    return "\n\n".join(parts) + "\n"


def pages(include: Path) -> dict[str, str]:
    """Return the pages, by their names in the site."""
    found = {}
    index = [
        "# Headers of the library",
        "",
        "`#include <credence/credence.hpp>` has all but `distributed`. These pages show the text and the declarations "
        "of each header",
        "in their order; the headers are the contract. [The library](../cpp.md) has a first program.",
        "",
        "| room | what it holds | headers |",
        "| --- | --- | ---: |",
    ]
    for room, what in ROOMS.items():
        folder = include / "credence" / room
        headers = sorted(folder.rglob("*.hpp"), key=lambda path: (len(path.relative_to(folder).parts), path))
        if room == "distributed":
            folder = include.parent / room
            headers = [folder / name for name in DISTRIBUTED]
        names = [path.relative_to(folder.parent).as_posix() for path in headers]
        body = "\n".join(
            section_of(name, path.read_text(encoding="utf-8")) for name, path in zip(names, headers, strict=True)
        )
        found[f"cpp-reference/{room}.md"] = f"# credence::{room}\n\n{what[0].upper()}{what[1:]}.\n\n{body}"
        index.append(f"| [{room}]({room}.md) | {what} | {len(headers)} |")
    found["cpp-reference/index.md"] = "\n".join(index) + "\n"
    return found
