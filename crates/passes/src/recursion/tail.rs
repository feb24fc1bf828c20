//! Tail recursion: calls that end their procedure become jumps.
//!
//! # Method
//! Each member of a tail recursive component that is called from outside gets the bodies of all members that it may call. A call between them gives the
//! parameters of the callee their values, forgets what the callee's variables held before, and goes to the start of the callee's body. Where a member returns, the
//! results are passed to the procedure around it, which returns.
//!
//! # Meaning
//! The same executions: a caller does nothing after the call but return what the callee returns, so its activation may end before. Components are
//! left alone in which an object of the caller may be live at the call: the callee may have its address.
//!
//! # Cost
//! The bodies of a component are copied once for each member that is called from outside.

use std::collections::BTreeSet;

use base::IndexVec;
use interp::Position;
use rustc_hash::FxHashMap;

use super::{Rewriter, inside};
use crate::back::{BackTranslation, ContextId, LocationOrigin, Step};
use crate::build::{Builder, Draft};
use crate::calls::{CallGraph, CallSite, Component, has_live_objects, is_tail};
use crate::frames::Frame;
use cfa::op::{AllocKind, Callee, Op, Place};
use cfa::{BinaryOp, EdgeId, Expr, ExprId, Loc, Origin, ProcId, Program, VarId};

/// Makes tail recursion loops.
pub fn tail(program: &Program) -> (Program, BackTranslation) {
    let calls = CallGraph::new(program);
    let is_suitable = |component: &&Component| {
        is_tail(program, &calls, component)
            && !allocates(program, component)
            && calls.inner_sites(program, component).all(|site| !has_live_objects(program, site))
    };
    let suitable: Vec<&Component> = calls.components.iter().filter(is_suitable).collect();
    if suitable.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut rewriter = Rewriter::new(program);
    let mut jumps = BTreeSet::new();
    for component in suitable {
        let sites = calls.inner_sites(program, component);
        jumps.extend(sites.map(|CallSite { proc, edge, op }| Position { proc, edge, op: op as u32 }));
        let roots = calls.called_from_outside(program, component);
        for member in &component.members {
            if roots.contains(member) {
                Region::build(&mut rewriter, component, *member);
            } else {
                rewriter.drop_procedure(*member);
            }
        }
    }
    let (program, back) = rewriter.finish();
    (program, back.with_jumps(jumps))
}

/// Whether a member allocates memory that lives until it returns.
fn allocates(program: &Program, component: &Component) -> bool {
    let edges = component.members.iter().flat_map(|member| program.procs[*member].edges());
    let mut ops = edges.flat_map(|edge| &edge.ops);
    ops.any(|op| matches!(op, Op::Malloc { kind: AllocKind::Stack, .. }))
}

/// The bodies of a component inside one of its members.
struct Region<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    component: &'r Component,
    root: ProcId,
    builder: Builder,
    /// The bodies so far: their variables and where they start.
    bodies: FxHashMap<ProcId, (Frame, Loc)>,
    pending: Vec<ProcId>,
}

impl<'r, 'a> Region<'r, 'a> {
    fn build(rewriter: &'r mut Rewriter<'a>, component: &'r Component, root: ProcId) {
        let builder = Builder::new(rewriter.old, root);
        let frame = rewriter.frames.own(root);
        let bodies = FxHashMap::from_iter([(root, (frame, builder.procedure.entry))]);
        let mut region = Self { rewriter, component, root, builder, bodies, pending: vec![root] };
        while let Some(member) = region.pending.pop() {
            region.body(member);
        }
        let Self { rewriter, builder, .. } = region;
        rewriter.changed.insert(root, builder.finish());
    }

    /// The variables of a member's body and where it starts; the body is left pending if it is new.
    fn enter(&mut self, member: ProcId) -> (Frame, Loc) {
        if let Some(known) = self.bodies.get(&member) {
            return known.clone();
        }
        let Rewriter { old, new, vars, frames, .. } = &mut *self.rewriter;
        let frame = frames.fresh(member, self.root, ContextId::ROOT, new, vars);
        let location = old.procs[member].entry;
        let origin = LocationOrigin { proc: member, location, context: ContextId::ROOT };
        let entry = self.builder.location(old.procs[member].locations[location], Some(origin));
        self.bodies.insert(member, (frame.clone(), entry));
        self.pending.push(member);
        (frame, entry)
    }

    /// Copies the body of a member.
    fn body(&mut self, member: ProcId) {
        let (frame, entry) = self.enter(member);
        self.rewriter.frames.select(&frame, &mut self.rewriter.new);
        let procedure = &self.rewriter.old.procs[member];
        let mut locations: IndexVec<Loc, Loc> = IndexVec::filled(entry, procedure.locations.len());
        for (location, info) in procedure.locations.iter_enumerated() {
            let origin = Some(LocationOrigin { proc: member, location, context: ContextId::ROOT });
            locations[location] = if location == procedure.entry {
                entry
            } else if Some(location) == procedure.error {
                let known = self.builder.procedure.error;
                let error = known.unwrap_or_else(|| self.builder.location(*info, origin));
                self.builder.procedure.error = Some(error);
                error
            } else if location == procedure.exit && member == self.root {
                self.builder.procedure.exit
            } else {
                self.builder.location(*info, origin)
            };
        }
        for id in procedure.edges().ids() {
            self.edge(&frame, id, &locations);
        }
        if member != self.root {
            self.leave(&frame, locations[procedure.exit]);
        }
    }

    /// Passes the results of a member to the procedure around it.
    fn leave(&mut self, frame: &Frame, exit: Loc) {
        let Rewriter { old, new, frames, .. } = &mut *self.rewriter;
        let mut draft = Draft::without_step(exit, Origin::IMPLICIT);
        let results = old.procs[self.root].results.iter().zip(&old.procs[frame.proc].results);
        for (to, from) in results {
            if let Some(ty) = old.vars[*from].scalar() {
                let value = new.exprs.var(frames.var(frame, *from), ty);
                draft.push(Op::Assign { place: Place::Var(*to), value }, None);
            }
        }
        let exit = self.builder.procedure.exit;
        draft.finish(exit, &mut self.builder);
    }

    /// Copies an edge of a member; it is cut at a call of a member.
    fn edge(&mut self, frame: &Frame, id: EdgeId, locations: &IndexVec<Loc, Loc>) {
        let edge = &self.rewriter.old.procs[frame.proc].edges()[id];
        let step = Step::whole(frame.proc, id, ContextId::ROOT);
        let mut draft = Draft::new(locations[edge.source], edge.origin, step);
        for (position, op) in edge.ops.iter().enumerate() {
            let renamed = self.rewriter.frames.op(frame, op);
            match renamed {
                Op::Call { callee: Callee::Direct(target), args, .. } if self.component.contains(target) => {
                    return self.jump(draft, (target, &args), None, position);
                }
                Op::Call { callee: Callee::Indirect { pointer, targets }, args, results }
                    if self.component.is_entered_by(op) =>
                {
                    let (inner, outer): (Vec<ProcId>, Vec<ProcId>) =
                        targets.into_iter().partition(|target| self.component.contains(*target));
                    draft = self.split(draft, position);
                    for target in inner {
                        let function = self.rewriter.new.exprs.add(Expr::Function { proc: target });
                        let guard = self.rewriter.new.exprs.binary(BinaryOp::Eq, pointer, function);
                        self.jump(draft.clone(), (target, &args), Some(guard), position);
                    }
                    if outer.is_empty() {
                        return;
                    }
                    let callee = Callee::Indirect { pointer, targets: outer };
                    draft.push(Op::Call { callee, args, results }, Some(position));
                }
                other => draft.push(other, Some(position)),
            }
        }
        draft.finish(locations[edge.target], &mut self.builder);
    }

    /// Ends an edge before the operation at a position, unless nothing comes before it. What follows is a new one.
    fn split(&mut self, draft: Draft, position: usize) -> Draft {
        if draft.ops.is_empty() {
            return draft;
        }
        let (origin, mut step) = (draft.origin, draft.from.steps[0]);
        step.from = position.checked_sub(1).map(|before| before as u32);
        let middle = self.builder.location(inside(origin), None);
        let mut first = draft;
        first.from.steps[0].until = Some(position as u32);
        first.finish(middle, &mut self.builder);
        Draft::new(middle, origin, step)
    }

    /// Ends an edge by going to the start of a member's body.
    fn jump(
        &mut self,
        mut draft: Draft,
        (target, args): (ProcId, &[ExprId]),
        guard: Option<ExprId>,
        position: usize,
    ) {
        let (frame, entry) = self.enter(target);
        if let Some(cond) = guard {
            draft.push(Op::Assume { cond }, Some(position));
        }
        let Rewriter { old, frames, .. } = &*self.rewriter;
        let params = old.procs[target].params.iter().map(|param| frames.var(&frame, *param));
        let pairs: Vec<(VarId, ExprId)> = params.zip(args.iter().copied()).collect();
        for op in self.rewriter.parallel(self.root, &pairs) {
            draft.push(op, Some(position));
        }
        for op in self.rewriter.frames.renewal(&frame) {
            draft.push(op, None);
        }
        draft.from.steps[0].until = Some(position as u32);
        draft.finish(entry, &mut self.builder);
    }
}
