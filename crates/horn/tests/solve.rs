//! Systems with known answers, and evidence that was tampered with.

use base::{Budget, Idx};
use horn::{Answer, Candidates, ClauseId, Definition, System, read, recmc, solve};
use smt::{SolverFactory, Z3};
use term::{Terms, Value};

const TICKS: u64 = 200_000;

fn answer(text: &str) -> (Terms, System, Answer) {
    let mut terms = Terms::new();
    let system = read(&mut terms, text).expect("the text should be a system");
    let answer = solve(&mut terms, &system, &Z3::default(), &mut Budget::ticks(TICKS));
    (terms, system, answer)
}

/// [Recmc14] appendix A: GPDR infers x < 2 ⇒ y ≤ 1, x < 3 ⇒ y ≤ 2, … for L and does not end.
const APPENDIX_A: &str = "(set-logic HORN)
(declare-fun M (Int Int) Bool)
(declare-fun L (Int Int Int Int) Bool)
(declare-fun G (Int Int) Bool)
(assert (forall ((x Int) (y0 Int) (y Int) (n Int)) (=> (and (L x y0 n n) (G x y) (> n 0)) (M y0 y))))
(assert (forall ((n Int)) (L 0 0 0 n)))
(assert (forall ((x0 Int) (y0 Int) (i0 Int) (n Int) (x Int) (y Int) (i Int))
  (=> (and (L x0 y0 i0 n) (= x (+ x0 1)) (= y (+ y0 1)) (= i (+ i0 1)) (> i 0)) (L x y i n))))
(assert (forall ((x Int) (y Int)) (=> (= y (+ x 1)) (G x y))))
(assert (forall ((y0 Int) (y Int)) (=> (and (M y0 y) (not (<= y0 y))) false)))
";

#[test]
fn the_system_on_which_gpdr_diverges_is_solved() {
    let (_, _, answer) = answer(APPENDIX_A);
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}

#[test]
fn bounded_safety_ends_at_every_height_of_the_system_of_appendix_a() {
    let mut terms = Terms::new();
    let system = read(&mut terms, APPENDIX_A).unwrap();
    // The search alone: neither simplified, nor with facts that were found before.
    let end = recmc::bounded_safety(&mut terms, &system, &Z3::default(), 2, &mut Budget::ticks(20_000));
    assert_eq!(end, Ok(true));
}

/// Each level calls the next one four times; the last one negates its argument.
fn chain(levels: usize) -> String {
    let mut lines = vec!["(set-logic HORN)".to_owned()];
    lines.extend((0..=levels).map(|level| format!("(declare-fun P{level} (Bool Bool) Bool)")));
    for level in 0..levels {
        let next = level + 1;
        lines.push(format!(
            "(assert (forall ((a Bool) (b Bool) (c Bool) (d Bool) (e Bool)) \
             (=> (and (P{next} a b) (P{next} b c) (P{next} c d) (P{next} d e)) (P{level} a e))))"
        ));
    }
    lines.push(format!("(assert (forall ((a Bool)) (P{levels} a (not a))))"));
    lines.push("(assert (forall ((a Bool) (b Bool)) (=> (and (P0 a b) (not (= a b))) false)))".to_owned());
    lines.join("\n")
}

#[test]
fn a_chain_of_procedures_costs_linearly_many_queries() {
    for levels in [4, 8, 16, 32, 100] {
        let mut terms = Terms::new();
        let system = read(&mut terms, &chain(levels)).unwrap();
        let mut budget = Budget::ticks(TICKS);
        let (answer, statistics) =
            recmc::search(&mut terms, &system, &Candidates::new(), &Z3::default(), &mut budget);
        assert!(matches!(answer, Answer::Sat(_)), "{levels}: {answer:?}");
        assert!(statistics.queries <= 4 * levels as u64, "{levels}: {statistics:?}");
    }
}

const COUNTER: &str = "(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (P 0))
(assert (forall ((x Int)) (=> (and (P x) (< x LIMIT)) (P (+ x 2)))))
(assert (forall ((x Int)) (=> (and (P x) (= x 9)) false)))
(assert (forall ((x Int)) (=> (and (P x) (> x 20)) false)))
";

#[test]
fn a_solution_that_is_changed_fails_its_check() {
    let (mut terms, system, answer) = answer(&COUNTER.replace("LIMIT", "15"));
    let Answer::Sat(mut solution) = answer else { panic!("{answer:?}") };
    let z3 = Z3::default();
    let mut check = |solution: &horn::Solution| {
        solution.check(&mut terms, &system, &mut *z3.solver(), &mut Budget::ticks(TICKS))
    };
    assert_eq!(check(&solution), Ok(()));
    for definition in [Terms::TRUE, Terms::FALSE] {
        for slot in &mut solution.definitions {
            *slot = Definition::Formula(definition);
        }
        assert!(check(&solution).is_err());
    }
    for slot in &mut solution.definitions {
        *slot = Definition::Clauses;
    }
    assert_eq!(check(&solution), Err("definitions by clauses are circular".to_owned()));
}

#[test]
fn a_derivation_that_is_changed_fails_its_check() {
    let (terms, system, answer) = answer(&COUNTER.replace("LIMIT", "21"));
    let Answer::Unsat(derivation) = answer else { panic!("{answer:?}") };
    assert_eq!(derivation.check(&terms, &system), Ok(()));
    for index in 0..derivation.steps.len() {
        let mut shorter = derivation.clone();
        shorter.steps.remove(index);
        assert!(shorter.check(&terms, &system).is_err(), "without step {index}");
        let mut other = derivation.clone();
        let symbols: Vec<_> = other.steps[index].values.iter().map(|(symbol, _)| symbol).collect();
        for symbol in symbols {
            other.steps[index].values.set(symbol, Value::Int(1.into()));
            assert!(other.check(&terms, &system).is_err(), "other value in step {index}");
        }
        let mut elsewhere = derivation.clone();
        elsewhere.steps[index].clause = ClauseId::new((elsewhere.steps[index].clause.index() + 1) % 4);
        assert!(elsewhere.check(&terms, &system).is_err(), "other clause in step {index}");
    }
}

#[test]
fn unfolded_predicates_are_derived_and_defined_in_the_original_system() {
    let text = |bound: i64| {
        format!(
            "(set-logic HORN)
(declare-fun init (Int) Bool)
(declare-fun step (Int Int) Bool)
(declare-fun inv (Int) Bool)
(declare-fun err () Bool)
(assert (forall ((x Int)) (=> (= x 1) (init x))))
(assert (forall ((x Int) (y Int) (b Bool)) (=> (and b (= y (* 2 x))) (step x y))))
(assert (forall ((x Int) (y Int)) (=> (and (< x 5) (= y (+ x 1))) (step x y))))
(assert (forall ((x Int)) (=> (init x) (inv x))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x) (step x y) (< x 100)) (inv y))))
(assert (forall ((x Int)) (=> (and (inv x) (> x {bound})) err)))
(assert (=> err false))
"
        )
    };
    let (mut terms, system, safe) = answer(&text(200));
    let Answer::Sat(solution) = safe else { panic!("{safe:?}") };
    assert!(solution.definitions.iter().any(|definition| *definition == Definition::Clauses));
    let printed = horn::print::solution(&mut terms, &system, &solution).unwrap();
    assert!(printed.contains("(define-fun |step|"), "{printed}");
    let (terms, system, unsafe_answer) = answer(&text(90));
    let Answer::Unsat(derivation) = unsafe_answer else { panic!("{unsafe_answer:?}") };
    assert_eq!(derivation.check(&terms, &system), Ok(()));
    let printed = horn::print::derivation(&terms, &system, &derivation);
    assert!(printed.contains("false by clause 7 from"), "{printed}");
}

#[test]
fn effort_is_deterministic() {
    let spent = || {
        let mut terms = Terms::new();
        let system = read(&mut terms, APPENDIX_A).unwrap();
        let mut budget = Budget::ticks(TICKS);
        let _ = solve(&mut terms, &system, &Z3::default(), &mut budget);
        budget.spent()
    };
    assert_eq!(spent(), spent());
}

#[test]
fn without_budget_the_answer_is_unknown() {
    let mut terms = Terms::new();
    let system = read(&mut terms, APPENDIX_A).unwrap();
    let answer = solve(&mut terms, &system, &Z3::default(), &mut Budget::ticks(3));
    assert!(matches!(answer, Answer::Unknown(_)));
}

#[test]
fn a_recursive_clause_whose_premise_has_no_clause_does_no_harm() {
    let text = "(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q () Bool)
(assert (forall ((x Int)) (=> (and (p x) q) (p x))))
(assert (p 0))
(assert (forall ((x Int)) (=> (and (> x 1) (p x)) false)))
";
    let (_, _, answer) = answer(text);
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}

#[test]
fn predicates_whose_recursion_disappears_are_not_defined_by_circular_clauses() {
    // The first clause is never applied, but it leads from p through q back to p.
    let (_, _, answer) = answer(
        "(set-logic HORN)
(declare-fun q (Bool Bool) Bool)
(declare-fun p () Bool)
(assert (forall ((x Int)) (=> (and (q true (>= x 1)) (= x 1) (= x 2)) p)))
(assert (=> p false))
(assert (forall ((b Bool)) (=> p (q b b))))
(assert (forall ((x Int) (y Int)) (=> (and (< y x) (< x y)) p)))
",
    );
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}

#[test]
fn a_rule_that_nothing_reaches_does_not_hide_what_other_rules_reach() {
    // No question bounds the second argument of p, so that models miss the one value that it has: only reading all sites by their
    // reachability facts tells that false is derived. q is never reached.
    let text = "(set-logic HORN)
(declare-fun p (Int Int) Bool)
(declare-fun q (Int Int) Bool)
(assert (p 0 7))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) y))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 0)) (q x y))))
(assert (forall ((x Int) (y Int)) (=> (q x y) (q (- x 1) y))))
(assert (forall ((x Int) (y Int)) (=> (and (q x y) (= x 3)) false)))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 3)) false)))
";
    let mut terms = Terms::new();
    let system = read(&mut terms, text).unwrap();
    let (answer, statistics) =
        horn::solve_with_statistics(&mut terms, &system, &Z3::default(), &mut Budget::ticks(TICKS));
    assert!(matches!(answer, Answer::Unsat(_)), "{answer:?}");
    assert!(statistics.queries < 40, "{statistics:?}");
}

#[test]
fn arguments_that_are_only_passed_on_have_their_values_in_derivations() {
    // n and the limit are the same in all atoms of a clause, and two inequalities are an equation.
    let (_, _, answer) = answer(
        "(set-logic HORN)
(declare-fun p (Int Int Int) Bool)
(declare-fun q (Int Int Int) Bool)
(assert (forall ((n Int) (m Int)) (=> (and (<= n 2) (>= n 2)) (p n m 0))))
(assert (forall ((n Int) (m Int) (i Int) (j Int)) (=> (and (p n m i) (p n m j)) (p n m (+ i j n)))))
(assert (forall ((n Int) (m Int) (i Int)) (=> (p n m i) (q m n i))))
(assert (forall ((n Int) (m Int) (i Int)) (=> (and (q m n i) (< i m)) (q m n (+ i 1)))))
(assert (forall ((n Int) (m Int)) (=> (and (q m n m) (= m 9) (p n m 8)) false)))
",
    );
    assert!(matches!(answer, Answer::Unsat(_)), "{answer:?}");
}
