//! `check --bundle`: what a verdict depends on, and a script that repeats the run.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Finished, Folder, plainly};

/// Runs the script of a bundle in a folder that has nothing else.
fn reproduce(bundle: &Path) -> Finished {
    let mut script = Command::new(bundle.join("reproduce.sh"));
    script.arg("--quiet").current_dir("/").env("WAYPROOF", env!("CARGO_BIN_EXE_wayproof"));
    script.output().unwrap().into()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_run_is_repeated_without_headers_and_options_of_the_text() {
    let folder = Folder::new("bundle-headers");
    // A macro that is not to be applied twice.
    folder.file("limit.h", "#define LIMIT 5\n#define twice twice + twice\n");
    let text = "int twice = 2;\n#include \"limit.h\"\n#include <assert.h>\nint main(void) { assert(twice + BONUS != LIMIT); return 0; }\n";
    let program = folder.file("it's mine.c", text);
    let bundle = folder.path().join("bundle");
    let options = ["-DBONUS=1", "--signed-overflow", "wrap", "--check", "none"];
    let mut words = vec!["check", program.to_str().unwrap(), "--quiet", "--bundle", bundle.to_str().unwrap()];
    words.extend(options);
    let first = plainly(words);
    assert_eq!(first.code, 10, "{first:?}");
    assert_eq!(
        names(&bundle),
        [
            "1-it_s_mine.c",
            "1-it_s_mine.i",
            "bundle.json",
            "harness.c",
            "report.json",
            "report.txt",
            "reproduce.sh",
            "witness.yml"
        ]
    );
    assert_eq!(fs::read_to_string(bundle.join("1-it_s_mine.c")).unwrap(), text);
    fs::remove_file(folder.path().join("limit.h")).unwrap();
    fs::remove_file(&program).unwrap();
    let again = reproduce(&bundle);
    assert_eq!(again.code, 10, "{again:?}");
    let description: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(bundle.join("bundle.json")).unwrap()).unwrap();
    assert_eq!(description["exit_code"], 10);
    assert_eq!(description["command"][0], "check");
}

#[test]
fn an_archive_has_the_property_of_a_task_and_all_files() {
    let folder = Folder::new("bundle-archive");
    let main = folder.file("main.c", "int half(int);\nextern void reach_error(void);\nint main(void) { if (half(8) != 4) reach_error(); return 0; }\n");
    let half = folder.file("half.c", "int half(int n) { return n / 2; }\n");
    let property = folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let archive = folder.path().join("run.tar");
    let words = ["check", "--program", "--property"].map(str::to_owned).into_iter();
    let paths = [&property, &main, &half].map(|path| path.display().to_string());
    let rest = ["--quiet", "--bundle", archive.to_str().unwrap()].map(str::to_owned);
    let first = plainly(words.chain(paths).chain(rest));
    assert_eq!(first.code, 0, "{first:?}");
    let unpacked = Command::new("tar").args(["xf", "run.tar"]).current_dir(folder.path()).status().unwrap();
    assert!(unpacked.success());
    let bundle = folder.path().join("run");
    let found = names(&bundle);
    for name in ["1-main.c", "2-half.c", "property.prp", "witness.yml", "reproduce.sh"] {
        assert!(found.contains(&name.to_owned()), "{name}: {found:?}");
    }
    let again = reproduce(&bundle);
    assert_eq!((again.code, again.stdout), (0, first.stdout));
}

#[test]
fn nothing_is_written_over() {
    let folder = Folder::new("bundle-protect");
    let program = folder.file("p.c", "int main(void) { return 0; }\n");
    let full = folder.path().to_str().unwrap().to_owned();
    let taken = folder.file("taken.tar", "mine");
    for path in [&full, taken.to_str().unwrap(), program.to_str().unwrap()] {
        let refused = plainly(["check", program.to_str().unwrap(), "--bundle", path]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains("--bundle would write over"), "{refused:?}");
    }
    assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
    let list = plainly(["check", "examples/door_lock.c", "examples/gcd.c", "--bundle", "none"]);
    assert_eq!(list.code, 1, "{list:?}");
}

#[test]
fn lost_contract_comments_are_mentioned() {
    let folder = Folder::new("bundle-contract");
    let text = "#include <assert.h>\n//@ requires n > 0;\nint f(int n) { assert(n > 0); return n; }\n";
    let program = folder.file("f.c", text);
    let bundle = folder.path().join("b");
    let words = ["check", program.to_str().unwrap(), "--entry", "f", "--bundle", bundle.to_str().unwrap()];
    let finished = plainly(words);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stderr.contains("does not have the contract comments"), "{finished:?}");
}
