//! What an inlined activation must do itself because no call does it any more: forget the values of the
//! activation before, and end the lifetimes of its objects.

use base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

use cfa::loops::Digraph;
use cfa::op::{Op, Place};
use cfa::{Edge, Expr, ExprId, Loc, ProcId, Program, Storage, VarId};

/// What to do around an inlined copy of a procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prologue {
    /// Scalars and arrays that may be read before the activation has written them.
    pub(crate) stale: Vec<VarId>,
    /// Objects that may be live at the exit.
    pub(crate) live: Vec<VarId>,
}

/// Analyses one procedure. Cost: locations times local variables / 64.
pub(crate) fn prologue(program: &Program, proc: ProcId, locals: &[VarId]) -> Prologue {
    let analysis = Analysis::new(program, proc, locals);
    let procedure = &program.procs[proc];
    let stale = analysis.solve(procedure.entry, Direction::Backward);
    let live = analysis.solve(procedure.exit, Direction::Forward);
    Prologue { stale: stale.into_iter().filter(|var| !procedure.params.contains(var)).collect(), live }
}

/// The variables among some that may be read from a location on before they are written.
pub(crate) fn read_first(program: &Program, proc: ProcId, vars: &[VarId], at: Loc) -> Vec<VarId> {
    Analysis::new(program, proc, vars).solve(at, Direction::Backward)
}

/// Which variables among some may be read from each location on before they are written.
pub(crate) struct ReadLater<'a> {
    analysis: Analysis<'a>,
    state: IndexVec<Loc, Bits>,
}

impl<'a> ReadLater<'a> {
    /// Of one procedure.
    pub(crate) fn new(program: &'a Program, proc: ProcId, vars: &'a [VarId]) -> Self {
        let analysis = Analysis::new(program, proc, vars);
        let state = analysis.states(Direction::Backward);
        Self { analysis, state }
    }
    /// Whether a variable may be read after some operation of an edge before it is written.
    pub(crate) fn contains(&self, var: VarId, edge: &Edge, position: usize) -> bool {
        for op in &edge.ops[position + 1..] {
            if self.analysis.reads(op).contains(&var) {
                return true;
            }
            if written(op).any(|written| written == var) {
                return false;
            }
        }
        let Some(index) = self.analysis.index.get(&var) else { return true };
        self.state[edge.target][index / 64] >> (index % 64) & 1 == 1
    }
}

/// The objects among some variables that may be live at a location.
pub(crate) fn live_objects(program: &Program, proc: ProcId, vars: &[VarId], at: Loc) -> Vec<VarId> {
    Analysis::new(program, proc, vars).solve(at, Direction::Forward)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// Is it read before it is written? Asked at the entry.
    Backward,
    /// Has its lifetime begun and not ended? Asked at the exit.
    Forward,
}

type Bits = Vec<u64>;

struct Analysis<'a> {
    program: &'a Program,
    proc: ProcId,
    locals: &'a [VarId],
    index: FxHashMap<VarId, usize>,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Program, proc: ProcId, locals: &'a [VarId]) -> Self {
        let index = locals.iter().enumerate().map(|(index, var)| (*var, index)).collect();
        Self { program, proc, locals, index }
    }

    /// The variables for which the answer may be yes at `at`.
    fn solve(&self, at: Loc, direction: Direction) -> Vec<VarId> {
        let state = self.states(direction);
        let found = |index: &usize| state[at][index / 64] >> (index % 64) & 1 == 1;
        (0..self.locals.len()).filter(found).map(|index| self.locals[index]).collect()
    }

    /// The answers at all locations, one bit for each variable.
    fn states(&self, direction: Direction) -> IndexVec<Loc, Bits> {
        let procedure = &self.program.procs[self.proc];
        let graph = Digraph::of(procedure);
        // Facts travel along edges of `onward` into its targets.
        let onward = if direction == Direction::Forward { graph } else { graph.reversed() };
        let words = self.locals.len().div_ceil(64);
        let effects: Vec<(Bits, Bits)> =
            procedure.edges().iter().map(|edge| self.effect(&edge.ops, direction, words)).collect();
        let mut state: IndexVec<Loc, Bits> = IndexVec::filled(vec![0; words], procedure.locations.len());
        if direction == Direction::Backward {
            // Returning reads the results.
            for result in &procedure.results {
                if let Some(index) = self.index.get(result) {
                    state[procedure.exit][index / 64] |= 1 << (index % 64);
                }
            }
        }
        let mut pending: Vec<Loc> = procedure.locations.ids().collect();
        let mut queued: IndexVec<Loc, bool> = IndexVec::filled(true, pending.len());
        while let Some(location) = pending.pop() {
            queued[location] = false;
            for (target, edge) in onward.successors(location) {
                let (gained, kept) = &effects[edge.index()];
                let mut changed = false;
                for word in 0..words {
                    let bits = gained[word] | (state[location][word] & kept[word]);
                    changed |= bits & !state[*target][word] != 0;
                    state[*target][word] |= bits;
                }
                if changed && !std::mem::replace(&mut queued[*target], true) {
                    pending.push(*target);
                }
            }
        }
        state
    }

    /// What an edge adds, and what it lets through.
    fn effect(&self, ops: &[Op], direction: Direction, words: usize) -> (Bits, Bits) {
        let (mut gained, mut kept): (Bits, Bits) = (vec![0; words], vec![u64::MAX; words]);
        let mut set = |var: VarId, value: bool| {
            if let Some(index) = self.index.get(&var) {
                let bit = 1_u64 << (index % 64);
                if value {
                    gained[index / 64] |= bit;
                } else {
                    gained[index / 64] &= !bit;
                    kept[index / 64] &= !bit;
                }
            }
        };
        match direction {
            Direction::Forward => {
                for op in ops {
                    match op {
                        Op::Begin { var } => set(*var, true),
                        Op::End { var } => set(*var, false),
                        _ => {}
                    }
                }
            }
            Direction::Backward => {
                for op in ops.iter().rev() {
                    for var in written(op) {
                        set(var, false);
                    }
                    for var in self.reads(op) {
                        set(var, true);
                    }
                }
            }
        }
        (gained, kept)
    }

    fn reads(&self, op: &Op) -> Vec<VarId> {
        let mut found = Vec::new();
        for root in op.exprs() {
            read_vars(self.program, root, |var| found.push(var));
        }
        // Writing an element keeps the others.
        found.extend(op.places().filter_map(|place| match place {
            Place::Elem { array, .. } => Some(*array),
            Place::Var(_) | Place::Mem { .. } | Place::Bits { .. } => None,
        }));
        if let Op::CopyElems { .. } | Op::FillElems { .. } = op {
            found.extend(op.vars());
        }
        found.retain(|var| !matches!(self.program.vars[*var].storage, Storage::Object { .. }));
        found
    }
}

/// Variables that get a new value throughout.
fn written(op: &Op) -> impl Iterator<Item = VarId> {
    let whole = match op {
        Op::Init { var, .. } | Op::Allocate { var, .. } => Some(*var),
        _ => None,
    };
    let scalars = op.places().filter_map(|place| match place {
        Place::Var(var) => Some(*var),
        Place::Elem { .. } | Place::Mem { .. } | Place::Bits { .. } => None,
    });
    whole.into_iter().chain(scalars)
}

/// The scalar and array variables that an expression reads; each at least once.
pub(crate) fn read_vars(program: &Program, root: ExprId, mut found: impl FnMut(VarId)) {
    let mut pending = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = pending.pop() {
        let expr = program.exprs.get(id);
        match expr {
            Expr::Var { var, .. } => found(*var),
            Expr::Elem { array, .. } => found(*array),
            _ => {}
        }
        // Leaves are cheaper to repeat than to remember.
        if expr.operands().next().is_some() && seen.insert(id) {
            pending.extend(expr.operands());
        }
    }
}
