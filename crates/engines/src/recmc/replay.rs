//! From a derivation of false to an execution.
//!
//! A derivation is a tree: what a clause follows from, and what its call returns. Read in the order of execution it says what the program chooses. The test runs
//! from the start of the prepared program, and a test that reaches the error is replayed on the program as given.

use std::collections::BTreeMap;

use base::{Budget, Region};
use cfa::ProcId;
use encode::Site;
use horn::Derivation;
use interp::{Choice, Config, Outcome, Request, Uninitialised, run_with};
use passes::Prepared;
use paths::on_original;
use verdict::{Reason, Rounded, Trace};

use super::clauses::Clauses;

/// Nothing larger is replayed: a derivation is a graph, and its tree may be exponential.
const MOST_STEPS: usize = 1 << 20;

/// What one clause chooses.
type Plan = (ProcId, BTreeMap<Site, i128>);

/// An execution of the program as given that a derivation describes; why there is none otherwise.
pub(super) fn replay(
    task: &Prepared<'_>,
    clauses: &Clauses,
    derivation: &Derivation,
    budget: &mut Budget,
) -> Result<Trace, Reason> {
    let order = in_order(derivation).ok_or(Reason::LongCounterexample { steps: MOST_STEPS })?;
    let mut plans: Vec<Plan> = order.into_iter().map(|step| plan(clauses, derivation, step)).collect();
    let mut at = 0;
    let mut oracle =
        |request: &Request<'_>| Some(Choice::Int(next(&mut plans, &mut at, request).unwrap_or(0)));
    let sink = &mut std::io::sink();
    let run = run_with(task.program(), Uninitialised::Choose, Config::default(), &mut oracle, sink, budget);
    let trace = match run.outcome {
        Outcome::Error { .. } => on_original(task, &run.choices, budget),
        _ => None,
    };
    trace.ok_or_else(|| Reason::Spurious { rounded: rounded(task, clauses, derivation) })
}

/// The steps of a derivation in the order of execution; nothing if there are too many.
fn in_order(derivation: &Derivation) -> Option<Vec<usize>> {
    let mut order = Vec::new();
    // A step comes after its premises: it is looked at twice.
    let mut open: Vec<(usize, Visit)> = vec![(derivation.steps.len().checked_sub(1)?, Visit::Before)];
    while let Some((step, visit)) = open.pop() {
        if visit == Visit::After {
            order.push(step);
            continue;
        }
        if open.len() + order.len() > MOST_STEPS {
            return None;
        }
        open.push((step, Visit::After));
        open.extend(derivation.steps[step].premises.iter().rev().map(|premise| (*premise, Visit::Before)));
    }
    Some(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Before,
    After,
}

fn plan(clauses: &Clauses, derivation: &Derivation, step: usize) -> Plan {
    let step = &derivation.steps[step];
    let taken = &clauses.taken[step.clause];
    let chosen = taken.skolems.iter().filter(|skolem| skolem.is_chosen_number());
    let values = chosen.filter_map(|skolem| Some((skolem.site, step.values.int(skolem.symbol).to_i128()?)));
    (taken.proc, values.collect())
}

/// What the first plan from a position on says that is about the operation. A clause executes an operation once: what it says is used up.
fn next(plans: &mut [Plan], at: &mut usize, request: &Request<'_>) -> Option<i128> {
    let position = request.at?;
    let site = Site::Operation { edge: position.edge, op: position.op as usize };
    let found =
        plans[*at..].iter().position(|(proc, plan)| *proc == position.proc && plan.contains_key(&site))?;
    *at += found;
    plans[*at].1.remove(&site)
}

/// What a spurious derivation rounds up.
fn rounded(task: &Prepared<'_>, clauses: &Clauses, derivation: &Derivation) -> Vec<Rounded> {
    let mut found: Vec<Rounded> = Vec::new();
    for step in &derivation.steps {
        let taken = &clauses.taken[step.clause];
        for skolem in &taken.skolems {
            let Some(what) = skolem.rounding().filter(|what| !is_effect_of_call(*what)) else { continue };
            let region = match skolem.site {
                Site::Operation { edge, op } => task.back().edge(taken.proc, edge).op(op),
                Site::Join { .. } => None,
            };
            let region = region.map_or(Region::NOWHERE, |(step, _)| {
                task.given().procs[step.proc].edges()[step.edge].origin.region
            });
            let rounded = Rounded { what, region };
            if !found.contains(&rounded) {
                found.push(rounded);
            }
        }
    }
    found
}

/// The clauses of the procedure say what a call does.
fn is_effect_of_call(what: encode::Rounding) -> bool {
    matches!(what, encode::Rounding::CallEffect | encode::Rounding::CallResult)
}
