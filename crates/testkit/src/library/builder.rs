//! Collects the parts of a program: headers, inputs, and scenes, each a few statements with things to assert about them.
//!
//! Scenes are templates of C: `$name` is a name of the scene's own, `@name` a value that was set before.
//!
//! # Invariants
//! * B1: the inputs of a program have at most [`MAX_COMBINATIONS`] combinations of values.
//! * B2: the names of a scene are its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write as _};

use crate::Random;

/// Combinations of input values of one program.
const MAX_COMBINATIONS: i64 = 64;

/// An input with its range, and the two lines that read and constrain it.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) lines: [String; 2],
    /// The declaration of the function that gives the value.
    pub(crate) declaration: String,
}

/// What is known about a condition that depends on the world outside of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It holds in every world.
    Always,
    /// It fails in some world.
    MayFail,
    /// Either verdict is right.
    Open,
}

/// What can be asserted about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer.
    Number,
    /// A condition.
    Truth,
    /// A string.
    Text,
    /// A condition about the world.
    Claim(Claim),
}

/// Something that can be asserted about.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) expression: String,
    pub(crate) kind: Kind,
}

/// A few statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// Functions and declarations outside of main.
    pub(crate) helpers: Vec<String>,
    pub(crate) lines: Vec<String>,
    pub(crate) checks: Vec<Check>,
    /// Statements after the assertions.
    pub(crate) last: Vec<String>,
}

/// What the program has to do with the outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) reads_stdin: bool,
    pub(crate) writes_stdout: bool,
}

/// The parts of a program so far.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) headers: BTreeSet<&'static str>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) scenes: Vec<Scene>,
    pub(crate) world: World,
    combinations: i64,
    values: BTreeMap<&'static str, String>,
    current: Scene,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(random: &'a mut Random) -> Self {
        Self {
            random,
            headers: BTreeSet::new(),
            inputs: Vec::new(),
            scenes: Vec::new(),
            world: World::default(),
            combinations: 1,
            values: BTreeMap::new(),
            current: Scene::default(),
        }
    }

    /// Adds a scene.
    pub(crate) fn scene(&mut self, write: fn(&mut Builder<'_>)) {
        self.values.clear();
        write(self);
        self.scenes.push(std::mem::take(&mut self.current));
    }

    /// Sets the value of `@name`.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Display) {
        self.values.insert(name, value.to_string());
    }

    /// Sets `@name` to one of the texts and gives its number.
    pub(crate) fn choose(&mut self, name: &'static str, texts: &[&str]) -> usize {
        let number = self.random.below(texts.len());
        self.set(name, texts[number]);
        number
    }

    /// Sets `@name` to a constant and gives it.
    pub(crate) fn constant(&mut self, name: &'static str, low: i64, high: i64) -> i64 {
        let value = self.random.between(low, high);
        self.set(name, value);
        value
    }

    /// Sets `@name` to an integer of the range: a constant, or an input with a few values.
    pub(crate) fn value(&mut self, name: &'static str, low: i64, high: i64) {
        let width = self.random.between(2, 5).min(high - low + 1);
        if width < 2 || self.combinations * width > MAX_COMBINATIONS || self.random.chance(55) {
            self.constant(name, low, high);
            return;
        }
        let first = self.random.between(low, high - width + 1);
        let input = self.input(first, first + width - 1);
        self.set(name, input);
    }

    /// A new input (B1).
    fn input(&mut self, low: i64, high: i64) -> String {
        self.combinations *= high - low + 1;
        let name = format!("n{}", self.inputs.len());
        let types: &[(&str, &str)] = if (0..128).contains(&low) && high < 128 {
            &[("int", "int"), ("int", "int"), ("unsigned", "uint"), ("char", "char")]
        } else {
            &[("int", "int"), ("int", "int"), ("int", "int"), ("long", "long")]
        };
        let (ty, suffix) = *self.random.pick(types);
        let declaration = format!("extern {ty} __VERIFIER_nondet_{suffix}(void);");
        let read = format!("{ty} {name} = __VERIFIER_nondet_{suffix}();");
        // Arguments are ints, whatever the input was.
        let argument = if ty == "int" { name.clone() } else { format!("(int){name}") };
        let constraint = match self.random.below(3) {
            0 => format!("__VERIFIER_assume({name} >= {low} && {name} <= {high});"),
            _ if ty == "unsigned" && low == 0 => format!("if ({name} > {high}) return 0;"),
            _ => format!("if ({name} < {low} || {name} > {high}) return 0;"),
        };
        self.inputs.push(Input { low, high, lines: [read, constraint], declaration });
        argument
    }

    /// Includes headers.
    pub(crate) fn include(&mut self, headers: &[&'static str]) {
        self.headers.extend(headers);
    }

    /// Adds statements of main, one for each line.
    pub(crate) fn code(&mut self, template: &str) {
        let text = self.filled(template);
        self.current.lines.extend(text.lines().map(|line| line.trim().to_owned()));
    }

    /// Adds a function or a declaration outside of main.
    pub(crate) fn helper(&mut self, template: &str) {
        let text = self.filled(template);
        self.current.helpers.push(text);
    }

    /// Adds a statement after the assertions.
    pub(crate) fn last(&mut self, template: &str) {
        let text = self.filled(template);
        self.current.last.push(text);
    }

    /// An integer to assert about.
    pub(crate) fn number(&mut self, expression: &str) {
        self.check(expression, Kind::Number);
    }

    /// A condition to assert about.
    pub(crate) fn truth(&mut self, expression: &str) {
        self.check(expression, Kind::Truth);
    }

    /// A string to assert about.
    pub(crate) fn text(&mut self, expression: &str) {
        self.check(expression, Kind::Text);
    }

    /// A condition that holds in every world.
    pub(crate) fn always(&mut self, condition: &str) {
        self.check(condition, Kind::Claim(Claim::Always));
    }

    /// A condition that fails in some world.
    pub(crate) fn may_fail(&mut self, condition: &str) {
        self.check(condition, Kind::Claim(Claim::MayFail));
    }

    /// A condition that the world, or the implementation, decides.
    pub(crate) fn open(&mut self, condition: &str) {
        self.check(condition, Kind::Claim(Claim::Open));
    }

    fn check(&mut self, expression: &str, kind: Kind) {
        let expression = self.filled(expression);
        self.current.checks.push(Check { expression, kind });
    }

    /// Replaces `$name` and `@name`. The names of a scene end with its number (B2).
    pub(crate) fn filled(&self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['$', '@']) {
            text.push_str(&rest[..at]);
            let word = &rest[at + 1..];
            let end =
                word.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit()).unwrap_or(word.len());
            let name = &word[..end];
            if rest[at..].starts_with('$') {
                text.push_str(name);
                let _ = write!(text, "_{}", self.scenes.len());
            } else {
                text.push_str(self.values.get(name).map_or("", String::as_str));
            }
            rest = &word[end..];
        }
        text.push_str(rest);
        text
    }
}

/// A C string literal.
pub(crate) fn literal(text: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => {
                quoted.push('\\');
                quoted.push(char::from(byte));
            }
            b'\n' => quoted.push_str("\\n"),
            // `?` could start a trigraph.
            b' '..=b'~' if byte != b'?' => quoted.push(char::from(byte)),
            _ => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled() {
        let mut random = Random::new(1);
        let mut builder = Builder::new(&mut random);
        builder.scene(|b| {
            b.set("size", 4);
            b.code("char $a[@size];\n$a[0] = 'x';");
            b.number("$a[0]");
        });
        assert_eq!(builder.scenes[0].lines, ["char a_0[4];", "a_0[0] = 'x';"]);
        assert_eq!(builder.scenes[0].checks[0].expression, "a_0[0]");
    }

    #[test]
    fn literals_are_quoted() {
        assert_eq!(literal(b"a\"\n\xff1"), "\"a\\\"\\n\\3771\"");
    }
}
