//! Decompositions: loops whose star is made of the stars of simpler loops.
//!
//! [`DECOMPOSITIONS`] is the list; the first that applies is taken. A new decomposition is a file here with a type that implements
//! [`Decomposition`], and a line in the list; the law tests of crates/summary/tests/stars run over the list.
//!
//! A decomposition returns the parts and how their stars are composed, not a star: computing the stars of the parts takes the solver and the
//! effort that the split itself uses. The partial star is an argument for [`unroll`], which asks it for a bound of the number of iterations.
//!
//! # Invariants
//! * C1: if the stars of the parts satisfy K1 and K2 of [`super`], so does the composition.
//!
//! # Cost
//! Each file says what a split costs. The depth of [`super::StarOptions`] bounds how often parts are split again.

mod event;
mod period;
mod phase;
mod unroll;
mod wrap;

use std::fmt;

use base::Stop;
use term::Terms;

use super::loop_body::LoopBody;
use super::partial::PartialStar;
use super::{Body, Event, Star};
use event::Events;
use period::Period;
use phase::Phases;
use unroll::Unroll;
use wrap::WrapAround;

/// The star of a loop body as a function of that of its part.
pub type Compose = Box<dyn FnOnce(&mut Terms, &Star) -> Star>;

/// The star of a loop body in terms of the stars of its parts.
pub enum Split {
    /// The star is known, without parts.
    Known(Star),
    /// The star is a function of that of one part.
    One(Body, Compose),
    /// All iterations of the first part come before all of the second.
    Sequence([Body; 2]),
    /// All iterations of the first part come before all of the second, and these before all of the third.
    Passing(Box<(Body, Body, Body)>),
    /// The same, and the second part is executed at most once.
    Once(Box<Event>),
}

/// Splits loop bodies of one kind.
pub trait Decomposition: Sync {
    /// What the decomposition is called in tests and messages.
    fn name(&self) -> &'static str;

    /// How deep the parts may be split again if the body may be split `depth` levels deep; `None` if it must not be split at all.
    fn depth_of_parts(&self, depth: u32) -> Option<u32>;

    /// The parts of a loop body, if it is of the kind (C1).
    fn split(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<Option<Split>, Stop>;
}

impl fmt::Debug for dyn Decomposition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// All decompositions, in the order in which they are tried.
pub static DECOMPOSITIONS: &[&dyn Decomposition] = &[&Unroll, &Events, &Phases, &WrapAround, &Period];
