//! The facts of the loop head, which every state satisfies when the head is reached, hold after the last iteration.
//!
//! # Cost
//! No question.

use base::Stop;

use super::StarDomain;
use crate::star::loop_body::LoopBody;
use crate::star::partial::{PartialStar, StarFacts};

/// The domain.
pub(super) struct HeadFacts;

impl StarDomain for HeadFacts {
    fn name(&self) -> &'static str {
        "head facts"
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let after = body.primed(body.definition.facts);
        let after = star.lift(body, after);
        Ok(StarFacts::after_some(vec![after]))
    }
}
