//! Checks that a program is well formed.
//!
//! # Invariants checked
//! P1 to P5 of [`crate::program`] and I1, I3, I4 of [`crate::expr`] (I2 holds by construction of the arena).
//! What has been checked may be relied on by everybody who is given a program: passes, interpreter, engines.
//! The parser of the text format uses the same rules on every expression and operation as it reads them.
//!
//! # Cost
//! Linear in the size of the program: whether an expression respects ownership is decided by a summary per
//! arena node, not by walking it again for every use.
//!
//! The walk over a program is in this file; the rules for a single variable, expression or operation are in `rules`.

mod rules;

use std::fmt;

use base::Idx;

use crate::expr::{Expr, ExprId};
use crate::op::Op;
use crate::program::{EdgeId, Loc, ProcId, Procedure, Program, VarId};
pub(crate) use rules::{check_expr, check_op};
use rules::{check_interface, check_storage};

/// Which rule is broken; the names are those of the modules that state them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invariant {
    /// P1: ids in range, edges within their procedure, variables used by their owner only.
    P1,
    /// P2: nothing leaves the exit and the error location.
    P2,
    /// P3: types of operations agree.
    P3,
    /// P4: the entry procedure has no parameters and no caller.
    P4,
    /// P5: parameters and results are scalar variables of their procedure.
    P5,
    /// I1: operands precede their expression.
    I1,
    /// I3: types of expressions agree.
    I3,
    /// I4: constants are reduced to their width.
    I4,
}

/// Where a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// The program as a whole.
    Program,
    /// A variable's declaration.
    Var(VarId),
    /// An expression, wherever it is used.
    Expr(ExprId),
    /// A procedure's declaration.
    Proc(ProcId),
    /// A location.
    Location(ProcId, Loc),
    /// An edge.
    Edge(ProcId, EdgeId),
    /// The operation at a position of an edge.
    Op(ProcId, EdgeId, usize),
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Which one.
    pub invariant: Invariant,
    /// Where.
    pub site: Site,
    /// One sentence; for sites inside a procedure it starts with the procedure's name.
    pub message: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at ", self.invariant)?;
        match self.site {
            Site::Program => f.write_str("program")?,
            Site::Var(var) => write!(f, "{var}")?,
            Site::Expr(expr) => write!(f, "{expr}")?,
            Site::Proc(proc) => write!(f, "{proc}")?,
            Site::Location(proc, location) => write!(f, "{proc} {location}")?,
            Site::Edge(proc, edge) => write!(f, "{proc} {edge}")?,
            Site::Op(proc, edge, position) => write!(f, "{proc} {edge} operation {position}")?,
        }
        write!(f, ": {}", self.message)
    }
}

/// A broken rule without its place.
pub(crate) type Complaint = (Invariant, String);

fn complain<T>(invariant: Invariant, message: impl Into<String>) -> Result<T, Complaint> {
    Err((invariant, message.into()))
}

/// A complaint of a rule unless a condition holds; the message is formatted only then.
macro_rules! ensure {
    ($holds:expr, $invariant:expr, $($message:tt)+) => {
        if $holds { Ok(()) } else { Err(($invariant, format!($($message)+))) }
    };
}
use ensure;

impl Program {
    /// Checks all invariants.
    pub fn verify(&self) -> Result<(), Vec<Defect>> {
        let mut verifier = Verifier { program: self, owners: Vec::new(), defects: Vec::new() };
        verifier.vars();
        verifier.exprs();
        verifier.entry();
        for proc in self.procs.ids() {
            verifier.procedure(proc);
        }
        if verifier.defects.is_empty() { Ok(()) } else { Err(verifier.defects) }
    }
}

/// Whose local variables an expression mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owners {
    Nobody,
    One(ProcId),
    Several,
}

impl Owners {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nobody, owners) | (owners, Self::Nobody) => owners,
            (Self::One(left), Self::One(right)) if left == right => self,
            _ => Self::Several,
        }
    }
    fn allow(self, proc: ProcId) -> bool {
        self == Self::Nobody || self == Self::One(proc)
    }
}

struct Verifier<'a> {
    program: &'a Program,
    owners: Vec<Owners>,
    defects: Vec<Defect>,
}

impl Verifier<'_> {
    fn record(&mut self, site: Site, result: Result<(), Complaint>) {
        if let Err((invariant, message)) = result {
            let proc = match site {
                Site::Proc(proc) | Site::Location(proc, _) | Site::Edge(proc, _) | Site::Op(proc, _, _) => {
                    Some(proc)
                }
                Site::Program | Site::Var(_) | Site::Expr(_) => None,
            };
            let message = match proc.and_then(|proc| self.program.procs.get(proc)) {
                Some(procedure) => format!("in {}: {message}", procedure.name),
                None => message,
            };
            self.defects.push(Defect { invariant, site, message });
        }
    }

    fn vars(&mut self) {
        for (id, var) in self.program.vars.iter_enumerated() {
            let owned = var.owner.is_none_or(|owner| owner.index() < self.program.procs.len());
            let owner = ensure!(owned, Invariant::P1, "the owner of {} does not exist", var.name);
            self.record(Site::Var(id), owner);
            self.record(Site::Var(id), check_storage(var));
        }
    }

    fn exprs(&mut self) {
        let program = self.program;
        for (id, expr) in program.exprs.iter() {
            let result = check_expr(&program.exprs, &program.vars, program.procs.len(), Some(id), expr);
            self.record(Site::Expr(id), result);
            let mut owners = match *expr {
                Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } => {
                    self.owner_of(var)
                }
                _ => Owners::Nobody,
            };
            for operand in expr.operands() {
                owners = owners.join(self.owners.get(operand.index()).copied().unwrap_or(Owners::Several));
            }
            self.owners.push(owners);
        }
    }

    fn owner_of(&self, var: VarId) -> Owners {
        self.program.vars.get(var).and_then(|var| var.owner).map_or(Owners::Nobody, Owners::One)
    }

    fn entry(&mut self) {
        let result = match self.program.procs.get(self.program.entry) {
            None => complain(Invariant::P1, "the entry procedure does not exist"),
            Some(entry) => ensure!(
                entry.params.is_empty(),
                Invariant::P4,
                "the entry procedure {} has parameters",
                entry.name
            ),
        };
        self.record(Site::Program, result);
    }

    fn procedure(&mut self, proc: ProcId) {
        let procedure = &self.program.procs[proc];
        for (what, vars) in [("parameter", &procedure.params), ("result", &procedure.results)] {
            for var in vars {
                let result = check_interface(self.program, proc, *var, what);
                self.record(Site::Proc(proc), result);
            }
        }
        let count = procedure.locations.len();
        for (what, location) in
            [("entry", Some(procedure.entry)), ("exit", Some(procedure.exit)), ("error", procedure.error)]
        {
            let exists = location.is_none_or(|location| location.index() < count);
            let result = ensure!(exists, Invariant::P1, "the {what} location does not exist");
            self.record(Site::Proc(proc), result);
        }
        for (id, edge) in procedure.edges().iter_enumerated() {
            let inside = edge.source.index() < count && edge.target.index() < count;
            let result = ensure!(inside, Invariant::P1, "it leaves the procedure");
            self.record(Site::Edge(proc, id), result);
            let leaves_end = edge.source == procedure.exit || Some(edge.source) == procedure.error;
            let result = ensure!(
                !leaves_end,
                Invariant::P2,
                "it leaves the {} location",
                if edge.source == procedure.exit { "exit" } else { "error" }
            );
            self.record(Site::Edge(proc, id), result);
            for (position, op) in edge.ops.iter().enumerate() {
                let site = Site::Op(proc, id, position);
                let scope = self.check_scope(proc, op);
                self.record(site, scope);
                let types = check_op(self.program, op);
                self.record(site, types);
            }
        }
        self.check_lists(proc, procedure);
    }

    /// The list of edges of each location has exactly the edges that leave it.
    fn check_lists(&mut self, proc: ProcId, procedure: &Procedure) {
        let mut listed = 0;
        for location in procedure.locations.ids() {
            for edge in procedure.outgoing(location) {
                listed += 1;
                let right = procedure.edges().get(*edge).is_some_and(|edge| edge.source == location);
                let result = ensure!(right, Invariant::P1, "{edge} does not leave this location");
                self.record(Site::Location(proc, location), result);
            }
        }
        let complete = listed == procedure.edges().len();
        let result = ensure!(complete, Invariant::P1, "an edge is in no list of its source");
        self.record(Site::Proc(proc), result);
    }

    fn check_scope(&self, proc: ProcId, op: &Op) -> Result<(), Complaint> {
        for expr in op.exprs() {
            let owners = self.owners.get(expr.index()).copied();
            match owners {
                None => return complain(Invariant::P1, format!("{expr} does not exist")),
                Some(owners) => ensure!(
                    owners.allow(proc),
                    Invariant::P1,
                    "{expr} mentions a variable of another procedure"
                )?,
            }
        }
        for var in op.vars() {
            ensure!(
                self.owner_of(var).allow(proc),
                Invariant::P1,
                "{var} is a variable of another procedure"
            )?;
        }
        Ok(())
    }
}
