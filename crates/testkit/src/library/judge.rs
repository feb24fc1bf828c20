//! gcc and glibc as judges of what a program does, for all values of its inputs and in several worlds.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::{TemporaryFolder, run};

use super::assertion::Value;
use super::program::{Program, Remains};

/// What is known of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The error is reached in no world.
    Safe,
    /// It is reached in some world.
    Unsafe,
    /// The implementation decides: either verdict is right.
    Open,
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// With sanitizers; uninitialised locals hold a pattern.
    Sanitized,
    /// Every library function is that of glibc.
    Library,
    /// gcc may use its own versions of library functions.
    Builtin,
    /// As distributions build their packages.
    Fortified,
}

impl Mode {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Mode::Sanitized => &[
                "-O0",
                "-ftrivial-auto-var-init=pattern",
                "-fsanitize=undefined,address,float-divide-by-zero,float-cast-overflow",
                "-fno-sanitize-recover=all",
                "-Werror=implicit-function-declaration",
                "-Werror=implicit-int",
                "-Werror=int-conversion",
                "-Werror=incompatible-pointer-types",
                "-Werror=return-type",
                "-Werror=format",
                "-Werror=uninitialized",
                // Truncation is what some programs are about.
                "-Wno-format-truncation",
            ],
            Mode::Library => &["-w", "-O0", "-fno-builtin", "-ftrivial-auto-var-init=zero"],
            Mode::Builtin => &["-w", "-O0"],
            Mode::Fortified => &["-w", "-O2", "-D_FORTIFY_SOURCE=2"],
        }
    }
}

/// One execution.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) values: Vec<(usize, Value)>,
    pub(crate) reaches_error: bool,
}

/// The exit code of the harness for the error.
const ERROR: &str = "77";

/// What can stand in stdin.
const STDINS: [&[u8]; 6] =
    [b"", b"x\n", b"12 abc\n-7\n", b"\xff\xfe\x00y", b"hello world, this is a line\n", b"0\n"];

/// Time for a compilation or for all runs of one program; generous because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(60);

/// The judge, with its files.
#[derive(Debug)]
pub struct Judge {
    folder: TemporaryFolder,
    harness: PathBuf,
}

impl Judge {
    /// Looks for gcc; the error says in one sentence why programs cannot be judged here.
    pub fn find() -> Result<Judge, String> {
        let prepare = || {
            let folder = TemporaryFolder::new()?;
            let source = folder.write("harness.c", include_str!("harness.c"))?;
            for (number, contents) in STDINS.iter().enumerate() {
                folder.write(&format!("stdin-{number}"), contents)?;
            }
            let harness = folder.path().join("harness.o");
            let compiled = run(Command::new("gcc").arg("-c").arg(&source).arg("-o").arg(&harness), LIMIT)?;
            Ok((folder, harness, compiled))
        };
        let (folder, harness, compiled) =
            prepare().map_err(|error: std::io::Error| format!("gcc cannot be started: {error}"))?;
        if !compiled.succeeded() {
            return Err(format!("gcc does not work here: {}", compiled.stderr));
        }
        let judge = Judge { folder, harness };
        let nothing =
            Remains { ranges: Vec::new(), claims: Vec::new(), world: super::builder::World::default() };
        let probe = judge.run("int main(void) { return 0; }\n", Mode::Sanitized, &nothing);
        probe.map(|_| judge).map_err(|error| format!("gcc with sanitizers does not work here: {error}"))
    }

    /// All executions of a text. The error says why it cannot be judged: it does not compile, or some execution fails.
    pub(crate) fn run(&self, text: &str, mode: Mode, remains: &Remains) -> Result<Vec<Run>, String> {
        let folder = TemporaryFolder::new().map_err(|error| error.to_string())?;
        let source = folder.write("program.c", text).map_err(|error| error.to_string())?;
        let executable = folder.path().join("program");
        let mut command = Command::new("gcc");
        command.args(["-pipe", "-m64", "-Dmain=testkit_program"]).args(mode.flags());
        command.arg(&source).arg(&self.harness).arg("-o").arg(&executable).arg("-lm");
        let compiled = run(&mut command, LIMIT).map_err(|error| error.to_string())?;
        if !compiled.succeeded() {
            let line = compiled.stderr.lines().find(|line| line.contains("error")).unwrap_or_default();
            return Err(format!("does not compile: {line}"));
        }
        let mut command = Command::new(&executable);
        command.env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1");
        command.env("LC_ALL", "C");
        for (low, high) in &remains.ranges {
            command.arg(low.to_string()).arg(high.to_string());
        }
        command.arg("--").args(self.worlds(remains)).current_dir(folder.path());
        let execution = run(&mut command, LIMIT).map_err(|error| error.to_string())?;
        if !execution.succeeded() {
            return Err(format!("the harness fails: {:?}", execution.end));
        }
        parse(&execution.stdout).map_err(|error| {
            let line = execution.stderr.lines().find(|line| line.contains("rror")).unwrap_or_default();
            format!("{mode:?}: {error} {line}")
        })
    }

    /// The worlds that a program is run in: stdin and stdout of each.
    fn worlds(&self, remains: &Remains) -> Vec<PathBuf> {
        let stdins = if remains.world.reads_stdin { STDINS.len() } else { 1 };
        let stdouts: &[&str] =
            if remains.world.writes_stdout { &["/dev/null", "/dev/full"] } else { &["/dev/null"] };
        let mut worlds = Vec::new();
        for number in 0..stdins {
            for stdout in stdouts {
                worlds.push(self.folder.path().join(format!("stdin-{number}")));
                worlds.push(Path::new(stdout).to_owned());
            }
        }
        worlds
    }

    /// The truth of a text from which lines of a program were removed, if it has one.
    pub(crate) fn truth(&self, text: &str, program: &Program) -> Option<Truth> {
        let remains = program.remains(text)?;
        let mut truths = Vec::new();
        for mode in [Mode::Sanitized, Mode::Library] {
            let runs = self.run(text, mode, &remains).ok()?;
            let reached = runs.iter().any(|run| run.reaches_error);
            // A condition that the implementation decides may have been what failed.
            if reached && remains.truth() == Truth::Open {
                return None;
            }
            truths.push(if reached { Truth::Unsafe } else { remains.truth() });
        }
        truths.dedup();
        if truths.len() == 1 { truths.pop() } else { None }
    }
}

/// The text as the compiler's preprocessor leaves it in a build with fortified functions.
pub(crate) fn fortified(text: &str) -> Result<String, String> {
    let folder = TemporaryFolder::new().map_err(|error| error.to_string())?;
    let source = folder.write("program.c", text).map_err(|error| error.to_string())?;
    let mut command = Command::new("gcc");
    command.args(["-E", "-m64"]).args(Mode::Fortified.flags()).arg(&source);
    let output = run(&mut command, LIMIT).map_err(|error| error.to_string())?;
    if output.succeeded() { Ok(output.stdout) } else { Err(output.stderr) }
}

/// Reads what the harness prints.
fn parse(text: &str) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    let mut values = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let kind = words.next().unwrap_or_default();
        let number = words.next().unwrap_or_default();
        let rest = words.next().unwrap_or_default();
        let check = || number.parse::<usize>().map_err(|_| format!("bad line: {line}"));
        match kind {
            "number" => {
                let value = rest.parse::<i64>().map_err(|_| format!("bad line: {line}"))?;
                values.push((check()?, Value::Number(value)));
            }
            "text" => values.push((check()?, Value::Text(bytes(rest)))),
            "end" if number == "0" || number == ERROR => {
                runs.push(Run { values: std::mem::take(&mut values), reaches_error: number == ERROR });
            }
            _ => return Err(format!("an execution fails: {line}")),
        }
    }
    if runs.is_empty() { Err("no execution".to_owned()) } else { Ok(runs) }
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u32> = hexadecimal.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair.get(1).copied().unwrap_or(0)) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_the_harness_is_read() {
        let runs = parse("number 0 -5\ntext 1 4142\nend 0\nend 77\n").unwrap();
        assert_eq!(runs[0].values, [(0, Value::Number(-5)), (1, Value::Text(b"AB".to_vec()))]);
        assert!(!runs[0].reaches_error && runs[1].reaches_error);
        assert!(parse("end 1\n").is_err());
    }
}
