//! Bounded unrolling of linear systems, for derivations that are long and straight.
//!
//! From false backwards: at depth d each relation has a copy of its formals and a literal that it is derived there, by one of its rules
//! from the relation of the rule's site at depth d + 1. No relation is derived at the greatest depth.

use base::Budget;
use rustc_hash::FxHashMap;
use smt::{Answer, Solver};
use term::{Evaluator, Model, Sort, Substitution, SymbolId, SymbolKind, TermId};

use super::Recmc;
use super::rules::Rule;
use crate::Reason;
use crate::derivation::{Derivation, Step};

/// A relation at a depth.
struct Place {
    relation: usize,
    /// That it is derived here.
    derived: TermId,
    formals: Vec<TermId>,
    /// The rules by which it may be derived.
    choices: Vec<Choice>,
}

struct Choice {
    /// That it is derived by this rule.
    chosen: TermId,
    /// The symbols of the clause at this depth.
    values: Vec<(SymbolId, TermId)>,
    /// The relation of the site, at the next depth.
    premise: Option<usize>,
}

/// How far a system is unrolled.
pub(super) struct Unrolling {
    solver: Box<dyn Solver>,
    /// The places of each depth that has been looked at, and the next one.
    depths: Vec<Vec<Place>>,
}

impl Recmc<'_> {
    /// Whether no rule has two sites.
    pub(super) fn is_linear(&self) -> bool {
        self.relations.iter().flat_map(|relation| &relation.rules).all(|rule| rule.sites.len() <= 1)
    }

    /// Unrolls a linear system deeper and deeper, from where it stopped the last time. It ends with a derivation or with the budget.
    pub(super) fn unroll(&mut self, budget: &mut Budget) -> Result<Derivation, Reason> {
        let mut unrolling = self.unrolling.take().unwrap_or_else(|| self.start_unrolling());
        let result = self.unroll_on(&mut unrolling, budget);
        self.unrolling = Some(unrolling);
        result
    }

    fn start_unrolling(&mut self) -> Unrolling {
        let mut solver = self.solvers.solver();
        let root = self.place(self.goal());
        solver.assert(self.terms, root.derived);
        let mut depths = vec![vec![root]];
        let next = self.deepen(&mut depths, &mut *solver);
        depths.push(next);
        Unrolling { solver, depths }
    }

    fn unroll_on(&mut self, unrolling: &mut Unrolling, budget: &mut Budget) -> Result<Derivation, Reason> {
        let Unrolling { solver, depths } = unrolling;
        loop {
            budget.tick()?;
            let next = depths.last().map(Vec::as_slice).unwrap_or_default();
            let open: Vec<TermId> = next.iter().map(|place| self.terms.not(place.derived)).collect();
            match solver.check(self.terms, &open, budget) {
                Answer::Sat(model) => return Ok(self.read(depths, &model)),
                // Nothing is left to unroll: the search has the rest of the work.
                Answer::Unsat(_) if open.is_empty() => return Err(Reason::Stopped(base::Stop::Ticks)),
                Answer::Unsat(_) => {
                    let next = self.deepen(depths, &mut **solver);
                    depths.push(next);
                }
                Answer::Unknown(why) => return Err(why.into()),
            }
        }
    }

    fn place(&mut self, relation: usize) -> Place {
        let derived = self.terms.constant("derived", Sort::Bool, SymbolKind::Auxiliary);
        let formals = self.relations[relation].formals.clone();
        let formals = formals.into_iter().map(|formal| self.copy(formal)).collect();
        Place { relation, derived, formals, choices: Vec::new() }
    }

    fn copy(&mut self, symbol: SymbolId) -> TermId {
        let term::Symbol { name, sort, .. } = self.terms.symbol(symbol).clone();
        self.terms.constant(&name, sort, SymbolKind::Auxiliary)
    }

    /// Asserts the rules of the last depth; the places of the next one.
    fn deepen(&mut self, depths: &mut [Vec<Place>], solver: &mut dyn Solver) -> Vec<Place> {
        let mut next: Vec<Place> = Vec::new();
        let mut indices: FxHashMap<usize, usize> = FxHashMap::default();
        let Some(last) = depths.last_mut() else { return next };
        for place in last {
            for rule in self.relations[place.relation].rules.clone() {
                let premise = rule.sites.first().map(|site| {
                    *indices.entry(site.relation).or_insert_with(|| {
                        next.push(self.place(site.relation));
                        next.len() - 1
                    })
                });
                let choice = self.choice(place, &rule, premise.map(|index| (index, &next[index])), solver);
                place.choices.push(choice);
            }
            let not_derived = self.terms.not(place.derived);
            let chosen = place.choices.iter().map(|choice| choice.chosen);
            let some = self.terms.or(chosen.chain([not_derived]));
            solver.assert(self.terms, some);
        }
        next
    }

    fn choice(
        &mut self,
        place: &Place,
        rule: &Rule,
        premise: Option<(usize, &Place)>,
        solver: &mut dyn Solver,
    ) -> Choice {
        let mut pairs: Vec<(SymbolId, TermId)> = self.relations[place.relation]
            .formals
            .iter()
            .copied()
            .zip(place.formals.iter().copied())
            .collect();
        let mut conjuncts = Vec::new();
        for (site, (_, next)) in rule.sites.iter().zip(premise) {
            for (symbol, formal) in site.symbols.iter().zip(&next.formals) {
                match pairs.iter().find(|(known, _)| known == symbol) {
                    Some((_, own)) => conjuncts.push(self.terms.eq(*own, *formal)),
                    None => pairs.push((*symbol, *formal)),
                }
            }
        }
        let mut symbols = self.terms.symbols_of(rule.formula);
        symbols.retain(|symbol| pairs.iter().all(|(known, _)| known != symbol));
        for symbol in symbols {
            let copy = self.copy(symbol);
            pairs.push((symbol, copy));
        }
        let mut substitution = Substitution::new(pairs);
        conjuncts.push(substitution.apply(self.terms, rule.formula));
        conjuncts.extend(premise.map(|(_, next)| next.derived));
        let chosen = self.terms.constant("chosen", Sort::Bool, SymbolKind::Auxiliary);
        let consequence = self.terms.and(conjuncts);
        let formula = self.terms.implies(chosen, consequence);
        solver.assert(self.terms, formula);
        let values = rule
            .values
            .iter()
            .map(|(symbol, term)| (*symbol, substitution.apply(self.terms, *term)))
            .collect();
        Choice { chosen, values, premise: premise.map(|(index, _)| index) }
    }

    /// The derivation that a model describes.
    fn read(&self, depths: &[Vec<Place>], model: &Model) -> Derivation {
        let mut evaluator = Evaluator::new(self.terms, model);
        let mut steps: Vec<Step> = Vec::new();
        let mut at = 0;
        for places in depths {
            let place = &places[at];
            let chosen = place.choices.iter().position(|choice| evaluator.holds(choice.chosen)).unwrap_or(0);
            let Some(choice) = place.choices.get(chosen) else { break };
            let mut values = Model::new();
            for (symbol, term) in &choice.values {
                values.set(*symbol, evaluator.value(*term));
            }
            let clause = self.relations[place.relation].rules[chosen].clause;
            steps.push(Step { clause, values, premises: Vec::new() });
            match choice.premise {
                Some(next) => at = next,
                None => break,
            }
        }
        steps.reverse();
        for (index, step) in steps.iter_mut().enumerate().skip(1) {
            step.premises.push(index - 1);
        }
        Derivation { steps }
    }
}
