//! `check --bundle`: all that a verdict depends on, in one folder or archive, with a script that repeats the run.
//!
//! C files are there as the parser got them, so that neither headers nor macros of another machine change the program. Options that shape the text are
//! therefore not repeated, all others are.
//!
//! # Invariants
//! * I1: nothing is written over: a bundle needs a name that is free.
//! * I2: the script needs nothing but the bundle, a shell and this tool.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base::{FileId, SourceMap};
use cfa::{DataModel, SignedOverflow};
use cfront::Parsed;
use serde_json::json;

use crate::args::{CheckArgs, DataModelArg, SignedOverflowArg, SourceArgs};
use crate::batch;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::resolve::Request;
use crate::{input, property, task};

/// The version of `bundle.json`.
const VERSION: u32 = 1;

/// A file of a bundle.
struct Entry {
    name: String,
    bytes: Vec<u8>,
    mode: u32,
}

/// What a bundle is made of.
pub(crate) struct Bundle {
    /// The texts of the program, by the names that they get.
    texts: Vec<Text>,
    /// Evidence as files: name and text.
    documents: Vec<(&'static str, String)>,
}

struct Text {
    name: String,
    read_from: String,
    /// As the parser got it.
    bytes: Vec<u8>,
    /// If that is not how it was read: another name, and the text before the preprocessor. The witness is about it.
    original: Option<(String, Vec<u8>)>,
}

/// I1, before any work is done.
pub(crate) fn check_free(option: &str, path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let is_empty_folder = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if fs::symlink_metadata(path).is_err() || is_empty_folder && !is_archive(path) {
        return Ok(());
    }
    let message = format!("{option} would write over `{}`", path.display());
    Err(Failure::usage(
        message,
        "name a file that does not exist, or a folder that does not exist or is empty",
    ))
}

fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "tar")
}

impl Bundle {
    /// Takes the texts of a program.
    pub(crate) fn new(parsed: &Parsed, sources: &SourceMap) -> Self {
        let mut texts = Vec::new();
        for (number, unit) in parsed.units.iter().enumerate() {
            let Some(file) = sources.get(unit.file) else { continue };
            let output = unit.preprocessed.and_then(|output: FileId| sources.get(output));
            let base = Path::new(&*file.name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let base: String =
                base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            let name = |extension: &str| format!("{}-{base}.{extension}", number + 1);
            let read = file.text.to_vec();
            let (name, bytes, original) = match output {
                Some(output) => (name("i"), without_macros(&output.text), Some((name("c"), read))),
                None => (name("c"), read, None),
            };
            texts.push(Text { name, read_from: file.name.to_string(), bytes, original });
        }
        Self { texts, documents: Vec::new() }
    }

    /// The same with evidence.
    #[must_use]
    pub(crate) fn with(self, documents: Vec<(&'static str, String)>) -> Self {
        Self { documents, ..self }
    }

    /// What the preprocessed texts lack: comments, which say something about the entry function.
    pub(crate) fn lacks(parsed: &Parsed, sources: &SourceMap, entry: &str) -> Option<String> {
        let has = |text: &[u8], mark: &[u8]| text.windows(mark.len()).any(|window| window == mark);
        let has_contract = |text: &[u8]| has(text, b"//@") || has(text, b"/*@");
        let preprocessed = parsed.units.iter().filter(|unit| unit.preprocessed.is_some());
        let mut files = preprocessed.filter_map(|unit| sources.get(unit.file));
        let file = files.find(|file| entry != "main" && has_contract(&file.text))?;
        Some(format!(
            "the bundle does not have the contract comments of `{}`: say them with --assume",
            file.name
        ))
    }

    /// Writes the bundle.
    pub(crate) fn write(&self, path: &Path, run: &Finished<'_>) -> Result<(), Failure> {
        let entries = self.entries(run);
        let written =
            if is_archive(path) { write_archive(path, &entries) } else { write_folder(path, &entries) };
        written.map_err(|error| {
            Failure::Output(io::Error::new(error.kind(), format!("`{}`: {error}", path.display())))
        })
    }

    fn entries(&self, run: &Finished<'_>) -> Vec<Entry> {
        let plain = |name: &str, bytes: Vec<u8>| Entry { name: name.to_owned(), bytes, mode: 0o644 };
        let mut entries: Vec<Entry> =
            self.texts.iter().map(|text| plain(&text.name, text.bytes.clone())).collect();
        let originals = self.texts.iter().filter_map(|text| text.original.as_ref());
        entries.extend(originals.map(|(name, bytes)| plain(name, bytes.clone())));
        entries.extend(run.property.iter().map(|bytes| plain("property.prp", bytes.clone())));
        entries.push(plain("report.txt", run.human.clone().into_bytes()));
        entries.push(plain("report.json", run.json.clone().into_bytes()));
        entries.extend(self.documents.iter().map(|(name, text)| plain(name, text.clone().into_bytes())));
        entries.push(plain("bundle.json", self.description(run).into_bytes()));
        entries.push(Entry { name: "reproduce.sh".to_owned(), bytes: self.script(run), mode: 0o755 });
        entries
    }

    fn description(&self, run: &Finished<'_>) -> String {
        let files = self.texts.iter().map(|text| {
            let original = text.original.as_ref().map_or(&text.name, |(name, _)| name);
            json!({ "name": text.name, "original": original, "read_from": text.read_from })
        });
        let document = json!({
            "schema": "wayproof-bundle",
            "schema_version": VERSION,
            "tool": format!("wayproof {}", env!("CARGO_PKG_VERSION")),
            "solver": format!("Z3 {}", smt::z3_version()),
            "command": run.command,
            "exit_code": run.status.code(),
            "files": files.collect::<Vec<_>>(),
        });
        serde_json::to_string_pretty(&document).expect("a document has string keys only") + "\n"
    }

    /// I2.
    fn script(&self, run: &Finished<'_>) -> Vec<u8> {
        let mut words = options(run.args, run.request);
        if run.property.is_some() {
            words.push("--property=property.prp".into());
        }
        if self.texts.len() > 1 {
            words.push("--program".into());
        }
        words.push("--".into());
        words.extend(self.texts.iter().map(|text| OsString::from(&text.name)));
        let words: Vec<String> = words.iter().map(|word| quoted(&word.to_string_lossy())).collect();
        let (version, code) = (env!("CARGO_PKG_VERSION"), run.status.code());
        format!(
            "#!/bin/sh\n\
             # Repeats a run of wayproof {version}, whose exit code was {code}. WAYPROOF names the binary; arguments are added as options.\n\
             cd \"$(dirname \"$0\")\" || exit 1\n\
             exec \"${{WAYPROOF:-wayproof}}\" check \"$@\" {}\n",
            words.join(" ")
        )
        .into_bytes()
    }
}

/// A run that has its verdict.
pub(crate) struct Finished<'a> {
    pub(crate) args: &'a CheckArgs,
    pub(crate) request: &'a Request,
    /// The property file.
    pub(crate) property: Option<Vec<u8>>,
    /// The command line after the name of the program.
    pub(crate) command: Vec<String>,
    pub(crate) human: String,
    pub(crate) json: String,
    pub(crate) status: ExitStatus,
}

/// The property file of a run: that of the command line, or the one of the task that was chosen.
pub(crate) fn property(args: &CheckArgs, request: &Request) -> Option<Vec<u8>> {
    if let Some(path) = &args.property {
        return input::read(path).ok();
    }
    let task =
        args.paths.first().filter(|path| task::is_task(path)).and_then(|path| task::load(path).ok())?;
    let is_chosen = |text: &Vec<u8>| {
        property::parse(text, FileId(0)).is_ok_and(|stated| stated.property == request.property)
    };
    task.properties.iter().filter_map(|stated| input::read(&stated.file).ok()).find(is_chosen)
}

/// The options of a run, without those about the text, which is preprocessed.
fn options(args: &CheckArgs, request: &Request) -> Vec<OsString> {
    let source = &args.source;
    let by_build = (request.signed_overflow == SignedOverflow::Wrap).then_some(SignedOverflowArg::Wrap);
    let kept = SourceArgs {
        data_model: Some(match request.data_model {
            DataModel::Ilp32 => DataModelArg::Ilp32,
            DataModel::Lp64 => DataModelArg::Lp64,
        }),
        signed_overflow: source.signed_overflow.or(by_build),
        checks: source.checks.clone(),
        entry: Some(request.entry.clone()).filter(|entry| entry != "main" || source.entry.is_some()),
        entry_globals: source.entry_globals,
        entry_pointers: source.entry_pointers,
        entry_elements: source.entry_elements,
        entry_aliases: source.entry_aliases,
        assume: source.assume.clone(),
        extern_functions: source.extern_functions,
        ..SourceArgs::default()
    };
    batch::options_of(&kept, args)
}

/// The output of the preprocessor without definitions of macros: it would be preprocessed again. Lines stay.
fn without_macros(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let directive = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let is_macro =
            directive.is_some_and(|rest| rest.starts_with(b"define") || rest.starts_with(b"undef"));
        plain.extend_from_slice(if is_macro { b"\n" } else { line });
    }
    plain
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn write_folder(folder: &Path, entries: &[Entry]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for entry in entries {
        let path: PathBuf = folder.join(&entry.name);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(entry.mode).open(path)?;
        file.write_all(&entry.bytes)?;
    }
    Ok(())
}

/// An archive in the format ustar.
fn write_archive(path: &Path, entries: &[Entry]) -> io::Result<()> {
    let folder = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    for entry in entries {
        let padding = entry.bytes.len().next_multiple_of(512) - entry.bytes.len();
        file.write_all(&header(&format!("{folder}/{}", entry.name), entry)?)?;
        file.write_all(&entry.bytes)?;
        file.write_all(&vec![0; padding])?;
    }
    file.write_all(&[0; 1024])
}

/// The header of a file in an archive. Owner and time are left out, so that the same run makes the same archive.
fn header(name: &str, entry: &Entry) -> io::Result<[u8; 512]> {
    let mut block = [0_u8; 512];
    if name.len() > 100 {
        return Err(io::Error::other("the name of the archive is too long"));
    }
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, format!("{:07o}\0", entry.mode).as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", entry.bytes.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--entry=f"), "--entry=f");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn macros_go_and_lines_stay() {
        let text = b"# 1 \"a.c\"\n#define f f(1)\nint f;\n # undef f\n#pragma once\n";
        assert_eq!(without_macros(text), b"# 1 \"a.c\"\n\nint f;\n\n#pragma once\n");
    }
}
