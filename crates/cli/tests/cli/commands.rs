//! What the commands do when all is well: output, exit codes, limits.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Finished, Folder, command, wayproof};
use expect_test::{Expect, expect};

fn check(arguments: &[&str], code: i32, stdout: &Expect) {
    let finished = wayproof(arguments);
    stdout.assert_eq(&finished.stdout);
    assert_eq!((finished.code, finished.stderr.as_str()), (code, ""));
}

#[test]
fn a_program_without_inputs_is_decided_by_running_it() {
    check(
        &["check", "examples/safe_loop.c"],
        0,
        &expect![[r#"
            SAFE: unreach-call holds
            no step depends on an input; the execution returns
            checked: executed a second time, with the same outcome
            this rests on:
              data model LP64
        "#]],
    );
    check(
        &["check", "examples/off_by_one.c", "--no-exec"],
        10,
        &expect![[r#"
        UNSAFE: the error is reached at examples/off_by_one.c:19:5
          19 | assert(working_week <= 3);
        inputs: none
        checked: replayed from the start
        this rests on:
          data model LP64
          signed overflow is undefined: executions are considered up to it
    "#]],
    );
}

#[test]
fn a_program_with_inputs_is_proved() {
    check(
        &["check", "examples/average.c"],
        0,
        &expect![[r#"
            SAFE: unreach-call holds
            invariants at 2 locations exclude the error
            checked: the invariants were proved again (3 obligations)
            this rests on:
              data model LP64
              undefined behaviour ends an execution: signed overflow
        "#]],
    );
}

#[test]
fn every_example_gets_its_verdict() {
    for (name, code) in [
        ("safe_loop", 0),
        ("off_by_one", 10),
        ("average", 0),
        ("ring_buffer", 0),
        ("door_lock", 0),
        ("long_way", 10),
        ("triangle", 0),
        ("sum_of_array", 0),
        ("gcd", 5),
        ("sort_three", 0),
        ("mccarthy", 0),
    ] {
        let path = format!("examples/{name}.c");
        assert_eq!(wayproof(["check", &path, "--quiet"]).code, code, "{name}");
    }
}

#[test]
fn the_last_line_is_for_benchexec() {
    let last = |file: &str| {
        let finished = wayproof(["check", file, "--format", "svcomp"]);
        (finished.code, finished.stdout.lines().last().unwrap().to_owned())
    };
    assert_eq!(last("examples/safe_loop.c"), (0, "RESULT: true".to_owned()));
    assert_eq!(last("examples/off_by_one.c"), (10, "RESULT: false(unreach-call)".to_owned()));
    let explicit = wayproof(["check", "examples/average.c", "--format", "svcomp", "--engine", "explicit"]);
    assert_eq!((explicit.code, explicit.stdout.lines().last()), (5, Some("RESULT: unknown")));
}

#[test]
fn json_is_one_document() {
    let finished = wayproof(["check", "examples/off_by_one.c", "--no-exec", "--format", "json"]);
    // The steps have tests of their own.
    let (before, rest) = finished.stdout.split_once(",\n    \"steps\": [").unwrap();
    let (_, after) = rest.split_once("\n    ]").unwrap();
    let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let key = report["task"]["key"].as_str().unwrap();
    assert_eq!(key.len(), 64);
    let before = before.replace(key, "KEY");
    let expected = expect![[r#"
        {
          "schema": "wayproof-report",
          "schema_version": 1,
          "tool": {
            "name": "wayproof",
            "version": "0.1.0"
          },
          "task": {
            "files": [
              "examples/off_by_one.c"
            ],
            "property": "unreach-call",
            "entry": "main",
            "data_model": "LP64",
            "signed_overflow": "undefined",
            "engine": "auto",
            "key": "KEY"
          },
          "verdict": "unsafe",
          "result": "false(unreach-call)",
          "evidence": {
            "kind": "trace",
            "property": "unreach-call",
            "location": {
              "file": "examples/off_by_one.c",
              "line": 19,
              "column": 5,
              "end_line": 19,
              "end_column": 30
            },
            "stack": [
              {
                "function": "main"
              }
            ],
            "inputs": []
          },
          "checked_by": "replay",
          "ledger": []
        }
    "#]];
    expected.assert_eq(&format!("{before}{after}"));
    assert_eq!((finished.code, finished.stderr.as_str()), (10, ""));
    let finished = wayproof(["check", "examples/safe_loop.c", "--format", "json", "--stats"]);
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(document["verdict"], "safe");
    assert_eq!(document["evidence"]["kind"], "execution");
    assert_eq!(document["checked_by"], "re-execution");
    assert!(document["statistics"]["ticks"].as_f64().unwrap() > 1000.0);
}

const OVERFLOWING: &str = "int main(void) {\n    int x = 2147483647;\n    x = x + 1;\n    if (x < 0) {\n        \
                           extern void reach_error(void);\n        reach_error();\n    }\n    return 0;\n}\n";

#[test]
fn signed_overflow_means_what_the_user_says() {
    let folder = Folder::new("overflow");
    let path = folder.file("a.c", OVERFLOWING);
    let run = |engine: &str, meaning: &str| {
        let file = path.to_str().unwrap();
        let finished =
            wayproof(["check", file, "--signed-overflow", meaning, "--format", "svcomp", "--engine", engine]);
        (finished.code, finished.stdout)
    };
    // A single execution is executed, whatever engine is asked for.
    for engine in ["gps", "explicit"] {
        let (code, stdout) = run(engine, "undefined");
        assert_eq!(code, 0);
        assert!(stdout.starts_with("SAFE: unreach-call holds, up to undefined behaviour\n"), "{stdout}");
        assert!(stdout.contains("signed overflow") && stdout.contains("a.c:3:"), "{stdout}");
    }
    let (code, stdout) = run("gps", "wrap");
    assert_eq!(code, 10);
    assert!(stdout.ends_with("RESULT: false(unreach-call)\n"), "{stdout}");
    let (code, stdout) = run("gps", "error");
    assert_eq!(code, 10);
    assert!(stdout.ends_with("RESULT: false(no-overflow)\n"), "{stdout}");
}

#[test]
fn a_task_brings_its_property_and_its_data_model() {
    let folder = Folder::new("task");
    folder.file(
        "a.c",
        "extern void wrong(void);\nextern void reach_error(void);\n\
         int main(void) { if (sizeof(long) == 4) wrong(); else reach_error(); return 0; }\n",
    );
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(wrong())) )\n");
    let yml = folder.file(
        "a.yml",
        "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - property_file: p.prp\n    expected_verdict: \
         false\noptions: {language: C, data_model: ILP32}\n",
    );
    let yml = yml.to_str().unwrap();
    let finished = wayproof(["check", yml]);
    assert_eq!((finished.code, finished.stderr.as_str()), (10, ""));
    // The property says nothing about reach_error.
    let finished = wayproof(["check", yml, "--data-model", "lp64"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stderr.contains("LP64 is used"), "{}", finished.stderr);
    assert!(finished.stderr.contains("expects the opposite verdict"), "{}", finished.stderr);
}

#[test]
fn an_overflow_property_is_about_overflow_only() {
    let folder = Folder::new("no-overflow");
    let property = folder.file("p.prp", "CHECK( init(main()), LTL(G ! overflow) )\n");
    let reaching = "extern void reach_error(void);\nextern void __VERIFIER_error(void);\n\
                    int main(void) { reach_error(); __VERIFIER_error(); return 0; }\n";
    for (name, text, code) in [("a.c", OVERFLOWING, 10), ("b.c", reaching, 0)] {
        let path = folder.file(name, text);
        let arguments = ["check", path.to_str().unwrap(), "--property", property.to_str().unwrap()];
        assert_eq!(wayproof(arguments).code, code, "{name}");
    }
}

#[test]
fn every_engine_proves_that_nothing_overflows_and_finds_what_does() {
    let folder = Folder::new("overflow-loops");
    let program = |bound: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void);\nint main(void) {{ int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();\n\
             if (n > m) return 0; int i = n; while (i {bound} m) {{ i = i + 1; }} return i; }}\n"
        )
    };
    for (name, text, code) in [("safe.c", program("<"), 0), ("unsafe.c", program("<="), 10)] {
        let path = folder.file(name, &text);
        for engine in ["gps", "impact", "cra"] {
            let arguments = [
                "check",
                path.to_str().unwrap(),
                "--signed-overflow",
                "error",
                "--engine",
                engine,
                "--no-exec",
            ];
            let finished = wayproof(arguments);
            // A summary alone finds no execution.
            let expected = if engine == "cra" && code == 10 { 5 } else { code };
            assert_eq!(finished.code, expected, "{name}, {engine}: {}", finished.stdout);
        }
    }
}

#[test]
fn inputs_on_one_line_and_in_one_macro_are_told_apart() {
    let folder = Folder::new("told-apart");
    let prelude = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";
    let macros = "#define READ(a, b) do { a = __VERIFIER_nondet_int(); b = __VERIFIER_nondet_int(); } while (0)\n\
         int main(void) { int junk, x, y; READ(junk, x); READ(junk, y);\n if (x - y == 4711 && y > 5) reach_error(); return junk; }\n";
    let line = "int main(void) { int junk = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
         if (x - y == 4711 && y > 5) reach_error(); return junk; }\n";
    for (name, text) in [("macro.c", macros), ("line.c", line)] {
        let path = folder.file(name, format!("{prelude}{text}"));
        let finished = wayproof(["check", path.to_str().unwrap(), "--no-exec"]);
        assert_eq!(finished.code, 10, "{name}: {}", finished.stdout);
    }
}

#[test]
fn macros_and_include_folders_reach_the_preprocessor() {
    let folder = Folder::new("macros");
    std::fs::create_dir_all(folder.path().join("include")).unwrap();
    folder.file("include/limit.h", "#define LIMIT 3\n");
    let text = "#include \"limit.h\"\nint main(void) { return LIMIT + EXTRA; }\n";
    let path = folder.file("a.c", text);
    let include = format!("-I{}", folder.path().join("include").display());
    assert_eq!(wayproof(["run", path.to_str().unwrap(), &include, "-DEXTRA=4"]).code, 7);
}

#[test]
fn the_entry_can_be_chosen() {
    let folder = Folder::new("entry");
    let path = folder.file("a.c", "int start(void) { return 3; }\nint main(void) { return 4; }\n");
    let path = path.to_str().unwrap();
    assert_eq!(wayproof(["run", path]).code, 4);
    assert_eq!(wayproof(["run", path, "--entry", "start"]).code, 3);
    let finished = wayproof(["run", path, "--entry", "nowhere"]);
    assert_eq!(finished.code, 2);
    assert!(finished.stderr.contains("nowhere"), "{}", finished.stderr);
}

/// Runs a program text and returns how it ended.
fn run(name: &str, text: &str, arguments: &[&str]) -> Finished {
    let folder = Folder::new(name);
    let path = folder.file("a.c", text);
    let mut finished = wayproof(["run", path.to_str().unwrap()].into_iter().chain(arguments.iter().copied()));
    finished.stderr = finished.stderr.replace(&*path.to_string_lossy(), "a.c");
    finished
}

#[test]
fn run_mirrors_the_program() {
    let text =
        "int printf(const char *, ...);\nint main(void) { printf(\"%d %s\\n\", 42, \"ok\"); return 7; }\n";
    let finished = run("mirror", text, &[]);
    assert_eq!(finished.code, 7);
    assert_eq!(finished.stdout, "42 ok\n");
    assert_eq!(finished.stderr, "wayproof: exited with status 7\n");
    let finished = run("mirror", text, &["--verdict", "--quiet"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (0, ""));
    let finished = run("negative", "int main(void) { return -1; }\n", &[]);
    assert_eq!((finished.code, finished.stderr.as_str()), (255, "wayproof: exited with status 255\n"));
}

#[test]
fn run_says_how_the_program_ended() {
    let cases: [(&str, &str, i32, &str); 5] = [
        ("abort", "void abort(void);\nint main(void) { abort(); }\n", 134, "wayproof: aborted at a.c:2:18\n"),
        (
            "error",
            "void reach_error(void);\nint main(void) { reach_error(); }\n",
            10,
            "wayproof: error reached at a.c:2:18\n",
        ),
        (
            "assume",
            "void __VERIFIER_assume(int);\nint main(void) { __VERIFIER_assume(0); }\n",
            5,
            "wayproof: blocked",
        ),
        (
            "undefined",
            "int main(void) { int z = 0; return 1 / z; }\n",
            5,
            "wayproof: undefined behaviour at a.c:1:",
        ),
        (
            "inputs",
            "int __VERIFIER_nondet_int(void);\nint main(void) { return __VERIFIER_nondet_int(); }\n",
            5,
            "wayproof: out of inputs at a.c:2:25",
        ),
    ];
    for (name, text, code, message) in cases {
        let finished = run(name, text, &[]);
        assert_eq!(finished.code, code, "{name}: {finished:?}");
        assert!(finished.stderr.starts_with(message), "{name}: {}", finished.stderr);
    }
}

#[test]
fn inputs_come_from_the_command_line_a_file_and_a_seed() {
    let folder = Folder::new("inputs");
    let text = "int printf(const char *, ...);\nint __VERIFIER_nondet_int(void);\nunsigned char \
                __VERIFIER_nondet_uchar(void);\ndouble __VERIFIER_nondet_double(void);\n\
                int main(void) {\n  int a = __VERIFIER_nondet_int();\n  unsigned char b = \
                __VERIFIER_nondet_uchar();\n  double c = __VERIFIER_nondet_double();\n  \
                int d = __VERIFIER_nondet_int();\n  printf(\"%d %d %g %d\\n\", a, b, c, d);\n  return 0;\n}\n";
    let path = folder.file("a.c", text);
    let path = path.to_str().unwrap();
    let values = folder.file("values.txt", "1.5,\n0x10\n");
    let values = values.to_str().unwrap();
    let finished = wayproof(["run", path, "--input", "-5", "--input", "'A'", "--inputs", values]);
    assert_eq!((finished.code, finished.stdout.as_str()), (0, "-5 65 1.5 16\n"), "{finished:?}");
    let seeded = |seed: &str| wayproof(["run", path, "--input", "3", "--seed", seed]).stdout;
    assert!(seeded("1").starts_with("3 "));
    assert_eq!(seeded("1"), seeded("1"));
    assert!((0..20).any(|seed| seeded(&seed.to_string()) != seeded("1")));
}

#[test]
fn a_trace_shows_the_steps() {
    let text = "int main(void) {\n    int x = 1;\n    while (x < 3) {\n        x = x * 2;\n    }\n    return x;\n}\n";
    let finished = run("trace", text, &["--trace"]);
    assert_eq!(finished.code, 4);
    expect![[r#"
        a.c:2 main: x = 1
        a.c:3 main: condition holds
        a.c:4 main: x = 2
        a.c:3 main: condition holds
        a.c:4 main: x = 4
        a.c:3 main: condition does not hold
        a.c:6 main: %result = 4
        wayproof: exited with status 4
    "#]]
    .assert_eq(&finished.stderr);
}

#[test]
fn parse_counts() {
    let finished = wayproof(["parse", "examples/door_lock.c"]);
    expect![[r#"
        bytes         1114
        tokens        176
        functions     2
        declarations  6
        statements    26
        expressions   62
    "#]]
    .assert_eq(&finished.stdout);
    let finished = wayproof(["parse", "examples/door_lock.c", "--stats"]);
    assert!(finished.stdout.contains("MB/s"), "{}", finished.stdout);
}

#[test]
fn automata_are_printed_as_text_and_as_graphs() {
    let text = wayproof(["cfa", "examples/safe_loop.c", "--text"]);
    assert_eq!(text.code, 0);
    assert!(text.stdout.contains("main"), "{}", text.stdout);
    let dot = wayproof(["cfa", "examples/safe_loop.c", "--dot"]);
    assert!(dot.stdout.starts_with("digraph"), "{}", dot.stdout);
    let small = wayproof(["cfa", "examples/safe_loop.c", "--text", "--optimize"]);
    assert_eq!(small.code, 0);
    assert!(small.stdout.lines().count() < text.stdout.lines().count());
}

#[test]
fn version_help_completions_and_manual() {
    let version = wayproof(["--version"]);
    assert_eq!(version.code, 0);
    assert!(version.stdout.starts_with(&format!("wayproof {}\nZ3 ", env!("CARGO_PKG_VERSION"))));
    let help = wayproof(["--help"]);
    assert!(help.code == 0 && help.stdout.contains("Exit codes: 0 safe, 10 unsafe, 5 unknown"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let completions = wayproof(["completions", shell]);
        assert!(completions.code == 0 && completions.stdout.contains("data-model"), "{shell}");
    }
    let manual = wayproof(["man"]);
    assert!(manual.code == 0 && manual.stdout.contains(".TH") && manual.stdout.contains("signed\\-overflow"));
    let engines = wayproof(["engines"]);
    assert!(engines.code == 0 && engines.stdout.starts_with("auto "));
}

#[test]
fn colours_are_for_those_who_want_them() {
    let escape = |arguments: &[&str], variable: Option<&str>| {
        let mut command = command();
        command.args(arguments).env_remove("TERM");
        if let Some(value) = variable {
            command.env("NO_COLOR", value);
        }
        let output = command.output().unwrap();
        output.stdout.contains(&0x1b) || output.stderr.contains(&0x1b)
    };
    assert!(!escape(&["check", "missing.c"], None), "no terminal, no colours");
    assert!(escape(&["check", "missing.c", "--color", "always"], None));
    assert!(
        escape(&["check", "examples/safe_loop.c", "--color", "always"], Some("1")),
        "an option beats a variable"
    );
    assert!(!escape(&["check", "missing.c", "--color", "never"], None));
}

const ENDLESS: &str = "int main(void) { unsigned x = 0; for (;;) { x++; } }\n";

#[test]
fn a_time_limit_ends_the_run_with_a_report() {
    let folder = Folder::new("timeout");
    let path = folder.file("a.c", ENDLESS);
    let start = Instant::now();
    let finished = wayproof([
        "check",
        path.to_str().unwrap(),
        "--engine",
        "explicit",
        "--timeout",
        "0.3",
        "--format",
        "svcomp",
    ]);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(finished.code, 5);
    assert!(finished.stdout.starts_with("UNKNOWN: time limit reached\n"), "{}", finished.stdout);
    assert!(finished.stdout.ends_with("RESULT: unknown\n"), "{}", finished.stdout);
}

#[test]
#[cfg(unix)]
fn an_interruption_ends_the_run_with_a_report() {
    let folder = Folder::new("interrupt");
    let path = folder.file("a.c", ENDLESS);
    for signal in ["-INT", "-TERM"] {
        let child = command()
            .args([
                "check",
                "--check",
                "none",
                path.to_str().unwrap(),
                "--engine",
                "explicit",
                "--format",
                "json",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The handler is installed before the file is read; this is long enough even on a busy machine.
        std::thread::sleep(Duration::from_millis(700));
        let killed =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let finished = Finished::from(child.wait_with_output().unwrap());
        assert_eq!(finished.code, 5, "{finished:?}");
        let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(document["reason"]["code"], "interrupted");
    }
}

/// The factors of a prime: a query that takes the solver very long.
const FACTORS: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (a > 1 && b > 1 && a * b == 2305843009213693951UL) reach_error();
    return 0;
}
";

#[test]
#[cfg(unix)]
fn one_interruption_ends_a_run_that_waits_for_the_solver() {
    let folder = Folder::new("interrupt_query");
    let path = folder.file("factors.c", FACTORS);
    let arguments =
        ["check", "--check", "none", "--engine", "bmc", "--logic", "bits", path.to_str().unwrap()];
    let child = command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let start = Instant::now();
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let finished = Finished::from(child.wait_with_output().unwrap());
    assert_eq!(finished.code, 5, "{finished:?}");
    assert!(finished.stdout.starts_with("UNKNOWN: interrupted"), "{finished:?}");
    // A second on an idle machine; the solver alone would take minutes.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn equal_inputs_in_a_row_are_said_once() {
    let folder = Folder::new("equal-inputs");
    let file = folder.file(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int s = 0;\n\
         for (int n = 0; n < 9; n++)\n    if (__VERIFIER_nondet_int() == 7) s++;\n  if (s == 9) reach_error();\n  return 0;\n}\n",
    );
    let finished = wayproof(["check", "--no-exec", file.to_str().unwrap()]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(
        finished.stdout.contains("  1. 7 for") && finished.stdout.contains("\n  2 to 9: the same\n"),
        "{finished:?}"
    );
    assert!(!finished.stdout.contains("  2. 7"), "{finished:?}");
}
