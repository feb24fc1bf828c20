//! Nothing is removed or written over that a command reads, or that is no result of this tool.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{Finished, Folder, command, with_assertions};

const PROGRAM: &str = "#include \"inc.h\"\nextern void reach_error(void);\nint main(void) { if (N > 3) { reach_error(); } return 0; }\n";
const HEADER: &str = "#define N 9\n";

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(["check", "--no-exec"].iter().chain(words)))
        .output()
        .unwrap()
        .into()
}

fn project(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("inc.h", HEADER);
    folder.file("c.c", PROGRAM);
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every way to write a file, with `FILE` in the place of its name.
const WAYS: [[&str; 2]; 11] = [
    ["--report", "FILE"],
    ["--output", "json=FILE"],
    ["--output", "sarif=FILE"],
    ["--output", "human=FILE"],
    ["--output", "svcomp=FILE"],
    ["--output", "github=FILE"],
    ["--output", "annotate=FILE"],
    ["--profile", "FILE"],
    ["--witness", "FILE"],
    ["--harness", "FILE"],
    ["--tree", "FILE"],
];

#[test]
fn headers_settings_and_other_names_of_inputs_stay() {
    let folder = project("protect-inputs");
    fs::create_dir_all(folder.path().join("far")).unwrap();
    folder.file("far/far.h", "#define FAR 1\n");
    folder.file("inc.h", format!("{HEADER}#include <far.h>\n"));
    folder.file("wayproof.toml", "timeout = 20\n");
    symlink("inc.h", folder.path().join("link.txt")).unwrap();
    fs::hard_link(folder.path().join("c.c"), folder.path().join("hard.txt")).unwrap();
    for name in ["inc.h", "far/far.h", "wayproof.toml", "link.txt", "hard.txt"] {
        let before = read(&folder, name);
        for way in WAYS {
            let option = way[1].replace("FILE", name);
            let finished = check(&folder, &["c.c", "-Ifar", way[0], &option]);
            assert_eq!(finished.code, 1, "{way:?} {name}: {finished:?}");
            assert!(finished.stderr.contains("would write over"), "{way:?} {name}: {}", finished.stderr);
            assert_eq!(read(&folder, name), before, "{way:?} {name}");
        }
    }
    assert_eq!(check(&folder, &["c.c", "-Ifar"]).code, 10);
}

#[test]
fn results_that_have_become_inputs_stay() {
    let folder = project("protect-results");
    // The annotated header is a result, and the program includes it now.
    folder.file("inc.h", format!("// wayproof: SAFE: it holds\n{HEADER}"));
    let before = read(&folder, "inc.h");
    let finished = check(&folder, &["c.c", "--output", "annotate=inc.h"]);
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(finished.stderr.contains("which is an input"), "{}", finished.stderr);
    assert_eq!(read(&folder, "inc.h"), before);
    // The same if the program cannot be compiled, or the property is not supported.
    folder.file("c.c", PROGRAM.replace("return 0;", "return y;"));
    assert_eq!(check(&folder, &["c.c", "--output", "annotate=inc.h"]).code, 2);
    assert_eq!(read(&folder, "inc.h"), before);
    folder.file("p.prp", "CHECK( init(main()), LTL(F end) )\n");
    assert_eq!(check(&folder, &["c.c", "--property", "p.prp", "--output", "annotate=inc.h"]).code, 5);
    assert_eq!(read(&folder, "inc.h"), before);
    // An empty header is part of the program, too.
    folder.file("inc.h", "");
    folder.file("c.c", PROGRAM.replace("N > 3", "1"));
    for way in WAYS {
        let finished = check(&folder, &["c.c", way[0], &way[1].replace("FILE", "inc.h")]);
        assert_eq!(finished.code, 1, "{way:?}: {finished:?}");
        assert_eq!(read(&folder, "inc.h"), "", "{way:?}");
    }
}

#[test]
fn empty_files_that_a_build_names_stay() {
    let folder = project("protect-empty");
    folder.file("macros", "");
    let entry = serde_json::json!([{
        "directory": folder.path().display().to_string(), "file": "c.c", "command": "cc -imacros macros -c c.c",
    }]);
    folder.file("compile_commands.json", entry.to_string());
    for way in WAYS {
        let finished = check(&folder, &["c.c", "-p", ".", way[0], &way[1].replace("FILE", "macros")]);
        assert_eq!(finished.code, 1, "{way:?}: {finished:?}");
        assert_eq!(read(&folder, "macros"), "", "{way:?}");
    }
    // One that is not part of the program is as good as none.
    folder.file("empty", "");
    assert_eq!(check(&folder, &["c.c", "--output", "json=empty"]).code, 10);
    assert!(read(&folder, "empty").contains("wayproof-report"));
}

#[test]
fn a_program_that_includes_an_old_harness_keeps_it() {
    let folder = project("protect-harness");
    assert_eq!(check(&folder, &["c.c", "--harness", "h.c"]).code, 10);
    let harness = read(&folder, "h.c");
    folder.file("outer.c", "#include \"h.c\"\n");
    let finished = check(&folder, &["outer.c", "--harness", "h.c"]);
    assert_ne!(finished.code, 0, "{finished:?}");
    assert_eq!(read(&folder, "h.c"), harness);
    // The same if it is a program of the build that the settings name.
    let here = folder.path().display().to_string();
    let entry = serde_json::json!([{"directory": here, "file": "h.c", "command": "cc -c h.c"}]);
    folder.file("compile_commands.json", entry.to_string());
    folder.file("wayproof.toml", "compile-commands = \".\"\n");
    assert_ne!(check(&folder, &["--harness", "h.c"]).code, 0);
    assert_eq!(read(&folder, "h.c"), harness);
    fs::remove_file(folder.path().join("wayproof.toml")).unwrap();
    // Otherwise it is replaced.
    assert_eq!(check(&folder, &["c.c", "--harness", "h.c"]).code, 10);
}

#[test]
fn what_is_no_result_stays_and_what_is_one_is_replaced() {
    let folder = project("protect-others");
    for way in WAYS {
        let option = way[1].replace("FILE", "notes.txt");
        folder.file("notes.txt", "my notes\n");
        let finished = check(&folder, &["c.c", way[0], &option]);
        assert_eq!(finished.code, 1, "{way:?}: {finished:?}");
        assert!(finished.stderr.contains("which is not a"), "{way:?}: {}", finished.stderr);
        assert_eq!(read(&folder, "notes.txt"), "my notes\n", "{way:?}");
        fs::remove_file(folder.path().join("notes.txt")).unwrap();
        for _ in 0..2 {
            let finished = check(&folder, &["c.c", way[0], &option]);
            assert_eq!(finished.code, 10, "{way:?}: {finished:?}");
        }
        let _ = fs::remove_file(folder.path().join("notes.txt"));
    }
    fs::create_dir_all(folder.path().join("t")).unwrap();
    folder.file("t/test-1.xml", "<testcase coversError=\"true\">\n");
    assert_eq!(check(&folder, &["c.c", "--testcase", "t"]).code, 1);
    fs::remove_file(folder.path().join("t/test-1.xml")).unwrap();
    for _ in 0..2 {
        assert_eq!(check(&folder, &["c.c", "--testcase", "t"]).code, 10);
    }
    let twice = check(&folder, &["c.c", "--report", "r.html", "--output", "json=./r.html"]);
    assert!(twice.code == 1 && twice.stderr.contains("two options"), "{twice:?}");
}

#[test]
fn a_table_replaces_tables_only() {
    let folder = project("protect-table");
    folder.file("a.c", "int main(void) { return 0; }\n");
    folder.file("b.c", "int main(void) { return 0; }\n");
    folder.file("list", "b.c\n");
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let task = "format_version: '2.0'\ninput_files: 'b.c'\nproperties:\n  - property_file: p.prp\n";
    folder.file("t.yml", task);
    for words in [
        ["--csv", "a.c", "b.c"].as_slice(),
        &["a.c", "--csv", "a.c"],
        &["c.c", "--csv", "inc.h"],
        &["@list", "--csv", "list"],
        &["t.yml", "--csv", "t.yml"],
        &["t.yml", "--csv", "p.prp"],
        &["t.yml", "--csv", "b.c"],
        &["b.c", "--property", "p.prp", "--csv", "p.prp"],
        &["b.c", "--logs", "b.c"],
    ] {
        let names = ["a.c", "b.c", "inc.h", "list", "p.prp", "t.yml"];
        let before = names.map(|name| read(&folder, name));
        let finished = check(&folder, words);
        assert_eq!(finished.code, 1, "{words:?}: {finished:?}");
        assert_eq!(names.map(|name| read(&folder, name)), before, "{words:?}");
    }
    for text in ["", "task,verdict,expected,agrees,seconds,reason,message,version,options\n"] {
        folder.file("inc.h", text);
        assert_eq!(check(&folder, &["c.c", "--csv", "inc.h"]).code, 1);
        assert_eq!(read(&folder, "inc.h"), text);
    }
    for _ in 0..2 {
        assert_eq!(check(&folder, &["b.c", "--csv", "t.csv"]).code, 0);
    }
    let table = read(&folder, "t.csv");
    let since = check(&folder, &["b.c", "--csv", "t.csv", "--since", "t.csv"]);
    assert!(since.code == 1 && since.stderr.contains("which is an input"), "{since:?}");
    assert_eq!(read(&folder, "t.csv"), table);
    // Logs take no names that are somebody else's.
    folder.file("b.c.json", "{}\n");
    let logs = check(&folder, &["b.c", "--logs", "."]);
    assert!(logs.code == 1 && logs.stderr.contains("b.c.json"), "{logs:?}");
    assert_eq!(read(&folder, "b.c.json"), "{}\n");
}

#[test]
fn a_log_of_queries_that_is_not_complete_is_an_error() {
    let folder = Folder::new("protect-queries");
    let program = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                   int main(void) { int n = __VERIFIER_nondet_int(); int i = 0; while (i < n) { i++; } \
                   if (n > 0 && i != n) { reach_error(); } return 0; }\n";
    folder.file("c.c", program);
    // No file may become larger than nothing: every query fails to be written.
    let script = "ulimit -f 0; trap '' XFSZ; exec \"$0\" check --check none c.c --no-exec --log-queries q";
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(folder.path()).args(["-c", script, env!("CARGO_BIN_EXE_wayproof")]);
    let finished = Finished::from(shell.output().unwrap());
    assert_eq!(finished.code, 6, "{finished:?}");
    assert!(finished.stdout.starts_with("SAFE"), "{}", finished.stdout);
    assert!(finished.stderr.contains("not all queries are in the log"), "{}", finished.stderr);
}
