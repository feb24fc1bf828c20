//! Names for what is woven into a program.
//!
//! # Invariants
//! * I1: no name occurs in any of the texts, nor in what the preprocessor makes of them: neither as a token nor in the definition of a macro.
//! * I2: the same texts get the same names.

use std::collections::BTreeSet;

use crate::claim::Problem;
use crate::question::Text;
use crate::syntax::Parsed;

/// The words of C that are woven besides the names, and those that may stand directly before something woven: as names of macros they could take it for arguments.
const WORDS: [&str; 16] = [
    "extern",
    "int",
    "if",
    "else",
    "__auto_type",
    "return",
    "sizeof",
    "do",
    "while",
    "for",
    "switch",
    "case",
    "default",
    "goto",
    "typedef",
    "__typeof__",
];

/// Macros that depend on where the text comes from; a text with a claim comes from elsewhere.
const SITUATION: [&str; 4] = ["__BASE_FILE__", "__TIMESTAMP__", "__DATE__", "__TIME__"];

/// Names that the program does not have. Functions are inputs to the front end, so that every call of one is an operation that carries its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// Asks whether a check is carried out.
    pub check: String,
    /// Where a check starts; its argument is the number of the check.
    pub begin: String,
    /// Ends the execution.
    pub stop: String,
    /// The error of a check.
    pub error: String,
    /// Asks whether a waypoint ends its segment.
    pub choose: String,
    /// The variable that counts the segments passed.
    pub state: String,
    /// A variable that holds a value on its way.
    pub value: String,
    /// How the names of variables start that hold values at the entry of a function.
    pub old: String,
    /// A variable that holds what is returned.
    pub result: String,
    /// The type of what is returned.
    pub result_type: String,
}

impl Fresh {
    /// Names for some texts; a problem if macros of the program change the words of C that are needed.
    pub fn choose(texts: &[Text]) -> Result<Self, Problem> {
        let mut taken = BTreeSet::new();
        for text in texts {
            let source = &text.syntax.source.text;
            words(source, &mut taken);
            words(&without_splices(source), &mut taken);
            if let Parsed::Preprocessed(output) = &text.syntax.parsed {
                words(output, &mut taken);
            }
        }
        for text in texts {
            let macros = macros(&text.syntax.parsed);
            if let Some(word) = WORDS.iter().find(|word| macros.contains(word.as_bytes())) {
                let what = format!("a program that defines the macro `{word}`");
                return Err(Problem::Unsupported(what));
            }
        }
        if let Some(word) = SITUATION.iter().find(|word| taken.contains(word.as_bytes())) {
            return Err(Problem::Unsupported(format!("a program with the macro `{word}`")));
        }
        let mut number = 0_u64;
        loop {
            let fresh = Self::numbered(number);
            let is_taken = fresh.all().iter().any(|name| taken.contains(name.as_bytes()));
            if !is_taken && !taken.iter().any(|word| word.starts_with(fresh.old.as_bytes())) {
                return Ok(fresh);
            }
            number += 1;
        }
    }

    fn numbered(number: u64) -> Self {
        let suffix = if number == 0 { String::new() } else { format!("_{number}") };
        let function = |word: &str| format!("__VERIFIER_nondet_witness_{word}{suffix}");
        Self {
            check: function("check"),
            begin: function("begin"),
            stop: function("stop"),
            error: function("error"),
            choose: function("choose"),
            state: format!("__witness_state{suffix}"),
            value: format!("__witness_value{suffix}"),
            old: format!("__witness_old{suffix}"),
            result: format!("__witness_result{suffix}"),
            result_type: format!("__witness_type{suffix}"),
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> [&str; 10] {
        let Self { check, begin, stop, error, choose, state, value, old, result, result_type } = self;
        [check, begin, stop, error, choose, state, value, old, result, result_type]
    }

    /// A variable for a value at the entry of a function.
    pub(crate) fn saved(&self, number: usize) -> String {
        format!("{}_{number}", self.old)
    }

    /// The variables for values at entries that occur in a text.
    pub(crate) fn saved_in(&self, text: &[u8]) -> BTreeSet<String> {
        let words = text.split(|byte| !is_part(*byte)).filter(|word| word.starts_with(self.old.as_bytes()));
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }
}

/// Whether a byte may be part of an identifier. All bytes beyond ASCII count.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// Adds everything that looks like an identifier, wherever it stands: in directives, comments and literals, too.
fn words(text: &[u8], into: &mut BTreeSet<Vec<u8>>) {
    for word in text.split(|byte| !is_part(*byte)).filter(|word| word.starts_with(b"__")) {
        if !into.contains(word) {
            into.insert(word.to_vec());
        }
    }
}

/// The text with lines joined that end in a backslash: an identifier may go on in the next line.
fn without_splices(text: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(text.len());
    let mut position = 0;
    while let Some(byte) = text.get(position) {
        let after = &text[position + 1..];
        let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if *byte == b'\\' && after.get(blanks) == Some(&b'\n') {
            position += blanks + 2;
        } else {
            joined.push(*byte);
            position += 1;
        }
    }
    joined
}

/// The macros that are defined anywhere in what was parsed.
fn macros(parsed: &Parsed) -> BTreeSet<&[u8]> {
    let Parsed::Preprocessed(output) = parsed else { return BTreeSet::new() };
    let lines = output.split(|byte| *byte == b'\n');
    let names = lines.filter_map(|line| {
        let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"define")?;
        let rest = rest.trim_ascii_start();
        let length = rest.iter().take_while(|byte| is_part(**byte)).count();
        Some(&rest[..length])
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use cfa::DataModel;
    use cfront::preprocess::Options;

    use super::*;

    fn text(text: &str) -> Text {
        Text::new("test.c", text.as_bytes().into(), Options::new(DataModel::Lp64)).unwrap()
    }

    fn number(source: &str) -> Option<usize> {
        let fresh = Fresh::choose(&[text(source)]).unwrap();
        (0..9).find(|number| Fresh::numbered(*number as u64) == fresh)
    }

    #[test]
    fn names_of_the_program_are_avoided_wherever_they_stand() {
        assert_eq!(number("int main(void) { return 0; }\n"), Some(0));
        assert_eq!(number("int __witness_state; int main(void) { return 0; }\n"), Some(1));
        assert_eq!(number("int __witness_value, __witness_state_1; int main(void) { return 0; }\n"), Some(2));
        assert_eq!(
            number("#define __VERIFIER_nondet_witness_error abort\nint main(void) { return 0; }\n"),
            Some(1)
        );
        let pasted = "#define JOIN(a, b) a##b\nint JOIN(__witness, _state);\nint main(void) { return 0; }\n";
        assert_eq!(number(pasted), Some(1));
        assert_eq!(number("int __witness_\\\nstate; int main(void) { return 0; }\n"), Some(1));
    }

    #[test]
    fn macros_that_change_c_are_refused() {
        for source in ["#define int long\n", "#define if(c) while (c)\n", " # define else\n"] {
            let text = text(&format!("{source}\nchar main;\n"));
            assert!(matches!(Fresh::choose(&[text]), Err(Problem::Unsupported(_))), "{source}");
        }
    }
}
