//! `check --report`: what is in the page. What it does in a browser is tested in crates/cli/tests/browser.

use std::fs;
use std::path::Path;

use expect_test::expect;
use serde_json::Value;

use crate::support::{Finished, Folder, wayproof};

/// A check with a page: the run, the page, and the data in it.
fn report(folder: &Folder, program: &str, options: &[&str]) -> (Finished, String, Value) {
    let file = folder.file("a.c", program);
    let page = folder.path().join("out.html");
    let words = ["check", file.to_str().unwrap(), "--no-exec", "--report", page.to_str().unwrap()];
    let finished = wayproof([&words, options].concat());
    let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{error}: {finished:?}"));
    let data = data(&text);
    (finished, text, data)
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

/// One line for each part, without what differs from run to run.
fn lines(data: &Value, folder: &Path) -> String {
    let is_stable = |name: &str| !["stages", "queries", "statistics", "tool"].contains(&name);
    let parts = data.as_object().unwrap().iter().filter(|(name, _)| is_stable(name));
    let lines: Vec<String> = parts.map(|(name, value)| format!("{name}: {value}\n")).collect();
    lines.concat().replace(folder.to_str().unwrap(), "FOLDER")
}

#[test]
fn the_page_of_a_proof_has_invariants_automata_summaries_and_tree() {
    let folder = Folder::new("html-safe");
    let program = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
         int n = __VERIFIER_nondet_int();\n  int i = 0;\n  while (i < n) i++;\n  if (n > 0 && i != n) reach_error();\n}\n";
    let (finished, _, data) = report(&folder, program, &[]);
    assert_eq!(finished.code, 0, "{finished:?}");
    expect![[r#"
        advice: null
        automata: {"all":[{"edges":[{"at":[0,4,11,4,34],"from":0,"text":["havoc n input \"__VERIFIER_nondet_int\""],"to":2},{"at":[0,5,3,5,13],"from":2,"text":["i := 0"],"to":3},{"at":[0,6,3,6,8],"from":3,"text":["[i < n]"],"to":4},{"at":[0,6,17,6,21],"from":4,"text":["i := i + 1"],"to":3},{"at":[0,6,3,6,8],"from":3,"text":["[n <= i]"],"to":5},{"at":[0,7,3,7,5],"from":5,"text":["[0 < n & i != n]"],"to":6},{"at":[0,7,24,7,37],"from":6,"text":[],"to":7},{"at":[0,7,3,7,5],"from":5,"text":["[!(0 < n & i != n)]"],"to":8},{"at":[0,7,24,7,38],"from":8,"text":["%result := 0"],"to":1}],"is_prepared":false,"loops":[{"head":3,"parent":null}],"name":"main()","nodes":[{"at":[0,4,3,4,35],"kind":"entry","loop":null},{"at":null,"kind":"exit","loop":null},{"at":[0,5,3,5,13],"kind":"plain","loop":null},{"at":[0,6,3,6,21],"kind":"loop","loop":0},{"at":[0,6,17,6,21],"kind":"plain","loop":0},{"at":[0,7,3,7,38],"kind":"plain","loop":null},{"at":[0,7,24,7,38],"kind":"plain","loop":null},{"at":[0,7,24,7,37],"kind":"error","loop":null},{"at":null,"kind":"plain","loop":null}]},{"edges":[{"at":[0,3,5,3,9],"from":0,"text":["call main() -> (_)"],"to":1}],"is_prepared":false,"loops":[],"name":"start of the program","nodes":[{"at":null,"kind":"entry","loop":null},{"at":null,"kind":"exit","loop":null}]},{"edges":[{"at":[0,4,11,4,34],"from":0,"text":["havoc n input \"__VERIFIER_nondet_int\"","i := 0"],"to":2},{"at":[0,6,3,6,8],"from":2,"text":["[i < n]","i := i + 1"],"to":2},{"at":[0,6,3,6,8],"from":2,"text":["[n <= i]","[0 < n & i != n]"],"to":3}],"is_prepared":true,"loops":[{"head":2,"parent":null}],"name":"the whole program, simplified for the search","nodes":[{"at":null,"kind":"entry","loop":null},{"at":null,"kind":"exit","loop":null},{"at":[0,6,3,6,21],"kind":"loop","loop":0},{"at":[0,7,24,7,37],"kind":"error","loop":null}]}],"omitted":0}
        checks: ["checked: the invariants were proved again (5 obligations)"]
        contracts: []
        facts: [["Program","FOLDER/a.c"],["Property","unreach-call"],["Engine","auto"],["Entry","main()"],["Data model","LP64"],["Proof","invariants at 3 locations exclude the error"],["Decided by","engine `gps` in round 1"],["Command","wayproof check --check none FOLDER/a.c --no-exec --report FOLDER/out.html"]]
        files: [{"id":0,"lines":["extern int __VERIFIER_nondet_int(void);","extern void reach_error(void);","int main(void) {","  int n = __VERIFIER_nondet_int();","  int i = 0;","  while (i < n) i++;","  if (n > 0 && i != n) reach_error();","}"],"name":"FOLDER/a.c","omitted":0}]
        headline: "SAFE: unreach-call holds"
        inputs: []
        invariants: [{"at":[0,6,3,6,3],"text":"i >= 0 && (n >= i || n <= 0)"}]
        invariants_suffice: true
        ledger: [{"at":null,"text":"data model LP64"},{"at":null,"text":"undefined behaviour ends an execution: signed overflow"}]
        mark: null
        stacks: []
        steps: []
        summaries: [{"at":[0,3,1,8,2],"text":"entry at line 3\n  to the error: impossible\n"},{"at":[0,6,3,6,21],"text":"loop at line 6\n  known of values:\n    i ≥ 0\n  any number of iterations (exact):\n    i' = i + k\n    k ≥ 0\n    if k ≥ 1:\n      i' ≤ n\n    where k is the number of iterations of the loop at line 6\n  to the error:\n    n < i\n    n ≥ 1\n"}]
        summaries_missing: null
        tree: {"covers":[null],"dropped":[0],"kept":[0],"labels":[0],"lines":[0],"more":0,"parents":[null],"states":[1],"texts":[""]}
        unreached: []
        verdict: "safe"
        verdicts: []
    "#]].assert_eq(&lines(&data, folder.path()));
    for part in ["stages", "queries", "statistics"] {
        assert!(!data[part].as_array().unwrap().is_empty(), "{part}");
    }
}

#[test]
fn the_page_of_a_proof_has_contracts() {
    let folder = Folder::new("html-contracts");
    let program = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
         int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }\n\
         int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (f(n) < 91) reach_error();\n}\n";
    let (finished, _, data) = report(&folder, program, &[]);
    assert_eq!(finished.code, 0, "{finished:?}");
    let contract = &data["contracts"][0];
    let (line, text) = (contract["at"][1].as_u64(), contract["text"].as_str());
    assert_eq!((line, text), (Some(3), Some("n <= 100 ==> \\result == 91")));
}

#[test]
fn the_page_of_a_violation_has_the_execution_with_values_in_their_frames() {
    let folder = Folder::new("html-unsafe");
    let program = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint total;\n\
         static void step(int *sum, int by) { *sum += by; total++; }\nint main(void) {\n  int n = __VERIFIER_nondet_int(), sum = 0;\n  \
         for (int i = 0; i < n; i++) step(&sum, 2);\n  if (sum == 20 && total == 10) reach_error();\n}\n";
    let (finished, _, data) = report(&folder, program, &[]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert_eq!(data["mark"]["text"], "the error is reached");
    assert_eq!(data["inputs"][0]["text"], "10 for __VERIFIER_nondet_int()");
    let words = |step: &Value| {
        let values = step["changes"].as_array().unwrap().iter();
        let changes = values.map(|value| format!(" {}={}@{}", value["name"], value["value"], value["frame"]));
        let line = &step["at"][1];
        let numbers =
            ["from", "to"].map(|name| step.get(name).map_or(String::new(), |number| format!(" {number}")));
        format!("{line} {}{}{}\n", step["kind"], numbers.concat(), changes.collect::<String>())
            .replace('"', "")
    };
    let story: String = data["steps"].as_array().unwrap().iter().map(words).collect();
    expect![[r#"
        3 statement total=0@null
        6 input n=10@0
        6 statement sum=0@0
        7 statement i=0@0
        7 round 1
        7 branch
        7 call sum=&sum@1 by=2@1
        4 statement sum=2@0
        4 statement total=1@null
        7 statement i=1@0
        7 folded 2 9
        7 round 10
        7 branch
        7 call sum=&sum@1 by=2@1
        4 statement sum=20@0
        4 statement total=10@null
        7 statement i=10@0
        7 branch
        8 branch
        8 violation
    "#]]
    .assert_eq(&story);
    let stacks = data["stacks"].as_array().unwrap();
    assert!(stacks.iter().any(|stack| stack[1]["name"] == "step" && stack[1]["at"][1] == 7), "{stacks:?}");
    assert!(stacks.iter().all(|stack| stack[0]["at"].is_null()), "nobody calls main: {stacks:?}");
}

#[test]
fn no_text_of_the_program_becomes_markup() {
    let folder = Folder::new("html-markup");
    let string = "</script><script>alert(1)</script><!-- \\\" </noscript>";
    let program = format!(
        "extern void reach_error(void);\nint main(void) {{\n  const char *s = \"{string}\";\n  \
         if (s[0] == '<') reach_error();\n}}\n"
    );
    let (finished, page, data) = report(&folder, &program, &[]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(!page.contains("alert(1)</script>"), "the source should be escaped");
    assert_eq!(page.matches("</script>").count(), 2, "the page has two scripts");
    assert_eq!(page.matches("</noscript>").count(), 1);
    let line = data["files"][0]["lines"][2].as_str().unwrap();
    assert_eq!(line, format!("  const char *s = \"{string}\";"));
}

#[test]
fn every_verdict_and_engine_has_a_page() {
    let folder = Folder::new("html-engines");
    let program = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint f(int n) { return n > 0 ? f(n / 2) + f(n - 1 - n / 2) : n; }\n\
         int main(void) { if (f(__VERIFIER_nondet_int()) > 0) reach_error(); }\n";
    let (finished, _, data) = report(&folder, program, &["--engine", "explicit"]);
    assert_eq!(finished.code, 5, "{finished:?}");
    assert_eq!(data["verdict"], "unknown");
    assert_eq!(data["tree"], Value::Null);
    assert_eq!(
        data["summaries_missing"],
        "the call of `f` is recursive and stays a call: one activation may make several recursive calls"
    );
    let (finished, _, data) = report(&folder, "int main(void) { return 0; }\n", &["--engine", "cra"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert_eq!(data["verdict"], "safe");
}

#[test]
fn a_page_that_cannot_be_written_loses_no_verdict() {
    let folder = Folder::new("html-unwritable");
    let file = folder.file("a.c", "int main(void) { return 0; }\n");
    let finished = wayproof(["check", file.to_str().unwrap(), "--report", "/dev/full"]);
    assert!(finished.stdout.starts_with("SAFE"), "{finished:?}");
    assert_eq!(finished.code, 6);
    assert!(finished.stderr.contains("/dev/full"), "{finished:?}");
}
