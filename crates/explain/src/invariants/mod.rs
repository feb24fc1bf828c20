//! Invariants that people can read: what an annotation says about the loops of the source, as expressions of C.
//!
//! An annotation speaks about the variables of the program after the standard passes, and about Skolem constants. Here the constants are
//! eliminated, variables without a name at the place are projected away, conjuncts that follow from others are dropped, and what is left is
//! written in C. A loop that was copied by inlining is covered by all of its copies.
//!
//! # Invariants
//! * I1: what is printed follows from the annotation (the solver is asked), so it holds if the annotation does.
//! * I2: evaluating it in C overflows nowhere.
//! * I3: all of this is for readers; if it costs too much, there is less to read.

mod express;
mod names;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use base::{Budget, Region};
use cfa::{Loc, LocationRole, ProcId, Program, VarId};
use encode::Vocabulary;
use passes::Prepared;
use smt::{Answer, Z3, Z3Settings, Z3Solver, check_formula};
use term::{Evaluator, Model, Node, Sort, Substitution, SymbolId, TermId, Terms};

use express::Expressions;
use names::Names;
use verdict::{Annotation, Claim, Imported, import};

/// What the solver may spend on all of this if somebody has asked for it.
pub const READING_TICKS: u64 = 10_000;
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
/// More copies of a loop are not put together.
const MAX_COPIES: usize = 4;

/// An invariant at a place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInvariant {
    /// The loop or statement.
    pub region: Region,
    /// Whether it is tied to a loop or to the start of a statement.
    pub role: LocationRole,
    /// An expression of C.
    pub text: String,
    /// What of it can be said with variables that are visible at the start of the place, not only inside (the variable of a `for`).
    pub portable: Option<String>,
    /// A stronger expression that need not hold, but is easier to read: without the cases in which something wraps around.
    pub bold: Option<String>,
}

/// The invariants of an annotation that can be written in C, in the order of the source. The solver spends at most `ticks`.
pub fn source_invariants(
    task: &Prepared<'_>,
    annotation: &Annotation,
    ticks: u64,
    budget: &mut Budget,
) -> Vec<SourceInvariant> {
    let (program, prepared) = (task.given(), task.program());
    let entry = prepared.entry;
    let procedure = &prepared.procs[entry];
    let forest = task.loops(entry);
    let copies = copies(program);
    // What is said about each location of the source, copy by copy.
    let mut found: BTreeMap<(ProcId, Loc), Vec<Option<Written>>> = BTreeMap::new();
    let Ok(Imported { mut terms, vocabulary, claims, .. }) = import(prepared, annotation) else {
        return Vec::new();
    };
    let mut reader = Reader {
        program,
        task,
        terms: &mut terms,
        vocabulary: &vocabulary,
        solver: Z3::new(Z3Settings::default()).z3_solver(),
        models: Vec::new(),
        budget: budget.child(ticks),
        ticks,
    };
    for ((_, location), claim) in claims.iter().filter(|((proc, _), _)| *proc == entry) {
        let info = procedure.locations[*location];
        let is_tied = info.role == LocationRole::LoopHead
            || info.role == LocationRole::Statement && forest.is_header(*location);
        let Some(origin) = task.back().location(entry, *location).filter(|_| is_tied) else { continue };
        let written = reader.written(*location, claim);
        found.entry((origin.proc, origin.location)).or_default().push(written);
    }
    let mut invariants = Vec::new();
    for ((proc, location), written) in found {
        let expected = copies.get(&proc).copied().unwrap_or(u64::MAX);
        let Some(together) = together(&written).filter(|_| written.len() as u64 >= expected) else {
            continue;
        };
        let info = program.procs[proc].locations[location];
        invariants.push(SourceInvariant {
            region: info.region,
            role: info.role,
            text: together.text,
            portable: together.portable,
            bold: together.bold,
        });
    }
    invariants.sort_by_key(|invariant| invariant.region);
    invariants
}

/// What one copy of a location says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Written {
    text: String,
    portable: Option<String>,
    bold: Option<String>,
}

/// One of the copies is meant; nothing is known if nothing is known of one of them.
fn together(copies: &[Option<Written>]) -> Option<Written> {
    let mut all: Vec<Written> = copies.iter().cloned().collect::<Option<_>>()?;
    all.sort();
    all.dedup();
    if all.len() > MAX_COPIES {
        return None;
    }
    let one_of = |texts: Vec<&str>| match texts.as_slice() {
        [only] => (*only).to_owned(),
        several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
    };
    let portable: Option<Vec<&str>> = all.iter().map(|written| written.portable.as_deref()).collect();
    let text = all.iter().map(|written| written.text.as_str()).collect::<Vec<_>>();
    let bold = if let [only] = all.as_slice() { only.bold.clone() } else { None };
    (!text.is_empty()).then(|| Written { text: one_of(text), portable: portable.map(one_of), bold })
}

/// How many activations of each procedure there may be, by the calls in the text; recursive ones are left out.
fn copies(program: &Program) -> BTreeMap<ProcId, u64> {
    let mut calls: Vec<(ProcId, ProcId)> = Vec::new();
    for (caller, procedure) in program.procs.iter_enumerated() {
        for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
            calls.extend(op.call_targets().iter().map(|callee| (caller, *callee)));
        }
    }
    let mut copies = BTreeMap::from([(program.entry, 1_u64)]);
    let mut waiting: BTreeMap<ProcId, usize> = BTreeMap::new();
    for (_, callee) in &calls {
        *waiting.entry(*callee).or_default() += 1;
    }
    let mut ready: Vec<ProcId> = program.procs.ids().filter(|proc| !waiting.contains_key(proc)).collect();
    while let Some(caller) = ready.pop() {
        let times = copies.get(&caller).copied().unwrap_or(0);
        for (_, callee) in calls.iter().filter(|(from, _)| *from == caller) {
            let sum = copies.entry(*callee).or_insert(0);
            *sum = sum.saturating_add(times);
            if let Some(left) = waiting.get_mut(callee) {
                *left -= 1;
                if *left == 0 {
                    ready.push(*callee);
                }
            }
        }
    }
    // What is still waiting is part of a cycle of calls, or called from one.
    for (proc, left) in waiting {
        if left > 0 {
            copies.remove(&proc);
        }
    }
    copies
}

struct Reader<'a> {
    program: &'a Program,
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

impl Reader<'_> {
    /// The invariant of a location in C; nothing if nothing of it can be said.
    fn written(&mut self, location: Loc, claim: &Claim) -> Option<Written> {
        let names = Names::new(self.program, self.task, location)?;
        // The most expensive part, and the same for all names.
        let good = self.not_bad(claim);
        let (text, conjuncts) = self.text(claim, good, &names)?;
        let symbols = self.terms.symbols_of_all(&conjuncts);
        let vars: Vec<VarId> =
            symbols.iter().flat_map(|symbol| names::factors(self.vocabulary, *symbol)).collect();
        let near: Vec<TermId> =
            conjuncts.iter().map(|conjunct| express::without_far_cases(self.terms, *conjunct)).collect();
        let bold = if near == conjuncts { None } else { self.joined(claim, &names, &near) };
        let portable = if names.are_visible(&vars) {
            Some(text.clone())
        } else {
            self.text(claim, good, &names.visible()).map(|(text, _)| text)
        };
        Some(Written { text, portable, bold })
    }

    /// What can be said with some names, and its parts.
    fn text(&mut self, claim: &Claim, good: TermId, names: &Names) -> Option<(String, Vec<TermId>)> {
        let formula = self.formula(claim, good, names)?;
        let typing = encode::typing(self.task.program(), self.terms, self.vocabulary, formula);
        let expressions = Expressions {
            program: self.task.program(),
            vocabulary: self.vocabulary,
            known: claim.facts.as_ref(),
            names,
        };
        let mut conjuncts = self.terms.conjuncts(formula);
        self.drop_consequences(&mut conjuncts, typing);
        self.shorten(&mut conjuncts, typing);
        conjuncts.retain(|conjunct| expressions.text(self.terms, *conjunct).is_some());
        // The longest ones go first if they follow from others.
        conjuncts.sort_by_key(|conjunct| {
            let length = expressions.text(self.terms, *conjunct).map_or(0, |text| text.len());
            (length, *conjunct)
        });
        self.drop_redundant(&mut conjuncts, typing);
        let text = self.joined(claim, names, &conjuncts)?;
        Some((text, conjuncts))
    }

    /// A conjunction in C; nothing if there is nothing to say.
    fn joined(&self, claim: &Claim, names: &Names, conjuncts: &[TermId]) -> Option<String> {
        let expressions = self.expressions(claim, names);
        let texts: Vec<String> =
            conjuncts.iter().filter_map(|conjunct| expressions.text(self.terms, *conjunct)).collect();
        match texts.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            several => {
                let wrapped: Vec<String> = several
                    .iter()
                    .map(|text| if text.contains("||") { format!("({text})") } else { text.clone() })
                    .collect();
                Some(wrapped.join(" && "))
            }
        }
    }

    fn expressions<'b>(&'b self, claim: &'b Claim, names: &'b Names) -> Expressions<'b> {
        Expressions {
            program: self.task.program(),
            vocabulary: self.vocabulary,
            known: claim.facts.as_ref(),
            names,
        }
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

    /// A formula over variables with names that the invariant implies (I1).
    fn formula(&mut self, claim: &Claim, good: TermId, names: &Names) -> Option<TermId> {
        let state = claim.facts.as_ref()?;
        let vars: Vec<VarId> = state.iter().map(|(var, _)| var).collect();
        let facts = encode::facts::stated_of(state, self.task.program(), &vars, self.vocabulary, self.terms);
        let named = |terms: &Terms, term: TermId| -> Vec<SymbolId> {
            let symbols = terms.symbols_of(term).into_iter();
            symbols.filter(|symbol| !names.can_say(self.vocabulary, *symbol)).collect()
        };
        let whole = self.terms.and([facts, good]);
        let hidden = named(self.terms, whole);
        let formula = match self.without(whole, &hidden, LOCATION_SHARE) {
            Some(projected) => projected,
            None => smt::project::forget(self.terms, whole, &hidden),
        };
        let formula = self.terms.tidy(formula);
        let formula = self.terms.nnf(formula);
        let typing = encode::typing(self.task.program(), self.terms, self.vocabulary, whole);
        let opposite = self.terms.not(formula);
        let query = self.terms.and([typing, whole, opposite]);
        let implied = self.is_unsat(query, LOCATION_SHARE);
        (implied && named(self.terms, formula).is_empty()).then_some(formula)
    }

    /// What follows from the fact that the invariant excludes what is bad, without constants: all of it, or else as much as is cheap.
    fn not_bad(&mut self, claim: &Claim) -> TermId {
        let constants: Vec<SymbolId> = self
            .terms
            .symbols_of(claim.never)
            .into_iter()
            .filter(|symbol| self.vocabulary.is_free(*symbol))
            .collect();
        let bad = claim.never;
        let parts = if let Some(bad) = self.without(bad, &constants, LOCATION_SHARE) {
            vec![bad]
        } else {
            // What is bad for some values of the constants is bad. Executions in which nothing wraps around are the simplest.
            let zero = self.terms.int(0);
            let wraps =
                constants.iter().filter(|symbol| self.terms.symbol(**symbol).name.starts_with("wraps"));
            let plain: Vec<(SymbolId, TermId)> = wraps.map(|symbol| (*symbol, zero)).collect();
            let mut parts = Vec::new();
            if !plain.is_empty() {
                parts.push(Substitution::new(plain).apply(self.terms, bad));
            }
            let normal = self.terms.nnf(bad);
            parts.extend(self.terms.disjuncts(normal).into_iter().filter(|part| *part != normal));
            for instance in &claim.instances {
                parts.push(Substitution::new(instance.iter().copied()).apply(self.terms, bad));
            }
            let found = parts.into_iter().filter_map(|part| self.without(part, &constants, PART_SHARE));
            found.collect()
        };
        let bad = self.terms.or(parts);
        let good = self.terms.not(bad);
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
