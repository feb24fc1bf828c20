//! Witnesses that are right, wrong, or made to deceive: hostile_witnesses.txt has them with what is known of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::support::{Folder, wayproof};

const CASES: &str = include_str!("hostile_witnesses.txt");

/// Start and end of a piece of a program: `text`, `text#2` for the second one, `text-1` without its last character.
fn piece(program: &str, wanted: &str) -> (usize, usize) {
    let (text, number) = match wanted.rsplit_once('#') {
        Some((text, number)) => (text, number.parse().unwrap()),
        None => (wanted, 1_usize),
    };
    let (text, cut) = text.strip_suffix("-1").map_or((text, 0), |text| (text, 1));
    let (start, _) = program.match_indices(text).nth(number - 1).unwrap_or_else(|| panic!("no `{wanted}`"));
    (start, start + text.len() - 1 - cut)
}

fn location(program: &str, offset: usize) -> String {
    let before = &program[..offset];
    let line = before.matches('\n').count() + 1;
    let column = offset - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    format!("{{file_name: p.c, line: {line}, column: {column}}}")
}

/// One claim, as an entry of a witness.
fn entry(program: &str, claim: &str) -> String {
    let (action, claim) = claim.strip_prefix("avoid ").map_or(("follow", claim), |rest| ("avoid", rest));
    let mut parts = claim.splitn(3, '"');
    let (kind, wanted, value) =
        (parts.next().unwrap().trim(), parts.next().unwrap(), parts.next().unwrap().trim());
    let (start, end) = piece(program, wanted);
    let quoted = format!("'{}'", value.replace('\'', "''"));
    let waypoint = |kind: &str, constraint: &str, at: usize| {
        let location = location(program, at);
        format!("      - waypoint: {{type: {kind}, action: {action}, {constraint}location: {location}}}\n")
    };
    match kind {
        "loop" | "location" => {
            let location = location(program, start);
            format!(
                "    - invariant: {{type: {kind}_invariant, location: {location}, value: {quoted}, format: c_expression}}\n"
            )
        }
        "contract" => {
            let (requires, ensures) = quoted.trim_matches('\'').split_once(" => ").unwrap();
            let location = location(program, start);
            format!(
                "    - contract: {{type: function_contract, location: {location}, requires: '{requires}', ensures: '{ensures}', format: ext_c_expression}}\n"
            )
        }
        "return" if value.is_empty() => waypoint("function_return", "", end),
        "return" => {
            let constraint = format!("constraint: {{value: '\\result {value}', format: acsl_expression}}, ");
            waypoint("function_return", &constraint, end)
        }
        "enter" => waypoint("function_enter", "", end),
        "branch" => waypoint("branching", &format!("constraint: {{value: {quoted}}}, "), start),
        "assume" => {
            waypoint("assumption", &format!("constraint: {{value: {quoted}, format: c_expression}}, "), start)
        }
        "target" => waypoint("target", "", start),
        other => panic!("{other}"),
    }
}

fn witness(program: &str, claims: &str) -> String {
    let is_violation = claims.contains("target \"");
    let mut content = String::new();
    let mut is_open = false;
    for claim in claims.lines().filter(|claim| !claim.is_empty()) {
        if is_violation && !is_open {
            content.push_str("    - segment:\n");
        }
        is_open = claim.starts_with("avoid ");
        content.push_str(&entry(program, claim));
    }
    let kind = if is_violation { "violation_sequence" } else { "invariant_set" };
    let version = if content.contains("- contract:") { "2.1" } else { "2.0" };
    let hash = witness::format::hash(program.as_bytes());
    format!(
        "- entry_type: {kind}
  metadata:
    format_version: \"{version}\"
    uuid: \"a45811e1-4e92-8829-9a5d-54599deb948b\"
    creation_time: \"2027-01-15T08:00:00Z\"
    producer: {{name: \"test\", version: \"1\"}}
    task:
      input_files: [\"p.c\"]
      input_file_hashes: {{\"p.c\": \"{hash}\"}}
      specification: \"G ! call(reach_error())\"
      data_model: LP64
      language: C
  content:
{content}"
    )
}

#[test]
fn no_witness_is_believed_that_is_not_right() {
    let folder = Folder::new("hostile");
    let mut programs: BTreeMap<&str, &str> = BTreeMap::new();
    let mut wrong = String::new();
    let cases: Vec<&str> = CASES.split("\n=== ").skip(1).collect();
    assert!(cases.len() > 130, "{}", cases.len());
    for case in cases {
        let (head, rest) = case.split_once('\n').unwrap();
        let (name, expected) = head.rsplit_once(": ").unwrap();
        let (program, claims) = rest.split_once("---\n").unwrap();
        let program = program.strip_prefix('@').map_or(program, |other| programs[other.trim_end()]);
        programs.insert(name, program);
        let file = folder.file("p.c", program);
        let yaml = folder.file("w.yml", witness(program, claims));
        let judged = wayproof([
            "validate".as_ref(),
            file.as_path(),
            "--witness".as_ref(),
            yaml.as_path(),
            "--timeout".as_ref(),
            "60".as_ref(),
        ]);
        let found = match judged.code {
            0 => "confirmed",
            10 => "refuted",
            5 => "unknown",
            2 => "malformed",
            _ => "something else",
        };
        let is_right =
            found == expected || expected == "not" && ["refuted", "unknown", "malformed"].contains(&found);
        if !is_right {
            let _ = writeln!(wrong, "{name}: {expected} expected, but {judged:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
