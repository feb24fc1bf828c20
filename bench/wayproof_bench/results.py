"""What Wayproof solves, and how fast: bench/results.

Runs every configuration on the suites of the GPS paper, and with `--wide` the default one on all other suites, on tasks with other
properties and on Horn clauses. Keeps the raw numbers beside the page, and rewrites the generated parts of the page and the plots.
Finished runs are not repeated.

Invariants
* I1: all rows of a results folder come from one binary and one pair of limits, or the page says that they do not.
* I2: of the pages only what stands between markers is changed. The page of the GPS paper lies beside the raw numbers.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, Optional, Set

from wayproof_bench import configs, environment, horn, plots, records, tables, tasks
from wayproof_bench.cli import add_limits
from wayproof_bench.definition import Limits
from wayproof_bench.environment import say
from wayproof_bench.records import Record
from wayproof_bench.runner import Runner
from wayproof_bench.tasks import ROOT, UsageError

SUITES = ["gps-safe", "gps-lock-and-key", "gps-svcomp", "papers"]
# Beyond the paper, for the default configuration only.
WIDE_CONFIG = configs.DEFAULT
PROPERTIES = ["no-overflow", "valid-memsafety"]
# Names of further files of raw numbers.
PROPERTY_RUNS = "properties"
HORN_SOLVERS = ["wayproof", "spacer"]
QUICK_SECONDS = 10
# Results are saved after so many runs at the latest.
CHUNK = 24
NOTHING = "Nothing measured yet."
MAIN_BLOCKS = ["setup", "summary", "suites", "properties", "horn", "peers", "unsolved"]
GPS_BLOCKS = ["ablation", "reference", "scaling"]
GPS_PAGE = "gps.md"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench/results", description=(
        "Measure all configurations on the GPS paper's suites, and write tables and plots. Finished runs are not repeated."))
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE", help=f"({' '.join(SUITES)})")
    parser.add_argument("--configs", nargs="+", default=list(configs.CONFIGS), choices=list(configs.CONFIGS), metavar="NAME",
                        help=f"({' '.join(configs.CONFIGS)})")
    parser.add_argument("--wide", action="store_true", help=(
        f"also measure {WIDE_CONFIG} on all other suites, on the tasks of `props`, and on the systems of `chc`"))
    parser.add_argument("--quick", action="store_true", help=(
        f"{WIDE_CONFIG} alone on everything with {QUICK_SECONDS} s for each run: about an hour on a laptop"))
    parser.add_argument("--spacer", metavar="FILE", help="a Z3, for example that of the package z3-solver: run it on the Horn clauses, too")
    parser.add_argument("--fresh", action="store_true", help="measure the chosen runs again")
    parser.add_argument("--mixed", action="store_true", help="go on although earlier runs had another binary or other limits")
    parser.add_argument("--tables-only", action="store_true", help="measure nothing, only write tables and plots again")
    parser.add_argument("--out", default=str(ROOT / "docs" / "results"), metavar="DIR", help="raw numbers and plots (docs/results)")
    parser.add_argument("--page", default=str(ROOT / "docs" / "results.md"), metavar="FILE", help="the page (docs/results.md)")
    parser.add_argument("--scratch", metavar="DIR", help="logs and HTML tables of BenchExec (a folder in the cache)")
    add_limits(parser)
    return parser


class Store:
    """The raw numbers: one CSV file per configuration, and what they were measured with."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.about_path = folder / "measured.json"
        self.about: Dict[str, object] = {}
        if self.about_path.is_file():
            self.about = json.loads(self.about_path.read_text(encoding="utf-8"))
        self.by_config = self._load(list(configs.CONFIGS))
        self.properties = self._load([PROPERTY_RUNS])
        self.horn = self._load(HORN_SOLVERS, "horn-")
        rows = self._load(["peers"]).get("peers", [])
        self.peers = {name: [run for run in rows if run.config == name] for name in dict.fromkeys(run.config for run in rows)}

    def _load(self, names: List[str], prefix: str = "") -> Dict[str, List[Record]]:
        paths = {name: self.folder / f"{prefix}{name}.csv" for name in names}
        return {name: records.load(path) for name, path in paths.items() if path.is_file()}

    def drop(self, config: str, suites: Set[str]) -> None:
        """Forgets runs that are to be made again."""
        kept = [run for run in self.by_config.get(config, []) if run.suite not in suites]
        self.by_config[config] = kept
        records.save(self.folder / f"{config}.csv", kept)

    def add(self, config: str, found: List[Record]) -> None:
        """Keeps runs."""
        self._add(self.by_config, config, "", found)

    def add_properties(self, found: List[Record]) -> None:
        """Keeps runs with other properties."""
        self._add(self.properties, PROPERTY_RUNS, "", found)

    def add_horn(self, solver: str, found: List[Record]) -> None:
        """Keeps runs on Horn clauses."""
        self._add(self.horn, solver, "horn-", found)

    def _add(self, place: Dict[str, List[Record]], name: str, prefix: str, found: List[Record]) -> None:
        rows = [*place.get(name, []), *found]
        unique = {run.key: run for run in rows}
        place[name] = [unique[key] for key in sorted(unique)]
        records.save(self.folder / f"{prefix}{name}.csv", rows)

    def forget_beyond(self) -> None:
        """Forgets the runs with other properties and on Horn clauses, which are to be made again."""
        self.properties, self.horn = {}, {}
        for path in [self.folder / f"{PROPERTY_RUNS}.csv", *(self.folder / f"horn-{name}.csv" for name in HORN_SOLVERS)]:
            path.unlink(missing_ok=True)

    def all_runs(self) -> List[Record]:
        """Everything that was measured."""
        return [run for place in (self.by_config, self.properties, self.horn) for runs in place.values() for run in runs]

    def settle(self, settings: Dict[str, object], is_mixing_allowed: bool) -> None:
        """Records what the next runs are made with; they must go together with the earlier ones (I1)."""
        earlier = {name: self.about.get(name) for name in ("version", "limits")}
        has_runs = any(self.by_config.values())
        differs = has_runs and any(earlier[name] not in (None, settings[name]) for name in earlier)
        if differs and not is_mixing_allowed:
            raise UsageError(f"the runs in {self.folder} were made with {earlier['version']}, {earlier['limits']}; "
                             f"now it is {settings['version']}, {settings['limits']}; "
                             "--fresh measures the chosen runs again, --mixed keeps both and says so")
        mixed = bool(has_runs and (differs or self.about.get("mixed")))
        self.about = {**settings, "mixed": mixed}
        self.folder.mkdir(parents=True, exist_ok=True)
        self.about_path.write_text(json.dumps(self.about, indent=1) + "\n", encoding="utf-8")


def _plan(args: argparse.Namespace) -> List[tuple]:
    """Configurations and suites in the order of their runs."""
    plan = [(config, suite) for config in args.configs for suite in args.suites]
    if args.wide:
        plan += [(WIDE_CONFIG, suite) for suite in tasks.all_suites() if suite not in args.suites]
    return plan


def measure(args: argparse.Namespace, store: Store) -> bool:
    """Makes the runs that are missing; whether it came to the end."""
    plan = _plan(args)
    binary = environment.binary(args.binary)
    scratch = Path(args.scratch) if args.scratch else environment.cache_folder() / "bench-results"
    runner = Runner(binary, Limits(args.time, args.memory), args.jobs, scratch, args.runner)
    if args.fresh:
        for config, suite in plan:
            store.drop(config, {task.suite for task in tasks.find(suite)})
        if args.wide:
            store.forget_beyond()
    store.settle({
        "version": runner.version, "limits": str(runner.limits), "seconds": args.time, "runner": runner.name,
        "machine": environment.machine(), "date": datetime.date.today().isoformat(), "jobs": args.jobs,
    }, args.mixed)
    for config, suite in plan:
        finished = {run.key for run in store.by_config.get(config, [])}
        missing = [task for task in tasks.find(suite) if (config, task.suite, task.name) not in finished]
        if not missing:
            continue
        say(f"{config} on {suite}: {len(missing)} runs")
        for start in range(0, len(missing), CHUNK):
            part = missing[start:start + CHUNK]
            store.add(config, runner.run(config, configs.options(config), part, f"{suite}-{start}"))
            if runner.interrupted:
                say("interrupted; the same command goes on from here")
                return False
    if args.wide and not (_measure_properties(runner, store) and _measure_horn(args, binary, store)):
        say("interrupted; the same command goes on from here")
        return False
    page = runner.html("results")
    if page:
        say(f"tables of BenchExec for this session's runs: {page}")
    return True


def _measure_properties(runner: Runner, store: Store) -> bool:
    """The default configuration on tasks with other properties; whether it came to the end."""
    for name in PROPERTIES:
        finished = {(run.suite, run.task) for run in store.properties.get(PROPERTY_RUNS, [])}
        by_folder: Dict[str, List[tasks.Task]] = {}
        for task in tasks.with_property(name):
            if (name, f"{task.suite}/{task.name}") not in finished:
                by_folder.setdefault(task.suite, []).append(task)
        for folder, missing in by_folder.items():
            say(f"{name} on {folder}: {len(missing)} runs")
            found = runner.run(WIDE_CONFIG, configs.options(WIDE_CONFIG), missing, f"{name}-{folder}")
            store.add_properties([replace(run, suite=name, task=f"{run.suite}/{run.task}") for run in found])
            if runner.interrupted:
                return False
    return True


def _measure_horn(args: argparse.Namespace, binary: Path, store: Store) -> bool:
    """Ours, and Spacer if it was given, on systems of Horn clauses; whether it came to the end."""
    folder = horn.systems_folder()
    if not folder.is_dir():
        say(f"no Horn clauses: {folder} is missing")
        return True
    solvers = [horn.ours(binary, args.time, args.memory)]
    if args.spacer:
        solvers.append(horn.spacer(Path(args.spacer), args.time, args.memory))
    for solver in solvers:
        finished = {(run.suite, run.task) for run in store.horn.get(solver.name, [])}
        missing = [system for system in horn.find([folder]) if (system.folder, system.file.stem) not in finished]
        say(f"{solver.name} on Horn clauses: {len(missing)} runs")
        try:
            horn.run_all(solver, missing, args.jobs, lambda run, name=solver.name: store.add_horn(name, [run]))
        except KeyboardInterrupt:
            return False
    return True


def _setup(about: Dict[str, object]) -> str:
    mixed = " **The numbers below come from more than one version or limit.**" if about.get("mixed") else ""
    return (f"Measured on {about.get('date')}: {about.get('version')}; limits per run: {about.get('limits')}; "
            f"runner: {about.get('runner')}, {about.get('jobs')} at a time; {about.get('machine')}.{mixed}")


def _images(store: Store, names: List[str]) -> str:
    """Those of the plots that there are, as Markdown."""
    links = [f"![{name}]({name}.svg)" for name in names if (store.folder / f"{name}.svg").is_file()]
    return "".join(f"\n\n{link}" for link in links)


def blocks(store: Store, reference: Optional[Path]) -> Dict[str, str]:
    """The generated parts of the pages by name."""
    families = [f"family-{family}" for family in plots.families(store.by_config.get(WIDE_CONFIG, []))]
    paper = {config: [run for run in runs if run.suite in SUITES] for config, runs in store.by_config.items() if runs}
    ours = store.by_config.get(WIDE_CONFIG, [])
    if not ours:
        return dict.fromkeys([*MAIN_BLOCKS, *GPS_BLOCKS], NOTHING)
    found = {
        "setup": _setup(store.about),
        "summary": tables.total(ours),
        "suites": tables.suites(ours),
        "ablation": tables.ablation(paper) if any(paper.values()) else NOTHING,
        "scaling": tables.scaling(ours),
        "unsolved": tables.unsolved(ours),
        "properties": tables.suites(store.properties.get(PROPERTY_RUNS, [])) if store.properties else NOTHING,
        "horn": tables.side_by_side("systems", store.horn) if store.horn else NOTHING,
        "peers": tables.side_by_side("safe tasks", store.peers) if store.peers else NOTHING,
    }
    found["ablation"] += _images(store, ["cactus"])
    found["scaling"] += _images(store, ["scaling-time", "scaling-nodes", "scaling-queries", *families])
    if reference is not None and any(run.suite == "gps-svcomp" for run in ours):
        found["reference"] = tables.against_reference(ours, tables.reference(reference)) + _images(
            store, ["overlap-safe", "overlap-unsafe", "cactus-reference", "scatter-gps", "scatter-veriabs"])
    else:
        found["reference"] = NOTHING
    return found


def draw(store: Store, reference: Optional[Path]) -> None:
    """All plots."""
    folder = store.folder
    limit = float(store.about.get("seconds") or 60)
    paper = {config: [run for run in runs if run.suite in SUITES] for config, runs in store.by_config.items() if runs}
    if not paper:
        return
    plots.write(folder, "cactus", plots.cactus("Tasks of the paper's suites solved within a time", paper, limit).text())
    lock_and_key = {config: [run for run in runs if run.suite == "gps-lock-and-key"] for config, runs in paper.items()}
    charts = {**plots.scaling(lock_and_key.get(WIDE_CONFIG, [])), **plots.scaling_by_config(lock_and_key, limit)}
    for name, chart in charts.items():
        plots.write(folder, name, chart.text())
    ours = [run for run in paper.get(WIDE_CONFIG, []) if run.suite == "gps-svcomp"]
    if reference is None or not ours:
        return
    theirs = tables.reference(reference)
    sides = {"wayproof": ours, **theirs}
    slowest = max(run.cpu_s for runs in theirs.values() for run in runs)
    plots.write(folder, "cactus-reference", plots.cactus("gps-svcomp: solved within a time", sides, slowest).text())
    for name, slug in (("GPS (authors)", "gps"), ("VeriAbs", "veriabs")):
        chart = plots.scatter(f"gps-svcomp: wayproof and {name}", ours, theirs[name], name, slowest)
        plots.write(folder, f"scatter-{slug}", chart.text())
    for verdict, slug in (("true", "safe"), ("false", "unsafe")):
        sets = [[run for run in runs if run.expected == verdict] for runs in sides.values()]
        plots.write(folder, f"overlap-{slug}", plots.overlap(f"gps-svcomp, {slug} tasks: solved by", list(sides), sets))


def rewrite(page: str, parts: Dict[str, str]) -> str:
    """The page with new generated parts (I2); every part must have its place."""
    for name, text in parts.items():
        pattern = re.compile(rf"(<!-- generated:{name} -->\n).*?(<!-- end:{name} -->)", re.DOTALL)
        page, count = pattern.subn(lambda match: f"{match.group(1)}\n{text}\n\n{match.group(2)}", page)
        if count != 1:
            raise UsageError(f"the page needs exactly one pair of markers `<!-- generated:{name} -->` and `<!-- end:{name} -->`")
    return page


def main(arguments: List[str]) -> int:
    """bench/results"""
    args = _parser().parse_args(arguments)
    if args.quick:
        args.time, args.configs, args.wide = QUICK_SECONDS, [WIDE_CONFIG], True
    store = Store(Path(args.out).resolve())
    pages = {Path(args.page): MAIN_BLOCKS, store.folder / GPS_PAGE: GPS_BLOCKS}
    try:
        texts = {page: page.read_text(encoding="utf-8") for page in pages}
    except OSError as error:
        raise UsageError(f"cannot read a page: {error}") from error
    is_complete = args.tables_only or measure(args, store)
    path = tasks.bench_folder() / "reference" / "gps-and-veriabs-2025.csv"
    reference = path if path.is_file() else None
    if reference is None:
        say(f"no published results to compare with: {path} is missing")
    draw(store, reference)
    parts = blocks(store, reference)
    for page, names in pages.items():
        page.write_text(rewrite(texts[page], {name: parts[name] for name in names}), encoding="utf-8")
    wrong = [run for run in store.all_runs() if run.outcome == "wrong"]
    for run in wrong:
        print(f"WRONG: {run.config} on {run.suite}/{run.task}: {run.status}, expected {run.expected}")
    for config, runs in store.by_config.items():
        print(f"{config}: {records.summary(runs)}")
    return 1 if wrong else (0 if is_complete else 130)
