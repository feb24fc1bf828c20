//! Sums, products, quotients and shifts of bit-vectors, and when they are defined.

use cfa::{BinaryOp, ExprId, SignedOverflow, Ty};
use term::{BvOp, Integer, TermId, Terms};
use values::value::Value;

use crate::encoder::Encoder;
use crate::expression::Coded;

/// Amounts of shifts are compared in so many bits, or more if their type has more.
const AMOUNT_WIDTH: u32 = 16;

impl Encoder<'_> {
    /// Whether an operation of a type may not leave its range.
    fn must_fit(&self, range: Option<Value>, ty: Ty) -> bool {
        ty.is_signed() && self.program.signed_overflow != SignedOverflow::Wrap && !self.fits(range, ty)
    }

    /// That the opposite of a number fits its type.
    pub(super) fn negation_fits(&mut self, arg: ExprId, vector: TermId, ty: Ty) -> TermId {
        if !self.must_fit(self.known(arg).and_then(Value::negate), ty) {
            return Terms::TRUE;
        }
        let least = self.least(ty);
        self.terms.ne(vector, least)
    }

    /// The least number of a signed type.
    fn least(&mut self, ty: Ty) -> TermId {
        let width = self.width(ty);
        self.terms.bv_number(width, Integer::power_of_two(width - 1))
    }

    /// The result of a binary operation on integers or addresses, and when it is defined.
    pub(super) fn vector_arithmetic(
        &mut self,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> (Coded, TermId) {
        let ranges = self.known(lhs).zip(self.known(rhs));
        match op {
            BinaryOp::Add | BinaryOp::PtrAdd => {
                let range = ranges.and_then(|(a, b)| a.plus(b));
                self.vector_sum(BvOp::Add, left, right, (range, ty))
            }
            BinaryOp::Sub | BinaryOp::PtrSub => {
                // The difference of two addresses wraps around, although its type is signed.
                let policy = if op == BinaryOp::PtrSub { Ty::Ptr } else { ty };
                let range = ranges.and_then(|(a, b)| a.plus(b.negate()?));
                self.vector_sum(BvOp::Sub, left, right, (range, policy))
            }
            BinaryOp::Mul => {
                let range = ranges.and_then(|(a, b)| a.multiply(b));
                let needed = needed([self.known(lhs), self.known(rhs), range], ty);
                let product = self.in_width(needed, BvOp::Mul, [left, right], ty);
                let fits = if self.must_fit(range, ty) {
                    self.terms.bv(BvOp::SmulFits, &[left, right])
                } else {
                    Terms::TRUE
                };
                (Coded::Int(product), fits)
            }
            _ => self.vector_division(op, (lhs, left), (rhs, right), ty),
        }
    }

    fn vector_sum(
        &mut self,
        op: BvOp,
        left: TermId,
        right: TermId,
        (range, ty): (Option<Value>, Ty),
    ) -> (Coded, TermId) {
        let sum = self.terms.bv(op, &[left, right]);
        if !self.must_fit(range, ty) {
            return (Coded::Int(sum), Terms::TRUE);
        }
        let [wide_left, wide_right, wide_sum] =
            [left, right, sum].map(|vector| self.terms.bv(BvOp::SignExtend(1), &[vector]));
        let exact = self.terms.bv(op, &[wide_left, wide_right]);
        (Coded::Int(sum), self.terms.eq(exact, wide_sum))
    }

    fn vector_division(
        &mut self,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> (Coded, TermId) {
        let operation = match (op, ty.is_signed()) {
            (BinaryOp::Div, true) => BvOp::Sdiv,
            (BinaryOp::Div, false) => BvOp::Udiv,
            (_, true) => BvOp::Srem,
            (_, false) => BvOp::Urem,
        };
        let mut when = self.is_not_zero(right);
        let may_be_minus_one = self.known(rhs).is_none_or(|range| range.contains(-1));
        // The least value divided by -1 does not fit, and never wraps around.
        if ty.is_signed() && may_be_minus_one && !self.fits(self.known(lhs).and_then(Value::negate), ty) {
            let (least, width) = (self.least(ty), self.width(ty));
            let minus_one = self.terms.bv_number(width, -1);
            let conditions = [self.terms.ne(left, least), self.terms.ne(right, minus_one)];
            let fits = self.terms.or(conditions);
            when = self.terms.and([when, fits]);
        }
        // Of signed numbers the quotient of the least one and -1 needs one bit more.
        let spare = u32::from(ty.is_signed());
        let needed = needed([self.known(lhs), self.known(rhs)], ty).map(|width| width + spare);
        (Coded::Int(self.in_width(needed, operation, [left, right], ty)), when)
    }

    /// The result of an operation whose operands and result need so many bits only: circuits of products and quotients grow with the square of their widths.
    fn in_width(&mut self, needed: Option<u32>, op: BvOp, operands: [TermId; 2], ty: Ty) -> TermId {
        let width = self.terms.bit_width(operands[0]);
        let Some(needed) = needed.filter(|needed| *needed < width) else {
            return self.terms.bv(op, &operands);
        };
        let low = BvOp::Extract { high: needed - 1, low: 0 };
        let narrow = operands.map(|operand| self.terms.bv(low, &[operand]));
        let result = self.terms.bv(op, &narrow);
        let by = width - needed;
        let extend = if ty.is_signed() { BvOp::SignExtend(by) } else { BvOp::ZeroExtend(by) };
        self.terms.bv(extend, &[result])
    }

    /// A shift, by an amount of any integer type.
    pub(super) fn vector_shift(
        &mut self,
        op: BinaryOp,
        value: TermId,
        (amount_expr, amount): (ExprId, TermId),
        ty: Ty,
    ) -> (Coded, TermId) {
        let width = self.width(ty);
        let amount_type = self.program.exprs.ty(amount_expr);
        // Negative amounts are large unsigned numbers.
        let wide = self.terms.bit_width(amount).max(AMOUNT_WIDTH);
        let amount = self.resized(amount, amount_type, wide);
        let known = self.known(amount_expr);
        let in_range = if known.is_some_and(|range| range.within(0, i128::from(width) - 1)) {
            Terms::TRUE
        } else {
            let limit = self.terms.bv_number(wide, width);
            self.terms.bv(BvOp::Ult, &[amount, limit])
        };
        let amount = self.resized(amount, Ty::unsigned(AMOUNT_WIDTH as u8), width);
        let operation = match (op, ty.is_signed()) {
            (BinaryOp::Shl, _) => BvOp::Shl,
            (_, true) => BvOp::Ashr,
            (_, false) => BvOp::Lshr,
        };
        (Coded::Int(self.terms.bv(operation, &[value, amount])), in_range)
    }
}

/// How many bits some numbers of a type need; nothing if one of them is not known.
fn needed(numbers: impl IntoIterator<Item = Option<Value>>, ty: Ty) -> Option<u32> {
    let mut needed = 1;
    for number in numbers {
        let (low, high) = number.map(|number| (number.low(), number.high()))?;
        let bits = |number: i128| 128 - if number < 0 { !number } else { number }.leading_zeros();
        needed = needed.max(bits(low).max(bits(high)));
    }
    Some(needed + u32::from(ty.is_signed()))
}
