//! From reachability facts to a derivation of ground atoms.
//!
//! A reachability fact is a projection: whatever its states, the rule has values for its other symbols, and these are in the facts of its
//! premises. So values are found from false downwards, one question each, without search.

use base::Budget;
use rustc_hash::FxHashMap;
use smt::{Answer, Solver};
use term::{Evaluator, Model, TermId, Value};

use super::Recmc;
use crate::Reason;
use crate::derivation::{Derivation, Step};

/// A ground atom to be derived by a reachability fact.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Ground {
    relation: usize,
    fact: usize,
    arguments: Vec<TermId>,
}

/// The values of the clause that derives an atom, and its premises; nothing before they are known.
type Opened = Option<(Model, Vec<Ground>)>;

impl Recmc<'_> {
    /// The derivation of false by one of its reachability facts.
    pub(super) fn derive(&mut self, fact: usize, budget: &mut Budget) -> Result<Derivation, Reason> {
        let mut solver = self.solvers.solver();
        let mut steps: Vec<Step> = Vec::new();
        let mut known: FxHashMap<Ground, usize> = FxHashMap::default();
        let root = Ground { relation: self.goal(), fact, arguments: Vec::new() };
        let mut open: Vec<(Ground, Opened)> = vec![(root, None)];
        while let Some((ground, opened)) = open.pop() {
            budget.tick()?;
            if known.contains_key(&ground) {
                continue;
            }
            match opened {
                None => {
                    let (values, premises) = self.open(&ground, &mut *solver, budget)?;
                    open.push((ground, Some((values, premises.clone()))));
                    open.extend(premises.into_iter().map(|premise| (premise, None)));
                }
                Some((values, premises)) => {
                    let clause = self.relations[ground.relation].rules
                        [self.facts[ground.relation].reached[ground.fact].rule]
                        .clause;
                    let premises = premises.iter().map(|premise| known[premise]).collect();
                    known.insert(ground, steps.len());
                    steps.push(Step { clause, values, premises });
                }
            }
        }
        Ok(Derivation { steps })
    }

    /// Values for the clause that derives a ground atom, and its premises.
    fn open(
        &mut self,
        ground: &Ground,
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Result<(Model, Vec<Ground>), Reason> {
        let reached = self.facts[ground.relation].reached[ground.fact].clone();
        let rule = self.relations[ground.relation].rules[reached.rule].clone();
        let mut conjuncts = vec![rule.formula];
        for (site, fact) in reached.premises.iter().enumerate() {
            let callee = rule.sites[site].relation;
            let states = *self.facts[callee].reached[*fact].states.get();
            conjuncts.push(self.at_site((ground.relation, reached.rule, site), callee, states));
        }
        for (formal, argument) in
            self.relations[ground.relation].formals.clone().iter().zip(&ground.arguments)
        {
            let formal = self.terms.of_symbol(*formal);
            conjuncts.push(self.terms.eq(formal, *argument));
        }
        let formula = self.terms.and(conjuncts);
        let model = match smt::check_formula(solver, self.terms, formula, budget) {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => {
                return Err(Reason::NotChecked("a reachability fact has no derivation".to_owned()));
            }
            Answer::Unknown(why) => return Err(why.into()),
        };
        let mut evaluator = Evaluator::new(self.terms, &model);
        let mut values = Model::new();
        for (symbol, term) in &rule.values {
            values.set(*symbol, evaluator.value(*term));
        }
        let mut premises = Vec::new();
        for (site, fact) in rule.sites.iter().zip(&reached.premises) {
            let arguments: Vec<Value> = site
                .symbols
                .iter()
                .map(|symbol| {
                    let sort = self.terms.symbol(*symbol).sort;
                    model.get(*symbol).cloned().unwrap_or_else(|| Value::default_of(sort))
                })
                .collect();
            let arguments = arguments.iter().map(|value| self.terms.of_value(value)).collect();
            premises.push(Ground { relation: site.relation, fact: *fact, arguments });
        }
        Ok((values, premises))
    }
}
