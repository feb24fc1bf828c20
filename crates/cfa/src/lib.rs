//! The program that every engine works on: control-flow automata of procedures with machine-typed operations.
//!
//! Read [`program`] and [`op`] first: they say what a program is and what its operations mean. The
//! interpreter is the executable form of that meaning; the text format makes programs writable by hand.
//!
//! Knows no C syntax, no solver and no engine.

pub mod check;
pub mod dot;
pub mod expr;
pub mod hazard;
pub mod loops;
pub mod op;
pub mod pointsto;
pub mod program;
pub mod spelling;
pub mod text;
pub mod ty;
pub mod verify;
pub mod watch;

pub use check::{CheckKind, CheckKinds, CheckSite, Excused};
pub use expr::{Access, AddressTest, BinaryOp, Expr, ExprId, Exprs, UnaryOp, limit_kind};
pub use op::{
    AllocKind, Callee, Freedom, Guess, HaltReason, InitKind, Op, OutputFunction, Place, STDIN, Source,
};
pub use program::{
    Approximation, ApproximationKind, Edge, EdgeId, Length, Loc, LocationInfo, LocationRole, Origin, ProcId,
    Procedure, Program, Role, Storage, Var, VarId,
};
pub use spelling::{Member, Spelled, Spelling};
pub use ty::{DataModel, FloatKind, SignedOverflow, Ty};
