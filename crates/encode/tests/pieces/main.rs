//! Pieces of programs against the interpreter ([`encode::Pieces`]): products, sums of elements and codes of folds have symbols of their own, quotients and remainders Skolem constants.
//!
//! Random programs are executed. Whenever an execution comes from one cut location to the next, the piece between them has to allow it: with the values at its start its guard holds and its update
//! leads to the values at its end, for some values of the Skolem constants.

mod cut;
mod divisions;
mod folds;
mod growth;
mod products;
mod sums;
