//! Dead variables: assignments to scalars and arrays that nothing reads.
//!
//! # Rule
//! A variable is needed if an operation that stays reads it. An operation stays unless all it does is give a
//! value to a variable that is not needed, *and it cannot be undefined*: removing an operation that may end
//! the execution would add behaviours. So `x := y / z` stays for its division even if nobody reads `x`; `x :=
//! y + 1` stays unless the sum cannot overflow or overflow wraps. Variables that only feed each other (`i :=
//! i + 1` and no other use) are not needed. A value that is overwritten before it is read is dead as well
//! ([`super::liveness`]).
//!
//! Results of calls that nobody reads are dropped, arguments for parameters that nobody reads become zero. An
//! input that nobody reads is not asked for any more: the inputs of a run are matched by their operations,
//! see [`super::EdgeOrigin::op`].

use base::IndexVec;

use super::back::BackTranslation;
use super::build::{self, NewEdge, replace_procedures};
use super::lifetimes::read_vars;
use super::liveness::dead_operations;
use super::totality::Totality;
use cfa::op::{Callee, Op, Place};
use cfa::{EdgeId, Expr, ExprId, Length, ProcId, Program, Storage, VarId};

/// Removes assignments to variables that are never read.
pub fn eliminate_dead(program: &Program) -> (Program, BackTranslation) {
    let mut needs = Needs::new(program);
    needs.solve();
    let (mut new, back) = replace_procedures(program, |proc| {
        let dead = dead_operations(program, proc, |op| needs.removable(op));
        let edges = program.procs[proc].edges().ids().map(|edge| {
            NewEdge::mapped(program, proc, edge, |position, op| {
                let useless =
                    needs.removable(op).is_some_and(|var| !needs.needed[var] || dead[edge][position]);
                (!useless).then(|| op.clone())
            })
        });
        build::procedure(program, proc, |_| true, edges)
    });
    trim_calls(&mut new, &needs);
    (new, back)
}

/// Drops results that nobody reads and arguments that nobody uses.
fn trim_calls(program: &mut Program, needs: &Needs<'_>) {
    for proc in program.procs.ids() {
        let edges: Vec<EdgeId> = program.procs[proc].edges().ids().collect();
        for edge in edges {
            for position in 0..program.procs[proc].edges()[edge].ops.len() {
                let op = &program.procs[proc].edges()[edge].ops[position];
                if !matches!(op, Op::Call { .. } | Op::Output { .. }) {
                    continue;
                }
                let mut op = op.clone();
                let targets = op.call_targets().to_vec();
                match &mut op {
                    Op::Call { args, results, .. } => {
                        for place in results {
                            *place = place.filter(|place| !needs.droppable(place));
                        }
                        for (index, arg) in args.iter_mut().enumerate() {
                            if !needs.argument_needed(&targets, index, *arg) {
                                let ty = program.exprs.ty(*arg);
                                *arg = program.exprs.add(Expr::Const { ty, bits: 0 });
                            }
                        }
                    }
                    Op::Output { result, .. } => *result = result.filter(|place| !needs.droppable(place)),
                    _ => {}
                }
                program.procs[proc].edge_mut(edge).ops[position] = op;
            }
        }
    }
}

struct Needs<'a> {
    program: &'a Program,
    totality: Totality,
    needed: IndexVec<VarId, bool>,
    pending: Vec<VarId>,
    /// The operations that are kept for the sake of a variable.
    writers: IndexVec<VarId, Vec<(ProcId, EdgeId, u32)>>,
    /// The arguments that a parameter may get; for arrays the indices at which results of calls are put.
    arguments: IndexVec<VarId, Vec<ExprId>>,
    /// Results of callees that land in a variable.
    returned: IndexVec<VarId, Vec<VarId>>,
}

impl<'a> Needs<'a> {
    fn new(program: &'a Program) -> Self {
        let count = program.vars.len();
        Self {
            program,
            totality: Totality::new(program),
            needed: IndexVec::filled(false, count),
            pending: Vec::new(),
            writers: IndexVec::filled(Vec::new(), count),
            arguments: IndexVec::filled(Vec::new(), count),
            returned: IndexVec::filled(Vec::new(), count),
        }
    }

    /// The variable for whose sake alone an operation is done; `None` if it stays in any case.
    fn removable(&self, op: &Op) -> Option<VarId> {
        let total = |expr: ExprId| self.totality.is_total(expr);
        match op {
            Op::Assign { place, value } if total(*value) => self.harmless(place),
            Op::Havoc { place, .. } => self.harmless(place),
            Op::Malloc { place, size, .. } if total(*size) => self.harmless(place),
            Op::Init { var, .. } if matches!(self.program.vars[*var].storage, Storage::Array { .. }) => {
                Some(*var)
            }
            Op::Allocate { var, length } => {
                let range = self.totality.range(*length);
                (total(*length) && range.is_some_and(|(low, _)| low >= 0)).then_some(*var)
            }
            Op::CopyElems { to, at, from, start, count }
                if self.is_unbounded(*to) && self.is_unbounded(*from) =>
            {
                [*at, *start, *count].into_iter().all(total).then_some(*to)
            }
            Op::FillElems { to, at, value, count } if self.is_unbounded(*to) => {
                [*at, *value, *count].into_iter().all(total).then_some(*to)
            }
            _ => None,
        }
    }

    fn is_unbounded(&self, array: VarId) -> bool {
        matches!(self.program.vars[array].storage, Storage::Array { length: Length::Unbounded, .. })
    }

    /// The variable of a place that can be written without risk.
    fn harmless(&self, place: &Place) -> Option<VarId> {
        match *place {
            Place::Var(var) => Some(var),
            Place::Elem { array, index } => {
                let safe =
                    self.totality.is_total(index) && self.totality.is_inside(self.program, array, index);
                safe.then_some(array)
            }
            Place::Mem { .. } | Place::Bits { .. } => None,
        }
    }

    fn droppable(&self, place: &Place) -> bool {
        self.harmless(place).is_some_and(|var| !self.needed[var])
    }

    fn argument_needed(&self, targets: &[ProcId], index: usize, arg: ExprId) -> bool {
        let used = targets.iter().any(|target| self.needed[self.program.procs[*target].params[index]]);
        used || targets.is_empty() || !self.totality.is_total(arg)
    }

    fn need(&mut self, var: VarId) {
        if !std::mem::replace(&mut self.needed[var], true) {
            self.pending.push(var);
        }
    }

    fn need_expr(&mut self, expr: ExprId) {
        let mut found = Vec::new();
        read_vars(self.program, expr, |var| found.push(var));
        for var in found {
            self.need(var);
        }
    }

    fn solve(&mut self) {
        let program = self.program;
        for (proc, procedure) in program.procs.iter_enumerated() {
            for (id, edge) in procedure.edges().iter_enumerated() {
                for (position, op) in edge.ops.iter().enumerate() {
                    match self.removable(op) {
                        Some(var) => self.writers[var].push((proc, id, position as u32)),
                        None => self.keep(op),
                    }
                }
            }
        }
        while let Some(var) = self.pending.pop() {
            for (proc, edge, position) in std::mem::take(&mut self.writers[var]) {
                let op = &program.procs[proc].edges()[edge].ops[position as usize];
                op.exprs().for_each(|expr| self.need_expr(expr));
                op.copied_array().into_iter().for_each(|array| self.need(array));
            }
            for arg in std::mem::take(&mut self.arguments[var]) {
                self.need_expr(arg);
            }
            for result in std::mem::take(&mut self.returned[var]) {
                self.need(result);
            }
        }
    }

    /// An operation that stays needs what it reads, and the arrays whose bounds it may leave.
    fn keep(&mut self, op: &Op) {
        if let Op::Call { callee, args, results } = op {
            self.keep_call(op.call_targets(), args, results);
            if let Callee::Indirect { pointer, .. } = callee {
                self.need_expr(*pointer);
            }
        } else {
            op.values().for_each(|expr| self.need_expr(expr));
            if let Op::CopyElems { .. } | Op::FillElems { .. } = op {
                op.vars().for_each(|array| self.need(array));
            }
        }
        for place in op.places() {
            match (self.harmless(place), place.expr()) {
                // The index of an element is evaluated if the element is written at all.
                (Some(var), Some(index)) => self.arguments[var].push(index),
                (None, Some(address)) => {
                    self.need_expr(address);
                    // An array whose bounds may be left keeps its length.
                    place.var().into_iter().for_each(|array| self.need(array));
                }
                (_, None) => {}
            }
        }
    }

    fn keep_call(&mut self, targets: &[ProcId], args: &[ExprId], results: &[Option<Place>]) {
        for (index, arg) in args.iter().enumerate() {
            if targets.is_empty() || !self.totality.is_total(*arg) {
                self.need_expr(*arg);
            }
            for target in targets {
                self.arguments[self.program.procs[*target].params[index]].push(*arg);
            }
        }
        for (index, place) in results.iter().enumerate() {
            let Some(place) = place else { continue };
            for target in targets {
                let result = self.program.procs[*target].results[index];
                match self.harmless(place) {
                    Some(var) => self.returned[var].push(result),
                    None => self.need(result),
                }
            }
        }
    }
}
