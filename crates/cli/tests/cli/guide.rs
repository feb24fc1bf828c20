//! What the guide shows is what the binary prints: every `console` block of the documents is run.
//!
//! In such a block a line `$ COMMAND` is run by a shell, in a folder of the page's own that has `examples/` and the `functions/` of the guide in it; the lines after it
//! are its standard output and messages. `...` stands for anything, within a line or as a line of its own; seconds differ from run to run, so any number with a fraction stands for any other; `$ echo $?` shows the exit code of the
//! command before it. `UPDATE_EXPECT=1` writes what differs into the page.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Folder, root};

/// A command of a page with the output that the page shows.
struct Step {
    command: String,
    shown: Vec<String>,
    line: usize,
}

/// The pages that show sessions.
fn pages() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("docs/guide")).unwrap();
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    pages.push(root().join("README.md"));
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// The text of a page around its steps: each piece is followed by the output of the step with the same number, if there is one.
fn steps(text: &str) -> (Vec<String>, Vec<Step>) {
    let (mut pieces, mut steps) = (vec![String::new()], Vec::<Step>::new());
    let (mut in_session, mut has_command) = (false, false);
    for (number, line) in text.lines().enumerate() {
        let is_fence = line.starts_with("```");
        if in_session && !is_fence {
            if let Some(command) = line.strip_prefix("$ ") {
                writeln!(pieces.last_mut().unwrap(), "{line}").unwrap();
                steps.push(Step { command: command.to_owned(), shown: Vec::new(), line: number + 1 });
                pieces.push(String::new());
                has_command = true;
                continue;
            }
            assert!(has_command, "line {}: output without a command", number + 1);
            steps.last_mut().unwrap().shown.push(line.to_owned());
            continue;
        }
        if is_fence {
            in_session = line == "```console";
            has_command = false;
        }
        writeln!(pieces.last_mut().unwrap(), "{line}").unwrap();
    }
    (pieces, steps)
}

/// A line whose numbers with a fraction, with the blanks before them, are replaced by a sign.
fn without_seconds(line: &str) -> String {
    let is_number = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
    if !line.split_whitespace().any(|word| is_number(&word)) {
        return line.to_owned();
    }
    let words = line.split_whitespace().map(|word| if is_number(&word) { "#" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a line is what a pattern with `...` in it says.
fn line_fits(pattern: &str, line: &str) -> bool {
    let Some((head, rest)) = pattern.split_once("...") else { return pattern == line };
    let Some(line) = line.strip_prefix(head) else { return false };
    line.char_indices().map(|(at, _)| at).chain([line.len()]).any(|at| line_fits(rest, &line[at..]))
}

fn fits(patterns: &[String], lines: &[&str]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => (0..=lines.len()).any(|from| fits(rest, &lines[from..])),
        Some((first, rest)) => lines.split_first().is_some_and(|(line, lines)| {
            line_fits(&without_seconds(first), &without_seconds(line)) && fits(rest, lines)
        }),
    }
}

/// What a shell prints for a command, and its exit code.
fn run(command: &str, folder: &Path) -> (String, i32) {
    let binary = Path::new(env!("CARGO_BIN_EXE_wayproof"));
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", binary.parent().unwrap().display()))
        .env("TERM", "dumb")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().expect("no signal should end it"))
}

/// Runs the sessions of a page. Returns the page as it should be, and what differs.
fn check(page: &Path) -> (String, Vec<String>) {
    let (pieces, steps) = steps(&fs::read_to_string(page).unwrap());
    let name = page.file_stem().unwrap().to_string_lossy();
    let folder = Folder::new(&format!("guide-{name}"));
    for (source, target) in [("examples", "examples"), ("docs/guide/functions", "functions")] {
        let target = folder.path().join(target);
        fs::create_dir_all(&target).unwrap();
        for entry in fs::read_dir(root().join(source)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
        }
    }
    let (mut fresh, mut complaints, mut code) = (pieces[0].clone(), Vec::new(), 0);
    for (step, piece) in steps.iter().zip(&pieces[1..]) {
        let printed = if step.command == "echo $?" {
            format!("{code}\n")
        } else {
            let (printed, ended) = run(&step.command, folder.path());
            code = ended;
            printed
        };
        if fits(&step.shown, &printed.lines().collect::<Vec<_>>()) {
            step.shown.iter().for_each(|line| writeln!(fresh, "{line}").unwrap());
        } else {
            complaints.push(format!("{name}.md:{}: `{}` prints\n{printed}", step.line, step.command));
            fresh += &printed;
        }
        fresh += piece;
    }
    (fresh, complaints)
}

#[test]
fn sessions_in_documents_are_what_the_binary_prints() {
    let mut complaints = Vec::new();
    for page in pages() {
        let (fresh, found) = check(&page);
        if !found.is_empty() && std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&page, fresh).unwrap();
        } else {
            complaints.extend(found);
        }
    }
    assert!(complaints.is_empty(), "\n{}\nUPDATE_EXPECT=1 writes this into the pages", complaints.join("\n"));
}

#[test]
fn every_page_of_the_guide_is_in_its_index() {
    let index = fs::read_to_string(root().join("docs/guide/README.md")).unwrap();
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name == "README.md" || index.contains(&format!("({name})")), "{name} is missing");
    }
}

#[test]
fn every_reason_of_an_unknown_is_explained() {
    let text = fs::read_to_string(root().join("crates/verdict/src/reason.rs")).unwrap();
    let (_, codes) = text.split_once("pub fn code(").expect("reasons should have codes");
    let (codes, _) = codes.split_once("pub fn").unwrap();
    let page = fs::read_to_string(root().join("docs/guide/read-an-unknown.md")).unwrap();
    let codes: Vec<&str> = codes.split('"').skip(1).step_by(2).collect();
    assert!(codes.len() >= 12, "{codes:?}");
    for code in codes {
        assert!(page.contains(&format!("| `{code}` |")), "{code} is missing");
    }
}

#[test]
fn dots_stand_for_anything() {
    assert!(line_fits("a ... c", "a b b c") && line_fits("... c", " c") && line_fits("x...", "x"));
    assert!(!line_fits("a ... c", "a b d") && !line_fits("a", "ab"));
    let pattern = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&pattern("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(!fits(&pattern("a\n...\nd"), &["a", "b"]));
    assert!(fits(&pattern("a    0.25  b"), &["a  10.5  b"]) && !fits(&pattern("a  1.5"), &["b  1.5"]));
}
