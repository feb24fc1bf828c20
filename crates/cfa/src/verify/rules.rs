//! The rules for single parts of a program: types, variables, expressions, places, operations and calls.

use base::Idx;

use super::{Complaint, Invariant, complain, ensure};
use crate::expr::{BinaryOp, Expr, ExprId, Exprs, UnaryOp};
use crate::op::{Callee, HaltReason, Op, Place};
use crate::program::{Length, ProcId, Program, Storage, Var, VarId};
use crate::ty::Ty;

fn check_ty(ty: Ty) -> Result<(), Complaint> {
    match ty {
        Ty::Int { width, .. } => {
            ensure!((1..=128).contains(&width), Invariant::I3, "no integer has {width} bits")
        }
        Ty::Float(_) | Ty::Ptr => Ok(()),
    }
}

pub(super) fn check_storage(var: &Var) -> Result<(), Complaint> {
    match var.storage {
        Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => check_ty(ty),
        Storage::Object { align, .. } => ensure!(
            align.is_power_of_two(),
            Invariant::P3,
            "the alignment {align} of {} is not a power of two",
            var.name
        ),
    }
}

pub(super) fn check_interface(
    program: &Program,
    proc: ProcId,
    var: VarId,
    what: &str,
) -> Result<(), Complaint> {
    let Some(declared) = program.vars.get(var) else {
        return complain(Invariant::P1, format!("{what} {var} does not exist"));
    };
    ensure!(
        declared.owner == Some(proc),
        Invariant::P5,
        "{what} {} is not a variable of the procedure",
        declared.name
    )?;
    ensure!(declared.scalar().is_some(), Invariant::P5, "{what} {} is not a scalar", declared.name)
}

type Vars = base::IndexVec<VarId, Var>;

fn scalar_of(vars: &Vars, var: VarId, invariant: Invariant) -> Result<Ty, Complaint> {
    match vars.get(var) {
        None => complain(Invariant::P1, format!("{var} does not exist")),
        Some(declared) => match declared.storage {
            Storage::Scalar(ty) => Ok(ty),
            Storage::Array { .. } | Storage::Object { .. } => {
                complain(invariant, format!("{} is not a scalar", declared.name))
            }
        },
    }
}

fn elem_of(vars: &Vars, var: VarId, invariant: Invariant) -> Result<(Ty, Length), Complaint> {
    match vars.get(var) {
        None => complain(Invariant::P1, format!("{var} does not exist")),
        Some(declared) => match declared.storage {
            Storage::Array { elem, length } => Ok((elem, length)),
            Storage::Scalar(_) | Storage::Object { .. } => {
                complain(invariant, format!("{} is not an array", declared.name))
            }
        },
    }
}

fn check_object(vars: &Vars, var: VarId, invariant: Invariant) -> Result<(), Complaint> {
    match vars.get(var) {
        None => complain(Invariant::P1, format!("{var} does not exist")),
        Some(declared) => ensure!(
            matches!(declared.storage, Storage::Object { .. }),
            invariant,
            "{} is not a memory object",
            declared.name
        ),
    }
}

/// Checks one node: I1, I3, I4 and the ids in it. `id` is the node's own, if it has one already.
pub(crate) fn check_expr(
    exprs: &Exprs,
    vars: &Vars,
    procs: usize,
    id: Option<ExprId>,
    expr: &Expr,
) -> Result<(), Complaint> {
    use Invariant::{I1, I3, P1};
    let bound = id.map_or(exprs.len(), Idx::index);
    for operand in expr.operands() {
        ensure!(operand.index() < bound, I1, "operand {operand} does not precede its expression")?;
    }
    let ty = |id: ExprId| exprs.ty(id);
    let want = |id: ExprId, holds: bool, what: &str| {
        ensure!(holds, I3, "operand of type {} where {what} is needed", exprs.ty(id))
    };
    match *expr {
        Expr::Const { ty, bits } => check_const(exprs, ty, bits),
        Expr::Var { var, ty } => {
            let declared = scalar_of(vars, var, I3)?;
            ensure!(declared == ty, I3, "{var} is used as {ty} but is {declared}")
        }
        Expr::Elem { array, index, ty } => {
            let (elem, _) = elem_of(vars, array, I3)?;
            ensure!(elem == ty, I3, "elements of {array} are used as {ty} but are {elem}")?;
            want(index, exprs.ty(index).is_int(), "an integer")
        }
        Expr::Load { addr, ty: loaded } => {
            check_ty(loaded)?;
            want(addr, ty(addr) == Ty::Ptr, "a pointer")
        }
        Expr::LoadBits { addr, bit, ty: loaded } => {
            check_ty(loaded).and_then(|()| check_bits(bit, loaded, I3))?;
            want(addr, ty(addr) == Ty::Ptr, "a pointer")
        }
        Expr::Address { var } => check_object(vars, var, I3),
        Expr::Function { proc } => ensure!(proc.index() < procs, P1, "procedure {proc} does not exist"),
        Expr::Accessible { addr, .. }
        | Expr::Freeable { addr }
        | Expr::Test { addr, .. }
        | Expr::Initialised { addr, .. } => {
            want(addr, ty(addr) == Ty::Ptr, "a pointer")?;
            check_test(exprs, expr)
        }
        Expr::SameObject { .. } | Expr::Lost => check_test(exprs, expr),
        Expr::Bounded { index, .. } => want(index, ty(index).is_int(), "an integer"),
        Expr::Undefined { ty } => check_ty(ty),
        Expr::Unary { op: UnaryOp::Neg, arg } => want(arg, ty(arg) != Ty::Ptr, "a number"),
        Expr::Unary { op: UnaryOp::Not, arg } => want(arg, ty(arg).is_int(), "an integer"),
        Expr::Binary { op, lhs, rhs } => check_binary(exprs, op, lhs, rhs),
        Expr::Cast { ty: target, arg } => {
            check_ty(target)?;
            check_cast(ty(arg), target)
        }
        Expr::Ite { cond, then, other } => {
            want(cond, ty(cond) == Ty::BOOL, "a truth value")?;
            ensure!(ty(then) == ty(other), I3, "the branches have types {} and {}", ty(then), ty(other))
        }
    }
}

/// What a test of an address asks for besides it.
fn check_test(exprs: &Exprs, expr: &Expr) -> Result<(), Complaint> {
    match *expr {
        Expr::Accessible { length, .. } => {
            let ty = exprs.ty(length);
            let is_natural = ty.is_int() && !ty.is_signed();
            ensure!(is_natural, Invariant::I3, "operand of type {ty} where an unsigned integer is needed")
        }
        Expr::Initialised { bit, ty, .. } => {
            check_ty(ty)?;
            bit.map_or(Ok(()), |bit| check_bits(bit, ty, Invariant::I3))
        }
        Expr::SameObject { one, other } => {
            let are_pointers = [one, other].into_iter().all(|operand| exprs.ty(operand) == Ty::Ptr);
            ensure!(are_pointers, Invariant::I3, "an operand where a pointer is needed")
        }
        _ => Ok(()),
    }
}

fn check_cast(from: Ty, to: Ty) -> Result<(), Complaint> {
    let mixes = |a: Ty, b: Ty| a.is_float() && b == Ty::Ptr;
    ensure!(!mixes(from, to) && !mixes(to, from), Invariant::I3, "no conversion from {from} to {to}")
}

fn check_const(exprs: &Exprs, ty: Ty, bits: u128) -> Result<(), Complaint> {
    check_ty(ty)?;
    let width = if ty == Ty::Ptr { exprs.pointer_width() } else { const_width(ty) };
    let reduced = width >= 128 || bits >> width == 0;
    ensure!(reduced, Invariant::I4, "constant {bits:#x} has more than {width} bits")
}

fn const_width(ty: Ty) -> u8 {
    // Only pointers depend on the data model.
    ty.width(crate::ty::DataModel::Lp64)
}

fn check_bits(bit: u8, ty: Ty, invariant: Invariant) -> Result<(), Complaint> {
    ensure!(bit < 8, invariant, "a bit-field cannot start at bit {bit} of a byte")?;
    ensure!(ty.is_int(), invariant, "a bit-field cannot have type {ty}")
}

fn check_binary(exprs: &Exprs, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Result<(), Complaint> {
    let (left, right) = (exprs.ty(lhs), exprs.ty(rhs));
    let legal = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => left == right && left != Ty::Ptr,
        BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => left == right && left.is_int(),
        BinaryOp::Shl | BinaryOp::Shr => left.is_int() && right.is_int(),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => left == right,
        BinaryOp::PtrAdd => left == Ty::Ptr && right == Ty::signed(exprs.pointer_width()),
        BinaryOp::PtrSub => left == Ty::Ptr && right == Ty::Ptr,
    };
    ensure!(legal, Invariant::I3, "operands of types {left} and {right} for {op:?}")
}

/// Checks a place and gives the type of what it holds.
fn check_place(program: &Program, place: &Place) -> Result<Ty, Complaint> {
    let pointer = |addr: ExprId| check_type(program, addr, Ty::Ptr, "an address");
    match *place {
        Place::Var(var) => scalar_of(&program.vars, var, Invariant::P3),
        Place::Elem { array, index } => {
            check_int(program, index, "an index")?;
            elem_of(&program.vars, array, Invariant::P3).map(|(elem, _)| elem)
        }
        Place::Mem { addr, ty } => {
            pointer(addr)?;
            check_ty(ty)?;
            Ok(ty)
        }
        Place::Bits { addr, bit, ty } => {
            pointer(addr)?;
            check_ty(ty)?;
            check_bits(bit, ty, Invariant::P3)?;
            Ok(ty)
        }
    }
}

fn type_of(program: &Program, expr: ExprId) -> Result<Ty, Complaint> {
    if expr.index() < program.exprs.len() {
        Ok(program.exprs.ty(expr))
    } else {
        complain(Invariant::P1, format!("{expr} does not exist"))
    }
}

fn check_type(program: &Program, expr: ExprId, want: Ty, what: &str) -> Result<(), Complaint> {
    let ty = type_of(program, expr)?;
    ensure!(ty == want, Invariant::P3, "{what} has type {ty} instead of {want}")
}

fn check_int(program: &Program, expr: ExprId, what: &str) -> Result<(), Complaint> {
    let ty = type_of(program, expr)?;
    ensure!(ty.is_int(), Invariant::P3, "{what} has type {ty} instead of an integer type")
}

fn check_size(program: &Program, expr: ExprId, what: &str) -> Result<(), Complaint> {
    let ty = type_of(program, expr)?;
    ensure!(
        ty.is_int() && !ty.is_signed(),
        Invariant::P3,
        "{what} has type {ty} instead of an unsigned integer type"
    )
}

fn check_holds(program: &Program, place: &Place, want: Ty, what: &str) -> Result<(), Complaint> {
    let ty = check_place(program, place)?;
    ensure!(ty == want, Invariant::P3, "{what} of type {want} goes to a place of type {ty}")
}

fn check_local_object(program: &Program, var: VarId) -> Result<(), Complaint> {
    check_object(&program.vars, var, Invariant::P3)?;
    ensure!(
        program.vars[var].owner.is_some(),
        Invariant::P3,
        "{} is global: its lifetime does not start or end",
        program.vars[var].name
    )
}

/// Checks the types of one operation (P3) and that nobody calls the entry procedure (P4).
pub(crate) fn check_op(program: &Program, op: &Op) -> Result<(), Complaint> {
    let pointer = |addr: ExprId| check_type(program, addr, Ty::Ptr, "an address");
    match op {
        Op::Assign { place, value } => {
            let ty = type_of(program, *value)?;
            check_holds(program, place, ty, "a value")
        }
        Op::Assume { cond } => check_type(program, *cond, Ty::BOOL, "a condition"),
        Op::Havoc { place, .. } => check_place(program, place).map(|_| ()),
        Op::Init { var, .. } => check_whole(program, *var),
        Op::Allocate { var, length } => {
            let (_, declared) = elem_of(&program.vars, *var, Invariant::P3)?;
            ensure!(declared == Length::Dynamic, Invariant::P3, "{var} has a fixed length")?;
            check_int(program, *length, "a length")
        }
        Op::Begin { var } | Op::End { var } => check_local_object(program, *var),
        Op::Malloc { place, size, .. } => {
            check_holds(program, place, Ty::Ptr, "an address")?;
            check_size(program, *size, "a size")
        }
        Op::Realloc { place, old, size } => {
            check_holds(program, place, Ty::Ptr, "an address")?;
            pointer(*old)?;
            check_size(program, *size, "a size")
        }
        Op::Free { addr } | Op::Release { addr } => pointer(*addr),
        Op::Copy { to, from, length } => {
            pointer(*to)?;
            pointer(*from)?;
            check_size(program, *length, "a length")
        }
        Op::Fill { to, byte, length } => {
            pointer(*to)?;
            check_type(program, *byte, Ty::unsigned(8), "a byte")?;
            check_size(program, *length, "a length")
        }
        Op::Forget { to, length, addresses, .. } => {
            pointer(*to)?;
            addresses.iter().try_for_each(|address| pointer(*address))?;
            check_size(program, *length, "a length")
        }
        Op::Write { to, .. } => pointer(*to),
        Op::CopyElems { .. } | Op::FillElems { .. } => check_elements(program, op),
        Op::Call { callee, args, results } => check_call(program, callee, args, results),
        Op::Output { args, result, .. } => {
            for arg in args {
                type_of(program, *arg)?;
            }
            result.as_ref().map_or(Ok(()), |place| check_holds(program, place, Ty::signed(32), "a result"))
        }
        Op::Halt { reason: HaltReason::Exit(status) } => check_int(program, *status, "a status"),
        Op::Halt { reason: HaltReason::Abort | HaltReason::Overlap | HaltReason::Misuse } => Ok(()),
    }
}

/// An array or an object in memory.
fn check_whole(program: &Program, var: VarId) -> Result<(), Complaint> {
    match program.vars.get(var) {
        None => complain(Invariant::P1, format!("{var} does not exist")),
        Some(declared) => {
            ensure!(declared.scalar().is_none(), Invariant::P3, "{} is a scalar", declared.name)
        }
    }
}

fn check_elements(program: &Program, op: &Op) -> Result<(), Complaint> {
    match op {
        Op::CopyElems { to, at, from, start, count } => {
            let (target, _) = elem_of(&program.vars, *to, Invariant::P3)?;
            let (source, _) = elem_of(&program.vars, *from, Invariant::P3)?;
            let same = target == source;
            ensure!(same, Invariant::P3, "elements of type {source} go to those of type {target}")?;
            check_int(program, *at, "an index")?;
            check_int(program, *start, "an index")?;
            check_size(program, *count, "a number of elements")
        }
        Op::FillElems { to, at, value, count } => {
            let (elem, _) = elem_of(&program.vars, *to, Invariant::P3)?;
            check_int(program, *at, "an index")?;
            check_type(program, *value, elem, "a value")?;
            check_size(program, *count, "a number of elements")
        }
        _ => Ok(()),
    }
}

fn check_call(
    program: &Program,
    callee: &Callee,
    args: &[ExprId],
    results: &[Option<Place>],
) -> Result<(), Complaint> {
    let targets = match callee {
        Callee::Direct(target) => std::slice::from_ref(target),
        Callee::Indirect { pointer, targets } => {
            check_type(program, *pointer, Ty::Ptr, "the pointer of an indirect call")?;
            targets
        }
    };
    for target in targets {
        let Some(procedure) = program.procs.get(*target) else {
            return complain(Invariant::P1, format!("procedure {target} does not exist"));
        };
        ensure!(*target != program.entry, Invariant::P4, "the entry procedure {} is called", procedure.name)?;
        let fits = procedure.params.len() == args.len() && procedure.results.len() == results.len();
        ensure!(
            fits,
            Invariant::P3,
            "a call of {} has the wrong number of arguments or results",
            procedure.name
        )?;
        for (param, arg) in procedure.params.iter().zip(args) {
            let ty = scalar_of(&program.vars, *param, Invariant::P5)?;
            check_type(program, *arg, ty, "an argument")?;
        }
        for (result, place) in procedure.results.iter().zip(results) {
            let ty = scalar_of(&program.vars, *result, Invariant::P5)?;
            if let Some(place) = place {
                check_holds(program, place, ty, "a result")?;
            }
        }
    }
    if targets.is_empty() {
        // A call of nobody is undefined, and yet its parts must make sense.
        for arg in args {
            type_of(program, *arg)?;
        }
        for place in results.iter().flatten() {
            check_place(program, place)?;
        }
    }
    Ok(())
}
