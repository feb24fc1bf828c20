//! The text format `.cfa`: programs as people read, write and compare them.
//!
//! # Form
//! ```text
//! program LP64 overflow=undefined start=%start
//! file f0 "loop.c"
//! approximation over "one sentence" @f0:4:3-4:13
//! global v0 x : i32 "int" @f0:1:5-1:6 scope @f0:1:1-9:2
//! proc p1 main(n) -> (%return) @f0:3:1-9:2 {
//!   local v1 n : i32 "int"
//!   local v2 a : i32[10]
//!   local v3 s : object 24 align 8 readonly
//!   local v4 %return : i32
//!   entry l0
//!   exit l1
//!   error l4
//!   loc l2 loop @f0:5:3-7:4
//!   let $0 = (x + 1:i32) * n
//!   l0 -> l2 : x := 0:i32  @f0:4:3-4:13 stmt
//!   l2 -> l3 : assume x < 10:i32  @f0:5:3-5:8 branch true
//!   l3 -> l2 : a[x] := $0
//!            ; x := x + 1:i32
//!   l2 -> l1
//! }
//! ```
//! * Ids (`v0`, `p1`, `f0`) may be left out when written by hand: declarations without get the free ones in
//!   order.
//! * A name that is not a plain word stands in backquotes; one that is not unique in its scope is written
//!   with its id, `x#7`.
//! * Expressions have C's operators and precedences; constants carry their type, `-1:i32`, `true`, `null`,
//!   `1.5:f64`, or their bits, `0x7ff8000000000000:f64`. `(u8) e` converts, `mem(i32, p)` and `bits(u3, p,
//!   2)` read (or, left of `:=`, write) memory, `&s` is the address of an object, `fn(main)` of a procedure.
//!   `a > b` is read as `b < a`.
//! * `let` names an expression that is shared or deep, so that the text is linear in the size of the arena.
//! * `//` starts a comment.
//!
//! Operations: `place := e`, `assume e`, `havoc place input|extern|argument "name"`, `havoc place uninit` (each with
//! `at @region`), `init v zero|uninit`, `allocate a[e]`, `begin v`, `end v`, `place := malloc(e) heap|stack zero|uninit`,
//! `place := realloc(p, e)`, `free(p)`, `copy(to, from, n)`, `fill(to, byte, n)`, `write(to, "bytes")`,
//! `call f(e, ..) -> (place, _)`, `call *p {f, g}(e, ..) -> (..)`, `output printf(e, ..) -> place`,
//! `exit(e)`, `abort`.
//!
//! # Invariants
//! * I1: for a verified program `p`, `parse(print(p))` is `p` but for the numbering of the expression arena
//!   and for the contents of the source files, which are not part of the format. Printing that again gives
//!   the same text.
//! * I2: what `parse` accepts satisfies `Program::verify`.
//! * I3: neither recurses deeper than a constant: the parser refuses nesting beyond [`NESTING_LIMIT`], the
//!   printer names what is deeper than [`LET_DEPTH`] by `let`.

mod lex;
mod names;
mod parse;
mod parse_expr;
mod parse_op;
mod print;
mod print_expr;

pub use names::Names;
pub use parse::parse;
pub use print::{print, print_alone};
pub use print_expr::{Notation, Style};

/// Parentheses and prefix operators may be nested this deep in a text.
pub const NESTING_LIMIT: usize = 200;
/// An expression that is deeper is printed in pieces.
pub const LET_DEPTH: u32 = 24;
/// An expression that is used more than once and has more nodes is printed once.
pub const LET_SIZE: u32 = 12;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The file as the caller named it.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, counted in characters.
    pub column: u32,
    /// One sentence, lower case.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}
