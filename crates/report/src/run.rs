//! What a report is made of: a finished run as data.

use base::SourceMap;
use certify::Certified;
use cfa::{DataModel, Program, SignedOverflow};
use engine::Work;
use explain::{Contract, ForAll};
use verdict::Verdict;
use witness::correctness::Readable;
use witness::judge::Opinion;

use crate::steps::{Selection, Step};
use crate::table::Table;

/// A finished run.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// What was asked.
    pub task: &'a Task,
    /// The program that was verified; `None` if there is none because the property or a construct is not supported.
    pub program: Option<&'a Program>,
    /// The texts that places refer to.
    pub sources: &'a SourceMap,
    /// The answer, with its evidence and the ledger of what it rests on.
    pub certified: &'a Certified,
    /// What was found out beyond the evidence.
    pub extras: &'a Extras,
    /// What shaped the program that the answer is about.
    pub basis: &'a Basis,
    /// What is known about each check, if the answer is about each.
    pub table: Option<Table<'a>>,
    /// Which steps of the path to a violation the text for people shows, if any.
    pub told: Option<Selection>,
    /// How much work was done, if the user wants to know: name, value.
    pub statistics: Option<&'a [(&'static str, f64)]>,
    /// What each of several engines has done; empty if there was one.
    pub work: &'a Work,
}

impl Run<'_> {
    /// Whether it says safe about a program in which there is nothing to check.
    pub(crate) fn is_idle(&self) -> bool {
        self.basis.is_idle && matches!(self.certified.verdict(), Verdict::Safe(_))
    }
}

/// What was asked.
#[derive(Clone, Debug)]
pub struct Task {
    /// The names of the C files, as the sources have them.
    pub files: Vec<String>,
    /// The name by which SV-COMP knows the property.
    pub property: String,
    /// What violates it.
    pub error: ErrorKind,
    /// The function where execution starts.
    pub entry: String,
    /// Sizes of types.
    pub data_model: DataModel,
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
    /// Whether the task definition says that the property holds.
    pub expected: Option<bool>,
    /// The name of the engine.
    pub engine: String,
    /// The key of program and options; empty if nobody asks for it.
    pub key: String,
}

/// What violates a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A call of one of these functions.
    Calls(Vec<String>),
    /// A call of one of these functions, or a failing assertion.
    CallsAndAssertions(Vec<String>),
    /// A signed overflow.
    Overflow,
    /// A wrong use of memory.
    Memory,
    /// Any of several checks, calls of these functions among them.
    Checks(Vec<String>),
}

/// What shaped the program beyond its text. What is a default is not said.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    /// Options, one line each.
    pub options: Vec<String>,
    /// Who decided about the data model, as the end of a line; empty if it was the command line, the task or the default.
    pub data_model: String,
    /// The same for signed overflow.
    pub signed_overflow: String,
    /// Whether nothing in the program can violate the property.
    pub is_idle: bool,
}

/// What is said about a verdict beyond its own evidence.
#[derive(Debug, Default)]
pub struct Extras {
    /// Invariants at their places, for a proof by invariants.
    pub invariants: Vec<Readable>,
    /// What the proof says about all elements of arrays at loops.
    pub quantified: Vec<ForAll>,
    /// What the proof says about functions that are called.
    pub contracts: Vec<Contract>,
    /// Whether they are a proof by themselves; nothing if there are none.
    pub inductive: Option<bool>,
    /// What the compiled program says about unsafe.
    pub opinion: Option<Opinion>,
    /// The path to the violation, if a report shows it.
    pub steps: Vec<Step>,
    /// Whether the evidence comes from the cache; it was checked again.
    pub is_cached: bool,
}
