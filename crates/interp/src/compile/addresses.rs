//! Which numbers of a program may be addresses, and which operations must be guarded for that ([`super::super::guard`]).
//!
//! # Invariants
//! * A1: flow-insensitive and closed under assignment, calls and memory: a number that is found to be none is not the result of converting a pointer,
//!   nor of moving such a number. A part of a pointer that is read from memory is guarded where it is read, unless it is
//!   only copied: then it is still known what it is ([`super::super::parts`]).

use rustc_hash::FxHashSet;

use super::super::guard::Guard;
use super::super::parts::Stored;
use cfa::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use cfa::op::{Callee, Op, Place};
use cfa::pointsto::{PointsTo, Punning, RegionId};
use cfa::program::{Procedure, Program, VarId};
use cfa::ty::Ty;

/// The numbers that may be addresses.
pub(super) struct Addresses {
    exprs: Vec<bool>,
    /// The addresses where pointers, or numbers that may be addresses, may be stored.
    places: Vec<bool>,
}

/// A guard before an operation: on both operands, on one of them, or on one and the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// On the operands in order.
    Operands(Guard),
    /// On the operands in reverse.
    Swapped(Guard),
    /// [`Guard::Number`] on the left operand.
    Left,
    /// [`Guard::Number`] on the right operand.
    Right,
    /// [`Guard::Number`] on both.
    Both,
    /// [`Guard::Move`] of the left operand to the result.
    MovedLeft,
    /// [`Guard::Move`] of the right operand to the result.
    MovedRight,
}

/// What is found while the analysis runs.
#[derive(Default)]
struct Known {
    vars: FxHashSet<VarId>,
    /// Where in memory such numbers are.
    regions: FxHashSet<RegionId>,
    /// Whether they may be anywhere in memory.
    everywhere: bool,
    changed: bool,
}

impl Addresses {
    pub(super) fn new(program: &Program) -> Self {
        let width = program.exprs.pointer_width();
        let is_wide_enough = |ty: Ty| matches!(ty, Ty::Int { width: own, .. } if own >= width);
        let converts = |expr: &Expr| matches!(*expr, Expr::Cast { ty, arg } if is_wide_enough(ty) && program.exprs.ty(arg) == Ty::Ptr);
        let puns = has_pointers_in_memory(program) && has_other_accesses(program);
        let has_numbers = program.exprs.iter().any(|(_, expr)| converts(expr));
        if !puns && !has_numbers {
            return Self { exprs: Vec::new(), places: Vec::new() };
        }
        let regions = (puns || has_numbers && has_other_accesses(program)).then(|| regions(program));
        let region = |address: ExprId| regions.as_ref().and_then(|regions| regions.region(address));
        // A number that is read where pointers are stored may be one of them.
        let is_punned = |address: ExprId| {
            let Some(regions) = &regions else { return false };
            regions.region(address).is_none_or(|region| regions.contents(region).is_some())
        };
        let mut known = Known::default();
        loop {
            let holds = |address: ExprId| is_punned(address) || known.are_behind(region(address));
            let exprs = evaluate(program, &known, &holds);
            known.changed = false;
            for edge in program.procs.iter().flat_map(Procedure::edges) {
                edge.ops.iter().for_each(|op| known.propagate(program, op, &exprs, &region));
            }
            if !known.changed {
                let is_place = |id: ExprId| {
                    program.exprs.ty(id) == Ty::Ptr && (is_punned(id) || known.are_behind(region(id)))
                };
                let places = program.exprs.iter().map(|(id, _)| is_place(id)).collect();
                return Self { exprs, places };
            }
        }
    }

    /// Whether a number may be an address.
    pub(super) fn contains(&self, expr: ExprId) -> bool {
        self.exprs.get(expr.0 as usize).copied().unwrap_or(false)
    }

    /// What may be stored at an address.
    pub(super) fn stored(&self, address: ExprId) -> Stored {
        match self.places.get(address.0 as usize) {
            Some(true) => Stored::Pointers,
            Some(false) | None => Stored::Numbers,
        }
    }

    /// Whether an expression reads what may be a part of a pointer, or more than one.
    pub(super) fn reads_part(&self, program: &Program, expr: ExprId) -> bool {
        match *program.exprs.get(expr) {
            Expr::Load { addr, ty: Ty::Int { width, .. } } => {
                width != program.exprs.pointer_width() && self.stored(addr) == Stored::Pointers
            }
            Expr::Load { addr, ty: Ty::Float(_) } | Expr::LoadBits { addr, .. } => {
                self.stored(addr) == Stored::Pointers
            }
            _ => false,
        }
    }

    /// The guard of an operation on two operands.
    pub(super) fn guard(&self, program: &Program, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<Needed> {
        let ty = program.exprs.ty(lhs);
        if ty == Ty::Ptr {
            let is_null = |expr| matches!(program.exprs.get(expr), Expr::Const { bits: 0, .. });
            return match op {
                BinaryOp::PtrAdd => self.contains(rhs).then_some(Needed::Right),
                BinaryOp::PtrSub => Some(Needed::Operands(Guard::Difference)),
                _ if is_null(lhs) || is_null(rhs) => None,
                BinaryOp::Eq | BinaryOp::Ne => Some(Needed::Operands(Guard::Equality)),
                _ => Some(Needed::Operands(Guard::Order)),
            };
        }
        let (left, right) = (self.contains(lhs), self.contains(rhs));
        if !left && !right {
            return None;
        }
        let numbers = match (left, right) {
            (true, true) => Needed::Both,
            (true, false) => Needed::Left,
            (false, _) => Needed::Right,
        };
        Some(match op {
            BinaryOp::Eq | BinaryOp::Ne => Needed::Operands(Guard::Equality),
            // With 32 bits an address may be negative.
            BinaryOp::Lt | BinaryOp::Le if ty.is_signed() && program.exprs.pointer_width() == 32 => numbers,
            BinaryOp::Lt | BinaryOp::Le => Needed::Operands(Guard::Order),
            BinaryOp::Add if left && right => Needed::Both,
            BinaryOp::Add if left => Needed::MovedLeft,
            BinaryOp::Add => Needed::MovedRight,
            BinaryOp::Sub if left && right => Needed::Operands(Guard::Difference),
            BinaryOp::Sub if left => Needed::MovedLeft,
            BinaryOp::And if left && !right => Needed::Operands(Guard::Mask),
            BinaryOp::And if right && !left => Needed::Swapped(Guard::Mask),
            BinaryOp::Or | BinaryOp::Xor if left && !right => Needed::Operands(Guard::Tag),
            BinaryOp::Or | BinaryOp::Xor if right && !left => Needed::Swapped(Guard::Tag),
            BinaryOp::Rem if left && !right => Needed::Operands(Guard::Remainder),
            _ => numbers,
        })
    }

    /// Whether a conversion must be guarded: what is left of an address by a narrower type, or as a float, depends on it.
    pub(super) fn guards_cast(&self, program: &Program, ty: Ty, arg: ExprId) -> bool {
        let from = program.exprs.ty(arg);
        let is_address = from == Ty::Ptr || self.contains(arg);
        let is_kept = match ty {
            Ty::Int { width, .. } => (program.exprs.pointer_width()..=64).contains(&width),
            Ty::Ptr => true,
            Ty::Float(_) => false,
        };
        is_address && !is_kept
    }

    /// Whether any node of an expression has a guard.
    pub(super) fn guards_any(&self, program: &Program, nodes: &[ExprId]) -> bool {
        nodes.iter().any(|node| {
            self.reads_part(program, *node)
                || match *program.exprs.get(*node) {
                    Expr::Binary { op, lhs, rhs } => self.guard(program, op, lhs, rhs).is_some(),
                    Expr::Cast { ty, arg } => self.guards_cast(program, ty, arg),
                    Expr::Unary { arg, .. } => self.contains(arg),
                    Expr::Elem { index, .. } => self.contains(index),
                    _ => false,
                }
        })
    }
}

/// What pointers may point to. That pointers in memory are not read as numbers is taken for granted only if no number becomes a pointer.
fn regions(program: &Program) -> PointsTo {
    let regions = PointsTo::new(program, Punning::EffectiveTypes);
    let is_number = |arg: ExprId| !matches!(program.exprs.get(arg), Expr::Const { .. });
    let makes_pointer = |expr: &Expr| matches!(*expr, Expr::Cast { ty: Ty::Ptr, arg } if program.exprs.ty(arg) != Ty::Ptr && is_number(arg));
    if regions.assumes_effective_types() && program.exprs.iter().any(|(_, expr)| makes_pointer(expr)) {
        return PointsTo::new(program, Punning::Any);
    }
    regions
}

/// Whether a pointer may be in memory.
fn has_pointers_in_memory(program: &Program) -> bool {
    let loads = |expr: &Expr| matches!(expr, Expr::Load { ty: Ty::Ptr, .. });
    let stores = |place: &Place| matches!(place, Place::Mem { ty: Ty::Ptr, .. });
    program.exprs.iter().any(|(_, expr)| loads(expr))
        || program
            .procs
            .iter()
            .flat_map(Procedure::edges)
            .any(|edge| edge.ops.iter().flat_map(Op::places).any(stores))
}

/// Whether memory may be read or written otherwise than as whole pointers.
fn has_other_accesses(program: &Program) -> bool {
    let loads = |expr: &Expr| {
        matches!(*expr, Expr::LoadBits { .. } | Expr::Load { ty: Ty::Int { .. } | Ty::Float(_), .. })
    };
    let stores = |place: &Place| {
        matches!(*place, Place::Bits { .. } | Place::Mem { ty: Ty::Int { .. } | Ty::Float(_), .. })
    };
    let writes = |op: &Op| {
        matches!(op, Op::Copy { .. } | Op::Fill { .. } | Op::Forget { .. } | Op::Write { .. })
            || op.places().any(stores)
    };
    program.exprs.iter().any(|(_, expr)| loads(expr))
        || program.procs.iter().flat_map(Procedure::edges).any(|edge| edge.ops.iter().any(writes))
}

/// For every expression whether its value may be an address as a number.
fn evaluate(program: &Program, known: &Known, holds: &dyn Fn(ExprId) -> bool) -> Vec<bool> {
    let width = program.exprs.pointer_width();
    let mut values: Vec<bool> = Vec::with_capacity(program.exprs.len());
    for (_, expr) in program.exprs.iter() {
        let of = |id: ExprId| values[id.0 as usize];
        let is_wide_enough = |ty: Ty| matches!(ty, Ty::Int { width: own, .. } if (width..=64).contains(&own));
        values.push(match *expr {
            Expr::Var { var, ty } | Expr::Elem { array: var, ty, .. } => {
                is_wide_enough(ty) && known.vars.contains(&var)
            }
            Expr::Load { addr, ty } => is_wide_enough(ty) && holds(addr),
            Expr::Cast { ty, arg } => is_wide_enough(ty) && (program.exprs.ty(arg) == Ty::Ptr || of(arg)),
            Expr::Binary { op, lhs, rhs } => match op {
                BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => of(lhs) || of(rhs),
                // A difference of two that are none is none.
                BinaryOp::Sub => of(lhs),
                _ => false,
            },
            Expr::Ite { then, other, .. } => of(then) || of(other),
            Expr::Unary { op: UnaryOp::Neg | UnaryOp::Not, .. }
            | Expr::Const { .. }
            | Expr::LoadBits { .. }
            | Expr::Address { .. }
            | Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. }
            | Expr::Undefined { .. }
            | Expr::Function { .. } => false,
        });
    }
    values
}

impl Known {
    /// Whether such numbers may be in a region, or in memory at all if it is not known which one it is.
    fn are_behind(&self, region: Option<RegionId>) -> bool {
        self.everywhere || region.map_or(!self.regions.is_empty(), |region| self.regions.contains(&region))
    }
    fn add_region(&mut self, region: Option<RegionId>) {
        self.changed |= match region {
            Some(region) => self.regions.insert(region),
            None => !std::mem::replace(&mut self.everywhere, true),
        };
    }
    fn add(&mut self, place: &Place, region: &dyn Fn(ExprId) -> Option<RegionId>) {
        match place {
            Place::Var(var) | Place::Elem { array: var, .. } => self.changed |= self.vars.insert(*var),
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => self.add_region(region(*addr)),
        }
    }
    fn propagate(
        &mut self,
        program: &Program,
        op: &Op,
        exprs: &[bool],
        region: &dyn Fn(ExprId) -> Option<RegionId>,
    ) {
        match op {
            Op::Assign { place, value } if exprs[value.0 as usize] => self.add(place, region),
            Op::FillElems { to, value, .. } if exprs[value.0 as usize] => self.add(&Place::Var(*to), region),
            Op::CopyElems { to, from, .. } if self.vars.contains(from) => self.add(&Place::Var(*to), region),
            // The block that `realloc` makes is in the region of the old one.
            Op::Copy { to, from, .. } if self.are_behind(region(*from)) => self.add_region(region(*to)),
            Op::Call { callee, args, results } => {
                let targets = match callee {
                    Callee::Direct(target) => std::slice::from_ref(target),
                    Callee::Indirect { targets, .. } => targets,
                };
                for target in targets {
                    let procedure = &program.procs[*target];
                    for (param, arg) in procedure.params.iter().zip(args) {
                        if exprs[arg.0 as usize] {
                            self.add(&Place::Var(*param), region);
                        }
                    }
                    for (result, place) in procedure.results.iter().zip(results) {
                        if let (Some(place), true) = (place, self.vars.contains(result)) {
                            self.add(place, region);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}
