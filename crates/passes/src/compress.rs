//! Block compression: chains of edges become one edge.
//!
//! A location is dissolved if exactly one edge enters and one edge leaves it: the two become one. So is a
//! location whose only leaving edge does nothing: what enters it goes on to where that edge leads. In either
//! case no operation is ever duplicated, so the program does not grow, however many branches join.
//!
//! Entry, exit, error and loop heads are kept: the headers of the loop forest, so that every cycle keeps one,
//! and what the front end calls a loop head, because witnesses need it.
//!
//! # Meaning
//! The same executions in fewer steps. An edge now has several operations; only assumptions at its front
//! choose between edges, as before.

use base::IndexVec;

use super::back::{BackTranslation, EdgeOrigin};
use super::build::{self, NewEdge, replace_procedures};
use cfa::{Loc, LocationRole, Op, ProcId, Program, Role};

/// What may be merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallEdges {
    /// An edge with a call has no other operation.
    #[default]
    Apart,
    /// Calls are merged like anything else.
    Merged,
}

/// Merges chains of edges.
pub fn compress(program: &Program, calls: CallEdges) -> (Program, BackTranslation) {
    replace_procedures(program, |proc| {
        let chains = Chains::new(program, proc, calls);
        build::procedure(program, proc, |location| !chains.dissolved[location], chains.edges())
    })
}

struct Chains<'a> {
    program: &'a Program,
    proc: ProcId,
    dissolved: IndexVec<Loc, bool>,
}

/// What flows into a location once those before it are dissolved.
#[derive(Clone, Copy, Default)]
struct Inflow {
    edges: u32,
    any_op: bool,
    any_call: bool,
}

impl<'a> Chains<'a> {
    fn new(program: &'a Program, proc: ProcId, calls: CallEdges) -> Self {
        let procedure = &program.procs[proc];
        let loops = procedure.loops();
        let count = procedure.locations.len();
        let mut dissolved = IndexVec::filled(false, count);
        let mut inflow: IndexVec<Loc, Inflow> = IndexVec::filled(Inflow::default(), count);
        // Edges go forward in this order, except to headers, which stay: all that enters a location has been
        // seen.
        for location in loops.order().iter().copied() {
            let incoming = inflow[location];
            let stays = location == procedure.entry
                || location == procedure.exit
                || Some(location) == procedure.error
                || procedure.locations[location].role == LocationRole::LoopHead
                || loops.is_header(location);
            if let ([leaving], false) = (procedure.outgoing(location), stays) {
                let ops = &procedure.edges()[*leaving].ops;
                let has_call = |ops: &[Op]| ops.iter().any(|op| matches!(op, Op::Call { .. }));
                let mixes_calls =
                    calls == CallEdges::Apart && (incoming.any_call || (incoming.any_op && has_call(ops)));
                dissolved[location] = ops.is_empty() || (incoming.edges == 1 && !mixes_calls);
            }
            for leaving in procedure.outgoing(location) {
                let edge = &procedure.edges()[*leaving];
                let call = edge.ops.iter().any(|op| matches!(op, Op::Call { .. }));
                let before =
                    if dissolved[location] { incoming } else { Inflow { edges: 1, ..Inflow::default() } };
                let target = &mut inflow[edge.target];
                target.edges = target.edges.saturating_add(before.edges);
                target.any_op |= before.any_op || !edge.ops.is_empty();
                target.any_call |= before.any_call || call;
            }
        }
        Self { program, proc, dissolved }
    }

    /// The edges from what stays to what stays. A chain stands for what its first edge with a source stands
    /// for.
    fn edges(&self) -> Vec<NewEdge> {
        let procedure = &self.program.procs[self.proc];
        let mut edges = Vec::new();
        for (id, edge) in procedure.edges().iter_enumerated() {
            if self.dissolved[edge.source] {
                continue;
            }
            let mut new = NewEdge {
                edge: id,
                target: edge.target,
                ops: Vec::new(),
                from: EdgeOrigin::default(),
                origin: None,
            };
            let mut origin = edge.origin;
            let mut next = id;
            loop {
                let part = &procedure.edges()[next];
                new.ops.extend(part.ops.iter().cloned());
                new.from.append(&EdgeOrigin::whole(self.proc, next, part.ops.len()));
                new.target = part.target;
                if origin.role == Role::Implicit {
                    origin = part.origin;
                }
                match procedure.outgoing(part.target) {
                    [leaving] if self.dissolved[part.target] => next = *leaving,
                    _ => break,
                }
            }
            new.origin = Some(origin);
            edges.push(new);
        }
        edges
    }
}
