//! The second judge of unsafe: the harness, built by the system's C compiler and executed.
//!
//! This runs the user's own program. It happens in a private folder, with limits of time, memory and output; `--no-exec` prevents it.
//!
//! # Invariants
//! * I1: what is started is ended: processes are killed with their group when their time is over.
//! * I2: the folder is removed, whatever happens.

use std::fs::{self, DirBuilder};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base::Budget;
use evidence::harness;

/// Time for the compiler.
const COMPILE_LIMIT: Duration = Duration::from_secs(20);
/// Time for the program.
const RUN_LIMIT: Duration = Duration::from_secs(5);
/// Memory for the program, in KiB.
const MEMORY_LIMIT: &str = "4000000";
/// Output beyond this is not read.
const OUTPUT_LIMIT: u64 = 1 << 16;

/// What the second judge says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opinion {
    /// The compiled program ends in the violation.
    Confirmed,
    /// It does something else.
    Differs(String),
    /// It was not asked, or could not be.
    NotJudged(String),
}

/// How a harness is built.
pub(crate) struct Recipe {
    /// Options of the compiler, without the names of files.
    pub(crate) flags: Vec<String>,
    /// Whether the violation is an overflow, which the compiler's own checks report.
    pub(crate) is_overflow: bool,
}

impl Recipe {
    /// The command for people.
    pub(crate) fn command(&self) -> String {
        let mut words = vec!["cc".to_owned()];
        words.extend(self.flags.iter().cloned());
        words.extend(["harness.c", "-o", "harness", "-lm", "&&", "./harness"].map(str::to_owned));
        words.join(" ")
    }
}

/// Builds and runs a harness. `text` makes its text, given the functions that nobody defines.
pub(crate) fn judge(
    recipe: &Recipe,
    text: &mut dyn FnMut(&[String]) -> Result<String, String>,
    budget: &Budget,
) -> Opinion {
    let mut undefined = Vec::new();
    loop {
        let source = match text(&undefined) {
            Ok(source) => source,
            Err(why) => return Opinion::NotJudged(why),
        };
        match attempt(recipe, &source, budget) {
            Ok(Attempt::Undefined(names)) if undefined.is_empty() && !names.is_empty() => undefined = names,
            Ok(Attempt::Undefined(_)) => {
                return Opinion::NotJudged("the harness calls functions that nobody defines".to_owned());
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

fn attempt(recipe: &Recipe, source: &str, budget: &Budget) -> io::Result<Attempt> {
    let folder = Folder::new()?;
    fs::write(folder.0.join("harness.c"), source)?;
    let opinion = |opinion| Ok(Attempt::Opinion(opinion));
    let compiler = std::env::var("CC").ok().filter(|name| !name.trim().is_empty());
    let compiler = compiler.unwrap_or_else(|| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let name = words.next().unwrap_or("cc");
    let mut command = Command::new(from_here(name));
    command.args(words).args(&recipe.flags).args(["-w", "harness.c", "-o", "harness", "-lm"]);
    let built = match run(command.current_dir(&folder.0), COMPILE_LIMIT, budget) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return opinion(Opinion::NotJudged(format!("there is no C compiler `{name}`")));
        }
        built => built?,
    };
    match built.end {
        End::Code(0) => {}
        End::Timeout => {
            let seconds = COMPILE_LIMIT.as_secs();
            let why = format!("the C compiler `{name}` took too long (limit: {seconds} s or --timeout)");
            return opinion(Opinion::NotJudged(why));
        }
        End::Code(_) | End::Signal => {
            let missing = undefined(&built.errors);
            if !missing.is_empty() {
                return Ok(Attempt::Undefined(missing));
            }
            let first = built.errors.lines().find(|line| line.contains("error")).unwrap_or("no message");
            return opinion(Opinion::NotJudged(format!(
                "the C compiler refuses the harness: {}",
                first.trim()
            )));
        }
    }
    if !folder.0.join("harness").is_file() {
        return opinion(Opinion::NotJudged(format!("the C compiler `{name}` makes no program")));
    }
    let limits =
        format!("ulimit -v {MEMORY_LIMIT} 2>/dev/null; ulimit -f 0 2>/dev/null; ulimit -c 0; exec ./harness");
    let ran = run(Command::new("sh").args(["-c", &limits]).current_dir(&folder.0), RUN_LIMIT, budget)?;
    let reported = if recipe.is_overflow {
        ran.errors.contains("runtime error: ") && ran.end != End::Code(0)
    } else {
        ran.end == End::Code(harness::EXIT_CODE) && ran.errors.contains(harness::MESSAGE)
    };
    opinion(match ran.end {
        _ if reported => Opinion::Confirmed,
        End::Code(harness::OUT_OF_INPUTS) => Opinion::Differs("it asks for more inputs".to_owned()),
        End::Code(code) => Opinion::Differs(format!("it exits with {code}")),
        End::Signal => Opinion::Differs("it is ended by a signal".to_owned()),
        End::Timeout => Opinion::NotJudged("the compiled program took too long".to_owned()),
    })
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Code(i32),
    Signal,
    Timeout,
}

struct Ran {
    end: End,
    errors: String,
}

/// Runs a command with a limit of time.
fn run(command: &mut Command, limit: Duration, budget: &Budget) -> io::Result<Ran> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .env("LC_ALL", "C")
        .process_group(0)
        .spawn()?;
    let stream = child.stderr.take();
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(OUTPUT_LIMIT).read_to_end(&mut text);
            // What is left is read, so that nobody waits for a reader.
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        text
    });
    let end = wait(&mut child, limit, &mut budget.clone())?;
    let errors = String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned();
    Ok(Ran { end, errors })
}

fn wait(child: &mut Child, limit: Duration, budget: &mut Budget) -> io::Result<End> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().map_or(End::Signal, End::Code));
        }
        if start.elapsed() > limit || budget.poll().is_err() {
            // I1: the compiler starts processes of its own.
            let group = format!("-{}", child.id());
            let killed = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
            if !killed.is_ok_and(|status| status.success()) {
                child.kill()?;
            }
            child.wait()?;
            return Ok(End::Timeout);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
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
    fn a_program_that_hangs_is_ended() {
        let start = Instant::now();
        let ran =
            run(Command::new("sh").args(["-c", "sleep 60"]), Duration::from_millis(50), &Budget::unlimited())
                .unwrap();
        assert_eq!(ran.end, End::Timeout);
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
