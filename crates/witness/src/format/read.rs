//! Reading witnesses, as strictly as the format allows.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_saphyr::{Location as Place, Spanned};

use super::{
    Branch, Claims, Content, Contract, Invariant, InvariantKind, Location, Segment, Task, Waypoint,
    WaypointKind, Witness, base_name,
};

/// Parts of a witness: about thirty for each waypoint.
const MAX_NODES: usize = 4_000_000;

/// Why a text is no witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// One sentence.
    pub message: String,
    /// Line and column; zero if there is no place.
    pub line: u32,
    /// See `line`.
    pub column: u32,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Malformed {
    fn new(message: impl Into<String>, place: Place) -> Self {
        Self { message: message.into(), line: place.line() as u32, column: place.column() as u32 }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    entry_type: Spanned<String>,
    metadata: RawMetadata,
    content: Spanned<Vec<RawItem>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMetadata {
    format_version: Spanned<String>,
    uuid: Spanned<String>,
    creation_time: Spanned<String>,
    #[serde(rename = "producer")]
    _producer: RawProducer,
    task: RawTask,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the fields are read to check that they are there and have the right types")]
struct RawProducer {
    name: String,
    version: String,
    configuration: Option<String>,
    command_line: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTask {
    input_files: Spanned<Vec<String>>,
    input_file_hashes: Spanned<BTreeMap<String, String>>,
    specification: String,
    data_model: Spanned<String>,
    language: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawItem {
    segment: Option<Spanned<Vec<RawStep>>>,
    invariant: Option<Spanned<RawInvariant>>,
    contract: Option<Spanned<RawContract>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    waypoint: Spanned<RawWaypoint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWaypoint {
    r#type: Spanned<String>,
    action: Spanned<String>,
    constraint: Option<Spanned<RawConstraint>>,
    location: RawLocation,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConstraint {
    value: Spanned<String>,
    format: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLocation {
    file_name: Spanned<String>,
    line: Spanned<u32>,
    column: Option<Spanned<u32>>,
    function: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawInvariant {
    r#type: Spanned<String>,
    location: RawLocation,
    value: Spanned<String>,
    format: Spanned<String>,
    labels: Option<Spanned<Vec<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawContract {
    r#type: Spanned<String>,
    location: RawLocation,
    requires: String,
    ensures: String,
    format: Spanned<String>,
    labels: Option<Spanned<Vec<String>>>,
}

/// Reads a witness.
pub fn read(text: &[u8]) -> Result<Witness, Malformed> {
    // A long trace is a long witness; aliases stay limited.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 4 * MAX_NODES },
    };
    let entries: Vec<RawEntry> = serde_saphyr::from_slice_with_options(text, options).map_err(|error| {
        let message = error.without_snippet().to_string();
        let first = message.lines().next().unwrap_or_default();
        // The place is told apart from the message.
        let first = first.split(" at line ").next().unwrap_or(first);
        let first = match first {
            "expected sequence start" => "a list is expected here; a witness starts with `- entry_type: `",
            "expected mapping start" => "keys with values are expected here",
            other => other,
        };
        Malformed::new(format!("not a witness: {first}"), error.location().unwrap_or(Place::UNKNOWN))
    })?;
    let mut entries = entries.into_iter();
    let Some(first) = entries.next() else {
        return Err(Malformed::new("the witness has no entry", Place::UNKNOWN));
    };
    let mut witness = entry(first)?;
    for other in entries {
        let place = other.entry_type.referenced;
        let other = entry(other)?;
        if other.task != witness.task {
            return Err(Malformed::new("the entries of the witness are about different tasks", place));
        }
        let (Content::Correctness(mine), Content::Correctness(theirs)) =
            (&mut witness.content, other.content)
        else {
            let message = "a witness has one violation_sequence, or any number of invariant_set";
            return Err(Malformed::new(message, place));
        };
        mine.invariants.extend(theirs.invariants);
        mine.contracts.extend(theirs.contracts);
    }
    Ok(witness)
}

fn entry(raw: RawEntry) -> Result<Witness, Malformed> {
    let version = raw.metadata.format_version.value.clone();
    let task = metadata(raw.metadata)?;
    let content = match raw.entry_type.value.as_str() {
        "violation_sequence" => {
            let segments = raw.content.value.into_iter().map(|item| match item {
                RawItem { segment: Some(steps), invariant: None, contract: None } => segment(steps, &task),
                _ => Err(Malformed::new("a violation_sequence consists of segments", raw.content.referenced)),
            });
            let segments = segments.collect::<Result<Vec<Segment>, _>>()?;
            check_target(&segments, raw.content.referenced)?;
            Content::Violation(segments)
        }
        "invariant_set" => {
            let mut claims = Claims::default();
            for item in raw.content.value {
                match item {
                    RawItem { segment: None, invariant: Some(invariant), contract: None } => {
                        claims.invariants.push(read_invariant(invariant, &task, &version)?);
                    }
                    RawItem { segment: None, invariant: None, contract: Some(contract) } => {
                        claims.contracts.push(read_contract(contract, &task, &version)?);
                    }
                    _ => {
                        let message = "an invariant_set consists of invariants and contracts";
                        return Err(Malformed::new(message, raw.content.referenced));
                    }
                }
            }
            Content::Correctness(claims)
        }
        other => {
            let message = format!(
                "entries of type `{other}` are not known; there are violation_sequence and invariant_set"
            );
            return Err(Malformed::new(message, raw.entry_type.referenced));
        }
    };
    Ok(Witness { task, content })
}

fn metadata(raw: RawMetadata) -> Result<Task, Malformed> {
    let known = |value: &Spanned<String>, allowed: &[&str], what: &str| {
        if allowed.contains(&value.value.as_str()) {
            return Ok(());
        }
        let message = format!("{what} is `{}`, it should be {}", value.value, allowed.join(" or "));
        Err(Malformed::new(message, value.referenced))
    };
    known(&raw.format_version, &["2.0", "2.1"], "format_version")?;
    known(&raw.task.data_model, &["ILP32", "LP64"], "data_model")?;
    known(&raw.task.language, &["C"], "language")?;
    if !is_uuid(&raw.uuid.value) {
        return Err(Malformed::new("uuid should be 32 hexadecimal digits, 8-4-4-4-12", raw.uuid.referenced));
    }
    if !is_time(&raw.creation_time.value) {
        let message = "creation_time should have the form 2026-11-15T13:13:07+01:00";
        return Err(Malformed::new(message, raw.creation_time.referenced));
    }
    let mut files = Vec::new();
    for file in &raw.task.input_files.value {
        let Some(hash) = raw.task.input_file_hashes.value.get(file) else {
            let message = format!("there is no hash of the input file `{file}`");
            return Err(Malformed::new(message, raw.task.input_file_hashes.referenced));
        };
        files.push((file.clone(), hash.clone()));
    }
    if files.is_empty() {
        return Err(Malformed::new("there is no input file", raw.task.input_files.referenced));
    }
    Ok(Task { files, specification: raw.task.specification, data_model: raw.task.data_model.value })
}

/// I1.
fn check_target(segments: &[Segment], place: Place) -> Result<(), Malformed> {
    let targets = segments.iter().filter(|segment| segment.follow.kind == WaypointKind::Target).count();
    let ends = segments.last().is_some_and(|segment| segment.follow.kind == WaypointKind::Target);
    let avoided = segments.iter().flat_map(|segment| &segment.avoid);
    if targets != 1 || !ends || avoided.into_iter().any(|waypoint| waypoint.kind == WaypointKind::Target) {
        return Err(Malformed::new("a violation_sequence ends with its only target", place));
    }
    Ok(())
}

fn segment(steps: Spanned<Vec<RawStep>>, task: &Task) -> Result<Segment, Malformed> {
    let place = steps.referenced;
    let mut avoid = Vec::new();
    let mut follow = None;
    for step in steps.value {
        if follow.is_some() {
            return Err(Malformed::new("a segment ends with its only `follow`", place));
        }
        let action = step.waypoint.value.action.clone();
        let waypoint = read_waypoint(step.waypoint, task)?;
        match action.value.as_str() {
            "avoid" => avoid.push(waypoint),
            "follow" => follow = Some(waypoint),
            other => {
                let message = format!("action is `{other}`, it should be follow or avoid");
                return Err(Malformed::new(message, action.referenced));
            }
        }
    }
    match follow {
        Some(follow) => Ok(Segment { avoid, follow }),
        None => Err(Malformed::new("a segment ends with its only `follow`", place)),
    }
}

fn read_waypoint(raw: Spanned<RawWaypoint>, task: &Task) -> Result<Waypoint, Malformed> {
    let place = raw.referenced;
    let raw = raw.value;
    let constraint = raw.constraint.as_ref();
    let format = |constraint: &Spanned<RawConstraint>, wanted: &str| match &constraint.value.format {
        Some(format) if format.value != wanted => {
            let message = format!("the format is `{}`, it should be {wanted}", format.value);
            Err(Malformed::new(message, format.referenced))
        }
        _ => Ok(()),
    };
    let no_constraint = |kind: WaypointKind| match constraint {
        None => Ok(kind),
        Some(constraint) => {
            let message = format!("a {} has no constraint", raw.r#type.value);
            Err(Malformed::new(message, constraint.referenced))
        }
    };
    let kind = match (raw.r#type.value.as_str(), constraint) {
        ("assumption", Some(constraint)) => {
            format(constraint, "c_expression")?;
            WaypointKind::Assumption(constraint.value.value.value.clone())
        }
        ("branching", Some(constraint)) => WaypointKind::Branching(branch(&constraint.value.value)?),
        ("assumption" | "branching", None) => {
            return Err(Malformed::new("the waypoint needs a constraint", place));
        }
        ("function_return", None) => WaypointKind::FunctionReturn(None),
        ("function_return", Some(constraint)) => {
            format(constraint, "acsl_expression")?;
            WaypointKind::FunctionReturn(Some(result_relation(&constraint.value.value)?))
        }
        ("function_enter", _) => no_constraint(WaypointKind::FunctionEnter)?,
        ("target", _) => no_constraint(WaypointKind::Target)?,
        (other, _) => {
            let message = format!("waypoints of type `{other}` are not known");
            return Err(Malformed::new(message, raw.r#type.referenced));
        }
    };
    Ok(Waypoint { kind, location: read_location(&raw.location, task)? })
}

fn branch(value: &Spanned<String>) -> Result<Branch, Malformed> {
    match value.value.trim() {
        "true" => Ok(Branch::Truth(true)),
        "false" => Ok(Branch::Truth(false)),
        "default" => Ok(Branch::Default),
        other => other.parse().map(Branch::Case).map_err(|_| {
            let message =
                format!("the value of a branching is true, false, a number or default, not `{other}`");
            Malformed::new(message, value.referenced)
        }),
    }
}

/// `\result`, an operator, a constant.
fn result_relation(value: &Spanned<String>) -> Result<(String, String), Malformed> {
    let wrong = || {
        let message = "the constraint of a function_return has the form `\\result == 5`";
        Malformed::new(message, value.referenced)
    };
    let rest = value.value.trim().strip_prefix("\\result").ok_or_else(wrong)?.trim_start();
    let operator = ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|operator| rest.starts_with(operator));
    let operator = operator.ok_or_else(wrong)?;
    let constant = rest[operator.len()..].trim();
    let constant =
        constant.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(constant).trim();
    if is_constant(constant) { Ok((operator.to_owned(), constant.to_owned())) } else { Err(wrong()) }
}

/// A number as C writes it, with a sign.
fn is_constant(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).trim_start();
    digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character))
        && !digits.contains(['_'])
        && !has_sign_inside(digits)
}

/// Signs belong after an exponent only.
fn has_sign_inside(digits: &str) -> bool {
    let bytes = digits.as_bytes();
    (0..bytes.len()).any(|at| {
        matches!(bytes[at], b'+' | b'-') && !(at > 0 && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P'))
    })
}

fn read_location(raw: &RawLocation, task: &Task) -> Result<Location, Malformed> {
    let file = &raw.file_name.value;
    if !task.files.iter().any(|(name, _)| base_name(name) == base_name(file)) {
        let message = format!("`{file}` is none of the input files");
        return Err(Malformed::new(message, raw.file_name.referenced));
    }
    if raw.line.value == 0 {
        return Err(Malformed::new("lines count from 1", raw.line.referenced));
    }
    if let Some(column) = &raw.column
        && column.value == 0
    {
        return Err(Malformed::new("columns count from 1", column.referenced));
    }
    let column = raw.column.as_ref().map(|column| column.value);
    Ok(Location { file: file.clone(), line: raw.line.value, column })
}

fn read_invariant(raw: Spanned<RawInvariant>, task: &Task, version: &str) -> Result<Invariant, Malformed> {
    let raw = raw.value;
    check_labels(raw.labels.as_ref(), version)?;
    let kind = match raw.r#type.value.as_str() {
        "loop_invariant" => InvariantKind::Loop,
        "location_invariant" => InvariantKind::Location,
        other => {
            let message = format!("invariants of type `{other}` are not known");
            return Err(Malformed::new(message, raw.r#type.referenced));
        }
    };
    if raw.format.value != "c_expression" {
        let message = format!("the format is `{}`, it should be c_expression", raw.format.value);
        return Err(Malformed::new(message, raw.format.referenced));
    }
    Ok(Invariant { location: read_location(&raw.location, task)?, kind, value: raw.value.value })
}

fn read_contract(raw: Spanned<RawContract>, task: &Task, version: &str) -> Result<Contract, Malformed> {
    let place = raw.referenced;
    let raw = raw.value;
    if version == "2.0" {
        return Err(Malformed::new("format_version 2.0 has no contracts; 2.1 has", place));
    }
    if raw.r#type.value != "function_contract" {
        let message = format!("contracts of type `{}` are not known", raw.r#type.value);
        return Err(Malformed::new(message, raw.r#type.referenced));
    }
    // What is an expression of C is one of the larger language.
    if !["ext_c_expression", "c_expression"].contains(&raw.format.value.as_str()) {
        let message = format!("the format is `{}`, it should be ext_c_expression", raw.format.value);
        return Err(Malformed::new(message, raw.format.referenced));
    }
    check_labels(raw.labels.as_ref(), version)?;
    let location = read_location(&raw.location, task)?;
    Ok(Contract { location, function: raw.location.function, requires: raw.requires, ensures: raw.ensures })
}

/// Labels claim more than that something holds, and are not judged.
fn check_labels(labels: Option<&Spanned<Vec<String>>>, version: &str) -> Result<(), Malformed> {
    let Some(labels) = labels else { return Ok(()) };
    if version == "2.0" {
        return Err(Malformed::new("format_version 2.0 has no labels; 2.1 has", labels.referenced));
    }
    match labels.value.iter().find(|label| *label != "inductive") {
        None => Ok(()),
        Some(label) => {
            let message = format!("the label `{label}` is not known; there is `inductive`");
            Err(Malformed::new(message, labels.referenced))
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.chars().all(|digit| digit.is_ascii_hexdigit()))
}

/// `YYYY-MM-DDThh:mm:ss`, a fraction or not, and a zone.
fn is_time(text: &str) -> bool {
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let bytes = text.as_bytes();
    let fits = |byte: u8, wanted: u8| if wanted == b'd' { byte.is_ascii_digit() } else { byte == wanted };
    if bytes.len() <= shape.len() || !bytes.iter().zip(shape).all(|(byte, wanted)| fits(*byte, *wanted)) {
        return false;
    }
    let rest = text[shape.len()..].strip_prefix('.').map_or(&text[shape.len()..], |fraction| {
        fraction.trim_start_matches(|digit: char| digit.is_ascii_digit())
    });
    let zone = rest.as_bytes();
    rest == "Z"
        || (matches!(zone.first(), Some(b'+' | b'-'))
            && zone[1..].iter().all(|byte| byte.is_ascii_digit() || *byte == b':')
            && matches!(zone.len(), 5 | 6))
}
