//! Many elements of arrays at once.
//!
//! # Rule
//! A constant number of elements up to [`MAX_STORES`] is copied or filled by that many stores, exactly, and so is a whole array of fixed length. Else the array becomes
//! an arbitrary one whose elements have their type's range: an over-approximation.

use std::collections::BTreeSet;

use cfa::{Expr, ExprId, Length, Op, Place, Program, Storage, Ty, VarId};
use term::{Node, SymbolKind, TermId};

use crate::encoder::Encoder;
use crate::origin::{Origin, Rounding, Skolem};
use crate::transition::Transition;

/// Elements that are stored one by one.
const MAX_STORES: u128 = 64;
/// Numbers that are stored into an array that products with its elements are told of.
const MAX_NUMBERS: usize = 4;

impl Encoder<'_> {
    /// Some numbers that the program stores into an array, ascending.
    pub(crate) fn stored_numbers(&mut self, array: TermId) -> Vec<i128> {
        let mut base = array;
        while let Node::Store(before, ..) | Node::Ite(_, before, _) = *self.terms.node(base) {
            base = before;
        }
        let Node::Symbol(symbol) = *self.terms.node(base) else { return Vec::new() };
        let Some(var) = self.vocabulary.var(symbol) else { return Vec::new() };
        let program = self.program;
        let found = self.stored.entry(var).or_insert_with(|| numbers_in(program, var));
        found.clone()
    }

    /// Copies elements from one array to another; the ranges may overlap.
    pub(crate) fn copy_elements(
        &mut self,
        transition: &mut Transition,
        (to, at): (VarId, ExprId),
        (from, start): (VarId, ExprId),
        count: ExprId,
    ) {
        let Some(count) = self.few(count) else { return self.round_array(transition, to) };
        let (target, source) = (self.position(transition, at), self.position(transition, start));
        let (mut array, old) = (self.array(transition, to), self.array(transition, from));
        for number in 0..count {
            let (to_index, from_index) = (self.moved(target, number), self.moved(source, number));
            self.require_inside(transition, to, to_index);
            self.require_inside(transition, from, from_index);
            let value = self.terms.select(old, from_index);
            array = self.terms.store(array, to_index, value);
        }
        self.set(transition, to, array);
    }

    /// Sets elements of an array to one value.
    pub(crate) fn fill_elements(
        &mut self,
        transition: &mut Transition,
        (to, at): (VarId, ExprId),
        value: ExprId,
        count: ExprId,
    ) {
        let coded = self.expression(transition, value);
        let value = self.as_int(coded);
        if self.is_whole(to, at, count) {
            let array = self.terms.const_array(value);
            return self.set(transition, to, array);
        }
        let Some(count) = self.few(count) else { return self.round_array(transition, to) };
        let target = self.position(transition, at);
        let mut array = self.array(transition, to);
        for number in 0..count {
            let index = self.moved(target, number);
            self.require_inside(transition, to, index);
            array = self.terms.store(array, index, value);
        }
        self.set(transition, to, array);
    }

    /// A constant number of elements that is small.
    pub(crate) fn few(&self, count: ExprId) -> Option<u128> {
        match *self.program.exprs.get(count) {
            Expr::Const { bits, .. } if bits <= MAX_STORES => Some(bits),
            _ => None,
        }
    }

    /// Whether these are all elements of an array.
    pub(crate) fn is_whole(&self, array: VarId, at: ExprId, count: ExprId) -> bool {
        let Storage::Array { length: Length::Fixed(length), .. } = self.program.vars[array].storage else {
            return false;
        };
        let constant = |id: ExprId| match *self.program.exprs.get(id) {
            Expr::Const { bits, .. } => Some(bits),
            _ => None,
        };
        constant(at) == Some(0) && constant(count) == Some(u128::from(length))
    }

    fn position(&mut self, transition: &mut Transition, index: ExprId) -> TermId {
        let coded = self.expression(transition, index);
        self.as_int(coded)
    }

    fn moved(&mut self, position: TermId, by: u128) -> TermId {
        let by = self.terms.number(term::Integer::from(by));
        self.terms.add(position, by)
    }

    /// An arbitrary array, which every later element is taken from.
    pub(crate) fn round_array(&mut self, transition: &mut Transition, var: VarId) {
        let name = self.program.vars[var].name.clone();
        let symbol = self.terms.fresh(&name, self.array_sort(var), SymbolKind::Skolem);
        let origin = Origin::Rounded(Rounding::Elements);
        self.add_skolem(Skolem { symbol, ty: None, site: self.site, origin });
        let array = self.terms.of_symbol(symbol);
        self.set(transition, var, array);
    }
}

/// The numbers that operations store into an array as they are.
fn numbers_in(program: &Program, array: VarId) -> Vec<i128> {
    let mut found = BTreeSet::new();
    let ops = program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops);
    for op in ops {
        let Op::Assign { place: Place::Elem { array: own, .. }, value } = op else { continue };
        if *own != array {
            continue;
        }
        let mut open = vec![*value];
        while let Some(expr) = open.pop() {
            match *program.exprs.get(expr) {
                Expr::Ite { then, other, .. } => open.extend([then, other]),
                Expr::Cast { arg, .. } => open.push(arg),
                Expr::Const { ty: ty @ Ty::Int { .. }, bits } => {
                    found.insert(ty.value_of(bits));
                }
                _ => {}
            }
        }
    }
    found.into_iter().take(MAX_NUMBERS).collect()
}
