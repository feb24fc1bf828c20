//! Programs that fuzzing of verdicts found, made small, and claims that the check of proofs must not believe.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::Budget;
use certify::{Certified, certify};
use cfa::{Loc, Program};
use encode::Vocabulary;
use engine::{Env, Recorder, Settings};
use passes::Prepared;
use term::{TermId, Terms};
use values::state::State;
use verdict::{Annotation, Claim, Proof, Reason, Verdict};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
     extern void reach_error(void);\n#define IN() __VERIFIER_nondet_int()\n";

fn solve(body: &str, engine: &str) -> Certified {
    let text = format!("{PRELUDE}{body}").into_bytes().into();
    let input = cfront::Input::Text { name: "test.c".to_owned(), text };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    let program = cfront::compile(&[input], &options).expect("the program should compile").program;
    let deadline = Instant::now() + Duration::from_secs(60);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::unlimited().with_deadline(Some(deadline)), &recorder);
    let spec = engines::find(engine).expect("the engine should exist");
    let verdict = (spec.configure)(&Settings::default()).solve(&Prepared::of(&program), &mut env);
    certify(&Prepared::of(&program), verdict, &mut env.logic.budget)
}

/// What the analysis knows of a product, or of the elements of an array, and formulas do not say.
const SAFE: &[(&str, &str)] = &[
    (
        "a congruence of a product",
        "int main(void) { int n = IN(), m = IN(), x = 0; __VERIFIER_assume(n >= 0 && n <= 2);
         __VERIFIER_assume(m >= 0 && m <= 2);
         while (n) { x = x + 2; if (m < x) break; x = x * n; } if (x == -1) reach_error(); return 0; }",
    ),
    (
        "elements of an array",
        "int main(void) { int a[4] = { 0 }; int n = IN(), x = 0;
         for (int i = 0; i < n; i++) { x = a[i & 3]; a[x & 3] = (i & 1) * 4 + 4; }
         if (x % 4 != 0) reach_error(); return 0; }",
    ),
];

#[test]
fn what_the_analysis_knows_can_be_proved_again() {
    for (name, body) in SAFE {
        for engine in ["gps", "gps-lite", "impact", "cra"] {
            let certified = solve(body, engine);
            assert!(matches!(certified.verdict(), Verdict::Safe(_)), "{name}, {engine}: {certified:?}");
        }
    }
}

#[test]
fn a_cover_by_the_sign_of_a_product_can_be_proved_again() {
    let body = "int main(void) { int n = IN(), m = IN(), x = 0, first = 1; long i = 0;
        __VERIFIER_assume(n >= 0 && n <= 1); __VERIFIER_assume(m >= 0 && m <= 1);
        while (first) { first = 0; x = x + m; } while (n) { x = x % x; i = i + 1; }
        if (!(x - i * x <= 1)) reach_error(); return 0; }";
    let certified = solve(body, "impact");
    assert!(matches!(certified.verdict(), Verdict::Safe(_)), "{certified:?}");
}

/// An annotation of a program with one array, `a`, whose elements are claimed to be zero at some locations.
fn claim(program: &Program, zero_at: &[u32], never: &[(u32, TermId)]) -> Verdict {
    let mut terms = Terms::new();
    let vocabulary = Vocabulary::of(program, program.entry, &mut terms);
    let init = program.procs[program.entry]
        .edges()
        .iter()
        .flat_map(|edge| &edge.ops)
        .find(|op| matches!(op, cfa::Op::Init { .. }))
        .expect("the program should initialise its array");
    let mut zero = State::new();
    assert!(zero.execute(program, init), "initialising is always defined");
    let mut claims = BTreeMap::new();
    for (location, never) in never {
        let facts = if zero_at.contains(location) { zero.clone() } else { State::new() };
        let claim = Claim { facts: Some(facts), never: *never, instances: vec![Vec::new()] };
        claims.insert(Loc(*location), claim);
    }
    let annotation = Annotation::of(&terms, &vocabulary, program.entry, &claims, &BTreeMap::new());
    Verdict::Safe(Proof::Annotation(Arc::new(annotation)))
}

#[test]
fn claims_about_arrays_are_not_believed() {
    let text = |write: &str| {
        format!(
            "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  local a : i32[8]\n\
             local x : i32\n  local n : i32\n  entry l0\n  exit l1\n  error l4\n  loc l2\n  loc l3\n\
             l0 -> l2 : init a zero\n  l2 -> l2 : havoc n input \"nondet\" at @f0:1:1-1:2 ; {write}\n  l2 -> l3 : x := a[0:i64]\n\
             l3 -> l4 : assume x != 0:i32\n  l3 -> l1 : assume x == 0:i32\n}}\n"
        )
    };
    let check = |write: &str, zero_at: &[u32]| {
        let program = cfa::text::parse("test.cfa", &text(write)).expect("the program should be well formed");
        let task = Prepared::of(&program);
        let prepared = task.program();
        let error = prepared.procs[prepared.entry].error.expect("the error should still be there");
        let never = [(0, Terms::FALSE), (2, Terms::FALSE), (error.0, Terms::TRUE)];
        let verdict = claim(prepared, zero_at, &never);
        certify(&Prepared::of(&program), verdict, &mut Budget::unlimited()).verdict().clone()
    };
    assert!(matches!(check("a[1:i64] := 0:i32", &[2]), Verdict::Safe(_)));
    for (write, zero_at) in [("a[0:i64] := 5:i32", &[2][..]), ("a[1:i64] := 0:i32", &[0, 2])] {
        let verdict = check(write, zero_at);
        let Verdict::Unknown(Reason::NotCertified { why }) = verdict else { panic!("{write}: {verdict:?}") };
        assert!(why.contains("known of arrays"), "{why}");
    }
}

/// The instances of an annotation choose values for symbols of `never`, not for variables: those have the values that they have.
#[test]
fn instances_for_variables_are_not_believed() {
    let text = "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\nproc %start() {\n  local x : i32\n\
         entry l0\n  exit l1\n  error l4\n  loc l2\n  l0 -> l2 : x := 0:i32\n\
         l2 -> l2 : assume x < 9:i32 ; x := x + 1:i32\n  l2 -> l4 : assume 9:i32 <= x\n}\n";
    let program = cfa::text::parse("test.cfa", text).expect("the program should be well formed");
    let task = Prepared::of(&program);
    let prepared = task.program();
    let procedure = &prepared.procs[prepared.entry];
    let error = procedure.error.expect("the error should still be there");
    let forest = procedure.loops();
    let head = forest.loops().iter().next().expect("the loop should still be there").header;
    let mut terms = Terms::new();
    let vocabulary = Vocabulary::of(prepared, prepared.entry, &mut terms);
    let x = prepared.vars.ids().find_map(|var| vocabulary.symbol(var)).expect("x should have a symbol");
    let variable = terms.of_symbol(x);
    let (three, ten) = (terms.int(3), terms.int(10));
    let more = terms.gt(variable, three);
    let claim = |never: TermId, instance: Vec<(term::SymbolId, TermId)>| Claim {
        facts: Some(State::new()),
        never,
        instances: vec![instance],
    };
    // With x replaced by 10, that x is at most 3 becomes a contradiction, from which everything follows.
    let claims = BTreeMap::from([
        (procedure.entry, claim(Terms::FALSE, Vec::new())),
        (head, claim(more, vec![(x, ten)])),
        (error, claim(Terms::TRUE, Vec::new())),
    ]);
    let annotation = Annotation::of(&terms, &vocabulary, prepared.entry, &claims, &BTreeMap::new());
    let verdict = Verdict::Safe(Proof::Annotation(Arc::new(annotation)));
    let certified = certify(&Prepared::of(&program), verdict, &mut Budget::unlimited());
    let Verdict::Unknown(Reason::NotCertified { why }) = certified.verdict() else {
        panic!("a wrong proof is accepted")
    };
    assert!(why.contains("an instance chooses"), "{why}");
}

#[test]
fn what_the_library_defines_is_not_chosen() {
    let found = |condition: &str| {
        let body = format!(
            "extern double sin(double);\nextern double tan(double);\nextern double sensor(double);\nint main(void) {{ int x = IN(); \
             if ({condition}) reach_error(); return 0; }}"
        );
        solve(&body, "gps").verdict().clone()
    };
    let verdict = found("tan(x) > 7.0");
    assert!(matches!(verdict, Verdict::Unknown(Reason::Overapproximated { .. })), "{verdict:?}");
    let verdict = found("sin(x) > 7.0");
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    let verdict = found("sensor(x) > 7.0");
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
}
