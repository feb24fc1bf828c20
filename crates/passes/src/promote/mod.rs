//! Memory that is really variables: objects, and allocations that are executed once, become scalars and arrays; pointers to them become a number of an object and an offset.
//!
//! # Rule
//! What is promoted are objects that exist at most once at a time and whose addresses do not escape: they are not turned into numbers, handed to procedures, or stored where
//! they cannot be followed ([`analysis`]). Each access is an interval of bits in an object that it may mean; [`layout`] divides objects so that each interval is a variable, an
//! element of an array, or a few bytes. A pointer that is always the same object, or has always the same offset, needs no variable for that.
//!
//! Where several objects are possible, a load chooses by the number of the object, and a store assigns all of them, those that are not meant what they hold already. An access outside all of them is
//! an undefined expression.
//!
//! # Meaning
//! *More* executions: an access to an object before or after its lifetime, or to read-only memory, is not undefined any more, and neither is a wrong `free`; offsets do not wrap around at the width
//! of a pointer; where a range of bytes is copied or set in a way that objects are not divided, the target becomes arbitrary. So a proof of safety holds for the program as it was; a counterexample is
//! replayed. Comparisons that depend on where objects lie are made with arbitrary addresses.
//!
//! # Not part of the pipeline yet
//! An attack found executions that it loses: sums of offsets are reassociated in signed 64 bits; two offsets of one store whose leaves overlap; a copy from an address with a stride into fields; a load
//! of null from an element whose slot is a pair; constants that are no addresses in a pair with a unit; pointers copied through characters at symbolic offsets. And the analysis of a copy into the
//! same array does not end. Each needs a program in the law test before the pass is switched on.
//!
//! # Invariants
//! * M1: no pointer in promoted memory is read or written as anything else; see [`layout`] and [`analysis`].
//! * M2: an operation that chooses a value has the position of the operation that chose it before, so choices go back.
//!
//! # Cost
//! Linear in the program, up to the rounds of [`analysis`], and times the number of objects that one access may mean.

mod access;
mod analysis;
mod bytes;
mod candidates;
mod layout;
mod offsets;
mod rewrite;
mod slots;
mod translate;

use std::collections::BTreeMap;

use base::newtype_index;
use cfa::op::Op;
use cfa::{Expr, Program, Storage, Ty};

use self::analysis::{Holder, Pointees};
use self::candidates::{Candidates, Kind};
use self::layout::{Layout, accesses, layout};
use self::rewrite::Rewriter;
use self::slots::Slots;
use self::translate::Translator;
use crate::back::{BackTranslation, VarOrigin};
use crate::build::{self, NewEdge, replace_procedures};
use crate::lifetimes::read_first;

newtype_index!(
    /// An object that may be promoted; 0 is none.
    ObjectId,
    "object"
);

/// Turns memory into variables where all accesses are understood.
pub fn promote(program: &Program) -> (Program, BackTranslation) {
    let entry = &program.procs[program.entry];
    let in_memory = program.vars.iter().any(|var| matches!(var.storage, Storage::Object { .. }));
    let allocates = |op: &Op| matches!(op, Op::Malloc { .. });
    if !in_memory && !entry.edges().iter().flat_map(|edge| &edge.ops).any(allocates) {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut candidates = Candidates::new(program);
    loop {
        let pointees = Pointees::new(&mut candidates);
        let is_memory = |object: ObjectId| !matches!(candidates.object(object).kind, Kind::Proc(_));
        if !candidates.promoted().any(is_memory) {
            return (program.clone(), BackTranslation::identity(program));
        }
        match divide(&candidates, &pointees) {
            Ok(layouts) => return rewritten(&candidates, &pointees, layouts),
            Err(objects) => {
                for object in objects {
                    candidates.refuse(object);
                }
            }
        }
    }
}

/// The layout of all objects, or those that have none.
fn divide(
    candidates: &Candidates<'_>,
    pointees: &Pointees,
) -> Result<BTreeMap<ObjectId, Layout>, Vec<ObjectId>> {
    let accesses = accesses(candidates, pointees);
    let (mut layouts, mut failed) = (BTreeMap::new(), Vec::new());
    for object in candidates.promoted() {
        match layout(candidates, object, accesses.get(&object).map_or(&[], Vec::as_slice)) {
            Some(layout) => {
                layouts.insert(object, layout);
            }
            None => failed.push(object),
        }
    }
    failed.extend(overwritten(candidates, pointees, &layouts));
    failed.extend(reborn(candidates, pointees));
    if failed.is_empty() { Ok(layouts) } else { Err(failed) }
}

/// The objects whose pointers are written as bytes other than zero.
fn overwritten(
    candidates: &Candidates<'_>,
    pointees: &Pointees,
    layouts: &BTreeMap<ObjectId, Layout>,
) -> Vec<ObjectId> {
    let program = candidates.program;
    let mut found = Vec::new();
    for op in program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops) {
        let to = match op {
            Op::Fill { to, byte, .. } if !matches!(program.exprs.get(*byte), Expr::Const { bits: 0, .. }) => {
                to
            }
            Op::Write { to, .. } => to,
            _ => continue,
        };
        let objects = pointees.of(*to).objects.keys();
        let holds_pointers = |object: &&ObjectId| {
            let layout = layouts.get(*object);
            layout.is_some_and(|layout| layout.leaves.iter().any(|leaf| leaf.ty == Ty::Ptr))
        };
        found.extend(objects.filter(holds_pointers));
    }
    found
}

/// The objects that begin again in a loop while a pointer to what they were before may still be read: the two would be taken for one.
fn reborn(candidates: &Candidates<'_>, pointees: &Pointees) -> Vec<ObjectId> {
    let program = candidates.program;
    let procedure = &program.procs[program.entry];
    let mut found = Vec::new();
    for edge in procedure.edges() {
        for op in &edge.ops {
            let Op::Begin { var } = op else { continue };
            let Some(object) = candidates.of_var(*var) else { continue };
            let holders: Vec<Holder> = pointees.holders(object).collect();
            if holders.is_empty() || procedure.loops().innermost(edge.source).is_none() {
                continue;
            }
            let var_of = |holder: &Holder| match holder {
                Holder::Var(var) => Some(*var),
                Holder::Memory(..) => None,
            };
            let vars: Option<Vec<_>> = holders.iter().map(var_of).collect();
            let is_forgotten =
                vars.is_some_and(|vars| read_first(program, program.entry, &vars, edge.target).is_empty());
            if !is_forgotten {
                found.push(object);
            }
        }
    }
    found
}

fn rewritten(
    candidates: &Candidates<'_>,
    pointees: &Pointees,
    layouts: BTreeMap<ObjectId, Layout>,
) -> (Program, BackTranslation) {
    let program = candidates.program;
    let mut out = program.clone();
    let slots = Slots::new(&mut out, candidates, pointees, layouts);
    let origins = origins(candidates, &slots);
    let mut rewriter = Rewriter::new(Translator::new(candidates, pointees, slots, out));
    let entry = program.entry;
    let mut edges: Vec<NewEdge> =
        program.procs[entry].edges().ids().map(|edge| rewriter.edge(entry, edge)).collect();
    let first = rewriter.first_allocations();
    for edge in &mut edges {
        if program.procs[entry].edges()[edge.edge].source == program.procs[entry].entry {
            edge.from.ops.splice(0..0, first.iter().map(|_| None));
            edge.ops.splice(0..0, first.iter().cloned());
        }
    }
    let out = rewriter.translator.out;
    let (mut new, mut back) = replace_procedures(program, |proc| {
        let edges = if proc == entry {
            std::mem::take(&mut edges)
        } else {
            program.procs[proc].edges().ids().map(|edge| NewEdge::same(program, proc, edge)).collect()
        };
        build::procedure(program, proc, |_| true, edges)
    });
    new.exprs = out.exprs;
    new.vars = out.vars;
    back.extend_vars(new.vars.len(), &origins);
    (new, back)
}

/// The variables that stand for a whole variable in memory.
fn origins(candidates: &Candidates<'_>, slots: &Slots) -> BTreeMap<cfa::VarId, VarOrigin> {
    let mut origins = BTreeMap::new();
    for object in candidates.promoted() {
        let (Kind::Var(var), Some([slots::Slot::Value(new)])) =
            (candidates.object(object).kind, slots.leaves(object).get(..))
        else {
            continue;
        };
        let layout = &slots.layouts[&object];
        let is_whole = layout.element.is_none()
            && candidates.object(object).size == Some(layout.leaves[0].width / 8)
            && layout.leaves[0].at == 0;
        if is_whole {
            origins.insert(*new, VarOrigin { var, context: crate::back::ContextId::ROOT });
        }
    }
    origins
}
