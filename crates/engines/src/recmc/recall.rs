//! What earlier runs have found out about procedures, as candidates for this one.
//!
//! A solution says something of each procedure: its contract, and what holds at its loops and calls. They are kept under the name and the signature of the procedure, together with its form: its automaton, without numbers and places. After a change elsewhere the form is
//! the same; after a change of the procedure itself, what was found out about it may still hold. Both are candidates: crate horn keeps the largest part that is inductive.
//!
//! # Invariants
//! * I1: nothing that is recalled is trusted: what does not fit the clauses is left out here, what is not inductive is left out by the search, and the proof is certified as any other.
//! * I2: keys do not depend on the order of procedures and variables, or on places in the source.
//!
//! # Cost
//! That of printing the procedures. The search asks one question for each clause if everything still holds.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cfa::text::print_alone;
use cfa::{Op, ProcId, Program, VarId};
use engine::{ContractStore, Counter, Events, Identity, Version};
use horn::{Candidates, Definition, PredicateId, Solution};
use passes::Prepared;
use smt::{Answer, Logic, SolverFactory};
use term::{Node, Substitution, TermId, Terms};
use values::state::State;
use verdict::{Annotation, Claim, contract};

use super::clauses::{Clauses, Point};

/// More facts of a predicate are not looked at.
const MAX_FACTS: usize = 256;

/// What is known of the procedures of a program from earlier runs.
pub(super) struct Recalled {
    identities: BTreeMap<ProcId, Identity>,
    procs: BTreeMap<ProcId, Earlier>,
}

/// What was found out about a procedure.
struct Earlier {
    version: Version,
    facts: Vec<(PredicateId, TermId)>,
    /// Whether all of it is about this version's variables and locations.
    fits: bool,
}

impl Recalled {
    /// Asks for all procedures that matter, and adds what fits to the candidates.
    pub(super) fn new(
        task: &Prepared<'_>,
        clauses: &mut Clauses,
        store: &dyn ContractStore,
        terms: &mut Terms,
        candidates: &mut Candidates,
    ) -> Self {
        let plain = task.program().without_positions();
        let meaning = meaning(task.given());
        let mut recalled = Self { identities: BTreeMap::new(), procs: BTreeMap::new() };
        for proc in clauses.procs.clone() {
            let identity = identity(&plain, &meaning, clauses, proc);
            if let Some((version, text)) = store.recall(&identity)
                && let Some(earlier) = earlier(task.program(), proc, version, &text, clauses, terms)
            {
                for (predicate, fact) in &earlier.facts {
                    candidates.add_earlier(terms, *predicate, *fact);
                }
                recalled.procs.insert(proc, earlier);
            }
            recalled.identities.insert(proc, identity);
        }
        recalled
    }

    /// Tells a store what a solution says of each procedure.
    pub(super) fn learn(
        &self,
        task: &Prepared<'_>,
        clauses: &Clauses,
        solution: &Solution,
        store: &dyn ContractStore,
        terms: &mut Terms,
    ) {
        let mut claims: BTreeMap<ProcId, BTreeMap<_, Claim>> = BTreeMap::new();
        for ((proc, location), point) in &clauses.points {
            let of_proc = claims.entry(*proc).or_default();
            let Some(holds) = said(clauses, point, solution, terms) else { continue };
            if holds != Terms::TRUE {
                let never = terms.not(holds);
                let claim = Claim { facts: Some(State::new()), never, instances: Vec::new() };
                of_proc.insert((*proc, *location), claim);
            }
        }
        for (proc, identity) in &self.identities {
            let claims = claims.remove(proc).unwrap_or_default();
            let annotation = Annotation::of_all(terms, &clauses.vocabulary, &claims, &BTreeMap::new());
            store.learn(identity, contract::write(task.program(), *proc, &annotation));
        }
    }

    /// Says how much of it is part of a solution.
    pub(super) fn report(&self, solution: &Solution, logic: &mut Logic, events: &dyn Events) {
        let (mut holding, mut same) = (0, 0);
        for earlier in self.procs.values() {
            if earlier.fits && earlier.facts.iter().all(|fact| follows(solution, *fact, logic)) {
                holding += 1;
                same += u64::from(earlier.version == Version::Same);
            }
        }
        events.total(Counter::ContractsRecalled, holding);
        events.total(Counter::ProceduresProved, self.identities.len() as u64 - same);
    }
}

/// What a solution says at a point, about the values at the entry and the variables.
pub(super) fn said(
    clauses: &Clauses,
    point: &Point,
    solution: &Solution,
    terms: &mut Terms,
) -> Option<TermId> {
    let Definition::Formula(formula) = solution.definitions[point.predicate] else { return None };
    let formals = clauses.system.predicates[point.predicate].formals.iter().copied();
    let arguments: Vec<_> = point.arguments.iter().map(|symbol| terms.of_symbol(*symbol)).collect();
    Some(Substitution::new(formals.zip(arguments)).apply(terms, formula))
}

/// Whether a fact is part of a solution, or follows from it.
fn follows(solution: &Solution, (predicate, fact): (PredicateId, TermId), logic: &mut Logic) -> bool {
    // What is defined by its clauses says all that is known.
    let Definition::Formula(formula) = solution.definitions[predicate] else { return true };
    if logic.terms.conjuncts(formula).contains(&fact) {
        return true;
    }
    let negation = logic.terms.not(fact);
    let question = logic.terms.and([formula, negation]);
    let answer = smt::check_formula(&mut *logic.solvers.solver(), &logic.terms, question, &mut logic.budget);
    matches!(answer, Answer::Unsat(_))
}

/// What a text says of a procedure, as far as it fits the clauses; nothing if it is none (I1).
fn earlier(
    program: &Program,
    proc: ProcId,
    version: Version,
    text: &str,
    clauses: &mut Clauses,
    terms: &mut Terms,
) -> Option<Earlier> {
    let annotation = contract::read(text, program, proc)?;
    let (claims, _) = verdict::import_into(program, terms, &mut clauses.vocabulary, &annotation).ok()?;
    let mut earlier = Earlier { version, facts: Vec::new(), fits: true };
    for (place, claim) in claims {
        let Some(point) = clauses.points.get(&place) else {
            earlier.fits = false;
            continue;
        };
        let formals = &clauses.system.predicates[point.predicate].formals;
        let values: Vec<TermId> = formals.iter().map(|formal| terms.of_symbol(*formal)).collect();
        let holds = terms.not(claim.never);
        let pairs = point.arguments.iter().copied().zip(values);
        let holds = Substitution::new(pairs).apply(terms, holds);
        let facts = terms.conjuncts(holds);
        earlier.fits &= facts.len() <= MAX_FACTS;
        for fact in facts.into_iter().take(MAX_FACTS) {
            if is_linear(terms, fact) && terms.symbols_of(fact).iter().all(|symbol| formals.contains(symbol))
            {
                earlier.facts.push((point.predicate, fact));
            } else {
                earlier.fits = false;
            }
        }
    }
    Some(earlier)
}

/// Whether a formula has no products and no arrays: the engine makes none.
fn is_linear(terms: &Terms, formula: TermId) -> bool {
    let is_other = |term: &TermId| {
        matches!(
            terms.node(*term),
            Node::Product(_)
                | Node::Same(..)
                | Node::Select(..)
                | Node::Store(..)
                | Node::ConstArray(_)
                | Node::BvNumber(..)
                | Node::Bv(..)
        )
    };
    !terms.reachable(&[formula]).iter().any(is_other)
}

/// What a procedure of a program without positions is recognised by.
fn identity(program: &Program, meaning: &str, clauses: &Clauses, proc: ProcId) -> Identity {
    let mut form = format!("{meaning}\n{}", print_alone(program, proc));
    let exit = clauses.points.get(&(proc, program.procs[proc].exit));
    for symbol in exit.iter().flat_map(|point| &point.arguments) {
        if let Some(var) = clauses.vocabulary.at_entry(*symbol) {
            let _ = writeln!(form, "reads {}", typed(program, var));
        } else if let Some(var) = clauses.vocabulary.var(*symbol) {
            let _ = writeln!(form, "writes {}", typed(program, var));
        }
    }
    let ops = program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
    for target in ops.flat_map(Op::call_targets) {
        let _ = writeln!(form, "calls {}", signature(program, *target));
    }
    Identity { signature: format!("{meaning}\n{}", signature(program, proc)), form }
}

/// What operations mean in a program as it is given, and what is a violation.
fn meaning(program: &Program) -> String {
    let kinds: Vec<&str> = program.checks.iter().map(cfa::CheckKind::code).collect();
    format!("{} {:?} {}", program.data_model, program.signed_overflow, kinds.join(" "))
}

/// The name of a procedure with the types of its parameters and results.
fn signature(program: &Program, proc: ProcId) -> String {
    let procedure = &program.procs[proc];
    let types = |vars: &[VarId]| {
        let words: Vec<String> =
            vars.iter().filter_map(|var| Some(program.vars[*var].scalar()?.to_string())).collect();
        words.join(", ")
    };
    format!("{}({}) -> ({})", procedure.name, types(&procedure.params), types(&procedure.results))
}

fn typed(program: &Program, var: VarId) -> String {
    let info = &program.vars[var];
    let ty = info.scalar().map(|ty| ty.to_string()).unwrap_or_default();
    format!("{} {ty}", info.name)
}
