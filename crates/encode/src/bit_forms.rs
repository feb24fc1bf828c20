//! Bitwise operations on unknown operands that have an exact linear form.
//!
//! * Operands with ones at different places, as the parts of a rotation have: `a & b = 0`.
//! * Neighbours and opposites modulo the period of the type: `a & (a - 1)` is `a` without its lowest one, `a & -a` is that one, for narrow types, and `a & ~a = 0`.
//! * Operands of few bits, bit by bit.
//! * Operands with few values, and conditional ones: case by case, if each case has an exact form. Shifts by variables are conditional, so rotations by variables are treated here, too.
//! * Chains that were met before ([`crate::bits::Chains`]): `a ^ (a ^ b) = b`.
//!
//! Shifts and masks of a sum whose parts have no common one, as packed bytes are, are those of its parts ([`Encoder::field`]).
//!
//! The other operations follow: `a | b = a + b - (a & b)` and `a ^ b = a + b - 2 (a & b)`.
//!
//! # Meaning
//! Values are two's complements without end, so nothing here depends on a type but for its period.
//!
//! # Cost
//! At most [`MOST_CASES`] cases of an operation, with a few walks over its operands each.

use cfa::{BinaryOp, ExprId, Ty};
use term::{Integer, Linear, Node, Sort, SymbolId, TermId, Terms};

use crate::encoder::Encoder;
use values::value::Value;

/// Operations with more cases are rounded up.
const MOST_CASES: u32 = 130;
/// Operands of more terms are not treated case by case.
const MOST_TERMS: usize = 1_000;
/// Operands of so many values are treated value by value.
const MOST_VALUES: i128 = 4;
/// Two operands are taken apart bit by bit if they have at most this many.
const MOST_BITS: u32 = 8;
/// The lowest one of a wider operand is rounded up: it has a case for each bit, which is too much for the summaries of loops over bits.
const MOST_PLACES: u32 = 16;
/// Terms of more parts may have ones anywhere.
const MOST_PARTS: u32 = 200;
/// Sums of more parts are not taken apart.
const MOST_SEPARATE: usize = 16;
/// Masks have so many bits, and a sign.
const MASK_BITS: u32 = 126;

/// An operand and what the analysis knows of it.
#[derive(Clone, Copy)]
struct Operand {
    term: TermId,
    known: Option<Value>,
}

impl Operand {
    /// How many bits the operand has, if it is not negative.
    fn bits(&self) -> Option<u32> {
        self.known.and_then(bits_of)
    }
}

/// A bitwise operation of two operands of one type.
struct Operation {
    op: BinaryOp,
    ty: Ty,
    /// Cases that may still be distinguished.
    cases: u32,
}

impl Encoder<'_> {
    /// The exact result of a bitwise operation, as far as it has a linear form or was met before.
    pub(crate) fn exact_bits(
        &mut self,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> Option<TermId> {
        let cases = if self.terms.reachable(&[left, right]).len() > MOST_TERMS { 1 } else { MOST_CASES };
        let operand = |encoder: &Self, expr, term| Operand { term, known: encoder.known(expr) };
        let (left, right) = (operand(self, lhs, left), operand(self, rhs, right));
        self.in_cases(&mut Operation { op, ty, cases }, left, right)
    }

    fn in_cases(&mut self, operation: &mut Operation, left: Operand, right: Operand) -> Option<TermId> {
        operation.cases = operation.cases.checked_sub(1)?;
        if let Some(both) = self.conjunction(operation.ty, left, right) {
            return Some(by_conjunction(self.terms, operation.op, left.term, right.term, both));
        }
        if let Some(known) = self.known_chain(operation.op, [left.term, right.term], operation.ty) {
            return Some(known);
        }
        if let (Some(left_bits), Some(right_bits)) = (left.bits(), right.bits())
            && left_bits.max(right_bits) <= MOST_BITS
        {
            let bits = left_bits.max(right_bits);
            return Some(self.bit_by_bit(operation.op, left.term, right.term, bits));
        }
        for operand in [left, right] {
            let Some(value) = operand.known.filter(|value| members(*value) <= MOST_VALUES) else { continue };
            return self.by_values(operation, [left, right], operand.term, value);
        }
        let condition = [left, right].iter().find_map(|operand| condition_of(self.terms, operand.term))?;
        let mut results = [Terms::FALSE; 2];
        for (result, holds) in results.iter_mut().zip([Terms::TRUE, Terms::FALSE]) {
            let [left, right] = [left, right].map(|operand| Operand {
                term: assume(self.terms, operand.term, condition, holds),
                known: operand.known,
            });
            *result = self.in_cases(operation, left, right)?;
        }
        Some(self.terms.ite(condition, results[0], results[1]))
    }

    /// The operation, for each of the values of a term.
    fn by_values(
        &mut self,
        operation: &mut Operation,
        operands: [Operand; 2],
        term: TermId,
        value: Value,
    ) -> Option<TermId> {
        let mut result = None;
        let mut member = value.low();
        loop {
            let number = self.terms.number(member);
            let [left, right] = operands.map(|operand| Operand {
                term: self.terms.rewrite(operand.term, |_, part| if part == term { number } else { part }),
                // A single value is a number already.
                known: operand.known.filter(|value| members(*value) > MOST_VALUES),
            });
            let here = self.in_cases(operation, left, right)?;
            let is_here = self.terms.eq(term, number);
            result = Some(result.map_or(here, |others| self.terms.ite(is_here, here, others)));
            if member == value.high() {
                return result;
            }
            member += value.modulus().max(1);
        }
    }

    /// `left & right`, without cases.
    fn conjunction(&mut self, ty: Ty, left: Operand, right: Operand) -> Option<TermId> {
        let number = |encoder: &Self, term| encoder.terms.as_number(term).and_then(Integer::to_i128);
        for (operand, other) in [(left, right), (right, left)] {
            if let Some(mask) = number(self, operand.term) {
                return self.masked(other.term, mask);
            }
        }
        if self.ones(left) & self.ones(right) == 0 {
            return Some(self.terms.int(0));
        }
        self.neighbours(ty, left, right)
    }

    /// `left & right` of operands whose sum or difference is known modulo the period of their type.
    fn neighbours(&mut self, ty: Ty, left: Operand, right: Operand) -> Option<TermId> {
        let Ty::Int { width, .. } = ty else { return None };
        let width = u32::from(width);
        let period = Integer::power_of_two(width);
        let [first, second] = [left, right].map(|operand| unwrapped(self.terms, operand.term, &period));
        let of = |form: Linear| reduced(&form, &period).as_constant().cloned();
        let (sum, difference) = (of(first.add(&second)), of(first.sub(&second)));
        let minus = &period - Integer::ONE;
        match (sum, difference) {
            (Some(sum), _) if sum == minus => Some(self.terms.int(0)),
            (Some(sum), _) if sum.is_zero() => self.lowest_one(left, width),
            (_, Some(difference)) if difference.is_one() || difference == minus => {
                let greater = if difference.is_one() { left } else { right };
                let lowest = self.lowest_one(greater, width)?;
                Some(self.terms.sub(greater.term, lowest))
            }
            _ => None,
        }
    }

    /// The lowest one of a value: a power of two, or the least value of its type, or zero for zero.
    fn lowest_one(&mut self, operand: Operand, width: u32) -> Option<TermId> {
        let width = operand.bits().map_or(width, |bits| bits.min(width));
        if width > MOST_PLACES {
            return None;
        }
        // A multiple of the greatest power of two is zero or has no other one.
        let mut result = operand.term;
        for bit in (1..width).rev() {
            let no_lower = self.terms.divides(&Integer::power_of_two(bit), operand.term);
            let one = self.terms.number(Integer::power_of_two(bit - 1));
            result = self.terms.ite(no_lower, result, one);
        }
        Some(result)
    }

    fn ones(&self, operand: Operand) -> i128 {
        let known = operand.known.map_or(-1, ones_of);
        known & self.ones_in(operand.term)
    }

    /// Where a term may have ones: a mask, negative if the term may be negative or is large.
    pub(crate) fn ones_in(&self, term: TermId) -> i128 {
        let mut parts = MOST_PARTS;
        self.ones_below(term, &mut parts)
    }

    /// The depth of the recursion is at most the number of parts that are left.
    fn ones_below(&self, term: TermId, parts: &mut u32) -> i128 {
        let Some(left) = parts.checked_sub(1) else { return -1 };
        *parts = left;
        match self.terms.node(term) {
            Node::Number(number) => number.to_i128().unwrap_or(-1),
            Node::Symbol(symbol) => self.ones_of_symbol(*symbol),
            Node::Ite(_, yes, no) => self.ones_below(*yes, parts) | self.ones_below(*no, parts),
            Node::Mod(inner, divisor) => match exponent(divisor) {
                Some(bits) => self.ones_below(*inner, parts) & below(bits),
                None => divisor.to_i128().map_or(-1, |divisor| below(bits_in(divisor - 1))),
            },
            Node::Div(inner, divisor) => {
                let ones = self.ones_below(*inner, parts);
                match (exponent(divisor), divisor.to_i128()) {
                    (Some(bits), _) => ones >> bits.min(MASK_BITS),
                    (None, Some(divisor)) if ones >= 0 => below(bits_in(ones / divisor)),
                    (None, _) => -1,
                }
            }
            Node::Linear(form) => {
                let mut ones = form.constant_part().to_i128().unwrap_or(-1);
                for (part, factor) in form.terms() {
                    let scaled = scaled(self.ones_below(*part, parts), factor);
                    ones = added(ones, scaled);
                }
                ones
            }
            _ => -1,
        }
    }

    /// So many bits of a value, from a place on. Of a sum whose parts have no common one these are the bits of its parts, since nothing is carried.
    pub(crate) fn field(&mut self, value: TermId, start: u32, length: Option<u32>) -> TermId {
        let (place, kept) = (Integer::power_of_two(start), length.map_or(-1, below));
        let mut fields = Vec::new();
        for (part, ones) in self.separate(value) {
            let ones = ones >> start.min(MASK_BITS);
            if ones & kept == 0 {
                continue;
            }
            let field = self.terms.div(part, &place);
            fields.push(match length {
                Some(length) if ones & !kept != 0 || length > MASK_BITS => {
                    self.terms.modulo(field, &Integer::power_of_two(length))
                }
                Some(_) | None => field,
            });
        }
        self.terms.sum(fields)
    }

    /// The parts of a sum and where they may have ones, if no two have a common one; else the sum itself.
    fn separate(&mut self, value: TermId) -> Vec<(TermId, i128)> {
        let whole = vec![(value, self.ones_in(value))];
        let form = self.terms.linear(value);
        if form.terms().len() > MOST_SEPARATE {
            return whole;
        }
        let mut parts = Vec::new();
        if !form.constant_part().is_zero() {
            parts.push(self.terms.number(form.constant_part().clone()));
        }
        for (part, factor) in form.terms() {
            parts.push(self.terms.scale(factor, *part));
        }
        let (mut all, mut separate) = (0, Vec::new());
        for part in parts {
            let ones = self.ones_in(part);
            if all & ones != 0 {
                return whole;
            }
            all |= ones;
            separate.push((part, ones));
        }
        separate
    }

    fn ones_of_symbol(&self, symbol: SymbolId) -> i128 {
        let variable = self.vocabulary.var(symbol).and_then(|var| self.program.vars[var].scalar());
        match variable.or_else(|| self.type_of_skolem(symbol)) {
            Some(Ty::Int { width, signed: false }) => below(u32::from(width)),
            _ => -1,
        }
    }
}

/// What a bitwise operation gives whose operands have these ones in common.
pub(crate) fn by_conjunction(
    terms: &mut Terms,
    op: BinaryOp,
    left: TermId,
    right: TermId,
    both: TermId,
) -> TermId {
    let sum = terms.add(left, right);
    match op {
        BinaryOp::And => both,
        BinaryOp::Or => terms.sub(sum, both),
        _ => {
            let twice = terms.add(both, both);
            terms.sub(sum, twice)
        }
    }
}

/// The number of members, rounded up.
fn members(value: Value) -> i128 {
    match value.high().checked_sub(value.low()) {
        Some(distance) => distance / value.modulus().max(1) + 1,
        None => i128::MAX,
    }
}

/// How many bits the members have, if none is negative.
fn bits_of(value: Value) -> Option<u32> {
    (value.low() >= 0).then(|| bits_in(value.high()))
}

/// How many bits a number has that is not negative.
fn bits_in(number: i128) -> u32 {
    i128::BITS - number.leading_zeros()
}

/// A mask of the lowest bits.
fn below(bits: u32) -> i128 {
    if bits > MASK_BITS { -1 } else { (1 << bits) - 1 }
}

/// How many of the lowest bits of all values with these ones are zero.
fn zeros(ones: i128) -> u32 {
    ones.trailing_zeros().min(MASK_BITS)
}

/// Where members may have ones.
fn ones_of(value: Value) -> i128 {
    if let Some(constant) = value.as_constant() {
        return constant;
    }
    let low_zeros = zeros(value.modulus()).min(zeros(value.residue()));
    bits_of(value).map_or(-1, below) & (-1 << low_zeros)
}

fn exponent(number: &Integer) -> Option<u32> {
    let number = number.to_i128().filter(|number| *number > 0)?;
    (number.count_ones() == 1).then(|| number.trailing_zeros())
}

/// Where a multiple has ones.
fn scaled(ones: i128, factor: &Integer) -> i128 {
    let Some(factor) = factor.to_i128() else { return -1 };
    let low_zeros = (zeros(ones) + zeros(factor)).min(MASK_BITS);
    let bits = if ones >= 0 && factor > 0 { bits_in(ones) + bits_in(factor) } else { MASK_BITS + 1 };
    if bits > MASK_BITS {
        return -1 << low_zeros;
    }
    if factor.count_ones() == 1 { ones << factor.trailing_zeros() } else { below(bits) & (-1 << low_zeros) }
}

/// Where a sum has ones.
fn added(left: i128, right: i128) -> i128 {
    if left & right == 0 {
        return left | right;
    }
    let carried = if left >= 0 && right >= 0 { below(bits_in(left).max(bits_in(right)) + 1) } else { -1 };
    carried & (-1 << zeros(left).min(zeros(right)))
}

/// A condition that a term depends on, not inside of another one.
fn condition_of(terms: &Terms, mut term: TermId) -> Option<TermId> {
    loop {
        term = match terms.node(term) {
            Node::Ite(condition, ..) => return Some(*condition),
            Node::Div(inner, _) | Node::Mod(inner, _) => *inner,
            Node::Linear(form) => {
                let depends = |part: &TermId| condition_of_part(terms, *part);
                form.terms().iter().map(|(part, _)| *part).find(depends)?
            }
            _ => return None,
        };
    }
}

/// Whether a part of a sum depends on a condition.
fn condition_of_part(terms: &Terms, mut part: TermId) -> bool {
    loop {
        match terms.node(part) {
            Node::Ite(..) => return terms.sort(part) == Sort::Int,
            Node::Div(inner, _) | Node::Mod(inner, _) => part = *inner,
            _ => return false,
        }
    }
}

/// A term where a condition is true or false. An equation tells what a part is.
fn assume(terms: &mut Terms, term: TermId, condition: TermId, holds: TermId) -> TermId {
    let term = terms.rewrite(term, |_, part| if part == condition { holds } else { part });
    let Node::Zero(sum) = *terms.node(condition) else { return term };
    let form = terms.linear(sum);
    match form.terms() {
        [(known, factor)] if holds == Terms::TRUE && factor.is_one() => {
            let (known, value) = (*known, terms.number(-form.constant_part()));
            terms.rewrite(term, |_, part| if part == known { value } else { part })
        }
        _ => term,
    }
}

/// A sum with the same value modulo a period, without the choices and remainders that only bring it into its range.
fn unwrapped(terms: &Terms, term: TermId, period: &Integer) -> Linear {
    let mut form = reduced(&terms.linear(term), period);
    // Each step goes from a term to one of its subterms.
    loop {
        let step = form.terms().iter().find_map(|(part, factor)| match terms.node(*part) {
            Node::Mod(inner, divisor) if period.divides(&(divisor * factor)) => {
                Some((*part, factor.clone(), *inner))
            }
            Node::Ite(_, yes, no) => {
                let distance = terms.linear(*yes).sub(&terms.linear(*no)).scale(factor);
                let is_period = reduced(&distance, period).as_constant().is_some_and(Integer::is_zero);
                is_period.then(|| (*part, factor.clone(), *no))
            }
            _ => None,
        });
        let Some((part, factor, inner)) = step else { return form };
        form = reduced(&form.without(part).add_scaled(&terms.linear(inner), &factor), period);
    }
}

/// A sum with coefficients from zero to below the period.
fn reduced(form: &Linear, period: &Integer) -> Linear {
    form.map(|factor| factor.modulo(period), form.constant_part().modulo(period))
}
