//! Bounded safety.
//!
//! # Paper
//! [Recmc14] figure 6, BndSafety, with the rules SUM, REACH and QUERY. The queries form a stack: the last one has the smallest bound,
//! and none is asked while one that it led to is open.
//!
//! # Invariants
//! * I1: a query contains no state that is known to be reached (lemma 2): it is made where reading its site as `U` has no model.

use base::Budget;
use smt::Answer;
use smt::project::project_arrays;
use term::{Cube, Evaluator, Model, SymbolId, TermId, Terms};

use super::body::{Mode, Question};
use super::facts::{Level, Reached, Under};
use super::{Bounded, Recmc};
use crate::Reason;

/// ⟨P, φ, b⟩: can P be derived with φ, by a derivation of height at most b?
pub(super) struct Query {
    pub(super) relation: usize,
    pub(super) cube: Vec<TermId>,
    pub(super) bound: u32,
}

/// What one look at a query leads to.
enum Step {
    /// SUM: nothing is derived.
    Excluded,
    /// REACH: this fact.
    Reached(usize),
    /// QUERY: this must be known first.
    Asks(Query),
}

impl Recmc<'_> {
    /// BndSafety: whether false has a derivation of at most this height.
    pub(super) fn bounded(&mut self, height: u32, budget: &mut Budget) -> Result<Bounded, Reason> {
        let query = Query { relation: self.goal(), cube: Vec::new(), bound: height };
        Ok(self.answer(query, budget)?.map_or(Bounded::Safe, Bounded::Unsafe))
    }

    /// A reachability fact that satisfies a query; nothing if a summary fact excludes it.
    pub(super) fn answer(&mut self, query: Query, budget: &mut Budget) -> Result<Option<usize>, Reason> {
        let mut stack = vec![query];
        self.statistics.queries += 1;
        let mut fact = None;
        while let Some(query) = stack.last() {
            budget.tick()?;
            fact = None;
            match self.step(query, budget)? {
                Step::Excluded => {
                    stack.pop();
                }
                Step::Reached(reached) => {
                    stack.pop();
                    fact = Some(reached);
                }
                Step::Asks(query) => {
                    self.statistics.queries += 1;
                    stack.push(query);
                }
            }
        }
        Ok(fact)
    }

    fn step(&mut self, query: &Query, budget: &mut Budget) -> Result<Step, Reason> {
        let level = Level(query.bound);
        if self.facts[query.relation].subsumes(&query.cube, level) {
            return Ok(Step::Excluded);
        }
        let over = Question { literals: &query.cube, height: level, mode: Mode::Over };
        let model = match self.ask(query.relation, &over, budget) {
            Answer::Unknown(why) => return Err(why.into()),
            Answer::Unsat(core) => {
                self.sum(query.relation, &query.cube, level, &core, budget)?;
                return Ok(Step::Excluded);
            }
            Answer::Sat(model) => model,
        };
        if let Some(reached) = self.reach_rule(query, &model, budget)? {
            return Ok(Step::Reached(reached));
        }
        self.query_rule(query, model, budget)
    }

    pub(super) fn ask(&mut self, relation: usize, question: &Question<'_>, budget: &mut Budget) -> Answer {
        self.bodies[relation].ask(self.terms, &self.levels, question, budget)
    }

    /// REACH: a derivation whose premises are all reached.
    fn reach_rule(
        &mut self,
        query: &Query,
        model: &Model,
        budget: &mut Budget,
    ) -> Result<Option<usize>, Reason> {
        let rule = self.selected(query.relation, model);
        if let Some(premises) = self.premises(query.relation, rule, model) {
            return self.reach_by(query.relation, rule, premises, model).map(Some);
        }
        let may_be_reached = |rule: &super::rules::Rule| {
            rule.sites.iter().all(|site| !self.facts[site.relation].reached.is_empty())
        };
        if !self.relations[query.relation].rules.iter().any(may_be_reached) {
            return Ok(None);
        }
        // Reachability facts are facts whatever the height: no level of summary facts is assumed.
        let under = Question { literals: &query.cube, height: Level::ALWAYS, mode: Mode::Under };
        match self.ask(query.relation, &under, budget) {
            Answer::Unknown(why) => Err(why.into()),
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(model) => {
                let rule = self.selected(query.relation, &model);
                let premises = self.premises(query.relation, rule, &model);
                let premises =
                    premises.ok_or_else(|| Reason::NotChecked("premises are not reached".to_owned()))?;
                self.reach_by(query.relation, rule, premises, &model).map(Some)
            }
        }
    }

    /// The rule that a model is about.
    fn selected(&self, relation: usize, model: &Model) -> usize {
        let mut evaluator = Evaluator::new(self.terms, model);
        let selectors = self.bodies[relation].selectors();
        selectors.iter().position(|selector| evaluator.holds(*selector)).unwrap_or(0)
    }

    /// For each site of a rule a reachability fact that holds there in the model.
    fn premises(&mut self, relation: usize, rule: usize, model: &Model) -> Option<Vec<usize>> {
        let sites = self.relations[relation].rules[rule].sites.len();
        (0..sites).map(|site| self.premise(relation, rule, site, model)).collect()
    }

    fn premise(&mut self, relation: usize, rule: usize, site: usize, model: &Model) -> Option<usize> {
        let callee = self.relations[relation].rules[rule].sites[site].relation;
        (0..self.facts[callee].reached.len()).find(|fact| {
            let states = *self.facts[callee].reached[*fact].states.get();
            let here = self.at_site((relation, rule, site), callee, states);
            Evaluator::new(self.terms, model).holds(here)
        })
    }

    fn reach_by(
        &mut self,
        relation: usize,
        rule: usize,
        premises: Vec<usize>,
        model: &Model,
    ) -> Result<usize, Reason> {
        let mut conjuncts = vec![self.relations[relation].rules[rule].formula];
        for (site, fact) in premises.iter().enumerate() {
            let callee = self.relations[relation].rules[rule].sites[site].relation;
            let states = *self.facts[callee].reached[*fact].states.get();
            conjuncts.push(self.at_site((relation, rule, site), callee, states));
        }
        let formula = self.terms.and(conjuncts);
        let formals = self.relations[relation].formals.clone();
        let cube = self.project(formula, &formals, model)?;
        let states = self.terms.of_cube(&cube);
        Ok(self.reach(relation, Reached { states: Under::by_reach(states), rule, premises }))
    }

    /// A cube over the kept symbols that the model satisfies, all of whose models satisfy the formula somehow.
    fn project(&mut self, formula: TermId, kept: &[SymbolId], model: &Model) -> Result<Cube, Reason> {
        let mut symbols = self.terms.symbols_of(formula);
        symbols.retain(|symbol| !kept.contains(symbol));
        Ok(project_arrays(self.terms, formula, &symbols, model)?)
    }

    /// QUERY: what the last site that must be read as `O` has to derive.
    fn query_rule(&mut self, query: &Query, model: Model, budget: &mut Budget) -> Result<Step, Reason> {
        let rule = self.selected(query.relation, &model);
        let (asked, model) = self.choose_site(query, rule, model, budget)?;
        let formula = self.context(query, rule, asked, &model)?;
        let site = self.relations[query.relation].rules[rule].sites[asked].clone();
        let cube = self.project(formula, &site.symbols, &model)?;
        let mut literals = Vec::new();
        for literal in inequalities(self.terms, &cube) {
            literals.push(site.back(self.terms, &self.relations[site.relation].formals, literal));
        }
        literals.sort_unstable();
        literals.dedup();
        let bound = site.step.below(query.bound);
        Ok(Step::Asks(Query { relation: site.relation, cube: literals, bound }))
    }

    /// The last site of a rule that must be read as `O`, and a model in which all behind it are read as `U` (lemma 5).
    fn choose_site(
        &mut self,
        query: &Query,
        rule: usize,
        model: Model,
        budget: &mut Budget,
    ) -> Result<(usize, Model), Reason> {
        let callees: Vec<usize> =
            self.relations[query.relation].rules[rule].sites.iter().map(|site| site.relation).collect();
        let question = Question { literals: &query.cube, height: Level(query.bound), mode: Mode::Over };
        let mut modes = vec![Mode::Over; callees.len()];
        let mut model = model;
        for site in (1..callees.len()).rev() {
            if self.facts[callees[site]].reached.is_empty() {
                return Ok((site, model));
            }
            modes[site] = Mode::Under;
            let body = &mut self.bodies[query.relation];
            match body.ask_rule(self.terms, &self.levels, &question, (rule, &modes), budget) {
                Answer::Sat(better) => model = better,
                Answer::Unsat(_) => return Ok((site, model)),
                Answer::Unknown(why) => return Err(why.into()),
            }
        }
        Ok((0, model))
    }

    /// The rule with the query, the summary facts before a site and the reachability facts behind it.
    fn context(&mut self, query: &Query, rule: usize, asked: usize, model: &Model) -> Result<TermId, Reason> {
        let sites = self.relations[query.relation].rules[rule].sites.clone();
        let mut conjuncts = vec![self.relations[query.relation].rules[rule].formula];
        conjuncts.extend(&query.cube);
        for (site, at) in sites.iter().enumerate() {
            let mut facts = Vec::new();
            if site < asked {
                facts.extend(self.facts[at.relation].over(Level(at.step.below(query.bound))));
            } else if site > asked {
                let fact = self.premise(query.relation, rule, site, model);
                let fact = fact.ok_or_else(|| Reason::NotChecked("a premise is not reached".to_owned()))?;
                facts.push(*self.facts[at.relation].reached[fact].states.get());
            }
            for fact in facts {
                conjuncts.push(self.at_site((query.relation, rule, site), at.relation, fact));
            }
        }
        Ok(self.terms.and(conjuncts))
    }
}

/// The literals of a cube; an equation as two inequalities, of which a core may need only one.
fn inequalities(terms: &mut Terms, cube: &Cube) -> Vec<TermId> {
    let mut literals = cube.others.clone();
    for constraint in &cube.constraints {
        match constraint {
            term::Constraint::Zero(form) => {
                literals.push(terms.le_zero(form));
                literals.push(terms.le_zero(&form.negate()));
            }
            term::Constraint::AtMost(_) | term::Constraint::Divides(..) => {
                literals.push(terms.of_constraint(constraint));
            }
        }
    }
    literals.retain(|literal| *literal != Terms::TRUE);
    literals
}
