//! Memory as variables: objects become scalars and arrays, pointers become numbers of objects and offsets.
//!
//! # Rule
//! Each variable in memory and each allocation is an *object*; one that may exist several times (an allocation in a loop, a local of a procedure that is called)
//! is *many* objects, told apart by a number. [`pointers`] says to which objects and offsets each pointer may lead. [`layout`] divides each object by the accesses
//! to it: a field becomes a scalar, an array inside an object an array variable, and of many objects an unbounded array, the *region map*. A pointer becomes the number of
//! an object, the number among many, and an offset, as far as they are not always the same ([`slots`]). A load chooses by these numbers ([`access`]), a store assigns all
//! variables that may be meant, those that are not meant what they hold already. An access that leads to no object is undefined.
//!
//! What cannot be followed (memory from outside, pointers made of numbers, objects whose pointers are read as numbers) is *foreign* or *opaque*: loads give arbitrary values.
//!
//! # Meaning
//! *More* executions: an access to an object after its lifetime, or to read-only memory, is not undefined any more, and neither is a wrong `free`; bytes that are copied or set in a
//! way in which objects are not divided become arbitrary; and comparisons that depend on where objects lie have any result. So a proof of safety holds for the program as it was, and a
//! counterexample is replayed. `Expr::Accessible` and `Expr::Freeable` keep their meaning.
//!
//! Left out are executions that no machine can carry out: more than 2^99 bytes allocated at one place, and offsets of pointers that far.
//!
//! # Invariants
//! * M1: no pointer in followed memory is read or written as anything else; see [`layout`] and [`pointers`].
//! * M2: an operation that chooses a value has the position of the operation that chose it before, so choices go back.
//! * M3: values that are not followed are chosen right before they are read: before the operation, or, if a branch reads them, before the branch, so that all its edges agree. What is certainly the same
//!   as when it was read before is not chosen again ([`steady`]).
//!
//! # Cost
//! Linear in the program, up to the rounds of [`pointers`], and times the number of objects that one access may mean.

mod access;
mod bytes;
mod compare;
mod known;
mod layout;
mod lifetime;
mod meaning;
mod object;
mod offsets;
mod pointee;
mod pointers;
mod rewrite;
mod slots;
mod steady;
mod tasks;
mod translate;

use std::collections::{BTreeMap, BTreeSet};

use base::{Idx, IndexVec, newtype_index};
use cfa::op::Op;
use cfa::{
    AddressTest, Edge, EdgeId, Expr, ExprId, Loc, LocationInfo, LocationRole, Origin, Place, ProcId,
    Procedure, Program, Storage, Ty, VarId,
};

use self::layout::{Segment, layouts};
pub use self::meaning::{LeafMeaning, LeafValue, Maker, Meanings, ObjectMeaning, PointerMeaning, Stands};
use self::object::{Contents, Count, Kind, Objects};
use self::pointers::Pointers;
use self::rewrite::Rewriter;
use self::slots::{Slot, Slots};
use self::tasks::holds_pointer;
use self::translate::Translator;
use crate::back::{
    BackTranslation, ContextId, Contexts, EdgeOrigin, LocationOrigin, OpOrigin, ProcOrigin, Step, StepPart,
    VarOrigin, identity_vars,
};
use crate::build::Builder;

newtype_index!(
    /// What a pointer may lead to; the first ones are no objects.
    ObjectId,
    "object"
);

/// No object: null, or a number.
const NONE: ObjectId = ObjectId(0);
/// What pointers lead to that were never written.
const GARBAGE: ObjectId = ObjectId(1);
/// Memory that is not followed.
const FOREIGN: ObjectId = ObjectId(2);
/// The first object.
const FIRST: usize = 3;
/// Objects that one access may mean; beyond that they become opaque.
const MAX_TARGETS: usize = 32;

/// Turns memory into variables.
pub fn promote(program: &Program) -> (Program, BackTranslation) {
    let Promoted { program, back, .. } = promote_explained(program);
    (program, back)
}

/// A program whose memory is variables.
pub struct Promoted {
    /// The new program.
    pub program: Program,
    /// The way back.
    pub back: BackTranslation,
    /// What its variables stand for.
    pub meanings: Meanings,
}

/// Turns memory into variables, and says what they stand for.
pub fn promote_explained(program: &Program) -> Promoted {
    let has_pointers = program.vars.ids().any(|var| holds_pointer(program, var));
    let has_addresses = (0..program.exprs.len()).any(|expr| program.exprs.ty(ExprId::new(expr)) == Ty::Ptr);
    if !has_pointers && !has_addresses {
        return unchanged(program);
    }
    let mut objects = Objects::new(program);
    if objects.ids().next().is_none() && !has_pointers {
        return unchanged(program);
    }
    loop {
        let pointers = Pointers::new(&objects);
        if let Err(changes) = consistent(&objects, &pointers) {
            changes.apply(&mut objects);
            continue;
        }
        match layouts(&objects, &pointers) {
            Ok(segments) => return rewritten(&objects, &pointers, segments),
            Err(failed) => Changes { opaque: failed, many: Vec::new() }.apply(&mut objects),
        }
    }
}

/// A program without memory.
fn unchanged(program: &Program) -> Promoted {
    let back = BackTranslation::identity(program);
    Promoted { program: program.clone(), back, meanings: Meanings::default() }
}

/// Objects that must be treated in another way.
struct Changes {
    opaque: Vec<ObjectId>,
    many: Vec<ObjectId>,
}

impl Changes {
    fn apply(self, objects: &mut Objects<'_>) {
        for object in self.opaque {
            objects.get_mut(object).contents = Contents::Opaque;
        }
        for object in self.many {
            objects.get_mut(object).count = Count::Many;
        }
    }
}

/// Whether all objects can be treated as they are.
fn consistent(objects: &Objects<'_>, pointers: &Pointers) -> Result<(), Changes> {
    let program = objects.program;
    let mut opaque = BTreeSet::new();
    let mut is_foreign_accessed = false;
    for address in addresses(objects) {
        let pointee = pointers.of(address);
        is_foreign_accessed |= pointee.others.foreign;
        let followed: Vec<ObjectId> =
            pointee.objects.keys().copied().filter(|object| objects.is_followed(*object)).collect();
        if followed.len() > MAX_TARGETS {
            opaque.extend(followed);
        }
    }
    if is_foreign_accessed {
        opaque.extend(pointers.exposed());
    }
    opaque.retain(|object| objects.is_followed(*object));
    let mut starts: BTreeMap<ObjectId, Vec<(ProcId, &Edge)>> = BTreeMap::new();
    for (site, op) in objects.ops() {
        let Op::Begin { var } = op else { continue };
        if let Some(object) = objects.of_var(*var).filter(|object| !objects.is_many(*object)) {
            let edge = &program.procs[site.proc].edges()[site.edge];
            starts.entry(object).or_default().push((site.proc, edge));
        }
    }
    let mut many = Vec::new();
    for (object, starts) in starts {
        // A loop that is unrolled, or a jump, lets an object begin at several places.
        let is_repeated = |(proc, edge): &(ProcId, &Edge)| {
            starts.len() > 1 || program.procs[*proc].loops().innermost(edge.source).is_some()
        };
        let mut repeated = starts.iter().filter(|start| is_repeated(start));
        if repeated.any(|(proc, edge)| may_be_stale(objects, pointers, object, *proc, edge)) {
            many.push(object);
        }
    }
    if opaque.is_empty() && many.is_empty() {
        return Ok(());
    }
    Err(Changes { opaque: opaque.into_iter().collect(), many })
}

/// Whether a pointer to what an object was before it begins again may still be read: the two would be taken for one.
fn may_be_stale(
    objects: &Objects<'_>,
    pointers: &Pointers,
    object: ObjectId,
    proc: ProcId,
    edge: &Edge,
) -> bool {
    if pointers.is_in_memory(object) {
        return true;
    }
    let holders = pointers.holders(object);
    let is_own = |var: &VarId| objects.program.vars[*var].owner == Some(proc);
    let later = &objects.later[&proc];
    let is_read = |var: &VarId| later.at(*var, edge.source) || later.at(*var, edge.target);
    !holders.iter().all(is_own) || holders.iter().any(is_read)
}

/// The addresses that are accessed.
fn addresses(objects: &Objects<'_>) -> Vec<ExprId> {
    let mut addresses = Vec::new();
    for id in &objects.used {
        if let Expr::Load { addr, .. }
        | Expr::LoadBits { addr, .. }
        | Expr::Initialised { addr, .. }
        | Expr::Test { test: AddressTest::BadBool, addr } = *objects.program.exprs.get(*id)
        {
            addresses.push(addr);
        }
    }
    for (_, op) in objects.ops() {
        addresses.extend(op.places().filter_map(|place| match *place {
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => Some(addr),
            Place::Var(_) | Place::Elem { .. } => None,
        }));
        match op {
            Op::Copy { to, from, .. } => addresses.extend([*to, *from]),
            Op::Fill { to, .. } | Op::Write { to, .. } | Op::Forget { to, .. } => addresses.push(*to),
            Op::Realloc { old, .. } => addresses.push(*old),
            _ => {}
        }
    }
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

fn rewritten(
    objects: &Objects<'_>,
    pointers: &Pointers,
    segments: BTreeMap<ObjectId, Vec<Segment>>,
) -> Promoted {
    let program = objects.program;
    let mut out = program.clone();
    let mut asked = compare::asked(objects, pointers);
    asked.flags = known::flagged(objects, pointers);
    let slots = Slots::new(&mut out, objects, pointers, segments, &asked);
    let origins = origins(objects, &slots);
    let mut rewriter = Rewriter::new(Translator::new(objects, pointers, slots, out));
    let mut procs: IndexVec<ProcId, Procedure> = IndexVec::new();
    let mut from: IndexVec<ProcId, ProcOrigin> = IndexVec::new();
    for proc in program.procs.ids() {
        let (procedure, origin) = if objects.procs.binary_search(&proc).is_ok() {
            procedure(&mut rewriter, proc)
        } else {
            crate::build::stub(program, proc)
        };
        procs.push(procedure);
        from.push(origin);
    }
    let Translator { mut out, slots, rounded, .. } = rewriter.translator;
    out.procs = procs;
    let mut back = BackTranslation::new(from, identity_vars(program), Contexts::default());
    back.extend_vars(out.vars.len(), &origins);
    let rounded = rounded.into_iter().map(|(var, rounded)| (var, rounded.stands)).collect();
    let meanings = Meanings::new(objects, &slots, program.vars.ids(), rounded);
    Promoted { program: out, back, meanings }
}

/// The new version of a procedure. It starts with a location of its own, so that what it does first is done once. So does a branch on values that are not followed (M3).
fn procedure(rewriter: &mut Rewriter<'_>, proc: ProcId) -> (Procedure, ProcOrigin) {
    let program = rewriter.translator.objects.program;
    let old = &program.procs[proc];
    let (mut builder, sources) = Builder::with_locations(program, proc, |_| true);
    let mut sources = sources;
    let start = builder.procedure.entry;
    if old.entry != old.exit {
        let origin = LocationOrigin { proc, location: old.entry, context: ContextId::ROOT };
        sources[old.entry] = Some(builder.location(old.locations[old.entry], Some(origin)));
        builder.procedure.locations[start] =
            LocationInfo { region: old.locations[old.entry].region, role: LocationRole::Plain };
    }
    rewriter.enter(proc);
    let targets = branches(rewriter, &mut builder, proc, &sources);
    if old.entry != old.exit
        && let Some(entry) = targets[old.entry]
    {
        let ops = if proc == program.entry { first_ops(rewriter) } else { Vec::new() };
        let from = EdgeOrigin { steps: Vec::new(), ops: vec![None; ops.len()] };
        builder.edge(start, entry, ops, Origin::IMPLICIT, from);
    }
    for (id, edge) in old.edges().iter_enumerated() {
        let new = rewriter.edge(proc, id);
        if let (Some(source), Some(target)) = (sources[edge.source], targets[edge.target]) {
            builder.edge(source, target, new.ops, edge.origin, new.from);
        }
    }
    builder.procedure.params = parts(rewriter, &old.params);
    builder.procedure.results = parts(rewriter, &old.results);
    builder.finish()
}

/// Where edges into each location lead: if its branches read what is not followed, to a new location before it, from which an edge chooses these values.
fn branches(
    rewriter: &Rewriter<'_>,
    builder: &mut Builder,
    proc: ProcId,
    sources: &IndexVec<Loc, Option<Loc>>,
) -> IndexVec<Loc, Option<Loc>> {
    let old = &rewriter.translator.objects.program.procs[proc];
    let mut targets = sources.clone();
    for location in old.locations.ids() {
        let mut tested: BTreeMap<VarId, (EdgeId, u32)> = BTreeMap::new();
        for edge in old.outgoing(location) {
            for (var, position) in rewriter.tested(&old.edges()[*edge].ops) {
                if rewriter.is_steady(location, var) {
                    continue;
                }
                tested.entry(var).or_insert((*edge, position));
            }
        }
        let Some(source) = sources[location].filter(|_| !tested.is_empty()) else { continue };
        let origin = LocationOrigin { proc, location, context: ContextId::ROOT };
        let before = builder.location(old.locations[location], Some(origin));
        builder.procedure.locations[source].role = LocationRole::Plain;
        let mut from = EdgeOrigin::default();
        let mut ops = Vec::new();
        for (var, (edge, position)) in tested {
            let (op, is_asked) = rewriter.arbitrary(var);
            let step = from.steps.len() as u32;
            let until = Some(position);
            let (context, part) = (ContextId::ROOT, StepPart::Named);
            from.steps.push(Step { proc, edge, context, from: None, until, part });
            from.ops.push(is_asked.then_some(OpOrigin::new(step, position)));
            ops.push(op);
        }
        builder.edge(before, source, ops, Origin::IMPLICIT, from);
        targets[location] = Some(before);
    }
    targets
}

/// The variables that pointers among some variables become, in order.
fn parts(rewriter: &Rewriter<'_>, vars: &[VarId]) -> Vec<VarId> {
    let mut parts = Vec::new();
    for var in vars {
        match rewriter.translator.slots.pointer(*var) {
            Some(pair) => parts.extend(pair.vars().map(|(var, _)| var)),
            None => parts.push(*var),
        }
    }
    parts
}

/// What the program does first: counters are zero, no object lives that begins later, and pointers that are read before they are written lead nowhere.
fn first_ops(rewriter: &mut Rewriter<'_>) -> Vec<Op> {
    let translator = &mut rewriter.translator;
    let zero = translator.word(0);
    let mut ops: Vec<Op> =
        translator.slots.counters().map(|var| Op::Assign { place: Place::Var(var), value: zero }).collect();
    let lives: Vec<(ObjectId, VarId)> = translator.slots.single_lives().collect();
    for (object, var) in lives {
        if translator.objects.is_many(object) {
            ops.push(Op::Init { var, contents: cfa::InitKind::Zero });
        } else {
            let value = translator.out.exprs.bool(false);
            ops.push(Op::Assign { place: Place::Var(var), value });
        }
    }
    ops.extend(unwritten(rewriter));
    rewriter.first_flags();
    for object in rewriter.translator.objects.ids() {
        if rewriter.is_static(object) {
            rewriter.choose_address(object, None);
        }
    }
    ops.append(&mut rewriter.ops);
    ops
}

/// Pointers that are read before they are written lead to what is not followed.
fn unwritten(rewriter: &mut Rewriter<'_>) -> Vec<Op> {
    let program = rewriter.translator.objects.program;
    let mut ops = Vec::new();
    for var in program.vars.ids().filter(|var| holds_pointer(program, *var)) {
        let Some(pair) = rewriter.translator.slots.pointer(var).cloned() else { continue };
        let is_here = program.vars[var].owner.is_none_or(|owner| owner == program.entry);
        let Some(object) = pair.object.filter(|_| is_here && pair.pointee.others.unwritten) else { continue };
        if matches!(rewriter.translator.out.vars[object].storage, Storage::Scalar(_)) {
            let value = rewriter.translator.object_number(GARBAGE);
            ops.push(Op::Assign { place: Place::Var(object), value });
        }
    }
    ops
}

/// The variables that stand for a whole variable in memory.
fn origins(objects: &Objects<'_>, slots: &Slots) -> BTreeMap<VarId, VarOrigin> {
    let mut origins = BTreeMap::new();
    for object in objects.ids().filter(|object| objects.is_followed(*object)) {
        let leaves = slots.leaves(object);
        let (Kind::Var(var), [(segment, leaf)]) = (objects.get(object).kind, leaves.as_slice()) else {
            continue;
        };
        let layout = &slots.segments[&object][*segment];
        let is_whole = layout.element.is_none()
            && layout.start == 0
            && objects.get(object).size == Some(layout.leaves[*leaf].width / 8)
            && !objects.is_many(object);
        if let (Slot::Value(new, _), true) = (slots.leaf(object, *segment, *leaf), is_whole) {
            origins.insert(*new, VarOrigin { var, context: ContextId::ROOT });
        }
    }
    origins
}
