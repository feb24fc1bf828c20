//! Readable invariants: what an annotation says about the loops of the source, as expressions of C.
//!
//! An annotation speaks about the variables of the program after the standard passes, and about Skolem constants. Here the constants are
//! eliminated, variables without a name at the place are projected away, conjuncts that follow from others are dropped, and what is left is
//! written in C (crates/explain/src/invariants/reader.rs and express.rs). A loop that was copied by inlining is covered by all of its copies.
//!
//! What is written keeps its meaning as a formula, so that whether it is a proof by itself can be asked of the checker of annotations
//! (crates/explain/src/invariants/inductive.rs). No text is parsed for that: that text and formula mean the same is a law, tested with the front end and
//! the interpreter.
//!
//! # Invariants
//! * I1: what is printed follows from the annotation (the solver is asked), so it holds if the annotation does.
//! * I2: evaluating it in C is defined whenever the place is reached.
//! * I3: no verdict depends on this; if it costs too much, fewer invariants are printed.

pub(crate) mod express;
mod inductive;
#[cfg(test)]
mod laws;
pub(crate) mod names;
mod reader;

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Region};
use cfa::{Loc, LocationInfo, LocationRole, ProcId, Program};
use passes::Prepared;
use term::TermId;
use verdict::{Annotation, Formula, Imported, LogicName, import};

pub use inductive::{Wording, is_inductive};
use names::Names;
use reader::{Reader, Written};

/// What the solver may spend on all of this if the user has asked for it.
pub const READING_TICKS: u64 = 10_000;
/// More copies of a loop are not put together.
const MAX_COPIES: usize = 4;

/// An invariant at a place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInvariant {
    /// The loop or statement.
    pub region: Region,
    /// Whether it is tied to a loop or to the start of a statement.
    pub role: LocationRole,
    /// An expression of C.
    pub text: String,
    /// What of it can be said with variables that are visible at the start of the place, not only inside (the variable of a `for`).
    pub portable: Option<String>,
    /// A stronger expression that need not hold, but is easier to read: without the cases in which something wraps around.
    pub bold: Option<String>,
    /// What `text` and `bold` mean at each copy of the place in the prepared program.
    meanings: Vec<Meaning>,
}

/// What an invariant of the source means at one location of the prepared program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Meaning {
    location: (ProcId, Loc),
    /// The states that the text excludes; nothing if a variable of the text does not exist there any more.
    excluded: Option<Formula>,
    /// The states that the bold text excludes.
    boldly: Option<Formula>,
}

/// The invariants of an annotation that can be written in C, in the order of the source. The solver spends at most `ticks`.
pub fn source_invariants(
    task: &Prepared<'_>,
    annotation: &Annotation,
    ticks: u64,
    budget: &mut Budget,
) -> Vec<SourceInvariant> {
    let (program, prepared) = (task.given(), task.program());
    let entry = prepared.entry;
    let procedure = &prepared.procs[entry];
    let forest = task.loops(entry);
    // Formulas about bit-vectors have no words here.
    if annotation.logic == LogicName::Bits {
        return Vec::new();
    }
    let Ok(Imported { mut terms, vocabulary, claims, .. }) = import(prepared, annotation) else {
        return Vec::new();
    };
    // What is said about each location of the source, copy by copy; nothing if nothing is known of a copy.
    let mut found: BTreeMap<(ProcId, Loc), Vec<Option<Copy>>> = BTreeMap::new();
    let mut reader = Reader::new(task, &mut terms, &vocabulary, budget.child(ticks), ticks);
    for ((_, location), claim) in claims.iter().filter(|((proc, _), _)| *proc == entry) {
        let info = procedure.locations[*location];
        let is_tied = info.role == LocationRole::LoopHead
            || info.role == LocationRole::Statement && forest.is_header(*location);
        let Some(origin) = task.back().location(entry, *location).filter(|_| is_tied) else { continue };
        let copy = Names::new(program, task, *location).and_then(|names| {
            let written = reader.written(&names, claim)?;
            Some(Copy { location: (entry, *location), names, written })
        });
        found.entry((origin.proc, origin.location)).or_default().push(copy);
    }
    let counts = copies(program);
    let mut invariants = Vec::new();
    for ((proc, location), copies) in found {
        let expected = counts.get(&proc).copied().unwrap_or(u64::MAX);
        if copies.len() as u64 >= expected
            && let Some(copies) = copies.into_iter().collect::<Option<Vec<_>>>()
        {
            let info = program.procs[proc].locations[location];
            invariants.extend(together(&copies, info, &mut reader));
        }
    }
    invariants.sort_by_key(|invariant| invariant.region);
    invariants
}

/// What one copy of a location says.
struct Copy {
    location: (ProcId, Loc),
    names: Names,
    written: Written,
}

/// One of the copies is meant.
fn together(copies: &[Copy], info: LocationInfo, reader: &mut Reader<'_>) -> Option<SourceInvariant> {
    let bold_text = |written: &Written| written.bold.as_ref().map(|(text, _)| text.clone());
    let wordings: BTreeSet<(String, Option<String>, Option<String>)> = copies
        .iter()
        .map(|Copy { written, .. }| (written.text.clone(), written.portable.clone(), bold_text(written)))
        .collect();
    if wordings.is_empty() || wordings.len() > MAX_COPIES {
        return None;
    }
    let one_of = |texts: Vec<&str>| match texts.as_slice() {
        [only] => (*only).to_owned(),
        several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
    };
    let text = one_of(wordings.iter().map(|(text, ..)| text.as_str()).collect());
    let portable: Option<Vec<&str>> = wordings.iter().map(|(_, portable, _)| portable.as_deref()).collect();
    let bold = wordings.first().filter(|_| wordings.len() == 1).and_then(|(.., bold)| bold.clone());
    let meanings = copies.iter().map(|copy| {
        let boldly = copy.written.bold.as_ref().filter(|_| bold.is_some());
        let boldly = boldly.map(|(_, parts)| reader.excluded(std::slice::from_ref(parts)));
        let alternatives = alternatives(copies, copy, reader);
        Meaning {
            location: copy.location,
            excluded: alternatives.map(|parts| reader.excluded(&parts)),
            boldly,
        }
    });
    let meanings = meanings.collect();
    Some(SourceInvariant {
        region: info.region,
        role: info.role,
        text,
        portable: portable.map(one_of),
        bold,
        meanings,
    })
}

/// What all copies say, in the variables of one of them; nothing if it lacks a variable of another.
fn alternatives(copies: &[Copy], here: &Copy, reader: &mut Reader<'_>) -> Option<Vec<Vec<TermId>>> {
    let mut alternatives = vec![here.written.parts.clone()];
    for other in copies.iter().filter(|other| other.written.text != here.written.text) {
        let parts = other.written.parts.iter();
        let parts: Option<Vec<TermId>> =
            parts.map(|part| reader.translated(*part, &other.names, &here.names)).collect();
        alternatives.push(parts?);
    }
    Some(alternatives)
}

/// How many activations of each procedure there may be, by the calls in the text; recursive ones are left out.
fn copies(program: &Program) -> BTreeMap<ProcId, u64> {
    let mut calls: Vec<(ProcId, ProcId)> = Vec::new();
    for (caller, procedure) in program.procs.iter_enumerated() {
        for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
            calls.extend(op.call_targets().iter().map(|callee| (caller, *callee)));
        }
    }
    let mut copies = BTreeMap::from([(program.entry, 1_u64)]);
    let mut waiting: BTreeMap<ProcId, usize> = BTreeMap::new();
    for (_, callee) in &calls {
        *waiting.entry(*callee).or_default() += 1;
    }
    let mut ready: Vec<ProcId> = program.procs.ids().filter(|proc| !waiting.contains_key(proc)).collect();
    while let Some(caller) = ready.pop() {
        let times = copies.get(&caller).copied().unwrap_or(0);
        for (_, callee) in calls.iter().filter(|(from, _)| *from == caller) {
            let sum = copies.entry(*callee).or_insert(0);
            *sum = sum.saturating_add(times);
            if let Some(left) = waiting.get_mut(callee) {
                *left -= 1;
                if *left == 0 {
                    ready.push(*callee);
                }
            }
        }
    }
    // What is still waiting is part of a cycle of calls, or called from one.
    for (proc, left) in waiting {
        if left > 0 {
            copies.remove(&proc);
        }
    }
    copies
}
