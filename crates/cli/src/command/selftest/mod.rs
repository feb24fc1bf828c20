//! `wayproof selftest`: does this installation work, and do tool and compiler agree about C?
//!
//! A few programs that are built in are compiled and run by the compiler of this machine, and checked by this binary in processes of its own. What needs no
//! compiler is written without directives.
//!
//! # Invariants
//! * I1: each test is one line, and the same installation prints the same lines.
//! * I2: what could not be tried is skipped and said; it neither passes nor fails.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use report::printable;
use serde_json::Value;
use system::process::{self, End, Finished, Keep, Limits};
use witness::judge::compiler;

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

/// Time for one program.
const MAX_TIME: Duration = Duration::from_secs(120);
/// More of an output is not read.
const MAX_OUTPUT: usize = 1 << 20;

/// The built-in programs.
const PROGRAMS: [(&str, &str); 5] = [
    ("sizes.c", include_str!("sizes.c")),
    ("values.c", include_str!("values.c")),
    ("proof.c", include_str!("proof.c")),
    ("bug.c", include_str!("bug.c")),
    ("memory.c", include_str!("memory.c")),
];

/// What a test came to, with what is to be said.
enum Outcome {
    Passed(String),
    Failed(String),
    Skipped(String),
}

use Outcome::{Failed, Passed, Skipped};

/// Runs all tests.
pub(crate) fn selftest() -> Result<ExitStatus, Failure> {
    // An interrupt ends the programs that run, and the folder goes.
    let session = Session::start(None, Box::new(|_| ()));
    let bench = Bench::new().map_err(|error| {
        Failure::Output(io::Error::new(error.kind(), format!("a folder for temporary files: {error}")))
    })?;
    let tests: [(&str, Outcome); 7] = [
        ("solver", Passed(format!("Z3 {}", smt::z3_version()))),
        ("compiler", bench.compiler()),
        ("sizes, LP64", bench.sizes("LP64", "-m64", 8)),
        ("sizes, ILP32", bench.sizes("ILP32", "-m32", 4)),
        ("execution", bench.values()),
        ("proof", bench.proof()),
        ("violation", bench.violations()),
    ];
    session.claim();
    let (mut text, mut count) = (String::new(), [0_usize; 3]);
    for (name, outcome) in &tests {
        let (number, word, detail) = match outcome {
            Passed(detail) => (0, "ok", detail),
            Skipped(detail) => (1, "skipped", detail),
            Failed(detail) => (2, "FAILED", detail),
        };
        count[number] += 1;
        let _ = writeln!(text, "{word:<8}{name}: {}", printable(detail));
    }
    let [passed, skipped, failed] = count;
    let _ = writeln!(text, "{passed} passed, {skipped} skipped, {failed} failed");
    Output::new().write(&text)?;
    Ok(if failed == 0 { ExitStatus::Success } else { ExitStatus::Usage })
}

/// A private folder with the programs, removed at the end.
struct Bench {
    folder: PathBuf,
    /// The compiler and its first arguments.
    compiler: Vec<String>,
}

impl Bench {
    fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("wayproof-selftest-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder)?;
        let compiler = compiler().split_whitespace().map(str::to_owned).collect();
        let bench = Self { folder, compiler };
        for (name, text) in PROGRAMS {
            fs::write(bench.folder.join(name), text)?;
        }
        Ok(bench)
    }

    /// Runs a program in the folder.
    fn run(&self, program: &Path, arguments: &[&str]) -> io::Result<Finished> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder);
        let limits = Limits::time(MAX_TIME);
        process::run(&command, None, [Keep::Ends(MAX_OUTPUT); 2], &limits, &|| None)
    }

    fn compile(&self, arguments: &[&str]) -> io::Result<Finished> {
        let (first, rest) = self.compiler.split_first().ok_or(io::ErrorKind::NotFound)?;
        let words: Vec<&str> = rest.iter().map(String::as_str).chain(arguments.iter().copied()).collect();
        self.run(Path::new(first), &words)
    }

    fn wayproof(&self, arguments: &[&str]) -> io::Result<Finished> {
        self.run(&std::env::current_exe()?, arguments)
    }

    fn compiler(&self) -> Outcome {
        match self.compile(&["--version"]) {
            Ok(finished) if finished.end == End::Code(0) => Passed(first_line(&finished.output)),
            Ok(finished) => {
                Failed(format!("`{}` cannot be used: {}", self.compiler.join(" "), complaint(&finished)))
            }
            Err(error) => Failed(format!("`{}` cannot be started: {error}", self.compiler.join(" "))),
        }
    }

    /// Whether compiler and front end have the sizes of a data model.
    fn sizes(&self, model: &str, flag: &str, word: u32) -> Outcome {
        let define = format!("-DWORD={word}");
        let theirs = self.compile(&[flag, &define, "-std=gnu17", "-fsyntax-only", "sizes.c"]);
        let ours = self.wayproof(&[
            "check",
            "--no-settings",
            "--check",
            "none",
            "--quiet",
            "--data-model",
            model,
            &define,
            "sizes.c",
        ]);
        if !self
            .compile(&[flag, "-fsyntax-only", "memory.c"])
            .is_ok_and(|finished| finished.end == End::Code(0))
        {
            return Skipped(format!("the compiler does not know {flag}"));
        }
        for (who, finished) in [("the compiler", theirs), ("wayproof", ours)] {
            match finished {
                Ok(finished) if finished.end == End::Code(0) => {}
                Ok(finished) => return Failed(format!("{who} disagrees: {}", complaint(&finished))),
                Err(error) => return Failed(format!("{who} cannot be started: {error}")),
            }
        }
        Passed("compiler and wayproof agree".to_owned())
    }

    /// Whether a program without inputs ends alike, compiled and in the interpreter.
    fn values(&self) -> Outcome {
        let built = self.compile(&["-std=gnu17", "-O1", "-w", "values.c", "-o", "values"]);
        match built {
            Ok(finished) if finished.end == End::Code(0) => {}
            Ok(finished) => {
                return Skipped(format!("the program cannot be compiled: {}", complaint(&finished)));
            }
            Err(error) => return Skipped(format!("the compiler cannot be started: {error}")),
        }
        let theirs = self.run(&self.folder.join("values"), &[]).map(|finished| finished.end);
        let ours = self.wayproof(&["run", "--quiet", "values.c"]).map(|finished| finished.end);
        match (theirs, ours) {
            (Ok(End::Code(theirs)), Ok(End::Code(ours))) if theirs == ours => {
                Passed(format!("compiled and interpreted, the program exits with {ours}"))
            }
            (Err(error), _) | (_, Err(error)) => Failed(error.to_string()),
            (Ok(theirs), Ok(ours)) => {
                Failed(format!("compiled, the program ends with {theirs:?}, interpreted with {ours:?}"))
            }
        }
    }

    fn proof(&self) -> Outcome {
        match self.wayproof(&["check", "--no-settings", "--check", "none", "--format", "json", "proof.c"]) {
            Ok(finished) if finished.end == End::Code(0) => Passed("found, and checked again".to_owned()),
            Ok(finished) => Failed(complaint(&finished)),
            Err(error) => Failed(error.to_string()),
        }
    }

    /// Whether violations are found, and confirmed by the compiled program.
    fn violations(&self) -> Outcome {
        let mut said = Vec::new();
        for name in ["bug.c", "memory.c"] {
            let finished = match self.wayproof(&["check", "--no-settings", "--format", "json", name]) {
                Ok(finished) if finished.end == End::Code(10) => finished,
                Ok(finished) => return Failed(format!("{name}: {}", complaint(&finished))),
                Err(error) => return Failed(error.to_string()),
            };
            let report: Value = serde_json::from_slice(&finished.output).unwrap_or_default();
            let opinion = &report["compiled_program"];
            said.push(match opinion["outcome"].as_str() {
                Some("confirmed") => format!("{name}: found, and confirmed by the compiled program"),
                _ => format!(
                    "{name}: found, not confirmed ({})",
                    opinion["why"].as_str().unwrap_or("the compiled program was not asked")
                ),
            });
        }
        Passed(said.join("; "))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn first_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().next().unwrap_or_default().to_owned()
}

/// What a program has said, in a line.
fn complaint(finished: &Finished) -> String {
    let errors = String::from_utf8_lossy(&finished.errors);
    let output = String::from_utf8_lossy(&finished.output);
    let line = errors.lines().chain(output.lines()).find(|line| !line.trim().is_empty());
    let end = match finished.end {
        End::Code(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("signal {signal}"),
        End::Halted(halt) => format!("{halt:?}"),
    };
    line.map_or_else(|| end.clone(), |line| format!("{end}, {}", line.trim()))
}
