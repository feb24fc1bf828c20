//! One task in a process of its own.
//!
//! # Invariants
//! * I1: what is started is ended: a child that is over a limit, or is not wanted any more, is asked to end and, if it does not, killed, in any case
//!   with all that it has started (`system::process`).

use std::io;
use std::num::NonZero;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base::Stop;
use serde_json::Value;
use system::process::{self, End, Halt, Keep, Limits};

use super::options::Forwarded;
use super::rows::{Row, Run, Verdict};
use super::tasks::Task;
use crate::args::SourceArgs;
use crate::artifact;
use crate::failure::Failure;

/// Time that a child gets beyond its own limit: to write, and to print what it has found.
const GRACE: Duration = Duration::from_secs(30);
/// Time between asking a child to end and killing it.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// More of what a child says is not kept.
const MAX_OUTPUT: usize = 64 << 20;

/// A task that is to be run.
pub(super) struct Job<'a> {
    /// Its number in the list.
    pub(super) index: usize,
    /// What to check.
    pub(super) task: &'a Task,
    /// How.
    pub(super) options: &'a Forwarded,
    /// Seconds that it may take.
    pub(super) timeout: f64,
    /// The path of its logs, without the last extension.
    pub(super) log: Option<&'a Path>,
    /// What an earlier run said about it, with a key that shows whether it is still the same task.
    pub(super) earlier: Option<&'a Row>,
}

/// What ended a child from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Interrupted,
    Memory,
    Processes,
    Time,
}

/// The limit of memory of a task in MiB, and the user's wish to end.
pub(super) struct Watch {
    is_interrupted: Arc<AtomicBool>,
    memory: Option<NonZero<u64>>,
}

impl Watch {
    /// Starts to watch for signals. `memory` is in MiB.
    pub(super) fn start(memory: Option<NonZero<u64>>) -> Self {
        let is_interrupted = Arc::new(AtomicBool::new(false));
        let flag = is_interrupted.clone();
        // If there is no way to hear of signals, they end the process as usual.
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst));
        Self { is_interrupted, memory }
    }

    /// Whether no further task shall be started.
    pub(super) fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::SeqCst)
    }

    /// Ends what runs.
    pub(super) fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::SeqCst);
    }

    /// Bytes of memory of a task with all that it starts.
    fn bytes(&self) -> Option<u64> {
        self.memory.map(|limit| limit.get() << 20)
    }
}

/// Runs one task to its end. Nothing comes of one that the user interrupted.
pub(super) fn run(job: &Job<'_>, watch: &Watch) -> Option<Row> {
    let start = Instant::now();
    let result = talk(job, watch);
    let seconds = start.elapsed().as_secs_f64();
    let said = match result {
        Ok(said) => said,
        Err(error) => {
            let message = format!("the process of the task cannot be run: {error}");
            return Some(Row {
                seconds,
                message,
                reason: "crashed".to_owned(),
                ..blank(job, Verdict::Crashed)
            });
        }
    };
    if said.ended == Some(Ended::Interrupted) {
        return None;
    }
    let mut row = judge(job, &said);
    if row.run == Run::Earlier {
        // Its logs are of the earlier run, too.
        return Some(row);
    }
    row.seconds = seconds;
    if let Some(log) = job.log
        && let Err(error) = write_log(log, job, &said, seconds)
    {
        crate::console::note(&format!("wayproof: the log of {} cannot be written: {error:?}", job.task.name));
    }
    Some(row)
}

/// What a child said until its end.
struct Said {
    status: ExitStatus,
    ended: Option<Ended>,
    output: Vec<u8>,
    errors: String,
}

/// The command of a child.
fn command(job: &Job<'_>) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("check").args(&job.options.arguments);
    command.args(["--format=json", "--color=never"]).arg(format!("--timeout={}", job.timeout));
    if let Some(earlier) = job.earlier {
        command.arg(format!("--known-key={}", earlier.key));
    }
    if let Some(log) = job.log {
        let mut report = std::ffi::OsString::from("--output=human=");
        report.push(extended(log, "txt"));
        command.arg(report);
    }
    command.arg("--").arg(&job.task.path);
    Ok(command)
}

fn talk(job: &Job<'_>, watch: &Watch) -> io::Result<Said> {
    let mut command = command(job)?;
    // The task leaves as much to the programs that it starts as it does not use itself.
    match watch.bytes() {
        Some(bytes) => command.env(super::MEMORY_VARIABLE, bytes.to_string()),
        None => command.env_remove(super::MEMORY_VARIABLE),
    };
    let limits = Limits {
        memory: watch.bytes(),
        grace: LAST_WORDS,
        ..Limits::time(Duration::from_secs_f64(job.timeout) + GRACE)
    };
    let halt = || watch.is_interrupted().then_some(Halt::All(Stop::Cancelled));
    let finished = process::run(&command, None, [Keep::Ends(MAX_OUTPUT); 2], &limits, &halt)?;
    let ended = match finished.end {
        End::Halted(Halt::All(_)) => Some(Ended::Interrupted),
        End::Halted(Halt::Memory) => Some(Ended::Memory),
        End::Halted(Halt::Processes) => Some(Ended::Processes),
        End::Halted(Halt::Time | Halt::Output) => Some(Ended::Time),
        End::Code(_) | End::Signal(_) => None,
    };
    let errors = String::from_utf8_lossy(&finished.errors).into_owned();
    Ok(Said { status: finished.status, ended, output: finished.output, errors })
}

fn blank(job: &Job<'_>, verdict: Verdict) -> Row {
    Row {
        task: job.task.name.clone(),
        verdict,
        expected: None,
        seconds: 0.0,
        reason: String::new(),
        message: String::new(),
        run: Run::This,
        key: String::new(),
    }
}

/// The row of a child that has ended. The exit code is the verdict; the report says why.
fn judge(job: &Job<'_>, said: &Said) -> Row {
    let report: Value = serde_json::from_slice(&said.output).unwrap_or(Value::Null);
    let text = |path: &str| report.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (verdict, reason, message) = match (said.ended, said.status.code()) {
        (Some(Ended::Memory), _) => {
            (Verdict::Unknown, "memory-limit".to_owned(), "the memory limit was reached".to_owned())
        }
        (Some(Ended::Time), _) => (
            Verdict::Unknown,
            "timeout".to_owned(),
            "the task did not end by itself and was killed".to_owned(),
        ),
        (Some(Ended::Processes), _) => (
            Verdict::Unknown,
            "memory-limit".to_owned(),
            "the task has started too many processes and was killed".to_owned(),
        ),
        (_, Some(0)) if text("/verdict") == "safe" => {
            let is_idle = report.get("nothing_to_check") == Some(&Value::Bool(true));
            (Verdict::Safe, String::new(), if is_idle { "nothing to check" } else { "" }.to_owned())
        }
        (_, Some(10)) if text("/verdict") == "unsafe" => (Verdict::Unsafe, String::new(), violation(&report)),
        (_, Some(5)) => (Verdict::Unknown, text("/reason/code"), text("/reason/message")),
        (_, Some(1 | 2)) => {
            let message = text("/diagnostics/0/message");
            let message = if message.is_empty() { first_line(&said.errors) } else { message };
            (Verdict::Error, "input".to_owned(), message)
        }
        (_, Some(_)) => (Verdict::Crashed, "crashed".to_owned(), first_line(&said.errors)),
        (_, None) => {
            let signal = said.status.signal().unwrap_or(0);
            let message = format!("ended by signal {signal}. {}", first_line(&said.errors));
            (Verdict::Crashed, "crashed".to_owned(), message.trim_end().to_owned())
        }
    };
    let stated = report.pointer("/task/expected").and_then(Value::as_bool);
    // A child that was ended from outside could not say what its task expects.
    let expected = stated.or_else(|| if report.get("task").is_none() { expected(job.task) } else { None });
    if let Some(earlier) = job.earlier.filter(|_| reason == report::CHECKED_BEFORE) {
        return Row { expected, ..earlier.clone() };
    }
    Row { verdict, expected, reason, message, key: text("/task/key"), ..blank(job, Verdict::Unknown) }
}

/// Where the violation is.
fn violation(report: &Value) -> String {
    let place = report.pointer("/evidence/location");
    let file = place.and_then(|place| place.get("file")).and_then(Value::as_str);
    let line = place.and_then(|place| place.get("line")).and_then(Value::as_u64);
    match (file, line) {
        (Some(file), Some(line)) => format!("violated at {file}:{line}"),
        _ => String::new(),
    }
}

fn expected(task: &Task) -> Option<bool> {
    if !crate::task::is_task(&task.path) {
        return None;
    }
    let console = crate::console::Console::new(crate::args::ColorChoice::Never);
    let request = crate::resolve::Request::new(&task.path, &SourceArgs::default(), None, console);
    request.ok().and_then(|request| request.expected)
}

fn first_line(text: &str) -> String {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .to_owned()
}

/// A file of a log.
pub(super) fn extended(log: &Path, extension: &str) -> PathBuf {
    let mut path = log.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

/// Removes the logs that an earlier run has written for a task.
pub(super) fn forget(log: &Path) {
    for extension in ["log", "json", "txt"] {
        // What cannot be removed cannot be written either, and that is said.
        let _ = std::fs::remove_file(extended(log, extension));
    }
}

fn write_log(log: &Path, job: &Job<'_>, said: &Said, seconds: f64) -> Result<(), Failure> {
    let words: Vec<String> = match command(job) {
        Ok(command) => command.get_args().map(|word| word.to_string_lossy().into_owned()).collect(),
        Err(_) => Vec::new(),
    };
    let end = said.status.code().map_or_else(|| said.status.to_string(), |code| format!("exit code {code}"));
    let text = format!("wayproof {}\n{end} after {seconds:.3} s\n\n{}", words.join(" "), said.errors);
    artifact::write(&extended(log, "log"), &text)?;
    artifact::write(&extended(log, "json"), &String::from_utf8_lossy(&said.output))
}

/// The paths of the logs of all tasks, without extension: the folder is made, and no two are the same.
pub(super) fn logs(folder: &Path, tasks: &[Task]) -> Result<Vec<PathBuf>, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot make the folder `{}`: {error}", folder.display());
        Failure::usage(message, "name a folder that can be written")
    })?;
    let mut taken = std::collections::HashSet::new();
    let paths = tasks.iter().map(|task| {
        let plain = task.name.trim_start_matches(['.', '/']).replace("../", "").replace('/', "_");
        let mut name = plain.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        folder.join(name)
    });
    Ok(paths.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(code: i32, ended: Option<Ended>, output: &str, errors: &str) -> (Verdict, String, String) {
        let task = Task { path: "a.c".into(), name: "a.c".to_owned() };
        let options = Forwarded { arguments: Vec::new(), label: String::new() };
        let job = Job { index: 0, task: &task, options: &options, timeout: 1.0, log: None, earlier: None };
        let status = ExitStatus::from_raw(code);
        let said = Said { status, ended, output: output.into(), errors: errors.to_owned() };
        let row = judge(&job, &said);
        (row.verdict, row.reason, row.message)
    }

    #[test]
    fn a_verdict_needs_exit_code_and_report() {
        assert_eq!(row(0, None, r#"{"verdict": "safe"}"#, "").0, Verdict::Safe);
        // A process that ends with 0 and says nothing has proved nothing.
        assert_eq!(row(0, None, "", "").0, Verdict::Crashed);
        assert_eq!(row(0, None, r#"{"verdict": "unsafe"}"#, "").0, Verdict::Crashed);
        let report = r#"{"verdict": "unsafe", "evidence": {"location": {"file": "a.c", "line": 7}}}"#;
        assert_eq!(
            row(10 << 8, None, report, ""),
            (Verdict::Unsafe, String::new(), "violated at a.c:7".to_owned())
        );
    }

    #[test]
    fn ends_from_outside_are_told_apart() {
        assert_eq!(row(9, Some(Ended::Memory), "", "").1, "memory-limit");
        assert_eq!(row(9, Some(Ended::Time), "", "").1, "timeout");
        let crashed = row(11, None, "", "\nstack overflow\n");
        assert_eq!(crashed.2, "ended by signal 11. stack overflow");
        assert_eq!(crashed.0, Verdict::Crashed);
        assert_eq!(row(2 << 8, None, "", "error: no such thing\n").2, "no such thing");
    }

    #[test]
    fn logs_have_names_of_their_own() {
        let task = |name: &str| Task { path: name.into(), name: name.to_owned() };
        let folder = std::env::temp_dir();
        let paths = logs(&folder, &[task("a/b.c"), task("a_b.c"), task("../a/b.c"), task("./x.c")]).unwrap();
        let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_string_lossy()).collect();
        assert_eq!(names, ["a_b.c", "a_b.c-2", "a_b.c-3", "x.c"]);
    }
}
