//! `wayproof.toml`.

use crate::support::{Finished, Folder, wayproof};

const PROGRAM: &str = "#define DIRECTIVE\nextern void reach_error(void);\nint main(void) { if (sizeof(long) == N) reach_error(); return 0; }\n";

fn check(folder: &Folder, more: &[&str]) -> Finished {
    let path = folder.file("a.c", PROGRAM);
    wayproof([&["check", path.to_str().unwrap(), "--no-exec"], more].concat())
}

#[test]
fn settings_are_defaults_and_the_command_line_wins() {
    let folder = Folder::new("settings-defaults");
    folder.file("wayproof.toml", "data-model = \"ILP32\"\ndefines = [\"N=4\"]\nformat = \"svcomp\"\n");
    let finished = check(&folder, &[]);
    assert_eq!(finished.code, 10);
    assert!(finished.stdout.ends_with("RESULT: false(unreach-call)\n"), "{}", finished.stdout);
    assert_eq!(check(&folder, &["--data-model", "LP64"]).code, 0);
    assert!(check(&folder, &["--format", "human"]).stdout.starts_with("UNSAFE"));
    assert_eq!(check(&folder, &["--no-settings", "-DN=8"]).code, 10);
    // In a list each task has the settings of its own folder.
    let list = wayproof(["check", folder.path().to_str().unwrap()]);
    assert_eq!(list.code, 10);
}

#[test]
fn what_is_not_understood_is_an_error_with_its_line() {
    let folder = Folder::new("settings-errors");
    folder.file("wayproof.toml", "# mine\ndata-modle = \"ILP32\"\n");
    let finished = check(&folder, &["-DN=4"]);
    assert_eq!(finished.code, 1);
    assert!(finished.stderr.contains("wayproof.toml:2:1"), "{}", finished.stderr);
    assert!(finished.stderr.contains("did you mean `data-model`?"), "{}", finished.stderr);
    assert_eq!(check(&folder, &["-DN=4", "--no-settings"]).code, 0);
}

#[test]
fn broken_settings_have_a_result_in_the_wanted_format() {
    let folder = Folder::new("settings-result");
    folder.file("wayproof.toml", "timeot = 3\n");
    let file = folder.file("a.c", "int main(void) { return 0; }\n");
    let file = file.to_str().unwrap();
    let svcomp = wayproof(["check", "--format", "svcomp", file]);
    assert_eq!((svcomp.code, svcomp.stdout.as_str()), (1, "RESULT: unknown\n"), "{svcomp:?}");
    let json = wayproof(["check", "--format", "json", file]);
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, report["verdict"].as_str()), (1, Some("error")));
    assert_eq!(report["diagnostics"][0]["location"]["line"], 1);
}
