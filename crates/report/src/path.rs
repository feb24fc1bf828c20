//! The steps of an execution as text for people: the source line on the left, what happens there on the right.

use std::collections::BTreeSet;
use std::fmt::Write;

use base::{Region, SourceMap};

use crate::printable;
use crate::steps::{Change, Kind, Selection, Step};

/// Longer source lines are cut.
const SOURCE_WIDTH: usize = 56;
/// More changes of one step are counted.
const MAX_CHANGES: usize = 6;
/// Deeper nesting is shown as this one.
const MAX_INDENT: usize = 12;

/// The whole path, or nothing if there are no steps.
pub(super) fn render(steps: &[Step], selection: Selection, sources: &SourceMap) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let mut text = String::from(match selection {
        Selection::Relevant => {
            "path, with what the violation may depend on (`--trace=all` shows everything):\n"
        }
        Selection::All => "path:\n",
    });
    let mut function: Option<(usize, &str)> = None;
    let mut seen = BTreeSet::new();
    let mut last: Option<&Step> = None;
    for step in steps {
        let here = (step.depth, step.function());
        if function != Some(here) && !step.stack.is_empty() {
            let _ = writeln!(text, "  in {}", stack(step, sources));
            function = Some(here);
        }
        // That the condition of a loop holds is what an iteration means.
        let begins = last.is_some_and(|last| {
            matches!((&last.kind, &step.kind), (Kind::Round(_), Kind::Branch(true)))
                && last.region.line == step.region.line
        });
        if !begins {
            line(step, sources, &mut seen, &mut text);
        }
        last = Some(step);
    }
    text
}

/// The active functions, innermost first, with the lines of their calls.
fn stack(step: &Step, sources: &SourceMap) -> String {
    let mut text = String::new();
    for (position, frame) in step.stack.iter().enumerate().rev().take(4) {
        let _ = write!(text, "{}", printable(&frame.function));
        if position > 0 || step.depth >= step.stack.len() {
            let _ = write!(text, ", called at {} by ", place(frame.called_at, sources));
        }
    }
    if step.stack.len() > 4 || step.depth >= step.stack.len() {
        let _ = write!(text, "... ({} calls)", step.depth);
    }
    text
}

fn line<'a>(step: &'a Step, sources: &SourceMap, seen: &mut BTreeSet<(&'a str, &'a str)>, text: &mut String) {
    let indent = 2 * (step.nesting + step.depth).min(MAX_INDENT);
    let source = match step.kind {
        Kind::Folded { .. } | Kind::Skipped { .. } | Kind::Omitted(_) | Kind::Stopped => String::new(),
        _ => source_text(step, sources),
    };
    // The type of a variable is shown once.
    let what = describe(step, |change| {
        let whole = change.name.split('[').next().unwrap_or_default();
        !seen.insert((step.function(), whole))
    });
    if source.is_empty() {
        let _ = writeln!(text, "  {:>5} | {:indent$}{what}", "", "");
        return;
    }
    let number = place(step.region, sources);
    let left = format!("{:indent$}{source}", "");
    let row = format!("  {number:>5} | {left:<SOURCE_WIDTH$}  {what}");
    text.push_str(row.trim_end());
    text.push('\n');
}

/// What happens at a step, in one line.
pub(super) fn what(step: &Step) -> String {
    describe(step, |_| false)
}

fn describe<'a>(step: &'a Step, mut is_known: impl FnMut(&'a Change) -> bool) -> String {
    let told = step.changes.iter().take(MAX_CHANGES);
    let mut type_of = |written: &'a Change| if is_known(written) { "" } else { &*written.c_type };
    let mut changes: Vec<String> = told.map(|written| change(written, type_of(written))).collect();
    if step.changes.len() > MAX_CHANGES {
        changes.push(format!("and {} more", step.changes.len() - MAX_CHANGES));
    }
    let changes = changes.join(", ");
    match &step.kind {
        Kind::Statement => changes,
        Kind::Input { number, .. } => format!("{changes} (input {number})"),
        Kind::Branch(true) => "true".to_owned(),
        Kind::Branch(false) => "false".to_owned(),
        Kind::Call(function) => format!("call of {}({changes})", printable(function)),
        Kind::Round(number) => format!("iteration {number}"),
        Kind::Folded { from, to } if from == to => format!("... iteration {from} as above ..."),
        Kind::Folded { from, to } => format!("... iterations {from} to {to} as above ..."),
        Kind::Skipped { from, to } if from == to => format!("... iteration {from} is not shown ..."),
        Kind::Skipped { from, to } => format!("... iterations {from} to {to} are not shown ..."),
        Kind::Omitted(1) => "... 1 step is not shown ...".to_owned(),
        Kind::Omitted(count) => format!("... {count} steps are not shown ..."),
        Kind::Stopped => "... the rest of this long execution is not shown ...".to_owned(),
        Kind::Violation => "violation".to_owned(),
    }
}

/// A change with the type of the variable, which may be empty.
fn change(change: &Change, c_type: &str) -> String {
    let has_type = !c_type.is_empty() && change.name != "return value";
    let c_type = if has_type { format!("{c_type} ") } else { String::new() };
    printable(&format!("{c_type}{} = {}", change.name, change.value)).into_owned()
}

/// The line, with the file if it is not the first.
fn place(region: Region, sources: &SourceMap) -> String {
    let first = sources.iter().next().map(|(id, _)| id);
    match sources.get(region.file).filter(|_| Some(region.file) != first) {
        Some(file) => format!("{}:{}", printable(&file.name), region.line),
        None => region.line.to_string(),
    }
}

/// The source line from the statement on; of a line with several statements the one that is meant, unless it is one with a
/// body.
fn source_text(step: &Step, sources: &SourceMap) -> String {
    let region = step.region;
    let has_body = matches!(step.kind, Kind::Branch(_) | Kind::Round(_));
    let Some(file) = sources.get(region.file).filter(|_| !region.is_nowhere()) else { return String::new() };
    let line = String::from_utf8_lossy(file.line_text(region.line));
    let byte = |column: u32| line.char_indices().nth(column as usize - 1).map_or(line.len(), |(at, _)| at);
    let before = byte(region.column);
    let start = line[..before].rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let is_part = start > 0 && region.line == region.end_line && !has_body;
    let end = if is_part { byte(region.end_column) } else { line.len() };
    let text: String = line[start..end.max(start)].chars().take(4 * SOURCE_WIDTH).collect();
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let kept = SOURCE_WIDTH - 4;
    if text.chars().count() <= kept {
        return printable(&text).into_owned();
    }
    printable(&text.chars().take(kept).chain(" ...".chars()).collect::<String>()).into_owned()
}
