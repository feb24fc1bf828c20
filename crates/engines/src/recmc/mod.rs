//! Recursion and procedures: bounded safety by summary facts and reachability facts.
//!
//! # Paper
//! [Recmc14]. The rules are in [`horn::recmc`], on Horn clauses: figure 5 is its main loop, figure 6 its rules SUM, REACH and QUERY. Here a program becomes clauses ([`clauses`]), a solution
//! becomes contracts and invariants, and a derivation of false becomes inputs.
//!
//! # Invariants
//! * I1: safe comes with an annotation of all procedures that matter; the checker of crate certify proves it again.
//! * I2: unsafe comes with a trace that was replayed on the program as given.
//!
//! # Cost
//! That of the rules: for programs with finitely many states polynomial in the number of procedures ([Recmc14] theorem 3), whereas inlining is exponential.

mod clauses;
mod replay;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::timeline;
use cfa::Loc;
use engine::{Engine, Env};
use horn::{Answer, Definition, Solution};
use passes::Prepared;
use smt::Logic;
use term::{Substitution, Terms};
use verdict::{Annotation, Claim, Proof, Reason, Verdict};

use crate::problem::stays;
use clauses::{Clauses, clauses};

/// The engine.
pub(crate) struct Recmc;

impl Engine for Recmc {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        decide(task, &mut env.logic).unwrap_or_else(Verdict::Unknown)
    }
}

fn decide(task: &Prepared<'_>, logic: &mut Logic) -> Result<Verdict, Reason> {
    // An error inside of a procedure moves to the entry; where it does not, a call may never return.
    if let Some(call) = task.failing_call(|_| false) {
        return Err(stays(task, call));
    }
    let clauses = {
        let _stage = timeline::stage("encoding");
        clauses(task, &mut logic.terms, &mut logic.budget).map_err(Reason::Stopped)?
    };
    let (answer, _) =
        horn::recmc::search(&mut logic.terms, &clauses.system, &logic.solvers, &mut logic.budget);
    match answer {
        Answer::Sat(solution) => Ok(Verdict::Safe(proof(task, &clauses, &solution, &mut logic.terms))),
        Answer::Unsat(derivation) => match replay::replay(task, &clauses, &derivation, &mut logic.budget) {
            Some(trace) => Ok(Verdict::Unsafe(trace)),
            None => Err(Reason::Spurious { rounded: replay::rounded(task, &clauses, &derivation) }),
        },
        Answer::Unknown(reason) => Err(unknown(reason)),
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
fn proof(task: &Prepared<'_>, clauses: &Clauses, solution: &Solution, terms: &mut Terms) -> Proof {
    let program = task.program();
    let mut claims = BTreeMap::new();
    for ((proc, location), known) in &clauses.known {
        let procedure = &program.procs[*proc];
        let is_error = Some(*location) == procedure.error;
        let is_exit = *location == procedure.exit && *proc != program.entry;
        let never = match clauses.points.get(&(*proc, *location)) {
            Some(point) => {
                let Definition::Formula(formula) = solution.definitions[point.predicate] else { continue };
                let formals = clauses.system.predicates[point.predicate].formals.iter().copied();
                let arguments: Vec<_> =
                    point.arguments.iter().map(|symbol| terms.of_symbol(*symbol)).collect();
                let holds = Substitution::new(formals.zip(arguments)).apply(terms, formula);
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
    remove_call_points(task, &mut claims);
    Proof::Annotation(Arc::new(Annotation::of_all(terms, &clauses.vocabulary, &claims, &BTreeMap::new())))
}

/// Where calls begin and end, contracts say all that is needed.
fn remove_call_points(task: &Prepared<'_>, claims: &mut BTreeMap<(cfa::ProcId, Loc), Claim>) {
    let program = task.program();
    claims.retain(|(proc, location), _| {
        let procedure = &program.procs[*proc];
        *location == procedure.entry
            || *location == procedure.exit
            || Some(*location) == procedure.error
            || task.loops(*proc).is_header(*location)
    });
}
