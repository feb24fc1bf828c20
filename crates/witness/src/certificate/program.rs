//! The automata of a prepared program as JSON, for readers that have no part of this tool.
//!
//! Numbers are those of the program: variables, procedures, locations, edges and expressions are named by their positions in lists, so that an annotation of the program speaks of the same things.
//! The format is described in docs/certificates.md.
//!
//! # Invariants
//! * I1: lists are flat: an expression names its operands by number, and they come before it.
//! * I2: what cannot be expressed (memory, addresses, floating-point numbers) is written as `opaque`: any value of its type.

use base::Idx;
use cfa::{
    BinaryOp, Callee, Expr, ExprId, InitKind, Length, Op, Place, Procedure, Program, SignedOverflow, Storage,
    Ty, UnaryOp, VarId,
};
use serde_json::{Value, json};

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// The text of a program.
pub(super) fn text(program: &Program) -> String {
    let overflow = match program.signed_overflow {
        SignedOverflow::Undefined => "undefined",
        SignedOverflow::Wrap => "wrap",
        SignedOverflow::Error => "error",
    };
    let head = [
        ("format", json!("wayproof-automata")),
        ("version", json!(VERSION)),
        ("data_model", json!(program.data_model.name())),
        ("pointer_bits", json!(program.data_model.pointer_width())),
        ("signed_overflow", json!(overflow)),
        ("entry", json!(program.entry.index())),
    ];
    let list = |key: &str, items: Vec<Value>| {
        let lines: Vec<String> = items.iter().map(|item| format!("  {item}")).collect();
        format!(" \"{key}\": [\n{}\n ]", lines.join(",\n"))
    };
    let mut parts: Vec<String> =
        head.into_iter().map(|(key, value)| format!(" \"{key}\": {value}")).collect();
    parts.push(list("variables", program.vars.iter().map(variable).collect()));
    parts.push(list("expressions", expressions(program)));
    parts.push(list("procedures", program.procs.iter().map(automaton).collect()));
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}

fn variable(var: &cfa::Var) -> Value {
    let owner = var.owner.map(Idx::index);
    let storage = match var.storage {
        Storage::Scalar(ty) => json!({ "kind": "scalar", "type": ty.to_string() }),
        Storage::Array { elem, length } => {
            let length = match length {
                Length::Fixed(length) => json!(length),
                Length::Dynamic => json!("dynamic"),
                Length::Unbounded => json!("unbounded"),
            };
            json!({ "kind": "array", "type": elem.to_string(), "length": length })
        }
        Storage::Object { .. } => json!({ "kind": "object" }),
    };
    json!({ "name": var.name.as_ref(), "owner": owner, "storage": storage })
}

/// The expressions that operations use; `null` for others, so that numbers stay.
fn expressions(program: &Program) -> Vec<Value> {
    let mut is_used = vec![false; program.exprs.len()];
    let edges = program.procs.iter().flat_map(Procedure::edges);
    for id in edges.flat_map(|edge| &edge.ops).flat_map(Op::exprs) {
        is_used[id.index()] = true;
    }
    for number in (0..is_used.len()).rev().filter(|number| is_used[*number]).collect::<Vec<_>>() {
        mark(program, ExprId::new(number), &mut is_used);
    }
    let last = is_used.iter().rposition(|used| *used).map_or(0, |last| last + 1);
    let expression = |number: usize| {
        if is_used[number] { expression(program, ExprId::new(number)) } else { Value::Null }
    };
    (0..last).map(expression).collect()
}

/// Marks all that is below an expression.
fn mark(program: &Program, root: ExprId, is_used: &mut [bool]) {
    let mut open: Vec<ExprId> = program.exprs.get(root).operands().collect();
    while let Some(id) = open.pop() {
        if !is_used[id.index()] {
            is_used[id.index()] = true;
            open.extend(program.exprs.get(id).operands());
        }
    }
}

fn expression(program: &Program, id: ExprId) -> Value {
    let ty = program.exprs.ty(id);
    let name = ty.to_string();
    match *program.exprs.get(id) {
        Expr::Const { ty: Ty::Int { width: 128, signed: false } | Ty::Ptr, bits } => {
            json!(["const", name, bits.to_string()])
        }
        Expr::Const { ty: Ty::Int { .. }, bits } => json!(["const", name, ty.value_of(bits).to_string()]),
        Expr::Var { var, .. } => json!(["var", name, var.index()]),
        Expr::Elem { array, index, .. } => json!(["elem", name, array.index(), index.index()]),
        Expr::Bounded { index, low, bound } => json!(["bounded", name, index.index(), low, bound]),
        Expr::Undefined { .. } => json!(["undefined", name]),
        Expr::Unary { op, arg } if !ty.is_float() => {
            let op = match op {
                UnaryOp::Neg => "neg",
                UnaryOp::Not => "not",
            };
            json!(["unary", name, op, arg.index()])
        }
        Expr::Binary { op, lhs, rhs } if !program.exprs.ty(lhs).is_float() => {
            json!(["binary", name, operator(op), lhs.index(), rhs.index()])
        }
        Expr::Cast { arg, .. } if !ty.is_float() && !program.exprs.ty(arg).is_float() => {
            json!(["cast", name, arg.index()])
        }
        Expr::Ite { cond, then, other } => json!(["ite", name, cond.index(), then.index(), other.index()]),
        Expr::Address { var } if program.vars[var].owner.is_none() => json!(["address", name]),
        Expr::Function { .. } => json!(["address", name]),
        other => {
            let operands: Vec<usize> = other.operands().map(Idx::index).collect();
            json!(["opaque", name, operands])
        }
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
        BinaryOp::Eq => "eq",
        BinaryOp::Ne => "ne",
        BinaryOp::Lt => "lt",
        BinaryOp::Le => "le",
        BinaryOp::PtrAdd => "ptr_add",
        BinaryOp::PtrSub => "ptr_sub",
    }
}

fn automaton(procedure: &Procedure) -> Value {
    let vars = |vars: &[VarId]| vars.iter().map(|var| var.index()).collect::<Vec<_>>();
    let edge = |edge: &cfa::Edge| {
        let ops: Vec<Value> = edge.ops.iter().map(operation).collect();
        json!([edge.source.index(), edge.target.index(), ops])
    };
    json!({
        "name": procedure.name.as_ref(),
        "params": vars(&procedure.params),
        "results": vars(&procedure.results),
        "entry": procedure.entry.index(),
        "exit": procedure.exit.index(),
        "error": procedure.error.map(Idx::index),
        "locations": procedure.locations.len(),
        "edges": procedure.edges().iter().map(edge).collect::<Vec<_>>(),
    })
}

fn place(place: Place) -> Value {
    match place {
        Place::Var(var) => json!(["var", var.index()]),
        Place::Elem { array, index } => json!(["elem", array.index(), index.index()]),
        Place::Mem { addr, ty } | Place::Bits { addr, ty, .. } => {
            json!(["memory", addr.index(), ty.to_string()])
        }
    }
}

fn contents(contents: InitKind) -> &'static str {
    match contents {
        InitKind::Zero => "zero",
        InitKind::Uninitialised | InitKind::Arbitrary => "arbitrary",
    }
}

fn operation(op: &Op) -> Value {
    match op {
        Op::Assign { place: to, value } => json!(["assign", place(*to), value.index()]),
        Op::Assume { cond } => json!(["assume", cond.index()]),
        Op::Havoc { place: to, .. } => json!(["havoc", place(*to)]),
        Op::Init { var, contents: new } => json!(["init", var.index(), contents(*new)]),
        Op::Allocate { var, length } => json!(["allocate", var.index(), length.index()]),
        Op::Malloc { place: to, .. } | Op::Realloc { place: to, .. } => {
            json!(["new_address", place(*to), evaluated(op)])
        }
        Op::CopyElems { to, at, from, start, count } => {
            json!(["copy", to.index(), at.index(), from.index(), start.index(), count.index()])
        }
        Op::FillElems { to, at, value, count } => {
            json!(["fill", to.index(), at.index(), value.index(), count.index()])
        }
        Op::Call { callee, args, results } => {
            let (pointer, targets) = match callee {
                Callee::Direct(target) => (None, vec![target.index()]),
                Callee::Indirect { pointer, targets } => {
                    (Some(pointer.index()), targets.iter().map(|target| target.index()).collect())
                }
            };
            let args: Vec<usize> = args.iter().map(|arg| arg.index()).collect();
            let results: Vec<Value> = results.iter().map(|to| to.map_or(Value::Null, place)).collect();
            json!(["call", pointer, targets, args, results])
        }
        Op::Output { result, .. } => json!(["output", result.map(place), evaluated(op)]),
        Op::Halt { .. } => json!(["halt"]),
        Op::Begin { .. }
        | Op::End { .. }
        | Op::Free { .. }
        | Op::Release { .. }
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Forget { .. }
        | Op::Write { .. } => json!(["evaluate", evaluated(op)]),
    }
}

/// What an operation evaluates, as far as the model of memory goes.
fn evaluated(op: &Op) -> Vec<usize> {
    let exprs: Vec<ExprId> = match op {
        Op::Forget { to, length, .. } => vec![*to, *length],
        other => other.values().collect(),
    };
    exprs.into_iter().map(Idx::index).collect()
}
