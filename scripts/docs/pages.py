"""Writes the pages of the site as plain Markdown, before a tool builds the site: nothing is left for a hook of a tool.

    python scripts/docs/pages.py build/pages

The folder gets the files of docs/, the pages that are files elsewhere, the references of headers and of the Python
package, and llms.txt: a list of all pages with a sentence each, for programs that read text. In all of them, links
lead to the page that shows a file, and marks of blocks that are for the tests alone are gone. figures.py draws theirs.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cpp_reference
import figures
import python_reference
import site_text

ROOT = Path(__file__).resolve().parents[2]

#: Pages of the site that are files elsewhere.
OUTSIDE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}

#: What docs/ has and the site does not show.
HIDDEN = ("requirements*.txt", "results")

LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)")


def address(link: str, place: str) -> str | None:
    """Return where a link of the page `place` leads in the site; None if the site does not show the file."""
    path, _, anchor = link.partition("#")
    anchor = f"#{anchor}" if anchor else ""
    up = "../" * place.count("/")
    at_root = place in OUTSIDE
    resolved = (ROOT / path if at_root else (ROOT / "docs" / place).parent / path).resolve()
    try:
        inside = resolved.relative_to(ROOT).as_posix()
    except ValueError:
        return link
    for name, source in OUTSIDE.items():
        if inside == source:
            return up + name + anchor
    if inside.startswith("docs/") and at_root:
        return inside.removeprefix("docs/") + anchor
    if inside.startswith("include/credence"):
        return up + cpp_reference.link_to(inside)
    return link if inside.startswith("docs/") else None


def shown(markdown: str, place: str, titles: dict[str, str]) -> str:
    """Return a page as the site shows it: links lead to pages, files that the site does not show are named."""

    def replaced(match: re.Match) -> str:
        text, link = match.groups()
        if re.match(r"[a-z]+:|#|<", link):
            return match.group(0)
        to = address(link, place)
        if to is None:
            return f"`{text.strip('`')}`"
        page = posixpath.normpath(posixpath.join(posixpath.dirname(place), to.partition("#")[0]))
        return f"[{site_text.link_text(text, page, titles)}]({to})"

    parts = re.split(r"(^ *```.*?^ *```$)", site_text.without_marks(markdown), flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else LINK.sub(replaced, part) for i, part in enumerate(parts))


def sources() -> dict[str, str]:
    """Return the text of every page, by its place in the site."""
    found = {path.relative_to(ROOT / "docs").as_posix(): path for path in sorted((ROOT / "docs").rglob("*.md"))}
    found |= {name: ROOT / path for name, path in OUTSIDE.items()}
    pages = {name: path.read_text(encoding="utf-8") for name, path in found.items()}
    pages |= cpp_reference.pages(ROOT / "include")
    pages["python-reference.md"] = python_reference.page(ROOT / "python")
    return pages


def llms_text(pages: dict[str, str], configuration: str) -> str:
    """Return llms.txt: the name of the project, what it is, and each page with its first sentence."""
    name, what = (
        re.search(rf"^{key}: (.*)$", configuration, flags=re.MULTILINE)[1] for key in ("site_name", "site_description")
    )
    lines = [f"# {name}", "", f"> {what}.", ""]
    for section, places in site_text.sections_of(configuration):
        lines += [f"## {section}", ""]
        for title, place in places:
            sentence = site_text.first_sentence(pages[place])
            lines.append(f"- [{title}]({place.removesuffix('.md')}.html)" + (f": {sentence}" if sentence else ""))
        lines.append("")
    return "\n".join(lines)


def write(folder: Path) -> None:
    """Write all pages and what they show into the folder, which holds nothing else afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    hidden = shutil.ignore_patterns(*HIDDEN, "*.md")
    shutil.copytree(ROOT / "docs", folder, ignore=hidden)
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    titles = {place: title for _, places in site_text.sections_of(configuration) for title, place in places}
    pages = {place: shown(text, place, titles) for place, text in sources().items()}
    if astray := pages.keys() ^ titles.keys():
        raise ValueError(f"mkdocs.yml: its navigation and the pages differ in {', '.join(sorted(astray))}")
    for place, text in pages.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    for place, drawn in figures.FIGURES.items():
        (folder / place).write_text(drawn(), encoding="utf-8")
    (folder / "llms.txt").write_text(llms_text(pages, configuration), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
