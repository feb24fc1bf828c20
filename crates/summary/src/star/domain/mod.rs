//! Domains of star: each finds facts of one kind about any number of iterations.
//!
//! [`DOMAINS`] is the list. A new domain is a file here with a type that implements [`StarDomain`], and a line in the list; the law
//! tests of crates/summary/tests/stars run over the list.
//!
//! A domain returns [`StarFacts`] and not a list of formulas: a fact modulo the period of a type ([`modular`]) has a Skolem constant, which
//! needs values for no iteration and for one iteration more. The partial star is an argument because facts speak of the values after the
//! loop as the star has them, and because what closed forms say already need not be found again.
//!
//! # Invariants
//! * D1: for k >= 1, facts hold of k iterations: they follow from one iteration for k = 1; and with F the body and D(k) the facts for k
//!   iterations, `F ∘ D(k)` and `D(k) ∘ F` imply D(k+1), for states that satisfy the facts of the loop head.
//! * D2: facts about any number of iterations hold for none, with the choice of [`super::partial::Witnessed::none`].
//! * D3: a domain depends on the loop body and on the partial star only. What other domains have asked the solver may save questions and does not
//!   change which facts are true.
//!
//! # Cost
//! All domains of one star share the effort of [`super::StarOptions`]; when it is spent they find less. Each file says how many questions its
//! domain asks.

mod congruence;
mod established;
mod growth;
mod head_facts;
mod increments;
mod modular;
mod progress;
mod stable;
mod states;

use std::fmt;

use base::Stop;

use super::loop_body::{LoopBody, Side};
use super::partial::{PartialStar, StarFacts};
use congruence::Congruences;
use established::Established;
use growth::Growth;
use head_facts::HeadFacts;
use increments::Increments;
use modular::ModularIncrements;
use progress::Progress;
use stable::Stable;
use states::States;

/// Finds facts of one kind about any number of iterations.
pub trait StarDomain: Sync {
    /// What the domain is called in tests and messages.
    fn name(&self) -> &'static str;

    /// What holds of the iterations of a loop body, over the values of a partial star (D1, D2).
    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop>;
}

impl fmt::Debug for dyn StarDomain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// All domains, in the order in which they are asked.
pub static DOMAINS: &[&dyn StarDomain] = &[
    &HeadFacts,
    &Increments,
    &Congruences::OfIncrements,
    &ModularIncrements,
    &States(Side::Before),
    &Progress(Side::Before),
    &States(Side::After),
    &Progress(Side::After),
    &Growth,
    &Congruences::OfStates,
    &Established,
    &Stable,
];

/// The domains without congruences of any kind, to measure what these contribute.
pub static DOMAINS_WITHOUT_CONGRUENCES: &[&dyn StarDomain] = &[
    &HeadFacts,
    &Increments,
    &States(Side::Before),
    &Progress(Side::Before),
    &States(Side::After),
    &Progress(Side::After),
    &Growth,
    &Established,
    &Stable,
];
