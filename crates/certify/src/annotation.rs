//! The check of inductive annotations, the evidence for safe.
//!
//! An [`Annotation`] gives some locations an invariant such that every cycle on the way to the error contains one. The check knows only the
//! program, the annotation and a solver. It takes the program after the standard passes, imports the formulas into an arena of its own, encodes the pieces between
//! annotated locations itself ([`encode::Pieces`], using at the start what the invariant there says), and asks the solver for each piece whether
//! the invariant at its start and the piece imply the one at its end.
//!
//! # Meaning
//! The invariant of a location is `facts(X) ∧ ∀Z. ¬never(X,Z)`, where X are the variables, products and addresses, and Z are all other symbols of `never`.
//!
//! The logic of the annotation says what formulas are about: integers, or bit-vectors of the widths of the types. Pieces and facts are encoded in the same logic.
//!
//! Symbols of values at the entry of a procedure are like variables that are never written. A procedure that is called has a contract if its exit is annotated ([`Contracts`]).
//!
//! # Obligations
//! Those of each procedure that is annotated, of the entry procedure always. Calls are encoded by contracts: an activation that returns has called only activations that returned before it, so
//! by induction on their order contracts hold.
//! * O1 (initial): in any state at the entry, where the values at the entry are those of the variables, the facts hold and `never` does not.
//! * O2 (inductive): for every piece from l to m with guard G and update f: `facts(l)`, G and the invariant of l imply `facts(m)` and exclude
//!   `never(m)` after f. The quantified part of the invariant of l is used by instances only: any choice of terms for Z is sound, so instances need
//!   not be trusted, once it is clear that they choose for Z only, not for variables or addresses.
//! * O3 (safe): the invariant of the error location has no model.
//! * O4 (unstated): what is known of the elements of arrays and of integers of more than 64 bits is no part of any formula. The analysis derives
//!   it again for every piece, from what is known at its start; at the entry nothing is.
//!
//! # Invariants
//! * I1: the values of variables are within their types' ranges whenever a location is reached.
//! * I2: a symbol that stands for a product has the value of the product whenever a location is reached. I1 and consequences of I2 are all that is
//!   assumed beyond the annotation.
//! * I3: what is proved is the claim as it was imported. The import itself need not be trusted: whatever claim it makes of the annotation, if that one has
//!   passed O1 to O4, the error is not reached.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, IndexVec, Region};
use cfa::loops::{LoopForest, reaching};
use cfa::{Loc, ProcId, Program, SignedOverflow, VarId};
use encode::facts::stated;
use encode::{Contracts, Piece, Pieces, Vocabulary};
use passes::{KeptCall, Prepared};
use smt::{Answer, Why, Z3, Z3Settings, Z3Solver, check_formula};
use term::{Substitution, SymbolId, TermId, Terms};
use values::state::{State, type_range};
use values::value::Value;

use verdict::formula::{Symbol, name_choices};
use verdict::{Annotation, Claim, Imported, LogicName, Reason, import};

/// After so many obligations a solver is replaced: it does not get faster.
const OBLIGATIONS_PER_SOLVER: u64 = 16;

/// Is given every obligation that was proved: what it would mean if it did not hold, and the formula that has no model.
pub type Observer<'a> = dyn FnMut(String, &Terms, TermId) + 'a;

/// Checks an annotation of a program; returns how many obligations were proved.
pub fn check_annotation(
    task: &Prepared<'_>,
    annotation: &Annotation,
    budget: &mut Budget,
    observer: &mut Observer<'_>,
) -> Result<u64, Reason> {
    is_supported(task, annotation)?;
    let prepared = task.program();
    let Imported { mut terms, mut vocabulary, claims, symbols } =
        import(prepared, annotation).map_err(|misfit| failure(misfit.to_string()))?;
    let contracts = contracts(prepared, &claims, &mut terms, &vocabulary)?;
    let solvers = Z3::new(Z3Settings::default());
    let solver = solvers.z3_solver();
    let mut checker =
        Checker { program: prepared, claims, symbols, terms, solver, solvers, budget, observer, proved: 0 };
    checker.instances_are_free(&vocabulary)?;
    let procs: BTreeSet<ProcId> =
        checker.claims.keys().map(|(proc, _)| *proc).chain([prepared.entry]).collect();
    for proc in procs {
        checker.procedure(proc, task.loops(proc), &contracts, &mut vocabulary)?;
    }
    Ok(checker.proved)
}

/// The locations of a procedure from which its error can be reached, or its exit if it is called.
fn relevant(program: &Program, proc: ProcId) -> IndexVec<Loc, bool> {
    let procedure = &program.procs[proc];
    let mut relevant = reaching(procedure, procedure.error);
    if proc != program.entry {
        for (location, reaches) in reaching(procedure, Some(procedure.exit)).iter_enumerated() {
            relevant[location] |= *reaches;
        }
    }
    relevant
}

/// What annotated exits of procedures say to callers. Only that can be said for which a call has values: of parameters and globals at the entry, of results and globals at the exit.
fn contracts(
    program: &Program,
    claims: &BTreeMap<At, Claim>,
    terms: &mut Terms,
    vocabulary: &Vocabulary,
) -> Result<Contracts, Reason> {
    let mut contracts = Contracts::new();
    for ((proc, location), claim) in claims {
        let procedure = &program.procs[*proc];
        if *proc == program.entry || *location != procedure.exit {
            continue;
        }
        let is_global =
            |var: VarId| program.vars[var].owner.is_none() && program.vars[var].scalar().is_some();
        for symbol in terms.symbols_of(claim.never) {
            let at_entry =
                vocabulary.at_entry(symbol).map(|var| is_global(var) || procedure.params.contains(&var));
            let at_exit =
                vocabulary.var(symbol).map(|var| is_global(var) || procedure.results.contains(&var));
            if at_entry.or(at_exit) != Some(true) {
                let name = &terms.symbol(symbol).name;
                return Err(failure(format!(
                    "the contract of {proc} speaks of {name}, which its callers do not know"
                )));
            }
        }
        contracts.insert(*proc, terms.not(claim.never));
    }
    Ok(contracts)
}

/// Whether the check gives an annotation of the program a meaning at all.
fn is_supported(task: &Prepared<'_>, annotation: &Annotation) -> Result<(), Reason> {
    let annotated: BTreeSet<ProcId> = annotation.locations().map(|(proc, _)| proc).collect();
    is_about_reachability(task, |proc| annotated.contains(&proc))
}

fn unsupported(feature: &str) -> Reason {
    Reason::Unsupported { feature: feature.to_owned(), region: Region::NOWHERE }
}

/// Whether every violation is an error location that a proof is about: in the entry procedure, or in one that the proof knows.
pub(crate) fn is_about_reachability(
    task: &Prepared<'_>,
    is_known: impl Fn(ProcId) -> bool,
) -> Result<(), Reason> {
    // The encoding follows an execution up to an overflow. Where that is the violation, the passes have made it an error location.
    if task.program().signed_overflow == SignedOverflow::Error {
        return Err(unsupported("a proof about a program whose overflows are no error locations"));
    }
    // A call is encoded as any change of the global variables that it may write and any results, up to its contract. That includes all that it may do, but for an error inside of
    // it: procedures that a proof does not know must have none.
    match task.failing_call(is_known) {
        Some(call) => Err(stays(task, call)),
        None => Ok(()),
    }
}

/// Whether the program has one procedure only.
pub fn no_calls(task: &Prepared<'_>) -> Result<(), Reason> {
    task.kept_call().map_or(Ok(()), |call| Err(stays(task, call)))
}

fn stays(task: &Prepared<'_>, call: &KeptCall) -> Reason {
    Reason::Unsupported { feature: task.describe(call), region: task.region(call) }
}

fn failure(why: String) -> Reason {
    Reason::NotCertified { why }
}

/// A location of the program.
type At = (ProcId, Loc);

struct Checker<'a, 'o> {
    program: &'a Program,
    claims: BTreeMap<At, Claim>,
    /// What symbols that stand for no variable were named in the annotation.
    symbols: BTreeMap<Symbol, SymbolId>,
    terms: Terms,
    solvers: Z3,
    /// For the next obligations: a new one costs as much as a small proof.
    solver: Z3Solver,
    budget: &'a mut Budget,
    observer: &'a mut Observer<'o>,
    proved: u64,
}

impl Checker<'_, '_> {
    /// Instances are about the quantified symbols alone. A variable, a product or an address has the value that it has: with another one in its
    /// place, an invariant says nothing about the state at hand.
    fn instances_are_free(&self, vocabulary: &Vocabulary) -> Result<(), Reason> {
        let instances = self.claims.values().flat_map(|claim| &claim.instances).flatten();
        for (symbol, _) in instances {
            if !vocabulary.is_free(*symbol) {
                let name = &self.terms.symbol(*symbol).name;
                return Err(failure(format!("an instance chooses a value for {name}, which has one")));
            }
        }
        Ok(())
    }

    /// All obligations of a procedure.
    fn procedure(
        &mut self,
        proc: ProcId,
        forest: &LoopForest,
        contracts: &Contracts,
        vocabulary: &mut Vocabulary,
    ) -> Result<(), Reason> {
        let program = self.program;
        let procedure = &program.procs[proc];
        let relevant = relevant(program, proc);
        if !relevant[procedure.entry] {
            return Ok(());
        }
        let is_target = |location| Some(location) == procedure.error || location == procedure.exit;
        let needed = forest.order().iter().copied().filter(|location| {
            relevant[*location]
                && (forest.is_header(*location) || *location == procedure.entry || is_target(*location))
        });
        let missing = needed.into_iter().find(|location| !self.claims.contains_key(&(proc, *location)));
        if let Some(location) = missing {
            return Err(failure(format!("there is no invariant for location {location} of {proc}")));
        }
        self.initial((proc, procedure.entry), vocabulary)?;
        if let Some(error) = procedure.error.filter(|error| relevant[*error]) {
            self.excludes((proc, error), vocabulary)?;
        }
        let mut cuts = IndexVec::filled(false, procedure.locations.len());
        let claimed: Vec<Loc> = self.claims.keys().filter(|(of, _)| *of == proc).map(|(_, at)| *at).collect();
        for location in &claimed {
            cuts[*location] = true;
        }
        let pieces = Pieces::new(program, procedure, forest, &cuts, &relevant).assuming(contracts);
        for location in claimed {
            let Some(facts) = self.claims[&(proc, location)].facts.clone() else { continue };
            let pieces = pieces.from(location, &facts, &mut self.terms, vocabulary);
            let names = self.correspondence((proc, location), &pieces);
            for piece in &pieces {
                self.preserves(proc, piece, &names, vocabulary)?;
            }
        }
        Ok(())
    }

    /// That the values at the entry are those of the variables.
    fn entered(&mut self, vocabulary: &Vocabulary) -> TermId {
        let mut equal = Vec::new();
        for (var, symbol) in vocabulary.entries() {
            if let Some(now) = vocabulary.symbol(var) {
                let (now, then) = (self.terms.of_symbol(now), self.terms.of_symbol(symbol));
                equal.push(self.terms.eq(now, then));
            }
        }
        self.terms.and(equal)
    }

    /// O1.
    fn initial(&mut self, entry: At, vocabulary: &Vocabulary) -> Result<(), Reason> {
        if self.unstated(entry).next().is_some() {
            return Err(failure(format!(
                "what is known of arrays at the entry {} does not hold initially",
                entry.1
            )));
        }
        let facts = self.facts(entry, vocabulary);
        let never = self.claims[&entry].never;
        let no_facts = self.terms.not(facts);
        let broken = self.terms.or([no_facts, never]);
        let entered = self.entered(vocabulary);
        let broken = self.terms.and([entered, broken]);
        self.refute(broken, vocabulary, || {
            format!("the invariant of the entry {} does not hold initially", entry.1)
        })
    }

    /// O3.
    fn excludes(&mut self, error: At, vocabulary: &Vocabulary) -> Result<(), Reason> {
        let invariant = self.holding(error, &[], vocabulary);
        self.refute(invariant, vocabulary, || {
            format!("the invariant of the error {} does not exclude it", error.1)
        })
    }

    /// What is known at a location of the elements of arrays and of others that formulas do not speak of.
    fn unstated(&self, location: At) -> impl Iterator<Item = (VarId, Value)> {
        let facts = self.claims[&location].facts.iter().flat_map(State::iter);
        facts.filter(|(var, _)| self.program.vars[*var].scalar().and_then(type_range).is_none())
    }

    /// O2 and O4. `names` are the symbols of the pieces for those of the annotation.
    fn preserves(
        &mut self,
        proc: ProcId,
        piece: &Piece,
        names: &[(SymbolId, TermId)],
        vocabulary: &Vocabulary,
    ) -> Result<(), Reason> {
        let derived = |(var, value): (VarId, Value)| {
            piece.known.get(var).is_some_and(|derived| value.includes(derived))
        };
        let (source, target) = ((proc, piece.source), (proc, piece.target));
        if !self.unstated(target).all(derived) {
            let (source, target) = (piece.source, piece.target);
            return Err(failure(format!(
                "what is known of arrays at {target} does not follow from {source}"
            )));
        }
        let mut update = piece.transition.substitution();
        let never = self.claims[&target].never;
        let facts = self.facts(target, vocabulary);
        let facts = update.apply(&mut self.terms, facts);
        let excluded = update.apply(&mut self.terms, never);
        let no_facts = self.terms.not(facts);
        let broken = self.terms.or([no_facts, excluded]);
        let start = self.holding(source, names, vocabulary);
        // I2 at the end of the piece.
        let products = encode::product_typing(&mut self.terms, vocabulary, never);
        let products = update.apply(&mut self.terms, products);
        let query = self.terms.and([start, piece.transition.guard, products, broken]);
        self.refute(query, vocabulary, || {
            format!("the invariant of {} is not preserved on the way to {}", piece.source, piece.target)
        })
    }

    /// The facts of a location as a formula.
    fn facts(&mut self, location: At, vocabulary: &Vocabulary) -> TermId {
        match &self.claims[&location].facts {
            None => Terms::FALSE,
            Some(state) => stated(state, self.program, vocabulary, &mut self.terms),
        }
    }

    /// Which symbol of the pieces from a location takes the place of which one of the annotation: those of the same operation, in order.
    fn correspondence(&mut self, start: At, pieces: &[Piece]) -> Vec<(SymbolId, TermId)> {
        let skolems = pieces.iter().flat_map(|piece| &piece.skolems).cloned();
        let named = name_choices(&self.terms, start, skolems);
        let mut pairs = Vec::new();
        for (mine, name) in named {
            if let Some(theirs) = self.symbols.get(&Symbol::Chosen(name)) {
                pairs.push((*theirs, self.terms.of_symbol(mine)));
            }
        }
        pairs
    }

    /// What of a location's invariant is used: its facts and the instances of the rest. Any instance is sound.
    fn holding(&mut self, location: At, names: &[(SymbolId, TermId)], vocabulary: &Vocabulary) -> TermId {
        let mut parts = vec![self.facts(location, vocabulary)];
        let Claim { never, instances, .. } = self.claims[&location].clone();
        let mut rename = Substitution::new(names.iter().copied());
        for instance in instances {
            let mut pairs: Vec<(SymbolId, TermId)> = names.to_vec();
            pairs.retain(|(symbol, _)| instance.iter().all(|(other, _)| other != symbol));
            for (symbol, term) in instance {
                pairs.push((symbol, rename.apply(&mut self.terms, term)));
            }
            let instance = Substitution::new(pairs).apply(&mut self.terms, never);
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
        let typed = encode::typing(self.program, &mut self.terms, vocabulary, formula);
        let query = self.terms.and([typed, formula]);
        let answer = match vocabulary.logic() {
            LogicName::Integers => check_formula(&mut self.solver, &self.terms, query, self.budget),
            // Tactics for bit-vectors are made for one question.
            LogicName::Bits => {
                let mut solver = self.solvers.bit_solver(&self.terms, query);
                check_formula(&mut solver, &self.terms, query, self.budget)
            }
        };
        match answer {
            Answer::Unsat(_) => {
                (self.observer)(what(), &self.terms, query);
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
