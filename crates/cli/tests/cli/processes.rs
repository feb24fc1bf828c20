//! The veto of the compiled program, and the programs that are started: their limits, and that none of them stays.
//!
//! Most tests come with a "compiler" of their own, a script that makes the program which is then run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Finished, Folder, command, with_assertions};

const BUG: &str = "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";

/// A compiler whose programs are this script.
fn compiler(folder: &Folder, program: &str) -> PathBuf {
    folder.file("program", format!("#!/bin/sh\n{program}\n"));
    let program = folder.path().join("program");
    let compiler =
        folder.file("compiler", format!("#!/bin/sh\ncp '{}' harness\nchmod +x harness\n", program.display()));
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    compiler
}

fn check(folder: &Folder, program: &str, words: &[&str]) -> Finished {
    let bug = folder.file("bug.c", BUG);
    let mut command = command();
    command
        .current_dir(folder.path())
        .env("CC", compiler(folder, program))
        .args(["check", "--check", "none"])
        .arg(bug);
    command.args(words).output().unwrap().into()
}

/// Whether a process runs with a word in its command line.
fn runs(word: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).split('\0').any(|found| found == word)
    })
}

/// What a process is killed with ends soon, but not at once.
fn ends(word: &str) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if !runs(word) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Waits until a process runs.
fn starts(word: &str) {
    let start = Instant::now();
    while !runs(word) {
        assert!(start.elapsed() < Duration::from_secs(60), "{word} does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A number of seconds by which a `sleep` is known.
fn long(number: u32) -> String {
    format!("{}.{}", 1000 + number, std::process::id())
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_compiled_program_that_does_something_else_has_a_veto_in_every_format() {
    let folder = Folder::new("veto");
    let reason = "the compiled program does not end in the violation: it exits with 3";
    for format in ["human", "json", "svcomp", "sarif", "github", "gitlab", "junit", "annotate"] {
        let finished = check(&folder, "exit 3", &["--format", format]);
        assert_eq!(finished.code, 5, "{format}: {finished:?}");
        assert!(finished.stdout.contains(reason) || format == "svcomp", "{format}: {finished:?}");
        assert!(!finished.stdout.contains("UNSAFE"), "{format}: {finished:?}");
    }
    // What the compiled program does need not be a defect of ours.
    let advised = check(&folder, "exit 3", &[]).stdout;
    assert!(advised.contains("what may help: the program may depend on addresses"), "{advised}");
    assert!(!advised.contains("nothing on your side"), "{advised}");
    let finished = check(&folder, "exit 3", &["--format", "svcomp", "--quiet"]);
    assert!(finished.stdout.contains("RESULT: unknown"), "{finished:?}");
    assert_eq!(check(&folder, "exit 3", &["--quiet"]).code, 5);
    // A program that exits as a harness does, but has not reported, has not ended in the violation.
    assert_eq!(check(&folder, "exit 10", &[]).code, 5);
    assert_eq!(check(&folder, "echo 'wayproof: the property is violated' >&2; exit 10", &[]).code, 10);
    assert_eq!(check(&folder, "exit 3", &["--no-exec"]).code, 10);
}

#[test]
fn a_verdict_with_a_veto_is_written_nowhere() {
    let folder = Folder::new("veto-files");
    let words = [
        "--witness",
        "w.yml",
        "--harness",
        "h.c",
        "--testcase",
        "tests",
        "--report",
        "r.html",
        "--cache",
        "kept",
        "--output",
        "json=r.json",
        "--output",
        "sarif=r.sarif",
    ];
    let finished = check(&folder, "exit 0", &words);
    assert_eq!(finished.code, 5, "{finished:?}");
    for name in ["w.yml", "h.c", "tests", "kept"] {
        assert!(!folder.path().join(name).exists(), "{name}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!((&json["verdict"], &json["reason"]["code"]), (&"unknown".into(), &"not-certified".into()));
    assert_eq!(json["compiled_program"]["outcome"], "differs");
    assert!(
        read("r.html").contains("it exits with 0")
            && !read("r.sarif").contains("\"ruleId\": \"unreach-call\"")
    );
}

#[test]
fn a_program_that_reaches_a_limit_has_no_veto() {
    let folder = Folder::new("no-veto");
    for (program, why) in [
        ("kill -XCPU $$", "time limit"),
        ("kill -XFSZ $$", "file size limit"),
        ("echo text > file", "file size limit"),
        ("kill -KILL $$", "a limit of the system"),
        ("kill -STOP $$", "took too long"),
    ] {
        let finished = check(&folder, program, &["--timeout", "60"]);
        assert_eq!(finished.code, 10, "{program}: {finished:?}");
        assert!(finished.stdout.contains(why), "{program}: {finished:?}");
    }
    let finished = check(&folder, "kill -SEGV $$", &[]);
    assert!(finished.stdout.contains("ended by signal 11 (segmentation fault)"), "{finished:?}");
}

#[test]
fn nothing_that_a_program_leaves_running_stays_or_is_waited_for() {
    let folder = Folder::new("left");
    let message = "echo 'wayproof: the property is violated' >&2; exit 10";
    let mut start;
    for (number, left) in [
        (1, "sleep SECONDS &"),
        (2, "setsid sleep SECONDS &"),
        // Twice removed, deaf to polite signals, holding all streams open.
        (3, "(setsid sh -c 'trap \"\" TERM HUP INT; (setsid sleep SECONDS &) ; sleep SECONDS' &) &"),
        (4, "sleep SECONDS & kill -STOP $!"),
    ] {
        start = Instant::now();
        let program = format!("{}\nsleep 0.2\n{message}", left.replace("SECONDS", &long(number)));
        let finished = check(&folder, &program, &["--timeout", "60"]);
        assert_eq!(finished.code, 10, "{left}: {finished:?}");
        assert!(finished.stdout.contains("ends in the violation"), "{left}: {finished:?}");
        assert!(ends(&long(number)), "{left}");
        assert!(start.elapsed() < Duration::from_secs(50), "{left}");
    }
}

#[test]
fn an_orphan_that_ends_by_an_unnamed_signal_is_not_taken_for_the_program() {
    let folder = Folder::new("orphan");
    // The middle process ends first, so that the supervisor gets the inner one, whose signal is a real-time one.
    let script = "sh -c 'sh -c \"sleep 0.1; kill -40 \\$\\$\" &'\nsleep 0.4\nexit 3";
    let finished = check(&folder, script, &[]);
    assert!(finished.stdout.contains("it exits with 3"), "{finished:?}");
}

#[test]
fn a_program_that_attacks_its_supervisor_is_ended_all_the_same() {
    let folder = Folder::new("attack");
    for (number, attack) in [(11, "KILL"), (12, "STOP")] {
        let program = format!("sleep {} & kill -{attack} $PPID; sleep {}", long(number), long(number));
        let start = Instant::now();
        let finished = check(&folder, &program, &["--timeout", "60"]);
        assert_eq!(finished.code, 10, "{attack}: {finished:?}");
        assert!(ends(&long(number)), "{attack}");
        assert!(start.elapsed() < Duration::from_secs(50), "{attack}");
    }
}

#[test]
fn a_program_that_only_multiplies_is_ended() {
    let folder = Folder::new("multiply");
    let seconds = long(21);
    let finished = check(&folder, &format!("while :; do sleep {seconds} & done"), &["--timeout", "60"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    let ended =
        ["starts too many processes", "took too long"].iter().any(|why| finished.stdout.contains(why));
    assert!(ended, "{finished:?}");
    assert!(ends(&seconds));
}

#[test]
fn programs_end_with_a_process_that_is_killed() {
    let folder = Folder::new("killed");
    let bug = folder.file("bug.c", BUG);
    for (number, name) in [(31, "KILL"), (32, "TERM"), (33, "INT"), (34, "HUP")] {
        let program = format!("(setsid sleep {} &); sleep {}", long(number), long(number));
        let mut child = command()
            .env("CC", compiler(&folder, &program))
            .args(["check", "--check", "none", bug.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        starts(&long(number));
        signal(name, child.id());
        let status = child.wait().unwrap();
        assert_eq!(status.code(), if name == "KILL" { None } else { Some(10) }, "{name}");
        assert!(ends(&long(number)), "{name}");
    }
}

#[test]
fn a_list_that_is_killed_takes_its_tasks_and_their_programs_along() {
    let folder = Folder::new("killed-list");
    folder.file("a.c", BUG);
    folder.file("b.c", BUG);
    let seconds = long(41);
    let program = format!("setsid sleep {seconds}");
    let mut child = command()
        .current_dir(folder.path())
        .env("CC", compiler(&folder, &program))
        .args(["check", "--check", "none", "a.c", "b.c", "--jobs", "1", "--timeout", "300"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    starts(&seconds);
    signal("KILL", child.id());
    child.wait().unwrap();
    assert!(ends(&seconds) && ends("--format=json"));
}

fn fifo(folder: &Folder, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[test]
fn a_preprocessor_that_does_not_end_is_ended() {
    let folder = Folder::new("preprocessor");
    let pipe = fifo(&folder, "pipe.h");
    let file =
        folder.file("hang.c", format!("#include \"{}\"\nint main(void) {{ return 0; }}\n", pipe.display()));
    let file = file.to_str().unwrap();
    let start = Instant::now();
    let finished: Finished =
        command().args(["check", "--check", "none", "--timeout", "1", file]).output().unwrap().into();
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (5, "UNKNOWN: time limit reached\n"),
        "{finished:?}"
    );
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(ends(file));
    let child = command()
        .args(["check", "--check", "none", file])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    starts("-E");
    std::thread::sleep(Duration::from_millis(100));
    signal("INT", child.id());
    let finished: Finished = child.wait_with_output().unwrap().into();
    assert_eq!((finished.code, finished.stdout.as_str()), (5, "UNKNOWN: interrupted\n"), "{finished:?}");
    assert!(ends(file));
}

#[test]
fn a_file_without_end_is_not_read_to_the_end() {
    let folder = Folder::new("endless");
    let file = folder.file("zero.c", "#include \"/dev/zero\"\nint main(void) { return 0; }\n");
    let finished: Finished = command()
        .args(["check", "--check", "none", "--timeout", "20", file.to_str().unwrap()])
        .output()
        .unwrap()
        .into();
    assert!([2, 5].contains(&finished.code), "{finished:?}");
    assert!(ends(file.to_str().unwrap()));
    // A preprocessed text may name any file as its origin.
    let file = folder.file("line.i", format!("# 1 \"/dev/zero\"\n{BUG}"));
    let finished: Finished =
        command().args(["check", "--check", "none", "--no-exec"]).arg(file).output().unwrap().into();
    assert_eq!(finished.code, 10, "{finished:?}");
}

#[test]
fn what_is_no_file_is_refused_by_name() {
    let folder = Folder::new("oddities");
    let pipe = fifo(&folder, "pipe.c").display().to_string();
    let bug = folder.file("bug.c", BUG).display().to_string();
    let run =
        |words: &[&str]| -> Finished { command().args(with_assertions(words)).output().unwrap().into() };
    for words in [
        &["check", pipe.as_str()][..],
        &["check", &bug, "--property", &pipe],
        &["check", &bug, "-p", &pipe],
        &["validate", &bug, "--witness", &pipe],
        &["check", &bug, "--since", &pipe],
    ] {
        let finished = run(words);
        assert!(
            finished.code == 1 && finished.stderr.contains("is a fifo, not a file"),
            "{words:?}: {finished:?}"
        );
    }
    let finished = run(&["check", "/dev/zero"]);
    assert!(finished.stderr.contains("`/dev/zero`: it is a device, not a file"), "{finished:?}");
}

#[test]
fn a_file_of_the_cache_is_read_with_a_limit() {
    let folder = Folder::new("cache-limit");
    let bug = folder.file("bug.c", BUG);
    let cache = folder.path().join("kept");
    let run = || -> Finished {
        let mut command = command();
        command
            .args(["check", "--check", "none", "--no-exec", "--cache"])
            .arg(&cache)
            .arg(&bug)
            .output()
            .unwrap()
            .into()
    };
    assert_eq!(run().code, 10);
    let kept = fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(&kept).unwrap();
    std::os::unix::fs::symlink(Path::new("/dev/zero"), &kept).unwrap();
    let finished = run();
    assert_eq!(finished.code, 10);
    assert!(finished.stderr.contains("is not a cache file and is ignored"), "{finished:?}");
    // One that starts like a file of a cache, and does not end.
    fs::remove_file(&kept).unwrap();
    let huge = fs::File::create(&kept).unwrap();
    std::io::Write::write_all(&mut &huge, b"wayproof cache 2 ").unwrap();
    huge.set_len(1 << 40).unwrap();
    let finished = run();
    assert_eq!(finished.code, 10);
    assert!(finished.stderr.contains("cannot be used and is replaced"), "{finished:?}");
    assert!(fs::metadata(&kept).unwrap().len() < 1 << 20);
}

/// Thirty choices that must meet four sums at once: one question that keeps a solver busy for long.
fn hard() -> String {
    let mut text =
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n\
                    int x, a = 0, b = 0, c = 0, d = 0;\n"
            .to_owned();
    let (mut state, mut sums) = (7_u64, [0; 4]);
    for _ in 0..30 {
        text += "x = __VERIFIER_nondet_int(); if (x < 0 || x > 1) return 0;";
        for (name, sum) in ["a", "b", "c", "d"].iter().zip(&mut sums) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let weight = (state >> 33) % 99 + 1;
            *sum += weight;
            for part in [" ", name, " += ", &weight.to_string(), " * x;"] {
                text += part;
            }
        }
        text += "\n";
    }
    let [a, b, c, d] = sums.map(|sum| sum / 2);
    text + &format!("if (a == {a} && b == {b} && c == {c} && d == {d}) reach_error();\nreturn 0; }}\n")
}

#[test]
fn an_interrupt_ends_a_search_with_a_report() {
    let folder = Folder::new("interrupt");
    let file = folder.file("hard.c", hard());
    for name in ["INT", "TERM"] {
        let child = command()
            .args(["check", "--check", "none", "--no-exec"])
            .arg(&file)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs(2));
        let start = Instant::now();
        signal(name, child.id());
        let finished: Finished = child.wait_with_output().unwrap().into();
        // Which engines were tried follows.
        let is_told = finished.stdout.starts_with("UNKNOWN: interrupted\n");
        assert!(finished.code == 5 && is_told, "{name}: {finished:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "{name}");
    }
}

#[test]
fn the_memory_of_a_task_is_that_of_all_its_programs() {
    let folder = Folder::new("memory");
    // Fills memory until it is ended.
    let program = "exec awk 'BEGIN { s = \"0123456789\"; while (length(s) < 1000000) s = s s; while (1) kept[count++] = s count }'";
    folder.file("b.c", BUG);
    let output = command()
        .current_dir(folder.path())
        .env("CC", compiler(&folder, program))
        .args([
            "check",
            "--check",
            "none",
            "b.c",
            "--jobs",
            "1",
            "--memory",
            "300",
            "--timeout",
            "60",
            "--csv",
            "t.csv",
        ])
        .output()
        .unwrap();
    let finished: Finished = output.into();
    assert_eq!(finished.code, 10, "{finished:?}");
    let table = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(table.contains("b.c,unsafe"), "{table}");
}
