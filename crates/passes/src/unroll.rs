//! Short loops over memory are unrolled: what every iteration accesses is then known.
//!
//! # Rule
//! A loop is *peeled*: so many copies of its body are put before it as it seems to have iterations. If constants show that the loop itself is not reached any more
//! ([`super::propagate`](fn@super::propagate)), the copies stay; else the program is left as it was. So the guess of the number of iterations need not be right.
//! Only loops that access arrays or memory are tried: those over scalars are for summaries.
//!
//! # Meaning
//! The same executions.
//!
//! # Cost
//! At most [`MOST_TRIES`] propagations of programs of at most [`MOST_EDGES`] edges.

use base::IndexVec;
use cfa::loops::LoopId;
use cfa::op::{Op, Place};
use cfa::{BinaryOp, Expr, ExprId, Loc, ProcId, Program, VarId};
use rustc_hash::FxHashSet;

use super::back::{BackTranslation, ContextId, EdgeOrigin, LocationOrigin};
use super::build::{Builder, replace_procedures};
use super::propagate::propagate;

/// Iterations that are unrolled.
const MOST_ITERATIONS: i128 = 128;
/// Edges that the copies of one loop may have, and the whole procedure.
const MOST_COPIES: usize = 800;
const MOST_EDGES: usize = 4000;
/// Iterations that are tried where no counter is seen, as when pointers are followed, and edges of such a loop.
const WALK: usize = 6;
const MOST_OF_A_WALK: usize = 40;
/// Loops that are tried.
const MOST_TRIES: usize = 24;

/// Unrolls short loops of the entry procedure that access memory.
pub fn unroll(program: &Program) -> (Program, BackTranslation) {
    let mut current = program.clone();
    let mut back: Option<BackTranslation> = None;
    let mut failed: FxHashSet<Loc> = FxHashSet::default();
    for _ in 0..MOST_TRIES {
        let Some((id, count)) = candidate(&current, &failed) else { break };
        let header = current.procs[current.entry].loops().loops()[id].header;
        let (peeled, first) = peel(&current, id, count);
        let (new, second) = propagate(&peeled);
        let entry = new.entry;
        let is_left = new.procs[entry]
            .locations
            .ids()
            .any(|location| second.location(entry, location).is_some_and(|origin| origin.location == header));
        if is_left {
            failed.insert(header);
            continue;
        }
        let step = first.then(&second);
        back = Some(back.map_or_else(|| step.clone(), |back| back.then(&step)));
        current = new;
        failed.clear();
    }
    let back = back.unwrap_or_else(|| BackTranslation::identity(program));
    (current, back)
}

/// The next loop to try and how many iterations it seems to have: an innermost one first.
fn candidate(program: &Program, failed: &FxHashSet<Loc>) -> Option<(LoopId, usize)> {
    let procedure = &program.procs[program.entry];
    if procedure.edges().len() > MOST_EDGES {
        return None;
    }
    let forest = procedure.loops();
    let mut loops: Vec<LoopId> = forest.loops().ids().collect();
    loops.sort_by_key(|id| std::cmp::Reverse(forest.loops()[*id].depth));
    loops.into_iter().find_map(|id| {
        let content = &forest.loops()[id];
        if content.irreducible || failed.contains(&content.header) || content.header == procedure.entry {
            return None;
        }
        let inside = |edge: &&cfa::Edge| forest.contains(id, edge.source);
        if !procedure
            .edges()
            .iter()
            .filter(inside)
            .flat_map(|edge| &edge.ops)
            .any(|op| uses_memory(program, op))
        {
            return None;
        }
        let edges = procedure.edges().iter().filter(inside).count();
        let count = match iterations(program, id) {
            Some(count) => count,
            None if edges <= MOST_OF_A_WALK => WALK,
            None => return None,
        };
        let fits = edges * count <= MOST_COPIES && procedure.edges().len() + edges * count <= MOST_EDGES;
        fits.then_some((id, count))
    })
}

/// Whether an operation accesses an array or memory.
fn uses_memory(program: &Program, op: &Op) -> bool {
    let writes = |place: &Place| !matches!(place, Place::Var(_));
    let of_memory = matches!(
        op,
        Op::Malloc { .. }
            | Op::Realloc { .. }
            | Op::Free { .. }
            | Op::Release { .. }
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Begin { .. }
    );
    of_memory || op.places().any(writes) || op.exprs().any(|expr| reads_memory(program, expr))
}

fn reads_memory(program: &Program, root: ExprId) -> bool {
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        let expr = program.exprs.get(id);
        if matches!(expr, Expr::Elem { .. } | Expr::Load { .. } | Expr::LoadBits { .. }) {
            return true;
        }
        pending.extend(expr.operands());
    }
    false
}

/// How many iterations a loop seems to have, by a variable that is compared with a constant, starts with one and changes by one.
fn iterations(program: &Program, id: LoopId) -> Option<usize> {
    let procedure = &program.procs[program.entry];
    let forest = procedure.loops();
    let mut most = None;
    for edge in procedure.edges().iter().filter(|edge| forest.contains(id, edge.source)) {
        for op in &edge.ops {
            let Op::Assume { cond } = op else { continue };
            let Some((var, bound)) = comparison(program, *cond) else { continue };
            let Some(step) = step(program, id, var) else { continue };
            for start in starts(program, id, var) {
                let distance = bound.checked_sub(start)?;
                let count = distance.checked_div(step).unwrap_or(-1);
                if (0..=MOST_ITERATIONS).contains(&count) {
                    most = most.max(Some(count as usize + 2));
                }
            }
        }
    }
    most
}

/// A variable that is compared with a constant.
fn comparison(program: &Program, cond: ExprId) -> Option<(VarId, i128)> {
    let constant = |id: ExprId| match *program.exprs.get(id) {
        Expr::Const { ty, bits } if ty.is_int() => Some(ty.value_of(bits)),
        _ => None,
    };
    let variable = |mut id: ExprId| loop {
        match *program.exprs.get(id) {
            Expr::Var { var, .. } => return Some(var),
            Expr::Cast { arg, .. } => id = arg,
            _ => return None,
        }
    };
    let Expr::Binary { op: BinaryOp::Lt | BinaryOp::Le | BinaryOp::Eq | BinaryOp::Ne, lhs, rhs } =
        *program.exprs.get(cond)
    else {
        return None;
    };
    match (variable(lhs), constant(rhs), variable(rhs), constant(lhs)) {
        (Some(var), Some(bound), ..) | (_, _, Some(var), Some(bound)) => Some((var, bound)),
        _ => None,
    }
}

/// By how much a variable changes in a loop, if all changes are by the same constant.
fn step(program: &Program, id: LoopId, var: VarId) -> Option<i128> {
    let forest = program.procs[program.entry].loops();
    let mut found = None;
    for edge in program.procs[program.entry].edges().iter().filter(|edge| forest.contains(id, edge.source)) {
        for op in edge.ops.iter().filter(|op| op.vars().any(|written| written == var)) {
            let Op::Assign { value, .. } = op else { return None };
            let Expr::Binary { op, lhs, rhs } = *program.exprs.get(*value) else { return None };
            let Expr::Const { ty, bits } = *program.exprs.get(rhs) else { return None };
            if !matches!(*program.exprs.get(lhs), Expr::Var { var: other, .. } if other == var) {
                return None;
            }
            let by = match op {
                BinaryOp::Add => ty.value_of(bits),
                BinaryOp::Sub => -ty.value_of(bits),
                _ => return None,
            };
            if found.is_some_and(|known| known != by) {
                return None;
            }
            found = Some(by);
        }
    }
    found.filter(|by| *by != 0)
}

/// The constants that a variable gets outside a loop.
fn starts(program: &Program, id: LoopId, var: VarId) -> Vec<i128> {
    let forest = program.procs[program.entry].loops();
    let edges = program.procs[program.entry].edges().iter();
    let outside = edges.filter(|edge| !forest.contains(id, edge.source)).flat_map(|edge| &edge.ops);
    let constants = outside.filter_map(|op| match op {
        Op::Assign { place: Place::Var(written), value } if *written == var => {
            match *program.exprs.get(*value) {
                Expr::Const { ty, bits } => Some(ty.value_of(bits)),
                _ => None,
            }
        }
        _ => None,
    });
    constants.collect()
}

/// Puts copies of the body of a loop before it.
fn peel(program: &Program, id: LoopId, count: usize) -> (Program, BackTranslation) {
    replace_procedures(program, |proc| {
        if proc == program.entry {
            peel_procedure(program, proc, id, count)
        } else {
            let edges = program.procs[proc].edges().ids();
            let same = edges.map(|edge| super::build::NewEdge::same(program, proc, edge));
            super::build::procedure(program, proc, |_| true, same)
        }
    })
}

fn peel_procedure(
    program: &Program,
    proc: ProcId,
    id: LoopId,
    count: usize,
) -> (cfa::Procedure, super::back::ProcOrigin) {
    let procedure = &program.procs[proc];
    let forest = procedure.loops();
    let header = forest.loops()[id].header;
    let (mut builder, kept) = Builder::with_locations(program, proc, |_| true);
    let mut copies: Vec<IndexVec<Loc, Option<Loc>>> = Vec::with_capacity(count + 1);
    for _ in 0..count {
        let mut copy = IndexVec::filled(None, procedure.locations.len());
        for location in forest.body(id) {
            let origin = LocationOrigin { proc, location: *location, context: ContextId::ROOT };
            copy[*location] = Some(builder.location(procedure.locations[*location], Some(origin)));
        }
        copies.push(copy);
    }
    copies.push(kept.clone());
    for (edge, content) in procedure.edges().iter_enumerated() {
        let whole = || EdgeOrigin::whole(proc, edge, content.ops.len());
        let is_inside = forest.contains(id, content.source);
        if !is_inside {
            let target = if content.target == header { copies[0][header] } else { kept[content.target] };
            if let (Some(source), Some(target)) = (kept[content.source], target) {
                builder.edge(source, target, content.ops.clone(), content.origin, whole());
            }
            continue;
        }
        for number in 0..=count {
            let target = if content.target == header {
                copies[(number + 1).min(count)][header]
            } else {
                copies[number][content.target].or(kept[content.target])
            };
            if let (Some(source), Some(target)) = (copies[number][content.source], target) {
                builder.edge(source, target, content.ops.clone(), content.origin, whole());
            }
        }
    }
    builder.finish()
}
