//! `--cache` and procedures: contracts of earlier runs are candidates, and never more than that.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Finished, Folder, command, with_assertions};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// Each level calls the next one four times; the last one negates a flag. One level has another body.
fn chain(levels: usize, before: &str, changed: usize, body: &str) -> String {
    let level = |level: usize| {
        let calls = format!("level{next}(); level{next}();", next = level - 1);
        let usual = "if (__VERIFIER_nondet_int()) { CALLS } else { CALLS }".to_owned();
        let body = if level == changed { body } else { &usual };
        format!("void level{level}(void) {{ {} }}\n", body.replace("CALLS", &calls))
    };
    let all: String = (1..=levels).map(level).collect();
    format!(
        "{PRELUDE}{before}int flag;\nvoid level0(void) {{ flag = !flag; }}\n{all}\
         int main(void) {{ flag = 1; level{levels}(); if (!flag) reach_error(); return 0; }}\n"
    )
}

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(
            ["check", "--no-exec", "--cache", "cache", "--timeout", "300"].iter().chain(words),
        ))
        .output()
        .unwrap()
        .into()
}

/// The verdict and some statistics.
#[derive(Debug)]
struct Told {
    verdict: String,
    queries: u64,
    solver_queries: u64,
    recalled: Option<u64>,
    proved: Option<u64>,
}

fn told(folder: &Folder, words: &[&str]) -> Told {
    let finished = check(folder, &[words, &["--stats", "--format", "json"]].concat());
    let document: Value = serde_json::from_str(&finished.stdout).unwrap();
    let number = |name: &str| document["statistics"][name].as_f64().map(|number| number as u64);
    Told {
        verdict: document["verdict"].as_str().unwrap().to_owned(),
        queries: number("queries of bounded safety").unwrap_or_default(),
        solver_queries: number("solver queries").unwrap_or_default(),
        recalled: number("contracts from the cache"),
        proved: number("procedures proved anew"),
    }
}

/// The files with contracts.
fn contracts(folder: &Folder) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.path().join("cache")).unwrap().map(|entry| entry.unwrap().path());
    let is_contract = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("contract-");
    let mut files: Vec<PathBuf> = files.filter(is_contract).collect();
    files.sort();
    files
}

/// Forgets verdicts, so that only contracts are left.
fn forget_verdicts(folder: &Folder) {
    let kept = contracts(folder);
    for entry in fs::read_dir(folder.path().join("cache")).unwrap() {
        let path = entry.unwrap().path();
        if !kept.contains(&path) {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn after_an_edit_only_the_changed_function_is_proved_anew() {
    let folder = Folder::new("contracts-edit");
    let usual = "if (__VERIFIER_nondet_int()) { CALLS } else { CALLS }";
    folder.file("a.c", chain(48, "", 20, usual));
    let options = ["a.c", "--engine", "recmc"];
    let first = told(&folder, &options);
    assert_eq!((first.verdict.as_str(), first.recalled), ("safe", Some(0)), "{first:?}");
    let procedures = first.proved.unwrap();
    assert!(procedures > 10 && contracts(&folder).len() as u64 == procedures, "{first:?}");
    // Lines move, a function and a variable are new, and one function chooses otherwise.
    let before = "/* new */\n\nint other;\nint unused(int x) { return x + other; }\n";
    folder.file("a.c", chain(48, before, 20, "if (__VERIFIER_nondet_int() > 7) { CALLS } else { CALLS }"));
    let second = told(&folder, &options);
    assert_eq!(second.verdict, "safe", "{second:?}");
    assert_eq!((second.recalled, second.proved), (Some(procedures), Some(1)), "{second:?}");
    assert!(second.queries * 10 <= first.queries, "{first:?} {second:?}");
    assert!(second.solver_queries * 4 <= first.solver_queries * 3, "{first:?} {second:?}");
    // What it was before is still known.
    forget_verdicts(&folder);
    folder.file("a.c", chain(48, "\n", 20, usual));
    assert_eq!(told(&folder, &options).proved, Some(0));
}

#[test]
fn an_edit_that_breaks_a_contract_gets_another_proof_or_an_input() {
    let folder = Folder::new("contracts-break");
    folder.file("a.c", chain(30, "", 0, ""));
    let options = ["a.c", "--engine", "recmc"];
    assert_eq!(told(&folder, &options).verdict, "safe");
    let procedures = contracts(&folder).len() as u64;
    // A flag above zero does not stay above zero, but it stays set.
    folder.file("a.c", chain(30, "", 21, "CALLS flag = -1;"));
    let second = told(&folder, &options);
    assert_eq!(second.verdict, "safe", "{second:?}");
    assert!(second.proved.unwrap() > 1 && second.recalled.unwrap() < procedures, "{second:?}");
    folder.file("b.c", MCCARTHY);
    assert_eq!(told(&folder, &["b.c"]).verdict, "safe");
    folder.file("b.c", MCCARTHY.replace("return n - 10;", "return n == 101 ? 90 : n - 10;"));
    let third = check(&folder, &["b.c"]);
    assert!(third.code == 10 && third.stdout.contains("for __VERIFIER_nondet_int()"), "{third:?}");
}

#[test]
fn options_that_change_the_meaning_are_part_of_the_key() {
    let folder = Folder::new("contracts-options");
    folder.file("a.c", MCCARTHY);
    let mut known = 0;
    for options in [
        &[][..],
        &["--signed-overflow", "wrap"],
        &["--data-model", "ILP32"],
        &["--check", "overflow"],
        &["--engine", "recmc"],
    ] {
        let told = told(&folder, &[&["a.c"][..], options].concat());
        assert_eq!((told.verdict.as_str(), told.recalled), ("safe", Some(0)), "{options:?}: {told:?}");
        let files = contracts(&folder).len();
        assert!(files > known, "{options:?}");
        known = files;
    }
}

const MCCARTHY: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
    int mccarthy(int n) { if (n > 100) return n - 10; return mccarthy(mccarthy(n + 11)); }\n\
    int main(void) { int n = __VERIFIER_nondet_int(); if (n < -1000 || n > 1000) return 0;\n\
    int r = mccarthy(n); if (n <= 101 && r != 91) reach_error(); return 0; }\n";

/// A way to spoil a file.
type Damage = fn(&str) -> String;

#[test]
fn files_that_cannot_be_used_are_ignored_with_one_message() {
    let folder = Folder::new("contracts-damaged");
    folder.file("a.c", MCCARTHY);
    assert_eq!(check(&folder, &["a.c"]).code, 0);
    let files = contracts(&folder);
    assert!(files.len() > 1, "{files:?}");
    let good: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let damages: [(Damage, &str); 4] = [
        (|text| text[..text.len() / 2].to_owned(), "it is damaged"),
        (|text| text.replacen(env!("CARGO_PKG_VERSION"), "0.0.1", 1), "it was made by version 0.0.1"),
        (|_| sealed("several\n"), "it has no contracts"),
        (|_| "my notes\n".to_owned(), "it is not of this form"),
    ];
    for (damage, why) in damages {
        forget_verdicts(&folder);
        for (file, text) in files.iter().zip(&good) {
            fs::write(file, damage(text)).unwrap();
        }
        let finished = check(&folder, &["a.c"]);
        assert_eq!(finished.code, 0, "{finished:?}");
        assert_eq!(
            finished.stderr.matches("cannot be used and is ignored").count(),
            1,
            "{}",
            finished.stderr
        );
        assert!(finished.stderr.contains(why), "{why}: {}", finished.stderr);
    }
    // Somebody else's files are left alone.
    assert!(files.iter().all(|file| fs::read_to_string(file).unwrap() == "my notes\n"));
    for (file, text) in files.iter().zip(&good) {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
        assert!(text.starts_with("wayproof cache"));
    }
    forget_verdicts(&folder);
    assert_eq!(check(&folder, &["a.c"]).code, 0);
}

/// A file with the right first line.
fn sealed(body: &str) -> String {
    format!(
        "wayproof cache 2 {} {}\n{body}",
        env!("CARGO_PKG_VERSION"),
        witness::format::hash(body.as_bytes())
    )
}

/// A sequence of numbers below a bound.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// Something else in the place of a text.
fn mutated(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = numbers.below(lines.len());
    match numbers.below(7) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[numbers.below(lines.len())].clone()),
        2 => lines.swap(at, numbers.below(text.lines().count())),
        3 => {
            let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
            let word = numbers.below(words.len());
            let values = ["0", "1", "-1", "7", "99999999999999999999999999", "4294967296", "le", ""];
            values[numbers.below(values.len())].clone_into(&mut words[word]);
            lines[at] = words.join(" ");
        }
        4 => {
            let digits: String =
                lines[at].chars().map(|c| if c.is_ascii_digit() { '2' } else { c }).collect();
            lines[at] = digits;
        }
        5 => {
            let line = other.lines().nth(numbers.below(other.lines().count())).unwrap_or_default();
            line.clone_into(&mut lines[at]);
        }
        _ => lines.truncate(at),
    }
    lines.join("\n") + "\n"
}

#[test]
fn changed_files_never_change_a_verdict() {
    let folder = Folder::new("contracts-mutated");
    let wrong = MCCARTHY.replace("r != 91", "r != 91 || n == -77");
    folder.file("safe.c", MCCARTHY);
    folder.file("unsafe.c", &wrong);
    let options = ["--engine", "recmc", "--quiet"];
    assert_eq!(check(&folder, &[&["safe.c"], &options[..]].concat()).code, 0);
    let files = contracts(&folder);
    let good: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let bodies: Vec<&str> = good.iter().map(|text| text.split_once('\n').unwrap().1).collect();
    let mut numbers = Numbers(317);
    for round in 0..72 {
        forget_verdicts(&folder);
        for (number, file) in files.iter().enumerate() {
            let other = bodies[numbers.below(bodies.len())];
            let mut parts: Vec<String> = Vec::new();
            // The lengths of parts are right, unless the mutation is about them.
            let inner = bodies[number].splitn(3, '\n').nth(2).unwrap();
            let mut text = mutated(inner, other, &mut numbers);
            for _ in 0..numbers.below(3) {
                text = mutated(&text, other, &mut numbers);
            }
            parts.push(format!("part {}\n{text}", text.len()));
            let body = format!("contracts\n{}", parts.concat());
            let body = if round % 8 == 0 { mutated(&body, other, &mut numbers) } else { body };
            fs::write(file, if round % 16 == 1 { body } else { sealed(&body) }).unwrap();
        }
        let (name, code) = if round % 4 == 3 { ("unsafe.c", 10) } else { ("safe.c", 0) };
        let finished = check(&folder, &[&[name], &options[..]].concat());
        assert_eq!(
            finished.code,
            code,
            "round {round}: {finished:?}\n{}",
            fs::read_to_string(&files[0]).unwrap()
        );
    }
}

#[test]
fn several_processes_use_one_folder() {
    let folder = Folder::new("contracts-together");
    let variants =
        [MCCARTHY.to_owned(), MCCARTHY.replace("-1000", "-2000"), MCCARTHY.replace("r != 91", "r < 91")];
    for (number, text) in variants.iter().enumerate() {
        folder.file(&format!("{number}.c"), text);
    }
    for _ in 0..2 {
        let start = |name: String| {
            let mut command = command();
            command.current_dir(folder.path()).stdout(std::process::Stdio::piped());
            let words =
                ["check", "--no-exec", "--cache", "cache", "--check", "none", "--quiet", name.as_str()];
            command.args(words).stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let running: Vec<_> = (0..variants.len()).map(|number| start(format!("{number}.c"))).collect();
        for child in running {
            let finished: Finished = child.wait_with_output().unwrap().into();
            assert_eq!((finished.code, finished.stderr.as_str()), (0, ""), "{finished:?}");
        }
        forget_verdicts(&folder);
    }
    let left: Vec<_> =
        fs::read_dir(folder.path().join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), contracts(&folder).len(), "{left:?}");
}
