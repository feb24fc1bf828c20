"""Suites and tasks: folders of SV-COMP task definitions.

Only what measuring needs is read from a definition (property, expected verdict, C file, data model), line by line, so
that nothing has to be installed; anything else in it is none of our business.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional

ROOT = Path(__file__).resolve().parent.parent.parent

_ENTRY = re.compile(r"^(\s*)(?:-\s+)?([a-z_]+):\s*(.*?)\s*$")


class UsageError(Exception):
    """Something the user can put right; printed without a traceback."""


@dataclass(frozen=True)
class Task:
    """One program with one property."""

    suite: str
    name: str
    definition: Path
    program: Path
    property_file: Path
    expected: Optional[str]
    data_model: Optional[str]


def bench_folder() -> Path:
    """Where the suites are: WAYPROOF_BENCH, or ../shared/bench beside the clone."""
    return Path(os.environ.get("WAYPROOF_BENCH") or ROOT.parent / "shared" / "bench")


def _folders_with_tasks(folder: Path) -> List[Path]:
    if not folder.is_dir():
        return []
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and any(entry.glob("*.yml")))


def all_suites() -> List[str]:
    """Names of the folders with tasks."""
    return [folder.name for folder in _folders_with_tasks(bench_folder())]


def with_property(property_name: str) -> List[Task]:
    """The tasks of the folder `props`, beside that of the suites, that have a property."""
    folders = _folders_with_tasks(bench_folder().parent / "props")
    return [task for folder in folders for path in sorted(folder.glob("*.yml")) for task in [_read(path, property_name)] if task]


def find(suite: str, property_name: str = "unreach-call") -> List[Task]:
    """The tasks of a suite, of any folder with task definitions, or a single definition; in order of their names."""
    candidates = [bench_folder() / suite, Path(suite)]
    for place in candidates:
        if place.is_dir():
            definitions = sorted(place.glob("*.yml"))
            break
        if place.is_file() and place.suffix == ".yml":
            definitions = [place]
            break
    else:
        raise UsageError(f"there is no suite or folder `{suite}`; the suites are: {', '.join(all_suites()) or 'none'}")
    tasks = [task for path in definitions for task in [_read(path, property_name)] if task]
    if not tasks:
        raise UsageError(f"`{suite}` has no task definition with the property {property_name}")
    return tasks


def _read(path: Path, property_name: str) -> Optional[Task]:
    """The task of a definition that has the wanted property."""
    path = Path(os.path.abspath(path))
    program = model = None
    properties: List[List[Optional[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = _ENTRY.match(line.split(" #")[0])
        if not entry:
            # `input_files:` may be followed by a list
            item = re.match(r"^\s*-\s+(\S+)\s*$", line)
            if item and program == "":
                program = item.group(1).strip("'\"")
            continue
        key, value = entry.group(2), entry.group(3).strip("'\"")
        if key == "input_files":
            program = value.strip("[] '\"").split(",")[0].strip(" '\"")
        elif key == "property_file":
            properties.append([value, None])
        elif key == "expected_verdict" and properties:
            properties[-1][1] = value
        elif key == "data_model":
            model = value
    for file, expected in properties:
        if program and Path(file).stem == property_name:
            folder = path.parent
            return Task(
                suite=folder.name,
                name=path.stem,
                definition=path,
                program=Path(os.path.abspath(folder / program)),
                property_file=Path(os.path.abspath(folder / file)),
                expected=expected,
                data_model=model,
            )
    return None


def shard(tasks: List[Task], index: int, count: int) -> List[Task]:
    """Every `count`-th task from the `index`-th on (from 1): neighbours, which tend to be alike, go to different shards."""
    if not 1 <= index <= count:
        raise UsageError(f"shard {index} of {count} does not exist")
    return tasks[index - 1::count]
