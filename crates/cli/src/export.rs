//! What is found out about a verdict beyond its evidence, the veto of the compiled program, and the verdict as files for other tools: witness,
//! harness, test case.
//!
//! # Invariants
//! * I1: unsafe is not claimed, and nothing is written about it, if the compiled program was run with the inputs of the trace to its own end and
//!   that is not the violation.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use base::Budget;
use certify::Certified;
use cfa::{DataModel, SignedOverflow};
use cfront::preprocess::standard;
use interp::Property as Violated;
use passes::Prepared;
use verdict::{Proof, Trace, Verdict};
use witness::format::{self, Content, Stamp, Task, Witness};
use witness::harness::Harness;
use witness::question::{self, Question, Text};
use witness::{correctness, testcase, violation};

use crate::args::{CheckArgs, Format, SourceArgs};
use crate::artifact;
use crate::console::Console;
use crate::failure::Failure;
use crate::judge::{self, Opinion, Recipe};
use crate::property::Property;
use crate::report::Step;
use crate::resolve::Request;
use crate::{frontend, input};

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Solver ticks for readable invariants that nobody has asked for, after a verdict that cost less.
const LEAST_READING_TICKS: u64 = 300;

/// What is said about a verdict beyond its own evidence.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Invariants at their places, for a proof by invariants.
    pub(crate) invariants: Vec<correctness::Readable>,
    /// Whether they are a proof by themselves; nothing if there are none.
    pub(crate) inductive: Option<bool>,
    /// What the compiled program says about unsafe.
    pub(crate) opinion: Option<Opinion>,
    /// The path to the violation, if a report tells it.
    pub(crate) steps: Vec<Step>,
    /// Whether the evidence comes from the cache; it was checked again.
    pub(crate) is_cached: bool,
    /// Files that could not be written. The verdict is reported first.
    pub(crate) failures: Vec<Failure>,
}

/// What witnesses are checked against; nothing if a file can be read only once.
pub(crate) fn question(request: &Request, source: &SourceArgs) -> Result<Option<Question>, Failure> {
    if !request.files.iter().all(|file| file.is_file()) {
        return Ok(None);
    }
    let mut texts = Vec::new();
    for (number, file) in request.files.iter().enumerate() {
        let options = frontend::preprocessing(request, source, number);
        let Some(text) = Text::new(&file.to_string_lossy(), input::read(file)?.into(), options) else {
            return Ok(None);
        };
        texts.push(text);
    }
    question::name_texts(&mut texts);
    let is_overflow =
        request.property == Property::NoOverflow || request.signed_overflow == SignedOverflow::Error;
    Ok(Some(Question { texts, options: frontend::options(request, source), is_overflow }))
}

/// Finds out what is to be said beyond the evidence, and writes the files that the user asked for. A violation that the compiled program does
/// not end in is not claimed (I1).
pub(crate) fn export(
    args: &CheckArgs,
    request: &Request,
    task: &Prepared<'_>,
    certified: Certified,
    budget: &mut Budget,
    console: Console,
) -> Result<(Certified, Extras), Failure> {
    let mut extras = Extras::default();
    let is_terse = args.files.is_empty() && (args.quiet || args.format == Format::Svcomp);
    let is_needed = match certified.verdict() {
        Verdict::Safe(_) => !is_terse,
        Verdict::Unsafe(_) => !is_terse || !args.files.no_exec,
        Verdict::Unknown(_) => false,
    };
    if !is_needed {
        return Ok((certified, extras));
    }
    let Some(question) = question(request, &args.source)? else {
        for (option, _) in wanted(args) {
            console.warn(format!("{option} has no effect: the program is not a file that can be read again"));
        }
        if matches!(certified.verdict(), Verdict::Unsafe(_)) && !args.files.no_exec {
            let why = match budget.poll() {
                Ok(()) => "the program is not a file that can be read again".to_owned(),
                Err(stop) => stop.to_string(),
            };
            extras.opinion = Some(Opinion::NotJudged(why));
        }
        return Ok((certified, extras));
    };
    let exporter = Exporter { args, request, task, question: &question, console };
    match certified.verdict() {
        Verdict::Safe(proof) => exporter.safe(proof, &mut extras, budget),
        Verdict::Unsafe(trace) => exporter.violated(trace, &mut extras, budget),
        Verdict::Unknown(_) => {}
    }
    let why = match &extras.opinion {
        Some(Opinion::Differs(how)) => {
            format!("the compiled program does not end in the violation: {how}")
        }
        Some(Opinion::Confirmed | Opinion::NotJudged(_)) | None => return Ok((certified, extras)),
    };
    Ok((certified.refuted(why), extras))
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

/// The files that the user asked for.
fn wanted(args: &CheckArgs) -> impl Iterator<Item = (&'static str, &Path)> {
    let options = [
        ("--witness", args.files.witness.as_deref()),
        ("--harness", args.files.harness.as_deref()),
        ("--testcase", args.files.testcase.as_deref()),
    ];
    options.into_iter().filter_map(|(name, path)| Some((name, path?)))
}

struct Exporter<'a> {
    args: &'a CheckArgs,
    request: &'a Request,
    task: &'a Prepared<'a>,
    question: &'a Question,
    console: Console,
}

impl Exporter<'_> {
    /// Invariants for readers.
    fn invariants(&self, annotation: &verdict::Annotation, extras: &mut Extras, budget: &mut Budget) {
        let ticks = self.reading_ticks(budget);
        let found = explain::source_invariants(self.task, annotation, ticks, budget);
        let texts = &self.question.texts;
        let mut invariants = correctness::readable(&found, &self.task.given().sources, texts);
        let mut child = budget.child(ticks.saturating_mul(2));
        extras.inductive = correctness::confirm(&mut invariants, self.task, annotation, &mut child);
        budget.absorb(&child);
        extras.invariants = invariants;
    }

    fn safe(&self, proof: &Proof, extras: &mut Extras, budget: &mut Budget) {
        if let Proof::Annotation(annotation) = proof {
            self.invariants(annotation, extras, budget);
        }
        if let Some(path) = &self.args.files.witness {
            let invariants =
                extras.invariants.iter().filter_map(|readable| readable.portable.clone()).collect();
            extras.failures.extend(self.write_witness(path, Content::Correctness(invariants)).err());
        }
        for (option, _) in wanted(self.args).filter(|(option, _)| *option != "--witness") {
            self.console.warn(format!("{option} has no effect: the verdict is safe"));
        }
    }

    /// What readable invariants may cost: hardly more than the verdict, unless the user has asked for them.
    fn reading_ticks(&self, budget: &Budget) -> u64 {
        let files = &self.args.files;
        let mut formats = files.outputs.iter().map(|(format, _)| *format).chain([self.args.format]);
        let is_asked = files.witness.is_some()
            || files.report.is_some()
            || formats.any(|format| format == Format::Annotate);
        let most = explain::READING_TICKS;
        if is_asked { most } else { budget.spent().saturating_mul(2).clamp(LEAST_READING_TICKS, most) }
    }

    /// Asks the compiled program, and writes the files if it does not object.
    fn violated(&self, trace: &Trace, extras: &mut Extras, budget: &Budget) {
        let (opinion, harness) = self.judge(trace, budget);
        extras.opinion = opinion;
        if matches!(extras.opinion, Some(Opinion::Differs(_))) {
            for (option, _) in wanted(self.args) {
                self.console.warn(format!("{option} has no effect: the verdict is unknown"));
            }
            return;
        }
        if let Some(path) = &self.args.files.witness {
            match violation::segments(trace, &self.task.given().sources, &self.question.texts) {
                Some(segments) => {
                    extras.failures.extend(self.write_witness(path, Content::Violation(segments)).err());
                }
                None => self
                    .console
                    .warn("no witness is written: the violation is not in the text of the program"),
            }
        }
        if let Some(folder) = &self.args.files.testcase {
            extras.failures.extend(self.write_testcase(folder, trace).err());
        }
        if let Some(path) = &self.args.files.harness {
            match harness {
                Ok(harness) => extras.failures.extend(artifact::write(path, &harness).err()),
                Err(why) => self.console.warn(format!("no harness is written: {why}")),
            }
        }
    }

    /// What the compiled program says, if it is to be run, and the text of the harness or why there is none.
    fn judge(&self, trace: &Trace, budget: &Budget) -> (Option<Opinion>, Result<String, String>) {
        let recipe = self.recipe(trace);
        let command = recipe.command();
        let lower = &self.question.options.lower;
        let plain = Harness {
            units: &self.question.texts,
            entry: &self.request.entry,
            elements: lower.start.elements,
            trace,
            error_functions: &lower.error_functions,
            assert_is_error: lower.assert_is_error,
            command: &command,
            undefined: &[],
        };
        let mut last = plain.text();
        if self.args.files.no_exec {
            return (None, last);
        }
        if let Err(why) = last {
            return (Some(Opinion::NotJudged(why.clone())), Err(why));
        }
        let mut text = |undefined: &[String]| {
            last = Harness { undefined, ..plain }.text();
            last.clone()
        };
        let mut opinion = judge::judge(&recipe, &plain.externs(), &mut text, budget);
        if let Opinion::Differs(how) = &opinion
            && !plain.reports_all()
        {
            let why =
                format!("an included file defines what is the violation; it cannot report it, and {how}");
            opinion = Opinion::NotJudged(why);
        }
        (Some(opinion), last)
    }

    /// How the compiler has to treat the program so that it means what we mean.
    fn recipe(&self, trace: &Trace) -> Recipe {
        let mut flags: Vec<String> = standard(&judge::compiler()).map(str::to_owned).into_iter().collect();
        flags.push("-O0".to_owned());
        flags.push(match self.request.data_model {
            DataModel::Ilp32 => "-m32".to_owned(),
            DataModel::Lp64 => "-m64".to_owned(),
        });
        let is_overflow = trace.violation.property == Violated::NoOverflow;
        if is_overflow {
            flags.push("-fsanitize=signed-integer-overflow,shift".to_owned());
            flags.push("-fno-sanitize-recover=all".to_owned());
        } else if self.request.signed_overflow == SignedOverflow::Wrap {
            flags.push("-fwrapv".to_owned());
        }
        let here = std::env::current_dir().unwrap_or_default();
        let absolute = |path: &Path| here.join(path).display().to_string();
        let mut further: Vec<String> = Vec::new();
        let mut add = |flag: String| {
            if !further.contains(&flag) {
                further.push(flag);
            }
        };
        let texts = &self.question.texts;
        for text in texts {
            let options = &text.options;
            add(format!("-I{}", folder(text.name()).display()));
            options.include_folders.iter().for_each(|folder| add(format!("-I{}", absolute(folder))));
        }
        // Of several files each has its own macros, which stand in the text.
        let options = &texts[0].options;
        flags.extend(options.others.iter().map(|other| harness_option(&other.to_string_lossy())));
        flags.append(&mut further);
        if texts.len() == 1 {
            flags.extend(options.defines.iter().map(|define| format!("-D{define}")));
            flags.extend(options.undefines.iter().map(|undefine| format!("-U{undefine}")));
            for include in &options.includes {
                flags.extend(["-include".to_owned(), absolute(include)]);
            }
        }
        Recipe { flags, is_overflow }
    }

    /// Names and hashes.
    fn files(&self) -> Vec<(String, String)> {
        let texts = self.question.texts.iter();
        texts.map(|text| (text.shown.clone(), format::hash(&text.syntax.source.text))).collect()
    }

    fn write_witness(&self, path: &Path, content: Content) -> Result<(), Failure> {
        let task = Task {
            files: self.files(),
            specification: specification(&self.request.property),
            data_model: self.request.data_model.name().to_owned(),
        };
        let text = format::write(&Witness { task, content }, &Stamp { seconds: now(), version: VERSION });
        artifact::write(path, &text)
    }

    fn write_testcase(&self, folder: &Path, trace: &Trace) -> Result<(), Failure> {
        let metadata = testcase::metadata(&testcase::Metadata {
            version: VERSION,
            specification: &specification(&self.request.property),
            files: &self.files(),
            entry: &self.request.entry,
            architecture: match self.request.data_model {
                DataModel::Ilp32 => "32bit",
                DataModel::Lp64 => "64bit",
            },
            time: &format::time(now()),
        });
        if let Err(error) = std::fs::create_dir_all(folder) {
            let message = format!("the folder `{}`: {error}", folder.display());
            return Err(Failure::Output(std::io::Error::other(message)));
        }
        artifact::write(&folder.join("metadata.xml"), &metadata)?;
        artifact::write(&folder.join("test-1.xml"), &testcase::testcase(trace))
    }
}

/// The property as witnesses state it.
fn specification(property: &Property) -> String {
    match property {
        Property::UnreachCall { function } => format!("G ! call({function}())"),
        Property::NoOverflow => "G ! overflow".to_owned(),
        Property::Unsupported { name } => name.clone(),
    }
}

/// Seconds since 1970; the variable of reproducible builds decides if it is there.
fn now() -> u64 {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    fixed.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}
