//! The check of inductive annotations, the evidence for safe.
//!
//! An [`Annotation`] gives some locations an invariant such that every cycle on the way to the error contains one. The check knows only the
//! program and a solver: it prepares the program by the standard passes itself, encodes the pieces between annotated locations
//! itself ([`encode::Pieces`], using at the start what the invariant there says), and asks the solver for each piece whether the invariant at its
//! start and the piece imply the one at its end.
//!
//! # Meaning
//! The invariant of a location is `facts(X) ∧ ∀Z. ¬bad(X,Z)`, where X are the variables, the facts are what [`Invariant::known`] says, and Z are all
//! other symbols of `bad`.
//!
//! # Obligations
//! * O1 (initial): in any state at the entry the facts hold and `bad` does not.
//! * O2 (inductive): for every piece from l to m with guard G and map f: `facts(l)`, G and the invariant of l imply `facts(m)` and exclude
//!   `bad(m)` after f. The quantified part of the invariant of l is used by instances only: any choice of terms for Z is sound, so hints need
//!   not be trusted, once it is clear that they choose for Z only, not for variables or addresses.
//! * O3 (safe): the invariant of the error location has no model.
//! * O4 (unstated): what is known of the elements of arrays and of integers of more than 64 bits is no part of any formula. The analysis derives
//!   it again for every piece, from what is known at its start; at the entry nothing is.
//!
//! # Invariants
//! * I1: the values of variables are within their types' ranges whenever a location is reached.
//! * I2: a symbol that stands for a product has the value of the product whenever a location is reached. I1 and consequences of I2 are all that is
//!   assumed beyond the annotation.

use std::collections::BTreeMap;

use base::{Budget, IndexVec};
use cfa::loops::reaching_error;
use cfa::{Loc, Program, VarId};
use encode::facts::stated_of;
use encode::{Block, Pieces, Skolem, Vocabulary};
use passes::Prepared;
use smt::{Answer, Why, Z3, Z3Settings, Z3Solver, check_formula};
use term::{Substitution, SymbolId, TermId, Terms};
use values::state::{State, type_range};
use values::value::Value;

use verdict::{Annotation, Invariant, Reason};

/// After so many obligations a solver is replaced: it does not get faster.
const OBLIGATIONS_PER_SOLVER: u64 = 16;

/// Checks an annotation of a program; returns how many obligations were proved.
pub(crate) fn check(
    task: &Prepared<'_>,
    annotation: &Annotation,
    budget: &mut Budget,
) -> Result<u64, Reason> {
    no_calls(task)?;
    let prepared = task.program();
    let procedure = &prepared.procs[prepared.entry];
    let Some(error) = procedure.error else { return Ok(0) };
    let relevant = reaching_error(procedure);
    let forest = task.loops(prepared.entry);
    let mut cuts = IndexVec::filled(false, procedure.locations.len());
    for location in annotation.locations() {
        cuts[location] = true;
    }
    let needed = forest.order().iter().copied().filter(|location| {
        relevant[*location]
            && (forest.is_header(*location) || *location == error || *location == procedure.entry)
    });
    for location in needed {
        if !annotation.invariants.contains_key(&location) {
            return Err(failure(format!("there is no invariant for location {location}")));
        }
    }
    hints_are_free(annotation)?;
    let mut terms = annotation.terms.borrow_mut();
    let mut vocabulary = annotation.vocabulary.borrow_mut();
    let solvers = Z3::new(Z3Settings::default());
    let mut checker = Checker {
        program: prepared,
        invariants: &annotation.invariants,
        choices: &annotation.choices,
        terms: &mut terms,
        solver: solvers.z3_solver(),
        solvers,
        budget,
        proved: 0,
    };
    checker.initial(procedure.entry, &vocabulary)?;
    checker.excludes(error, &vocabulary)?;
    let pieces = Pieces::new(prepared, procedure, forest, &cuts, &relevant);
    for location in annotation.locations() {
        let Some(known) = &annotation.invariants[&location].known else { continue };
        for block in pieces.from(location, known, checker.terms, &mut vocabulary) {
            checker.preserves(&block, &vocabulary)?;
        }
    }
    Ok(checker.proved)
}

/// An annotation speaks about one procedure only.
pub fn no_calls(task: &Prepared<'_>) -> Result<(), Reason> {
    let Some(call) = task.kept_call() else { return Ok(()) };
    let region = task.program().procs[call.proc].edges()[call.edge].origin.region;
    Err(Reason::Unsupported { feature: task.describe(call), region })
}

/// Instances, and the symbols that stand for choices in them, are about the quantified symbols alone. A variable or an address has the value that it
/// has: with another one in its place, an invariant says nothing about the state at hand.
fn hints_are_free(annotation: &Annotation) -> Result<(), Reason> {
    let vocabulary = annotation.vocabulary.borrow();
    let instances = annotation.invariants.values().flat_map(|invariant| &invariant.instances).flatten();
    let chosen = annotation.choices.values().flatten().map(|skolem| skolem.symbol);
    for symbol in instances.map(|(symbol, _)| *symbol).chain(chosen) {
        if !vocabulary.is_free(symbol) {
            let name = annotation.terms.borrow().symbol(symbol).name.clone();
            return Err(failure(format!("a hint chooses a value for {name}, which is not a free symbol")));
        }
    }
    Ok(())
}

fn failure(why: String) -> Reason {
    Reason::NotCertified { why }
}

struct Checker<'a> {
    program: &'a Program,
    invariants: &'a BTreeMap<Loc, Invariant>,
    choices: &'a BTreeMap<Loc, Vec<Skolem>>,
    terms: &'a mut Terms,
    solvers: Z3,
    /// For the next obligations: a new one costs as much as a small proof.
    solver: Z3Solver,
    budget: &'a mut Budget,
    proved: u64,
}

impl Checker<'_> {
    /// O1.
    fn initial(&mut self, entry: Loc, vocabulary: &Vocabulary) -> Result<(), Reason> {
        if self.unstated(entry).next().is_some() {
            return Err(failure(format!(
                "what is known of arrays at the entry {entry} does not hold initially"
            )));
        }
        let facts = self.facts(entry, vocabulary);
        let bad = self.invariants[&entry].bad;
        let no_facts = self.terms.not(facts);
        let broken = self.terms.or([no_facts, bad]);
        self.refute(broken, vocabulary, || {
            format!("the invariant of the entry {entry} does not hold initially")
        })
    }

    /// O3.
    fn excludes(&mut self, error: Loc, vocabulary: &Vocabulary) -> Result<(), Reason> {
        let invariant = self.holding(error, &[], vocabulary);
        self.refute(invariant, vocabulary, || {
            format!("the invariant of the error {error} does not exclude it")
        })
    }

    /// What is known at a location of the elements of arrays and of others that formulas do not speak of.
    fn unstated(&self, location: Loc) -> impl Iterator<Item = (VarId, Value)> {
        let known = self.invariants[&location].known.iter().flat_map(State::iter);
        known.filter(|(var, _)| self.program.vars[*var].scalar().and_then(type_range).is_none())
    }

    /// O2 and O4.
    fn preserves(&mut self, block: &Block, vocabulary: &Vocabulary) -> Result<(), Reason> {
        let derived = |(var, value): (VarId, Value)| {
            block.known.get(var).is_some_and(|derived| value.includes(derived))
        };
        if !self.unstated(block.target).all(derived) {
            let (source, target) = (block.source, block.target);
            return Err(failure(format!(
                "what is known of arrays at {target} does not follow from {source}"
            )));
        }
        let pairs = block.values.iter().filter_map(|(var, value)| Some((vocabulary.symbol(*var)?, *value)));
        let mut update = Substitution::new(pairs.chain(block.products.iter().copied()));
        let target = self.invariants[&block.target].clone();
        let facts = self.facts(block.target, vocabulary);
        let facts = update.apply(self.terms, facts);
        let bad = update.apply(self.terms, target.bad);
        let no_facts = self.terms.not(facts);
        let broken = self.terms.or([no_facts, bad]);
        let names = self.correspondence(block);
        let start = self.holding(block.source, &names, vocabulary);
        // I2 at the end of the piece.
        let products = encode::product_typing(self.terms, vocabulary, target.bad);
        let products = update.apply(self.terms, products);
        let query = self.terms.and([start, block.guard, products, broken]);
        self.refute(query, vocabulary, || {
            format!("the invariant of {} is not preserved on the way to {}", block.source, block.target)
        })
    }

    /// The facts of a location as a formula.
    fn facts(&mut self, location: Loc, vocabulary: &Vocabulary) -> TermId {
        match &self.invariants[&location].known {
            None => Terms::FALSE,
            Some(state) => {
                let vars: Vec<VarId> = state.iter().map(|(var, _)| var).collect();
                stated_of(state, self.program, &vars, vocabulary, self.terms)
            }
        }
    }

    /// Which symbol of a piece takes the place of which one of the annotation: those of the same operation, in order.
    fn correspondence(&mut self, block: &Block) -> Vec<(SymbolId, TermId)> {
        let mut theirs = self.choices.get(&block.source).cloned().unwrap_or_default();
        let mut pairs = Vec::new();
        for mine in &block.skolems {
            if let Some(at) =
                theirs.iter().position(|other| other.site == mine.site && other.source == mine.source)
            {
                let other = theirs.remove(at);
                pairs.push((other.symbol, self.terms.of_symbol(mine.symbol)));
            }
        }
        pairs
    }

    /// What of a location's invariant is used: its facts and the instances of the rest. Any instance is sound.
    fn holding(&mut self, location: Loc, names: &[(SymbolId, TermId)], vocabulary: &Vocabulary) -> TermId {
        let mut parts = vec![self.facts(location, vocabulary)];
        let Invariant { bad, instances, .. } = self.invariants[&location].clone();
        let mut rename = Substitution::new(names.iter().copied());
        for instance in instances {
            let mut pairs: Vec<(SymbolId, TermId)> = names.to_vec();
            pairs.retain(|(symbol, _)| instance.iter().all(|(other, _)| other != symbol));
            for (symbol, term) in instance {
                pairs.push((symbol, rename.apply(self.terms, term)));
            }
            let instance = Substitution::new(pairs).apply(self.terms, bad);
            parts.push(self.terms.not(instance));
        }
        self.terms.and(parts)
    }

    /// Shows that a formula over the values at one location has no model.
    fn refute(
        &mut self,
        formula: TermId,
        vocabulary: &Vocabulary,
        what: impl Fn() -> String,
    ) -> Result<(), Reason> {
        let typed = encode::typing(self.program, self.terms, vocabulary, formula);
        let query = self.terms.and([typed, formula]);
        match check_formula(&mut self.solver, self.terms, query, self.budget) {
            Answer::Unsat(_) => {
                self.proved += 1;
                if self.proved.is_multiple_of(OBLIGATIONS_PER_SOLVER) {
                    self.solver = self.solvers.z3_solver();
                }
                Ok(())
            }
            Answer::Sat(_) => Err(failure(what())),
            Answer::Unknown(Why::Stopped(stop)) => Err(Reason::Stopped(stop)),
            Answer::Unknown(why) => Err(Reason::SolverGaveUp { why: why.to_string() }),
        }
    }
}
