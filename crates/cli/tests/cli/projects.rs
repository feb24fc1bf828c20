//! Builds: `-p compile_commands.json`.

use std::fs;

use crate::support::{Finished, Folder, command, with_assertions};

const HEADER: &str = "#ifndef LIMIT_H\n#define LIMIT_H\nint twice(int);\n#endif\n";
const TWICE: &str = "#include \"limit.h\"\nint twice(int x) { return FACTOR * x; }\n";
const MAIN: &str =
    "#include <assert.h>\n#include \"limit.h\"\nint main(void) { assert(twice(LIMIT) == 42); return 0; }\n";

/// A build of two files whose headers are elsewhere.
fn build(name: &str, limit: u32) -> Folder {
    let folder = Folder::new(name);
    for part in ["src", "include", "build"] {
        fs::create_dir_all(folder.path().join(part)).unwrap();
    }
    folder.file("include/limit.h", HEADER);
    folder.file("src/twice.c", TWICE);
    folder.file("src/main.c", MAIN);
    let build = folder.path().join("build").display().to_string();
    let commands = serde_json::json!([
        {
            "directory": build,
            "file": "../src/twice.c",
            "command": "ccache gcc -I../include -DFACTOR=\"1 + 1\" -UFACTOR '-DFACTOR=2' -O2 -Wall -c ../src/twice.c -o twice.o"
        },
        {
            "directory": build,
            "file": "../src/main.c",
            "arguments": ["gcc", "-I", "../include", format!("-DLIMIT={limit}"), "-std=c99", "-c", "../src/main.c"]
        },
        {"directory": build, "file": "../src/other.cpp", "arguments": ["g++", "-c", "../src/other.cpp"]}
    ]);
    folder.file("build/compile_commands.json", commands.to_string());
    folder
}

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(["check"].iter().chain(words)))
        .output()
        .unwrap()
        .into()
}

#[test]
fn a_build_is_one_program_or_a_list_of_those_with_a_main() {
    let folder = build("build", 21);
    let whole = check(&folder, &["-p", "build", "--program"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    assert!(whole.stderr.contains("1 entry is not in C and left out"), "{}", whole.stderr);
    // Alone, the function without body may return anything.
    let single = check(&folder, &["-p", "build/compile_commands.json", "--no-exec"]);
    assert_eq!(single.code, 10, "{single:?}");
    assert!(single.stdout.contains("src/main.c:3:18"), "{}", single.stdout);
    let named = check(&folder, &["-p", "build", "src/main.c", "src/twice.c", "--program"]);
    assert_eq!(named.code, 0, "{named:?}");
    let list = check(&folder, &["-p", "build", "--memory", "4096", "--no-exec"]);
    assert!(list.stdout.contains("1 task: 1 unsafe"), "{list:?}");
}

#[test]
fn what_is_wrong_with_a_build_is_said_with_its_entry() {
    let folder = build("bad-build", 21);
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let with = |entries: &str| {
        folder.file("c.json", entries);
        let finished = check(&folder, &["-p", "c.json"]);
        assert_eq!(finished.code, 1, "{finished:?}");
        first(&finished.stderr)
    };
    assert_eq!(
        with("[{\"directory\": 3}]"),
        "error: not a list of compile commands: invalid type: integer `3`, expected path string"
    );
    assert_eq!(with("[{]"), "error: not a list of compile commands: key must be a string");
    assert_eq!(with("[]"), "error: `c.json` has no entry");
    assert_eq!(
        with("[{\"directory\": \".\", \"file\": \"a.c\"}]"),
        "error: `c.json`, entry 1: `command` is missing"
    );
    let valid = "{\"directory\": \".\", \"file\": \"src/main.c\", \"command\": \"cc -c src/main.c\"}";
    assert_eq!(
        with(&format!(
            "[{valid}, {{\"directory\": \".\", \"file\": \"gone.c\", \"command\": \"cc gone.c\"}}]"
        )),
        "error: `c.json`, entry 2 (gone.c): the file does not exist"
    );
    assert_eq!(
        with(&format!("[{}]", valid.replace("-c ", "-funsigned-char "))),
        "error: `c.json`, entry 1 (src/main.c): the option `-funsigned-char` changes the meaning of programs, and that is not modelled"
    );
    let finished = check(&folder, &["-p", "build", "include/limit.h"]);
    assert_eq!(
        first(&finished.stderr),
        "error: `build/compile_commands.json` has no entry for `include/limit.h`"
    );
    let unknown = with(&format!("[{}]", valid.replace("-c ", "--frobnicate -DLIMIT=1 -Iinclude ")));
    assert!(
        unknown.starts_with("error: `c.json`, entry 1 (src/main.c): the option `--frobnicate` is not known"),
        "{unknown}"
    );
}

const FIRST: &str = "#include \"shared.h\"
#include <assert.h>
#define STEP 2
static int counter = STEP;
typedef struct { int x; } pair;
static void helper(pair *p) { p->x += counter; }
extern int __VERIFIER_nondet_int(void);
int main(void) {
    pair p = { 3 };
    helper(&p);
    int y = __VERIFIER_nondet_int();
    if (y > 100 && y < 103 && p.x == 5) finish(y);
    return p.x;
}
";
const SECOND: &str = "#include \"shared.h\"
#include <assert.h>
#ifndef STEP
#define STEP 1
#endif
typedef struct { long z; } pair;
static int counter = 1;
static int helper(int v) { return v + counter * STEP; }
extern int __VERIFIER_nondet_int(void);
void finish(int y) {
    int z = __VERIFIER_nondet_int();
    assert(y + z != 150 || helper(z) != z + 1);
}
";

#[test]
fn several_files_are_one_harness_and_one_witness() {
    let folder = Folder::new("several");
    folder.file("shared.h", "void finish(int);\n");
    folder.file("first.c", FIRST);
    folder.file("second.c", SECOND);
    let words = ["--program", "first.c", "second.c", "--harness", "out.c", "--witness", "w.yml"];
    let finished = check(&folder, &words);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("reached at second.c:12:5"), "{}", finished.stdout);
    assert!(finished.stdout.contains("in finish, called at first.c:12:41"), "{}", finished.stdout);
    assert!(finished.stdout.contains("checked: compiled and executed"), "{}", finished.stdout);
    let witness = fs::read_to_string(folder.path().join("w.yml")).unwrap();
    for name in ["first.c", "second.c"] {
        assert!(witness.contains(&format!("- \"{name}\"")), "{witness}");
        let hash = witness::format::hash(&fs::read(folder.path().join(name)).unwrap());
        assert!(witness.contains(&format!("\"{name}\": \"{hash}\"")), "{witness}");
        assert!(witness.contains(&format!("file_name: \"{name}\"")), "{witness}");
    }
    // Two definitions in one text: the harness cannot be built, and that is said.
    folder.file("shared.h", "void finish(int);\nstruct shared { int x; };\n");
    let finished = check(&folder, &words);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("the C compiler refuses the harness: "), "{}", finished.stdout);
    assert!(finished.stdout.contains("redefinition of 'struct shared'"), "{}", finished.stdout);
}

#[test]
fn assert_is_the_one_of_the_header_and_ndebug_switches_it_off() {
    let folder = Folder::new("assert");
    let text = "#include <assert.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n\
                static int half(int x) { assert(x % 2 == 0 && \"even\"); return x / 2; }\n\
                int main(void) { int x = __VERIFIER_nondet_int(); return half(x) > 7 ? EXIT_FAILURE : 0; }\n";
    folder.file("a.c", text);
    let finished = check(&folder, &["a.c"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("reached at a.c:4:26"), "{}", finished.stdout);
    assert!(finished.stdout.contains("in half, called at a.c:5:"), "{}", finished.stdout);
    assert!(finished.stdout.contains("checked: compiled and executed"), "{}", finished.stdout);
    assert_eq!(check(&folder, &["a.c", "-DNDEBUG"]).code, 0);
    folder.file("b.c", format!("#define NDEBUG\n{text}"));
    assert_eq!(check(&folder, &["b.c"]).code, 0);
    // The header may be included again, with another meaning.
    folder.file("c.c", format!("#define NDEBUG\n#include <assert.h>\n#undef NDEBUG\n{text}"));
    assert_eq!(check(&folder, &["c.c"]).code, 10);
    folder.file("d.c", text.replace("x % 2 == 0", "x % 2 <= 1"));
    assert_eq!(check(&folder, &["d.c"]).code, 0);
}
