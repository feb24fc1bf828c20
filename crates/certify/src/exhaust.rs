//! Carrying out all executions of a program whose inputs have few values that matter.
//!
//! Each choice of an execution has a list of values that stand for all others ([`values::representatives`]), so a depth-first walk over the lists carries out all executions that matter.
//!
//! Values that the C library computes are not enumerated: the program does not say everything that such a call may do.
//!
//! # Invariants
//! * X1: for every execution of the program, [`exhaust`] has carried out one that takes the same steps except for inputs that are not read any more, or it gives up.
//! * X2: the walk is deterministic: the same program and limits, the same answer.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Budget, Region};
use cfa::{CheckKind, Freedom, Op, Place, Program, Source, Ty};
use interp::{
    Choice, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Request, Silent, UndefinedKind,
    Uninitialised,
};

use values::representatives::{MOST_VALUES, representatives};
use verdict::Trace;

/// The most executions of a program with several inputs that are carried out without an estimate of their number.
const UNESTIMATED: u64 = 1 << 14;
/// An input with more values than this has to be the only one: its values are the executions.
pub const FEW_VALUES: usize = 512;

/// What all executions of a program do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exhaustion {
    /// None reaches the error.
    Safe {
        /// How many were carried out.
        executions: u64,
        /// Where some of them end in undefined behaviour, and in which.
        undefined: BTreeMap<Region, UndefinedKind>,
    },
    /// This one does.
    Violated(Trace),
    /// There are too many, or one of them cannot be carried out.
    Open,
    /// The budget has ended before all were carried out.
    TooLong,
}

/// Carries out all executions, if there are few: at most `most`, or [`UNESTIMATED`] if that is more. Where one input alone matters, it may have up to `most` values.
pub fn exhaust(program: &Program, most: usize, budget: &mut Budget) -> Exhaustion {
    let options = CompileOptions { uninitialised: Uninitialised::Report, markers: Markers::Heads };
    let code = Code::new(program, options);
    let mut lists = Lists { program, most: most.min(MOST_VALUES), known: BTreeMap::new() };
    let most_executions = UNESTIMATED.max(lists.most as u64);
    let mut walk: Vec<(Rc<[i128]>, usize)> = Vec::new();
    let (mut executions, mut undefined) = (0, BTreeMap::new());
    loop {
        let (mut position, mut is_open) = (0, false);
        // Each other value of a choice is another execution.
        let mut others = walk.iter().filter(|(values, _)| values.len() > 1).count() as u64;
        let mut oracle = |request: &Request<'_>| {
            if position == walk.len() {
                let is_alone = |values: &Rc<[i128]>| values.len() <= FEW_VALUES || others == 0;
                let may_follow = |values: &Rc<[i128]>| values.len() == 1 || !has_long(&walk);
                let values = lists.of(request).filter(|_| others < most_executions);
                let Some(values) = values.filter(is_alone).filter(may_follow) else {
                    is_open = true;
                    return None;
                };
                others += u64::from(values.len() > 1);
                walk.push((values, 0));
            }
            let (values, at) = &walk[position];
            position += 1;
            Some(Choice::Int(values[*at]))
        };
        let mut machine = Machine::new(program, &code, Config::default());
        let run = Leaper::new().run(&mut machine, &mut oracle, &mut Silent, &mut std::io::sink(), budget);
        executions += 1;
        match run.outcome {
            _ if is_open || (executions > most_executions && !has_long(&walk)) => return Exhaustion::Open,
            Outcome::Error { .. } => {
                return Trace::of(run).map_or(Exhaustion::Open, Exhaustion::Violated);
            }
            Outcome::Returned | Outcome::Exit { .. } | Outcome::Halted { .. } | Outcome::Blocked { .. } => {}
            Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. }
                if !program.is_violation(CheckKind::Uninitialised) =>
            {
                return Exhaustion::Open;
            }
            Outcome::Undefined { kind, region, .. } => {
                undefined.insert(region, kind);
            }
            // Of so many executions the rest takes longer than any other way.
            Outcome::Stopped(_) if has_long(&walk) => return Exhaustion::Open,
            Outcome::Stopped(_) => return Exhaustion::TooLong,
            Outcome::OutOfInputs { .. } | Outcome::Resource { .. } | Outcome::Unsupported { .. } => {
                return Exhaustion::Open;
            }
        }
        walk.truncate(position);
        if !advance(&mut walk) {
            return Exhaustion::Safe { executions, undefined };
        }
        if executions == UNESTIMATED && !has_long(&walk) && estimate(&walk, executions) > most_executions {
            return Exhaustion::Open;
        }
    }
}

/// Goes on to the next execution; returns whether there is one.
fn advance(walk: &mut Vec<(Rc<[i128]>, usize)>) -> bool {
    while walk.last().is_some_and(|(values, at)| at + 1 == values.len()) {
        walk.pop();
    }
    let Some((_, at)) = walk.last_mut() else { return false };
    *at += 1;
    true
}

/// How many executions there are, if the choices that are left have as many values as those so far: `executions` of them come before this one.
///
/// The part of the tree of choices that the walk has left behind is the sum of (values tried) / (product of the numbers of values down to this choice).
fn estimate(walk: &[(Rc<[i128]>, usize)], executions: u64) -> u64 {
    let (mut behind, mut ways) = (0_u64, 1_u64);
    for (values, at) in walk {
        let Some(more) = ways.checked_mul(values.len() as u64) else { break };
        let (parts, scale) = (behind.saturating_mul(values.len() as u64), *at as u64);
        (behind, ways) = (parts.saturating_add(scale), more);
    }
    (u128::from(executions) * u128::from(ways))
        .div_ceil(u128::from(behind.max(1)))
        .try_into()
        .unwrap_or(u64::MAX)
}

/// Whether a choice has so many values that there is no other.
fn has_long(walk: &[(Rc<[i128]>, usize)]) -> bool {
    walk.iter().any(|(values, _)| values.len() > FEW_VALUES)
}

/// The lists of values of all inputs, by what asks for them.
struct Lists<'a> {
    program: &'a Program,
    most: usize,
    known: BTreeMap<(Region, String), Option<Rc<[i128]>>>,
}

impl Lists<'_> {
    /// The values that have to be tried; `None` if there are too many.
    fn of(&mut self, request: &Request<'_>) -> Option<Rc<[i128]>> {
        let is_enumerable = match request.source {
            Source::Uninitialised
            | Source::Rounded
            | Source::Outside
            | Source::Guess(_)
            | Source::Library { freedom: Freedom::Determined, .. } => false,
            Source::Input { .. }
            | Source::Extern { .. }
            | Source::Library { .. }
            | Source::Argument { .. }
            | Source::Global { .. } => matches!(request.ty, Ty::Int { .. }),
        };
        if !is_enumerable || request.region.is_nowhere() {
            return None;
        }
        let key = (request.region, format!("{:?}", request.source));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let list = self.compute(request);
        self.known.insert(key, list.clone());
        list
    }

    /// The values of all operations that ask like that.
    fn compute(&self, request: &Request<'_>) -> Option<Rc<[i128]>> {
        let mut values = BTreeSet::new();
        let mut count = 0;
        for (proc, procedure) in self.program.procs.iter_enumerated() {
            for edge in procedure.edges() {
                for (position, op) in edge.ops.iter().enumerate() {
                    let Op::Havoc { place, source, at } = op else { continue };
                    let at = if at.is_nowhere() { edge.origin.region } else { *at };
                    if source != request.source || at != request.region {
                        continue;
                    }
                    let Place::Var(var) = *place else { return None };
                    if position + 1 != edge.ops.len() || self.program.vars[var].scalar() != Some(request.ty) {
                        return None;
                    }
                    count += 1;
                    values.extend(representatives(self.program, (proc, edge.target), var, request.ty)?);
                }
            }
        }
        (count > 0 && values.len() <= self.most).then(|| values.into_iter().collect())
    }
}
