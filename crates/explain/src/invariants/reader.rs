//! From the claim about one location to readable conjuncts.
//!
//! # Invariants
//! * R1: the elimination of symbols ([`smt::project::eliminate`]) is equivalent, so what follows from its result follows from the claim.

use std::cmp::Reverse;

use base::Budget;
use cfa::VarId;
use encode::Vocabulary;
use passes::Prepared;
use smt::{Answer, Z3, Z3Settings, Z3Solver, check_formula};
use term::{Evaluator, Model, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};
use verdict::{Claim, Formula};

use super::express::{self, Expressions};
use super::names::{self, Named, Names};

/// Of all that the solver may spend, one in this many may go into one location.
const LOCATION_SHARE: u64 = 5;
/// Into one part, if the whole costs too much.
const PART_SHARE: u64 = 30;
/// Into one question about redundancy.
const REDUNDANCY_SHARE: u64 = 60;
/// More conjuncts than this are not compared with each other.
const MAX_CONJUNCTS: usize = 60;
/// Questions about parts of the conjuncts of one location.
const MAX_QUESTIONS: u32 = 120;
/// Conjuncts with more parts are left as they are.
const MAX_PARTS: usize = 40;
/// Models that are kept.
const MAX_MODELS: usize = 24;

pub(super) struct Reader<'a> {
    task: &'a Prepared<'a>,
    terms: &'a mut Terms,
    vocabulary: &'a Vocabulary,
    solver: Z3Solver,
    /// What questions were answered with, the last one used first: most questions are answered by a model of an earlier one.
    models: Vec<Model>,
    budget: Budget,
    /// What all of it may cost.
    ticks: u64,
}

/// The invariant of one location in C.
pub(super) struct Written {
    pub(super) text: String,
    /// The conjuncts that the text says, in the variables of the location.
    pub(super) parts: Vec<TermId>,
    /// What of it can be said with variables that are visible where the place starts.
    pub(super) portable: Option<String>,
    /// A stronger text that is easier to read, with what it says.
    pub(super) bold: Option<(String, Vec<TermId>)>,
}

impl<'a> Reader<'a> {
    /// A reader whose work costs at most `ticks`.
    pub(super) fn new(
        task: &'a Prepared<'a>,
        terms: &'a mut Terms,
        vocabulary: &'a Vocabulary,
        budget: Budget,
        ticks: u64,
    ) -> Self {
        let solver = Z3::new(Z3Settings::default()).z3_solver();
        Self { task, terms, vocabulary, solver, models: Vec::new(), budget, ticks }
    }

    /// The invariant of a location in C; nothing if nothing of it can be said.
    pub(super) fn written(&mut self, names: &Names, claim: &Claim) -> Option<Written> {
        // The most expensive part, and the same for all names.
        let good = self.not_never(claim);
        let (text, parts) = self.text(claim, good, names)?;
        let symbols = self.terms.symbols_of_all(&parts);
        let vars: Vec<VarId> =
            symbols.iter().flat_map(|symbol| names::factors(self.vocabulary, *symbol)).collect();
        let near: Vec<TermId> =
            parts.iter().map(|part| express::without_far_cases(self.terms, *part)).collect();
        let bold = if near == parts { None } else { self.joined(claim, names, &near) };
        let portable = if names.are_visible(&vars) {
            Some(text.clone())
        } else {
            self.text(claim, good, &names.visible()).map(|(text, _)| text)
        };
        Some(Written { text, parts, portable, bold })
    }

    /// What can be said with some names, and its parts.
    fn text(&mut self, claim: &Claim, good: TermId, names: &Names) -> Option<(String, Vec<TermId>)> {
        let state = claim.facts.as_ref()?;
        let facts = encode::facts::stated(state, self.task.program(), self.vocabulary, self.terms);
        let whole = self.terms.and([facts, good]);
        let formula = self.formula(whole, names);
        let typing = encode::typing(self.task.program(), self.terms, self.vocabulary, formula);
        let expressions = self.expressions(claim, names);
        let mut conjuncts = self.terms.conjuncts(formula);
        self.drop_consequences(&mut conjuncts, typing);
        self.shorten(&mut conjuncts, typing);
        let mut lengths: Vec<(usize, TermId)> = Vec::new();
        for conjunct in conjuncts {
            lengths.extend(expressions.text(self.terms, conjunct).map(|text| (text.len(), conjunct)));
        }
        // The longest ones go first if they follow from others.
        lengths.sort_unstable();
        let mut conjuncts: Vec<TermId> = lengths.into_iter().map(|(_, conjunct)| conjunct).collect();
        self.drop_redundant(&mut conjuncts, typing);
        self.keep_implied(whole, &mut conjuncts);
        self.joined(claim, names, &conjuncts)
    }

    /// I1: keeps the conjuncts that follow from a formula and the types.
    fn keep_implied(&mut self, whole: TermId, conjuncts: &mut Vec<TermId>) {
        let typing = encode::typing(self.task.program(), self.terms, self.vocabulary, whole);
        let mut follows = |parts: &[TermId], share: u64| {
            let all = self.terms.and(parts.iter().copied());
            let opposite = self.terms.not(all);
            let query = self.terms.and([typing, whole, opposite]);
            self.is_unsat(query, share)
        };
        if !follows(conjuncts, LOCATION_SHARE) {
            conjuncts.retain(|conjunct| follows(&[*conjunct], PART_SHARE));
        }
    }

    /// A conjunction in C, with the conjuncts that can be written; nothing if there are none.
    fn joined(&self, claim: &Claim, names: &Names, conjuncts: &[TermId]) -> Option<(String, Vec<TermId>)> {
        let expressions = self.expressions(claim, names);
        let written = conjuncts.iter().filter_map(|part| Some((expressions.text(self.terms, *part)?, *part)));
        let (texts, parts): (Vec<String>, Vec<TermId>) = written.unzip();
        let text = match texts.as_slice() {
            [] => return None,
            [only] => only.clone(),
            several => {
                let wrapped: Vec<String> = several
                    .iter()
                    .map(|text| if text.contains("||") { format!("({text})") } else { text.clone() })
                    .collect();
                wrapped.join(" && ")
            }
        };
        Some((text, parts))
    }

    fn expressions<'b>(&self, claim: &'b Claim, names: &'b Names) -> Expressions<'b, Named<'b>>
    where
        'a: 'b,
    {
        Expressions {
            program: self.task.program(),
            known: claim.facts.as_ref(),
            words: Named { names, vocabulary: self.vocabulary },
        }
    }

    /// The states in which none of some conjunctions holds.
    pub(super) fn excluded(&mut self, alternatives: &[Vec<TermId>]) -> Formula {
        let alternatives: Vec<TermId> =
            alternatives.iter().map(|parts| self.terms.and(parts.iter().copied())).collect();
        let said = self.terms.or(alternatives);
        let excluded = self.terms.not(said);
        Formula::of(self.terms, self.vocabulary, excluded)
    }

    /// What a formula about the variables of one copy of a place says about those of another; nothing if one does not exist there.
    pub(super) fn translated(&mut self, formula: TermId, from: &Names, to: &Names) -> Option<TermId> {
        let mut pairs = Vec::new();
        for symbol in self.terms.symbols_of(formula) {
            let vars = names::factors(self.vocabulary, symbol).into_iter();
            let vars: Option<Vec<VarId>> = vars.map(|var| to.var_of(from.source(var)?)).collect();
            let mut vars = vars?;
            vars.sort_unstable();
            let image = match (vars.as_slice(), self.vocabulary.product(&vars)) {
                ([], _) => return None,
                (_, Some(product)) => self.terms.of_symbol(product),
                (several, None) => {
                    let symbols: Option<Vec<SymbolId>> =
                        several.iter().map(|var| self.vocabulary.symbol(*var)).collect();
                    let one = self.terms.int(1);
                    symbols?.into_iter().fold(one, |product, symbol| {
                        let factor = self.terms.of_symbol(symbol);
                        self.terms.mul(product, factor)
                    })
                }
            };
            pairs.push((symbol, image));
        }
        Some(Substitution::new(pairs).apply(self.terms, formula))
    }

    /// Work with a share of the budget.
    fn within<T>(&mut self, share: u64, work: impl FnOnce(&mut Z3Solver, &mut Terms, &mut Budget) -> T) -> T {
        let mut child = self.budget.child((self.ticks / share).max(1));
        let result = work(&mut self.solver, self.terms, &mut child);
        self.budget.absorb(&child);
        result
    }

    fn is_unsat(&mut self, formula: TermId, share: u64) -> bool {
        if formula == Terms::FALSE {
            return true;
        }
        let holds = |model: &Model| Evaluator::new(self.terms, model).holds(formula);
        if let Some(position) = self.models.iter().position(holds) {
            self.models[..=position].rotate_right(1);
            return false;
        }
        match self.within(share, |solver, terms, budget| check_formula(solver, terms, formula, budget)) {
            Answer::Sat(model) => {
                self.models.insert(0, model);
                self.models.truncate(MAX_MODELS);
                false
            }
            Answer::Unsat(_) => true,
            Answer::Unknown(_) => false,
        }
    }

    /// What a formula says about variables with names: nothing else occurs in the result, unless the projection failed.
    fn formula(&mut self, whole: TermId, names: &Names) -> TermId {
        let symbols = self.terms.symbols_of(whole).into_iter();
        let hidden: Vec<SymbolId> =
            symbols.filter(|symbol| !names.can_say(self.vocabulary, *symbol)).collect();
        let formula = match self.without(whole, &hidden, LOCATION_SHARE) {
            Some(projected) => projected,
            None => smt::project::forget(self.terms, whole, &hidden),
        };
        let formula = self.terms.tidy(formula);
        self.terms.nnf(formula)
    }

    /// What follows from what an invariant excludes, without constants: all of it, or else as much as is cheap.
    fn not_never(&mut self, claim: &Claim) -> TermId {
        let constants: Vec<SymbolId> = self
            .terms
            .symbols_of(claim.never)
            .into_iter()
            .filter(|symbol| self.vocabulary.is_free(*symbol))
            .collect();
        let never = claim.never;
        let parts = if let Some(never) = self.without(never, &constants, LOCATION_SHARE) {
            vec![never]
        } else {
            // What is excluded for some values of the constants is excluded. Executions in which nothing wraps around are the simplest.
            let zero = self.terms.int(0);
            let wraps =
                constants.iter().filter(|symbol| self.terms.symbol(**symbol).kind == SymbolKind::Wraps);
            let plain: Vec<(SymbolId, TermId)> = wraps.map(|symbol| (*symbol, zero)).collect();
            let mut parts = Vec::new();
            if !plain.is_empty() {
                parts.push(Substitution::new(plain).apply(self.terms, never));
            }
            let normal = self.terms.nnf(never);
            parts.extend(self.terms.disjuncts(normal).into_iter().filter(|part| *part != normal));
            for instance in &claim.instances {
                parts.push(Substitution::new(instance.iter().copied()).apply(self.terms, never));
            }
            let found = parts.into_iter().filter_map(|part| self.without(part, &constants, PART_SHARE));
            found.collect()
        };
        let excluded = self.terms.or(parts);
        let good = self.terms.not(excluded);
        self.terms.nnf(good)
    }

    /// A formula without some symbols, equivalent to the one with any values for them; nothing if that costs too much.
    fn without(&mut self, formula: TermId, symbols: &[SymbolId], share: u64) -> Option<TermId> {
        if !self.terms.mentions(formula, symbols) {
            return Some(formula);
        }
        self.within(share, |solver, terms, budget| {
            smt::project::eliminate(solver, terms, formula, symbols, budget).ok()
        })
    }

    /// Replaces parts of conjuncts by truth values where the others and the types allow it.
    fn shorten(&mut self, conjuncts: &mut [TermId], typing: TermId) {
        let mut questions = MAX_QUESTIONS;
        for position in 0..conjuncts.len() {
            let others = conjuncts.iter().enumerate().filter(|(other, _)| *other != position);
            let context: Vec<TermId> = others.map(|(_, other)| *other).chain([typing]).collect();
            let context = self.terms.and(context);
            while let Some(shorter) = self.shorter(conjuncts[position], context, &mut questions) {
                conjuncts[position] = shorter;
            }
        }
    }

    /// The formula with one part replaced, equivalent in a context.
    fn shorter(&mut self, formula: TermId, context: TermId, questions: &mut u32) -> Option<TermId> {
        let mut parts = self.terms.reachable(&[formula]);
        parts.retain(|part| *part != formula && self.terms.sort(*part) == Sort::Bool);
        if parts.len() > MAX_PARTS {
            return None;
        }
        // Larger parts first.
        parts.sort_by_key(|part| Reverse(*part));
        for part in parts {
            for value in [Terms::FALSE, Terms::TRUE] {
                *questions = questions.checked_sub(1)?;
                let changed = self.terms.rewrite(formula, |_, term| if term == part { value } else { term });
                let differs = self.terms.iff(formula, changed);
                let differs = self.terms.not(differs);
                let query = self.terms.and([context, differs]);
                if changed != formula && self.is_unsat(query, REDUNDANCY_SHARE) {
                    return Some(changed);
                }
            }
        }
        None
    }

    /// Drops alternatives that follow from smaller conjuncts and from the types: they are not worth shortening. What is small may
    /// help to shorten what is large, and stays for now.
    fn drop_consequences(&mut self, conjuncts: &mut Vec<TermId>, typing: TermId) {
        if conjuncts.len() > MAX_CONJUNCTS {
            return;
        }
        let mut by_size: Vec<(usize, TermId)> =
            conjuncts.iter().map(|conjunct| (self.terms.reachable(&[*conjunct]).len(), *conjunct)).collect();
        by_size.sort_unstable();
        while let Some((_, largest)) = by_size.pop() {
            if !matches!(self.terms.node(largest), Node::Or(_)) {
                continue;
            }
            let opposite = self.terms.not(largest);
            let smaller = by_size.iter().map(|(_, conjunct)| *conjunct);
            let query = self.terms.and(smaller.chain([typing, opposite]));
            if self.is_unsat(query, REDUNDANCY_SHARE) {
                conjuncts.retain(|conjunct| *conjunct != largest);
            }
        }
    }

    /// Drops conjuncts that follow from the others and from the types.
    fn drop_redundant(&mut self, conjuncts: &mut Vec<TermId>, typing: TermId) {
        if conjuncts.len() > MAX_CONJUNCTS {
            return;
        }
        let mut position = conjuncts.len();
        while position > 0 {
            position -= 1;
            let candidate = conjuncts[position];
            let opposite = self.terms.not(candidate);
            let others = conjuncts.iter().copied().filter(|other| *other != candidate);
            let query = self.terms.and(others.chain([typing, opposite]));
            if self.is_unsat(query, REDUNDANCY_SHARE) {
                conjuncts.remove(position);
            }
        }
    }
}
