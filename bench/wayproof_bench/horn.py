"""Systems of Horn clauses: bench/horn, and their part of bench/results.

`sat` means that the error cannot be derived, so it counts as `true`, and `unsat` as `false`.

Invariants
* I1: only the first line that a solver prints is its answer; anything but `sat` and `unsat` is `unknown`.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import csv
import os
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, Iterable, List

from wayproof_bench import environment, records, tasks
from wayproof_bench.records import Record
from wayproof_bench.tasks import UsageError

_ANSWERS = {"sat": "true", "unsat": "false"}


@dataclass(frozen=True)
class System:
    """A file and its known answer (`true`, `false` or empty)."""

    folder: str
    file: Path
    expected: str


@dataclass(frozen=True)
class Solver:
    """A command that is given a file and prints its answer."""

    name: str
    command: List[str]
    seconds: int
    memory_mb: int


def ours(binary: Path, seconds: int, memory_mb: int) -> Solver:
    """`wayproof horn`. The clock is only a second limit: on a busy machine CPU time ends a run first."""
    return Solver("wayproof", [str(binary), "horn", "--timeout", str(10 * seconds)], seconds, memory_mb)


def spacer(z3: Path, seconds: int, memory_mb: int) -> Solver:
    """Spacer, the engine of Z3 for Horn clauses."""
    return Solver("spacer", [str(z3)], seconds, memory_mb)


def systems_folder() -> Path:
    """Where the systems are: `chc` beside the folder of the suites."""
    return tasks.bench_folder().parent / "chc"


def _known(folder: Path) -> Dict[str, str]:
    for place in (folder, folder.parent):
        table = place / "systems.csv"
        if table.is_file():
            with table.open(newline="", encoding="utf-8") as rows:
                return {row["system"]: _ANSWERS.get(row["verdict"], "") for row in csv.DictReader(rows) if row["folder"] == folder.name}
    return {}


def find(folders: Iterable[Path]) -> List[System]:
    """The systems in folders, or in the folders inside them; in order of their names."""
    found: List[System] = []
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"there is no folder `{folder}`")
        inner = [folder] if any(folder.glob("*.smt2")) else sorted(entry for entry in folder.iterdir() if entry.is_dir())
        for place in inner:
            known = _known(place.resolve())
            found += [System(place.name, file, known.get(file.stem, "")) for file in sorted(place.glob("*.smt2"))]
    return found


def run(solver: Solver, system: System) -> Record:
    """One system, under limits of CPU time and of the size of memory."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (solver.seconds, solver.seconds + 1))
        if solver.name != "wayproof":
            # Of what Wayproof maps it uses a part only; it has a limit of its own.
            resource.setrlimit(resource.RLIMIT_AS, (solver.memory_mb << 20, solver.memory_mb << 20))

    started = time.monotonic()
    process = subprocess.Popen([*solver.command, str(system.file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               preexec_fn=limit)
    assert process.stdout is not None
    with process.stdout as output:
        answer = output.read().split("\n", 1)[0]
    # Not `wait`: the times of this child alone are wanted.
    _, process.returncode, usage = os.wait4(process.pid, 0)
    cpu = usage.ru_utime + usage.ru_stime
    status = _ANSWERS.get(answer) or ("TIMEOUT" if cpu >= solver.seconds - 0.1 else "unknown")
    return Record(config=solver.name, suite=system.folder, task=system.file.stem, expected=system.expected, status=status, cpu_s=cpu,
                  wall_s=time.monotonic() - started, peak_mb=usage.ru_maxrss / 1000)


def run_all(solver: Solver, systems: List[System], jobs: int, done: Callable[[Record], None]) -> None:
    """All systems, `jobs` at a time, in their order."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for record in pool.map(lambda system: run(solver, system), systems):
            done(record)


def main(arguments: List[str]) -> int:
    """bench/horn"""
    parser = argparse.ArgumentParser(prog="bench/horn", description=(
        "Run `wayproof horn`, or another solver, on systems of Horn clauses, and compare the answers with systems.csv in the folder or its "
        "parent (columns folder, system, verdict). The exit code is 1 if an answer contradicts the known one."))
    parser.add_argument("--binary", metavar="FILE", help="the binary (WAYPROOF, or the release build of this clone)")
    parser.add_argument("--spacer", metavar="FILE", help="run this Z3 instead, for example that of the package z3-solver")
    parser.add_argument("--time", type=int, default=20, metavar="S", help="CPU seconds of one run (20)")
    parser.add_argument("--memory", type=int, default=4096, metavar="MB", help="memory of one run of another solver in MiB (4096)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at the same time (1)")
    parser.add_argument("--out", default="horn.csv", metavar="FILE", help="the table (horn.csv)")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a folder with *.smt2, or with such folders")
    args = parser.parse_args(arguments)
    systems = find(args.folders)
    if args.spacer:
        solver = spacer(Path(args.spacer), args.time, args.memory)
    else:
        solver = ours(environment.binary(args.binary), args.time, args.memory)
    found: List[Record] = []

    def done(record: Record) -> None:
        found.append(record)
        records.save(Path(args.out), found)

    run_all(solver, systems, args.jobs, done)
    for folder in sorted({record.suite for record in found}):
        print(f"{folder}: {records.summary([record for record in found if record.suite == folder])}")
    wrong = [record for record in found if record.outcome == "wrong"]
    for record in wrong:
        print(f"WRONG: {record.suite}/{record.task}: {record.status}, expected {record.expected}")
    return 1 if wrong else 0

