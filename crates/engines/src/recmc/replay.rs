//! From a derivation of false to an execution.
//!
//! A derivation is a graph, and the tree of its steps is an execution: what a clause follows from, and what its call returns. The tree may be exponential in the size of the graph, so it is
//! never built: it is walked in the order of execution while the program runs, and says what the program chooses. The test runs
//! from the start of the prepared program, and a test that reaches the error is replayed on the program as given.
//!
//! # Cost
//! At most [`TICKS`] steps of the interpreter, and memory for at most [`MOST_INPUTS`] inputs.

use std::collections::BTreeMap;

use base::{Budget, Region, Stop};
use cfa::ProcId;
use encode::Site;
use horn::Derivation;
use interp::{Choice, Config, Outcome, Request, Uninitialised, run_with};
use passes::Prepared;
use paths::on_original;
use verdict::{Reason, Rounded, Trace};

use super::clauses::Clauses;

/// Executions with more inputs are not replayed: a trace has all of them.
const MOST_INPUTS: usize = 1 << 20;
/// Ticks of a replay: some seconds.
const TICKS: u64 = 1 << 28;
/// Steps of a replay that are worth a tick of an engine.
const STEPS_OF_A_TICK: u64 = 1 << 15;

/// An execution of the program as given that a derivation describes; why there is none otherwise.
pub(super) fn replay(
    task: &Prepared<'_>,
    clauses: &Clauses,
    derivation: &Derivation,
    budget: &mut Budget,
) -> Result<Trace, Reason> {
    let cancel = budget.cancel_flag().clone();
    let mut allowance = Budget::ticks(TICKS).with_deadline(budget.deadline()).with_cancel(cancel);
    let mut walk = Walk::new(clauses, derivation);
    let mut inputs = 0;
    let mut oracle = |request: &Request<'_>| {
        inputs += 1;
        (inputs <= MOST_INPUTS).then(|| Choice::Int(walk.next(request).unwrap_or(0)))
    };
    let sink = &mut std::io::sink();
    let run =
        run_with(task.program(), Uninitialised::Choose, Config::default(), &mut oracle, sink, &mut allowance);
    let trace = match run.outcome {
        Outcome::Error { .. } => on_original(task, &run.choices, &mut allowance).ok(),
        _ => None,
    };
    // If no tick is left, whoever asks for the next one is told.
    let _ = budget.charge(allowance.spent() / STEPS_OF_A_TICK);
    budget.poll().map_err(Reason::Stopped)?;
    let is_long = allowance.is_spent()
        || matches!(run.outcome, Outcome::OutOfInputs { .. } | Outcome::Stopped(Stop::Ticks));
    trace.ok_or_else(|| match task.kept_call().filter(|_| is_long) {
        Some(call) => Reason::LongCounterexample { region: task.region(call) },
        None => Reason::Spurious { rounded: rounded(task, clauses, derivation) },
    })
}

/// What one step chooses.
type Plan = BTreeMap<Site, i128>;

/// A position in the tree of a derivation.
struct Walk<'a> {
    clauses: &'a Clauses,
    derivation: &'a Derivation,
    /// Where values are chosen, with numbers.
    places: BTreeMap<(ProcId, Site), usize>,
    /// The numbers of the places of each step.
    own: Vec<Numbers>,
    /// The same with all that the step follows from.
    below: Vec<Numbers>,
    /// What is still to be carried out, the next step last.
    open: Vec<(usize, Visit)>,
    /// The procedure of the step at hand, and what it still chooses. A clause executes an operation once: what it says is used up.
    now: Option<(ProcId, Plan)>,
}

/// A step comes after its premises: it is looked at twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    /// The step and all that it follows from.
    Before,
    /// The step alone.
    After,
}

impl<'a> Walk<'a> {
    fn new(clauses: &'a Clauses, derivation: &'a Derivation) -> Self {
        let mut places = BTreeMap::new();
        let (mut own, mut below): (Vec<Numbers>, Vec<Numbers>) = (Vec::new(), Vec::new());
        for (index, step) in derivation.steps.iter().enumerate() {
            let mut numbers = Numbers::default();
            let (proc, plan) = plan(clauses, derivation, index);
            for site in plan.into_keys() {
                let next = places.len();
                numbers.insert(*places.entry((proc, site)).or_insert(next));
            }
            own.push(numbers.clone());
            for premise in &step.premises {
                numbers.extend(&below[*premise]);
            }
            below.push(numbers);
        }
        let open = derivation.steps.len().checked_sub(1).map(|last| (last, Visit::Before));
        Self { clauses, derivation, places, own, below, open: open.into_iter().collect(), now: None }
    }

    /// What the derivation says about the operation that asks: the step at hand, or the first one after it that says something.
    fn next(&mut self, request: &Request<'_>) -> Option<i128> {
        let position = request.at?;
        let site = Site::Operation { edge: position.edge, op: position.op as usize };
        if let Some((_, plan)) = self.now.as_mut().filter(|(proc, _)| *proc == position.proc)
            && let Some(value) = plan.remove(&site)
        {
            return Some(value);
        }
        let place = *self.places.get(&(position.proc, site))?;
        if !self.open.iter().rev().any(|(step, visit)| self.says(*step, *visit, place)) {
            return None;
        }
        while let Some((step, visit)) = self.open.pop() {
            if !self.says(step, visit, place) {
                continue;
            }
            if visit == Visit::After {
                let (proc, mut plan) = plan(self.clauses, self.derivation, step);
                let value = plan.remove(&site);
                self.now = Some((proc, plan));
                return value;
            }
            self.open.push((step, Visit::After));
            let premises = self.derivation.steps[step].premises.iter().rev();
            self.open.extend(premises.map(|premise| (*premise, Visit::Before)));
        }
        None
    }

    /// Whether what is to be carried out chooses a value at a place.
    fn says(&self, step: usize, visit: Visit, place: usize) -> bool {
        match visit {
            Visit::Before => self.below[step].contains(place),
            Visit::After => self.own[step].contains(place),
        }
    }
}

/// A set of small numbers.
#[derive(Clone, Default)]
struct Numbers(Vec<u64>);

impl Numbers {
    fn insert(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    fn extend(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }
}

/// What a step chooses, and in which procedure.
fn plan(clauses: &Clauses, derivation: &Derivation, step: usize) -> (ProcId, Plan) {
    let step = &derivation.steps[step];
    let taken = &clauses.taken[step.clause];
    let chosen = taken.skolems.iter().filter(|skolem| skolem.is_chosen_number());
    let values = chosen.filter_map(|skolem| Some((skolem.site, step.values.int(skolem.symbol).to_i128()?)));
    (taken.proc, values.collect())
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
