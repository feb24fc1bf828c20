//! Running out of memory is an answer. Alone in its process, since the limit is the process's.

use base::Budget;
use smt::{Answer, SolverFactory, Why, Z3};
use term::{Sort, SymbolKind, Terms};

#[test]
fn a_solver_without_memory_answers_unknown_and_nothing_panics() {
    smt::limit_memory(64);
    let mut terms = Terms::new();
    let z3 = Z3::default();
    let mut solver = z3.solver();
    let mut sums = Vec::new();
    for index in 0..60_000i64 {
        let name = format!("x{index}");
        let [x, y] = ["x", "y"]
            .map(|prefix| terms.constant(&format!("{prefix}{name}"), Sort::Int, SymbolKind::Variable));
        let (product, bound) = (terms.mul(x, y), terms.int(index * 7_919 % 1_000));
        let apart = terms.ne(product, bound);
        let close = terms.le(x, bound);
        let either = terms.or([apart, close]);
        solver.assert(&terms, either);
        sums.extend([x, y]);
    }
    let (all, zero) = (terms.sum(sums), terms.int(0));
    let balanced = terms.eq(all, zero);
    solver.assert(&terms, balanced);
    let answer = solver.check(&terms, &[], &mut Budget::ticks(1_000_000));
    let Answer::Unknown(why) = answer else { panic!("should be unknown, not {answer:?}") };
    assert!(matches!(why, Why::Crashed(_) | Why::Stopped(base::Stop::Memory)), "{why}");
    let again = solver.check(&terms, &[], &mut Budget::unlimited());
    assert!(matches!(again, Answer::Unknown(_)), "after a failure nothing is asked any more");
}
