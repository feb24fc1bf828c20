//! Functions of the C library that the program defines and that the library, or the code that a compiler makes of a call, calls itself.
//!
//! If a program defines `malloc`, `puts` calls that definition; if it defines `putchar`, gcc calls it for `printf("x")`. Models and effects
//! know nothing of such calls. They do not matter if the definition has no effects and calls nothing that has.

use crate::hir::FunctionId;
use crate::library::{self, Known};
use crate::lower::Context;
use crate::lower::footprint::Footprints;

/// Functions that others are made of.
const PARTS: [&str; 17] = [
    "aligned_alloc",
    "calloc",
    "fputc",
    "fputs",
    "free",
    "fwrite",
    "malloc",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "putc",
    "putchar",
    "puts",
    "realloc",
    "strcpy",
    "strlen",
];

/// Library functions that call no other function which a program can replace; the names of families end in `*`.
const WHOLE: [&str; 14] = [
    "__VERIFIER_*",
    "__assert_fail",
    "__ctype_*",
    "__errno_location",
    "_exit",
    "abort",
    "abs",
    "is*",
    "labs",
    "llabs",
    "memc*",
    "memm*",
    "mems*",
    "to*",
];

/// The definition, and the call that may lead to it.
pub(super) fn replaced(ctx: &Context<'_>) -> Option<(FunctionId, FunctionId)> {
    let hir = ctx.hir;
    let mut footprints = Footprints::new(&ctx.program, &ctx.variable_of, None);
    let definition = hir.functions.iter_enumerated().find(|(id, function)| {
        let is_part = function.body.is_some()
            && function.external
            && PARTS.contains(&&*function.name)
            && !ctx.is_of_the_system(function.declared);
        is_part
            && ctx.procs.get(id).is_none_or(|proc| {
                let found = footprints.of(*proc);
                found.has_writes() || found.ends.in_error || found.ends.in_halt
            })
    })?;
    let user = ctx.usage.functions.iter().copied().find(|function| {
        let declared = &hir.functions[*function];
        let name = library::plain_name(&declared.name);
        let name = name.strip_prefix(library::MODEL_PREFIX).unwrap_or(name);
        let is_whole = WHOLE.iter().any(|whole| match whole.strip_suffix('*') {
            Some(family) => name.starts_with(family),
            None => name == *whole,
        });
        let is_ours = declared.body.is_some() && !declared.name.starts_with(library::MODEL_PREFIX);
        let is_input = library::classify(&declared.name) == Known::Input;
        !is_ours && !is_whole && !is_input && library::is_known(name)
    })?;
    Some((definition.0, user))
}
