//! The data file of the C library: its page, its models, and the headers of this system.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use cfront::library::effects::{self, Description};
use cfront::library::page::page;
use expect_test::expect_file;

#[test]
fn the_page_is_that_of_the_data_file() {
    expect_file!["../../../docs/library.md"].assert_eq(&page());
}

#[test]
fn what_is_called_exact_has_a_model_or_an_operation_and_the_other_way_round() {
    for entry in effects::entries() {
        let is_exact =
            matches!(effects::parse(entry.clauses), Ok(Description::Exact | Description::Ranged(_)));
        for name in entry.names.split_whitespace() {
            assert_eq!(cfront::library::is_executed(name), is_exact, "{name}");
        }
    }
}

/// The headers of C11, and those of POSIX that describe what programs call most.
const HEADERS: &str = "assert.h complex.h ctype.h errno.h fenv.h inttypes.h locale.h math.h setjmp.h signal.h stdio.h stdlib.h string.h \
    strings.h time.h uchar.h wchar.h wctype.h unistd.h fcntl.h sys/stat.h sys/types.h sys/time.h sys/wait.h poll.h dirent.h \
    getopt.h search.h pthread.h regex.h";

#[test]
fn every_function_of_the_systems_headers_is_described() {
    let mut text = String::from("#define _GNU_SOURCE 1\n");
    for header in HEADERS.split_whitespace() {
        for part in ["#if __has_include(<", header, ">)\n#include <", header, ">\n#endif\n"] {
            text += part;
        }
    }
    let folder = std::env::temp_dir().join(format!("wayproof-headers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("all.c"), text).unwrap();
    let compiled = Command::new("gcc")
        .args(["-fsyntax-only", "-aux-info", "list.txt", "all.c"])
        .current_dir(&folder)
        .stderr(Stdio::null())
        .status();
    let list = std::fs::read_to_string(folder.join("list.txt")).unwrap_or_default();
    std::fs::remove_dir_all(&folder).unwrap();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("there is no gcc that lists declarations: the headers are NOT compared");
        return;
    }
    let declared = list.lines().filter_map(|line| declared_name(line.split_once(" extern ")?.1));
    let missing: BTreeSet<&str> = declared.filter(|name| effects::describe(name).is_none()).collect();
    assert!(list.lines().count() > 1000, "the list of declarations is too short");
    assert!(missing.is_empty(), "not described: {missing:?}");
}

/// The function that a declaration in gcc's own writing declares: the word before the first parenthesis that holds parameters.
fn declared_name(declaration: &str) -> Option<&str> {
    let (at, _) = declaration.match_indices('(').find(|(at, _)| !declaration[at + 1..].starts_with('*'))?;
    let before = declaration[..at].trim_end();
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    Some(&before[start..])
}
