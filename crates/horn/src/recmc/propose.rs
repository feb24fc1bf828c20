//! Facts of an earlier proof that are not inductive together with the other candidates.
//!
//! After a change of one procedure its contract may hold by other facts than before, which nobody has proposed: what holds between its calls. Then its candidates are not inductive, nor are those of its callers. So the
//! search is asked for them, callees first: whether the fact follows from what is known is one question, and if it does not, the search looks for the facts that are missing.

use base::{Budget, Idx};
use smt::Answer;
use term::TermId;

use super::Recmc;
use super::body::{Mode, Question};
use super::bounded::Query;
use super::components::components;
use super::facts::{Lemma, Level, Over};
use crate::Reason;
use crate::candidates::Candidates;
use crate::system::PredicateId;

/// The effort for one fact, and for all of them.
const FACT_TICKS: u64 = 200;
const ALL_TICKS: u64 = 4_000;

impl Recmc<'_> {
    /// Proves facts of an earlier proof that are not among those that were kept, as far as that is easy.
    pub(super) fn propose(&mut self, candidates: &Candidates, kept: &Candidates, budget: &mut Budget) {
        let components = components(&self.relations);
        let mut order: Vec<usize> = (0..self.goal()).collect();
        order.sort_by_key(|relation| components[*relation]);
        let mut share = budget.child(ALL_TICKS);
        for relation in order {
            let predicate = PredicateId::new(relation);
            for fact in candidates.earlier_of(predicate) {
                if !kept.of(predicate).contains(&fact) {
                    let mut turn = share.child(FACT_TICKS);
                    let _ = self.propose_fact(relation, fact, &mut turn);
                    share.absorb(&turn);
                }
            }
        }
        budget.absorb(&share);
    }

    fn propose_fact(&mut self, relation: usize, fact: TermId, budget: &mut Budget) -> Result<(), Reason> {
        let literals = self.terms.disjuncts(fact);
        let mut cube: Vec<TermId> = literals.iter().map(|literal| self.terms.not(*literal)).collect();
        cube.sort_unstable();
        let bound = self.statistics.height;
        let question = Question { literals: &cube, height: Level(bound), mode: Mode::Over };
        if let Answer::Unsat(core) = self.ask(relation, &question, budget)
            && self.level_of(relation, &core) == Level::ALWAYS
        {
            let clause = Over::by_sum(fact);
            self.learn(relation, Lemma { cube, clause, level: Level::ALWAYS });
            return Ok(());
        }
        self.answer(Query { relation, cube, bound }, budget).map(drop)
    }
}
