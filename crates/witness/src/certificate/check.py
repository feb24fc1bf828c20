#!/usr/bin/env python3
"""Checks a certificate without the tool that wrote it.

    check.py [FOLDER] [--limit SECONDS] [--solver cvc5|z3] [--files] [--emit FOLDER]

A certificate of `safe` has the automata of a program (automata.json) and invariants of some of its locations (annotation.txt).
This script makes from these two files alone, by its own encoding of operations, formulas that say
    initial      the invariant of an entry does not hold when its procedure is entered,
    inductive    one piece of the program leads from a state in an invariant to one outside the next invariant,
    safe         a state at an error location satisfies its invariant,
and asks a solver (cvc5, `pip install cvc5`) to refute each of them. Every cycle must contain a location with an invariant. If all are
refuted, no execution of the automata reaches an error location. The files in obligations/ are not used; --files checks them too.

A certificate of `unsafe` has a C program (harness.c) that runs into the violation: it is compiled and executed.

Exit status: 0 the certificate holds, 1 it does not, 2 it could not be checked.

What is trusted: this script, Python, the solver, and that the automata are those of the C program. The files are described in
docs/certificates.md of Wayproof.

Parts: 1 terms, 2 automata, 3 operations as formulas, 4 annotations, 5 obligations, 6 execution, 7 harness, 8 solvers, 9 main.
"""

import argparse
import hashlib
import itertools
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

INT, BOOL, ARRAY = "Int", "Bool", "(Array Int Int)"
MOST_STORES = 64        # more elements that are copied or filled at once become a quantifier
MOST_CASES = 64         # of the choices of paths that an instance leaves open
MOST_STEPS = 20_000_000  # of an execution


class Rejected(Exception):
    """The certificate is wrong."""


class Unchecked(Exception):
    """The certificate cannot be checked here."""


# ---------------------------------------------------------------------------------------------------------------- 1. terms


class Terms:
    """Formulas as a graph without duplicates: a term is the number of a node, (operator, sort, operands or text)."""

    def __init__(self):
        self.nodes, self.numbers, self.fresh = [], {}, 0
        self.bound = []  # whether a node mentions a bound variable
        self.true, self.false = self.leaf("true", BOOL), self.leaf("false", BOOL)

    def node(self, op, sort, args):
        key = (op, sort, args)
        if key not in self.numbers:
            self.numbers[key] = len(self.nodes)
            self.nodes.append(key)
            inside = op == "bound" or op not in ("symbol", "leaf", "forall") and any(self.bound[arg] for arg in args)
            self.bound.append(inside)
        return self.numbers[key]

    def leaf(self, text, sort):
        return self.node("leaf", sort, text)

    def int(self, value):
        return self.leaf(str(value) if value >= 0 else f"(- {-value})", INT)

    def value(self, term):
        """The number that a term is, if it is one."""
        op, sort, text = self.nodes[term]
        if op != "leaf" or sort != INT:
            return None
        return int(text) if text[0] != "(" else -int(text[3:-1])

    def symbol(self, name, sort):
        # Different names stay different.
        return self.node("symbol", sort, re.sub(r"[^ !-\[\]-{}]", lambda found: f"~{ord(found[0]):x}~", name))

    def new(self, name, sort):
        self.fresh += 1
        return self.symbol(f"{name}'{self.fresh}", sort)

    def variable(self, name, sort):
        """A bound variable."""
        return self.node("bound", sort, name)

    def sort(self, term):
        return self.nodes[term][1]

    def app(self, op, sort, *args):
        return self.node(op, sort, args)

    def land(self, args):
        found = []
        for arg in args:
            if arg == self.false:
                return self.false
            if arg != self.true and arg not in found:
                found.append(arg)
        return self.true if not found else found[0] if len(found) == 1 else self.app("and", BOOL, *found)

    def lnot(self, arg):
        if arg in (self.true, self.false):
            return self.false if arg == self.true else self.true
        op, _, args = self.nodes[arg]
        return args[0] if op == "not" else self.app("not", BOOL, arg)

    def lor(self, args):
        return self.lnot(self.land([self.lnot(arg) for arg in args]))

    def implies(self, left, right):
        return self.lor([self.lnot(left), right])

    def eq(self, left, right):
        if left == right:
            return self.true
        for constant, other in [(left, right), (right, left)]:
            if constant in (self.true, self.false):
                return other if constant == self.true else self.lnot(other)
        a, b = self.value(left), self.value(right)
        if a is not None and b is not None:
            return self.false
        return self.app("=", BOOL, left, right)

    def lt(self, left, right):
        a, b = self.value(left), self.value(right)
        if a is not None and b is not None:
            return self.true if a < b else self.false
        return self.app("<", BOOL, left, right)

    def le(self, left, right):
        return self.lnot(self.lt(right, left))

    def ite(self, cond, yes, no):
        if cond == self.true or yes == no:
            return yes
        if cond == self.false:
            return no
        if self.sort(yes) == BOOL:
            return self.land([self.implies(cond, yes), self.lor([cond, no])])
        return self.app("ite", self.sort(yes), cond, yes, no)

    def add(self, *args):
        constant = sum(self.value(arg) for arg in args if self.value(arg) is not None)
        others = [arg for arg in args if self.value(arg) is None]
        if constant or not others:
            others.append(self.int(constant))
        return others[0] if len(others) == 1 else self.app("+", INT, *others)

    def scale(self, factor, arg):
        value = self.value(arg)
        if value is not None:
            return self.int(factor * value)
        return arg if factor == 1 else self.int(0) if factor == 0 else self.app("*", INT, self.int(factor), arg)

    def sub(self, left, right):
        return self.add(left, self.scale(-1, right))

    def mul(self, left, right):
        for factor, other in [(left, right), (right, left)]:
            if self.value(factor) is not None:
                return self.scale(self.value(factor), other)
        return self.app("*", INT, *sorted([left, right]))

    def div(self, left, right):
        """Rounded down, by a positive number."""
        a, b = self.value(left), self.value(right)
        if b == 1:
            return left
        return self.int(a // b) if a is not None and b else self.app("div", INT, left, right)

    def mod(self, left, right):
        """Never negative, by a positive number."""
        a, b = self.value(left), self.value(right)
        if b == 1:
            return self.int(0)
        return self.int(a % b) if a is not None and b else self.app("mod", INT, left, right)

    def select(self, array, index):
        return self.app("select", INT, array, index)

    def store(self, array, index, value):
        return self.app("store", ARRAY, array, index, value)

    def everywhere(self, value):
        return self.app(f"(as const {ARRAY})", ARRAY, value)

    def forall(self, variables, body):
        return self.node("forall", BOOL, tuple(variables) + (body,))

    def script(self, formulas):
        """SMT-LIB that asks whether all formulas hold together."""
        lines, declared = ["(set-logic ALL)"], set()
        for term in self.below(formulas):
            op, sort, args = self.nodes[term]
            if op == "symbol" and args not in declared:
                declared.add(args)
                lines.append(f"(declare-fun |{args}| () {sort})")
            elif op not in ("symbol", "leaf", "bound") and not self.bound[term]:
                lines.append(f"(define-fun t{term} () {sort} {self.text(term)})")
        lines += [f"(assert {self.name(term)})" for term in formulas]
        return "\n".join(lines + ["(check-sat)", ""])

    def below(self, roots):
        seen, pending = set(), list(roots)
        while pending:
            term = pending.pop()
            if term not in seen:
                seen.add(term)
                op, _, args = self.nodes[term]
                pending.extend(args if op not in ("symbol", "leaf", "bound") else ())
        return sorted(seen)

    def name(self, term):
        op, _, args = self.nodes[term]
        return f"|{args}|" if op in ("symbol", "bound") else args if op == "leaf" else f"t{term}"

    def text(self, term):
        op, _, args = self.nodes[term]
        if op != "forall":
            return f"({op} {' '.join(map(self.name, args))})"
        *variables, body = args
        inner = [sub for sub in self.below([body]) if self.bound[sub] and self.nodes[sub][0] != "bound"]
        lets = "".join(f"(let ((t{sub} {self.text(sub)})) " for sub in inner)
        binders = " ".join(f"(|{self.nodes[var][2]}| {self.sort(var)})" for var in variables)
        return f"(forall ({binders}) {lets}{self.name(body)}{')' * len(inner)})"


# ------------------------------------------------------------------------------------------------------------- 2. automata


class Type:
    """A machine type: i8, u32, ptr, ... An integer has bits and a sign, a floating-point number nothing that is known."""

    def __init__(self, name, pointer_bits):
        self.is_int, self.signed, self.bits = True, name[0] == "i", None
        if name == "ptr":
            self.bits = pointer_bits
        elif name[0] in "iu":
            self.bits = int(name[1:])
        else:
            self.is_int = False

    def range(self):
        if not self.is_int:
            return None
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if self.signed else (0, (1 << self.bits) - 1)

    def wrap(self, number):
        number %= 1 << self.bits
        return number - (1 << self.bits) if self.signed and number >> self.bits - 1 else number


class Program:
    """The automata, with what is derived from them."""

    def __init__(self, data):
        if (data["format"], data["version"]) != ("wayproof-automata", 1):
            raise Unchecked("the automata have an unknown format")
        self.overflow, self.entry = data["signed_overflow"], data["entry"]
        self.vars, self.exprs, self.procs = data["variables"], data["expressions"], data["procedures"]
        types = {}
        self.type = lambda name: types.get(name) or types.setdefault(name, Type(name, data["pointer_bits"]))
        for number, expr in enumerate(self.exprs):
            if expr and any(operand >= number for operand in self.operands(expr)):
                raise Rejected("an expression comes before its operands")
        for proc in self.procs:
            proc["outgoing"] = [[] for _ in range(proc["locations"])]
            for number, (source, target, _) in enumerate(proc["edges"]):
                proc["outgoing"][source].append(number)
                if not 0 <= target < proc["locations"]:
                    raise Rejected("an edge leads nowhere")

    def operands(self, expr):
        kind, rest = expr[0], expr[2:]
        if kind in ("const", "var", "undefined", "address"):
            return []
        if kind == "opaque":
            return rest[0]
        return {"elem": rest[1:2], "bounded": rest[:1], "unary": rest[1:], "binary": rest[1:]}.get(kind, rest)

    def storage_type(self, var):
        return self.type(self.vars[var]["storage"]["type"])

    def kind(self, var):
        return self.vars[var]["storage"]["kind"]

    def is_global(self, var):
        return self.vars[var]["owner"] is None

    def targets(self, proc):
        """The procedures that a procedure calls itself."""
        return {target for _, _, ops in self.procs[proc]["edges"] for op in ops if op[0] == "call" for target in op[2]}

    def called(self, roots):
        found, pending = set(roots), list(roots)
        while pending:
            new = self.targets(pending.pop()) - found
            found |= new
            pending.extend(new)
        return found

    def written(self, roots):
        """The global variables that calls of procedures may write, in order."""
        found = set()
        for proc in self.called(roots):
            for op in (op for _, _, ops in self.procs[proc]["edges"] for op in ops):
                places = {"assign": op[1:2], "havoc": op[1:2], "new_address": op[1:2], "output": op[1:2]}.get(op[0], [])
                places = op[4] if op[0] == "call" else places
                found |= {place[1] for place in places if place and place[0] in ("var", "elem")}
                if op[0] in ("init", "allocate", "copy", "fill"):
                    found.add(op[1])
        return sorted(var for var in found if self.is_global(var))

    def reaching(self, proc, targets):
        """The locations of a procedure from which one of some locations can be reached."""
        before = {}
        for source, target, _ in self.procs[proc]["edges"]:
            before.setdefault(target, []).append(source)
        found, pending = set(targets), list(targets)
        while pending:
            for source in before.get(pending.pop(), []):
                if source not in found:
                    found.add(source)
                    pending.append(source)
        return found


# --------------------------------------------------------------------------------------------- 3. operations as formulas


class Piece:
    """All paths from one location to the next locations with invariants, as formulas over the values at the start.

    Where paths meet, a value is chosen by the condition of the path that was taken; conditions of different paths exclude each other.
    """

    def __init__(self, check, proc, start, cuts, relevant):
        self.check, self.program, self.terms, self.proc = check, check.program, check.terms, proc
        self.chosen = {}  # what an operation chooses: (edge, operation, kind) -> terms in order
        self.ends = {}    # location -> (condition, values)
        self.site, self.memo = None, None
        automaton, terms = self.program.procs[proc], self.terms
        arrivals = {}
        pending = self.order(start, cuts, relevant)
        for location in pending:
            arrived = [(terms.true, {})] if location == start else arrivals.get(location, [])
            if not arrived:
                continue
            condition, values = self.merge(arrived)
            left = []
            edges = [edge for edge in automaton["outgoing"][location] if automaton["edges"][edge][1] in relevant]
            for edge in edges:
                _, target, ops = automaton["edges"][edge]
                guard, after = self.execute(edge, ops, dict(values))
                left.append((target, guard, after))
            for pick, (target, guard, after) in zip(self.picks([guard for _, guard, _ in left]), left):
                taken = terms.land([condition, pick, guard])
                if taken != terms.false:
                    arrivals.setdefault(target, []).append((taken, after))
        for target in sorted(cuts):
            if arrivals.get(target):
                self.ends[target] = self.merge(arrivals[target])

    def order(self, start, cuts, relevant):
        """The locations of the piece, each after those from which it is entered; the ends are left out."""
        automaton = self.program.procs[self.proc]
        done, active, order, stack = set(), {start}, [], [(start, iter(automaton["outgoing"][start]))]
        while stack:
            location, edges = stack[-1]
            edge = next(edges, None)
            if edge is None:
                stack.pop()
                active.discard(location)
                done.add(location)
                order.append(location)
                continue
            target = automaton["edges"][edge][1]
            if target in cuts or target in done or target not in relevant:
                continue
            if target in active:
                raise Rejected(f"there is a cycle without invariant through location {target}")
            active.add(target)
            stack.append((target, iter(automaton["outgoing"][target])))
        return order[::-1]

    def picks(self, guards):
        """Which way is taken, one condition for each, so that no two hold together."""
        terms = self.terms
        if len(guards) == 2:
            parts = [set(terms.nodes[g][2]) if terms.nodes[g][0] == "and" else {g} for g in guards]
            if any(terms.lnot(part) in parts[1] for part in parts[0]):
                return [terms.true, terms.true]
        picks, rest = [], terms.true
        for _ in guards[1:]:
            choice = terms.new("way", BOOL)
            picks.append(terms.land([rest, choice]))
            rest = terms.land([rest, terms.lnot(choice)])
        return picks + [rest]

    def merge(self, arrived):
        if len(arrived) == 1:
            return arrived[0]
        merged = {}
        for var in sorted({var for _, values in arrived for var in values}):
            value = self.get(arrived[-1][1], var)
            for condition, values in arrived[-2::-1]:
                value = self.terms.ite(condition, self.get(values, var), value)
            merged[var] = value
        return self.terms.lor([condition for condition, _ in arrived]), merged

    def get(self, values, var):
        return values[var] if var in values else self.check.symbol(var)

    def choose(self, kind, name, sort):
        """An arbitrary value; those of one operation are told apart by their kind and order."""
        term = self.terms.new(name, sort)
        self.chosen.setdefault((*self.site, kind), []).append(term)
        return term

    def arbitrary(self, kind, name, type_):
        term = self.choose(kind, name, INT)
        self.guard.append(self.within(term, type_))
        return term

    def within(self, term, type_):
        """That a number is a value of a type."""
        if not type_.is_int:
            return self.terms.true
        low, high = type_.range()
        return self.terms.land([self.terms.le(self.terms.int(low), term), self.terms.le(term, self.terms.int(high))])

    def execute(self, edge, ops, values):
        """The condition under which an edge is passed, and the values behind it."""
        self.guard = []
        for number, op in enumerate(ops):
            self.site, self.memo = (edge, number), {}
            self.operation(op, values)
            if self.terms.false in self.guard:
                break
        return self.terms.land(self.guard), values

    def operation(self, op, values):
        terms, kind = self.terms, op[0]
        if kind == "assign":
            self.write(op[1], self.use(op[2], values), values)
        elif kind == "assume":
            self.guard.append(self.truth(self.use(op[1], values, as_truth=True)))
        elif kind == "havoc":
            self.write(op[1], self.arbitrary("open", "input", self.place_type(op[1])), values)
        elif kind in ("init", "allocate"):
            if kind == "allocate":
                self.guard.append(terms.le(terms.int(0), self.use(op[2], values)))
            if self.program.kind(op[1]) == "array":
                is_zero = kind == "init" and op[2] == "zero"
                values[op[1]] = terms.everywhere(terms.int(0)) if is_zero else self.choose("open", "array", ARRAY)
        elif kind in ("evaluate", "new_address", "output"):
            for expr in op[-1]:
                self.use(expr, values)
            if kind != "evaluate" and op[1]:
                value = self.arbitrary(kind, kind, self.place_type(op[1]))
                if kind == "new_address":
                    self.guard.append(terms.lt(terms.int(0), value))
                self.write(op[1], value, values)
        elif kind == "copy":
            _, to, at, source, start, count = op
            at, start, count = (self.use(expr, values) for expr in (at, start, count))
            self.inside_range(to, at, count)
            self.inside_range(source, start, count)
            old, offset = self.get(values, source), terms.sub(start, at)
            values[to] = self.overwritten(self.get(values, to), at, count,
                                          lambda index: terms.select(old, terms.add(index, offset)))
        elif kind == "fill":
            _, to, at, value, count = op
            at, value, count = (self.use(expr, values) for expr in (at, value, count))
            self.inside_range(to, at, count)
            length = self.program.vars[to]["storage"]["length"]
            if terms.value(at) == 0 and terms.value(count) == length:
                values[to] = terms.everywhere(value)
            else:
                values[to] = self.overwritten(self.get(values, to), at, count, lambda _: value)
        elif kind == "call":
            self.call(op, values)
        elif kind == "halt":
            self.guard.append(terms.false)
        else:
            raise Unchecked(f"the operation {kind} is not known")

    def inside_range(self, array, at, count):
        """That elements are inside an array, unless there are none of them."""
        terms, length = self.terms, self.program.vars[array]["storage"]["length"]
        if length != "unbounded":
            inside = [terms.le(terms.int(0), at)]
            if length != "dynamic":
                inside.append(terms.le(terms.add(at, count), terms.int(length)))
            self.guard.append(terms.lor([terms.eq(count, terms.int(0)), terms.land(inside)]))

    def overwritten(self, array, at, count, value):
        """An array with new elements from an index on."""
        terms, number = self.terms, self.terms.value(count)
        if number is not None and number <= MOST_STORES:
            result = array
            for offset in range(number):
                index = terms.add(at, terms.int(offset))
                result = terms.store(result, index, value(index))
            return result
        result, index = self.choose("elements", "array", ARRAY), terms.variable("i", INT)
        is_new = terms.land([terms.le(at, index), terms.lt(index, terms.add(at, count))])
        same = terms.eq(terms.select(result, index), terms.ite(is_new, value(index), terms.select(array, index)))
        self.guard.append(terms.forall([index], same))
        return result

    def call(self, op, values):
        """A call does anything to the results and the global variables that it may write, up to the contract of the procedure."""
        _, pointer, targets, args, results = op
        args = [self.use(arg, values) for arg in args]
        if pointer is not None:
            self.use(pointer, values)
        target = targets[0] if pointer is None else None
        before = {var: self.get(values, var) for var in self.check.globals}
        for var in self.program.written(targets):
            if self.program.kind(var) == "scalar":
                values[var] = self.arbitrary("effect", "called", self.program.storage_type(var))
            elif self.program.kind(var) == "array":
                values[var] = self.choose("open", "array", ARRAY)
        after = {var: self.get(values, var) for var in self.check.globals}
        formal = self.program.procs[target]["results"] if target is not None else [None] * len(results)
        for place, result in zip(results, formal):
            if place or result is not None:
                type_ = self.place_type(place) if place else self.program.storage_type(result)
                value = self.arbitrary("result", "result", type_)
                after[result] = value
                if place:
                    self.write(place, value, values)
        if target is not None:
            before.update(zip(self.program.procs[target]["params"], args))
            self.guard.append(self.check.contract(target, before, after))

    def place_type(self, place):
        return self.program.type(place[2]) if place[0] == "memory" else self.program.storage_type(place[1])

    def write(self, place, value, values):
        if place[0] == "var":
            values[place[1]] = value
        elif place[0] == "elem":
            index = self.use(place[2], values)
            self.guard.append(self.inside(place[1], index))
            values[place[1]] = self.terms.store(self.get(values, place[1]), index, value)
        else:
            self.use(place[1], values)

    def inside(self, array, index):
        """That an index is one of an array. A dynamic length is not known: any index that is not negative may be one."""
        terms, length = self.terms, self.program.vars[array]["storage"]["length"]
        if length == "unbounded":
            return terms.true
        above = terms.le(terms.int(0), index)
        return above if length == "dynamic" else terms.land([above, terms.lt(index, terms.int(length))])

    # Expressions: a pair of the value (a number, or a truth value if it is a condition) and when it is defined.

    def use(self, root, values, as_truth=False):
        """The value of an expression; that it is defined is required."""
        program, pending = self.program, [root]
        while pending:
            number = pending[-1]
            if number in self.memo:
                pending.pop()
                continue
            missing = [arg for arg in program.operands(program.exprs[number]) if arg not in self.memo]
            if missing:
                pending.extend(reversed(missing))
                continue
            pending.pop()
            self.memo[number] = self.expression(program.exprs[number], values)
        value, defined = self.memo[root]
        self.guard.append(defined)
        return value if as_truth else self.number(value)

    def number(self, value):
        if self.terms.sort(value) != BOOL:
            return value
        return self.terms.ite(value, self.terms.int(1), self.terms.int(0))

    def truth(self, value):
        return value if self.terms.sort(value) == BOOL else self.terms.lt(self.terms.int(0), value)

    def expression(self, expr, values):
        terms, kind, type_ = self.terms, expr[0], self.program.type(expr[1])
        parts = [self.memo[arg] for arg in self.program.operands(expr)]
        defined = terms.land([when for _, when in parts])
        if kind == "const":
            return terms.int(int(expr[2])), defined
        if kind == "var":
            return self.get(values, expr[2]), defined
        if kind == "elem":
            index = self.number(parts[0][0])
            value = terms.select(self.get(values, expr[2]), index)
            return value, terms.land([defined, self.inside(expr[2], index), self.within(value, type_)])
        if kind == "bounded":
            value, low, bound = self.number(parts[0][0]), terms.int(expr[3]), terms.int(expr[4])
            return value, terms.land([defined, terms.le(low, value), terms.lt(value, bound)])
        if kind == "undefined":
            return terms.int(0), terms.false
        if kind in ("address", "opaque"):
            value = self.choose(kind, kind, INT)
            self.guard.append(self.within(value, type_))
            return value, terms.land([defined, terms.lt(terms.int(0), value) if kind == "address" else terms.true])
        if kind == "ite":
            (cond, when), (yes, when_yes), (no, when_no) = parts
            cond = self.truth(cond)
            if not terms.sort(yes) == terms.sort(no) == BOOL:
                yes, no = self.number(yes), self.number(no)
            return terms.ite(cond, yes, no), terms.land([when, terms.ite(cond, when_yes, when_no)])
        if kind == "cast":
            source = self.program.type(self.program.exprs[expr[2]][1])
            low, high = type_.range()
            below, above = source.range()
            value = parts[0][0] if low <= below and above <= high else self.wrap(self.number(parts[0][0]), type_)
            return value, defined
        if kind == "unary":
            value, own = self.unary(expr[2], parts[0][0], type_)
        else:
            operands = self.program.type(self.program.exprs[expr[3]][1])
            value, own = self.binary(expr[2], parts[0][0], parts[1][0], operands, type_)
        return value, terms.land([defined, own])

    def wrap(self, term, type_, periods=None):
        """A number modulo 2^bits, in the range of the type; `periods` says how far outside it may be at most."""
        terms, (low, high), period = self.terms, type_.range(), 1 << type_.bits
        if periods == 1:
            below, above = terms.lt(term, terms.int(low)), terms.lt(terms.int(high), term)
            lower, upper = terms.add(term, terms.int(period)), terms.add(term, terms.int(-period))
            return terms.ite(above, upper, terms.ite(below, lower, term))
        return terms.add(terms.mod(terms.add(term, terms.int(-low)), terms.int(period)), terms.int(low))

    def fit(self, exact, type_, periods=None):
        """The result of an operation: a signed one must fit its type, unless it wraps around."""
        if type_.signed and self.program.overflow != "wrap":
            return exact, self.within(exact, type_)
        return self.wrap(exact, type_, periods), self.terms.true

    def unary(self, op, arg, type_):
        terms = self.terms
        if op == "not" and type_.bits == 1 and not type_.signed:
            return terms.lnot(self.truth(arg)), terms.true
        arg = self.number(arg)
        if op == "not":
            return terms.sub(terms.int(-1 if type_.signed else (1 << type_.bits) - 1), arg), terms.true
        return self.fit(terms.scale(-1, arg), type_, 1)

    def binary(self, op, left, right, operands, type_):
        terms = self.terms
        if op in ("eq", "ne") and terms.sort(left) == terms.sort(right) == BOOL:
            same = terms.eq(left, right)
            return (same if op == "eq" else terms.lnot(same)), terms.true
        if op in ("and", "or") and (operands.bits, operands.signed) == (1, False):
            return (terms.land if op == "and" else terms.lor)([self.truth(left), self.truth(right)]), terms.true
        left, right = self.number(left), self.number(right)
        if op in ("eq", "ne", "lt", "le"):
            return {"eq": terms.eq(left, right), "ne": terms.lnot(terms.eq(left, right)),
                    "lt": terms.lt(left, right), "le": terms.le(left, right)}[op], terms.true
        if op in ("add", "sub"):
            return self.fit(terms.add(left, right) if op == "add" else terms.sub(left, right), type_, 1)
        if op == "mul":
            product = terms.mul(left, right)
            if terms.value(left) is None and terms.value(right) is None:
                self.chosen.setdefault((*self.site, "product of variables"), []).append(product)
            is_near = {terms.value(left), terms.value(right)} & {-1, 0, 1, 2}
            return self.fit(product, type_, 1 if is_near and not type_.signed else None)
        if op in ("ptr_add", "ptr_sub"):
            return self.wrap(terms.add(left, right) if op == "ptr_add" else terms.sub(left, right), type_), terms.true
        if op in ("div", "rem"):
            return self.divide(op, left, right, type_)
        if op in ("shl", "shr"):
            return self.shift(op, left, right, type_)
        return self.bitwise(op, left, right, type_), terms.true

    def divide(self, op, left, right, type_):
        """Truncated division. The least value divided by -1 does not fit and is undefined."""
        terms, zero = self.terms, self.terms.int(0)
        defined = terms.lnot(terms.eq(right, zero))
        if not type_.signed:
            divisor = terms.int(1) if terms.value(right) == 0 else right
            return (terms.div if op == "div" else terms.mod)(left, divisor), defined
        least = terms.land([terms.eq(left, terms.int(type_.range()[0])), terms.eq(right, terms.int(-1))])
        defined = terms.land([defined, terms.lnot(least)])
        size = lambda term: terms.ite(terms.lt(term, zero), terms.scale(-1, term), term)
        magnitude = size(right) if terms.value(right) is None else terms.int(abs(terms.value(right)) or 1)
        if op == "div":
            result = terms.div(size(left), magnitude)
            is_negative = terms.lnot(terms.eq(terms.lt(left, zero), terms.lt(right, zero)))
        else:
            result, is_negative = terms.mod(size(left), magnitude), terms.lt(left, zero)
        return terms.ite(is_negative, terms.scale(-1, result), result), defined

    def shift(self, op, left, right, type_):
        terms, bits = self.terms, type_.bits
        defined = terms.land([terms.le(terms.int(0), right), terms.lt(right, terms.int(bits))])
        amount = terms.value(right)
        amounts = range(bits) if amount is None else [amount] if 0 <= amount < bits else []
        result = terms.int(0)
        for k in amounts:
            power = 1 << k
            moved = self.wrap(terms.scale(power, left), type_) if op == "shl" else terms.div(left, terms.int(power))
            result = moved if amount is not None else terms.ite(terms.eq(right, terms.int(k)), moved, result)
        if op == "shl" and type_.signed and self.program.overflow == "error":
            raise Unchecked("a shift whose overflow is an error")
        return result, defined

    def bitwise(self, op, left, right, type_):
        """By the bits that both operands have: a|b = a + b - (a&b), a^b = a + b - 2(a&b)."""
        terms, bits = self.terms, type_.bits
        if terms.value(left) is not None:
            left, right = right, left
        unsigned = lambda term: terms.mod(term, terms.int(1 << bits)) if type_.signed else term
        left, mask = unsigned(left), terms.value(right)
        if mask is not None:
            mask %= 1 << bits
            right, runs = terms.int(mask), [(m.start(), m.end()) for m in re.finditer("1+", bin(mask)[:1:-1])]
            run = lambda a, b: terms.scale(1 << a, terms.mod(terms.div(left, terms.int(1 << a)), terms.int(1 << b - a)))
            common = terms.add(*[run(a, b) for a, b in runs], terms.int(0))
        else:
            right = unsigned(right)
            common = terms.app(f"(_ iand {bits})", INT, *sorted([left, right]))
            self.chosen.setdefault((*self.site, "bitwise"), []).append(common)
        if op != "and":
            common = terms.sub(terms.add(left, right), terms.scale(1 if op == "or" else 2, common))
        return self.wrap(common, type_, 1) if type_.signed else common


# ------------------------------------------------------------------------------------------------------------ 4. annotations


class Annotation:
    """Invariants of locations: facts and, for all Z, not never. See docs/certificates.md for the text form."""

    def __init__(self, text):
        self.nodes, self.invariants = [], {}
        lines = text.splitlines()
        if not lines or lines[0] != "logic integers":
            raise Unchecked("only invariants about integers are checked, not about bit-vectors")
        last = None
        for line in lines[1:]:
            words = line.split()
            if words[0] == "invariant":
                place = (int(words[1]), int(words[2]))
                last = {"reached": words[3] == "reached", "never": int(words[4]), "facts": [], "instances": []}
                if self.invariants.setdefault(place, last) is not last:
                    raise Rejected("a location has two invariants")
            elif words[0] == "known":
                last["facts"].append(tuple(map(int, words[1:6])))
            elif words[0] == "instance":
                numbers = list(map(int, words[1:]))
                last["instances"].append(dict(zip(numbers[::2], numbers[1::2])))
            else:
                self.nodes.append(words)

    def operands(self, words):
        if words[0] == "sum":
            return [int(word) for word in words[3 + int(words[2]):]]
        if words[0] in ("divides", "div", "mod"):
            return [int(words[2])]
        if words[0] in ("not", "and", "or", "le", "zero", "same", "product", "ite", "select", "store", "everywhere"):
            return [int(word) for word in words[1:]]
        return []

    def below(self, root):
        seen, pending = set(), [root]
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                below = self.operands(self.nodes[number])
                if any(operand >= number for operand in below):
                    raise Rejected("a formula comes before its parts")
                pending.extend(below)
        return sorted(seen)

    def symbols(self, root):
        """The nodes of a formula that are symbols."""
        kinds = ("variable", "entry", "multiplied", "summed", "code", "address", "chosen", "free")
        return [number for number in self.below(root) if self.nodes[number][0] in kinds]

    def term(self, terms, root, meaning):
        """A formula as a term, where `meaning` says what a symbol is."""
        known = {}
        for number in self.below(root):
            words = self.nodes[number]
            args = [known[operand] for operand in self.operands(words)]
            known[number] = self.operator(terms, words, args, meaning)
        return known[root]

    def operator(self, terms, words, args, meaning):
        kind, sorts = words[0], [terms.sort(arg) for arg in args]
        expected = {"not": [BOOL], "select": [ARRAY, INT], "store": [ARRAY, INT, INT], "ite": [BOOL, *sorts[1:2] * 2],
                    "same": [ARRAY, ARRAY]}.get(kind, [BOOL if kind in ("and", "or") else INT] * len(args))
        if sorts != expected or kind in ("le", "zero", "everywhere") and len(args) != 1:
            raise Rejected(f"`{kind}` is applied to operands that it does not have")
        if kind in ("true", "false"):
            return terms.true if kind == "true" else terms.false
        if kind == "number":
            return terms.int(int(words[1]))
        if kind == "not":
            return terms.lnot(args[0])
        if kind in ("and", "or"):
            return terms.land(args) if kind == "and" else terms.lor(args)
        if kind == "le":
            return terms.le(args[0], terms.int(0))
        if kind == "zero":
            return terms.eq(args[0], terms.int(0))
        if kind == "same":
            return terms.eq(args[0], args[1])
        if kind in ("divides", "div", "mod"):
            divisor = int(words[1])
            if divisor < 2:
                raise Rejected("a divisor is less than two")
            divisor, arg = terms.int(divisor), args[0]
            if kind == "divides":
                return terms.eq(terms.mod(arg, divisor), terms.int(0))
            return terms.div(arg, divisor) if kind == "div" else terms.mod(arg, divisor)
        if kind == "sum":
            factors = [int(word) for word in words[3:3 + int(words[2])]]
            return terms.add(terms.int(int(words[1])), *[terms.scale(f, arg) for f, arg in zip(factors, args)])
        if kind == "product":
            product = terms.int(1)
            for arg in args:
                product = terms.mul(product, arg)
            return product
        if kind == "ite":
            return terms.ite(*args)
        if kind == "select":
            return terms.select(*args)
        if kind == "store":
            return terms.store(*args)
        if kind == "everywhere":
            return terms.everywhere(args[0])
        if kind in ("variable", "entry", "multiplied", "address", "chosen", "free"):
            return meaning(words)
        raise Unchecked(f"the annotation speaks of `{kind}`, which is not known here")


SORTS = {"int": INT, "bool": BOOL, "array": ARRAY}
# How kinds of choices are called in annotations.
KINDS = {"value that a call changes": "effect", "result of a call": "result"}


# ------------------------------------------------------------------------------------------------------------ 5. obligations


class Check:
    """All obligations of an annotation."""

    def __init__(self, program, annotation):
        self.program, self.annotation, self.terms = program, annotation, Terms()
        self.types = {}  # of the symbols that stand for variables
        self.globals = [var for var in range(len(program.vars)) if program.is_global(var) and program.kind(var) == "scalar"]
        if program.overflow == "error":
            raise Unchecked("overflows are violations, and no error locations")
        for proc, location in annotation.invariants:
            if not (0 <= proc < len(program.procs) and 0 <= location < program.procs[proc]["locations"]):
                raise Rejected("an invariant is about a location that does not exist")
        self.checked = sorted({proc for proc, _ in annotation.invariants} | {program.entry})
        for proc in sorted(program.called([program.entry]) - set(self.checked)):
            automaton = program.procs[proc]
            if automaton["error"] is not None and automaton["entry"] in program.reaching(proc, [automaton["error"]]):
                raise Rejected(f"{automaton['name']} may reach an error and has no invariants")

    def symbol(self, var):
        """The value of a variable where a piece starts."""
        name, kind = self.program.vars[var]["name"], self.program.kind(var)
        if kind == "object":
            raise Unchecked("memory is not followed")
        symbol = self.terms.symbol(f"{name}#{var}", INT if kind == "scalar" else ARRAY)
        self.types[symbol] = self.program.storage_type(var)
        return symbol

    def at_entry(self, var):
        symbol = self.terms.symbol(f"{self.program.vars[var]['name']}#{var}@entry", INT)
        self.types[symbol] = self.program.storage_type(var)
        return symbol

    def obligations(self):
        """Pairs of a text and the formulas that must not hold together: with the instances given, and with quantifiers."""
        for proc in self.checked:
            yield from self.procedure(proc)

    def procedure(self, proc):
        program, automaton, invariants = self.program, self.program.procs[proc], self.annotation.invariants
        cuts = {location for owner, location in invariants if owner == proc}
        targets = [] if automaton["error"] is None else [automaton["error"]]
        if proc != program.entry and (proc, automaton["exit"]) in invariants:
            targets.append(automaton["exit"])
            self.is_contract(proc)
        relevant = program.reaching(proc, targets)
        if automaton["entry"] not in relevant:
            return
        for location in [automaton["entry"]] + targets:
            if location not in cuts:
                raise Rejected(f"location {location} of {automaton['name']} has no invariant")
        name = f"{automaton['name']}: "
        entry = (proc, automaton["entry"])
        same = [self.terms.eq(self.symbol(var), self.at_entry(var)) for var in range(len(program.vars))
                if program.kind(var) == "scalar" and program.vars[var]["owner"] in (None, proc)]
        broken = [self.broken(entry, {})] + same
        yield name + "initial", broken, None
        if automaton["error"] is not None:
            error = (proc, automaton["error"])
            yield name + "safe", self.holds(error, None), lambda: self.holds_for_all(error)
        for location in sorted(cuts & relevant):
            if not invariants[proc, location]["reached"]:
                continue
            piece = Piece(self, proc, location, cuts, relevant)
            for target, (condition, values) in piece.ends.items():
                # Nothing is required of what happens at an error or behind it.
                if target not in relevant:
                    continue
                source, broken = (proc, location), [condition, self.broken((proc, target), values)]
                whole = lambda source=source, broken=broken: self.holds_for_all(source) + broken
                yield name + f"inductive from {location} to {target}", self.holds(source, piece) + broken, whole

    def is_contract(self, proc):
        """A contract may speak of what a call has values for."""
        automaton, node = self.program.procs[proc], self.annotation.nodes
        invariant = self.annotation.invariants[proc, automaton["exit"]]
        for number in self.annotation.symbols(invariant["never"]):
            kind, var = node[number][0], int(node[number][1]) if node[number][0] in ("variable", "entry") else None
            known = {"variable": automaton["results"], "entry": automaton["params"]}.get(kind)
            if known is None or not (var in known or var in self.globals):
                raise Rejected(f"the contract of {automaton['name']} speaks of what its callers do not know")

    def contract(self, proc, before, after):
        """What is known when a call has returned."""
        place = (proc, self.program.procs[proc]["exit"])
        if proc == self.program.entry or place not in self.annotation.invariants:
            return self.terms.true
        meaning = lambda words: (after if words[0] == "variable" else before)[int(words[1])]
        return self.terms.lnot(self.annotation.term(self.terms, self.annotation.invariants[place]["never"], meaning))

    def meaning(self, values, names=None):
        """What symbols of annotations stand for, where variables have values. `names`: what a piece chooses."""
        terms = self.terms

        def value(var):
            if not 0 <= var < len(self.program.vars):
                raise Rejected("an invariant speaks of a variable that does not exist")
            return values[var] if var in values else self.symbol(var)

        def of(words):
            if words[0] == "variable":
                return value(int(words[1]))
            if words[0] == "entry":
                return self.at_entry(int(words[1]))
            if words[0] == "multiplied":
                product = terms.int(1)
                for var in words[1:]:
                    product = terms.mul(product, value(int(var)))
                return product
            chosen = names(words) if names and words[0] == "chosen" else None
            return terms.symbol(" ".join(words), self.sort(words)) if chosen is None else chosen

        return of

    def sort(self, words):
        """The sort of a symbol that is chosen or free."""
        word = words[2] if words[0] == "free" else words[7] if words[0] == "chosen" else "int"
        if word not in SORTS:
            raise Unchecked("the annotation speaks of bit-vectors")
        return SORTS[word]

    def names(self, location, piece):
        """What a piece chooses, by the names of annotations: chosen PROC LOC operation EDGE OP NUMBER SORT KIND."""

        def find(words):
            proc, start, site, edge, op, number = words[1:7]
            if piece is None or (int(proc), int(start)) != location or site != "operation":
                return None
            kind = " ".join(words[8:]).removeprefix("rounded ")
            found = piece.chosen.get((int(edge), int(op), KINDS.get(kind, kind)), [])
            term = found[int(number)] if int(number) < len(found) else None
            return term if term is not None and self.terms.sort(term) == SORTS.get(words[7]) else None

        return find

    def typed(self, formulas):
        """The formulas, and that the variables and elements in them have values of their types: part of what a state is."""
        terms, conjuncts = self.terms, []
        for term in terms.below(formulas):
            op, sort, args = terms.nodes[term]
            type_ = self.types.get(args[0] if op == "select" else term)
            if sort == INT and type_ and type_.is_int and not terms.bound[term]:
                low, high = map(terms.int, type_.range())
                conjuncts += [terms.le(low, term), terms.le(term, high)]
        return formulas + conjuncts

    def fact(self, fact, value):
        _, low, high, modulus, residue = fact
        terms = self.terms
        parts = [terms.le(terms.int(low), value), terms.le(value, terms.int(high))]
        if modulus > 1:
            parts.append(terms.eq(terms.mod(terms.add(value, terms.int(-residue)), terms.int(modulus)), terms.int(0)))
        return terms.land(parts)

    def facts(self, place, of):
        """What is known of variables, and of all elements of arrays."""
        terms, found = self.terms, []
        for fact in self.annotation.invariants[place]["facts"]:
            var = fact[0]
            if self.program.kind(var) == "scalar":
                found.append(self.fact(fact, of(["variable", str(var)])))
            elif self.program.kind(var) == "array":
                index = terms.variable("i", INT)
                known = self.fact(fact, terms.select(of(["variable", str(var)]), index))
                found.append(terms.forall([index], terms.implies(self.is_index(var, index), known)))
        return found

    def is_index(self, array, index):
        terms, length = self.terms, self.program.vars[array]["storage"]["length"]
        if length == "unbounded":
            return terms.true
        above = terms.le(terms.int(0), index)
        return above if length == "dynamic" else terms.land([above, terms.lt(index, terms.int(length))])

    def broken(self, place, values):
        """That the invariant of a location does not hold."""
        terms, invariant, of = self.terms, self.annotation.invariants[place], self.meaning(values)
        if not invariant["reached"]:
            return terms.true
        ways = [self.annotation.term(terms, invariant["never"], of)]
        if terms.sort(ways[0]) != BOOL:
            raise Rejected("an invariant is no truth value")
        for fact in invariant["facts"]:
            var, kind = fact[0], self.program.kind(fact[0])
            if kind == "scalar":
                ways.append(terms.lnot(self.fact(fact, of(["variable", str(var)]))))
            elif kind == "array":
                index = terms.new("index", INT)
                element = terms.select(of(["variable", str(var)]), index)
                type_ = self.program.storage_type(var)
                inside = [self.is_index(var, index)]
                if type_.is_int:
                    low, high = type_.range()
                    inside += [terms.le(terms.int(low), element), terms.le(element, terms.int(high))]
                ways.append(terms.land(inside + [terms.lnot(self.fact(fact, element))]))
        return terms.lor(ways)

    def holds(self, place, piece):
        """The invariant of a location where a piece starts: its facts, and instances of the rest. Any instance follows from it."""
        terms, invariant = self.terms, self.annotation.invariants[place]
        if not invariant["reached"]:
            return [terms.false]
        find = self.names(place, piece)
        plain = self.meaning({}, find)
        found = self.facts(place, plain)
        for instance in invariant["instances"]:
            keys = {" ".join(self.annotation.nodes[symbol]): symbol for symbol in instance}
            if any(key.split()[0] not in ("free", "chosen") for key in keys):
                raise Rejected("an instance chooses a value for a symbol that has one")
            # Choices of paths that have no name here: all of them are tried.
            below = {number for root in [invariant["never"], *instance.values()] for number in self.annotation.symbols(root)}
            paths = {" ".join(words) for words in map(self.annotation.nodes.__getitem__, below)
                     if words[0] == "chosen" and words[7] == "bool" and find(words) is None}
            paths = sorted(path for path in paths if int(path.split()[1]) == place[0] and int(path.split()[2]) == place[1])
            if 2 ** len(paths) > MOST_CASES:
                paths = []
            for case in itertools.product([terms.false, terms.true], repeat=len(paths)):
                taken = dict(zip(paths, case))
                renamed = lambda words, taken=taken: taken[" ".join(words)] if " ".join(words) in taken else plain(words)
                new = {key: self.annotation.term(terms, instance[symbol], renamed) for key, symbol in keys.items()}
                if any(terms.sort(term) != self.sort(key.split()) for key, term in new.items()):
                    raise Rejected("an instance is of another sort than its symbol")
                of = lambda words, new=new, renamed=renamed: new[" ".join(words)] if " ".join(words) in new else renamed(words)
                found.append(terms.lnot(self.annotation.term(terms, invariant["never"], of)))
        return found

    def holds_for_all(self, place):
        """The same without instances: as it is meant."""
        terms, invariant = self.terms, self.annotation.invariants[place]
        if not invariant["reached"]:
            return [terms.false]
        plain, variables = self.meaning({}), {}

        def of(words):
            if words[0] not in ("chosen", "free"):
                return plain(words)
            key = " ".join(words)
            return variables.setdefault(key, terms.variable(f"z{len(variables)}", self.sort(words)))

        body = terms.lnot(self.annotation.term(terms, invariant["never"], of))
        whole = terms.forall(list(variables.values()), body) if variables else body
        return self.facts(place, plain) + [whole]


# -------------------------------------------------------------------------------------------------------------- 6. execution


class Execution:
    """Carries out the only execution of the automata. A value that is arbitrary is None; nothing may depend on it."""

    def __init__(self, program):
        self.program, self.values, self.steps = program, {}, 0

    def run(self):
        """How the execution ends: the error must not be reached."""
        program = self.program
        stack, proc, location = [], program.entry, program.procs[program.entry]["entry"]
        while True:
            automaton = program.procs[proc]
            if location == automaton["error"]:
                raise Rejected("the execution reaches the error")
            if location == automaton["exit"]:
                if not stack:
                    return "returns"
                results = [self.values.get(var) for var in automaton["results"]]
                proc, target, rest, places, saved = stack.pop()
                self.values.update(saved)
                for place, value in zip(places, results):
                    if place:
                        self.write(place, value)
                ways = [(target, rest)]
            else:
                ways = [automaton["edges"][edge][1:] for edge in automaton["outgoing"][location]]
            way = self.way(ways)
            if way is None:
                return "ends before the error"
            target, rest = way
            if rest and rest[0][0] == "call":
                proc, location = self.enter(proc, target, rest, stack)
            else:
                location = target

    def way(self, ways):
        """The one way that can be gone: its target, and what is left from its first call on."""
        found = []
        for target, ops in ways:
            saved = dict(self.values) if len(ways) > 1 else None
            rest = self.go(ops)
            if rest is not None:
                found.append((target, rest, self.values))
            if saved is not None:
                self.values = saved
        if len(found) > 1:
            raise Unchecked("the program has several executions")
        if found:
            self.values = found[0][2]
        return found[0][:2] if found else None

    def go(self, ops):
        """Executes operations up to a call; None if they cannot be executed to their end."""
        for number, op in enumerate(ops):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Unchecked(f"the execution takes more than {MOST_STEPS} steps")
            if op[0] == "call":
                return ops[number:]
            try:
                if op[0] == "assign":
                    self.write(op[1], self.evaluate(op[2]))
                elif op[0] == "assume":
                    holds = self.evaluate(op[1])
                    if holds is None:
                        raise Unchecked("the execution depends on an arbitrary value")
                    if not holds:
                        return None
                elif op[0] == "havoc":
                    self.write(op[1], None)
                elif op[0] == "init" and self.program.kind(op[1]) == "array":
                    self.values[op[1]] = (0 if op[2] == "zero" else None, {})
                elif op[0] == "halt":
                    return None
                elif op[0] != "evaluate":
                    raise Unchecked(f"{op[0]} is not executed")
            except ArithmeticError:
                return None
        return []

    def enter(self, proc, target, rest, stack):
        _, pointer, targets, args, places = rest[0]
        if pointer is not None or len(stack) > 100_000:
            raise Unchecked("a call cannot be executed")
        callee = self.program.procs[targets[0]]
        values = [self.evaluate(arg) for arg in args]
        own = [var for var, info in enumerate(self.program.vars) if info["owner"] in (proc, targets[0])]
        stack.append((proc, target, rest[1:], places, {var: self.values.get(var) for var in own}))
        for var in own:
            self.values.pop(var, None)
        self.values.update(zip(callee["params"], values))
        return targets[0], callee["entry"]

    def write(self, place, value):
        if place[0] == "var":
            self.values[place[1]] = value
        elif place[0] == "elem":
            index, (other, elements) = self.index(place[1], self.evaluate(place[2])), self.array(place[1])
            self.values[place[1]] = (other, {**elements, index: value})
        else:
            raise Unchecked("memory is not executed")

    def array(self, var):
        return self.values.get(var) or (None, {})

    def index(self, array, index):
        length = self.program.vars[array]["storage"]["length"]
        if index is None or length == "dynamic":
            raise Unchecked("the execution depends on an arbitrary index")
        if length != "unbounded" and not 0 <= index < length:
            raise ArithmeticError
        return index

    def evaluate(self, root):
        """The value of an expression; ArithmeticError if it is undefined."""
        program, known, pending = self.program, {}, [root]
        while pending:
            number = pending[-1]
            expr = program.exprs[number]
            needed = program.operands(expr)
            if expr[0] == "ite":
                needed = needed[:1] if needed[0] not in known else [needed[0], needed[1] if known[needed[0]] else needed[2]]
            missing = [arg for arg in needed if arg not in known]
            if missing:
                pending.append(missing[0])
                continue
            pending.pop()
            if expr[0] == "ite" and known[needed[0]] is None:
                raise Unchecked("the execution depends on an arbitrary value")
            known[number] = known[needed[1]] if expr[0] == "ite" else self.value(expr, [known[arg] for arg in needed])
        return known[root]

    def value(self, expr, args):
        kind, type_ = expr[0], self.program.type(expr[1])
        if kind == "const":
            return int(expr[2])
        if kind == "var":
            return self.values.get(expr[2])
        if kind == "elem":
            other, elements = self.array(expr[2])
            return elements.get(self.index(expr[2], args[0]), other)
        if kind == "undefined":
            raise ArithmeticError
        if kind in ("address", "opaque"):
            return None
        if None in args:
            # Whether it is defined may depend on the arbitrary value.
            if kind in ("cast",) or kind == "binary" and expr[2] in ("eq", "ne", "lt", "le", "and", "or", "xor"):
                return None
            raise Unchecked("the execution depends on an arbitrary value")
        if kind == "bounded":
            if not expr[3] <= args[0] < expr[4]:
                raise ArithmeticError
            return args[0]
        if kind == "cast":
            return type_.wrap(args[0])
        operands = self.program.type(self.program.exprs[expr[3]][1])
        return concrete(expr[2], args, operands, type_, self.program.overflow)


def concrete(op, args, operands, type_, overflow):
    """The result of an operation on numbers; ArithmeticError if it is undefined."""
    def fit(number):
        low, high = type_.range()
        if type_.signed and overflow != "wrap" and not low <= number <= high:
            raise ArithmeticError
        return type_.wrap(number)

    a, b = args[0], args[-1]
    if len(args) == 1:
        return fit(-a) if op == "neg" else type_.wrap(~a)
    if op in ("eq", "ne", "lt", "le"):
        return int({"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b}[op])
    if op in ("add", "sub", "mul"):
        return fit({"add": a + b, "sub": a - b, "mul": a * b}[op])
    if op in ("ptr_add", "ptr_sub"):
        return type_.wrap(a + b if op == "ptr_add" else a - b)
    if op in ("div", "rem"):
        if b == 0 or type_.signed and b == -1 and a == type_.range()[0]:
            raise ArithmeticError
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == "div" else a - b * quotient
    if op in ("shl", "shr"):
        if not 0 <= b < operands.bits:
            raise ArithmeticError
        return type_.wrap(a << b) if op == "shl" else a >> b
    return type_.wrap({"and": a & b, "or": a | b, "xor": a ^ b}[op])


# ---------------------------------------------------------------------------------------------------------------- 7. harness


def run_harness(folder, manifest, limit):
    """Compiles the program that runs into the violation, and executes it."""
    expected = manifest["details"]
    text = (folder / "harness.c").read_text()
    command = re.search(r"Build and run: (.*?) && ", text)
    words = command.group(1).split() if command else ["cc", "-w", "harness.c"]
    with tempfile.TemporaryDirectory() as place:
        source, binary = pathlib.Path(place) / "harness.c", pathlib.Path(place) / "harness"
        source.write_text(text)
        options = [word for word in words[1:] if re.fullmatch(r"-(m32|m64|w|std=\S+|f\S+|O\d|msse2|mfpmath=sse|lm|pthread|[DI]\S+)", word)]
        try:
            built = subprocess.run(["cc", "-w", *options, "-o", str(binary), str(source), "-lm"],
                                   capture_output=True, timeout=limit, check=False)
        except OSError as error:
            raise Unchecked(f"there is no C compiler: {error}") from error
        if built.returncode != 0:
            raise Unchecked(f"the harness cannot be compiled: {built.stderr.decode(errors='replace')[:500]}")
        ran = subprocess.run([str(binary)], capture_output=True, timeout=limit, check=False, stdin=subprocess.DEVNULL)
    if ran.returncode != expected["exit_code"] or expected["message"].encode() not in ran.stderr:
        raise Rejected(f"the program ends with status {ran.returncode}, not in the violation")
    return f"the compiled program reaches the violation ({expected['violation']} at {expected['place']})"


# ---------------------------------------------------------------------------------------------------------------- 8. solvers


def ask_cvc5(script, options):
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    for name, value in options:
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer
        answer = str(command.invoke(solver, parser.getSymbolManager())).strip() or answer


def ask_z3(script, _options):
    import z3

    solver = z3.Solver()
    solver.from_string(script)
    return str(solver.check())


ASK = {"cvc5": ask_cvc5, "z3": ask_z3}
# Options, and which part of the time they get.
STRATEGIES = {"cvc5": [([], 0.5), ([("nl-ext-tplanes", "true")], 0.25), ([("arrays-exp", "true")], 0.25)], "z3": [([], 1)]}


def ask_limited(solver, script, seconds, options):
    """The answer of a solver within so many seconds of processor time: it works in a process of its own."""
    __import__(solver)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (max(1, round(seconds)),) * 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            answer = ASK[solver](script, options)
        except Exception as error:
            answer = f"error: {error}"
        os.write(writing, answer.encode()[:1000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return answer if status == 0 and answer else "unknown (limit)"


def is_refuted(script, solver, limit):
    """Whether formulas are unsatisfiable, and the last answer."""
    answer = "unknown"
    for options, part in STRATEGIES[solver]:
        answer = ask_limited(solver, script, limit * part, options)
        if answer in ("sat", "unsat"):
            break
    return answer == "unsat", answer


# ------------------------------------------------------------------------------------------------------------------- 9. main


def check_invariants(folder, arguments):
    program = Program(json.loads((folder / "automata.json").read_text()))
    check = Check(program, Annotation((folder / "annotation.txt").read_text()))
    count = 0
    for what, formulas, whole in check.obligations():
        script = check.terms.script(check.typed(formulas))
        if arguments.emit:
            pathlib.Path(arguments.emit).mkdir(parents=True, exist_ok=True)
            (pathlib.Path(arguments.emit) / f"{count:04}.smt2").write_text(f"; {what}\n{script}")
        holds, answer = is_refuted(script, arguments.solver, arguments.limit)
        if not holds and whole is not None:
            script = check.terms.script(check.typed(whole()))
            holds, answer = is_refuted(script, arguments.solver, arguments.limit)
        if not holds:
            kind = Rejected if answer == "sat" else Unchecked
            raise kind(f"not proved: {what} ({answer})")
        count += 1
    return f"{count} obligations of {len(check.checked)} procedures hold, by {arguments.solver}"


def check_files(folder, arguments):
    paths = sorted((folder / "obligations").glob("*.smt2"))
    for path in paths:
        script = re.sub(r"\(set-info [^)]*\)", "", path.read_text())
        holds, answer = is_refuted(script, arguments.solver, arguments.limit)
        if not holds:
            kind = Rejected if answer == "sat" else Unchecked
            raise kind(f"{path.name} is not refuted ({answer})")
    return f"{len(paths)} files hold, by {arguments.solver}"


def check_certificate(folder, arguments):
    manifest = json.loads((folder / "manifest.json").read_text())
    if (manifest["format"], manifest["version"]) != ("wayproof-certificate", 1):
        raise Unchecked("the certificate has an unknown format")
    for name, expected in manifest["files"].items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
            raise Rejected(f"{name} is not the file that the manifest names")
    evidence = manifest["evidence"]
    if evidence == "inputs":
        results = [run_harness(folder, manifest, max(arguments.limit, 10))]
    elif evidence == "invariants":
        results = [check_invariants(folder, arguments)]
    elif evidence == "execution":
        run = Execution(Program(json.loads((folder / "automata.json").read_text())))
        results = [f"the only execution {run.run()}, after {run.steps} steps"]
    else:
        raise Unchecked(f"evidence of the kind `{evidence}` rests on the tool: there are no invariants to check")
    if arguments.files and evidence != "inputs":
        results.append(check_files(folder, arguments))
    return manifest["verdict"], results


def main():
    parser = argparse.ArgumentParser(description="Checks a certificate without the tool that wrote it.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent)
    parser.add_argument("--limit", type=float, default=60, help="seconds of processor time for each obligation")
    parser.add_argument("--solver", choices=["cvc5", "z3"], default="cvc5")
    parser.add_argument("--files", action="store_true", help="check the SMT-LIB files, too")
    parser.add_argument("--emit", help="write the formulas of this script into a folder")
    arguments = parser.parse_args()
    try:
        verdict, results = check_certificate(arguments.folder, arguments)
    except Rejected as why:
        print(f"REJECTED: {why}")
        return 1
    except (Unchecked, ImportError, subprocess.TimeoutExpired) as why:
        print(f"NOT CHECKED: {why}")
        return 2
    except (OSError, ValueError, KeyError, IndexError, TypeError) as why:
        print(f"REJECTED: the files are damaged ({type(why).__name__}: {why})")
        return 1
    print(f"HOLDS: {verdict}; " + "; ".join(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
