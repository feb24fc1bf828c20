//! The answer to a question about a condition: for people here, for programs in `json`.

use base::{Region, SourceMap};
use certify::{Certified, Check};
use verdict::{Proof, Reason, Verdict};
use witness::ask::{Answer, Example, Part, Word};
use witness::claim::Moment;

use crate::human::{self, Writer};
use crate::{Basis, Color, Format, json, printable};

/// A question and its answer.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The condition, as the user has written it.
    pub condition: &'a str,
    /// Where it is evaluated.
    pub place: Region,
    /// The texts of the program.
    pub sources: &'a SourceMap,
    /// What shaped the program.
    pub basis: &'a Basis,
    /// The answer.
    pub answer: &'a Answer,
}

/// The answer as a text; for people, unless the format is JSON.
pub fn answer(asked: &Asked<'_>, format: Format, color: Color) -> String {
    if format == Format::Json { json::answer(asked) } else { human(asked, color) }
}

fn human(asked: &Asked<'_>, color: Color) -> String {
    let mut writer = Writer::new(asked.sources);
    let word = word(asked.answer.word(), color);
    writer.line(&format!("{word}: {}", headline(asked)));
    writer.source_line(asked.place, "  ");
    let Answer { holds, fails, undefined, reached, .. } = asked.answer;
    part(&mut writer, holds, "true");
    match (fails, undefined) {
        (fails, Some(undefined)) if is_same(fails, undefined) => {
            part(&mut writer, fails, "false or undefined");
        }
        (fails, undefined) => {
            part(&mut writer, fails, "false");
            if let Some(undefined) = undefined {
                part(&mut writer, undefined, "undefined");
            }
        }
    }
    if let Some(reached) = reached {
        part(&mut writer, reached, "evaluated");
    }
    ledger(&mut writer, asked);
    if let Some(advice) = asked.answer.parts().find_map(advice) {
        writer.line(&format!("what may help: {advice}"));
    }
    writer.text
}

/// Whether one proof, or one reason, is about two outcomes.
fn is_same(one: &Part, other: &Part) -> bool {
    match (one, other) {
        (Part::Open(one), Part::Open(other)) => one == other,
        (Part::Never(_), Part::Never(_)) => true,
        _ => false,
    }
}

fn word(word: Word, color: Color) -> String {
    let (name, style) = match word {
        Word::Always => ("ALWAYS", "\x1b[1;32m"),
        Word::Never => ("NEVER", "\x1b[1;31m"),
        Word::Sometimes => ("SOMETIMES", "\x1b[1;36m"),
        Word::Unreached => ("UNREACHED", "\x1b[1;33m"),
        Word::Possible => ("POSSIBLE", "\x1b[1;33m"),
        Word::NotAlways => ("NOT ALWAYS", "\x1b[1;33m"),
        Word::Unknown => ("UNKNOWN", "\x1b[1;33m"),
    };
    match color {
        Color::Ansi => format!("{style}{name}\x1b[0m"),
        Color::Plain => name.to_owned(),
    }
}

fn headline(asked: &Asked<'_>) -> String {
    let place = asked.sources.describe(asked.place);
    let place = printable(&place);
    let when = match asked.answer.spot.moment {
        Moment::Statement => format!("when {place} is reached"),
        Moment::Loop => format!("when the condition of the loop at {place} is evaluated"),
    };
    let condition = printable(asked.condition);
    let untrue = if asked.answer.fails.is_possible() { "false" } else { "undefined" };
    match asked.answer.word() {
        Word::Always => format!("`{condition}` is true {when}"),
        Word::Never => format!("`{condition}` is never true {when}"),
        Word::Sometimes => format!("`{condition}` can be true and can be {untrue} {when}"),
        Word::Unreached => format!("no execution gets to {place}"),
        Word::Possible => {
            format!("`{condition}` can be true {when}; whether it is so in all executions is not known")
        }
        Word::NotAlways => {
            format!("`{condition}` can be {untrue} {when}; whether it can be true is not known")
        }
        Word::Unknown => format!("it is not known whether `{condition}` can be true, or false, {when}"),
    }
}

/// What is known about one outcome of the condition.
fn part(writer: &mut Writer<'_>, part: &Part, outcome: &str) {
    match part {
        Part::Can(example) => {
            writer.line(&format!("{outcome} in this execution{}:", visit(example)));
            if !example.detail.is_empty() {
                writer.line(&format!("  {}", printable(&example.detail)));
            }
            writer.inputs(&example.trace);
            writer.line("checked: replayed from the start");
        }
        Part::Never(certified) => {
            writer.line(&format!("never {outcome}: {}", proof(certified)));
            if let Some(line) = checked(certified) {
                writer.line(&line);
            }
        }
        Part::Open(Reason::Unsupported { feature, .. }) if outcome == "undefined" => {
            writer.line(&format!("not known: {}", printable(feature)));
        }
        Part::Open(reason) => {
            let why = reason.to_string();
            writer.line(&format!("whether it can be {outcome} is not known: {}", printable(&why)));
        }
    }
}

/// How often the place was reached, if that is more than once.
fn visit(example: &Example) -> String {
    if example.visit > 1 {
        format!(", the {}. time that it gets there", example.visit)
    } else {
        String::new()
    }
}

fn proof(certified: &Certified) -> String {
    match certified.verdict() {
        Verdict::Safe(Proof::Execution(_)) => {
            "no step depends on an input, and the execution shows it".to_owned()
        }
        Verdict::Safe(Proof::Executions(count) | Proof::UnwoundExecutions(count)) => {
            format!("all {count} executions were explored")
        }
        Verdict::Safe(Proof::Annotation(annotation)) => {
            format!("{} it", human::invariants_exclude(annotation.locations().count()))
        }
        Verdict::Safe(Proof::Bounded(proof)) => human::unwound(*proof),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => String::new(),
    }
}

fn checked(certified: &Certified) -> Option<String> {
    certified.check().map(|check| match check {
        Check::Replayed { .. } => "checked: replayed from the start".to_owned(),
        Check::Reexecuted { .. } => "checked: executed again, with the same outcome".to_owned(),
        Check::Proved { obligations } => human::proved(certified.verdict(), obligations),
    })
}

/// The verdicts that the parts of an answer are from.
pub(crate) fn certified(part: &Part) -> Option<&Certified> {
    match part {
        Part::Can(example) => Some(&example.certified),
        Part::Never(certified) => Some(certified),
        Part::Open(_) => None,
    }
}

/// What the answer rests on, each thing once.
fn ledger(writer: &mut Writer<'_>, asked: &Asked<'_>) {
    let mut told: Vec<String> = Vec::new();
    let with_checks = Writer::new(&asked.answer.sources);
    for certified in asked.answer.parts().filter_map(certified) {
        for line in human::ledger_lines(&with_checks, certified, asked.basis) {
            if !told.contains(&line) {
                told.push(line);
            }
        }
    }
    if !told.is_empty() {
        writer.line("this rests on:");
        for line in &told {
            writer.line(line);
        }
    }
}

fn advice(part: &Part) -> Option<&'static str> {
    match part {
        Part::Open(Reason::Unsupported { .. }) | Part::Can(_) | Part::Never(_) => None,
        Part::Open(reason) => human::advice(reason, None),
    }
}
