//! Variables and expressions of procedures whose bodies are copied.
//!
//! A *frame* is a set of variables that stands for the local variables of a procedure in a copy of its body. Expressions are translated for one frame of
//! each procedure at a time: [`Frames::select`] says which.
//!
//! # Cost
//! Selecting a frame costs as much as the procedure has expressions.

use std::sync::Arc;

use base::{Idx, IndexVec, Region};

use super::back::{ContextId, VarOrigin};
use super::lifetimes::{Prologue, prologue, read_vars};
use cfa::op::{InitKind, Op, Place, Source};
use cfa::{Expr, ExprId, Length, ProcId, Program, Storage, Ty, Var, VarId};

/// The variables of a copy of a procedure.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) proc: ProcId,
    vars: Arc<[VarId]>,
}

/// The old program's variables by procedure, and what they are in the frames at hand.
pub(crate) struct Frames<'a> {
    old: &'a Program,
    locals: IndexVec<ProcId, Vec<VarId>>,
    /// Position of a variable among its owner's locals.
    positions: IndexVec<VarId, u32>,
    /// The expressions that mention a procedure's locals, operands first.
    local_exprs: IndexVec<ProcId, Vec<ExprId>>,
    prologues: IndexVec<ProcId, Option<Arc<Prologue>>>,
    /// What the expressions have become in the frames that are selected.
    renamed: Vec<ExprId>,
}

impl<'a> Frames<'a> {
    pub(crate) fn new(old: &'a Program) -> Self {
        let count = old.procs.len();
        let mut locals = IndexVec::filled(Vec::new(), count);
        let mut positions = IndexVec::filled(0, old.vars.len());
        for (id, var) in old.vars.iter_enumerated() {
            if let Some(owner) = var.owner {
                positions[id] = locals[owner].len() as u32;
                locals[owner].push(id);
            }
        }
        let mut local_exprs = IndexVec::filled(Vec::new(), count);
        let mut owner: Vec<Option<ProcId>> = Vec::with_capacity(old.exprs.len());
        for (id, expr) in old.exprs.iter() {
            let own = match *expr {
                Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } => {
                    old.vars[var].owner
                }
                _ => None,
            };
            let own = own.or_else(|| expr.operands().find_map(|operand| owner[operand.index()]));
            if let Some(proc) = own {
                local_exprs[proc].push(id);
            }
            owner.push(own);
        }
        Self {
            old,
            locals,
            positions,
            local_exprs,
            prologues: IndexVec::filled(None, count),
            renamed: old.exprs.iter().map(|(id, _)| id).collect(),
        }
    }

    /// The frame that is the procedure's own variables.
    pub(crate) fn own(&self, proc: ProcId) -> Frame {
        Frame { proc, vars: self.locals[proc].clone().into() }
    }

    /// A frame of new variables that belong to `owner`.
    pub(crate) fn fresh(
        &self,
        proc: ProcId,
        owner: ProcId,
        context: ContextId,
        new: &mut Program,
        origins: &mut IndexVec<VarId, Option<VarOrigin>>,
    ) -> Frame {
        let mut vars = Vec::with_capacity(self.locals[proc].len());
        for var in &self.locals[proc] {
            vars.push(new.vars.push(Var { owner: Some(owner), ..self.old.vars[*var].clone() }));
            origins.push(Some(VarOrigin { var: *var, context }));
        }
        Frame { proc, vars: vars.into() }
    }

    /// The frame with another variable in the place of one. Neither may be written in the copy.
    pub(crate) fn with(&self, frame: &Frame, var: VarId, other: VarId) -> Frame {
        let mut vars = frame.vars.to_vec();
        vars[self.positions[var] as usize] = other;
        Frame { proc: frame.proc, vars: vars.into() }
    }

    /// Translates the expressions of the frame's procedure for this frame from now on.
    pub(crate) fn select(&mut self, frame: &Frame, new: &mut Program) {
        if *frame.vars == *self.locals[frame.proc] {
            for id in &self.local_exprs[frame.proc] {
                self.renamed[id.index()] = *id;
            }
            return;
        }
        for id in &self.local_exprs[frame.proc] {
            let mut expr = self.old.exprs.get(*id).map_operands(|operand| self.renamed[operand.index()]);
            if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } = &mut expr {
                *var = self.var(frame, *var);
            }
            self.renamed[id.index()] = new.exprs.add(expr);
        }
    }

    /// What a variable is in a frame; globals are themselves.
    pub(crate) fn var(&self, frame: &Frame, var: VarId) -> VarId {
        if self.old.vars[var].owner == Some(frame.proc) {
            frame.vars[self.positions[var] as usize]
        } else {
            var
        }
    }

    /// What an expression is in the frame that is selected for its procedure.
    pub(crate) fn expr(&self, expr: ExprId) -> ExprId {
        self.renamed[expr.index()]
    }

    /// What an operation is in a frame, which is selected.
    pub(crate) fn op(&self, frame: &Frame, op: &Op) -> Op {
        op.map(|expr| self.expr(expr), |var| self.var(frame, var))
    }

    /// What to do around a copy of a procedure.
    pub(crate) fn prologue(&mut self, proc: ProcId) -> Arc<Prologue> {
        if let Some(known) = &self.prologues[proc] {
            return known.clone();
        }
        let new = Arc::new(prologue(self.old, proc, &self.locals[proc]));
        self.prologues[proc] = Some(new.clone());
        new
    }

    /// What makes the variables of a frame new: those that may be read before they are written get arbitrary values. Parameters are not among them.
    pub(crate) fn renewal(&mut self, frame: &Frame) -> Vec<Op> {
        let mut ops = Vec::new();
        for var in &self.prologue(frame.proc).stale {
            let new = self.var(frame, *var);
            match self.old.vars[*var].storage {
                Storage::Scalar(_) => {
                    let (place, source, at) = (Place::Var(new), Source::Uninitialised, Region::NOWHERE);
                    ops.push(Op::Havoc { place, source, at });
                }
                Storage::Array { length: Length::Fixed(_) | Length::Unbounded, .. } => {
                    ops.push(Op::Init { var: new, contents: InitKind::Uninitialised });
                }
                // Its length is undefined until it is allocated.
                Storage::Array { length: Length::Dynamic, .. } | Storage::Object { .. } => {}
            }
        }
        ops
    }
}

/// A new temporary variable of a procedure.
pub(crate) fn temporary(
    new: &mut Program,
    origins: &mut IndexVec<VarId, Option<VarOrigin>>,
    owner: ProcId,
    name: &str,
    ty: Ty,
) -> VarId {
    origins.push(None);
    new.vars.push(Var {
        name: format!("%{name}").into(),
        storage: Storage::Scalar(ty),
        owner: Some(owner),
        c_type: "".into(),
        declared: Region::NOWHERE,
        scope: Region::NOWHERE,
    })
}

/// Operations that give scalar variables their values all at once. Where a value that is still needed would be overwritten, `temporary` gives a variable
/// for it.
pub(crate) fn parallel(
    new: &mut Program,
    pairs: &[(VarId, ExprId)],
    mut temporary: impl FnMut(&mut Program, Ty) -> VarId,
) -> Vec<Op> {
    let is_copy = |(var, value): &(VarId, ExprId), new: &Program| matches!(*new.exprs.get(*value), Expr::Var { var: other, .. } if other == *var);
    let mut left: Vec<(VarId, ExprId)> = pairs.iter().copied().filter(|pair| !is_copy(pair, new)).collect();
    let (mut ops, mut last) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let free = left
            .iter()
            .position(|(var, _)| !left.iter().any(|(other, value)| other != var && reads(new, *value, *var)));
        if let Some(free) = free {
            let (var, value) = left.remove(free);
            ops.push(Op::Assign { place: Place::Var(var), value });
            continue;
        }
        let (var, value) = left.remove(0);
        let ty = new.exprs.ty(value);
        let saved = temporary(new, ty);
        ops.push(Op::Assign { place: Place::Var(saved), value });
        last.push(Op::Assign { place: Place::Var(var), value: new.exprs.var(saved, ty) });
    }
    ops.extend(last);
    ops
}

/// Whether an expression reads a variable.
pub(crate) fn reads(program: &Program, expr: ExprId, var: VarId) -> bool {
    let mut found = false;
    read_vars(program, expr, |read| found |= read == var);
    found
}
