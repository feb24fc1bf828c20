//! Logged queries, compared with a second solver where one is installed.

use std::fs;
use std::time::Duration;

use base::Budget;
use smt::project::eliminate;
use smt::replay::{Report, SecondSolver, queries_in, replay};
use smt::{SolverFactory, Z3};
use term::{Integer, Sort, SymbolKind, Terms};

#[test]
fn every_query_is_logged_and_a_second_solver_agrees() {
    let directory = std::env::temp_dir().join(format!("smt-log-test-{}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    let mut terms = Terms::new();
    let symbols = ["k", "x", "y"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
    let [k, x, y] = symbols.map(|symbol| terms.of_symbol(symbol));
    let (triple, double) = (terms.scale(&Integer::from(3), k), terms.scale(&Integer::from(2), k));
    let rest = terms.modulo(k, &Integer::from(4));
    let items = [terms.le(x, triple), terms.le(double, y), terms.le(rest, x)];
    let formula = terms.and(items);
    let z3 = Z3::default();
    z3.log_queries(&directory).unwrap();
    let mut solver = z3.solver();
    eliminate(&mut solver, &mut terms, formula, &symbols[..1], &mut Budget::unlimited()).unwrap();
    let asked = usize::try_from(z3.statistics().queries).unwrap();
    assert!(asked > 1);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), asked);
    match SecondSolver::discover() {
        None => println!("skipped: no second solver"),
        Some(second) => {
            let mut report = Report::default();
            for file in queries_in(&directory).unwrap() {
                replay(&file, &second, Duration::from_secs(20), &mut report).unwrap();
            }
            assert_eq!(report.disagreed, [], "{}", second.name());
            assert!(report.agreed > 0, "{report:?}");
        }
    }
    fs::remove_dir_all(&directory).unwrap();
}
