//! Names by which variables and procedures appear in texts, unique in their scope.

use std::fmt::Write as _;

use base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

use super::print_expr::test_of;
use crate::{ProcId, Program, VarId};

/// The printed form of every name of a program.
///
/// # Invariants
/// * N1: a global's form is unique among the forms that any procedure sees, a local's among its procedure's
///   locals; a local hides globals of its form.
#[derive(Clone, Debug)]
pub struct Names {
    vars: IndexVec<VarId, String>,
    procs: IndexVec<ProcId, String>,
}

impl Names {
    /// The names of a program.
    pub fn new(program: &Program) -> Self {
        let mut anywhere: FxHashMap<&str, u32> = FxHashMap::default();
        let mut local: FxHashMap<(ProcId, &str), u32> = FxHashMap::default();
        for var in &program.vars {
            *anywhere.entry(&var.name).or_default() += 1;
            if let Some(owner) = var.owner {
                *local.entry((owner, &var.name)).or_default() += 1;
            }
        }
        let var_name = |(id, var): (VarId, &crate::Var)| {
            let count = match var.owner {
                Some(owner) => local[&(owner, &*var.name)],
                None => anywhere[&*var.name],
            };
            form(&var.name, (count > 1).then_some(id.index()))
        };
        let mut procs: FxHashMap<&str, u32> = FxHashMap::default();
        for procedure in &program.procs {
            *procs.entry(&procedure.name).or_default() += 1;
        }
        Self {
            vars: program.vars.iter_enumerated().map(var_name).collect(),
            procs: program
                .procs
                .iter_enumerated()
                .map(|(id, procedure)| {
                    form(&procedure.name, (procs[&*procedure.name] > 1).then_some(id.index()))
                })
                .collect(),
        }
    }
    /// The names that one procedure sees, which do not depend on what else the program has: those that share a name are told apart by their order.
    pub(super) fn within(program: &Program, proc: ProcId) -> Self {
        let mut seen: FxHashMap<(Option<ProcId>, &str), usize> = FxHashMap::default();
        let mut called: FxHashMap<&str, usize> = FxHashMap::default();
        let vars = program.vars.iter().map(|var| {
            let count = seen.entry((var.owner, &*var.name)).or_default();
            *count += 1;
            // A local is never taken for a global of its name.
            let prefix = if var.owner == Some(proc) { "" } else { "::" };
            format!("{prefix}{}", form(&var.name, (*count > 1).then_some(*count)))
        });
        let procs = program.procs.iter().map(|procedure| {
            let count = called.entry(&*procedure.name).or_default();
            *count += 1;
            form(&procedure.name, (*count > 1).then_some(*count))
        });
        Self { vars: vars.collect(), procs: procs.collect() }
    }
    /// The form of a variable's name.
    pub fn var(&self, var: VarId) -> &str {
        self.vars.get(var).map_or("?", String::as_str)
    }
    /// The form of a procedure's name.
    pub fn proc(&self, proc: ProcId) -> &str {
        self.procs.get(proc).map_or("?", String::as_str)
    }
}

fn form(name: &str, id: Option<usize>) -> String {
    let mut form = quoted_if_needed(name);
    if let Some(id) = id {
        let _ = write!(form, "#{id}");
    }
    form
}

/// The name as a word, or in backquotes if it is none.
pub(super) fn quoted_if_needed(name: &str) -> String {
    let mut chars = name.chars();
    let word = chars.next().is_some_and(starts_word) && chars.all(continues_word);
    if word && !is_reserved(name) { name.to_owned() } else { escape(name.as_bytes(), '`') }
}

/// The bytes between two `quote`s; what is not printable ASCII is escaped, unless it is part of valid UTF-8.
pub(super) fn escape(bytes: &[u8], quote: char) -> String {
    let mut out = String::from(quote);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\\' => out.push_str("\\\\"),
                c if c == quote => {
                    out.push('\\');
                    out.push(c);
                }
                c if c.is_control() => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(out, "\\x{byte:02x}");
                    }
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push(quote);
    out
}

pub(super) fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '%' | '$')
}

pub(super) fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$' | '.')
}

/// Words that mean something where an expression is expected. All other keywords are told apart by where they
/// stand.
fn is_reserved(word: &str) -> bool {
    let names_expression = matches!(word, "mem" | "bits" | "fn" | "true" | "false" | "null");
    names_expression || tests_memory(word) || matches!(word, "malloc" | "realloc" | "_")
        || super::lex::type_of_word(word).is_some()
        || let_number(word).is_some()
        // A lone operator, not a word.
        || word == "%"
}

/// Words that ask something about memory, or stand for no value.
pub(super) fn tests_memory(word: &str) -> bool {
    matches!(
        word,
        "readable"
            | "writable"
            | "freeable"
            | "bounded"
            | "initialised"
            | "lost"
            | "same_object"
            | "undefined"
    ) || test_of(word).is_some()
}

/// The number of a `let` name such as `$3`.
pub(super) fn let_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('$')?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}
