//! `check --trace`, and the same steps in the reports for programs.

use expect_test::expect;

use crate::support::{Folder, wayproof};

const LOOP: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int total;
static int twice(int x) {
  total += x;
  return 2 * x;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0, sum = 0;
  if (n != 300) return 0;
  while (i < n) {
    i++;
    total++;
  }
  sum = twice(i);
  if (sum == 600) reach_error();
  return 0;
}
";

fn path(text: &str) -> &str {
    let (_, rest) = text.split_once("\npath").unwrap();
    rest.split_once("checked:").unwrap().0
}

#[test]
fn a_path_is_told_with_loops_folded_and_without_what_does_not_matter() {
    let folder = Folder::new("steps");
    let file = folder.file("a.c", LOOP);
    let file = file.to_str().unwrap();
    let finished = wayproof(["check", "--no-exec", "--trace", file]);
    assert_eq!(finished.code, 10, "{finished:?}");
    expect![[r#"
        , with what the violation may depend on (`--trace=all` shows everything):
          in main
              9 | int n = __VERIFIER_nondet_int();                          int n = 300 (input 1)
             10 | int i = 0, sum = 0;                                       int i = 0, int sum = 0
             11 | if (n != 300) return 0;                                   false
             12 | while (i < n) {                                           iteration 1
             13 |   i++;                                                    i = 1
                | ... iterations 2 to 299 as above ...
             12 | while (i < n) {                                           iteration 300
             13 |   i++;                                                    i = 300
             12 | while (i < n) {                                           false
             16 | sum = twice(i);                                           call of twice(int x = 300)
          in twice, called at 16 by main
              6 |   return 2 * x;                                           return value = 600
          in main
             16 | sum = twice(i);                                           sum = 600
             17 | if (sum == 600) reach_error();                            true
             17 | if (sum == 600) reach_error();                            violation
    "#]]
    .assert_eq(path(&finished.stdout));
    let all = wayproof(["check", "--no-exec", "--trace=all", file]);
    assert!(path(&all.stdout).contains("total = 300"), "{}", all.stdout);
    let silent = wayproof(["check", "--no-exec", file]);
    assert!(!silent.stdout.contains("\npath"), "{}", silent.stdout);
}

#[test]
fn reports_for_programs_have_the_steps() {
    let folder = Folder::new("trace-json");
    let file = folder.file("a.c", LOOP);
    let sarif = folder.path().join("a.sarif");
    let output = format!("sarif={}", sarif.display());
    let finished =
        wayproof(["check", "--no-exec", "--format", "json", "--output", &output, file.to_str().unwrap()]);
    let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let steps = report["evidence"]["steps"].as_array().unwrap();
    let kinds: Vec<&str> = steps.iter().map(|step| step["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "input",
            "statement",
            "branch",
            "iteration",
            "branch",
            "statement",
            "iterations-as-above",
            "iteration",
            "branch",
            "statement",
            "branch",
            "call",
            "statement",
            "statement",
            "branch",
            "violation",
        ]
    );
    let folded = &steps[6];
    assert_eq!((folded["from"].as_u64(), folded["to"].as_u64()), (Some(2), Some(299)));
    assert_eq!(steps[12]["function"], "twice");
    assert_eq!(steps[0]["changes"][0]["value"], "300");
    let sarif: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(sarif).unwrap()).unwrap();
    let flow = sarif.pointer("/runs/0/results/0/codeFlows/0/threadFlows/0/locations").unwrap();
    assert_eq!(flow.as_array().unwrap().len(), kinds.len());
    assert_eq!(flow[0]["location"]["message"]["text"], "int n = 300 (input 1)");
}

#[test]
fn inputs_are_made_smaller_unless_the_user_wants_them_as_they_are() {
    let folder = Folder::new("shrink");
    let file = folder.file(
        "a.c",
        "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\nint main(void) {\n  \
         unsigned x = __VERIFIER_nondet_uint();\n  unsigned y = x + 1;\n  while (x < 1024) { x++; y++; }\n  \
         if (x != y) reach_error();\n  return 0;\n}\n",
    );
    let witness = folder.path().join("w.yml");
    let first = |options: &[&str]| {
        let words = [&["check", "--no-exec", "--format", "json", file.to_str().unwrap()], options].concat();
        let finished = wayproof(words);
        assert_eq!(finished.code, 10, "{finished:?}");
        let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
        report["evidence"]["inputs"][0]["value"].as_str().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(first(&["--witness", witness.to_str().unwrap()]), 0);
    assert!(first(&["--no-shrink"]) > 0);
    let witness = std::fs::read_to_string(witness).unwrap();
    assert!(witness.contains("\\result == 0\""), "{witness}");
}

/// Moving one input, or two, leaves the path of these: the solver has to move all of them at once.
#[test]
fn inputs_that_depend_on_each_other_are_made_smaller_together() {
    let folder = Folder::new("solve");
    let file = folder.file(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int a[4];\n  \
         for (int i = 0; i < 4; i++) {\n    a[i] = __VERIFIER_nondet_int();\n    \
         if (a[i] < -100000 || a[i] > 100000) return 0;\n  }\n  \
         if (a[0] + a[1] == 700 && a[1] + a[2] == 900 && a[2] + a[3] == 1500) reach_error();\n  return 0;\n}\n",
    );
    let finished = wayproof(["check", "--no-exec", "--format", "json", file.to_str().unwrap()]);
    assert_eq!(finished.code, 10, "{finished:?}");
    let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let inputs = report["evidence"]["inputs"].as_array().unwrap();
    let number = |input: &serde_json::Value| input["value"].as_str().unwrap().parse::<i64>().unwrap();
    assert_eq!(inputs.iter().map(|input| number(input).abs()).sum::<i64>(), 2200, "{inputs:?}");
}

#[test]
fn members_in_memory_have_their_names() {
    let folder = Folder::new("members");
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
         struct account { int id, limits[2]; union { int balance; char mark; }; } accounts[3];\n\
         void pay(struct account *from, int *limit, int n) { from->balance -= n; *limit = n; }\n\
         int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n != 4321) return 0;\n\
         \x20 pay(&accounts[1], &accounts[2].limits[1], n);\n\
         \x20 if (accounts[1].balance + accounts[2].limits[1] == 0) reach_error();\n  return 0;\n}\n";
    let file = folder.file("a.c", text);
    let finished = wayproof(["check", "--no-exec", "--trace", file.to_str().unwrap()]);
    assert_eq!(finished.code, 10, "{finished:?}");
    for part in [
        "from = &accounts[1], int * limit = &accounts[2].limits[1]",
        "accounts[1].balance = -4321",
        "accounts[2].limits[1] = 4321",
    ] {
        assert!(finished.stdout.contains(part), "{part}: {}", finished.stdout);
    }
}
