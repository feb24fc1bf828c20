//! The solver behind the trait: answers, levels, cores, budgets, limits.

use std::time::{Duration, Instant};

use base::{Budget, Cancel, Stop};
use proptest::prelude::*;
use smt::{Answer, Core, Solver, SolverFactory, Why, Z3, Z3Settings, check_formula, minimise};
use term::{BvOp, Evaluator, Integer, Sort, SymbolId, SymbolKind, TermId, Terms, Value};

fn symbols(terms: &mut Terms, names: &[&str]) -> Vec<SymbolId> {
    names.iter().map(|name| terms.declare(*name, Sort::Int, SymbolKind::Variable)).collect()
}

fn variables(terms: &mut Terms, names: &[&str]) -> Vec<TermId> {
    symbols(terms, names).into_iter().map(|symbol| terms.of_symbol(symbol)).collect()
}

#[test]
fn the_linked_solver_is_recent_enough() {
    let numbers: Vec<u32> = smt::z3_version().split('.').map(|number| number.parse().unwrap()).collect();
    assert!(numbers >= vec![4, 13, 3], "{}", smt::z3_version());
}

#[test]
fn models_and_cores_speak_of_our_terms() {
    let mut terms = Terms::new();
    let x = terms.declare("x", Sort::Int, SymbolKind::Variable);
    let x_term = terms.of_symbol(x);
    let (three, seven, nine) = (terms.int(3), terms.int(7), terms.int(9));
    let (above, below, far) = (terms.gt(x_term, three), terms.lt(x_term, seven), terms.gt(x_term, nine));
    let even = terms.divides(&Integer::from(2), x_term);
    let mut solver = Z3::default().solver();
    let mut budget = Budget::unlimited();
    solver.assert(&terms, above);
    let Answer::Sat(model) = solver.check(&terms, &[below, even], &mut budget) else {
        panic!("should be sat")
    };
    assert!([4, 6].map(Integer::from).contains(&model.int(x)));
    let Answer::Unsat(core) = solver.check(&terms, &[even, below, far], &mut budget) else {
        panic!("should be unsat")
    };
    assert!(core.0.contains(&below) && core.0.contains(&far));
    assert_eq!(minimise(&mut solver, &terms, &core, &mut budget), Core(vec![below, far]));
    let statistics = solver.statistics();
    assert_eq!((statistics.sat > 0, statistics.unsat > 0, statistics.unknown), (true, true, 0));
    assert!(statistics.effort > 0);
}

#[test]
fn assumptions_made_inside_of_a_level_survive_it() {
    let mut terms = Terms::new();
    let variables = variables(&mut terms, &["x", "y"]);
    let (sum, five) = (terms.add(variables[0], variables[1]), terms.int(5));
    let (small, large) = (terms.lt(sum, five), terms.gt(sum, five));
    let either = terms.or([small, large]);
    let neither = terms.not(either);
    let mut solver = Z3::default().solver();
    let mut budget = Budget::unlimited();
    for _ in 0..3 {
        solver.push();
        solver.assert(&terms, small);
        assert!(solver.check(&terms, &[neither], &mut budget).is_unsat());
        assert!(solver.check(&terms, &[either], &mut budget).is_sat());
        solver.pop();
        assert!(solver.check(&terms, &[neither], &mut budget).is_sat());
        assert!(solver.check(&terms, &[large, either], &mut budget).is_sat());
    }
    solver.pop();
    assert!(solver.check(&terms, &[large], &mut budget).is_sat(), "closing too many levels does nothing");
}

#[test]
fn values_of_every_sort_come_back() {
    let mut terms = Terms::new();
    let array = terms.declare("a", Sort::Array, SymbolKind::Variable);
    let bits = terms.declare("b", Sort::BitVec(100), SymbolKind::Variable);
    let huge = terms.declare("h", Sort::Int, SymbolKind::Variable);
    let truth = terms.declare("t", Sort::Bool, SymbolKind::Variable);
    let [array_term, bits_term, huge_term, truth_term] =
        [array, bits, huge, truth].map(|s| terms.of_symbol(s));
    let mut formulas = vec![truth_term];
    for index in 0..4 {
        let (at, square) = (terms.int(index), terms.int(index * index + 1));
        let element = terms.select(array_term, at);
        formulas.push(terms.eq(element, square));
    }
    let shift = terms.bv_number(100, 90);
    let one = terms.bv_number(100, 1);
    let shifted = terms.bv(BvOp::Shl, &[one, shift]);
    formulas.push(terms.eq(bits_term, shifted));
    let limit = terms.number(-Integer::power_of_two(80));
    formulas.push(terms.eq(huge_term, limit));
    let all = terms.and(formulas.clone());
    let mut solver = Z3::default().solver();
    solver.assert(&terms, all);
    let Answer::Sat(model) = solver.check(&terms, &[], &mut Budget::unlimited()) else {
        panic!("should be sat")
    };
    let mut evaluator = Evaluator::new(&terms, &model);
    assert!(formulas.iter().all(|formula| evaluator.holds(*formula)));
    assert_eq!(model.get(bits), Some(&Value::BitVec(100, Integer::power_of_two(90))));
    assert_eq!(model.int(huge), -Integer::power_of_two(80));
}

/// Thirteen pigeons in twelve holes: no two share one. Every known search without counting takes far longer than anybody waits, and none gives up.
fn hard(terms: &mut Terms) -> TermId {
    let mut places = |pigeon: u32| -> Vec<TermId> {
        let names = (0..12).map(|hole| format!("p{pigeon}h{hole}"));
        let symbols: Vec<SymbolId> =
            names.map(|name| terms.declare(name, Sort::Bool, SymbolKind::Variable)).collect();
        symbols.into_iter().map(|symbol| terms.of_symbol(symbol)).collect()
    };
    let places: Vec<Vec<TermId>> = (0..13).map(&mut places).collect();
    let mut formulas: Vec<TermId> = places.iter().map(|holes| terms.or(holes.iter().copied())).collect();
    for (number, one) in places.iter().enumerate() {
        for other in &places[number + 1..] {
            for (mine, theirs) in one.iter().zip(other) {
                let both = terms.and([*mine, *theirs]);
                formulas.push(terms.not(both));
            }
        }
    }
    terms.and(formulas)
}

#[test]
fn a_deadline_ends_a_query() {
    let mut terms = Terms::new();
    let formula = hard(&mut terms);
    let mut solver = Z3::default().solver();
    solver.assert(&terms, formula);
    let started = Instant::now();
    let mut budget = Budget::unlimited().with_deadline(Some(started + Duration::from_millis(200)));
    let answer = solver.check(&terms, &[], &mut budget);
    assert!(matches!(answer, Answer::Unknown(Why::Stopped(Stop::Deadline))), "{answer:?}");
    assert!(started.elapsed() < Duration::from_secs(20));
    let mut other = Z3::default().solver();
    assert!(other.check(&terms, &[], &mut Budget::unlimited()).is_sat(), "the thread's context works on");
}

#[test]
fn another_thread_ends_a_query() {
    let mut terms = Terms::new();
    let formula = hard(&mut terms);
    let mut solver = Z3::default().solver();
    solver.assert(&terms, formula);
    let cancel = Cancel::new();
    let mut budget = Budget::unlimited().with_cancel(cancel.clone());
    let answer = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            cancel.cancel();
        });
        solver.check(&terms, &[], &mut budget)
    });
    assert!(matches!(answer, Answer::Unknown(Why::Stopped(Stop::Cancelled))), "{answer:?}");
}

#[test]
fn effort_limits_are_deterministic() {
    let run = |ticks: u64, query_effort: Option<u32>| {
        let mut terms = Terms::new();
        let formula = hard(&mut terms);
        std::thread::spawn(move || {
            let z3 = Z3::new(Z3Settings { query_effort, ..Z3Settings::default() });
            let mut solver = z3.solver();
            solver.assert(&terms, formula);
            let mut budget = Budget::ticks(ticks);
            let answer = solver.check(&terms, &[], &mut budget);
            let Answer::Unknown(why) = answer else { panic!("should be unknown") };
            (why, budget.spent(), z3.statistics().effort)
        })
        .join()
        .unwrap()
    };
    let (why, spent, effort) = run(300, None);
    assert_eq!(why, Why::Stopped(Stop::Ticks));
    assert_eq!(spent, 300);
    assert_eq!(run(300, None), (why, spent, effort));
    assert_eq!(run(1_000_000, Some(200_000)).0, Why::Effort);
}

#[test]
fn effort_is_charged_to_the_solver_that_spends_it() {
    let mut terms = Terms::new();
    let formula = hard(&mut terms);
    let spent = || {
        let z3 = Z3::new(Z3Settings { query_effort: Some(50_000), ..Z3Settings::default() });
        let mut budget = Budget::unlimited();
        let answer = check_formula(&mut z3.z3_solver(), &terms, formula, &mut budget);
        assert!(matches!(answer, Answer::Unknown(Why::Effort)), "{answer:?}");
        budget.spent()
    };
    let first = spent();
    assert!(first >= 50, "{first}");
    // Z3's own count goes on: it would be ten times as much.
    let later: Vec<u64> = (0..10).map(|_| spent()).collect();
    assert!(later.iter().all(|ticks| *ticks < 2 * first), "{first}, then {later:?}");
}

#[test]
fn a_spent_budget_is_not_asked_of_the_solver() {
    let terms = Terms::new();
    let mut solver = Z3::default().solver();
    let answer = solver.check(&terms, &[], &mut Budget::ticks(0));
    assert!(matches!(answer, Answer::Unknown(Why::Stopped(Stop::Ticks))));
}

#[test]
fn a_million_nested_choices_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let condition = terms.constant("c", Sort::Bool, SymbolKind::Variable);
    let mut deep = terms.constant("x", Sort::Int, SymbolKind::Variable);
    let one = terms.int(1);
    for _ in 0..1_000_000 {
        let more = terms.add(deep, one);
        deep = terms.ite(condition, deep, more);
    }
    let zero = terms.int(0);
    let formula = terms.le(deep, zero);
    let mut solver = Z3::default().solver();
    solver.assert(&terms, formula);
    let mut budget = Budget::unlimited().with_deadline(Some(Instant::now() + Duration::from_millis(100)));
    // Whatever the answer is: there should be one.
    let _ = solver.check(&terms, &[], &mut budget);
}

#[test]
fn a_deep_chain_is_solved_through_its_definitions() {
    let mut terms = Terms::new();
    let start = variables(&mut terms, &["x"])[0];
    let (one, mut deep, mut conditions) = (terms.int(1), start, Vec::new());
    for _ in 0..450 {
        let condition = terms.constant("c", Sort::Bool, SymbolKind::Variable);
        let next = terms.add(deep, one);
        deep = terms.ite(condition, next, deep);
        conditions.push(condition);
    }
    let all = terms.and(conditions);
    let difference = terms.sub(deep, start);
    let [reached, missed] = [450, 449].map(|count| {
        let count = terms.int(count);
        terms.eq(difference, count)
    });
    let mut solver = Z3::default().solver();
    let mut budget = Budget::unlimited();
    solver.push();
    solver.assert(&terms, reached);
    assert!(solver.check(&terms, &[all], &mut budget).is_sat());
    solver.pop();
    // The definitions were asserted on a level that is closed now.
    assert!(solver.check(&terms, &[all, missed], &mut budget).is_unsat());
    assert!(solver.check(&terms, &[all, reached], &mut budget).is_sat());
}

/// What a random user of a solver does.
#[derive(Clone, Debug)]
enum Action {
    Push,
    Pop,
    Assert(usize),
    Check(Vec<usize>),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        Just(Action::Push),
        Just(Action::Pop),
        (0usize..12).prop_map(Action::Assert),
        prop::collection::vec(0usize..12, 0..4).prop_map(Action::Check),
    ];
    prop::collection::vec(action, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn levels_behave_like_a_stack_of_sets(actions in actions()) {
        let mut terms = Terms::new();
        let v = symbols(&mut terms, &["x", "y"]);
        let [x, y] = [v[0], v[1]].map(|symbol| terms.of_symbol(symbol));
        // Twelve formulas over a box in which everything can be tried.
        let mut formulas = Vec::new();
        for bound in 0..3 {
            let number = terms.int(bound);
            let (sum, difference) = (terms.add(x, y), terms.sub(x, y));
            formulas.extend([terms.le(sum, number), terms.eq(difference, number)]);
            let (far, double) = (terms.gt(x, number), terms.scale(&Integer::from(2), y));
            let apart = terms.ne(double, number);
            formulas.extend([terms.or([far, apart]), terms.divides(&Integer::from(bound + 2), y)]);
        }
        let (low, high) = (terms.int(-3), terms.int(3));
        let sides = [terms.ge(x, low), terms.le(x, high), terms.ge(y, low), terms.le(y, high)];
        let the_box = terms.and(sides);
        let mut solver = Z3::default().solver();
        solver.assert(&terms, the_box);
        let mut stack = vec![vec![]];
        let mut budget = Budget::unlimited();
        for action in actions {
            match action {
                Action::Push => { solver.push(); stack.push(vec![]); }
                Action::Pop => {
                    solver.pop();
                    if stack.len() > 1 { stack.pop(); }
                }
                Action::Assert(at) => {
                    solver.assert(&terms, formulas[at]);
                    stack.last_mut().unwrap().push(at);
                }
                Action::Check(assumed) => {
                    let asked: Vec<TermId> = assumed.iter().map(|at| formulas[*at]).collect();
                    let all: Vec<usize> = stack.iter().flatten().chain(&assumed).copied().collect();
                    let holds_at = |a: i64, b: i64, which: &[usize]| {
                        let mut model = term::Model::new();
                        model.set_int(v[0], a);
                        model.set_int(v[1], b);
                        let mut evaluator = Evaluator::new(&terms, &model);
                        which.iter().all(|at| evaluator.holds(formulas[*at]))
                    };
                    let any = |which: &[usize]| (-3..=3).any(|a| (-3..=3).any(|b| holds_at(a, b, which)));
                    match solver.check(&terms, &asked, &mut budget) {
                        Answer::Sat(model) => {
                            let mut evaluator = Evaluator::new(&terms, &model);
                            prop_assert!(all.iter().all(|at| evaluator.holds(formulas[*at])));
                        }
                        Answer::Unsat(Core(core)) => {
                            prop_assert!(!any(&all));
                            let mut needed: Vec<usize> = stack.iter().flatten().copied().collect();
                            needed.extend(assumed.iter().filter(|at| core.contains(&formulas[**at])));
                            prop_assert!(!any(&needed), "the core alone has no model");
                        }
                        Answer::Unknown(why) => prop_assert!(false, "{why}"),
                    }
                }
            }
        }
    }
}
