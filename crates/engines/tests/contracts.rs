//! Proofs by contracts: what the engine recmc finds, and claims about procedures that the check must not believe.

use std::sync::Arc;

use base::Budget;
use certify::certify;
use cfa::{ProcId, Program, SignedOverflow};
use engine::{Counter, Env, Recorder, Settings};
use passes::Prepared;
use verdict::formula::{FormulaNode, Operator, Symbol};
use verdict::{Annotation, Formula, Instance, Invariant, Proof, Reason, Verdict};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
     #define IN() __VERIFIER_nondet_int()\n";
/// Enough for each program here, in ticks.
const TICKS: u64 = 1 << 26;

fn compile(body: &str) -> Program {
    compile_with(body, SignedOverflow::Undefined)
}

fn compile_with(body: &str, signed_overflow: SignedOverflow) -> Program {
    let text = format!("{PRELUDE}{body}").into_bytes().into();
    let input = cfront::Input::Text { name: "test.c".to_owned(), text };
    let mut options = cfront::Options::new(cfa::DataModel::Lp64);
    options.lower.signed_overflow = signed_overflow;
    cfront::compile(&[input], &options).expect("the program should compile").program
}

fn solve(program: &Program, engine: &str) -> Verdict {
    solve_with(program, engine, &Recorder::default())
}

fn solve_with(program: &Program, engine: &str, recorder: &Recorder) -> Verdict {
    let mut env = Env::new(Budget::ticks(TICKS), recorder);
    let spec = engines::find(engine).expect("the engine should exist");
    let task = Prepared::of(program);
    let verdict = (spec.configure)(&Settings::default()).solve(&task, &mut env);
    certify(&task, verdict, &mut env.logic.budget).verdict().clone()
}

/// Each level calls the next one four times; the last one negates a global variable.
fn chain(levels: usize) -> String {
    let level = |level: usize| {
        let calls = format!("level{next}(); level{next}();", next = level - 1);
        format!("void level{level}(void) {{ if (IN()) {{ {calls} }} else {{ {calls} }} }}")
    };
    let mut lines = vec!["int g; void level0(void) { g = !g; }".to_owned()];
    lines.extend((1..=levels).map(level));
    lines.push(format!("int main(void) {{ g = 1; level{levels}(); if (!g) reach_error(); return 0; }}"));
    lines.join("\n")
}

/// [Recmc14] theorem 3, with an `int` for the Boolean. Up to five levels all calls are inlined; `bench/chain` measures other numbers.
#[test]
fn a_chain_of_procedures_costs_linearly_many_queries() {
    for levels in [4, 6, 8, 12, 16, 24, 50, 100] {
        let program = compile(&chain(levels));
        let recorder = Recorder::default();
        let verdict = solve_with(&program, "recmc", &recorder);
        assert!(matches!(verdict, Verdict::Safe(_)), "{levels}: {verdict:?}");
        let queries = recorder.get(Counter::BoundedQueries);
        assert!((1..=4 * levels as u64).contains(&queries), "{levels}: {queries} queries");
    }
}

const MCCARTHY: &str = "int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }
     int main(void) { int n = IN(); if (n > 1000000 || n < -1000000) return 0; int r = f(n);
     if (n <= 101 && r != 91) reach_error(); return 0; }";

const SAFE: &[(&str, &str)] = &[
    ("McCarthy 91", MCCARTHY),
    (
        "Fibonacci numbers grow",
        "int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return fib(n - 1) + fib(n - 2); }
         int main(void) { int n = IN(); if (n > 46) return 0; int r = fib(n);
         if (r < n - 1) reach_error(); return 0; }",
    ),
    (
        "Ackermann's function is larger than its argument",
        "int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1);
         return ack(m - 1, ack(m, n - 1)); }
         int main(void) { int m = IN(), n = IN(); if (m < 0 || m > 3 || n < 0 || n > 23) return 0;
         int r = ack(m, n); if (r < n + 1) reach_error(); return 0; }",
    ),
    (
        "two calls of different halves",
        "int steps(int n) { if (n <= 0) return 0; int a = steps(n / 2); int b = steps(n - n / 2 - 1); return a + b + 1; }
         int main(void) { int n = IN(); if (n < 0) return 0; int r = steps(n);
         if (r > n) reach_error(); return 0; }",
    ),
    (
        "a global variable is as before",
        "int g; int f(int n) { if (n <= 0) return 0; g++; int a = f(n - 1), b = f(n - 2); g--; return a < b ? a : b; }
         int main(void) { g = IN(); if (g > 1000 || g < -1000) return 0; int before = g; f(IN() & 255);
         if (g != before) reach_error(); return 0; }",
    ),
];

const UNSAFE: &[(&str, &str)] = &[
    (
        "a Fibonacci number",
        "int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return fib(n - 1) + fib(n - 2); }
         int main(void) { int n = IN(); int r = fib(n); if (n == 7 && r == 13) reach_error(); return 0; }",
    ),
    (
        "inputs of several activations",
        "int f(int n) { if (n <= 0) return 0; int x = IN() == 7 * n; return x + f(n - 1) + f(n - 3); }
         int main(void) { if (f(3) == 3) reach_error(); return 0; }",
    ),
];

#[test]
fn programs_with_several_recursive_calls_are_decided() {
    for engine in ["recmc", "gps"] {
        for (name, body) in SAFE {
            let verdict = solve(&compile(body), engine);
            assert!(matches!(verdict, Verdict::Safe(_)), "{engine}, {name}: {verdict:?}");
        }
        for (name, body) in UNSAFE {
            let verdict = solve(&compile(body), engine);
            assert!(matches!(verdict, Verdict::Unsafe(_)), "{engine}, {name}: {verdict:?}");
        }
    }
}

/// The annotation of McCarthy's function, and the number of the function.
fn proof_of_mccarthy(program: &Program) -> (Annotation, ProcId) {
    let Verdict::Safe(Proof::Annotation(annotation)) = solve(program, "recmc") else {
        panic!("there should be a proof")
    };
    let annotation = Arc::unwrap_or_clone(annotation);
    let entry = Prepared::of(program).program().entry;
    let called = annotation.locations().map(|(proc, _)| proc).find(|proc| *proc != entry);
    (annotation, called.expect("there should be a contract"))
}

fn checked(program: &Program, annotation: Annotation) -> Verdict {
    let verdict = Verdict::Safe(Proof::Annotation(Arc::new(annotation)));
    certify(&Prepared::of(program), verdict, &mut Budget::ticks(TICKS)).verdict().clone()
}

fn claim(never: Formula) -> Invariant {
    Invariant { facts: Some(values::state::State::new()), never, instances: vec![Instance::new()] }
}

#[test]
fn a_contract_that_says_too_little_or_too_much_is_rejected() {
    let program = compile(MCCARTHY);
    let (annotation, called) = proof_of_mccarthy(&program);
    let exit = Prepared::of(&program).program().procs[called].exit;
    assert!(matches!(checked(&program, annotation.clone()), Verdict::Safe(_)));
    for constant in [Operator::False, Operator::True] {
        let mut changed = annotation.clone();
        changed.invariants.insert((called, exit), claim(Formula::leaf(constant)));
        let verdict = checked(&program, changed);
        assert!(matches!(verdict, Verdict::Unknown(Reason::NotCertified { .. })), "{verdict:?}");
    }
    let mut without = annotation;
    without.invariants.remove(&(called, exit));
    let verdict = checked(&program, without);
    assert!(matches!(verdict, Verdict::Unknown(Reason::NotCertified { .. })), "{verdict:?}");
}

/// What is claimed of a location in the place of its invariant, and what is said about it.
#[test]
fn each_obligation_rejects_a_proof_that_the_others_accept() {
    let program = compile(MCCARTHY);
    let (annotation, called) = proof_of_mccarthy(&program);
    let task = Prepared::of(&program);
    let (entry, procs) = (task.program().entry, &task.program().procs);
    let error = procs[entry].error.expect("there should be an error");
    let nothing = || claim(Formula::leaf(Operator::True));
    let anything = || claim(Formula::leaf(Operator::False));
    let mutants = [
        // C1: the start of the program is claimed to be unreachable, so nothing has to be shown of what follows.
        ((entry, procs[entry].entry), nothing(), "does not hold initially"),
        // C2: the same of the function.
        ((called, procs[called].entry), nothing(), "does not hold initially"),
        // C3 and C5: calls are claimed never to return. Where the function calls nothing, it returns.
        ((called, procs[called].exit), nothing(), "is not preserved"),
        // C6: anything may hold at the error.
        ((entry, error), anything(), "does not exclude it"),
    ];
    for (place, mutant, what) in mutants {
        let mut changed = annotation.clone();
        assert!(changed.invariants.insert(place, mutant).is_some(), "{place:?}");
        let Verdict::Unknown(Reason::NotCertified { why }) = checked(&program, changed) else {
            panic!("{place:?} should be rejected")
        };
        assert!(why.contains(what), "{place:?}: {why}");
    }
}

/// The clauses know of a product of variables what is not known of a product of what calls leave behind.
#[test]
fn a_proof_with_products_behind_calls_passes_its_check() {
    let body = "int s; static unsigned char g(int, int);
         static unsigned f(int d) { return g(d, d); }
         static unsigned char g(int d, int q) { if (d) return 1; unsigned char r = f(1); f(1); if (q) s = 1; return r; }
         int main(void) { f(IN() & 1023); if (!(s * s <= 0)) reach_error(); return 0; }";
    let verdict = solve(&compile_with(body, SignedOverflow::Wrap), "recmc");
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
}

/// A derivation is a graph; the execution that it describes is a tree, which is walked and never built.
#[test]
fn an_execution_of_many_calls_is_replayed() {
    // A choice at each level makes facts that differ, so no small number is right everywhere.
    let level = |level: usize| {
        let next = level - 1;
        format!(
            "void level{level}(void) {{ if (IN() == {level}) {{ level{next}(); level{next}(); }} else g = 0; }}"
        )
    };
    let program = |levels: usize| {
        let mut lines = vec!["int g = 1; void level0(void) { if (IN() != 7) g = 0; }".to_owned()];
        lines.extend((1..=levels).map(level));
        lines.push(format!("int main(void) {{ level{levels}(); if (g) reach_error(); return 0; }}"));
        compile(&lines.join("\n"))
    };
    let verdict = solve(&program(14), "recmc");
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    let long = solve(&program(40), "recmc");
    assert!(matches!(long, Verdict::Unknown(Reason::LongCounterexample { .. })), "{long:?}");
}

#[test]
fn a_contract_speaks_of_what_callers_know_only() {
    // The local variable of the callee is no variable of its caller, although both are activations of one procedure.
    let program = compile(
        "int f(int n) { int local = IN(); if (n <= 0) return local; f(n - 1); f(n - 2); if (local > 5) return 6; return local; }
         int main(void) { if (f(IN() & 7) > 6) reach_error(); return 0; }",
    );
    let task = Prepared::of(&program);
    let prepared = task.program();
    let (called, procedure) =
        prepared.procs.iter_enumerated().find(|(_, procedure)| *procedure.name == *"f").unwrap();
    let mine = prepared
        .vars
        .iter_enumerated()
        .filter(|(_, var)| var.owner == Some(called) && var.scalar().is_some());
    let mut asked = 0;
    for (var, _) in mine {
        let is_known = procedure.params.contains(&var) || procedure.results.contains(&var);
        for symbol in [Symbol::Variable(var), Symbol::AtEntry(var)] {
            if is_known {
                continue;
            }
            let leaf = Formula::leaf(Operator::Symbol(symbol));
            let is_zero = FormulaNode { operator: Operator::IsZero, operands: Box::new([0]) };
            let nodes: Vec<FormulaNode> = leaf.nodes().iter().cloned().chain([is_zero]).collect();
            let never = Formula::new(nodes, 1).expect("a formula");
            let invariants = [((called, procedure.exit), claim(never))].into_iter().collect();
            let annotation = Annotation { logic: verdict::LogicName::Integers, invariants };
            let Verdict::Unknown(Reason::NotCertified { why }) = checked(&program, annotation) else {
                panic!("the contract should be rejected")
            };
            assert!(why.contains("callers do not know"), "{why}");
            asked += 1;
        }
    }
    assert!(asked > 0);
}

/// `g` is not what it was at the entry of the activation.
fn changed(g: cfa::VarId) -> Formula {
    let leaf = |operator| FormulaNode { operator, operands: Box::default() };
    let one = term::Integer::ONE;
    let difference =
        Operator::Sum { constant: term::Integer::ZERO, coefficients: Box::new([one.clone(), -one]) };
    let nodes = vec![
        leaf(Operator::Symbol(Symbol::Variable(g))),
        leaf(Operator::Symbol(Symbol::AtEntry(g))),
        FormulaNode { operator: difference, operands: Box::new([0, 1]) },
        FormulaNode { operator: Operator::IsZero, operands: Box::new([2]) },
        FormulaNode { operator: Operator::Not, operands: Box::new([3]) },
    ];
    Formula::new(nodes, 4).expect("a formula")
}

#[test]
fn a_contract_about_a_global_variable_holds_only_if_no_callee_writes_it() {
    for (written, is_proof) in [("h", true), ("g", false)] {
        let program = compile(&format!(
            "int g, h; void k(int n) {{ if (n > 0) {{ k(n - 1); k(n - 2); return; }} {written} = 3; }}
             int main(void) {{ g = IN(); h = 0; int before = g; k(IN() & 7); if (g != before && h != 4) reach_error(); return 0; }}",
        ));
        let task = Prepared::of(&program);
        let prepared = task.program();
        let called = prepared.procs.iter_enumerated().find(|(_, procedure)| *procedure.name == *"k");
        let (called, procedure) = called.expect("the call should stay");
        let start = &prepared.procs[prepared.entry];
        let g = prepared.vars.iter_enumerated().find(|(_, var)| *var.name == *"g").map(|(id, _)| id).unwrap();
        let error = Invariant { facts: None, never: Formula::leaf(Operator::False), instances: Vec::new() };
        let mut invariants: std::collections::BTreeMap<_, _> = [
            ((prepared.entry, start.entry), claim(Formula::leaf(Operator::False))),
            ((prepared.entry, start.error.unwrap()), error),
        ]
        .into();
        for location in [procedure.entry, procedure.exit] {
            invariants.insert((called, location), claim(changed(g)));
        }
        let annotation = Annotation { logic: verdict::LogicName::Integers, invariants };
        let verdict = checked(&program, annotation);
        match verdict {
            Verdict::Safe(_) => assert!(is_proof, "{written}"),
            Verdict::Unknown(Reason::NotCertified { why }) => {
                assert!(!is_proof && why.contains("not preserved"), "{written}: {why}");
            }
            other => panic!("{written}: {other:?}"),
        }
    }
}
