//! The `main` of a harness whose program starts in another function: it sets up what that function starts with.
//!
//! The names of the choices are C expressions (invariant E3 of the lowering), so each becomes an assignment.

use std::collections::BTreeSet;
use std::fmt::Write;

use cfa::interp::Chosen;
use cfa::{Source, Ty};

use super::Harness;
use crate::names::{Function, Parameter};
use crate::syntax::Syntax;

/// What the text of `main` needs. Memory is copied byte by byte, so that `const` is no obstacle.
const HELPERS: &str = "extern void *__harness_allocate(unsigned long, unsigned long) __asm__(\"calloc\");
static void __harness_set(void *to, unsigned long long bits, unsigned long size) {
    for (unsigned long at = 0; at < size; at++) ((unsigned char *)to)[at] = (unsigned char)(bits >> 8 * at);
}
static void __harness_point(void *to, void *target) { __harness_set(to, (unsigned long)target, sizeof(void *)); }
";

impl Harness<'_> {
    /// The text of `main`, or why there can be none.
    pub(super) fn main(&self) -> Result<String, String> {
        let (syntax, function) = self.entry_function()?;
        let Some(parameters) = &function.parameters else {
            return Err(format!("the parameters of {} are not declared in its text", self.entry));
        };
        let mut text = HELPERS.to_owned();
        text.push_str("static void __harness_globals(void) {\n");
        let globals = self.trace.choices.iter().filter_map(|chosen| match &chosen.source {
            Source::Global { name } => Some((&**name, chosen)),
            _ => None,
        });
        self.assignments(globals, &mut text)?;
        text.push_str("}\nint main(void) {\n    __harness_globals();\n");
        for parameter in parameters {
            let _ = writeln!(text, "    {};", declaration(syntax, parameter));
            let _ = writeln!(text, "    __harness_set((void *)&{}, 0, sizeof({0}));", parameter.name);
        }
        let arguments = self.trace.choices.iter().filter_map(|chosen| match &chosen.source {
            Source::Argument { name } => Some((&**name, chosen)),
            _ => None,
        });
        self.assignments(arguments, &mut text)?;
        let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
        let _ = writeln!(text, "    {}({});\n    return 0;\n}}", self.entry_name(), names.join(", "));
        Ok(text)
    }

    fn entry_function(&self) -> Result<(&Syntax, &Function), String> {
        let mut found = self.units.iter().filter_map(|unit| {
            let function = unit.syntax.functions.iter().find(|function| &*function.name == self.entry)?;
            Some((&unit.syntax, function))
        });
        found
            .next()
            .ok_or_else(|| format!("the definition of {} is not in the text of the program", self.entry))
    }

    /// The entry function may have been renamed, being static.
    fn entry_name(&self) -> String {
        let unit =
            self.units.iter().position(|unit| unit.syntax.functions.iter().any(|f| &*f.name == self.entry));
        match unit {
            Some(number)
                if self.units.len() > 1
                    && super::units::collisions(self.units, number).contains(self.entry) =>
            {
                format!("{}__{number}", self.entry)
            }
            _ => self.entry.to_owned(),
        }
    }

    fn assignments<'c>(
        &self,
        choices: impl Iterator<Item = (&'c str, &'c Chosen)>,
        text: &mut String,
    ) -> Result<(), String> {
        let mut made = BTreeSet::new();
        for (name, chosen) in choices {
            if let Some((function, variable)) = name.split_once("::") {
                return Err(format!("no harness can set the variable {variable} of {function}"));
            }
            if let Some(pointer) = name.strip_suffix(" != NULL") {
                self.make(&format!("*{pointer}"), &mut made, text);
                if chosen.value.bits == 0 {
                    let _ = writeln!(text, "    __harness_point((void *)&({pointer}), 0);");
                }
                continue;
            }
            self.make(name, &mut made, text);
            // A bit-field has no address; its width is seldom that of a type.
            let _ = match chosen.value.ty {
                Ty::Int { width: 8 | 16 | 32 | 64, .. } | Ty::Float(_) | Ty::Ptr => {
                    writeln!(
                        text,
                        "    __harness_set((void *)&({name}), {:#x}ULL, sizeof({name}));",
                        chosen.value.bits
                    )
                }
                Ty::Int { .. } => writeln!(text, "    {name} = {};", chosen.value.as_int()),
            };
        }
        Ok(())
    }

    /// Makes the objects on the way to a part.
    fn make(&self, name: &str, made: &mut BTreeSet<String>, text: &mut String) {
        for pointer in pointers(name) {
            if made.insert(pointer.to_owned()) {
                // What is an array and no pointer has its elements already.
                let _ = writeln!(
                    text,
                    "    if (__builtin_types_compatible_p(__typeof__({pointer}), __typeof__(&({pointer})[0]))) \
                     __harness_point((void *)&({pointer}), __harness_allocate({}, sizeof(({pointer})[0])));",
                    self.elements
                );
            }
        }
    }
}

/// The expressions that may be pointers on the way to a part, the outermost first.
fn pointers(name: &str) -> Vec<&str> {
    let name = name.strip_prefix("((unsigned char *)&").map_or(name, |rest| match rest.rfind(")[") {
        Some(end) => &rest[..end],
        None => rest,
    });
    let mut found = Vec::new();
    prefix(name, 0, &mut found);
    found
}

/// Reads `*…` or a chain of selections at an offset; its end.
fn prefix<'n>(name: &'n str, start: usize, found: &mut Vec<&'n str>) -> usize {
    if name[start..].starts_with('*') {
        let end = prefix(name, start + 1, found);
        found.push(&name[start + 1..end]);
        return end;
    }
    let is_word =
        |character: char| character.is_ascii_alphanumeric() || character == '_' || !character.is_ascii();
    let word = |at: usize| at + name[at..].find(|character| !is_word(character)).unwrap_or(name.len() - at);
    let mut end =
        if name[start..].starts_with('(') { prefix(name, start + 1, found) + 1 } else { word(start) };
    loop {
        let rest = name.get(end..).unwrap_or_default();
        if rest.starts_with("->") {
            found.push(&name[start..end]);
            end = word(end + 2);
        } else if rest.starts_with('[') {
            found.push(&name[start..end]);
            end += rest.find(']').map_or(rest.len(), |close| close + 1);
        } else if rest.starts_with('.') {
            end = word(end + 1);
        } else {
            return end.min(name.len());
        }
    }
}

/// The declaration of a variable that can be passed for a parameter.
fn declaration(syntax: &Syntax, parameter: &Parameter) -> String {
    let text = |lo: u32, hi: u32| syntax.text(crate::syntax::Range { lo, hi });
    let (range, ident) = (parameter.range, parameter.ident);
    let declared = match parameter.brackets {
        // An array that is a parameter is a pointer.
        Some(brackets) => format!(
            "{}(*{}){}{}",
            text(range.lo, ident.lo),
            parameter.name,
            text(ident.hi, brackets.lo),
            text(brackets.hi, range.hi)
        ),
        None => text(range.lo, range.hi),
    };
    // Bit-fields are set by assignments, for which `const` is an obstacle; one level of it may be left out.
    let is_plain = declared.matches('*').count() <= 1 && declared.is_ascii();
    let words =
        declared.split_whitespace().filter(|word| *word != "register" && !(is_plain && *word == "const"));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pointers_on_the_way_to_a_part_are_found() {
        assert_eq!(pointers("n"), [""; 0]);
        assert_eq!(pointers("s.a.b"), [""; 0]);
        assert_eq!(pointers("*p"), ["p"]);
        assert_eq!(pointers("**p"), ["p", "*p"]);
        assert_eq!(pointers("p->next->key"), ["p", "p->next"]);
        assert_eq!(pointers("*p->next->key"), ["p", "p->next", "p->next->key"]);
        assert_eq!(pointers("(*p)->x"), ["p", "(*p)"]);
        assert_eq!(pointers("(*p)[3].y"), ["p", "(*p)"]);
        assert_eq!(pointers("a[2].x"), ["a"]);
        assert_eq!(pointers("p->a[1]"), ["p", "p->a"]);
        assert_eq!(pointers("((unsigned char *)&p->u)[3]"), ["p"]);
    }
}
