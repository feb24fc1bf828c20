//! Types of random programs with memory.

use std::rc::Rc;

use super::{Feature, Generator};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// An integer or floating-point type, as C writes it.
    Number(&'static str),
    Record(usize),
    Array(Rc<Type>, usize),
    Pointer(Rc<Type>),
    /// `int (int)`.
    Function,
}

impl Type {
    pub(super) fn pointer(&self) -> Self {
        Self::Pointer(Rc::new(self.clone()))
    }
    pub(super) fn array(&self, length: usize) -> Self {
        Self::Array(Rc::new(self.clone()), length)
    }
    pub(super) fn is_integer(&self) -> bool {
        matches!(self, Self::Number(name) if !name.contains("double"))
    }
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) ty: Type,
    /// Set for a bit-field.
    pub(super) bits: Option<usize>,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) members: Vec<Member>,
}

/// A declaration of a type as C writes it.
pub(super) fn declare(records: &[Record], ty: &Type, inner: &str) -> String {
    match ty {
        Type::Number(name) => format!("{name} {inner}"),
        Type::Record(index) => format!("{} {inner}", records[*index].name),
        Type::Array(element, length) => declare(records, element, &format!("{inner}[{length}]")),
        Type::Pointer(target) => match **target {
            Type::Array(..) | Type::Function => declare(records, target, &format!("(*{inner})")),
            _ => declare(records, target, &format!("*{inner}")),
        },
        Type::Function => format!("int {inner}(int)"),
    }
}

/// All integer types.
pub(super) const INTEGERS: [&str; 12] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
];

impl Generator {
    pub(super) fn spell(&self, ty: &Type) -> String {
        declare(&self.records, ty, "").trim_end().to_owned()
    }

    pub(super) fn integer_type(&mut self) -> Type {
        match self.random.below(5) {
            0 | 1 => Type::Number("int"),
            2 => Type::Number("unsigned char"),
            _ => Type::Number(INTEGERS[self.random.below(INTEGERS.len())]),
        }
    }

    /// A type of objects that are not too large.
    pub(super) fn object_type(&mut self, depth: usize) -> Type {
        match self.random.below(if depth == 0 { 5 } else { 10 }) {
            0..=2 => self.integer_type(),
            3 => self.pointer_type(depth),
            4 if self.has(Feature::Floats) => {
                Type::Number(self.random.pick::<&'static str>(&["double", "long double"]))
            }
            5 | 6 => {
                let element = self.object_type(depth.saturating_sub(1));
                element.array(1 + self.random.below(5))
            }
            7 | 8 if !self.records.is_empty() => Type::Record(self.random.below(self.records.len())),
            _ => self.integer_type(),
        }
    }

    pub(super) fn pointer_type(&mut self, depth: usize) -> Type {
        match self.random.below(8) {
            0 if depth > 0 => self.pointer_type(depth - 1).pointer(),
            1 if self.has(Feature::Functions) => Type::Function.pointer(),
            2..=4 if !self.records.is_empty() => {
                Type::Record(self.random.below(self.records.len())).pointer()
            }
            _ => self.integer_type().pointer(),
        }
    }

    /// Structs and unions; each may point to itself and to those before.
    pub(super) fn define_records(&mut self) {
        for index in 0..=self.random.below(3) {
            let is_union = self.has(Feature::Unions) && self.random.chance(30);
            let keyword = if is_union { "union" } else { "struct" };
            let name = format!("{keyword} R{index}");
            self.records.push(Record { name: name.clone(), members: Vec::new() });
            let mut members = Vec::new();
            for number in 0..=self.random.below(5) {
                members.push(self.member(index, number));
            }
            let is_packed = self.has(Feature::Packed) && self.random.chance(40);
            let attribute = if is_packed { " __attribute__((packed))" } else { "" };
            let mut text = format!("{name} {{");
            for member in &members {
                text.push(' ');
                text.push_str(&declare(&self.records, &member.ty, &member.name));
                if let Some(bits) = member.bits {
                    text.push_str(" : ");
                    text.push_str(&bits.to_string());
                }
                text.push(';');
            }
            text.push_str(" }");
            text.push_str(attribute);
            text.push(';');
            self.types.push(text);
            self.records[index].members = members;
        }
    }

    fn member(&mut self, record: usize, number: usize) -> Member {
        let name = format!("m{number}");
        if self.has(Feature::Bits) && self.random.chance(30) {
            let ty = Type::Number(self.random.pick::<&'static str>(&[
                "unsigned",
                "int",
                "unsigned char",
                "unsigned long long",
            ]));
            let most = match ty {
                Type::Number("unsigned char") => 8,
                _ => 20,
            };
            return Member { name, ty, bits: Some(1 + self.random.below(most)) };
        }
        let ty = match self.random.below(6) {
            0 | 1 => Type::Record(record).pointer(),
            _ => loop {
                let ty = self.object_type(1);
                if !mentions(&ty, record) {
                    break ty;
                }
            },
        };
        Member { name, ty, bits: None }
    }
}

/// Whether an object of a type contains one of a record.
fn mentions(ty: &Type, record: usize) -> bool {
    match ty {
        Type::Record(index) => *index == record,
        Type::Array(element, _) => mentions(element, record),
        Type::Number(_) | Type::Pointer(_) | Type::Function => false,
    }
}
