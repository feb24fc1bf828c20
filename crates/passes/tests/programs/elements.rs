//! Operations on many elements of arrays, as loops.

use std::fmt::Write as _;

use cfa::Op;
use cfa::text::parse;
use expect_test::expect;
use passes::{CallEdges, compress, elementwise};

use crate::generate::Random;
use crate::laws::{Promise, check_texts};
use crate::shapes;

const ARRAYS: [&str; 4] = ["a", "b", "c", "d"];

/// A random program that fills and copies ranges, some of which leave their array, and compares elements.
fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let mut text =
        "program LP64 overflow=undefined start=main\nfile f0 \"random.c\"\n\
         global a : i32[70]\nglobal b : i32[90]\nglobal c : i32[*]\nglobal d : i32[*]\nglobal x : i32\nglobal y : i32\n\
         proc main() {\n  error l2\n"
            .to_owned();
    let _ = write!(text, "  l0 -> l3 : init a zero ; init b zero ; init c zero ; init d zero");
    for var in ["x", "y"] {
        let line = if var == "x" { 1 } else { 2 };
        let _ = write!(text, " ; havoc {var} input \"nondet\" at @f0:{line}:1-{line}:9");
    }
    text.push_str(" ; x := x & 63:i32 ; y := y & 31:i32 @f0:3:1-3:2 stmt\n  l3 -> l4");
    for position in 0..=random.below(4) {
        let _ = write!(text, " {} {}", if position == 0 { ":" } else { ";" }, operation(&mut random));
    }
    text.push_str(" @f0:4:1-4:2 stmt\n");
    let (one, other) = (ARRAYS[random.below(4)], ARRAYS[random.below(4)]);
    let (first, second) = (index(&mut random), index(&mut random));
    let _ = write!(
        text,
        "  let $0 = {one}[{first}] < {other}[{second}] + 2:i32\n  l4 -> l2 : assume $0 @f0:5:1-5:2 stmt\n  \
         l4 -> l1 : assume !$0 @f0:6:1-6:2 stmt\n}}\n"
    );
    text
}

fn index(random: &mut Random) -> String {
    ["0:i100", "(i100) x", "(i100) y", "(i100) x + 3:i100"][random.below(4)].to_owned()
}

fn operation(random: &mut Random) -> String {
    let (to, at) = (ARRAYS[random.below(4)], index(random));
    let count =
        ["(u64) x", "(u64) y", "70:u64", "90:u64", "5:u64", "(u64) c[3:i100] & 31:u64"][random.below(6)];
    if random.below(2) == 0 {
        let value = ["7:i32", "x", "c[2:i100]", "y - x"][random.below(4)];
        format!("fill_elems {to}[{at}] ({value}, {count})")
    } else {
        format!("copy_elems {to}[{at}] {}[{}] ({count})", ARRAYS[random.below(4)], index(random))
    }
}

#[test]
fn loops_over_elements_keep_executions() {
    let mut made = 0;
    for seed in 0..100 {
        let text = text(seed);
        let program = parse("random.cfa", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        made += elementwise(&program).0.vars.len() - program.vars.len();
    }
    assert!(made > 100, "only {made} loops");
    check_texts("elementwise", Promise::Same, text, elementwise);
    check_texts("elementwise and compress", Promise::Same, text, |program| {
        let (program, first) = elementwise(program);
        let (program, second) = compress(&program, CallEdges::Merged);
        (program, first.then(&second))
    });
}

#[test]
fn what_formulas_are_exact_for_stays() {
    let text = "program LP64 overflow=undefined start=main\nglobal a : i32[70]\nglobal c : i32[*]\nglobal n : u64\nproc main() {\n  \
                l0 -> l1 : fill_elems a[0:i64] (7:i32, 70:u64) ; fill_elems c[0:i64] (7:i32, 64:u64) ; copy_elems c[0:i64] c[1:i64] (n) ; \
                fill_elems c[0:i64] (7:i32, (u64) c[0:i64])\n}\n";
    let program = parse("old.cfa", text).unwrap();
    let (new, _) = elementwise(&program);
    let ops = |program: &cfa::Program| -> Vec<Op> {
        program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| edge.ops.clone()).collect()
    };
    assert_eq!(ops(&new), ops(&program));
}

#[test]
fn operations_with_one_count_share_a_loop() {
    let text = "program LP64 overflow=undefined start=main
global a : i32[*]
global b : u1[*]
global c : i32[*]
global n : u64
proc main() {
  l0 -> l1 : n := 3:u64 ; fill_elems a[0:i100] (7:i32, n) ; fill_elems b[0:i100] (true, n) ; copy_elems c[0:i100] a[0:i100] (n) ; n := 4:u64
}
";
    shapes::check(
        text,
        elementwise,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        global v0 a : i32[*]
        global v1 b : u1[*]
        global v2 c : i32[*]
        global v3 n : u64
        proc p0 main() {
          local v4 %element : i100
          local v5 %element : i100
          entry l0
          exit l1
          l0 -> l2 : n := 3:u64
                   ; %element#4 := 0:i100
          l2 -> l2 : assume %element#4 < (i100) n
                   ; a[0:i100 + %element#4] := 7:i32
                   ; b[0:i100 + %element#4] := true
                   ; %element#4 := %element#4 + 1:i100
          l2 -> l3 : assume !(%element#4 < (i100) n)
                   ; %element#5 := 0:i100
          l3 -> l3 : assume %element#5 < (i100) n
                   ; c[0:i100 + %element#5] := a[0:i100 + %element#5]
                   ; %element#5 := %element#5 + 1:i100
          l3 -> l1 : assume !(%element#5 < (i100) n)
                   ; n := 4:u64
        }
        // main: t0[..1], , t0[2..3], , t0[3..]
    "#]],
    );
}
