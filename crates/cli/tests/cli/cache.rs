//! `--cache` and `--since`.

use std::fs;
use std::path::PathBuf;

use crate::support::{Finished, Folder, command, with_assertions};

const SAFE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                    int main(void) { int n = __VERIFIER_nondet_int(), s = 0, i = 0; if (n > 1000) return 0;\n\
                    while (i < n) { i++; s += 2; } if (n > 0 && s != 2 * n) reach_error(); return 0; }\n";
const UNSAFE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                      int main(void) { int n = __VERIFIER_nondet_int(); if (n == 4711) reach_error(); return 0; }\n";

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(["check", "--no-exec"].iter().chain(words)))
        .output()
        .unwrap()
        .into()
}

fn entries(folder: &Folder) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.path().join("cache")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn evidence_is_found_again_and_checked_again() {
    let folder = Folder::new("cache-again");
    for (name, text, code) in [("safe.c", SAFE, 0), ("unsafe.c", UNSAFE, 10)] {
        folder.file(name, text);
        let first = check(&folder, &[name, "--cache", "cache"]);
        assert_eq!(first.code, code, "{first:?}");
        assert!(!first.stdout.contains("from the cache"), "{}", first.stdout);
        // Layout and comments do not matter, and places are those of the new text.
        folder.file(name, format!("/* new */\n\n{}", text.replace(" s != ", "\n   s   != ")));
        let second = check(&folder, &[name, "--cache", "cache"]);
        assert_eq!(second.code, code, "{second:?}");
        assert!(
            second.stdout.contains("from the cache: found by an earlier run, checked again"),
            "{second:?}"
        );
        assert_eq!(second.stdout.contains("4711 for __VERIFIER_nondet_int() at unsafe.c:5:26"), code == 10);
        assert_eq!(second.stderr, "");
        let other = check(&folder, &[name, "--cache", "cache", "--signed-overflow", "wrap"]);
        assert!(!other.stdout.contains("from the cache"), "{}", other.stdout);
    }
    assert_eq!(entries(&folder).len(), 4);
}

#[test]
fn what_cannot_be_used_is_said_once_and_replaced() {
    let folder = Folder::new("cache-broken");
    folder.file("a.c", SAFE);
    assert_eq!(check(&folder, &["a.c", "--cache", "cache"]).code, 0);
    let entry = entries(&folder).pop().unwrap();
    let good = fs::read_to_string(&entry).unwrap();
    let another = good.replacen(env!("CARGO_PKG_VERSION"), "0.0.1", 1);
    let (head, body) = good.split_once('\n').unwrap();
    // Evidence that is whole but wrong does not pass its check.
    let kept = body.lines().filter(|line| !line.starts_with("known"));
    let wrong = kept.collect::<Vec<_>>().join("\n").replace("reached", "never");
    let head = head.rsplit_once(' ').unwrap().0;
    let wrong = format!("{head} {}\n{wrong}", witness::format::hash(wrong.as_bytes()));
    for (text, why) in [
        (good[..good.len() / 2].to_owned(), "it is damaged"),
        (good.replace("invariant", "mret"), "it is damaged"),
        (another, "it was made by version 0.0.1"),
        (String::new(), "it is not of this form"),
        (wrong, "the evidence did not pass its check"),
    ] {
        fs::write(&entry, &text).unwrap();
        let finished = check(&folder, &["a.c", "--cache", "cache"]);
        assert_eq!(finished.code, 0, "{finished:?}");
        assert_eq!(
            finished.stderr.matches("cannot be used and is replaced").count(),
            1,
            "{}",
            finished.stderr
        );
        assert!(finished.stderr.contains(why), "{why}: {}", finished.stderr);
        assert!(!finished.stdout.contains("from the cache"), "{}", finished.stdout);
        assert_eq!(fs::read_to_string(&entry).unwrap(), good);
    }
    // Somebody else's files are left alone, and links are not followed.
    fs::write(&entry, "my notes\n").unwrap();
    let finished = check(&folder, &["a.c", "--cache", "cache"]);
    assert!(
        finished.code == 0 && finished.stderr.contains("is not a cache file and is ignored"),
        "{finished:?}"
    );
    assert_eq!(fs::read_to_string(&entry).unwrap(), "my notes\n");
    fs::remove_file(&entry).unwrap();
    let target = folder.file("target.txt", "");
    std::os::unix::fs::symlink(&target, &entry).unwrap();
    assert_eq!(check(&folder, &["a.c", "--cache", "cache"]).code, 0);
    assert_eq!(fs::read_to_string(&target).unwrap(), "");
    let finished = check(&folder, &["a.c", "--cache", "a.c"]);
    assert_eq!(finished.code, 1);
    assert!(finished.stderr.contains("`a.c` is not a folder"), "{}", finished.stderr);
}

#[test]
fn evidence_that_was_made_by_hand_does_not_use_up_the_time() {
    // One input leads into a loop that does not end. That the error is not reached is seen at once.
    let endless = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                   int main(void) { unsigned y = 3; int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();\n\
                   if (n == 1) { while (1) { y = y * 1103515245u + 12345u; } }\n\
                   if (n > m && n < m) reach_error();\nreturn (int)y; }\n";
    let folder = Folder::new("cache-endless");
    folder.file("a.c", endless);
    let first = check(&folder, &["a.c", "--cache", "cache", "--timeout", "60"]);
    assert_eq!(first.code, 0, "{first:?}");
    let entry = entries(&folder).pop().unwrap();
    let good = fs::read_to_string(&entry).unwrap();
    let head = good.lines().next().unwrap().rsplit_once(' ').unwrap().0;
    for body in ["unsafe report\n1\n1\n", "unsafe choose\n1\n1\n"] {
        fs::write(&entry, format!("{head} {}\n{body}", witness::format::hash(body.as_bytes()))).unwrap();
        let finished = check(&folder, &["a.c", "--cache", "cache", "--timeout", "60"]);
        assert_eq!(finished.code, 0, "{finished:?}");
        assert!(finished.stderr.contains("its check takes too long"), "{}", finished.stderr);
        assert_eq!(fs::read_to_string(&entry).unwrap(), good);
    }
}

#[test]
fn a_list_uses_the_cache_and_shows_what_has_changed() {
    let folder = Folder::new("cache-list");
    folder.file("wayproof.toml", "cache = \"cache\"\n");
    folder.file("a.c", SAFE);
    folder.file("b.c", UNSAFE);
    let first = check(&folder, &["a.c", "b.c", "--csv", "t.csv"]);
    assert_eq!(first.code, 10, "{first:?}");
    assert_eq!(entries(&folder).len(), 2);
    let same = check(&folder, &["a.c", "b.c", "--since", "t.csv"]);
    assert_eq!(same.code, 0, "{same:?}");
    assert!(same.stdout.ends_with("0 of 2 tasks changed their verdict\n"), "{}", same.stdout);
    folder.file("a.c", SAFE.replace("s += 2", "s += 3"));
    let changed = check(&folder, &["a.c", "b.c", "--since", "t.csv"]);
    assert_eq!(changed.code, 10, "{changed:?}");
    assert!(changed.stdout.contains("was safe; violated at a.c:4"), "{}", changed.stdout);
    assert!(!changed.stdout.contains("b.c"), "{}", changed.stdout);
    let missing = check(&folder, &["a.c", "--since", "none.csv"]);
    assert_eq!(missing.code, 1, "{missing:?}");
}
