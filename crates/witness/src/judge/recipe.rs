//! How a harness is built so that the compiler gives the program the meaning that the verdict is about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cfa::{CheckKind, DataModel, SignedOverflow};
use cfront::preprocess::standard;
use verdict::Trace;

use super::sanitizer::Sanitizer;
use crate::question::Question;

/// The command that builds a harness.
pub struct Recipe {
    /// Options of the compiler, without the names of files.
    pub flags: Vec<String>,
    /// What the harness has to end in.
    pub violated: CheckKind,
}

impl Recipe {
    /// How the harness of a trace is built.
    pub fn new(question: &Question, trace: &Trace) -> Self {
        let violated = trace.violation.kind;
        let lower = &question.options.lower;
        let mut flags: Vec<String> = standard(&compiler()).map(str::to_owned).into_iter().collect();
        flags.push("-O0".to_owned());
        flags.push(match question.options.preprocess.data_model {
            DataModel::Ilp32 => "-m32".to_owned(),
            DataModel::Lp64 => "-m64".to_owned(),
        });
        match violated {
            CheckKind::Assertion => {}
            // The compiler's own checks report it.
            kind => flags.extend(Sanitizer::of(kind).into_iter().flat_map(Sanitizer::flags)),
        }
        if lower.signed_overflow == SignedOverflow::Wrap {
            flags.push("-fwrapv".to_owned());
        }
        flags.extend(replaced(question));
        flags.extend(preprocessing(question));
        Self { flags, violated }
    }

    /// The command for people.
    pub fn command(&self) -> String {
        let mut words = vec!["cc".to_owned()];
        words.extend(self.flags.iter().cloned());
        words.extend(["harness.c", "-o", "harness", "-lm", "&&", "./harness"].map(str::to_owned));
        words.join(" ")
    }
}

/// The compiler of harnesses and its first arguments.
pub fn compiler() -> String {
    let compiler = std::env::var("CC").ok().filter(|name| !name.trim().is_empty());
    compiler.unwrap_or_else(|| "cc".to_owned())
}

/// Functions of the C library that the program defines are no builtins: the compiler would put its own in their place.
fn replaced(question: &Question) -> Vec<String> {
    let defined = question.texts.iter().flat_map(|text| &text.syntax.defined);
    let names: BTreeSet<&str> =
        defined.map(|name| &**name).filter(|name| cfront::library::is_known(name)).collect();
    names.into_iter().map(|name| format!("-fno-builtin-{name}")).collect()
}

/// The options of the preprocessor, with absolute paths: harnesses are built elsewhere.
fn preprocessing(question: &Question) -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let absolute = |path: &Path| here.join(path).display().to_string();
    let mut folders: Vec<String> = Vec::new();
    let mut add = |flag: String| {
        if !folders.contains(&flag) {
            folders.push(flag);
        }
    };
    let texts = &question.texts;
    for text in texts {
        add(format!("-I{}", folder(text.name()).display()));
        text.options.include_folders.iter().for_each(|folder| add(format!("-I{}", absolute(folder))));
    }
    // Of several files each has its own macros, which stand in the text.
    let options = &texts[0].options;
    let mut flags: Vec<String> =
        options.others.iter().map(|other| harness_option(&other.to_string_lossy())).collect();
    flags.append(&mut folders);
    if texts.len() == 1 {
        flags.extend(options.defines.iter().map(|define| format!("-D{define}")));
        flags.extend(options.undefines.iter().map(|undefine| format!("-U{undefine}")));
        for include in &options.includes {
            flags.extend(["-include".to_owned(), absolute(include)]);
        }
    }
    flags
}

/// An option of the build for the harness: sanitizers would change how it ends, so only the macros that they set are kept.
fn harness_option(option: &str) -> String {
    match option.strip_prefix("-fsanitize=") {
        Some("address" | "kernel-address") => "-D__SANITIZE_ADDRESS__=1".to_owned(),
        Some("thread") => "-D__SANITIZE_THREAD__=1".to_owned(),
        Some(_) => "-w".to_owned(),
        None => option.to_owned(),
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    std::env::current_dir().unwrap_or_default().join(folder)
}
