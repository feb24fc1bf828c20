//! The printer of the text format.

use std::fmt::Write as _;

use base::{Idx, Region};
use rustc_hash::FxHashMap;

use super::names::{Names, escape, quoted_if_needed};
use super::print_expr::Notation;
use super::{LET_DEPTH, LET_SIZE};
use crate::program::{ApproximationKind, Length, LocationInfo, LocationRole, Role, Storage};
use crate::{CheckKind, Edge, ExprId, Origin, ProcId, Procedure, Program, SignedOverflow, Var, VarId};

/// The text of a program.
pub fn print(program: &Program) -> String {
    let names = Names::new(program);
    let mut printer = Printer {
        program,
        names: &names,
        locals: vec![Vec::new(); program.procs.len()],
        shares: Shares::new(program),
        out: String::new(),
    };
    for (id, var) in program.vars.iter_enumerated() {
        if let Some(locals) = var.owner.and_then(|owner| printer.locals.get_mut(owner.index())) {
            locals.push(id);
        }
    }
    printer.header();
    for proc in program.procs.ids() {
        printer.procedure(proc);
    }
    printer.out
}

/// The text of one procedure, for comparisons: equal texts mean the same. Numbers of variables and procedures are no part of it, nor is the rest of the program but for the names that the procedure
/// uses. It is not read back. Places are a part of it, unless the program has none ([`Program::without_positions`]).
pub fn print_alone(program: &Program, proc: ProcId) -> String {
    let names = Names::within(program, proc);
    let mut printer = Printer {
        program,
        names: &names,
        locals: Vec::new(),
        shares: Shares::new(program),
        out: String::new(),
    };
    printer.alone(proc);
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    names: &'a Names,
    locals: Vec<Vec<VarId>>,
    shares: Shares,
    out: String,
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {{ let _ = write!($printer.out, $($arg)*); }};
}

impl Printer<'_> {
    fn header(&mut self) {
        let overflow = match self.program.signed_overflow {
            SignedOverflow::Undefined => "undefined",
            SignedOverflow::Wrap => "wrap",
            SignedOverflow::Error => "error",
        };
        let start = self.names.proc(self.program.entry);
        put!(self, "program {} overflow={overflow} start={start}", self.program.data_model);
        if !self.program.checks.is_empty() {
            let kinds: Vec<&str> = self.program.checks.iter().map(CheckKind::code).collect();
            put!(self, " checks={}", escape(kinds.join(" ").as_bytes(), '"'));
        }
        self.out.push('\n');
        for (id, file) in self.program.sources.iter() {
            put!(self, "file {id} {}\n", escape(file.name.as_bytes(), '"'));
        }
        for approximation in &self.program.approximations {
            let kind = match approximation.kind {
                ApproximationKind::Assumption => "assumption",
                ApproximationKind::Model => "model",
                ApproximationKind::Over => "over",
                ApproximationKind::Under => "under",
            };
            put!(self, "approximation {kind} {}", escape(approximation.what.as_bytes(), '"'));
            self.region("", approximation.region);
            self.out.push('\n');
        }
        for (id, var) in self.program.vars.iter_enumerated() {
            if var.owner.is_none() {
                self.declaration("global", id, var);
            }
        }
    }

    fn declaration(&mut self, keyword: &str, id: VarId, var: &Var) {
        put!(self, "{keyword} {id} {}", quoted_if_needed(&var.name));
        self.storage(var.storage);
        if !var.c_type.is_empty() {
            put!(self, " {}", escape(var.c_type.as_bytes(), '"'));
        }
        self.region("", var.declared);
        self.region("scope ", var.scope);
        self.out.push('\n');
    }

    fn storage(&mut self, storage: Storage) {
        self.out.push_str(" : ");
        match storage {
            Storage::Scalar(ty) => put!(self, "{ty}"),
            Storage::Array { elem, length: Length::Fixed(length) } => put!(self, "{elem}[{length}]"),
            Storage::Array { elem, length: Length::Dynamic } => put!(self, "{elem}[]"),
            Storage::Array { elem, length: Length::Unbounded } => put!(self, "{elem}[*]"),
            Storage::Object { size, align, read_only } => {
                put!(self, "object {size} align {align}{}", if read_only { " readonly" } else { "" });
            }
        }
    }

    fn region(&mut self, before: &str, region: Region) {
        if !region.is_nowhere() {
            put!(self, " {before}@{region:?}");
        }
    }

    fn vars(&self, vars: &[VarId]) -> String {
        vars.iter().map(|var| self.names.var(*var)).collect::<Vec<_>>().join(", ")
    }

    fn procedure(&mut self, proc: ProcId) {
        let procedure = &self.program.procs[proc];
        let name = quoted_if_needed(&procedure.name);
        put!(self, "proc {proc} {name}({})", self.vars(&procedure.params));
        if !procedure.results.is_empty() {
            put!(self, " -> ({})", self.vars(&procedure.results));
        }
        self.region("", procedure.region);
        self.out.push_str(" {\n");
        for var in std::mem::take(&mut self.locals[proc.index()]) {
            self.out.push_str("  ");
            self.declaration("local", var, &self.program.vars[var]);
        }
        self.body(procedure);
        self.out.push_str("}\n");
    }

    fn alone(&mut self, proc: ProcId) {
        let procedure = &self.program.procs[proc];
        let (params, results) = (self.vars(&procedure.params), self.vars(&procedure.results));
        put!(self, "proc {}({params}) -> ({results})\n", self.names.proc(proc));
        for (id, var) in self.program.vars.iter_enumerated().filter(|(_, var)| var.owner == Some(proc)) {
            put!(self, "local {}", self.names.var(id));
            self.storage(var.storage);
            self.out.push('\n');
        }
        self.body(procedure);
    }

    fn body(&mut self, procedure: &Procedure) {
        put!(self, "  entry {}\n  exit {}\n", procedure.entry, procedure.exit);
        if let Some(error) = procedure.error {
            put!(self, "  error {error}\n");
        }
        self.locations(procedure);
        let shared = self.shares.of_procedure(self.program, procedure);
        let lets: FxHashMap<ExprId, u32> =
            shared.iter().enumerate().map(|(number, id)| (*id, number as u32)).collect();
        let notation = Notation::exact(self.program, self.names, &lets);
        for (number, id) in shared.iter().enumerate() {
            put!(self, "  let ${number} = {}\n", notation.definition(*id));
        }
        for edge in procedure.edges() {
            self.edge(edge, notation);
        }
    }

    fn locations(&mut self, procedure: &Procedure) {
        let mut mentioned = vec![false; procedure.locations.len()];
        let ends = [Some(procedure.entry), Some(procedure.exit), procedure.error];
        let joined = procedure.edges().iter().flat_map(|edge| [edge.source, edge.target]);
        for location in ends.into_iter().flatten().chain(joined) {
            if let Some(flag) = mentioned.get_mut(location.index()) {
                *flag = true;
            }
        }
        for (location, info) in procedure.locations.iter_enumerated() {
            let LocationInfo { region, role } = *info;
            let plain = role == LocationRole::Plain && region.is_nowhere();
            if plain && mentioned[location.index()] {
                continue;
            }
            let word = match role {
                LocationRole::LoopHead => " loop",
                LocationRole::Statement => " stmt",
                LocationRole::Plain => "",
            };
            put!(self, "  loc {location}{word}");
            self.region("", region);
            self.out.push('\n');
        }
    }

    fn edge(&mut self, edge: &Edge, notation: Notation<'_>) {
        let start = self.out.len();
        put!(self, "  {} -> {}", edge.source, edge.target);
        let indent = self.out.len() - start + 1;
        for (position, op) in edge.ops.iter().enumerate() {
            if position == 0 {
                self.out.push_str(" : ");
            } else {
                put!(self, "\n{:indent$}; ", "");
            }
            self.out.push_str(&notation.op(op));
        }
        if edge.origin != Origin::IMPLICIT {
            let role = match edge.origin.role {
                Role::Statement => "stmt",
                Role::Branch(true) => "branch true",
                Role::Branch(false) => "branch false",
                Role::Call => "call",
                Role::Implicit => "implicit",
            };
            if edge.origin.region.is_nowhere() {
                put!(self, "  @nowhere {role}");
            } else {
                put!(self, "  @{:?} {role}", edge.origin.region);
            }
        }
        self.out.push('\n');
    }
}

/// Decides what is named by `let`. The vectors are reused: a mark is valid if it is the current procedure's.
struct Shares {
    marks: Vec<u32>,
    uses: Vec<u32>,
    round: u32,
}

impl Shares {
    fn new(program: &Program) -> Self {
        let count = program.exprs.len();
        Self { marks: vec![0; count], uses: vec![0; count], round: 0 }
    }

    /// What to name, operands first.
    fn of_procedure(&mut self, program: &Program, procedure: &Procedure) -> Vec<ExprId> {
        self.round += 1;
        let mut found: Vec<ExprId> = Vec::new();
        let mut pending: Vec<ExprId> = Vec::new();
        let roots = procedure.edges().iter().flat_map(|edge| &edge.ops).flat_map(crate::Op::exprs);
        for root in roots {
            pending.push(root);
            while let Some(id) = pending.pop() {
                let index = id.index();
                if self.marks[index] == self.round {
                    self.uses[index] += 1;
                    continue;
                }
                self.marks[index] = self.round;
                self.uses[index] = 1;
                found.push(id);
                pending.extend(program.exprs.get(id).operands());
            }
        }
        found.sort_unstable();
        // Size and depth as printed, where a name counts as a leaf.
        let mut printed: FxHashMap<ExprId, (u32, u32)> = FxHashMap::default();
        let mut named = Vec::new();
        for id in found {
            let (mut size, mut depth) = (1, 0);
            for operand in program.exprs.get(id).operands() {
                let (operand_size, operand_depth) = printed[&operand];
                size += operand_size;
                depth = depth.max(operand_depth + 1);
            }
            let shared = self.uses[id.index()] > 1 && size > LET_SIZE;
            if shared || depth > LET_DEPTH {
                named.push(id);
                (size, depth) = (1, 0);
            }
            printed.insert(id, (size, depth));
        }
        named
    }
}
