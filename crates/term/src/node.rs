//! What a term is made of.

use base::newtype_index;

use crate::{BvOp, Integer, Linear};

newtype_index!(
    /// A term of a [`Terms`](crate::Terms) arena. Ids ascend from subterms to terms.
    TermId,
    "t"
);

newtype_index!(
    /// A symbol of a [`Terms`](crate::Terms) arena.
    SymbolId,
    "s"
);

/// What values a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// True or false.
    Bool,
    /// The mathematical integers.
    Int,
    /// Total maps from integers to integers.
    Array,
    /// Bit-vectors of a width above zero.
    BitVec(u32),
    /// Total maps from bit-vectors of [`INDEX_WIDTH`](crate::INDEX_WIDTH) bits to bit-vectors of a width.
    BitArray(u32),
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// The value of a program variable now.
    Variable,
    /// The value of a program variable afterwards; printed with a prime.
    Primed,
    /// A value that is somehow chosen: implicitly existential.
    Skolem,
    /// A number of iterations: a Skolem constant that readers want to recognise.
    Counter,
    /// How often a value has wrapped around: a Skolem constant.
    Wraps,
    /// Which of several paths was taken: a Skolem constant.
    Path,
    /// The address of an object or procedure, which never changes.
    Address,
    /// Made by a procedure for its own use; never in its results.
    Auxiliary,
}

/// A name with a sort. Two symbols may have one name; their ids tell them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// How people call it, without the prime of [`SymbolKind::Primed`].
    pub name: Box<str>,
    /// Its values.
    pub sort: Sort,
    /// What it stands for.
    pub kind: SymbolKind,
}

/// One term, given its subterms. Built by the methods of [`Terms`](crate::Terms) only, which keep the forms canonical.
///
/// # Invariants
/// * I1: the ids of the subterms are smaller than the term's own.
/// * I2: in [`Le`](Node::Le), [`Zero`](Node::Zero) and [`Divides`](Node::Divides), the term is not a constant, its
///   coefficients have no common divisor (with the divisor, for `Divides`), and in `Zero` the first is positive.
/// * I3: subterms of [`And`](Node::And) and [`Or`](Node::Or) ascend strictly, are at least two, and no two of them
///   are each other's negation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The constant true.
    True,
    /// The constant false.
    False,
    /// A symbol of any sort.
    Symbol(SymbolId),
    /// Negation; never of `Not` or `Le`.
    Not(TermId),
    /// Conjunction.
    And(Box<[TermId]>),
    /// Disjunction.
    Or(Box<[TermId]>),
    /// The integer term is at most zero.
    Le(TermId),
    /// The integer term is zero.
    Zero(TermId),
    /// The number, which is above one, divides the integer term.
    Divides(Integer, TermId),
    /// Two arrays, of integers or of bit-vectors, or two bit-vectors are equal; the ids ascend.
    Same(TermId, TermId),
    /// An integer.
    Number(Integer),
    /// A sum that is neither a number nor a single term with coefficient one.
    Linear(Linear),
    /// A product of at least two terms that are not sums or numbers; the ids ascend, perhaps not strictly.
    Product(Box<[TermId]>),
    /// Quotient by a number above one, rounded down.
    Div(TermId, Integer),
    /// Rest of the division by a number above one, never negative.
    Mod(TermId, Integer),
    /// If the first holds then the second, else the third; these have one sort.
    Ite(TermId, TermId, TermId),
    /// Element of an array at an index.
    Select(TermId, TermId),
    /// The array with another element at an index.
    Store(TermId, TermId, TermId),
    /// The array with this element everywhere.
    ConstArray(TermId),
    /// A bit-vector: width and value, the latter in `0..2^width`.
    BvNumber(u32, Integer),
    /// An operation on bit-vectors.
    Bv(BvOp, Box<[TermId]>),
}

impl Node {
    /// Calls `visit` with each subterm, in order.
    pub fn for_each_child(&self, mut visit: impl FnMut(TermId)) {
        match self {
            Self::True | Self::False | Self::Symbol(_) | Self::Number(_) | Self::BvNumber(..) => {}
            Self::Not(a) | Self::Le(a) | Self::Zero(a) | Self::Divides(_, a) => visit(*a),
            Self::Div(a, _) | Self::Mod(a, _) | Self::ConstArray(a) => visit(*a),
            Self::And(items) | Self::Or(items) | Self::Product(items) | Self::Bv(_, items) => {
                items.iter().copied().for_each(visit);
            }
            Self::Linear(form) => form.terms().iter().for_each(|(term, _)| visit(*term)),
            Self::Same(a, b) | Self::Select(a, b) => [*a, *b].into_iter().for_each(visit),
            Self::Ite(a, b, c) | Self::Store(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
        }
    }
}
