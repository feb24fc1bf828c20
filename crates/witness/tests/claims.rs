//! Witnesses as programs: what is woven, what is proved of it, and what people read.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use std::fmt::Write;

use base::Budget;
use certify::Certified;
use cfa::{DataModel, Program};
use expect_test::{Expect, expect};
use verdict::{Proof, Reason, Verdict};
use witness::claim::{self, Reading};
use witness::correctness::readable;
use witness::format::{
    self, Branch, Claims, Content, Invariant, InvariantKind, Location, Segment, Task, Waypoint, WaypointKind,
    Witness,
};
use witness::fresh::Fresh;
use witness::question::{Asked, Hashes, Question, Text};
use witness::validate::{Judgement, validate};

fn question(text: &str) -> Question {
    let options = cfront::Options::new(DataModel::Lp64);
    let text = Text::new("test.c", text.as_bytes().into(), options.preprocess.clone()).unwrap();
    Question { texts: vec![text], options, asked: Asked::Exactly, hashes: Hashes::Equal }
}

fn at(line: u32, column: Option<u32>) -> Location {
    Location { file: "test.c".to_owned(), line, column }
}

fn invariant(kind: InvariantKind, line: u32, value: &str) -> Invariant {
    Invariant { location: at(line, None), kind, value: value.to_owned() }
}

fn witness(text: &str, content: Content) -> Witness {
    let task = Task {
        files: vec![("test.c".to_owned(), format::hash(text.as_bytes()))],
        specification: "G ! call(reach_error())".to_owned(),
        data_model: "LP64".to_owned(),
    };
    Witness { task, content }
}

/// The judgement without any engine.
fn judged(text: &str, content: Content) -> Judgement {
    let mut nobody = |_: &Program, _: &mut Budget| Certified::unknown(Reason::NotProgressing);
    validate(&witness(text, content), &mut question(text), &mut nobody, &mut Budget::unlimited())
}

fn loops(values: &[(u32, &str)]) -> Content {
    let invariants = values.iter().map(|(line, value)| invariant(InvariantKind::Loop, *line, value));
    Content::Correctness(Claims { invariants: invariants.collect(), contracts: Vec::new() })
}

/// The text with checks.
fn woven(text: &str, invariants: &[Invariant]) -> Vec<u8> {
    let texts = question(text).texts;
    let fresh = Fresh::choose(&texts).unwrap();
    let claims = Claims { invariants: invariants.to_vec(), contracts: Vec::new() };
    claim::correctness(&texts, &claims, &fresh).unwrap()[0].text.to_vec()
}

/// The invariants that people read of the proof that the given ones make.
fn read_back(text: &str, invariants: &[Invariant], expected: &Expect) {
    let question = question(text);
    let fresh = Fresh::choose(&question.texts).unwrap();
    // The variable of a `for` may not occur in a witness, but it may in a proof: so the expressions are put in afterwards.
    let plain: Vec<Invariant> =
        invariants.iter().map(|invariant| Invariant { value: "1".to_owned(), ..invariant.clone() }).collect();
    let woven = String::from_utf8(woven(text, &plain)).unwrap();
    let woven = invariants
        .iter()
        .fold(woven, |woven, invariant| woven.replacen("((1))", &format!("(({}))", invariant.value), 1));
    // What `validate` does with the markers, done by the front end.
    let woven = woven.replace(&format!("{}()", fresh.stop), "(__builtin_trap(), 0)");
    let mut options = question.options.clone();
    options.lower.error_functions.push(fresh.error.clone());
    let input = cfront::Input::Text { name: "test.c".to_owned(), text: woven.as_bytes().into() };
    let program = cfront::compile(&[input], &options).unwrap().program;
    let mut budget = Budget::unlimited();
    let task = passes::Prepared::of(&program);
    let verdict = witness::inductive::checks_as_invariants(&task, &fresh.check, &mut budget).unwrap();
    let certified = certify::certify(&task, verdict, &mut budget);
    let Verdict::Safe(Proof::Annotation(annotation)) = certified.verdict() else {
        panic!("{:?}", certified.verdict())
    };
    let found = explain::source_invariants(&task, annotation, explain::READING_TICKS, &mut budget);
    let text = Text::new("test.c", woven.as_bytes().into(), question.options.preprocess).unwrap();
    let mut shown = String::new();
    for readable in readable(&found, &program.sources, &[text]) {
        let Invariant { location, kind, value } = &readable.invariant;
        let portable = match &readable.portable {
            Some(portable) if portable == &readable.invariant => String::new(),
            Some(portable) => format!(" (outside: {})", portable.value),
            None => " (inside)".to_owned(),
        };
        let _ = writeln!(shown, "{kind:?} {}: {value}{portable}", location.line);
    }
    expected.assert_eq(&shown);
}

const SUM: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0, s = 0;
    if (n < 0 || n > 1000) return 0;
    while (i < n) {
        i = i + 1;
        s = s + 2;
    }
    if (s != 2 * n) reach_error();
    return 0;
}
";

#[test]
fn inductive_invariants_need_no_engine() {
    let confirmed = "the invariants hold, are inductive and exclude the error";
    assert_eq!(
        judged(SUM, loops(&[(6, "s == 2 * i && i <= n")])),
        Judgement::Confirmed(confirmed.to_owned())
    );
    for value in ["1", "i <= n", "s == 2 * i", "s >= 0"] {
        assert!(matches!(judged(SUM, loops(&[(6, value)])), Judgement::Unknown(_)), "{value}");
    }
    // Two entries for one loop hold together.
    let both = loops(&[(6, "s == 2 * i"), (6, "i <= n")]);
    assert!(matches!(judged(SUM, both), Judgement::Confirmed(_)));
}

#[test]
fn an_invariant_that_is_false_proves_nothing() {
    for value in ["s == 2 * i && i < n", "0", "i > n", "s == 2 * n", "1 / 0 == 0", "s == 2 * n || 1 / 0"] {
        assert!(matches!(judged(SUM, loops(&[(6, value)])), Judgement::Unknown(_)), "{value}");
    }
}

#[test]
fn what_is_proved_can_be_read() {
    let while_loop = [invariant(InvariantKind::Loop, 6, "s == 2 * i && i <= n")];
    read_back(
        SUM,
        &while_loop,
        &expect![[r#"
            Loop 6: n >= i && i >= 0 && n <= 1000 && (long long)s == 2 * (long long)i
        "#]],
    );
    let for_loop = SUM.replace(
        "while (i < n) {\n        i = i + 1;",
        "for (unsigned k = 0; k < n; k++) {\n        i = k + 1;",
    );
    let counter = [invariant(InvariantKind::Loop, 6, "s == 2 * (int)k && k <= (unsigned)n && s <= 2000")];
    read_back(
        &for_loop,
        &counter,
        &expect![[r#"
            Loop 6: n <= 1000 && (long long)n >= (long long)k && (long long)s == 2 * (long long)k (outside: s >= 0 && n <= 1000 && s % 2 == 0 && 2 * (long long)n >= (long long)s)
        "#]],
    );
}

#[test]
fn a_loop_in_a_function_is_one_loop_however_often_it_is_called() {
    let text = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int count(int to) {
    int i = 0;
    do {
        i++;
    } while (i < to);
    return i;
}
int main(void) {
    int a = count(5), b = count(7);
    if (a + b != 12) reach_error();
    return 0;
}
";
    let body = [invariant(InvariantKind::Location, 6, "i >= 0 && i < to")];
    read_back(
        text,
        &body,
        &expect![[r#"
        Location 6: (i >= 0 && i <= 4) || (i >= 0 && i <= 6)
    "#]],
    );
}

#[test]
fn checks_stand_where_the_condition_is_evaluated() {
    let text = "int f(void);\nint main(void) {\n  for (;;) { if (f()) break; }\n  do f(); while (f());\n  while (f()) f();\n}\n";
    let all: Vec<Invariant> = (3..6).map(|line| invariant(InvariantKind::Loop, line, "1")).collect();
    let woven = woven(text, &all);
    expect![[r#"
        extern int __VERIFIER_nondet_witness_check(void), __VERIFIER_nondet_witness_begin(int), __VERIFIER_nondet_witness_stop(void), __VERIFIER_nondet_witness_error(void); int f(void);
        int main(void) {
          for (; ((__VERIFIER_nondet_witness_check() ? (__VERIFIER_nondet_witness_begin(0), ((1)) ? __VERIFIER_nondet_witness_stop() : __VERIFIER_nondet_witness_error()) : 0), 1);) { if (f()) break; }
          do f(); while (((__VERIFIER_nondet_witness_check() ? (__VERIFIER_nondet_witness_begin(1), ((1)) ? __VERIFIER_nondet_witness_stop() : __VERIFIER_nondet_witness_error()) : 0), (f())));
          while (((__VERIFIER_nondet_witness_check() ? (__VERIFIER_nondet_witness_begin(2), ((1)) ? __VERIFIER_nondet_witness_stop() : __VERIFIER_nondet_witness_error()) : 0), (f()))) f();
        }
    "#]].assert_eq(&String::from_utf8_lossy(&woven));
}

#[test]
fn segments_move_a_counter() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x > 3) reach_error();\n  reach_error();\n}\n";
    let follow = |kind, location| Segment { avoid: Vec::new(), follow: Waypoint { kind, location } };
    let segments = [
        follow(WaypointKind::FunctionReturn(Some(("==".to_owned(), "-5".to_owned()))), at(4, Some(33))),
        follow(WaypointKind::Assumption("x < 0".to_owned()), at(5, None)),
        follow(WaypointKind::Branching(Branch::Truth(false)), at(5, Some(3))),
        follow(WaypointKind::Target, at(6, None)),
    ];
    let texts = question(text).texts;
    let fresh = Fresh::choose(&texts).unwrap();
    let woven = claim::violation(&texts, &segments, &fresh, Reading::Strict).unwrap().0.remove(0);
    expect![[r#"
        int __witness_state; extern int __VERIFIER_nondet_witness_stop(void), __VERIFIER_nondet_witness_choose(void); extern int __VERIFIER_nondet_int(void);
        extern void reach_error(void);
        int main(void) {
          int x = ({ __auto_type __witness_value = __VERIFIER_nondet_int(); if (__witness_state == 0) { if ((__witness_value < 0 && __witness_value == (-5LL))) __witness_state = __witness_state + 1; else __VERIFIER_nondet_witness_stop(); } else ; __witness_value; });
          { if (__witness_state == 1) { if (((x < 0))) __witness_state = __witness_state + 1; else __VERIFIER_nondet_witness_stop(); } else ; } if (({ int __witness_value = (x > 3) ? 1 : 0; if (__witness_state == 2) { if (!__witness_value) __witness_state = __witness_state + 1; else __VERIFIER_nondet_witness_stop(); } else ; __witness_value; })) reach_error();
          reach_error();
        }
    "#]].assert_eq(&String::from_utf8_lossy(&woven.text));
    let loose = claim::violation(&texts, &segments, &fresh, Reading::Loose).unwrap().0.remove(0);
    expect![[r#"
        int __witness_state; extern int __VERIFIER_nondet_witness_stop(void), __VERIFIER_nondet_witness_choose(void); extern int __VERIFIER_nondet_int(void);
        extern void reach_error(void);
        int main(void) {
          int x = ({ __auto_type __witness_value = __VERIFIER_nondet_int(); if (__witness_state == 0) { if ((__witness_value < 0 && __witness_value == (-5LL))) __witness_state = __witness_state + 1; else { } } else ; __witness_value; });
          { if (__witness_state == 1) { if (((x < 0))) __witness_state = __witness_state + 1; else { } }  } if (({ int __witness_value = (x > 3) ? 1 : 0; if (__witness_state == 2) { if (!__witness_value) __witness_state = __witness_state + 1; else __VERIFIER_nondet_witness_stop(); } else ; __witness_value; })) reach_error();
          reach_error();
        }
    "#]]
    .assert_eq(&String::from_utf8_lossy(&loose.text));
    assert!(matches!(judged(text, Content::Violation(segments.to_vec())), Judgement::Confirmed(_)));
    let mut wrong = segments.to_vec();
    wrong[2].follow.kind = WaypointKind::Branching(Branch::Truth(true));
    assert!(matches!(judged(text, Content::Violation(wrong)), Judgement::Unknown(_)));
    let mut moved = segments.to_vec();
    moved[3].follow.location = at(5, Some(14));
    assert!(matches!(judged(text, Content::Violation(moved)), Judgement::Unknown(_)));
    let mut elsewhere = segments.to_vec();
    elsewhere[3].follow.location = at(4, None);
    assert!(matches!(judged(text, Content::Violation(elsewhere)), Judgement::Refuted(_)));
}
