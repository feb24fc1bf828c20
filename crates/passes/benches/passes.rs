//! Time of every pass on a program with about 50,000 edges after inlining: `cargo bench -p passes --bench passes`.

use std::fmt::Write as _;
use std::time::Instant;

use cfa::Program;
use cfa::pointsto::{PointsTo, Punning};
use cfa::text::{parse, print};
use passes::{
    BackTranslation, CallEdges, InlineConfig, PipelineConfig, compact, compress, eliminate_dead, inline,
    pipeline, propagate, prune, slice,
};

/// 50 procedures of 100 edges, each called ten times in a loop, with globals, branches, memory and an error check each.
fn text() -> String {
    let mut text = String::from("program LP64 start=main\nglobal o : object 400 align 4\n");
    for number in 0..200 {
        let _ = writeln!(text, "global g{number} : i32");
    }
    text.push_str("proc main() {\n  local x : i32\n  error l2\n");
    for number in 0..200 {
        let _ = writeln!(
            text,
            "  l{} -> l{} : g{number} := {number}:i32",
            location(number),
            location(number + 1)
        );
    }
    let head = location(200);
    let _ = writeln!(text, "  l{head} -> l{} : havoc x input \"nondet\"", head + 1);
    for call in 0..500 {
        let (from, to) = (head + 1 + call, head + 2 + call);
        let _ = writeln!(text, "  l{from} -> l{to} : call f{}(x) -> (x)", call % 50);
    }
    let _ = writeln!(text, "  l{} -> l{head}", head + 501);
    text.push_str("}\n");
    for proc in 0..50 {
        let _ = writeln!(
            text,
            "proc f{proc}(n) -> (r) {{\n  local n : i32\n  local r : i32\n  local t : i32\n  local p : ptr\n  error l2"
        );
        text.push_str("  l0 -> l3 : t := 0:i32\n");
        for block in 0..24 {
            let (at, global) = (3 + 3 * block, (proc * 7 + block) % 200);
            let _ = writeln!(
                text,
                "  l{at} -> l{} : assume t < g{global}; t := t + n; p := &o + {}:i64",
                at + 1,
                4 * block
            );
            let _ = writeln!(text, "  l{at} -> l{} : assume !(t < g{global})", at + 2);
            let _ = writeln!(text, "  l{} -> l{} : mem(i32, p) := t; g{global} := n", at + 1, at + 3);
            let _ = writeln!(text, "  l{} -> l{} : t := mem(i32, &o)", at + 2, at + 3);
        }
        let _ = writeln!(
            text,
            "  l75 -> l2 : assume t == {proc}:i32\n  l75 -> l1 : assume t != {proc}:i32; r := t\n}}"
        );
    }
    text
}

type Pass = fn(&Program) -> (Program, BackTranslation);

fn location(number: usize) -> usize {
    if number == 0 { 0 } else { number + 2 }
}

fn edges(program: &Program) -> usize {
    program.procs.iter().map(|procedure| procedure.edges().len()).sum()
}

fn timed<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    eprintln!("{name:<12} {:>9.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    result
}

fn main() {
    let text = text();
    let program = timed("parse", || parse("bench.cfa", &text)).expect("the program should be well formed");
    let inlined = timed("inline", || inline(&program, &InlineConfig::default()));
    let large = &inlined.program;
    eprintln!("{} edges, {} variables after inlining", edges(large), large.vars.len());
    let printed = timed("print", || print(large));
    eprintln!("{} bytes of text", printed.len());
    timed("parse", || parse("large.cfa", &printed)).expect("what is printed should be a program");
    timed("verify", || large.verify()).expect("passes should keep the invariants");
    timed("loops", || large.procs.iter().map(|procedure| procedure.loops().loops().len()).sum::<usize>());
    timed("points-to", || PointsTo::new(large, Punning::Any));
    let passes: [(&str, Pass); 5] = [
        ("propagate", propagate),
        ("prune", prune),
        ("dead", eliminate_dead),
        ("slice", slice),
        ("compact", compact),
    ];
    for (name, pass) in passes {
        let (new, _) = timed(name, || pass(large));
        eprintln!("             {:>9} edges", edges(&new));
    }
    timed("compress", || compress(large, CallEdges::Apart));
    let done = timed("pipeline", || pipeline(&program, &PipelineConfig::default()));
    eprintln!("             {:>9} edges", edges(&done.program));
}
