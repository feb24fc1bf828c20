//! What is known about the C library.
//!
//! A library function is an operation of the program ([`Known`]), a model written in C (`models/*.c`, compiled together with the
//! user's program when it is needed), or described by its effects ([`effects`]). A function that a system header declares and that is not described caps both
//! verdicts; any other function without body is the user's. A definition in the user's program always wins. The functions of the models carry [`MODEL_PREFIX`], so that
//! whatever the user declares cannot contradict them.

pub mod effects;
pub mod page;

use std::sync::OnceLock;

use cfa::Freedom;
use rustc_hash::FxHashMap;

use crate::hir::{self, Callee, ExprKind};

/// What the names of models start with.
pub const MODEL_PREFIX: &str = "__wayproof_";

/// What the functions start with that models call where they end.
pub(crate) const UNSUPPORTED_PREFIX: &str = "__wayproof_unsupported_";

/// The variable behind `errno`, in the models.
pub(crate) const ERRNO: &str = "__wayproof_errno";

/// The error function of old verification tasks.
pub const VERIFIER_ERROR: &str = "__VERIFIER_error";

/// A file of models.
#[derive(Clone, Copy, Debug)]
pub struct ModelFile {
    /// Its name, for positions.
    pub name: &'static str,
    /// Its text, without preprocessor directives.
    pub text: &'static str,
}

static FILES: &[ModelFile] = &[
    ModelFile { name: "models/string.c", text: include_str!("models/string.c") },
    ModelFile { name: "models/character.c", text: include_str!("models/character.c") },
    ModelFile { name: "models/number.c", text: include_str!("models/number.c") },
    ModelFile { name: "models/system.c", text: include_str!("models/system.c") },
    ModelFile { name: "models/clock.c", text: include_str!("models/clock.c") },
    ModelFile { name: "models/input.c", text: include_str!("models/input.c") },
    ModelFile { name: "models/strtol.c", text: include_str!("models/strtol.c") },
    ModelFile { name: "models/sort.c", text: include_str!("models/sort.c") },
    ModelFile { name: "models/sort_r.c", text: include_str!("models/sort_r.c") },
    ModelFile { name: "models/search.c", text: include_str!("models/search.c") },
    ModelFile { name: "models/token.c", text: include_str!("models/token.c") },
    ModelFile { name: "models/format.c", text: include_str!("models/format.c") },
    ModelFile { name: "models/format_float.c", text: include_str!("models/format_float.c") },
    ModelFile { name: "models/decimal.c", text: include_str!("models/decimal.c") },
    ModelFile { name: "models/strtod.c", text: include_str!("models/strtod.c") },
    ModelFile { name: "models/stdin.c", text: include_str!("models/stdin.c") },
    ModelFile { name: "models/getline.c", text: include_str!("models/getline.c") },
    ModelFile { name: "models/scan.c", text: include_str!("models/scan.c") },
    ModelFile { name: "models/string_rare.c", text: include_str!("models/string_rare.c") },
    ModelFile { name: "models/checked.c", text: include_str!("models/checked.c") },
    ModelFile { name: "models/checked_format.c", text: include_str!("models/checked_format.c") },
    ModelFile { name: "models/divide.c", text: include_str!("models/divide.c") },
    ModelFile { name: "models/wide.c", text: include_str!("models/wide.c") },
    ModelFile { name: "models/multibyte.c", text: include_str!("models/multibyte.c") },
    ModelFile { name: "models/wide_character.c", text: include_str!("models/wide_character.c") },
    ModelFile { name: "models/real.c", text: include_str!("models/real.c") },
    ModelFile { name: "models/real_range.c", text: include_str!("models/real_range.c") },
    ModelFile { name: "models/real_long.c", text: include_str!("models/real_long.c") },
];

/// The functions that a program calls, or whose address it takes, and that have no body.
pub(crate) fn missing(program: &hir::Program) -> impl Iterator<Item = &hir::Function> {
    let used = program.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Call { callee: Callee::Direct(function), .. } | ExprKind::FunctionAddress(function) => {
            Some(function)
        }
        _ => None,
    });
    used.map(|function| &program.functions[function]).filter(|function| function.body.is_none())
}

/// The files of models that a program needs: those that define a function which the program uses but does not define, and those that
/// these files need in turn.
pub fn needed(program: &hir::Program) -> Vec<ModelFile> {
    let mut is_needed = vec![false; FILES.len()];
    let mut waiting = Vec::new();
    for function in missing(program) {
        need(plain_name(&function.name), &mut is_needed, &mut waiting);
    }
    while let Some(file) = waiting.pop() {
        mentioned(FILES[file].text).for_each(|name| need(name, &mut is_needed, &mut waiting));
    }
    FILES.iter().zip(is_needed).filter_map(|(file, is_needed)| is_needed.then_some(*file)).collect()
}

fn need(name: &str, is_needed: &mut [bool], waiting: &mut Vec<usize>) {
    if let Some(file) = defining_file(name)
        && !std::mem::replace(&mut is_needed[file], true)
    {
        waiting.push(file);
    }
}

/// Whether a symbol is that of a function of the C library.
pub fn is_known(symbol: &str) -> bool {
    is_executed(symbol) || effects::describe(symbol).is_some()
}

/// Whether an operation or a model executes a function of the C library.
pub fn is_executed(name: &str) -> bool {
    classify(name) != Known::Extern || defining_file(plain_name(name)).is_some()
}

/// The file that defines the model of a function.
fn defining_file(name: &str) -> Option<usize> {
    static INDEX: OnceLock<FxHashMap<&'static str, usize>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = FxHashMap::default();
        for (number, file) in FILES.iter().enumerate() {
            index.extend(file.text.split('\n').filter_map(defined).map(|name| (name, number)));
        }
        index
    });
    index.get(name).copied()
}

/// The function that a line of a model starts to define, without its prefix. In models a definition starts at the first column, its name stands before the first
/// parenthesis, and only a declaration ends its line with a semicolon. Every program pays for all lines, so most are left after a look at their ends.
fn defined(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    if matches!(bytes.first()?, b' ' | b'}' | b'/') || bytes.last() == Some(&b';') {
        return None;
    }
    let end = bytes.iter().position(|byte| *byte == b'(')?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = bytes[..end].iter().rposition(|byte| !is_name(byte)).map_or(0, |before| before + 1);
    line[start..end].strip_prefix(MODEL_PREFIX)
}

/// The functions of models that a text names before a parenthesis, without their prefix.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(MODEL_PREFIX).filter_map(|(at, _)| {
        let rest = &text[at + MODEL_PREFIX.len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then(|| &rest[..end])
    })
}

/// The name of a library function behind a name of the compiler (`__builtin_strlen`).
pub fn plain_name(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}

/// How calls of a function without a body are lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Goes on only if the argument is not zero.
    Assume,
    /// Ends the execution; the error if failing assertions are.
    AssertFail,
    /// Ends the execution.
    Abort,
    /// Ends the execution with a status.
    Exit,
    /// A nondeterministic input.
    Input,
    /// In models: an arbitrary value in the name of a library function.
    Arbitrary(Freedom),
    /// In models: the value of the variable `stdin`.
    Stdin,
    /// In models: from here on the model does not say what the function does.
    Unsupported,
    /// In models: whether the program defines functions that allocate memory itself.
    OwnMalloc,
    /// In models: so many bytes from an address on must be readable, whether or not the function gets to read them.
    Readable,
    /// In models: source and target of a copy overlap.
    Overlap,
    /// In models: an argument is one that the function does not take.
    Misuse,
    /// `malloc(size)`
    Malloc,
    /// `aligned_alloc(alignment, size)`
    AlignedAlloc,
    /// `calloc(count, size)`
    Calloc,
    /// `realloc(old, size)`
    Realloc,
    /// `free(pointer)`
    Free,
    /// `alloca(size)`
    Alloca,
    /// `memcpy(to, from, length)`
    Copy,
    /// `memmove(to, from, length)`
    Move,
    /// `mempcpy(to, from, length)`
    CopyReturningEnd,
    /// `memset(to, byte, length)`
    Fill,
    /// `bzero(to, length)`
    Zero,
    /// `printf(format, ...)`
    Printf,
    /// `puts(text)`
    Puts,
    /// `putchar(character)`
    Putchar,
    /// `fabs(x)`
    FloatAbs,
    /// Marks the start or the end of an atomic section, which is nothing in a program without threads.
    Nothing,
    /// Any other function: what is known about it is in the data file ([`effects`]), or nothing is.
    Extern,
}

impl Known {
    /// Whether a call changes no variable and no memory that exists.
    pub(crate) fn writes_nothing(self) -> bool {
        !matches!(
            self,
            Self::Realloc
                | Self::Free
                | Self::Copy
                | Self::CopyReturningEnd
                | Self::Fill
                | Self::Zero
                | Self::Extern
        )
    }
}

/// How models ask for an arbitrary value, and in the name of which function they do: `__wayproof_world_time()` is what the outside world
/// decides (any value may occur), `__wayproof_some_strxfrm()` what the library computes and the model does not.
pub(crate) fn arbitrary(name: &str) -> Option<(&str, Freedom)> {
    let name = name.strip_prefix(MODEL_PREFIX)?;
    let world = name.strip_prefix("world_").map(|function| (function, Freedom::World));
    world.or_else(|| name.strip_prefix("some_").map(|function| (function, Freedom::Determined)))
}

/// Operations that models use under their prefix: glibc does not call the program's function of that name there. Where it does, as `strdup` calls
/// `malloc`, models write `__builtin_malloc`.
const MODEL_OPERATIONS: [&str; 7] = ["abort", "free", "malloc", "memcpy", "memmove", "memset", "realloc"];

/// What is known about a function without body.
pub(crate) fn classify(name: &str) -> Known {
    if let Some((_, freedom)) = arbitrary(name) {
        return Known::Arbitrary(freedom);
    }
    if name.starts_with(UNSUPPORTED_PREFIX) {
        return Known::Unsupported;
    }
    if name.starts_with("__VERIFIER_nondet") {
        return Known::Input;
    }
    if matches!(name, "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end") {
        return Known::Nothing;
    }
    // The names of operations that models write, which are never functions of the program.
    let name = name.strip_prefix(MODEL_PREFIX).filter(|name| MODEL_OPERATIONS.contains(name)).unwrap_or(name);
    match plain_name(name) {
        "__VERIFIER_assume" | "__wayproof_assume" => Known::Assume,
        "__wayproof_own_malloc" => Known::OwnMalloc,
        "__wayproof_overlap" => Known::Overlap,
        "__wayproof_misuse" => Known::Misuse,
        "__wayproof_readable" => Known::Readable,
        "__wayproof_stdin" => Known::Stdin,
        "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => Known::AssertFail,
        "abort" | "trap" => Known::Abort,
        "exit" | "_exit" | "_Exit" | "quick_exit" => Known::Exit,
        "malloc" => Known::Malloc,
        "aligned_alloc" | "memalign" => Known::AlignedAlloc,
        "valloc" | "pvalloc" => Known::Malloc,
        "calloc" => Known::Calloc,
        "realloc" => Known::Realloc,
        "free" | "cfree" => Known::Free,
        "alloca" => Known::Alloca,
        "memcpy" => Known::Copy,
        "memmove" => Known::Move,
        "mempcpy" | "__mempcpy" => Known::CopyReturningEnd,
        "memset" => Known::Fill,
        "bzero" => Known::Zero,
        "printf" => Known::Printf,
        "puts" => Known::Puts,
        "putchar" => Known::Putchar,
        "fabs" | "fabsf" | "fabsl" => Known::FloatAbs,
        _ => Known::Extern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_starts_a_definition_is_found_by_its_ends() {
        let is_definition = |line: &&str| !line.starts_with([' ', '}', '/']) && !line.ends_with(';');
        let mut count = 0;
        for file in FILES {
            for line in file.text.lines().filter(is_definition) {
                let named = mentioned(line).next();
                assert_eq!(defined(line), named, "{}: {line}", file.name);
                count += usize::from(named.is_some());
            }
        }
        assert!(count > 300, "{count}");
        assert_eq!(defined("int __wayproof_getchar(void);"), None);
        assert_eq!(defined("    int x = __wayproof_getchar() + 1, y"), None);
    }
}
