//! Arrays whose rows have a variable length get rows of a constant length.
//!
//! # Rule
//! `int a[m][n]` is one array in which `a[i][j]` is the element `i * n + j`: an index that is not linear. If every access to the array has this form, with the same variable for `n`, a check that `j` is one of a row, and `i` and `j` of
//! at most 32 bits, then the element is as well `i * 2^31 + j` of an array without bounds: both forms tell different pairs apart. The variable has to keep its value from the allocation on: it is assigned once, and never after the allocation.
//!
//! # Meaning
//! *More* executions: an allocation of too many elements, and an access to a row that does not exist, is undefined only where the program checks it by itself. What is read before it is written is chosen at other indices,
//! so a counterexample with such choices may not replay.
//!
//! # Invariants
//! * R1: the second subscript lies between 0 and 2^31 - 1, and below the length of a row.
//! * R2: the first subscript has at most 32 bits, and so has the length of a row: neither form wraps around.
//!
//! # Cost
//! Linear in the program for each array.

use std::collections::BTreeMap;

use cfa::op::{InitKind, Op, Place};
use cfa::{BinaryOp, EdgeId, Expr, ExprId, Length, Loc, ProcId, Procedure, Program, Storage, Ty, Var, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::back::{BackTranslation, EdgeOrigin, OpOrigin};
use super::build::{self, NewEdge, replace_procedures};

/// The new length of a row.
const ROW: i128 = 1 << 31;
/// The type of indices.
const INDEX: Ty = Ty::Int { width: 64, signed: true };

/// Gives arrays with rows of variable length rows of a constant one.
pub fn rows(program: &Program) -> (Program, BackTranslation) {
    let arrays = arrays(program);
    if arrays.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut linear = Linear { old: program, new: program.clone(), arrays: BTreeMap::new() };
    for array in arrays {
        let info = &program.vars[array];
        let Storage::Array { elem, .. } = info.storage else { continue };
        let storage = Storage::Array { elem, length: Length::Unbounded };
        let var = linear.new.vars.push(Var { storage, ..info.clone() });
        linear.arrays.insert(array, var);
    }
    let exprs = linear.exprs();
    let (mut new, mut back) = replace_procedures(program, |proc| linear.procedure(proc, &exprs));
    new.vars = linear.new.vars;
    new.exprs = linear.new.exprs;
    back.extend_vars(new.vars.len(), &BTreeMap::new());
    (new, back)
}

/// An operation of a procedure.
#[derive(Clone, Copy)]
struct At {
    edge: EdgeId,
    position: usize,
}

/// What operations do with the arrays and variables of a program.
#[derive(Default)]
struct Uses {
    /// Indices at which arrays are accessed.
    indices: BTreeMap<VarId, Vec<ExprId>>,
    allocations: BTreeMap<VarId, Vec<At>>,
    /// Arrays of which elements are written.
    filled: FxHashSet<VarId>,
    /// Where variables are written.
    writes: FxHashMap<VarId, Vec<At>>,
    /// Arrays that are used in other ways.
    others: FxHashSet<VarId>,
}

/// The arrays that get rows of a constant length: locals of the procedure where execution starts.
fn arrays(program: &Program) -> Vec<VarId> {
    let is_candidate = |var: &VarId| {
        let info = &program.vars[*var];
        info.owner == Some(program.entry)
            && matches!(info.storage, Storage::Array { length: Length::Dynamic, .. })
    };
    let candidates: Vec<VarId> = program.vars.ids().filter(is_candidate).collect();
    if candidates.is_empty() {
        return candidates;
    }
    let uses = uses(program);
    candidates.into_iter().filter(|array| has_rows(program, &uses, *array)).collect()
}

fn uses(program: &Program) -> Uses {
    let procedure = &program.procs[program.entry];
    let mut uses = Uses::default();
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    for (edge, content) in procedure.edges().iter_enumerated() {
        for (position, op) in content.ops.iter().enumerate() {
            let at = At { edge, position };
            for place in op.places() {
                match *place {
                    Place::Elem { array, index } => {
                        uses.indices.entry(array).or_default().push(index);
                        uses.filled.insert(array);
                    }
                    Place::Var(var) => uses.writes.entry(var).or_default().push(at),
                    Place::Mem { .. } | Place::Bits { .. } => {}
                }
            }
            match op {
                Op::Allocate { var, .. } => uses.allocations.entry(*var).or_default().push(at),
                Op::Init { var, .. } => _ = uses.others.insert(*var),
                Op::CopyElems { .. } | Op::FillElems { .. } => uses.others.extend(op.vars()),
                _ => {}
            }
            let mut pending: Vec<ExprId> = op.exprs().collect();
            while let Some(id) = pending.pop() {
                if !seen.insert(id) {
                    continue;
                }
                let expr = program.exprs.get(id);
                if let Expr::Elem { array, index, .. } = *expr {
                    uses.indices.entry(array).or_default().push(index);
                }
                pending.extend(expr.operands());
            }
        }
    }
    uses
}

/// Whether an array is accessed by rows alone, all of the length that it was allocated with.
fn has_rows(program: &Program, uses: &Uses, array: VarId) -> bool {
    let Some([allocation]) = uses.allocations.get(&array).map(Vec::as_slice) else { return false };
    let Some(indices) = uses.indices.get(&array).filter(|_| !uses.others.contains(&array)) else {
        return false;
    };
    // What is never written is chosen, and choices of elements go back by their index.
    if !uses.filled.contains(&array) {
        return false;
    }
    let mut lengths = indices.iter().map(|index| subscripts(program, *index).map(|found| found.length));
    let Some(Some(length)) = lengths.next() else { return false };
    if lengths.any(|other| other != Some(length)) || program.vars[length].owner != Some(program.entry) {
        return false;
    }
    let Some([written]) = uses.writes.get(&length).map(Vec::as_slice) else { return false };
    let procedure = &program.procs[program.entry];
    let narrow = match procedure.edges()[written.edge].ops[written.position] {
        Op::Assign { value, .. } => match *program.exprs.get(value) {
            Expr::Cast { arg, .. } => is_narrow(program, arg),
            _ => false,
        },
        _ => false,
    };
    narrow && is_length(program, *written, length) && !is_after(procedure, *written, *allocation)
}

/// Whether the variable that an operation writes is not negative as a signed number afterwards: the program goes on only then.
fn is_length(program: &Program, written: At, length: VarId) -> bool {
    let procedure = &program.procs[program.entry];
    let edge = &procedure.edges()[written.edge];
    let next = match (edge.ops.get(written.position + 1), procedure.outgoing(edge.target)) {
        (Some(next), _) => Some(next),
        (None, [only]) => procedure.edges()[*only].ops.first(),
        (None, _) => None,
    };
    let Some(Op::Assume { cond }) = next else { return false };
    let Expr::Binary { op: BinaryOp::Le, lhs, rhs } = *program.exprs.get(*cond) else { return false };
    let is_own = matches!(*program.exprs.get(lhs), Expr::Var { var, .. } if var == length);
    is_own && matches!(*program.exprs.get(rhs), Expr::Const { bits, .. } if bits >> 63 == 0)
}

/// Whether an operation may be executed after another one.
fn is_after(procedure: &Procedure, later: At, first: At) -> bool {
    if later.edge == first.edge && later.position > first.position {
        return true;
    }
    let mut seen: FxHashSet<Loc> = FxHashSet::default();
    let mut pending = vec![procedure.edges()[first.edge].target];
    while let Some(location) = pending.pop() {
        if !seen.insert(location) {
            continue;
        }
        if procedure.edges()[later.edge].source == location {
            return true;
        }
        pending.extend(procedure.outgoing(location).iter().map(|edge| procedure.edges()[*edge].target));
    }
    false
}

/// An index `row * length + column`.
struct Subscripts {
    row: ExprId,
    length: VarId,
    column: ExprId,
}

/// The parts of an index that satisfies R1 and R2.
fn subscripts(program: &Program, index: ExprId) -> Option<Subscripts> {
    let Expr::Binary { op: BinaryOp::Add, lhs, rhs: column } = *program.exprs.get(index) else { return None };
    let Expr::Binary { op: BinaryOp::Mul, lhs: row, rhs } = *program.exprs.get(lhs) else { return None };
    let Expr::Cast { ty: INDEX, arg } = *program.exprs.get(rhs) else { return None };
    let Expr::Var { var: length, .. } = *program.exprs.get(arg) else { return None };
    let is_one = is_checked(program, column, length) && is_small(program, row) && is_small(program, column);
    is_one.then_some(Subscripts { row, length, column })
}

/// Whether an expression is one of a signed type of at most 32 bits, in the type of indices.
fn is_small(program: &Program, expr: ExprId) -> bool {
    match *program.exprs.get(expr) {
        Expr::Cast { ty: INDEX, arg } => is_narrow(program, arg),
        Expr::Const { ty: INDEX, bits } => i128::try_from(bits).is_ok_and(|value| value < ROW),
        _ => false,
    }
}

fn is_narrow(program: &Program, expr: ExprId) -> bool {
    matches!(program.exprs.ty(expr), Ty::Int { width: 1..=32, signed: true })
}

/// R1: an expression has a value only between 0 and below the value of a variable.
fn is_checked(program: &Program, expr: ExprId, length: VarId) -> bool {
    let Expr::Cast { arg, .. } = *program.exprs.get(expr) else { return false };
    let Expr::Ite { cond, then, other } = *program.exprs.get(arg) else { return false };
    // No number lies between 0 and below 0: this is undefined whatever the index is.
    if !matches!(program.exprs.get(other), Expr::Bounded { low: 0, bound: 0, .. }) {
        return false;
    }
    let (mut pending, mut is_below, mut is_above) = (vec![cond], false, false);
    if let Expr::Const { ty: Ty::Int { width, .. }, bits } = *program.exprs.get(then) {
        is_above = bits >> (width - 1) == 0;
    }
    while let Some(part) = pending.pop() {
        match *program.exprs.get(part) {
            Expr::Binary { op: BinaryOp::And, lhs, rhs } => pending.extend([lhs, rhs]),
            Expr::Binary { op: BinaryOp::Le, lhs, rhs } if rhs == then => {
                is_above |= matches!(*program.exprs.get(lhs), Expr::Const { bits: 0, .. });
            }
            Expr::Binary { op: BinaryOp::Lt, lhs, rhs } => {
                let is_length = matches!(*program.exprs.get(rhs), Expr::Var { var, .. } if var == length);
                is_below |= is_length && is_widened(program, lhs, then);
            }
            _ => {}
        }
    }
    is_below && is_above
}

/// Whether an expression is another one as an unsigned number of 64 bits.
fn is_widened(program: &Program, wide: ExprId, narrow: ExprId) -> bool {
    match (program.exprs.get(wide), program.exprs.get(narrow)) {
        (Expr::Cast { ty: Ty::Int { width: 64, signed: false }, arg }, _) if *arg == narrow => true,
        (
            Expr::Const { ty: Ty::Int { width: 64, .. }, bits },
            Expr::Const { ty: Ty::Int { .. }, bits: own },
        ) => bits == own,
        _ => false,
    }
}

struct Linear<'p> {
    old: &'p Program,
    /// Has the variables and expressions of the result.
    new: Program,
    /// The new arrays.
    arrays: BTreeMap<VarId, VarId>,
}

impl Linear<'_> {
    /// Old expressions as new ones.
    fn exprs(&mut self) -> FxHashMap<ExprId, ExprId> {
        let old = self.old;
        let mut exprs: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        // Operands come first in the arena.
        for (id, expr) in old.exprs.iter() {
            let mapped = expr.map_operands(|operand| exprs[&operand]);
            let new = match *expr {
                Expr::Elem { array, index, ty } => match self.element(array, index, &exprs) {
                    Some((array, index)) => Expr::Elem { array, index, ty },
                    None => mapped,
                },
                _ => mapped,
            };
            exprs.insert(id, self.new.exprs.add(new));
        }
        exprs
    }

    /// The new place of an element.
    fn element(
        &mut self,
        array: VarId,
        index: ExprId,
        exprs: &FxHashMap<ExprId, ExprId>,
    ) -> Option<(VarId, ExprId)> {
        let array = *self.arrays.get(&array)?;
        let Subscripts { row, column, .. } = subscripts(self.old, index)?;
        let length = self.new.exprs.int(INDEX, ROW);
        let row = self.new.exprs.binary(BinaryOp::Mul, exprs[&row], length);
        Some((array, self.new.exprs.binary(BinaryOp::Add, row, exprs[&column])))
    }

    fn procedure(
        &mut self,
        proc: ProcId,
        exprs: &FxHashMap<ExprId, ExprId>,
    ) -> (Procedure, super::back::ProcOrigin) {
        let edges: Vec<NewEdge> =
            self.old.procs[proc].edges().ids().map(|edge| self.edge(proc, edge, exprs)).collect();
        build::procedure(self.old, proc, |_| true, edges)
    }

    fn edge(&mut self, proc: ProcId, edge: EdgeId, exprs: &FxHashMap<ExprId, ExprId>) -> NewEdge {
        let old = &self.old.procs[proc].edges()[edge];
        let mut from = EdgeOrigin::whole(proc, edge, 0);
        let mut ops = Vec::new();
        for (position, op) in old.ops.iter().enumerate() {
            from.ops.push(Some(OpOrigin::new(0, position as u32)));
            ops.push(self.op(op, exprs));
        }
        NewEdge { edge, target: old.target, ops, from, origin: None }
    }

    fn op(&mut self, op: &Op, exprs: &FxHashMap<ExprId, ExprId>) -> Op {
        if let Op::Allocate { var, .. } = op
            && let Some(var) = self.arrays.get(var)
        {
            return Op::Init { var: *var, contents: InitKind::Uninitialised };
        }
        build::with_places(
            op,
            |expr| exprs[&expr],
            |place| match *place {
                Place::Elem { array, index } => {
                    let (array, index) = self.element(array, index, exprs)?;
                    Some(Place::Elem { array, index })
                }
                _ => None,
            },
        )
    }
}
