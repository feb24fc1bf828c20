//! Witnesses of programs of several files: what `check` writes, `validate` confirms, and what is wrong it does not.

use std::fs;

use crate::support::{Finished, Folder, command, with_assertions};

const FIRST: &str = "extern int __VERIFIER_nondet_int(void);
void finish(int);
static int state = 5;
int main(void) {
    int y = __VERIFIER_nondet_int();
    if (y > 100 && y < 103 && state == 5) finish(y);
    return 0;
}
";
const SECOND: &str = "#include <assert.h>
#include \"shared.h\"
extern int __VERIFIER_nondet_int(void);
static int state = 1;
void finish(int y) {
    int z = __VERIFIER_nondet_int();
    assert(y + z != SUM || state != 1);
}
";

const SAFE_FIRST: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int total(int n);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000) return 0;
    int i = 0, s = 0;
    while (i < n) { i = i + 1; s = s + 2; }
    if (s != total(n)) reach_error();
    return 0;
}
";
const SAFE_SECOND: &str = "static int step = 2;
int total(int n) {
    int k = 0, t = 0;
    while (k < n) {
        k++;
        t += step;
    }
    return t;
}
";

fn run(folder: &Folder, words: &[&str]) -> Finished {
    command().current_dir(folder.path()).args(with_assertions(words)).output().unwrap().into()
}

/// The judgement on a witness in which each of some words is replaced by another.
fn changed(folder: &Folder, files: &[&str], changes: &[(&str, &str)]) -> Finished {
    let mut text = fs::read_to_string(folder.path().join("w.yml")).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from} is not in {text}");
        text = text.replacen(from, to, 1);
    }
    folder.file("mutant.yml", text);
    let mut words = vec!["validate", "--witness", "mutant.yml", "--timeout", "20"];
    words.extend(files);
    run(folder, &words)
}

fn violation(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("first.c", FIRST);
    folder.file("second.c", SECOND);
    folder.file("shared.h", "#define SUM 150\n");
    let words = ["check", "--program", "first.c", "second.c", "--no-exec", "--witness", "w.yml"];
    let finished = run(&folder, &words);
    assert_eq!(finished.code, 10, "{finished:?}");
    folder
}

#[test]
fn a_violation_through_two_files_is_confirmed_and_changes_of_it_are_not() {
    let folder = violation("program-violation");
    for files in [
        ["first.c", "second.c"].as_slice(),
        &["second.c", "first.c"],
        &["--program", "first.c", "./second.c"],
    ] {
        let judged = changed(&folder, files, &[]);
        let expected = "CONFIRMED: the stated values lead to the violation\n";
        assert_eq!((judged.code, judged.stdout.as_str()), (0, expected), "{files:?}: {judged:?}");
    }
    let files = ["first.c", "second.c"];
    for (changes, code) in [
        ([("== 101", "== 100")], 10),
        ([("== 49", "== 50")], 10),
        ([("== 101", "!= 101")], 10),
        ([("file_name: \"first.c\"", "file_name: \"second.c\"")], 2),
        ([("file_name: \"first.c\"", "file_name: \"third.c\"")], 2),
        ([("line: 7", "line: 6")], 10),
        ([("line: 7", "line: 8")], 2),
        ([("G ! call(reach_error())", "G ! call(finish())")], 2),
        ([("G ! call(reach_error())", "G valid-free")], 10),
        ([("G ! call(reach_error())", "F end")], 2),
        ([("- \"first.c\"", "- \"third.c\"")], 2),
    ] {
        let judged = changed(&folder, &files, &changes);
        assert_eq!(judged.code, code, "{changes:?}: {judged:?}");
    }
    // What the witness knows the files by is its own affair.
    let text = fs::read_to_string(folder.path().join("w.yml")).unwrap();
    folder.file("w.yml", text.replace("first.c", "/old/a.c").replace("second.c", "b/a.c"));
    assert_eq!(changed(&folder, &files, &[]).code, 0);
    let judged = changed(&folder, &files, &[("file_name: \"b/a.c\"", "file_name: \"a.c\"")]);
    assert_eq!(judged.code, 2, "{judged:?}");
    folder.file("second.c", SECOND.replace("!= 1)", "!= 2)"));
    let judged = changed(&folder, &files, &[]);
    assert!(judged.code == 2 && judged.stderr.contains("for another program"), "{judged:?}");
}

#[test]
fn invariants_in_two_files_are_confirmed_and_false_ones_are_refuted() {
    let folder = Folder::new("program-invariants");
    folder.file("first.c", SAFE_FIRST);
    folder.file("second.c", SAFE_SECOND);
    let task = "format_version: '2.0'\ninput_files: ['first.c', 'second.c']\nproperties:\n  - property_file: p.prp\n    expected_verdict: true\noptions:\n  language: C\n  data_model: LP64\n";
    folder.file("task.yml", task);
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let finished = run(&folder, &["check", "task.yml", "--witness", "w.yml"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    let text = fs::read_to_string(folder.path().join("w.yml")).unwrap();
    for name in ["first.c", "second.c"] {
        assert!(text.contains(&format!("file_name: \"{name}\"")), "{text}");
    }
    assert_eq!(changed(&folder, &["task.yml"], &[]).code, 0);
    let files = ["first.c", "second.c"];
    assert_eq!(changed(&folder, &files, &[]).code, 0);
    let values: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("value:")).collect();
    let judge = |first: &str, second: &str| {
        let value = |text: &str| format!("        value: \"{text}\"");
        let (first, second) = (value(first), value(second));
        changed(&folder, &files, &[(values[0], first.as_str()), (values[1], second.as_str())])
    };
    let judged =
        judge("s == 2 * i && i <= n && n <= 1000", "t == step * k && k <= n && step == 2 && n <= 1000");
    assert_eq!(judged.code, 0, "{judged:?}");
    let judged = judge("s == 2 * i", "t == k");
    assert_eq!(judged.code, 10, "{judged:?}");
    assert!(judged.stdout.contains("makes an invariant false at second.c:4"), "{judged:?}");
    assert_eq!(judge("s == i", "t == 2 * k").code, 10);
    // Names of one file do not exist in the other.
    for (first, second) in [("step == 2", "1"), ("1", "s == 2"), ("1", "reach_error()"), ("1", "t++")] {
        let judged = judge(first, second);
        assert_eq!(judged.code, 2, "{first}, {second}: {judged:?}");
    }
}

#[test]
fn an_overflow_counts_at_its_statement_of_its_file() {
    let folder = Folder::new("program-overflow");
    let first = "int next(int);\nint main(void) {\n\n    return next(2147483647);\n}\n";
    folder.file("first.c", first);
    folder.file("second.c", "int next(int x) {\n    int y = x / 2;\n\n    return x + y - y + 1;\n}\n");
    folder.file("o.prp", "CHECK( init(main()), LTL(G ! overflow) )\n");
    let words = [
        "check",
        "--program",
        "first.c",
        "second.c",
        "--no-exec",
        "--property",
        "o.prp",
        "--witness",
        "w.yml",
    ];
    let finished = run(&folder, &words);
    assert_eq!(finished.code, 10, "{finished:?}");
    let files = ["first.c", "second.c", "--property", "o.prp"];
    assert_eq!(changed(&folder, &files, &[]).code, 0);
    let target = "file_name: \"second.c\"\n              line: 4";
    for to in
        ["file_name: \"first.c\"\n              line: 4", "file_name: \"second.c\"\n              line: 2"]
    {
        let judged = changed(&folder, &files, &[(target, to)]);
        assert_ne!(judged.code, 0, "{to}: {judged:?}");
    }
}

#[test]
fn a_build_is_the_program_of_its_witness() {
    let folder = violation("program-build");
    let here = folder.path().display().to_string();
    let entry = |file: &str, option: &str| serde_json::json!({"directory": here, "file": file, "arguments": ["cc", option, "-c", file]});
    let commands = serde_json::json!([entry("first.c", "-DONE"), entry("second.c", "-DTWO")]);
    folder.file("compile_commands.json", commands.to_string());
    let words = ["check", "-p", ".", "--program", "--no-exec", "--witness", "w.yml"];
    assert_eq!(run(&folder, &words).code, 10);
    for (words, code) in [
        (["-p", ".", "--program"].as_slice(), 0),
        (&["-p", ".", "first.c", "second.c"], 0),
        // The file with the main alone is another program.
        (&["-p", "."], 2),
        (&["-p", ".", "first.c", "third.c"], 1),
    ] {
        let judged = changed(&folder, words, &[]);
        assert_eq!(judged.code, code, "{words:?}: {judged:?}");
    }
    let judged = changed(&folder, &["-p", ".", "--program"], &[("== 49", "== 48")]);
    assert_eq!(judged.code, 10, "{judged:?}");
}
