"""A guard against growing effort: instructions of five fixed tasks, counted by Callgrind, against committed counts.

Instructions do not depend on what else the machine does, so the counts of one binary repeat to within a fraction of a percent where times
vary by half. They do depend on the compiler, the build profile, the architecture and the solver: a reference is kept for each combination,
and where there is none, that is said and nothing is judged.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from wayproof_bench import environment
from wayproof_bench.environment import say
from wayproof_bench.tasks import ROOT, UsageError

TASKS = ROOT / "bench" / "guard-tasks"
REFERENCE = ROOT / "bench" / "guard-counts.json"
# How the process ends if nothing can be counted, as test runners know it.
SKIPPED = 77
# Callgrind slows the tool down by a factor of about fifty.
SECONDS = 300


@dataclass(frozen=True)
class Task:
    """A file of bench/guard-tasks, and what is done with it."""

    name: str
    command: str
    options: Tuple[str, ...] = ()
    expected: int = 0
    # The text is repeated, with the number of the copy in place of `@`.
    copies: int = 0

    def text(self) -> str:
        text = (TASKS / f"{self.name}.c").read_text(encoding="utf-8")
        if not self.copies:
            return text
        return "".join(text.replace("@", str(number)) for number in range(self.copies)) + "int main(void) { return round0(1); }\n"


GUARDED = [
    Task("front_end", "cfa", ("--text",), copies=40),
    Task("summaries", "check", ("--engine", "cra", "--check", "none", "--quiet")),
    Task("dead_ends", "check", ("--no-summaries", "--check", "none", "--quiet")),
    Task("guided_test", "check", ("--no-exec", "--check", "none", "--quiet"), expected=10),
    Task("long_execution", "check", ("--engine", "explicit", "--check", "none", "--quiet")),
]


class Count(NamedTuple):
    """Instructions of one run: all of them, and those in the binary itself, without the solver and the C library."""

    everything: int
    own: int


def read_counts(text: str, binary: str) -> Count:
    """Sums the self costs of a file of Callgrind, by object file."""
    names: Dict[str, str] = {}
    costs: Dict[str, int] = {}
    current, is_call = "", False
    for line in text.splitlines():
        named = re.match(r"c?ob=(\(\d+\))(?: (.*))?$", line)
        if named:
            if named[2]:
                names[named[1]] = named[2]
            if line.startswith("ob="):
                current = names.get(named[1], "")
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[+\-*\d]", line):
            # The line after `calls=` has the cost of the callee, which is counted where it is its own.
            if not is_call:
                costs[current] = costs.get(current, 0) + int((line.split() + ["0"])[1])
            is_call = False
    if not costs:
        raise UsageError("Callgrind counted nothing")
    return Count(sum(costs.values()), costs.get(binary, 0))


def count(binary: Path, task: Task, keep: Optional[Path]) -> Count:
    """Runs one task under Callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{task.name}.c").write_text(task.text(), encoding="utf-8")
        out = (keep or Path(folder)) / f"callgrind.out.{task.name}"
        line = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(binary), task.command, f"{task.name}.c", *task.options]
        # The environment is copied into the process, so it is part of what is counted.
        variables = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        try:
            done = subprocess.run(line, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"{task.name}: no result within {SECONDS} s") from error
        if done.returncode != task.expected:
            said = "\n".join(done.stderr.decode(errors="replace").splitlines()[-8:])
            raise UsageError(f"{task.name}: exit code {done.returncode}, expected {task.expected}\n{said}")
        return read_counts(out.read_text(encoding="utf-8", errors="replace"), str(binary))


def combination(binary: Path, profile: Optional[str]) -> Dict[str, str]:
    """What the counts depend on besides the code: read off the binary, not off what is installed now."""
    compiler = re.search(rb"rustc version (\d[^\0()]*\([^)]*\))", binary.read_bytes())
    said = subprocess.run([str(binary), "--version"], check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
    solver = next((line for line in said if line.startswith("Z3 ")), "Z3 unknown")
    return {"architecture": platform.machine(), "compiler": "rustc " + (compiler[1].decode() if compiler else "unknown"), "solver": solver,
            "profile": profile or {"debug": "dev"}.get(binary.parent.name, binary.parent.name)}


def load(path: Path) -> List[dict]:
    """The committed references, none if there is no file."""
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    except ValueError as error:
        raise UsageError(f"`{path}` cannot be read: {error}; `bench/guard --update` writes it anew once it is removed") from error


def save(path: Path, references: List[dict], key: Dict[str, str], counts: Dict[str, Count]) -> None:
    """Replaces the reference of one combination; the others stay."""
    numbers = {name: {"all": count.everything, "own": count.own} for name, count in counts.items()}
    kept = [entry for entry in references if entry["for"] != key] + [{"for": key, "counts": numbers}]
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(sorted(kept, key=lambda entry: sorted(entry["for"].items())), indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)


def change(now: int, before: int) -> float:
    """In percent."""
    return 100 * (now - before) / max(before, 1)


def table(counts: Dict[str, Count], before: Dict[str, Count]) -> str:
    """For people, in millions of instructions."""
    lines = [f"{'task':<16}{'all':>10}{'':>9}{'own code':>12}{'':>9}   (millions of instructions)"]
    for name, found in counts.items():
        old = before.get(name)
        shares = [f"{change(mine, theirs):+.1f} %" if old else "" for mine, theirs in zip((found.everything, found.own), (old.everything, old.own) if old else (0, 0))]
        lines.append(f"{name:<16}{found.everything / 1e6:>10.1f}{shares[0]:>9}{found.own / 1e6:>12.1f}{shares[1]:>9}")
    return "\n".join(lines)


def judge(counts: Dict[str, Count], before: Dict[str, Count], tolerance: float) -> Tuple[List[str], List[str]]:
    """What has grown and what has shrunk beyond the tolerance. Own code counts by itself: the solver would hide it."""
    grown, shrunk = [], []
    for name, found in counts.items():
        if name not in before:
            grown.append(f"{name} has no reference")
            continue
        for what, now, then in (("", found.everything, before[name].everything), (", own code", found.own, before[name].own)):
            difference = change(now, then)
            if abs(difference) > tolerance:
                (grown if difference > 0 else shrunk).append(f"{name}{what}: {then:,} to {now:,} instructions ({difference:+.1f} %)")
    return grown, shrunk


def measure(binary: Path, jobs: int, keep: Optional[Path]) -> Dict[str, Count]:
    """All tasks; instructions do not mind company, so several run at a time."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip((task.name for task in GUARDED), pool.map(lambda task: count(binary, task, keep), GUARDED)))


def options(arguments: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/guard", description="Compare instruction counts of five fixed tasks with the committed ones.",
                                     epilog=f"Exit codes: 0 no growth, 1 growth or an error, {SKIPPED} there is no valgrind.")
    parser.add_argument("--update", action="store_true", help="write the counts to bench/guard-counts.json")
    parser.add_argument("--twice", action="store_true", help="count a second time and print how far the counts are apart")
    parser.add_argument("--tolerance", type=float, default=10.0, metavar="PERCENT", help="growth that is still accepted (10)")
    parser.add_argument("--keep", metavar="DIR", help="keep Callgrind's files, for callgrind_annotate")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="tasks at the same time (number of cores)")
    parser.add_argument("--profile", metavar="NAME", help="how the binary was built (by the folder it is in: dev or release)")
    parser.add_argument("--binary", metavar="FILE", help="the binary (WAYPROOF, or the release build of this clone)")
    parser.add_argument("--reference", default=str(REFERENCE), metavar="FILE.json", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: List[str]) -> int:
    """bench/guard"""
    args = options(arguments)
    if not shutil.which("valgrind"):
        say("there is no valgrind: instructions are NOT counted")
        return SKIPPED
    binary = environment.binary(args.binary)
    keep = Path(args.keep).resolve() if args.keep else None
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    key = combination(binary, args.profile)
    references = load(Path(args.reference))
    entry = next((entry for entry in references if entry["for"] == key), None)
    before = {name: Count(numbers["all"], numbers["own"]) for name, numbers in entry["counts"].items()} if entry else {}
    counts = measure(binary, max(args.jobs, 1), keep)
    print(", ".join(key.values()))
    print(table(counts, before))
    if args.twice:
        again = measure(binary, max(args.jobs, 1), None)
        for name, found in counts.items():
            print(f"second run of {name}: {change(again[name].everything, found.everything):+.4f} %")
    if args.update:
        save(Path(args.reference), references, key, counts)
        say(f"wrote {args.reference}")
        return 0
    if not entry:
        say("there is no reference for this compiler, solver, profile and architecture: nothing is judged; `bench/guard --update` adds one")
        return 0
    grown, shrunk = judge(counts, before, args.tolerance)
    if shrunk:
        print("\n".join(["fewer instructions, well done; `bench/guard --update` keeps the new counts:", *("  " + line for line in shrunk)]))
    if grown:
        print("\n".join([f"more than {args.tolerance:g} % above the committed counts:", *("  " + line for line in grown),
                         "mend it (`--keep DIR`, then `callgrind_annotate DIR/callgrind.out.TASK`, shows where), or say in the commit why it is worth it"
                         " and run `bench/guard --update`"]))
    return 1 if grown else 0
