"""The plots of docs/results: which data go into which chart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Tuple

from wayproof_bench import svg
from wayproof_bench.records import Record

_FAMILY = re.compile(r"(.+)-(\d+)")
# Times below this are noise.
_FLOOR_S = 0.01


def families(records: List[Record]) -> Dict[str, List[Tuple[int, Record]]]:
    """Parametrised programs: family to parameter and run, in order. A family has at least three members."""
    found: Dict[str, List[Tuple[int, Record]]] = {}
    for record in records:
        match = _FAMILY.fullmatch(record.task)
        if match and len(match.group(2)) >= 4:
            found.setdefault(match.group(1), []).append((int(match.group(2)), record))
    return {name: sorted(runs, key=lambda run: run[0]) for name, runs in sorted(found.items()) if len(runs) >= 3}


def cactus(title: str, by_name: Dict[str, List[Record]], limit: float) -> svg.Chart:
    """How many tasks each solves within a time, each by itself."""
    times = {name: sorted(run.cpu_s for run in runs if run.outcome == "solved") for name, runs in by_name.items()}
    most = max([len(values) for values in times.values()] + [1])
    chart = svg.Chart(title, svg.Axis("tasks solved", 0, most),
                      svg.log_axis("CPU seconds of the n-th fastest", [_FLOOR_S, limit], _FLOOR_S))
    for name, values in times.items():
        chart.line(f"{name} ({len(values)})", [(index + 1, value) for index, value in enumerate(values)])
    return chart


def scatter(title: str, ours: List[Record], theirs: List[Record], name: str, limit: float) -> svg.Chart:
    """CPU time of ours against theirs; what is not solved lies at the limit of its own axis."""
    other = {record.task: record for record in theirs}
    axes = [svg.log_axis(label, [_FLOOR_S, limit], _FLOOR_S) for label in (f"CPU seconds, {name}", "CPU seconds, wayproof")]
    chart = svg.Chart(title, axes[0], axes[1])
    chart.has_diagonal = True
    groups: Dict[str, List[svg.Point]] = {"both solve": [], "only wayproof": [], f"only {name}": []}
    for record in ours:
        reference = other.get(record.task)
        if reference is None:
            continue
        mine, its = record.outcome == "solved", reference.outcome == "solved"
        if mine or its:
            group = "both solve" if mine and its else ("only wayproof" if mine else f"only {name}")
            groups[group].append((reference.cpu_s if its else axes[0].high, record.cpu_s if mine else axes[1].high))
    for group, points in groups.items():
        chart.scatter(f"{group} ({len(points)})", points)
    return chart


_METRICS = [("time", "cpu_s", "CPU seconds", _FLOOR_S), ("nodes", "tree_nodes", "tree nodes", 1.0),
            ("queries", "solver_queries", "solver queries", 1.0)]


def scaling(records: List[Record]) -> Dict[str, svg.Chart]:
    """One chart per metric, one line per family of parametrised programs; solved runs only."""
    charts = {}
    groups = families(records)
    for key, column, label, floor in _METRICS:
        lines = {}
        for family, runs in groups.items():
            points = [(float(parameter), max(float(getattr(run, column) or 0), floor))
                      for parameter, run in runs if run.outcome == "solved"]
            if points:
                lines[family] = points
        if not lines:
            continue
        xs = [point[0] for points in lines.values() for point in points]
        ys = [point[1] for points in lines.values() for point in points]
        chart = svg.Chart(f"Lock & Key: {label} against the parameter (gps)", svg.log_axis("parameter N", xs, 1.0),
                          svg.log_axis(label, [*ys, floor], floor))
        for family, points in lines.items():
            chart.line(family, points)
        charts[f"scaling-{key}"] = chart
    return charts


def scaling_by_config(by_config: Dict[str, List[Record]], limit: float) -> Dict[str, svg.Chart]:
    """One chart per family, one line per configuration; unsolved runs end a line."""
    charts: Dict[str, svg.Chart] = {}
    for config, records in by_config.items():
        for family, runs in families(records).items():
            points = [(float(parameter), max(run.cpu_s, _FLOOR_S)) for parameter, run in runs if run.outcome == "solved"]
            if family not in charts:
                xs = [float(parameter) for parameter, _ in runs]
                charts[family] = svg.Chart(f"{family}: CPU seconds against the parameter", svg.log_axis("parameter N", xs, 1.0),
                                           svg.log_axis("CPU seconds", [_FLOOR_S, limit], _FLOOR_S), height=320)
            charts[family].line(f"{config} ({len(points)}/{len(runs)})", points)
    return {f"family-{family}": chart for family, chart in charts.items()}


def overlap(title: str, names: List[str], sets: List[List[Record]]) -> str:
    """Which of three solves what, over the tasks that all three were given."""
    given = [{record.task: record.outcome == "solved" for record in records} for records in sets]
    counts: Dict[Tuple[bool, bool, bool], int] = {}
    for task in sorted(set(given[0]) & set(given[1]) & set(given[2])):
        key = (given[0][task], given[1][task], given[2][task])
        counts[key] = counts.get(key, 0) + 1
    return svg.venn(title, names, counts)


def write(folder: Path, name: str, text: str) -> None:
    """Writes a plot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.svg").write_text(text, encoding="utf-8")
