//! Acyclic pieces of a procedure as single guarded updates (large-block encoding).
//!
//! Cut locations are chosen so that every cycle contains one; a [`Block`] is the union of all paths from one cut location to another that
//! meet no cut location in between. Every location of the piece is executed once: where paths meet, their values are
//! merged by a choice on the condition that tells them apart. So a block has size linear in the code, however many paths it has.
//!
//! # Paper
//! [Gps25] §6 contracts the graph to loop heads; the authors' implementation multiplies paths out at joins, which is exponential in
//! the number of consecutive branches. This is what replaces it.
//!
//! # Invariants
//! * B1: merging is exact: values are chosen by a condition that holds on one side and not on the other, or, where no such condition is
//!   found, by an arbitrary choice.
//! * B2: an operation occurs once in the blocks from one start, so a site has one Skolem constant there.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use cfa::loops::LoopForest;
use cfa::{EdgeId, Loc, Procedure, Program, VarId};
use term::{SymbolId, TermId, Terms};

use crate::choice::{Either, either, tells_apart};
use crate::encoder::{Encoder, Site, Skolem, SkolemSource, Symbolic};
use crate::vocabulary::Vocabulary;
use values::state::State;

/// All paths between two cut locations as one guarded update.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where the paths start.
    pub source: Loc,
    /// Where they end.
    pub target: Loc,
    /// Over the values at the source and the Skolem constants.
    pub guard: TermId,
    /// The values at the target of what may have changed.
    pub values: BTreeMap<VarId, TermId>,
    /// The products at the target of what may have changed.
    pub products: Vec<(SymbolId, TermId)>,
    /// The Skolem constants that occur.
    pub skolems: Vec<Skolem>,
    /// What the analysis derives for the values at the target from what is known at the source.
    pub known: State,
}

/// What blocks are built from.
pub struct Pieces<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    /// Cut locations; they must break every cycle.
    cuts: &'a IndexVec<Loc, bool>,
    /// Locations where blocks may go; others are left out.
    relevant: &'a IndexVec<Loc, bool>,
    rank: IndexVec<Loc, u32>,
}

impl<'a> Pieces<'a> {
    /// The pieces of a procedure between cut locations, which include all loop heads of `forest`, restricted to `relevant` locations.
    pub fn new(
        program: &'a Program,
        procedure: &'a Procedure,
        forest: &LoopForest,
        cuts: &'a IndexVec<Loc, bool>,
        relevant: &'a IndexVec<Loc, bool>,
    ) -> Self {
        let mut rank = IndexVec::filled(u32::MAX, procedure.locations.len());
        for (at, location) in forest.order().iter().enumerate() {
            rank[*location] = at as u32;
        }
        Self { program, procedure, cuts, relevant, rank }
    }

    /// The blocks that start at a cut location, ordered by target, for states at the start that `known` allows.
    pub fn from(
        &self,
        start: Loc,
        known: &State,
        terms: &mut Terms,
        vocabulary: &mut Vocabulary,
    ) -> Vec<Block> {
        let mut encoder = Encoder::new(self.program, terms, vocabulary);
        let mut arrivals: BTreeMap<(u32, Loc), Vec<(Symbolic, State)>> = BTreeMap::new();
        let mut ends: BTreeMap<Loc, Vec<(Symbolic, State)>> = BTreeMap::new();
        self.leave(start, &Symbolic::new(), known, &mut encoder, &mut arrivals, &mut ends);
        while let Some(((_, location), paths)) = arrivals.pop_first() {
            let (symbolic, state) = encoder.merge(location, paths);
            self.leave(location, &symbolic, &state, &mut encoder, &mut arrivals, &mut ends);
        }
        let mut blocks = Vec::with_capacity(ends.len());
        for (target, paths) in ends {
            let (mut symbolic, known) = encoder.merge(target, paths);
            let products = encoder.products(&mut symbolic);
            encoder.extend_equations(&mut symbolic, &products);
            if Some(target) == self.procedure.error {
                encoder.compare_products(&mut symbolic, &products);
            }
            let Symbolic { guard, values } = symbolic;
            blocks.push(Block { source: start, target, guard, values, products, skolems: Vec::new(), known });
        }
        let skolems = encoder.take_skolems();
        for block in &mut blocks {
            let mut roots: Vec<TermId> = block.values.values().copied().collect();
            roots.extend(block.products.iter().map(|(_, value)| *value));
            roots.push(block.guard);
            let used = terms.symbols_of_all(&roots);
            let occurs = |skolem: &&Skolem| used.binary_search(&skolem.symbol).is_ok();
            block.skolems = skolems.iter().filter(occurs).cloned().collect();
        }
        blocks
    }

    /// Executes the edges that leave a location.
    fn leave(
        &self,
        location: Loc,
        symbolic: &Symbolic,
        state: &State,
        encoder: &mut Encoder<'_>,
        arrivals: &mut BTreeMap<(u32, Loc), Vec<(Symbolic, State)>>,
        ends: &mut BTreeMap<Loc, Vec<(Symbolic, State)>>,
    ) {
        for id in self.procedure.outgoing(location) {
            let edge = &self.procedure.edges()[*id];
            if !self.relevant[edge.target] {
                continue;
            }
            let (mut symbolic, mut state) = (symbolic.clone(), state.clone());
            for (op, operation) in edge.ops.iter().enumerate() {
                encoder.execute(&mut symbolic, &mut state, Site { edge: *id, op }, operation);
                if symbolic.guard == Terms::FALSE {
                    break;
                }
            }
            if symbolic.guard == Terms::FALSE {
                continue;
            }
            if self.cuts[edge.target] {
                ends.entry(edge.target).or_default().push((symbolic, state));
            } else {
                let key = (self.rank[edge.target], edge.target);
                arrivals.entry(key).or_default().push((symbolic, state));
            }
        }
    }
}

impl Encoder<'_> {
    /// The union of paths that meet at a location. Those that parted last are merged first: their conditions have most in common.
    fn merge(&mut self, location: Loc, mut paths: Vec<(Symbolic, State)>) -> (Symbolic, State) {
        // An arbitrary choice between paths belongs to no operation: it is numbered from the end.
        self.site = Site { edge: EdgeId(location.0), op: usize::MAX };
        let mut merged = paths.pop().expect("B2: a location should be reached by at least one path");
        while !paths.is_empty() {
            let apart = |terms: &mut Terms, path: &Symbolic| tells_apart(terms, path.guard, merged.0.guard);
            let partner = paths.iter().rposition(|(path, _)| apart(self.terms, path));
            let (path, state) = paths.remove(partner.unwrap_or(paths.len() - 1));
            merged = (self.merge_two(&path, &merged.0), state.join(&merged.1));
        }
        merged
    }

    fn merge_two(&mut self, left: &Symbolic, right: &Symbolic) -> Symbolic {
        let Either { guard, condition, choice } = either(self.terms, left.guard, right.guard);
        if let Some(symbol) = choice {
            self.add_skolem(Skolem { symbol, ty: None, site: self.site, source: SkolemSource::Path });
            self.site.op -= 1;
        }
        let changed: BTreeSet<VarId> = left.values.keys().chain(right.values.keys()).copied().collect();
        let mut values = BTreeMap::new();
        for var in changed {
            let (a, b) = (self.variable(left, var), self.variable(right, var));
            values.insert(var, self.terms.ite(condition, a, b));
        }
        Symbolic { guard, values }
    }
}
