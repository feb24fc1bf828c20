//! Constants, copies and addresses are put where they are used; branches that they decide are removed.
//!
//! # Paper
//! Wegman and Zadeck, Constant Propagation with Conditional Branches, TOPLAS 13(2), 1991: conditional
//! constants, that is, nothing is known to flow along an edge before its condition may hold. Not on SSA form:
//! one persistent map per location instead.
//!
//! # What is followed
//! Scalar variables within a procedure. A fact says that a variable equals a constant, the address of an
//! object or procedure (plus a constant), or another variable. Assumptions teach facts. A call makes what it
//! may write unknown. Copies of a temporary into a variable of the source are not followed, so that proofs
//! speak of the latter.
//!
//! # Meaning
//! The same executions. An expression that is undefined for its constant operands stays; what lies before an
//! assumption that never holds stays too if it may end the execution otherwise.
//!
//! # Invariants
//! * C1: whenever `x` is known to equal `y`, or an address of `y`, `x` is listed under `holders[y]` of the state.
//! * C2: facts at the head of a loop only become fewer; every cycle has one.
//!
//! # Cost
//! A few passes over the edges for each level of loop nesting. A head of a loop looks at all that has changed since its last visit.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use base::{IndexVec, PersistentMap};
use rustc_hash::FxHashMap;

use super::back::{BackTranslation, EdgeOrigin, OpOrigin};
use super::build::{self, NewEdge, replace_procedures};
use super::calls::{CallGraph, Footprint, footprints};
use super::fold::simplified;
use cfa::op::{Callee, Op, Place};
use cfa::{BinaryOp, EdgeId, Expr, ExprId, Loc, ProcId, Program, UnaryOp, VarId};

/// Propagates constants, copies and addresses.
pub fn propagate(program: &Program) -> (Program, BackTranslation) {
    propagate_some(program, Followed::All)
}

/// Propagates copies of variables only. Where a loop copies a variable that is constant before the loop, [`propagate`] gives up the copy together with the constant.
pub(crate) fn propagate_copies(program: &Program) -> (Program, BackTranslation) {
    propagate_some(program, Followed::Copies)
}

/// Which facts are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    All,
    /// That a variable equals another one.
    Copies,
}

fn propagate_some(program: &Program, followed: Followed) -> (Program, BackTranslation) {
    let mut propagator = Propagator::new(program, followed);
    let mut edges: IndexVec<ProcId, Vec<NewEdge>> = IndexVec::new();
    let mut reached: IndexVec<ProcId, IndexVec<Loc, bool>> = IndexVec::new();
    for proc in program.procs.ids() {
        let states = propagator.solve(proc);
        let kept = propagator.rebuild(proc, &states);
        let mut flags: IndexVec<Loc, bool> = states.iter().map(Option::is_some).collect();
        // An edge that cannot be passed may still end in another way.
        for edge in &kept {
            flags[edge.target] = true;
        }
        edges.push(kept);
        reached.push(flags);
    }
    let (mut new, back) = replace_procedures(program, |proc| {
        let edges = std::mem::take(&mut edges[proc]);
        build::procedure(program, proc, |location| reached[proc][location], edges)
    });
    new.exprs = propagator.program.exprs;
    (new, back)
}

/// The global scalars that a call of each procedure may write.
fn modified_globals(program: &Program) -> IndexVec<ProcId, Vec<VarId>> {
    let all = footprints(program, &CallGraph::new(program));
    let scalars = |footprint: Footprint| {
        let written = footprint.writes.into_iter();
        written.filter(|var| program.vars[*var].scalar().is_some()).collect()
    };
    all.into_iter().map(scalars).collect()
}

struct Propagator {
    followed: Followed,
    /// The old program, with an arena that grows.
    program: Program,
    modified: IndexVec<ProcId, Vec<VarId>>,
    /// What expressions have become in the state at hand.
    memo: FxHashMap<ExprId, ExprId>,
    /// How many edges were executed.
    #[cfg(test)]
    executed: usize,
}

/// What is known of variables.
#[derive(Clone, Default)]
struct Known {
    /// What variables are equal to; what is absent is not known.
    values: PersistentMap<VarId, ExprId>,
    /// C1.
    holders: PersistentMap<VarId, PersistentMap<VarId, ()>>,
}

impl Known {
    /// What both know.
    fn common(&self, other: &Self) -> Self {
        // What both know is held by variables that each of them lists.
        Self {
            values: self.values.intersection(&other.values, |_, a, b| (a == b).then_some(*a)),
            holders: self.holders.intersection(&other.holders, |_, a, _| Some(a.clone())),
        }
    }

    fn hold(&mut self, subject: VarId, holder: VarId) {
        let mut holders = self.holders.get(subject).cloned().unwrap_or_default();
        holders.insert(holder, ());
        self.holders.insert(subject, holders);
    }
}

type States = IndexVec<Loc, Option<Known>>;

impl Propagator {
    fn new(program: &Program, followed: Followed) -> Self {
        Self {
            followed,
            modified: modified_globals(program),
            program: program.clone(),
            memo: FxHashMap::default(),
            #[cfg(test)]
            executed: 0,
        }
    }

    fn solve(&mut self, proc: ProcId) -> States {
        let procedure = &self.program.procs[proc];
        let count = procedure.locations.len();
        // Only what is known at heads of loops depends on earlier visits (C2), and a loop is stable before what comes after it is looked at.
        let order = procedure.loops().order().to_vec();
        let mut positions = IndexVec::filled(0, count);
        let mut incoming: IndexVec<Loc, Vec<EdgeId>> = IndexVec::filled(Vec::new(), count);
        for (position, location) in order.iter().enumerate() {
            positions[*location] = position;
            for edge in procedure.outgoing(*location) {
                incoming[procedure.edges()[*edge].target].push(*edge);
            }
        }
        let mut states: States = IndexVec::filled(None, count);
        // The head of a loop is due after all that is due inside, and before what follows; of two loops that end together, the inner one comes first.
        let mut pending = BTreeSet::from([(0, Reverse(0))]);
        while let Some((_, Reverse(position))) = pending.pop_first() {
            let location = order[position];
            let arriving = self.arriving(proc, location, &incoming[location], &states);
            let procedure = &self.program.procs[proc];
            let updated = match (&states[location], arriving) {
                (Some(old), Some(arriving)) if procedure.loops().is_header(location) => {
                    Some(old.common(&arriving))
                }
                (Some(old), None) if procedure.loops().is_header(location) => Some(old.clone()),
                (_, arriving) => arriving,
            };
            if updated.as_ref().map(|known| &known.values)
                != states[location].as_ref().map(|known| &known.values)
            {
                for edge in procedure.outgoing(location) {
                    let target = procedure.edges()[*edge].target;
                    let turn = match procedure.loops().headed_by(target) {
                        Some(id) if positions[target] <= position => {
                            2 * (positions[target] + procedure.loops().body(id).len()) - 1
                        }
                        _ => 2 * positions[target],
                    };
                    pending.insert((turn, Reverse(positions[target])));
                }
            }
            states[location] = updated;
        }
        states
    }

    /// What is known at a location after any of the edges that lead there.
    fn arriving(&mut self, proc: ProcId, location: Loc, edges: &[EdgeId], states: &States) -> Option<Known> {
        let mut arriving = (location == self.program.procs[proc].entry).then(Known::default);
        for edge in edges {
            let source = self.program.procs[proc].edges()[*edge].source;
            let Some(state) = states[source].clone() else { continue };
            let after = self.edge(proc, *edge, state, &mut |_, _| {});
            arriving = match (arriving, after) {
                (Some(sofar), Some(after)) => Some(sofar.common(&after)),
                (sofar, after) => sofar.or(after),
            };
        }
        arriving
    }

    /// The edges as they are under the facts that hold before them.
    fn rebuild(&mut self, proc: ProcId, states: &States) -> Vec<NewEdge> {
        let mut edges = Vec::new();
        let ids: Vec<EdgeId> = self.program.procs[proc].edges().ids().collect();
        for id in ids {
            let edge = &self.program.procs[proc].edges()[id];
            let target = edge.target;
            let Some(state) = states[edge.source].clone() else { continue };
            let (mut ops, mut origins) = (Vec::new(), Vec::new());
            let after = self.edge(proc, id, state, &mut |position, op| {
                ops.push(op);
                origins.push(Some(OpOrigin::new(0, position as u32)));
            });
            let tests_only = ops.iter().all(|op| matches!(op, Op::Assume { .. }));
            if after.is_none() && tests_only {
                continue;
            }
            let steps = EdgeOrigin::whole(proc, id, 0).steps;
            edges.push(NewEdge {
                edge: id,
                target,
                ops,
                from: EdgeOrigin { steps, ops: origins },
                origin: None,
            });
        }
        edges
    }

    /// The facts after an edge; `None` if it cannot be passed. `emit` gets the operations as they are now.
    fn edge(
        &mut self,
        proc: ProcId,
        edge: EdgeId,
        mut state: Known,
        emit: &mut dyn FnMut(usize, Op),
    ) -> Option<Known> {
        #[cfg(test)]
        {
            self.executed += 1;
        }
        for position in 0..self.program.procs[proc].edges()[edge].ops.len() {
            self.memo.clear();
            let old = self.program.procs[proc].edges()[edge].ops[position].clone();
            let mut op = old.map(|expr| self.substitute(expr, &state), |var| var);
            match &mut op {
                Op::Assume { cond } => match *self.program.exprs.get(*cond) {
                    Expr::Const { bits: 0, .. } => {
                        emit(position, op);
                        return None;
                    }
                    Expr::Const { .. } => continue,
                    _ => self.learn(*cond, &mut state),
                },
                Op::Assign { place: Place::Var(var), value } => {
                    let (var, value) = (*var, *value);
                    let itself = matches!(*self.program.exprs.get(value), Expr::Var { var: other, .. } if other == var);
                    if itself {
                        // The variable has this value already.
                        continue;
                    }
                    self.forget(var, &mut state);
                    self.know(var, value, &mut state);
                }
                Op::Call { callee, .. } => {
                    self.make_direct(callee);
                    self.clobber(&op, &mut state);
                }
                Op::Begin { var } | Op::End { var } => self.forget(*var, &mut state),
                _ => self.clobber(&op, &mut state),
            }
            emit(position, op);
        }
        Some(state)
    }

    fn make_direct(&self, callee: &mut Callee) {
        if let Callee::Indirect { pointer, targets } = callee
            && let Expr::Function { proc } = *self.program.exprs.get(*pointer)
            && targets.contains(&proc)
        {
            *callee = Callee::Direct(proc);
        }
    }

    /// What an operation writes is not known any more.
    fn clobber(&mut self, op: &Op, state: &mut Known) {
        for target in op.call_targets() {
            for index in 0..self.modified[*target].len() {
                let var = self.modified[*target][index];
                self.forget(var, state);
            }
        }
        for place in op.places() {
            if let Place::Var(var) = place {
                self.forget(*var, state);
            }
        }
    }

    /// Nothing is known about a variable or about what equals it.
    fn forget(&mut self, var: VarId, state: &mut Known) {
        state.values.remove(var);
        let Some(holders) = state.holders.get(var).cloned() else { return };
        state.holders.remove(var);
        for (holder, ()) in holders.iter() {
            let value = state.values.get(holder);
            if value.is_some_and(|value| subject(&self.program, *value) == Some(var)) {
                state.values.remove(holder);
            }
        }
    }

    /// A variable equals an expression, if it is of a kind that is followed.
    fn know(&mut self, var: VarId, value: ExprId, state: &mut Known) {
        let followed = match *self.program.exprs.get(value) {
            Expr::Const { .. } | Expr::Address { .. } | Expr::Function { .. } => {
                self.followed == Followed::All
            }
            Expr::Var { var: other, .. } => {
                let temporary = |var: VarId| self.program.vars[var].name.starts_with('%');
                !temporary(other) || temporary(var)
            }
            Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } => {
                self.followed == Followed::All
                    && matches!(self.program.exprs.get(lhs), Expr::Address { .. })
                    && matches!(self.program.exprs.get(rhs), Expr::Const { .. })
            }
            _ => false,
        };
        if !followed {
            return;
        }
        if let Some(subject) = subject(&self.program, value) {
            state.hold(subject, var);
        }
        state.values.insert(var, value);
    }

    /// What holds if a condition does.
    fn learn(&mut self, cond: ExprId, state: &mut Known) {
        if self.followed == Followed::Copies {
            return;
        }
        let mut pending = vec![cond];
        while let Some(cond) = pending.pop() {
            let (var, value) = match *self.program.exprs.get(cond) {
                Expr::Binary { op: BinaryOp::And, lhs, rhs } => {
                    pending.extend([lhs, rhs]);
                    continue;
                }
                Expr::Var { var, .. } => (var, self.program.exprs.bool(true)),
                Expr::Unary { op: UnaryOp::Not, arg } => match *self.program.exprs.get(arg) {
                    Expr::Var { var, .. } => (var, self.program.exprs.bool(false)),
                    _ => continue,
                },
                Expr::Binary { op: BinaryOp::Eq, lhs, rhs } => {
                    // Floats that are equal may differ in sign; pointers may differ in what they belong to.
                    if !self.program.exprs.ty(lhs).is_int() {
                        continue;
                    }
                    match (*self.program.exprs.get(lhs), *self.program.exprs.get(rhs)) {
                        (Expr::Var { var, .. }, Expr::Const { .. }) => (var, rhs),
                        (Expr::Const { .. }, Expr::Var { var, .. }) => (var, lhs),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            state.values.insert(var, value);
        }
    }

    /// An expression with what is known put in, simplified.
    fn substitute(&mut self, root: ExprId, state: &Known) -> ExprId {
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if self.memo.contains_key(&id) {
                pending.pop();
                continue;
            }
            let expr = *self.program.exprs.get(id);
            let before = pending.len();
            pending.extend(expr.operands().filter(|operand| !self.memo.contains_key(operand)));
            if pending.len() > before {
                continue;
            }
            let new = match expr {
                Expr::Var { var, .. } => self.resolve(var, id, state),
                _ if expr.operands().next().is_none() => id,
                _ => {
                    let expr = expr.map_operands(|operand| self.memo[&operand]);
                    simplified(&mut self.program, expr)
                }
            };
            self.memo.insert(id, new);
            pending.pop();
        }
        self.memo[&root]
    }

    /// What a variable is known to equal, through a few copies.
    fn resolve(&self, var: VarId, id: ExprId, state: &Known) -> ExprId {
        let mut result = id;
        let mut at = Some(var);
        for _ in 0..8 {
            let Some(value) = at.and_then(|var| state.values.get(var)).copied() else { break };
            result = value;
            at = match *self.program.exprs.get(value) {
                Expr::Var { var, .. } => Some(var),
                _ => None,
            };
        }
        result
    }
}

/// The variable that a fact's right side is about.
fn subject(program: &Program, value: ExprId) -> Option<VarId> {
    match *program.exprs.get(value) {
        Expr::Var { var, .. } | Expr::Address { var } => Some(var),
        Expr::Binary { lhs, .. } => subject_of_base(program, lhs),
        _ => None,
    }
}

fn subject_of_base(program: &Program, base: ExprId) -> Option<VarId> {
    match *program.exprs.get(base) {
        Expr::Address { var } => Some(var),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::text::parse;

    /// So many loops one after the other, each of which changes what was known before it.
    fn loops_in_a_row(count: usize) -> Program {
        let mut edges = String::from("l0 -> l2 : havoc y input \"f\"\n");
        for number in 0..count {
            // The exit is l1.
            let (head, body) = (2 * number + 2, 2 * number + 3);
            edges.extend([
                format!("l{head} -> l{body} : assume x != y; z := {number}:i32\n"),
                format!("l{body} -> l{head} : x := z; z := y\n"),
                format!("l{head} -> l{} : assume x == y\n", head + 2),
            ]);
        }
        let text = format!(
            "program LP64\nproc main() {{\nlocal x : i32\nlocal y : i32\nlocal z : i32\nerror l{}\n{edges}}}\n",
            2 * count + 2
        );
        parse("t.cfa", &text).unwrap()
    }

    fn executed(count: usize) -> usize {
        let program = loops_in_a_row(count);
        let mut propagator = Propagator::new(&program, Followed::All);
        propagator.solve(program.entry);
        propagator.executed
    }

    #[test]
    fn loops_that_follow_each_other_are_looked_at_one_by_one() {
        let (small, large) = (executed(50), executed(100));
        assert!(large <= small * 9 / 4, "{small}, {large}");
    }
}
