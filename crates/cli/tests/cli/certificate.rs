//! `check --certificate`: evidence that a script checks without this tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Finished, Folder, plainly};

const LOOP: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
    int main(void) { int n = __VERIFIER_nondet_int(), x = 0;\n  while (x < n) { x++; }\n  if (n >= 0 && x != n) { reach_error(); }\n  return 0; }\n";
const BUG: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
    int main(void) { if (__VERIFIER_nondet_int() == 77) { reach_error(); }\n  return 0; }\n";

fn write(folder: &Folder, text: &str, more: &[&str]) -> (Finished, PathBuf) {
    let (program, target) = (folder.file("program.c", text), folder.path().join("certificate"));
    let mut words = vec!["check", program.to_str().unwrap(), "--check", "none", "--quiet", "--certificate"];
    words.push(target.to_str().unwrap());
    words.extend(more);
    (plainly(words), target)
}

/// What the script of a certificate says.
fn script(certificate: &Path) -> Finished {
    let mut script = Command::new("python3");
    script.arg("-B").arg(certificate.join("check.py")).current_dir("/").output().unwrap().into()
}

#[test]
fn a_proof_is_written_with_its_obligations() {
    let folder = Folder::new("certificate-safe");
    let (finished, certificate) = write(&folder, LOOP, &[]);
    assert_eq!(finished.code, 0, "{finished:?}");
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(certificate.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["verdict"], "safe");
    assert_eq!(manifest["evidence"], "invariants");
    assert_eq!(manifest["sources"][0]["name"], "program.c");
    assert_eq!(manifest["rests_on"]["data_model"], "LP64");
    let files = manifest["files"].as_object().unwrap();
    assert!(files.contains_key("obligations/0001.smt2"), "{files:?}");
    assert!(files.keys().all(|name| certificate.join(name).is_file()));
    let obligation = fs::read_to_string(certificate.join("obligations/0001.smt2")).unwrap();
    assert!(obligation.contains("(check-sat)"), "{obligation}");
    // Without a solver the script says that it did not check anything.
    let checked = script(&certificate);
    let is_known =
        ["HOLDS: safe; ", "NOT CHECKED: No module"].iter().any(|start| checked.stdout.starts_with(start));
    assert!(is_known, "{checked:?}");
}

#[test]
fn invariants_are_looked_for_where_an_execution_has_decided() {
    let folder = Folder::new("certificate-execution");
    let text = "extern void reach_error(void);\nint main(void) { int x = 0;\n  while (x < 100000) { x += 2; }\n  if (x % 2) { reach_error(); }\n  return 0; }\n";
    let (finished, certificate) = write(&folder, text, &[]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(certificate.join("annotation.txt").is_file());
}

#[test]
fn a_violation_is_compiled_and_executed_by_the_script() {
    let folder = Folder::new("certificate-unsafe");
    let (finished, certificate) = write(&folder, BUG, &[]);
    assert_eq!(finished.code, 10, "{finished:?}");
    let checked = script(&certificate);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(checked.stdout.starts_with("HOLDS: unsafe; "), "{checked:?}");
    // Another input, with its hash: the program does not end in the violation.
    let harness = certificate.join("harness.c");
    let text = fs::read_to_string(&harness).unwrap();
    let other = text.replace("{ 0x4dULL }", "{ 0x4eULL }");
    assert_ne!(text, other);
    fs::write(&harness, &other).unwrap();
    let damaged = script(&certificate);
    assert_eq!(
        (damaged.code, damaged.stdout.starts_with("REJECTED: harness.c is not")),
        (1, true),
        "{damaged:?}"
    );
    let manifest = certificate.join("manifest.json");
    let (old, new) = (witness::format::hash(text.as_bytes()), witness::format::hash(other.as_bytes()));
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replace(&old, &new)).unwrap();
    let wrong = script(&certificate);
    assert_eq!((wrong.code, wrong.stdout.starts_with("REJECTED: the program ends")), (1, true), "{wrong:?}");
}

#[test]
fn an_unknown_verdict_has_no_certificate() {
    let folder = Folder::new("certificate-unknown");
    let text = "extern void reach_error(void);\nextern int f(int *);\nint main(void) { int x = 1; __asm__(\"nop\" : \"+r\"(x)); if (f(&x)) reach_error(); return 0; }\n";
    let (finished, certificate) = write(&folder, text, &[]);
    assert!(!certificate.join("manifest.json").exists());
    assert_ne!(finished.code, 0, "{finished:?}");
}

#[test]
fn a_certificate_is_about_one_property_and_writes_over_nothing() {
    let folder = Folder::new("certificate-refused");
    let program = folder.file("program.c", LOOP);
    let target = folder.path().join("certificate");
    let words = ["check", program.to_str().unwrap(), "--certificate", target.to_str().unwrap()];
    let finished = plainly(words);
    assert!(finished.stderr.contains("--certificate is about one property"), "{finished:?}");
    fs::create_dir_all(&target).unwrap();
    fs::write(target.join("mine.txt"), "mine").unwrap();
    let finished = plainly(words);
    assert!(finished.stderr.contains("--certificate would write over"), "{finished:?}");
    assert_eq!(fs::read_dir(&target).unwrap().count(), 1);
}
