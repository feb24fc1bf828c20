"""Other tools on the same tasks, with the same limits in the same run: bench/peers.

Peers are what the registries have: Spacer, the engine of Z3 for Horn clauses (package z3-solver of PyPI, fetched into a virtual
environment), on the clauses that `check --emit-chc` writes; and Eva, the value analysis of Frama-C (Debian: frama-c-base), on the
C text, if `frama-c` is on the path. Only proofs are compared, on tasks that are safe: the clauses over-approximate some operations, and
Eva finds no counterexamples.

Invariants
* I1: a peer proves a task only if its run ended by itself within the limits, and said so: Spacer by `sat`, Eva by an analysis that ended
  and never came to a call of the error function.
* I2: the time of Spacer is its own, without that of writing the clauses.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Optional, Tuple

from wayproof_bench import builtin, configs, environment, records
from wayproof_bench.cli import add_limits
from wayproof_bench.definition import Limits
from wayproof_bench.environment import say
from wayproof_bench.records import Record
from wayproof_bench.tasks import ROOT, Task, find

SUITES = ["gps-safe", "gps-svcomp", "papers", "sv-locks", "sv-loops", "sv-loop-acceleration", "sv-recursive", "sv-recursive-simple"]
FILE = "peers.csv"
# The release that Wayproof itself links.
Z3 = "z3-solver==5.4.0.0"
_ERROR_CALLED = re.compile(r"\b(?:computing|using specification) for function (?:reach_error|__VERIFIER_error|__assert_fail)\b")
_EVA_ENDED = "====== ANALYSIS SUMMARY ======"
_MACHINES = {"ILP32": "gcc_x86_32", "LP64": "gcc_x86_64", None: "gcc_x86_64"}


@dataclass(frozen=True)
class Ended:
    """A run that came to an end."""

    text: str
    code: Optional[int]
    cpu_s: float
    wall_s: float
    peak_mb: float

    def status(self, is_proved: bool, limits: Limits) -> str:
        """As in a row of results (I1)."""
        if self.cpu_s > limits.seconds or self.code is None:
            return "TIMEOUT" if self.cpu_s > limits.seconds else "ERROR"
        return "true" if is_proved else "unknown"


def execute(command: List[str], limits: Limits, folder: Path) -> Ended:
    """A command under limits of CPU time and address space; what it started is ended with it."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds + 1, limits.seconds + 2))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_mib << 20, limits.memory_mib << 20))

    started = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder, start_new_session=True,
                                   preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        log.seek(0)
        text = log.read(20_000_000).decode(errors="replace")
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    return Ended(text, code, usage.ru_utime + usage.ru_stime, time.monotonic() - started, usage.ru_maxrss / 1000)


def _record(name: str, task: Task, ended: Ended, status: str, reason: str = "") -> Record:
    return Record(config=name, suite=task.suite, task=task.name, expected=task.expected or "", status=status, cpu_s=ended.cpu_s,
                  wall_s=ended.wall_s, peak_mb=ended.peak_mb, reason=reason)


def by_spacer(binary: Path, z3: Path, task: Task, limits: Limits) -> Record:
    """Spacer on the clauses of a task (I2)."""
    with tempfile.TemporaryDirectory() as holder:
        folder = Path(holder)
        clauses = folder / "clauses.smt2"
        model = ["--data-model", task.data_model] if task.data_model else []
        # The clauses are written before the search: it needs no more than a moment.
        writing = [str(binary), "check", "--emit-chc", str(clauses), "--timeout", "1", "--quiet", "--no-exec", *model,
                   "--property", str(task.property_file), str(task.program)]
        wrote = execute(writing, Limits(limits.seconds, 1 << 20), folder)
        if not clauses.is_file():
            return _record("spacer", task, wrote, "unknown", "no clauses: the program has none")
        ended = execute([str(z3), str(clauses)], limits, folder)
    return _record("spacer", task, ended, ended.status(ended.text.split("\n", 1)[0] == "sat", limits))


def proves(log: str) -> bool:
    """Whether the log of Eva says that the error function is never called (I1)."""
    return _EVA_ENDED in log and not _ERROR_CALLED.search(log)


def by_eva(frama_c: Path, task: Task, limits: Limits) -> Record:
    """Eva on the C text of a task."""
    with tempfile.TemporaryDirectory() as holder:
        command = [str(frama_c), "-machdep", _MACHINES[task.data_model], str(task.program), "-eva", "-eva-precision", "5", "-eva-show-progress"]
        ended = execute(command, limits, Path(holder))
    return _record("eva", task, ended, ended.status(proves(ended.text), limits))


def spacer_command() -> Optional[Path]:
    """The Z3 of the pinned package, in a virtual environment in the cache folder; None, with a message, if it cannot be had."""
    folder = environment.cache_folder() / "peers-venv"
    command = folder / "bin" / "z3"
    stamp = folder / "wayproof-installed"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == Z3:
        return command
    say(f"installing {Z3} into a virtual environment in {folder}")
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", Z3], check=True, timeout=600)
    except (OSError, subprocess.SubprocessError) as error:
        say(f"{Z3} cannot be installed: {error}; Spacer is left out")
        return None
    stamp.write_text(Z3, encoding="utf-8")
    return command


def versions(z3: Optional[Path], frama_c: Optional[Path]) -> List[str]:
    """What the peers say of themselves."""
    found = []
    for name, command in (("spacer", [z3, "--version"]), ("eva", [frama_c, "-version"])):
        if command[0] is not None:
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True)
            found.append(f"{name}: {done.stdout.decode().strip()}")
    return found


def main(arguments: List[str]) -> int:
    """bench/peers"""
    parser = argparse.ArgumentParser(prog="bench/peers", description=(
        "Run Wayproof, Spacer and Eva on the safe tasks of suites. Finished runs are not repeated; bench/results --tables-only writes the table."))
    parser.add_argument("suites", nargs="*", default=SUITES, metavar="SUITE", help=f"({' '.join(SUITES)})")
    parser.add_argument("--out", default=str(ROOT / "docs" / "results"), metavar="DIR", help=f"the folder of {FILE} (docs/results)")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    add_limits(parser)
    args = parser.parse_args(arguments)
    path = Path(args.out) / FILE
    found = records.load(path) if path.is_file() and not args.fresh else []
    finished = {run.key for run in found}
    limits = Limits(args.time, args.memory)
    binary, z3 = environment.binary(args.binary), spacer_command()
    frama_c = Path(name) if (name := shutil.which("frama-c")) else None
    if frama_c is None:
        say("there is no frama-c (Debian: apt-get install frama-c-base); Eva is left out")
    sides: List[Tuple[str, Callable[[Task], Record]]] = [
        ("wayproof", lambda task: builtin.run_one(binary, "wayproof", configs.options(configs.DEFAULT), task, limits))]
    if z3:
        sides.append(("spacer", lambda task: by_spacer(binary, z3, task, limits)))
    if frama_c:
        sides.append(("eva", lambda task: by_eva(frama_c, task, limits)))
    for suite in args.suites:
        for task in find(suite):
            for name, side in sides:
                if task.expected == "true" and (name, task.suite, task.name) not in finished:
                    found.append(side(task))
                    records.save(path, found)
    for line in versions(z3, frama_c):
        say(line)
    for name, _ in sides:
        print(f"{name}: {records.summary([run for run in found if run.config == name])}")
    return 1 if any(run.outcome == "wrong" for run in found) else 0
