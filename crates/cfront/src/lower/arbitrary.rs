//! Accesses through arbitrary pointers.
//!
//! A pointer from *outside* comes from an input, an extern function or memory that was never written (where C says that an access is undefined). It is null, or leads to an object of its own, which belongs to no variable and no allocation of
//! the program, and is as large as needed: an assumption for the ledger.
//!
//! An access through any other arbitrary pointer (made of a number, or by the library) is undefined in the
//! program, which ends the execution there; in the source the pointer may lead to an object. So the program has fewer behaviours than the source, and the ledger says so.
//!
//! # Invariants
//! * A1: flow-insensitive and closed under assignment, calls and memory: what is not found arbitrary comes from objects, functions
//!   and null pointers only, except for pointers that are read from uninitialised memory.

use cfa::{
    Approximation, ApproximationKind, BinaryOp, Callee, Edge, Expr, ExprId, InitKind, Op, Place, Procedure,
    Program, Source, Storage, Ty, VarId,
};
use rustc_hash::FxHashSet;

use super::unwritten::unwritten;

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

/// Where arbitrary pointers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// From an input, an extern function or an uninitialised variable.
    Outside,
    /// From numbers and from the library.
    Elsewhere,
}

impl Origin {
    /// Whether an arbitrary value makes such pointers.
    fn includes(self, program: &Program, place: &Place, source: &Source) -> bool {
        let is_pointer = match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => matches!(
                program.vars[var].storage,
                Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. }
            ),
            Place::Mem { ty, .. } | Place::Bits { ty, .. } => ty == Ty::Ptr,
        };
        let is_outside = is_pointer
            && matches!(
                source,
                Source::Input { .. }
                    | Source::Extern { .. }
                    | Source::Argument { .. }
                    | Source::Global { .. }
                    | Source::Uninitialised
            );
        match self {
            Self::Outside => is_outside && *source != Source::Uninitialised,
            Self::Elsewhere => !is_outside,
        }
    }
}

/// The first access through a pointer of each origin that may be arbitrary, for the ledger.
pub(super) fn accesses(program: &Program) -> impl Iterator<Item = Approximation> {
    [Origin::Outside, Origin::Elsewhere].into_iter().filter_map(|origin| first_access(program, origin))
}

fn first_access(program: &Program, origin: Origin) -> Option<Approximation> {
    let found = first_access_unless(program, origin, |_| false)?;
    if origin == Origin::Outside {
        return Some(found);
    }
    // An integer that begins without value and is written before it is read makes no pointer.
    let unwritten = unwritten(program);
    first_access_unless(
        program,
        origin,
        |op| matches!(op, Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, .. } if !unwritten.contains(var)),
    )
}

/// The same, if some operations make no arbitrary values.
fn first_access_unless(
    program: &Program,
    origin: Origin,
    is_harmless: impl Fn(&Op) -> bool,
) -> Option<Approximation> {
    let mut tainted = Tainted::default();
    for op in program.procs.iter().flat_map(Procedure::edges).flat_map(|edge| &edge.ops) {
        match op {
            Op::Forget { addresses, .. } if !addresses.is_empty() && origin == Origin::Elsewhere => {
                tainted.pointers_in_memory = true;
            }
            Op::Init { contents: InitKind::Arbitrary, .. }
            | Op::Malloc { contents: InitKind::Arbitrary, .. }
                if origin == Origin::Outside =>
            {
                tainted.pointers_in_memory = true;
            }
            Op::Havoc { place, source, .. }
                if origin.includes(program, place, source) && !is_harmless(op) =>
            {
                tainted.add(place);
            }
            _ => {}
        }
    }
    loop {
        let values = evaluate(program, &tainted, origin);
        tainted.changed = false;
        for procedure in &program.procs {
            for edge in procedure.edges() {
                edge.ops.iter().for_each(|op| propagate(program, op, &values, &mut tainted));
            }
        }
        if !tainted.changed {
            return find(program, &values, origin);
        }
    }
}

/// For every expression whether its value, used as an address, may be arbitrary.
fn evaluate(program: &Program, tainted: &Tainted, origin: Origin) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(program.exprs.len());
    for (_, expr) in program.exprs.iter() {
        let of = |id: ExprId| values[id.0 as usize];
        let value = match *expr {
            Expr::Const { ty, bits } => ty == Ty::Ptr && bits != 0 && origin == Origin::Elsewhere,
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } => tainted.vars.contains(&var),
            Expr::Load { ty: Ty::Ptr, .. } => tainted.pointers_in_memory,
            Expr::Load { .. } | Expr::LoadBits { .. } => tainted.integers_in_memory,
            Expr::Address { .. }
            | Expr::Function { .. }
            | Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
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
fn find(program: &Program, values: &[bool], origin: Origin) -> Option<Approximation> {
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
    let (kind, what) = match origin {
        Origin::Outside => (
            ApproximationKind::Assumption,
            "a pointer from an input, an extern function or the start is null or leads to an object of its own, as large as needed",
        ),
        Origin::Elsewhere => {
            (ApproximationKind::Under, "an access through an arbitrary pointer ends the execution")
        }
    };
    Some(Approximation { kind, what: what.to_owned(), region: edge.origin.region })
}
