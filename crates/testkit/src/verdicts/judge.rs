//! The known verdict of a program: all of its executions, carried out by the exact interpreter.
//!
//! # Invariants
//! * J1: a verdict is given only if every execution was carried out to its end, or one reaches the error.

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use cfa::{DataModel, Program, SignedOverflow, Source};
use interp::{
    Choice, Code, CompileOptions, Config, Machine, Markers, Outcome, Request, Silent, Uninitialised,
};

use super::syntax::Printed;

/// What is known of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// No execution reaches the error.
    Safe,
    /// One does.
    Unsafe,
}

impl Known {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// Executions of one program; those with more are not used.
const MAX_RUNS: usize = 3000;
/// Steps of one execution; longer ones are taken for endless.
const MAX_STEPS: u64 = 20_000;

/// How C is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The widths of types.
    pub data_model: DataModel,
    /// What signed overflow means: undefined, or wrapping.
    pub signed_overflow: SignedOverflow,
}

impl Dialect {
    /// The dialect of a seed.
    pub fn of(seed: u64) -> Self {
        let data_model = if seed % 16 < 4 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let wraps = seed / 2 % 4 == 1;
        let signed_overflow = if wraps { SignedOverflow::Wrap } else { SignedOverflow::Undefined };
        Self { data_model, signed_overflow }
    }
}

/// Compiles a text.
pub fn compile(text: &str, dialect: Dialect) -> Result<Program, String> {
    let input = cfront::Input::Text { name: "fuzz.c".to_owned(), text: text.as_bytes().into() };
    let mut options = cfront::Options::new(dialect.data_model);
    options.lower.signed_overflow = dialect.signed_overflow;
    cfront::compile(&[input], &options)
        .map(|compiled| compiled.program)
        .map_err(|failure| failure.diagnostics.first().map_or(String::new(), |first| first.message.clone()))
}

/// The verdict, if all executions can be carried out (J1). Panics in the front end are the caller's.
pub fn judge(printed: &Printed, program: &Program) -> Option<Known> {
    let mut found_error = false;
    let explored = explore(printed, program, Uninitialised::Choose, &mut |execution| {
        found_error |= matches!(execution.outcome, Outcome::Error { .. });
        !found_error
    });
    match (found_error, explored) {
        (true, _) => Some(Known::Unsafe),
        (false, true) => Some(Known::Safe),
        (false, false) => None,
    }
}

/// The lines that the executions of a program print.
pub(crate) fn outputs(printed: &Printed, program: &Program) -> Option<BTreeSet<String>> {
    let mut lines = BTreeSet::new();
    explore(printed, program, Uninitialised::Choose, &mut |execution| {
        lines.extend(String::from_utf8_lossy(&execution.output).lines().map(str::to_owned));
        true
    })
    .then_some(lines)
}

/// An execution that was carried out to its end.
pub(crate) struct Execution {
    /// The values that it asked for.
    pub(crate) inputs: Vec<i64>,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// What it printed.
    pub(crate) output: Vec<u8>,
}

/// Carries out executions until there is no other, or `visit` has seen enough. Whether there is no other.
pub(crate) fn explore(
    printed: &Printed,
    program: &Program,
    uninitialised: Uninitialised,
    visit: &mut dyn FnMut(Execution) -> bool,
) -> bool {
    let code = Code::new(program, CompileOptions { uninitialised, markers: Markers::None });
    // The choices of the execution in progress, each with the end of its range.
    let mut choices: Vec<(i64, i64)> = Vec::new();
    for _ in 0..MAX_RUNS {
        let mut at = 0;
        let mut output = Vec::new();
        let mut machine = Machine::new(program, &code, Config::default());
        let mut oracle = |request: &Request<'_>| {
            let choice = next_choice(&printed.ranges, request, &mut choices, at);
            at += 1;
            choice
        };
        let mut budget = Budget::ticks(MAX_STEPS);
        let run = machine.run(&mut oracle, &mut Silent, &mut output, &mut budget);
        match run.outcome {
            Outcome::Returned
            | Outcome::Exit { .. }
            | Outcome::Halted { .. }
            | Outcome::Error { .. }
            | Outcome::Undefined { .. }
            | Outcome::Blocked { .. } => {}
            Outcome::OutOfInputs { .. }
            | Outcome::Resource { .. }
            | Outcome::Unsupported { .. }
            | Outcome::Stopped(_) => return false,
        }
        choices.truncate(at);
        let inputs = choices.iter().map(|(value, _)| *value).collect();
        if !visit(Execution { inputs, outcome: run.outcome, output }) {
            return false;
        }
        while choices.last().is_some_and(|(value, last)| value == last) {
            choices.pop();
        }
        match choices.last_mut() {
            None => return true,
            Some((value, _)) => *value += 1,
        }
    }
    false
}

fn next_choice(
    ranges: &BTreeMap<u32, (i64, i64)>,
    request: &Request<'_>,
    choices: &mut Vec<(i64, i64)>,
    at: usize,
) -> Option<Choice> {
    if at == choices.len() {
        let range = match (request.source, request.ty.range()) {
            // Only variables with few values are left uninitialised.
            (Source::Uninitialised, Some((low, high))) if high - low < 256 => (low as i64, high as i64),
            _ => *ranges.get(&request.region.line)?,
        };
        choices.push(range);
    }
    choices.get(at).map(|(value, _)| Choice::Int(i128::from(*value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(body: &str, ranges: &[(u32, (i64, i64))]) -> Option<Known> {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void __VERIFIER_assume(int);\n{body}"
        );
        let program = compile(&text, Dialect::of(0)).unwrap();
        judge(&Printed { text, ranges: ranges.iter().copied().collect() }, &program)
    }

    #[test]
    fn all_executions_are_carried_out() {
        let program = |wanted: i32| {
            format!(
                "int main(void) {{ int s = 0; for (int i = 0; i < 3; i++) {{\nint x = __VERIFIER_nondet_int();\n\
                 s = s * 4 + x; }} if (s == {wanted}) reach_error(); return 0; }}"
            )
        };
        assert_eq!(verdict(&program(63), &[(3, (0, 3))]), Some(Known::Unsafe));
        assert_eq!(verdict(&program(64), &[(3, (0, 3))]), Some(Known::Safe));
        assert_eq!(verdict(&program(64), &[]), None, "a range is missing");
    }

    #[test]
    fn endless_programs_have_no_verdict() {
        assert_eq!(verdict("int main(void) { while (1) { } }", &[]), None);
    }
}
