//! Summaries as text for people.

use std::fmt::Write as _;

use summary::print::{PointKind, PointReading, Reading};
use term::Terms;

use super::{Summarised, fallbacks, title};

/// The text for standard output.
pub(super) fn render(summarised: &Summarised<'_>) -> String {
    let mut text = String::new();
    if summarised.graph.target.is_none() {
        text.push_str("the value analysis excludes the error\n");
    }
    // There is nothing to say about the error itself, unless it alone was asked for.
    let is_error = |reading: &PointReading| reading.kind == PointKind::Error;
    let all_are = summarised.readings.iter().all(is_error);
    for reading in summarised.readings.iter().filter(|reading| all_are || !is_error(reading)) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&point(reading));
    }
    let fallbacks = fallbacks(&summarised.statistics);
    if !fallbacks.is_empty() {
        text.push_str("\nsummaries are less precise than they could be:\n");
    }
    for (what, count) in fallbacks {
        let _ = writeln!(text, "  {count} {what}");
    }
    text
}

/// All there is to say about a point.
pub(super) fn point(reading: &PointReading) -> String {
    let mut text = format!("{}\n", title(reading));
    if reading.facts.formula != Terms::TRUE {
        section(&mut text, "known of values", &reading.facts, "nothing", "unreachable");
    }
    if let Some(states) = &reading.forward {
        section(&mut text, "states that arrive", states, "any", "none");
    }
    if let Some(star) = &reading.star {
        let how = if star.exact { "exact" } else { "over-approximated" };
        let name = format!("any number of iterations ({how})");
        section(&mut text, &name, &star.relation, "anything", "none");
    }
    section(&mut text, "to the error", &reading.summary, "always possible", "impossible");
    text
}

fn section(text: &mut String, name: &str, reading: &Reading, all: &str, none: &str) {
    if reading.formula == Terms::TRUE {
        let _ = writeln!(text, "  {name}: {all}");
        return;
    }
    if reading.possible == Some(false) {
        let _ = writeln!(text, "  {name}: {none}");
        return;
    }
    let _ = writeln!(text, "  {name}:");
    for line in &reading.lines {
        let _ = writeln!(text, "    {}{}", "  ".repeat(line.depth), line.text);
    }
    if reading.cut > 0 {
        let _ = writeln!(text, "    … {} more lines, which --full shows", reading.cut);
    }
    for (name, meaning) in &reading.meanings {
        let _ = writeln!(text, "    where {name} is {meaning}");
    }
}
