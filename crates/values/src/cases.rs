//! Which combinations of values the state variables of a program have.
//!
//! A *state variable* is only ever set to constants, copies and inputs, and compared with constants: the program counter of a protocol, a flag. What
//! matters of several of them is which combinations occur, which intervals of each one do not tell. All combinations that may occur are
//! collected, location by location; other variables count only on the way from one location to the next.
//!
//! A *flag* is set to inputs and constants, and compared with zero again and again: what matters is whether it is zero. It is part of the combinations of a program that has state variables.
//!
//! # Invariants
//! * C1: in every execution that reaches a location, one of its combinations holds.
//!
//! # Cost
//! Every edge is executed once for each combination at its source. Where there are more than [`MAX_COMBINATIONS`] combinations or [`MAX_STEPS`] steps, fewer variables are looked at.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, IndexVec, Stop};
use cfa::{BinaryOp, Expr, ExprId, Loc, Op, Place, Procedure, Program, Ty, VarId};

use crate::state::{State, Truth, operands_first};
use crate::value::Value;

/// More combinations at one location are not collected.
const MAX_COMBINATIONS: usize = 256;
/// More steps are not taken.
const MAX_STEPS: u32 = 200_000;
/// A variable that is set to fewer constants is not worth the effort.
const MIN_CONSTANTS: usize = 4;
/// More variables are not looked at together.
const MAX_VARIABLES: usize = 8;

/// More flags are not looked at: each may double the number of combinations.
const MAX_FLAGS: usize = 2;
/// A flag that fewer operations compare with zero is not worth the effort: both branches of an `if` do.
const MIN_TESTS: usize = 4;

/// What a combination says of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Nothing.
    Any,
    /// Its value.
    Constant(i128),
    /// Of a flag: that it is not zero.
    NotZero,
}

/// What is said of each variable.
type Combination = Vec<Kind>;

/// What holds at a location in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The values of state variables.
    pub state: State,
    /// The variables that are not zero.
    pub not_zero: Vec<VarId>,
}

/// The variables whose combinations are collected.
#[derive(Clone, Debug)]
struct Variables {
    all: Vec<VarId>,
    flags: BTreeSet<VarId>,
}

/// The combinations at every location.
#[derive(Clone, Debug)]
pub struct Cases {
    variables: Variables,
    at: IndexVec<Loc, BTreeSet<Combination>>,
}

impl Cases {
    /// The combinations of a procedure that starts in any state; nothing if it has no state variables, or too many combinations.
    pub fn of(program: &Program, procedure: &Procedure, budget: &mut Budget) -> Result<Option<Self>, Stop> {
        let all = state_variables(program, procedure);
        for variables in all.selections() {
            if let Some(at) = collect(program, procedure, &variables, budget)? {
                return Ok(Some(Self { variables, at }));
            }
        }
        Ok(None)
    }

    /// Whether no execution reaches a location.
    pub fn is_unreachable(&self, location: Loc) -> bool {
        self.at[location].is_empty()
    }

    /// What is known at a location of the given variables, which should ascend: one of these holds.
    pub fn at(&self, location: Loc, among: &[VarId]) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for combination in &self.at[location] {
            let mut case = Case { state: State::new(), not_zero: Vec::new() };
            let kinds = self.variables.all.iter().zip(combination);
            for (var, kind) in kinds.filter(|(var, _)| among.binary_search(var).is_ok()) {
                match kind {
                    Kind::Any => {}
                    Kind::Constant(value) => case.state.claim(*var, Value::constant(*value)),
                    Kind::NotZero => case.not_zero.push(*var),
                }
            }
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        cases
    }
}

/// The values of a flag that are not zero, as ranges.
fn not_zero(program: &Program, var: VarId) -> Vec<Value> {
    let Some(range) = State::new().value(program, var) else { return Vec::new() };
    let negative = (range.low() < 0).then(|| Value::range(range.low(), -1)).flatten();
    negative.into_iter().chain(Value::range(1, range.high())).collect()
}

/// A state split by the values of a variable.
fn split(states: Vec<State>, var: VarId, values: &[Value]) -> Vec<State> {
    let mut split = Vec::with_capacity(states.len() * values.len());
    for state in states {
        for value in values {
            let mut state = state.clone();
            state.claim(var, *value);
            split.push(state);
        }
    }
    split
}

impl Variables {
    /// What is looked at, in order, as long as there are too many combinations: ever fewer state variables, with the flags and without them.
    fn selections(&self) -> Vec<Self> {
        let states = self.all.len() - self.flags.len();
        let mut counts = vec![states];
        while let Some(count) = counts.last().map(|count| count / 2).filter(|count| *count > 1) {
            counts.push(count);
        }
        let mut selections = Vec::new();
        for count in counts {
            let chosen = &self.all[..count];
            if !self.flags.is_empty() {
                let all = chosen.iter().chain(&self.all[states..]).copied().collect();
                selections.push(Self { all, flags: self.flags.clone() });
            }
            selections.push(Self { all: chosen.to_vec(), flags: BTreeSet::new() });
        }
        // Of one variable alone the interval says nearly as much, in a shorter formula.
        selections.retain(|selection| selection.all.len() > 1);
        selections
    }

    /// The states that a combination stands for.
    fn states(&self, program: &Program, combination: &Combination) -> Vec<State> {
        let mut states = vec![State::new()];
        for (var, kind) in self.all.iter().zip(combination) {
            match kind {
                Kind::Any => {}
                Kind::Constant(value) => states = split(states, *var, &[Value::constant(*value)]),
                Kind::NotZero => states = split(states, *var, &not_zero(program, *var)),
            }
        }
        states
    }

    /// The combination to which a state belongs.
    fn combination(&self, state: &State) -> Combination {
        let kind = |var: &VarId| match state.get(*var) {
            Some(value) => match value.as_constant() {
                Some(0) if self.flags.contains(var) => Kind::Constant(0),
                _ if self.flags.contains(var) && !value.contains(0) => Kind::NotZero,
                Some(constant) if !self.flags.contains(var) => Kind::Constant(constant),
                _ => Kind::Any,
            },
            None => Kind::Any,
        };
        self.all.iter().map(kind).collect()
    }
}

/// All combinations; nothing if there are too many somewhere.
fn collect(
    program: &Program,
    procedure: &Procedure,
    variables: &Variables,
    budget: &mut Budget,
) -> Result<Option<IndexVec<Loc, BTreeSet<Combination>>>, Stop> {
    let mut at: IndexVec<Loc, BTreeSet<Combination>> =
        IndexVec::filled(BTreeSet::new(), procedure.locations.len());
    let start = vec![Kind::Any; variables.all.len()];
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
            let mut states = variables.states(program, &combination);
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
                let after = variables.combination(&state);
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
fn after(program: &Program, op: &Op, state: State, variables: &Variables) -> Option<Vec<State>> {
    let (place, value) = match *op {
        Op::Assign { place: place @ Place::Var(var), value } if variables.all.contains(&var) => {
            (place, value)
        }
        Op::Havoc { place: Place::Var(var), .. } if variables.flags.contains(&var) => {
            let mut values = not_zero(program, var);
            values.push(Value::constant(0));
            let mut state = state;
            return Some(if state.execute(program, op) {
                split(vec![state], var, &values)
            } else {
                Vec::new()
            });
        }
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

/// How a procedure uses its variables.
#[derive(Default)]
struct Uses {
    /// What is assigned, where that is a constant.
    constants: BTreeMap<VarId, BTreeSet<i128>>,
    /// Those that are set to an input.
    inputs: BTreeSet<VarId>,
    /// How many operations compare a variable with zero.
    tests: BTreeMap<VarId, usize>,
    /// Those that are set to something else.
    others: BTreeSet<VarId>,
    /// Those that are compared with a constant.
    tested: BTreeSet<VarId>,
    /// Target and source of each copy.
    copies: Vec<(VarId, VarId)>,
}

impl Uses {
    fn of(program: &Program, procedure: &Procedure) -> Self {
        let mut uses = Self::default();
        for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
            for place in op.places() {
                let Place::Var(var) = place else { continue };
                match op {
                    Op::Havoc { .. } => _ = uses.inputs.insert(*var),
                    Op::Assign { value, .. } => uses.assigned(program, *var, *value),
                    _ => _ = uses.others.insert(*var),
                }
            }
            for id in op.exprs().flat_map(|root| operands_first(program, [root])) {
                uses.tested.extend(compared_with_constant(program, id));
                if let Some(var) = compared_with_zero(program, id) {
                    *uses.tests.entry(var).or_default() += 1;
                }
            }
        }
        // What is copied to a variable that is tested is tested, too.
        let Self { tested, copies, .. } = &mut uses;
        while copies.iter().any(|(to, from)| tested.contains(to) && tested.insert(*from)) {}
        uses
    }

    /// The largest number of constants of a variable and of those that it is copied to: the next state of a protocol matters as much as its state.
    fn weights(&self) -> BTreeMap<VarId, usize> {
        let mut weights: BTreeMap<VarId, usize> =
            self.constants.iter().map(|(var, constants)| (*var, constants.len())).collect();
        loop {
            let mut is_stable = true;
            for (to, from) in &self.copies {
                let weight = weights.get(to).copied().unwrap_or_default();
                let source = weights.entry(*from).or_default();
                if *source < weight {
                    *source = weight;
                    is_stable = false;
                }
            }
            if is_stable {
                return weights;
            }
        }
    }

    fn assigned(&mut self, program: &Program, var: VarId, value: ExprId) {
        let (mut branches, mut seen) = (vec![value], BTreeSet::new());
        while let Some(branch) = branches.pop() {
            if !seen.insert(branch) {
                continue;
            }
            match *program.exprs.get(branch) {
                Expr::Const { ty: ty @ Ty::Int { width: ..=64, .. }, bits } => {
                    self.constants.entry(var).or_default().insert(ty.value_of(bits));
                }
                Expr::Ite { then, other, .. } => branches.extend([then, other]),
                Expr::Var { var: from, .. } => self.copies.push((var, from)),
                _ => _ = self.others.insert(var),
            }
        }
    }
}

/// The state variables, those with most constants or copied to such first, then flags; none if no state variable has many constants.
fn state_variables(program: &Program, procedure: &Procedure) -> Variables {
    let uses = Uses::of(program, procedure);
    let weights = uses.weights();
    let Uses { constants, inputs, tests, others, tested, .. } = uses;
    let mut found: Vec<(usize, usize, VarId)> = constants
        .iter()
        .filter(|(var, _)| !others.contains(*var) && tested.contains(*var))
        .map(|(var, constants)| (weights[var], constants.len(), *var))
        .filter(|(_, count, _)| *count > 1)
        .collect();
    if found.iter().all(|(_, count, _)| *count < MIN_CONSTANTS) {
        return Variables { all: Vec::new(), flags: BTreeSet::new() };
    }
    found.sort_unstable_by_key(|(weight, count, var)| (Reverse(*weight), Reverse(*count), *var));
    found.truncate(MAX_VARIABLES);
    let mut all: Vec<VarId> = found.into_iter().map(|(.., var)| var).collect();
    let is_flag = |var: &VarId| !others.contains(var) && !all.contains(var) && inputs.contains(var);
    let mut flags: Vec<(usize, VarId)> =
        tests.into_iter().filter(|(var, _)| is_flag(var)).map(|(var, count)| (count, var)).collect();
    flags.retain(|(count, var)| *count >= MIN_TESTS && !not_zero(program, *var).is_empty());
    flags.sort_unstable_by_key(|(count, var)| (usize::MAX - count, *var));
    flags.truncate(MAX_FLAGS);
    let flags: BTreeSet<VarId> = flags.into_iter().map(|(_, var)| var).collect();
    all.extend(&flags);
    Variables { all, flags }
}

/// The variable that an expression compares with zero for equality.
fn compared_with_zero(program: &Program, id: ExprId) -> Option<VarId> {
    let Expr::Binary { op: BinaryOp::Eq | BinaryOp::Ne, lhs, rhs } = *program.exprs.get(id) else {
        return None;
    };
    match (*program.exprs.get(lhs), *program.exprs.get(rhs)) {
        (Expr::Var { var, .. }, Expr::Const { bits: 0, ty: Ty::Int { .. } })
        | (Expr::Const { bits: 0, ty: Ty::Int { .. } }, Expr::Var { var, .. }) => Some(var),
        _ => None,
    }
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
