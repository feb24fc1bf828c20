"""Mutants of witnesses: `check` writes a witness of each task, it is changed in one way, and `validate` must notice.

The witnesses themselves must be confirmed. A mutant is *rejected* (refuted, or no witness of this program), *unknown*, or *confirmed*. A confirmed one must be a true statement all the
same, e.g. an invariant that was weakened: what it states is written into the program by other code than the validator's (weave.py), and
`check` decides that program. Confirmed mutants for which that does not come out as true are wrong, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import os
import random
import re
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from wayproof_bench import environment, tasks, weave
from wayproof_bench.environment import say
from wayproof_bench.tasks import Task, UsageError
from wayproof_bench.weave import Place, Returned, Stated, Unsure

SUITES = ["gps-safe", "gps-lock-and-key", "gps-svcomp", "papers"]
REJECTED, UNKNOWN, TRUE, WRONG = "rejected", "unknown", "true statement", "WRONG"


class Mutant(NamedTuple):
    """A changed witness."""

    kind: str
    text: str


class Judged(NamedTuple):
    """What became of it."""

    task: str
    kind: str
    outcome: str
    code: int
    said: str


class Witness:
    """The text of a witness as Wayproof writes it: a head, and a block for each segment or invariant."""

    def __init__(self, text: str):
        head, mark, rest = text.partition("  content:")
        if not mark:
            raise UsageError("a witness without content")
        blocks = re.split(r"(?m)^(?=    - (?:segment|invariant):)", rest)
        self.head, self.blocks = head + mark + blocks[0], blocks[1:]
        self.is_violation = "violation_sequence" in head

    def with_blocks(self, blocks: List[str]) -> str:
        if not blocks and not self.is_violation:
            return self.head.rstrip() + " []\n"
        return self.head + "".join(blocks)

    def with_block(self, number: int, block: str) -> str:
        return self.with_blocks(self.blocks[:number] + [block] + self.blocks[number + 1:])

    def with_head(self, pattern: str, new: str) -> str:
        return re.sub(pattern, lambda _: new, self.head, count=1) + "".join(self.blocks)


def value_of(block: str) -> str:
    """The expression of an invariant."""
    return re.search(r'value: "(.*)"\n', block)[1]


def with_value(block: str, value: str) -> str:
    return re.sub(r'value: ".*"\n', lambda _: f'value: "{value}"\n', block, count=1)


def conjuncts(value: str) -> List[str]:
    """The parts between `&&` outside of parentheses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(value):
        depth += (character in "([") - (character in ")]")
        if depth == 0 and value.startswith(" || ", at):
            return [value]
        if depth == 0 and value.startswith(" && ", at):
            parts.append(value[start:at])
            start = at + 4
    return parts + [value[start:]]


def common(witness: Witness, chance: random.Random, other: str) -> List[Mutant]:
    """Changes of what the witness is about."""
    digit = chance.randrange(64)
    found = re.search(r'": "([0-9a-f]{64})"', witness.head)
    hashed = found[1][:digit] + ("0" if found[1][digit] != "0" else "1") + found[1][digit + 1:]
    model = "ILP32" if "data_model: LP64" in witness.head else "LP64"
    texts = [
        Mutant("hash", witness.with_head(r'": "[0-9a-f]{64}"', f'": "{hashed}"')),
        Mutant("function", witness.with_head(r"G ! call\(\w+", "G ! call(main")),
        Mutant("data model", witness.with_head(r"data_model: \w+", f"data_model: {model}")),
    ]
    return texts + ([Mutant("other program", other)] if other else [])


def moved(witness: Witness, chance: random.Random) -> List[Mutant]:
    """Changes of places."""
    number = chance.randrange(len(witness.blocks))
    block = witness.blocks[number]
    found = []
    for word in ("line", "column"):
        if f"{word}: " in block:
            by = chance.choice([-1, 1]) * (chance.choice([1, 1, 2, 5]) if word == "line" else 1)
            step = lambda old: f"{word}: {max(int(old[1]) + by, 1)}"
            found.append(Mutant(word, witness.with_block(number, re.sub(rf"{word}: (\d+)", step, block))))
    return found


def of_violation(witness: Witness, chance: random.Random) -> List[Mutant]:
    """Changes of the path."""
    blocks, found = witness.blocks, []
    target = blocks[-1]
    by = chance.choice([-7, -3, 2, 4])
    found.append(Mutant("target", witness.with_block(len(blocks) - 1, re.sub(r"line: (\d+)", lambda old: f"line: {max(int(old[1]) + by, 1)}", target))))
    line = re.search(r"line: (\d+)", target)[1]
    file = re.search(r"file_name: (.*)\n", target)[1]
    never = ("    - segment:\n        - waypoint:\n            type: assumption\n            action: follow\n            constraint:\n"
             '              value: "0"\n              format: c_expression\n'
             f"            location:\n              file_name: {file}\n              line: {line}\n")
    found.append(Mutant("false assumption", witness.with_blocks(blocks[:-1] + [never, target])))
    inputs = len(blocks) - 1
    if not inputs:
        return found
    number = chance.randrange(inputs)
    block = blocks[number]
    value = re.search(r"result == (-?\d+)\"", block)
    if value:
        old = int(value[1])
        new = chance.choice([old + 1, old - 1, -old - 1, old + 1000003, 0 if old else 5])
        found.append(Mutant("value", witness.with_block(number, block.replace(f"== {old}\"", f"== {new}\""))))
        found.append(Mutant("relation", witness.with_block(number, block.replace("result ==", "result !="))))
    found.append(Mutant("removed", witness.with_blocks(blocks[:number] + blocks[number + 1:])))
    found.append(Mutant("repeated", witness.with_blocks(blocks[:number + 1] + blocks[number:])))
    weaker = re.sub(r"(?s)            constraint:.*?(?=            location:)", "", block)
    found.append(Mutant("any value", witness.with_block(number, weaker)))
    if inputs > 1:
        at = chance.randrange(inputs - 1)
        swapped = blocks[:at] + [blocks[at + 1], blocks[at]] + blocks[at + 2:]
        found.append(Mutant("swapped", witness.with_blocks(swapped)))
    return found


def of_correctness(witness: Witness, chance: random.Random) -> List[Mutant]:
    """Changes of invariants."""
    blocks = witness.blocks
    number = chance.randrange(len(blocks))
    block = blocks[number]
    value = value_of(block)
    change = lambda kind, new: Mutant(kind, witness.with_block(number, with_value(block, new)))
    found = [change("negated", f"!({value})"), change("trivial", "1"), Mutant("removed", witness.with_blocks(blocks[:number] + blocks[number + 1:]))]
    parts = conjuncts(value)
    if len(parts) > 1:
        dropped = chance.randrange(len(parts))
        found.append(change("weakened", " && ".join(parts[:dropped] + parts[dropped + 1:])))
    numbers = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", value))
    if numbers:
        at = chance.choice(numbers)
        found.append(change("constant", value[:at.start()] + str(max(int(at[0]) + chance.choice([-1, 1, 2]), 0)) + value[at.end():]))
    relations = list(re.finditer(r" (<=|>=|==|!=|<|>) ", value))
    if relations:
        at = chance.choice(relations)
        swap = {"<=": "<", ">=": ">", "==": "!=", "!=": "==", "<": "<=", ">": ">="}[at[1]]
        found.append(change("relation", f"{value[:at.start()]} {swap} {value[at.end():]}"))
    names = [name for name in re.findall(r"(?<!\()\b[A-Za-z_]\w*", re.sub(r"\([a-z ]+\)", "", value))]
    if names:
        found.append(change("strengthened", f"({value}) && {chance.choice(names)} == {chance.choice([0, 1, 7])}"))
    if len(blocks) > 1:
        at = chance.randrange(len(blocks) - 1)
        one, two = value_of(blocks[at]), value_of(blocks[at + 1])
        swapped = blocks[:at] + [with_value(blocks[at], two), with_value(blocks[at + 1], one)] + blocks[at + 2:]
        found.append(Mutant("swapped", witness.with_blocks(swapped)))
    return found


def mutants(text: str, chance: random.Random, other: str = "") -> List[Mutant]:
    """One mutant of each kind that the witness allows."""
    witness = Witness(text)
    found = common(witness, chance, other)
    if witness.blocks:
        found += moved(witness, chance)
        found += of_violation(witness, chance) if witness.is_violation else of_correctness(witness, chance)
    return [mutant for mutant in found if mutant.text != text]


def place(block: str) -> Place:
    line, column = re.search(r"line: (\d+)", block), re.search(r"column: (\d+)", block)
    return Place(int(line[1]), int(column[1]) if column else None)


def stated_values(mutant: str) -> List[int]:
    """Values with which the calls of a violation may be answered."""
    found = re.findall(r"result (==|!=) (-?\d+)\"", mutant)
    return [int(value) + (relation == "!=") for relation, value in found]


def woven(mutant: str, program: str) -> str:
    """The program with what the mutant states."""
    witness = Witness(mutant)
    if not witness.is_violation:
        return weave.invariants(program, [Stated(place(block), "loop_invariant" in block, value_of(block)) for block in witness.blocks])
    passed = []
    for block in witness.blocks[:-1]:
        if "type: function_return" not in block:
            raise Unsure("a waypoint that is no return")
        relation = re.search(r"result (==|!=) (-?\d+)\"", block)
        if "constraint:" in block and not relation:
            raise Unsure("a value that is no integer")
        passed.append(Returned(place(block), (relation[1], int(relation[2])) if relation else None))
    return weave.violation(program, passed, place(witness.blocks[-1]))


class Tool:
    """The binary, and where its files go."""

    def __init__(self, binary: Path, folder: Path, seconds: int):
        self.binary, self.folder, self.seconds = binary, folder, seconds

    def run(self, *words: str, seconds: int = 0) -> Tuple[int, str]:
        """Exit code and first line of what it says."""
        line = [str(self.binary), *words, "--timeout", str(seconds or self.seconds)]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=10 * self.seconds + 60, check=False)
        said = done.stdout.decode(errors="replace")
        return done.returncode, said.splitlines()[0] if said else ""

    def file(self, name: str, text: str) -> Path:
        """A file of the calling thread."""
        path = self.folder / f"{threading.get_ident()}-{name}"
        path.write_text(text, encoding="utf-8")
        return path

    def witness(self, task: Task) -> str:
        """The witness of a task; nothing if it is not solved."""
        path = self.folder / f"{threading.get_ident()}-original.yml"
        code, _ = self.run("check", str(task.definition), "--no-exec", "--quiet", "--witness", str(path))
        return path.read_text(encoding="utf-8") if code in (0, 10) else ""

    def judge_text(self, task: Task, text: str) -> Tuple[int, str]:
        """The validator's opinion."""
        path = self.file("mutant.yml", text)
        return self.run("validate", str(task.definition), "--witness", str(path))

    def judge(self, task: Task, mutant: Mutant) -> Judged:
        """The validator's opinion, and a second one if it confirms."""
        code, said = self.judge_text(task, mutant.text)
        outcome = {10: REJECTED, 2: REJECTED, 5: UNKNOWN}.get(code, WRONG)
        if code == 0:
            is_true, why = self.is_true(task, mutant)
            outcome, said = (TRUE if is_true else WRONG), f"{said} Second opinion: {why}"
        return Judged(f"{task.suite}/{task.name}", mutant.kind, outcome, code, said)

    def is_true(self, task: Task, mutant: Mutant) -> Tuple[bool, str]:
        """Whether what a confirmed mutant states is true, and how that is known."""
        program = task.program.read_text(encoding="utf-8", errors="replace")
        try:
            text = woven(mutant.text, program)
        except Unsure as why:
            return False, str(why)
        is_violation = Witness(mutant.text).is_violation
        if not is_violation and task.expected != "true":
            return False, "the task is not safe"
        model = re.search(r"data_model: (\w+)", mutant.text)[1]
        path = self.file("woven.c", text)
        rule = self.file("woven.prp", f"CHECK( init(main()), LTL(G ! call({weave.ERROR}())) )\n")
        wanted = 10 if is_violation else 0
        if is_violation:
            inputs = [word for value in stated_values(mutant.text) for word in ("--input", str(value))]
            code, said = self.run("run", str(path), "--property", str(rule), "--data-model", model, "--verdict", *inputs)
            if code == wanted:
                return True, f"executed: {said}"
        for engine in ("gps", "cra", "impact"):
            code, said = self.run("check", str(path), "--property", str(rule), "--data-model", model, "--engine", engine, seconds=12 * self.seconds)
            if code in (0, 10, 2):
                return code == wanted, f"{engine}: {said}"
        return False, "not decided"


def chosen(found: List[Mutant], each: int, used: Dict[str, int]) -> List[Mutant]:
    """The mutants whose kinds were used least."""
    best = sorted(range(len(found)), key=lambda at: (used[found[at].kind], at))[:each]
    for at in best:
        used[found[at].kind] += 1
    return [found[at] for at in best]


def collect(tool: Tool, all_tasks: List[Task], jobs: int) -> List[Tuple[Task, str]]:
    """The witnesses of all tasks that are solved."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        texts = list(pool.map(tool.witness, all_tasks))
    say(f"{sum(map(bool, texts))} of {len(texts)} tasks have a witness")
    return [(task, text) for task, text in zip(all_tasks, texts) if text]


def change(witnesses: List[Tuple[Task, str]], each: int, seed: int) -> List[Tuple[Task, Mutant]]:
    """Mutants of witnesses."""
    used: Dict[str, int] = collections.Counter()
    work, previous = [], ""
    for task, text in witnesses:
        mark = hashlib.sha256(f"{seed} {task.suite}/{task.name}".encode()).hexdigest()
        found = mutants(text, random.Random(mark), previous)
        work += [(task, mutant) for mutant in chosen(found, each, used)]
        previous = text
    return work


def unchanged(tool: Tool, witnesses: List[Tuple[Task, str]], jobs: int) -> bool:
    """Whether no witness is rejected as it is; says how many are confirmed."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        judged = list(pool.map(lambda item: tool.judge_text(*item), witnesses))
    print(f"unchanged witnesses: {sum(code == 0 for code, _ in judged)} of {len(judged)} confirmed, {sum(code == 5 for code, _ in judged)} unknown")
    for (task, _), (code, said) in zip(witnesses, judged):
        if code != 0:
            print(f"{'unknown' if code == 5 else WRONG}: {task.suite}/{task.name}, unchanged: {said}")
    return all(code in (0, 5) for code, _ in judged)


def table(judged: List[Judged]) -> str:
    """Outcomes by kind."""
    outcomes = [REJECTED, UNKNOWN, TRUE, WRONG]
    counts = collections.Counter((row.kind, row.outcome) for row in judged)
    lines = [f"{'kind':<18}" + "".join(f"{name:>16}" for name in outcomes)]
    for kind in sorted({row.kind for row in judged}) + ["all"]:
        numbers = [sum(count for (of, name), count in counts.items() if name == outcome and kind in (of, "all")) for outcome in outcomes]
        lines.append(f"{kind:<18}" + "".join(f"{number:>16}" for number in numbers))
    return "\n".join(lines)


def options(arguments: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/mutants", description="Change witnesses and see whether `validate` notices.",
                                     epilog="Exit codes: 0 no witness rejected, all mutants rejected, unknown or true, 1 otherwise.")
    parser.add_argument("suites", nargs="*", default=SUITES, metavar="SUITE", help=f"({' '.join(SUITES)})")
    parser.add_argument("--each", type=int, default=1, metavar="N", help="mutants of each witness, of different kinds (1); 0 judges the witnesses as they are")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="chooses among mutants of a kind (1)")
    parser.add_argument("--seconds", type=int, default=5, metavar="N", help="for each run (5)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="runs at the same time (number of cores)")
    parser.add_argument("--csv", metavar="FILE", help="a line for each mutant")
    parser.add_argument("--keep", metavar="DIR", help="keep wrong mutants there")
    parser.add_argument("--binary", metavar="FILE", help="the binary (WAYPROOF, or the release build of this clone)")
    return parser.parse_args(arguments)


def main(arguments: List[str]) -> int:
    """bench/mutants"""
    args = options(arguments)
    binary = environment.binary(args.binary)
    all_tasks = [task for suite in args.suites for task in tasks.find(suite)]
    jobs = max(args.jobs, 1)
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(binary, Path(folder), args.seconds)
        witnesses = collect(tool, all_tasks, jobs)
        is_kept = unchanged(tool, witnesses, jobs)
        work = change(witnesses, args.each, args.seed)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            judged = list(pool.map(lambda item: tool.judge(*item), work))
    if args.csv:
        with open(args.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([Judged._fields, *judged])
    print(table(judged))
    wrong = [(row, mutant) for row, (_, mutant) in zip(judged, work) if row.outcome == WRONG]
    for row, mutant in wrong:
        print(f"WRONG: {row.task}, {row.kind}: {row.said}")
        if args.keep:
            keep = Path(args.keep)
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{row.task.replace('/', '-')}-{row.kind.replace(' ', '-')}.yml").write_text(mutant.text, encoding="utf-8")
    return 1 if wrong or not is_kept else 0
