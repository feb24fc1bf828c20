//! Bytes of standard input in a harness: the functions of the C library read them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use std::fs;
use std::process::{Command, Stdio};

use base::Region;
use cfa::CheckKind;
use cfa::{DataModel, Freedom, Source, Ty};
use interp::{CallStack, Chosen, Value};
use verdict::{Trace, Violation};
use witness::harness::{EXIT_CODE, Harness};
use witness::question::Text;

fn chosen(source: Source, value: i128) -> Chosen {
    Chosen {
        value: Value::int(Ty::signed(32), value),
        source,
        region: Region::NOWHERE,
        place: Region::NOWHERE,
        at: None,
        held: None,
    }
}

fn byte(value: i128) -> Chosen {
    chosen(Source::Library { function: cfa::STDIN.into(), freedom: Freedom::World }, value)
}

fn harness(text: &str, choices: Vec<Chosen>) -> Result<String, String> {
    let options = cfront::Options::new(DataModel::Lp64);
    let units = [Text::new("test.c", text.as_bytes().into(), options.preprocess).unwrap()];
    let stack = CallStack { entries: Vec::new(), omitted: 0 };
    let violation = Violation {
        kind: CheckKind::Assertion,
        detail: String::new(),
        site: None,
        region: Region::NOWHERE,
        stack,
    };
    let harness = Harness {
        units: &units,
        entry: "main",
        elements: 1,
        trace: &Trace { violation, choices },
        error_functions: &["reach_error".to_owned()],
        assert_is_error: true,
        command: "cc harness.c",
        undefined: &[],
    };
    harness.text()
}

/// The exit code of a harness, with nothing on the standard input that it is started with.
fn run(name: &str, text: &str) -> Option<i32> {
    let folder = std::env::temp_dir().join(format!("wayproof-stdin-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (source, binary) = (folder.join("harness.c"), folder.join("harness"));
    fs::write(&source, text).unwrap();
    let built = Command::new("cc").args(["-w", "-o"]).arg(&binary).arg(&source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&binary).stdin(Stdio::null()).output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    ran.status.code()
}

#[test]
fn the_library_reads_the_chosen_bytes() {
    let text = "int getchar(void);\nchar *fgets(char *, int, void *);\nextern void *stdin;\n\
                extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n\
                char line[8];\nint first = getchar();\nint n = __VERIFIER_nondet_int();\n\
                if (first == 255 && n == 5 && fgets(line, 8, stdin) && line[0] == 'a' && line[1] == '\\n'\n\
                && getchar() == -1) reach_error();\nreturn 0;\n}\n";
    let input = Source::Input { function: "__VERIFIER_nondet_int".into() };
    let choices = vec![
        byte(255),
        chosen(input, 5),
        byte(i128::from(b'a')),
        byte(i128::from(b'\n')),
        byte(-1),
        byte(-1),
    ];
    assert_eq!(run("lines", &harness(text, choices).unwrap()), Some(EXIT_CODE));
}

#[test]
fn functions_of_the_program_do_not_stand_for_those_of_the_system() {
    let text = "int getchar(void);\nextern void reach_error(void);\nint write(void) { return 7; }\n\
                int pipe(int x) { return x; }\nint close(void) { return 1; }\nint dup2(void) { return 9; }\n\
                int main(void) {\nif (getchar() == 'x' && write() == 7 && pipe(3) == 3) reach_error();\nreturn 0;\n}\n";
    assert_eq!(run("names", &harness(text, vec![byte(i128::from(b'x'))]).unwrap()), Some(EXIT_CODE));
}

#[test]
fn errors_that_macros_make_are_reported() {
    let text = "#include <assert.h>\n#define REQUIRE(c) do { if (!(c)) reach_error(); } while (0)\n\
                void reach_error(void) { }\nint main(void) { REQUIRE(1 == 2); return 0; }\n";
    assert_eq!(run("macro", &harness(text, Vec::new()).unwrap()), Some(EXIT_CODE));
    // What holds is no violation, whoever looks at it.
    let text = text.replace("1 == 2", "1 == 1");
    assert_eq!(run("holds", &harness(&text, Vec::new()).unwrap()), Some(0));
    let text = "#include <assert.h>\n#define REQUIRE(c) do { assert(c); } while (0)\n\
                int main(void) { REQUIRE(1 == 2); return 0; }\n";
    assert_eq!(run("assert", &harness(text, Vec::new()).unwrap()), Some(EXIT_CODE));
}

#[test]
fn what_no_standard_input_does_has_no_harness() {
    let text = "int main(void) { return 0; }\n";
    let after_the_end = harness(text, vec![byte(-1), byte(5)]).unwrap_err();
    assert_eq!(after_the_end, "the counterexample reads more bytes after the end of standard input");
    let source = Source::Library { function: "time".into(), freedom: Freedom::World };
    let library = harness(text, vec![chosen(source, 5)]).unwrap_err();
    assert_eq!(library, "a harness cannot control what the library function `time` returns or writes");
}
