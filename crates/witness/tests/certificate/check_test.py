"""Tests of check.py: operations against gcc and, if there is cvc5, formulas against operations; small automata with known answers."""

import importlib.util
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "src" / "certificate" / "check.py"
SPEC = importlib.util.spec_from_file_location("check", SCRIPT)
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)

TYPES = {"i8": "signed char", "u8": "unsigned char", "i32": "int", "u32": "unsigned", "i64": "long long", "u64": "unsigned long long"}
BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>",
          "eq": "==", "ne": "!=", "lt": "<", "le": "<="}


def has_cvc5():
    return importlib.util.find_spec("cvc5") is not None


def random_value(type_, rng):
    low, high = type_.range()
    return rng.choice([low, high, 0, 1, type_.wrap(-1), 7, rng.randint(low, high), rng.randint(max(low, -9), 9)])


def samples(count, seed):
    """Operations on values: (operation, name of the type, operands)."""
    rng = random.Random(seed)
    for _ in range(count):
        name = rng.choice(sorted(TYPES))
        type_ = check.Type(name, 64)
        op = rng.choice(sorted(BINARY) + ["neg", "not"])
        args = [random_value(type_, rng)] + ([random_value(type_, rng)] if op in BINARY else [])
        if op in ("shl", "shr"):
            args[1] = rng.randint(0, type_.bits - 1)
        yield op, name, args


def value_of(op, name, args, overflow):
    """The value by the script's own arithmetic; None if it is undefined."""
    type_ = check.Type(name, 64)
    result = check.Type("u1", 64) if op in ("eq", "ne", "lt", "le") else type_
    try:
        return check.concrete(op, args, type_, result, overflow)
    except ArithmeticError:
        return None


class Piece(check.Piece):
    """A piece without a program, for single operations."""

    def __init__(self, overflow):
        self.terms, self.chosen, self.site, self.guard = check.Terms(), {}, (0, 0), []
        self.program = type("Program", (), {"overflow": overflow})

    def result(self, op, name, args):
        type_ = check.Type(name, 64)
        value, defined = self.unary(op, args[0], type_) if len(args) == 1 else self.binary(op, *args, type_, type_)
        return self.number(value), defined


class Operations(unittest.TestCase):
    def test_values_are_those_of_gcc(self):
        cases = [case for case in samples(3000, 1) if value_of(*case, "wrap") is not None]
        lines = []
        for op, name, args in cases:
            c_type = TYPES[name]
            a, b = [f"({c_type}){arg % 2**64}ull" for arg in args + args[:1]][:2]
            text = f"{a} {BINARY[op]} {b}" if op in BINARY else f"{'-' if op == 'neg' else '~'}{a}"
            # Comparisons and narrow types: C promotes, and the result is converted back.
            text = text if op in ("eq", "ne", "lt", "le") else f"({c_type})({text})"
            lines.append(f'printf("%llu\\n", (unsigned long long)({text}));')
        with tempfile.TemporaryDirectory() as folder:
            source, binary = pathlib.Path(folder) / "a.c", pathlib.Path(folder) / "a"
            source.write_text("#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n")
            subprocess.run(["cc", "-w", "-fwrapv", "-o", binary, source], check=True)
            printed = subprocess.run([binary], capture_output=True, check=True).stdout.split()
        for case, expected in zip(cases, printed, strict=True):
            self.assertEqual(value_of(*case, "wrap") % 2**64, int(expected), case)

    def test_formulas_of_constants_are_values(self):
        for overflow in ("undefined", "wrap"):
            for op, name, args in samples(3000, 2):
                piece = Piece(overflow)
                value, defined = piece.result(op, name, [piece.terms.int(arg) for arg in args])
                expected = value_of(op, name, args, overflow)
                self.assertEqual(defined, piece.terms.false if expected is None else piece.terms.true, (op, name, args))
                if expected is not None:
                    self.assertEqual(piece.terms.value(value), expected, (op, name, args))

    @unittest.skipUnless(has_cvc5(), "there is no cvc5")
    def test_formulas_of_symbols_are_values(self):
        for op, name, args in samples(250, 3):
            piece = Piece("undefined")
            terms = piece.terms
            symbols = [terms.symbol(f"x{number}", check.INT) for number in range(len(args))]
            given = [terms.eq(symbol, terms.int(arg)) for symbol, arg in zip(symbols, args)]
            value, defined = piece.result(op, name, symbols)
            expected = value_of(op, name, args, "undefined")
            right = terms.lnot(defined) if expected is None else terms.land([defined, terms.eq(value, terms.int(expected))])
            script = terms.script(given + [terms.lnot(right)])
            self.assertTrue(check.is_refuted(script, "cvc5", 20)[0], (op, name, args))


def automata(edges, error=2, overflow="undefined"):
    """x, an int, starts with any value; expression 0 is x, 1 is 10, 2 is 1, 3 is x + 1, 4 is x < 10, 5 is not that, 6 is 10 < x, 7 is 0."""
    return {
        "format": "wayproof-automata", "version": 1, "pointer_bits": 64, "signed_overflow": overflow, "entry": 0,
        "variables": [{"name": "x", "owner": None, "storage": {"kind": "scalar", "type": "i32"}}],
        "expressions": [["var", "i32", 0], ["const", "i32", "10"], ["const", "i32", "1"], ["binary", "i32", "add", 0, 2],
                        ["binary", "u1", "lt", 0, 1], ["unary", "u1", "not", 4], ["binary", "u1", "lt", 1, 0], ["const", "i32", "0"]],
        "procedures": [{"name": "main", "params": [], "results": [], "entry": 0, "exit": 4, "error": error, "locations": 5, "edges": edges}],
    }


X = ["var", 0]
COUNTING = [[0, 1, [["assign", X, 7]]], [1, 1, [["assume", 4], ["assign", X, 3]]], [1, 3, [["assume", 5]]], [3, 2, [["assume", 6]]],
            [3, 4, []]]
AT_MOST_TEN = "logic integers\nfalse\ninvariant 0 0 reached 0\ninstance\ninvariant 0 1 reached 0\nknown 0 0 10 1 0\ninvariant 0 2 never 0\n"


def answer(edges, annotation):
    """Whether all obligations are refuted."""
    checked = check.Check(check.Program(automata(edges)), check.Annotation(annotation))
    scripts = [checked.terms.script(checked.typed(formulas)) for _, formulas, _ in checked.obligations()]
    return all(check.is_refuted(script, "cvc5", 20)[0] for script in scripts)


class Names(unittest.TestCase):
    def test_different_names_of_symbols_stay_different(self):
        terms = check.Terms()
        names = ["a|b", "a\\b", "a~b", "a\u00e9b", "a\u00fcb", "a~7c~b", "a b", "%a#1@entry"]
        self.assertEqual(len({terms.symbol(name, check.INT) for name in names}), len(names))
        self.assertFalse(any(set("|\\") & set(terms.nodes[number][2]) for number in range(2, len(terms.nodes))))


class Automata(unittest.TestCase):
    def test_an_execution_that_ends_is_carried_out(self):
        run = check.Execution(check.Program(automata(COUNTING)))
        self.assertEqual(run.run(), "returns")

    def test_an_execution_to_the_error_is_rejected(self):
        edges = COUNTING[:3] + [[3, 2, [["assume", 5]]]]
        with self.assertRaises(check.Rejected):
            check.Execution(check.Program(automata(edges))).run()

    def test_an_execution_that_depends_on_a_choice_is_no_evidence(self):
        edges = [[0, 1, [["havoc", X]]]] + COUNTING[1:]
        with self.assertRaises(check.Unchecked):
            check.Execution(check.Program(automata(edges))).run()

    def test_every_cycle_needs_an_invariant(self):
        without = AT_MOST_TEN.replace("invariant 0 1 reached 0\nknown 0 0 10 1 0\n", "")
        with self.assertRaises(check.Rejected):
            list(check.Check(check.Program(automata(COUNTING)), check.Annotation(without)).obligations())

    def test_entry_and_error_need_invariants(self):
        for line in ("invariant 0 0 reached 0\ninstance\n", "invariant 0 2 never 0\n"):
            with self.assertRaises(check.Rejected):
                text = AT_MOST_TEN.replace(line, "")
                list(check.Check(check.Program(automata(COUNTING)), check.Annotation(text)).obligations())

    def test_an_instance_for_a_variable_is_rejected(self):
        text = AT_MOST_TEN.replace("false\n", "false\nvariable 0\nnumber 3\n").replace("1 0\n", "1 0\ninstance 1 2\n")
        with self.assertRaises(check.Rejected):
            list(check.Check(check.Program(automata(COUNTING)), check.Annotation(text)).obligations())

    @unittest.skipUnless(has_cvc5(), "there is no cvc5")
    def test_invariants_decide(self):
        self.assertTrue(answer(COUNTING, AT_MOST_TEN))
        self.assertFalse(answer(COUNTING, AT_MOST_TEN.replace("0 0 10 1 0", "0 0 9 1 0")), "it is not preserved")
        self.assertFalse(answer(COUNTING, AT_MOST_TEN.replace("0 0 10 1 0", "0 0 11 1 0")), "it does not exclude the error")
        self.assertFalse(answer([[0, 1, []]] + COUNTING[1:], AT_MOST_TEN), "it does not hold at the start")
        self.assertFalse(answer(COUNTING + [[1, 2, []]], AT_MOST_TEN), "an edge leads to the error")

    @unittest.skipUnless(has_cvc5(), "there is no cvc5")
    def test_ways_that_exclude_nothing_are_both_followed(self):
        both = [[0, 1, [["assign", X, 7]]], [0, 1, [["assign", X, 1]]], [1, 2, [["assume", 5]]], [1, 4, []]]
        text = "logic integers\nfalse\ninvariant 0 0 reached 0\ninstance\ninvariant 0 2 never 0\n"
        self.assertFalse(answer(both, text))
        self.assertTrue(answer([both[0], both[0], *both[2:]], text))


if __name__ == "__main__":
    unittest.main()
