//! Many elements of arrays of bit-vectors at once: the rules are those of the integer encoding.

use cfa::{ExprId, Length, Storage, VarId};
use term::{BvOp, INDEX_WIDTH, Integer, TermId};

use crate::elements::{Reach, Spot};
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
        let reach = self.reach((to, at), Some(from), count);
        let Some(spots) = self.vector_spots(transition, (to, at), count, &reach) else {
            return self.round_array(transition, to);
        };
        let source = self.first_position(transition, start);
        let (mut array, old) = (self.variable(transition, to), self.variable(transition, from));
        let before = array;
        for spot in spots {
            let from_index = self.terms.bv(BvOp::Add, &[source, spot.distance]);
            self.require_position_if(transition, spot.is_meant, (from, from_index));
            let value = self.terms.select(old, from_index);
            array = self.stored_if(before, array, &spot, value);
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
        let reach = self.reach((to, at), None, count);
        let Some(spots) = self.vector_spots(transition, (to, at), count, &reach) else {
            return self.round_array(transition, to);
        };
        let mut array = self.variable(transition, to);
        let before = array;
        for spot in spots {
            array = self.stored_if(before, array, &spot, value);
        }
        self.set(transition, to, array);
    }

    /// The places of an operation; that those which are meant are inside the array is required.
    fn vector_spots(
        &mut self,
        transition: &mut Transition,
        (to, at): (VarId, ExprId),
        count: ExprId,
        reach: &Reach,
    ) -> Option<Vec<Spot>> {
        let target = self.first_position(transition, at);
        let count = self.first_position(transition, count);
        let mut spots = Vec::new();
        match reach.clone() {
            Reach::Any => return None,
            Reach::First(number) => {
                let most = self.terms.bv_number(INDEX_WIDTH, Integer::from(number));
                let holds = self.terms.bv(BvOp::Ule, &[count, most]);
                self.require(transition, holds);
                for number in 0..number {
                    let distance = self.terms.bv_number(INDEX_WIDTH, Integer::from(number));
                    let index = self.terms.bv(BvOp::Add, &[target, distance]);
                    let is_meant = self.terms.bv(BvOp::Ult, &[distance, count]);
                    self.require_position_if(transition, is_meant, (to, index));
                    spots.push(Spot { index, distance, is_meant });
                }
            }
            Reach::Indices(indices) => {
                let zero = self.terms.bv_number(INDEX_WIDTH, 0);
                let length = self.terms.bv_number(INDEX_WIDTH, Integer::from(indices.end));
                let end = self.terms.bv(BvOp::Add, &[target, count]);
                // What is added is at most the length, so the sum does not wrap.
                let bounds = [target, count, end].map(|number| self.terms.bv(BvOp::Ule, &[number, length]));
                let is_inside = self.terms.and(bounds);
                let is_none = self.terms.eq(count, zero);
                let holds = self.terms.or([is_none, is_inside]);
                self.require(transition, holds);
                for index in indices {
                    let index = self.terms.bv_number(INDEX_WIDTH, Integer::from(index));
                    let distance = self.terms.bv(BvOp::Sub, &[index, target]);
                    let bounds =
                        [self.terms.bv(BvOp::Ule, &[target, index]), self.terms.bv(BvOp::Ult, &[index, end])];
                    let is_meant = self.terms.and(bounds);
                    spots.push(Spot { index, distance, is_meant });
                }
            }
        }
        Some(spots)
    }

    fn first_position(&mut self, transition: &mut Transition, index: ExprId) -> TermId {
        let coded = self.vector_expression(transition, index);
        let vector = self.as_vector(coded);
        self.position_of(index, vector)
    }

    /// Requires that a position is one of an array if a condition holds.
    fn require_position_if(
        &mut self,
        transition: &mut Transition,
        cond: TermId,
        (array, position): (VarId, TermId),
    ) {
        let bound = match self.program.vars[array].storage {
            Storage::Array { length: Length::Fixed(length), .. } => Integer::from(length),
            Storage::Array { length: Length::Dynamic, .. } => Integer::power_of_two(INDEX_WIDTH - 1),
            _ => return,
        };
        let bound = self.terms.bv_number(INDEX_WIDTH, bound);
        let is_inside = self.terms.bv(BvOp::Ult, &[position, bound]);
        let holds = self.terms.implies(cond, is_inside);
        self.require(transition, holds);
    }
}
