//! The search on the programs of the paper and on those that the prior implementation got wrong: certified verdicts of every engine.

mod guided;

use base::Budget;
use certify::{Certified, certify};
use cfa::Program;
use engine::{Counter, Env, Part, Recorder, SearchTree, Settings, TreeWanted};
use passes::Prepared;
use verdict::{Proof, Verdict};

/// Ticks for an engine that may never end.
const MAX_TICKS: u64 = 20_000;

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
     extern void reach_error(void);\n#define IN() __VERIFIER_nondet_int()\n#define UIN() __VERIFIER_nondet_uint()\n";

fn compile(body: &str) -> Program {
    let text = format!("{PRELUDE}{body}").into_bytes().into();
    let input = cfront::Input::Text { name: "test.c".to_owned(), text };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    cfront::compile(&[input], &options).expect("the program should compile").program
}

/// A run: what was said, what was counted, what was spent, and the tree.
struct Run {
    certified: Certified,
    recorder: Recorder,
    spent: u64,
}

impl Run {
    fn total(&self, counter: Counter) -> u64 {
        self.recorder.get(counter)
    }
    fn tree(&self) -> Option<SearchTree> {
        self.recorder.search_tree()
    }
}

fn solve(body: &str, engine: &str, without: &[Part]) -> Run {
    // Programs without error or end would hang here: they do not belong in this list.
    solve_within(body, engine, without, Budget::unlimited())
}

fn solve_within(body: &str, engine: &str, without: &[Part], budget: Budget) -> Run {
    let program = compile(body);
    let recorder = Recorder::new(TreeWanted::Yes);
    let mut env = Env::new(budget, &recorder);
    let spec = engines::find(engine).expect("the engine should exist");
    let engine =
        spec.create(&Settings::leaving_out(without.iter().copied())).expect("the engine should have that");
    let verdict = engine.solve(&Prepared::of(&program), &mut env);
    let spent = env.logic.budget.spent();
    Run { certified: certify(&Prepared::of(&program), verdict, &mut Budget::unlimited()), recorder, spent }
}

fn word(certified: &Certified) -> &'static str {
    match certified.verdict() {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    }
}

const EX1: &str = "int main(void) { int n = IN(), i = 0, min = 0; while (i < n) { min++; i++; }
    if (min < 1000) return 0; reach_error(); }";
const MACHINE: &str = "int main(void) { int s = 0; while (1) { int c = IN(); if (c == 'd' && s == 0) s = 1;
    else if (c == 'o' && s == 1) s = 2; else if (c == 'g' && s == 2) s = 3; if (s == 3) reach_error(); } }";

/// Programs with their verdicts.
const PROGRAMS: &[(&str, &str)] = &[
    ("unsafe", EX1),
    ("unsafe", MACHINE),
    // The other two examples of the paper.
    (
        "safe",
        "int main(void) { int n = IN(), r = 0; while (n > 0) { r = r + n; n--; } if (r == 2) reach_error(); return 0; }",
    ),
    (
        "safe",
        "int main(void) { int n = IN(), m = IN(), x = 2; while (n-- > 0) x = 2 * x; while (m-- > 0) x = x - 2;
         if (x == 1) reach_error(); return 0; }",
    ),
    // Combinations of a state and a flag.
    (
        "safe",
        "int main(void) { int state = 10, next = 0, flag = 0; while (1) {
         if (state == 10) { if (flag == 0) flag = 1; state = IN() ? 20 : 30; }
         else if (state == 20) { if (flag == 1) flag = 2; next = 40; state = 50; }
         else if (state == 30) { if (flag == 1) flag = 3; next = 10; state = 50; }
         else if (state == 40) { if (flag == 3) reach_error(); state = 20; }
         else if (state == 50) { state = flag == 3 ? 60 : next; } else return 0; } }",
    ),
    (
        "unsafe",
        "int main(void) { int state = 10, next = 0, flag = 0; while (1) {
         if (state == 10) { if (flag == 0) flag = 1; state = IN() ? 20 : 30; }
         else if (state == 20) { if (flag == 1) flag = 2; next = 40; state = 50; }
         else if (state == 30) { if (flag == 2) flag = 3; next = 10; state = 50; }
         else if (state == 40) { if (flag == 3) reach_error(); state = IN() ? 20 : 30; }
         else if (state == 50) { state = next; } else return 0; } }",
    ),
    // Products: of variables in the text, and of a counter and a step.
    (
        "safe",
        "int main(void) { int x = IN(), y = IN(); long long q = 0, r = x; if (x < 0 || y < 1) return 0;
         while (r >= y) { r -= y; q++; } if (q * y + r != x) reach_error(); return 0; }",
    ),
    (
        "unsafe",
        "int main(void) { int x = IN(), y = IN(); long long q = 0, r = x; if (x < 0 || y < 1) return 0;
         while (r >= y) { r -= y; q++; } if (q * y + r == x + 1 || q * y > 76 && q * y < 78) reach_error(); return 0; }",
    ),
    (
        "safe",
        "int main(void) { int a = IN(), n = IN(), b = 0, i = 0, c = 0, j = 0; if (a < 1 || a > 99 || n > 99) return 0;
         while (b < n) { b += a; i++; } while (c < n) { c += a; j++; } if (i != j) reach_error(); return 0; }",
    ),
    (
        "unsafe",
        "int main(void) { int a = IN(), n = IN(), b = 0, i = 0, c = 0, j = 0; if (a < 1 || a > 99 || n > 99) return 0;
         while (b < n) { b += a; i++; } while (c <= n) { c += a; j++; } if (i != j) reach_error(); return 0; }",
    ),
    // The prior implementation says safe of these three.
    (
        "unsafe",
        "int main(void) { int n = IN(), m = IN(), z = IN(), x = 2;
         while (n-- > 0) { if (n == 0 && z == 12345) x = x + 1; else x = 2 * x; }
         while (m-- > 0) x -= 2; if (x == 1) reach_error(); return 0; }",
    ),
    (
        "unsafe",
        "int main(void) { int n = IN(), m = IN(), z = IN(), x = 2;
         while (n > 0) { if (n == z) x = 3; else x = 2 * x; n--; }
         while (m > 0) { x -= 2; m--; } if (x == 1) reach_error(); return 0; }",
    ),
    (
        "unsafe",
        "int main(void) { int n = IN(), m = IN(), x = 2;
         while (n > 0) { if (n == 1 && x > 60) x = 65; else x = 2 * x; n--; }
         while (m > 0) { x -= 2; m--; } if (x == 1) reach_error(); return 0; }",
    ),
    // Machine integers.
    ("unsafe", "int main(void) { unsigned x = UIN(); if (x + 1 < x) reach_error(); return 0; }"),
    ("safe", "int main(void) { unsigned x = UIN(); if (x > 100) return 0; if (x + 1 < x) reach_error(); return 0; }"),
    ("unsafe", "int main(void) { int i = 0; while (i < 100000) i++; if (i == 100000) reach_error(); return 0; }"),
    (
        "safe",
        "int main(void) { int lock = 0, i; do { lock = 1; i = IN(); if (i) lock = 0; } while (i);
         if (lock == 0) reach_error(); return 0; }",
    ),
    (
        "safe",
        "int main(void) { unsigned n = UIN(), i = 0, j = 0; if (n > 1000) return 0; while (i < n) i++; while (j < i) j++;
         if (j != n) reach_error(); return 0; }",
    ),
];

#[test]
fn gps_decides_the_worked_examples() {
    for (expected, program) in PROGRAMS {
        let Run { certified, .. } = solve(program, "gps", &[]);
        assert_eq!(word(&certified), *expected, "{program}: {:?}", certified.verdict());
    }
}

#[test]
fn no_engine_is_ever_wrong_on_them() {
    let ways: [(&str, &[Part]); 9] = [
        ("gps", &[Part::Gas]),
        ("gps", &[Part::Summaries]),
        ("gps", &[Part::Congruences]),
        ("gps-lite", &[]),
        ("impact", &[]),
        ("cra", &[]),
        ("path-invariants", &[]),
        ("path-invariants", &[Part::Summaries]),
        ("explicit", &[]),
    ];
    let mut decided = 0;
    for (expected, program) in PROGRAMS {
        for (engine, without) in ways {
            // Some never end on some of these; what counts is what they say if they do.
            let Run { certified, .. } = solve_within(program, engine, without, Budget::ticks(MAX_TICKS));
            let verdict = word(&certified);
            assert!(
                verdict == *expected || verdict == "unknown",
                "{program} by {engine} without {without:?}: {verdict}"
            );
            decided += usize::from(verdict != "unknown");
        }
    }
    // The ratchet of what each engine decides is tests/corpus; this is here so that the test can fail.
    assert!(decided * 2 > PROGRAMS.len() * ways.len(), "{decided} of {}", PROGRAMS.len() * ways.len());
}

#[test]
fn the_first_guided_test_finds_a_distant_error() {
    let run = solve(EX1, "gps", &[]);
    assert_eq!(word(&run.certified), "unsafe");
    assert_eq!((run.total(Counter::Tests), run.total(Counter::TreeNodes)), (1, 1));
}

#[test]
fn gas_makes_the_state_machine_progress() {
    let run = solve(MACHINE, "gps", &[]);
    assert_eq!(word(&run.certified), "unsafe");
    assert_eq!(run.total(Counter::Tests), 1);
}

#[test]
fn the_divisor_comes_out_of_the_number_of_rounds() {
    // The summary of the second loop of example 3 has x - 2k = 1 for some k; eliminating k leaves that x is even.
    let program = compile(PROGRAMS[3].1);
    let Run { certified, .. } = solve(PROGRAMS[3].1, "gps", &[Part::Congruences]);
    let Verdict::Safe(Proof::Annotation(annotation)) = certified.verdict() else {
        panic!("{:?}", certified.verdict())
    };
    let (ticks, mut budget) = (explain::READING_TICKS, Budget::unlimited());
    let invariants = explain::source_invariants(&Prepared::of(&program), annotation, ticks, &mut budget);
    assert!(invariants.iter().all(|invariant| invariant.text.contains("x % 2 == 0")), "{invariants:?}");
    assert_eq!(invariants.len(), 2);
}

#[test]
fn two_runs_are_the_same() {
    // The solver's state belongs to a thread, as it belongs to a process for the user.
    let run = |program: &'static str| {
        let work = move || {
            let run = solve(program, "gps", &[]);
            (run.certified.verdict().clone(), run.recorder.statistics(), run.tree())
        };
        std::thread::spawn(work).join().expect("the search should not panic")
    };
    for (_, program) in PROGRAMS {
        assert_eq!(run(program), run(program), "{program}");
    }
}

#[test]
fn no_frontier_starves() {
    // One branch is a loop without end, of whose values no summary tells anything; the error is in the other one.
    let program = "int main(void) { int x = IN(), y = IN();
        if (x > 0) { while (1) { y = IN(); if (y % 1000 * (x % 1000) == 77) y = 0; } }
        else { int n = 0; while (n < 5) { n++; if (IN() == n) { if (n == 4) reach_error(); } else return 0; } }
        return 0; }";
    let Run { certified, .. } = solve(program, "gps", &[]);
    assert_eq!(word(&certified), "unsafe", "{:?}", certified.verdict());
}

/// A nest of loops around a value that stays small.
fn nest(depth: usize) -> String {
    let heads: Vec<String> =
        (0..depth).map(|level| format!("for (int i{level} = 0; i{level} < n; i{level}++)")).collect();
    let heads = heads.join(" ");
    format!(
        "int main(void) {{ int n = __VERIFIER_nondet_int(); int s = 0; {heads}\n\
         {{ s = __VERIFIER_nondet_int(); if (s > 5) s = 5; }}\n if (s > 5) reach_error(); return 0; }}\n"
    )
}

#[test]
fn summaries_of_nests_cost_no_power_of_their_depth() {
    let spent = |depth: usize| {
        let Run { certified, spent, .. } = solve(&nest(depth), "cra", &[]);
        assert!(matches!(certified.verdict(), Verdict::Safe(_)), "{depth}: {certified:?}");
        spent
    };
    let [low, middle, high] = [4, 12, 20].map(spent);
    let (first, second) = (middle - low, high - middle);
    assert!(second < 2 * first, "{low}, {middle} and {high} ticks for nests of depth 4, 12 and 20");
}
