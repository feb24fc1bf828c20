//! Which error is the violation that a witness speaks about.
//!
//! The front end decides what an error is: the functions and assertions of the property, by what names stand for, not by how they are written. Of these errors
//! the one at the target counts, and only after all segments; the others end the execution.
//!
//! # Invariants
//! * I1: every execution of the program that ends in an error has passed all segments.
//! * I2: no error that may be at the target is missing.

use base::{Region, SourceFile};
use cfa::{BinaryOp, Edge, ExprId, Op, Procedure, Program, VarId};
use interp::Run;

use crate::claim::Target;
use crate::fresh::Fresh;
use crate::question::Text;
use crate::rebuild::{asked, halting, plain, pruned, without_edges};
use crate::syntax::Range;
use crate::weave::Woven;

/// The program of a claim, and the texts that it was woven into.
pub(crate) struct Claimed<'a> {
    /// The program.
    pub program: Program,
    /// The texts as they are.
    pub texts: &'a [Text],
    /// The texts with the claim.
    pub woven: Vec<Woven>,
    /// The statement that violates.
    pub target: Target,
    /// Functions whose call is an error.
    pub error_functions: &'a [String],
    /// Whether an error may be at the target.
    pub is_possible: bool,
    /// The number of segments before the target, and the variable that counts them.
    passed: (usize, Option<VarId>),
}

/// What is known of the place of an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// It may be the target.
    Target,
    Elsewhere,
}

impl<'a> Claimed<'a> {
    /// Gives the markers and the errors of a program their meaning. `last` is the number of segments before the target.
    pub(crate) fn new(
        program: Program,
        texts: &'a [Text],
        (woven, target): (Vec<Woven>, Target),
        error_functions: &'a [String],
        fresh: &Fresh,
        last: usize,
    ) -> Self {
        let state =
            program.vars.iter_enumerated().find(|(_, var)| *var.name == *fresh.state && var.owner.is_none());
        let passed = (last, state.map(|(var, _)| var));
        let mut claimed = Self { program, texts, woven, target, error_functions, is_possible: false, passed };
        let guard = claimed.guard();
        for number in claimed.program.procs.ids().collect::<Vec<_>>() {
            let procedure = claimed.aimed(&claimed.program.procs[number].clone(), guard, fresh);
            claimed.program.procs[number] = procedure;
        }
        claimed
    }

    /// The condition that all segments were passed.
    fn guard(&mut self) -> ExprId {
        let exprs = &mut self.program.exprs;
        let (last, Some(state)) = self.passed else {
            // A program that never touches the counter has none.
            return exprs.bool(self.passed.0 == 0);
        };
        let Some(ty) = self.program.vars[state].scalar() else { return exprs.bool(false) };
        let (state, last) = (exprs.var(state, ty), exprs.int(ty, last as i128));
        exprs.binary(BinaryOp::Eq, state, last)
    }

    fn aimed(&mut self, old: &Procedure, guard: ExprId, fresh: &Fresh) -> Procedure {
        let mut new = without_edges(old);
        let mut sink = None;
        for edge in old.edges() {
            let ends = asked(edge).is_some_and(|function| function == fresh.stop);
            let is_error = Some(edge.target) == old.error;
            if ends || is_error && self.aim(old, edge) == Aim::Elsewhere {
                let sink = *sink.get_or_insert_with(|| plain(&mut new));
                new.add_edge(halting(edge, sink));
            } else if is_error {
                self.is_possible = true;
                let mut ops = edge.ops.clone();
                ops.push(Op::Assume { cond: guard });
                new.add_edge(Edge { ops, ..edge.clone() });
            } else {
                new.add_edge(edge.clone());
            }
        }
        pruned(&new)
    }

    /// Whether an error may be the violation. What is in no text, or in the body of an error function, is so if a call in the target leads there.
    fn aim(&self, procedure: &Procedure, edge: &Edge) -> Aim {
        if self.is_stub(&procedure.name) {
            return Aim::Target;
        }
        match self.range(edge.origin.region) {
            Some((text, range))
                if self.is_call(text, range) && !self.target.is_at(self.texts, text, range) =>
            {
                Aim::Elsewhere
            }
            _ => Aim::Target,
        }
    }

    /// Whether a procedure stands for an error function.
    fn is_stub(&self, name: &str) -> bool {
        self.error_functions.iter().any(|function| function == name)
    }

    fn is_call(&self, text: usize, range: Range) -> bool {
        self.texts[text].syntax.calls.iter().any(|call| call.range == range)
    }

    /// Whether an execution that ended in an error did so at the target: the innermost place of the texts is there.
    pub(crate) fn ended_at_target(&self, region: Region, run: &Run) -> bool {
        let entries = &run.stack.entries;
        let is_stub = entries.first().is_some_and(|entry| self.is_stub(&entry.procedure));
        let own = (!is_stub).then_some(region);
        let places = own.into_iter().chain(entries.iter().map(|entry| entry.called_at));
        let innermost = places.filter(|place| self.is_in_text(*place)).map(|place| self.range(place)).next();
        innermost.flatten().is_some_and(|(text, range)| self.target.is_at(self.texts, text, range))
    }

    /// Whether an execution that ended in an operation did so at the target, and in nothing that was added.
    pub(crate) fn ended_inside_target(&self, region: Region) -> bool {
        let Some((text, place)) = self.original(region) else { return false };
        let range = self.target.range;
        text == self.target.text && range.lo <= place && place < range.hi
    }

    /// The counter of segments.
    pub(crate) fn counter(&self) -> Option<VarId> {
        self.passed.1
    }

    /// How many segments come before the target.
    pub(crate) fn last(&self) -> usize {
        self.passed.0
    }

    fn file(&self, region: Region) -> Option<(usize, &SourceFile)> {
        let file = self.program.sources.get(region.file).filter(|_| !region.is_nowhere())?;
        Some((self.texts.iter().position(|text| *text.name() == *file.name)?, file))
    }

    fn is_in_text(&self, region: Region) -> bool {
        self.file(region).is_some()
    }

    /// The number of the text in which a region of the program lies, and its place in the original; nothing for what was added.
    pub(crate) fn original(&self, region: Region) -> Option<(usize, u32)> {
        let (number, file) = self.file(region)?;
        let offset = offset_of(file, region.line, region.column)?;
        Some((number, self.woven[number].original(offset)?))
    }

    /// The number of the text in which a region of the program lies, and its range in the original.
    fn range(&self, region: Region) -> Option<(usize, Range)> {
        let (number, lo) = self.original(region)?;
        let (_, file) = self.file(region)?;
        let end = offset_of(file, region.end_line, region.end_column.checked_sub(1)?)?;
        Some((number, Range { lo, hi: self.woven[number].original(end)? + 1 }))
    }
}

/// Where a line and a column are in a file.
pub(crate) fn offset_of(file: &SourceFile, line: u32, column: u32) -> Option<u32> {
    if line > file.line_count() {
        return None;
    }
    let text = file.line_text(line).iter().enumerate().filter(|(_, byte)| **byte & 0xC0 != 0x80);
    let (at, _) = text.map(|(at, byte)| (at, *byte)).nth(column.checked_sub(1)? as usize)?;
    Some(file.line_start(line) + at as u32)
}
