//! What is computed for a verdict beyond its evidence: the judgement of the compiled program, readable invariants, and texts for other tools (witness,
//! harness, test case). Here they are computed; [`Exported::write`] writes them.
//!
//! # Invariants
//! * I1: unsafe is not claimed, and nothing is written about it, if the compiled program was run with the inputs of the trace to its own end and
//!   that is not the violation.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use base::{Budget, SourceMap};
use certify::Certified;
use cfa::{CheckKind, SignedOverflow};
use cfront::Parsed;
use checks::Judge;
use passes::Prepared;
use report::Extras;
use verdict::{Proof, Trace, Verdict};
use witness::documents::Documents;
use witness::format::{Claims, Content, Stamp};
use witness::judge::{self, Opinion};
use witness::question::{self, Asked, Hashes, Question, Text};
use witness::{correctness, violation};

use crate::args::{CheckArgs, Format, SourceArgs};
use crate::artifact;
use crate::console::Console;
use crate::failure::Failure;
use crate::frontend;
use crate::property::Property;
use crate::resolve::Request;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Solver ticks for readable invariants that nobody has asked for, after a verdict that cost less.
const MIN_READING_TICKS: u64 = 300;

/// What there is to report and to write.
#[derive(Default)]
pub(crate) struct Exported {
    /// What is reported beyond the evidence.
    pub(crate) extras: Extras,
    /// The files that the user asked for.
    documents: Vec<Document>,
    /// The same evidence for a bundle: name and text.
    pub(crate) copies: Vec<(&'static str, String)>,
    /// Why some of them are missing.
    warnings: Vec<String>,
}

/// What an option asks for.
enum Document {
    /// A file.
    File(PathBuf, String),
    /// A folder with files.
    Folder(PathBuf, Vec<(&'static str, String)>),
}

impl Exported {
    /// Writes the files. What cannot be written is returned: the verdict is reported first.
    pub(crate) fn write(&self, console: Console) -> Vec<Failure> {
        self.warnings.iter().for_each(|warning| console.warn(warning.clone()));
        self.documents.iter().filter_map(|document| document.write().err()).collect()
    }

    fn warn_about(&mut self, options: impl Iterator<Item = &'static str>, why: &str) {
        self.warnings.extend(options.map(|option| format!("{option} has no effect: {why}")));
    }

    /// Keeps a text for the file that the user asked for, if there is one, and for a bundle.
    fn push(&mut self, path: Option<&Path>, name: &'static str, text: String) {
        self.copies.push((name, text.clone()));
        self.documents.extend(path.map(|path| Document::File(path.to_owned(), text)));
    }
}

impl Document {
    fn write(&self) -> Result<(), Failure> {
        let (folder, files) = match self {
            Self::File(path, text) => return artifact::write(path, text),
            Self::Folder(folder, files) => (folder, files),
        };
        if let Err(error) = std::fs::create_dir_all(folder) {
            let message = format!("the folder `{}`: {error}", folder.display());
            return Err(Failure::Output(std::io::Error::other(message)));
        }
        files.iter().try_for_each(|(name, text)| artifact::write(&folder.join(name), text))
    }
}

/// What witnesses are checked against; nothing if a file can be read only once: then nobody else can check anything.
pub(crate) fn question(
    request: &Request,
    source: &SourceArgs,
    mut parsed: Parsed,
    sources: &SourceMap,
) -> Option<Question> {
    if !request.files.iter().all(|file| file.is_file()) {
        return None;
    }
    let units = parsed.units.iter().enumerate();
    let texts = units.map(|(number, unit)| {
        let options = frontend::preprocessing(request, source, number);
        Text::of_parsed(unit, sources, &mut parsed.interner, options)
    });
    let mut texts: Vec<Text> = texts.collect();
    question::name_texts(&mut texts);
    let asked = if request.is_open() { Asked::Anything } else { Asked::Exactly };
    Some(Question { texts, options: frontend::options(request, source), asked, hashes: Hashes::Equal })
}

/// Computes what is reported beyond the evidence of verdicts about one program.
pub(crate) struct Export<'a> {
    args: &'a CheckArgs,
    request: &'a Request,
    /// The program as the compiler and witnesses see it, made when it is first asked for; nothing if it cannot be read again.
    question: OnceCell<Option<Question>>,
    parsed: RefCell<Option<Parsed>>,
    /// What was found out about violations, in order.
    found: Vec<Exported>,
}

/// Whether files are written about a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Files {
    /// Those that the user asked for.
    Wanted,
    /// None: they are about another violation.
    None,
}

impl<'a> Export<'a> {
    pub(crate) fn new(args: &'a CheckArgs, request: &'a Request, parsed: Parsed) -> Self {
        Self {
            args,
            request,
            question: OnceCell::new(),
            parsed: RefCell::new(Some(parsed)),
            found: Vec::new(),
        }
    }

    fn question(&self, task: &Prepared<'_>) -> Option<&Question> {
        let question = self.question.get_or_init(|| {
            let parsed = self.parsed.borrow_mut().take()?;
            question(self.request, &self.args.source, parsed, &task.given().sources)
        });
        question.as_ref()
    }

    /// Computes what is reported beyond the evidence, and the texts of the files that the user asked for. A violation that the compiled program
    /// does not end in is not claimed (I1).
    pub(crate) fn export(
        &self,
        task: &Prepared<'_>,
        certified: Certified,
        budget: &mut Budget,
    ) -> (Certified, Exported) {
        self.export_with(task, certified, Files::Wanted, budget)
    }

    fn export_with(
        &self,
        task: &Prepared<'_>,
        certified: Certified,
        files: Files,
        budget: &mut Budget,
    ) -> (Certified, Exported) {
        let args = self.args;
        let mut exported = Exported::default();
        let is_unread = args.files.is_empty() && args.record.events.is_none();
        let is_terse = is_unread && (args.display.quiet || args.display.format() == Format::Svcomp);
        let is_needed = match certified.verdict() {
            Verdict::Safe(_) => !is_terse,
            Verdict::Unsafe(_) => !is_terse || !args.files.no_exec,
            Verdict::Unknown(_) => false,
        };
        if !is_needed {
            return (certified, exported);
        }
        let Some(question) = self.question(task) else {
            let why = "the program is not a file that can be read again";
            exported.warn_about(wanted(args), why);
            if matches!(certified.verdict(), Verdict::Unsafe(_)) && !args.files.no_exec {
                let why = budget.poll().map_or_else(|stop| stop.to_string(), |()| why.to_owned());
                exported.extras.opinion = Some(Opinion::NotJudged(why));
            }
            return (certified, exported);
        };
        let exporter = Exporter { args, request: self.request, task, question };
        match certified.verdict() {
            Verdict::Safe(proof) => exporter.safe(proof, &mut exported, budget),
            Verdict::Unsafe(trace) => exporter.violated(trace, files, &mut exported, budget),
            Verdict::Unknown(_) => {}
        }
        let why = match &exported.extras.opinion {
            Some(Opinion::Differs(how)) => {
                format!("the compiled program does not end in the violation: {how}")
            }
            Some(Opinion::Confirmed | Opinion::NotJudged(_)) | None => return (certified, exported),
        };
        (certified.refuted(why), exported)
    }

    /// What was found out about the violations that were judged, in order.
    pub(crate) fn take_found(&mut self) -> Vec<Exported> {
        std::mem::take(&mut self.found)
    }
}

impl Judge for Export<'_> {
    fn judge(&mut self, task: &Prepared<'_>, certified: Certified, budget: &mut Budget) -> Certified {
        // Files are about the first violation that stands.
        let files = if self.found.is_empty() { Files::Wanted } else { Files::None };
        let (certified, exported) = self.export_with(task, certified, files, budget);
        if matches!(certified.verdict(), Verdict::Unsafe(_)) {
            self.found.push(exported);
        }
        certified
    }
}

/// The options of files that the user asked for.
fn wanted(args: &CheckArgs) -> impl Iterator<Item = &'static str> {
    let options = [
        ("--witness", &args.files.witness),
        ("--harness", &args.files.harness),
        ("--testcase", &args.files.testcase),
    ];
    options.into_iter().filter_map(|(name, path)| path.as_ref().map(|_| name))
}

struct Exporter<'a> {
    args: &'a CheckArgs,
    request: &'a Request,
    task: &'a Prepared<'a>,
    question: &'a Question,
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
        extras.quantified = explain::quantified(self.task, annotation);
        extras.contracts = explain::contracts(self.task, annotation, ticks, budget);
    }

    fn safe(&self, proof: &Proof, exported: &mut Exported, budget: &mut Budget) {
        if let Proof::Annotation(annotation) = proof {
            self.invariants(annotation, &mut exported.extras, budget);
        }
        let files = &self.args.files;
        if files.witness.is_some() || files.bundle.is_some() {
            let invariants = exported.extras.invariants.iter();
            let invariants = invariants.filter_map(|readable| readable.portable.clone()).collect();
            let (sources, texts) = (&self.task.given().sources, &self.question.texts);
            let contracts = correctness::contracts(&exported.extras.contracts, sources, texts);
            let documents = self.documents(proved(self.request));
            let text = documents.witness(Content::Correctness(Claims { invariants, contracts }));
            exported.push(files.witness.as_deref(), "witness.yml", text);
        }
        exported.warn_about(wanted(self.args).filter(|name| *name != "--witness"), "the verdict is safe");
    }

    /// What readable invariants may cost: hardly more than the verdict, unless the user has asked for them.
    fn reading_ticks(&self, budget: &Budget) -> u64 {
        let files = &self.args.files;
        let mut formats = files.outputs.iter().map(|(format, _)| *format).chain([self.args.display.format()]);
        let is_asked = files.witness.is_some()
            || files.report.is_some()
            || formats.any(|format| format == Format::Annotate);
        let most = explain::READING_TICKS;
        if is_asked { most } else { budget.spent().saturating_mul(2).clamp(MIN_READING_TICKS, most) }
    }

    /// Asks the compiled program, and makes the files if it does not object.
    fn violated(&self, trace: &Trace, wanted_files: Files, exported: &mut Exported, budget: &Budget) {
        let harness = if self.args.files.no_exec {
            judge::harness_text(self.question, trace)
        } else {
            let (opinion, harness) = judge::judge(self.question, trace, budget);
            exported.extras.opinion = Some(opinion);
            harness
        };
        if matches!(exported.extras.opinion, Some(Opinion::Differs(_))) {
            exported.warn_about(wanted(self.args), "the verdict is unknown");
            return;
        }
        if wanted_files == Files::None {
            return;
        }
        let files = &self.args.files;
        let documents = self.documents(violated(self.request, trace));
        if files.witness.is_some() || files.bundle.is_some() {
            let path = files.witness.as_deref();
            match violation::segments(trace, &self.task.given().sources, &self.question.texts) {
                Some(segments) => {
                    exported.push(path, "witness.yml", documents.witness(Content::Violation(segments)));
                }
                None => exported.warnings.push(
                    "no witness is written: the violation is not in a statement of the program's text"
                        .to_owned(),
                ),
            }
        }
        if let Some(folder) = &files.testcase {
            let case = documents.test_case(trace);
            let files = vec![("metadata.xml", case.metadata), ("test-1.xml", case.inputs)];
            exported.documents.push(Document::Folder(folder.clone(), files));
        }
        if files.harness.is_some() || files.bundle.is_some() || files.certificate.is_some() {
            match harness {
                Ok(harness) => exported.push(files.harness.as_deref(), "harness.c", harness),
                Err(why) => exported.warnings.push(format!("no harness is written: {why}")),
            }
        }
    }

    fn documents(&self, specification: String) -> Documents<'_> {
        Documents {
            question: self.question,
            specification,
            stamp: Stamp { seconds: now(), version: VERSION },
        }
    }
}

/// A property of SV-COMP as witnesses state it.
const NO_OVERFLOW: &str = "G ! overflow";

/// The property that was proved, as witnesses state it. SV-COMP has no name for the conjunction of two properties: the specification has all formulas. What SV-COMP
/// has no property for is not stated.
fn proved(request: &Request) -> String {
    let mut formulas = Vec::new();
    if let Property::UnreachCall { function } = &request.property {
        formulas.push(format!("G ! call({function}())"));
    }
    if request.signed_overflow == SignedOverflow::Error {
        formulas.push(NO_OVERFLOW.to_owned());
    }
    for kind in request.checks.iter() {
        let formula = kind.property().map(|name| format!("G {name}"));
        formulas
            .extend(formula.filter(|formula| !formulas.contains(formula)).into_iter().collect::<Vec<_>>());
    }
    formulas.join(" && ")
}

/// The property that a trace violates, as witnesses state it.
fn violated(request: &Request, trace: &Trace) -> String {
    match (trace.violation.kind, &request.property) {
        (CheckKind::SignedOverflow, _) => NO_OVERFLOW.to_owned(),
        (CheckKind::Assertion, Property::UnreachCall { function }) => format!("G ! call({function}())"),
        (kind, _) => format!("G {}", kind.property().unwrap_or(kind.code())),
    }
}

/// Seconds since 1970; the variable of reproducible builds decides if it is there.
fn now() -> u64 {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    fixed.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}
