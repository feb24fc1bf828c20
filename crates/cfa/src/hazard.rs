//! What can go wrong in a program, by its control flow and the form of its operations alone.
//!
//! # Invariants
//! * I1: nothing is left out: an execution that arrives at an error location, or ends as undefined behaviour, does so at an operation that is
//!   found here. What is found need not happen.

use std::collections::BTreeSet;

use base::IndexVec;

use crate::check::CheckKind;
use crate::expr::{Access, BinaryOp, Expr, ExprId, UnaryOp};
use crate::op::{AllocKind, Callee, HaltReason, InitKind, Op, OutputFunction, Place, Source};
use crate::program::{Length, Loc, ProcId, Program, Storage, VarId};
use crate::ty::{SignedOverflow, Ty};

/// A kind of undefined behaviour, as coarse as people want to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hazard {
    /// The result of signed arithmetic does not fit.
    SignedOverflow,
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// A shift by a negative amount, or by the width or more.
    ShiftAmount,
    /// A float that does not fit the integer type.
    FloatToInt,
    /// An access outside an array or another object.
    OutOfBounds,
    /// An access through a pointer that leads to no live object, or a write to one that is read-only.
    BadPointer,
    /// Bytes that are copied to a place that overlaps their own.
    Overlap,
    /// A promise to the compiler that does not hold.
    Misuse,
    /// A wrong argument of `free` or `realloc`.
    BadFree,
    /// An array of negative length.
    ArrayLength,
    /// A call through a bad function pointer.
    BadFunctionPointer,
    /// A `_Bool` in memory that is neither 0 nor 1.
    InvalidBool,
    /// An output format that does not match its arguments.
    BadFormat,
}

impl Hazard {
    /// The kinds of checks that it stands for.
    pub fn kinds(self) -> &'static [CheckKind] {
        match self {
            Self::SignedOverflow => &[CheckKind::SignedOverflow],
            Self::DivisionByZero => &[CheckKind::DivisionByZero],
            Self::ShiftAmount => &[CheckKind::ShiftAmount],
            Self::FloatToInt => &[CheckKind::FloatToInt],
            Self::OutOfBounds => &[CheckKind::ArrayBounds, CheckKind::OutOfBounds],
            Self::BadPointer => &[
                CheckKind::NullDereference,
                CheckKind::WildPointer,
                CheckKind::Dangling,
                CheckKind::ReadOnly,
            ],
            Self::Overlap => &[CheckKind::Overlap],
            Self::Misuse => &[CheckKind::Misuse],
            Self::BadFree => &[CheckKind::DoubleFree, CheckKind::BadFree],
            Self::ArrayLength => &[CheckKind::ArrayLength],
            Self::BadFunctionPointer => &[CheckKind::BadFunctionPointer],
            Self::InvalidBool => &[CheckKind::InvalidBool],
            Self::BadFormat => &[CheckKind::BadFormat],
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::SignedOverflow => "signed overflow",
            Self::DivisionByZero => "division by zero",
            Self::ShiftAmount => "shift out of range",
            Self::FloatToInt => "float out of the integer's range",
            Self::OutOfBounds => "access out of bounds",
            Self::BadPointer => "access through a null or dangling pointer",
            Self::Overlap => "copy to a place that overlaps its source",
            Self::Misuse => "misuse of a pointer, function or builtin",
            Self::BadFree => "bad free",
            Self::ArrayLength => "negative array length",
            Self::BadFunctionPointer => "call through a bad function pointer",
            Self::InvalidBool => "invalid truth value",
            Self::BadFormat => "output format that does not match",
        }
    }
}

/// What can go wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hazards {
    /// Whether a property can be violated: control may arrive at an error location, or something that is a violation may happen.
    pub can_fail: bool,
    /// Undefined behaviour that may end executions.
    pub undefined: BTreeSet<Hazard>,
}

/// What can go wrong in the procedures that can be entered.
pub fn hazards(program: &Program) -> Hazards {
    let mut search = Search {
        program,
        found: Hazards::default(),
        seen: vec![false; program.exprs.len()],
        entered: IndexVec::filled(false, program.procs.len()),
        pending: Vec::new(),
    };
    search.enter(program.entry);
    while let Some(procedure) = search.pending.pop() {
        search.procedure(procedure);
    }
    let mut found = search.found;
    if program.signed_overflow == SignedOverflow::Wrap {
        found.undefined.remove(&Hazard::SignedOverflow);
    }
    let is_violation = |kind: &CheckKind| program.is_violation(*kind);
    found.can_fail |= found.undefined.iter().any(|hazard| hazard.kinds().iter().any(is_violation));
    found.undefined.retain(|hazard| !hazard.kinds().iter().all(is_violation));
    found
}

struct Search<'a> {
    program: &'a Program,
    found: Hazards,
    /// Expressions that were looked at.
    seen: Vec<bool>,
    entered: IndexVec<ProcId, bool>,
    pending: Vec<ProcId>,
}

impl Search<'_> {
    fn enter(&mut self, procedure: ProcId) {
        if !self.entered[procedure] {
            self.entered[procedure] = true;
            self.pending.push(procedure);
        }
    }

    fn procedure(&mut self, procedure: ProcId) {
        let procedure = &self.program.procs[procedure];
        let mut reached: IndexVec<Loc, bool> = IndexVec::filled(false, procedure.locations.len());
        reached[procedure.entry] = true;
        let mut pending = vec![procedure.entry];
        while let Some(location) = pending.pop() {
            self.found.can_fail |= procedure.error == Some(location);
            for edge in procedure.outgoing(location) {
                let edge = &procedure.edges()[*edge];
                for op in &edge.ops {
                    self.op(op);
                }
                if !reached[edge.target] {
                    reached[edge.target] = true;
                    pending.push(edge.target);
                }
            }
        }
    }

    fn add(&mut self, hazard: Hazard) {
        self.found.undefined.insert(hazard);
    }

    /// What may go wrong later because of an operation, and is no undefined behaviour or none for everybody.
    fn consequences(&mut self, op: &Op) {
        let checks = self.program.checks;
        let is_wanted = |kinds: &[CheckKind]| kinds.iter().any(|kind| checks.contains(*kind));
        let allocates = matches!(op, Op::Malloc { kind: AllocKind::Heap, .. } | Op::Realloc { .. })
            && is_wanted(&[CheckKind::Leak, CheckKind::LostMemory]);
        let lacks_value = match op {
            Op::Havoc { source, .. } | Op::Forget { source, .. } => *source == Source::Uninitialised,
            Op::Init { contents, .. } | Op::Malloc { contents, .. } => *contents == InitKind::Uninitialised,
            Op::Begin { .. } | Op::Allocate { .. } | Op::Realloc { .. } => true,
            _ => false,
        };
        self.found.can_fail |= allocates || lacks_value && is_wanted(&[CheckKind::Uninitialised]);
    }

    fn op(&mut self, op: &Op) {
        self.consequences(op);
        for place in op.places() {
            self.place(place);
        }
        for expr in op.exprs() {
            self.expr(expr);
        }
        match op {
            Op::Call { callee: Callee::Direct(procedure), .. } => self.enter(*procedure),
            Op::Call { callee: Callee::Indirect { targets, .. }, .. } => {
                self.add(Hazard::BadFunctionPointer);
                for target in targets {
                    self.enter(*target);
                }
            }
            Op::Allocate { length, .. } if self.constant(*length).is_none_or(|length| length < 0) => {
                self.add(Hazard::ArrayLength);
            }
            Op::Realloc { .. } | Op::Free { .. } => self.add(Hazard::BadFree),
            Op::Copy { to, from, length } => {
                self.access(*from, self.constant(*length), Access::Read);
                self.access(*to, self.constant(*length), Access::Write);
            }
            Op::Fill { to, length, .. } => self.access(*to, self.constant(*length), Access::Write),
            Op::Output { function, args, .. } => {
                if *function == OutputFunction::Printf && args.len() > 1 {
                    self.add(Hazard::BadFormat);
                }
                // Texts are read up to their end.
                if *function != OutputFunction::Putchar {
                    for arg in args {
                        self.text(*arg);
                    }
                }
            }
            Op::Assign { .. }
            | Op::Assume { .. }
            | Op::Havoc { .. }
            | Op::Init { .. }
            | Op::Allocate { .. }
            | Op::Begin { .. }
            | Op::End { .. }
            | Op::Release { .. }
            | Op::Malloc { .. }
            // The library's own accesses are the library's business.
            | Op::Forget { .. }
            // How string literals get their contents.
            | Op::Write { .. }
            // Made by passes; the operation that they come from has been looked at.
            | Op::CopyElems { .. }
            | Op::FillElems { .. }
            | Op::Halt { reason: HaltReason::Exit(_) | HaltReason::Abort } => {}
            Op::Halt { reason: HaltReason::Overlap } => self.add(Hazard::Overlap),
            Op::Halt { reason: HaltReason::Misuse } => self.add(Hazard::Misuse),
        }
    }

    fn place(&mut self, place: &Place) {
        match *place {
            Place::Var(_) => {}
            Place::Elem { array, index } => self.element(array, index),
            Place::Mem { addr, ty } => {
                self.access(addr, Some(i128::from(self.program.size_of(ty))), Access::Write);
            }
            Place::Bits { addr, bit, ty } => self.access(addr, Some(self.bytes(bit, ty)), Access::Write),
        }
    }

    fn expr(&mut self, root: ExprId) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut self.seen[id.0 as usize], true) {
                continue;
            }
            let expr = *self.program.exprs.get(id);
            pending.extend(expr.operands());
            self.node(id, &expr);
        }
    }

    fn node(&mut self, id: ExprId, expr: &Expr) {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        match *expr {
            Expr::Elem { array, index, .. } => self.element(array, index),
            Expr::Bounded { .. } => self.add(Hazard::OutOfBounds),
            Expr::Load { addr, ty } => {
                self.access(addr, Some(i128::from(self.program.size_of(ty))), Access::Read);
                if ty == Ty::BOOL {
                    self.add(Hazard::InvalidBool);
                }
            }
            Expr::LoadBits { addr, bit, ty } => self.access(addr, Some(self.bytes(bit, ty)), Access::Read),
            Expr::Unary { op: UnaryOp::Neg, arg } if ty.is_signed() && self.may_be_least(arg, ty) => {
                self.add(Hazard::SignedOverflow);
            }
            // Of two constants the front end has folded what fits.
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, .. }
                if ty.is_int() && ty.is_signed() =>
            {
                self.add(Hazard::SignedOverflow);
            }
            Expr::Binary { op: BinaryOp::Div | BinaryOp::Rem, rhs, .. } if ty.is_int() => {
                let divisor = self.constant(rhs);
                if divisor.is_none_or(|divisor| divisor == 0) {
                    self.add(Hazard::DivisionByZero);
                }
                if ty.is_signed() && divisor.is_none_or(|divisor| divisor == -1) {
                    // The quotient of the least value never wraps around.
                    self.add(match self.program.signed_overflow {
                        SignedOverflow::Wrap => Hazard::DivisionByZero,
                        SignedOverflow::Undefined | SignedOverflow::Error => Hazard::SignedOverflow,
                    });
                }
            }
            Expr::Binary { op: op @ (BinaryOp::Shl | BinaryOp::Shr), rhs, .. } => {
                if op == BinaryOp::Shl
                    && ty.is_signed()
                    && self.program.signed_overflow == SignedOverflow::Error
                {
                    self.add(Hazard::SignedOverflow);
                }
                let width = i128::from(ty.width(self.program.data_model));
                if self.constant(rhs).is_none_or(|amount| !(0..width).contains(&amount)) {
                    self.add(Hazard::ShiftAmount);
                }
            }
            Expr::Cast { ty, arg } if ty.is_int() && exprs.ty(arg).is_float() => self.add(Hazard::FloatToInt),
            _ => {}
        }
    }

    fn element(&mut self, array: VarId, index: ExprId) {
        let length = match self.program.vars[array].storage {
            Storage::Array { length: Length::Fixed(length), .. } => length,
            _ => 0,
        };
        if self.constant(index).is_none_or(|index| !(0..i128::from(length)).contains(&index)) {
            self.add(Hazard::OutOfBounds);
        }
    }

    /// A text that a pointer leads to, if the argument is one.
    fn text(&mut self, argument: ExprId) {
        let is_literal =
            |var: VarId| matches!(self.program.vars[var].storage, Storage::Object { read_only: true, .. });
        match *self.program.exprs.get(argument) {
            // A literal has an end.
            Expr::Address { var } if is_literal(var) => {}
            _ if self.program.exprs.ty(argument) == Ty::Ptr => self.access(argument, None, Access::Read),
            _ => {}
        }
    }

    /// So many bytes at an address; nothing can go wrong at a fixed place within an object that has a name.
    fn access(&mut self, addr: ExprId, length: Option<i128>, access: Access) {
        let (mut base, mut offset) = (addr, 0_i128);
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } = *self.program.exprs.get(base) {
            let Some(step) = self.constant(rhs) else { break };
            (base, offset) = (lhs, offset.saturating_add(step));
        }
        if let Expr::Address { var } = *self.program.exprs.get(base)
            && let Storage::Object { size, read_only, .. } = self.program.vars[var].storage
        {
            let end = length.map(|length| offset.saturating_add(length));
            if offset < 0 || end.is_none_or(|end| end > i128::from(size)) {
                self.add(Hazard::OutOfBounds);
            }
            if read_only && access == Access::Write {
                self.add(Hazard::BadPointer);
            }
            return;
        }
        self.add(Hazard::OutOfBounds);
        self.add(Hazard::BadPointer);
    }

    /// Bytes of a bit-field.
    fn bytes(&self, bit: u8, ty: Ty) -> i128 {
        let bits = i128::from(bit) + i128::from(ty.width(self.program.data_model));
        (bits + 7) / 8
    }

    /// Whether the negation of a signed integer may overflow.
    fn may_be_least(&self, arg: ExprId, ty: Ty) -> bool {
        let Some((least, _)) = ty.range() else { return false };
        self.constant(arg).is_none_or(|value| value == least)
    }

    fn constant(&self, expr: ExprId) -> Option<i128> {
        match *self.program.exprs.get(expr) {
            Expr::Const { ty, bits } if ty.is_int() => Some(ty.value_of(bits)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(policy: &str, body: &str) -> (bool, String) {
        let text = format!("program LP64 overflow={policy} start=%start\nfile f0 \"a.c\"\n{body}");
        let found = hazards(&crate::text::parse("test.cfa", &text).unwrap());
        let names: Vec<&str> = found.undefined.iter().map(|hazard| hazard.name()).collect();
        (found.can_fail, names.join(", "))
    }

    #[test]
    fn only_operations_that_can_be_undefined_count() {
        let body = |op: &str| {
            format!(
                "proc %start() {{\n  local x : i32\n  local y : u32\n  entry l0\n  exit l1\n  l0 -> l1 : {op}\n}}\n"
            )
        };
        let names = |op: &str| found("undefined", &body(op)).1;
        assert_eq!(names("x := x + 1:i32"), "signed overflow");
        assert_eq!(names("y := y + 1:u32"), "");
        assert_eq!(names("y := y / 3:u32"), "");
        assert_eq!(names("y := y / y"), "division by zero");
        assert_eq!(names("x := x / x"), "signed overflow, division by zero");
        assert_eq!(names("x := x >> 31:i32"), "");
        assert_eq!(names("x := x >> x"), "shift out of range");
        assert_eq!(found("wrap", &body("x := x + 1:i32")), (false, String::new()));
        assert_eq!(found("wrap", &body("x := x / -1:i32")).1, "division by zero");
        assert_eq!(found("error", &body("x := x + 1:i32")), (true, String::new()));
        assert_eq!(found("error", &body("x := x << 1:i32")), (true, String::new()));
        assert_eq!(found("undefined", &body("x := x << 1:i32")), (false, String::new()));
    }

    #[test]
    fn an_error_counts_only_where_control_can_arrive() {
        let fails = "proc f() {\n  entry l0\n  exit l1\n  error l2\n  l0 -> l2\n}\n";
        let start =
            |op: &str| format!("proc %start() {{\n  entry l0\n  exit l1\n  l0 -> l1 : {op}\n}}\n{fails}");
        assert!(found("undefined", &start("call f()")).0);
        assert!(!found("undefined", &start("assume true")).0);
        let behind =
            "proc %start() {\n  entry l0\n  exit l1\n  error l2\n  loc l3\n  l0 -> l1\n  l3 -> l2\n}\n";
        assert!(!found("undefined", behind).0);
    }
}
