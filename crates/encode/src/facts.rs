//! What the analysis of values knows, as a formula.

use cfa::{Program, VarId};
use term::{Integer, TermId, Terms};
use values::state::{State, type_range};

use crate::vocabulary::Vocabulary;

/// What is known, of all variables of which something is.
pub fn stated(state: &State, program: &Program, vocabulary: &Vocabulary, terms: &mut Terms) -> TermId {
    let vars: Vec<VarId> = state.iter().map(|(var, _)| var).collect();
    stated_of(state, program, &vars, vocabulary, terms)
}

/// That the given variables have values that a state allows. The full range of a type is stated for unsigned types only: signed variables
/// leave theirs by undefined behaviour alone, which the edges exclude.
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
