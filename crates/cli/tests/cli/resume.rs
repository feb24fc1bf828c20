//! `--resume`: what an earlier run has said counts only if the task is still the same, and is never passed off as certified.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Finished, Folder, command, with_assertions};

const PROGRAM: &str = "#include \"limit.h\"\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                       int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3 && x <= LIMIT) { reach_error(); } return 0; }\n";

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(["check", "--no-exec"].iter().chain(words)))
        .output()
        .unwrap()
        .into()
}

/// A folder whose program is safe with the header of `inc`.
fn project(name: &str) -> Folder {
    let folder = Folder::new(name);
    fs::create_dir_all(folder.path().join("inc")).unwrap();
    folder.file("inc/limit.h", "#define LIMIT 3\n");
    folder.file("p.c", PROGRAM);
    folder
}

/// A table of a run that says safe, and what the next run makes of it after something has changed.
fn resumed(folder: &Folder, words: &[&str], change: impl FnOnce()) -> Finished {
    let first = check(folder, &[&["--csv", "t.csv", "p.c"], words].concat());
    assert_eq!(first.code, 0, "{first:?}");
    change();
    check(folder, &[&["--resume", "t.csv", "p.c"], words].concat())
}

/// A verdict of an earlier run has not got through.
fn expect_unsafe(finished: &Finished) {
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("1 task: 1 unsafe;"), "{}", finished.stdout);
}

/// Gives a file a time long ago.
fn age(path: &Path) {
    let status = Command::new("touch").args(["-d", "2001-01-01"]).arg(path).status().unwrap();
    assert!(status.success());
}

#[test]
fn another_compiler_of_the_second_judge_is_another_task() {
    let folder = project("resume-compiler");
    let with = |compiler: &str, words: &[&str]| -> Finished {
        let mut command = command();
        command
            .current_dir(folder.path())
            .env("CC", compiler)
            .args(["check", "--check", "none", "p.c", "-Iinc"])
            .args(words);
        command.output().unwrap().into()
    };
    let first = with("cc", &["--csv", "t.csv"]);
    assert_eq!(first.code, 0, "{first:?}");
    // The text is the same with both.
    for (compiler, code) in [("cc", 5), ("cc -O1", 0)] {
        fs::copy(folder.path().join("t.csv"), folder.path().join("u.csv")).unwrap();
        let next = with(compiler, &["--resume", "u.csv"]);
        assert_eq!(next.code, code, "{compiler} {next:?}");
    }
}

#[test]
fn what_is_the_same_is_kept_and_marked() {
    let folder = project("resume-same");
    let finished = resumed(&folder, &["-Iinc"], || {});
    assert_eq!(finished.code, 5, "{finished:?}");
    assert!(finished.stdout.contains("1 task: 1 not certified (1 safe);"), "{}", finished.stdout);
    assert!(finished.stdout.contains("earlier"), "{}", finished.stdout);
    assert!(finished.stderr.contains("not certified by this one"), "{}", finished.stderr);
    let table = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(table.lines().nth(1).unwrap().contains(",earlier,"), "{table}");
    // A third run keeps the mark.
    let again = check(&folder, &["--resume", "t.csv", "p.c", "-Iinc"]);
    assert_eq!(again.code, 5, "{again:?}");
}

#[test]
fn kept_evidence_is_certified_again() {
    let folder = project("resume-cache");
    let words = ["-Iinc", "--cache", "evidence"];
    let finished = resumed(&folder, &words, || {});
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.contains("1 task: 1 safe;"), "{}", finished.stdout);
    fs::remove_dir_all(folder.path().join("evidence")).unwrap();
    let finished = check(&folder, &[&["--resume", "t.csv", "p.c"], words.as_slice()].concat());
    assert_eq!(finished.code, 5, "{finished:?}");
}

#[test]
fn a_header_of_an_include_folder_counts() {
    let folder = project("resume-header");
    let finished = resumed(&folder, &["-Iinc"], || {
        age(&folder.file("inc/limit.h", "#define LIMIT 9\n"));
    });
    expect_unsafe(&finished);
}

#[test]
fn the_options_of_a_build_count() {
    let folder = project("resume-build");
    let build = |limit: u32| {
        let entry = serde_json::json!([{
            "directory": folder.path().display().to_string(),
            "file": "p.c",
            "command": format!("cc -Iinc{limit} -c p.c"),
        }]);
        age(&folder.file("compile_commands.json", entry.to_string()));
    };
    for limit in [3, 9] {
        fs::create_dir_all(folder.path().join(format!("inc{limit}"))).unwrap();
        age(&folder.file(&format!("inc{limit}/limit.h"), format!("#define LIMIT {limit}\n")));
    }
    build(3);
    let finished = resumed(&folder, &["-p", "compile_commands.json"], || build(9));
    expect_unsafe(&finished);
}

#[test]
fn an_older_file_in_the_place_of_the_program_counts() {
    let folder = project("resume-older");
    let finished = resumed(&folder, &["-Iinc"], || {
        age(&folder.file("other.c", PROGRAM.replace("LIMIT", "LIMIT + 5")));
        fs::rename(folder.path().join("other.c"), folder.path().join("p.c")).unwrap();
    });
    expect_unsafe(&finished);
}

#[test]
fn settings_that_are_gone_count() {
    let folder = project("resume-settings");
    folder.file("limit.h", "#ifndef LIMIT\n#define LIMIT 9\n#endif\n");
    let settings = folder.file("wayproof.toml", "defines = [\"LIMIT=3\"]\n");
    let finished = resumed(&folder, &[], || fs::remove_file(settings).unwrap());
    expect_unsafe(&finished);
}

#[test]
fn a_header_that_appears_beside_the_program_counts() {
    let folder = project("resume-beside");
    let finished = resumed(&folder, &["-Iinc"], || {
        age(&folder.file("limit.h", "#define LIMIT 9\n"));
    });
    expect_unsafe(&finished);
}

#[test]
fn a_row_by_hand_claims_nothing() {
    let folder = project("resume-forged");
    folder.file("inc/limit.h", "#define LIMIT 9\n");
    let words = ["p.c", "-Iinc"];
    let first = check(&folder, &[&["--csv", "t.csv"], words.as_slice()].concat());
    assert_eq!(first.code, 10, "{first:?}");
    let table = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    // With another key, or none, the row is not used.
    let cells: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
    let key = *cells.last().unwrap();
    assert_eq!(key.len(), 64, "{table}");
    for other in ["", &"0".repeat(64)] {
        folder.file("t.csv", table.replace(",unsafe,", ",safe,").replace(key, other));
        expect_unsafe(&check(&folder, &[&["--resume", "t.csv"], words.as_slice()].concat()));
    }
    // With the right key it certifies nothing, whatever it says about itself.
    folder.file("t.csv", table.replace(",unsafe,", ",safe,"));
    let finished = check(&folder, &[&["--resume", "t.csv"], words.as_slice()].concat());
    assert_eq!(finished.code, 5, "{finished:?}");
    assert!(finished.stdout.contains("1 task: 1 not certified (1 safe);"), "{}", finished.stdout);
}

#[test]
fn rows_that_a_run_does_not_get_to_are_not_lost() {
    let folder = project("resume-lost");
    folder.file("q.c", "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n");
    let first = check(&folder, &["--csv", "t.csv", "p.c", "q.c", "-Iinc"]);
    assert_eq!(first.code, 10, "{first:?}");
    let before = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    let mut command = command();
    command.current_dir(folder.path()).args([
        "check",
        "--check",
        "none",
        "--no-exec",
        "--jobs",
        "1",
        "-Iinc",
    ]);
    let mut child = command.args(["--resume", "t.csv", "p.c", "q.c"]).spawn().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let after = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert_eq!(before.lines().count(), after.lines().count(), "{after}");
}

#[test]
fn logs_of_the_earlier_run_stay() {
    let folder = project("resume-logs");
    let finished = resumed(&folder, &["-Iinc", "--logs", "logs"], || {});
    assert_eq!(finished.code, 5, "{finished:?}");
    let report = fs::read_to_string(folder.path().join("logs/p.c.txt")).unwrap();
    assert!(report.starts_with("SAFE"), "{report}");
}
