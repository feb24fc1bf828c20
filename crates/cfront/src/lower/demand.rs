//! What the program does with the values that it starts with, when that is not in `main`: which members it uses, what it takes untyped pointers for, and
//! which functions pointers may lead to.
//!
//! Nothing here has to be complete. What is not found is still there when the program runs, as memory from outside; it is only followed less well in proofs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::IndexVec;
use rustc_hash::FxHashSet;

use crate::hir::{Callee, ExprId, ExprKind, Function, FunctionId, PlaceId, PlaceKind, Program, VariableId};
use crate::library;
use crate::lower::usage::Usage;
use crate::types::{RecordId, Type, TypeId, Types};

/// How the functions are called that stand for any function of a type.
pub(crate) const ANY_FUNCTION: &str = "__any_function_";
/// Functions of the program that a pointer may lead to; if there are more, none of them is considered.
const MAX_TARGETS: usize = 8;
/// Rounds in which functions are found that may be called through pointers.
const MAX_ROUNDS: usize = 4;
/// Rounds in which untyped pointers are followed into calls.
const MAX_CALLS: usize = 4;

/// Where a pointer is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Holder {
    /// In a variable.
    Variable(VariableId),
    /// In a member of a record.
    Field(RecordId, u32),
}

/// What the program uses.
#[derive(Debug, Default)]
pub(super) struct Demand {
    fields: FxHashSet<(RecordId, u32)>,
    casts: BTreeMap<Holder, BTreeSet<TypeId>>,
}

impl Demand {
    /// What the reachable expressions of a program use.
    pub(super) fn new(hir: &Program, usage: &Usage) -> Self {
        let mut demand = Self::default();
        for expr in &usage.exprs {
            demand.expr(hir, *expr);
        }
        for _ in 0..MAX_CALLS {
            for expr in &usage.exprs {
                demand.call(hir, *expr);
            }
        }
        demand
    }

    /// Whether a member of a record is used.
    pub(super) fn uses(&self, record: RecordId, field: u32) -> bool {
        self.fields.contains(&(record, field))
    }

    /// The only type of objects that an untyped pointer is taken to lead to. Bytes are none.
    pub(super) fn taken_for(&self, types: &Types, holder: Holder) -> Option<TypeId> {
        let found = self.casts.get(&holder)?;
        let [only] = found.iter().copied().collect::<Vec<_>>()[..] else { return None };
        matches!(types.get(only), Type::Record(_)).then_some(only)
    }

    fn expr(&mut self, hir: &Program, expr: ExprId) {
        let place = match hir.exprs[expr].kind {
            ExprKind::Load(place)
            | ExprKind::AddressOf(place)
            | ExprKind::Decay(place)
            | ExprKind::Assign { place, .. }
            | ExprKind::CompoundAssign { place, .. }
            | ExprKind::PointerAssign { place, .. }
            | ExprKind::Step { place, .. }
            | ExprKind::VaArg(place) => place,
            ExprKind::Convert(from) => {
                let to = hir.types.pointee(hir.exprs[expr].ty);
                if let (Some(to), Some(holder)) = (to, untyped(hir, from))
                    && hir.types.is_complete(to)
                    && !hir.types.is_void(to)
                {
                    self.casts.entry(holder).or_default().insert(to);
                }
                return;
            }
            _ => return,
        };
        self.place(hir, place);
    }

    fn place(&mut self, hir: &Program, place: PlaceId) {
        let mut current = place;
        loop {
            match hir.places[current].kind {
                PlaceKind::Field { base, field } => {
                    if let Some(record) = hir.types.record(hir.places[base].ty) {
                        self.fields.insert((record, field));
                    }
                    current = base;
                }
                PlaceKind::Index { base, .. } => current = base,
                _ => return,
            }
        }
    }

    /// An untyped pointer that is passed on is taken for what the parameter is.
    fn call(&mut self, hir: &Program, expr: ExprId) {
        let ExprKind::Call { callee: Callee::Direct(function), args, .. } = &hir.exprs[expr].kind else {
            return;
        };
        let Some(body) = &hir.functions[*function].body else { return };
        for (param, arg) in body.params.iter().zip(args) {
            let Some(holder) = untyped(hir, *arg) else { continue };
            if let Some(more) = self.casts.get(&Holder::Variable(*param)).cloned() {
                self.casts.entry(holder).or_default().extend(more);
            }
        }
    }
}

/// Where the value of an expression is kept, if it is a pointer to what has no known type.
fn untyped(hir: &Program, expr: ExprId) -> Option<Holder> {
    let ExprKind::Load(place) = hir.exprs[expr].kind else { return None };
    let to = hir.types.pointee(hir.exprs[expr].ty)?;
    if hir.types.is_complete(to) && !hir.types.is_void(to) || hir.types.function(to).is_some() {
        return None;
    }
    match hir.places[place].kind {
        PlaceKind::Variable(variable) => Some(Holder::Variable(variable)),
        PlaceKind::Field { base, field } => {
            Some(Holder::Field(hir.types.record(hir.places[base].ty)?, field))
        }
        _ => None,
    }
}

/// The functions that pointers of one type may lead to when execution starts.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    /// The type of the functions.
    pub(super) ty: TypeId,
    /// Those of the program.
    pub(super) targets: Vec<FunctionId>,
    /// The one that stands for any other.
    pub(super) any: FunctionId,
}

/// Where the program starts, and what may be called from outside.
#[derive(Clone, Debug, Default)]
pub(super) struct Hooks(Vec<Hook>);

impl Hooks {
    /// The functions that a pointer to a function of a type may lead to.
    pub(super) fn of(&self, types: &Types, ty: TypeId) -> Option<&Hook> {
        self.0.iter().find(|hook| types.compatible(hook.ty, ty))
    }
    /// All functions that may be called.
    pub(super) fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.0.iter().flat_map(|hook| hook.targets.iter().copied().chain([hook.any]))
    }
}

/// Adds a function for each type of which functions are called through pointers. Programs without such calls stay as they are.
pub(super) fn with_hooks(
    hir: &Program,
    entry: FunctionId,
    usage: &dyn Fn(&Program, &[FunctionId]) -> Usage,
) -> Option<(Program, Hooks)> {
    let mut found: Vec<(TypeId, Vec<FunctionId>)> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let roots: Vec<FunctionId> = [entry]
            .into_iter()
            .chain(found.iter().flat_map(|(_, targets)| targets.iter().copied()))
            .collect();
        let before = found.len();
        for expr in usage(hir, &roots).exprs {
            if let ExprKind::Call { callee: Callee::Indirect(pointer), .. } = hir.exprs[expr].kind
                && let Some(ty) = hir.types.pointee(hir.exprs[pointer].ty)
                && !found.iter().any(|(known, _)| hir.types.compatible(*known, ty))
            {
                found.push((ty, targets(hir, ty)));
            }
        }
        if found.len() == before {
            break;
        }
    }
    if found.is_empty() {
        return None;
    }
    let mut hir = hir.clone();
    let declared = hir.functions[entry].declared;
    let mut hooks = Hooks::default();
    for (number, (ty, targets)) in found.into_iter().enumerate() {
        let any = hir.functions.push(Function {
            name: Arc::from(format!("{ANY_FUNCTION}{}", number + 1)),
            ty,
            noreturn: false,
            external: true,
            body: None,
            declared,
            implicit: None,
            refused: None,
        });
        hooks.0.push(Hook { ty, targets, any });
    }
    Some((hir, hooks))
}

/// The functions of a type whose address the program takes.
fn targets(hir: &Program, ty: TypeId) -> Vec<FunctionId> {
    let mut is_taken: IndexVec<FunctionId, bool> = IndexVec::filled(false, hir.functions.len());
    for expr in &hir.exprs {
        if let ExprKind::FunctionAddress(function) = expr.kind {
            is_taken[function] = true;
        }
    }
    let fits = |(id, function): &(FunctionId, &Function)| {
        is_taken[*id]
            && !function.name.starts_with(library::MODEL_PREFIX)
            && hir.types.compatible(function.ty, ty)
    };
    let found: Vec<FunctionId> = hir.functions.iter_enumerated().filter(fits).map(|(id, _)| id).collect();
    if found.len() > MAX_TARGETS { Vec::new() } else { found }
}
