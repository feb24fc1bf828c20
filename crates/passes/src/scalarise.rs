//! Short arrays that are only accessed at constant indices become scalars.
//!
//! # Rule
//! An array variable of at most [`MOST_ELEMENTS`] elements becomes one variable for each element if every access to it is at a constant index inside of it, if nothing but [`Op::Init`] gives it contents as a whole, and if no element is read before it is written.
//! Analyses of counters, sums and products follow variables: `sum[0] = sum[0] + a[i]` is then a sum like any other.
//!
//! # Meaning
//! The same executions. What an element holds before it is written is never read.
//!
//! # Cost
//! Linear in the program.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use cfa::op::{InitKind, Op, Place};
use cfa::{Expr, ExprId, Length, Loc, ProcId, Program, Storage, Ty, Var, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::back::{BackTranslation, EdgeOrigin, OpOrigin};
use super::build::{self, NewEdge, replace_procedures};

/// Elements of an array that becomes scalars.
const MOST_ELEMENTS: u64 = 4;

/// Gives each element of short arrays a variable of its own.
pub fn scalarise(program: &Program) -> (Program, BackTranslation) {
    let arrays = arrays(program);
    if arrays.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut split = Split::new(program, arrays);
    let (mut new, mut back) = replace_procedures(program, |proc| split.procedure(proc));
    new.vars = split.new.vars;
    new.exprs = split.new.exprs;
    back.extend_vars(new.vars.len(), &BTreeMap::new());
    (new, back)
}

/// The arrays that become scalars, each with the type and the number of its elements.
fn arrays(program: &Program) -> BTreeMap<VarId, (Ty, u64)> {
    let mut found = BTreeMap::new();
    for (var, info) in program.vars.iter_enumerated() {
        if let Storage::Array { elem, length: Length::Fixed(length) } = info.storage
            && length <= MOST_ELEMENTS
        {
            found.insert(var, (elem, length));
        }
    }
    for procedure in &program.procs {
        for var in procedure.params.iter().chain(&procedure.results) {
            found.remove(var);
        }
        for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
            for place in op.places() {
                if let Place::Elem { array, index } = *place {
                    retain(program, &mut found, array, index);
                }
            }
            match op {
                Op::Init { contents: InitKind::Zero, .. } => {}
                // That no element is read before it is written can be seen of local variables only.
                Op::Init { var, contents: InitKind::Uninitialised } if program.vars[*var].owner.is_some() => {
                }
                Op::Init { var, .. } | Op::Allocate { var, .. } => _ = found.remove(var),
                Op::CopyElems { to, from, .. } => {
                    found.remove(to);
                    found.remove(from);
                }
                Op::FillElems { to, .. } => _ = found.remove(to),
                _ => {}
            }
        }
    }
    for expr in used(program) {
        match *program.exprs.get(expr) {
            Expr::Elem { array, index, .. } => retain(program, &mut found, array, index),
            Expr::Address { var } => _ = found.remove(&var),
            _ => {}
        }
    }
    found.retain(|array, _| is_written_first(program, *array));
    found
}

/// Whether no element of an array is read before it is written, as far as a procedure tells. Choices of such elements go back by the element, not by the variable.
fn is_written_first(program: &Program, array: VarId) -> bool {
    // The elements that expressions read, one bit for each; operands come first in the arena.
    let mut reads: FxHashMap<ExprId, u8> = FxHashMap::default();
    for (id, expr) in program.exprs.iter() {
        let mut read = match *expr {
            Expr::Elem { array: own, index, .. } if own == array => bit(program, index),
            _ => 0,
        };
        expr.operands().for_each(|operand| read |= reads[&operand]);
        reads.insert(id, read);
    }
    program.procs.iter().all(|procedure| {
        let mut seen: FxHashSet<(Loc, u8)> = FxHashSet::default();
        let mut pending: Vec<(Loc, u8)> = procedure.locations.ids().map(|location| (location, 0)).collect();
        while let Some((location, before)) = pending.pop() {
            if !seen.insert((location, before)) {
                continue;
            }
            for edge in procedure.outgoing(location) {
                let edge = &procedure.edges()[*edge];
                let mut open = before;
                for op in &edge.ops {
                    if op.exprs().any(|expr| reads[&expr] & open != 0) {
                        return false;
                    }
                    match op {
                        Op::Init { var, contents } if *var == array => {
                            open = if *contents == InitKind::Uninitialised { u8::MAX } else { 0 };
                        }
                        _ => {}
                    }
                    for place in op.places() {
                        if let Place::Elem { array: own, index } = *place
                            && own == array
                        {
                            open &= !bit(program, index);
                        }
                    }
                }
                pending.push((edge.target, open));
            }
        }
        true
    })
}

/// The bit of the element at a constant index.
fn bit(program: &Program, index: ExprId) -> u8 {
    element(program, index).filter(|index| *index < MOST_ELEMENTS).map_or(u8::MAX, |index| 1 << index)
}

/// The expressions that operations use; earlier passes leave others behind.
fn used(program: &Program) -> BTreeSet<ExprId> {
    let ops = program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops);
    let mut pending: Vec<ExprId> = ops.flat_map(Op::exprs).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            pending.extend(program.exprs.get(id).operands());
        }
    }
    seen
}

/// Keeps an array only if an index is one of it.
fn retain(program: &Program, found: &mut BTreeMap<VarId, (Ty, u64)>, array: VarId, index: ExprId) {
    let Some((_, length)) = found.get(&array) else { return };
    if element(program, index).is_none_or(|index| index >= *length) {
        found.remove(&array);
    }
}

/// The index that a constant is.
fn element(program: &Program, index: ExprId) -> Option<u64> {
    match *program.exprs.get(index) {
        Expr::Const { ty: Ty::Int { .. }, bits } => u64::try_from(bits).ok(),
        _ => None,
    }
}

struct Split<'p> {
    old: &'p Program,
    /// Has the variables and expressions of the result.
    new: Program,
    /// The variables of elements, by index.
    elements: BTreeMap<VarId, Vec<(VarId, Ty)>>,
    /// Old expressions as new ones.
    exprs: FxHashMap<ExprId, ExprId>,
}

impl<'p> Split<'p> {
    fn new(program: &'p Program, arrays: BTreeMap<VarId, (Ty, u64)>) -> Self {
        let mut new = program.clone();
        let mut elements = BTreeMap::new();
        for (array, (ty, length)) in arrays {
            let vars = (0..length).map(|index| {
                let info = &program.vars[array];
                let name = format!("{}[{index}]", info.name).into();
                let var = Var { name, storage: Storage::Scalar(ty), ..info.clone() };
                (new.vars.push(var), ty)
            });
            let vars = vars.collect();
            elements.insert(array, vars);
        }
        let mut split = Self { old: program, new, elements, exprs: FxHashMap::default() };
        // Operands come first in the arena.
        for (id, expr) in program.exprs.iter() {
            let new = match *expr {
                Expr::Elem { array, index, .. } if split.elements.contains_key(&array) => {
                    split.variable(array, index).map(|(var, ty)| Expr::Var { var, ty })
                }
                _ => None,
            };
            let new = new.unwrap_or_else(|| expr.map_operands(|operand| split.exprs[&operand]));
            let new = split.new.exprs.add(new);
            split.exprs.insert(id, new);
        }
        split
    }

    /// The variable of an element, if its array has become scalars.
    fn variable(&self, array: VarId, index: ExprId) -> Option<(VarId, Ty)> {
        let vars = self.elements.get(&array)?;
        let index = element(self.old, index)?;
        vars.get(usize::try_from(index).ok()?).copied()
    }

    fn procedure(&mut self, proc: ProcId) -> (cfa::Procedure, super::back::ProcOrigin) {
        let edges: IndexVec<cfa::EdgeId, NewEdge> =
            self.old.procs[proc].edges().ids().map(|edge| self.edge(proc, edge)).collect();
        build::procedure(self.old, proc, |_| true, edges)
    }

    fn edge(&mut self, proc: ProcId, edge: cfa::EdgeId) -> NewEdge {
        let old = &self.old.procs[proc].edges()[edge];
        let mut from = EdgeOrigin::whole(proc, edge, 0);
        let mut ops = Vec::new();
        for (position, op) in old.ops.iter().enumerate() {
            let origin = OpOrigin::new(0, position as u32);
            if let Op::Init { var, contents } = op
                && let Some(vars) = self.elements.get(var).cloned()
            {
                let first = self.first_contents(&vars, *contents);
                from.ops.extend(first.iter().map(|_| Some(origin)));
                ops.extend(first);
                continue;
            }
            ops.push(self.op(op));
            from.ops.push(Some(origin));
        }
        NewEdge { edge, target: old.target, ops, from, origin: None }
    }

    /// Operations that give elements their first contents.
    fn first_contents(&mut self, vars: &[(VarId, Ty)], contents: InitKind) -> Vec<Op> {
        if contents != InitKind::Zero {
            return Vec::new();
        }
        let zeros = vars.iter().map(|(var, ty)| {
            let value = self.new.exprs.add(Expr::Const { ty: *ty, bits: 0 });
            Op::Assign { place: Place::Var(*var), value }
        });
        zeros.collect()
    }

    fn op(&self, op: &Op) -> Op {
        build::with_places(
            op,
            |expr| self.exprs[&expr],
            |place| match *place {
                Place::Elem { array, index } => self.variable(array, index).map(|(var, _)| Place::Var(var)),
                _ => None,
            },
        )
    }
}
