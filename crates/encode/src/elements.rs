//! Many elements of arrays at once.
//!
//! # Rule
//! A constant number of elements up to [`MAX_STORES`] is copied or filled by that many stores, exactly, and so is a whole array of fixed length. Else the array becomes
//! an arbitrary one whose elements have their type's range: an over-approximation.

use cfa::{Expr, ExprId, Length, Storage, VarId};
use term::{Sort, SymbolKind, TermId};

use crate::encoder::Encoder;
use crate::origin::{Origin, Rounding, Skolem};
use crate::transition::Transition;

/// Elements that are stored one by one.
const MAX_STORES: u128 = 64;

impl Encoder<'_> {
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
    fn few(&self, count: ExprId) -> Option<u128> {
        match *self.program.exprs.get(count) {
            Expr::Const { bits, .. } if bits <= MAX_STORES => Some(bits),
            _ => None,
        }
    }

    /// Whether these are all elements of an array.
    fn is_whole(&self, array: VarId, at: ExprId, count: ExprId) -> bool {
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
    fn round_array(&mut self, transition: &mut Transition, var: VarId) {
        let name = self.program.vars[var].name.clone();
        let symbol = self.terms.fresh(&name, Sort::Array, SymbolKind::Skolem);
        let origin = Origin::Rounded(Rounding::Elements);
        self.add_skolem(Skolem { symbol, ty: None, site: self.site, origin });
        let array = self.terms.of_symbol(symbol);
        self.set(transition, var, array);
    }
}
