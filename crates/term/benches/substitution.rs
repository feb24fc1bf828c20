//! How long building, substituting and evaluating take: `cargo bench -p term`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use term::{Evaluator, Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

/// A loop body of `count` ifs in a row, as a formula: each adds one or two to a variable and counts.
fn sequential_ifs(terms: &mut Terms, count: usize) -> (Vec<SymbolId>, TermId) {
    let [x, total] = ["x", "total"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
    let (mut now, mut sum) = (terms.of_symbol(x), terms.of_symbol(total));
    let (zero, one, two) = (terms.int(0), terms.int(1), terms.int(2));
    for index in 0..count {
        let bound = terms.int(index as i64);
        let below = terms.lt(now, bound);
        let (up, far) = (terms.add(now, one), terms.add(now, two));
        now = terms.ite(below, up, far);
        sum = terms.add(sum, now);
    }
    (vec![x, total], terms.ge(sum, zero))
}

fn substitution(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("substitution");
    for count in [10, 100, 1_000] {
        group.bench_with_input(BenchmarkId::new("ifs", count), &count, |bencher, count| {
            let mut terms = Terms::new();
            let (symbols, formula) = sequential_ifs(&mut terms, *count);
            let other = terms.constant("y", Sort::Int, SymbolKind::Variable);
            let mut shift = 0;
            bencher.iter(|| {
                // Another image each time, so that nothing is found ready-made in the arena.
                shift += 1;
                let offset = terms.int(shift);
                let image = terms.add(other, offset);
                black_box(Substitution::new([(symbols[0], image)]).apply(&mut terms, formula))
            });
        });
    }
    group.finish();
}

fn evaluation(criterion: &mut Criterion) {
    let mut terms = Terms::new();
    let (symbols, formula) = sequential_ifs(&mut terms, 1_000);
    let mut model = Model::new();
    model.set_int(symbols[0], 7);
    criterion.bench_function("evaluation/ifs/1000", |bencher| {
        bencher.iter(|| black_box(Evaluator::new(&terms, &model).holds(formula)));
    });
}

criterion_group!(benches, substitution, evaluation);
criterion_main!(benches);
