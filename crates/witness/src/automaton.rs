//! A witness automaton as waypoints.
//!
//! The edges of a path become the waypoints that state the same in format 2.0: values that calls return, branches, expressions before the next statement. What has
//! no such form makes the result unknown. An execution that passes the waypoints follows the automaton; that none does refutes one path, not the automaton.
//!
//! # Invariants
//! * I1: every branch, value and assumption of the path is a waypoint, or the witness is not confirmed.
//! * I2: a witness in this format is never refuted.

use base::Budget;

use crate::claim::correctness;
use crate::format::graphml::{Automaton, Edge};
use crate::format::{
    Branch, Claims, Content, Invariant, InvariantKind, Location, Segment, Waypoint, WaypointKind, Witness,
};
use crate::fresh::Fresh;
use crate::question::Question;
use crate::syntax::{Call, Control, ControlKind, Syntax};
use crate::validate::{Decide, Judgement, validate};

/// Judges a witness automaton.
pub fn validate_automaton(
    automaton: &Automaton,
    question: &mut Question,
    decide: &mut Decide<'_>,
    budget: &mut Budget,
) -> Judgement {
    let [text] = question.texts.as_slice() else {
        return Judgement::Unknown("not supported: a witness in GraphML for several files".to_owned());
    };
    let file = automaton.task.files.first().map(|(file, _)| file.clone()).unwrap_or_default();
    let translation =
        Translation { syntax: &text.syntax, file, errors: &question.options.lower.error_functions };
    let (segments, assumptions) = match translation.segments(&automaton.edges) {
        Ok(found) => found,
        Err(why) => return Judgement::Unknown(format!("not supported: {why}")),
    };
    // Each by itself: behind a parenthesis of ours, a macro that closes one would not be noticed.
    let claims = Claims { invariants: assumptions, contracts: Vec::new() };
    let checked =
        Fresh::choose(&question.texts).and_then(|fresh| correctness(&question.texts, &claims, &fresh));
    if let Err(problem) = checked {
        return problem.into();
    }
    let witness = Witness { task: automaton.task.clone(), content: Content::Violation(segments) };
    match validate(&witness, question, decide, budget) {
        // I2.
        Judgement::Refuted(why) => {
            Judgement::Unknown(format!("of the shortest path of the automaton: {why}"))
        }
        judgement => judgement,
    }
}

/// A call, and the operator and the constant that its value is compared with.
type Returned<'a> = (&'a Call, (String, String));

/// What an assumption calls the value that a call returns.
const RESULT: &str = "\\result";

struct Translation<'a> {
    syntax: &'a Syntax,
    file: String,
    /// Functions whose call is an error.
    errors: &'a [String],
}

impl Translation<'_> {
    /// The waypoints of a path, and what it assumes before statements, one by one.
    fn segments(&self, edges: &[Edge]) -> Result<(Vec<Segment>, Vec<Invariant>), String> {
        let target = edges.iter().rev().find(|edge| !self.is_inside_error(edge.line));
        let target = target.ok_or("an automaton without an edge outside of the error function")?;
        let (mut segments, mut assumptions) = (Vec::new(), Vec::new());
        for edge in edges {
            if let Some(holds) = edge.holds {
                let control = self.control(edge)?;
                segments.push(self.follow(WaypointKind::Branching(Branch::Truth(holds)), control.at));
            }
            if !edge.assumptions.is_empty() {
                self.assumed(edge, &mut segments, &mut assumptions)?;
            }
        }
        let location = Location { file: self.file.clone(), line: target.line, column: None };
        segments
            .push(Segment { avoid: Vec::new(), follow: Waypoint { kind: WaypointKind::Target, location } });
        Ok((segments, assumptions))
    }

    fn follow(&self, kind: WaypointKind, offset: u32) -> Segment {
        let (line, column) = self.syntax.position(offset);
        let location = Location { file: self.file.clone(), line, column: Some(column) };
        Segment { avoid: Vec::new(), follow: Waypoint { kind, location } }
    }

    /// Whether a line belongs to the body of an error function: the violation is the call of that.
    fn is_inside_error(&self, line: u32) -> bool {
        let functions = self.syntax.functions.iter();
        functions.filter(|function| self.errors.iter().any(|name| **name == *function.name)).any(|function| {
            let end = function.exits.as_ref().map(|exits| self.syntax.position(exits.end).0);
            let start = function.start.map(|start| self.syntax.position(start).0);
            start.zip(end).is_some_and(|(start, end)| start <= line && line <= end)
        })
    }

    /// The condition that an edge is about: by its text, or the only one of the line.
    fn control(&self, edge: &Edge) -> Result<&Control, String> {
        let is_here = |control: &&Control| {
            let condition = self.syntax.position(control.condition.lo).0;
            let line = self.syntax.position(control.at).0;
            control.kind != ControlKind::Switch && (line == edge.line || condition == edge.line)
        };
        let stated = condition(edge);
        let fits = |control: &&Control| {
            stated.as_ref().is_none_or(|stated| *stated == squeezed(&self.syntax.text(control.condition)))
        };
        let mut found = self.syntax.controls.iter().filter(is_here).filter(fits);
        match (found.next(), found.next()) {
            (Some(control), None) => Ok(control),
            (Some(_), Some(_)) => {
                Err(format!("an edge with one of several equal conditions of line {}", edge.line))
            }
            (None, _) => Err(format!("an edge at line {} that is not about a whole condition", edge.line)),
        }
    }

    /// What an edge assumes: values of calls, and the rest before the next statement.
    fn assumed(
        &self,
        edge: &Edge,
        segments: &mut Vec<Segment>,
        assumptions: &mut Vec<Invariant>,
    ) -> Result<(), String> {
        let mut rest = Vec::new();
        for assumption in &edge.assumptions {
            match self.value(edge, assumption)? {
                Some((call, relation)) => {
                    segments.push(self.follow(WaypointKind::FunctionReturn(Some(relation)), call.close));
                    // The variable may not hold what the call returns, by its type or because the edge is about another statement.
                    if !assumption.contains(RESULT) {
                        rest.push(assumption);
                    }
                }
                None if assumption.contains('\\') => {
                    return Err(format!("the assumption `{assumption}` at line {}", edge.line));
                }
                None => rest.push(assumption),
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        let next = self.next_statement(edge.line).ok_or_else(|| {
            format!("an assumption after line {}, which no statement of the same block follows", edge.line)
        })?;
        let all: Vec<String> = rest.iter().map(|assumption| format!("({assumption})")).collect();
        let segment = self.follow(WaypointKind::Assumption(all.join(" && ")), next);
        let kind = InvariantKind::Location;
        assumptions.extend(rest.into_iter().map(|value| Invariant {
            location: segment.follow.location.clone(),
            kind,
            value: value.clone(),
        }));
        segments.push(segment);
        Ok(())
    }

    /// The call whose value an assumption states; nothing if it states something else.
    fn value(&self, edge: &Edge, assumption: &str) -> Result<Option<Returned<'_>>, String> {
        let Some((left, right)) = assumption.split_once("==") else { return Ok(None) };
        let (left, constant) = (squeezed(left), stripped(&squeezed(right)).to_owned());
        if !is_number(&constant) {
            return Ok(None);
        }
        let function = match (&edge.result_of, edge.code.as_deref().and_then(assigned_call)) {
            (Some(function), _) if left == RESULT => Some(function.clone()),
            (_, Some((variable, function))) if left == variable || left == RESULT => Some(function),
            _ => None,
        };
        let Some(function) = function else { return Ok(None) };
        let is_here = |call: &&Call| {
            call.callee.as_deref() == Some(&function) && self.syntax.position(call.close).0 == edge.line
        };
        let mut found = self.syntax.calls.iter().filter(is_here);
        match (found.next(), found.next()) {
            (Some(call), None) => Ok(Some((call, ("==".to_owned(), constant)))),
            _ => Err(format!(
                "the value of `{function}` at line {}, which does not have exactly one call of it",
                edge.line
            )),
        }
    }

    /// Where the statement starts that follows the one of a line in the same block.
    fn next_statement(&self, line: u32) -> Option<u32> {
        let in_block = || self.syntax.statements.iter().filter(|statement| statement.in_block);
        let starts = in_block().filter(|one| self.syntax.position(one.range.lo).0 == line);
        let this = starts.max_by_key(|one| one.range.lo)?;
        let next = in_block().filter(|one| one.range.lo >= this.range.hi).min_by_key(|one| one.range.lo)?;
        // Nothing but space stands between two statements of a block.
        let between = self.syntax.source.text.get(this.range.hi as usize..next.range.lo as usize)?;
        between.iter().all(u8::is_ascii_whitespace).then_some(next.range.lo)
    }
}

/// The text without space.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Without parentheses around the whole.
fn stripped(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    inner.filter(|inner| !inner.contains(['(', ')'])).unwrap_or(text)
}

/// The condition that the code of an edge tests: `[c]`, or `[!(c)]` where it does not hold.
fn condition(edge: &Edge) -> Option<String> {
    let code = squeezed(edge.code.as_deref()?);
    let inner = code.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(&code);
    let negated = inner.strip_prefix("!(").and_then(|inner| inner.strip_suffix(')'));
    let fails = edge.holds == Some(false);
    Some(negated.filter(|_| fails).unwrap_or(inner).to_owned())
}

/// The variable and the function of `x = f();` and `int x = f();`.
fn assigned_call(code: &str) -> Option<(String, String)> {
    let (left, right) = code.trim().trim_end_matches(';').split_once('=')?;
    let function = right.trim().strip_suffix(')')?.split('(').next()?.trim();
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let variable = left.split_whitespace().last()?.trim_start_matches('*');
    (is_word(function) && is_word(variable)).then(|| (variable.to_owned(), function.to_owned()))
}

/// Whether a text is a constant with a sign.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.chars().all(|one| one.is_ascii_alphanumeric() || one == '.')
}
