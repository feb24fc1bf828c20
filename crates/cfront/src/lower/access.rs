//! Places as a root and the steps from it.
//!
//! `*(a + i)`, `*a` and `*&x` are read as `a[i]`, `a[0]` and `x`, so that how an access is written does not decide
//! how the variable is stored.

use crate::hir::{
    Direction, ElementSize, ExprId, ExprKind, PlaceId, PlaceKind, Program, StringId, VariableId,
};
use crate::types::{RecordId, TypeId};

/// Where an access starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A variable.
    Variable(VariableId),
    /// A compound literal in a function, which is initialised by the access.
    Literal(VariableId),
    /// What a pointer points to.
    Pointer(ExprId),
    /// A string literal.
    String(StringId),
    /// A record value that is no lvalue.
    Value(ExprId),
}

/// A step to a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A field of a record.
    Field {
        /// The record.
        record: RecordId,
        /// The number of the field.
        field: u32,
    },
    /// An element of an array; without index the first.
    Index {
        /// The array's type.
        array: TypeId,
        /// Which element.
        index: Option<ExprId>,
    },
}

/// A place as root and steps, in the order of evaluation.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Where it starts.
    pub root: Root,
    /// The type there.
    pub root_ty: TypeId,
    /// The way to the part.
    pub steps: Vec<Step>,
}

/// Reads a place as root and steps.
pub(super) fn access(hir: &Program, place: PlaceId) -> Access {
    let mut steps = Vec::new();
    let mut current = place;
    let (root, root_ty) = loop {
        let node = &hir.places[current];
        match node.kind {
            PlaceKind::Variable(variable) => break (Root::Variable(variable), node.ty),
            PlaceKind::CompoundLiteral { variable } => {
                let is_static = hir.variables[variable].duration == crate::hir::StorageDuration::Static;
                let root = if is_static { Root::Variable(variable) } else { Root::Literal(variable) };
                break (root, node.ty);
            }
            PlaceKind::String(string) => break (Root::String(string), node.ty),
            PlaceKind::Value(value) => break (Root::Value(value), node.ty),
            PlaceKind::Field { base, field } => {
                match hir.types.record(hir.places[base].ty) {
                    Some(record) => steps.push(Step::Field { record, field }),
                    None => unreachable!("H3: the base of a field should be a record"),
                }
                current = base;
            }
            PlaceKind::Index { base, index } => {
                steps.push(Step::Index { array: hir.places[base].ty, index: Some(index) });
                current = base;
            }
            PlaceKind::Deref(pointer) => match behind(hir, pointer, node.ty) {
                Some((inner, step)) => {
                    steps.extend(step);
                    current = inner;
                }
                None => break (Root::Pointer(pointer), node.ty),
            },
        }
    };
    steps.reverse();
    Access { root, root_ty, steps }
}

/// The place that a pointer expression was made of, if dereferencing it at type `ty` is an access to a part of that place.
fn behind(hir: &Program, pointer: ExprId, ty: TypeId) -> Option<(PlaceId, Option<Step>)> {
    let element_of = |array: PlaceId| {
        let array_ty = hir.places[array].ty;
        hir.types.array(array_ty).filter(|(elem, _)| *elem == ty).map(|_| array_ty)
    };
    match hir.exprs[pointer].kind {
        ExprKind::AddressOf(place) if hir.places[place].ty == ty => Some((place, None)),
        ExprKind::Decay(array) => Some((array, Some(Step::Index { array: element_of(array)?, index: None }))),
        ExprKind::PointerOffset {
            pointer,
            index,
            element: ElementSize::Fixed(_),
            direction: Direction::Forward,
        } => {
            let ExprKind::Decay(array) = hir.exprs[pointer].kind else { return None };
            Some((array, Some(Step::Index { array: element_of(array)?, index: Some(index) })))
        }
        _ => None,
    }
}

impl Access {
    /// Whether the array that step `position` leads into is at the end of what a pointer leads to. Such arrays are used beyond their length, and compilers respect that: more memory may follow.
    /// Nothing follows the parts of a variable, and an array in the middle of a record ends where it says.
    pub(super) fn is_at_end(&self, hir: &Program, position: usize) -> bool {
        let is_last = |step: &Step| match *step {
            Step::Field { record, field } => {
                let record = &hir.types.records[record];
                record.is_union || field as usize + 1 == record.fields.len()
            }
            Step::Index { .. } => false,
        };
        let is_open = matches!(self.root, Root::Pointer(_));
        is_open && position > 0 && self.steps[..position].iter().all(is_last)
    }

    /// The type after the first `count` steps.
    pub(super) fn type_after(&self, hir: &Program, count: usize) -> TypeId {
        match count.checked_sub(1).map(|last| self.steps[last]) {
            None => self.root_ty,
            Some(Step::Field { record, field }) => hir.types.records[record].fields[field as usize].ty,
            Some(Step::Index { array, .. }) => hir.types.array(array).map_or(array, |(elem, _)| elem),
        }
    }
}
