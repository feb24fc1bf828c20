//! The checks of invariants in the program that the front end made of a claim.
//!
//! A check starts where the function `Fresh::begin` is asked, and every path from there ends: in the error, or without one. The part of the
//! program between is the evaluation of the expressions. An expression without a value would end the execution there without a word; here it leads to the error.
//!
//! # Invariants
//! * I1: no path leads from a check back into the program, nor into a check other than by its start: the program is that of the original text, and checks beside it.
//! * I2: every state in which evaluating a check is undefined leads to the error, unless [`Checked::open`] says what is not known.

use std::collections::{BTreeMap, BTreeSet};

use base::Region;
use cfa::{Edge, Loc, Op, Origin, Place, Procedure, Program, Role};

use crate::claim::Problem;
use crate::definedness::{Defined, Definedness};
use crate::fresh::Fresh;
use crate::rebuild::{asked, halting, plain, pruned, without_edges};

/// A program with checks.
pub(crate) struct Checked {
    /// The program, undefined checks being errors.
    pub program: Program,
    /// The same program, undefined checks ending the execution.
    pub lenient: Program,
    /// An operation of a check of which nobody knows when it is defined, and where it is.
    pub open: Option<(String, Region)>,
}

/// Gives the markers of a program their meaning.
pub(crate) fn checked(mut program: Program, fresh: &Fresh) -> Result<Checked, Problem> {
    let mut begins = Vec::new();
    for number in program.procs.ids().collect::<Vec<_>>() {
        let (procedure, starts) = with_ends(&program.procs[number], fresh);
        check_closed(&procedure, &starts)?;
        program.procs[number] = procedure;
        begins.extend(starts.into_iter().map(|start| (number, start)));
    }
    let lenient = program.clone();
    let mut open = None;
    for number in program.procs.ids().collect::<Vec<_>>() {
        let starts: Vec<Loc> =
            begins.iter().filter(|(proc, _)| *proc == number).map(|(_, start)| *start).collect();
        if !starts.is_empty() {
            let procedure = program.procs[number].clone();
            program.procs[number] = guarded(&mut program, &procedure, &starts, &mut open);
        }
    }
    Ok(Checked { program, lenient, open })
}

/// A procedure in which checks end, and where they start.
fn with_ends(old: &Procedure, fresh: &Fresh) -> (Procedure, Vec<Loc>) {
    let mut new = without_edges(old);
    let mut sink = None;
    let mut starts = Vec::new();
    for edge in old.edges() {
        let edge = match asked(edge) {
            Some(function) if function == fresh.stop => {
                let sink = *sink.get_or_insert_with(|| plain(&mut new));
                halting(edge, sink)
            }
            Some(function) if function == fresh.error => {
                let target = new.error_location(edge.origin.region);
                Edge { target, ops: Vec::new(), ..edge.clone() }
            }
            Some(function) if function == fresh.begin => {
                starts.push(edge.target);
                Edge { ops: Vec::new(), ..edge.clone() }
            }
            _ => edge.clone(),
        };
        new.add_edge(edge);
    }
    if starts.is_empty() && sink.is_none() { (old.clone(), starts) } else { (pruned(&new), starts) }
}

/// The locations of checks from which something goes on.
fn inside(procedure: &Procedure, starts: &[Loc]) -> BTreeSet<Loc> {
    let mut found = BTreeSet::new();
    let mut stack = starts.to_vec();
    while let Some(location) = stack.pop() {
        let edges = procedure.outgoing(location);
        if !edges.is_empty() && found.insert(location) {
            stack.extend(edges.iter().map(|edge| procedure.edges()[*edge].target));
        }
    }
    found
}

/// I1.
fn check_closed(procedure: &Procedure, starts: &[Loc]) -> Result<(), Problem> {
    let inside = inside(procedure, starts);
    let entered = |edge: &Edge| inside.contains(&edge.target) && !inside.contains(&edge.source);
    let entries = procedure.edges().iter().filter(|edge| entered(edge));
    let is_apart = entries.clone().all(|edge| edge.ops.is_empty() && starts.contains(&edge.target))
        && entries.count() == starts.len();
    let ends = procedure.edges().iter().filter(|edge| inside.contains(&edge.source)).all(|edge| {
        let halts = edge.ops.iter().any(|op| matches!(op, Op::Halt { .. }));
        inside.contains(&edge.target) || halts || Some(edge.target) == procedure.error
    });
    let ordinary = procedure.edges().iter().filter(|edge| inside.contains(&edge.source));
    let is_pure = ordinary.flat_map(|edge| &edge.ops).all(is_evaluation);
    if is_apart && ends && is_pure && !inside.contains(&procedure.exit) {
        Ok(())
    } else {
        let what = "an expression that the front end merges with code of the program";
        Err(Problem::Unsupported(what.to_owned()))
    }
}

/// Whether an operation can be a part of evaluating an expression: it writes to nothing that lasts.
fn is_evaluation(op: &Op) -> bool {
    match op {
        Op::Assume { .. } | Op::Halt { .. } | Op::Begin { .. } | Op::End { .. } => true,
        Op::Assign { place, .. } => matches!(place, Place::Var(_)),
        _ => false,
    }
}

/// A procedure in which what is undefined in a check leads to the error.
fn guarded(
    program: &mut Program,
    old: &Procedure,
    starts: &[Loc],
    open: &mut Option<(String, Region)>,
) -> Procedure {
    let inside = inside(old, starts);
    let mut definedness = Definedness::new(program);
    let mut conditions = BTreeMap::new();
    for location in &inside {
        let mut all = Defined::Always;
        for edge in old.outgoing(*location).iter().map(|edge| &old.edges()[*edge]) {
            for op in &edge.ops {
                let defined = match op {
                    Op::Assume { cond: value } | Op::Assign { value, .. } => definedness.of(*value),
                    _ => Defined::Always,
                };
                if let Defined::Unknown(what) = &defined {
                    open.get_or_insert_with(|| (what.clone(), edge.origin.region));
                }
                all = definedness.both(all, defined);
            }
        }
        if let Defined::If(condition) = all {
            conditions.insert(*location, condition);
        }
    }
    let mut new = without_edges(old);
    let mut moved = BTreeMap::new();
    for (location, condition) in &conditions {
        let first =
            old.outgoing(*location).first().map_or(Region::NOWHERE, |edge| old.edges()[*edge].origin.region);
        let origin = Origin { region: first, role: Role::Implicit };
        let (after, error) = (plain(&mut new), new.error_location(first));
        let fails = program.exprs.not(*condition);
        new.add_edge(Edge {
            source: *location,
            target: error,
            ops: vec![Op::Assume { cond: fails }],
            origin,
        });
        new.add_edge(Edge {
            source: *location,
            target: after,
            ops: vec![Op::Assume { cond: *condition }],
            origin,
        });
        moved.insert(*location, after);
    }
    for edge in old.edges() {
        let source = moved.get(&edge.source).copied().unwrap_or(edge.source);
        new.add_edge(Edge { source, ..edge.clone() });
    }
    new
}
