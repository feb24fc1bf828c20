//! `wayproof.toml`.

use crate::support::{Finished, Folder, command, wayproof, with_assertions};

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

#[test]
fn the_build_may_stand_in_the_settings() {
    let folder = Folder::new("settings-build");
    std::fs::create_dir_all(folder.path().join("out")).unwrap();
    let here = folder.path().display().to_string();
    let entry = |file: &str| serde_json::json!({"directory": here, "file": file, "command": format!("cc -DN=8 -c {file}")});
    let commands = serde_json::json!([entry("a.c"), entry("b.c")]);
    folder.file("out/compile_commands.json", commands.to_string());
    folder.file("wayproof.toml", "compile-commands = \"out\"\n");
    folder.file("a.c", PROGRAM);
    folder.file("b.c", "int unused(void) { return N; }\n");
    folder.file("c.c", PROGRAM);
    let run = |words: &[&str]| -> Finished {
        command().current_dir(folder.path()).args(with_assertions(words)).output().unwrap().into()
    };
    for words in [["check", "a.c"].as_slice(), &["check"], &["check", "--program"]] {
        let finished = run(&[words, &["--no-exec", "--witness", "w.yml"]].concat());
        assert_eq!(finished.code, 10, "{words:?}: {finished:?}");
        let validate: Vec<&str> = std::iter::once("validate").chain(words[1..].iter().copied()).collect();
        let judged = run(&[validate.as_slice(), &["--witness", "w.yml"]].concat());
        assert_eq!(judged.code, 0, "{validate:?}: {judged:?}");
    }
    let outside = run(&["check", "c.c"]);
    assert_eq!(outside.code, 1, "{outside:?}");
    assert!(outside.stderr.contains("has no entry for `c.c`"), "{}", outside.stderr);
    assert_eq!(run(&["check", "c.c", "--no-settings", "-DN=4"]).code, 0);
    for words in [["check", "--no-settings"].as_slice(), &["validate", "--no-settings", "--witness", "w.yml"]]
    {
        let finished = run(words);
        assert_eq!(finished.code, 1, "{words:?}: {finished:?}");
        assert!(finished.stderr.starts_with("error: no file is given"), "{}", finished.stderr);
    }
    folder.file("wayproof.toml", "compile-commands = \"gone\"\n");
    let gone = run(&["check"]);
    assert_eq!(gone.code, 1, "{gone:?}");
    assert!(gone.stderr.contains("gone"), "{}", gone.stderr);
    folder.file("wayproof.toml", "compile-commands = 3\n");
    let wrong = run(&["check", "a.c"]);
    assert!(
        wrong.code == 1 && wrong.stderr.contains("expected the name of a compile_commands.json"),
        "{wrong:?}"
    );
}

#[test]
fn settings_write_nowhere_but_in_their_own_folder() {
    let outer = Folder::new("settings-outside");
    let folder = outer.path().join("repository");
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    std::fs::create_dir_all(outer.path().join("outside")).unwrap();
    std::os::unix::fs::symlink("../outside", folder.join("link")).unwrap();
    std::os::unix::fs::symlink("../gone", folder.join("dangling")).unwrap();
    outer.file(
        "repository/a.c",
        "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n",
    );
    let run = |more: &[&str]| -> Finished {
        let words = [&["check", "a.c", "--no-exec"], more].concat();
        command().current_dir(&folder).args(with_assertions(words)).output().unwrap().into()
    };
    let outside = outer.path().join("elsewhere").display().to_string();
    for cache in ["../outside", &outside, "link", "link/new", "dangling", "new/../../outside", "deep/../.."] {
        outer.file("repository/wayproof.toml", format!("cache = \"{cache}\"\n"));
        let finished = run(&[]);
        assert_eq!(finished.code, 1, "{cache}: {finished:?}");
        assert!(
            finished.stderr.contains("names a cache outside of its folder"),
            "{cache}: {}",
            finished.stderr
        );
        assert!(finished.stderr.contains("--trust-settings"), "{cache}: {}", finished.stderr);
        assert_eq!(run(&["--no-settings"]).code, 10);
        let listed = run(&["--memory", "4096"]);
        assert_eq!(listed.code, 2, "{cache}: {listed:?}");
        assert_eq!(std::fs::read_dir(outer.path().join("outside")).unwrap().count(), 0, "{cache}");
        assert_eq!(std::fs::read_dir(outer.path()).unwrap().count(), 2, "{cache}");
    }
    outer.file("repository/wayproof.toml", "cache = \"../outside\"\n");
    assert_eq!(run(&["--trust-settings"]).code, 10);
    assert_eq!(std::fs::read_dir(outer.path().join("outside")).unwrap().count(), 1);
    for cache in ["proofs", "./deep", "other/proofs/of/all"] {
        outer.file("repository/wayproof.toml", format!("cache = \"{cache}\"\n"));
        assert_eq!(run(&[]).code, 10, "{cache}");
        assert_eq!(std::fs::read_dir(folder.join(cache)).unwrap().count(), 1, "{cache}");
    }
}
