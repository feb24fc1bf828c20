//! Carrying out all executions of a program whose inputs have few values that matter.
//!
//! An input is followed from where it is chosen through the conditions that look at nothing else, as `if (n < 2 || n > 4) return 0;` does. That splits its
//! values into intervals; all values of an interval take the same way. If nothing reads the input after that way, one value stands for the
//! interval; otherwise every value of it is tried. Each choice of an execution has such a list of values, so a depth-first walk over the lists carries out
//! all executions that matter.
//!
//! Values that the C library computes are not enumerated: the program does not say everything that such a call may do.
//!
//! # Invariants
//! * X1: for every execution of the program, [`exhaust`] has carried out one that takes the same steps except for inputs that are not read any more, or it gives up.
//! * X2: conditions are decided for whole intervals only where [`values::total`] knows the value of the condition for all of it.
//! * X3: the walk is deterministic: the same program and limits, the same answer.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Budget, Region};
use cfa::{
    CheckKind, EdgeId, Expr, ExprId, Freedom, Loc, Op, Place, ProcId, Procedure, Program, Source, Ty, VarId,
};
use interp::{
    Choice, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Request, Silent, UndefinedKind,
    Uninitialised,
};

use values::total::{Intervals, any_below, interval, mentions};
use verdict::Trace;

/// The most values of one input that are tried.
const MOST_VALUES: usize = 512;
/// The most intervals into which the values of one input are split.
const MOST_INTERVALS: usize = 4096;
/// The most steps along which an input is followed.
const MOST_STEPS: usize = 256;
/// The most executions.
const MOST_EXECUTIONS: u64 = 1 << 14;

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

/// Carries out all executions, if there are few.
pub fn exhaust(program: &Program, budget: &mut Budget) -> Exhaustion {
    let options = CompileOptions { uninitialised: Uninitialised::Report, markers: Markers::Heads };
    let code = Code::new(program, options);
    let mut lists = Lists { program, known: BTreeMap::new() };
    let mut walk: Vec<(Rc<[i128]>, usize)> = Vec::new();
    let (mut executions, mut undefined) = (0, BTreeMap::new());
    loop {
        let (mut position, mut is_open) = (0, false);
        // Each other value of a choice is another execution.
        let mut others = walk.iter().filter(|(values, _)| values.len() > 1).count() as u64;
        let mut oracle = |request: &Request<'_>| {
            if position == walk.len() {
                let Some(values) = lists.of(request).filter(|_| others < MOST_EXECUTIONS) else {
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
            _ if is_open || executions > MOST_EXECUTIONS => return Exhaustion::Open,
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
            Outcome::Stopped(_) => return Exhaustion::TooLong,
            Outcome::OutOfInputs { .. } | Outcome::Resource { .. } | Outcome::Unsupported { .. } => {
                return Exhaustion::Open;
            }
        }
        walk.truncate(position);
        while walk.last().is_some_and(|(values, at)| at + 1 == values.len()) {
            walk.pop();
        }
        match walk.last_mut() {
            Some((_, at)) => *at += 1,
            None => return Exhaustion::Safe { executions, undefined },
        }
    }
}

/// The lists of values of all inputs, by what asks for them.
struct Lists<'a> {
    program: &'a Program,
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
                    values.extend(self.follow(proc, edge.target, var, request.ty)?);
                }
            }
        }
        (count > 0 && values.len() <= MOST_VALUES).then(|| values.into_iter().collect())
    }

    /// The values of an input that have to be tried, from where it has been chosen.
    fn follow(&self, proc: ProcId, from: Loc, var: VarId, ty: Ty) -> Option<Vec<i128>> {
        let walker = Walker { program: self.program, procedure: &self.program.procs[proc], proc };
        let (mut pending, mut ways) = (vec![ty.range()?], Vec::new());
        let mut split = 0;
        while let Some((low, high)) = pending.pop() {
            match walker.walk(from, var, (low, high)) {
                Way::Undecided => {
                    split += 1;
                    if split > MOST_INTERVALS {
                        return None;
                    }
                    // The mean, rounded down; the sum need not fit.
                    let middle = (low & high) + ((low ^ high) >> 1);
                    pending.extend([(middle + 1, high), (low, middle)]);
                }
                Way::Blocked { path } => ways.push((low, high, (path, true), false)),
                Way::Ended { path, tracked, at } => {
                    let is_needed = tracked.iter().any(|var| walker.may_be_read(*var, at));
                    ways.push((low, high, (path, false), is_needed));
                }
            }
        }
        let (mut values, mut last) = (Vec::new(), None);
        // The intervals come in ascending order. A way is a path, and whether it is blocked at its end.
        for (low, high, path, is_needed) in ways {
            if is_needed {
                if high.checked_sub(low).is_none_or(|distance| distance >= MOST_VALUES as i128) {
                    return None;
                }
                values.extend(low..=high);
                last = None;
            } else if last.as_ref() != Some(&path) {
                values.push(low);
                last = Some(path);
            }
        }
        Some(values)
    }
}

/// How far an interval of values can be followed.
enum Way {
    /// Some of its values go on differently from others.
    Undecided,
    /// All of them take this path to where no condition holds: there is no execution beyond.
    Blocked { path: Vec<EdgeId> },
    /// All of them take this path; then something else happens.
    Ended {
        path: Vec<EdgeId>,
        /// The variables that depend on the input.
        tracked: BTreeSet<VarId>,
        at: Loc,
    },
}

struct Walker<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    proc: ProcId,
}

impl Walker<'_> {
    fn walk(&self, from: Loc, var: VarId, range: (i128, i128)) -> Way {
        // What depends on the input, with the interval of its values where that is known.
        let mut values: Intervals = BTreeMap::from([(var, Some(range))]);
        let (mut at, mut path) = (from, Vec::new());
        while path.len() < MOST_STEPS {
            let mut next = None;
            let mut is_decided = true;
            for id in self.procedure.outgoing(at) {
                let edge = &self.procedure.edges()[*id];
                match edge.ops.as_slice() {
                    [] => next = Some(*id),
                    [Op::Assume { cond }] => match interval(self.program, *cond, &values) {
                        Some((1, 1)) => next = Some(*id),
                        Some((0, 0)) => {}
                        _ if self.depends_on_more(*cond, &values, var, range) => {
                            return ended(path, &values, at);
                        }
                        _ => is_decided = false,
                    },
                    [Op::Assign { place: Place::Var(_), .. }] => next = Some(*id),
                    _ => return ended(path, &values, at),
                }
            }
            if !is_decided {
                return Way::Undecided;
            }
            if next.is_none() && !self.procedure.outgoing(at).is_empty() {
                return Way::Blocked { path };
            }
            // An end of the procedure, or several edges that may be taken: that is not followed.
            let Some(id) = next.filter(|_| self.is_only(at, next, &values)) else {
                return ended(path, &values, at);
            };
            let edge = &self.procedure.edges()[id];
            if let [Op::Assign { place: Place::Var(target), value }] = edge.ops.as_slice() {
                if self.is_global(*target) || !self.is_total(*value, &values) {
                    return ended(path, &values, at);
                }
                if mentions(self.program, *value, &values) {
                    let range = interval(self.program, *value, &values);
                    values.insert(*target, range);
                } else {
                    values.remove(target);
                }
            }
            path.push(id);
            at = edge.target;
        }
        ended(path, &values, at)
    }

    /// Whether an edge is the only one that can be taken.
    fn is_only(&self, at: Loc, chosen: Option<EdgeId>, values: &Intervals) -> bool {
        self.procedure.outgoing(at).iter().all(|id| {
            let is_closed = match self.procedure.edges()[*id].ops.as_slice() {
                [Op::Assume { cond }] => interval(self.program, *cond, values) == Some((0, 0)),
                _ => false,
            };
            is_closed != (Some(*id) == chosen)
        })
    }

    fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].owner != Some(self.proc)
    }

    /// Whether one value of the input would not decide a condition either.
    fn depends_on_more(
        &self,
        cond: ExprId,
        values: &Intervals,
        var: VarId,
        (low, high): (i128, i128),
    ) -> bool {
        if low == high {
            return true;
        }
        // What is computed from the input has values for intervals only: a condition on anything else is not split.
        let single: Intervals = values
            .iter()
            .map(|(tracked, value)| (*tracked, (*tracked == var || value.is_some()).then_some((low, low))))
            .collect();
        interval(self.program, cond, &single).is_none_or(|(low, high)| low != high)
    }

    /// Whether an expression has a value whatever the input is: it does not read it, or its interval is known.
    fn is_total(&self, expr: ExprId, values: &Intervals) -> bool {
        !mentions(self.program, expr, values) || interval(self.program, expr, values).is_some()
    }

    /// Whether a variable may be read from a location on, in this activation or in its caller.
    fn may_be_read(&self, var: VarId, from: Loc) -> bool {
        if self.is_global(var) || self.procedure.results.contains(&var) {
            return true;
        }
        let (mut stack, mut seen) = (vec![from], BTreeSet::new());
        while let Some(location) = stack.pop() {
            if !seen.insert(location) {
                continue;
            }
            for id in self.procedure.outgoing(location) {
                let edge = &self.procedure.edges()[*id];
                let mut reads = |node: &Expr| matches!(node, Expr::Var { var: read, .. } if *read == var);
                if edge.ops.iter().flat_map(Op::exprs).any(|expr| any_below(self.program, expr, &mut reads)) {
                    return true;
                }
                stack.push(edge.target);
            }
        }
        false
    }
}

fn ended(path: Vec<EdgeId>, values: &Intervals, at: Loc) -> Way {
    Way::Ended { path, tracked: values.keys().copied().collect(), at }
}
