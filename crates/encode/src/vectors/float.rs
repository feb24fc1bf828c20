//! Floating-point numbers as their encodings.
//!
//! Which NaN a result is follows the interpreter (crate interp, float.rs): an operand that is not a number is passed on, made quiet; of two different ones either may be, as compilers
//! change the order of operands; a result without such an operand is the default NaN of the processor.

use cfa::{BinaryOp, FloatKind, Ty};
use term::{BvOp, FloatFormat, FloatOp, Integer, Node, TermId, Terms};

use crate::encoder::Encoder;
use crate::expression::Coded;
use crate::origin::Rounding;
use crate::transition::Transition;
use crate::vectors::sums::FloatSum;

/// The format of a kind of numbers; nothing for those that are rounded up.
pub fn float_format(kind: FloatKind) -> Option<FloatFormat> {
    match kind {
        FloatKind::Single => Some(FloatFormat::Single),
        FloatKind::Double => Some(FloatFormat::Double),
        FloatKind::Extended | FloatKind::Quad => None,
    }
}

impl Encoder<'_> {
    /// An operation or a comparison of two numbers.
    pub(super) fn float_binary(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        kind: FloatKind,
        (left, right): (TermId, TermId),
        ty: Ty,
    ) -> (Coded, TermId) {
        let Some(format) = float_format(kind) else {
            let what = if ty == Ty::BOOL { Rounding::FloatComparison } else { Rounding::FloatOperation };
            return (Coded::Int(self.round_up(transition, what, ty)), Terms::TRUE);
        };
        let operation = match op {
            BinaryOp::Add => FloatOp::Add,
            BinaryOp::Sub => FloatOp::Sub,
            BinaryOp::Mul => FloatOp::Mul,
            BinaryOp::Div => FloatOp::Div,
            BinaryOp::Lt => FloatOp::Lt,
            BinaryOp::Le => FloatOp::Le,
            // The operations on numbers are those above and comparisons.
            _ => FloatOp::Eq,
        };
        let result = self.terms.bv(BvOp::Float(format, operation), &[left, right]);
        if let Some(sum) = FloatSum::of(self.terms, format, operation, (left, right), result) {
            for fact in self.float_sums.add(self.terms, sum) {
                self.vocabulary.note_fact(fact);
                self.require(transition, fact);
            }
        }
        let value = match op {
            BinaryOp::Ne => Coded::Bool(self.terms.not(result)),
            BinaryOp::Eq | BinaryOp::Lt | BinaryOp::Le => Coded::Bool(result),
            _ => Coded::Int(self.passed_on(transition, format, (left, right), result, ty)),
        };
        (value, Terms::TRUE)
    }

    /// The result of an operation, or the operand that is not a number.
    fn passed_on(
        &mut self,
        transition: &mut Transition,
        format: FloatFormat,
        (left, right): (TermId, TermId),
        result: TermId,
        ty: Ty,
    ) -> TermId {
        let (left_is_nan, right_is_nan) = (self.is_nan(format, left), self.is_nan(format, right));
        let (quiet_left, quiet_right) = (self.quiet(format, left), self.quiet(format, right));
        let both = self.terms.and([left_is_nan, right_is_nan]);
        let differ = self.terms.ne(left, right);
        let mut of_left = quiet_left;
        if both != Terms::FALSE && differ != Terms::FALSE {
            let any = self.round_up(transition, Rounding::FloatOperation, ty);
            let is_one = [self.terms.eq(any, quiet_left), self.terms.eq(any, quiet_right)];
            let is_one = self.terms.or(is_one);
            self.require(transition, is_one);
            let is_open = self.terms.and([right_is_nan, differ]);
            of_left = self.terms.ite(is_open, any, quiet_left);
        }
        let otherwise = self.terms.ite(right_is_nan, quiet_right, result);
        self.terms.ite(left_is_nan, of_left, otherwise)
    }

    /// Whether an encoding is not a number.
    fn is_nan(&mut self, format: FloatFormat, encoding: TermId) -> TermId {
        // What an integer is rounded to is a number.
        if let Node::Bv(BvOp::Float(_, FloatOp::FromSigned | FloatOp::FromUnsigned), _) =
            self.terms.node(encoding)
        {
            return Terms::FALSE;
        }
        let is_number = self.terms.float_is_number(format, encoding);
        self.terms.not(is_number)
    }

    fn quiet(&mut self, format: FloatFormat, encoding: TermId) -> TermId {
        let quiet = self.terms.bv_number(format.width(), format.quiet_bit());
        self.terms.bv(BvOp::Or, &[encoding, quiet])
    }

    /// A conversion from or to a number.
    pub(super) fn float_cast(
        &mut self,
        transition: &mut Transition,
        vector: TermId,
        from: Ty,
        ty: Ty,
    ) -> (Coded, TermId) {
        let value = match (from, ty) {
            _ if from == ty => Some((vector, Terms::TRUE)),
            (Ty::Float(source), Ty::Float(target)) => float_format(source)
                .zip(float_format(target))
                .map(|(source, target)| (self.between_formats(vector, source, target), Terms::TRUE)),
            (Ty::Float(kind), _) => float_format(kind).map(|format| self.whole_part(vector, format, ty)),
            (_, Ty::Float(kind)) => float_format(kind).map(|format| {
                let op = if from.is_signed() { FloatOp::FromSigned } else { FloatOp::FromUnsigned };
                (self.terms.bv(BvOp::Float(format, op), &[vector]), Terms::TRUE)
            }),
            _ => None,
        };
        let (value, when) =
            value.unwrap_or_else(|| (self.round_up(transition, Rounding::FloatConversion, ty), Terms::TRUE));
        (Coded::Int(value), when)
    }

    /// A number in the other format. Of a NaN the sign and the highest bits of the fraction stay, and it is quiet.
    fn between_formats(&mut self, vector: TermId, source: FloatFormat, target: FloatFormat) -> TermId {
        let number = self.terms.bv(BvOp::Float(target, FloatOp::FromOther), &[vector]);
        let is_nan = self.is_nan(source, vector);
        if is_nan == Terms::FALSE {
            return number;
        }
        let (width, top) = (source.width(), source.width() - 1);
        let sign = self.terms.bv(BvOp::Extract { high: top, low: top }, &[vector]);
        let (from, to) = (source.precision() - 1, target.precision() - 1);
        let fraction = self.terms.bv(BvOp::Extract { high: from - 1, low: 0 }, &[vector]);
        let fraction = if from > to {
            self.terms.bv(BvOp::Extract { high: from - 1, low: from - to }, &[fraction])
        } else {
            let zeros = self.terms.bv_number(to - from, 0);
            self.terms.bv(BvOp::Concat, &[fraction, zeros])
        };
        debug_assert!(width != target.width(), "two formats should differ");
        let exponent = self.terms.bv_number(target.exponent(), -1);
        let high = self.terms.bv(BvOp::Concat, &[sign, exponent]);
        let nan = self.terms.bv(BvOp::Concat, &[high, fraction]);
        let nan = self.quiet(target, nan);
        self.terms.ite(is_nan, nan, number)
    }

    /// The integer that a number is without its fraction, and whether the type holds it.
    fn whole_part(&mut self, vector: TermId, format: FloatFormat, ty: Ty) -> (TermId, TermId) {
        let width = self.width(ty);
        let number = |terms: &mut Terms, bits: u64| terms.bv_number(format.width(), Integer::from(bits));
        let less = |terms: &mut Terms, op: FloatOp, a, b| terms.bv(BvOp::Float(format, op), &[a, b]);
        let (op, above) = if ty.is_signed() {
            let least = format.sign_bit() | format.power_of_two(width - 1);
            // One less than the least value, if it is a number of the format; else the next one below has another whole part.
            let above = if width <= format.precision() {
                let below = -Integer::power_of_two(width - 1) - Integer::ONE;
                let below = self.terms.bv_number(width + 1, below);
                let least = self.terms.bv(BvOp::Float(format, FloatOp::FromSigned), &[below]);
                less(self.terms, FloatOp::Lt, least, vector)
            } else {
                let least = number(self.terms, least);
                less(self.terms, FloatOp::Le, least, vector)
            };
            (FloatOp::ToSigned(width), above)
        } else {
            let minus_one = number(self.terms, format.sign_bit() | format.power_of_two(0));
            (FloatOp::ToUnsigned(width), less(self.terms, FloatOp::Lt, minus_one, vector))
        };
        let limit = number(self.terms, format.power_of_two(if ty.is_signed() { width - 1 } else { width }));
        let below = less(self.terms, FloatOp::Lt, vector, limit);
        let when = self.terms.and([above, below]);
        (self.terms.bv(BvOp::Float(format, op), &[vector]), when)
    }
}
