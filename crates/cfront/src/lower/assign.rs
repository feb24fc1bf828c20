//! Assignments of scalars, in all of C's forms.

use cfa::{ExprId, Place, Ty};

use crate::hir::{self, ArithmeticOp, Direction, ExprKind, PlaceId, StepForm};
use crate::lower::facts::Reads;
use crate::lower::function::Body;
use crate::lower::place::{PlaceRef, Target};
use crate::lower::{Lowered, build};

/// Whether the value of an assignment is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Nothing,
    OldValue,
    NewValue,
}

impl Body<'_, '_> {
    /// Writes the value of an expression to a place that was protected against its effects.
    pub(super) fn assign(&mut self, target: &Target, expr: hir::ExprId) -> Lowered<()> {
        let hir = self.ctx.hir;
        match &hir.exprs[expr].kind {
            ExprKind::Conditional { condition, then, otherwise, question }
                if !self.ctx.evaluation(expr).is_simple() =>
            {
                let (holds, fails) = self.question(*condition, *question)?;
                self.graph.set(holds);
                self.assign(target, *then)?;
                let end = self.graph.take();
                self.graph.set(fails);
                self.assign(target, *otherwise)?;
                self.graph.join(end);
                Ok(())
            }
            ExprKind::ConditionalValue { condition, otherwise, question } => {
                let value = self.value(*condition)?;
                let value = self.stable(value);
                let truth = build::truth(self.exprs(), value);
                let (on_true, on_false) = self.branches_at(*question);
                let (holds, fails) = self.fork(truth, on_true, on_false);
                self.graph.set(holds);
                let converted = self.convert(hir.exprs[expr].ty, value);
                self.write(target, converted);
                let end = self.graph.take();
                self.graph.set(fails);
                self.assign(target, *otherwise)?;
                self.graph.join(end);
                Ok(())
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) if !self.ctx.evaluation(expr).is_simple() => {
                self.assign_truth(target, expr)
            }
            ExprKind::Convert(arg) if self.is_branching(*arg) && self.keeps_truth(expr, *arg) => {
                self.assign_truth(target, *arg)
            }
            ExprKind::Comma(..) => {
                let last = self.comma(expr)?;
                self.assign(target, last)
            }
            ExprKind::Call { .. } => self.call_into(target, expr),
            _ => {
                let value = self.value(expr)?;
                self.write(target, value);
                Ok(())
            }
        }
    }

    fn is_branching(&mut self, expr: hir::ExprId) -> bool {
        matches!(self.ctx.hir.exprs[expr].kind, ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..))
            && !self.ctx.evaluation(expr).is_simple()
    }

    /// Whether a conversion takes 0 and 1 to 0 and 1.
    fn keeps_truth(&self, expr: hir::ExprId, arg: hir::ExprId) -> bool {
        self.scalar_ty(expr).is_int() && self.scalar_ty(arg).is_int()
    }

    /// Writes 1 or 0: whether a condition holds.
    pub(super) fn assign_truth(&mut self, target: &Target, condition: hir::ExprId) -> Lowered<()> {
        let origin = self.origin_of(condition);
        let (holds, fails) = self.branch(condition, origin, origin)?;
        let mut ends = Vec::new();
        for (position, truth) in [(holds, true), (fails, false)] {
            self.graph.set(position);
            let value = self.exprs().bool(truth);
            let value = build::cast(self.exprs(), target.declared, value);
            self.write(target, value);
            ends.push(self.graph.take());
        }
        for end in ends {
            self.graph.join(end);
        }
        Ok(())
    }

    /// An assignment whose value is not needed.
    pub(super) fn assignment(&mut self, expr: hir::ExprId) -> Lowered<()> {
        if let ExprKind::Assign { place, value } = self.ctx.hir.exprs[expr].kind {
            if self.ctx.hir.types.record(self.ctx.hir.exprs[expr].ty).is_some() {
                self.assign_record(place, value)?;
                self.note_constant(place);
                return Ok(());
            }
            let reference = self.place(place)?;
            let reference = self.protect_place(reference, value);
            let target = self.target(&reference)?;
            self.spell_place(&target, place);
            self.assign(&target, value)?;
            self.note_constant(place);
            return Ok(());
        }
        self.update(expr, Wanted::Nothing).map(drop)
    }

    /// An assignment and its value.
    pub(super) fn assignment_value(&mut self, expr: hir::ExprId) -> Lowered<ExprId> {
        match self.ctx.hir.exprs[expr].kind {
            ExprKind::Assign { place, value } => {
                let reference = self.place(place)?;
                let reference = self.protect_place(reference, value);
                let target = self.target(&reference)?;
                self.spell_place(&target, place);
                let value = self.value(value)?;
                let stored = self.store(&target, value);
                self.note_constant(place);
                Ok(stored)
            }
            ExprKind::Step { form: StepForm::Postfix, .. } => self.update(expr, Wanted::OldValue),
            _ => self.update(expr, Wanted::NewValue),
        }
    }

    /// Writes a value; returns what the place then holds.
    fn store(&mut self, target: &Target, value: ExprId) -> ExprId {
        let stable = self.ctx.fact(value).reads == Reads::NOTHING;
        let value = if stable || matches!(target.place, Place::Var(_)) { value } else { self.copy(value) };
        self.write(target, value);
        if stable || !matches!(target.place, Place::Var(_)) {
            let held = build::cast(self.exprs(), target.ty, value);
            build::cast(self.exprs(), target.declared, held)
        } else {
            let held = self.read_target(target);
            build::cast(self.exprs(), target.declared, held)
        }
    }

    /// `op=`, `++`, `--`: reads, computes, writes.
    fn update(&mut self, expr: hir::ExprId, wanted: Wanted) -> Lowered<ExprId> {
        let hir = self.ctx.hir;
        let (place, later) = match hir.exprs[expr].kind {
            ExprKind::CompoundAssign { place, value, .. } => (place, Some(value)),
            ExprKind::PointerAssign { place, index, .. } => (place, Some(index)),
            ExprKind::Step { place, .. } => (place, None),
            _ => unreachable!("only assignments should be lowered as such"),
        };
        let mut reference = self.place(place)?;
        if let Some(later) = later {
            reference = self.protect_place(reference, later);
        }
        let target = self.target(&reference)?;
        self.spell_place(&target, place);
        let mut old = self.read(&reference)?;
        self.spell_at(old, hir.places[place].span);
        if let Some(later) = later {
            old = self.protect(old, later);
        }
        if wanted == Wanted::OldValue {
            old = self.copy(old);
        }
        let new = self.updated(expr, place, old)?;
        if wanted == Wanted::NewValue {
            let stored = self.store(&target, new);
            self.note_constant(place);
            return Ok(stored);
        }
        self.write(&target, new);
        self.note_constant(place);
        Ok(old)
    }

    /// The new value of a place, of the place's declared type.
    fn updated(&mut self, expr: hir::ExprId, place: PlaceId, old: ExprId) -> Lowered<ExprId> {
        let hir = self.ctx.hir;
        let ty = hir.places[place].ty;
        match hir.exprs[expr].kind {
            ExprKind::CompoundAssign { op, value, computation, .. } => {
                let left = self.convert(computation, old);
                let right = self.value(value)?;
                let result = self.arithmetic(op, left, right);
                self.spell_at(result, hir.exprs[expr].span);
                Ok(self.convert(ty, result))
            }
            ExprKind::PointerAssign { index, element, direction, .. } => {
                let index = self.value(index)?;
                Ok(self.pointer_offset(old, index, element, direction))
            }
            ExprKind::Step { direction, element, .. } => {
                if let Some(element) = element {
                    let one = self.exprs().int(Ty::signed(32), 1);
                    return Ok(self.pointer_offset(old, one, element, direction));
                }
                let left = self.promote(old);
                let promoted = self.exprs().ty(left);
                let one = self.exprs().int(Ty::signed(32), 1);
                let one = build::cast(self.exprs(), promoted, one);
                let op = match direction {
                    Direction::Forward => ArithmeticOp::Add,
                    Direction::Backward => ArithmeticOp::Subtract,
                };
                let result = self.arithmetic(op, left, one);
                self.spell_at(result, hir.exprs[expr].span);
                Ok(self.convert(ty, result))
            }
            _ => unreachable!("only assignments should be lowered as such"),
        }
    }

    /// The integer promotions.
    fn promote(&mut self, value: ExprId) -> ExprId {
        match self.exprs().ty(value) {
            Ty::Int { width, .. } if width < 32 => build::cast(self.exprs(), Ty::signed(32), value),
            _ => value,
        }
    }

    /// The place that a pointer argument of a builtin names.
    pub(super) fn pointed(&mut self, pointer: hir::ExprId, ty: crate::types::TypeId) -> Lowered<PlaceRef> {
        if let ExprKind::AddressOf(place) = self.ctx.hir.exprs[pointer].kind {
            self.place(place)
        } else {
            let addr = self.value(pointer)?;
            Ok(PlaceRef::Memory { addr, bits: None, ty })
        }
    }
}
