//! Functions of the C library that the program defines and that the library, or the code that a compiler makes of a call, calls itself.
//!
//! If a program defines `malloc`, `puts` calls that definition; if it defines `putchar`, gcc calls it for `printf("x")`. Models and effects
//! know nothing of such calls; only models of functions that hand out memory do. They do not matter if the definition has no effects and
//! calls nothing that has.

use crate::hir::FunctionId;
use crate::library::{self, Known, effects};
use crate::lower::Context;
use crate::lower::footprint::Footprints;

/// Functions that the library calls where it needs memory for itself.
const ALLOCATION: [&str; 5] = ["aligned_alloc", "calloc", "free", "malloc", "realloc"];

/// Functions that compilers call instead of [`TRANSFORMED`] ones.
const PARTS: [&str; 12] = [
    "fputc", "fputs", "fwrite", "memcmp", "memcpy", "memmove", "memset", "putc", "putchar", "puts", "strcpy",
    "strlen",
];

/// Functions whose calls compilers turn into calls of others.
const TRANSFORMED: [&str; 17] = [
    "bcmp", "bcopy", "bzero", "fprintf", "fputs", "mempcpy", "printf", "snprintf", "sprintf", "stpcpy",
    "strcat", "strcpy", "strncat", "strncpy", "vfprintf", "vprintf", "vsprintf",
];

/// The definition, and the call that may lead to it.
pub(super) fn replaced(ctx: &Context<'_>) -> Option<(FunctionId, FunctionId)> {
    let hir = ctx.hir;
    let mut footprints = Footprints::new(&ctx.program, &ctx.variable_of, None);
    for (id, function) in hir.functions.iter_enumerated() {
        let is_allocation = ALLOCATION.contains(&&*function.name);
        let is_defined = function.body.is_some()
            && function.external
            && (is_allocation || PARTS.contains(&&*function.name))
            && !ctx.is_of_the_system(function.declared);
        let has_effects = |footprints: &mut Footprints<'_>| {
            ctx.procs.get(&id).is_none_or(|proc| {
                let found = footprints.of(*proc);
                found.has_writes() || found.ends.in_error || found.ends.in_halt
            })
        };
        if !is_defined || !has_effects(&mut footprints) {
            continue;
        }
        let caller = ctx.usage.functions.iter().copied().find(|function| {
            let declared = &hir.functions[*function];
            let name = library::plain_name(&declared.name);
            let name = name.strip_prefix(library::MODEL_PREFIX).unwrap_or(name);
            let is_ours = declared.body.is_some() && !declared.name.starts_with(library::MODEL_PREFIX);
            !is_ours && if is_allocation { may_allocate(name) } else { TRANSFORMED.contains(&name) }
        });
        if let Some(caller) = caller {
            return Some((id, caller));
        }
    }
    None
}

/// Whether the library may allocate memory in a call of a function. Models say so themselves; streams have buffers.
fn may_allocate(name: &str) -> bool {
    match library::classify(name) {
        Known::Printf | Known::Puts | Known::Putchar => true,
        Known::Extern => !library::is_executed(name) && effects::describe(name).is_some(),
        _ => false,
    }
}
