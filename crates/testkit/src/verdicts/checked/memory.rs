//! Random programs about memory: some scenes, one of them perhaps with a defect, or statements about objects of all kinds ([`crate::memory_program`]).
//!
//! # Invariants
//! * G1: the program depends on the random source alone.
//! * G2: inputs have few values, so that all executions can be carried out.

use crate::{Length, Random, memory_program};

use super::draft::{Draft, input};
use super::question::Question;
use super::scenes::{Scene, scenes};

/// Kinds of inputs in programs of [`memory_program`], with their types.
const INPUTS: [(&str, &str, i64); 8] = [
    ("int", "int", -1),
    ("uint", "unsigned", 0),
    ("char", "char", -1),
    ("uchar", "unsigned char", 0),
    ("short", "short", -1),
    ("ushort", "unsigned short", 0),
    ("long", "long", -1),
    ("ulong", "unsigned long", 0),
];

/// A random program.
pub(super) fn generate(random: &mut Random) -> Draft {
    if random.chance(30) { statements(random) } else { composed(random) }
}

fn composed(random: &mut Random) -> Draft {
    let all: Vec<&Scene> = scenes().collect();
    let count = [1, 2, 3][random.weighted(&[60, 30, 10])];
    let wrong = random.chance(55).then(|| random.below(count));
    let (mut lines, mut calls, mut defect) = (Vec::new(), Vec::new(), None);
    for number in 0..count {
        let scene = *random.pick(&all);
        let mut text = scene.text.to_owned();
        if wrong == Some(number) {
            let (question, from, to) = *random.pick(scene.defects);
            text = text.replacen(from, to, 1);
            defect = Some(question);
        }
        lines.extend(instance(&text, number, random).lines().map(str::to_owned));
        let call = match random.below(5) {
            0 => format!("    if (x > {}) r += s{number}(x, y);", random.below(3)),
            1 => format!("    for (int i = 0; i < 2; i++) r += s{number}(x, i);"),
            2 => format!("    r -= s{number}(y, x);"),
            _ => format!("    r += s{number}(x, y);"),
        };
        calls.push(call);
    }
    lines.push("int main(void) {".to_owned());
    for name in ["x", "y"] {
        let high = random.between(1, 3);
        lines.push(format!("    {}", input(name, 0, high)));
    }
    lines.push("    int r = 0;".to_owned());
    lines.extend(calls);
    lines.push("    @(r)".to_owned());
    lines.extend(["    return 0;".to_owned(), "}".to_owned()]);
    Draft { lines, defect }
}

/// A scene with its choices made.
fn instance(text: &str, number: usize, random: &mut Random) -> String {
    let length = random.between(2, 4);
    let types = ["int", "int", "char", "unsigned char", "short", "unsigned", "long", "signed char"];
    let ty = *random.pick(&types);
    let text = text.replace('$', &number.to_string()).replace("{n}", &length.to_string()).replace("{t}", ty);
    let mut result = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('{') {
        result.push_str(&rest[..at]);
        let (choice, known) = match rest.get(at..at + 3) {
            Some("{c}") => (random.below(5).to_string(), 3),
            Some("{i}") => (index(length, random), 3),
            Some("{k}") => (condition(random), 3),
            _ => ("{".to_owned(), 1),
        };
        result.push_str(&choice);
        rest = &rest[at + known..];
    }
    result + rest
}

fn index(length: i64, random: &mut Random) -> String {
    match random.below(6) {
        0 => random.between(0, length - 1).to_string(),
        1 => format!("((x + y) % {length})"),
        2 => format!("({length} - 1 - y % {length})"),
        3 => "(x & 1)".to_owned(),
        4 => format!("(y % {length})"),
        _ => format!("(x % {length})"),
    }
}

fn condition(random: &mut Random) -> String {
    let constant = random.below(4);
    match random.below(8) {
        0 => format!("(x > {constant})"),
        1 => format!("(y == {constant})"),
        2 => "(x == y)".to_owned(),
        3 => "(x < y)".to_owned(),
        4 => format!("(x + y > {constant})"),
        5 => "(x == 1 && y == 1)".to_owned(),
        6 => "(x & 1)".to_owned(),
        _ => format!("(y != {constant})"),
    }
}

/// A program of [`memory_program`] whose inputs have few values.
fn statements(random: &mut Random) -> Draft {
    let mut text = memory_program(random.bits(), Length::Short);
    let mut lines = Vec::new();
    let Some(start) = text.find("\nstatic void mix(") else { return Draft { lines, defect: None } };
    for (kind, ty, low) in INPUTS {
        let source = format!("__VERIFIER_nondet_{kind}()");
        if text[start..].contains(&source) {
            text = format!("{}{}", &text[..start], text[start..].replace(&source, &format!("in_{kind}()")));
            lines.push(format!("extern {ty} __VERIFIER_nondet_{kind}(void);"));
            let asked = input("v", low, low + random.between(1, 2)).replacen("int v", &format!("{ty} v"), 1);
            let asked = asked.replacen("nondet_int", &format!("nondet_{kind}"), 1);
            lines.push(format!("static {ty} in_{kind}(void) {{ {asked} return v; }}"));
        }
    }
    for line in text.lines() {
        if line == "    return 0;" {
            lines.push("    @(checksum % 97)".to_owned());
        }
        lines.push(line.to_owned());
    }
    Draft { lines, defect: None }
}

/// A question about a program: often the one that its defect answers.
pub(super) fn question(defect: Option<Question>, seed: u64, random: &mut Random) -> Question {
    let property = match defect {
        Some(defect) if random.chance(35) => Some(defect),
        Some(Question::Overflow) => Some(Question::NoOverflow),
        Some(Question::Leak) => Some(Question::ValidMemcleanup),
        Some(Question::Bounds | Question::Null | Question::UseAfterFree | Question::DoubleFree) => {
            Some(Question::ValidMemsafety)
        }
        _ => None,
    };
    let turn = Question::ALL[(seed % Question::ALL.len() as u64) as usize];
    property.filter(|_| random.chance(60)).unwrap_or(turn)
}

/// Every scene as it is, and with each of its defects.
#[cfg(test)]
pub(super) fn all(random: &mut Random) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for scene in scenes() {
        let unchanged = [(scene.text.to_owned(), None)];
        let changed = scene
            .defects
            .iter()
            .map(|(question, from, to)| (scene.text.replacen(from, to, 1), Some(*question)));
        for (text, defect) in unchanged.into_iter().chain(changed) {
            let mut lines: Vec<String> = instance(&text, 0, random).lines().map(str::to_owned).collect();
            lines.push("int main(void) {".to_owned());
            lines.extend(["x", "y"].map(|name| input(name, 0, 3)));
            lines.extend(["int r = s0(x, y);", "@(r)", "return 0;", "}"].map(str::to_owned));
            drafts.push(Draft { lines, defect });
        }
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_defect_changes_its_scene() {
        for Scene { text, defects } in scenes() {
            for (question, from, to) in *defects {
                assert!(text.contains(from) && from != to, "{question:?}: {from}\n{text}");
            }
        }
    }
}
