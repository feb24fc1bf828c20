//! Which values of an input have to be tried, so that nothing that the program may do is missed.
//!
//! An input is followed from where it is chosen through the conditions that look at nothing else, as `if (n < 2 || n > 4) return 0;` does. That splits its
//! values into intervals; all values of an interval take the same way. If nothing reads the input after that way, one value stands for the
//! interval; otherwise every value of it is tried.
//!
//! # Invariants
//! * W1: for every value of the input there is one in the list with which an execution takes the same steps, except for variables that are not read any more.
//! * W2: conditions are decided for whole intervals only where [`crate::total`] knows the value of the condition for all of it.
//!
//! # Cost
//! At most [`MOST_VALUES`] values, 4,096 intervals and 256 steps for each of them.

use std::collections::{BTreeMap, BTreeSet};

use cfa::{EdgeId, Expr, ExprId, Loc, Op, Place, ProcId, Procedure, Program, Ty, VarId};

use crate::total::{Intervals, any_below, interval, mentions};

/// The most values of one input that are tried.
pub const MOST_VALUES: usize = 1 << 16;
/// The most intervals into which the values of one input are split.
const MOST_INTERVALS: usize = 4096;
/// The most steps along which an input is followed.
const MOST_STEPS: usize = 256;

/// The values of an input that have to be tried, from where it has been chosen.
pub fn representatives(
    program: &Program,
    (proc, from): (ProcId, Loc),
    var: VarId,
    ty: Ty,
) -> Option<Vec<i128>> {
    let walker = Walker { program, procedure: &program.procs[proc], proc };
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
