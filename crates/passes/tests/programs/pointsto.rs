//! Regions of memory.

use std::fmt::Write as _;

use cfa::pointsto::{PointsTo, Punning};
use cfa::text::{Names, parse};
use expect_test::{Expect, expect};

fn check(punning: Punning, body: &str, expected: &Expect) {
    let text = format!(
        "program LP64 start=main
         global a : object 8 align 8
         global b : object 8 align 8
         global c : object 8 align 8
         proc f(p) -> (r) {{ local p : ptr local r : ptr l0 -> l1 : r := p + 4:i64 }}
         proc g(p) -> (r) {{ local p : ptr local r : ptr l0 -> l1 : r := null }}
         proc main() {{
           local x : ptr
           local y : ptr
           local fp : ptr
           local i : i64
           local h : u8
           local ps : ptr[4]
           {body}
         }}"
    );
    let program = parse("memory.cfa", &text).unwrap();
    let points_to = PointsTo::new(&program, punning);
    let names = Names::new(&program);
    let mut out = String::new();
    for (id, region) in points_to.regions().iter_enumerated() {
        if region.vars.is_empty() && region.sites.is_empty() && region.procs.is_empty() {
            continue;
        }
        let vars = region.vars.iter().map(|var| names.var(*var).to_owned());
        let sites = region.sites.iter().map(|site| format!("malloc@{}", site.edge));
        let procs = region.procs.iter().map(|proc| names.proc(*proc).to_owned());
        let members: Vec<String> = vars.chain(sites).chain(procs).collect();
        let exposed = if region.exposed { " exposed" } else { "" };
        let _ = writeln!(out, "{id} {{{}}}{exposed}", members.join(" "));
    }
    let assumes = if points_to.assumes_effective_types() { "assumes effective types\n" } else { "" };
    expected.assert_eq(&format!("{out}{assumes}"));
}

#[test]
fn unrelated_objects_have_their_own_regions() {
    let body = "l0 -> l2 : x := &a; y := &b + 4:i64; mem(i32, x) := 1:i32
                l2 -> l3 : ps[0:i32] := malloc(8:u64) heap zero
                l3 -> l1 : mem(i32, ps[1:i32]) := mem(i32, y)";
    check(
        Punning::EffectiveTypes,
        body,
        &expect![[r#"
        r0 {a}
        r1 {b}
        r2 {c}
        r3 {malloc@t1}
        r4 {f}
        r5 {g}
        r6 {main}
    "#]],
    );
}

#[test]
fn assignments_unify() {
    let body = "l0 -> l2 : x := &a; y := x; x := i < 3:i64 ? y : &c
                l2 -> l1 : mem(ptr, y) := &b; x := mem(ptr, &a)";
    check(
        Punning::EffectiveTypes,
        body,
        &expect![[r#"
        r0 {a b c}
        r1 {f}
        r2 {g}
        r3 {main}
    "#]],
    );
}

#[test]
fn calls_pass_pointers_both_ways() {
    let body = "l0 -> l2 : call f(&a) -> (x)
                l2 -> l3 : x := &b
                l3 -> l1 : fp := fn(g); call *fp {f, g}(&c) -> (_)";
    check(
        Punning::EffectiveTypes,
        body,
        &expect![[r#"
        r0 {a b}
        r1 {c}
        r2 {f}
        r3 {g}
        r4 {main}
    "#]],
    );
}

#[test]
fn numbers_expose() {
    let body = "l0 -> l2 : i := (i64) &a; y := (ptr) (i + 8:i64)
                l2 -> l3 : havoc x extern \"somewhere\"
                l3 -> l1 : x := &b; ps[0:i32] := &c";
    check(
        Punning::EffectiveTypes,
        body,
        &expect![[r#"
        r0 {a b} exposed
        r1 {c}
        r2 {f}
        r3 {g}
        r4 {main}
    "#]],
    );
}

#[test]
fn copied_bytes_carry_pointers() {
    let body = "l0 -> l2 : mem(ptr, &a) := &c
                l2 -> l3 : copy(&b, &a, 8:u64)
                l3 -> l1 : x := mem(ptr, &b); mem(i32, x) := 1:i32";
    check(
        Punning::EffectiveTypes,
        body,
        &expect![[r#"
        r0 {a}
        r1 {b}
        r2 {c}
        r3 {f}
        r4 {g}
        r5 {main}
    "#]],
    );
    let body = "l0 -> l2 : mem(ptr, &a) := &c
                l2 -> l3 : h := mem(u8, &a); mem(u8, &b) := h
                l3 -> l1 : x := mem(ptr, &b)";
    check(
        Punning::EffectiveTypes,
        body,
        &expect![[r#"
        r0 {a}
        r1 {b}
        r2 {c} exposed
        r3 {f}
        r4 {g}
        r5 {main}
    "#]],
    );
}

#[test]
fn wide_integers_carry_pointers_unless_types_are_effective() {
    let body = "l0 -> l2 : mem(ptr, &a) := &c
                l2 -> l3 : i := mem(i64, &a); mem(i64, &b) := i
                l3 -> l1 : x := mem(ptr, &b)";
    check(
        Punning::EffectiveTypes,
        body,
        &expect![[r#"
        r0 {a}
        r1 {b}
        r2 {c}
        r3 {f}
        r4 {g}
        r5 {main}
        assumes effective types
    "#]],
    );
    check(
        Punning::Any,
        body,
        &expect![[r#"
        r0 {a}
        r1 {b}
        r2 {c} exposed
        r3 {f}
        r4 {g}
        r5 {main}
    "#]],
    );
}
