//! SV-COMP witnesses in YAML, format 2.0, and function contracts of format 2.1: what they say, how they are written, how they are read. Violations in GraphML, format 1.0, are read.
//!
//! # Invariants
//! * I1: a [`Witness`] that [`read`] returns has all that the format demands, with the right types and in the right order: every segment
//!   of a violation ends in its one `follow`, the last of which, and no other, is the target.

pub mod graphml;
mod read;
mod write;

pub use read::{Malformed, read};
pub use write::{Stamp, time, write};

use sha2::{Digest, Sha256};

/// A witness: of a violation or of correctness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// What it is about.
    pub task: Task,
    /// What it says.
    pub content: Content,
}

/// What a witness is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The C files and their hashes, in hexadecimal.
    pub files: Vec<(String, String)>,
    /// The property as the witness states it.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
}

/// What a witness says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// An execution passes these segments in order; the last one is the violation.
    Violation(Vec<Segment>),
    /// These invariants and contracts hold.
    Correctness(Claims),
}

/// What a witness of correctness says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// What holds at loops and statements.
    pub invariants: Vec<Invariant>,
    /// What holds at entries and exits of functions.
    pub contracts: Vec<Contract>,
}

impl Claims {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.invariants.is_empty() && self.contracts.is_empty()
    }
}

/// A stretch of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// What does not happen until `follow` happens.
    pub avoid: Vec<Waypoint>,
    /// What ends it.
    pub follow: Waypoint,
}

/// Something that happens in an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// What.
    pub kind: WaypointKind,
    /// Where.
    pub location: Location,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaypointKind {
    /// An expression of C holds before a statement.
    Assumption(String),
    /// A controlling expression is evaluated.
    Branching(Branch),
    /// A function is entered.
    FunctionEnter,
    /// A function returns a value in this relation to a constant, e.g. `==` and `5`; nothing is said about it without one.
    FunctionReturn(Option<(String, String)>),
    /// The property is violated.
    Target,
}

/// The value of a controlling expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// It is not zero, or it is.
    Truth(bool),
    /// The constant in a `switch`.
    Case(i128),
    /// None of the cases of a `switch`.
    Default,
}

/// A place in a C file. Lines and columns count from one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file as `Task::files` names it.
    pub file: String,
    /// The line of the physical file.
    pub line: u32,
    /// The column; without it the leftmost place on the line that fits.
    pub column: Option<u32>,
}

/// What an invariant is tied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InvariantKind {
    /// It holds whenever the controlling expression of the loop is about to be evaluated.
    Loop,
    /// It holds before the statement.
    Location,
}

/// An invariant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Invariant {
    /// Where.
    pub location: Location,
    /// What it is tied to.
    pub kind: InvariantKind,
    /// An expression of C.
    pub value: String,
}

/// A contract of a function. Its expressions are those of C. `\result` is what is returned; `\at(x, Old)`, `\at(x, Pre)` and `\old(x)` are the value of a
/// parameter or global variable at the entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contract {
    /// The first character of the function's definition.
    pub location: Location,
    /// The function, if the witness names it.
    pub function: Option<String>,
    /// What holds at the entry, after the arguments were evaluated.
    pub requires: String,
    /// What holds at the exit, after the last expression was evaluated.
    pub ensures: String,
}

/// Whether a text looks like a witness, right or wrong.
pub fn is_witness(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"- entry_type:")
}

/// The name of a file without its folders.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The hash by which witnesses name a file.
pub fn hash(text: &[u8]) -> String {
    hexadecimal(&Sha256::digest(text))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn at(line: u32, column: Option<u32>) -> Location {
        Location { file: "a b.c".to_owned(), line, column }
    }

    fn task() -> Task {
        Task {
            files: vec![("a b.c".to_owned(), hash(b"int x;"))],
            specification: "G ! call(reach_error())".to_owned(),
            data_model: "LP64".to_owned(),
        }
    }

    fn segment(kind: WaypointKind, location: Location) -> Segment {
        Segment { avoid: Vec::new(), follow: Waypoint { kind, location } }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let relation = Some(("==".to_owned(), "-5".to_owned()));
        let mut segments = vec![
            segment(WaypointKind::FunctionReturn(relation), at(3, Some(7))),
            segment(WaypointKind::Assumption("x == '\"'".to_owned()), at(4, Some(1))),
            segment(WaypointKind::Branching(Branch::Truth(false)), at(5, None)),
            segment(WaypointKind::Branching(Branch::Case(-3)), at(5, None)),
            segment(WaypointKind::FunctionEnter, at(6, Some(2))),
            segment(WaypointKind::Target, at(9, None)),
        ];
        let avoided = Waypoint { kind: WaypointKind::Branching(Branch::Truth(true)), location: at(2, None) };
        segments[2].avoid.push(avoided);
        let invariants = vec![
            Invariant { location: at(3, Some(2)), kind: InvariantKind::Loop, value: "x <= 5".to_owned() },
            Invariant { location: at(4, None), kind: InvariantKind::Location, value: "1".to_owned() },
        ];
        let contracts = vec![
            Contract {
                location: at(3, Some(1)),
                function: Some("f".to_owned()),
                requires: "1".to_owned(),
                ensures: "\\result >= \\at(x, Old)".to_owned(),
            },
            Contract {
                location: at(4, None),
                function: None,
                requires: "x".to_owned(),
                ensures: "1".to_owned(),
            },
        ];
        for content in [
            Content::Violation(segments),
            Content::Correctness(Claims { invariants: invariants.clone(), contracts: Vec::new() }),
            Content::Correctness(Claims { invariants, contracts }),
            Content::Correctness(Claims::default()),
        ] {
            let witness = Witness { task: task(), content };
            let text = write(&witness, &Stamp { seconds: 0, version: "1" });
            assert_eq!(read(text.as_bytes()).unwrap(), witness, "{text}");
        }
    }

    #[test]
    fn a_violation_as_it_is_written() {
        let content = Content::Violation(vec![segment(WaypointKind::Target, at(9, Some(5)))]);
        let text = write(&Witness { task: task(), content }, &Stamp { seconds: 1_800_000_000, version: "1" });
        expect![[r#"
            - entry_type: violation_sequence
              metadata:
                format_version: "2.0"
                uuid: "a45811e1-4e92-8829-9a5d-54599deb948b"
                creation_time: "2027-01-15T08:00:00Z"
                producer:
                  name: "Wayproof"
                  version: "1"
                task:
                  input_files:
                    - "a b.c"
                  input_file_hashes:
                    "a b.c": "e13e332bd08e13cbe2aee094e130ed23878b3b554be5b9a665a83e63caa987ae"
                  specification: "G ! call(reach_error())"
                  data_model: LP64
                  language: C
              content:
                - segment:
                    - waypoint:
                        type: target
                        action: follow
                        location:
                          file_name: "a b.c"
                          line: 9
                          column: 5
        "#]]
        .assert_eq(&text);
    }
}
