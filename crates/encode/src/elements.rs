//! Many elements of arrays at once.
//!
//! # Rule
//! At most [`MAX_STORES`] elements are copied or filled by that many stores, exactly; where their number is a variable, a store keeps what is there unless the element is meant. A whole array of
//! fixed length that is filled is exact, too. Else the array becomes an arbitrary one whose elements have their type's range: an over-approximation.

use std::collections::BTreeSet;
use std::ops::Range;

use cfa::{Expr, ExprId, Length, Op, Place, Program, Storage, Ty, VarId};
use term::{Node, SymbolKind, TermId};

use crate::encoder::Encoder;
use crate::origin::{Origin, Rounding, Skolem};
use crate::transition::Transition;

/// Elements that are stored one by one.
const MAX_STORES: u128 = 64;
/// Numbers that are stored into an array that products with its elements are told of.
const MAX_NUMBERS: usize = 4;

/// Which elements an operation may write.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// So many from the first one on, as far as they are meant.
    First(u128),
    /// Any of these indices.
    Indices(Range<u128>),
    /// Too many.
    Any,
}

/// An element that an operation may write.
pub(crate) struct Spot {
    /// Where it is.
    pub(crate) index: TermId,
    /// How far that is from the first one that is written.
    pub(crate) distance: TermId,
    /// Whether it is written.
    pub(crate) is_meant: TermId,
}

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
        let reach = self.reach((to, at), Some(from), count);
        let Some(spots) = self.spots(transition, (to, at), count, &reach) else {
            return self.round_array(transition, to);
        };
        let source = self.position(transition, start);
        let (mut array, old) = (self.array(transition, to), self.array(transition, from));
        let before = array;
        for spot in spots {
            let from_index = self.terms.add(source, spot.distance);
            self.require_inside_if(transition, spot.is_meant, (from, from_index));
            let value = self.terms.select(old, from_index);
            array = self.stored_if(before, array, &spot, value);
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
        let reach = self.reach((to, at), None, count);
        let Some(spots) = self.spots(transition, (to, at), count, &reach) else {
            return self.round_array(transition, to);
        };
        let mut array = self.array(transition, to);
        let before = array;
        for spot in spots {
            array = self.stored_if(before, array, &spot, value);
        }
        self.set(transition, to, array);
    }

    /// The places of an operation; that those which are meant are inside the array is required.
    fn spots(
        &mut self,
        transition: &mut Transition,
        (to, at): (VarId, ExprId),
        count: ExprId,
        reach: &Reach,
    ) -> Option<Vec<Spot>> {
        let target = self.position(transition, at);
        let count = self.position(transition, count);
        let mut spots = Vec::new();
        match reach.clone() {
            Reach::Any => return None,
            Reach::First(number) => {
                let most = self.terms.number(term::Integer::from(number));
                let holds = self.terms.le(count, most);
                self.require(transition, holds);
                for number in 0..number {
                    let distance = self.terms.number(term::Integer::from(number));
                    let index = self.terms.add(target, distance);
                    let is_meant = self.terms.lt(distance, count);
                    self.require_inside_if(transition, is_meant, (to, index));
                    spots.push(Spot { index, distance, is_meant });
                }
            }
            Reach::Indices(indices) => {
                let zero = self.terms.int(0);
                let end = self.terms.add(target, count);
                let length = self.terms.number(term::Integer::from(indices.end));
                let bounds = [self.terms.le(zero, target), self.terms.le(end, length)];
                let is_inside = self.terms.and(bounds);
                let is_none = self.terms.eq(count, zero);
                let holds = self.terms.or([is_none, is_inside]);
                self.require(transition, holds);
                for index in indices {
                    let index = self.terms.number(term::Integer::from(index));
                    let distance = self.terms.sub(index, target);
                    let bounds = [self.terms.le(target, index), self.terms.lt(index, end)];
                    let is_meant = self.terms.and(bounds);
                    spots.push(Spot { index, distance, is_meant });
                }
            }
        }
        Some(spots)
    }

    /// An array with one more element that is written if it is meant.
    pub(crate) fn stored_if(&mut self, before: TermId, array: TermId, spot: &Spot, value: TermId) -> TermId {
        let old = self.terms.select(before, spot.index);
        let value = self.terms.ite(spot.is_meant, value, old);
        self.terms.store(array, spot.index, value)
    }

    fn require_inside_if(
        &mut self,
        transition: &mut Transition,
        cond: TermId,
        (array, position): (VarId, TermId),
    ) {
        let is_inside = self.is_inside(array, position);
        let holds = self.terms.implies(cond, is_inside);
        self.require(transition, holds);
    }

    /// Which elements an operation may write.
    pub(crate) fn reach(&self, (to, at): (VarId, ExprId), from: Option<VarId>, count: ExprId) -> Reach {
        let length = |array: VarId| match self.program.vars[array].storage {
            Storage::Array { length: Length::Fixed(length), .. } => Some(u128::from(length)),
            _ => None,
        };
        let known = self.known(count).and_then(|known| u128::try_from(known.high()).ok());
        let most = [known, length(to), from.and_then(length)].into_iter().flatten().min();
        if let Some(count) = self.few(count) {
            return Reach::First(count);
        }
        let is_constant = matches!(self.program.exprs.get(at), Expr::Const { .. });
        match (length(to), most) {
            (Some(length), _) if length <= MAX_STORES && !is_constant => Reach::Indices(0..length),
            (_, Some(most)) if most <= MAX_STORES => Reach::First(most),
            _ => Reach::Any,
        }
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
