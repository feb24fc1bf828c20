//! The loop of a linear recursion, as the new body of the procedure that is called from outside.

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, Region as Text};

use super::inverse::inverse;
use super::plan::{Part, Plan, Site};
use crate::back::{Context, ContextId, Link, LocationOrigin, Step};
use crate::build::{Builder, Draft};
use crate::frames::Frame;
use crate::recursion::Rewriter;
use cfa::op::{Callee, Guess, Op, Place, Source};
use cfa::{BinaryOp, Expr, ExprId, Loc, LocationInfo, LocationRole, Origin, ProcId, Ty, VarId};

/// The type of the number of the member that is innermost.
const NUMBER: Ty = Ty::Int { width: 8, signed: false };

/// Gives the root of a plan its new body.
pub(super) fn build<'a>(rewriter: &mut Rewriter<'a>, plan: &Plan<'a>) {
    let mut region = Region::new(rewriter, plan);
    region.start();
    for member in &plan.component.members {
        region.head(*member);
    }
    let Region { rewriter, builder, .. } = region;
    rewriter.changed.insert(plan.root, builder.finish());
}

/// Where a value of an activation is kept at the head of the loop.
#[derive(Clone, Copy)]
enum Kept {
    /// In the variable of the procedure itself.
    Own(VarId),
    /// In a variable for this purpose.
    Apart(VarId),
}

impl Kept {
    fn var(self) -> VarId {
        match self {
            Self::Own(var) | Self::Apart(var) => var,
        }
    }
}

/// How control goes on.
#[derive(Clone, Copy)]
enum Way {
    /// From a location.
    Open(Loc),
    /// From a location, unless a condition holds.
    Unless(Loc, ExprId),
}

/// A member in the region.
struct Member {
    frame: Frame,
    /// Where the loop has an activation of it that has returned.
    head: Loc,
    /// Its parameters, those apart that are constant.
    ins: BTreeMap<usize, Kept>,
    outs: Vec<Kept>,
}

/// The values of a global variable.
struct Global {
    var: VarId,
    /// Where the activation starts, and where it has returned.
    before: VarId,
    after: VarId,
    /// Where the procedure is called from outside.
    given: VarId,
}

struct Region<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    plan: &'r Plan<'a>,
    builder: Builder,
    context: ContextId,
    members: BTreeMap<ProcId, Member>,
    globals: Vec<Global>,
    /// What the procedure is called with from outside, by the number of the parameter.
    given: BTreeMap<usize, VarId>,
    /// Which member is innermost; whether a call is the one that has started an activation.
    innermost: VarId,
    caller: VarId,
}

impl<'r, 'a> Region<'r, 'a> {
    fn new(rewriter: &'r mut Rewriter<'a>, plan: &'r Plan<'a>) -> Self {
        let root = plan.root;
        let builder = Builder::new(rewriter.old, root);
        let context = rewriter.contexts.add(Context { caller: ContextId::ROOT, link: Link::Round });
        let innermost = rewriter.temporary(root, "innermost", NUMBER);
        let caller = rewriter.temporary(root, "caller", Ty::BOOL);
        let mut region = Self {
            rewriter,
            plan,
            builder,
            context,
            members: BTreeMap::new(),
            globals: Vec::new(),
            given: BTreeMap::new(),
            innermost,
            caller,
        };
        for member in &plan.component.members {
            let new = region.member(*member);
            region.members.insert(*member, new);
        }
        for global in &plan.globals {
            let [before, after, given] =
                ["in", "out", "given"].map(|name| region.variable_like(name, *global));
            region.globals.push(Global { var: *global, before, after, given });
        }
        let params = plan.program.procs[root].params.iter().enumerate();
        for (index, param) in params.filter(|(index, _)| plan.is_state(root, *index)) {
            let given = region.variable_like("given", *param);
            region.given.insert(index, given);
        }
        region
    }

    /// A new variable of the type of an old one.
    fn variable_like(&mut self, purpose: &str, var: VarId) -> VarId {
        let old = &self.plan.program.vars[var];
        let ty = old.scalar().expect("P5: parameters and results should be scalars");
        self.rewriter.temporary(
            self.plan.root,
            &format!("{purpose}.{}", old.name.trim_start_matches('%')),
            ty,
        )
    }

    fn member(&mut self, proc: ProcId) -> Member {
        let Plan { program, root, constants, .. } = self.plan;
        let procedure = &program.procs[proc];
        let mut frame = self.frame(proc);
        for (index, param) in procedure.params.iter().enumerate() {
            if let Some(same) = constants.get(&(proc, index)).filter(|_| proc != *root) {
                frame = self.rewriter.frames.with(&frame, *param, program.procs[*root].params[*same]);
            }
        }
        self.rewriter.frames.select(&frame, &mut self.rewriter.new);
        let mut ins = BTreeMap::new();
        for (index, param) in procedure.params.iter().enumerate() {
            if self.plan.is_state(proc, index) {
                let kept = if self.plan.is_assigned(proc, *param) {
                    Kept::Apart(self.variable_like("in", *param))
                } else {
                    Kept::Own(self.rewriter.frames.var(&frame, *param))
                };
                ins.insert(index, kept);
            }
        }
        let mut changing: BTreeSet<VarId> =
            self.rewriter.frames.prologue(proc).stale.iter().copied().collect();
        for site in self.plan.sites.iter().filter(|site| site.at.proc == proc) {
            changing.extend(self.plan.written_before(site));
        }
        let mut outs = Vec::new();
        for result in &procedure.results {
            outs.push(if changing.contains(result) {
                Kept::Apart(self.variable_like("out", *result))
            } else {
                Kept::Own(self.rewriter.frames.var(&frame, *result))
            });
        }
        let info = LocationInfo { region: procedure.region, role: LocationRole::Plain };
        Member { frame, head: self.builder.location(info, None), ins, outs }
    }

    fn frame(&mut self, proc: ProcId) -> Frame {
        let Rewriter { new, vars, frames, .. } = &mut *self.rewriter;
        if proc == self.plan.root {
            frames.own(proc)
        } else {
            frames.fresh(proc, self.plan.root, self.context, new, vars)
        }
    }

    fn value(&mut self, var: VarId) -> ExprId {
        let ty = self.rewriter.new.vars[var].scalar().expect("P5: parameters and results should be scalars");
        self.rewriter.new.exprs.var(var, ty)
    }

    fn copy(&mut self, to: VarId, from: VarId) -> Op {
        Op::Assign { place: Place::Var(to), value: self.value(from) }
    }

    fn equals(&mut self, left: ExprId, right: ExprId) -> Op {
        Op::Assume { cond: self.rewriter.new.exprs.binary(BinaryOp::Eq, left, right) }
    }

    fn same(&mut self, left: VarId, right: VarId) -> Op {
        let (left, right) = (self.value(left), self.value(right));
        self.equals(left, right)
    }

    /// The edge that guesses something about a call.
    fn marked(&self, source: Loc, site: &Site) -> Draft {
        let (proc, edge, here) = (site.at.proc, site.at.edge, Some(site.at.op as u32));
        let step = Step { from: here, until: here, ..Step::whole(proc, edge, self.context) };
        Draft::new(source, Origin::IMPLICIT, step)
    }

    fn location(&mut self) -> Loc {
        let region = self.plan.program.procs[self.plan.root].region;
        self.builder.location(LocationInfo { region, role: LocationRole::Plain }, None)
    }

    /// Saves the arguments, and runs an innermost activation.
    fn start(&mut self) {
        let plan = self.plan;
        let Some(first) = plan.sites.first() else { return };
        let mut draft = self.marked(self.builder.procedure.entry, first);
        let params = &plan.program.procs[plan.root].params;
        for (index, given) in self.given.clone() {
            draft.push(self.copy(given, params[index]), None);
        }
        for index in 0..self.globals.len() {
            let Global { var, given, .. } = self.globals[index];
            draft.push(self.copy(given, var), None);
        }
        let members = plan.component.members.iter();
        let parts: Vec<(ProcId, Part)> =
            members.filter_map(|member| Some((*member, plan.innermost(*member)?))).collect();
        // In a function nothing is asked for, so nobody needs to know where the recursion starts.
        if let ([(member, part)], true) = (parts.as_slice(), plan.is_function) {
            return self.run_innermost(draft, *member, part);
        }
        draft.push(guess(self.innermost, Guess::Innermost), Some(first.at.op));
        let ready = self.location();
        draft.finish(ready, &mut self.builder);
        for (number, (member, part)) in parts.iter().enumerate() {
            let mut draft = Draft::without_step(ready, Origin::IMPLICIT);
            let chosen = self.value(self.innermost);
            let wanted = self.rewriter.new.exprs.int(NUMBER, number as i128);
            draft.push(self.equals(chosen, wanted), None);
            self.run_innermost(draft, *member, part);
        }
    }

    fn run_innermost(&mut self, mut draft: Draft, proc: ProcId, part: &Part) {
        let procedure = &self.plan.program.procs[proc];
        for (index, kept) in self.members[&proc].ins.clone() {
            let param = self.rewriter.frames.var(&self.members[&proc].frame, procedure.params[index]);
            draft.push(guess(param, Guess::Value), None);
            if let Kept::Apart(apart) = kept {
                draft.push(self.copy(apart, param), None);
            }
        }
        for index in 0..self.globals.len() {
            let Global { var, before, .. } = self.globals[index];
            draft.push(guess(var, Guess::Value), None);
            draft.push(self.copy(before, var), None);
        }
        self.renew(&mut draft, proc);
        let locations = self.part(proc, part);
        if let (Some(entry), Some(exit)) = (locations[procedure.entry], locations[procedure.exit]) {
            draft.finish(entry, &mut self.builder);
            let draft = Draft::without_step(exit, Origin::IMPLICIT);
            self.conclude(draft, proc);
        }
    }

    fn renew(&mut self, draft: &mut Draft, proc: ProcId) {
        let renewal = self.rewriter.frames.renewal(&self.members[&proc].frame);
        for op in renewal {
            draft.push(op, None);
        }
    }

    /// Goes to the head with what an activation returns.
    fn conclude(&mut self, mut draft: Draft, proc: ProcId) {
        let results = &self.plan.program.procs[proc].results;
        for (kept, result) in self.members[&proc].outs.clone().iter().zip(results) {
            if let Kept::Apart(apart) = kept {
                let result = self.rewriter.frames.var(&self.members[&proc].frame, *result);
                draft.push(self.copy(*apart, result), None);
            }
        }
        for index in 0..self.globals.len() {
            let Global { var, after, .. } = self.globals[index];
            draft.push(self.copy(after, var), None);
        }
        draft.finish(self.members[&proc].head, &mut self.builder);
    }

    /// The ways from the head of a member: by each call that may have started its activation, or back to where the recursion was called from.
    fn head(&mut self, proc: ProcId) {
        let plan = self.plan;
        let mut way = Way::Open(self.members[&proc].head);
        if plan.is_function && proc == plan.root {
            way = self.leave_first(self.members[&proc].head);
        }
        let sites: Vec<(&Site, Part, Part)> =
            plan.sites.iter().filter_map(|site| self.live(site, proc)).collect();
        for (index, (site, before, after)) in sites.iter().enumerate() {
            // In a function nothing is asked for, so nobody needs to know where a round starts.
            if plan.is_function && index + 1 == sites.len() {
                let draft = self.onward(way, None);
                self.round(draft, site, (before, after));
                return;
            }
            let mut draft = self.onward(way, Some(site));
            draft.push(guess(self.caller, Guess::Caller), Some(site.at.op));
            let at = self.location();
            draft.finish(at, &mut self.builder);
            let mut draft = Draft::without_step(at, Origin::IMPLICIT);
            let cond = self.value(self.caller);
            draft.push(Op::Assume { cond }, None);
            self.round(draft, site, (before, after));
            way = Way::Unless(at, cond);
        }
        if proc == plan.root && !plan.is_function {
            let mut draft = self.onward(way, None);
            let fit = self.fits();
            for cond in fit {
                draft.push(Op::Assume { cond }, None);
            }
            self.leave(draft);
        }
    }

    /// A call of a member, and the parts of its caller before and after it, unless control cannot get to it or back from it.
    fn live<'s>(&self, site: &'s Site, target: ProcId) -> Option<(&'s Site, Part, Part)> {
        let caller = &self.plan.program.procs[site.at.proc];
        let (before, after) = (self.plan.before(site), self.plan.after(site));
        let passes = before[caller.entry] && after[caller.edges()[site.at.edge].target];
        (site.target == target && passes).then_some((site, before, after))
    }

    /// An edge that goes on along a way.
    fn onward(&mut self, way: Way, site: Option<&Site>) -> Draft {
        let (Way::Open(at) | Way::Unless(at, _)) = way;
        let mut draft = match site {
            Some(site) => self.marked(at, site),
            None => Draft::without_step(at, Origin::IMPLICIT),
        };
        if let Way::Unless(_, cond) = way {
            let cond = self.rewriter.new.exprs.not(cond);
            draft.push(Op::Assume { cond }, None);
        }
        draft
    }

    /// Returns from the head if the activation was called with the arguments; the way on if it was not.
    fn leave_first(&mut self, head: Loc) -> Way {
        let fits = self.fits();
        let all = fits.into_iter().reduce(|all, one| self.rewriter.new.exprs.binary(BinaryOp::And, all, one));
        let fits = match all {
            Some(all) => all,
            None => self.rewriter.new.exprs.bool(true),
        };
        let mut draft = Draft::without_step(head, Origin::IMPLICIT);
        draft.push(Op::Assume { cond: fits }, None);
        self.leave(draft);
        Way::Unless(head, fits)
    }

    /// The conditions under which the activation that ended last was called with the arguments.
    fn fits(&mut self) -> Vec<ExprId> {
        let root = &self.members[&self.plan.root];
        let params = self.given.iter().map(|(index, given)| (root.ins[index].var(), *given));
        let globals = self.globals.iter().map(|global| (global.before, global.given));
        let pairs: Vec<(VarId, VarId)> = params.chain(globals).collect();
        let equal = |(left, right)| {
            let (left, right) = (self.value(left), self.value(right));
            self.rewriter.new.exprs.binary(BinaryOp::Eq, left, right)
        };
        pairs.into_iter().map(equal).collect()
    }

    /// Returns what the last activation has returned.
    fn leave(&mut self, mut draft: Draft) {
        let root = self.plan.root;
        let results = &self.plan.program.procs[root].results;
        for (kept, result) in self.members[&root].outs.clone().iter().zip(results) {
            if let Kept::Apart(apart) = kept {
                draft.push(self.copy(*result, *apart), None);
            }
        }
        for index in 0..self.globals.len() {
            let Global { var, after, .. } = self.globals[index];
            draft.push(self.copy(var, after), None);
        }
        let exit = self.builder.procedure.exit;
        draft.finish(exit, &mut self.builder);
    }

    /// An activation that makes a call of the activation that ended last.
    fn round(&mut self, mut draft: Draft, site: &Site, (before, after): (&Part, &Part)) {
        let proc = site.at.proc;
        let procedure = &self.plan.program.procs[proc];
        let written = self.plan.written_before(site);
        let expected = self.enter(&mut draft, site, &written);
        let was = self.remember(&mut draft, proc, &written);
        self.renew(&mut draft, proc);
        let (first, second) = (self.part(proc, before), self.part(proc, after));
        let edge = &procedure.edges()[site.at.edge];
        let ends = (first[procedure.entry], first[edge.source], second[edge.target], second[procedure.exit]);
        let (Some(entry), Some(call), Some(back), Some(exit)) = ends else { return };
        draft.finish(entry, &mut self.builder);
        self.call((call, back), site, &expected, &written);
        let mut draft = Draft::without_step(exit, Origin::IMPLICIT);
        for (to, from) in was {
            draft.push(self.copy(to, from), None);
        }
        self.conclude(draft, proc);
    }

    /// Gives the parameters of a caller their values: computed from what it calls with, or guessed. Returns which arguments are still to be compared, and with what.
    fn enter(&mut self, draft: &mut Draft, site: &Site, written: &BTreeSet<VarId>) -> Vec<(ExprId, VarId)> {
        let procedure = &self.plan.program.procs[site.at.proc];
        let args: Vec<ExprId> =
            self.plan.args(site).iter().map(|arg| self.rewriter.frames.expr(*arg)).collect();
        let mut open: BTreeMap<usize, VarId> =
            self.members[&site.target].ins.iter().map(|(index, kept)| (*index, kept.var())).collect();
        let (mut computed, mut guessed) = (Vec::new(), Vec::new());
        for index in self.members[&site.at.proc].ins.keys() {
            let old = procedure.params[*index];
            let param = self.rewriter.frames.var(&self.members[&site.at.proc].frame, old);
            let found = open.iter().filter(|_| !written.contains(&old)).find_map(|(argument, kept)| {
                Some((*argument, inverse(&mut self.rewriter.new.exprs, args[*argument], param, *kept)?))
            });
            match found {
                Some((argument, value)) => {
                    open.remove(&argument);
                    computed.push((param, value));
                }
                None => guessed.push(param),
            }
        }
        // What the callee was called with must not be overwritten before it is compared.
        let mut expected = Vec::new();
        for (argument, kept) in open {
            let is_overwritten = guessed.contains(&kept) || computed.iter().any(|(param, _)| *param == kept);
            let saved = if is_overwritten {
                let saved =
                    self.variable_like("called", self.plan.program.procs[site.target].params[argument]);
                draft.push(self.copy(saved, kept), None);
                saved
            } else {
                kept
            };
            expected.push((args[argument], saved));
        }
        for op in self.rewriter.parallel(self.plan.root, &computed) {
            draft.push(op, None);
        }
        for param in guessed {
            draft.push(guess(param, Guess::Value), None);
        }
        for index in 0..self.globals.len() {
            let Global { var, before, .. } = self.globals[index];
            let op = if written.contains(&var) { guess(var, Guess::Value) } else { self.copy(var, before) };
            draft.push(op, None);
        }
        expected
    }

    /// Keeps what an activation starts with, where its own variables do not. Returns what is to be copied where it ends.
    fn remember(
        &mut self,
        draft: &mut Draft,
        proc: ProcId,
        written: &BTreeSet<VarId>,
    ) -> Vec<(VarId, VarId)> {
        let mut was = Vec::new();
        for (index, kept) in self.members[&proc].ins.clone() {
            if let Kept::Apart(apart) = kept {
                let param = self.plan.program.procs[proc].params[index];
                let saved = self.variable_like("was", param);
                let param = self.rewriter.frames.var(&self.members[&proc].frame, param);
                draft.push(self.copy(saved, param), None);
                was.push((apart, saved));
            }
        }
        for index in 0..self.globals.len() {
            let Global { var, before, .. } = self.globals[index];
            if written.contains(&var) {
                let saved = self.variable_like("was", var);
                draft.push(self.copy(saved, var), None);
                was.push((before, saved));
            }
        }
        was
    }

    /// The edge of the call: the callee has run already.
    fn call(
        &mut self,
        (source, target): (Loc, Loc),
        site: &Site,
        expected: &[(ExprId, VarId)],
        written: &BTreeSet<VarId>,
    ) {
        let (proc, here) = (site.at.proc, site.at.op);
        let edge = &self.plan.program.procs[proc].edges()[site.at.edge];
        let step = Step::whole(proc, site.at.edge, self.context);
        let mut draft = Draft::new(source, edge.origin, step);
        for (position, op) in edge.ops.iter().enumerate() {
            let renamed = self.rewriter.frames.op(&self.members[&proc].frame, op);
            let Op::Call { callee, results, .. } = &renamed else {
                draft.push(renamed, Some(position));
                continue;
            };
            if position != here {
                draft.push(renamed, Some(position));
                continue;
            }
            if let Callee::Indirect { pointer, .. } = callee {
                let function = self.rewriter.new.exprs.add(Expr::Function { proc: site.target });
                draft.push(self.equals(*pointer, function), Some(position));
            }
            for (arg, kept) in expected {
                let kept = self.value(*kept);
                draft.push(self.equals(*arg, kept), Some(position));
            }
            for index in 0..self.globals.len() {
                let Global { var, before, after, .. } = self.globals[index];
                if written.contains(&var) {
                    draft.push(self.same(var, before), Some(position));
                }
                draft.push(self.copy(var, after), Some(position));
            }
            let outs: Vec<Kept> = self.members[&site.target].outs.clone();
            for (place, kept) in results.iter().zip(outs) {
                if let Some(place) = place {
                    let value = self.value(kept.var());
                    draft.push(Op::Assign { place: *place, value }, Some(position));
                }
            }
        }
        draft.finish(target, &mut self.builder);
    }

    /// Copies a part of a body.
    fn part(&mut self, proc: ProcId, part: &Part) -> IndexVec<Loc, Option<Loc>> {
        let procedure = &self.plan.program.procs[proc];
        let mut locations: IndexVec<Loc, Option<Loc>> = IndexVec::filled(None, procedure.locations.len());
        for (location, info) in procedure.locations.iter_enumerated().filter(|(location, _)| part[*location])
        {
            let origin = LocationOrigin { proc, location, context: self.context };
            locations[location] = Some(self.builder.location(*info, Some(origin)));
        }
        for (id, edge) in procedure.edges().iter_enumerated() {
            let (Some(source), Some(target)) = (locations[edge.source], locations[edge.target]) else {
                continue;
            };
            if edge.ops.iter().any(|op| self.plan.is_inner(op)) {
                continue;
            }
            let step = Step::whole(proc, id, self.context);
            let mut draft = Draft::new(source, edge.origin, step);
            for (position, op) in edge.ops.iter().enumerate() {
                let renamed = self.rewriter.frames.op(&self.members[&proc].frame, op);
                draft.push(self.plan.outer_call(renamed), Some(position));
            }
            draft.finish(target, &mut self.builder);
        }
        locations
    }
}

fn guess(var: VarId, what: Guess) -> Op {
    Op::Havoc { place: Place::Var(var), source: Source::Guess(what), at: Text::NOWHERE }
}
