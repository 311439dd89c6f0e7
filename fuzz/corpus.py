#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets: BUILD/fuzz/seeds/TARGET/*.

The seeds are the files and the texts of the tests, and models and results that the command writes for small data. The
last bytes of a seed choose among options (fuzz.hpp); zeros choose the defaults.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
MODEL_HEADER = 24
WATCH_HEADER = 23
LONGEST = 16384


def choices(*numbers: int) -> bytes:
    """Numbers in the order in which a target asks for them."""
    return bytes(reversed(numbers))


def literals(path: Path) -> list[bytes]:
    """The texts of a C++ source, neighbouring literals joined."""
    texts = []
    for group in re.findall(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', path.read_text()):
        joined = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', group))
        try:
            texts.append(joined.encode().decode("unicode_escape").encode("latin-1"))
        except (UnicodeDecodeError, UnicodeEncodeError):
            continue
    return texts


class Seeds:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.counts: dict[str, int] = {}

    def add(self, target: str, content: bytes) -> None:
        if len(content) > LONGEST:
            return
        folder = self.folder / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)
        self.counts[target] = self.counts.get(target, 0) + 1


def add_texts(seeds: Seeds) -> None:
    texts: list[bytes] = []
    for source in sorted((SOURCE / "tests/data").rglob("*.cpp")):
        texts += [text for text in literals(source) if b"\n" in text]
    texts += [path.read_bytes() for path in sorted((SOURCE / "tests/data/bad").rglob("*")) if path.is_file()]
    texts.append((SOURCE / "tests/data/messy.csv").read_bytes())
    texts.append(b"".join((SOURCE / "data/breast_cancer.csv").read_bytes().splitlines(keepends=True)[:12]))
    for text in texts:
        if b":" in text and b"," not in text:
            for missing in range(3):
                seeds.add("svmlight", text + choices(missing, 0, 0))
        for missing in range(3):
            seeds.add("csv", text + choices(missing, 0, 0, 0, 0, 0, missing % 2))
        seeds.add("csv", text + choices(2, 0, 0, 0, 26, 2, 0))
        for kind in range(3):
            seeds.add("gzip", gzip.compress(text, mtime=0) + choices(kind, 0))
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            seeds.add("gzip", packer.compress(text) + packer.flush() + choices(kind, 1))
            seeds.add("gzip", text + choices(kind, 2))
    for text in literals(SOURCE / "tests/core/list_vs_written_values.cpp"):
        seeds.add("list", text)
    for text in ("scale", "auto", "median", "balanced", "yes:2,no:0.5", "2^-5:2^15:x4", "0.1:1:+0.1", "1,10,100"):
        seeds.add("list", text.encode())


def add_matrices(seeds: Seeds) -> None:
    for rows in (2, 3, 6):
        kernel = [[1 if i == j else round(1 / (1 + abs(i - j)), 3) for j in range(rows)] for i in range(rows)]
        distance = [[abs(i - j) * 1.5 for j in range(rows)] for i in range(rows)]
        for numbers, way in ((kernel, 0), (distance, 1)):
            lines = [",".join(map(str, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(numbers)]
            header = ",".join(f"x{j}" for j in range(rows)) + ",label"
            for choice in range(3):
                seeds.add("precomputed", "\n".join([header, *lines, ""]).encode() + choices(0, way, choice, 0))
            sparse = [
                f"{i % 2} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(row)) for i, row in enumerate(numbers)
            ]
            seeds.add("precomputed", "\n".join([*sparse, ""]).encode() + choices(1, way, 0, 0))


def small_data(folder: Path) -> None:
    """A few rows of each kind that the command can be asked about."""
    two = [(i * 37 % 11 / 4, i * 53 % 7 / 2, "red" if i % 3 else "blue", "no" if i % 2 else "yes") for i in range(16)]
    folder.joinpath("two.csv").write_text(
        "a,b,colour,label\n" + "".join(f"{a},{b + (2 if y == 'yes' else 0)},{c},{y}\n" for a, b, c, y in two)
    )
    folder.joinpath("three.csv").write_text(
        "a,b,label\n" + "".join(f"{i * 5 % 7 / 2 + i % 3},{i * 3 % 5},c{i % 3}\n" for i in range(18))
    )
    folder.joinpath("number.csv").write_text(
        "a,b,target\n" + "".join(f"{i},{i * 7 % 5},{i * 0.5 + i * 7 % 3}\n" for i in range(16))
    )
    folder.joinpath("sparse.svm").write_text(
        "".join(f"{'+1' if i % 2 else '-1'} {i % 4 + 1}:{i % 3 + 0.5} {40 + i % 5}:1\n" for i in range(16))
    )
    folder.joinpath("kernel.csv").write_text(
        "".join(",".join(str(1 / (1 + abs(i - j))) for j in range(8)) + f",{'xy'[i % 2]}\n" for i in range(8))
    )
    for name, shift in (("scores.csv", 0), ("more.csv", 0.05)):
        folder.joinpath(name).write_text(
            "yes,no,label\n"
            + "".join(f"{i % 5 / 5 + shift},{1 - i % 5 / 5},{'yes' if i % 2 else 'no'}\n" for i in range(10))
        )
    folder.joinpath("regions.csv").write_text(
        "a,b,label\n" + "".join(f"{i % 10 + i / 60},{i // 10 + i % 3},c{i % 3}\n" for i in range(60))
    )
    folder.joinpath("watched.csv").write_text(
        "a,b,label\n" + "".join(f"{i % 7 + i / 40},{i * 3 % 11},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(40))
    )
    folder.joinpath("losses.csv").write_text(
        "one,two,three\n" + "".join(f"{i % 2},{i % 3 // 2},{i % 5 // 4}\n" for i in range(30))
    )


MODELS = [
    "train two.csv",
    "train three.csv --kernel linear",
    "train three.csv --kernel polynomial --degree 2 --C 0.5",
    "train two.csv --folds 4",
    "train sparse.svm --kernel linear --scale none",
    "train kernel.csv --kernel precomputed",
    "train two.csv --model rvm --sigma 1",
    "train three.csv --model rvm --sigma 1",
    "train number.csv --task regression --sigma 2",
    "train regions.csv --region-size 20",
    "train two.csv --nu 0.4",
    "conformal fit two.csv",
    "conformal fit three.csv --measure nn-own --label-conditional",
    "conformal fit three.csv --mode inductive --measure margin --C 1 --gamma 0.5",
    "conformal fit two.csv --mode cross --measure margin --C 1 --gamma 0.5",
    "conformal fit two.csv --mode transductive --measure margin --C 1 --gamma 0.5",
]
SELECTIONS = [
    "select two.csv --C 1,4 --gamma 0.5 --folds 4",
    "select three.csv --C 1,4 --gamma 0.5,1 --folds 3 --rule one_se",
    "select two.csv --C 1,4 --gamma 0.5,1 --folds 4 --rule average",
    "select two.csv --method nonconformity --C 1,4 --gamma 0.5",
    "select two.csv --method max-margin --C 1,4 --gamma 0.5",
    "select two.csv --method holdout-vote --model knn --k 1,3",
    "select three.csv --method nonconformity --model knn --k 1,3",
    "select two.csv --model rvm --sigma 1,2 --folds 4",
    "select number.csv --task regression --sigma 1,2 --folds 4",
    "select two.csv --method loo --C 1,4 --gamma 0.5",
    "select two.csv --method kfold-nested --C 1,4 --gamma 0.5",
    "select two.csv --method maximal-discrepancy",
    "select two.csv --method bootstrap --C 1,4 --gamma 0.5",
    "select two.csv --method evidence --model rvm --sigma 1,2",
    "select two.csv --method rademacher",
    "select regions.csv --region-size 20 --C 1,4 --gamma 0.5 --folds 3",
]
RESULTS = [
    "compare two.csv --methods cv,holdout --C 1,4 --gamma 0.5 --outer-folds 3 --folds 2",
    "conformal online two.csv",
    "conformal fit two.csv --mode inductive -o fitted",
    "conformal scores scores.csv more.csv --evaluate",
    "bound --errors 5 --n 200",
    "describe two.csv",
    "exchangeable watched.csv --order a",
    "honest losses.csv",
    "select watched.csv --C 1,4 --gamma 0.5 --folds 4 --importance --dependence a -o watched",
    "select watched.csv --C 1,4 --gamma 0.5 --folds 4 --p-values split -o limited",
    "limits limited watched.csv",
    "evaluate limited watched.csv --limit 0.1 --importance",
    "reproduce kernel-validity --quick --sets sinc --splits 1",
]


class Command:
    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.failed = 0

    def run(self, line: str, *more: str) -> bool:
        words = [str(self.program), *line.split(), *more, "--quiet"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            print(f"corpus: {line}: {done.stderr.strip()}", file=sys.stderr)
            self.failed += 1
        return done.returncode == 0

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


def decode(data: bytes, at: int = 0) -> tuple[object, int]:
    """A CBOR item, of the kinds that model documents have, and where it ends."""
    major, low = data[at] >> 5, data[at] & 31
    at += 1
    if major == 7 and low >= 20:
        if low == 27:
            return struct.unpack_from(">d", data, at)[0], at + 8
        if low == 26:
            return struct.unpack_from(">f", data, at)[0], at + 4
        return {20: False, 21: True, 22: None}[low], at
    size = 1 << (low - 24) if low >= 24 else 0
    count = int.from_bytes(data[at : at + size], "big") if size else low
    at += size
    if major in (0, 1):
        return count if major == 0 else -1 - count, at
    if major in (2, 3):
        piece = data[at : at + count]
        return piece if major == 2 else piece.decode(), at + count
    if major == 6:
        return decode(data, at)
    items = []
    for _ in range(count * (major - 3)):
        item, at = decode(data, at)
        items.append(item)
    return dict(zip(items[::2], items[1::2], strict=True)) if major == 5 else items, at


def encode(item: object) -> bytes:
    def head(major: int, count: int) -> bytes:
        if count < 24:
            return bytes([major << 5 | count])
        size = next(size for size in (1, 2, 4, 8) if count < 1 << (8 * size))
        return bytes([major << 5 | (24 + size.bit_length() - 1)]) + count.to_bytes(size, "big")

    if isinstance(item, bool):
        return bytes([0xF5 if item else 0xF4])
    if isinstance(item, int):
        return head(0, item) if item >= 0 else head(1, -1 - item)
    if isinstance(item, float):
        return b"\xfb" + struct.pack(">d", item)
    if isinstance(item, bytes):
        return head(2, len(item)) + item
    if isinstance(item, str):
        return head(3, len(item.encode())) + item.encode()
    if isinstance(item, list):
        return head(4, len(item)) + b"".join(map(encode, item))
    if isinstance(item, dict):
        return head(5, len(item)) + b"".join(encode(key) + encode(value) for key, value in item.items())
    return b"\xf6"


def add_what_the_command_writes(seeds: Seeds, program: Path, folder: Path) -> int:
    small_data(folder)
    command = Command(program, folder)
    results = []
    for line in MODELS + SELECTIONS:
        more = ["--json", "result.json"] if line in SELECTIONS else []
        if not command.run(line, "-o", "model", *more):
            continue
        model = command.read("model")
        seeds.add("model", model + choices(7))
        seeds.add("model", model[MODEL_HEADER:] + choices(0))
        svm = line.startswith("train") and not any(word in line for word in ("rvm", "regression", "region-size"))
        if svm and command.run("convert model libsvm.txt"):
            seeds.add("libsvm_model", command.read("libsvm.txt"))
        if more:
            results.append(command.read("result.json"))
        data = line.split()[2 if line.startswith("conformal") else 1]
        if command.run(f"evaluate model {data} --json result.json"):
            results.append(command.read("result.json"))
    command.run("train watched.csv -o watched")
    for more in ("", "--label label", "--id a", "--label label --id a"):
        if command.run(f"watch watched watched.csv {more} --state state --json result.json"):
            state = command.read("state")
            seeds.add("watch", state + choices(7))
            seeds.add("watch", state[WATCH_HEADER:-4] + choices(0))
            results.append(command.read("result.json"))
            folder.joinpath("state").unlink()
    for line in RESULTS:
        if command.run(f"{line} --json result.json"):
            results.append(command.read("result.json"))
    for result in results:
        document = json.loads(result)
        short = json.dumps(document, separators=(",", ":")).encode()
        seeds.add("result", short + choices(0))
        seeds.add("plan", short)
        if isinstance(document.get("options"), dict):
            seeds.add("plan", json.dumps(document["options"]).encode())
    return command.failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="the build folder")
    parser.add_argument(
        "--command", type=Path, required=True, help="the built command, which writes models and results"
    )
    options = parser.parse_args()
    seeds = Seeds(options.build / "fuzz" / "seeds")
    add_texts(seeds)
    add_matrices(seeds)
    with tempfile.TemporaryDirectory() as folder:
        failed = add_what_the_command_writes(seeds, options.command.resolve(), Path(folder))
    print("corpus:", ", ".join(f"{target} {count}" for target, count in sorted(seeds.counts.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
