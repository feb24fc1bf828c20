//! Questions in bits with sums of floating-point numbers as symbols.
//!
//! What the encoding states of sums (crate encode, vectors/sums.rs) is often all that a refutation needs, and their circuits are what a solver spends its time on. So sums become symbols, equal ones the same,
//! and the question is asked once without them. A formula without model then had none before; any other answer says nothing.

use rustc_hash::FxHashMap;
use smt::{Answer, Logic, Solver};
use term::{BvOp, FloatOp, Node, SymbolKind, TermId, Terms};

/// Ticks for such a question.
const QUESTION: u64 = 1 << 12;

/// Whether a formula has no model even if sums are arbitrary.
pub(crate) fn is_refuted_without_sums(formula: TermId, logic: &mut Logic) -> bool {
    let Some(formula) = without_sums(formula, &mut logic.terms) else { return false };
    let mut share = logic.budget.child(QUESTION);
    let mut solver = logic.solvers.bit_solver(&logic.terms, formula);
    solver.assert(&logic.terms, formula);
    let answer = solver.check(&logic.terms, &[], &mut share);
    logic.budget.absorb(&share);
    matches!(answer, Answer::Unsat(_))
}

/// The formula with symbols in the place of sums; nothing if it has none.
fn without_sums(formula: TermId, terms: &mut Terms) -> Option<TermId> {
    let mut symbols: FxHashMap<TermId, TermId> = FxHashMap::default();
    let changed = terms.rewrite(formula, |terms, term| {
        let Node::Bv(BvOp::Float(_, FloatOp::Add | FloatOp::Sub), _) = terms.node(term) else { return term };
        *symbols.entry(term).or_insert_with(|| {
            let symbol = terms.fresh("sum", terms.sort(term), SymbolKind::Skolem);
            terms.of_symbol(symbol)
        })
    });
    (!symbols.is_empty()).then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{FloatFormat, Sort};

    #[test]
    fn equal_sums_are_one_symbol_and_others_are_not() {
        let mut terms = Terms::new();
        let [a, b] = ["a", "b"].map(|name| {
            let symbol = terms.declare(name.to_owned(), Sort::BitVec(64), SymbolKind::Variable);
            terms.of_symbol(symbol)
        });
        let mut sum =
            |operands: [TermId; 2]| terms.bv(BvOp::Float(FloatFormat::Double, FloatOp::Add), &operands);
        let (first, second) = (sum([a, b]), sum([a, a]));
        let differ = terms.ne(first, second);
        let abstracted = without_sums(differ, &mut terms).expect("two sums");
        assert_eq!(terms.symbols_of(abstracted).len(), 2);
        let one = terms.bv_number(64, 1);
        let same = [first, one].map(|other| terms.bv(BvOp::Xor, &[first, other]));
        let same = terms.eq(same[0], same[1]);
        let abstracted = without_sums(same, &mut terms).expect("a sum");
        assert_eq!(terms.symbols_of(abstracted).len(), 1);
        assert_eq!(without_sums(Terms::TRUE, &mut terms), None);
    }
}
