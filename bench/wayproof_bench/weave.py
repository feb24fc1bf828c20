"""What a witness states, written into the text of its program: a second opinion on witnesses that `validate` confirms.

This knows nothing of the validator: it looks for parentheses and keywords in the text, and what it is not sure of it refuses.
"""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Tuple

# The error of a woven program.
ERROR = "__mutant_error"
STATE = "__mutant_state"
# What a violation calls.
FUNCTIONS = ("reach_error", "__VERIFIER_error")


class Unsure(Exception):
    """The place is not one that can be found by looking at the text."""


class Place(NamedTuple):
    """Line and column, from one; without a column the first fitting place of the line."""

    line: int
    column: Optional[int]


class Returned(NamedTuple):
    """A call returns a value; without a relation any value."""

    place: Place
    relation: Optional[Tuple[str, int]]


class Stated(NamedTuple):
    """An invariant."""

    place: Place
    is_loop: bool
    value: str


def blank(text: str) -> str:
    """The text with comments, strings and directives as blanks, every other character in its place."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#[^\n]*'
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL | re.MULTILINE)


def line_start(text: str, line: int) -> int:
    """The offset of a line."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            raise Unsure("the line does not exist")
    return start


def line_end(text: str, line: int) -> int:
    """The offset of its end."""
    end = text.find("\n", line_start(text, line))
    return len(text) if end < 0 else end


def matching(bare: str, at: int) -> int:
    """The parenthesis or brace that closes the one at an offset, or opens it."""
    pairs = {"(": (")", 1), "{": ("}", 1), ")": ("(", -1)}
    mine = bare[at]
    other, step = pairs[mine]
    depth = 0
    while 0 <= at < len(bare):
        depth += (bare[at] == mine) - (bare[at] == other)
        if depth == 0:
            return at
        at += step
    raise Unsure("parentheses do not match")


class Edits:
    """Insertions and replacements."""

    def __init__(self, text: str):
        self.text, self.edits = text, []

    def replace(self, start: int, end: int, new: str) -> None:
        self.edits.append((start, end, new))

    def apply(self, prologue: str) -> str:
        text, last = self.text, len(self.text) + 1
        for start, end, new in sorted(self.edits, reverse=True):
            if end > last:
                raise Unsure("changes overlap")
            text, last = text[:start] + new + text[end:], start
        return prologue + "\n" + text


def call_at(text: str, bare: str, place: Place) -> Tuple[int, int]:
    """The call whose closing parenthesis is at a place."""
    if place.column is None:
        raise Unsure("a call without a column")
    close = line_start(text, place.line) + place.column - 1
    if bare[close:close + 1] != ")":
        raise Unsure("no closing parenthesis")
    before = re.search(r"[A-Za-z_]\w*\s*$", bare[:matching(bare, close)])
    if not before or before[0].strip() in ("if", "while", "for", "switch", "return", "sizeof"):
        raise Unsure("no call")
    return before.start(), close + 1


def fits(relation: Optional[Tuple[str, int]]) -> str:
    """A relation to a number, as mathematics sees it."""
    if relation is None:
        return "1"
    operator, number = relation
    if operator not in ("==", "!="):
        raise Unsure("a relation other than equality")
    if number < 0:
        literal = "(-9223372036854775807LL - 1)" if number == -(1 << 63) else f"({number}LL)"
        equal = f"(__mutant_value < 0 && (long long)__mutant_value == {literal})"
    else:
        equal = f"(__mutant_value >= 0 && (unsigned long long)__mutant_value == {number}ULL)"
    return equal if operator == "==" else f"!{equal}"


def error_calls(bare: str) -> List[Tuple[int, int]]:
    """Calls, not declarations, of the error functions."""
    found = re.finditer(rf"\b(?:{'|'.join(FUNCTIONS)})\s*\(\s*\)", bare)
    return [call.span() for call in found if not re.search(r"\b(?:void|extern|int)\s*$", bare[:call.start()])]


def violation(text: str, passed: List[Returned], target: Place) -> str:
    """A program whose error is reached exactly by executions that pass these calls in order and then violate at the target."""
    bare, edits = blank(text), Edits(text)
    sites: Dict[Tuple[int, int], List[str]] = {}
    for number, returned in enumerate(passed):
        step = f"if ({STATE} == {number}) {{ if ({fits(returned.relation)}) {STATE}++; }}"
        sites.setdefault(call_at(text, bare, returned.place), []).append(step)
    for (start, end), steps in sites.items():
        call = text[start:end]
        edits.replace(start, end, f"({{ __typeof__({call}) __mutant_value = {call}; {' else '.join(steps)} __mutant_value; }})")
    start, end = line_start(text, target.line), line_end(text, target.line)
    at_target = 0
    for call in error_calls(bare):
        # The statement of the call starts after the end of another one, or after a condition or a label.
        before = re.search(r"(?:[;{}:)]|\belse)\s*$", bare[:call[0]])
        statement = before.end() if before else call[0]
        counts = start <= statement < end and target.column in (None, statement - start + 1)
        at_target += counts
        stop = "__builtin_trap()"
        edits.replace(*call, f"({STATE} == {len(passed)} ? {ERROR}() : {stop})" if counts else stop)
    if not at_target:
        raise Unsure("no violation at the target")
    return edits.apply(f"int {STATE}; extern void {ERROR}(void);")


def condition(bare: str, keyword: "re.Match[str]") -> Tuple[int, int]:
    """The controlling expression of a loop."""
    at = keyword.end()
    if keyword[0] == "do":
        brace = re.match(r"\s*\{", bare[at:])
        if not brace:
            raise Unsure("a do without braces")
        after = matching(bare, at + brace.end() - 1) + 1
        closing = re.match(r"\s*while", bare[after:])
        if not closing:
            raise Unsure("a do without while")
        at = after + closing.end()
    opening = re.match(r"\s*\(", bare[at:])
    if not opening:
        raise Unsure("a loop without parenthesis")
    start = at + opening.end()
    end = matching(bare, start - 1)
    if keyword[0] != "for":
        return start, end
    stops, depth = [], 0
    for offset in range(start, end):
        depth += (bare[offset] in "({") - (bare[offset] in ")}")
        if bare[offset] == ";" and depth == 0:
            stops.append(offset)
    if len(stops) != 2:
        raise Unsure("a for without two semicolons")
    return stops[0] + 1, stops[1]


def invariants(text: str, stated: List[Stated]) -> str:
    """A program whose error is reached exactly if one of the invariants is false at its place."""
    bare, edits = blank(text), Edits(text)
    places: Dict[Tuple[int, int, bool], List[str]] = {}
    for invariant in stated:
        start, end = line_start(text, invariant.place.line), line_end(text, invariant.place.line)
        column = invariant.place.column
        if invariant.is_loop:
            loops = [found for found in re.finditer(r"\b(?:while|for|do)\b", bare[:end]) if found.start() >= start]
            wanted = [found for found in loops if column is None or found.start() == start + column - 1]
            if not wanted:
                raise Unsure("no loop")
            key = (*condition(bare, re.compile(wanted[0][0]).match(bare, wanted[0].start())), True)
        else:
            at = start + column - 1 if column else start + len(bare[start:end]) - len(bare[start:end].lstrip())
            if not re.search(r"[;{}]\s*$", bare[:at]) or bare[at:at + 1] in "{}":
                raise Unsure("no statement in a block")
            key = (at, at, False)
        places.setdefault(key, []).append(f"({invariant.value})")
    for (start, end, is_loop), values in places.items():
        check = f"(({' && '.join(values)}) ? (void)0 : {ERROR}())"
        old = text[start:end].strip() or "1"
        edits.replace(start, end, f" ({check}, ({old}))" if is_loop else f"{check}; ")
    return edits.apply(f"extern void {ERROR}(void);")
