//! The type checker: from syntax trees to the typed program, by the rules of C11 with GNU C's extensions.
//!
//! It is as lenient as gcc is with `-w`: what gcc only warns about is accepted and made explicit. What it does not model is
//! an error that names construct and place.
//!
//! # Invariants
//! * K1: native recursion follows the nesting of the text, which the parser bounds; lists, left operands of binary operators and
//!   `else if` chains are walked with loops. Types can be nested deeper than that (through typedefs): nothing here recurses over them.
//! * K2: an operand is checked once, in the order of the text; unevaluated operands leave unused nodes in the arenas.
//! * K3: integer operations on constants are folded as they are built unless C leaves them undefined, so that an integer constant
//!   expression is an [`ExprKind::Int`](crate::hir::ExprKind) at once.
//! * K4: nothing is kept in hash maps that is iterated over.

mod atomic;
mod attribute;
mod bitfield;
mod builtin;
mod call;
mod constant;
mod context;
mod conversion;
mod cursor;
mod declaration;
mod declarator;
mod enumeration;
mod expression;
mod float;
mod function;
mod initializer;
mod late;
mod library;
mod linkage;
mod literal;
mod member;
mod operator;
mod primary;
mod record;
mod scope;
mod size;
mod specifiers;
mod statement;
mod static_value;
mod suggest;
mod switch;

pub(crate) use context::Checker;
pub(crate) use library::is_builtin;

use base::{Diagnostic, SourceMap, census};
use cfa::DataModel;

use crate::ast::TranslationUnit;
use crate::hir::Program;
use crate::lex::{Failure, Interner};

type Checked<T> = Result<T, Failure>;

/// Checks translation units that were parsed with one interner, and links them to one program.
///
/// Recursion is bounded by `parse::MAX_NESTING`: call it with a stack as large as the parser needs.
pub fn check(
    units: &[TranslationUnit],
    interner: &Interner,
    sources: &SourceMap,
    model: DataModel,
) -> Result<Program, Diagnostic> {
    census::count(census::Step::ProgramChecked);
    let mut checker = Checker::new(interner, sources, model);
    for unit in units {
        checker.unit(unit).map_err(|failure| *failure)?;
    }
    checker.finish().map_err(|failure| *failure)
}
