//! What changes the meaning of a program beside its statements: options, pragmas, attributes, and where objects lie in memory.

use crate::support::{Finished, Folder, command, with_assertions};

/// The exit codes.
const SAFE: i32 = 0;
const USAGE: i32 = 1;
const UNKNOWN: i32 = 5;
const UNSAFE: i32 = 10;

/// Checks a program that the build compiles with the given options.
fn built(name: &str, options: &[&str], text: &str) -> Finished {
    let folder = Folder::new(name);
    folder.file("a.c", format!("extern void reach_error(void);\n{text}"));
    let words: Vec<&str> = ["cc"].into_iter().chain(options.iter().copied()).chain(["-c", "a.c"]).collect();
    let entry = serde_json::json!([{"directory": folder.path(), "file": "a.c", "arguments": words}]);
    folder.file("compile_commands.json", entry.to_string());
    let words = ["check", "-p", ".", "--no-settings", "--timeout", "30", "a.c"];
    command()
        .current_dir(folder.path())
        .env_remove("CC")
        .args(with_assertions(words))
        .output()
        .unwrap()
        .into()
}

/// Checks a program with the default options.
fn checked(name: &str, words: &[&str], text: &str) -> Finished {
    let folder = Folder::new(name);
    folder.file("a.c", format!("extern void reach_error(void);\n{text}"));
    let always = ["check", "--check", "none", "--no-settings", "--timeout", "30", "a.c"];
    let mut command = command();
    command.current_dir(folder.path()).env_remove("CC").args(always).args(words);
    command.output().unwrap().into()
}

#[test]
fn macros_of_options_are_those_that_the_compiler_sets() {
    let program = "int main(void) {\n#if defined __OPTIMIZE__ && defined __AVX2__ && defined _REENTRANT\nreach_error();\n#endif\nreturn 0; }\n";
    let both = built("macros", &["-O2", "-mavx2", "-pthread"], program);
    assert_eq!(both.code, UNSAFE, "{both:?}");
    // The second judge gets the same options.
    assert!(both.stdout.contains("checked: compiled and executed"), "{}", both.stdout);
    assert_eq!(built("no-macros", &["-O0", "-mavx2", "-pthread"], program).code, SAFE);
    // A text without directives is preprocessed, too.
    let trigraph = "int main(void) { if (\"??=\"[0] == '#') reach_error(); return 0; }\n";
    assert_eq!(built("trigraphs", &["-std=c99"], trigraph).code, UNSAFE);
    assert_eq!(built("no-trigraphs", &["-std=gnu99"], trigraph).code, SAFE);
}

#[test]
fn without_an_option_the_language_is_that_of_the_compilers_default() {
    let program = "int main(void) {\n#if __STDC_VERSION__ == 201710L\nreach_error();\n#endif\nreturn 0; }\n";
    let default = checked("gnu17", &[], program);
    assert_eq!(default.code, UNSAFE, "{default:?}");
    assert!(default.stdout.contains("checked: compiled and executed"), "{}", default.stdout);
    assert_eq!(built("gnu17-build", &[], program).code, UNSAFE);
    assert_eq!(built("gnu11-build", &["-std=gnu11"], program).code, SAFE);
    let folder = Folder::new("gnu11-cc");
    let file = folder.file("a.c", format!("extern void reach_error(void);\n{program}"));
    let mut command = command();
    command.env("CC", "cc -std=gnu11").args(["check", "--check", "none", "--no-settings"]).arg(file);
    assert_eq!(command.output().unwrap().status.code(), Some(SAFE));
}

#[test]
fn headers_of_an_optimised_and_fortified_build_are_read() {
    let program = "#include <ctype.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
                   #include <wchar.h>\nint main(void) { char b[4]; strcpy(b, \"12\"); if (atoi(b) != 12) reach_error(); return 0; }\n";
    let finished = built("fortified", &["-O2", "-D_FORTIFY_SOURCE=2", "-D_GNU_SOURCE"], program);
    assert_eq!(finished.code, SAFE, "{finished:?}");
}

#[test]
fn definitions_of_library_functions_in_system_headers_are_the_library() {
    let program = |length: u32| {
        format!(
            "# 1 \"/usr/include/string.h\" 1 3\n\
             extern __inline __attribute__((__always_inline__, __gnu_inline__, __artificial__))\n\
             unsigned long strlen(const char *s) {{ return __builtin___strlen_chk(s, __builtin_va_arg_pack()); }}\n\
             # 1 \"a.c\" 2\n\
             int main(void) {{ char t[] = \"abc\"; if (strlen(t) == {length}) reach_error(); return 0; }}\n"
        )
    };
    assert_eq!(checked("system-inline-safe", &["--no-exec"], &program(4)).code, SAFE);
    assert_eq!(checked("system-inline", &["--no-exec"], &program(3)).code, UNSAFE);
}

#[test]
fn the_standard_decides_what_type_a_decimal_constant_has() {
    let program = "int main(void) { if (-2147483648 > 0) reach_error(); return 0; }\n";
    assert_eq!(built("c89", &["-m32", "-std=c89"], program).code, UNSAFE);
    assert_eq!(built("ansi", &["-m32", "-ansi"], program).code, UNSAFE);
    assert_eq!(built("c99", &["-m32", "-std=c99"], program).code, SAFE);
    assert_eq!(built("c89-64", &["-m64", "-std=c89"], program).code, SAFE);
}

#[test]
fn options_that_are_not_modelled_or_not_known_are_refused_by_name() {
    let program = "int main(void) { double d = 0.1; return d == 0.1f; }\n";
    for option in ["-fsingle-precision-constant", "-ffast-math", "-fshort-enums", "-std=c2x"] {
        let refused = built("refused", &[option], program);
        assert_eq!(refused.code, USAGE, "{refused:?}");
        let expected = format!("entry 1 (a.c): the option `{option}` changes the meaning of programs");
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    }
    let unknown = built("unknown", &["-fnew-rules"], program);
    assert_eq!(unknown.code, USAGE, "{unknown:?}");
    assert!(
        unknown.stderr.contains("entry 1 (a.c): the option `-fnew-rules` is not known"),
        "{}",
        unknown.stderr
    );
    // No option of the command line says so, but the macros of the compiler do.
    let fused =
        built("fused", &["-O2", "-march=haswell"], "#include <stddef.h>\nint main(void) { return 0; }\n");
    assert!(fused.stderr.contains("are not fused"), "{fused:?}");
    let exact = ["-O2", "-march=haswell", "-ffp-contract=off"];
    assert_eq!(built("exact", &exact, "int main(void) { return 0; }\n").code, SAFE);
}

#[test]
fn words_in_cc_are_options_too() {
    let folder = Folder::new("cc-words");
    folder.file("a.c", "extern void reach_error(void);\nint main(void) { char c = -1; if (c > 0) reach_error(); return X; }\n");
    let with = |compiler: &str| -> Finished {
        let words = ["check", "--no-settings", "--timeout", "30", "a.c"];
        command()
            .current_dir(folder.path())
            .env("CC", compiler)
            .args(with_assertions(words))
            .output()
            .unwrap()
            .into()
    };
    let refused = with("cc -DX=0 -funsigned-char");
    assert_eq!(refused.code, USAGE, "{refused:?}");
    assert!(refused.stderr.contains("the variable CC: the option `-funsigned-char`"), "{}", refused.stderr);
    assert_eq!(with("cc -DX=0").code, SAFE);
    // A wrapper adds the option where no word of CC shows it.
    let wrapper = folder.file("wrapped", "#!/bin/sh\nexec cc -funsigned-char \"$@\"\n");
    let mut permissions = std::fs::metadata(&wrapper).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&wrapper, permissions).unwrap();
    let refused = with("./wrapped -DX=0");
    assert!(refused.stderr.contains("plain `char` is signed"), "{refused:?}");
}

#[test]
fn pragmas_that_change_the_program_are_refused_with_their_place() {
    let program = |pragma: &str| {
        format!(
            "void g(void) {{ reach_error(); }}\nvoid f(void);\n{pragma}\nint main(void) {{ return 0; }}\n"
        )
    };
    for (pragma, name) in [
        ("#pragma weak f = g", "weak"),
        ("#pragma GCC optimize (\"wrapv\")", "GCC optimize"),
        ("#pragma redefine_extname f g", "redefine_extname"),
        ("#pragma scalar_storage_order big-endian", "scalar_storage_order"),
        ("#pragma STDC FENV_ACCESS ON", "STDC FENV_ACCESS"),
        ("#pragma ms_struct on", "ms_struct"),
        ("#pragma GCC target (\"avx2\")", "GCC target"),
        ("_Pragma(\"weak f = g\")", "weak"),
        ("#pragma never_heard_of", "never_heard_of"),
    ] {
        let refused = checked("pragma", &[], &program(pragma));
        assert_eq!(refused.code, UNKNOWN, "{refused:?}");
        assert!(refused.stderr.contains(&format!("unsupported: the pragma `{name}`")), "{}", refused.stderr);
        assert!(refused.stderr.contains("a.c:4:"), "{}", refused.stderr);
    }
    let harmless = "#pragma once\n#pragma GCC diagnostic push\n#pragma STDC FP_CONTRACT OFF\n#pragma GCC push_options\n\
                    #pragma omp parallel\n#pragma pack(push, 1)\n#pragma pack(pop)\n#pragma GCC visibility push(hidden)";
    assert_eq!(checked("harmless-pragmas", &[], &program(harmless)).code, SAFE);
    let parallel = built("omp", &["-fopenmp"], &program("#pragma omp parallel"));
    assert!(parallel.stderr.contains("unsupported: the pragma `omp`"), "{parallel:?}");
}

#[test]
fn a_weak_function_without_definition_is_refused_where_it_is_used() {
    let text = |result: &str| {
        format!(
            "void f(void) __attribute__((weak));\nint g(void) {{ return f != 0; }}\nint main(void) {{ return {result}; }}\n"
        )
    };
    assert_eq!(checked("weak-unused", &[], &text("0")).code, SAFE);
    let refused = checked("weak-used", &[], &text("g()"));
    assert_eq!(refused.code, UNKNOWN, "{refused:?}");
    assert!(
        refused.stderr.contains("unsupported: the weak symbol `f` without a definition"),
        "{}",
        refused.stderr
    );
}

#[test]
fn attributes_that_change_the_program_are_refused_with_their_place() {
    for (text, expected) in [
        (
            "static void f(void) { reach_error(); }\n__attribute__((section(\".init_array\"), used)) static void (*p)(void) = f;",
            "the section `.init_array`",
        ),
        (
            "__attribute__((optimize(\"wrapv\"))) int f(int x) { return x + 1 < x; }",
            "the attribute `optimize`",
        ),
        ("__attribute__((target(\"fma\"))) double f(double x) { return x; }", "the attribute `target`"),
        ("int g(int *p) { int x __attribute__((cleanup(h))); return 0; }", "the attribute `cleanup`"),
        ("__attribute__((never_heard_of)) int x;", "the attribute `never_heard_of`"),
        (
            "int g(int x) { switch (x) { case 1: __attribute__((never_heard_of)); } return 0; }",
            "the attribute `never_heard_of`",
        ),
    ] {
        let refused = checked("attribute", &[], &format!("{text}\nint main(void) {{ return 0; }}\n"));
        assert_eq!(refused.code, UNKNOWN, "{refused:?}");
        assert!(refused.stderr.contains(&format!("unsupported: {expected}")), "{}", refused.stderr);
        assert!(refused.stderr.contains("a.c:"), "{}", refused.stderr);
    }
    let harmless = "__attribute__((weak, noinline, __cold__, section(\"mine\"))) int f(void) { return 1; }\n\
                    int main(void) { return f() - 1; }\n";
    assert_eq!(checked("harmless-attributes", &[], harmless).code, SAFE);
}

#[test]
fn what_compilers_find_out_differently_is_not_decided() {
    let main = |condition: &str| {
        format!(
            "char b[8];\nint main(void) {{ char *p = b + 1; int n = 3; if ({condition}) reach_error(); return n + *p; }}\n"
        )
    };
    // Every compiler knows the size of an array that is named.
    assert_eq!(checked("named", &[], &main("__builtin_object_size(b, 0) == 8")).code, UNSAFE);
    let pointer = main("__builtin_object_size(p, 0) == 7");
    assert_eq!(checked("pointed", &[], &pointer).code, UNKNOWN);
    assert_eq!(checked("pointed-not", &[], &pointer.replace("==", "!=")).code, UNKNOWN);
    // Some return null instead of the address of a variable that ends.
    let dangling =
        "int *f(void) { int x = 3; return &x; }\nint main(void) { if (!f()) reach_error(); return 0; }\n";
    assert_eq!(checked("dangling", &["--no-exec"], dangling).code, UNKNOWN);
    let constant = main("__builtin_constant_p(n)");
    assert_eq!(built("constant-O0", &["-O0"], &constant).code, SAFE);
    assert_eq!(built("constant-O2", &["-O2"], &constant).code, UNKNOWN);
    assert_eq!(built("literal-O2", &["-O2"], &main("!__builtin_constant_p(3)")).code, SAFE);
}

/// Statements of `main` whose result depends on the order of evaluation.
const OPEN_ORDER: [&str; 9] = [
    "int x = n + set();",
    "int x = 1; n = 2; n += set();",
    "int x = sub(next(), next());",
    "int a[3] = { 0 }, i = 1, x = 0; a[i] = i++; x = a[1];",
    "int a[2] = { next(), next() }, x = a[0] - a[1];",
    "int y = 1, x = y + through(&y);",
    "int x = leave() + fail();",
    "int (*p)(void) = next; int x = n - p();",
    "int x = ({ int t = next(); t; }) - n;",
];

/// Statements of `main` whose result does not.
const FIXED_ORDER: [&str; 9] = [
    "int x = fib(3) + fib(4) - 5;",
    "n = set() - 2; int x = n;",
    "int x = (next(), n) - 1;",
    "int x = (set() && n) - 1;",
    "int a[2] = { 1, 2 }, i = 0, x; a[i] = next(); x = a[0] - 1;",
    "int x = __VERIFIER_nondet_int() - 5 + __VERIFIER_nondet_int(); x = 0;",
    "int x = atoi(\"3\") - atoi(\"3\");",
    "char t[] = \"ab\"; int x = (int)strlen(t) - (int)strlen(t);",
    "int y = 1, z = 2, x = y++ + z++ - 3;",
];

#[test]
fn an_order_of_evaluation_that_is_open_caps_safe() {
    const FUNCTIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern int atoi(const char *);\n\
        extern unsigned long strlen(const char *);\nextern void exit(int);\nint n;\n\
        static int set(void) { n = 2; return 2; }\nstatic int next(void) { return ++n; }\n\
        static int sub(int a, int b) { return a - b; }\nstatic int through(int *p) { return ++*p; }\n\
        static int leave(void) { exit(0); return 0; }\nstatic int fail(void) { reach_error(); return 0; }\n\
        static int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }\n";
    let program = |statement: &str| {
        format!(
            "{FUNCTIONS}int main(void) {{ (void)set; (void)next; (void)sub; (void)through; (void)leave; (void)fail; (void)fib; \
             {statement} if (x == 77) reach_error(); return 0; }}\n"
        )
    };
    for statement in OPEN_ORDER {
        let finished = checked("open-order", &["--no-exec"], &program(statement));
        assert_eq!(finished.code, UNKNOWN, "{statement}: {}", finished.stdout);
        assert!(finished.stdout.contains("order of evaluation"), "{statement}: {}", finished.stdout);
    }
    for statement in FIXED_ORDER {
        let finished = checked("fixed-order", &["--no-exec"], &program(statement));
        assert_eq!(finished.code, SAFE, "{statement}: {}", finished.stdout);
    }
}

/// Conditions on pointers whose truth is open, and conditions that hold wherever objects lie.
const DECLARATIONS: &str = "typedef unsigned long word;\nextern void *malloc(word);\nextern void free(void *);\n\
    struct pair { long first; char *second; };\nint x, y, a[4];\nunion both { void *p; word n; };\n";

fn addresses(name: &str, model: &str, statements: &str, condition: &str) -> i32 {
    let text = format!(
        "{DECLARATIONS}int main(void) {{ {statements} if ({condition}) reach_error(); return 0; }}\n"
    );
    checked(name, &["--data-model", model], &text).code
}

#[test]
fn what_depends_on_where_objects_lie_is_not_decided() {
    let open = [
        ("char *p = malloc(8); word old = (word)p; free(p); char *q = malloc(8);", "(word)q == old"),
        ("char *p = malloc(8); free(p); char *q = malloc(8);", "p == q"),
        ("char *p = malloc(8);", "(word)p % 4096 == 0x2a0"),
        ("", "&x < &y"),
        ("", "(word)&x < (word)&y"),
        ("int *p = &x + 1;", "p == &y"),
        ("word n = (word)&x;", "(n >> 4) % 7 == 3"),
        ("union both u; u.p = &x;", "u.n % 1000 == 40"),
        ("struct pair s; s.second = (char *)&x; word n = *(word *)&s.second;", "n * 3 % 5 == 1"),
        ("char c[3];", "(word)&c[1] % 2 == 1"),
        ("long d = (char *)&x - (char *)&y;", "d == 4"),
        ("int *p = &x;", "((unsigned char *)&p)[1] == 3"),
        ("int *p = &x; unsigned char c[8]; __builtin_memcpy(c, &p, sizeof p);", "c[0] == 0"),
        ("const char *p = \"xabc\", *q = \"abc\";", "p + 1 == q"),
        ("char *p = malloc(8);", "__builtin_printf(\"%lu\", (word)p) == 15"),
        ("char *p = malloc(8);", "__builtin_printf(\"%p\", (void *)p) == 14"),
    ];
    for model in ["LP64", "ILP32"] {
        for (number, (statements, condition)) in open.iter().enumerate() {
            for condition in [(*condition).to_owned(), format!("!({condition})")] {
                let code = addresses(&format!("open-{number}"), model, statements, &condition);
                assert_eq!(code, UNKNOWN, "{model}: {statements} {condition}");
            }
        }
    }
}

#[test]
fn what_is_the_same_wherever_objects_lie_is_decided() {
    let decided = [
        ("int *p = &x;", "p == &y || p != &x || p == 0"),
        ("int *p = a + 1, *q = a + 3;", "p >= q || q - p != 2 || p > q || &a[4] <= q"),
        ("word n = (word)&x; int *p = (int *)n;", "p != &x"),
        ("long *p = malloc(8);", "(word)p % 16 != 0 || ((word)p & 7) || (word)p == 0"),
        ("char *p = (char *)&a[1];", "(word)(p + 1) % 4 != 1"),
        ("word n = (word)&a[1] | 1; int *p = (int *)(n & ~(word)1);", "!(n & 1) || p != &a[1]"),
        ("word n = (word)&a[3] - (word)&a[1];", "n != 8"),
        ("void *p = (void *)(word)17; int n = (int)(word)p;", "n != 17"),
        ("void *p = &x;", "(word)p >= (word)-4095 || (word)p < 100 || p == (void *)-1"),
        ("union both u; u.n = 12;", "u.n % 5 != 2"),
        ("char *p = malloc(3); free(p);", "p == 0"),
        ("char *p = malloc(0), *q = malloc(0);", "p == q"),
        ("const char *p = \"xabc\", *q = \"xabd\";", "p == q || p + 1 == q"),
        (
            "int *p = &x, *q; char *f = (char *)&p, *t = (char *)&q; for (int i = 0; i < (int)sizeof p; i++) t[i] = f[i];",
            "q != &x",
        ),
        ("struct pair s = { 7, (char *)&x };", "s.first != 7 || *(char *)&s != 7"),
    ];
    for model in ["LP64", "ILP32"] {
        for (number, (statements, condition)) in decided.iter().enumerate() {
            let code = addresses(&format!("decided-{number}"), model, statements, condition);
            assert_eq!(code, SAFE, "{model}: {statements} {condition}");
            let code = addresses(&format!("decided-{number}"), model, statements, &format!("!({condition})"));
            assert_eq!(code, UNSAFE, "{model}: {statements} !({condition})");
        }
    }
}

/// gcc computes with a signed bit-field of 40 bits in 40 bits: the product wraps around to zero, which 64 bits do not show.
#[test]
fn signed_arithmetic_in_an_odd_width_is_refused() {
    let program = |operation: &str| {
        format!(
            "extern void reach_error(void);\nstruct field {{ long long c : 40; unsigned long long u : 40; }};\n\
             int main(void) {{ struct field s; s.c = 1LL << 38; s.u = 1ULL << 38; long long z = {operation};\n\
             if (z == 0) reach_error(); return 0; }}\n"
        )
    };
    for operation in ["s.c * 4", "s.c + s.c", "-s.c", "s.c << 2", "(1, s.c) - 1"] {
        let finished = checked("odd-width", &["--signed-overflow", "wrap"], &program(operation));
        assert!(finished.stdout.contains("bit-field of 40 bits"), "{operation}: {finished:?}");
        assert_eq!(finished.code, 5, "{operation}: {finished:?}");
    }
    for (operation, word) in [("s.u * 4", "UNSAFE"), ("s.c & 1", "UNSAFE"), ("(long long)s.c * 4", "SAFE")] {
        let finished = checked("odd-width", &["--signed-overflow", "wrap"], &program(operation));
        assert!(finished.stdout.starts_with(word), "{operation}: {finished:?}");
    }
}

#[test]
fn an_overflow_in_the_initialiser_of_a_static_object_counts_whether_the_object_is_used_or_not() {
    for declared in
        ["static int x = 2147483647 + 1;", "long x[2] = {1, -(-2147483647 - 1)};", "int x = 5 << 30;"]
    {
        let program = format!("{declared}\nint main(void) {{ return 0; }}\n");
        let finished = checked("static-overflow", &["--signed-overflow", "error", "--no-exec"], &program);
        assert_eq!(finished.code, UNSAFE, "{declared}: {finished:?}");
        assert!(finished.stdout.contains("overflows at a.c:2:"), "{}", finished.stdout);
    }
    // What is not evaluated does not overflow, and a product that fits does not either.
    for declared in
        ["int x = 1 ? 3 : 2147483647 + 1;", "int x = sizeof((int){2147483647 + 1});", "int x = -1 << 3;"]
    {
        let program = format!("{declared}\nint main(void) {{ return x; }}\n");
        let finished = checked("static-fits", &["--signed-overflow", "error", "--no-exec"], &program);
        assert_eq!(finished.code, SAFE, "{declared}: {finished:?}");
    }
    // Otherwise the value is that of the compiler, which agrees.
    let program = "static int x = 2147483647 + 1;\nint main(void) { if (x < 0) reach_error(); return 0; }\n";
    let finished = checked("static-value", &[], program);
    assert_eq!(finished.code, UNSAFE, "{finished:?}");
    assert!(finished.stdout.contains("checked: compiled and executed"), "{}", finished.stdout);
    assert!(finished.stdout.contains("the initialiser of a static object overflows"), "{}", finished.stdout);
}
