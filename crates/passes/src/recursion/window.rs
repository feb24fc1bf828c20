//! Recursion over a window: a loop that keeps the last few results.
//!
//! # Idea
//! `fib(n)` calls `fib(n - 1)` and `fib(n - 2)`. That is no linear recursion, but fib is a function, and all that fib(n) needs of other activations are the
//! last two values of it. So a loop over n that keeps them computes it. The same goes for `f(n - 1) + f(n - 1)`, with a window of one value.
//!
//! # Conditions
//! A procedure p that calls itself, and:
//! * It is a function of what it is called with: nothing is chosen in it. It writes neither memory nor global variables, and does not fail.
//! * One parameter n changes from call to call; p does not write it. The inner calls are p(n - u), p(n - 2u), ... for a constant u, or all with `+`.
//! * A path that calls p(n - k·u) calls p(n - i·u) for all i below k, too. So if p(n) returns, so do p(n - u), p(n - 2u), ... down to the last one that it depends on, which
//!   makes no inner call: there are no gaps.
//!
//! # Method
//! The loop head H has an index n and a window: `value 1` is what p(n) returns, `value 2` what p(n - u) returns, and so on. All but the first may be missing.
//!
//! ```text
//!   start   save the argument; guess n; for each value but the first: run p without inner calls at its index, or let it be missing; run p without inner calls at n
//!   H       n = the argument: return value 1
//!           n ≠ the argument: n := n + u; run p, where p(n - k·u) is value k, which must not be missing; move the window
//! ```
//!
//! A round may make no inner call: p(1) may be known at once, and p(2) depend on p(0), which is not.
//!
//! # Meaning
//! The same executions as far as they return: every value in the window is what p returns there, and each activation that returns is found from where its chain
//! ends. That H returns as soon as n is the argument loses nothing, since p is a function.

use std::collections::BTreeMap;

use base::{IndexVec, Region as Text};

use super::{Rewriter, is_function, is_read};
use crate::back::{BackTranslation, Context, ContextId, Link, LocationOrigin, Step};
use crate::build::{Builder, Draft};
use crate::calls::{CallGraph, Component, Footprint, Memory, footprints, is_linear};
use crate::relevance::Relevance;
use cfa::loops::Digraph;
use cfa::op::{Callee, Guess, Op, Place, Source};
use cfa::{
    BinaryOp, EdgeId, Expr, ExprId, Loc, LocationInfo, LocationRole, Origin, ProcId, Program, Ty, VarId,
};

/// The most values in a window.
const MAX_WINDOW: i128 = 4;
/// The most edges that the copies may have.
const MAX_EDGES: usize = 5_000;

/// Makes loops of recursions over windows.
pub fn window(program: &Program) -> (Program, BackTranslation) {
    let calls = CallGraph::new(program);
    let relevance = Relevance::new(program);
    let footprints = footprints(program, &calls);
    let plans: Vec<Plan> = calls
        .components
        .iter()
        .filter_map(|component| Plan::new(program, &calls, &relevance, &footprints, component))
        .collect();
    if plans.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut rewriter = Rewriter::new(program);
    for plan in &plans {
        Window::build(&mut rewriter, plan);
    }
    rewriter.finish()
}

/// A recursion over a window.
struct Plan {
    proc: ProcId,
    /// The parameter that changes.
    index: VarId,
    ty: Ty,
    /// What is added to the parameter by the inner call that is always made.
    unit: i128,
    /// Which value of the window each inner call is, the first being 1.
    calls: BTreeMap<(EdgeId, usize), usize>,
    size: usize,
}

impl Plan {
    /// Nothing if the recursion is of another form.
    fn new(
        program: &Program,
        calls: &CallGraph,
        relevance: &Relevance,
        footprints: &IndexVec<ProcId, Footprint>,
        component: &Component,
    ) -> Option<Self> {
        let [proc] = component.members[..] else { return None };
        let Footprint { writes, memory, prints, .. } = &footprints[proc];
        let is_pure =
            writes.is_empty() && *memory != Memory::Written && !*prints && !relevance.may_fail(proc);
        if !is_pure || is_linear(program, calls, component) || !is_function(program, calls, footprints, proc)
        {
            return None;
        }
        let procedure = &program.procs[proc];
        let mut offsets: BTreeMap<(EdgeId, usize), i128> = BTreeMap::new();
        let mut index = None;
        for site in calls.inner_sites(program, component) {
            let Op::Call { callee: Callee::Direct(_), args, .. } = site.op(program) else { return None };
            let read = procedure.params.iter().zip(args).filter(|(param, _)| is_read(program, proc, **param));
            for (param, arg) in read {
                match offset(program, *param, *arg)? {
                    0 => {}
                    by if index.is_none_or(|index| index == *param) => {
                        index = Some(*param);
                        offsets.insert((site.edge, site.op), by);
                    }
                    _ => return None,
                }
            }
            offsets.get(&(site.edge, site.op))?;
        }
        let index = index?;
        let ty = program.vars[index].scalar().filter(|ty| ty.is_int())?;
        let mut ops = procedure.edges().iter().flat_map(|edge| &edge.ops);
        if ops.any(|op| op.vars().any(|written| procedure.params.contains(&written))) {
            return None;
        }
        let unit = offsets.values().copied().min_by_key(|by| by.abs())?;
        let mut values = BTreeMap::new();
        for (site, by) in &offsets {
            let is_multiple = by % unit == 0 && by / unit >= 1 && by / unit <= MAX_WINDOW;
            values.insert(*site, usize::try_from(by / unit).ok().filter(|_| is_multiple)?);
        }
        let size = values.values().copied().max()?;
        let plan = Self { proc, index, ty, unit, calls: values, size };
        let fits = (size + 2) * procedure.edges().len() <= MAX_EDGES;
        (fits && plan.has_no_gaps(program)).then_some(plan)
    }

    /// Whether every path with an inner call makes all those with smaller offsets.
    fn has_no_gaps(&self, program: &Program) -> bool {
        (1..self.size).all(|number| !self.may_leave_out(program, number))
    }

    /// Whether a path makes an inner call that is a value with a larger number than this one, and none that is this one.
    fn may_leave_out(&self, program: &Program, number: usize) -> bool {
        let procedure = &program.procs[self.proc];
        let makes = |id: EdgeId, is_meant: &dyn Fn(usize) -> bool| {
            self.calls.iter().any(|((edge, _), made)| *edge == id && is_meant(*made))
        };
        let others =
            procedure.edges().iter_enumerated().filter(|(id, _)| !makes(*id, &|made| made == number));
        let others: Vec<(Loc, Loc, EdgeId)> =
            others.map(|(id, edge)| (edge.source, edge.target, id)).collect();
        let flow = Digraph::new(procedure.locations.len(), others.iter().copied());
        let (reached, leading) =
            (flow.reachable([procedure.entry]), flow.reversed().reachable([procedure.exit]));
        let is_larger = |id: EdgeId| makes(id, &|made| made > number);
        others.iter().any(|(source, target, id)| is_larger(*id) && reached[*source] && leading[*target])
    }
}

/// What an argument adds to a parameter; nothing if it is something else.
fn offset(program: &Program, param: VarId, arg: ExprId) -> Option<i128> {
    let is_param = |id: ExprId| matches!(*program.exprs.get(id), Expr::Var { var, .. } if var == param);
    let constant = |id: ExprId| match *program.exprs.get(id) {
        Expr::Const { ty: ty @ Ty::Int { .. }, bits } => Some(ty.value_of(bits)),
        _ => None,
    };
    match *program.exprs.get(arg) {
        Expr::Var { var, .. } if var == param => Some(0),
        Expr::Binary { op: BinaryOp::Add, lhs, rhs } if is_param(lhs) => constant(rhs),
        Expr::Binary { op: BinaryOp::Sub, lhs, rhs } if is_param(lhs) => constant(rhs)?.checked_neg(),
        _ => None,
    }
}

/// The locations of a copy.
type Places = IndexVec<Loc, Option<Loc>>;

/// The new body of a procedure.
struct Window<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    plan: &'r Plan,
    builder: Builder,
    context: ContextId,
    given: VarId,
    /// The values of the window, one variable for each result.
    values: Vec<Vec<VarId>>,
    /// Whether a value is there; nothing for the first.
    present: Vec<Option<VarId>>,
    head: Loc,
}

impl<'r, 'a> Window<'r, 'a> {
    fn build(rewriter: &'r mut Rewriter<'a>, plan: &'r Plan) {
        let proc = plan.proc;
        let mut builder = Builder::new(rewriter.old, proc);
        let context = rewriter.contexts.add(Context { caller: ContextId::ROOT, link: Link::Round });
        let given = rewriter.temporary(proc, "given", plan.ty);
        let types: Vec<Ty> = rewriter.old.procs[proc]
            .results
            .iter()
            .filter_map(|var| rewriter.old.vars[*var].scalar())
            .collect();
        let mut value = |number: usize| -> Vec<VarId> {
            let name = format!("value.{number}");
            types.iter().map(|ty| rewriter.temporary(proc, &name, *ty)).collect()
        };
        let values = (1..=plan.size).map(&mut value).collect();
        let present = |number: usize| {
            (number > 1).then(|| rewriter.temporary(proc, &format!("present.{number}"), Ty::BOOL))
        };
        let present = (1..=plan.size).map(present).collect();
        let info = LocationInfo { region: rewriter.old.procs[proc].region, role: LocationRole::Plain };
        let head = builder.location(info, None);
        let mut window = Self { rewriter, plan, builder, context, given, values, present, head };
        window.start();
        window.round();
        let Self { rewriter, builder, .. } = window;
        rewriter.changed.insert(proc, builder.finish());
    }

    fn value(&mut self, var: VarId) -> ExprId {
        let ty = self.rewriter.new.vars[var].scalar().expect("P5: parameters and results should be scalars");
        self.rewriter.new.exprs.var(var, ty)
    }

    fn copy(&mut self, to: VarId, from: VarId) -> Op {
        Op::Assign { place: Place::Var(to), value: self.value(from) }
    }

    /// The index changed by a number of units.
    fn moved(&mut self, units: i128) -> Op {
        let index = self.value(self.plan.index);
        let by = units * self.plan.unit;
        let exprs = &mut self.rewriter.new.exprs;
        let (op, by) = if by < 0 { (BinaryOp::Sub, -by) } else { (BinaryOp::Add, by) };
        let by = exprs.int(self.plan.ty, by);
        Op::Assign { place: Place::Var(self.plan.index), value: exprs.binary(op, index, by) }
    }

    fn location(&mut self) -> Loc {
        let region = self.rewriter.old.procs[self.plan.proc].region;
        self.builder.location(LocationInfo { region, role: LocationRole::Plain }, None)
    }

    /// Keeps what the procedure returns as a value of the window.
    fn keep(&mut self, draft: &mut Draft, number: usize) {
        let results = self.rewriter.old.procs[self.plan.proc].results.clone();
        for (to, from) in self.values[number - 1].clone().into_iter().zip(results) {
            draft.push(self.copy(to, from), None);
        }
    }

    /// The first window.
    fn start(&mut self) {
        let procedure = &self.rewriter.old.procs[self.plan.proc];
        let mut draft = Draft::without_step(self.builder.procedure.entry, Origin::IMPLICIT);
        draft.push(self.copy(self.given, self.plan.index), None);
        draft.push(guess(self.plan.index), None);
        for number in (2..=self.plan.size).rev() {
            let Some(present) = self.present[number - 1] else { continue };
            for var in self.values[number - 1].clone() {
                let ty = self.rewriter.new.vars[var].scalar().expect("P5: results should be scalars");
                let value = zero(&mut self.rewriter.new, ty);
                draft.push(Op::Assign { place: Place::Var(var), value }, None);
            }
            draft.push(guess(present), None);
            let (split, next) = (self.location(), self.location());
            draft.finish(split, &mut self.builder);
            let is_present = self.value(present);
            let mut missing = Draft::without_step(split, Origin::IMPLICIT);
            missing.push(Op::Assume { cond: self.rewriter.new.exprs.not(is_present) }, None);
            missing.finish(next, &mut self.builder);
            let mut run = Draft::without_step(split, Origin::IMPLICIT);
            run.push(Op::Assume { cond: is_present }, None);
            let units = number as i128 - 1;
            run.push(self.moved(units), None);
            let places = self.part(Layer::Innermost);
            if let (Some(entry), Some(exit)) = (places[procedure.entry], places[procedure.exit]) {
                run.finish(entry, &mut self.builder);
                let mut end = Draft::without_step(exit, Origin::IMPLICIT);
                self.keep(&mut end, number);
                end.push(self.moved(-units), None);
                end.finish(next, &mut self.builder);
            }
            draft = Draft::without_step(next, Origin::IMPLICIT);
        }
        let places = self.part(Layer::Innermost);
        if let (Some(entry), Some(exit)) = (places[procedure.entry], places[procedure.exit]) {
            draft.finish(entry, &mut self.builder);
            let mut end = Draft::without_step(exit, Origin::IMPLICIT);
            self.keep(&mut end, 1);
            end.finish(self.head, &mut self.builder);
        }
    }

    /// The ways from the head: return, or the next index.
    fn round(&mut self) {
        let procedure = &self.rewriter.old.procs[self.plan.proc];
        let (index, given) = (self.value(self.plan.index), self.value(self.given));
        let is_given = self.rewriter.new.exprs.binary(BinaryOp::Eq, index, given);
        let mut back = Draft::without_step(self.head, Origin::IMPLICIT);
        back.push(Op::Assume { cond: is_given }, None);
        for (to, from) in procedure.results.iter().zip(self.values[0].clone()) {
            back.push(self.copy(*to, from), None);
        }
        let exit = self.builder.procedure.exit;
        back.finish(exit, &mut self.builder);
        let mut on = Draft::without_step(self.head, Origin::IMPLICIT);
        on.push(Op::Assume { cond: self.rewriter.new.exprs.not(is_given) }, None);
        on.push(self.moved(-1), None);
        let before = self.part(Layer::Before);
        let after = self.part(Layer::After);
        let (Some(entry), Some(exit)) = (before[procedure.entry], after[procedure.exit]) else { return };
        on.finish(entry, &mut self.builder);
        for (id, edge) in procedure.edges().iter_enumerated() {
            if let (Some(source), Some(target), true) =
                (before[edge.source], after[edge.target], self.is_inner(id))
            {
                self.edge(id, source, target);
            }
        }
        if let Some(source) = before[procedure.exit] {
            Draft::without_step(source, Origin::IMPLICIT).finish(exit, &mut self.builder);
        }
        let mut end = Draft::without_step(exit, Origin::IMPLICIT);
        for number in (2..=self.plan.size).rev() {
            for position in 0..procedure.results.len() {
                let (to, from) = (self.values[number - 1][position], self.values[number - 2][position]);
                end.push(self.copy(to, from), None);
            }
            let Some(present) = self.present[number - 1] else { continue };
            let op = match self.present[number - 2] {
                Some(before) => self.copy(present, before),
                None => Op::Assign { place: Place::Var(present), value: self.rewriter.new.exprs.bool(true) },
            };
            end.push(op, None);
        }
        self.keep(&mut end, 1);
        end.finish(self.head, &mut self.builder);
    }

    fn is_inner(&self, id: EdgeId) -> bool {
        self.plan.calls.keys().any(|(edge, _)| *edge == id)
    }

    /// Copies a part of the body.
    fn part(&mut self, layer: Layer) -> Places {
        let procedure = &self.rewriter.old.procs[self.plan.proc];
        let all = || procedure.edges().iter_enumerated().map(|(id, edge)| (edge.source, edge.target, id));
        let free: Vec<(Loc, Loc, EdgeId)> = all().filter(|(_, _, id)| !self.is_inner(*id)).collect();
        let inner: Vec<(Loc, Loc, EdgeId)> = all().filter(|(_, _, id)| self.is_inner(*id)).collect();
        let count = procedure.locations.len();
        let edges = if layer == Layer::After { all().collect() } else { free };
        let flow = Digraph::new(count, edges.iter().copied());
        let (from, to): (Vec<Loc>, Vec<Loc>) = match layer {
            Layer::Innermost => (vec![procedure.entry], vec![procedure.exit]),
            Layer::Before => {
                let calling = inner.iter().map(|(source, ..)| *source);
                (vec![procedure.entry], calling.chain([procedure.exit]).collect())
            }
            Layer::After => (inner.iter().map(|(_, target, _)| *target).collect(), vec![procedure.exit]),
        };
        let (reached, leading) = (flow.reachable(from), flow.reversed().reachable(to));
        let mut places: Places = IndexVec::filled(None, count);
        for (location, info) in procedure.locations.iter_enumerated() {
            if reached[location] && leading[location] {
                let origin = LocationOrigin { proc: self.plan.proc, location, context: self.context };
                places[location] = Some(self.builder.location(*info, Some(origin)));
            }
        }
        for (source, target, id) in edges {
            if let (Some(source), Some(target)) = (places[source], places[target]) {
                self.edge(id, source, target);
            }
        }
        places
    }

    /// Copies an edge. An inner call is a value of the window.
    fn edge(&mut self, id: EdgeId, source: Loc, target: Loc) {
        let edge = &self.rewriter.old.procs[self.plan.proc].edges()[id];
        let step = Step::whole(self.plan.proc, id, self.context);
        let mut draft = Draft::new(source, edge.origin, step);
        for (position, op) in edge.ops.iter().enumerate() {
            let (Some(number), Op::Call { results, .. }) = (self.plan.calls.get(&(id, position)), op) else {
                draft.push(op.clone(), Some(position));
                continue;
            };
            if let Some(present) = self.present[number - 1] {
                let cond = self.value(present);
                draft.push(Op::Assume { cond }, Some(position));
            }
            for (place, var) in results.iter().zip(self.values[number - 1].clone()) {
                if let Some(place) = place {
                    let value = self.value(var);
                    draft.push(Op::Assign { place: *place, value }, Some(position));
                }
            }
        }
        draft.finish(target, &mut self.builder);
    }
}

/// A part of the body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    /// Paths without inner calls.
    Innermost,
    /// Up to the first inner call, or to the exit.
    Before,
    /// From behind it on, with more of them.
    After,
}

fn guess(var: VarId) -> Op {
    Op::Havoc { place: Place::Var(var), source: Source::Guess(Guess::Value), at: Text::NOWHERE }
}

/// Zero of any type.
fn zero(program: &mut Program, ty: Ty) -> ExprId {
    program.exprs.add(Expr::Const { ty, bits: 0 })
}
