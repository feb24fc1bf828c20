//! What an inlined activation must do itself because no call does it any more: forget the values of the
//! activation before, and end the lifetimes of its objects.

use std::collections::BTreeSet;

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

/// Which variables among some may be read from each location on before they are written.
pub(crate) struct ReadLater {
    index: FxHashMap<VarId, usize>,
    state: IndexVec<Loc, Bits>,
}

impl ReadLater {
    /// Of one procedure.
    pub(crate) fn new(program: &Program, proc: ProcId, vars: &[VarId]) -> Self {
        let analysis = Analysis::new(program, proc, vars);
        let state = analysis.states(Direction::Backward);
        Self { index: analysis.index, state }
    }
    /// Whether a variable may be read from a location on; so may one that was not among them.
    pub(crate) fn at(&self, var: VarId, location: Loc) -> bool {
        let Some(index) = self.index.get(&var) else { return true };
        self.state[location][index / 64] >> (index % 64) & 1 == 1
    }
    /// Whether a variable may be read after some operation of an edge before it is written.
    pub(crate) fn contains(&self, program: &Program, var: VarId, edge: &Edge, position: usize) -> bool {
        for op in &edge.ops[position + 1..] {
            if reads(program, op).contains(&var) {
                return true;
            }
            if written(op).any(|written| written == var) {
                return false;
            }
        }
        self.at(var, edge.target)
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

/// What an edge does with 64 variables.
#[derive(Clone, Copy, Debug)]
struct Effect {
    word: usize,
    gained: u64,
    kept: u64,
}

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
        let effects: Vec<Vec<Effect>> =
            procedure.edges().iter().map(|edge| self.effect(&edge.ops, direction)).collect();
        let mut state: IndexVec<Loc, Bits> = IndexVec::filled(vec![0; words], procedure.locations.len());
        if direction == Direction::Backward {
            // Returning reads the results.
            for result in &procedure.results {
                if let Some(index) = self.index.get(result) {
                    state[procedure.exit][index / 64] |= 1 << (index % 64);
                }
            }
        }
        // Locations are taken in the order in which facts travel.
        let start = if direction == Direction::Forward { procedure.entry } else { procedure.exit };
        let mut order = onward.reverse_postorder(start);
        let mut rank: IndexVec<Loc, usize> = IndexVec::filled(usize::MAX, procedure.locations.len());
        order.iter().enumerate().for_each(|(position, location)| rank[*location] = position);
        for location in procedure.locations.ids().filter(|location| rank[*location] == usize::MAX) {
            order.push(location);
        }
        order.iter().enumerate().for_each(|(position, location)| rank[*location] = position);
        let mut pending: BTreeSet<usize> = (0..order.len()).collect();
        let mut bits = vec![0; words];
        while let Some(position) = pending.pop_first() {
            let location = order[position];
            for (target, edge) in onward.successors(location) {
                bits.copy_from_slice(&state[location]);
                for effect in &effects[edge.index()] {
                    bits[effect.word] = effect.gained | bits[effect.word] & effect.kept;
                }
                let mut changed = false;
                for (known, new) in state[*target].iter_mut().zip(&bits) {
                    changed |= new & !*known != 0;
                    *known |= new;
                }
                if changed {
                    pending.insert(rank[*target]);
                }
            }
        }
        state
    }

    /// What an edge adds, and what it lets through.
    fn effect(&self, ops: &[Op], direction: Direction) -> Vec<Effect> {
        let mut effects: Vec<Effect> = Vec::new();
        let mut set = |var: VarId, value: bool| {
            let Some(index) = self.index.get(&var) else { return };
            let (word, bit) = (index / 64, 1_u64 << (index % 64));
            let position = effects.iter().position(|effect| effect.word == word).unwrap_or_else(|| {
                effects.push(Effect { word, gained: 0, kept: u64::MAX });
                effects.len() - 1
            });
            let effect = &mut effects[position];
            if value {
                effect.gained |= bit;
            } else {
                effect.gained &= !bit;
                effect.kept &= !bit;
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
                    for var in reads(self.program, op) {
                        set(var, true);
                    }
                }
            }
        }
        effects
    }
}

fn reads(program: &Program, op: &Op) -> Vec<VarId> {
    let mut found = Vec::new();
    for root in op.exprs() {
        read_vars(program, root, |var| found.push(var));
    }
    // Writing an element keeps the others.
    found.extend(op.places().filter_map(|place| match place {
        Place::Elem { array, .. } => Some(*array),
        Place::Var(_) | Place::Mem { .. } | Place::Bits { .. } => None,
    }));
    if let Op::CopyElems { .. } | Op::FillElems { .. } = op {
        found.extend(op.vars());
    }
    found.retain(|var| !matches!(program.vars[*var].storage, Storage::Object { .. }));
    found
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
