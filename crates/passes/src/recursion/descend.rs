//! Errors descend no more: what fails inside of calls fails in the procedure where execution starts.
//!
//! # Paper
//! [Recmc14] §3 takes it for granted that only the main procedure has an error; this is the transformation to such programs ("mixed semantics").
//!
//! # Method
//! Whether a call fails is guessed. If it does, it never returns: control goes to a copy of the callee inside of the entry procedure, for good. One copy of each procedure is
//! enough for all such calls, also for recursive ones, because nothing of the callers is needed any more. If the call returns, it is a call of the
//! procedure without its errors.
//!
//! ```text
//!      l ── call f(x) ──▶ m        becomes      l ── havoc fails ──▶ l' ── assume !fails; call f(x) ──▶ m
//!                                                                    l' ── assume fails; n := x ──▶ start of the failing copy of f
//! ```
//!
//! # Meaning
//! The same executions as far as they reach the error; others may end where a guess turns out to be wrong. A procedure is left as it is if an object of it may be
//! live where it calls itself, directly or not: the object of the inner activation would take the place of the outer one.
//!
//! # Cost
//! The program at most doubles.

use base::{IndexVec, Region};
use rustc_hash::FxHashMap;

use super::{Rewriter, inside};
use crate::back::{BackTranslation, ContextId, LocationOrigin, Step};
use crate::build::{Builder, Draft, NewEdge, procedure};
use crate::calls::{CallGraph, Component, has_live_objects};
use crate::frames::Frame;
use crate::relevance::Relevance;
use cfa::op::{Callee, Guess, Op, Place, Source};
use cfa::{BinaryOp, EdgeId, Expr, ExprId, Loc, ProcId, Program, Ty, VarId};

/// Moves errors to the entry procedure.
pub fn descend(program: &Program) -> (Program, BackTranslation) {
    let calls = CallGraph::new(program);
    let relevance = Relevance::new(program);
    let is_failing = |proc: &ProcId| {
        let component = calls.component(*proc);
        *proc != program.entry
            && relevance.may_fail(*proc)
            && component.is_none_or(|component| is_reentrant(program, &calls, component, *proc))
    };
    let failing: Vec<ProcId> = calls.order.iter().copied().filter(is_failing).collect();
    if failing.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut rewriter = Rewriter::new(program);
    for proc in &failing {
        rewriter.changed.insert(*proc, without_error(program, *proc));
    }
    Descent::build(&mut rewriter, &relevance, &failing);
    rewriter.finish()
}

/// Whether no object of a procedure can be live where the procedure is entered again.
fn is_reentrant(program: &Program, calls: &CallGraph, component: &Component, proc: ProcId) -> bool {
    let mut inner = calls.sites[proc].iter().filter(|site| component.is_entered_by(site.op(program)));
    inner.all(|site| !has_live_objects(program, *site))
}

/// A procedure without the edges to its error location.
fn without_error(program: &Program, proc: ProcId) -> (cfa::Procedure, crate::ProcOrigin) {
    let old = &program.procs[proc];
    let kept = old.edges().iter_enumerated().filter(|(_, edge)| Some(edge.target) != old.error);
    let edges = kept.map(|(id, _)| NewEdge::same(program, proc, id));
    procedure(program, proc, |location| Some(location) != old.error, edges)
}

/// The entry procedure with the failing copies.
struct Descent<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    relevance: &'r Relevance,
    failing: &'r [ProcId],
    builder: Builder,
    /// Whether a call fails.
    fails: VarId,
    /// The copies so far: their variables and where they start.
    copies: FxHashMap<ProcId, (Frame, Loc)>,
    pending: Vec<ProcId>,
}

impl<'r, 'a> Descent<'r, 'a> {
    fn build(rewriter: &'r mut Rewriter<'a>, relevance: &'r Relevance, failing: &'r [ProcId]) {
        let entry = rewriter.old.entry;
        let fails = rewriter.temporary(entry, "fails", Ty::BOOL);
        let (builder, locations) = Builder::with_locations(rewriter.old, entry, |_| true);
        let frame = rewriter.frames.own(entry);
        let (copies, pending) = (FxHashMap::default(), Vec::new());
        let mut descent = Self { rewriter, relevance, failing, builder, fails, copies, pending };
        descent.edges(&frame, &locations);
        while let Some(proc) = descent.pending.pop() {
            descent.copy(proc);
        }
        let Self { rewriter, builder, .. } = descent;
        rewriter.changed.insert(entry, builder.finish());
    }

    /// The variables of a failing copy and where it starts; the copy is left pending if it is new.
    fn enter(&mut self, proc: ProcId) -> (Frame, Loc) {
        if let Some(known) = self.copies.get(&proc) {
            return known.clone();
        }
        let Rewriter { old, new, vars, frames, .. } = &mut *self.rewriter;
        let frame = frames.fresh(proc, old.entry, ContextId::ROOT, new, vars);
        let location = old.procs[proc].entry;
        let origin = LocationOrigin { proc, location, context: ContextId::ROOT };
        let entry = self.builder.location(old.procs[proc].locations[location], Some(origin));
        self.copies.insert(proc, (frame.clone(), entry));
        self.pending.push(proc);
        (frame, entry)
    }

    /// Copies the body of a procedure that fails: nothing leads to its exit.
    fn copy(&mut self, proc: ProcId) {
        let (frame, entry) = self.enter(proc);
        let procedure = &self.rewriter.old.procs[proc];
        let mut locations: IndexVec<Loc, Option<Loc>> = IndexVec::filled(None, procedure.locations.len());
        for (location, info) in procedure.locations.iter_enumerated() {
            let origin = Some(LocationOrigin { proc, location, context: ContextId::ROOT });
            locations[location] = if location == procedure.entry {
                Some(entry)
            } else if Some(location) == procedure.error {
                let known = self.builder.procedure.error;
                let error = known.unwrap_or_else(|| self.builder.location(*info, origin));
                self.builder.procedure.error = Some(error);
                Some(error)
            } else if location == procedure.exit {
                None
            } else {
                Some(self.builder.location(*info, origin))
            };
        }
        self.edges(&frame, &locations);
    }

    fn edges(&mut self, frame: &Frame, locations: &IndexVec<Loc, Option<Loc>>) {
        self.rewriter.frames.select(frame, &mut self.rewriter.new);
        for (id, edge) in self.rewriter.old.procs[frame.proc].edges().iter_enumerated() {
            if let Some(source) = locations[edge.source] {
                self.edge(frame, id, source, locations[edge.target]);
            }
        }
    }

    /// Copies an edge, cut at each call that may fail. Without target, what comes after the last of them is left out.
    fn edge(&mut self, frame: &Frame, id: EdgeId, source: Loc, target: Option<Loc>) {
        let edge = &self.rewriter.old.procs[frame.proc].edges()[id];
        let step = Step::whole(frame.proc, id, ContextId::ROOT);
        let mut draft = Draft::new(source, edge.origin, step);
        for (position, op) in edge.ops.iter().enumerate() {
            let renamed = self.rewriter.frames.op(frame, op);
            if op.call_targets().iter().any(|target| self.failing.contains(target)) {
                draft = self.call(draft, &renamed, position);
                if !self.relevance.returns(op) {
                    return;
                }
            }
            draft.push(renamed, Some(position));
        }
        if let Some(target) = target {
            draft.finish(target, &mut self.builder);
        }
    }

    /// Ends an edge by the guess whether a call fails, and adds the ways into the callees if it does. The edge on which it returns is begun.
    fn call(&mut self, mut draft: Draft, op: &Op, position: usize) -> Draft {
        let (origin, step) = (draft.origin, draft.from.steps[0]);
        let source = Source::Guess(Guess::Fails);
        let guess = Op::Havoc { place: Place::Var(self.fails), source, at: Region::NOWHERE };
        draft.push(guess, Some(position));
        draft.from.steps[0].until = Some(position as u32);
        let middle = self.builder.location(inside(origin), None);
        draft.finish(middle, &mut self.builder);
        let fails = self.rewriter.new.exprs.var(self.fails, Ty::BOOL);
        let here = Some(position as u32);
        if let Op::Call { callee, args, .. } = op {
            for target in op.call_targets().iter().filter(|target| self.failing.contains(target)) {
                let mut way = Draft::new(middle, origin, Step { from: here, until: here, ..step });
                way.push(Op::Assume { cond: fails }, Some(position));
                if let Callee::Indirect { pointer, .. } = callee {
                    let function = self.rewriter.new.exprs.add(Expr::Function { proc: *target });
                    let cond = self.rewriter.new.exprs.binary(BinaryOp::Eq, *pointer, function);
                    way.push(Op::Assume { cond }, Some(position));
                }
                self.fail(way, (*target, args), position);
            }
        }
        let mut rest = Draft::new(middle, origin, Step { from: here, until: None, ..step });
        let cond = self.rewriter.new.exprs.not(fails);
        rest.push(Op::Assume { cond }, Some(position));
        rest
    }

    /// Ends an edge by going to the failing copy of a procedure.
    fn fail(&mut self, mut draft: Draft, (target, args): (ProcId, &[ExprId]), position: usize) {
        let (frame, entry) = self.enter(target);
        let Rewriter { old, frames, .. } = &*self.rewriter;
        let params = old.procs[target].params.iter().map(|param| frames.var(&frame, *param));
        let pairs: Vec<(VarId, ExprId)> = params.zip(args.iter().copied()).collect();
        let owner = old.entry;
        for op in self.rewriter.parallel(owner, &pairs) {
            draft.push(op, Some(position));
        }
        for op in self.rewriter.frames.renewal(&frame) {
            draft.push(op, None);
        }
        draft.finish(entry, &mut self.builder);
    }
}
