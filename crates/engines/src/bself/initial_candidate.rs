//! The first candidate of a folding: [Bself21] §4.2.
//!
//! ψ_e are the states outside of the error states from which the loop is left at once. The graph has no ways that do not lead to the error, so "the loop may be left" is read off
//! the arcs that stay inside: some choice takes none of them.
//!
//! With inputs in the loop ψ_e need not be inductive. What leads out of it is excluded step by step then, which the paper does not do: a few pre-images often suffice.

use encode::Transition;
use graph::cut::PointId;
use paths::{preimage, readable};
use smt::{Logic, project};
use term::{SymbolId, SymbolKind, TermId, Terms};
use verdict::Reason;

use super::fold_loop::Folds;
use super::valid::{Dnf, Extensions, Validity, formula};

/// Candidates with more clauses are not used.
pub(super) const MAX_CLAUSES: usize = 24;
/// So many literals of the error states are negated, one at a time.
const MAX_FLIPPED: usize = 4;
/// So often states that lead out of a candidate are excluded from it.
const MAX_EXCLUSIONS: usize = 8;

/// The clauses of a formula.
pub(super) fn clauses(terms: &mut Terms, formula: TermId) -> Vec<TermId> {
    let normal = terms.nnf(formula);
    let normal = terms.tidy(normal);
    let normal = terms.nnf(normal);
    terms.conjuncts(normal)
}

/// ψ_e: outside of the error states, where an iteration may be left out.
pub(super) fn leaving(terms: &mut Terms, error: TermId, iteration: &Transition) -> Vec<TermId> {
    let safe = terms.not(error);
    let stays = readable(terms, iteration.guard);
    let leaves = terms.not(stays);
    let chosen: Vec<SymbolId> = terms
        .symbols_of(leaves)
        .into_iter()
        .filter(|symbol| terms.symbol(*symbol).kind != SymbolKind::Variable)
        .collect();
    let leaves = project::forget(terms, leaves, &chosen);
    let both = terms.and([safe, leaves]);
    let found = clauses(terms, both);
    if found.len() <= MAX_CLAUSES { found } else { clauses(terms, safe) }
}

/// The union of known candidates that are disjoint from the error states; with a part that they have to include, of those that do.
fn union_of(known: &[Dnf], part: Option<TermId>, context: &mut Context<'_>) -> Result<Dnf, Reason> {
    let mut union: Dnf = Vec::new();
    for candidate in known {
        let states = formula(&mut context.logic.terms, candidate);
        let common = context.logic.terms.and([states, context.error]);
        let missing = part.map(|part| {
            let outside = context.logic.terms.not(states);
            context.logic.terms.and([part, outside])
        });
        let is_fit = context.is_impossible(common)?
            && match missing {
                Some(missing) => context.is_impossible(missing)?,
                None => true,
            };
        if is_fit {
            for conjunction in candidate {
                if !union.contains(conjunction) {
                    union.push(conjunction.clone());
                }
            }
        }
    }
    Ok(union)
}

/// What the first candidate depends on.
pub(super) struct Context<'x> {
    pub(super) folds: &'x mut Folds,
    pub(super) logic: &'x mut Logic,
    /// What holds at the head.
    pub(super) background: TermId,
    /// The error states.
    pub(super) error: TermId,
}

impl Context<'_> {
    fn is_impossible(&mut self, formula: TermId) -> Result<bool, Reason> {
        let question = self.logic.terms.and([self.background, formula]);
        let mut solver = self.folds.take_solver(self.logic);
        let Logic { terms, budget, .. } = &mut *self.logic;
        let answer = smt::check_formula(&mut solver, terms, question, budget);
        self.folds.give_back(solver);
        self.folds.questions += 1;
        match answer {
            smt::Answer::Unsat(_) => Ok(true),
            smt::Answer::Unknown(smt::Why::Stopped(stop)) => Err(Reason::Stopped(stop)),
            smt::Answer::Sat(_) | smt::Answer::Unknown(_) => Ok(false),
        }
    }

    /// The first candidates to try, each a conjunction of clauses.
    pub(super) fn seeds(
        &mut self,
        head: PointId,
        iteration: &Transition,
        visited: Visited,
    ) -> Result<Vec<Vec<TermId>>, Reason> {
        let leaving = leaving(&mut self.logic.terms, self.error, iteration);
        let known = self.folds.known(head);
        let leaves = self.logic.terms.and(leaving.iter().copied());
        let mut seeds = Vec::new();
        match visited {
            Visited::Never => {
                let mut union = union_of(&known, Some(leaves), self)?;
                if !union.is_empty() {
                    union.push(leaving.clone());
                    seeds.extend(self.as_clauses(&union));
                }
                seeds.push(leaving);
            }
            Visited::Before => {
                let mut union = union_of(&known, Some(leaves), self)?;
                if union.is_empty() {
                    union = union_of(&known, None, self)?;
                }
                if !union.is_empty() {
                    seeds.extend(self.as_clauses(&union));
                }
            }
        }
        Ok(seeds)
    }

    /// The error states with one literal negated: states that leave the loop on the same way and are safe are among them. With undefined overflows and several exits ψ_e has long clauses, which
    /// hide that. Only those that are valid as they are should be used.
    pub(super) fn flipped(&mut self) -> Vec<Vec<TermId>> {
        let literals = self.logic.terms.conjuncts(self.error);
        let mut seeds = Vec::new();
        for (at, literal) in literals.iter().enumerate().take(MAX_FLIPPED) {
            let mut seed = literals.clone();
            seed[at] = self.logic.terms.not(*literal);
            seeds.push(seed);
        }
        seeds
    }

    /// A union as a conjunction of clauses, unless there are too many.
    fn as_clauses(&mut self, union: &Dnf) -> Option<Vec<TermId>> {
        let terms = &mut self.logic.terms;
        let mut product: Vec<Vec<TermId>> = vec![Vec::new()];
        for conjunction in union {
            let mut next = Vec::new();
            for clause in &product {
                for item in conjunction {
                    next.push(clause.iter().copied().chain([*item]).collect());
                }
            }
            if next.len() > 4 * MAX_CLAUSES {
                return None;
            }
            product = next;
        }
        let mut all = Vec::new();
        for clause in product {
            all.push(terms.or(clause));
        }
        let all = terms.and(all);
        let found = clauses(terms, all);
        (found.len() <= MAX_CLAUSES).then_some(found)
    }
}

/// Whether the loop was met before on the way from the error, and not folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visited {
    Never,
    Before,
}

/// A part of a seed that is valid: states that lead out of it are excluded. Nothing if that does not end soon.
pub(super) fn made_inductive(
    mut seed: Vec<TermId>,
    iteration: &Transition,
    extensions: &mut Extensions,
    logic: &mut Logic,
) -> Result<Option<Vec<TermId>>, Reason> {
    for _ in 0..=MAX_EXCLUSIONS {
        let model = match extensions.test(&seed, logic)? {
            Validity::Valid(_) => return Ok(Some(seed)),
            Validity::Refuted(model) => model,
            Validity::Unknown => return Ok(None),
        };
        if seed.len() >= MAX_CLAUSES {
            return Ok(None);
        }
        let terms = &mut logic.terms;
        let states = terms.and(seed.iter().copied());
        let outside = terms.not(states);
        let leads_out = iteration.before(terms, outside);
        let leads_out = readable(terms, leads_out);
        if !term::Evaluator::new(terms, &model).holds(leads_out) {
            return Ok(None);
        }
        let cube = preimage(terms, leads_out, &model)?;
        let cube = terms.and(cube.literals);
        let clause = terms.not(cube);
        if seed.contains(&clause) {
            return Ok(None);
        }
        let all = terms.and(seed.iter().copied().chain([clause]));
        seed = clauses(terms, all);
        if seed.contains(&Terms::FALSE) {
            return Ok(None);
        }
    }
    Ok(None)
}
