//! Programs whose verdict was once wrong, or whose counterexample could not be executed.

use std::path::Path;

use crate::support::{Finished, Folder, command, wayproof};

/// The exit codes.
const SAFE: i32 = 0;
const FRONT_END: i32 = 2;
const UNKNOWN: i32 = 5;
const UNSAFE: i32 = 10;

const MEMORY: &str = "CHECK( init(main()), LTL(G valid-deref) )\n";
const ERROR: &str = "extern void reach_error(void);\n";

/// Checks the files of one program.
fn checked(name: &str, files: &[(&str, &str)], words: &[&str]) -> Finished {
    let folder = Folder::new(name);
    for (file, text) in files {
        folder.file(file, text);
    }
    let sources = files
        .iter()
        .map(|(file, _)| *file)
        .filter(|file| Path::new(file).extension().is_some_and(|end| end == "c"));
    let mut command = command();
    command.current_dir(folder.path()).env_remove("CC").args(["check", "--no-settings", "--timeout", "30"]);
    command.args(sources).args(words).output().unwrap().into()
}

/// Checks a program that calls a described function, with a property about memory and with checks.
fn called(name: &str, main: &str) -> (Finished, Finished) {
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/stat.h>\n#include <sys/time.h>\n#include <unistd.h>\nint main(void) {{ {main} }}\n"
    );
    let files = [("a.c", &*text), ("memory.prp", MEMORY)];
    (checked(name, &files, &["--property", "memory.prp"]), checked(name, &files, &["--check", "bounds,null"]))
}

#[test]
fn arguments_of_described_functions_are_valid_only_if_the_objects_are_large_enough() {
    for (name, main) in [
        ("read", "char b[4]; return read(0, b, 100) < 0;"),
        ("read-literal", "return read(0, \"abcd\", 2) < 0;"),
        ("read-variable", "char b[4]; return read(0, b, getpid()) < 0;"),
        ("read-null", "return read(0, NULL, 100) < 0;"),
        ("write", "char b[4] = {0}; return write(1, b, 100) < 0;"),
        ("stat", "char b[4]; return stat(\"a\", (struct stat *)b) < 0;"),
        ("pipe", "int p[1]; return pipe(p) < 0;"),
        ("gethostname", "char b[4]; return gethostname(b, 100) < 0;"),
        ("getenv", "char b[1] = {'a'}; return getenv(b) != NULL;"),
        ("dprintf", "return dprintf(1, \"%s\", 3) < 0;"),
    ] {
        let (property, checks) = called(name, main);
        assert_eq!(property.code, UNKNOWN, "{name}: {property:?}");
        assert_eq!(checks.code, SAFE, "{name}: {checks:?}");
        assert!(checks.stdout.contains("the arguments of `"), "{name}: {}", checks.stdout);
    }
    for (name, main) in [
        ("read-fits", "char b[4]; return read(0, b, sizeof b) < 0;"),
        ("write-fits", "return write(1, \"abc\", 3) < 0;"),
        ("stat-fits", "struct stat s; return stat(\"a\", &s) < 0;"),
        ("pipe-fits", "int p[2]; return pipe(p) < 0;"),
        ("getenv-literal", "return getenv(\"HOME\") != NULL;"),
        ("optional", "struct timeval t; return gettimeofday(&t, NULL);"),
    ] {
        let (property, checks) = called(name, main);
        assert_eq!(property.code, SAFE, "{name}: {property:?}");
        assert!(!checks.stdout.contains("the arguments of `"), "{name}: {}", checks.stdout);
    }
}

#[test]
fn that_a_described_function_initialises_what_it_may_write_is_stated() {
    let program = "#include <unistd.h>\nint main(void) { int x; if (read(0, &x, sizeof x) == 0) return x == 3; return 0; }\n";
    let found = checked("may-write", &[("a.c", program)], &[]);
    assert_eq!(found.code, SAFE, "{found:?}");
    let stated = "what the arguments of `read` point to is initialised after the call";
    assert!(found.stdout.contains(stated), "{}", found.stdout);
    // Static storage has values before.
    let program = program.replace("int x;", "static int x;");
    let found = checked("may-write-static", &[("a.c", &program)], &[]);
    assert!(found.code == SAFE && !found.stdout.contains(stated), "{found:?}");
}

#[test]
fn the_least_value_divided_by_minus_one_does_not_wrap_around() {
    let divides = |then: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void);\n{ERROR}int main(void) {{ int x = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int();\n\
             if (d == 0) return 0;\n{then}\nreturn 0; }}\n"
        )
    };
    for operation in ["x / d == 3", "x % d == 3"] {
        let program = divides(&format!("return {operation};"));
        let found = checked("wrapped-division", &[("a.c", &program)], &["--signed-overflow", "wrap"]);
        assert_eq!(found.code, UNSAFE, "{found:?}");
        assert!(found.stdout.contains("-2147483648"), "{}", found.stdout);
    }
    // An execution does not go on behind it.
    let program = divides("if (x == -2147483647 - 1 && d == -1 && x / d == x) reach_error();");
    let words = ["--signed-overflow", "wrap", "--check", "none"];
    let found = checked("behind-division", &[("a.c", &program)], &words);
    assert_eq!(found.code, SAFE, "{found:?}");
    let program = divides("if (d != -1) return x / d; if (x > -2147483647 - 1) return x % d;");
    let found = checked("guarded-division", &[("a.c", &program)], &["--signed-overflow", "wrap"]);
    assert_eq!(found.code, SAFE, "{found:?}");
}

#[test]
fn a_condition_on_a_length_excludes_no_negative_number() {
    let program = [("a.c", "int f(int *a, long n) { return a[n]; }\n")];
    let words = ["--entry", "f", "--entry-elements", "any", "--check", "bounds", "--assume"];
    let found = checked("len", &program, &[&words[..], &["n < len(a)"]].concat());
    assert_eq!(found.code, UNSAFE, "{found:?}");
    let found = checked("len-both", &program, &[&words[..], &["0 <= n && n < len(a)"]].concat());
    assert_eq!(found.code, SAFE, "{found:?}");
}

#[test]
fn which_of_two_different_definitions_is_called_is_not_guessed() {
    let main = format!(
        "{ERROR}inline int f(void) {{ return 1; }}\nint g(void);\nint main(void) {{ if (f() != g()) reach_error(); return 0; }}\n"
    );
    let words = ["--program", "--check", "none"];
    for (name, definition, code) in [
        ("inline-differs", "int f(void) { return 2; }", UNKNOWN),
        ("inline-same", "int f(void)\n{\n  return 1; }", SAFE),
    ] {
        let other = format!("{definition}\nint g(void) {{ return f(); }}\n");
        for files in [[("a.c", &*main), ("b.c", &*other)], [("b.c", &*other), ("a.c", &*main)]] {
            let found = checked(name, &files, &words);
            assert_eq!(found.code, code, "{name}: {found:?}");
            let assumed =
                found.stdout.contains("the definitions of `f` in several files have the same words");
            assert_eq!(assumed, code == SAFE, "{name}: {found:?}");
        }
    }
    let swapped = "inline int f(int a, int b) { return a - b; }\nint main(void) { return f(1, 2); }\n";
    let files = [("a.c", swapped), ("b.c", "int f(int b, int a) { return a - b; }\n")];
    let found = checked("inline-swapped", &files, &words);
    assert!(found.stdout.contains("does not specify which of them is called"), "{found:?}");
}

#[test]
fn a_pointer_to_a_union_leads_to_an_object_in_a_harness() {
    for (name, program) in [
        ("union", "int f(union U *u) { if (u->i == 3 && u->c[5] == 1) reach_error(); return 0; }"),
        (
            "union-global",
            "union U *u; int f(void) { if (u->i == 3 && u->c[5] == 1) reach_error(); return 0; }",
        ),
        (
            "union-twice",
            "int f(union U **u) { if ((*u)->i == 3 && (*u)->c[5] == 1) reach_error(); return 0; }",
        ),
    ] {
        let program = format!("{ERROR}union U {{ int i; unsigned char c[8]; }};\n{program}\n");
        let found = checked(name, &[("a.c", &program)], &["--entry", "f", "--check", "none"]);
        assert_eq!(found.code, UNSAFE, "{name}: {found:?}");
        assert!(found.stdout.contains("compiled and executed"), "{name}: {}", found.stdout);
    }
}

#[test]
fn an_entry_function_that_is_defined_twice_is_refused() {
    let files = [
        ("a.c", "static int f(int x) { return x; }\nint g(void) { return f(1); }\n"),
        ("b.c", "static int f(int x) { return 1 / x; }\nint h(void) { return f(1); }\n"),
    ];
    let found = checked("two-entries", &files, &["--program", "--entry", "f"]);
    assert_eq!(found.code, FRONT_END, "{found:?}");
    for part in ["defined more than once", "a.c:1", "b.c:1"] {
        assert!(found.stderr.contains(part), "{part}: {}", found.stderr);
    }
}

#[test]
fn a_volatile_variable_may_have_changed_before_the_entry_function_is_called() {
    let program =
        format!("{ERROR}const volatile int v = 1; int f(void) {{ if (v == 3) reach_error(); return 0; }}\n");
    let found = checked("volatile", &[("a.c", &program)], &["--entry", "f", "--check", "none", "--no-exec"]);
    assert_eq!(found.code, UNSAFE, "{found:?}");
    let program = program.replace("int f(void)", "int main(void)");
    let found = checked("volatile-main", &[("a.c", &program)], &["--check", "none"]);
    assert_eq!(found.code, SAFE, "{found:?}");
    assert!(
        found.stdout.contains("nobody but the program changes the volatile variable `v`"),
        "{}",
        found.stdout
    );
}

#[test]
fn padding_is_unspecified_after_a_store_to_a_record() {
    let program = |store: &str| {
        format!(
            "{ERROR}#include <string.h>\nstruct B {{ char c; int a; }} x, y;\nint main(void) {{ struct B b; memset(&b, 255, sizeof b); {store} if (((unsigned char *)&b)[1] != 255) reach_error(); return 0; }}\n"
        )
    };
    for (name, store, code) in [
        ("padding-literal", "b = (struct B){1, 2};", UNKNOWN),
        ("padding-copy", "memset(&y, 255, sizeof y); b = y;", UNKNOWN),
        ("padding-member", "b.c = 1; b.a = 2;", SAFE),
        ("padding-bytes", "memset(&y, 255, sizeof y); memcpy(&b, &y, sizeof b);", SAFE),
    ] {
        let found = checked(name, &[("a.c", &program(store))], &["--check", "none"]);
        assert_eq!(found.code, code, "{name}: {found:?}");
    }
    let compared = format!(
        "{ERROR}#include <string.h>\nstruct B {{ char c; long a; }};\nint main(void) {{ struct B b = {{1, 2}}, d = {{1, 2}}; if (memcmp(&b, &d, sizeof b)) reach_error(); return 0; }}\n"
    );
    let moved = format!(
        "{ERROR}#include <string.h>\nstruct B {{ char c; int a; }};\nint main(void) {{ struct B b = {{1, 2}}; unsigned char c[8]; memcpy(c, &b, 8); if (c[1]) reach_error(); return 0; }}\n"
    );
    for (name, text) in [("padding-compared", compared), ("padding-moved", moved)] {
        let found = checked(name, &[("a.c", &text)], &["--check", "none"]);
        assert_eq!(found.code, UNKNOWN, "{name}: {found:?}");
    }
}

#[test]
fn formats_that_write_or_are_not_known_prove_nothing() {
    for (name, call, code) in [
        ("printf-n", "printf(\"abc%n\", &n);", UNKNOWN),
        ("printf-variable", "const char *f = \"abc%n\"; printf(f, &n);", UNKNOWN),
        ("printf-positional", "printf(\"%1$s%2$n\", \"abc\", &n);", UNKNOWN),
        ("printf-plain", "printf(\"%d %ld\", n, 1L);", SAFE),
        ("printf-percent", "printf(\"%%n\");", SAFE),
    ] {
        let text = format!(
            "{ERROR}#include <stdio.h>\nint main(void) {{ int n = 0; {call} if (n != 0) reach_error(); return 0; }}\n"
        );
        let found = checked(name, &[("a.c", &text)], &["--check", "none"]);
        assert_eq!(found.code, code, "{name}: {found:?}");
    }
    for (name, call, code) in [
        ("format-wide", "printf(\"%d\", 1L);", UNSAFE),
        ("format-star", "printf(\"%*d\", 1L, 3);", UNSAFE),
        ("format-after-unknown", "printf(\"%m %s\", 5);", UNKNOWN),
    ] {
        let text = format!("#include <stdio.h>\nint main(void) {{ {call} return 0; }}\n");
        let found = checked(name, &[("a.c", &text)], &["--check", "format"]);
        assert_eq!(found.code, code, "{name}: {found:?}");
    }
}

#[test]
fn promises_to_the_compiler_are_checked_or_named() {
    for (name, main) in [
        ("misuse-unreachable", "if (x == 3) __builtin_unreachable();"),
        ("misuse-ctz", "int c = __builtin_ctz(x); (void)c;"),
        ("misuse-noreturn", "if (x == 3) stop();"),
        ("misuse-memcpy", "char a[2]; memcpy(x ? a : 0, \"a\", x & 1);"),
        ("misuse-strncmp", "return strncmp(x ? \"a\" : 0, \"b\", x & 1);"),
        ("misuse-difference", "int a[4]; return (int *)((char *)a + (x & 3)) - a;"),
    ] {
        let text = format!(
            "#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n_Noreturn void stop(void) {{}}\nint main(void) {{ int x = __VERIFIER_nondet_int(); {main} return 0; }}\n"
        );
        let found = checked(name, &[("a.c", &text)], &["--check", "misuse"]);
        assert_eq!(found.code, UNSAFE, "{name}: {found:?}");
    }
    for (name, text, assumed) in [
        (
            "assumed-restrict",
            "int f(int *restrict a, int *restrict b) { *a = 1; *b = 2; return *a; }\nint main(void) { int x; if (f(&x, &x) != 2) reach_error(); return 0; }",
            "what the qualifier `restrict` of `f` says is true",
        ),
        (
            "assumed-const",
            "int n; __attribute__((__const__)) int f(int x) { n++; return x; }\nint main(void) { f(1); if (n != 1) reach_error(); return 0; }",
            "what the attribute `const` of `f` says is true",
        ),
        (
            "assumed-types",
            "int f(int *i, short *p) { *i = 1; *p = 2; return *i; }\nint main(void) { int x; if (f(&x, (short *)&x) == 1) reach_error(); return 0; }",
            "memory may be accessed by pointers to other types",
        ),
        (
            "assumed-end",
            "int f(int n, int *p) { if (n <= 0) return 1; if (*p < 9) p++; return f(n - 2, p) + *p; }\nint main(void) { int x = 3; if (f(2, &x) == 70) reach_error(); return 0; }",
            "undefined behaviour",
        ),
    ] {
        let found = checked(name, &[("a.c", &format!("{ERROR}{text}\n"))], &["--check", "none"]);
        assert_eq!(found.code, SAFE, "{name}: {found:?}");
        assert!(found.stdout.contains(assumed), "{name}: {}", found.stdout);
    }
}

#[test]
fn stores_without_sequence_point_prove_nothing() {
    for (name, main, code) in [
        ("store-twice", "i = i++ + 5; if (i != 6) reach_error();", UNKNOWN),
        ("store-inner", "i = (i = 3) + 1; if (i != 4) reach_error();", UNKNOWN),
        ("store-chain", "int a[2]; int *p = a, *q = a + 1; *p = *q = i; if (*p != 1) reach_error();", SAFE),
        ("store-comma", "i = (i++, 5); if (i != 5) reach_error();", SAFE),
    ] {
        let text = format!("{ERROR}int main(void) {{ int i = 1; {main} return 0; }}\n");
        let found = checked(name, &[("a.c", &text)], &["--check", "none"]);
        assert_eq!(found.code, code, "{name}: {found:?}");
    }
}

#[test]
fn a_parameter_that_only_a_condition_names_is_an_input() {
    let text = format!("{ERROR}int f(int n, int m) {{ if (m == 1) reach_error(); return 0; }}\n");
    for (name, condition, code) in
        [("assume-unused", "m <= n", UNSAFE), ("assume-excludes", "m <= n && n <= 0", SAFE)]
    {
        let words = ["--entry", "f", "--assume", condition, "--check", "none"];
        let found = checked(name, &[("a.c", &text)], &words);
        assert_eq!(found.code, code, "{name}: {found:?}");
    }
}

#[test]
fn equal_literals_of_two_files_need_not_be_one_object() {
    let main = format!(
        "{ERROR}char *f(void);\nchar *g = \"abc\";\nint main(void) {{ if (f() != g) reach_error(); return 0; }}\n"
    );
    let files = [("a.c", &*main), ("b.c", "char *f(void) { return \"abc\"; }\n")];
    let found = checked("literals", &files, &["--program", "--check", "none"]);
    assert_eq!(found.code, UNKNOWN, "{found:?}");
}

#[test]
fn contracts_of_other_procedures_are_no_invariants_of_main() {
    let text = format!(
        "{ERROR}extern int __VERIFIER_nondet_int(void);\nint g;\nint down(int n) {{ for (int i = 0; i < 3; i++) {{ if (g < 9) g++; }} return n <= 0 ? 0 : down(n - 1) + down(n - 2); }}\nint main(void) {{ down(__VERIFIER_nondet_int()); if (g > 9) reach_error(); return 0; }}\n"
    );
    let found = checked("contract-locations", &[("a.c", &text)], &["--engine", "recmc", "--check", "none"]);
    assert!(found.code == SAFE || found.code == UNKNOWN, "{found:?}");
    assert!(!found.stderr.contains("internal error"), "{found:?}");
}

#[test]
fn a_value_that_is_chosen_as_a_whole_does_not_keep_those_of_its_parts() {
    let text = format!(
        "{ERROR}extern int __VERIFIER_nondet_int(void);\nint i, t[8];\nint main(void) {{\n    int n = __VERIFIER_nondet_int();\n    unsigned long u = (unsigned long)&i, w = (unsigned long)t;\n    int *p = (int *)(u * 3 / 3), *q = (int *)(w * 5 / 5);\n    int old = *p;\n    *p = n;\n    if (q[*p & 7]) n = 3;\n    if (old != *p) reach_error();\n}}\n"
    );
    let found = checked("chosen-parts", &[("a.c", &text)], &["--check", "none"]);
    assert_ne!(found.code, SAFE, "{found:?}");
}

#[test]
fn arrays_inside_of_variables_end_where_they_say() {
    let inner = "struct in { int lo, hi[2]; };\nstruct out { int tag; struct in in; int link; };\n";
    for (name, body) in [
        ("inner", "struct out b = { 0 }; struct in *p = &b.in; b.in.hi[x] = 3; return p->lo;"),
        ("last", "struct in b = { 0 }; struct in *p = &b; b.hi[x] = 3; return p->lo;"),
        ("pointer", "struct out b = { 0 }, *p = &b; p->in.hi[x] = 3; return b.link;"),
        ("element", "struct in b[2] = { 0 }; struct in *p = b; b[0].hi[x] = 3; return p[1].lo;"),
    ] {
        let text = format!(
            "{inner}extern int __VERIFIER_nondet_int(void);\nint main(void) {{ int x = __VERIFIER_nondet_int(); if (x < 0 || x > 2) return 0; {body} }}\n"
        );
        let found = checked(name, &[("a.c", &text)], &["--check", "bounds"]);
        assert_eq!(found.code, UNSAFE, "{name}: {found:?}");
    }
    let text = "struct t { int n, items[1]; };\nextern void *malloc(unsigned long);\nint main(void) { struct t *p = malloc(sizeof(struct t) + 8); p->items[2] = 1; return 0; }\n";
    assert_eq!(checked("tail", &[("a.c", text)], &["--check", "bounds"]).code, SAFE);
}

#[test]
fn attributes_and_sizes_are_those_of_gcc_or_refused() {
    for (name, text, code) in [
        (
            "mode-parameter",
            "int f(int a __attribute__((mode(QI)))) { return a; }\nint main(void) { if (f(300) == 300) reach_error(); return 0; }",
            SAFE,
        ),
        (
            "mode-result",
            "__attribute__((mode(QI))) int f(int a) { return a; }\nint main(void) { return f(300); }",
            UNKNOWN,
        ),
        (
            "mode-cast",
            "int main(void) { if ((int __attribute__((mode(QI))))300 == 300) reach_error(); return 0; }",
            SAFE,
        ),
        (
            "aligned-type",
            "int main(void) { if (_Alignof(int __attribute__((aligned(16)))) != 16) reach_error(); return 0; }",
            SAFE,
        ),
        (
            "list",
            "#include <stdarg.h>\nint main(void) { if (sizeof(va_list) != 24) reach_error(); return 0; }",
            SAFE,
        ),
        ("atomic", "_Atomic struct { int a[2]; } x;\nint main(void) { return sizeof x == 9; }", UNKNOWN),
        (
            "compatible",
            "enum A { P };\nint main(void) { if (!__builtin_types_compatible_p(enum A, unsigned)) reach_error(); return 0; }",
            SAFE,
        ),
    ] {
        let found = checked(name, &[("a.c", &format!("{ERROR}{text}\n"))], &["--check", "none"]);
        assert_eq!(found.code, code, "{name}: {found:?}");
    }
}

#[test]
fn an_operand_that_ends_an_execution_hides_what_another_one_does() {
    let head = "#include <assert.h>\n#include <stdlib.h>\nstatic int use(int x, int y) { return x; }\n";
    let exits = "static int chk(int z) { if (z == 0) exit(1); return z; }\n";
    for (name, text, words) in [
        // gcc evaluates arguments from right to left.
        (
            "order-division",
            "static int dv(int z) { return 4 / z; }\nint main(int c, char **v) { int z = c > 1; return use(chk(z), dv(z)); }\n",
            [].as_slice(),
        ),
        ("order-pointer", "int main(int c, char **v) { int *p = 0; return use(chk(0), *p); }\n", &[]),
        (
            "order-loop",
            "static int b(int n) { while (n) { } return 1; }\nstatic int a(void) { assert(0); return 1; }\nint main(void) { return use(b(1), a()); }\n",
            &["--check", "none"],
        ),
        (
            "order-block",
            "static int a(int n) { assert(!n); return 1; }\nint main(void) { return use(({ while (1) { } 1; }), a(1)); }\n",
            &["--check", "none"],
        ),
    ] {
        let finished = checked(name, &[("a.c", &format!("{head}{exits}{text}"))], words);
        assert_eq!(finished.code, UNKNOWN, "{name}: {finished:?}");
    }
    let harmless = "int main(int c, char **v) { int z = c > 1; return use(chk(z), z); }\n";
    let finished = checked("order-harmless", &[("a.c", &format!("{head}{exits}{harmless}"))], &[]);
    assert_eq!(finished.code, SAFE, "{finished:?}");
}

#[test]
fn conditions_of_contracts_are_those_of_the_entry_and_no_part_of_the_program() {
    let head = "#include <assert.h>\n";
    let other = "/*@ requires n > 3; behavior pos: assumes n > 0; ensures \\result > 0; */\nint g(int n) { return n; }\n// see the comment above */\nint f(int n) { assert(n > 3); return 0; }\n";
    let finished = checked("contract-other", &[("a.c", &format!("{head}{other}"))], &["--entry", "f"]);
    assert_eq!(finished.code, UNSAFE, "{finished:?}");
    let octal = "//@ requires n >= 010;\nint f(int n) { assert(n >= 10); return 0; }\n";
    let finished = checked("contract-octal", &[("a.c", &format!("{head}{octal}"))], &["--entry", "f"]);
    assert_eq!(finished.code, FRONT_END, "{finished:?}");
    for (name, condition) in [
        ("contract-product", "n * 2 < 10"),
        ("contract-sum", "n + 2147483647 < 5"),
        ("contract-wide", "n * 4611686018427387904 < 9223372036854775807"),
    ] {
        let text = format!("{head}//@ requires {condition};\nint f(int n) {{ assert(n < 5); return 0; }}\n");
        let finished = checked(name, &[("a.c", &text)], &["--entry", "f"]);
        assert_eq!(finished.code, SAFE, "{name}: {finished:?}");
        assert!(finished.stdout.contains("SAFE: 1 check holds"), "{name}: {}", finished.stdout);
    }
}

#[test]
fn a_local_of_an_earlier_iteration_is_dead_when_the_loop_is_unrolled() {
    for kind in ["unsigned char", "int"] {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n    int n = __VERIFIER_nondet_int(), s = 0;\n    {kind} *p = 0;\n    for (int i = 0; i < 3; i++) {{\n        {kind} x = n;\n        if (p) s ^= *p;\n        p = &x;\n    }}\n    return s;\n}}\n"
        );
        let files = [("a.c", &*text), ("memory.prp", MEMORY)];
        for words in [&["--property", "memory.prp"][..], &["--check", "use-after-free", "--no-exec"]] {
            let finished = checked("once-wrong-iterations", &files, words);
            assert_eq!(finished.code, UNSAFE, "{kind} {words:?}: {finished:?}");
        }
    }
}

/// What holds of a bitwise operation on one path was used on another one, where its operands are larger.
#[test]
fn bitwise_operations_of_one_path_are_not_those_of_another() {
    let head = "extern unsigned __VERIFIER_nondet_uint(void);\nextern unsigned long __VERIFIER_nondet_ulong(void);\n";
    let shifted = "int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), s = a ^ b, t = a << 2; unsigned long w;\n\
        if (s < 0x40000000u) { w = (s << 2) & 1; } else { w = ((unsigned long)s * 4) ^ t; }\n\
        if (w > 0xffffffffUL) reach_error(); return 0; }\n";
    let wider = "int main(void) { unsigned long v = __VERIFIER_nondet_ulong(), u = __VERIFIER_nondet_ulong();\n\
        if (v <= 0xffffffffUL && u <= 0xffffffffUL) { unsigned long r = (unsigned)v ^ (unsigned)u; if (r == 0x100000000UL) reach_error(); }\n\
        else if ((v ^ u) >> 32) reach_error();\n    return 0; }\n";
    for (name, text) in [("bits-shifted", shifted), ("bits-wider", wider)] {
        let text = format!("{head}{ERROR}{text}");
        let integers = checked(name, &[("a.c", &text)], &["--check", "none", "--logic", "integers"]);
        assert_ne!(integers.code, SAFE, "{name}: {integers:?}");
        let finished = checked(name, &[("a.c", &text)], &["--check", "none"]);
        assert_eq!(finished.code, UNSAFE, "{name}: {finished:?}");
    }
}

/// The check was asked of memory that nobody else reads, so the byte was not followed.
#[test]
fn a_byte_that_is_no_truth_value_is_found_where_its_value_is_not_used() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void *memset(void *, int, unsigned long);\n_Bool flag;\nint main(void) {\n    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();\n    memset(&flag, 56, sizeof flag);\n    if (n == 123456 && m == 98765) { if (flag) return 1; }\n    return 0;\n}\n";
    for words in [
        &["--check", "bool"][..],
        &["--check", "bool", "--engine", "cra"],
        &["--check", "all", "--engine", "cra"],
    ] {
        let finished = checked("once-wrong-truth-value", &[("a.c", text)], words);
        assert_ne!(finished.code, SAFE, "{words:?}: {finished:?}");
    }
}

/// A variable whose block was left was taken to hold memory; it was safe.
#[test]
fn memory_that_only_variables_of_left_blocks_lead_to_is_lost() {
    let folder = Folder::new("left_blocks");
    let property = folder.file("memtrack.prp", "CHECK( init(main()), LTL(G valid-memtrack) )\n");
    let check = |body: &str| {
        let text = format!("#include <stdlib.h>\nint main(void) {{\n{body}\n    for (;;) {{\n    }}\n}}\n");
        let program = folder.file("blocks.c", text);
        let property = property.to_str().unwrap();
        wayproof(["check", program.to_str().unwrap(), "--property", property, "--no-exec", "--timeout", "60"])
            .code
    };
    let lost = [
        "{ int *p = malloc(4); if (!p) return 0; }",
        "{ unsigned long number = (unsigned long)malloc(4); if (!number) return 0; }",
        "for (int *p = malloc(4); p;) break;",
        "int i = 0;\nagain: if (i == 0) { i = 1; int *p = malloc(4); if (p) goto again; return 0; }",
        "int size = ({ int *p = malloc(4); p ? 1 : 0; }); if (size == 0) return 0;",
    ];
    for body in lost {
        assert_eq!(check(body), UNSAFE, "{body}");
    }
    let held = [
        "{ static int *p; p = malloc(4); }",
        "int *p; { int *q = malloc(4); p = q; }",
        "int *p = ({ int *q = malloc(4); q; });",
    ];
    for body in held {
        assert_eq!(check(body), SAFE, "{body}");
    }
}
