//! Which products of variables matter.
//!
//! # Choice
//! * Products that the program itself computes.
//! * Products of a counter and a step: where one round of a loop adds a constant to `i` and a variable `a` to `b`, the relation of `b` and `i` is
//!   `b - i·a`. They count only if there are several such loops, which may have to be compared, or if the program multiplies `i` or `a` by anything.
//! * Powers of counters that are summed up, if the program computes products: where a round adds one to `i` and `3·i` to `s`, twice `s` is about `3·i·i`; where it adds `i·i`, three times `s` is about `i·i·i`.
//! * The same where a round adds an element of an array: its steps are what the program stores there, with the index of the read for that of the store.
//! * The same where an inner loop has as many rounds as a variable says.
//! * Whatever products the change of a chosen product consists of, if degree and number allow all of them.
//!
//! The choice depends on the program alone and is a matter of precision, not of soundness.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cfa::{BinaryOp, Expr, ExprId, Loc, Op, Place, Procedure, Program, Ty, UnaryOp, VarId};
use rustc_hash::FxHashMap;

use crate::state::operands_first;
use crate::sums::sums;

/// Variables, ascending, perhaps not strictly: their product.
pub type Monomial = Vec<VarId>;

/// The monomials of the polynomials that variables are given.
type Updates = BTreeMap<VarId, Vec<BTreeSet<Monomial>>>;

/// Monomials of a higher degree are not followed.
const MAX_DEGREE: usize = 6;
/// More symbols than this cost more than they tell.
const MAX_PRODUCTS: usize = 16;
/// Arrays that are copied from each other in a row.
const MAX_COPIES: usize = 3;
/// A polynomial with more monomials is not followed.
const MAX_MONOMIALS: usize = 24;

/// The products that matter in a procedure.
#[derive(Clone, Debug, Default)]
pub struct Products {
    /// Those that are followed, each of two or more variables.
    pub followed: BTreeSet<Monomial>,
    /// The variables whose products are compared where the error is reached.
    pub compared: BTreeSet<VarId>,
}

impl Products {
    /// Chooses the products of a procedure.
    pub fn of(program: &Program, procedure: &Procedure) -> Self {
        let mut polynomials = Polynomials { program, known: FxHashMap::default(), stored: None };
        let mut chosen = polynomials.computed(procedure);
        let tested = polynomials.tested(procedure);
        let Steps { products: steps, powers } = stepped(&mut polynomials, procedure);
        let mut compared = BTreeSet::new();
        let mut more = BTreeSet::new();
        if !chosen.is_empty() {
            chosen.extend(powers);
            more = stepped_indirectly(program, procedure);
        } else if !sums(program, procedure).is_empty() {
            more = stepped_indirectly(program, procedure);
            more.retain(|monomial| matches!(monomial[..], [one, other] if one == other));
        }
        if chosen.union(&more).count() <= MAX_PRODUCTS {
            chosen.extend(more);
        }
        if steps.len() > 1 {
            compared.extend(steps.iter().flatten().copied());
            chosen.extend(steps);
        } else {
            let multiplied: BTreeSet<VarId> = chosen.iter().flatten().copied().collect();
            chosen.extend(steps.into_iter().filter(|step| step.iter().any(|var| multiplied.contains(var))));
        }
        if chosen.is_empty() || chosen.len() > MAX_PRODUCTS {
            return Self::default();
        }
        let updates = polynomials.updates(procedure);
        Self { followed: closed(&chosen, &tested, &updates), compared }
    }
}

/// The monomials that occur when those given change. What leads to one that is not followed is not followed either: the first change would be the end
/// of all that is known of it. Unless it occurs in an equation that the program tests: multiples of the equation may tell more.
fn closed(chosen: &BTreeSet<Monomial>, tested: &BTreeSet<Monomial>, updates: &Updates) -> BTreeSet<Monomial> {
    let mut successors: BTreeMap<Monomial, Option<BTreeSet<Monomial>>> = BTreeMap::new();
    let mut pending: VecDeque<Monomial> = chosen.iter().cloned().collect();
    while let Some(monomial) = pending.pop_front() {
        if successors.contains_key(&monomial) || successors.len() == MAX_PRODUCTS {
            continue;
        }
        let changed = changes(&monomial, updates);
        pending.extend(changed.iter().flatten().cloned());
        successors.insert(monomial, changed);
    }
    loop {
        let followed: BTreeSet<Monomial> = successors.keys().cloned().collect();
        successors.retain(|monomial, changed| {
            tested.contains(monomial) || changed.as_ref().is_some_and(|changed| changed.is_subset(&followed))
        });
        if successors.len() == followed.len() {
            return followed;
        }
    }
}

/// The products that a monomial may consist of after a change of one of its variables; `None` if they are too many or of too high a degree.
fn changes(monomial: &Monomial, updates: &Updates) -> Option<BTreeSet<Monomial>> {
    let mut all = BTreeSet::new();
    for (at, var) in monomial.iter().enumerate() {
        if at > 0 && monomial[at - 1] == *var {
            continue;
        }
        let (power, rest): (Monomial, Monomial) = monomial.iter().partition(|other| *other == var);
        for update in updates.get(var).into_iter().flatten() {
            let mut changed = BTreeSet::from([rest.clone()]);
            for _ in &power {
                changed = Some(product(&changed, update)).filter(is_small)?;
            }
            all.extend(changed.into_iter().filter(|new| new.len() > 1));
        }
    }
    Some(all)
}

fn is_small(monomials: &BTreeSet<Monomial>) -> bool {
    monomials.len() <= MAX_MONOMIALS && monomials.iter().all(|monomial| monomial.len() <= MAX_DEGREE)
}

fn product(left: &BTreeSet<Monomial>, right: &BTreeSet<Monomial>) -> BTreeSet<Monomial> {
    let mut result = BTreeSet::new();
    for one in left {
        for other in right {
            let mut both = [&one[..], &other[..]].concat();
            both.sort_unstable();
            result.insert(both);
        }
    }
    result
}

/// The monomials of expressions.
struct Polynomials<'p> {
    program: &'p Program,
    known: FxHashMap<ExprId, Option<BTreeSet<Monomial>>>,
    /// What elements of arrays stand for; without it they are no polynomials.
    stored: Option<Stored>,
}

/// What is stored into arrays: at the index that a variable is, polynomials of these monomials.
type Stored = BTreeMap<VarId, Vec<(Option<VarId>, BTreeSet<Monomial>)>>;

impl Polynomials<'_> {
    /// Products that the procedure computes.
    fn computed(&mut self, procedure: &Procedure) -> BTreeSet<Monomial> {
        let mut found = BTreeSet::new();
        let roots = procedure.edges().iter().flat_map(|edge| &edge.ops).flat_map(Op::exprs);
        for id in operands_first(self.program, roots) {
            let monomials = self.of(id);
            if let (Some(monomials), Expr::Binary { op: BinaryOp::Mul, .. }) =
                (monomials, self.program.exprs.get(id))
            {
                found.extend(monomials.into_iter().filter(|monomial| monomial.len() > 1));
            }
        }
        found
    }

    /// Products in equations between polynomials that the procedure tests.
    fn tested(&mut self, procedure: &Procedure) -> BTreeSet<Monomial> {
        let mut found = BTreeSet::new();
        let roots = procedure.edges().iter().flat_map(|edge| &edge.ops).flat_map(Op::exprs);
        for id in operands_first(self.program, roots) {
            if let Expr::Binary { op: BinaryOp::Eq | BinaryOp::Ne, lhs, rhs } = *self.program.exprs.get(id) {
                let sides = [self.of(lhs), self.of(rhs)];
                found.extend(sides.into_iter().flatten().flatten().filter(|monomial| monomial.len() > 1));
            }
        }
        found
    }

    /// The values that variables are given.
    fn updates(&mut self, procedure: &Procedure) -> Updates {
        let mut updates = Updates::new();
        for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
            if let Op::Assign { place: Place::Var(var), value } = op
                && let Some(monomials) = self.whole(*value)
            {
                updates.entry(*var).or_default().push(monomials);
            }
        }
        updates
    }

    fn whole(&mut self, root: ExprId) -> Option<BTreeSet<Monomial>> {
        for id in operands_first(self.program, [root]) {
            self.of(id);
        }
        self.of(root)
    }

    /// The monomials that an assignment of `value` to `var` adds to it; none if it does anything else.
    fn added(&mut self, var: VarId, value: ExprId) -> BTreeSet<Monomial> {
        let mut monomials = self.whole(value).unwrap_or_default();
        let is_increment = monomials.remove(&vec![var]);
        if is_increment && !monomials.iter().flatten().any(|factor| *factor == var) {
            return monomials;
        }
        BTreeSet::new()
    }

    /// The monomials of an expression whose operands were asked for before; `None` if it is no polynomial.
    fn of(&mut self, id: ExprId) -> Option<BTreeSet<Monomial>> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let operand = |id: ExprId| self.known.get(&id).cloned().flatten();
        let result = match *self.program.exprs.get(id) {
            Expr::Const { ty: Ty::Int { .. }, .. } => Some(BTreeSet::from([Monomial::new()])),
            Expr::Var { var, ty: Ty::Int { .. } } => Some(BTreeSet::from([vec![var]])),
            Expr::Elem { array, index, ty: Ty::Int { .. } } => {
                let stored = self.stored.as_ref().map(|stored| stored.get(&array));
                stored.map(|stored| at_index(stored, plain_variable(self.program, index)))
            }
            Expr::Undefined { ty: Ty::Int { .. } } if self.stored.is_some() => Some(BTreeSet::new()),
            Expr::Unary { op: UnaryOp::Neg, arg } => operand(arg),
            Expr::Cast { ty: Ty::Int { width, .. }, arg } if width > 1 => operand(arg),
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                operand(lhs).zip(operand(rhs)).map(|(mut left, right)| {
                    left.extend(right);
                    left
                })
            }
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs } => {
                operand(lhs).zip(operand(rhs)).map(|(left, right)| product(&left, &right))
            }
            Expr::Ite { then, other, .. } => operand(then).zip(operand(other)).map(|(mut left, right)| {
                left.extend(right);
                left
            }),
            _ => None,
        };
        let result = result.filter(is_small);
        self.known.insert(id, result.clone());
        result
    }
}

/// The monomials of what is stored, with the index of a read in the place of that of the store.
fn at_index(
    stored: Option<&Vec<(Option<VarId>, BTreeSet<Monomial>)>>,
    read: Option<VarId>,
) -> BTreeSet<Monomial> {
    let mut found = BTreeSet::new();
    for (written, monomials) in stored.into_iter().flatten() {
        for monomial in monomials {
            let renamed = monomial.iter().map(|var| match read {
                Some(read) if Some(*var) == *written => read,
                _ => *var,
            });
            let mut renamed: Monomial = renamed.collect();
            renamed.sort_unstable();
            found.insert(renamed);
        }
    }
    found
}

/// The variable that an expression is, perhaps of another type.
pub(crate) fn plain_variable(program: &Program, mut expr: ExprId) -> Option<VarId> {
    loop {
        match *program.exprs.get(expr) {
            Expr::Cast { ty: Ty::Int { .. }, arg } => expr = arg,
            Expr::Var { var, ty: Ty::Int { .. } } => return Some(var),
            _ => return None,
        }
    }
}

/// What is stored into arrays. Elements that are stored into others are followed for a few steps.
fn stored(program: &Program, procedure: &Procedure) -> Stored {
    let mut all = Stored::new();
    for _ in 0..MAX_COPIES {
        let mut polynomials = Polynomials { program, known: FxHashMap::default(), stored: Some(all) };
        let mut next = Stored::new();
        for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
            let Op::Assign { place: Place::Elem { array, index }, value } = op else { continue };
            if let Some(monomials) = polynomials.whole(*value) {
                next.entry(*array).or_default().push((plain_variable(program, *index), monomials));
            }
        }
        all = next;
    }
    all
}

/// Products of a counter and what a round adds, where that is made of elements or by an inner loop.
fn stepped_indirectly(program: &Program, procedure: &Procedure) -> BTreeSet<Monomial> {
    let mut polynomials =
        Polynomials { program, known: FxHashMap::default(), stored: Some(stored(program, procedure)) };
    let forest = procedure.loops();
    let mut found = BTreeSet::new();
    for (id, _) in forest.loops().iter_enumerated() {
        let body: BTreeSet<Loc> = forest.body(id).iter().copied().collect();
        let inside = procedure.edges().iter();
        let inside = inside.filter(|edge| body.contains(&edge.source) && body.contains(&edge.target));
        let (mut counters, mut steps) = (BTreeSet::new(), BTreeSet::new());
        for op in inside.flat_map(|edge| &edge.ops) {
            let Op::Assign { place, value } = op else { continue };
            if let Place::Var(var) = place
                && let Some(Increment::Constant) = increment(program, *var, *value)
            {
                counters.insert(*var);
            }
            let parts = operands_first(program, [*value]);
            let has_element = |part: &ExprId| matches!(program.exprs.get(*part), Expr::Elem { array, .. } if Some(*array) != place.var());
            if parts.iter().any(has_element) && parts.iter().any(|part| is_at(program, *part, place)) {
                let step = polynomials.whole(*value).into_iter().flatten();
                steps.extend(step.filter(|monomial| monomial.iter().all(|var| place.var() != Some(*var))));
            }
        }
        // An inner loop steps by as much as it has iterations.
        for (inner, _) in forest.loops().iter_enumerated().filter(|(inner, _)| *inner != id) {
            let within = forest.body(inner);
            if within.iter().all(|location| body.contains(location)) {
                let within = within.iter().copied().collect();
                steps.extend(bounds(program, procedure, &within).into_iter().map(|bound| vec![bound]));
            }
        }
        for step in steps.iter().filter(|step| !step.is_empty() && step.len() < MAX_DEGREE) {
            for counter in &counters {
                let mut both = step.clone();
                both.push(*counter);
                both.sort_unstable();
                found.insert(both);
            }
        }
    }
    found
}

/// The variables that the conditions of a loop compare with others, and that it does not change.
fn bounds(program: &Program, procedure: &Procedure, body: &BTreeSet<Loc>) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let inside = procedure.edges().iter();
    let inside = inside.filter(|edge| body.contains(&edge.source) && body.contains(&edge.target));
    let ops: Vec<&Op> = inside.flat_map(|edge| &edge.ops).collect();
    for op in &ops {
        let Op::Assume { cond } = op else { continue };
        for part in operands_first(program, [*cond]) {
            let Expr::Binary { op: BinaryOp::Lt | BinaryOp::Le, lhs, rhs } = *program.exprs.get(part) else {
                continue;
            };
            if let (Some(left), Some(right)) = (plain_variable(program, lhs), plain_variable(program, rhs)) {
                found.extend([left, right]);
            }
        }
    }
    for place in ops.iter().flat_map(|op| op.places()) {
        if let Some(var) = place.var() {
            found.remove(&var);
        }
    }
    found
}

/// Whether an expression is the value of a place: a variable, or an element at the same index.
pub(crate) fn is_at(program: &Program, expr: ExprId, place: &Place) -> bool {
    match (program.exprs.get(expr), place) {
        (Expr::Var { var, .. }, Place::Var(own)) => var == own,
        (Expr::Elem { array, index, .. }, Place::Elem { array: own, index: at }) => {
            array == own && index == at
        }
        _ => false,
    }
}

/// What loops step by.
#[derive(Default)]
struct Steps {
    /// Products of `i` and `a`, where a round adds a constant to `i` and `a` to something.
    products: BTreeSet<Monomial>,
    /// Products of `i` and `m`, where a round adds a constant to `i` and a polynomial with the monomial `m` to something; `i` occurs in `m`, and all variables of `m` are counters.
    powers: BTreeSet<Monomial>,
}

fn stepped(polynomials: &mut Polynomials<'_>, procedure: &Procedure) -> Steps {
    let program = polynomials.program;
    let forest = procedure.loops();
    let mut found = Steps::default();
    for (id, _) in forest.loops().iter_enumerated() {
        let body: BTreeSet<Loc> = forest.body(id).iter().copied().collect();
        let inside = procedure.edges().iter();
        let inside = inside.filter(|edge| body.contains(&edge.source) && body.contains(&edge.target));
        let mut writes: BTreeMap<VarId, Vec<Option<ExprId>>> = BTreeMap::new();
        for op in inside.flat_map(|edge| &edge.ops) {
            for place in op.places() {
                if let Place::Var(var) = place {
                    let value = if let Op::Assign { value, .. } = op { Some(*value) } else { None };
                    writes.entry(*var).or_default().push(value);
                }
            }
        }
        let (mut counters, mut steps) = (BTreeSet::new(), BTreeSet::new());
        for (var, values) in &writes {
            let [Some(value)] = values[..] else { continue };
            match increment(program, *var, value) {
                Some(Increment::Constant) => counters.insert(*var),
                Some(Increment::Variable(step)) => steps.insert(step),
                None => false,
            };
        }
        for (var, values) in &writes {
            let [Some(value)] = values[..] else { continue };
            for monomial in polynomials.added(*var, value) {
                if monomial.len() < MAX_DEGREE && monomial.iter().all(|factor| counters.contains(factor)) {
                    let mut factors = monomial.clone();
                    factors.dedup();
                    for counter in factors {
                        let mut power = monomial.clone();
                        power.push(counter);
                        power.sort_unstable();
                        found.powers.insert(power);
                    }
                }
            }
        }
        for step in steps.iter().filter(|step| !writes.contains_key(*step)) {
            for counter in &counters {
                let mut both = vec![*counter, *step];
                both.sort_unstable();
                found.products.insert(both);
            }
        }
    }
    found
}

/// What an assignment adds to a variable.
pub(crate) enum Increment {
    /// A number.
    Constant,
    /// The value of another variable.
    Variable(VarId),
}

/// What an assignment of `value` to `var` adds to it.
pub(crate) fn increment(program: &Program, var: VarId, value: ExprId) -> Option<Increment> {
    let Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } = *program.exprs.get(value)
    else {
        return None;
    };
    let is_var = |id: ExprId| matches!(*program.exprs.get(id), Expr::Var { var: other, .. } if other == var);
    let step = if is_var(lhs) {
        rhs
    } else if is_var(rhs) && op == BinaryOp::Add {
        lhs
    } else {
        return None;
    };
    match *program.exprs.get(step) {
        Expr::Const { .. } => Some(Increment::Constant),
        _ => plain_variable(program, step).map(Increment::Variable),
    }
}
