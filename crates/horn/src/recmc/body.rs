//! The rules of one relation in one solver.
//!
//! # Paper
//! [Recmc14] §3: β_P with its call literals. A site is read as `O` or as `U`, which assumptions choose.
//!
//! # Invariants
//! * I1: a model makes a selector true; the formula of that rule holds in it.
//! * I2: lemmas of a site are asserted under the selector of the rule, the literal `over` of the site and the literal of the greatest height for
//!   which the premise at the site satisfies them.
//! * I3: reachability facts of a site are a chain: link k holds if one of the facts from k on does. `under` is the first link. Links bind only
//!   their own rule: a rule with a site that nothing reaches leaves the other rules of the relation usable.

use base::Budget;
use smt::{Answer, Solver, SolverFactory};
use term::{Sort, SymbolKind, TermId, Terms};

use super::facts::{Level, Under};
use super::rules::Relation;

/// How a site is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// By its summary facts.
    Over,
    /// By its reachability facts.
    Under,
}

/// Literals by which the summary facts of a level are assumed.
#[derive(Default)]
pub(super) struct LevelLiterals(Vec<TermId>);

impl LevelLiterals {
    /// The literal of a level; nothing for facts that always hold.
    pub(super) fn literal(&mut self, terms: &mut Terms, level: Level) -> Option<TermId> {
        if level == Level::ALWAYS {
            return None;
        }
        while self.0.len() <= level.0 as usize {
            let name = format!("level{}", self.0.len());
            self.0.push(terms.constant(&name, Sort::Bool, SymbolKind::Auxiliary));
        }
        Some(self.0[level.0 as usize])
    }

    /// The literals from a level on.
    fn from(&self, level: Level) -> &[TermId] {
        &self.0[(level.0 as usize).min(self.0.len())..]
    }

    /// The level of a literal.
    pub(super) fn level(&self, literal: TermId) -> Option<Level> {
        self.0.iter().position(|other| *other == literal).map(|index| Level(index as u32))
    }
}

struct SiteLiterals {
    over: TermId,
    under: TermId,
    last: TermId,
}

/// A relation's rules with what is known about their sites.
pub(super) struct Body {
    solver: Box<dyn Solver>,
    selectors: Vec<TermId>,
    /// By rule and site.
    sites: Vec<Vec<SiteLiterals>>,
    /// Whether a rule needs a step of recursion.
    recurs: Vec<bool>,
}

fn literal(terms: &mut Terms, name: &str) -> TermId {
    terms.constant(name, Sort::Bool, SymbolKind::Auxiliary)
}

impl Body {
    pub(super) fn new(terms: &mut Terms, solvers: &dyn SolverFactory, relation: &Relation) -> Self {
        let mut solver = solvers.solver();
        let (mut selectors, mut sites) = (Vec::new(), Vec::new());
        for rule in &relation.rules {
            let selector = literal(terms, "rule");
            let formula = terms.implies(selector, rule.formula);
            solver.assert(terms, formula);
            selectors.push(selector);
            let mut literals = Vec::new();
            for _ in &rule.sites {
                let (over, under, last) =
                    (literal(terms, "over"), literal(terms, "under"), literal(terms, "under"));
                // Without facts the chain has no link, and the rule is not for use. Other rules are.
                let (not_under, not_rule) = (terms.not(under), terms.not(selector));
                let empty = terms.or([not_under, not_rule, last]);
                solver.assert(terms, empty);
                literals.push(SiteLiterals { over, under, last });
            }
            sites.push(literals);
        }
        let some = terms.or(selectors.iter().copied());
        solver.assert(terms, some);
        let recurs = (0..relation.rules.len()).map(|rule| relation.recurs(rule)).collect();
        Self { solver, selectors, sites, recurs }
    }

    /// Tells the solver that a summary fact, given at the site's symbols, holds in derivations up to the height of the literal.
    pub(super) fn tell_over(
        &mut self,
        terms: &mut Terms,
        (rule, site): (usize, usize),
        fact: TermId,
        level: Option<TermId>,
    ) {
        let conditions = [Some(self.selectors[rule]), Some(self.sites[rule][site].over), level];
        let mut items: Vec<TermId> = conditions.into_iter().flatten().map(|term| terms.not(term)).collect();
        items.push(fact);
        let clause = terms.or(items);
        self.solver.assert(terms, clause);
    }

    /// Tells the solver a reachability fact, given at the site's symbols.
    pub(super) fn tell_under(
        &mut self,
        terms: &mut Terms,
        (rule, site): (usize, usize),
        fact: &Under<TermId>,
    ) {
        let next = literal(terms, "under");
        let last = std::mem::replace(&mut self.sites[rule][site].last, next);
        let (not_last, not_rule) = (terms.not(last), terms.not(self.selectors[rule]));
        let clause = terms.or([not_last, not_rule, *fact.get(), next]);
        self.solver.assert(terms, clause);
    }

    /// The assumptions for a question about derivations of at most a height. `mode` says how each site is read.
    fn assumptions(
        &self,
        terms: &mut Terms,
        levels: &LevelLiterals,
        height: Level,
        mode: impl Fn(usize, usize) -> Mode,
    ) -> Vec<TermId> {
        let mut assumptions = Vec::new();
        for (rule, sites) in self.sites.iter().enumerate() {
            if height == Level(0) && self.recurs[rule] {
                assumptions.push(terms.not(self.selectors[rule]));
                continue;
            }
            for (index, site) in sites.iter().enumerate() {
                match mode(rule, index) {
                    Mode::Over => assumptions.push(site.over),
                    Mode::Under => assumptions.extend([site.under, terms.not(site.last)]),
                }
            }
        }
        assumptions.extend(levels.from(height));
        assumptions
    }

    /// Asks whether the relation can be derived with all of `literals`, all sites read as `mode`.
    pub(super) fn ask(
        &mut self,
        terms: &mut Terms,
        levels: &LevelLiterals,
        question: &Question<'_>,
        budget: &mut Budget,
    ) -> Answer {
        let mut assumptions = self.assumptions(terms, levels, question.height, |_, _| question.mode);
        assumptions.extend(question.literals);
        self.solver.check(terms, &assumptions, budget)
    }

    /// As [`ask`](Self::ask), by one rule, whose sites are read one by one.
    pub(super) fn ask_rule(
        &mut self,
        terms: &mut Terms,
        levels: &LevelLiterals,
        question: &Question<'_>,
        (rule, modes): (usize, &[Mode]),
        budget: &mut Budget,
    ) -> Answer {
        let mode = |other: usize, site: usize| if other == rule { modes[site] } else { question.mode };
        let mut assumptions = self.assumptions(terms, levels, question.height, mode);
        assumptions.push(self.selectors[rule]);
        assumptions.extend(question.literals);
        self.solver.check(terms, &assumptions, budget)
    }

    /// The selectors of the rules.
    pub(super) fn selectors(&self) -> &[TermId] {
        &self.selectors
    }
}

/// What is asked of a [`Body`].
pub(super) struct Question<'q> {
    /// What the relation's formals should satisfy.
    pub(super) literals: &'q [TermId],
    /// The greatest height of the derivations that are asked about.
    pub(super) height: Level,
    /// How sites are read.
    pub(super) mode: Mode,
}
