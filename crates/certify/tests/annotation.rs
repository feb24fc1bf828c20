//! Forged proofs by invariants: each obligation of crates/certify/src/annotation.rs is what rejects one of them, and nothing that is needed for a true proof is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Budget, Stop};
use certify::{Certified, Check, certify};
use cfa::{DataModel, Loc, Op, Place, ProcId, Program, SignedOverflow, VarId};
use encode::Site;
use passes::{MemoryForm, PipelineConfig, Prepared};
use term::{BvOp, Integer, Sort, SymbolKind};
use values::state::State;
use values::value::Value;
use verdict::formula::{ChoiceKind, Chosen, FormulaNode, Free, Operator, Symbol};
use verdict::{Annotation, Formula, Instance, Invariant, LogicName, Proof, Reason, Verdict};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n#define IN() __VERIFIER_nondet_int()\n";

/// Counts to five and stays there.
const COUNTER: &str =
    "int main(void) { int x = 0; while (IN()) { if (x < 5) x++; } if (x > 5) reach_error(); return 0; }";
/// Any number may be chosen, and 7 is the error.
const GUESS: &str = "int main(void) { int x = IN(); while (IN()) { } if (x == 7) reach_error(); return 0; }";
/// Elements are 0 or 4, and so is what was read last.
const ELEMENTS: &str = "int main(void) { int a[4] = { 0 }; int x = 0;
    while (IN()) { x = a[IN() & 3]; a[IN() & 3] = 4; } if (x == 4) reach_error(); return 0; }";

fn compiled(text: &str) -> Program {
    let input = cfront::Input::Text {
        name: "test.c".to_owned(),
        text: format!("{PRELUDE}{text}\n").into_bytes().into(),
    };
    cfront::compile(&[input], &cfront::Options::new(DataModel::Lp64))
        .expect("the program should compile")
        .program
}

fn variable(task: &Prepared<'_>, name: &str) -> VarId {
    let vars = &task.program().vars;
    vars.ids().find(|var| &*vars[*var].name == name).expect("the variable should be there")
}

fn known(facts: &[(VarId, Option<Value>)]) -> Invariant {
    let mut state = State::new();
    for (var, value) in facts {
        state.claim(*var, value.expect("the range should not be empty"));
    }
    Invariant { facts: Some(state), never: Formula::leaf(Operator::False), instances: Vec::new() }
}

fn unreached() -> Invariant {
    Invariant { facts: None, never: Formula::leaf(Operator::False), instances: Vec::new() }
}

/// The entry, the loop heads on the way to the error, and the error.
fn places(task: &Prepared<'_>) -> (Loc, Vec<Loc>, Loc) {
    let program = task.program();
    let procedure = &program.procs[program.entry];
    let forest = task.loops(program.entry);
    let relevant = cfa::loops::reaching_error(procedure);
    let heads = forest.order().iter().copied();
    let heads = heads.filter(|location| forest.is_header(*location) && relevant[*location]).collect();
    (procedure.entry, heads, procedure.error.expect("there should be an error location"))
}

/// Invariants of the entry, of all loop heads and of the error.
fn annotation(task: &Prepared<'_>, entry: Invariant, head: &Invariant, error: Invariant) -> Annotation {
    let (first, heads, last) = places(task);
    let proc = task.program().entry;
    let mut invariants = BTreeMap::from([((proc, first), entry), ((proc, last), error)]);
    invariants.extend(heads.into_iter().map(|location| ((proc, location), head.clone())));
    Annotation { logic: LogicName::Integers, invariants }
}

fn certified(task: &Prepared<'_>, annotation: Annotation) -> Certified {
    let verdict = Verdict::Safe(Proof::Annotation(Arc::new(annotation)));
    certify(task, verdict, &mut Budget::unlimited())
}

/// Why an annotation is rejected.
fn rejected(task: &Prepared<'_>, annotation: Annotation) -> String {
    match certified(task, annotation).verdict() {
        Verdict::Unknown(Reason::NotCertified { why }) => why.clone(),
        Verdict::Unknown(Reason::Unsupported { feature, .. }) => feature.clone(),
        other => panic!("{other:?}"),
    }
}

fn assert_says(task: &Prepared<'_>, annotation: Annotation, part: &str) {
    let why = rejected(task, annotation);
    assert!(why.contains(part), "{why}");
}

#[test]
fn the_invariant_of_a_counter_is_accepted_with_one_obligation_for_each_piece() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let head = known(&[(variable(&task, "x"), Value::range(0, 5))]);
    let found = certified(&task, annotation(&task, known(&[]), &head, unreached()));
    // The entry, the error, and the pieces into the loop and around it. With what is known at the head there is no piece to the error.
    assert_eq!(found.check(), Some(Check::Proved { obligations: 4 }), "{:?}", found.verdict());
}

#[test]
fn an_invariant_that_is_too_narrow_or_too_wide_is_rejected() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let x = variable(&task, "x");
    for (low, high) in [(0, 4), (1, 5), (0, 6), (-1, 9)] {
        let head = known(&[(x, Value::range(low, high))]);
        let is_wide = low < 0 || high > 5;
        let forged = annotation(&task, known(&[]), &head, unreached());
        assert_eq!(certified(&task, forged.clone()).check(), None, "{low} to {high}");
        if !is_wide {
            assert_says(&task, forged, "is not preserved on the way to");
        }
    }
    let head = known(&[(x, Value::new(0, 4, 2, 0))]);
    assert_says(&task, annotation(&task, known(&[]), &head, unreached()), "is not preserved");
}

#[test]
fn nothing_may_be_known_where_the_program_starts() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let says = "does not hold initially";
    // With this everything else would be proved.
    assert_says(&task, annotation(&task, unreached(), &unreached(), unreached()), says);
    let entry = Invariant { never: Formula::leaf(Operator::True), ..known(&[]) };
    assert_says(&task, annotation(&task, entry, &unreached(), unreached()), says);
    let entry = known(&[(variable(&task, "x"), Value::range(0, 5))]);
    let head = known(&[(variable(&task, "x"), Value::range(0, 5))]);
    assert_says(&task, annotation(&task, entry, &head, unreached()), says);
}

#[test]
fn an_error_that_is_not_excluded_is_rejected() {
    let program = compiled(GUESS);
    let task = Prepared::of(&program);
    assert_says(&task, annotation(&task, known(&[]), &known(&[]), known(&[])), "does not exclude it");
    let seven = known(&[(variable(&task, "x"), Value::range(7, 7))]);
    assert_says(&task, annotation(&task, known(&[]), &known(&[]), seven), "does not exclude it");
    assert_says(&task, annotation(&task, known(&[]), &known(&[]), unreached()), "is not preserved");
    assert_says(&task, annotation(&task, known(&[]), &unreached(), unreached()), "is not preserved");
}

#[test]
fn every_location_that_needs_an_invariant_must_have_one() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let head = known(&[(variable(&task, "x"), Value::range(0, 5))]);
    let whole = annotation(&task, known(&[]), &head, unreached());
    assert_eq!(whole.invariants.len(), 3);
    for place in whole.locations() {
        let mut forged = whole.clone();
        forged.invariants.remove(&place);
        assert_says(&task, forged, &format!("there is no invariant for location {}", place.1));
    }
}

#[test]
fn a_location_from_which_the_error_is_not_reached_needs_no_invariant() {
    let program = compiled(
        "int main(void) { int x = IN(); if (x == 3) { while (IN()) { } return 0; } if (x == 3) reach_error(); return 0; }",
    );
    let task = Prepared::of(&program);
    let (_, heads, _) = places(&task);
    assert_eq!(heads, Vec::new());
    let found = certified(&task, annotation(&task, known(&[]), &known(&[]), unreached()));
    assert_eq!(found.check(), Some(Check::Proved { obligations: 2 }), "{:?}", found.verdict());
}

#[test]
fn a_program_without_a_way_to_the_error_needs_no_proof() {
    let program = compiled("int main(void) { while (IN()) { } return 0; }");
    let empty = Annotation { logic: LogicName::Integers, invariants: BTreeMap::new() };
    let found = certified(&Prepared::of(&program), empty.clone());
    assert_eq!(found.check(), Some(Check::Proved { obligations: 0 }));
    let dead = "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n\
         proc %start() {\n  entry l0\n  exit l1\n  error l2\n  l0 -> l1\n}\n";
    let dead = cfa::text::parse("test.cfa", dead).expect("the program should parse");
    assert_eq!(certified(&Prepared::of(&dead), empty).check(), Some(Check::Proved { obligations: 0 }));
}

fn in_bits(annotation: Annotation) -> Annotation {
    Annotation { logic: LogicName::Bits, ..annotation }
}

#[test]
fn facts_are_checked_in_bits_if_the_proof_is_in_bits() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let x = variable(&task, "x");
    let claim = |range| in_bits(annotation(&task, known(&[]), &known(&[(x, range)]), unreached()));
    let found = certified(&task, claim(Value::range(0, 5)));
    assert_eq!(found.check(), Some(Check::Proved { obligations: 4 }), "{:?}", found.verdict());
    for (low, high) in [(0, 4), (1, 5), (0, 6), (-1, 9)] {
        rejected(&task, claim(Value::range(low, high)));
    }
}

#[test]
fn rests_are_checked_in_bits_for_numbers_of_either_sign() {
    // The rest modulo 8 is kept when the sum wraps around; that modulo 6 is not.
    for (step, wraps) in [(8, "unsigned"), (8, "int"), (6, "int")] {
        let text = format!(
            "int main(void) {{ {wraps} x = 1; while (IN()) {{ x -= {step}; }} if (x % {step} == 0) reach_error(); return 0; }}"
        );
        let program = compiled(&text);
        let task = Prepared::of(&program);
        let x = variable(&task, "x");
        let (low, high) = if wraps == "int" { (i128::from(i32::MIN), 1) } else { (0, i128::from(u32::MAX)) };
        let claim = |residue| {
            let head = known(&[(x, Value::new(low, high, step, residue))]);
            in_bits(annotation(&task, known(&[]), &head, unreached()))
        };
        let found = certified(&task, claim(1));
        assert!(matches!(found.verdict(), Verdict::Safe(_)), "{text}: {:?}", found.verdict());
        for residue in [0, 2, step - 1] {
            rejected(&task, claim(residue));
        }
    }
    let program = compiled(
        "int main(void) { unsigned x = 1; while (IN()) { x -= 6; } if (x % 6 == 0) reach_error(); return 0; }",
    );
    let task = Prepared::of(&program);
    let head = known(&[(variable(&task, "x"), Value::new(0, i128::from(u32::MAX), 6, 1))]);
    rejected(&task, in_bits(annotation(&task, known(&[]), &head, unreached())));
}

#[test]
fn formulas_that_do_not_fit_the_logic_or_each_other_are_refused() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let x = FormulaNode {
        operator: Operator::Symbol(Symbol::Variable(variable(&task, "x"))),
        operands: Box::default(),
    };
    let leaf = |operator| FormulaNode { operator, operands: Box::default() };
    let of = |operator, operands: &[u32]| FormulaNode { operator, operands: operands.into() };
    let vector = |width| leaf(Operator::Vector(width, Integer::from(5)));
    let less = |operands: &[u32]| of(Operator::OnVectors(BvOp::Slt), operands);
    let forged: [Vec<FormulaNode>; 6] = [
        // An integer in the place of a bit-vector, and other widths than that of the variable.
        vec![x.clone(), leaf(Operator::Number(Integer::from(5))), less(&[0, 1])],
        vec![x.clone(), vector(8), less(&[0, 1])],
        vec![x.clone(), of(Operator::OnVectors(BvOp::ZeroExtend(u32::MAX)), &[0]), less(&[1, 1])],
        vec![vector(0), less(&[0, 0])],
        vec![vector(u32::MAX), less(&[0, 0])],
        vec![x.clone(), of(Operator::AtMostZero, &[0])],
    ];
    for nodes in forged {
        let root = nodes.len() as u32 - 1;
        let never = Formula::new(nodes, root).expect("the nodes should be in order");
        let head = Invariant { never, ..known(&[]) };
        rejected(&task, in_bits(annotation(&task, known(&[]), &head, unreached())));
    }
    // The same variable is an integer in a proof about integers.
    let never = Formula::new(vec![x, vector(32), less(&[0, 1])], 2).expect("the nodes should be in order");
    let head = Invariant { never, ..known(&[]) };
    rejected(&task, annotation(&task, known(&[]), &head, unreached()));
}

#[test]
fn proofs_without_a_meaning_are_refused() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let head = known(&[(variable(&task, "x"), Value::range(0, 5))]);
    let whole = annotation(&task, known(&[]), &head, unreached());
    let mut elsewhere = whole.clone();
    elsewhere.invariants.insert((ProcId(99), Loc(0)), known(&[]));
    assert_says(&task, elsewhere, "there is no procedure");
    let mut beyond = whole;
    beyond.invariants.insert((task.program().entry, Loc(9999)), known(&[]));
    assert_says(&task, beyond, "there is no location");
}

/// A recursion that stays a call: an activation makes two of them, and the argument of the second is what the first one returns.
const NESTED: &str = "static int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }";

#[test]
fn a_call_that_stays_may_return_anything() {
    let program =
        compiled(&format!("{NESTED} int main(void) {{ if (f(IN()) == -7) reach_error(); return 0; }}"));
    let task = Prepared::of(&program);
    assert!(task.kept_call().is_some());
    let forged = annotation(&task, known(&[]), &known(&[]), unreached());
    assert_says(&task, forged, "is not preserved");
    let program = compiled(&format!(
        "{NESTED} int main(void) {{ int s = f(IN()) > 5 ? 2 : 1; if (s < 1) reach_error(); return 0; }}"
    ));
    let task = Prepared::of(&program);
    assert!(task.kept_call().is_some());
    let found = certified(&task, annotation(&task, known(&[]), &known(&[]), unreached()));
    assert!(matches!(found.check(), Some(Check::Proved { .. })), "{:?}", found.verdict());
}

#[test]
fn a_call_that_stays_may_change_global_variables() {
    let program = compiled(
        "static int g; static void f(int n) { if (n > 1) { f(n - 1); g = 2 * g + 1; f(n - 2); } } \
         int main(void) { g = 0; f(IN()); if (g == 5) reach_error(); return 0; }",
    );
    let task = Prepared::of(&program);
    assert!(task.kept_call().is_some());
    let forged = annotation(&task, known(&[]), &known(&[]), unreached());
    assert_says(&task, forged, "is not preserved");
}

#[test]
fn a_call_that_stays_and_may_fail_is_refused() {
    // Where the error is, an object of the caller is live, so the error cannot move, unless memory becomes variables.
    let program = compiled(
        "static void f(int *p, int n) { int x = n; if (*p == 7) reach_error(); if (n > 0) { f(&x, n - 1); f(&x, n - 2); } } \
         int main(void) { int y = IN(); f(&y, IN()); if (y == 8) reach_error(); return 0; }",
    );
    let config = PipelineConfig { memory: MemoryForm::Bytes, ..PipelineConfig::default() };
    let task = Prepared::with(&program, config);
    let proc = task.program().entry;
    let procedure = &task.program().procs[proc];
    let all = procedure.locations.ids().map(|location| {
        ((proc, location), if Some(location) == procedure.error { unreached() } else { known(&[]) })
    });
    let forged = Annotation { logic: LogicName::Integers, invariants: all.collect() };
    assert_says(&task, forged, "is recursive and stays a call");
}

#[test]
fn overflows_that_are_violations_are_excluded_like_any_error() {
    let mut program = compiled(COUNTER);
    program.signed_overflow = SignedOverflow::Error;
    let task = Prepared::of(&program);
    assert_eq!(
        task.program().signed_overflow,
        SignedOverflow::Undefined,
        "the passes make them error locations"
    );
    let head = known(&[(variable(&task, "x"), Value::range(0, 5))]);
    let found = certified(&task, annotation(&task, known(&[]), &head, unreached()));
    assert!(matches!(found.check(), Some(Check::Proved { .. })), "{:?}", found.verdict());
    let head = known(&[(variable(&task, "x"), Value::range(0, i128::from(i32::MAX)))]);
    assert_says(&task, annotation(&task, known(&[]), &head, unreached()), "is not preserved");
}

#[test]
fn an_instance_that_chooses_the_value_of_a_variable_is_refused() {
    let program = compiled(GUESS);
    let task = Prepared::of(&program);
    let x = Symbol::Variable(variable(&task, "x"));
    let number = |value: i64| Operator::Number(value.into());
    let leaf = |operator| FormulaNode { operator, operands: Box::default() };
    let is_zero = FormulaNode { operator: Operator::IsZero, operands: [0].into() };
    // Of x, which is 7, nothing is said; but with 0 in its place the invariant has no model.
    let never = Formula::new([leaf(Operator::Symbol(x.clone())), is_zero], 1).expect("it is well formed");
    let instance: Instance = BTreeMap::from([(x, Formula::leaf(number(0)))]);
    let error = Invariant { facts: Some(State::new()), never, instances: vec![instance] };
    assert_says(&task, annotation(&task, known(&[]), &known(&[]), error), "an instance chooses a value for");
}

/// The location before the choice of a variable, and how a proof names that choice.
fn choice_of(task: &Prepared<'_>, name: &str) -> (Loc, Symbol) {
    let program = task.program();
    let var = variable(task, name);
    for (edge, info) in program.procs[program.entry].edges().iter_enumerated() {
        for (op, operation) in info.ops.iter().enumerate() {
            if matches!(operation, Op::Havoc { place: Place::Var(chosen), .. } if *chosen == var) {
                let (site, kind) = (Site::Operation { edge, op }, ChoiceKind::Open);
                let start = (program.entry, info.source);
                let chosen = Chosen { start, site, kind, number: 0, sort: Sort::Int };
                return (info.source, Symbol::Chosen(chosen));
            }
        }
    }
    panic!("{name} should be chosen")
}

#[test]
fn an_instance_may_choose_what_the_execution_chooses() {
    let program = compiled(
        "int main(void) { int x = 0, k; while (IN()) { if (x < 100) x += 2; } if (IN()) k = 1; else k = 3;
         int y = IN(); if (y < 100 && y > -100 && 2 * y + k == x) reach_error(); return 0; }",
    );
    let task = Prepared::of(&program);
    let (x, k) = (variable(&task, "x"), variable(&task, "k"));
    let (before, chosen) = choice_of(&task, "y");
    let (entry, heads, error) = places(&task);
    assert!(
        before != entry && before != error && !heads.contains(&before),
        "{before} is a location of its own"
    );
    let even = known(&[(x, Value::new(0, 100, 2, 0))]);
    let mut proof = annotation(&task, known(&[]), &even, unreached());
    // Never 2 * y + k - x = 0, for the y that is chosen next, if z is 0.
    let z = Symbol::Free(Free { number: 0, sort: Sort::Int, kind: SymbolKind::Skolem, name: "z".into() });
    let leaf = |symbol: &Symbol| FormulaNode {
        operator: Operator::Symbol(symbol.clone()),
        operands: Box::default(),
    };
    let coefficients: Box<[Integer]> = [2, 1, -1].map(Integer::from).into();
    let sum = Operator::Sum { constant: Integer::from(0), coefficients };
    let node = |operator, operands: &[u32]| FormulaNode { operator, operands: operands.into() };
    let nodes = [
        leaf(&chosen),
        leaf(&Symbol::Variable(k)),
        leaf(&Symbol::Variable(x)),
        leaf(&z),
        node(sum, &[0, 1, 2]),
        node(Operator::IsZero, &[4]),
        node(Operator::IsZero, &[3]),
        node(Operator::And, &[5, 6]),
    ];
    let never = Formula::new(nodes, 7).expect("it is well formed");
    let instance: Instance = BTreeMap::from([(z, Formula::leaf(Operator::Number(Integer::from(0))))]);
    let invariant = Invariant { facts: Some(State::new()), never, instances: vec![instance] };
    proof.invariants.insert((task.program().entry, before), invariant.clone());
    let found = certified(&task, proof.clone());
    assert!(matches!(found.check(), Some(Check::Proved { .. })), "{:?}", found.verdict());
    // Without the instance nothing is known of what is chosen.
    let without = Invariant { instances: Vec::new(), ..invariant };
    proof.invariants.insert((task.program().entry, before), without);
    assert_says(&task, proof, "is not preserved");
}

#[test]
fn what_is_known_of_elements_has_to_be_preserved() {
    let program = compiled(ELEMENTS);
    let task = Prepared::of(&program);
    let (a, x) = (variable(&task, "a"), variable(&task, "x"));
    let zero = Some(Value::constant(0));
    // If all elements were zero, so would be what is read.
    let forged = annotation(&task, known(&[]), &known(&[(a, zero), (x, zero)]), unreached());
    assert_says(&task, forged, "what is known of arrays at");
    let entry = annotation(&task, known(&[(a, zero)]), &known(&[(x, zero)]), unreached());
    assert_says(&task, entry, "what is known of arrays at the entry");
    let narrow = known(&[(a, Value::range(0, 3)), (x, Value::range(0, 3))]);
    assert_says(&task, annotation(&task, known(&[]), &narrow, unreached()), "what is known of arrays at");
}

#[test]
fn what_is_known_of_elements_is_used() {
    let program = compiled(&ELEMENTS.replace("x == 4", "x % 4 != 0"));
    let task = Prepared::of(&program);
    let (a, x) = (variable(&task, "a"), variable(&task, "x"));
    let head = known(&[(a, Value::new(0, 4, 4, 0)), (x, Value::new(0, 4, 4, 0))]);
    let found = certified(&task, annotation(&task, known(&[]), &head, unreached()));
    assert_eq!(found.check(), Some(Check::Proved { obligations: 4 }), "{:?}", found.verdict());
    let head = known(&[(x, Value::new(0, 4, 4, 0))]);
    assert_says(&task, annotation(&task, known(&[]), &head, unreached()), "is not preserved");
}

#[test]
fn a_budget_that_ends_during_the_check_makes_it_unknown() {
    let program = compiled(COUNTER);
    let task = Prepared::of(&program);
    let head = known(&[(variable(&task, "x"), Value::range(0, 5))]);
    let whole = annotation(&task, known(&[]), &head, unreached());
    let verdict = Verdict::Safe(Proof::Annotation(Arc::new(whole)));
    let found = certify(&task, verdict, &mut Budget::ticks(0));
    assert_eq!(*found.verdict(), Verdict::Unknown(Reason::Stopped(Stop::Ticks)));
}
