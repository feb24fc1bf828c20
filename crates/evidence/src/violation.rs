//! From a trace to the waypoints of a witness.
//!
//! Every value that a call returned becomes a `function_return`; the violation is the target. Values that no call returned (uninitialised
//! variables, parameters of the entry function) have no waypoint: a validator has to find them.

use std::collections::BTreeMap;

use base::{Region, SourceMap};
use cfa::interp::Chosen;
use cfa::{Source, Ty};
use witness::Trace;

use crate::format::{Location, Segment, Waypoint, WaypointKind};
use crate::syntax::{Range, Syntax};

/// More values than this make a witness that nobody can read or check; the rest is left to the validator.
const MAX_VALUES: usize = 20_000;

/// The segments of a trace through a text that the program's sources call `name`; nothing if the violation is not in that text.
pub fn segments(trace: &Trace, sources: &SourceMap, name: &str, syntax: &Syntax) -> Option<Vec<Segment>> {
    let here = |region: Region| {
        let file = sources.get(region.file).filter(|_| !region.is_nowhere())?;
        (&*file.name == name).then_some(())?;
        let end = syntax.offset(region.end_line, region.end_column.checked_sub(1)?)?;
        Some(Range { lo: syntax.offset(region.line, region.column)?, hi: end + 1 })
    };
    let calls: BTreeMap<Range, u32> = syntax.calls.iter().map(|call| (call.range, call.close)).collect();
    let choices = trace.choices.iter().take(MAX_VALUES);
    let mut segments: Vec<Segment> = choices
        .filter_map(|chosen| returned(chosen, *calls.get(&here(chosen.region)?)?, name, syntax))
        .collect();
    let violation = &trace.violation;
    // A violation inside a library function is one of the innermost call in the user's text.
    let calls = violation.stack.entries.iter().map(|entry| entry.called_at);
    let place = std::iter::once(violation.region).chain(calls).find_map(here)?;
    let statement = syntax.statement_around(place)?;
    segments.push(follow(WaypointKind::Target, location(name, syntax, statement.range.lo)));
    Some(segments)
}

fn returned(chosen: &Chosen, close: u32, name: &str, syntax: &Syntax) -> Option<Segment> {
    match chosen.source {
        Source::Input { .. } | Source::Extern { .. } => {}
        Source::Uninitialised | Source::Argument { .. } => return None,
    }
    let value = match chosen.value.ty {
        Ty::Int { width, .. } if width <= 64 => chosen.value.as_int().to_string(),
        Ty::Float(_) => chosen.value.to_string(),
        Ty::Int { .. } | Ty::Ptr => return None,
    };
    if !value.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return None;
    }
    let relation = ("==".to_owned(), value);
    let (line, column) = syntax.position(close);
    let location = Location { file: base_name(name), line, column: Some(column) };
    Some(follow(WaypointKind::FunctionReturn(Some(relation)), location))
}

fn follow(kind: WaypointKind, location: Location) -> Segment {
    Segment { avoid: Vec::new(), follow: Waypoint { kind, location } }
}

/// The place of a statement. Some validators want no column where it is not needed.
pub(crate) fn location(name: &str, syntax: &Syntax, offset: u32) -> Location {
    let (line, column) = syntax.position(offset);
    let start = syntax.source.line_start(line) as usize;
    let before = &syntax.source.text[start..offset as usize];
    let is_first = before.iter().all(u8::is_ascii_whitespace);
    Location { file: base_name(name), line, column: (!is_first).then_some(column) }
}

/// The name under which a witness knows a file.
pub fn base_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}
