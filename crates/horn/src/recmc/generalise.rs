//! The rule SUM: from a query without derivation to a summary fact.
//!
//! # Paper
//! [Recmc14] figure 6, SUM. The interpolant is the negation of a core of the query's literals, of which literals are dropped as long as the rest
//! is still excluded, by induction: premises of the relation itself may be assumed to satisfy the new fact.

use base::Budget;
use smt::{Answer, Core};
use term::{Linear, TermId};

use super::body::{Mode, Question};
use super::facts::{Lemma, Level, Over};
use super::{Generalisation, Recmc};
use crate::Reason;

/// So many sums of two inequalities are tried for a fact.
const COMBINE_ATTEMPTS: usize = 8;
/// Sums with more variables are not tried.
const MOST_VARIABLES: usize = 4;
/// So many bounds of a fact are moved.
const WIDENED_BOUNDS: usize = 4;
/// So often a bound is moved.
const WIDEN_ATTEMPTS: usize = 6;

impl Recmc<'_> {
    /// Learns that not all literals of a query hold; `core` says why.
    pub(super) fn sum(
        &mut self,
        relation: usize,
        cube: &[TermId],
        height: Level,
        core: &Core,
        budget: &mut Budget,
    ) -> Result<(), Reason> {
        let mut level = self.level_of(relation, core);
        let mut needed = literals_of(core, cube);
        let mut index = needed.len();
        while index > 0 {
            budget.tick()?;
            index -= 1;
            let mut fewer = needed.clone();
            fewer.remove(index);
            if let Some((smaller, higher)) = self.excluded(relation, &fewer, height, budget)? {
                needed = smaller;
                level = higher;
                index = index.min(needed.len());
            }
        }
        if self.generalisation == Generalisation::Arithmetic {
            (needed, level) = self.combine(relation, needed, level, height, budget)?;
            (needed, level) = self.widen(relation, needed, level, height, budget)?;
        }
        self.learn_cube(relation, needed, level);
        Ok(())
    }

    /// Replaces two inequalities by their sum, which more states satisfy, where the cube is still excluded: `x ≤ 3` and `y ≥ 3` become
    /// `x ≤ y`. So facts relate variables that the query only bounds.
    fn combine(
        &mut self,
        relation: usize,
        cube: Vec<TermId>,
        level: Level,
        height: Level,
        budget: &mut Budget,
    ) -> Result<(Vec<TermId>, Level), Reason> {
        let (mut cube, mut level) = (cube, level);
        let mut attempts = 0;
        'again: loop {
            let bounds = self.bounds(&cube);
            for (index, (first, form)) in bounds.iter().enumerate() {
                for (second, other) in &bounds[index + 1..] {
                    if attempts == COMBINE_ATTEMPTS {
                        return Ok((cube, level));
                    }
                    let sum = form.add(other);
                    if sum.terms().is_empty() || sum.terms().len() > MOST_VARIABLES {
                        continue;
                    }
                    attempts += 1;
                    let mut fewer: Vec<TermId> = cube
                        .iter()
                        .copied()
                        .filter(|literal| literal != first && literal != second)
                        .collect();
                    fewer.push(self.terms.le_zero(&sum));
                    fewer.sort_unstable();
                    fewer.dedup();
                    if let Some((smaller, higher)) = self.excluded(relation, &fewer, height, budget)? {
                        (cube, level) = (smaller, higher);
                        continue 'again;
                    }
                }
            }
            return Ok((cube, level));
        }
    }

    /// Moves bounds, in steps that double, as long as the cube is still excluded.
    fn widen(
        &mut self,
        relation: usize,
        cube: Vec<TermId>,
        level: Level,
        height: Level,
        budget: &mut Budget,
    ) -> Result<(Vec<TermId>, Level), Reason> {
        let (mut cube, mut level) = (cube, level);
        for (literal, form) in self.bounds(&cube).into_iter().take(WIDENED_BOUNDS) {
            let mut current = literal;
            let mut step = term::Integer::ONE;
            for _ in 0..WIDEN_ATTEMPTS {
                let wider = self.terms.le_zero(&form.add_constant(&-step.clone()));
                let mut candidate: Vec<TermId> =
                    cube.iter().map(|other| if *other == current { wider } else { *other }).collect();
                candidate.sort_unstable();
                match self.excluded(relation, &candidate, height, budget)? {
                    Some((smaller, higher)) if smaller.contains(&wider) => {
                        (cube, level, current) = (smaller, higher, wider);
                        step = &step + &step;
                    }
                    Some((smaller, higher)) => {
                        (cube, level) = (smaller, higher);
                        break;
                    }
                    None => break,
                }
            }
        }
        Ok((cube, level))
    }

    /// The literals of a cube that are inequalities, with their sums that are at most zero.
    fn bounds(&self, cube: &[TermId]) -> Vec<(TermId, Linear)> {
        let bound = |literal: &TermId| match self.terms.node(*literal) {
            term::Node::Le(sum) => Some((*literal, self.terms.linear(*sum))),
            _ => None,
        };
        cube.iter().filter_map(bound).collect()
    }

    fn learn_cube(&mut self, relation: usize, cube: Vec<TermId>, level: Level) {
        let clause = self.clause(&cube);
        self.learn(relation, Lemma { cube, clause: Over::by_sum(clause), level });
    }

    fn clause(&mut self, cube: &[TermId]) -> TermId {
        let conjunction = self.terms.and(cube.iter().copied());
        self.terms.not(conjunction)
    }

    /// Whether a cube is excluded if premises of the relation itself are outside of it: the part that is, and its level.
    pub(super) fn excluded(
        &mut self,
        relation: usize,
        cube: &[TermId],
        height: Level,
        budget: &mut Budget,
    ) -> Result<Option<(Vec<TermId>, Level)>, Reason> {
        let mut literals = cube.to_vec();
        if height > Level(0) {
            literals.extend(self.hypothesis(relation, cube));
        }
        let question = Question { literals: &literals, height, mode: Mode::Over };
        match self.ask(relation, &question, budget) {
            Answer::Unsat(core) => {
                let level = self.level_of(relation, &core);
                let smaller = literals_of(&core, cube);
                // A smaller cube is a stronger fact: its own hypothesis implies the one that was used.
                Ok(Some((smaller, level)))
            }
            Answer::Sat(_) => Ok(None),
            Answer::Unknown(smt::Why::Stopped(stop)) => Err(stop.into()),
            Answer::Unknown(_) => Ok(None),
        }
    }

    /// That premises of the relation itself are outside of the cube.
    fn hypothesis(&mut self, relation: usize, cube: &[TermId]) -> Option<TermId> {
        let clause = self.clause(cube);
        let own: Vec<_> =
            self.uses[relation].iter().filter(|(user, ..)| *user == relation).copied().collect();
        if own.is_empty() {
            return None;
        }
        let mut items = Vec::new();
        for (user, rule, site) in own {
            let fact = self.at_site((user, rule, site), relation, clause);
            let selector = self.bodies[user].selectors()[rule];
            items.push(self.terms.implies(selector, fact));
        }
        Some(self.terms.and(items))
    }

    /// Up to which height a fact holds whose proof has this core.
    pub(super) fn level_of(&self, relation: usize, core: &Core) -> Level {
        let selectors = self.bodies[relation].selectors();
        let is_rule_off = |item: &TermId| matches!(self.terms.node(*item), term::Node::Not(inner) if selectors.contains(inner));
        let Core(items) = core;
        if items.iter().any(is_rule_off) {
            return Level(0);
        }
        items.iter().filter_map(|item| self.levels.level(*item)).min().unwrap_or(Level::ALWAYS)
    }
}

/// The literals of a cube that are in a core.
fn literals_of(core: &Core, cube: &[TermId]) -> Vec<TermId> {
    cube.iter().filter(|literal| core.0.contains(literal)).copied().collect()
}
