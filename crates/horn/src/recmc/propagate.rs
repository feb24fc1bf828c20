//! Propagation of summary facts to higher levels, and the check for inductiveness.
//!
//! # Paper
//! [Recmc14] figure 5, lines 5 to 8.

use base::Budget;
use smt::Answer;

use super::Recmc;
use super::body::{Mode, Question};
use super::facts::Level;
use crate::Reason;

impl Recmc<'_> {
    /// Raises facts; a level whose facts are inductive if there is one.
    pub(super) fn propagate(&mut self, height: u32, budget: &mut Budget) -> Result<Option<Level>, Reason> {
        for level in (0..height).map(Level) {
            for relation in 0..self.relations.len() {
                self.raise(relation, level, budget)?;
            }
            let is_left = |facts: &super::Facts| facts.lemmas.iter().any(|lemma| lemma.level == level);
            if !self.facts.iter().any(is_left) {
                return Ok(Some(level.next()));
            }
        }
        let always = self.facts[self.goal()].lemmas.iter().any(|lemma| lemma.level == Level::ALWAYS);
        Ok(always.then_some(Level::ALWAYS))
    }

    /// Raises the facts of one relation that hold exactly up to a level.
    fn raise(&mut self, relation: usize, level: Level, budget: &mut Budget) -> Result<(), Reason> {
        let mut index = 0;
        while index < self.facts[relation].lemmas.len() {
            let lemma = &self.facts[relation].lemmas[index];
            if lemma.level == level {
                let (cube, clause) = (lemma.cube.clone(), *lemma.clause.get());
                let question = Question { literals: &cube, height: level.next(), mode: Mode::Over };
                match self.ask(relation, &question, budget) {
                    Answer::Unsat(core) => {
                        let raised = self.level_of(relation, &core);
                        self.facts[relation].lemmas[index].level = raised;
                        self.tell_lemma(relation, clause, raised);
                    }
                    Answer::Sat(_) => {}
                    Answer::Unknown(smt::Why::Stopped(stop)) => return Err(stop.into()),
                    Answer::Unknown(_) => {}
                }
            }
            index += 1;
        }
        Ok(())
    }
}
