//! A second proof that an annotation proves safety, by other code than crate certify's.
//!
//! From each annotated location every path to the next ones is expressed by itself (crate::path, which shares nothing with crate encode), the quantified symbols of the hypothesis are
//! eliminated instead of instantiated where that is possible, products are products, and the solver is asked whether the invariant at the end can be broken.
//!
//! # What it shows
//! [`Opinion::Proof`]: the invariants hold initially, are preserved by every path, and exclude the error, if the solver, the elimination of quantifiers (crate smt), the arithmetic of
//! crate term, and the reading of operations in crate::path are right. None of these is code of crate certify or encode. [`Opinion::Refuted`]: they are not, as a
//! model of exact formulas shows. [`Opinion::Open`]: a path is not expressed exactly, or something took too long; nothing is shown.
//!
//! # What it does not show
//! That the program is prepared rightly from its source, and what crate::path says of operations is what they mean: that is the interpreter's part (crate::execute).

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use cfa::{EdgeId, Loc, ProcId, Procedure, Program, VarId};
use encode::Vocabulary;
use smt::project::eliminate;
use smt::{Answer, Z3, Z3Settings, check_formula};
use term::{Substitution, SymbolId, TermId, Terms};
use values::state::State;
use values::value::Value;
use verdict::{Annotation, Claim, Formula, Imported, Invariant, LogicName, import};

use crate::path::{Elements, Path, Precision, allowed, typed};

/// Paths from one location.
const MAX_PATHS: usize = 400;
/// Ticks for one elimination, and for one question.
const TICKS: u64 = 4_000;

/// What the second check says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opinion {
    Proof,
    Refuted(String),
    Open(&'static str),
}

/// A path between annotated locations.
struct Between {
    source: Loc,
    edges: Vec<EdgeId>,
    target: Loc,
}

/// The second check of annotations of one program. What was asked before is not asked again.
pub(crate) struct Second<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    paths: Option<Vec<Between>>,
    /// The invariants that were seen, by location; the position of one is its name.
    invariants: BTreeMap<Loc, Vec<Invariant>>,
    /// What never holds at a location, without quantified symbols, by the name of the invariant; the formula itself if they cannot be eliminated.
    plain: BTreeMap<(Loc, usize), Formula>,
    /// By path and names of the invariants at its ends.
    known: BTreeMap<(usize, usize, usize), Opinion>,
}

impl<'a> Second<'a> {
    /// Annotations should have the locations of this one.
    pub(crate) fn new(program: &'a Program, annotation: &Annotation) -> Self {
        let procedure = &program.procs[program.entry];
        let cuts: BTreeSet<Loc> = annotation.locations().map(|(_, location)| location).collect();
        let paths = paths(procedure, &cuts);
        let (invariants, plain, known) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { program, procedure, paths, invariants, plain, known }
    }

    /// The name of an invariant.
    fn name(&mut self, location: Loc, invariant: &Invariant) -> usize {
        let seen = self.invariants.entry(location).or_default();
        let found = seen.iter().position(|other| other == invariant);
        found.unwrap_or_else(|| {
            seen.push(invariant.clone());
            seen.len() - 1
        })
    }

    /// Whether an annotation is a proof.
    pub(crate) fn opinion(&mut self, annotation: &Annotation) -> Opinion {
        let Some(paths) = self.paths.take() else { return Opinion::Open("too many paths") };
        let opinion = self.along(&paths, annotation);
        self.paths = Some(paths);
        opinion
    }

    fn along(&mut self, paths: &[Between], annotation: &Annotation) -> Opinion {
        let (mut names, mut plain) = (BTreeMap::new(), annotation.clone());
        for (place, invariant) in &mut plain.invariants {
            let name = self.name(place.1, invariant);
            names.insert(place.1, name);
            let never = match self.plain.get(&(place.1, name)) {
                Some(known) => known.clone(),
                None => eliminated(self.program, *place, invariant),
            };
            self.plain.insert((place.1, name), never.clone());
            invariant.never = never;
        }
        let Ok(imported) = import(self.program, &plain) else { return Opinion::Open("no import") };
        let mut proof = Proof::new(self.program, imported);
        let mut opinions = vec![proof.initial(self.procedure.entry)];
        if let Some(error) = self.procedure.error.filter(|error| names.contains_key(error)) {
            opinions.push(proof.excluded(error));
        }
        for (number, path) in paths.iter().enumerate() {
            let key = (number, names[&path.source], names[&path.target]);
            let opinion = match self.known.get(&key) {
                Some(opinion) => opinion.clone(),
                None => proof.preserved(self.procedure, path),
            };
            self.known.insert(key, opinion.clone());
            opinions.push(opinion);
        }
        let refuted = opinions.iter().find(|opinion| matches!(opinion, Opinion::Refuted(_)));
        let open = opinions.iter().find(|opinion| matches!(opinion, Opinion::Open(_)));
        refuted.or(open).cloned().unwrap_or(Opinion::Proof)
    }
}

/// What never holds at a location, without its quantified symbols if they can be eliminated.
fn eliminated(program: &Program, place: (ProcId, Loc), invariant: &Invariant) -> Formula {
    let alone =
        Annotation { logic: LogicName::Integers, invariants: BTreeMap::from([(place, invariant.clone())]) };
    let Ok(Imported { mut terms, vocabulary, claims, .. }) = import(program, &alone) else {
        return invariant.never.clone();
    };
    let never = claims[&place].never;
    let symbols = terms.symbols_of(never).into_iter();
    let free: Vec<SymbolId> = symbols.filter(|symbol| vocabulary.is_free(*symbol)).collect();
    let mut solver = Z3::new(Z3Settings::default()).z3_solver();
    match eliminate(&mut solver, &mut terms, never, &free, &mut Budget::ticks(TICKS)) {
        Ok(plain) => Formula::of(&terms, &vocabulary, plain),
        Err(_) => invariant.never.clone(),
    }
}

/// All paths between annotated locations on the way to the error; nothing if they are too many or there is a cycle without annotation.
fn paths(procedure: &Procedure, cuts: &BTreeSet<Loc>) -> Option<Vec<Between>> {
    let error = procedure.error?;
    let mut relevant = BTreeSet::from([error]);
    while procedure.edges().iter().any(|edge| relevant.contains(&edge.target) && relevant.insert(edge.source))
    {
    }
    let mut found = Vec::new();
    for source in cuts.iter().copied().filter(|cut| relevant.contains(cut)) {
        let mut open = vec![(source, Vec::new())];
        let mut count = 0;
        while let Some((at, edges)) = open.pop() {
            if !edges.is_empty() && (cuts.contains(&at) || at == error) {
                count += 1;
                found.push(Between { source, edges, target: at });
            } else {
                for id in procedure.outgoing(at) {
                    let target = procedure.edges()[*id].target;
                    if relevant.contains(&target) {
                        open.push((target, edges.iter().copied().chain([*id]).collect()));
                    }
                }
                if edges.len() > procedure.edges().len() {
                    return None;
                }
            }
            if count + open.len() > MAX_PATHS {
                return None;
            }
        }
    }
    let is_complete = cuts.contains(&error) && cuts.contains(&procedure.entry);
    is_complete.then_some(found)
}

/// One annotation in an arena.
struct Proof<'a> {
    program: &'a Program,
    terms: Terms,
    vocabulary: Vocabulary,
    claims: BTreeMap<Loc, Claim>,
    solvers: Z3,
}

impl<'a> Proof<'a> {
    fn new(program: &'a Program, imported: Imported) -> Self {
        let Imported { terms, vocabulary, claims, .. } = imported;
        let claims = claims.into_iter().map(|((_, location), claim)| (location, claim)).collect();
        let solvers = Z3::new(Z3Settings::default());
        Self { program, terms, vocabulary, claims, solvers }
    }

    fn initial(&mut self, entry: Loc) -> Opinion {
        let Claim { facts, never, .. } = self.claims[&entry].clone();
        let Some(facts) = facts else { return Opinion::Refuted("the entry is not reached".to_owned()) };
        if facts.iter().any(|(var, _)| self.program.vars[var].scalar().is_none()) {
            return Opinion::Refuted("arrays are known at the entry".to_owned());
        }
        let facts = self.facts(&facts);
        let broken = [self.terms.not(facts), never];
        let broken = self.terms.or(broken);
        let start = self.multiplied(&BTreeMap::new());
        let query = Substitution::new(start).apply(&mut self.terms, broken);
        self.ask(query, Precision::Exact, || "the invariant of the entry does not hold initially".to_owned())
    }

    fn excluded(&mut self, error: Loc) -> Opinion {
        let (invariant, precision) = self.hypothesis(error);
        self.ask(invariant, precision, || "the invariant of the error has a model".to_owned())
    }

    /// The facts of a location about scalar variables.
    fn facts(&mut self, facts: &State) -> TermId {
        let known: Vec<(VarId, Value)> =
            facts.iter().filter(|(var, _)| self.program.vars[*var].scalar().is_some()).collect();
        let mut parts = Vec::new();
        for (var, value) in known {
            if let Some(symbol) = self.vocabulary.symbol(var) {
                let term = self.terms.of_symbol(symbol);
                parts.push(allowed(&mut self.terms, term, value));
            }
        }
        self.terms.and(parts)
    }

    /// The products that have symbols, over the given values of variables.
    fn multiplied(&mut self, values: &BTreeMap<VarId, TermId>) -> Vec<(SymbolId, TermId)> {
        let products: Vec<(SymbolId, Vec<VarId>)> =
            self.vocabulary.products().map(|(symbol, factors)| (symbol, factors.to_vec())).collect();
        let mut pairs = Vec::new();
        for (symbol, factors) in products {
            let mut product = self.terms.int(1);
            for factor in factors {
                let Some(symbol) = self.vocabulary.symbol(factor) else { continue };
                let value = values.get(&factor).copied().unwrap_or_else(|| self.terms.of_symbol(symbol));
                product = self.terms.mul(product, value);
            }
            pairs.push((symbol, product));
        }
        pairs
    }

    /// The invariant of a location over its state. Where quantified symbols are not eliminated, some of its consequences take its place: the proof's own instances.
    fn hypothesis(&mut self, location: Loc) -> (TermId, Precision) {
        let Claim { facts, never, instances } = self.claims[&location].clone();
        let Some(facts) = facts else { return (Terms::FALSE, Precision::Exact) };
        let mut parts = vec![self.facts(&facts)];
        let symbols = self.terms.symbols_of(never);
        let is_plain = !symbols.iter().any(|symbol| self.vocabulary.is_free(*symbol));
        let instances = if is_plain { vec![Vec::new()] } else { instances };
        for instance in instances {
            // The symbols of an instance, and those that it leaves out, are arbitrary.
            let instance = Substitution::new(instance).apply(&mut self.terms, never);
            parts.push(self.terms.not(instance));
        }
        let invariant = self.terms.and(parts);
        let products = self.multiplied(&BTreeMap::new());
        let invariant = Substitution::new(products).apply(&mut self.terms, invariant);
        (invariant, if is_plain { Precision::Exact } else { Precision::RoundedUp })
    }

    fn preserved(&mut self, procedure: &Procedure, between: &Between) -> Opinion {
        let Some(facts) = self.claims[&between.source].facts.clone() else { return Opinion::Proof };
        let (start, known) = self.hypothesis(between.source);
        let mut path = Path::new(self.program, &self.vocabulary, &facts, &mut self.terms);
        if !between.edges.iter().all(|id| path.follow(&procedure.edges()[*id])) {
            return Opinion::Proof;
        }
        let Path { values, elements, written, conditions, mut precision, .. } = path;
        if known == Precision::RoundedUp {
            precision = known;
        }
        let Claim { facts: after, never, .. } = self.claims[&between.target].clone();
        let broken = match after {
            None => Terms::TRUE,
            Some(after) => {
                let arrays = self.arrays_broken(&facts, &after, &elements, &written);
                if arrays != Terms::FALSE {
                    // An element that was written may have been overwritten.
                    precision = Precision::RoundedUp;
                }
                let mut pairs = self.multiplied(&values);
                for (var, value) in &values {
                    pairs.extend(self.vocabulary.symbol(*var).map(|symbol| (symbol, *value)));
                }
                let scalars = self.facts(&after);
                let parts = [self.terms.not(scalars), never];
                let parts = self.terms.or(parts);
                let parts = Substitution::new(pairs).apply(&mut self.terms, parts);
                self.terms.or([parts, arrays])
            }
        };
        let query = self.terms.and(conditions.into_iter().chain([start, broken]));
        self.ask(query, precision, || {
            format!("a path from {} breaks the invariant of {}", between.source, between.target)
        })
    }

    /// That what is known of elements of arrays after a path does not hold.
    fn arrays_broken(
        &mut self,
        before: &State,
        after: &State,
        elements: &BTreeMap<VarId, Elements>,
        written: &[(VarId, TermId)],
    ) -> TermId {
        let mut parts = Vec::new();
        for (array, claimed) in after.iter().filter(|(var, _)| self.program.vars[*var].scalar().is_none()) {
            let rest = match elements.get(&array).copied().unwrap_or(Elements::Kept) {
                Elements::Kept => before.get(array).is_some_and(|known| claimed.includes(known)),
                Elements::Zero => claimed.contains(0),
                Elements::Arbitrary => false,
            };
            parts.push(if rest { Terms::FALSE } else { Terms::TRUE });
            for (_, value) in written.iter().filter(|(var, _)| *var == array) {
                let holds = allowed(&mut self.terms, *value, claimed);
                parts.push(self.terms.not(holds));
            }
        }
        self.terms.or(parts)
    }

    /// Whether a formula over the values at a location has no model.
    fn ask(&mut self, formula: TermId, precision: Precision, what: impl Fn() -> String) -> Opinion {
        let mut parts = vec![formula];
        for symbol in self.terms.symbols_of(formula) {
            let ty = self.vocabulary.var(symbol).and_then(|var| self.program.vars[var].scalar());
            if let Some(ty) = ty {
                let value = self.terms.of_symbol(symbol);
                parts.push(typed(&mut self.terms, value, ty));
            }
        }
        let query = self.terms.and(parts);
        let mut solver = self.solvers.z3_solver();
        match check_formula(&mut solver, &self.terms, query, &mut Budget::ticks(TICKS)) {
            Answer::Unsat(_) => Opinion::Proof,
            Answer::Sat(_) if precision == Precision::Exact => Opinion::Refuted(what()),
            Answer::Sat(_) => Opinion::Open("a path or an invariant is not expressed exactly"),
            Answer::Unknown(_) => Opinion::Open("the solver does not know"),
        }
    }
}
