//! Invariants for readers, as entries of a witness.

use base::{Budget, SourceMap};
use cfa::LocationRole;
use witness::SourceInvariant;

use crate::format::{Invariant, InvariantKind, Location};
use crate::syntax::{ControlKind, Syntax};
use crate::validate::{Question, is_inductive, is_understood};
use crate::violation::{base_name, location};

/// An invariant and where people look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readable {
    /// What a witness says.
    pub invariant: Invariant,
    /// Line and column of the loop or statement.
    pub place: (u32, u32),
    /// What may stand in a witness: its variables are visible where the loop starts.
    pub portable: Option<Invariant>,
}

/// The invariants that have a place in a text that the program's sources call `name`.
pub fn readable(
    found: &[SourceInvariant],
    sources: &SourceMap,
    name: &str,
    syntax: &Syntax,
) -> Vec<Readable> {
    found.iter().filter_map(|invariant| place(invariant, sources, name, syntax)).collect()
}

fn place(found: &SourceInvariant, sources: &SourceMap, name: &str, syntax: &Syntax) -> Option<Readable> {
    let file = sources.get(found.region.file)?;
    if &*file.name != name {
        return None;
    }
    let offset = syntax.offset(found.region.line, found.region.column)?;
    let control = syntax.controls.iter().find(|control| control.at == offset && control.kind.is_loop());
    let (kind, offset) = match (found.role, control) {
        (LocationRole::LoopHead, Some(_)) => (InvariantKind::Loop, offset),
        // What holds at the head of a `do` holds before the first statement in its braces.
        (LocationRole::Statement, Some(control)) if control.kind == ControlKind::Do => {
            (InvariantKind::Location, control.first_of_body?)
        }
        (LocationRole::Statement, None) => {
            let statement = syntax.statements.iter().find(|statement| statement.range.lo == offset);
            statement.filter(|statement| statement.in_block)?;
            (InvariantKind::Location, offset)
        }
        _ => return None,
    };
    let (line, column) = syntax.position(offset);
    let location = match kind {
        InvariantKind::Loop => Location { file: base_name(name), line, column: Some(column) },
        InvariantKind::Location => location(name, syntax, offset),
    };
    let with = |value: &String| Invariant { location: location.clone(), kind, value: value.clone() };
    let portable = found.portable.as_ref().map(with);
    Some(Readable { invariant: with(&found.text), place: (line, column), portable })
}

/// Drops what the front end does not understand, and says whether the rest is a proof by itself; nothing if nothing is left.
pub fn confirm(invariants: &mut Vec<Readable>, question: &Question, budget: &mut Budget) -> Option<bool> {
    let all = |invariants: &[Readable]| -> Vec<Invariant> {
        invariants.iter().map(|readable| readable.invariant.clone()).collect()
    };
    if !is_understood(&all(invariants), question, budget) {
        invariants
            .retain(|readable| is_understood(std::slice::from_ref(&readable.invariant), question, budget));
    }
    (!invariants.is_empty()).then(|| is_inductive(&all(invariants), question, budget))
}
