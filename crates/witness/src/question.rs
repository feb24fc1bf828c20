//! What a witness is checked against: the texts of a program and a property.
//!
//! # Invariants
//! * I1: every text was parsed, so that all places in it are known.
//! * I2: [`Question::adopt`] succeeds for witnesses of these very texts only: the hashes agree, file by file. With [`Hashes::Reported`] it names the texts whose hashes differ.
//! * I3: a violation that a witness states violates a property that is checked; a proof that it states covers every property that is checked.

use std::path::Path;
use std::sync::Arc;

use base::SourceMap;
use cfa::{CheckKind, CheckKinds, Program, SignedOverflow};
use cfront::{Input, Interner, Loaded, preprocess};

use crate::format::{self, Content, Location, Witness};
use crate::syntax::Syntax;
use crate::weave::Woven;

/// What a witness is checked against.
pub struct Question {
    /// The files of the program, at least one.
    pub texts: Vec<Text>,
    /// How they are compiled, and what the error is.
    pub options: cfront::Options,
    /// Whether the error is that and nothing else.
    pub asked: Asked,
    /// Whether a witness must state the hashes of the texts.
    pub hashes: Hashes,
}

/// What the hashes of a witness are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashes {
    /// They are those of the texts.
    Equal,
    /// They may differ: all else is checked, and the difference is reported.
    Reported,
}

/// What a witness may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The properties that were asked for.
    Exactly,
    /// Nobody has said: what the witness is about is checked.
    Anything,
}

/// A file of the program.
pub struct Text {
    /// What witnesses call it.
    pub shown: String,
    /// What is in it; the name is the one that the program's sources have.
    pub syntax: Syntax,
    /// How it is preprocessed.
    pub options: preprocess::Options,
}

impl Text {
    /// Parses a text; nothing if that fails.
    pub fn new(name: &str, text: Arc<[u8]>, options: preprocess::Options) -> Option<Self> {
        let syntax = Syntax::new(name, text, &displaced(name, &options))?;
        Some(Self { shown: format::base_name(name).to_owned(), syntax, options })
    }

    /// A file that the front end has parsed.
    pub fn of_parsed(
        loaded: &Loaded,
        sources: &SourceMap,
        interner: &mut Interner,
        options: preprocess::Options,
    ) -> Self {
        let syntax = Syntax::of_parsed(loaded, sources, interner);
        Self { shown: format::base_name(&syntax.source.name).to_owned(), syntax, options }
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.syntax.source.name
    }

    /// What is in the text after edits; nothing if it cannot be parsed any more.
    pub(crate) fn after(&self, woven: &Woven) -> Option<Syntax> {
        Syntax::new(self.name(), woven.text.clone(), &displaced(self.name(), &self.options))
    }

    /// The text after edits, as the front end takes it.
    pub(crate) fn input(&self, woven: &Woven) -> (Input, preprocess::Options) {
        let input = Input::Text { name: self.name().to_owned(), text: woven.text.clone() };
        (input, displaced(self.name(), &self.options))
    }
}

/// Options for a text that does not come from its place on disk: files beside it must be found all the same.
fn displaced(name: &str, options: &preprocess::Options) -> preprocess::Options {
    let folder = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut options = options.clone();
    let first = ["-iquote".into(), folder.unwrap_or(Path::new(".")).into()];
    options.others.splice(0..0, first);
    options
}

/// Gives the texts the names that witnesses use: those without folders, if that tells them apart.
pub fn name_texts(texts: &mut [Text]) {
    let base: Vec<String> = texts.iter().map(|text| format::base_name(text.name()).to_owned()).collect();
    let is_distinct = (1..base.len()).all(|at| !base[..at].contains(&base[at]));
    for (text, base) in texts.iter_mut().zip(base) {
        text.shown = if is_distinct { base } else { text.name().to_owned() };
    }
}

/// The text in which a place lies, and its number.
pub(crate) fn text_of<'a>(texts: &'a [Text], location: &Location) -> Option<(usize, &'a Text)> {
    let mut numbered = texts.iter().enumerate();
    if let Some(found) = numbered.find(|(_, text)| text.shown == location.file) {
        return Some(found);
    }
    let wanted = format::base_name(&location.file);
    let mut similar = texts.iter().enumerate().filter(|(_, text)| format::base_name(&text.shown) == wanted);
    similar.next().filter(|_| similar.next().is_none())
}

impl Question {
    /// The program of the texts after edits.
    pub(crate) fn compile(&self, woven: &[Woven]) -> Result<Program, Box<cfront::Failure>> {
        let parts = self.texts.iter().zip(woven);
        let inputs: Vec<_> = parts.map(|(text, woven)| text.input(woven)).collect();
        let units: Vec<cfront::Unit<'_>> = inputs.iter().map(|(input, options)| (input, options)).collect();
        cfront::compile_units(&units, &self.options).map(|compiled| compiled.program)
    }

    /// Finds out which texts a witness speaks about, and names them as it does; a message if it is about something else. Returns the texts of which the witness states another hash.
    pub fn adopt(&mut self, witness: &Witness) -> Result<Vec<String>, String> {
        let (stated, count) = (&witness.task.files, self.texts.len());
        if stated.len() != count {
            return Err(format!("the witness is for a program of {} files, not of {count}", stated.len()));
        }
        let mut left: Vec<&(String, String)> = stated.iter().collect();
        let mut differing = Vec::new();
        for text in &mut self.texts {
            let hash = format::hash(&text.syntax.source.text);
            let fits = |(_, stated): &(String, String)| stated.eq_ignore_ascii_case(&hash);
            let mine = format::base_name(text.name());
            let best = left.iter().position(|entry| fits(entry) && format::base_name(&entry.0) == mine);
            let same_text = best.or_else(|| left.iter().position(|entry| fits(entry)));
            let found = match (same_text, self.hashes) {
                (Some(found), _) => found,
                (None, Hashes::Equal) => return Err(other_program(text, &hash, &left)),
                (None, Hashes::Reported) => {
                    let same_name = left.iter().position(|(file, _)| format::base_name(file) == mine);
                    let only = (count == 1).then_some(0);
                    let found = same_name.or(only).ok_or_else(|| other_program(text, &hash, &left))?;
                    differing.push(text.name().to_owned());
                    found
                }
            };
            text.shown.clone_from(&left.remove(found).0);
        }
        self.adopt_property(witness)?;
        let model = self.options.preprocess.data_model.name();
        if witness.task.data_model != model {
            return Err(format!(
                "the witness is for the data model {}, but the program is checked under {model}",
                witness.task.data_model
            ));
        }
        Ok(differing)
    }

    /// Compares the property of a witness with the one that is checked. Of several errors a violation is one that its witness names: the others no
    /// longer count (I3).
    fn adopt_property(&mut self, witness: &Witness) -> Result<(), String> {
        let specification = &witness.task.specification;
        let lower = &mut self.options.lower;
        let asked = Errors {
            calls: !lower.error_functions.is_empty() || lower.assert_is_error,
            overflow: lower.signed_overflow == SignedOverflow::Error,
            checks: lower.checks,
        };
        let function = named(specification, "call(");
        let stated = Errors::of(specification);
        let is_same_entry = named(specification, "init(").is_none_or(|entry| entry == lower.entry);
        let is_same_function =
            function.is_none_or(|function| lower.error_functions.iter().any(|name| name == function));
        let fits = match witness.content {
            Content::Violation(_) => {
                let is_known = stated.are_among(asked) || self.asked == Asked::Anything;
                stated != Errors::default() && is_known
            }
            Content::Correctness(_) => asked.are_among(stated),
        };
        // A proof may be about more than is checked.
        let fits_function = is_same_function || !asked.calls;
        if !(fits && is_same_entry && fits_function) {
            return Err(format!("the witness is for another property: `{specification}`"));
        }
        let is_violation = matches!(witness.content, Content::Violation(_));
        if is_violation && !stated.calls {
            lower.error_functions.clear();
            lower.assert_is_error = false;
        }
        if is_violation || self.asked == Asked::Anything {
            lower.checks = stated.checks;
            match (asked.overflow, stated.overflow) {
                (true, false) => lower.signed_overflow = SignedOverflow::Undefined,
                (false, true) => lower.signed_overflow = SignedOverflow::Error,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The errors that a property is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Errors {
    /// Calls of error functions and failing assertions.
    calls: bool,
    /// Signed overflow.
    overflow: bool,
    /// Wrong uses of memory.
    checks: CheckKinds,
}

impl Errors {
    /// The errors that a specification names.
    fn of(specification: &str) -> Self {
        let is_named = |kind: &CheckKind| match kind {
            CheckKind::Assertion | CheckKind::SignedOverflow => false,
            kind => kind.property().is_some_and(|name| specification.contains(name)),
        };
        Self {
            calls: named(specification, "call(").is_some(),
            overflow: specification.contains("overflow"),
            checks: CheckKind::ALL.into_iter().filter(is_named).collect(),
        }
    }

    fn are_among(self, others: Self) -> bool {
        let has_checks = self.checks.iter().all(|kind| others.checks.contains(kind));
        self.calls <= others.calls && self.overflow <= others.overflow && has_checks
    }
}

/// The function that a specification names after a word.
fn named<'a>(specification: &'a str, word: &str) -> Option<&'a str> {
    let (_, rest) = specification.split_once(word)?;
    Some(rest.split(['(', ')']).next().unwrap_or(rest).trim())
}

/// The message about a text whose hash the witness does not state.
fn other_program(text: &Text, hash: &str, left: &[&(String, String)]) -> String {
    let name = text.name();
    let same_name = left.iter().find(|(file, _)| format::base_name(file) == format::base_name(name));
    match same_name.or(left.first()).filter(|_| same_name.is_some() || left.len() == 1) {
        Some((file, stated)) => format!(
            "the witness is for another program: it states the hash {stated} of `{file}`, but that of `{name}` is {hash}"
        ),
        None => format!("the witness is for another program: it does not state the hash {hash} of `{name}`"),
    }
}
