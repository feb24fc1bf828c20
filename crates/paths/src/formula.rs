//! Path formulas: what holds of the values at the end of a path, in one solver for all paths that are looked at in turn.
//!
//! # Paper
//! [Gps25] §3: the weight w(π) of a path π, kept as assertions of an incremental solver.
//!
//! # Invariants
//! * P1: the solver's assertions say, over the values at the start and what was chosen on the way, that the steps were taken; there is one
//!   level for each step, so paths share what they have in common.
//! * P2: a symbol that a step introduces is named by its depth and what it stands for: the same step at the same depth is the same formula,
//!   which the solver has translated already.
//!
//! # Cost
//! Moving to another path costs the steps that the two paths do not share; values that change are copied once for each step.

use std::collections::BTreeMap;

use graph::cut::{Arc, ArcId, Graph};
use graph::tree::{NodeId, Tree};
use rustc_hash::FxHashMap;
use smt::{Answer, Core, Logic, Solver, Z3Solver, minimise};
use term::{Node, Substitution, SymbolId, SymbolKind, TermId, Terms};

/// The most that is spent on making one core smaller.
const MINIMISATION_TICKS: u64 = 2_000;

/// The formula of a path in a solver.
pub struct PathFormula {
    solver: Z3Solver,
    /// The node where it starts.
    anchor: NodeId,
    frames: Vec<Frame>,
    names: FxHashMap<(usize, SymbolId), SymbolId>,
}

/// A step.
struct Frame {
    node: NodeId,
    arc: ArcId,
    /// The values after it of all variables that changed since the start.
    values: BTreeMap<SymbolId, TermId>,
    /// The symbols that stand for what the step chooses.
    chosen: Vec<(SymbolId, SymbolId)>,
}

impl PathFormula {
    /// The empty path at a node, where `start` holds.
    pub fn new(logic: &Logic, anchor: NodeId, start: TermId) -> Self {
        let mut solver = logic.solvers.z3_solver();
        solver.assert(&logic.terms, start);
        Self { solver, anchor, frames: Vec::new(), names: FxHashMap::default() }
    }

    /// The number of steps.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Changes the path to the one that leads to a node below the start.
    pub fn go_to(&mut self, node: NodeId, tree: &Tree, graph: &Graph, terms: &mut Terms) {
        let mut wanted = tree.path(node);
        wanted.retain(|step| tree.node(*step).depth > tree.node(self.anchor).depth);
        let common = self.frames.iter().zip(&wanted).take_while(|(frame, node)| frame.node == **node).count();
        self.shorten(common);
        for node in &wanted[common..] {
            if let Some((_, arc)) = tree.node(*node).parent {
                self.step(*node, arc, &graph.arcs[arc], tree.node(*node).condition, terms);
            }
        }
    }

    /// Keeps the first steps only.
    pub fn shorten(&mut self, depth: usize) {
        while self.frames.len() > depth {
            self.frames.pop();
            self.solver.pop();
        }
    }

    fn step(&mut self, node: NodeId, id: ArcId, arc: &Arc, condition: TermId, terms: &mut Terms) {
        let depth = self.frames.len();
        let mut values = self.frames.last().map(|frame| frame.values.clone()).unwrap_or_default();
        let mut chosen = Vec::with_capacity(arc.skolems.len());
        let mut pairs: Vec<(SymbolId, TermId)> =
            values.iter().map(|(symbol, value)| (*symbol, *value)).collect();
        for skolem in &arc.skolems {
            let name = self.name(terms, depth, skolem.symbol);
            chosen.push((skolem.symbol, name));
            pairs.push((skolem.symbol, terms.of_symbol(name)));
        }
        let mut substitution = Substitution::new(pairs);
        self.solver.push();
        let guard = substitution.apply(terms, arc.formula.guard);
        self.solver.assert(terms, guard);
        if condition != Terms::TRUE {
            let condition = substitution.apply(terms, condition);
            self.solver.assert(terms, condition);
        }
        for (symbol, value) in &arc.formula.update {
            let value = substitution.apply(terms, *value);
            let value = if is_simple(terms, value) {
                value
            } else {
                let name = self.name(terms, depth, *symbol);
                let name = terms.of_symbol(name);
                let equation = terms.eq(name, value);
                self.solver.assert(terms, equation);
                name
            };
            values.insert(*symbol, value);
        }
        self.frames.push(Frame { node, arc: id, values, chosen });
    }

    fn name(&mut self, terms: &mut Terms, depth: usize, symbol: SymbolId) -> SymbolId {
        *self.names.entry((depth, symbol)).or_insert_with(|| {
            let info = terms.symbol(symbol).clone();
            terms.declare(format!("{}@{}", info.name, depth + 1), info.sort, SymbolKind::Skolem)
        })
    }

    /// A formula about the values at the end, as one about the values at the start.
    pub fn at_end(&self, terms: &mut Terms, formula: TermId) -> TermId {
        let values = self.frames.last().map(|frame| &frame.values);
        let pairs = values.into_iter().flatten().map(|(symbol, value)| (*symbol, *value));
        Substitution::new(pairs).apply(terms, formula)
    }

    /// The solver that knows that the path is taken.
    pub fn solver(&mut self) -> &mut dyn Solver {
        &mut self.solver
    }

    /// Whether the path can be taken such that all parts hold at its end. A core consists of parts.
    pub fn check(&mut self, logic: &mut Logic, parts: &[TermId]) -> Answer {
        let Logic { terms, budget, .. } = logic;
        let assumptions: Vec<TermId> = parts.iter().map(|part| self.at_end(terms, *part)).collect();
        match self.solver.check(terms, &assumptions, budget) {
            Answer::Unsat(core) => Answer::Unsat(back(parts, &assumptions, &core)),
            other => other,
        }
    }

    /// Some of the parts that cannot all hold at the end of the path, an unsatisfiable core that the solver has minimised.
    /// Nothing if all can.
    pub fn core(&mut self, logic: &mut Logic, parts: &[TermId]) -> Result<Option<Vec<TermId>>, smt::Why> {
        let Logic { terms, budget, .. } = logic;
        let assumptions: Vec<TermId> = parts.iter().map(|part| self.at_end(terms, *part)).collect();
        match self.solver.check(terms, &assumptions, budget) {
            Answer::Unsat(core) => {
                // What is superfluous does no harm: it is not worth any effort to find out.
                let mut allowance = budget.child(MINIMISATION_TICKS);
                let core = minimise(&mut self.solver, terms, &core, &mut allowance);
                budget.absorb(&allowance);
                Ok(Some(back(parts, &assumptions, &core).0))
            }
            Answer::Sat(_) => Ok(None),
            Answer::Unknown(why) => Err(why),
        }
    }

    /// The steps with the symbols of what each of them chooses, and the names that these have here.
    pub fn choices(&self) -> impl Iterator<Item = (ArcId, &[(SymbolId, SymbolId)])> {
        self.frames.iter().map(|frame| (frame.arc, frame.chosen.as_slice()))
    }
}

/// The parts whose assumption is in a core. Parts may look alike at the end of the path: one of them is enough.
fn back(parts: &[TermId], assumptions: &[TermId], core: &Core) -> Core {
    let position = |needed: &TermId| assumptions.iter().position(|assumption| assumption == needed);
    Core(core.0.iter().filter_map(position).map(|index| parts[index]).collect())
}

/// Whether a term may be repeated at will: a symbol or a constant, or a sum of few.
fn is_simple(terms: &Terms, term: TermId) -> bool {
    match terms.node(term) {
        Node::Symbol(_) | Node::True | Node::False => true,
        _ if terms.sort(term) == term::Sort::Int => {
            let form = terms.linear(term);
            form.terms().len() <= 2
                && form.terms().iter().all(|(term, _)| matches!(terms.node(*term), Node::Symbol(_)))
        }
        _ => false,
    }
}
