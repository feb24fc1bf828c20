//! `check` on many tasks.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Folder, command, wayproof};

const SAFE: &str = "int main(void) { return 0; }\n";
const UNSAFE: &str = "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";
/// One execution, which never ends: the engine that executes programs never ends either.
const ENDLESS: &str = "extern void reach_error(void);\nint main(void) { unsigned x = 0; unsigned y = 1; while (y) { x++; y = x | 1; } \
                       reach_error(); return 0; }\n";

/// The task, verdict and reason columns of a table.
fn table(text: &str) -> Vec<(String, String, String)> {
    let rows = text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    rows.map(|cells| (name(&cells[0]), cells[1].clone(), cells[5].clone())).collect()
}

fn row(task: &str, verdict: &str, reason: &str) -> (String, String, String) {
    (task.to_owned(), verdict.to_owned(), reason.to_owned())
}

#[test]
fn each_task_of_a_folder_has_a_row_and_none_ends_the_others() {
    let folder = Folder::new("batch-folder");
    folder.file("a.c", UNSAFE);
    folder.file("b.c", "int main(void) { return }\n");
    folder.file("c.c", SAFE);
    folder.file("d.c", ENDLESS);
    let (csv, logs) = (folder.path().join("t.csv"), folder.path().join("logs"));
    let finished = command()
        .args([
            "check",
            "--check",
            "none",
            "--jobs",
            "2",
            "--engine",
            "explicit",
            "--timeout",
            "1",
            "--no-exec",
            "--csv",
        ])
        .arg(&csv)
        .arg("--logs")
        .arg(&logs)
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(finished.status.code(), Some(10));
    let expected = [
        row("a.c", "unsafe", ""),
        row("b.c", "error", "input"),
        row("c.c", "safe", ""),
        row("d.c", "unknown", "timeout"),
    ];
    assert_eq!(table(&fs::read_to_string(&csv).unwrap()), expected);
    let output = String::from_utf8(finished.stdout).unwrap();
    assert!(output.contains("4 tasks: 1 safe, 1 unsafe, 1 unknown, 1 error; "), "{output}");
    // Three files of each task, but the report of the one that cannot be read is in its JSON only.
    assert_eq!(
        fs::read_dir(&logs)
            .unwrap()
            .filter(|e| e.as_ref().unwrap().path().extension().unwrap() == "json")
            .count(),
        4
    );
}

#[test]
fn a_verdict_that_contradicts_its_definition_is_flagged() {
    let folder = Folder::new("batch-wrong");
    folder.file("a.c", SAFE);
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let text = "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - property_file: p.prp\n    expected_verdict: false\n";
    folder.file("t.yml", text);
    let finished = wayproof(["check", folder.path().to_str().unwrap()]);
    assert_eq!(finished.code, 0);
    assert!(finished.stdout.contains("1 task: 1 safe, 1 WRONG;"), "{}", finished.stdout);
}

#[test]
fn a_task_over_its_memory_ends_alone() {
    let folder = Folder::new("batch-memory");
    let (endless, safe) = (folder.file("a.c", ENDLESS), folder.file("b.c", SAFE));
    let csv = folder.path().join("t.csv");
    let words =
        ["check", "--memory", "2", "--engine", "explicit", "--timeout", "20", "--csv", csv.to_str().unwrap()];
    let paths = [endless.to_str().unwrap(), safe.to_str().unwrap()];
    let finished = wayproof(words.iter().chain(&paths));
    assert_eq!(finished.code, 5);
    assert_eq!(table(&fs::read_to_string(&csv).unwrap())[0], row("a.c", "unknown", "memory-limit"));
}

#[test]
fn what_an_interrupted_run_has_done_is_not_done_again() {
    let folder = Folder::new("batch-resume");
    folder.file("a.c", SAFE);
    folder.file("b.c", ENDLESS);
    let csv = folder.path().join("t.csv");
    let child = command()
        .args(["check", "--check", "none", "--jobs", "1", "--engine", "explicit", "--resume"])
        .args([csv.as_path(), folder.path()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let start = Instant::now();
    let killed =
        std::process::Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let finished = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(finished.status.code(), Some(5));
    assert_eq!(table(&fs::read_to_string(&csv).unwrap()), [row("a.c", "safe", "")]);
    folder.file("b.c", UNSAFE);
    let (table_file, tasks) = (csv.to_str().unwrap(), folder.path().to_str().unwrap());
    let resume = || wayproof(["check", "--engine", "explicit", "--resume", table_file, tasks]);
    let finished = resume();
    assert_eq!(finished.code, 10);
    assert!(finished.stdout.contains("1 unsafe, 1 not certified (1 safe)"), "{}", finished.stdout);
    assert!(finished.stdout.contains("1 from an earlier run"), "{}", finished.stdout);
    // A verdict about a file that has changed since is worth nothing.
    folder.file("a.c", UNSAFE);
    let finished = resume();
    assert!(finished.stdout.contains("1 unsafe, 1 not certified (1 unsafe)"), "{}", finished.stdout);
    let words = ["check", "-DX", "--resume", csv.to_str().unwrap(), folder.path().to_str().unwrap()];
    let finished = wayproof(words);
    assert_eq!(finished.code, 1);
    assert!(finished.stderr.contains("not by"), "{}", finished.stderr);
}

#[test]
fn several_files_are_one_program_only_if_the_user_says_so() {
    let folder = Folder::new("batch-program");
    let one = folder.file("one.c", "int f(void);\nextern void reach_error(void);\nint main(void) { if (f() == 3) reach_error(); return 0; }\n");
    let two = folder.file("two.c", "int f(void) { return 3; }\n");
    let paths = [one.to_str().unwrap(), two.to_str().unwrap()];
    assert_eq!(wayproof(["check", "--program", paths[0], paths[1]]).code, 10);
    let finished = wayproof(["check", paths[0], paths[1]]);
    assert!(finished.stdout.contains("2 tasks: "), "{}", finished.stdout);
}

#[test]
fn a_table_that_cannot_be_written_is_noticed_before_the_work() {
    let folder = Folder::new("batch-unwritable");
    let path = folder.file("a.c", SAFE);
    let finished = wayproof(["check", "--csv", "/nonexistent/t.csv", path.to_str().unwrap()]);
    assert_eq!((finished.code, finished.stdout.as_str()), (1, ""));
    assert!(finished.stderr.contains("the folder `/nonexistent`, which does not exist"), "{finished:?}");
}
