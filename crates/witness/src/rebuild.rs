//! New versions of a program's procedures: markers become what they stand for.
//!
//! # Invariants
//! * I1: locations keep their numbers, new ones follow.
//! * I2: nothing leads away from a location that cannot be reached.

use cfa::{Edge, HaltReason, Loc, LocationInfo, LocationRole, Op, Procedure, Source};

use base::Region;

/// A procedure without its edges.
pub(crate) fn without_edges(old: &Procedure) -> Procedure {
    let mut new = Procedure::new(old.name.clone(), old.region);
    new.params.clone_from(&old.params);
    new.results.clone_from(&old.results);
    for (location, info) in old.locations.iter_enumerated() {
        if location.0 < 2 {
            new.locations[location] = *info;
        } else {
            new.add_location(*info);
        }
    }
    (new.entry, new.exit, new.error) = (old.entry, old.exit, old.error);
    new
}

/// The input function that an edge asks.
pub(crate) fn asked(edge: &Edge) -> Option<&str> {
    match edge.ops.as_slice() {
        [Op::Havoc { source: Source::Input { function }, .. }] => Some(function),
        _ => None,
    }
}

/// A new location that stands for nothing in the source.
pub(crate) fn plain(procedure: &mut Procedure) -> Loc {
    procedure.add_location(LocationInfo { region: Region::NOWHERE, role: LocationRole::Plain })
}

/// An edge at which the execution ends instead.
pub(crate) fn halting(edge: &Edge, sink: Loc) -> Edge {
    Edge { target: sink, ops: vec![Op::Halt { reason: HaltReason::Abort }], ..edge.clone() }
}

/// I2.
pub(crate) fn pruned(procedure: &Procedure) -> Procedure {
    let mut reached = vec![false; procedure.locations.len()];
    let mut stack = vec![procedure.entry];
    while let Some(location) = stack.pop() {
        if std::mem::replace(&mut reached[location.0 as usize], true) {
            continue;
        }
        let edges = procedure.outgoing(location).iter().map(|edge| &procedure.edges()[*edge]);
        stack.extend(edges.map(|edge| edge.target));
    }
    let mut new = without_edges(procedure);
    for edge in procedure.edges().iter().filter(|edge| reached[edge.source.0 as usize]) {
        new.add_edge(edge.clone());
    }
    new
}
