//! Places in memory, and pointers to them.

use super::types::Type;
use super::{Feature, Generator};

/// Something that can be read and, unless it is constant, written.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) ty: Type,
    /// What must hold so that it exists, in this order.
    pub(super) guards: Vec<String>,
    pub(super) is_bits: bool,
    pub(super) is_constant: bool,
}

impl Generator {
    /// A random place: a variable, or what is found from there on.
    fn some_place(&mut self) -> Place {
        let visible: Vec<_> = self.globals.iter().chain(&self.locals).cloned().collect();
        let variable = self.random.pick(&visible);
        let mut place = Place {
            text: variable.name.clone(),
            ty: variable.ty.clone(),
            guards: Vec::new(),
            is_bits: false,
            is_constant: variable.is_constant,
        };
        for _ in 0..self.random.below(6) {
            match self.inside(&place) {
                Some(inner) => place = inner,
                None => break,
            }
        }
        place
    }

    /// A part of a place, or what it points to.
    fn inside(&mut self, place: &Place) -> Option<Place> {
        let mut inner = place.clone();
        match &place.ty {
            Type::Record(index) => {
                let members = self.records[*index].members.clone();
                let member = self.random.pick(&members);
                inner.text = match place.text.strip_prefix("(*").and_then(|text| text.strip_suffix(')')) {
                    Some(pointer) if is_simple(pointer) => format!("{pointer}->{}", member.name),
                    _ => format!("{}.{}", place.text, member.name),
                };
                inner.ty = member.ty.clone();
                inner.is_bits = member.bits.is_some();
            }
            Type::Array(element, length) => {
                let index = self.index(*length, &mut inner.guards);
                inner.text = format!("{}[{index}]", place.text);
                inner.ty = (**element).clone();
            }
            Type::Pointer(target) if **target != Type::Function => {
                inner.guards.push(place.text.clone());
                inner.text = format!("(*{})", place.text);
                inner.ty = (**target).clone();
                inner.is_constant = false;
            }
            Type::Number(_) | Type::Pointer(_) | Type::Function => return None,
        }
        Some(inner)
    }

    /// A place of a kind.
    pub(super) fn place(&mut self, accept: impl Fn(&Place) -> bool) -> Option<Place> {
        (0..40).map(|_| self.some_place()).find(|place| accept(place))
    }

    /// An index of an array: mostly one that it has.
    pub(super) fn index(&mut self, length: usize, guards: &mut Vec<String>) -> String {
        let value = self.simple();
        match self.random.below(9) {
            0 | 1 => self.random.below(length).to_string(),
            2 => format!("(unsigned)({value}) % {length}"),
            3 => {
                guards.push(format!("({value}) >= 0 && ({value}) < {length}"));
                value
            }
            4 => format!("(unsigned char)(({value}) + {}) % {length}u", self.random.below(300)),
            5 => format!("{length} - 1 - (unsigned short)({value}) % {length}"),
            6 => {
                let shift = self.random.below(5);
                guards.push(format!(
                    "(long long)({value}) >= {shift} && (long long)({value}) < {}",
                    length + shift
                ));
                format!("({value}) - {shift}")
            }
            7 => format!("((unsigned long long)({value}) & 0xff) % {length}"),
            _ => format!(
                "(signed char)({value}) & {}",
                length.next_power_of_two() / 2 * usize::from(length > 1)
            ),
        }
    }

    /// An expression for a pointer to a type.
    pub(super) fn pointer_to(&mut self, target: &Type, depth: usize) -> String {
        for _ in 0..10 {
            if let Some(text) = self.try_pointer(target, depth) {
                return text;
            }
        }
        "0".to_owned()
    }

    fn try_pointer(&mut self, target: &Type, depth: usize) -> Option<String> {
        if *target == Type::Function {
            return self.function_pointer();
        }
        let pointer = target.pointer();
        let spelled = self.spell(&pointer);
        match self.random.below(if depth == 0 { 8 } else { 15 }) {
            0..=2 => {
                let place = self.place(|place| place.ty == pointer)?;
                self.guards.extend(place.guards);
                Some(place.text)
            }
            3..=5 => {
                let place =
                    self.place(|place| place.ty == *target && !place.is_bits && !place.is_constant)?;
                self.guards.extend(place.guards);
                Some(format!("&{}", place.text))
            }
            6 => {
                let place = self.place(|place| {
                    matches!(&place.ty, Type::Array(element, _) if **element == *target && !place.is_constant)
                })?;
                let Type::Array(_, length) = place.ty else { return None };
                self.guards.extend(place.guards);
                let mut guards = Vec::new();
                let text = format!("({} + ({}))", place.text, self.index(length, &mut guards));
                self.guards.extend(guards);
                Some(text)
            }
            7 if self.has(Feature::Heap) => {
                let (size, count) = (self.spell(target), self.random.below(4));
                Some(match count {
                    0 => format!("({spelled})calloc(1, sizeof({size}))"),
                    1 => format!("({spelled})zeroed(sizeof({size}))"),
                    _ => format!("({spelled})calloc({count}, sizeof({size}))"),
                })
            }
            8 => {
                let inner = self.pointer_to(target, depth - 1);
                let by = format!("(({}) & 7)", self.simple());
                Some(format!("(({spelled})({inner}) + {by}) - {by}"))
            }
            9 if self.has(Feature::Numbers) => {
                let inner = self.pointer_to(target, depth - 1);
                Some(match self.random.below(3) {
                    0 => format!("({spelled})(unsigned long)({inner})"),
                    1 => format!("({spelled})((unsigned long)({inner}) + 0)"),
                    _ => format!("({spelled})(void *)({inner})"),
                })
            }
            10 => {
                let (one, other) = (self.pointer_to(target, depth - 1), self.pointer_to(target, depth - 1));
                let condition = self.simple();
                Some(format!("(({condition}) & 1 ? ({spelled})({one}) : ({spelled})({other}))"))
            }
            11 if self.has(Feature::Containers) => self.container(target),
            12 if self.has(Feature::Containers) => self.beyond(target),
            _ => None,
        }
    }

    /// A pointer to a function.
    fn function_pointer(&mut self) -> Option<String> {
        let functions = self.table_functions.clone();
        if functions.is_empty() || self.random.chance(30) {
            let place = self.place(|place| place.ty == Type::Function.pointer())?;
            self.guards.extend(place.guards);
            return Some(place.text);
        }
        Some(self.random.pick(&functions).clone())
    }

    /// A struct found from one of its members.
    fn container(&mut self, target: &Type) -> Option<String> {
        let Type::Record(index) = *target else { return None };
        let record = self.records[index].clone();
        let member = self.random.pick(&record.members).clone();
        if member.bits.is_some() {
            return None;
        }
        let place = self.place(|place| place.ty == *target && !place.is_constant)?;
        self.guards.extend(place.guards);
        let name = &record.name;
        Some(format!(
            "({name} *)((char *)&{}.{} - __builtin_offsetof({name}, {}))",
            place.text, member.name, member.name
        ))
    }

    /// A member found from the start of its struct, in bytes.
    fn beyond(&mut self, target: &Type) -> Option<String> {
        let found = (0..self.records.len()).find_map(|index| {
            let member = self.records[index]
                .members
                .iter()
                .find(|member| member.ty == *target && member.bits.is_none())?;
            Some((index, member.name.clone()))
        });
        let (index, member) = found?;
        let place = self.place(|place| place.ty == Type::Record(index) && !place.is_constant)?;
        self.guards.extend(place.guards);
        let (name, spelled) = (self.records[index].name.clone(), self.spell(&target.pointer()));
        Some(format!("({spelled})((char *)&{} + __builtin_offsetof({name}, {member}))", place.text))
    }
}

/// Whether a text needs no parentheses before `->`.
fn is_simple(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || "_.[]->".contains(letter)) && !text.contains('(')
}
