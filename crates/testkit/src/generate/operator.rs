//! Operators applied so that no operand value makes them undefined (I1 of the parent module).

use super::Generator;
use super::effects::Effects;
use super::integer::{Int, Range};
use super::value::{Expr, level};

/// Binary operators that compute in the common type of their operands.
pub(super) const ARITHMETIC: [&str; 10] = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
/// Operators with result 0 or 1.
pub(super) const COMPARISONS: [&str; 6] = ["<", ">", "<=", ">=", "==", "!="];

fn precedence(op: &str) -> u8 {
    match op {
        "*" | "/" | "%" => level::PRODUCT,
        "+" | "-" => level::SUM,
        "<<" | ">>" => level::SHIFT,
        "<" | ">" | "<=" | ">=" => level::RELATION,
        "==" | "!=" => level::EQUALITY,
        "&" => level::BIT_AND,
        "^" => level::BIT_XOR,
        "|" => level::BIT_OR,
        "&&" => level::LOGICAL_AND,
        _ => level::LOGICAL_OR,
    }
}

/// Joins two operands of a left-associative operator.
fn joined(op: &str, left: &Expr, right: &Expr, ty: Int, range: Range) -> Expr {
    let level = precedence(op);
    let text = format!("{} {op} {}", left.at(level), right.at(level + 1));
    Expr::new(text, level, ty, range).with(left.effects.clone().join(&right.effects))
}

/// `left, right`.
pub(super) fn sequence(left: &Expr, right: &Expr) -> Expr {
    let text = format!("{}, {}", left.at(level::COMMA), right.at(level::ASSIGN));
    let mut result = Expr::new(text, level::COMMA, right.ty, right.range);
    result.nonzero = right.nonzero;
    result.opaque = right.opaque;
    result.with(left.effects.clone().join(&right.effects))
}

impl Generator {
    /// `left op right`, made safe. If the operands conflict, the right one is replaced by a constant.
    pub(super) fn apply(&mut self, op: &str, left: Expr, mut right: Expr) -> Expr {
        if left.effects.conflicts(&right.effects) {
            right = self.literal();
        }
        match op {
            "<<" | ">>" => self.shift(op, left, right),
            "/" | "%" => self.divide(op, left, right),
            "&" | "|" | "^" => self.bitwise(op, &left, &right),
            "+" | "-" | "*" => self.arithmetic(op, left, &right),
            _ => joined(op, &left, &right, Int::Int, Range::new(0, 1)),
        }
    }

    fn common(&self, left: &Expr, right: &Expr) -> (Int, Range, Range) {
        let model = self.options.model;
        let ty = left.ty.usual(right.ty, model);
        (ty, left.range.convert(left.ty, ty, model), right.range.convert(right.ty, ty, model))
    }

    /// The interval of `+`, `-` or `*` in the common type; `None` if it could overflow.
    pub(super) fn sum_range(&self, op: &str, left: &Expr, right: &Expr) -> (Int, Option<Range>) {
        let (ty, a, b) = self.common(left, right);
        let full = ty.range(self.options.model);
        if ty == Int::Unsigned128 {
            return (ty, Some(full));
        }
        let exact = match op {
            "+" => a.add(b),
            "-" => a.sub(b),
            _ => a.mul(b),
        };
        let fitting = exact.filter(|range| range.within(full));
        (ty, if ty.signed() { fitting } else { Some(fitting.unwrap_or(full)) })
    }

    fn arithmetic(&mut self, op: &str, left: Expr, right: &Expr) -> Expr {
        let (ty, range) = self.sum_range(op, &left, right);
        if let Some(range) = range {
            return joined(op, &left, right, ty, range);
        }
        match self.random.below(6) {
            0 if !self.state.constant && ty != Int::Int128 => self.guarded(op, ty, &left, right),
            1 | 2 => {
                let narrowed = (self.narrow(left.clone()), self.narrow(right.clone()));
                let (ty, range) = self.sum_range(op, &narrowed.0, &narrowed.1);
                match range {
                    Some(range) => joined(op, &narrowed.0, &narrowed.1, ty, range),
                    None => self.wrapping(op, left, right, ty),
                }
            }
            3 => {
                let wide = self.cast(left.clone(), Int::LongLong);
                match self.sum_range(op, &wide, right) {
                    (wide_ty, Some(range)) => joined(op, &wide, right, wide_ty, range),
                    (_, None) => self.wrapping(op, left, right, ty),
                }
            }
            _ => self.wrapping(op, left, right, ty),
        }
    }

    /// Computes in the unsigned type of the same size and sometimes converts the result back.
    fn wrapping(&mut self, op: &str, left: Expr, right: &Expr, ty: Int) -> Expr {
        let unsigned = ty.to_unsigned();
        let left = self.cast(left, unsigned);
        let result = joined(op, &left, right, unsigned, unsigned.range(self.options.model));
        if self.random.chance(40) { self.cast(result, ty) } else { result }
    }

    /// Calls a helper function that checks for overflow first.
    fn guarded(&mut self, op: &str, ty: Int, left: &Expr, right: &Expr) -> Expr {
        let word = match op {
            "+" => "add",
            "-" => "sub",
            _ => "mul",
        };
        let (suffix, highest, limit) = match ty {
            Int::Int => ("int", "2147483647", "(-2147483647 - 1)"),
            Int::Long if self.options.model == super::Model::Lp64 => {
                ("long", "9223372036854775807L", "(-9223372036854775807L - 1)")
            }
            Int::Long => ("long", "2147483647L", "(-2147483647L - 1)"),
            _ => ("llong", "9223372036854775807LL", "(-9223372036854775807LL - 1)"),
        };
        let name = format!("safe_{word}_{suffix}");
        let spelling = ty.spellings()[0];
        let test = match op {
            "+" => format!("b > 0 ? a > {highest} - b : a < {limit} - b"),
            "-" => format!("b > 0 ? a < {limit} + b : a > {highest} + b"),
            _ => format!(
                "a > 0 ? (b > 0 ? a > {highest} / b : b < {limit} / a) : b > 0 ? a < {limit} / b : a != 0 && b < {highest} / a"
            ),
        };
        let helper = format!(
            "static {spelling} {name}({spelling} a, {spelling} b)\n{{\n    if ({test})\n        return a;\n    return a {op} b;\n}}"
        );
        self.output.helpers.insert(name.clone(), helper);
        let text = format!("{name}({}, {})", left.at(level::ASSIGN), right.at(level::ASSIGN));
        let effects = left.effects.clone().join(&right.effects);
        Expr::new(text, level::POSTFIX, ty, ty.range(self.options.model)).with(effects)
    }

    /// A small value computed from the expression.
    pub(super) fn narrow(&mut self, value: Expr) -> Expr {
        let model = self.options.model;
        let small = Int::Short.range(model);
        if value.range.within(small) {
            return value;
        }
        match self.random.below(4) {
            0 => {
                let mask = (1_i128 << (1 + self.random.below(12))) - 1;
                let mask = self.number(mask);
                self.bitwise("&", &value, &mask)
            }
            1 => {
                let divisor = Expr::new(
                    self.random.between(2, 1000).to_string(),
                    level::POSTFIX,
                    Int::Int,
                    Range::new(1, 1000),
                );
                self.divide("%", value, divisor)
            }
            _ => {
                let ty = *self.random.pick(&[Int::Short, Int::SignedChar, Int::UnsignedChar, Int::Char]);
                self.cast(value, ty)
            }
        }
    }

    fn bitwise(&mut self, op: &str, left: &Expr, right: &Expr) -> Expr {
        let (ty, a, b) = self.common(left, right);
        let full = ty.range(self.options.model);
        let range = if op == "&" { a.and(b, full) } else { a.or(b, full) };
        let mut result = joined(op, left, right, ty, range);
        result.nonzero = op == "|" && (left.excludes_zero() || right.excludes_zero());
        result
    }

    fn shift(&mut self, op: &str, mut left: Expr, right: Expr) -> Expr {
        let model = self.options.model;
        let mut ty = left.ty.promote();
        let bits = i128::from(ty.bits(model));
        let counts = Range::new(0, bits - 1);
        let count = if right.range.within(counts) {
            right
        } else if self.random.chance(50) && right.effects.pure() {
            self.literal_in(counts)
        } else {
            let mask = self.number(bits - 1);
            self.bitwise("&", &right, &mask)
        };
        let a = left.range;
        let full = ty.range(model);
        if op == ">>" {
            let range = if ty == Int::Unsigned128 { full } else { a.shift_right(count.range) };
            return joined(op, &left, &count, ty, range);
        }
        let fits = a.low >= 0 && a.high.leading_zeros() as i128 > count.range.high + (128 - bits);
        if ty.signed() && !fits {
            ty = ty.to_unsigned();
            left = self.cast(left, ty);
        }
        let range = if fits && ty != Int::Unsigned128 {
            Range::new(a.low << count.range.low, a.high << count.range.high)
        } else {
            ty.range(model)
        };
        joined(op, &left, &count, ty, range)
    }

    fn divide(&mut self, op: &str, mut left: Expr, mut right: Expr) -> Expr {
        let model = self.options.model;
        if !right.excludes_zero() {
            right = self.without_zero(&right);
        }
        let (mut ty, mut a, mut b) = self.common(&left, &right);
        let lowest = ty.range(model).low;
        if ty.signed() && a.contains(lowest) && b.contains(-1) {
            left = if self.random.chance(50) { self.cast(left, ty.to_unsigned()) } else { self.narrow(left) };
            (ty, a, b) = self.common(&left, &right);
        }
        let full = ty.range(model);
        let range = if op == "%" {
            a.rem(b, ty, model)
        } else if ty == Int::Unsigned128 {
            full
        } else {
            let quotient = a.div(b);
            Range::new(quotient.low.max(full.low), quotient.high.min(full.high))
        };
        joined(op, &left, &right, ty, range)
    }

    /// A divisor that cannot be zero.
    fn without_zero(&mut self, value: &Expr) -> Expr {
        let zero_free = |mut result: Expr| {
            result.nonzero = true;
            result
        };
        match self.random.below(5) {
            0 => {
                let literal = self.literal_in(Range::new(1, 1000));
                if value.effects.pure() { literal } else { sequence(value, &literal) }
            }
            1 | 2 => {
                let one = self.literal_in(Range::new(1, 7));
                zero_free(self.bitwise("|", value, &one))
            }
            3 if !self.state.constant => {
                let literal = self.literal_in(Range::new(1, 99));
                zero_free(self.elvis(value, &literal))
            }
            _ => {
                let mask = self.number(15);
                let masked = self.bitwise("&", value, &mask);
                let one = self.number(1);
                self.apply("+", masked, one)
            }
        }
    }

    /// `condition ?: otherwise` (GNU): the condition's value unless it is zero.
    pub(super) fn elvis(&self, condition: &Expr, otherwise: &Expr) -> Expr {
        let (ty, a, b) = self.common(condition, otherwise);
        let text = format!("{} ?: {}", condition.at(level::LOGICAL_OR), otherwise.at(level::CONDITION));
        let mut result = Expr::new(text, level::CONDITION, ty, a.union(b))
            .with(condition.effects.clone().join(&otherwise.effects));
        result.nonzero = otherwise.excludes_zero();
        result
    }

    /// `condition ? left : right`.
    pub(super) fn choice(&self, condition: &Expr, left: &Expr, right: &Expr) -> Expr {
        let (ty, a, b) = self.common(left, right);
        let text = format!(
            "{} ? {} : {}",
            condition.at(level::LOGICAL_OR),
            left.at(level::COMMA),
            right.at(level::CONDITION)
        );
        let effects = condition.effects.clone().join(&left.effects).join(&right.effects);
        Expr::new(text, level::CONDITION, ty, a.union(b)).with(effects)
    }

    /// A conversion to the type, always written.
    pub(super) fn cast(&mut self, value: Expr, ty: Int) -> Expr {
        let range = value.range.convert(value.ty, ty, self.options.model);
        let nonzero = value.nonzero && range == value.range;
        let text = format!("({}){}", self.spell(ty), value.at(level::UNARY));
        let mut result = Expr::new(text, level::UNARY, ty, range).with(value.effects);
        result.nonzero = nonzero;
        result
    }

    /// A unary operator that cannot overflow.
    pub(super) fn unary(&mut self, op: &str, mut value: Expr) -> Expr {
        let model = self.options.model;
        if op == "!" {
            let text = format!("!{}", value.text.operand());
            return Expr::new(text, level::UNARY, Int::Int, Range::new(0, 1)).with(value.effects);
        }
        let mut ty = value.ty.promote();
        if op == "-" && ty.signed() && value.range.contains(ty.range(model).low) {
            ty = ty.to_unsigned();
            value = self.cast(value, ty);
        }
        let full = ty.range(model);
        let range = match op {
            "-" => Range::new(0, 0).sub(value.range),
            "~" => Range::new(-1, -1).sub(value.range),
            _ => Some(value.range),
        };
        let range = range.filter(|range| range.within(full) && ty != Int::Unsigned128).unwrap_or(full);
        let text = format!("{op}{}", value.text.operand());
        Expr::new(text, level::UNARY, ty, range).with(value.effects)
    }

    /// The value forced into the interval, which should contain at least one value of `int`.
    pub(super) fn coerce(&mut self, value: Expr, range: Range) -> Expr {
        if value.range.within(range) && !(value.ty == Int::Unsigned128 && value.range.high == i128::MAX) {
            return value;
        }
        if range.low < 0 && range.high >= 0 {
            let bound = range.high.min(-range.low);
            let divisor = self.number(bound + 1);
            let result = self.divide("%", value.clone(), divisor);
            if result.range.within(range) {
                return result;
            }
            let literal = self.literal_in(range);
            return if value.effects.pure() { literal } else { sequence(&value, &literal) };
        }
        // One less than the type allows, so that one can be added.
        let span = range.high.saturating_sub(range.low).min(i128::MAX - 1);
        let offset = if range.low >= 0 && (!value.ty.promote().signed()) && self.random.chance(50) {
            let divisor = self.number(span + 1);
            self.divide("%", value, divisor)
        } else {
            let bits = 127 - (span + 1).leading_zeros();
            let mask = self.number((1_i128 << bits) - 1);
            self.bitwise("&", &value, &mask)
        };
        if range.low == 0 {
            return offset;
        }
        let low = self.number(range.low);
        self.apply("+", offset, low)
    }

    /// Effects of several operands evaluated in any order, or `None` if they conflict.
    pub(super) fn unordered(parts: &[&Effects]) -> Option<Effects> {
        let mut all = Effects::default();
        for part in parts {
            if all.conflicts(part) {
                return None;
            }
            all = all.join(part);
        }
        Some(all)
    }
}
