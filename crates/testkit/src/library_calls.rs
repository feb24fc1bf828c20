//! Compares the models of the C library with glibc: random calls, run by gcc's program and by the interpreter.
//!
//! # Invariants
//! * I1: the calls depend on the seed alone.
//! * I2: every call prints one line, so the first line that differs names the call.

mod arguments;
mod convert;
mod format;
mod input;
mod memory;
mod real;

use std::fmt::Write as _;
use std::io;
use std::process::Command;
use std::time::Duration;

use base::Budget;
use cfa::DataModel;
use interp::{Choice, Outcome, Request, Uninitialised};

use crate::generate::Model;
use crate::process::{TemporaryFolder, run};
use crate::random::Random;

/// Calls in one program.
const BATCH: u64 = 500;

/// Time for one compilation and for one run, generous because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(600);

/// Steps of the interpreter for one program.
const STEPS: u64 = 2_000_000_000;

/// What all programs start with; no headers, so that programs of all data models can be read.
const PRELUDE: &str = include_str!("library_calls/prelude.h");

/// A call on which the two sides differ.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Seed of the program.
    pub seed: u64,
    /// The text of the call.
    pub call: String,
    /// The line that glibc prints.
    pub expected: String,
    /// The line of the interpreter, or how it ended before.
    pub actual: String,
}

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Calls that were compared.
    pub calls: u64,
    /// Those that differ.
    pub mismatches: Vec<Mismatch>,
    /// Calls that the interpreter refused; it claims nothing about them, and the rest of their batch was not compared.
    pub refused: Vec<Mismatch>,
}

/// Some calls, and the bytes of standard input that they read.
#[derive(Clone, Debug, Default)]
struct Batch {
    calls: Vec<String>,
    input: Vec<u8>,
}

/// What a side printed, and how it ended if that was not the end of the program.
struct Printed {
    text: String,
    trouble: Option<String>,
    end: End,
}

/// How a side ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// `main` returned.
    Returned,
    /// The interpreter does not support what comes next.
    Unsupported,
    /// In another way.
    Other,
}

/// Compares about so many calls. The error says why calls cannot be judged.
pub fn compare(calls: u64, seed: u64, model: Model) -> io::Result<Summary> {
    let mut summary = Summary::default();
    let mut number = 0;
    while summary.calls < calls {
        let count = BATCH.min(calls - summary.calls);
        compare_batch(seed.wrapping_mul(1_000_003).wrapping_add(number), count, model, &mut summary)?;
        number += 1;
    }
    Ok(summary)
}

fn compare_batch(seed: u64, count: u64, model: Model, summary: &mut Summary) -> io::Result<()> {
    let batch = generate(seed, count);
    let program = program(&batch.calls);
    let expected = glibc(&program, &batch.input, model)?;
    let actual = interpreted(&program, &batch.input, model);
    let (mut left, mut right) = (expected.text.lines(), actual.text.lines());
    for call in &batch.calls {
        let Some(expected_line) = left.next() else {
            let trouble = expected.trouble.unwrap_or_else(|| "a line is missing".to_owned());
            return Err(io::Error::other(format!("glibc cannot judge ({trouble}):\n{call}")));
        };
        summary.calls += 1;
        let actual_line = right.next();
        if actual_line == Some(expected_line) {
            continue;
        }
        let trouble = || actual.trouble.clone().unwrap_or_else(|| "a line is missing".to_owned());
        let mismatch = Mismatch {
            seed,
            call: call.clone(),
            expected: expected_line.to_owned(),
            actual: actual_line.map_or_else(trouble, str::to_owned),
        };
        if actual_line.is_some() {
            summary.mismatches.push(mismatch);
            continue;
        }
        match actual.end {
            End::Unsupported => summary.refused.push(mismatch),
            End::Returned | End::Other => summary.mismatches.push(mismatch),
        }
        break;
    }
    Ok(())
}

/// The calls of a seed (I1).
fn generate(seed: u64, count: u64) -> Batch {
    let mut random = Random::new(seed);
    let mut batch = Batch { calls: Vec::new(), input: input::text(&mut random) };
    for _ in 0..count {
        batch.calls.push(match random.weighted(&[20, 20, 30, 20, 25, 30, 5]) {
            0 => convert::integer(&mut random),
            1 => convert::float(&mut random),
            2 => format::print(&mut random),
            3 => format::scan(&mut random),
            4 => memory::call(&mut random),
            5 => real::call(&mut random),
            _ => input::call(&mut random),
        });
    }
    batch
}

fn program(calls: &[String]) -> String {
    let mut text = PRELUDE.to_owned();
    let mut main = String::new();
    // Writing to a string cannot fail.
    for (number, call) in calls.iter().enumerate() {
        let _ = writeln!(text, "static void call_{number}(void)\n{{\n{call}}}");
        let _ = writeln!(main, "    call_{number}();");
    }
    let _ = write!(text, "int main(void)\n{{\n{main}    return 0;\n}}\n");
    text
}

/// Compiles and runs a program with glibc; calls must not be replaced by the compiler's own versions.
fn glibc(program: &str, input: &[u8], model: Model) -> io::Result<Printed> {
    let folder = TemporaryFolder::new()?;
    let bytes: Vec<String> = input.iter().map(u8::to_string).collect();
    // What runs before `main` makes the bytes standard input, and writes each line at once.
    let text = format!(
        "{program}\nint memfd_create(const char *, unsigned);\nlong write(int, const void *, unsigned long);\n\
         long lseek(int, long, int);\nint dup2(int, int);\nextern void *stdout;\n\
         int setvbuf(void *, char *, int, unsigned long);\nstatic unsigned char testkit_input[] = {{ {} }};\n\
         __attribute__((constructor)) static void testkit_feed(void)\n{{\n    int file = memfd_create(\"input\", 0);\n    \
         write(file, testkit_input, sizeof testkit_input);\n    lseek(file, 0, 0);\n    dup2(file, 0);\n    \
         setvbuf(stdout, 0, 1, 0);\n}}\n",
        bytes.join(", ")
    );
    let source = folder.write("calls.c", text)?;
    let executable = folder.path().join("calls");
    let mut command = Command::new("gcc");
    command.args(["-pipe", "-w", "-O0", "-fno-builtin", model.gcc_flag()]).arg(&source).arg("-o");
    command.arg(&executable).arg("-lm");
    let compiled = run(&mut command, LIMIT)?;
    if !compiled.succeeded() {
        let line = compiled.stderr.lines().next().unwrap_or("no message, or no time").to_owned();
        return Err(io::Error::other(format!("gcc {} does not work here: {line}", model.gcc_flag())));
    }
    let execution = run(&mut Command::new(&executable), LIMIT)?;
    let trouble = (!execution.succeeded()).then(|| format!("{:?}", execution.end));
    let end = if trouble.is_none() { End::Returned } else { End::Other };
    Ok(Printed { text: execution.stdout, trouble, end })
}

/// Functions whose results C leaves open for some arguments: the sign of a zero, which number stands for "not zero", a number that
/// does not fit.
const OPEN: [&str; 9] =
    ["remainder", "fmax", "fmin", "fmaxl", "fminl", "lround", "llround", "isinf", "isdigit"];

/// Runs a program with the models.
fn interpreted(program: &str, input: &[u8], model: Model) -> Printed {
    let model = match model {
        Model::Lp64 => DataModel::Lp64,
        Model::Ilp32 => DataModel::Ilp32,
    };
    let unit = cfront::Input::Text { name: "calls.c".to_owned(), text: program.as_bytes().into() };
    let compiled = match cfront::compile(&[unit], &cfront::Options::new(model)) {
        Ok(compiled) => compiled,
        Err(failure) => {
            let message = failure.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
            return Printed {
                text: String::new(),
                trouble: Some(message.unwrap_or_default()),
                end: End::Other,
            };
        }
    };
    let mut bytes = input.iter();
    let mut oracle = |request: &Request<'_>| match request.source {
        cfa::Source::Library { function, .. } if &**function == "stdin" => {
            Some(Choice::Int(bytes.next().map_or(-1, |byte| i128::from(*byte))))
        }
        // What is open is not printed.
        cfa::Source::Library { function, .. } if OPEN.contains(&&**function) => Some(Choice::Int(0)),
        _ => None,
    };
    let mut output = Vec::new();
    let mut budget = Budget::ticks(STEPS);
    let run = interp::run(&compiled.program, Uninitialised::Report, &mut oracle, &mut output, &mut budget);
    let trouble = (run.outcome != Outcome::Returned).then(|| format!("{:?}", run.outcome));
    let end = match run.outcome {
        Outcome::Returned => End::Returned,
        Outcome::Unsupported { .. } => End::Unsupported,
        _ => End::Other,
    };
    Printed { text: String::from_utf8_lossy(&output).into_owned(), trouble, end }
}
