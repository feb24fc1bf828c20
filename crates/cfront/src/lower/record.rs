//! Values of records.
//!
//! # Invariants
//! * R1: a record without leaves (`layout` L2) is always in memory; one with leaves may be a list of their values.
//! * R2: writing a record reads its source as it was before.

use cfa::{Expr, ExprId, Op, Place};

use crate::hir::{self, ExprKind, PlaceId};
use crate::lower::Lowered;
use crate::lower::function::Body;
use crate::lower::place::PlaceRef;
use crate::lower::storage::Slot;
use crate::lower::usage::ScopeKey;
use crate::types::RecordId;

/// The value of a record.
#[derive(Clone, Debug)]
pub(super) enum RecordValue {
    /// The values of its leaves, in the types that they hold.
    Leaves(Vec<ExprId>),
    /// The address of memory that holds it.
    Memory(ExprId),
}

impl Body<'_, '_> {
    fn record_type(&self, expr: hir::ExprId) -> RecordId {
        self.ctx
            .hir
            .types
            .record(self.ctx.hir.exprs[expr].ty)
            .expect("H3: a record should stand where one is needed")
    }

    /// The value of a record expression; to be used or protected before other effects.
    pub(super) fn record(&mut self, expr: hir::ExprId) -> Lowered<RecordValue> {
        let hir = self.ctx.hir;
        match &hir.exprs[expr].kind {
            ExprKind::Load(place) => {
                let place = self.place(*place)?;
                self.read_record(&place)
            }
            ExprKind::Call { .. } => self.call_record(expr),
            ExprKind::Assign { place, value } => {
                let place = self.assign_record(*place, *value)?;
                self.read_record(&place)
            }
            ExprKind::Comma(..) => {
                let last = self.comma(expr)?;
                self.record(last)
            }
            ExprKind::StatementExpr { body, value: Some(value) } => {
                self.open(ScopeKey::Expr(expr))?;
                self.stmts(body)?;
                let value = self.record(*value)?;
                let record = self.record_type(expr);
                let value = if self.has_objects() { self.stable_record(record, value) } else { value };
                self.close();
                Ok(value)
            }
            ExprKind::Conditional { condition, then, otherwise, question } => {
                let record = self.record_type(expr);
                let (holds, fails) = self.question(*condition, *question)?;
                let copy = self.fresh_record(record);
                self.graph.set(holds);
                let value = self.record(*then)?;
                self.fill_record(record, &copy, &value);
                let end = self.graph.take();
                self.graph.set(fails);
                let value = self.record(*otherwise)?;
                self.fill_record(record, &copy, &value);
                self.graph.join(end);
                Ok(copy)
            }
            ExprKind::VaArg(list) => {
                let record = self.record_type(expr);
                Ok(RecordValue::Memory(self.next_record(*list, record)?))
            }
            ExprKind::Convert(arg) => self.record(*arg),
            _ => {
                let span = hir.exprs[expr].span;
                crate::lower::storage::unsupported("this form of a record value", span)
            }
        }
    }

    /// What a record place holds.
    pub(super) fn read_record(&mut self, place: &PlaceRef) -> Lowered<RecordValue> {
        match place {
            PlaceRef::Memory { addr, .. } => Ok(RecordValue::Memory(*addr)),
            PlaceRef::Part { variable, fields, indices, .. } => {
                let Slot::Split(parts) = self.ctx.slot(*variable)? else {
                    unreachable!("Q1: a part should belong to a split variable")
                };
                let mut values = Vec::new();
                for part in parts.iter().filter(|part| part.path.starts_with(fields)) {
                    let target = self.part_target(part, indices);
                    values.push(self.read_target(&target));
                }
                Ok(RecordValue::Leaves(values))
            }
            PlaceRef::Leaves { record, values, fields, .. } => {
                let leaves = self.ctx.leaves(*record).expect("L2: a record of leaves should have them");
                let selected = leaves.iter().zip(values).filter(|(leaf, _)| leaf.path.starts_with(fields));
                Ok(RecordValue::Leaves(selected.map(|(_, value)| *value).collect()))
            }
        }
    }

    /// The value as a list of leaves.
    pub(super) fn leaf_values(&mut self, record: RecordId, value: &RecordValue) -> Vec<ExprId> {
        match value {
            RecordValue::Leaves(values) => values.clone(),
            RecordValue::Memory(address) => {
                let leaves = self.ctx.leaves(record).expect("R1: a record that is split should have leaves");
                leaves
                    .iter()
                    .map(|leaf| {
                        let load = match self.leaf_place(*address, leaf) {
                            Place::Bits { addr, bit, ty } => Expr::LoadBits { addr, bit, ty },
                            Place::Mem { addr, ty } => Expr::Load { addr, ty },
                            Place::Var(_) | Place::Elem { .. } => {
                                unreachable!("a leaf in memory should be memory")
                            }
                        };
                        self.exprs().add(load)
                    })
                    .collect()
            }
        }
    }

    /// The address of memory that holds the value.
    pub(super) fn record_address(&mut self, record: RecordId, value: &RecordValue) -> ExprId {
        match value {
            RecordValue::Memory(address) => *address,
            RecordValue::Leaves(values) => {
                let size = self.ctx.hir.types.records[record].size;
                let address = self.temporary_object(size, 16);
                self.store_leaves(address, record, values);
                address
            }
        }
    }

    /// Writes the leaves of a record to memory.
    pub(super) fn store_leaves(&mut self, address: ExprId, record: RecordId, values: &[ExprId]) {
        let leaves = self.ctx.leaves(record);
        for (leaf, value) in leaves.iter().flat_map(|leaves| leaves.iter()).zip(values) {
            let place = self.leaf_place(address, leaf);
            self.emit(Op::Assign { place, value: *value });
        }
    }

    /// Copies a record in memory; its padding is unspecified afterwards.
    pub(super) fn copy_record(&mut self, to: ExprId, from: ExprId, record: RecordId) {
        let size = self.ctx.hir.types.records[record].size;
        if size > 0 && to != from {
            let length = self.size(size);
            self.emit(Op::Copy { to, from, length });
            self.forget_padding(to, record);
        }
    }

    /// Room for a record.
    fn fresh_record(&mut self, record: RecordId) -> RecordValue {
        if let Some(leaves) = self.ctx.moved_leaves(record) {
            let vars: Vec<_> = leaves.iter().map(|leaf| self.temporary(leaf.ty)).collect();
            RecordValue::Leaves(vars.into_iter().map(|var| self.read_var(var)).collect())
        } else {
            let size = self.ctx.hir.types.records[record].size;
            RecordValue::Memory(self.temporary_object(size, 16))
        }
    }

    /// Writes a value into room made by [`Self::fresh_record`].
    fn fill_record(&mut self, record: RecordId, room: &RecordValue, value: &RecordValue) {
        match room {
            RecordValue::Memory(to) => {
                let from = self.record_address(record, value);
                self.copy_record(*to, from, record);
            }
            RecordValue::Leaves(vars) => {
                for (var, value) in vars.iter().zip(self.leaf_values(record, value)) {
                    if let Expr::Var { var, .. } = *self.exprs().get(*var) {
                        self.emit(Op::Assign { place: Place::Var(var), value });
                    }
                }
            }
        }
    }

    /// The same value, no matter what happens before it is used.
    pub(super) fn stable_record(&mut self, record: RecordId, value: RecordValue) -> RecordValue {
        match value {
            RecordValue::Leaves(values) => {
                RecordValue::Leaves(values.into_iter().map(|value| self.stable(value)).collect())
            }
            RecordValue::Memory(_) => {
                let copy = self.fresh_record(record);
                self.fill_record(record, &copy, &value);
                copy
            }
        }
    }

    /// The value as it is before `later` is evaluated.
    pub(super) fn protect_record(
        &mut self,
        record: RecordId,
        value: RecordValue,
        later: hir::ExprId,
    ) -> RecordValue {
        match value {
            RecordValue::Leaves(values) => {
                RecordValue::Leaves(values.into_iter().map(|value| self.protect(value, later)).collect())
            }
            RecordValue::Memory(_) => {
                let effects = self.ctx.evaluation(later).effects;
                let harmless = !effects.change_state();
                if harmless { value } else { self.stable_record(record, value) }
            }
        }
    }

    /// `place = value` for records; the place, which may be used once more.
    pub(super) fn assign_record(&mut self, place: PlaceId, value: hir::ExprId) -> Lowered<PlaceRef> {
        let record = self.record_type(value);
        let place = self.place(place)?;
        let place = self.protect_place(place, value);
        self.assign_to(place, record, value)
    }

    /// Writes the value of an expression. What a conditional expression chooses is copied from where it is: it may overlap the place.
    fn assign_to(&mut self, place: PlaceRef, record: RecordId, value: hir::ExprId) -> Lowered<PlaceRef> {
        match (&place, &self.ctx.hir.exprs[value].kind) {
            (_, ExprKind::Convert(arg)) => self.assign_to(place, record, *arg),
            (_, ExprKind::Comma(..)) => {
                let last = self.comma(value)?;
                self.assign_to(place, record, last)
            }
            (
                PlaceRef::Memory { addr, ty, .. },
                ExprKind::Conditional { condition, then, otherwise, question },
            ) => {
                let place = PlaceRef::Memory { addr: self.stable(*addr), bits: None, ty: *ty };
                let (holds, fails) = self.question(*condition, *question)?;
                self.graph.set(holds);
                self.assign_to(place.clone(), record, *then)?;
                let end = self.graph.take();
                self.graph.set(fails);
                self.assign_to(place.clone(), record, *otherwise)?;
                self.graph.join(end);
                Ok(place)
            }
            _ => {
                let value = self.record(value)?;
                self.write_record(place, record, &value)
            }
        }
    }

    /// Writes a record (R2); the place, which may be used once more.
    pub(super) fn write_record(
        &mut self,
        place: PlaceRef,
        record: RecordId,
        value: &RecordValue,
    ) -> Lowered<PlaceRef> {
        if let (PlaceRef::Memory { addr, .. }, RecordValue::Memory(from)) = (&place, value) {
            let (to, from, size) = (*addr, *from, self.ctx.hir.types.records[record].size);
            let (to, from) = (self.stable_if_loading(to), self.stable_if_loading(from));
            self.copy_record(to, from, record);
            let length = self.size(size);
            self.forbid_overlap(to, from, length, self.origin);
            return Ok(PlaceRef::Memory {
                addr: to,
                bits: None,
                ty: match place {
                    PlaceRef::Memory { ty, .. } | PlaceRef::Part { ty, .. } | PlaceRef::Leaves { ty, .. } => {
                        ty
                    }
                },
            });
        }
        let mut values = self.leaf_values(record, value);
        let place = match place {
            PlaceRef::Part { ref indices, .. } if indices.is_empty() => place,
            PlaceRef::Memory { addr, bits, ty } => {
                PlaceRef::Memory { addr: self.stable_if_loading(addr), bits, ty }
            }
            PlaceRef::Part { .. } | PlaceRef::Leaves { .. } => self.stable_place(place),
        };
        if values.len() > 1 && values.iter().any(|value| self.depends_on(*value, &place)) {
            values = values.into_iter().map(|value| self.stable(value)).collect();
        }
        match &place {
            PlaceRef::Memory { addr, .. } => {
                self.store_leaves(*addr, record, &values);
                self.forget_padding(*addr, record);
            }
            PlaceRef::Part { variable, fields, indices, .. } => {
                let Slot::Split(parts) = self.ctx.slot(*variable)? else {
                    unreachable!("Q1: a part should belong to a split variable")
                };
                let leaves = self.ctx.leaves(record).expect("U1: a whole split record should have leaves");
                for (leaf, value) in leaves.iter().zip(values) {
                    // A leaf that is never read has no variable.
                    let path = [fields.as_slice(), &leaf.path].concat();
                    if let Some(part) = parts.iter().find(|part| *part.path == *path) {
                        let target = self.part_target(part, indices);
                        self.emit(Op::Assign { place: target.place, value });
                    }
                }
            }
            PlaceRef::Leaves { .. } => unreachable!("H3: a value that is no lvalue should not be written"),
        }
        Ok(place)
    }

    fn stable_if_loading(&mut self, address: ExprId) -> ExprId {
        let loads =
            self.mentions(address, |_, expr| matches!(expr, Expr::Load { .. } | Expr::LoadBits { .. }));
        if loads { self.stable(address) } else { address }
    }

    /// Whether writing the place may change the value.
    fn depends_on(&self, value: ExprId, place: &PlaceRef) -> bool {
        match place {
            PlaceRef::Part { variable, .. } => self.mentions(value, |ctx, expr| match expr {
                Expr::Var { var, .. } | Expr::Elem { array: var, .. } => {
                    ctx.variable_of.get(var) == Some(variable)
                }
                _ => false,
            }),
            PlaceRef::Memory { .. } | PlaceRef::Leaves { .. } => {
                self.mentions(value, |_, expr| matches!(expr, Expr::Load { .. } | Expr::LoadBits { .. }))
            }
        }
    }
}
