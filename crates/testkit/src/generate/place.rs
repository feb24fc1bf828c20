//! Objects an expression can read or write: variables, elements, members, targets of pointers.

use super::Generator;
use super::effects::{Effects, Root, VarId};
use super::integer::{Int, Range};
use super::scope::{Qualifier, Storage};
use super::types::Type;
use super::value::{Expr, Text, level};

/// An lvalue.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: Text,
    pub(super) ty: Type,
    /// Interval of the values to keep, if narrower than the type.
    pub(super) range: Option<Range>,
    /// Width of a bit-field.
    pub(super) width: Option<u32>,
    pub(super) root: Root,
    /// Effects of computing the address.
    pub(super) effects: Effects,
    /// The address may be taken.
    pub(super) aligned: bool,
    qualifier: Qualifier,
}

impl Place {
    /// Effects of reading it.
    pub(super) fn reading(&self) -> Effects {
        let effects = self.effects.clone().join(&Effects::read(self.root));
        if self.qualifier == Qualifier::Volatile { effects.join(&Effects::write(self.root)) } else { effects }
    }

    /// Effects of writing it.
    pub(super) fn writing(&self) -> Effects {
        self.effects.clone().join(&Effects::write(self.root))
    }
}

/// The kind of object a walk should end at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Integer,
    Floating,
}

impl Generator {
    /// A visible variable as a place.
    pub(super) fn variable_place(&self, id: VarId) -> Place {
        let variable = &self.scope.variables[id];
        Place {
            text: Text::new(variable.name.clone(), level::POSTFIX),
            ty: variable.ty.clone(),
            range: variable.range,
            width: None,
            root: self.scope.root(id),
            effects: Effects::default(),
            aligned: true,
            qualifier: variable.qualifier,
        }
    }

    /// A random integer object that may be read.
    pub(super) fn readable(&mut self) -> Option<Place> {
        let ids = self.visible(|_| true);
        self.walk_from(&ids, Want::Integer)
    }

    /// A random integer object that may be written.
    pub(super) fn writable(&mut self) -> Option<Place> {
        let ids = self.visible(|variable| variable.frozen == 0 && variable.qualifier != Qualifier::Const);
        self.walk_from(&ids, Want::Integer)
    }

    /// A walk from one of the variables to a wanted object; a few attempts.
    pub(super) fn walk_from(&mut self, ids: &[VarId], want: Want) -> Option<Place> {
        if ids.is_empty() {
            return None;
        }
        for _ in 0..4 {
            // Recent declarations are more interesting than the first globals.
            let index = self.random.below(ids.len()).max(self.random.below(ids.len()));
            let start = self.variable_place(ids[index]);
            if let Some(place) = self.walk(start, want) {
                return Some(place);
            }
        }
        None
    }

    fn walk(&mut self, mut place: Place, want: Want) -> Option<Place> {
        loop {
            place = match place.ty.clone() {
                Type::Int(_) | Type::Enum(_) => return (want == Want::Integer).then_some(place),
                Type::Float | Type::Double => return (want == Want::Floating).then_some(place),
                Type::Array(_, length) => {
                    let mut index = self.index(length);
                    if place.effects.conflicts(&index.effects) {
                        index = self.literal_in(Range::new(0, length as i128 - 1));
                    }
                    self.element(place, &index)
                }
                Type::Pointer(_) => self.target(place),
                Type::Struct(_) | Type::Union(_) => self.some_member(place)?,
            };
        }
    }

    /// An index in `0..length`.
    pub(super) fn index(&mut self, length: usize) -> Expr {
        let range = Range::new(0, length as i128 - 1);
        let counters = self.visible(|variable| {
            matches!(variable.ty, Type::Int(_))
                && variable.qualifier != Qualifier::Volatile
                && variable.range.is_some_and(|inner| inner.within(range))
        });
        if !counters.is_empty() && self.random.chance(60) {
            let id = *self.random.pick(&counters);
            let place = self.variable_place(id);
            return self.value_of(&place);
        }
        // Without a bound, indices inside of indices would grow for ever.
        if self.random.chance(40) || length == 1 || self.state.indices >= 2 {
            return self.literal_in(range);
        }
        self.state.indices += 1;
        let value = self.expression(1);
        self.state.indices -= 1;
        self.coerce(value, range)
    }

    /// `array[index]`, in one of its spellings.
    pub(super) fn element(&mut self, place: Place, index: &Expr) -> Place {
        let Type::Array(element, _) = place.ty.clone() else { return place };
        let text = match self.random.below(20) {
            // A pointer into a packed struct or a union would forget what it points into.
            0 if place.aligned => {
                let sum = format!("{} + {}", place.text.at(level::SUM), index.at(level::PRODUCT));
                Text::new(format!("*({sum})"), level::UNARY)
            }
            1 if place.aligned && index.text.level == level::POSTFIX => {
                Text::new(format!("{}[{}]", index.text.text, place.text.text), level::POSTFIX)
            }
            _ => Text::new(
                format!("{}[{}]", place.text.at(level::POSTFIX), index.at(level::COMMA)),
                level::POSTFIX,
            ),
        };
        let effects = place.effects.join(&index.effects);
        Place { text, ty: *element, effects, ..place }
    }

    /// The object a pointer points to.
    pub(super) fn target(&mut self, place: Place) -> Place {
        let effects = place.reading();
        let Type::Pointer(to) = place.ty.clone() else { return place };
        let text = if self.random.chance(80) {
            Text::new(format!("*{}", place.text.operand()), level::UNARY)
        } else {
            Text::new(format!("{}[0]", place.text.at(level::POSTFIX)), level::POSTFIX)
        };
        Place {
            text,
            ty: *to,
            range: None,
            width: None,
            root: Root::Indirect,
            effects,
            aligned: true,
            qualifier: Qualifier::None,
        }
    }

    /// A random member; `None` if there is no named one.
    fn some_member(&mut self, place: Place) -> Option<Place> {
        let record = match &place.ty {
            Type::Struct(id) => &self.types.structs[*id],
            Type::Union(id) => &self.types.unions[*id],
            _ => return None,
        };
        let names: Vec<String> = record.named().map(|(name, _)| name.to_owned()).collect();
        if names.is_empty() {
            return None;
        }
        let name = self.random.pick(&names).clone();
        self.member(place, &name)
    }

    /// `place.name`, or `pointer->name` where the place is the target of a pointer.
    pub(super) fn member(&mut self, place: Place, name: &str) -> Option<Place> {
        let (record, union) = match &place.ty {
            Type::Struct(id) => (&self.types.structs[*id], false),
            Type::Union(id) => (&self.types.unions[*id], true),
            _ => return None,
        };
        let field = record.named().find(|(named, _)| *named == name)?.1.clone();
        let aligned = place.aligned && !record.packed && !union && field.width.is_none();
        let text = match place.text.text.strip_prefix('*') {
            Some(pointer) if place.text.level == level::UNARY && is_path(pointer) => {
                format!("{pointer}->{name}")
            }
            _ => format!("{}.{name}", place.text.at(level::POSTFIX)),
        };
        Some(Place {
            text: Text::new(text, level::POSTFIX),
            ty: field.ty,
            range: None,
            width: field.width,
            aligned,
            ..place
        })
    }

    /// The integer type of a place; `int` for others.
    pub(super) fn place_type(&self, place: &Place) -> Int {
        match place.ty {
            Type::Int(ty) => ty,
            Type::Enum(id) => self.types.enums[id].ty,
            _ => Int::Int,
        }
    }

    /// The interval of the values of a place.
    pub(super) fn place_range(&self, place: &Place) -> Range {
        let ty = self.place_type(place);
        match (place.range, place.width) {
            (Some(range), _) => range,
            (None, Some(width)) if ty.signed() => Range::new(-(1 << (width - 1)), (1 << (width - 1)) - 1),
            (None, Some(width)) => Range::new(0, (1 << width) - 1),
            (None, None) => ty.range(self.options.model),
        }
    }

    /// A bit-field of a type above `int`: gcc computes with its exact width.
    pub(super) fn wide_bit_field(place: &Place, ty: Int) -> bool {
        place.width.is_some() && ty.promote() == ty && !matches!(ty, Int::Int | Int::Unsigned)
    }

    /// The place read as an expression.
    pub(super) fn value_of(&mut self, place: &Place) -> Expr {
        let ty = self.place_type(place);
        let range = self.place_range(place);
        let mut value = Expr { text: place.text.clone(), ..Expr::new("", level::POSTFIX, ty, range) }
            .with(place.reading());
        value.opaque = place.width.is_some() || place.qualifier != Qualifier::None;
        if let Some(width) = place.width {
            if Generator::wide_bit_field(place, ty) {
                return self.cast(value, ty);
            }
            // A bit-field that fits into `int` promotes to it.
            value.ty = if width < 32 || ty.signed() { Int::Int } else { Int::Unsigned };
        }
        value
    }

    /// The address of a live object of the type that is declared no deeper than `depth`.
    pub(super) fn address_of(&mut self, ty: &Type, depth: usize) -> Option<(Text, Effects)> {
        let ids = self.visible(|variable| {
            variable.storage != Storage::Local
                && variable.range.is_none()
                && variable.qualifier == Qualifier::None
                && variable.depth <= depth
        });
        for _ in 0..if ids.is_empty() { 0 } else { 12 } {
            let id = *self.random.pick(&ids);
            let start = self.variable_place(id);
            if let Some(found) = self.walk_to(start, ty) {
                return Some(found);
            }
        }
        if self.state.pure {
            return None;
        }
        let anchor = self.anchor(ty);
        Some((Text::new(format!("&{anchor}"), level::UNARY), Effects::default()))
    }

    /// A pointer to an object of the type inside `place`, or a copy of such a pointer.
    fn walk_to(&mut self, mut place: Place, ty: &Type) -> Option<(Text, Effects)> {
        for _ in 0..6 {
            if place.ty == *ty && place.aligned {
                return Some((Text::new(format!("&{}", place.text.operand()), level::UNARY), place.effects));
            }
            place = match place.ty.clone() {
                Type::Array(element, _) if *element == *ty && place.aligned && self.random.chance(20) => {
                    return Some((place.text, place.effects));
                }
                Type::Array(_, length) => {
                    let index = self.literal_in(Range::new(0, length as i128 - 1));
                    self.element(place, &index)
                }
                Type::Struct(_) => self.some_member(place)?,
                Type::Pointer(to) if *to == *ty && !self.state.constant => {
                    let effects = place.reading();
                    return Some((place.text, effects));
                }
                _ => return None,
            };
        }
        None
    }
}

/// The text is a plain variable with members and elements, so `->` can follow it.
fn is_path(text: &str) -> bool {
    !text.contains(['(', '*', ' ', '&', '-'])
}
