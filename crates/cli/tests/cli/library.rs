//! Verdicts about programs that call the C library: right in both directions, or unknown.

use crate::support::{Finished, Folder, wayproof};

/// Checks a body of `main` with these headers.
fn check(name: &str, headers: &str, body: &str, options: &[&str]) -> Finished {
    let folder = Folder::new(&format!("library-{name}"));
    let mut text = String::new();
    for header in headers.split_whitespace() {
        text += "#include <";
        text += header;
        text += ">\n";
    }
    text += "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";
    text += body;
    let file = folder.file("a.c", text);
    let mut arguments = vec!["check".to_owned(), "--no-settings".to_owned()];
    if !options.contains(&"--timeout") {
        arguments.extend(["--timeout".to_owned(), "60".to_owned()]);
    }
    arguments.extend(options.iter().map(|option| (*option).to_owned()));
    arguments.push(file.display().to_string());
    wayproof(arguments)
}

fn first_line(finished: &Finished) -> &str {
    finished.stdout.lines().next().unwrap_or_default()
}

/// Programs in which one thing is true of the C library; each is checked as it is, and with the opposite claimed.
const FACTS: &[(&str, &str, &str, &str)] = &[
    (
        "snprintf",
        "stdio.h string.h",
        "char b[16] = \"\"; snprintf(b, sizeof b, \"%d-%s\", 42, \"ab\");",
        "strcmp(b, \"42-ab\") == 0",
    ),
    (
        "sscanf",
        "stdio.h",
        "int a = 0, b = 0; int n = sscanf(\"7 x\", \"%d %d\", &a, &b);",
        "n == 1 && a == 7 && b == 0",
    ),
    ("qsort", "stdlib.h", "int a[] = { 3, 1, 2 }; qsort(a, 3, sizeof *a, order);", "a[0] == 1 && a[2] == 3"),
    (
        "bsearch",
        "stdlib.h",
        "int a[] = { 1, 4, 9 }, k = 4; int *p = bsearch(&k, a, 3, sizeof *a, order);",
        "p == a + 1",
    ),
    (
        "strtol",
        "stdlib.h errno.h",
        "char *end; errno = 0; long x = strtol(\"99999999999999999999\", &end, 10);",
        "errno == ERANGE && *end == 0 && x > 0",
    ),
    ("base", "stdlib.h errno.h", "errno = 0; long x = strtol(\"12\", 0, 1);", "errno == EINVAL && x == 0"),
    (
        "strtod",
        "stdlib.h",
        "char *end = 0; char t[] = \"0.5x\"; double d = strtod(t, &end);",
        "d == 0.5 && *end == 'x'",
    ),
    (
        "modff",
        "math.h",
        "float whole = 0; float rest = modff(2.5f, &whole);",
        "whole == 2.0f && rest == 0.5f",
    ),
    (
        "strtok",
        "string.h",
        "char t[] = \"a,b\"; char *p = strtok(t, \",\"); p = strtok(0, \",\");",
        "p == t + 2",
    ),
    (
        "bcopy",
        "strings.h",
        "char t[4] = \"abc\"; bcopy(t, t + 1, 2);",
        "t[0] == 'a' && t[1] == 'a' && t[2] == 'b'",
    ),
    ("huge", "stdlib.h", "void *p = calloc(~0UL / 2 + 1, 2), *q = malloc(~0UL);", "p == 0 && q == 0"),
    ("wide", "wchar.h", "wchar_t w[4]; wcscpy(w, L\"hi\");", "wcslen(w) == 2 && w[1] == L'i'"),
    (
        "copies",
        "string.h",
        "char a[] = \"ab\", b[12]; strcpy(b, a); strcat(b, a); strncpy(a, b + 1, 2);",
        "strcmp(b, \"abab\") == 0 && a[0] == 'b'",
    ),
    // No order, but glibc merges halves.
    (
        "unordered",
        "stdlib.h",
        "double a[] = { 3.5, 2.6, 1.9, 1.2, 0.7 }; qsort(a, 5, sizeof *a, whole_order);",
        "a[0] == 1.9 && a[2] == 0.7 && a[3] == 3.5",
    ),
    (
        "large",
        "stdlib.h",
        "struct { int key; char rest[36]; } a[3] = { { 3 }, { 1 }, { 2 } }; qsort(a, 3, sizeof *a, order);",
        "a[0].key == 1 && a[2].key == 3",
    ),
    (
        "negative",
        "ctype.h",
        "int a = tolower(-5), b = toupper(-100), c = tolower(-1);",
        "a == 251 && b == 156 && c == -1",
    ),
    ("sign", "math.h", "volatile float a = -2; volatile long double b = 2;", "signbit(a) && !signbit(b)"),
    ("equal", "string.h", "static const char a[] = \"a\";", "strcmp(a, \"a\") == 0 && strcmp(a, \"c\") < 0"),
];

const ORDER: &str = "static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n\
     static int whole_order(const void *a, const void *b) { return (int)(*(const double *)a - *(const double *)b); }\n";

#[test]
fn modelled_functions_do_what_glibc_does() {
    for (name, headers, statements, fact) in FACTS {
        let program = |condition: &str| {
            format!(
                "{ORDER}int main(void) {{ (void)order; (void)whole_order; {statements} if ({condition}) reach_error(); return 0; }}\n"
            )
        };
        let holds = check(name, headers, &program(&format!("!({fact})")), &["--no-exec"]);
        assert_eq!((holds.code, first_line(&holds)), (0, "SAFE: unreach-call holds"), "{name}");
        let fails = check(name, headers, &program(fact), &[]);
        assert_eq!(fails.code, 10, "{name}: {}", fails.stdout);
        assert!(
            fails.stdout.contains("compiled and executed, the program ends in the violation"),
            "{name}: {}",
            fails.stdout
        );
    }
}

#[test]
fn what_the_library_writes_is_arbitrary_and_what_it_computes_is_not_chosen() {
    // Neither value is known here: safe would be wrong for one of them, unsafe is wrong for the other.
    let program = |op: &str| {
        format!(
            "int main(void) {{ time_t t = 0; struct tm tm = {{ 0 }}; if (gmtime_r(&t, &tm) == 0) return 0;\n\
             if (tm.tm_mday {op} 1) reach_error(); return 0; }}\n"
        )
    };
    for op in ["==", "!="] {
        let finished = check("gmtime", "time.h", &program(op), &["--no-exec"]);
        assert_eq!(finished.code, 5, "{op}: {}", finished.stdout);
    }
}

#[test]
fn results_of_the_library_stay_in_their_ranges() {
    for (headers, call, bad) in [
        ("stdio.h", "getchar()", "r < -1 || r > 255"),
        ("unistd.h", "getpid()", "r < 1"),
        ("stdlib.h", "rand()", "r < 0"),
        ("stdio.h", "fflush(stdout)", "r != 0 && r != EOF"),
    ] {
        let body = format!("int main(void) {{ int r = {call}; if ({bad}) reach_error(); return 0; }}\n");
        let finished = check("range", headers, &body, &["--no-exec"]);
        assert_eq!(finished.code, 0, "{call}: {}", finished.stdout);
    }
}

#[test]
fn standard_input_is_an_input_that_the_compiled_program_gets() {
    let body = "int main(void) { if (getchar() == 'k' && getchar() == EOF) reach_error(); return 0; }\n";
    let finished = check("stdin", "stdio.h", body, &[]);
    assert_eq!(finished.code, 10, "{}", finished.stdout);
    assert!(
        finished.stdout.contains("compiled and executed, the program ends in the violation"),
        "{}",
        finished.stdout
    );
}

#[test]
fn output_may_fail_and_no_stub_confirms_it() {
    let body = "int main(void) { if (fputs(\"text\", stdout) < 0) reach_error(); return 0; }\n";
    let finished = check("output", "stdio.h", body, &[]);
    assert_eq!(finished.code, 10, "{}", finished.stdout);
    assert!(
        finished.stdout.contains("cannot control what the library function `fputs` returns or writes"),
        "{}",
        finished.stdout
    );
    // Who writes nothing does not fail.
    for call in ["printf(\"\")", "printf(\"%s\", \"\")"] {
        let body = format!("int main(void) {{ if ({call} < 0) reach_error(); return 0; }}\n");
        assert_eq!(check("output", "stdio.h", &body, &["--no-exec"]).code, 0, "{call}");
    }
    // Who fails says why.
    let body = "int main(void) { errno = 0; if (puts(\"a\") < 0 && errno == 0) reach_error(); return 0; }\n";
    let finished = check("output", "stdio.h errno.h", body, &["--no-exec"]);
    assert_ne!(finished.code, 10, "{}", finished.stdout);
    let unchecked = "int main(void) { errno = 0; puts(\"a\"); if (errno != 0) reach_error(); return 0; }\n";
    let finished = check("output", "stdio.h errno.h", unchecked, &["--no-exec"]);
    assert!(finished.stdout.contains("`errno` is not changed by output"), "{}", finished.stdout);
}

/// Statements and a condition whose truth C leaves open.
const OPEN: &[(&str, &str, &str, &str)] = &[
    ("zeros", "math.h", "volatile double a = 0, b = -a; double c = fmax(a, b);", "signbit(c) != 0"),
    ("rounded", "math.h limits.h", "volatile double a = 1e30; long c = lround(a);", "c == LONG_MIN"),
    ("infinite", "math.h", "volatile double a = -INFINITY; int c = (isinf)(a);", "c == 1"),
    ("nans", "math.h", "volatile double a = NAN, b = -a; double c = a + b;", "signbit(c) != 0"),
    ("released", "stdlib.h", "extern int release(void *) __asm__(\"free\"); int c = release(0);", "c == 0"),
    ("renamed", "", "extern int number(const char *) __asm__(\"atoi\"); int c = number(\"5\");", "c == 5"),
    ("constants", "string.h", "static const char a[] = \"a\"; int c = strcmp(a, \"c\");", "c == -1"),
    ("rows", "string.h", "static const char t[2][4] = { \"abc\", \"abe\" };", "memcmp(t[0], t[1], 3) == -1"),
    ("negated", "string.h", "", "-strcmp(\"a\", \"c\") == 1"),
    ("added", "string.h", "int c = 0; c += strcmp(\"a\", \"c\");", "c == -1"),
    ("comma", "string.h", "", "(0, strcmp(\"a\", \"c\")) == -1"),
    ("switch", "string.h", "int c = 0; switch (strcmp(\"a\", \"c\")) { case -1: c = 1; }", "c == 1"),
    ("passed", "string.h stdlib.h", "int c = abs(strcmp(\"a\", \"c\"));", "c == 1"),
    ("sign", "math.h", "volatile float a = -2; int c = signbit(a);", "c == 1"),
    ("sign-sum", "math.h", "volatile long double a = -2;", "signbit(a) + 1 == 2"),
    (
        "line",
        "stdio.h stdlib.h sys/types.h",
        "ssize_t getline(char **, size_t *, FILE *); char *l = malloc(2); size_t n = 2; if (getline(&l, &n, stdin) != 5) return 0;",
        "n == 6",
    ),
    (
        "flushed",
        "stdio.h",
        "if (getchar() == EOF) return 0; ungetc('x', stdin); fflush(stdin);",
        "getchar() == 'x'",
    ),
];

/// Copies between places that overlap.
const OVERLAPPING: &[(&str, &str, &str)] = &[
    ("strcpy", "string.h", "char s[8] = \"#ab\"; strcpy(s, s + 1);"),
    ("strcpy-up", "string.h", "char s[8] = \"ab\"; strcpy(s + 1, s);"),
    ("stpcpy", "string.h", "char s[8] = \"#ab\"; char *stpcpy(char *, const char *); stpcpy(s, s + 1);"),
    ("strncpy", "string.h", "char s[8] = \"ab\"; strncpy(s + 1, s, 3);"),
    ("strcat", "string.h", "char s[16] = \"abc\"; strcat(s, s + 1);"),
    ("strncat", "string.h", "char s[16] = \"abc\"; strncat(s, s, 5);"),
    ("wcscpy", "wchar.h", "wchar_t s[8] = L\"#ab\"; wcscpy(s, s + 1);"),
];

#[test]
fn copies_between_places_that_overlap_are_undefined() {
    for (name, headers, statements) in OVERLAPPING {
        let body = format!("int main(void) {{ {statements} reach_error(); return 0; }}\n");
        let finished = check(name, headers, &body, &["--check", "overlap", "--no-exec"]);
        assert_eq!(finished.code, 10, "{name}: {}", finished.stdout);
        assert!(finished.stdout.contains("copy to a place that overlaps its source"), "{}", finished.stdout);
        // Beyond undefined behaviour nothing is considered, and the verdict says so.
        let finished = check(name, headers, &body, &["--no-exec"]);
        assert!(finished.stdout.contains("up to undefined behaviour"), "{name}: {}", finished.stdout);
    }
}

#[test]
fn what_c_leaves_open_is_not_decided() {
    for (name, headers, statements, condition) in OPEN {
        for not in ["", "!"] {
            let body = format!(
                "int main(void) {{ {statements} if ({not}({condition})) reach_error(); return 0; }}\n"
            );
            let finished = check(name, headers, &body, &["--no-exec"]);
            assert_eq!(finished.code, 5, "{name} {not}: {}", finished.stdout);
        }
    }
    // The class is known, its number is not.
    let body = |condition: &str| {
        format!("int isdigit(int); int main(void) {{ if ({condition}) reach_error(); return 0; }}\n")
    };
    assert_eq!(check("digit", "", &body("!isdigit('7')"), &["--no-exec"]).code, 0);
    assert_eq!(check("digit", "", &body("isdigit('7') == 1"), &["--no-exec"]).code, 10);
    assert_eq!(check("digit", "", &body("isdigit('7') == 2048"), &["--no-exec"]).code, 10);
}

#[test]
fn text_that_is_read_while_it_is_written_is_not_decided() {
    for (statements, condition) in [
        ("snprintf(s, sizeof s, \"%s,%d\", s, 5);", "s[0] == 'a'"),
        ("sprintf(s, \"%s%s\", \"x\", s + 1);", "s[1] == 'b'"),
        ("snprintf(s, sizeof s, s);", "s[0] == 'a'"),
        ("char t[8] = \"\"; sscanf(s, \"%s%s\", s, t);", "t[0] == 'd'"),
    ] {
        for not in ["", "!"] {
            let body = format!(
                "int main(void) {{ char s[16] = \"abc d\"; {statements} if ({not}({condition})) reach_error(); return 0; }}\n"
            );
            let finished = check("formats", "stdio.h", &body, &["--no-exec", "--timeout", "2"]);
            assert_eq!(finished.code, 5, "{statements} {not}: {}", finished.stdout);
        }
    }
}

#[test]
fn the_library_calls_only_the_allocation_functions_of_the_program() {
    let own = "static int calls; static char pool[4096];\n\
               void *malloc(unsigned long n) { calls++; return n < 99 ? pool : 0; }\nvoid free(void *p) { (void)p; }\n\
               void *memcpy(void *to, const void *from, unsigned long n) { (void)from; (void)n; calls++; return to; }\n\
               void *memmove(void *to, const void *from, unsigned long n) { (void)from; (void)n; calls++; return to; }\n";
    for (headers, statements, fact) in [
        ("stdlib.h", "int a[] = { 3, 1, 2 }; qsort(a, 3, sizeof *a, order);", "calls == 0 && a[0] == 1"),
        ("stdio.h", "double d = 0; sscanf(\"1.5\", \"%lf\", &d);", "calls == 0 && d == 1.5"),
        ("string.h", "char *s = strdup(\"ab\");", "calls == 1 && s[1] == 'b'"),
        (
            "string.h",
            "char t[120]; memset(t, 'x', 119); t[119] = 0; char *s = strdup(t);",
            "calls == 1 && s == 0",
        ),
        (
            "string.h",
            "char t[120]; memset(t, 'x', 119); t[119] = 0; char *strndup(const char *, unsigned long); char *s = strndup(t, 110);",
            "calls == 1 && s == 0",
        ),
    ] {
        for (condition, code) in [(format!("!({fact})"), 0), (fact.to_owned(), 10)] {
            let body = format!(
                "{own}{ORDER}int main(void) {{ (void)order; (void)whole_order; {statements} if ({condition}) reach_error(); return 0; }}\n"
            );
            let finished = check("own-memory", headers, &body, &["--no-exec"]);
            assert_eq!(finished.code, code, "{statements} {condition}: {}", finished.stdout);
        }
    }
    // Large arrays are sorted with the help of memory from `malloc`.
    let body = format!(
        "{own}{ORDER}int main(void) {{ static int a[300]; (void)whole_order; qsort(a, 300, sizeof *a, order); \
         if (calls != 0) reach_error(); return 0; }}\n"
    );
    let finished = check("own-memory", "stdlib.h", &body, &["--no-exec", "--timeout", "2"]);
    assert_eq!(finished.code, 5, "{}", finished.stdout);
}

#[test]
fn output_that_is_flushed_does_not_change_the_input() {
    for (flushed, condition, code) in [
        ("fflush(stdout);", "getchar() != 'x'", 0),
        ("fflush(stderr);", "getchar() == 'x'", 10),
        ("fflush(NULL);", "getchar() != 'x'", 0),
        ("fwide(stdin, 1);", "getchar() != 'x'", 5),
        ("recv(0, buffer, 1, 0);", "getchar() != 'x'", 5),
    ] {
        let body = format!(
            "int main(void) {{ char buffer[4]; (void)buffer; if (getchar() == EOF) return 0; ungetc('x', stdin); {flushed} \
             if ({condition}) reach_error(); return 0; }}\n"
        );
        let finished = check("flush", "stdio.h wchar.h sys/socket.h", &body, &["--no-exec"]);
        assert_eq!(finished.code, code, "{flushed}: {}", finished.stdout);
    }
}

#[test]
fn copies_between_different_objects_need_no_proof_that_they_are_apart() {
    let body = "static int count;\n\
        static void copy(char *to, const char *from) { strcpy(to, from); count++; }\n\
        int main(void) { char a[40], b[40], c[40]; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 39) return 0;\n\
        memset(a, 'x', 40); a[n] = 0;\n\
        while (__VERIFIER_nondet_int()) { copy(b, a); strcpy(c, b); strcpy(b, \"\"); if (count < 0) count = 0; }\n\
        if (count < 0) reach_error(); return 0; }\n";
    let finished = check("apart", "string.h", body, &["--no-exec"]);
    assert_eq!(finished.code, 0, "{}", finished.stdout);
}

#[test]
fn a_list_of_arguments_is_of_no_use_after_it_was_passed_on() {
    let program = |use_: &str, again: &str| {
        format!(
            "static int first(va_list l) {{ return va_arg(l, int); }}\n\
             static int f(const char *text, ...) {{ va_list l; char b[8] = \"\"; va_start(l, text); int r = {use_}; \
             {again} va_end(l); (void)first; (void)b; return r; }}\n\
             int main(void) {{ if (f(\"%d\", 12, 34) != 12) reach_error(); return 0; }}\n"
        )
    };
    let checked =
        |use_: &str, again: &str| check("list", "stdarg.h stdio.h", &program(use_, again), &["--no-exec"]);
    assert_eq!(checked("first(l)", "").code, 0);
    assert_eq!(checked("first(l)", "r = va_arg(l, int);").code, 5);
    assert_eq!(checked("first(l)", "va_end(l); va_start(l, text);").code, 0);
    // What is taken from it after a call of the library is arbitrary.
    let after = program("vsnprintf(b, sizeof b, text, l) + 10", "r = va_arg(l, int);");
    let open = check("list-after", "stdarg.h stdio.h", &after, &["--no-exec", "--timeout", "5"]);
    assert_eq!(open.code, 5, "{}", open.stdout);
}

#[test]
fn an_argument_of_another_type_than_is_asked_for_decides_nothing() {
    let checked = |read: &str, passed: &str, claim: &str| {
        let body = format!(
            "static long f(int n, ...) {{ va_list l; va_start(l, n); {read} va_end(l); return r; }}\n\
             struct pair {{ long a, b, c; }};\nstatic const struct pair p = {{ 1, 2, 3 }};\n\
             int main(void) {{ (void)p; if (f({passed}) {claim}) reach_error(); return 0; }}\n"
        );
        check("class", "stdarg.h stddef.h", &body, &["--no-exec"])
    };
    let first = "long r = va_arg(l, int);";
    let second = "va_arg(l, int); long r = va_arg(l, int);";
    for (read, passed) in [
        // On x86-64 an integer is looked for among the integers: it is 7, and then there is none.
        (first, "1, 1.0, 7"),
        (second, "1, 1.0, 7, 8"),
        ("va_arg(l, double); long r = va_arg(l, int);", "1, 7, 1.0, 8"),
        ("long r = (long)va_arg(l, long double);", "1, 7.0"),
        // The upper half of a register is open.
        ("long r = va_arg(l, long);", "1, 7"),
        (first, "1, 7L"),
        (first, "1, p"),
        // There is no further argument.
        (first, "1"),
        (second, "1, 7"),
    ] {
        for claim in ["== 7", "!= 7"] {
            let finished = checked(read, passed, claim);
            assert_eq!(finished.code, 5, "{read} {passed}: {}", finished.stdout);
        }
    }
    for (read, passed) in [
        (first, "1, 7"),
        ("long r = va_arg(l, unsigned);", "1, 7, 1.0"),
        ("va_arg(l, double); long r = va_arg(l, int);", "1, 1.0, 7"),
        ("long r = va_arg(l, long); r += va_arg(l, void *) == NULL;", "1, 6L, NULL"),
        ("va_arg(l, int); va_arg(l, long double); long r = va_arg(l, int);", "1, 1, 2.0L, 7"),
    ] {
        assert_eq!(checked(read, passed, "!= 7").code, 0, "{read} {passed}");
        assert_eq!(checked(read, passed, "== 7").code, 10, "{read} {passed}");
    }
}

#[test]
fn a_format_that_does_not_fit_its_arguments_decides_nothing() {
    for format in ["\"%d of %d\", 2.5, 7", "\"%ld\", 7", "\"%d %d\", 7"] {
        let body = format!(
            "int main(void) {{ char b[80]; snprintf(b, sizeof b, {format}); if (b[0] == '7' && b[2] == 'x') reach_error(); return 0; }}\n"
        );
        let finished = check("format", "stdio.h", &body, &["--no-exec", "--timeout", "5"]);
        assert_eq!(finished.code, 5, "{format}: {}", finished.stdout);
    }
}

#[test]
fn records_are_taken_from_lists_as_what_they_are() {
    let body = "struct pair { long a, b, c; };\nstruct other { double a, b, c; };\n\
        static long f(int n, ...) { va_list l; va_start(l, n); struct TYPE x = va_arg(l, struct TYPE); long r = x.a + va_arg(l, int); va_end(l); return r; }\n\
        int main(void) { struct pair p = { 1, 2, 3 }; if (f(1, p, 6) != 7) reach_error(); return 0; }\n";
    let checked = |name: &str| check("record", "stdarg.h", &body.replace("TYPE", name), &["--no-exec"]);
    assert_eq!(checked("pair").code, 0);
    assert_eq!(checked("other").code, 5);
}

#[test]
fn the_buffer_of_getline_grows_as_in_glibc() {
    let folder = Folder::new("library-getline");
    let program = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n\
        int main(void) { size_t n = START; char *line = malloc(START); getline(&line, &n, stdin); return (int)n; }\n";
    let file = folder.file("a.c", program).display().to_string();
    // A line of ten bytes, and then the size if that is open.
    let grown = |start: &str, size: &str| {
        let mut words = vec!["run".to_owned(), format!("-DSTART={start}"), file.clone()];
        for byte in ["97"; 9].into_iter().chain(["10", size]) {
            words.extend(["--input".to_owned(), byte.to_owned()]);
        }
        wayproof(words).code
    };
    assert_eq!(grown("20", "0"), 20);
    assert_eq!(grown("6", "0"), 12);
    // It depends on where the pieces end that the library reads: glibc gives 11 for one piece.
    assert_eq!(grown("2", "11"), 11);
    assert_eq!(grown("2", "20"), 20);
    assert_ne!(grown("2", "21"), 21);
}

#[test]
fn definitions_of_library_functions_are_in_the_ledger() {
    let length = "unsigned long strlen(const char *s) { return *s ? 42 : 0; }\n\
                int main(void) { char b[] = \"ab\"; if (strlen(b) != 42) reach_error(); return 0; }\n";
    let own = check("own", "", length, &["--no-exec"]);
    assert_eq!(own.code, 0, "{}", own.stdout);
    assert!(own.stdout.contains("`strlen` is defined by the program"), "{}", own.stdout);
    // The library calls what the program defines.
    let body = "int calls; int putchar(int c) { calls++; return c; }\n\
                int main(void) { printf(\"x\"); if (calls) reach_error(); return 0; }\n";
    let called = check("called", "stdio.h", body, &["--no-exec"]);
    assert_eq!(called.code, 5, "{}", called.stdout);
    assert!(called.stdout.contains("`printf` of the C library may call it"), "{}", called.stdout);
    // A compiler may call the library instead of an inline definition.
    let inline = check("inline", "", &format!("inline {length}"), &["--no-exec"]);
    assert_eq!(inline.code, 5, "{}", inline.stdout);
}

#[test]
fn a_comparison_with_effects_makes_the_order_of_calls_matter() {
    let body = |effect: &str| {
        format!(
            "int calls; static int order(const void *a, const void *b) {{ {effect} return *(const int *)a - *(const int *)b; }}\n\
             int main(void) {{ int a[] = {{ 3, 1, 2 }}; qsort(a, 3, sizeof *a, order); if (a[0] != 1 || calls == 7) reach_error(); return 0; }}\n"
        )
    };
    assert_eq!(check("order", "stdlib.h", &body(""), &["--no-exec"]).code, 0);
    let finished = check("order", "stdlib.h", &body("calls++;"), &["--no-exec"]);
    assert_eq!(finished.code, 5, "{}", finished.stdout);
}

#[test]
fn functions_with_unknown_effects_cap_both_verdicts() {
    for op in ["==", "!="] {
        let body = format!(
            "int main(void) {{ char *t = 0; int n = asprintf(&t, \"%d\", 5); if (n {op} 1) reach_error(); return 0; }}\n"
        );
        let finished = check(
            "asprintf",
            "stdio.h",
            &format!("int asprintf(char **, const char *, ...);\n{body}"),
            &["--no-exec"],
        );
        assert_eq!(finished.code, 5, "{op}: {}", finished.stdout);
        assert!(finished.stdout.contains("`asprintf` is not modelled"), "{}", finished.stdout);
    }
}

#[test]
fn functions_of_the_user_without_body_follow_the_policy() {
    let body = "int level; void sensor(int *to);\n\
                int main(void) { int x = 1; level = 1; sensor(&x); if (level != 1) reach_error(); return 0; }\n";
    let pure = check("extern", "", body, &["--no-exec"]);
    assert_eq!(pure.code, 0, "{}", pure.stdout);
    let havoc = check("extern", "", body, &["--no-exec", "--extern", "havoc"]);
    assert_eq!(havoc.code, 5, "{}", havoc.stdout);
    let refused = check("extern", "", body, &["--no-exec", "--extern", "error"]);
    assert_eq!(refused.code, 5, "{}", refused.stdout);
    assert!(refused.stdout.contains("function `sensor` without body"), "{}", refused.stdout);
}

#[test]
fn inputs_with_few_values_are_all_tried() {
    let body = |bad: i32| {
        format!(
            "int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 2 || n > 5) return 0;\n\
             char t[8] = \"\"; memset(t, 'x', n); if ((int)strlen(t) == {bad}) reach_error(); return 0; }}\n"
        )
    };
    let safe = check("few", "string.h", &body(6), &["--no-exec"]);
    assert_eq!(safe.code, 0, "{}", safe.stdout);
    assert!(safe.stdout.contains("all 6 executions were explored"), "{}", safe.stdout);
    let found = check("few", "string.h", &body(4), &[]);
    assert_eq!(found.code, 10, "{}", found.stdout);
}
