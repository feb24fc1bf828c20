//! The second judge of unsafe: the harness, built by the system's C compiler and executed. It has a veto: unsafe is not claimed if the
//! compiled program was run with the inputs of the trace to its own end and that is not the violation.
//!
//! This runs the user's own program. It happens in a private folder, with limits of time, memory and output; `--no-exec` prevents it.
//!
//! # Invariants
//! * I1: what is started is ended, with all that it starts (`system::process`).
//! * I2: the folder is removed, whatever happens, unless this process is killed.
//! * I3: a program that was ended by a limit, or that could not be built, differs from nothing: nobody was asked.
//! * I4: no stub stands for a function that the system's libraries define.
//! * I5: what is no assertion is confirmed by a report of a sanitizer, of its kind. That it is silent is a veto only where the sanitizer misses nothing: a compiler may
//!   simplify an expression before it looks at overflows, and memory behind the end of an object may belong to another one ([`sanitizer`]).

mod recipe;
mod sanitizer;

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base::Budget;
use cfa::CheckKind;
use system::process::{self, End, Finished, Halt, Keep, Limits};
use verdict::Trace;

use crate::harness::{self, Harness};
use crate::question::Question;

use sanitizer::Sanitizer;

pub use recipe::{Recipe, compiler};

/// Time for the compiler.
const MAX_COMPILE_TIME: Duration = Duration::from_secs(20);
/// Time for the program.
const MAX_RUN_TIME: Duration = Duration::from_secs(5);
/// Memory for the compiler and for the program.
const MAX_MEMORY: u64 = 4 << 30;
/// Addresses for the program: allocations do not fail by assumption, and what is allocated need not be used.
const MAX_ADDRESSES: u64 = 1 << 40;
/// The stack of the program, which has no limit by assumption.
const MAX_STACK: u64 = 1 << 30;
/// What the compiler may write.
const MAX_FILE: u64 = 1 << 30;
/// More output than this at the beginning and at the end is not read.
const MAX_OUTPUT: usize = 1 << 16;
/// What the sanitizer may write.
const MAX_REPORT: u64 = 1 << 16;
/// The text that asks the linker which names it knows.
const PROBE: &str = "probe.c";

/// What the second judge says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// The compiled program ends in the violation.
    Confirmed,
    /// It does something else.
    Differs(String),
    /// It was not asked, or could not be.
    NotJudged(String),
}

/// What the compiled program says about a trace, and the text of the harness or why there is none.
pub fn judge(question: &Question, trace: &Trace, budget: &Budget) -> (Opinion, Result<String, String>) {
    let recipe = Recipe::new(question, trace);
    let command = recipe.command();
    if recipe.violated != CheckKind::Assertion
        && let Err(why) = Sanitizer::of(recipe.violated)
    {
        return (Opinion::NotJudged(why.to_owned()), harness_of(question, trace, &command).text());
    }
    let plain = harness_of(question, trace, &command);
    let mut last = plain.text();
    if let Err(why) = last {
        return (Opinion::NotJudged(why.clone()), Err(why));
    }
    let mut text = |undefined: &[String]| {
        last = Harness { undefined, ..plain }.text();
        last.clone()
    };
    let mut opinion = build_and_run(&recipe, &plain.externs(), &mut text, budget);
    if let Opinion::Differs(how) = &opinion
        && !plain.reports_all()
    {
        let why = format!("the error is in an included file, where the harness cannot report it, and {how}");
        opinion = Opinion::NotJudged(why);
    }
    (opinion, last)
}

/// The text of the harness of a trace, or why there is none. Nothing is executed.
pub fn harness_text(question: &Question, trace: &Trace) -> Result<String, String> {
    let command = Recipe::new(question, trace).command();
    harness_of(question, trace, &command).text()
}

fn harness_of<'a>(question: &'a Question, trace: &'a Trace, command: &'a str) -> Harness<'a> {
    let lower = &question.options.lower;
    Harness {
        units: &question.texts,
        entry: &lower.entry,
        elements: lower.start.elements.least(),
        trace,
        error_functions: &lower.error_functions,
        assert_is_error: lower.assert_is_error,
        command,
        undefined: &[],
    }
}

/// Builds and runs a harness. `text` makes its text, given the functions that nobody defines; `chosen` are the functions without body whose
/// values it hands out.
fn build_and_run(
    recipe: &Recipe,
    chosen: &[String],
    text: &mut dyn FnMut(&[String]) -> Result<String, String>,
    budget: &Budget,
) -> Opinion {
    let judge = Judge { recipe, budget };
    match judge.library(chosen) {
        Ok(Ok(known)) => {
            if let Some(name) = known.first() {
                let why = format!(
                    "a harness cannot control what `{name}` returns: the system's libraries define it"
                );
                return Opinion::NotJudged(why);
            }
        }
        Ok(Err(opinion)) => return opinion,
        Err(error) => return Opinion::NotJudged(format!("the harness cannot be built: {error}")),
    }
    let mut undefined = Vec::new();
    loop {
        let source = match text(&undefined) {
            Ok(source) => source,
            Err(why) => return Opinion::NotJudged(why),
        };
        match judge.attempt(&source) {
            Ok(Attempt::Undefined(names)) if undefined.is_empty() && !names.is_empty() => undefined = names,
            Ok(Attempt::Undefined(_)) => {
                return Opinion::NotJudged("the harness calls undefined functions".to_owned());
            }
            Ok(Attempt::Opinion(opinion)) => return opinion,
            Err(error) => return Opinion::NotJudged(format!("the harness cannot be executed: {error}")),
        }
    }
}

enum Attempt {
    Opinion(Opinion),
    /// The linker misses these functions.
    Undefined(Vec<String>),
}

struct Judge<'a> {
    recipe: &'a Recipe,
    budget: &'a Budget,
}

impl Judge<'_> {
    /// Those of some names that the linker knows (I4), or why it cannot be asked.
    fn library(&self, names: &[String]) -> io::Result<Result<Vec<String>, Opinion>> {
        if names.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        let list = names.join("[], ");
        let probe = names.join(", ");
        let source = format!(
            "extern char {list}[];\nchar *probe[] = {{ {probe} }};\nint main(void) {{ return 0; }}\n"
        );
        let folder = Folder::new()?;
        fs::write(folder.0.join(PROBE), source)?;
        Ok(match self.compile(&folder, PROBE, &["-fno-builtin"])? {
            Built::Program => Ok(names.to_vec()),
            Built::Undefined(missing) => {
                Ok(names.iter().filter(|name| !missing.contains(name)).cloned().collect())
            }
            Built::Refused(opinion) => Err(opinion),
        })
    }

    fn compile(&self, folder: &Folder, source: &str, further: &[&str]) -> io::Result<Built> {
        let compiler = compiler();
        let mut words = compiler.split_whitespace();
        let name = words.next().unwrap_or("cc");
        let mut command = Command::new(from_here(name));
        command.args(words).args(&self.recipe.flags).args(further);
        command.args(["-w", source, "-o", "harness", "-lm"]);
        // What it leaves behind when it is ended goes with the folder.
        command.env("TMPDIR", &folder.0);
        let limits = Limits {
            memory: Some(MAX_MEMORY),
            addresses: Some(MAX_MEMORY),
            file: Some(MAX_FILE),
            ..Limits::time(MAX_COMPILE_TIME)
        };
        let refused = |why: String| Ok(Built::Refused(Opinion::NotJudged(why)));
        let built = match self.run(command.current_dir(&folder.0), &limits) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return refused(format!("there is no C compiler `{name}`"));
            }
            built => built?,
        };
        let errors = String::from_utf8_lossy(&built.errors);
        match built.end {
            End::Code(0) if folder.0.join("harness").is_file() => Ok(Built::Program),
            End::Code(0) => refused(format!("the C compiler `{name}` produces no program")),
            End::Halted(halt) => {
                refused(format!("the C compiler `{name}` {}", reached(halt, MAX_COMPILE_TIME)))
            }
            End::Code(_) | End::Signal(_) => {
                let missing = undefined(&errors);
                if !missing.is_empty() {
                    return Ok(Built::Undefined(missing));
                }
                let first = errors.lines().find(|line| line.contains("error")).unwrap_or("no message");
                refused(format!("the C compiler refuses the harness: {}", first.trim()))
            }
        }
    }

    fn attempt(&self, source: &str) -> io::Result<Attempt> {
        let folder = Folder::new()?;
        fs::write(folder.0.join("harness.c"), source)?;
        match self.compile(&folder, "harness.c", &[])? {
            Built::Program => {}
            Built::Undefined(missing) => return Ok(Attempt::Undefined(missing)),
            Built::Refused(opinion) => return Ok(Attempt::Opinion(opinion)),
        }
        let mut limits = Limits {
            memory: Some(MAX_MEMORY),
            addresses: Some(MAX_ADDRESSES),
            file: Some(0),
            stack: Some(MAX_STACK),
            ..Limits::time(MAX_RUN_TIME)
        };
        let mut command = Command::new(folder.0.join("harness"));
        command.current_dir(&folder.0);
        let Ok(sanitizer) = Sanitizer::of(self.recipe.violated) else {
            return Ok(Attempt::Opinion(opinion(&self.run(&mut command, &limits)?)));
        };
        let reports = Folder::new()?;
        limits.file = Some(MAX_REPORT);
        // It takes terabytes of addresses for its own table.
        limits.addresses = None;
        let path = reports.0.join("report");
        command.env(sanitizer.variable, sanitizer.environment(&path.display().to_string()));
        let ran = self.run(&mut command, &limits)?;
        Ok(Attempt::Opinion(opinion_of_sanitizer(sanitizer, &ran, &reports.texts()?)))
    }

    fn run(&self, command: &mut Command, limits: &Limits) -> io::Result<Finished> {
        command.env("LC_ALL", "C");
        let stop = || self.budget.poll().err().map(Halt::All);
        process::run(command, None, [Keep::Ends(0), Keep::Ends(MAX_OUTPUT)], limits, &stop)
    }
}

/// What comes of compiling.
enum Built {
    Program,
    /// The linker misses these names.
    Undefined(Vec<String>),
    Refused(Opinion),
}

/// What a program that was run says about the violation.
fn opinion(ran: &Finished) -> Opinion {
    let errors = String::from_utf8_lossy(&ran.errors);
    let is_reported = ran.end == End::Code(harness::EXIT_CODE) && errors.contains(harness::MESSAGE);
    match ran.end {
        _ if is_reported => Opinion::Confirmed,
        End::Halted(halt) => {
            Opinion::NotJudged(format!("the compiled program {}", reached(halt, MAX_RUN_TIME)))
        }
        End::Code(harness::OUT_OF_INPUTS) => {
            Opinion::Differs("it reads more inputs than the trace has".to_owned())
        }
        End::Code(harness::NO_SETUP) => {
            Opinion::NotJudged("the compiled program cannot be given its standard input".to_owned())
        }
        End::Code(code) => Opinion::Differs(format!("it exits with {code}")),
        End::Signal(signal) => match limit_of(signal) {
            Some(limit) => Opinion::NotJudged(format!("the compiled program was ended by {limit}")),
            None => Opinion::Differs(format!("it is ended by signal {signal}{}", name_of(signal))),
        },
    }
}

/// What it says about a violation that a sanitizer reports (I5).
fn opinion_of_sanitizer(sanitizer: Sanitizer, ran: &Finished, reports: &str) -> Opinion {
    if sanitizer.confirms(reports) && ran.end != End::Code(0) {
        return Opinion::Confirmed;
    }
    if let Some(gist) = sanitizer::gist(reports) {
        return Opinion::NotJudged(format!("the sanitizer reports something else: {gist}"));
    }
    match opinion(ran) {
        Opinion::Differs(how) if sanitizer.is_complete => Opinion::Differs(how),
        Opinion::Confirmed | Opinion::Differs(_) => {
            Opinion::NotJudged("the sanitizer reports nothing (it does not see everything)".to_owned())
        }
        not_judged @ Opinion::NotJudged(_) => not_judged,
    }
}

/// A limit that was reached, in words.
fn reached(halt: Halt, time: Duration) -> String {
    match halt {
        Halt::Time => format!("took too long (limit: {} s)", time.as_secs()),
        Halt::All(base::Stop::Cancelled) => "was interrupted".to_owned(),
        Halt::All(_) => "took too long (limit: --timeout)".to_owned(),
        Halt::Memory => "needs too much memory".to_owned(),
        Halt::Processes => "starts too many processes".to_owned(),
        Halt::Output => "writes too much".to_owned(),
    }
}

/// The limit that a signal stands for (I3).
fn limit_of(signal: i32) -> Option<&'static str> {
    // The numbers are those of Linux.
    match signal {
        9 => Some("a limit of the system"),
        24 => Some("its time limit"),
        25 => Some("its file size limit"),
        // A full stack looks like a bad pointer. It was full if memory of that size was used, which nothing else here comes near.
        7 | 11 if process::largest_child() > MAX_STACK / 8 * 7 => Some("its stack limit"),
        _ => None,
    }
}

fn name_of(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic error)",
        11 => " (segmentation fault)",
        _ => "",
    }
}

/// A program as the user names it, for a process that is started in another folder.
fn from_here(name: &str) -> PathBuf {
    let path = Path::new(name);
    if name.contains('/') {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    }
}

/// The functions that a linker misses.
fn undefined(errors: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in errors.lines() {
        let Some((_, rest)) = line.split_once("undefined reference to `") else { continue };
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A private folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        let mut number = 0_u32;
        loop {
            let path = std::env::temp_dir().join(format!("wayproof-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// What its files say.
    fn texts(&self) -> io::Result<String> {
        let mut texts = String::new();
        for file in fs::read_dir(&self.0)? {
            texts += &String::from_utf8_lossy(&system::file::read_regular(&file?.path(), MAX_REPORT)?);
        }
        Ok(texts)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_the_linker_misses_are_found() {
        let errors = "/usr/bin/ld: a.o: in function `main':\nx.c:(.text+0x5): undefined reference to `foo'\n\
                      x.c:(.text+0x9): undefined reference to `foo'\nundefined reference to `bar'\n";
        assert_eq!(undefined(errors), ["foo", "bar"]);
    }

    #[test]
    fn a_program_that_reached_a_limit_differs_from_nothing() {
        use std::os::unix::process::ExitStatusExt;
        let status = std::process::ExitStatus::from_raw(0);
        let judged = |end, errors: &str| {
            let ran = Finished { end, status, output: Vec::new(), errors: errors.into() };
            opinion(&ran)
        };
        assert_eq!(judged(End::Code(harness::EXIT_CODE), harness::MESSAGE), Opinion::Confirmed);
        let differs = |end| matches!(judged(end, ""), Opinion::Differs(_));
        assert!(differs(End::Code(0)) && differs(End::Code(harness::EXIT_CODE)) && differs(End::Signal(6)));
        for end in [
            End::Signal(9),
            End::Signal(24),
            End::Signal(25),
            End::Halted(Halt::Time),
            End::Halted(Halt::Memory),
            End::Halted(Halt::All(base::Stop::Cancelled)),
        ] {
            assert!(matches!(judged(end, ""), Opinion::NotJudged(_)), "{end:?}");
        }
    }

    #[test]
    fn an_overflow_is_confirmed_by_a_report_only_and_vetoed_by_nothing() {
        use std::os::unix::process::ExitStatusExt;
        let overflow = Sanitizer::of(CheckKind::SignedOverflow).unwrap();
        let status = std::process::ExitStatus::from_raw(0);
        let report = "a.c:1:2: runtime error: signed integer overflow";
        let judged = |end, printed: &str, reports| {
            let ran = Finished { end, status, output: Vec::new(), errors: printed.into() };
            opinion_of_sanitizer(overflow, &ran, reports)
        };
        assert_eq!(judged(End::Code(1), "", report), Opinion::Confirmed);
        for end in [End::Code(0), End::Code(1), End::Code(harness::OUT_OF_INPUTS), End::Signal(6)] {
            let opinion = judged(end, report, "");
            assert!(
                matches!(&opinion, Opinion::NotJudged(why) if why.starts_with("the sanitizer reports nothing")),
                "{opinion:?}"
            );
        }
    }
}
