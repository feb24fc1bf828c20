//! When is an expression of a program defined?
//!
//! The conditions say in the program's own expressions what the interpreter would object to: results of signed arithmetic that do not fit, division by zero,
//! shift amounts, indices and offsets out of bounds.
//!
//! # Invariants
//! * I1: a condition is itself defined in every state.
//! * I2: an expression has a value in every state in which its condition holds.

use std::collections::{BTreeMap, BTreeSet};

use cfa::{BinaryOp, Expr, ExprId, Exprs, Length, Program, SignedOverflow, Storage, Ty, UnaryOp};

/// When an expression is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Defined {
    /// In every state.
    Always,
    /// In the states in which a condition holds.
    If(ExprId),
    /// Nobody knows: what it depends on.
    Unknown(String),
}

/// Computes conditions, and adds them to a program.
pub(crate) struct Definedness<'a> {
    program: &'a mut Program,
    known: BTreeMap<ExprId, Defined>,
}

impl<'a> Definedness<'a> {
    pub(crate) fn new(program: &'a mut Program) -> Self {
        Self { program, known: BTreeMap::new() }
    }

    /// When an expression is defined.
    pub(crate) fn of(&mut self, expr: ExprId) -> Defined {
        let mut needed = BTreeSet::new();
        let mut stack = vec![expr];
        while let Some(next) = stack.pop() {
            if !self.known.contains_key(&next) && needed.insert(next) {
                stack.extend(self.program.exprs.get(next).operands());
            }
        }
        // Operands come first.
        for next in needed {
            let defined = self.node(next);
            self.known.insert(next, defined);
        }
        self.known[&expr].clone()
    }

    /// Both are defined; the second is evaluated only if the first is.
    pub(crate) fn both(&mut self, first: Defined, second: Defined) -> Defined {
        match (first, second) {
            (Defined::Always, other) | (other, Defined::Always) => other,
            (Defined::Unknown(what), _) | (_, Defined::Unknown(what)) => Defined::Unknown(what),
            (Defined::If(first), Defined::If(second)) => Defined::If(self.and(first, second)),
        }
    }

    fn node(&mut self, expr: ExprId) -> Defined {
        let node = *self.program.exprs.get(expr);
        if let Expr::Ite { cond, then, other } = node {
            let chosen = match (self.known[&then].clone(), self.known[&other].clone()) {
                (Defined::Always, Defined::Always) => Defined::Always,
                (Defined::Unknown(what), _) | (_, Defined::Unknown(what)) => Defined::Unknown(what),
                (then, other) => {
                    let mut condition = |defined: Defined| match defined {
                        Defined::If(condition) => condition,
                        _ => self.program.exprs.bool(true),
                    };
                    let (then, other) = (condition(then), condition(other));
                    Defined::If(self.program.exprs.add(Expr::Ite { cond, then, other }))
                }
            };
            let first = self.known[&cond].clone();
            return self.both(first, chosen);
        }
        let mut all = Defined::Always;
        for operand in node.operands() {
            let operand = self.known[&operand].clone();
            all = self.both(all, operand);
        }
        let own = self.own(node);
        self.both(all, own)
    }

    /// When an operation is defined whose operands are.
    fn own(&mut self, node: Expr) -> Defined {
        let exprs = &self.program.exprs;
        match node {
            Expr::Const { .. }
            | Expr::Var { .. }
            | Expr::Address { .. }
            | Expr::Function { .. }
            | Expr::Ite { .. } => Defined::Always,
            Expr::Unary { op: UnaryOp::Neg, arg } if self.overflows(exprs.ty(arg)) => {
                let ty = exprs.ty(arg);
                let Some((least, _)) = ty.range() else { return unknown("a negation") };
                self.within(arg, Some(least + 1), None)
            }
            Expr::Unary { .. } => Defined::Always,
            Expr::Binary { op, lhs, rhs } => self.binary(op, lhs, rhs),
            Expr::Cast { ty, arg } if exprs.ty(arg).is_float() && ty.is_int() => {
                unknown("a conversion from a floating-point number to an integer")
            }
            Expr::Cast { .. } => Defined::Always,
            Expr::Elem { array, index, .. } => match self.program.vars[array].storage {
                Storage::Array { length: Length::Fixed(length), .. } => {
                    self.within(index, Some(0), Some(i128::from(length) - 1))
                }
                _ => unknown("an element of an array of variable length"),
            },
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost => Defined::Always,
            Expr::Bounded { index, low, bound } => {
                self.within(index, Some(i128::from(low)), Some(i128::from(bound) - 1))
            }
            Expr::Undefined { .. } => unknown("an undefined expression"),
            Expr::Load { ty: Ty::BOOL, .. } => unknown("a truth value in memory"),
            Expr::Load { addr, ty } => {
                let size = self.program.size_of(ty);
                self.access(addr, size)
            }
            Expr::LoadBits { addr, bit, ty } => {
                let bits = u64::from(bit) + u64::from(ty.width(self.program.data_model));
                self.access(addr, bits.div_ceil(8))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Defined {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(lhs);
        if !ty.is_int() {
            return Defined::Always;
        }
        match op {
            BinaryOp::Add | BinaryOp::Sub if self.overflows(ty) => self.sum(op, lhs, rhs),
            BinaryOp::Mul if self.overflows(ty) => self.product(lhs, rhs),
            BinaryOp::Div | BinaryOp::Rem => {
                let is_zero = self.excluded(rhs, 0);
                // A quotient never wraps around.
                let overflows = if ty.is_signed() { self.quotient(lhs, rhs) } else { Defined::Always };
                self.both(is_zero, overflows)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let width = i128::from(ty.width(self.program.data_model));
                self.within(rhs, Some(0), Some(width - 1))
            }
            _ => Defined::Always,
        }
    }

    /// Whether arithmetic of a type may overflow.
    fn overflows(&self, ty: Ty) -> bool {
        ty.is_signed() && self.program.signed_overflow != SignedOverflow::Wrap
    }

    /// Sums and differences: no operation of the condition leaves the type.
    fn sum(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Defined {
        let exprs = &mut self.program.exprs;
        let ty = exprs.ty(lhs);
        let (Some((least, greatest)), Some(left), Some(right)) =
            (ty.range(), range(exprs, lhs), range(exprs, rhs))
        else {
            return unknown("a sum");
        };
        let is_sum = op == BinaryOp::Add;
        let (low, high) = if is_sum {
            (left.0.checked_add(right.0), left.1.checked_add(right.1))
        } else {
            (left.0.checked_sub(right.1), left.1.checked_sub(right.0))
        };
        if low.is_some_and(|low| low >= least) && high.is_some_and(|high| high <= greatest) {
            return Defined::Always;
        }
        let ends = |constant: i128, bound: i128| {
            if is_sum { bound.checked_sub(constant) } else { bound.checked_add(constant) }
        };
        if right.0 == right.1 {
            return self.within(lhs, ends(right.0, least), ends(right.0, greatest));
        }
        if left.0 == left.1 {
            let (low, high) = if is_sum { (least, greatest) } else { (greatest, least) };
            let end =
                |bound: i128| if is_sum { bound.checked_sub(left.0) } else { left.0.checked_sub(bound) };
            return self.within(rhs, end(low), end(high));
        }
        // The bounds of the left operand, given the right one.
        let (zero, least, greatest) = (exprs.int(ty, 0), exprs.int(ty, least), exprs.int(ty, greatest));
        let is_positive = exprs.binary(BinaryOp::Le, zero, rhs);
        let (back, forth) = if is_sum { (greatest, least) } else { (least, greatest) };
        let inverse = if is_sum { BinaryOp::Sub } else { BinaryOp::Add };
        let (above, below) = (exprs.binary(inverse, back, rhs), exprs.binary(inverse, forth, rhs));
        let (then, other) = if is_sum {
            (exprs.binary(BinaryOp::Le, lhs, above), exprs.binary(BinaryOp::Le, below, lhs))
        } else {
            (exprs.binary(BinaryOp::Le, above, lhs), exprs.binary(BinaryOp::Le, lhs, below))
        };
        Defined::If(exprs.add(Expr::Ite { cond: is_positive, then, other }))
    }

    fn product(&mut self, lhs: ExprId, rhs: ExprId) -> Defined {
        let exprs = &mut self.program.exprs;
        let ty = exprs.ty(lhs);
        let (Some((least, greatest)), Some(left), Some(right)) =
            (ty.range(), range(exprs, lhs), range(exprs, rhs))
        else {
            return unknown("a product");
        };
        let corners = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
        let fits = |(a, b): (i128, i128)| {
            a.checked_mul(b).is_some_and(|product| least <= product && product <= greatest)
        };
        if corners.into_iter().all(fits) {
            return Defined::Always;
        }
        for (factor, other) in [(right, lhs), (left, rhs)] {
            if factor.0 == factor.1 {
                // Zero and one always fit.
                return match factor.0 {
                    -1 => self.within(other, Some(least + 1), None),
                    factor if factor > 0 => self.within(other, Some(least / factor), Some(greatest / factor)),
                    factor => self.within(other, Some(greatest / factor), Some(least / factor)),
                };
            }
        }
        let Ty::Int { width: width @ ..=64, .. } = ty else { return unknown("a product of long integers") };
        let wide = Ty::signed(2 * width);
        let (left, right) = (exprs.cast(wide, lhs), exprs.cast(wide, rhs));
        let product = exprs.binary(BinaryOp::Mul, left, right);
        self.within(product, Some(least), Some(greatest))
    }

    /// Not the least value by -1.
    fn quotient(&mut self, lhs: ExprId, rhs: ExprId) -> Defined {
        let least = self.program.exprs.ty(lhs).range().map_or(i128::MIN, |range| range.0);
        match (self.excluded(lhs, least), self.excluded(rhs, -1)) {
            (Defined::If(first), Defined::If(second)) => Defined::If(self.or(first, second)),
            _ => Defined::Always,
        }
    }

    /// The condition that an integer is not a value; always if it cannot be by its type.
    fn excluded(&mut self, expr: ExprId, value: i128) -> Defined {
        let exprs = &mut self.program.exprs;
        if range(exprs, expr).is_some_and(|(low, high)| value < low || value > high) {
            return Defined::Always;
        }
        let value = exprs.int(exprs.ty(expr), value);
        Defined::If(exprs.binary(BinaryOp::Ne, expr, value))
    }

    /// The condition that an integer lies between bounds.
    fn within(&mut self, expr: ExprId, low: Option<i128>, high: Option<i128>) -> Defined {
        let exprs = &mut self.program.exprs;
        let ty = exprs.ty(expr);
        let Some((least, greatest)) = range(exprs, expr) else { return unknown("an integer of 128 bits") };
        let mut condition = Defined::Always;
        if let Some(low) = low.filter(|low| *low > least) {
            condition = if low > greatest {
                Defined::If(exprs.bool(false))
            } else {
                let bound = exprs.int(ty, low);
                Defined::If(exprs.binary(BinaryOp::Le, bound, expr))
            };
        }
        if let Some(high) = high.filter(|high| *high < greatest) {
            let exprs = &mut self.program.exprs;
            let below = if high < least {
                exprs.bool(false)
            } else {
                let bound = exprs.int(ty, high);
                exprs.binary(BinaryOp::Le, expr, bound)
            };
            condition = self.both(condition, Defined::If(below));
        }
        condition
    }

    /// An access to an object that is known, at an offset inside it.
    fn access(&mut self, addr: ExprId, size: u64) -> Defined {
        let exprs = &mut self.program.exprs;
        let wide = Ty::signed(128);
        let (mut base, mut constant, mut offset) = (addr, 0_i128, None);
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } = *exprs.get(base) {
            match *exprs.get(rhs) {
                Expr::Const { ty, bits } => constant += ty.value_of(bits),
                _ if offset.is_none() => offset = Some(rhs),
                _ => return unknown("an access to memory"),
            }
            base = lhs;
        }
        let Expr::Address { var } = *exprs.get(base) else { return unknown("an access through a pointer") };
        let Storage::Object { size: whole, .. } = self.program.vars[var].storage else {
            return unknown("an access to memory");
        };
        let last = i128::from(whole) - i128::from(size) - constant;
        match offset {
            None if constant >= 0 && last >= 0 => Defined::Always,
            None => Defined::If(self.program.exprs.bool(false)),
            Some(offset) if self.program.exprs.ty(offset) != wide => {
                self.within(offset, Some(-constant), Some(last))
            }
            Some(_) => unknown("an access to memory"),
        }
    }

    /// The second is evaluated only if the first holds.
    fn and(&mut self, cond: ExprId, then: ExprId) -> ExprId {
        let other = self.program.exprs.bool(false);
        if then == other || cond == then {
            return then;
        }
        if cond == other {
            return other;
        }
        self.program.exprs.add(Expr::Ite { cond, then, other })
    }

    fn or(&mut self, cond: ExprId, other: ExprId) -> ExprId {
        let then = self.program.exprs.bool(true);
        self.program.exprs.add(Expr::Ite { cond, then, other })
    }
}

fn unknown(what: &str) -> Defined {
    Defined::Unknown(what.to_owned())
}

/// Bounds of an integer by its value, its type, or the type that it was widened from.
fn range(exprs: &Exprs, expr: ExprId) -> Option<(i128, i128)> {
    let own = exprs.ty(expr).range();
    match *exprs.get(expr) {
        Expr::Const { ty, bits } if own.is_some() => Some((ty.value_of(bits), ty.value_of(bits))),
        Expr::Cast { arg, .. } => {
            let inner = exprs.ty(arg).range();
            let (inner, outer) = (inner.or(own)?, own?);
            if outer.0 <= inner.0 && inner.1 <= outer.1 { Some(inner) } else { Some(outer) }
        }
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use base::{Region, SourceMap};
    use cfa::{DataModel, Var, VarId};
    use interp::{EvalError, Value, eval};

    use super::*;

    /// The generator splitmix64.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }
        fn below(&mut self, limit: usize) -> usize {
            (self.next() % limit as u64) as usize
        }
        /// Values near the ends of a type, and any.
        fn value(&mut self, ty: Ty) -> i128 {
            let (least, greatest) = ty.range().unwrap();
            let near = self.below(4) as i128;
            match self.below(4) {
                0 => least + near,
                1 => greatest - near,
                2 => near - 2,
                _ => i128::from(self.next() as i64),
            }
        }
    }

    const TYPES: [Ty; 6] =
        [Ty::signed(8), Ty::signed(32), Ty::signed(64), Ty::unsigned(8), Ty::unsigned(32), Ty::unsigned(64)];

    fn variables(program: &mut Program) -> Vec<(VarId, Ty)> {
        let new = |ty: Ty| Var {
            name: "v".into(),
            storage: Storage::Scalar(ty),
            owner: None,
            c_type: "".into(),
            declared: Region::NOWHERE,
            scope: Region::NOWHERE,
        };
        TYPES.iter().map(|ty| (program.vars.push(new(*ty)), *ty)).collect()
    }

    fn expression(
        program: &mut Program,
        vars: &[(VarId, Ty)],
        ty: Ty,
        depth: usize,
        random: &mut Random,
    ) -> ExprId {
        if depth == 0 {
            let (var, own) = vars[random.below(vars.len())];
            let value = random.value(ty);
            let exprs = &mut program.exprs;
            let var = exprs.var(var, own);
            return if random.below(3) == 0 { exprs.int(ty, value) } else { exprs.cast(ty, var) };
        }
        let mut sub = |program: &mut Program, ty: Ty| expression(program, vars, ty, depth - 1, random);
        let (lhs, rhs) = (sub(program, ty), sub(program, ty));
        let exprs = &mut program.exprs;
        match random.below(10) {
            0 => exprs.binary(BinaryOp::Add, lhs, rhs),
            1 => exprs.binary(BinaryOp::Sub, lhs, rhs),
            2 => exprs.binary(BinaryOp::Mul, lhs, rhs),
            3 => exprs.binary(BinaryOp::Div, lhs, rhs),
            4 => exprs.binary(BinaryOp::Rem, lhs, rhs),
            5 => exprs.binary(BinaryOp::Shl, lhs, rhs),
            6 => exprs.binary(BinaryOp::Shr, lhs, rhs),
            7 => exprs.unary(UnaryOp::Neg, lhs),
            8 => {
                let cond = exprs.binary(BinaryOp::Lt, lhs, rhs);
                exprs.add(Expr::Ite { cond, then: lhs, other: rhs })
            }
            _ => {
                let inner = TYPES[random.below(TYPES.len())];
                let inner = expression(program, vars, inner, depth - 1, random);
                program.exprs.cast(ty, inner)
            }
        }
    }

    #[test]
    fn conditions_hold_exactly_where_the_interpreter_finds_a_value() {
        let mut random = Random(11);
        let mut seen = [0_u32; 2];
        for round in 0..4_000_u32 {
            let overflow = if round % 5 == 0 { SignedOverflow::Wrap } else { SignedOverflow::Undefined };
            let mut program = Program::new(DataModel::Lp64, overflow, Arc::new(SourceMap::new()));
            let vars = variables(&mut program);
            let ty = TYPES[random.below(TYPES.len())];
            let depth = 1 + random.below(3);
            let expr = expression(&mut program, &vars, ty, depth, &mut random);
            let defined = Definedness::new(&mut program).of(expr);
            for _ in 0..20 {
                let values: Vec<i128> = vars.iter().map(|(_, ty)| random.value(*ty)).collect();
                let valuation = |var: VarId| {
                    let (at, (_, ty)) = vars.iter().enumerate().find(|(_, (known, _))| *known == var)?;
                    Some(Value { ty: *ty, bits: ty.bits_of(values[at]) })
                };
                let found = eval(&program, expr, &valuation);
                let expected = match &defined {
                    Defined::Always => true,
                    Defined::If(condition) => {
                        // I1
                        eval(&program, *condition, &valuation).expect("a condition should be defined").bits
                            != 0
                    }
                    Defined::Unknown(what) => panic!("{what}"),
                };
                assert_eq!(found.is_ok(), expected, "{found:?} of {values:?}");
                assert!(matches!(found, Ok(_) | Err(EvalError::Undefined { .. })), "{found:?}");
                seen[usize::from(expected)] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count > 5_000), "{seen:?}");
    }
}
