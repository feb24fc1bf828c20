//! Witnesses: what `check` writes, `validate` confirms, and what is wrong it does not.

#[path = "../../../testkit/src/require.rs"]
mod require;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Finished, Folder, wayproof};

const LOCK: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
int main(void) {
    int key = __VERIFIER_nondet_int();
    int pin = __VERIFIER_nondet_int(); unsigned long big = __VERIFIER_nondet_ulong();
    if (key == -4711 && pin == key + 5) {
        if (big > 18446744073709551610UL) { reach_error(); }
    }
    return 0;
}
";

const LOOP: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0, s = 0;
    if (n < 0 || n > 1000) return 0;
    while (i < n) {
        i = i + 1;
        s = s + 2;
    }
    if (s != 2 * n) reach_error();
    return 0;
}
";

/// Checks a program and returns its witness.
fn witness_of(folder: &Folder, program: &Path, code: i32) -> PathBuf {
    let witness =
        folder.path().join(format!("{}.witness.yml", program.file_stem().unwrap().to_string_lossy()));
    let arguments =
        ["check".as_ref(), program, "--no-exec".as_ref(), "--witness".as_ref(), witness.as_path()];
    let finished = wayproof(arguments);
    assert_eq!(finished.code, code, "{finished:?}");
    witness
}

fn validate(program: &Path, witness: &Path) -> Finished {
    wayproof([
        "validate".as_ref(),
        program,
        "--witness".as_ref(),
        witness,
        "--timeout".as_ref(),
        "20".as_ref(),
    ])
}

/// The judgement on a changed witness.
fn changed(folder: &Folder, program: &Path, witness: &Path, from: &str, to: &str) -> Finished {
    let text = fs::read_to_string(witness).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    let mutant = folder.file("mutant.yml", text.replacen(from, to, 1));
    validate(program, &mutant)
}

#[test]
fn a_violation_is_confirmed_and_changes_of_it_are_not() {
    let folder = Folder::new("violation");
    let program = folder.file("lock.c", LOCK);
    let witness = witness_of(&folder, &program, 10);
    let confirmed = validate(&program, &witness);
    assert_eq!(
        (confirmed.code, confirmed.stdout.as_str()),
        (0, "CONFIRMED: the stated values lead to the violation\n")
    );
    for (from, to) in [
        ("== -4711", "== -4710"),
        ("== -4706", "== 4706"),
        ("== -4711", "!= -4711"),
        ("line: 5", "line: 6"),
        ("line: 8\n", "line: 7\n"),
        ("line: 8\n", "line: 10\n"),
        ("column: 37", "column: 36"),
        ("type: target", "type: function_enter"),
    ] {
        let judged = changed(&folder, &program, &witness, from, to);
        assert!(judged.code != 0, "{from} -> {to}: {judged:?}");
    }
    let refuted = changed(&folder, &program, &witness, "== -4711", "== -4710");
    assert_eq!(refuted.code, 10, "{refuted:?}");
}

#[test]
fn invariants_are_confirmed_and_false_ones_are_refuted() {
    let folder = Folder::new("invariants");
    let program = folder.file("loop.c", LOOP);
    let witness = witness_of(&folder, &program, 0);
    let confirmed = validate(&program, &witness);
    assert_eq!(confirmed.code, 0, "{confirmed:?}");
    let text = fs::read_to_string(&witness).unwrap();
    assert!(text.contains("type: loop_invariant"), "{text}");
    let value = text.lines().find(|line| line.trim_start().starts_with("value:")).unwrap().to_owned();
    let judged = |value_to: &str, expected: i32| {
        let judged = changed(&folder, &program, &witness, &value, &format!("        value: \"{value_to}\""));
        assert_eq!(judged.code, expected, "{value_to}: {judged:?}");
        judged
    };
    judged("s == 2 * i && i <= n", 0);
    judged("s == 2 * i && i < n", 10);
    judged("s == i", 10);
    judged("i < 1000", 10);
    let moved = changed(&folder, &program, &witness, "line: 7", "line: 8");
    assert_eq!(moved.code, 2, "{moved:?}");
    // Undefined behaviour in an invariant must not hide the rest of the program.
    let unsafe_program = folder.file("bug.c", LOOP.replace("s != 2 * n", "s == 2 * n"));
    let hash = |path: &Path| evidence_hash(&fs::read(path).unwrap());
    let text = text.replace(&hash(&program), &hash(&unsafe_program)).replace("loop.c", "bug.c");
    for value_to in ["1 / 0", "i / (s - s)", "i + 2147483647 > 0 || 1", "s == 2 * i", "1"] {
        let mutant = text.replace(&value, &format!("        value: \"{value_to}\""));
        let mutant = folder.file("mutant.yml", mutant);
        let judged = validate(&unsafe_program, &mutant);
        assert!(judged.code == 10 || judged.code == 5, "{value_to}: {judged:?}");
    }
}

pub(crate) fn evidence_hash(text: &[u8]) -> String {
    witness::format::hash(text)
}

const MCCARTHY: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int calls;
static int mccarthy(int n) {
    if (n > 100) return n - 10;
    return mccarthy(mccarthy(n + 11));
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    int result = mccarthy(n);
    if (n <= 101 && result != 91) reach_error();
    return 0;
}
";

#[test]
fn contracts_are_written_confirmed_and_false_ones_refuted() {
    let folder = Folder::new("contracts");
    let program = folder.file("mccarthy.c", MCCARTHY);
    let witness = witness_of(&folder, &program, 0);
    let text = fs::read_to_string(&witness).unwrap();
    let expected = "    - contract:
        type: function_contract
        location:
          file_name: \"mccarthy.c\"
          line: 4
          column: 1
          function: \"mccarthy\"
        requires: \"1\"
        ensures: ";
    assert!(text.contains(expected) && text.contains("format_version: \"2.1\""), "{text}");
    assert!(text.contains("\\\\at(n, Old)") && text.contains("\\\\result"), "{text}");
    let confirmed = validate(&program, &witness);
    assert_eq!(confirmed.code, 0, "{confirmed:?}");
    assert!(confirmed.stdout.starts_with("CONFIRMED: the contracts hold"), "{confirmed:?}");
    let ensures = text.lines().find(|line| line.trim_start().starts_with("ensures:")).unwrap().to_owned();
    for (value, code) in [
        ("\\\\result >= 91", 0),
        ("\\\\old(n) <= 101 ? \\\\result == 91 : \\\\result == \\\\at(n, Pre) - 10", 0),
        ("\\\\result >= 92", 10),
        ("\\\\result == 91", 10),
        ("calls == \\\\at(calls, Old)", 0),
    ] {
        let judged = changed(&folder, &program, &witness, &ensures, &format!("        ensures: \"{value}\""));
        assert_eq!(judged.code, code, "{value}: {judged:?}");
    }
    for (from, to, code, message) in [
        ("requires: \"1\"", "requires: \"n < 0\"", 10, "a contract false"),
        ("          column: 1\n", "", 0, "CONFIRMED"),
        ("          function: \"mccarthy\"", "          function: \"main\"", 2, "no function"),
        ("format_version: \"2.1\"", "format_version: \"2.0\"", 2, "has no contracts"),
        ("type: function_contract", "type: loop_contract", 2, "are not known"),
        ("format: ext_c_expression", "format: acsl_expression", 2, "it should be ext_c_expression"),
        ("        requires: \"1\"\n", "", 2, "requires"),
        (
            "format: ext_c_expression",
            "format: ext_c_expression\n        labels:\n          - inductive",
            0,
            "CONFIRMED",
        ),
        ("format: ext_c_expression", "format: ext_c_expression\n        labels: [true]", 2, "label"),
    ] {
        let judged = changed(&folder, &program, &witness, from, to);
        let said = judged.stdout.contains(message) || judged.stderr.contains(message);
        assert!(judged.code == code && said, "{to}: {judged:?}");
    }
}

#[test]
fn code_in_a_witness_is_refused() {
    let folder = Folder::new("injection");
    let program = folder.file("loop.c", LOOP);
    let witness = witness_of(&folder, &program, 0);
    let text = fs::read_to_string(&witness).unwrap();
    let value = text.lines().find(|line| line.trim_start().starts_with("value:")).unwrap().to_owned();
    for code in [
        "reach_error()",
        "(reach_error)(), 1",
        "((__VERIFIER_nondet_int))()",
        "1); reach_error(); (1",
        "i = 0",
        "i++ > 0",
        "({ i; })",
        "1 /* ",
        "1 // ",
        "",
        "nothing_of_that_name",
        "i +",
        "1 ? i",
    ] {
        let judged = changed(&folder, &program, &witness, &value, &format!("        value: \"{code}\""));
        assert_eq!(judged.code, 2, "{code}: {judged:?}");
        assert!(
            judged.stderr.starts_with("error: the witness `") && judged.stderr.contains("cannot be used"),
            "{code}: {}",
            judged.stderr
        );
    }
}

#[test]
fn what_is_no_witness_is_said_to_be_none() {
    let folder = Folder::new("malformed");
    let program = folder.file("lock.c", LOCK);
    let witness = witness_of(&folder, &program, 10);
    for (from, to, words) in [
        ("format_version: \"2.0\"", "format_version: \"3.0\"", "format_version is `3.0`"),
        ("data_model: LP64", "data_model: LP63", "data_model is `LP63`"),
        ("data_model: LP64", "data_model: ILP32", "the data model ILP32"),
        ("language: C", "language: Java", "language is `Java`"),
        ("      language: C\n", "", "language"),
        ("- entry_type: violation_sequence", "- entry_type: invariants", "are not known"),
        ("- entry_type: violation_sequence", "- entry_type: invariant_set", "consists of invariants"),
        ("type: target", "type: goal", "waypoints of type `goal`"),
        ("action: follow", "action: lead", "action is `lead`"),
        ("action: follow", "action: avoid", "a segment ends with its only `follow`"),
        ("line: 5", "line: five", "five"),
        ("line: 5", "line: 0", "lines count from 1"),
        ("line: 5", "lines: 5", "lines"),
        ("\\\\result == -4711", "result is -4711", "has the form"),
        ("\\\\result == -4711", "\\\\result == key", "has the form"),
        ("acsl_expression", "c_expression", "should be acsl_expression"),
        ("  content:", "  contents:", "contents"),
        ("creation_time: \"2", "creation_time: \"x", "creation_time"),
        ("uuid: \"", "uuid: \"x", "uuid"),
        ("- entry_type", "{{{", ""),
    ] {
        let judged = changed(&folder, &program, &witness, from, to);
        assert_eq!(judged.code, 2, "{from} -> {to}: {judged:?}");
        assert!(judged.stderr.contains(words), "{from} -> {to}: {}", judged.stderr);
    }
    let other = folder.file("other.c", LOCK.replace("4711", "4712"));
    let judged = validate(&other, &witness);
    assert!(judged.code == 2 && judged.stderr.contains("for another program"), "{judged:?}");
    for text in ["", "[]", "- 1", "\u{0}", "a: &a [*a]", "- - - -", "%YAML", "\u{feff}"] {
        let judged = validate(&program, &folder.file("text.yml", text));
        assert_eq!(judged.code, 2, "{text}: {judged:?}");
    }
    assert_eq!(validate(&program, Path::new("/nowhere.yml")).code, 1);
}

#[test]
fn witnesses_of_other_tools_are_understood() {
    let folder = Folder::new("foreign");
    let program = folder.file("lock.c", LOCK);
    let text = fs::read_to_string(witness_of(&folder, &program, 10)).unwrap();
    let head = &text[..text.find("    - segment").unwrap()];
    let waypoint = |kind: &str, constraint: &str, place: &str| {
        format!(
            "    - segment:\n      - waypoint: {{type: {kind}, action: follow, {constraint}location: {{file_name: lock.c, {place}}}}}\n"
        )
    };
    let assumption = |value: &str, place: &str| {
        waypoint("assumption", &format!("constraint: {{value: \"{value}\", format: c_expression}}, "), place)
    };
    let branch = |value: &str, place: &str| {
        waypoint("branching", &format!("constraint: {{value: \"{value}\"}}, "), place)
    };
    let target = waypoint("target", "", "line: 8");
    let judge = |segments: &[String]| {
        let witness = folder.file("foreign.yml", format!("{head}{}{target}", segments.concat()));
        validate(&program, &witness).code
    };
    assert_eq!(judge(&[]), 0);
    assert_eq!(judge(&[branch("true", "line: 7, column: 5"), branch("true", "line: 8")]), 0);
    assert_eq!(judge(&[branch("false", "line: 7, column: 5")]), 10);
    assert_eq!(
        judge(&[assumption("key == -4711", "line: 7"), assumption("big > 0", "line: 8, column: 9")]),
        0
    );
    assert_eq!(judge(&[assumption("key > 0", "line: 7")]), 10);
    assert_eq!(judge(&[waypoint("function_enter", "", "line: 5, column: 37")]), 0);
}

const TICKETS: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
enum kind { CHILD = 2, ADULT = 5 };
int main(void) {
    int price = 0, i;
    for (i = 0; i < 3; i++) {
        int age = __VERIFIER_nondet_int();
        switch (age) {
        case CHILD: price += 1; break;
        case ADULT: case 7 ... 9: price += 2; break;
        default: price += 3;
        }
        if (price == 4)
            price = 5;
    }
    if (price == 8)
        reach_error();
    return 0;
}
";

/// Segments of one waypoint each: action, type, constraint, line.
fn sequence(head: &str, file: &str, segments: &[&[(&str, &str, &str, u32)]]) -> String {
    let mut text = head.to_owned();
    for segment in segments {
        text += "    - segment:\n";
        for (action, kind, value, line) in *segment {
            let constraint =
                if value.is_empty() { String::new() } else { format!("constraint: {{value: '{value}'}}, ") };
            let _ = writeln!(
                text,
                "      - waypoint: {{type: {kind}, action: {action}, {constraint}location: {{file_name: {file}, line: {line}}}}}"
            );
        }
    }
    text
}

#[test]
fn a_branching_is_decided_when_it_is_evaluated_next_and_a_default_is_none_of_the_cases() {
    let folder = Folder::new("tickets");
    let program = folder.file("tickets.c", TICKETS);
    let text = fs::read_to_string(witness_of(&folder, &program, 10)).unwrap();
    let head = &text[..text.find("    - segment").unwrap()];
    let target: &[_] = &[("follow", "target", "", 17)];
    let judge = |segments: &[&[(&str, &str, &str, u32)]]| {
        let witness = folder.file("foreign.yml", sequence(head, "tickets.c", segments));
        validate(&program, &witness)
    };
    let follow = |value: &'static str, line: u32| [("follow", "branching", value, line)];
    let (default, adult, child, nine) =
        (follow("default", 8), follow("5", 8), follow("2", 8), follow("9", 8));
    let (inside, left) = (follow("true", 6), follow("false", 6));
    // 3, 4 becomes 5, 8.
    assert_eq!(judge(&[&default, &child, &default, target]).code, 0);
    assert_eq!(judge(&[&default, target]).code, 0);
    // 1, 4 becomes 5, 8.
    assert_eq!(judge(&[&child, &default, &default, target]).code, 0);
    assert_eq!(judge(&[&adult, &adult, &default, target]).code, 0);
    assert_eq!(judge(&[&nine, &nine, &default, target]).code, 0);
    // 2, 4 becomes 5, 7.
    assert_eq!(judge(&[&adult, &adult, &nine, target]).code, 10);
    assert_eq!(judge(&[&default, &default, &default, target]).code, 10);
    let avoided: &[_] = &[("avoid", "branching", "default", 8), ("follow", "target", "", 17)];
    assert_eq!(judge(&[avoided]).code, 10);
    // The loop is entered: its condition is not false when it is evaluated first, nor when it is evaluated second.
    assert_eq!(judge(&[&inside, &inside, &inside, &left, target]).code, 0);
    assert_eq!(judge(&[&left, target]).code, 10);
    assert_eq!(judge(&[&inside, &left, target]).code, 10);
}

/// `-5u` is 4294967291; the default was taken to have that value, and confirmed where the case is taken.
#[test]
fn a_case_that_is_the_negative_of_an_unsigned_number_is_not_guessed() {
    let folder = Folder::new("negative_case");
    for (case, value, code) in
        [("-5u", "4294967291", 5), ("-5", "4294967291", 0), ("-0x80000000", "2147483648", 5)]
    {
        let text = format!(
            "extern long __VERIFIER_nondet_long(void);
extern void reach_error(void);
int main(void) {{
    long key = __VERIFIER_nondet_long();
    switch (key) {{
    case {case}: key = key; break;
    default: key = key;
    }}
    if (key == {value})
        reach_error();
    return 0;
}}
"
        );
        let program = folder.file("case.c", &text);
        let witness = fs::read_to_string(witness_of(&folder, &program, 10)).unwrap();
        let head = &witness[..witness.find("    - segment").unwrap()];
        let segments: [&[_]; 2] = [&[("follow", "branching", "default", 5)], &[("follow", "target", "", 10)]];
        let foreign = folder.file("foreign.yml", sequence(head, "case.c", &segments));
        assert_eq!(validate(&program, &foreign).code, code, "{case}");
    }
}

#[test]
fn a_witness_of_another_text_is_used_only_if_that_is_asked_for_and_it_is_said() {
    let folder = Folder::new("hashes");
    let program = folder.file("tickets.c", TICKETS);
    let witness = witness_of(&folder, &program, 10);
    let other = folder.file("tickets.c", format!("{TICKETS}/* changed */\n"));
    assert_eq!(validate(&other, &witness).code, 2);
    let arguments: [&Path; 5] =
        ["validate".as_ref(), &other, "--witness".as_ref(), &witness, "--ignore-hashes".as_ref()];
    let finished = wayproof(arguments);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.contains("the witness states another hash of"), "{finished:?}");
    // What is said must still be true of the text.
    let repaired = folder.file("tickets.c", TICKETS.replace("price == 8", "price == 100"));
    let arguments: [&Path; 5] =
        ["validate".as_ref(), &repaired, "--witness".as_ref(), &witness, "--ignore-hashes".as_ref()];
    let finished = wayproof(arguments);
    assert_eq!(finished.code, 10, "{finished:?}");
}

#[test]
fn witnesses_of_tasks_are_confirmed() {
    let Some(bench) = require::required_bench_folder() else { return };
    let tasks = bench.join("gps-svcomp");
    let folder = Folder::new("tasks");
    for name in ["Mono1_1-2", "Mono5_1", "afnp2014", "as2013-hybrid", "benchmark02_linear", "apache-get-tag"]
    {
        let task = tasks.join(format!("{name}.yml"));
        let witness = folder.path().join("witness.yml");
        let arguments = ["check".as_ref(), task.as_path(), "--witness".as_ref(), witness.as_path()];
        let finished = wayproof(arguments);
        assert!(finished.code == 0 || finished.code == 10, "{name}: {finished:?}");
        let judged = validate(&task, &witness);
        assert_eq!(judged.code, 0, "{name}: {judged:?}");
    }
}

/// A product in the annotation has the value that its factors have: it is no constant that may be chosen to make an invariant short.
#[test]
fn invariants_of_a_loop_whose_proof_speaks_of_products_are_true() {
    let folder = Folder::new("product_invariant");
    let file = folder.file(
        "sum.c",
        "extern void reach_error(void);\nint main(void) {\n  unsigned sum = 0, n = 1;\n  while (n <= 1000) {\n    sum += n;\n    \
         if (sum != n * (n + 1) / 2) reach_error();\n    n++;\n  }\n  return 0;\n}\n",
    );
    let (file, witness) = (file.to_str().unwrap(), folder.path().join("w.yml"));
    let witness = witness.to_str().unwrap();
    assert_eq!(wayproof(["check", file, "--no-exec", "--witness", witness]).code, 0);
    let judged = wayproof(["validate", file, "--witness", witness]);
    assert!(judged.code == 0 || judged.code == 5, "{judged:?}");
}

/// Checks a program for errors and overflows, and validates the witness in the same way. Returns the property that the witness states.
fn both_errors(name: &str, text: &str, code: i32) -> String {
    let folder = Folder::new(name);
    let program = folder.file("a.c", text);
    let (witness, case) = (folder.path().join("w.yml"), folder.path().join("case"));
    let policy: [&Path; 2] = ["--signed-overflow".as_ref(), "error".as_ref()];
    let mut words = vec!["check".as_ref(), program.as_path(), "--no-exec".as_ref()];
    words.extend(policy);
    words.extend(["--witness".as_ref(), witness.as_path(), "--testcase".as_ref(), case.as_path()]);
    let finished = wayproof(words);
    assert_eq!(finished.code, code, "{finished:?}");
    let mut words = vec!["validate".as_ref(), program.as_path(), "--witness".as_ref(), witness.as_path()];
    words.extend(policy);
    let validated = wayproof(words);
    assert_eq!(validated.code, 0, "{validated:?}");
    let text = fs::read_to_string(&witness).unwrap();
    let stated =
        text.lines().find_map(|line| line.trim().strip_prefix("specification: ")).unwrap().to_owned();
    if let Ok(metadata) = fs::read_to_string(case.join("metadata.xml")) {
        let plain = stated.trim_matches('"');
        assert!(metadata.contains(&format!("<specification>{plain}</specification>")), "{metadata}");
    }
    stated
}

#[test]
fn where_overflow_is_an_error_too_a_witness_names_what_is_violated_or_proved() {
    const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";
    let overflow =
        format!("{HEAD}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  return x + 1;\n}}\n");
    assert_eq!(both_errors("both-overflow", &overflow, 10), "\"G ! overflow\"");
    let call = format!(
        "{HEAD}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  if (x == 5) reach_error();\n  return 0;\n}}\n"
    );
    assert_eq!(both_errors("both-call", &call, 10), "\"G ! call(reach_error())\"");
    let neither = format!(
        "{HEAD}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  if (x < 5 && x + 1 > 5) reach_error();\n  return 0;\n}}\n"
    );
    assert_eq!(both_errors("both-safe", &neither, 0), "\"G ! call(reach_error()) && G ! overflow\"");
}

#[test]
fn a_witness_is_not_taken_for_one_of_another_property() {
    let folder = Folder::new("properties");
    let program = folder.file(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
         if (x < 5 && x + 1 > 5) reach_error();\n  return 0;\n}\n",
    );
    // A proof that no call is reached says nothing about overflows.
    let calls = witness_of(&folder, &program, 0);
    let words = ["validate".as_ref(), program.as_path(), "--signed-overflow".as_ref(), "error".as_ref()];
    let finished = wayproof(words.into_iter().chain(["--witness".as_ref(), calls.as_path()]));
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(finished.stderr.contains("another property"), "{finished:?}");
    // A proof of both is one of either.
    let finished = changed(
        &folder,
        &program,
        &calls,
        "G ! call(reach_error())",
        "G ! call(reach_error()) && G ! overflow",
    );
    assert_eq!(finished.code, 0, "{finished:?}");
}
