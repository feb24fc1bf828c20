//! Inlining: calls are replaced by copies of the procedures that they enter.
//!
//! # What is inlined
//! Every call of a procedure that is not recursive, direct or through a pointer with known targets (a case
//! split on the pointer). If the program would grow beyond the limit, calls of the procedures that are
//! largest when everything in them is inlined stay calls: the threshold is halved until the program fits.
//! A call that stays for its size is not copied: a procedure that makes one is inlined only where it is called once.
//! What stays is listed with the reason.
//!
//! # Meaning
//! The new program has the executions of the old one, with these differences:
//! * An indirect call whose pointer is none of its targets was undefined; now no edge leaves its location.
//!   Both end the execution.
//! * Memory of `alloca` in an inlined procedure lives until the procedure around it returns. That is recorded
//!   as an over-approximation.
//!
//! Each copy has its own variables. What an activation would find new is made new: scalars and arrays that
//! may be read before they are written are havocked, objects that may still be live at the exit are ended
//! ([`super::lifetimes`]).
//!
//! # Invariants
//! * I1: procedures keep their numbers; one that nobody calls any more has no edges.
//! * I2: the size is at most the limit ([`InlineConfig`]), or nothing was inlined.
//!
//! # Cost
//! Linear in the size of the result.

use base::IndexVec;
use interp::Position;

use super::back::{
    BackTranslation, Context, ContextId, Contexts, Link, LocationOrigin, ProcOrigin, Step, StepPart,
    VarOrigin, identity_vars,
};
use super::build::{Builder, Draft, stub};
use super::calls::CallGraph;
use super::frames::{Frame, Frames};
use super::recursion::Obstacle;
use super::stack::leaks_stack;
use cfa::op::{AllocKind, Callee, Op, Place};
use cfa::{
    Approximation, ApproximationKind, BinaryOp, EdgeId, Expr, ExprId, Loc, LocationInfo, LocationRole,
    Origin, ProcId, Procedure, Program, Role, VarId,
};

/// Limits of inlining.
#[derive(Clone, Copy, Debug)]
pub struct InlineConfig {
    /// The most edges of a program in which all calls are inlined.
    pub max_edges: u64,
    /// The most edges of others, unless they are large themselves.
    pub max_partial: u64,
    /// They may have so many times the edges of the program as it is.
    pub max_growth: u64,
    /// An indirect call with more targets stays a call.
    pub max_targets: usize,
}

impl Default for InlineConfig {
    fn default() -> Self {
        Self { max_edges: 20_000, max_partial: 1_000, max_growth: 4, max_targets: 16 }
    }
}

/// Why a call was not inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptReason {
    /// A procedure that it may enter is recursive.
    Recursive,
    /// The program would grow too large.
    Size,
    /// The pointer has too many targets.
    Targets,
    /// Inlining was not asked for.
    Off,
}

/// A call that is still one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCall {
    /// The procedure of the new program that it is in.
    pub proc: ProcId,
    /// Its edge.
    pub edge: EdgeId,
    /// The procedures that it may enter.
    pub targets: Vec<ProcId>,
    /// Why.
    pub reason: KeptReason,
    /// Why a recursion was not made a loop; nothing if the call enters none.
    pub obstacle: Option<Obstacle>,
}

/// The result of inlining.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// The new program.
    pub program: Program,
    /// The way back.
    pub back: BackTranslation,
    /// The calls that are left.
    pub kept: Vec<KeptCall>,
}

/// Inlines what can be.
pub fn inline(program: &Program, config: &InlineConfig) -> Inlined {
    let plan = Plan::new(program, config);
    let mut inliner = Inliner::new(program, plan);
    let mut procs = IndexVec::new();
    let mut origins = IndexVec::new();
    for proc in program.procs.ids() {
        let (procedure, origin) =
            if inliner.plan.roots[proc] { inliner.root(proc) } else { stub(program, proc) };
        procs.push(procedure);
        origins.push(origin);
    }
    let Inliner { mut new, vars, contexts, kept, .. } = inliner;
    new.procs = procs;
    Inlined { program: new, back: BackTranslation::new(origins, vars, contexts), kept }
}

/// Which procedures are copied into their callers.
struct Plan {
    inlined: IndexVec<ProcId, bool>,
    recursive: IndexVec<ProcId, bool>,
    /// Procedures whose stack memory may be used when they have returned, where that is tested.
    stays: IndexVec<ProcId, bool>,
    /// Procedures that stay: the entry and whatever is still called.
    roots: IndexVec<ProcId, bool>,
    max_targets: usize,
}

impl Plan {
    fn new(program: &Program, config: &InlineConfig) -> Self {
        let calls = CallGraph::new(program);
        let mut plan = Self {
            inlined: IndexVec::filled(false, program.procs.len()),
            recursive: program.procs.ids().map(|proc| calls.is_recursive(proc)).collect(),
            stays: leaks_stack(program, &calls),
            roots: IndexVec::filled(false, program.procs.len()),
            max_targets: config.max_targets,
        };
        let before: u64 = program.procs.iter().map(|procedure| procedure.edges().len() as u64).sum();
        let grown = before.saturating_mul(config.max_growth);
        let mut threshold = u64::MAX;
        loop {
            let (total, largest) = plan.try_threshold(program, &calls, threshold);
            // What is too large when everything is inlined is better left in small pieces.
            let limit = if threshold == u64::MAX {
                config.max_edges.max(grown)
            } else {
                grown.max(config.max_partial)
            };
            if total <= limit || threshold == 0 {
                return plan;
            }
            threshold = largest.min(threshold) / 2;
        }
    }

    /// Fills in the plan for a threshold: the size of the result, and the largest size that was inlined.
    fn try_threshold(&mut self, program: &Program, calls: &CallGraph, threshold: u64) -> (u64, u64) {
        let mut sizes: IndexVec<ProcId, u64> = IndexVec::filled(0, program.procs.len());
        let mut keeps: IndexVec<ProcId, bool> = IndexVec::filled(false, program.procs.len());
        let mut sites: IndexVec<ProcId, u64> = IndexVec::filled(0, program.procs.len());
        for site in calls.order.iter().flat_map(|proc| &calls.sites[*proc]) {
            for target in site.op(program).call_targets() {
                sites[*target] += 1;
            }
        }
        let mut largest = 0;
        for proc in calls.order.iter().rev() {
            let mut size = program.procs[*proc].edges().len() as u64;
            for site in &calls.sites[*proc] {
                let targets = site.op(program).call_targets();
                match self.reason(targets) {
                    None => {
                        for target in targets {
                            size = size.saturating_add(sizes[*target]).saturating_add(2);
                            keeps[*proc] |= keeps[*target];
                        }
                    }
                    Some(reason) => keeps[*proc] |= reason == KeptReason::Size,
                }
            }
            sizes[*proc] = size;
            let is_allowed = *proc != program.entry && !self.recursive[*proc] && !self.stays[*proc];
            let is_copied = threshold < u64::MAX && keeps[*proc] && sites[*proc] > 1;
            self.inlined[*proc] = is_allowed && !is_copied && size <= threshold;
            if self.inlined[*proc] {
                largest = largest.max(size);
            }
        }
        self.roots = IndexVec::filled(false, program.procs.len());
        self.roots[program.entry] = true;
        for proc in &calls.order {
            for site in &calls.sites[*proc] {
                let targets = site.op(program).call_targets();
                if self.reason(targets).is_some() {
                    for target in targets {
                        self.roots[*target] = true;
                    }
                }
            }
        }
        let roots = program.procs.ids().filter(|proc| self.roots[*proc]);
        (roots.fold(0, |total: u64, proc| total.saturating_add(sizes[proc])), largest)
    }

    /// Why a call of these targets stays; `None` if it is inlined.
    fn reason(&self, targets: &[ProcId]) -> Option<KeptReason> {
        if targets.iter().any(|target| self.recursive[*target]) {
            Some(KeptReason::Recursive)
        } else if targets.len() > self.max_targets {
            Some(KeptReason::Targets)
        } else if targets.iter().all(|target| self.inlined[*target]) {
            None
        } else {
            Some(KeptReason::Size)
        }
    }
}

/// A copy of a procedure inside a root: where it starts and ends, and what its variables are called.
struct Copy {
    context: ContextId,
    entry: Loc,
    exit: Loc,
    frame: Frame,
}

struct Inliner<'a> {
    old: &'a Program,
    new: Program,
    plan: Plan,
    vars: IndexVec<VarId, Option<VarOrigin>>,
    contexts: Contexts,
    kept: Vec<KeptCall>,
    frames: Frames<'a>,
    /// Procedures whose copies were looked at for stack memory.
    inspected: IndexVec<ProcId, bool>,
}

impl<'a> Inliner<'a> {
    fn new(old: &'a Program, plan: Plan) -> Self {
        Self {
            old,
            new: Program { procs: IndexVec::new(), ..old.clone() },
            plan,
            vars: identity_vars(old),
            contexts: Contexts::default(),
            kept: Vec::new(),
            frames: Frames::new(old),
            inspected: IndexVec::filled(false, old.procs.len()),
        }
    }

    /// Builds a procedure that stays, with everything that is inlined into it.
    fn root(&mut self, proc: ProcId) -> (Procedure, ProcOrigin) {
        let mut builder = Builder::new(self.old, proc);
        let frame = self.frames.own(proc);
        let (entry, exit) = (builder.procedure.entry, builder.procedure.exit);
        let mut pending = vec![Copy { context: ContextId::ROOT, entry, exit, frame }];
        while let Some(copy) = pending.pop() {
            self.copy(&copy, proc, &mut builder, &mut pending);
        }
        builder.finish()
    }

    /// Copies the edges of a procedure; the copies that its calls need are left pending.
    fn copy(&mut self, copy: &Copy, root: ProcId, builder: &mut Builder, pending: &mut Vec<Copy>) {
        self.frames.select(&copy.frame, &mut self.new);
        let old = self.old;
        let (proc, context) = (copy.frame.proc, copy.context);
        let procedure = &old.procs[proc];
        let origin = |location| Some(LocationOrigin { proc, location, context });
        let mut locations: IndexVec<Loc, Loc> = IndexVec::filled(copy.entry, procedure.locations.len());
        for (location, info) in procedure.locations.iter_enumerated() {
            locations[location] = if location == procedure.entry {
                copy.entry
            } else if location == procedure.exit {
                copy.exit
            } else if Some(location) == procedure.error {
                let known = builder.procedure.error;
                let error = known.unwrap_or_else(|| builder.location(*info, origin(location)));
                builder.procedure.error = Some(error);
                error
            } else {
                builder.location(*info, origin(location))
            };
        }
        for (id, edge) in procedure.edges().iter_enumerated() {
            let ends = (locations[edge.source], locations[edge.target]);
            self.edge(&Site { copy, root, edge: id }, ends, builder, pending);
        }
    }

    /// One edge of a copy. It is cut at every call that is inlined.
    fn edge(&mut self, site: &Site<'_>, ends: (Loc, Loc), builder: &mut Builder, pending: &mut Vec<Copy>) {
        let edge = &self.old.procs[site.copy.frame.proc].edges()[site.edge];
        let mut piece = Draft::new(ends.0, edge.origin, site.step(None));
        for (position, op) in edge.ops.iter().enumerate() {
            let renamed = self.frames.op(&site.copy.frame, op);
            let Op::Call { callee, args, results } = renamed else {
                piece.push(renamed, Some(position));
                continue;
            };
            let targets = op.call_targets();
            if self.plan.reason(targets).is_some() {
                piece.push(Op::Call { callee, args, results }, Some(position));
                continue;
            }
            piece.from.steps[0].until = Some(position as u32);
            let link = Position { proc: site.copy.frame.proc, edge: site.edge, op: position as u32 };
            let call = Context { caller: site.copy.context, link: Link::Call(link) };
            let call = Call { context: self.contexts.add(call), position, args: &args, results: &results };
            let mut rest = Draft::new(ends.0, edge.origin, site.step(Some(position as u32)));
            rest.origin.role = Role::Implicit;
            match callee {
                Callee::Direct(target) => {
                    let copy = self.enter(piece, target, None, &call, site.root, builder);
                    rest.source = copy.exit;
                    self.leave(&copy, &call, &mut rest);
                    pending.push(copy);
                }
                Callee::Indirect { pointer, targets } => {
                    rest.source = builder.location(plain(edge.origin), None);
                    let after = rest.source;
                    self.dispatch(piece, (pointer, &targets), &call, (site.root, after), builder, pending);
                }
            }
            piece = rest;
        }
        self.finish(piece, ends.1, site.root, builder);
    }

    /// Adds a piece as an edge.
    fn finish(&mut self, piece: Draft, target: Loc, root: ProcId, builder: &mut Builder) {
        let edge = builder.procedure.edges().next_id();
        for op in piece.ops.iter().filter(|op| matches!(op, Op::Call { .. })) {
            let targets = op.call_targets().to_vec();
            let reason = self.plan.reason(&targets);
            self.kept.extend(reason.map(|reason| KeptCall {
                proc: root,
                edge,
                targets,
                reason,
                obstacle: None,
            }));
        }
        piece.finish(target, builder);
    }

    /// Case split: a copy of each target, guarded by the value of the pointer; control comes back at `after`.
    fn dispatch(
        &mut self,
        mut piece: Draft,
        (pointer, targets): (ExprId, &[ProcId]),
        call: &Call<'_>,
        (root, after): (ProcId, Loc),
        builder: &mut Builder,
        pending: &mut Vec<Copy>,
    ) {
        // What precedes the call on its edge happens once, whatever the target.
        if !piece.ops.is_empty() {
            let split = builder.location(plain(piece.origin), None);
            let guards = Draft::without_step(split, piece.origin);
            let before = std::mem::replace(&mut piece, guards);
            self.finish(before, split, root, builder);
        }
        for target in targets {
            let function = self.new.exprs.add(Expr::Function { proc: *target });
            let guard = self.new.exprs.binary(BinaryOp::Eq, pointer, function);
            let copy = self.enter(piece.clone(), *target, Some(guard), call, root, builder);
            let origin = Origin { role: Role::Implicit, ..piece.origin };
            let mut back = Draft::without_step(copy.exit, origin);
            self.leave(&copy, call, &mut back);
            self.finish(back, after, root, builder);
            pending.push(copy);
        }
    }

    /// Ends a piece by passing the arguments to a new copy of the target.
    fn enter(
        &mut self,
        mut piece: Draft,
        target: ProcId,
        guard: Option<ExprId>,
        call: &Call<'_>,
        root: ProcId,
        builder: &mut Builder,
    ) -> Copy {
        let copy = self.instantiate(target, call.context, root, builder);
        if let Some(cond) = guard {
            piece.push(Op::Assume { cond }, Some(call.position));
        }
        for (param, arg) in self.old.procs[target].params.iter().zip(call.args) {
            let place = Place::Var(self.frames.var(&copy.frame, *param));
            piece.push(Op::Assign { place, value: *arg }, Some(call.position));
        }
        for op in self.frames.renewal(&copy.frame) {
            piece.push(op, None);
        }
        self.finish(piece, copy.entry, root, builder);
        copy
    }

    /// Passes the results of a copy, and ends what would end with its activation.
    fn leave(&mut self, copy: &Copy, call: &Call<'_>, piece: &mut Draft) {
        let frame = &copy.frame;
        for (result, place) in self.old.procs[frame.proc].results.iter().zip(call.results) {
            if let (Some(place), Some(ty)) = (place, self.old.vars[*result].scalar()) {
                let value = self.new.exprs.var(self.frames.var(frame, *result), ty);
                piece.push(Op::Assign { place: *place, value }, Some(call.position));
            }
        }
        for var in &self.frames.prologue(frame.proc).live {
            piece.push(Op::End { var: self.frames.var(frame, *var) }, None);
        }
    }

    fn instantiate(&mut self, proc: ProcId, context: ContextId, root: ProcId, builder: &mut Builder) -> Copy {
        let procedure = &self.old.procs[proc];
        let frame = self.frames.fresh(proc, root, context, &mut self.new, &mut self.vars);
        self.note_stack_memory(proc);
        let mut add = |location| {
            builder.location(procedure.locations[location], Some(LocationOrigin { proc, location, context }))
        };
        let entry = add(procedure.entry);
        let exit = if procedure.exit == procedure.entry { entry } else { add(procedure.exit) };
        Copy { context, entry, exit, frame }
    }

    /// Records that memory on the stack of an inlined procedure lives longer.
    fn note_stack_memory(&mut self, proc: ProcId) {
        if std::mem::replace(&mut self.inspected[proc], true) {
            return;
        }
        let procedure = &self.old.procs[proc];
        let mut ops = procedure.edges().iter().flat_map(|edge| &edge.ops);
        if ops.any(|op| matches!(op, Op::Malloc { kind: AllocKind::Stack, .. })) {
            self.new.approximations.push(Approximation {
                kind: ApproximationKind::Over,
                what: format!(
                    "stack memory of {} lives until the procedure around it returns",
                    procedure.name
                ),
                region: procedure.region,
            });
        }
    }
}

/// The edge of a copy that is being translated.
struct Site<'a> {
    copy: &'a Copy,
    root: ProcId,
    edge: EdgeId,
}

impl Site<'_> {
    fn step(&self, from: Option<u32>) -> Step {
        Step {
            proc: self.copy.frame.proc,
            edge: self.edge,
            context: self.copy.context,
            from,
            until: None,
            part: StepPart::Taken,
        }
    }
}

/// A call that is inlined, in terms of the new program.
struct Call<'a> {
    context: ContextId,
    position: usize,
    args: &'a [ExprId],
    results: &'a [Option<Place>],
}

fn plain(origin: Origin) -> LocationInfo {
    LocationInfo { region: origin.region, role: LocationRole::Plain }
}
