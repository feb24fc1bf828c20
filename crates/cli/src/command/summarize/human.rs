//! Summaries as text for people.

use std::fmt::Write as _;

use summary::print::{PointKind, Reading};

use super::{Summarised, title};

/// The text for standard output.
pub(super) fn render(summarised: &Summarised<'_>) -> String {
    let mut text = String::new();
    if summarised.graph.error.is_none() {
        text.push_str("no path leads to the error\n");
    }
    for (at, reading) in summarised.readings.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", title(reading));
        if let Some(forward) = &reading.forward {
            section(&mut text, "values that arrive", &forward.facts, "any of their types", "none");
            section(&mut text, "states that arrive", &forward.reachable, "any", "none");
        }
        if let Some(star) = &reading.star {
            let how = if star.exact { "exactly" } else { "at most" };
            let name = format!("any number of iterations, {how}");
            section(&mut text, &name, &star.relation, "anything", "none");
        }
        if reading.kind == PointKind::Error {
            continue;
        }
        section(&mut text, "to the error", &reading.summary, "always possible", "impossible");
    }
    text
}

fn section(text: &mut String, name: &str, reading: &Reading, all: &str, none: &str) {
    let is_trivial = matches!(reading.lines.as_slice(), [line] if line.text == "true");
    if is_trivial {
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
