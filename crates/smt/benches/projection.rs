//! How long projection takes: `cargo bench -p smt`.

use std::hint::black_box;

use base::Budget;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use smt::project::{eliminate, maximise, project_model};
use smt::{Answer, SolverFactory, Z3, check_formula};
use term::{Integer, Sort, SymbolId, SymbolKind, TermId, Terms};

/// `count` ifs in a row, each of which adds one or two; the symbols in between are to be eliminated.
fn sequential_ifs(terms: &mut Terms, count: usize) -> (Vec<SymbolId>, TermId) {
    let first = terms.declare("x", Sort::Int, SymbolKind::Variable);
    let (mut now, mut symbols, mut items) = (terms.of_symbol(first), Vec::new(), Vec::new());
    for index in 0..count {
        let symbol = terms.fresh("x", Sort::Int, SymbolKind::Skolem);
        let choice = terms.fresh("c", Sort::Int, SymbolKind::Skolem);
        symbols.extend([symbol, choice]);
        let [next, choice] = [symbol, choice].map(|symbol| terms.of_symbol(symbol));
        let bound = terms.int(index as i64);
        let condition = terms.lt(choice, bound);
        let (one, two) = (terms.int(1), terms.int(2));
        let (near, far) = (terms.add(now, one), terms.add(now, two));
        let step = terms.ite(condition, near, far);
        items.push(terms.eq(next, step));
        now = next;
    }
    let last = terms.constant("x'", Sort::Int, SymbolKind::Primed);
    items.push(terms.eq(last, now));
    (symbols, terms.and(items))
}

/// A counter scaled by two coefficients, between bounds.
fn residues(terms: &mut Terms, coefficient: i64) -> (Vec<SymbolId>, TermId) {
    let [k, x, y] = ["k", "x", "y"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
    let [counter, low, high] = [k, x, y].map(|symbol| terms.of_symbol(symbol));
    let scaled = terms.scale(&Integer::from(coefficient), counter);
    let other = terms.scale(&Integer::from(coefficient + 1), counter);
    let items = [terms.le(low, scaled), terms.le(other, high)];
    (vec![k], terms.and(items))
}

fn elimination(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("eliminate");
    group.sample_size(10);
    for count in [2, 4, 8] {
        group.bench_with_input(BenchmarkId::new("ifs", count), &count, |bencher, count| {
            bencher.iter(|| {
                let mut terms = Terms::new();
                let (symbols, formula) = sequential_ifs(&mut terms, *count);
                let mut solver = Z3::default().solver();
                black_box(eliminate(&mut solver, &mut terms, formula, &symbols, &mut Budget::unlimited()))
            });
        });
    }
    for coefficient in [2, 5, 9] {
        group.bench_with_input(
            BenchmarkId::new("residues", coefficient),
            &coefficient,
            |bencher, coefficient| {
                bencher.iter(|| {
                    let mut terms = Terms::new();
                    let (symbols, formula) = residues(&mut terms, *coefficient);
                    let mut solver = Z3::default().solver();
                    black_box(eliminate(&mut solver, &mut terms, formula, &symbols, &mut Budget::unlimited()))
                });
            },
        );
    }
    group.finish();
}

fn one_model(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("project_model");
    for count in [10, 100] {
        let mut terms = Terms::new();
        let (symbols, formula) = sequential_ifs(&mut terms, count);
        let mut solver = Z3::default().solver();
        let mut budget = Budget::unlimited();
        let Answer::Sat(model) = check_formula(&mut solver, &terms, formula, &mut budget) else { continue };
        group.bench_with_input(BenchmarkId::new("ifs", count), &count, |bencher, _| {
            bencher.iter(|| black_box(project_model(&mut terms, formula, &symbols, &model)));
        });
    }
    group.finish();
}

fn optimum(criterion: &mut Criterion) {
    criterion.bench_function("maximise/ifs/20", |bencher| {
        bencher.iter(|| {
            let mut terms = Terms::new();
            let (symbols, formula) = sequential_ifs(&mut terms, 20);
            let last = terms.of_symbol(symbols[symbols.len() - 2]);
            let first = terms.symbols_of(formula)[0];
            let first = terms.of_symbol(first);
            let distance = terms.sub(last, first);
            let mut solver = Z3::default().solver();
            black_box(maximise(&mut solver, &mut terms, formula, distance, &mut Budget::unlimited()))
        });
    });
}

criterion_group!(benches, elimination, one_model, optimum);
criterion_main!(benches);
