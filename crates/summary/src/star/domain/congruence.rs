//! Congruences of increments and of states: what one iteration changes, or leaves, modulo a number.
//!
//! [Gps25] has no such domain; with it the paper's example EX-3 is proved by its summary alone.
//!
//! # Invariants
//! * M1: a congruence is returned only after the solver has shown that no iteration violates it.
//!
//! # Cost
//! At most [`MAX_MODELS`] questions for each changed variable.

use base::Stop;
use term::{Evaluator, Integer, TermId};

use super::StarDomain;
use super::increments::Changes;
use crate::star::loop_body::{LoopBody, Reply};
use crate::star::partial::{PartialStar, StarFacts};

/// Differences between models are refined so often.
const MAX_MODELS: usize = 8;

/// The domain: the finest congruence of each changed variable.
pub(super) enum Congruences {
    /// Of what one iteration adds; that of all iterations is a multiple of it.
    OfIncrements,
    /// Of the value at the end of every iteration, hence of the last.
    OfStates,
}

impl StarDomain for Congruences {
    fn name(&self) -> &'static str {
        match self {
            Self::OfIncrements => "congruences of increments",
            Self::OfStates => "congruences of states",
        }
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let mut facts = Vec::new();
        match self {
            Self::OfIncrements => {
                let Changes { increments, totals } = Changes::new(body, star);
                for (increment, total) in increments.into_iter().zip(totals) {
                    if let Some(found) = congruence(body, increment)? {
                        let expected = body.terms.scale(&found.residue, star.count);
                        let difference = body.terms.sub(total, expected);
                        facts.push(body.terms.divides(&found.modulus, difference));
                    }
                }
            }
            Self::OfStates => {
                for symbol in body.changed() {
                    let value = body.value_after(symbol);
                    if let Some(found) = congruence(body, value)? {
                        let residue = body.terms.number(found.residue);
                        let difference = body.terms.sub(star.update[&symbol], residue);
                        facts.push(body.terms.divides(&found.modulus, difference));
                    }
                }
            }
        }
        Ok(StarFacts::after_some(facts))
    }
}

/// `term = residue mod modulus` in every iteration, with the modulus above one.
#[derive(Clone, Debug)]
struct Congruence {
    modulus: Integer,
    residue: Integer,
}

/// The finest congruence of a term over all iterations; `None` if there is none, or if the term is constant (which hulls find).
fn congruence(body: &mut LoopBody<'_>, term: TermId) -> Result<Option<Congruence>, Stop> {
    let mut values = body
        .models()
        .into_iter()
        .map(|model| Evaluator::new(body.terms, &model).int(term))
        .collect::<Vec<_>>();
    let Some(residue) = values.pop() else { return Ok(None) };
    let mut modulus = values.iter().fold(Integer::ZERO, |gcd, value| gcd.gcd(&(value - &residue)));
    for _ in 0..MAX_MODELS {
        if modulus.is_one() {
            return Ok(None);
        }
        let number = body.terms.number(residue.clone());
        let difference = body.terms.sub(term, number);
        let holds = body.terms.divides(&modulus, difference);
        let violated = body.terms.not(holds);
        match body.ask(violated)? {
            Reply::No if modulus.is_zero() => return Ok(None),
            Reply::No => return Ok(Some(Congruence { residue: residue.modulo(&modulus), modulus })),
            Reply::Yes(model) => {
                let value = Evaluator::new(body.terms, &model).int(term);
                modulus = modulus.gcd(&(&value - &residue));
            }
            Reply::Unknown => return Ok(None),
        }
    }
    Ok(None)
}
