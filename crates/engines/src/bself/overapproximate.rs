//! Overapproximation of a valid extension: [Bself21] §4.3.
//!
//! 1. Relations that the extension implies (`relations`).
//! 2. ρ := its clauses and those of type 1. For each relation R of the other types, and once for none:
//! 3. clauses of ρ are dropped as long as ρ ∧ R stays valid,
//! 4. inequalities are relaxed, those inside of longer clauses as well; an equation is two inequalities,
//! 5. clauses are dropped again, now those of R as well.
//!
//! Results that imply another result are left out. The one without a relation comes first, so that the others are computed only if it does not lead to an invariant.
//!
//! # Invariants
//! * A1: every result is a valid extension and is implied by the given one: over the integers, dropping and relaxing only add states.
//!
//! # Cost
//! How far an inequality can be relaxed is read off the models that refute more, so it takes a few questions and not as many as the bound has digits.

use std::collections::BTreeSet;

use smt::{Logic, Solver, Z3Solver};
use term::{Evaluator, Integer, Node, SymbolId, TermId, Terms};
use verdict::Reason;

use super::relations::{Relations, relations};
use super::valid::{Extensions, Validity};

/// More relations than this are not tried.
const MAX_RELATIONS: usize = 4;
/// A bound is given up after so many refuted attempts.
const MAX_ATTEMPTS: usize = 10;
/// After so many attempts a bound is halved, whatever the refutations say.
const PATIENCE: usize = 4;

/// What an overapproximation is made from.
pub(super) struct Overapproximation<'x> {
    pub(super) extensions: &'x mut Extensions,
    /// Knows what holds at the head.
    pub(super) states: &'x mut Z3Solver,
    /// The variables between which relations are looked for.
    pub(super) variables: &'x [SymbolId],
}

/// Constants that an extension implies.
pub(super) type Constants = Vec<(SymbolId, Integer, TermId)>;

/// An extension with what it implies.
#[derive(Clone, Debug)]
pub(super) struct Related {
    /// Its clauses.
    clauses: Vec<TermId>,
    /// The relations of type 1, which are dropped first, and the clauses.
    rho: Vec<TermId>,
    /// The relations of type 1.
    pub(super) constants: Constants,
    /// Relations of the other types.
    others: Vec<TermId>,
}

impl Overapproximation<'_> {
    /// Steps 1 and 2.
    pub(super) fn related(
        &mut self,
        clauses: &[TermId],
        before: &Constants,
        logic: &mut Logic,
    ) -> Result<Related, Reason> {
        let asked = self.states.statistics().queries;
        let Relations { constants, mut others } =
            relations(clauses, before, self.variables, self.states, logic)?;
        self.extensions.count(self.states.statistics().queries - asked);
        others.truncate(MAX_RELATIONS);
        let mut rho: Vec<TermId> = constants.iter().map(|(_, _, equation)| *equation).collect();
        rho.extend(clauses.iter().copied().filter(|clause| !rho.contains(clause)).collect::<Vec<_>>());
        Ok(Related { clauses: clauses.to_vec(), rho, constants, others })
    }

    /// A larger valid extension without any relation. Relations of type 1 are of no use here: the clauses alone are valid.
    pub(super) fn plain(
        &mut self,
        related: &Related,
        logic: &mut Logic,
    ) -> Result<Option<Vec<TermId>>, Reason> {
        self.with_relation(&related.clauses, Terms::TRUE, logic)
    }

    /// Larger valid extensions by the relations, other than the plain one and what implies it.
    pub(super) fn by_relations(
        &mut self,
        related: &Related,
        plain: Option<&[TermId]>,
        logic: &mut Logic,
    ) -> Result<Vec<Vec<TermId>>, Reason> {
        let includes =
            |larger: &[TermId], smaller: &[TermId]| larger.iter().all(|clause| smaller.contains(clause));
        let mut results: Vec<Vec<TermId>> = Vec::new();
        for relation in &related.others {
            let Some(result) = self.with_relation(&related.rho, *relation, logic)? else { continue };
            let is_implied = plain.is_some_and(|plain| includes(plain, &result))
                || results.iter().any(|other| includes(other, &result));
            if !is_implied {
                results.retain(|other| !includes(&result, other));
                results.push(result);
            }
        }
        Ok(results)
    }

    /// Steps 3 to 5 for one relation.
    fn with_relation(
        &mut self,
        rho: &[TermId],
        relation: TermId,
        logic: &mut Logic,
    ) -> Result<Option<Vec<TermId>>, Reason> {
        let fixed = logic.terms.conjuncts(relation);
        let Some(dropped) = self.dropped(rho.to_vec(), &fixed, logic)? else { return Ok(None) };
        let mut all = dropped;
        all.extend(fixed);
        let relaxed = self.relaxed(inequalities(&mut logic.terms, &all), logic)?;
        self.dropped(relaxed, &[], logic)
    }

    /// Steps 3 and 5: the clauses that are left, without the fixed ones; nothing if they are not valid to start with.
    fn dropped(
        &mut self,
        mut clauses: Vec<TermId>,
        fixed: &[TermId],
        logic: &mut Logic,
    ) -> Result<Option<Vec<TermId>>, Reason> {
        clauses.retain(|clause| !fixed.contains(clause));
        let with = |clauses: &[TermId]| clauses.iter().chain(fixed).copied().collect::<Vec<TermId>>();
        match self.extensions.test(&with(&clauses), logic)? {
            Validity::Valid(needed) => clauses.retain(|clause| needed.contains(clause)),
            Validity::Refuted(_) | Validity::Unknown => return Ok(None),
        }
        loop {
            let count = clauses.len();
            let mut at = 0;
            while at < clauses.len() {
                let mut fewer = clauses.clone();
                fewer.remove(at);
                match self.extensions.test(&with(&fewer), logic)? {
                    Validity::Valid(needed) => {
                        fewer.retain(|clause| needed.contains(clause));
                        clauses = fewer;
                    }
                    Validity::Refuted(_) | Validity::Unknown => at += 1,
                }
            }
            if clauses.len() == count {
                return Ok(Some(clauses));
            }
        }
    }

    /// Step 4.
    fn relaxed(&mut self, mut clauses: Vec<TermId>, logic: &mut Logic) -> Result<Vec<TermId>, Reason> {
        for at in 0..clauses.len() {
            for atom in bounds(&logic.terms, clauses[at]) {
                if let Some(relaxed) = self.relax(&clauses, at, atom, logic)? {
                    clauses[at] = relaxed;
                }
            }
        }
        Ok(clauses)
    }

    /// A clause with one of its inequalities `e ≤ 0` as `e ≤ r`, r as large as refutations tell.
    fn relax(
        &mut self,
        clauses: &[TermId],
        at: usize,
        atom: TermId,
        logic: &mut Logic,
    ) -> Result<Option<TermId>, Reason> {
        let mut others = clauses.to_vec();
        others.remove(at);
        let Some(mut bound) = self.refuted_at(&others, atom, logic)? else { return Ok(None) };
        let mut best = None;
        let mut tried = Integer::ONE;
        for attempt in 0..MAX_ATTEMPTS {
            if bound < tried {
                break;
            }
            let relaxed = relaxed_by(&mut logic.terms, clauses[at], atom, &tried);
            let mut next = clauses.to_vec();
            next[at] = relaxed;
            match self.refuted_at(&next, atom, logic)? {
                None => {
                    best = Some(relaxed);
                    if tried == bound {
                        break;
                    }
                    tried = bound.clone();
                }
                Some(_) if best.is_none() => break,
                Some(smaller) => {
                    bound = if attempt < PATIENCE { smaller } else { tried.div_floor(&Integer::from(2)) };
                    tried = bound.clone();
                }
            }
        }
        Ok(best)
    }

    /// One less than the value that the sum of an inequality has where clauses are refuted; nothing if they are valid.
    fn refuted_at(
        &mut self,
        clauses: &[TermId],
        atom: TermId,
        logic: &mut Logic,
    ) -> Result<Option<Integer>, Reason> {
        Ok(match self.extensions.test(clauses, logic)? {
            Validity::Valid(_) => None,
            Validity::Unknown => Some(Integer::ZERO),
            Validity::Refuted(model) => {
                let Node::Le(sum) = *logic.terms.node(atom) else { return Ok(Some(Integer::ZERO)) };
                let value = Evaluator::new(&logic.terms, &model).int(sum);
                Some(&value - &Integer::ONE)
            }
        })
    }
}

/// Clauses with equations as pairs of inequalities, and disequations as two strict ones.
fn inequalities(terms: &mut Terms, clauses: &[TermId]) -> Vec<TermId> {
    let mut result = Vec::new();
    for clause in clauses {
        let normal = terms.nnf(*clause);
        let split = terms.map_literals(normal, |terms, literal| match *terms.node(literal) {
            Node::Zero(sum) => {
                let form = terms.linear(sum);
                let parts = [terms.le_zero(&form), terms.le_zero(&form.negate())];
                terms.and(parts)
            }
            Node::Not(atom) => {
                let Node::Zero(sum) = *terms.node(atom) else { return literal };
                let form = terms.linear(sum);
                let (below, above) =
                    (form.add_constant(&Integer::ONE), form.negate().add_constant(&Integer::ONE));
                let parts = [terms.le_zero(&below), terms.le_zero(&above)];
                terms.or(parts)
            }
            _ => literal,
        });
        result.extend(terms.conjuncts(split));
    }
    let mut seen = BTreeSet::new();
    result.retain(|clause| *clause != Terms::TRUE && seen.insert(*clause));
    result
}

/// The inequalities in a clause.
fn bounds(terms: &Terms, clause: TermId) -> Vec<TermId> {
    terms.reachable(&[clause]).into_iter().filter(|term| matches!(terms.node(*term), Node::Le(_))).collect()
}

fn relaxed_by(terms: &mut Terms, clause: TermId, atom: TermId, by: &Integer) -> TermId {
    let Node::Le(sum) = *terms.node(atom) else { return clause };
    let form = terms.linear(sum).add_constant(&-by.clone());
    let weaker = terms.le_zero(&form);
    terms.map_literals(clause, |_, literal| if literal == atom { weaker } else { literal })
}
