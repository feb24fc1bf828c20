"""The commands bench/run, bench/shard, bench/merge and bench/compare."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Callable, List

from wayproof_bench import compare, configs, definition, environment, records, tasks
from wayproof_bench.definition import Limits
from wayproof_bench.environment import say
from wayproof_bench.runner import Runner
from wayproof_bench.tasks import UsageError


def guarded(command: Callable[[List[str]], int]) -> None:
    """Ends the process with the exit code of a command; what the user can put right is one line."""
    try:
        sys.exit(command(sys.argv[1:]))
    except UsageError as error:
        say(f"error: {error}")
        sys.exit(1)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(130)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Options that all measuring commands share."""
    parser.add_argument("--time", type=_positive, default=60, metavar="S", help="CPU seconds of one run (60)")
    parser.add_argument("--memory", type=_positive, default=4096, metavar="MB", help="memory of one run in MiB (4096)")
    parser.add_argument("--jobs", type=_positive, default=1, metavar="N", help="runs at the same time (1)")
    parser.add_argument("--binary", metavar="FILE", help="the binary (WAYPROOF, or the release build of this clone)")
    parser.add_argument("--runner", choices=["auto", "benchexec", "builtin"], default="auto",
                        help="what enforces the limits (auto: BenchExec if it works here)")


def _positive(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("expected a number above 0")
    return value


def _run_parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"bench/{name}", description="Run task sets under limits of time and memory.")
    parser.add_argument("suites", nargs="+", metavar="SUITE", help="a suite, a folder of task definitions, or one .yml; `all`")
    parser.add_argument("--engine", default=configs.DEFAULT, metavar="NAME",
                        help=f"an engine, or one of the configurations {', '.join(configs.CONFIGS)} ({configs.DEFAULT})")
    parser.add_argument("--option", action="append", default=[], metavar="OPTION", help="a further option of `check`, as --option=--no-gas")
    parser.add_argument("--property", default="unreach-call", metavar="NAME", help="which property of the tasks (unreach-call)")
    parser.add_argument("--out", default="bench-out", metavar="DIR", help="folder for tables and logs (bench-out)")
    add_limits(parser)
    return parser


def _select(suites: List[str], property_name: str) -> List[tasks.Task]:
    names = [name for suite in suites for name in (tasks.all_suites() if suite == "all" else [suite])]
    if not names:
        raise UsageError("there are no suites; WAYPROOF_BENCH names their folder")
    return [task for name in names for task in tasks.find(name, property_name)]


def _measure(args: argparse.Namespace, selected: List[tasks.Task], name: str) -> List[records.Record]:
    binary = environment.binary(args.binary)
    folder = Path(args.out).resolve()
    runner = Runner(binary, Limits(args.time, args.memory), args.jobs, folder / "runs", args.runner)
    say(f"{len(selected)} tasks, {args.engine}, {runner.limits}, runner: {runner.name}")
    found = runner.run(args.engine, [*configs.options(args.engine), *args.option], selected, name)
    records.save(folder / f"{name}.csv", found)
    page = runner.html(name)
    say(f"wrote {folder / name}.csv" + (f" and {page}" if page else ""))
    meta = {"version": runner.version, "limits": str(runner.limits), "runner": runner.name, "tasks": len(selected), "runs": len(found)}
    (folder / f"{name}.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    if runner.interrupted:
        raise KeyboardInterrupt
    return found


def _verdict(found: List[records.Record]) -> int:
    """Prints the summary; a wrong verdict or an internal error is a failure."""
    print(records.summary(found))
    for record in found:
        if record.outcome in ("wrong", "error"):
            print(f"{record.outcome.upper()}: {record.suite}/{record.task}: {record.status}, expected {record.expected}")
    return 1 if any(record.outcome == "wrong" for record in found) else 0


def run(arguments: List[str]) -> int:
    """bench/run"""
    if arguments == ["--setup"]:
        say(f"binary: {environment.binary(None)}")
        commands = environment.venv()
        works = commands is not None and environment.benchexec_works(commands)
        print("runner: BenchExec" if works else "runner: built-in")
        return 0
    parser = _run_parser("run")
    parser.epilog = "bench/run --setup only builds the binary, installs BenchExec and says whether it works here."
    parser.add_argument("--define", metavar="FILE.xml", help="only write the benchmark definition, for use with BenchExec itself")
    args = parser.parse_args(arguments)
    selected = _select(args.suites, args.property)
    if args.define:
        definition.write(Path(args.define), configs.CONFIGS, selected, Limits(args.time, args.memory), whole_suites=True)
        return 0
    return _verdict(_measure(args, selected, "results"))


def shard(arguments: List[str]) -> int:
    """bench/shard"""
    parser = _run_parser("shard")
    # The numbers come first, as an array job has them.
    numbers = argparse.ArgumentParser(add_help=False)
    numbers.add_argument("index", type=_positive)
    numbers.add_argument("count", type=_positive)
    if len(arguments) < 3 or not all(word.isdigit() for word in arguments[:2]):
        parser.usage = "bench/shard I N SUITE... [options of bench/run]"
        parser.parse_args(["--help"] if "--help" in arguments or "-h" in arguments else [])
    place = numbers.parse_args(arguments[:2])
    args = parser.parse_args(arguments[2:])
    selected = tasks.shard(_select(args.suites, args.property), place.index, place.count)
    if not selected:
        say("this shard has no tasks")
        records.save(Path(args.out) / f"shard-{place.index}-of-{place.count}.csv", [])
        return 0
    return _verdict(_measure(args, selected, f"shard-{place.index}-of-{place.count}"))


def merge(arguments: List[str]) -> int:
    """bench/merge"""
    parser = argparse.ArgumentParser(prog="bench/merge", description="Join the results of all shards in a folder.")
    parser.add_argument("folder", help="the --out folder of the shards")
    parser.add_argument("--allow-missing", action="store_true", help="merge although shards or tasks are missing")
    args = parser.parse_args(arguments)
    folder = Path(args.folder)
    parts = {path.stem: path for path in folder.glob("shard-*-of-*.csv")}
    counts = {stem.rsplit("-", 1)[1] for stem in parts}
    if len(counts) != 1:
        raise UsageError(f"`{folder}` has shards of {len(counts)} different divisions; expected one")
    count = int(counts.pop())
    complaints = [f"shard {index} is missing" for index in range(1, count + 1) if f"shard-{index}-of-{count}" not in parts]
    settings = set()
    found: List[records.Record] = []
    for stem, path in sorted(parts.items()):
        rows = records.load(path)
        meta = path.with_suffix(".json")
        if meta.is_file():
            about = json.loads(meta.read_text(encoding="utf-8"))
            settings.add((about["version"], about["limits"]))
            if about["runs"] < about["tasks"]:
                complaints.append(f"{stem} has {about['runs']} of {about['tasks']} runs")
        found += rows
    if len({record.key for record in found}) != len(found):
        raise UsageError("two shards have results of the same task: they come from different divisions")
    if len(settings) > 1:
        raise UsageError(f"the shards differ in version or limits: {sorted(settings)}")
    for complaint in complaints:
        say(complaint)
    if complaints and not args.allow_missing:
        raise UsageError("not merged; --allow-missing merges what there is")
    records.save(folder / "results.csv", found)
    say(f"wrote {folder / 'results.csv'}")
    return _verdict(found)


def compare_runs(arguments: List[str]) -> int:
    """bench/compare"""
    parser = argparse.ArgumentParser(prog="bench/compare", description="What changed from run A to run B.")
    parser.add_argument("before", metavar="A", help="a results.csv, or a folder that has one")
    parser.add_argument("after", metavar="B")
    args = parser.parse_args(arguments)
    before, after = (compare.read(Path(place)) for place in (args.before, args.after))
    difference = compare.Comparison(before, after)
    print(difference.text())
    return 1 if difference.wrong_after or difference.lost else 0
