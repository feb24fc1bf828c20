//! How long hulls and stars take: `cargo bench -p summary --bench star`.

use std::fmt::Write as _;
use std::hint::black_box;

use base::Budget;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use graph::Graph;
use smt::{Z3, Z3Settings};
use summary::polyhedron::{Constraint, Polyhedron};
use summary::{StarOptions, Stars, Summaries};
use term::{Integer, Terms};

/// A loop whose body is `count` ifs in a row: in state `i` the input `i` leads to state `i + 1`.
fn chain(count: usize) -> String {
    let mut text = program("  local s : i32\n  local c : i32\n", "s := 0:i32");
    text.push_str("  l2 -> l10 : havoc c input \"nondet\" at @f0:1:1-1:2\n");
    for at in 0..count {
        let (here, taken, next) = (10 + 2 * at, 11 + 2 * at, 12 + 2 * at);
        let test = format!("(s == {at}:i32) & (c == {at}:i32)");
        let _ = writeln!(text, "  loc l{here}\n  loc l{taken}");
        let _ =
            writeln!(text, "  l{here} -> l{taken} : assume {test}\n  l{here} -> l{next} : assume !({test})");
        let _ = writeln!(text, "  l{taken} -> l{next} : s := {}:i32", at + 1);
    }
    finish(text, count, "s")
}

/// A loop whose body is `count` ifs in a row on inputs, each of which adds to one of two variables.
fn free(count: usize) -> String {
    let mut text = program("  local x : i32\n  local y : i32\n  local c : i32\n", "x := 0:i32 ; y := 0:i32");
    text.push_str("  l2 -> l10\n");
    for at in 0..count {
        let (here, taken, next) = (10 + 2 * at, 11 + 2 * at, 12 + 2 * at);
        let name = ["x", "y"][at % 2];
        let _ = writeln!(text, "  loc l{here}\n  loc l{taken}");
        let _ = writeln!(
            text,
            "  l{here} -> l{taken} : havoc c input \"nondet\" at @f0:1:1-1:2 ; assume c == 0:i32"
        );
        let _ = writeln!(text, "  l{here} -> l{next} : assume true");
        let _ = writeln!(text, "  l{taken} -> l{next} : {name} := {name} + {}:i32", at % 3 + 1);
    }
    finish(text, count, "x")
}

fn program(variables: &str, start: &str) -> String {
    format!(
        "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\nproc %start() {{\n{variables}  entry l0\n  exit l1\n  \
         error l4\n  loc l2\n  l0 -> l2 : {start}\n"
    )
}

fn finish(mut text: String, count: usize, variable: &str) -> String {
    let last = 10 + 2 * count;
    let _ = writeln!(text, "  loc l{last}\n  l{last} -> l2 : assume {variable} != {count}:i32");
    let _ = writeln!(text, "  l{last} -> l4 : assume {variable} == {count}:i32\n}}");
    text
}

fn stars(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("star");
    group.sample_size(10);
    for count in [5, 10, 20, 40] {
        for (name, text) in [("chain", chain(count)), ("free", free(count))] {
            let program = cfa::text::parse("bench.cfa", &text).expect("the program should be well-formed");
            group.bench_with_input(BenchmarkId::new(name, count), &program, |bencher, program| {
                bencher.iter(|| {
                    let (mut terms, mut budget) = (Terms::new(), Budget::unlimited());
                    let loops = program.procs[program.entry].loops();
                    let graph = Graph::of(
                        program,
                        program.entry,
                        loops,
                        graph::cut::Target::Error,
                        &mut terms,
                        &mut budget,
                    )
                    .expect("there is no limit");
                    let solvers = Z3::new(Z3Settings::default());
                    let mut stars = Stars::new(solvers, StarOptions::default());
                    black_box(Summaries::new(&graph, &mut terms, &mut stars, &mut budget))
                });
            });
        }
    }
    group.finish();
}

/// A point that is a corner of a cube, moved along the diagonal.
fn corner(dimension: usize, number: usize) -> Polyhedron {
    let coordinate = |at: usize| (number >> at & 1) * 4 + number / 3;
    let constraints: Vec<Constraint> = (0..dimension)
        .map(|at| Constraint {
            coefficients: (0..dimension).map(|column| Integer::from(i64::from(column == at))).collect(),
            constant: -Integer::from(coordinate(at) as i64),
            equality: true,
        })
        .collect();
    Polyhedron::from_constraints(dimension, &constraints, 1_000).expect("a point is small")
}

fn hulls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hull");
    for dimension in [2, 4, 6] {
        let points: Vec<Polyhedron> = (0..24).map(|number| corner(dimension, number)).collect();
        group.bench_with_input(BenchmarkId::new("points_24", dimension), &points, |bencher, points| {
            bencher.iter(|| {
                let mut hull = Polyhedron::empty(dimension);
                for point in points {
                    hull = hull.join(point, 10_000).expect("the limit is far");
                }
                black_box(hull)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, stars, hulls);
criterion_main!(benches);
