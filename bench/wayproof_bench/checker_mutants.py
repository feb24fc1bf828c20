"""Mutants of crate certify: the share that its tests catch.

The mutants are those of cargo-mutants (`cargo mutants --list`). Building each of them takes longer than testing it, so all mutants of a function are arms of one `match`, the
environment variable WAYPROOF_MUTANT chooses one, and the tests are built once. Mutants that do not compile are *unviable*. What is no part of a function body, or returns an
opaque type, is built by itself. The source is changed in place, and put back at the end.

A mutant is *caught* if a test fails, *slow* if the tests take much longer than without it, which counts as caught, and *missed* otherwise.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from wayproof_bench.environment import say
from wayproof_bench.tasks import UsageError

ROOT = Path(__file__).resolve().parents[2]
CRATE = ROOT / "crates/certify"
VARIABLE = "WAYPROOF_MUTANT"
CAUGHT, SLOW, MISSED, UNVIABLE = "caught", "slow", "missed", "unviable"
# Quick tests first; what they miss is left to the others. The last stage is named by its only quick test.
STAGES = [["certified", ""], ["annotation", ""], ["execution", ""], ["exhaust", ""], ["proofs", "a_proof_is_read_back_as_it_was_written"]]
THOROUGH = [["proofs", ""]]
CHOOSE = f"""
fn mutant() -> u32 {{
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("{VARIABLE}").ok().and_then(|word| word.parse().ok()).unwrap_or(0))
}}
"""


class Mutant(NamedTuple):
    """A change of one span of one file."""

    number: int
    name: str
    file: Path
    start: int
    end: int
    text: str
    body: Optional[Tuple[int, int]]


def offset(lines: List[int], place: Dict[str, int], text: str) -> int:
    """Where a line and column are in a text."""
    start = lines[place["line"] - 1]
    line = text[start:lines[place["line"]] if place["line"] < len(lines) else len(text)]
    return start + len(line[:place["column"] - 1])


def listed() -> List[Mutant]:
    """All mutants of the crate."""
    done = subprocess.run(["cargo", "mutants", "--list", "--json", "-p", "certify"], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise UsageError("cargo mutants does not work: cargo install --locked cargo-mutants")
    # The value of a function is replaced before anything else in it is.
    found, bodies = [], {}
    for number, entry in enumerate(json.loads(done.stdout), 1):
        file = ROOT / entry["file"]
        text = file.read_text(encoding="utf-8")
        lines = [0] + [at + 1 for at, character in enumerate(text) if character == "\n"]
        span, function = entry["span"], entry.get("function")
        start, end = offset(lines, span["start"], text), offset(lines, span["end"], text)
        key = function and (entry["file"], function["span"]["start"]["line"])
        if entry["genre"] == "FnValue" and "impl " not in (function["return_type"] or ""):
            first = offset(lines, function["span"]["start"], text)
            bodies[key] = (text.rindex("{", first, start) + 1, offset(lines, function["span"]["end"], text) - 1)
        found.append(Mutant(number, entry["name"], file, start, end, entry["replacement"], bodies.get(key)))
    return found


def with_arms(text: str, mutants: List[Mutant]) -> Tuple[str, List[Tuple[int, int, int]]]:
    """A file in which each function chooses among its mutants, and the lines of each mutant."""
    functions: Dict[Tuple[int, int], List[Mutant]] = collections.defaultdict(list)
    for mutant in mutants:
        functions[mutant.body].append(mutant)
    parts, lines, at, line = [], [], 0, 1

    def put(piece: str) -> None:
        nonlocal line
        parts.append(piece)
        line += piece.count("\n")

    for start, end in sorted(functions):
        put(text[at:start] + "\nmatch crate::mutant() {\n")
        for mutant in functions[start, end]:
            first = line
            put(f"{mutant.number} => {{\n" + text[start:mutant.start] + mutant.text + text[mutant.end:end] + "\n}\n")
            lines.append((first, line, mutant.number))
        put("_ => {" + text[start:end] + "}\n}\n")
        at = end
    put(text[at:])
    return "".join(parts), lines


def cargo(*words: str) -> List[dict]:
    """The messages of a command."""
    done = subprocess.run(["cargo", *words, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith("{")]


def errors(messages: List[dict]) -> List[Tuple[str, int]]:
    """Files and lines of errors."""
    found = []
    for message in messages:
        if message.get("reason") == "compiler-message" and message["message"]["level"] == "error":
            found += [(span["file_name"], span["line_start"]) for span in message["message"]["spans"]]
    return found


def weave(files: Dict[Path, str], mutants: List[Mutant]) -> Dict[Tuple[str, int], int]:
    """Writes all files with their mutants; returns which mutant a line belongs to."""
    owners = {}
    for file, text in files.items():
        new, lines = with_arms(text, [mutant for mutant in mutants if mutant.file == file])
        file.write_text(new + (CHOOSE if file.name == "lib.rs" else ""), encoding="utf-8")
        for first, last, number in lines:
            owners.update({(str(file.relative_to(ROOT)), line): number for line in range(first, last + 1)})
    return owners


def viable(files: Dict[Path, str], mutants: List[Mutant]) -> List[Mutant]:
    """The mutants that compile, written to the files."""
    left = list(mutants)
    while True:
        owners = weave(files, left)
        places = errors(cargo("check", "-p", "certify", "--lib"))
        bad = {owners.get(place) for place in places} - {None}
        if not places:
            return left
        if not bad:
            raise UsageError(f"the crate does not compile with its mutants: {places[:3]}")
        say(f"{len(bad)} mutants do not compile")
        left = [mutant for mutant in left if mutant.number not in bad]


def build(folder: Path) -> Optional[Dict[str, Path]]:
    """The tests of the crate, kept in a folder; nothing if they do not compile."""
    names = sorted({name for name, _ in STAGES + THOROUGH})
    messages = cargo("test", "--no-run", "-p", "certify", *[word for name in names for word in ("--test", name)])
    if errors(messages):
        return None
    built = {}
    for message in messages:
        if message.get("reason") == "compiler-artifact" and message.get("executable") and message["target"]["name"] in names:
            kept = folder / message["target"]["name"]
            shutil.copy(message["executable"], kept)
            built[message["target"]["name"]] = kept
    return built if len(built) == len(names) else None


def library_path() -> str:
    """Where the tests find the solver, as cargo would tell them."""
    return os.pathsep.join([str(path) for path in sorted((ROOT / "target/debug").glob("build/*/out/lib"))] + [str(ROOT / "target/debug")])


def passes(binary: Path, test: str, number: int, seconds: float) -> Optional[bool]:
    """Whether a test passes; nothing if it takes too long."""
    environment = {**os.environ, VARIABLE: str(number), "CARGO_MANIFEST_DIR": str(CRATE), "LD_LIBRARY_PATH": library_path()}
    with subprocess.Popen([str(binary), *([test] if test else []), "--test-threads=1"], cwd=CRATE, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as child:
        try:
            return child.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None


def judge(built: Dict[str, Path], number: int, stages: List[List[str]], seconds: float) -> str:
    """What becomes of a mutant."""
    for name, test in stages:
        passed = passes(built[name], test, number, seconds)
        if not passed:
            return SLOW if passed is None else CAUGHT
    return MISSED


def alone(file: Path, text: str, mutant: Mutant, stages: List[List[str]], seconds: float) -> str:
    """What becomes of a mutant that is built by itself."""
    file.write_text(text[:mutant.start] + mutant.text + text[mutant.end:], encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        built = None if errors(cargo("check", "-p", "certify", "--lib")) else build(Path(folder))
        outcome = judge(built, 0, stages, seconds) if built else UNVIABLE
    file.write_text(text, encoding="utf-8")
    return outcome


def options(arguments: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/checker-mutants", description="Mutants of crate certify, and which of them its tests catch.",
                                     epilog="Exit codes: 0 at least 90 % of the viable mutants are caught, 1 otherwise.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only mutants whose name contains one of these")
    parser.add_argument("--seconds", type=float, default=120, metavar="N", help="for the tests of one file (120)")
    parser.add_argument("--thorough", action="store_true", help="what the quick tests miss is also given to the mutation of proofs, which takes a minute each")
    parser.add_argument("--csv", metavar="FILE", help="a line for each mutant")
    return parser.parse_args(arguments)


def restore(files: Dict[Path, str]) -> None:
    """Puts the source back."""
    for file, text in files.items():
        if file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def outcomes(mutants: List[Mutant], files: Dict[Path, str], stages: List[List[str]], seconds: float) -> Dict[int, str]:
    """What becomes of all mutants."""
    together = [mutant for mutant in mutants if mutant.body]
    left = viable(files, together)
    found = {mutant.number: UNVIABLE for mutant in together}
    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder))
        restore(files)
        if not built or judge(built, 0, stages, 10 * seconds) != MISSED:
            raise UsageError("the tests do not pass without mutants")
        for mutant in left:
            found[mutant.number] = judge(built, mutant.number, stages, seconds)
            say(f"{found[mutant.number]}: {mutant.name}")
    for mutant in mutants:
        if not mutant.body:
            found[mutant.number] = alone(mutant.file, files[mutant.file], mutant, stages, seconds)
            say(f"{found[mutant.number]}: {mutant.name}")
    return found


def main(arguments: List[str]) -> int:
    """bench/checker-mutants"""
    args = options(arguments)
    mutants = [mutant for mutant in listed() if not args.words or any(word in mutant.name for word in args.words)]
    files = {file: file.read_text(encoding="utf-8") for file in sorted({*CRATE.glob("src/*.rs")})}
    try:
        found = outcomes(mutants, files, STAGES + (THOROUGH if args.thorough else []), args.seconds)
    finally:
        restore(files)
    if args.csv:
        with open(args.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("outcome", "mutant"), *((found[mutant.number], mutant.name) for mutant in mutants)])
    counts = collections.Counter(found.values())
    for mutant in mutants:
        if found[mutant.number] == MISSED:
            print(f"missed: {mutant.name}")
    caught, all_viable = counts[CAUGHT] + counts[SLOW], len(found) - counts[UNVIABLE]
    print(f"{len(found)} mutants: {counts[CAUGHT]} caught, {counts[SLOW]} slow, {counts[MISSED]} missed, {counts[UNVIABLE]} unviable; {100 * caught / max(all_viable, 1):.1f} % caught")
    return 0 if caught * 10 >= all_viable * 9 else 1
