//! gcc with sanitizers as a judge: how executions end in the compiled program.
//!
//! Programs are compiled one by one and linked together with a harness that runs each of them with each list of inputs, in a process of its own.
//!
//! # Invariants
//! * C1: an execution ends at the first report of a sanitizer.

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use cfa::CheckKind;
use interp::Outcome;

use crate::process::{TemporaryFolder, run};

use super::executions::Run;

/// Time for a compilation, or for all runs of a batch; generous because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

const FLAGS: [&str; 15] = [
    "-pipe",
    "-w",
    "-O0",
    "-fno-strict-aliasing",
    "-ftrivial-auto-var-init=pattern",
    "-fsanitize=undefined,address,float-cast-overflow",
    // What Wayproof defines, or leaves to the processor.
    "-fno-sanitize=alignment,pointer-overflow,shift-base",
    "-fno-sanitize-recover=all",
    // Live memory is counted.
    "-Dmalloc=testkit_malloc",
    "-Dcalloc=testkit_calloc",
    "-Drealloc=testkit_realloc",
    "-Dfree=testkit_free",
    "-Dexit=testkit_exit",
    "-fno-builtin",
    "-c",
];

/// How an execution ends, as far as both judges can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It ends by itself, and nothing is left.
    Fine,
    /// Memory is left.
    Leak,
    /// The error is called.
    Error,
    /// An assumption does not hold.
    Blocked,
    /// Signed overflow.
    Overflow,
    /// Division by zero.
    Division,
    /// A shift amount.
    Shift,
    /// A float that does not fit.
    Float,
    /// Outside of an array or object.
    Bounds,
    /// The length of an array.
    Length,
    /// Null, or an address of nothing.
    Address,
    /// An object that is no more.
    Dangling,
    /// `free` of what cannot be freed.
    Free,
    /// A truth value that is none.
    Bool,
    /// What only one of the judges can see, or what has no name here.
    Other,
}

impl End {
    /// How the interpreter says that an execution ends.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let kind = match outcome {
            Outcome::Blocked { .. } => return Self::Blocked,
            Outcome::Error { kind, .. } => *kind,
            Outcome::Undefined { kind, .. } => kind.check(),
            _ => return Self::Fine,
        };
        match kind {
            CheckKind::Assertion => Self::Error,
            CheckKind::SignedOverflow => Self::Overflow,
            CheckKind::DivisionByZero => Self::Division,
            CheckKind::ShiftAmount => Self::Shift,
            CheckKind::FloatToInt => Self::Float,
            CheckKind::ArrayBounds | CheckKind::OutOfBounds => Self::Bounds,
            CheckKind::ArrayLength => Self::Length,
            CheckKind::NullDereference | CheckKind::WildPointer => Self::Address,
            CheckKind::Dangling => Self::Dangling,
            CheckKind::DoubleFree | CheckKind::BadFree => Self::Free,
            CheckKind::Leak => Self::Leak,
            CheckKind::InvalidBool => Self::Bool,
            CheckKind::ReadOnly
            | CheckKind::Overlap
            | CheckKind::Misuse
            | CheckKind::BadFunctionPointer
            // Memory may be lost long before the end.
            | CheckKind::LostMemory
            | CheckKind::Uninitialised
            | CheckKind::BadFormat => Self::Other,
        }
    }

    /// How the compiled program says that it ends.
    fn reported(line: &str) -> Option<Self> {
        let (status, report) = line.split_once(' ')?;
        let says = |words: &[&str]| words.iter().any(|word| report.contains(word));
        Some(match status {
            "0" => Self::Fine,
            "76" => Self::Leak,
            "77" => Self::Error,
            "78" => Self::Blocked,
            _ if says(&["signed integer overflow", "negation of", "division of -"]) => Self::Overflow,
            _ if says(&["division by zero"]) => Self::Division,
            _ if says(&["shift exponent"]) => Self::Shift,
            _ if says(&["outside the range of representable values"]) => Self::Float,
            _ if says(&[
                "buffer-overflow",
                "buffer-underflow",
                "out of bounds",
                "negative-size",
                "container-overflow",
                "dynamic-stack",
            ]) =>
            {
                Self::Bounds
            }
            _ if says(&["variable length array bound"]) => Self::Length,
            _ if says(&["null pointer", "SEGV", "wild"]) => Self::Address,
            _ if says(&["use-after"]) => Self::Dangling,
            _ if says(&["double-free", "attempting free"]) => Self::Free,
            _ if says(&["not a valid value for type '_Bool'"]) => Self::Bool,
            _ => Self::Other,
        })
    }

    /// Whether both judges see the same end. An access to memory that is wrong in several ways is reported as one of them.
    pub(super) fn agrees(self, compiled: Self) -> bool {
        let is_access = |end| matches!(end, Self::Bounds | Self::Address | Self::Dangling | Self::Other);
        let is_end = |end| matches!(end, Self::Fine | Self::Leak);
        self == compiled
            || self == Self::Other
            // A variable of an earlier iteration lives again for the sanitizer.
            || self == Self::Dangling
            || is_access(self) && is_access(compiled)
            // An array without elements is none for gcc, and a negative length ends an execution silently where it is not asked about.
            || compiled == Self::Length
            // What is left counts only where that is asked.
            || self == Self::Fine && is_end(compiled)
    }
}

/// A gcc with sanitizers.
#[derive(Debug)]
pub struct Compiled {
    folder: TemporaryFolder,
}

impl Compiled {
    /// Looks for gcc; the error says in one sentence why programs cannot be run here.
    pub fn find() -> Result<Compiled, String> {
        let folder = TemporaryFolder::new().map_err(|error| error.to_string())?;
        let judge = Compiled { folder };
        let harness = judge.folder.write("harness.c", include_str!("harness.c"));
        harness.map_err(|error| error.to_string())?;
        judge.gcc(&["-w", "-O1", "-c", "harness.c", "-o", "harness.o"])?;
        let program = "int main(void) { int a[2]; return a[0] = 1; }\n";
        let run = [Run { inputs: Vec::new(), outcome: Outcome::Returned, output: Vec::new() }];
        match judge.ends(&[(program, &run)])?.as_slice() {
            [Some(ends)] if *ends == [End::Fine] => Ok(judge),
            other => Err(format!("gcc with sanitizers does not work here: {other:?}")),
        }
    }

    fn gcc(&self, arguments: &[&str]) -> Result<(), String> {
        self.command("gcc", arguments)
    }

    fn command(&self, name: &str, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new(name);
        command.args(arguments).current_dir(self.folder.path());
        let done = run(&mut command, LIMIT).map_err(|error| format!("{name} cannot be started: {error}"))?;
        let line = done.stderr.lines().find(|line| line.contains("error")).unwrap_or_default();
        if done.succeeded() { Ok(()) } else { Err(format!("{name} fails: {line}")) }
    }

    /// How the executions of programs end, each with the inputs of its runs; nothing for a program that gcc refuses. The error says what does not work.
    pub(super) fn ends(&self, programs: &[(&str, &[Run])]) -> Result<Vec<Option<Vec<End>>>, String> {
        let (mut table, mut inputs) = (String::new(), String::new());
        let (mut objects, mut accepted, mut list) = (Vec::new(), Vec::new(), String::new());
        for (number, (text, runs)) in programs.iter().enumerate() {
            let (source, object) = (format!("p{number}.c"), format!("p{number}.o"));
            let name = format!("testkit_program_{number}");
            self.folder.write(&source, text).map_err(|error| error.to_string())?;
            let main = format!("-Dmain={name}");
            let mut arguments = FLAGS.to_vec();
            arguments.extend([main.as_str(), &source, "-o", &object]);
            let is_compiled = self.gcc(&arguments).is_ok();
            accepted.push(is_compiled);
            if !is_compiled {
                continue;
            }
            // Programs have names in common.
            self.command("objcopy", &["--keep-global-symbol", &name, &object])?;
            objects.push(object);
            let _ = writeln!(table, "int {name}(void);");
            let _ = write!(list, " {name},");
            let position = objects.len() - 1;
            for run in *runs {
                let _ = write!(inputs, "{position}");
                run.inputs.iter().for_each(|value| {
                    let _ = write!(inputs, " {value}");
                });
                inputs.push('\n');
            }
        }
        let _ = writeln!(table, "int (*const testkit_programs[])(void) = {{{list} 0 }};");
        self.folder.write("table.c", table).map_err(|error| error.to_string())?;
        let mut arguments = vec!["-w", "-fsanitize=undefined,address", "harness.o", "table.c", "-o", "batch"];
        arguments.extend(objects.iter().map(String::as_str));
        self.gcc(&arguments)?;
        let inputs = self.folder.write("inputs", inputs).map_err(|error| error.to_string())?;
        let lines = execute(&self.folder.path().join("batch"), &inputs)?;
        let mut lines = lines.lines();
        let mut ends = Vec::new();
        for ((_, runs), is_compiled) in programs.iter().zip(accepted) {
            if !is_compiled {
                ends.push(None);
                continue;
            }
            let own: Option<Vec<End>> = runs.iter().map(|_| End::reported(lines.next()?)).collect();
            ends.push(Some(own.ok_or("the harness does not report all runs")?));
        }
        Ok(ends)
    }
}

fn execute(batch: &PathBuf, inputs: &Path) -> Result<String, String> {
    let mut command = Command::new("timeout");
    command.arg(LIMIT.as_secs().to_string()).arg(batch);
    let options = "detect_leaks=0:detect_stack_use_after_return=1:detect_odr_violation=0:symbolize=0";
    command.env("ASAN_OPTIONS", options).env("UBSAN_OPTIONS", "symbolize=0:print_stacktrace=0");
    let file = File::open(inputs).map_err(|error| error.to_string())?;
    let output = command.stdin(Stdio::from(file)).stderr(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        assert_eq!(End::reported("0 "), Some(End::Fine));
        assert_eq!(End::reported("1 runtime error: division by zero"), Some(End::Division));
        let report = "1 ERROR: AddressSanitizer: heap-use-after-free on address 0x1";
        assert_eq!(End::reported(report), Some(End::Dangling));
        assert!(
            End::Bounds.agrees(End::Address) && !End::Fine.agrees(End::Bounds) && End::Fine.agrees(End::Leak)
        );
    }
}
