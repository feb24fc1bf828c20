//! The `main` of a harness whose program starts in another function: it sets up what that function starts with.
//!
//! The names of the choices are C expressions (invariant E3 of the lowering), so each becomes an assignment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cfa::{Source, Ty};
use interp::Chosen;

use super::Harness;
use crate::names::{Function, Parameter, StaticLocal};
use crate::syntax::{Range, Syntax};
use crate::weave::Edits;

/// What sets up the start, as it is declared.
const DECLARATIONS: &str = "extern void *__harness_allocate(unsigned long, unsigned long) __asm__(\"calloc\"); \
                            extern int *__harness_errno(void) __asm__(\"__errno_location\"); \
                            extern void __harness_set(void *, unsigned long long, unsigned long); \
                            extern void __harness_point(void *, void *); ";
/// The same, as it is defined. Memory is copied byte by byte, so that `const` is no obstacle.
pub(super) const HELPERS: &str = "
void __harness_set(void *to, unsigned long long bits, unsigned long size) {
    for (unsigned long at = 0; at < size; at++) ((unsigned char *)to)[at] = (unsigned char)(bits >> 8 * at);
}
void __harness_point(void *to, void *target) { __harness_set(to, (unsigned long)target, sizeof(void *)); }
";

impl Harness<'_> {
    /// The text of `main`, or why there can be none.
    pub(super) fn main(&self) -> Result<String, String> {
        let (syntax, function) = self.entry_function()?;
        let Some(parameters) = &function.parameters else {
            return Err(format!("the parameters of {} are not declared in its text", self.entry));
        };
        let mut text = DECLARATIONS.to_owned() + HELPERS;
        text.push_str("static void __harness_globals(void) {\n");
        let globals = self.trace.choices.iter().filter_map(|chosen| match &chosen.source {
            Source::Global { name } if !name.contains("::") => Some((name.to_string(), chosen)),
            _ => None,
        });
        let mut made = self.assignments(globals, BTreeSet::new(), &mut text);
        text.push_str("}\nint main(void) {\n    __harness_globals();\n");
        let mut arrays = BTreeSet::new();
        for parameter in parameters {
            let _ = writeln!(text, "    {};", declaration(syntax, parameter));
            let _ = writeln!(text, "    __harness_set((void *)&{}, 0, sizeof({0}));", parameter.name);
            // An array has its elements even if none of them has a value of its own.
            if let Some(count) = declared_elements(syntax, parameter, parameters) {
                let _ = writeln!(text, "    {}", self.allocation(&parameter.name, &count));
                arrays.insert(parameter.name.to_string());
            }
        }
        let arguments = self.trace.choices.iter().filter_map(|chosen| match &chosen.source {
            Source::Argument { name } => Some((name.to_string(), chosen)),
            _ => None,
        });
        made.extend(self.assignments(arguments, arrays, &mut text));
        self.contents(made, &mut text)?;
        let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
        let _ = writeln!(text, "    {}({});\n    return 0;\n}}", self.entry_name(), names.join(", "));
        Ok(text)
    }

    /// Static variables of functions get their values where they are declared, when that is passed for the first time: nobody can know them before.
    pub(super) fn set_statics(&self, syntax: &Syntax, edits: &mut Edits) -> Result<(), String> {
        let mut places: BTreeMap<(u32, String), Vec<(String, &Chosen)>> = BTreeMap::new();
        for chosen in &self.trace.choices {
            let Source::Global { name } = &chosen.source else { continue };
            let Some((function, variable, inner)) = of_function(name) else { continue };
            let mut found = self.units.iter().flat_map(|unit| &unit.syntax.statics);
            let is_it = |local: &&StaticLocal| *local.function == *function && *local.name == *variable;
            let Some(declared) = found.find(is_it).filter(|local| !local.may_be_passed) else {
                return Err(format!(
                    "no harness can set the variable {variable} of {function}: a jump may pass its declaration"
                ));
            };
            if found.any(|local| is_it(&local)) {
                return Err(format!(
                    "no harness can set the variable {variable} of {function}: there are several"
                ));
            }
            if syntax.statics.iter().any(|local| is_it(&local)) {
                places.entry((declared.after, variable.to_owned())).or_default().push((inner, chosen));
            }
        }
        if !places.is_empty() {
            edits.before(syntax.first_item, DECLARATIONS);
        }
        for ((after, _), choices) in places {
            let mut text =
                " { static int __harness_once; if (!__harness_once) { __harness_once = 1; ".to_owned();
            self.assignments(choices.into_iter(), BTreeSet::new(), &mut text);
            edits.wrap(Range { lo: after, hi: after }, text + "} } ", "");
        }
        Ok(())
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

    /// Writes a statement for each choice; the pointers that lead to objects then. Some lead to their objects before.
    fn assignments<'c>(
        &self,
        choices: impl Iterator<Item = (String, &'c Chosen)>,
        pointers: BTreeSet<String>,
        text: &mut String,
    ) -> BTreeSet<String> {
        let choices: Vec<(String, &Chosen)> = choices.collect();
        let names: Vec<&str> = choices.iter().map(|(name, _)| &**name).collect();
        let mut made = Made { names: &names, pointers };
        for (name, chosen) in &choices {
            if let Some((pointer, target)) = name.split_once(" == ") {
                self.make(pointer, &mut made, text);
                if chosen.value.bits != 0 {
                    let _ = writeln!(text, "    __harness_point((void *)&({pointer}), (void *)({target}));");
                }
                continue;
            }
            if let Some(pointer) = name.strip_prefix("len(").and_then(|rest| rest.strip_suffix(')')) {
                self.make(pointer, &mut made, text);
                made.pointers.insert(pointer.to_owned());
                let _ = writeln!(
                    text,
                    "    __harness_point((void *)&({pointer}), __harness_allocate({}, sizeof(({pointer})[0])));",
                    chosen.value.bits
                );
                continue;
            }
            if let Some(target) = self.pointer(chosen) {
                self.make(name, &mut made, text);
                let _ = writeln!(text, "    __harness_point((void *)&({name}), {target});");
                continue;
            }
            if let Some(pointer) = name.strip_suffix(" != NULL") {
                self.make(&format!("*{pointer}"), &mut made, text);
                if chosen.value.bits == 0 {
                    let _ = writeln!(text, "    __harness_point((void *)&({pointer}), 0);");
                }
                continue;
            }
            // The program may have no name for it.
            if name == "errno" {
                let _ = writeln!(text, "    *__harness_errno() = {};", chosen.value.as_int());
                continue;
            }
            self.make(name, &mut made, text);
            self.set(name, chosen, text);
        }
        made.pointers
    }

    /// The statement that sets a part that is no pointer to an object.
    fn set(&self, name: &str, chosen: &Chosen, text: &mut String) {
        // A bit-field has no address.
        let _ = match chosen.value.ty {
            Ty::Int { width: 64, .. } if self.is_bit_field(name) => {
                writeln!(text, "    {name} = {:#x}ULL;", chosen.value.bits)
            }
            _ if self.is_bit_field(name) => writeln!(text, "    {name} = {};", chosen.value.as_int()),
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

    /// Makes a pointer lead to an object of which no part has a value of its own, unless it does so already.
    pub(super) fn make_target(&self, pointer: &str, made: &mut BTreeSet<String>, text: &mut String) {
        let mut all = Made { names: &[], pointers: std::mem::take(made) };
        self.make(&format!("*{pointer}"), &mut all, text);
        *made = all.pointers;
    }

    /// Whether an expression ends in a member that is a bit-field in one of the records; assignments are right for other members, too.
    fn is_bit_field(&self, name: &str) -> bool {
        let Some((_, member)) = name.rsplit_once(['.', '>']) else { return false };
        self.units.iter().any(|unit| unit.syntax.names.bit_fields.contains(member))
    }

    /// Makes the objects on the way to a part.
    fn make(&self, name: &str, made: &mut Made<'_>, text: &mut String) {
        for pointer in pointers(name) {
            if made.pointers.insert(pointer.to_owned()) {
                let count = elements_named(pointer, made.names).to_string();
                let _ = writeln!(text, "    {}", self.allocation(pointer, &count));
            }
        }
    }

    /// The statement that makes a pointer lead to so many elements, an expression of C, or to as many as every pointer does.
    fn allocation(&self, pointer: &str, count: &str) -> String {
        let least = self.elements;
        let count = match count.parse::<u64>() {
            Ok(number) => number.max(least).to_string(),
            Err(_) => format!("({count}) > {least} ? ({count}) : {least}"),
        };
        // What is an array and no pointer has its elements already.
        format!(
            "if (__builtin_types_compatible_p(__typeof__({pointer}), __typeof__(&({pointer})[0]))) \
             __harness_point((void *)&({pointer}), __harness_allocate({count}, sizeof(({pointer})[0])));"
        )
    }
}

/// The objects that have been made, and the names of all parts that get values.
struct Made<'n> {
    names: &'n [&'n str],
    pointers: BTreeSet<String>,
}

/// How many elements behind a pointer get values: the names have the index of each.
fn elements_named(pointer: &str, names: &[&str]) -> u64 {
    let opening = format!("{pointer}[");
    let is_part =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '>' | ']' | ')');
    let mut count = 1;
    for name in names {
        for (at, _) in name.match_indices(&opening) {
            let digits = &name[at + opening.len()..];
            let digits = &digits[..digits.find(']').unwrap_or(0)];
            if let (false, Ok(index)) = (name[..at].ends_with(is_part), digits.parse::<u64>()) {
                count = count.max(index.saturating_add(1));
            }
        }
    }
    count
}

/// The number of elements that a parameter is declared with, as an expression of C. One that names another parameter is none: it has no value yet.
fn declared_elements(syntax: &Syntax, parameter: &Parameter, all: &[Parameter]) -> Option<String> {
    let text = syntax.text(parameter.brackets?);
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let is_qualifier = |word: &&str| {
        matches!(*word, "static" | "const" | "volatile" | "restrict" | "__restrict" | "__restrict__")
    };
    let words: Vec<&str> = inner.split_whitespace().skip_while(is_qualifier).collect();
    let number = words.join(" ");
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let names_another = |parameter: &Parameter| {
        number.split(|character| !is_word(character)).any(|word| *word == *parameter.name)
    };
    let is_unknown = number.is_empty() || number == "*" || all.iter().any(names_another);
    if is_unknown || number.parse::<u64>().is_ok() {
        return (!is_unknown).then_some(number);
    }
    Some(format!("__builtin_choose_expr(__builtin_constant_p({number}), ({number}), 1)"))
}

/// Function and variable of an expression over a static variable of a function, and the expression as it is written there.
fn of_function(name: &str) -> Option<(&str, &str, String)> {
    let (before, after) = name.split_once("::")?;
    let is_word =
        |character: char| character.is_ascii_alphanumeric() || character == '_' || !character.is_ascii();
    let start = before.rfind(|character| !is_word(character)).map_or(0, |at| at + 1);
    let end = after.find(|character| !is_word(character)).unwrap_or(after.len());
    Some((&before[start..], &after[..end], format!("{}{after}", &before[..start])))
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
    if let Some((inner, end)) = converted(name, start) {
        prefix(name, inner, found);
        return selections(name, start, end, found);
    }
    let word = |at: usize| at + name[at..].find(|character| !is_word(character)).unwrap_or(name.len() - at);
    let end = if name[start..].starts_with('(') { prefix(name, start + 1, found) + 1 } else { word(start) };
    selections(name, start, end, found)
}

/// The pointer in `(*(T **)&pointer)` at an offset, and the end of all of it.
fn converted(name: &str, start: usize) -> Option<(usize, usize)> {
    let rest = name[start..].strip_prefix("(*(")?;
    let inner = start + 3 + rest.find(" **)&")? + " **)&".len();
    let mut depth = 1;
    for (at, character) in name[inner..].char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((inner, inner + at + 1));
        }
    }
    None
}

/// Reads selections behind an expression; their end.
fn selections<'n>(name: &'n str, start: usize, end: usize, found: &mut Vec<&'n str>) -> usize {
    let is_word =
        |character: char| character.is_ascii_alphanumeric() || character == '_' || !character.is_ascii();
    let word = |at: usize| at + name[at..].find(|character| !is_word(character)).unwrap_or(name.len() - at);
    let mut end = end;
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
    let text = |lo: u32, hi: u32| syntax.text(Range { lo, hi });
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
    fn static_variables_of_functions_are_found_in_expressions() {
        assert_eq!(of_function("limit"), None);
        assert_eq!(of_function("count::n"), Some(("count", "n", "n".to_owned())));
        assert_eq!(of_function("*f::p"), Some(("f", "p", "*p".to_owned())));
        assert_eq!(of_function("(*f::p)[3].y"), Some(("f", "p", "(*p)[3].y".to_owned())));
        assert_eq!(of_function("f::p != NULL"), Some(("f", "p", "p != NULL".to_owned())));
    }

    #[test]
    fn the_names_of_parts_tell_how_many_elements_a_pointer_leads_to() {
        let names = ["n", "a[0]", "a[1]", "aa[7]", "s.a[5]", "*b[3]", "(*q)[2].x", "p->c[4]"];
        let count = |pointer| elements_named(pointer, &names);
        assert_eq!([count("a"), count("b"), count("(*q)"), count("p->c"), count("p")], [2, 4, 3, 5, 1]);
    }

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
        assert_eq!(pointers("(*(struct s **)&p)->x"), ["(*(struct s **)&p)"]);
        assert_eq!(pointers("(*(struct s **)&q->p)->x.y"), ["q", "(*(struct s **)&q->p)"]);
    }
}
