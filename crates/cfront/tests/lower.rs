//! What C becomes: edges of the program without positions.

use cfa::DataModel;
use cfront::{Input, Options, compile};
use expect_test::{Expect, expect};

fn text(source: &str) -> String {
    let input = Input::Text { name: "test.c".into(), text: source.as_bytes().into() };
    match compile(&[input], &Options::new(DataModel::Lp64)) {
        Ok(compiled) => {
            assert_eq!(compiled.program.verify(), Ok(()));
            cfa::text::print(&compiled.program)
        }
        Err(failure) => failure.diagnostics[0].message.clone(),
    }
}

/// The edges of one procedure, with the ledger.
fn procedure(source: &str, name: &str) -> String {
    let mut result = String::new();
    let mut inside = false;
    for line in text(source).lines() {
        let line = line.trim_end();
        if line.starts_with("approximation") {
            result.push_str(line.split(" @").next().unwrap_or(line));
            result.push('\n');
        } else if line.starts_with("proc ") {
            inside = line.split_whitespace().nth(2).is_some_and(|word| word.starts_with(&format!("{name}(")));
        } else if inside && (line.contains(" -> ") || line.starts_with("  error")) {
            let mut op = line.trim().split("  @").next().unwrap_or(line).to_owned();
            if let Some(at) = op.find(" at @") {
                op.truncate(at);
            }
            result.push_str(&op);
            result.push('\n');
        }
    }
    result
}

fn check(source: &str, expected: &Expect) {
    expected.assert_eq(&procedure(source, "f"));
}

#[test]
fn a_pure_expression_is_one_assignment() {
    check(
        "int f(int a, int b, unsigned char c) { int x; x = a + b * c; return x; } int main(void) { return f(1, 2, 3); }",
        &expect![[r#"
            l0 -> l2 : havoc x uninit
            l2 -> l3 : x := a + b * (i32) c
            l3 -> l1 : %result := x
        "#]],
    );
}

#[test]
fn values_are_copied_only_where_a_later_effect_may_change_them() {
    check(
        "int g; int h(void); int k(void) { return g++; }
         int f(int a) { int i = 1; return a + h() + g + k() + i + (i = 3); } int main(void) { return f(1); }",
        &expect![[r#"
            approximation assumption "extern function `h` returns an arbitrary value and writes nothing"
            approximation under "C does not specify the order of evaluation, on which the result depends; only the order from left to right is considered"
            l0 -> l2 : i := 1:i32
            l2 -> l3 : havoc %t0 extern "h"
            l3 -> l4 : %t1 := a + %t0 + g
            l4 -> l5 : call k() -> (%t2)
            l5 -> l6 : %t3 := %t1 + %t2 + i
            l6 -> l7 : i := 3:i32
            l7 -> l1 : %result := %t3 + 3:i32
        "#]],
    );
}

#[test]
fn partial_conditions_branch_and_total_ones_do_not() {
    check(
        "int a[9]; int f(int i, int n) { if (i > 0 && n > i) return 1; if (i < 9 && a[i] == n || !n) return 2; return i ? n : 3; }
         int main(void) { return f(1, 2); }",
        &expect![[r#"
            l0 -> l2 : assume 0:i32 < i & i < n
            l0 -> l3 : assume !(0:i32 < i & i < n)
            l3 -> l4 : assume i < 9:i32
            l4 -> l5 : assume a[i] != n
            l3 -> l5 : assume 9:i32 <= i
            l5 -> l6 : assume n == 0:i32
            l4 -> l6 : assume a[i] == n
            l5 -> l7 : assume n != 0:i32
            l2 -> l1 : %result := 1:i32
            l6 -> l1 : %result := 2:i32
            l7 -> l1 : %result := i != 0:i32 ? n : 3:i32
        "#]],
    );
}

#[test]
fn loops_come_back_to_where_the_condition_is_evaluated() {
    check(
        "int f(int n) { for (int i = 0; i < n; i++) { if (i == 3) continue; if (i == 5) break; n--; }
           do n++; while (n < 9); do n--; while (0); while (1) { if (n) break; } return n; } int main(void) { return f(4); }",
        &expect![[r#"
            l0 -> l2 : i := 0:i32
            l2 -> l3 : assume i < n
            l3 -> l4 : assume i != 3:i32
            l4 -> l5 : assume i != 5:i32
            l5 -> l6 : n := n - 1:i32
            l3 -> l6 : assume i == 3:i32
            l6 -> l2 : i := i + 1:i32
            l2 -> l7 : assume n <= i
            l4 -> l7 : assume i == 5:i32
            l7 -> l8 : n := n + 1:i32
            l8 -> l7 : assume n < 9:i32
            l8 -> l9 : assume 9:i32 <= n
            l9 -> l10 : n := n - 1:i32
            l10 -> l10 : assume n == 0:i32
            l10 -> l11 : assume n != 0:i32
            l11 -> l1 : %result := n
        "#]],
    );
}

#[test]
fn structs_nobody_points_to_are_split() {
    check(
        "struct P { int x : 3; struct { char c; long l; } in; int unused; };
         long f(struct P p) { struct P q = p, r = { .in = { 'a' } }; q.x += 5; r.in.l = q.in.c; return r.in.l + q.x; }
         int main(void) { struct P p = { 1 }; return f(p); }",
        &expect![[r#"
            l0 -> l2 : q.x := p.x
            l2 -> l3 : q.in.c := p.in.c
            l3 -> l4 : r.in.l := 0:i64
            l4 -> l5 : q.x := (i3) ((i32) q.x + 5:i32)
            l5 -> l6 : r.in.l := (i64) q.in.c
            l6 -> l1 : %result := r.in.l + (i64) q.x
        "#]],
    );
}

#[test]
fn arrays_of_several_dimensions_are_flat_and_guarded() {
    check(
        "struct E { int k; int v[2]; } t[3]; int f(int i, int j, unsigned char b) {
           int a[4][256]; a[i][b] = 1; a[2][3] = 2; t[i].v[j] = a[i][j]; t[1].k = t[i].v[1]; return t[i].k; }
         int main(void) { return f(1, 1, 1); }",
        &expect![[r#"
            l0 -> l2 : init a uninit
            l2 -> l3 : a[bounded(i, 4) * 256:i32 + (i32) b] := 1:i32
            l3 -> l4 : a[515:i32] := 2:i32
            l4 -> l5 : t.v[bounded(i, 3) * 2:i32 + bounded(j, 2)] := a[bounded(i, 4) * 256:i32 + bounded(j, 256)]
            l5 -> l6 : t.k[1:i32] := t.v[bounded(i, 3) * 2:i32 + 1:i32]
            l6 -> l1 : %result := t.k[i]
        "#]],
    );
}

#[test]
fn objects_end_on_every_way_out_of_their_scope() {
    check(
        "int use(int *p); int f(int n) { while (n) { int x = n; use(&x); if (n == 2) break; if (n == 3) return x; if (n == 4) goto out; n--; }
           out: return 0; } int main(void) { return f(5); }",
        &expect![[r#"
            approximation assumption "extern function `use` returns an arbitrary value and writes nothing"
            l0 -> l2
            l2 -> l3 : assume n != 0:i32
            l3 -> l4 : begin x
            l4 -> l5 : mem(i32, &x) := n
            l5 -> l6 : assume n == 2:i32
            l5 -> l7 : assume n != 2:i32
            l7 -> l8 : assume n == 3:i32
            l8 -> l9 : %result := mem(i32, &x)
            l7 -> l10 : assume n != 3:i32
            l10 -> l11 : assume n != 4:i32
            l11 -> l12 : n := n - 1:i32
            l12 -> l2 : end x
            l2 -> l13 : assume n == 0:i32
            l6 -> l13 : end x
            l10 -> l14 : assume n == 4:i32
            l14 -> l13 : end x
            l9 -> l1 : end x
            l13 -> l1 : %result := 0:i32
        "#]],
    );
}

#[test]
fn a_jump_past_a_declaration_leaves_the_variable_arbitrary() {
    check(
        "int use(int *p); int f(int n) { if (n) goto in; { int x = 1; int y = 2; in: use(&y); return x + y; } }
         int main(void) { return f(5); }",
        &expect![[r#"
            approximation assumption "extern function `use` returns an arbitrary value and writes nothing"
            l0 -> l2 : assume n == 0:i32
            l2 -> l3 : begin y
            l3 -> l4 : x := 1:i32
            l4 -> l5 : mem(i32, &y) := 2:i32
            l5 -> l6 : %result := x + mem(i32, &y)
            l0 -> l7 : assume n != 0:i32
            l7 -> l8 : begin y
            l8 -> l5 : havoc x uninit
            l6 -> l1 : end y
        "#]],
    );
}

#[test]
fn a_switch_has_one_edge_a_case() {
    check(
        "int f(int n) { switch (n + 1) { case 1: case 2: return 5; case 3 ... 6: n = 7; break; case 9: n = 1; default: n++; } return n; }
         int main(void) { return f(5); }",
        &expect![[r#"
            l0 -> l2 : %t0 := n + 1:i32
            l5 -> l6 : n := 1:i32
            l2 -> l3 : assume %t0 == 1:i32
            l2 -> l3 : assume %t0 == 2:i32
            l2 -> l4 : assume 3:i32 <= %t0 & %t0 <= 6:i32
            l2 -> l5 : assume %t0 == 9:i32
            l2 -> l6 : assume (%t0 < 1:i32 | 6:i32 < %t0) & %t0 != 9:i32
            l6 -> l7 : n := n + 1:i32
            l4 -> l7 : n := 7:i32
            l3 -> l1 : %result := 5:i32
            l7 -> l1 : %result := n
        "#]],
    );
}

#[test]
fn unions_are_split_if_one_member_is_used() {
    check(
        "union U { int i; float f; char c[4]; }; int f(int n) { union U u, v; u.i = n; v.i = n; v.c[1] = 0; return u.i + v.i; }
         int main(void) { return f(5); }",
        &expect![[r#"
            l0 -> l2 : begin v
            l2 -> l3 : havoc u.i uninit
            l3 -> l4 : u.i := n
            l4 -> l5 : mem(i32, &v) := n
            l5 -> l6 : mem(i8, &v + 1:i64) := 0:i8
            l6 -> l7 : %result := u.i + mem(i32, &v)
            l7 -> l1 : end v
        "#]],
    );
}

#[test]
fn special_functions() {
    check(
        "void reach_error(void) { __builtin_abort(); } void abort(void); void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void);
         _Bool __VERIFIER_nondet_bool(void); void __assert_fail(const char *, const char *, unsigned, const char *);
         int other(int *p);
         int f(int n) { int a[3]; a[1] = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 3 && a[1] < 4);
           n = other(&n) + __VERIFIER_nondet_bool(); if (n == 7) reach_error(); n == 8 ? (void)0 : __assert_fail(\"n\", \"f\", 1, \"f\");
           abort(); return n; } int main(void) { return f(5); }",
        &expect![[r#"
            approximation assumption "extern function `other` returns an arbitrary value and writes nothing"
            error l11
            l0 -> l2 : begin n
            l2 -> l3 : mem(i32, &n) := %n
            l3 -> l4 : init a uninit
            l4 -> l5 : havoc a[1:i32] input "__VERIFIER_nondet_int"
            l5 -> l6 : assume 3:i32 < mem(i32, &n) ? a[1:i32] < 4:i32 : false
            l6 -> l7 : havoc %t0 extern "other"
            l7 -> l8 : havoc %t1 input "__VERIFIER_nondet_bool"
            l8 -> l9 : mem(i32, &n) := %t0 + (i32) %t1
            l9 -> l10 : assume mem(i32, &n) == 7:i32
            l10 -> l11
            l9 -> l12 : assume mem(i32, &n) != 7:i32
            l12 -> l13 : assume mem(i32, &n) != 8:i32
            l13 -> l11
            l12 -> l14 : assume mem(i32, &n) == 8:i32
            l14 -> l15 : abort
        "#]],
    );
}

#[test]
fn records_with_arrays_are_passed_by_address() {
    check(
        "struct B { int a[40]; }; struct B id(struct B b) { return b; }
         int f(int n) { struct B b; b.a[n] = 1; b = id(b); return id(b).a[0]; } int main(void) { return f(5); }",
        &expect![[r#"
            l0 -> l2 : begin b
            l2 -> l3 : mem(i32, &b + (i64) bounded(n, 40) * 4:i64) := 1:i32
            l3 -> l4 : call id(&%o0, &b)
            l4 -> l5 : copy(&b, &%o0, 160:u64)
            l5 -> l6 : call id(&%o1, &b)
            l6 -> l7 : %result := mem(i32, &%o1)
            l7 -> l8 : end b
            l8 -> l9 : end %o0
            l9 -> l1 : end %o1
            l10 -> l11 : begin %o0
            l11 -> l0 : begin %o1
        "#]],
    );
}

#[test]
fn pointers_to_functions_have_all_targets_that_fit() {
    check(
        "int add(int a, int b) { return a + b; } unsigned umul(unsigned a, unsigned b) { return a * b; } void none(void) {}
         int (*t[])(int, int) = { add, (int (*)(int, int))umul }; void (*u)(void) = none;
         int f(int n) { u(); return t[n](n, 2); } int main(void) { return f(1); }",
        &expect![[r#"
            l0 -> l2 : call *u {none}()
            l2 -> l3 : %t0 := t[n]
            l3 -> l4 : %t1 := n
            l4 -> l5 : assume %t0 == fn(umul)
            l5 -> l6 : call umul((u32) %t1, 2:u32) -> (%t3)
            l4 -> l7 : assume %t0 != fn(umul)
            l7 -> l8 : call *%t0 {add}(%t1, 2:i32) -> (%t2)
            l6 -> l8 : %t2 := (i32) %t3
            l8 -> l1 : %result := %t2
        "#]],
    );
}

#[test]
fn arrays_of_variable_length() {
    check(
        "int use(int *p); int f(int n) { int a[n], b[n][3]; a[1] = 2; use(b[1]); return a[n - 1] + sizeof b; } int main(void) { return f(5); }",
        &expect![[r#"
            approximation assumption "extern function `use` returns an arbitrary value and writes nothing"
            l0 -> l2 : %bound#4 := (u64) n
            l2 -> l3 : assume %bound#4 <= 9223372036854775807:u64
            l3 -> l4 : allocate a[%bound#4]
            l4 -> l5 : %bound#6 := (u64) n
            l5 -> l6 : assume %bound#6 <= 9223372036854775807:u64
            l6 -> l7 : b := malloc(%bound#6 * 12:u64) stack uninit
            l7 -> l8 : a[1:i32] := 2:i32
            l8 -> l9 : %result := (i32) ((u64) a[n - 1:i32] + %bound#6 * 12:u64)
            l9 -> l1 : release(b)
        "#]],
    );
}

#[test]
fn statics_are_initialised_at_the_start() {
    let source = "extern int e; int z, x = 5, *p = &x, a[3] = { 1 }; struct { int q; char *s; } st = { 2, \"hi\" }; char text[4] = \"ab\";
         static int unused = 9; int main(int argc, char **argv) { static int k = 4; return z + *p + a[1] + st.q + *st.s + text[argc] + k + e; }";
    expect![[r#"
        approximation assumption "the extern variable `e` has an arbitrary value"
        approximation assumption "the number of arguments of the program is at least 1"
        l0 -> l2 : havoc e extern "e"
        l2 -> l3 : z := 0:i32
        l3 -> l4 : init x zero
        l4 -> l5 : mem(i32, &x) := 5:i32
        l5 -> l6 : p := &x
        l6 -> l7 : init a zero
        l7 -> l8 : a[0:i32] := 1:i32
        l8 -> l9 : st.q := 2:i32
        l9 -> l10 : st.s := &%string0
        l10 -> l11 : init text zero
        l11 -> l12 : text[0:i32] := 97:i8
        l12 -> l13 : text[1:i32] := 98:i8
        l13 -> l14 : k := 4:i32
        l14 -> l15 : havoc %t0 argument "argc"
        l15 -> l16 : assume 1:i32 <= %t0
        l17 -> l0 : write(&%string0, "hi\x00")
        l16 -> l1 : call main(%t0, null) -> (_)
    "#]]
    .assert_eq(&procedure(source, "%start"));
}

#[test]
fn further_arguments_are_in_slots() {
    check(
        "int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int s = __builtin_va_arg(l, int); __builtin_va_end(l); return s; }
         int f(void) { return sum(2, 7, 2.5); } int main(void) { return f() + sum(0); }",
        &expect![[r#"
            l0 -> l2 : mem(i32, &%o0) := 7:i32
            l2 -> l3 : mem(u32, &%o0 + 16:i64) := 4:u32
            l3 -> l4 : mem(f64, &%o0 + 32:i64) := 2.5:f64
            l4 -> l5 : mem(u32, &%o0 + 48:i64) := 33:u32
            l5 -> l6 : mem(u32, &%o0 + 80:i64) := 0:u32
            l6 -> l7 : call sum(2:i32, &%o0) -> (%result)
            l7 -> l1 : end %o0
            l8 -> l0 : begin %o0
        "#]],
    );
}

fn refused(body: &str) -> String {
    text(&format!("int pthread_create(); int setjmp(); int fork(); int main(void) {{ {body} return 0; }}"))
}

#[test]
fn what_is_not_modelled_is_named() {
    assert_eq!(refused("pthread_create();"), "unsupported: threads (call of `pthread_create`)");
    assert_eq!(refused("setjmp();"), "unsupported: non-local jumps (call of `setjmp`)");
    assert_eq!(refused("fork();"), "unsupported: processes (call of `fork`)");
    assert!(refused("return 1; fork();").starts_with("program"), "unreachable code is no obstacle");
    assert_eq!(text("int f(void) { return 1; }"), "no definition of function `main`");
    assert!(text("extern int a[]; int main(void) { int *p = a; return *p; }").starts_with("program"));
    let asm = "static int f(int x) { asm(\"nop\"); return x; } int main(void) { return ";
    assert_eq!(text(&format!("{asm}f(1); }}")), "unsupported: inline assembly");
    assert!(
        text(&format!("{asm}0; }}")).starts_with("program"),
        "a function that is never called is no obstacle"
    );
}

#[test]
fn accesses_through_arbitrary_pointers_are_in_the_ledger() {
    let under =
        |source: &str| text(source).contains("approximation under \"an access through an arbitrary pointer");
    let outside = |source: &str| text(source).contains("approximation assumption \"a pointer from an input");
    let from_extern = [
        "int *get(void); int main(void) { return *get(); }",
        "struct S { int *p; } s; int *get(void); int main(void) { struct S *q = &s; q->p = get(); return s.p[1]; }",
    ];
    assert!(from_extern.iter().all(|source| outside(source) && !under(source)));
    assert!(under("int get(void); int main(void) { int *p = (int *)(long)get(); return *p; }"));
    assert!(!outside("int main(void) { int *p, x = 1; p = &x; return *p; }"));
    let unwritten = "void *malloc(unsigned long); int main(int n) { long a; if (n) a = (long)malloc(4); int *p = (int *)a; *p = 2; return *p; }";
    assert!(under(unwritten), "{unwritten}");
    let in_loop = "void *malloc(unsigned long); int main(int n) { while (n--) { long a; if (n > 3) a = (long)malloc(4); *(int *)a = 2; } return 0; }";
    assert!(under(in_loop), "{in_loop}");
    for source in [
        "int main(void) { int *p; return *p; }",
        "int *get(void); int main(void) { return get() == 0; }",
        "void *malloc(unsigned long); int main(void) { int *p = malloc(4); *p = 2; return *p; }",
        "void *malloc(unsigned long); int main(int n) { long a; if (n) a = (long)malloc(4); else a = (long)malloc(8); int *p = (int *)a; *p = 2; return *p; }",
    ] {
        assert!(!under(source) && !outside(source), "{source}");
    }
}

/// Chains that a recursive walk could not bear, on the small stack of a test's thread.
#[test]
fn long_chains() {
    const LENGTH: usize = 100_000;
    let programs = [
        format!("int main(void) {{ unsigned u = 1; u = u{}; return u; }}", " + u".repeat(LENGTH)),
        format!("int main(void) {{ int x = 1; if (x{}) x = 2; return x; }}", " && x < 3".repeat(LENGTH)),
        format!(
            "int a[3]; int main(void) {{ int x = 1; if (x{}) x = 2; return x; }}",
            " || a[x]".repeat(LENGTH)
        ),
        format!(
            "int main(void) {{ int x = 1; {} x = 3; return x; }}",
            "if (x == 2) x = 1; else ".repeat(LENGTH)
        ),
        format!("int main(void) {{ int x = 1; return x{}; }}", ", x".repeat(LENGTH)),
    ];
    for program in programs {
        let input = Input::Text { name: "test.c".into(), text: program.as_bytes().into() };
        assert!(compile(&[input], &Options::new(DataModel::Ilp32)).is_ok());
    }
}

#[test]
fn what_may_lack_a_value_is_not_evaluated_needlessly() {
    check(
        "int f(int flag) { int x, y = 1; if (flag) x = 2; if (flag && x > 1) return 1; return flag && y > flag; }
         int main(void) { return f(0); }",
        &expect![[r#"
            l0 -> l2 : havoc x uninit
            l2 -> l3 : y := 1:i32
            l3 -> l4 : assume flag != 0:i32
            l3 -> l5 : assume flag == 0:i32
            l4 -> l5 : x := 2:i32
            l5 -> l6 : assume flag != 0:i32 ? 1:i32 < x : false
            l5 -> l7 : assume !(flag != 0:i32 ? 1:i32 < x : false)
            l6 -> l1 : %result := 1:i32
            l7 -> l1 : %result := (i32) (flag != 0:i32 & flag < y)
        "#]],
    );
}

/// How often the function `f` depends on an order of evaluation that C leaves open.
fn open_orders(source: &str) -> usize {
    let input = Input::Text { name: "test.c".into(), text: source.as_bytes().into() };
    let mut options = Options::new(DataModel::Lp64);
    options.lower.entry = "f".into();
    let program = compile(&[input], &options).expect("the program is valid").program;
    let text = cfa::text::print(&program);
    text.lines().filter(|line| line.contains("\"C does not specify the order of evaluation")).count()
}

#[test]
fn an_open_order_of_evaluation_matters_where_evaluations_may_meet() {
    const TYPES: &str =
        "struct pair { int a, b; }; struct stack { struct pair *data; int n; struct pair top; };
        int use(struct pair p, int x) { return p.a + x; }
        struct pair get(struct stack *s) { return s->top; }
        int add(struct pair p, struct pair q) { return p.a + q.a; }
        struct vec { int *data; int n; }; struct node { struct node *next; int v; };
        void *malloc(unsigned long); int *extern_copy(int *); ";
    for (body, expected) in [
        // A structure and a member of another one that is no part of it.
        ("void f(struct stack *s, struct pair p) { s->data[s->n++] = p; }", 0),
        // A structure and its own member; parameters lead to objects of their own.
        ("int f(struct stack *s, struct pair *p) { return use(s->top, p->b++); }", 0),
        (
            "int f(struct stack *s, int n) { struct pair *p = n ? &s->top : s->data; return use(s->top, p->b++); }",
            1,
        ),
        // Stores to one place, or to two objects that the types do not tell apart.
        (
            "int pop(struct stack *s, int *out) { *out = --s->n; return 1; } int f(struct stack *s) { return pop(s, &s->n); }",
            1,
        ),
        (
            "int pop(struct stack *s, int *out) { *out = --s->n; return 1; } int f(struct stack *s) { int n; return pop(s, &n); }",
            0,
        ),
        (
            "int f(void) { struct stack *s = malloc(sizeof *s); int *p = malloc(4); s->n = 1; *p = --s->n; return *p; }",
            0,
        ),
        ("int f(int n) { int x = 1, y = 2, *p = &x, *q = n ? &y : &x; return (*p)++ + *q; }", 1),
        ("int f(int n) { int x = 1, y = 2, *p = &x, *q = &y; if (n) q++; return (*p)++ + *q; }", 0),
        ("int f(int n) { int x = 1, y = 2, *p = &x, **q = &p; if (n) *q = &y; return y + (*p)++; }", 1),
        ("int f(long n) { int x = 1, y = 2, *p = &x; n = (long)&y; p = (int *)n; return y + (*p)++; }", 1),
        ("void f(struct stack *s, struct pair *p) { s->data[p->b++] = *p; }", 1),
        // The result of a call is a temporary object.
        ("int f(struct stack *s) { return add(s->top, get(s)); }", 0),
        // A local variable is met by pointers if its address is taken.
        ("int f(int *p) { struct pair x = { 1, 2 }; return use(x, (*p)++); }", 0),
        ("int f(int *p) { struct pair x = { 1, 2 }; p = &x.a; return use(x, (*p)++); }", 1),
        // What nobody calls is not executed.
        (
            "void g(char **p, char **q) { *(*p)++ = *(*q)++; } void (*const h)(char **, char **) = g; int f(void) { return h != 0; }",
            0,
        ),
        ("void g(char **p, char **q) { *(*p)++ = *(*q)++; } void f(char **p) { g(p, p); }", 1),
        ("void g(char **p, char **q) { *(*p)++ = *(*q)++; } void f(char **p, char **q) { g(p, q); }", 0),
        // Pointers in memory are told apart by where those may lead that are stored there.
        ("void f(struct vec *v, int x) { v->data[v->n++] = x; }", 0),
        ("void f(struct vec *v, int x) { v->data = &v->n; v->data[v->n++] = x; }", 1),
        ("void f(struct vec *v, int x) { int **h = &v->data; *h = &v->n; v->data[v->n++] = x; }", 1),
        ("void f(struct vec *v, int x) { struct vec w = { &v->n, 0 }; *v = w; v->data[v->n++] = x; }", 1),
        ("void f(int x) { struct vec v = { 0, 0 }; v.data = &v.n; v.data[v.n++] = x; }", 1),
        ("void f(int x) { int a[4]; struct vec v = { a, 0 }; v.data[v.n++] = x; }", 0),
        ("void f(int x) { struct vec v, *h = &v; h->n = 0; v.data = malloc(16); h->data[h->n++] = x; }", 0),
        // One operation allocates all nodes; pointers from outside may be equal, and may be what was passed there.
        (
            "int f(int n) { struct node *a = 0; while (n--) { struct node *b = malloc(sizeof *b); b->next = a; a = b; } return (a->v = 3) + a->next->v; }",
            1,
        ),
        (
            "int f(struct node *p) { struct node *b = p->next->next, *q = b->next, *r = b->next; return (q->v = 3, 3) + r->v; }",
            1,
        ),
        ("int f(void) { int *p = malloc(4), *q = extern_copy(p); return (*p = 3) + *q; }", 1),
    ] {
        assert_eq!(open_orders(&format!("{TYPES}{body}")), expected, "{body}");
    }
}
