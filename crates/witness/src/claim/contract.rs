//! Contracts of functions, as code at their entries and exits.
//!
//! At the start of the body the values are saved that a contract speaks of with `\at(x, Old)`, and `requires` is checked. At every exit `ensures` is checked: after the
//! expression of a `return` was evaluated and converted to the type of the function, and where the closing brace is reached. A function that reaches its closing brace returns no value, except `main`, which returns zero there.
//!
//! # Invariants
//! * I1: the variables that are added are written once, and read by checks and by the `return` that they belong to.
//! * I2: a name in `ensures` means the same at all exits: what the function itself declares is hidden.

use std::fmt::Write;
use std::sync::Arc;

use crate::format::Contract;
use crate::fresh::Fresh;
use crate::names::{Function, Returned};
use crate::question::Text;
use crate::syntax::Range;
use crate::weave::Edits;

use super::{Problem, place};

/// A place where a function ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exit {
    /// A `return` statement, with or without an expression.
    Return(Range, Returned),
    /// The closing brace.
    End(u32),
}

/// What contracts say of one function.
pub(super) struct Promise<'a> {
    function: &'a Function,
    /// The parameters and global variables whose values at the entry are needed.
    saved: Vec<String>,
    /// Whether `\result` is needed where there is no expression.
    result: Mentioned,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mentioned {
    Yes,
    No,
}

/// Which part of a contract is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Requires,
    Ensures,
}

/// The start of the body of a function and its exits, by their places; a problem if the text does not have them.
pub(super) fn places(text: &Text, function: &Function) -> Result<(u32, Vec<(u32, Exit)>), Problem> {
    let name = &function.name;
    let unsupported = |why: &str| Problem::Unsupported(format!("a contract of `{name}`: {why}"));
    let made = || unsupported("a macro makes a part of its body");
    let (Some(body), Some(ends)) = (function.body, &function.exits) else { return Err(made()) };
    let Some(parameters) = &function.parameters else {
        return Err(unsupported("its parameters are not those of a prototype"));
    };
    if parameters.iter().any(|parameter| parameter.name == *name) {
        return Err(unsupported("a parameter has its name"));
    }
    let source = &text.syntax.source.text;
    let is_at = |at: u32, word: &[u8]| source.get(at as usize..).is_some_and(|rest| rest.starts_with(word));
    if !is_at(body - 1, b"{") || !is_at(ends.end, b"}") {
        return Err(made());
    }
    let mut exits = vec![(ends.end, Exit::End(ends.end))];
    for (range, what) in &ends.returns {
        if !is_at(range.lo, b"return") || range.hi == 0 || !is_at(range.hi - 1, b";") {
            return Err(made());
        }
        if (function.returned, *what) == (Returned::Nothing, Returned::Value) {
            return Err(unsupported("it returns no value and has a `return` with an expression"));
        }
        exits.push((range.lo, Exit::Return(*range, *what)));
    }
    Ok((body, exits))
}

impl<'a> Promise<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
        Self { function, saved: Vec::new(), result: Mentioned::No }
    }

    /// Adds a contract, and returns its parts as expressions of C.
    pub(super) fn add(
        &mut self,
        text: &Text,
        contract: &Contract,
        fresh: &Fresh,
    ) -> Result<(String, String), Problem> {
        let wrong = |why| match why {
            Problem::Malformed(why) => {
                Problem::Malformed(format!("the contract at {}: {why}", place(&contract.location)))
            }
            other => other,
        };
        let requires = self.expression(text, &contract.requires, Part::Requires, fresh).map_err(wrong)?;
        let ensures = self.expression(text, &contract.ensures, Part::Ensures, fresh).map_err(wrong)?;
        Ok((requires, ensures))
    }

    /// An expression with variables in the place of what C has no words for.
    fn expression(&mut self, text: &Text, value: &str, part: Part, fresh: &Fresh) -> Result<String, Problem> {
        let mut rest = value;
        let mut new = String::new();
        while let Some((before, after)) = rest.split_once('\\') {
            new += before;
            let word = &after[..after.find(|c: char| !is_part(c)).unwrap_or(after.len())];
            rest = &after[word.len()..];
            match word {
                "result" if part == Part::Requires || self.function.returned == Returned::Nothing => {
                    let why = "`\\result` is what a function returns, at its exit";
                    return Err(Problem::Malformed(why.to_owned()));
                }
                "result" => {
                    self.result = Mentioned::Yes;
                    new += &fresh.result;
                }
                "old" | "at" => {
                    let (inside, after) = arguments(rest)?;
                    rest = after;
                    new += &fresh.saved(self.save(text, word, inside)?);
                }
                other => return Err(Problem::Unsupported(format!("`\\{other}` in a contract"))),
            }
        }
        Ok(new + rest)
    }

    /// The number of the variable for the value of what stands in the parentheses of `\old` or `\at`.
    fn save(&mut self, text: &Text, word: &str, inside: &str) -> Result<usize, Problem> {
        let name = match (word, inside.rsplit_once(',')) {
            ("old", None) => inside.trim(),
            ("at", Some((name, label))) if ["Old", "Pre"].contains(&label.trim()) => name.trim(),
            ("at", Some((_, label))) => {
                return Err(Problem::Unsupported(format!("the label `{}` in a contract", label.trim())));
            }
            _ => return Err(Problem::Malformed(format!("`\\{word}({inside})` is not understood"))),
        };
        let names = &text.syntax.names;
        let is_parameter =
            self.function.parameters.iter().flatten().any(|parameter| *parameter.name == *name);
        if !is_parameter && (!names.all.contains(name) || names.arrays.contains(name)) {
            return Err(Problem::Unsupported(format!(
                "the value at the entry of `{name}`, which is no parameter and no global variable that can be assigned"
            )));
        }
        let known = self.saved.iter().position(|saved| saved == name);
        Ok(known.unwrap_or_else(|| {
            self.saved.push(name.to_owned());
            self.saved.len() - 1
        }))
    }

    /// The names that the function declares.
    pub(super) fn hidden(&self) -> Vec<Arc<str>> {
        self.function.locals.iter().cloned().collect()
    }

    /// How many effects the added code has, checks apart: the call that names the type of the result.
    pub(super) fn effect_count(&self) -> usize {
        match self.function.returned {
            Returned::Value => 1,
            Returned::Nothing => 0,
        }
    }

    /// What stands at the start of the body, with the check of `requires`.
    pub(super) fn entry(&self, check: &str, fresh: &Fresh) -> String {
        let mut text = String::from(" ");
        for (number, name) in self.saved.iter().enumerate() {
            let _ = write!(text, "__typeof__({name}) {} = {name}; ", fresh.saved(number));
        }
        if self.function.returned == Returned::Value {
            let Function { name, parameters, .. } = self.function;
            let arguments: Vec<&str> =
                parameters.iter().flatten().map(|parameter| &*parameter.name).collect();
            let arguments = arguments.join(", ");
            let _ = write!(text, "typedef __typeof__({name}({arguments})) {}; ", fresh.result_type);
        }
        text + check + "; "
    }

    /// Puts the check of `ensures` at an exit.
    pub(super) fn exit(&self, edits: &mut Edits, exit: Exit, check: &str, source: &[u8], fresh: &Fresh) {
        let Fresh { result, result_type, .. } = fresh;
        let undefined = match self.result {
            Mentioned::Yes if &*self.function.name == "main" => format!("{result_type} {result} = 0; "),
            Mentioned::Yes => format!("{result_type} {result}; "),
            Mentioned::No => String::new(),
        };
        match exit {
            Exit::Return(range, Returned::Value) => {
                edits.wrap(range, "", format!(" {check}; return {result}; }}"));
                let keyword = Range { lo: range.lo, hi: range.lo + "return".len() as u32 };
                edits.replace(source, keyword, format!("{{ {result_type} {result} = ("));
                edits.before(range.hi - 1, ")");
            }
            Exit::Return(range, Returned::Nothing) => {
                edits.wrap(range, format!("{{ {undefined}{check}; "), " }");
            }
            Exit::End(at) => edits.before(at, format!("{{ {undefined}{check}; }} ")),
        }
    }
}

/// What stands in the parentheses at the start of a text, and what follows them.
fn arguments(text: &str) -> Result<(&str, &str), Problem> {
    let wrong = || Problem::Malformed("a parenthesis is missing".to_owned());
    let inside = text.trim_start().strip_prefix('(').ok_or_else(wrong)?;
    let mut depth = 0_usize;
    for (at, character) in inside.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Ok((&inside[..at], &inside[at + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    Err(wrong())
}

/// Whether a character may be part of a word.
fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
