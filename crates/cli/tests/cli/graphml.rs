//! Violation witnesses in GraphML, as CPAchecker, Ultimate Automizer and Symbiotic write them: the right ones are confirmed, and no wrong one is.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::{Finished, Folder, wayproof};
use crate::witness::evidence_hash;

const LOCK: &str = "extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
void reach_error(void) {
    __assert_fail(\"0\", \"lock.c\", 4, \"reach_error\");
}
int main(void) {
    int key = __VERIFIER_nondet_int();
    int tries = 0;
    int sum = 0;
    while (tries < 3) {
        int digit = __VERIFIER_nondet_int();
        if (digit < 0 || digit > 9)
            return 0;
        sum = sum + digit;
        tries = tries + 1;
    }
    if (key == 17 && sum == 6)
        reach_error();
    return 0;
}
";

/// One edge: its line and what else it states, as pairs of keys and values.
type Edge<'a> = (u32, &'a [(&'a str, &'a str)]);

/// A witness with a chain of edges. The other branch of each condition leads to the sink, as CPAchecker has it.
fn graph(program: &str, hash: &str, edges: &[Edge<'_>]) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n\
         <key attr.name=\"isViolationNode\" attr.type=\"boolean\" for=\"node\" id=\"violation\"><default>false</default></key>\n\
         <key attr.name=\"startline\" attr.type=\"int\" for=\"edge\" id=\"startline\"/>\n\
         <graph edgedefault=\"directed\">\n\
         <data key=\"witness-type\">violation_witness</data>\n\
         <data key=\"sourcecodelang\">C</data>\n\
         <data key=\"producer\">CPAchecker 2.3</data>\n\
         <data key=\"specification\">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>\n\
         <data key=\"programfile\">{program}</data>\n\
         <data key=\"programhash\">{hash}</data>\n\
         <data key=\"architecture\">64bit</data>\n\
         <data key=\"creationtime\">2023-11-20T10:00:00+01:00</data>\n\
         <node id=\"N0\"><data key=\"entry\">true</data></node>\n<node id=\"sink\"><data key=\"sink\">true</data></node>\n"
    );
    let escaped = |value: &str| value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    for (number, (line, stated)) in edges.iter().enumerate() {
        let mark = if number + 1 == edges.len() { "<data key=\"violation\">true</data>" } else { "" };
        let _ = write!(
            text,
            "<node id=\"N{}\">{mark}</node>\n<edge source=\"N{number}\" target=\"N{}\">",
            number + 1,
            number + 1
        );
        let _ = write!(text, "<data key=\"startline\">{line}</data><data key=\"endline\">{line}</data>");
        for (key, value) in *stated {
            let _ = write!(text, "<data key=\"{key}\">{}</data>", escaped(value));
        }
        text += "</edge>\n";
        if stated.iter().any(|(key, _)| *key == "control") {
            let _ = writeln!(
                text,
                "<edge source=\"N{number}\" target=\"sink\"><data key=\"startline\">{line}</data></edge>"
            );
        }
    }
    text + "</graph>\n</graphml>\n"
}

fn judge(folder: &Folder, edges: &[Edge<'_>]) -> Finished {
    let program = folder.file("lock.c", LOCK);
    let witness = folder.file("witness.graphml", graph("lock.c", &evidence_hash(LOCK.as_bytes()), edges));
    validate(&program, &witness, &[])
}

fn validate(program: &Path, witness: &Path, more: &[&str]) -> Finished {
    let mut arguments = vec!["validate", program.to_str().unwrap(), "--witness", witness.to_str().unwrap()];
    arguments.extend(["--timeout", "20"]);
    arguments.extend(more);
    wayproof(arguments)
}

/// As Symbiotic writes it: the values that functions return.
fn values<'a>(key: &'a [(&'a str, &'a str)], digits: [&'a [(&'a str, &'a str)]; 3]) -> Vec<Edge<'a>> {
    let [first, second, third] = digits;
    vec![(7, key), (11, first), (11, second), (11, third), (18, &[("enterFunction", "reach_error")])]
}

const INPUT: &str = "__VERIFIER_nondet_int";

#[test]
fn values_of_functions_lead_to_the_violation_or_not() {
    let folder = Folder::new("graph_values");
    let returned = |value: &'static str| [("assumption", value), ("assumption.resultfunction", INPUT)];
    let (key, one, two, three, ten, other) = (
        returned("\\result == 17"),
        returned("\\result == 1"),
        returned("\\result == 2"),
        returned("\\result == (3)"),
        returned("\\result == 10"),
        returned("\\result == 18"),
    );
    let finished = judge(&folder, &values(&key, [&one, &two, &three]));
    assert_eq!(finished.code, 0, "{finished:?}");
    assert_eq!(judge(&folder, &values(&key, [&three, &three, &returned("\\result == 0;")])).code, 0);
    for wrong in [
        values(&key, [&one, &one, &one]),
        values(&other, [&one, &two, &three]),
        values(&key, [&one, &two, &ten]),
    ] {
        let finished = judge(&folder, &wrong);
        assert_eq!(finished.code, 5, "{finished:?}");
    }
    // The error is not where the witness says.
    let elsewhere = [(7, &key[..]), (14, &[("enterFunction", "reach_error")][..])];
    assert_eq!(judge(&folder, &elsewhere).code, 5);
}

#[test]
fn assumptions_and_branches_are_followed() {
    let folder = Folder::new("graph_branches");
    let assigned = |assumption: &'static str, code: &'static str| {
        [("sourcecode", code), ("assumption", assumption), ("assumption.scope", "main")]
    };
    let tested = |code: &'static str, control: &'static str| [("sourcecode", code), ("control", control)];
    let key = assigned("key == (17);", "int key = __VERIFIER_nondet_int();");
    let (enter, leave) =
        (tested("[tries < 3]", "condition-true"), tested("[!(tries < 3)]", "condition-false"));
    let digit = assigned("digit == (2);", "int digit = __VERIFIER_nondet_int();");
    let sum = assigned("sum == (2);", "sum = sum + digit;");
    let wrong_sum = assigned("sum == (3);", "sum = sum + digit;");
    let opened = tested("[key == 17 && sum == 6]", "condition-true");
    let error: Edge<'_> = (18, &[("enterFunction", "reach_error"), ("sourcecode", "reach_error();")]);
    let inside: Edge<'_> = (4, &[("sourcecode", "__assert_fail(\"0\", \"lock.c\", 4, \"reach_error\");")]);
    let chain = |sum: &[(&'static str, &'static str)]| {
        let owned: Vec<(u32, Vec<(&'static str, &'static str)>)> = vec![
            (7, key.to_vec()),
            (10, enter.to_vec()),
            (11, digit.to_vec()),
            (14, sum.to_vec()),
            (10, enter.to_vec()),
            (11, digit.to_vec()),
            (10, enter.to_vec()),
            (11, digit.to_vec()),
            (10, leave.to_vec()),
            (17, opened.to_vec()),
        ];
        let mut edges: Vec<Edge<'_>> =
            owned.iter().map(|(line, stated)| (*line, stated.as_slice())).collect();
        edges.extend([error, inside]);
        judge(&folder, &edges)
    };
    let finished = chain(&sum);
    assert_eq!(finished.code, 0, "{finished:?}");
    let finished = chain(&wrong_sum);
    assert_eq!(finished.code, 5, "{finished:?}");
    // Two rounds are too few; part of a condition is not understood.
    let short: [Edge<'_>; 4] = [(10, &enter), (10, &enter), (10, &leave), error];
    assert_eq!(judge(&folder, &short).code, 5);
    let part: [Edge<'_>; 2] = [(17, &[("sourcecode", "[key == 17]"), ("control", "condition-true")]), error];
    let finished = judge(&folder, &part);
    assert_eq!(finished.code, 5, "{finished:?}");
    assert!(finished.stdout.contains("not about a whole condition"), "{finished:?}");
}

/// What a variable holds is not always what the call of the line returns: it was confirmed.
#[test]
fn what_a_variable_holds_after_a_call_is_looked_at() {
    let folder = Folder::new("graph_converted");
    let text = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define OPEN ) || (1
int main(void) {
    int other = 1;
    int *p = &other;
    unsigned char byte = __VERIFIER_nondet_int();
    *p = __VERIFIER_nondet_int();
    if (byte == 44 && other == 0)
        reach_error();
    return 0;
}
";
    let program = folder.file("byte.c", text);
    let confirmed = |line: u32, code: &str, assumption: &str| {
        let stated = [("sourcecode", code), ("assumption", assumption), ("assumption.scope", "main")];
        let edges: [Edge<'_>; 2] = [(line, &stated), (10, &[])];
        let graph = graph("byte.c", &evidence_hash(text.as_bytes()), &edges);
        validate(&program, &folder.file("byte.graphml", graph), &[]).code
    };
    let byte = "unsigned char byte = __VERIFIER_nondet_int();";
    assert_eq!(confirmed(7, byte, "byte == (44);"), 0);
    assert_eq!(confirmed(7, byte, "byte == (300);"), 5);
    assert_eq!(confirmed(8, "*p = __VERIFIER_nondet_int();", "p == (0);"), 5);
    assert_eq!(confirmed(7, "other = __VERIFIER_nondet_int();", "other == (44);"), 5);
    assert_eq!(confirmed(7, byte, "byte > 50"), 5);
    assert_ne!(confirmed(7, byte, "byte > 50 OPEN"), 0);
}

#[test]
fn what_is_no_graph_of_this_program_is_said_to_be_none() {
    let folder = Folder::new("graph_broken");
    let program = folder.file("lock.c", LOCK);
    let error: [Edge<'_>; 1] = [(18, &[("enterFunction", "reach_error")])];
    let good = graph("lock.c", &evidence_hash(LOCK.as_bytes()), &error);
    assert_eq!(validate(&program, &folder.file("good.graphml", &good), &[]).code, 0);
    for (from, to) in [
        ("violation_witness", "correctness_witness"),
        ("64bit", "16bit"),
        ("64bit", "32bit"),
        ("<data key=\"violation\">true</data>", ""),
        ("</graphml>", ""),
        ("reach_error())) )", "other())) )"),
        ("<data key=\"startline\">18</data>", "<data key=\"startline\">x</data>"),
        ("<?xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><?xml"),
    ] {
        let finished = validate(&program, &folder.file("bad.graphml", good.replace(from, to)), &[]);
        assert_eq!(finished.code, 2, "{to}: {finished:?}");
    }
    // Old witnesses have hashes of another kind.
    let old = folder.file("old.graphml", graph("lock.c", "da39a3ee5e6b4b0d3255bfef95601890afd80709", &error));
    assert_eq!(validate(&program, &old, &[]).code, 2);
    let finished = validate(&program, &old, &["--ignore-hashes"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.contains("another hash"), "{finished:?}");
}
