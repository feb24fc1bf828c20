//! Accesses through arbitrary pointers.
//!
//! An access through a pointer that comes from an input, an extern function or an uninitialised variable is undefined in the
//! program, which ends the execution there; in the source the pointer may lead to an object that the
//! program does not know. So the program has fewer behaviours than the source, and the ledger says so.
//!
//! # Invariants
//! * A1: flow-insensitive and closed under assignment, calls and memory: what is not found arbitrary comes from objects, functions
//!   and null pointers only, except for pointers that are read from uninitialised memory.

use base::IndexVec;
use cfa::{
    Approximation, ApproximationKind, BinaryOp, Callee, Edge, EdgeId, Expr, ExprId, Op, Place, Procedure,
    Program, Source, Ty, VarId,
};
use rustc_hash::FxHashSet;

/// What may be arbitrary, as far as it could become an address.
#[derive(Debug, Default)]
struct Tainted {
    vars: FxHashSet<VarId>,
    /// Pointers and integers in memory.
    pointers_in_memory: bool,
    integers_in_memory: bool,
    changed: bool,
}

impl Tainted {
    fn add(&mut self, place: &Place) {
        self.changed |= match place {
            Place::Var(var) | Place::Elem { array: var, .. } => self.vars.insert(*var),
            Place::Mem { ty: Ty::Ptr, .. } => !std::mem::replace(&mut self.pointers_in_memory, true),
            Place::Mem { .. } | Place::Bits { .. } => !std::mem::replace(&mut self.integers_in_memory, true),
        };
    }
}

/// The first access through a pointer that may be arbitrary, for the ledger.
pub(super) fn accesses(program: &Program) -> Option<Approximation> {
    let mut tainted = Tainted::default();
    for procedure in &program.procs {
        let mut reads = None;
        for (id, edge) in procedure.edges().iter_enumerated() {
            for op in &edge.ops {
                if matches!(op, Op::Forget { addresses, .. } if !addresses.is_empty()) {
                    tainted.pointers_in_memory = true;
                }
                let Op::Havoc { place, source, .. } = op else { continue };
                let live = *source != Source::Uninitialised || {
                    let reads = reads.get_or_insert_with(|| pointers_read(program, procedure));
                    is_read(program, procedure, reads, id, place)
                };
                if live {
                    tainted.add(place);
                }
            }
        }
    }
    loop {
        let values = evaluate(program, &tainted);
        tainted.changed = false;
        for procedure in &program.procs {
            for edge in procedure.edges() {
                edge.ops.iter().for_each(|op| propagate(program, op, &values, &mut tainted));
            }
        }
        if !tainted.changed {
            return find(program, &values);
        }
    }
}

/// The pointer variables that each edge reads.
fn pointers_read(program: &Program, procedure: &Procedure) -> IndexVec<EdgeId, Vec<VarId>> {
    let mut seen = FxHashSet::default();
    let mut stack = Vec::new();
    procedure
        .edges()
        .iter()
        .map(|edge| {
            seen.clear();
            stack.extend(edge.ops.iter().flat_map(Op::exprs));
            let mut found = Vec::new();
            while let Some(id) = stack.pop() {
                match program.exprs.get(id) {
                    Expr::Var { var, ty: Ty::Ptr } => found.push(*var),
                    Expr::Var { .. } | Expr::Const { .. } => {}
                    node if seen.insert(id) => stack.extend(node.operands()),
                    _ => {}
                }
            }
            found
        })
        .collect()
}

/// Whether a variable that is declared without initialiser may be read before it is written; only pointers are looked at.
fn is_read(
    program: &Program,
    procedure: &Procedure,
    reads: &IndexVec<EdgeId, Vec<VarId>>,
    declaration: EdgeId,
    place: &Place,
) -> bool {
    let Place::Var(var) = *place else { return false };
    if program.vars[var].scalar() != Some(Ty::Ptr) {
        return false;
    }
    let mut seen = FxHashSet::default();
    let mut stack = vec![procedure.edges()[declaration].target];
    while let Some(location) = stack.pop() {
        if !seen.insert(location) {
            continue;
        }
        for id in procedure.outgoing(location) {
            let edge = &procedure.edges()[*id];
            if reads[*id].contains(&var) {
                return true;
            }
            if !edge.ops.iter().any(|op| op.places().any(|place| *place == Place::Var(var))) {
                stack.push(edge.target);
            }
        }
    }
    false
}

/// For every expression whether its value, used as an address, may be arbitrary.
fn evaluate(program: &Program, tainted: &Tainted) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(program.exprs.len());
    for (_, expr) in program.exprs.iter() {
        let of = |id: ExprId| values[id.0 as usize];
        let value = match *expr {
            Expr::Const { ty, bits } => ty == Ty::Ptr && bits != 0,
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } => tainted.vars.contains(&var),
            Expr::Load { ty: Ty::Ptr, .. } => tainted.pointers_in_memory,
            Expr::Load { .. } | Expr::LoadBits { .. } => tainted.integers_in_memory,
            Expr::Address { .. }
            | Expr::Function { .. }
            | Expr::Accessible { .. }
            | Expr::Freeable { .. }
            | Expr::Undefined { .. } => false,
            Expr::Bounded { index, .. } => of(index),
            Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => of(arg),
            Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => of(lhs),
            Expr::Binary { op: BinaryOp::PtrSub, .. } => false,
            Expr::Binary { op, lhs, rhs } => !op.is_comparison() && (of(lhs) || of(rhs)),
            Expr::Ite { then, other, .. } => of(then) || of(other),
        };
        values.push(value);
    }
    values
}

fn propagate(program: &Program, op: &Op, values: &[bool], tainted: &mut Tainted) {
    match op {
        Op::Assign { place, value } if values[value.0 as usize] => tainted.add(place),
        Op::Call { callee, args, results } => {
            let targets = match callee {
                Callee::Direct(target) => std::slice::from_ref(target),
                Callee::Indirect { targets, .. } => targets,
            };
            for target in targets {
                let procedure = &program.procs[*target];
                for (param, arg) in procedure.params.iter().zip(args) {
                    if values[arg.0 as usize] {
                        tainted.add(&Place::Var(*param));
                    }
                }
                for (result, place) in procedure.results.iter().zip(results) {
                    if let (Some(place), true) = (place, tainted.vars.contains(result)) {
                        tainted.add(place);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The first access in the program's order.
fn find(program: &Program, values: &[bool]) -> Option<Approximation> {
    let mut dereferences = vec![false; program.exprs.len()];
    for (id, expr) in program.exprs.iter() {
        dereferences[id.0 as usize] = expr.operands().any(|operand| dereferences[operand.0 as usize])
            || matches!(*expr, Expr::Load { addr, .. } | Expr::LoadBits { addr, .. } if values[addr.0 as usize]);
    }
    let is_access = |edge: &Edge| {
        edge.ops.iter().any(|op| {
            let through_place = op.places().any(|place| match place {
                Place::Mem { addr, .. } | Place::Bits { addr, .. } => values[addr.0 as usize],
                Place::Var(_) | Place::Elem { .. } => false,
            });
            let through_range = match op {
                Op::Copy { to, from, .. } => values[to.0 as usize] || values[from.0 as usize],
                Op::Fill { to, .. } | Op::Forget { to, .. } => values[to.0 as usize],
                _ => false,
            };
            through_place || through_range || op.exprs().any(|expr| dereferences[expr.0 as usize])
        })
    };
    let edge =
        program.procs.iter().flat_map(|procedure| procedure.edges().iter()).find(|edge| is_access(edge))?;
    Some(Approximation {
        kind: ApproximationKind::Under,
        what: "an access through an arbitrary pointer ends the execution".to_owned(),
        region: edge.origin.region,
    })
}
