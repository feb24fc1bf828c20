//! What the functions of the C library may do, where neither an operation nor a model says it exactly.
//!
//! The descriptions are data, made to be reviewed: `effects.txt` has one line for functions that do the same, in sections by header. This module
//! reads them; `docs/library.md` is made from them. `lower::described_call` lowers calls by them.
//!
//! # Form
//! `NAME NAME … : CLAUSE; CLAUSE; …`; arguments count from 1. `#` starts a comment, `[HEADER]` a section.
//!
//! | clause | meaning |
//! |---|---|
//! | `exact` | an operation or a model of the tool executes it |
//! | `ranged "RANGE"` | a model executes it, and chooses its value within a range |
//! | `determined`, `world` | who decides about what is returned and written: the arguments and the state of the program, or the outside world |
//! | `result A..B, C` | an integer within one of the ranges; ends are numbers, `min`, `max`, and for the upper one `argN` or `argN*argM` |
//! | `result null`, `argN`, `null-or-argN`, `not-null`, `into argN` | which pointer is returned; `into` may be null |
//! | `fails V` | whatever the arguments are, it may fail on some run, and then returns this number, or null |
//! | `writes N` | one object of the type that parameter N points to |
//! | `writes N count argK`, `bytes E`, `all` | argK such objects, E bytes, or all to the end of the object; E is a number, `argK` or `argK*argL` |
//! | `writes rest`, `writes rest %n` | all that the variable arguments lead to; or that only if the format may have `%n` |
//! | `optional N` | argument N may be null; no other argument is known to be allowed so |
//! | `errno` | may set `errno` |
//! | `output` | writes to a stream or file; no effect that the program could see |
//! | `noreturn` | does not return |
//! | `opaque "WHY"` | cannot be described: both verdicts are capped |
//! | `refused "WHY"` | calling it is an error of kind unsupported |
//!
//! # Invariants
//! * E1: every line of the file can be read, and no function stands there twice (a test).

use std::sync::OnceLock;

use cfa::Freedom;
use rustc_hash::FxHashMap;

static TEXT: &str = include_str!("effects.txt");

/// The section of variables that the library defines.
pub(super) const VARIABLES: &str = "variables";

/// What is known about a function of the C library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Description {
    /// An operation or a model executes it.
    Exact,
    /// A model executes it and chooses its value within a range, which is stated.
    Ranged(&'static str),
    /// These effects.
    Effects(Effects),
    /// Unknown effects, and why they are.
    Opaque(&'static str),
    /// Must not be called, because of this.
    Refused(&'static str),
}

/// What a call may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// Who decides about what is returned and written.
    pub freedom: Freedom,
    /// What is returned.
    pub result: Outcome,
    /// What is returned if the outside world makes the call fail, which it always may.
    pub failure: Option<i128>,
    /// What is written.
    pub writes: Vec<Write>,
    /// The arguments, counted from 1, that may be null.
    pub optional: Vec<usize>,
    /// What becomes of `errno`.
    pub errno: Errno,
    /// Whether it comes back.
    pub end: End,
}

impl Effects {
    /// Nothing is written, anything may be returned.
    pub fn any_result(freedom: Freedom) -> Self {
        Self {
            freedom,
            result: Outcome::Any,
            failure: None,
            writes: Vec::new(),
            optional: Vec::new(),
            errno: Errno::Kept,
            end: End::Returns,
        }
    }
    /// Whether a call changes neither memory nor `errno`.
    pub fn writes_nothing(&self) -> bool {
        self.writes.is_empty() && self.errno == Errno::Kept
    }
}

/// What a call returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Any value of the type.
    Any,
    /// An integer within one of these ranges.
    Ranges(Vec<(Bound, Bound)>),
    /// A null pointer.
    Null,
    /// An argument.
    Argument(usize),
    /// An argument, or a null pointer.
    NullOrArgument(usize),
    /// A pointer that is not null.
    NotNull,
    /// A pointer into the object of an argument, or a null pointer.
    Into(usize),
}

/// An end of a range, or a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The least value of the type.
    Min,
    /// The largest value of the type.
    Max,
    /// A number.
    Number(i128),
    /// The value of an argument.
    Argument(usize),
    /// The product of two arguments.
    Product(usize, usize),
}

/// Something that a call may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// What an argument points to.
    Argument(usize, Extent),
    /// What the variable arguments point to.
    Rest,
    /// That, but only if the format may have `%n`.
    RestByFormat,
}

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One object of the parameter's type.
    Object,
    /// As many such objects as an argument says.
    Count(usize),
    /// At most that many bytes.
    Bytes(Bound),
    /// Anything up to the end of the object.
    All,
}

/// What becomes of `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// It keeps its value.
    Kept,
    /// It may be set to the number of an error.
    MayBeSet,
}

/// Whether a call comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It may.
    Returns,
    /// It ends the execution.
    Never,
}

/// The value that a variable of the library has at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialValue {
    /// Any, and the library decides.
    Any,
    /// A pointer to something.
    NotNull,
    /// This number, or a null pointer.
    Number(i128),
}

/// One line of the data file.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The header, without brackets.
    pub section: &'static str,
    /// The functions.
    pub names: &'static str,
    /// What they do, as it is written.
    pub clauses: &'static str,
}

/// The lines of the data file.
pub fn entries() -> impl Iterator<Item = Entry> {
    let mut section = "";
    TEXT.lines().filter_map(move |line| {
        let line = without_comment(line).trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name;
        }
        let (names, clauses) = line.split_once(" : ")?;
        Some(Entry { section, names: names.trim(), clauses: clauses.trim() })
    })
}

/// A line up to a `#` that is not in quotes.
fn without_comment(line: &'static str) -> &'static str {
    let mut quoted = false;
    let end = line.find(|c| {
        quoted ^= c == '"';
        c == '#' && !quoted
    });
    end.map_or(line, |end| &line[..end])
}

fn index() -> &'static FxHashMap<&'static str, Entry> {
    static INDEX: OnceLock<FxHashMap<&'static str, Entry>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = FxHashMap::default();
        for entry in entries() {
            for name in entry.names.split_whitespace() {
                index.insert(name, entry);
            }
        }
        index
    })
}

/// What the data file says about a function.
pub fn describe(name: &str) -> Option<Description> {
    let entry = index().get(name).filter(|entry| entry.section != VARIABLES)?;
    // E1 is a test: a line that cannot be read is taken for the worst.
    Some(parse(entry.clauses).unwrap_or(Description::Opaque("its description cannot be read")))
}

/// What the data file says about a variable.
pub fn variable(name: &str) -> Option<InitialValue> {
    let entry = index().get(name).filter(|entry| entry.section == VARIABLES)?;
    Some(match entry.clauses {
        "not-null" => InitialValue::NotNull,
        "null" => InitialValue::Number(0),
        number => number.parse().map_or(InitialValue::Any, InitialValue::Number),
    })
}

/// Reads the clauses of a line; the one that cannot be read is the error.
pub fn parse(clauses: &'static str) -> Result<Description, &'static str> {
    let mut effects = Effects::any_result(Freedom::Determined);
    for clause in clauses.split(';').map(str::trim).filter(|clause| !clause.is_empty()) {
        let (word, rest) = clause.split_once(' ').map_or((clause, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "exact" => return Ok(Description::Exact),
            "ranged" => return Ok(Description::Ranged(rest.trim_matches('"'))),
            "opaque" => return Ok(Description::Opaque(rest.trim_matches('"'))),
            "refused" => return Ok(Description::Refused(rest.trim_matches('"'))),
            "determined" => effects.freedom = Freedom::Determined,
            "world" => effects.freedom = Freedom::World,
            "errno" => effects.errno = Errno::MayBeSet,
            "output" => {}
            "noreturn" => effects.end = End::Never,
            "result" => effects.result = result(rest).ok_or(clause)?,
            "fails" if rest == "null" => effects.failure = Some(0),
            "fails" => effects.failure = Some(rest.parse().map_err(|_| clause)?),
            "writes" => effects.writes.push(write(rest).ok_or(clause)?),
            "optional" => effects.optional.push(rest.parse().map_err(|_| clause)?),
            _ => return Err(clause),
        }
    }
    Ok(Description::Effects(effects))
}

fn result(text: &str) -> Option<Outcome> {
    Some(match text {
        "any" => Outcome::Any,
        "null" => Outcome::Null,
        "not-null" => Outcome::NotNull,
        _ => {
            if let Some(into) = text.strip_prefix("into ") {
                Outcome::Into(argument(into)?)
            } else if let Some(alternative) = text.strip_prefix("null-or-") {
                Outcome::NullOrArgument(argument(alternative)?)
            } else if let Some(same) = argument(text) {
                Outcome::Argument(same)
            } else {
                let ranges = text.split(',').map(|ends| range(ends.trim()));
                Outcome::Ranges(ranges.collect::<Option<_>>()?)
            }
        }
    })
}

fn range(text: &str) -> Option<(Bound, Bound)> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let low = bound(low).filter(|low| matches!(low, Bound::Min | Bound::Number(_)))?;
    Some((low, bound(high)?))
}

fn bound(text: &str) -> Option<Bound> {
    Some(match text {
        "min" => Bound::Min,
        "max" => Bound::Max,
        _ => match text.split_once('*') {
            Some((one, other)) => Bound::Product(argument(one.trim())?, argument(other.trim())?),
            None => match argument(text) {
                Some(argument) => Bound::Argument(argument),
                None => Bound::Number(text.parse().ok()?),
            },
        },
    })
}

fn argument(text: &str) -> Option<usize> {
    text.strip_prefix("arg")?.parse().ok().filter(|argument| *argument > 0)
}

fn write(text: &str) -> Option<Write> {
    match text {
        "rest" => return Some(Write::Rest),
        "rest %n" => return Some(Write::RestByFormat),
        _ => {}
    }
    let (number, extent) = text.split_once(' ').unwrap_or((text, ""));
    let number = number.parse().ok().filter(|number| *number > 0)?;
    let extent = match extent.split_once(' ').unwrap_or((extent, "")) {
        ("", "") => Extent::Object,
        ("all", "") => Extent::All,
        ("count", count) => Extent::Count(argument(count)?),
        ("bytes", bytes) => Extent::Bytes(bound(bytes)?),
        _ => return None,
    };
    Some(Write::Argument(number, extent))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_of_the_data_file_can_be_read_and_no_function_stands_there_twice() {
        let mut seen = BTreeSet::new();
        let mut count = 0;
        for entry in entries() {
            if entry.section != VARIABLES {
                assert!(parse(entry.clauses).is_ok(), "E1: {} : {}", entry.names, entry.clauses);
            }
            for name in entry.names.split_whitespace() {
                assert!(seen.insert(name), "E1: {name} stands there twice");
                count += 1;
            }
        }
        assert!(count > 500, "only {count} functions are described");
        // A line without colon would be passed over.
        for line in TEXT.lines().map(|line| without_comment(line).trim()) {
            assert!(line.is_empty() || line.starts_with('[') || line.contains(" : "), "E1: {line}");
        }
    }

    #[test]
    fn clauses_are_read() {
        let Ok(Description::Effects(effects)) = parse(
            "world; result -1, 0..arg3; writes 2 bytes arg3*arg4; writes 1; writes rest; optional 2; errno",
        ) else {
            panic!("these are effects")
        };
        assert_eq!(effects.freedom, Freedom::World);
        let ranges = vec![(Bound::Number(-1), Bound::Number(-1)), (Bound::Number(0), Bound::Argument(3))];
        assert_eq!(effects.result, Outcome::Ranges(ranges));
        let bytes = Write::Argument(2, Extent::Bytes(Bound::Product(3, 4)));
        assert_eq!(effects.writes, [bytes, Write::Argument(1, Extent::Object), Write::Rest]);
        assert_eq!((effects.errno, effects.optional), (Errno::MayBeSet, vec![2]));
        assert_eq!(parse("opaque \"it keeps a pointer\""), Ok(Description::Opaque("it keeps a pointer")));
        assert_eq!(parse("determined; result into arg1; sings"), Err("sings"));
        assert!(parse("writes x").is_err() && parse("result arg0").is_err());
    }
}
