//! Summaries as a drawing: the DOT language of Graphviz.

use std::fmt::Write as _;

use summary::print::{PointKind, Reading};

use super::{Summarised, title};

/// A graph of the points with their summaries; edges between points that are not shown are left out.
pub(super) fn render(summarised: &Summarised<'_>) -> String {
    let mut text =
        String::from("digraph summaries {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    for reading in summarised.readings {
        let mut label = title(reading);
        if reading.kind != PointKind::Error {
            label.push_str("\nto the error:");
            add(&mut label, &reading.summary);
        }
        if let Some(star) = &reading.star {
            label.push_str(if star.exact { "\niterations, exactly:" } else { "\niterations, at most:" });
            add(&mut label, &star.relation);
        }
        if let Some(states) = &reading.forward {
            label.push_str("\nstates that arrive:");
            add(&mut label, states);
        }
        let style = match reading.kind {
            PointKind::Entry => ", style=bold",
            PointKind::Loop => ", style=filled, fillcolor=lightblue",
            PointKind::Error => ", shape=octagon, style=filled, fillcolor=salmon",
        };
        let _ = writeln!(text, "  {} [label=\"{}\"{style}];", reading.point, escape(&label));
    }
    let is_shown = |point| summarised.readings.iter().any(|reading| reading.point == point);
    for arc in &summarised.graph.arcs {
        if is_shown(arc.source) && is_shown(arc.target) {
            let _ = writeln!(text, "  {} -> {};", arc.source, arc.target);
        }
    }
    text.push_str("}\n");
    text
}

fn add(label: &mut String, reading: &Reading) {
    for line in &reading.lines {
        let _ = write!(label, "\n  {}{}", "  ".repeat(line.depth), line.text);
    }
    if reading.cut > 0 {
        let _ = write!(label, "\n  … {} more lines", reading.cut);
    }
}

/// Quoted for DOT, lines set to the left.
fn escape(label: &str) -> String {
    let mut escaped = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    escaped.push_str("\\l");
    escaped
}
