//! Which combinations of values the state variables of a program have.
//!
//! A *state variable* is only ever set to constants, copies and inputs, and compared with constants: the program counter of a protocol, a flag. What
//! matters of several of them is which combinations occur, which intervals of each one do not tell. All combinations that may occur are
//! collected, location by location; other variables count only on the way from one location to the next.
//!
//! # Invariants
//! * C1: in every execution that reaches a location, one of its combinations holds.
//!
//! # Cost
//! Every edge is executed once for each combination at its source. Where there are more than [`MAX_COMBINATIONS`] combinations or [`MAX_STEPS`] steps, fewer variables are looked at.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, IndexVec, Stop};
use cfa::{BinaryOp, Expr, ExprId, Loc, Op, Place, Procedure, Program, Ty, VarId};

use crate::state::{State, Truth};
use crate::value::Value;

/// More combinations at one location are not collected.
const MAX_COMBINATIONS: usize = 256;
/// More steps are not taken.
const MAX_STEPS: u32 = 200_000;
/// A variable that is set to fewer constants is not worth the effort.
const MIN_CONSTANTS: usize = 4;
/// More variables are not looked at together.
const MAX_VARIABLES: usize = 8;

/// The value of each state variable; `None` if it may be any.
type Combination = Vec<Option<i128>>;

/// The combinations at every location.
#[derive(Clone, Debug)]
pub struct Cases {
    variables: Vec<VarId>,
    at: IndexVec<Loc, BTreeSet<Combination>>,
}

impl Cases {
    /// The combinations of a procedure that starts in any state; nothing if it has no state variables, or too many combinations.
    pub fn of(program: &Program, procedure: &Procedure, budget: &mut Budget) -> Result<Option<Self>, Stop> {
        let mut variables = state_variables(program, procedure);
        // Of one variable alone the interval says nearly as much, in a shorter formula.
        while variables.len() > 1 {
            if let Some(at) = collect(program, procedure, &variables, budget)? {
                return Ok(Some(Self { variables, at }));
            }
            variables.truncate(variables.len() / 2);
        }
        Ok(None)
    }

    /// Whether no execution reaches a location.
    pub fn is_unreachable(&self, location: Loc) -> bool {
        self.at[location].is_empty()
    }

    /// What is known at a location of the given variables, which should ascend: one of these holds.
    pub fn at(&self, location: Loc, among: &[VarId]) -> Vec<State> {
        let mut states: Vec<State> = Vec::new();
        for combination in &self.at[location] {
            let mut state = State::new();
            for (var, value) in self.variables.iter().zip(combination) {
                if let Some(value) = value
                    && among.binary_search(var).is_ok()
                {
                    state.claim(*var, Value::constant(*value));
                }
            }
            if !states.contains(&state) {
                states.push(state);
            }
        }
        states
    }
}

/// All combinations; nothing if there are too many somewhere.
fn collect(
    program: &Program,
    procedure: &Procedure,
    variables: &[VarId],
    budget: &mut Budget,
) -> Result<Option<IndexVec<Loc, BTreeSet<Combination>>>, Stop> {
    let mut at: IndexVec<Loc, BTreeSet<Combination>> =
        IndexVec::filled(BTreeSet::new(), procedure.locations.len());
    let start = vec![None; variables.len()];
    at[procedure.entry].insert(start.clone());
    let mut pending = vec![(procedure.entry, start)];
    let mut steps = 0;
    while let Some((location, combination)) = pending.pop() {
        for id in procedure.outgoing(location) {
            budget.tick()?;
            steps += 1;
            if steps > MAX_STEPS {
                return Ok(None);
            }
            let edge = &procedure.edges()[*id];
            let mut state = State::new();
            for (var, value) in variables.iter().zip(&combination) {
                if let Some(value) = value {
                    state.claim(*var, Value::constant(*value));
                }
            }
            let mut states = vec![state];
            for op in &edge.ops {
                let mut next = Vec::with_capacity(states.len());
                for state in states {
                    let Some(after) = after(program, op, state, variables) else { return Ok(None) };
                    next.extend(after);
                }
                states = next;
                if states.len() > MAX_COMBINATIONS {
                    return Ok(None);
                }
            }
            for state in states {
                let value = |var: &VarId| state.get(*var).and_then(Value::as_constant);
                let after: Combination = variables.iter().map(value).collect();
                if at[edge.target].insert(after.clone()) {
                    if at[edge.target].len() > MAX_COMBINATIONS {
                        return Ok(None);
                    }
                    pending.push((edge.target, after));
                }
            }
        }
    }
    Ok(Some(at))
}

/// The states after an operation; nothing if they are too many. A conditional value of a state variable has one for each branch.
fn after(program: &Program, op: &Op, state: State, variables: &[VarId]) -> Option<Vec<State>> {
    let (place, value) = match *op {
        Op::Assign { place: place @ Place::Var(var), value } if variables.contains(&var) => (place, value),
        _ => {
            let mut state = state;
            return Some(if state.execute(program, op) { vec![state] } else { Vec::new() });
        }
    };
    let mut states = Vec::new();
    let mut pending = vec![(state, value)];
    while let Some((mut state, value)) = pending.pop() {
        if pending.len() + states.len() > MAX_COMBINATIONS {
            return None;
        }
        if let Expr::Ite { cond, then, other } = *program.exprs.get(value) {
            for (truth, branch) in [(Truth::Holds, then), (Truth::Fails, other)] {
                let mut state = state.clone();
                if state.assume(program, cond, truth) {
                    pending.push((state, branch));
                }
            }
        } else if state.execute(program, &Op::Assign { place, value }) {
            states.push(state);
        }
    }
    Some(states)
}

/// The state variables, those with most constants first; none if none has many.
fn state_variables(program: &Program, procedure: &Procedure) -> Vec<VarId> {
    let mut constants: BTreeMap<VarId, BTreeSet<i128>> = BTreeMap::new();
    let mut others = BTreeSet::new();
    let (mut tested, mut copies) = (BTreeSet::new(), Vec::new());
    for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
        for place in op.places() {
            let Place::Var(var) = place else { continue };
            match op {
                Op::Havoc { .. } => {}
                Op::Assign { value, .. } => {
                    let (mut branches, mut seen) = (vec![*value], BTreeSet::new());
                    while let Some(branch) = branches.pop() {
                        if !seen.insert(branch) {
                            continue;
                        }
                        match *program.exprs.get(branch) {
                            Expr::Const { ty: ty @ Ty::Int { width: ..=64, .. }, bits } => {
                                constants.entry(*var).or_default().insert(ty.value_of(bits));
                            }
                            Expr::Ite { then, other, .. } => branches.extend([then, other]),
                            Expr::Var { var: from, .. } => copies.push((*var, from)),
                            _ => {
                                others.insert(*var);
                            }
                        }
                    }
                }
                _ => {
                    others.insert(*var);
                }
            }
        }
        for root in op.exprs() {
            for id in crate::state::operands_first(program, [root]) {
                tested.extend(compared_with_constant(program, id));
            }
        }
    }
    // What is copied to a variable that is tested is tested, too.
    while copies.iter().any(|(to, from)| tested.contains(to) && tested.insert(*from)) {}
    let mut found: Vec<(usize, VarId)> = constants
        .iter()
        .filter(|(var, _)| !others.contains(*var) && tested.contains(*var))
        .map(|(var, constants)| (constants.len(), *var))
        .filter(|(count, _)| *count > 1)
        .collect();
    found.sort_unstable_by_key(|(count, var)| (usize::MAX - count, *var));
    if found.first().is_none_or(|(count, _)| *count < MIN_CONSTANTS) {
        return Vec::new();
    }
    found.truncate(MAX_VARIABLES);
    found.into_iter().map(|(_, var)| var).collect()
}

/// The variable that an expression compares with a constant.
fn compared_with_constant(program: &Program, id: ExprId) -> Option<VarId> {
    let Expr::Binary { op: BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le, lhs, rhs } =
        *program.exprs.get(id)
    else {
        return None;
    };
    match (*program.exprs.get(lhs), *program.exprs.get(rhs)) {
        (Expr::Var { var, .. }, Expr::Const { .. }) | (Expr::Const { .. }, Expr::Var { var, .. }) => {
            Some(var)
        }
        _ => None,
    }
}
