"""Runs tasks under limits, with BenchExec where it can enforce them and with the built-in runner elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Dict, Iterable, List, Optional

from wayproof_bench import builtin, definition, environment, output
from wayproof_bench.definition import Limits
from wayproof_bench.environment import say
from wayproof_bench.records import Record
from wayproof_bench.tasks import Task, UsageError


class Runner:
    """The instrument: a binary, limits, and what enforces them."""

    def __init__(self, binary: Path, limits: Limits, jobs: int, folder: Path, choice: str = "auto"):
        """`choice` is `benchexec`, `builtin`, or `auto`: the first if it works here."""
        self.binary = binary
        self.limits = limits
        self.jobs = jobs
        self.folder = folder.resolve()
        self.version = environment.version(binary)
        self.results: List[Path] = []
        self.interrupted = False
        self.commands = environment.venv() if choice != "builtin" else None
        works = self.commands is not None and environment.benchexec_works(self.commands)
        if choice == "benchexec" and not works:
            raise UsageError("BenchExec does not work here (the message is above); --runner builtin does without it")
        self.name = "BenchExec" if works else "built-in"
        if not works and choice == "auto":
            say("falling back to the built-in runner: memory is sampled instead of enforced by the kernel")

    def run(self, config: str, options: List[str], tasks: List[Task], label: str) -> List[Record]:
        """Runs tasks in one configuration. What was measured before an interrupt is returned as well, then `interrupted` is set."""
        self.interrupted = False
        if self.name == "BenchExec":
            return self._benchexec(config, options, tasks, label)
        records: List[Record] = []

        def done(record: Record) -> None:
            records.append(record)
            say(f"  {record.suite}/{record.task}: {record.status}, {record.cpu_s:.2f} s")

        try:
            builtin.run(self.binary, config, options, tasks, self.limits, self.jobs, done)
        except KeyboardInterrupt:
            self.interrupted = True
        path = self.folder / f"{label}.builtin.results.{config}.xml"
        builtin.write_xml(path, config, self.version, records, tasks, self.limits)
        self.results.append(path)
        return records

    def _benchexec(self, config: str, options: List[str], tasks: List[Task], label: str) -> List[Record]:
        self.folder.mkdir(parents=True, exist_ok=True)
        tool = self.folder / "tool" / "wayproof"
        tool.parent.mkdir(exist_ok=True)
        if tool.is_symlink() or tool.exists():
            tool.unlink()
        tool.symlink_to(self.binary)
        path = self.folder / f"{label}.xml"
        definition.write(path, {config: options}, tasks, self.limits)
        output_folder = f"{self.folder}{os.sep}"
        before = set(self.folder.glob("*.results.*.xml"))
        line = [
            str(self.commands / "benchexec"), str(path), "--no-container", "--no-compress-results",
            "--results-per-taskset",
            "--numOfThreads", str(self.jobs), "--outputpath", output_folder, "--tool-directory", str(tool.parent),
        ]
        # BenchExec's own report goes where our messages go.
        process = subprocess.Popen(line, env=environment.benchexec_environment(), stdout=sys.stderr)
        while process.poll() is None:
            try:
                process.wait()
            except KeyboardInterrupt:
                # It has heard of it as well, and writes down what it has.
                self.interrupted = True
        files = sorted(set(self.folder.glob("*.results.*.xml")) - before)
        self.results += files
        records = [record for file in files for record in read_xml(file, config, tasks)]
        if not records and not self.interrupted:
            raise UsageError(f"BenchExec produced no results (exit code {process.returncode})")
        if len(records) < len(tasks):
            # A signal may have reached BenchExec alone.
            say(f"BenchExec ended after {len(records)} of {len(tasks)} runs (exit code {process.returncode})")
            self.interrupted = True
        return records

    def html(self, title: str) -> Optional[Path]:
        """BenchExec's table of everything that was run; None if BenchExec is not installed."""
        commands = self.commands or environment.venv()
        if commands is None or not self.results:
            say("no HTML table: BenchExec is not installed")
            return None
        table = self.folder / f"{title}.table-definition.xml"
        definition.table(table, self.results, title)
        line = [str(commands / "table-generator"), "--xml", str(table), "--outputpath", str(self.folder), "--name", title,
                "--quiet", "--no-diff"]
        done = subprocess.run(line, env=environment.benchexec_environment(), stdout=sys.stderr, check=False)
        path = self.folder / f"{title}.table.html"
        return path if done.returncode == 0 and path.is_file() else None


def _number(text: str) -> float:
    """A value with its unit, as BenchExec writes it."""
    found = re.match(r"[0-9.eE+-]+", text)
    return float(found.group(0)) if found else 0.0


def read_xml(path: Path, config: str, tasks: Iterable[Task]) -> List[Record]:
    """The finished runs of a result file of BenchExec."""
    known: Dict[str, Task] = {f"{task.suite}/{task.definition.name}": task for task in tasks}
    records = []
    for run in ElementTree.parse(path).getroot().iter("run"):
        task = known.get("/".join(Path(run.get("name", "")).parts[-2:]))
        values = {column.get("title"): column.get("value") or "" for column in run.iter("column")}
        if task is None or not values.get("status") or not values.get("cputime"):
            continue
        records.append(Record(
            config=config, suite=task.suite, task=task.name, expected=task.expected or "", status=values["status"],
            cpu_s=_number(values["cputime"]), wall_s=_number(values.get("walltime", "")),
            peak_mb=_number(values.get("memory", "")) / 1e6, reason=values.get("reason", "").strip("-"),
            **{column: values.get(name, "").strip("-") for name, column in output.STATISTICS.items()},
        ))
    return records
