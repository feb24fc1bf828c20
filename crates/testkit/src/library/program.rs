//! Programs of the C library: text, truth, and what of the text the truth depends on.
//!
//! # Invariants
//! * P1: a text from which parts were removed has a truth only if each input is there with its constraint or not at all, and if each
//!   claim is there unchanged with its whole scene or not at all.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::Random;

use super::assertion::{Assertion, Value, Wish, choose};
use super::builder::{Builder, Check, Claim, Input, Kind, Scene, World};
use super::judge::{Judge, Mode, Run, Truth};
use super::scenes::{self, Kinds};

/// How a failing condition is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Branch,
    Assert,
}

/// The parts of a program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    headers: BTreeSet<&'static str>,
    inputs: Vec<Input>,
    scenes: Vec<Scene>,
    assertions: Vec<Assertion>,
    world: World,
    style: Style,
}

/// A program with its truth.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Seed of the program.
    pub seed: u64,
    /// The program.
    pub text: String,
    /// What it does.
    pub truth: Truth,
    pub(crate) program: Program,
}

/// What is left of a text: the ranges of its inputs and its claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remains {
    pub(crate) ranges: Vec<(i64, i64)>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) world: World,
}

/// One program in so many is compared with gcc's own versions of library functions, too.
const BUILTIN_CHECKS: u64 = 4;

/// The program of a seed. The error says why it has no truth.
pub fn sample(seed: u64, kinds: &Kinds, judge: &Judge) -> Result<Sample, String> {
    let mut random = Random::new(seed);
    let mut program = draw(kinds, &mut random);
    let runs = judge.run(&program.observing(), Mode::Sanitized, &program.everything())?;
    let observed = program.values(&runs)?;
    let wish = if random.chance(50) { Wish::Safe } else { Wish::Unsafe };
    program.assertions = choose(&program.scenes, &observed, wish, &mut random);
    if program.assertions.is_empty() {
        return Err("nothing to assert".to_owned());
    }
    if program.assertions.iter().any(|assertion| assertion.text.contains("strcmp(")) {
        program.headers.insert("string.h");
    }
    let everything = program.everything();
    let fails = program.fails(&observed)?;
    let text = program.text(&(0..program.scenes.len()).collect::<Vec<_>>());
    let modes: &[Mode] =
        if seed.is_multiple_of(BUILTIN_CHECKS) { &[Mode::Library, Mode::Builtin] } else { &[Mode::Library] };
    for &mode in modes {
        let reached = judge.run(&text, mode, &everything)?.iter().any(|run| run.reaches_error);
        // What a claim says about other worlds need not show here.
        if reached != fails && !(everything.claims.iter().any(|claim| *claim != Claim::Always)) {
            return Err(format!("{mode:?} reaches the error: {reached}; observed: {fails}\n{text}"));
        }
    }
    let truth = if fails { Truth::Unsafe } else { everything.truth() };
    Ok(Sample { seed, text, truth, program })
}

impl Sample {
    /// Checks that an optimised build with fortified functions does the same. The error says how it differs.
    pub(crate) fn check_fortified(&self, judge: &Judge) -> Result<(), String> {
        let everything = self.program.everything();
        let reached =
            judge.run(&self.text, Mode::Fortified, &everything)?.iter().any(|run| run.reaches_error);
        if everything.claims.is_empty() && reached != (self.truth == Truth::Unsafe) {
            return Err(format!("the fortified program reaches the error: {reached}"));
        }
        Ok(())
    }

    /// The names of the library functions that the program calls.
    pub fn functions(&self) -> BTreeSet<String> {
        called(&self.text)
    }
}

/// Scenes without assertions.
fn draw(kinds: &Kinds, random: &mut Random) -> Program {
    let mut builder = Builder::new(random);
    let count = 1 + builder.random.weighted(&[45, 38, 17]);
    for _ in 0..count {
        scenes::add(&mut builder, kinds);
    }
    let style = if builder.random.chance(15) { Style::Assert } else { Style::Branch };
    Program::new(builder, style)
}

impl Program {
    fn new(builder: Builder<'_>, style: Style) -> Program {
        let Builder { mut headers, inputs, scenes, world, .. } = builder;
        if style == Style::Assert {
            headers.insert("assert.h");
        }
        Program { headers, inputs, scenes, assertions: Vec::new(), world, style }
    }

    /// The number of scenes.
    pub(crate) fn scene_count(&self) -> usize {
        self.scenes.len()
    }

    fn everything(&self) -> Remains {
        Remains {
            ranges: self.inputs.iter().map(|input| (input.low, input.high)).collect(),
            claims: self.assertions.iter().filter_map(|assertion| assertion.claim).collect(),
            world: self.world,
        }
    }

    /// The program that prints the values of its checks instead of testing them.
    fn observing(&self) -> String {
        let checks = self.scenes.iter().flat_map(|scene| &scene.checks).enumerate();
        let lines: Vec<String> = checks.map(|(number, check)| observation(number, check)).collect();
        let declarations =
            "extern void testkit_number(int, long long);\nextern void testkit_text(int, const char *);\n";
        let kept: Vec<usize> = (0..self.scenes.len()).collect();
        self.render(&kept, &self.inputs.iter().collect::<Vec<_>>(), declarations, &lines)
    }

    /// The program with its assertions, of the chosen scenes.
    pub(crate) fn text(&self, kept: &[usize]) -> String {
        let assertions = self.assertions.iter().filter(|assertion| kept.contains(&assertion.scene));
        let lines: Vec<String> = assertions.map(|assertion| self.line(assertion)).collect();
        let body: Vec<&str> = kept
            .iter()
            .flat_map(|&scene| self.scenes[scene].lines.iter().chain(&self.scenes[scene].last))
            .chain(&lines)
            .map(String::as_str)
            .collect();
        let is_used = |number: &usize| body.iter().any(|line| has_word(line, &format!("n{number}")));
        let all = kept.len() == self.scenes.len();
        let numbers = (0..self.inputs.len()).filter(|number| all || is_used(number));
        let inputs: Vec<&Input> = numbers.map(|number| &self.inputs[number]).collect();
        self.render(kept, &inputs, "", &lines)
    }

    fn line(&self, assertion: &Assertion) -> String {
        match self.style {
            Style::Branch => format!("if ({}) reach_error();", assertion.failure),
            Style::Assert => format!("assert({});", assertion.text),
        }
    }

    fn render(&self, kept: &[usize], inputs: &[&Input], declarations: &str, checks: &[String]) -> String {
        let mut text = String::new();
        if self.headers.contains(GNU) {
            text.push_str("#define _GNU_SOURCE\n");
        }
        for header in self.headers.iter().filter(|header| **header != GNU) {
            let _ = writeln!(text, "#include <{header}>");
        }
        text.push_str(declarations);
        if self.style == Style::Branch {
            text.push_str("extern void reach_error(void);\n");
        }
        if inputs.iter().any(|input| input.lines[1].contains("__VERIFIER_assume")) {
            text.push_str("extern void __VERIFIER_assume(int);\n");
        }
        let functions: BTreeSet<&str> = inputs.iter().map(|input| input.declaration.as_str()).collect();
        for function in functions {
            let _ = writeln!(text, "{function}");
        }
        let scenes = || kept.iter().map(|&scene| &self.scenes[scene]);
        for helper in scenes().flat_map(|scene| &scene.helpers) {
            let _ = writeln!(text, "{helper}");
        }
        text.push_str("int main(void)\n{\n");
        let lines = inputs
            .iter()
            .flat_map(|input| &input.lines)
            .chain(scenes().flat_map(|scene| &scene.lines))
            .chain(checks)
            .chain(scenes().flat_map(|scene| &scene.last));
        let mut depth: usize = 1;
        for line in lines {
            depth = depth.saturating_sub(usize::from(line.starts_with('}')));
            let _ = writeln!(text, "{}{line}", "    ".repeat(depth));
            depth += usize::from(line.ends_with('{'));
        }
        text.push_str("    return 0;\n}\n");
        text
    }

    /// The values of each check in all runs, in order of the runs.
    fn values(&self, runs: &[Run]) -> Result<Vec<Vec<Value>>, String> {
        let count = self.scenes.iter().map(|scene| scene.checks.len()).sum();
        let mut values = vec![Vec::new(); count];
        for run in runs {
            for (number, value) in &run.values {
                let place = values.get_mut(*number).ok_or("a check that does not exist")?;
                place.push(value.clone());
            }
        }
        if values.iter().any(Vec::is_empty) { Err("a check is never reached".to_owned()) } else { Ok(values) }
    }

    /// Whether an assertion fails for an observed value. The error is a claim that is wrong.
    fn fails(&self, observed: &[Vec<Value>]) -> Result<bool, String> {
        let mut fails = false;
        for assertion in &self.assertions {
            let failing = observed[assertion.check].iter().any(|value| !assertion.holds(value));
            if failing && assertion.claim == Some(Claim::Always) {
                return Err(format!("this was to hold in every world: {}", assertion.text));
            }
            fails |= failing && assertion.claim.is_none();
        }
        Ok(fails)
    }

    /// What is left in a text that was made from this program (P1).
    pub(crate) fn remains(&self, text: &str) -> Option<Remains> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let has = |line: &str| lines.contains(&line);
        let mut ranges = Vec::new();
        for input in &self.inputs {
            let [read, constraint] = &input.lines;
            match (lines.iter().position(|line| line == read), has(constraint)) {
                (None, false) => {}
                (Some(at), true) if lines.get(at + 1) == Some(&constraint.as_str()) => {
                    ranges.push((input.low, input.high));
                }
                _ => return None,
            }
        }
        let reads = lines.iter().filter(|line| line.contains("__VERIFIER_nondet_") && line.contains('='));
        if reads.count() != ranges.len() {
            return None;
        }
        let mut claims = Vec::new();
        let mut originals = Vec::new();
        for assertion in &self.assertions {
            let line = self.line(assertion);
            if let Some(claim) = assertion.claim.filter(|_| has(&line)) {
                let scene = &self.scenes[assertion.scene];
                let mut whole = scene
                    .lines
                    .iter()
                    .map(String::as_str)
                    .chain(scene.helpers.iter().flat_map(|text| text.lines()));
                if !whole.all(|line| has(line.trim())) {
                    return None;
                }
                claims.push(claim);
            }
            originals.push(line);
        }
        // A part of a claim is a condition about which nothing is known.
        let is_changed =
            |line: &str| line.ends_with("reach_error();") && !originals.iter().any(|other| other == line);
        let about_world = self.assertions.iter().any(|assertion| assertion.claim.is_some());
        if about_world && (self.style == Style::Assert || lines.iter().any(|line| is_changed(line))) {
            return None;
        }
        Some(Remains { ranges, claims, world: self.world })
    }
}

impl Remains {
    /// The truth of a program of whose assertions about its own values none fails.
    pub(crate) fn truth(&self) -> Truth {
        if self.claims.contains(&Claim::MayFail) {
            Truth::Unsafe
        } else if self.claims.contains(&Claim::Open) {
            Truth::Open
        } else {
            Truth::Safe
        }
    }
}

/// Stands for the definition of `_GNU_SOURCE` among the headers.
pub(crate) const GNU: &str = "_GNU_SOURCE";

fn observation(number: usize, check: &Check) -> String {
    let expression = &check.expression;
    match check.kind {
        Kind::Number => format!("testkit_number({number}, (long long)({expression}));"),
        Kind::Truth | Kind::Claim(_) => format!("testkit_number({number}, ({expression}) ? 1 : 0);"),
        Kind::Text => format!("testkit_text({number}, {expression});"),
    }
}

/// Whether a word stands in a line of C.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

/// The names before parentheses that are neither words of C nor defined or declared by the program.
pub(crate) fn called(text: &str) -> BTreeSet<String> {
    const WORDS: [&str; 9] =
        ["if", "while", "for", "switch", "return", "sizeof", "main", "reach_error", "assert"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    let mut quoted = false;
    for line in text.lines().filter(|line| line.starts_with(' ')) {
        let bytes = line.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'"' && (at == 0 || bytes[at - 1] != b'\\' && bytes[at - 1] != b'\'') {
                quoted = !quoted;
            }
            if byte != b'(' || quoted {
                continue;
            }
            let start = line[..at].rfind(|c| !is_part(c)).map_or(0, |before| before + 1);
            let name = &line[start..at];
            // Names of scenes end with a number.
            let own = name.rsplit('_').next().is_some_and(|end| end.parse::<u32>().is_ok());
            if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && !own
                && !WORDS.contains(&name)
                && !name.starts_with("__VERIFIER_")
            {
                names.insert(name.to_owned());
            }
        }
        quoted = false;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::require::Requirement;

    #[test]
    fn every_scene_alone_can_be_judged() {
        let judge = match Judge::find() {
            Ok(judge) => judge,
            Err(reason) => return Requirement::Gcc.skip(&reason),
        };
        for (number, write) in scenes::all().enumerate() {
            let mut random = Random::new(number as u64);
            let mut builder = Builder::new(&mut random);
            builder.scene(write);
            let program = Program::new(builder, Style::Branch);
            let text = program.observing();
            let runs = judge.run(&text, Mode::Sanitized, &program.everything());
            let values = runs.and_then(|runs| program.values(&runs));
            assert!(values.is_ok(), "{values:?}\n{text}");
        }
    }

    #[test]
    fn calls_are_found() {
        let text = "int compare_0(int);\nint main(void)\n{\n    int a_0 = abs(f_0(\"x(\")) + (1);\n    if (strlen(\"\\\"(\") > 1) reach_error();\n}\n";
        assert_eq!(called(text).into_iter().collect::<Vec<_>>(), ["abs", "strlen"]);
    }
}
