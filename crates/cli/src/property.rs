//! SV-COMP property files: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.
//!
//! Spacing is free. A file is a list of such lines; a memory-safety file has three.

use std::path::PathBuf;

use base::{FileId, SourceFile, SourceMap, Span};
use cfa::{CheckKind, CheckKinds};
use cfront::lex::{Interner, Lexer, Name, TokenKind};

/// What must hold of every execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    /// No call of the function (and no failing `assert`).
    UnreachCall {
        /// Its name.
        function: String,
    },
    /// No signed overflow.
    NoOverflow,
    /// Properties of memory, by their SV-COMP names.
    Memory {
        /// Such as `valid-deref`; in order, none twice.
        names: Vec<&'static str>,
    },
    /// A property that SV-COMP knows and this tool does not.
    Unsupported {
        /// Its SV-COMP name, or its formula.
        name: String,
    },
}

impl Property {
    /// The name by which SV-COMP knows it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::UnreachCall { .. } => "unreach-call".to_owned(),
            Self::NoOverflow => "no-overflow".to_owned(),
            Self::Memory { names } if *names == MEMORY_SAFETY => "valid-memsafety".to_owned(),
            Self::Memory { names } => names.join(" and "),
            Self::Unsupported { name } => name.clone(),
        }
    }

    /// What is said of a property of this name that is not supported.
    pub(crate) fn refusal(name: &str) -> String {
        format!(
            "the property {name} is not supported; those that are: unreach-call, no-overflow, {}, valid-memsafety",
            MEMORY.join(", ")
        )
    }

    /// The kinds of checks that violate it.
    pub(crate) fn kinds(&self) -> CheckKinds {
        let of = |wanted: &dyn Fn(&'static str) -> bool| {
            CheckKind::ALL.into_iter().filter(|kind| kind.property().is_some_and(wanted)).collect()
        };
        match self {
            Self::UnreachCall { .. } | Self::Unsupported { .. } => CheckKinds::NONE,
            Self::NoOverflow => of(&|name| name == "no-overflow"),
            Self::Memory { names } => of(&|name| names.contains(&name)),
        }
    }

    /// Both properties as one, if there is one.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Memory { names: mut all }, Self::Memory { names }) => {
                all.extend(names);
                all.sort_unstable();
                all.dedup();
                Self::Memory { names: all }
            }
            (one, other) => Self::Unsupported { name: format!("{} and {}", one.name(), other.name()) },
        }
    }
}

/// The parts of valid-memsafety, in order.
const MEMORY_SAFETY: [&str; 3] = ["valid-deref", "valid-free", "valid-memtrack"];
/// All properties of memory.
const MEMORY: [&str; 4] = ["valid-deref", "valid-free", "valid-memcleanup", "valid-memtrack"];

/// What a property file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Specification {
    /// The function where execution starts.
    pub(crate) entry: String,
    /// The property; several lines of which one is unsupported are unsupported as a whole.
    pub(crate) property: Property,
}

/// Why a text is not a property file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PropertyError {
    /// One sentence.
    pub(crate) message: String,
    /// Where.
    pub(crate) span: Span,
}

/// The form that every line has, for advice.
pub(crate) const FORM: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";

/// Reads the text of a property file that is loaded as `file`.
pub(crate) fn parse(text: &[u8], file: FileId) -> Result<Specification, PropertyError> {
    let mut specifications = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let mut cursor = Cursor { line, at: 0, base: start, file };
        start += line.len();
        cursor.skip_blanks();
        if cursor.at < line.len() {
            specifications.push(cursor.specification()?);
        }
    }
    let span = Span { file, lo: 0, hi: text.len().min(1) as u32 };
    combine(specifications)
        .ok_or_else(|| PropertyError { message: "the property file contains no property".to_owned(), span })
}

/// One specification for all lines of a file.
fn combine(specifications: Vec<Specification>) -> Option<Specification> {
    let mut all = specifications.into_iter();
    let mut combined = all.next()?;
    for next in all {
        combined.property = combined.property.and(next.property);
    }
    Some(combined)
}

/// Whether a name is a word of the files of a program, as the compiler sees them. Texts that cannot be read have all words.
pub(crate) fn occurs(name: &str, files: &[PathBuf], sources: &SourceMap) -> bool {
    files.iter().any(|file| {
        // Of a file that was preprocessed the output counts.
        let plain = file.to_string_lossy();
        let output = format!("<preprocessed {plain}>");
        let find = |wanted: &str| sources.iter().find(|(_, source)| *source.name == *wanted);
        find(&output).or_else(|| find(&plain)).is_none_or(|(id, source)| has_word(name, id, source))
    })
}

fn has_word(name: &str, id: FileId, file: &SourceFile) -> bool {
    let mut interner = Interner::new();
    let wanted = interner.intern(name);
    // What directives are left stand on lines of their own and are no part of the program.
    let is_text = |line: &&[u8]| !line.trim_ascii_start().starts_with(b"#");
    let text: Vec<u8> =
        file.text.split_inclusive(|byte| *byte == b'\n').filter(is_text).flatten().copied().collect();
    let mut lexer = Lexer::new(id, text.into());
    loop {
        match lexer.next_token(&mut interner) {
            Ok(token) if token.kind == TokenKind::EndOfFile => return false,
            Ok(token) if token.kind.is_word() && Name(token.payload) == wanted => return true,
            Ok(_) => {}
            Err(_) => return true,
        }
    }
}

/// A position in one line.
struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
    base: usize,
    file: FileId,
}

impl Cursor<'_> {
    /// `CHECK( init(NAME()), LTL(FORMULA) )` or `COVER( … )`.
    fn specification(&mut self) -> Result<Specification, PropertyError> {
        if self.eat("COVER") {
            let property = Property::Unsupported { name: "test coverage (COVER)".to_owned() };
            return Ok(Specification { entry: "main".to_owned(), property });
        }
        self.expect("CHECK")?;
        self.expect("(")?;
        self.expect("init")?;
        self.expect("(")?;
        let entry = self.name()?;
        for token in ["(", ")", ")", ",", "LTL", "("] {
            self.expect(token)?;
        }
        let property = self.formula()?;
        self.expect(")")?;
        self.expect(")")?;
        if self.at < self.line.len() {
            return Err(self.error("unexpected text after the property"));
        }
        Ok(Specification { entry, property })
    }

    /// The formulas that SV-COMP defines.
    fn formula(&mut self) -> Result<Property, PropertyError> {
        if self.eat("F") {
            self.expect("end")?;
            return Ok(Property::Unsupported { name: "termination".to_owned() });
        }
        self.expect("G")?;
        if !self.eat("!") {
            let name = self.name()?;
            return Ok(match MEMORY.into_iter().find(|memory| *memory == name) {
                Some(memory) => Property::Memory { names: vec![memory] },
                None => Property::Unsupported { name },
            });
        }
        let atom = self.name()?;
        Ok(match atom.as_str() {
            "call" => {
                self.expect("(")?;
                let function = self.name()?;
                for token in ["(", ")", ")"] {
                    self.expect(token)?;
                }
                Property::UnreachCall { function }
            }
            "overflow" => Property::NoOverflow,
            "data-race" => Property::Unsupported { name: "no-data-race".to_owned() },
            _ => Property::Unsupported { name: atom },
        })
    }

    fn skip_blanks(&mut self) {
        while self.line.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.line[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
            self.skip_blanks();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), PropertyError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(&format!("expected `{token}` in the property"))) }
    }

    /// A C name, or a name of SV-COMP's with hyphens.
    fn name(&mut self) -> Result<String, PropertyError> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$');
        let length = self.line[self.at..].iter().take_while(|byte| is_part(byte)).count();
        if length == 0 {
            return Err(self.error("expected a name in the property"));
        }
        let name = String::from_utf8_lossy(&self.line[self.at..self.at + length]).into_owned();
        self.at += length;
        self.skip_blanks();
        Ok(name)
    }

    fn error(&self, message: &str) -> PropertyError {
        let lo = (self.base + self.at) as u32;
        let end = self.base + self.line.trim_ascii_end().len();
        let span = Span { file: self.file, lo, hi: (lo + 1).min(end as u32).max(lo) };
        PropertyError { message: message.to_owned(), span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(text: &str) -> Result<Specification, PropertyError> {
        parse(text.as_bytes(), FileId(0))
    }

    #[test]
    fn the_called_function_and_the_entry_are_parameters() {
        let specification = property("CHECK(init(start()),LTL(G!call(__VERIFIER_error())))\n\n").unwrap();
        assert_eq!(specification.entry, "start");
        let function = "__VERIFIER_error".to_owned();
        assert_eq!(specification.property, Property::UnreachCall { function });
    }

    #[test]
    fn every_property_of_sv_comp_is_recognised() {
        let name = |formula: &str| {
            property(&format!("CHECK( init(main()), LTL({formula}) )")).unwrap().property.name()
        };
        assert_eq!(name("G ! call(reach_error())"), "unreach-call");
        assert_eq!(name("G ! overflow"), "no-overflow");
        assert_eq!(name("G valid-memcleanup"), "valid-memcleanup");
        assert_eq!(name("G ! data-race"), "no-data-race");
        assert_eq!(name("F end"), "termination");
    }

    #[test]
    fn several_lines_are_one_property() {
        let text = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n";
        assert_eq!(property(text).unwrap().property.name(), "valid-deref and valid-free");
        let whole = format!("{text}CHECK( init(main()), LTL(G valid-memtrack) )\n");
        let whole = property(&whole).unwrap().property;
        assert_eq!(whole.name(), "valid-memsafety");
        assert!(whole.kinds().contains(CheckKind::DoubleFree) && !whole.kinds().contains(CheckKind::Leak));
        let mixed = format!("{text}CHECK( init(main()), LTL(G ! overflow) )\n");
        assert!(matches!(property(&mixed).unwrap().property, Property::Unsupported { .. }));
    }

    #[test]
    fn an_error_names_the_place() {
        let error =
            property("CHECK( init(main()), LTL(G ! call(reach_error())) )\nint main() {}\n").unwrap_err();
        assert_eq!(error.message, "expected `CHECK` in the property");
        assert_eq!((error.span.lo, error.span.hi), (52, 53));
        assert_eq!(property("").unwrap_err().message, "the property file contains no property");
        assert_eq!(property("CHECK( init(main()").unwrap_err().message, "expected `)` in the property");
        assert_eq!(
            property("CHECK( init(main()), LTL(G ! ").unwrap_err().message,
            "expected a name in the property"
        );
    }
}
