//! Integer expressions.

use super::types::{INTEGERS, Type};
use super::{Feature, Generator};

impl Generator {
    /// A small expression without any condition: a number or a plain variable.
    pub(super) fn simple(&mut self) -> String {
        let plain: Vec<String> = self
            .locals
            .iter()
            .chain(&self.globals)
            .filter(|variable| variable.ty.is_integer())
            .map(|variable| variable.name.clone())
            .collect();
        if plain.is_empty() || self.random.chance(25) {
            return self.random.below(9).to_string();
        }
        self.random.pick(&plain).clone()
    }

    /// An integer expression whose signed arithmetic cannot overflow.
    pub(super) fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(12) {
            0..=3 => self.leaf(),
            4 | 5 => {
                let (one, other) = (self.integer(depth - 1), self.integer(depth - 1));
                let op = self.random.pick(&["+", "-", "*", "^", "&", "|"]);
                let ty = self.random.pick(&["unsigned", "unsigned long long", "unsigned long"]);
                format!("(({ty})({one}) {op} ({other}))")
            }
            6 => {
                let (one, other) = (self.integer(depth - 1), self.integer(depth - 1));
                let op = self.random.pick(&["<", "<=", "==", "!="]);
                format!("(({one}) {op} ({other}))")
            }
            7 => {
                let inner = self.integer(depth - 1);
                let ty = INTEGERS[self.random.below(INTEGERS.len())];
                format!("(({ty})({inner}))")
            }
            8 => {
                let inner = self.integer(depth - 1);
                format!(
                    "((unsigned)({inner}) {} {})",
                    self.random.pick(&[">>", "%", "/"]),
                    1 + self.random.below(9)
                )
            }
            9 | 10 => self.comparison(),
            _ => self.difference(),
        }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(6) {
            0 => match self.random.below(4) {
                0 => format!("{}", self.random.between(-300, 300)),
                1 => format!("{}", self.random.between(-100_000, 100_000)),
                _ => self.random.below(10).to_string(),
            },
            1 => self.simple(),
            _ => match self.place(|place| place.ty.is_integer()) {
                Some(place) => {
                    self.guards.extend(place.guards);
                    place.text
                }
                None => self.simple(),
            },
        }
    }

    /// A comparison of pointers.
    fn comparison(&mut self) -> String {
        let Some(place) = self.place(|place| matches!(place.ty, Type::Pointer(_))) else {
            return self.simple();
        };
        let Type::Pointer(target) = place.ty.clone() else { return self.simple() };
        self.guards.extend(place.guards);
        let op = self.random.pick(&["==", "!="]);
        if self.random.chance(40) {
            return format!("({} {op} 0)", place.text);
        }
        let other = self.pointer_to(&target, 1);
        format!("({} {op} {other})", place.text)
    }

    /// A difference or an order of two addresses in one array.
    fn difference(&mut self) -> String {
        let Some(place) = self.place(|place| matches!(place.ty, Type::Array(..))) else {
            return self.simple();
        };
        let Type::Array(_, length) = place.ty else { return self.simple() };
        self.guards.extend(place.guards);
        let mut guards = Vec::new();
        let (one, other) = (self.index(length, &mut guards), self.index(length, &mut guards));
        self.guards.extend(guards);
        let op = self.random.pick(&["-", "<", "<=", "==", "-"]);
        let text = format!("(&{0}[{one}] {op} &{0}[{other}])", place.text);
        if *op == "-" { format!("((int){text})") } else { text }
    }

    /// An expression for a value of a type.
    pub(super) fn value(&mut self, ty: &Type) -> Option<String> {
        Some(match ty {
            Type::Number("double" | "long double") => {
                let inner = self.integer(1);
                match self.place(|place| place.ty == *ty) {
                    Some(place) if self.random.chance(60) => {
                        self.guards.extend(place.guards);
                        place.text
                    }
                    _ => format!("(double)(short)({inner})"),
                }
            }
            Type::Number(_) => self.integer(2),
            Type::Pointer(target) => self.pointer_to(target, 2),
            Type::Record(_) => {
                let place = self.place(|place| place.ty == *ty)?;
                self.guards.extend(place.guards);
                place.text
            }
            Type::Array(..) | Type::Function => return None,
        })
    }

    /// A value from outside.
    pub(super) fn input(&mut self) -> String {
        let kinds = ["int", "uint", "char", "uchar", "short", "ushort", "long", "ulong"];
        let kind = if self.has(Feature::Widths) { *self.random.pick(&kinds) } else { "int" };
        format!("__VERIFIER_nondet_{kind}()")
    }
}
