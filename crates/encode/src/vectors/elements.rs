//! Many elements of arrays of bit-vectors at once: the rules are those of the integer encoding.

use cfa::{ExprId, Length, Storage, VarId};
use term::{BvOp, INDEX_WIDTH, Integer, TermId};

use crate::encoder::Encoder;
use crate::transition::Transition;

impl Encoder<'_> {
    /// The index of an array access; that it is inside is added to the guard.
    pub(crate) fn vector_index(
        &mut self,
        transition: &mut Transition,
        array: VarId,
        index: ExprId,
    ) -> TermId {
        let coded = self.vector_expression(transition, index);
        let vector = self.as_vector(coded);
        let inside = self.vector_inside(array, index, vector);
        self.require(transition, inside);
        self.position_of(index, vector)
    }

    /// Copies elements from one array to another; the ranges may overlap.
    pub(crate) fn copy_vectors(
        &mut self,
        transition: &mut Transition,
        (to, at): (VarId, ExprId),
        (from, start): (VarId, ExprId),
        count: ExprId,
    ) {
        let Some(count) = self.few(count) else { return self.round_array(transition, to) };
        let (target, source) = (self.first_position(transition, at), self.first_position(transition, start));
        let (mut array, old) = (self.variable(transition, to), self.variable(transition, from));
        for number in 0..count {
            let to_index = self.later_position(transition, to, target, number);
            let from_index = self.later_position(transition, from, source, number);
            let value = self.terms.select(old, from_index);
            array = self.terms.store(array, to_index, value);
        }
        self.set(transition, to, array);
    }

    /// Sets elements of an array to one value.
    pub(crate) fn fill_vectors(
        &mut self,
        transition: &mut Transition,
        (to, at): (VarId, ExprId),
        value: ExprId,
        count: ExprId,
    ) {
        let coded = self.vector_expression(transition, value);
        let value = self.as_vector(coded);
        if self.is_whole(to, at, count) {
            let array = self.terms.const_array(value);
            return self.set(transition, to, array);
        }
        let Some(count) = self.few(count) else { return self.round_array(transition, to) };
        let target = self.first_position(transition, at);
        let mut array = self.variable(transition, to);
        for number in 0..count {
            let index = self.later_position(transition, to, target, number);
            array = self.terms.store(array, index, value);
        }
        self.set(transition, to, array);
    }

    fn first_position(&mut self, transition: &mut Transition, index: ExprId) -> TermId {
        let coded = self.vector_expression(transition, index);
        let vector = self.as_vector(coded);
        self.position_of(index, vector)
    }

    /// The position so many elements further, which is required to be one of the array.
    fn later_position(
        &mut self,
        transition: &mut Transition,
        array: VarId,
        first: TermId,
        by: u128,
    ) -> TermId {
        let by = self.terms.bv_number(INDEX_WIDTH, Integer::from(by));
        let position = self.terms.bv(BvOp::Add, &[first, by]);
        let bound = match self.program.vars[array].storage {
            Storage::Array { length: Length::Fixed(length), .. } => Integer::from(length),
            Storage::Array { length: Length::Dynamic, .. } => Integer::power_of_two(INDEX_WIDTH - 1),
            _ => return position,
        };
        let bound = self.terms.bv_number(INDEX_WIDTH, bound);
        let inside = self.terms.bv(BvOp::Ult, &[position, bound]);
        self.require(transition, inside);
        position
    }
}
