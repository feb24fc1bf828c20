"""Changes certificates in small ways: each mutant must be rejected, or be true as far as executions tell.

    mutate.py FOLDER... [--count N] [--seed N]

Changed are annotations (numbers, connectives, facts, invariants that vanish) and automata (constants, operations, edges). A mutant
whose invariants still prove it is tried out by random executions of its automata: none may reach the error. A mutant of the
annotation alone leaves the automata as they are, and these are executed as well.
"""

import argparse
import copy
import importlib.util
import json
import pathlib
import random
import sys

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "src" / "certificate" / "check.py"
SPEC = importlib.util.spec_from_file_location("check", SCRIPT)
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)

SWAPS = {"add": "sub", "sub": "add", "mul": "add", "lt": "le", "le": "lt", "eq": "ne", "ne": "eq", "and": "or", "or": "and", "div": "rem"}


def mutate_automata(data, rng):
    """One small change of the automata; nothing if the dice find none."""
    data = copy.deepcopy(data)
    kind = rng.choice(["constant", "operation", "edge", "assume"])
    exprs = data["expressions"]
    edges = [edge for proc in data["procedures"] for edge in proc["edges"]]
    if kind == "constant":
        found = [expr for expr in exprs if expr and expr[0] == "const" and expr[1] not in ("u1", "ptr")]
        if found:
            expr = rng.choice(found)
            expr[2] = str(int(expr[2]) + rng.choice([-1, 1]))
            return data
    if kind == "operation":
        found = [expr for expr in exprs if expr and expr[0] == "binary" and expr[2] in SWAPS]
        if found:
            expr = rng.choice(found)
            expr[2] = SWAPS[expr[2]]
            return data
    if kind == "edge" and edges:
        proc = rng.choice(data["procedures"])
        if proc["edges"]:
            rng.choice(proc["edges"])[1] = rng.randrange(proc["locations"])
            return data
    found = [edge for edge in edges if edge[2]]
    if kind == "assume" and found:
        edge = rng.choice(found)
        del edge[2][rng.randrange(len(edge[2]))]
        return data
    return None


def mutate_annotation(text, rng):
    """One small change of the annotation."""
    lines = text.splitlines()
    number = rng.randrange(1, len(lines))
    words = lines[number].split()
    numeric = [at for at, word in enumerate(words) if at and word.lstrip("-").isdigit()]
    choice = rng.random()
    if words[0] in ("and", "or") and choice < 0.5:
        words[0] = "or" if words[0] == "and" else "and"
    elif words[0] in ("le", "zero") and choice < 0.5:
        words[0] = "zero" if words[0] == "le" else "le"
    elif words[0] == "invariant" and choice < 0.3:
        words[3] = "never" if words[3] == "reached" else "reached"
    elif words[0] in ("known", "instance") and choice < 0.3:
        words = []
    elif numeric:
        at = rng.choice(numeric)
        words[at] = str(int(words[at]) + rng.choice([-1, 1]))
    else:
        return None
    return "\n".join(lines[:number] + ([" ".join(words)] if words else []) + lines[number + 1:]) + "\n"


def holds(data, text, limit):
    """Whether the obligations are refuted; None if that is not known."""
    try:
        checked = check.Check(check.Program(copy.deepcopy(data)), check.Annotation(text))
        for _, formulas, _ in checked.obligations():
            refuted, answer = check.is_refuted(checked.terms.script(checked.typed(formulas)), "cvc5", limit)
            if not refuted:
                return False if answer == "sat" else None
        return True
    except check.Rejected:
        return False
    except (check.Unchecked, ValueError, KeyError, IndexError, TypeError):
        return None


class Random(check.Execution):
    """An execution that chooses at random."""

    def __init__(self, program, rng):
        super().__init__(program)
        self.rng = rng
        for var in range(len(program.vars)):
            if program.kind(var) == "scalar":
                self.write(["var", var], None)

    def write(self, place, value):
        type_ = self.program.storage_type(place[1])
        if value is None and type_.is_int:
            low, high = type_.range()
            small = self.rng.randint(max(low, -3), min(high, 12))
            value = self.rng.choice([small, small, small, low, high, self.rng.randint(low, high)])
        super().write(place, value)

    def way(self, ways):
        ways = list(ways)
        self.rng.shuffle(ways)
        for target, ops in ways:
            saved = dict(self.values)
            rest = self.go(ops)
            if rest is not None:
                return target, rest
            self.values = saved
        return None


def reaches_error(data, rng, runs=150, steps=3000):
    """Whether a random execution reaches the error."""
    check.MOST_STEPS = steps
    for _ in range(runs):
        try:
            Random(check.Program(copy.deepcopy(data)), rng).run()
        except check.Rejected:
            return True
        except check.Unchecked:
            pass
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng, counts, wrong = random.Random(arguments.seed), {"rejected": 0, "undecided": 0, "true": 0}, 0
    for folder in arguments.folders:
        if not (folder / "annotation.txt").exists():
            continue
        data, text = json.loads((folder / "automata.json").read_text()), (folder / "annotation.txt").read_text()
        for number in range(arguments.count):
            of_automata = number % 2 == 0
            mutant = mutate_automata(data, rng) if of_automata else mutate_annotation(text, rng)
            if mutant is None:
                continue
            pair = (mutant, text) if of_automata else (data, mutant)
            answer = holds(*pair, 5)
            if answer and reaches_error(pair[0], rng):
                wrong += 1
                print(f"WRONG: {folder} holds with {'other automata' if of_automata else 'another annotation'}, mutant {number}")
                place = folder.with_name(f"{folder.name}-mutant-{number}.json")
                place.write_text(json.dumps({"automata": pair[0], "annotation": pair[1]}))
            counts["true" if answer else "undecided" if answer is None else "rejected"] += 1
    print(", ".join(f"{count} {word}" for word, count in counts.items()) + f", {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
