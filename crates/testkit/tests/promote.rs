//! The pass `promote` keeps what programs compute: random C programs with pointers, structs, unions, bit-fields and arrays, executed with memory and without.
//!
//! A program computes a checksum of all its variables. What it is comes from an execution of the program as given; then the program with a check of that number must not
//! fail after the pass, and with a check of another number it must. The programs have no undefined behaviour, so the pass adds nothing.
//!
//! `WAYPROOF_PROMOTE=20000` runs that many programs instead of 150, and `WAYPROOF_PROMOTE_SEED=1000` other ones.

use base::Budget;
use cfa::{DataModel, Program, SignedOverflow};
use interp::{
    Choice, Code, CompileOptions, Config, Machine, Markers, Outcome, Request, Silent, Uninitialised,
};
use passes::{InlineConfig, inline, promote, propagate, resolve_calls};
use testkit::differential::options_for;
use testkit::verdicts::Dialect;
use testkit::{Model, generate_program};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// How an execution ends, and the checksum then.
fn execute(program: &Program, inputs: &[i128], other: i128) -> (Outcome, Option<i128>) {
    let mut inputs = inputs.iter();
    let mut oracle = |request: &Request<'_>| match request.source {
        cfa::Source::Input { .. } => Some(Choice::Int(inputs.next().copied().unwrap_or(0))),
        // An arbitrary value, which should have no influence.
        _ => Some(Choice::Int(other)),
    };
    let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::None };
    let code = Code::new(program, options);
    let mut machine = Machine::new(program, &code, Config::default());
    let run = machine.run(&mut oracle, &mut Silent, &mut std::io::sink(), &mut Budget::ticks(20_000_000));
    let sum = program.vars.iter_enumerated().find(|(_, var)| &*var.name == "checksum");
    (run.outcome, sum.and_then(|(var, _)| machine.view().scalar(var)).map(interp::Value::as_int))
}

/// The program without calls, as it comes to the pass.
fn inlined(text: &str, dialect: Dialect) -> Program {
    let program = testkit::verdicts::judge::compile(text, dialect)
        .unwrap_or_else(|message| panic!("{message}\n{text}"));
    let points_to = cfa::pointsto::PointsTo::new(&program, cfa::pointsto::Punning::Any);
    let (program, _) = resolve_calls(&program, &points_to);
    let limits = InlineConfig { max_edges: 100_000, ..InlineConfig::default() };
    propagate(&inline(&program, &limits).program).0
}

/// The text without the function that reads the bits of a double, which no variable holds.
fn without_bits(text: &str) -> String {
    text.replace(
        "pun.value = value;\n    mix(pun.bits);",
        "pun.value = value;\n    mix((unsigned long long)(long long)pun.value);",
    )
}

#[test]
fn promotion_keeps_what_programs_compute() {
    let (count, first) = (setting("WAYPROOF_PROMOTE", 150), setting("WAYPROOF_PROMOTE_SEED", 0));
    let (mut exact, mut programs) = (0, 0);
    for seed in first..first + count {
        let model = if seed % 3 == 2 { Model::Ilp32 } else { Model::Lp64 };
        let data_model = if model == Model::Ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let dialect = Dialect { data_model, signed_overflow: SignedOverflow::Undefined };
        let program = generate_program(seed, &options_for(seed, model));
        let text = without_bits(&program.text);
        let given = testkit::verdicts::judge::compile(&text, dialect).unwrap();
        let (outcome, sum) = execute(&given, &program.inputs, 77);
        let (Outcome::Exit { .. } | Outcome::Returned, Some(sum)) = (outcome, sum) else { continue };
        programs += 1;
        let checked = |expected: i128| {
            let check = format!("if (checksum != {expected}ULL) reach_error();");
            let text = text.replace("printf(\"%llu\\n\", checksum);", &check);
            inlined(&format!("extern void reach_error(void);\n{text}"), dialect)
        };
        let right = checked(sum);
        let (promoted, _) = promote(&right);
        if let Err(defects) = promoted.verify() {
            panic!("seed {seed}: {}", defects[0]);
        }
        // What is over-approximated may have any value: if that matters, nothing can be compared.
        let (outcome, computed) = execute(&promoted, &program.inputs, 77);
        let differs = |other: i128| execute(&promoted, &program.inputs, other).1 != computed;
        if [0, 1_000_003, -1].into_iter().any(differs) {
            continue;
        }
        exact += 1;
        let (expected, _) = execute(&right, &program.inputs, 77);
        assert!(!matches!(expected, Outcome::Error { .. }), "seed {seed}: {expected:?} before the pass");
        assert!(matches!(outcome, Outcome::Exit { .. } | Outcome::Returned), "seed {seed}: {outcome:?}");
        let (outcome, _) = execute(&promote(&checked(sum ^ 1)).0, &program.inputs, 77);
        assert!(matches!(outcome, Outcome::Error { .. }), "seed {seed}: {outcome:?} with another checksum");
    }
    println!("{programs} programs, {exact} without over-approximation");
    assert!(programs * 10 >= count * 8, "only {programs} programs");
    assert!(exact * 2 > programs, "only {exact} of {programs} programs are exact");
}
