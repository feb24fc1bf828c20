//! Programs that are accepted, and programs that are refused with a message at a place.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

mod check_common;

use cfa::DataModel;
use check_common::accepted::ACCEPTED;
use check_common::validate::violations;
use check_common::{check_units, check_with_diagnostic};

/// Programs with the message that they get (`line:column: text`, or a part of it).
const REFUSED: &[(&str, &str)] = &[
    // Names.
    ("int f(void) {\n  int count = 1;\n  return conut;\n}", "3:10: use of the undeclared identifier `conut`"),
    ("int x;\nfloat x;", "2:7: conflicting types for `x`: `float`"),
    ("int f(int);\nint f(char *);", "2:5: conflicting types for `f`: `int (char *)`"),
    ("int f(void) { return 1; }\nint f(void) { return 2; }", "2:5: redefinition of `f`"),
    ("int x = 1;\nint x = 2;", "2:5: redefinition of `x`"),
    ("int f() { return 1; } int f(int);", "1:27: conflicting types for `f`: `int (int)`"),
    ("int f(c) char c; { return c; } int f(char);", "conflicting types for `f`: `int (char)`"),
    ("int x; int x(void);", "1:12: `x` is declared again as a different kind of symbol"),
    ("void f(void) { int a; int a; }", "1:27: redeclaration of `a`"),
    ("void f(int a) { int a; }", "1:21: redeclaration of `a`"),
    ("enum { A }; int A;", "`A` is declared again as a different kind of symbol"),
    ("int f(void); static int f(void);", "1:25: `f` is declared static"),
    (
        "int main(void) { f(); return 0; }\nstatic int f(void) { return 1; }",
        "2:12: `f` is declared static, but was implicitly declared without `static`",
    ),
    (
        "int g(void) { int f(void); return f(); }\nstatic int f(void) { return 1; }",
        "2:12: `f` is declared static, but was declared without `static`",
    ),
    (
        "int g(void) { extern int x; return x; }\nstatic int x;",
        "2:12: `x` is declared static, but was declared without `static`",
    ),
    ("static int x; int x;", "1:19: `x` is declared without `static`, but was declared static"),
    ("int x; static int x;", "1:19: `x` is declared static, but was declared without `static`"),
    ("struct s { int a; }; struct s { int b; };", "1:29: redefinition of `s`"),
    ("struct s { int a; }; union s x;", "1:28: the tag `s` is that of another kind of type"),
    ("enum e { A }; enum e { B };", "redefinition of `enum e`"),
    ("struct s { int a; char a; };", "1:24: duplicate member `a`"),
    ("typedef int T; typedef char T;", "1:29: redeclaration of `T`"),
    ("void f(void) { goto l; }", "1:21: the label `l` is used but not defined"),
    ("void f(void) { l: ; l: ; }", "1:21: redeclaration of `l`"),
    // Types.
    (
        "struct s { int a; } x; int y;\nvoid f(void) { y = x; }",
        "2:20: incompatible types when assigning `struct s` to `int`",
    ),
    (
        "struct s { int a; } x; struct t { int a; } y; void f(void) { x = y; }",
        "assigning `struct t` to `struct s`",
    ),
    ("struct s { int a; } x = 3;", "1:25: incompatible types when initialising `struct s` with `int`"),
    (
        "struct s { int a; }; struct s f(void) { return 1; }",
        "returning `int` from a function that returns `struct s`",
    ),
    ("void f(double *p) { p = 1.5; }", "incompatible types when assigning `double` to `double *`"),
    ("void v(void); int f(void) { return v(); }", "1:36: the value of a `void` expression is used"),
    (
        "void v(void); void f(void) { if (v()) ; }",
        "a value of type `void` is used where a scalar is required",
    ),
    ("struct s { int a; } x; void f(void) { if (x) ; }", "a value of type `struct s` is used where a scalar"),
    (
        "struct s { int a; } x; int f(void) { return x + 1; }",
        "1:47: invalid operands of binary `+`: `struct s` and `int`",
    ),
    ("int f(double d) { return d % 2; }", "1:28: invalid operands of binary `%`: `double` and `int`"),
    ("int f(int *p, int *q) { return p + q; }", "invalid operands of binary `+`: `int *` and `int *`"),
    ("int f(int *p, char *q) { return p - q; }", "invalid operands of binary `-`"),
    ("int f(double d) { return ~d; }", "wrong type of operand of unary `~`: `double`"),
    ("int f(int x) { return *x; }", "1:23: wrong type of operand of unary `*`: `int`"),
    ("int f(int x) { return x[1]; }", "a value of type `int` is subscripted"),
    ("int f(int *p) { return p[1.5]; }", "an array subscript is not an integer"),
    (
        "struct s { int value; } x;\nint f(void) { return x.vaule; }",
        "2:24: `struct s` has no member named `vaule`",
    ),
    ("struct s { int a; } *p; int f(void) { return p.a; }", "which is not a struct or union"),
    ("struct s { int a; } x; int f(void) { return x->a; }", "which is not a pointer to a struct or union"),
    ("struct s; int f(struct s *p) { return p->a; }", "`struct s` is incomplete"),
    ("struct s; struct s x;", "1:20: `x` has the incomplete type `struct s`"),
    ("void f(void) { struct s x; }", "`x` has the incomplete type `struct s`"),
    ("struct s { struct s x; };", "a member has the incomplete type `struct s`"),
    ("void x;", "the variable `x` has the type `void`"),
    ("int a[-1];", "1:7: the size of an array is negative"),
    ("int n; int a[n];", "1:14: the size of an array outside of a function is not constant"),
    ("int a[0x7fffffffffffffff];", "too large"),
    (
        "typedef int t[1][1][1][1][1][1][1][1][1][1]; typedef int u[2147483647][2147483647][2147483647];",
        "too large",
    ),
    ("int f(void)[3];", "a function returns the array type `int[3]`"),
    ("int a[3](void);", "an array of functions"),
    ("void f(struct s { int a; } x, void y) { }", "a parameter has the type `void`"),
    ("int f(void) { return sizeof(struct t); }", "`sizeof` is applied to the incomplete type `struct t`"),
    (
        "struct s { int a : 3; } x; int *f(void) { return &x.a; }",
        "the address of a bit-field cannot be taken",
    ),
    ("struct s { int a : 40; };", "the width 40 does not fit the type `int`"),
    ("struct s { float a : 3; };", "a bit-field has the type `float`"),
    ("struct s { int a[]; int b; };", "a flexible array member is not the last member"),
    ("int f(float x) { return (int *)x; }", "a value of type `float` cannot be converted to `int *`"),
    (
        "struct s { int a; } x; int f(void) { return (int)x; }",
        "a value of type `struct s` cannot be converted to `int`",
    ),
    // Lvalues.
    ("void f(void) { 3 = 4; }", "1:18: an lvalue is required as left operand of assignment"),
    ("void f(int x) { x++ = 4; }", "an lvalue is required as left operand"),
    ("void f(int x) { ++(x + 1); }", "an lvalue is required as operand of `++`"),
    ("int a[3], b[3]; void f(void) { a = b; }", "a value of array type `int[3]` cannot be assigned to"),
    ("void f(void) { const int x = 1; x = 2; }", "assignment to the constant `x`"),
    ("int *f(int x) { return &(x + 1); }", "an lvalue is required as operand of unary `&`"),
    ("struct s { int a; } g(void); void f(void) { g().a = 1; }", "an lvalue is required"),
    // Calls.
    ("int f(int a);\nint g(void) { return f(); }", "2:24: too few arguments: 1 expected, 0 given"),
    ("int f(int a);\nint g(void) { return f(1, 2); }", "2:27: too many arguments: 1 expected, 2 given"),
    (
        "int printf(const char *, ...); int f(void) { return printf(); }",
        "too few arguments: at least 1 expected",
    ),
    ("int x; int f(void) { return x(); }", "a value of type `int` is called"),
    (
        "struct s { int a; } x; void g(int); void f(void) { g(x); }",
        "incompatible type of argument 1: expected `int`, but it has type `struct s`",
    ),
    ("int f(void) { return __builtin_strange(1); }", "unsupported: the builtin function `__builtin_strange`"),
    (
        "int f(void) { return g(); } void g(void) { }",
        "1:22: `g` is used as a function that returns `int`, but it returns `void`",
    ),
    ("int f(int, int); int f(a) int a; { return a; }", "1 parameters, but the prototype has 2"),
    (
        "int f(char); int f(c) long c; { return c; }",
        "a parameter is passed as `long`, but the prototype says `char`",
    ),
    ("void f(void) { register int x asm(\"eax\"); }", "unsupported: a variable in a named register"),
    // Statements.
    ("void f(void) { break; }", "1:16: `break` outside of a loop or switch"),
    ("void f(void) { continue; }", "`continue` outside of a loop"),
    ("void f(int x) { case 1: ; }", "`case` outside of a switch"),
    ("void f(int x) { switch (x) { case 1: ; case 1: ; } }", "1:45: duplicate case value 1"),
    ("void f(int x) { switch (x) { case 1 ... 5: ; case 3: ; } }", "duplicate case value 3"),
    ("void f(int x) { switch (x) { default: ; default: ; } }", "a second `default` in one switch"),
    ("void f(int x, int y) { switch (x) { case 1: ; case 4294967297ll: ; } }", "duplicate case value 1"),
    ("void f(int x, int y) { switch (x) { case y: ; } }", "the value of a case is not an integer constant"),
    ("void f(double x) { switch (x) { } }", "a `switch` needs an integer, not `double`"),
    ("_Static_assert(sizeof(int) == 3, \"strange\");", "static assertion failed: strange"),
    // Initialisers.
    ("int x; int y = x;", "1:16: the initialiser of a static variable is not constant"),
    ("int f(void); int y = f();", "the initialiser of a static variable is not constant"),
    ("void f(int x) { static int y = x; }", "the initialiser of a static variable is not constant"),
    ("int a[3] = 5;", "an array needs a list in braces or a string literal"),
    ("int a[3] = { [3] = 1 };", "the index 3 is outside of the array"),
    ("struct s { int a; } x = { .b = 1 };", "`struct s` has no member named `b`"),
    ("void f(int n) { int a[n] = { 1 }; }", "cannot be initialised"),
    ("void f(int n) { static int a[n]; }", "`a` is static, but its size is not constant"),
    ("int f(int) = 3;", "the function `f` is initialised like a variable"),
    ("enum { A = 2147483647, B };", "the value of an enumerator is too large"),
    // Not modelled.
    ("_Complex double x = 1;", "unsupported: `_Complex` types"),
    ("_Complex double f(_Complex double x) { return x * x; }", "unsupported: `_Complex` types"),
    (
        "typedef int v __attribute__((vector_size(16))); v f(v a) { return a + a; }",
        "unsupported: vector types",
    ),
    (
        "typedef int v __attribute__((vector_size(16))); int f(v a) { return a[0]; }",
        "unsupported: vector types",
    ),
    ("typedef int v __attribute__((vector_size(6)));", "unsupported: vector types"),
    ("int f(int **p) { return __sync_fetch_and_add(p, 1) != 0; }", "`__sync_fetch_and_add` of a pointer"),
    ("int f(int *p) { return __atomic_strange(p, 1); }", "the builtin function `__atomic_strange`"),
    ("void f(void) { int g(void) { return 1; } }", "unsupported: a nested function"),
    ("void f(void *p) { goto *p; }", "unsupported: a computed `goto`"),
    ("void f(void) { l: ; void *p = &&l; }", "unsupported: addresses of labels"),
    ("void f(int x) { asm(\"nop\"); }", "unsupported: inline assembly"),
    ("void f(int x) { asm(\"\" : \"+r\"(x)); }", "unsupported: inline assembly"),
    ("void f(void) __attribute__((constructor));", "unsupported: the attribute `constructor`"),
    ("_Float16 x = 1;", "unsupported: the type `_Float16`"),
    ("_Float16 f(_Float16 x) { return -x; }", "unsupported: the type `_Float16`"),
    ("int f(_Float16 *p) { return *p < p[1]; }", "unsupported: the type `_Float16`"),
    ("int f(_Float16 *p) { return p ? (int)*p : 0; }", "unsupported: the type `_Float16`"),
    (
        "struct s { int n; int a[]; } x = { 1, { 2 } };",
        "unsupported: the initialisation of a flexible array member",
    ),
    (
        "int f(int g(void)) { return _Generic(g, int (*)(void): 1); }",
        "unsupported: a `_Generic` selection by pointer types",
    ),
];

#[test]
fn accepted() {
    let mut wrong = Vec::new();
    for text in ACCEPTED {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            match check_units(&[text], model) {
                Ok(program) => {
                    let violations = violations(&program).join("\n    ");
                    if !violations.is_empty() {
                        wrong.push(format!("{model}: {text}\n    {violations}"));
                    }
                }
                Err(message) => wrong.push(format!("{model}: {text}\n    {message}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} refused:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn refused() {
    let mut wrong = Vec::new();
    for (text, expected) in REFUSED {
        match check_units(&[text], DataModel::Lp64) {
            Ok(program) => {
                // What is not supported in a body matters where the function is called.
                let refused = program.functions.iter().find_map(|function| function.refused.as_ref());
                if !refused.is_some_and(|diagnostic| diagnostic.message.contains(expected)) {
                    wrong.push(format!("accepted: {text}"));
                }
            }
            Err(message) if message.contains(expected) => {}
            Err(message) => wrong.push(format!("{text}\n    expected {expected}\n    but was  {message}")),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn messages_point_at_declarations_and_suggest_names() {
    let diagnostic = |text: &str| check_with_diagnostic(&[text], DataModel::Lp64).unwrap_err().1;
    assert_eq!(
        diagnostic("int f(void) { int count = 1; return conut; }").help.unwrap(),
        "did you mean `count`?"
    );
    assert_eq!(
        diagnostic("struct s { int value; } x; int y = x.vaule;").help.unwrap(),
        "did you mean `value`?"
    );
    let few = diagnostic("int f(int a); int g(void) { return f(); }");
    assert_eq!(few.secondary[0].text, "the function is declared here");
    assert_eq!((few.secondary[0].span.lo, few.secondary[0].span.hi), (4, 5));
    let conflict = diagnostic("int x; float x;");
    assert_eq!(conflict.secondary[0].text, "declared here as `int`");
}

#[test]
fn units_are_linked() {
    let accepted: &[&[&str]] = &[
        &["extern int x; int f(void) { return x; }", "int x = 3;"],
        &["extern int a[]; int f(void) { return a[2]; }", "int a[5];"],
        &["static int x = 1; int f(void) { return x; }", "static char x = 2; int g(void) { return x; }"],
        &[
            "struct s { int a; struct s *n; }; extern struct s v; int f(void) { return v.a; }",
            "struct s { int a; struct s *n; }; struct s v; void g(struct s *p) { *p = v; }",
        ],
        &[
            "typedef struct { int a; union { int b; char c; } u; } T; T v;",
            "typedef struct { int a; union { int b; char c; } u; } T; extern T v; T g(void) { return v; }",
        ],
        &["struct s; struct s *p;", "struct s { int a; }; extern struct s *p; int g(void) { return p->a; }"],
        &["int f(); int g(void) { return f(1, 2); }", "int f(int a, int b) { return a + b; }"],
        &["int main() { return f(1); }", "int f(x) int x; { return x; }"],
        &["inline int f(void) { return 1; }", "inline int f(void) { return 1; }"],
    ];
    for texts in accepted {
        match check_units(texts, DataModel::Lp64) {
            Ok(program) => assert_eq!(violations(&program), Vec::<String>::new(), "{texts:?}"),
            Err(message) => panic!("{texts:?}: {message}"),
        }
    }
    let refused: &[(&[&str], &str)] = &[
        (&["int x;", "char x;"], "1:6: conflicting types for `x`: `char`"),
        (&["int x = 1;", "int x = 2;"], "redefinition of `x`"),
        (&["int f(void) { return 1; }", "int f(void) { return 1; }"], "redefinition of `f`"),
        (
            &["struct s { int a; } x;", "struct s { char a; } y;"],
            "unsupported: `struct s` is defined differently in two files",
        ),
        (
            &["int main() { f(1); }", "struct s { int a; }; int f(struct s x) { return x.a; }"],
            "takes `struct s`",
        ),
    ];
    for (texts, expected) in refused {
        let message = check_units(texts, DataModel::Lp64).unwrap_err();
        assert!(message.contains(expected), "{texts:?}: {message}");
    }
}

#[test]
fn a_variable_is_one_in_all_units() {
    let program =
        check_units(&["extern int a[]; int *f(void) { return a; }", "int a[5]; int x;"], DataModel::Lp64)
            .unwrap();
    let named: Vec<_> = program.variables.iter().filter(|variable| &*variable.name == "a").collect();
    assert_eq!(named.len(), 1);
    assert_eq!(program.types.display(named[0].ty), "int[5]");
    assert!(!named[0].is_extern);
    let program = check_units(&["extern int y; int *f(void) { return &y; }"], DataModel::Lp64).unwrap();
    assert!(program.variables.iter().any(|variable| &*variable.name == "y" && variable.is_extern));
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let count = 100_000;
    let sum = format!("int f(int x) {{ return x{}; }}", " + x".repeat(count));
    let constant = format!("int a[{}0 + 5];", "1 - 1 + ".repeat(count));
    let commas = format!("int f(int x) {{ return x{}; }}", ", x".repeat(count));
    let logic = format!("int f(int x) {{ return x{}; }}", " && x".repeat(count));
    let floats = format!("double d = 1.0{};", " + 1.0".repeat(count));
    let chain = format!("int f(int x) {{ if (x) x = 1; {} return x; }}", "else if (x) x = 2;".repeat(count));
    let labels = format!(
        "void f(int x) {{ switch (x) {{ {} ; }} }}",
        (0..count).map(|n| format!("case {n}:")).collect::<String>()
    );
    let names = format!("void f(int x) {{ {} ; }}", (0..count).map(|n| format!("l{n}:")).collect::<String>());
    let pointers = format!("int {}p; int f(void) {{ return p == p; }}", "*".repeat(900));
    let typedefs = format!(
        "typedef int *t0; {} t{count} x; int y = sizeof x; void f(void) {{ x = &x; }}",
        (0..count).map(|n| format!("typedef t{n} (*t{})(t{n});", n + 1)).collect::<String>()
    );
    let arrays = format!(
        "typedef int t0[1]; {} t400 x = {{ 3 }}; int y = sizeof x;",
        (0..400).map(|n| format!("typedef t{n} t{}[1];", n + 1)).collect::<String>()
    );
    let records = format!(
        "struct s0 {{ int a; }}; {} struct s{count} x = {{ 3 }};",
        (0..count).map(|n| format!("struct s{} {{ struct s{n} a; }};", n + 1)).collect::<String>()
    );
    let parentheses = format!("int f(int x) {{ return {}x{}; }}", "(".repeat(900), ")".repeat(900));
    let blocks = format!("int f(int x) {{ {}{} }}", "{".repeat(900), "}".repeat(900));
    let conditions = format!("int f(int x) {{ return {}x{}; }}", "x ? ".repeat(900), " : x".repeat(900));
    let calls = format!("int f(int x) {{ return {}x{}; }}", "f(".repeat(900), ")".repeat(900));
    let statements = format!("int f(int x) {{ {} ; }}", "while (x) ".repeat(900));
    let texts = [
        sum,
        constant,
        commas,
        logic,
        floats,
        chain,
        labels,
        names,
        pointers,
        typedefs,
        arrays,
        records,
        parentheses,
        blocks,
        conditions,
        calls,
        statements,
    ];
    for text in texts {
        let start = std::time::Instant::now();
        if let Err(message) = check_units(&[&text], DataModel::Ilp32) {
            panic!("{}...: {message}", &text[..60]);
        }
        println!("{}...: {:?}", &text[..60], start.elapsed());
    }
}

#[test]
fn large_initializers_are_quick() {
    let count = 1_000_000;
    let plain = format!("int a[] = {{ {} }};", "1,".repeat(count));
    let nested =
        format!("struct s {{ int a, b[2]; }} a[] = {{ {} }};", "{ 1, { 2, 3 } },".repeat(count / 10));
    let elided = format!("struct s {{ int a, b[2]; }} a[] = {{ {} }};", "1,2,3,".repeat(count / 10));
    let designated = format!(
        "int a[] = {{ {} }};",
        (0..count / 10).rev().map(|n| format!("[{n}]={n},")).collect::<String>()
    );
    let repeated = format!("struct s {{ int a, b; }} a[] = {{ {} }};", "[3] = { 1, 2 },".repeat(count / 10));
    let range = "int a[1000000] = { [0 ... 999999] = 1 };".to_owned();
    for text in [plain, nested, elided, designated, repeated, range] {
        let start = std::time::Instant::now();
        let program = check_units(&[&text], DataModel::Lp64).unwrap();
        let items = program
            .variables
            .iter()
            .filter_map(|variable| variable.init.as_ref())
            .map(|init| init.items.len());
        println!("{} items in {:?}", items.sum::<usize>(), start.elapsed());
        assert!(start.elapsed().as_secs() < 20);
    }
    let message = check_units(&["int a[] = { [0 ... 1000000000] = 1 };"], DataModel::Lp64).unwrap_err();
    assert!(message.contains("the initialiser is too large"), "{message}");
}
