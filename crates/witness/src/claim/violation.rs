//! The automaton of a witness of a violation, woven into the text.
//!
//! The format lets an execution follow a witness if it can be cut into parts, one for each segment, such that a part ends by passing the waypoint that is
//! followed and passes none that is avoided. A branching that is followed is decided when its controlling expression is evaluated next, as all validators
//! read it. Of other waypoints it is not said whether the place may be reached before, with another outcome. So there are two readings ([`Reading`]).
//!
//! # Invariants
//! * I1: an execution that passes all segments of the strict program does so under both readings of the format.
//! * I2: an execution that passes them under one of the readings does so in the loose program, for some answers to `Fresh::choose`.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::format::{Branch, Claims, Invariant, InvariantKind, Location, Segment, Waypoint, WaypointKind};
use crate::fresh::Fresh;
use crate::question::Text;
use crate::syntax::{Call, Control, ControlKind, Range, Statement, Syntax};
use crate::weave::{Edits, Woven};

use super::place::{before_statement, find_call, find_control, find_statement, find_text, nothing};
use super::{Problem, Target, check_expression, correctness};

/// When the place of a waypoint counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A segment ends when the place of its waypoint is reached for the first time; the execution ends if the waypoint is not passed then.
    Strict,
    /// A segment ends at any time at which its waypoint is passed; one that ends in a branching, when that is evaluated.
    Loose,
}

/// The texts with the claim of a witness of a violation, and the statement that violates.
pub fn violation(
    texts: &[Text],
    segments: &[Segment],
    fresh: &Fresh,
    reading: Reading,
) -> Result<(Vec<Woven>, Target), Problem> {
    let mut sites: Vec<Sites> = texts.iter().map(|_| Sites::default()).collect();
    let mut assumptions = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        let avoided = segment.avoid.iter().map(|waypoint| (waypoint, Effect::Stop));
        let is_followed = segment.follow.kind != WaypointKind::Target;
        let followed = is_followed.then_some((&segment.follow, Effect::Advance));
        for (waypoint, effect) in avoided.chain(followed) {
            let (at, text) = find_text(texts, &waypoint.location)?;
            sites[at].add(&text.syntax, number, waypoint, effect, fresh, &mut assumptions)?;
        }
    }
    if !assumptions.is_empty() {
        // The expressions alone, to see what they do.
        let claims = Claims { invariants: assumptions, contracts: Vec::new() };
        correctness(texts, &claims, fresh)?;
    }
    let location = segments.last().map(|segment| &segment.follow.location);
    let location = location.ok_or_else(|| Problem::Malformed("the witness has no target".to_owned()))?;
    let target = Target::new(texts, location)?;
    // Without anything to avoid, ending a segment as soon as possible is never wrong.
    let may_wait = segments.iter().any(|segment| !segment.avoid.is_empty());
    let automaton = Automaton { fresh, reading, may_wait };
    let mut woven = Vec::new();
    for (number, (text, sites)) in texts.iter().zip(&sites).enumerate() {
        let mut edits = Edits::new();
        let storage = if number == 0 { "" } else { "extern " };
        let Fresh { state, stop, choose, .. } = fresh;
        let prologue = format!("{storage}int {state}; extern int {stop}(void), {choose}(void); ");
        edits.before(text.syntax.first_item, prologue);
        sites.weave(&text.syntax, &automaton, &mut edits);
        woven.push(edits.apply(&text.syntax.source.text));
    }
    Ok((woven, target))
}

/// What a waypoint does when it is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Advance,
    Stop,
}

/// One waypoint at a site: the segment, the condition over the value at hand, what it does.
type Step = (usize, String, Effect);

/// What is asked at a site while one segment is to be passed: the conditions to avoid, and the one to follow.
#[derive(Default, PartialEq, Eq)]
struct Asked<'a> {
    avoid: Vec<&'a str>,
    follow: Option<&'a str>,
}

/// How a call is observed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallSite {
    /// Before it.
    Entered,
    /// After it, its value not being used.
    Ended,
    /// After it, with its value.
    Returned,
}

/// When a value of a controlling expression takes a branch.
fn branch_condition(branch: &Branch, control: &Control, value: &str) -> Result<String, Problem> {
    match branch {
        Branch::Truth(true) => Ok(value.to_owned()),
        Branch::Truth(false) => Ok(format!("!{value}")),
        Branch::Case(number) => Ok(compare(value, "==", &number.to_string())),
        Branch::Default => {
            let cases = control.cases.as_ref().ok_or_else(|| {
                let what = "the default of a switch with cases that are neither literals nor enumerators";
                Problem::Unsupported(what.to_owned())
            })?;
            // Labels are converted to the promoted type of what is compared.
            let converted = |constant: &str| format!("(__typeof__(+{value}))({constant})");
            let excluded = cases.iter().map(|(first, last)| {
                if first == last {
                    format!("{value} != {}", converted(first))
                } else {
                    format!("({value} < {} || {value} > {})", converted(first), converted(last))
                }
            });
            let all: Vec<String> = excluded.collect();
            Ok(if all.is_empty() { "1".to_owned() } else { format!("({})", all.join(" && ")) })
        }
    }
}

/// The call that a waypoint is about.
fn call_at<'a>(syntax: &'a Syntax, location: &Location) -> Result<&'a Call, Problem> {
    let call = find_call(syntax, location).ok_or_else(|| nothing("call", location))?;
    check_literals(syntax, call.range)?;
    Ok(call)
}

/// What is to be put where.
#[derive(Default)]
struct Sites {
    statements: BTreeMap<u32, (Option<Statement>, Vec<Step>)>,
    controls: BTreeMap<u32, (Option<Control>, Vec<Step>)>,
    entered: BTreeMap<Range, Vec<Step>>,
    returned: BTreeMap<Range, (bool, Vec<Step>)>,
}

impl Sites {
    fn add(
        &mut self,
        syntax: &Syntax,
        segment: usize,
        waypoint: &Waypoint,
        effect: Effect,
        fresh: &Fresh,
        assumptions: &mut Vec<Invariant>,
    ) -> Result<(), Problem> {
        let location = &waypoint.location;
        match &waypoint.kind {
            WaypointKind::Assumption(value) => {
                check_expression(value, location)?;
                let statement =
                    find_statement(syntax, location).ok_or_else(|| nothing("statement", location))?;
                let entry = self.statements.entry(statement.body.lo).or_default();
                entry.0 = Some(statement);
                entry.1.push((segment, format!("(({value}))"), effect));
                assumptions.push(Invariant {
                    location: location.clone(),
                    kind: InvariantKind::Location,
                    value: value.clone(),
                });
            }
            WaypointKind::Branching(branch) => {
                let control = branch_at(syntax, location, branch)?;
                check_literals(syntax, control.condition)?;
                let condition = branch_condition(branch, control, &fresh.value)?;
                let entry = self.controls.entry(control.at).or_default();
                entry.0 = Some(control.clone());
                entry.1.push((segment, condition, effect));
            }
            WaypointKind::FunctionEnter => {
                let call = call_at(syntax, location)?;
                if has_effect_inside(syntax, call) {
                    let what = "the entry into a function as a waypoint whose arguments have effects";
                    return Err(Problem::Unsupported(what.to_owned()));
                }
                self.entered.entry(call.range).or_default().push((segment, "1".to_owned(), effect));
            }
            WaypointKind::FunctionReturn(relation) => {
                let call = call_at(syntax, location)?;
                let condition = relation.as_ref().map_or_else(
                    || "1".to_owned(),
                    |(operator, constant)| compare(&fresh.value, operator, constant),
                );
                let entry = self.returned.entry(call.range).or_default();
                entry.0 |= relation.is_some();
                entry.1.push((segment, condition, effect));
            }
            WaypointKind::Target => {
                return Err(Problem::Malformed("a target is the end of a violation".to_owned()));
            }
        }
        Ok(())
    }

    fn weave(&self, syntax: &Syntax, automaton: &Automaton<'_>, edits: &mut Edits) {
        let value = &automaton.fresh.value;
        for (statement, steps) in self.statements.values() {
            if let Some(statement) = statement {
                before_statement(edits, *statement, &format!("{{ {} }} ", automaton.states(steps)));
            }
        }
        for (control, steps) in self.controls.values() {
            let Some(control) = control else { continue };
            let after = automaton.events(steps, Outcome::Decided);
            match control.condition {
                range if range.lo == range.hi => {
                    edits.wrap(range, format!(" ({{ int {value} = 1; {after} 1; }})"), "");
                }
                range if control.kind == ControlKind::Switch => {
                    let before = format!("({{ __auto_type {value} = (");
                    edits.wrap(range, before, format!("); {after} {value}; }})"));
                }
                range => {
                    let after = format!(") ? 1 : 0; {after} {value}; }})");
                    edits.wrap(range, format!("({{ int {value} = ("), after);
                }
            }
        }
        // Of two edits of one range the first is the inner one: a call is entered before it returns.
        for (range, (has_value, steps)) in &self.returned {
            let site =
                if !has_value && is_statement(syntax, *range) { CallSite::Ended } else { CallSite::Returned };
            automaton.weave_call(*range, site, steps, edits);
        }
        for (range, steps) in &self.entered {
            automaton.weave_call(*range, CallSite::Entered, steps, edits);
        }
    }
}

/// Where a branch is decided.
fn branch_at<'a>(syntax: &'a Syntax, location: &Location, branch: &Branch) -> Result<&'a Control, Problem> {
    let is_switch = matches!(branch, Branch::Case(_) | Branch::Default);
    let found = find_control(syntax, location, |kind| (kind == ControlKind::Switch) == is_switch);
    found.ok_or_else(|| nothing("branch", location))
}

/// What is put around an expression is a block, in which a compound literal would end its life.
fn check_literals(syntax: &Syntax, around: Range) -> Result<(), Problem> {
    if syntax.literals.iter().any(|literal| around.contains(*literal)) {
        return Err(Problem::Unsupported("a waypoint at an expression with a compound literal".to_owned()));
    }
    Ok(())
}

/// Whether evaluating the arguments of a call may do something: a function is entered after that.
fn has_effect_inside(syntax: &Syntax, call: &Call) -> bool {
    let inside = |range: &&Range| call.range.contains(**range) && **range != call.range;
    syntax.effects.iter().any(|range| inside(&range))
}

/// Whether a call is a whole statement: its value, if it has one, is dropped.
fn is_statement(syntax: &Syntax, call: Range) -> bool {
    let Some(around) = syntax.statement_around(call) else { return false };
    let rest = Range { lo: call.hi, hi: around.range.hi };
    around.body.lo == call.lo && syntax.text(rest).trim() == ";"
}

/// What another outcome at the place of a waypoint means under the loose reading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The waypoint is not passed: a branching.
    Decided,
    /// It may be passed later.
    Repeated,
}

/// How the counter moves.
struct Automaton<'a> {
    fresh: &'a Fresh,
    reading: Reading,
    /// Whether a segment may go on although its waypoint is passed.
    may_wait: bool,
}

impl Automaton<'_> {
    fn weave_call(&self, range: Range, site: CallSite, steps: &[Step], edits: &mut Edits) {
        let (moves, value) = (self.events(steps, Outcome::Repeated), &self.fresh.value);
        match site {
            CallSite::Entered => edits.wrap(range, format!("({{ {moves} "), "; })"),
            CallSite::Ended => edits.wrap(range, "({ ", format!("; {moves} }})")),
            CallSite::Returned => {
                edits.wrap(range, format!("({{ __auto_type {value} = "), format!("; {moves} {value}; }})"));
            }
        }
    }

    /// A statement that moves the counter on where something happens. What happens ends one segment at most.
    fn events(&self, steps: &[Step], outcome: Outcome) -> String {
        let by_segment = by_segment(steps);
        // Segments in a row that ask for the same are treated as one.
        let mut runs: Vec<(usize, usize, Asked<'_>)> = Vec::new();
        for (segment, asked) in by_segment {
            match runs.last_mut() {
                Some((_, last, same)) if *last + 1 == segment && *same == asked => *last = segment,
                _ => runs.push((segment, segment, asked)),
            }
        }
        let state = &self.fresh.state;
        let mut text = String::new();
        for (first, last, asked) in runs {
            let _ = if first == last {
                write!(text, "if ({state} == {first}) {{ ")
            } else {
                write!(text, "if ({state} >= {first} && {state} <= {last}) {{ ")
            };
            self.ask(&asked, outcome, &mut text);
            text.push_str("} else ");
        }
        text + ";"
    }

    /// A statement that moves the counter on where expressions are evaluated. One state may end several segments, unless the reading is strict.
    fn states(&self, steps: &[Step]) -> String {
        if self.reading == Reading::Strict {
            return self.events(steps, Outcome::Repeated);
        }
        let state = &self.fresh.state;
        let mut text = String::new();
        for (segment, asked) in by_segment(steps) {
            let _ = write!(text, "if ({state} == {segment}) {{ ");
            self.ask(&asked, Outcome::Repeated, &mut text);
            text.push_str("} ");
        }
        text
    }

    /// What happens while a segment is to be passed.
    fn ask(&self, asked: &Asked<'_>, outcome: Outcome, text: &mut String) {
        let Fresh { state, stop, choose, .. } = self.fresh;
        let avoid = |text: &mut String| {
            for condition in &asked.avoid {
                let _ = write!(text, "if ({condition}) {stop}(); ");
            }
        };
        match (asked.follow, self.reading, outcome) {
            (None, _, _) => avoid(text),
            (Some(condition), Reading::Strict, _) => {
                avoid(text);
                let _ = write!(text, "if ({condition}) {state} = {state} + 1; else {stop}(); ");
            }
            (Some(condition), Reading::Loose, Outcome::Decided) => {
                let _ = write!(text, "if ({condition}) {state} = {state} + 1; else {stop}(); ");
            }
            (Some(condition), Reading::Loose, Outcome::Repeated) => {
                // Whether a waypoint is avoided at the very end of the segment is not said either.
                let wait = if self.may_wait { format!(" && {choose}()") } else { String::new() };
                let _ = write!(text, "if ({condition}{wait}) {state} = {state} + 1; else {{ ");
                avoid(text);
                text.push_str("} ");
            }
        }
    }
}

fn by_segment(steps: &[Step]) -> BTreeMap<usize, Asked<'_>> {
    let mut by_segment: BTreeMap<usize, Asked<'_>> = BTreeMap::new();
    for (segment, condition, effect) in steps {
        let asked = by_segment.entry(*segment).or_default();
        match effect {
            Effect::Advance => asked.follow = Some(condition),
            Effect::Stop => asked.avoid.push(condition),
        }
    }
    by_segment
}

/// The value of an integer constant of C: decimal, octal, hexadecimal or binary, with a sign.
pub(crate) fn integer(constant: &str) -> Option<i128> {
    let (is_negative, digits) = match constant.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, constant),
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']).to_ascii_lowercase();
    let magnitude = if let Some(hexadecimal) = digits.strip_prefix("0x") {
        i128::from_str_radix(hexadecimal, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        i128::from_str_radix(binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i128::from_str_radix(&digits, 8)
    } else {
        digits.parse()
    };
    let magnitude = magnitude.ok().filter(|_| !digits.contains(['+', '-']))?;
    Some(if is_negative { -magnitude } else { magnitude })
}

/// A comparison of the value at hand with a number, as mathematics sees it: C would convert one to the type of the other.
fn compare(value: &str, operator: &str, constant: &str) -> String {
    let Some(number) = integer(constant) else {
        return format!("{value} {operator} {constant}");
    };
    let excludes = matches!(operator, "!=" | ">" | ">=");
    if number < 0 {
        let literal = if number == i128::from(i64::MIN) {
            "(-9223372036854775807LL - 1)".to_owned()
        } else {
            format!("({number}LL)")
        };
        return if excludes {
            format!("({value} >= 0 || {value} {operator} {literal})")
        } else {
            format!("({value} < 0 && {value} {operator} {literal})")
        };
    }
    if number > i128::from(i64::MAX) {
        return if matches!(operator, "!=" | "<" | "<=") {
            format!("({value} < 0 || {value} {operator} {number}ULL)")
        } else {
            format!("({value} >= 0 && {value} {operator} {number}ULL)")
        };
    }
    format!("{value} {operator} {number}LL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_c() {
        let values = [
            ("10", Some(10)),
            ("-7", Some(-7)),
            ("- 7", Some(-7)),
            ("010", Some(8)),
            ("0x1F", Some(31)),
            ("-0x10u", Some(-16)),
            ("0b101", Some(5)),
            ("0", Some(0)),
            ("18446744073709551615UL", Some(18_446_744_073_709_551_615)),
            ("09", None),
            ("1.5", None),
            ("1e3", None),
            ("--1", None),
            ("", None),
        ];
        for (text, value) in values {
            assert_eq!(integer(text), value, "{text}");
        }
    }
}
