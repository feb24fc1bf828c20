//! Pragmas: a pragma has an effect, is in the list of those without one, or is refused by name.
//!
//! # Invariants
//! * P1: a pragma that is in no list is an error with its place. Only system headers may choose instructions of the machine: they
//!   do so for functions that nothing calls unless the machine has them.

use base::Diagnostic;

use super::Failure;
use super::directive::Packing;
use super::lexer::Lexer;

/// First words of pragmas that change nothing, or that the preprocessor has executed.
const HARMLESS: [&[u8]; 26] = [
    b"once",
    b"message",
    b"warning",
    b"error",
    b"region",
    b"endregion",
    b"mark",
    b"ident",
    b"push_macro",
    b"pop_macro",
    b"unroll",
    b"nounroll",
    b"ivdep",
    b"novector",
    // Of Microsoft's compiler, about linking, messages and inlining; gcc and clang ignore them.
    b"comment",
    b"alloc_text",
    b"function",
    b"intrinsic",
    b"deprecated",
    b"detect_mismatch",
    b"hdrstop",
    b"inline_depth",
    b"inline_recursion",
    b"auto_inline",
    // Directives for OpenACC: the option that makes a compiler follow them is refused.
    b"acc",
    b"lint",
];
/// What follows `GCC` and changes nothing.
const HARMLESS_GCC: [&[u8]; 14] = [
    b"diagnostic",
    b"system_header",
    b"poison",
    b"dependency",
    b"warning",
    b"error",
    b"visibility",
    b"ivdep",
    b"unroll",
    b"novector",
    b"pch_preprocess",
    b"push_options",
    b"pop_options",
    b"reset_options",
];
/// What follows `clang` and changes nothing.
const HARMLESS_CLANG: [&[u8]; 8] = [
    b"diagnostic",
    b"system_header",
    b"poison",
    b"dependency",
    b"assume_nonnull",
    b"loop",
    b"optimize",
    b"final",
];

/// What `#pragma GCC optimize` may ask for; a level would decide what `__builtin_constant_p` is.
const HARMLESS_OPTIMIZATIONS: [&[u8]; 8] = [
    b"no-ipa-pure-const",
    b"no-strict-aliasing",
    b"no-tree-loop-distribute-patterns",
    b"no-tree-vectorize",
    b"no-unroll-loops",
    b"omit-frame-pointer",
    b"tree-vectorize",
    b"unroll-loops",
];

/// Reads a pragma; `text` is what follows that word.
pub(super) fn read(lexer: &mut Lexer, start: usize, end: usize, text: &[u8]) -> Result<(), Failure> {
    let text = text.trim_ascii();
    let (first, rest) = word(text);
    let (second, after) = word(rest);
    match (first, second) {
        (b"", _) if text.is_empty() => Ok(()),
        (b"pack", _) => pack(lexer, start, end, rest),
        (b"omp", _) => {
            // Whether the compiler follows it depends on its options.
            let span = lexer.span(start, end);
            lexer.notes.open_mp.get_or_insert(span);
            Ok(())
        }
        (b"GCC", _) if HARMLESS_GCC.contains(&second) => Ok(()),
        (b"GCC", b"target") if lexer.is_in_system_header() => Ok(()),
        (b"GCC", b"optimize") if is_harmless_optimization(after) => Ok(()),
        (b"clang", _) if HARMLESS_CLANG.contains(&second) => Ok(()),
        (b"STDC", b"FENV_ACCESS" | b"FP_CONTRACT" | b"CX_LIMITED_RANGE")
            if matches!(after, b"OFF" | b"DEFAULT") =>
        {
            Ok(())
        }
        (b"ms_struct", b"off" | b"reset") => Ok(()),
        (b"GCC" | b"clang" | b"STDC", _) => refuse(lexer, start, end, &[first, second]),
        _ if HARMLESS.contains(&first) => Ok(()),
        _ => refuse(lexer, start, end, &[first]),
    }
}

/// Whether all options of `#pragma GCC optimize` keep the meaning of the program.
fn is_harmless_optimization(text: &[u8]) -> bool {
    let Some(inner) = text.strip_prefix(b"(").and_then(|inner| inner.strip_suffix(b")")) else {
        return false;
    };
    inner.split(|byte| *byte == b',').all(|option| {
        let option = option.trim_ascii();
        let name = option.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
        name.is_some_and(|name| HARMLESS_OPTIMIZATIONS.contains(&name))
    })
}

/// The word at the start of a text, and what follows it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (word, rest) = text.split_at(length);
    (word, rest.trim_ascii())
}

/// P1.
fn refuse(lexer: &Lexer, start: usize, end: usize, words: &[&[u8]]) -> Result<(), Failure> {
    let name = String::from_utf8_lossy(&words.join(&b' ')).trim().to_owned();
    let construct = format!("the pragma `{name}`, which may change the meaning of the program");
    let diagnostic = Diagnostic::unsupported(construct, lexer.span(start, end));
    Err(Box::new(diagnostic.with_help("remove it if the program means the same without it")))
}

fn pack(lexer: &mut Lexer, start: usize, end: usize, arguments: &[u8]) -> Result<(), Failure> {
    let arguments = arguments.strip_prefix(b"(").and_then(|inner| inner.strip_suffix(b")"));
    let packing: &mut Packing = &mut lexer.notes.packing;
    match arguments.and_then(|arguments| packing.execute(end, arguments)) {
        Some(()) => Ok(()),
        None => Err(lexer.failure("malformed `#pragma pack`", start, end)),
    }
}
