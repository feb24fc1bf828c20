//! What a witness claims, as a C program.
//!
//! # Correctness
//! At the place of each invariant the program may carry out a check: unless an arbitrary number is zero, it ends in the error if
//! the invariant is false, and ends there otherwise. An execution that carries out no check evaluates none of the expressions, so undefined behaviour
//! in them hides nothing of the program itself.
//!
//! # Violation
//! A counter says how many segments have been passed. Each waypoint moves it on, or ends the execution if it is to be avoided. The violation
//! counts at the target alone, and only if all other segments have been passed.
//!
//! # Invariants
//! * I1: the program does what the original does, except that executions end earlier, and what is added keeps its lines.
//! * I2: expressions of a witness are evaluated and do nothing else.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::expression;
use crate::format::{Branch, Invariant, InvariantKind, Location, Segment, Waypoint, WaypointKind};
use crate::question::{Text, text_of};
use crate::syntax::{Call, Control, ControlKind, Range, Statement, Syntax};
use crate::weave::{Edits, Woven};

/// Asks whether a check is carried out.
pub const CHECK: &str = "__VERIFIER_nondet_witness_check";
/// The error of a claim.
pub const ERROR: &str = "__witness_error";
/// The variable that counts the segments passed.
pub const STATE: &str = "__witness_state";

/// Why a witness does not become a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It speaks about what is not in the text, or contains what it must not.
    Malformed(String),
    /// No execution can do what it says.
    Refuted(String),
    /// It may be right, but is not understood.
    Unsupported(String),
}

/// Places of a text and what is said there.
#[derive(Default)]
struct Checks<'a> {
    loops: BTreeMap<u32, (Option<&'a Control>, Vec<&'a str>)>,
    statements: BTreeMap<u32, (Option<Statement>, Vec<&'a str>)>,
}

impl<'a> Checks<'a> {
    fn add(&mut self, text: &'a Text, invariant: &'a Invariant) -> Result<(), Problem> {
        let (syntax, location) = (&text.syntax, &invariant.location);
        check_expression(&invariant.value, location)?;
        match invariant.kind {
            InvariantKind::Loop => {
                let found = find_control(syntax, location, ControlKind::is_loop);
                let control = found.ok_or_else(|| nothing("loop", location))?;
                let entry = self.loops.entry(control.at).or_default();
                entry.0 = Some(control);
                entry.1.push(&invariant.value);
            }
            InvariantKind::Location => {
                let found = find_statement(syntax, location);
                let statement = found.ok_or_else(|| nothing("statement", location))?;
                let entry = self.statements.entry(statement.range.lo).or_default();
                entry.0 = Some(statement);
                entry.1.push(&invariant.value);
            }
        }
        Ok(())
    }

    fn weave(&self, text: &Text) -> Result<Woven, Problem> {
        let count = self.loops.len() + self.statements.len();
        let mut edits = Edits::new();
        if count > 0 {
            let prologue = format!("extern int {CHECK}(void); extern void {ERROR}(void); ");
            edits.before(text.syntax.first_item, prologue);
        }
        for (control, values) in self.loops.values() {
            match control.map(|control| control.condition) {
                Some(empty) if empty.lo == empty.hi => {
                    edits.wrap(empty, format!(" ({}, 1)", check(values)), "");
                }
                Some(condition) => edits.wrap(condition, format!("({}, (", check(values)), "))"),
                None => {}
            }
        }
        for (statement, values) in self.statements.values() {
            if let Some(statement) = statement {
                before_statement(&mut edits, *statement, &format!("{}; ", check(values)));
            }
        }
        let woven = edits.apply(&text.syntax.source.text);
        if count > 0 {
            // Each check calls three functions.
            check_effects(text, &woven, 3 * count)?;
        }
        Ok(woven)
    }
}

/// The check of invariants, as an expression.
fn check(values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| format!("({value})")).collect();
    format!("({CHECK}() ? (({}) ? __builtin_trap() : {ERROR}()) : (void)0)", values.join(" && "))
}

/// The texts with the claim of a witness of correctness.
pub fn correctness(texts: &[Text], invariants: &[Invariant]) -> Result<Vec<Woven>, Problem> {
    let mut checks: Vec<Checks<'_>> = texts.iter().map(|_| Checks::default()).collect();
    for invariant in invariants {
        let (number, text) = find_text(texts, &invariant.location)?;
        checks[number].add(text, invariant)?;
    }
    texts.iter().zip(&checks).map(|(text, checks)| checks.weave(text)).collect()
}

/// What counts as the violation.
#[derive(Clone, Debug)]
pub struct Violation<'a> {
    /// Functions whose call is the error.
    pub error_functions: &'a [String],
    /// Whether a failing `assert` is.
    pub assert_is_error: bool,
    /// Whether it is an operation that overflows: then the target is any statement, and nothing is put in its place.
    pub is_overflow: bool,
}

/// The statement that violates.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The number of its text.
    pub text: usize,
    /// Where it stands there.
    pub range: Range,
}

/// The texts with the claim of a witness of a violation, and the statement that violates.
pub fn violation(
    texts: &[Text],
    segments: &[Segment],
    meaning: &Violation<'_>,
) -> Result<(Vec<Woven>, Target), Problem> {
    let mut sites: Vec<Sites> = texts.iter().map(|_| Sites::default()).collect();
    let mut assumptions = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        let avoided = segment.avoid.iter().map(|waypoint| (waypoint, Effect::Stop));
        let is_followed = segment.follow.kind != WaypointKind::Target;
        let followed = is_followed.then_some((&segment.follow, Effect::Advance));
        for (waypoint, effect) in avoided.chain(followed) {
            let (at, text) = find_text(texts, &waypoint.location)?;
            sites[at].add(&text.syntax, number, waypoint, effect, &mut assumptions)?;
        }
    }
    if !assumptions.is_empty() {
        // The expressions alone, to see what they do.
        correctness(texts, &assumptions)?;
    }
    let location = segments.last().map(|segment| &segment.follow.location);
    let location = location.ok_or_else(|| Problem::Malformed("the witness has no target".to_owned()))?;
    let (text, target) = find_text(texts, location)?;
    let statement = find_statement(&target.syntax, location).ok_or_else(|| nothing("statement", location))?;
    let target = Target { text, range: statement.range };
    let last = segments.len().saturating_sub(1);
    let violates = format!("({STATE} == {last} ? {ERROR}() : __builtin_trap())");
    let (mut woven, mut is_possible) = (Vec::new(), meaning.is_overflow);
    for (number, (text, sites)) in texts.iter().zip(&sites).enumerate() {
        let mut edits = Edits::new();
        let storage = if number == 0 { "" } else { "extern " };
        let prologue = format!("{storage}int {STATE}; extern void {ERROR}(void); ");
        edits.before(text.syntax.first_item, prologue);
        if !meaning.is_overflow {
            let here = (number == target.text).then_some((location, target.range));
            is_possible |= replace_errors(&text.syntax, meaning, here, &violates, &mut edits);
        }
        sites.weave(&text.syntax, &mut edits);
        woven.push(edits.apply(&text.syntax.source.text));
    }
    if !is_possible {
        let place = place(location);
        return Err(Problem::Refuted(format!(
            "the statement at {place} does not violate the property itself"
        )));
    }
    Ok((woven, target))
}

/// Every violation in a text ends the execution, the one at the target, if it is here, by what is given. Whether that is there.
fn replace_errors(
    syntax: &Syntax,
    meaning: &Violation<'_>,
    target: Option<(&Location, Range)>,
    violates: &str,
    edits: &mut Edits,
) -> bool {
    let mut is_possible = false;
    for call in &syntax.calls {
        let Some(form) = error_call(syntax, call, meaning) else { continue };
        let innermost = syntax.statement_around(call.range).map(|around| around.range);
        // Without a column, what fits on the line is meant.
        let counts =
            target.zip(innermost).is_some_and(|((location, range), innermost)| match location.column {
                Some(_) => innermost == range,
                None => syntax.position(innermost.lo).0 == location.line,
            });
        is_possible |= counts;
        let replacement = if counts { violates } else { "__builtin_trap()" };
        match form {
            ErrorForm::Call => edits.replace(&syntax.source.text, call.range, replacement),
            ErrorForm::Assert(word) => {
                edits.replace(&syntax.source.text, word, "(");
                let end = Range { lo: call.range.hi, hi: call.range.hi };
                edits.wrap(end, format!(" ? (void)0 : {replacement})"), "");
            }
        }
    }
    is_possible
}

/// How a violation is written.
enum ErrorForm {
    Call,
    /// A use of the macro, with the place of its name.
    Assert(Range),
}

fn error_call(syntax: &Syntax, call: &Call, meaning: &Violation<'_>) -> Option<ErrorForm> {
    let callee = call.callee.as_deref()?;
    if meaning.error_functions.iter().any(|name| name == callee) {
        return Some(ErrorForm::Call);
    }
    let word = Range { lo: call.range.lo, hi: call.range.lo + 6 };
    let is_assert =
        meaning.assert_is_error && callee.starts_with("__assert") && syntax.text(word) == "assert";
    is_assert.then_some(ErrorForm::Assert(word))
}

/// What a waypoint does when it is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Advance,
    Stop,
}

/// What is asked at a site while one segment is to be passed: conditions and what they do.
type Asked<'a> = Vec<(&'a str, Effect)>;

/// One waypoint at a site: the segment, the condition over the value at hand, what it does.
type Step = (usize, String, Effect);

/// What is to be put where.
#[derive(Default)]
struct Sites {
    statements: BTreeMap<u32, (Option<Statement>, Vec<Step>)>,
    controls: BTreeMap<u32, (Option<Control>, Vec<Step>)>,
    entered: BTreeMap<Range, Vec<Step>>,
    returned: BTreeMap<Range, Vec<Step>>,
}

impl Sites {
    fn add(
        &mut self,
        syntax: &Syntax,
        segment: usize,
        waypoint: &Waypoint,
        effect: Effect,
        assumptions: &mut Vec<Invariant>,
    ) -> Result<(), Problem> {
        let location = &waypoint.location;
        match &waypoint.kind {
            WaypointKind::Assumption(value) => {
                check_expression(value, location)?;
                let statement =
                    find_statement(syntax, location).ok_or_else(|| nothing("statement", location))?;
                let entry = self.statements.entry(statement.range.lo).or_default();
                entry.0 = Some(statement);
                entry.1.push((segment, format!("({value})"), effect));
                assumptions.push(Invariant {
                    location: location.clone(),
                    kind: InvariantKind::Location,
                    value: value.clone(),
                });
            }
            WaypointKind::Branching(branch) => {
                let is_switch = matches!(branch, Branch::Case(_) | Branch::Default);
                let found = find_control(syntax, location, |kind| (kind == ControlKind::Switch) == is_switch);
                let control = found.ok_or_else(|| nothing("branch", location))?;
                let condition = match branch {
                    Branch::Truth(true) => "__witness_value".to_owned(),
                    Branch::Truth(false) => "!__witness_value".to_owned(),
                    Branch::Case(value) => compare("==", &value.to_string()),
                    Branch::Default => {
                        return Err(Problem::Unsupported("the default of a switch as a waypoint".to_owned()));
                    }
                };
                let entry = self.controls.entry(control.at).or_default();
                entry.0 = Some(control.clone());
                entry.1.push((segment, condition, effect));
            }
            WaypointKind::FunctionEnter | WaypointKind::FunctionReturn(None) => {
                let call = find_call(syntax, location).ok_or_else(|| nothing("call", location))?;
                self.entered.entry(call.range).or_default().push((segment, "1".to_owned(), effect));
            }
            WaypointKind::FunctionReturn(Some((operator, constant))) => {
                let call = find_call(syntax, location).ok_or_else(|| nothing("call", location))?;
                let condition = compare(operator, constant);
                self.returned.entry(call.range).or_default().push((segment, condition, effect));
            }
            WaypointKind::Target => {
                return Err(Problem::Malformed("a target is the end of a violation".to_owned()));
            }
        }
        Ok(())
    }

    fn weave(&self, syntax: &Syntax, edits: &mut Edits) {
        for (statement, steps) in self.statements.values() {
            if let Some(statement) = statement {
                before_statement(edits, *statement, &format!("{{ {} }} ", automaton(steps)));
            }
        }
        for (control, steps) in self.controls.values() {
            let Some(control) = control else { continue };
            let after = automaton(steps);
            match control.condition {
                range if range.lo == range.hi => {
                    edits.wrap(range, format!(" ({{ int __witness_value = 1; {after} 1; }})"), "");
                }
                range if control.kind == ControlKind::Switch => {
                    let ty = format!("__typeof__({})", syntax.text(range));
                    let before = format!("({{ {ty} __witness_value = (");
                    edits.wrap(range, before, format!("); {after} __witness_value; }})"));
                }
                range => {
                    let after = format!(") ? 1 : 0; {after} __witness_value; }})");
                    edits.wrap(range, "({ int __witness_value = (", after);
                }
            }
        }
        for (range, steps) in &self.entered {
            edits.wrap(*range, format!("({{ {} ", automaton(steps)), "; })");
        }
        for (range, steps) in &self.returned {
            let before = format!("({{ __typeof__({}) __witness_value = ", syntax.text(*range));
            edits.wrap(*range, before, format!("; {} __witness_value; }})", automaton(steps)));
        }
    }
}

/// A statement that moves the counter on, by one at most. Segments in a row that ask for the same are treated as one.
fn automaton(steps: &[Step]) -> String {
    let mut by_segment: BTreeMap<usize, Asked<'_>> = BTreeMap::new();
    for (segment, condition, effect) in steps {
        by_segment.entry(*segment).or_default().push((condition, *effect));
    }
    let mut runs: Vec<(usize, usize, Asked<'_>)> = Vec::new();
    for (segment, steps) in by_segment {
        match runs.last_mut() {
            Some((_, last, same)) if *last + 1 == segment && *same == steps => *last = segment,
            _ => runs.push((segment, segment, steps)),
        }
    }
    let mut text = String::new();
    for (first, last, steps) in runs {
        let _ = if first == last {
            write!(text, "if ({STATE} == {first}) {{ ")
        } else {
            write!(text, "if ({STATE} >= {first} && {STATE} <= {last}) {{ ")
        };
        for (condition, effect) in steps {
            let _ = match effect {
                Effect::Advance => write!(text, "if ({condition}) {STATE} = {STATE} + 1; "),
                Effect::Stop => write!(text, "if ({condition}) __builtin_trap(); "),
            };
        }
        text.push_str("} else ");
    }
    text + ";"
}

/// A comparison of the value at hand with a number, as mathematics sees it: C would convert one to the type of the other.
fn compare(operator: &str, constant: &str) -> String {
    let plain = constant.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = "__witness_value";
    let Ok(number) = plain.parse::<i128>() else {
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

fn before_statement(edits: &mut Edits, statement: Statement, text: &str) {
    if statement.in_block {
        edits.before(statement.range.lo, text);
    } else {
        edits.wrap(statement.range, format!("{{ {text}"), " }");
    }
}

fn check_expression(value: &str, location: &Location) -> Result<(), Problem> {
    expression::check(value).map_err(|why| {
        Problem::Malformed(format!("the expression at {} may not be used: {why}", place(location)))
    })
}

/// I2: the tree of the woven text has exactly the effects that it should have.
fn check_effects(text: &Text, woven: &Woven, added: usize) -> Result<(), Problem> {
    let Some(after) = text.after(woven) else {
        return Err(Problem::Malformed("an expression of the witness is no expression of C".to_owned()));
    };
    let before = &text.syntax;
    if after.effects.len() != before.effects.len() + added || after.statements.len() < before.statements.len()
    {
        return Err(Problem::Malformed(
            "an expression of the witness calls a function or has another effect".to_owned(),
        ));
    }
    Ok(())
}

fn find_text<'a>(texts: &'a [Text], location: &Location) -> Result<(usize, &'a Text), Problem> {
    text_of(texts, location).ok_or_else(|| {
        Problem::Malformed(format!("`{}` does not name one of the input files", location.file))
    })
}

fn nothing(what: &str, location: &Location) -> Problem {
    Problem::Malformed(format!("there is no {what} at {}", place(location)))
}

/// A place as people write it.
fn place(location: &Location) -> String {
    let column = location.column.map_or(String::new(), |column| format!(":{column}"));
    format!("{}:{}{column}", location.file, location.line)
}

/// The candidates at a location: those at the place, or the leftmost one of the line if there is no column.
fn find<'a, T>(
    syntax: &Syntax,
    items: impl Iterator<Item = &'a T>,
    location: &Location,
    at: impl Fn(&T) -> u32,
) -> Option<&'a T> {
    let exactly = match location.column {
        Some(column) => Some(syntax.offset(location.line, column)?),
        None => None,
    };
    let mut here = items.filter(|item| match exactly {
        Some(offset) => at(item) == offset,
        None => syntax.position(at(item)).0 == location.line,
    });
    match exactly {
        Some(_) => here.next(),
        None => here.min_by_key(|item| at(item)),
    }
}

fn find_control<'a>(
    syntax: &'a Syntax,
    location: &Location,
    fits: impl Fn(ControlKind) -> bool,
) -> Option<&'a Control> {
    find(syntax, syntax.controls.iter().filter(|control| fits(control.kind)), location, |control| control.at)
}

/// The call whose closing parenthesis is at a location.
pub(crate) fn find_call<'a>(syntax: &'a Syntax, location: &Location) -> Option<&'a Call> {
    find(syntax, syntax.calls.iter(), location, |call| call.close)
}

/// Of statements that start at one place the outermost one that is no block.
fn find_statement(syntax: &Syntax, location: &Location) -> Option<Statement> {
    let is_block =
        |statement: &&Statement| syntax.source.text.get(statement.range.lo as usize) == Some(&b'{');
    let found = find(
        syntax,
        syntax.statements.iter().filter(|statement| !is_block(statement)),
        location,
        |statement| statement.range.lo,
    )?;
    let same = syntax.statements.iter().filter(|statement| statement.range.lo == found.range.lo);
    same.max_by_key(|statement| (statement.in_block, statement.range.hi)).copied()
}
