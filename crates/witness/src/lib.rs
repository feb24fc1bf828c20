//! Evidence as files: SV-COMP witnesses, written, read and validated; harnesses and test cases.
//!
//! A witness speaks about a C text. To validate one, what it claims is woven into that text ([`weave`]), and the result is an
//! ordinary program whose error is reached exactly if the claim is wrong (invariants) or right (violations).
//!
//! Knows no engine and no flags. Only [`judge`] does more than compute: it builds and runs a harness in a folder of its own.

mod aim;
pub mod ask;
pub mod automaton;
pub mod cases;
pub mod certificate;
mod checks;
pub mod claim;
pub mod correctness;
mod definedness;
pub mod documents;
pub mod expression;
pub mod format;
pub mod fresh;
pub mod harness;
pub mod inductive;
pub mod judge;
pub mod names;
pub mod question;
mod rebuild;
pub mod syntax;
pub mod testcase;
pub mod validate;
pub mod violation;
pub mod weave;
