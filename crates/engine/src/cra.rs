//! Proves a program by the summary of all paths from its entry alone.
//!
//! # Paper
//! [Gps25] §7 (RQ 2): compositional recurrence analysis as a prover of its own. If no state at the entry satisfies the summary of all paths to
//! the error, the program is safe; otherwise nothing is known.
//!
//! # Invariants
//! * I1: safe comes with the annotation `Inv(l) = facts(l) ∧ ¬R(l)` at all cut points; T2 of `summary::target` says why it is inductive, and
//!   the checker does not have to believe it.

use std::collections::BTreeMap;
use std::rc::Rc;

use cfa::{Loc, Op, Program};
use encode::Skolem;
use smt::{Answer, Why, Z3, Z3Settings, check_formula};
use summary::{Graph, StarOptions, Starrer, Summaries};
use term::Terms;
use witness::{Annotation, Invariant, Proof, Reason, Verdict};

use crate::{Engine, Env};

/// A fresh engine.
pub(crate) fn create() -> Box<dyn Engine> {
    Box::new(Cra)
}

struct Cra;

impl Engine for Cra {
    fn solve(self: Box<Self>, program: &Program, env: &mut Env) -> Verdict {
        prove(program, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn prove(program: &Program, env: &mut Env) -> Result<Verdict, Reason> {
    let prepared = witness::prepare(program);
    for edge in prepared.procs[prepared.entry].edges() {
        if edge.ops.iter().any(|op| matches!(op, Op::Call { .. })) {
            let feature = "recursion, or more code than is inlined".to_owned();
            return Err(Reason::Unsupported { feature, region: edge.origin.region });
        }
    }
    let mut terms = Terms::new();
    let solvers = Z3::new(Z3Settings::default());
    let graph = Graph::new(&prepared, &mut terms, &mut env.budget).map_err(Reason::Stopped)?;
    let mut starrer = Starrer::new(solvers.clone(), StarOptions::default());
    let summaries =
        Summaries::new(&graph, &mut terms, &mut starrer, &mut env.budget).map_err(Reason::Stopped)?;
    let mut solver = solvers.z3_solver();
    let root = summaries.root().get().formula;
    match check_formula(&mut solver, &terms, root, &mut env.budget) {
        Answer::Unsat(_) => {}
        Answer::Sat(_) => {
            let what =
                "the summary of all paths does not exclude the error; it takes a search to decide".to_owned();
            return Err(Reason::Inconclusive { what });
        }
        Answer::Unknown(Why::Stopped(stop)) => return Err(Reason::Stopped(stop)),
        Answer::Unknown(why) => return Err(Reason::SolverGaveUp { why: why.to_string() }),
    }
    let mut invariants = BTreeMap::new();
    for (id, point) in graph.points.iter_enumerated() {
        let reach = summaries.reach(id).get();
        let instances = reach.instances.clone();
        invariants.insert(
            point.location,
            Invariant { known: Some(point.known.clone()), bad: reach.formula, instances },
        );
    }
    for location in &graph.unreachable {
        let never = Invariant { known: None, bad: Terms::FALSE, instances: Vec::new() };
        invariants.insert(*location, never);
    }
    let mut choices: BTreeMap<Loc, Vec<Skolem>> = BTreeMap::new();
    for arc in &graph.arcs {
        let known = choices.entry(graph.points[arc.source].location).or_default();
        known
            .extend(arc.skolems.iter().filter(|skolem| !known.contains(skolem)).cloned().collect::<Vec<_>>());
    }
    let annotation = Annotation::new(terms, graph.vocabulary, invariants, choices);
    Ok(Verdict::Safe(Proof::Annotation(Rc::new(annotation))))
}

#[cfg(test)]
mod tests {
    use base::Budget;
    use witness::certify;

    use super::*;

    fn verdict(overflow: &str) -> Verdict {
        let text = format!(
            "program LP64 overflow={overflow} start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  local x : i32\n  entry l0\n\
             exit l1\n  l0 -> l1 : havoc x input \"nondet\" at @f0:1:1-1:2 ; x := x + 1:i32\n}}\n"
        );
        let program = cfa::text::parse("test.cfa", &text).unwrap();
        let mut env = Env { budget: Budget::unlimited() };
        let verdict = create().solve(&program, &mut env);
        certify(&program, verdict, &mut Budget::unlimited()).verdict().clone()
    }

    #[test]
    fn an_overflow_that_is_the_violation_is_not_proved_absent() {
        assert!(matches!(verdict("error"), Verdict::Unknown(_)));
        assert!(matches!(verdict("undefined"), Verdict::Safe(_)));
    }
}
