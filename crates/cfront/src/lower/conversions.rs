//! Conversions between pointers: which memory a program may look at in another way than it was written.

use base::{Owner, Span};
use cfa::{Program as Lowered, Ty};
use rustc_hash::FxHashSet;

use crate::hir::{Callee, ElementSize, ExprId, ExprKind, Program};
use crate::library::{self, Known};
use crate::types::{IntKind, Type, TypeId, Types};

/// How the expressions of a program that are used convert pointers.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversions {
    /// The types that pointers lead to which are made from pointers to other types, or from integers.
    targets: FxHashSet<TypeId>,
    /// Whether a pointer to data is made from one to a record of another type, or from one that may be one, and what it leads to is looked at.
    pub(super) shows_records: bool,
    /// Where the user's code makes a pointer to an object from one to an object of another type, of characters also.
    pub(super) aliases: Option<Span>,
    /// Differences of pointers whose distance may be no multiple of the size of what they lead to.
    pub(super) askew: FxHashSet<ExprId>,
}

impl Conversions {
    /// Looks at expressions.
    pub(super) fn of(hir: &Program, exprs: &[ExprId], program: &Lowered) -> Self {
        let mut found = Self::default();
        let looks_at_bytes = looks_at_bytes(hir, exprs);
        for expr in exprs {
            found.shows_records |= looks_at_bytes && copies_to_another_type(hir, *expr);
            if let Some((to, from)) = conversion(hir, *expr) {
                found.targets.insert(to);
                let types = &hir.types;
                let leads_to = from.is_none_or(|from| {
                    matches!(types.get(element(types, from)), Type::Void | Type::Record(_))
                });
                found.shows_records |= leads_to && (!is_character(types, to) || looks_at_bytes);
                let span = hir.exprs[*expr].span;
                let is_alias = from.is_some_and(|from| is_another_object(types, from, to));
                if found.aliases.is_none() && is_alias && program.sources.file(span.file).owner == Owner::User
                {
                    found.aliases = Some(span);
                }
            }
        }
        found.askew = exprs.iter().copied().filter(|expr| found.may_be_askew(hir, *expr)).collect();
        found
    }

    /// Whether an expression is the difference of two pointers whose distance may be no multiple of the size of what they lead to. Without conversions, pointers to scalars are
    /// aligned; records that are members of others may be any multiple of their alignment apart.
    fn may_be_askew(&self, hir: &Program, expr: ExprId) -> bool {
        let ExprKind::PointerDifference { left, element, .. } = hir.exprs[expr].kind else { return false };
        if matches!(element, ElementSize::Fixed(0 | 1)) {
            return false;
        }
        let types = &hir.types;
        let Some(ty) = types.pointee(hir.exprs[left].ty) else { return true };
        let is_member =
            || types.records.iter().any(|record| record.fields.iter().any(|field| field.ty == ty));
        self.targets.contains(&ty) || types.scalar(ty).is_none() && is_member()
    }
}

/// Whether an expression copies bytes between objects of different types, of which one may be a record.
fn copies_to_another_type(hir: &Program, expr: ExprId) -> bool {
    let ExprKind::Call { callee: Callee::Direct(function), args, .. } = &hir.exprs[expr].kind else {
        return false;
    };
    let known = library::classify(&hir.functions[*function].name);
    let [to, from, ..] = args[..] else { return false };
    if !matches!(known, Known::Copy | Known::Move | Known::CopyReturningEnd) {
        return false;
    }
    let types = &hir.types;
    let leads_to = |arg: ExprId| {
        let mut arg = arg;
        while let ExprKind::Convert(inner) = hir.exprs[arg].kind {
            arg = inner;
        }
        types.pointee(hir.exprs[arg].ty).map(|to| element(types, to))
    };
    let (to, from) = (leads_to(to), leads_to(from));
    let may_be_record =
        |ty: Option<TypeId>| ty.is_none_or(|ty| matches!(types.get(ty), Type::Void | Type::Record(_)));
    (may_be_record(to) || may_be_record(from))
        && (to != from || to.is_none_or(|to| *types.get(to) == Type::Void))
}

/// The type that a pointer leads to after its conversion, and the one before; `None` for an integer.
fn conversion(hir: &Program, expr: ExprId) -> Option<(TypeId, Option<TypeId>)> {
    let ExprKind::Convert(arg) = hir.exprs[expr].kind else { return None };
    let types = &hir.types;
    let to = types.pointee(hir.exprs[expr].ty)?;
    if matches!(types.get(to), Type::Void | Type::Function(_)) {
        return None;
    }
    match &hir.exprs[arg].kind {
        ExprKind::Int(_) => return None,
        // What is allocated holds nothing yet, and is aligned.
        ExprKind::Call { callee: Callee::Direct(function), .. } => {
            let known = library::classify(&hir.functions[*function].name);
            if matches!(known, Known::Malloc | Known::AlignedAlloc | Known::Calloc | Known::Alloca) {
                return None;
            }
        }
        _ => {}
    }
    let from = types.pointee(hir.exprs[arg].ty);
    (from != Some(to)).then_some((to, from))
}

/// Whether C forbids to access an object of one type as the other one, or at an address that is aligned for the first one (C11 6.5p7, 6.3.2.3p7).
fn is_another_object(types: &Types, from: TypeId, to: TypeId) -> bool {
    let is_void = |ty: TypeId| matches!(types.get(ty), Type::Void | Type::Function(_));
    let (from, to) = (element(types, from), element(types, to));
    let is_same = match (types.scalar(from), types.scalar(to)) {
        (Some(Ty::Int { width, .. }), Some(Ty::Int { width: other, .. })) => width == other,
        _ => from == to,
    };
    !is_void(from) && !is_void(to) && !is_character(types, to) && !is_same
}

fn is_character(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar))
}

/// Whether a program does more with characters that it reads than to store them as characters: a loop that copies bytes does not look at them.
fn looks_at_bytes(hir: &Program, exprs: &[ExprId]) -> bool {
    let types = &hir.types;
    let mut moved: FxHashSet<ExprId> = FxHashSet::default();
    for expr in exprs {
        if let ExprKind::Assign { place, mut value } = hir.exprs[*expr].kind
            && is_character(types, hir.places[place].ty)
        {
            while let ExprKind::Convert(inner) = hir.exprs[value].kind {
                value = inner;
            }
            moved.insert(value);
        }
    }
    let is_read = |expr: &ExprId| match hir.exprs[*expr].kind {
        ExprKind::Load(place) => is_character(types, hir.places[place].ty),
        ExprKind::CompoundAssign { place, .. } | ExprKind::Step { place, .. } => {
            is_character(types, hir.places[place].ty)
        }
        _ => false,
    };
    exprs.iter().any(|expr| is_read(expr) && !moved.contains(expr))
}

/// What an array, perhaps of several dimensions, has as elements.
fn element(types: &Types, ty: TypeId) -> TypeId {
    let mut ty = ty;
    while let Some((elem, _)) = types.array(ty) {
        ty = elem;
    }
    ty
}
