"""The tables of docs/results.md as Markdown."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Callable, Dict, List, Tuple

from wayproof_bench import plots
from wayproof_bench.records import Record, median

ByConfig = Dict[str, List[Record]]


def _table(head: List[str], rows: List[List[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _solved(records: List[Record]) -> List[Record]:
    return [record for record in records if record.outcome == "solved"]


def _seconds(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def reasons(records: List[Record]) -> str:
    """Why tasks are not solved, the most frequent reason first."""
    counts: Dict[str, int] = {}
    for record in records:
        if record.why and record.outcome != "wrong":
            counts[record.why] = counts.get(record.why, 0) + 1
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return "; ".join(f"{count} {why}" for why, count in ordered) or "none"


def suites(records: List[Record]) -> str:
    """One row a suite: solved, wrong, the rest by reason, time and memory."""
    by_suite: Dict[str, List[Record]] = {}
    for record in records:
        by_suite.setdefault(record.suite, []).append(record)
    rows = []
    for suite, runs in sorted(by_suite.items()):
        solved = _solved(runs)
        wrong = sum(run.outcome == "wrong" for run in runs)
        middle = median([run.cpu_s for run in solved])
        rows.append([
            suite, str(len(runs)), str(len(solved)), str(wrong), reasons(runs),
            _seconds(middle) if middle is not None else "-", _seconds(sum(run.cpu_s for run in solved)),
            _seconds(sum(run.cpu_s for run in runs)), f"{max((run.peak_mb for run in solved), default=0):.0f}",
        ])
    head = ["suite", "tasks", "solved", "wrong", "not solved, by reason", "CPU median of solved (s)", "CPU of solved (s)",
            "CPU of all (s)", "peak memory of solved (MB)"]
    return _table(head, rows)


def total(records: List[Record]) -> str:
    """One sentence about all suites."""
    solved = _solved(records)
    middle = median([run.cpu_s for run in solved])
    if middle is None:
        return f"Of {len(records)} tasks none is solved."
    return (f"Of {len(records)} tasks {len(solved)} are solved, {sum(run.outcome == 'wrong' for run in records)} verdicts are wrong. "
            f"CPU time of a solved task: {_seconds(middle)} s at the median, {_seconds(sum(run.cpu_s for run in solved))} s in all.")


def side_by_side(what: str, by_name: ByConfig) -> str:
    """One row a suite, and for each of the sides: solved, wrong, CPU seconds of what it solves."""
    head = [what, "number"] + [cell for name in by_name for cell in (name, "wrong", "CPU median (s)", "CPU of solved (s)")]
    suites_of = sorted({run.suite for runs in by_name.values() for run in runs})
    rows = []
    for suite in suites_of:
        chosen = [[run for run in runs if run.suite == suite] for runs in by_name.values()]
        cells = []
        for runs in chosen:
            solved = _solved(runs)
            middle = median([run.cpu_s for run in solved])
            cells += [str(len(solved)), str(sum(run.outcome == "wrong" for run in runs)),
                      _seconds(middle) if middle is not None else "-", _seconds(sum(run.cpu_s for run in solved))]
        rows.append([suite, str(max(len(runs) for runs in chosen)), *cells])
    return _table(head, rows)


def _is_parametrised(record: Record) -> bool:
    return record.task.rpartition("-")[2].isdigit() and len(record.task.rpartition("-")[2]) >= 4


# The rows of the paper's table 2, as far as our suites have them.
_GROUPS: List[Tuple[str, Callable[[Record], bool]]] = [
    ("gps-svcomp", lambda run: run.suite == "gps-svcomp"),
    ("- safe", lambda run: run.suite == "gps-svcomp" and run.expected == "true"),
    ("- unsafe", lambda run: run.suite == "gps-svcomp" and run.expected == "false"),
    ("gps-safe", lambda run: run.suite == "gps-safe"),
    ("gps-lock-and-key", lambda run: run.suite == "gps-lock-and-key"),
    ("- parametrised", lambda run: run.suite == "gps-lock-and-key" and _is_parametrised(run)),
    ("- other", lambda run: run.suite == "gps-lock-and-key" and not _is_parametrised(run)),
    ("papers", lambda run: run.suite == "papers"),
]


def ablation(by_config: ByConfig) -> str:
    """Configurations side by side: solved and CPU seconds, as in the paper's table 2."""
    head = ["tasks", "number"] + [cell for config in by_config for cell in (f"{config}", "CPU (s)")]
    rows = []
    for title, belongs in _GROUPS:
        chosen = {config: [run for run in runs if belongs(run)] for config, runs in by_config.items()}
        number = max(len(runs) for runs in chosen.values())
        if number == 0:
            continue
        best = max(len(_solved(runs)) for runs in chosen.values())
        cells = []
        for runs in chosen.values():
            count = len(_solved(runs))
            missing = f" of {len(runs)}" if len(runs) < number else ""
            cells += [f"**{count}**{missing}" if count == best else f"{count}{missing}", f"{sum(run.cpu_s for run in runs):.1f}"]
        rows.append([title, str(number), *cells])
    cells = [cell for runs in by_config.values() for cell in (str(len(_solved(runs))), f"{sum(run.cpu_s for run in runs):.1f}")]
    rows.append(["all", str(max(len(runs) for runs in by_config.values())), *cells])
    failures = []
    for runs in by_config.values():
        count = {outcome: sum(run.outcome == outcome for run in runs) for outcome in
                 ("timeout", "out of memory", "unknown", "error", "wrong")}
        failures += [f"{count['timeout']}/{count['out of memory']}/{count['unknown']}/{count['error']}", f"wrong: {count['wrong']}"]
    rows.append(["time/memory/unknown/error", "", *failures])
    return _table(head, rows) + "\n\n" + _order(by_config)


def _order(by_config: ByConfig) -> str:
    """Whether the order of the paper is visible."""
    tasks = [{(run.suite, run.task) for run in runs} for runs in by_config.values()]
    common = set.intersection(*tasks) if tasks else set()
    numbers = {config: sum((run.suite, run.task) in common for run in _solved(runs)) for config, runs in by_config.items()}
    expected = [(first, second) for first, second in
                [("gps", "gps-nogas"), ("gps-nogas", "gps-nogas-nosum"), ("gps", "gps-lite"), ("gps", "impact"), ("gps-lite", "cra")]
                if first in numbers and second in numbers]
    parts = [f"{first} {numbers[first]} {'≥' if numbers[first] >= numbers[second] else '**<**'} {second} {numbers[second]}"
             for first, second in expected]
    if not parts:
        return "Only one configuration was measured so far, so there is nothing to compare."
    return f"The paper's order, on the {len(common)} tasks that all configurations were given: {'; '.join(parts)}."


def reference(path: Path) -> ByConfig:
    """The published results of GPS and VeriAbs, as our own records."""
    found: ByConfig = {"GPS (authors)": [], "VeriAbs": []}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for name, column in (("GPS (authors)", "gps"), ("VeriAbs", "veriabs")):
                status = row[f"{column}_status"]
                found[name].append(Record(
                    config=name, suite="gps-svcomp", task=row["task"], expected="true" if row["expected"] == "safe" else "false",
                    # The list says of a run without memory that it was killed.
                    status="OUT OF MEMORY" if status.startswith("KILLED") else status,
                    cpu_s=float(row[f"{column}_cpu_s"] or 0), wall_s=0.0, peak_mb=0.0, reason="unknown",
                ))
    return found


def against_reference(ours: List[Record], theirs: ByConfig) -> str:
    """RQ 3: numbers, tasks that only one side solves, and speed where both do."""
    mine = {run.task: run for run in ours if run.suite == "gps-svcomp"}
    sides = {"wayproof": list(mine.values())}
    sides.update({name: [run for run in runs if run.task in mine] for name, runs in theirs.items()})
    rows = []
    for name, runs in sides.items():
        solved = _solved(runs)
        middle = median([run.cpu_s for run in solved])
        rows.append([name, str(len(runs)), str(len(solved)), str(sum(run.outcome == "wrong" for run in runs)), reasons(runs),
                     _seconds(middle) if middle is not None else "-", f"{sum(run.cpu_s for run in solved):.1f}"])
    parts = [_table(["tool", "tasks", "solved", "wrong", "not solved", "CPU median of solved (s)", "CPU of solved (s)"], rows)]
    we = {run.task for run in _solved(list(mine.values()))}
    they = {name: {run.task for run in _solved(runs) if run.task in mine} for name, runs in theirs.items()}
    anybody = set().union(*they.values()) if they else set()
    lists = [("Only Wayproof solves", we - anybody), ("Solved there, not by Wayproof", anybody - we),
             ("Solved by nobody", set(mine) - we - anybody)]
    for title, tasks in lists:
        parts.append(f"{title} ({len(tasks)}): " + (", ".join(f"`{task}`" for task in sorted(tasks)) or "none") + ".")
    for name, runs in theirs.items():
        common = [(mine[run.task].cpu_s, run.cpu_s) for run in runs if run.task in we & they[name]]
        if common:
            ratio = math.exp(sum(math.log(max(a, 0.01) / max(b, 0.01)) for a, b in common) / len(common))
            parts.append(f"On the {len(common)} tasks that both solve, Wayproof takes {sum(a for a, _ in common):.1f} s and {name} "
                         f"{sum(b for _, b in common):.1f} s; geometric mean of the ratios {ratio:.2g}.")
    return "\n\n".join(parts)


def scaling(records: List[Record]) -> str:
    """Growth of the families of parametrised programs."""
    rows = []
    for family, runs in plots.families(records).items():
        solved = [(parameter, run) for parameter, run in runs if run.outcome == "solved"]
        if len(solved) < 2:
            rows.append([family, f"{len(solved)} of {len(runs)}", "-", "-", "-"])
            continue
        (low, first), (high, last) = solved[0], solved[-1]
        cells = []
        for column, digits in (("cpu_s", 2), ("tree_nodes", 0), ("solver_queries", 0)):
            a, b = (float(getattr(run, column) or 0) for run in (first, last))
            growth = math.log(b / a) / math.log(high / low) if a > 0 and b > 0 else 0.0
            cells.append(f"{a:.{digits}f} to {b:.{digits}f} (N^{growth:.2f})")
        rows.append([family, f"{len(solved)} of {len(runs)}, N = {low} to {high}", *cells])
    return _table(["family", "solved", "CPU seconds", "tree nodes", "solver queries"], rows)


def unsolved(records: List[Record]) -> str:
    """Every task that is not solved, with its reason."""
    rows = [[run.suite, f"`{run.task}`", run.expected, run.status, (run.reason or "-").replace("|", "/"), f"{run.cpu_s:.1f}"]
            for run in sorted(records, key=lambda run: run.key) if run.outcome not in ("solved", "answered")]
    if not rows:
        return "None."
    return _table(["suite", "task", "expected", "status", "what the tool says", "CPU (s)"], rows)
