//! An observer that prints an execution, one line per edge.

use std::fmt::Write as _;
use std::io::Write;

use super::observe::{Observer, View, Written};
use super::value::Value;
use cfa::program::{EdgeId, ProcId, Role};
use cfa::ty::Ty;

/// Prints for each edge where it is and what it assigned: `file.c:3 main: x = 5`.
pub struct Narrator<W> {
    out: W,
    /// What the edges that are being taken have written so far; calls nest.
    pending: Vec<String>,
    failed: bool,
}

impl<W: Write> Narrator<W> {
    /// A narrator that prints to `out`.
    pub fn new(out: W) -> Self {
        Self { out, pending: Vec::new(), failed: false }
    }
    /// Whether printing failed.
    pub fn failed(&self) -> bool {
        self.failed
    }
    /// What was printed to.
    pub fn into_inner(self) -> W {
        self.out
    }
    fn line(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId, what: &str) {
        let program = view.program();
        let procedure = &program.procs[proc];
        let region = procedure.edges()[edge].origin.region;
        let file = program.sources.get(region.file).filter(|_| !region.is_nowhere());
        let place = file.map(|file| format!("{}:{} ", file.name, region.line)).unwrap_or_default();
        self.failed |= writeln!(self.out, "{place}{}: {what}", procedure.name).is_err();
    }
}

fn show(view: &View<'_>, value: Value) -> String {
    match value.ty {
        Ty::Ptr if value.bits != 0 => view.describe(value),
        Ty::Ptr | Ty::Int { .. } | Ty::Float(_) => value.to_string(),
    }
}

impl<W: Write> Observer for Narrator<W> {
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        let what = match view.program().procs[proc].edges()[edge].origin.role {
            Role::Branch(taken) => Some(if taken { "condition holds" } else { "condition does not hold" }),
            Role::Call => Some("call"),
            Role::Statement | Role::Implicit => None,
        };
        if let Some(what) = what {
            self.line(view, proc, edge, what);
        }
        self.pending.push(String::new());
    }
    fn leave(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        if let Some(written) = self.pending.pop().filter(|written| !written.is_empty()) {
            self.line(view, proc, edge, &written);
        }
    }
    fn wrote(&mut self, view: &View<'_>, to: Written, value: Value) {
        let name = match to {
            Written::Var(var) => view.program().vars[var].name.to_string(),
            Written::Elem { array, index } => format!("{}[{index}]", view.program().vars[array].name),
            Written::Mem { addr } => format!("*({})", view.describe(addr)),
            Written::Bits { addr, bit } => format!("bits from {bit} of *({})", view.describe(addr)),
        };
        let value = show(view, value);
        if let Some(written) = self.pending.last_mut() {
            let comma = if written.is_empty() { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(written, "{comma}{name} = {value}");
        }
    }
}
