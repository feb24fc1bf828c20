//! Running the compiler as a preprocessor, and what its messages mean.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use base::{Diagnostic, FileId, SourceFile, SourceMap, Span};
use cfa::DataModel;
use system::file;
use system::process::{self, End, Halt, Keep, Limits};

use super::{Options, standard};

/// More output than this is taken for a macro that explodes.
const MAX_OUTPUT: usize = 1 << 30;
/// More complaints than this are not read.
const MAX_COMPLAINTS: usize = 1 << 20;
/// The compiler's memory.
const MAX_MEMORY: u64 = 2 << 30;
/// The compiler's time; a run may allow less.
const MAX_TIME: Duration = Duration::from_secs(120);

/// What the compiler wrote and whether it was content.
struct Outcome {
    output: Vec<u8>,
    complaints: String,
    end: End,
}

/// The preprocessed text.
pub(super) fn run(
    file: FileId,
    path: Option<&Path>,
    options: &Options,
    sources: &mut SourceMap,
) -> Result<Vec<u8>, Diagnostic> {
    let compiler = options.compiler.clone().or_else(|| std::env::var("CC").ok()).unwrap_or_default();
    let mut words = compiler.split_whitespace();
    let program = words.next().unwrap_or("cc");
    let mut command = Command::new(program);
    command.args(words).args(standard(&compiler)).args(arguments(options));
    match path {
        // A name that starts with a dash must not look like an option.
        Some(path) if path.to_string_lossy().starts_with('-') => command.arg(Path::new(".").join(path)),
        Some(path) => command.arg(path),
        None => command.arg("-"),
    };
    // The compiler's messages are read below, so they must not be translated.
    command.env("LC_ALL", "C");
    let text = path.is_none().then(|| named(sources.file(file)));
    let outcome = match execute(&command, text.as_deref()) {
        Ok(outcome) => outcome,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(no_compiler(program)),
        Err(error) => return Err(Diagnostic::global(format!("cannot run `{program}`: {error}"))),
    };
    match outcome.end {
        End::Code(0) => Ok(outcome.output),
        End::Halted(halt) => Err(halted(program, halt)),
        End::Code(_) | End::Signal(_) => Err(explain(&outcome.complaints, program, options, file, sources)),
    }
}

/// A text that knows the name of its file: `__FILE__` must not depend on the way by which the text gets to the compiler.
fn named(source: &SourceFile) -> Vec<u8> {
    let name = source.name.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = Vec::with_capacity(source.text.len() + name.len() + 16);
    if !name.contains(['\n', '\r']) {
        text.extend_from_slice(format!("#line 1 \"{name}\"\n").as_bytes());
    }
    text.extend_from_slice(&source.text);
    text
}

fn arguments(options: &Options) -> Vec<std::ffi::OsString> {
    let model = match options.data_model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    // `-dD` keeps the definitions of macros in the output: the mapping of positions needs them.
    let mut arguments: Vec<std::ffi::OsString> = ["-E", "-dD", model].map(Into::into).into();
    arguments.extend(options.others.iter().cloned());
    for folder in &options.include_folders {
        arguments.extend(["-I".into(), folder.into()]);
    }
    for define in &options.defines {
        arguments.push(format!("-D{define}").into());
    }
    for name in &options.undefines {
        arguments.push(format!("-U{name}").into());
    }
    for include in &options.includes {
        arguments.extend(["-include".into(), include.into()]);
    }
    arguments.extend(["-x".into(), "c".into()]);
    arguments
}

fn execute(command: &Command, text: Option<&[u8]>) -> std::io::Result<Outcome> {
    let limits = Limits {
        memory: Some(MAX_MEMORY),
        addresses: Some(MAX_MEMORY),
        file: Some(MAX_OUTPUT as u64),
        ..Limits::time(MAX_TIME)
    };
    let keep = [Keep::Whole(MAX_OUTPUT), Keep::Ends(MAX_COMPLAINTS)];
    let finished = process::run(command, text, keep, &limits, &|| None)?;
    Ok(Outcome {
        output: finished.output,
        complaints: String::from_utf8_lossy(&finished.errors).into_owned(),
        end: finished.end,
    })
}

/// Why a compiler was ended.
fn halted(program: &str, halt: Halt) -> Diagnostic {
    let memory = MAX_MEMORY >> 20;
    let diagnostic = Diagnostic::global(match halt {
        Halt::All(stop) => format!("`{program}` was ended while it preprocessed the file: {stop}"),
        Halt::Time => {
            format!("`{program}` needs more than {} s to preprocess the file", MAX_TIME.as_secs())
        }
        Halt::Memory => format!("`{program}` needs more than {memory} MiB to preprocess the file"),
        Halt::Processes => format!("`{program}` starts too many processes"),
        Halt::Output => format!("preprocessing yields more than {} MiB", MAX_OUTPUT >> 20),
    });
    diagnostic.with_help("check that everything the file includes is a regular file")
}

fn no_compiler(program: &str) -> Diagnostic {
    Diagnostic::global(format!("the file needs preprocessing, but the C compiler `{program}` was not found"))
        .with_help("install one (Debian, Ubuntu: apt install gcc; Fedora: dnf install gcc), or set CC, or pass a preprocessed file")
}

/// One message for what the compiler complained about.
fn explain(
    complaints: &str,
    program: &str,
    options: &Options,
    input: FileId,
    sources: &mut SourceMap,
) -> Diagnostic {
    let located = complaints.lines().find_map(Complaint::parse);
    let Some(complaint) = located else {
        let first = complaints.lines().find(|line| !line.trim().is_empty()).unwrap_or("it gave no reason");
        let diagnostic =
            Diagnostic::global(format!("`{program}` could not preprocess the file: {}", first.trim()));
        let model = complaints.contains("-m32") || complaints.contains("-m64");
        return if model {
            diagnostic.with_help("this compiler does not know the data model; try the other one, or set CC")
        } else if first.contains("<command-line>") {
            diagnostic.with_help("it is about -D, -U or --include, or the options of the build (-p)")
        } else {
            diagnostic
        };
    };
    let missing = complaint.message.strip_suffix(": No such file or directory");
    let missing = missing.or_else(|| complaint.message.strip_prefix('\'')?.strip_suffix("' file not found"));
    let message = match missing {
        Some(name) => format!("include file `{name}` not found"),
        None => complaint.message.to_owned(),
    };
    let diagnostic = match complaint.span(missing, input, sources) {
        Some(span) => Diagnostic::error(message, span),
        None => Diagnostic::global(format!("{}:{}: {message}", complaint.file, complaint.line)),
    };
    match missing {
        None => diagnostic,
        // Headers of the 64-bit system end here when the 32-bit ones are not installed.
        Some(name) if options.data_model == DataModel::Ilp32 && is_system_file(&complaint, name) => {
            diagnostic.with_help(
                "the headers for -m32 are missing: install them (Debian, Ubuntu: apt install gcc-multilib; \
             Fedora: dnf install glibc-devel.i686)",
            )
        }
        Some(_) => diagnostic.with_help("add the folder that contains it with -I"),
    }
}

fn is_system_file(complaint: &Complaint<'_>, name: &str) -> bool {
    complaint.file.starts_with("/usr/") || name.starts_with("gnu/stubs") || name.starts_with("bits/")
}

/// `file:line:column: error: message`
struct Complaint<'a> {
    file: &'a str,
    line: u32,
    message: &'a str,
}

impl<'a> Complaint<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (place, message) =
            ["fatal error: ", "error: "].iter().find_map(|word| text.split_once(&format!(": {word}")[..]))?;
        let mut parts = place.rsplitn(3, ':');
        let (last, middle, first) = (parts.next()?, parts.next(), parts.next());
        match (last.parse(), middle.and_then(|middle| middle.parse().ok()), first) {
            (Ok(_), Some(line), Some(file)) => Some(Self { file, line, message }),
            (Ok(line), _, _) => {
                let file = place.strip_suffix(last)?.strip_suffix(':')?;
                Some(Self { file, line, message })
            }
            (Err(_), _, _) => None,
        }
    }
    /// The place of `what` in the line, or the whole line, in a loaded file or one that can be loaded. The column
    /// cannot be used: compilers differ in what they count.
    fn span(&self, what: Option<&str>, input: FileId, sources: &mut SourceMap) -> Option<Span> {
        let known = sources.iter().find(|(_, file)| &*file.name == self.file).map(|(id, _)| id);
        let file = match known {
            Some(file) => file,
            None if self.file == "<stdin>" => input,
            None => sources.add(SourceFile::new(
                self.file,
                file::read_regular(Path::new(self.file), file::MAX_BYTES).ok()?,
            )),
        };
        let span = super::mapping::line_span(file, sources.file(file), self.line)?;
        let text = &sources.file(file).text[span.lo as usize..span.hi as usize];
        let what = what.unwrap_or_default().as_bytes();
        let found = text.windows(what.len().max(1)).position(|window| window == what);
        Some(match found {
            Some(at) => Span { file, lo: span.lo + at as u32, hi: span.lo + (at + what.len()) as u32 },
            None => span,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> Option<(&str, u32, &str)> {
        Complaint::parse(text).map(|complaint| (complaint.file, complaint.line, complaint.message))
    }

    #[test]
    fn complaints_of_compilers_are_understood() {
        assert_eq!(
            complaint("a b.c:3:10: fatal error: x.h: No such file or directory"),
            Some(("a b.c", 3, "x.h: No such file or directory"))
        );
        assert_eq!(complaint("a.c:3: error: no"), Some(("a.c", 3, "no")));
        assert_eq!(complaint("cc: error: unrecognized command-line option"), None);
        assert_eq!(complaint("In file included from a.c:1:"), None);
    }
}
