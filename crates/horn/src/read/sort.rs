//! Sorts of the text, and how terms represent them.
//!
//! | text | representation |
//! |---|---|
//! | Bool, Int, (Array Int Int) | as themselves |
//! | (Array Int Bool) | an array of integers; what is not zero is true |
//! | other arrays | an integer: such values are passed on, compared and read ([`Read`](crate::Read)), but never stored to |
//!
//! # Why the representations are faithful
//! False is derived by finitely many applications of clauses, whose constraints say something about finitely many values. An array sort that is
//! not accessed has infinitely many values that can only be compared (finite sorts are refused); so do the integers, and what is satisfiable by one is satisfiable by the
//! other. Elements are read from arrays with infinitely many indices only, so that the elements at finitely many of them leave infinitely many arrays. For arrays of booleans see [`Reader::same_booleans`].

use term::{Sort, TermId};

use super::lex::Kind;
use super::{ReadError, Reader};

/// A sort of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Int,
    /// `(Array Int Int)`.
    Integers,
    /// `(Array Int Bool)`.
    Booleans,
    /// Another array sort, by its number in [`Reader::sorts`].
    Other(usize),
}

/// An array sort that has no terms.
#[derive(Clone, Debug)]
pub(super) struct OtherSort {
    pub(super) text: Box<str>,
    pub(super) index: Type,
    pub(super) element: Type,
}

impl Type {
    /// Of a term that is no array.
    pub(super) fn of(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::Bool,
            Sort::Array | Sort::BitArray(_) => Self::Integers,
            Sort::Int | Sort::BitVec(_) => Self::Int,
        }
    }

    /// How terms represent it.
    pub(super) fn sort(self) -> Sort {
        match self {
            Self::Bool => Sort::Bool,
            Self::Int | Self::Other(_) => Sort::Int,
            Self::Integers | Self::Booleans => Sort::Array,
        }
    }

    /// What an access gives; nothing if the sort has no accesses.
    pub(super) fn element(self) -> Option<Self> {
        match self {
            Self::Integers => Some(Self::Int),
            Self::Booleans => Some(Self::Bool),
            Self::Bool | Self::Int | Self::Other(_) => None,
        }
    }
}

/// A term with its sort in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) term: TermId,
    pub(super) ty: Type,
}

impl Typed {
    pub(super) fn bool(term: TermId) -> Self {
        Self { term, ty: Type::Bool }
    }
}

/// An array sort of which index and element are read.
struct Frame {
    start: usize,
    end: usize,
    parts: Vec<Type>,
}

impl Reader<'_> {
    /// The sort as it is written.
    pub(super) fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "Bool".to_owned(),
            Type::Int => "Int".to_owned(),
            Type::Integers => "(Array Int Int)".to_owned(),
            Type::Booleans => "(Array Int Bool)".to_owned(),
            Type::Other(number) => self.sorts[number].text.to_string(),
        }
    }

    /// A sort: Bool, Int, or an array of such sorts.
    pub(super) fn sort(&mut self) -> Result<Type, ReadError> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let at = self.at;
            let mut done = match (self.kind(at), self.kind(at + 1)) {
                (Some(Kind::Symbol("Int")), _) => Type::Int,
                (Some(Kind::Symbol("Bool")), _) => Type::Bool,
                (Some(Kind::Open(end)), Some(Kind::Symbol("Array"))) => {
                    frames.push(Frame { start: at, end, parts: Vec::new() });
                    self.at += 2;
                    continue;
                }
                (Some(Kind::Symbol(name)), _) | (Some(Kind::Open(_)), Some(Kind::Symbol(name))) => {
                    let help = "supported are Int, Bool and arrays";
                    return Err(self.unsupported(at, format_args!("sort {name}"), help));
                }
                (Some(Kind::Open(_)), _) => {
                    return Err(self.unsupported(at, "this sort", "supported are Int, Bool and arrays"));
                }
                _ => {
                    return Err(self.error(
                        at,
                        "a sort should stand here",
                        "write Int, Bool or an array sort",
                    ));
                }
            };
            self.at += 1;
            loop {
                let Some(frame) = frames.last_mut() else { return Ok(done) };
                frame.parts.push(done);
                if frame.parts.len() < 2 {
                    break;
                }
                let Some(Frame { start, end, parts }) = frames.pop() else { return Ok(done) };
                self.close(end, "the array sort")?;
                done = match parts[..] {
                    [Type::Int, Type::Int] => Type::Integers,
                    [Type::Int, Type::Bool] => Type::Booleans,
                    [Type::Bool, Type::Bool] => {
                        let help = "its values are finitely many: use booleans";
                        return Err(self.unsupported(start, "sort (Array Bool Bool)", help));
                    }
                    [index, element] => self.other_sort(start, end, index, element),
                    _ => {
                        return Err(self.error(
                            start,
                            "an array sort has two parts",
                            "write index and element",
                        ));
                    }
                };
            }
        }
    }

    /// The number of an array sort, given by its tokens.
    fn other_sort(&mut self, start: usize, end: usize, index: Type, element: Type) -> Type {
        let from = self.tokens[start].start;
        let to = self.tokens[end].start;
        let words: Vec<&str> = self.text[from..to].split_whitespace().collect();
        let name = format!("{})", words.join(" "));
        let number = self.sorts.iter().position(|known| *known.text == *name).unwrap_or_else(|| {
            self.sorts.push(OtherSort { text: name.into(), index, element });
            self.sorts.len() - 1
        });
        Type::Other(number)
    }
}
