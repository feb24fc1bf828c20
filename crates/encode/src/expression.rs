//! Expressions as terms, with the condition under which they are defined.

use cfa::{BinaryOp, Expr, ExprId, Length, SignedOverflow, Storage, Ty, UnaryOp, VarId};
use rustc_hash::FxHashMap;
use term::{Integer, Node, SymbolKind, TermId, Terms};

use crate::encoder::Encoder;
use crate::origin::{Origin, Rounding};
use crate::transition::Transition;
use values::state::{Abstract, operands_first, type_range};
use values::value::Value;

/// A value as a term: truth values of [`Ty::BOOL`] are boolean terms as long as they are not stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coded {
    Int(TermId),
    Bool(TermId),
}

/// The value of a node and when it is defined.
pub(crate) struct Defined {
    pub(crate) value: Coded,
    pub(crate) when: TermId,
}

impl Encoder<'_> {
    /// The value of an expression; that it is defined is added to the guard.
    pub(crate) fn expression(&mut self, transition: &mut Transition, root: ExprId) -> Coded {
        let mut done: FxHashMap<ExprId, Defined> = FxHashMap::default();
        for id in operands_first(self.program, [root]) {
            let defined = self.node(transition, id, &done);
            done.insert(id, defined);
        }
        let Defined { value, when } = done[&root];
        self.require(transition, when);
        value
    }

    pub(crate) fn as_int(&mut self, coded: Coded) -> TermId {
        match coded {
            Coded::Int(term) => term,
            Coded::Bool(term) => {
                let (one, zero) = (self.terms.int(1), self.terms.int(0));
                self.terms.ite(term, one, zero)
            }
        }
    }

    pub(crate) fn as_bool(&mut self, coded: Coded) -> TermId {
        match coded {
            Coded::Bool(term) => term,
            Coded::Int(term) => {
                let one = self.terms.int(1);
                self.terms.ge(term, one)
            }
        }
    }

    fn node(
        &mut self,
        transition: &mut Transition,
        id: ExprId,
        done: &FxHashMap<ExprId, Defined>,
    ) -> Defined {
        let node = *self.program.exprs.get(id);
        let ty = self.program.exprs.ty(id);
        if let Expr::Ite { cond, then, other } = node {
            return self.ite(&done[&cond], &done[&then], &done[&other], ty);
        }
        let conditions: Vec<TermId> = node.operands().map(|operand| done[&operand].when).collect();
        let when = self.terms.and(conditions);
        let value = |operand: ExprId| done[&operand].value;
        let (value, own) = match node {
            Expr::Const { ty, bits } => (self.constant(transition, ty, bits), Terms::TRUE),
            Expr::Var { var, .. } => (Coded::Int(self.variable(transition, var)), Terms::TRUE),
            Expr::Elem { array, index, .. } => {
                let position = self.as_int(value(index));
                let inside = self.inside(array, index, position);
                let array = self.array(transition, array);
                (Coded::Int(self.element(transition, array, position, ty)), inside)
            }
            Expr::Load { .. } | Expr::LoadBits { .. } => {
                (Coded::Int(self.round_up(transition, Rounding::Memory, ty)), Terms::TRUE)
            }
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost => {
                let term = self.round_up(transition, Rounding::Memory, ty);
                (Coded::Bool(self.as_bool(Coded::Int(term))), Terms::TRUE)
            }
            Expr::Bounded { index, low, bound } => {
                let position = self.as_int(value(index));
                (Coded::Int(position), self.between(index, position, low, bound))
            }
            Expr::Undefined { .. } if ty == Ty::BOOL => (Coded::Bool(Terms::FALSE), Terms::FALSE),
            Expr::Undefined { .. } => (Coded::Int(self.terms.int(0)), Terms::FALSE),
            Expr::Address { var } => self.address_of(transition, id, var),
            Expr::Function { proc } => {
                let name = self.program.procs[proc].name.clone();
                (Coded::Int(self.address(transition, id, &name)), Terms::TRUE)
            }
            Expr::Unary { op, arg } => self.unary(transition, op, arg, value(arg), ty),
            Expr::Binary { op, lhs, rhs } => {
                self.binary(transition, op, (lhs, value(lhs)), (rhs, value(rhs)), ty)
            }
            Expr::Cast { arg, .. } => self.cast(transition, arg, value(arg), ty),
            Expr::Ite { .. } => unreachable!("treated above"),
        };
        self.analysed(id, value);
        let facts = std::mem::take(&mut self.facts);
        Defined { value, when: self.terms.and(facts.into_iter().chain([when, own])) }
    }

    /// The address of an object, and when it is defined.
    fn address_of(&mut self, transition: &mut Transition, id: ExprId, var: VarId) -> (Coded, TermId) {
        if self.program.vars[var].owner.is_none() {
            let name = self.program.vars[var].name.clone();
            return (Coded::Int(self.address(transition, id, &name)), Terms::TRUE);
        }
        // A local object has a new address in every lifetime, so no one symbol stands for it.
        let address = self.round_up(transition, Rounding::LocalAddress, Ty::Ptr);
        let zero = self.terms.int(0);
        (Coded::Int(address), self.terms.gt(address, zero))
    }

    /// What the analysis knows of a value that the term does not say itself: of one that is rounded up, of a product, and of an element. Invariants of
    /// locations that follow from it could not be proved otherwise.
    fn analysed(&mut self, id: ExprId, value: Coded) {
        let Coded::Int(term) = value else { return };
        let is_open = match *self.program.exprs.get(id) {
            Expr::Elem { .. } => self.terms.as_number(term).is_none(),
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs } => {
                let is_constant = |id| matches!(self.program.exprs.get(id), Expr::Const { .. });
                self.terms.as_number(term).is_none() && !is_constant(lhs) && !is_constant(rhs)
            }
            Expr::Binary { .. } | Expr::Unary { .. } => matches!(self.terms.node(term), Node::Symbol(symbol)
                if self.terms.symbol(*symbol).kind == SymbolKind::Skolem),
            _ => false,
        };
        let range = type_range(self.program.exprs.ty(id));
        let Some(known) = self.known(id).filter(|known| is_open && Some(*known) != range) else { return };
        let (low, high) = (self.terms.number(known.low()), self.terms.number(known.high()));
        let bounds = [self.terms.le(low, term), self.terms.le(term, high)];
        for fact in bounds {
            self.fact(fact);
        }
        if known.modulus() > 1 {
            let residue = self.terms.number(known.residue());
            let difference = self.terms.sub(term, residue);
            let fact = self.terms.divides(&Integer::from(known.modulus()), difference);
            self.fact(fact);
        }
    }

    fn ite(&mut self, cond: &Defined, then: &Defined, other: &Defined, ty: Ty) -> Defined {
        let holds = self.as_bool(cond.value);
        let branches = self.terms.ite(holds, then.when, other.when);
        let when = self.terms.and([cond.when, branches]);
        // A branch that is never defined has no say in the value.
        if then.when == Terms::FALSE || other.when == Terms::FALSE {
            let value = if then.when == Terms::FALSE { other.value } else { then.value };
            return Defined { value, when };
        }
        let value = if ty == Ty::BOOL {
            let (then, other) = (self.as_bool(then.value), self.as_bool(other.value));
            Coded::Bool(self.terms.ite(holds, then, other))
        } else {
            let (then, other) = (self.as_int(then.value), self.as_int(other.value));
            Coded::Int(self.terms.ite(holds, then, other))
        };
        Defined { value, when }
    }

    fn constant(&mut self, transition: &mut Transition, ty: Ty, bits: u128) -> Coded {
        match ty {
            Ty::BOOL => Coded::Bool(self.terms.bool(bits != 0)),
            Ty::Int { width: 128, signed: false } | Ty::Ptr => {
                Coded::Int(self.terms.number(Integer::from(bits)))
            }
            Ty::Int { .. } => Coded::Int(self.terms.number(Integer::from(ty.value_of(bits)))),
            Ty::Float(_) => Coded::Int(self.round_up(transition, Rounding::FloatConstant, ty)),
        }
    }

    pub(crate) fn variable(&mut self, transition: &Transition, var: VarId) -> TermId {
        let symbol =
            self.vocabulary.symbol(var).expect("P3: an expression should read scalars and arrays only");
        transition.value(self.terms, symbol)
    }

    pub(crate) fn array(&mut self, transition: &Transition, var: VarId) -> TermId {
        self.variable(transition, var)
    }

    /// The index of an array access as a term; that it is inside is added to the guard.
    pub(crate) fn index(&mut self, transition: &mut Transition, array: VarId, index: ExprId) -> TermId {
        let coded = self.expression(transition, index);
        let position = self.as_int(coded);
        let inside = self.inside(array, index, position);
        self.require(transition, inside);
        position
    }

    /// That a position, of which nothing is known, is an index of an array.
    pub(crate) fn is_inside(&mut self, array: VarId, position: TermId) -> TermId {
        let Storage::Array { length, .. } = self.program.vars[array].storage else { return Terms::TRUE };
        if length == Length::Unbounded {
            return Terms::TRUE;
        }
        let zero = self.terms.int(0);
        let above = self.terms.le(zero, position);
        let Length::Fixed(length) = length else { return above };
        let length = self.terms.number(Integer::from(length));
        let below = self.terms.lt(position, length);
        self.terms.and([above, below])
    }

    fn inside(&mut self, array: VarId, index: ExprId, position: TermId) -> TermId {
        let Storage::Array { length, .. } = self.program.vars[array].storage else { return Terms::TRUE };
        match length {
            Length::Unbounded => Terms::TRUE,
            Length::Fixed(length) => self.below(index, position, length),
            // A dynamic length is not part of the state: beyond the end is considered too, which only adds executions.
            Length::Dynamic => {
                let zero = self.terms.int(0);
                let is_negative = self.known(index).is_none_or(|range| range.low() < 0);
                if is_negative { self.terms.le(zero, position) } else { Terms::TRUE }
            }
        }
    }

    /// That an index, which is at a position, is not negative and below a bound; what the analysis knows already is left out.
    fn below(&mut self, index: ExprId, position: TermId, bound: u64) -> TermId {
        self.between(index, position, 0, bound)
    }

    /// That an integer is at least a number and below another one.
    fn between(&mut self, index: ExprId, position: TermId, low: i64, bound: u64) -> TermId {
        let known = self.known(index);
        let mut conditions = Vec::new();
        if known.is_none_or(|range| range.low() < i128::from(low)) {
            let low = self.terms.number(Integer::from(low));
            conditions.push(self.terms.le(low, position));
        }
        if known.is_none_or(|range| range.high() >= i128::from(bound)) {
            let bound = self.terms.number(Integer::from(bound));
            conditions.push(self.terms.lt(position, bound));
        }
        self.terms.and(conditions)
    }

    /// An element, which is in its type's range because everything that was stored is.
    fn element(&mut self, transition: &mut Transition, array: TermId, position: TermId, ty: Ty) -> TermId {
        let element = self.terms.select(array, position);
        if self.terms.as_number(element).is_none() {
            let within = self.within_type(element, ty);
            self.require(transition, within);
        }
        element
    }

    fn address(&mut self, transition: &mut Transition, expr: ExprId, name: &str) -> TermId {
        let address = self.vocabulary.address(self.program, self.terms, expr, name);
        let zero = self.terms.int(0);
        let not_null = self.terms.gt(address, zero);
        let within = self.within_type(address, Ty::Ptr);
        self.require(transition, not_null);
        self.require(transition, within);
        address
    }

    pub(crate) fn round_up(&mut self, transition: &mut Transition, what: Rounding, ty: Ty) -> TermId {
        self.skolem(transition, "approx", ty, Origin::Rounded(what))
    }

    /// What is known of an expression at the operation at hand.
    pub(crate) fn known(&self, expr: ExprId) -> Option<Value> {
        match self.ranges.get(&expr) {
            Some(Abstract::Known(value)) => Some(*value),
            Some(Abstract::Unknown | Abstract::Never) | None => None,
        }
    }

    fn unary(
        &mut self,
        transition: &mut Transition,
        op: UnaryOp,
        arg: ExprId,
        value: Coded,
        ty: Ty,
    ) -> (Coded, TermId) {
        match (op, value, ty) {
            (UnaryOp::Not, Coded::Bool(term), Ty::Int { width: 1, .. }) => {
                (Coded::Bool(self.terms.not(term)), Terms::TRUE)
            }
            (UnaryOp::Not, value, Ty::BOOL) => {
                let term = self.as_bool(value);
                (Coded::Bool(self.terms.not(term)), Terms::TRUE)
            }
            (_, _, Ty::Float(_) | Ty::Ptr) => {
                (Coded::Int(self.round_up(transition, Rounding::FloatOperation, ty)), Terms::TRUE)
            }
            (UnaryOp::Not, value, Ty::Int { .. }) => {
                let term = self.as_int(value);
                let all_ones = self.terms.number(self.complement_base(ty));
                (Coded::Int(self.terms.sub(all_ones, term)), Terms::TRUE)
            }
            (UnaryOp::Neg, value, Ty::Int { .. }) => {
                let term = self.as_int(value);
                let negated = self.terms.neg(term);
                let exact = self.known(arg).and_then(Value::negate);
                self.fit(negated, exact, ty)
            }
        }
    }

    /// `~x` is this number minus x.
    #[allow(clippy::unused_self)]
    fn complement_base(&self, ty: Ty) -> Integer {
        match ty {
            Ty::Int { signed: false, width } => Integer::power_of_two(u32::from(width)) - Integer::ONE,
            Ty::Int { .. } | Ty::Float(_) | Ty::Ptr => Integer::MINUS_ONE,
        }
    }

    /// Brings the exact result of an operation into its type: as it is if it fits for sure; for signed types unless they wrap with the
    /// condition that it fits; wrapped otherwise.
    pub(crate) fn fit(&mut self, exact: TermId, range: Option<Value>, ty: Ty) -> (Coded, TermId) {
        if self.fits(range, ty) {
            return (Coded::Int(exact), Terms::TRUE);
        }
        if ty.is_signed() && self.program.signed_overflow != SignedOverflow::Wrap {
            let within = self.within_type(exact, ty);
            return (Coded::Int(exact), within);
        }
        (Coded::Int(self.wrap(exact, range, ty)), Terms::TRUE)
    }

    fn cast(&mut self, transition: &mut Transition, arg: ExprId, value: Coded, ty: Ty) -> (Coded, TermId) {
        let from = self.program.exprs.ty(arg);
        let result = match (from, ty) {
            (Ty::Float(_), _) | (_, Ty::Float(_)) => {
                return (Coded::Int(self.round_up(transition, Rounding::FloatConversion, ty)), Terms::TRUE);
            }
            (Ty::BOOL, Ty::Int { width, signed }) if width > 1 || !signed => value,
            (_, Ty::Int { .. }) => {
                let term = self.as_int(value);
                let range = self.known(arg);
                if self.fits(range, ty) { Coded::Int(term) } else { Coded::Int(self.wrap(term, range, ty)) }
            }
            (_, Ty::Ptr) => {
                let term = self.as_int(value);
                let address = Ty::unsigned(self.program.data_model.pointer_width());
                let range = self.known(arg);
                if from == Ty::Ptr || self.fits(range, address) {
                    Coded::Int(term)
                } else {
                    Coded::Int(self.wrap(term, range, address))
                }
            }
        };
        // A truth value stays boolean only as long as its type says so.
        let result = if ty == Ty::BOOL { result } else { Coded::Int(self.as_int(result)) };
        (result, Terms::TRUE)
    }

    fn binary(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, Coded),
        (rhs, right): (ExprId, Coded),
        ty: Ty,
    ) -> (Coded, TermId) {
        let operands = self.program.exprs.ty(lhs);
        if operands.is_float() {
            return match ty {
                Ty::BOOL => {
                    let term = self.round_up(transition, Rounding::FloatComparison, ty);
                    (Coded::Bool(self.as_bool(Coded::Int(term))), Terms::TRUE)
                }
                _ => (Coded::Int(self.round_up(transition, Rounding::FloatOperation, ty)), Terms::TRUE),
            };
        }
        if operands == Ty::BOOL
            && let Some(result) = self.connective(op, left, right)
        {
            return (Coded::Bool(result), Terms::TRUE);
        }
        let (left, right) = (self.as_int(left), self.as_int(right));
        match op {
            BinaryOp::Eq => (Coded::Bool(self.terms.eq(left, right)), Terms::TRUE),
            BinaryOp::Ne => (Coded::Bool(self.terms.ne(left, right)), Terms::TRUE),
            BinaryOp::Lt => (Coded::Bool(self.terms.lt(left, right)), Terms::TRUE),
            BinaryOp::Le => (Coded::Bool(self.terms.le(left, right)), Terms::TRUE),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                (Coded::Int(self.bitwise(transition, op, (lhs, left), (rhs, right), ty)), Terms::TRUE)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shift(transition, op, (lhs, left), (rhs, right), ty),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::PtrAdd
            | BinaryOp::PtrSub => self.arithmetic(transition, op, (lhs, left), (rhs, right), ty),
        }
    }

    fn connective(&mut self, op: BinaryOp, left: Coded, right: Coded) -> Option<TermId> {
        let (a, b) = (self.as_bool(left), self.as_bool(right));
        Some(match op {
            BinaryOp::And => self.terms.and([a, b]),
            BinaryOp::Or => self.terms.or([a, b]),
            BinaryOp::Eq => self.terms.iff(a, b),
            BinaryOp::Ne | BinaryOp::Xor => {
                let same = self.terms.iff(a, b);
                self.terms.not(same)
            }
            BinaryOp::Lt => {
                let not_a = self.terms.not(a);
                self.terms.and([not_a, b])
            }
            BinaryOp::Le => self.terms.implies(a, b),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::PtrAdd
            | BinaryOp::PtrSub => return None,
        })
    }
}
