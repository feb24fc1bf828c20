//! Programs with one execution are decided by carrying it out, by every engine.

use base::Budget;
use certify::{Certified, certify};
use cfa::Program;
use engine::{Env, Recorder, Settings};
use engines::ENGINES;
use passes::Prepared;
use verdict::{Proof, Reason, Verdict};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                       void *malloc(unsigned long);\nvoid free(void *);\n";

fn compile(body: &str) -> Program {
    let text = format!("{PRELUDE}{body}").into_bytes().into();
    let input = cfront::Input::Text { name: "test.c".to_owned(), text };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    cfront::compile(&[input], &options).expect("the program should compile").program
}

fn solve(engine: &str, program: &Program, budget: Budget) -> (Certified, u64, Recorder) {
    let recorder = Recorder::default();
    let mut env = Env::new(budget, &recorder);
    let spec = engines::find(engine).expect("the engine should exist");
    let verdict = (spec.configure)(&Settings::default()).solve(&Prepared::of(program), &mut env);
    let spent = env.logic.budget.spent();
    (certify(&Prepared::of(program), verdict, &mut Budget::unlimited()), spent, recorder)
}

fn word(certified: &Certified) -> &'static str {
    match certified.verdict() {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(reason) => reason.code(),
    }
}

/// Programs that only an execution decides: calls of themselves, memory, hashes, floating point.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "safe",
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
         int main(void) { if (fib(15) != 610) reach_error(); return 0; }",
    ),
    (
        "unsafe",
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
         int main(void) { if (fib(15) == 610) reach_error(); return 0; }",
    ),
    (
        "safe",
        "int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
         int main(void) { if (depth(100000) != 100000) reach_error(); return 0; }",
    ),
    (
        "unsafe",
        "int even(int n); int odd(int n) { return n == 0 ? 0 : even(n - 1); }
         int even(int n) { return n == 0 ? 1 : odd(n - 1); }
         int main(void) { int (*f)(int) = even; if (f(1000)) reach_error(); return 0; }",
    ),
    (
        "unsafe",
        "struct node { unsigned key; struct node *next; };
         int main(void) { struct node *list = 0; unsigned sum = 0;
         for (unsigned i = 0; i < 500; i++) { struct node *n = malloc(sizeof *n); n->key = i; n->next = list; list = n; }
         while (list) { struct node *n = list; list = n->next; sum += n->key; free(n); }
         if (sum == 124750) reach_error(); return 0; }",
    ),
    (
        "safe",
        "int main(void) { unsigned h = 17; int i = 0;
         again: h = h * 31 ^ (h >> 7); if (++i < 30000) goto again;
         double x = h; if (x / 3 * 3 > x * 2) reach_error(); return 0; }",
    ),
    // An input that nobody looks at.
    (
        "safe",
        "int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }
         int main(void) { int unused = __VERIFIER_nondet_int(); if (sum(100) != 5050) reach_error(); return 0; }",
    ),
    // The error is before the first input.
    (
        "unsafe",
        "int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }
         int main(void) { if (sum(100) == 5050) reach_error(); return sum(__VERIFIER_nondet_int() & 7); }",
    ),
];

#[test]
fn every_engine_decides_what_only_an_execution_decides() {
    for (expected, body) in PROGRAMS {
        let program = compile(body);
        for spec in ENGINES {
            let (certified, ..) = solve(spec.name, &program, Budget::unlimited());
            assert_eq!(word(&certified), *expected, "{}: {body}", spec.name);
            if let Verdict::Safe(proof) = certified.verdict() {
                assert!(matches!(proof, Proof::Execution(_)), "{}: {body}", spec.name);
            }
        }
    }
}

#[test]
fn a_refusal_is_still_said_where_an_arbitrary_value_matters() {
    for body in [
        "int sum(int n) { return n <= 0 ? 0 : 1 + sum(n / 2) + sum(n - 1 - n / 2); }
         int main(void) { if (sum(__VERIFIER_nondet_int() & 1023) > 1023) reach_error(); return 0; }",
        "int sum(int n) { return n <= 0 ? 0 : 1 + sum(n / 2) + sum(n - 1 - n / 2); }
         int main(void) { int n; if (sum(n & 1023) > 1023) reach_error(); return 0; }",
    ] {
        let program = compile(body);
        for engine in ["gps-lite", "impact", "cra"] {
            let (certified, spent, _) = solve(engine, &program, Budget::unlimited());
            assert_eq!(word(&certified), "unsupported", "{engine}: {body}");
            assert!(spent < 1_000_000, "{engine}: {spent}");
        }
    }
}

#[test]
fn what_has_no_end_is_left_to_the_engine() {
    let endless = "int main(void) { unsigned x = 0; while (1) { x = x * 2; if (x == 7) reach_error(); } }";
    let program = compile(endless);
    let [first, second] = [0; 2].map(|_| solve("gps", &program, Budget::unlimited()));
    assert_eq!((word(&first.0), word(&second.0)), ("safe", "safe"));
    assert_eq!((first.1, first.2.statistics()), (second.1, second.2.statistics()));
}

#[test]
fn a_long_execution_is_carried_out_by_and_by() {
    // More ticks than the first run has; no summary knows what the loop computes.
    let long = "int main(void) { unsigned x = 1; for (unsigned i = 0; i < 6000000; i++) { x = x * 1664525u + 1013904223u; if (x & 1) x ^= i; }
                if (x == 3) reach_error(); return 0; }";
    let program = compile(long);
    for engine in ["gps", "cra"] {
        let (certified, ..) = solve(engine, &program, Budget::unlimited());
        assert_eq!(word(&certified), "safe", "{engine}");
    }
}

#[test]
fn a_budget_ends_the_run_and_the_engine() {
    let endless = "int f(int n) { return n; } int main(void) { unsigned x = 1; while (1) { x = x * 3 + f(1); if (x == 3000000019u && x % 7 == 9) reach_error(); } }";
    let program = compile(endless);
    for spec in ENGINES {
        let (certified, spent, _) = solve(spec.name, &program, Budget::ticks(100_000));
        assert!(
            !matches!(certified.verdict(), Verdict::Unsafe(_)) && spent <= 100_000,
            "{}: {certified:?}",
            spec.name
        );
    }
    let (certified, ..) = solve("explicit", &program, Budget::ticks(100_000));
    assert_eq!(*certified.verdict(), Verdict::Unknown(Reason::Stopped(base::Stop::Ticks)));
}

/// The violation that samples of executions find.
fn sampled(body: &str) -> bool {
    let program = compile(body);
    engines::sample(&Prepared::of(&program), &mut Budget::unlimited()).is_some()
}

#[test]
fn inputs_near_to_constants_of_the_program_are_tried() {
    let number = |digits: u32, least: u32| {
        format!(
            "extern char __VERIFIER_nondet_char(void);
             int main(void) {{
                 char text[{digits} + 1];
                 for (int i = 0; i < {digits}; i++) text[i] = __VERIFIER_nondet_char();
                 text[{digits}] = 0;
                 unsigned value = 0;
                 for (char *p = text; *p; p++) {{
                     if (*p < '0' || *p > '9') return 0;
                     value = value * 10 + (unsigned)(*p - '0');
                 }}
                 if (value >= {least}u) reach_error();
                 return 0;
             }}"
        )
    };
    assert!(sampled(&number(9, 100_000_000)));
    assert!(!sampled(&number(8, 100_000_000)));
    let mean = |divisor: u32| {
        format!(
            "extern double __VERIFIER_nondet_double(void);
             int main(void) {{
                 double sum = 0;
                 for (int i = 0; i < 4; i++) {{
                     double x = __VERIFIER_nondet_double();
                     if (!(x >= 0.0 && x <= 100.0)) return 0;
                     sum += x;
                 }}
                 if (sum / {divisor} > 100.0) reach_error();
                 return 0;
             }}"
        )
    };
    let commands = "extern char __VERIFIER_nondet_char(void);
        int main(void) {
            int depth = 0;
            for (int i = 0; i < 4; i++) {
                char c = __VERIFIER_nondet_char();
                if (c == '(') depth++;
                else if (c == ')') depth--;
                else if (c != '+') return 0;
            }
            if (depth == 3) reach_error();
            return 0;
        }";
    assert!(sampled(commands));
    assert!(!sampled(&commands.replace("depth == 3", "depth == 5")));
    assert!(sampled(&mean(3)));
    assert!(!sampled(&mean(4)));
}
