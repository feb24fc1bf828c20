//! Executable counterexamples, and reports in files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{Finished, Folder, command, wayproof};

const COUNT: &str = "extern int __VERIFIER_nondet_int(void);
extern float __VERIFIER_nondet_float();
extern char __VERIFIER_nondet_char(void);
extern void notify(int, const char *);
void reach_error(void) { }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += __VERIFIER_nondet_int();
    }
    notify(sum, \"x\");
    if (sum == 42 && undeclared()) reach_error();
    return 10;
}
";

fn has_compiler() -> bool {
    Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_harness_runs_into_the_violation() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new("harness");
    let program = folder.file("count.c", COUNT);
    let harness = folder.path().join("out.c");
    let finished = wayproof(["check".as_ref(), program.as_path(), "--harness".as_ref(), harness.as_path()]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("checked: compiled and executed"), "{}", finished.stdout);
    let binary = folder.path().join("out");
    let built = Command::new("cc").args(["-w", "-o"]).arg(&binary).arg(&harness).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&binary).output().unwrap();
    assert_eq!(ran.status.code(), Some(10));
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "wayproof: the property is violated\n");
}

#[test]
fn a_compiler_that_fails_or_is_missing_changes_no_verdict() {
    let folder = Folder::new("compiler");
    let program = folder.file("bug.c", "void reach_error(void);\nint main(void) { reach_error(); }\n");
    let failing = folder.file("fails", "#!/bin/sh\necho error: not today >&2\nexit 1\n");
    fs::set_permissions(&failing, fs::Permissions::from_mode(0o755)).unwrap();
    for (compiler, words) in [
        ("false", "not confirmed by the compiled program: the C compiler refuses the harness"),
        ("/nowhere/cc", "not confirmed by the compiled program: there is no C compiler"),
        ("true", "not confirmed by the compiled program: the C compiler `true` produces no program"),
        // A name with a folder is that of the caller, wherever the compiler works.
        (
            "./fails",
            "not confirmed by the compiled program: the C compiler refuses the harness: error: not today",
        ),
        ("./gone", "not confirmed by the compiled program: there is no C compiler `./gone`"),
    ] {
        let mut command = command();
        let output = command
            .current_dir(folder.path())
            .env("CC", compiler)
            .args(["check", "--check", "none"])
            .arg(&program)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(10), "{compiler}: {text}");
        assert!(text.contains(words), "{compiler}: {text}");
    }
    let quiet = command()
        .env("CC", "false")
        .args(["check", "--check", "none", "--no-exec"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(!String::from_utf8(quiet.stdout).unwrap().contains("compiled"));
}

#[test]
fn values_that_no_harness_can_force_are_named() {
    let folder = Folder::new("unforced");
    let text = "void reach_error(void);\nint main(void) { int x; if (x == 77) reach_error(); }\n";
    let program = folder.file("unset.c", text);
    let harness = folder.path().join("out.c");
    let finished = wayproof(["check".as_ref(), program.as_path(), "--harness".as_ref(), harness.as_path()]);
    if finished.code == 10 {
        assert!(
            finished.stdout.contains("a harness cannot set the values of uninitialised variables"),
            "{finished:?}"
        );
        assert!(!harness.exists());
    }
}

#[test]
fn overflows_are_confirmed_by_the_compilers_own_check() {
    let folder = Folder::new("overflow");
    let program = folder.file("sum.c", "int main(void) { int x = 2147483647; x = x + 1; return 0; }\n");
    let program = program.display().to_string();
    let finished = wayproof(["check", &program, "--signed-overflow", "error", "--engine", "explicit"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("checked: compiled and executed"), "{}", finished.stdout);
}

#[test]
fn an_overflow_that_the_compiler_does_not_see_is_neither_vetoed_nor_confirmed() {
    if !has_compiler() {
        return;
    }
    // The comparison is simplified to one of x. The program prints what a report looks like.
    let folder = Folder::new("unseen");
    let program = folder.file(
        "unseen.c",
        "#include <stdio.h>\nextern int __VERIFIER_nondet_int(void);\n\
         int main(void) { int x = __VERIFIER_nondet_int();\n\
         fputs(\"unseen.c:1:1: runtime error: signed integer overflow\\n\", stderr);\n\
         if (x + 1 < 10) return 1; return 2; }\n",
    );
    let program = program.display().to_string();
    let finished = wayproof(["check", &program, "--signed-overflow", "error"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("the sanitizer reports nothing"), "{}", finished.stdout);
}

#[test]
fn one_run_writes_several_reports() {
    let folder = Folder::new("outputs");
    let program = folder.file("count.c", COUNT);
    let file = |name: &str| folder.path().join(name);
    let arguments = [
        "check".to_owned(),
        program.display().to_string(),
        "--no-exec".to_owned(),
        "--output".to_owned(),
        format!("json={}", file("a.json").display()),
        "--output".to_owned(),
        format!("SARIF={}", file("a.sarif").display()),
        "--output".to_owned(),
        format!("github={}", file("a.txt").display()),
        "--testcase".to_owned(),
        file("tests").display().to_string(),
    ];
    let finished = wayproof(arguments);
    assert_eq!(finished.code, 10, "{finished:?}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(file("a.json")).unwrap()).unwrap();
    assert_eq!(json["verdict"], "unsafe");
    assert!(json["ledger"].is_array());
    let sarif: serde_json::Value = serde_json::from_slice(&fs::read(file("a.sarif")).unwrap()).unwrap();
    check_sarif(&sarif);
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unreach-call");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 12);
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(flow.as_array().unwrap().len() >= 4, "{flow}");
    assert!(sarif["runs"][0]["properties"]["restsOn"].as_array().unwrap().len() >= 2);
    let github = fs::read_to_string(file("a.txt")).unwrap();
    assert!(github.starts_with("::error file="), "{github}");
    assert!(github.contains(",line=12,") && github.contains("%0Athis rests on:"), "{github}");
    let test = fs::read_to_string(file("tests/test-1.xml")).unwrap();
    assert_eq!(test.matches("<input variable=\"__VERIFIER_nondet_int\" type=\"int\">").count(), 3, "{test}");
    assert!(file("tests/metadata.xml").exists());
    // Nothing half-written is left behind.
    let names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
}

/// The shape that SARIF 2.1.0 demands.
fn check_sarif(document: &serde_json::Value) {
    assert_eq!(document["version"], "2.1.0");
    for run in document["runs"].as_array().unwrap() {
        assert!(run["tool"]["driver"]["name"].is_string());
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
        for result in run["results"].as_array().unwrap() {
            assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
            assert!(result["message"]["text"].is_string());
            assert!(result["partialFingerprints"].is_object());
            for location in result["locations"].as_array().unwrap() {
                let region = &location["physicalLocation"]["region"];
                assert!(region["startLine"].as_u64().unwrap() >= 1);
                assert!(location["physicalLocation"]["artifactLocation"]["uri"].is_string());
            }
        }
    }
}

#[test]
fn formats_say_the_same_of_safe_unknown_and_broken_programs() {
    let folder = Folder::new("formats");
    let safe = folder.file("safe.c", "int main(void) { return 0; }\n");
    let broken = folder.file("broken.c", "int main(void) { return }\n");
    let sarif = wayproof(["check".as_ref(), safe.as_path(), "--format".as_ref(), "sarif".as_ref()]);
    let document: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
    check_sarif(&document);
    assert_eq!(document["runs"][0]["properties"]["verdict"], "safe");
    assert!(document["runs"][0]["results"].as_array().unwrap().is_empty());
    let sarif = wayproof(["check".as_ref(), broken.as_path(), "--format".as_ref(), "sarif".as_ref()]);
    let document: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
    assert_eq!(document["runs"][0]["invocations"][0]["executionSuccessful"], false);
    let github = wayproof(["check".as_ref(), safe.as_path(), "--format".as_ref(), "github".as_ref()]);
    assert!(github.stdout.starts_with("::notice title=Wayproof::SAFE"), "{}", github.stdout);
    let github = wayproof(["check".as_ref(), broken.as_path(), "--format".as_ref(), "github".as_ref()]);
    assert!(github.stdout.starts_with("::error file="), "{}", github.stdout);
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let folder = Folder::new("unwritable");
    let program = folder.file("safe.c", "int main(void) { return 0; }\n");
    // Before the search where that can be known.
    for option in ["--witness=/nowhere/w.yml", "--output=json=/nowhere/a.json", "--events=/nowhere/e.jsonl"] {
        let finished = wayproof(["check", &program.display().to_string(), option]);
        assert_eq!((finished.code, &*finished.stdout), (1, ""), "{option}: {finished:?}");
        assert!(
            finished.stderr.contains("the folder `/nowhere`, which does not exist"),
            "{}",
            finished.stderr
        );
    }
    let finished = wayproof(["check", &program.display().to_string(), "--report=/tmp"]);
    assert_eq!((finished.code, &*finished.stdout), (1, ""), "{finished:?}");
    assert!(finished.stderr.contains("--report would write to `/tmp`, which is a folder"), "{finished:?}");
    for option in ["--output=json", "--output=json=", "--output=xml=a"] {
        assert_eq!(wayproof(["check", &program.display().to_string(), option]).code, 1, "{option}");
    }
    let full = wayproof(["check", &program.display().to_string(), "--output=json=/dev/full"]);
    assert_eq!(full.code, 6, "{full:?}");
    assert!(full.stdout.contains("SAFE: nothing to check"), "the verdict is known: {full:?}");
    assert!(full.stderr.contains("cannot write the result: `/dev/full`"), "{full:?}");
}

#[test]
fn a_function_of_the_library_that_the_program_defines_is_no_builtin_of_the_harness() {
    let folder = Folder::new("harness-builtin");
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                int abs(int x) { return x < 0 ? 1 - x : x; }\n\
                int main(void) {\n    int v = __VERIFIER_nondet_int();\n    \
                if (v < 0 && v > -1000 && abs(v) == 8) reach_error();\n    return 0;\n}\n";
    let program = folder.file("a.c", text);
    let finished = wayproof(["check", program.to_str().unwrap()]);
    assert_eq!(finished.code, 10, "{finished:?}");
    if Command::new("cc").arg("--version").output().is_ok() {
        assert!(finished.stdout.contains("checked: compiled and executed"), "{}", finished.stdout);
    }
}

#[test]
fn arguments_of_main_are_inputs_and_the_harness_passes_them() {
    if !has_compiler() {
        return;
    }
    let folder = Folder::new("harness-arguments");
    let start = "#include <stdlib.h>\n#include <string.h>\nvoid reach_error(void) { }\n\
                 int main(int count, char *words[]) {\n";
    for (name, body) in [
        ("missing", "return words[1][0];"),
        (
            "number",
            "int a[4] = { 0 }; if (count != 2) return 1; int i = atoi(words[1]); if (i < 4) return a[i];",
        ),
        ("option", "if (count > 2 && strcmp(words[2], \"-x\") == 0 && words[1][0] == 0) reach_error();"),
        ("end of a string", "if (count > 1 && words[1][0]) return words[1][2];"),
        ("end of the vector", "if (count == 3) return words[4] != 0;"),
        ("signs", "if (count > 1 && words[1][0] == (char)0xe4) reach_error();"),
    ] {
        let program = folder.file("a.c", format!("{start}{body}\nreturn 0;\n}}\n"));
        let harness = folder.path().join("out.c");
        let mut command = command();
        let run = command.arg("check").arg(&program).args(["--check", "all", "--harness"]).arg(&harness);
        let finished: Finished = run.output().unwrap().into();
        assert_eq!(finished.code, 10, "{name}: {finished:?}");
        if name.starts_with("end") {
            // Strings and vector are not objects of their own for the compiler's checks.
            assert!(finished.stdout.contains("access outside the object"), "{name}: {}", finished.stdout);
        } else {
            let confirmed = "checked: compiled and executed";
            assert!(finished.stdout.contains(confirmed), "{name}: {}", finished.stdout);
        }
    }
}

#[test]
fn what_few_arguments_do_not_show_is_not_claimed() {
    let folder = Folder::new("many-arguments");
    let text = "#include <assert.h>\nint main(int argc, char **argv) {\n    \
                int n = 0;\n    while (argv[n]) n++;\n    if (argc > 9)\n        n = 9;\n    assert(n < 6);\n    return 0;\n}\n";
    let mut command = command();
    let run = command.args(["check", "--check", "all"]).arg(folder.file("a.c", text));
    let finished: Finished = run.output().unwrap().into();
    assert_eq!(finished.code, 5, "{finished:?}");
    let reason = "the program is started with at most 3 arguments of at most 7 characters";
    assert!(finished.stdout.contains(reason), "{}", finished.stdout);
    assert!(!finished.stdout.contains("never executed"), "{}", finished.stdout);
}
