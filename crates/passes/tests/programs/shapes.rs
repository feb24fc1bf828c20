//! What each pass makes of small programs.

use std::fmt::Write as _;

use cfa::pointsto::{PointsTo, Punning};
use cfa::text::{parse, print};
use cfa::{EdgeId, ProcId, Program, VarId};
use expect_test::{Expect, expect};
use passes::{
    BackTranslation, CallEdges, InlineConfig, Instrumented, KeptReason, Link, PipelineConfig, Selection,
    compact, compress, inline, instrument, pipeline, propagate, resolve_calls,
};

/// Checks as error locations.
pub(super) fn overflows(program: &Program) -> (Program, BackTranslation) {
    let Instrumented { program, back, .. } = instrument(program, &Selection::all());
    (program, back)
}

pub(super) fn check(text: &str, pass: impl Fn(&Program) -> (Program, BackTranslation), expected: &Expect) {
    let old = parse("old.cfa", text).unwrap();
    let (new, back) = pass(&old);
    new.verify().unwrap();
    // Dropping what is unused keeps the expectations short.
    let (new, last) = compact(&new);
    let back = back.then(&last);
    let mut out = print(&new);
    for proc in new.procs.ids() {
        let steps = |edge: EdgeId| {
            let steps = back.edge(proc, edge).steps.iter();
            let part = |at: Option<u32>| at.map_or(String::new(), |at| at.to_string());
            let describe = |step: &passes::Step| {
                let range = if step.from.or(step.until).is_some() {
                    format!("[{}..{}]", part(step.from), part(step.until))
                } else {
                    String::new()
                };
                let mut chain: Vec<String> = back.links(step.context).iter().map(link).collect();
                chain.push(format!("{}{range}", step.edge));
                chain.join("/")
            };
            steps.map(describe).collect::<Vec<_>>().join(" ")
        };
        let edges: Vec<String> = new.procs[proc].edges().ids().map(steps).collect();
        let _ = writeln!(out, "// {}: {}", new.procs[proc].name, edges.join(", "));
    }
    expected.assert_eq(&out);
}

fn link(link: &Link) -> String {
    match link {
        Link::Call(call) => call.edge.to_string(),
        Link::Round => "round".to_owned(),
    }
}

fn inlined(program: &Program) -> (Program, BackTranslation) {
    let inlined = inline(program, &InlineConfig::default());
    (inlined.program, inlined.back)
}

const TWO_CALLS: &str = r#"
    program LP64 start=main
    global g : i32
    proc main() {
      local a : i32
      l0 -> l2 : call twice(2:i32) -> (a)
      l2 -> l3 : a := a + 1:i32; call twice(a) -> (g); a := 0:i32
      l3 -> l1
    }
    proc twice(n) -> (%return) {
      local n : i32
      local %return : i32
      local o : object 4 align 4
      error l3
      l0 -> l2 : begin o
      l2 -> l3 : assume n == 7:i32
      l2 -> l1 : assume n != 7:i32; %return := n + n
    }"#;

#[test]
fn inlining_copies_bodies_and_ends_objects() {
    check(
        TWO_CALLS,
        inlined,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        global v0 g : i32
        proc p0 main() {
          local v1 a : i32
          local v2 n : i32
          local v3 %return : i32
          local v4 o : object 4 align 4
          local v5 n : i32
          local v6 %return : i32
          local v7 o : object 4 align 4
          entry l0
          exit l1
          error l9
          l0 -> l4 : n#2 := 2:i32
          l5 -> l2 : a := %return#3
                   ; end o#4
          l2 -> l6 : a := a + 1:i32
                   ; n#5 := a
          l7 -> l3 : g := %return#6
                   ; end o#7
                   ; a := 0:i32
          l3 -> l1
          l6 -> l8 : begin o#7
          l8 -> l9 : assume n#5 == 7:i32
          l8 -> l7 : assume n#5 != 7:i32
                   ; %return#6 := n#5 + n#5
          l4 -> l10 : begin o#4
          l10 -> l9 : assume n#2 == 7:i32
          l10 -> l5 : assume n#2 != 7:i32
                    ; %return#3 := n#2 + n#2
        }
        // main: t0[..0], t0[0..], t1[..1], t1[1..], t2, t1/t0, t1/t1, t1/t2, t0/t0, t0/t1, t0/t2
    "#]],
    );
}

#[test]
fn an_indirect_call_becomes_a_case_split() {
    let text = r#"
        program LP64 start=main
        proc main() {
          local p : ptr
          local x : u1
          l0 -> l2 : havoc x input "nondet"
          l2 -> l3 : p := x ? fn(f) : fn(g)
          l3 -> l1 : call *p {f, g, h}()
        }
        proc f() { error l2 l0 -> l2 }
        proc g() { l0 -> l1 }
        proc h() { l0 -> l1 }"#;
    check(
        text,
        |program| {
            let (resolved, first) = resolve_calls(program, &PointsTo::new(program, Punning::Any));
            let (new, second) = inlined(&resolved);
            (new, first.then(&second))
        },
        &expect![[r#"
            program LP64 overflow=undefined start=main
            proc p0 main() {
              local v0 p : ptr
              local v1 x : u1
              entry l0
              exit l1
              error l9
              l0 -> l2 : havoc x input "nondet"
              l2 -> l3 : p := x ? fn(f) : fn(g)
              l3 -> l5 : assume p == fn(f)
              l6 -> l4
              l3 -> l7 : assume p == fn(g)
              l8 -> l4
              l4 -> l1
              l7 -> l8
              l5 -> l9
            }
            proc p1 f() {
              entry l0
              exit l1
            }
            proc p2 g() {
              entry l0
              exit l1
            }
            // main: t0, t1, t2[..0], , t2[..0], , t2[0..], t2/t0, t2/t0
            // f: 
            // g: 
        "#]],
    );
}

#[test]
fn a_value_that_outlives_its_activation_is_forgotten() {
    let text = r#"
        program LP64 start=main
        proc main() {
          local x : i32
          l0 -> l2 : x := 0:i32
          l2 -> l2 : assume x < 9:i32; call f(x) -> (x)
          l2 -> l1 : assume !(x < 9:i32)
        }
        proc f(n) -> (%return) {
          local n : i32
          local %return : i32
          local seen : i32
          local a : i32[2]
          l0 -> l2 : assume n < 5:i32; seen := n; a[0:i32] := n
          l0 -> l2 : assume !(n < 5:i32)
          l2 -> l1 : %return := seen + a[1:i32]
        }"#;
    check(
        text,
        inlined,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        proc p0 main() {
          local v0 x : i32
          local v1 n : i32
          local v2 %return : i32
          local v3 seen : i32
          local v4 a : i32[2]
          entry l0
          exit l1
          l0 -> l2 : x := 0:i32
          l2 -> l3 : assume x < 9:i32
                   ; n := x
                   ; havoc seen uninit
                   ; init a uninit
          l4 -> l2 : x := %return
          l2 -> l1 : assume !(x < 9:i32)
          l3 -> l5 : assume n < 5:i32
                   ; seen := n
                   ; a[0:i32] := n
          l3 -> l5 : assume !(n < 5:i32)
          l5 -> l4 : %return := seen + a[1:i32]
        }
        // main: t0, t1[..1], t1[1..], t2, t1/t0, t1/t1, t1/t2
    "#]],
    );
}

#[test]
fn what_is_not_inlined_is_listed() {
    let text = r#"
        program LP64 start=main
        proc main() { l0 -> l2 : call even() l2 -> l1 : call big() }
        proc even() { l0 -> l1 : call odd() l0 -> l1 }
        proc odd() { l0 -> l1 : call even() l0 -> l1 : call small() }
        proc big() { l0 -> l2 : call small() l2 -> l3 : call small() l3 -> l1 : call small() }
        proc small() { l0 -> l1 }"#;
    let program = parse("kept.cfa", text).unwrap();
    let all = inline(&program, &InlineConfig::default());
    let reasons: Vec<_> = all.kept.iter().map(|kept| (kept.proc, kept.reason)).collect();
    let recursive = KeptReason::Recursive;
    assert_eq!(reasons, [(ProcId(0), recursive), (ProcId(1), recursive), (ProcId(2), recursive)]);
    let some =
        inline(&program, &InlineConfig { max_edges: 22, max_partial: 22, max_growth: 0, max_targets: 4 });
    assert!(some.kept.iter().any(|kept| kept.targets == [ProcId(3)] && kept.reason == KeptReason::Size));
    assert!(some.kept.iter().all(|kept| kept.targets != [ProcId(4)]));
    for inlined in [all, some] {
        inlined.program.verify().unwrap();
        for kept in &inlined.kept {
            let ops = &inlined.program.procs[kept.proc].edges()[kept.edge].ops;
            assert!(ops.iter().any(|op| op.call_targets() == kept.targets));
        }
        let calls = inlined.program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops);
        assert_eq!(calls.filter(|op| !op.call_targets().is_empty()).count(), inlined.kept.len());
    }
}

#[test]
fn inlined_variables_know_their_activation() {
    let program = parse("two.cfa", TWO_CALLS).unwrap();
    let inlined = inline(&program, &InlineConfig::default());
    let copies: Vec<_> = (program.vars.len()..inlined.program.vars.len())
        .map(|index| inlined.back.var(VarId(index as u32)).unwrap())
        .map(|origin| (origin.var, link(&inlined.back.links(origin.context)[0])))
        .collect();
    let (n, result, object) = (VarId(2), VarId(3), VarId(4));
    let copy = |var: VarId, edge: &str| (var, edge.to_owned());
    let expected = [n, result, object].map(|var| copy(var, "t0")).into_iter();
    let expected = expected.chain([n, result, object].map(|var| copy(var, "t1")));
    assert_eq!(copies, expected.collect::<Vec<_>>());
}

#[test]
fn a_run_translates_to_steps_in_order() {
    let program = parse("two.cfa", TWO_CALLS).unwrap();
    let (new, back) = inlined(&program);
    // Through the copy of the first call and back: the edges leave each other's ends.
    let run = [EdgeId(0), EdgeId(8), EdgeId(10), EdgeId(1)];
    for pair in run.windows(2) {
        let edges = new.procs[ProcId(0)].edges();
        assert_eq!(edges[pair[0]].target, edges[pair[1]].source);
    }
    let steps = back.steps(run.map(|edge| (ProcId(0), edge)));
    let steps: Vec<_> = steps.iter().map(|step| (step.proc, step.edge, step.from, step.until)).collect();
    let (main, twice, call) = (ProcId(0), ProcId(1), EdgeId(0));
    let expected = [
        (main, call, None, Some(0)),
        (twice, EdgeId(0), None, None),
        (twice, EdgeId(2), None, None),
        (main, call, Some(0), None),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn constants_decide_branches_and_reach_through_copies() {
    let text = r#"
        program LP64 start=main
        global g : i32
        proc main() {
          local x : i32
          local y : i32
          local %t : i32
          local p : ptr
          local o : object 4 align 4
          error l9
          l0 -> l2 : x := 4:i32
          l2 -> l3 : %t := x * 2:i32
          l3 -> l4 : havoc y input "nondet"
          l4 -> l5 : assume %t == 8:i32
          l4 -> l9 : assume !(%t == 8:i32)
          l5 -> l6 : begin o
          l6 -> l7 : p := &o
          l7 -> l8 : mem(i32, p) := y; x := y; g := x + %t; x := 1:i32 / (%t - 8:i32)
          l8 -> l9 : assume y == 3:i32; assume y < 3:i32
          l8 -> l10 : assume y == 3:i32; g := y
          l10 -> l10 : assume g < 5:i32; g := g + 1:i32
          l10 -> l1 : assume (i32) (g < 5:i32) == 0:i32
        }"#;
    check(
        text,
        propagate,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        global v0 g : i32
        proc p0 main() {
          local v1 x : i32
          local v2 y : i32
          local v3 %t : i32
          local v4 p : ptr
          local v5 o : object 4 align 4
          entry l0
          exit l1
          l0 -> l2 : x := 4:i32
          l2 -> l3 : %t := 8:i32
          l3 -> l4 : havoc y input "nondet"
          l4 -> l5
          l5 -> l6 : begin o
          l6 -> l7 : p := &o
          l7 -> l8 : mem(i32, &o) := y
                   ; x := y
                   ; g := y + 8:i32
                   ; x := 1:i32 / 0:i32
          l8 -> l9 : assume y == 3:i32
                   ; g := 3:i32
          l9 -> l9 : assume g < 5:i32
                   ; g := g + 1:i32
          l9 -> l1 : assume !(g < 5:i32)
        }
        // main: t0, t1, t2, t3, t5, t6, t7, t9, t10, t11
    "#]],
    );
}

#[test]
fn chains_merge_but_joins_do_not_duplicate() {
    let text = r#"
        program LP64 start=main
        proc main() {
          local x : i32
          error l9
          l0 -> l2 : x := 0:i32
          l2 -> l3 : x := 1:i32
          l3 -> l4 : assume x < 1:i32
          l3 -> l5 : assume !(x < 1:i32)
          l4 -> l6
          l5 -> l6 : x := 2:i32
          l6 -> l7
          l7 -> l8 : x := x + 1:i32
          l8 -> l10 : call f()
          l10 -> l9 : assume x == 9:i32
          l10 -> l11 : assume x != 9:i32
          l11 -> l3 : x := 5:i32
        }
        proc f() { l0 -> l2 l2 -> l1 }"#;
    check(
        text,
        |program| compress(program, CallEdges::Apart),
        &expect![[r#"
        program LP64 overflow=undefined start=main
        proc p0 main() {
          local v0 x : i32
          entry l0
          exit l1
          error l5
          l0 -> l2 : x := 0:i32
                   ; x := 1:i32
          l2 -> l3 : assume x < 1:i32
          l2 -> l3 : assume !(x < 1:i32)
                   ; x := 2:i32
          l3 -> l4 : x := x + 1:i32
          l4 -> l6 : call f()
          l6 -> l5 : assume x == 9:i32
          l6 -> l2 : assume x != 9:i32
                   ; x := 5:i32
        }
        proc p1 f() {
          entry l0
          exit l1
          l0 -> l1
        }
        // main: t0 t1, t2 t4 t6, t3 t5 t6, t7, t8, t9, t10 t11
        // f: t0 t1
    "#]],
    );
}

#[test]
fn many_branches_in_a_row_stay_linear() {
    let mut text =
        String::from("program LP64 start=main\nproc main() {\n local x : i32\n error l1\n exit l2\n");
    for number in 0..1000 {
        let (at, next) = (3 * number + 3, 3 * number + 6);
        let _ = writeln!(text, "l{at} -> l{} : assume x < {number}:i32", at + 1);
        let _ = writeln!(text, "l{} -> l{next} : x := x + 1:i32", at + 1);
        let _ = writeln!(text, "l{at} -> l{} : assume !(x < {number}:i32)", at + 2);
        let _ = writeln!(text, "l{} -> l{next} : x := x + 2:i32", at + 2);
    }
    text.push_str("l0 -> l3\nl3003 -> l1\n}");
    let program = parse("ifs.cfa", &text).unwrap();
    let (new, _) = compress(&program, CallEdges::Apart);
    let main = &new.procs[ProcId(0)];
    assert_eq!((main.edges().len(), main.locations.len()), (2001, 1003));
    let operations: usize = main.edges().iter().map(|edge| edge.ops.len()).sum();
    assert_eq!(operations, 4000);
}

#[test]
fn the_pipeline_puts_it_all_together() {
    check(
        TWO_CALLS,
        |program| {
            let done = pipeline(program, &PipelineConfig::default());
            assert!(done.kept_calls.is_empty());
            (done.program, done.back)
        },
        &expect![[r#"
            program LP64 overflow=undefined start=main
            proc p0 main() {
              entry l0
              exit l1
            }
            // main: 
        "#]],
    );
}
