//! The source with the answer as comments: invariants above their loops, contracts above their functions in ACSL, inputs and the violation above their lines.
//!
//! # Invariants
//! * I1: every line of the source is there as it is; what is added is whole lines that are comments.
//! * I2: no comment is put where it would change the text: not within a line that continues.
//! * I3: a contract of ACSL has only blanks and comments between it and its function, and is the only one there.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::{FileId, Region, SourceFile, SourceMap};
use verdict::{Proof, Trace, Verdict};
use witness::format::InvariantKind;

use checks::State;

use crate::table::Table;
use crate::{Color, Detail, Run, human, printable, table};

/// More inputs at one line are counted.
const MAX_INPUTS: usize = 8;

/// What is added above a line.
enum Comment {
    Line(String),
    /// What a function ensures, in ACSL.
    Contract(Vec<String>),
}

/// Comments above lines.
#[derive(Default)]
struct Comments(BTreeMap<(FileId, u32), Vec<Comment>>);

impl Comments {
    fn add(&mut self, file: FileId, line: u32, comment: String) {
        self.0.entry((file, line)).or_default().push(Comment::Line(comment));
    }
    fn at(&mut self, region: Region, comment: String) {
        if !region.is_nowhere() {
            self.add(region.file, region.line, comment);
        }
    }
}

/// The annotated source. Files are those of the request, and those that have a comment.
pub(super) fn render(run: &Run<'_>) -> String {
    let sources = run.sources;
    let mut comments = Comments::default();
    match run.certified.verdict() {
        _ if run.table.is_some() => {
            run.table.iter().for_each(|table| each(*table, sources, &mut comments));
            invariants(run, sources, &mut comments);
        }
        Verdict::Safe(Proof::Annotation(_)) => invariants(run, sources, &mut comments),
        Verdict::Safe(
            Proof::Execution(_) | Proof::Executions(_) | Proof::UnwoundExecutions(_) | Proof::Bounded(_),
        ) => {}
        Verdict::Unsafe(trace) => violation(trace, &mut comments),
        Verdict::Unknown(reason) => comments.at(reason.region(), format!("not decided: {reason}")),
    }
    let headline = human::render(run, Detail::Verdict, Color::Plain);
    let mut text = String::new();
    push(&mut text, "", headline.trim_end());
    let shown = |id: FileId, file: &SourceFile| {
        run.task.files.iter().any(|name| **name == *file.name)
            || comments.0.keys().any(|(other, _)| *other == id)
    };
    let files: Vec<(FileId, &SourceFile)> = sources.iter().filter(|(id, file)| shown(*id, file)).collect();
    for (id, file) in &files {
        if files.len() > 1 {
            push(&mut text, "", &format!("file {}", file.name));
        }
        annotate(*id, file, &comments, &mut text);
    }
    text
}

/// What is known about each check, at its line.
fn each(table: Table<'_>, sources: &SourceMap, comments: &mut Comments) {
    let violations = table.violations();
    for (number, (check, trace, _)) in violations.iter().enumerate() {
        let of = if violations.len() > 1 { format!(" of violation {}", number + 1) } else { String::new() };
        inputs(trace, &of, comments);
        let place = table::place(&trace.violation, Some(check), sources);
        let which = if violations.len() > 1 { format!(" {}", number + 1) } else { String::new() };
        comments.at(place, format!("VIOLATION{which}: {}", table::describe(check)));
    }
    for (check, reason) in table.open() {
        comments.at(check.place, format!("open: {}: {reason}", table::describe(check)));
    }
    let mut holding: BTreeMap<(FileId, u32), usize> = BTreeMap::new();
    for (check, state) in table.rows() {
        if matches!(state, State::Holds(_)) && !check.place.is_nowhere() {
            *holding.entry((check.place.file, check.place.line)).or_default() += 1;
        }
    }
    for ((file, line), count) in holding {
        let word = if count == 1 { "check holds" } else { "checks hold" };
        comments.add(file, line, format!("{count} {word}"));
    }
    for region in &table.unreached.assertions {
        comments.at(*region, "the assertion cannot fail for lack of executions".to_owned());
    }
    for region in &table.unreached.statements {
        comments.at(*region, "never executed".to_owned());
    }
}

fn invariants(run: &Run<'_>, sources: &SourceMap, comments: &mut Comments) {
    for explain::Contract { region, ensures, .. } in &run.extras.contracts {
        if sources.get(region.file).is_some_and(|file| takes_contract(file, *region)) {
            comments.at(*region, "contract, whenever the function returns".to_owned());
            let above = comments.0.entry((region.file, region.line)).or_default();
            above.push(Comment::Contract(ensures.clone()));
            continue;
        }
        for ensures in ensures {
            comments.at(*region, format!("contract, whenever the function returns: {ensures}"));
        }
    }
    for fact in &run.extras.quantified {
        comments.at(fact.region, format!("invariant, whenever the condition is evaluated: {}", fact.text));
    }
    for readable in &run.extras.invariants {
        let name = &readable.invariant.location.file;
        let is_named = |path: &str| path == name || path.ends_with(&format!("/{name}"));
        let Some((id, _)) = sources.iter().find(|(_, file)| is_named(&file.name)) else { continue };
        let when = match readable.invariant.kind {
            InvariantKind::Loop => "invariant, whenever the condition is evaluated",
            InvariantKind::Location => "invariant, whenever this is reached",
        };
        comments.add(id, readable.place.0, format!("{when}: {}", readable.invariant.value));
    }
}

/// Whether a contract above the line of a function is one of that function (I3).
fn takes_contract(file: &SourceFile, place: Region) -> bool {
    if place.is_nowhere() {
        return false;
    }
    let line = |number: u32| file.line_text(number).trim_ascii();
    let before = file.line_text(place.line).get(..(place.column as usize).saturating_sub(1));
    let continues = place.line > 1 && file.line_text(place.line - 1).ends_with(b"\\");
    if before.is_none_or(|before| !before.trim_ascii().is_empty()) || continues {
        return false;
    }
    let above = (1..place.line).rev().find(|number| !line(*number).is_empty());
    let Some(above) = above else { return true };
    if !line(above).ends_with(b"*/") {
        return !line(above).starts_with(b"//@");
    }
    let opens = |number: &u32| file.line_text(*number).windows(2).any(|pair| pair == b"/*");
    let start = (1..=above).rev().find(opens);
    !start.is_some_and(|start| file.line_text(start).windows(3).any(|mark| mark == b"/*@"))
}

fn violation(trace: &Trace, comments: &mut Comments) {
    inputs(trace, "", comments);
    for (function, called_at) in crate::calls(&trace.violation.stack) {
        if let Some(place) = called_at {
            comments.at(place, format!("the violation is in this call of {function}"));
        }
    }
    comments.at(trace.violation.region, "VIOLATION".to_owned());
}

/// The inputs of a violation, at the lines that ask for them.
fn inputs(trace: &Trace, of: &str, comments: &mut Comments) {
    let mut inputs: BTreeMap<(FileId, u32), Vec<String>> = BTreeMap::new();
    for (position, chosen) in
        trace.choices.iter().enumerate().filter(|(_, chosen)| !chosen.place.is_nowhere())
    {
        let place = (chosen.place.file, chosen.place.line);
        inputs.entry(place).or_default().push(format!("{} (input {})", chosen.value, position + 1));
    }
    for ((file, line), values) in inputs {
        let more = values.len().saturating_sub(MAX_INPUTS);
        let dots = if more > 0 { format!(", and {more} more") } else { String::new() };
        let told = values[..values.len() - more].join(", ");
        let word = if values.len() == 1 { "value" } else { "values, in order" };
        comments.add(file, line, format!("{word}{of}: {told}{dots}"));
    }
}

fn annotate(id: FileId, file: &SourceFile, comments: &Comments, text: &mut String) {
    let mut waiting: Vec<&Comment> = Vec::new();
    let mut start = 1;
    // What follows the last line break is no line.
    let is_empty = |line: u32| file.line_text(line).is_empty();
    let last = file.line_count();
    let last = if last > 1 && is_empty(last) { last - 1 } else { last };
    for line in 1..=last {
        waiting.extend(comments.0.get(&(id, line)).into_iter().flatten());
        // I2: the lines of one logical line stay together.
        if file.line_text(line).ends_with(b"\\") && line < last {
            continue;
        }
        let first = String::from_utf8_lossy(file.line_text(start));
        let indent: String = first.chars().take_while(|character| matches!(character, ' ' | '\t')).collect();
        for comment in waiting.drain(..) {
            match comment {
                Comment::Line(comment) => push(text, &indent, comment),
                Comment::Contract(ensures) => push_contract(text, &indent, ensures),
            }
        }
        for part in start..=line {
            text.push_str(&String::from_utf8_lossy(file.line_text(part)));
            text.push('\n');
        }
        start = line + 1;
    }
}

/// One line with a comment.
fn push(text: &mut String, indent: &str, comment: &str) {
    let comment = printable(comment).replace(['\n', '\t'], " ");
    // A backslash at the end would take the next line into the comment.
    let _ = writeln!(text, "{indent}// wayproof: {}", comment.trim_end_matches('\\'));
}

/// The lines of a contract.
fn push_contract(text: &mut String, indent: &str, ensures: &[String]) {
    for (number, clause) in ensures.iter().enumerate() {
        let mark = if number == 0 { "/*@" } else { "  @" };
        let end = if number + 1 == ensures.len() { " */" } else { "" };
        let _ = writeln!(text, "{indent}{mark} ensures {};{end}", printable(clause));
    }
}
