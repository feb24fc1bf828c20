//! Expressions over memory as expressions over variables.

use std::collections::{BTreeMap, BTreeSet};

use base::Region;
use cfa::{BinaryOp, Expr, ExprId, Program, Source, Storage, Ty, Var, VarId};
use rustc_hash::FxHashMap;

use super::known::{has_gaps, odd};
use super::layout::Extent;
use super::meaning::Stands;
use super::object::{Count, Objects};
use super::offsets::{Linear, gcd};
use super::pointee::Pointee;
use super::pointers::Pointers;
use super::slots::{OBJECT, Pair, Slots, WORD};
use super::tasks::peeled;
use super::{FOREIGN, GARBAGE, NONE, ObjectId};
use crate::fold::simplified;

/// A pointer: number of the object, which one of many, offset in bytes.
#[derive(Clone, Debug)]
pub(super) struct Fat {
    pub(super) object: ExprId,
    pub(super) instance: ExprId,
    pub(super) offset: Linear,
}

/// What an expression becomes.
#[derive(Clone, Debug)]
enum New {
    Plain(ExprId),
    Pointer(Fat),
}

/// A value that is not followed.
#[derive(Clone, Debug)]
pub(super) struct Rounded {
    /// Why it is arbitrary.
    pub(super) source: Source,
    /// What it stands for.
    pub(super) stands: Stands,
}

/// Translates the expressions of one program.
pub(super) struct Translator<'a> {
    pub(super) objects: &'a Objects<'a>,
    pub(super) pointers: &'a Pointers,
    pub(super) slots: Slots,
    pub(super) out: Program,
    /// Variables that stand for values that are not followed: arbitrary wherever they are read.
    pub(super) rounded: BTreeMap<VarId, Rounded>,
    /// The variable for what a load reads if that is in memory that is not followed; for a pointer, its number.
    pub(super) unfollowed: BTreeMap<ExprId, VarId>,
    /// What an arbitrary value stands for that is made now.
    pub(super) stands: Stands,
    done: FxHashMap<ExprId, New>,
    /// Comparisons of pointers, by operation and operands.
    pub(super) compared: FxHashMap<(BinaryOp, ExprId, ExprId), ExprId>,
    /// Objects in which bytes may become truth values that are none.
    pub(super) odd: BTreeSet<ObjectId>,
    /// Whether memory that is not followed may have no values.
    pub(super) has_gaps: bool,
}

impl<'a> Translator<'a> {
    pub(super) fn new(objects: &'a Objects<'a>, pointers: &'a Pointers, slots: Slots, out: Program) -> Self {
        let (rounded, unfollowed) = (BTreeMap::new(), BTreeMap::new());
        let (done, compared) = (FxHashMap::default(), FxHashMap::default());
        let stands = Stands::Result;
        let (odd, has_gaps) = (odd(objects, pointers), has_gaps(objects, pointers));
        let mut translator = Self {
            objects,
            pointers,
            slots,
            out,
            rounded,
            unfollowed,
            stands,
            done,
            compared,
            odd,
            has_gaps,
        };
        for id in &objects.used {
            translator.stands = Stands::Expr(*id);
            let new = translator.node(*id);
            translator.done.insert(*id, new);
        }
        translator.stands = Stands::Result;
        translator
    }

    /// What an expression that is no pointer becomes.
    pub(super) fn plain(&self, id: ExprId) -> ExprId {
        match self.done.get(&id) {
            Some(New::Plain(new)) => *new,
            Some(New::Pointer(_)) | None => id,
        }
    }
    /// What a pointer becomes.
    pub(super) fn fat(&mut self, id: ExprId) -> Fat {
        match self.done.get(&id) {
            Some(New::Pointer(fat)) => fat.clone(),
            Some(New::Plain(_)) | None => self.at(NONE),
        }
    }

    fn node(&mut self, id: ExprId) -> New {
        let program = self.objects.program;
        let expr = *program.exprs.get(id);
        if program.exprs.ty(id) == Ty::Ptr {
            return New::Pointer(self.pointer(id, expr));
        }
        let is_pointer = |operand: ExprId| program.exprs.ty(operand) == Ty::Ptr;
        New::Plain(match expr {
            Expr::Load { addr, ty } => self.load(addr, &Extent::of(program, ty)),
            Expr::LoadBits { addr, bit, ty } => self.load(addr, &Extent::bits(program, bit, ty)),
            Expr::Binary { op, lhs, rhs } if is_pointer(lhs) => self.compare(op, lhs, rhs),
            Expr::Cast { ty, arg } if is_pointer(arg) => {
                let (pointer, pointee) = (self.fat(arg), self.pointers.of(arg).clone());
                let address = self.address(&pointer, &pointee);
                self.cast(ty, address)
            }
            Expr::Accessible { addr, length, access } => self.accessible(addr, length, access),
            Expr::SameObject { one, other } => self.leads_to_one(one, other),
            Expr::Freeable { addr } => self.freeable(addr),
            Expr::Test { test, addr } => self.test(test, addr),
            Expr::Initialised { addr, bit, ty } => {
                let extent = match bit {
                    Some(bit) => Extent::bits(program, bit, ty),
                    None => Extent::of(program, ty),
                };
                self.initialised(addr, &extent)
            }
            // Whether memory is lost is not followed.
            Expr::Lost => self.round(Ty::BOOL),
            Expr::Elem { array, index, ty } => {
                let index = self.plain(index);
                self.element(array, index, ty)
            }
            _ if expr.operands().next().is_none() => id,
            _ => {
                let expr = expr.map_operands(|operand| self.plain(operand));
                simplified(&mut self.out, expr)
            }
        })
    }

    /// An element of an array, which is undefined beyond a variable length, too.
    fn element(&mut self, array: VarId, index: ExprId, ty: Ty) -> ExprId {
        let element = self.out.exprs.add(Expr::Elem { array, index, ty });
        match self.below_length(array, index) {
            Some(inside) => {
                let undefined = self.out.exprs.add(Expr::Undefined { ty });
                self.ite(inside, element, undefined)
            }
            None => element,
        }
    }
    /// Whether an index is below the length of an array, if that is variable.
    pub(super) fn below_length(&mut self, array: VarId, index: ExprId) -> Option<ExprId> {
        let length = self.slots.length(array)?;
        let length = self.out.exprs.var(length, WORD);
        let index = self.cast(WORD, index);
        Some(self.binary(BinaryOp::Lt, index, length))
    }

    fn pointer(&mut self, id: ExprId, expr: Expr) -> Fat {
        let program = self.objects.program;
        match expr {
            Expr::Const { bits, .. } => Fat { offset: Linear::constant(bits as i128), ..self.at(NONE) },
            Expr::Var { var, .. } => self.held(var, None),
            Expr::Elem { array, index, .. } => {
                let index = self.plain(index);
                let mut held = self.held(array, Some(index));
                if let Some(inside) = self.below_length(array, index) {
                    let undefined = self.out.exprs.add(Expr::Undefined { ty: OBJECT });
                    held.object = self.ite(inside, held.object, undefined);
                }
                held
            }
            Expr::Load { addr, .. } => self.load_pointer(addr),
            Expr::Address { var } => self.at(self.objects.of_var(var).unwrap_or(NONE)),
            Expr::Function { proc } => self.at(self.objects.of_proc(proc).unwrap_or(NONE)),
            Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => {
                let base = self.fat(lhs);
                let sum = self.pointers.sum(id).clone();
                let terms = sum.terms.iter().map(|(factor, term)| (*factor, self.plain(*term))).collect();
                let amount = Linear { constant: sum.constant, terms };
                let offset = if let Some(offset) = base.offset.plus(&amount) {
                    offset
                } else {
                    let (left, right) = (self.number(&base.offset), self.number(&amount));
                    Linear::term(1, self.binary(BinaryOp::Add, left, right))
                };
                Fat { offset, ..base }
            }
            Expr::Ite { cond, then, other } => {
                let (cond, then, other) = (self.plain(cond), self.fat(then), self.fat(other));
                self.choose(cond, &then, &other)
            }
            Expr::Cast { arg, .. } if program.exprs.ty(arg) == Ty::Ptr => self.fat(arg),
            Expr::Cast { arg, .. } => match (peeled(program, arg), *program.exprs.get(arg)) {
                (Some(pointer), _) => self.fat(pointer),
                (None, Expr::Const { bits, .. }) => self.constant(bits),
                (None, _) => {
                    let number = self.plain(arg);
                    self.of_number(number)
                }
            },
            Expr::Undefined { .. } => {
                let object = self.out.exprs.add(Expr::Undefined { ty: OBJECT });
                Fat { object, ..self.at(NONE) }
            }
            Expr::Binary { .. }
            | Expr::Unary { .. }
            | Expr::LoadBits { .. }
            | Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. } => self.arbitrary(FOREIGN, Source::Rounded),
        }
    }

    /// The address with a number.
    fn constant(&mut self, bits: u128) -> Fat {
        let bits = bits & (u128::MAX >> (128 - u32::from(self.out.data_model.pointer_width())));
        Fat { offset: Linear::constant(bits as i128), ..self.at(NONE) }
    }
    /// The start of an object.
    pub(super) fn at(&mut self, object: ObjectId) -> Fat {
        let number = self.out.exprs.int(OBJECT, i128::from(object.0));
        let instance = match (self.objects.get(object).count, self.slots.current(object)) {
            (Count::Many, Some(current)) => self.out.exprs.var(current, WORD),
            _ => self.out.exprs.int(WORD, 0),
        };
        Fat { object: number, instance, offset: Linear::constant(0) }
    }
    /// An arbitrary pointer: null, or into memory that is not followed.
    pub(super) fn arbitrary(&mut self, object: ObjectId, source: Source) -> Fat {
        let number = self.round_from(Ty::unsigned(self.out.data_model.pointer_width()), source);
        self.outside(object, number)
    }
    /// A pointer that a number is: null, or into memory that is not followed.
    pub(super) fn of_number(&mut self, number: ExprId) -> Fat {
        self.outside(FOREIGN, number)
    }
    /// The pointer with a number into memory that is not followed; null for 0.
    pub(super) fn outside(&mut self, object: ObjectId, number: ExprId) -> Fat {
        let address = Ty::unsigned(self.out.data_model.pointer_width());
        let number = self.cast(address, number);
        let zero = self.out.exprs.int(address, 0);
        let is_null = self.binary(BinaryOp::Eq, number, zero);
        let (none, outside) = (self.object_number(NONE), self.object_number(object));
        let object = self.ite(is_null, none, outside);
        let instance = self.cast(WORD, number);
        Fat { object, instance, offset: Linear::constant(0) }
    }
    /// Notes that an arbitrary value is what the load reads that is translated now.
    pub(super) fn note_unfollowed(&mut self, value: ExprId) {
        if let (Stands::Expr(load), Expr::Var { var, .. }) = (self.stands, *self.out.exprs.get(value)) {
            self.unfollowed.insert(load, var);
        }
    }
    /// A new variable whose value is arbitrary wherever it is read, because it is not followed.
    pub(super) fn round(&mut self, ty: Ty) -> ExprId {
        self.round_from(ty, Source::Rounded)
    }
    /// A new variable whose value is arbitrary wherever it is read.
    pub(super) fn round_from(&mut self, ty: Ty, source: Source) -> ExprId {
        let var = self.out.vars.push(Var {
            name: format!("%rounded{}", self.rounded.len()).into(),
            storage: Storage::Scalar(ty),
            owner: (self.objects.procs.len() == 1).then_some(self.out.entry),
            c_type: "".into(),
            declared: Region::NOWHERE,
            scope: Region::NOWHERE,
        });
        self.rounded.insert(var, Rounded { source, stands: self.stands });
        self.out.exprs.var(var, ty)
    }

    /// One of two pointers.
    pub(super) fn choose(&mut self, cond: ExprId, then: &Fat, other: &Fat) -> Fat {
        let object = self.ite(cond, then.object, other.object);
        let instance = self.ite(cond, then.instance, other.instance);
        if then.offset == other.offset {
            return Fat { object, instance, offset: then.offset.clone() };
        }
        let residue = then.offset.constant;
        let distance = i64::try_from(other.offset.constant - residue).unwrap_or(1);
        let factors = then.offset.terms.iter().chain(&other.offset.terms);
        let unit = factors.fold(distance, |unit, (factor, _)| gcd(unit, *factor)).max(1);
        let (left, right) = (then.offset.plus_constant(-residue), other.offset.plus_constant(-residue));
        let (left, right) = (self.scaled(&left, unit), self.scaled(&right, unit));
        let chosen = self.ite(cond, left, right);
        Fat { object, instance, offset: Linear::term(unit, chosen).plus_constant(residue) }
    }

    /// The pointer that a variable, or an element of it, holds.
    fn held(&mut self, var: VarId, index: Option<ExprId>) -> Fat {
        match self.slots.pointer(var).cloned() {
            Some(pair) => self.read_pair(&pair, index),
            None => self.at(NONE),
        }
    }
    pub(super) fn read_pair(&mut self, pair: &Pair, index: Option<ExprId>) -> Fat {
        let object = match (pair.object, pair.pointee.only()) {
            (Some(var), _) => self.read(var, index, OBJECT),
            (None, only) => self.object_number(only.unwrap_or(NONE)),
        };
        let instance = match pair.instance {
            Some(var) => self.read(var, index, WORD),
            None => self.out.exprs.int(WORD, 0),
        };
        let offset = match pair.offset {
            Some(var) => Linear::term(pair.modulus, self.read(var, index, WORD)),
            None => Linear::constant(0),
        };
        Fat { object, instance, offset: offset.plus_constant(i128::from(pair.residue)) }
    }
    pub(super) fn read(&mut self, var: VarId, index: Option<ExprId>, ty: Ty) -> ExprId {
        match index {
            None => self.out.exprs.var(var, ty),
            Some(index) => self.out.exprs.add(Expr::Elem { array: var, index, ty }),
        }
    }
    fn load_pointer(&mut self, addr: ExprId) -> Fat {
        let extent = Extent::of(self.objects.program, Ty::Ptr);
        let (address, pointee) = (self.fat(addr), self.pointers.of(addr).clone());
        let ways = self.ways(&address, &pointee, &extent);
        self.loaded_pointer(&ways)
    }
    fn load(&mut self, addr: ExprId, extent: &Extent) -> ExprId {
        let (address, pointee) = (self.fat(addr), self.pointers.of(addr).clone());
        let ways = self.ways(&address, &pointee, extent);
        self.loaded(&ways, extent)
    }

    // Small expressions.

    pub(super) fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        simplified(&mut self.out, Expr::Binary { op, lhs, rhs })
    }
    pub(super) fn ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
        if then == other { then } else { simplified(&mut self.out, Expr::Ite { cond, then, other }) }
    }
    pub(super) fn cast(&mut self, ty: Ty, arg: ExprId) -> ExprId {
        simplified(&mut self.out, Expr::Cast { ty, arg })
    }
    pub(super) fn not(&mut self, arg: ExprId) -> ExprId {
        match self.truth(arg) {
            Some(value) => self.out.exprs.bool(!value),
            None => self.out.exprs.not(arg),
        }
    }
    pub(super) fn and(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        match (self.truth(lhs), self.truth(rhs)) {
            (Some(false), _) | (_, Some(true)) => lhs,
            (Some(true), _) | (_, Some(false)) => rhs,
            _ => self.binary(BinaryOp::And, lhs, rhs),
        }
    }
    pub(super) fn or(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        match (self.truth(lhs), self.truth(rhs)) {
            (Some(true), _) | (_, Some(false)) => lhs,
            (Some(false), _) | (_, Some(true)) => rhs,
            _ => self.binary(BinaryOp::Or, lhs, rhs),
        }
    }
    /// The value of a constant condition.
    pub(super) fn truth(&self, id: ExprId) -> Option<bool> {
        match *self.out.exprs.get(id) {
            Expr::Const { bits, .. } => Some(bits != 0),
            _ => None,
        }
    }
    pub(super) fn object_number(&mut self, object: ObjectId) -> ExprId {
        self.out.exprs.int(OBJECT, i128::from(object.0))
    }
    /// Whether a pointer is one to an object, given what it may be.
    pub(super) fn object_is(&mut self, pointer: &Fat, pointee: &Pointee, object: ObjectId) -> ExprId {
        if pointee.only() == Some(object) {
            return self.out.exprs.bool(true);
        }
        let is_possible = match object {
            NONE => pointee.others.null || pointee.others.number,
            GARBAGE => pointee.others.unwritten,
            FOREIGN => pointee.others.foreign,
            object => pointee.objects.contains_key(&object),
        };
        if !is_possible {
            return self.out.exprs.bool(false);
        }
        let number = self.object_number(object);
        self.binary(BinaryOp::Eq, pointer.object, number)
    }
    pub(super) fn word(&mut self, value: i64) -> ExprId {
        self.out.exprs.int(WORD, i128::from(value))
    }

    /// A sum divided by a unit that divides it.
    pub(super) fn scaled(&mut self, sum: &Linear, unit: i64) -> ExprId {
        if let Some(sum) = sum.divided(unit) {
            return self.number(&sum);
        }
        let (dividend, divisor) = (self.number(sum), self.word(unit));
        self.binary(BinaryOp::Div, dividend, divisor)
    }
    /// A sum as an expression.
    pub(super) fn number(&mut self, sum: &Linear) -> ExprId {
        let mut total: Option<ExprId> = None;
        for (factor, term) in &sum.terms {
            let term = self.cast(WORD, *term);
            let product = if *factor == 1 {
                term
            } else {
                let factor = self.word(*factor);
                self.binary(BinaryOp::Mul, term, factor)
            };
            total = Some(match total {
                None => product,
                Some(total) => self.binary(BinaryOp::Add, total, product),
            });
        }
        let constant = self.out.exprs.int(WORD, sum.constant);
        match total {
            None => constant,
            Some(total) if sum.constant == 0 => total,
            Some(total) => self.binary(BinaryOp::Add, total, constant),
        }
    }
}
