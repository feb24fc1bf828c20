//! Memory whose contents were chosen when the program read it: objects behind pointers from outside, and parts of what execution starts with.
//!
//! Each pointer from outside has a number; the harness has an object for each. It sets all that was read before execution starts, as nobody has written it before.

use std::collections::BTreeSet;
use std::fmt::Write;

use cfa::{Source, Ty};
use interp::{Chosen, HeldObject};

use super::entry::HELPERS;
use super::{ANY_FUNCTION, Harness};

/// With this the names of objects begin that pointers lead to at the start; the pointer follows.
const START_OBJECT: &str = "%at ";
/// Bytes that an object from outside has beyond the last one that is read.
const ROOM: u64 = 1 << 16;

/// Whether a number that was chosen for a pointer is that of an object.
pub(super) fn is_object(source: &Source) -> bool {
    matches!(
        source,
        Source::Extern { .. } | Source::Outside | Source::Argument { .. } | Source::Global { .. }
    )
}

/// Whether a choice is an object.
fn number(chosen: &Chosen) -> Option<u64> {
    let is_pointer = chosen.value.ty == Ty::Ptr && chosen.value.bits != 0 && is_object(&chosen.source);
    is_pointer.then_some(chosen.value.bits as u64)
}

impl Harness<'_> {
    /// The numbers of objects from outside, in the order of their numbers in the harness.
    fn numbers(&self) -> BTreeSet<u64> {
        self.trace.choices.iter().filter_map(number).collect()
    }

    /// The number of an object in the harness, beginning with 1; null has 0.
    fn object(&self, number: u64) -> usize {
        self.numbers().iter().position(|known| *known == number).map_or(0, |position| position + 1)
    }

    /// The bits of a value; of a pointer the number of its object.
    pub(super) fn value(&self, chosen: &Chosen) -> String {
        match number(chosen) {
            Some(number) => format!("{}ULL", self.object(number)),
            None => format!("{:#x}ULL", chosen.value.bits),
        }
    }

    /// The expression of a pointer from outside.
    pub(super) fn pointer(&self, chosen: &Chosen) -> Option<String> {
        Some(format!("__harness_object({})", self.object(number(chosen)?)))
    }

    /// The objects, and what sets their contents.
    pub(super) fn outside_objects(&self) -> Result<String, String> {
        let count = self.numbers().len();
        let last = self.trace.choices.iter().filter_map(|chosen| chosen.held.as_ref());
        let last = last.map(|held| u64::from(held.offset)).max().unwrap_or(0);
        let mut text = format!(
            "extern void *__harness_objects(unsigned long, unsigned long) __asm__(\"calloc\");\n\
             static void *__harness_object(unsigned long long number) {{\n    \
             static void *objects[{}];\n    \
             if (number && !objects[number]) objects[number] = __harness_objects(1, {});\n    \
             return objects[number];\n}}\n",
            count + 1,
            last + ROOM
        );
        if count == 0 && !self.uses_objects() {
            return Ok(String::new());
        }
        if self.entry == "main" && self.trace.choices.iter().any(|chosen| chosen.source == Source::Outside) {
            text.push_str(HELPERS);
            text.push_str("__attribute__((constructor)) static void __harness_before(void) {\n");
            let mut body = String::new();
            self.contents(BTreeSet::new(), &mut body)?;
            let _ = writeln!(text, "{body}}}");
        }
        Ok(text)
    }

    /// Whether functions return pointers.
    fn uses_objects(&self) -> bool {
        let returns = |chosen: &Chosen| {
            chosen.value.ty == Ty::Ptr
                && matches!(chosen.source, Source::Input { .. } | Source::Extern { .. })
        };
        self.trace.choices.iter().any(returns)
    }

    /// The statements that set what was chosen when it was read. Some pointers have got an object before.
    pub(super) fn contents(&self, mut made: BTreeSet<String>, text: &mut String) -> Result<(), String> {
        for chosen in &self.trace.choices {
            let (Source::Outside, Some(held)) = (&chosen.source, &chosen.held) else { continue };
            let base = match &held.object {
                HeldObject::Outside(number) => format!("__harness_object({})", self.object(*number)),
                HeldObject::Variable(name) => match name.strip_prefix(START_OBJECT) {
                    Some(pointer) => {
                        self.make_target(pointer, &mut made, text);
                        format!("({pointer})")
                    }
                    None if name.starts_with('%') => {
                        return Err("a harness cannot set parts of a parameter that is a record".to_owned());
                    }
                    None => format!("&({name})"),
                },
            };
            let place = format!("(unsigned char *){base} + {}", held.offset);
            if let Some(pointer) = self.pointer(chosen) {
                let _ = writeln!(text, "    __harness_point({place}, {pointer});");
                continue;
            }
            let size = match chosen.value.ty {
                Ty::Int { width, .. } => u64::from(width).div_ceil(8),
                Ty::Float(cfa::FloatKind::Single) => 4,
                Ty::Float(_) | Ty::Ptr => 8,
            };
            let _ = writeln!(text, "    __harness_set({place}, {:#x}ULL, {size});", chosen.value.bits);
        }
        Ok(())
    }

    /// Functions that pointers lead to and that return nothing, or are not called.
    pub(super) fn uncalled(&self) -> String {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for chosen in &self.trace.choices {
            if let (Source::Argument { name } | Source::Global { name }, 1) =
                (&chosen.source, chosen.value.bits)
                && let Some((_, function)) = name.split_once(" == ")
                && function.starts_with(ANY_FUNCTION)
            {
                names.insert(function);
            }
        }
        for chosen in &self.trace.choices {
            if let Source::Extern { function } = &chosen.source {
                names.remove(&**function);
            }
        }
        let mut text = String::new();
        for name in names {
            let _ = writeln!(text, "void {name}() {{ }}");
        }
        text
    }
}
