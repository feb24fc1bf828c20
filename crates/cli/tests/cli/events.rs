//! `check --events`: the lines of a run.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Finished, Folder, plainly};

fn lines(text: &str) -> Vec<Value> {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["version"] == 1 && line["seconds"].is_number()), "{lines:?}");
    lines
}

fn names(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["event"].as_str().unwrap()).collect()
}

fn check(file: &str, events: &Path) -> Finished {
    plainly(["check", file, "--quiet", "--events", events.to_str().unwrap()])
}

#[test]
fn a_proof_is_told_from_the_start_to_the_verdict() {
    let folder = Folder::new("events-proof");
    let path = folder.path().join("events.jsonl");
    let finished = check("examples/door_lock.c", &path);
    assert_eq!(finished.stdout, "SAFE: 1 check holds\n");
    let lines = lines(&fs::read_to_string(&path).unwrap());
    let names = names(&lines);
    assert_eq!(names[..3], ["start", "program", "engine"]);
    for name in ["progress", "attempt", "check", "fact"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let last = lines.last().unwrap();
    assert_eq!((last["event"].as_str(), last["verdict"].as_str()), (Some("verdict"), Some("safe")));
    assert_eq!(last["exit_code"], 0);
    let check = lines.iter().find(|line| line["event"] == "check").unwrap();
    assert_eq!((check["state"].as_str(), check["location"]["line"].as_u64()), (Some("holds"), Some(34)));
}

#[test]
fn on_standard_output_they_take_the_place_of_the_report() {
    let finished = plainly(["check", "examples/off_by_one.c", "--events", "-", "--format", "json"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    let lines = lines(&finished.stdout);
    assert!(lines.iter().any(|line| line["event"] == "check" && line["state"] == "fails"), "{lines:?}");
    assert_eq!(lines.last().unwrap()["verdict"], "unsafe");
    assert_eq!(names(&lines).iter().filter(|name| **name == "verdict").count(), 1);
}

#[test]
fn two_runs_differ_in_their_seconds_only() {
    let folder = Folder::new("events-twice");
    let path = folder.path().join("events.jsonl");
    let mut told = Vec::new();
    for _ in 0..2 {
        // The second run replaces the lines of the first one.
        assert_eq!(check("examples/ring_buffer.c", &path).code, 0);
        let mut lines = lines(&fs::read_to_string(&path).unwrap());
        for line in &mut lines {
            line["seconds"] = Value::Null;
        }
        told.push(lines);
    }
    assert_eq!(told[0], told[1]);
}

#[test]
fn the_last_line_says_how_the_run_ended() {
    let folder = Folder::new("events-end");
    let path = folder.path().join("events.jsonl");
    let broken = folder.file("broken.c", "int main(void) { return x; }\n");
    assert_eq!(check(broken.to_str().unwrap(), &path).code, 2);
    let told = lines(&fs::read_to_string(&path).unwrap());
    assert_eq!(names(&told), ["start", "error"]);
    assert_eq!(told[1]["exit_code"], 2);
    let endless = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n unsigned x = __VERIFIER_nondet_int(), y = x * x * x;\n\
                   while (y != 7) { y = y * x + 3; x ^= y; }\n if (x == 12345) reach_error();\n return 0; }\n";
    let endless = folder.file("endless.c", endless);
    let words = ["check", endless.to_str().unwrap(), "--timeout", "0.3", "--events", path.to_str().unwrap()];
    assert_eq!(plainly(words).code, 5);
    let told = lines(&fs::read_to_string(&path).unwrap());
    assert_eq!(told.last().unwrap()["reason"]["code"], "timeout", "{told:?}");
}

#[test]
fn nothing_that_is_not_ours_is_replaced() {
    let folder = Folder::new("events-protect");
    let notes = folder.file("notes.txt", "mine\n");
    let refused = check("examples/door_lock.c", &notes);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("which is not a stream of events of this tool"), "{refused:?}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "mine\n");
    let program = folder.file("p.c", "int main(void) { return 0; }\n");
    assert_eq!(check(program.to_str().unwrap(), &program).code, 1);
    let list = plainly(["check", "examples/door_lock.c", "examples/gcd.c", "--events", "-"]);
    assert_eq!(list.code, 1, "{list:?}");
    assert!(list.stderr.contains("--events is for one task"), "{list:?}");
    let nowhere = check("examples/door_lock.c", &folder.path().join("none/events.jsonl"));
    assert_eq!(nowhere.code, 1, "{nowhere:?}");
}
