//! What the parser makes of C and GNU C, and what it says about errors.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::needless_raw_string_hashes, clippy::format_push_string, clippy::format_collect)] // brevity

#[path = "../common/mod.rs"]
mod common;
mod errors;

use base::{SourceFile, SourceMap};
use cfront::ast::{ExprKind, StmtKind, TranslationUnit};
use cfront::{Interner, with_large_stack};
use common::dump::Dump;
use expect_test::{Expect, expect};

fn parse(text: &str) -> (Result<TranslationUnit, base::Diagnostic>, SourceMap, Interner) {
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let file = sources.add(SourceFile::new("a.c", text.as_bytes()));
    let result = with_large_stack(|| cfront::parse::parse(file, &mut sources, &mut interner));
    (result, sources, interner)
}

/// The tree of a text, or the error with its place and labels.
fn check(text: &str, expected: &Expect) {
    let (result, sources, interner) = parse(text);
    let shown = match result {
        Ok(unit) => Dump { unit: &unit, names: &interner }.unit(),
        Err(diagnostic) => {
            let mut shown = format!("{}\n", diagnostic.message);
            for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
                let region = sources.region(label.span);
                shown +=
                    &format!("  {}:{}-{} {}\n", region.line, region.column, region.end_column, label.text);
            }
            if let Some(help) = diagnostic.help {
                shown += &format!("  help: {help}\n");
            }
            shown
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn declarators_read_from_the_name_outwards() {
    check(
        "int *a[3], (*b)[3], *(*c(int))[2], (*d)(void), *const volatile *e;",
        &expect![[r#"
        a: array[3] of pointer to Int, b: pointer to array[3] of Int, c: function(_: Int) returning pointer to array[2] of pointer to Int, d: pointer to function() returning Int, e: pointer to const volatile pointer to Int
    "#]],
    );
    check(
        "int (*signal(int sig, void (*handler)(int)))(int);",
        &expect![[r#"
        signal: function(sig: Int, handler: pointer to function(_: Int) returning Void) returning pointer to function(_: Int) returning Int
    "#]],
    );
    check(
        "void f(int n, int a[static const 3], int b[*], int c[n][n+1], int (void), int (*)(int), ...);",
        &expect![[r#"
            f: function(n: Int, a: array[static const 3] of Int, b: array[*] of Int, c: array[n] of array[(Add n 1)] of Int, _: function() returning Int, _: pointer to function(_: Int) returning Int, ...) returning Void
        "#]],
    );
    check(
        "char (*(*x[3])(void))[5];",
        &expect![[r#"
        x: array[3] of pointer to function() returning pointer to array[5] of Char
    "#]],
    );
}

#[test]
fn type_words_combine_in_any_order() {
    check(
        "long unsigned int long a; short unsigned b; signed char c; char unsigned d; long double e; double _Complex f; _Complex g;",
        &expect![[r#"
            a: UnsignedLongLong
            b: UnsignedShort
            c: SignedChar
            d: UnsignedChar
            e: LongDouble
            f: ComplexDouble
            g: ComplexDouble
        "#]],
    );
    check(
        "unsigned __int128 a; __int128_t b; __uint128_t c; _Bool d; __signed__ e; _Float128 f; __float128 g; _Float64x h; __builtin_va_list v;",
        &expect![[r#"
            a: UnsignedInt128
            b: Int128
            c: UnsignedInt128
            d: Bool
            e: Int
            f: Float128
            g: Float128
            h: Float64x
            v: va_list
        "#]],
    );
    check(
        "static x; const y = 1; extern __thread int z; _Thread_local static int w; _Atomic int p; _Atomic(int *) q; _Alignas(8) _Alignas(long) char r;",
        &expect![[r#"
            x: static Int
            y: const Int = 1
            z: extern thread Int
            w: static thread Int
            p: atomic Int
            q: atomic(pointer to Int)
            r: alignas 8 alignas Long Char
        "#]],
    );
}

#[test]
fn typedef_names_are_scoped() {
    check(
        "typedef int T; T x; void f(void) { T T = 1; T * x; { typedef char x; x * p; } x * p; } T y; void g(int T) { T * 2; } T z;",
        &expect![[r#"
            T: typedef Int
            x: T
            fn f: function() returning Void
              {
                let T: T = 1
                (Multiply T x)
                {
                  let x: typedef Char
                  let p: pointer to x
                }
                (Multiply x p)
              }
            y: T
            fn g: function(T: Int) returning Void
              {
                (Multiply T 2)
              }
            z: T
        "#]],
    );
    check(
        "typedef int T; void f(T); void g(int T, int x[T]); int h(int (T)); struct T { T T; T t : 3; unsigned T2 : 4; T : 5; } ; enum { A = sizeof(T) };",
        &expect![[r#"
            T: typedef Int
            f: function(_: T) returning Void
            g: function(T: Int, x: array[T] of Int) returning Void
            h: function(_: function(_: T) returning Int) returning Int
            struct T {T: T; t: T : 3; T2: UnsignedInt : 4; _: T : 5}
            enum {A = (sizeof <T>)}
        "#]],
    );
    check(
        "typedef int T; void f(void) { enum { T }; T * 3; } void g(void) { T: goto T; T x; for (T T = 0; T; T++) ; T y; }",
        &expect![[r#"
            T: typedef Int
            fn f: function() returning Void
              {
                let enum {T}
                (Multiply T 3)
              }
            fn g: function() returning Void
              {
                T:
                goto T
                let x: T
                for T: T = 0; T; (PostIncrement T)
                  ;
                let y: T
              }
        "#]],
    );
    check(
        "typedef int T; T x; int (*g)(T T, int y[sizeof (T)]); T h(void) { return (T)T; }",
        &expect![[r#"
            T: typedef Int
            x: T
            g: pointer to function(T: T, y: array[(sizeof (paren T))] of Int) returning Int
            fn h: function() returning T
              {
                return (cast <T> T)
              }
        "#]],
    );
    check(
        "typedef struct S S; struct S { S *next; }; S s; union S2 { struct { int a; }; int : 0; struct { int b; } c; };",
        &expect![[r#"
            S: typedef struct S
            struct S {next: pointer to S}
            s: S
            union S2 {struct {a: Int}; _: Int : 0; c: struct {b: Int}}
        "#]],
    );
}

#[test]
fn k_and_r_definitions_and_implicit_int() {
    check(
        "main() { return 0; } f(a, b) int a; char *b; { return a; } *g() {} static h(x) { } extern *i;",
        &expect![[r#"
            fn main: function(?) returning Int
              {
                return 0
              }
            fn f: function(?a, b) returning Int
              parameter a: Int
              parameter b: pointer to Char
              {
                return a
              }
            fn g: function(?) returning pointer to Int
              {
              }
            fn h: function(?x) returning static Int
              {
              }
            i: pointer to extern Int
        "#]],
    );
    check(
        "int f(a) register a; { }",
        &expect![[r#"
        fn f: function(?a) returning Int
          parameter a: register Int
          {
          }
    "#]],
    );
}

#[test]
fn attributes_and_asm_labels_anywhere() {
    check(
        "struct __attribute__((packed)) S { char c __attribute__((aligned(4))); int i : 3 __attribute__((packed)); } __attribute__((__aligned__(16)));",
        &expect![[r#"
            struct S {c: Char [aligned 4]; i: Int [packed] : 3} [packed] [aligned 16]
        "#]],
    );
    check(
        "extern int f(int) __asm__(\"g\") __attribute__((nothrow, format(printf, 1, 2), noreturn));",
        &expect![[r#"
            f: function(_: Int) returning extern Int asm "g" [noreturn]
        "#]],
    );
    check(
        "__attribute__((noreturn)) void die(void) __attribute__((cold)); int __attribute__((unused)) x, __attribute__((aligned)) y;",
        &expect![[r#"
            die: function() returning noreturn Void [noreturn]
            x: Int, y: Int [aligned]
        "#]],
    );
    check(
        "typedef int v4 __attribute__((vector_size(16))); typedef unsigned TI __attribute__((mode(__TI__))); typedef union { int a; } U __attribute__((transparent_union));",
        &expect![[r#"
            v4: typedef Int [vector 16]
            TI: typedef UnsignedInt [mode TI]
            U: typedef union {a: Int} [transparent]
        "#]],
    );
    check(
        "void (__attribute__((stdcall)) *p)(int) = 0; int * __attribute__((unused)) const q; void f(void) __attribute__((weak)) { int x __attribute__((section(\"a\"), __used__)) = 1; __attribute__((fallthrough)); L: __attribute__((unused)); M: __attribute__((unused)) int y; }",
        &expect![[r#"
            p: pointer to function(_: Int) returning Void = 0
            q: const pointer to Int
            fn f: function() returning Void [weak]
              {
                let x: Int = 1
                ;
                L:
                ;
                M:
                let y: Int
              }
        "#]],
    );
    check(
        "enum E { A __attribute__((deprecated)) = 1, B, } __attribute__((packed)); int f(int x __attribute__((unused)), __attribute__((unused)) int y);",
        &expect![[r#"
            enum E {A = 1, B} [packed]
            f: function(x: Int, y: Int) returning Int
        "#]],
    );
    check(
        "#pragma pack(push, 2)\nstruct A { int a; };\n#pragma pack(pop)\nstruct B { int a; };",
        &expect![[r#"
            struct A {a: Int} [pack 2]
            struct B {a: Int}
        "#]],
    );
}

#[test]
fn expressions_bind_as_in_c() {
    check(
        "int x = a + b * c - d << 1 < 2 == 3 & 4 ^ 5 | 6 && 7 || 8 ? 9 : 10 ? 11 : 12;",
        &expect![[r#"
        x: Int = (? (LogicalOr (LogicalAnd (BitOr (BitXor (BitAnd (Equal (Less (ShiftLeft (Subtract (Add a (Multiply b c)) d) 1) 2) 3) 4) 5) 6) 7) 8) 9 (? 10 11 12))
    "#]],
    );
    check(
        "int f(void) { a = b += c, d; *p++ = -x[1].y->z(1, 2)--; !~&*x; ++*p; return sizeof x + sizeof(int) * sizeof(int){1} + _Alignof(int) + __alignof__ x; }",
        &expect![[r#"
            fn f: function() returning Int
              {
                (Comma (= a (Add= b c)) d)
                (= (Dereference (PostIncrement p)) (Minus (PostDecrement (call (-> (. (index x 1) y) z) 1 2))))
                (LogicalNot (BitNot (AddressOf (Dereference x))))
                (PreIncrement (Dereference p))
                return (Add (Add (Add (sizeof x) (Multiply (sizeof <Int>) (sizeof (literal <Int> {1})))) (alignof <Int>)) (alignof x))
              }
        "#]],
    );
    check(
        "int f(void) { (T)(x); (int)-1; (int(*)(void))p; (x)(1); (int)(x)++; &((struct S){1, 2}).a; (char[]){\"ab\" \"c\\0\"}; }",
        &expect![[r#"
            fn f: function() returning Int
              {
                (call (paren T) x)
                (cast <Int> (Minus 1))
                (cast <pointer to function() returning Int> p)
                (call (paren x) 1)
                (cast <Int> (PostIncrement (paren x)))
                (AddressOf (. (paren (literal <struct S> {1, 2})) a))
                (literal <array[] of Char> {"abc\0"})
              }
        "#]],
    );
    check(
        "int x = a ?: b; int y = ({ int z = 1; z; }) + __extension__ 2; void *p = &&l; __typeof__(x) z; __typeof__(int *) w; __auto_type v = 1;",
        &expect![[r#"
            x: Int = (? a _ b)
            y: Int = (Add ({let z: Int = 1; z}) 2)
            p: pointer to Void = (label l)
            z: typeof(x)
            w: typeof(pointer to Int)
            v: auto = 1
        "#]],
    );
    check(
        "int x = _Generic(1, int: 2, default: 3, char *: 4) + __builtin_va_arg(ap, int *) + __builtin_offsetof(struct S, a.b[2].c) + __builtin_types_compatible_p(int, long) + __builtin_choose_expr(1, 2, 3) + __builtin_expect(1, 2);",
        &expect![[r#"
            x: Int = (Add (Add (Add (Add (Add (generic 1 <Int> 2 <default> 3 <pointer to Char> 4) (va_arg ap <pointer to Int>)) (offsetof <struct S> .a.b[2].c)) (compatible <Int> <Long>)) (choose 1 2 3)) (call __builtin_expect 1 2))
        "#]],
    );
    check(
        "int x = 'a' + L'b' + '\\n' + 'ab' + 1.5e3f + 0x1p-3 + 07 + 0b11 + __real__ c + __imag__ c;",
        &expect![[r#"
            x: Int = (Add (Add (Add (Add (Add (Add (Add (Add (Add '97' '98') '10') '24930') 1.5e3) 0x1p-3) 7) 3) (Real c)) (Imag c))
        "#]],
    );
}

#[test]
fn initialisers_and_designators() {
    check(
        "int a[] = {1, [2] = 3, [4 ... 5] = 6, [7] 8, }; struct S s = {.a = 1, b: 2, .c.d[1] = {3}, {}}; char t[] = \"x\" \"y\"; int e[0] = {};",
        &expect![[r#"
            a: array[] of Int = {1, [2] = 3, [4 ... 5] = 6, [7] = 8}
            s: struct S = {.a = 1, .b = 2, .c.d[1] = {3}, {}}
            t: array[] of Char = "xy"
            e: array[0] of Int = {}
        "#]],
    );
}

#[test]
fn statements() {
    check(
        "int f(int x) { if (x) ; else if (y) z; else { } while (x) break; do continue; while (x); for (;;) ; for (int i = 0, j; i < 1; i++, j++) {} for (x = 1; ; ) return; return 1; }",
        &expect![[r#"
            fn f: function(x: Int) returning Int
              {
                if x
                  ;
                else
                  if y
                    z
                  else
                    {
                    }
                while x
                  break
                do
                  continue
                while x
                for _; _; _
                  ;
                for i: Int = 0, j: Int; (Less i 1); (Comma (PostIncrement i) (PostIncrement j))
                  {
                  }
                for (= x 1); _; _
                  return _
                return 1
              }
        "#]],
    );
    check(
        "int f(int x) { switch (x) { case 1: case 2 ... 5: default: x; case 'a': int y = 1; break; end: } goto end; goto *p; }",
        &expect![[r#"
            fn f: function(x: Int) returning Int
              {
                switch x
                  {
                    case 1:
                    case 2...5:
                    default:
                    x
                    case '97':
                    let y: Int = 1
                    break
                    end:
                    ;
                  }
                goto end
                goto *p
              }
        "#]],
    );
    check(
        "void f(void) { __label__ a, b; a: b: ; int g(int y) { return y; } asm volatile (\"nop\" : [out] \"=r\" (x) : \"r\" (1 + y), \"m\"(z) : \"memory\", \"cc\"); asm(\"x\"); asm goto (\"\" : : : : a); _Static_assert(1, \"m\"); _Static_assert(1); } asm(\".globl x\"); ; _Static_assert(sizeof(int) == 4, \"int\");",
        &expect![[r#"
            fn f: function() returning Void
              {
                labels a b
                a:
                b:
                ;
                nested
            fn g: function(y: Int) returning Int
              {
                return y
              }
                asm "nop" x (Add 1 y) z
                asm "x"
                asm goto ""
                let static-assert 1
                let static-assert 1
              }
            asm ".globl x"
            static-assert (Equal (sizeof <Int>) 4)
        "#]],
    );
    check(
        "void f(void) { if (a) if (b) c; else d; }",
        &expect![[r#"
        fn f: function() returning Void
          {
            if a
              if b
                c
              else
                d
          }
    "#]],
    );
    check(
        "struct S; struct E {}; struct F { int n; int a[]; int z[0]; _Static_assert(1, \"\"); ; }; enum E2; extern struct S s;",
        &expect![[r#"
            struct S
            struct E {}
            struct F {n: Int; a: array[] of Int; z: array[0] of Int; static-assert 1}
            enum E2
            s: extern struct S
        "#]],
    );
}

/// The text of each statement's keyword and whole span, and of the places that witnesses need.
#[test]
fn statements_and_calls_know_their_places() {
    let text = "int f(int x) {\n  while (x > 0) { x--; }\n  do { x++; } while (x);\n  y = g(x, 1) ? 1 : 2;\n  L: return (x);\n}\n";
    let (result, _, _) = parse(text);
    let unit = result.unwrap();
    let slice = |span: base::Span| &text[span.lo as usize..span.hi as usize];
    let mut shown = String::new();
    for stmt in &unit.stmts {
        shown += &format!("{} | {}\n", slice(stmt.keyword), slice(stmt.span).replace('\n', " "));
        if let StmtKind::DoWhile { while_keyword, .. } = stmt.kind {
            shown += &format!("  while at {}\n", while_keyword.lo);
        }
        if let StmtKind::Block { close, .. } = stmt.kind {
            shown += &format!("  close at {}\n", close.lo);
        }
    }
    for expr in &unit.exprs {
        match expr.kind {
            ExprKind::Call { close, .. } => {
                shown += &format!("call {} closes at {}\n", slice(expr.span), close.lo);
            }
            ExprKind::Conditional { question, .. } => {
                shown += &format!("{} asks at {}\n", slice(expr.span), question.lo);
            }
            ExprKind::Binary { op_span, .. } => {
                shown += &format!("{} by {}\n", slice(expr.span), slice(op_span));
            }
            _ => {}
        }
    }
    expect![[r#"
        x | x--;
        { | { x--; }
          close at 38
        while | while (x > 0) { x--; }
        x | x++;
        { | { x++; }
          close at 52
        do | do { x++; } while (x);
          while at 54
        y | y = g(x, 1) ? 1 : 2;
        return | return (x);
        L | L: return (x);
        { | {   while (x > 0) { x--; }   do { x++; } while (x);   y = g(x, 1) ? 1 : 2;   L: return (x); }
          close at 105
        x > 0 by >
        call g(x, 1) closes at 77
        g(x, 1) ? 1 : 2 asks at 79
    "#]]
    .assert_eq(&shown);
}

/// Ids of operands are smaller than those of their expression (I1 of the tree).
#[test]
fn children_come_before_their_parents() {
    let (result, _, _) = parse("int x = a + b * c[d] - f(g, h ? i : j);");
    let unit = result.unwrap();
    for (id, expr) in unit.exprs.iter_enumerated() {
        if let ExprKind::Binary { left, right, .. } = expr.kind {
            assert!(left < id && right < id);
        }
    }
    let root = unit.exprs.ids().next_back().unwrap();
    let (spine, first) = unit.left_spine(root);
    assert_eq!(spine.len(), 2);
    assert!(matches!(unit.exprs[first].kind, ExprKind::Ident(_)));
}

#[test]
fn line_markers_are_recorded() {
    let (result, sources, _) = parse("# 1 \"x.c\"\nint x;\n# 30 \"y.h\" 1\nint y;\n\nint z;\n");
    assert!(result.is_ok());
    let (_, file) = sources.iter().next().unwrap();
    assert_eq!(file.presumed(2), Some(("x.c".into(), 1)));
    assert_eq!(file.presumed(6), Some(("y.h".into(), 32)));
}
