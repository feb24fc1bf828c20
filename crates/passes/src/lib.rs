//! Transformations of programs, each with its way back.
//!
//! A pass takes a program that satisfies `Program::verify` to one that does, and a [`BackTranslation`] from
//! the new program to the old.
//!
//! | pass | executions of the new program | error reachable |
//! |---|---|---|
//! | [`instrument`](fn@instrument) | the same; an overflow that is a violation ends at an error location | same |
//! | [`inline`](fn@inline) | the same (see there for `alloca`) | same |
//! | [`resolve_calls`] | the same | same |
//! | [`propagate`](fn@propagate) | the same | same |
//! | [`unroll`](fn@unroll) | the same, with copies of the bodies of short loops | same |
//! | [`promote`](fn@promote) | more: what memory does wrong no longer ends an execution | may become so |
//! | [`rows`](fn@rows) | more: arrays with rows of variable length have no bounds of their own | may become so |
//! | [`scalarise`](fn@scalarise) | the same, with variables for the elements of short arrays | same |
//! | [`eliminate_dead`] | the same, with fewer variables | same |
//! | [`prune`](fn@prune) | those that may still reach the error; others end early | same |
//! | [`slice`](fn@slice) | more: what does not influence the error no longer ends or blocks an execution | may become so |
//! | [`compress`](fn@compress) | the same, in fewer steps | same |
//! | [`compact`](fn@compact) | the same | same |
//!
//! So a proof of safety for a new program holds for the old one, always; a counterexample does unless it was
//! made from a slice: it is replayed.
//!
//! # Invariants
//! * I1: no pass recurses on the native stack; expressions are visited in arena order.
//! * I2: [`instrument`](fn@instrument) comes first: no other pass knows that an overflow may be a violation.
//! * I3: passes except [`compact`](fn@compact) keep the numbers of procedures and of old variables.

mod back;
mod build;
mod calls;
mod choices;
mod compact;
mod compress;
mod control_dependence;
mod dead_variables;
mod fold;
mod frames;
mod inline;
mod instrument;
mod lifetimes;
mod liveness;
mod pipeline;
mod prepared;
mod promote;
mod propagate;
mod prune;
mod recursion;
mod relevance;
mod resolve;
mod rows;
mod scalarise;
mod separate;
mod slice;
mod stack;
mod totality;
mod unroll;

pub use back::{
    BackTranslation, Context, ContextId, EdgeOrigin, Link, LocationOrigin, OpOrigin, ProcOrigin, Step,
    StepPart, VarOrigin,
};
pub use choices::{Answers, Objects, OpInstance};
pub use compact::compact;
pub use compress::{CallEdges, compress};
pub use dead_variables::eliminate_dead;
pub use inline::{InlineConfig, Inlined, KeptCall, KeptReason, inline};
pub use instrument::{Check, CheckId, Checks, Instrumented, Owner, Selection, Wanted, instrument};
pub use pipeline::{Errors, MemoryForm, OptionalPass, PipelineConfig, Pipelined, Precision, pipeline};
pub use prepared::Prepared;
pub use promote::{
    LeafMeaning, LeafValue, Maker, Meanings, ObjectMeaning, PointerMeaning, Promoted, Stands, promote,
    promote_explained,
};
pub use propagate::propagate;
pub use prune::prune;
pub use recursion::{Obstacle, accumulate, descend, hand_back, linear, tail, window};
pub use resolve::resolve_calls;
pub use rows::rows;
pub use scalarise::scalarise;
pub use separate::separate;
pub use slice::slice;
pub use unroll::unroll;
