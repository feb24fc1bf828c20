//! A counterexample that runs: the user's program with its inputs fixed, as one C file.
//!
//! The text of the program stays as it is, line by line, except that what violates the property first reports that and exits. The functions
//! that ask for input are defined at the end; they hand out the values of the trace in order. Bytes of standard input are put into a pipe before
//! `main` starts, so that the functions of the C library read them; with other arguments the harness starts itself again ([`arguments`]).
//!
//! Several files become one text, in which names that they have each for themselves are replaced ([`units`]). If the program starts in another
//! function than `main`, the harness has a `main` that sets up the start ([`entry`]).
//!
//! # Invariants
//! * I1: a harness exits with [`EXIT_CODE`] and prints [`MESSAGE`] exactly if the violation is reached.
//! * I2: what the values of a trace cannot force (uninitialised variables, static variables whose declaration a jump may pass, what the C library
//!   returns) makes a harness impossible, which is said.
//! * I3: the harness calls no function of the program in place of one of the system, even if they have the same name.

mod arguments;
mod entry;
mod outside;
mod stdin;
mod units;

use std::collections::BTreeMap;
use std::fmt::Write;

use cfa::{CheckKind, FloatKind, Source, Ty};
use interp::Chosen;
use verdict::Trace;

use crate::question::Text;
use crate::syntax::{Call, Syntax};
use crate::weave::Edits;

/// How a harness exits when the violation is reached.
pub const EXIT_CODE: i32 = 10;
/// How it exits when it reads more inputs than there are.
pub const OUT_OF_INPUTS: i32 = 98;
/// How it exits when it cannot set up what the program reads, or cannot say what it has to say.
pub const NO_SETUP: i32 = 96;
/// What it prints to standard error.
pub const MESSAGE: &str = "wayproof: the property is violated";
/// What a failing `assert` calls.
const ASSERTS: [&str; 3] = ["__assert_fail", "__assert_perror_fail", "__assert"];
/// How the functions are called that stand for any function of a type.
const ANY_FUNCTION: &str = "__any_function_";
/// Words of memory for a variable whose type is not known.
const VARIABLE_WORDS: u64 = 1 << 13;
/// By this a harness is known.
const MARK: &str = "The inputs of a counterexample that Wayproof found";

/// What a harness is made of.
pub struct Harness<'a> {
    /// The files of the program.
    pub units: &'a [Text],
    /// Where it starts.
    pub entry: &'a str,
    /// How many elements a pointer leads to, if it starts elsewhere than in `main`.
    pub elements: u64,
    /// What happens.
    pub trace: &'a Trace,
    /// Functions whose call is the error.
    pub error_functions: &'a [String],
    /// Whether a failing `assert` is.
    pub assert_is_error: bool,
    /// How to build it, for the reader.
    pub command: &'a str,
    /// Further functions that nobody defines; they do nothing.
    pub undefined: &'a [String],
}

impl Harness<'_> {
    /// The C text, or why there can be none.
    pub fn text(&self) -> Result<String, String> {
        let functions = self.functions()?;
        let bytes = stdin::bytes(self.trace)?;
        let arguments = self.arguments()?;
        let mut text = String::new();
        for (number, unit) in self.units.iter().enumerate() {
            let woven = self.woven(&unit.syntax)?;
            if self.units.len() == 1 {
                text = woven;
                continue;
            }
            let (before, after) = units::frame(self.units, number);
            text = text + &before + &woven + &after;
        }
        text.push_str(&self.runtime());
        text.push_str(&self.outside_objects()?);
        text.push_str(&arguments.map_or_else(String::new, |arguments| self.started_again(&arguments)));
        text.push_str(&bytes.map_or_else(String::new, |bytes| self.standard_input(&bytes)));
        for (name, (ty, source)) in functions {
            text.push_str(&self.definition(name, ty, source));
        }
        let assumes = ["__VERIFIER_assume"];
        for name in assumes.into_iter().filter(|name| self.is_missing(name)) {
            let _ = writeln!(text, "void {name}(int condition) {{ if (!condition) __harness_exit(97); }}");
        }
        let stubs = self.error_functions.iter().map(String::as_str).filter(|name| self.is_missing(name));
        // Asserts that macros and included files make are not in the text: they end up here.
        let asserts = ASSERTS.into_iter().filter(|name| self.is_error(name) && self.is_declared(name));
        let missing = stubs.chain(asserts.filter(|name| !self.is_defined(name))).chain(self.undefined());
        for name in missing {
            if self.is_variable(name) {
                text.push_str(&self.variable(name)?);
                continue;
            }
            let target = if self.is_error(name) { "__harness_violated" } else { "__harness_nothing" };
            let _ = if self.is_declared(name) {
                writeln!(text, "__typeof__({name}) {name} __attribute__((alias(\"{target}\")));")
            } else {
                writeln!(text, "int {name}() {{ {target}(); return 0; }}")
            };
        }
        if self.entry != "main" {
            text.push_str(&self.uncalled());
            text.push_str(&self.main()?);
        }
        Ok(text)
    }

    /// The functions without body whose values it hands out.
    pub fn externs(&self) -> Vec<String> {
        let names = self.trace.choices.iter().filter_map(|chosen| match &chosen.source {
            Source::Extern { function } => Some(function.to_string()),
            _ => None,
        });
        names.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// Whether all that violates the property reports it. A function of an included file that is the error cannot be changed.
    pub fn reports_all(&self) -> bool {
        let in_text = |name: &str| {
            let mut functions = self.units.iter().flat_map(|unit| &unit.syntax.functions);
            functions.any(|function| &*function.name == name && function.body.is_some())
        };
        let asserts = ASSERTS.into_iter().filter(|name| self.is_error(name));
        let mut names = self.error_functions.iter().map(String::as_str).chain(asserts);
        names.all(|name| !self.is_defined(name) || in_text(name))
    }

    /// Whether a call of a function is the violation.
    fn is_error(&self, name: &str) -> bool {
        let is_named = self.error_functions.iter().any(|error| error == name);
        let is_assert = self.assert_is_error && ASSERTS.contains(&name);
        self.trace.violation.kind == CheckKind::Assertion && (is_named || is_assert)
    }

    /// The functions that the linker misses, unless they are defined in any case.
    fn undefined(&self) -> impl Iterator<Item = &str> {
        let names = self.undefined.iter().map(String::as_str);
        names
            .filter(|name| !(self.error_functions.iter().any(|error| error == name) && self.is_missing(name)))
    }

    /// The text of a file, with all that reports the violation.
    fn woven(&self, syntax: &Syntax) -> Result<String, String> {
        let mut edits = Edits::new();
        edits.before(syntax.first_item, "extern void __harness_violated(void); ");
        if self.trace.violation.kind == CheckKind::Assertion {
            for call in &syntax.calls {
                self.weave(call, syntax, &mut edits);
            }
            // For calls that macros make, or by pointers.
            for function in syntax.functions.iter().filter(|function| self.is_error(&function.name)) {
                if let Some(body) = function.body {
                    edits.before(body, "__harness_violated(); ");
                }
            }
        }
        self.set_statics(syntax, &mut edits)?;
        if self.entry != "main"
            && let Some(main) = syntax.functions.iter().find(|function| &*function.name == "main")
        {
            edits.replace(&syntax.source.text, main.ident, "__harness_program_main");
        }
        let woven = edits.apply(&syntax.source.text);
        let mut text =
            String::from_utf8(woven.text.to_vec()).map_err(|_| "the program is not UTF-8".to_owned())?;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    /// Which functions hand out values: the type and why the value is arbitrary.
    fn functions(&self) -> Result<BTreeMap<&str, (Ty, &Source)>, String> {
        let mut functions = BTreeMap::new();
        for chosen in &self.trace.choices {
            if chosen.value.ty == Ty::Ptr && chosen.value.bits != 0 && !outside::is_object(&chosen.source) {
                return Err("an input is an address".to_owned());
            }
            let name = match &chosen.source {
                Source::Extern { function } if self.is_variable(function) => continue,
                Source::Input { function } | Source::Extern { function } => &**function,
                Source::Outside if chosen.held.is_some() => "",
                Source::Outside => {
                    return Err("a harness cannot set memory that was copied before it was read".to_owned());
                }
                Source::Uninitialised | Source::Rounded | Source::Guess(_) => {
                    return Err("a harness cannot set the values of uninitialised variables".to_owned());
                }
                Source::Library { function, .. } if **function == *cfa::STDIN => continue,
                Source::Library { function, .. } => {
                    let why = format!(
                        "a harness cannot control what the library function `{function}` returns or writes"
                    );
                    return Err(why);
                }
                Source::Argument { .. } | Source::Global { .. } => "",
            };
            if matches!(chosen.value.ty, Ty::Int { width: 65.., .. })
                || matches!(chosen.value.ty, Ty::Float(FloatKind::Extended | FloatKind::Quad))
            {
                return Err(format!("values of type {} are not supported", chosen.value.ty));
            }
            if name.is_empty() {
                continue;
            }
            let known = functions.entry(name).or_insert((chosen.value.ty, &chosen.source));
            if known.0 != chosen.value.ty {
                return Err(format!("the function {name} returns more than one value at a time"));
            }
        }
        // What is declared and called, but not on this execution, must be there all the same.
        for call in self.calls() {
            if let Some(name) = call.callee.as_deref()
                && name.starts_with("__VERIFIER_nondet")
                && !self.is_defined(name)
            {
                functions.entry(name).or_insert((Ty::Ptr, &Source::Uninitialised));
            }
        }
        Ok(functions)
    }

    fn calls(&self) -> impl Iterator<Item = &Call> {
        self.units.iter().flat_map(|unit| &unit.syntax.calls)
    }
    fn is_defined(&self, name: &str) -> bool {
        self.units.iter().any(|unit| unit.syntax.defined.iter().any(|defined| &**defined == name))
    }
    fn is_declared(&self, name: &str) -> bool {
        self.units.iter().any(|unit| unit.syntax.declared.iter().any(|declared| &**declared == name))
    }
    fn is_variable(&self, name: &str) -> bool {
        self.units.iter().any(|unit| unit.syntax.names.variables.contains(name))
    }
    /// Memory for a variable that nobody defines: only its name for the linker is known here, and its value if it is a scalar.
    fn variable(&self, name: &str) -> Result<String, String> {
        let is_it =
            |chosen: &&Chosen| matches!(&chosen.source, Source::Extern { function } if **function == *name);
        let mut values = self.trace.choices.iter().filter(is_it);
        let first = values.next();
        if values.next().is_some() || first.is_some_and(|chosen| chosen.value.ty == Ty::Ptr) {
            return Err(format!("a harness cannot set the variable {name}, which is defined elsewhere"));
        }
        let bits = first.map_or(0, |chosen| chosen.value.bits);
        Ok(format!(
            "unsigned long long __harness_variable_{name}[{VARIABLE_WORDS}] __asm__(\"{name}\") = {{ {bits:#x}ULL }};\n"
        ))
    }
    /// Whether a function is called and not defined.
    fn is_missing(&self, name: &str) -> bool {
        !self.is_defined(name) && self.calls().any(|call| call.callee.as_deref() == Some(name))
    }

    /// A call that stands in the text as such. Where a macro makes it, the range is that of the macro, which may do more than call.
    fn weave(&self, call: &Call, syntax: &Syntax, edits: &mut Edits) {
        let Some(callee) = call.callee.as_deref() else { return };
        let is_plain = syntax
            .text(call.range)
            .strip_prefix(callee)
            .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_'));
        if is_plain && self.error_functions.iter().any(|name| name == callee) {
            edits.wrap(call.range, "(__harness_violated(), ", ")");
        }
    }

    /// The definition of a function that hands out values. Its type is the one of its declaration; functions whose parameters are not known
    /// are defined under another name.
    fn definition(&self, name: &str, ty: Ty, source: &Source) -> String {
        let body = match ty {
            Ty::Float(FloatKind::Single) => {
                "union { unsigned bits; float value; } next; next.bits = (unsigned)__harness_next(); return next.value;"
            }
            Ty::Float(_) => {
                "union { unsigned long long bits; double value; } next; next.bits = __harness_next(); return next.value;"
            }
            Ty::Int { .. } => "return __harness_next();",
            Ty::Ptr if *source == Source::Uninitialised => "__harness_exit(98);",
            Ty::Ptr => "return __harness_object(__harness_next());",
        };
        if name.starts_with(ANY_FUNCTION) {
            return format!("{} {name}() {{ {body} }}\n", plain(ty));
        }
        if !self.is_declared(name) {
            // As a call without declaration declares it.
            return format!("int {name}() {{ {body} }}\n");
        }
        if matches!(source, Source::Extern { .. }) {
            let plain = plain(ty);
            return format!(
                "{plain} __harness_{name}(void) {{ {body} }}\n\
                 __typeof__({name}) {name} __attribute__((alias(\"__harness_{name}\")));\n"
            );
        }
        format!("__typeof__({name}()) {name}(void) {{ {body} }}\n")
    }

    /// What all harnesses share.
    fn runtime(&self) -> String {
        // What the program starts with is set up by `main`.
        let is_asked_for = |chosen: &&Chosen| match &chosen.source {
            Source::Extern { function } if self.is_variable(function) => false,
            Source::Argument { .. } | Source::Global { .. } | Source::Library { .. } | Source::Outside => {
                false
            }
            Source::Input { .. }
            | Source::Extern { .. }
            | Source::Uninitialised
            | Source::Rounded
            | Source::Guess(_) => true,
        };
        let values: Vec<String> =
            self.trace.choices.iter().filter(is_asked_for).map(|chosen| self.value(chosen)).collect();
        let (count, list) =
            (values.len(), if values.is_empty() { "0".to_owned() } else { values.join(", ") });
        format!(
            "\n/* {MARK}, in order.\n   \
             Build and run: {}\n   \
             The program exits with {EXIT_CODE} where the property is violated. */\n\
             extern void __harness_exit(int) __asm__(\"_Exit\") __attribute__((noreturn));\n\
             extern long __harness_write(int, const void *, unsigned long) __asm__(\"{}\");\n\
             static const unsigned long long __harness_inputs[] = {{ {list} }};\n\
             static unsigned long __harness_used;\n\
             static unsigned long long __harness_next(void) {{\n    \
             if (__harness_used == {count}UL) __harness_exit({OUT_OF_INPUTS});\n    \
             return __harness_inputs[__harness_used++];\n}}\n\
             void __harness_violated(void) {{\n    \
             int is_said = __harness_write(2, \"{MESSAGE}\\n\", {length}) == {length};\n    \
             __harness_exit(is_said ? {EXIT_CODE} : {NO_SETUP});\n}}\n\
             void __harness_nothing(void) {{ }}\n",
            self.command.replace("*/", "* /"),
            self.system("write"),
            length = MESSAGE.len() + 1,
        )
    }

    /// The name of a function of the system in the language of the linker (I3).
    fn system(&self, name: &str) -> String {
        if self.is_defined(name) { format!("__{name}") } else { name.to_owned() }
    }
}

/// Whether a text is a harness.
pub fn is_harness(text: &[u8]) -> bool {
    text.windows(MARK.len()).any(|window| window == MARK.as_bytes())
}

/// The type as which a value is returned.
fn plain(ty: Ty) -> &'static str {
    match ty {
        Ty::Float(FloatKind::Single) => "float",
        Ty::Float(_) => "double",
        Ty::Int { .. } => "unsigned long long",
        Ty::Ptr => "void *",
    }
}
