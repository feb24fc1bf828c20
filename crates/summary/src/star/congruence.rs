//! Congruences of increments and of states: what one iteration changes, or leaves, modulo a number.
//!
//! [Gps25] has no such domain; with it the paper's example EX-3 is proved by its summary alone.
//!
//! # Invariants
//! * M1: a congruence is returned only after the solver has shown that no iteration violates it.

use base::Stop;
use term::{Evaluator, Integer, TermId};

use super::query::{Query, Reply};

/// Differences between models are refined so often.
const MOST_MODELS: usize = 8;

/// `term = residue mod modulus` in every iteration, with the modulus above one.
#[derive(Clone, Debug)]
pub(super) struct Congruence {
    pub(super) modulus: Integer,
    pub(super) residue: Integer,
}

/// The finest congruence of a term over all iterations; `None` if there is none, or if the term is constant (which hulls find).
pub(super) fn congruence(query: &mut Query<'_>, term: TermId) -> Result<Option<Congruence>, Stop> {
    let mut values = query
        .models()
        .into_iter()
        .map(|model| Evaluator::new(query.terms, &model).int(term))
        .collect::<Vec<_>>();
    let Some(residue) = values.pop() else { return Ok(None) };
    let mut modulus = values.iter().fold(Integer::ZERO, |gcd, value| gcd.gcd(&(value - &residue)));
    for _ in 0..MOST_MODELS {
        if modulus.is_one() {
            return Ok(None);
        }
        let number = query.terms.number(residue.clone());
        let difference = query.terms.sub(term, number);
        let holds = query.terms.divides(&modulus, difference);
        let violated = query.terms.not(holds);
        match query.ask(violated)? {
            Reply::No if modulus.is_zero() => return Ok(None),
            Reply::No => return Ok(Some(Congruence { residue: residue.modulo(&modulus), modulus })),
            Reply::Yes(model) => {
                let value = Evaluator::new(query.terms, &model).int(term);
                modulus = modulus.gcd(&(&value - &residue));
            }
            Reply::Unknown => return Ok(None),
        }
    }
    Ok(None)
}
