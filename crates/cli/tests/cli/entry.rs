//! `--entry`: functions with arbitrary arguments and global variables.

use std::process::Command;

use crate::support::{Finished, Folder, command, with_assertions};

const LOOKUP: &str = "#include <assert.h>
typedef struct { int key; unsigned flag : 3; const char *name; } item;
struct list { item it; struct list *next; int data[2]; void *extra; };
int limit = 10;
static int calls;
static const int table[3] = {1, 2, 3};
struct { long long big; short grid[2][2]; } config;
static int lookup(const struct list *l, const int n, const int w[], item by_value)
{
    if (limit == 12 && calls == 3 && by_value.key == 9 && by_value.flag == 5 && table[1] == 2 && n * 2 == 40
        && config.big == -5000000000LL && config.grid[1][0] == -3)
        assert(l == 0 || w == 0);
    return limit;
}
int main(void) { return lookup(0, 0, 0, (item){0}); }
";

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(["check"].iter().chain(words)))
        .output()
        .unwrap()
        .into()
}

#[test]
fn a_function_is_called_with_what_violates_the_property() {
    let folder = Folder::new("entry-lookup");
    folder.file("list.c", LOOKUP);
    let finished = check(&folder, &["list.c", "--entry", "lookup", "--harness", "out.c"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    for words in [
        "12 for the global variable limit at list.c:4:5",
        "-3 for the global variable config.grid[1][0]",
        "20 for the parameter n",
        "5 for the parameter by_value.flag",
        "the parameter l->data[1]",
        "execution starts in `lookup` with arbitrary arguments",
    ] {
        assert!(finished.stdout.contains(words), "{words}: {}", finished.stdout);
    }
    if Command::new("cc").arg("--version").output().is_ok() {
        assert!(finished.stdout.contains("checked: compiled and executed"), "{}", finished.stdout);
        let built = Command::new("cc").args(["-w", "out.c"]).current_dir(folder.path()).status().unwrap();
        assert!(built.success());
        assert_eq!(Command::new(folder.path().join("a.out")).status().unwrap().code(), Some(10));
    }
}

#[test]
fn what_a_function_starts_with_is_a_choice() {
    let folder = Folder::new("entry-options");
    let text = "extern void reach_error(void);\nint limit = 10;\n\
                int clamp(int x) { if (x > limit) x = limit; if (limit != 10) reach_error(); return x; }\n\
                int read(int *p) { if (p == 0) reach_error(); return *p; }\n\
                int apply(int (*f)(int), void *data) { if (f(data != 0) == 6) reach_error(); return 0; }\n\
                int count(void) { static int n; if (n == 7) reach_error(); return ++n; }\n";
    folder.file("a.c", text);
    let code = |words: &[&str]| check(&folder, &[&["a.c", "--entry"], words].concat()).code;
    assert_eq!(code(&["clamp"]), 10);
    assert_eq!(code(&["clamp", "--entry-globals", "initial"]), 0);
    assert_eq!(code(&["read"]), 0);
    assert_eq!(code(&["read", "--entry-pointers", "nullable"]), 10);
    // A static variable of a function may hold anything; the harness sets it inside.
    let counted = check(&folder, &["a.c", "--entry", "count"]);
    assert_eq!(counted.code, 10);
    assert!(counted.stdout.contains("7 for the global variable count::n"), "{}", counted.stdout);
    assert!(counted.stdout.contains("checked: compiled and executed"), "{}", counted.stdout);
    // The tables behind the library are what they are.
    let text = "#include <ctype.h>\nextern void reach_error(void);\n\
                int f(int c) { if (c == 'x' && isalpha(c)) reach_error(); return 0; }\n\
                int g(int c) { if (c == '7' && isalpha(c)) reach_error(); return 0; }\n";
    folder.file("b.c", text);
    assert_ne!(check(&folder, &["b.c", "--entry", "f", "--timeout", "2"]).code, 0);
    assert_ne!(check(&folder, &["b.c", "--entry", "g", "--timeout", "2"]).code, 10);
    let applied = check(&folder, &["a.c", "--entry", "apply"]);
    assert_eq!(applied.code, 10);
    assert!(
        applied.stdout.contains("leads to an unknown function, `__any_function_1`"),
        "{}",
        applied.stdout
    );
    assert!(applied.stdout.contains("checked: compiled and executed"), "{}", applied.stdout);
    let missing = check(&folder, &["a.c", "--entry", "nothing"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("no definition of function `nothing`"), "{}", missing.stderr);
}

#[test]
fn entry_main_is_the_program_as_c_starts_it() {
    let folder = Folder::new("entry-main");
    let text = "extern void reach_error(void);\nint limit = 10;\n\
                int main(void) { if (limit != 10) reach_error(); return 0; }\n\
                int other(void) { return main(); }\n";
    folder.file("a.c", text);
    let code = |words: &[&str]| check(&folder, &[&["a.c"], words].concat()).code;
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["--entry", "main"]), 0);
    assert_eq!(code(&["--entry", "other"]), 10);
    // What is said about other entries does not concern `main`.
    assert_eq!(code(&["--entry", "main", "--entry-globals", "any"]), 0);
    // Only `main` returns 0 where it ends without `return`.
    folder.file(
        "b.c",
        "extern void reach_error(void);\n\
         int f(int n) { if (n > 0) { if (f(0) != 0) reach_error(); return 0; } }\n\
         int g(void) { if (main(1) != 0) reach_error(); return 0; }\n\
         int main(int n) { }\n",
    );
    assert_ne!(check(&folder, &["b.c", "--entry", "f"]).code, 0);
    assert_eq!(check(&folder, &["b.c", "--entry", "g"]).code, 0);
}

#[test]
fn static_variables_of_functions_and_wide_bit_fields_are_set_by_the_harness() {
    let folder = Folder::new("entry-statics");
    let text = "extern void reach_error(void);
struct wide { unsigned a : 8; int b : 16; unsigned c : 32; long long d : 64; };
struct node { int key; struct node *next; };
static struct wide shared;
static int helper(int x) {
    static struct wide inner = { 1 }, *far;
    static short row[3]; static int calls;
    calls++;
    return inner.b == -300 && inner.d == -5000000000LL && inner.c == 4000000000u && far->c != 9 && row[2] == -7 && calls == 41 && x > 3;
}
int run(struct wide w, struct wide *p, struct node *n) {
    static struct node *last;
    if (shared.a == 200 && w.b == -5 && p->c != 7 && last->key != 12 && n->key != 13) {
        if (helper(3)) return 1;
        if (shared.d < 0 && helper(4)) reach_error();
    }
    return 0;
}
int skipped(int x) {
    if (x) goto inside;
    { static int n; inside: if (n == 5) reach_error(); }
    return 0;
}
";
    folder.file("a.c", text);
    let finished = check(&folder, &["a.c", "--entry", "run", "--harness", "out.c"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    for words in ["for the global variable helper::inner.b", "for the global variable run::last->key"] {
        assert!(finished.stdout.contains(words), "{words}: {}", finished.stdout);
    }
    if Command::new("cc").arg("--version").output().is_ok() {
        assert!(
            finished.stdout.contains("checked: compiled and executed, the program ends in"),
            "{}",
            finished.stdout
        );
    }
    let passed = check(&folder, &["a.c", "--entry", "skipped"]);
    assert_eq!(passed.code, 10, "{passed:?}");
    let words = "no harness can set the variable n of skipped: a jump may pass its declaration";
    assert!(passed.stdout.contains(words), "{}", passed.stdout);
}

/// Functions that touch what a pointer leads to, and whether that may be beyond the elements that there are.
const TOUCHING: &str = "extern void reach_error(void);
typedef unsigned long size_t;
void *memcpy(void *, const void *, size_t);
void free(void *);
struct item { int key; struct item *next; char *name; int row[4]; char tail[2]; };
typedef int pair[2];
struct item *shared;
int end(int *p) { return *p; }
int first(int *p) { *p = 1; return 0; }
int members(struct item *p) { p->key = 1; p->next->key = 2; p->next->row[3] = p->name[0]; return 0; }
int row(struct item *p, unsigned i) { return p->row[i]; }
int declared(int a[3]) { return a[0] + a[2]; }
int guaranteed(int a[static 3]) { return a[0] + a[2]; }
int named(pair a) { return a[1]; }
int grid(int a[2][3]) { return a[1][2]; }
int masked(int a[4], unsigned i) { return a[i & 3]; }
int counted(int a[4]) { int s = 0; for (int i = 0; i < 4; i++) s ^= a[i]; return s; }
int guarded(int a[4], int i, char n) { if (i < 0 || i >= 4) return 0; if (n > 0 && n <= 3) a[n] = 1; return a[i]; }
int kept(int *p) { struct { int n; int *q; } t, *u = &t; u->q = p; u->n = 1; return *u->q; }
int handed(int *p) { return end(p); }
int whole(struct item *p, struct item *q) { memcpy(p, q, sizeof *p); return p->next->key; }
int start(void) { return shared->key; }
int second(int *p) { return p[1]; }
int before(int *p) { return p[-1]; }
int fourth(int a[3]) { return a[3]; }
int any(int *p, int i) { return p[i]; }
int long_count(int a[4]) { int s = 0; for (int i = 0; i <= 4; i++) s ^= a[i]; return s; }
int late_count(int a[4]) { int s = 0, i = 0; while (i < 4) { i++; s ^= a[i]; } return s; }
int low_guard(int a[4], int i) { return i < 4 ? a[i] : 0; }
int lost_guard(int a[4], int i) { if (i < 0 || i >= 4) return 0; i = end(&i) + 1; return a[i]; }
int wrapped(int a[4], unsigned i) { if (i + 1 < 4) return a[i]; return 0; }
int walked(int *p) { for (int i = 0; i < 3; i++) p++; return *p; }
int passed(int *p) { return end(p + 1); }
int stored(int *p) { struct { int n; int *q; } t, *u = &t; u->q = p + 1; u->n = 1; return *u->q; }
int wider(char *p) { return *(int *)p; }
int number(int *p) { return *(int *)((size_t)p + 4); }
int in_double(int *p) { double d, e; int *q; memcpy(&d, &p, sizeof p); e = d; memcpy(&q, &e, sizeof q); return q[1]; }
int in_halves(int *p) {
    unsigned h[2], k[2]; int *q; memcpy(h, &p, sizeof p); k[0] = h[0]; k[1] = h[1]; memcpy(&q, k, sizeof q); return q[1]; }
int inner(struct item *p) { return p->name[1]; }
int tail(struct item *p, int i) { return p->tail[i]; }
int copied(struct item *p, struct item *q) { memcpy(p, q, 2 * sizeof *p); return 0; }
int freed(int *p) { free(p); return 0; }
int elsewhere(void) { return shared[1].key; }
int chosen(int *p, int c) { int here = 0, *q = c ? p : &here; return q[c]; }
";

#[test]
fn accesses_beyond_what_a_pointer_leads_to_leave_something_out() {
    let folder = Folder::new("entry-beyond");
    folder.file("a.c", TOUCHING);
    let inside = [
        "first",
        "members",
        "row",
        "declared",
        "guaranteed",
        "named",
        "grid",
        "masked",
        "counted",
        "guarded",
        "kept",
        "handed",
        "whole",
        "start",
        "freed",
    ];
    for entry in inside {
        let finished = check(&folder, &["a.c", "--entry", entry]);
        assert!(!finished.stdout.contains("is assumed to point to"), "{entry}: {}", finished.stdout);
    }
    for (entry, words) in [
        ("second", "`p` is assumed to point to one element"),
        ("in_double", "`p` is assumed to point to one element"),
        ("in_halves", "`p` is assumed to point to one element"),
        ("before", "`p` is assumed to point to one element"),
        ("fourth", "`a` is assumed to point to 3 elements"),
        ("any", "`p` is assumed to point to one element"),
        ("long_count", "`a` is assumed to point to 4 elements"),
        ("late_count", "`a` is assumed to point to 4 elements"),
        ("low_guard", "`a` is assumed to point to 4 elements"),
        ("lost_guard", "`a` is assumed to point to 4 elements"),
        ("wrapped", "`a` is assumed to point to 4 elements"),
        ("walked", "`p` is assumed to point to one element"),
        ("passed", "`p` is assumed to point to one element"),
        ("stored", "`p` is assumed to point to one element"),
        ("wider", "`p` is assumed to point to one element"),
        ("number", "`p` is assumed to point to one element"),
        ("inner", "`p->name` is assumed to point to one element"),
        ("tail", "`p` is assumed to point to one element"),
        ("copied", "`p` is assumed to point to one element"),
        ("elsewhere", "`shared` is assumed to point to one element"),
        ("chosen", "`p` is assumed to point to one element"),
    ] {
        let finished = check(&folder, &["a.c", "--entry", entry, "--entry-elements", "1"]);
        assert_eq!(finished.code, 5, "{entry}: {finished:?}");
        assert!(finished.stdout.contains(words), "{entry}: {}", finished.stdout);
        assert!(finished.stdout.contains("--entry-elements"), "{entry}: {}", finished.stdout);
    }
    // If nothing is said, there are as many elements as are used, but none before the first one.
    let used = check(&folder, &["a.c", "--entry", "second"]);
    assert_eq!(used.code, 0, "{used:?}");
    assert!(used.stdout.contains("`p` is not null and points to the start of an array of any length"));
    assert_eq!(check(&folder, &["a.c", "--entry", "before"]).code, 5);
    // With as many elements as are touched, nothing is left out.
    let enough = check(&folder, &["a.c", "--entry", "second", "--entry-elements", "2"]);
    assert_eq!(enough.code, 0, "{enough:?}");
}

#[test]
fn an_array_parameter_has_its_elements_in_the_harness_too() {
    let folder = Folder::new("entry-arrays");
    let text = "extern void reach_error(void);
int f(int n, double w[static 3], short a[2][3], int *q[2]) {
    w[2] = 1; a[1][2] = 2; *q[1] = 3;
    if (n == 77 && w[2] + a[1][2] + *q[1] == 6) reach_error();
    return 0;
}
enum { SIDE = 0x10 };
int big(int n, int a[1000]) { a[999] = n; if (n == 5) reach_error(); return a[999]; }
int last(int a[1000]) { if (a[999] == 5) reach_error(); return 0; }
int computed(const int a[const SIDE * SIDE + 1]) { if (a[256] == 5) reach_error(); return 0; }
";
    folder.file("a.c", text);
    for entry in ["f", "big", "last", "computed"] {
        let finished = check(&folder, &["a.c", "--entry", entry, "--harness", "out.c"]);
        assert_eq!(finished.code, 10, "{finished:?}");
        if Command::new("cc").arg("--version").output().is_ok() {
            assert!(
                finished.stdout.contains("checked: compiled and executed, the program ends in"),
                "{}",
                finished.stdout
            );
            let words = ["-w", "-fsanitize=address", "-fno-sanitize-recover=all", "out.c"];
            if Command::new("cc").args(words).current_dir(folder.path()).status().unwrap().success() {
                assert_eq!(Command::new(folder.path().join("a.out")).status().unwrap().code(), Some(10));
            }
        }
    }
}

#[test]
fn lengths_are_inputs_that_conditions_tie_to_parameters() {
    let folder = Folder::new("entry-lengths");
    let text = "extern void reach_error(void);
int last(const int *a, int n) { if (n > 0 && a[n - 1] == 7) reach_error(); return 0; }
int both(int *p, int *q) { *p = 1; *q = 2; if (*p != 1) reach_error(); return 0; }
";
    folder.file("a.c", text);
    let any = ["a.c", "--entry", "last", "--entry-elements", "any"];
    let found = check(&folder, &[&any[..], &["--assume", "n <= len(a)"]].concat());
    assert_eq!(found.code, 10, "{found:?}");
    for words in ["for the parameter len(a)", "for the parameter a[1]", "`n <= len(a)` at the start"] {
        assert!(found.stdout.contains(words), "{words}: {}", found.stdout);
    }
    for (condition, words) in [
        ("n <= len(b)", "`b` is no pointer to an array of any length"),
        ("m <= 3", "`m` is no integer parameter"),
        ("n", "a comparison is expected"),
        ("n <= len(a) n", "`n` is not expected"),
    ] {
        let refused = check(&folder, &[&any[..], &["--assume", condition]].concat());
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(words), "{words}: {}", refused.stderr);
        assert!(refused.stderr.contains("a condition compares integer parameters"), "{}", refused.stderr);
    }
    assert_eq!(check(&folder, &["a.c", "--entry", "both"]).code, 0);
    let equal = check(&folder, &["a.c", "--entry", "both", "--entry-aliases", "allowed"]);
    assert_eq!(equal.code, 10, "{equal:?}");
    assert!(equal.stdout.contains("1 for the parameter q == p"), "{}", equal.stdout);
}

#[test]
fn memory_from_outside_is_as_large_as_needed_and_may_be_the_same() {
    let folder = Folder::new("entry-outside");
    let text = "extern void reach_error(void);
void free(void *);
struct node { struct node *next; int key; };
int walk(struct node *n) { struct node *m; if (n->next && (m = n->next->next) && m->next && m->next->key == 5) reach_error(); return 0; }
int write(void *p, void *q) { *(int *)p = 1; *(long *)q = 2; if (*(int *)p != 1) reach_error(); return 0; }
int number(void *p) { *(long *)p = 5; return **(int **)p; }
int gone(void *p) { char c = *(char *)p; free(p); return *(char *)p + c; }
int before(void *p) { return ((char *)p)[-1]; }
int behind(void *p, unsigned i) { return ((char *)p)[i]; }
";
    folder.file("a.c", text);
    let code = |words: &[&str]| check(&folder, &[&["a.c", "--entry"], words].concat()).code;
    assert_eq!(code(&["walk"]), 10);
    assert_eq!(code(&["write"]), 10);
    let all = |entry: &str| {
        let words = ["check", "a.c", "--timeout", "60", "--entry", entry];
        let output = command().current_dir(folder.path()).args(words).output().unwrap();
        Finished::from(output).code
    };
    // An address that was a number, an object that was freed, and the byte before an object.
    assert_eq!(["number", "gone", "before"].map(all), [10, 10, 10]);
    assert_eq!(all("behind"), 0);
}

/// A function whose comments say what callers pass, and some whose comments are wrong.
const CONTRACTS: &str = r#"extern void reach_error(void);
#define STEP 1
/*@ requires 0 <= n; requires n <= len(a);
  @ assigns \nothing;
  @*/
int last(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i += STEP) s = i;
    if (n < 0 || s > n) reach_error();
    return n > 0 ? a[n - 1] : 0;
}
//@ requires 0 < k;
// Fewer than ten.
//@ requires k < 10;
static int both(int k) { if (k < 1 || k > 8) reach_error(); return k; }
//@ require 0 < k;
int misspelt(int k) { return k; }
//@ requires 0 < k
int unfinished(int k) { return k; }
//@ requires 0 < j;
int unknown_name(int k) { return k; }
//@ requires \valid(p);
int other_language(int *p) { return *p; }
int main(void) { return misspelt(1); }
"#;

#[test]
fn contract_comments_say_what_callers_pass() {
    let folder = Folder::new("entry-contract");
    folder.file("a.c", CONTRACTS);
    let last = check(&folder, &["a.c", "--entry", "last", "--check", "bounds"]);
    assert_eq!(last.code, 0, "{last:?}");
    assert!(last.stdout.contains("`0 <= n` at the start at a.c:3:5"), "{}", last.stdout);
    assert!(last.stdout.contains("`n <= len(a)` at the start at a.c:3:22"), "{}", last.stdout);
    let both = check(&folder, &["a.c", "--entry", "both", "--check", "none"]);
    assert_eq!(both.code, 10, "{both:?}");
    assert!(both.stdout.contains("9 for the parameter k"), "{}", both.stdout);
    let narrower = check(&folder, &["a.c", "--entry", "both", "--check", "none", "--assume", "k < 9"]);
    assert_eq!(narrower.code, 0, "{narrower:?}");
    for (entry, place, message) in [
        ("misspelt", "a.c:17:5", "`require` is no clause of a contract; `requires` is one"),
        ("unfinished", "a.c:19:5", "the clause `requires` of a contract does not end with `;`"),
        ("unknown_name", "a.c:21:5", "the condition `0 < j`: `j` is no integer parameter"),
        ("other_language", "a.c:23:5", "the condition `\\valid(p)`: `\\` is not expected"),
    ] {
        let refused = check(&folder, &["a.c", "--entry", entry]);
        assert_eq!(refused.code, 2, "{entry}: {refused:?}");
        assert!(refused.stderr.contains(&format!("error: {message}")), "{}", refused.stderr);
        assert!(refused.stderr.contains(place), "{}", refused.stderr);
    }
    // The program as a whole is not about callers of one function.
    assert_eq!(check(&folder, &["a.c", "--check", "none"]).code, 0);
}

#[test]
fn conditions_that_contradict_each_other_are_told() {
    let folder = Folder::new("entry-vacuous");
    folder.file("a.c", "int a[4];\nint f(int n, int m)\n{\n    return a[n - m];\n}\n");
    let told = |conditions: &[&str]| {
        let words: Vec<&str> = conditions.iter().flat_map(|condition| ["--assume", *condition]).collect();
        let mut command = command();
        command.current_dir(folder.path()).args(["check", "a.c", "--entry", "f"]).args(words);
        let finished: Finished = command.output().unwrap().into();
        (finished.code, finished.stdout.contains("never executed: the code at a.c:2:1"))
    };
    assert_eq!(told(&["n > 10", "n < 5"]), (0, true));
    assert_eq!(told(&["n > m", "m > n"]), (0, true));
    assert_eq!(told(&["n > m", "m >= 0", "n < 4"]), (0, false));
    assert_eq!(told(&["n > m"]), (10, false));
}
