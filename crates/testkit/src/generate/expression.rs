//! Random integer expressions.

use super::Generator;
use super::effects::Effects;
use super::integer::{Int, Range};
use super::operator::{ARITHMETIC, COMPARISONS, sequence};
use super::place::Place;
use super::scope::{Storage, Variable};
use super::types::Type;
use super::value::{Expr, level};

impl Generator {
    /// A random expression; `depth` bounds its nesting.
    pub(super) fn expression(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.random.chance(12) {
            return self.leaf();
        }
        let effects = u32::from(self.state.effects);
        let floats = u32::from(self.options.floats);
        let kinds = [30, 8, 6, 8, 10, 6, 3, 8 * effects, 10, 2, 3, 2, 2, 5 * floats, 3];
        match self.random.weighted(&kinds) {
            0 => {
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                let op = *self.random.pick(&ARITHMETIC);
                self.apply(op, left, right)
            }
            1 => self.comparison(depth),
            2 => self.logical(depth),
            3 => {
                let value = self.expression(depth - 1);
                let op = *self.random.pick(&["-", "~", "!", "-", "~", "+"]);
                self.unary(op, value)
            }
            4 => {
                let value = self.expression(depth - 1);
                let ty = self.integer_type();
                self.cast(value, ty)
            }
            5 => {
                let condition = self.condition(depth - 1);
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                self.choice(&condition, &left, &right)
            }
            6 => {
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                self.elvis(&left, &right)
            }
            7 => self.effect(depth),
            8 => self.call_expression(depth).unwrap_or_else(|| self.leaf()),
            9 => self.statement_expression(depth),
            10 => self.type_information(depth),
            11 => self.compound_literal(depth),
            12 => self.pointer_comparison().unwrap_or_else(|| self.leaf()),
            13 => self.float_to_integer(depth),
            _ => self.string_element(),
        }
    }

    /// An expression without side effects.
    pub(super) fn pure_expression(&mut self, depth: u32) -> Expr {
        let before = std::mem::replace(&mut self.state.effects, false);
        let mut value = self.expression(depth);
        self.state.effects = before;
        if !value.effects.pure() {
            // Only the read of a volatile object or a call gets here.
            value = self.literal();
        }
        value
    }

    /// Something to branch on.
    pub(super) fn condition(&mut self, depth: u32) -> Expr {
        match self.random.below(10) {
            0..=4 => self.comparison(depth.max(1)),
            5 | 6 => self.logical(depth.max(1)),
            7 => {
                let value = self.expression(depth);
                self.unary("!", value)
            }
            _ => self.expression(depth),
        }
    }

    pub(super) fn comparison(&mut self, depth: u32) -> Expr {
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        let op = *self.random.pick(&COMPARISONS);
        self.apply(op, left, right)
    }

    /// `&&` and `||` sequence their operands, so they never conflict.
    fn logical(&mut self, depth: u32) -> Expr {
        let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
        let (op, own) = *self.random.pick(&[("&&", level::LOGICAL_AND), ("||", level::LOGICAL_OR)]);
        let text = format!("{} {op} {}", left.at(own), right.at(own + 1));
        Expr::new(text, own, Int::Int, Range::new(0, 1)).with(left.effects.join(&right.effects))
    }

    fn leaf(&mut self) -> Expr {
        match self.random.below(20) {
            0..=4 => self.literal(),
            5 => self.enum_constant().unwrap_or_else(|| self.literal()),
            6 => self.sizeof_type(),
            _ if self.state.constant => self.literal(),
            _ => match self.readable() {
                Some(place) => self.value_of(&place),
                None => self.literal(),
            },
        }
    }

    pub(super) fn sizeof_type(&mut self) -> Expr {
        let size = self.size_type();
        if !self.types.structs.is_empty() && self.random.chance(30) {
            let id = self.random.below(self.types.structs.len());
            let record = &self.types.structs[id];
            let whole = self.types.structs[id].fields.iter().filter(|field| field.width.is_none());
            let names: Vec<String> = whole.filter_map(|field| field.name.clone()).collect();
            let text = if names.is_empty() || self.random.chance(60) {
                format!("sizeof({})", record.spelling)
            } else {
                format!("__builtin_offsetof({}, {})", record.spelling, self.random.pick(&names))
            };
            return Expr::new(text, level::UNARY, size, Range::new(0, 4096));
        }
        let ty = self.integer_type();
        let bytes = i128::from(ty.size(self.options.model));
        let text = format!("sizeof({})", self.spell(ty));
        Expr::new(text, level::UNARY, size, Range::new(bytes, bytes))
    }

    /// The type of `sizeof`.
    pub(super) fn size_type(&self) -> Int {
        match self.options.model {
            super::Model::Ilp32 => Int::Unsigned,
            super::Model::Lp64 => Int::UnsignedLong,
        }
    }

    /// `sizeof expression` or `_Generic`: the result shows the exact type of the operand.
    fn type_information(&mut self, depth: u32) -> Expr {
        // The operand is not evaluated, so its side effects do not happen.
        let (before, cost) = (self.state.effects, self.state.cost);
        self.state.effects = !self.state.constant && self.random.chance(30);
        let operand = self.expression(depth - 1);
        (self.state.effects, self.state.cost) = (before, cost);
        if operand.opaque && !operand.effects.pure() {
            return self.literal();
        }
        if operand.opaque {
            return operand;
        }
        if self.random.chance(60) {
            let bytes = i128::from(operand.ty.size(self.options.model));
            let text = format!("sizeof({})", operand.text.text);
            return Expr::new(text, level::UNARY, self.size_type(), Range::new(bytes, bytes));
        }
        let mut types = Int::COMMON;
        self.random.shuffle(&mut types);
        let kept = 3 + self.random.below(types.len() - 3);
        let branches: Vec<String> = types[..kept]
            .iter()
            .enumerate()
            .map(|(index, ty)| format!("{}: {}", ty.spellings()[0], index + 1))
            .collect();
        let text = format!("_Generic({}, {}, default: 0)", operand.at(level::ASSIGN), branches.join(", "));
        Expr::new(text, level::POSTFIX, Int::Int, Range::new(0, kept as i128))
    }

    /// An expression with a side effect: assignment, increment, comma.
    fn effect(&mut self, depth: u32) -> Expr {
        if self.random.chance(25) {
            let left = self.effect(depth);
            let right = self.expression(depth - 1);
            return sequence(&left, &right);
        }
        let Some(place) = self.writable() else { return self.leaf() };
        let value = match self.random.below(4) {
            0 => self.assignment(&place, depth - 1),
            1 | 2 => self.increment(&place).unwrap_or_else(|| self.assignment(&place, depth - 1)),
            _ => self.compound_assignment(&place, depth - 1),
        };
        if place.width.is_some() {
            // The type of an assignment to a bit-field is gcc's secret, its value is not.
            let ty = self.place_type(&place);
            return self.cast(value, ty);
        }
        value
    }

    /// `place = value`.
    pub(super) fn assignment(&mut self, place: &Place, depth: u32) -> Expr {
        let mut value = self.expression(depth);
        if value.effects.races_with_store(place.root) || place.effects.conflicts(&value.effects) {
            value = self.literal();
        }
        self.assign(place, value)
    }

    /// `place = value` for a value that does not conflict with the place.
    pub(super) fn assign(&mut self, place: &Place, value: Expr) -> Expr {
        let value = self.stored(place, value);
        let ty = self.place_type(place);
        let range = match (place.range, place.width) {
            (Some(range), _) => range,
            (None, Some(_)) => self.place_range(place),
            (None, None) => value.range.convert(value.ty, ty, self.options.model),
        };
        let text = format!("{} = {}", place.text.at(level::UNARY), value.at(level::ASSIGN));
        Expr::new(text, level::ASSIGN, ty, range).with(place.writing().join(&value.effects))
    }

    /// The value brought into the interval the place keeps; other conversions are implicit.
    pub(super) fn stored(&mut self, place: &Place, value: Expr) -> Expr {
        match place.range {
            Some(range) => self.coerce(value, range),
            None => value,
        }
    }

    /// `++` or `--` in prefix or postfix form, where it cannot overflow.
    pub(super) fn increment(&mut self, place: &Place) -> Option<Expr> {
        let ty = self.place_type(place);
        // A type narrower than `int` is incremented as `int` and converted back.
        let narrow = ty.promote() != ty || place.width.is_some_and(|width| width < 32);
        if place.range.is_some() || (ty.signed() && !narrow) {
            return None;
        }
        let op = *self.random.pick(&["++", "--"]);
        let (text, level) = if self.random.chance(50) {
            (format!("{op}{}", place.text.at(level::UNARY)), level::UNARY)
        } else {
            (format!("{}{op}", place.text.at(level::POSTFIX)), level::POSTFIX)
        };
        let effects = place.reading().join(&place.writing());
        Some(Expr::new(text, level, ty, self.place_range(place)).with(effects))
    }

    /// `place op= value`, where the operation cannot overflow for any old value.
    pub(super) fn compound_assignment(&mut self, place: &Place, depth: u32) -> Expr {
        let old = self.value_of(place);
        let mut value = self.expression(depth);
        if value.effects.races_with_store(place.root) || old.effects.conflicts(&value.effects) {
            value = self.literal();
        }
        if place.range.is_some() {
            return self.assign(place, value);
        }
        let (op, value) = self.safe_update(place, &old, value);
        let ty = self.place_type(place);
        let text = format!("{} {op}= {}", place.text.at(level::UNARY), value.at(level::ASSIGN));
        let effects = old.effects.join(&place.writing()).join(&value.effects);
        Expr::new(text, level::ASSIGN, ty, self.place_range(place)).with(effects)
    }

    /// An operator and an operand for `place op= value` that are safe for every old value.
    fn safe_update(&mut self, place: &Place, old: &Expr, value: Expr) -> (&'static str, Expr) {
        const BITWISE: [&str; 3] = ["&", "|", "^"];
        let ty = self.place_type(place);
        let op = *self.random.pick(&ARITHMETIC);
        if Generator::wide_bit_field(place, ty) {
            let wrapping = !ty.signed() && matches!(op, "+" | "-" | "*");
            return (if wrapping { op } else { *self.random.pick(&BITWISE) }, value);
        }
        match op {
            "+" | "-" | "*" if self.sum_range(op, old, &value).1.is_none() => {
                let value = self.narrow(value);
                let fits = self.sum_range(op, old, &value).1.is_some();
                (if fits { op } else { *self.random.pick(&BITWISE) }, value)
            }
            "<<" | ">>" => {
                let promoted = old.ty.promote();
                let small = old.range.within(Range::new(0, 0xFFFF));
                let (op, most) = match op {
                    "<<" if promoted.signed() && small => (op, 8),
                    "<<" if promoted.signed() => (">>", promoted.bits(self.options.model) - 1),
                    _ => (op, promoted.bits(self.options.model) - 1),
                };
                (op, self.coerce(value, Range::new(0, i128::from(most))))
            }
            "/" | "%" => (op, self.literal_in(Range::new(1, 1000))),
            _ => (op, value),
        }
    }

    /// `({ ... })` with a local variable.
    fn statement_expression(&mut self, depth: u32) -> Expr {
        if self.state.constant || self.state.nesting > 4 {
            return self.leaf();
        }
        let first = self.pure_expression(depth - 1);
        let (declaration, ty) = self.deduced_declaration(&first);
        self.scope.open();
        let name = self.fresh("t");
        let id = self.scope.add(Variable::new(name.clone(), Type::Int(ty), Storage::Local));
        let place = self.variable_place(id);
        let counter = self.fresh("i");
        let (head, repeat) = if self.state.multiplier < 500 && self.random.chance(30) {
            (format!("for (int {counter} = 0; {counter} < 3; {counter}++) "), 3)
        } else {
            (String::new(), 1)
        };
        self.state.multiplier *= repeat;
        self.state.cost += 4 * self.state.multiplier;
        let update = self.compound_assignment(&place, 1);
        self.state.multiplier /= repeat;
        let mut result = self.value_of(&place);
        if self.random.chance(50) {
            let other = self.expression(1);
            let op = *self.random.pick(&ARITHMETIC);
            result = self.apply(op, result, other);
        }
        self.scope.close();
        let text = format!(
            "({{ {declaration} {name} = {}; {head}{}; {}; }})",
            first.at(level::ASSIGN),
            update.text.text,
            result.text.text
        );
        let mut effects = first.effects.join(&update.effects).join(&result.effects);
        effects.forget(id);
        Expr::new(text, level::POSTFIX, result.ty, result.range).with(effects)
    }

    /// A type for a variable initialised with the value, spelled directly or with `typeof`.
    pub(super) fn deduced_declaration(&mut self, value: &Expr) -> (String, Int) {
        if !value.opaque && self.random.chance(25) {
            return (format!("__typeof__({})", value.text.text), value.ty);
        }
        let ty = self.integer_type();
        (self.spell(ty), ty)
    }

    /// `(T){...}`, sometimes with an array.
    fn compound_literal(&mut self, depth: u32) -> Expr {
        let ty = self.integer_type();
        let spelling = self.spell(ty);
        if self.state.constant {
            return self.literal();
        }
        let full = ty.range(self.options.model);
        if self.random.chance(50) {
            let value = self.pure_expression(depth - 1);
            let text = format!("({spelling}){{{}}}", value.at(level::ASSIGN));
            let range = value.range.convert(value.ty, ty, self.options.model);
            return Expr::new(text, level::POSTFIX, ty, range).with(value.effects);
        }
        let length = 2 + self.random.below(3);
        let items: Vec<Expr> = (0..length).map(|_| self.pure_expression(depth - 1)).collect();
        let index = self.index(length);
        let parts: Vec<&Effects> = items.iter().map(|item| &item.effects).chain([&index.effects]).collect();
        let Some(effects) = Generator::unordered(&parts) else { return self.leaf() };
        let texts: Vec<String> = items.iter().map(|item| item.at(level::ASSIGN)).collect();
        let text = format!("({spelling}[]){{{}}}[{}]", texts.join(", "), index.text.text);
        Expr::new(text, level::POSTFIX, ty, full).with(effects)
    }

    /// Equality of two pointers to the same type.
    fn pointer_comparison(&mut self) -> Option<Expr> {
        if self.state.constant {
            return None;
        }
        let pointers = self.visible(|variable| matches!(variable.ty, Type::Pointer(_)));
        if !pointers.is_empty() && self.random.chance(40) {
            let id = *self.random.pick(&pointers);
            let name = &self.scope.variables[id].name;
            let (text, own, ty) = match self.random.below(4) {
                0 => (format!("!{name}"), level::UNARY, Int::Int),
                1 => (format!("(_Bool){name}"), level::UNARY, Int::Bool),
                2 => (format!("{name} != 0"), level::EQUALITY, Int::Int),
                _ => (format!("{name} && 0 != {name}"), level::LOGICAL_AND, Int::Int),
            };
            return Some(Expr::new(text, own, ty, Range::new(0, 1)).with(self.scope.reading(id)));
        }
        let ty = Type::Int(*self.random.pick(&[Int::Int, Int::Unsigned, Int::UnsignedChar, Int::Long]));
        let (left, left_effects) = self.address_of(&ty, usize::MAX)?;
        let (right, right_effects) = self.address_of(&ty, usize::MAX)?;
        let op = *self.random.pick(&["==", "!="]);
        let text = format!("{} {op} {}", left.at(level::RELATION), right.at(level::RELATION));
        let effects = Generator::unordered(&[&left_effects, &right_effects])?;
        Some(Expr::new(text, level::EQUALITY, Int::Int, Range::new(0, 1)).with(effects))
    }
}
