//! What the form of an operation excludes: an access to a named object at a fixed place, a literal, a write to memory in which nothing is read-only.
//!
//! # Invariants
//! * F1: what is excluded happens in no execution of the program.
//!
//! # Cost
//! Locations times objects / 64 for lifetimes; a points-to analysis.

use std::sync::Arc;

use base::IndexVec;
use rustc_hash::FxHashMap;

use cfa::op::{InitKind, Op, Source};
use cfa::pointsto::{PointsTo, Punning};
use cfa::{
    Access, BinaryOp, CheckKind, CheckKinds, Expr, ExprId, Loc, Place, ProcId, Program, Storage, VarId,
};

/// Objects that live, and arrays all of whose elements have values, for sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sure {
    words: Vec<u64>,
}

impl Sure {
    fn insert(&mut self, var: VarId) {
        self.words[var.0 as usize / 64] |= 1 << (var.0 % 64);
    }
    fn remove(&mut self, var: VarId) {
        self.words[var.0 as usize / 64] &= !(1 << (var.0 % 64));
    }
    pub(super) fn contains(&self, var: VarId) -> bool {
        self.words[var.0 as usize / 64] >> (var.0 % 64) & 1 != 0
    }
    fn meet(&mut self, other: &Self) -> bool {
        let before = self.words.clone();
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        before != self.words
    }
}

/// What is known of a program by its form.
pub(super) struct Forms<'p> {
    program: &'p Program,
    points_to: PointsTo,
    /// The bytes of string literals.
    literals: FxHashMap<VarId, Arc<[u8]>>,
    /// Global arrays that are filled before anything else happens, and never lose a value.
    filled: Vec<VarId>,
}

impl<'p> Forms<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut literals = FxHashMap::default();
        let mut filled = Vec::new();
        for op in program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops) {
            match op {
                Op::Write { to, bytes } => {
                    if let Expr::Address { var } = *program.exprs.get(*to)
                        && is_read_only(program, var)
                    {
                        literals.insert(var, bytes.clone());
                    }
                }
                Op::Init { var, contents: InitKind::Zero | InitKind::Arbitrary } => filled.push(*var),
                _ => {}
            }
        }
        let empties = |op: &Op, var: VarId| match op {
            Op::Init { var: other, contents: InitKind::Uninitialised } => *other == var,
            Op::Assign { place: Place::Elem { array, .. }, value } => {
                *array == var && matches!(program.exprs.get(*value), Expr::Var { .. })
            }
            Op::Havoc { place: Place::Elem { array, .. }, source: Source::Uninitialised, .. } => {
                *array == var
            }
            _ => false,
        };
        filled.retain(|var| {
            let mut ops = program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops);
            !ops.any(|op| empties(op, *var))
        });
        Self { program, points_to: PointsTo::new(program, Punning::Any), literals, filled }
    }

    /// What is sure at each location of a procedure.
    pub(super) fn solve(&self, proc: ProcId) -> IndexVec<Loc, Option<Sure>> {
        let procedure = &self.program.procs[proc];
        let mut start = Sure { words: vec![0; self.program.vars.len().div_ceil(64).max(1)] };
        for (var, decl) in self.program.vars.iter_enumerated() {
            let is_global = decl.owner.is_none();
            let lives = matches!(decl.storage, Storage::Object { .. });
            if is_global && (lives || self.filled.contains(&var) && proc != self.program.entry) {
                start.insert(var);
            } else {
                start.remove(var);
            }
        }
        let mut sure: IndexVec<Loc, Option<Sure>> = IndexVec::filled(None, procedure.locations.len());
        sure[procedure.entry] = Some(start);
        let mut pending = vec![procedure.entry];
        while let Some(location) = pending.pop() {
            for edge in procedure.outgoing(location) {
                let edge = &procedure.edges()[*edge];
                let Some(mut after) = sure[location].clone() else { continue };
                edge.ops.iter().for_each(|op| self.transfer(op, &mut after));
                let changed = match &mut sure[edge.target] {
                    Some(before) => before.meet(&after),
                    slot => {
                        *slot = Some(after);
                        true
                    }
                };
                if changed {
                    pending.push(edge.target);
                }
            }
        }
        sure
    }

    /// What an operation changes.
    pub(super) fn transfer(&self, op: &Op, sure: &mut Sure) {
        match op {
            Op::Begin { var } | Op::Init { var, contents: InitKind::Zero | InitKind::Arbitrary } => {
                sure.insert(*var);
            }
            Op::Init { var, contents: InitKind::Uninitialised }
                // An object lives on without values.
                if !matches!(self.program.vars[*var].storage, Storage::Object { .. }) => {
                    sure.remove(*var);
                }
            Op::End { var } | Op::Allocate { var, .. } => sure.remove(*var),
            Op::Assign { place: Place::Elem { array, .. }, value }
                if matches!(self.program.exprs.get(*value), Expr::Var { .. }) && !self.filled.contains(array)
                => {
                    sure.remove(*array);
                }
            Op::Havoc { place: Place::Elem { array, .. }, source: Source::Uninitialised, .. } => {
                sure.remove(*array);
            }
            Op::Call { results, .. } => {
                for place in results.iter().flatten() {
                    if let Place::Elem { array, .. } = place {
                        sure.remove(*array);
                    }
                }
            }
            _ => {}
        }
    }

    /// The kinds of what may be wrong with an access to so many bytes at an address; none if nothing may be.
    pub(super) fn access_kinds(
        &self,
        addr: ExprId,
        length: Option<u64>,
        access: Access,
        sure: &Sure,
    ) -> CheckKinds {
        let (mut base, mut offset) = (addr, Some(0_i128));
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } = *self.program.exprs.get(base) {
            let step = constant(self.program, rhs);
            offset = offset.zip(step).and_then(|(offset, step)| offset.checked_add(step));
            base = lhs;
        }
        let mut kinds = CheckKinds::NONE;
        if let Expr::Address { var } = *self.program.exprs.get(base)
            && let Storage::Object { size, read_only, .. } = self.program.vars[var].storage
        {
            let end = offset.zip(length).and_then(|(offset, length)| offset.checked_add(i128::from(length)));
            if offset.is_none_or(|offset| offset < 0) || end.is_none_or(|end| end > i128::from(size)) {
                kinds.insert(CheckKind::OutOfBounds);
            }
            if !sure.contains(var) {
                kinds.insert(CheckKind::Dangling);
            }
            if read_only && access == Access::Write {
                kinds.insert(CheckKind::ReadOnly);
            }
            return kinds;
        }
        for kind in
            [CheckKind::NullDereference, CheckKind::WildPointer, CheckKind::Dangling, CheckKind::OutOfBounds]
        {
            kinds.insert(kind);
        }
        if access == Access::Write && self.may_be_read_only(addr) {
            kinds.insert(CheckKind::ReadOnly);
        }
        kinds
    }

    fn may_be_read_only(&self, addr: ExprId) -> bool {
        let Some(region) = self.points_to.region(addr) else { return true };
        self.points_to.regions()[region].vars.iter().any(|var| is_read_only(self.program, *var))
    }

    /// Whether all that memory at an address may be was given values when it came to be, and has kept them.
    pub(super) fn is_literal(&self, addr: ExprId) -> bool {
        let mut base = addr;
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } = *self.program.exprs.get(base) {
            base = lhs;
        }
        matches!(*self.program.exprs.get(base), Expr::Address { var } if self.literals.contains_key(&var))
    }

    /// The bytes of a string literal, without the zero at its end, if the expression is the address of one.
    pub(super) fn literal(&self, addr: ExprId) -> Option<&[u8]> {
        let Expr::Address { var } = *self.program.exprs.get(addr) else { return None };
        let bytes = self.literals.get(&var)?;
        Some(bytes.split(|byte| *byte == 0).next().unwrap_or_default())
    }
}

fn is_read_only(program: &Program, var: VarId) -> bool {
    matches!(program.vars[var].storage, Storage::Object { read_only: true, .. })
}

/// The value of an integer constant.
pub(super) fn constant(program: &Program, expr: ExprId) -> Option<i128> {
    match *program.exprs.get(expr) {
        Expr::Const { ty, bits } if ty.is_int() => Some(ty.value_of(bits)),
        _ => None,
    }
}
