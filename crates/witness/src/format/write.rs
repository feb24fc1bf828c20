//! Writing witnesses. One witness, one stamp: one text.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::{
    Branch, Claims, Content, Contract, Invariant, InvariantKind, Location, Segment, Waypoint, WaypointKind,
    Witness, hexadecimal,
};

/// Who writes, and when.
#[derive(Clone, Copy, Debug)]
pub struct Stamp<'a> {
    /// Seconds since 1970, without leap seconds.
    pub seconds: u64,
    /// The version of this program.
    pub version: &'a str,
}

/// The text of a witness.
pub fn write(witness: &Witness, stamp: &Stamp<'_>) -> String {
    let name = match &witness.content {
        Content::Violation(_) => "violation_sequence",
        Content::Correctness(_) => "invariant_set",
    };
    let rest = format!("{}{}", metadata(witness, stamp), content(&witness.content));
    let (version, uuid) = (version(&witness.content), uuid(&rest));
    format!(
        "- entry_type: {name}\n  metadata:\n    format_version: \"{version}\"\n    uuid: \"{uuid}\"\n{rest}"
    )
}

/// Contracts need a newer version; more tools read the older one.
fn version(content: &Content) -> &'static str {
    match content {
        Content::Correctness(Claims { contracts, .. }) if !contracts.is_empty() => "2.1",
        Content::Violation(_) | Content::Correctness(_) => "2.0",
    }
}

fn metadata(witness: &Witness, stamp: &Stamp<'_>) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "    creation_time: \"{}\"", time(stamp.seconds));
    let _ =
        writeln!(text, "    producer:\n      name: \"Wayproof\"\n      version: {}", quoted(stamp.version));
    let _ = writeln!(text, "    task:\n      input_files:");
    for (file, _) in &witness.task.files {
        let _ = writeln!(text, "        - {}", quoted(file));
    }
    let _ = writeln!(text, "      input_file_hashes:");
    for (file, hash) in &witness.task.files {
        let _ = writeln!(text, "        {}: {}", quoted(file), quoted(hash));
    }
    let _ = writeln!(text, "      specification: {}", quoted(&witness.task.specification));
    let _ = writeln!(text, "      data_model: {}\n      language: C", witness.task.data_model);
    text
}

fn content(content: &Content) -> String {
    let mut text = String::from("  content:");
    match content {
        Content::Violation(segments) => {
            text.push('\n');
            for segment in segments {
                write_segment(&mut text, segment);
            }
        }
        Content::Correctness(claims) if claims.is_empty() => text.push_str(" []\n"),
        Content::Correctness(Claims { invariants, contracts }) => {
            text.push('\n');
            for invariant in invariants {
                write_invariant(&mut text, invariant);
            }
            for contract in contracts {
                write_contract(&mut text, contract);
            }
        }
    }
    text
}

fn write_invariant(text: &mut String, invariant: &Invariant) {
    let kind = match invariant.kind {
        InvariantKind::Loop => "loop_invariant",
        InvariantKind::Location => "location_invariant",
    };
    let _ = writeln!(text, "    - invariant:\n        type: {kind}");
    write_location(text, &invariant.location, "        ");
    let value = quoted(&invariant.value);
    let _ = writeln!(text, "        value: {value}\n        format: c_expression");
}

fn write_contract(text: &mut String, contract: &Contract) {
    text.push_str("    - contract:\n        type: function_contract\n");
    write_location(text, &contract.location, "        ");
    if let Some(function) = &contract.function {
        let _ = writeln!(text, "          function: {}", quoted(function));
    }
    let (requires, ensures) = (quoted(&contract.requires), quoted(&contract.ensures));
    let _ = writeln!(text, "        requires: {requires}\n        ensures: {ensures}");
    text.push_str("        format: ext_c_expression\n");
}

fn write_segment(text: &mut String, segment: &Segment) {
    text.push_str("    - segment:\n");
    for waypoint in &segment.avoid {
        write_waypoint(text, waypoint, "avoid");
    }
    write_waypoint(text, &segment.follow, "follow");
}

fn write_waypoint(text: &mut String, waypoint: &Waypoint, action: &str) {
    let c_expression = |value: &str| (quoted(value), Some("c_expression"));
    let (kind, constraint) = match &waypoint.kind {
        WaypointKind::Assumption(value) => ("assumption", Some(c_expression(value))),
        WaypointKind::Branching(Branch::Truth(value)) => ("branching", Some((format!("\"{value}\""), None))),
        WaypointKind::Branching(Branch::Case(value)) => ("branching", Some((format!("\"{value}\""), None))),
        WaypointKind::Branching(Branch::Default) => ("branching", Some(("\"default\"".to_owned(), None))),
        WaypointKind::FunctionEnter => ("function_enter", None),
        WaypointKind::FunctionReturn(None) => ("function_return", None),
        WaypointKind::FunctionReturn(Some((operator, value))) => {
            let value = quoted(&format!("\\result {operator} {value}"));
            ("function_return", Some((value, Some("acsl_expression"))))
        }
        WaypointKind::Target => ("target", None),
    };
    let _ = writeln!(text, "        - waypoint:\n            type: {kind}\n            action: {action}");
    if let Some((value, format)) = constraint {
        let _ = writeln!(text, "            constraint:\n              value: {value}");
        if let Some(format) = format {
            let _ = writeln!(text, "              format: {format}");
        }
    }
    write_location(text, &waypoint.location, "            ");
}

fn write_location(text: &mut String, location: &Location, indent: &str) {
    let _ = writeln!(text, "{indent}location:\n{indent}  file_name: {}", quoted(&location.file));
    let _ = writeln!(text, "{indent}  line: {}", location.line);
    if let Some(column) = location.column {
        let _ = writeln!(text, "{indent}  column: {column}");
    }
}

/// A YAML string in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            other if (other as u32) < 0x20 || other as u32 == 0x7f => {
                let _ = write!(quoted, "\\x{:02x}", other as u32);
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A UUID of version 8 (RFC 9562) made of the hash of what it names: the same text has the same one.
fn uuid(text: &str) -> String {
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&Sha256::digest(text.as_bytes())[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hexadecimal(&bytes);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// A time of the calendar in ISO 8601, in UTC.
pub fn time(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since 1970: years that start in March, so that leap days come last.
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(time(1_767_225_599), "2025-12-31T23:59:59Z");
        assert_eq!(time(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("\\result == \"\n\u{1}"), r#""\\result == \"\n\x01""#);
    }
}
