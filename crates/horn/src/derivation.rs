//! Derivations of false: ground atoms with the clauses that they follow by, and their check by evaluation.
//!
//! # Invariants
//! * I1: the premises of a step are earlier steps; the last step is the one that derives false.
//! * I2: the check evaluates terms and asks no solver.
//! * I3: an array that is known by its elements only ([`Read`]) has one element at an index, in all steps together. Then there are such arrays, and different ones for
//!   different values: they have infinitely many indices, of which finitely many are read.

use base::Idx;
use term::{Evaluator, Model, Terms, Value};

use crate::system::{ClauseId, Read, System};

/// One application of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The clause.
    pub clause: ClauseId,
    /// Values for its symbols.
    pub values: Model,
    /// The step that derives each atom of the body, in order.
    pub premises: Vec<usize>,
}

/// Steps that end in false (I1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// In order.
    pub steps: Vec<Step>,
}

impl Derivation {
    /// The arguments of the head of each step.
    pub fn heads(&self, terms: &Terms, system: &System) -> Vec<Vec<Value>> {
        let head = |step: &Step| {
            let mut evaluator = Evaluator::new(terms, &step.values);
            let arguments = system.clauses[step.clause].head.iter().flat_map(|head| &head.arguments);
            arguments.map(|argument| evaluator.value(*argument)).collect()
        };
        self.steps.iter().map(head).collect()
    }

    /// Whether each step follows by its clause from its premises, and the last one derives false; what is wrong
    /// otherwise.
    pub fn check(&self, terms: &Terms, system: &System) -> Result<(), String> {
        if self.steps.iter().any(|step| system.clauses.get(step.clause).is_none()) {
            return Err("a step is by no clause of the system".to_owned());
        }
        let heads = self.heads(terms, system);
        for (index, step) in self.steps.iter().enumerate() {
            self.check_step(terms, system, &heads, index).map_err(|what| {
                format!("step {} by clause {}: {what}", index + 1, step.clause.index() + 1)
            })?;
        }
        self.check_reads(terms, system)?;
        let last = self.steps.last().ok_or("no step derives false")?;
        if system.clauses[last.clause].head.is_some() {
            return Err("the last step does not derive false".to_owned());
        }
        Ok(())
    }

    /// I3.
    fn check_reads(&self, terms: &Terms, system: &System) -> Result<(), String> {
        let mut known: Vec<(&str, [Value; 3])> = Vec::new();
        for step in &self.steps {
            let mut evaluator = Evaluator::new(terms, &step.values);
            for (sort, Read { array, index, value }) in system.reads.get(&step.clause).into_iter().flatten() {
                let read = [array, index, value].map(|term| evaluator.value(*term));
                let is_other = |(of, [array, index, value]): &(&str, [Value; 3])| {
                    *of == &**sort && [array, index] == [&read[0], &read[1]] && *value != read[2]
                };
                if known.iter().any(is_other) {
                    return Err(format!("an array of sort {sort} has two elements at one index"));
                }
                known.push((sort, read));
            }
        }
        Ok(())
    }

    fn check_step(
        &self,
        terms: &Terms,
        system: &System,
        heads: &[Vec<Value>],
        index: usize,
    ) -> Result<(), String> {
        let step = &self.steps[index];
        let clause = &system.clauses[step.clause];
        let mut evaluator = Evaluator::new(terms, &step.values);
        if !evaluator.holds(clause.constraint) {
            return Err("the constraint does not hold".to_owned());
        }
        if clause.body.len() != step.premises.len() {
            return Err("the number of premises is wrong".to_owned());
        }
        for (atom, premise) in clause.body.iter().zip(&step.premises) {
            if *premise >= index {
                return Err("a premise is not derived before".to_owned());
            }
            let head = &system.clauses[self.steps[*premise].clause].head;
            if head.as_ref().map(|head| head.predicate) != Some(atom.predicate) {
                return Err("a premise is about another predicate".to_owned());
            }
            let arguments: Vec<Value> =
                atom.arguments.iter().map(|argument| evaluator.value(*argument)).collect();
            if arguments != heads[*premise] {
                return Err("a premise has other arguments".to_owned());
            }
        }
        Ok(())
    }
}
