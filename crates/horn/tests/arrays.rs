//! Systems with arrays: known answers, evidence that was tampered with, and random systems against Spacer.

use std::time::Duration;

use base::Budget;
use horn::{Answer, Definition, System, print, read, solve};
use smt::{Derivable, SolverFactory, Z3};
use term::{Terms, Value};

const TICKS: u64 = 100_000;

fn answer(text: &str) -> (Terms, System, Answer) {
    let mut terms = Terms::new();
    let system = read(&mut terms, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(system.is_well_formed(&terms), "{text}");
    let answer = solve(&mut terms, &system, &Z3::default(), &mut Budget::ticks(TICKS));
    (terms, system, answer)
}

fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(_) => "sat",
        Answer::Unsat(_) => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

/// One predicate about an index and an array, and clauses.
fn system(sort: &str, clauses: &[&str]) -> String {
    let clauses: Vec<String> = clauses.iter().map(|clause| format!("(assert {clause})")).collect();
    format!("(set-logic HORN)\n(declare-fun p (Int {sort}) Bool)\n{}\n", clauses.join("\n"))
}

#[test]
fn each_construct_is_read_with_its_meaning() {
    let integers = "(Array Int Int)";
    let booleans = "(Array Int Bool)";
    let nested = "(Array Int (Array Int Int))";
    let cases: [(&str, &[&str], &str); 13] = [
        (
            integers,
            &[
                "(forall ((a (Array Int Int))) (p 0 (store a 3 7)))",
                "(forall ((i Int) (a (Array Int Int))) (=> (and (p i a) (not (= (select a 3) 7))) false))",
            ],
            "sat",
        ),
        (
            integers,
            &[
                "(forall ((a (Array Int Int))) (p 0 (store a 3 7)))",
                "(forall ((i Int) (a (Array Int Int))) (=> (and (p i a) (not (= (select a 4) 7))) false))",
            ],
            "unsat",
        ),
        (
            integers,
            &[
                "(p 0 ((as const (Array Int Int)) 5))",
                "(forall ((i Int) (j Int) (a (Array Int Int))) (=> (and (p i a) (distinct (select a j) 5)) false))",
            ],
            "sat",
        ),
        (
            integers,
            &[
                "(p 0 ((as const (Array Int Int)) 5))",
                "(forall ((i Int) (a (Array Int Int))) (=> (p i a) (p (+ i 1) (store a i 6))))",
                "(forall ((i Int) (a (Array Int Int))) (=> (and (p i a) (= (select a 2) 6)) false))",
            ],
            "unsat",
        ),
        (
            integers,
            &[
                "(forall ((a (Array Int Int)) (b (Array Int Int))) (=> (= a b) (p 0 (ite (= a (store b 1 2)) a b))))",
                "(forall ((i Int) (a (Array Int Int)) (b (Array Int Int))) (=> (and (p i a) (p i b) (not (= a b))) false))",
            ],
            "unsat",
        ),
        (
            integers,
            &[
                "(p 0 (store ((as const (Array Int Int)) 0) 1 2))",
                "(forall ((i Int) (a (Array Int Int)) (b (Array Int Int))) (=> (and (p i a) (p i b) (not (= a b))) false))",
            ],
            "sat",
        ),
        (
            booleans,
            &[
                "(p 0 ((as const (Array Int Bool)) false))",
                "(forall ((i Int) (a (Array Int Bool))) (=> (p i a) (p (+ i 1) (store a i true))))",
                "(forall ((i Int) (a (Array Int Bool))) (=> (and (p i a) (select a i)) false))",
            ],
            "sat",
        ),
        (
            booleans,
            &[
                "(p 0 ((as const (Array Int Bool)) false))",
                "(forall ((i Int) (a (Array Int Bool))) (=> (p i a) (p (+ i 1) (store a i true))))",
                "(forall ((i Int) (a (Array Int Bool))) (=> (and (p i a) (select a 2)) false))",
            ],
            "unsat",
        ),
        // Two integers stand for true, but there is one array with true everywhere.
        (
            booleans,
            &[
                "(forall ((a (Array Int Bool)) (i Int)) (=> (= a ((as const (Array Int Bool)) true)) (p i a)))",
                "(forall ((i Int) (a (Array Int Bool)) (b (Array Int Bool))) (=> (and (p i a) (p i b) (not (= a b))) false))",
            ],
            "sat",
        ),
        (
            booleans,
            &[
                "(forall ((a (Array Int Bool)) (i Int)) (=> (select a i) (p i a)))",
                "(forall ((i Int) (a (Array Int Bool)) (b (Array Int Bool))) (=> (and (p i a) (p i b) (distinct a b)) false))",
            ],
            "unsat",
        ),
        (
            nested,
            &[
                "(forall ((k (Array Int (Array Int Int)))) (p 0 k))",
                "(forall ((i Int) (k (Array Int (Array Int Int)))) (=> (and (p i k) (< i 3)) (p (+ i 1) k)))",
                "(forall ((k (Array Int (Array Int Int)))) (=> (p 3 k) false))",
            ],
            "unsat",
        ),
        // Elements of such arrays: one for each index.
        (
            nested,
            &[
                "(forall ((k (Array Int (Array Int Int))) (i Int)) (=> (= (select (select k i) 0) 1) (p i k)))",
                "(forall ((k (Array Int (Array Int Int))) (i Int) (j Int)) (=> (and (p i k) (= i j) (not (= (select k i) (select k j)))) false))",
            ],
            "sat",
        ),
        (
            nested,
            &[
                "(forall ((k (Array Int (Array Int Int))) (i Int)) (=> (= (select (select k i) 0) 1) (p i k)))",
                "(forall ((k (Array Int (Array Int Int))) (i Int)) (=> (and (p i k) (= (select (select k (+ i 1)) 0) 2)) false))",
            ],
            "unsat",
        ),
    ];
    for (sort, clauses, expected) in cases {
        let text = system(sort, clauses);
        let (_, _, found) = answer(&text);
        assert_eq!(word(&found), expected, "{text}{found:?}");
    }
}

#[test]
fn what_is_not_supported_is_refused_with_its_place() {
    let cases = [
        ("(declare-fun p ((Array Bool Bool)) Bool)", "1:17: unsupported: sort (Array Bool Bool)"),
        ("(declare-fun p ((Array Int Real)) Bool)", "1:28: unsupported: sort Real"),
        ("(declare-fun p ((Array Int)) Bool)", "1:27: a sort should stand here"),
        (
            "(assert (forall ((a (Array Int (Array Int Int))) (b (Array Int Int))) (= (store a 1 b) a)))",
            "1:74: unsupported: store to an array of sort (Array Int (Array Int Int))",
        ),
        (
            "(assert (forall ((a (Array Bool Int))) (= (select a true) 1)))",
            "1:43: unsupported: access to an array of sort (Array Bool Int)",
        ),
        ("(assert (forall ((a (Array Int Int))) (> a 1)))", "1:39: the operands have wrong sorts"),
        (
            "(assert (forall ((a (Array Int Int)) (b (Array Int Bool))) (= a b)))",
            "1:60: the operands have wrong sorts",
        ),
        (
            "(assert (forall ((a (Array Int Int))) (= (select a true) 1)))",
            "1:42: an index should be of sort Int",
        ),
        ("(assert (= (select 1 1) 1))", "1:12: Int is no array sort"),
        (
            "(declare-fun p (Int) Bool)(assert (forall ((a (Array Int Int))) (p a)))",
            "1:65: argument 1 should be of sort Int",
        ),
    ];
    for (text, expected) in cases {
        let found = read(&mut Terms::new(), text).expect_err(text).to_string();
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}

/// An array is filled with ones, and looked through afterwards.
const INITCHECK: &str = "(set-logic HORN)
(declare-fun fill (Int Int (Array Int Int)) Bool)
(declare-fun look (Int Int (Array Int Int)) Bool)
(assert (forall ((n Int) (a (Array Int Int))) (fill 0 n a)))
(assert (forall ((i Int) (n Int) (a (Array Int Int))) (=> (and (fill i n a) (< i n)) (fill (+ i 1) n (store a i 1)))))
(assert (forall ((i Int) (n Int) (a (Array Int Int))) (=> (and (fill i n a) (>= i n)) (look 0 n a))))
(assert (forall ((i Int) (n Int) (a (Array Int Int))) (=> (and (look i n a) (< i n) (= (select a i) 1)) (look (+ i 1) n a))))
(assert (forall ((i Int) (n Int) (a (Array Int Int))) (=> (and (look i n a) (< i n) (not (= (select a i) 1))) false)))
";

#[test]
fn facts_about_all_elements_are_found_printed_and_checked() {
    let (mut terms, system, found) = answer(INITCHECK);
    let Answer::Sat(solution) = found else { panic!("{found:?}") };
    let is_quantified = |definition: &&Definition| matches!(definition, Definition::Elements { .. });
    assert!(solution.definitions.iter().any(|definition| is_quantified(&definition)), "{solution:?}");
    let printed = print::solution(&mut terms, &system, &solution).unwrap();
    assert!(printed.contains("(forall ((|k!"), "{printed}");
    // Every conjunct matters, and what is said of no element or of a wrong one is not enough.
    let z3 = Z3::default();
    let check = |terms: &mut Terms, solution: &horn::Solution| {
        solution.check(terms, &system, &mut *z3.solver(), &mut Budget::ticks(TICKS))
    };
    assert_eq!(check(&mut terms, &solution), Ok(()));
    for predicate in system.predicates.ids() {
        let Definition::Elements { indices, formula } = solution.definitions[predicate].clone() else {
            continue;
        };
        let mut weaker = solution.clone();
        weaker.definitions[predicate] = Definition::Formula(Terms::TRUE);
        assert!(check(&mut terms, &weaker).is_err());
        let mut stronger = solution.clone();
        stronger.definitions[predicate] = Definition::Formula(Terms::FALSE);
        assert!(check(&mut terms, &stronger).is_err());
        let mut captured = solution.clone();
        let formal = system.predicates[predicate].formals[0];
        captured.definitions[predicate] = Definition::Elements { indices: vec![formal], formula };
        assert_eq!(check(&mut terms, &captured), Err("an index is no integer of its own".to_owned()));
        let (index, one) = (terms.of_symbol(indices[0]), terms.int(1));
        let next = terms.add(index, one);
        let moved = term::Substitution::new([(indices[0], next)]).apply(&mut terms, formula);
        let two = terms.int(2);
        let only = terms.eq(index, two);
        let mut partial = solution.clone();
        let formula = terms.implies(only, moved);
        partial.definitions[predicate] = Definition::Elements { indices, formula };
        assert!(check(&mut terms, &partial).is_err());
    }
}

#[test]
fn derivations_with_arrays_are_printed_and_checked() {
    let text = INITCHECK.replace("(store a i 1)", "(ite (= i 1) a (store a i 1))");
    let (terms, system, found) = answer(&text);
    let Answer::Unsat(derivation) = found else { panic!("{found:?}") };
    let printed = print::derivation(&terms, &system, &derivation);
    assert!(printed.contains("((as const (Array Int Int)) "), "{printed}");
    for step in 0..derivation.steps.len() {
        let mut wrong = derivation.clone();
        let changed: Vec<_> =
            wrong.steps[step].values.iter().map(|(symbol, value)| (symbol, value.clone())).collect();
        for (symbol, value) in changed {
            if let Value::Array(array) = value {
                let mut other = array.clone();
                other.set(1.into(), 99.into());
                other.set(0.into(), 98.into());
                wrong.steps[step].values.set(symbol, Value::Array(other));
            }
        }
        assert!(wrong.check(&terms, &system).is_err(), "step {step}");
    }
}

#[test]
fn an_array_of_another_sort_has_one_element_at_an_index() {
    // Each clause reads k once, so only the derivation as a whole tells that the elements contradict each other.
    let text = system(
        "(Array Int (Array Int Int))",
        &[
            "(forall ((k (Array Int (Array Int Int)))) (=> (= (select (select k 0) 0) 1) (p 0 k)))",
            "(forall ((k (Array Int (Array Int Int)))) (=> (and (p 0 k) (= (select (select k 0) 0) 2)) false))",
        ],
    );
    let (_, _, found) = answer(&text);
    assert_ne!(word(&found), "unsat", "{found:?}");
}

/// A generator of systems that is the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    fn index(&mut self) -> String {
        match self.below(4) {
            0 => "i".to_owned(),
            1 => self.of(&["0", "1", "2", "j"]).to_owned(),
            2 => "(+ i 1)".to_owned(),
            _ => "(- j i)".to_owned(),
        }
    }

    fn integer(&mut self) -> String {
        match self.below(3) {
            0 => self.index(),
            1 => format!("(select a {})", self.index()),
            _ => format!("(+ (select a {}) {})", self.index(), self.of(&["1", "(- 1)", "j"])),
        }
    }

    fn literal(&mut self) -> String {
        match self.below(7) {
            0 => "(= b a)".to_owned(),
            1 => format!("(not (= b (store a {} {})))", self.index(), self.integer()),
            2 => format!("(= b (store a {} {}))", self.index(), self.integer()),
            _ => {
                let relation = self.of(&["=", "<", "<=", "distinct"]);
                format!("({relation} {} {})", self.integer(), self.integer())
            }
        }
    }

    fn system(&mut self) -> String {
        let mut lines =
            vec!["(set-logic HORN)".to_owned(), "(declare-fun p (Int (Array Int Int)) Bool)".to_owned()];
        let bound = "(i Int) (j Int) (a (Array Int Int)) (b (Array Int Int))";
        let mut clause = |body: Vec<String>, head: String| {
            lines.push(format!("(assert (forall ({bound}) (=> (and true {}) {head})))", body.join(" ")));
        };
        clause(vec!["(= i 0)".to_owned(), self.literal()], "(p i a)".to_owned());
        for _ in 0..=self.below(2) {
            let mut body = vec!["(p i a)".to_owned(), self.literal()];
            if self.below(3) == 0 {
                body.push("(p j b)".to_owned());
            }
            let next = self.of(&["(+ i 1)", "j", "(select a i)", "i"]);
            let array = match self.below(3) {
                0 => "b".to_owned(),
                1 => format!("(store a {} {})", self.index(), self.integer()),
                _ => format!("(ite (< i j) a (store b {} {}))", self.index(), self.integer()),
            };
            clause(body, format!("(p {next} {array})"));
        }
        clause(
            vec!["(p i a)".to_owned(), self.literal(), self.literal(), self.literal()],
            "false".to_owned(),
        );
        lines.join("\n")
    }
}

/// `WAYPROOF_FUZZ=1000 cargo test -p horn --test arrays` tries more.
#[test]
fn random_systems_have_the_answers_that_spacer_gives() {
    let count = std::env::var("WAYPROOF_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let mut random = Random(7);
    let (mut decided, mut answers) = (0, [0, 0]);
    for _ in 0..count {
        let text = random.system();
        let mut terms = Terms::new();
        let system = read(&mut terms, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found = solve(&mut terms, &system, &Z3::default(), &mut Budget::ticks(3_000));
        if let Answer::Unknown(horn::Reason::NotChecked(what)) = &found {
            panic!("{what}\n{text}");
        }
        let rules = print::rules(&terms, &system);
        let other = smt::spacer(&rules, print::ERROR, Some(Duration::from_millis(500)));
        let contradicts =
            matches!((&found, &other), (Answer::Sat(_), Derivable::Yes) | (Answer::Unsat(_), Derivable::No));
        assert!(!contradicts, "{found:?} {other:?}\n{text}");
        match found {
            Answer::Sat(_) => answers[0] += 1,
            Answer::Unsat(_) => answers[1] += 1,
            Answer::Unknown(_) => continue,
        }
        decided += 1;
    }
    assert!(
        decided * 4 > count * 3 && answers.iter().all(|number| number * 10 > count),
        "{decided} of {count}: {answers:?}"
    );
}
