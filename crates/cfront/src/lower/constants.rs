//! Writes to objects that are defined `const` (C11 6.7.3p6).
//!
//! The checker refuses an assignment to such an object, so a write needs a cast that hides it.
//!
//! # Invariants
//! * K1: an assignment whose place is a part of such an object by its form writes to an object that is read-only, after the value is computed.
//! * K2: if any other write may reach such an object, `safe` is not claimed: points-to analysis tells.
//! * K3: in the lowered program a write at a fixed place of such an object is its initialisation; other addresses of it are copied to a temporary first.

use base::Region;
use cfa::pointsto::{PointsTo, Punning};
use cfa::{ApproximationKind, BinaryOp, CheckKind, Expr, ExprId, Op, Place, Storage, Ty, Var, VarId};

use crate::hir::{PlaceId, VariableId};
use crate::lower::access::{Root, access};
use crate::lower::function::Body;
use crate::lower::{Context, build};

impl Body<'_, '_> {
    /// K1
    pub(super) fn note_constant(&mut self, place: PlaceId) {
        let hir = self.ctx.hir;
        let Root::Variable(variable) = access(hir, place).root else { return };
        if !self.ctx.is_constant(variable) {
            return;
        }
        let var = self.ctx.program.vars.push(Var {
            name: "%constant".into(),
            storage: Storage::Object { size: 1, align: 1, read_only: true },
            owner: None,
            c_type: "".into(),
            declared: Region::NOWHERE,
            scope: Region::NOWHERE,
        });
        let (addr, ty) = (self.object_address(var), Ty::unsigned(8));
        let value = build::zero(self.exprs(), ty);
        self.emit(Op::Assign { place: Place::Mem { addr, ty }, value });
    }

    /// K3
    pub(super) fn hide_constant(&mut self, addr: ExprId) -> ExprId {
        let is_constant = self.ctx.constant_base(addr).is_some();
        if is_constant { self.copy(addr) } else { addr }
    }
}

impl Context<'_> {
    /// Whether a variable is defined `const`, and writing to it is a violation.
    fn is_constant(&self, variable: VariableId) -> bool {
        self.options.checks.contains(CheckKind::ReadOnly) && self.hir.variables[variable].is_const
    }

    /// The object that is defined `const` at whose part an address is by its form.
    fn constant_base(&self, addr: ExprId) -> Option<VarId> {
        let mut base = addr;
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } = *self.program.exprs.get(base) {
            base = lhs;
        }
        let Expr::Address { var } = *self.program.exprs.get(base) else { return None };
        self.variable_of.get(&var).filter(|variable| self.is_constant(**variable)).map(|_| var)
    }

    /// K2
    pub(super) fn record_constants(&mut self) {
        let is_constant = |var: &VarId| {
            matches!(self.program.vars[*var].storage, Storage::Object { .. })
                && self.variable_of.get(var).is_some_and(|variable| self.is_constant(*variable))
        };
        let constants: Vec<VarId> =
            self.program.vars.iter_enumerated().map(|(var, _)| var).filter(is_constant).collect();
        if constants.is_empty() {
            return;
        }
        let points_to = PointsTo::new(&self.program, Punning::default());
        let mut written = Vec::new();
        for op in self.program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops) {
            let stored = op.places().filter_map(|place| match *place {
                Place::Mem { addr, .. } | Place::Bits { addr, .. } => Some(addr),
                Place::Var(_) | Place::Elem { .. } => None,
            });
            written.extend(stored.filter(|addr| self.constant_base(*addr).is_none()));
            if let Op::Copy { to, .. } | Op::Fill { to, .. } | Op::Forget { to, .. } = op {
                written.push(*to);
            }
        }
        let is_written = |var: &&VarId| {
            let region = points_to.region_of_var(**var);
            written.iter().any(|addr| points_to.region(*addr).is_none_or(|written| Some(written) == region))
        };
        let found: Vec<VarId> = constants.iter().filter(is_written).copied().collect();
        for var in found {
            let (name, declared) = (&self.program.vars[var].name, self.program.vars[var].declared);
            let what =
                format!("`{name}` is defined `const`; that no pointer is used to write to it is not checked");
            self.approximate(ApproximationKind::Under, what, declared);
        }
    }
}
