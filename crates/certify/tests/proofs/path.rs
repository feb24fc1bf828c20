//! One path of operations as formulas, operation by operation: what [`crate::prove`] checks proofs with.
//!
//! This shares no code with crate encode. Paths are not joined, nothing is known of values beforehand, a machine operation is the integer operation followed by a reduction modulo
//! 2^width, and a product is a product. What is not expressed, e.g. memory, is an arbitrary value, and the path counts as rounded up.

use std::collections::BTreeMap;

use cfa::{
    BinaryOp, Edge, Expr, ExprId, InitKind, Length, Op, Place, Program, SignedOverflow, Storage, Ty, UnaryOp,
    VarId,
};
use encode::Vocabulary;
use term::{Integer, Sort, SymbolKind, TermId, Terms};
use values::state::State;
use values::value::Value;

/// Whether a path is expressed exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Exact,
    RoundedUp,
}

/// What is known of the elements of an array that were there at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Elements {
    /// They are as at the start.
    Kept,
    /// All of them were set to zero.
    Zero,
    /// They are arbitrary.
    Arbitrary,
}

/// The state after a path over the one before it.
pub(crate) struct Path<'a> {
    program: &'a Program,
    pub(crate) terms: &'a mut Terms,
    /// What is known at the start of the elements of arrays.
    facts: &'a State,
    /// The value of every variable that has a symbol.
    pub(crate) values: BTreeMap<VarId, TermId>,
    pub(crate) elements: BTreeMap<VarId, Elements>,
    /// The values that were written to arrays.
    pub(crate) written: Vec<(VarId, TermId)>,
    /// What the path requires.
    pub(crate) conditions: Vec<TermId>,
    pub(crate) precision: Precision,
    /// What holds where the expression at hand is evaluated.
    chosen: Vec<TermId>,
}

/// The ends of an integer type of at most 64 bits.
fn ends(ty: Ty) -> Option<(i128, i128)> {
    let Ty::Int { width: ..=64, .. } = ty else { return None };
    ty.range()
}

/// That a term has a value that the analysis of values allows.
pub(crate) fn allowed(terms: &mut Terms, term: TermId, value: Value) -> TermId {
    let (low, high) = (terms.number(value.low()), terms.number(value.high()));
    let residue = terms.number(value.residue());
    let difference = terms.sub(term, residue);
    let parts = [
        terms.le(low, term),
        terms.le(term, high),
        terms.divides(&Integer::from(value.modulus().max(1)), difference),
    ];
    terms.and(parts)
}

/// That a term has a value of a type.
pub(crate) fn typed(terms: &mut Terms, term: TermId, ty: Ty) -> TermId {
    let Some((low, high)) = ends(ty) else { return Terms::TRUE };
    let (low, high) = (terms.number(low), terms.number(high));
    let parts = [terms.le(low, term), terms.le(term, high)];
    terms.and(parts)
}

impl<'a> Path<'a> {
    pub(crate) fn new(
        program: &'a Program,
        vocabulary: &Vocabulary,
        facts: &'a State,
        terms: &'a mut Terms,
    ) -> Self {
        let mut values = BTreeMap::new();
        for var in program.vars.ids() {
            if let Some(symbol) = vocabulary.symbol(var) {
                values.insert(var, terms.of_symbol(symbol));
            }
        }
        Self {
            program,
            terms,
            facts,
            values,
            elements: BTreeMap::new(),
            written: Vec::new(),
            conditions: Vec::new(),
            precision: Precision::Exact,
            chosen: Vec::new(),
        }
    }

    /// Appends an edge; returns whether the execution goes on behind it.
    pub(crate) fn follow(&mut self, edge: &Edge) -> bool {
        edge.ops.iter().all(|op| {
            self.operation(op);
            !matches!(op, Op::Halt { .. })
        })
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Assume { cond } => {
                let holds = self.truth(*cond);
                self.conditions.push(holds);
            }
            Op::Assign { place, value } => {
                let ty = self.program.exprs.ty(*value);
                let value = self.number(*value);
                self.write(*place, value, ty);
            }
            Op::Havoc { place: Place::Var(var), .. } => {
                let value = self.arbitrary(self.program.vars[*var].scalar());
                self.values.insert(*var, value);
            }
            Op::Init { var, contents } => self.initialise(*var, *contents),
            Op::Begin { .. } | Op::End { .. } | Op::Halt { .. } => {}
            // Memory is not expressed, and an operation on it may have undefined behaviour that the path does not exclude.
            other => {
                self.precision = Precision::RoundedUp;
                for place in other.places() {
                    if let Some(var) = place.var() {
                        self.forget(var);
                    }
                }
            }
        }
    }

    fn initialise(&mut self, var: VarId, contents: InitKind) {
        let Storage::Array { .. } = self.program.vars[var].storage else { return };
        let (array, elements) = match contents {
            InitKind::Zero => {
                let zero = self.terms.int(0);
                (self.terms.const_array(zero), Elements::Zero)
            }
            InitKind::Uninitialised | InitKind::Arbitrary => {
                let symbol = self.terms.fresh("elements", Sort::Array, SymbolKind::Skolem);
                (self.terms.of_symbol(symbol), Elements::Arbitrary)
            }
        };
        self.values.insert(var, array);
        self.elements.insert(var, elements);
        self.written.retain(|(written, _)| *written != var);
    }

    fn forget(&mut self, var: VarId) {
        match self.program.vars[var].storage {
            Storage::Scalar(ty) => {
                let value = self.arbitrary(Some(ty));
                self.values.insert(var, value);
            }
            Storage::Array { .. } => self.initialise(var, InitKind::Uninitialised),
            Storage::Object { .. } => {}
        }
    }

    fn write(&mut self, place: Place, value: TermId, ty: Ty) {
        match place {
            Place::Var(var) => {
                self.values.insert(var, value);
            }
            Place::Elem { array, index } => {
                let index = self.index(array, index);
                let stored = self.terms.store(self.values[&array], index, value);
                self.values.insert(array, stored);
                self.written.push((array, value));
                if ends(ty).is_none() {
                    self.precision = Precision::RoundedUp;
                }
            }
            Place::Mem { .. } | Place::Bits { .. } => self.precision = Precision::RoundedUp,
        }
    }

    /// An index, which has to be one of the array.
    fn index(&mut self, array: VarId, index: ExprId) -> TermId {
        let index = self.number(index);
        match self.program.vars[array].storage {
            Storage::Array { length: Length::Fixed(length), .. } => {
                let (zero, length) = (self.terms.int(0), self.terms.number(i128::from(length)));
                let inside = [self.terms.le(zero, index), self.terms.lt(index, length)];
                let inside = self.terms.and(inside);
                self.require(inside);
            }
            _ => self.precision = Precision::RoundedUp,
        }
        index
    }

    fn arbitrary(&mut self, ty: Option<Ty>) -> TermId {
        let symbol = self.terms.fresh("any", Sort::Int, SymbolKind::Skolem);
        let value = self.terms.of_symbol(symbol);
        if let Some(ty) = ty {
            let typed = typed(self.terms, value, ty);
            self.conditions.push(typed);
        }
        value
    }

    fn rounded(&mut self, ty: Ty) -> TermId {
        self.precision = Precision::RoundedUp;
        self.arbitrary(Some(ty))
    }

    /// Requires a condition of the executions that evaluate the expression at hand.
    fn require(&mut self, condition: TermId) {
        let chosen = self.terms.and(self.chosen.clone());
        let required = self.terms.implies(chosen, condition);
        self.conditions.push(required);
    }

    fn truth(&mut self, expr: ExprId) -> TermId {
        let boolean = self.program.exprs.ty(expr) == Ty::BOOL;
        match *self.program.exprs.get(expr) {
            Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                if ends(self.program.exprs.ty(lhs)).is_none() {
                    let value = self.rounded(Ty::BOOL);
                    return self.is_one(value);
                }
                let (left, right) = (self.number(lhs), self.number(rhs));
                match op {
                    BinaryOp::Eq => self.terms.eq(left, right),
                    BinaryOp::Ne => self.terms.ne(left, right),
                    BinaryOp::Lt => self.terms.lt(left, right),
                    _ => self.terms.le(left, right),
                }
            }
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs } if boolean => {
                let both = [self.truth(lhs), self.truth(rhs)];
                if op == BinaryOp::And { self.terms.and(both) } else { self.terms.or(both) }
            }
            Expr::Unary { op: UnaryOp::Not, arg } if boolean => {
                let inner = self.truth(arg);
                self.terms.not(inner)
            }
            _ => {
                let value = self.number(expr);
                self.is_one(value)
            }
        }
    }

    fn is_one(&mut self, value: TermId) -> TermId {
        let one = self.terms.int(1);
        self.terms.eq(value, one)
    }

    /// The value of an expression; what its evaluation requires is added to the conditions.
    fn number(&mut self, expr: ExprId) -> TermId {
        let ty = self.program.exprs.ty(expr);
        if ends(ty).is_none() {
            return self.rounded(ty);
        }
        match *self.program.exprs.get(expr) {
            Expr::Const { bits, .. } => self.terms.number(ty.value_of(bits)),
            Expr::Var { var, .. } => self.values[&var],
            Expr::Elem { array, index, .. } => self.element(array, index, ty),
            Expr::Cast { arg, .. } => {
                let from = self.program.exprs.ty(arg);
                if ends(from).is_none() {
                    return self.rounded(ty);
                }
                let value = self.number(arg);
                self.converted(value, from, ty)
            }
            Expr::Ite { cond, then, other } => {
                let condition = self.truth(cond);
                let otherwise = self.terms.not(condition);
                self.chosen.push(condition);
                let yes = self.number(then);
                self.chosen.pop();
                self.chosen.push(otherwise);
                let no = self.number(other);
                self.chosen.pop();
                self.terms.ite(condition, yes, no)
            }
            Expr::Unary { op, arg } => self.unary(op, arg, ty),
            Expr::Binary { op, lhs, rhs } => self.binary(expr, op, (lhs, rhs), ty),
            Expr::Load { .. }
            | Expr::LoadBits { .. }
            | Expr::Address { .. }
            | Expr::Function { .. }
            | Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. }
            | Expr::Undefined { .. } => self.rounded(ty),
        }
    }

    fn element(&mut self, array: VarId, index: ExprId, ty: Ty) -> TermId {
        let index = self.index(array, index);
        let whole = self.values[&array];
        let element = self.terms.select(whole, index);
        let in_type = typed(self.terms, element, ty);
        self.require(in_type);
        // What is known of all elements at the start is used for those that are still there.
        if let Some(known) = self.facts.get(array) {
            let kept = self.written.iter().all(|(written, _)| *written != array);
            if kept && !self.elements.contains_key(&array) {
                let allowed = allowed(self.terms, element, known);
                self.require(allowed);
            } else if !kept {
                self.precision = Precision::RoundedUp;
            }
        }
        element
    }

    fn unary(&mut self, op: UnaryOp, arg: ExprId, ty: Ty) -> TermId {
        if ty == Ty::BOOL {
            let holds = self.truth(arg);
            let (zero, one) = (self.terms.int(0), self.terms.int(1));
            return self.terms.ite(holds, zero, one);
        }
        let value = self.number(arg);
        let negated = self.terms.neg(value);
        match op {
            UnaryOp::Neg => self.computed(negated, ty),
            UnaryOp::Not => {
                let one = self.terms.int(1);
                let complement = self.terms.sub(negated, one);
                self.wrapped(complement, ty)
            }
        }
    }

    fn binary(&mut self, expr: ExprId, op: BinaryOp, (lhs, rhs): (ExprId, ExprId), ty: Ty) -> TermId {
        if ty == Ty::BOOL && (op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or)) {
            let holds = self.truth(expr);
            let (zero, one) = (self.terms.int(0), self.terms.int(1));
            return self.terms.ite(holds, one, zero);
        }
        let (left, right) = (self.number(lhs), self.number(rhs));
        let by = self.terms.as_number(right).and_then(Integer::to_i128);
        match (op, by) {
            (BinaryOp::Add, _) => {
                let sum = self.terms.add(left, right);
                self.computed(sum, ty)
            }
            (BinaryOp::Sub, _) => {
                let difference = self.terms.sub(left, right);
                self.computed(difference, ty)
            }
            (BinaryOp::Mul, _) => {
                let product = self.terms.mul(left, right);
                self.computed(product, ty)
            }
            (BinaryOp::Div, Some(by @ 1..)) => self.terms.div_truncated(left, &Integer::from(by)),
            (BinaryOp::Rem, Some(by @ 1..)) => self.terms.rem_truncated(left, &Integer::from(by)),
            // In two's complement the low bits are the value modulo a power of two.
            (BinaryOp::And, Some(mask)) if mask >= 0 && (mask + 1) & mask == 0 => {
                self.terms.modulo(left, &Integer::from(mask + 1))
            }
            _ => self.rounded(ty),
        }
    }

    /// A value that has been computed: beyond its type it wraps around, or there is no execution.
    fn computed(&mut self, value: TermId, ty: Ty) -> TermId {
        if ty.is_signed() && self.program.signed_overflow != SignedOverflow::Wrap {
            let fits = typed(self.terms, value, ty);
            self.require(fits);
            return value;
        }
        self.wrapped(value, ty)
    }

    fn converted(&mut self, value: TermId, from: Ty, to: Ty) -> TermId {
        match (ends(from), ends(to)) {
            (Some(from), Some(to)) if to.0 <= from.0 && from.1 <= to.1 => value,
            _ => self.wrapped(value, to),
        }
    }

    fn wrapped(&mut self, value: TermId, ty: Ty) -> TermId {
        let Ty::Int { width, signed } = ty else { return value };
        let period = Integer::power_of_two(u32::from(width));
        if !signed {
            return self.terms.modulo(value, &period);
        }
        let half = self.terms.number(Integer::power_of_two(u32::from(width) - 1));
        let moved = self.terms.add(value, half);
        let reduced = self.terms.modulo(moved, &period);
        self.terms.sub(reduced, half)
    }
}
