//! The reader on good and bad input.

use horn::{print, read};
use term::Terms;

const SYSTEM: &str = "; a comment
(set-logic HORN)
(set-info :status sat)
(declare-fun |P q| (Int Bool) Bool)
(declare-const R Bool)
(define-fun half ((x Int)) Int (div x 2))
(assert (forall ((x Int) (b Bool)) (=> (and (= x 0) b) (|P q| x b))))
(assert (forall ((x Int) (b Bool)) (! (=> (|P q| x b) (let ((y (+ x 1)) (c (not b))) (|P q| y c))) :named n)))
(assert (not (exists ((x Int)) (and (|P q| x true) (or R (distinct x (- x) 3)) (< (half x) (mod x 7) (ite (> x 0) x (abs x)))))))
(assert (forall ((x Int)) (or (not R) (xor (> x 0) (<= x 0)))))
(check-sat)
(exit)
";

fn error(text: &str) -> String {
    let error = read(&mut Terms::new(), text).expect_err("the text should not be a system");
    format!("{error} ({})", error.help)
}

#[test]
fn clauses_of_several_forms_are_read() {
    let mut terms = Terms::new();
    let system = read(&mut terms, SYSTEM).unwrap();
    assert!(system.is_well_formed(&terms));
    // The third assertion has a case for R and one without it; the last one is valid and says nothing.
    assert_eq!((system.predicates.len(), system.clauses.len()), (2, 4));
}

#[test]
fn what_is_printed_is_read_as_the_same_system() {
    let mut terms = Terms::new();
    let system = read(&mut terms, SYSTEM).unwrap();
    let printed = print::system(&terms, &system);
    let again = read(&mut terms, &printed).unwrap();
    assert_eq!(again.clauses.len(), system.clauses.len());
    let bodies = |system: &horn::System| {
        system.clauses.iter().map(|clause| (clause.body.len(), clause.head.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(bodies(&again), bodies(&system));
    assert!(print::rules(&terms, &system).contains("(declare-rel |P q| (Int Bool))"));
}

#[test]
fn errors_have_a_place_and_say_what_to_do() {
    let cases = [
        ("(set-logic LIA)", "1:12: unsupported: logic LIA"),
        ("(declare-fun P (Real) Bool)", "1:17: unsupported: sort Real"),
        ("\n (declare-fun P ((Array Int Real)) Bool)", "2:29: unsupported: sort Real"),
        ("(declare-fun P () Bool)(declare-fun P (Int) Bool)", "1:37: P is declared twice"),
        ("(declare-fun f (Int) Int)", "1:22: unsupported: a function whose result is not Bool"),
        ("(assert (forall ((x Int)) (=> (Q x) false)))", "1:32: Q is neither declared nor an operator"),
        (
            "(assert (forall ((x Int) (y Int)) (=> (= (* x y) 0) false)))",
            "1:42: unsupported: a product of variables",
        ),
        (
            "(assert (forall ((x Int)) (=> (= (div x x) 0) false)))",
            "1:34: unsupported: division by a variable",
        ),
        ("(assert (forall ((x Int)) (=> (= (mod x 0) 0) false)))", "1:34: unsupported: division by zero"),
        ("(assert (exists ((x Int)) (> x 0)))", "1:9: unsupported: exists in this place"),
        (
            "(declare-fun P () Bool)(declare-fun Q () Bool)(assert (or P Q))",
            "1:55: this is not a Horn clause",
        ),
        ("(declare-fun P (Int) Bool)(assert (P true))", "1:35: argument 1 should be of sort Int"),
        ("(declare-fun P (Int) Bool)(assert (P 1 2))", "1:35: 2 arguments are given, 1 are declared"),
        ("(assert (and 1 true))", "1:9: the operands have wrong sorts"),
        ("(assert", "1:1: this is never closed"),
        ("(assert true))", "1:14: this closes nothing"),
        ("(assert x)", "1:9: x is not declared"),
        ("(assert 1.5)", "1:9: unsupported: constant 1.5"),
        ("(assert |x", "1:9: this quoted symbol is never closed"),
        ("(push 1)", "1:2: unsupported: command push"),
        ("(assert (let ((x 1) (y)) true))", "1:23: a term should stand here"),
        // The answer would be about less than the script says.
        (
            "(declare-fun P (Int) Bool)(assert (P 1))(check-sat)\n(assert (=> (P 1) false))",
            "2:2: unsupported: command assert after check-sat",
        ),
        ("(check-sat)(check-sat)", "1:13: unsupported: command check-sat after check-sat"),
        ("(assert true false)", "1:14: the assertion should end here"),
    ];
    for (text, expected) in cases {
        let found = error(text);
        assert!(found.starts_with(expected), "{text}: {found}");
        assert!(found.ends_with(')') && !found.ends_with("()"), "{found}");
    }
}

#[test]
fn deep_input_does_not_exhaust_the_stack() {
    let depth = 200_000;
    let nested = format!("(assert {}x{})", "(not ".repeat(depth), ")".repeat(depth));
    assert!(read(&mut Terms::new(), &format!("(declare-fun x () Bool){nested}")).is_ok());
    let lets = format!("(assert {}true{})", "(let ((a 1)) ".repeat(depth), ")".repeat(depth));
    assert!(read(&mut Terms::new(), &lets).is_ok());
    assert!(read(&mut Terms::new(), &"(".repeat(depth)).is_err());
    let sums = format!(
        "(assert (forall ((x Int)) (=> (> {}x{} 0) false)))",
        "(+ 1 ".repeat(depth),
        ")".repeat(depth)
    );
    assert!(read(&mut Terms::new(), &sums).is_ok());
}

/// A generator of numbers that is the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut words: Vec<String> = text.split_inclusive([' ', '(', ')', '\n']).map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(5) {
            0 => drop(words.remove(at)),
            1 => words.swap(at, other),
            2 => {
                let copy = words[other].clone();
                words[at] = copy;
            }
            3 => words.insert(
                at,
                ["(", ")", "0", "-", "|", "true", "forall ", "R ", "\u{e4}"][random.below(9)].to_owned(),
            ),
            _ => {
                let length = words[at].len();
                let cut = (0..=random.below(length)).rev().find(|cut| words[at].is_char_boundary(*cut));
                words[at].truncate(cut.unwrap_or(0));
            }
        }
        if words.is_empty() {
            words.push("(".to_owned());
        }
    }
    words.concat()
}

/// `WAYPROOF_FUZZ=100000 cargo test -p horn --test read` tries more.
#[test]
fn mutated_input_never_panics() {
    let count = std::env::var("WAYPROOF_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(3_000);
    let mut random = Random(1);
    let mut good = 0;
    for _ in 0..count {
        let text = mutate(SYSTEM, &mut random);
        let mut terms = Terms::new();
        if let Ok(system) = read(&mut terms, &text) {
            assert!(system.is_well_formed(&terms), "{text}");
            good += 1;
        }
    }
    assert!(good * 50 > count, "some mutants should be systems: {good} of {count}");
}
