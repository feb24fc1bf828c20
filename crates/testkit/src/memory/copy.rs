//! Copying and setting bytes.

use super::place::Place;
use super::types::Type;
use super::{Feature, Generator};

impl Generator {
    pub(super) fn copy_statement(&mut self) {
        let is_whole =
            |place: &Place| !place.is_bits && !place.is_constant && !matches!(place.ty, Type::Function);
        let Some(target) = self.place(is_whole) else { return self.mix_something() };
        self.guards.extend(target.guards.clone());
        let function = *self.random.pick(&["memcpy", "memmove", "memmove"]);
        match self.random.below(6) {
            0 => self.set(&target),
            1..=3 => {
                let same =
                    self.place(|place| place.ty == target.ty && !place.is_bits && place.text != target.text);
                let Some(source) = same else { return self.set(&target) };
                self.guards.extend(source.guards.clone());
                let length = self.length(&target.text);
                self.guarded(&format!("{function}(&{}, &{}, {length});", target.text, source.text));
            }
            4 => self.shift(function),
            _ => {
                let Some(source) = self.place(is_whole) else { return self.set(&target) };
                self.guards.extend(source.guards.clone());
                let (one, other) = (format!("sizeof({})", target.text), format!("sizeof({})", source.text));
                let length = if self.has(Feature::SymbolicCopies) {
                    format!("({} & 15u)", self.simple())
                } else {
                    (1 + self.random.below(12)).to_string()
                };
                let least = format!("({one} < {other} ? {one} : {other})");
                let text = format!(
                    "memmove(&{}, &{}, {length} < {least} ? {length} : {least});",
                    target.text, source.text
                );
                self.guarded(&text);
            }
        }
    }

    /// All bytes of a place, or some of them.
    fn length(&mut self, place: &str) -> String {
        if self.has(Feature::SymbolicCopies) && self.random.chance(50) {
            let value = self.simple();
            return format!("(unsigned char)({value}) % (sizeof({place}) + 1)");
        }
        format!("sizeof({place})")
    }

    fn set(&mut self, target: &Place) {
        let byte = match self.random.below(4) {
            0 | 1 => "0".to_owned(),
            2 => self.random.below(256).to_string(),
            _ => format!("(unsigned char)({})", self.simple()),
        };
        let length = self.length(&target.text);
        self.guarded(&format!("memset(&{}, {byte}, {length});", target.text));
    }

    /// A part of an array goes elsewhere in it.
    fn shift(&mut self, function: &str) {
        let Some(place) = self.place(|place| matches!(place.ty, Type::Array(..)) && !place.is_constant)
        else {
            return self.mix_something();
        };
        let Type::Array(_, length) = place.ty.clone() else { return };
        self.guards.extend(place.guards.clone());
        let name = &place.text;
        let (one, other) = if self.has(Feature::SymbolicCopies) {
            (
                format!("((unsigned)({}) % {length})", self.simple()),
                format!("((unsigned)({}) % {length})", self.simple()),
            )
        } else {
            (self.random.below(length).to_string(), self.random.below(length).to_string())
        };
        let function = if function == "memcpy" { "memmove" } else { function };
        let count = format!("({length} - ({one} > {other} ? {one} : {other}))");
        self.guarded(&format!("{function}(&{name}[{one}], &{name}[{other}], {count} * sizeof({name}[0]));"));
    }

    /// A byte of an object is read or written.
    pub(super) fn byte_statement(&mut self) {
        let Some(place) =
            self.place(|place| !place.is_bits && !place.is_constant && place.ty != Type::Function)
        else {
            return self.mix_something();
        };
        self.guards.extend(place.guards.clone());
        let byte = *self.random.pick(&["unsigned char", "char", "unsigned short", "signed char"]);
        let index = match self.random.below(3) {
            0 => "0".to_owned(),
            1 => format!(
                "(unsigned)({}) % (sizeof({}) / sizeof({byte}) + !(sizeof({}) / sizeof({byte})))",
                self.simple(),
                place.text,
                place.text
            ),
            _ => format!("sizeof({}) / sizeof({byte}) / 2", place.text),
        };
        self.guards.push(format!("sizeof({}) >= sizeof({byte})", place.text));
        let access = format!("(({byte} *)&{})[{index}]", place.text);
        let text = match self.random.below(3) {
            0 => {
                let value = self.simple();
                format!("{access} = {value};")
            }
            1 => format!("{access} ^= {};", self.random.below(100)),
            _ => format!("mix({access});"),
        };
        self.guarded(&text);
    }
}
