//! gcc as the judge of what a C program does.

use std::fmt::Write as _;
use std::io;
use std::process::Command;
use std::time::Duration;

use crate::generate::{Model, Program};
use crate::process::{End, Execution, TemporaryFolder, run};

/// Flags that make gcc report undefined behaviour when the program runs.
const SANITIZER: [&str; 2] =
    ["-fsanitize=undefined,address,float-divide-by-zero,float-cast-overflow", "-fno-sanitize-recover=all"];

/// Warnings that find undefined behaviour the sanitizers overlook.
const STATIC_CHECKS: [&str; 2] = ["-Werror=sequence-point", "-Werror=return-type"];

/// Time for one compilation, generous because the machine may be busy.
const COMPILATION_LIMIT: Duration = Duration::from_secs(60);

/// Where csmith's header is.
pub const CSMITH_INCLUDE: &str = "/usr/include/csmith";

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Without optimisation: the reference.
    Plain,
    /// With `-O2`; locals without an initialiser start as zero.
    Optimised,
    /// Stops with a message at undefined behaviour, when compiled or when run; locals without an initialiser hold a pattern.
    Sanitized,
}

impl Mode {
    fn flags(self) -> Vec<&'static str> {
        match self {
            Mode::Plain => vec!["-w", "-O0"],
            Mode::Optimised => vec!["-w", "-O2", "-ftrivial-auto-var-init=zero"],
            Mode::Sanitized => {
                let mut flags = vec!["-O0", "-ftrivial-auto-var-init=pattern"];
                flags.extend(STATIC_CHECKS);
                flags.extend(SANITIZER);
                flags
            }
        }
    }
}

/// A gcc that can compile and run programs for a data model.
#[derive(Clone, Debug)]
pub struct Compiler {
    model: Model,
    limit: Duration,
}

impl Compiler {
    /// Looks for gcc; the error says in one sentence why programs of the model cannot be run here.
    pub fn find(model: Model) -> Result<Compiler, String> {
        Compiler::probe(model, Mode::Plain)
    }

    /// Like [`Compiler::find`], for compilation in some mode.
    pub fn probe(model: Model, mode: Mode) -> Result<Compiler, String> {
        let compiler = Compiler { model, limit: Duration::from_secs(20) };
        let text = "int printf(const char *, ...);\nint main(void) { printf(\"%d\\n\", 7); return 0; }\n";
        match compiler.compile_and_run(text, mode) {
            Ok(execution) if execution.stdout == "7\n" && execution.succeeded() => Ok(compiler),
            Ok(execution) => {
                let line = execution.stderr.lines().last().unwrap_or("no message").to_owned();
                Err(format!("gcc {} {mode:?} does not work here: {line}", model.gcc_flag()))
            }
            Err(error) => Err(format!("gcc cannot be started: {error}")),
        }
    }

    /// The data model programs are compiled for.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Limits the time of each run; compilation has its own limit.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Compiler {
        self.limit = limit;
        self
    }

    /// Compiles and runs the text. A compilation that fails is returned as its execution, with a code that
    /// is not 0 and nothing on stdout.
    pub fn compile_and_run(&self, text: &str, mode: Mode) -> io::Result<Execution> {
        let folder = TemporaryFolder::new()?;
        let source = folder.write("program.c", text)?;
        let executable = folder.path().join("program");
        let mut command = Command::new("gcc");
        command.args(["-pipe", self.model.gcc_flag()]).args(mode.flags());
        command.arg(format!("-I{CSMITH_INCLUDE}")).arg(&source).arg("-o").arg(&executable);
        let compiled = run(&mut command, COMPILATION_LIMIT)?;
        if !compiled.succeeded() {
            return Ok(Execution { stdout: String::new(), end: failed(compiled.end), ..compiled });
        }
        let mut command = Command::new(&executable);
        command.env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1");
        run(&mut command, self.limit)
    }

    /// Runs the program with its inputs: the functions `__VERIFIER_nondet_*` return them one by one.
    pub fn run_program(&self, program: &Program, mode: Mode) -> io::Result<Execution> {
        self.compile_and_run(&with_inputs(program), mode)
    }

    /// The preprocessed text, with line markers.
    pub fn preprocess(&self, text: &str) -> io::Result<String> {
        let folder = TemporaryFolder::new()?;
        let source = folder.write("program.c", text)?;
        let mut command = Command::new("gcc");
        command.args(["-E", "-w", self.model.gcc_flag()]).arg(format!("-I{CSMITH_INCLUDE}")).arg(&source);
        let output = run(&mut command, COMPILATION_LIMIT)?;
        if output.succeeded() { Ok(output.stdout) } else { Err(io::Error::other(output.stderr)) }
    }
}

fn failed(end: End) -> End {
    if end == End::Timeout { End::Timeout } else { End::Code(-1) }
}

/// The program together with definitions of the nondeterministic functions it declares.
fn with_inputs(program: &Program) -> String {
    let mut text = program.text.clone();
    if program.inputs.is_empty() {
        return text;
    }
    let values: Vec<String> = program.inputs.iter().map(|&value| c_constant(value)).collect();
    let _ = writeln!(text, "static const unsigned long long testkit_inputs[] = {{ {} }};", values.join(", "));
    let _ = writeln!(text, "static int testkit_next;");
    for line in program.text.lines() {
        if let Some(declaration) =
            line.strip_suffix("(void);").filter(|line| line.contains("__VERIFIER_nondet_"))
        {
            let _ = writeln!(text, "{declaration}(void) {{ return testkit_inputs[testkit_next++]; }}");
        }
    }
    text
}

fn c_constant(value: i128) -> String {
    format!("{}ULL", value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::require::Requirement;

    #[test]
    fn inputs_are_returned_in_order() {
        let compiler = match Compiler::find(Model::Lp64) {
            Ok(compiler) => compiler,
            Err(reason) => return Requirement::Gcc.skip(&reason),
        };
        let program = Program {
            text: "int printf(const char *, ...);\nint __VERIFIER_nondet_int(void);\nint main(void)\n{\n    \
                   int a = __VERIFIER_nondet_int();\n    printf(\"%d %d\\n\", a, __VERIFIER_nondet_int());\n    \
                   return 3;\n}\n"
            .to_owned(),
            inputs: vec![-5, 9],
        };
        let execution = compiler.run_program(&program, Mode::Plain).unwrap();
        assert_eq!((execution.stdout.as_str(), execution.end), ("-5 9\n", End::Code(3)));
    }

    #[test]
    fn a_text_that_does_not_compile_is_a_failed_execution() {
        let compiler = match Compiler::find(Model::Lp64) {
            Ok(compiler) => compiler,
            Err(reason) => return Requirement::Gcc.skip(&reason),
        };
        let execution = compiler.compile_and_run("int main(void) { return x; }", Mode::Plain).unwrap();
        assert_eq!((execution.stdout.as_str(), execution.end), ("", End::Code(-1)));
        assert!(execution.stderr.contains("undeclared"));
    }
}
