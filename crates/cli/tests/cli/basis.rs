//! A report says what shaped the program that it is about, and when there was nothing to check.

use serde_json::Value;

use crate::support::{Finished, Folder, command, with_assertions};

const CHECKED: &str = "#ifdef NDEBUG\n#define CHECK(c)\n#else\n#define CHECK(c) if (!(c)) { reach_error(); }\n#endif\n\
                       extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                       int main(void) { int x = __VERIFIER_nondet_int(); CHECK(x != 7) return 0; }\n";

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(["check", "--no-exec"].iter().chain(words)))
        .output()
        .unwrap()
        .into()
}

fn json(folder: &Folder, words: &[&str]) -> Value {
    serde_json::from_str(&check(folder, &[words, &["--format", "json"]].concat()).stdout).unwrap()
}

#[test]
fn settings_and_macros_are_in_every_report() {
    let folder = Folder::new("basis-settings");
    folder.file("a.c", CHECKED);
    assert_eq!(check(&folder, &["a.c"]).code, 10);
    folder.file(
        "wayproof.toml",
        "defines = [\"NDEBUG\"]\ndata-model = \"ILP32\"\nsigned-overflow = \"wrap\"\n",
    );
    let line = "macro NDEBUG is defined (wayproof.toml)";
    let finished = check(&folder, &["a.c", "-DX=3", "-UY"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.starts_with("SAFE: nothing to check\n"), "{}", finished.stdout);
    for part in [
        line,
        "macro X=3 is defined (command line)",
        "macro Y is undefined (command line)",
        "data model ILP32 (wayproof.toml)",
        "signed overflow wraps around (wayproof.toml)",
    ] {
        assert!(finished.stdout.contains(&format!("\n  {part}\n")), "{part}: {}", finished.stdout);
    }
    let report = json(&folder, &["a.c"]);
    let entry = serde_json::json!({"kind": "option", "what": line});
    assert!(report["ledger"].as_array().unwrap().contains(&entry), "{report}");
    for format in ["sarif", "github", "svcomp"] {
        let finished = check(&folder, &["a.c", "--format", format]);
        assert!(finished.stdout.contains(line), "{format}: {}", finished.stdout);
    }
    let plain = check(&folder, &["a.c", "--no-settings"]);
    assert!(!plain.stdout.contains("wayproof.toml"), "{}", plain.stdout);
}

#[test]
fn the_build_and_the_start_are_in_the_report() {
    let folder = Folder::new("basis-build");
    folder.file(
        "a.c",
        "extern void reach_error(void);\nint f(int x) { if (x == N) { reach_error(); } return 0; }\n",
    );
    let entry = serde_json::json!([{
        "directory": folder.path().display().to_string(), "file": "a.c", "command": "cc -DN=3 -c a.c",
    }]);
    folder.file("compile_commands.json", entry.to_string());
    let words = ["a.c", "-p", ".", "--entry", "f", "--entry-globals", "initial"];
    let finished = check(&folder, &words);
    assert_eq!(finished.code, 10, "{finished:?}");
    for part in ["options of `a.c`: -DN=3", "execution starts in f", "--entry-globals initial"] {
        assert!(finished.stdout.contains(part), "{part}: {}", finished.stdout);
    }
}

#[test]
fn a_property_about_a_function_that_does_not_exist_is_an_error() {
    let folder = Folder::new("basis-property");
    folder.file("a.c", "void fail(void) {}\n/* flail */\nint main(void) { fail(); return 0; }\n");
    folder
        .file("b.c", "#define CALL(x) x##il()\nvoid fail(void) {}\nint main(void) { CALL(fa); return 0; }\n");
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(flail())) )\n");
    for file in ["a.c", "b.c"] {
        let finished = check(&folder, &[file, "--property", "p.prp"]);
        assert_eq!(finished.code, 1, "{finished:?}");
        assert!(
            finished.stderr.contains("calls of `flail`, and the program has no such function"),
            "{finished:?}"
        );
    }
    let listed = check(&folder, &["a.c", "b.c", "--property", "p.prp"]);
    assert_eq!(listed.code, 2, "{listed:?}");
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(fail())) )\n");
    for file in ["a.c", "b.c"] {
        assert_eq!(check(&folder, &[file, "--property", "p.prp"]).code, 10, "{file}");
    }
    // Tasks without any call of the standard function exist, and have nothing to check.
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let finished = check(&folder, &["a.c", "--property", "p.prp"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.starts_with("SAFE: nothing to check\n"), "{}", finished.stdout);
}

#[test]
fn a_verdict_that_rests_on_nothing_says_so() {
    let folder = Folder::new("basis-idle");
    let idle =
        "extern void reach_error(void);\nvoid never(void) { reach_error(); }\nint main(void) { return 0; }\n";
    folder.file("idle.c", idle);
    folder.file("busy.c", idle.replace("return 0;", "if (0 > sizeof(int)) never(); return 0;"));
    let finished = check(&folder, &["idle.c"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(
        finished.stdout.starts_with("SAFE: nothing to check\nthe reachable code has no call of reach_error"),
        "{}",
        finished.stdout
    );
    assert!(finished.stdout.contains("write `assert(CONDITION);`"), "{}", finished.stdout);
    assert_eq!(json(&folder, &["idle.c"])["nothing_to_check"], true);
    let svcomp = check(&folder, &["idle.c", "--format", "svcomp"]);
    assert!(svcomp.stdout.ends_with("RESULT: true\n"), "{}", svcomp.stdout);
    let list = check(&folder, &["idle.c", "--memory", "4096"]);
    assert!(list.stdout.contains("nothing to check"), "{}", list.stdout);
    // Overflow is something to check, too.
    folder.file("sum.c", "int main(int argc, char **argv) { return argc + 1; }\n");
    let sum = check(&folder, &["sum.c", "--signed-overflow", "error"]);
    assert!(!sum.stdout.contains("nothing to check"), "{}", sum.stdout);
}

#[test]
fn the_ledger_names_functions_that_are_called_without_a_declaration() {
    let folder = Folder::new("basis-implicit");
    let text = "extern void reach_error(void);\nextern int declared();\n\
                int unused(void) { return never(); }\n\
                int main(void) {\n    int x = unknown(1);\n    x = x + later(2);\n    x = declared();\n    return abs(x) < 0;\n}\n\
                int later(int y) { return y; }\n";
    folder.file("a.c", text);
    let report = json(&folder, &["a.c"]);
    assert_eq!(report["verdict"], "safe", "{report}");
    let lines: Vec<(String, u64)> = report["ledger"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["what"].as_str().is_some_and(|what| what.contains("without a declaration")))
        .map(|entry| {
            assert_eq!(entry["kind"], "assumption", "{entry}");
            (
                entry["what"].as_str().unwrap().to_owned(),
                entry["location"]["line"].as_u64().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            (
                "`unknown` is called without a declaration: a function that returns `int` is assumed"
                    .to_owned(),
                5
            ),
            ("`later` is called without a declaration: its definition is assumed".to_owned(), 6),
            (
                "`abs` is called without a declaration: its declaration in the C library is assumed"
                    .to_owned(),
                8
            ),
        ]
    );
}

#[test]
fn the_ledger_names_the_undefined_behaviour_that_may_end_executions() {
    let folder = Folder::new("basis-undefined");
    let program = |body: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {{ int x = __VERIFIER_nondet_int(); \
             unsigned y = x; {body} if (y > 5 && y < 4) {{ reach_error(); }} return 0; }}\n"
        )
    };
    for (body, kinds) in [
        ("", None),
        ("x = x + 1;", Some("signed overflow")),
        ("y = 7 / y;", Some("division by zero")),
        ("x = x % y; x = x << x;", Some("division by zero, shift out of range")),
        ("int a[4]; if (x > 0) { a[x] = 1; }", Some("access out of bounds")),
    ] {
        folder.file("a.c", program(body));
        let report = json(&folder, &["a.c"]);
        assert_eq!(report["verdict"], "safe", "{body}: {report}");
        let line = kinds.map(|kinds| format!("undefined behaviour ends an execution: {kinds}"));
        let whats: Vec<&str> =
            report["ledger"].as_array().unwrap().iter().filter_map(|entry| entry["what"].as_str()).collect();
        let found = whats.iter().find(|what| what.starts_with("undefined behaviour")).copied();
        assert_eq!(found, line.as_deref(), "{body}");
        let human = check(&folder, &["a.c"]).stdout;
        assert_eq!(human.contains("undefined behaviour ends"), kinds.is_some(), "{human}");
    }
}

#[test]
fn the_declared_type_of_an_input_decides_about_its_values() {
    let folder = Folder::new("basis-input");
    let text = "TYPE __VERIFIER_nondet_bool(void);\nextern void reach_error(void);\n\
                int main(void) { if (__VERIFIER_nondet_bool() == 2) { reach_error(); } return 0; }\n";
    folder.file("a.c", text.replace("TYPE", "extern int"));
    assert_eq!(check(&folder, &["a.c"]).code, 10);
    folder.file("a.c", text.replace("TYPE", "extern _Bool"));
    assert_eq!(check(&folder, &["a.c"]).code, 0);
}
