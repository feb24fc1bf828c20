//! Where the variables of a program are in a state, and which of them matter.

use std::collections::BTreeMap;

use base::IndexVec;
use cfa::{Expr, ExprId, Length, Loc, Op, Place, ProcId, Program, Storage, Ty, VarId};

use super::State;

/// The positions of variables in states: globals first, then the locals of a procedure.
pub(super) struct Layout {
    slots: IndexVec<VarId, usize>,
    globals: usize,
    sizes: IndexVec<ProcId, usize>,
    /// The locals that may be read later, by location.
    live: IndexVec<ProcId, IndexVec<Loc, Vec<VarId>>>,
    /// The slots of locals, by procedure.
    locals: IndexVec<ProcId, BTreeMap<VarId, (usize, usize)>>,
}

/// The address of a procedure.
pub(super) fn address(proc: ProcId) -> i64 {
    4096 + i64::from(proc.0)
}

/// All values of a type.
pub(super) fn values(ty: Ty) -> impl Iterator<Item = i64> + Clone {
    let (low, high) = ty.range().filter(|(low, high)| high - low < 256).unwrap_or((0, 0));
    low as i64..=high as i64
}

impl Layout {
    pub(super) fn new(program: &Program) -> Self {
        let mut slots = IndexVec::filled(0, program.vars.len());
        let mut globals = 0;
        for (var, info) in program.vars.iter_enumerated().filter(|(_, info)| info.owner.is_none()) {
            slots[var] = globals;
            globals += width(info.storage);
        }
        let mut sizes = IndexVec::filled(globals, program.procs.len());
        let mut locals = IndexVec::filled(BTreeMap::new(), program.procs.len());
        for (var, info) in program.vars.iter_enumerated() {
            if let Some(owner) = info.owner {
                slots[var] = sizes[owner];
                locals[owner].insert(var, (sizes[owner], width(info.storage)));
                sizes[owner] += width(info.storage);
            }
        }
        let live = program.procs.ids().map(|proc| live(program, proc)).collect();
        Self { slots, globals, sizes, live, locals }
    }
    /// How many slots global variables have.
    pub(super) fn globals(&self) -> usize {
        self.globals
    }
    /// How many slots the states of a procedure have.
    pub(super) fn size(&self, proc: ProcId) -> usize {
        self.sizes[proc]
    }
    pub(super) fn slot(&self, var: VarId) -> usize {
        self.slots[var]
    }
    /// The first slot of a variable, how many it has, and their type.
    pub(super) fn place(&self, program: &Program, var: VarId) -> (usize, usize, Ty) {
        match program.vars[var].storage {
            Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => {
                (self.slots[var], width(program.vars[var].storage), ty)
            }
            Storage::Object { .. } => panic!("memory is not explored"),
        }
    }
    /// The locals that may be read from a location on before they are written.
    pub(super) fn live(&self, proc: ProcId, location: Loc) -> &[VarId] {
        &self.live[proc][location]
    }
    /// The state with zero for what is not read any more.
    pub(super) fn without_dead(&self, proc: ProcId, location: Loc, mut state: State) -> State {
        let live = self.live(proc, location);
        for (var, (slot, count)) in &self.locals[proc] {
            if live.binary_search(var).is_err() {
                state[*slot..slot + count].fill(0);
            }
        }
        state
    }
}

fn width(storage: Storage) -> usize {
    match storage {
        Storage::Scalar(_) => 1,
        Storage::Array { length: Length::Fixed(length), .. } => length as usize,
        Storage::Array { .. } | Storage::Object { .. } => 0,
    }
}

/// Liveness of local variables, by iteration.
fn live(program: &Program, proc: ProcId) -> IndexVec<Loc, Vec<VarId>> {
    let procedure = &program.procs[proc];
    let mut live: IndexVec<Loc, Vec<VarId>> = IndexVec::filled(Vec::new(), procedure.locations.len());
    live[procedure.exit].clone_from(&procedure.results);
    live[procedure.exit].sort_unstable();
    loop {
        let mut changed = false;
        for edge in procedure.edges() {
            let mut vars = live[edge.target].clone();
            for op in edge.ops.iter().rev() {
                before(program, op, &mut vars);
            }
            vars.retain(|var| program.vars[*var].owner == Some(proc));
            let known = &mut live[edge.source];
            let count = known.len();
            known.extend(vars);
            known.sort_unstable();
            known.dedup();
            changed |= known.len() != count;
        }
        if !changed {
            return live;
        }
    }
}

/// What is live before an operation.
fn before(program: &Program, op: &Op, vars: &mut Vec<VarId>) {
    for place in op.places() {
        if let Place::Var(var) = place {
            vars.retain(|other| other != var);
        }
    }
    if let Op::Init { var, .. } = op {
        vars.retain(|other| other != var);
    }
    vars.extend(op.places().filter_map(|place| match place {
        Place::Elem { array, .. } => Some(*array),
        _ => None,
    }));
    for root in op.exprs() {
        reads(program, root, vars);
    }
}

fn reads(program: &Program, root: ExprId, vars: &mut Vec<VarId>) {
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        let expr = program.exprs.get(id);
        if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } = expr {
            vars.push(*var);
        }
        pending.extend(expr.operands());
    }
}
