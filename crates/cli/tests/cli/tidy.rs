//! Rules about the text of this repository that no compiler checks.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder with one of the extensions, in order of their names.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                pending.push(path);
            } else if extensions.iter().any(|extension| name.ends_with(extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn rust_files() -> Vec<PathBuf> {
    files(&root().join("crates"), &[".rs"])
}

fn documents() -> Vec<PathBuf> {
    let mut documents = files(&root().join("docs"), &[".md"]);
    for entry in fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            documents.push(path);
        }
    }
    documents
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "benches")
}

/// Fails with all complaints at once.
fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn files_are_small_enough_to_read() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        let text = fs::read_to_string(&path).unwrap();
        // Unit tests at the end do not count.
        let code = text.find("#[cfg(test)]").map_or(text.as_str(), |at| &text[..at]);
        let lines = code.lines().count();
        if !is_test(&path) && lines > 600 {
            complaints.push(format!("{}: {lines} lines, split it", path.display()));
        }
    }
    report(&complaints);
}

#[test]
fn nothing_is_left_unfinished() {
    // Written in parts, so that this file passes its own test.
    let forbidden = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("#[ig", "nore"),
        concat!("FIX", "ME"),
    ];
    let mut complaints = Vec::new();
    for path in rust_files() {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = forbidden.iter().find(|word| line.contains(*word)) {
                complaints.push(format!("{}:{}: {word}", path.display(), number + 1));
            }
        }
    }
    report(&complaints);
}

#[test]
fn every_module_says_what_it_is_for() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        let text = fs::read_to_string(&path).unwrap();
        if !is_test(&path) && !text.starts_with("//!") {
            complaints.push(format!("{}: does not start with a module comment", path.display()));
        }
    }
    report(&complaints);
}

#[test]
fn documents_name_no_place_of_one_machine() {
    let mut complaints = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            if ["/home/", "/root/", "/work/", "/tmp/", "/Users/"].iter().any(|place| line.contains(place)) {
                complaints.push(format!("{}:{}: absolute path", path.display(), number + 1));
            }
        }
    }
    report(&complaints);
}

/// Words of a document that look like a path of this repository.
fn paths_in(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || "`()[]|,;\"'".contains(c));
    // A path may stand at the end of a sentence, or be followed by line and column.
    let words = words.map(|word| word.split(':').next().unwrap_or(word).trim_end_matches(['.', '/']));
    let is_path = |word: &&str| {
        ["crates/", "docs/", "examples/"].iter().any(|start| word.starts_with(start))
            && !word.contains(['*', '{', '<', '…'])
            && !word.contains("NAME")
            && !word.contains("NNN")
    };
    words.filter(is_path).map(str::to_owned).collect()
}

/// The headings of a document, as links name them.
fn headings(document: &Path) -> Vec<String> {
    let text = fs::read_to_string(document).unwrap();
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let name = |heading: &str| heading.trim_matches(['#', ' ']).to_lowercase().replace(' ', "-");
    headings.map(name).collect()
}

#[test]
fn paths_in_documents_exist() {
    let mut complaints = Vec::new();
    let mut count = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for named in paths_in(&text) {
            count += 1;
            let (file, heading) = named.split_once('#').unwrap_or((&named, ""));
            let file = root().join(file);
            if !file.exists() || !heading.is_empty() && !headings(&file).contains(&heading.to_owned()) {
                complaints.push(format!("{}: {named} does not exist", path.display()));
            }
        }
    }
    report(&complaints);
    assert!(count > 20, "the documents should name files, found {count}");
}

#[test]
fn the_architecture_fits_in_250_lines_and_names_every_crate() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(text.lines().count() <= 250);
    let mut complaints = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !text.contains(&format!("crates/{name}")) {
            complaints.push(format!("ARCHITECTURE.md does not name crates/{name}"));
        }
    }
    report(&complaints);
}

/// The keys that a text cites: `[Name25]`.
fn cited(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('[').filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        let key = &rest[..rest.find(']')?];
        let (name, year) = key.split_at_checked(key.len().checked_sub(2)?)?;
        let is_key = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphabetic())
            && year.chars().all(|c| c.is_ascii_digit());
        is_key.then_some(key)
    })
}

#[test]
fn cited_papers_are_in_the_bibliography() {
    let bibliography = fs::read_to_string(root().join("docs/papers.bib")).unwrap();
    let is_known = |key: &str| bibliography.contains(&format!("{{{key},"));
    let (mut complaints, mut count) = (Vec::new(), 0);
    for path in rust_files().into_iter().chain(documents()) {
        let text = fs::read_to_string(&path).unwrap();
        for key in cited(&text).filter(|key| *key != "Name25") {
            count += 1;
            if !is_known(key) {
                complaints.push(format!("{}: [{key}] is not in docs/papers.bib", path.display()));
            }
        }
    }
    report(&complaints);
    assert!(count > 10, "only {count} citations were found");
}

/// The code of a file without its unit tests, with the contents of literals and comments removed: braces in them do not count.
fn bare_code(text: &str) -> String {
    let code = text.find("#[cfg(test)]\nmod ").map_or(text, |at| &text[..at]);
    let mut bare = String::with_capacity(code.len());
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            '"' => {
                // A raw string ends at a quote with as many hashes as it starts with; here one is enough.
                let is_raw = bare.ends_with("r#") || bare.ends_with('r');
                let mut last = ' ';
                while let Some(c) = rest.next() {
                    let ends = c == '"'
                        && (is_raw || last != '\\')
                        && (!bare.ends_with("r#") || rest.peek() == Some(&'#'));
                    if ends {
                        break;
                    }
                    if c == '\n' {
                        bare.push('\n');
                    }
                    last = if c == '\\' && last == '\\' { ' ' } else { c };
                }
            }
            '\'' => {
                let ahead: String = rest.clone().take(3).collect();
                let escaped = ahead.starts_with('\\');
                if escaped || ahead.chars().nth(1) == Some('\'') {
                    rest.next();
                    if escaped {
                        rest.next();
                    }
                    while rest.next().is_some_and(|c| c != '\'') {}
                }
            }
            c => bare.push(c),
        }
    }
    bare
}

/// The functions of a file: name, parameters, number of lines.
fn functions(code: &str) -> Vec<(String, String, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let is_word = at > 0 && code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let after = &code[at + 3..];
        let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let Some(open) = after.find('(').filter(|_| !is_word && !name.is_empty()) else { continue };
        let Some(close) = matching(&after[open..], '(', ')') else { continue };
        let parameters = after[open + 1..open + close].to_owned();
        let tail = &after[open + close..];
        let Some(body) = tail.find(['{', ';']).filter(|body| tail[*body..].starts_with('{')) else {
            continue;
        };
        let Some(end) = matching(&tail[body..], '{', '}') else { continue };
        let lines = after[..open + close + body + end].matches('\n').count() + 1;
        found.push((name, parameters, lines));
    }
    found
}

/// Where the bracket closes that a text starts with.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        depth += usize::from(c == open);
        depth -= usize::from(c == close);
        (depth == 0).then_some(at)
    })
}

/// Functions that take a truth value because they make a constant of it.
const MAKE_TRUTH_VALUES: &[(&str, &str)] =
    &[("crates/cfa/src/expr.rs", "bool"), ("crates/term/src/arena.rs", "bool")];

/// Functions above 60 lines, each with its reason in a comment. This list only shrinks.
const LONG_FUNCTIONS: &[(&str, &str)] = &[
    ("crates/cfront/src/lower/usage.rs", "expr"),
    ("crates/encode/src/arithmetic.rs", "arithmetic"),
    ("crates/interp/src/exec.rs", "execute"),
    ("crates/testkit/src/generate/memory.rs", "linked_list"),
];

#[test]
fn no_function_takes_a_bool_and_few_are_long() {
    let (mut complaints, mut count, mut long) = (Vec::new(), 0, 0);
    for path in rust_files() {
        if is_test(&path) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (name, parameters, lines) in functions(&bare_code(&text)) {
            count += 1;
            let is_in = |list: &[(&str, &str)]| {
                list.iter().any(|(file, function)| path.ends_with(file) && *function == name)
            };
            if parameters.contains(": bool") && !is_in(MAKE_TRUTH_VALUES) {
                complaints.push(format!("{}: {name} takes a bool", path.display()));
            }
            if lines > 60 {
                long += 1;
                if !is_in(LONG_FUNCTIONS) {
                    complaints.push(format!("{}: {name} has {lines} lines", path.display()));
                }
            }
        }
    }
    report(&complaints);
    assert!(count > 4000, "{count} functions were found");
    assert_eq!(long, LONG_FUNCTIONS.len(), "functions that are short now should leave the list");
}

/// What crates may not depend on, by what they say of themselves.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("term", &["smt", "cfa"]),
    ("horn", &["cfa", "cfront", "engine", "engines"]),
    ("cfa", &["cfront", "smt", "engine", "engines"]),
    ("interp", &["cfront", "smt", "engine", "engines"]),
    ("passes", &["cfront", "smt", "engine", "engines"]),
    ("values", &["term", "smt", "engine", "engines"]),
    ("encode", &["smt", "engine", "engines"]),
    ("graph", &["smt", "summary", "engine", "engines"]),
    ("summary", &["engine", "engines", "paths"]),
    ("verdict", &["smt", "summary", "engine", "engines"]),
    ("certify", &["summary", "graph", "paths", "engine", "engines"]),
    ("paths", &["summary", "engine", "engines"]),
    ("engine", &["engines", "summary", "paths", "graph"]),
    ("explain", &["engine", "engines"]),
    ("report", &["engines", "clap"]),
];

#[test]
fn crates_do_not_know_what_they_say_they_do_not_know() {
    for (name, forbidden) in FORBIDDEN {
        let text = fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).unwrap();
        let (_, dependencies) = text.split_once("[dependencies]").unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for other in *forbidden {
            let is_named = dependencies
                .lines()
                .any(|line| line.starts_with(&format!("{other}.")) || line.starts_with(&format!("{other} ")));
            assert!(!is_named, "{name} depends on {other}");
        }
    }
}
