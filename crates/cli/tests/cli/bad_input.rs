//! Whatever the input is: the right exit code, a message of at most a screen with place and advice, no panic.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Finished, Folder, command, plainly, root, wayproof};

const USAGE: i32 = 1;
const FRONT_END: i32 = 2;
const UNKNOWN: i32 = 5;
const INTERNAL: i32 = 6;

/// Checks a file in all formats; the message must contain all of `parts`.
fn refused(path: &Path, code: i32, parts: &[&str]) -> Finished {
    let path = path.to_str().unwrap();
    let start = Instant::now();
    let finished = wayproof(["check", path]);
    expect_refusal(&finished, code, parts);
    assert_eq!(finished.stdout, "", "nothing is known about a program that cannot be read");
    let svcomp = wayproof(["check", path, "--format", "svcomp"]);
    assert_eq!((svcomp.code, svcomp.stdout.as_str()), (code, "RESULT: unknown\n"));
    let json = wayproof(["check", path, "--format", "json"]);
    assert_eq!(json.code, code);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(document["verdict"], "error");
    assert_ne!(document["diagnostics"][0]["message"], serde_json::Value::Null);
    assert!(start.elapsed() < Duration::from_secs(60), "took {:?}", start.elapsed());
    finished
}

fn expect_refusal(finished: &Finished, code: i32, parts: &[&str]) {
    assert_eq!(finished.code, code, "{finished:?}");
    for part in parts {
        assert!(finished.stderr.contains(part), "`{part}` should be in:\n{}", finished.stderr);
    }
    assert!(finished.stderr.lines().count() <= 40, "more than a screen:\n{}", finished.stderr);
    assert!(finished.stderr.lines().all(|line| line.chars().count() <= 400), "{}", finished.stderr);
    assert!(finished.stderr.contains("help: "), "no advice in:\n{}", finished.stderr);
}

#[test]
fn a_missing_file() {
    refused(Path::new("no/such/file.c"), USAGE, &["cannot read `no/such/file.c`: no such file"]);
}

#[test]
fn a_directory_without_tasks() {
    let folder = Folder::new("directory");
    let finished = wayproof(["check", folder.path().to_str().unwrap()]);
    expect_refusal(&finished, USAGE, &["there is no task in the folder", "tasks are .c and .i files"]);
    let finished = wayproof(["parse", folder.path().to_str().unwrap()]);
    expect_refusal(&finished, USAGE, &["cannot read", "is a directory", "name a C file"]);
}

#[test]
#[cfg(unix)]
fn an_unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("unreadable");
    let path = folder.file("a.c", "int main() {}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // The superuser reads everything; a file of /proc that nobody may read takes its place.
        let protected = Path::new("/proc/self/mem");
        let finished = wayproof(["check", protected.to_str().unwrap()]);
        expect_refusal(&finished, USAGE, &["cannot read `/proc/self/mem`"]);
    } else {
        refused(&path, USAGE, &["cannot read", "permission denied", "check the permissions"]);
    }
}

#[test]
fn an_empty_file() {
    let folder = Folder::new("empty");
    refused(&folder.file("empty.c", ""), FRONT_END, &["main", "empty.c", "the file defines no function"]);
}

#[test]
fn no_main() {
    let folder = Folder::new("nomain");
    refused(&folder.file("a.c", "int f(void) { return 1; }\n"), FRONT_END, &["main", "--entry"]);
}

#[test]
fn two_mains() {
    let folder = Folder::new("twomains");
    let text = "int main(void) { return 0; }\n\nint main(void) { return 1; }\n";
    refused(&folder.file("a.c", text), FRONT_END, &["a.c:3:5", "main"]);
}

#[test]
fn nul_bytes() {
    let folder = Folder::new("nul");
    refused(&folder.file("a.c", b"int main(void) {\n  int x\0 = 1; return x; }\n"), FRONT_END, &["a.c:2:8"]);
}

#[test]
fn bytes_that_are_not_utf8() {
    let folder = Folder::new("utf8");
    refused(
        &folder.file("a.c", b"int main(void) { int \xff\xfe = 1; return 0; }\n"),
        FRONT_END,
        &["a.c:1:22"],
    );
    // In comments and strings they are the program's business.
    let path = folder
        .file("b.c", b"/* \xe9t\xe9 */ int main(void) { const char *s = \"\xe9\"; return s[0] == 0; }\n");
    assert_eq!(wayproof(["check", path.to_str().unwrap()]).code, 0);
}

#[test]
fn fifty_megabytes_of_prose() {
    let folder = Folder::new("prose");
    let sentence = "It was a dark and stormy night; the rain fell in torrents.\n";
    let path = folder.file("a.c", sentence.repeat(50_000_000 / sentence.len()));
    refused(&path, FRONT_END, &["a.c:1:"]);
}

#[test]
fn fifty_megabytes_on_one_line() {
    let folder = Folder::new("line");
    let mut text = vec![b' '; 50_000_000];
    text.extend_from_slice(b"@\n");
    refused(&folder.file("a.c", text), FRONT_END, &["a.c:1:50000001"]);
}

#[test]
fn deep_nesting() {
    let folder = Folder::new("nesting");
    let depth = 100_000;
    let parentheses = format!("int main(void) {{ return {}1{}; }}\n", "(".repeat(depth), ")".repeat(depth));
    refused(&folder.file("parentheses.c", parentheses), FRONT_END, &["parentheses.c:1:", "nest"]);
    let blocks = format!("int main(void) {{ {} {} return 0; }}\n", "{".repeat(depth), "}".repeat(depth));
    refused(&folder.file("blocks.c", blocks), FRONT_END, &["blocks.c:1:", "nest"]);
    let unclosed = format!("int main(void) {{ return {}\n", "(".repeat(depth));
    refused(&folder.file("unclosed.c", unclosed), FRONT_END, &["unclosed.c:1:"]);
    for (name, piece) in [("minus.c", "- "), ("star.c", "*"), ("not.c", "!")] {
        let text = format!("int main(void) {{ int x = 1; return {}x; }}\n", piece.repeat(depth));
        refused(&folder.file(name, text), FRONT_END, &[name]);
    }
}

#[test]
fn long_chains_are_not_deep() {
    let folder = Folder::new("chains");
    let sum = format!("int main(void) {{ unsigned x = 1{}; return x == 0; }}\n", " + 1u".repeat(100_000));
    let path = folder.file("sum.c", sum);
    assert_eq!(wayproof(["check", path.to_str().unwrap()]).code, 0);
}

#[test]
fn an_unterminated_comment() {
    let folder = Folder::new("comment");
    let text = "int main(void) { return 0; }\n  /* and so on\n";
    refused(&folder.file("a.c", text), FRONT_END, &["a.c:2:3", "comment"]);
}

#[test]
fn a_type_error() {
    let folder = Folder::new("type");
    let text =
        "struct point { int x, y; };\nint main(void) {\n    struct point p = {1, 2};\n    return p + 1;\n}\n";
    refused(&folder.file("a.c", text), FRONT_END, &["a.c:4:"]);
}

#[test]
fn an_undeclared_name() {
    let folder = Folder::new("undeclared");
    refused(
        &folder.file("a.c", "int main(void) {\n    return missing;\n}\n"),
        FRONT_END,
        &["a.c:2:12", "missing"],
    );
}

#[test]
fn an_include_that_does_not_exist() {
    let folder = Folder::new("include");
    let text = "int x;\n#include \"no_such_header.h\"\nint main(void) { return 0; }\n";
    refused(&folder.file("a.c", text), FRONT_END, &["a.c:2:", "no_such_header.h"]);
}

#[test]
fn a_property_file_that_is_none() {
    let folder = Folder::new("property");
    let program = folder.file("a.c", "int main(void) { return 0; }\n");
    let program = program.to_str().unwrap();
    let text = "CHECK( init(main()), LTL(G ! call(reach_error())) )\nSPEC nonsense\n";
    let property = folder.file("bad.prp", text);
    let finished = wayproof(["check", program, "--property", property.to_str().unwrap()]);
    expect_refusal(&finished, USAGE, &["bad.prp:2:1", "expected `CHECK`"]);
    let finished = wayproof(["check", program, "--property", program]);
    expect_refusal(&finished, USAGE, &["a.c:1:1"]);
    let finished = wayproof(["check", program, "--property", "missing.prp"]);
    expect_refusal(&finished, USAGE, &["cannot read `missing.prp`"]);
}

#[test]
fn a_property_that_is_not_supported() {
    let folder = Folder::new("termination");
    let program = folder.file("a.c", "int main(void) { return 0; }\n");
    let property = folder.file("termination.prp", "CHECK( init(main()), LTL(F end) )\n");
    let arguments =
        ["check", program.to_str().unwrap(), "--property", property.to_str().unwrap(), "--format", "svcomp"];
    let finished = wayproof(arguments);
    assert_eq!(finished.code, UNKNOWN);
    assert!(finished.stdout.starts_with(
        "UNKNOWN: the property termination is not supported; those that are: unreach-call, no-overflow, "
    ));
    assert!(!finished.stdout.contains("what may help"));
    assert!(finished.stdout.ends_with("\nRESULT: unknown\n"));
}

#[test]
fn a_build_without_compile_commands() {
    let folder = Folder::new("no_commands");
    let finished = wayproof(["check", "-p", folder.path().to_str().unwrap()]);
    expect_refusal(
        &finished,
        USAGE,
        &["there is no `", "compile_commands.json`", "CMAKE_EXPORT", "bear -- make"],
    );
}

#[test]
fn tasks_that_are_broken() {
    let folder = Folder::new("task");
    let missing = folder.file("missing.yml", "format_version: '2.0'\ninput_files: 'gone.c'\n");
    refused(&missing, USAGE, &["missing.yml:2:14", "gone.c", "does not exist"]);
    let malformed =
        folder.file("malformed.yml", "format_version: '2.0'\ninput_files: ['a.c'\nproperties: }\n");
    refused(&malformed, USAGE, &["malformed.yml:", "not a task definition"]);
    let nested = folder.file("nested.yml", "[".repeat(100_000));
    refused(&nested, USAGE, &["nested.yml:1:", "not a task definition"]);
    let binary = folder.file("binary.yml", [0, 159, 146, 150]);
    refused(&binary, USAGE, &["binary.yml", "not a task definition"]);
}

#[test]
fn wrong_command_lines() {
    let cases: [&[&str]; 9] = [
        &[],
        &["frobnicate"],
        &["check"],
        &["check", "a.c", "--no-such-option"],
        &["check", "a.c", "--data-model", "LLP64"],
        &["check", "a.c", "--timeout", "-1"],
        &["check", "examples/safe_loop.c", "--engine", "magic"],
        &["run", "examples/safe_loop.c", "--input", "five"],
        &["cfa", "examples/safe_loop.c"],
    ];
    for arguments in cases {
        let finished = wayproof(arguments);
        assert_eq!(finished.code, USAGE, "{arguments:?}: {finished:?}");
        assert_eq!(finished.stdout, "", "{arguments:?}");
        assert!(finished.stderr.lines().count() <= 40, "{}", finished.stderr);
        assert!(finished.stderr.contains("error") || arguments.is_empty(), "{}", finished.stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written() {
    let cases: [&[&str]; 6] = [
        &["check", "examples/safe_loop.c"],
        &["cfa", "examples/safe_loop.c", "--text"],
        &["parse", "examples/safe_loop.c"],
        &["--version"],
        &["--help"],
        &["completions", "bash"],
    ];
    for arguments in cases {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command().args(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(INTERNAL), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("cannot write the result"), "{arguments:?}: {message}");
        assert!(!message.contains("panicked") && !message.contains("internal error:"), "{message}");
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_leaves_is_no_error_to_talk_about() {
    let mut child = command()
        .args(["cfa", "examples/ring_buffer.c", "--text"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn input_files_of_values_that_are_none() {
    let folder = Folder::new("values");
    let values = folder.file("values.txt", "1 2\n3 four\n");
    let arguments = ["run", "examples/average.c", "--inputs", values.to_str().unwrap()];
    expect_refusal(&wayproof(arguments), USAGE, &["values.txt:2:3", "`four`"]);
}

/// A file may grow while we look at it, or be no regular file at all.
#[test]
#[cfg(unix)]
fn a_pipe_is_a_file() {
    let mut child = command()
        .args(["check", "--check", "none", "/dev/stdin", "--quiet"])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let program =
        b"extern void reach_error(void);\nint main(void) { int x = 0; if (x) reach_error(); return 0; }\n";
    child.stdin.take().unwrap().write_all(program).unwrap();
    let finished = Finished::from(child.wait_with_output().unwrap());
    assert_eq!((finished.code, finished.stdout.as_str()), (0, "SAFE: unreach-call holds\n"));
}

#[test]
fn a_file_in_the_place_of_a_command_is_understood() {
    let finished = plainly(["examples/door_lock.c"]);
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(finished.stderr.contains("to check it: wayproof check examples/door_lock.c"), "{finished:?}");
    let finished = plainly(["chekc", "examples/door_lock.c"]);
    assert!(finished.stderr.contains("unrecognized subcommand"), "{finished:?}");
}

#[test]
fn a_negative_limit_is_a_wrong_number_of_seconds() {
    let finished = plainly(["check", "examples/door_lock.c", "--timeout", "-3"]);
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(finished.stderr.contains("expected a number of seconds above 0"), "{finished:?}");
}

#[test]
fn a_missing_entry_lists_the_functions_that_there_are() {
    let finished = plainly(["check", "examples/door_lock.c", "--entry", "stepp"]);
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(finished.stderr.contains("defined are `step`, `main`"), "{finished:?}");
}

#[test]
fn other_languages_are_named() {
    let folder = Folder::new("cpp");
    let file = folder.file("a.c", "class A { int x; };\nint main() { return 0; }\n");
    refused(&file, 2, &["unknown type name `class`", "this looks like C++"]);
}

#[test]
fn options_that_contradict_each_other() {
    for checks in ["none,bounds", "overflow,none"] {
        let finished = wayproof(["check", "examples/door_lock.c", "--check", checks]);
        expect_refusal(&finished, USAGE, &["--check says `none` and names what is checked", "leave it out"]);
    }
    let finished = wayproof(["check", "examples/door_lock.c", "--assume", "n < 3"]);
    expect_refusal(&finished, USAGE, &["'n < 3' has no effect: execution starts in `main`", "--entry names"]);
    let words = ["check", "examples/door_lock.c", "--entry-pointers", "nullable"];
    let finished = wayproof(words);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stderr.contains("--entry-pointers has no effect"), "{}", finished.stderr);
    let words = ["check", "examples/door_lock.c", "--entry", "step", "--entry-pointers", "nullable"];
    assert_eq!(wayproof(words).stderr, "");
}

#[test]
fn a_number_of_nothing() {
    for option in ["--jobs=0", "--memory=0", "--jobs=two", "--memory=-1"] {
        let finished = plainly(["check", "examples/door_lock.c", option]);
        assert_eq!(finished.code, USAGE, "{option}: {finished:?}");
        assert!(finished.stderr.contains("expected a whole number above 0"), "{option}: {finished:?}");
    }
}

#[test]
fn options_of_the_preprocessor_that_are_none() {
    let folder = Folder::new("command-line");
    let file = folder.file("a.c", "#include <assert.h>\nint main(void) { assert(1); return 0; }\n");
    for option in ["-D=", "--include=nowhere.h"] {
        let finished = wayproof(["check", file.to_str().unwrap(), option]);
        expect_refusal(&finished, FRONT_END, &["a.c", "it is about -D, -U or --include"]);
    }
}

#[test]
fn clauses_in_another_language() {
    let folder = Folder::new("clauses");
    let file = folder.file("a.smt2", "int main(void) { return 0; }\n");
    let finished = wayproof(["horn", file.to_str().unwrap()]);
    expect_refusal(&finished, FRONT_END, &["a.smt2:1:", "or is this not a file of SMT-LIB?"]);
}

#[test]
fn inputs_that_do_not_fit_their_type() {
    let folder = Folder::new("wide");
    let text =
        "extern int __VERIFIER_nondet_int(void);\nint main(void) { return __VERIFIER_nondet_int(); }\n";
    let file = folder.file("a.c", text);
    let run = |value: &str| plainly(["run", file.to_str().unwrap(), "--input", value]);
    for (value, status) in [("4294967299", 3), ("-4294967295", 1)] {
        let finished = run(value);
        assert_eq!(finished.code, status, "{finished:?}");
        assert!(
            finished.stderr.contains(&format!("the input {value} has more than 32 bits: {status} is taken"))
        );
    }
    // As C prints them, with or without sign.
    for value in ["4294967295", "-2147483648", "0", "255"] {
        assert!(!run(value).stderr.contains("bits"), "{value}");
    }
}
