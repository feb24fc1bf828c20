//! Code for expressions.

use rustc_hash::FxHashSet;

use super::super::code::{Rare, Reg, VarPlace};
use super::super::float;
use super::super::guard::{Guard, Operands};
use super::super::insn::{Access, Class, Insn};
use super::super::value::{is_wide, to_register};
use super::addresses::Needed;
use super::{Compiler, Label};
use cfa::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use cfa::program::VarId;
use cfa::ty::{DataModel, FloatKind, SignedOverflow, Ty};

/// Instructions that an expression may always take (E3).
const SMALL: usize = 4096;
/// Instructions per distinct node that a larger one may take.
const FACTOR: usize = 8;

/// What remains to be done for an expression.
enum Task {
    Visit(ExprId),
    Finish(ExprId),
    Test(ExprId),
    Other { expr: ExprId, dst: Reg, other_label: Label, end: Label, mark: usize },
    End { expr: ExprId, dst: Reg, end: Label, mark: usize },
}

/// How a load or store of a type is done by one instruction; `None` if it takes a rare one.
pub(super) fn plain_access(ty: Ty, model: DataModel) -> Option<Access> {
    let (size, class) = match ty {
        Ty::Int { width: width @ (8 | 16 | 32 | 64), signed: true } => (width / 8, Class::Signed),
        Ty::Int { width: width @ (8 | 16 | 32 | 64), signed: false } => (width / 8, Class::Unsigned),
        Ty::Float(FloatKind::Single) => (4, Class::Float),
        Ty::Float(FloatKind::Double) => (8, Class::Float),
        Ty::Ptr if model == DataModel::Lp64 => (8, Class::Pointer),
        Ty::Int { .. } | Ty::Float(FloatKind::Extended | FloatKind::Quad) | Ty::Ptr => return None,
    };
    Some(Access { size, class })
}

impl Compiler<'_> {
    /// Code for an expression; the register that holds its value.
    pub(super) fn value(&mut self, expr: ExprId) -> Reg {
        self.value_into(expr, None)
    }
    /// Code for an expression whose value goes to a register, if one is given.
    pub(super) fn value_into(&mut self, root: ExprId, target: Option<Reg>) -> Reg {
        let start = (self.code.insns.len(), self.code.rares.len(), self.memo_log.len());
        let mut budget = SMALL;
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            if self.code.insns.len() - start.0 > budget {
                budget = FACTOR * self.nodes(root).len() + SMALL;
                if self.code.insns.len() - start.0 > budget {
                    return self.slow(root, target, start);
                }
            }
            self.task(&task, &mut tasks, root, target);
        }
        let reg = self.memo[&root];
        match target {
            Some(target) if target != reg => {
                self.copy(self.program.exprs.ty(root), target, reg);
                target
            }
            Some(_) | None => reg,
        }
    }
    fn slow(&mut self, root: ExprId, target: Option<Reg>, start: (usize, usize, usize)) -> Reg {
        self.code.insns.truncate(start.0);
        self.code.insn_spots.truncate(start.0);
        self.code.insn_exprs.truncate(start.0);
        self.code.rares.truncate(start.1);
        self.roll_back(start.2);
        // The evaluator looks procedures up among those that have a register.
        for expr in self.nodes(root) {
            if let Expr::Function { proc } = *self.program.exprs.get(expr) {
                self.function(proc);
            }
        }
        if self.addresses.guards_any(self.program, &self.nodes(root)) {
            self.rare(Rare::Unguarded);
        }
        let dst = target.unwrap_or_else(|| self.temp(self.program.exprs.ty(root)));
        self.rare(Rare::Slow { expr: root, dst });
        self.remember(root, dst);
        dst
    }
    /// The distinct nodes of an expression.
    fn nodes(&self, root: ExprId) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![root];
        let mut nodes = Vec::new();
        while let Some(expr) = stack.pop() {
            if seen.insert(expr) {
                nodes.push(expr);
                stack.extend(self.program.exprs.get(expr).operands());
            }
        }
        nodes
    }
    fn remember(&mut self, expr: ExprId, reg: Reg) {
        if self.memo.insert(expr, reg).is_none() {
            self.memo_log.push(expr);
        }
    }
    fn roll_back(&mut self, mark: usize) {
        for expr in self.memo_log.drain(mark..) {
            self.memo.remove(&expr);
        }
    }
    pub(super) fn copy(&mut self, ty: Ty, dst: Reg, src: Reg) {
        self.emit(if is_wide(ty) { Insn::MovWide { dst, src } } else { Insn::Mov { dst, src } });
    }
    pub(super) fn rare(&mut self, rare: Rare) {
        let index = self.code.rares.len() as u32;
        self.code.rares.push(rare);
        self.emit(Insn::Rare { index });
    }
    fn task(&mut self, task: &Task, tasks: &mut Vec<Task>, root: ExprId, target: Option<Reg>) {
        match *task {
            Task::Visit(expr) if self.memo.contains_key(&expr) => {}
            Task::Visit(expr) => match *self.program.exprs.get(expr) {
                Expr::Ite { cond, .. } => {
                    tasks.push(Task::Test(expr));
                    tasks.push(Task::Visit(cond));
                }
                node => {
                    tasks.push(Task::Finish(expr));
                    let from = tasks.len();
                    tasks.extend(node.operands().map(Task::Visit));
                    tasks[from..].reverse();
                }
            },
            Task::Finish(expr) => {
                self.current = Some(expr);
                let reg = self.node(expr, target.filter(|_| expr == root));
                self.current = None;
                self.remember(expr, reg);
            }
            Task::Test(expr) => {
                let Expr::Ite { cond, then, .. } = *self.program.exprs.get(expr) else { return };
                let dst = match target {
                    Some(target) if expr == root => target,
                    _ => self.temp(self.program.exprs.ty(expr)),
                };
                let (other_label, end) = (self.label(), self.label());
                let cond = self.memo[&cond];
                self.emit(Insn::JumpUnless { cond, to: other_label });
                let mark = self.memo_log.len();
                tasks.push(Task::Other { expr, dst, other_label, end, mark });
                tasks.push(Task::Visit(then));
            }
            Task::Other { expr, dst, other_label, end, mark } => {
                let Expr::Ite { then, other, .. } = *self.program.exprs.get(expr) else { return };
                let then = self.memo[&then];
                self.copy(self.program.exprs.ty(expr), dst, then);
                self.emit(Insn::Jump { to: end });
                self.roll_back(mark);
                self.bind(other_label);
                tasks.push(Task::End { expr, dst, end, mark });
                tasks.push(Task::Visit(other));
            }
            Task::End { expr, dst, end, mark } => {
                let Expr::Ite { other, .. } = *self.program.exprs.get(expr) else { return };
                let other = self.memo[&other];
                self.copy(self.program.exprs.ty(expr), dst, other);
                self.roll_back(mark);
                self.bind(end);
                self.remember(expr, dst);
            }
        }
    }
    /// Code for one node whose operands are in registers.
    fn node(&mut self, expr: ExprId, target: Option<Reg>) -> Reg {
        let ty = self.program.exprs.ty(expr);
        match *self.program.exprs.get(expr) {
            Expr::Const { ty, bits } if is_wide(ty) => self.wide_constant(bits),
            Expr::Const { ty, bits } => self.constant(to_register(ty, bits)),
            Expr::Var { var, .. } => {
                self.check_value(var);
                self.scalar(var).reg
            }
            Expr::Address { var } => {
                let reg = self.scalar(var).reg;
                if self.program.vars[var].owner.is_some() && !self.has_value(var) {
                    self.emit(Insn::CheckBegun { reg, var });
                }
                reg
            }
            Expr::Function { proc } => self.function(proc),
            Expr::Elem { array, index, .. } => self.element(array, index, ty, target),
            Expr::Load { addr, .. } => {
                let addr = self.memo[&addr];
                self.guard_part(expr, addr, ty.size(self.program.data_model));
                let dst = target.unwrap_or_else(|| self.temp(ty));
                match plain_access(ty, self.program.data_model) {
                    Some(kind) => self.emit(Insn::Load { dst, addr, kind }),
                    None => self.rare(Rare::Load { ty, dst, addr }),
                }
                dst
            }
            Expr::LoadBits { addr, bit, .. } => {
                let addr = self.memo[&addr];
                self.guard_part(expr, addr, self.field_size(bit, ty));
                let dst = target.unwrap_or_else(|| self.temp(ty));
                self.rare(Rare::LoadBits { ty, bit, dst, addr });
                dst
            }
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. }
            | Expr::Undefined { .. } => self.test(expr, target),
            Expr::Unary { op, arg } => self.unary(op, ty, arg, target),
            Expr::Binary { op, lhs, rhs } => self.guarded_binary(op, (lhs, rhs), ty, target),
            Expr::Cast { arg, .. } => {
                let from = self.program.exprs.ty(arg);
                let src = self.memo[&arg];
                if self.addresses.guards_cast(self.program, ty, arg) {
                    let operands = if from == Ty::Ptr { Operands::Pointers } else { Operands::Numbers };
                    self.emit(Insn::Guard { guard: Guard::Number, operands, a: src, b: src });
                }
                self.cast(from, ty, src, target)
            }
            Expr::Ite { .. } => target.unwrap_or_default(),
        }
    }
    /// Tests of memory, and what is not always defined.
    fn test(&mut self, expr: ExprId, target: Option<Reg>) -> Reg {
        let ty = self.program.exprs.ty(expr);
        match *self.program.exprs.get(expr) {
            Expr::Accessible { addr, length, access } => {
                let ty = self.program.exprs.ty(length);
                let (addr, length) = (self.memo[&addr], self.memo[&length]);
                let dst = target.unwrap_or_else(|| self.temp(Ty::BOOL));
                self.rare(Rare::Accessible { dst, addr, length, ty, access });
                dst
            }
            Expr::SameObject { one, other } => {
                let dst = target.unwrap_or_else(|| self.temp(Ty::BOOL));
                self.rare(Rare::SameObject { dst, one: self.memo[&one], other: self.memo[&other] });
                dst
            }
            Expr::Freeable { addr } => {
                let dst = target.unwrap_or_else(|| self.temp(Ty::BOOL));
                self.rare(Rare::Freeable { dst, addr: self.memo[&addr] });
                dst
            }
            Expr::Test { test, addr } => {
                let dst = target.unwrap_or_else(|| self.temp(Ty::BOOL));
                self.rare(Rare::Test { dst, addr: self.memo[&addr], test });
                dst
            }
            Expr::Initialised { addr, bit, ty } => {
                let dst = target.unwrap_or_else(|| self.temp(Ty::BOOL));
                self.rare(Rare::Initialised { dst, addr: self.memo[&addr], bit, ty });
                dst
            }
            Expr::Lost => {
                let dst = target.unwrap_or_else(|| self.temp(Ty::BOOL));
                self.rare(Rare::Lost { dst });
                dst
            }
            Expr::Bounded { index, low, bound } => {
                self.guard_number(index);
                let reg = self.memo[&index];
                self.rare(Rare::Bounded { index: reg, ty, low, bound });
                match target {
                    Some(target) => {
                        self.copy(ty, target, reg);
                        target
                    }
                    None => reg,
                }
            }
            _ => {
                self.rare(Rare::Undefined);
                target.unwrap_or_else(|| self.temp(ty))
            }
        }
    }
    fn element(&mut self, var: VarId, index: ExprId, ty: Ty, target: Option<Reg>) -> Reg {
        self.guard_number(index);
        if let VarPlace::Map { .. } = self.code.vars[var] {
            let (index, index_ty) = (self.memo[&index], self.program.exprs.ty(index));
            let dst = target.unwrap_or_else(|| self.temp(ty));
            self.rare(Rare::LoadMap { dst, var, index, index_ty });
            return dst;
        }
        let index = self.index(index);
        let dst = target.unwrap_or_else(|| self.temp(ty));
        let VarPlace::Array { array, .. } = self.code.vars[var] else { return dst };
        if is_wide(ty) {
            self.rare(Rare::LoadElemWide { dst, array, index, var });
        } else {
            self.emit(Insn::LoadElem { dst, array, index });
        }
        dst
    }
    /// An operation on two operands, with the guards that computing with addresses needs.
    fn guarded_binary(
        &mut self,
        op: BinaryOp,
        (lhs, rhs): (ExprId, ExprId),
        ty: Ty,
        target: Option<Reg>,
    ) -> Reg {
        let (a, b) = (self.memo[&lhs], self.memo[&rhs]);
        let types = (self.program.exprs.ty(lhs), self.program.exprs.ty(rhs));
        let needed = self.addresses.guard(self.program, op, lhs, rhs);
        self.guard_before(needed, types.0, a, b);
        // What is guarded afterwards must not lose its operands.
        let is_moved = matches!(needed, Some(Needed::MovedLeft | Needed::MovedRight));
        let dst = target.filter(|_| !is_moved).unwrap_or_else(|| self.temp(ty));
        match self.moves(op, lhs, rhs) {
            Some((from, amount)) => self.emit(Insn::PtrAdd64 { dst, a: from, b: amount }),
            None => self.binary(op, types, dst, a, b),
        }
        self.guard_after(needed, dst, a, b);
        dst
    }
    /// Moves of a pointer by several variable amounts as one move: on the way it may be too far away from its object to come back.
    fn moves(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<(Reg, Reg)> {
        let exprs = &self.program.exprs;
        let is_variable = |id: &ExprId| !matches!(exprs.get(*id), Expr::Const { .. });
        if op != BinaryOp::PtrAdd || !self.lp64() || !is_variable(&rhs) {
            return None;
        }
        let (mut from, mut amounts) = (lhs, vec![rhs]);
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } = *exprs.get(from) {
            amounts.push(rhs);
            from = lhs;
        }
        if amounts.iter().filter(|id| is_variable(id)).count() < 2 {
            return None;
        }
        let sum = self.temp(Ty::signed(64));
        self.emit(Insn::Add64 { dst: sum, a: self.memo[&amounts[0]], b: self.memo[&amounts[1]] });
        for amount in &amounts[2..] {
            self.emit(Insn::Add64 { dst: sum, a: sum, b: self.memo[amount] });
        }
        Some((self.memo[&from], sum))
    }
    /// A number that decides something must be no address.
    pub(super) fn guard_number(&mut self, expr: ExprId) {
        if self.addresses.contains(expr) {
            let a = self.memo[&expr];
            self.emit(Insn::Guard { guard: Guard::Number, operands: Operands::Numbers, a, b: a });
        }
    }
    /// What is read must be no part of a pointer.
    fn guard_part(&mut self, expr: ExprId, addr: Reg, size: u64) {
        if self.addresses.reads_part(self.program, expr) {
            let b = self.constant(size);
            self.emit(Insn::Guard { guard: Guard::Part, operands: Operands::Pointers, a: addr, b });
        }
    }
    /// Bytes that a bit-field has bits in.
    pub(super) fn field_size(&self, bit: u8, ty: Ty) -> u64 {
        (u64::from(bit) + u64::from(ty.width(self.program.data_model))).div_ceil(8)
    }
    pub(super) fn guard_before(&mut self, needed: Option<Needed>, ty: Ty, a: Reg, b: Reg) {
        let operands = if ty == Ty::Ptr { Operands::Pointers } else { Operands::Numbers };
        let number = |a| Insn::Guard { guard: Guard::Number, operands: Operands::Numbers, a, b: a };
        match needed {
            Some(Needed::Operands(guard)) => self.emit(Insn::Guard { guard, operands, a, b }),
            Some(Needed::Swapped(guard)) => self.emit(Insn::Guard { guard, operands, a: b, b: a }),
            Some(Needed::Left) => self.emit(number(a)),
            Some(Needed::Right) => self.emit(number(b)),
            Some(Needed::Both) => {
                self.emit(number(a));
                self.emit(number(b));
            }
            Some(Needed::MovedLeft | Needed::MovedRight) | None => {}
        }
    }
    fn guard_after(&mut self, needed: Option<Needed>, result: Reg, a: Reg, b: Reg) {
        let from = match needed {
            Some(Needed::MovedLeft) => a,
            Some(Needed::MovedRight) => b,
            _ => return,
        };
        self.emit(Insn::Guard { guard: Guard::Move, operands: Operands::Numbers, a: from, b: result });
    }
    /// The register of an index, narrow.
    pub(super) fn index(&mut self, index: ExprId) -> Reg {
        let src = self.memo[&index];
        let ty = self.program.exprs.ty(index);
        if !is_wide(ty) {
            return src;
        }
        let dst = self.temp(Ty::unsigned(64));
        self.rare(Rare::NarrowIndex { ty, dst, src });
        dst
    }
    pub(super) fn has_value(&self, var: VarId) -> bool {
        self.facts.is_known(self.program, self.proc, &self.known, var)
    }
    fn check_value(&mut self, var: VarId) {
        if let Some(flag) = self.scalar(var).flag
            && !self.has_value(var)
        {
            self.emit(Insn::CheckInit { flag, var });
        }
    }
    fn unary(&mut self, op: UnaryOp, ty: Ty, arg: ExprId, target: Option<Reg>) -> Reg {
        self.guard_number(arg);
        let src = self.memo[&arg];
        let dst = target.unwrap_or_else(|| self.temp(ty));
        let mask = u128::MAX >> (128 - u32::from(ty.width(self.program.data_model)));
        match (op, ty) {
            (UnaryOp::Neg, Ty::Int { .. }) => {
                let zero = if is_wide(ty) { self.wide_constant(0) } else { self.constant(0) };
                self.binary(BinaryOp::Sub, (ty, ty), dst, zero, src);
            }
            (UnaryOp::Neg, Ty::Float(kind)) => self.flip(ty, dst, src, 1 << float::sign_bit(kind)),
            (UnaryOp::Not, Ty::Int { .. }) => self.flip(ty, dst, src, mask),
            (_, Ty::Ptr) | (UnaryOp::Not, Ty::Float(_)) => self.copy(ty, dst, src),
        }
        dst
    }
    /// Exclusive or with a constant.
    fn flip(&mut self, ty: Ty, dst: Reg, src: Reg, bits: u128) {
        if is_wide(ty) {
            let b = self.wide_constant(bits);
            let ty = Ty::unsigned(128);
            self.rare(Rare::Binary { op: BinaryOp::Xor, ty, rhs_ty: ty, dst, a: src, b });
        } else {
            let b = self.constant(to_register(ty, bits));
            self.emit(Insn::Xor { dst, a: src, b });
        }
    }
    /// Code for an operation on two registers.
    fn binary(&mut self, op: BinaryOp, (ty, rhs_ty): (Ty, Ty), dst: Reg, a: Reg, b: Reg) {
        if is_wide(ty) || is_wide(rhs_ty) {
            return self.rare(Rare::Binary { op, ty, rhs_ty, dst, a, b });
        }
        match ty {
            Ty::Int { width, signed } => {
                if op.is_comparison() {
                    return self.comparison(op, ty, dst, a, b);
                }
                self.integer(op, (width, signed), (ty, rhs_ty), dst, a, b);
            }
            Ty::Float(FloatKind::Single) => self.emit(Insn::Float32 { op, dst, a, b }),
            Ty::Float(_) => self.emit(Insn::Float64 { op, dst, a, b }),
            Ty::Ptr => match op {
                BinaryOp::PtrAdd if self.lp64() => self.emit(Insn::PtrAdd64 { dst, a, b }),
                BinaryOp::PtrAdd => self.emit(Insn::PtrAdd32 { dst, a, b }),
                BinaryOp::PtrSub => {
                    self.emit(Insn::Sub64 { dst, a, b });
                    if !self.lp64() {
                        self.emit(Insn::Sext { dst, src: dst, shift: 32 });
                    }
                }
                _ => {
                    let (a, b) = (self.address(a), self.address(b));
                    self.comparison(op, ty, dst, a, b);
                }
            },
        }
    }
    /// The address of a pointer without its provenance.
    pub(super) fn address(&mut self, pointer: Reg) -> Reg {
        if self.lp64() {
            return pointer;
        }
        let dst = self.temp(Ty::Ptr);
        self.emit(Insn::Zext { dst, src: pointer, shift: 32 });
        dst
    }
    fn comparison(&mut self, op: BinaryOp, ty: Ty, dst: Reg, a: Reg, b: Reg) {
        self.emit(match (op, ty.is_signed()) {
            (BinaryOp::Eq, _) => Insn::Eq { dst, a, b },
            (BinaryOp::Ne, _) => Insn::Ne { dst, a, b },
            (BinaryOp::Lt, true) => Insn::LtS { dst, a, b },
            (BinaryOp::Lt, false) => Insn::LtU { dst, a, b },
            (_, true) => Insn::LeS { dst, a, b },
            (_, false) => Insn::LeU { dst, a, b },
        });
    }
    fn integer(
        &mut self,
        op: BinaryOp,
        (width, signed): (u8, bool),
        (ty, rhs_ty): (Ty, Ty),
        dst: Reg,
        a: Reg,
        b: Reg,
    ) {
        let checked = signed && self.program.signed_overflow != SignedOverflow::Wrap;
        let insn = match (op, width) {
            (BinaryOp::And, _) => Insn::And { dst, a, b },
            (BinaryOp::Or, _) => Insn::Or { dst, a, b },
            (BinaryOp::Xor, _) => Insn::Xor { dst, a, b },
            (BinaryOp::Shr, _) if signed => Insn::ShrS { dst, a, b, width },
            (BinaryOp::Shr, _) => Insn::ShrU { dst, a, b, width },
            // Bits that leave at the top are an error.
            (BinaryOp::Shl, _) if signed && self.program.signed_overflow == SignedOverflow::Error => {
                return self.rare(Rare::Binary { op, ty, rhs_ty, dst, a, b });
            }
            (BinaryOp::Shl, _) => {
                self.emit(Insn::Shl { dst, a, b, width });
                return self.extend(ty, dst, dst);
            }
            (BinaryOp::Div, _) if checked => Insn::DivS { dst, a, b, width },
            (BinaryOp::Rem, _) if checked => Insn::RemS { dst, a, b, width },
            (BinaryOp::Div, _) if !signed => Insn::DivU { dst, a, b },
            (BinaryOp::Rem, _) if !signed => Insn::RemU { dst, a, b },
            (BinaryOp::Add, 64) if checked => Insn::AddI64 { dst, a, b },
            (BinaryOp::Sub, 64) if checked => Insn::SubI64 { dst, a, b },
            (BinaryOp::Mul, 64) if checked => Insn::MulI64 { dst, a, b },
            (BinaryOp::Add, 32) if checked => Insn::AddI32 { dst, a, b },
            (BinaryOp::Sub, 32) if checked => Insn::SubI32 { dst, a, b },
            (BinaryOp::Mul, 32) if checked => Insn::MulI32 { dst, a, b },
            (BinaryOp::Add, 32) if !signed => Insn::AddU32 { dst, a, b },
            (BinaryOp::Sub, 32) if !signed => Insn::SubU32 { dst, a, b },
            (BinaryOp::Mul, 32) if !signed => Insn::MulU32 { dst, a, b },
            // Their exact product may need more than 64 bits.
            (BinaryOp::Mul, 33..) if checked => return self.rare(Rare::Binary { op, ty, rhs_ty, dst, a, b }),
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, _) => {
                self.emit(match op {
                    BinaryOp::Add => Insn::Add64 { dst, a, b },
                    BinaryOp::Sub => Insn::Sub64 { dst, a, b },
                    _ => Insn::Mul64 { dst, a, b },
                });
                if checked {
                    return self.emit(Insn::Fit { dst, src: dst, shift: 64 - width });
                }
                return self.extend(ty, dst, dst);
            }
            _ => return self.rare(Rare::Binary { op, ty, rhs_ty, dst, a, b }),
        };
        self.emit(insn);
    }
    /// Makes the low bits of a register a number of an integer type of at most 64 bits.
    fn extend(&mut self, ty: Ty, dst: Reg, src: Reg) {
        let shift = 64 - ty.width(self.program.data_model);
        if shift == 0 {
            if dst != src {
                self.emit(Insn::Mov { dst, src });
            }
        } else if ty.is_signed() {
            self.emit(Insn::Sext { dst, src, shift });
        } else {
            self.emit(Insn::Zext { dst, src, shift });
        }
    }
    /// Code for a conversion; without one if the register serves as it is.
    fn cast(&mut self, from: Ty, to: Ty, src: Reg, target: Option<Reg>) -> Reg {
        if is_wide(from) && to == Ty::Ptr {
            let address = Ty::unsigned(64);
            let narrow = self.cast(from, address, src, None);
            return self.cast(address, to, narrow, target);
        }
        if is_wide(from) || is_wide(to) || from.is_float() || to.is_float() {
            // Towards the wide types the provenance of a pointer must go first.
            let (from, src) =
                if from == Ty::Ptr { (Ty::unsigned(64), self.address(src)) } else { (from, src) };
            let dst = target.unwrap_or_else(|| self.temp(to));
            self.rare(Rare::Cast { from, to, dst, src });
            return dst;
        }
        match (from, to) {
            (Ty::Int { .. }, Ty::Ptr) if !self.lp64() => {
                let dst = target.unwrap_or_else(|| self.temp(to));
                self.emit(Insn::IntToPtr32 { dst, src });
                dst
            }
            (Ty::Ptr, Ty::Int { width, .. }) if !self.lp64() && width > 32 => self.address(src),
            (_, Ty::Int { .. }) if !keeps(from, to) => {
                let dst = target.unwrap_or_else(|| self.temp(to));
                self.extend(to, dst, src);
                dst
            }
            _ => src,
        }
    }
}

/// Whether a register of a narrow type holds the same number for the given integer type already.
fn keeps(from: Ty, to: Ty) -> bool {
    match (from, to) {
        (_, Ty::Int { width: 64, .. }) => true,
        (Ty::Int { width: old, signed: was_signed }, Ty::Int { width, signed }) => {
            if signed == was_signed {
                old <= width
            } else {
                !was_signed && old < width
            }
        }
        _ => false,
    }
}
