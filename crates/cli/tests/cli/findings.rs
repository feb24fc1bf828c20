//! Findings for CI servers: `--format gitlab`, `--format junit`, and `--baseline`.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, plainly};

const BROKEN: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[4] = {0};
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 4) return 0;
  return a[i] < 0 && i & 1;
}
";

fn quality(text: &str) -> Vec<Value> {
    serde_json::from_str::<Value>(text).unwrap().as_array().unwrap().clone()
}

#[test]
fn gitlab_gets_an_entry_for_each_finding_whose_name_survives_edits_elsewhere() {
    let folder = Folder::new("quality");
    let file = folder.file("a.c", BROKEN);
    let name = file.to_str().unwrap();
    let finished = plainly(["check", "--no-exec", "--format", "gitlab", name]);
    assert_eq!(finished.code, 10, "{finished:?}");
    let found = quality(&finished.stdout);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["check_name"], "wayproof/array-bounds");
    assert_eq!(found[0]["severity"], "critical");
    assert_eq!(found[0]["location"]["lines"]["begin"], 6);
    fs::write(&file, format!("// a comment\n\n{BROKEN}")).unwrap();
    let moved = quality(&plainly(["check", "--no-exec", "--format", "gitlab", name]).stdout);
    assert_eq!(moved[0]["location"]["lines"]["begin"], 8);
    assert_eq!(moved[0]["fingerprint"], found[0]["fingerprint"]);
    let sarif = plainly(["check", "--no-exec", "--format", "sarif", name]).stdout;
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let named = sarif.pointer("/runs/0/results/0/partialFingerprints/wayproof~1v1");
    assert_eq!(named, Some(&found[0]["fingerprint"]));
    fs::write(&file, BROKEN.replace("i > 4", "i > 3")).unwrap();
    let mended = plainly(["check", "--format", "gitlab", name]);
    assert_eq!((mended.code, mended.stdout.as_str()), (0, "[]\n"));
}

#[test]
fn junit_has_a_test_case_for_each_check() {
    let folder = Folder::new("junit");
    let file = folder.file("a.c", BROKEN);
    let finished = plainly(["check", "--no-exec", "--format", "junit", file.to_str().unwrap()]);
    assert_eq!(finished.code, 10, "{finished:?}");
    let text = &finished.stdout;
    let cases = text.matches("<testcase ").count();
    assert!(cases >= 1 && text.contains(&format!("tests=\"{cases}\" failures=\"1\" errors=\"0\"")), "{text}");
    assert!(text.contains("name=\"array index out of bounds: `a[i]` in line 6\""), "{text}");
    assert!(text.contains("1. 4 for __VERIFIER_nondet_int()"), "{text}");
    // What a parser of XML would stumble over does not occur.
    assert!(!text.contains("a[i] < 0 &&"), "{text}");
    let refused = folder.file("b.c", "int main(void) { return x; }\n");
    let finished = plainly(["check", "--format", "junit", refused.to_str().unwrap()]);
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(finished.stdout.contains("errors=\"1\"") && finished.stdout.contains("<error "), "{finished:?}");
}

#[test]
fn only_findings_that_the_baseline_lacks_fail_the_run() {
    let folder = Folder::new("baseline");
    let file = folder.file("a.c", BROKEN);
    let (name, known) = (file.to_str().unwrap(), folder.path().join("known.json"));
    let output = format!("gitlab={}", known.display());
    assert_eq!(plainly(["check", "--no-exec", "--output", &output, name]).code, 10);
    let known = known.to_str().unwrap();
    let finished = plainly(["check", "--no-exec", "--baseline", known, name]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.contains("UNSAFE: ") && finished.stderr.contains("nothing new"), "{finished:?}");
    // Another defect is new.
    fs::write(&file, BROKEN.replace("return a[i]", "return 1 / (i - 2) + a[i]")).unwrap();
    assert_eq!(plainly(["check", "--no-exec", "--baseline", known, name]).code, 10);
    // The baseline is read, so it is not written over; and it has to be a report.
    let finished = plainly(["check", "--baseline", known, "--output", &output, name]);
    assert_eq!(finished.code, 1, "{finished:?}");
    let finished = plainly(["check", "--baseline", name, name]);
    assert!(finished.code == 1 && finished.stderr.contains("--output gitlab=FILE"), "{finished:?}");
}
