//! Scalar values of expressions, and expressions whose value is dropped.
//!
//! The left operands of a chain of operators are walked with a loop, since chains may be arbitrarily long.

use cfa::{BinaryOp, Expr, ExprId, Op, Place, Spelled, Ty, UnaryOp};

use crate::hir::{self, ArithmeticOp, CompareOp, Direction, ElementSize, ExprKind};
use crate::lower::effects::Effects;
use crate::lower::function::Body;
use crate::lower::place::{PlaceRef, Purpose};
use crate::lower::usage::ScopeKey;
use crate::lower::{Lowered, build};
use crate::types::{Type, TypeId};

impl Body<'_, '_> {
    /// The value of a scalar expression. Operations are emitted for its effects; the value must be used, or protected,
    /// before others are.
    pub(super) fn value(&mut self, expr: hir::ExprId) -> Lowered<ExprId> {
        let mut spine = Vec::new();
        let mut current = expr;
        while let Some(left) = self.left_operand(current) {
            spine.push(current);
            current = left;
        }
        let mut value = self.leaf(current)?;
        self.spell(current, value);
        while let Some(node) = spine.pop() {
            value = self.extend(node, value)?;
            self.spell(node, value);
        }
        Ok(value)
    }

    /// Notes where the value of an expression stands.
    fn spell(&mut self, expr: hir::ExprId, value: ExprId) {
        self.spell_at(value, self.ctx.hir.exprs[expr].span);
    }

    /// Notes where a value stands, if it may be checked. What is read may be converted at once.
    pub(super) fn spell_at(&mut self, value: ExprId, span: base::Span) {
        let mut value = value;
        loop {
            let node = *self.exprs().get(value);
            match node {
                Expr::Const { .. } | Expr::Address { .. } | Expr::Function { .. } | Expr::Ite { .. } => {
                    return;
                }
                _ => self.ctx.spell(self.proc, Spelled::Value(value), span),
            }
            let Expr::Cast { arg, .. } = node else { return };
            let is_read =
                |expr: &Expr| matches!(expr, Expr::Load { .. } | Expr::LoadBits { .. } | Expr::Elem { .. });
            if !is_read(self.exprs().get(arg)) {
                return;
            }
            value = arg;
        }
    }

    /// Notes where a place stands that is written.
    pub(super) fn spell_place(&mut self, target: &crate::lower::place::Target, place: hir::PlaceId) {
        if !matches!(target.place, Place::Var(_)) {
            let span = self.ctx.hir.places[place].span;
            self.ctx.spell(self.proc, Spelled::Place(target.place), span);
        }
    }

    /// The operand that is evaluated first, if the expression is an operator that [`Self::extend`] handles.
    fn left_operand(&self, expr: hir::ExprId) -> Option<hir::ExprId> {
        match self.ctx.hir.exprs[expr].kind {
            ExprKind::Arithmetic { left, .. }
            | ExprKind::Compare { left, .. }
            | ExprKind::PointerDifference { left, .. }
            | ExprKind::PointerOffset { pointer: left, .. } => Some(left),
            ExprKind::Convert(arg)
            | ExprKind::Negate(arg)
            | ExprKind::BitNot(arg)
            | ExprKind::LogicalNot(arg) => Some(arg),
            _ => None,
        }
    }

    /// Applies an operator to the value of its left operand.
    fn extend(&mut self, expr: hir::ExprId, left: ExprId) -> Lowered<ExprId> {
        let hir = self.ctx.hir;
        let node = &hir.exprs[expr];
        match node.kind {
            ExprKind::Convert(_) => Ok(self.convert(node.ty, left)),
            ExprKind::Negate(_) => Ok(self.negate(left)),
            ExprKind::BitNot(_) => {
                let ty = self.exprs().ty(left);
                if let Some(value) = build::constant(self.exprs(), left) {
                    return Ok(self.exprs().int(ty, !value));
                }
                Ok(self.exprs().unary(UnaryOp::Not, left))
            }
            ExprKind::LogicalNot(_) => {
                let truth = build::truth(self.exprs(), left);
                let negated = build::not(self.exprs(), truth);
                Ok(self.convert(node.ty, negated))
            }
            ExprKind::Arithmetic { op, right, .. } => {
                let left = self.protect(left, right);
                let right = self.value(right)?;
                Ok(self.arithmetic(op, left, right))
            }
            ExprKind::Compare { op, right, .. } => {
                let left = self.protect(left, right);
                let right = self.value(right)?;
                let truth = self.comparison(op, left, right);
                Ok(self.convert(node.ty, truth))
            }
            ExprKind::PointerOffset { index, element, direction, .. } => {
                let left = self.protect(left, index);
                let index = self.value(index)?;
                Ok(self.pointer_offset(left, index, element, direction))
            }
            ExprKind::PointerDifference { right, element, .. } => {
                let left = self.protect(left, right);
                let right = self.value(right)?;
                if self.ctx.conversions.askew.contains(&expr) {
                    self.forbid_remainder(left, right, element);
                }
                Ok(self.pointer_difference(left, right, element))
            }
            _ => unreachable!("only operators with a left operand should be extended"),
        }
    }

    /// The value of an expression that is not at the end of a chain of operators.
    fn leaf(&mut self, expr: hir::ExprId) -> Lowered<ExprId> {
        let hir = self.ctx.hir;
        let node = &hir.exprs[expr];
        match &node.kind {
            ExprKind::Int(value) => Ok(self.integer(expr, *value)),
            ExprKind::Float(bits) => {
                let ty = self.scalar_ty(expr);
                Ok(self.exprs().add(Expr::Const { ty, bits: *bits }))
            }
            ExprKind::Load(place) => {
                let place = self.place(*place)?;
                self.read(&place)
            }
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => self.address_of(*place),
            ExprKind::FunctionAddress(function) => {
                let function = self.ctx.resolved[*function];
                let proc = self.ctx.procs[&function];
                Ok(self.exprs().add(Expr::Function { proc }))
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => self.logical(expr),
            ExprKind::Conditional { condition, then, otherwise, .. }
                if self.ctx.evaluation(expr).is_simple() =>
            {
                self.simple_conditional(*condition, *then, *otherwise)
            }
            ExprKind::Conditional { .. } | ExprKind::ConditionalValue { .. } => self.through_temporary(expr),
            ExprKind::Comma(..) => {
                let last = self.comma(expr)?;
                self.value(last)
            }
            ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PointerAssign { .. }
            | ExprKind::Step { .. } => self.assignment_value(expr),
            ExprKind::Call { .. } => self.call_value(expr),
            ExprKind::Builtin { builtin, args } => match self.builtin(*builtin, args, expr)? {
                Some(value) => Ok(value),
                None => Ok(self.arbitrary(expr)),
            },
            ExprKind::StatementExpr { body, value } => self.statement_expr(expr, body, *value),
            ExprKind::SizeofVariable(ty) => Ok(self.variable_size(*ty)),
            ExprKind::VaArg(list) => {
                let ty = self.scalar_ty(expr);
                self.next_scalar(*list, ty)
            }
            ExprKind::Arithmetic { .. }
            | ExprKind::Compare { .. }
            | ExprKind::PointerDifference { .. }
            | ExprKind::PointerOffset { .. }
            | ExprKind::Convert(_)
            | ExprKind::Negate(_)
            | ExprKind::BitNot(_)
            | ExprKind::LogicalNot(_) => unreachable!("operators should be on the spine"),
        }
    }

    /// A conditional expression whose parts have no effects.
    fn simple_conditional(
        &mut self,
        condition: hir::ExprId,
        then: hir::ExprId,
        otherwise: hir::ExprId,
    ) -> Lowered<ExprId> {
        let condition = self.truth(condition)?;
        let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
        Ok(if then == otherwise && self.is_missed(condition) {
            self.exprs().add(Expr::Ite { cond: condition, then, other: otherwise })
        } else {
            build::ite(self.exprs(), condition, then, otherwise)
        })
    }

    fn integer(&mut self, expr: hir::ExprId, value: i128) -> ExprId {
        match self.scalar_ty(expr) {
            Ty::Ptr => build::address(self.exprs(), value),
            ty => self.exprs().int(ty, value),
        }
    }

    /// `({ … })`
    fn statement_expr(
        &mut self,
        expr: hir::ExprId,
        body: &[hir::StmtId],
        value: Option<hir::ExprId>,
    ) -> Lowered<ExprId> {
        self.open(ScopeKey::Expr(expr))?;
        self.stmts(body)?;
        let value = match value {
            Some(value) => self.value(value)?,
            None => self.arbitrary(expr),
        };
        // The value may be in an object that ends here.
        let value = if self.has_objects() { self.stable(value) } else { value };
        self.close();
        Ok(value)
    }

    /// The value of what C gives none: the code is unreachable or its result must not be used.
    fn arbitrary(&mut self, expr: hir::ExprId) -> ExprId {
        let ty = self.ctx.hir.types.scalar(self.ctx.hir.exprs[expr].ty).unwrap_or(Ty::signed(32));
        let var = self.temporary(ty);
        let at = self.origin.region;
        self.emit(Op::Havoc { place: Place::Var(var), source: cfa::Source::Uninitialised, at });
        self.read_var(var)
    }

    /// Evaluates all operands of a chain of commas but the last, which is returned.
    pub(super) fn comma(&mut self, expr: hir::ExprId) -> Lowered<hir::ExprId> {
        let mut operands = Vec::new();
        let mut current = expr;
        while let ExprKind::Comma(left, right) = self.ctx.hir.exprs[current].kind {
            operands.push(right);
            current = left;
        }
        operands.push(current);
        while operands.len() > 1 {
            if let Some(operand) = operands.pop() {
                self.effect(operand)?;
            }
        }
        Ok(operands[0])
    }

    fn through_temporary(&mut self, expr: hir::ExprId) -> Lowered<ExprId> {
        let ty = self.scalar_ty(expr);
        let var = self.temporary(ty);
        let target = crate::lower::place::Target { place: Place::Var(var), ty, declared: ty };
        self.assign(&target, expr)?;
        Ok(self.read_var(var))
    }

    /// `&&` and `||` as values.
    fn logical(&mut self, expr: hir::ExprId) -> Lowered<ExprId> {
        let ty = self.ctx.hir.exprs[expr].ty;
        if self.ctx.evaluation(expr).is_simple() {
            let truth = self.truth(expr)?;
            return Ok(self.convert(ty, truth));
        }
        let var = self.temporary(Ty::BOOL);
        let target = crate::lower::place::Target { place: Place::Var(var), ty: Ty::BOOL, declared: Ty::BOOL };
        self.assign_truth(&target, expr)?;
        let truth = self.read_var(var);
        Ok(self.convert(ty, truth))
    }

    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, expr: hir::ExprId) -> Lowered<()> {
        let hir = self.ctx.hir;
        match &hir.exprs[expr].kind {
            ExprKind::Convert(arg) => self.effect(*arg),
            ExprKind::Comma(..) => {
                let last = self.comma(expr)?;
                self.effect(last)
            }
            ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PointerAssign { .. }
            | ExprKind::Step { .. } => self.assignment(expr),
            ExprKind::Call { .. } => self.call_effect(expr),
            ExprKind::Builtin { builtin, args } => self.builtin(*builtin, args, expr).map(drop),
            ExprKind::Conditional { .. } => self.conditional_effect(expr),
            ExprKind::LogicalAnd(left, right) | ExprKind::LogicalOr(left, right)
                if self.ctx.evaluation(*right).effects != Effects::NONE =>
            {
                let is_and = matches!(hir.exprs[expr].kind, ExprKind::LogicalAnd(..));
                let (holds, fails) = self.branch(*left, self.origin_of(*left), self.origin_of(*left))?;
                let (goes_on, done) = if is_and { (holds, fails) } else { (fails, holds) };
                self.graph.set(goes_on);
                self.effect(*right)?;
                self.graph.join(done);
                Ok(())
            }
            ExprKind::StatementExpr { body, value } => {
                self.open(ScopeKey::Expr(expr))?;
                self.stmts(body)?;
                if let Some(value) = value {
                    self.effect(*value)?;
                }
                self.close();
                Ok(())
            }
            ExprKind::Load(_) | ExprKind::VaArg(_) if !self.is_scalar(hir.exprs[expr].ty) => {
                self.record(expr).map(drop)
            }
            _ => {
                let value = self.value(expr)?;
                // What may be undefined is evaluated although its value is not used. That a variable is named is no use of it.
                let is_operation = !matches!(self.exprs().get(value), Expr::Var { .. });
                if self.ctx.fact(value).partial || is_operation && self.is_missed(value) {
                    self.copy(value);
                }
                Ok(())
            }
        }
    }

    fn is_scalar(&self, ty: TypeId) -> bool {
        self.ctx.hir.types.scalar(ty).is_some()
    }

    /// The address of a place.
    pub(super) fn address_of(&mut self, place: hir::PlaceId) -> Lowered<ExprId> {
        match self.place_for(place, Purpose::Address)? {
            PlaceRef::Memory { addr, .. } => Ok(addr),
            PlaceRef::Leaves { record, values, .. } => {
                // An array or field of a value that is no lvalue: it is given a place of its own.
                let size = self.ctx.hir.types.records[record].size;
                let address = self.temporary_object(size, 16);
                self.store_leaves(address, record, &values);
                Ok(address)
            }
            PlaceRef::Part { .. } => {
                unreachable!("U1: nobody should take the address of a split variable")
            }
        }
    }

    /// Conversion to a type of the source, where `_Bool` means "is not zero".
    pub(super) fn convert(&mut self, ty: TypeId, value: ExprId) -> ExprId {
        let Some(target) = self.ctx.hir.types.scalar(ty) else { return value };
        let is_bool = matches!(self.ctx.hir.types.get(ty), Type::Int(crate::types::IntKind::Bool));
        if is_bool { build::truth(self.exprs(), value) } else { self.convert_scalar(target, value) }
    }

    /// Conversion between scalar types; integers and pointers are converted by way of an integer of pointer width.
    pub(super) fn convert_scalar(&mut self, ty: Ty, value: ExprId) -> ExprId {
        let from = self.exprs().ty(value);
        let width = self.exprs().pointer_width();
        match (from, ty) {
            (Ty::Int { signed, .. }, Ty::Ptr) => {
                let word = build::cast(self.exprs(), Ty::Int { width, signed }, value);
                build::cast(self.exprs(), Ty::Ptr, word)
            }
            (Ty::Ptr, Ty::Int { width: target, .. }) if target != width => {
                let word = build::cast(self.exprs(), Ty::unsigned(width), value);
                build::cast(self.exprs(), ty, word)
            }
            _ => build::cast(self.exprs(), ty, value),
        }
    }

    fn negate(&mut self, value: ExprId) -> ExprId {
        let ty = self.exprs().ty(value);
        match (build::constant(self.exprs(), value), ty.range()) {
            (Some(number), Some((low, _))) if number != low => self.exprs().int(ty, -number),
            _ => self.exprs().unary(UnaryOp::Neg, value),
        }
    }

    /// An operation on operands of one type.
    pub(super) fn arithmetic(&mut self, op: ArithmeticOp, left: ExprId, right: ExprId) -> ExprId {
        let op = match op {
            ArithmeticOp::Multiply => BinaryOp::Mul,
            ArithmeticOp::Divide => BinaryOp::Div,
            ArithmeticOp::Remainder => BinaryOp::Rem,
            ArithmeticOp::Add => BinaryOp::Add,
            ArithmeticOp::Subtract => BinaryOp::Sub,
            ArithmeticOp::ShiftLeft => BinaryOp::Shl,
            ArithmeticOp::ShiftRight => BinaryOp::Shr,
            ArithmeticOp::And => BinaryOp::And,
            ArithmeticOp::Xor => BinaryOp::Xor,
            ArithmeticOp::Or => BinaryOp::Or,
        };
        self.exprs().binary(op, left, right)
    }

    /// The truth value of a comparison.
    pub(super) fn comparison(&mut self, op: CompareOp, left: ExprId, right: ExprId) -> ExprId {
        let (op, left, right) = match op {
            CompareOp::Equal => (BinaryOp::Eq, left, right),
            CompareOp::NotEqual => (BinaryOp::Ne, left, right),
            CompareOp::Less => (BinaryOp::Lt, left, right),
            CompareOp::LessEqual => (BinaryOp::Le, left, right),
            CompareOp::Greater => (BinaryOp::Lt, right, left),
            CompareOp::GreaterEqual => (BinaryOp::Le, right, left),
        };
        build::compare(self.exprs(), op, left, right)
    }

    /// A pointer moved by elements.
    pub(super) fn pointer_offset(
        &mut self,
        pointer: ExprId,
        index: ExprId,
        element: ElementSize,
        direction: Direction,
    ) -> ExprId {
        let amount = match element {
            // What is negated must not be the least number.
            ElementSize::Fixed(1) if direction == Direction::Backward => {
                let index = self.countable(index, 1);
                build::scale(self.exprs(), index, 1)
            }
            ElementSize::Fixed(size) => self.scale(index, size),
            ElementSize::Variable(ty) => self.scale_variable(index, ty),
        };
        let amount = match direction {
            Direction::Forward => amount,
            Direction::Backward => self.negate(amount),
        };
        let moved = build::offset(self.exprs(), pointer, amount);
        self.ctx.indices.moved(moved);
        moved
    }

    fn pointer_difference(&mut self, left: ExprId, right: ExprId, element: ElementSize) -> ExprId {
        let bytes = self.exprs().binary(BinaryOp::PtrSub, left, right);
        match self.element_size(element) {
            Some(size) => self.exprs().binary(BinaryOp::Div, bytes, size),
            None => bytes,
        }
    }

    /// The size of elements, unless it is 1.
    fn element_size(&mut self, element: ElementSize) -> Option<ExprId> {
        let word = Ty::signed(self.exprs().pointer_width());
        match element {
            ElementSize::Fixed(0 | 1) => None,
            ElementSize::Fixed(size) => Some(self.exprs().int(word, i128::from(size))),
            ElementSize::Variable(ty) => {
                let size = self.variable_size(ty);
                Some(build::cast(self.exprs(), word, size))
            }
        }
    }

    /// Pointers that are subtracted lead to elements of one array (C11 6.5.6p9); compilers compute nonsense otherwise.
    fn forbid_remainder(&mut self, left: ExprId, right: ExprId, element: ElementSize) {
        let Some(size) = self.element_size(element) else { return };
        let bytes = self.exprs().binary(BinaryOp::PtrSub, left, right);
        let remainder = self.exprs().binary(BinaryOp::Rem, bytes, size);
        let ty = self.exprs().ty(remainder);
        let zero = build::zero(self.exprs(), ty);
        let cond = build::compare(self.exprs(), BinaryOp::Ne, remainder, zero);
        self.forbid(cond, self.origin);
    }
}
