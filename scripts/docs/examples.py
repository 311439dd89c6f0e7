"""The blocks of code in README.md and docs/: what they are, how they are run, and how their output is compared.

    console   commands after `$ `, each followed by what it prints; `...` stands for lines that are left out
    sh        commands without output
    python    statements; `# prints ...` says what a line prints
    cpp, text, csv, json, ...  are shown, not run

A block whose fence has title="Not run by the tests: WHY" is not run; the site does not show that title. Its commands
are parsed and their options looked up in the help of the command. With title="Output as on one processor: ..." the
commands are run, and what they print is not compared: roundings differ from processor to processor.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, lcm
from pathlib import Path

NOT_RUN = "Not run by the tests"
ONE_PROCESSOR = "Output as on one processor"
FENCE = re.compile(r"^( *)```([a-z]*)([^\n`]*)\n(.*?)^\1```[ \t]*$", flags=re.MULTILINE | re.DOTALL)


@dataclasses.dataclass
class Block:
    """One block of code, its indent taken off."""

    language: str
    title: str
    code: str
    line: int  #: of the first line of code, from 1
    section: str  #: the heading above it

    @property
    def runs(self) -> bool:
        """Whether the block is run."""
        return not self.title.startswith(NOT_RUN)

    @property
    def is_compared(self) -> bool:
        """Whether what it prints is compared with the page."""
        return self.language == "console" and not self.title.startswith(ONE_PROCESSOR)


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page in their order."""
    found = []
    for match in FENCE.finditer(text):
        indent, language, info, code = match.groups()
        title = re.search(r'title="([^"]*)"', info)
        headings = re.findall(r"^## (.*)$", text[: match.start()], flags=re.MULTILINE)
        lines = [line.removeprefix(indent) for line in code.splitlines()]
        found.append(
            Block(
                language,
                title.group(1) if title else "",
                "".join(line + "\n" for line in lines),
                text[: match.start()].count("\n") + 2,
                headings[-1] if headings else "",
            )
        )
    return found


def complete(command: str) -> bool:
    """Return whether the shell would run this, or wait for another line."""
    return subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False).returncode == 0


def commands_of(block: Block) -> list[tuple[str, list[str]]]:
    """Return the commands of a console block, each with the lines that it is said to print."""
    if block.language == "sh":
        return [(block.code, [])]
    found: list[tuple[str, list[str]]] = []
    for line in block.code.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not found:
            raise ValueError(f"line {block.line}: output before the first command")
        elif not found[-1][1] and not complete(found[-1][0]):
            found[-1] = (found[-1][0] + "\n" + line, [])
        else:
            found[-1][1].append(line)
    return found


def words_of(line: str) -> list[str]:
    """Split a line into words and numbers; times, which differ from run to run, become the word TIME."""
    line = re.sub(r"\b\d+(\.\d+)? s\b", "TIME", line)
    line = re.sub(r"\d+\.\d+\s+\d+\.\d+ x$", "TIME", line)
    if re.match(r"(steps|time|solver|threads)\b", line):
        line = re.sub(r"[\d.]+", "N", line)
    return [word for word in re.split(r"([^\s,()|;:]+)", line) if word.strip()]


def number_of(word: str) -> float | None:
    """Return the finite number that a word spells, a percentage without its sign, or nothing."""
    try:
        number = float(word.rstrip("%"))
    except ValueError:
        return None
    return number if isfinite(number) else None


def same_word(expected: str, got: str) -> bool:
    """Compare two words; numbers may differ by a thousandth, because processors round sums in different places."""
    a, b = number_of(expected), number_of(got)
    if a is None or b is None:
        return expected == got
    return abs(a - b) <= 1e-3 * max(abs(a), abs(b))


def same_p_value(expected: str, got: str) -> bool:
    """
    Compare two p-values, or shares that are 1 minus a p-value.

    They may be neighbouring ranks among the same 100 or more scores, as 241/380 and 242/380 are: where the score of a
    row nearly equals a kept score, rounding decides which of the two is larger.
    """
    if same_word(expected, got):
        return True
    a, b = number_of(expected), number_of(got)
    if a is None or b is None or not (0 < a <= 1 and 0 < b <= 1):
        return False
    ranks = [Fraction(value).limit_denominator(5000) for value in (a, b)]
    are_ranks = all(abs(value - rank) < 1e-12 for value, rank in zip((a, b), ranks, strict=True))
    scores = lcm(*(rank.denominator for rank in ranks))
    return are_ranks and scores >= 100 and abs(ranks[0] - ranks[1]) * scores == 1


def same_line(expected: str, got: str, columns: Sequence[str] = ()) -> bool:
    """
    Compare two lines word by word.

    A line with as many cells as the file of predictions has columns is compared cell by cell, so that the cells of
    p-values are known.
    """
    a, b = expected.split(","), got.split(",")
    if columns and len(a) == len(b) == len(columns):
        is_p_value = [name.startswith("p_") or name in ("confidence", "credibility") for name in columns]
        return all((same_p_value if p else same_word)(x, y) for p, x, y in zip(is_p_value, a, b, strict=True))
    a, b = words_of(expected), words_of(got)
    return len(a) == len(b) and all(map(same_word, a, b))


def difference(expected: list[str], got: list[str]) -> str:
    """Return where the lines differ, or nothing; `...` matches any lines."""
    while expected and not expected[-1].strip():
        expected = expected[:-1]
    while got and not got[-1].strip():
        got = got[:-1]
    place = 0
    skipping = False
    columns: list[str] = []
    for line in expected:
        if line.startswith("row,"):
            columns = line.split(",")
        if line.strip() == "...":
            skipping = True
            continue
        start = place
        while place < len(got) and skipping and not same_line(line, got[place], columns):
            place += 1
        if place >= len(got) or not same_line(line, got[place], columns):
            seen = got[start] if start < len(got) else "nothing more"
            return f"the page says\n  {line}\nbut the command printed\n  {seen}"
        place, skipping = place + 1, False
    if not skipping and place < len(got):
        return f"the command printed also\n  {got[place]}"
    return ""


def run(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def check(command: str, expected: list[str], folder: Path, environment: dict[str, str], compare: bool = True) -> str:
    """Run a command and return what is wrong, or nothing."""
    done = run(command, folder, environment)
    if "pages are not built in" in done.stderr:  # as where npm was missing; the rest of the command is run
        done = run(re.sub(r" --report \S+", "", command), folder, environment)
    if done.returncode != 0:
        return f"{command}\nended with {done.returncode}: {done.stderr[-2000:]}"
    if not compare:
        return ""
    messages = [line for line in expected if line.startswith("credence: ")]
    printed = [line for line in expected if not line.startswith("credence: ")]
    found = difference(printed, done.stdout.splitlines())
    if found:
        return f"{command}\n{found}"
    said = done.stderr.splitlines()
    for message in messages:
        if not any(same_line(message, line) for line in said):
            return f"{command}\nthe page says\n  {message}\nbut the messages were\n  " + "\n  ".join(said)
    return ""


def calls_of(code: str) -> list[list[str]]:
    """Return the calls of credence in a script, as words."""
    found = []
    for line in code.replace("\\\n", " ").splitlines():
        for part in re.split(r"\|\||&&|[|;]|>\s*\S+|\s{3,}|\s#\s", line):
            try:
                words = shlex.split(part)
            except ValueError:
                continue
            if words and words[0].split("/")[-1] == "credence" and len(words) > 1:
                found.append(words[1:])
    return found


def unknown_options(words: list[str], help_of) -> list[str]:
    """Return the options of a call that the help of its command does not name."""
    command = [word for word in words[:1] if not word.startswith("-")]
    if words[:1] == ["conformal"] and len(words) > 1:
        command.append(words[1])
    text = help_of(tuple(command))
    if not text:
        return [f"no command {' '.join(command)}"]
    given = [word.split("=")[0] for word in words if re.match(r"--?[A-Za-z]", word)]
    return [flag for flag in given if not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text)]


def updated(page: Path, folder: Path, environment: dict[str, str]) -> str:
    """Return the page with the output of its console blocks as the commands print it now; excerpts stay."""
    text = page.read_text(encoding="utf-8")
    namespace: dict = {"__name__": "__main__"}
    offset = 0
    for match, block in zip(list(FENCE.finditer(text)), blocks_of(text), strict=True):
        if not block.runs:
            continue
        if block.language == "python":
            here = os.getcwd()
            os.chdir(folder)
            exec(compile(block.code, str(page), "exec"), namespace)
            os.chdir(here)
        if block.language not in ("console", "sh"):
            continue
        lines = []
        for command, expected in commands_of(block):
            done = run(command, folder, environment)
            if done.returncode:
                print(f"{page}: {command}: {done.stderr}", file=sys.stderr)
            printed = [line for line in expected if not line.startswith("credence: ")]
            is_written = block.language == "console" and (block.is_compared or not expected)
            problem = is_written and difference(printed, done.stdout.splitlines())
            lines += ["$ " + command] if block.language == "console" else [command.rstrip("\n")]
            excerpt = any(line.strip() == "..." for line in expected)
            if excerpt and problem:
                print(f"{page}:{block.line}: an excerpt differs, mend it by hand: {problem}", file=sys.stderr)
            if problem and not excerpt:
                lines += done.stdout.rstrip("\n").splitlines()
                lines += [line for line in expected if line.startswith("credence: ")]
            else:
                lines += expected
        indent = match.group(1)
        body = "".join((indent + line if line else "") + "\n" for one in lines for line in one.split("\n"))
        start, end = match.span(4)
        text = text[: start + offset] + body + text[end + offset :]
        offset += len(body) - (end - start)
    return text


def place_for(folder: Path, source: Path, command: str) -> dict[str, str]:
    """Make a folder in which the examples run: the demo data, credence on the path, and files of a reader's own.

    train.csv and test.csv are parts of the demo data, new.csv has no label, data.csv is small, prices.csv has numbers
    to predict.
    """
    (folder / "data").mkdir()
    for file in (source / "data").iterdir():
        (folder / "data" / file.name).symlink_to(file)
    lines = (source / "data" / "breast_cancer.csv").read_text(encoding="utf-8").splitlines()
    own = {
        "train.csv": [line for i, line in enumerate(lines, 1) if i == 1 or i % 3],
        "test.csv": [line for i, line in enumerate(lines, 1) if i == 1 or not i % 3],
        "new.csv": [line.rsplit(",", 1)[0] for i, line in enumerate(lines, 1) if i == 1 or not i % 3],
        "data.csv": lines[:121],
        "prices.csv": ["x,y", *[f"{i / 10 - 5},{(i / 10 - 5) ** 2 + i * 7919 % 100 / 50}" for i in range(100)]],
    }
    for name, content in own.items():
        (folder / name).write_text("\n".join(content) + "\n", encoding="utf-8")
    (folder / ".bin").mkdir()
    (folder / ".bin" / "credence").symlink_to(Path(command).resolve())
    environment = dict(os.environ, PATH=f"{folder / '.bin'}:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="100")
    return environment


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Writes the output of the commands in pages anew.")
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--command", default="build/credence")
    arguments = parser.parse_args()
    for path in arguments.pages:
        with tempfile.TemporaryDirectory() as name:
            made = place_for(Path(name), Path(__file__).resolve().parents[2], arguments.command)
            path.write_text(updated(path, Path(name), made), encoding="utf-8")
