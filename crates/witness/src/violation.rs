//! From a trace to the waypoints of a witness.
//!
//! Every value that a call returned becomes a `function_return`; the violation is the target. Values that no call returned (uninitialised
//! variables, parameters of the entry function) have no waypoint: a validator has to find them.

use std::collections::BTreeMap;

use base::{Region, SourceMap};
use cfa::{Source, Ty};
use interp::Chosen;
use verdict::Trace;

use crate::format::{Location, Segment, Waypoint, WaypointKind};
use crate::question::Text;
use crate::syntax::{Range, Syntax};

/// More values than this make a witness that nobody can read or check; the rest is left to the validator.
const MAX_VALUES: usize = 20_000;

/// The segments of a trace; nothing if the violation is in none of the texts.
pub fn segments(trace: &Trace, sources: &SourceMap, texts: &[Text]) -> Option<Vec<Segment>> {
    let here = |region: Region| {
        let file = sources.get(region.file).filter(|_| !region.is_nowhere())?;
        let text = texts.iter().find(|text| *file.name == *text.name())?;
        let end = text.syntax.offset(region.end_line, region.end_column.checked_sub(1)?)?;
        Some((text, Range { lo: text.syntax.offset(region.line, region.column)?, hi: end + 1 }))
    };
    let calls: BTreeMap<(&str, Range), u32> = texts
        .iter()
        .flat_map(|text| text.syntax.calls.iter().map(|call| ((text.name(), call.range), call.close)))
        .collect();
    let choices = trace.choices.iter().take(MAX_VALUES);
    let mut segments: Vec<Segment> = choices
        .filter_map(|chosen| {
            let (text, range) = here(chosen.region)?;
            returned(chosen, *calls.get(&(text.name(), range))?, text)
        })
        .collect();
    let violation = &trace.violation;
    // A violation inside a library function is one of the innermost call in the user's text.
    let calls = violation.stack.entries.iter().map(|entry| entry.called_at);
    let (text, place) = std::iter::once(violation.region).chain(calls).find_map(here)?;
    let statement = text.syntax.statement_around(place)?;
    segments.push(follow(WaypointKind::Target, location(&text.shown, &text.syntax, statement.range.lo)));
    Some(segments)
}

fn returned(chosen: &Chosen, close: u32, text: &Text) -> Option<Segment> {
    match chosen.source {
        Source::Input { .. } | Source::Extern { .. } => {}
        Source::Library { .. }
        | Source::Uninitialised
        | Source::Rounded
        | Source::Outside
        | Source::Guess(_)
        | Source::Argument { .. }
        | Source::Global { .. } => return None,
    }
    let value = match chosen.value.ty {
        Ty::Int { width, .. } if width <= 64 => chosen.value.as_int().to_string(),
        Ty::Float(_) => chosen.value.to_string(),
        Ty::Int { .. } | Ty::Ptr => return None,
    };
    // Infinity and what is no number have no constant. That the call returned is still said: the next value is that of the next call.
    let has_constant = value.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
    let relation = has_constant.then(|| ("==".to_owned(), value));
    let (line, column) = text.syntax.position(close);
    let location = Location { file: text.shown.clone(), line, column: Some(column) };
    Some(follow(WaypointKind::FunctionReturn(relation), location))
}

fn follow(kind: WaypointKind, location: Location) -> Segment {
    Segment { avoid: Vec::new(), follow: Waypoint { kind, location } }
}

/// The place of a statement. Some validators want no column where it is not needed.
pub(crate) fn location(shown: &str, syntax: &Syntax, offset: u32) -> Location {
    let (line, column) = syntax.position(offset);
    let start = syntax.source.line_start(line) as usize;
    let before = &syntax.source.text[start..offset as usize];
    let is_first = before.iter().all(u8::is_ascii_whitespace);
    Location { file: shown.to_owned(), line, column: (!is_first).then_some(column) }
}
