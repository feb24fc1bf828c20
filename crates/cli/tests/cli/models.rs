//! `--models`: what the user's C files say about functions without body.

use std::fs;

use crate::support::{Finished, Folder, command, with_assertions};

const PROGRAM: &str = "#include <assert.h>
extern int read_sensor(int channel);
int main(void) {
    int value = read_sensor(3);
    assert(value >= 0 && value <= 1023);
    return 0;
}
";
const SENSOR: &str = "extern int __VERIFIER_nondet_int(void);
static int clamp(int x) { return x < 0 ? 0 : x > 1023 ? 1023 : x; }
int read_sensor(int channel) { return channel < 8 ? clamp(__VERIFIER_nondet_int()) : -1; }
";

fn folder(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&format!("models-{name}"));
    for (file, text) in files {
        if let Some((inner, _)) = file.split_once('/') {
            fs::create_dir_all(folder.path().join(inner)).unwrap();
        }
        folder.file(file, *text);
    }
    folder
}

fn run(folder: &Folder, words: &[&str]) -> Finished {
    command().current_dir(folder.path()).args(with_assertions(words)).output().unwrap().into()
}

#[test]
fn a_model_decides_what_a_function_without_body_does() {
    let folder = folder(
        "sensor",
        &[("a.c", PROGRAM), ("m/sensor.c", SENSOR), ("m/other.c", "int other(void) { return 1; }\n")],
    );
    let without = run(&folder, &["check", "a.c", "--no-exec"]);
    assert_eq!(without.code, 10, "{}", without.stdout);
    let with = run(&folder, &["check", "a.c", "--models", "m"]);
    assert_eq!(with.code, 0, "{}{}", with.stdout, with.stderr);
    assert!(
        with.stdout.contains("function `read_sensor` does what the model `m/sensor.c` says (command line)"),
        "{}",
        with.stdout
    );
    assert!(!with.stdout.contains("other.c"), "{}", with.stdout);
}

#[test]
fn a_violation_inside_of_a_model_is_replayed_and_compiled() {
    let broken = SENSOR.replace("x > 1023 ? 1023 : x", "x > 1024 ? 1023 : x");
    let folder = folder("broken", &[("a.c", PROGRAM), ("sensor.c", &broken)]);
    let finished = run(&folder, &["check", "a.c", "--models", "sensor.c"]);
    assert_eq!(finished.code, 10, "{}{}", finished.stdout, finished.stderr);
    assert!(
        finished.stdout.contains("1024 for __VERIFIER_nondet_int() at sensor.c:3"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stdout.contains("compiled and executed, the program ends in the violation"),
        "{}",
        finished.stdout
    );
}

#[test]
fn a_model_replaces_a_function_of_the_c_library() {
    let program = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(getenv(\"HOME\") == 0); return 0; }\n";
    let model = "char *getenv(const char *name) { return 0; }\n";
    let folder = folder("library", &[("a.c", program), ("getenv.c", model)]);
    assert_ne!(run(&folder, &["check", "a.c", "--no-exec"]).code, 0);
    assert_eq!(run(&folder, &["check", "a.c", "--models", "getenv.c"]).code, 0);
}

#[test]
fn the_settings_may_name_models() {
    let settings = "models = [\"m\"]\n";
    let folder = folder("settings", &[("a.c", PROGRAM), ("m/sensor.c", SENSOR), ("wayproof.toml", settings)]);
    let finished = run(&folder, &["check", "a.c"]);
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    assert!(
        finished.stdout.contains("does what the model `m/sensor.c` says (wayproof.toml)"),
        "{}",
        finished.stdout
    );
}

#[test]
fn witnesses_are_validated_with_the_same_models() {
    let broken = SENSOR.replace("x > 1023 ? 1023 : x", "x > 1024 ? 1023 : x");
    let folder = folder("witness", &[("a.c", PROGRAM), ("sensor.c", &broken)]);
    let words = ["check", "a.c", "--models", "sensor.c", "--no-exec", "--witness", "w.yml"];
    assert_eq!(run(&folder, &words).code, 10);
    let judged = run(&folder, &["validate", "a.c", "--models", "sensor.c", "--witness", "w.yml"]);
    assert!(judged.stdout.contains("CONFIRMED"), "{}{}", judged.stdout, judged.stderr);
}

#[test]
fn what_cannot_be_used_is_one_message_with_its_place() {
    let own = "int main(void) { return 1; }\nint read_sensor(int channel) { return channel; }\n";
    let folder = folder(
        "bad",
        &[
            ("a.c", PROGRAM),
            ("own.c", own),
            ("wrong.c", "int read_sensor(int channel) { return }\n"),
            ("none/a.txt", ""),
        ],
    );
    for (models, message, code) in [
        ("own.c", "error: the model defines `main`, which has another definition\n --> own.c:1:5", 2),
        ("wrong.c", "--> wrong.c:1:39", 2),
        ("none", "there is no C file in the folder `none`", 1),
        ("missing", "cannot read `missing`", 1),
    ] {
        let finished = run(&folder, &["check", "a.c", "--models", models]);
        assert_eq!(finished.code, code, "{models}: {}{}", finished.stdout, finished.stderr);
        assert!(finished.stderr.contains(message), "{models}: {}", finished.stderr);
        assert_eq!(finished.stderr.matches("error:").count(), 1, "{}", finished.stderr);
    }
}
