//! Loops whose iterations alternate: the star of two iterations at once.
//!
//! A body that asks whether a counter is even does one thing and then the other; no hull of one iteration shows that two of them always
//! add the same. With G two iterations in a row:
//!
//! ```text
//!   F* = G*  or  F ; G*
//! ```
//!
//! # Invariants
//! * E1: the equation is exact, so the result over-approximates as much as the star of G does, and no more.
//! * E2: prepending an iteration turns the first form into the second, and the second into the first with one round of G more: the choices of
//!   the two iterations are those of the new one and of the one that stood alone.
//!
//! # Cost
//! Linear in the number of terms, plus the star of G. No question.

use base::Stop;
use term::{Integer, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::{Decomposition, Split};
use crate::star::loop_body::LoopBody;
use crate::star::partial::PartialStar;
use crate::star::{Body, Recurrences, Star};
use encode::Transition;

/// The decomposition.
pub(super) struct Period;

impl Decomposition for Period {
    fn name(&self) -> &'static str {
        "period"
    }

    fn depth_of_parts(&self, depth: u32) -> Option<u32> {
        depth.checked_sub(1)
    }

    fn split(&self, body: &mut LoopBody<'_>, _star: &PartialStar) -> Result<Option<Split>, Stop> {
        let Some(doubled) = Doubled::of(body.terms, &body.definition) else { return Ok(None) };
        let part = doubled.body.clone();
        let compose = move |terms: &mut Terms, rounds: &Star| doubled.star(terms, rounds);
        Ok(Some(Split::One(part, Box::new(compose))))
    }
}

/// Two iterations of a body.
struct Doubled {
    /// Both.
    body: Body,
    /// The second one, whose choices have names of their own; it is also the one that may stand alone in front.
    single: Transition,
    /// These names: old, new.
    copies: Vec<(SymbolId, SymbolId)>,
}

impl Doubled {
    /// Two iterations of a body that asks for a parity, if taking them together helps.
    fn of(terms: &mut Terms, body: &Body) -> Option<Self> {
        let roots: Vec<TermId> = body.formula.update.values().copied().chain([body.formula.guard]).collect();
        let two = Integer::from(2);
        let asks = |term: &TermId| match terms.node(*term) {
            Node::Divides(divisor, inside) | Node::Mod(inside, divisor) => {
                *divisor == two
                    && terms.symbols_of(*inside).iter().any(|symbol| body.formula.update.contains_key(symbol))
            }
            _ => false,
        };
        if !terms.reachable(&roots).iter().any(asks) {
            return None;
        }
        let mut copies = Vec::new();
        for symbol in terms.symbols_of_all(&roots) {
            let info = terms.symbol(symbol).clone();
            if info.kind != SymbolKind::Variable {
                copies.push((symbol, terms.declare(info.name, info.sort, info.kind)));
            }
        }
        let pairs: Vec<(SymbolId, TermId)> =
            copies.iter().map(|(old, new)| (*old, terms.of_symbol(*new))).collect();
        let mut rename = Substitution::new(pairs);
        let single = Transition {
            guard: rename.apply(terms, body.formula.guard),
            update: body
                .formula
                .update
                .iter()
                .map(|(symbol, value)| (*symbol, rename.apply(terms, *value)))
                .collect(),
        };
        let formula = body.formula.then(terms, &single);
        let doubled = Body { formula, ..body.clone() };
        let unknown =
            |terms: &mut Terms, body: &Body| Recurrences::of(terms, &body.formula, body.facts).unknown.len();
        if unknown(terms, &doubled) >= unknown(terms, body) {
            return None;
        }
        Some(Self { body: doubled, single, copies })
    }

    /// The star of the body, given that of two iterations.
    fn star(&self, terms: &mut Terms, rounds: &Star) -> Star {
        let odd = terms.fresh("odd", Sort::Bool, SymbolKind::Skolem);
        let is_odd = terms.of_symbol(odd);
        let guard = terms.implies(is_odd, self.single.guard);
        let mut update = std::collections::BTreeMap::new();
        for (symbol, value) in &self.single.update {
            let before = terms.of_symbol(*symbol);
            update.insert(*symbol, terms.ite(is_odd, *value, before));
        }
        let front = Transition { guard, update };
        let formula = front.then(terms, &rounds.formula);
        let (zero, one) = (terms.int(0), terms.int(1));
        let alone = terms.ite(is_odd, one, zero);
        // The number of rounds may depend on nothing but choices, so it is the same after the first iteration.
        let count = terms.sum([rounds.count, rounds.count, alone]);
        let mut none = rounds.none.clone();
        none.push((odd, Terms::FALSE));
        let mut becomes_odd = vec![(odd, Terms::TRUE)];
        for (old, new) in &self.copies {
            becomes_odd.push((*new, terms.of_symbol(*old)));
        }
        let mut more = vec![becomes_odd];
        for choice in &rounds.more {
            let mut choice = choice.clone();
            choice.push((odd, Terms::FALSE));
            more.push(choice);
        }
        Star { formula, count, none, more, exact: rounds.exact }
    }
}
