//! What the analysis knows, as a formula.

use cfa::{Program, VarId};
use term::{Integer, TermId, Terms};

use super::state::{State, type_range};
use crate::vocabulary::Vocabulary;

impl State {
    /// The state with what is known of the given variables only, ascending.
    #[must_use]
    pub fn restricted_to(&self, vars: &[VarId]) -> Self {
        self.filtered(|var| vars.binary_search(&var).is_ok())
    }

    /// What is known, of all variables of which something is.
    pub fn stated(&self, program: &Program, vocabulary: &Vocabulary, terms: &mut Terms) -> TermId {
        let vars: Vec<VarId> = self.iter().map(|(var, _)| var).collect();
        self.formula(program, &vars, vocabulary, terms)
    }

    /// That the given variables have values that this state allows. The full range of a type is stated for unsigned types only: signed variables
    /// leave theirs by undefined behaviour alone, which the edges exclude.
    pub fn formula(
        &self,
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
            let value = self.get(*var).unwrap_or(range);
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
}
