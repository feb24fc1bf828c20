//! What instrumentation and slicing make of small programs.

use expect_test::expect;
use passes::{eliminate_dead, prune, slice};

use super::shapes::{check, overflows};

#[test]
fn only_what_leads_to_the_error_stays() {
    let text = r#"
        program LP64 start=main
        proc main() {
          local x : i32
          error l4
          l0 -> l2 : havoc x input "nondet"
          l2 -> l3 : assume x < 0:i32; call stop()
          l2 -> l5 : assume !(x < 0:i32)
          l3 -> l4
          l5 -> l6 : call check(x)
          l6 -> l7 : x := 1:i32
          l7 -> l1
          l8 -> l4
        }
        proc stop() { l0 -> l1 : abort }
        proc check(n) {
          local n : i32
          error l2
          l0 -> l2 : assume n == 4:i32
          l0 -> l1 : assume n != 4:i32
        }"#;
    check(
        text,
        prune,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        proc p0 main() {
          local v0 x : i32
          entry l0
          exit l1
          l0 -> l2 : havoc x input "nondet"
          l2 -> l3 : assume !(x < 0:i32)
          l3 -> l4 : call check(x)
        }
        proc p1 check(n) {
          local v1 n : i32
          entry l0
          exit l1
          error l2
          l0 -> l2 : assume n == 4:i32
        }
        // main: t0, t2, t4
        // check: t0
    "#]],
    );
}

#[test]
fn a_loop_that_does_not_matter_is_sliced_away() {
    let text = r#"
        program LP64 start=main
        proc main() {
          local n : i32
          local i : i32
          local sum : i32
          local flag : i32
          error l9
          l0 -> l2 : havoc n input "nondet"; havoc flag input "nondet"; i := 0:i32; sum := 0:i32
          l2 -> l3 : assume i < n
          l2 -> l4 : assume !(i < n)
          l3 -> l2 : sum := sum + i; i := i + 1:i32
          l4 -> l5 : assume sum < 7:i32
          l4 -> l6 : assume !(sum < 7:i32)
          l5 -> l7 : sum := 0:i32
          l6 -> l7 : sum := 1:i32
          l7 -> l8 : assume 0:i32 < n
          l8 -> l9 : assume flag == 1:i32
          l8 -> l1 : assume flag != 1:i32
        }"#;
    check(
        text,
        slice,
        &expect![[r#"
            program LP64 overflow=undefined start=main
            proc p0 main() {
              local v0 n : i32
              local v1 i : i32
              local v2 flag : i32
              entry l0
              exit l1
              error l7
              l0 -> l2 : havoc n input "nondet"
                       ; havoc flag input "nondet"
                       ; i := 0:i32
              l2 -> l3 : assume i < n
              l2 -> l4 : assume !(i < n)
              l3 -> l2 : i := i + 1:i32
              l4 -> l5
              l5 -> l6 : assume 0:i32 < n
              l6 -> l7 : assume flag == 1:i32
            }
            // main: t0, t1, t2, t3, , t8, t9
        "#]],
    );
}

#[test]
fn an_overflow_is_tested_where_it_would_be_evaluated() {
    let text = r#"
        program LP64 overflow=error start=main
        global g : i32
        proc main() {
          local x : i32
          local y : i128
          local a : i32[4]
          local b : i64
          l0 -> l2 : x := x * 3:i32 ; b := (i64) x + 7:i64
          l2 -> l3 : assume x < 5:i32 ; x := a[x] + (x == 0:i32 ? x - g : x / g)
          l3 -> l4 : y := y + y
          l4 -> l5 : call f(x - 1:i32) -> (a[g + 1:i32])
          l5 -> l1
        }
        proc f(n) -> (%return) {
          local n : i32
          local %return : i32
          l0 -> l1 : %return := n & 7:i32 + 1:i32
        }"#;
    check(
        text,
        overflows,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        global v0 g : i32
        proc p0 main() {
          local v1 x : i32
          local v2 y : i128
          local v3 a : i32[4]
          local v4 b : i64
          local v7 %result : i32
          entry l0
          exit l1
          error l6
          let $0 = (i64) a[x] + (i64) (x == 0:i32 ? x - g : x / g)
          l0 -> l6 : assume x < -715827882:i32 | 715827882:i32 < x
          l0 -> l2 : x := x * 3:i32
                   ; b := (i64) x + 7:i64
          l2 -> l7 : assume x < 5:i32
          l7 -> l6 : assume a[x] == a[x] ? true : true
                   ; assume x == 0:i32
                   ; assume (i64) x - (i64) g < -2147483648:i64 | 2147483647:i64 < (i64) x - (i64) g
          l7 -> l6 : assume a[x] == a[x] ? true : true
                   ; assume !(x == 0:i32)
                   ; assume x == -2147483648:i32 & g == -1:i32
          l7 -> l6 : assume $0 < -2147483648:i64 | 2147483647:i64 < $0
          l7 -> l3 : x := a[x] + (x == 0:i32 ? x - g : x / g)
          l3 -> l6 : assume 0:i128 < y ? 170141183460469231731687303715884105727:i128 - y < y : y < -170141183460469231731687303715884105728:i128 - y
          l3 -> l4 : y := y + y
          l4 -> l6 : assume x < -2147483647:i32
          l4 -> l8 : call f(x - 1:i32) -> (%result)
          l8 -> l6 : assume 2147483646:i32 < g
          l8 -> l5 : a[g + 1:i32] := %result
          l5 -> l1
        }
        proc p1 f(n) -> (%return) {
          local v5 n : i32
          local v6 %return : i32
          entry l0
          exit l1
          l0 -> l1 : %return := n & 7:i32 + 1:i32
        }
        // main: t0[..0], t0, t1[..1], t1[0..1], t1[0..1], t1[0..1], t1[0..], t2[..0], t2, t3[..0], t3[..0], t3[0..0], t3[0..], t4
        // f: t0
    "#]],
    );
}

#[test]
fn staying_in_a_loop_for_ever_is_an_alternative_to_the_error() {
    let text = r#"
        program LP64 start=main
        proc main() {
          local x : i32
          local i : i32
          local state : i32
          error l5
          l0 -> l2 : state := 0:i32
          l2 -> l6 : havoc x input "nondet"; i := 0:i32
          l6 -> l6 : assume i < x; i := i + 1:i32
          l6 -> l3 : assume !(i < x)
          l3 -> l5 : assume state == 3:i32
          l3 -> l4 : assume state != 3:i32
          l4 -> l2 : assume x == 1:i32; state := 1:i32
          l4 -> l2 : assume x != 1:i32
        }"#;
    check(
        text,
        slice,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        proc p0 main() {
          local v0 x : i32
          local v1 state : i32
          entry l0
          exit l1
          error l5
          l0 -> l2 : state := 0:i32
          l2 -> l6 : havoc x input "nondet"
          l6 -> l3
          l3 -> l5 : assume state == 3:i32
          l3 -> l4 : assume state != 3:i32
          l4 -> l2 : assume x == 1:i32
                   ; state := 1:i32
          l4 -> l2 : assume x != 1:i32
        }
        // main: t0, t1, , t4, t5, t6, t7
    "#]],
    );
}

#[test]
fn assignments_that_nobody_reads_go_unless_they_may_be_undefined() {
    let text = r#"
        program LP64 start=main
        proc main() {
          local x : i32
          local i : i32
          local dead : i32
          local u : u32
          local a : i32[4]
          error l5
          l0 -> l2 : havoc x input "nondet"; havoc dead input "nondet"; i := 0:i32
          l2 -> l3 : dead := x / i; a[1:i32] := x; a[x] := 3:i32
          l3 -> l4 : u := (u32) x; u := u + 1:u32; i := i + 1:i32
          l4 -> l5 : assume x == 3:i32; call f(x, 9:i32) -> (dead)
        }
        proc f(used, unused) -> (%return) {
          local used : i32
          local unused : i32
          local %return : i32
          l0 -> l1 : assume used < 3:i32; %return := unused
        }"#;
    check(
        text,
        eliminate_dead,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        proc p0 main() {
          local v0 x : i32
          local v1 i : i32
          local v2 dead : i32
          local v3 a : i32[4]
          entry l0
          exit l1
          error l5
          l0 -> l2 : havoc x input "nondet"
                   ; i := 0:i32
          l2 -> l3 : dead := x / i
                   ; a[1:i32] := x
                   ; a[x] := 3:i32
          l3 -> l4 : i := i + 1:i32
          l4 -> l5 : assume x == 3:i32
                   ; call f(x, 0:i32) -> (_)
        }
        proc p1 f(used, unused) -> (%return) {
          local v4 used : i32
          local v5 unused : i32
          local v6 %return : i32
          entry l0
          exit l1
          l0 -> l1 : assume used < 3:i32
        }
        // main: t0, t1, t2, t3
        // f: t0
    "#]],
    );
}

#[test]
fn overflow_as_error_is_an_edge_that_keeps_what_it_tests() {
    let text = r#"
        program LP64 overflow=error start=main
        proc main() {
          local x : i32
          local y : i32
          l0 -> l2 : havoc x input "nondet"; y := 1:i32
          l2 -> l3 : assume x < 5:i32
          l3 -> l4 : y := x - 9:i32
          l4 -> l1 : y := 0:i32
        }"#;
    check(
        text,
        |program| {
            let (instrumented, first) = overflows(program);
            let (program, second) = slice(&instrumented);
            (program, first.then(&second))
        },
        &expect![[r#"
            program LP64 overflow=undefined start=main
            proc p0 main() {
              local v0 x : i32
              entry l0
              exit l1
              error l4
              l0 -> l2 : havoc x input "nondet"
              l2 -> l3 : assume x < 5:i32
              l3 -> l4 : assume x < -2147483639:i32
            }
            // main: t0, t1, t2[..0]
        "#]],
    );
}

#[test]
fn slicing_follows_memory_by_region() {
    let text = r#"
        program LP64 start=main
        global a : object 4 align 4
        global b : object 4 align 4
        proc main() {
          local p : ptr
          local q : ptr
          error l6
          l0 -> l2 : p := &a; q := &b
          l2 -> l3 : havoc mem(i32, p) input "nondet"
          l3 -> l4 : mem(i32, q) := 4:i32
          l4 -> l5 : mem(i32, &b) := mem(i32, q) + 1:i32
          l5 -> l6 : assume mem(i32, &a) == 3:i32
        }"#;
    check(
        text,
        slice,
        &expect![[r#"
        program LP64 overflow=undefined start=main
        global v0 a : object 4 align 4
        proc p0 main() {
          local v1 p : ptr
          entry l0
          exit l1
          error l6
          l0 -> l2 : p := &a
          l2 -> l3 : havoc mem(i32, p) input "nondet"
          l3 -> l4
          l4 -> l5
          l5 -> l6 : assume mem(i32, &a) == 3:i32
        }
        // main: t0, t1, t2, t3, t4
    "#]],
    );
}
