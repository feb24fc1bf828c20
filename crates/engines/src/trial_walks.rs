//! Candidates that a random walk along the arcs of a graph refutes.
//!
//! A question about floating-point numbers that has a model may take a solver seconds, and most candidates about them are false. So a few states are reached by executing arcs with chosen values, and what
//! does not hold there is dropped before a solver is asked.
//!
//! # Invariants
//! * W1: a walk drops candidates and does nothing else, so it need not be an execution of the program.
//! * W2: the values that are chosen depend on the graph alone.
//!
//! # Cost
//! At most [`WALKS`] times [`STEPS`] times [`TRIES`] evaluations of a guard.

use graph::cut::{Arc, ENTRY, PointId};
use paths::Space;
use rustc_hash::FxHashMap;
use term::{BvOp, Evaluator, Integer, Model, Node, Sort, SymbolId, TermId, Terms, Value};

use crate::joint_facts::Facts;

/// Walks from the entry.
const WALKS: u32 = 16;
/// Arcs of a walk.
const STEPS: u32 = 12;
/// Choices of values for one arc.
const TRIES: u32 = 8;

/// Drops what does not hold in states that walks reach.
pub(crate) fn drop_refuted(space: Space<'_>, facts: &mut Facts, terms: &mut Terms) {
    let mut walk = Walk { space, chosen: 0 };
    for _ in 0..WALKS {
        let mut at = ENTRY;
        let mut state = Model::new();
        for _ in 0..STEPS {
            let Some((target, next)) = walk.step(at, &state, terms) else { break };
            (at, state) = (target, next);
            let mut values = Evaluator::new(terms, &state);
            facts[at].retain(|candidate| values.holds(*candidate));
        }
    }
}

struct Walk<'a> {
    space: Space<'a>,
    /// How many values were chosen.
    chosen: u64,
}

impl Walk<'_> {
    /// A state after one of the arcs that leave a point, if one is found.
    fn step(&mut self, at: PointId, state: &Model, terms: &mut Terms) -> Option<(PointId, Model)> {
        let graph = self.space.graph;
        // Only loops have candidates.
        let into_loop = |arc: &&Arc| arc.source == at && graph.points[arc.target].body.is_some();
        let leaving: Vec<&Arc> = graph.arcs.iter().filter(into_loop).collect();
        if leaving.is_empty() {
            return None;
        }
        for _ in 0..TRIES {
            let arc = leaving[self.below(leaving.len() as u64) as usize];
            let model = self.choice(arc, state, terms);
            let mut values = Evaluator::new(terms, &model);
            if !values.holds(arc.formula.guard) {
                continue;
            }
            let live = &graph.points[arc.target].live;
            let after: Vec<(SymbolId, TermId)> =
                live.iter().map(|symbol| (*symbol, arc.formula.value(terms, *symbol))).collect();
            let mut values = Evaluator::new(terms, &model);
            let mut next = Model::new();
            for (symbol, value) in after {
                next.set(symbol, values.value(value));
            }
            return Some((arc.target, next));
        }
        None
    }

    /// A state with a value for each symbol of an arc that it does not have. What the guard compares a symbol with is such a value, too.
    fn choice(&mut self, arc: &Arc, state: &Model, terms: &Terms) -> Model {
        let mut equal: FxHashMap<SymbolId, Vec<TermId>> = FxHashMap::default();
        for term in terms.reachable(&[arc.formula.guard]) {
            if let Node::Same(left, right) = *terms.node(term) {
                for (symbol, value) in [(left, right), (right, left)] {
                    if let Node::Symbol(symbol) = *terms.node(symbol) {
                        equal.entry(symbol).or_default().push(value);
                    }
                }
            }
        }
        let mut model = state.clone();
        // Ids ascend: a symbol is compared with terms of those before.
        for symbol in arc.formula.symbols(terms) {
            if model.get(symbol).is_some() {
                continue;
            }
            let others = equal.get(&symbol).map_or(&[][..], Vec::as_slice);
            let value = if others.is_empty() || self.below(4) == 0 {
                self.value(terms.symbol(symbol).sort)
            } else {
                let other = others[self.below(others.len() as u64) as usize];
                Evaluator::new(terms, &model).value(other)
            };
            model.set(symbol, value);
        }
        model
    }

    /// A value: a small integer, or the encoding of a number about one.
    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 0),
            Sort::BitVec(width) => {
                let small = (self.below(400) as i64 - 200) as u64;
                let number = (self.below(17) as f64 - 8.0) / 8.0;
                let bits = match (self.below(2), width) {
                    (0, 64) => number.to_bits(),
                    (0, 32) => u64::from((number as f32).to_bits()),
                    _ => small,
                };
                let bits = if width < 64 { bits & ((1 << width) - 1) } else { bits };
                Value::BitVec(width, Integer::from(bits))
            }
            Sort::Int | Sort::Array | Sort::BitArray(_) => Value::default_of(sort),
        }
    }

    /// A number below a limit (splitmix64).
    fn below(&mut self, limit: u64) -> u64 {
        self.chosen += 1;
        let mut mixed = self.chosen.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }
}

/// Whether arcs operate on floating-point numbers.
pub(crate) fn has_floats(space: Space<'_>, terms: &Terms) -> bool {
    let guards: Vec<TermId> = space.graph.arcs.iter().map(|arc| arc.formula.guard).collect();
    terms.reachable(&guards).into_iter().any(|term| matches!(terms.node(term), Node::Bv(BvOp::Float(..), _)))
}
