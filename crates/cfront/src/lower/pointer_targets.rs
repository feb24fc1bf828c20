//! Where the pointers of source expressions may lead, by the analysis of module `beyond`.
//!
//! The analysis knows the variables and the memory of the lowered program. A pointer expression of the source is a way to them: from a variable through
//! loads and moves (`v->items + i`). The way is followed from the variable on.
//!
//! # Invariants
//! * T1: the result contains every object that the pointer leads to in any execution, whenever it is evaluated: the analysis does not follow the
//!   order of operations, so loads on the way may happen at any time.
//! * T2: nothing is said (`None`) of expressions that are no such way.
//!
//! # Cost
//! Linear in the way; each load joins what the analysis has for the objects it may be from.

use cfa::{Storage, Ty};

use crate::hir::{ExprId, ExprKind, PlaceId, Program, VariableId};
use crate::lower::Context;
use crate::lower::access::{Access, Root, Step, access};
use crate::lower::beyond::State;
use crate::lower::storage::Slot;
use crate::lower::targets::{Growth, Object, Targets};

/// A step on the way to a pointer.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Moved within its object.
    Moved,
    /// What is at an offset, or anywhere, behind it.
    Loaded(Option<i128>),
}

/// The objects that a pointer may lead to, if they are known.
pub(super) fn targets(ctx: &Context<'_>, state: &State<'_>, pointer: ExprId) -> Option<Targets> {
    let (mut expr, mut way) = (pointer, Vec::new());
    let mut found = loop {
        match ctx.hir.exprs[expr].kind {
            ExprKind::PointerOffset { pointer, .. } => {
                way.push(Way::Moved);
                expr = pointer;
            }
            ExprKind::Convert(inner) if is_pointer(ctx.hir, inner) => expr = inner,
            ExprKind::Load(place) | ExprKind::Step { place, .. } => {
                if matches!(ctx.hir.exprs[expr].kind, ExprKind::Step { .. }) {
                    way.push(Way::Moved);
                }
                let at = access(ctx.hir, place);
                match at.root {
                    Root::Pointer(base) => {
                        way.push(Way::Loaded(offset(ctx.hir, &at)));
                        expr = base;
                    }
                    Root::Variable(variable) => break held(ctx, state, variable, offset(ctx.hir, &at))?,
                    Root::Literal(_) | Root::String(_) | Root::Value(_) => return None,
                }
            }
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                way.push(Way::Moved);
                match root(ctx.hir, place) {
                    Root::Pointer(base) => expr = base,
                    Root::Variable(variable) => break object(ctx, state, variable)?,
                    Root::Literal(_) | Root::String(_) | Root::Value(_) => return None,
                }
            }
            _ => return None,
        }
    };
    for step in way.iter().rev() {
        found = match step {
            Way::Moved => found.anywhere(),
            Way::Loaded(offset) => state.loaded(&found.plus(offset.map(|offset| (offset, offset)))),
        };
    }
    Some(found)
}

fn is_pointer(hir: &Program, expr: ExprId) -> bool {
    hir.types.scalar(hir.exprs[expr].ty) == Some(Ty::Ptr)
}

fn root(hir: &Program, place: PlaceId) -> Root {
    access(hir, place).root
}

/// The bytes from the root of an access to what is accessed; `None` if an array is on the way.
fn offset(hir: &Program, access: &Access) -> Option<i128> {
    let mut sum = 0;
    for step in &access.steps {
        let Step::Field { record, field } = *step else { return None };
        sum += i128::from(hir.types.records[record].fields[field as usize].offset);
    }
    Some(sum)
}

/// The object that a variable is.
fn object(ctx: &Context<'_>, state: &State<'_>, variable: VariableId) -> Option<Targets> {
    match ctx.slots[variable].as_ref()? {
        Slot::Object(var) => Some(Targets::start_of(Object::Variable(*var))),
        Slot::Pointer(var) => state.held(*var).cloned(),
        Slot::Split(_) => None,
    }
}

/// Where the pointers at an offset of a variable may lead.
fn held(ctx: &Context<'_>, state: &State<'_>, variable: VariableId, offset: Option<i128>) -> Option<Targets> {
    if let Some(Slot::Split(parts)) = &ctx.slots[variable] {
        let mut all = Targets::default();
        for part in parts.iter() {
            let (Storage::Scalar(ty) | Storage::Array { elem: ty, .. }) = ctx.program.vars[part.var].storage
            else {
                return None;
            };
            if ty == Ty::Ptr {
                all.join(state.held(part.var)?, Growth::Free);
            }
        }
        return Some(all);
    }
    let object = object(ctx, state, variable)?;
    Some(state.loaded(&object.plus(offset.map(|offset| (offset, offset)))))
}
