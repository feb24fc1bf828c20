//! Recursion and procedures: bounded safety by summary facts and reachability facts.
//!
//! # Paper
//! [Recmc14]. The rules are in [`horn::recmc`], on Horn clauses: figures 1 and 5 are its main loop, figure 6 its rules SUM, REACH and QUERY. Here a program becomes clauses ([`clauses`]), a solution
//! becomes contracts and invariants, and a derivation of false becomes inputs.
//!
//! # Invariants
//! * I1: safe comes with an annotation of all procedures that matter; the checker of crate certify proves it again.
//! * I2: unsafe comes with a trace that was replayed on the program as given.
//!
//! # Cost
//! That of the rules: for programs with finitely many states polynomial in the number of procedures ([Recmc14] theorem 3), whereas inlining is exponential.

mod activations;
mod clauses;
mod recall;
mod replay;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{IndexVec, timeline};
use cfa::{Loc, ProcId};
use engine::{Counter, Engine, Env, Events};
use horn::{Answer, Solution};
use passes::Prepared;
use smt::Logic;
use term::{SymbolId, Terms};
use verdict::{Annotation, Claim, Proof, Reason, Verdict};

use crate::problem::stays;
use clauses::{Clauses, Variables, clauses};
use recall::{Recalled, said};

/// The engine.
pub(crate) struct Recmc;

impl Engine for Recmc {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        decide(task, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn decide(task: &Prepared<'_>, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    let logic = &mut env.logic;
    // An error inside of a procedure moves to the entry; where it does not, a call may never return.
    if let Some(call) = task.failing_call(|_| false) {
        return Err(stays(task, call));
    }
    let mut clauses = {
        let _stage = timeline::stage("encoding");
        clauses(task, Variables::Scalars, &mut logic.terms, &mut logic.budget).map_err(Reason::Stopped)?
    };
    let annotated = annotated(task, &clauses, &logic.terms);
    let mut kept = IndexVec::filled(false, clauses.system.predicates.len());
    for (place, point) in &clauses.points {
        kept[point.predicate] = annotated.contains(place);
    }
    let mut candidates = {
        let _stage = timeline::stage("activations");
        let is_kept = |proc, location| annotated.contains(&(proc, location));
        activations::candidates(task.program(), &clauses, is_kept, &mut logic.budget)
    };
    let recalled = env
        .contracts
        .map(|store| (store, Recalled::new(task, &mut clauses, store, &mut logic.terms, &mut candidates)));
    let (answer, statistics) = horn::search(
        &mut logic.terms,
        &clauses.system,
        &|predicate| kept[predicate],
        &candidates,
        &logic.solvers,
        &mut logic.budget,
    );
    report(&statistics, logic, env.events);
    match answer {
        Answer::Sat(solution) => {
            if let Some((store, recalled)) = recalled {
                recalled.report(&solution, logic, env.events);
                recalled.learn(task, &clauses, &solution, store, &mut logic.terms);
            }
            Ok(Verdict::Safe(proof(task, &clauses, &annotated, &solution, &mut logic.terms)))
        }
        Answer::Unsat(derivation) => {
            replay::replay(task, &clauses, &derivation, &mut logic.budget).map(Verdict::Unsafe)
        }
        Answer::Unknown(reason) => Err(unknown(reason)),
    }
}

/// How the text of [`clauses_text`] starts.
pub const CLAUSES_HEAD: &str = "; Wayproof: a C program as Horn clauses.";

/// A prepared program as Horn clauses for other solvers, in SMT-LIB.
pub fn clauses_text(task: &Prepared<'_>, logic: &mut Logic) -> Result<String, Reason> {
    if let Some(call) = task.failing_call(|_| false) {
        return Err(stays(task, call));
    }
    let clauses =
        clauses(task, Variables::All, &mut logic.terms, &mut logic.budget).map_err(Reason::Stopped)?;
    let text = horn::print::system(&logic.terms, &clauses.system);
    Ok(format!(
        "{CLAUSES_HEAD}\n; sat: the property holds. unsat: it may be violated; the clauses over-approximate what the program does.\n{text}"
    ))
}

fn report(done: &horn::recmc::Statistics, logic: &Logic, events: &dyn Events) {
    let totals = [
        (Counter::Height, u64::from(done.height)),
        (Counter::BoundedQueries, done.queries),
        (Counter::SummaryFacts, done.summary_facts),
        (Counter::ReachabilityFacts, done.reach_facts),
        (Counter::SolverQueries, logic.solvers.statistics().queries),
    ];
    for (counter, total) in totals {
        events.total(counter, total);
    }
}

fn unknown(reason: horn::Reason) -> Reason {
    match reason {
        horn::Reason::Stopped(stop) => Reason::Stopped(stop),
        horn::Reason::NotLinear => Reason::NotInterpolated,
        other => Reason::SolverGaveUp { why: other.to_string() },
    }
}

/// A solution as invariants of loop heads and contracts of procedures.
fn proof(
    task: &Prepared<'_>,
    clauses: &Clauses,
    annotated: &BTreeSet<(ProcId, Loc)>,
    solution: &Solution,
    terms: &mut Terms,
) -> Proof {
    let program = task.program();
    let mut claims = BTreeMap::new();
    for ((proc, location), known) in clauses.known.iter().filter(|(place, _)| annotated.contains(place)) {
        let procedure = &program.procs[*proc];
        let is_error = Some(*location) == procedure.error;
        let is_exit = *location == procedure.exit && *proc != program.entry;
        let never = match clauses.points.get(&(*proc, *location)) {
            Some(point) => {
                let Some(holds) = said(clauses, point, solution, terms) else { continue };
                terms.not(holds)
            }
            None if is_error || is_exit => Terms::TRUE,
            // An entry: the values at the entry are those of the variables.
            None => {
                let entered = clauses.entered_at(*proc, terms);
                terms.not(entered)
            }
        };
        claims.insert((*proc, *location), Claim { facts: known.clone(), never, instances: vec![Vec::new()] });
    }
    Proof::Annotation(Arc::new(Annotation::of_all(terms, &clauses.vocabulary, &claims, &BTreeMap::new())))
}

/// The locations that a proof speaks of: ends of procedures, heads of loops, and those after which products of variables matter. Where calls begin and end, contracts mostly say
/// all that is needed. But what is known of a product of variables is not known of a product of results: within one piece, less would be proved than the clauses say.
fn annotated(task: &Prepared<'_>, clauses: &Clauses, terms: &Terms) -> BTreeSet<(ProcId, Loc)> {
    let is_product = |symbol: &SymbolId| clauses.vocabulary.factors(*symbol).is_some();
    let mut multiplying = IndexVec::filled(false, clauses.system.predicates.len());
    for clause in &clauses.system.clauses {
        if let Some(from) = clause.body.first() {
            multiplying[from.predicate] |= terms.symbols_of(clause.constraint).iter().any(is_product);
        }
    }
    let is_annotated = |place: &(ProcId, Loc)| {
        let (proc, location) = *place;
        let procedure = &task.program().procs[proc];
        location == procedure.entry
            || location == procedure.exit
            || Some(location) == procedure.error
            || task.loops(proc).is_header(location)
            || clauses.points.get(place).is_some_and(|point| multiplying[point.predicate])
    };
    clauses.known.keys().copied().filter(is_annotated).collect()
}
