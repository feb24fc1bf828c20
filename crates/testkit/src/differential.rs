//! Compares an interpreter of C with gcc on many generated programs.
//!
//! # Invariants
//! * I1: the programs depend on the first seed and the options alone, not on the number of threads.
//! * I2: a program counts as agreed only if both sides ran it to its end with the same output and code.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::compiler::{Compiler, Mode};
use crate::generate::{Model, Options, Program, Size, generate_program};
use crate::process::{End, Execution, TemporaryFolder, run};
use crate::shrink::shrink;

/// Where programs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The generator of this crate.
    Own,
    /// The `csmith` executable.
    Csmith,
}

/// Time for gcc's run of a program of csmith, which need not terminate.
const CSMITH_LIMIT: Duration = Duration::from_secs(1);

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many programs.
    pub count: u64,
    /// Seed of the first program; the others follow.
    pub first_seed: u64,
    /// Where programs come from.
    pub source: Source,
    /// Time for one run of one program.
    pub limit: Duration,
    /// Programs at a time.
    pub threads: usize,
}

/// How the two sides differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The subject printed something else.
    Output,
    /// The subject ended with another code.
    Code,
    /// The subject took too long.
    Timeout,
    /// The subject refused the program or failed; the first line of its message.
    Failure(String),
}

impl Difference {
    /// The same kind of difference: messages may name other files, lines and values.
    pub fn resembles(&self, other: &Difference) -> bool {
        let words = |message: &str| -> Vec<String> {
            let plain = |word: &&str| !word.contains(|letter: char| letter == '/' || letter.is_ascii_digit());
            message.split_whitespace().filter(plain).map(str::to_owned).collect()
        };
        match (self, other) {
            (Difference::Failure(left), Difference::Failure(right)) => words(left) == words(right),
            _ => self == other,
        }
    }
}

/// A program on which the two sides differ.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Seed of the program.
    pub seed: u64,
    /// The program.
    pub program: Program,
    /// How they differ.
    pub difference: Difference,
    /// What gcc's program did.
    pub expected: Execution,
    /// What the subject did.
    pub actual: Execution,
}

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Programs on which both sides agree.
    pub agreed: u64,
    /// Programs gcc could not judge (csmith programs that run too long), with the reason.
    pub skipped: Vec<(u64, String)>,
    /// Programs on which they differ, by seed.
    pub mismatches: Vec<Mismatch>,
}

/// The interpreter under test.
pub trait Subject: Sync {
    /// Runs the program with its inputs.
    fn execute(&self, program: &Program, model: Model, limit: Duration) -> io::Result<Execution>;
}

impl<F: Fn(&Program, Model) -> io::Result<Execution> + Sync> Subject for F {
    fn execute(&self, program: &Program, model: Model, _: Duration) -> io::Result<Execution> {
        self(program, model)
    }
}

/// The `wayproof` executable as the subject.
#[derive(Clone, Debug)]
pub struct Executable {
    /// Path of the executable.
    pub path: PathBuf,
}

impl Subject for Executable {
    fn execute(&self, program: &Program, model: Model, limit: Duration) -> io::Result<Execution> {
        let folder = TemporaryFolder::new()?;
        let file = folder.write("program.c", &program.text)?;
        let mut command = Command::new(&self.path);
        command.arg("run").arg(&file).args(["--data-model", model.name()]);
        command.args(program.inputs.iter().map(|value| format!("--input={value}")));
        run(&mut command, limit)
    }
}

/// The options for a seed: all sizes, floats for LP64, nondeterministic inputs now and then.
pub fn options_for(seed: u64, model: Model) -> Options {
    Options {
        model,
        floats: model == Model::Lp64 && seed % 4 == 3,
        size: match seed % 6 {
            0 | 1 => Size::Small,
            5 => Size::Large,
            _ => Size::Medium,
        },
        nondet: seed % 5 == 4,
    }
}

/// Runs all programs with gcc and with the subject.
pub fn compare(settings: &Settings, compiler: &Compiler, subject: &dyn Subject) -> Summary {
    let next = AtomicU64::new(0);
    let summary = Mutex::new(Summary::default());
    thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= settings.count {
                        return;
                    }
                    let seed = settings.first_seed.wrapping_add(index);
                    let result = compare_seed(seed, settings, compiler, subject);
                    let mut summary = summary.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    match result {
                        Ok(None) => summary.agreed += 1,
                        Ok(Some(mismatch)) => summary.mismatches.push(mismatch),
                        Err(reason) => summary.skipped.push((seed, reason)),
                    }
                }
            });
        }
    });
    let mut summary = summary.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    summary.mismatches.sort_by_key(|mismatch| mismatch.seed);
    summary.skipped.sort();
    summary
}

/// Compares one program; the error says why gcc could not judge it.
fn compare_seed(
    seed: u64,
    settings: &Settings,
    compiler: &Compiler,
    subject: &dyn Subject,
) -> Result<Option<Mismatch>, String> {
    let program = match settings.source {
        Source::Own => generate_program(seed, &options_for(seed, compiler.model())),
        Source::Csmith => csmith(seed, compiler)?,
    };
    // What takes gcc's program a second is too much for an interpreter; own programs are fast.
    let limit = if settings.source == Source::Csmith { CSMITH_LIMIT } else { settings.limit };
    let compiler = compiler.clone().with_limit(limit);
    let expected = compiler.run_program(&program, Mode::Plain).map_err(|error| error.to_string())?;
    if !matches!(expected.end, End::Code(0..)) {
        return Err(format!("gcc's program: {:?} {}", expected.end, expected.stderr.trim()));
    }
    let actual =
        subject.execute(&program, compiler.model(), settings.limit).unwrap_or_else(|error| broken(&error));
    Ok(difference(&expected, &actual).map(|difference| Mismatch {
        seed,
        program,
        difference,
        expected,
        actual,
    }))
}

/// A subject that cannot be run at all.
fn broken(error: &io::Error) -> Execution {
    Execution { stdout: String::new(), stderr: error.to_string(), end: End::Signal }
}

/// How the actual execution differs from the expected one, if at all (I2).
pub fn difference(expected: &Execution, actual: &Execution) -> Option<Difference> {
    if actual.end == End::Timeout {
        return Some(Difference::Timeout);
    }
    if actual.stdout == expected.stdout && actual.end == expected.end {
        return None;
    }
    if actual.stdout.is_empty()
        && let Some(message) = actual.stderr.lines().next()
    {
        return Some(Difference::Failure(message.to_owned()));
    }
    Some(if actual.stdout == expected.stdout { Difference::Code } else { Difference::Output })
}

/// A smaller program with the same kind of difference and without undefined behaviour.
pub fn shrink_mismatch(
    mismatch: &Mismatch,
    compiler: &Compiler,
    subject: &dyn Subject,
    budget: usize,
) -> String {
    let limit = Duration::from_secs(10);
    let compiler = compiler.clone().with_limit(limit);
    let same = |text: &str| {
        let program = Program { text: text.to_owned(), inputs: mismatch.program.inputs.clone() };
        let judge = |mode| compiler.run_program(&program, mode).ok();
        let Some(expected) = judge(Mode::Plain).filter(|execution| matches!(execution.end, End::Code(0..)))
        else {
            return false;
        };
        let actual =
            subject.execute(&program, compiler.model(), limit).unwrap_or_else(|error| broken(&error));
        difference(&expected, &actual).is_some_and(|found| found.resembles(&mismatch.difference))
            && [Mode::Sanitized, Mode::Optimised]
                .into_iter()
                .all(|mode| judge(mode).as_ref() == Some(&expected))
    };
    shrink(&mismatch.program.text, budget, same)
}

/// A preprocessed program of csmith.
fn csmith(seed: u64, compiler: &Compiler) -> Result<Program, String> {
    let folder = TemporaryFolder::new().map_err(|error| error.to_string())?;
    let file = folder.path().join("csmith.c");
    let mut command = Command::new("csmith");
    command.args(["--seed", &seed.to_string(), "--no-argc", "--concise"]);
    command.args(["--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6"]);
    command.arg("-o").arg(&file);
    let output = run(&mut command, Duration::from_secs(20)).map_err(|error| format!("csmith: {error}"))?;
    if !output.succeeded() {
        return Err(format!("csmith: {:?} {}", output.end, output.stderr.trim()));
    }
    let text = std::fs::read_to_string(&file).map_err(|error| format!("csmith: {error}"))?;
    let text = compiler.preprocess(&text).map_err(|error| format!("csmith: {error}"))?;
    Ok(Program { text, inputs: Vec::new() })
}

/// Says why csmith cannot be used, if so.
pub fn csmith_missing() -> Option<String> {
    if !Path::new(crate::compiler::CSMITH_INCLUDE).join("csmith.h").exists() {
        return Some(format!("{}/csmith.h does not exist", crate::compiler::CSMITH_INCLUDE));
    }
    let version = run(Command::new("csmith").arg("--version"), Duration::from_secs(10));
    match version {
        Ok(output) if output.succeeded() => None,
        Ok(output) => Some(format!("csmith --version: {:?}", output.end)),
        Err(error) => Some(format!("csmith cannot be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::require::Requirement;

    fn execution(stdout: &str, stderr: &str, end: End) -> Execution {
        Execution { stdout: stdout.to_owned(), stderr: stderr.to_owned(), end }
    }

    #[test]
    fn only_equal_output_and_code_agree() {
        let expected = execution("5\n", "", End::Code(0));
        assert_eq!(difference(&expected, &execution("5\n", "note", End::Code(0))), None);
        assert_eq!(difference(&expected, &execution("6\n", "note", End::Code(0))), Some(Difference::Output));
        assert_eq!(difference(&expected, &execution("5\n", "", End::Code(1))), Some(Difference::Code));
        assert_eq!(difference(&expected, &execution("5\n", "", End::Timeout)), Some(Difference::Timeout));
        let failed = execution("", "error: no\nmore", End::Code(2));
        assert_eq!(difference(&expected, &failed), Some(Difference::Failure("error: no".to_owned())));
    }

    #[test]
    fn messages_resemble_each_other_whatever_line_they_name() {
        let failure = |text: &str| Difference::Failure(text.to_owned());
        assert!(
            failure("overflow at /tmp/a/x.c:3:4: in i32")
                .resembles(&failure("overflow at /tmp/b/x.c:9:1: in i64"))
        );
        assert!(!failure("overflow at /tmp/a/x.c:3:4:").resembles(&failure("division at /tmp/a/x.c:3:4:")));
        assert!(!failure("overflow").resembles(&Difference::Output));
    }

    #[test]
    fn a_wrong_subject_is_found_and_the_program_shrunk() {
        let compiler = match Compiler::find(Model::Lp64) {
            Ok(compiler) => compiler,
            Err(reason) => return Requirement::Gcc.skip(&reason),
        };
        let settings = Settings {
            count: 3,
            first_seed: 4,
            source: Source::Own,
            limit: Duration::from_secs(20),
            threads: 2,
        };
        // gcc itself, but wrong for programs with a switch.
        let subject = |program: &Program, _: Model| {
            let mut execution = compiler.run_program(program, Mode::Optimised)?;
            if program.text.contains("switch") {
                execution.stdout.push('0');
            }
            Ok(execution)
        };
        let wrong: Vec<u64> = (4..7)
            .filter(|&seed| generate_program(seed, &options_for(seed, Model::Lp64)).text.contains("switch"))
            .collect();
        let summary = compare(&settings, &compiler, &subject);
        let found: Vec<u64> = summary.mismatches.iter().map(|mismatch| mismatch.seed).collect();
        assert_eq!(found, wrong);
        assert_eq!(summary.agreed, 3 - wrong.len() as u64);
        if let Some(mismatch) = summary.mismatches.first() {
            let small = shrink_mismatch(mismatch, &compiler, &subject, 12);
            assert!(small.contains("switch") && small.len() < mismatch.program.text.len());
        }
    }
}
