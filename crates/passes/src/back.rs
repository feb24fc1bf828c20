//! From a transformed program back to the one before.
//!
//! # Meaning
//! A transformed program's edge does what a sequence of *steps* of the old program does; a step is an edge of
//! an old procedure or a part of one, cut at operations. Where a transformation has removed code
//! that does not matter, the steps of a run have gaps: the order of what is left is that of the old program.
//!
//! An inlined copy stands for one activation of the old callee. Its [`Context`] is the chain of calls that
//! leads there from the activation of the procedure that contains the copy; the empty chain is that
//! activation itself.
//!
//! Where recursion was made a loop, a copy stands for many activations.
//! * Tail recursion: a call is now a *jump*. The activations that it starts are not told apart from the one that calls.
//! * Linear recursion: the link [`Link::Round`] of a chain says that the activation is one of those that are the rounds of a loop. Which one it is, the
//!   choices of the run tell (module `choices`).
//! * Procedures that may fail: their failing copies are in the procedure where execution starts. Chains of such a copy start at the activation that fails,
//!   which the choices tell, too.
//!
//! # Invariants
//! * B1: there is one entry per procedure, edge, location, operation and variable of the new program.
//! * B2: `first.then(&second)` translates as `second` and then `first` would, one after the other.

use std::collections::{BTreeMap, BTreeSet};

use base::{Idx, IndexVec, newtype_index};
use indexmap::IndexSet;
use interp::Position;
use rustc_hash::{FxBuildHasher, FxHashMap};

use cfa::{EdgeId, Loc, ProcId, Program, VarId};

newtype_index!(
    /// A chain of inlined calls of a [`BackTranslation`].
    ContextId,
    "context"
);

impl ContextId {
    /// The empty chain.
    pub const ROOT: Self = Self(0);
}

/// A chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// The chain before the last link.
    pub caller: ContextId,
    /// The last link.
    pub link: Link,
}

/// A link of a chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// A call that was inlined.
    Call(Position),
    /// Calls by which the members of a linear recursion call each other, of unknown number.
    Round,
}

/// An old edge, or a part of it: between inlined calls, or between operations where the edge was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The old procedure.
    pub proc: ProcId,
    /// The old edge.
    pub edge: EdgeId,
    /// Which activation of the old procedure.
    pub context: ContextId,
    /// The step starts when the operation at this position is done (a call: when it returns); `None`: at the first one.
    pub from: Option<u32>,
    /// The step ends where the operation at this position starts (a call: where it is entered, or its results are stored);
    /// `None`: after the last one.
    pub until: Option<u32>,
    /// Whether a run that takes the new edge takes the step.
    pub part: StepPart,
}

impl Step {
    /// A whole edge.
    pub fn whole(proc: ProcId, edge: EdgeId, context: ContextId) -> Self {
        Self { proc, edge, context, from: None, until: None, part: StepPart::Taken }
    }
}

/// What a step is to a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepPart {
    /// A run takes it.
    #[default]
    Taken,
    /// An operation of the new edge belongs to it, but it is taken, if at all, with a later edge.
    Named,
}

/// Where an operation comes from: the position of the step, and of the operation on the step's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpOrigin {
    /// Position in [`EdgeOrigin::steps`].
    pub step: u32,
    /// Position on the old edge. What an inlined call does to pass values has the position of the call.
    pub op: u32,
    /// Set if the operation chooses what the object holds that the old operation makes: first bit and number of bits.
    pub contents: Option<(i64, i64)>,
}

impl OpOrigin {
    /// An operation of a step.
    pub fn new(step: u32, op: u32) -> Self {
        Self { step, op, contents: None }
    }
}

/// Where an edge comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeOrigin {
    /// What the old program does.
    pub steps: Vec<Step>,
    /// The origin of each operation; `None` for what the transformation has added.
    pub ops: Vec<Option<OpOrigin>>,
}

impl EdgeOrigin {
    /// The origin of an edge that is a whole old edge with `count` operations in the old order.
    pub fn whole(proc: ProcId, edge: EdgeId, count: usize) -> Self {
        let step = Step::whole(proc, edge, ContextId::ROOT);
        Self { steps: vec![step], ops: (0..count as u32).map(|op| Some(OpOrigin::new(0, op))).collect() }
    }
    /// This edge, then another.
    pub fn append(&mut self, next: &Self) {
        let offset = self.steps.len() as u32;
        self.steps.extend_from_slice(&next.steps);
        let shifted = |origin: &OpOrigin| OpOrigin { step: origin.step + offset, ..*origin };
        self.ops.extend(next.ops.iter().map(|origin| origin.as_ref().map(shifted)));
    }
    /// Which part of the object that the old operation makes a new one chooses.
    pub fn contents(&self, position: usize) -> Option<(i64, i64)> {
        self.ops.get(position)?.as_ref()?.contents
    }
    /// The old operation from which a new one comes.
    pub fn op(&self, position: usize) -> Option<(&Step, u32)> {
        let origin = self.ops.get(position)?.as_ref()?;
        Some((self.steps.get(origin.step as usize)?, origin.op))
    }
}

/// An old location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationOrigin {
    /// The old procedure.
    pub proc: ProcId,
    /// The old location.
    pub location: Loc,
    /// Which activation of the old procedure.
    pub context: ContextId,
}

/// An old variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarOrigin {
    /// The old variable.
    pub var: VarId,
    /// The activation, for locals.
    pub context: ContextId,
}

/// The origin of one procedure's parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcOrigin {
    /// The old procedure.
    pub proc: ProcId,
    /// The origins of its edges.
    pub edges: IndexVec<EdgeId, EdgeOrigin>,
    /// The origins of its locations; `None` for what the transformation has added.
    pub locations: IndexVec<Loc, Option<LocationOrigin>>,
}

impl ProcOrigin {
    /// The origin of a procedure that is as it was.
    pub(crate) fn identity(program: &Program, proc: ProcId) -> Self {
        let procedure = &program.procs[proc];
        let edges = procedure.edges().iter_enumerated();
        let locations = procedure.locations.ids();
        let root = |location| Some(LocationOrigin { proc, location, context: ContextId::ROOT });
        Self {
            proc,
            edges: edges.map(|(edge, content)| EdgeOrigin::whole(proc, edge, content.ops.len())).collect(),
            locations: locations.map(root).collect(),
        }
    }
}

/// The way back from a transformed program to the one before.
#[derive(Clone, Debug)]
pub struct BackTranslation {
    procs: IndexVec<ProcId, ProcOrigin>,
    vars: IndexVec<VarId, Option<VarOrigin>>,
    contexts: Contexts,
    /// Old calls that are jumps now.
    jumps: BTreeSet<Position>,
}

impl BackTranslation {
    /// The translation of a program to itself.
    pub fn identity(program: &Program) -> Self {
        let procs = program.procs.ids().map(|proc| ProcOrigin::identity(program, proc));
        Self::new(procs.collect(), identity_vars(program), Contexts::default())
    }
    pub(crate) fn new(
        procs: IndexVec<ProcId, ProcOrigin>,
        vars: IndexVec<VarId, Option<VarOrigin>>,
        contexts: Contexts,
    ) -> Self {
        Self { procs, vars, contexts, jumps: BTreeSet::new() }
    }
    /// The same, where some old calls are jumps now.
    #[must_use]
    pub(crate) fn with_jumps(self, jumps: BTreeSet<Position>) -> Self {
        Self { jumps, ..self }
    }
    /// Variables that were added have the origins that are listed, the others none.
    pub(crate) fn extend_vars(&mut self, count: usize, origins: &BTreeMap<VarId, VarOrigin>) {
        for index in self.vars.len()..count {
            self.vars.push(origins.get(&VarId::new(index)).copied());
        }
    }
    /// The origin of a procedure.
    pub fn proc(&self, proc: ProcId) -> &ProcOrigin {
        &self.procs[proc]
    }
    /// The origin of an edge.
    pub fn edge(&self, proc: ProcId, edge: EdgeId) -> &EdgeOrigin {
        &self.procs[proc].edges[edge]
    }
    /// The origin of a location.
    pub fn location(&self, proc: ProcId, location: Loc) -> Option<LocationOrigin> {
        self.procs[proc].locations[location]
    }
    /// The origin of a variable.
    pub fn var(&self, var: VarId) -> Option<VarOrigin> {
        self.vars[var]
    }
    /// The links of a chain, outermost first.
    pub fn links(&self, context: ContextId) -> Vec<Link> {
        self.contexts.links(context)
    }
    /// Whether an old call is a jump now.
    pub fn is_jump(&self, call: Position) -> bool {
        self.jumps.contains(&call)
    }
    /// The old steps of a run through new edges.
    pub fn steps(&self, run: impl IntoIterator<Item = (ProcId, EdgeId)>) -> Vec<Step> {
        let steps = run.into_iter().flat_map(|(proc, edge)| self.edge(proc, edge).steps.iter().copied());
        steps.filter(|step| step.part == StepPart::Taken).collect()
    }

    /// The translation of two transformations, `self` being that of the first.
    #[must_use]
    pub fn then(&self, second: &Self) -> Self {
        let mut composer = Composer {
            first: self,
            second,
            contexts: self.contexts.clone(),
            translated: FxHashMap::default(),
            joined: FxHashMap::default(),
        };
        let procs = second.procs.iter().map(|procedure| composer.procedure(procedure)).collect();
        let vars = second.vars.iter().map(|origin| origin.and_then(|origin| composer.var(origin))).collect();
        let mut jumps = self.jumps.clone();
        jumps.extend(second.jumps.iter().filter_map(|call| {
            let (step, op) = self.edge(call.proc, call.edge).op(call.op as usize)?;
            Some(Position { proc: step.proc, edge: step.edge, op })
        }));
        Self { procs, vars, contexts: composer.contexts, jumps }
    }
}

/// Every variable comes from itself.
pub(crate) fn identity_vars(program: &Program) -> IndexVec<VarId, Option<VarOrigin>> {
    program.vars.ids().map(|var| Some(VarOrigin { var, context: ContextId::ROOT })).collect()
}

/// Chains of calls; chain 0 is empty, chain n + 1 ends with item n.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contexts {
    items: IndexSet<Context, FxBuildHasher>,
}

impl Contexts {
    pub(crate) fn add(&mut self, context: Context) -> ContextId {
        ContextId::new(self.items.insert_full(context).0 + 1)
    }
    fn get(&self, id: ContextId) -> Option<Context> {
        id.index().checked_sub(1).and_then(|index| self.items.get_index(index)).copied()
    }
    fn links(&self, id: ContextId) -> Vec<Link> {
        let chain = std::iter::successors(self.get(id), |context| self.get(context.caller));
        let mut links: Vec<Link> = chain.map(|context| context.link).collect();
        links.reverse();
        links
    }
}

struct Composer<'a> {
    first: &'a BackTranslation,
    second: &'a BackTranslation,
    contexts: Contexts,
    translated: FxHashMap<ContextId, ContextId>,
    joined: FxHashMap<(ContextId, ContextId), ContextId>,
}

impl Composer<'_> {
    fn procedure(&mut self, origin: &ProcOrigin) -> ProcOrigin {
        ProcOrigin {
            proc: self.first.procs[origin.proc].proc,
            edges: origin.edges.iter().map(|edge| self.edge(edge)).collect(),
            locations: origin
                .locations
                .iter()
                .map(|location| location.and_then(|location| self.location(location)))
                .collect(),
        }
    }

    fn location(&mut self, middle: LocationOrigin) -> Option<LocationOrigin> {
        let old = self.first.location(middle.proc, middle.location)?;
        let outer = self.translate(middle.context);
        Some(LocationOrigin { context: self.join(outer, old.context), ..old })
    }

    fn var(&mut self, middle: VarOrigin) -> Option<VarOrigin> {
        let old = self.first.var(middle.var)?;
        let outer = self.translate(middle.context);
        Some(VarOrigin { context: self.join(outer, old.context), ..old })
    }

    fn edge(&mut self, middle: &EdgeOrigin) -> EdgeOrigin {
        let mut result = EdgeOrigin::default();
        // For each middle step: the number of result steps before it, and of its old steps that were cut off
        // in front.
        let mut offsets = Vec::with_capacity(middle.steps.len());
        for step in &middle.steps {
            let old = self.first.edge(step.proc, step.edge);
            let call = |position: Option<u32>| old.ops.get(position? as usize).copied().flatten();
            let (from, until) = (call(step.from), call(step.until));
            let start = from.map_or(0, |origin| origin.step as usize);
            let end = until.map_or(old.steps.len(), |origin| origin.step as usize + 1);
            let outer = self.translate(step.context);
            offsets.push(result.steps.len() as i64 - start as i64);
            for (position, old_step) in old.steps.iter().enumerate().take(end).skip(start) {
                let mut new = *old_step;
                if step.part == StepPart::Named {
                    new.part = StepPart::Named;
                }
                new.context = self.join(outer, old_step.context);
                if let Some(origin) = from.filter(|origin| origin.step as usize == position) {
                    new.from = Some(origin.op);
                }
                if let Some(origin) = until.filter(|origin| origin.step as usize == position) {
                    new.until = Some(origin.op);
                }
                result.steps.push(new);
            }
        }
        let op = |origin: &OpOrigin| {
            let step = middle.steps.get(origin.step as usize)?;
            let old = (*self.first.edge(step.proc, step.edge).ops.get(origin.op as usize)?)?;
            let position = i64::from(old.step) + offsets[origin.step as usize];
            let contents = origin.contents.or(old.contents);
            Some(OpOrigin { step: u32::try_from(position).ok()?, op: old.op, contents })
        };
        result.ops = middle.ops.iter().map(|origin| origin.as_ref().and_then(op)).collect();
        result
    }

    /// A chain of calls in the middle program as one in the old.
    fn translate(&mut self, middle: ContextId) -> ContextId {
        let mut pending = Vec::new();
        let mut at = middle;
        let mut result = loop {
            if at == ContextId::ROOT {
                break ContextId::ROOT;
            }
            if let Some(known) = self.translated.get(&at) {
                break *known;
            }
            let Some(context) = self.second.contexts.get(at) else { break ContextId::ROOT };
            pending.push((at, context));
            at = context.caller;
        };
        while let Some((id, context)) = pending.pop() {
            match context.link {
                Link::Round => {
                    result = self.contexts.add(Context { caller: result, link: Link::Round });
                }
                Link::Call(call) => {
                    // A call is never added by a transformation: it has an origin.
                    if let Some((step, op)) = self.first.edge(call.proc, call.edge).op(call.op as usize) {
                        let step = *step;
                        let caller = self.join(result, step.context);
                        let call = Position { proc: step.proc, edge: step.edge, op };
                        result = self.contexts.add(Context { caller, link: Link::Call(call) });
                    }
                }
            }
            self.translated.insert(id, result);
        }
        result
    }

    /// The calls of `outer`, then those of `inner`, which is a chain of the first translation.
    fn join(&mut self, outer: ContextId, inner: ContextId) -> ContextId {
        if outer == ContextId::ROOT {
            return inner;
        }
        if inner == ContextId::ROOT {
            return outer;
        }
        if let Some(known) = self.joined.get(&(outer, inner)) {
            return *known;
        }
        let mut result = outer;
        for link in self.first.contexts.links(inner) {
            result = self.contexts.add(Context { caller: result, link });
        }
        self.joined.insert((outer, inner), result);
        result
    }
}
