//! What the analysis of values knows, as a formula.

use cfa::{Program, VarId};
use term::{BvOp, Integer, Sort, TermId, Terms};
use values::state::{State, type_range};
use values::value::Value;

use crate::vocabulary::{LogicName, Vocabulary};

/// What is known, of all variables of which something is.
pub fn stated(state: &State, program: &Program, vocabulary: &Vocabulary, terms: &mut Terms) -> TermId {
    let vars: Vec<VarId> = state.iter().map(|(var, _)| var).collect();
    stated_of(state, program, &vars, vocabulary, terms)
}

/// That the given variables have values that a state allows. The full range of a type is stated for unsigned types only: signed variables
/// leave theirs by undefined behaviour alone, which the edges exclude; bit-vectors have no other values.
pub fn stated_of(
    state: &State,
    program: &Program,
    vars: &[VarId],
    vocabulary: &Vocabulary,
    terms: &mut Terms,
) -> TermId {
    let mut conjuncts = Vec::new();
    for var in vars {
        let (Some(ty), Some(symbol)) = (program.vars[*var].scalar(), vocabulary.symbol(*var)) else {
            continue;
        };
        let Some(range) = type_range(ty) else { continue };
        let value = state.get(*var).unwrap_or(range);
        let term = terms.of_symbol(symbol);
        if vocabulary.logic() == LogicName::Bits {
            let order = if ty.is_signed() { Order::Signed } else { Order::Unsigned };
            conjuncts.extend(stated_in_bits(terms, term, order, value, range));
            continue;
        }
        if value.low() > range.low() || !ty.is_signed() {
            let low = terms.number(value.low());
            conjuncts.push(terms.ge(term, low));
        }
        if value.high() < range.high() || !ty.is_signed() {
            let high = terms.number(value.high());
            conjuncts.push(terms.le(term, high));
        }
        if value.modulus() > 1 {
            let residue = terms.number(value.residue());
            let difference = terms.sub(term, residue);
            conjuncts.push(terms.divides(&Integer::from(value.modulus()), difference));
        }
    }
    terms.and(conjuncts)
}

/// How the bits of a type are read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Signed,
    Unsigned,
}

/// That a bit-vector is one of some numbers, all of them in the range of its type.
fn stated_in_bits(terms: &mut Terms, term: TermId, order: Order, value: Value, range: Value) -> Vec<TermId> {
    let width = terms.bit_width(term);
    let at_most = if order == Order::Signed { BvOp::Sle } else { BvOp::Ule };
    let mut conjuncts = Vec::new();
    if value.low() > range.low() {
        let low = terms.bv_number(width, value.low());
        conjuncts.push(terms.bv(at_most, &[low, term]));
    }
    if value.high() < range.high() {
        let high = terms.bv_number(width, value.high());
        conjuncts.push(terms.bv(at_most, &[term, high]));
    }
    let modulus = value.modulus();
    if modulus > 1 {
        // Wide enough for the difference of the number and the residue, and for the modulus.
        let extended = width.max(128 - modulus.leading_zeros()) + 2;
        let by = extended - width;
        let extend = if order == Order::Signed { BvOp::SignExtend(by) } else { BvOp::ZeroExtend(by) };
        let number = terms.bv(extend, &[term]);
        let (residue, divisor) =
            (terms.bv_number(extended, value.residue()), terms.bv_number(extended, modulus));
        let difference = terms.bv(BvOp::Sub, &[number, residue]);
        let rest = match modulus.count_ones() {
            1 => {
                let mask = terms.bv_number(extended, modulus - 1);
                terms.bv(BvOp::And, &[difference, mask])
            }
            _ => terms.bv(BvOp::Srem, &[difference, divisor]),
        };
        let zero = terms.bv_number(extended, 0);
        conjuncts.push(terms.eq(rest, zero));
    }
    conjuncts
}

/// That a variable is not zero.
pub fn not_zero(terms: &mut Terms, value: TermId) -> TermId {
    let zero = match terms.sort(value) {
        Sort::BitVec(width) => terms.bv_number(width, 0),
        _ => terms.int(0),
    };
    terms.ne(value, zero)
}
