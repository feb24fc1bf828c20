//! Acyclic pieces of a procedure as single guarded updates (large-block encoding).
//!
//! Cut locations are chosen so that every cycle contains one; a [`Piece`] is the union of all paths from one cut location to another that
//! meet no cut location in between. Every location of the piece is executed once: where paths meet, their values are
//! merged by a choice on the condition that tells them apart. So a piece has size linear in the code, however many paths it has.
//!
//! # Paper
//! [Gps25] §6 contracts the graph to loop heads; the authors' implementation multiplies paths out at joins, which is exponential in
//! the number of consecutive branches. This is what replaces it.
//!
//! # Invariants
//! * B1: merging is exact: values are chosen by a condition that holds on one side and not on the other, or, where no such condition is
//!   found, by an arbitrary choice.
//! * B2: an operation occurs once in the blocks from one start, so a site has one Skolem constant there.

use std::collections::BTreeMap;

use base::IndexVec;
use cfa::loops::LoopForest;
use cfa::{Edge, Loc, Op, Procedure, Program};
use term::Terms;

use crate::encoder::{Contracts, Encoder};
use crate::join::tells_apart;
use crate::origin::{Origin, Site, Skolem};
use crate::transition::Transition;
use crate::vocabulary::Vocabulary;
use values::state::State;

/// All paths between two cut locations as one guarded update.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Where the paths start.
    pub source: Loc,
    /// Where they end.
    pub target: Loc,
    /// What the paths do, products, sums and codes included, over the values at the source and the Skolem constants.
    pub transition: Transition,
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
    calls: Calls<'a>,
}

/// What becomes of edges with calls.
#[derive(Clone, Copy, Debug)]
enum Calls<'a> {
    /// Their effect is arbitrary.
    Arbitrary,
    /// Their effect is what contracts say.
    Known(&'a Contracts),
    /// Pieces do not contain them.
    LeftOut,
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
        Self { program, procedure, cuts, relevant, rank, calls: Calls::Arbitrary }
    }
    /// The same, where calls do what contracts say.
    #[must_use]
    pub fn assuming(self, contracts: &'a Contracts) -> Self {
        Self { calls: Calls::Known(contracts), ..self }
    }
    /// The same without the edges that have calls.
    #[must_use]
    pub fn without_calls(self) -> Self {
        Self { calls: Calls::LeftOut, ..self }
    }

    /// The blocks that start at a cut location, ordered by target, for states at the start that `known` allows.
    pub fn from(
        &self,
        start: Loc,
        known: &State,
        terms: &mut Terms,
        vocabulary: &mut Vocabulary,
    ) -> Vec<Piece> {
        let known_at_start = known;
        let mut encoder = Encoder::new(self.program, terms, vocabulary);
        if let Calls::Known(contracts) = self.calls {
            encoder = encoder.assuming(contracts);
        }
        let mut arrivals: BTreeMap<(u32, Loc), Vec<(Transition, State)>> = BTreeMap::new();
        let mut ends: BTreeMap<Loc, Vec<(Transition, State)>> = BTreeMap::new();
        self.leave(start, &Transition::identity(), known, &mut encoder, &mut arrivals, &mut ends);
        while let Some(((_, location), paths)) = arrivals.pop_first() {
            let (transition, state) = encoder.merge(location, paths);
            self.leave(location, &transition, &state, &mut encoder, &mut arrivals, &mut ends);
        }
        let mut pieces = Vec::with_capacity(ends.len());
        for (target, paths) in ends {
            let (mut transition, known) = encoder.merge(target, paths);
            let products = encoder.products(&mut transition);
            encoder.extend_equations(&mut transition, &products);
            // A loop that is left has its counter at the bound: so are products of the two, and the next loop starts anew.
            // Where sums are followed, they are compared with products of counters that the next loop does not use.
            let is_compared = !products.is_empty() || encoder.vocabulary.sums().next().is_some();
            let is_left = start != target && is_compared;
            if is_left || Some(target) == self.procedure.error {
                encoder.compare_products(&mut transition, &products);
            }
            transition.update.extend(products);
            let codes = encoder.codes(&mut transition);
            transition.update.extend(codes);
            let sums = encoder.sums(&mut transition, known_at_start);
            transition.update.extend(sums);
            pieces.push(Piece { source: start, target, transition, skolems: Vec::new(), known });
        }
        let skolems = encoder.take_skolems();
        for piece in &mut pieces {
            let used = piece.transition.symbols(terms);
            let occurs = |skolem: &&Skolem| used.binary_search(&skolem.symbol).is_ok();
            piece.skolems = skolems.iter().filter(occurs).cloned().collect();
        }
        pieces
    }

    fn leaves_out(&self, edge: &Edge) -> bool {
        matches!(self.calls, Calls::LeftOut) && edge.ops.iter().any(|op| matches!(op, Op::Call { .. }))
    }

    /// Executes the edges that leave a location.
    fn leave(
        &self,
        location: Loc,
        transition: &Transition,
        state: &State,
        encoder: &mut Encoder<'_>,
        arrivals: &mut BTreeMap<(u32, Loc), Vec<(Transition, State)>>,
        ends: &mut BTreeMap<Loc, Vec<(Transition, State)>>,
    ) {
        for id in self.procedure.outgoing(location) {
            let edge = &self.procedure.edges()[*id];
            if !self.relevant[edge.target] || self.leaves_out(edge) {
                continue;
            }
            let (mut transition, mut state) = (transition.clone(), state.clone());
            for (op, operation) in edge.ops.iter().enumerate() {
                encoder.execute(&mut transition, &mut state, Site::Operation { edge: *id, op }, operation);
                if transition.guard == Terms::FALSE {
                    break;
                }
            }
            if transition.guard == Terms::FALSE {
                continue;
            }
            if self.cuts[edge.target] {
                ends.entry(edge.target).or_default().push((transition, state));
            } else {
                let key = (self.rank[edge.target], edge.target);
                arrivals.entry(key).or_default().push((transition, state));
            }
        }
    }
}

impl Encoder<'_> {
    /// The union of paths that meet at a location. Those that parted last are merged first: their conditions have most in common.
    fn merge(&mut self, location: Loc, mut paths: Vec<(Transition, State)>) -> (Transition, State) {
        let mut choices = 0;
        let mut merged = paths.pop().expect("B2: a location should be reached by at least one path");
        while !paths.is_empty() {
            let apart = |terms: &mut Terms, path: &Transition| tells_apart(terms, path.guard, merged.0.guard);
            let partner = paths.iter().rposition(|(path, _)| apart(self.terms, path));
            let (path, state) = paths.remove(partner.unwrap_or(paths.len() - 1));
            let site = Site::Join { location, number: choices };
            let (union, choice) = self.merge_two(&path, &merged.0, site);
            choices += choice;
            merged = (union, state.join(&merged.1));
        }
        merged
    }

    /// The union of two paths, and how many choices between them it has made.
    fn merge_two(&mut self, left: &Transition, right: &Transition, site: Site) -> (Transition, u32) {
        let (union, choice) = left.union(self.terms, right);
        if let Some(symbol) = choice {
            self.add_skolem(Skolem { symbol, ty: None, site, origin: Origin::Path });
        }
        (union, u32::from(choice.is_some()))
    }
}
