//! Which variables certainly have a value where they are read (definite assignment).
//!
//! Only the others need a run-time flag. Objects are treated alike: "assigned" means begun.
//!
//! # Invariants
//! * D1: facts only ever change from "certain" to "uncertain", so the rounds over all procedures end.
//! * D2: where the answer would cost too much, it is "uncertain".

use base::IndexVec;
use rustc_hash::FxHashSet;

use super::Uninitialised;
use cfa::CheckKind;
use cfa::expr::{Expr, ExprId};
use cfa::op::{Op, Place, Source};
use cfa::program::{EdgeId, Loc, ProcId, Program, Storage, VarId};

/// Words of bit sets that one procedure may take.
const SIZE_LIMIT: usize = 1 << 25;

/// Variables of one procedure that certainly have a value at some point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    words: Vec<u64>,
}

/// What is certain everywhere.
pub struct Facts {
    policy: Uninitialised,
    /// Position of a variable in the sets of its procedure; globals have positions in those of the entry procedure.
    positions: IndexVec<VarId, u32>,
    counts: IndexVec<ProcId, usize>,
    params: IndexVec<ProcId, Vec<bool>>,
    results: IndexVec<ProcId, Vec<bool>>,
    globals: IndexVec<VarId, bool>,
    /// Variables that some read finds without certain value.
    pub uncertain: IndexVec<VarId, bool>,
}

/// What is certain in one procedure: the sets of its locations, or nothing.
pub struct ProcFacts {
    known: Option<IndexVec<Loc, Option<Known>>>,
    words: usize,
}

impl ProcFacts {
    /// The variables that have a value at a location.
    pub fn at(&self, location: Loc) -> Known {
        match &self.known {
            // Nothing reaches the location: anything holds there.
            Some(known) => {
                known[location].clone().unwrap_or_else(|| Known { words: vec![u64::MAX; self.words] })
            }
            None => Known { words: Vec::new() },
        }
    }
}

impl Known {
    fn get(&self, position: u32) -> bool {
        self.words.get(position as usize / 64).is_some_and(|word| word >> (position % 64) & 1 != 0)
    }
    fn insert(&mut self, position: u32) {
        if let Some(word) = self.words.get_mut(position as usize / 64) {
            *word |= 1 << (position % 64);
        }
    }
    fn remove(&mut self, position: u32) {
        if let Some(word) = self.words.get_mut(position as usize / 64) {
            *word &= !(1 << (position % 64));
        }
    }
    /// Intersects; whether anything changed.
    fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            changed |= *word & !other != 0;
            *word &= other;
        }
        changed
    }
}

/// The variable whose value an expression merely copies: that is no use of it. Where reading what has no value is a violation, this goes for parts of records and
/// for temporaries only, as C has it: a record may be copied before all its parts have values.
pub fn copied_var(program: &Program, expr: ExprId) -> Option<VarId> {
    let Expr::Var { var, .. } = *program.exprs.get(expr) else { return None };
    let name = &program.vars[var].name;
    let is_part = name.starts_with('%') || name.contains(['.', '[']);
    (is_part || !program.checks.contains(CheckKind::Uninitialised)).then_some(var)
}

impl Facts {
    /// Analyses a program.
    pub fn new(program: &Program, policy: Uninitialised) -> Self {
        let mut counts = IndexVec::filled(0, program.procs.len());
        let positions = program
            .vars
            .iter()
            .map(|var| {
                let count: &mut usize = &mut counts[var.owner.unwrap_or(program.entry)];
                *count += 1;
                *count as u32 - 1
            })
            .collect();
        let mut facts = Self {
            policy,
            positions,
            counts,
            params: program.procs.iter().map(|procedure| vec![true; procedure.params.len()]).collect(),
            results: program.procs.iter().map(|procedure| vec![true; procedure.results.len()]).collect(),
            globals: IndexVec::filled(true, program.vars.len()),
            uncertain: IndexVec::filled(false, program.vars.len()),
        };
        while facts.round(program) {}
        facts.mark(program);
        facts
    }
    /// Whether a variable certainly has a value.
    pub fn is_known(&self, program: &Program, proc: ProcId, known: &Known, var: VarId) -> bool {
        match program.vars[var].owner {
            Some(_) => known.get(self.positions[var]),
            None if proc == program.entry => self.globals[var] && known.get(self.positions[var]),
            None => self.globals[var],
        }
    }
    /// Whether a result of a call certainly has a value.
    pub fn has_result(&self, targets: &[ProcId], index: usize) -> bool {
        targets.iter().all(|target| self.results[*target].get(index) == Some(&true))
    }
    /// Analyses one procedure.
    pub fn solve(&self, program: &Program, proc: ProcId) -> ProcFacts {
        let procedure = &program.procs[proc];
        let words = self.counts[proc].div_ceil(64);
        if words * procedure.locations.len() > SIZE_LIMIT {
            return ProcFacts { known: None, words };
        }
        let mut known: IndexVec<Loc, Option<Known>> = IndexVec::filled(None, procedure.locations.len());
        let mut start = Known { words: vec![0; words] };
        for (param, certain) in procedure.params.iter().zip(&self.params[proc]) {
            if *certain {
                start.insert(self.positions[*param]);
            }
        }
        known[procedure.entry] = Some(start);
        let mut work = vec![procedure.entry];
        while let Some(location) = work.pop() {
            for edge in procedure.outgoing(location) {
                let edge = &procedure.edges()[*edge];
                let Some(mut after) = known[location].clone() else { continue };
                for op in &edge.ops {
                    self.transfer(program, proc, op, &mut after);
                }
                let changed = match &mut known[edge.target] {
                    Some(before) => before.meet(&after),
                    slot => {
                        *slot = Some(after);
                        true
                    }
                };
                if changed {
                    work.push(edge.target);
                }
            }
        }
        ProcFacts { known: Some(known), words }
    }
    /// What an operation changes.
    pub fn transfer(&self, program: &Program, proc: ProcId, op: &Op, known: &mut Known) {
        self.writes(program, proc, op, known, &mut |known, var, certain| {
            if program.vars[var].owner.is_some() || proc == program.entry {
                let position = self.positions[var];
                if certain { known.insert(position) } else { known.remove(position) }
            }
        });
    }
    fn writes(
        &self,
        program: &Program,
        proc: ProcId,
        op: &Op,
        known: &mut Known,
        write: &mut dyn FnMut(&mut Known, VarId, bool),
    ) {
        match op {
            Op::Assign { place: Place::Var(var), value } => {
                let copied = copied_var(program, *value).filter(|_| self.policy == Uninitialised::Report);
                let certain = copied.is_none_or(|from| self.is_known(program, proc, known, from));
                write(known, *var, certain);
            }
            Op::Havoc { place: Place::Var(var), source, .. } => {
                let certain = *source != Source::Uninitialised || self.policy == Uninitialised::Choose;
                write(known, *var, certain);
            }
            Op::Call { results, .. } => {
                for (index, place) in results.iter().enumerate() {
                    if let Some(Place::Var(var)) = place {
                        let certain = self.has_result(op.call_targets(), index);
                        write(known, *var, certain || self.policy == Uninitialised::Choose);
                    }
                }
            }
            Op::Malloc { place: Place::Var(var), .. }
            | Op::Realloc { place: Place::Var(var), .. }
            | Op::Output { result: Some(Place::Var(var)), .. }
            | Op::Begin { var } => write(known, *var, true),
            _ => {}
        }
    }
    /// One round over all procedures; whether a fact about calls or globals was lost.
    fn round(&mut self, program: &Program) -> bool {
        let mut lost = false;
        for (proc, procedure) in program.procs.iter_enumerated() {
            let solved = self.solve(program, proc);
            for (edge, _) in procedure.edges().iter_enumerated() {
                lost |= self.round_edge(program, proc, edge, &solved);
            }
            let exit = solved.at(procedure.exit);
            for (index, result) in procedure.results.iter().enumerate() {
                if self.results[proc][index] && !exit.get(self.positions[*result]) {
                    self.results[proc][index] = false;
                    lost = true;
                }
            }
        }
        lost
    }
    fn round_edge(&mut self, program: &Program, proc: ProcId, edge: EdgeId, solved: &ProcFacts) -> bool {
        let edge = &program.procs[proc].edges()[edge];
        let mut known = solved.at(edge.source);
        let mut lost_globals = Vec::new();
        let mut lost = false;
        for op in &edge.ops {
            if let Op::Call { args, .. } = op {
                if self.policy == Uninitialised::Report {
                    for (index, arg) in args.iter().enumerate() {
                        let from = copied_var(program, *arg);
                        if from.is_some_and(|from| !self.is_known(program, proc, &known, from)) {
                            for target in op.call_targets() {
                                if let Some(param) = self.params[*target].get_mut(index) {
                                    lost |= std::mem::replace(param, false);
                                }
                            }
                        }
                    }
                }
                if proc == program.entry {
                    let unset = program.vars.iter_enumerated().filter(|(var, decl)| {
                        decl.owner.is_none() && decl.scalar().is_some() && !known.get(self.positions[*var])
                    });
                    lost_globals.extend(unset.map(|(var, _)| var));
                }
            }
            self.writes(program, proc, op, &mut known, &mut |_, var, certain| {
                if program.vars[var].owner.is_none() && !certain {
                    lost_globals.push(var);
                }
            });
            self.transfer(program, proc, op, &mut known);
        }
        for var in lost_globals {
            lost |= std::mem::replace(&mut self.globals[var], false);
        }
        lost
    }
    /// Finds the reads of variables without certain value.
    fn mark(&mut self, program: &Program) {
        let mut seen = FxHashSet::default();
        for (proc, procedure) in program.procs.iter_enumerated() {
            let solved = self.solve(program, proc);
            for edge in procedure.edges() {
                let mut known = solved.at(edge.source);
                for op in &edge.ops {
                    let mut stack: Vec<ExprId> = op.exprs().collect();
                    seen.clear();
                    while let Some(expr) = stack.pop() {
                        if !seen.insert(expr) {
                            continue;
                        }
                        let node = program.exprs.get(expr);
                        if let Expr::Var { var, .. } | Expr::Address { var } = *node
                            && needs_value(program, var)
                            && !self.is_known(program, proc, &known, var)
                        {
                            self.uncertain[var] = true;
                        }
                        stack.extend(node.operands());
                    }
                    self.transfer(program, proc, op, &mut known);
                }
            }
            let exit = solved.at(procedure.exit);
            for result in &procedure.results {
                if !exit.get(self.positions[*result]) {
                    self.uncertain[*result] = true;
                }
            }
        }
    }
}

/// Global objects exist from the start; everything else begins or is assigned.
fn needs_value(program: &Program, var: VarId) -> bool {
    let decl = &program.vars[var];
    decl.owner.is_some() || !matches!(decl.storage, Storage::Object { .. })
}
