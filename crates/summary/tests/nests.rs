//! What summaries of nested loops cost: ticks grow linearly with the depth of the nest.

use std::fmt::Write as _;

use base::Budget;
use graph::Graph;
use smt::{Z3, Z3Settings};
use summary::{StarOptions, Stars, Summaries};
use term::Terms;

/// Loops in loops, each counting its rounds to a limit of its own: loop `d` has the head `l{2 + d}`, the last of them goes back at once.
fn nest(depth: usize) -> String {
    let mut text = String::from(
        "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\nproc %start() {\n  local s : i32\n",
    );
    for at in 0..depth {
        let _ = writeln!(text, "  local i{at} : i32");
    }
    text.push_str("  entry l0\n  exit l1\n  error l2\n");
    for at in 0..=depth {
        let _ = writeln!(text, "  loc l{}", 3 + at);
    }
    text.push_str("  l0 -> l3 : s := 0:i32 ; i0 := 0:i32\n");
    for at in 0..depth {
        let (head, inside) = (3 + at, 4 + at);
        let test = format!("i{at} < {}:i32", at + 2);
        let enter = if at + 1 < depth { format!(" ; i{} := 0:i32", at + 1) } else { String::new() };
        let _ = writeln!(text, "  l{head} -> l{inside} : assume {test}{enter}");
        let leave = format!("assume !({test})");
        if at == 0 {
            let _ = writeln!(
                text,
                "  l3 -> l2 : {leave} ; assume s < 0:i32\n  l3 -> l1 : {leave} ; assume !(s < 0:i32)"
            );
        } else {
            let _ =
                writeln!(text, "  l{head} -> l{} : {leave} ; i{} := i{} + 1:i32", head - 1, at - 1, at - 1);
        }
    }
    let (last, inner) = (depth - 1, 2 + depth);
    let _ = writeln!(text, "  l{} -> l{inner} : s := s + 1:i32 ; i{last} := i{last} + 1:i32\n}}", inner + 1);
    text
}

/// The ticks of the summaries of a nest.
fn ticks(depth: usize) -> u64 {
    let text = nest(depth);
    let program = cfa::text::parse("nest.cfa", &text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let (mut terms, mut budget) = (Terms::new(), Budget::unlimited());
    let loops = program.procs[program.entry].loops();
    let graph = Graph::of(&program, program.entry, loops, graph::cut::Target::Error, &mut terms, &mut budget)
        .expect("there is no limit");
    let before = budget.spent();
    let mut stars = Stars::new(Z3::new(Z3Settings::default()), StarOptions::default());
    let summaries = Summaries::new(&graph, &mut terms, &mut stars, &mut budget).expect("there is no limit");
    assert_eq!(summaries.stars().len(), depth, "every loop of the nest is summarised once");
    budget.spent() - before
}

#[test]
fn ticks_of_a_nest_grow_linearly_with_its_depth() {
    let mut counted: Vec<(u64, u64)> = Vec::new();
    for depth in [4, 8, 12, 16, 20] {
        let ticks = ticks(depth as usize);
        for (smaller, fewer) in &counted {
            // Twice as many as linear growth allows: from 4 to 12, quadratic growth is three times as much.
            assert!(
                ticks * smaller <= 2 * fewer * depth,
                "{ticks} ticks for depth {depth}, {fewer} for depth {smaller}"
            );
        }
        counted.push((depth, ticks));
    }
    println!("{counted:?}");
}
