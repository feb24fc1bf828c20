//! Floating point with operations that IEEE 754 makes exact and reproducible.
//!
//! # Invariants
//! * I1: every expression has a bound on its magnitude, far from infinity; no division by zero: no NaN.
//! * I2: variables hold values of magnitude at most [`KEPT`].

use super::Generator;
use super::effects::Effects;
use super::integer::{Int, Range};
use super::operator::COMPARISONS;
use super::place::{Place, Want};
use super::scope::{Purpose, Qualifier};
use super::types::Type;
use super::value::{Expr, Text, level};

/// Bound of the values in variables (I2).
const KEPT: f64 = 1.0e6;
/// Bound of intermediate results.
const MAX_MAGNITUDE: f64 = 1.0e15;

/// A floating expression.
#[derive(Clone)]
pub(super) struct FloatExpr {
    pub(super) text: Text,
    bound: f64,
    effects: Effects,
}

impl FloatExpr {
    fn new(text: String, level: u8, bound: f64, effects: Effects) -> FloatExpr {
        FloatExpr { text: Text::new(text, level), bound, effects }
    }
}

impl Generator {
    pub(super) fn float_literal(&mut self) -> FloatExpr {
        let quarter = self.random.between(-4000, 4000) as f64 / 4.0;
        let (text, bound) = match self.random.below(7) {
            0 => ("0x1.8p3".to_owned(), 12.0),
            1 => ("1e3".to_owned(), 1000.0),
            2 => (".5f".to_owned(), 0.5),
            3 => (format!("{quarter:?}f"), quarter.abs()),
            4 => ("0.1".to_owned(), 0.2),
            5 => (format!("{:?}", quarter / 7.0), 1000.0),
            _ => (format!("{quarter:?}"), quarter.abs()),
        };
        let level = if text.starts_with('-') { level::UNARY } else { level::POSTFIX };
        FloatExpr::new(text, level, bound, Effects::default())
    }

    fn float_place(&mut self, purpose: Purpose) -> Option<Place> {
        let ids = self.visible(|variable| {
            purpose == Purpose::Read || (variable.frozen == 0 && variable.qualifier != Qualifier::Const)
        });
        self.walk_from(&ids, Want::Floating)
    }

    fn float_expression(&mut self, depth: u32) -> FloatExpr {
        if depth == 0 || self.random.chance(15) {
            return match self.float_place(Purpose::Read) {
                Some(place) if self.random.chance(70) => {
                    let effects = place.reading();
                    FloatExpr { text: place.text, bound: KEPT, effects }
                }
                _ => self.float_literal(),
            };
        }
        match self.random.below(10) {
            0..=4 => self.float_binary(depth),
            5 => {
                let value = self.float_expression(depth - 1);
                FloatExpr::new(format!("-{}", value.text.operand()), level::UNARY, value.bound, value.effects)
            }
            6 => {
                let value = self.float_expression(depth - 1);
                let ty = *self.random.pick(&["float", "double"]);
                let text = format!("({ty}){}", value.text.at(level::UNARY));
                FloatExpr::new(text, level::UNARY, value.bound * 1.001, value.effects)
            }
            7 => {
                let condition = self.pure_expression(1);
                let (left, right) = (self.float_expression(depth - 1), self.float_expression(depth - 1));
                let text = format!(
                    "{} ? {} : {}",
                    condition.at(level::LOGICAL_OR),
                    left.text.at(level::COMMA),
                    right.text.at(level::CONDITION)
                );
                let effects = condition.effects.join(&left.effects).join(&right.effects);
                FloatExpr::new(text, level::CONDITION, left.bound.max(right.bound), effects)
            }
            _ => self.integer_to_float(),
        }
    }

    fn integer_to_float(&mut self) -> FloatExpr {
        let mut value = self.pure_expression(2);
        if matches!(value.ty, Int::Int128 | Int::Unsigned128) || value.range.magnitude() > 1 << 40 {
            let ty = *self.random.pick(&[Int::Int, Int::Unsigned, Int::Short]);
            value = self.cast(value, ty);
        }
        let ty = *self.random.pick(&["float", "double", "double"]);
        let bound = value.range.magnitude() as f64 * 1.001;
        FloatExpr::new(format!("({ty}){}", value.at(level::UNARY)), level::UNARY, bound, value.effects)
    }

    fn float_binary(&mut self, depth: u32) -> FloatExpr {
        let left = self.float_expression(depth - 1);
        let mut right = self.float_expression(depth - 1);
        if left.effects.conflicts(&right.effects) {
            right = self.float_literal();
        }
        let effects = left.effects.clone().join(&right.effects);
        let (op, own, bound) = match self.random.below(7) {
            0..=2 => ("+", level::SUM, left.bound + right.bound),
            3 | 4 => ("-", level::SUM, left.bound + right.bound),
            5 => ("*", level::PRODUCT, left.bound * right.bound),
            _ => {
                let divisor = *self.random.pick(&["3.0", "0.75", "7.0f", "1024.0", "-2.5"]);
                let text = format!("{} / {divisor}", left.text.at(level::PRODUCT));
                return FloatExpr::new(text, level::PRODUCT, left.bound * 1.5, left.effects);
            }
        };
        if bound > MAX_MAGNITUDE {
            return left;
        }
        let text = format!("{} {op} {}", left.text.at(own), right.text.at(own + 1));
        FloatExpr::new(text, own, bound * 1.001, effects)
    }

    /// The value brought to a magnitude that variables may hold (I2).
    fn kept(&mut self, value: &FloatExpr) -> String {
        if value.bound <= KEPT * 0.99 {
            return value.text.at(level::ASSIGN);
        }
        self.output.helpers.insert(
            "clamp".to_owned(),
            "static double clamp(double x)\n{\n    return x > 1e6 ? 1e6 : x < -1e6 ? -1e6 : x;\n}".to_owned(),
        );
        format!("clamp({})", value.text.at(level::ASSIGN))
    }

    /// An integer made from floating values: a comparison or a conversion in range.
    pub(super) fn float_to_integer(&mut self, depth: u32) -> Expr {
        if self.state.constant {
            return self.literal();
        }
        let left = self.float_expression(depth);
        if self.random.chance(50) {
            let mut right = self.float_expression(1);
            if left.effects.conflicts(&right.effects) {
                right = self.float_literal();
            }
            let op = *self.random.pick(&COMPARISONS);
            let own = if op.ends_with("==") || op == "!=" { level::EQUALITY } else { level::RELATION };
            let text = format!("{} {op} {}", left.text.at(own), right.text.at(own + 1));
            return Expr::new(text, own, Int::Int, Range::new(0, 1)).with(left.effects.join(&right.effects));
        }
        let (ty, operand) = if left.bound < 2.0e9 {
            (Int::Int, left.text.at(level::UNARY))
        } else {
            (*self.random.pick(&[Int::Long, Int::LongLong]), left.text.at(level::UNARY))
        };
        let bound = (left.bound * 1.01 + 1.0) as i128;
        let range = Range::new(-bound, bound);
        let full = ty.range(self.options.model);
        let range = if range.within(full) { range } else { full };
        Expr::new(format!("({}){operand}", self.spell(ty)), level::UNARY, ty, range).with(left.effects)
    }

    pub(super) fn float_statement(&mut self) {
        let value = self.float_expression(3);
        let Some(place) = self.float_place(Purpose::Write).filter(|place| {
            !value.effects.races_with_store(place.root) && !place.effects.conflicts(&value.effects)
        }) else {
            let name = self.fresh("v");
            let ty = if self.random.chance(30) { Type::Float } else { Type::Double };
            let declaration = self.declare(&ty, &name);
            let text = self.kept(&value);
            self.output.line(format!("{declaration} = {text};"));
            self.scope.add(super::Variable::new(name, ty, super::Storage::Local));
            return;
        };
        let text = place.text.at(level::UNARY);
        let divisor = *self.random.pick(&["2.0", "3.0f", "1.5"]);
        let line = match self.random.below(5) {
            0 => format!("{text} /= {divisor};"),
            1 if value.bound < 1000.0 => {
                format!("if ({text} < 1000 && {text} > -1e3) {text} += {};", value.text.text)
            }
            2 if value.bound < 1000.0 => format!("if ({text} < 10.0 && -10.0f < {text}) {text}++;"),
            _ => format!("{text} = {};", self.kept(&value)),
        };
        self.output.line(line);
    }

    /// A helper that mixes the bits of a double.
    pub(super) fn need_mix_double(&mut self) {
        self.output.helpers.insert(
            "mix_double".to_owned(),
            "static void mix_double(double value)\n{\n    union { double value; unsigned long long bits; } pun;\n    pun.value = value;\n    mix(pun.bits);\n}".to_owned(),
        );
    }
}
