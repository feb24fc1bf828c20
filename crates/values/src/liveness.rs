//! Which variables may still be read before they are written, on the way to relevant locations.
//!
//! # Invariants
//! * L1: if a variable is not live at a location, no relevant execution from there depends on its value there.

use base::{Idx, IndexVec};
use cfa::loops::LoopForest;
use cfa::{Edge, Expr, Loc, Op, Place, Procedure, Program, VarId};

use crate::state::operands_first;

/// A set of variables as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarSet(Vec<u64>);

impl VarSet {
    fn empty(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }
    fn insert(&mut self, var: VarId) {
        self.0[var.index() / 64] |= 1 << (var.index() % 64);
    }
    fn remove(&mut self, var: VarId) {
        self.0[var.index() / 64] &= !(1 << (var.index() % 64));
    }
    fn add_all(&mut self, other: &Self) -> bool {
        let mut grown = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            grown |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grown
    }
    /// Whether a variable is in the set.
    pub fn contains(&self, var: VarId) -> bool {
        self.0[var.index() / 64] & (1 << (var.index() % 64)) != 0
    }
}

/// The live variables at every location, considering only edges between relevant locations. `read_at` names variables that count as read at a location:
/// results where a procedure returns, for instance.
pub fn live_variables(
    program: &Program,
    procedure: &Procedure,
    forest: &LoopForest,
    relevant: &IndexVec<Loc, bool>,
    read_at: Option<(Loc, &[VarId])>,
) -> IndexVec<Loc, VarSet> {
    let mut live = IndexVec::filled(VarSet::empty(program.vars.len()), procedure.locations.len());
    if let Some((location, vars)) = read_at {
        for var in vars {
            live[location].insert(*var);
        }
    }
    loop {
        let mut changed = false;
        for &location in forest.order().iter().rev() {
            for id in procedure.outgoing(location) {
                let edge = &procedure.edges()[*id];
                if relevant[location] && relevant[edge.target] {
                    let before = before(program, edge, live[edge.target].clone());
                    changed |= live[location].add_all(&before);
                }
            }
        }
        if !changed {
            return live;
        }
    }
}

fn before(program: &Program, edge: &Edge, mut live: VarSet) -> VarSet {
    for op in edge.ops.iter().rev() {
        for place in op.places() {
            if let Place::Var(var) = place {
                live.remove(*var);
            }
        }
        if let Op::Init { var, .. } | Op::Allocate { var, .. } = op {
            live.remove(*var);
        }
        if let Some(array) = op.copied_array() {
            live.insert(array);
        }
        for expr in operands_first(program, op.exprs()) {
            if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } = program.exprs.get(expr) {
                live.insert(*var);
            }
        }
    }
    live
}
